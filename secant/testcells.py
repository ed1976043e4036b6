"""A separate namespace for the test cells of a notebook, and a record of the notebook's names.

A test cell must see the learner's names, but a learner may have called a list `list` or a counter `sum`. In a
test cell, Python's builtins therefore keep their usual meaning, and the cell's imports do not replace the
learner's names. The learner's functions keep their own namespace, so that a test judges them as they are.
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
    """Return whether a cell imports `check`, which judges answers."""
    return bool(_CHECKS.search(source))


class TestCells:
    """The namespaces of one kernel's shell: the learner's, and one for the test cell that is running.

    Args:
        shell: IPython's shell.

    Attributes:
        bindings: the record of the learner's names.
        names: the learner's namespace.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._learner_namespace: tuple[ModuleType, dict[str, Any]] | None = None
        self.names: dict[str, Any] = shell.user_ns
        hidden_names = set(shell.user_ns_hidden)
        self.bindings = Bindings(
            self.names, self._label, transform=shell.transform_cell, initial_names=hidden_names
        )
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def _label(self, frame: FrameType) -> str:
        return "cell" if frame.f_globals is self.names else ""

    def _begin(self, info: Any) -> None:
        """Replace the learner's namespace with one for the test cell, if the next cell is a test cell."""
        if self._learner_namespace is not None or not (
            judges(info.raw_cell) and _VERDICT.search(info.raw_cell)
        ):
            return
        self._learner_namespace = self._shell.user_module, self._shell.user_ns
        module = ModuleType("__main__")
        vars(module).update({**self.names, **BUILTINS, "__builtins__": BUILTINS, "__name__": "__main__"})
        self._shell.user_module, self._shell.user_ns = module, vars(module)

    def _end(self, result: Any) -> None:
        """Restore the learner's namespace after a test cell; after any other cell, record what it bound."""
        if self._learner_namespace is not None:
            (self._shell.user_module, self._shell.user_ns), self._learner_namespace = (
                self._learner_namespace,
                None,
            )
            return
        cell, error = f"cell [{result.execution_count}]", result.error_before_exec or result.error_in_exec
        self.bindings.note(cell, result.info.raw_cell)
        if error is not None:
            steps = (step for step in walk_tb(error.__traceback__) if step[0].f_globals is self.names)
            frame, line = next(steps, (None, getattr(error, "lineno", 0) or 0))
            text = linecache.getline(frame.f_code.co_filename, line) if frame else ""
            self.bindings.fail(cell, error, line, text, f"{type(error).__name__}: {error}")
