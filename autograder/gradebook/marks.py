"""The grades and comments of one submission in nbgrader's tables: what a result changes in them."""

import json
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import BaseCell, Comment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from autograder.course.clock import Clock
from autograder.gradebook.late import LatePenalty
from autograder.gradebook.records import Record, auto_scores, read_result
from autograder.gradebook.result import Result
from autograder.gradebook.submissions import change


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


def set_penalty(
    db: Any, student: str, notebook: str, timestamp: datetime | None, clock: Clock, penalty: LatePenalty
) -> float | None:
    """Set the late penalty, after the scores; return it."""
    late = select(SubmittedNotebook.score, AssignmentEntry.duedate, SubmittedAssignment.extension)
    late = late.join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    late = late.join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
    score, due, extension = db.execute(late.where(SubmittedNotebook.id == notebook)).one()
    times = (timestamp, clock.extend(due, extension)) if timestamp and due else None
    points = penalty(student, score, times)
    change(db, SubmittedNotebook, [{"id": notebook, "late_submission_penalty": points}])
    return points


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
