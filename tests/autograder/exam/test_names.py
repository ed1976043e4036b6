"""Tests of names that a notebook rebinds or lacks: their effect on points, and the messages about them."""

import dis
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.course.lesson import Lesson
from autograder.exam.examiner import Examiner
from autograder.exam.pool import lasting_pool
from autograder.exam.report import Report
from autograder.exam.selfcheck import OwnProcesses
from autograder.intake.submission import Submission
from autograder.intake.take_in import take_in
from autograder.sandbox.client import Candidates
from secant.language import Language
from tests.support.lessons import LESSONS, assignment, bare, questions, save, with_answers
from tests.support.shadowing import EVERY, KITS, PYTHONS, bound, untouched
from tests.support.suites import first_of

FIRST = LESSONS[0]
#: Answers of lesson 1 that use names that a scratch cell may have rebound, or a helper from another cell.
STEP = 'def best_step(dtype):\n    return float("1e-4" if str(dtype).endswith("32") else "1e-8")'
HAND = "def hand_derivative(x):\n    return 3 * x**2 + 2 * math.cos(x)"
HELPED = "def hand_derivative(x):\n    return 3 * square(x) + 2 * math.cos(x)"
SQUARE = "def square(x):\n    return x * x"


@pytest.fixture(scope="module")
def processes() -> Iterator[Candidates]:
    waiting = lasting_pool()
    yield OwnProcesses(waiting)
    waiting.close()


class Asked:
    """An examiner that grades notebooks made of given cells."""

    def __init__(self, processes: Candidates, room: Path) -> None:
        self._processes, self._room = processes, room

    def report(
        self,
        lesson: Lesson,
        answers: Mapping[str, str],
        before: Sequence[str | NotebookNode] = (),
        after: Sequence[str] = (),
        language: Language = "en",
        only: str | None = None,
    ) -> Report:
        """Examine a notebook with these answers, and with cells before the first and after the last task.

        Tasks that are not in `answers` keep their stubs. With `only`, the examiner grades that task alone.
        """
        built = assignment(lesson)
        notebook = bare(with_answers(built.releases[language], answers))
        first = next(i for i, cell in enumerate(notebook.cells) if "nbgrader" in cell.metadata)
        notebook.cells[first:first] = [new_code_cell(c) if isinstance(c, str) else c for c in before]
        notebook.cells += map(new_code_cell, after)
        path = save(notebook, self._room / f"{lesson.name}.ipynb")
        taken = take_in(path, lesson.name, built.releases)
        assert isinstance(taken, Submission)
        return Examiner(lesson.name, built.source).grade(self._processes, taken.script, only=only)

    def told(self, *before: str | NotebookNode, after: str = "", ko: bool = False, **answer: str) -> str:
        """Return the message about one answer of lesson 1; an empty string if the answer passes."""
        (task,) = answer
        right = {task.id: task.answer.source for task in questions(FIRST)}
        cells: list[str] = [after] if after else []
        report = self.report(FIRST, right | answer, before, cells, "ko" if ko else "en", task)
        return "".join(failures(report).values())


@pytest.fixture
def asked(processes: Candidates, tmp_path: Path) -> Asked:
    return Asked(processes, tmp_path)


def failures(report: Report) -> dict[str, str]:
    return {task.id: task.message for task in report.tasks if task.outcome not in ("passed", "manual")}


# --- Answers that do not use a rebound name keep their points -----------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("lesson", first_of(LESSONS, 1))
def test_rebinding_every_builtin_and_kit_name_costs_no_points(asked: Asked, lesson: Lesson) -> None:
    answers = {task.id: untouched(task.answer.source) for task in questions(lesson)}
    assert failures(asked.report(lesson, answers, after=[bound()])) == {}


def names_used(answer: str) -> list[str]:
    """Return the builtins and the names of the checking kit that an answer reads from the notebook."""
    codes = [compile(answer, "answer", "exec")]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    steps = (step for code in codes for step in dis.get_instructions(code))
    found = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return [name for name in EVERY if name in found]


