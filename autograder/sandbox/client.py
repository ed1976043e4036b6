"""The examiner's client for a candidate, the process that runs the student's code.

The client has the candidate load a submission's cells, and then asks the questions of each task. A question
is a call to one function. Each task's questions go to a fresh copy of the process that loaded the cells.
"""

import errno
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Protocol, Self

from autograder.sandbox.container import CONTAINER_SECONDS, Container
from autograder.sandbox.fair_deadline import FairDeadline
from autograder.sandbox.inside import wire
from autograder.sandbox.inside.limits import MESSAGE_LIMIT, OUTPUT_LIMIT
from autograder.sandbox.results import (
    CandidateError,
    CellResult,
    Crashed,
    LoadResult,
    Reply,
    TimedOut,
    TraceLine,
    WallError,
)
from secant.bindings import Finding

TimeLimiter = Callable[[float], AbstractContextManager[FairDeadline]]
_REAP_SECONDS = 3.0
# Maximum number of findings about one error or answer; see `Finding` in secant/bindings.py.
_MAX_FINDINGS = 5
# Maximum number of characters in the outputs of all cells together; a feedback page shows fewer.
_MAX_OUTPUT = 1_000_000


class Candidates(Protocol):
    """The interface of an object that starts candidates, the processes that run submitted code.

    Candidates run inside a sandbox (a wall) or, for the user's own notebook, as plain processes.
    """

    def candidate(self) -> "CandidateClient":
        """Return the client for a new candidate, to be used in a `with` statement."""


