"""A seccomp filter, in classic BPF, which refuses system calls that no lesson needs.

The filter cannot be removed, and every child process inherits it.
"""

import ctypes
import errno
import platform
import struct
from collections.abc import Callable, Iterable

from autograder.sandbox.inside.kernel import KernelRefused, check_result, libc
from autograder.sandbox.inside.namespaces import ALL_NAMESPACES

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2

# Offsets of the fields in struct seccomp_data, in bytes.
_NUMBER, _ARCHITECTURE = 0, 4
_FIRST, _SECOND, _THIRD, _FOURTH = range(16, 48, 8)

# The refused system calls, with their numbers on x86-64 and aarch64 (None if the machine has no such call).
# Some would make or enter namespaces, read or starve another process, or reach rarely used parts of the
# kernel. Others would hold memory that no limit counts, or use up resources that the kernel counts per user.
# Newer calls are handled by their numbers, below. Setting extended attributes is refused because an access
# control list takes up to 128 KB for each name in /tmp.
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
    "fsetxattr": (190, 7),
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
    "lsetxattr": (189, 6),
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
    "seccomp": (317, 277),
    "semget": (64, 190),
    "set_mempolicy": (238, 237),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
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
# Calls that send memory without copying it. They fail with ENOSYS, so that programs fall back to calls that
# copy. A page sent without a copy stays in memory as long as a socket or pipe holds even one byte of it, but
# only that byte counts towards the memory limit.
_ABSENT = {
    "memfd_create": (319, 279),
    "sendfile": (40, 71),
    "splice": (275, 76),
    "tee": (276, 77),
}
# The filter makes setsid succeed without doing anything, because the kernel may give each session a share of
# the processors.
_SETSID = (112, 157)
_CLONE, _MMAP, _SOCKET, _SOCKETPAIR = (56, 220), (9, 222), (41, 198), (53, 199)
_PRLIMIT, _SET_AFFINITY = (302, 261), (203, 122)
_FCNTL, _IOCTL, _PRCTL = (72, 25), (16, 29), (157, 167)
_GETSOCKOPT, _SETSOCKOPT = (55, 209), (54, 208)

# The fcntl commands that are allowed. Others could put a lease, a notification or a hint on a file that all
# sandboxes share, or enlarge a pipe.
_FCNTL_ALLOWED = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_GETLK": 5,
    "F_DUPFD_QUERY": 1027,
    "F_DUPFD_CLOEXEC": 1030,
    "F_GETPIPE_SZ": 1032,
}
# The filter makes these fcntl commands succeed without doing anything, because sqlite3 needs them. No limit
# counts record locks, and a process could hold millions of them. Only the processes of one submission share
# its files, and they can use `flock` instead.
_RECORD_LOCKS = {"F_SETLK": 6, "F_SETLKW": 7}
# The ioctl requests that Python, shells and their tools need on files, pipes and sockets. There are no
# terminals.
_IOCTL_ALLOWED = {
    "TCGETS": 0x5401,
    "TIOCGPGRP": 0x540F,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
# The prctl options that are allowed. Others could add filters, which take up memory that the whole machine
# shares, or set a scheduling cookie, which can leave a processor idle.
_PRCTL_ALLOWED = {
    "PR_SET_PDEATHSIG": 1,
    "PR_GET_PDEATHSIG": 2,
    "PR_GET_DUMPABLE": 3,
    "PR_SET_DUMPABLE": 4,
    "PR_SET_NAME": 15,
    "PR_GET_NAME": 16,
    "PR_GET_SECCOMP": 21,
    "PR_CAPBSET_READ": 23,
    "PR_SET_TIMERSLACK": 29,
    "PR_GET_TIMERSLACK": 30,
    "PR_SET_CHILD_SUBREAPER": 36,
    "PR_GET_CHILD_SUBREAPER": 37,
    "PR_SET_NO_NEW_PRIVS": 38,
    "PR_GET_NO_NEW_PRIVS": 39,
    "PR_SET_THP_DISABLE": 41,
    "PR_GET_THP_DISABLE": 42,
}
# The socket options that may be set. The supervisor counts socket buffers at their default size, so none may
# be enlarged (SO_SNDBUF, SO_SNDBUFFORCE). Attaching a filter to a socket would take up memory for compiled
# filters, which the whole machine shares.
_SETSOCKOPT_ALLOWED = {
    "SO_REUSEADDR": 2,
    "SO_KEEPALIVE": 9,
    "SO_LINGER": 13,
    "SO_PASSCRED": 16,
    "SO_RCVTIMEO_OLD": 20,
    "SO_SNDTIMEO_OLD": 21,
    "SO_RCVTIMEO_NEW": 66,
    "SO_SNDTIMEO_NEW": 67,
}
# The socket options that may be read. Others, such as SO_PEERPIDFD, reveal more about the process at the
# other end, which may be the examiner.
_GETSOCKOPT_ALLOWED = _SETSOCKOPT_ALLOWED | {
    "SO_TYPE": 3,
    "SO_ERROR": 4,
    "SO_SNDBUF": 7,
    "SO_RCVBUF": 8,
    "SO_PEERCRED": 17,
    "SO_ACCEPTCONN": 30,
    "SO_PROTOCOL": 38,
    "SO_DOMAIN": 39,
}
# System calls that take flags: their numbers on x86-64 and aarch64, and the argument that holds the flags.
_MESSAGE_CALLS = {
    "sendto": ((44, 206), _FOURTH),
    "recvfrom": ((45, 207), _FOURTH),
    "sendmsg": ((46, 211), _THIRD),
    "recvmsg": ((47, 212), _THIRD),
    "recvmmsg": ((299, 243), _FOURTH),
    "sendmmsg": ((307, 269), _FOURTH),
}
_MSG_OOB = 0x1  # out-of-band data of Unix sockets, which is rarely used

# From number 424 on, system calls have the same numbers on all machines. Of these, only the calls below were
# reviewed and found harmless. All others fail with ENOSYS, as on an older kernel, and the C library then uses
# other calls.
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

# The only system calls that are allowed in a process that decodes a picture. They cannot open a file, start a
# process or make a socket.
_COMPUTING = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "getpid": (39, 172),
    "exit": (60, 93),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
}

