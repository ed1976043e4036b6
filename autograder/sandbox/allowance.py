"""A limit of time that is fair on a busy machine.

What counts is the time in which a submission computed or waited, not the time in which it would have computed
and others had the processor: the supervisor of its container measures that (inside/stopwatch.py). So the same
file meets the same limit whatever runs beside it.
"""

import time
from collections.abc import Callable

from autograder.sandbox.results import Starved

PATIENCE = 10  # how many times a limit may pass on the wall's clock before nothing can be said
_WORTH_ASKING = 0.5  # seconds
_LEAST = 0.05  # seconds between two looks


class Allowance:
    """What is left of a limit.

    Args:
        seconds: the limit.
        starved: says how many of the seconds since a moment of time.monotonic do not count.
    """

    def __init__(self, seconds: float, starved: Callable[[float], float]) -> None:
        self.seconds = seconds
        self._starved = starved
        self._start = time.monotonic()
        self._lost = 0.0

    def left(self) -> float:
        """Return for how many seconds it is worth waiting before the next look; 0 if the limit is reached.

        Raises:
            Starved: it is not reached, but there is no end to it.
        """
        passed = time.monotonic() - self._start
        if passed - self._lost >= self.seconds:
            self._lost = self._starved(self._start)
        left = self.seconds + self._lost - passed
        if left <= 0:
            return 0.0
        if passed >= PATIENCE * self.seconds:
            raise Starved(f"the machine left {passed - self._lost:.1f} s of {passed:.0f} s to a submission")
        return max(left, _LEAST)

    def spent(self) -> float:
        """Return how many seconds count."""
        passed = time.monotonic() - self._start
        if passed > _WORTH_ASKING:  # it costs an exchange of messages
            self._lost = self._starved(self._start)
        return max(0.0, passed - self._lost)
