"""Information from /proc about which processes are alive and which process started them.

Names are not used to recognise processes, because a hostile process can choose any name.
"""

import contextlib
import os
from collections.abc import Container
from pathlib import Path


def all_pids() -> list[int]:
    """Return the ids of all processes that this one can see."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def pids_of_users(uids: Container[int]) -> list[int]:
    """Return the ids of the processes that belong to these users."""
    pids = []
    for pid in all_pids():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid in uids:
                pids.append(pid)
    return pids


def command(pid: int) -> str:
    """Return the command line of a process, or "" if the process has exited."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def parent(pid: int) -> int:
    """Return the id of a living process's parent; 0 if the process has exited or is a zombie."""
    try:
        state, parent_pid = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:2]
    except OSError:
        return 0
    return 0 if state in b"ZX" else int(parent_pid)


def children(pid: int) -> list[int]:
    """Return the ids of a process's living children."""
    return [other for other in all_pids() if parent(other) == pid]


def family(pid: int) -> list[int]:
    """Return the ids of a process and all its descendants."""
    parents = {other: parent(other) for other in all_pids()}
    result, newest = [pid], [pid]
    while newest:
        newest = [other for other, parent_pid in parents.items() if parent_pid in newest]
        result += newest
    return result
