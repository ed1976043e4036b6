"""Which notebooks are checked at a click: those of one's own workspace, and those that one agreed to run.

A check runs all code of a notebook with its reader's rights. What was agreed to is kept with the reader's own
data, so no file that came with a notebook can agree in their place.
"""

import contextlib
import json
import os
from pathlib import Path

from secant.files import locked, read_json, replace_file
from secant.placed import OWN_WORKSPACE
from secant.progress import store

FILE = "agreed.json"
_MOST = 10_000  # notebooks that are remembered
_PATIENCE = 2.0  # seconds to wait for another server that writes


def is_agreed(notebook: Path) -> bool:
    """Whether a notebook may be run without asking."""
    return _is_own(notebook) or str(notebook) in _agreed()


def agree(notebook: Path) -> None:
    """Remember that a notebook may be run; where nothing can be kept, it will be asked again."""
    place = _place()
    with contextlib.suppress(OSError), locked(place, _PATIENCE):
        others = [path for path in _agreed() if path != str(notebook)][1 - _MOST :]
        replace_file(place, json.dumps([*others, str(notebook)]).encode(), private=True)


def _is_own(notebook: Path) -> bool:
    """Whether a notebook lies in the workspace of this server, which Secant itself has filled."""
    named = os.environ.get(OWN_WORKSPACE, "")
    return named != "" and notebook.is_relative_to(Path(named).resolve()) and _is_ours(notebook)


def _is_ours(notebook: Path) -> bool:
    """Whether the file belongs to this user: into a folder that others may write to, anybody can put one."""
    try:
        return os.name != "posix" or notebook.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _agreed() -> list[str]:
    return read_json(_place(), lambda paths: [path for path in paths if isinstance(path, str)], [])


def _place() -> Path:
    return store.path().with_name(FILE)
