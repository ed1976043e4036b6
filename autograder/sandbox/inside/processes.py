"""Functions that list the processes in /proc, read their data, and kill them."""

import contextlib
import errno
import os
import signal

from autograder.sandbox.inside.kernel import prctl

_PR_SET_PDEATHSIG = 1


def process_ids() -> list[int]:
    """Return the ids of the processes that /proc shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_fields(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat after the process's name; see proc_pid_stat(5).

    The list is empty if the process has ended.
    """
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:  # a process's name may contain any bytes
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def sum_fields(path: str, names: tuple[str, ...]) -> int:
    """Return the sum of the named fields of a file in /proc, converted from kilobytes to bytes.

    The sum is 0 if the process has ended, or if its file may not be read.
    """
    fields = [line.split() for line in read_text(path).splitlines()]
    return sum(int(field[1]) * 1024 for field in fields if field and field[0] in names)


def read_text(path: str) -> str:
    """Return the text of a file in /proc.

    The text is empty if the process has ended or the file cannot be read.
    """
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise  # without /proc, the supervisor cannot enforce the limits, so it must not go on
        return ""


def kill(pid: int) -> None:
    """Kill a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill all processes of a process group, unless the group has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends. If the parent has already ended, exit."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