@pytest.mark.costly("a lesson's answers, once for each name that they use")
@pytest.mark.parametrize("lesson", first_of(LESSONS, 1))
def test_message_names_each_rebound_name_that_a_failing_answer_uses(asked: Asked, lesson: Lesson) -> None:
    """Only names that an answer uses are tested here; the test above rebinds all others at once."""
    answers = {task.id: task.answer.source for task in questions(lesson)}
    names = {task: names_used(answer) for task, answer in answers.items()}
    assert any(names.values())
    for task, name in [(task, name) for task, used in names.items() for name in used]:
        report = asked.report(lesson, answers, after=[bound([name])], only=task)
        for message in failures(report).values():
            assert f"`{name}` is not " in message, message
            assert f": {name} = 'mine'" in message, message


@pytest.mark.parametrize(
    "scratch",
    [
        *("sum = 0", "for str in 'ab':\n    pass", "def spoil():\n    global float\n    float = 1\nspoil()"),
        *("class str:\n    pass", "def isinstance(*_):\n    return False", "from torch import *"),
        "import builtins\nbuiltins.str = builtins.len = builtins.isinstance = 'mine'",
        "import math, torch\nmath.cos = torch.sin = torch.Tensor.abs = torch.full_like = torch.nn = 'mine'",
        "%pylab inline",
    ],
)
def test_every_way_to_rebind_a_name_leaves_other_answers_their_points(asked: Asked, scratch: str) -> None:
    answers = {task.id: untouched(task.answer.source) for task in questions(FIRST)}
    step = {"best_step": "def best_step(dtype):\n    return 1e-4 if dtype.itemsize == 4 else 1e-8"}
    assert failures(asked.report(FIRST, answers | step, after=[scratch])) == {}


# --- Messages about a rebound name: its present value, and the cell that rebound it -------------------------


@pytest.mark.parametrize(
    ("scratch", "now"),
    [
        ("str = 'a'", "a str ('a'), since cell 3, line 1: str = 'a'"),
        ("x = 1\nfor str in (1, 2):\n    pass", "an int (2), since cell 3, line 2: for str in (1, 2):"),
        ("class str:\n    pass", "a class (str), since cell 3, line 1: class str:"),
        ("import builtins\nbuiltins.str = 80", "an int (80), since cell 3, line 2: builtins.str = 80"),
        ("import math as str", "a module (math), since cell 3, line 1: import math as str"),
    ],
)
def test_failure_message_names_a_rebound_builtin_that_the_answer_uses(
    asked: Asked, scratch: str, now: str
) -> None:
    said = asked.told(scratch, best_step=STEP)
    assert f"likely cause: `str` is not Python's own `str` any more but {now}" in said


def test_a_rebound_name_is_named_in_korean(asked: Asked) -> None:
    said = asked.told("str = 'a'", best_step=STEP, ko=True)
    assert (
        "`str`: 이제 파이썬의 원래 `str` 대신 str ('a')입니다. 바꾼 곳은 cell 3, 1번째 줄: str = 'a'" in said
    )


def test_a_star_import_is_named_as_what_rebinds_names(asked: Asked) -> None:
    loop = "def doubling_slope(x, limit):\n    k = 0\n    while abs(x * 2**k) < limit:\n        k += 1\n"
    told = failures(
        asked.report(FIRST, {"doubling_slope": f"{loop}    return 2.0**k"}, ["from torch import *"])
    )
    cause = "`abs` is not Python's own `abs` any more but a function (torch.abs), since cell 3, line 1: from"
    assert cause in told["doubling_slope"]


