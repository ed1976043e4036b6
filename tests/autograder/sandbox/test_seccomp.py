"""What locks a process in. An interpreter runs the filter, so that machines not at hand are tested too."""

import errno
import os
import struct
import subprocess
import sys
import textwrap

import pytest

from autograder.sandbox.inside import kernel, namespaces, seccomp
from autograder.sandbox.inside.limits import ContainerLimits

if sys.platform != "linux":
    pytest.skip("namespaces are Linux's", allow_module_level=True)

ALLOWED = "allowed"


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str | int:
    """What the filter does with a system call: ALLOWED, "killed" or an errno."""
    own = seccomp._MACHINES[machine][1]
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, own if architecture is None else architecture, 0, *words)
    program = seccomp._program(machine)
    value = at = 0
    while True:
        code, true, false, k = program[at]
        at += 1
        match code:
            case seccomp._LOAD:
                (value,) = struct.unpack_from("<I", data, k)
            case seccomp._EQUAL:
                at += true if value == k else false
            case seccomp._AT_LEAST:
                at += true if value >= k else false
            case seccomp._ANY_BIT:
                at += true if value & k else false
            case seccomp._RETURN if k == seccomp._ALLOW:
                return ALLOWED
            case seccomp._RETURN if k == seccomp._KILL:
                return "killed"
            case seccomp._RETURN:
                return k & 0xFFFF
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


MACHINES = pytest.mark.parametrize("machine", seccomp._MACHINES)


@MACHINES
def test_every_refused_call_is_refused(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    for name, numbers in seccomp._REFUSED.items():
        number = numbers[column]
        if number is not None:
            assert decide(machine, number) == errno.EPERM, name


@MACHINES
def test_no_call_is_listed_twice(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    numbers = [pair[column] for pair in seccomp._REFUSED.values() if pair[column] is not None]
    assert len(numbers) == len(set(numbers))


@MACHINES
def test_unknown_and_new_calls_do_not_exist(machine: str) -> None:
    for number in range(424, 1000):
        wanted = ALLOWED if number in seccomp._SHARED_ALLOWED.values() else errno.ENOSYS
        assert decide(machine, number) == wanted


@MACHINES
def test_arguments_are_looked_at(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    clone, socket, limit, mmap = (
        pair[column] for pair in (seccomp._CLONE, seccomp._SOCKET, seccomp._PRLIMIT, seccomp._MMAP)
    )
    assert decide(machine, clone, 0x3D0F00) == ALLOWED  # a thread
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, clone, bit | 17) == errno.EPERM
    assert [decide(machine, socket, family) for family in (1, 2, 10)] == [ALLOWED] * 3
    assert {decide(machine, socket, family) for family in (0, 16, 17, 31, 38, 40)} == {errno.EAFNOSUPPORT}
    assert [decide(machine, limit, pid) for pid in (0, 1)] == [ALLOWED, errno.EPERM]
    lease, option = seccomp._FCNTL[column], seccomp._SETSOCKOPT[column]
    assert [decide(machine, lease, 3, command) for command in (1, 4, 1024)] == [ALLOWED, ALLOWED, errno.EPERM]
    filters = [decide(machine, option, 3, 1, name) for name in (7, 26, 50)]
    assert filters == [ALLOWED, errno.EPERM, errno.EPERM]
    shared_anonymous = [decide(machine, mmap, 0, 4096, 3, flags) for flags in (0x21, 0x22, 0x01)]
    assert shared_anonymous == [errno.EPERM, ALLOWED, ALLOWED]


@MACHINES
def test_another_machines_calls_end_the_process(machine: str) -> None:
    assert decide(machine, 1, architecture=0x40000003) == "killed"  # i386
    assert decide(machine, 0x40000000 + 39) == "killed"  # x32


def inside(source: str) -> str:
    """Run a program of ours that locks itself in."""
    code = (
        "import os\nfrom autograder.sandbox.inside import kernel, namespaces, privileges, seccomp\n"
        + textwrap.dedent(source)
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_descriptors_are_closed_but_those_to_keep() -> None:
    source = """
    keep = os.dup(1)
    for number in (20, 30, 40):
        os.dup2(1, number)
    privileges.close_all_but([keep, 30])
    found = []
    for number in range(3, 64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    print(found == [keep, 30])
    """
    assert inside(source) == "True"


def test_the_numbers_are_those_of_the_c_library() -> None:
    """Its functions of the same names make these calls. A few that read their arguments first are left out.

    A call that is not refused does no harm here: each argument is the address of zeros.
    """
    source = """
    import ctypes, errno
    libc = ctypes.CDLL(None, use_errno=True)
    zeros = ctypes.create_string_buffer(1024)
    careful = {"clock_settime", "mq_open", "reboot", "settimeofday", "syslog", "vhangup"}
    names = [name for name in seccomp._REFUSED if name not in careful and hasattr(libc, name)]
    seccomp.filter_system_calls()
    refused = []
    for name in names:
        if getattr(libc, name)(*[zeros] * 6) == -1 and ctypes.get_errno() == errno.EPERM:
            refused.append(name)
    print(len(names) >= 25, sorted(set(names) - set(refused)))
    """
    assert inside(source) == "True []"


def test_silence_reaches_nobody() -> None:
    code = (
        "import os; from autograder.sandbox.inside import privileges; privileges.silence()\n"
        "assert os.read(0, 1) == b''; os.write(1, b'x'); os.write(2, b'x')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b"x",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout + done.stderr == b""


def test_a_refused_step_says_which() -> None:
    source = """
    privileges.drop_privileges()
    seccomp.filter_system_calls()
    try:
        namespaces.enter_namespaces()
    except kernel.KernelRefused as error:
        print(error.strerror)
    """
    assert inside(source).startswith("unshare: ")


def test_limits_are_never_raised() -> None:
    source = """
    import resource
    from autograder.sandbox.inside.limits import ContainerLimits
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
    privileges.set_limits(ContainerLimits(open_files=200, processes=100_000))
    print(resource.getrlimit(resource.RLIMIT_NOFILE))
    """
    assert inside(source) == "(50, 50)"


def test_an_unknown_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.inside.seccomp.platform.machine", lambda: "riscv64")
    with pytest.raises(kernel.KernelRefused, match="riscv64"):
        seccomp.filter_system_calls()


def test_limits_travel_as_plain_data() -> None:
    limits = ContainerLimits(memory_mb=7)
    assert ContainerLimits(**limits.as_dict()) == limits


def test_mounts_below_a_folder_are_found_once() -> None:
    assert all(point.startswith("/proc/") for point in namespaces._mounted_below("/proc"))
    assert os.path.ismount("/proc")
