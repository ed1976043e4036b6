"""Assignments and submissions with the scores that stock nbgrader gives.

Each case has a score for every graded cell. `test_plain.py` compares our scores with these scores; in the
whole suite, it also compares these scores with stock nbgrader's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from tests.support.plain_course import answer, code, graded, locked, manual, notebook, task

#: A student's changes to the released cells: the new source by grade_id; None deletes the cell.
Answers = Mapping[str, str | None]


@dataclass(frozen=True)
class Case:
    """One assignment and one submission, with the expected scores.

    Attributes:
        name: the case's id in the list of tests.
        cells: the assignment's cells.
        answers: the student's sources, by grade_id; None deletes the cell.
        scores: the score of each cell that gives points; None if a person must grade the cell.
        extra_cells: the student's own cells, after the assignment's.
        leading_cells: the student's own cells, before the assignment's.
        files: the contents of files next to the submitted notebook, by name.
        timeout: the time limit for one cell, in seconds.
    """

    name: str
    cells: Sequence[NotebookNode]
    answers: Answers
    scores: Mapping[str, float | None]
    extra_cells: Sequence[NotebookNode] = ()
    leading_cells: Sequence[NotebookNode] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    timeout: float = 10.0

    def submission(self) -> NotebookNode:
        """Return the notebook that the student submits."""
        cells = [cell.copy() for cell in self.cells if self.answers.get(_id(cell), "") is not None]
        for cell in cells:
            cell.source = self.answers.get(_id(cell)) or cell.source
        return notebook(*self.leading_cells, *cells, *self.extra_cells)


def _id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
SQUARES = (
    code("import math"),
    answer("squares", STUB),
    graded("t", "assert squares(3) == [0, 1, 4]", 2),
)
RIGHT = "def squares(n):\n    return [i**2 for i in range(n)]"
WRONG = "def squares(n):\n    return [i for i in range(n)]"
SUM = (
    *SQUARES,
    answer("total", STUB),
    graded("total_is_right", "assert total(3) == 5", 1),
    graded(
        "total_uses_squares",
        "kept = squares\ndel squares\ntry:\n    total(3)\nexcept NameError:\n    pass\nelse:\n"
        "    raise AssertionError('does not use squares')\nsquares = kept",
        1,
    ),
    graded("squares_is_back", "assert squares(1) == [0]", 1),
)


def single_answer(test: str, points: float = 3) -> tuple[NotebookNode, ...]:
    """Return an assignment of one answer `x = ...` and one test."""
    return (answer("x", STUB), graded("t", test, points))


def credit(value: str) -> tuple[NotebookNode, ...]:
    """Return an assignment of one answer and a test that ends with the expression `value`."""
    return single_answer(f"assert x == 1\n{value}")


CASES = [
    Case("untouched", SQUARES, {}, {"t": 0}),
    Case("right", SQUARES, {"squares": RIGHT}, {"t": 2}),
    Case("wrong", SQUARES, {"squares": WRONG}, {"t": 0}),
    Case("test changed by the student", SQUARES, {"squares": WRONG, "t": "assert True"}, {"t": 0}),
    Case("test deleted by the student", SQUARES, {"squares": RIGHT, "t": None}, {"t": None}),
    Case("answer deleted by the student", SQUARES, {"squares": None}, {"t": 0}),
    Case("answer that is no Python", SQUARES, {"squares": "def squares(n)\n"}, {"t": 0}),
    Case(
        "locked cell changed by the student",
        (locked("given", "n = 3"), answer("x", STUB), graded("t", "assert x == 9", 1)),
        {"given": "n = 4", "x": "x = n**2"},
        {"t": 1},
    ),
    Case(
        "answer twice: the last one keeps the id, both run",
        SQUARES,
        {"squares": WRONG},
        {"t": 0},
        extra_cells=(answer("squares", RIGHT),),
    ),
    Case(
        "test twice: the last one is graded",
        SQUARES,
        {"squares": WRONG},
        {"t": 2},
        extra_cells=(answer("squares", RIGHT), graded("t", "assert False", 9)),
    ),
    Case(
        "several tests of an answer, one of which deletes it",
        SUM,
        {"squares": RIGHT, "total": "def total(n):\n    return sum(squares(n))"},
        {"t": 2, "total_is_right": 1, "total_uses_squares": 1, "squares_is_back": 1},
    ),
    Case(
        "an answer that does not use the other",
        SUM,
        {"squares": RIGHT, "total": "def total(n):\n    return sum(i * i for i in range(n))"},
        {"t": 2, "total_is_right": 1, "total_uses_squares": 0, "squares_is_back": 0},
    ),
    Case(
        "test that expects the student's function to raise",
        single_answer(
            "try:\n    x(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError('no error')", 1
        ),
        {"x": "def x(n):\n    if n < 0:\n        raise ValueError(n)"},
        {"t": 1},
    ),
    Case(
        "test on a variable that a later cell changes",
        (answer("x", STUB), graded("t", "assert x == 1", 1), code("x = 2"), graded("u", "assert x == 2", 1)),
        {"x": "x = 1"},
        {"t": 1, "u": 1},
    ),
    Case(
        "names and values that one test leaves to the next",
        (
            answer("x", STUB),
            graded("t", "stack = x()\nstack.append(5)\nassert stack == [5]", 1),
            graded("u", "stack.append(6)\nassert stack.pop() == 6 and stack == [5]", 1),
            code("import json"),
            graded("v", "import string as text\nassert stack", 1),
            graded("w", "assert text.digits and json", 1),
        ),
        {"x": "x = list"},
        {"t": 1, "u": 1, "v": 1, "w": 1},
    ),
    Case(
        "state inside of a function that tests call",
        (
            answer("x", STUB),
            graded("t", "assert x() == 1", 1),
            graded("u", "assert x() == 2", 1),
        ),
        {"x": "calls = []\ndef x():\n    calls.append(1)\n    return len(calls)"},
        {"t": 1, "u": 1},
    ),
    Case("partial credit", credit("1.5"), {"x": "x = 1"}, {"t": 1.5}),
    Case("partial credit of an integer", credit("2"), {"x": "x = 1"}, {"t": 2}),
    Case("partial credit of nothing", credit("0"), {"x": "x = 1"}, {"t": 0}),
    Case("partial credit of all", credit("3"), {"x": "x = 1"}, {"t": 3}),
    Case("negative number", credit("-1"), {"x": "x = 1"}, {"t": 3}),
    Case("number that is none", credit("float('nan')"), {"x": "x = 1"}, {"t": 3}),
    Case("truth", credit("True"), {"x": "x = 1"}, {"t": 3}),
    Case("text", credit("'1'"), {"x": "x = 1"}, {"t": 3}),
    Case("None", credit("None"), {"x": "x = 1"}, {"t": 3}),
    Case("number behind a semicolon", credit("1;"), {"x": "x = 1"}, {"t": 3}),
    Case("number with a comment", credit("1  # of three;"), {"x": "x = 1"}, {"t": 1}),
    Case("number that is printed", credit("print(1)"), {"x": "x = 1"}, {"t": 3}),
    Case("number that is given a name", credit("y = 1"), {"x": "x = 1"}, {"t": 3}),
    Case("partial credit before an error", single_answer("x / 0\n2"), {"x": "x = 1"}, {"t": 0}),
    Case(
        "error output",
        single_answer("import sys\nprint('careful', file=sys.stderr)\nassert x == 1"),
        {"x": "x = 1"},
        {"t": 0},
    ),
    Case(
        "warning in a test",
        single_answer("import warnings\nwarnings.warn('careful')\nassert x == 1"),
        {"x": "x = 1"},
        {"t": 0},
    ),
    Case(
        "error output of a logger that an earlier cell made",
        (
            code(
                "import logging, sys\nlog = logging.getLogger('a')\nlog.addHandler(logging.StreamHandler())"
            ),
            answer("x", STUB),
            graded("t", "log.warning('careful')\nassert x == 1", 1),
        ),
        {"x": "x = 1"},
        {"t": 0},
    ),
    Case(
        "error output of the student's own cell",
        single_answer("assert x == 1", 1),
        {"x": "import sys\nprint('a', file=sys.stderr)\nx = 1"},
        {"t": 1},
    ),
    Case(
        "a lot of output", single_answer("for i in range(100000):\n    print(x)", 1), {"x": "x = 1"}, {"t": 1}
    ),
    Case(
        "time limit of a test",
        single_answer("import time\ntime.sleep(9)", 1),
        {"x": "x = 1"},
        {"t": 0},
        timeout=1.0,
    ),
    Case(
        "endless loop in an answer",
        (answer("x", STUB), graded("t", "assert y == 1", 1), graded("u", "assert x", 1)),
        {"x": "y = 1\nwhile True:\n    pass\nx = 1"},
        {"t": 1, "u": 0},
        timeout=1.0,
    ),
    Case(
        "alarm of the notebook's own",
        (
            code("import signal\ndef late(*_):\n    raise TimeoutError\nsignal.signal(signal.SIGALRM, late)"),
            answer("x", STUB),
            graded(
                "t",
                "signal.alarm(1)\ntry:\n    x()\nexcept TimeoutError:\n    pass\n"
                "finally:\n    signal.alarm(0)",
                1,
            ),
        ),
        {"x": "import time\ndef x():\n    time.sleep(5)\n    raise ValueError"},
        {"t": 1},
    ),
    Case("endless recursion", single_answer("x()", 1), {"x": "def x():\n    return x()"}, {"t": 0}),
    Case(
        "file beside the notebook",
        single_answer("assert x == 6", 1),
        {"x": "x = sum(map(int, open('data/numbers.txt').read().split()))"},
        {"t": 1},
        files={"data/numbers.txt": b"1 2 3\n"},
    ),
    Case(
        "module beside the notebook",
        single_answer("assert x == 5", 1),
        {"x": "import helper\nx = helper.five"},
        {"t": 1},
        files={"helper.py": b"five = 5\n"},
    ),
    Case(
        "file that a test writes and the next one reads",
        (
            answer("x", STUB),
            graded("t", "with open('out.txt', 'w') as file:\n    file.write(x)", 1),
            graded("u", "assert open('out.txt').read() == 'a'", 1),
        ),
        {"x": "x = 'a'"},
        {"t": 1, "u": 1},
    ),
    Case(
        "name of what is done",
        single_answer("import os\nassert os.environ['NBGRADER_EXECUTION'] == 'autograde'", 1),
        {"x": "x = 1"},
        {"t": 1},
    ),
    Case(
        "magics, and a test with one",
        (code("%matplotlib inline"), *single_answer("%time y = x\nassert y == 1", 1)),
        {"x": "%%time\nx = 1"},
        {"t": 1},
    ),
    Case(
        "shell line in an answer",
        single_answer("assert x == ['hello']", 1),
        {"x": "x = !echo hello"},
        {"t": 1},
    ),
    Case(
        "answers that a person grades",
        (manual("why", "Because"), manual("how", "pass", kind="code"), task("essay", "Write."), *SQUARES),
        {"squares": RIGHT, "why": "My reason", "how": "y = 1"},
        {"why": None, "how": None, "essay": None, "t": 2},
    ),
    Case(
        "answers for a person that are as they were given",
        (manual("why", "Because"), manual("how", "pass", kind="code"), *SQUARES),
        {"squares": RIGHT, "why": "YOUR ANSWER HERE", "how": STUB},
        {"why": 0, "how": 0, "t": 2},
    ),
    Case(
        "hidden test that fails",
        (
            *SQUARES,
            graded(
                "h",
                "assert squares(1)\n### BEGIN HIDDEN TESTS\nassert squares(2) == [0, 1]\n"
                "### END HIDDEN TESTS",
            ),
        ),
        {"squares": "def squares(n):\n    return [0]"},
        {"t": 0, "h": 0},
    ),
    Case(
        "exception that ends the interpreter",
        (answer("x", STUB), graded("t", "x()", 1), graded("u", "assert 1", 1)),
        {"x": "def x():\n    raise SystemExit"},
        {"t": 0, "u": 1},
    ),
    Case(
        "generator of random numbers that a locked cell seeds",
        (
            locked("seed", "import random\nrandom.seed(1)"),
            *single_answer("assert x == random.Random(1).random()", 1),
        ),
        {"x": "x = random.random()"},
        {"t": 1},
    ),
    Case(
        "builtin that the assignment asks for",
        (
            answer("sum", "def sum(numbers):\n    # YOUR CODE HERE\n    raise NotImplementedError()"),
            graded("t", "assert sum([1, 2]) == 'mine'", 1),
        ),
        {"sum": "def sum(numbers):\n    return 'mine'"},
        {"t": 1},
    ),
    Case(
        "input that a test answers",
        single_answer(
            "from unittest.mock import patch\nwith patch('builtins.input', lambda *a: '4'):\n"
            "    assert x() == 4",
            1,
        ),
        {"x": "def x():\n    return int(input('number: '))"},
        {"t": 1},
    ),
    Case(
        "printed text that a test reads",
        single_answer(
            "import io\nfrom contextlib import redirect_stdout\nout = io.StringIO()\n"
            "with redirect_stdout(out):\n    x()\nassert out.getvalue() == 'hi\\n'",
            1,
        ),
        {"x": "def x():\n    print('hi')"},
        {"t": 1},
    ),
    Case(
        "numpy, with its own assertions",
        single_answer(
            "import numpy as np\nnp.testing.assert_allclose(x, np.eye(2))\nassert np.allclose(x, np.eye(2))",
            1,
        ),
        {"x": "import numpy as np\nx = np.identity(2)"},
        {"t": 1},
    ),
    Case(
        "number of numpy's as partial credit",
        single_answer("import numpy as np\nnp.float64(0.5) * x"),
        {"x": "x = 1"},
        {"t": 3},
    ),
    Case(
        "class of the test's own",
        single_answer(
            "class Case:\n    def check(self):\n        return super().__class__ and len([x]) == 1\n"
            "assert Case().check()",
            1,
        ),
        {"x": "x = 1"},
        {"t": 1},
    ),
]


def ids(case: Case) -> str:
    """Return the id of a case in the list of tests."""
    return case.name


def marks(case: Case) -> list[dict[str, Any]]:
    """Return nbgrader's metadata of the cells that give points."""
    metadata = [cell.metadata.get("nbgrader", {}) for cell in case.cells]
    return [mark for mark in metadata if mark.get("grade") or mark.get("task")]
