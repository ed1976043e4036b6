"""What became of a submission, task by task."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from autograder.course.cells import Task
from autograder.sandbox.results import CellResult
from secant.language import Language
from secant.verdict import Verdict

Outcome = Literal[
    "passed", "wrong", "not_attempted", "crashed", "timed_out", "rejected", "grader_failure", "manual"
]


@dataclass(frozen=True)
class TaskResult:
    """What became of one task. Points of a manual task count nowhere until a person has graded it.

    Attributes:
        hidden: whether it was the hidden part of the test that the answer failed.
    """

    id: str
    points: float
    max_points: float
    outcome: Outcome
    verdict: Verdict
    seconds: float = 0.0
    hidden: bool = False

    @property
    def message(self) -> str:
        """The verdict as text."""
        return str(self.verdict)

    @property
    def hint(self) -> str:
        """The name of the hint that the verdict gives."""
        return self.verdict.hint

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the result that `asdict` made plain data of. Up to 0.1, a message and a hint stood in it."""
        fields = dict(data)
        if "message" in fields:
            verdict = Verdict.plain(fields.pop("message"), fields.pop("hint", ""))
        else:
            verdict = Verdict.from_json(fields["verdict"])
        return cls(**{**fields, "verdict": verdict})


#: What `check --json` and `grade --json` show of a task.
PUBLIC = ("id", "points", "max_points", "outcome", "message", "seconds")


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
        return sum(task.points for task in self.tasks if task.outcome != "manual")

    @property
    def max_score(self) -> float:
        """Points to be had, manual tasks left out."""
        return sum(task.max_points for task in self.tasks if task.outcome != "manual")

    def as_json(self) -> dict[str, Any]:
        """Return the public form of `check --json`."""
        return {
            "lesson": self.lesson,
            "score": self.score,
            "max_score": self.max_score,
            "tasks": [{name: getattr(task, name) for name in PUBLIC} for task in self.tasks],
        }


def everywhere(lesson: str, tasks: Iterable[Task], outcome: Outcome, message: str) -> Report:
    """Return the report of a submission that met the same fate in every task."""
    verdict = Verdict.plain(message)
    return Report(lesson, [TaskResult(task.id, 0.0, task.points, outcome, verdict) for task in tasks])
