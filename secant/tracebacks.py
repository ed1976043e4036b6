"""The display of errors in a notebook: the learner's own lines, without the test around them.

A test cell is collapsed, but an error that passes through it would print the cell's lines all the same. Only
the display changes. The error itself stays as it is, and so does every verdict.
"""

import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from types import TracebackType
from typing import Any

from secant.bindings import REBOUND, Finding, describe_finding
from secant.causes import QUESTION, STUB, likely_cause
from secant.testcells import TestCells, judges
from secant.verdict import Note, Part, Parts, Verdict, cause_part, head, line_parts, named_error

_TASK = re.compile(r"^hint = hints\([\"'](\w+)", re.MULTILINE)
_MAX_ENTRIES = 12  # maximum number of traceback entries to keep
_MAX_LINES = 3  # maximum number of lines of the learner's own code that are shown
_SHOWN_LENGTH, _READ_LENGTH = (
    300,
    10_000,
)  # maximum number of characters of an error message to show, and to read


def install() -> None:
    """Register this display of errors with the kernel that imports Secant; elsewhere, do nothing."""
    if "ipykernel" not in sys.modules:
        return
    from IPython import get_ipython

    shell = get_ipython()
    if hasattr(shell, "kernel"):
        shell.set_custom_exc((Exception, KeyboardInterrupt), partial(_show, TestCells(shell)))


def _show(
    test_cells: TestCells,
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show an error in a notebook.

    All arguments except the first are those that IPython's `set_custom_exc` passes to a handler.
    """
    steps = list(_walk(trace))
    spaces = (shell.user_global_ns, test_cells.names)
    cells = [step for step in steps if any(step.tb_frame.f_globals is space for space in spaces)]
    parts: Parts = ()
    lines: list[str] = []
    if cells and error.args == (STUB,):
        parts = _not_done(_name(cells[-1]))
    elif cells and _is_test(cells[0]):
        test = _file(cells[0])
        own_steps = [step for step in cells if _file(step) != test]
        findings = _findings(test_cells, error, cells[0])
        if isinstance(verdict := getattr(error, "verdict", None), Verdict):
            notes = (
                Part("note", describe_finding(finding)) for finding in findings if finding.kind in REBOUND
            )
            parts = (*verdict.parts, *notes)
        elif own_steps:
            trace = _join(own_steps[-_MAX_ENTRIES:])
            # IPython formats an error twice: once to show it and once to store it. At the end of this
            # function, the lines of the message are attached to the error. IPython then stores these lines
            # instead of all traceback entries.
            parts = describe_error(error, own_steps, findings)
        elif isinstance(error, NameError) and (steps[-1] is cells[-1] or _file(steps[-1]) == QUESTION):
            parts = (Part("head", f"{kind.__name__}: {error}"), *(_causes(findings) or _not_run()))
        elif findings or likely_cause(
            kind.__name__, _text(error)
        ):  # the cause is known, e.g. wrong parameters
            parts = describe_error(error, [], findings)
        else:  # the answer is not the kind of object that the test expects
            line = _join(cells[-1:])
            lines = shell.InteractiveTB.structured_traceback(kind, error, line, 0, 2)
    lines = str(Verdict(parts)).split("\n") if parts else lines
    if lines:
        error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=bool(cells))


def _findings(test_cells: TestCells, error: BaseException, test: TracebackType) -> list[Finding]:
    """Return findings that attribute an error to undefined or rebound names in the learner's notebook."""
    bindings = test_cells.bindings
    with suppress(Exception):  # reading the learner's own objects may raise any error
        if findings := bindings.explain_error(error):
            return findings
        task = _TASK.search(_source(test))
        if task and not isinstance(error, NameError):
            return bindings.used_by(task[1], "", bindings.rebound())
    return []


def describe_error(
    error: BaseException, own_steps: Sequence[TracebackType], findings: Sequence[Finding] = ()
) -> Parts:
    """Return the parts of a message about an error in an answer, worded as in autograder/exam/words.py.

    Args:
        error: the exception that the answer, or code that it calls, raised.
        own_steps: the traceback entries in the learner's own cells.
        findings: findings about the learner's names that explain the error; they replace the usual cause.
    """
    kind, message = type(error).__name__, _text(error)
    notes = getattr(error, "__notes__", [])
    first_parts = head(en="Your code raised an error.", ko="코드에서 오류가 났습니다.")
    if isinstance(error, KeyboardInterrupt):
        first_parts = head(en="Your code was stopped.", ko="코드를 멈추었습니다.")
    places = list(dict.fromkeys(map(_place, own_steps)))[-_MAX_LINES:]
    return (
        *(Part("head" if isinstance(note, Note) else "text", str(note)) for note in notes),
        *first_parts,
        named_error(kind, message.partition("\n")[0][:_SHOWN_LENGTH]),
        *chain.from_iterable(places),
        *(_causes(findings) or cause_part(likely_cause(kind, message))),
    )


def _causes(findings: Sequence[Finding]) -> Parts:
    return tuple(Part("cause", describe_finding(finding)) for finding in findings)


def _text(error: BaseException) -> str:
    """Return the message of an error; an empty string if the error cannot produce its message."""
    try:
        return str(error)[:_READ_LENGTH]
    except Exception:
        return ""


def _place(step: TracebackType) -> Parts:
    """Return the message parts for the line of a learner's cell that a traceback entry points at."""
    name = _name(step).replace("<module>", "")
    return line_parts(name, step.tb_lineno, linecache.getline(_file(step), step.tb_lineno))


def _not_done(name: str) -> Parts:
    return head(
        en=f"Not done yet: your answer goes into {name}, in place of raise NotImplementedError(...). "
        "If it is there already, run that cell again: what ran last was an older one.",
        ko=f"아직 풀지 않았습니다. {name}에서 raise NotImplementedError(...)를 지우고 그 자리에 답을 쓰세요. "
        "이미 썼다면 그 셀을 다시 실행하세요. 지금은 예전 함수가 남아 있습니다.",
    )


def _not_run() -> Parts:
    """Return the advice for a missing name: to run the cell with the answer.

    A test cell uses only one name from the notebook, the function or class that the task asks for. So if
    a name is missing, the cell that defines this name has not run.
    """
    return head(
        en="Run the cell with your answer first, then this one.",
        ko="답을 쓴 셀을 먼저 실행한 다음 이 셀을 실행하세요.",
    )


def _walk(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace:
        yield trace
        trace = trace.tb_next


def _join(steps: Sequence[TracebackType]) -> TracebackType | None:
    trace = None
    for step in reversed(steps):
        trace = TracebackType(trace, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return trace


def _is_test(cell: TracebackType) -> bool:
    return judges(_source(cell))


def _source(cell: TracebackType) -> str:
    return "".join(linecache.getlines(_file(cell)))


def _name(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_qualname.partition(".<locals>")[0]


def _file(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_filename
