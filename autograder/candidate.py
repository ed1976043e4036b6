"""The process that runs a student's cells, and answers the examiner's questions with values.

Everything here shares a process with the student's code, which can change any of it. That is allowed:
nothing in this file decides anything, and whatever leaves it is bytes that the examiner checks.

The process first serves as *loaded candidate*: `load` runs the cells, `task` forks a child for one task.
The child serves `define` (run a test cell's imports and probes) and `ask` (call a function).
"""

import contextlib
import inspect
import io
import linecache
import os
import random
import signal
import socket
import subprocess
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.core.compilerop import CachingCompiler
from IPython.core.interactiveshell import InteractiveShell

from autograder import wire

OUTPUT_LIMIT = 20_000  # characters of a cell's output that are kept
MESSAGE_LIMIT = 2_000  # characters of an error's message
TRACE_LIMIT = 12  # lines of a traceback

_WAIT = 86_400.0  # seconds; the examiner ends the waiting by ending the process
_WARNING_FILTERS = tuple(warnings.filters)
_QUIET_MAGICS = ("matplotlib", "pylab", "pdb", "load_ext", "autoreload", "config")


# --- The student's notebook ----------------------------------------------------------------------------


class _Compiler(CachingCompiler):
    """Names each cell's code so that a traceback can be told apart by cell."""

    label = ""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"<cell {self.label}>"


