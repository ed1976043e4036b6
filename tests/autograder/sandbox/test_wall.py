"""Attacks on the wall by students' cells and functions: the wall must hold, and the next task must work."""

import contextlib
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.sandbox import bubblewrap, visible
from autograder.sandbox.bubblewrap import bwrap_options
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.client import CandidateClient, TaskClient
from autograder.sandbox.container import start_bare
from autograder.sandbox.inside import supervisor, wire
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.results import Crashed, Reply, TimedOut, WallError, WallUnavailable
from autograder.sandbox.wall import Wall
from tests.support.processes import family

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="the wall needs Linux and bubblewrap"
)

LIMITS = ContainerLimits(memory_mb=400, disk_mb=16, file_mb=8, processes=24, open_files=64, cpu_seconds=20)
SECRET = "the answer is 42"


@pytest.fixture(scope="module")
def secret_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("course") / "source.ipynb"
    path.write_text(SECRET)
    return path


@pytest.fixture(scope="module")
def notices() -> list[str]:
    return []


@pytest.fixture(scope="module")
def wall(secret_file: Path, notices: list[str]) -> Iterator[Wall]:
    hidden = [secret_file.parent, Path.cwd() / "course"]
    with pytest.MonkeyPatch.context() as patch, Wall(LIMITS, hidden=hidden, log=notices.append) as wall:
        patch.setenv("SECANT_TEST_TOKEN", SECRET)
        yield wall


def load(candidate: CandidateClient, *sources: str, timeout: float = 20.0) -> list[str]:
    """Load cells, and return the error or the output of each cell."""
    cells = [(str(number), textwrap.dedent(source)) for number, source in enumerate(sources)]
    results = candidate.load(cells, timeout).cells
    return [f"{cell.error}: {cell.message}" if cell.error else cell.output.strip() for cell in results]


def run(wall: Wall, *sources: str, timeout: float = 20.0) -> str:
    """Run cells in a new container, and return the error or the output of the last cell."""
    with wall.candidate() as candidate:
        return load(candidate, *sources, timeout=timeout)[-1]


def run_attacks(wall: Wall, *attacks: str, setup: str = "") -> dict[str, str]:
    """Run attacks one after another in one container, and return the error or the output of each."""
    with wall.candidate() as candidate:
        return dict(zip(attacks, load(candidate, setup, *attacks)[1:], strict=True))


def still_works(candidate: CandidateClient) -> bool:
    with candidate.task() as task:
        return task.ask("honest", (3.0,)).value == 6.0


HONEST_CODE = "def honest(x):\n    return 2 * x"


def test_wall_uses_its_fast_mode_without_a_fallback(wall: Wall, notices: list[str]) -> None:
    assert wall.mode == "forked"
    assert notices == []


# --- Reading foreign files and memory ------------------------------------------------------------------


def test_container_runs_only_on_its_examiners_processors(wall: Wall) -> None:
    affinity = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(affinity)})
        assert run(wall, "import os; print(os.sched_getaffinity(0))") == str({max(affinity)})
    finally:
        os.sched_setaffinity(0, affinity)


def test_wall_contains_only_files_of_python_and_the_system(wall: Wall, secret_file: Path) -> None:
    paths = [
        str(secret_file),
        str(Path.cwd() / "pyproject.toml"),
        str(Path.cwd() / "course"),
        "/etc/shadow",
        "/root/.ssh",
        "/home",
        "/var",
    ]
    paths += ["/run", "/sys", "/boot", "/mnt", "/opt", os.path.expanduser("~/.bashrc")]
    output = run(wall, f"import os; print([p for p in {paths!r} if os.path.exists(p)])")
    assert output == "[]"


def test_the_grader_shows_only_the_files_that_a_candidate_needs(wall: Wall) -> None:
    code = "[str(p) for a in autograder.__path__ for p in pathlib.Path(a).rglob('*.py')]"
    output = run(wall, f"import autograder, pathlib; print(sorted({code}))")
    inside_folder = Path(bubblewrap.__file__).parent / "inside"
    assert output == str(
        sorted(f"{bubblewrap._INSIDE_FOLDER}/{path.name}" for path in inside_folder.glob("*.py"))
    )
    assert "ModuleNotFoundError" in run(wall, "import autograder.exam.examiner")


def test_explorers_are_absent_in_the_wall_and_their_cells_still_run(wall: Wall) -> None:
    cells = """
        import gc, sys, types, pathlib, secant
        from secant import draw_graph, explore, explore_engine
        explore(lambda x: x**2, x=1.0).x.value = 2
        display(explore_engine(bug="kept"), draw_graph(x=1))
        modules = [getattr(m, "__name__", "") for m in gc.get_objects() if isinstance(m, types.ModuleType)]
        files = [str(path) for path in pathlib.Path(secant.__path__[0]).rglob("*.py")]
        print([name for name in modules + files if "explorers" in name or "secant/graph" in name])
        explore
    """
    assert run(wall, textwrap.dedent(cells)) == "[]"
    for module in ("secant.explorers.kit.difference", "secant.graph.record"):
        assert "ModuleNotFoundError" in run(wall, f"import {module}")
        setup = "import sys; del sys.modules['secant.explorers'], sys.modules['secant.graph']"
        assert "ModuleNotFoundError" in run(wall, f"{setup}; import {module}")


