"""The answers of a candidate (the student's process), and the errors raised if there is no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from secant.bindings import Finding


class WallError(RuntimeError):
    """The grader itself has failed, not the student's code. This error must never lead to a score."""

    # A WallError ends the whole task, so that no part of a test cell mistakes it for the student's failure.
    ends_task = True


class Overloaded(WallError):
    """The machine was too busy to judge whether a time limit was reached, so there is no verdict."""


class WallUnavailable(WallError):
    """No sandbox can be built on this machine, so other people's code must not run here.

    Attributes:
        reason: what was tried and refused.
        fix: what to install or to allow.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}\n{fix}")
        self.reason = reason
        self.fix = fix


class CandidateError(Exception):
    """The student's process gave no answer, and the cause lies in that process, not in the grader."""

    ends_task = True  # the process has ended, so no other question of the test cell can be answered


class TimedOut(CandidateError):
    """The time limit was reached, and the running code has been stopped.

    Attributes:
        cell: the label of the cell that was running, if cells were being loaded.
        results: the results of the cells before it.
    """

    def __init__(self, message: str, cell: str | None = None, results: "Sequence[CellResult]" = ()) -> None:
        super().__init__(message)
        self.cell = cell
        self.results = list(results)


class Crashed(CandidateError):
    """The student's process ended, or sent something that is not an answer.

    Attributes:
        reason: "memory", "signal", "exit", "garbage", or "unknown".
        detail: the signal's number or the exit code, if known.
        cell, results: as in TimedOut.
    """

    def __init__(self, reason: str, detail: int = 0) -> None:
        super().__init__(f"{reason} {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.cell: str | None = None
        self.results: list[CellResult] = []


@dataclass(frozen=True)
class TraceLine:
    """A line of the student's own code in a traceback."""

    cell: str
    number: int
    function: str
    text: str


@dataclass(frozen=True)
class CellResult:
    """The result of running one code cell.

    All text in it comes from the candidate (the student's process), and is limited in length.
    """

    label: str
    error: str  # the exception's type name; empty if the cell raised none
    message: str
    trace: tuple[TraceLine, ...]
    output: str
    seconds: float

    @property
    def ok(self) -> bool:
        """True if the cell ran to its end."""
        return not self.error


@dataclass(frozen=True)
class LoadResult:
    """The results of loading a notebook, once all cells have run.

    Attributes:
        cells: the results of the cells.
        threads: the number of threads in the process after the last cell; 0 if unknown.
        answer_findings: for each task, findings about the names that its answer uses. The findings come from
            the candidate (the student's process), so they are used only in messages.
        cell_findings: findings of the same kind for cells that stopped with an error, keyed by the cell's
            label.
    """

    cells: tuple[CellResult, ...]
    threads: int
    answer_findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    cell_findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """The answer to one question, which is a call to a function.

    Attributes:
        kind: "value", "raised", "missing" (no such name) or "too_much" (beyond what any test asks for).
        value: plain data and tensors, with a `wire.Unsendable` in place of any other object. For "too_much",
            this is a single `wire.Unsendable`.
        error, message, trace: the type, the message and the traceback of the exception that was raised.
        findings: findings about the notebook's names that may explain the exception. They come from the
            candidate, so they are used only in messages.
    """

    kind: Literal["value", "raised", "missing", "too_much"]
    value: Any = None
    error: str = ""
    message: str = ""
    trace: tuple[TraceLine, ...] = ()
    findings: tuple[Finding, ...] = ()
