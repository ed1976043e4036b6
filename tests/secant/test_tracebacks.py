"""Tests of the errors that a notebook shows, in a real kernel."""

import json
import re
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from secant.causes import STUB

TEST = """\
from secant import ask, check, hints

hint = hints("slope", {"why": {"en": "folded hint", "ko": "접힌 힌트"}})
ask("slope(f, x)", f="lambda t: t**2", x=3.0).equals(6.0, hint=hint.why)
check.visible_passed()
"""
ANSWERS = {
    "not run": "x = 1",
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


STORED_TRACEBACKS = """\
import json
stored = get_ipython().history_manager.exceptions
print(json.dumps({number: kept["traceback"] for number, kept in stored.items()}))
"""


@pytest.fixture(scope="module")
def outputs(quick_kernels: None) -> dict[tuple[str, str], Any]:
    """Return the error output of each answer, or of its test if the answer runs, by language and answer.

    The key `stored` of an output holds the traceback that IPython stored.
    """
    cells = {}
    for lang in ("en", "ko"):
        cells[lang, ""] = [new_code_cell(f'import secant\nsecant.language("{lang}")')]
        for name, source in ANSWERS.items():
            cells[lang, name] = [new_code_cell(source), new_code_cell(TEST)]
    last_cell = new_code_cell(STORED_TRACEBACKS)
    notebook = new_notebook(cells=[*(cell for pair in cells.values() for cell in pair), last_cell])
    NotebookClient(notebook, timeout=60, kernel_name="python3", allow_errors=True).execute()
    tracebacks = json.loads(last_cell.outputs[0].text)
    for cell in notebook.cells[:-1]:
        for output in cell.outputs:
            output["stored"] = tracebacks[str(cell.execution_count)]
    errors = {key: [output for cell in pair for output in cell.outputs] for key, pair in cells.items()}
    assert not [
        output for cell_errors in errors.values() for output in cell_errors if output.output_type != "error"
    ]
    return {key: cell_errors[0] for key, cell_errors in errors.items() if cell_errors}


def plain_text(output: Any) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))


def test_a_task_that_is_not_done_says_so_in_one_line(outputs: Any) -> None:
    for name, location in (("stub", "slope"), ("method", "A.b")):
        english, korean = outputs["en", name], outputs["ko", name]
        assert len(english.traceback) == len(korean.traceback) == 1
        assert english.traceback[0].startswith(f"Not done yet: your answer goes into {location},")
        assert korean.traceback[0].startswith(f"아직 풀지 않았습니다. {location}에서")
        assert (english.ename, english.evalue) == ("NotImplementedError", STUB)  # the grader reads both


def test_a_cell_that_was_not_run_is_named_as_the_cause(outputs: Any) -> None:
    assert plain_text(outputs["en", "not run"]).splitlines() == [
        "NameError: name 'slope' is not defined",
        "Run the cell with your answer first, then this one.",
    ]


def test_a_name_that_its_own_cell_deleted_is_named_with_the_line(outputs: Any) -> None:
    assert plain_text(outputs["en", "none"]).splitlines() == [
        "NameError: name 'slope' is not defined",
        "  likely cause: `slope` was deleted in cell [4], line 2: del slope",
    ]


EXPECTED_TEXTS = {
    "own": """\
The call was slope(lambda t: t**2, 3.0)
Your code raised an error.
  ZeroDivisionError: float division by zero
  at slope, line 2: return helper(x)
  at helper, line 4: return x / 0
  likely cause: a division by zero. Is a special case missing, or has a step h become 0?""",
    "given": """\
The call was slope(lambda t: t**2, 3.0)
Your code raised an error.
  TypeError: unsupported operand type(s) for ** or pow(): 'str' and 'int'
  at slope, line 2: return f('a')""",
    "deep": """\
The call was slope(lambda t: t**2, 3.0)
Your code raised an error.
  RecursionError: maximum recursion depth exceeded
  at slope, line 2: return slope(f, x)
  likely cause: a function calls itself too deeply. Write a loop, with a list of what is still to do""",
    "stopped": """\
Your code was stopped.
  KeyboardInterrupt
  at slope, line 2: raise KeyboardInterrupt""",
    "called": """\
The call was slope(lambda t: t**2, 3.0)
Your code raised an error.
  TypeError: slope() takes 1 positional argument but 2 were given
  likely cause: """,
}


@pytest.mark.parametrize("name", EXPECTED_TEXTS)
def test_notebook_error_reads_like_a_verdict(outputs: Any, name: str) -> None:
    assert plain_text(outputs["en", name]).startswith(EXPECTED_TEXTS[name])
    assert len(outputs["en", name].traceback) == len(outputs["ko", name].traceback) <= 6
    # IPython must store the short traceback, too. All steps of a recursion would delay the next cell for
    # seconds.
    assert outputs["en", name].stored == outputs["en", name].traceback


def test_notebook_error_is_shown_in_korean(outputs: Any) -> None:
    assert plain_text(outputs["ko", "own"]).splitlines()[:3] == [
        "호출: slope(lambda t: t**2, 3.0)",
        "코드에서 오류가 났습니다.",
        "  ZeroDivisionError: float division by zero",
    ]


def test_other_errors_keep_their_usual_form(outputs: Any) -> None:
    assert plain_text(outputs["en", "wrong"]).startswith("slope(lambda t: t**2, 3.0)")
    assert outputs["en", "wrong"].ename == "CheckFailed"
    assert "def slope(f, x)\n                   ^\nSyntaxError" in plain_text(outputs["en", "syntax"])
    text = plain_text(outputs["en", "no test"])
    assert "----> 3 mine()" in text
    assert "----> 2     return 1 / 0" in text
