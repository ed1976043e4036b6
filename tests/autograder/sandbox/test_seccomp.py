"""Tests of the confinement of a process.

An interpreter runs the seccomp filter, so that the filters for other machines are tested, too.
"""

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
    """Return the filter's decision on a system call: ALLOWED, "killed" or an errno."""
    default_architecture = seccomp._MACHINES[machine][1]
    padded_arguments = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack(
        "<iIQ6Q", number, default_architecture if architecture is None else architecture, 0, *padded_arguments
    )
    program = seccomp._program(machine)
    value = position = 0
    while True:
        code, true, false, k = program[position]
        position += 1
        match code:
            case seccomp._LOAD:
                (value,) = struct.unpack_from("<I", data, k)
            case seccomp._EQUAL:
                position += true if value == k else false
            case seccomp._AT_LEAST:
                position += true if value >= k else false
            case seccomp._ANY_BIT:
                position += true if value & k else false
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
def test_every_system_call_on_the_refused_list_is_refused(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    for name, numbers in seccomp._REFUSED.items():
        number = numbers[column]
        if number is not None:
            assert decide(machine, number) == errno.EPERM, name


@MACHINES
def test_no_system_call_is_listed_twice(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    numbers = [pair[column] for pair in seccomp._REFUSED.values() if pair[column] is not None]
    assert len(numbers) == len(set(numbers))


@MACHINES
def test_unknown_system_calls_fail_as_nonexistent(machine: str) -> None:
    for number in range(424, 1000):
        expected = ALLOWED if number in seccomp._SHARED_ALLOWED.values() else errno.ENOSYS
        assert decide(machine, number) == expected


@MACHINES
def test_seccomp_filter_checks_arguments(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    clone, socket, prlimit, mmap = (
        pair[column] for pair in (seccomp._CLONE, seccomp._SOCKET, seccomp._PRLIMIT, seccomp._MMAP)
    )
    assert decide(machine, clone, 0x3D0F00) == ALLOWED  # a thread
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, clone, bit | 17) == errno.EPERM
    assert decide(machine, socket, 1) == ALLOWED
    other_families = set(range(50)) - {1}
    assert {decide(machine, socket, family) for family in other_families} == {errno.EAFNOSUPPORT}
    assert [decide(machine, prlimit, pid) for pid in (0, 1)] == [ALLOWED, errno.EPERM]
    shared_anonymous = [decide(machine, mmap, 0, 4096, 3, flags) for flags in (0x21, 0x22, 0x01)]
    assert shared_anonymous == [errno.EPERM, ALLOWED, ALLOWED]
    assert decide(machine, mmap, 0, 2**21, 3, 0x40022) == errno.EPERM  # huge pages


def decide_option(machine: str, numbers: tuple[int, int], argument: int, value: int) -> str | int:
    """Return the filter's decision on a system call with this value of one argument and zeros before it."""
    return decide(machine, numbers[seccomp._MACHINES[machine][0]], *[0] * argument, value)


@MACHINES
def test_fcntl_cannot_leave_state_on_files_that_walls_share(machine: str) -> None:
    states = {"F_SETOWN": 8, "F_SETSIG": 10, "F_SETOWN_EX": 15, "F_OFD_GETLK": 36, "F_OFD_SETLK": 37}
    states |= {"F_OFD_SETLKW": 38, "F_SETLEASE": 1024, "F_NOTIFY": 1026, "F_CANCELLK": 1029}
    states |= {"F_SETPIPE_SZ": 1031, "F_ADD_SEALS": 1033, "F_SET_RW_HINT": 1036, "F_SET_FILE_RW_HINT": 1038}
    states |= {"F_SETDELEG": 1040, "unknown": 1041}
    for name, command in states.items():
        assert decide_option(machine, seccomp._FCNTL, 1, command) == errno.EPERM, name
    for command in (0, 1, 2, 3, 4, 1030):
        assert decide_option(machine, seccomp._FCNTL, 1, command) == ALLOWED
    assert {decide_option(machine, seccomp._FCNTL, 1, lock) for lock in (6, 7)} == {0}


@MACHINES
def test_ioctl_allows_only_requests_of_python_and_shells(machine: str) -> None:
    add_key, set_flags, verity, clone, path_of_socket = 0xC0506617, 0x40086602, 0x40806685, 0x40049409, 0x89E0
    for request in (add_key, set_flags, verity, clone, path_of_socket, 0x5412):
        assert decide_option(machine, seccomp._IOCTL, 1, request) == errno.ENOTTY
    for request in (0x5401, 0x541B, 0x5421, 0x5451):
        assert decide_option(machine, seccomp._IOCTL, 1, request) == ALLOWED


@MACHINES
def test_prctl_can_neither_add_a_filter_nor_enable_core_dumps(machine: str) -> None:
    for option in (22, 62, 67, 0x53564D41):
        assert decide_option(machine, seccomp._PRCTL, 0, option) == errno.EINVAL
    assert {decide_option(machine, seccomp._PRCTL, 0, option) for option in (4, 15)} == {ALLOWED}


@MACHINES
def test_socket_options_cannot_grow_buffers_or_reveal_the_peer(machine: str) -> None:
    buffer_options = {"SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_SNDBUFFORCE": 32, "SO_RCVBUFFORCE": 33}
    other_options = {"SO_ATTACH_FILTER": 26, "SO_PEEK_OFF": 42, "SO_ATTACH_BPF": 50, "SO_PASSPIDFD": 76}
    for name, option in (buffer_options | other_options).items():
        assert decide_option(machine, seccomp._SETSOCKOPT, 2, option) == errno.EPERM, name
    for option in (2, 16, 20, 21):
        assert decide_option(machine, seccomp._SETSOCKOPT, 2, option) == ALLOWED
    assert decide_option(machine, seccomp._GETSOCKOPT, 2, 77) == errno.EPERM  # SO_PEERPIDFD
    assert {decide_option(machine, seccomp._GETSOCKOPT, 2, option) for option in (3, 4, 38, 39)} == {ALLOWED}


@MACHINES
def test_seccomp_refuses_out_of_band_messages(machine: str) -> None:
    for name, (numbers, offset) in seccomp._MESSAGE_CALLS.items():
        argument = (offset - seccomp._FIRST) // 8
        assert decide_option(machine, numbers, argument, 0x4001) == errno.EPERM, name
        assert decide_option(machine, numbers, argument, 0x4040) == ALLOWED, name


@MACHINES
def test_seccomp_refuses_zero_copy_sends(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    answers = {decide(machine, numbers[column]) for numbers in seccomp._ABSENT.values()}
    assert set(seccomp._ABSENT) >= {"sendfile", "splice", "tee"}
    assert answers == {errno.ENOSYS}


@MACHINES
def test_system_calls_of_another_architecture_kill_the_process(machine: str) -> None:
    assert decide(machine, 1, architecture=0x40000003) == "killed"  # i386
    assert decide(machine, 0x40000000 + 39) == "killed"  # x32


def run_confined(source: str) -> str:
    """Run a program that confines itself, and return its output or the last line of its error."""
    code = (
        "import os\nfrom autograder.sandbox.inside import kernel, namespaces, privileges, seccomp\n"
        + textwrap.dedent(source)
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return result.stdout.strip() or result.stderr.strip().splitlines()[-1]


def test_all_descriptors_except_the_listed_ones_are_closed() -> None:
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
    assert run_confined(source) == "True"


def test_system_call_numbers_equal_those_of_the_c_library() -> None:
    """Make each refused call through the C library's function of the same name.

    A few functions that read their arguments before the system call are left out. A call that is not refused
    does no harm here: each argument is the address of zeros.
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
    assert run_confined(source) == "True []"


def test_silenced_process_reads_nothing_and_its_output_is_discarded() -> None:
    code = (
        "import os; from autograder.sandbox.inside import privileges; privileges.silence()\n"
        "assert os.read(0, 1) == b''; os.write(1, b'x'); os.write(2, b'x')"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=b"x",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert result.stdout + result.stderr == b""


def test_failing_setup_step_is_named_in_the_error() -> None:
    source = """
    privileges.drop_privileges()
    seccomp.filter_system_calls()
    try:
        namespaces.enter_namespaces()
    except kernel.KernelRefused as error:
        print(error.strerror)
    """
    assert run_confined(source).startswith("unshare: ")


def test_resource_limits_are_never_raised_above_the_current_ones() -> None:
    source = """
    import resource
    from autograder.sandbox.inside.limits import ContainerLimits
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
    privileges.set_limits(ContainerLimits(open_files=200, processes=100_000))
    print(resource.getrlimit(resource.RLIMIT_NOFILE))
    """
    assert run_confined(source) == "(50, 50)"


def test_an_unknown_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.inside.seccomp.platform.machine", lambda: "riscv64")
    with pytest.raises(kernel.KernelRefused, match="riscv64"):
        seccomp.filter_system_calls()


def test_resource_limits_are_passed_on_as_plain_data() -> None:
    limits = ContainerLimits(memory_mb=7)
    assert ContainerLimits(**limits.as_dict()) == limits


def test_mounts_below_a_folder_are_found_once() -> None:
    assert all(point.startswith("/proc/") for point in namespaces._mounts_below("/proc"))
    assert os.path.ismount("/proc")
