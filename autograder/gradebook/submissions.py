"""Find, create and change the rows of nbgrader's tables that make up a submission."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import bindparam, insert, select, update

from autograder.gradebook.recorded_grades import notebook_key
from autograder.gradebook.records import PreviousRecord, auto_scores, previous_record, read_result, write_mark
from autograder.gradebook.result import Result, cell_key

# The SQL statements for submissions are built once, because building a statement takes longer than the
# database needs to run it. The statements use tables instead of nbgrader's classes.
_STUDENTS, _SUBMITTED, _PARTS = Student.__table__, SubmittedAssignment.__table__, SubmittedNotebook.__table__
_ASSIGNMENTS, _NOTEBOOKS = AssignmentEntry.__table__, Notebook.__table__
_FIND_IDS = (
    select(_SUBMITTED.c.id, _PARTS.c.id.label("notebook"), _NOTEBOOKS.c.name)
    .select_from(_SUBMITTED)
    .join(_PARTS, _PARTS.c.assignment_id == _SUBMITTED.c.id)
    .join(_ASSIGNMENTS, _ASSIGNMENTS.c.id == _SUBMITTED.c.assignment_id)
    .join(_NOTEBOOKS, _NOTEBOOKS.c.id == _PARTS.c.notebook_id)
    .where(_SUBMITTED.c.student_id == bindparam("student"), _ASSIGNMENTS.c.name == bindparam("assignment"))
    .order_by(_NOTEBOOKS.c.name)
)
_FIND_STUDENT = select(_STUDENTS.c.id).where(_STUDENTS.c.id == bindparam("student"))
_FIND_PARTS = (
    select(_SUBMITTED.c.id, _PARTS.c.notebook_id)
    .select_from(_SUBMITTED)
    .outerjoin(_PARTS, _PARTS.c.assignment_id == _SUBMITTED.c.id)
    .where(_SUBMITTED.c.assignment_id == bindparam("assignment"))
    .where(_SUBMITTED.c.student_id == bindparam("student"))
)
_SET_TIME = update(_SUBMITTED).where(_SUBMITTED.c.id == bindparam("submitted"))
_SET_TIME = _SET_TIME.values(timestamp=bindparam("time"))
_INSERT_STUDENT, _INSERT_SUBMITTED, _INSERT_PARTS = map(insert, (_STUDENTS, _SUBMITTED, _PARTS))
_GRADES, _COMMENTS, _CELLS = Grade.__table__, Comment.__table__, BaseCell.__table__
_INSERT_GRADES, _INSERT_COMMENTS = insert(_GRADES), insert(_COMMENTS)
_PART_IDS: Any = bindparam("parts")
_FIND_GRADES = (
    select(_GRADES.c.id, _GRADES.c.notebook_id, _CELLS.c.name)
    .add_columns(_GRADES.c.auto_score, _GRADES.c.manual_score, _GRADES.c.needs_manual_grade)
    .join_from(_GRADES, _CELLS, _CELLS.c.id == _GRADES.c.cell_id)
    .where(_GRADES.c.notebook_id.in_(_PART_IDS))
)
_FIND_COMMENTS = (
    select(_COMMENTS.c.id, _COMMENTS.c.notebook_id, _CELLS.c.name)
    .join_from(_COMMENTS, _CELLS, _CELLS.c.id == _COMMENTS.c.cell_id)
    .where(_COMMENTS.c.notebook_id.in_(_PART_IDS))
)
_FIND_POINTS = (
    select(Grade.notebook_id, BaseCell.name, Grade.score)
    .join(Grade.cell)
    .where(Grade.notebook_id.in_(_PART_IDS))
    .where(Grade.auto_score.is_not(None) | Grade.manual_score.is_not(None))
)
_SET_GRADE = update(_GRADES).where(_GRADES.c.id == bindparam("grade"))
_SET_COMMENT = update(_COMMENTS).where(_COMMENTS.c.id == bindparam("row"))
_MARK_GRADES = update(_GRADES).where(_GRADES.c.notebook_id.in_(_PART_IDS)).values(needs_manual_grade=True)
_MARK_COMMENTS = update(_COMMENTS).where(_COMMENTS.c.notebook_id.in_(_PART_IDS))
_MARK_COMMENTS = _MARK_COMMENTS.values(auto_comment=bindparam("why"))


class NotebookForm(NamedTuple):
    """The database ids of a notebook of an assignment, and of the notebook's cells.

    Attributes:
        id: the notebook's id.
        graded: maps each graded cell's id to the cell's key (see `cell_key`).
        commented: maps the id of each cell that can have a comment to the cell's key.
    """

    id: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]


class Form(NamedTuple):
    """The ids of an assignment, its notebooks and their cells."""

    assignment: str
    notebooks: Sequence[NotebookForm]


class Ids(NamedTuple):
    """The ids of a submitted assignment and of its notebooks.

    Attributes:
        assignment: the id of the submitted assignment.
        notebooks: the ids of the submitted notebooks, keyed by `notebook_key`.
    """

    assignment: str
    notebooks: Mapping[str, str]

    @property
    def first(self) -> str:
        """The id of the submission's first notebook; a `Record` refers to the submission by this id."""
        return next(iter(self.notebooks.values()))


