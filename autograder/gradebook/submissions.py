"""Find, create and change the rows of nbgrader's tables that make up a submission."""

import json
from collections.abc import Iterator, Mapping, Sequence
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
from sqlalchemy import insert, select, update

from autograder.gradebook.entered import notebook_key
from autograder.gradebook.records import Record, auto_scores, read_result
from autograder.gradebook.result import Result, cell_key


class NotebookForm(NamedTuple):
    """The ids of one notebook of an assignment and of the notebook's cells."""

    id: str
    graded: Sequence[str]
    commented: Sequence[str]


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
    """Return the ids of the notebooks and cells that every submission of an assignment has."""
    master = gradebook.find_assignment(assignment)
    notebooks = [
        NotebookForm(
            notebook.id,
            [cell.id for cell in (*notebook.grade_cells, *notebook.task_cells)],
            [cell.id for cell in (*notebook.solution_cells, *notebook.task_cells)],
        )
        for notebook in sorted(master.notebooks, key=lambda notebook: str(notebook.name))
    ]
    return Form(master.id, notebooks)


def find_ids(db: Any, student: str, assignment: str) -> Ids | None:
    """Return the ids of a student's submission; None if there is none."""
    rows = db.execute(
        select(SubmittedAssignment.id, SubmittedNotebook.id.label("notebook"), Notebook.name)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .where(SubmittedAssignment.student_id == student, AssignmentEntry.name == assignment)
        .order_by(Notebook.name)
    ).all()
    if not rows:
        return None
    return Ids(rows[0].id, {notebook_key(row.name, assignment): row.notebook for row in rows})


def create(db: Any, form: Form, student: str) -> None:
    """Add a submission as nbgrader's add_submission does, but in a few statements and without a commit.

    If the submission already exists, only its missing notebooks are added.
    """
    if db.execute(select(Student.id).where(Student.id == student)).first() is None:
        db.execute(insert(Student), [{"id": student}])
    there = select(SubmittedAssignment.id).where(
        SubmittedAssignment.assignment_id == form.assignment, SubmittedAssignment.student_id == student
    )
    assignment = db.execute(there).scalar()
    if assignment is None:
        assignment = new_uuid()
        row = {"id": assignment, "assignment_id": form.assignment, "student_id": student}
        db.execute(insert(SubmittedAssignment), [row])
    query = select(SubmittedNotebook.notebook_id).where(SubmittedNotebook.assignment_id == assignment)
    existing = set(db.scalars(query))
    for notebook_form in form.notebooks:
        if notebook_form.id in existing:
            continue
        notebook = new_uuid()
        row = {"id": notebook, "assignment_id": assignment, "notebook_id": notebook_form.id}
        db.execute(insert(SubmittedNotebook), [row])
        for table, cells in ((Grade, notebook_form.graded), (Comment, notebook_form.commented)):
            if cells:
                rows = [{"id": new_uuid(), "cell_id": cell, "notebook_id": notebook} for cell in cells]
                db.execute(insert(table), rows)


def change(db: Any, table: type, rows: list[dict[str, Any]]) -> None:
    """Update the rows of a table that have these ids."""
    if rows:
        db.execute(update(table), rows)


def set_grades(db: Any, ids: Ids, result: Result, record: Record | None, key: str) -> None:
    """Set the automatic scores, and mark the grades that need manual grading. Manual scores stay.

    Args:
        db: the session of the gradebook.
        ids: the ids of the submission.
        result: the new result.
        record: the record of the previous result; None if there is none.
        key: a hash of everything that determined the result.
    """
    before = read_result(record.result) if record and record.notebook_id == ids.first else None
    waited = json.loads(record.stale) if record and record.stale else None
    scores = auto_scores(result)
    lost = {task.key for task in result.tasks if task.outcome == "rejected"}
    if record and record.key == key:
        # The key is unchanged, so the instructor had already seen this result when giving points.
        lost = set()
    grades = select(Grade.id, Grade.notebook_id, BaseCell.name)
    grades = grades.add_columns(Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade)
    rows = []
    for cell, grade in _by_key(db, grades.join(Grade.cell), Grade, ids):
        score = scores.get(cell)
        changed = score != grade.auto_score or _answer(before, cell) != _answer(result, cell)
        waits = grade.needs_manual_grade if waited is None else cell in waited
        again = changed or waits or cell in lost
        by_hand = score is None if grade.manual_score is None else again
        rows.append({"id": grade.id, "auto_score": score, "needs_manual_grade": by_hand})
    change(db, Grade, rows)


def _by_key(db: Any, rows: Any, table: Any, ids: Ids) -> Iterator[tuple[str, Any]]:
    """Yield the rows that belong to a submission's cells, each with the cell's key."""
    names = {submitted: name for name, submitted in ids.notebooks.items()}
    for row in db.execute(rows.where(table.notebook_id.in_(list(names)))).all():
        yield cell_key(names[row.notebook_id], row.name), row


def _answer(result: Result | None, cell: str) -> str | None:
    """Return the hash of the answer that a graded cell belongs to; None if unknown."""
    return next((task.answer for task in result.tasks if task.key == cell), None) if result else None


def set_comments(db: Any, ids: Ids, result: Result) -> None:
    """Set the automatic comments of a submission."""
    comments = select(Comment.id, Comment.notebook_id, BaseCell.name).join(Comment.cell)
    rows = _by_key(db, comments, Comment, ids)
    change(db, Comment, [{"id": row.id, "auto_comment": result.comments.get(cell)} for cell, row in rows])


def graded_points(db: Any, ids: Ids) -> dict[str, float]:
    """Return the points of the cells that a test or a person has graded, keyed by the cell's key."""
    grades = select(Grade.notebook_id, BaseCell.name, Grade.score).join(Grade.cell)
    graded = grades.where(Grade.auto_score.is_not(None) | Grade.manual_score.is_not(None))
    return {cell: row.score for cell, row in _by_key(db, graded, Grade, ids)}


def mark_stale(submission: SubmittedAssignment, record: Record, why: str) -> None:
    """Mark all grades as needing manual grading, and replace all automatic comments with the reason.

    The record stores which grades needed manual grading before.
    """
    parts = [(notebook_key(notebook.name, submission.name), notebook) for notebook in submission.notebooks]
    grades = [(cell_key(key, grade.name), grade) for key, notebook in parts for grade in notebook.grades]
    if not record.stale:
        record.stale = json.dumps([cell for cell, grade in grades if grade.needs_manual_grade])
    for _, grade in grades:
        grade.needs_manual_grade = True
    for comment in (comment for _, notebook in parts for comment in notebook.comments):
        comment.auto_comment = why
