"""A time limit that is fair on a busy machine.

Time counts while a submission computes or waits. Time does not count while the submission is ready to
compute, but other processes occupy the processor. The supervisor of the submission's container measures the
time that does not count (inside/stopwatch.py). So a submission gets the same amount of time, regardless of
what else runs on the machine.
"""

import time
from collections.abc import Callable

from autograder.sandbox.results import Overloaded

# When the real time that has passed reaches this multiple of the limit, the machine counts as too busy.
MAX_SLOWDOWN = 10
# Seconds. If less time has passed, the supervisor is not asked how much of that time counts.
_MIN_QUERY_SECONDS = 0.5
_MIN_WAIT_SECONDS = 0.05  # minimum number of seconds between two checks of a limit


class FairDeadline:
    """A time limit, which keeps track of how much time is left.

    Args:
        seconds: the limit.
        starved_seconds: a function that takes a time.monotonic() timestamp, and returns how many of the
            seconds since then do not count.
    """

    def __init__(self, seconds: float, starved_seconds: Callable[[float], float]) -> None:
        self.seconds = seconds
        self._starved_seconds = starved_seconds
        self._start = time.monotonic()
        self._uncounted_seconds = 0.0

    def seconds_left(self) -> float:
        """Return how many seconds to wait before checking the limit again, or 0 if the limit is reached.

        Raises:
            Overloaded: the limit is not reached, but the machine is so busy that there is no point in waiting
                longer.
        """
        elapsed = time.monotonic() - self._start
        if elapsed - self._uncounted_seconds >= self.seconds:
            self._uncounted_seconds = self._starved_seconds(self._start)
        remaining = self.seconds + self._uncounted_seconds - elapsed
        if remaining <= 0:
            return 0.0
        if elapsed >= MAX_SLOWDOWN * self.seconds:
            raise Overloaded(
                f"the machine left {elapsed - self._uncounted_seconds:.1f} s of {elapsed:.0f} s "
                "to a submission"
            )
        return max(remaining, _MIN_WAIT_SECONDS)

    def seconds_spent(self) -> float:
        """Return the number of seconds since the start that count towards the limit."""
        elapsed = time.monotonic() - self._start
        if elapsed > _MIN_QUERY_SECONDS:  # asking the supervisor requires an exchange of messages
            self._uncounted_seconds = self._starved_seconds(self._start)
        return max(0.0, elapsed - self._uncounted_seconds)
