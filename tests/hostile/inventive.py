# ruff: noqa: E501 (the cases are code in strings)
"""Group X: tricks that are not in ids.txt, by authors who have read the grader's source."""

import json
from typing import Any

from tests.hostile.cases import QUICK, Link, Submission, add_both, add_rejected, add_right, add_wrong, prelude
from tests.hostile.exhausting import CRASHED_SECOND, LOST_SECOND, WRONG_SECOND, body_of
from tests.hostile.malformed import NAME, change_notebook, raw_file, under_names
from tests.hostile.world import TASKS, World, insert_code

SLOW = {"limits": QUICK, "repeat": False}
ENDLESS = "import time\nwhile True:\n    time.sleep(0.05)"  # the pauses leave the processor to other tests

# --- The file ------------------------------------------------------------------------------------------

add_right(
    "X01",
    "a file name that a careless pattern never gets done with",
    under_names(NAME, "copy_" * 45 + "x.ipynb"),
)
add_right("X02", "the same, alone", under_names("copy_" * 45 + "x.ipynb"), flags=("renamed",))


def _longest_cells(world: World, answers: Any) -> Submission:
    cells = ["#" + "x" * 990] * 980
    notebook = world.notebook(answers, first=cells)
    notebook["cells"] = [c for c in notebook["cells"] if c["cell_type"] == "code"][:1000]
    return notebook


add_right("X03", "as many and as long cells as are let in", _longest_cells)
add_right(
    "X04",
    "odd values where words are expected",
    change_notebook(
        lambda nb: (
            nb["metadata"].update(lang=[[[{"en": 1}]] * 50]),
            [c.update(id=["x"], source={"a": 1}) for c in nb["cells"] if c["cell_type"] == "markdown"],
            nb.update(nbformat=4.999999),
        )
    ),
)
add_wrong(
    "X05",
    "text that ends a parser",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return " + "(" * 20_000 + "x" + ")" * 20_000,
            "slope_at": "def slope_at(x):\n    return " + "-" * 90_000 + "x",
            "doubled": "def doubled(x):\n    return 1\0, 2",
        }
    ),
    "wrong|crashed|timed_out",
    **SLOW,
)
add_rejected(
    "X06",
    "an endless number",
    raw_file(b'{"nbformat": ' + b"9" * 1_000_000 + b', "cells": []}'),
    "format|wrong_notebook",
)

add_right(
    "X07",
    "a file name that is not text",
    under_names(NAME, "\udcff\udcfe\x1b[2J.ipynb", "\u202eypni.exe"),
    flags=("several_notebooks",),
)
add_right(
    "X08",
    "a line that a highlighter takes minutes for",
    prelude("#" + "." * 50_000 + "\n'" + "a.b" * 15_000 + "'\n" + "." * 500),
)
add_right(
    "X09",
    "a timestamp that is something else",
    lambda world, answers: {
        NAME: json.dumps(world.notebook(answers)).encode(),
        "timestamp.txt/x": b"",
    },
)

# --- The channel ---------------------------------------------------------------------------------------

CHANNEL = """
import os, socket, struct, time
from autograder.sandbox.inside import wire

def channels():
    for name in os.listdir('/proc/self/fd'):
        try:
            if 'socket' in os.readlink(f'/proc/self/fd/{name}'):
                yield socket.socket(fileno=os.dup(int(name)))
        except OSError:
            pass

def say(value):
    for channel in channels():
        try:
            wire.send(channel, value)
        except Exception:
            pass
"""

