"""nbgrader's own gradebook, and beside each submission in it what the autograder found.

There is one writer, which a lock of the database's sees to, and one transaction a submission. What an
instructor entered is never overwritten: a manual score, a comment, extra credit and a flag stay, and a manual
score asks for a second look when the answer that it was given for has changed. A late penalty follows the due
date and the course's plugin, unless a person has entered another one.
"""

import copy
import json
import math
import os
import platform
import random
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from filelock import FileLock, Timeout
from nbformat import NotebookNode
from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    InvalidEntry,
    MissingEntry,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.preprocessors import AssignLatePenalties, SaveCells
from sqlalchemy import (
    Boolean,
    Float,
    String,
    Text,
    bindparam,
    create_engine,
    delete,
    exists,
    insert,
    inspect,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.schema import CreateColumn
from traitlets.config import Config

from autograder.course.assignment import Assignment
from autograder.course.clock import Clock
from autograder.course.errors import CourseError
from autograder.course.settings import sqlite_file
from autograder.gradebook import changing
from autograder.gradebook.result import Result, sha256
from autograder.page.version import page_version
from secant.visible import without_markup

T = TypeVar("T")

#: What an answer says whose grade is of an earlier file; see `Book.mark_stale`.
STALE = (
    "This grade is for an earlier file or test: the latest submission has not been graded yet.\n\n"
    "이 점수는 이전 파일이나 이전 테스트의 것입니다. 마지막에 제출한 것은 아직 채점되지 않았습니다."
)

BUSY_SECONDS = 60.0  # how long to wait for somebody else's transaction, such as formgrader's
GRACE_SECONDS = 2.0  # how long to wait for the lock: a server takes a moment to notice that a run was killed

# PostgreSQL's advisory lock of the one run that writes into a database, and whose session has it.
_NUMBER = 0x5ECA47
_TAKE = text(f"SELECT pg_try_advisory_lock({_NUMBER})")
_HOLDER = text(
    "SELECT pid, backend_start, application_name FROM pg_stat_activity JOIN pg_locks USING (pid) "
    f"WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = {_NUMBER} AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# A machine that has gone without a word is given up after a minute and a half.
_SIGN = text(
    "SELECT set_config('application_name', :name, false), set_config('tcp_keepalives_idle', '60', false), "
    "set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)"
)
_END = text("SELECT pg_terminate_backend(:pid)")
_SIGNATURE = "autograder grade "
_VERSION_TABLE = text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")


class GradebookBusy(Exception):
    """The gradebook could not be read or written; nothing of this submission was entered."""


class _Base(DeclarativeBase):
    pass


class Record(_Base):
    """What the autograder last did with a submission. nbgrader leaves foreign tables alone.

    Attributes:
        notebook_id: of nbgrader's submitted notebook. A record of another one counts for nothing.
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
class Entered:
    """What the gradebook says of a submission.

    Attributes:
        score, max_score: of all of it, before the penalty.
        penalty: points off for being late.
        times: when it was handed in and when it was due, extension included, in UTC; None if one is unknown.
        scores: by graded cell, with the most points there are.
        auto: the automatic scores, by graded cell.
        comments: by answer.
        waiting: the graded cells that wait for a person.
        extra: the extra credit among the points, by graded cell that has some.
    """

    score: float
    max_score: float
    penalty: float
    times: tuple[datetime, datetime] | None
    scores: Mapping[str, tuple[float, float]]
    auto: Mapping[str, float | None]
    comments: Mapping[str, str | None]
    waiting: frozenset[str]
    extra: Mapping[str, float]

    @property
    def late(self) -> tuple[datetime, datetime] | None:
        """The two times, if points were taken off."""
        return self.times if self.penalty else None

    @property
    def fingerprint(self) -> str:
        """A hash of all of it, and of the code that makes a page of it."""
        own = {"waiting": sorted(self.waiting), "times": self.late, "code": page_version()}
        said = asdict(self) | own
        return sha256(json.dumps(said, sort_keys=True, default=str))


@dataclass(frozen=True)
class Kept:
    """A result that was found before, and is still in the gradebook.

    Attributes:
        entered: what the gradebook says of it.
        page: the fingerprint of what the student's page says.
        late: seconds after the due date.
        penalty: the late penalty that was entered here last.
    """

    key: str
    result: Result
    filed: bool
    stale: bool
    timestamp: datetime | None
    entered: Entered
    page: str
    late: float
    penalty: float | None


class Listed(NamedTuple):
    """A student of the gradebook: whether there is a name, an address or the like, and whether any work."""

    id: str
    is_named: bool
    has_work: bool


@dataclass(frozen=True)
class _Form:
    """The ids of an assignment, its notebook, and their cells."""

    assignment: str
    notebook: str
    graded: list[str]
    commented: list[str]


class Book:
    """The gradebook of a course directory.

    Args:
        coursedir, config: nbgrader's settings.

    Raises:
        CourseError: it cannot be used, or another run writes into it, be it for another course directory. A
            lock sees to that; what else writes, such as formgrader, neither has nor wants it.
    """

    def __init__(self, coursedir: CourseDirectory, config: Config) -> None:
        self._coursedir = coursedir
        self._config = config
        self._clock = Clock.of(config)
        self._forms: dict[str, _Form] = {}
        self._patient = True  # whether waiting has helped, or has not been tried yet
        self._session: tuple[Any, ...] = ()  # PostgreSQL's process that has the lock for us, and its start
        self._lock = self._hold_file()
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        coursedir = self._coursedir
        with _refused(f"The gradebook {_shown(coursedir.db_url)} cannot be opened"):
            _begin(coursedir.db_url)
            self._gradebook = Gradebook(coursedir.db_url, coursedir.course_id)
            _Base.metadata.create_all(self._gradebook.engine)
        try:
            self._transaction(self._complete)
        except GradebookBusy as error:
            self._gradebook.close()
            raise CourseError(
                f"The gradebook {_shown(coursedir.db_url)} cannot be written to: {error}. "
                "Nothing was graded; run the same command again later."
            ) from error
        except CourseError:
            self._gradebook.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._gradebook.close()
        self._lock.close()

    def _complete(self) -> None:
        """Try to write; then write what nbgrader writes last into a new gradebook, if that is missing."""
        self._db.execute(text("UPDATE course SET id = id"))
        self._db.rollback()
        if "alembic_version" not in inspect(self._db.connection()).get_table_names():
            self._db.execute(_VERSION_TABLE)
        noted = self._db.execute(text("SELECT version_num FROM alembic_version")).first()
        if noted is None and self._db.execute(select(AssignmentEntry.id)).first() is None:
            insert = text("INSERT INTO alembic_version (version_num) VALUES (:version)")
            self._db.execute(insert, {"version": _newest_version()})
        self._migrate()

    def _migrate(self) -> None:
        """Add the columns that a record of an earlier version does not have."""
        known = {
            column["name"] for column in inspect(self._db.connection()).get_columns(Record.__tablename__)
        }
        for column in Record.metadata.tables[Record.__tablename__].columns:
            if column.name not in known:
                form = CreateColumn(column).compile(dialect=self._db.connection().dialect)
                self._db.execute(text(f"ALTER TABLE {Record.__tablename__} ADD COLUMN {form}"))

    def register(self, assignment: Assignment) -> None:
        """Enter a lesson's graded cells, as `nbgrader generate_assignment` does.

        Raises:
            CourseError: its cells are others than those that submissions have been graded for, or the
                gradebook does not take them.
        """
        with _refused(f"Lesson {assignment.lesson} could not be entered into the gradebook"):
            notebook, resources = self._prepared(assignment)
            if not self._is_registered(assignment.lesson, notebook):
                if changed := self._changed(assignment.lesson, notebook):
                    raise CourseError(_other_tasks(assignment.lesson, changed))
                self._save_cells(assignment.lesson, notebook, resources)

    def change_tasks(self, assignment: Assignment) -> str:
        """Give a lesson that has been graded the cells that it has now.

        What stays keeps what was graded of it, by whomever. Of the gradebook a copy is kept, and of the cells
        that go a table. Nothing is changed if the cells are those that the gradebook has.

        Returns:
            What was done; empty if it was nothing.

        Raises:
            CourseError, GradebookBusy: nothing was changed.
        """
        with _refused(f"The tasks of lesson {assignment.lesson} could not be changed"):
            notebook, _ = self._prepared(assignment)
            changed = self._changed(assignment.lesson, notebook)
            if changed is None:
                return ""
            name = changing.stamp(assignment.lesson, datetime.now())
            table = Path(self._coursedir.root, f"{name}_dropped.csv")
            file = sqlite_file(self._coursedir.db_url)
            copies = [changing.copy_of(self._db, file, name)] if file else []

            def change() -> str:
                known = self._gradebook.find_notebook(assignment.lesson, assignment.lesson)
                where = copies[0] if copies else changing.copy_of(self._db, None, name)
                changing.follow(self._db, known, notebook, table)
                return where

            copy = self._transaction(change)
            self._forms.pop(assignment.lesson, None)
        kept = f" The grades of dropped tasks are in {table}." if table.exists() else ""
        return f"{assignment.lesson}: {_named(changed)}. A copy of the gradebook is {copy}.{kept}"

    def _changed(self, lesson: str, notebook: NotebookNode) -> changing.Difference | None:
        """How a lesson's cells differ from those that were graded; None if they do not, or none were."""
        try:
            known = self._gradebook.find_notebook(lesson, lesson)
        except MissingEntry:
            return None
        found = changing.difference(known, notebook)
        return found if known.submissions and (found.dropped or found.added) else None

    def _prepared(self, assignment: Assignment) -> tuple[NotebookNode, Any]:
        """The notebook as nbgrader would enter it."""
        notebook = copy.deepcopy(assignment.source)
        names = {
            "assignment": assignment.lesson,
            "notebook": assignment.lesson,
            "db_url": self._coursedir.db_url,
        }
        resources: Any = {"nbgrader": names, "unique_key": assignment.lesson}
        steps = GenerateAssignment(coursedir=self._coursedir, config=self._config).preprocessors
        for step in steps[: steps.index(SaveCells)]:
            notebook, resources = step(config=self._config)(notebook, resources)
        return notebook, resources

    def _save_cells(self, lesson: str, notebook: NotebookNode, resources: Any) -> None:
        self._gradebook.update_or_create_assignment(lesson)
        SaveCells(config=self._config)(notebook, resources)
        self._gradebook.db.expire_all()

    def _is_registered(self, lesson: str, notebook: NotebookNode) -> bool:
        try:
            known = self._gradebook.find_notebook(lesson, lesson)
        except MissingEntry:
            return False
        marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
        sources = {cell.metadata.nbgrader.grade_id: cell.source for cell in marked}
        points = {
            cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
            for cell in marked
            if cell.metadata.nbgrader.grade
        }
        return bool(
            {cell.name: cell.source for cell in known.source_cells} == sources
            and {cell.name: cell.max_score for cell in known.grade_cells} == points
        )

    def kept(self, entries: Collection[tuple[str, str]]) -> dict[tuple[str, str], Kept]:
        """Return what was found before, unless the gradebook says something else by now.

        Args:
            entries: students and lessons. Few of them: all is held in memory.

        Raises:
            GradebookBusy: it could not be read.
        """
        return self._transaction(lambda: _kept(self._db, entries, self._clock))

    def renew_penalty(self, student: str, lesson: str, kept: Kept) -> Kept:
        """Let the late penalty follow the due date, the score and the course's plugin; return what then is.

        One that a person has entered stays.

        Raises:
            GradebookBusy: it could not be written.
        """
        before = kept.entered.penalty
        if before != (kept.penalty or 0.0):
            return kept
        penalty = self._penalty(student, kept.entered.score, kept.late)
        if before == (penalty or 0.0):
            return kept

        def write() -> None:
            entry = self._entry(student, lesson)
            if entry is not None:
                self._set(SubmittedNotebook, [{"id": entry[1], "late_submission_penalty": penalty}])
                self._set(Record, [{"student": student, "lesson": lesson, "penalty": penalty}])

        self._transaction(write)
        return replace(kept, entered=replace(kept.entered, penalty=penalty or 0.0), penalty=penalty)

    def mark_stale(self, student: str, lesson: str, why: str) -> bool:
        """Mark an older grade, if there is one, as not being of what was handed in.

        It stays, but waits for a person, and each answer says why, until the next result is written.
        """
        return self._transaction(lambda: self._mark_stale(student, lesson, why))

    def _mark_stale(self, student: str, lesson: str, why: str) -> bool:
        notebook, record = self._find(student, lesson), self._record(student, lesson)
        has_result = record is not None and bool(record.result)  # that it could not be read is one, too
        if notebook is None or not (has_result or any(g.auto_score is not None for g in notebook.grades)):
            return False
        if record is None or record.notebook_id != notebook.id:
            record = Record(student=student, lesson=lesson, notebook_id=notebook.id, key="")
            record.result, record.filed, record.stale = "", True, ""
            record = self._db.merge(record)
        if not record.stale:
            record.stale = json.dumps([grade.name for grade in notebook.grades if grade.needs_manual_grade])
        for grade in notebook.grades:
            grade.needs_manual_grade = True
        for comment in notebook.comments:
            comment.auto_comment = why
        return True

    def earlier(self, student: str, lesson: str, key: str) -> dict[str, float]:
        """Return the points that a submission has of an earlier file, by graded cell.

        What could not be read has none, but remembers those of the file before it.

        Args:
            student, lesson: whose, and of what.
            key: of the file that is there now; see `write`.

        Raises:
            GradebookBusy: they could not be read.
        """
        return self._transaction(lambda: self._earlier(student, lesson, key))

    def _earlier(self, student: str, lesson: str, key: str) -> dict[str, float]:
        entry = self._entry(student, lesson)
        if entry is None:
            return {}
        record = self._record(student, lesson)
        result = _read(record.result) if record and record.notebook_id == entry[1] else None
        known = {task.cell: task.before for task in result.tasks if task.before is not None} if result else {}
        if record and record.key == key:
            return known
        grades = select(BaseCell.name, Grade.score).join(Grade.cell).where(Grade.notebook_id == entry[1])
        graded = grades.where(Grade.auto_score.is_not(None) | Grade.manual_score.is_not(None))
        return known | {name: points for name, points in self._db.execute(graded)}

    def write(
        self,
        student: str,
        lesson: str,
        key: str,
        result: Result,
        timestamp: datetime | None,
        filed: Mapping[tuple[str, str], str] = MappingProxyType({}),
    ) -> None:
        """Write a result, in one transaction, and note that it is not filed yet.

        Args:
            student, lesson: whose, and of what.
            key: a hash of all that the result came from.
            result: what was found.
            timestamp: when it was handed in, if that is known.
            filed: whose folders are written by now; see `mark_filed`.

        Raises:
            GradebookBusy: nothing was written.
        """

        def write() -> None:
            self._mark_filed(filed)
            self._write(student, lesson, key, result, timestamp)

        self._transaction(write)

    def _write(self, student: str, lesson: str, key: str, result: Result, timestamp: datetime | None) -> None:
        assignment, notebook = self._entry(student, lesson) or self._create(student, lesson)
        self._db.execute(
            update(SubmittedAssignment)
            .where(SubmittedAssignment.id == assignment)
            .values(timestamp=timestamp)
        )
        record = self._record(student, lesson)
        before = _read(record.result) if record and record.notebook_id == notebook else None
        waited = json.loads(record.stale) if record and record.stale else None
        scores = _auto_scores(result)
        lost = {task.cell for task in result.tasks if task.outcome == "rejected"}
        if record and record.key == key:
            lost = set()  # whoever has settled it has seen this
        grades = select(
            Grade.id, BaseCell.name, Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade
        )
        rows = []
        for grade in self._db.execute(grades.join(Grade.cell).where(Grade.notebook_id == notebook)).all():
            score = scores.get(grade.name)
            changed = score != grade.auto_score or _answer(before, grade.name) != _answer(result, grade.name)
            waits = grade.needs_manual_grade if waited is None else grade.name in waited
            again = changed or waits or grade.name in lost
            by_hand = score is None if grade.manual_score is None else again
            rows.append({"id": grade.id, "auto_score": score, "needs_manual_grade": by_hand})
        self._set(Grade, rows)
        comments = select(Comment.id, BaseCell.name).join(Comment.cell).where(Comment.notebook_id == notebook)
        found = self._db.execute(comments).all()
        self._set(Comment, [{"id": c.id, "auto_comment": result.comments.get(c.name)} for c in found])
        late = select(SubmittedNotebook.score, AssignmentEntry.duedate, SubmittedAssignment.extension)
        late = late.join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        late = late.join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
        score, due, extension = self._db.execute(late.where(SubmittedNotebook.id == notebook)).one()
        end = self._clock.extend(due, extension) if due else None
        penalty = self._penalty(student, score, _seconds_late(timestamp, end))
        self._set(SubmittedNotebook, [{"id": notebook, "late_submission_penalty": penalty}])
        entry = Record(student=student, lesson=lesson, notebook_id=notebook, key=key)
        entry.result, entry.filed, entry.stale = json.dumps(result.as_json()), False, ""
        entry.penalty = penalty
        self._db.merge(entry)

    def _set(self, table: type, rows: list[dict[str, Any]]) -> None:
        """Change rows, by their id."""
        if rows:
            self._db.execute(update(table), rows)

    def entered(self, student: str, lesson: str) -> Entered:
        """Return what the gradebook says at this moment, manual scores and comments included.

        Raises:
            MissingEntry: nothing of this student.
            GradebookBusy: it could not be read.
        """
        return self._transaction(lambda: self._entered_of(student, lesson))

    def _entered_of(self, student: str, lesson: str) -> Entered:
        entry = self._entry(student, lesson)
        if entry is None:
            raise MissingEntry(f"{student} has handed in nothing for {lesson}")
        return _entered(self._db, [entry[1]], self._clock)[entry[1]]

    def students(self) -> list[str]:
        """Return the ids of all students."""
        found = self._transaction(lambda: self._db.execute(select(Student.id).order_by(Student.id)).all())
        return [str(one.id) for one in found]

    def class_list(self) -> list[Listed]:
        """Return all students, with what tells who was entered by a person and who came with a submission.

        Raises:
            GradebookBusy: it could not be read.
        """
        about = (Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
        has_work = exists().where(SubmittedAssignment.student_id == Student.id)
        wanted = select(Student.id, has_work, *about).order_by(Student.id)
        found = self._transaction(lambda: self._db.execute(wanted).all())
        return [Listed(str(who), any(said), bool(work)) for who, work, *said in found]

    def enter_people(self, people: Iterable[Mapping[str, str]]) -> None:
        """Enter students, or what is known of them by now: what is not said stays as it is.

        Args:
            people: columns of nbgrader's `Student`: `id`, and any of the others.

        Raises:
            GradebookBusy: nothing was entered.
        """

        def enter() -> None:
            for person in people:
                said = {column: without_markup(value) for column, value in person.items() if value}
                self._db.merge(Student(**said))

        self._transaction(enter)

    def people(self) -> list[dict[str, str]]:
        """Return all students, with nbgrader's columns for them; what is not known is empty."""
        columns = (Student.id, Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
        found = self._transaction(lambda: self._db.execute(select(*columns).order_by(Student.id)).all())
        return [{name: value or "" for name, value in row._mapping.items()} for row in found]

    def forget(self, student: str) -> bool:
        """Delete all that is known of a student, from the file itself too; return whether there was anything.

        Raises:
            CourseError: the gradebook cannot be written to.
        """
        with _refused("The gradebook cannot be changed"):
            records = self._db.execute(delete(Record).where(Record.student == student)).rowcount
            is_known = self._db.get(Student, student) is not None
            if is_known:
                self._gradebook.remove_student(student)
            self._db.commit()
            if sqlite_file(self._coursedir.db_url) is not None:  # else what was deleted stays in free pages
                self._db.close()
                with self._gradebook.engine.connect() as connection:
                    connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM"))
        return is_known or bool(records)

    def mark_filed(self, filed: Mapping[tuple[str, str], str]) -> None:
        """Note that the folders of these students and lessons hold what the gradebook says.

        Args:
            filed: the fingerprint of what it said when the page was made, by student and lesson.
        """
        if filed:
            self._transaction(lambda: self._mark_filed(filed))

    def _mark_filed(self, filed: Mapping[tuple[str, str], str]) -> None:
        if filed:
            table = Record.metadata.tables[Record.__tablename__]
            these = (table.c.student == bindparam("whose"), table.c.lesson == bindparam("what"))
            rows = [{"whose": whose, "what": what, "hash": page} for (whose, what), page in filed.items()]
            self._db.connection().execute(
                update(table).where(*these).values(filed=True, page=bindparam("hash")), rows
            )

    @property
    def _db(self) -> Any:
        return self._gradebook.db

    def _record(self, student: str, lesson: str) -> Record | None:
        found: Record | None = self._db.get(Record, (student, lesson))
        return found

    def _find(self, student: str, lesson: str) -> SubmittedNotebook | None:
        try:
            return self._gradebook.find_submission_notebook(lesson, lesson, student)
        except MissingEntry:
            return None

    def _entry(self, student: str, lesson: str) -> tuple[str, str] | None:
        """The ids of what a student has handed in: nbgrader's submitted assignment, and its notebook."""
        found = self._db.execute(
            select(SubmittedAssignment.id, SubmittedNotebook.id)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .where(SubmittedAssignment.student_id == student, AssignmentEntry.name == lesson)
            .where(Notebook.name == lesson)
        ).first()
        return None if found is None else (found[0], found[1])

    def _create(self, student: str, lesson: str) -> tuple[str, str]:
        """Add a submission as nbgrader's add_submission does, in a few statements and without a commit."""
        known = self._db.execute(select(Student.id).where(Student.id == student)).first()
        if known is None:
            self._db.execute(insert(Student), [{"id": student}])
        form = self._form(lesson)
        there = select(SubmittedAssignment.id).where(
            SubmittedAssignment.assignment_id == form.assignment, SubmittedAssignment.student_id == student
        )
        assignment = self._db.execute(there).scalar()
        if assignment is None:
            assignment = new_uuid()
            row = {"id": assignment, "assignment_id": form.assignment, "student_id": student}
            self._db.execute(insert(SubmittedAssignment), [row])
        notebook = new_uuid()
        row = {"id": notebook, "assignment_id": assignment, "notebook_id": form.notebook}
        self._db.execute(insert(SubmittedNotebook), [row])
        for table, cells in ((Grade, form.graded), (Comment, form.commented)):
            if cells:
                rows = [{"id": new_uuid(), "cell_id": cell, "notebook_id": notebook} for cell in cells]
                self._db.execute(insert(table), rows)
        return assignment, notebook

    def _form(self, lesson: str) -> "_Form":
        """What every submission of a lesson has, looked up once."""
        if lesson not in self._forms:
            master = self._gradebook.find_notebook(lesson, lesson)
            graded = [cell.id for cell in (*master.grade_cells, *master.task_cells)]
            commented = [cell.id for cell in (*master.solution_cells, *master.task_cells)]
            self._forms[lesson] = _Form(master.assignment_id, master.id, graded, commented)
        return self._forms[lesson]

    @cached_property
    def _late_plugin(self) -> Any:
        step = AssignLatePenalties(config=self._config)
        step.init_plugin()
        return step.plugin_inst

    def _penalty(self, student: str, score: float, late: float) -> float | None:
        """Ask the course's late penalty plugin, as nbgrader's AssignLatePenalties does."""
        if late <= 0:
            return None
        penalty = self._late_plugin.late_submission_penalty(student, score, late)
        return None if penalty is None else min(max(0.0, float(penalty)), score)

    def _hold_file(self) -> ExitStack:
        """Have the lock of the one run that writes into an SQLite file, beside it, under its real name.

        Raises:
            CourseError: another run has it, or it cannot be made.
        """
        file = sqlite_file(self._coursedir.db_url)
        held = ExitStack()
        if file is None or not file.parent.is_dir():  # a server has a lock of its own
            return held
        file = file.resolve()
        mode = 0o664 if self._coursedir.groupshared else 0o644
        lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=0, mode=mode, thread_local=False)
        try:
            held.enter_context(lock)
        except Timeout:
            raise CourseError(self._busy(None)) from None
        except OSError as error:
            raise CourseError(
                f"The gradebook {_shown(self._coursedir.db_url)} cannot be written to: {error.strerror}."
            ) from error
        return held

    def _hold(self) -> None:
        """Have the lock of the one run that writes; it is the connection's, and goes with it.

        So it goes with the process, however that ends, and a new connection has to take it again: from the
        session of the lost one, if the server has not noticed yet.

        Raises:
            CourseError: another run has it.
        """
        connection = self._db.connection()
        if connection.dialect.name != "postgresql" or connection.info.get(_SIGNATURE):
            return
        end = time.monotonic() + GRACE_SECONDS
        while not self._db.execute(_TAKE).scalar():
            holder = self._db.execute(_HOLDER).first()
            if holder is not None and holder[:2] == self._session:
                self._db.execute(_END, {"pid": holder.pid})
            if time.monotonic() >= end:
                raise CourseError(self._busy(holder.application_name if holder else None))
            self._db.rollback()  # within a transaction the server's sessions are seen as they were
            time.sleep(0.1)
        host = platform.node()[:30]  # a name has 63 bytes
        self._db.execute(_SIGN, {"name": f"{_SIGNATURE}on {host}, process {os.getpid()}"})
        self._session = tuple(self._db.execute(_HOLDER).one()[:2])
        self._db.connection().info[_SIGNATURE] = True
        self._db.commit()  # else a later rollback would take the name back; of the lock it takes nothing

    def _busy(self, name: str | None) -> str:
        where = f" ({name.removeprefix(_SIGNATURE)})" if name and name.startswith(_SIGNATURE) else ""
        return (
            f"Another `autograder grade`{where} is busy in the gradebook {_shown(self._coursedir.db_url)}; "
            "wait for it to end."
        )

    def _transaction(self, change: Callable[[], T]) -> T:
        """Do all of a change or nothing; wait while somebody else is writing, or a server starts anew.

        Who has waited in vain once waits no more until a result has been written.
        """
        end = time.monotonic() + (BUSY_SECONDS if self._patient else 0.0)
        while True:
            try:
                self._hold()
                done = change()
                self._db.commit()
                self._db.expunge_all()  # of a large class, nobody stays in memory
                return done
            except DBAPIError as error:
                self._db.rollback()
                if not _passing(error) or time.monotonic() >= end:
                    self._patient = False
                    raise GradebookBusy(reason(error)) from error
                time.sleep(random.uniform(0.1, 0.5))
            except BaseException:
                self._db.rollback()
                raise


def kept_in(gradebook: Gradebook, entries: Collection[tuple[str, str]]) -> dict[tuple[str, str], Kept]:
    """Return what `Book.kept` does, of a gradebook that somebody else has opened: to read it takes no lock.

    One that no grading of this version has opened yet holds nothing.
    """
    there = inspect(gradebook.db.connection())
    if not there.has_table(Record.__tablename__):
        return {}
    columns = {column["name"] for column in there.get_columns(Record.__tablename__)}
    complete = columns >= {column.name for column in Record.metadata.tables[Record.__tablename__].columns}
    return _kept(gradebook.db, entries, Clock()) if complete else {}


def _kept(db: Any, entries: Collection[tuple[str, str]], clock: Clock) -> dict[tuple[str, str], Kept]:
    records = db.execute(
        select(Record.student, Record.lesson, Record.notebook_id, Record.key, Record.result)
        .add_columns(Record.filed, Record.stale, Record.page, Record.penalty)
        .add_columns(SubmittedAssignment.timestamp)
        .join(SubmittedNotebook, SubmittedNotebook.id == Record.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
        .where(SubmittedAssignment.student_id == Record.student, AssignmentEntry.name == Record.lesson)
        .where(tuple_(Record.student, Record.lesson).in_(list(entries)))
    ).all()
    entered = _entered(db, [record.notebook_id for record in records], clock)
    found = {}
    for record in records:
        result = _read(record.result)
        if result is None:
            continue
        ours, theirs = _auto_scores(result), entered[record.notebook_id].auto
        if any(score != ours.get(cell) for cell, score in theirs.items()):
            continue  # somebody else graded it, such as `nbgrader autograde`
        found[record.student, record.lesson] = Kept(
            key=record.key,
            result=result,
            filed=record.filed,
            stale=bool(record.stale),
            timestamp=record.timestamp,
            entered=entered[record.notebook_id],
            page=record.page,
            late=_seconds_late(*(entered[record.notebook_id].times or (None, None))),
            penalty=record.penalty,
        )
    return found


def _entered(db: Any, notebooks: Collection[str], clock: Clock) -> dict[str, Entered]:
    """What the gradebook says, by the id of the submitted notebook."""
    table = SubmittedNotebook
    whole = select(table.id, table.max_score, table.late_submission_penalty)
    whole = whole.add_columns(
        SubmittedAssignment.timestamp, AssignmentEntry.duedate, SubmittedAssignment.extension
    )
    whole = whole.join(SubmittedAssignment, SubmittedAssignment.id == table.assignment_id)
    whole = whole.join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
    grades = select(Grade.notebook_id, BaseCell.name, Grade.score, Grade.max_score)
    grades = grades.add_columns(Grade.auto_score, Grade.needs_manual_grade, Grade.extra_credit)
    grades = grades.join(Grade.cell)
    grades = grades.where(Grade.notebook_id.in_(notebooks))
    comments = select(Comment.notebook_id, BaseCell.name, Comment.comment).join(Comment.cell)
    scores: dict[str, dict[str, tuple[float, float]]] = {}
    auto: dict[str, dict[str, float | None]] = {}
    waiting: dict[str, set[str]] = {}
    extra: dict[str, dict[str, float]] = {}
    said: dict[str, dict[str, str | None]] = {}
    for of, name, score, most, found, waits, more in db.execute(grades):
        scores.setdefault(of, {})[name] = score, most
        auto.setdefault(of, {})[name] = found
        waiting.setdefault(of, set()).update([name] if waits else [])
        extra.setdefault(of, {}).update({name: more} if more else {})
    for of, name, comment in db.execute(comments.where(Comment.notebook_id.in_(notebooks))):
        said.setdefault(of, {})[name] = comment
    return {
        of: Entered(
            # nbgrader's own sum reads all grades of the class, once for each submission.
            score=math.fsum(score for score, _ in scores.get(of, {}).values()),
            max_score=most,
            penalty=penalty or 0.0,
            times=(time, clock.extend(due, extension)) if time and due else None,
            scores=scores.get(of, {}),
            auto=auto.get(of, {}),
            comments=said.get(of, {}),
            waiting=frozenset(waiting.get(of, ())),
            extra=extra.get(of, {}),
        )
        for of, most, penalty, time, due, extension in db.execute(whole.where(table.id.in_(notebooks)))
    }


def _other_tasks(lesson: str, changed: changing.Difference) -> str:
    number = int(lesson[:2]) if lesson[:2].isdigit() else lesson
    return (
        f"The tasks of lesson {lesson} are not those in the gradebook: {_named(changed)}. "
        f"To continue with the new tasks: autograder grade {number} --change-tasks. It keeps every grade of "
        "the tasks that stay, a table of the grades of the dropped ones, and a copy of the gradebook. "
        f"To go back, restore the tasks in course/{lesson} and run: autograder build {number}."
    )


def _named(changed: changing.Difference) -> str:
    parts = (("dropped", changed.dropped), ("added", changed.added))
    return "; ".join(f"{what} {', '.join(names)}" for what, names in parts if names)


def _passing(error: DBAPIError) -> bool:
    """Whether waiting may help: against a lock, or a lost connection; against a full disk it does not."""
    ours = isinstance(error.orig, sqlite3.Error)
    return isinstance(error, OperationalError) and (not ours or "locked" in str(error.orig))


def reason(error: BaseException) -> str:
    """Say what went wrong, in a line, without the SQL."""
    causes = (getattr(known, "orig", None) for known in (error, error.__context__))
    return " ".join(str(next((cause for cause in causes if cause is not None), error)).split())


def _begin(url: str) -> None:
    """Give a gradebook that has no table yet the one of its version, which `Book._complete` fills in.

    nbgrader asks a program for the version where there is no table at all, which takes seconds.
    """
    file = sqlite_file(url)
    if file is not None and file.exists():
        return
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            if not inspect(connection).get_table_names():
                connection.execute(_VERSION_TABLE)
    finally:
        engine.dispose()


def _newest_version() -> str:
    """The version of nbgrader's tables, as its `get_alembic_version` finds it."""
    from alembic.script import ScriptDirectory  # for a new gradebook alone

    (head,) = ScriptDirectory(ALEMBIC_DIR).get_heads()
    return head


@contextmanager
def _refused(what: str) -> Iterator[None]:
    """Say in a sentence why the gradebook cannot be used."""
    try:
        yield
    except ModuleNotFoundError as error:
        fix = "`pip install 'secant[postgres]'`" if error.name in ("psycopg", "psycopg2") else "install it"
        raise CourseError(f"{what}: the Python package {error.name} is not installed: {fix}.") from error
    except (DBAPIError, ArgumentError, InvalidEntry) as error:
        old = "no such column" in str(error) or "UndefinedColumn" in str(error)
        fix = " Another version of nbgrader made it: back it up and run `nbgrader db upgrade`." if old else ""
        raise CourseError(f"{what}: {reason(error)}.{fix}") from error


def _shown(url: str) -> str:
    """A database's address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "of nbgrader_config.py's CourseDirectory.db_url"


def _read(result: str) -> Result | None:
    """Return a record's result; None where there is none, or one of another version's form."""
    try:
        return Result.from_json(json.loads(result))
    except (ValueError, TypeError, KeyError):
        return None


def _auto_scores(result: Result) -> dict[str, float | None]:
    """The automatic score by nbgrader's name of the graded cell; None where a person has to grade."""
    return {task.cell: task.auto for task in result.tasks}


def _answer(result: Result | None, cell: str) -> str | None:
    """A hash of the answer that a graded cell is about."""
    return next((task.answer for task in result.tasks if task.cell == cell), None) if result else None


def _seconds_late(timestamp: datetime | None, due: datetime | None) -> float:
    """As nbgrader's `total_seconds_late`, without loading a submission."""
    return max(0.0, (timestamp - due).total_seconds()) if timestamp and due else 0.0
