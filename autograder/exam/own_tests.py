"""Assignments made from the visible tests in a notebook, for use where the course's sources are missing."""

import math
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.assignment import Assignment
from autograder.course.cells import tasks
from autograder.intake.files import read_lesson_notebooks
from autograder.intake.parse import Cell, parse
from autograder.intake.submission import Refused, Rejected
from secant.language import LANGUAGES
from secant.testcells import judges
from secant.visible import visible

# Maximum points of a task. A notebook may claim any points, but their sum must remain a number that JSON can
# represent.
MAX_POINTS = 1_000.0
_MARKS = ("points", "grade", "solution", "locked")


def own_assignment(path: Path, below: Path | None = None) -> Assignment | Rejected | None:
    """Return an assignment that consists of the tests in the notebook itself, if they use Secant's checks.

    Args:
        path: the notebook.
        below: a folder that must contain the notebook; the path below this folder must not contain links.

    Returns:
        The assignment; None if no test uses Secant's checks; the rejection if the notebook is not valid.
    """
    cells = _cells(path, below)
    if not isinstance(cells, list):
        return cells
    if not any(map(_is_secant_test, cells)):
        return None
    nodes = [_node(cell) for cell in cells]
    for cell, node in zip(cells, nodes, strict=True):
        # The examiner for lessons cannot run plain nbgrader tests, so these cells become ungraded.
        is_plain_test = _is_test(cell) and not _is_secant_test(cell)
        if is_plain_test or cell.kind != "code":
            node.metadata.pop("nbgrader", None)
    notebook: NotebookNode = new_notebook(cells=nodes)
    lesson = visible(path.stem)
    return Assignment(lesson, notebook, dict.fromkeys(LANGUAGES, notebook)) if tasks(notebook) else None


def has_plain_tests(path: Path, below: Path | None = None) -> bool:
    """Return whether a notebook has test cells but none that uses Secant's checks."""
    cells = _cells(path, below)
    tests = [cell for cell in cells if _is_test_code(cell)] if isinstance(cells, list) else []
    return bool(tests) and not any(map(_is_secant_test, tests))


def is_graded(path: Path, below: Path | None = None) -> bool:
    """Return whether a notebook has a cell that nbgrader grades."""
    cells = _cells(path, below)
    return isinstance(cells, list) and any(map(_gives_points, cells))


def _is_secant_test(cell: Cell) -> bool:
    return _is_test_code(cell) and judges(cell.source)


def _is_test_code(cell: Cell) -> bool:
    return cell.kind == "code" and _is_test(cell)


def _is_test(cell: Cell) -> bool:
    return _gives_points(cell) and not _marks(cell)["solution"]


def _gives_points(cell: Cell) -> bool:
    return bool(cell.grade_id and _marks(cell)["grade"])


def _marks(cell: Cell) -> dict[str, Any]:
    return dict(zip(_MARKS, cell.marks, strict=False))


def _cells(path: Path, below: Path | None) -> list[Cell] | Rejected | None:
    """Return a notebook's cells; None if the file is unreadable, or its rejection if it is invalid."""
    try:
        ((_, data, _),), _ = read_lesson_notebooks(path, path.stem, below)
    except Refused:
        return None
    try:
        return parse(data).cells
    except Refused as refusal:
        return refusal.outcome


def _node(cell: Cell) -> NotebookNode:
    """Return a notebook cell with its nbgrader metadata, in which invalid points are replaced by zero."""
    marks = _marks(cell)
    points = marks["points"]
    is_number = isinstance(points, int | float) and math.isfinite(points) and points >= 0
    marks["points"] = min(float(points), MAX_POINTS) if is_number else 0.0
    node: NotebookNode = (new_code_cell if cell.kind == "code" else new_markdown_cell)(cell.source)
    if cell.grade_id:
        node.metadata["nbgrader"] = {**marks, "grade_id": cell.grade_id}
    return node
