"""Tests of control groups, with ordinary folders in place of the kernel's."""

import os
from pathlib import Path

import pytest

from autograder.sandbox import cgroup, machine
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.wall import Wall


@pytest.fixture
def unjoinable_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder where control groups with limits can be created but not joined."""

    def make(folder: Path) -> Path:
        folder.mkdir()
        (folder / "memory.max").touch()
        (folder / "pids.max").touch()
        (folder / "cgroup.procs").mkdir()  # writing to a folder fails, even for root
        return folder

    def remove(group: Cgroup) -> None:
        for folder in group._folders:
            for file in folder.iterdir():
                file.rmdir() if file.is_dir() else file.unlink()
            folder.rmdir()

    monkeypatch.setattr(cgroup, "_make", make)
    monkeypatch.setattr(Cgroup, "remove", remove)
    monkeypatch.setattr(cgroup, "_places", lambda: [cgroup._Place(tmp_path, tmp_path, tmp_path)])
    return tmp_path


def test_supervisor_counts_memory_if_the_control_group_cannot_be_joined(
    plain_wall: Wall, unjoinable_groups: Path
) -> None:
    with plain_wall.candidate() as candidate:
        (cell,) = candidate.load([("a", "print(1 + 1)")], timeout=20.0).cells
        assert cell.output == "2\n"
    assert list(unjoinable_groups.iterdir()) == []


def test_doctor_does_not_report_an_unjoinable_group_as_a_limit(unjoinable_groups: Path) -> None:
    assert "counts memory instead" in machine._cgroup().detail
    assert list(unjoinable_groups.iterdir()) == []


@pytest.mark.parametrize(
    ("limit", "swap", "value"),
    [
        ("memory.max", "memory.swap.max", "0"),
        ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "1000"),
    ],
)
def test_control_group_forbids_swap(
    limit: str, swap: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(folder: Path) -> Path:
        folder.mkdir()
        (folder / limit).touch()
        (folder / swap).touch()
        return folder

    monkeypatch.setattr(cgroup, "_make", make)
    monkeypatch.setattr(cgroup, "_places", lambda: [cgroup._Place(tmp_path, tmp_path, tmp_path)])
    assert Cgroup.create(1000, 32, 1) is not None
    (group,) = tmp_path.iterdir()
    assert ((group / limit).read_text(), (group / swap).read_text()) == ("1000", value)


def test_only_old_groups_without_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed grader left the old group behind; another grader may be about to use the new group."""
    monkeypatch.setattr(cgroup, "_places", lambda: [cgroup._Place(tmp_path, tmp_path, tmp_path)])
    old, new = (tmp_path / f"{cgroup._PREFIX}{name}" for name in ("old", "new"))
    old.mkdir()
    new.mkdir()
    os.utime(old, (0, 0))
    cgroup.remove_stale()
    assert list(tmp_path.iterdir()) == [new]


def write_groups(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


@pytest.mark.parametrize(
    ("own_groups", "files"),
    [
        (
            {"": "pod/box"},
            {
                "pod/box/memory.max": "max",
                "pod/box/memory.current": "500",
                "pod/memory.max": "1000",
                "pod/memory.current": "900",
                "pod/memory.stat": "anon 600\ninactive_file 250",
                "pod/box/cpu.max": "150000 100000",
                "pod/cpu.max": "max 100000",
            },
        ),
        (
            {"memory": "box", "cpu": "box", "": "elsewhere"},
            {
                "memory/box/memory.limit_in_bytes": "1000",
                "memory/box/memory.usage_in_bytes": "900",
                "memory/box/memory.stat": "inactive_file 1\ntotal_inactive_file 250",
                "memory/memory.limit_in_bytes": "9223372036854771712",
                "memory/memory.usage_in_bytes": "5000",
                "cpu/box/cpu.cfs_quota_us": "30000",
                "cpu/box/cpu.cfs_period_us": "20000",
                "cpu/cpu.cfs_quota_us": "-1",
                "cpu/cpu.cfs_period_us": "20000",
            },
        ),
    ],
    ids=["version 2", "version 1"],
)
def test_memory_and_processors_are_bounded_by_enclosing_groups(
    own_groups: dict[str, str], files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "_ROOT", tmp_path)
    monkeypatch.setattr(cgroup, "_own_groups", lambda: own_groups)
    assert cgroup.memory_left() is None
    assert cgroup.processors_allowed() is None
    write_groups(tmp_path, files)
    assert cgroup.memory_left() == 350
    assert cgroup.processors_allowed() == 1.5
