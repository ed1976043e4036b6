"""Watch a file that is being edited, to notice when it is saved."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

POLL_SECONDS = 0.3  # seconds between two checks of the file


def watch_file(path: Path, pause: Callable[[], object] = lambda: time.sleep(POLL_SECONDS)) -> Iterator[None]:
    """Yield immediately, and then after each completed change to a file or to the files in a folder.

    The file is polled, because some file systems do not report changes, and because some editors replace a
    file when they save it. Several saves in quick succession count as one. If the file is temporarily
    missing, the function waits for it.

    Args:
        path: the file or folder to watch.
        pause: the function to call between two checks; by default, it sleeps for POLL_SECONDS.
    """
    last_stamp = _stamp(path)
    yield
    while True:
        pause()
        stamp = _stamp(path)
        if stamp in (last_stamp, None):
            continue
        pause()
        if _stamp(path) == stamp:
            last_stamp = stamp
            yield


def _stamp(path: Path) -> object:
    """Return values that change when a file is saved: inode, size and modification time.

    For a folder, return these values for each of its files. If the file or folder is missing, return None.
    """
    if path.is_dir():
        return sorted((child.name, _stamp(child)) for child in path.iterdir() if child.suffix != ".pyc")
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
