"""Files that are never half written."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path


def replace_file(path: Path, content: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write a file in one step, so that whoever reads it meanwhile gets the old one or the new one.

    Args:
        path: the file.
        content: what it shall hold.
        private: whether nobody else may read it.

    Raises:
        OSError: if nothing can be written there; what stood there stays.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
        os.chmod(temporary, 0o600 if private else 0o644)
        _replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _replace(temporary: str, path: Path) -> None:
    """Windows refuses while somebody else has the file open, be it to read: wait for them a little."""
    for seconds in (0.01, 0.03, 0.1, 0.3, 1.0) if os.name == "nt" else ():
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            time.sleep(seconds)
    os.replace(temporary, path)


def put_aside(path: Path, mark: str) -> Path:
    """Rename a file that is in the way, since somebody may still want it; return its new place.

    Raises:
        OSError: if it cannot be renamed.
    """
    number = 1
    while (aside := path.with_name(f"{path.stem} ({mark} {number}){path.suffix}")).exists():
        number += 1
    path.rename(aside)
    return aside


def in_the_way(path: Path) -> Path | None:
    """What stands on the way to a path and is no folder, if anything does."""
    found = next((place for place in (path, *path.parents) if os.path.lexists(place)), None)
    return found if found is not None and not os.path.isdir(found) else None
