"""Tests of time limits: which time counts on a busy machine."""

import os
import subprocess
import sys
import time

import pytest

from autograder.sandbox import fair_deadline
from autograder.sandbox.fair_deadline import FairDeadline
from autograder.sandbox.inside import stopwatch
from autograder.sandbox.inside.stopwatch import Stopwatch
from autograder.sandbox.results import Overloaded, TimedOut
from autograder.sandbox.wall import Wall
from tests.support.busy import busy_machine, one_processor

SPIN_CODE = "while True: pass"
BURN_CODE = """
import time
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return "done"
def rest():
    time.sleep(60)
def spin():
    while True:
        pass
def crowd():
    import os
    for _ in range(20):
        if os.fork() == 0:
            spin()
    spin()
"""


# --- Calculations ------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake_clock = Clock()
    monkeypatch.setattr(fair_deadline, "time", fake_clock)
    return fake_clock


def test_starvation_is_not_measured_before_the_limit(clock: Clock) -> None:
    def measure_starvation(since: float) -> float:
        raise AssertionError

    deadline = FairDeadline(10, measure_starvation)
    clock.now += 9
    assert deadline.seconds_left() == 1


def test_time_used_by_other_processes_does_not_count(clock: Clock) -> None:
    times: list[float] = []

    def half_of_the_time(since: float) -> float:
        times.append(since)
        return (clock.now - since) / 2

    deadline = FairDeadline(10, half_of_the_time)
    clock.now += 10
    assert deadline.seconds_left() == 5
    clock.now += 9
    assert (deadline.seconds_left(), deadline.seconds_spent()) == (0.5, 9.5)
    clock.now += 1
    assert deadline.seconds_left() == 0
    assert set(times) == {100.0}


def test_starved_process_gets_no_verdict_at_the_outer_limit(clock: Clock) -> None:
    deadline = FairDeadline(10, lambda since: (clock.now - since) * 0.95)
    clock.now += 99
    assert deadline.seconds_left() > 0
    clock.now += 1
    with pytest.raises(Overloaded, match=r"6\.0 s of 100 s"):
        deadline.seconds_left()


def test_process_that_used_its_time_gets_a_verdict_however_late(clock: Clock) -> None:
    deadline = FairDeadline(10, lambda since: 0.0)
    clock.now += 1000
    assert deadline.seconds_left() == 0


# --- Measurements ------------------------------------------------------------------------------------------


def test_a_process_that_waits_its_turn_is_starved_and_a_sleeping_one_is_not() -> None:
    processor = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, [{processor}])\n{SPIN_CODE}"
    spinners = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        time.sleep(0.3)
        starved_shares = {}
        for name, processes in {"two": spinners, "one": spinners[:1], "asleep": [sleeper]}.items():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(os, "listdir", fake_listdir([process.pid for process in processes]))
                # Ignore new processes: other programs may start some during the measurement.
                patch.setattr(stopwatch, "_newest_thread", lambda: 0)
                watch = Stopwatch()
                watch.look()
                since = time.monotonic()
                time.sleep(0.4)
                watch.look()
                starved_shares[name] = watch.starved_seconds(since) / 0.4
    finally:
        for process in [*spinners, sleeper]:
            process.kill()
            process.wait()
    assert starved_shares["asleep"] < 0.1
    assert starved_shares["one"] > 0.2
    # While one process of the pair runs, the pair is not starved, although the other process waits.
    assert starved_shares["two"] < starved_shares["one"] + 0.1


class FakeStopwatch:
    """A stopwatch on a simulated clock, with made-up times for each thread."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now, self.newest = 0.0, 10
        self.threads = {"7": (0, 0), "8": (0, 0)}
        patch.setattr(time, "monotonic", lambda: self.now)
        patch.setattr(stopwatch, "_newest_thread", lambda: self.newest)
        patch.setattr(stopwatch, "_threads", lambda: dict(self.threads))
        self.watch = Stopwatch()
        self.watch.look()

    def starved_seconds(self) -> float:
        """Let a second pass in which thread 7 waits for 0.9 s; return how many seconds do not count."""
        since, (run_time, wait_time) = self.now, self.threads["7"]
        self.now += 1
        self.threads["7"] = (run_time + 10**8, wait_time + 9 * 10**8)
        self.watch.look()
        return self.watch.starved_seconds(since)


def test_time_of_unseen_threads_is_not_counted_as_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_stopwatch = FakeStopwatch(monkeypatch)
    assert fake_stopwatch.starved_seconds() == pytest.approx(0.9)
    del fake_stopwatch.threads["8"]  # thread 8 may have computed until it ended
    assert fake_stopwatch.starved_seconds() == 0
    assert fake_stopwatch.starved_seconds() == pytest.approx(0.9)
    fake_stopwatch.newest += 1
    fake_stopwatch.threads["11"] = (0, 0)
    assert fake_stopwatch.starved_seconds() == pytest.approx(0.9)
    fake_stopwatch.newest += 1  # a thread has started and ended in between
    assert fake_stopwatch.starved_seconds() == 0
    fake_stopwatch.newest = 2  # thread numbers start again from the beginning
    assert fake_stopwatch.starved_seconds() == 0
    assert fake_stopwatch.starved_seconds() == pytest.approx(0.9)


def fake_listdir(pids: list[int]) -> object:
    listdir = os.listdir
    return lambda path: list(map(str, pids)) if path == "/proc" else listdir(path)


# --- A real candidate --------------------------------------------------------------------------------------


@pytest.mark.whole
def test_busy_machine_extends_computing_time_and_not_sleeping_time(plain_wall: Wall) -> None:
    with one_processor(), busy_machine(2), plain_wall.candidate() as candidate:
        candidate.load([("answer", BURN_CODE)], timeout=20.0)
        start_time = time.monotonic()
        with candidate.task() as task:
            assert task.ask("burn", (0.5,), timeout=1.0).value == "done"
        assert time.monotonic() - start_time > 1.0, "the machine was not busy, and this test shows nothing"
        with candidate.task() as task, pytest.raises(TimedOut):
            task.ask("rest", timeout=0.5)
        for name in ("spin", "crowd"):  # Overloaded if other tests leave a task almost no time
            with candidate.task() as task, pytest.raises((TimedOut, Overloaded)):
                task.ask(name, timeout=0.5)
    assert candidate.spent < 8
