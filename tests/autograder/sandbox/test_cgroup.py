"""Control groups, on folders that stand in for the kernel's."""

from pathlib import Path

import pytest

from autograder.sandbox import cgroup, machine
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.wall import Wall


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where groups with limits can be made, but nobody can join them."""

    def make(folder: Path) -> Path:
        folder.mkdir()
        (folder / "memory.max").touch()
        (folder / "pids.max").touch()
        (folder / "cgroup.procs").mkdir()  # writing to it fails, for root too
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


def test_a_group_that_cannot_be_joined_leaves_the_counting_to_the_supervisor(closed: Path) -> None:
    with Wall() as wall, wall.candidate() as candidate:
        (cell,) = candidate.load([("a", "print(1 + 1)")], timeout=20.0).cells
        assert cell.output == "2\n"
    assert list(closed.iterdir()) == []


def test_doctor_does_not_take_it_for_a_limit(closed: Path) -> None:
    assert "counts memory instead" in machine._cgroup().detail
    assert list(closed.iterdir()) == []


@pytest.mark.parametrize(
    ("limit", "swap", "value"),
    [
        ("memory.max", "memory.swap.max", "0"),
        ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "1000"),
    ],
)
def test_what_does_not_fit_cannot_go_on_to_the_disk(
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
