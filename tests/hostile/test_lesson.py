"""The most important tricks, against lesson 1 as students get it: a test of its tests, not of the wall."""

import copy
import json
from pathlib import Path

import pytest
from nbformat import v4

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.cells import grade_id, is_answer, tasks
from autograder.exam.examiner import Examiner
from autograder.exam.report import Report
from autograder.intake.take_in import take_in
from autograder.sandbox.wall import Wall
from tests.hostile.cases import load_all
from tests.hostile.world import REPOSITORY, World
from tests.support.examined import examine_submission

LESSON = "01_what_autograd_does"
#: Cases whose cell breaks functions that compare values, run cells, or look for side effects.
SPOILERS = ("A01", "A02", "A06", "A09", "A10", "A14", "A62", "X50")
ODD = {
    "long text": "'y' * 10**6",
    "a steering text": "'\\x1b[2J\\u202epassed'",
    "a long number": "10**1200",
    "not a number": "float('nan')",
    "infinity": "float('inf')",
    "a large tensor": "__import__('torch').zeros(10**7)",
    "a dict": "{n: 'z' * 900 for n in range(900)}",
    "a deep list": "eval('[' * 30 + ']' * 30)",
    "no data": "object()",
}


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return read_assignment(REPOSITORY, LESSON)


@pytest.fixture(scope="module")
def wall(plain_wall: Wall) -> Wall:
    return plain_wall


def grade_answers(
    assignment: Assignment, wall: Wall, folder: Path, answers: dict[str, str], first: str = ""
) -> Report:
    """Grade lesson 1 with these answers, and with an additional cell before them (`first`)."""
    notebook = copy.deepcopy(assignment.releases["en"])
    for cell in filter(is_answer, notebook.cells):
        cell.source = answers[grade_id(cell)]
    notebook.cells.insert(3, v4.new_code_cell(first, id="first"))
    path = folder / f"{LESSON}.ipynb"
    path.write_text(v4.writes(notebook))
    return examine_submission(
        Examiner(LESSON, assignment.source), wall, take_in(path, LESSON, assignment.releases), b"of the class"
    )


def constant_answers(assignment: Assignment, value: str) -> dict[str, str]:
    """Return answers to all tasks: functions that take any arguments and return this value."""
    return {task.id: f"def {task.id}(*args):\n    return {value}" for task in tasks(assignment.source)}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_an_odd_value_is_a_wrong_answer_with_a_short_plain_message(
    assignment: Assignment, wall: Wall, tmp_path: Path, value: str
) -> None:
    report = grade_answers(assignment, wall, tmp_path, constant_answers(assignment, value))
    assert report.score == 0
    for task in report.tasks:
        assert task.outcome == "wrong"
        assert len(task.message) <= 4_000
        assert not [c for c in task.message if not c.isprintable() and c != "\n"]


@pytest.mark.parametrize("id", SPOILERS)
def test_answer_that_corrupts_its_process_gets_no_points(
    assignment: Assignment, wall: Wall, tmp_path: Path, id: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = World.create(tmp_path_factory.mktemp("world"), bait=False)
    submission = load_all()[id].make(world, {})
    cells = json.loads(json.dumps(submission))["cells"]
    trick = next("".join(cell["source"]) for cell in cells if cell.get("id") == "first-0")
    assert grade_answers(assignment, wall, tmp_path, constant_answers(assignment, "0.0"), trick).score == 0


def test_lessons_own_answers_get_full_points(assignment: Assignment, wall: Wall, tmp_path: Path) -> None:
    answers = {task.id: task.answer.source for task in tasks(assignment.source)}
    report = grade_answers(assignment, wall, tmp_path, answers)
    assert report.score == report.max_score
