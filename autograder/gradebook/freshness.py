"""Find the submissions that are in submitted/ now, and check whether grades are up to date."""

import json
from functools import cached_property
from pathlib import Path

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.plain import is_plain
from autograder.course.settings import Course
from autograder.exam.version import grader_version
from autograder.gradebook.entries import Entry, find_submissions
from autograder.gradebook.plain import PlainForm
from autograder.gradebook.records import StoredResult
from autograder.gradebook.result import sha256
from autograder.intake.submission import Rejected
from autograder.intake.take_in import SubmittedFile, find_file


def source_folder(course: Course, lesson: str) -> Path:
    """Return the lesson's source folder. Its files, except the notebooks, are also given to students."""
    return Path(course.root, course.directory.source_directory, lesson)


def find_submitted_file(course: Course, entry: Entry) -> SubmittedFile | Rejected:
    """Find and read the file that a student submitted for a lesson."""
    location = (
        course.folder("submitted", *entry),
        entry.lesson,
        course.submitted,
        source_folder(course, entry.lesson),
    )
    try:
        return find_file(*location)
    # An OSError is a failure of this machine, not a defect of the file. The failure may be temporary, so try
    # once more.
    except OSError:
        return find_file(*location)


def result_key(submission: SubmittedFile | Rejected, assignment: Assignment) -> str:
    """Return a hash of everything that determines a result: the file, the tests and the grader's code."""
    file = (
        ["rejected", submission.reason, submission.en]
        if isinstance(submission, Rejected)
        else ["file", submission.digest]
    )
    return sha256(json.dumps([file, assignment.digest, grader_version()]))


class CurrentSubmissions:
    """The submissions that submitted/ now contains for one lesson or plain assignment.

    Args:
        course: the course directory.
        lesson: the name of the lesson or of the plain assignment.

    Attributes:
        students: the ids of the students with a submission.
    """

    def __init__(self, course: Course, lesson: str) -> None:
        self._course, self._lesson = course, lesson
        self.students = {entry.student for entry in find_submissions(course, [lesson])}

    def is_newer(self, student: str, stored: StoredResult) -> bool:
        """Return whether the files, the tests or the grader have changed since a result was stored.

        `autograder feedback` decides in the same way whether a result is up to date. If a student's folder no
        longer exists, the result counts as up to date.

        Raises:
            CourseError: if the lesson is not built, or the assignment cannot be graded.
            OSError: if the file cannot be read.
        """
        if student not in self.students:
            return False
        entry = Entry(student, self._lesson)
        if self._plain_form is not None:
            return stored.key != self._plain_form.key(self._plain_form.find(entry))
        return stored.key != result_key(find_submitted_file(self._course, entry), self._assignment)

    @cached_property
    def _plain_form(self) -> PlainForm | None:
        source = self._course.directory.source_directory
        is_plain_assignment = is_plain(self._course.root, self._lesson, source)
        return PlainForm.read(self._course, self._lesson) if is_plain_assignment else None

    @cached_property
    def _assignment(self) -> Assignment:
        return read_assignment(self._course.root, self._lesson, self._course.directory.source_directory)
