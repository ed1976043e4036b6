"""The autograder's own table in the gradebook's database. It contains the result of each submission."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Boolean, Float, String, Text, bindparam, insert, inspect, select, tuple_, update
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from autograder.course.clock import Clock
from autograder.gradebook.recorded_grades import RecordedGrades, read_recorded_grades
from autograder.gradebook.result import Result


class _Base(DeclarativeBase):
    pass


class Record(_Base):
    """A row of the autograder's table: the last result for a submission. nbgrader ignores this table.

    Attributes:
        notebook_id: the id of nbgrader's submitted notebook, or of the first one if there are several. A
            record whose id no longer belongs to the submission is ignored.
        key: a hash of everything that determined the result.
        result: the result as JSON; empty if there is none.
        filed: True if the result has also been written to autograded/ and feedback/.
        stale: empty if the grade is up to date. Otherwise, the grade belongs to an earlier file or test, and
            this is a JSON list of the cells that needed manual grading before `mark_stale` marked all cells.
        page: the fingerprint of the gradebook entries that the student's page shows; see `RecordedGrades`,
            and `_page_fingerprint` in batch.py.
        penalty: the late penalty that the autograder entered. An instructor may have changed it in nbgrader's
            table since then.
    """

    __tablename__ = "autograder_record"

    student: Mapped[str] = mapped_column(String(128), primary_key=True)
    lesson: Mapped[str] = mapped_column(String(128), primary_key=True)
    notebook_id: Mapped[str] = mapped_column(String(32))
    key: Mapped[str] = mapped_column(String(64))
    result: Mapped[str] = mapped_column(Text)
    filed: Mapped[bool] = mapped_column(Boolean)
    stale: Mapped[str] = mapped_column(Text, default="")
    page: Mapped[str] = mapped_column(String(64), default="", server_default="")
    penalty: Mapped[float | None] = mapped_column(Float)


_RECORDS = Record.metadata.tables[Record.__tablename__]
_THIS_RECORD = (_RECORDS.c.student == bindparam("of_student"), _RECORDS.c.lesson == bindparam("of_lesson"))
_PREVIOUS = select(_RECORDS.c.notebook_id, _RECORDS.c.key, _RECORDS.c.result, _RECORDS.c.stale)
_PREVIOUS = _PREVIOUS.where(*_THIS_RECORD)
_MARK_FILED = update(_RECORDS).where(*_THIS_RECORD).values(filed=True, page=bindparam("hash"))
_INSERT = insert(_RECORDS)
_REPLACE = update(_RECORDS).where(*_THIS_RECORD)


class PreviousRecord(NamedTuple):
    """The columns of a submission's previous record that decide which manual scores remain valid."""

    notebook_id: str
    key: str
    result: str
    stale: str


@dataclass(frozen=True)
class StoredResult:
    """A stored result that still matches the gradebook.

    Attributes:
        recorded_grades: the gradebook's current entries for the submission.
        page: the fingerprint of the gradebook entries that the student's page shows.
        penalty: the late penalty that the autograder entered last.
    """

    key: str
    result: Result
    filed: bool
    stale: bool
    timestamp: datetime | None
    recorded_grades: RecordedGrades
    page: str
    penalty: float | None


def stored_results_in(
    gradebook: Gradebook, entries: Collection[tuple[str, str]]
) -> dict[tuple[str, str], StoredResult]:
    """Return the same results as `Book.stored_results`, but without taking the gradebook's lock.

    If the autograder's table is missing or was made by an older version of the autograder, return {}.
    """
    database = inspect(gradebook.db.connection())
    if not database.has_table(Record.__tablename__):
        return {}
    columns = {column["name"] for column in database.get_columns(Record.__tablename__)}
    is_complete = columns >= {column.name for column in Record.metadata.tables[Record.__tablename__].columns}
    return read_stored_results(gradebook.db, entries, Clock()) if is_complete else {}


