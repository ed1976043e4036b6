"""What a feedback page begins with: plain data, made where the gradebook is, shown where the page is made."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.exam.report import Outcome
from secant.language import Language
from secant.verdict import Verdict


@dataclass(frozen=True)
class Row:
    """One task.

    Attributes:
        task: its id, which is also its answer cell's.
        title: its heading in the lesson.
        points, most: reached, with extra credit, and to be had.
        extra: the extra credit among the points.
        outcome: what became of it.
        waits: whether a person still has to grade it.
        verdict: what the tests say, likely cause included; nothing secret. None if they say nothing.
        comment: a person's.
        why: said about the solution to who has passed, as Markdown of the course's own; once solutions are
            released, to everybody.
        solution: the course's own answer, once solutions are released.
    """

    task: str
    title: str
    points: float
    most: float
    extra: float = 0.0
    outcome: Outcome = "passed"
    waits: bool = False
    verdict: Verdict | None = None
    comment: str = ""
    why: str = ""
    solution: str = ""


@dataclass(frozen=True)
class Head:
    """What stands above the notebook.

    Attributes:
        title: the lesson's.
        language: the submission's, or that of an earlier one.
        score, most: points before the penalty, and to be had, as the gradebook has them.
        penalty: points off for being late.
        rows: the tasks, in the order of the lesson.
        rejected: why the file could not be read; empty if it was.
        counted: of several notebooks the one that was graded; empty if that needs no word.
        korean: the same in Korean, for a file that could not be read where nobody knows the language.
        times: when it was handed in and when it was due, each with its zone, if points were taken off.
        before: the points that an earlier file had, and the most there were, if this one could not be read.
    """

    title: str
    language: Language
    score: float
    most: float
    penalty: float = 0.0
    rows: Sequence[Row] = ()
    rejected: str = ""
    counted: str = ""
    korean: "Head | None" = None
    before: tuple[float, float] | None = None
    times: tuple[str, ...] | None = None
