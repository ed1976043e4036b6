"""Tricks that try to gain points for wrong answers, where the answer shares a process with its test.

Each trick is recorded with the points, out of 12, that it gains in our wall and with stock nbgrader.
Without a trick, the wrong answers gain no points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from tests.autograder.exam.plain_cases import STUB, Case
from tests.support.plain_course import answer, code, graded

_COUNTS = """score = 0
for text, right in (("aab", {"a": 2, "b": 1}), ("", {}), ("xyz", {"x": 1, "y": 1, "z": 1})):
    if counts(text) == right:
        score += 1
score"""
_ADD = """assert add(2, 3) == 5
### BEGIN HIDDEN TESTS
assert add(20, 30) == 50
### END HIDDEN TESTS"""
CELLS = (
    code("import numpy as np"),
    answer("det", STUB),
    graded("t_det", "assert abs(det - 5) < 1e-9", 2),
    answer("halves", STUB),
    graded("t_close", "assert np.allclose(halves(np.ones(3)), [0.5, 0.5, 0.5])", 2),
    graded("t_testing", "np.testing.assert_allclose(halves(np.arange(2.0)), [0.0, 0.5])", 3),
    answer("counts", STUB),
    graded("t_counts", _COUNTS, 3),
    answer("add", STUB),
    graded("t_add", _ADD, 2),
)
WRONG = {
    "det": "det = 4.0",
    "halves": "def halves(v):\n    return v + 1",
    "counts": "def counts(text):\n    return {'no': 0}",
    "add": "def add(a, b):\n    return a - b",
}
_EQUAL = """class Equal(dict):
    __eq__ = __lt__ = __le__ = lambda self, other: True
    __sub__ = __add__ = __abs__ = lambda self, *other: self
    __hash__ = None
"""
_EQUAL_ARRAY = """class Same(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **rest):
        return np.bool_(True) if ufunc.nout == 1 else (np.bool_(True),) * ufunc.nout
    def __array_function__(self, function, types, args, kwargs):
        return True
"""
_FORGED = """import os, sys
def forge(points):
    frame = sys._getframe()
    while frame is not None and "request" not in frame.f_locals:
        frame = frame.f_back
    if frame is None:
        return
    request, above = frame.f_locals["request"], frame.f_back
    reply = {"error": "", "message": "", "trace": [], "output": "", "stderr": False, "timed_out": False}
    reply |= {"value": points, "proof": request["proof"]}
    while "channel" not in above.f_locals:
        above = above.f_back
    from autograder.sandbox.inside import wire
    in_line = above.f_code.co_name == "serve"
    if in_line and points:  # not the last test, after which nobody needs this process
        return
    answer = reply | {"threads": 1} if in_line else {"kind": "value", "value": reply}
    wire.send(above.f_locals["channel"], answer)
    os._exit(0)
"""
_FROM_CONSTANTS = """import sys
def told(*args):
    constants = sys._getframe(2).f_code.co_consts
    place = constants.index(args[-1])
    return constants[place + 1]
"""
_CODE = """from numpy.testing._private import utils
utils.assert_array_compare.__code__ = (lambda *a, **k: None).__code__
def same(*a, **k):
    return True
np.allclose.__wrapped__.__code__ = (lambda *a, **k: True).__code__
"""
_THREAD = """import threading
def again():
    while True:
        np.allclose = lambda *a, **k: True
        np.testing.assert_allclose = lambda *a, **k: None
threading.Thread(target=again, daemon=True).start()
"""
_MARSHAL = """import marshal
marshal.loads = lambda data: compile("3", "a", "eval")
"""
_SESSION = """import sys
if plain := sys.modules.get("autograder.sandbox.inside.plain"):
    said = {"error": "", "message": "", "trace": [], "output": "", "stderr": False, "timed_out": False}
    plain.Session.run_test = lambda self, request: {**said, "value": "", "proof": request["proof"]}
    plain._serve_copy = plain.fork_task = None
"""
_HELPERS = """import sys
if plain := sys.modules.get("autograder.sandbox.inside.plain"):
    plain.restore_libraries = lambda known: None
    plain._text_of = lambda value: "3"
    plain.Session._limited = plain.contextlib.suppress
    plain.Session._report = lambda self, error: {}
"""


@dataclass(frozen=True)
class Forgery:
    """A trick and the points that it gains.

    Attributes:
        name: the trick's id in the list of tests.
        wall_points, stock_points: the points that the trick gains in our wall and with stock nbgrader.
        first_code: the student's code before all other cells.
        answers: sources that replace the wrong answers, by grade_id.
        last_cells: the student's cells after all other cells.
        races: whether the trick may also gain fewer points, because it runs at the same time as the tests.
    """

    name: str
    wall_points: float
    stock_points: float
    first_code: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    last_cells: Sequence[NotebookNode] = ()
    races: bool = False

    def gains(self, points: float, expected: float) -> bool:
        """Return whether the points equal the recorded gain; a trick that races may also gain fewer."""
        return 0 <= points <= expected if self.races else points == expected

    @property
    def case(self) -> Case:
        """Return the submission as a case without expected scores."""
        first_cells = (code(f"import numpy as np\n{self.first_code}"),)
        return Case(
            self.name,
            CELLS,
            WRONG | self.answers,
            {},
            extra_cells=self.last_cells,
            leading_cells=first_cells,
            timeout=10.0,
        )


