"""Read and write nbgrader's gradebook from a single process, in one transaction per submission.

Entries made by an instructor (manual scores, comments, extra credit and flags) are never overwritten. If the
answer behind a manual score has changed, the score is marked as needing manual grading again. The course's
plugin computes the late penalty from the due date, unless an instructor has entered a different penalty.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from nbgrader.api import MissingEntry
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.course.clock import Clock
from autograder.gradebook import submissions
from autograder.gradebook.connection import Connection
from autograder.gradebook.late import LatePenalty, set_penalty
from autograder.gradebook.recorded_grades import RecordedGrades, read_recorded_grades
from autograder.gradebook.records import (
    Record,
    StoredResult,
    mark_filed,
    previous_record,
    read_result,
    read_stored_results,
    write_record,
)
from autograder.gradebook.result import Result
from autograder.gradebook.submissions import Form, change, create, find_ids, read_form

P = ParamSpec("P")
T = TypeVar("T")

#: The comment put on each answer while the submission's grade belongs to an earlier file or test; see
#: `Book.mark_stale`.
STALE = (
    "This grade is for an earlier file or test: the latest submission has not been graded yet.\n\n"
    "이 점수는 이전 파일이나 이전 테스트의 것입니다. 마지막에 제출한 것은 아직 채점되지 않았습니다."
)


def _in_transaction(method: Callable[Concatenate["Book", P], T]) -> Callable[Concatenate["Book", P], T]:
    @wraps(method)
    def in_transaction(book: "Book", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return book.connection.transaction(lambda: method(book, *args, **kwargs))

    return in_transaction


class Book:
    """The gradebook of a course directory, opened for writing.

    Args:
        coursedir: nbgrader's object for the course directory.
        config: nbgrader's configuration.

    Attributes:
        connection: the connection that writes to the gradebook.
        config: nbgrader's configuration.

    Raises:
        CourseError: if the gradebook cannot be used; see `Connection`.
    """

    def __init__(self, coursedir: CourseDirectory, config: Config) -> None:
        self.config = config
        # A cache of each assignment's notebooks and cells, so that they are read only once.
        self._forms: dict[str, Form] = {}
        self._clock = Clock.of(config)
        self._penalty = LatePenalty(config)
        self.connection = Connection(coursedir)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    @_in_transaction
    def stored_results(self, entries: Collection[tuple[str, str]]) -> dict[tuple[str, str], StoredResult]:
        """Return stored results, omitting those that disagree with the gradebook's automatic scores.

        Args:
            entries: pairs of student and lesson. Pass only a few: all results are held in memory.

        Raises:
            GradebookBusy: if the results could not be read.
        """
        return read_stored_results(self._db, entries, self._clock)

    @_in_transaction
    def recorded_grades(self, student: str, lesson: str) -> RecordedGrades:
        """Return a submission's current entries in the gradebook, including manual scores and comments.

        Raises:
            MissingEntry: if the student has not submitted anything.
            GradebookBusy: if the entries could not be read.
        """
        ids = find_ids(self._db, student, lesson)
        if ids is None:
            raise MissingEntry(f"{student} has handed in nothing for {lesson}")
        return read_recorded_grades(self._db, [ids.assignment], self._clock)[ids.assignment]

    @_in_transaction
    def earlier_points(self, student: str, lesson: str, key: str) -> dict[str, float]:
        """Return the points given for the file that a student submitted before the current one.

        If that file could not be read, return the points of the last file that was graded. The points are
        keyed by the graded cell's key.

        Args:
            student: the student's id.
            lesson: the lesson's name.
            key: the key of the file that is in submitted/ now; see `write`.

        Raises:
            GradebookBusy: if the points could not be read.
        """
        ids = find_ids(self._db, student, lesson)
        if ids is None:
            return {}
        record = previous_record(self._db, student, lesson)
        result = read_result(record.result) if record and record.notebook_id == ids.first else None
        earlier_points = (
            {task.key: task.before for task in result.tasks if task.before is not None} if result else {}
        )
        if record and record.key == key:
            return earlier_points
        return earlier_points | submissions.graded_points(self._db, ids)

    def renew_penalty(self, student: str, lesson: str, stored: StoredResult) -> StoredResult:
        """Recompute a late penalty with the course's plugin; return the stored result with the new penalty.

        The plugin computes the penalty from the due date and the score. A penalty that an instructor entered
        by hand stays.

        Raises:
            GradebookBusy: if the penalty could not be written.
        """
        grades = stored.recorded_grades
        if grades.penalty != (stored.penalty or 0.0):
            return stored
        parts = {name: grades.for_notebook(name) for name in grades.notebooks}
        points = {name: self._penalty(student, part.score, part.times) for name, part in parts.items()}
        if all(part.penalty == (points[name] or 0.0) for name, part in parts.items()):
            return stored

        def write() -> StoredResult:
            ids = find_ids(self._db, student, lesson)
            if ids is None:
                return stored
            timestamp = grades.times[0] if grades.times else None
            penalty = set_penalty(self._db, student, ids.assignment, timestamp, self._clock, self._penalty)
            change(self._db, Record, [{"student": student, "lesson": lesson, "penalty": penalty}])
            renewed_grades = read_recorded_grades(self._db, [ids.assignment], self._clock)[ids.assignment]
            return replace(stored, recorded_grades=renewed_grades, penalty=penalty)

        return self.connection.transaction(write)

    @_in_transaction
    def mark_stale(self, student: str, lesson: str, comment: str) -> bool:
        """Mark the grade of a submission as outdated; return whether the submission has a grade.

        Until the next result is written, the grade stays but needs manual grading, and a comment on each
        answer gives the reason.
        """
        return submissions.mark_stale(self._db, student, lesson, comment)

    @_in_transaction
    def write(
        self,
        student: str,
        lesson: str,
        key: str,
        result: Result,
        timestamp: datetime | None,
        fingerprints: Mapping[tuple[str, str], str] = MappingProxyType({}),
    ) -> RecordedGrades:
        """Write a result in one transaction, and record that the submission's folders are not updated yet.

        Args:
            student: the student's id.
            lesson: the lesson's name.
            key: a hash of everything that determined the result.
            result: the result of grading.
            timestamp: the time of submission; None if unknown.
            fingerprints: fingerprints of the other submissions whose folders have been written since the last
                call of `write` or `mark_filed`; see `mark_filed`.

        Returns:
            The gradebook's entries for the submission after the change.

        Raises:
            GradebookBusy: if the database did not accept the change. In that case, nothing was written.
        """
        db = self._db
        mark_filed(db, fingerprints)
        form, ids = self._form(lesson), find_ids(db, student, lesson)
        previous = previous_record(db, student, lesson)
        had_notebooks = ids is not None
        if ids is None or len(ids.notebooks) < len(form.notebooks):
            create(db, form, student, result, timestamp)
            ids = find_ids(db, student, lesson)
        assert ids is not None
        if had_notebooks:
            submissions.set_time(db, ids.assignment, timestamp)
            submissions.set_grades(db, ids, result, previous, key)
            submissions.set_comments(db, ids, result)
        penalty = set_penalty(db, student, ids.assignment, timestamp, self._clock, self._penalty)
        write_record(db, student, lesson, key, result, ids.first, penalty, is_new=previous is None)
        return read_recorded_grades(db, [ids.assignment], self._clock)[ids.assignment]

    def mark_filed(self, fingerprints: Mapping[tuple[str, str], str]) -> None:
        """Record that the folders of these submissions match the gradebook.

        Args:
            fingerprints: for each submission, the fingerprint of the gradebook entries from which its
                feedback page was made; keyed by student and lesson.
        """
        if fingerprints:
            self.connection.transaction(lambda: mark_filed(self._db, fingerprints))

    @property
    def _db(self) -> Any:
        return self.connection.db

    def _form(self, lesson: str) -> Form:
        if lesson not in self._forms:
            self._forms[lesson] = read_form(self.connection.gradebook, lesson)
        return self._forms[lesson]
