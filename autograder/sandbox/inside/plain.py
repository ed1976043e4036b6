"""The process that runs a notebook with ordinary nbgrader tests: a student's cells, and the tests among them.

Test and answer share a process, since a plain test reads any name of the notebook. So nothing here can make a
score unforgeable; it makes a forgery take more than a patched function (docs/trust.md). A test arrives as
code, when it is its turn, and a loop of our own runs it, first in a fork. Before it runs, the functions
that tests lean on are what they were before the first cell.
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
import numpy.testing  # noqa: F401 - numpy itself imports it when it is first used: too late to be restored

from autograder.sandbox.inside import wire
from autograder.sandbox.inside.candidate import (
    exit_code,
    fork_task,
    libraries,
    next_request,
    restore,
    seed,
    thread_count,
)
from autograder.sandbox.inside.limits import OUTPUT_LIMIT, VALUE_LIMIT
from autograder.sandbox.inside.shell import Output, Shell, clean, describe
from secant.bindings import BUILTINS, PRISTINE

#: The top-level packages of which every module is restored before a test.
_LEANED_ON = frozenset({"cmath", "functools", "itertools", "math", "numpy", "operator", "random", "unittest"})
_PARTS = ("torch.testing", "marshal", "signal", "autograder.sandbox.inside")  # of others, these modules


def serve(channel: socket.socket, shell: Shell, order: dict[str, Any]) -> None:
    """Run what the examiner sends, until it closes the connection."""
    session = Session(shell, order)
    # Held here, so that a notebook which patches a module or a class of ours changes nothing in this loop.
    send, receive, fork, reap, threads = wire.send, next_request, fork_task, exit_code, thread_count
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
    """In a copy of the process: run one test."""
    channel.settimeout(None)
    send(channel, {"kind": "value", "value": run_test(receive(channel))})
    receive(channel)  # the examiner closes the connection


class Session:
    """A notebook that is run cell by cell.

    Args:
        shell: where its cells run.
        order: the examiner's first request, with a `seed` and with nbgrader's word for what is `done`.
    """

    def __init__(self, shell: Shell, order: dict[str, Any]) -> None:
        self._shell = shell
        self._running = False
        self.timed_out = False
        os.environ["NBGRADER_EXECUTION"] = order["done"]
        if "" not in sys.path:
            sys.path.insert(0, "")  # as in a kernel: modules beside the notebook
        seed(order["seed"])
        builtins = shell.copy_builtins()
        self._out, self._err = Output(), Output()
        # For all cells: what a notebook keeps of them, such as a logger's handler, still counts later.
        sys.stdout, sys.stderr = self._out, self._err
        modules = _modules(builtins)
        owners = [*modules, Session, Shell, Output]
        self._libraries = [*libraries(), *((owner, dict(vars(owner))) for owner in owners)]
        self._restore = restore
        self._codes = [(each, each.__code__) for module in modules for each in _functions(module)]
        self._builtins = dict(BUILTINS)
        warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")  # as ipykernel

    def write(self, path: str, data: Any) -> bool:
        """Append to a file beside the notebook, which a cell may write again, as under nbgrader."""
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        with open(descriptor, "ab") as file:
            file.write(data.numpy().tobytes())
        return True

    def run_cell(self, label: str, source: str, seconds: float) -> dict[str, Any]:
        """Run a cell as a kernel would."""
        self._shell.compile.label = label
        error: BaseException | None = None
        try:
            with self._limited(seconds):
                result = self._shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # an exit(), or IPython itself made to fail
            error = raised
        return self._report(error)

    def run_test(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run a test cell's code among the notebook's names.

        Returns:
            What a cell reports, with the text of its last value, and the proof that its end was reached.
        """
        with contextlib.suppress(BaseException):  # of what a notebook put into modules
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
        """Return what a cell printed and raised, and make room for the next one's output."""
        with contextlib.suppress(BaseException):
            plt.close("all")  # as the inline backend does
        report: dict[str, Any] = {"error": "", "message": "", "trace": []}
        if error is not None:
            report |= describe(error)
        report["output"] = clean(self._out.text() + self._err.text(), OUTPUT_LIMIT)
        report["stderr"] = bool(self._err.text())
        report["timed_out"] = self.timed_out
        for stream in (self._out, self._err):
            stream.kept, stream.room = [], OUTPUT_LIMIT
        return report

    @contextlib.contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        """Interrupt what runs when its time is over, as nbgrader interrupts a kernel."""
        self.timed_out = False
        if not hasattr(signal, "setitimer"):  # Windows, where the examiner ends the process a little later
            yield
            return
        if signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN, None):
            signal.signal(signal.SIGALRM, self._stop)  # else it is the notebook's own, and is kept
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
    """Return the modules whose functions tests lean on."""
    found = [builtins]
    for name, module in list(sys.modules.items()):
        wanted = name.partition(".")[0] in _LEANED_ON or name.startswith(_PARTS)
        if wanted and isinstance(module, ModuleType):
            found.append(module)
    return found


def _functions(module: ModuleType) -> list[FunctionType]:
    """Return the functions of a module's own, with those that its functions wrap."""
    found = [each for each in vars(module).values() if isinstance(each, FunctionType)]
    wrapped = (getattr(each, "__wrapped__", None) for each in vars(module).values() if callable(each))
    return [*found, *(each for each in wrapped if isinstance(each, FunctionType))]


def _text_of(value: object) -> str:
    """Return the text that a notebook would show of a test's last value, if that can be a number."""
    return "" if value is None else clean(repr(value), VALUE_LIMIT)
