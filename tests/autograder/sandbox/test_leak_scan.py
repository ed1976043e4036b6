"""Tests of the search for copied parts of a course in all files that the wall shows."""

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
from autograder.sandbox.visible import VisibleFiles

HIDDEN_TEST = "### BEGIN HIDDEN TESTS\ncheck.close(f(2.0), 4.0)\n"


@pytest.fixture
def visible_files(tmp_path: Path) -> VisibleFiles:
    """Return what is visible of a made-up system: nested folders, a masked folder, a link loop, a pipe."""
    root = tmp_path / "usr"
    for name in ("lib/deep/er", "share", "lib/secret"):
        (root / name).mkdir(parents=True)
    (root / "lib/harmless.py").write_text("x = 1\n" * 100_000)
    (root / "lib/deep/er/binary").write_bytes(b"\x7fELF\0" + HIDDEN_TEST.encode())
    (root / "lib/secret/tests.py").write_text(HIDDEN_TEST)
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "share/pipe")
    package = tmp_path / "secant"
    package.mkdir()
    for path in (*tmp_path.rglob("*"), tmp_path):
        if not path.is_symlink():
            os.utime(path, (1e9, 1e9))
    return VisibleFiles((str(root),), (str(root / "lib/secret"),), str(package))


def suspect_names(visible_files: VisibleFiles, cache: Path) -> set[str]:
    return {os.path.relpath(path, visible_files.shown[0]) for path in suspects(visible_files, cache)}


def pack_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b/c.py", HIDDEN_TEST)


def pack_tar(path: Path) -> None:
    path.with_suffix("").write_text(HIDDEN_TEST)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(path.with_suffix(""), "x.py")
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
    visible_files: VisibleFiles, tmp_path: Path, name: str
) -> None:
    assert suspect_names(visible_files, tmp_path / "cache") == set()
    (Path(visible_files.shown[0]) / name).write_text("x" * 100_000 + HIDDEN_TEST)
    assert suspect_names(visible_files, tmp_path / "cache") == {name}


def test_leak_scan_finds_copied_tests_without_their_marks(
    visible_files: VisibleFiles, tmp_path: Path
) -> None:
    (Path(visible_files.shown[0]) / "lib/a.py").write_text(
        "from secant import ask as b, check as c\nc.close(f(2.0), 4.0)\n"
    )
    assert suspect_names(visible_files, tmp_path / "cache") == {"lib/a.py"}


@pytest.mark.parametrize("name", ["secant.whl", "course.zip", "sdist.tar.gz", "old.tgz"])
def test_leak_scan_finds_a_copied_lesson_in_an_archive(
    visible_files: VisibleFiles, tmp_path: Path, name: str
) -> None:
    path = Path(visible_files.shown[0]) / "lib" / name
    (pack_zip if name.endswith(("whl", "zip")) else pack_tar)(path)
    assert suspect_names(visible_files, tmp_path / "cache") == {f"lib/{name}"}
    assert HIDDEN_TEST in [data.decode() for _, data in read(str(path))]


