"""What can come of questioning a candidate: answers, and the errors that stand for no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from secant.bindings import Finding


class WallError(RuntimeError):
    """The grader's own failure, never the student's: no score may be written for it."""

    ends_task = True  # no part of a test cell may take it for the student's failure


class Starved(WallError):
    """A limit was reached while the machine was starved: no verdict."""


class WallUnavailable(WallError):
    """No wall can be made on this machine, so strangers' work must not run here.

    Attributes:
        reason: what was tried and refused.
        fix: what to install or to allow.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}\n{fix}")
        self.reason = reason
        self.fix = fix


class CandidateError(Exception):
    """The student's process gave no answer, for a reason of its own."""

    ends_task = True  # the process is gone: no other part of the test cell can be asked


class TimedOut(CandidateError):
    """The time was over; what ran has been ended.

    Attributes:
        cell: the label of the cell that was running, if the cells were being loaded.
        done: the results of the cells before it.
    """

    def __init__(self, message: str, cell: str | None = None, done: "Sequence[CellResult]" = ()) -> None:
        super().__init__(message)
        self.cell = cell
        self.done = list(done)


class Crashed(CandidateError):
    """The process ended, or said something that is not an answer.

    Attributes:
        reason: "memory", "signal", "exit", "garbage", or "unknown".
        detail: the signal's number or the exit code, if it is known.
        cell, done: as in TimedOut.
    """

    def __init__(self, reason: str, detail: int = 0) -> None:
        super().__init__(f"{reason} {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.cell: str | None = None
        self.done: list[CellResult] = []


@dataclass(frozen=True)
class Line:
    """A line of the student's own code in a traceback."""

    cell: str
    number: int
    function: str
    text: str


@dataclass(frozen=True)
class CellResult:
    """What became of one code cell. All text is the candidate's claim, of bounded length."""

    label: str
    error: str  # the exception's type name; empty if there was none
    message: str
    trace: tuple[Line, ...]
    output: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether the cell ran to its end."""
        return not self.error


@dataclass(frozen=True)
class Loaded:
    """What the cells of a notebook came to, once all have run.

    Attributes:
        cells: their results.
        threads: how many threads the process was left with (0: not known).
        about_answers: what the notebook's names explain, by task: the candidate's claim, for messages alone.
        about_cells: the same about cells that stopped with an error, by label.
    """

    cells: tuple[CellResult, ...]
    threads: int
    about_answers: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    about_cells: Mapping[str, Sequence[Finding]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """The answer to one question.

    Attributes:
        kind: "value", "raised", "missing" (no such name) or "too_much" (beyond what any test asks for).
        value: plain data and tensors, or `wire.Other` in the place of anything else; alone if it is too much.
        error, message, trace: of what was raised.
        findings: what the notebook's names explain of it: the candidate's claim, for messages alone.
    """

    kind: Literal["value", "raised", "missing", "too_much"]
    value: Any = None
    error: str = ""
    message: str = ""
    trace: tuple[Line, ...] = ()
    findings: tuple[Finding, ...] = ()
