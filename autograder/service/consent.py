"""The notebooks that may be checked on a click, without first asking the user for consent.

These are the notebooks in the user's own workspace, and those that the user has agreed to run. A check runs
all code of a notebook with the user's rights. The consent is stored with the user's own data, so no file that
came with a notebook can give it for the user.
"""

import contextlib
import json
import os
from pathlib import Path

from secant.files import locked, read_json, replace_file
from secant.progress import store
from secant.workspace_state import OWN_WORKSPACE

FILE = "agreed.json"
_MAX_NOTEBOOKS = 10_000  # maximum number of notebooks to remember
_LOCK_SECONDS = 2.0  # seconds to wait while another server writes the file


def is_agreed(notebook: Path) -> bool:
    """Return whether a notebook may be run without asking the user."""
    return _is_own(notebook) or str(notebook) in _agreed_paths()


def agree(notebook: Path) -> None:
    """Remember that a notebook may be run. If that cannot be stored, the user is asked again next time."""
    file = _storage_path()
    with contextlib.suppress(OSError), locked(file, _LOCK_SECONDS):
        other_paths = [path for path in _agreed_paths() if path != str(notebook)][1 - _MAX_NOTEBOOKS :]
        replace_file(file, json.dumps([*other_paths, str(notebook)]).encode(), private=True)


def _is_own(notebook: Path) -> bool:
    """Return whether a notebook belongs to the user and is in the workspace that Secant created."""
    workspace = os.environ.get(OWN_WORKSPACE, "")
    return (
        workspace != "" and notebook.is_relative_to(Path(workspace).resolve()) and _belongs_to_user(notebook)
    )


def _belongs_to_user(notebook: Path) -> bool:
    """Return whether a file belongs to this user. In a shared folder, it may belong to another user."""
    try:
        return os.name != "posix" or notebook.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _agreed_paths() -> list[str]:
    return read_json(_storage_path(), lambda paths: [path for path in paths if isinstance(path, str)], [])


def _storage_path() -> Path:
    return store.path().with_name(FILE)
