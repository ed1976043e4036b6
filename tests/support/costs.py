"""A pytest plugin that measures every test's processor time and enforces the bounds of the quick suite.

Processor time is used because a busy machine makes a test slower, but not costlier. A test's own cost is the
time of its call and of the fixtures made for this test alone. Fixtures that several tests share are counted
separately. The time includes the test's process and its descendants, running or ended.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import pytest

from tests.support.suites import runs_whole

#: Core-seconds above which a quick test needs the marker `costly` with a reason.
COSTLY = 2.0
#: Core-seconds that the tests of the quick suite may take together. Five minutes on two idle cores are 600
#: core-seconds; the remaining 150 are for lint, for starting the workers and for collecting the tests.
QUICK_BOUND = 450.0
#: Factor that allows for a busy machine: other programs that share the cores' caches and execution units make
#: the same work take more processor time.
BUSY = 1.3
#: Number of the costliest files that the summary lists.
LISTED_FILES = 10
#: Python's functions, kept here so that tests that replace `open` and the like can be measured, too.
_open, _scandir, _times = open, os.scandir, os.times
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def tree_seconds() -> float:
    """Return the processor time of this process and of its descendants, those that have ended included."""
    times = _times()
    children = _child_ids(os.getpid())
    return (
        times.user + times.system + times.children_user + times.children_system + sum(map(_seconds, children))
    )


def _seconds(process: int) -> float:
    """Return the processor time of a process and of its descendants; 0 if it has just ended."""
    with contextlib.suppress(OSError):
        with _open(f"/proc/{process}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS + sum(map(_seconds, _child_ids(process)))
    return 0.0


def _child_ids(process: int) -> list[int]:
    """Return the ids of a process's running children; none if the system does not list them."""
    ids: list[int] = []
    with contextlib.suppress(OSError), _scandir(f"/proc/{process}/task") as threads:
        for thread in threads:
            with _open(f"{thread.path}/children") as children:
                ids += map(int, children.read().split())
    return ids


@dataclass
class Meter:
    """A meter that splits a test's processor time into the test's own and that of shared fixtures.

    Attributes:
        shared: core-seconds of shared fixtures since the test began.
    """

    shared: float = 0.0
    _start: float = 0.0
    _depth: int = 0

    def begin(self) -> None:
        """Start to measure a test."""
        self.shared = 0.0
        self._start = tree_seconds()

    def end_phase(self) -> tuple[float, float]:
        """Return a phase's own core-seconds and those of shared fixtures; the next phase begins here.

        The processor time is read only once between two phases, because reading it takes time in each test.
        """
        start, shared = self._start, self.shared
        self.begin()
        return max(0.0, self._start - start - shared), shared

    @contextlib.contextmanager
    def shared_fixture(self) -> Iterator[None]:
        """Count the time of the `with` block as a shared fixture's; a nested fixture counts only once."""
        start = tree_seconds()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.shared += tree_seconds() - start


@dataclass
class Costs:
    """The core-seconds of a run, added up by test and by file.

    Attributes:
        tests: each test's own core-seconds.
        files: each file's core-seconds, shared fixtures included.
        reasons: the reason given in the marker `costly`, by test.
    """

    tests: dict[str, float] = field(default_factory=dict)
    files: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, test: str, own_seconds: float, shared_seconds: float, reason: str) -> None:
        """Add the core-seconds of one phase of a test (setup, call or teardown)."""
        file = test.partition("::")[0]
        self.tests[test] = self.tests.get(test, 0.0) + own_seconds
        self.files[file] = self.files.get(file, 0.0) + own_seconds + shared_seconds
        if reason:
            self.reasons[test] = reason

    def total(self) -> float:
        """Return the core-seconds of all tests."""
        return sum(self.files.values())

    def costliest(self) -> list[tuple[str, float]]:
        """Return the costliest files with their core-seconds, in descending order."""
        return sorted(self.files.items(), key=lambda item: -item[1])[:LISTED_FILES]

    def problems(self) -> list[str]:
        """Return the reasons why this run is too costly for the quick suite; an empty list if it is not."""
        messages = [
            f"{test} took {seconds:.1f} core-seconds: above {COSTLY:g}, a quick test needs "
            '@pytest.mark.costly("why"), or @pytest.mark.whole'
            for test, seconds in self.tests.items()
            if seconds > BUSY * COSTLY and test not in self.reasons
        ]
        if self.total() > BUSY * QUICK_BOUND:
            messages.append(
                f"the quick suite took {self.total():.0f} core-seconds, and {QUICK_BOUND:g} are allowed: "
                "mark with @pytest.mark.whole what repeats"
            )
        return messages


_PROPERTY = "core-seconds"
_meter = Meter()
_costs = Costs()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
    """Count the setup of a shared fixture separately from the test's own time."""
    with contextlib.nullcontext() if fixturedef.scope == "function" else _meter.shared_fixture():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Measure the setup phase of a test."""
    yield from _measure_phase(item, "setup")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Measure the call phase of a test."""
    yield from _measure_phase(item, "call")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Measure the teardown phase of a test; a file's last test also tears down the file's fixtures."""
    yield from _measure_phase(item, "teardown")


def _measure_phase(item: pytest.Item, phase: str) -> Iterator[None]:
    if phase == "setup":
        _meter.begin()
    try:
        return (yield)
    finally:
        own_seconds, shared_seconds = _meter.end_phase()
        if phase == "teardown":
            own_seconds, shared_seconds = 0.0, own_seconds + shared_seconds
        marker = item.get_closest_marker("costly")
        reason = str(marker.args[0]) if marker else ""
        item.user_properties.append((_PROPERTY, (phase, own_seconds, shared_seconds, reason)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the core-seconds of each test in the process that reports the results."""
    for name, value in report.user_properties:
        if name == _PROPERTY:
            phase, own_seconds, shared_seconds, reason = cast(tuple[str, float, float, str], value)
            if phase != report.when:
                continue
            _costs.add(report.nodeid, own_seconds, shared_seconds, reason)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run of the quick suite that exceeds its bounds; the whole suite has no bounds."""
    is_controller = not hasattr(session.config, "workerinput")
    if (
        is_controller
        and exitstatus == pytest.ExitCode.OK
        and not runs_whole(session.config)
        and _costs.problems()
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the costliest files, and the tests that are too costly for the quick suite."""
    terminalreporter.section(f"core-seconds: {_costs.total():.0f} in all, the costliest files")
    for file, seconds in _costs.costliest():
        terminalreporter.write_line(f"{seconds:7.1f}  {file}")
    for problem in [] if runs_whole(config) else _costs.problems():
        terminalreporter.write_line(f"FAILED {problem}", red=True)
