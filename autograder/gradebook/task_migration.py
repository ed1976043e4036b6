"""Update the gradebook when the tasks of a graded assignment change, without losing any grade.

nbgrader itself either refuses to change the cells of a graded assignment, or removes the assignment with all
of its submissions. This module first copies the whole gradebook. It then saves the grades of dropped tasks in
a table, and leaves the grades of the remaining tasks alone.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    SourceCell,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from nbgrader.utils import is_grade, is_locked, is_solution, is_task
from sqlalchemy import delete, insert, inspect, literal, select, text
from sqlalchemy.orm import Session

from autograder.gradebook.tables import Table, as_csv
from secant.files import replace_file

_COLUMNS = ("student", "cell", "auto_score", "manual_score", "extra_credit", "max_score", "comment")
Cells = set[tuple[type, str]]


@dataclass(frozen=True)
class Difference:
    """The differences between a notebook's graded cells and the gradebook's entries for it.

    Attributes:
        dropped, added: sorted names of cells, without duplicates. A cell whose kind of grading has changed is
            in both lists.
    """

    dropped: Sequence[str]
    added: Sequence[str]


def difference(entry: Notebook, notebook: NotebookNode) -> Difference:
    """Compare a notebook's graded cells with the gradebook's entries for it."""
    old, new = _cells_in_gradebook(entry), _cells_in_notebook(notebook)
    return Difference(*(sorted({name for _, name in cells}) for cells in (old - new, new - old)))


def _cells_in_gradebook(entry: Notebook) -> Cells:
    kinds = {
        GradeCell: entry.grade_cells,
        SolutionCell: entry.solution_cells,
        TaskCell: entry.task_cells,
        SourceCell: entry.source_cells,
    }
    return {(kind, cell.name) for kind, cells in kinds.items() for cell in cells}


def _cells_in_notebook(notebook: NotebookNode) -> Cells:
    cells: Cells = set()
    for cell in notebook.cells:
        graded, solution, task = is_grade(cell), is_solution(cell), is_task(cell)
        kinds = {GradeCell: graded, SolutionCell: solution, TaskCell: task}
        kinds[SourceCell] = graded or solution or task or is_locked(cell)
        cells |= {(kind, cell.metadata.nbgrader.grade_id) for kind, is_of_kind in kinds.items() if is_of_kind}
    return cells


def migrate(db: Session, entry: Notebook, notebook: NotebookNode, table: Path) -> None:
    """Make the gradebook match a notebook's cells, and add entries for new cells to every submission.

    A new grade needs manual grading until the submission is graded again, so it does not count as zero. The
    caller has to commit the changes.

    Args:
        db: the session of the gradebook.
        entry: the gradebook's entry for the notebook.
        notebook: the changed notebook, after the preprocessing that `generate_assignment` applies before it
            saves cells.
        table: the path of the CSV table for the grades of dropped cells. It is written only if there are such
            grades, and replaces an older file.
    """
    old, new = _cells_in_gradebook(entry), _cells_in_notebook(notebook)
    # This update changes nothing. It takes the write lock, so that no other process can write until the
    # commit.
    db.execute(text("UPDATE course SET id = id"))
    cells = (*entry.grade_cells, *entry.solution_cells, *entry.task_cells)
    dropped = [cell for cell in cells if (type(cell), cell.name) in old - new]
    _save_grades(db, [cell.id for cell in dropped], table)
    for cell in dropped:
        for model in (Grade, Comment):
            db.execute(delete(model).where(model.cell_id == cell.id))
        db.execute(delete(type(cell).__table__).where(type(cell).__table__.c.id == cell.id))
        db.execute(delete(BaseCell.__table__).where(BaseCell.__table__.c.id == cell.id))
    dropped_sources = [name for kind, name in old - new if kind is SourceCell]
    db.execute(
        delete(SourceCell).where(SourceCell.notebook_id == entry.id, SourceCell.name.in_(dropped_sources))
    )
    submissions = list(
        db.scalars(select(SubmittedNotebook.id).where(SubmittedNotebook.notebook_id == entry.id))
    )
    types = {cell.metadata.nbgrader.grade_id: cell.cell_type for cell in notebook.cells if _is_marked(cell)}
    for kind, name in sorted(new - old, key=lambda cell: (cell[0].__name__, cell[1])):
        _add_cell(db, kind, name, entry.id, types[name], submissions)


def _is_marked(cell: NotebookNode) -> bool:
    return "nbgrader" in cell.metadata


def _add_cell(
    db: Session, kind: type, name: str, notebook: str, cell_type: str, submissions: Sequence[str]
) -> None:
    """Add an empty cell to the gradebook, and an entry for the cell to every submission.

    The caller sets the cell's points and source later.
    """
    new_cell: Any = kind(id=new_uuid(), name=name, notebook_id=notebook)
    if kind in (GradeCell, TaskCell):
        new_cell.max_score, new_cell.cell_type = 0.0, cell_type
    elif kind is SourceCell:
        new_cell.cell_type, new_cell.source, new_cell.locked = cell_type, "", False
    db.add(new_cell)
    db.flush()
    rows = [
        {"id": new_uuid(), "cell_id": new_cell.id, "notebook_id": submission} for submission in submissions
    ]
    if kind in (GradeCell, TaskCell) and rows:
        db.execute(insert(Grade), [row | {"needs_manual_grade": True} for row in rows])
    if kind in (SolutionCell, TaskCell) and rows:
        db.execute(insert(Comment), [row | {"id": new_uuid()} for row in rows])


def _save_grades(db: Session, cells: Sequence[str], table: Path) -> None:
    """Save any scores and manual comments of the given cells in a CSV table."""
    student = SubmittedAssignment.student_id
    grades = select(student, BaseCell.name, Grade.auto_score, Grade.manual_score, Grade.extra_credit)
    grades = grades.add_columns(Grade.max_score, literal("")).join(Grade.notebook)
    grades = grades.join(Grade.cell).where(Grade.cell_id.in_(cells))
    empty_columns = [literal("")] * 4
    comments = select(student, BaseCell.name, *empty_columns, Comment.manual_comment).join(Comment.notebook)
    comments = comments.join(BaseCell, BaseCell.id == Comment.cell_id).where(Comment.cell_id.in_(cells))
    comments = comments.where(Comment.manual_comment.is_not(None))
    join_condition = SubmittedAssignment.id == SubmittedNotebook.assignment_id
    rows = [
        ["" if value is None else str(value) for value in row]
        for query in (grades, comments)
        for row in db.execute(
            query.join(SubmittedAssignment, join_condition).order_by(student, BaseCell.name)
        )
    ]
    if rows:
        replace_file(table, as_csv(Table(list(_COLUMNS), rows, bom=True)), private=True)


def back_up(db: Session, file: Path | None, name: str) -> str:
    """Copy the whole gradebook; return a description of the copy's location.

    Args:
        db: the session of the gradebook.
        file: the SQLite file; None for a server's database. On a server, the copy is a new schema, which
            exists once `db` commits.
        name: an unused name for the copy, of at most 63 letters, digits and underscores.
    """
    if file is not None:
        copy = file.with_name(f"{name}.db")
        copy.touch(mode=file.stat().st_mode & 0o777, exist_ok=False)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return str(copy)
    db.execute(text(f'CREATE SCHEMA "{name}"'))
    for table in inspect(db.connection()).get_table_names():
        db.execute(text(f'CREATE TABLE "{name}"."{table}" AS TABLE "{table}"'))
    return f"the schema {name} of the database"


def backup_name(lesson: str, now: datetime) -> str:
    """Return a name made from lesson and time, for the gradebook's copy and the table of dropped grades."""
    return f"gradebook_before_{lesson[:24]}_{now:%Y%m%d_%H%M%S}"
