"""Tests of a new lesson: it is complete and correct from the start, and each save builds it again."""

import shutil
from itertools import islice
from pathlib import Path

import pytest

from autograder.build.builder import build
from autograder.build.new import new_lesson
from autograder.build.preview import preview
from autograder.course.cells import Task, tasks
from autograder.course.errors import CourseError
from autograder.course.hints import with_hints
from autograder.course.lesson import Answer, Lesson, read_lesson, right_answers, wrong_answers
from secant import check, language
from secant.catalogue import read_hints
from tests.support.lessons import ROOT
from tests.support.settings import as_it_was  # noqa: F401


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "course").mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


def questions(lesson: Lesson) -> dict[str, Task]:
    notebook = read_lesson(lesson)
    notebook.metadata["secant"] = {"hints": read_hints(lesson.folder)}
    return {task.id: task for task in tasks(with_hints(notebook))}


def graded(task: Task, answer: str) -> str:
    names: dict[str, object] = {"__name__": "__main__"}
    exec("import torch\n" + answer, names)
    try:
        assert task.test is not None
        exec(task.test.source, names)
    except check.CheckFailed as failure:
        return str(failure)
    return ""


@pytest.mark.parametrize("tongue", ["en", "ko"])
def test_a_new_lesson_builds_and_its_answers_get_their_verdicts(empty: Path, tongue: str) -> None:
    lesson = new_lesson(empty, "11_three_times")
    assert len(build(empty, [lesson]).written) == 3
    asked = questions(lesson)
    language(tongue)
    assert len(asked) == 2
    assert not [name for name, task in asked.items() if graded(task, task.answer.source)]
    assert not [one for one in right_answers(lesson) if graded(asked[one.task], one.source)]

    def told(one: Answer) -> bool:
        return one.hint[tongue] in graded(asked[one.task], one.source)

    wrong = wrong_answers(lesson)
    assert len(wrong) == 6
    assert all(told(one) for one in wrong)


def test_new_lesson_template_is_short(empty: Path) -> None:
    lesson = new_lesson(empty, "11_three_times")
    assert len(lesson.text.read_text(encoding="utf-8").splitlines()) < 260


def test_new_lesson_command_overwrites_no_existing_lesson(empty: Path) -> None:
    new_lesson(empty, "11_three_times")
    with pytest.raises(CourseError, match="Lesson 11 exists already"):
        new_lesson(empty, "11_other")
    with pytest.raises(CourseError, match="for example, 11_my_lesson"):
        new_lesson(empty, "../12_other")
    assert [path.name for path in (empty / "course").iterdir()] == ["11_three_times"]


def test_a_lesson_is_built_again_when_it_is_saved(empty: Path) -> None:
    lesson = new_lesson(empty, "11_three_times")
    turns = preview(empty, lesson)
    assert len(next(turns).written) == 3
    lesson.text.write_text(lesson.text.read_text("utf-8").replace(" · {{points}}", " · 2 points"), "utf-8")
    (turn,) = islice(turns, 1)
    assert not turn.written
    assert any("write {{points}} there" in problem for problem in turn.problems)