def read_form(gradebook: Gradebook, assignment: str) -> Form:
    """Return the ids of an assignment, of its notebooks, and of the cells that have a grade or a comment."""
    entry = gradebook.find_assignment(assignment)

    def keys(notebook: Notebook, cells: Sequence[BaseCell]) -> dict[str, str]:
        key = notebook_key(notebook.name, assignment)
        return {cell.id: cell_key(key, cell.name) for cell in cells}

    notebooks = [
        NotebookForm(
            notebook.id,
            keys(notebook, (*notebook.grade_cells, *notebook.task_cells)),
            keys(notebook, (*notebook.solution_cells, *notebook.task_cells)),
        )
        for notebook in sorted(entry.notebooks, key=lambda notebook: str(notebook.name))
    ]
    return Form(entry.id, notebooks)


def find_ids(db: Any, student: str, assignment: str) -> Ids | None:
    """Return the ids of a student's submission; None if the student has no submission."""
    rows = db.connection().execute(_FIND_IDS, {"student": student, "assignment": assignment}).all()
    if not rows:
        return None
    return Ids(rows[0].id, {notebook_key(row.name, assignment): row.notebook for row in rows})


def create(db: Any, form: Form, student: str, result: Result, timestamp: datetime | None) -> None:
    """Add a submission to the gradebook, in a few statements and without a commit.

    The new rows are the same as those of nbgrader's add_submission. If the submission already exists, only
    its missing notebooks are added. The scores and comments of new cells come from the result, as in
    `set_grades` and `set_comments`.
    """
    connection = db.connection()
    if connection.execute(_FIND_STUDENT, {"student": student}).first() is None:
        connection.execute(_INSERT_STUDENT, {"id": student})
    existing = connection.execute(_FIND_PARTS, {"assignment": form.assignment, "student": student}).all()
    submitted = existing[0].id if existing else new_uuid()
    if existing:
        set_time(db, submitted, timestamp)
    else:
        row = {"id": submitted, "assignment_id": form.assignment, "student_id": student}
        connection.execute(_INSERT_SUBMITTED, {**row, "timestamp": timestamp})
    existing_ids = {part.notebook_id for part in existing}
    new_notebooks = {new_uuid(): notebook for notebook in form.notebooks if notebook.id not in existing_ids}
    parts = [
        {"id": part, "assignment_id": submitted, "notebook_id": notebook.id}
        for part, notebook in new_notebooks.items()
    ]
    scores = auto_scores(result)
    grades = [
        {
            "id": new_uuid(),
            "cell_id": cell,
            "notebook_id": part,
            "auto_score": scores.get(key),
            "needs_manual_grade": scores.get(key) is None,
        }
        for part, notebook in new_notebooks.items()
        for cell, key in notebook.graded.items()
    ]
    comments = [
        {"id": new_uuid(), "cell_id": cell, "notebook_id": part, "auto_comment": result.comments.get(key)}
        for part, notebook in new_notebooks.items()
        for cell, key in notebook.commented.items()
    ]
    for statement, rows in ((_INSERT_PARTS, parts), (_INSERT_GRADES, grades), (_INSERT_COMMENTS, comments)):
        if rows:
            connection.execute(statement, rows)


