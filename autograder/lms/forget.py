"""`autograder forget`: all that a course folder holds of one student, deleted."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.course.settings import REPORT, Course, sqlite_file
from autograder.grading.gradebook import Book
from autograder.intake.files import valid_student_id
from autograder.lms.export import EXPORTED
from autograder.lms.placing import PLACE
from secant.files import replace_file

_OTHERS = ("*.db", "*.csv", "*.json", "*.zip")  # of the course's folder itself: copies, tables, downloads


@dataclass(frozen=True)
class Forgotten:
    """What was deleted, and the files that still name the student and hold other people's work, too."""

    deleted: list[str]
    left: list[str]


def forget(course: Course, student: str) -> Forgotten:
    """Delete a student from the gradebook and the folders. Copies of the gradebook are a person's to delete.

    Raises:
        CourseError: that is no student id, or the gradebook cannot be written to.
    """
    if not valid_student_id(student):
        raise CourseError(
            f"{student!r} is not a valid student id: letters, digits and _.@- only, 64 at most."
        )
    deleted = []
    with Book(course.directory, course.config) as book:  # so that nothing is graded meanwhile
        if book.forget(student):
            deleted.append("the gradebook's entries")
        deleted += [_shown(course, folder) for folder in _folders(course, student) if _delete(folder)]
        for file in (course.root / PLACE).glob("*.json"):
            known = json.loads(file.read_text(encoding="utf-8"))
            if known.pop(student, None) is not None:
                replace_file(file, json.dumps(known, ensure_ascii=False, indent=1).encode(), private=True)
                deleted.append(f"a line of {_shown(course, file)}")
        for name in (EXPORTED, REPORT):  # of the whole class, and made again by a command
            if deleted and _delete(course.root / name):
                deleted.append(name)
    return Forgotten(deleted, list(_left(course, student)))


def _delete(path: Path) -> bool:
    """Delete a folder, or a link or file in its place; return whether there was one."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        return False
    return True


def _shown(course: Course, path: Path) -> str:
    return str(path.relative_to(course.root))


def _folders(course: Course, student: str) -> Iterator[Path]:
    """Where a student's work lies."""
    for step in ("submitted", "autograded", "feedback"):
        yield course.root / getattr(course.directory, f"{step}_directory") / student
    yield course.root / PLACE / "kept" / student


def _left(course: Course, student: str) -> Iterator[str]:
    """The files beside the folders that name a student, but for the gradebook, which does so no more."""
    gradebook = sqlite_file(course.directory.db_url)
    for pattern in _OTHERS:
        for file in sorted(course.root.glob(pattern)):
            is_other = file.is_file() and not (gradebook and file.samefile(gradebook))
            if is_other and student.encode() in file.read_bytes():
                yield file.name
