"""Tests that test cells and answers to predictions start collapsed in the release."""

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.build import builder
from autograder.build.collapse_tests import CollapseTests
from autograder.course.cells import is_test
from autograder.course.lesson import find_lessons

ANSWER = {"grade_id": "f", "solution": True, "grade": False}
TEST = {"grade_id": "test_f", "solution": False, "grade": True, "locked": True}
MANUAL = {"grade_id": "why", "solution": True, "grade": True}


def test_only_tests_and_answers_to_predictions_are_collapsed() -> None:
    cells = [
        new_markdown_cell("predicted() is explained"),
        new_code_cell('predict("3 x", A="1", B="2")\nunpredicted()'),
        new_code_cell('secant.predicted("3 x", right="A", A="yes", B="no")'),
        new_code_cell("", metadata={"nbgrader": ANSWER}),
        new_code_cell("", metadata={"nbgrader": TEST}),
        new_markdown_cell("", metadata={"nbgrader": MANUAL}),
    ]
    notebook, _ = CollapseTests().release(new_notebook(cells=cells), {})
    hidden = {"source_hidden": True}
    jupyter_metadata = [cell.metadata.get("jupyter") for cell in notebook.cells]
    assert jupyter_metadata == [None, None, hidden, None, hidden, None]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_test_cells_are_collapsed_in_the_release_and_not_in_the_source(course: Path, language: str) -> None:
    builder.build(course, find_lessons(course))

    def read_cells(folder: str) -> list[NotebookNode]:
        (path,) = (course / folder).glob("*/*.ipynb")
        return nbformat.read(path, as_version=4).cells

    released_cells = read_cells(f"release/{language}")
    assert any(is_test(cell) for cell in released_cells)
    # Only the source is collapsed; the message below it stays visible.
    assert all(
        cell.metadata["jupyter"] == {"source_hidden": True} for cell in released_cells if is_test(cell)
    )
    other_cells = [
        *released_cells[1:],
        *read_cells("source"),
    ]  # the release adds the first cell, which installs Secant
    assert not any("jupyter" in cell.metadata for cell in other_cells if not is_test(cell))
    assert not any("jupyter" in cell.metadata for cell in read_cells("source"))
