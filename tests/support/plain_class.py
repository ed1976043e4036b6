"""A class with two assignments of ordinary nbgrader tests: one has two notebooks, the other has one."""

import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode

from tests.autograder.exam.plain_cases import STUB, Case
from tests.support.plain_course import answer, graded, manual, notebook, task, write_assignment

HIDDEN = "assert f(0) == 0\n### BEGIN HIDDEN TESTS\nassert f(3) == 9, 'SECRET'\n### END HIDDEN TESTS"
ESSAY = "Draw a plot.\n### BEGIN MARK SCHEME\nSCHEME\n### END MARK SCHEME"
FIRST = (
    answer("f", STUB),
    graded("t", "assert f(2) == 4", 2),
    graded("cell-77aa01b2", HIDDEN, 3),
    manual("why", "YOUR ANSWER HERE", 2),
    task("essay", ESSAY, 2),
)
#: The cells of the second notebook, which has a test with the same grade_id as one of the first.
SECOND = (answer("g", STUB), graded("t", "assert g() == open('data.txt').read()", 1))
RIGHT = {"f": "def f(x):\n    return x * x", "why": "Because <b>so</b>."}
WRONG = {"f": "def f(x):\n    return 2 * x"}
RIGHT_SECOND = {"g": "def g():\n    return open('data.txt').read()"}


def filled_notebook(
    cells: Sequence[NotebookNode], answers: Mapping[str, str], *extra_cells: NotebookNode
) -> NotebookNode:
    return deepcopy(Case("", cells, answers, {}, extra_cells=extra_cells).submission())


def submit(root: Path, student: str, notebooks: Mapping[str, NotebookNode | str], name: str = "ps") -> Path:
    shutil.rmtree(root / "submitted" / student / name, ignore_errors=True)
    write_assignment(root / "submitted" / student, name, notebooks)
    return root / "submitted" / student / name


def add_assignments(root: Path) -> None:
    """Add two assignments to a course: `ps` with two notebooks, and `hw1` with one."""
    write_assignment(root / "source", "ps", {"ps": notebook(*FIRST), "more": notebook(*SECOND)})
    (root / "source/ps/data.txt").write_text("2")
    write_assignment(root / "source", "hw1", {"hw1": notebook(*FIRST[:2])})
