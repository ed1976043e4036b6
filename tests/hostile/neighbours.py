# ruff: noqa: E501 (the cases are code in strings)
"""Tricks that take the processors from other submissions, and honest answers that need a processor."""

from tests.hostile.cases import add_wrong
from tests.hostile.exhausting import LOST_SECOND, SLOW, body_of

SPIN = "while True:\n    pass"
#: Starts as many processes as it may, each in a separate session where that is possible.
SWARM = """
import os
for _ in range(57):
    try:
        if os.fork() == 0:
            os.setsid()
            break
    except OSError:
        pass
"""
THREADS = """
import threading, zlib
data = bytes(10**7)
def work():
    while True:
        {}
for _ in range(40):
    try:
        threading.Thread(target=work, daemon=True).start()
    except RuntimeError:
        break
work()
"""
FUTEX = """
import ctypes, os
call = ctypes.CDLL(None).syscall
words = (ctypes.c_int * 64)()
for _ in range(20):
    try:
        if os.fork() == 0:
            break
    except OSError:
        break
while True:
    for n in range(64):
        call(202, ctypes.byref(words, 4 * n), 1, 1 << 30, None, None, 0)
"""

for _id, _title, _body in (
    ("X91", "a swarm of processes that spin, each in a session of its own", SWARM + SPIN),
    ("X92", "threads that spin without the interpreter's lock", THREADS.format("zlib.compress(data)")),
    (
        "X93",
        "children that ask to go first",
        "import os\n"
        "ways = [lambda: os.nice(-20), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),\n"
        "        lambda: os.setpriority(os.PRIO_USER, 0, -20)]\n"
        "for way in ways:\n"
        "    try:\n"
        "        way()\n"
        "    except OSError:\n"
        "        pass" + SWARM + SPIN,
    ),
    ("X94", "a storm of futexes", FUTEX),
    (
        "X95",
        "a storm of pages",
        SWARM
        + "import mmap\nwhile True:\n    with mmap.mmap(-1, 2**24, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as page:\n        for place in range(0, 2**24, 4096):\n            page[place] = 1",
    ),
    (
        "X96",
        "a storm of processes that end at once",
        "import os, signal\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "while True:\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            os._exit(0)\n"
        "    except OSError:\n"
        "        pass",
    ),
    (
        "X97",
        "files made and removed without end",
        SWARM
        + "while True:\n    name = f'/tmp/{os.getpid()}'\n    with open(name, 'wb') as file:\n        file.write(bytes(2**20))\n    os.remove(name)",
    ),
    (
        "X98",
        "sockets sent through themselves, for the kernel to clear away",
        SWARM + "import array, socket\n"
        "while True:\n"
        "    ends = socket.socketpair()\n"
        "    numbers = array.array('i', [end.fileno() for end in ends])\n"
        "    try:\n"
        "        for _ in range(50):\n"
        "            ends[0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])\n"
        "    except OSError:\n"
        "        pass\n"
        "    for end in ends:\n"
        "        end.close()",
    ),
    (
        "X99",
        "every file of Python's read again and again",
        SWARM + "import sys\n"
        "while True:\n"
        "    for folder, _, names in os.walk(sys.prefix):\n"
        "        for name in names:\n"
        "            try:\n"
        "                with open(os.path.join(folder, name), 'rb') as file:\n"
        "                    file.read(2**24)\n"
        "            except OSError:\n"
        "                pass",
    ),
):
    add_wrong(_id, _title, body_of("slope_at", _body), LOST_SECOND, **SLOW)


def busy_answers(seconds: float) -> dict[str, str]:
    """Return right answers whose first call in each task uses this many seconds of processor time."""
    definition = (
        "def spend(spent=[]):\n"
        "    import time\n"
        f"    until = time.process_time() + {seconds}\n"
        "    while not spent and time.process_time() < until:\n"
        "        pass\n"
        "    spent.append(True)\n"
    )
    bodies = {
        "grad_square": "return 2 * x",
        "slope_at": "return 2.0 * x",
        "doubled": "return 2 * x, (2 * x).sum().item()",
    }
    return {name: f"{definition}\ndef {name}(x):\n    spend()\n    {body}" for name, body in bodies.items()}
