"""What a notebook shows of an error, in a kernel of its own."""

import json
import re
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from secant.tracebacks import STUB

TEST = """\
from secant import check, observe, probe, say


@probe
def _slope(x):
    calls = observe()
    calls(slope, lambda t: t**2, x)
    return calls.data()


_why = say(en="folded hint", ko="접힌 힌트")
with check.asking("slope(3)"):
    _found = _slope(3.0)
check.equal(_found["results"], [6.0], "slope(3)")
"""
ANSWERS = {
    "none": "slope = None\ndel slope",
    "stub": f'def slope(f, x):\n    raise NotImplementedError("{STUB}")',
    "method": f'class A:\n    def b(self):\n        raise NotImplementedError("{STUB}")\n'
    "slope = lambda f, x: A().b()",
    "own": "def slope(f, x):\n    return helper(x)\ndef helper(x):\n    return x / 0",
    "given": "def slope(f, x):\n    return f('a')",
    "deep": "def slope(f, x):\n    return slope(f, x)",
    "called": "def slope(f):\n    return 6.0",
    "stopped": "def slope(f, x):\n    raise KeyboardInterrupt",
    "wrong": "def slope(f, x):\n    return 5.0",
    "syntax": "def slope(f, x)\n    return 6.0",
    "no test": "def mine():\n    return 1 / 0\nmine()",
}


STORED = """\
import json
stored = get_ipython().history_manager.exceptions
print(json.dumps({number: kept["traceback"] for number, kept in stored.items()}))
"""


@pytest.fixture(scope="module")
def outputs(quick_kernels: None) -> dict[tuple[str, str], Any]:
    """The error output of each answer's test, or else of the answer, by language and the answer's name.

    What IPython stored of each stands there as `stored`.
    """
    cells = {}
    for tongue in ("en", "ko"):
        cells[tongue, ""] = [new_code_cell(f'import secant\nsecant.language("{tongue}")')]
        for name, source in ANSWERS.items():
            cells[tongue, name] = [new_code_cell(source), new_code_cell(TEST)]
    last = new_code_cell(STORED)
    notebook = new_notebook(cells=[*(cell for pair in cells.values() for cell in pair), last])
    NotebookClient(notebook, timeout=60, kernel_name="python3", allow_errors=True).execute()
    stored = json.loads(last.outputs[0].text)
    for cell in notebook.cells[:-1]:
        for output in cell.outputs:
            output["stored"] = stored[str(cell.execution_count)]
    every = {key: [output for cell in pair for output in cell.outputs] for key, pair in cells.items()}
    assert not [output for found in every.values() for output in found if output.output_type != "error"]
    return {key: found[0] for key, found in every.items() if found}


def plain(output: Any) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))


def test_a_task_that_is_not_done_says_so_in_one_line(outputs: Any) -> None:
    for name, place in (("stub", "slope"), ("method", "A.b")):
        english, korean = outputs["en", name], outputs["ko", name]
        assert len(english.traceback) == len(korean.traceback) == 1
        assert english.traceback[0].startswith(f"Not done yet: your answer goes into {place},")
        assert korean.traceback[0].startswith(f"아직 풀지 않았습니다. {place}에서")
        assert (english.ename, english.evalue) == ("NotImplementedError", STUB)  # what a grader reads


def test_a_cell_that_was_not_run_is_named_as_the_cause(outputs: Any) -> None:
    assert plain(outputs["en", "none"]).splitlines() == [
        "NameError: name 'slope' is not defined",
        "Run the cell with your answer first, then this one.",
    ]


@pytest.mark.parametrize(
    ("name", "line", "error"),
    [
        (
            "own",
            "----> 4     return x / 0",
            "Error: float division by zero\nThe call was slope(3)",
        ),
        ("given", "----> 2     return f('a')", "TypeError: unsupported operand"),
        ("deep", "----> 2     return slope(f, x)", "RecursionError: maximum recursion depth"),
        ("stopped", "----> 2     raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_an_error_shows_the_lines_of_the_answer_alone(outputs: Any, name: str, line: str, error: str) -> None:
    shown = plain(outputs["en", name])
    assert line in shown
    assert error in shown
    assert not re.search(r"hint|@probe|_found|observe|[/\\]secant[/\\]", shown)
    assert len(shown.splitlines()) < 80
    # What IPython keeps, too: with all steps of a recursion, the next cell would wait for seconds.
    assert outputs["en", name].stored == outputs["en", name].traceback


def test_a_call_that_fails_by_itself_is_shown_without_the_test_around_it(outputs: Any) -> None:
    shown = plain(outputs["en", "called"])
    assert "----> 7     calls(slope, lambda t: t**2, x)" in shown
    assert "TypeError: slope() takes 1 positional argument but 2 were given" in shown
    assert not re.search(r"hint|@probe|_found|[/\\]secant[/\\]", shown)


def test_other_errors_are_shown_as_ever(outputs: Any) -> None:
    assert plain(outputs["en", "wrong"]).startswith("slope(3)")
    assert outputs["en", "wrong"].ename == "CheckFailed"
    assert "def slope(f, x)\n                   ^\nSyntaxError" in plain(outputs["en", "syntax"])
    shown = plain(outputs["en", "no test"])
    assert "----> 3 mine()" in shown
    assert "----> 2     return 1 / 0" in shown
