# ruff: noqa: E501 (the cases are code in strings)
"""Group A: tricks that try to get points for a wrong answer.

tests/autograder/intake tests some of them, too. Those tests check what the intake makes of a file, and these
cases check the final score.
"""

import copy
from collections.abc import Callable
from typing import Any

from tests.hostile.cases import Submission, add_both, add_right, add_wrong, prelude
from tests.hostile.world import LESSON, RIGHT, World, graded_cells, insert_code

SHELL = "from IPython import get_ipython\nshell = get_ipython()\n"


def in_each_function(code: str, first: str = "") -> Callable[[World, Any], Submission]:
    """Return a function that makes a submission with the trick inside the function of each answer."""
    return lambda world, answers: world.notebook(
        insert_code(code.replace("ROOT", str(world.root)), answers), first=first
    )


def change_tests(change: Callable[[dict[str, Any]], None]) -> Callable[[World, Any], Submission]:
    """Return a function that makes a submission whose trick is a change to each test cell in the file."""

    def make(world: World, answers: Any) -> Submission:
        notebook = world.notebook(answers)
        for cell in graded_cells(notebook):
            change(cell)
        return notebook

    return make


# --- Changing the tools that compare -------------------------------------------------------------------

add_both(
    "A01",
    "patch comparison functions",
    prelude(
        "import numpy as np, torch\n"
        "np.allclose = torch.allclose = torch.equal = np.array_equal = lambda *a, **k: True\n"
        "torch.isclose = lambda *a, **k: torch.tensor(True)\n"
        "from secant import check\n"
        "check.close = check.equal = check.holds = check.untouched = lambda *a, **k: None"
    ),
)
add_both(
    "A02",
    "patch assert_close",
    prelude(
        "import torch.testing\n"
        "torch.testing.assert_close = lambda *a, **k: None\n"
        "from secant import check\n"
        "check.close = torch.testing.assert_close\n"
        "check.fail = lambda message: None"
    ),
)
# Patched builtins also break the student's own process, so only the wrong answer is tried.
add_wrong(
    "A03",
    "patch builtins",
    prelude(
        "import builtins\n"
        "builtins.abs = lambda *a: 0\n"
        "builtins.isinstance = lambda *a: True\n"
        "builtins.all = lambda *a: True\n"
        "builtins.AssertionError = type('AssertionError', (Exception,), {})"
    ),
    "wrong|crashed",
)
add_wrong(
    "A04",
    "always-equal ndarray, tensor and float",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return AnyTensor(x * 0)",
            "slope_at": "def slope_at(x):\n    return AnyFloat(0.0)",
            "doubled": "def doubled(x):\n    return AnyArray((2,)), AnyFloat(0.0)",
        },
        first="""
import numpy as np, torch

class AnyArray(np.ndarray):
    __array_function__ = lambda *a, **k: True
    __eq__ = lambda s, o: True
    __float__ = lambda s: 6.0

class AnyFloat(float):
    __class__ = float
    __eq__ = lambda s, o: True
    __sub__ = __rsub__ = __abs__ = lambda *a: 0.0
    __float__ = lambda s: 6.0
    __hash__ = float.__hash__

class AnyTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.allclose, torch.equal):
            return True
        if func is torch.isclose:
            return torch.tensor(True)
        return super().__torch_function__(func, types, args, kwargs or {})
""",
    ),
)
add_both(
    "A06",
    "global TorchFunctionMode",
    prelude("""
import torch
from torch.overrides import TorchFunctionMode

class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in (torch.allclose, torch.equal):
            return True
        if func is torch.isclose:
            return torch.tensor(True)
        return func(*args, **(kwargs or {}))

mode = Mode()
mode.__enter__()
"""),
)
add_wrong(
    "A08",
    "rewrite the expected value",
    in_each_function(
        "import gc, torch\n"
        "for o in gc.get_objects():\n"
        "    if type(o) is torch.Tensor and o.dim() < 2 and not o.requires_grad:\n"
        "        o.zero_()"
    ),
)
add_both(
    "A62",
    "change the global tolerances",
    prelude("""
import functools, math
import numpy as np
import torch.testing._comparison as comparison
import secant.checking.comparison as ours

comparison.default_tolerances = lambda *a, **k: (1e9, 1e9)
comparison._DTYPE_PRECISIONS = {key: (1e9, 1e9) for key in comparison._DTYPE_PRECISIONS}
math.isclose = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
np.isclose = np.allclose = lambda *a, **k: True
ours._tolerance = lambda *a: (1e9, 1e9)
"""),
)

# --- Changing how cells run --------------------------------------------------------------------------

