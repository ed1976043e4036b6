"""The scores that stock nbgrader gives a notebook, by its own steps: overwrite, execute, determine the grade.

The code runs as this user: for notebooks of our own writing alone.
"""

import copy
from collections.abc import Mapping
from pathlib import Path

from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import DeduplicateIds, Execute
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_locked, is_task, setenv

from autograder.course.plain import PlainSource


def stock_scores(
    source: PlainSource,
    submitted: NotebookNode,
    files: Mapping[str, bytes],
    timeout: float,
    folder: Path,
) -> dict[str, float | None]:
    """Return each cell's score; None where a person grades, or where the submission has no such cell."""
    graded = [cell.id for cell in source.cells if cell.kind in ("test", "manual", "task")]
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    made = _overwritten(source, submitted)
    with setenv(NBGRADER_EXECUTION="autograde"):
        execute = Execute(timeout=int(timeout), iopub_timeout=60)
        try:
            made, _ = execute.preprocess(made, {"metadata": {"path": str(folder)}})
        except DeadKernelError:  # then nbgrader grades nothing of the submission
            return dict.fromkeys(graded)
    scores: dict[str, float | None] = dict.fromkeys(graded)
    for cell in made.cells:
        if is_grade(cell) and cell.metadata.nbgrader.grade_id in graded:
            scores[cell.metadata.nbgrader.grade_id] = determine_grade(cell)[0]
    return scores


def _overwritten(source: PlainSource, submitted: NotebookNode) -> NotebookNode:
    """Return what is left of a submission once nbgrader has put its own cells in, as OverwriteCells does."""
    made, _ = DeduplicateIds().preprocess(copy.deepcopy(submitted), {})
    known = {cell.id: cell for cell in source.cells}
    for cell in made.cells:
        ours = known.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if ours is None:
            continue
        if is_locked(cell) or is_task(cell):
            cell.source = ours.source
        if is_grade(cell):
            cell.metadata.nbgrader.points = ours.points
        given = copy.deepcopy(cell)
        given.source = ours.source
        cell.metadata.nbgrader.checksum = compute_checksum(given)
    return made
