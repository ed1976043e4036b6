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
    graded_ids = [cell.id for cell in source.cells if cell.kind in ("test", "manual", "task")]
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    notebook = _overwrite_cells(source, submitted)
    with setenv(NBGRADER_EXECUTION="autograde"):
        execute = Execute(timeout=int(timeout), iopub_timeout=60)
        try:
            notebook, _ = execute.preprocess(notebook, {"metadata": {"path": str(folder)}})
        except DeadKernelError:  # nbgrader does not grade a submission that kills its kernel
            return dict.fromkeys(graded_ids)
    scores: dict[str, float | None] = dict.fromkeys(graded_ids)
    for cell in notebook.cells:
        if is_grade(cell) and cell.metadata.nbgrader.grade_id in graded_ids:
            scores[cell.metadata.nbgrader.grade_id] = determine_grade(cell)[0]
    return scores


def _overwrite_cells(source: PlainSource, submitted: NotebookNode) -> NotebookNode:
    """Return a submission with protected cells taken from the source version, as OverwriteCells does."""
    notebook, _ = DeduplicateIds().preprocess(copy.deepcopy(submitted), {})
    source_cells = {cell.id: cell for cell in source.cells}
    for cell in notebook.cells:
        source_cell = source_cells.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if source_cell is None:
            continue
        if is_locked(cell) or is_task(cell):
            cell.source = source_cell.source
        if is_grade(cell):
            cell.metadata.nbgrader.points = source_cell.points
        reference = copy.deepcopy(cell)
        reference.source = source_cell.source
        cell.metadata.nbgrader.checksum = compute_checksum(reference)
    return notebook
