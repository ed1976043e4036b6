"""Tests of copying an untrusted folder through descriptors: an entry swapped meanwhile is not copied."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.overrides.copying import Limits, NotCopied, copy_folder, open_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the exchange is not available on Windows")
COPY_ALL = Limits(1_000, lambda name, status: False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file and a file in a subfolder; a secret file lies next to the folder."""
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / "folder"
    (path / "inner").mkdir(parents=True)
    (path / "a.txt").write_text("a")
    (path / "inner" / "b.txt").write_text("b")
    os.utime(path / "a.txt", (1, 2))
    return path


def make_copy(folder: Path, limits: Limits = COPY_ALL) -> Path:
    """Copy a folder, and return the path of the copy."""
    target = folder.parent / "copy"
    with open_folder(str(folder)) as descriptor:
        copy_folder(descriptor, target, limits)
    return target


def test_a_copy_has_the_files_their_times_and_no_rights_for_others_to_write(folder: Path) -> None:
    folder.chmod(0o777)
    (folder / "a.txt").chmod(0o4666)
    copy = make_copy(folder)
    assert (copy / "a.txt").read_text() + (copy / "inner" / "b.txt").read_text() == "ab"
    assert (copy / "a.txt").stat().st_mtime == 2
    assert stat.S_IMODE(copy.stat().st_mode) == 0o755
    assert stat.S_IMODE((copy / "a.txt").stat().st_mode) == 0o644


def test_a_group_of_instructors_may_write_to_the_copy(folder: Path) -> None:
    copy = make_copy(folder, Limits(1_000, lambda name, status: False, shared=True))
    assert stat.S_IMODE((copy / "inner").stat().st_mode) & 0o2770 == 0o2770
    assert stat.S_IMODE((copy / "a.txt").stat().st_mode) & 0o660 == 0o660


def test_copying_skips_entries_of_any_kind(folder: Path) -> None:
    (folder / "link").symlink_to("nowhere")
    copy = make_copy(folder, Limits(1_000, lambda name, status: name in ("link", "inner")))
    assert [path.name for path in copy.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("swap", ["link", "pipe"])
@pytest.mark.parametrize("name", ["a.txt", "inner"])
def test_file_swapped_after_the_check_is_not_copied(
    folder: Path, monkeypatch: pytest.MonkeyPatch, swap: str, name: str
) -> None:
    real_open: Callable[..., int] = os.open

    def swap_and_open(path: str, *flags: Any, **kwargs: Any) -> int:
        if path == name:
            (folder / name).rename(folder.parent / "away")
            if swap == "link":
                (folder / name).symlink_to(folder.parent / ("secret" if name == "a.txt" else "away"))
            else:
                os.mkfifo(folder / name)
        return real_open(path, *flags, **kwargs)

    monkeypatch.setattr(os, "open", swap_and_open)
    with pytest.raises((NotCopied, OSError)):
        make_copy(folder)


def test_copy_of_a_growing_file_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_fstat: Callable[[int], os.stat_result] = os.fstat

    def grow_and_stat(descriptor: int) -> os.stat_result:
        status = real_fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            (folder / "a.txt").write_bytes(bytes(5_000))
        return status

    monkeypatch.setattr(os, "fstat", grow_and_stat)
    with pytest.raises(NotCopied, match="larger"):
        make_copy(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["a.txt", "inner"])
def test_a_file_of_another_user_is_not_copied(folder: Path, name: str) -> None:
    os.chown(folder / name, 64_001, 64_001)
    with pytest.raises(NotCopied, match=f"{name} belongs to somebody else"):
        make_copy(folder)
