"""The IPython shell that runs the student's cells, and reports in plain text what they print or raise."""

import builtins
import contextlib
import io
import linecache
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType, ModuleType
from typing import Any

import matplotlib.pyplot as plt
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets import Widget

from autograder.sandbox.inside.limits import MESSAGE_LIMIT, OUTPUT_LIMIT
from autograder.sandbox.inside.magics import register_magics, report_unknown
from autograder.sandbox.inside.pictures import DrawingStub
from secant.bindings import Bindings

TRACE_LIMIT = 12  # maximum number of lines kept from a traceback
IMPORTS = "imports"  # label of the cell that contains the lesson's own imports; this cell runs first


class _Compiler(CachingCompiler):
    """A compiler that names each cell's code after the cell, so that tracebacks show the cell's label."""

    label = ""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"<cell {self.label}>"


class _Hook(DisplayHook):
    """A display hook that ignores widgets, and the stand-ins for explorers and for pictures of graphs.

    A widget's text form would only list the widget's attributes.
    """

    def __call__(self, result: Any = None) -> None:
        if not isinstance(result, Widget | DrawingStub):
            super().__call__(result)


class Shell(InteractiveShell):
    """IPython without a front end: magics and `!commands` work, but there is no history and no prompt."""

    compiler_class = _Compiler
    displayhook_class = _Hook
    compile: _Compiler
    bindings: Bindings

    def begin(self, cells: Sequence[tuple[str, str]]) -> None:
        """Prepare for a notebook: give it its own copy of the builtins, and track the names that it binds.

        If the notebook changes a name in `builtins`, only the notebook's own cells are affected, not torch,
        IPython or the functions that a test calls.

        Args:
            cells: the label and the source of each cell.
        """
        builtins_copy = self.copy_builtins()
        self.bindings = Bindings(self.user_ns, _label, vars(builtins_copy), self.transform_cell)
        self.bindings.begin(cells)

    def copy_builtins(self) -> ModuleType:
        """Give the notebook its own copy of the builtins, and return the copy."""
        builtins_copy = ModuleType("builtins")
        vars(builtins_copy).update(vars(builtins), get_ipython=self.get_ipython)
        self.user_ns["__builtins__"] = sys.modules["builtins"] = builtins_copy
        return builtins_copy

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run a line magic. If the magic is unknown, report that, and let the cell continue."""
        if self.find_line_magic(magic_name) is None:
            return report_unknown(f"%{magic_name}")
        return super().run_line_magic(magic_name, line, _stack_depth + 1)

    def magic(self, arg_s: str) -> Any:
        """Run a line magic that is given as one string, including its arguments.

        Notebooks call `get_ipython().magic("matplotlib inline")`. IPython 9 no longer has this method.
        """
        name, _, line = arg_s.lstrip("%").partition(" ")
        return self.run_line_magic(name, line, 2)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run a cell magic. If the magic is unknown, report that, and skip the rest of the cell."""
        if self.find_cell_magic(magic_name) is None:
            return report_unknown(f"%%{magic_name}")
        return super().run_cell_magic(magic_name, line, cell)

    def init_history(self) -> None:
        """Keep the history in memory. IPython's default would start a thread and write a file."""
        self.history_length = 0
        super().init_history()

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Show nothing, because the error is read from the cell's result."""

    showsyntaxerror = showtraceback

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """Prevent IPython from copying printed text. IPython would store every copy in its history."""
        yield

    def system(self, cmd: str) -> None:
        """Run a shell command inside the container, and print its output."""
        process = subprocess.run(
            self.var_expand(cmd, depth=1),
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(process.stdout[:OUTPUT_LIMIT].decode(errors="replace"), end="")
        self.user_ns["_exit_code"] = process.returncode


def make_shell() -> Shell:
    """Create the only shell of this process. The template does this once for all candidates."""
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.ast_node_interactivity = "last_expr"
    shell = Shell.instance(config=config)
    # A report shows only text, so making pictures and HTML would be wasted work.
    formatter = shell.display_formatter
    assert formatter is not None
    formatter.active_types = ["text/plain"]
    formatter.mimebundle_formatter.enabled = False
    # `display` ignores widgets, as `_Hook` does.
    formatter.ipython_display_formatter.for_type(Widget, lambda widget: None)
    # Widgets must not open connections to a page, because there is no page. A single explorer (a figure with
    # sliders) would open 70 connections.
    Widget.open = lambda widget: None
    register_magics(shell)
    shell.bindings = Bindings(shell.user_ns, _label)
    return shell


class Output(io.TextIOBase):
    """A text stream that stores a limited number of characters and drops the rest."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.remaining = OUTPUT_LIMIT

    def write(self, text: str) -> int:
        """Keep as much of the text as there is room for, and return the length of the whole text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.remaining > 0:
            self.parts.append(text[: self.remaining])
            self.remaining -= len(self.parts[-1])
        return len(text)

    def writable(self) -> bool:
        """Return True, because text can always be written to this stream."""
        return True

    def text(self) -> str:
        """Return the kept characters as text that can be sent to the examiner."""
        return clean("".join(self.parts), OUTPUT_LIMIT)


def clean(text: str, limit: int) -> str:
    """Return at most `limit` characters of a string, with lone surrogates replaced so that it can be sent."""
    return text[:limit].encode(errors="replace").decode()


@contextlib.contextmanager
def capture_output() -> Iterator[Output]:
    """Redirect standard output and standard error to one `Output` while the body runs."""
    output = Output()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output


def run_cell(shell: Shell, label: str, source: str) -> dict[str, Any]:
    """Run a cell, and return a report of what it printed and raised."""
    shell.compile.label = label
    error: BaseException | None = None
    with capture_output() as output:
        try:
            result = shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # raised by exit(), or by IPython if the cell has broken IPython
            error = raised
        with contextlib.suppress(BaseException):
            plt.close("all")
    report = {"label": label, "output": output.text(), "error": "", "message": "", "trace": []}
    shell.bindings.note(label, imports=label == IMPORTS)
    if error is not None:
        report |= (description := describe(error))
        _, line, _, text = next((step for step in description["trace"] if step[0] == label), ("", 0, "", ""))
        with contextlib.suppress(Exception):  # the notebook's own objects may raise any error
            shell.bindings.fail(label, error, line, text, f"{description['error']}: {description['message']}")
    return report


def describe(error: BaseException) -> dict[str, Any]:
    """Return a description of an error as plain text of bounded length.

    Its traceback contains only lines from the student's cells.
    """
    try:
        message = str(error)
    except BaseException as second:
        message = f"(its message cannot be read: {type(second).__name__})"
    name = type(error).__name__
    trace = []
    with contextlib.suppress(Exception):
        trace = _student_lines(error)
    return {"error": clean(str(name), 100), "message": clean(str(message), MESSAGE_LIMIT), "trace": trace}


def _student_lines(error: BaseException) -> list[tuple[str, int, str, str]]:
    """Return (cell, line number, function, text) for each traceback frame that is in a student's cell."""
    if isinstance(error, SyntaxError) and str(error.filename).startswith("<cell "):
        return [(_cell(str(error.filename)), error.lineno or 0, "", clean((error.text or "").rstrip(), 200))]
    lines: list[tuple[str, int, str, str]] = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith("<cell "):
            text = clean(linecache.getline(name, number).rstrip(), 200)
            lines.append((_cell(name), number, clean(frame.f_code.co_name, 100), text))
            # After a deep recursion, only the first and the last lines of the traceback are kept.
            if len(lines) > 2 * TRACE_LIMIT:
                del lines[TRACE_LIMIT]
    return lines[: TRACE_LIMIT // 2] + lines[TRACE_LIMIT // 2 :][-TRACE_LIMIT // 2 :]


def _cell(filename: str) -> str:
    return clean(filename[len("<cell ") : -1], 100)


def _label(frame: FrameType) -> str:
    name = frame.f_code.co_filename
    return _cell(name) if name.startswith("<cell ") else ""
