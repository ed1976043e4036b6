"""Waiting for what another process does."""

import time
from collections.abc import Callable


def wait_for(what: Callable[[], object], seconds: float = 20) -> bool:
    """Whether something has come to be true within so many seconds."""
    until = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < until:
        time.sleep(0.02)
    return bool(found)
