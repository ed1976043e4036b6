"""Checks that folders can be written to, so that problems show up before work begins."""

import errno
import os
import tempfile
from pathlib import Path


def nearest_existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists and can be accessed."""
    return next(place for place in (folder, *folder.parents) if os.path.exists(place))


def write_error(folder: Path) -> OSError | None:
    """Return the error that prevents writing to a folder; None if the folder can be written to or created.

    A temporary file is created, because on some systems the permissions alone do not show whether a folder
    can be written to.
    """
    try:
        with tempfile.TemporaryFile(dir=nearest_existing(folder)):
            return None
    except OSError as error:
        return error


def make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, and let only the current user access the folder.

    Raises:
        OSError: if the folder cannot be created, is a link or belongs to another user.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        status = folder.lstat()
        if folder.is_symlink() or status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(folder))
        folder.chmod(0o700)


def jupyter_folders() -> dict[str, Path]:
    """Return the folders that Jupyter must be able to write to, keyed by their environment variables.

    If Jupyter cannot write to one of them, it exits with a traceback.
    """
    from jupyter_core.paths import jupyter_data_dir, jupyter_runtime_dir

    return {
        "JUPYTER_DATA_DIR": Path(jupyter_data_dir()),
        "JUPYTER_RUNTIME_DIR": Path(jupyter_runtime_dir()),
    }