add_right(
    "X10",
    "close the channel while the cells run, and stay",
    prelude("import os, time\nos.closerange(3, 256)\ntime.sleep(600)"),
    "crashed|timed_out|passed",
    **SLOW,
)
add_wrong(
    "X11",
    "shut the channel down and stay",
    body_of(
        "slope_at",
        "import socket\nfor c in channels():\n    c.shutdown(socket.SHUT_RDWR)\ntime.sleep(600)",
        CHANNEL,
    ),
    ("passed", "crashed|timed_out", "passed"),
    **SLOW,
)
add_wrong(
    "X12",
    "answer the next questions beforehand",
    lambda world, answers: world.notebook(
        insert_code("for guess in (x * 2, 6.0, x):\n    say({'kind': 'value', 'value': guess})", answers),
        first=CHANNEL,
    ),
)
add_wrong(
    "X13",
    "a verdict among the answers",
    lambda world, answers: world.notebook(
        insert_code("say({'kind': 'passed', 'points': 3.0, 'outcome': 'passed'})", answers), first=CHANNEL
    ),
    "crashed",
)
add_wrong(
    "X14",
    "two processes answer",
    lambda world, answers: world.notebook(insert_code("import os\nos.fork()", answers)),
)
add_wrong(
    "X15",
    "a frame that drips in",
    body_of(
        "slope_at",
        "for c in channels():\n"
        "    c.send(struct.pack('<I', 1000))\n"
        "    for _ in range(1000):\n"
        "        c.send(b'l')\n"
        "        time.sleep(0.1)",
        CHANNEL,
    ),
    LOST_SECOND,
    **SLOW,
)
add_wrong(
    "X16",
    "a frame of four gigabytes, announced",
    body_of(
        "slope_at",
        "for c in channels():\n    c.send(struct.pack('<I', 2**32 - 1) + b'x' * 1000)\nreturn 2.0 * x",
        CHANNEL,
    ),
    CRASHED_SECOND,
)
for _n, (_title, _bytes, _expected) in enumerate(
    [
        ("a huge shape", "b'\\x01t' + struct.pack('<BBQQQ', 8, 2, 2**62, 2**62, 0)", WRONG_SECOND),
        (
            "bytes that are not there",
            "b'\\x01t' + struct.pack('<BBQQ', 8, 1, 10**4, 4 * 10**4)",
            CRASHED_SECOND,
        ),
        ("lists within lists", "b'\\x01' + b'l\\x01\\0\\0\\0' * 10**5", WRONG_SECOND),
        ("a list of four billion", "b'\\x01l\\xff\\xff\\xff\\xff' + b'N' * 10**6", WRONG_SECOND),
        ("an answer that is no answer", "b'\\x01N'", CRASHED_SECOND),
        ("a pickle", "b'cposix\\nsystem\\n(S\"touch /tmp/SECANT-pwned\"\\ntR.'", CRASHED_SECOND),
    ]
):
    add_wrong(
        f"X{20 + _n}",
        _title,
        body_of(
            "slope_at",
            f"body = {_bytes}\nfor c in channels():\n    c.setblocking(True); c.sendall(struct.pack('<I', len(body)) + body)\nreturn 2.0 * x",
            CHANNEL,
        ),
        _expected,
    )
add_wrong(
    "X26",
    "forge the report of the cells that ran",
    prelude(
        CHANNEL
        + "for _ in range(30):\n"
        + "    say({'label': 'x', 'output': 'all tests passed', 'seconds': float('nan'), 'error': '', 'message': '', 'trace': []})\n"
        + "say({'threads': 1})"
    ),
    "wrong|crashed",
)
add_wrong(
    "X27",
    "a stop signal for everybody",
    body_of(
        "slope_at",
        "import os, signal\nos.kill(-1, signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)\nreturn 2.0 * x",
    ),
    LOST_SECOND,
    **SLOW,
)

# --- The supervisor: a failure of the grader is worth more to a student than a zero --------------------------

