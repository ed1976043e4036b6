"""The state of this machine, which must be the same before and after every submission."""

import hashlib
import os
from pathlib import Path

from autograder.sandbox.cgroup import OWN_PREFIX
from autograder.sandbox.wall import Wall
from tests.hostile.world import World
from tests.support.processes import family

PWNED = ("/tmp/SECANT-pwned", "/pwned", "/usr/pwned", "/tmp/left", "/dev/shm/left", "/tmp/SECANT-left")


def snapshot(world: World, wall: Wall) -> dict[str, object]:
    """Return the state that a submission must leave unchanged, such as files and processes."""
    return {
        "files": _files(world.root),
        "pwned": [path for path in PWNED if os.path.exists(path)],
        "processes": len(processes_inside(wall)),
        "groups": [
            name
            for _, names, _ in os.walk("/sys/fs/cgroup")  # other graders' control groups may change
            for name in names
            if name.startswith(OWN_PREFIX)
        ],
        "descriptors": len(os.listdir("/proc/self/fd")),
        "directory": os.getcwd(),
    }


def memory(name: str) -> int:
    """Return the current (`VmRSS`) or peak (`VmHWM`) memory of this process in megabytes."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields[name].split()[0]) // 1024


def reset_peak() -> None:
    """Reset this process's peak memory (`VmHWM`) to its current memory."""
    Path("/proc/self/clear_refs").write_text("5")


def processes_inside(wall: Wall) -> list[int]:
    """Return the ids of all processes inside a wall.

    The kernel keeps every process inside the wall a descendant of the template process.
    """
    return family(wall._template.process.pid if wall._template else os.getpid())


def _files(root: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
