"""Rules that assign a test to the quick suite (`make test`), or only to the whole one (`make test-all`).

A test is quick unless its folder or file is listed here, or it has the marker `whole` or `deep`. Quick tests
find faults that no cheaper test finds. Tests that mostly repeat what quick tests check, and tests that
need a browser, a hub, a cluster or wheels, belong only to the whole suite.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

#: The reason why a folder's or file's tests are not quick: what they need, or what they repeat.
WHOLE = {
    "tests/browser/": "Chromium",
    "tests/hub/": "JupyterHub and its proxy",
    "tests/packaging/": "wheels, and environments of their own",
    "tests/stock/": "each lesson's whole path through nbgrader, beside the examiner's verdicts",
    "tests/scripts/test_bootstrap.py": "wheels, and environments of their own",
    "tests/scripts/test_frames.py": "a recorded static site",
    "tests/scripts/test_preview.py": "a recorded static site",
    "tests/secant/lab/test_real_start.py": "JupyterLab, started",
    "tests/autograder/workers/test_cluster.py": "a Dask cluster",
    "tests/autograder/gradebook/test_postgres.py": "PostgreSQL",
}


def is_whole(item: pytest.Item) -> bool:
    """Return whether a test belongs only to the whole suite."""
    return bool(item.get_closest_marker("whole")) or item.nodeid.startswith(tuple(WHOLE))


def first_of(values: Iterable[object], number: int) -> list[Any]:
    """Return parametrised cases for these values: the first `number` are quick, the others are not."""
    return [case(value, quick=index < number, id=str(value)) for index, value in enumerate(values)]


def case(*values: object, quick: bool, id: str | None = None) -> Any:
    """Return a case of a parametrised test; unless it is quick, only the whole suite runs it."""
    return pytest.param(*values, marks=[] if quick else [pytest.mark.whole], id=id)


def runs_whole(config: pytest.Config) -> bool:
    """Return whether a run is of the whole suite, or of all tests of one lesson (--lesson)."""
    options = ("--whole", "--whole-alone", "--deep")
    return any(config.getoption(name, False) for name in options) or (
        config.getoption("--lesson", None) is not None
    )


#: Folders and files with tests that grade behind the wall. The quick suite skips them if no wall can be
#: built.
BEHIND_THE_WALL = (
    "tests/autograder/course/test_own_course.py",
    "tests/autograder/edition/",
    "tests/autograder/exam/test_agreement.py",
    "tests/autograder/exam/test_plain.py",
    "tests/autograder/exam/test_preload.py",
    "tests/autograder/gradebook/",
    "tests/autograder/grading/",
    "tests/autograder/lms/",
    "tests/autograder/overrides/",
    "tests/autograder/page/test_page.py",
    "tests/autograder/sandbox/",
    "tests/autograder/workers/",
    "tests/autograder/test_cli.py",
    "tests/autograder/test_doctor.py",
    "tests/hostile/",
    "tests/scripts/test_demo.py",
    "tests/test_upgrade.py",
)
NO_WALL = "bubblewrap is not installed or does not work here: see `autograder doctor`"


@cache
def has_wall() -> bool:
    """Return whether bubblewrap is installed and works on this machine."""
    program = shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin")
    command = [str(program), "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true"]
    return program is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


def lacks_needed_wall(item: pytest.Item) -> bool:
    """Return whether a quick run on Linux must skip a test because no wall works; in a whole run it fails."""
    needs_wall = item.nodeid.startswith(BEHIND_THE_WALL)
    return needs_wall and not runs_whole(item.config) and sys.platform == "linux" and not has_wall()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a wall if no wall works on this machine."""
    if lacks_needed_wall(item):
        pytest.skip(NO_WALL)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Print at the end of a quick run which tests were left out, and how to run them."""
    yield
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or hasattr(session.config, "workerinput") or runs_whole(session.config):
        return
    for reason, number in count_skipped(terminal.stats.get("skipped", [])).items():
        terminal.write_line(f"left out: {number} tests ({reason})")
    terminal.write_line(
        f"left out, as in every quick run: what needs {', '.join(dict.fromkeys(WHOLE.values()))}"
    )
    terminal.write_line("`make test-all` runs all of them; .ci/run installs what they need and runs it")


def count_skipped(skipped: Iterable[pytest.TestReport]) -> dict[str, int]:
    """Return how many tests were skipped, by reason."""
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    return dict(Counter(str(reason).removeprefix("Skipped: ") for reason in reasons))