add_both(
    "A09",
    "drop asserts by an AST transformer",
    prelude(
        SHELL + "import ast\n"
        "class Drop(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node):\n"
        "        return ast.copy_location(ast.Pass(), node)\n"
        "    def visit_Expr(self, node):\n"
        "        return ast.copy_location(ast.Pass(), node) if 'check' in ast.unparse(node) else node\n"
        "shell.ast_transformers.append(Drop())"
    ),
)
add_both(
    "A10",
    "input transformers",
    prelude(
        SHELL + "def swallow(lines):\n"
        "    return ['pass\\n'] if any('check' in line for line in lines) else lines\n"
        "shell.input_transformers_cleanup.append(swallow)\n"
        "shell.input_transformers_post.append(swallow)"
    ),
)
add_both(
    "A12",
    "hide the traceback",
    prelude(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.showtraceback = lambda *a, **k: None"
    ),
)
add_both(
    "A13",
    "_showtraceback and excepthook",
    prelude(
        SHELL + "import sys\nshell._showtraceback = lambda *a, **k: None\nsys.excepthook = lambda *a: None"
    ),
)
add_both(
    "A14",
    "success property",
    prelude(
        "from IPython.core.interactiveshell import ExecutionResult, InteractiveShell\n"
        "ExecutionResult.success = property(lambda self: True)\n"
        "InteractiveShell.showtraceback = lambda *a, **k: None"
    ),
)
add_both(
    "A15",
    "post-run hook",
    prelude(
        SHELL + "from IPython.display import clear_output\n"
        "def forgive(result):\n"
        "    result.error_in_exec = None\n"
        "    clear_output()\n"
        "shell.events.register('post_run_cell', forgive)"
    ),
)
add_wrong(
    "A17",
    "patch run_code",
    prelude(SHELL + "async def run_code(*a, **k):\n    return False\nshell.run_code = run_code"),
)
add_both(
    "A18",
    "patch do_execute",
    prelude(
        SHELL + "kernel = getattr(shell, 'kernel', None)\n"
        "if kernel is not None:\n"
        "    real = kernel.do_execute\n"
        "    def do_execute(code, *a, **k):\n"
        "        return real('pass' if 'check' in code else code, *a, **k)\n"
        "    kernel.do_execute = do_execute"
    ),
)
add_wrong("A20", "display a value", in_each_function("import sys\nsys.displayhook('ok')"))
add_wrong("A21", "negative partial credit", in_each_function("import sys\nsys.displayhook(-1)"))
add_right(
    "A23",
    "more than the maximum",
    in_each_function("import sys\nsys.displayhook(1000)"),
)
add_wrong(
    "A27",
    "read the test from In",
    in_each_function(
        "import ast, re\n"
        "cell = get_ipython().user_ns['In'][-1]\n"
        "numbers = [float(n) for n in re.findall(r'\\d+\\.\\d+', cell)]\n"
        "wanted = numbers[1]\n"
        "import torch\n"
        "return {3.0: wanted}.get(x) if isinstance(x, float) else torch.tensor(numbers[3:6])"
    ),
)
add_wrong(
    "A29",
    "settrace jumps over asserts",
    in_each_function(
        "import sys\n"
        "frame = sys._getframe(1)\n"
        "lines = frame.f_code.co_firstlineno + 60\n"
        "def jump(f, event, arg):\n"
        "    if event == 'line' and f is frame:\n"
        "        for line in range(lines, f.f_lineno, -1):\n"
        "            try:\n"
        "                f.f_lineno = line\n"
        "                break\n"
        "            except ValueError:\n"
        "                pass\n"
        "    return jump\n"
        "while frame:\n"
        "    frame.f_trace = jump\n"
        "    frame = frame.f_back\n"
        "frame = sys._getframe(1)\n"
        "sys.settrace(jump)"
    ),
)
add_wrong("A30", "sys.exit in the function", in_each_function("import sys\nsys.exit(0)"))
add_wrong(
    "A31",
    "os._exit(0) in one task",
    lambda world, answers: world.notebook(
        {**RIGHT, "slope_at": "def slope_at(x):\n    import os\n    os._exit(0)"}
    ),
    ("passed", "crashed", "passed"),
)
add_wrong(
    "A32",
    "KeyboardInterrupt, GeneratorExit, CancelledError",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    raise KeyboardInterrupt",
            "slope_at": "def slope_at(x):\n    raise GeneratorExit",
            "doubled": "def doubled(x):\n    import asyncio\n    raise asyncio.CancelledError",
        }
    ),
)
add_both("A34", "exit() at the top", prelude("exit()"))
add_both("A47", "%pdb on", prelude("%pdb 1\n1/0"))
add_both(
    "A51",
    "cheat only when graded",
    prelude(
        "import os\n"
        "if os.environ.get('NBGRADER_EXECUTION'):\n"
        "    from secant import check\n"
        "    import torch, builtins\n"
        "    check.close = check.untouched = torch.testing.assert_close = lambda *a, **k: None\n"
        "    torch.allclose = torch.equal = builtins.all = lambda *a, **k: True\n"
        "    import numpy\n"
        "    numpy.allclose = torch.allclose"
    ),
)

