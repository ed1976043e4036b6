"""The candidate: the process that runs a student's cells, and answers the examiner's questions with values.

Everything here shares a process with the student's code, which can change any of it. That is allowed, because
nothing in this file decides a score. The process only sends bytes, and the examiner checks them.

The process first serves as the *loaded candidate*: the request `load` runs the cells, and `task` forks a
child for one task. The child serves the requests `define` (run a test cell's imports and function
definitions) and `ask` (call a function).
"""

import contextlib
import inspect
import linecache
import math
import os
import random
import signal
import socket
import sys
import time
import types
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from autograder.sandbox.inside import pictures, wire
from autograder.sandbox.inside.shell import Shell, capture_output, clean, describe, make_shell, run_cell
from secant.bindings import BUILTINS, Bindings, Finding

_WARNING_FILTERS = tuple(warnings.filters)
# The modules of the standard library that tests and the grader's own code use; for torch, see torch_state.py.
_SHARED = (contextlib, math, random)
_torch: Any = None  # the module torch_state.py, once it is loaded


# --- Starting every task from the same state ------------------------------------------------------------


def _torch_state() -> Any:
    """Return the module torch_state.py, or None if this process has not imported torch."""
    global _torch
    if _torch is None and "torch" in sys.modules:
        with contextlib.suppress(Exception):  # The import fails if a notebook has replaced torch.
            from autograder.sandbox.inside import torch_state

            _torch = torch_state
    return _torch


def save_libraries() -> list[tuple[Any, dict[str, Any]]]:
    """Return the current attributes of the library modules and classes that tests use."""
    state = _torch_state()
    owners = [*_SHARED, *(state.SHARED if state else ())]
    return [(owner, dict(vars(owner))) for owner in owners]


def restore_libraries(saved: list[tuple[Any, dict[str, Any]]]) -> None:
    """Undo a notebook's changes to libraries, such as `math.sin = 3`, because tests use these libraries."""
    for owner, before in saved:
        current, is_class = vars(owner), isinstance(owner, type)
        for name in [name for name, value in before.items() if current.get(name) is not value]:
            if is_class or not name.startswith("_"):
                setattr(owner, name, before[name])
        for name in current.keys() - before.keys():
            if is_class and any(name in vars(base) for base in owner.__mro__[1:]):
                # Deleting an override, e.g. of torch.Tensor.abs, makes the inherited attribute visible again.
                delattr(owner, name)


def reset() -> None:
    """Undo changes to global state that an honest notebook may leave behind."""
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
        *(state.RESETS if (state := _torch_state()) else ()),
        warnings.resetwarnings,
        lambda: warnings.filters.extend(_WARNING_FILTERS),  # type: ignore[attr-defined]
    ]
    _try_all(steps)


def seed(number: int) -> None:
    """Seed every random number generator."""
    steps: list[Callable[[], object]] = [
        lambda: random.seed(number),
        lambda: np.random.seed(number % 2**32),
    ]
    if state := _torch_state():
        steps.append(lambda: state.seed(number))
    _try_all(steps)


def _try_all(steps: list[Callable[[], object]]) -> None:
    for step in steps:
        # A step may fail because the student has broken a function. The other steps still have to run.
        with contextlib.suppress(BaseException):
            step()


# --- Serving the examiner's requests -------------------------------------------------------------------


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer the examiner's requests to the loaded candidate, until the examiner closes the connection."""
    channel.settimeout(None)
    child = 0
    while True:
        request = next_request(channel)
        match request["do"]:
            case "load":
                with contextlib.suppress(ValueError):  # raised if this thread is not the main thread
                    # The parent process ignores SIGINT, and a fork inherits this setting.
                    signal.signal(signal.SIGINT, signal.default_int_handler)
                seed(request["seed"])
                shell.begin(request["cells"])
                saved = save_libraries()
                for label, source in request["cells"]:
                    wire.send(channel, run_cell(shell, label, source))
                with contextlib.suppress(BaseException):
                    restore_libraries(saved)
                reset()  # resets the state once, so that the forks of the tasks need not
                wire.send(channel, {"threads": thread_count(), **_findings(shell, request["answers"])})
            case "task":
                child = fork_task(channel, partial(serve_task, shell=shell, number=request["seed"]))
                wire.send(channel, {"child": child})
            case "become":  # sent if no child can be forked; this process then serves one task itself
                serve_task(channel, shell, request["seed"])
            case "reap":
                wire.send(channel, {"exit": exit_code(child)})
            case "plain":  # a notebook with ordinary nbgrader tests, which is served until the process ends
                from autograder.sandbox.inside import plain

                plain.serve(channel, shell, request)
            case other:
                raise ValueError(f"unknown request {other!r}")


