"""Tests of checking one's own notebook: the report is correct, and the check changes nothing."""

import copy
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.course.assignment import Assignment
from autograder.course.cells import tasks
from autograder.course.errors import CourseError
from autograder.course.lesson import find_lessons, wrong_answers
from autograder.exam import words
from autograder.exam.checked_notebook import NotebookReader, PlainNotebook
from autograder.exam.own_tests import own_assignment
from autograder.exam.selfcheck import Checker
from secant.causes import STUB
from tests.support.lessons import copy_lessons, minimal_notebook, save
from tests.support.own_processes import Forks
from tests.support.plain_course import HOMEWORK, PROBLEM, answer, graded, manual, notebook
from tests.support.small_class import answered_notebook, solutions
from tests.support.suites import first_of
from tests.support.warm import warm

ROOT = Path(__file__).resolve().parents[3]
LESSON = "01_what_autograd_does"
ENGINE_LESSON = "10_build_your_own_autograd"


@pytest.fixture(scope="module")
def real_checker() -> Iterator[Checker]:
    """Provide the checker that learners use."""
    with Checker() as new_checker:
        yield new_checker


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    """Provide a checker whose processes start sooner, if the platform can fork."""
    if sys.platform != "linux":
        with Checker() as new_checker:
            yield new_checker
        return
    with warm(["ipywidgets", "matplotlib.pyplot", "networkx", "torch.func"]) as python:
        yield Checker(Forks(python))


@pytest.fixture(autouse=True)
def course_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def correct_answers() -> dict[str, str]:
    return solutions(ROOT, LESSON)


@pytest.mark.costly("a lesson's whole notebook is run, and no cheaper test does so through Check")
@pytest.mark.parametrize("language", ["en", pytest.param("ko", marks=pytest.mark.whole)])
def test_check_of_the_solution_gives_every_point(
    real_checker: Checker, correct_answers: dict[str, str], tmp_path: Path, language: str
) -> None:
    path = save(answered_notebook(ROOT, correct_answers, language, LESSON), tmp_path / f"{LESSON}.ipynb")
    before = path.read_bytes()
    report = real_checker.check(path)
    assert {task.outcome for task in report.tasks} == {"passed"}
    assert report.score == report.max_score == 10
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.whole
def test_check_of_an_unanswered_release_reports_not_attempted(checker: Checker) -> None:
    report = checker.check(ROOT / "release" / "ko" / LESSON / f"{LESSON}.ipynb")
    assert {task.outcome for task in report.tasks} == {"not_attempted"}
    assert "그대로" in report.tasks[0].message


@pytest.mark.whole
@pytest.mark.parametrize(
    ("language", "message"), [("en", "ran into {}, which"), ("ko", "아직 풀지 않은 {}에")]
)
def test_answer_that_calls_a_stub_names_the_unanswered_task(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path, language: str, message: str
) -> None:
    unanswered_task, answered_task = list(correct_answers)[:2]
    answers = {answered_task: f"def {answered_task}(*args):\n    return {unanswered_task}(*args)"}
    report = checker.check(save(answered_notebook(ROOT, answers, language, LESSON), tmp_path / "a.ipynb"))
    tasks_by_id = {task.id: task for task in report.tasks}
    assert (tasks_by_id[unanswered_task].outcome, tasks_by_id[answered_task].outcome) == (
        "not_attempted",
        "wrong",
    )
    assert message.format(unanswered_task) in tasks_by_id[answered_task].message
    assert f"answer {unanswered_task}" in tasks_by_id[answered_task].message


