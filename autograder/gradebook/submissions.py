"""The rows of nbgrader's that a submission consists of: found, made, changed."""

import json
from collections.abc import Sequence
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

from autograder.gradebook.records import Record, auto_scores, read_result
from autograder.gradebook.result import Result


class Form(NamedTuple):
    """The ids of an assignment, its notebook, and their cells."""

    assignment: str
    notebook: str
    graded: Sequence[str]
    commented: Sequence[str]


class Ids(NamedTuple):
    """The ids of a submitted assignment and its notebook."""

    assignment: str
    notebook: str


def read_form(gradebook: Gradebook, lesson: str) -> Form:
    """Return what every submission of a lesson has."""
    master = gradebook.find_notebook(lesson, lesson)
    graded = [cell.id for cell in (*master.grade_cells, *master.task_cells)]
    commented = [cell.id for cell in (*master.solution_cells, *master.task_cells)]
    return Form(master.assignment_id, master.id, graded, commented)


def find_ids(db: Any, student: str, lesson: str) -> Ids | None:
    """Return the ids of what a student has handed in; None if it is nothing."""
    found = db.execute(
        select(SubmittedAssignment.id, SubmittedNotebook.id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .where(SubmittedAssignment.student_id == student, AssignmentEntry.name == lesson)
        .where(Notebook.name == lesson)
    ).first()
    return None if found is None else Ids(*found)


def create(db: Any, form: Form, student: str) -> Ids:
    """Add a submission as nbgrader's add_submission does, in a few statements and without a commit."""
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
    notebook = new_uuid()
    row = {"id": notebook, "assignment_id": assignment, "notebook_id": form.notebook}
    db.execute(insert(SubmittedNotebook), [row])
    for table, cells in ((Grade, form.graded), (Comment, form.commented)):
        if cells:
            rows = [{"id": new_uuid(), "cell_id": cell, "notebook_id": notebook} for cell in cells]
            db.execute(insert(table), rows)
    return Ids(assignment, notebook)


def change(db: Any, table: type, rows: list[dict[str, Any]]) -> None:
    """Change rows, by their id."""
    if rows:
        db.execute(update(table), rows)


def set_grades(db: Any, notebook: str, result: Result, record: Record | None, key: str) -> None:
    """Set the automatic scores, and which grades wait for a person. A manual score stays.

    Args:
        db: the session.
        notebook: the id of the submitted notebook.
        result: what was found.
        record: the record of the result before, if there is one.
        key: a hash of all that the result came from.
    """
    before = read_result(record.result) if record and record.notebook_id == notebook else None
    waited = json.loads(record.stale) if record and record.stale else None
    scores = auto_scores(result)
    lost = {task.cell for task in result.tasks if task.outcome == "rejected"}
    if record and record.key == key:
        lost = set()  # whoever has settled it has seen this
    grades = select(Grade.id, BaseCell.name, Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade)
    rows = []
    for grade in db.execute(grades.join(Grade.cell).where(Grade.notebook_id == notebook)).all():
        score = scores.get(grade.name)
        changed = score != grade.auto_score or _answer(before, grade.name) != _answer(result, grade.name)
        waits = grade.needs_manual_grade if waited is None else grade.name in waited
        again = changed or waits or grade.name in lost
        by_hand = score is None if grade.manual_score is None else again
        rows.append({"id": grade.id, "auto_score": score, "needs_manual_grade": by_hand})
    change(db, Grade, rows)


def _answer(result: Result | None, cell: str) -> str | None:
    """Return a hash of the answer that a graded cell is about."""
    return next((task.answer for task in result.tasks if task.cell == cell), None) if result else None


def set_comments(db: Any, notebook: str, result: Result) -> None:
    """Set the automatic comments."""
    comments = select(Comment.id, BaseCell.name).join(Comment.cell).where(Comment.notebook_id == notebook)
    found = db.execute(comments).all()
    change(db, Comment, [{"id": one.id, "auto_comment": result.comments.get(one.name)} for one in found])


def graded_points(db: Any, notebook: str) -> dict[str, float]:
    """Return the points of the cells that a test or a person has graded, by cell."""
    grades = select(BaseCell.name, Grade.score).join(Grade.cell).where(Grade.notebook_id == notebook)
    graded = grades.where(Grade.auto_score.is_not(None) | Grade.manual_score.is_not(None))
    return {name: points for name, points in db.execute(graded)}


def mark_stale(notebook: SubmittedNotebook, record: Record, why: str) -> None:
    """Have each grade wait for a person, and each comment say why; note in the record which grades waited."""
    if not record.stale:
        record.stale = json.dumps([grade.name for grade in notebook.grades if grade.needs_manual_grade])
    for grade in notebook.grades:
        grade.needs_manual_grade = True
    for comment in notebook.comments:
        comment.auto_comment = why
