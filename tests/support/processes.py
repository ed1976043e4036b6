"""Which processes are alive and where they come from, by /proc; hostile ones call themselves anything."""

import contextlib
import os
from collections.abc import Container
from pathlib import Path


def everybody() -> list[int]:
    """All processes that this one sees."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def of_users(uids: Container[int]) -> list[int]:
    """Those of some users."""
    found = []
    for pid in everybody():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid in uids:
                found.append(pid)
    return found


def command(pid: int) -> str:
    """The words that a process was started with; nothing for one that has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def parent(pid: int) -> int:
    """The parent of a process that is alive; 0 for one that has gone, or waits for its parent as a zombie."""
    try:
        state, above = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:2]
    except OSError:
        return 0
    return 0 if state in b"ZX" else int(above)


def children(pid: int) -> list[int]:
    """Those that a process has started and that are alive."""
    return [one for one in everybody() if parent(one) == pid]


def family(pid: int) -> list[int]:
    """A process and all that come from it."""
    parents = {one: parent(one) for one in everybody()}
    found, newest = [pid], [pid]
    while newest:
        newest = [one for one, above in parents.items() if above in newest]
        found += newest
    return found
