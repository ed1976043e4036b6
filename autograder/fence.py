"""The steps by which a process of ours locks itself in, for good, before it runs a student's code.

Linux only, by ctypes: the standard library offers none of these calls. Each function does one step and
raises `FenceError` when the kernel refuses; the template (template.py) says in which order they go.
"""

import ctypes
import errno
import os
import platform
import resource
import struct
from collections.abc import Iterable

from autograder.limits import MEGABYTE, RoomLimits

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_ALL_NAMESPACES = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWIPC | _NEWUSER | _NEWPID | _NEWNET

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000

_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 22, 24, 38, 47
_PR_CAP_AMBIENT_CLEAR_ALL, _SECCOMP_MODE_FILTER = 4, 2
_CAPABILITY_VERSION_3 = 0x20080522


class FenceError(OSError):
    """The kernel refused a step, so nothing may run behind this fence."""


# --- Namespaces and mounts -----------------------------------------------------------------------------


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, step: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise FenceError(number, f"{step}: {os.strerror(number)}")
    return result


def _prctl(option: int, value: int = 0) -> None:
    _check(_libc().prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3), f"prctl {option}")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    result = _libc().mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3])
    _check(result, f"mount {kind or 'flags'} on {target}")


def become(user: int) -> None:
    """Give up root for this user and group, with every capability.

    Root without capabilities would still own the files of root, /proc/sys among them.
    """
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # A change of user makes /proc/self root's, and the id maps are written there.
    _prctl(_PR_SET_DUMPABLE, 1)


def enter_namespaces() -> None:
    """Move into new namespaces of every kind, with the same user in them; the next child is process 1."""
    user, group = os.getuid(), os.getgid()
    _check(_libc().unshare(_ALL_NAMESPACES), "unshare")
    texts = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, text in texts.items():
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise FenceError(error.errno, f"write {name}: {error.strerror}") from None


def mount_private_tmp(limits: RoomLimits) -> None:
    """Put empty directories of this room's own over all that the wall leaves writable."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    options = f"size={limits.disk_mb}m,nr_inodes=10000,mode=1777"
    for path in ("/tmp", "/dev/shm"):
        kept = [(below, os.open(below, os.O_PATH)) for below in _mounted_below(path)]
        _mount("tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, options)
        for below, handle in kept:  # a Python that is installed there
            os.makedirs(below)
            _mount(f"/proc/self/fd/{handle}", below, None, _MS_BIND | _MS_REC)
            os.close(handle)


def _mounted_below(path: str) -> list[str]:
    """The mount points in this folder, without those in one another."""
    with open("/proc/self/mountinfo") as file:
        points = sorted(line.split()[4].encode().decode("unicode_escape") for line in file)
    found: list[str] = []
    for point in points:
        if point.startswith(path + "/") and not any(point.startswith(other + "/") for other in found):
            found.append(point)
    return found


def mount_proc() -> None:
    """Show only this process namespace in /proc; for process 1 of a new one."""
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)


def close_all_but(keep: Iterable[int]) -> None:
    """Close every descriptor but standard input, output, error and these."""
    low = 3
    for number in sorted(set(keep)):
        os.closerange(low, number)
        low = max(low, number + 1)
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def silence() -> None:
    """Cut standard input, output and error off from the examiner's."""
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


# --- Limits and privileges -----------------------------------------------------------------------------


def set_limits(limits: RoomLimits) -> None:
    """Set the kernel's limits on this process and all that it will start."""
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    values = {
        resource.RLIMIT_AS: mapped + limits.memory_mb * MEGABYTE,
        resource.RLIMIT_CORE: 1,  # 0 would still start the machine's handler, if dumps go to one
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_FSIZE: limits.file_mb * MEGABYTE,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_SIGPENDING: 256,
    }
    for kind, value in values.items():
        _, highest = resource.getrlimit(kind)
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        resource.setrlimit(kind, (value, value))


def prefer_as_victim() -> None:
    """When the machine runs out of memory, this process goes before anybody else's."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def drop_privileges() -> None:
    """Drop every capability, and the ways to gain one."""
    libc = _libc()
    for capability in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), *[ctypes.c_ulong(0)] * 3) < 0:
            break  # EINVAL after the kernel's last one; EPERM in a process that has none to drop
    header, nothing = struct.pack("Ii", _CAPABILITY_VERSION_3, 0), bytes(24)
    _check(libc.capset(header, nothing), "capset")
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def hide_memory(hidden: bool = True) -> None:
    """Make this process unreadable for others of the same user, or readable again."""
    _prctl(_PR_SET_DUMPABLE, 0 if hidden else 1)


# --- System calls --------------------------------------------------------------------------------------

# Refused, by (x86-64 number, aarch64 number); None where the machine has no such call. What would make or
# enter namespaces, read another process or starve it, reach the kernel's rarely walked corners, or hold
# memory that no limit counts. New calls are dealt with by number, below.
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
_CLONE, _MMAP, _SOCKET, _SOCKETPAIR = (56, 220), (9, 222), (41, 198), (53, 199)
_PRLIMIT, _SET_AFFINITY = (302, 261), (203, 122)

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
_NUMBER, _ARCHITECTURE, _FIRST, _FOURTH = 0, 4, 16, 40  # offsets in struct seccomp_data

_Instruction = tuple[int, int, int, int]


def unsupported_machine() -> str | None:
    """Say why no filter can be made on this machine; None if one can."""
    machine = platform.machine()
    return None if machine in _MACHINES else f"no table of system calls for {machine}"


def filter_system_calls() -> None:
    """Refuse, from now on and in every child, the system calls that no lesson needs."""
    reason = unsupported_machine()
    if reason:
        raise FenceError(errno.ENOSYS, reason)
    code = b"".join(struct.pack("=HBBI", *line) for line in _program(platform.machine()))
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    step = _libc().prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(program), 0, 0)
    _check(step, "seccomp")


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
    for number in _SHARED_ALLOWED.values():
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines += [(_AT_LEAST, 0, 1, _FIRST_SHARED), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    lines += _refuse_if_any_bit(_CLONE[column], _ALL_NAMESPACES)
    lines += _refuse_other_families(_SOCKET[column]) + _refuse_other_families(_SOCKETPAIR[column])
    lines += _refuse_other_processes(_PRLIMIT[column]) + _refuse_other_processes(_SET_AFFINITY[column])
    lines += _refuse_shared_anonymous(_MMAP[column])
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _only_for(number: int, body: list[_Instruction]) -> list[_Instruction]:
    """Run the body, which ends in a return, for one system call."""
    return [(_EQUAL, 0, len(body), number), *body]


def _refuse_if_any_bit(number: int, bits: int) -> list[_Instruction]:
    body = [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, bits), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _refuse_other_families(number: int) -> list[_Instruction]:
    body: list[_Instruction] = [(_LOAD, 0, 0, _FIRST)]
    for family in _SOCKET_FAMILIES:
        body += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    return _only_for(number, [*body, (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)])


def _refuse_other_processes(number: int) -> list[_Instruction]:
    """A process may limit or pin only itself: process 1 of its room has the same user."""
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
