"""What became of a submitted notebook with ordinary nbgrader tests: plain data, without what examined it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.sandbox.results import CellResult

Outcome = Literal["passed", "partial", "failed", "timed_out", "crashed", "manual", "missing"]


@dataclass(frozen=True)
class Grade:
    """What became of a cell that gives points.

    Attributes:
        id: its grade_id.
        points: what it earned; None where a person decides, or where the submission does not have the cell.
        max_points: the most that it gives.
        outcome: `manual` waits for a person; `missing` is not in the submission.
        error, message, output: what a test raised and printed; empty where that could quote a hidden test.
        hidden: whether the test has a hidden part, or follows one that has.
        unchanged: whether a manual answer is what students were given, which is 0 points.
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
    """What became of one submitted notebook.

    Attributes:
        notebook: its name.
        grades: in the order of the assignment.
        unanswered: the answers that are as students were given them.
        cells: what the other cells printed or raised, as the candidate claims it; nothing of those that
            follow a test with a hidden part, since they could quote it.
    """

    notebook: str
    grades: Sequence[Grade]
    unanswered: Sequence[str] = ()
    cells: Sequence[CellResult] = ()

    @property
    def score(self) -> float:
        """Return the points that need no person."""
        return sum(grade.points or 0.0 for grade in self.grades)

    @property
    def max_score(self) -> float:
        """Return the points of all cells."""
        return sum(grade.max_points for grade in self.grades)

    @property
    def needs_manual_grade(self) -> bool:
        """Return whether something waits for a person."""
        return any(grade.outcome == "manual" for grade in self.grades)