@pytest.mark.whole
def test_class_folder_below_a_shown_folder_is_absent_in_the_wall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class may lie below a shown folder such as /usr/local, and a shown Python may lie in the class."""
    python = tmp_path / "shown/class/venv"
    for name in ("other", "class/.git", "class/venv/bin", "class/source"):
        (tmp_path / "shown" / name).mkdir(parents=True)
        (tmp_path / "shown" / name / "file").write_text(SECRET)
    (tmp_path / "shown/gradebook.db").write_text(SECRET)
    monkeypatch.setattr(visible, "SYSTEM", (*visible.SYSTEM, str(tmp_path / "shown"), str(python)))
    files = f"pathlib.Path({str(tmp_path)!r}).rglob('file')"
    code = f"import pathlib; print(sorted(path.parent.name for path in {files}))"
    hidden = [tmp_path / "shown/class", tmp_path / "shown/class/source", tmp_path / "shown/gradebook.db"]
    with Wall(LIMITS, hidden=hidden) as wall:
        assert wall.mode == "forked"
        assert run(wall, code) == "['bin', 'other']"
        assert run(wall, f"print(open({str(hidden[2])!r}).read())").startswith("PermissionError")
    monkeypatch.setattr(visible, "_within", lambda path, folders: iter(()))
    refusal = pytest.raises(WallUnavailable, match=r"class/(source|\.git)/file is visible")
    with refusal, Wall(LIMITS, hidden=hidden):
        pass


def test_no_secant_file_lies_on_the_import_path_in_the_wall(wall: Wall) -> None:
    """Secant's files in site-packages, even an older version's, are masked; imports use another folder."""
    output = run(
        wall,
        """
        import pathlib, secant, sys
        near = [p for top in sys.path for p in pathlib.Path(top or ".").glob("*")]
        ours = [p for p in near if "secant" in p.name.lower()]
        print([str(p) for p in ours if p.is_file() and p.read_bytes() or p.is_dir() and any(p.iterdir())])
        print(secant.__path__, any('_course' in str(p) for p in pathlib.Path(secant.__path__[0]).rglob('*')))
        """,
    )
    assert output.splitlines() == ["['/secant/secant']", "['/secant/secant'] False"]


def test_wall_passes_on_only_listed_environment_variables(wall: Wall) -> None:
    output = run(wall, "import os; print(sorted(os.environ)); print(open('/proc/self/environ').read())")
    names = output.splitlines()[0]
    assert SECRET not in output
    assert set(eval(names)) - {"PWD", "LC_CTYPE", "KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK"} == set(
        bubblewrap._environment("en")
    )


def test_only_its_own_processes_are_visible(wall: Wall) -> None:
    output = run(wall, "import os; print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit())[0:1])")
    assert output == "[1]"
    assert run(wall, "import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]))") == "2"


def test_no_descriptor_is_inherited_but_the_channel(wall: Wall) -> None:
    source = """
    import os
    kinds = []
    for name in os.listdir('/proc/self/fd'):
        try:
            kinds.append(os.readlink('/proc/self/fd/' + name).split(':')[0])
        except OSError:
            pass  # the listing's own
    print(sorted(kinds))
    """
    assert run(wall, source) == "['/dev/null', '/dev/null', '/dev/null', 'socket']"


def test_candidate_cannot_read_the_memory_of_process_1(wall: Wall) -> None:
    paths = ["/proc/1/mem", "/proc/1/environ", "/proc/1/fd/3", "/proc/kcore"]
    attacks = [f"open('{path}').read(1)" for path in paths]
    outcomes = run_attacks(wall, *attacks, "import os; os.listdir('/proc/1/root/')")
    assert [attack for attack in outcomes if "Error" not in outcomes[attack]] == []


def test_the_template_holds_no_text_of_the_examiner(wall: Wall) -> None:
    halves = f"{SECRET[:6]!r} + {SECRET[6:]!r}"
    source = f"import gc\nprint([x for x in gc.get_objects() if type(x) is dict and {halves} in x.values()])"
    assert run(wall, source) == "[]"


# --- Network and other ways out ------------------------------------------------------------------------


NETWORK_CALLS = [
    "socket.create_connection(('127.0.0.1', 22), 2)",
    "socket.create_connection(('192.0.2.1', 80), 2)",
    "socket.getaddrinfo('example.org', 80)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('2001:db8::1', 53))",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "socket.socket(40, socket.SOCK_STREAM)",  # vsock ignores network namespaces
    "socket.socket(38, socket.SOCK_SEQPACKET)",  # the kernel's cryptography
    "socket.socket(31, socket.SOCK_RAW, 1)",  # bluetooth
    "socket.socketpair(30)",  # tipc
]


def test_a_candidate_reaches_no_network(wall: Wall) -> None:
    outcomes = run_attacks(wall, *NETWORK_CALLS, setup="import socket")
    assert [attack for attack in outcomes if "rror: " not in outcomes[attack]] == []


def test_abstract_and_path_sockets_of_the_machine_are_out_of_reach(wall: Wall, tmp_path: Path) -> None:
    import socket

    name = f"\0secant-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as abstract_socket, socket.socket(socket.AF_UNIX) as path_socket:
        abstract_socket.bind(name)
        abstract_socket.listen()
        path_socket.bind(str(tmp_path / "s"))
        path_socket.listen()
        for address in (name, str(tmp_path / "s")):
            assert "rror: " in run(wall, f"import socket; socket.socket(socket.AF_UNIX).connect({address!r})")


SYSCALL_CODE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    result = libc.syscall(*arguments)
    print(result, os.strerror(ctypes.get_errno()))
"""


