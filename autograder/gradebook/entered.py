"""What nbgrader's tables say of a submission, manual scores and comments included."""

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import BaseCell, Comment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from autograder.course.clock import Clock
from autograder.gradebook.result import sha256
from autograder.page.version import page_version


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
        """Return the two times, if points were taken off."""
        return self.times if self.penalty else None

    @property
    def fingerprint(self) -> str:
        """Return a hash of all of it, and of the code that makes a page of it."""
        own = {"waiting": sorted(self.waiting), "times": self.late, "code": page_version()}
        said = asdict(self) | own
        return sha256(json.dumps(said, sort_keys=True, default=str))


def read_entered(db: Any, notebooks: Collection[str], clock: Clock) -> dict[str, Entered]:
    """Return what the gradebook says, by the id of the submitted notebook."""
    whole = select(
        SubmittedNotebook.id, SubmittedNotebook.max_score, SubmittedNotebook.late_submission_penalty
    )
    whole = whole.add_columns(
        SubmittedAssignment.timestamp, AssignmentEntry.duedate, SubmittedAssignment.extension
    )
    whole = whole.join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    whole = whole.join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
    grades = select(Grade.notebook_id, BaseCell.name, Grade.score, Grade.max_score)
    grades = grades.add_columns(Grade.auto_score, Grade.needs_manual_grade, Grade.extra_credit)
    grades = grades.join(Grade.cell).where(Grade.notebook_id.in_(notebooks))
    comments = select(Comment.notebook_id, BaseCell.name, Comment.comment).join(Comment.cell)
    comments = comments.where(Comment.notebook_id.in_(notebooks))
    graded, commented = _by_notebook(db.execute(grades)), _by_notebook(db.execute(comments))
    rows = db.execute(whole.where(SubmittedNotebook.id.in_(notebooks)))
    return {row.id: _entered(row, graded[row.id], commented[row.id], clock) for row in rows}


def _by_notebook(rows: Iterable[Any]) -> defaultdict[str, list[Any]]:
    found = defaultdict(list)
    for row in rows:
        found[row.notebook_id].append(row)
    return found


def _entered(row: Any, grades: Collection[Any], comments: Iterable[Any], clock: Clock) -> Entered:
    known = row.timestamp and row.duedate
    return Entered(
        # nbgrader's own sum reads all grades of the class, once for each submission.
        score=math.fsum(grade.score for grade in grades),
        max_score=row.max_score,
        penalty=row.late_submission_penalty or 0.0,
        times=(row.timestamp, clock.extend(row.duedate, row.extension)) if known else None,
        scores={grade.name: (grade.score, grade.max_score) for grade in grades},
        auto={grade.name: grade.auto_score for grade in grades},
        comments={comment.name: comment.comment for comment in comments},
        waiting=frozenset(grade.name for grade in grades if grade.needs_manual_grade),
        extra={grade.name: grade.extra_credit for grade in grades if grade.extra_credit},
    )
