"""Write collected attempts into submitted/; move the submissions that they replace to collected/kept/."""

import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

from autograder.course.plain import is_plain
from autograder.course.plain import notebooks as notebooks_of
from autograder.course.settings import Course
from autograder.intake.files import (
    EXCHANGE_SECRET,
    MAX_FILE_BYTES,
    MAX_SIDE_FILES,
    TIMESTAMP,
    names_of,
    read_side_files,
)
from autograder.intake.timestamp import submission_time
from autograder.lms.archive import Archive, Unreadable
from autograder.lms.attempts import Attempt, File, is_notebook
from secant.files import move_aside, read_json, replace_file
from secant.language import say

# Folder next to submitted/. It contains replaced submissions, and the data that identifies submissions in an
# LMS.
COLLECTED_FOLDER = "collected"
NOTE_FILE = (
    "collect.txt"  # file written into a student's folder if none of the student's files could be collected
)

# File names reserved for nbgrader's exchange and the autograder; students' files get other names.
_RESERVED = (TIMESTAMP, EXCHANGE_SECRET, NOTE_FILE)
_MAX_DEPTH, _MAX_NAME = 5, 100
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')


class Places:
    """The target folders for the attempts in an archive: submitted/ and collected/kept/."""

    def __init__(self, course: Course, archive: Archive) -> None:
        self._course, self._archive = course, archive

    def write(self, attempts: Sequence[Attempt]) -> None:
        """Place a student's newest attempt in submitted/, and the older attempts in collected/kept/."""
        *older_attempts, newest_attempt = sorted(attempts, key=lambda attempt: attempt.when or datetime.min)
        try:
            for attempt in older_attempts:
                self._set_aside(attempt, say(en="There is a newer attempt.", ko="더 새로운 제출이 있습니다."))
            self._place(newest_attempt)
        except OSError as error:
            reason = error.strerror or str(error)
            for file in newest_attempt.files:
                file.line.set_outcome(
                    "not written",
                    say(en=f"It could not be written: {reason}.", ko=f"쓸 수 없습니다: {reason}."),
                )

    def _place(self, attempt: Attempt) -> None:
        """Place an attempt in submitted/, unless another submission there takes precedence.

        The submission in submitted/ stays if it is newer, if it is identical, or if no new file could be
        read.
        """
        root = self._course.submitted
        folder = self._course.folder("submitted", attempt.student, attempt.lesson)
        if folder.parent.is_symlink():
            raise OSError(say(en=f"{folder.parent} is a link", ko=f"{folder.parent}: 링크입니다"))
        exists = os.path.lexists(folder)
        before = submission_time(folder, root, self._course.clock).earliest if exists else None
        if before and attempt.when and before > attempt.when:
            reason = say(
                en="The submission in submitted/ is newer.", ko="submitted/에 있는 것이 더 새롭습니다."
            )
            self._set_aside(attempt, reason)
            return
        content = self._content(attempt)
        if exists and PurePosixPath(NOTE_FILE) in content:
            attempt.remark(say(en="The earlier submission stays.", ko="전에 있던 것은 그대로 두었습니다."))
        elif exists and _has_content(content, folder, root):
            attempt.settle("unchanged", "")
        else:
            if exists:
                self._make_room(folder, attempt)
            _write_folder(folder, content)

    def _make_room(self, folder: Path, attempt: Attempt) -> None:
        """Move the submission in submitted/ to collected/kept/, because an attempt is about to replace it."""
        target = _unused_path(self._kept_folder(attempt) / "before")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, target)
        relative_path = target.relative_to(self._course.root)
        attempt.remark(
            say(
                en=f"The earlier submission is now in {relative_path}.",
                ko=f"전에 있던 것은 {relative_path}에 두었습니다.",
            )
        )

    def _set_aside(self, attempt: Attempt, reason: str) -> None:
        """Store in collected/kept/ an attempt that will not be graded, and report the attempt's new path."""
        content = self._content(attempt)
        stem = f"{attempt.when:%Y-%m-%d_%H-%M-%S}" if attempt.when else "older"
        folder = self._kept_folder(attempt) / stem
        if not folder.is_dir() or _content_of(folder, folder.parent) != content:
            folder = _unused_path(folder)
            _write_folder(folder, content)
        attempt.settle("kept aside", f"{reason} ({folder.relative_to(self._course.root)})")

    def _kept_folder(self, attempt: Attempt) -> Path:
        return self._course.root / COLLECTED_FOLDER / "kept" / attempt.student / attempt.lesson

    def _notebook_names(self, attempt: Attempt) -> dict[int, PurePosixPath]:
        """Choose which notebook of an attempt is renamed to the lesson's standard notebook name.

        A notebook is renamed only if it is the attempt's only notebook of the lesson and no file has a
        standard name. Otherwise, the intake chooses the notebook later. A plain assignment's notebook is
        renamed only if the assignment has a single notebook.

        Returns:
            The standard name, keyed by the `id()` of the `File` to rename; empty if no file is renamed.
        """
        expected = names_of(attempt.lesson)
        source = self._course.directory.source_directory
        if is_plain(self._course.root, attempt.lesson, source):
            expected = [path.name for path in notebooks_of(self._course.root / source / attempt.lesson)]
            if len(expected) > 1:
                return {}
        names = {PurePosixPath(file.reading.file).name for file in attempt.files}
        candidates = [file for file in attempt.files if file.lesson == attempt.lesson and not file.refusal]
        if names & {*expected} or len(candidates) != 1:
            return {}
        return {id(candidates[0]): PurePosixPath(expected[0])}

    def _content(self, attempt: Attempt) -> dict[PurePosixPath, bytes]:
        """Return an attempt's files, keyed by target path, and report each file that cannot be used."""
        content: dict[PurePosixPath, bytes] = {}
        # The files have the same size limit as a student's additional files in the intake.
        bytes_left, notebooks = MAX_FILE_BYTES, self._notebook_names(attempt)
        for file in sorted(attempt.files, key=lambda file: not file.lesson):
            if not file.reading.file:
                file.line.set_outcome(
                    "ignored",
                    say(
                        en="Text that the system added to a submission.",
                        ko="제출물에 시스템이 덧붙인 글입니다.",
                    ),
                )
                continue
            reason = file.refusal
            try:
                data = self._archive.read(file.member) if not reason else b""
            except Unreadable as error:
                reason = str(error)
            if not reason and (len(content) >= MAX_SIDE_FILES - 1 or len(data) > bytes_left):
                reason = say(
                    en="There are too many files, or they are too large together.",
                    ko="파일이 너무 많거나 너무 큽니다.",
                )
            if reason:
                file.line.set_outcome("could not be read", reason)
                continue
            bytes_left -= len(data)
            new_name = notebooks.get(id(file))
            content[_unused_path_in(new_name or safe_path(file.reading.file), content)] = data
            file.line.message = _remark(file, attempt)
            if new_name:
                note = say(en=f"It was saved as {new_name}.", ko=f"{new_name}(으)로 저장했습니다.")
                file.line.message = f"{file.line.message} {note}".strip()
        if attempt.when:
            content[PurePosixPath(TIMESTAMP)] = f"{attempt.when:%Y-%m-%d %H:%M:%S.%f} +00:00".encode()
        if not set(content) - {PurePosixPath(TIMESTAMP)}:
            content[PurePosixPath(NOTE_FILE)] = _note(attempt).encode()
        return content


