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
from tests.support.lessons import LESSONS, assignment, minimal_notebook, questions, save, with_answers
from tests.support.shadowing import ALL_NAMES, BUILTIN_NAMES, KIT_NAMES, binding_cell, isolated_answer
from tests.support.suites import first_of

FIRST = LESSONS[0]
#: Answers of lesson 1 that use names that a scratch cell may have rebound, or a helper from another cell.
STEP = 'def best_step(dtype):\n    return float("1e-4" if str(dtype).endswith("32") else "1e-8")'
HAND = "def hand_derivative(x):\n    return 3 * x**2 + 2 * math.cos(x)"
HAND_WITH_HELPER = "def hand_derivative(x):\n    return 3 * square(x) + 2 * math.cos(x)"
SQUARE = "def square(x):\n    return x * x"


@pytest.fixture(scope="module")
def processes() -> Iterator[Candidates]:
    pool = lasting_pool()
    yield OwnProcesses(pool)
    pool.close()


class NotebookExaminer:
    """An examiner that grades notebooks made of given cells."""

    def __init__(self, processes: Candidates, folder: Path) -> None:
        self._processes, self._folder = processes, folder

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
        lesson_assignment = assignment(lesson)
        notebook = minimal_notebook(with_answers(lesson_assignment.releases[language], answers))
        first = next(index for index, cell in enumerate(notebook.cells) if "nbgrader" in cell.metadata)
        notebook.cells[first:first] = [
            new_code_cell(cell) if isinstance(cell, str) else cell for cell in before
        ]
        notebook.cells += map(new_code_cell, after)
        path = save(notebook, self._folder / f"{lesson.name}.ipynb")
        submission = take_in(path, lesson.name, lesson_assignment.releases)
        assert isinstance(submission, Submission)
        return Examiner(lesson.name, lesson_assignment.source).grade(
            self._processes, submission.script, only=only
        )

    def get_message(
        self, *before: str | NotebookNode, after: str = "", ko: bool = False, **answer: str
    ) -> str:
        """Return the message about one answer of lesson 1; an empty string if the answer passes."""
        (task,) = answer
        answers = {task.id: task.answer.source for task in questions(FIRST)}
        cells: list[str] = [after] if after else []
        report = self.report(FIRST, answers | answer, before, cells, "ko" if ko else "en", task)
        return "".join(failure_messages(report).values())


@pytest.fixture
def examiner(processes: Candidates, tmp_path: Path) -> NotebookExaminer:
    return NotebookExaminer(processes, tmp_path)


def failure_messages(report: Report) -> dict[str, str]:
    return {task.id: task.message for task in report.tasks if task.outcome not in ("passed", "manual")}


# --- Answers that do not use a rebound name keep their points -----------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("lesson", first_of(LESSONS, 1))
def test_rebinding_every_builtin_and_kit_name_costs_no_points(
    examiner: NotebookExaminer, lesson: Lesson
) -> None:
    answers = {task.id: isolated_answer(task.answer.source) for task in questions(lesson)}
    assert failure_messages(examiner.report(lesson, answers, after=[binding_cell()])) == {}


def used_names(answer: str) -> list[str]:
    """Return the names of builtins and of the checking kit that an answer uses without binding them."""
    codes = [compile(answer, "answer", "exec")]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    steps = (step for code in codes for step in dis.get_instructions(code))
    names = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return [name for name in ALL_NAMES if name in names]


@pytest.mark.costly("a lesson's answers, once for each name that they use")
@pytest.mark.parametrize("lesson", first_of(LESSONS, 1))
def test_message_names_each_rebound_name_that_a_failing_answer_uses(
    examiner: NotebookExaminer, lesson: Lesson
) -> None:
    """Only names that an answer uses are tested here; the test above rebinds all others at once."""
    answers = {task.id: task.answer.source for task in questions(lesson)}
    names = {task: used_names(answer) for task, answer in answers.items()}
    assert any(names.values())
    for task, name in [(task, name) for task, task_names in names.items() for name in task_names]:
        report = examiner.report(lesson, answers, after=[binding_cell([name])], only=task)
        for message in failure_messages(report).values():
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
def test_every_way_to_rebind_a_name_leaves_other_answers_their_points(
    examiner: NotebookExaminer, scratch: str
) -> None:
    answers = {task.id: isolated_answer(task.answer.source) for task in questions(FIRST)}
    best_step = {"best_step": "def best_step(dtype):\n    return 1e-4 if dtype.itemsize == 4 else 1e-8"}
    assert failure_messages(examiner.report(FIRST, answers | best_step, after=[scratch])) == {}


