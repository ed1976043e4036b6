"""Whether a folder can be written into, before something fails half-way."""

import errno
import os
import tempfile
from pathlib import Path


def existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there and may be seen."""
    return next(place for place in (folder, *folder.parents) if os.path.exists(place))


def refusal(folder: Path) -> OSError | None:
    """Why nothing can be written there; None if it can be, or the folder can be made.

    It is tried, for what rights say is not the whole truth on every system.
    """
    try:
        with tempfile.TemporaryFile(dir=existing(folder)):
            return None
    except OSError as error:
        return error


def make_private(folder: Path) -> None:
    """Make a folder, and the ones above it, that nobody else may read or write.

    Raises:
        OSError: it cannot be made, or something that is not ours stands there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(folder))
        folder.chmod(0o700)


def jupyter_folders() -> dict[str, Path]:
    """The folders without which Jupyter ends in a traceback, by the variables that name others."""
    from jupyter_core.paths import jupyter_data_dir, jupyter_runtime_dir

    return {
        "JUPYTER_DATA_DIR": Path(jupyter_data_dir()),
        "JUPYTER_RUNTIME_DIR": Path(jupyter_runtime_dir()),
    }
