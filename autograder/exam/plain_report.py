"""The results of grading a plain notebook, as data that can be used without importing the examiner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.sandbox.results import CellResult

Outcome = Literal["passed", "partial", "failed", "timed_out", "crashed", "manual", "missing"]


@dataclass(frozen=True)
class Grade:
    """The result of a cell that is worth points.

    Attributes:
        id: the cell's grade_id.
        points: the points earned; None if a person must grade the cell, or if the submission does not
            contain it.
        max_points: the maximum points of the cell.
        outcome: the kind of result. `manual` means that a person grades the cell; `missing` means that the
            submission does not contain it.
        error, message, output: the type and message of a test's error, and the test's output; empty if they
            could quote a hidden test.
        seconds: the time that the test took.
        hidden: whether the test has a hidden part, or follows a test that has one.
        unchanged: whether a manual answer is still the released stub, which gives 0 points.
    """

    id: str
    points: float | None
    max_points: float
    outcome: Outcome
    error: str = ""
    message: str = ""
    output: str = ""
    seconds: float = 0.0
    hidden: bool = False
    unchanged: bool = False


@dataclass(frozen=True)
class PlainReport:
    """The results of one submitted notebook.

    Attributes:
        notebook: the notebook's name.
        grades: the results of the cells that are worth points, in the assignment's order.
        unanswered: the ids of the answers that are unchanged from the release.
        cells: the output or error of each code cell that is not a test, as claimed by the process that ran
            the cell. Cells after a test with a hidden part are omitted, because their output could quote the
            hidden part.
    """

    notebook: str
    grades: Sequence[Grade]
    unanswered: Sequence[str] = ()
    cells: Sequence[CellResult] = ()

    @property
    def score(self) -> float:
        """The points earned in cells that need no manual grading."""
        return sum(grade.points or 0.0 for grade in self.grades)

    @property
    def max_score(self) -> float:
        """The maximum points of all cells."""
        return sum(grade.max_points for grade in self.grades)

    @property
    def needs_manual_grade(self) -> bool:
        """True if a cell needs manual grading."""
        return any(grade.outcome == "manual" for grade in self.grades)
