"""Atomic writing of files, locks for files, and reading of small JSON files that may be damaged."""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def replace_file(path: Path, content: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write a file in one step, so that a concurrent reader gets either the old content or the new one.

    Args:
        path: the file.
        content: the file's new content.
        private: whether only the file's owner may read it.

    Raises:
        OSError: if the file cannot be written; the old file is then unchanged.
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
    """Rename the temporary file to its final path; on Windows, retry for a moment.

    Windows refuses to replace a file that another process has open, even for reading.
    """
    for seconds in (0.01, 0.03, 0.1, 0.3, 1.0) if os.name == "nt" else ():
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            time.sleep(seconds)
    os.replace(temporary, path)


def read_json(path: Path, convert: Callable[[Any], T], default: T) -> T:
    """Return the content of a small JSON file; a default if it is missing, damaged or malformed.

    Args:
        path: the file. Anything but a regular file counts as missing, because reading a pipe might never end.
        convert: a function that returns the parsed data in the required format. If it raises an error, the
            file counts as malformed.
        default: the value to return if the file is missing, damaged or malformed.
    """
    try:
        return convert(json.loads(path.read_bytes())) if path.is_file() else default
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return default


@contextlib.contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Hold a lock on a file during a `with` block; if the lock cannot be acquired, run the block without it.

    Args:
        path: the file to be written; the lock is a file next to it.
        seconds: how long to wait for another process.
    """
    from filelock import FileLock  # imported late, because most callers write only after a click

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, NotImplementedError, RuntimeError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            stack.enter_context(FileLock(path.with_name(f"{path.name}.lock"), timeout=seconds))
        yield


def move_aside(path: Path, label: str) -> Path:
    """Rename a file that is in the way, so that its content is not lost, and return its new path.

    Raises:
        OSError: if the file cannot be renamed.
    """
    number = 1
    while (new_path := path.with_name(f"{path.stem} ({label} {number}){path.suffix}")).exists():
        number += 1
    path.rename(new_path)
    return new_path


def blocking_file(path: Path) -> Path | None:
    """Return the file that is at a path, or in place of one of its parent folders; None if there is none."""
    nearest_path = next((place for place in (path, *path.parents) if os.path.lexists(place)), None)
    return nearest_path if nearest_path is not None and not os.path.isdir(nearest_path) else None