def read_stored_results(
    db: Any, entries: Collection[tuple[str, str]], clock: Clock
) -> dict[tuple[str, str], StoredResult]:
    """Return the stored results of the given submissions, using an open session."""
    records = db.execute(
        select(Record.student, Record.lesson, Record.notebook_id, Record.key, Record.result)
        .add_columns(Record.filed, Record.stale, Record.page, Record.penalty)
        .add_columns(SubmittedAssignment.timestamp, SubmittedAssignment.id.label("submitted"))
        .join(SubmittedNotebook, SubmittedNotebook.id == Record.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
        .where(SubmittedAssignment.student_id == Record.student, AssignmentEntry.name == Record.lesson)
        .where(tuple_(Record.student, Record.lesson).in_(list(entries)))
    ).all()
    recorded_grades = read_recorded_grades(db, [record.submitted for record in records], clock)
    results = {}
    for record in records:
        result = read_result(record.result)
        if result is None:
            continue
        own_scores, current_scores = auto_scores(result), recorded_grades[record.submitted].auto
        if any(score != own_scores.get(cell) for cell, score in current_scores.items()):
            continue  # Another program, such as `nbgrader autograde`, has graded the submission again.
        results[record.student, record.lesson] = StoredResult(
            key=record.key,
            result=result,
            filed=record.filed,
            stale=bool(record.stale),
            timestamp=record.timestamp,
            recorded_grades=recorded_grades[record.submitted],
            page=record.page,
            penalty=record.penalty,
        )
    return results


def mark_filed(db: Any, fingerprints: Mapping[tuple[str, str], str]) -> None:
    """Record that the folders of these submissions match the gradebook; see `Book.mark_filed`."""
    if fingerprints:
        rows = [
            {"of_student": student, "of_lesson": lesson, "hash": page}
            for (student, lesson), page in fingerprints.items()
        ]
        db.connection().execute(_MARK_FILED, rows)


def previous_record(db: Any, student: str, lesson: str) -> PreviousRecord | None:
    """Return a submission's record before a new result replaces it; None if the submission has no record."""
    parameters = {"of_student": student, "of_lesson": lesson}
    row = db.connection().execute(_PREVIOUS, parameters).first()
    return None if row is None else PreviousRecord(*row)


def write_record(
    db: Any,
    student: str,
    lesson: str,
    key: str,
    result: Result,
    notebook_id: str,
    penalty: float | None,
    *,
    is_new: bool,
) -> None:
    """Write the record of a result before the submission's folders are written.

    Args:
        db: the session of the gradebook.
        student: the student's id.
        lesson: the lesson's name.
        key: a hash of everything that determined the result.
        result: the result.
        notebook_id: the id of the first submitted notebook.
        penalty: the late penalty that was entered.
        is_new: True if the submission has no record yet.
    """
    values = {
        "notebook_id": notebook_id,
        "key": key,
        "result": result.as_text(),
        "filed": False,
        "stale": "",
        "penalty": penalty,
    }
    _store(db, student, lesson, values, is_new=is_new)


def write_mark(
    db: Any, student: str, lesson: str, notebook_id: str, previous: PreviousRecord | None, waiting: str
) -> None:
    """Note in a submission's record that the grade was given for an earlier file or test.

    If the record refers to a notebook other than `notebook_id`, the record's key and result are cleared.

    Args:
        db: the session of the gradebook.
        student: the student's id.
        lesson: the lesson's name.
        notebook_id: the id of the first submitted notebook.
        previous: the submission's record; None if it has no record.
        waiting: a JSON list of the keys of the graded cells that need manual grading. It does not replace a
            list that the record has from an earlier call.
    """
    values = {"notebook_id": notebook_id, "key": "", "result": "", "filed": True, "stale": waiting}
    if previous is None or previous.notebook_id != notebook_id:
        _store(db, student, lesson, values, is_new=previous is None)
    elif not previous.stale:
        _store(db, student, lesson, {"stale": waiting}, is_new=False)


def _store(db: Any, student: str, lesson: str, values: Mapping[str, Any], *, is_new: bool) -> None:
    """Insert a submission's record, or set some of its columns."""
    if is_new:
        db.connection().execute(_INSERT, {"student": student, "lesson": lesson, **values})
    else:
        db.connection().execute(_REPLACE, {"of_student": student, "of_lesson": lesson, **values})


def read_result(result: str) -> Result | None:
    """Return a record's result; None if it is empty or in the format of another autograder version."""
    try:
        return Result.from_json(json.loads(result))
    except (ValueError, TypeError, KeyError):
        return None


def auto_scores(result: Result) -> dict[str, float | None]:
    """Return each graded cell's automatic score, keyed by cell key; None if it needs manual grading."""
    return {task.key: task.auto for task in result.tasks}
