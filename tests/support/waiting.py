"""A function that waits for the effect of another process."""

import time
from collections.abc import Callable


def wait_for(condition: Callable[[], object], seconds: float = 20) -> bool:
    """Wait until a function returns something true; return whether it did so within these seconds."""
    deadline = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(result)