# --- Changing the file --------------------------------------------------------------------------------

SKIP = {"tags": ["skip-execution"]}
add_both(
    "A25",
    "skip-execution tag",
    change_tests(lambda cell: cell["metadata"].update(SKIP)),
    flags=("changed_metadata:test_grad_square",),
)
add_both(
    "A26",
    "raises-exception tag",
    change_tests(lambda cell: cell["metadata"].update({"tags": ["raises-exception"]})),
    flags=("changed_metadata:test_grad_square",),
)
add_both(
    "A35",
    "edit the locked test",
    change_tests(lambda cell: cell.update(source="pass")),
    flags=("changed_test:test_grad_square",),
)
add_both(
    "A36",
    "raise the points",
    change_tests(lambda cell: cell["metadata"]["nbgrader"].update(points=1e6)),
    flags=("changed_metadata:test_grad_square",),
)
add_both(
    "A37",
    "flip the flags",
    change_tests(lambda cell: cell["metadata"]["nbgrader"].update(solution=True, locked=False)),
    flags=("changed_metadata:test_grad_square",),
)


def _duplicate_test(world: World, answers: Any) -> Submission:
    notebook = world.notebook(answers)
    test = copy.deepcopy(graded_cells(notebook)[0])
    test["id"] = "copy-of-test"
    notebook["cells"].append(test)
    return notebook


add_both("A38", "duplicate a test cell", _duplicate_test, flags=("duplicate:test_grad_square",))


def _rename_test_id(world: World, answers: Any) -> Submission:
    notebook = world.notebook(answers)
    test = graded_cells(notebook)[1]
    test["metadata"]["nbgrader"]["grade_id"] = "nope"
    test["id"] = "nope"
    return notebook


add_both("A40", "unknown grade_id", _rename_test_id)


def _delete_tests(world: World, answers: Any) -> Submission:
    notebook = world.notebook(answers)
    tests = graded_cells(notebook)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell not in tests]
    return notebook


add_both("A41", "delete the test cells", _delete_tests, flags=("missing_test:test_grad_square",))


def _make_markdown(cell: dict[str, Any]) -> None:
    cell["cell_type"] = "markdown"
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


add_both(
    "A42",
    "test cells become markdown",
    change_tests(_make_markdown),
    flags=("changed_type:test_grad_square",),
)
add_both(
    "A43",
    "outputs saved beforehand",
    change_tests(
        lambda cell: cell.update(
            outputs=[
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "data": {"text/plain": "3"},
                    "metadata": {},
                }
            ]
        )
    ),
)
# The documented rule is that the last definition is graded, as with the student's own "Run all".
add_both(
    "A45",
    "redefine later",
    lambda world, answers: world.notebook(
        {task: f"def {task}(x):\n    return None" for task in answers}, last="\n\n".join(answers.values())
    ),
)
add_both(
    "A46",
    "cell magics",
    lambda world, answers: world.notebook(
        answers,
        first=[
            f"%%script bash\necho pwned > {world.root}/source/pwned; touch /usr/pwned; id",
            f"%%writefile {world.root}/source/pwned\npwned",
            "%%writefile ../../pwned\npwned",
            f"!echo pwned > {world.root}/pwned; echo pwned > ../../../pwned",
            f"%run {world.root}/source/{LESSON}/{LESSON}.ipynb",
            "%load_ext autoreload\n%autoreload 2",
            "%cd /\n%cd /tmp",
        ],
    ),
)

# --- Files next to the notebook -------------------------------------------------------------------------

FORGER = (
    "import builtins, sys\n"
    "class _Any:\n"
    "    def __getattr__(self, name): return self\n"
    "    def __call__(self, *a, **k): return self\n"
    "    def __bool__(self): return True\n"
    "    __lt__ = __le__ = __eq__ = lambda self, other: True\n"
    "    __hash__ = object.__hash__\n"
    "    def __mul__(self, o): return self\n"
    "    __rmul__ = __sub__ = __rsub__ = __abs__ = __mul__\n"
)
ALWAYS = "close = equal = that = untouched = fail = visible_passed = seed = lambda *a, **k: None\n" + (
    "def draws(n, *a): return []\ndef draw(*a): return 1.0\n"
)


