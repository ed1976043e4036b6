"""When a file that somebody edits has been saved."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

LOOK_SECONDS = 0.3  # between two looks


def saves(place: Path, pause: Callable[[], object] = lambda: time.sleep(LOOK_SECONDS)) -> Iterator[None]:
    """Yield at once, and then whenever a file, or one in a folder, has changed and is still again.

    It is looked at, since not every file system tells of changes, and editors replace files. Several saves in
    quick succession are one; a file that is gone for a while is waited for.
    """
    seen = _stamp(place)
    yield
    while True:
        pause()
        now = _stamp(place)
        if now in (seen, None):
            continue
        pause()
        if _stamp(place) == now:
            seen = now
            yield


def _stamp(place: Path) -> object:
    """Return what tells a saved file from the one before; None if there is none."""
    if place.is_dir():
        return sorted((path.name, _stamp(path)) for path in place.iterdir() if path.suffix != ".pyc")
    try:
        found = place.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