# For each machine type: its column in the tables above, and its AUDIT_ARCH value.
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000
# The only address family that is allowed. There is no network, but some families, such as vsock, ignore
# network namespaces.
_AF_UNIX = 1
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_HUGETLB = 0x01, 0x20, 0x40000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000

_Instruction = tuple[int, int, int, int]


def unsupported_machine() -> str | None:
    """Return the reason why no filter can be made on this machine, or None if one can be made."""
    machine = platform.machine()
    return None if machine in _MACHINES else f"no table of system calls for {machine}"


def filter_system_calls() -> None:
    """Refuse system calls that no lesson needs, in this process and in every child that it then starts."""
    _install(_program)


def allow_computing_alone() -> None:
    """Refuse all further system calls except those for computing and for reading or writing open files."""
    _install(_computing_program)


def _install(program_for: Callable[[str], list[_Instruction]]) -> None:
    reason = unsupported_machine()
    if reason:
        raise KernelRefused(errno.ENOSYS, reason)
    code = b"".join(struct.pack("=HBBI", *line) for line in program_for(platform.machine()))
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    step = libc().prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(program), 0, 0)
    check_result(step, "seccomp")


def _computing_program(machine: str) -> list[_Instruction]:
    column, _ = _MACHINES[machine]
    lines = _architecture_check(machine)
    for numbers in _COMPUTING.values():
        lines += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ALLOW)]
    return [*lines, (_RETURN, 0, 0, _ERROR | errno.EPERM)]


def _architecture_check(machine: str) -> list[_Instruction]:
    """Return the instructions with which every filter begins.

    They kill a process that uses the system call numbers of another architecture.
    """
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _MACHINES[machine][1]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]


def _program(machine: str) -> list[_Instruction]:
    """Return the BPF program of the filter for one machine type."""
    column, _ = _MACHINES[machine]
    lines = _architecture_check(machine)
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    for numbers in _ABSENT.values():
        lines += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    lines += [(_EQUAL, 0, 1, _SETSID[column]), (_RETURN, 0, 0, _ERROR)]
    for number in _SHARED_ALLOWED.values():
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines += [(_AT_LEAST, 0, 1, _FIRST_SHARED), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    lines += _refuse_if_any_bit(_CLONE[column], _FIRST, ALL_NAMESPACES)
    for numbers, argument in _MESSAGE_CALLS.values():
        lines += _refuse_if_any_bit(numbers[column], argument, _MSG_OOB)
    for numbers in (_SOCKET, _SOCKETPAIR):
        lines += _allow_values(numbers[column], _FIRST, [_AF_UNIX], errno.EAFNOSUPPORT)
    # A process may use these calls only on itself (process id 0), because process 1 of its container runs as
    # the same user.
    for numbers in (_PRLIMIT, _SET_AFFINITY):
        lines += _allow_values(numbers[column], _FIRST, [0], errno.EPERM)
    lines += _filter_fcntl(_FCNTL[column])
    lines += _allow_values(_IOCTL[column], _SECOND, _IOCTL_ALLOWED.values(), errno.ENOTTY)
    lines += _allow_values(_PRCTL[column], _FIRST, _PRCTL_ALLOWED.values(), errno.EINVAL)
    lines += _allow_values(_SETSOCKOPT[column], _THIRD, _SETSOCKOPT_ALLOWED.values(), errno.EPERM)
    lines += _allow_values(_GETSOCKOPT[column], _THIRD, _GETSOCKOPT_ALLOWED.values(), errno.EPERM)
    lines += _refuse_uncounted_mappings(_MMAP[column])
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _only_for(number: int, body: list[_Instruction]) -> list[_Instruction]:
    """Return instructions that execute `body` for one system call only. `body` must end with _RETURN."""
    return [(_EQUAL, 0, len(body), number), *body]


def _refuse_if_any_bit(number: int, argument: int, bits: int) -> list[_Instruction]:
    body = [(_LOAD, 0, 0, argument), (_ANY_BIT, 0, 1, bits), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _allow_values(number: int, argument: int, values: Iterable[int], error: int) -> list[_Instruction]:
    """Return instructions that allow a system call only with certain values of an argument.

    With any other value, the call fails with the given error.
    """
    body: list[_Instruction] = [(_LOAD, 0, 0, argument)]
    for value in values:
        body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ERROR | error)])


def _filter_fcntl(number: int) -> list[_Instruction]:
    body: list[_Instruction] = [(_LOAD, 0, 0, _SECOND)]
    for value in _RECORD_LOCKS.values():
        body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ERROR)]
    for value in _FCNTL_ALLOWED.values():
        body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ERROR | errno.EPERM)])


def _refuse_uncounted_mappings(number: int) -> list[_Instruction]:
    """Return instructions that refuse shared anonymous memory and huge pages.

    Shared anonymous memory outlives the process that filled it. It then counts towards no process's memory.
    Huge pages are taken from a pool that the whole machine shares.
    """
    refuse = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    body: list[_Instruction] = [
        (_LOAD, 0, 0, _FOURTH),
        (_ANY_BIT, 0, 1, _MAP_HUGETLB),
        refuse,
        (_ANY_BIT, 0, 2, _MAP_ANONYMOUS),
        (_ANY_BIT, 0, 1, _MAP_SHARED),
        refuse,
    ]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])
