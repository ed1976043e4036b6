"""Whether a folder can be written into, before something fails half-way."""

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


def jupyter_folders() -> dict[str, Path]:
    """The folders without which Jupyter ends in a traceback, by the variables that name others."""
    from jupyter_core.paths import jupyter_data_dir, jupyter_runtime_dir

    return {
        "JUPYTER_DATA_DIR": Path(jupyter_data_dir()),
        "JUPYTER_RUNTIME_DIR": Path(jupyter_runtime_dir()),
    }
