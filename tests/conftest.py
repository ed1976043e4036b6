"""Fixtures for several test folders, and hooks that choose which tests run and in which order."""

import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from xdist.scheduler import LoadScopeScheduling

from autograder.course.lesson import Lesson, find_lessons
from autograder.sandbox.wall import Wall
from autograder.workers import worker
from secant import language
from tests.support import costs, suites
from tests.support.leftovers import changes, restore_settings, settings
from tests.support.suites import is_whole, runs_whole
from tests.support.warm import warm, write_kernel

ROOT = Path(__file__).resolve().parent.parent

# A pattern for a lesson's name in a test's id.
_LESSON = re.compile(r"\d\d_\w+")
#: Modules to import in advance, for nbgrader, kernels and lessons. None of them belongs to this repository.
_IMPORTS = [
    "nbgrader.apps.nbgraderapp",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipywidgets",
    "matplotlib.pyplot",
    "networkx",
    "torch.func",
    "torch._decomp.decompositions_for_jvp",  # imported by a process's first jvp or jacrev
    "torch._dynamo",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run the whole suite, not the quick one alone")
    parser.addoption(
        "--whole-alone", action="store_true", help="run what the whole suite adds to the quick one"
    )
    parser.addoption("--deep", action="store_true", help="run also what repeats in depth")
    parser.addoption("--lesson", type=int, metavar="N", help="run the tests of this lesson's own alone")


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins that measure the cost of tests and report which tests were left out."""
    config.pluginmanager.register(costs, "costs")
    config.pluginmanager.register(suites, "suites")


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Add a worker to xdist's number in a whole run, in which tests often wait for browsers and servers."""
    workers = yield
    return workers + 1 if runs_whole(config) and config.getoption("--lesson") is None else workers


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that the options do not ask for, and run the slowest ones first."""
    number = config.getoption("--lesson")
    deep = config.getoption("--deep")
    whole, alone = runs_whole(config), config.getoption("--whole-alone")
    selected: list[pytest.Item] = []
    deselected: list[pytest.Item] = []
    for item in items:
        is_selected = (
            (deep or not item.get_closest_marker("deep"))
            and (is_whole(item) if alone else whole or not is_whole(item))
            and _matches_lesson(number, item)
        )
        (selected if is_selected else deselected).append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = sorted(selected, key=lambda item: not any(map(item.get_closest_marker, ("browser", "slow"))))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, to save a tenth of the run's time."""
    gc.collect()
    gc.freeze()


class _FileScheduling(LoadScopeScheduling):
    """A scheduler for pytest-xdist that, with a few exceptions, gives all tests of a file to one worker.

    The tests of a file share fixtures that are costly to make.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        if path.startswith("tests/browser/"):
            return "one browser, one server of each language"
        if path == "tests/course/test_answers.py" and (lesson := _LESSON.search(nodeid)):
            # This file takes longest. Its lessons share no fixtures, so they may go to different workers.
            return f"{path}, {lesson[0]}"
        return nodeid if path.startswith("tests/stock/") else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _FileScheduling:
    return _FileScheduling(config, log)


def _matches_lesson(number: int | None, item: pytest.Item) -> bool:
    if number is None:
        return True
    lesson = (
        item.callspec.params.get("lesson")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else None
    )
    return isinstance(lesson, Lesson) and lesson.root == ROOT and int(lesson.name[:2]) == number


@pytest.fixture(scope="session", autouse=True)
def separate_progress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the servers and kernels that they start, from changing the developer's own progress."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECANT_DATA", str(tmp_path_factory.mktemp("progress")))
        yield


@pytest.fixture(scope="session", autouse=True)
def single_thread() -> None:
    """Limit torch to one thread, because more threads of parallel tests would only wait for each other."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def restored_paths(unchanged_settings: None) -> Iterator[None]:
    """Restore PATH and sys.path after a test, because nbgrader and a course's settings file extend them."""
    path, module_path = os.environ.get("PATH", os.defpath), sys.path.copy()
    yield
    os.environ["PATH"] = path
    sys.path[:] = module_path


@pytest.fixture(autouse=True)
def unchanged_settings(single_thread: None, separate_progress: None) -> Iterator[None]:
    """Fail a test that leaves a setting of the process changed.

    Only the two session fixtures that this fixture requests are set up before it, so changes by all other
    fixtures count, too.
    """
    before = settings()
    yield
    differences = changes(before, settings())
    if differences:
        restore_settings(before)
        pytest.fail("the test leaves behind " + "; ".join(differences), pytrace=False)


@pytest.fixture(params=["en", pytest.param("ko", marks=pytest.mark.whole)])
def both_languages(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test once in each language, yield that language, and restore the previous one at the end."""
    before = language()
    language(request.param)
    yield request.param
    language(before)


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Return whether tests should repeat in depth what quicker tests have shown (the option --deep)."""
    return bool(pytestconfig.getoption("--deep"))


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root, which is also a course directory."""
    return ROOT


@pytest.fixture(scope="session")
def python() -> Iterator[list[str]]:
    """Yield a command that replaces `python -m`; on Linux, it forks a process that imported `_IMPORTS`."""
    if sys.platform != "linux":
        yield [sys.executable, "-m"]
        return
    with warm(_IMPORTS) as command:
        yield command


@pytest.fixture(scope="session")
def plain_wall() -> Wall:
    """Return a wall that hides no course files, like the one of `small_class.InProcessWorkers`."""
    wall: Wall = worker._wall(())
    return wall


@pytest.fixture(scope="module")
def quick_kernels(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start the kernels of a test module as forks of one process, which has imported `_IMPORTS`."""
    folder = tmp_path_factory.mktemp("kernels")
    write_kernel(folder, python)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))
        yield


@pytest.fixture(scope="session")
def gradebook(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an empty gradebook, made once per session: nbgrader takes seconds to make it."""
    folder = tmp_path_factory.mktemp("gradebook")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    subprocess.run(
        [*python, "nbgrader", "db", "assignment", "list"], cwd=folder, check=True, capture_output=True
    )
    return folder / "gradebook.db"


@pytest.fixture(scope="session")
def built_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course directory in which the small lesson is built; tests change only copies of it."""
    from tests.support.small_class import build_course  # importing nbgrader takes each worker 0.7 s

    root = tmp_path_factory.mktemp("course")
    build_course(root)
    return root


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a fresh course directory with the small lesson of tests/fixtures, not yet built."""
    ignore_compiled = shutil.ignore_patterns("__pycache__")  # `make test` compiles the fixtures
    shutil.copytree(ROOT / "tests" / "fixtures" / "course", tmp_path / "course", ignore=ignore_compiled)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


@pytest.fixture
def steps(course: Path) -> Lesson:
    """Return the small lesson of the fixture `course`."""
    return find_lessons(course)[0]
