"""Copy a folder that an untrusted user may change while it is being copied.

All files are opened through the descriptors of their folders, and the size of the copy is limited. Anything
irregular, such as a link, raises an error.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from autograder.intake.files import MAX_FOLDER_ENTRIES, MAX_SIDE_FOLDERS
from secant.language import say
from secant.visible import visible

MAX_DEPTH = MAX_SIDE_FOLDERS
_CHUNK = 1 << 20
_AS_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# Without O_NONBLOCK, opening a named pipe or a file with a lease would block.
_AS_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class NotCopied(Exception):
    """Raised if a folder is not copied; the message gives the reason in the current language."""


@dataclass(frozen=True)
class Limits:
    """The limits for copying a folder.

    Attributes:
        max_bytes: the maximum size of all files together.
        skips: a function that takes the name of a file or folder and the result of os.stat, and returns
            True if the entry is to be left out. Such an entry is not even opened.
        shared: True if a group of instructors may write to the copy.
    """

    max_bytes: int
    skips: Callable[[str, os.stat_result], bool]
    shared: bool = False


@contextmanager
def open_folder(name: str, parent: int | None = None) -> Iterator[int]:
    """Open a folder, without following a link, and yield its descriptor.

    Raises:
        NotCopied: if there is something other than a folder at the path, such as a link or a file.
        OSError: if the folder cannot be opened.
    """
    try:
        descriptor = os.open(name, _AS_FOLDER, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _not_a_folder_error(name, parent) from None
        raise
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def copy_folder(folder: int, target: Path, limits: Limits) -> None:
    """Copy an open folder that contains only regular files and folders.

    All entries of the folder must have the same owner as the folder, and be on the same disk.

    Args:
        folder: the folder's descriptor.
        target: the path of the copy. After an error, a partial copy remains there.
        limits: the limits for the copy.

    Raises:
        NotCopied: if an entry is not a regular file or folder, is on another disk, has another owner, or
            exceeds a limit.
        OSError: if an entry cannot be read, or the copy cannot be written.
    """
    _Copy(os.fstat(folder), limits).copy(folder, target, PurePosixPath())


def is_plain(path: str) -> bool:
    """Return whether a path is a readable folder that contains only regular files and folders."""
    try:
        with open_folder(path) as folder, os.scandir(folder) as entries:
            return all(
                entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
                for entry in islice(entries, MAX_FOLDER_ENTRIES)
            )
    except (NotCopied, OSError):
        return False


class _Copy:
    """A copy in progress. It counts the entries and bytes that may still be copied."""

    def __init__(self, top_status: os.stat_result, limits: Limits) -> None:
        self._top_status, self._limits = top_status, limits
        self._entries_left, self._bytes_left = MAX_FOLDER_ENTRIES, limits.max_bytes

    def copy(self, source: int, target: Path, relative_path: PurePosixPath) -> None:
        """Copy an open folder and its contents.

        `relative_path` is the folder's path relative to the top folder.
        """
        status = os.fstat(source)
        target.mkdir()
        for name in self._names(source):
            status_before = os.stat(name, dir_fd=source, follow_symlinks=False)
            if self._limits.skips(name, status_before):
                continue
            path = relative_path / name
            if stat.S_ISDIR(status_before.st_mode):
                if len(path.parts) > MAX_DEPTH:
                    raise _too_deep_error()
                with open_folder(name, source) as subfolder:
                    self._check(os.fstat(subfolder), path)
                    self.copy(subfolder, target / name, path)
            else:
                self._copy_file(source, status_before, target / name, path)
        shared = 0o2070 if self._limits.shared else 0
        os.chmod(target, status.st_mode & 0o755 | 0o700 | shared)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _names(self, source: int) -> list[str]:
        """Return the names in a folder, and reduce the number of entries that may still be copied."""
        with os.scandir(source) as entries:
            names = sorted(entry.name for entry in islice(entries, self._entries_left + 1))
        self._entries_left -= len(names)
        if self._entries_left < 0:
            raise _too_many_files_error()
        return names

    def _copy_file(
        self, source: int, status_before: os.stat_result, target: Path, path: PurePosixPath
    ) -> None:
        self._check(
            status_before, path
        )  # Check the entry before opening it, so that no device is ever opened.
        with open(os.open(path.name, _AS_FILE, dir_fd=source), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            self._check(status, path)
            if status.st_size > self._bytes_left:
                raise _too_large_error(self._limits.max_bytes)
            with open(target, "xb") as copy:
                while data := file.read(_CHUNK):
                    self._bytes_left -= len(data)
                    if self._bytes_left < 0:  # The file may grow while it is read, so count the bytes again.
                        raise _too_large_error(self._limits.max_bytes)
                    copy.write(data)
        os.chmod(target, status.st_mode & 0o755 | 0o600 | (0o060 if self._limits.shared else 0))
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _check(self, status: os.stat_result, path: PurePosixPath) -> None:
        """Raise NotCopied unless an entry may be copied.

        An entry must be a folder, or a regular file without a second name (a hard link). It must have the
        same owner as the top folder, and be on the same disk.
        """
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not stat.S_ISREG(status.st_mode):
            raise _wrong_type_error(status, path)
        if not is_folder and status.st_nlink != 1:
            raise NotCopied(
                say(
                    en=f"{_visible_path(path)} is a file of several names (a hard link).",
                    ko=f"{_visible_path(path)}: 이름이 여럿인 파일(하드 링크)입니다.",
                )
            )
        if (status.st_uid, status.st_dev) != (self._top_status.st_uid, self._top_status.st_dev):
            raise NotCopied(
                say(
                    en=f"{_visible_path(path)} belongs to somebody else than the folder, "
                    "or is on another disk.",
                    ko=f"{_visible_path(path)}: 폴더와 소유자가 다르거나 다른 디스크에 있습니다.",
                )
            )


def _visible_path(path: PurePosixPath | str) -> str:
    return visible(str(path))[:100]


def _not_a_folder_error(name: str, parent: int | None) -> NotCopied:
    return _wrong_type_error(os.stat(name, dir_fd=parent, follow_symlinks=False), "")


def _wrong_type_error(status: os.stat_result, path: PurePosixPath | str) -> NotCopied:
    """Return the error for an entry of the wrong type. An empty `path` means the submitted folder itself."""
    kinds = {
        stat.S_IFLNK: ("a link", "링크"),
        stat.S_IFIFO: ("a pipe", "파이프"),
        stat.S_IFSOCK: ("a socket", "소켓"),
        stat.S_IFREG: ("a file", "파일"),
    }
    kind = kinds.get(stat.S_IFMT(status.st_mode), ("a device", "장치 파일"))
    if path == "":
        return NotCopied(say(en=f"It is {kind[0]}, not a folder.", ko=f"폴더가 아니라 {kind[1]}입니다."))
    return NotCopied(
        say(
            en=f"{_visible_path(path)} is {kind[0]}, not a file.",
            ko=f"{_visible_path(path)}: 파일이 아니라 {kind[1]}입니다.",
        )
    )


def _too_many_files_error() -> NotCopied:
    return NotCopied(
        say(
            en=f"It has more than {MAX_FOLDER_ENTRIES:,} files.",
            ko=f"파일이 {MAX_FOLDER_ENTRIES:,}개를 넘습니다.",
        )
    )


def _too_deep_error() -> NotCopied:
    return NotCopied(
        say(
            en=f"Its folders are nested more than {MAX_DEPTH} deep.",
            ko=f"폴더가 {MAX_DEPTH}단계보다 깊습니다.",
        )
    )


def _too_large_error(max_bytes: int) -> NotCopied:
    megabytes = max_bytes // 1_000_000
    return NotCopied(say(en=f"It is larger than {megabytes} MB.", ko=f"크기가 {megabytes} MB를 넘습니다."))