def next_request(channel: socket.socket, limits: wire.Limits = wire.LIMITS) -> dict[str, Any]:
    """Receive the examiner's next request."""
    # There is no time limit: the examiner ends this process when it is no longer needed.
    request = wire.recv(channel, limits=limits)
    if not isinstance(request, dict):
        raise TypeError("a request is a dict")
    return request


def thread_count() -> int:
    """Return the number of threads of this process, or 0 if the number is unknown.

    A fork of a process with several threads may hang.
    """
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def _findings(shell: Shell, answers: dict[str, str]) -> dict[str, dict[str, list[Any]]]:
    """Return findings: reasons why names in answers and failed cells do not mean what the code expects.

    The findings for answers are keyed by task, and those for failed cells by label.

    Args:
        shell: the shell that ran the notebook.
        answers: for each task, the label of its answer cell.
    """
    result: dict[str, dict[str, list[Any]]] = {"answers": {}, "cells": {}}
    with contextlib.suppress(BaseException):  # the notebook's own objects may raise any error
        rebound = shell.bindings.rebound()
        for task, label in answers.items():
            if findings := shell.bindings.used_by(task, label, rebound):
                result["answers"][task] = _plain(findings)
        causes = shell.bindings.causes(set(answers.values())).items()
        result["cells"] = {label: _plain(findings) for label, findings in causes}
    return result


def _plain(findings: list[Finding]) -> list[list[Any]]:
    cleaned = ([clean(part, 200) if isinstance(part, str) else part for part in f.data()] for f in findings)
    return list(cleaned)


def fork_task(channel: socket.socket, serve_child: Callable[[socket.socket], object]) -> int:
    """Receive a socket, fork a child that answers requests on it, and return the child's process id."""
    _, (descriptor,), _, _ = socket.recv_fds(channel, 1, 1)
    child = os.fork()
    if child:
        os.close(descriptor)
        return child
    try:
        channel.close()
        os.setpgid(0, 0)  # lets the task's process be killed together with the processes that it starts
        serve_child(socket.socket(fileno=descriptor))
    finally:
        os._exit(0)


def exit_code(child: int) -> int | None:
    """Return the exit code of a task's process (negative for a signal); None if the code is unknown."""
    deadline = time.monotonic() + 1.0
    with contextlib.suppress(OSError):
        while time.monotonic() < deadline:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
    return None


def serve_task(channel: socket.socket, shell: Shell, number: int) -> None:
    """Answer the questions of one task, using a copy of the student's namespace."""
    channel.settimeout(None)  # overrides a default timeout that the cells may have set
    seed(number)
    names = dict(shell.user_ns)
    while True:
        request = next_request(channel)
        with capture_output():
            answer = _task_answer(request, names, shell.bindings)
        wire.send(channel, answer, limits=wire.ANSWER_LIMITS)


def _task_answer(request: dict[str, Any], names: dict[str, Any], bindings: Bindings) -> dict[str, Any]:
    try:
        if request["do"] == "define":
            return _define(request["source"], names)
        return _ask(request["name"], request["args"], request.get("kwargs", {}), names)
    # SystemExit and KeyboardInterrupt count as wrong answers, and must not end the process.
    except BaseException as error:
        findings: list[Finding] = []
        with contextlib.suppress(BaseException):  # the notebook's own objects may raise any error
            findings = bindings.explain_error(error)
        return {"kind": "raised", **describe(error), "findings": _plain(findings)}


def _define(source: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a test cell's imports and function definitions in `names`, with Python's original builtins."""
    module = types.ModuleType("probes")  # lets Python find the module of classes that the test cell defines
    module.__dict__.update(names)
    module.__dict__.update(BUILTINS, __builtins__=dict(BUILTINS), __name__="probes")
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


# --- Without a sandbox: `autograder check` of the user's own notebook ---------------------------------------


def main(arguments: list[str]) -> None:
    """Serve the examiner until it closes the connection.

    Args:
        arguments: either the number of an inherited socket, or "port" and the number of a local port.
    """
    if arguments[0] == "port":
        channel = socket.create_connection(("127.0.0.1", int(arguments[1])))
        channel.sendall(sys.stdin.buffer.read(32))
    else:
        channel = socket.socket(fileno=int(arguments[0]))
    # It is not known yet which modules the user's notebook needs. So the modules that lessons need are
    # imported.
    from secant.checking import situation  # noqa: F401

    wire.load_tensors()
    pictures.exclude_drawing()
    shell = make_shell()
    reset()  # also limits torch to one thread
    wire.send(channel, "ready")
    try:
        with contextlib.suppress(wire.WireClosed):
            serve(channel, shell)
    finally:
        os._exit(0)  # ends without waiting for the student's exit handlers and threads


if __name__ == "__main__":
    main(sys.argv[1:])
