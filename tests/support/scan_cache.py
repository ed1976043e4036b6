"""Access to this user's cache about the system's files from other homes; reading all files takes seconds."""

import contextlib
import shutil
from pathlib import Path

from autograder.sandbox.leak_scan import cache_file, suspects
from autograder.sandbox.visible import visible_files


def shared_cache() -> dict[str, str]:
    """Return environment variables that let a process with another home use this user's cache."""
    return {"XDG_CACHE_HOME": str(cache_file().parents[1])}


def lend_cache(home: Path) -> None:
    """Copy this user's cache about the system's files into another user's home folder."""
    suspects(visible_files([]))
    with contextlib.suppress(OSError):  # the cache may be missing
        (home / ".cache/secant").mkdir(parents=True, exist_ok=True)
        shutil.copy(cache_file(), home / ".cache/secant")
