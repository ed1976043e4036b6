"""What an error shows in a notebook: the learner's own lines, not the test around them.

A test cell is folded away, and an error that passes through it would print it all the same. Only what is
shown changes: the error itself, and so every verdict, stays as it is.
"""

import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from secant.language import say

#: What stands in an answer's place in a release.
STUB = "Write your answer here / 여기에 답을 쓰세요"

_MACHINERY = str(Path(__file__).parent / "checking")
_CHECKS = re.compile(r"^from secant import .*\bcheck\b", re.MULTILINE)
_MOST = 12  # steps of an error that are shown; a deep recursion: its beginning and its end


def install() -> None:
    """Have the kernel that this is imported in show errors so. Elsewhere, do nothing."""
    if "ipykernel" not in sys.modules:
        return
    from IPython import get_ipython

    shell = get_ipython()
    if hasattr(shell, "kernel"):
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show an error: what IPython's `set_custom_exc` asks for."""
    steps = list(_walk(trace))
    cells = [step for step in steps if step.tb_frame.f_globals is shell.user_global_ns]
    lines: list[str] = []
    if cells and error.args == (STUB,):
        lines = [_not_done(_name(cells[-1]))]
    elif cells and _is_test(cells[0]) and not hasattr(error, "_render_traceback_"):
        test = _file(cells[0])
        own = next((step for step in steps if step in cells and _file(step) != test), None)
        if own:
            trace = _joined(_outside(steps[steps.index(own) :], test))
            # Kept as it is shown: IPython formats an error once more, to store it, and then all of its steps.
            lines = shell.InteractiveTB.structured_traceback(kind, error, trace, 0)
        elif isinstance(error, NameError) and steps[-1] is cells[-1]:
            lines = [f"{kind.__name__}: {error}", _not_run()]
        else:  # it was called in another way than the test does, or is not what the test thinks
            line = _joined(cells[-1:])
            lines = shell.InteractiveTB.structured_traceback(kind, error, line, 0, 2)
    if lines:
        error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=bool(cells))


def _not_done(name: str) -> str:
    return say(
        en=f"Not done yet: your answer goes into {name}, in place of raise NotImplementedError(...).",
        ko=f"아직 풀지 않았습니다. {name}에서 raise NotImplementedError(...)를 지우고 그 자리에 답을 쓰세요.",
    )


def _not_run() -> str:
    """Say why a name is missing: a test cell uses no name of the notebook but the task's own."""
    return say(
        en="Run the cell with your answer first, then this one.",
        ko="답을 쓴 셀을 먼저 실행한 다음 이 셀을 실행하세요.",
    )


def _walk(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace:
        yield trace
        trace = trace.tb_next


def _joined(steps: Sequence[TracebackType]) -> TracebackType | None:
    trace = None
    for step in reversed(steps):
        trace = TracebackType(trace, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return trace


def _outside(steps: Sequence[TracebackType], test: str) -> list[TracebackType]:
    """Return the steps that are neither the test's nor those of what it is made with, and not too many."""
    kept = [step for step in steps if _file(step) != test and not _file(step).startswith(_MACHINERY)]
    return kept if len(kept) <= _MOST else kept[: _MOST // 2] + kept[-_MOST // 2 :]


def _is_test(cell: TracebackType) -> bool:
    """Whether a cell imports what judges an answer."""
    return bool(_CHECKS.search("".join(linecache.getlines(_file(cell)))))


def _name(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_qualname.partition(".<locals>")[0]


def _file(step: TracebackType) -> str:
    return step.tb_frame.f_code.co_filename
