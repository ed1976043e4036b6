"""The answers of a candidate, and the errors that are raised if there is no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from secant.bindings import Finding


class WallError(RuntimeError):
    """A failure of the grader itself, never of the student's code. No score may be written for it."""

    # The whole task ends, so that no part of a test cell takes this for the student's failure.
    ends_task = True


class Starved(WallError):
    """The machine was too busy to judge whether a time limit was reached, so there is no verdict."""


class WallUnavailable(WallError):
    """No wall can be built on this machine, so other people's code must not run here.

    Attributes:
        reason: what was tried and refused.
        fix: what to install or to allow.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}\n{fix}")
        self.reason = reason
        self.fix = fix


class CandidateError(Exception):
    """The student's process gave no answer, and the cause is that process, not the grader."""

    ends_task = True  # the process has ended, so no other part of the test cell can be asked


class TimedOut(CandidateError):
    """The time limit was reached, and the code that was running has been ended.

    Attributes:
        cell: the label of the cell that was running, if the cells were being loaded.
        done: the results of the cells before it.
    """

    def __init__(self, message: str, cell: str | None = None, done: "Sequence[CellResult]" = ()) -> None:
        super().__init__(message)
        self.cell = cell
        self.done = list(done)


class Crashed(CandidateError):
    """The student's process ended, or sent something that is not an answer.

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
    """The result of one code cell. All text in it is the candidate's claim, and of bounded length."""

    label: str
    error: str  # the exception's type name; empty if the cell raised none
    message: str
    trace: tuple[Line, ...]
    output: str
    seconds: float

    @property
    def ok(self) -> bool:
        """True if the cell ran to its end."""
        return not self.error


@dataclass(frozen=True)
class Loaded:
    """The results of a notebook's cells, once all of them have run.

    Attributes:
        cells: the results of the cells.
        threads: the number of threads in the process after the cells have run; 0 if it is not known.
        about_answers: by task, findings about the names that its answer uses. They are the candidate's
            claims, so they are only used in messages.
        about_cells: by label, the same for cells that stopped with an error.
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
        value: plain data and tensors, with a `wire.Other` in place of any other object. If the kind is
            "too_much", a single `wire.Other`.
        error, message, trace: the type, the message and the traceback of the exception that was raised.
        findings: findings about the notebook's names that may explain the exception. They are the candidate's
            claims, so they are only used in messages.
    """

    kind: Literal["value", "raised", "missing", "too_much"]
    value: Any = None
    error: str = ""
    message: str = ""
    trace: tuple[Line, ...] = ()
    findings: tuple[Finding, ...] = ()