def _has_content(content: Mapping[PurePosixPath, bytes], folder: Path, root: Path) -> bool:
    """Return whether a folder already has this content.

    If the new content has no timestamp, ignore the folder's timestamp: the instructor may have written it.
    """
    existing, timestamp_path = _content_of(folder, root), PurePosixPath(TIMESTAMP)
    if existing is not None and timestamp_path not in content:
        existing.pop(timestamp_path, None)
    return existing == content


def record_names(course: Course, attempts: Sequence[Attempt]) -> None:
    """Record the data by which the LMS identifies each submission. `autograder export` needs this data."""
    for lesson in sorted({attempt.lesson for attempt in attempts}):
        path = names_file(course, lesson)
        path.parent.mkdir(exist_ok=True)
        names = read_names(path)
        # Set the damaged file aside instead of overwriting it: the instructor may still be able to recover
        # it.
        if names is None:
            move_aside(path, "damaged")
        recorded = dict(names or {})
        for attempt in sorted(attempts, key=lambda attempt: attempt.when or datetime.min):
            if attempt.lesson == lesson:
                recorded[attempt.student] = {
                    "system": attempt.reading.system,
                    "key": attempt.reading.keys[-1],
                    "name": attempt.reading.name,
                    "label": attempt.reading.label,
                }
        write_names(path, recorded)


def recorded_names(course: Course, lesson: str) -> Mapping[str, Mapping[str, str]]:
    """Return the data by which the LMS identifies each submission, keyed by student id.

    The data was recorded by `record_names`. The data of each submission has the keys `system`, `key`, `name`
    and `label`. If the file is missing or damaged, the result is empty.
    """
    return read_names(names_file(course, lesson)) or {}


def names_file(course: Course, lesson: str) -> Path:
    """Return the path of the file in which `record_names` stores its data about a lesson."""
    return course.root / COLLECTED_FOLDER / f"{lesson}.json"


def read_names(path: Path) -> dict[str, dict[str, str]] | None:
    """Return the data that `record_names` wrote; None if the file is damaged, {} if the file is missing."""
    return read_json(path, _validate_names, None) if os.path.lexists(path) else {}


