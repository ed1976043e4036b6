"""`autograder forget`: deletes a student's data from the course folder, and lists the files that remain.

An error with one file does not stop the deletion of others. Files that cannot be read or deleted are listed.
"""

import io
import json
import re
import shutil
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.course.settings import REPORT, Course, sqlite_file
from autograder.gradebook import class_list
from autograder.gradebook.book import Book
from autograder.intake.files import valid_student_id
from autograder.lms.export import EXPORTED
from autograder.lms.placing import COLLECTED_FOLDER, read_names, write_names

_STEPS = ("submitted", "autograded", "feedback")
# Suffixes of the course's own files. In the course's top folder, such files are not searched for the
# student's name.
_COURSE_SUFFIXES = (".py", ".md", ".toml", ".ipynb")
# Suffixes of compressed files, which are never searched for the student's name.
_COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".7z", ".rar", ".tar", ".tgz", ".zst")
_MAX_BYTES = 100_000_000  # maximum number of bytes read from one file or unpacked from one archive
# Compression methods whose output can be limited while unpacking; others can turn 4 KB into gigabytes in one
# step.
_SAFE_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MAX_NESTING = 3  # maximum depth of archives within archives
_ENCODINGS = ("utf-8", "cp949", "utf-16-le", "utf-16-be")


@dataclass(frozen=True)
class ForgetResult:
    """The result of deleting a student's data.

    Attributes:
        deleted: the files, folders and entries that were deleted.
        remaining: files that still name the student, because they also contain other people's work or could
            not be deleted.
        unsearched: files that could not be searched because they are damaged, encrypted, too large, or in an
            unsupported format.
    """

    deleted: list[str]
    remaining: list[str]
    unsearched: list[str]


class _Unsearchable(Exception):
    """Raised for a file that cannot be searched."""


def forget(course: Course, student: str) -> ForgetResult:
    """Delete a student's data from the gradebook and from the course's folders.

    Copies of the gradebook are not deleted. They are listed, and the instructor has to delete them.

    Raises:
        CourseError: if the id is invalid, or the gradebook cannot be written. Nothing is deleted in these
            cases.
    """
    if not valid_student_id(student):
        raise CourseError(
            f"{student!r} is not a valid student id: letters, digits and _.@- only, 64 at most."
        )
    deleted: list[str] = []
    not_deleted: list[str] = []
    # The gradebook's lock prevents grading while the student's data is being deleted.
    with Book(course.directory, course.config) as book:
        names = _names(course, student, class_list.people(book))
        if class_list.forget(book, student):
            deleted.append("the gradebook's entries")
        for folder in _folders(course, student):
            _try_delete(course, folder, deleted, not_deleted)
        for file in sorted((course.root / COLLECTED_FOLDER).glob("*.json")):
            names_by_student = read_names(file)
            if names_by_student and names_by_student.pop(student, None) is not None:
                try:
                    write_names(file, names_by_student)
                    deleted.append(f"a line of {_relative_path(course, file)}")
                except OSError:
                    not_deleted.append(_relative_path(course, file))
        # The exports and the report contain data about the whole class. They are deleted because a command
        # can make them again.
        for name in (EXPORTED, REPORT):
            if deleted:
                _try_delete(course, course.root / name, deleted, not_deleted)
    remaining, unsearched = _search_names(course, names)
    return ForgetResult(deleted, list(dict.fromkeys([*not_deleted, *remaining])), unsearched)


def _try_delete(course: Course, path: Path, deleted: list[str], not_deleted: list[str]) -> None:
    """Delete a folder, link or file. Add its path to `deleted` or, after an error, to `not_deleted`."""
    try:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            return
    except OSError:
        not_deleted.append(_relative_path(course, path))
    else:
        deleted.append(_relative_path(course, path))


def _relative_path(course: Course, path: Path) -> str:
    return str(path.relative_to(course.root))


def _folders(course: Course, student: str) -> Iterator[Path]:
    """Yield the folders that may contain a student's work."""
    for step in _STEPS:
        yield course.root / getattr(course.directory, f"{step}_directory") / student
    yield course.root / COLLECTED_FOLDER / "kept" / student


