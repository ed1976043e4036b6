"""A step of the release process: collapse the cells that a student need not read.

The released notebook then reads like a lesson, and code that answers a prediction does not give the answer
away.
"""

import re
from typing import Any

from nbformat import NotebookNode

from autograder.build.lesson_step import LessonStep
from autograder.course.cells import is_test

_ANSWERS = re.compile(r"^(?:secant\.)?predicted\(", re.MULTILINE)


class CollapseTests(LessonStep):
    """A step that collapses the source of test cells and of cells that answer predictions.

    A click on the bar that JupyterLab shows in place of the source expands it again. The output of the cell
    stays visible.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Return the cell, with its source collapsed if it is a test or answers a prediction."""
        if is_test(cell) or (cell.cell_type == "code" and _ANSWERS.search(cell.source)):
            cell.metadata["jupyter"] = {"source_hidden": True}
        return cell, resources
