"""Tests that a number, folder or file name given by a learner leads to the right notebook."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.errors import CourseError
from autograder.course.find import find_notebook
from secant import language

NAME = "03_backward_and_grad"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in (NAME, "04_branches"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.ipynb").write_text("{}")
    (tmp_path / NAME / f"{NAME} (new 2026-01-01).ipynb").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("argument", ["3", "03", NAME, f"{NAME}/{NAME}.ipynb"])
def test_a_lesson_is_found_from_the_workspace(workspace: Path, argument: str) -> None:
    assert find_notebook(argument, workspace).name == f"{NAME}.ipynb"


@pytest.mark.parametrize("argument", [".", "3", f"{NAME}.ipynb"])
def test_a_lesson_is_found_from_its_own_folder(workspace: Path, argument: str) -> None:
    assert find_notebook(argument, workspace / NAME).name == f"{NAME}.ipynb"


def test_a_notebook_of_another_name_is_found_if_it_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text("{}")
    assert find_notebook(".", tmp_path).name == "mine.ipynb"


@pytest.mark.parametrize(
    ("argument", "message"),
    [(".", "There is no notebook in"), ("7", "no folder of lesson 7"), ("nowhere", "There is no nowhere")],
)
def test_argument_that_names_no_notebook_is_refused_in_a_sentence(
    workspace: Path, argument: str, message: str
) -> None:
    with pytest.raises(CourseError, match=message):
        find_notebook(argument, workspace)


def test_ambiguous_notebooks_are_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"a\.ipynb, b\.ipynb"):
        find_notebook(".", tmp_path)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (".", "노트북이 없습니다.*autograder check 3"),
        ("7", "수업 7 폴더가 없습니다.*autograder check 폴더"),
        ("nowhere", "nowhere"),
        (NAME, r"노트북이 여러 개 있습니다.*a\.ipynb, b\.ipynb"),
    ],
)
def test_notebook_not_found_is_explained_in_korean_with_a_remedy(
    workspace: Path, korean_language: None, argument: str, message: str
) -> None:
    for name in ("a", "b"):
        (workspace / NAME / f"{name}.ipynb").write_text("{}")
    (workspace / NAME / f"{NAME}.ipynb").unlink()
    with pytest.raises(CourseError, match=message) as error:
        find_notebook(argument, workspace)
    assert "There" not in str(error.value)
    assert str(workspace) in str(error.value) or argument == "nowhere"


def test_lesson_not_found_names_the_folder_searched(workspace: Path) -> None:
    with pytest.raises(CourseError, match=f"in {workspace}.*autograder check FOLDER"):
        find_notebook("7", workspace)


@pytest.fixture
def korean_language() -> Iterator[None]:
    language("ko")
    yield
    language("en")
