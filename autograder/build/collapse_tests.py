"""A step of the release process: collapse the cells that a student need not read.

The released notebook then reads like a lesson, and a student does not see the answer to a prediction question
before making the prediction.
"""

import re
from typing import Any

from nbformat import NotebookNode

from autograder.build.lesson_step import LessonStep
from autograder.course.cells import is_test

_ANSWERS = re.compile(r"^(?:secant\.)?predicted\(", re.MULTILINE)


class CollapseTests(LessonStep):
    """A step that collapses the source of tests and of cells that reveal the answer to a prediction question.

    A click on the bar that JupyterLab shows in place of the source expands it again. The output of the cell
    stays visible.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Return the cell; collapse its source if it is a test or reveals the answer to a prediction."""
        if is_test(cell) or (cell.cell_type == "code" and _ANSWERS.search(cell.source)):
            cell.metadata["jupyter"] = {"source_hidden": True}
        return cell, resources
