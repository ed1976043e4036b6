# ruff: noqa: E501 (the cases are code in strings)
"""Cases from X100 on: tricks with resources that submissions share, and with the grader's measurements.

The aim of each trick is that another student loses points, or that grading the class takes very long.
"""

from tests.hostile.cases import QUICK, add_both, add_right, add_wrong, prelude
from tests.hostile.exhausting import LOST_SECOND, SLOW, body_of
from tests.hostile.inventive import CHANNEL
from tests.hostile.world import TASKS

FEW = """
import os
for _ in range(14):
    try:
        if os.fork() == 0:
            break
    except OSError:
        break
"""

# --- Time: a submission that looks starved gets ten times the limit, then no verdict --------------------------

for _id, _title, _body in (
    (
        "X100",
        "compute in processes that nobody sees, and be kept waiting by them",
        "import os, subprocess\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "for _ in range(14):\n"
        "    subprocess.Popen(['sh', '-c', 'while :; do /bin/true; done'])\n"
        "while True:\n"
        "    pass",
    ),
    (
        "X101",
        "the same with a chain of processes, each of which ends as soon as the next has begun",
        "import os, signal, time\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        while os.fork() == 0:\n"
        "            until = time.process_time() + 0.005\n"
        "            while time.process_time() < until:\n"
        "                pass\n"
        "        os._exit(0)\n"
        "while True:\n"
        "    pass",
    ),
    (
        "X102",
        "many processes that hold the same pages, which take long to count",
        "import os, time, torch\n"
        "held = torch.ones(6 * 10**7)\n"
        "for _ in range(29):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            break\n"
        "    except OSError:\n"
        "        break\n"
        "time.sleep(600)",
    ),
    (
        "X103",
        "work and sleep in turn, on two processors at once",
        f"{FEW}import time\nwhile True:\n    until = time.monotonic() + 0.01\n    while time.monotonic() < until:\n        pass\n    time.sleep(0.01)",
    ),
    (
        "X104",
        "wander from one processor to the other",
        f"{FEW}places = sorted(os.sched_getaffinity(0))\nwhile True:\n    for place in places:\n        os.sched_setaffinity(0, {{place}})",
    ),
):
    add_wrong(_id, _title, body_of("slope_at", _body), LOST_SECOND, **SLOW)

# --- Resources that the kernel counts for a user or for the machine, not a container ---------------------------

add_both(
    "X105",
    "what is counted for the whole user, or waited for by all",
    prelude("""
import ctypes, fcntl, glob, os, socket, struct
opened = []
code = struct.pack('HBBI', 0x6, 0, 0, 0xffff)
buffer = ctypes.create_string_buffer(code, len(code))
program = struct.pack('HxxxxxxQ', 1, ctypes.addressof(buffer))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    for name, option, value in (('filter', 26, program), ('reuseport', 51, program), ('bpf', 50, 0), ('bpf2', 52, 0)):
        try:
            one.setsockopt(socket.SOL_SOCKET, option, value)
            opened.append(name)
        except PermissionError:
            pass
        except OSError as error:
            opened.append(f'{name}: {error}')
with open('/tmp/leased', 'w') as file, open('/tmp/leased') as mine:
    for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
        try:
            fcntl.fcntl(mine, fcntl.F_SETLEASE, kind)
            opened.append('lease')
        except PermissionError:
            pass
        except OSError as error:
            opened.append(f'lease: {error}')
if ctypes.CDLL(None).inotify_init1(0) >= 0:
    opened.append('inotify')
print('SE' 'EN ' + repr(opened) if opened else 'closed')
"""),
)
add_right(
    "X106",
    "the disk's own queue, asked to empty itself again and again",
    prelude(
        f"{FEW}import time\n"
        "one = os.open(os.__file__, os.O_RDONLY)\n"
        "until = time.monotonic() + 0.5\n"
        "while time.monotonic() < until:\n"
        "    os.sync()\n"
        "    os.fsync(one)\n"
        "if os.getpid() != os.getpgrp():\n"
        "    os._exit(0)"
    ),
    repeat=False,
)

# --- Work for the grader itself, which counts for no student -----------------------------------------------------

add_wrong(
    "X107",
    "a frame that drips in as fast as it can",
    body_of(
        "slope_at",
        "libc = __import__('ctypes').CDLL(None)\n"
        "for c in channels():\n"
        "    c.setblocking(True)\n"
        "    c.send(struct.pack('<I', 2**20))\n"
        "    while True:\n"
        "        c.send(b'l')\n"
        "        libc.usleep(1)",
        CHANNEL,
    ),
    LOST_SECOND,
    **SLOW,
)
add_wrong(
    "X108",
    "every task loads all cells again, and all of them just end in time",
    lambda world, answers: world.notebook(
        {task: f"def {task}(x):\n    import time\n    time.sleep(600)" for task in TASKS},
        first="import threading, time\n"
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        "time.sleep(1)",
    ),
    "timed_out",
    limits=QUICK | {"LOAD_SECONDS": 1.5, "QUESTION_SECONDS": 0.5, "SUBMISSION_SECONDS": 3.0},
    repeat=False,
)

# --- Floods ----------------------------------------------------------------------------------------------

FLOOD = "text = 'x' * 2**20\nwhile True:\n    print(text)\n    os.write(1, text.encode())\n    os.write(2, text.encode())"
add_wrong(
    "X109", "print without end, in a task", body_of("slope_at", f"import os\n{FLOOD}"), LOST_SECOND, **SLOW
)
add_right(
    "X110",
    "print without end, in a cell",
    prelude(f"import os\n{FLOOD}"),
    limits=QUICK | {"LOAD_SECONDS": 1.0},
    repeat=False,
)
add_wrong(
    "X111",
    "answers without end, each of them right in form",
    body_of(
        "slope_at",
        "from autograder.sandbox.inside import wire\n"
        "body = wire.encode({'kind': 'value', 'value': 'x' * 2**20})\n"
        "for c in channels():\n"
        "    c.setblocking(True)\n"
        "    while True:\n"
        "        c.sendall(struct.pack('<I', len(body)) + body)",
        CHANNEL,
    ),
    ("passed", "wrong|timed_out", "passed"),
    **SLOW,
)

# --- Memory of the kernel ---------------------------------------------------------------------------------

add_wrong(
    "X112",
    "memory of the kernel's in page tables, mappings and record locks, and a watch on torch's folder",
    body_of(
        "slope_at",
        FEW + "import ctypes, fcntl, mmap, time, torch\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.mmap.restype = ctypes.c_void_p\n"
        "libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]\n"
        "try:\n"
        "    fcntl.fcntl(os.open(os.path.dirname(torch.__file__), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)\n"
        "except OSError:\n"
        "    pass\n"
        "with open(f'/tmp/{os.getpid()}', 'w') as file:\n"
        "    for number in range(5000):\n"
        "        fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * number)\n"
        "    for number in range(30_000):\n"
        "        place = libc.mmap(0x100000000000 + number * 2**30, 4096, 3, 0x100022, -1, 0)\n"
        "        ctypes.string_at(place, 1)\n"
        "    time.sleep(60)",
    ),
    ("passed", "crashed|timed_out", "passed"),
    container_limits={"memory_mb": 300},
    **SLOW,
)
