"""Fixtures for tests of grading: a small class, built once because nbgrader is slow."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def built_course(tmp_path_factory: pytest.TempPathFactory, fast_sqlite: None) -> Path:
    """Return the folder of the small course, already built.

    The folder has two gradebooks: an empty one, and one that contains the lesson.
    """
    # These imports are local because most tests need neither nbgrader nor its gradebook.
    from autograder.course.assignment import read_assignment
    from autograder.course.settings import Course
    from autograder.gradebook.book import Book
    from autograder.gradebook.tasks import register
    from tests.support.small_class import EMPTY, STEPS, build_course

    root = tmp_path_factory.mktemp("course")
    build_course(root)
    course = Course.at(root)
    with Book(course.directory, course.config):
        pass
    shutil.copy(root / "gradebook.db", root / EMPTY)
    with Book(course.directory, course.config) as book:
        register(book, read_assignment(root, STEPS))
    return root


@pytest.fixture(scope="session")
def fast_sqlite() -> Iterator[None]:
    """Keep SQLite from waiting for the disk: no test simulates a power cut."""
    from tests.support.gradebooks import without_fsync

    with without_fsync():
        yield


@pytest.fixture
def course_root(built_course: Path, tmp_path: Path) -> Path:
    """Return a fresh copy of the small course, without submissions."""
    shutil.copytree(built_course, tmp_path / "class")
    return tmp_path / "class"


@pytest.fixture
def correct_answers(course_root: Path) -> dict[str, str]:
    from tests.support.small_class import solutions

    return solutions(course_root)


@pytest.fixture
def home(course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home folder of the student Ann, set up for nbgrader's exchange in a folder next to it."""
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o1777)
    (course_root / "nbgrader_config_local.py").write_text(
        f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\n"
    )
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "jupyter"))
    home = tmp_path / "ann"
    home.mkdir()
    settings = (
        f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\nc.Exchange.cache = {str(home / 'cache')!r}\n"
    )
    settings += "c.CourseDirectory.course_id = 'secant'\nc.CourseDirectory.student_id = 'ann'\n"
    (home / "nbgrader_config.py").write_text(settings)
    return home
