"""A step from source to release: what a student need not read starts collapsed.

So a lesson reads as a lesson, and the code that answers a prediction does not give the answer away.
"""

import re
from typing import Any

from nbformat import NotebookNode

from autograder.build.lesson_step import LessonStep
from autograder.course.cells import is_test

_ANSWERS = re.compile(r"^(?:secant\.)?predicted\(", re.MULTILINE)


class CollapseTests(LessonStep):
    """Hide the source of test cells and of answers to predictions behind JupyterLab's own bar.

    A click opens it. What the cell says when it is run stays visible.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Return the cell, collapsed if it is a test or answers a prediction."""
        if is_test(cell) or (cell.cell_type == "code" and _ANSWERS.search(cell.source)):
            cell.metadata["jupyter"] = {"source_hidden": True}
        return cell, resources
