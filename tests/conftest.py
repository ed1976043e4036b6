"""What several test folders share: the repository's root, a small course, and which tests run."""

import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
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
from tests.support.leftovers import changes, put_back, settings
from tests.support.suites import is_whole, runs_whole
from tests.support.warm import warm, write_kernel

ROOT = Path(__file__).resolve().parent.parent

# A lesson's name in a test's id.
_LESSON = re.compile(r"\d\d_\w+")
#: What nbgrader, a kernel and a lesson import; nothing of this repository.
_IMPORTS = [
    "nbgrader.apps.nbgraderapp",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipywidgets",
    "matplotlib.pyplot",
    "networkx",
    "torch.func",
    "torch._decomp.decompositions_for_jvp",  # what the first jvp or jacrev of a process imports
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
    """Count what tests cost, and say what was left out."""
    config.pluginmanager.register(costs, "costs")
    config.pluginmanager.register(suites, "suites")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not asked for, and begin with what takes longest."""
    number = config.getoption("--lesson")
    deep = config.getoption("--deep")
    whole, alone = runs_whole(config), config.getoption("--whole-alone")
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        asked_for = (
            (deep or not item.get_closest_marker("deep"))
            and (is_whole(item) if alone else whole or not is_whole(item))
            and _is_of(number, item)
        )
        (kept if asked_for else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = sorted(kept, key=lambda item: not any(map(item.get_closest_marker, ("browser", "slow"))))


def pytest_collection_finish() -> None:
    """What was collected stays: no search for garbage looks through it again, a tenth of the time."""
    gc.collect()
    gc.freeze()


class _Files(LoadScopeScheduling):
    """A file is for one worker, since its tests share what is costly to make; see pytest-xdist's hooks."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        if path.startswith("tests/browser/"):
            return "one browser, one server of each language"
        if path == "tests/course/test_answers.py" and (lesson := _LESSON.search(nodeid)):
            return f"{path}, {lesson[0]}"  # nothing is shared between lessons, and the file is the longest
        return nodeid if path.startswith("tests/stock/") else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Files:
    return _Files(config, log)


def _is_of(number: int | None, item: pytest.Item) -> bool:
    if number is None:
        return True
    lesson = (
        item.callspec.params.get("lesson")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else None
    )
    return isinstance(lesson, Lesson) and lesson.root == ROOT and int(lesson.name[:2]) == number


@pytest.fixture(scope="session", autouse=True)
def progress_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test, and no server or kernel that one starts, writes into the progress of who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECANT_DATA", str(tmp_path_factory.mktemp("progress")))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """The tests that run at once share the processors: torch's threads would spin, waiting for each other."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def paths_kept(leaves_nothing_behind: None) -> Iterator[None]:
    """Give back PATH and sys.path, which nbgrader and a course's settings extend wherever they are read."""
    programs, modules = os.environ.get("PATH", os.defpath), sys.path.copy()
    yield
    os.environ["PATH"] = programs
    sys.path[:] = modules


@pytest.fixture(autouse=True)
def leaves_nothing_behind(one_thread: None, progress_elsewhere: None) -> Iterator[None]:
    """Fail a test that leaves a setting of its process changed; no other fixture of a test comes before."""
    before = settings()
    yield
    left = changes(before, settings())
    if left:
        put_back(before)
        pytest.fail("the test leaves behind " + "; ".join(left), pytrace=False)


@pytest.fixture(params=["en", pytest.param("ko", marks=pytest.mark.whole)])
def both_languages(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test in each language, and go back to the one before."""
    before = language()
    language(request.param)
    yield request.param
    language(before)


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Whether what a quicker test has shown is to be repeated in depth."""
    return bool(pytestconfig.getoption("--deep"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root, which is a course directory."""
    return ROOT


@pytest.fixture(scope="session")
def python() -> Iterator[list[str]]:
    """The words that stand for `python -m`: a fork of a warm process, where the platform has forks."""
    if sys.platform != "linux":
        yield [sys.executable, "-m"]
        return
    with warm(_IMPORTS) as words:
        yield words


@pytest.fixture(scope="session")
def plain_wall() -> Wall:
    """The wall that hides nothing more than every wall does, also that of `small_class.Here`."""
    made: Wall = worker._wall(())
    return made


@pytest.fixture(scope="module")
def quick_kernels(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """While a module runs, the kernels that it starts are such forks."""
    place = tmp_path_factory.mktemp("kernels")
    write_kernel(place, python)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(place))
        yield


@pytest.fixture(scope="session")
def gradebook(python: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook that nbgrader made, which takes it seconds, and that knows no lesson yet."""
    place = tmp_path_factory.mktemp("gradebook")
    shutil.copy(ROOT / "nbgrader_config.py", place)
    subprocess.run(
        [*python, "nbgrader", "db", "assignment", "list"], cwd=place, check=True, capture_output=True
    )
    return place / "gradebook.db"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course directory with the small lesson, built. Tests copy it before they change anything."""
    from tests.support.small_class import build_course  # which imports nbgrader: 0.7 s for each worker

    root = tmp_path_factory.mktemp("course")
    build_course(root)
    return root


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course directory of its own with the small lesson of tests/fixtures, not built yet."""
    compiled = shutil.ignore_patterns("__pycache__")  # `make test` compiles the fixtures, too
    shutil.copytree(ROOT / "tests" / "fixtures" / "course", tmp_path / "course", ignore=compiled)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


@pytest.fixture
def steps(course: Path) -> Lesson:
    """The small lesson."""
    return find_lessons(course)[0]
