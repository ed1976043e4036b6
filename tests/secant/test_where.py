"""Where the course is found."""

from pathlib import Path

import pytest

import secant
from autograder.course.assignment import find_course
from autograder.course.errors import CourseError
from secant import where
from secant.where import NoCourseError, course_root, is_installed


def course(folder: Path) -> Path:
    (folder / "course").mkdir(parents=True)
    (folder / "nbgrader_config.py").touch()
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package, and a current folder that holds nothing."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    place = tmp_path / "python/site-packages/secant"
    monkeypatch.setattr(secant, "__file__", str(place / "__init__.py"))
    return place


def test_the_nearest_one_is_taken(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoCourseError, match="install Secant again"):
        course_root(tmp_path)
    with pytest.raises(CourseError, match="install Secant again"):
        find_course(tmp_path)
    wheels = course(package.parent / where.INSIDE)
    assert course_root(tmp_path) == find_course(tmp_path) == wheels
    assert is_installed(wheels)
    repository = course(package.parent)
    assert course_root(tmp_path) == repository
    assert not is_installed(repository)
    here = course(tmp_path / "class")
    (here / "deep").mkdir()
    monkeypatch.chdir(here / "deep")
    assert course_root(tmp_path) == here
    start = course(tmp_path / "start")
    assert course_root(tmp_path / "nothing", start / "workspace/en") == start