SHELL = "shell = get_ipython()\n"
FORGERIES = [
    Forgery("no trick", 0, 0),
    Forgery("np.allclose patched", 0, 2, "np.allclose = lambda *a, **k: True"),
    Forgery("numpy.testing patched", 0, 3, "np.testing.assert_allclose = lambda *a, **k: None"),
    Forgery(
        "a function deep in numpy patched",
        0,
        5,
        "np._core.numeric.isclose = lambda *a, **k: np.array([True])",
    ),
    Forgery("the code of numpy's functions exchanged", 0, 5, _CODE),
    Forgery("a thread that patches numpy again and again", 5, 5, _THREAD, races=True),
    Forgery("builtins.abs patched", 0, 7, "import builtins\nbuiltins.abs = lambda x: 0"),
    Forgery("abs defined in the notebook", 0, 2, "abs = lambda x: 0"),
    Forgery(
        "np replaced by an object of the notebook's",
        5,
        5,
        answers={
            "halves": "from types import SimpleNamespace as N\nyes = lambda *a, **k: True\n"
            "np = N(ones=yes, arange=yes, allclose=yes, testing=N(assert_allclose=yes))\n"
            "def halves(v):\n    return v"
        },
    ),
    Forgery(
        "an object that equals everything",
        7,
        7,
        _EQUAL,
        {
            "det": "det = Equal()",
            "counts": "def counts(text):\n    return Equal()",
            "add": "def add(a, b):\n    return Equal()",
        },
    ),
    Forgery(
        "an array that equals everything",
        2,
        2,
        _EQUAL_ARRAY,
        {
            "halves": "def halves(v):\n    return v.view(Same)",
        },
    ),
    Forgery(
        "run_cell patched",
        0,
        12,
        SHELL
        + (
            "kept = shell.run_cell\n"
            "def run_cell(source, *a, **k):\n"
            "    return kept('pass' if 'assert' in source or 'score' in source else source, *a, **k)\n"
            "shell.run_cell = run_cell"
        ),
    ),
    Forgery(
        "input transformer that empties tests",
        0,
        12,
        SHELL
        + (
            "shell.input_transformers_cleanup.append(\n"
            "    lambda lines: ['pass\\n'] if any('assert' in l or 'score' in l for l in lines) else lines)"
        ),
    ),
    Forgery(
        "AST transformer that drops assertions",
        0,
        9,
        SHELL
        + (
            "import ast\n"
            "class Drop(ast.NodeTransformer):\n"
            "    def visit_Assert(self, node):\n        return ast.Pass()\n"
            "    def visit_Expr(self, node):\n"
            "        return ast.Pass() if 'testing' in ast.dump(node) else node\n"
            "shell.ast_transformers.append(Drop())"
        ),
    ),
    Forgery("showtraceback patched", 0, 0, SHELL + "shell.showtraceback = lambda *a, **k: None"),
    Forgery(
        "display hook that shows a number",
        0,
        3,
        SHELL
        + (
            "hook = type(shell.displayhook)\nkept = hook.__call__\n"
            "hook.__call__ = lambda self, result=None: kept(self, 3 if result == 0 else result)"
        ),
    ),
    Forgery(
        "a number displayed by the answer",
        0,
        0,
        answers={"counts": "def counts(text):\n    display(3)\n    return {'no': 0}"},
    ),
    Forgery(
        "the answer ends the process",
        0,
        0,
        "import os",
        {
            "add": "def add(a, b):\n    os._exit(0)",
        },
    ),
    Forgery("the answer raises SystemExit", 0, 0, answers={"add": "def add(a, b):\n    raise SystemExit(0)"}),
    Forgery(
        "what a test compares with, read from its code",
        2,
        2,
        _FROM_CONSTANTS,
        {
            "add": "def add(a, b):\n    return told(a, b)",
        },
    ),
    Forgery(
        "the score of a test set from the function it calls",
        3,
        3,
        answers={
            "counts": "import sys\nclass Three(int):\n    def __add__(self, n):\n        return 3\n"
            "def counts(text):\n    sys._getframe(1).f_globals['score'] = 3\n    return {}",
        },
    ),
    Forgery("marshal patched, by which tests arrive", 0, 0, _MARSHAL),
    Forgery("the method that runs tests patched", 0, 0, _SESSION),
    Forgery("the functions that run tests and restore modules patched", 0, 0, _HELPERS),
    Forgery(
        "a reply forged by who knows the protocol",
        5,
        0,
        _FORGED,
        {
            "counts": "def counts(text):\n    forge('3')\n    return {'no': 0}",
            "add": "def add(a, b):\n    forge('')\n    return 0",
        },
    ),
    Forgery(
        "tests of the student's own",
        0,
        0,
        last_cells=[graded("t_add", "assert True", 100), graded("u", "1", 100)],
    ),
]


def ids(forgery: Forgery) -> str:
    """Return the id of a forgery in the list of tests."""
    return forgery.name