# --- Messages about a rebound name: its present value, and the cell that rebound it -------------------------


@pytest.mark.parametrize(
    ("scratch", "present_value"),
    [
        ("str = 'a'", "a str ('a'), since cell 3, line 1: str = 'a'"),
        ("x = 1\nfor str in (1, 2):\n    pass", "an int (2), since cell 3, line 2: for str in (1, 2):"),
        ("class str:\n    pass", "a class (str), since cell 3, line 1: class str:"),
        ("import builtins\nbuiltins.str = 80", "an int (80), since cell 3, line 2: builtins.str = 80"),
        ("import math as str", "a module (math), since cell 3, line 1: import math as str"),
    ],
)
def test_failure_message_names_a_rebound_builtin_that_the_answer_uses(
    examiner: NotebookExaminer, scratch: str, present_value: str
) -> None:
    message = examiner.get_message(scratch, best_step=STEP)
    assert f"likely cause: `str` is not Python's own `str` any more but {present_value}" in message


def test_a_rebound_name_is_named_in_korean(examiner: NotebookExaminer) -> None:
    message = examiner.get_message("str = 'a'", best_step=STEP, ko=True)
    assert (
        "`str`: 이제 파이썬의 원래 `str` 대신 str ('a')입니다. 바꾼 곳은 cell 3, 1번째 줄: str = 'a'"
        in message
    )


def test_a_star_import_is_named_as_what_rebinds_names(examiner: NotebookExaminer) -> None:
    loop = "def doubling_slope(x, limit):\n    k = 0\n    while abs(x * 2**k) < limit:\n        k += 1\n"
    messages = failure_messages(
        examiner.report(FIRST, {"doubling_slope": f"{loop}    return 2.0**k"}, ["from torch import *"])
    )
    cause = "`abs` is not Python's own `abs` any more but a function (torch.abs), since cell 3, line 1: from"
    assert cause in messages["doubling_slope"]


def test_a_wrong_result_names_the_rebound_names_that_the_answer_uses(examiner: NotebookExaminer) -> None:
    helper = "def helper(x):\n    return abs(x)"
    loop = "def doubling_slope(x, limit):\n    k = 0\n    while helper(x * 2**k) < limit:\n        k += 1\n"
    message = examiner.get_message("abs = lambda x: 1e9", helper, doubling_slope=f"{loop}    return 2.0**k")
    assert "note: `abs` is not Python's own `abs` any more but a function (<lambda>), since cell 3" in message


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
def test_failure_message_names_a_rebound_module(examiner: NotebookExaminer, after: str, cause: str) -> None:
    assert cause in examiner.get_message(after=after, hand_derivative=HAND)


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
    examiner: NotebookExaminer, after: str, cause: str
) -> None:
    message = examiner.get_message(after=after, best_step=STEP)
    assert cause in message
    assert ("is not what your answer cell defined" in message) == ("is now" in cause)


def test_message_names_a_reset_magic_that_deleted_the_answers(examiner: NotebookExaminer) -> None:
    answers = {task.id: task.answer.source for task in questions(FIRST)}
    messages = failure_messages(examiner.report(FIRST, answers, after=["%reset -f"]))
    assert len(messages) == len(answers)
    for task, message in messages.items():
        assert f"`{task}` was deleted in cell 16, line 1: %reset -f" in message


# --- Names that no cell has bound ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first_line", "causes"),
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
    examiner: NotebookExaminer, first_line: str, causes: Sequence[str]
) -> None:
    message = examiner.get_message(f"{first_line}\n{SQUARE}", hand_derivative=HAND_WITH_HELPER)
    assert "NameError: name 'square' is not defined" in message
    assert [cause for cause in causes if cause not in message] == [], message


