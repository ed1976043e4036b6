"""Conversion of a class's notebooks and tests to otter-grader's exception-based test format."""

import json
import sys
from pathlib import Path

from nbformat import v4

from autograder.course.cells import grade_id, is_answer, is_test
from autograder.course.lesson import Lesson
from tests.support.lessons import assignment, questions, wrong_answers

# The test cell runs in the student's namespace, as under nbgrader.
TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
points = {points!r}
SOURCE = {source!r}


@test_case()
def test(env):
    exec(SOURCE, env)
"""
OTTER = [sys.executable, "-m", "otter"]


def write_otter_tests(folder: Path, lesson: Lesson) -> None:
    """Write the tests for otter-grader and make each submission run them instead of its test cells."""
    (folder / "tests").mkdir()
    for task in questions(lesson):
        assert task.test is not None
        text = TEST.format(name=task.id, points=task.points, source=task.test.source)
        (folder / "tests" / f"{task.id}.py").write_text(text, "utf-8")
    for path in folder.glob("submitted/*/*/*.ipynb"):
        notebook = v4.reads(path.read_text("utf-8"))
        for cell in filter(is_test, notebook.cells):
            cell.source = ""
            cell.metadata.otter = {"tests": [grade_id(cell).removeprefix("test_")]}
        path.write_text(v4.writes(notebook), "utf-8")


def generate_command() -> list[str]:
    """Return the command that makes autograder.zip from the tests."""
    return [*OTTER, "generate", "--no-config", "--no-requirements", "--no-environment"]


def run_commands(folder: Path) -> list[list[str]]:
    """Return the commands that grade the class, one for each submission.

    Without containers, otter-grader has no command that grades a whole class.
    """
    return [
        [*OTTER, "run", "--no-logo", "-o", str(path.parent), str(path)]
        for path in sorted(folder.glob("submitted/*/*/*.ipynb"))
    ]


def verify(folder: Path, lesson: Lesson) -> None:
    """Check that otter-grader gave no points for wrong or missing answers, and full points for other answers.

    Raises:
        RuntimeError: if otter-grader gave any other number of points for a task.
    """
    wrong_pairs = {(answer.task, answer.source) for answer in wrong_answers(lesson)}
    for release in assignment(lesson).releases.values():
        wrong_pairs |= {(grade_id(cell), cell.source) for cell in release.cells if is_answer(cell)}
    for path in sorted(folder.glob("submitted/*/*/*.ipynb")):
        cells = v4.reads(path.read_text("utf-8")).cells
        answers = {grade_id(cell): cell.source for cell in cells if is_answer(cell)}
        expected = {
            task.id: 0 if (task.id, answers[task.id]) in wrong_pairs else task.points
            for task in questions(lesson)
        }
        tests = json.loads((path.parent / "results.json").read_text("utf-8"))["tests"]
        scores = {test["name"]: test["score"] for test in tests if test.get("max_score")}
        if scores != expected:
            raise RuntimeError(f"otter: {path.parent.parent.name} got {scores}, not {expected}")
