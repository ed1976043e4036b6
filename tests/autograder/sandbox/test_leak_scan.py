"""Tests of the search for parts of a course among all files that the wall shows."""

import gzip
import json
import os
import shutil
import tarfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.sandbox import leak_scan
from autograder.sandbox.leak_scan import read, suspects
from autograder.sandbox.visible import Visible

TOLD = "### BEGIN HIDDEN TESTS\ncheck.close(f(2.0), 4.0)\n"


@pytest.fixture
def seen(tmp_path: Path) -> Visible:
    """Return what is visible of a made-up system: nested folders, a masked folder, a link loop, a pipe."""
    shown = tmp_path / "usr"
    for name in ("lib/deep/er", "share", "lib/secret"):
        (shown / name).mkdir(parents=True)
    (shown / "lib/harmless.py").write_text("x = 1\n" * 100_000)
    (shown / "lib/deep/er/binary").write_bytes(b"\x7fELF\0" + TOLD.encode())
    (shown / "lib/secret/tests.py").write_text(TOLD)
    (shown / "loop").symlink_to(shown)
    os.mkfifo(shown / "share/pipe")
    package = tmp_path / "secant"
    package.mkdir()
    for path in (*tmp_path.rglob("*"), tmp_path):
        if not path.is_symlink():
            os.utime(path, (1e9, 1e9))
    return Visible((str(shown),), (str(shown / "lib/secret"),), str(package))


def names(seen: Visible, cache: Path) -> set[str]:
    return {os.path.relpath(path, seen.shown[0]) for path in suspects(seen, cache)}


def pack_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a/b/c.py", TOLD)


def pack_tar(path: Path) -> None:
    path.with_suffix("").write_text(TOLD)
    with tarfile.open(path, "w:gz") as tape:
        tape.add(path.with_suffix(""), "x.py")
    path.with_suffix("").unlink()


@pytest.mark.parametrize(
    "name",
    [
        "lib/deep/er/notes.txt",
        "lib/a.py",
        "lib/.hidden",
        "share/NOTES",
        "share/old.py.bak",
        "share/notes.js",
        "lib/notes.dat",
        "../secant/left.toml",
    ],
)
def test_leak_scan_finds_a_copied_lesson_under_any_file_name(
    seen: Visible, tmp_path: Path, name: str
) -> None:
    assert names(seen, tmp_path / "cache") == set()
    (Path(seen.shown[0]) / name).write_text("x" * 100_000 + TOLD)
    assert names(seen, tmp_path / "cache") == {name}


def test_leak_scan_finds_copied_tests_without_their_marks(seen: Visible, tmp_path: Path) -> None:
    (Path(seen.shown[0]) / "lib/a.py").write_text(
        "from secant import ask as b, check as c\nc.close(f(2.0), 4.0)\n"
    )
    assert names(seen, tmp_path / "cache") == {"lib/a.py"}


@pytest.mark.parametrize("name", ["secant.whl", "course.zip", "sdist.tar.gz", "old.tgz"])
def test_leak_scan_finds_a_copied_lesson_in_an_archive(seen: Visible, tmp_path: Path, name: str) -> None:
    path = Path(seen.shown[0]) / "lib" / name
    (pack_zip if name.endswith(("whl", "zip")) else pack_tar)(path)
    assert names(seen, tmp_path / "cache") == {f"lib/{name}"}
    assert TOLD in [data.decode() for _, data in read(str(path))]


