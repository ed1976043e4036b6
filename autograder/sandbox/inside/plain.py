"""The process that runs a notebook with ordinary nbgrader tests among the student's cells.

Tests and answers share a process, because an nbgrader test may read any name of the notebook. So nothing here
can make a score unforgeable, but forging a score takes more than patching a function (docs/trust.md). The
code of a test is sent only just before the test runs. The grader's own loop runs the test. If possible, it
runs the test in a fork first, and the result from the fork is the one that counts. Before each test, the
functions that tests rely on are restored to the state that they had before the first cell.
"""

import contextlib
import marshal
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import matplotlib.pyplot as plt
import numpy.testing  # noqa: F401 - numpy imports it only at its first use, which is too late to restore it

from autograder.sandbox.inside import wire
from autograder.sandbox.inside.candidate import (
    exit_code,
    fork_task,
    next_request,
    restore_libraries,
    save_libraries,
    seed,
    thread_count,
)
from autograder.sandbox.inside.limits import OUTPUT_LIMIT, VALUE_LIMIT
from autograder.sandbox.inside.shell import Output, Shell, clean, describe
from secant.bindings import BUILTINS, PRISTINE

#: Top-level packages whose modules are all restored before each test.
_RESTORED_PACKAGES = frozenset(
    {"cmath", "functools", "itertools", "math", "numpy", "operator", "random", "unittest"}
)
# Prefixes of the names of further modules that are restored before each test.
_RESTORED_MODULES = ("torch.testing", "marshal", "signal", "autograder.sandbox.inside")


def serve(channel: socket.socket, shell: Shell, order: dict[str, Any]) -> None:
    """Serve the examiner's requests until the examiner closes the connection."""
    session = Session(shell, order)
    # The functions are stored in local variables, so that this loop does not change if a notebook patches a
    # module or a class of the grader.
    send, fork, reap, threads = wire.send, fork_task, exit_code, thread_count
    receive = partial(next_request, limits=wire.PLAIN_LIMITS)
    run_cell, run_test = session.run_cell, session.run_test
    serve_copy = partial(_serve_copy, run_test, send, receive)
    send(channel, {"threads": threads()})
    child = 0
    while True:
        request = receive(channel)
        match request["do"]:
            case "file":
                send(channel, {"written": session.write(**request["file"])})
            case "cell":
                report = run_cell(request["label"], request["source"], request["seconds"])
                send(channel, {**report, "threads": threads()})
            case "test":
                send(channel, {**run_test(request), "threads": threads()})
            case "task":
                child = fork(channel, serve_copy)
                send(channel, {"child": child})
            case "reap":
                send(channel, {"exit": reap(child)})
            case other:
                raise ValueError(f"unknown request {other!r}")


def _serve_copy(
    run_test: Callable[[dict[str, Any]], dict[str, Any]],
    send: Callable[..., None],
    receive: Callable[[socket.socket], dict[str, Any]],
    channel: socket.socket,
) -> None:
    """Run one test in a copy of the notebook's process."""
    channel.settimeout(None)
    send(channel, {"kind": "value", "value": run_test(receive(channel))})
    receive(channel)  # waits until the examiner closes the connection


