"""Tests of `HideTests`, which removes hidden tests from feedback pages."""

import json
import re
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.overrides.hide_tests import HideTests

TEST_METADATA = {"nbgrader": {"grade_id": "test_f", "grade": True, "solution": False}}
TEST = """from secant import check
assert f(1) == 1
### BEGIN HIDDEN TESTS
secret = 41 + 1
f(secret)
### END HIDDEN TESTS"""


def feedback_cell(*outputs: Any) -> Any:
    cell = new_code_cell(TEST, metadata=TEST_METADATA, outputs=list(outputs), execution_count=2)
    notebook = HideTests().preprocess(new_notebook(cells=[cell]), {})[0]
    return notebook.cells[0]


def error(name: str, *traceback: Any, value: Any = "") -> Any:
    return new_output("error", ename=name, evalue=value, traceback=list(traceback))


def test_hidden_test_source_is_removed_from_a_cell() -> None:
    assert feedback_cell().source == "from secant import check\nassert f(1) == 1"


def test_hidden_test_marks_written_by_a_student_are_plain_text() -> None:
    """Hidden-test markers in a student's cell once made every grading run fail, as no page could be made."""
    cells = [new_code_cell(f"x = 1  # {mark}") for mark in ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")]
    cells += [new_code_cell(TEST), new_markdown_cell("BEGIN HIDDEN TESTS")]
    cells[2].metadata = {"nbgrader": {"grade_id": "f", "grade": False, "solution": True}}
    sources = [cell.source for cell in cells]
    notebook = HideTests().preprocess(new_notebook(cells=cells), {})[0]
    assert [cell.source for cell in notebook.cells] == sources


def test_a_failed_check_keeps_its_message() -> None:
    lines = ["f(3)", "  expected: 6", "  likely cause: you squared it"]
    assert feedback_cell(error("CheckFailed", *lines)).outputs[0].traceback == lines


def test_traceback_keeps_the_students_own_frames() -> None:
    student_frame = "\x1b[31mCell In[1], line 2\x1b[39m, in f(x)\n----> 2 return 1 / 0"
    test_frame = "\x1b[31mCell In[2]\x1b[39m\x1b[32m, line 5\x1b[39m\n----> 5 f(secret)"
    library_frame = "File torch/_tensor.py:1"
    cell = feedback_cell(
        error(
            "ZeroDivisionError",
            "---",
            test_frame,
            library_frame,
            student_frame,
            "x",
            value="division by zero",
        )
    )
    assert cell.outputs[0].traceback == [student_frame, "ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    "output",
    [
        new_output("stream", name="stdout", text="I saw secret = 41 + 1!"),
        new_output("display_data", data={"text/html": "<b>secret = 41 + 1</b>"}),
        error("CheckFailed", "\x1b[31msecret = \x1b[39m41 + 1", value="secret = 41 + 1"),
        error("ValueError", value="secret = 41 + 1"),
    ],
)
def test_an_output_that_repeats_a_hidden_line_is_emptied(output: Any) -> None:
    assert "41 + 1" not in json.dumps(feedback_cell(output).outputs)


def test_outputs_without_hidden_lines_are_kept() -> None:
    outputs = [
        new_output("stream", name="stdout", text="hello"),
        new_output("display_data", data={"application/vnd.x+json": {"a": 1}}),
    ]
    assert feedback_cell(*outputs).outputs == outputs


@pytest.mark.whole
@pytest.mark.usefixtures("quick_kernels")
def test_real_ipython_traceback_hides_the_hidden_tests() -> None:
    answer = new_code_cell("def f(x):\n    return 1 // (42 - x) or 1")
    # Use IPython's own tracebacks, as in a process where secant does not shorten errors.
    setup_cell = new_code_cell("import secant\nget_ipython().set_custom_exc((), None)")
    notebook = new_notebook(cells=[setup_cell, answer, new_code_cell(TEST, metadata=TEST_METADATA)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
    NotebookClient(notebook, allow_errors=True).execute()
    assert "secret = " in str(notebook.cells[2].outputs)  # the traceback shows a hidden line
    outputs = str(HideTests().preprocess(notebook, {})[0].cells[2].outputs)
    assert "secret" not in outputs
    assert "42 - x" in re.sub(r"\\x1b\[[0-9;]*m", "", outputs)
    assert "ZeroDivisionError: integer division or modulo by zero" in outputs
