# ruff: noqa: E501 (the cases are code in strings)
"""Group C: tricks that use up the machine, or outlive their grading."""

from typing import Any

from tests.hostile.cases import QUICK, Submission, add_both, add_rejected, add_right, add_wrong, prelude
from tests.hostile.world import LESSON, RIGHT, SIGN, World


def body_of(task: str, code: str, first: str = "") -> Any:
    """Return a function that makes right answers, but the function of one task has this body."""
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    return lambda world, answers: world.notebook({**RIGHT, task: f"def {task}(x):\n{lines}"}, first=first)


LOST_SECOND = ("passed", "timed_out", "passed")
CRASHED_SECOND = ("passed", "crashed", "passed")
WRONG_SECOND = ("passed", "wrong", "passed")
SLOW = {"limits": QUICK, "repeat": False}
SLEEPER = f"[sys.executable, '-c', 'import time; time.sleep(600)', '{SIGN}']"

add_wrong("C01", "endless loop", body_of("slope_at", "while True:\n    pass"), LOST_SECOND, **SLOW)
add_wrong(
    "C03",
    "endless loop that ignores SIGINT",
    body_of(
        "slope_at",
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "while True:\n"
        "    pass",
    ),
    LOST_SECOND,
    **SLOW,
)
add_wrong(
    "C04",
    "C calls that do not return",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    import re\n    re.match(r'(a+)+$', 'a' * 40 + 'b')",
            "slope_at": "def slope_at(x):\n    import ctypes\n    ctypes.CDLL(None).pause()",
            "doubled": "def doubled(x):\n    import torch\n    return torch.linalg.svd(torch.randn(4000, 4000))",
        }
    ),
    "timed_out|crashed",
    **SLOW,
)
add_right(
    "C05",
    "many slow cells",
    lambda world, answers: world.notebook(answers, last=["import time\ntime.sleep(0.5)"] * 60),
    "timed_out|passed",
    limits=QUICK | {"SUBMISSION_SECONDS": 20.0},
    repeat=False,
)
add_wrong(
    "C06",
    "memory bomb",
    body_of("slope_at", "import torch\nheld = []\nwhile True:\n    held.append(torch.ones(10**7))"),
    ("passed", "wrong|crashed", "passed"),
    container_limits={"memory_mb": 400},
    repeat=False,
)
add_wrong(
    "C08",
    "fork bomb",
    body_of(
        "slope_at", "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    ),
    ("passed", "timed_out|crashed|wrong", "passed"),
    **SLOW,
)
add_wrong(
    "C09",
    "thread bomb",
    body_of(
        "slope_at",
        "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(999,)).start()",
    ),
    ("passed", "wrong|crashed|timed_out", "passed"),
    **SLOW,
)
add_both(
    "C10",
    "daemon that survives",
    prelude(
        "import os, subprocess, sys\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        f"        os.execv(sys.executable, {SLEEPER})\n"
        "    os._exit(0)\n"
        f"subprocess.Popen({SLEEPER}, start_new_session=True)\n"
        f"!nohup sh -c 'sleep 600; : {SIGN}' >/dev/null 2>&1 &"
    ),
)
add_both("C12", "huge output in one line", prelude("print('x' * 10**8)"))
add_both(
    "C13",
    "huge objects on display",
    prelude(
        "from IPython.display import HTML, display\n"
        "display(HTML('a' * 5 * 10**7))\n"
        "class Big:\n"
        "    def __repr__(self):\n"
        "        return 'r' * 5 * 10**7\n"
        "    def _repr_html_(self):\n"
        "        return '<table>' * 10**7\n"
        "display(Big())\n"
        "Big()"
    ),
)
add_both(
    "C14",
    "fill the disk",
    prelude(
        "import os\n"
        "for n in range(100):\n"
        "    for folder in ('/tmp', '/dev/shm', '.', '/var/tmp'):\n"
        "        try:\n"
        "            with open(f'{folder}/big{n}', 'wb') as file:\n"
        "                for _ in range(10):\n"
        "                    file.write(b'0' * 10**7)\n"
        "        except OSError as error:\n"
        "            pass\n"
        "print(error if 'error' in dir() else 'done')"
    ),
)
add_wrong(
    "C16",
    "use up the descriptors",
    body_of("slope_at", "import os\nwhile True:\n    os.open('/dev/null', 0)"),
    ("passed", "wrong|crashed", "passed"),
)
add_wrong(
    "C17",
    "ask a person",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return input('x? ')",
            "slope_at": "def slope_at(x):\n    import getpass\n    return getpass.getpass()",
            "doubled": "def doubled(x):\n    import sys\n    return sys.stdin.read()",
        },
        first=["x = input('x? ')", "1/0", "%debug", "breakpoint()"],
    ),
)
add_wrong(
    "C18",
    "crash the interpreter",
    lambda world, answers: world.notebook(
        {
            **RIGHT,
            "grad_square": "def grad_square(x):\n    import ctypes\n    return ctypes.string_at(0)",
            "slope_at": "def slope_at(x):\n"
            "    import sys\n"
            "    sys.setrecursionlimit(10**9)\n"
            "    deep = []\n"
            "    for _ in range(10**6):\n"
            "        deep = [deep]\n"
            "    return eval('(' * 90 + 'repr(deep)' + ')' * 90)",
        }
    ),
    ("crashed", "crashed|wrong", "passed"),
)
add_both(
    "C20",
    "endless threads in torch",
    prelude(
        "import torch\n"
        "torch.set_num_threads(512)\n"
        "try:\n"
        "    print((torch.ones(300, 300) @ torch.ones(300, 300)).sum())\n"
        "except RuntimeError as error:\n"
        "    print(error)"
    ),
)
add_right(
    "C21",
    "sleep in the answer's cell",
    lambda world, answers: world.notebook(
        {**answers, "slope_at": "import time\ntime.sleep(10**6)\n" + answers["slope_at"]}
    ),
    LOST_SECOND,
    message="answer slope_at",
    **SLOW,
)
add_both(
    "C22",
    "exit handlers that hang",
    prelude(
        "import atexit, signal, threading, time\n"
        "atexit.register(lambda: time.sleep(10**6))\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "threading.Thread(target=lambda: time.sleep(10**6), daemon=False).start()\n"
        "class Clinging:\n"
        "    def __del__(self):\n"
        "        time.sleep(10**6)\n"
        "clinging = Clinging()"
    ),
)
add_wrong(
    "C24",
    "close every descriptor",
    body_of("slope_at", "import os, time\nos.closerange(0, 256)\ntime.sleep(600)"),
    ("passed", "crashed|timed_out", "passed"),
    **SLOW,
)
add_right(
    "C26",
    "compilers",
    prelude("""
import os, torch
try:
    from torch.utils.cpp_extension import load_inline
    load_inline('evil', 'int evil() { return 1; }', functions=['evil'], build_directory='/tmp')
except BaseException as error:
    print(type(error).__name__)
"""),
    limits={"LOAD_SECONDS": 5.0},
    repeat=False,
)


def _zip_bomb(world: World, answers: Any) -> Submission:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{LESSON}.ipynb", b"\0" * 30_000_000)
    return {f"{LESSON}.zip": packed.getvalue()}


add_rejected("C27", "zip bomb", _zip_bomb, "no_notebook")
