"""Control groups, one for each submission. In such a group, the kernel counts and limits memory.

If this user is not allowed to make a group, the supervisor of the submission's container counts the memory
ten times a second. Both versions of the kernel's interface to control groups are supported.
"""

import contextlib
import secrets
import time
from pathlib import Path
from typing import NamedTuple

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "secant-container-"
# A submission can read the name of its control group. So the prefix of these names is random, and reveals no
# process id.
OWN_PREFIX = f"{_PREFIX}{secrets.token_hex(8)}-"
# Microseconds; maximum time that a control group waits after it has used up its share of processor time.
_PERIOD = 20_000
# Age in seconds. An empty control group that is older is assumed to be left over from a killed grader.
_STALE_SECONDS = 60.0


class Cgroup:
    """A control group with limits. In cgroup version 1, it is several groups: one for each kind of limit."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    @classmethod
    def create(cls, memory_bytes: int, processes: int, processors: int) -> "Cgroup | None":
        """Make a group that limits memory, or return None if this user may not make one.

        If possible, the group also limits the numbers of processes and processors. The kernel shares the
        processors equally between groups, and no group gets more than `processors` of them.
        """
        name = f"{OWN_PREFIX}{secrets.token_hex(8)}"
        for parents in _places():
            folders: list[Path] = []
            try:
                folders.append(_make(parents.memory / name))
                _limit(folders[0], ("memory.max", "memory.limit_in_bytes"), memory_bytes)
            except OSError:
                cls(folders).remove()
                continue
            for file, value in (("memory.swap.max", 0), ("memory.memsw.limit_in_bytes", memory_bytes)):
                # Without a limit on swap space, memory beyond the memory limit would be swapped to disk.
                with contextlib.suppress(OSError):
                    _limit(folders[0], (file,), value)
            for parent in {parents.pids, parents.cpu} - {parents.memory}:
                with contextlib.suppress(OSError):
                    folders.append(_make(parent / name))
            with contextlib.suppress(OSError):
                _limit(parents.pids / name, ("pids.max",), processes)
            with contextlib.suppress(OSError):
                _limit_processors(parents.cpu / name, processors)
            return cls(folders)
        return None

    def add(self, pid: int) -> bool:
        """Put a process, and its later children, into this control group. Return False if that is refused."""
        memory, *other_folders = self._folders
        try:
            (memory / "cgroup.procs").write_text(str(pid))
        except OSError:
            return False
        for folder in other_folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text(str(pid))
        return True

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process because the group ran out of memory."""
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError, ValueError):
                lines = (self._folders[0] / name).read_text().splitlines()
                counts = dict(line.split() for line in lines)
                if int(counts.get("oom_kill", "0")):
                    return True
        return False

    def remove(self) -> None:
        """Remove the group, which must be empty. The kernel may take a moment to notice that it is empty."""
        for folder in self._folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)


def remove_stale() -> None:
    """Remove the empty control groups that killed graders left behind.

    Groups in use are not affected, because the kernel refuses to remove them.
    """
    for parents in _places():
        for parent in set(parents):
            with contextlib.suppress(OSError):
                for folder in parent.glob(f"{_PREFIX}*"):
                    with contextlib.suppress(OSError):
                        if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                            folder.rmdir()


def memory_left() -> int | None:
    """Return how many more bytes this process's control groups let it use, or None if there is no limit.

    Cached file contents do not count as used, because the kernel drops them when memory is needed.
    """
    remaining: list[int] = []
    for folder in _enclosing("memory"):
        limit = _number(folder, "memory.max", "memory.limit_in_bytes")
        used = _number(folder, "memory.current", "memory.usage_in_bytes")
        if limit is not None and used is not None:
            remaining.append(limit - used + _inactive_files(folder))
    return max(0, min(remaining)) if remaining else None


def processors_allowed() -> float | None:
    """Return how many processors this process's control groups let it use, or None if there is no limit."""
    shares: list[float] = []
    for folder in _enclosing("cpu"):
        with contextlib.suppress(OSError, ValueError):
            if (folder / "cpu.max").exists():
                quota, period = (int(text) for text in (folder / "cpu.max").read_text().split())
            else:
                quota = int((folder / "cpu.cfs_quota_us").read_text())
                period = int((folder / "cpu.cfs_period_us").read_text())
            shares += [quota / period] if quota > 0 else []
    return min(shares) if shares else None


def _enclosing(kind: str) -> list[Path]:
    """Return the visible folders of the control groups that this process is in, innermost first."""
    group_paths = _own_groups()
    top = _ROOT / kind if kind in group_paths else _ROOT
    own_folder = top / group_paths.get(kind, group_paths.get("", ""))
    return [folder for folder in (own_folder, *own_folder.parents) if folder.is_relative_to(top)]


def _number(folder: Path, *names: str) -> int | None:
    for name in names:
        # An error means that the file is missing, or contains "max", which stands for no limit.
        with contextlib.suppress(OSError, ValueError):
            return int((folder / name).read_text())
    return None


def _inactive_files(folder: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        values = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return int(values.get("total_inactive_file", values.get("inactive_file", 0)))
    return 0


def _make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _limit_processors(folder: Path, processors: int) -> None:
    quota = processors * _PERIOD
    if (folder / "cpu.max").exists():
        (folder / "cpu.max").write_text(f"{quota} {_PERIOD}")
    else:
        (folder / "cpu.cfs_period_us").write_text(str(_PERIOD))
        (folder / "cpu.cfs_quota_us").write_text(str(quota))


def _limit(folder: Path, names: tuple[str, ...], value: int) -> None:
    for name in names:
        if (folder / name).exists():
            (folder / name).write_text(str(value))
            return
    raise FileNotFoundError(names[0])


class _Place(NamedTuple):
    """The parent folders for a new control group, one for each kind of limit.

    In cgroup version 2, a single folder serves all kinds of limits.
    """

    memory: Path
    pids: Path
    cpu: Path


def _own_groups() -> dict[str, str]:
    """Return the paths of this process's control groups, keyed by controller, e.g. "memory".

    In cgroup version 2, the only key is "".
    """
    group_paths: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            group_paths |= dict.fromkeys(controllers.split(","), path.lstrip("/"))
    return group_paths


def _places() -> list[_Place]:
    group_paths = _own_groups()
    if "memory" in group_paths:
        return [_Place(*(_ROOT / kind / group_paths.get(kind, "") for kind in _Place._fields))]
    # In cgroup version 2, a group that contains processes cannot set limits for groups below it. So the new
    # group goes next to this process's own group. If that is impossible, for example because that group is
    # the root, the new group goes below it.
    own_folder = _ROOT / group_paths.get("", "")
    folders = dict.fromkeys((own_folder.parent, own_folder))
    return [_Place(folder, folder, folder) for folder in folders if folder.is_relative_to(_ROOT)]
