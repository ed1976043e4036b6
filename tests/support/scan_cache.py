"""What this user's cache knows of the system's folders, for others: reading them all takes seconds."""

import contextlib
import shutil
from pathlib import Path

from autograder.sandbox.leak_scan import cache_file, suspects
from autograder.sandbox.visible import visible


def shared_cache() -> dict[str, str]:
    """Return the environment of who has another home and shares this user's cache."""
    return {"XDG_CACHE_HOME": str(cache_file().parents[1])}


def lend_cache(home: Path) -> None:
    """Let who has this home know it, too."""
    suspects(visible([]))
    with contextlib.suppress(OSError):  # where this user keeps none
        (home / ".cache/secant").mkdir(parents=True, exist_ok=True)
        shutil.copy(cache_file(), home / ".cache/secant")
