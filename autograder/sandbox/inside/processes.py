"""Processes: those that /proc shows, and how they are killed."""

import contextlib
import errno
import os
import signal

from autograder.sandbox.inside.kernel import prctl

_PR_SET_PDEATHSIG = 1


def process_ids() -> list[int]:
    """Return the processes that /proc shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_fields(pid: int | str) -> list[str]:
    """Return the fields after the name in a process's stat, see proc_pid_stat(5); none if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:  # a process may call itself anything
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def sum_fields(path: str, names: tuple[str, ...]) -> int:
    """Return the sum of these kilobyte fields, in bytes; 0 if the process has ended or may not be read."""
    fields = [line.split() for line in read_text(path).splitlines()]
    return sum(int(field[1]) * 1024 for field in fields if field and field[0] in names)


def read_text(path: str) -> str:
    """Return a text of a process in /proc; nothing if the process has ended or may not be read."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise  # a supervisor that cannot look must not go on
        return ""


def kill(pid: int) -> None:
    """Kill a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill a group of processes, unless all have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; exit if the parent has ended already."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
