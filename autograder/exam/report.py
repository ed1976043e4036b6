"""The results of examining a submission, task by task."""

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
    """The result of one task. The points of a manual task do not count until a person has graded it.

    Attributes:
        id: the task's id.
        points: the points that the answer earned.
        max_points: the maximum points of the task.
        outcome: the kind of result.
        verdict: the explanation for the student.
        seconds: the time that the task took.
        hidden: whether the answer failed in the hidden part of the test.
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
        """Rebuild a result from the plain data made by `asdict`.

        In data stored by Secant 0.1 or earlier, a message and a hint take the place of the verdict.
        """
        fields = dict(data)
        if "message" in fields:
            verdict = Verdict.plain(fields.pop("message"), fields.pop("hint", ""))
        else:
            verdict = Verdict.from_json(fields["verdict"])
        return cls(**{**fields, "verdict": verdict})


#: The fields of a task's result that `check --json` and `grade --json` print.
PUBLIC = ("id", "points", "max_points", "outcome", "message", "seconds")


@dataclass(frozen=True)
class Report:
    """The results of one submission.

    Attributes:
        lesson: the lesson's name.
        tasks: the results of the tasks, in the lesson's order.
        cells: the output or error of each of the student's cells, as claimed by the process that ran them.
        language: the language of the submission; None if the submission could not be read.
    """

    lesson: str
    tasks: Sequence[TaskResult]
    cells: Sequence[CellResult] = ()
    language: Language | None = None

    @property
    def score(self) -> float:
        """The points earned, excluding those for manually graded tasks."""
        return sum(task.points for task in self.tasks if task.outcome != "manual")

    @property
    def max_score(self) -> float:
        """The maximum points, excluding those for manually graded tasks."""
        return sum(task.max_points for task in self.tasks if task.outcome != "manual")

    def as_json(self) -> dict[str, Any]:
        """Return the report as printed by `check --json`."""
        return {
            "lesson": self.lesson,
            "score": self.score,
            "max_score": self.max_score,
            "tasks": [{name: getattr(task, name) for name in PUBLIC} for task in self.tasks],
        }


def uniform_report(lesson: str, tasks: Iterable[Task], outcome: Outcome, message: str) -> Report:
    """Return a report in which every task has the same outcome and message."""
    verdict = Verdict.plain(message)
    return Report(lesson, [TaskResult(task.id, 0.0, task.points, outcome, verdict) for task in tasks])
