"""A function that waits for the effect of another process."""

import time
from collections.abc import Callable


def wait_for(what: Callable[[], object], seconds: float = 20) -> bool:
    """Wait until a function returns something true; return whether it did so within these seconds."""
    until = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < until:
        time.sleep(0.02)
    return bool(found)