REFUSED_CALLS = {
    "272, 0x10000000": "not permitted",  # unshare: a new user namespace
    "272, 0x00020000": "not permitted",  # unshare: a new mount namespace
    "56, 0x10000000 | 17, 0, 0, 0, 0": "not permitted",  # clone: a new user namespace
    "56, 0x40000000 | 17, 0, 0, 0, 0": "not permitted",
    "435, 0, 88": "not implemented",  # clone3
    "308, 3, 0": "not permitted",  # setns
    "165, b'none', b'/tmp', b'tmpfs', 0, 0": "not permitted",  # mount
    "166, b'/tmp', 2": "not permitted",  # umount2
    "155, b'/', b'/tmp'": "not permitted",  # pivot_root
    "161, b'/tmp'": "not permitted",  # chroot
    "430, b'tmpfs', 0": "not implemented",  # fsopen
    "428, -100, b'/', 1": "not implemented",  # open_tree
    "442, -100, b'/', 0, 0, 0": "not implemented",  # mount_setattr
    "101, 16, 1, 0, 0": "not permitted",  # ptrace attach
    "310, 1, 0, 0, 0, 0, 0": "not permitted",  # process_vm_readv
    "438, 3, 0, 0": "not implemented",  # pidfd_getfd
    "425, 8, 0": "not implemented",  # io_uring_setup
    "323, 1": "not permitted",  # userfaultfd
    "321, 0, 0, 0": "not permitted",  # bpf
    "298, 0, 0, 0, 0, 0": "not permitted",  # perf_event_open
    "248, b'user', b'k', b'v', 1, -3": "not permitted",  # add_key
    "250, 0, -3, 1": "not permitted",  # keyctl
    "29, 0, 4096, 0o1600": "not permitted",  # shmget
    "64, 0, 1, 0o1600": "not permitted",  # semget
    "68, 0, 0o1600": "not permitted",  # msgget
    "240, b'q', 0o102, 0o600, 0": "not permitted",  # mq_open
    "319, b'm', 0": "not implemented",  # memfd_create
    "447, 0": "not implemented",  # memfd_secret
    "135, 0x0040000": "not permitted",  # personality: no address randomisation
    "175, 0, 0, b''": "not permitted",  # init_module
    "246, 0, 0, 0, 0": "not permitted",  # kexec_load
    "304, -1, 0, 0": "not permitted",  # open_by_handle_at
    "302, 1, 7, 0, 0": "not permitted",  # prlimit of process 1
    "170, b'x', 1": "not permitted",  # sethostname
    "144, 1, 5, b'\\0\\0\\0\\0'": "not permitted",  # sched_setscheduler: let process 1 idle
    "141, 2, 0, 19": "not permitted",  # setpriority of all of a user's processes
    "203, 1, 8, b'\\1' + bytes(7)": "not permitted",  # sched_setaffinity of process 1
    "9, 0, 4096, 3, 0x21, -1, 0": "not permitted",  # mmap: shared and anonymous
    "9, 0, 4096, 3, 0x23, -1, 0": "not permitted",
    "278, 1, 0, 0, 0": "not permitted",  # vmsplice
    "40, 1, 0, 0, 1": "not implemented",  # sendfile
    "275, 0, 0, 1, 0, 1, 0": "not implemented",  # splice
    "276, 0, 1, 1, 0": "not implemented",  # tee
    "317, 0, 0, 0": "not permitted",  # seccomp
    "157, 22, 2, 0": "Invalid argument",  # prctl: a filter
    "157, 62, 1, 0, 0, 0": "Invalid argument",  # prctl: a processor core for its own processes alone
    "72, 0, 1026, 1": "not permitted",  # fcntl: F_NOTIFY
    "55, 3, 1, 77, 0, 0": "not permitted",  # getsockopt: SO_PEERPIDFD
    "206, 1, b'\\0' * 8": "not permitted",  # io_setup
    "188, b'/none', b'system.posix_acl_access', b'\\2\\0\\0\\0', 4, 0": "not permitted",  # setxattr
    "189, b'/none', b'user.x', b'x', 1, 0": "not permitted",  # lsetxattr
    "190, 99, b'user.x', b'x', 1, 0": "not permitted",  # fsetxattr
    "600, 0": "not implemented",  # a call that Linux does not have yet
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86-64")
def test_system_calls_that_no_lesson_needs_are_refused(wall: Wall) -> None:
    attacks = {f"call({attack})": answer for attack, answer in REFUSED_CALLS.items()}
    outcomes = run_attacks(wall, *attacks, setup=SYSCALL_CODE)
    assert {attack: outcome for attack, outcome in outcomes.items() if attacks[attack] not in outcome} == {}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86-64")
def test_x32_system_calls_are_refused(wall: Wall) -> None:
    with wall.candidate() as candidate, pytest.raises(Crashed) as error:
        load(candidate, f"{SYSCALL_CODE}call(0x40000000 + 39)")
    assert (error.value.reason, error.value.detail) == ("signal", signal.SIGSYS)


def test_candidate_cannot_raise_its_priority(wall: Wall) -> None:
    """Check the priority for memory, and the priority for processors that a new session could raise."""
    output = run(
        wall,
        "import os\n"
        "print(open('/proc/self/oom_score_adj').read().strip())\n"
        "try:\n"
        "    open('/proc/self/oom_score_adj', 'w')\n"
        "except OSError as error:\n"
        "    print(error.strerror)\n"
        "before = os.getsid(0)\n"
        "os.setsid()\n"
        "print(os.getsid(0) == before, os.getpriority(os.PRIO_PROCESS, 0))",
    )
    after = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
    assert output.splitlines() == ["1000", "Read-only file system", f"True {after}"]


def test_no_privileges_are_left_and_none_can_be_gained(wall: Wall) -> None:
    output = run(wall, "print(open('/proc/self/status').read())")
    status = dict(line.split(":\t", 1) for line in output.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert "0" not in status["Uid"].split()
    assert "rror" in run(wall, "import os; os.setuid(0)")


def test_candidate_can_write_only_to_its_own_tmp(wall: Wall) -> None:
    source = """
    import os
    found = []
    for folder, folders, files in os.walk('/'):
        folders[:] = [name for name in folders if not (folder == '/' and name == 'proc')]
        if os.access(folder, os.W_OK) and not folder.startswith(('/tmp', '/dev/shm')):
            found.append(folder)
        if folder.count('/') > 3:
            folders.clear()
    print(found)
    """
    assert run(wall, source) == "[]"


def test_the_machine_cannot_be_changed_through_proc(wall: Wall) -> None:
    paths = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches", "/dev/mem"]
    outcomes = run_attacks(wall, *(f"open({path!r}, 'w').write('1')" for path in paths))
    assert [attack for attack in outcomes if "Error" not in outcomes[attack]] == []


def test_a_candidate_opens_no_terminal(wall: Wall) -> None:
    assert "Error" in run(wall, "open('/dev/tty')")
    assert "Error" in run(wall, "import os; os.open('/dev/ptmx', 2)")


# --- Killing other processes ---------------------------------------------------------------------------


def test_process_1_survives_every_signal(wall: Wall) -> None:
    source = """
    import os, signal
    for number in set(range(1, 65)) - {32, 33}:
        try:
            os.kill(1, number)
        except OSError:
            pass
    """
    with wall.candidate() as candidate:
        assert load(candidate, source, HONEST_CODE) == ["", ""]
        assert still_works(candidate)


def test_kill_everything_ends_only_its_own_container(wall: Wall) -> None:
    with wall.candidate() as witness, wall.candidate() as killer:
        load(witness, HONEST_CODE)
        load(killer, "import os\ndef f():\n    os.kill(-1, 9); os.kill(0, 9)", HONEST_CODE)
        with killer.task() as task, pytest.raises(Crashed):
            task.ask("f")
        assert still_works(killer)
        assert still_works(witness)


def test_two_candidates_share_no_files_or_processes(wall: Wall) -> None:
    writer = """
    import os
    for folder in ('/tmp', '/dev/shm'):
        open(folder + '/mark', 'w').write('hello')
    children = [os.fork() or os.execvp('sleep', ['sleep', '99']) for _ in range(5)]
    print(max(children))
    """
    reader = """
    import os
    print([os.path.exists(folder + '/mark') for folder in ('/tmp', '/dev/shm')])
    os.kill(PID, 0)
    """
    with wall.candidate() as first, wall.candidate() as second:
        pid = load(first, writer)[0]
        assert "ProcessLookupError" in load(second, reader.replace("PID", pid))[0]
        assert second.load([("a", textwrap.dedent(reader))], 10).cells[0].output == "[False, False]\n"


# --- Tasks that die or never end -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        ("os._exit(0)", "exit", 0),
        ("os._exit(7)", "exit", 7),
        ("os.kill(os.getpid(), 11)", "signal", signal.SIGSEGV),
        ("ctypes.string_at(0)", "signal", signal.SIGSEGV),
        ("os.abort()", "signal", signal.SIGABRT),
        ("sys.setrecursionlimit(10**9); deep(0)", "signal", signal.SIGSEGV),
        (
            "[os.write(n, b'{\"score\": 1}' * 99) for n in range(3, 9) if is_open(n)]; os._exit(0)",
            "garbage",
            0,
        ),
        ("[os.write(n, b'\\x09\\0\\0\\0nonsense!') for n in range(3, 9) if is_open(n)]", "garbage", 0),
    ],
)
def test_task_whose_process_dies_costs_only_that_task(
    wall: Wall, body: str, reason: str, detail: int
) -> None:
    source = f"""
    import ctypes, os, sys
    def deep(n): return deep(n + 1) + 1
    def is_open(n):
        try:
            os.fstat(n)
            return True
        except OSError:
            return False
    def f():
        {body}
    """
    alternative = ("memory", 0) if "recursion" in body else None  # Python 3.11 moved frames to the heap
    with wall.candidate() as candidate:
        load(candidate, source, HONEST_CODE)
        for last in (False, True):
            with candidate.task(last=last) as task:
                with pytest.raises(Crashed) as error:
                    task.ask("f", timeout=10)
                assert (error.value.reason, error.value.detail) in {(reason, detail), alternative}
                with pytest.raises(Crashed):
                    task.ask("honest", (1.0,))
            assert still_works(candidate)


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "signal.signal(2, signal.SIG_IGN); signal.pthread_sigmask(0, range(1, 32)); time.sleep(1e6)",
        "ctypes.CDLL(None).pause()",
        "re.match(r'(a+)+$', 'a' * 64 + 'b')",
        "os.kill(os.getppid(), 19); time.sleep(1e6)",  # stops the loaded process too
        "os.closerange(3, 99); time.sleep(1e6)",
        "os.fork() or time.sleep(1e6); os._exit(0)",  # a child keeps the channel open
        "[os.fork() for _ in range(3)]; time.sleep(1e6)",
    ],
)
def test_endless_task_costs_only_that_task(wall: Wall, body: str) -> None:
    with wall.candidate() as candidate:
        load(candidate, f"import ctypes, os, re, signal, time\ndef f():\n    {body}", HONEST_CODE)
        for last in (False, True):
            start_time = time.monotonic()
            with candidate.task(last=last) as task, pytest.raises((TimedOut, Crashed)):
                task.ask("f", timeout=0.3)
            assert time.monotonic() - start_time < 8
            assert still_works(candidate)


