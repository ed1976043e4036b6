"""The data at the top of a feedback page: one process collects the data, and another one renders them."""

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
        points, max_points: the points earned, including extra credit, and the points available.
        extra: the part of `points` that is extra credit.
        outcome: the outcome of the task.
        needs_grading: whether a person still has to grade the task.
        verdict: the tests' message with the likely cause of the failure, without the content of hidden tests;
            None if the tests give no message.
        comment: the comment of a person who graded the task.
        why: the course's explanation of the solution as Markdown; empty if the student has not passed and
            solutions are not released yet.
        solution: the course's own answer; empty if solutions are not released yet.
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
        language: the language of the submission; if it could not be read, that of an earlier submission.
        score, max_score: the points earned, before the penalty, and the points available, as in the
            gradebook.
        penalty: the points taken off for lateness.
        rows: the tasks, in the order of the lesson.
        rejected: the reason why the file could not be read; empty if it was read.
        counted: the name of the notebook that was graded, if the page must mention it because several
            notebooks were handed in; otherwise empty.
        korean: the same data in Korean, if the file could not be read and its language is unknown.
        earlier_points: if this file could not be read, the points that an earlier file earned, and the points
            that were available then; otherwise None.
        times: if points were taken off, the times (with time zones) at which the file was handed in and at
            which it was due; otherwise None.
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