def set_time(db: Any, submitted: str, timestamp: datetime | None) -> None:
    """Set the submission time of a submitted assignment, or clear it if `timestamp` is None (unknown)."""
    db.connection().execute(_SET_TIME, {"submitted": submitted, "time": timestamp})


def change(db: Any, table: type, rows: list[dict[str, Any]]) -> None:
    """Update rows of a database table. Each mapping contains a row's primary key and its new values."""
    if rows:
        db.execute(update(table), rows)


def set_grades(db: Any, ids: Ids, result: Result, record: PreviousRecord | None, key: str) -> None:
    """Set the automatic scores, and mark the grades that need manual grading. Manual scores stay.

    Args:
        db: the session of the gradebook.
        ids: the ids of the submission.
        result: the new result.
        record: the record of the previous result; None for the first result.
        key: a hash of everything that determined the result.
    """
    before = read_result(record.result) if record and record.notebook_id == ids.first else None
    waiting_before = json.loads(record.stale) if record and record.stale else None
    scores = auto_scores(result)
    rejected_cells = {task.key for task in result.tasks if task.outcome == "rejected"}
    if record and record.key == key:
        # The result's key is unchanged, so an instructor who gave points had already seen this result.
        rejected_cells = set()
    rows = []
    for cell, grade in _by_key(db, _FIND_GRADES, ids):
        score = scores.get(cell)
        has_changed = score != grade.auto_score or _answer(before, cell) != _answer(result, cell)
        is_waiting = grade.needs_manual_grade if waiting_before is None else cell in waiting_before
        needs_regrading = has_changed or is_waiting or cell in rejected_cells
        needs_manual_grade = score is None if grade.manual_score is None else needs_regrading
        rows.append({"grade": grade.id, "auto_score": score, "needs_manual_grade": needs_manual_grade})
    if rows:
        db.connection().execute(_SET_GRADE, rows)


def _by_key(db: Any, statement: Any, ids: Ids) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a submission's cells, each with the cell's database row."""
    names = {submitted: name for name, submitted in ids.notebooks.items()}
    for row in db.execute(statement, {"parts": list(names)}).all():
        yield cell_key(names[row.notebook_id], row.name), row


def _answer(result: Result | None, cell: str) -> str | None:
    """Return the hash of the answer for which a graded cell gives points; None if the hash is unknown."""
    return next((task.answer for task in result.tasks if task.key == cell), None) if result else None


def set_comments(db: Any, ids: Ids, result: Result) -> None:
    """Set the automatic comments of a submission."""
    comments = _by_key(db, _FIND_COMMENTS, ids)
    rows = [{"row": row.id, "auto_comment": result.comments.get(cell)} for cell, row in comments]
    if rows:
        db.connection().execute(_SET_COMMENT, rows)


def graded_points(db: Any, ids: Ids) -> dict[str, float]:
    """Return the points of all cells graded by a test or by a person, keyed by the cell's key."""
    return {cell: row.score for cell, row in _by_key(db, _FIND_POINTS, ids)}


def mark_stale(db: Any, student: str, lesson: str, comment: str) -> bool:
    """Mark all grades of a submission as needing manual grading, and replace all automatic comments.

    `comment` becomes the text of every automatic comment. The submission's record stores which grades needed
    manual grading before.

    Returns:
        Whether the submission has a grade. If it has no grade, nothing is marked.
    """
    ids = find_ids(db, student, lesson)
    if ids is None:
        return False
    previous, grades = previous_record(db, student, lesson), list(_by_key(db, _FIND_GRADES, ids))
    # A submission has a result even if its file could not be read.
    has_result = previous is not None and bool(previous.result)
    if not has_result and all(grade.auto_score is None for _, grade in grades):
        return False
    waiting = json.dumps([cell for cell, grade in grades if grade.needs_manual_grade])
    write_mark(db, student, lesson, ids.first, previous, waiting)
    parts = {"parts": list(ids.notebooks.values())}
    db.connection().execute(_MARK_GRADES, parts)
    db.connection().execute(_MARK_COMMENTS, {**parts, "why": comment})
    return True