def test_a_helper_whose_cell_stopped_is_named_in_korean(examiner: NotebookExaminer) -> None:
    message = examiner.get_message(
        f"import no_such_package\n{SQUARE}", hand_derivative=HAND_WITH_HELPER, ko=True
    )
    assert "`square`: 정의하는 셀이 그 전에 오류로 멈추었습니다(ModuleNotFoundError" in message
    assert "멈춘 곳은 cell 3, 1번째 줄: import no_such_package" in message
    assert "답을 확인하는 곳에는 no_such_package 패키지가 없고" in message


def test_message_says_that_an_imported_package_is_not_installed_here(examiner: NotebookExaminer) -> None:
    message = examiner.get_message(hand_derivative=f"import mine\n{HAND}")
    assert "likely cause: where answers are checked there is no package mine, and no file of yours" in message


@pytest.mark.whole
@pytest.mark.parametrize(
    "magic", ["%%timeit", "%%writefile mine.py", "%%html", "%%debug", "%%python3", "%%cython"]
)
def test_message_explains_an_answer_below_a_cell_magic(examiner: NotebookExaminer, magic: str) -> None:
    message = examiner.get_message(hand_derivative=f"{magic}\n{HAND}")
    name = magic.split()[0]
    assert (
        f"nothing is defined below {name}, where `hand_derivative` stands: answer hand_derivative, line 2"
        in message
    )


def test_message_explains_an_answer_written_in_a_text_cell(examiner: NotebookExaminer) -> None:
    message = examiner.get_message(
        new_markdown_cell(f"My helper\n{SQUARE}"), hand_derivative=HAND_WITH_HELPER
    )
    assert "the definition of `square` stands in a text cell; make that a code cell: cell 3" in message


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
def test_message_explains_why_a_helper_is_missing(
    examiner: NotebookExaminer, helper: str, cause: str
) -> None:
    assert cause in examiner.get_message(helper, hand_derivative=HAND_WITH_HELPER)


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
def test_message_says_that_a_helpers_file_was_not_submitted(
    examiner: NotebookExaminer, scratch: str, cause: str
) -> None:
    assert cause in examiner.get_message(scratch, hand_derivative=HAND_WITH_HELPER)


def test_message_names_the_cell_that_redefined_a_helper(examiner: NotebookExaminer) -> None:
    """Redefine the helper once so that the answer raises an error, and once so that its result is wrong."""
    for redefinition in ("def square():\n    return 4", "def square(x):\n    return x + 1"):
        message = examiner.get_message(SQUARE, after=redefinition, hand_derivative=HAND_WITH_HELPER)
        assert "`square` is now a function (square), since cell 17, line 1: def square(" in message


def test_hundreds_of_failing_cells_cost_no_points_and_little_time(examiner: NotebookExaminer) -> None:
    assert examiner.get_message(*["not_there()"] * 600, hand_derivative=HAND) == ""


def test_message_names_the_cell_of_a_helper_defined_further_down(examiner: NotebookExaminer) -> None:
    message = examiner.get_message(after=SQUARE, hand_derivative=f"k = square(2)\n{HAND}")
    assert (
        "cells run from top to bottom, and `square` is defined only in cell 16, line 1: def square(x):"
        in message
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
        (
            f"%matplotlib widget\n%config InlineBackend.figure_format = 'retina'\n%gui qt\n{SQUARE}",
            HAND_WITH_HELPER,
        ),
        (f"%load_ext no_such_extension\n%no_such_magic --port 1\n{SQUARE}", HAND_WITH_HELPER),
        (f"%conda install seaborn\nget_ipython().magic('matplotlib inline')\n{SQUARE}", HAND_WITH_HELPER),
        (f"%%time\n{SQUARE}", HAND_WITH_HELPER),
        (f"%%capture\n{SQUARE}", HAND_WITH_HELPER),
    ],
)
def test_cells_with_magics_define_what_they_define_elsewhere(
    examiner: NotebookExaminer, scratch: str, answer: str
) -> None:
    assert examiner.get_message(scratch, hand_derivative=answer) == ""


def test_list_of_shadowed_names_covers_python_and_the_kit() -> None:
    """Check the names that the tests above rebind: without the common names, the tests would show little."""
    assert {"str", "sum", "list", "len", "type", "float", "isinstance", "super", "ValueError"} <= set(
        BUILTIN_NAMES
    )
    assert {"torch", "nn", "math", "leaf", "graphs"} <= set(KIT_NAMES)
    assert not {"display", "get_ipython"} & set(ALL_NAMES)