class CandidateClient:
    """The client for one submission. One process loads the cells, and each task gets a copy of that process.

    The copy is a fork of the process that loaded the cells. In three cases, the cells are loaded again in a
    new container instead: if that process was lost, if forking is unsafe because the cells left threads
    behind, or if forking is impossible.

    Attributes:
        spent: seconds that this submission has used and that count towards its limits; see
            fair_deadline.py.
    """

    _order_limits = wire.LIMITS
    _answer_limits = wire.ANSWER_LIMITS

    def __init__(self, open_container: Callable[[], Container]) -> None:
        self._open_container = open_container
        self._container: Container | None = None
        self._cells: list[tuple[str, str]] = []
        self._answers: dict[str, str] = {}
        self._load_timeout = 0.0
        self._load_seed = 0
        self._threads = 0
        self.spent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process that this submission has started."""
        container, self._container = self._container, None
        if container is not None:
            container.close()

    def load(
        self,
        cells: Sequence[tuple[str, str]],
        timeout: float,
        seed: int = 0,
        answers: Mapping[str, str] | None = None,
    ) -> LoadResult:
        """Run cells in order, as a notebook would: if a cell raises an error, the next one still runs.

        Args:
            cells: the label and the source of each cell.
            timeout: seconds for all cells together.
            seed: the seed of every random number generator.
            answers: for each task, the label of its answer cell. The labels are used to find names in the
                answers that do not mean what the answers expect.

        Raises:
            TimedOut, Crashed: a cell did not finish. The error has that cell's label and the results of the
                cells before it.
            WallError: no container could be made.
        """
        self._cells, self._load_timeout, self._load_seed = list(cells), timeout, seed
        self._answers = dict(answers or {})
        self.close()
        self._container = self._open_container()
        results: list[CellResult] = []
        chars_left = _MAX_OUTPUT
        try:
            with self._time_limit(self._container, timeout) as limit:
                order = {"do": "load", "seed": seed, "cells": self._cells, "answers": self._answers}
                self._send(self._container, order, limit)
                started = time.monotonic()
                for label, _ in self._cells:
                    reply = self._receive(self._container, limit)
                    results.append(cell_result(label, reply, time.monotonic() - started, chars_left))
                    chars_left -= len(results[-1].output)
                    started = time.monotonic()
                final_reply = self._receive(self._container, limit)
                self._threads = number(final_reply, "threads")
        except CandidateError as error:
            self.close()
            running = self._cells[len(results)][0] if len(results) < len(self._cells) else None
            if isinstance(error, TimedOut):
                raise TimedOut(f"the cells took longer than {timeout:g} s", running, results) from None
            if isinstance(error, Crashed):
                error.cell, error.results = running, results
            raise
        if self._can_fork():
            self._container.kill_children(0)  # kills background processes that the cells have left running
        return LoadResult(
            tuple(results),
            self._threads,
            _findings_by_key(final_reply, "answers"),
            _findings_by_key(final_reply, "cells"),
        )

    def task(self, seed: int = 0, *, last: bool = False) -> "TaskClient":
        """Return a fresh copy of the process that loaded the cells, for one task.

        The copy is to be used in a `with` statement.

        Args:
            seed: the seed of every random number generator.
            last: True if no other task follows, so that the process that loaded the cells may itself be used.

        Raises:
            TimedOut, Crashed: the cells had to be loaded again, and that failed.
            WallError: no container could be made.
        """
        if self._container is not None and self._can_fork() and not last:
            try:
                return self._fork(self._container, seed)
            except CandidateError:
                self.close()
        if self._container is None:
            self.load(self._cells, self._load_timeout, self._load_seed, self._answers)
        assert self._container is not None
        if self._can_fork() and not last:
            try:
                return self._fork(self._container, seed)
            except CandidateError:
                self.close()
                raise
        container, self._container = self._container, None
        try:
            with self._time_limit(container, CONTAINER_SECONDS) as limit:
                self._send(container, {"do": "become", "seed": seed}, limit)
        except BaseException:
            container.close()
            raise
        return TaskClient(
            container.channel,
            partial(self._time_limit, container),
            container.ending,
            container.close,
            self._answer_limits,
        )

    def _send(self, container: Container, request: dict[str, Any], limit: FairDeadline) -> None:
        """Send the candidate a request.

        Raises:
            TimedOut, Crashed: the candidate does not read the request, or has ended.
            wire.WireError: a value in the request cannot be sent.
        """
        try:
            wire.send(container.channel, request, limit.seconds_left, self._order_limits, exact=True)
        except wire.WireTimeout:
            raise TimedOut("the candidate does not read") from None
        except wire.WireClosed:
            raise container.ending() from None

    def _receive(self, container: Container, limit: FairDeadline) -> Any:
        """Return the candidate's next reply.

        Raises:
            TimedOut, Crashed: there was no reply, or the bytes of the reply do not encode a value.
        """
        try:
            return wire.recv(container.channel, limit.seconds_left, self._answer_limits)
        except wire.WireTimeout:
            raise TimedOut("the candidate does not answer") from None
        except wire.WireClosed:
            raise container.ending() from None
        except wire.WireError:
            raise Crashed("garbage") from None

    @contextmanager
    def _time_limit(self, container: Container, seconds: float) -> Iterator[FairDeadline]:
        """Limit how long an exchange of messages may take, and add its duration to `spent`."""
        limit = FairDeadline(seconds, container.starved_seconds)
        try:
            yield limit
        finally:
            self.spent += limit.seconds_spent()

    def _can_fork(self) -> bool:
        return self._threads == 1 and sys.platform == "linux"

    def _fork(self, container: Container, seed: int) -> "TaskClient":
        task_channel, child_end = socket.socketpair()
        try:
            with self._time_limit(container, CONTAINER_SECONDS) as limit:
                with child_end:
                    self._send(container, {"do": "task", "seed": seed}, limit)
                    try:
                        socket.send_fds(container.channel, [b"t"], [child_end.fileno()])
                    except OSError as error:
                        # The kernel limits how many descriptors one user may have in transit (sent, but not
                        # yet received). Reaching that limit is not the candidate's fault.
                        if error.errno == errno.ETOOMANYREFS:
                            raise WallError(f"no task could be begun: {error}") from None
                        raise container.ending() from None
                child = number(self._receive(container, limit), "child")
        except BaseException:
            task_channel.close()
            raise
        return TaskClient(
            task_channel,
            partial(self._time_limit, container),
            lambda: self._ending_of_task(container),
            lambda: self._end_task(container, child),
            self._answer_limits,
        )

    def _ending_of_task(self, container: Container) -> Crashed:
        """Return the reason why a task's process ended, as reported by the process that loaded the cells.

        The student's code may have falsified this report, but the report is only used in a message.
        """
        try:
            return container.reason(field(self._reap(container), "exit"))
        except CandidateError as error:
            self._drop(container)
            return error if isinstance(error, Crashed) else Crashed("unknown")

    def _end_task(self, container: Container, child: int) -> None:
        if self._container is not container:
            return
        try:
            if not container.kill_children(child):
                raise Crashed("unknown")
            self._reap(container)
        except CandidateError:  # the next task loads the cells again
            self._drop(container)

    def _reap(self, container: Container) -> Any:
        """Have the process that loaded the cells reap its child; return a reply with the exit code."""
        with self._time_limit(container, _REAP_SECONDS) as limit:
            self._send(container, {"do": "reap"}, limit)
            return self._receive(container, limit)

    def _drop(self, container: Container) -> None:
        if self._container is container:
            self.close()


class TaskClient:
    """The client for one task's copy of the student's process.

    After raising TimedOut or Crashed, the client is unusable.
    """

    def __init__(
        self,
        channel: socket.socket,
        limit_time: TimeLimiter,
        ending: Callable[[], Crashed],
        end: Callable[[], None],
        answer_limits: wire.Limits = wire.ANSWER_LIMITS,
    ) -> None:
        self._channel: socket.socket | None = channel
        self._answer_limits = answer_limits
        self._limit_time = limit_time
        self._ending = ending
        self._end = end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def define(self, source: str, timeout: float = 30.0) -> Reply:
        """Run a test cell's imports and function definitions in a copy of the student's namespace."""
        return self._request({"do": "define", "source": source}, timeout)

    def ask(
        self,
        name: str,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        timeout: float = 10.0,
    ) -> Reply:
        """Call the function with this name, with plain data as arguments, and return the answer.

        Raises:
            TimedOut, Crashed: there was no answer, and later questions will not be answered either.
            wire.WireError: an argument is not plain data.
        """
        request: dict[str, Any] = {"do": "ask", "name": name, "args": list(args)}
        if kwargs:
            request["kwargs"] = dict(kwargs)
        return self._request(request, timeout)

    def order(self, request: dict[str, Any], timeout: float) -> Reply:
        """Send a request other than `define` or `ask`, and return the answer.

        This method raises the same errors as `ask`.
        """
        return self._request(request, timeout)

    def close(self) -> None:
        """End this copy of the process, and every process that it started."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()
            self._end()

    def _request(self, request: dict[str, Any], timeout: float) -> Reply:
        if self._channel is None:
            raise Crashed("unknown")
        # The request is encoded outside the `try` block, because a value that cannot be encoded is the fault
        # of the caller, not of the candidate.
        body = wire.encode(request, exact=True)
        try:
            with self._limit_time(timeout) as limit:
                wire.send_body(self._channel, body, limit.seconds_left)
                return _reply(wire.recv(self._channel, limit.seconds_left, self._answer_limits))
        except wire.TooMuch as error:
            self.close()  # More bytes of the frame may still arrive, so the channel cannot be used again.
            return Reply("too_much", error.stand_in)
        except wire.WireTimeout:
            self.close()
            raise TimedOut(f"no answer within {timeout:g} s") from None
        except wire.WireClosed:
            reason = self._ending()
            self.close()
            raise reason from None
        except (wire.WireError, Crashed):
            self.close()
            raise Crashed("garbage") from None