def test_exception_raised_by_an_answer_is_reported(wall: Wall) -> None:
    source = """
    import sys
    def zero(x):
        return x / 0
    def leave(): sys.exit(3)
    def stop(): raise KeyboardInterrupt
    class Nasty(Exception):
        def __str__(self): raise SystemExit
    def nasty(): raise Nasty
    def long(): raise ValueError('x' * 10**6)
    def surrogate(): raise ValueError('\\ud800')
    """
    with wall.candidate() as candidate:
        load(candidate, source)
        with candidate.task() as task:
            answer = task.ask("zero", (1,))
            assert (answer.kind, answer.error, answer.message) == (
                "raised",
                "ZeroDivisionError",
                "division by zero",
            )
            assert [(line.cell, line.number, line.function) for line in answer.trace] == [("0", 3, "zero")]
            assert task.ask("leave").error == "SystemExit"
            assert task.ask("stop").error == "KeyboardInterrupt"
            assert task.ask("nasty").error == "Nasty"
            assert len(task.ask("long").message) == 2000
            assert task.ask("surrogate").message == "?"
            assert task.ask("nobody") == Reply("missing")


def test_values_cross_the_wall_in_both_directions(wall: Wall) -> None:
    import torch

    source = "import torch, os\ndef f(x, *, k): return {'a': [x * k, (x, None)], 'file': open(os.devnull)}"
    with wall.candidate() as candidate:
        load(candidate, source)
        with candidate.task() as task:
            value = task.ask("f", [torch.ones(2, 3)], {"k": 2}).value
            assert torch.equal(value["a"][0], 2 * torch.ones(2, 3))
            assert value["file"] == wire.Unsendable("_io.TextIOWrapper", "type")
            with pytest.raises(wire.WireError):
                task.ask("f", [object()])
            assert task.ask("f", [1], {"k": 2}).kind == "value"


def test_a_cell_that_ends_the_process_is_named(wall: Wall) -> None:
    with wall.candidate() as candidate:
        with pytest.raises(Crashed) as error:
            candidate.load([("a", "x = 1"), ("b", "import os; os._exit(5)"), ("c", "y = 1")], 20)
        assert (error.value.cell, error.value.detail) == ("b", 5)
        assert [cell.label for cell in error.value.results] == ["a"]
        assert load(candidate, HONEST_CODE) == [""]


def test_a_cell_that_never_ends_is_named(wall: Wall) -> None:
    with wall.candidate() as candidate:
        with pytest.raises(TimedOut) as error:
            candidate.load([("a", "x = 1"), ("b", "import time; time.sleep(1e6)"), ("c", "y = 1")], 0.5)
        assert error.value.cell == "b"
        assert [cell.label for cell in error.value.results] == ["a"]


@pytest.mark.parametrize(
    "cell", ["exit()", "quit()", "import sys; sys.exit(1)", "raise KeyboardInterrupt", "1/0", "x ="]
)
def test_an_error_in_a_cell_does_not_stop_the_next(wall: Wall, cell: str) -> None:
    with wall.candidate() as candidate:
        load(candidate, cell, HONEST_CODE)
        assert still_works(candidate)


