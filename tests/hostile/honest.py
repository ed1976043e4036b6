# ruff: noqa: E501 (the cases are code in strings)
"""Group E: unusual submissions without bad intent."""

from typing import Any

from tests.hostile.cases import QUICK, Submission, add_both, add_right, add_wrong, prelude
from tests.hostile.world import RIGHT, TASKS, World, insert_code

SLOW = {"limits": QUICK, "repeat": False}


def return_expression(expression: str, first: str = "") -> Any:
    """Return a function that makes a submission in which every answer returns this expression."""
    return lambda world, answers: world.notebook(
        {task: f"def {task}(x):\n    return {expression}" for task in TASKS}, first=first
    )


def _without_imports(world: World, answers: Any) -> Submission:
    notebook = world.notebook(answers)
    notebook["cells"] = [
        cell for cell in notebook["cells"] if cell["cell_type"] != "code" or "nbgrader" in cell["metadata"]
    ]
    return notebook


add_right("E01", "import cell deleted", _without_imports)
add_wrong(
    "E02",
    "%reset or del at the end",
    lambda world, answers: world.notebook(RIGHT, last="%reset -f"),
    message="No grad_square was found",
)
add_wrong("E03", "NaN", return_expression("x * float('nan')"), message="nan")
add_wrong(
    "E04",
    "wrong dtype",
    lambda world, answers: world.notebook(
        {**RIGHT, "grad_square": "def grad_square(x):\n    return 2 * x.double()"}
    ),
    ("wrong", "passed", "passed"),
    message="float64",
)
add_wrong(
    "E06",
    "numpy, list, None instead of a tensor",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return (2 * x).numpy()",
            "slope_at": "def slope_at(x):\n    return None",
            "doubled": "def doubled(x):\n    return [2 * x, 1]",
        }
    ),
    message="numpy.ndarray",
)
add_right(
    "E07",
    "a result that requires grad",
    lambda world, answers: world.notebook(
        {**answers, "grad_square": "def grad_square(x):\n    return 2 * x.requires_grad_() * 1.0"}
    ),
)
ODD = (
    "x.to_sparse()", "x.to('meta')", "x.to(torch.complex64).conj()", "x.bfloat16()", "x.sum()", "x[:1].expand(3)",
    "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)", "torch.nested.nested_tensor([x])", "x.half()",
    "torch.empty(0)", "torch.ones(2**40, device='meta')", "torch.ones(1).expand(2**40)", "x.neg().imag if x.is_complex() else x.to(torch.complex128).conj().imag",
)  # fmt: skip
add_wrong(
    "E08",
    "odd tensors",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return ["
            + ", ".join(
                f"odd(lambda: {e.replace('x', 'torch.ones(3)') if e.startswith('x') else e}, x)" for e in ODD
            )
            + "]",
            "slope_at": "def slope_at(x):\n    return torch.ones(3).to_sparse()",
            "doubled": "def doubled(x):\n    return (2 * x).bfloat16(), torch.tensor(1.0, device='meta')",
        },
        first="import torch\ndef odd(f, x):\n    try:\n        return f()\n    except Exception as e:\n        return repr(e)",
    ),
)
add_both("E10", "set_default_dtype(float64)", prelude("import torch\ntorch.set_default_dtype(torch.float64)"))
add_right(
    "E11",
    "set_grad_enabled(False)",
    lambda world, answers: world.notebook(
        {
            **answers,
            "grad_square": "def grad_square(x):\n    x = x.clone().requires_grad_()\n    (x**2).sum().backward()\n    return x.grad",
        },
        first="import torch\ntorch.set_grad_enabled(False)",
    ),
)
add_both("E13", "prints a lot", prelude("for i in range(10**5):\n    print('debug', i)"))
add_right(
    "E14",
    "writes to stderr",
    lambda world, answers: world.notebook(
        insert_code(
            "import sys, logging\nprint('debug', file=sys.stderr)\nlogging.warning('x is %s', x)\nsys.stderr.flush()",
            answers,
        )
    ),
)
add_right(
    "E15",
    "warnings",
    lambda world, answers: world.notebook(insert_code("import warnings\nwarnings.warn('careful')", answers)),
)
add_both("E16", "warnings as errors", prelude("import warnings\nwarnings.simplefilter('error')"))
add_both(
    "E18",
    "widgets without a front end",
    lambda world, answers: world.notebook(
        answers,
        first=[
            "%matplotlib notebook\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
            "from ipywidgets import interact\ninteract(lambda k: k, k=(0, 5));",
            "from secant import explore\nexplore()",
            "from tqdm.notebook import tqdm\nlist(tqdm(range(3)))",
        ],
    ),
)
add_right(
    "E19",
    "demo code that runs for minutes",
    lambda world, answers: world.notebook(
        answers, last="import time\nfor epoch in range(10**5):\n    time.sleep(0.01)"
    ),
    **SLOW,
)
add_both("E21", "error in a scratch cell", prelude("1/0"))
add_wrong(
    "E22",
    "placeholder left in",
    lambda world, answers: world.notebook({"slope_at": RIGHT["slope_at"]}),
    ("not_attempted", "passed", "not_attempted"),
)
add_wrong(
    "E23",
    "renamed function, wrong signature",
    lambda world, answers: world.notebook(
        {
            **RIGHT,
            "grad_square": "def gradsquare(x):\n    return 2 * x",
            "slope_at": "def slope_at(x, h):\n    return 2.0 * x",
        }
    ),
    ("wrong", "wrong", "passed"),
    message="No grad_square was found",
)
add_both("E25", "relies on a data file", prelude("print(open('data.csv').read())"))
add_both(
    "E26",
    "downloads data",
    prelude("import torch\ntorch.hub.load_state_dict_from_url('https://example.org/model.pt')"),
)
add_wrong(
    "E27",
    "asks for CUDA",
    lambda world, answers: world.notebook(
        {**RIGHT, "grad_square": "def grad_square(x):\n    return 2 * x.cuda()"}
    ),
    ("wrong", "passed", "passed"),
    message="Your code raised an error",
)
add_right(
    "E29",
    "float noise",
    lambda world, answers: world.notebook(
        {
            **answers,
            "slope_at": "def slope_at(x):\n    return 2.0 * x * (1 + 1e-16) + -0.0",
            "doubled": "def doubled(x):\n    return (x + x * (1 + 1e-7)), sum(float(2 * v) for v in x)",
        }
    ),
)
add_right(
    "E30",
    "slow but right",
    lambda world, answers: world.notebook(
        {**answers, "slope_at": "def slope_at(x):\n    import time\n    time.sleep(0.1)\n    return 2.0 * x"}
    ),
)
add_both(
    "E31",
    "pip install",
    prelude("!pip install --quiet --disable-pip-version-check --retries 0 --timeout 2 x-no-such-package"),
)
add_wrong(
    "E33",
    "an answer left to chance",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    import torch\n    return 2 * x + torch.randn(x.shape)",
            "slope_at": "def slope_at(x):\n    import random\n    return 2.0 * x + random.random()",
            "doubled": "def doubled(x):\n    import numpy as np\n    return 2 * x, float(np.random.rand())",
        }
    ),
)
add_right(
    "E34",
    "a graph kept, .grad left filled",
    lambda world, answers: world.notebook(
        {
            **answers,
            "grad_square": "def grad_square(x):\n"
            "    x.requires_grad_()\n"
            "    loss = (x**2).sum()\n"
            "    loss.backward(retain_graph=True)\n"
            "    first = x.grad.clone()\n"
            "    loss.backward()\n"
            "    return first",
        }
    ),
)
add_right(
    "E35",
    "comments in another alphabet, names that are not ASCII",
    lambda world, answers: world.notebook(
        {
            **answers,
            "slope_at": "def slope_at(x):\n    # 기울기는 두 배 🎉\n    기울기 = 2.0 * x\n    π = 1\n    return 기울기 * π",
        },
        lang="ko",
    ),
)
add_wrong(
    "E37",
    "the release unchanged",
    lambda world, answers: world.notebook({}),
    "not_attempted",
    flags=("unchanged",),
)