# --- Reading the candidate's replies, which are not trusted ------------------------------------------------


def field(reply: object, name: str) -> Any:
    """Return a field of a candidate's reply; raise Crashed if it is missing."""
    if not isinstance(reply, dict) or name not in reply:
        raise Crashed("garbage")
    return reply[name]


def text(reply: object, name: str, limit: int) -> str:
    """Return the first `limit` characters of a text field; raise Crashed if the field is not text."""
    value = field(reply, name)
    if not isinstance(value, str):
        raise Crashed("garbage")
    return value[:limit]


def number(reply: object, name: str) -> int:
    """Return a numeric field; raise Crashed if it is not an integer from 0 to 2**31 - 1."""
    value = field(reply, name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise Crashed("garbage")
    return value


def _trace(reply: object) -> tuple[TraceLine, ...]:
    lines = field(reply, "trace")
    if not isinstance(lines, list):
        raise Crashed("garbage")
    return tuple(_line(line) for line in lines[:20])


def _line(line: object) -> TraceLine:
    match line:
        case (str(cell), int(number), str(function), str(text)):
            return TraceLine(cell[:100], number, function[:100], text[:200])
    raise Crashed("garbage")


def _findings_by_key(reply: object, name: str) -> dict[str, tuple[Finding, ...]]:
    """Return the candidate's findings about the notebook's names, keyed by task or cell."""
    findings_by_key = field(reply, name)
    if not isinstance(findings_by_key, dict) or not all(isinstance(key, str) for key in findings_by_key):
        raise Crashed("garbage")
    return {key[:100]: _findings(findings) for key, findings in findings_by_key.items()}


def _findings(data: object) -> tuple[Finding, ...]:
    if not isinstance(data, list):
        raise Crashed("garbage")
    return tuple(_finding(entry) for entry in data[:_MAX_FINDINGS])


def _finding(data: object) -> Finding:
    match data:
        case [str(name), str(kind), str(cell), int(line), str(text), str(detail)]:
            return Finding(
                name[:100], kind[:20], cell[:100], min(max(line, 0), 10**6), text[:200], detail[:200]
            )
    raise Crashed("garbage")


def cell_result(label: str, reply: object, seconds: float, max_chars: int) -> CellResult:
    """Return the result of a cell from the candidate's reply.

    Args:
        label: the cell's label.
        reply: the candidate's reply.
        seconds: how many seconds the cell took.
        max_chars: the maximum number of characters of output to keep.

    Raises:
        Crashed: the reply does not describe a cell's result.
    """
    error, message = text(reply, "error", 100), text(reply, "message", MESSAGE_LIMIT)
    output = text(reply, "output", min(max_chars, OUTPUT_LIMIT))
    return CellResult(label, error, message, _trace(reply), output, seconds)


def _reply(message: object) -> Reply:
    match field(message, "kind"):
        case "value":
            value = field(message, "value")
            too_much = isinstance(value, wire.Unsendable) and value.is_too_much
            return Reply("too_much" if too_much else "value", value)
        case "missing":
            return Reply("missing")
        case "raised":
            error = text(message, "error", 100) or "Exception"
            detail, findings = text(message, "message", MESSAGE_LIMIT), _findings(field(message, "findings"))
            return Reply("raised", None, error, detail, _trace(message), findings)
    raise Crashed("garbage")
