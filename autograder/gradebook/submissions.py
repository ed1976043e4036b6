"""The rows of nbgrader's that a submission consists of: found, made, changed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import (
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
