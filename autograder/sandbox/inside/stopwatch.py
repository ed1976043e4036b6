"""How long a container computed, and how long it would have if others had not had the processor."""

import contextlib
import os
import time
from bisect import bisect_right
from typing import NamedTuple

from autograder.sandbox.inside.processes import process_ids, stat_fields

_NANO = 1e-9
_MOST = 50_000  # notes kept; beyond, the older half is forgotten


class _Note(NamedTuple):
    """Seconds in all, at a moment of time.monotonic."""

    moment: float
    idle: float  # in which, for sure, no thread ran
    ready: float  # in which one was ready to run, but did not


class Stopwatch:
    """Looks at the threads of this process namespace whenever it is told to.

    The kernel counts for each thread how long it ran, and how long it was ready to run and had to wait
    (/proc/PID/task/TID/schedstat; see "Scheduler Statistics" in the kernel's documentation). The container
    is *starved* while one of its threads is ready and none of them runs: starting many starves nobody.
    Where the kernel does not count, nothing is ever starved, and the wall's clock is what there is.
    Neither is it between two looks in which a thread ended: how long that one ran is not known.

    Attributes:
        computed: seconds of processor time of all its threads together, as far as they were seen.
    """

    def __init__(self) -> None:
        self.computed = 0.0
        self._seen: dict[str, tuple[int, int]] = {}
        self._newest = _newest_thread()
        self._notes = [_Note(time.monotonic(), 0.0, 0.0)]

    def look(self) -> None:
        """Note what has happened since the last look."""
        last, now = self._notes[-1], time.monotonic()
        passed = now - last.moment
        newest, seen = _newest_thread(), _threads()
        born, new = newest - self._newest, len(seen.keys() - self._seen.keys())
        all_seen = self._seen.keys() <= seen.keys() and 0 <= born <= new
        ran, waited = 0.0, 0.0
        for thread, (running, waiting) in seen.items():
            before = self._seen.get(thread, (0, 0))
            if (running, waiting) == before:
                # A wait is counted when it is over: this one may have lasted since the last look.
                waited = max(waited, passed if _is_ready(thread) else 0.0)
            else:
                ran += max(0, running - before[0]) * _NANO
                waited = max(waited, (waiting - before[1]) * _NANO)
        self.computed += ran
        idle = max(0.0, passed - ran) if all_seen else 0.0
        self._seen, self._newest = seen, newest
        self._notes.append(_Note(now, last.idle + idle, last.ready + waited))
        if len(self._notes) > _MOST:
            del self._notes[: _MOST // 2]

    def starved(self, since: float) -> float:
        """Return for how many seconds the container was starved since a moment of time.monotonic."""
        # From a look too early rather than too late.
        first = self._notes[max(bisect_right(self._notes, since, key=lambda note: note.moment) - 1, 0)]
        last = self._notes[-1]
        return max(0.0, min(last.idle - first.idle, last.ready - first.ready))


def _newest_thread() -> int:
    """The number that was last given to a thread here: they are given in turn."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[4])


def _threads() -> dict[str, tuple[int, int]]:
    """By thread, the nanoseconds that it ran and those that it was ready and waited; process 1 is ours."""
    found = {}
    for process in process_ids():
        if process != 1:
            with contextlib.suppress(OSError):
                for thread in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{thread}/schedstat") as file:
                        running, waiting, _ = file.read().split()
                    found[thread] = (int(running), int(waiting))
    return found


def _is_ready(thread: str) -> bool:
    """Whether a thread is ready to run, or runs."""
    return stat_fields(thread)[:1] == ["R"]
