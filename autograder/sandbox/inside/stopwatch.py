"""A stopwatch that measures how long a container computes, and how long it waits for a processor."""

import contextlib
import os
import time
from bisect import bisect_right
from typing import NamedTuple

from autograder.sandbox.inside.processes import process_ids, stat_fields

_NANO = 1e-9
# Maximum number of `_Reading` objects that are kept; when it is exceeded, the older half is dropped.
_MAX_READINGS = 50_000


class _Reading(NamedTuple):
    """Two running totals of a container's time, in seconds, at a time.monotonic() timestamp."""

    moment: float
    idle: float  # lower bound for the total number of seconds in which no thread ran
    ready: float  # total number of seconds in which a thread was ready to run, but had to wait


class Stopwatch:
    """A stopwatch for the threads of this PID namespace. Each call to `look` reads the kernel's counts.

    The kernel counts how long each thread ran, and how long it was ready to run but had to wait
    (/proc/PID/task/TID/schedstat; see "Scheduler Statistics" in the kernel's documentation). The container is
    *starved* while one of its threads is ready and none of them runs, so starting many threads does not make
    it starved. Starved time does not count towards a time limit. If the kernel does not keep these counts,
    the container never seems starved, so all real time counts. All real time also counts between two readings
    if a thread ended in between, because it is unknown how long that thread ran.

    Attributes:
        cpu_seconds: seconds of processor time recorded so far, for all threads together.
    """

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self._times: dict[str, tuple[int, int]] = {}
        self._newest = _newest_thread()
        self._readings = [_Reading(time.monotonic(), 0.0, 0.0)]

    def look(self) -> None:
        """Read the kernel's counts, and record what the threads have done since the last reading."""
        last, now = self._readings[-1], time.monotonic()
        elapsed = now - last.moment
        newest, times = _newest_thread(), _threads()
        created, new_threads = newest - self._newest, len(times.keys() - self._times.keys())
        is_complete = self._times.keys() <= times.keys() and 0 <= created <= new_threads
        run_seconds, wait_seconds = 0.0, 0.0
        for thread, (running, waiting) in times.items():
            before = self._times.get(thread, (0, 0))
            if (running, waiting) == before:
                # The kernel counts the time that a thread waits for a processor only when the wait has ended.
                # So a thread that is ready to run may have waited since the last reading, although its count
                # has not changed.
                wait_seconds = max(wait_seconds, elapsed if _is_ready(thread) else 0.0)
            else:
                run_seconds += max(0, running - before[0]) * _NANO
                wait_seconds = max(wait_seconds, (waiting - before[1]) * _NANO)
        self.cpu_seconds += run_seconds
        idle = max(0.0, elapsed - run_seconds) if is_complete else 0.0
        self._times, self._newest = times, newest
        self._readings.append(_Reading(now, last.idle + idle, last.ready + wait_seconds))
        if len(self._readings) > _MAX_READINGS:
            del self._readings[: _MAX_READINGS // 2]

    def starved_seconds(self, since: float) -> float:
        """Return how many seconds the container has waited for a processor.

        Args:
            since: the time.monotonic() timestamp from which to count.
        """
        # Start from the last reading before `since`, because counting too much starved time is better than
        # counting too little.
        first = self._readings[
            max(bisect_right(self._readings, since, key=lambda reading: reading.moment) - 1, 0)
        ]
        last = self._readings[-1]
        return max(0.0, min(last.idle - first.idle, last.ready - first.ready))


def _newest_thread() -> int:
    """Return the id of the newest thread in this namespace. Ids are assigned in ascending order."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[4])


def _threads() -> dict[str, tuple[int, int]]:
    """Return how many nanoseconds each thread ran, and how many it waited for a processor.

    Process 1, the supervisor, is skipped.
    """
    times = {}
    for process in process_ids():
        if process != 1:
            with contextlib.suppress(OSError):
                for thread in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{thread}/schedstat") as file:
                        running, waiting, _ = file.read().split()
                    times[thread] = (int(running), int(waiting))
    return times


def _is_ready(thread: str) -> bool:
    """Return whether a thread is running or ready to run."""
    return stat_fields(thread)[:1] == ["R"]
