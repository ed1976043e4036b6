"""Tests of test cells in a notebook: they run in a separate namespace, not among the learner's names."""

from collections.abc import Sequence
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.lesson import Lesson
from tests.support.lessons import LESSONS, imports, questions
from tests.support.shadowing import binding_cell, isolated_answer
from tests.support.suites import first_of

pytestmark = pytest.mark.usefixtures("quick_kernels")

TEST = """\
from secant import ask, check, hints, leaf, tensor

hint = hints("slope", {"why": {"en": "folded hint", "ko": "접힌 힌트"}})
_answer = ask("slope(f, x)", f="lambda t: t**2", x=3.0)
_answer.equals(float(sum([6, 0])), hint=hint.why)
assert [str(n) for n in sorted(range(3))] == list("012")
check.visible_passed()
"""


def run(*cells: str) -> list[Any]:
    """Run cells in a kernel; return each cell's printed text, or its error as the notebook shows it."""
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in ("import secant", *cells)])
    NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
    return [output_text(cell.outputs) for cell in notebook.cells[1:]]


def output_text(outputs: Sequence[Any]) -> str:
    texts = (output.get("text") or output.get("data", {}).get("text/plain") for output in outputs)
    errors = ("\n".join(output.get("traceback", ())) for output in outputs)
    return "\n".join(text or error for text, error in zip(texts, errors, strict=True))


@pytest.mark.costly("all answers and tests of a lesson, hidden ones included")
@pytest.mark.parametrize("lesson", first_of(LESSONS, 1))
def test_tests_pass_whatever_a_notebook_calls_by_pythons_names(lesson: Lesson) -> None:
    """The hidden tests must pass, too, because unmodified nbgrader runs them in the notebook's kernel."""
    tasks = questions(lesson)
    answers = [isolated_answer(task.answer.source) for task in tasks]
    tests = [task.test.source for task in tasks if task.test]
    *outputs, last = run(imports(lesson), *answers, binding_cell(), *tests, "[sum, torch, print]")
    assert {
        task.id: text
        for task, text in zip(tasks, outputs[-len(tests) :], strict=True)
        if text[:7] != "Visible"
    } == {}
    assert last == "['mine', 'mine', 'mine']", "a test cell has replaced a name of the learner's"


def test_a_test_cell_leaves_no_names_in_the_notebook() -> None:
    answer = "def slope(f, x):\n    return 6.0"
    names_cell = (
        "print([name for name in ('ask', 'check', 'leaf', 'hint', '_answer') if name in globals()], tensor)"
    )
    _, _, test_output, names_output = run(answer, "tensor = 5", TEST, names_cell)
    assert test_output.startswith("Visible tests passed")
    assert names_output == "[] 5\n"


def test_an_answer_that_uses_a_rebound_name_is_told_which_cell_rebound_it() -> None:
    answer = "def slope(f, x):\n    return float(sum([3, 3]))"
    english, korean = (
        run("str = 'a'\nsum = 0", answer, TEST)[2],
        run("secant.language('ko')\nsum = 0", answer, TEST)[2],
    )
    assert (
        "`sum` is not Python's own `sum` any more but an int (0), since cell [2], line 2: sum = 0" in english
    )
    assert (
        "`sum`: 이제 파이썬의 원래 `sum` 대신 int (0)입니다. 바꾼 곳은 cell [2], 2번째 줄: sum = 0" in korean
    )


def test_a_wrong_result_tells_which_name_was_rebound() -> None:
    answer = "def slope(f, x):\n    return sum([3.0, 3.0])"
    message = run("sum = lambda numbers: 5.0", answer, TEST)[2]
    assert message.startswith("slope(lambda t: t**2, 3.0)")
    assert "note: `sum` is not Python's own `sum` any more but a function" in message


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "for slope in (1.0, 2.0):\n    pass",
            "`slope` is now a float (2.0), since cell [3], line 1: for slope",
        ),
        ("x = 1\ndel slope", "`slope` was deleted in cell [3], line 2: del slope"),
        ("%reset -f", "`slope` was deleted in cell [3], line 1: %reset -f"),
        (
            "del slope\nimport no_such_package\ndef slope(f, x):\n    return 6.0",
            "`slope` was deleted in cell [3], line 3: def slope",
        ),
    ],
)
def test_a_name_that_was_overwritten_or_deleted_is_named_with_its_cell(cell: str, message: str) -> None:
    assert message in run("def slope(f, x):\n    return 6.0", cell, TEST)[2]