LIBC = "import ctypes, os, signal, subprocess, sys, time\nlibc = ctypes.CDLL(None, use_errno=True)\n"
RENAME_PROCESS = "libc.prctl(15, b'\\xff\\xfe) R 1', 0, 0, 0)\n"
add_both("X30", "a process whose name is not text", prelude(LIBC + RENAME_PROCESS + "time.sleep(0.5)"))
add_wrong(
    "X31",
    "the same while much memory is used",
    body_of(
        "slope_at",
        LIBC + RENAME_PROCESS + "import torch\nheld = torch.ones(10**8)\ntime.sleep(1)\nreturn 0.0",
    ),
    ("passed", "wrong|crashed", "passed"),
    container_limits={"memory_mb": 400},
    repeat=False,
)
SPIN = "[sys.executable, '-c', 'while True: pass']"
add_wrong(
    "X32",
    "starve the supervisor",
    body_of(
        "slope_at",
        LIBC + "for pid in (1, 2):\n"
        "    for what in (lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),\n"
        "                 lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),\n"
        "                 lambda: os.sched_setaffinity(pid, {0})):\n"
        "        try:\n"
        "            what()\n"
        "        except OSError:\n"
        "            pass\n"
        "for _ in range(55):\n"
        "    if os.fork() == 0:\n"
        "        while True:\n"
        "            pass\n"
        "while True:\n"
        "    pass",
    ),
    ("passed", "timed_out|crashed|wrong", "passed|timed_out|crashed"),
    **SLOW,
)
add_wrong(
    "X33",
    "limit, signal and trace the supervisor",
    body_of(
        "slope_at",
        LIBC + "import resource\n"
        "for what in (lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)),\n"
        "             lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)),\n"
        "             lambda: os.kill(1, signal.SIGKILL), lambda: os.kill(1, signal.SIGSTOP),\n"
        "             lambda: os.kill(1, signal.SIGINT), lambda: os.kill(1, signal.SIGUSR1),\n"
        "             lambda: open('/proc/1/oom_score_adj', 'w').write('1000'),\n"
        "             lambda: open('/proc/1/mem', 'wb').write(b'x')):\n"
        "    try:\n"
        "        what()\n"
        "    except OSError:\n"
        "        pass\n"
        "return 0.0",
    ),
    ("passed", "wrong", "passed"),
)
add_wrong(
    "X34",
    "end or stop the process that the tasks are forked from",
    body_of(
        "slope_at",
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP if x == 3.0 else signal.SIGKILL)\nreturn 0.0",
    ),
    ("passed", "wrong|crashed", "passed"),
)
add_right(
    "X35",
    "no room for another process, file or second",
    prelude(
        "import resource\n"
        "for what in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_STACK):\n"
        "    resource.setrlimit(what, (0, 0))"
    ),
    "passed|crashed|timed_out|wrong",
    **SLOW,
)
add_wrong(
    "X36",
    "zombies until no process is left",
    prelude(
        "import os\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            os._exit(0)\n"
        "    except OSError:\n"
        "        pass"
    ),
    "wrong|crashed|timed_out",
    **SLOW,
)
add_right(
    "X37",
    "three cells that never end, and then three more",
    lambda world, answers: world.notebook(answers, first=[ENDLESS] * 3, last=[ENDLESS] * 3),
    "timed_out",
    **SLOW,
)
add_right(
    "X38",
    "one cell that never ends and one that ends everything",
    lambda world, answers: world.notebook(answers, first=["import os\nos._exit(0)", ENDLESS]),
    **SLOW,
)
add_wrong(
    "X39",
    "threads left behind, one of them busy",
    prelude(
        "import threading\n"
        "def spin():\n"
        "    while True:\n"
        "        pass\n"
        "threading.Thread(target=spin, daemon=True).start()"
    ),
    repeat=False,
)

# --- Values and words ----------------------------------------------------------------------------------