def test_broken_archives_and_zip_bombs_do_not_stop_the_scan(seen: Visible, tmp_path: Path) -> None:
    lib = Path(seen.shown[0]) / "lib"
    for name in ("bad.zip", "bad.tar.gz", "bad.whl"):
        (lib / name).write_bytes(b"PK\x03\x04 no archive")
    with zipfile.ZipFile(lib / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("big.py", b"\0" * (leak_scan._MAX_FILE_BYTES + 1))
    with gzip.open(lib / "half.tgz", "wb") as half:
        half.write(b"x" * 1000)
    assert names(seen, tmp_path / "cache") == set()


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_with_damaged_data_does_not_stop_the_scan(seen: Visible, tmp_path: Path, kind: int) -> None:
    path = Path(seen.shown[0]) / "lib" / "damaged.zip"
    with zipfile.ZipFile(path, "w", kind) as packed:
        packed.writestr("a.py", "".join(map(str, range(1000))))
    data = bytearray(path.read_bytes())
    data[50:350] = b"\xff" * 300
    path.write_bytes(data)
    assert names(seen, tmp_path / "cache") == set()


def test_notebooks_compiled_lessons_and_a_clone_are_always_named(seen: Visible, tmp_path: Path) -> None:
    share = Path(seen.shown[0]) / "share"
    (share / ".git").mkdir()
    for name in ("a.ipynb", ".git/index", "01_a.cpython-311.pyc", "a.cpython-311.pyc"):
        (share / name).write_text("")
    want = {"share/a.ipynb", "share/.git/index", "share/01_a.cpython-311.pyc"}
    assert names(seen, tmp_path / "cache") == want


def test_scanned_folder_is_read_again_only_after_a_change(
    seen: Visible, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, looked = tmp_path / "cache/visible.json", list[str]()
    look = leak_scan._scan_folder

    def noted(folder: str) -> leak_scan.FolderEntries:
        looked.append(os.path.relpath(folder, tmp_path))
        return look(folder)

    monkeypatch.setattr(leak_scan, "_scan_folder", noted)
    assert names(seen, cache) == set()
    assert {"usr", "usr/lib", "usr/lib/deep/er"} <= set(looked)
    assert "usr/lib/secret" not in looked  # this folder is masked
    looked.clear()
    assert names(seen, cache) == set()
    assert looked == []
    (Path(seen.shown[0]) / "lib/deep/er/new.py").write_text(TOLD)
    for _ in range(2):  # a folder that changed this recently is not cached
        assert names(seen, cache) == {"lib/deep/er/new.py"}
    assert looked == ["usr/lib/deep/er"] * 2
    bare = seen._replace(masked=())
    assert names(bare, cache) == {"lib/deep/er/new.py", "lib/secret/tests.py"}
    shutil.rmtree(Path(seen.shown[0]) / "lib/deep")
    assert names(seen, cache) == set()


def test_concurrent_scan_waits_for_the_running_one(
    seen: Visible, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, look = list[str](), leak_scan._scan_folder

    def slow(folder: str) -> leak_scan.FolderEntries:
        looked.append(folder)
        time.sleep(0.02)
        return look(folder)

    monkeypatch.setattr(leak_scan, "_scan_folder", slow)
    with ThreadPoolExecutor(2) as both:
        found = list(both.map(lambda _: names(seen, tmp_path / "cache"), range(2)))
    assert found == [set(), set()]
    assert len(looked) == len(set(looked)) > 2


@pytest.mark.parametrize("kept", ["[]", "{", "null", '{"format": 0}', '{"format": 1, "folders": []}'])
def test_unreadable_scan_cache_is_rebuilt(seen: Visible, tmp_path: Path, kept: str) -> None:
    (cache := tmp_path / "cache").write_text(kept)
    (Path(seen.shown[0]) / "lib/a.py").write_text(TOLD)
    assert names(seen, cache) == {"lib/a.py"}
    assert json.loads(cache.read_text())["folders"]


def test_scan_cache_of_another_user_is_ignored(
    seen: Visible, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    names(seen, cache)
    assert leak_scan._load(cache)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert leak_scan._load(cache) == {}


def test_leak_scan_reads_everything_if_no_cache_can_be_stored(seen: Visible) -> None:
    (Path(seen.shown[0]) / "lib/a.py").write_text(TOLD)
    for _ in range(2):
        assert names(seen, Path("/proc/none/visible.json")) == {"lib/a.py"}
