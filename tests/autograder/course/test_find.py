"""Tests of finding the notebook that a learner's argument means."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.errors import CourseError
from autograder.course.find import find_notebook
from secant import language

NAME = "03_backward_and_grad"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in (NAME, "04_branches"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.ipynb").write_text("{}")
    (tmp_path / NAME / f"{NAME} (new 2026-01-01).ipynb").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("word", ["3", "03", NAME, f"{NAME}/{NAME}.ipynb"])
def test_a_lesson_is_found_from_the_workspace(work: Path, word: str) -> None:
    assert find_notebook(word, work).name == f"{NAME}.ipynb"


@pytest.mark.parametrize("word", [".", "3", f"{NAME}.ipynb"])
def test_a_lesson_is_found_from_its_own_folder(work: Path, word: str) -> None:
    assert find_notebook(word, work / NAME).name == f"{NAME}.ipynb"


def test_a_notebook_of_another_name_is_found_if_it_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text("{}")
    assert find_notebook(".", tmp_path).name == "mine.ipynb"


@pytest.mark.parametrize(
    ("word", "said"),
    [(".", "There is no notebook in"), ("7", "no folder of lesson 7"), ("nowhere", "There is no nowhere")],
)
def test_argument_that_names_no_notebook_is_refused_in_a_sentence(work: Path, word: str, said: str) -> None:
    with pytest.raises(CourseError, match=said):
        find_notebook(word, work)


def test_ambiguous_notebooks_are_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"a\.ipynb, b\.ipynb"):
        find_notebook(".", tmp_path)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (".", "노트북이 없습니다.*autograder check 3"),
        ("7", "수업 7 폴더가 없습니다.*autograder check 폴더"),
        ("nowhere", "nowhere"),
        (NAME, r"노트북이 여러 개 있습니다.*a\.ipynb, b\.ipynb"),
    ],
)
def test_notebook_not_found_is_explained_in_korean_with_a_remedy(work: Path, in_korean: None, word: str, said: str) -> None:
    for name in ("a", "b"):
        (work / NAME / f"{name}.ipynb").write_text("{}")
    (work / NAME / f"{NAME}.ipynb").unlink()
    with pytest.raises(CourseError, match=said) as raised:
        find_notebook(word, work)
    assert "There" not in str(raised.value)
    assert str(work) in str(raised.value) or word == "nowhere"


def test_lesson_not_found_names_the_folder_searched(work: Path) -> None:
    with pytest.raises(CourseError, match=f"in {work}.*autograder check FOLDER"):
        find_notebook("7", work)


@pytest.fixture
def in_korean() -> Iterator[None]:
    language("ko")
    yield
    language("en")