class Shell(InteractiveShell):
    """IPython without a front end: magics and `!commands` work, nothing is remembered, nobody is asked."""

    compiler_class = _Compiler
    compile: _Compiler

    def init_history(self) -> None:
        """Keep history in memory: the usual one starts a thread and writes a file."""
        self.history_length = 0
        super().init_history()

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Show nothing: the error is read from the result of the cell."""

    showsyntaxerror = showtraceback

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:  # type: ignore[override]
        """Keep no copy of what is printed: IPython would keep all of it, for its history."""
        yield

    def system(self, cmd: str) -> None:
        """Run a shell line inside the room, its output to the cell's output."""
        done = subprocess.run(
            self.var_expand(cmd, depth=1),
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(done.stdout[:OUTPUT_LIMIT].decode(errors="replace"), end="")
        self.user_ns["_exit_code"] = done.returncode


def make_shell() -> Shell:
    """Create the one shell of this process; the template does it once for all candidates."""
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.ast_node_interactivity = "last_expr"
    shell = Shell.instance(config=config)
    # A report shows text only: pictures and pages would be drawn for nobody.
    formatter = shell.display_formatter
    assert formatter is not None
    formatter.active_types = ["text/plain"]
    formatter.mimebundle_formatter.enabled = False
    for name in _QUIET_MAGICS:  # they would look for a kernel or a front end, or wait for a person
        shell.magics_manager.magics["line"][name] = lambda line: None
    return shell


class _Output(io.TextIOBase):
    """A text stream that keeps its first characters and lets the rest go."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.room = OUTPUT_LIMIT

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.room > 0:
            self.kept.append(text[: self.room])
            self.room -= len(self.kept[-1])
        return len(text)

    def writable(self) -> bool:
        return True

    def text(self) -> str:
        """What was kept, as text that can be sent."""
        return _clean("".join(self.kept), OUTPUT_LIMIT)


def _clean(text: str, limit: int) -> str:
    return text[:limit].encode(errors="replace").decode()


@contextlib.contextmanager
def _captured() -> Iterator[_Output]:
    output = _Output()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output


def _run_cell(shell: Shell, label: str, source: str) -> dict[str, Any]:
    shell.compile.label = label
    error: BaseException | None = None
    with _captured() as output:
        try:
            result = shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # an exit(), or IPython itself made to fail
            error = raised
        with contextlib.suppress(BaseException):
            plt.close("all")
    report = {"label": label, "output": output.text()}
    return report | (_describe(error) if error is not None else {"error": "", "message": "", "trace": []})


def _describe(error: BaseException) -> dict[str, Any]:
    """An error as plain text, of bounded length; only lines of the student's cells."""
    try:
        message = str(error)
    except BaseException as second:
        message = f"(its message cannot be read: {type(second).__name__})"
    name = type(error).__name__
    trace = []
    with contextlib.suppress(Exception):
        trace = _student_lines(error)
    return {"error": _clean(str(name), 100), "message": _clean(str(message), MESSAGE_LIMIT), "trace": trace}


def _student_lines(error: BaseException) -> list[tuple[str, int, str, str]]:
    """The (cell, line number, function, text) of those frames that are the student's own."""
    if isinstance(error, SyntaxError) and str(error.filename).startswith("<cell "):
        return [(_cell(str(error.filename)), error.lineno or 0, "", _clean((error.text or "").rstrip(), 200))]
    lines: list[tuple[str, int, str, str]] = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith("<cell "):
            text = _clean(linecache.getline(name, number).rstrip(), 200)
            lines.append((_cell(name), number, _clean(frame.f_code.co_name, 100), text))
            if len(lines) > 2 * TRACE_LIMIT:  # a deep recursion: its beginning and its end
                del lines[TRACE_LIMIT]
    return lines[: TRACE_LIMIT // 2] + lines[TRACE_LIMIT // 2 :][-TRACE_LIMIT // 2 :]


def _cell(filename: str) -> str:
    return _clean(filename[len("<cell ") : -1], 100)


# --- Starting every task from the same state ------------------------------------------------------------


def _reset_torch_switches() -> None:
    """Those that cost something to set, and so are looked at first."""
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def reset(seed: int) -> None:
    """Undo what an honest notebook leaves spoilt, and seed every generator."""
    steps: list[Callable[[], object]] = [
        lambda: signal.setitimer(signal.ITIMER_REAL, 0),
        lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        lambda: sys.settrace(None),
        lambda: sys.setprofile(None),
        lambda: sys.setrecursionlimit(1000),
        lambda: plt.close("all"),
        matplotlib.rcdefaults,
        lambda: plt.switch_backend("agg"),
        lambda: np.seterr(divide="warn", over="warn", under="ignore", invalid="warn"),
        lambda: torch.set_default_dtype(torch.float32),
        lambda: torch.set_default_device(None),
        lambda: torch.set_grad_enabled(True),
        lambda: torch.autograd.set_detect_anomaly(False),
        _reset_torch_switches,
        lambda: torch.set_printoptions(profile="default"),
        lambda: random.seed(seed),
        lambda: np.random.seed(seed % 2**32),
        lambda: torch.manual_seed(seed),
        warnings.resetwarnings,
        lambda: warnings.filters.extend(_WARNING_FILTERS),  # type: ignore[attr-defined]
    ]
    for step in steps:
        with contextlib.suppress(Exception):  # a spoilt function is the student's own loss
            step()


# --- Serving -------------------------------------------------------------------------------------------


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer the examiner's requests to the loaded candidate, until it closes the connection."""
    child = 0
    while True:
        request = _next(channel)
        match request["do"]:
            case "load":
                reset(request["seed"])
                for label, source in request["cells"]:
                    wire.send(channel, _run_cell(shell, label, source))
                wire.send(channel, {"threads": _thread_count()})
            case "task":
                _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
                child = _fork_task(channel, descriptors[0], shell, request["seed"])
                wire.send(channel, {"child": child})
            case "become":  # where no child can be forked, this process is used up for one task
                serve_task(channel, shell, request["seed"])
            case "reap":
                wire.send(channel, {"exit": _exit_code(child)})
            case other:
                raise ValueError(f"unknown request {other!r}")


def _next(channel: socket.socket) -> dict[str, Any]:
    request = wire.recv(channel, time.monotonic() + _WAIT)
    if not isinstance(request, dict):
        raise TypeError("a request is a dict")
    return request


def _thread_count() -> int:
    """How many threads this process has; a fork of one with several may hang. 0 where it cannot be known."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def _fork_task(channel: socket.socket, descriptor: int, shell: Shell, seed: int) -> int:
    child = os.fork()
    if child:
        os.close(descriptor)
        return child
    try:
        channel.close()
        os.setsid()
        serve_task(socket.socket(fileno=descriptor), shell, seed)
    finally:
        os._exit(0)


def _exit_code(child: int) -> int | None:
    """The task child's exit code, negative for a signal; None if it is not known."""
    until = time.monotonic() + 1.0
    with contextlib.suppress(OSError):
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
    return None


def serve_task(channel: socket.socket, shell: Shell, seed: int) -> None:
    """Answer the questions of one task, from a copy of the student's names."""
    reset(seed)
    names = dict(shell.user_ns)
    while True:
        request = _next(channel)
        with _captured():
            answer = _task_answer(request, names)
        wire.send(channel, answer)


def _task_answer(request: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    try:
        if request["do"] == "define":
            return _define(request["source"], names)
        return _ask(request["name"], request["args"], request["kwargs"], names)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are wrong answers, not ends
        return {"kind": "raised", **_describe(error)}


def _define(source: str, names: dict[str, Any]) -> dict[str, Any]:
    module = types.ModuleType("probes")  # so that the probes' classes and dataclasses find their module
    module.__dict__.update(names)
    module.__dict__["__name__"] = "probes"
    sys.modules["probes"] = module
    linecache.cache["<probes>"] = (len(source), None, source.splitlines(True), "<probes>")
    exec(compile(source, "<probes>", "exec", dont_inherit=True), module.__dict__)
    names.clear()
    names.update(module.__dict__)
    return {"kind": "value", "value": None}


def _ask(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    if name not in names:
        return {"kind": "missing"}
    value = names[name](*args, **kwargs)
    if inspect.iscoroutine(value):
        value.close()
    return {"kind": "value", "value": value}


# --- Without a wall: `autograder check` of one's own notebook --------------------------------------------


def main(arguments: list[str]) -> None:
    """Serve on an inherited socket (its number is given), or connect to a local port (`port N`)."""
    if arguments[0] == "port":
        channel = socket.create_connection(("127.0.0.1", int(arguments[1])))
        channel.sendall(sys.stdin.buffer.read(32))
    else:
        channel = socket.socket(fileno=int(arguments[0]))
    torch.set_num_threads(1)
    shell = make_shell()
    wire.send(channel, "ready")
    try:
        with contextlib.suppress(wire.WireClosed):
            serve(channel, shell)
    finally:
        os._exit(0)  # the student's exit handlers and threads are nobody's to wait for


if __name__ == "__main__":
    main(sys.argv[1:])
