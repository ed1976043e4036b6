"""Late penalties, computed by the course's own nbgrader plugin."""

import math
from datetime import datetime
from functools import cached_property
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import Notebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import bindparam, select
from traitlets.config import Config

from autograder.course.clock import Clock
from autograder.gradebook.submissions import change

_SCORES = (
    select(SubmittedNotebook.id, SubmittedNotebook.score, SubmittedNotebook.late_submission_penalty)
    .add_columns(AssignmentEntry.duedate, SubmittedAssignment.extension)
    .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    .join(AssignmentEntry, AssignmentEntry.id == SubmittedAssignment.assignment_id)
    .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
    .where(SubmittedAssignment.id == bindparam("submitted"))
    .order_by(Notebook.name)
)


class LatePenalty:
    """The late penalty, computed by the course's plugin as in nbgrader's AssignLatePenalties.

    Args:
        config: nbgrader's settings.
    """

    def __init__(self, config: Config) -> None:
        self._config = config

    def __call__(self, student: str, score: float, times: tuple[datetime, datetime] | None) -> float | None:
        """Return the points to deduct, at least 0 and at most the score; None if there is no penalty.

        Args:
            student: the student's id.
            score: the points before the penalty.
            times: the time of submission and the due date; None if either is unknown.
        """
        seconds_late = (times[0] - times[1]).total_seconds() if times else 0.0
        if seconds_late <= 0:
            return None
        penalty = self._plugin.late_submission_penalty(student, score, seconds_late)
        return None if penalty is None else min(max(0.0, float(penalty)), score)

    @cached_property
    def _plugin(self) -> Any:
        step = AssignLatePenalties(config=self._config)
        step.init_plugin()
        return step.plugin_inst


def set_penalty(
    db: Any, student: str, submitted: str, timestamp: datetime | None, clock: Clock, penalty: LatePenalty
) -> float | None:
    """Recompute the late penalty of each notebook, as nbgrader does; return the sum of the penalties.

    Args:
        db: the session of the gradebook.
        student: the student's id.
        submitted: the id of the submitted assignment.
        timestamp: the time of submission; None if unknown.
        clock: the class's clock, which adds extensions to due dates.
        penalty: the course's late penalty.
    """
    penalties: list[float | None] = []
    rows = []
    for notebook, score, old_penalty, due, extension in db.execute(_SCORES, {"submitted": submitted}).all():
        times = (timestamp, clock.extend(due, extension)) if timestamp and due else None
        penalties.append(penalty(student, score, times))
        if penalties[-1] != old_penalty:
            rows.append({"id": notebook, "late_submission_penalty": penalties[-1]})
    change(db, SubmittedNotebook, rows)
    points = [points for points in penalties if points is not None]
    return math.fsum(points) if points else None
