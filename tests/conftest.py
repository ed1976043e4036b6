"""What several test folders share: where the repository is, and a small course to play with."""

import shutil
from pathlib import Path

import pytest

from autograder.course.lesson import Lesson, find_lessons

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root, which is a course directory."""
    return ROOT


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course directory of its own with the small lesson of tests/fixtures, not built yet."""
    shutil.copytree(ROOT / "tests" / "fixtures" / "course", tmp_path / "course")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


@pytest.fixture
def steps(course: Path) -> Lesson:
    """The small lesson."""
    return find_lessons(course)[0]