def _validate_names(data: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the data after checking that it maps each string to a mapping of strings to strings.

    Raises:
        AttributeError, TypeError: if the data has another structure.
        UnicodeEncodeError: if a string contains an unpaired surrogate and so could not be written again.
    """
    "".join(text for file, entry in data.items() for text in (file, *entry, *entry.values())).encode()
    return data


def write_names(path: Path, names: Mapping[str, Mapping[str, str]]) -> None:
    """Write the data of `record_names` to a JSON file that only the file's owner can read."""
    replace_file(path, json.dumps(names, ensure_ascii=False, indent=1).encode(), private=True)


def _remark(file: File, attempt: Attempt) -> str:
    sentences = []
    if file.lesson and file.lesson != attempt.lesson:
        sentences.append(
            say(
                en=f"This notebook belongs to {file.lesson}.",
                ko=f"이 노트북은 {file.lesson} 수업의 것입니다.",
            )
        )
    if file.reading.late:
        sentences.append(say(en="Late, according to the system.", ko="시스템에 따르면 늦은 제출입니다."))
    if PurePosixPath(file.reading.file).suffix.casefold() in (".zip", ".7z", ".rar", ".tar", ".gz"):
        sentences.append(
            say(
                en="This is an archive inside the archive: it was not opened.",
                ko="압축 파일 안의 압축 파일은 열지 않습니다.",
            )
        )
    elif file.kind and not any(map(is_notebook, attempt.files)):
        sentences.append(say(en=file.kind.en, ko=file.kind.ko))
    if file.problem:
        sentences.append(file.problem)
    return " ".join(sentences)


def _note(attempt: Attempt) -> str:
    """Return the text of the note that explains why none of a student's files could be collected."""
    lines = [f"{file.line.path}: {file.line.message}" for file in attempt.files]
    return "\n".join(
        [say(en="None of these files could be collected:", ko="옮길 수 있는 파일이 없습니다:"), *lines, ""]
    )


def safe_path(path: str) -> PurePosixPath:
    """Convert the path that a student gave a file into a relative path that is safe to write.

    `_safe` cleans each part, and parts below the maximum depth are dropped. A name that is reserved for
    nbgrader's exchange or the autograder gets a prefix.
    """
    parts = [_safe(part) for part in path.split("/") if part.strip(" .")][:_MAX_DEPTH] or ["file"]
    if parts[0].casefold() in _RESERVED:
        parts[0] = f"handed in {parts[0]}"
    return PurePosixPath(*parts)


def _safe(part: str) -> str:
    """Shorten one part of a path, and remove invisible characters and leading dots from it."""
    text = unicodedata.normalize("NFC", part)
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Cs", "Cc"))
    text = _UNSAFE.sub("_", text).strip(" ").lstrip(". ").rstrip(". ") or "file"
    stem, dot, suffix = text.rpartition(".")
    return text if len(text) <= _MAX_NAME else f"{(stem or suffix)[: _MAX_NAME - 12]}{dot}{suffix[:10]}"


def _unused_path_in(path: PurePosixPath, content: Mapping[PurePosixPath, bytes]) -> PurePosixPath:
    """Return a path that no file of the attempt uses yet, even on a file system that ignores case."""
    files = {str(existing).casefold() for existing in content}
    folders = {str(parent).casefold() for existing in content for parent in existing.parents}

    def is_free(candidate: PurePosixPath) -> bool:
        return str(candidate).casefold() not in files | folders and not files & {
            str(p).casefold() for p in candidate.parents
        }

    number, new_path = 1, path
    while not is_free(new_path):
        number += 1
        new_path = PurePosixPath(f"{path.stem} ({number}){path.suffix}")
    return new_path


def _unused_path(path: Path) -> Path:
    """Return this path if it is unused, or else the first unused path with a number appended."""
    number, new_path = 1, path
    while os.path.lexists(new_path):
        number += 1
        new_path = path.with_name(f"{path.name} ({number})")
    return new_path


def _content_of(folder: Path, root: Path) -> dict[PurePosixPath, bytes] | None:
    """Return the contents of a folder's files, keyed by path; None if any file (or link) was skipped."""
    files, left_out = read_side_files(folder, root, lambda path: True)
    return None if left_out else files


def _write_folder(folder: Path, content: Mapping[PurePosixPath, bytes]) -> None:
    """Write a folder atomically at a path where nothing exists yet."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new_folder = Path(tempfile.mkdtemp(prefix=".collect-", dir=folder.parent))
    try:
        for path, data in content.items():
            (new_folder / path).parent.mkdir(parents=True, exist_ok=True)
            (new_folder / path).write_bytes(data)
        new_folder.chmod(0o755)
        new_folder.rename(folder)
    except BaseException:
        shutil.rmtree(new_folder, ignore_errors=True)
        raise
