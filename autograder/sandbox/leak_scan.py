"""A search for files that are visible inside the sandbox and that might contain a part of a course.

It takes seconds to read all files of a system and of a Python installation with torch. So each folder is read
once, and the result is kept in the user's cache until the folder's entries change. Notebooks are few, so they
are always listed. Another module, exam/leaks.py, decides whether a listed file gives away a particular
lesson.
"""

import io
import json
import os
import re
import stat
import tarfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from autograder.sandbox.visible import VisibleFiles
from secant.files import locked, read_json, replace_file

# Byte strings that make a file suspicious. Each file of a course contains at least one of the first three. A
# copy of a course's tests may lack these three and use other names, but it still imports from secant, as all
# tests do.
MARKS = (b"grade_id", b"HIDDEN TESTS", b'task="', b"from secant import")
_MAX_FILE_BYTES = 8 * 2**20  # maximum number of bytes read from a file; lessons are forty times smaller
_MAX_ARCHIVE_BYTES = 64 * 2**20
_ARCHIVES = (".whl", ".zip", ".egg", ".pyz", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
# Extensions of the most common files that are not text. Any text file may be a copy of a lesson, whatever its
# name.
_BINARIES = (".so", ".a", ".o", ".pyc", ".jar", ".jmod", ".gz", ".xz", ".mo", ".png")
_GIT_INDEX = "/.git/index"  # the file in a Git clone that lists all files of the clone
# Pattern for the path of a compiled lesson. Such a file can be recognised only by its name.
_COMPILED = re.compile(r"/\d\d_[^/]*\.pyc$")
# Number of bytes that are read first. If the first _NUL_BYTES bytes contain a NUL, the file is not text.
_FIRST_BYTES, _NUL_BYTES = 2**16, 2**12
_FORMAT = 2
_LOCK_SECONDS = 60.0  # seconds to wait for another process that is reading all files
# Seconds; a folder that changed less than this long ago may change again and keep the same timestamp.
_SETTLE_SECONDS = 2.0

FolderEntries = tuple[list[str], list[str]]  # the names of a folder's subfolders, and of its suspicious files


def suspects(view: VisibleFiles, cache: Path | None = None) -> tuple[str, ...]:
    """Return the visible files that may contain a part of any lesson of a course.

    Args:
        view: the files that are visible inside the sandbox.
        cache: the file in which to keep the results; by default, a file in the user's cache.
    """
    file = cache_file() if cache is None else cache
    with locked(file, _LOCK_SECONDS):  # a second process waits for the first one's results
        return _search(view, file)


def _search(view: VisibleFiles, file: Path) -> tuple[str, ...]:
    cached = _load(file)
    entries: dict[str, Any] = {}
    masked = set(view.masked)
    folders = [path for path in (*view.shown, view.package) if not os.path.islink(path)]
    paths = []
    while folders:
        folder = folders.pop()
        if folder in masked or folder in entries:
            continue
        try:
            stamp = os.stat(folder).st_mtime_ns
            entry = cached.get(folder)
            if entry is None or entry[0] != stamp:
                entry = [stamp, *_scan_folder(folder)]
        except OSError:  # the path is a file, or a folder that cannot be read
            continue
        entries[folder] = entry
        folders += [f"{folder}/{name}" for name in entry[1]]
        paths += [path for path in (f"{folder}/{name}" for name in entry[2]) if path not in masked]
    if entries != cached:
        _save(file, entries)
    return tuple(paths)


def read(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of a file, or of each member of an archive.

    An error while reading ends the iteration.
    """
    with suppress(Exception):  # each compression library has its own errors
        if path.endswith(_ARCHIVES):
            yield from _members(path)
        else:
            yield path, _head(path)


def _scan_folder(folder: str) -> FolderEntries:
    folders, files = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_file(follow_symlinks=False) and _is_suspect(entry.path):
                files.append(entry.name)
    return sorted(folders), sorted(files)


def _is_suspect(path: str) -> bool:
    if path.endswith((".ipynb", _GIT_INDEX)) or _COMPILED.search(path):
        return True
    if path.endswith(_ARCHIVES):
        return any(mark in data for _, data in read(path) for mark in MARKS)
    if path.endswith(_BINARIES):
        return False
    with suppress(OSError):
        data = _head(path)
        return any(mark in data for mark in MARKS)
    return False


def _head(path: str) -> bytes:
    """Return the first bytes of a text file, or no bytes if the file is not text."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        data = os.read(file, _FIRST_BYTES)
        if b"\0" in data[:_NUL_BYTES] and not path.endswith(_GIT_INDEX):
            return b""
        while _FIRST_BYTES <= len(data) < _MAX_FILE_BYTES and (chunk := os.read(file, _MAX_FILE_BYTES)):
            data += chunk
        return data
    finally:
        os.close(file)


def _members(path: str) -> Iterator[tuple[str, bytes]]:
    if os.path.getsize(path) > _MAX_ARCHIVE_BYTES:
        return
    remaining = _MAX_ARCHIVE_BYTES
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.file_size <= min(_MAX_FILE_BYTES, remaining) and not member.filename.endswith(
                    _BINARIES
                ):
                    remaining -= member.file_size
                    yield f"{path}: {member.filename}", archive.read(member)
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tar:
            for item in tar:
                remaining -= item.size
                if remaining < 0:
                    return
                if item.isfile() and item.size <= _MAX_FILE_BYTES and not item.name.endswith(_BINARIES):
                    yield f"{path}: {item.name}", (tar.extractfile(item) or io.BytesIO()).read()


def cache_file() -> Path:
    """Return the path of this user's cache file."""
    return Path(platformdirs.user_cache_dir("secant", appauthor=False)) / "visible.json"


def _load(file: Path) -> dict[str, Any]:
    """Return the cached results, or an empty dict if another user could have written the file."""
    with suppress(OSError):
        status = os.lstat(file)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
            return read_json(file, _folders, {})
    return {}


def _folders(cache: dict[str, Any]) -> dict[str, Any]:
    """Return the folders that a cache records, or an empty dict if its format is not the current one."""
    folders: dict[str, Any] = cache["folders"] if cache.get("format") == _FORMAT else {}
    return dict(folders)


def _save(file: Path, folders: dict[str, Any]) -> None:
    limit = time.time_ns() - int(_SETTLE_SECONDS * 1e9)
    data = {"format": _FORMAT, "folders": {path: item for path, item in folders.items() if item[0] < limit}}
    with suppress(OSError):  # if the home folder is read-only, all files are read again each time
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, json.dumps(data).encode())