def test_a_wrong_result_names_the_rebound_names_that_the_answer_uses(asked: Asked) -> None:
    rounded = "def helper(x):\n    return abs(x)"
    loop = "def doubling_slope(x, limit):\n    k = 0\n    while helper(x * 2**k) < limit:\n        k += 1\n"
    said = asked.told("abs = lambda x: 1e9", rounded, doubling_slope=f"{loop}    return 2.0**k")
    assert "note: `abs` is not Python's own `abs` any more but a function (<lambda>), since cell 3" in said


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        (
            "math = 80",
            "`math` is not what the lesson imports any more but an int (80), since cell 16, line 1",
        ),
        ("import random as math", "`math` is not what the lesson imports any more but a module (random)"),
        ("del math", "`math` was deleted in cell 16, line 1: del math"),
    ],
)
def test_failure_message_names_a_rebound_module(asked: Asked, after: str, cause: str) -> None:
    assert cause in asked.told(after=after, hand_derivative=HAND)


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        (
            "for best_step in (1e-3, 1e-5):\n    pass",
            "`best_step` is now a float (1e-05), since cell 16, line 1",
        ),
        (
            "best_step = best_step(torch.float32)",
            "`best_step` is now a float (0.0001), since cell 16, line 1",
        ),
        (
            "x = 1\ndel best_step",
            "No best_step was found.\n  likely cause: `best_step` was deleted in cell 16, line 2",
        ),
    ],
)
def test_message_names_the_cell_that_overwrote_or_deleted_an_answer(
    asked: Asked, after: str, cause: str
) -> None:
    assert cause in asked.told(after=after, best_step=STEP)


def test_message_names_a_reset_magic_that_deleted_the_answers(asked: Asked) -> None:
    right = {task.id: task.answer.source for task in questions(FIRST)}
    told = failures(asked.report(FIRST, right, after=["%reset -f"]))
    assert len(told) == len(right)
    for task, message in told.items():
        assert f"`{task}` was deleted in cell 16, line 1: %reset -f" in message


# --- Names that no cell has bound ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "causes"),
    [
        (
            "import no_such_package",
            (
                "before it defined `square`, a cell stopped with ModuleNotFoundError: No module named "
                "'no_such_package': cell 3, line 1: import no_such_package",
                "where answers are checked there is no package no_such_package, and no file of yours",
            ),
        ),
        ("from google.colab import drive", ("cell 3, line 1: from google.colab import drive",)),
        (
            "x = open('data/points.csv').read()",
            (
                "cell stopped with FileNotFoundError: [Errno 2] No such file or directory: 'data/points.csv'",
                "only the notebook is, no file beside it",
            ),
        ),
        ("x = 1 / 0", ("stopped with ZeroDivisionError: division by zero: cell 3, line 1: x = 1 / 0",)),
        ("x = = 1", ("before it defined `square`, a cell stopped with SyntaxError",)),
    ],
)
def test_a_helper_whose_cell_stopped_names_the_line_and_the_error(
    asked: Asked, head: str, causes: Sequence[str]
) -> None:
    said = asked.told(f"{head}\n{SQUARE}", hand_derivative=HELPED)
    assert "NameError: name 'square' is not defined" in said
    assert [cause for cause in causes if cause not in said] == [], said


def test_a_helper_whose_cell_stopped_is_named_in_korean(asked: Asked) -> None:
    said = asked.told(f"import no_such_package\n{SQUARE}", hand_derivative=HELPED, ko=True)
    assert "`square`: 정의하는 셀이 그 전에 오류로 멈추었습니다(ModuleNotFoundError" in said
    assert "멈춘 곳은 cell 3, 1번째 줄: import no_such_package" in said
    assert "답을 확인하는 곳에는 no_such_package 패키지가 없고" in said


def test_message_says_that_an_imported_package_is_not_installed_here(asked: Asked) -> None:
    said = asked.told(hand_derivative=f"import mine\n{HAND}")
    assert "likely cause: where answers are checked there is no package mine, and no file of yours" in said


@pytest.mark.whole
@pytest.mark.parametrize(
    "magic", ["%%timeit", "%%writefile mine.py", "%%html", "%%debug", "%%python3", "%%cython"]
)
def test_message_explains_an_answer_below_a_cell_magic(asked: Asked, magic: str) -> None:
    said = asked.told(hand_derivative=f"{magic}\n{HAND}")
    word = magic.split()[0]
    assert (
        f"nothing is defined below {word}, where `hand_derivative` stands: answer hand_derivative, line 2"
        in said
    )


