"""Processes that have imported what lessons import, and wait for their author's notebook.

Nothing here imports torch: while such a process does, the examiner's own imports can go on beside it.
"""

import contextlib
import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from autograder.sandbox.container import Container, start_bare
from autograder.sandbox.results import WallError

# On Linux one process serves a whole notebook; elsewhere each task takes one (see sandbox/client.py).
_AHEAD = 1 if sys.platform == "linux" else 3


class WarmPool:
    """A short queue of warm processes. They are no wall: for a person's own notebook only."""

    def __init__(self) -> None:
        self._starter = ThreadPoolExecutor(_AHEAD)  # on Windows a start ends when its imports do
        self._containers: deque[Future[Container]] = deque()
        self.refill()

    def refill(self) -> None:
        """Start as many as are missing; returns at once."""
        while len(self._containers) < _AHEAD:
            self._containers.append(self._starter.submit(start_bare, "en"))

    def take(self) -> Container:
        """Hand over the one that has waited longest."""
        if not self._containers or sys.platform != "linux":
            self.refill()
        return self._containers.popleft().result()

    def close(self) -> None:
        """End those that still wait."""
        while self._containers:
            with contextlib.suppress(WallError, OSError):  # one that could not be started has nothing to end
                self._containers.popleft().result().close()
        self._starter.shutdown()
