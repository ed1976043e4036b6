"""Tests that an assignment that is not a lesson is released exactly as stock nbgrader releases it."""

import shutil
from pathlib import Path

import nbformat
import pytest
from traitlets.config import Config

from autograder.build import builder
from autograder.build.lesson_step import MarkLesson, is_lesson
from autograder.course.assignment import NotBuilt, read_assignment
from autograder.course.errors import CourseError
from autograder.course.lesson import choose_lessons, find_lessons
from autograder.course.plain import is_plain
from autograder.course.settings import load_config
from tests.support.lessons import LESSONS, ROOT, copy_lessons
from tests.support.plain_course import HOMEWORK, PROBLEM, in_format_4_0, release_files, write_assignment

FIRST = LESSONS[0]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a course with our settings, one lesson and two of the instructor's own assignments."""
    copy_lessons([FIRST], tmp_path)
    write_assignment(tmp_path / "source", "hw1", {"hw1": HOMEWORK})
    notebooks = {"problem1": in_format_4_0(HOMEWORK), "problem2": PROBLEM}
    write_assignment(tmp_path / "source", "ps1", notebooks)
    (tmp_path / "source/ps1/data.txt").write_text("1 2 3\n")
    return tmp_path


@pytest.mark.parametrize("name", ["hw1", "ps1"])
def test_plain_assignment_is_released_byte_for_byte_as_stock_nbgrader_does(course: Path, name: str) -> None:
    actual = release_files(course, name, load_config(course), "release/en")
    expected = release_files(course, name, Config(), "stock")
    assert actual == expected
    assert len(actual) == (1 if name == "hw1" else 3)


def test_plain_assignment_made_from_a_released_lesson_is_released_as_it_is(course: Path) -> None:
    notebook = nbformat.read(course / "release/en" / FIRST.name / f"{FIRST.name}.ipynb", as_version=4)
    notebook.cells = notebook.cells[:3] + HOMEWORK.cells
    write_assignment(course / "source", "hw2", {"hw2": notebook})
    actual = release_files(course, "hw2", load_config(course), "release/en")
    assert actual == release_files(course, "hw2", Config(), "stock")


def test_class_settings_of_clear_solutions_apply_to_plain_assignments(course: Path) -> None:
    (course / "nbgrader_config_local.py").write_text(
        'c = get_config()\nc.ClearSolutions.code_stub = {"python": "# Yours"}\n'
    )
    (text,) = release_files(course, "hw1", load_config(course), "release/en").values()
    assert b"# Yours" in text
    assert b"NotImplementedError" not in text


def test_lesson_that_was_not_built_is_refused_by_name_at_release_and_at_grading(course: Path) -> None:
    write_assignment(course / "source", "50_numpy", {"50_numpy": HOMEWORK})
    (course / "course/50_numpy").mkdir()
    with pytest.raises(AssertionError, match="50_numpy cannot be released or graded as a lesson"):
        release_files(course, "50_numpy", load_config(course), "release/en")
    write_assignment(course / "release/en", "50_numpy", {"50_numpy": HOMEWORK})
    with pytest.raises(NotBuilt, match="50_numpy cannot be released or graded as a lesson"):
        read_assignment(course, "50_numpy")


def test_built_lesson_whose_tests_were_replaced_is_not_graded_as_a_lesson(course: Path) -> None:
    path = course / "source" / FIRST.name / f"{FIRST.name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells += HOMEWORK.cells
    nbformat.write(notebook, path)
    with pytest.raises(NotBuilt, match=FIRST.name):
        read_assignment(course, FIRST.name)


def test_build_check_lists_no_plain_assignment_and_no_release_of_one(course: Path) -> None:
    release_files(course, "ps1", load_config(course), "release/en")
    assert builder.build(course, find_lessons(course), check=True).stale == []
    shutil.rmtree(course / "source/ps1")
    stale_files = builder.build(course, find_lessons(course), check=True).stale
    assert {str(file.path) for file in stale_files} == {
        f"release/en/ps1/{name}" for name in ("data.txt", "problem1.ipynb", "problem2.ipynb")
    }


def test_choosing_a_plain_assignment_as_a_lesson_names_the_command_for_it(course: Path) -> None:
    with pytest.raises(CourseError, match=r"hw1 is an assignment with ordinary .* `autograder grade hw1`"):
        choose_lessons(find_lessons(course), ["hw1"])
    with pytest.raises(CourseError, match=r"the lessons are: \S+\.$"):
        choose_lessons(find_lessons(course), ["hw9"])


def test_remains_of_a_lesson_are_not_released_as_a_plain_assignment(course: Path) -> None:
    assert is_plain(course, "ps1")
    assert not is_plain(course, FIRST.name)
    shutil.rmtree(course / "course" / FIRST.name)
    assert not is_plain(course, FIRST.name)
    assert not is_plain(course, "../source/ps1")


def test_only_lessons_are_marked_as_lessons_at_release() -> None:
    for path, expected in ((ROOT / "source" / FIRST.name / f"{FIRST.name}.ipynb", True), (None, False)):
        resources: dict[str, object] = {}
        MarkLesson().preprocess(nbformat.read(path, as_version=4) if path else HOMEWORK, resources)
        assert is_lesson(resources) is expected
