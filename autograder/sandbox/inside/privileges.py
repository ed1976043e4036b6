"""The steps that restrict a process before it runs a student's code.

In these steps, the process gives up rights and descriptors, limits its resources, and hides its memory. Each
function does one step, and raises `KernelRefused` if the kernel refuses it.
"""

import ctypes
import os
import resource
import struct
from collections.abc import Iterable

from autograder.sandbox.inside.kernel import check_result, libc, prctl
from autograder.sandbox.inside.limits import MEGABYTE, ContainerLimits
from autograder.sandbox.inside.processes import stat_fields

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522


def become(user: int) -> None:
    """Change from root to the user and group with this id, and so drop every capability.

    A root user without capabilities would still own root's files, including those in /proc/sys.
    """
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # After a change of user, /proc/self belongs to root, but this process has to write its id maps there.
    prctl(_PR_SET_DUMPABLE, 1)


def lift_memory_limit() -> None:
    """Undo any memory limit that the examiner has set for itself. Containers have their own limits."""
    _, highest = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (highest, highest))


def set_limits(limits: ContainerLimits) -> None:
    """Limit the memory, processor time and other resources of this process and its future children."""
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    values = {
        resource.RLIMIT_AS: mapped + limits.memory_mb * MEGABYTE,
        # With a limit of 0, the kernel would still start a crash handler on a machine that pipes core dumps
        # to one. With a limit of 1, it does not.
        resource.RLIMIT_CORE: 1,
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


def prefer_as_victim(proc: int) -> None:
    """Have the kernel kill this process first when memory runs out.

    Args:
        proc: a descriptor of a writable /proc.
    """
    file = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=proc)
    os.write(file, b"1000")
    os.close(file)


def drop_privileges() -> None:
    """Drop every capability, and every way to gain one."""
    kernel = libc()
    for capability in range(64):
        if kernel.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), *[ctypes.c_ulong(0)] * 3) < 0:
            break  # prctl fails with EINVAL after the last capability, and with EPERM if none can be dropped
    header, no_capabilities = struct.pack("Ii", _CAPABILITY_VERSION_3, 0), bytes(24)
    check_result(kernel.capset(header, no_capabilities), "capset")
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def hide_memory(hidden: bool = True) -> None:
    """Make this process's memory unreadable to other processes of the same user, or undo that."""
    prctl(_PR_SET_DUMPABLE, 0 if hidden else 1)


def hide_arguments() -> None:
    """Overwrite this process's command line, which processes in the container can read in /proc/1."""
    # The fields arg_start and arg_end: the addresses between which the command line is stored.
    start, end = map(int, stat_fields("self")[45:47])
    ctypes.memset(start, 0, end - start)


def close_all_but(keep: Iterable[int]) -> None:
    """Close all descriptors except standard input, output and error, and the given descriptors."""
    low = 3
    for number in sorted(set(keep)):
        os.closerange(low, number)
        low = max(low, number + 1)
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def silence() -> None:
    """Redirect standard input, output and error to /dev/null, so that nothing reaches the examiner."""
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
