"""The table of what the autograder found, next to nbgrader's own tables."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Boolean, Float, String, Text, bindparam, inspect, select, tuple_, update
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from autograder.course.clock import Clock
from autograder.gradebook.entered import Entered, read_entered
from autograder.gradebook.result import Result


class _Base(DeclarativeBase):
    pass


class Record(_Base):
    """What the autograder last did with a submission. nbgrader leaves foreign tables alone.

    Attributes:
        notebook_id: of nbgrader's submitted notebook, the first of several. A record of another one counts
            for nothing.
        key: a hash of all that the result came from.
        result: what was found, as JSON; empty if nothing was.
        filed: whether the folders hold it too.
        stale: empty, or, when the grade is of an earlier file or test, JSON that says which grades had
            waited for a person before it was marked so.
        page: the fingerprint of what the student's page says; see `Entered`, and `_says` in batch.py.
        penalty: the late penalty that was entered here, for which a person may since have entered another.
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


@dataclass(frozen=True)
class Kept:
    """A result that was found before, and is still in the gradebook.

    Attributes:
        entered: what the gradebook says of it.
        page: the fingerprint of what the student's page says.
        penalty: the late penalty that was entered here last.
    """

    key: str
    result: Result
    filed: bool
    stale: bool
    timestamp: datetime | None
    entered: Entered
    page: str
    penalty: float | None


def kept_in(gradebook: Gradebook, entries: Collection[tuple[str, str]]) -> dict[tuple[str, str], Kept]:
    """Return what `Book.kept` does, of a gradebook that somebody else has opened: to read it takes no lock.

    One that no grading of this version has opened yet holds nothing.
    """
    there = inspect(gradebook.db.connection())
    if not there.has_table(Record.__tablename__):
        return {}
    columns = {column["name"] for column in there.get_columns(Record.__tablename__)}
    complete = columns >= {column.name for column in Record.metadata.tables[Record.__tablename__].columns}
    return kept_results(gradebook.db, entries, Clock()) if complete else {}


def kept_results(db: Any, entries: Collection[tuple[str, str]], clock: Clock) -> dict[tuple[str, str], Kept]:
    """Return what `Book.kept` does."""
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
    entered = read_entered(db, [record.submitted for record in records], clock)
    found = {}
    for record in records:
        result = read_result(record.result)
        if result is None:
            continue
        ours, theirs = auto_scores(result), entered[record.submitted].auto
        if any(score != ours.get(cell) for cell, score in theirs.items()):
            continue  # somebody else graded it, such as `nbgrader autograde`
        found[record.student, record.lesson] = Kept(
            key=record.key,
            result=result,
            filed=record.filed,
            stale=bool(record.stale),
            timestamp=record.timestamp,
            entered=entered[record.submitted],
            page=record.page,
            penalty=record.penalty,
        )
    return found


def mark_filed(db: Any, filed: Mapping[tuple[str, str], str]) -> None:
    """Note that folders hold what the gradebook says; see `Book.mark_filed`."""
    if filed:
        table = Record.metadata.tables[Record.__tablename__]
        these = (table.c.student == bindparam("whose"), table.c.lesson == bindparam("what"))
        rows = [{"whose": whose, "what": what, "hash": page} for (whose, what), page in filed.items()]
        changed = update(table).where(*these).values(filed=True, page=bindparam("hash"))
        db.connection().execute(changed, rows)


def read_result(result: str) -> Result | None:
    """Return a record's result; None where there is none, or one of another version's form."""
    try:
        return Result.from_json(json.loads(result))
    except (ValueError, TypeError, KeyError):
        return None


def auto_scores(result: Result) -> dict[str, float | None]:
    """Return the automatic score by the graded cell's key; None where a person has to grade."""
    return {task.key: task.auto for task in result.tasks}