@pytest.mark.costly("a whole notebook is checked, and each untouched task in it")
def test_answer_with_its_placeholder_left_is_not_attempted(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    """Check that an unfinished answer counts as not attempted, as in the test cell, not as a wrong try."""
    first = next(iter(correct_answers))
    unfinished = f'def {first}(*args):\n    a = 1  # to do\n    raise NotImplementedError("{STUB}")'
    report = checker.check(
        save(answered_notebook(ROOT, {first: unfinished}, "en", LESSON), tmp_path / "a.ipynb")
    )
    assert (report.tasks[0].id, report.tasks[0].outcome) == (first, "not_attempted")
    assert "Not done yet" in report.tasks[0].message


def test_half_finished_answer_names_the_unwritten_method(checker: Checker, tmp_path: Path) -> None:
    unfinished = """class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        raise NotImplementedError("Write your answer here / 여기에 답을 쓰세요")"""
    notebook = answered_notebook(ROOT, {"value_add_mul": unfinished}, "en", ENGINE_LESSON)
    first_task, *other_tasks = checker.check(save(minimal_notebook(notebook), tmp_path / "a.ipynb")).tasks
    assert first_task.outcome == "wrong"
    assert "ran into __mul__, which is not done yet" in first_task.message
    assert {task.outcome for task in other_tasks} == {"not_attempted"}


def test_wrong_answer_gets_its_recorded_hint(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    (lesson,) = [lesson for lesson in find_lessons(ROOT) if lesson.name == LESSON]
    wrong_answer = wrong_answers(lesson)[0]
    path = save(
        answered_notebook(ROOT, correct_answers | {wrong_answer.task: wrong_answer.source}, "ko", LESSON),
        tmp_path / "a.ipynb",
    )
    report = checker.check(path)
    failed_tasks = [task for task in report.tasks if task.outcome != "passed"]
    assert [task.id for task in failed_tasks] == [wrong_answer.task]
    assert wrong_answer.hint["ko"] in failed_tasks[0].message


@pytest.mark.whole
@pytest.mark.parametrize("name", [f"{LESSON} (1).ipynb", "homework.ipynb", f"{LESSON}.ipynb.txt"])
def test_check_recognises_a_lesson_by_its_cells(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path, name: str
) -> None:
    assert (
        checker.check(save(answered_notebook(ROOT, correct_answers, lesson=LESSON), tmp_path / name)).score
        == 10
    )


def test_check_recognises_a_lesson_by_its_file_name(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    notebook = answered_notebook(ROOT, correct_answers, lesson=LESSON)
    for cell in notebook.cells:
        cell.metadata.clear()
    assert checker.check(save(notebook, tmp_path / f"{LESSON}-Copy1.ipynb")).score == 10


def test_check_follows_a_link_to_the_users_notebook(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    path = save(answered_notebook(ROOT, correct_answers, lesson=LESSON), tmp_path / "a.ipynb")
    (tmp_path / "b.ipynb").symlink_to(path)
    assert checker.check(tmp_path / "b.ipynb").score == 10


def test_endless_or_crashing_answer_costs_only_its_own_task(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.exam.examiner.QUESTION_SECONDS", 1.0)
    answers = dict(correct_answers)
    first, second = list(correct_answers)[:2]
    answers[first] = f"def {first}(*args):\n    while True:\n        pass"
    answers[second] = f"def {second}(*args):\n    import os\n    os._exit(0)"
    report = checker.check(save(answered_notebook(ROOT, answers, lesson=LESSON), tmp_path / "a.ipynb"))
    outcomes = {task.id: task.outcome for task in report.tasks}
    assert outcomes[first] == "timed_out"
    assert outcomes[second] == "crashed"
    assert {outcomes[task] for task in list(correct_answers)[2:]} == {"passed"}


def test_check_refuses_files_that_are_no_notebook_of_the_course(
    checker: Checker, tmp_path: Path, correct_answers: dict[str, str]
) -> None:
    with pytest.raises(CourseError, match="There is no"):
        checker.check(tmp_path / "missing.ipynb")
    with pytest.raises(CourseError, match="not a file"):
        checker.check(tmp_path)
    for name in ("text.txt", "other.ipynb"):
        (tmp_path / name).write_text(nbformat.writes(nbformat.v4.new_notebook()))
        with pytest.raises(CourseError, match="not a notebook of the course"):
            checker.check(tmp_path / name)
    truncated = tmp_path / f"{LESSON}.ipynb"
    truncated.write_text(nbformat.writes(answered_notebook(ROOT, correct_answers, lesson=LESSON))[:5000])
    with pytest.raises(CourseError, match="cut short"):
        checker.check(truncated)


def test_check_says_what_a_file_is_that_is_no_notebook(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data, message in (
        (f"{LESSON}.ipynb", b"<!DOCTYPE html><html>", "It is a web page (HTML)"),
        (f"{LESSON}.pdf", b"%PDF-1.7", "It is a PDF. Choose the notebook itself"),
        ("homework.py", b"import torch\n", "It is Python code as text."),
        (f"{LESSON}.ipynb.url", b"[InternetShortcut]\r\nURL=https://x\r\n", "It is a shortcut"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CourseError, match=re.escape(message)):
            checker.check(tmp_path / name)


@pytest.mark.parametrize("name", ["homework", LESSON])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty. Save the notebook and check again."),
        ("hello", "is plain text"),
        ('{"cells": [', "damaged"),
    ],
)
def test_damaged_notebook_is_reported_as_damaged_whatever_its_name(
    checker: Checker, tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / f"{name}.ipynb"
    path.write_text(content)
    with pytest.raises(CourseError, match=message):
        checker.check(path)


def test_course_is_found_from_the_notebook_first(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    for folder in ("course", "source", "release"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    source = tmp_path / "source" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(source, as_version=4)
    edited_notebook = copy.deepcopy(notebook)
    for cell in edited_notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader.points = 7
    nbformat.write(edited_notebook, source)
    (tmp_path / "workspace").mkdir()
    path = save(answered_notebook(ROOT, correct_answers, lesson=LESSON), tmp_path / "workspace" / "a.ipynb")
    assert checker.check(path).max_score == 42


def test_check_outside_a_course_uses_the_course_next_to_the_package(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(answered_notebook(ROOT, correct_answers, lesson=LESSON), tmp_path / "a.ipynb")
    monkeypatch.chdir(tmp_path)
    assert checker.check(path).score == 10  # graded by the course next to the package
    monkeypatch.setattr("secant.__file__", str(tmp_path / "site-packages" / "secant" / "__init__.py"))
    report = checker.check(path)  # without a course: graded by the notebook's own tests
    assert report.score == 10
    assert {task.verdict.parts for task in report.tasks} == {words.passed(hidden=False)[1]}


def test_predictions_in_a_notebook_that_is_checked_are_no_progress(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    # For speed, the notebook answers one task only.
    answers = {"hand_derivative": correct_answers["hand_derivative"]}
    notebook, marker = answered_notebook(ROOT, answers, lesson=LESSON), tmp_path / "it ran"
    source = f"""
import secant
question = secant.predict("1 checked", A="a", B="b")
question.buttons.value = "A"
secant.predicted("1 checked", right="B", A="a", B="b")
open({str(marker)!r}, "w").write(question.note.value)
"""
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    assert checker.check(save(notebook, tmp_path / "a.ipynb")).score == 1
    assert "Your choice is A" in marker.read_text()
    progress = Path(os.environ["SECANT_DATA"], "progress.json")
    assert not progress.exists() or "1 checked" not in progress.read_text()


BROKEN_ANSWERS = {
    "SyntaxError": "class Value(Value):\n    def order(self:\n        return []",
    "ZeroDivisionError": "class Value(Value):\n    slope = 1 / 0\n\n    def order(self):\n        return []",
    "RuntimeError": "class Value(Value):\n    def order(self):\n        return []\n\nraise RuntimeError",
}


@pytest.mark.parametrize("language", ["en", pytest.param("ko", marks=pytest.mark.whole)])
@pytest.mark.parametrize("error", first_of(BROKEN_ANSWERS, 1))
def test_failing_answer_cell_is_reported_despite_an_earlier_definition(
    checker: Checker, tmp_path: Path, error: str, language: str
) -> None:
    """Use lesson 10, in which every task defines the same name."""
    answers = solutions(ROOT, ENGINE_LESSON) | {"value_order": BROKEN_ANSWERS[error]}
    notebook = minimal_notebook(answered_notebook(ROOT, answers, language, ENGINE_LESSON))
    report = checker.check(save(notebook, tmp_path / f"{ENGINE_LESSON}.ipynb"))
    (task,) = [task for task in report.tasks if task.id == "value_order"]
    assert task.outcome == "wrong"
    first, second = task.message.splitlines()[:2]
    assert first.startswith({"en": "Your answer cell stops", "ko": "답을 쓴 셀이 오류로"}[language])
    assert error in second
    assert ("AttributeError" in task.message) == (error == "ZeroDivisionError")
    assert {other.outcome for other in report.tasks if other.id != task.id} <= {"passed", "manual"}


@pytest.mark.whole
def test_endless_answer_cell_is_reported_despite_an_earlier_definition(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.exam.examiner.LOAD_SECONDS", 12.0)
    answers = solutions(ROOT, ENGINE_LESSON) | {"value_order": "import time\ntime.sleep(600)"}
    notebook = minimal_notebook(answered_notebook(ROOT, answers, "en", ENGINE_LESSON))
    report = checker.check(save(notebook, tmp_path / f"{ENGINE_LESSON}.ipynb"))
    (task,) = [task for task in report.tasks if task.id == "value_order"]
    assert task.outcome == "timed_out"
    assert "at answer value_order: took longer than 12 s" in task.message


# --- Notebooks whose tests are not ours ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hw1", LESSON])
@pytest.mark.parametrize("ordinary_notebook", [HOMEWORK, PROBLEM], ids=["own ids", "our ids"])
def test_notebook_with_ordinary_tests_is_refused_in_a_sentence(
    checker: Checker, tmp_path: Path, ordinary_notebook: nbformat.NotebookNode, name: str
) -> None:
    path = save(ordinary_notebook, tmp_path / f"{name}.ipynb")
    with pytest.raises(PlainNotebook, match="assignment of your course's own, with ordinary nbgrader tests"):
        checker.check(path)


def test_ordinary_test_of_a_lessons_task_is_not_judged_by_the_lesson(
    checker: Checker, correct_answers: dict[str, str], tmp_path: Path
) -> None:
    name = next(iter(correct_answers))
    ordinary_notebook = notebook(
        answer(name, correct_answers[name]), graded(f"test_{name}", f"assert {name}")
    )
    with pytest.raises(PlainNotebook):
        checker.check(save(ordinary_notebook, tmp_path / "hw1.ipynb"))


def test_notebook_that_only_a_person_grades_is_refused_in_a_sentence(
    checker: Checker, tmp_path: Path
) -> None:
    path = save(notebook(manual("why", "Because")), tmp_path / "hw1.ipynb")
    with pytest.raises(PlainNotebook):
        checker.check(path)


def test_check_of_a_lesson_skips_ordinary_nbgrader_tests(
    correct_answers: dict[str, str], tmp_path: Path
) -> None:
    mixed_notebook = answered_notebook(ROOT, correct_answers, "en", LESSON)
    mixed_notebook.cells += PROBLEM.cells
    assignment = own_assignment(save(mixed_notebook, tmp_path / "mixed.ipynb"))
    assert isinstance(assignment, Assignment)
    task_ids = {task.id for task in tasks(assignment.source)}
    assert "squares" not in task_ids
    assert set(correct_answers) >= task_ids > set()


def test_assignment_in_a_lessons_place_disturbs_no_check_of_a_lesson(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_lessons([find_lessons(ROOT)[0]], tmp_path)
    for folder in ("course/50_numpy", "source/50_numpy", "release/en/50_numpy"):
        (tmp_path / folder).mkdir()
        save(HOMEWORK, tmp_path / folder / "50_numpy.ipynb")
    monkeypatch.chdir(tmp_path)
    notebook = NotebookReader().read(tmp_path / "release/en" / LESSON / f"{LESSON}.ipynb")
    assert (notebook.root, notebook.assignment.lesson) == (tmp_path, LESSON)
    with pytest.raises(PlainNotebook):
        NotebookReader().read(tmp_path / "release/en/50_numpy/50_numpy.ipynb")