def test_message_explains_an_answer_written_in_a_text_cell(asked: Asked) -> None:
    said = asked.told(new_markdown_cell(f"My helper\n{SQUARE}"), hand_derivative=HELPED)
    assert "the definition of `square` stands in a text cell; make that a code cell: cell 3" in said


@pytest.mark.parametrize(
    ("helper", "cause"),
    [
        (
            "def outer():\n    def square(x):\n        return x * x",
            "`square` is defined only inside `outer`: cell 3",
        ),
        ("# def square(x):\n#     return x * x", "the definition of `square` is a comment: cell 3, line 1"),
        ("x = 1", "the name is misspelled, or no cell of the notebook defines it"),
    ],
)
def test_message_explains_why_a_helper_is_missing(asked: Asked, helper: str, cause: str) -> None:
    assert cause in asked.told(helper, hand_derivative=HELPED)


@pytest.mark.parametrize(
    ("scratch", "cause"),
    [
        (
            "from mine import *",
            "no other cell defines `square`, and this one stopped with ModuleNotFoundError",
        ),
        (
            "%run mine.py",
            "no other cell defines `square`, and this one stopped with Exception: File `'mine.py'`",
        ),
        (
            "try:\n    import mine\n    square = mine.square\nexcept ImportError:\n    pass",
            "`square` is bound only in a part of a cell that did not run here: cell 3, line 3: square = mine",
        ),
    ],
)
def test_message_says_that_a_helpers_file_was_not_submitted(asked: Asked, scratch: str, cause: str) -> None:
    assert cause in asked.told(scratch, hand_derivative=HELPED)


def test_message_names_a_helper_that_a_later_cell_redefines(asked: Asked) -> None:
    """Redefine the helper once so that the answer raises an error, and once so that its result is wrong."""
    for again in ("def square():\n    return 4", "def square(x):\n    return x + 1"):
        said = asked.told(SQUARE, after=again, hand_derivative=HELPED)
        assert "`square` is now a function (square), since cell 17, line 1: def square(" in said


def test_hundreds_of_failing_cells_cost_no_points_and_little_time(asked: Asked) -> None:
    assert asked.told(*["not_there()"] * 600, hand_derivative=HAND) == ""


def test_message_names_the_cell_of_a_helper_defined_further_down(asked: Asked) -> None:
    said = asked.told(after=SQUARE, hand_derivative=f"k = square(2)\n{HAND}")
    assert (
        "cells run from top to bottom, and `square` is defined only in cell 16, line 1: def square(x):"
        in said
    )


# --- Cells that run in every Jupyter ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scratch", "answer"),
    [
        ("%pylab inline", "def hand_derivative(x):\n    return float(3 * x**2 + 2 * cos(x))"),
        ("%pylab --no-import-all", "def hand_derivative(x):\n    return float(3 * x**2 + 2 * np.cos(x))"),
        (
            "%load_ext autoreload\n%autoreload 2\n%aimport cmath",
            HAND.replace("math.cos(x)", "cmath.cos(x).real"),
        ),
        (f"%matplotlib widget\n%config InlineBackend.figure_format = 'retina'\n%gui qt\n{SQUARE}", HELPED),
        (f"%load_ext no_such_extension\n%no_such_magic --port 1\n{SQUARE}", HELPED),
        (f"%conda install seaborn\nget_ipython().magic('matplotlib inline')\n{SQUARE}", HELPED),
        (f"%%time\n{SQUARE}", HELPED),
        (f"%%capture\n{SQUARE}", HELPED),
    ],
)
def test_cells_with_magics_define_what_they_define_elsewhere(asked: Asked, scratch: str, answer: str) -> None:
    assert asked.told(scratch, hand_derivative=answer) == ""


def test_list_of_shadowed_names_covers_python_and_the_kit() -> None:
    """Without these names in the list, the tests above would show little."""
    assert {"str", "sum", "list", "len", "type", "float", "isinstance", "super", "ValueError"} <= set(PYTHONS)
    assert {"torch", "nn", "math", "leaf", "graphs"} <= set(KITS)
    assert not {"display", "get_ipython"} & set(EVERY)