def _shadow_modules(world: World, answers: Any) -> Submission:
    import json

    notebook = json.dumps(world.notebook(answers, first="import secant, torch\nprint(torch.__file__)"))
    package = b"from .checking import check\nprobe = lambda f: f\nlanguage = say = lambda *a, **k: ''\n" + (
        b"class watch:\n    changes = []\n    def __init__(self, **k): pass\n"
        b"    def __enter__(self): return self\n    def __exit__(self, *a): pass\n"
    )
    return {
        f"{LESSON}.ipynb": notebook.encode(),
        "secant/__init__.py": package,
        "secant/checking/__init__.py": b"",
        "secant/checking/check.py": ALWAYS.encode(),
        "torch.py": (FORGER + "sys.modules['torch'] = _Any()\n").encode(),
        "numpy.py": b"allclose = array_equal = lambda *a, **k: True\n",
    }


add_both("A48", "shadow modules beside the notebook", _shadow_modules, flags=("side_files",))


def _grader_files(world: World, answers: Any) -> Submission:
    import json

    evil = b"import os\nopen('/tmp/SECANT-pwned', 'w').write('x')\n"
    return {
        f"{LESSON}.ipynb": json.dumps(world.notebook(answers)).encode(),
        "sitecustomize.py": evil + ALWAYS.encode(),
        "usercustomize.py": evil,
        "conftest.py": evil,
        "tests.py": evil,
        "evil.pth": b"import os; open('/tmp/SECANT-pwned', 'w')\n",
        "pytest.ini": b"[pytest]\naddopts = -p evil\n",
        "jupyter_config.py": evil,
        "nbgrader_config.py": evil,
        "__pycache__/secant.cpython-311.pyc": b"\0" * 64,
    }


add_both("A50", "shadow the grader's own files", _grader_files, flags=("side_files",))

# --- Attacks on the grader itself ------------------------------------------------------------------------

add_both(
    "A52",
    "write the grade into the gradebook",
    prelude("""
import glob, os, sqlite3
for path in ["ROOT/gradebook.db", "../../../gradebook.db", "../gradebook.db", *glob.glob("/*/*/gradebook.db")]:
    try:
        if os.path.exists(path):
            with sqlite3.connect(path) as book:
                for statement in ("update grade set manual_score=99", "update bait set text='pwned'"):
                    try:
                        book.execute(statement)
                    except sqlite3.Error as error:
                        print(error)
    except Exception as error:
        print(error)
"""),
)
add_wrong(
    "A54",
    "kill the grader",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    import os\n    os.kill(os.getppid(), 9)\n    return x * 0",
            "slope_at": "def slope_at(x):\n    import os\n    os.kill(1, 9)\n    return x * 0.0",
            "doubled": "def doubled(x):\n    import os\n    os.kill(-1, 9)\n    return x * 0, 0.0",
        }
    ),
    ("wrong|crashed",) * 3,
)
add_wrong(
    "A55",
    "forge the result channel",
    in_each_function(
        "import os\n"
        "for fd in range(3, 256):\n"
        "    try:\n"
        '        os.write(fd, b\'{"score": 1, "outcome": "passed"}\')\n'
        "    except OSError:\n"
        "        pass"
    ),
    "crashed|timed_out|wrong",
    limits={"QUESTION_SECONDS": 3.0, "TASK_SECONDS": 4.0},
)
add_wrong(
    "A56",
    "pickle bomb in the result",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return Bomb()",
            "slope_at": "def slope_at(x):\n    import pickle\n    return pickle.dumps(Bomb())",
            "doubled": "def doubled(x):\n    return [Bomb()], {Bomb(): 1}",
        },
        first="import os\nclass Bomb:\n    def __reduce__(self):\n"
        "        return (os.system, ('touch /tmp/SECANT-pwned',))",
    ),
)
add_wrong(
    "A58",
    "answer from what an earlier call saw",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return seen.setdefault('g', 2 * x)",
            "slope_at": "def slope_at(x):\n    return seen.setdefault('s', 2.0 * x)",
            "doubled": "def doubled(x):\n    return seen.setdefault('d', (2 * x, (2 * x).sum().item()))",
        },
        first="seen = {}",
    ),
)
# The value is right. The use of a forbidden tool cannot be detected for certain (see docs/trust.md).
add_right(
    "A59",
    "use the forbidden tool in disguise",
    lambda world, answers: world.notebook(
        {
            **answers,
            "grad_square": "def grad_square(x):\n"
            "    import importlib\n"
            "    tool = getattr(importlib.import_module('tor' + 'ch'), 'auto' + 'grad')\n"
            "    x = x.detach().requires_grad_()\n"
            "    return getattr(tool, 'gr' + 'ad')((x**2).sum(), x)[0]",
        }
    ),
)
add_wrong(
    "A60",
    "change the inputs so that they match",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    x.zero_()\n    return x",
            "slope_at": "def slope_at(x):\n    x = 0.0\n    return 2 * x",
            "doubled": "def doubled(x):\n    x.mul_(2)\n    return x, x.sum().item()",
        }
    ),
)
