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
from tests.support.settings import preserved_settings  # noqa: F401


@pytest.fixture
def empty_course(tmp_path: Path) -> Path:
    (tmp_path / "course").mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


def read_tasks(lesson: Lesson) -> dict[str, Task]:
    notebook = read_lesson(lesson)
    notebook.metadata["secant"] = {"hints": read_hints(lesson.folder)}
    return {task.id: task for task in tasks(with_hints(notebook))}


def check_answer(task: Task, answer: str) -> str:
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec("import torch\n" + answer, namespace)
    try:
        assert task.test is not None
        exec(task.test.source, namespace)
    except check.CheckFailed as failure:
        return str(failure)
    return ""


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_new_lesson_builds_and_its_answers_get_their_verdicts(empty_course: Path, lang: str) -> None:
    lesson = new_lesson(empty_course, "11_three_times")
    assert len(build(empty_course, [lesson]).written) == 3
    tasks_by_id = read_tasks(lesson)
    language(lang)
    assert len(tasks_by_id) == 2
    assert not [name for name, task in tasks_by_id.items() if check_answer(task, task.answer.source)]
    assert not [
        answer for answer in right_answers(lesson) if check_answer(tasks_by_id[answer.task], answer.source)
    ]

    def shows_hint(answer: Answer) -> bool:
        return answer.hint[lang] in check_answer(tasks_by_id[answer.task], answer.source)

    answers = wrong_answers(lesson)
    assert len(answers) == 6
    assert all(shows_hint(answer) for answer in answers)


def test_new_lesson_template_is_short(empty_course: Path) -> None:
    lesson = new_lesson(empty_course, "11_three_times")
    assert len(lesson.text.read_text(encoding="utf-8").splitlines()) < 260


def test_new_lesson_command_overwrites_no_existing_lesson(empty_course: Path) -> None:
    new_lesson(empty_course, "11_three_times")
    with pytest.raises(CourseError, match="Lesson 11 exists already"):
        new_lesson(empty_course, "11_other")
    with pytest.raises(CourseError, match="for example, 11_my_lesson"):
        new_lesson(empty_course, "../12_other")
    assert [path.name for path in (empty_course / "course").iterdir()] == ["11_three_times"]


def test_a_lesson_is_built_again_when_it_is_saved(empty_course: Path) -> None:
    lesson = new_lesson(empty_course, "11_three_times")
    builds = preview(empty_course, lesson)
    assert len(next(builds).written) == 3
    lesson.text.write_text(lesson.text.read_text("utf-8").replace(" · {{points}}", " · 2 points"), "utf-8")
    (rebuild,) = islice(builds, 1)
    assert not rebuild.written
    assert any("write {{points}} there" in problem for problem in rebuild.problems)