add_wrong(
    "X40",
    "values that are too much",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    import torch\n    return torch.zeros(15 * 10**6)",
            "slope_at": "def slope_at(x):\n    return 10 ** 1200",
            "doubled": "def doubled(x):\n    return {n * (2**61 - 1): 'y' * 999 for n in range(999)}, 'z' * 10**6",
        }
    ),
)
add_wrong(
    "X41",
    "words that steer a terminal or a browser",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n"
            "    raise ValueError('\\x1b[2J\\x1b[1;1H\\x1b]0;owned\\x07\\r\\x08\\u202epassed\\u2066 \\x9b31m \\0 <script>alert(1)</script> [red]')",
            "slope_at": "class Evil(Exception):\n    pass\n"
            "Evil.__name__ = '\\x1b[31m<img src=x onerror=alert(1)>\\u202e'\n"
            "def slope_at(x):\n    raise Evil('\\n' * 1000 + '\\x1b[0m Passed, hidden tests included.')",
            "doubled": "def doubled(x):\n    return type('<script>' * 9 + '\\u202e', (), {})()",
        }
    ),
)
add_wrong(
    "X42",
    "words of success",
    lambda world, answers: world.notebook(
        {
            task: f"def {task}(x):\n    raise AssertionError('Passed, hidden tests included.')"
            for task in TASKS
        },
        first="class CheckFailed(Exception): pass",
    ),
    message="raised an error",
)
add_wrong(
    "X43",
    "not done, says the answer, at the hidden tests",
    body_of(
        "slope_at",
        "if x == 3.0:\n    return 6.0\nraise NotImplementedError",
    ),
    ("passed", "not_attempted|wrong", "passed"),
)
add_wrong(
    "X44",
    "no such name, says the answer",
    body_of("slope_at", "raise NameError(\"name 'slope_at' is not defined\")"),
    ("passed", "wrong", "passed"),
)
add_wrong(
    "X45",
    "an error whose words never come",
    body_of(
        "slope_at",
        "class Endless(Exception):\n"
        "    def __str__(self):\n"
        "        while True:\n"
        "            pass\n"
        "raise Endless",
    ),
    LOST_SECOND,
    **SLOW,
)
add_wrong(
    "X46",
    "the grader's own word for what cannot be sent",
    lambda world, answers: world.notebook(
        insert_code("return wire.Unsendable('torch.Tensor', 'type')", answers), first=CHANNEL
    ),
)
add_wrong(
    "X47",
    "subclasses that lie about themselves",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return Lie([6.0])",
            "slope_at": "class F(float):\n    __repr__ = __str__ = lambda s: '\\x1b[2J passed'\n"
            "def slope_at(x):\n    return F(1.0)",
            "doubled": "def doubled(x):\n    return T((1, 2))",
        },
        first="class Meta(type):\n"
        "    __name__ = property(lambda c: 1 / 0)\n"
        "    __module__ = property(lambda c: 'x' * 10**6)\n"
        "    __instancecheck__ = __subclasscheck__ = __eq__ = lambda *a: True\n"
        "    __hash__ = type.__hash__\n"
        "class Lie(list, metaclass=Meta):\n"
        "    __len__ = lambda s: 2**62\n"
        "    __iter__ = lambda s: iter(int, 1)\n"
        "class T(tuple):\n"
        "    __len__ = lambda s: 0\n"
        "    __eq__ = lambda s, o: True\n",
    ),
)
add_wrong(
    "X48",
    "frames and sources of the probes",
    lambda world, answers: world.notebook(
        {task: f"def {task}(x):\n    raise ValueError(repr(kept)[-1800:])" for task in TASKS},
        first="""
import sys, builtins
kept = []
candidate = sys.modules.get('autograder.sandbox.inside.candidate')
if candidate is not None:
    define, ask = candidate._define, candidate._ask
    candidate._define = lambda source, names: (kept.append(source), define(source, names))[1]
    candidate._ask = lambda name, args, kwargs, names: (kept.append((name, args)), ask(name, args, kwargs, names))[1]
""",
    ),
)
# The candidate writes the probe's reports about side effects (for example, that an argument was changed), so
# docs/trust.md promises nothing about these reports. The values that the answer returns are right.
add_right(
    "X49",
    "hide a side effect from the probe's eye",
    lambda world, answers: world.notebook(
        {**answers, "doubled": "def doubled(x):\n    y = 2 * x\n    x.zero_()\n    return y, y.sum().item()"},
        first="from secant import watch\nwatch._snapshot = lambda self, *given, **named: {}",
    ),
)
add_wrong(
    "X50",
    "poison what the candidate answers with",
    prelude("""
import sys
wire = sys.modules.get('autograder.sandbox.inside.wire')
if wire is not None:
    good = wire.encode
    def encode(value, *a, **k):
        if isinstance(value, dict) and value.get('kind') == 'raised':
            value = {'kind': 'value', 'value': None}
        return good(value, *a, **k)
    wire.encode = encode
    wire._Writer._tensor = lambda self, tensor: self.unsendable(wire.Unsendable('x', 'type'))
"""),
)
add_right(
    "X51",
    "a thousand cells that print all they may",
    lambda world, answers: world.notebook(answers, last=["print('y' * 30_000)"] * 900),
    repeat=False,
)
add_wrong(
    "X52",
    "sixty megabytes an answer",
    body_of("slope_at", "import torch\nreturn [torch.zeros(15 * 10**6), 6.0]"),
    ("passed", "wrong", "passed"),
)
add_both(
    "X53",
    "a hold on what is shared: locks on the libraries' files",
    prelude(
        "import fcntl, glob, os, sys, torch\n"
        "held = []\n"
        "for path in [sys.executable, torch.__file__, os.__file__, *glob.glob(os.path.dirname(torch.__file__) + '/*.py')]:\n"
        "    try:\n"
        "        held.append(open(path))\n"
        "        fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "        fcntl.fcntl(held[-1], fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
        "    except OSError as error:\n"
        "        pass"
    ),
)
add_both(
    "X54",
    "doors of the kernel",
    prelude(
        LIBC + "import socket\n"
        "opened = []\n"
        "for family in (16, 38, 40, 17, 31):\n"
        "    try:\n"
        "        socket.socket(family, socket.SOCK_RAW)\n"
        "        opened.append(f'family {family}')\n"
        "    except OSError:\n"
        "        pass\n"
        "for name, number in {'unshare': 272, 'mount': 165, 'ptrace': 101, 'bpf': 321, 'io_uring': 425, 'keyctl': 250,\n"
        "                     'add_key': 248, 'userfaultfd': 323, 'memfd': 319, 'shmget': 29, 'fsopen': 430,\n"
        "                     'pidfd_getfd': 438, 'landlock': 444, 'memfd_secret': 447, 'clone3': 435,\n"
        "                     'process_vm_readv': 310, 'perf': 298, 'mq_open': 240}.items():\n"
        "    if os.uname().machine == 'x86_64' and libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0:\n"
        "        opened.append(name)\n"
        "print('SE' 'EN ' + repr(opened) if opened else 'closed')"
    ),
)

# --- Answers of odd size: each in place of a float, in place of a tensor, and inside a tuple ----------------------


def _answers(expression: str) -> Any:
    """Return a function that makes answers that return the expression as a float, as a tensor and in a tuple."""
    return lambda world, answers: world.notebook(
        {
            "grad_square": f"def grad_square(x):\n    return {expression}",
            "slope_at": f"def slope_at(x):\n    return {expression}",
            "doubled": f"def doubled(x):\n    return {expression}, 7.0",
        },
        first=f"import torch\nimport struct\n{NEST}",
    )


NEST = """
def nest(depth, value=1.0):
    return value if not depth else [nest(depth - 1, value)]
"""
for _n, (_title, _expression, _message) in enumerate(
    [
        (
            "many dimensions",
            "torch.zeros((3,) * 15, dtype=torch.uint8)",
            "15 dimensions and 14,348,907 elements",
        ),
        (
            "sixty-four dimensions of one",
            "torch.ones((1,) * 64)",
            "a tensor with 64 dimensions and 1 element,",
        ),
        ("no numbers in a billion columns", "torch.empty(0, 10**9)", "a tensor of shape (0, 1000000000)"),
        ("no numbers in a billion rows", "torch.empty(10**9, 0)", "a tensor of shape (1000000000, 0)"),
        ("one number, a trillion times", "torch.ones(1).expand(10**12)", "1,000,000,000,000 elements"),
        ("as many small tensors as there is room for", "[torch.zeros(5, dtype=torch.uint8)] * 9_900", ""),
        (
            "as many numbers as there is room for",
            "torch.zeros((5, 1, 10, 1, 10, 1, 100), dtype=torch.complex128)",
            "",
        ),
        ("more of them than that", "[torch.zeros(3)] * 50_000", "a list of length 50,000"),
        ("a long string", "'y' * 10**7", "a str of length 10,000,000"),
        ("a string that fits", "'\\U0001f642' * 250_000", ""),
        ("a deep list", "nest(30)", "a list that is nested too deeply"),
        ("a deep and wide list", "nest(10, [0.5] * 90_000)", ""),
        ("many keys", "{n * (2**61 - 1): n for n in range(5_000)}", "a dict of length 5,000"),
        ("keys that fit", "{n * (2**61 - 1): 'k' * 2_000 for n in range(490)}", ""),
        ("NaN payloads", "struct.unpack('d', b'\\1\\2\\3\\4\\5\\6\\xf8\\x7f')[0]", "nan"),
        (
            "tensors of NaN payloads",
            "torch.full((3,), 0x7fc12345, dtype=torch.int32).view(torch.float32)",
            "nan",
        ),
        ("a big integer", "7 ** 20_000", "an int that is far larger than is asked for"),
        ("a big integer that fits", "2 ** 4_000", ""),
    ]
):
    add_wrong(f"X{55 + _n}", _title, _answers(_expression), message=_message)
add_both(
    "X73",
    "all of these, made and kept",
    lambda world, answers: world.notebook(
        insert_code(
            "kept = [torch.ones(1).expand((3,) * 15), torch.empty(0, 10**9), 'y' * 10**7, nest(30), 7 ** 20_000]",
            answers,
        ),
        first=f"import torch\n{NEST}",
    ),
)
add_right(
    "X74",
    "a right answer that one task answers too much of",
    body_of("slope_at", "return torch.zeros((3,) * 15, dtype=torch.uint8)", "import torch"),
    WRONG_SECOND,
    message="slope_at returned a tensor with 15 dimensions and 14,348,907 elements, far more than is asked for.",
)
add_wrong(
    "X75",
    "a table as wide as the test's own arithmetic can make it",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return torch.zeros(16_000, 3)",
            "slope_at": "def slope_at(x):\n    return torch.zeros(50_000, 1, dtype=torch.complex128)",
            "doubled": "def doubled(x):\n    return torch.zeros(25_000, 1), torch.zeros(25_000)",
        },
        first="import torch",
    ),
)
add_wrong(
    "X76",
    "limits lifted by the one whom they bind",
    lambda world, answers: world.notebook(
        {
            "grad_square": "def grad_square(x):\n    return torch.zeros(10**7)",
            "slope_at": "def slope_at(x):\n    return torch.ones((1,) * 15)",
            "doubled": "def doubled(x):\n    return torch.ones((2,) * 14), 7.0",
        },
        first="import torch\nfrom autograder.sandbox.inside import wire\nwire.ANSWER_LIMITS = wire.LIMITS",
    ),
    message="doubled returned a tensor with 14 dimensions and 16,384 elements, far more than is asked for.",
)
# --- Side files, slow texts, and crashes that seem to be the grader's ------------------------------------


