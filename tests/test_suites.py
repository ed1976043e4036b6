"""Tests of the quick suite's rules: the cost of a test, and the settings that it may not leave changed."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from secant import language
from tests.support import suites
from tests.support.costs import BUSY, COSTLY, QUICK_BOUND, Costs, Meter, tree_seconds
from tests.support.leftovers import changes, restore_settings, settings
from tests.support.lessons import ROOT

BURN = """
def burn(seconds):
    import time
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
"""


def burn(seconds: float) -> None:
    deadline = time.process_time() + seconds
    while time.process_time() < deadline:
        pass


def test_time_of_a_child_counts_while_it_runs_and_after_it_ended() -> None:
    before = tree_seconds()
    code = BURN + "burn(0.3); print('burnt', flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"burnt\n"
    assert tree_seconds() - before > 0.25
    child.communicate(b"\n")
    assert tree_seconds() - before > 0.25


def test_a_test_that_replaces_what_opens_files_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError

    for target, name in (
        (Path, "open"),
        (Path, "read_text"),
        (os, "scandir"),
        (os, "listdir"),
        (os, "times"),
    ):
        monkeypatch.setattr(target, name, refuse)
    monkeypatch.setattr("builtins.open", refuse)
    assert tree_seconds() > 0


def test_time_spent_waiting_is_not_counted_as_processor_time() -> None:
    before = tree_seconds()
    time.sleep(0.3)
    assert tree_seconds() - before < 0.2


def test_shared_fixture_is_counted_separately_and_once() -> None:
    meter = Meter()
    meter.begin()
    with meter.shared_fixture(), meter.shared_fixture():
        burn(0.3)
    burn(0.1)
    own, shared = meter.end_phase()
    assert 0.05 < own < 0.25 < shared < 0.5
    burn(0.1)
    own, shared = meter.end_phase()
    assert 0.05 < own < 0.25
    assert shared == 0


def test_costly_test_without_a_reason_is_reported() -> None:
    costs = Costs()
    costs.add("tests/a.py::test_cheap", COSTLY / 2, 10 * COSTLY, "")
    costs.add("tests/a.py::test_costly", COSTLY, 0, "")
    costs.add("tests/a.py::test_costly", COSTLY, 0, "")
    costs.add("tests/b.py::test_explained", 2 * COSTLY, 0, "a reason")
    (problem,) = costs.problems()
    assert problem.startswith("tests/a.py::test_costly took ")
    assert costs.costliest()[0][0] == "tests/a.py"


def test_a_quick_suite_above_its_bound_is_refused() -> None:
    costs = Costs()
    costs.add("tests/a.py::test_one", 0, BUSY * QUICK_BOUND, "")
    assert not costs.problems()
    costs.add("tests/a.py::test_one", 0.1, 0, "")
    assert "the quick suite took" in costs.problems()[0]


@pytest.mark.whole
@pytest.mark.parametrize("workers", [suites.case("0", quick=False), suites.case("1", quick=True)])
def test_run_with_a_costly_test_without_a_reason_fails(tmp_path: Path, workers: str) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.support import costs\ncosts.COSTLY = 0.2\n"
        'def pytest_configure(config): config.pluginmanager.register(costs, "costs")\n'
    )
    tests = "def test_cheap(): pass\ndef test_costly(): burn(0.4)\n"
    (tmp_path / "test_two.py").write_text(BURN + tests)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "2 passed" in result.stdout
    assert "FAILED test_two.py::test_costly took 0." in result.stdout
    assert "test_cheap" not in result.stdout


def test_each_setting_that_a_test_leaves_changed_is_reported_and_restored(tmp_path: Path) -> None:
    before = settings()
    os.environ["SECANT_TEST_LEFT"] = "1"
    os.chdir(tmp_path)
    sys.path.append("left")
    os.umask(before["the umask"] ^ 0o7)
    language("ko" if language() == "en" else "en")
    names = [line.partition(":")[0] for line in changes(before, settings())]
    assert names == ["os.environ", "the working directory", "sys.path", "the umask", "secant.language()"]
    restore_settings(before)
    assert not changes(before, settings())


@pytest.mark.parametrize("path", suites.WHOLE)
def test_each_path_listed_for_the_whole_suite_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_each_file_that_builds_a_wall_is_left_out_where_no_wall_works() -> None:
    files = (path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))
    builders = [path for path in files if re.search(r"\bWall\(|\bplain_wall\b", path.read_text("utf-8"))]
    names = [path.relative_to(ROOT).as_posix() for path in builders]
    assert names
    assert not [name for name in names if not name.startswith(suites.BEHIND_THE_WALL)]
