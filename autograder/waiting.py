"""Processes that have imported what lessons import, and wait for their author's notebook.

Nothing here imports torch: while such a process does, the examiner's own imports can go on beside it.
"""

import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from autograder.room import Room, start_bare

# On Linux one process serves a whole notebook; elsewhere each task takes one of its own (see interview.py).
_AHEAD = 1 if sys.platform == "linux" else 3


class Waiting:
    """A short queue of warm processes. They are no wall: for a person's own notebook only."""

    def __init__(self) -> None:
        self._starter = ThreadPoolExecutor(_AHEAD)  # on Windows a start ends when its imports do
        self._rooms: deque[Future[Room]] = deque()
        self.refill()

    def refill(self) -> None:
        """Start as many as are missing; returns at once."""
        while len(self._rooms) < _AHEAD:
            self._rooms.append(self._starter.submit(start_bare, "en"))

    def take(self) -> Room:
        """Hand over the one that has waited longest."""
        if not self._rooms or sys.platform != "linux":
            self.refill()
        return self._rooms.popleft().result()

    def close(self) -> None:
        """End those that still wait."""
        while self._rooms:
            self._rooms.popleft().result().close()
        self._starter.shutdown()
