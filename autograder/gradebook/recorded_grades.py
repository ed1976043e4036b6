"""Read a submission's entries from nbgrader's tables, including manual scores and comments."""

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import BaseCell, Comment, Grade, Notebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import bindparam, select

from autograder.course.clock import Clock
from autograder.gradebook.result import cell_key, sha256
from autograder.page.version import page_version

T = TypeVar("T")


@dataclass(frozen=True)
class RecordedGrades:
    """The gradebook's entries for a submission, or for one of its notebooks.

    Cells are identified by `cell_key`.

    Attributes:
        score, max_score: the sums over all graded cells, before the late penalty.
        penalty: the points deducted for lateness.
        times: the time of submission and the due date including any extension, in UTC; None if either is
            unknown.
        scores: the points and the maximum points, keyed by graded cell.
        auto: the automatic score, keyed by graded cell.
        comments: the comment, keyed by the answer's cell.
        waiting: the graded cells that need manual grading.
        extra: the extra credit, keyed by graded cell. It is included in the points. Cells without extra
            credit have no entry.
        notebooks: the maximum points and the penalty, keyed by notebook name. For the notebook with the
            assignment's name, the key is empty.
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
    notebooks: Mapping[str, tuple[float, float]]

    def for_notebook(self, notebook: str) -> "RecordedGrades":
        """Return the entries for one notebook, keyed by grade_id."""
        max_score, penalty = self.notebooks.get(notebook, (0.0, 0.0))
        scores = _select_notebook(self.scores, notebook)
        return RecordedGrades(
            score=math.fsum(points for points, _ in scores.values()),
            max_score=max_score,
            penalty=penalty,
            times=self.times,
            scores=scores,
            auto=_select_notebook(self.auto, notebook),
            comments=_select_notebook(self.comments, notebook),
            waiting=frozenset(_select_notebook(dict.fromkeys(self.waiting), notebook)),
            extra=_select_notebook(self.extra, notebook),
            notebooks={notebook: (max_score, penalty)},
        )

    @property
    def late(self) -> tuple[datetime, datetime] | None:
        """The time of submission and the due date if points were deducted for lateness; otherwise None."""
        return self.times if self.penalty else None

    @property
    def fingerprint(self) -> str:
        """A hash of these entries and of the code that makes a feedback page from them."""
        extra = {"waiting": sorted(self.waiting), "times": self.late, "code": page_version()}
        data = vars(self) | extra
        return sha256(json.dumps(data, sort_keys=True, default=str))


def _select_notebook(cells: Mapping[str, T], notebook: str) -> dict[str, T]:
    """Return the values of one notebook's cells, keyed by grade_id instead of by `cell_key`."""
    split_keys = ((key.rpartition("/"), value) for key, value in cells.items())
    return {cell: value for (name, _, cell), value in split_keys if name == notebook}


# The SQL statements are built once, because building a statement takes longer than the database needs to
# run it.
_NOTEBOOKS: Any = bindparam("notebooks", expanding=True)
_SUBMITTED_NOTEBOOKS = (
    select(SubmittedNotebook.id, SubmittedNotebook.max_score, SubmittedNotebook.late_submission_penalty)
    .add_columns(SubmittedAssignment.timestamp, AssignmentEntry.duedate, SubmittedAssignment.extension)
    .add_columns(SubmittedAssignment.id.label("submitted"))
    .add_columns(Notebook.name, AssignmentEntry.name.label("assignment"))
    .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
    .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
    .where(SubmittedAssignment.id.in_(bindparam("submitted", expanding=True)))
    .order_by(Notebook.name)
)
_GRADES = (
    select(Grade.notebook_id, BaseCell.name, Grade.score, Grade.max_score)
    .add_columns(Grade.auto_score, Grade.needs_manual_grade, Grade.extra_credit)
    .join(Grade.cell)
    .where(Grade.notebook_id.in_(_NOTEBOOKS))
)
_COMMENTS = (
    select(Comment.notebook_id, BaseCell.name, Comment.comment)
    .join(Comment.cell)
    .where(Comment.notebook_id.in_(_NOTEBOOKS))
)


def read_recorded_grades(db: Any, submitted: Collection[str], clock: Clock) -> dict[str, RecordedGrades]:
    """Return the gradebook's entries for submissions, keyed by the id of the submitted assignment."""
    rows = db.execute(_SUBMITTED_NOTEBOOKS, {"submitted": list(submitted)}).all()
    parameters = {"notebooks": [row.id for row in rows]}
    grades, comments = db.execute(_GRADES, parameters), db.execute(_COMMENTS, parameters)
    grade_rows, comment_rows = _by_notebook(grades), _by_notebook(comments)
    parts_by_submission: dict[str, list[_Notebook]] = {}
    for row in rows:
        part = _Notebook(
            row, notebook_key(row.name, row.assignment), grade_rows[row.id], comment_rows[row.id]
        )
        parts_by_submission.setdefault(row.submitted, []).append(part)
    return {submitted: _grades_of(parts, clock) for submitted, parts in parts_by_submission.items()}


def notebook_key(notebook: str, assignment: str) -> str:
    """Return a notebook's key: the notebook's name, or "" for the notebook with the assignment's name."""
    return "" if notebook == assignment else notebook


class _Notebook(NamedTuple):
    """The database rows of a submitted notebook, of its grades and of its comments."""

    row: Any
    key: str
    grades: Sequence[Any]
    comments: Sequence[Any]


def _by_notebook(rows: Iterable[Any]) -> defaultdict[str, list[Any]]:
    rows_by_notebook = defaultdict(list)
    for row in rows:
        rows_by_notebook[row.notebook_id].append(row)
    return rows_by_notebook


def _grades_of(parts: Sequence[_Notebook], clock: Clock) -> RecordedGrades:
    row = parts[0].row
    has_times = row.timestamp and row.duedate
    grades = {cell_key(part.key, grade.name): grade for part in parts for grade in part.grades}
    return RecordedGrades(
        # Do not use nbgrader's own sum, because computing it reads all grades of the class for each
        # submission.
        score=math.fsum(grade.score for grade in grades.values()),
        max_score=math.fsum(part.row.max_score for part in parts),
        penalty=math.fsum(part.row.late_submission_penalty or 0.0 for part in parts),
        times=(row.timestamp, clock.extend(row.duedate, row.extension)) if has_times else None,
        scores={key: (grade.score, grade.max_score) for key, grade in grades.items()},
        auto={key: grade.auto_score for key, grade in grades.items()},
        comments={
            cell_key(part.key, comment.name): comment.comment for part in parts for comment in part.comments
        },
        waiting=frozenset(key for key, grade in grades.items() if grade.needs_manual_grade),
        extra={key: grade.extra_credit for key, grade in grades.items() if grade.extra_credit},
        notebooks={part.key: (part.row.max_score, part.row.late_submission_penalty or 0.0) for part in parts},
    )