def _names(course: Course, student: str, people: Sequence[dict[str, str]]) -> Sequence[bytes]:
    """Return the encoded strings that identify a student: id, e-mail address and variants of the full name.

    A first or last name alone is not searched for, because other students may share it.
    """
    forms = set()
    for row in (row for row in people if row["id"] == student):
        first, last = row["first_name"].strip(), row["last_name"].strip()
        forms |= {row["email"], f"{first} {last}", f"{last} {first}", f"{last}, {first}", last + first}
    for file in (course.root / COLLECTED_FOLDER).glob("*.json"):
        forms.add((read_names(file) or {}).get(student, {}).get("name", ""))
    texts = {text.strip() for text in forms if re.search(r"[ @]|[^\x00-\x7f].", text.strip())} | {student}
    spellings = texts | {unicodedata.normalize("NFD", text) for text in texts}
    encoded_names = {
        text.encode(encoding) for text in spellings for encoding in _ENCODINGS if _can_encode(text, encoding)
    }
    return sorted(encoded_names | {json.dumps(text)[1:-1].encode() for text in spellings})


def _mentions(data: bytes, names: Sequence[bytes]) -> bool:
    """Return whether bytes contain one of these names as a whole word."""
    return any(
        name in data and re.search(rb"(?<![A-Za-z0-9])" + re.escape(name) + rb"(?![A-Za-z0-9])", data)
        for name in names
    )


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _search_names(course: Course, names: Sequence[bytes]) -> tuple[list[str], list[str]]:
    """Return the files that name a student, and those that could not be searched, such as links.

    The search covers the folders that the autograder's commands fill, and the files in the course's top
    folder except those that belong to the course. The gradebook is skipped because the student is already
    deleted from it.
    """
    gradebook = sqlite_file(course.directory.db_url)
    remaining: list[str] = []
    unsearched: list[str] = []
    for file in _files_to_search(course):
        relative_path = _relative_path(course, file)
        try:
            if file.is_symlink():
                raise _Unsearchable
            if gradebook and gradebook.exists() and file.samefile(gradebook):
                continue
            if _mentions(relative_path.encode("utf-8", "surrogateescape"), names) or _is_named_in(
                file, names
            ):
                remaining.append(relative_path)
        except (OSError, _Unsearchable):
            unsearched.append(relative_path)
    return remaining, unsearched


def _files_to_search(course: Course) -> Iterator[Path]:
    """Yield the files that may name a student, and all links; the caller only reports links."""
    for file in sorted(course.root.iterdir(), key=lambda file: (file.suffix == ".zip", file.name)):
        if file.is_symlink() or (file.is_file() and file.suffix not in _COURSE_SUFFIXES):
            yield file
    folder_names = {getattr(course.directory, f"{step}_directory") for step in _STEPS} | {
        COLLECTED_FOLDER,
        EXPORTED,
        REPORT,
    }
    for folder in sorted(folder_names):
        for file in sorted((course.root / folder).rglob("*")):
            if file.is_symlink() or file.is_file():
                yield file


def _is_named_in(file: Path, names: Sequence[bytes]) -> bool:
    """Return whether a file's bytes name a student.

    Raises:
        _Unsearchable: if the file is too large, or compressed in an unsupported format.
        OSError: if the file cannot be read.
    """
    if file.stat().st_size > _MAX_BYTES or file.suffix.casefold() in _COMPRESSED_SUFFIXES:
        raise _Unsearchable
    return _is_named_by(file.read_bytes(), names, _MAX_NESTING)


def _is_named_by(data: bytes, names: Sequence[bytes], depth: int) -> bool:
    """Return whether bytes name a student, even inside a zip archive such as an Excel workbook.

    Raises:
        _Unsearchable: if a zip archive is damaged, encrypted, too large, nested too deeply, or compressed by
            an unsupported method.
    """
    if _mentions(data, names):
        return True
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return False
    bytes_left = _MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(
                _mentions(entry.filename.encode("utf-8", "replace"), names) for entry in archive.infolist()
            ):
                return True
            for entry in archive.infolist():
                bytes_left -= entry.file_size
                if bytes_left < 0 or not depth or entry.compress_type not in _SAFE_METHODS:
                    raise _Unsearchable
                if _is_named_by(archive.read(entry), names, depth - 1):
                    return True
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, ValueError, EOFError) as error:
        raise _Unsearchable from error
    return False
