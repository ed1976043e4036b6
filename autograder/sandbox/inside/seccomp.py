"""A filter of system calls, in classic BPF: what no lesson needs is refused, for good and in every child."""

import ctypes
import errno
import platform
import struct

from autograder.sandbox.inside.kernel import KernelRefused, checked, libc
from autograder.sandbox.inside.namespaces import ALL_NAMESPACES

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2

# Refused, by (x86-64 number, aarch64 number); None where the machine has no such call. What would make or
# enter namespaces, read another process or starve it, reach the kernel's rarely walked corners, hold memory
# that no limit counts, or use up what the kernel counts for a whole user. New calls are dealt with by
# number, below.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "iopl": (172, None),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "set_mempolicy": (238, 237),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
_MEMFD_CREATE = (319, 279)
_SETSID = (112, 157)  # does nothing: the kernel may give each session a share of the processors
_CLONE, _MMAP, _SOCKET, _SOCKETPAIR = (56, 220), (9, 222), (41, 198), (53, 199)
_PRLIMIT, _SET_AFFINITY = (302, 261), (203, 122)
# A lease lets others, the same user's grader too, wait when they open a file of the libraries; a socket's
# own filter takes of the memory for compiled filters, which is the machine's, and each wall needs some.
_FCNTL, _SET_LEASE = (72, 25), (1024, 1040)  # and a delegation, of newer kernels
_SETSOCKOPT, _ATTACH_FILTER = (54, 208), (26, 50, 51, 52)

# From 424 on, all machines share their numbers. Of these only the calls below were read and found harmless;
# any other answers ENOSYS, as an older kernel would, and the C library falls back.
_FIRST_SHARED = 424
_SHARED_ALLOWED = {
    "pidfd_send_signal": 424,
    "pidfd_open": 434,
    "close_range": 436,
    "openat2": 437,
    "faccessat2": 439,
    "epoll_pwait2": 441,
    "futex_waitv": 449,
    "cachestat": 451,
    "fchmodat2": 452,
    "futex_wake": 454,
    "futex_wait": 455,
    "futex_requeue": 456,
    "mseal": 462,
}

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, AUDIT_ARCH
_X32_BIT = 0x40000000
_SOCKET_FAMILIES = (1, 2, 10)  # unix, inet, inet6: others, such as vsock, know no network namespace

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
# Offsets in struct seccomp_data.
_NUMBER, _ARCHITECTURE = 0, 4
_FIRST, _SECOND, _THIRD, _FOURTH = range(16, 48, 8)

_Instruction = tuple[int, int, int, int]


def unsupported_machine() -> str | None:
    """Say why no filter can be made on this machine; None if one can."""
    machine = platform.machine()
    return None if machine in _MACHINES else f"no table of system calls for {machine}"


def filter_system_calls() -> None:
    """Refuse, from now on and in every child, the system calls that no lesson needs."""
    reason = unsupported_machine()
    if reason:
        raise KernelRefused(errno.ENOSYS, reason)
    code = b"".join(struct.pack("=HBBI", *line) for line in _program(platform.machine()))
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    step = libc().prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(program), 0, 0)
    checked(step, "seccomp")


def _program(machine: str) -> list[_Instruction]:
    """The filter for one kind of machine, in classic BPF."""
    column, architecture = _MACHINES[machine]
    lines: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    lines += [(_EQUAL, 0, 1, _MEMFD_CREATE[column]), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    lines += [(_EQUAL, 0, 1, _SETSID[column]), (_RETURN, 0, 0, _ERROR)]
    for number in _SHARED_ALLOWED.values():
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines += [(_AT_LEAST, 0, 1, _FIRST_SHARED), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    lines += _refuse_if_any_bit(_CLONE[column], ALL_NAMESPACES)
    lines += _refuse_other_families(_SOCKET[column]) + _refuse_other_families(_SOCKETPAIR[column])
    lines += _refuse_other_processes(_PRLIMIT[column]) + _refuse_other_processes(_SET_AFFINITY[column])
    lines += _refuse_values(_FCNTL[column], _SECOND, _SET_LEASE)
    lines += _refuse_values(_SETSOCKOPT[column], _THIRD, _ATTACH_FILTER)
    lines += _refuse_shared_anonymous(_MMAP[column])
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _only_for(number: int, body: list[_Instruction]) -> list[_Instruction]:
    """Run the body, which ends in a return, for one system call."""
    return [(_EQUAL, 0, len(body), number), *body]


def _refuse_if_any_bit(number: int, bits: int) -> list[_Instruction]:
    body = [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, bits), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _refuse_values(number: int, argument: int, values: tuple[int, ...]) -> list[_Instruction]:
    body: list[_Instruction] = [(_LOAD, 0, 0, argument)]
    for value in values:
        body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _refuse_other_families(number: int) -> list[_Instruction]:
    body: list[_Instruction] = [(_LOAD, 0, 0, _FIRST)]
    for family in _SOCKET_FAMILIES:
        body += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)])


def _refuse_other_processes(number: int) -> list[_Instruction]:
    """A process may limit or pin only itself: process 1 of its container has the same user."""
    body = [(_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _refuse_shared_anonymous(number: int) -> list[_Instruction]:
    """Such memory stays when the process that filled it has ended, and then is in nobody's figures."""
    shared, anonymous = 0x01, 0x20
    body = [
        (_LOAD, 0, 0, _FOURTH),
        (_ANY_BIT, 0, 2, anonymous),
        (_ANY_BIT, 0, 1, shared),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
    ]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])