def _with_timestamp(content: "bytes | Link") -> Any:
    return lambda world, answers: {
        NAME: json.dumps(world.notebook(answers)).encode(),
        "timestamp.txt": content,
    }


for _n, (_title, _content) in enumerate(
    {
        "a rule for a time zone": b"2026-01-01 00:00:00 UTC,J366,M3.2.0",
        "the year 1, and a zone ahead of it": b"0001-01-01 00:00:00 +2359",
        "a zone that is a file": b"2026-01-01 00:00:00 ../../../../etc/passwd",
        "a link to an endless device": Link("/dev/zero"),
        "a pipe that nobody writes to": Link(),
    }.items()
):
    add_right(f"X{80 + _n}", f"timestamp: {_title}", _with_timestamp(_content))

add_right(
    "X85",
    "ten thousand signs in a cell, to be coloured one by one",
    lambda world, answers: world.notebook(
        answers,
        first=["\n ".join(["if 0:", *["+a" * 245] * 190])] * 5,
        last=["\n ".join(["if 0:", *["+ " * 240 + "a"] * 190])] * 4,
    ),
)
add_right(
    "X86",
    "texts in other languages, each with its own rules for colours",
    lambda world, answers: world.notebook(
        answers,
        last=[
            "%%html\n" + "<a <a='\n" * 2_000,
            "%%latex\n" + "\\a{$\n" * 3_000,
            "%%javascript\n" + "f(/[`${\n" * 2_000,
            "%%writefile /tmp/x\n" + "~a" * 9_000,
        ],
    ),
)

