"""A notebook's scores from unmodified nbgrader's steps: overwrite cells, execute, determine the grades.

The notebook's code runs as the current user, so only notebooks written for the tests may be scored.
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
    """Return each graded cell's score; None if it is graded manually or the submission lacks the cell."""
    graded = [cell.id for cell in source.cells if cell.kind in ("test", "manual", "task")]
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    made = _overwritten(source, submitted)
    with setenv(NBGRADER_EXECUTION="autograde"):
        execute = Execute(timeout=int(timeout), iopub_timeout=60)
        try:
            made, _ = execute.preprocess(made, {"metadata": {"path": str(folder)}})
        except DeadKernelError:  # nbgrader does not grade a submission that kills its kernel
            return dict.fromkeys(graded)
    scores: dict[str, float | None] = dict.fromkeys(graded)
    for cell in made.cells:
        if is_grade(cell) and cell.metadata.nbgrader.grade_id in graded:
            scores[cell.metadata.nbgrader.grade_id] = determine_grade(cell)[0]
    return scores


def _overwritten(source: PlainSource, submitted: NotebookNode) -> NotebookNode:
    """Return a submission with protected cells taken from the source version, as OverwriteCells does."""
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
