"""What became of a submission, task by task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autograder.course.cells import Task
from autograder.sandbox.results import CellResult
from secant.language import Language

Outcome = Literal[
    "passed", "wrong", "not_attempted", "crashed", "timed_out", "rejected", "grader_failure", "manual"
]


@dataclass(frozen=True)
class TaskResult:
    """What became of one task. Points of a manual task count nowhere until a person has graded it.

    Attributes:
        hint: the name, in the lesson's catalogue or the kit's, of the hint that the message gives; whatever
            the language, the same mistake has the same name.
        hidden: whether it was the hidden part of the test that the answer failed.
    """

    id: str
    points: float
    max_points: float
    outcome: Outcome
    message: str
    seconds: float = 0.0
    hint: str = ""
    hidden: bool = False


#: What `check --json` and `grade --json` show of a task.
PUBLIC = ("id", "points", "max_points", "outcome", "message", "seconds")


def score(tasks: Iterable[TaskResult]) -> float:
    """Points reached, manual tasks left out."""
    return sum(task.points for task in tasks if task.outcome != "manual")


def max_score(tasks: Iterable[TaskResult]) -> float:
    """Points to be had, manual tasks left out."""
    return sum(task.max_points for task in tasks if task.outcome != "manual")


@dataclass(frozen=True)
class Report:
    """What became of one submission.

    Attributes:
        tasks: in the order of the lesson.
        cells: what the student's cells printed or raised, as the candidate claims it.
        language: the submission's; None if it could not be read.
    """

    lesson: str
    tasks: Sequence[TaskResult]
    cells: Sequence[CellResult] = ()
    language: Language | None = None

    @property
    def score(self) -> float:
        """Points reached, manual tasks left out."""
        return score(self.tasks)

    @property
    def max_score(self) -> float:
        """Points to be had, manual tasks left out."""
        return max_score(self.tasks)

    def as_json(self) -> dict[str, Any]:
        """Return the public form of `check --json`."""
        return {
            "lesson": self.lesson,
            "score": self.score,
            "max_score": self.max_score,
            "tasks": [{name: getattr(task, name) for name in PUBLIC} for task in self.tasks],
        }


def everywhere(lesson: str, tasks: Iterable[Task], outcome: Outcome, message: str) -> Report:
    """The report of a submission that met the same fate in every task."""
    return Report(lesson, [TaskResult(task.id, 0.0, task.points, outcome, message) for task in tasks])
