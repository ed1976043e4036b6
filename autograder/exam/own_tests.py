"""A notebook as its own assignment: where the course's sources are not, the visible tests in it are asked."""

import math
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.assignment import Assignment
from autograder.course.cells import tasks
from autograder.intake.files import read
from autograder.intake.parse import Cell, parse
from autograder.intake.submission import Refused, Rejected
from secant.language import LANGUAGES
from secant.visible import visible

MOST_POINTS = 1_000.0  # of a task: sums of what a notebook claims stay numbers that JSON knows
_MARKS = ("points", "grade", "solution", "locked")


def own_assignment(path: Path, below: Path | None = None) -> Assignment | Rejected | None:
    """Return what a notebook asks by itself; nothing if it asks nothing, or why it cannot be understood.

    Args:
        path: the notebook.
        below: a folder that it has to be in, by real folders only.
    """
    try:
        ((_, data, _),), _ = read(path, path.stem, below)
    except Refused:
        return None
    try:
        submitted = parse(data)
    except Refused as refusal:
        return refusal.outcome
    notebook: NotebookNode = new_notebook(cells=[_cell(cell) for cell in submitted.cells])
    if not tasks(notebook):
        return None
    lesson = visible(path.stem)
    return Assignment(lesson, notebook, dict.fromkeys(LANGUAGES, notebook))


def _cell(cell: Cell) -> NotebookNode:
    """A cell with those of nbgrader's marks that are of the right type."""
    if cell.kind != "code":
        prose: NotebookNode = new_markdown_cell(cell.source)
        return prose
    marks = dict(zip(_MARKS, cell.marks, strict=False))
    points = marks["points"]
    is_number = isinstance(points, int | float) and math.isfinite(points) and points >= 0
    marks["points"] = min(float(points), MOST_POINTS) if is_number else 0.0
    made: NotebookNode = new_code_cell(cell.source)
    if cell.grade_id:
        made.metadata["nbgrader"] = {**marks, "grade_id": cell.grade_id}
    return made
