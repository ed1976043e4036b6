"""Processes: those that /proc shows, and how they are killed."""

import contextlib
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
