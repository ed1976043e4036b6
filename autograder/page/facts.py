"""The data at the top of a feedback page, which one process collects and another one renders."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.exam.report import Outcome
from secant.language import Language
from secant.verdict import Verdict


@dataclass(frozen=True)
class TaskRow:
    """A task in the list at the top of a feedback page.

    Attributes:
        task: the id of the task and of its answer cell.
        title: the heading of the task in the lesson.
        points, max_points: the points earned, with extra credit, and the points available.
        extra: the extra credit among the points.
        outcome: the outcome of the task.
        needs_grading: whether a person still has to grade the task.
        verdict: the tests' message and its likely cause, without secrets; None if the tests give no message.
        comment: the comment of a person who graded the task.
        why: the course's explanation of the solution as Markdown; for students who passed, and for all
            students once solutions are released.
        solution: the course's own answer, once solutions are released.
    """

    task: str
    title: str
    points: float
    max_points: float
    extra: float = 0.0
    outcome: Outcome = "passed"
    needs_grading: bool = False
    verdict: Verdict | None = None
    comment: str = ""
    why: str = ""
    solution: str = ""


@dataclass(frozen=True)
class PageHead:
    """The top of a feedback page, above the notebook.

    Attributes:
        title: the title of the lesson.
        language: the language of the submission, or of an earlier one.
        score, max_score: the points before the penalty and the points available, as in the gradebook.
        penalty: the points taken off for lateness.
        rows: the tasks, in the order of the lesson.
        rejected: the reason why the file could not be read; empty if it was read.
        counted: the notebook that was graded, if several were handed in; empty if it needs no mention.
        korean: the same data in Korean, for an unreadable file in an unknown language.
        earlier_points: the points of an earlier file and the points available then, if this file could not be
            read.
        times: the times when the file was handed in and when it was due, with time zones, if points were
            taken off.
    """

    title: str
    language: Language
    score: float
    max_score: float
    penalty: float = 0.0
    rows: Sequence[TaskRow] = ()
    rejected: str = ""
    counted: str = ""
    korean: "PageHead | None" = None
    earlier_points: tuple[float, float] | None = None
    times: tuple[str, ...] | None = None