# --- Resources -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "x = []\n    while True: x.append(torch.ones(10**7))",
        "x = b''\n    while True: x += bytes(10**8)",
        "torch.ones(10**10)",
        "[i for i in range(10**9)]",
    ],
)
def test_memory_bomb_ends_in_an_error_or_a_kill(wall: Wall, body: str) -> None:
    with wall.candidate() as candidate:
        load(candidate, f"import torch\ndef f():\n    {body}", HONEST_CODE)
        with candidate.task() as task, contextlib.suppress(Crashed):
            answer = task.ask("f", timeout=30)
            assert answer.error in ("MemoryError", "RuntimeError")
        assert still_works(candidate)


MANY_PROCESSES_BOMB = """
import mmap, os, time
def f():
    for _ in range(12):
        if os.fork() == 0:
            m = mmap.mmap(-1, 100 * 2**20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            m.write(bytes(100 * 2**20))
            time.sleep(1e6)
    time.sleep(1e6)
"""


@pytest.mark.parametrize("with_cgroup", [True, False])
def test_memory_limit_covers_all_processes_of_a_submission(
    wall: Wall, with_cgroup: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_cgroup:
        monkeypatch.setattr(Cgroup, "create", lambda *_: None)
    with wall.candidate() as candidate:
        load(candidate, MANY_PROCESSES_BOMB, HONEST_CODE)
        with candidate.task() as task:
            with pytest.raises((Crashed, TimedOut)) as error:
                task.ask("f", timeout=15)
            if not with_cgroup:
                assert isinstance(error.value, Crashed)
                assert error.value.reason == "memory"
        assert still_works(candidate)


def crash_without_cgroup(wall: Wall, body: str, monkeypatch: pytest.MonkeyPatch) -> Crashed:
    """Run a function without a control group, where only the supervisor counts memory; return the crash."""
    monkeypatch.setattr(Cgroup, "create", lambda *_: None)
    with wall.candidate() as candidate:
        load(
            candidate,
            f"import os, time\ndef f():\n{textwrap.indent(textwrap.dedent(body), '    ')}",
            HONEST_CODE,
        )
        with candidate.task() as task, pytest.raises(Crashed) as error:
            task.ask("f", timeout=15)
        assert still_works(candidate)
        return error.value


SOCKET_BOMB = """
import socket
held = []
for _ in range(20):
    if os.fork() == 0:
        break
try:
    while True:
        pair = socket.socketpair()
        held.append(pair)
        pair[0].setblocking(False)
        try:
            while True:
                pair[0].send(bytes(50_000))
        except BlockingIOError:
            pass
        pair[0].close()
except OSError:
    time.sleep(60)
"""
QUEUE_BOMB = """
import socket
for _ in range(3):
    os.fork()
for name in range(40):
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind(f'/tmp/{os.getpid()}-{name}')
    receiver.detach()
    for _ in range(11):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(bytes(100_000), f'/tmp/{os.getpid()}-{name}')
time.sleep(60)
"""
BACKLOG_BOMB = """
import socket
server = socket.socket(socket.AF_UNIX)
server.bind('/tmp/server')
server.listen(2000)
while True:
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        try:
            client.connect('/tmp/server')  # is refused as long as 2000 connections wait
            while True:
                client.send(bytes(50_000))
        except BlockingIOError:
            pass
"""
PAGE_TABLE_BOMB = """
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
for _ in range(4):
    if os.fork() == 0:
        break
for number in range(25_000):  # one page of zeros in each gigabyte of addresses
    ctypes.string_at(libc.mmap(0x100000000000 + number * 2**30, 4096, 3, 0x100022, -1, 0), 1)
time.sleep(60)
"""
MAPPING_BOMB = """
import ctypes, mmap
libc = ctypes.CDLL(None)
size = 100 * 2**20
held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
address = ctypes.addressof(ctypes.c_char.from_buffer(held))
for start in range(0, size, 8192):  # every other page is read-only
    libc.mprotect(ctypes.c_void_p(address + start), ctypes.c_size_t(4096), 1)
for _ in range(20):
    if os.fork():
        break
time.sleep(60)
"""


@pytest.mark.parametrize(
    "body",
    [SOCKET_BOMB, QUEUE_BOMB, BACKLOG_BOMB, PAGE_TABLE_BOMB, MAPPING_BOMB],
    ids=["socket pairs", "datagrams", "connections that wait", "page tables", "mappings"],
)
def test_the_kernels_memory_for_a_submission_counts_without_a_control_group(
    wall: Wall, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert crash_without_cgroup(wall, body, monkeypatch).reason == "memory"


def test_memory_of_many_file_names_counts_toward_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wall for one submission, bubblewrap limits the bytes in /tmp, but not the number of file names."""
    numbers = list(os.statvfs("/tmp"))
    monkeypatch.setattr("os.statvfs", lambda path: os.statvfs_result(numbers))
    before = supervisor._file_bytes()
    numbers[6] -= 1000  # use 1,000 of the free inodes
    assert supervisor._file_bytes() - before >= 2 * 1000 * 1024


HEADLESS_CODE = """
import ctypes, os, threading, time
def hold():
    held = bytes(300 * 2**20)
    time.sleep(1e6)
def f():
    for _ in range(4):
        if os.fork() == 0:
            threading.Thread(target=hold).start()
            ctypes.CDLL(None).syscall(60, 0)  # ends this thread alone; the process now looks dead
    time.sleep(1e6)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86-64")
def test_process_whose_main_thread_has_exited_is_killed(wall: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cgroup, "create", lambda *_: None)
    with wall.candidate() as candidate:
        load(candidate, HEADLESS_CODE, HONEST_CODE)
        with candidate.task() as task, pytest.raises((TimedOut, Crashed)):
            task.ask("f", timeout=1.5)
        with candidate.task() as task:
            task.define("import os\ndef count(): return len([p for p in os.listdir('/proc') if p.isdigit()])")
            assert task.ask("count").value == 3


INT_80_CODE = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(bytes.fromhex('b814000000cd80c3'))  # getpid by the 32-bit door
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="an instruction of x86-64")
def test_32_bit_system_calls_are_refused(wall: Wall) -> None:
    with wall.candidate() as candidate, pytest.raises(Crashed) as error:
        load(candidate, INT_80_CODE)
    assert error.value.reason == "signal"
    assert error.value.detail in (signal.SIGSYS, signal.SIGSEGV)


def test_descriptors_sent_to_the_examiner_are_dropped(wall: Wall) -> None:
    source = """
    import os, socket
    def f():
        channel = socket.socket(fileno=max(int(n) for n in os.listdir('/proc/self/fd') if is_socket(n)))
        for _ in range(50):
            socket.send_fds(channel, [b'\\0'], [0, 1, 2])
        channel.detach()
    def is_socket(n):
        try:
            return os.readlink('/proc/self/fd/' + n).startswith('socket')
        except OSError:
            return False
    """
    before = len(os.listdir("/proc/self/fd"))
    with wall.candidate() as candidate:
        load(candidate, source, HONEST_CODE)
        with candidate.task() as task, pytest.raises((Crashed, TimedOut)):
            task.ask("f", timeout=2)
        assert still_works(candidate)
    assert len(os.listdir("/proc/self/fd")) == before


def test_writing_too_much_to_disk_raises_an_error(wall: Wall) -> None:
    assert "OSError" in run(wall, "open('/tmp/big', 'wb').write(bytes(10**8))")
    source = "for i in range(99):\n    open(f'{FOLDER}/{i}', 'wb').write(bytes(10**6))"
    for folder in ("/tmp", "/dev/shm"):
        assert "No space left" in run(wall, f"FOLDER = {folder!r}\n{source}")
    assert "No space left" in run(
        wall, "import os\nfor i in range(10**6): os.close(os.open(f'/tmp/{i}', 65))"
    )


def test_starting_too_many_threads_raises_an_error(wall: Wall) -> None:
    source = "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(999,)).start()"
    assert "can't start new thread" in run(wall, source)


def test_number_of_open_descriptors_is_limited(wall: Wall) -> None:
    assert "Too many open files" in run(wall, "import os\nwhile True: os.open('/dev/null', 0)")


def test_no_core_dump_is_written(wall: Wall) -> None:
    assert run(wall, "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))") == "(1, 1)"


def test_output_of_a_candidate_is_bounded(wall: Wall) -> None:
    with wall.candidate() as candidate:
        source = "for _ in range(300): print('x' * 10**6)"
        cells = [
            ("a", source),
            ("b", "'y' * 10**7"),
            ("c", "from IPython.display import HTML; HTML('z' * 10**7)"),
        ]
        results = candidate.load(cells, 30).cells
        assert all(cell.ok and len(cell.output) <= 20_000 for cell in results)


def test_standard_input_of_a_candidate_is_empty(wall: Wall) -> None:
    assert "EOFError" in run(wall, "input('? ')")
    assert run(wall, "import sys; print(repr(sys.stdin.read()))") == "''"
    assert "rror" in run(wall, "import getpass; getpass.getpass()")


BOMBS = {
    "fork bomb": """
import os
while True:
    try: os.fork()
    except OSError: pass
""",
    "stubborn": """
import os, signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(20):
    if os.fork() == 0: time.sleep(1e6)
time.sleep(1e6)
""",
    "daemon": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(1e6)
    os._exit(0)
""",
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_process_outlives_its_grading(wall: Wall, name: str) -> None:
    before = processes()
    with wall.candidate() as candidate, contextlib.suppress(TimedOut, Crashed):
        load(candidate, BOMBS[name], timeout=0.5)
    assert processes() <= before


@pytest.mark.parametrize("name", BOMBS)
def test_no_process_outlives_its_task(wall: Wall, name: str) -> None:
    body = textwrap.indent(BOMBS[name], "    ")
    with wall.candidate() as candidate:
        load(candidate, f"def f():\n{body}", HONEST_CODE)
        with candidate.task() as task, contextlib.suppress(TimedOut, Crashed):
            task.ask("f", timeout=0.5)
        with candidate.task() as task:
            task.define("import os\ndef count(): return len([p for p in os.listdir('/proc') if p.isdigit()])")
            assert task.ask("count").value == 3


def processes(top: int = os.getpid()) -> set[int]:
    """Return the descendants of a process, by default of this one."""
    return set(family(top)) - {top}


@pytest.mark.parametrize(
    "source",
    [
        "import atexit, time; atexit.register(time.sleep, 1e6)",
        "import threading, time; threading.Thread(target=time.sleep, args=(1e6,)).start()",
        "import os; os.close(1); os.close(2)",
        "import sys; sys.stdout = sys.stderr = sys.stdin = None",
        "import gc; [setattr(o, 'f_trace', None) for o in gc.get_objects() if hasattr(o, 'f_trace')]",
    ],
)
def test_exit_handlers_and_threads_are_not_waited_for(wall: Wall, source: str) -> None:
    start_time = time.monotonic()
    with wall.candidate() as candidate:
        load(candidate, source, HONEST_CODE)
        assert still_works(candidate)
    assert time.monotonic() - start_time < 8


def test_a_hostile_loaded_process_spoils_only_itself(wall: Wall) -> None:
    source = """
    import os, socket, threading
    from autograder.sandbox.inside import candidate, wire
    wire.send = wire.recv = candidate.serve = candidate.reset = lambda *a, **k: None
    os.fork = lambda: 0
    """
    with wall.candidate() as other_candidate, wall.candidate() as candidate:
        load(other_candidate, HONEST_CODE)
        with contextlib.suppress(TimedOut, Crashed):
            load(candidate, source, HONEST_CODE, timeout=2)
            with candidate.task() as task:
                task.ask("honest", (3.0,), timeout=1)
        assert still_works(other_candidate)


def test_a_closed_channel_is_noticed_at_once(wall: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.container._EXIT_REPORT_SECONDS", 0.2)  # no exit report will come
    with wall.candidate() as candidate:
        start_time = time.monotonic()
        with pytest.raises((Crashed, TimedOut)):
            load(candidate, "import os, time; os.closerange(3, 99); time.sleep(1e6)", timeout=30)
        assert time.monotonic() - start_time < 5


# --- Honest work ---------------------------------------------------------------------------------------

WORK_CODE = """
import torch, matplotlib.pyplot as plt
def work(n=600):
    a = torch.randn(n, n, requires_grad=True)
    (a @ a).sum().backward()
    image = torch.randn(2, 3, 32, 32, requires_grad=True)
    torch.nn.functional.conv2d(image, torch.randn(4, 3, 3, 3)).sum().backward()
    model = torch.nn.Linear(8, 1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimiser.zero_grad(); model(torch.ones(4, 8)).pow(2).mean().backward(); optimiser.step()
    jacobian = torch.func.jacrev(lambda x: x.sin())(torch.ones(3))
    hessian = torch.func.vmap(torch.func.grad(lambda x: x**3))(torch.ones(3))
    figure, axes = plt.subplots(); axes.plot([1, 2]); figure.savefig('/tmp/figure.png')
    return float(a.grad.abs().sum()) > 0, list(jacobian.shape), hessian
"""


@pytest.mark.whole
@pytest.mark.parametrize("setup", ["", "torch.set_num_threads(4)"])
def test_computation_done_before_a_fork_also_works_after_it(wall: Wall, setup: str) -> None:
    with wall.candidate() as candidate:
        output = load(candidate, WORK_CODE, f"import torch; {setup}", "work(); print('done')")
        assert output[-1] == "done"
        for _ in range(2):
            with candidate.task() as task:
                answer = task.ask("work", timeout=30)
                assert answer.kind == "value", answer
                assert answer.value[0] is True


@pytest.mark.whole
def test_load_reports_the_number_of_remaining_threads(wall: Wall) -> None:
    with wall.candidate() as candidate:
        assert candidate.load([("a", WORK_CODE), ("b", "work();")], 30).threads == 1
        second_load = candidate.load(
            [("a", "import torch; torch.set_num_threads(4)"), ("b", WORK_CODE), ("c", "work();")], 30
        )
        assert second_load.threads > 1


def test_every_task_starts_from_the_same_state(wall: Wall) -> None:
    changes = """
    import torch, warnings, numpy as np, random, sys, matplotlib.pyplot as plt
    torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); warnings.simplefilter('error')
    np.seterr(all='raise'); sys.setrecursionlimit(50_000); torch.autograd.set_detect_anomaly(True)
    plt.rcParams['figure.dpi'] = 1; torch.set_printoptions(precision=1)
    """
    probe = """
    import torch, warnings, sys, random, numpy as np
    def state():
        warnings.warn('careful')
        return [str(torch.get_default_dtype()), torch.is_grad_enabled(), sys.getrecursionlimit(),
                torch.is_anomaly_enabled(), random.random(), float(np.random.rand()), torch.rand(3).tolist()]
    """
    with wall.candidate() as candidate:
        load(candidate, changes)
        states = []
        for seed in (1, 2, 1):
            with candidate.task(seed) as task:
                assert task.define(textwrap.dedent(probe)).kind == "value"
                states.append(task.ask("state").value)
        assert states[0][:4] == ["torch.float32", True, 1000, False]
        assert states[0] == states[2]
        assert states[0] != states[1]


def test_task_does_not_see_changes_by_another_task(wall: Wall) -> None:
    with wall.candidate() as candidate:
        count_source = "count = 0\ndef f():\n    global count\n    count += 1\n    return count"
        pid_source = "import os\nprint(os.getpid())\ndef who():\n    return os.getpid()"
        loaded_pid = int(load(candidate, count_source, pid_source)[1])
        for last in (False, False, True):
            with candidate.task(last=last) as task:
                assert task.ask("f").value == 1
                assert task.ask("f").value == 2
                assert (task.ask("who").value == loaded_pid) is last


def test_a_notebook_is_run_as_jupyter_would(wall: Wall) -> None:
    cells = {
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()": "",
        "%%time\nx = 1": "",
        "!echo from the shell": "from the shell",
        "%%bash\necho from bash": "from bash",
        "from ipywidgets import interact\ninteract(lambda a: a, a=(0, 5));": "",
        "import asyncio\nawait asyncio.sleep(0)": "",
        "files = !ls /secant\nprint(files)": "['autograder', 'secant']",
        "get_ipython().run_line_magic('timeit', '-n1 -r1 1')": "",
        "%load_ext autoreload\n%autoreload 2\n%pdb on": "",
        "print(__name__)": "__main__",
    }
    with wall.candidate() as candidate:
        results = candidate.load([(source[:20], source) for source in cells], 30).cells
        for result, expected in zip(results, cells.values(), strict=True):
            assert result.ok, result
            assert expected in result.output


def test_files_pipes_sockets_and_worker_processes_work_in_the_wall(wall: Wall) -> None:
    """The system call filters for fcntl, ioctl, sockets and zero-copy calls must allow this ordinary use."""
    cells = {
        "import fcntl\nwith open('/tmp/a', 'w') as f:\n    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    fcntl.lockf(f, fcntl.LOCK_EX)\n    print('locked')": "locked",
        "import sqlite3\nwith sqlite3.connect('/tmp/db') as db:\n    db.execute('create table t (x)')\n"
        "    db.execute('insert into t values (7)')\n"
        "    print(db.execute('select x from t').fetchone())": "(7,)",
        "import shutil\nopen('/tmp/b', 'w').write('copied')\nshutil.copy('/tmp/b', '/tmp/c')\n"
        "print(open('/tmp/c').read())": "copied",
        "!cp /tmp/b /tmp/d && cat /tmp/d /tmp/c | cat": "copiedcopied",
        "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    print(pool.map(abs, [-1, -2]))": "[1, 2]",
        "with multiprocessing.Manager() as manager:\n    print(manager.list([3]))": "[3]",
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "print([int(x) for x in DataLoader(torch.arange(2), num_workers=1)])": "[0, 1]",
        "import subprocess\nprint(subprocess.run(['echo', 'run'], capture_output=True).stdout)": "run",
        "import signal, socket\na, b = socket.socketpair()\na.setblocking(False)\n"
        "signal.set_wakeup_fd(a.fileno())\nsignal.set_wakeup_fd(-1)\nprint(int(a.type))": "1",
        "import asyncio, sys\nasync def main():\n"
        "    server = await asyncio.start_unix_server(lambda r, w: w.close(), '/tmp/s')\n"
        "    reader, writer = await asyncio.open_unix_connection('/tmp/s')\n    print(await reader.read())\n"
        "    child = await asyncio.create_subprocess_exec('echo', 'child', stdout=-1)\n"
        "    print((await child.communicate())[0])\nawait main()": "b'child\\n'",
    }
    with wall.candidate() as candidate:
        for result, (source, expected) in zip(
            candidate.load([(source, source) for source in cells], 60).cells, cells.items(), strict=True
        ):
            assert result.ok, (source, result)
            assert expected in result.output, (source, result)


def test_no_process_number_of_the_grader_is_shown(wall: Wall) -> None:
    output = run(wall, "print(open('/proc/self/cgroup').read(), open('/proc/1/cmdline').read().strip('\\0'))")
    assert str(os.getpid()) not in output
    assert "template" not in output


def test_a_pip_install_fails_quickly(wall: Wall) -> None:
    start_time = time.monotonic()
    run(wall, "!pip install --retries 0 --timeout 1 secant-nonsense")
    assert time.monotonic() - start_time < 15


def test_threads_may_share_a_wall(wall: Wall) -> None:
    results = []

    def work() -> None:
        with wall.candidate() as candidate:
            load(candidate, HONEST_CODE)
            results.append(still_works(candidate))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


# --- When the wall itself fails ------------------------------------------------------------------------

PRINT_IMPORTED = "import sys\nprint('sympy' in sys.modules, 'torch._dynamo' in sys.modules)"


def test_template_imports_each_requested_module_once(wall: Wall) -> None:
    """The template keeps the imported modules; the next test ends the template."""
    wall.prepare("symbols")
    with wall.candidate() as candidate:
        assert load(candidate, PRINT_IMPORTED) == ["True False"]
    wall.prepare("compiler")
    wall.prepare("compiler")
    with wall.candidate() as candidate:
        assert load(candidate, PRINT_IMPORTED) == ["True True"]


@pytest.mark.whole
def test_killed_template_ends_its_containers_and_is_replaced(wall: Wall, notices: list[str]) -> None:
    with wall.candidate() as candidate:
        load(candidate, HONEST_CODE)
        assert wall._template is not None
        before = processes(wall._template.process.pid)
        assert len(before) > 2
        wall.prepare("symbols")
        wall._template.process.kill()
        wall._template.process.wait(10)
        with pytest.raises(WallError):
            candidate._container.ending()
        candidate.close()
        time.sleep(0.2)
        assert not processes() & before
        assert load(candidate, HONEST_CODE, PRINT_IMPORTED)[1] == "False False"
        assert still_works(candidate)
        assert notices
        notices.clear()  # the wall works again
    wall.prepare("symbols")  # the new template imports them, too
    with wall.candidate() as candidate:
        assert load(candidate, PRINT_IMPORTED) == ["True False"]


def test_without_bubblewrap_grading_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.bubblewrap.shutil.which", lambda *_, **__: None)
    with pytest.raises(WallUnavailable) as error:
        Wall().start()
    assert "not installed" in error.value.reason
    assert "apt install bubblewrap" in error.value.fix


def test_without_namespaces_grading_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_bwrap = tmp_path / "bwrap"
    fake_bwrap.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n")
    fake_bwrap.chmod(0o755)
    for module in ("wall", "template"):
        monkeypatch.setattr(f"autograder.sandbox.{module}.bwrap_path", lambda: str(fake_bwrap))
    notices: list[str] = []
    with pytest.raises(WallUnavailable) as error:
        Wall(log=notices.append).start()
    assert "setting up uid map" in error.value.reason
    assert "apparmor" in error.value.fix
    assert any("'forked'" in notice for notice in notices)
    assert any("'single'" in notice for notice in notices)


@pytest.mark.whole
def test_refused_nested_namespaces_give_each_submission_its_own_wall(
    secret_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Wall) -> None:
        raise WallError("unshare: Operation not permitted")

    monkeypatch.setattr(Wall, "_fork_container", refuse)
    notices: list[str] = []
    with Wall(LIMITS, hidden=[secret_file.parent], log=notices.append) as wall, wall.candidate() as candidate:
        assert wall.mode == "single"
        assert "not permitted" in notices[0]
        before = processes()
        output = load(
            candidate,
            HONEST_CODE,
            f"import os; print(os.path.exists({str(secret_file)!r}), os.getuid() == 0)",
            "import socket; socket.create_connection(('192.0.2.1', 80), 2)",
            f"def f():\n{textwrap.indent(BOMBS['fork bomb'], '    ')}",
            "open('/tmp/big', 'wb').write(bytes(10**8))",
            f"{SYSCALL_CODE}call(272, 0x10000000)",
        )
        assert output[1] == "False False"
        assert "not supported" in output[2]
        assert "OSError" in output[4]
        assert "not permitted" in output[5] or os.uname().machine != "x86_64"
        with candidate.task() as task, pytest.raises(TimedOut):
            task.ask("f", timeout=1)
        assert still_works(candidate)
        assert processes() != before
        candidate.close()
        assert processes() <= before


def test_hidden_folders_below_a_shown_one_are_masked() -> None:
    options = bwrap_options("forked", [f"{os.path.dirname(os.__file__)}/json"], "en", 16)
    index = options.index(f"{os.path.realpath(os.path.dirname(os.__file__))}/json")
    assert options[index - 1] == "--tmpfs"


def own_process() -> CandidateClient:
    """Return a candidate without a wall, as `autograder check` uses it."""
    return CandidateClient(lambda: start_bare("en"))


@pytest.mark.whole
def test_own_process_runs_without_a_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    with own_process() as candidate:
        output = load(candidate, HONEST_CODE, "1/0", "def f():\n    while True: pass")
        assert "ZeroDivisionError" in output[1]
        with candidate.task() as task, pytest.raises(TimedOut):
            task.ask("f", timeout=0.5)
        assert still_works(candidate)
        # Without forks, a task uses up its process, and the next task loads the cells in another process.
        monkeypatch.setattr(CandidateClient, "_can_fork", lambda self: False)
        assert still_works(candidate)
        assert still_works(candidate)


@pytest.mark.whole
def test_own_process_is_reached_through_a_port_without_unix_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.container.sys.platform", "win32")  # no fork, no inherited socket
    with own_process() as candidate:
        load(candidate, HONEST_CODE)
        assert still_works(candidate)


def test_an_own_process_that_cannot_start_is_the_graders_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.container.sys.executable", "/bin/false")
    with own_process() as candidate, pytest.raises(WallError):
        load(candidate, HONEST_CODE)


def test_a_task_that_is_never_asked_anything_is_ended(wall: Wall) -> None:
    with wall.candidate() as candidate:
        load(candidate, HONEST_CODE)
        task: TaskClient = candidate.task()
        task.close()
        task.close()
        assert still_works(candidate)


def test_wall_that_shows_a_course_file_is_refused(wall: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    """This must be the last test of the file, because it closes the shared wall."""
    monkeypatch.setattr(wall, "_hidden", [os.path.dirname(os.__file__)])  # as if masking the folder failed
    with pytest.raises(WallUnavailable) as error:
        wall.start()
    assert "is visible" in error.value.reason
    assert wall._template is None
