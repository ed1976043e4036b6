"""Points off for being late, by the course's own plugin."""

from datetime import datetime
from functools import cached_property
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import select
from traitlets.config import Config

from autograder.course.clock import Clock
from autograder.gradebook.submissions import change


class LatePenalty:
    """Asks the course's late penalty plugin, as nbgrader's AssignLatePenalties does.

    Args:
        config: nbgrader's settings.
    """

    def __init__(self, config: Config) -> None:
        self._config = config

    def __call__(self, student: str, score: float, times: tuple[datetime, datetime] | None) -> float | None:
        """Return the points off, between none and all; None if there is no penalty.

        Args:
            student: the student's id.
            score: the points before the penalty.
            times: when it was handed in and when it was due; None if one is unknown.
        """
        late = (times[0] - times[1]).total_seconds() if times else 0.0
        if late <= 0:
            return None
        penalty = self._plugin.late_submission_penalty(student, score, late)
        return None if penalty is None else min(max(0.0, float(penalty)), score)

    @cached_property
    def _plugin(self) -> Any:
        step = AssignLatePenalties(config=self._config)
        step.init_plugin()
        return step.plugin_inst


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