class Session:
    """A notebook whose cells are run one by one.

    Args:
        shell: the shell that runs the cells.
        order: the examiner's first request. It contains the seed as `seed`, and the value of the environment
            variable NBGRADER_EXECUTION as `done`.
    """

    def __init__(self, shell: Shell, order: dict[str, Any]) -> None:
        self._shell = shell
        self._running = False
        self.timed_out = False
        os.environ["NBGRADER_EXECUTION"] = order["done"]
        if "" not in sys.path:
            # As in a kernel, let cells import modules from the notebook's folder.
            sys.path.insert(0, "")
        seed(order["seed"])
        builtins = shell.copy_builtins()
        self._out, self._err = Output(), Output()
        # All cells share the same streams. If a notebook keeps a stream, for example in a logger's handler,
        # later output to that stream is still recorded.
        sys.stdout, sys.stderr = self._out, self._err
        modules = _modules(builtins)
        owners = [*modules, Session, Shell, Output]
        self._libraries = [*save_libraries(), *((owner, dict(vars(owner))) for owner in owners)]
        self._restore = restore_libraries
        self._codes = [(function, function.__code__) for module in modules for function in _functions(module)]
        self._builtins = dict(BUILTINS)
        # Like ipykernel, show the deprecation warnings that the notebook itself causes.
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")

    def write(self, path: str, data: bytes) -> bool:
        """Append data to a file in the notebook's folder.

        Cells may change the file later, as they may under nbgrader.
        """
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        with open(descriptor, "ab") as file:
            file.write(data)
        return True

    def run_cell(self, label: str, source: str, seconds: float) -> dict[str, Any]:
        """Run a cell as a kernel would."""
        self._shell.compile.label = label
        error: BaseException | None = None
        try:
            with self._limited(seconds):
                result = self._shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # raised by exit(), or by IPython if the cell has broken IPython
            error = raised
        return self._report(error)

    def run_test(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run a test cell's code in the notebook's namespace.

        Returns:
            The cell's report, with the text of the test's last value and, if the test ran to its end, the
            token that proves this.
        """
        # An object that the notebook has put into a module may raise any error.
        with contextlib.suppress(BaseException):
            self._restore(self._libraries)
            for function, code in self._codes:
                if function.__code__ is not code:
                    function.__code__ = code
        names = self._shell.user_ns
        names.update({name + PRISTINE: self._builtins[name] for name in request["builtins"]})
        body, last = (marshal.loads(code.encode("latin-1")) for code in (request["body"], request["last"]))
        error: BaseException | None = None
        proof, value = "", ""
        try:
            with self._limited(request["seconds"]):
                exec(body, names)
                value = _text_of(eval(last, names))
                proof = request["proof"]
        except BaseException as raised:
            error = raised
        return {**self._report(error), "value": value, "proof": proof}

    def _report(self, error: BaseException | None) -> dict[str, Any]:
        """Return what a cell printed and raised, and reset the output for the next cell."""
        with contextlib.suppress(BaseException):
            plt.close("all")  # matplotlib's inline backend also closes all figures after each cell
        report: dict[str, Any] = {"error": "", "message": "", "trace": []}
        if error is not None:
            report |= describe(error)
        report["output"] = clean(self._out.text() + self._err.text(), OUTPUT_LIMIT)
        report["stderr"] = bool(self._err.text())
        report["timed_out"] = self.timed_out
        for stream in (self._out, self._err):
            stream.parts, stream.remaining = [], OUTPUT_LIMIT
        return report

    @contextlib.contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        """Interrupt the running code at its time limit, as nbgrader interrupts a kernel."""
        self.timed_out = False
        # Windows has no interval timer. There, the examiner ends the process a little later.
        if not hasattr(signal, "setitimer"):
            yield
            return
        if signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN, None):
            signal.signal(signal.SIGALRM, self._stop)  # a handler that the notebook has set is not replaced
        self._running = True
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            self._running = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        if self._running:
            self.timed_out = True
            raise KeyboardInterrupt


def _modules(builtins: ModuleType) -> list[ModuleType]:
    """Return the loaded modules that contain functions on which tests rely."""
    modules = [builtins]
    for name, module in list(sys.modules.items()):
        is_restored = name.partition(".")[0] in _RESTORED_PACKAGES or name.startswith(_RESTORED_MODULES)
        if is_restored and isinstance(module, ModuleType):
            modules.append(module)
    return modules


def _functions(module: ModuleType) -> list[FunctionType]:
    """Return a module's functions, and the functions that its callables wrap."""
    functions = [value for value in vars(module).values() if isinstance(value, FunctionType)]
    wrapped = (getattr(value, "__wrapped__", None) for value in vars(module).values() if callable(value))
    return [*functions, *(value for value in wrapped if isinstance(value, FunctionType))]


def _text_of(value: object) -> str:
    """Return the text of a test's last value, as a notebook would show it.

    The value may be the points that the test gives.
    """
    return "" if value is None else clean(repr(value), VALUE_LIMIT)