HOG = """
import os, socket, time
try:
    with open('/proc/self/oom_score_adj', 'w') as file:
        file.write('0')
except OSError:
    pass
held = []
for _ in range(3):
    os.fork()
while True:
    try:
        pair = socket.socketpair()
        held.append(pair)
        for one in pair:
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10**9)
            try:
                while True:
                    one.send(b'x' * 100_000)
            except OSError:
                pass
    except OSError:
        time.sleep(1)
"""
HOGS = (
    f"import os, sys, time\nHOG = {HOG!r}\n"
    "for _ in range(6):\n"
    "    if os.fork() == 0:\n"
    "        os.execv(sys.executable, [sys.executable, '-S', '-c', HOG])\n"
    "time.sleep(60)"
)
LITTLE = {"container_limits": {"memory_mb": 300}, "limits": QUICK, "repeat": False}
# The wall forbids larger socket buffers. With the usual size, this case ends only at the time limit.
add_wrong(
    "X87",
    "be no victim, and hold memory in sockets, so that the kernel ends process 1",
    body_of("slope_at", f"exec({HOG!r})"),
    ("passed", "crashed|timed_out", "passed"),
    **LITTLE,
)
add_wrong(
    "X88",
    "the same from processes so small that process 1 is the largest",
    body_of("slope_at", f"exec({HOGS!r})"),
    ("passed", "crashed|timed_out", "passed"),
    **LITTLE,
)
add_wrong("X89", "the same while the cells are run", prelude(HOGS), "crashed|timed_out|wrong", **LITTLE)
add_wrong(
    "X90",
    "every process and file that there may be, and pipes as wide as they get",
    body_of(
        "slope_at",
        "import fcntl, os, time\n"
        "for _ in range(100):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            break\n"
        "    except OSError:\n"
        "        break\n"
        "while True:\n"
        "    try:\n"
        "        _, end = os.pipe()\n"
        "        fcntl.fcntl(end, 1031, 2**20)\n"
        "        os.set_blocking(end, False)\n"
        "        os.write(end, b'x' * 2**20)\n"
        "    except OSError:\n"
        "        time.sleep(0.1)",
    ),
    ("passed", "crashed|timed_out", "passed"),
    **LITTLE,
)
