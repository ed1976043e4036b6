"""Test cells in a notebook: they run in a namespace of their own, and the notebook's names are watched.

A learner may call a list `list`, or a counter `sum`. A test cell reads the learner's names, as it has to, but
in it Python's own names mean what they mean in Python, and what it imports replaces none of the learner's.
The learner's functions keep their own namespace, so that a test judges them as they are.
"""

import linecache
import re
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from secant.bindings import BUILTINS, Bindings

_CHECKS = re.compile(r"^from secant import .*\bcheck\b", re.MULTILINE)
_VERDICT = re.compile(r"^check\.visible_passed\(", re.MULTILINE)


def judges(source: str) -> bool:
    """Return whether a cell imports what judges an answer."""
    return bool(_CHECKS.search(source))


class TestCells:
    """The namespaces of one kernel's shell.

    Args:
        shell: IPython's shell.

    Attributes:
        bindings: what is known of the learner's names.
        names: the learner's namespace.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._aside: tuple[ModuleType, dict[str, Any]] | None = None
        self.names: dict[str, Any] = shell.user_ns
        here = set(shell.user_ns_hidden)
        self.bindings = Bindings(self.names, self._label, transform=shell.transform_cell, known=here)
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def _label(self, frame: FrameType) -> str:
        return "cell" if frame.f_globals is self.names else ""

    def _begin(self, info: Any) -> None:
        """Put a namespace for a test cell in the place of the learner's."""
        if self._aside is not None or not (judges(info.raw_cell) and _VERDICT.search(info.raw_cell)):
            return
        self._aside = self._shell.user_module, self._shell.user_ns
        module = ModuleType("__main__")
        vars(module).update({**self.names, **BUILTINS, "__builtins__": BUILTINS, "__name__": "__main__"})
        self._shell.user_module, self._shell.user_ns = module, vars(module)

    def _end(self, result: Any) -> None:
        """Put the learner's namespace back; of another cell, note what it has bound."""
        if self._aside is not None:
            (self._shell.user_module, self._shell.user_ns), self._aside = self._aside, None
            return
        cell, error = f"cell [{result.execution_count}]", result.error_before_exec or result.error_in_exec
        self.bindings.note(cell, result.info.raw_cell)
        if error is not None:
            steps = (step for step in walk_tb(error.__traceback__) if step[0].f_globals is self.names)
            frame, line = next(steps, (None, getattr(error, "lineno", 0) or 0))
            text = linecache.getline(frame.f_code.co_filename, line) if frame else ""
            self.bindings.fail(cell, error, line, text, f"{type(error).__name__}: {error}")
