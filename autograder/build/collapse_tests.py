"""A step from source to release: test cells start collapsed, so that a lesson reads as a lesson."""

from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course.cells import is_test


class CollapseTests(NbGraderPreprocessor):
    """Hide the source of each test cell behind JupyterLab's own bar; a click opens it.

    What the cell says when it is run stays visible.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Return the cell, collapsed if it is a test."""
        if is_test(cell):
            cell.metadata["jupyter"] = {"source_hidden": True}
        return cell, resources
