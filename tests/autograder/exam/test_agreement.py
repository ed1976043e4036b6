"""The two ways of grading agree: the examiner's, by questions, and stock nbgrader's, in one namespace."""

import ast
import warnings
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
import torch
from nbformat import v4

from autograder.course.assignment import built_lessons, read_assignment
from autograder.course.cells import Task, grade_id, tasks
from autograder.course.lesson import Answer, Lesson, find_lessons, read_lesson, right_answers, wrong_answers
from autograder.exam.examiner import Examiner
from autograder.exam.pool import WarmPool
from autograder.intake.submission import Submission
from autograder.intake.take_in import take_in
from autograder.sandbox.client import Candidates
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.wall import Wall
from secant import check, language
from tests.support.examined import examined
from tests.support.small_class import answered

ROOT = Path(__file__).resolve().parents[3]
LESSONS = [lesson for lesson in find_lessons(ROOT) if lesson.name in built_lessons(ROOT)]

# The k-th answer to each task, all in one notebook; None stands for the solution.
Round = dict[str, Answer | None]


def rounds(lesson: Lesson, answers: list[Answer]) -> list[Round]:
    asked = graded(lesson)
    kept = [[answer for answer in answers if answer.task == task.id] for task in asked]
    return [dict(zip([task.id for task in asked], some, strict=True)) for some in zip_longest(*kept)]


def graded(lesson: Lesson) -> list[Task]:
    return [task for task in tasks(read_lesson(lesson)) if task.test is not None]


def cases() -> Iterator[tuple[Lesson, str, Round]]:
    for lesson in LESSONS:
        yield lesson, "solution", {}
        for kind, answers in (("right", right_answers(lesson)), ("wrong", wrong_answers(lesson))):
            for number, chosen in enumerate(rounds(lesson, answers), 1):
                yield lesson, f"{kind}-{number}", chosen


CASES = list(cases())
NAMES = [f"{lesson.name}-{name}" for lesson, name, _ in CASES]


@pytest.fixture(scope="module")
def wall() -> Iterator[Candidates]:
    try:
        with Wall() as made:
            yield made
    except WallUnavailable:
        from autograder.exam.selfcheck import OwnProcesses

        waiting = WarmPool()
        yield OwnProcesses(waiting)
        waiting.close()


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = language()
    yield
    language(before)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)


def submission(lesson: Lesson, answers: dict[str, str], tongue: str, folder: Path) -> Submission:
    """Only the answers, for speed: the lesson's other cells draw pictures."""
    notebook = answered(ROOT, answers, tongue, lesson.name)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell)]
    notebook.metadata["lang"] = tongue
    path = folder / f"{lesson.name}.ipynb"
    path.write_text(v4.writes(notebook), encoding="utf-8")
    taken = take_in(path, lesson.name, read_assignment(ROOT, lesson.name).releases)
    assert isinstance(taken, Submission)
    assert taken.language == tongue
    return taken


def stock(lesson: Lesson, answer: str, task: Task) -> bool:
    """Whether a notebook with this answer gets the points from stock nbgrader: no cell raises."""
    code = "\n".join(cell.source for cell in read_lesson(lesson).cells if cell.cell_type == "code")
    imports = [node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names: dict[str, object] = {"__name__": "__main__"}
    assert task.test is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.unparse(ast.Module(imports, [])), "imports", "exec"), names)
            exec(compile(answer, "answer", "exec"), names)
            exec(compile(task.test.source, "test", "exec"), names)
        except Exception:
            return False
    return True


@pytest.mark.parametrize("tongue", ["en", "ko"])
@pytest.mark.parametrize(("lesson", "name", "chosen"), CASES, ids=NAMES)
def test_agreement(wall: Candidates, tmp_path: Path, lesson: Lesson, name: str, chosen: Round, tongue: str) -> None:
    asked = graded(lesson)
    picked = {task.id: chosen.get(task.id) for task in asked}
    answers = {task.id: (picked[task.id] or task.answer).source for task in asked}
    report = examined(Examiner(lesson.name, read_lesson(lesson)), wall, submission(lesson, answers, tongue, tmp_path))
    found = {task.id: task for task in report.tasks if task.outcome != "manual"}
    check.seed(name.encode())
    for task in asked:
        passed = found[task.id].outcome == "passed"
        assert passed == stock(lesson, answers[task.id], task), found[task.id]
        answer = picked[task.id]
        if answer is not None and answer.hint:
            assert not passed
            assert answer.hint[tongue] in found[task.id].message
        else:
            assert passed


@pytest.mark.parametrize("tongue", ["en", "ko"])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_stub_is_not_attempted(wall: Candidates, tmp_path: Path, lesson: Lesson, tongue: str) -> None:
    report = examined(Examiner(lesson.name, read_lesson(lesson)), wall, submission(lesson, {}, tongue, tmp_path))
    assert {task.outcome for task in report.tasks} <= {"not_attempted", "manual"}