def test_broken_archives_and_zip_bombs_do_not_stop_the_scan(
    visible_files: VisibleFiles, tmp_path: Path
) -> None:
    lib = Path(visible_files.shown[0]) / "lib"
    for name in ("bad.zip", "bad.tar.gz", "bad.whl"):
        (lib / name).write_bytes(b"PK\x03\x04 no archive")
    with zipfile.ZipFile(lib / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.py", b"\0" * (leak_scan._MAX_FILE_BYTES + 1))
    with gzip.open(lib / "half.tgz", "wb") as file:
        file.write(b"x" * 1000)
    assert suspect_names(visible_files, tmp_path / "cache") == set()


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_with_damaged_data_does_not_stop_the_scan(
    visible_files: VisibleFiles, tmp_path: Path, compression: int
) -> None:
    path = Path(visible_files.shown[0]) / "lib" / "damaged.zip"
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("a.py", "".join(map(str, range(1000))))
    data = bytearray(path.read_bytes())
    data[50:350] = b"\xff" * 300
    path.write_bytes(data)
    assert suspect_names(visible_files, tmp_path / "cache") == set()


def test_notebooks_compiled_lessons_and_a_clone_are_always_named(
    visible_files: VisibleFiles, tmp_path: Path
) -> None:
    share = Path(visible_files.shown[0]) / "share"
    (share / ".git").mkdir()
    for name in ("a.ipynb", ".git/index", "01_a.cpython-311.pyc", "a.cpython-311.pyc"):
        (share / name).write_text("")
    expected = {"share/a.ipynb", "share/.git/index", "share/01_a.cpython-311.pyc"}
    assert suspect_names(visible_files, tmp_path / "cache") == expected


def test_scanned_folder_is_read_again_only_after_a_change(
    visible_files: VisibleFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, scanned_folders = tmp_path / "cache/visible.json", list[str]()
    real_scan = leak_scan._scan_folder

    def recording_scan(folder: str) -> leak_scan.FolderEntries:
        scanned_folders.append(os.path.relpath(folder, tmp_path))
        return real_scan(folder)

    monkeypatch.setattr(leak_scan, "_scan_folder", recording_scan)
    assert suspect_names(visible_files, cache) == set()
    assert {"usr", "usr/lib", "usr/lib/deep/er"} <= set(scanned_folders)
    assert "usr/lib/secret" not in scanned_folders  # this folder is masked
    scanned_folders.clear()
    assert suspect_names(visible_files, cache) == set()
    assert scanned_folders == []
    (Path(visible_files.shown[0]) / "lib/deep/er/new.py").write_text(HIDDEN_TEST)
    for _ in range(2):  # a folder that has just changed is not cached
        assert suspect_names(visible_files, cache) == {"lib/deep/er/new.py"}
    assert scanned_folders == ["usr/lib/deep/er"] * 2
    unmasked_files = visible_files._replace(masked=())
    assert suspect_names(unmasked_files, cache) == {"lib/deep/er/new.py", "lib/secret/tests.py"}
    shutil.rmtree(Path(visible_files.shown[0]) / "lib/deep")
    assert suspect_names(visible_files, cache) == set()


def test_concurrent_scan_waits_for_the_running_one(
    visible_files: VisibleFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned_folders, real_scan = list[str](), leak_scan._scan_folder

    def slow_scan(folder: str) -> leak_scan.FolderEntries:
        scanned_folders.append(folder)
        time.sleep(0.02)
        return real_scan(folder)

    monkeypatch.setattr(leak_scan, "_scan_folder", slow_scan)
    with ThreadPoolExecutor(2) as executor:
        results = list(executor.map(lambda _: suspect_names(visible_files, tmp_path / "cache"), range(2)))
    assert results == [set(), set()]
    assert len(scanned_folders) == len(set(scanned_folders)) > 2


@pytest.mark.parametrize("content", ["[]", "{", "null", '{"format": 0}', '{"format": 1, "folders": []}'])
def test_unreadable_scan_cache_is_rebuilt(visible_files: VisibleFiles, tmp_path: Path, content: str) -> None:
    (cache := tmp_path / "cache").write_text(content)
    (Path(visible_files.shown[0]) / "lib/a.py").write_text(HIDDEN_TEST)
    assert suspect_names(visible_files, cache) == {"lib/a.py"}
    assert json.loads(cache.read_text())["folders"]


def test_scan_cache_of_another_user_is_ignored(
    visible_files: VisibleFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    suspect_names(visible_files, cache)
    assert leak_scan._load(cache)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert leak_scan._load(cache) == {}


def test_leak_scan_reads_everything_if_no_cache_can_be_stored(visible_files: VisibleFiles) -> None:
    (Path(visible_files.shown[0]) / "lib/a.py").write_text(HIDDEN_TEST)
    for _ in range(2):
        assert suspect_names(visible_files, Path("/proc/none/visible.json")) == {"lib/a.py"}
