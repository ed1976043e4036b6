"""The client that runs a notebook with ordinary nbgrader tests in the sandbox, cell by cell."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.sandbox.client import CandidateClient, cell_result, field, number, text
from autograder.sandbox.container import CONTAINER_SECONDS, Container
from autograder.sandbox.inside import wire
from autograder.sandbox.inside.limits import OUTPUT_LIMIT, VALUE_LIMIT
from autograder.sandbox.results import CandidateError, CellResult, Crashed, TimedOut, WallError

# Extra seconds after a cell's time limit, in which the candidate should interrupt the cell itself.
_GRACE_SECONDS = 5.0
_PIECE = 8_000_000  # maximum number of bytes of a file in one message; a larger file is sent in several


@dataclass(frozen=True)
class TestCode:
    """A compiled test cell.

    Attributes:
        body: the code of everything before the cell's last expression, marshalled and decoded as Latin-1.
        last: the code of the cell's last expression, marshalled and decoded as Latin-1.
        builtins: the names of the Python builtins that the test uses. The test gets their original versions,
            even if the notebook has replaced them.
        proof: a token that is sent back only if the test runs to its end.
    """

    body: str
    last: str
    builtins: tuple[str, ...]
    proof: str

    __test__ = False  # keeps pytest from collecting this class


@dataclass(frozen=True)
class CellRun:
    """The result of running a cell, as claimed by the candidate.

    Attributes:
        cell: the cell's error and output.
        stderr: True if the cell wrote to standard error.
        timed_out: True if the cell was interrupted at its time limit.
        value: the text of a test's last value.
        proof: the token sent back by a test that ran to its end; otherwise empty.
    """

    cell: CellResult
    stderr: bool
    timed_out: bool
    value: str = ""
    proof: str = ""


class PlainClient(CandidateClient):
    """The client for one notebook with ordinary nbgrader tests."""

    _order_limits = wire.PLAIN_LIMITS
    _answer_limits = wire.PLAIN_ANSWER_LIMITS

    def __init__(self, open_container: Callable[[], Container]) -> None:
        super().__init__(open_container)
        self._open = open_container

    def begin(self, files: Mapping[str, bytes], seed: int, done: str = "autograde") -> None:
        """Start a notebook in a new container.

        Args:
            files: the contents of the files in the notebook's folder, keyed by path.
            seed: the seed of every random number generator.
            done: the value of the environment variable NBGRADER_EXECUTION.

        Raises:
            WallError: no container could be made, or it was lost before any cell ran.
        """
        self.close()
        self._container = self._open()
        try:
            reply = self._exchange({"do": "plain", "seed": seed, "done": done}, CONTAINER_SECONDS)
            self._threads = number(reply, "threads")
            self._write(files)
        except CandidateError as error:
            raise WallError(f"the notebook could not be begun: {error}") from error

    def _write(self, files: Mapping[str, bytes]) -> None:
        for path, data in files.items():
            for start in range(0, max(len(data), 1), _PIECE):
                piece = data[start : start + _PIECE]
                self._exchange({"do": "file", "file": {"path": path, "data": piece}}, CONTAINER_SECONDS)

    @property
    def is_alive(self) -> bool:
        """True if the notebook's process can still receive requests."""
        return self._container is not None

    def cell(self, label: str, source: str, seconds: float) -> CellRun:
        """Run a cell that the student wrote, or a locked cell.

        Raises:
            TimedOut, Crashed: the notebook's process was lost.
        """
        request = {"do": "cell", "label": label, "source": source, "seconds": seconds}
        return self._run(label, request, seconds)

    def run_test_in_place(self, label: str, test: TestCode, seconds: float) -> CellRun:
        """Run a test in the notebook's own process, so that later cells see its effects.

        Raises:
            TimedOut, Crashed: the notebook's process was lost.
        """
        return self._run(label, _test_request(test, seconds), seconds)

    def run_test_in_copy(self, label: str, test: TestCode, seconds: float) -> CellRun:
        """Run a test in a copy of the notebook's process, so that later cells see none of its effects.

        Raises:
            TimedOut, Crashed: the copy of the process was lost. The notebook's process continues, unless
                `is_alive` is False.
        """
        assert self._container is not None
        started = time.monotonic()
        with self._fork(self._container, 0) as copy:
            reply = copy.order(_test_request(test, seconds), seconds + _GRACE_SECONDS)
        if reply.kind != "value":
            raise Crashed("garbage")
        return _read(label, reply.value, time.monotonic() - started)

    @property
    def can_fork(self) -> bool:
        """True if the process can be copied: it must have a single thread and run on Linux."""
        return self._can_fork()

    def _run(self, label: str, request: dict[str, Any], seconds: float) -> CellRun:
        started = time.monotonic()
        reply = self._exchange(request, seconds + _GRACE_SECONDS)
        run = _read(label, reply, time.monotonic() - started)
        self._threads = number(reply, "threads")
        return run

    def _exchange(self, request: dict[str, Any], seconds: float) -> Any:
        """Send a request and return the reply. If there is no reply, end the process."""
        if self._container is None:
            raise Crashed("unknown")
        try:
            with self._time_limit(self._container, seconds) as limit:
                self._send(self._container, request, limit)
                return self._receive(self._container, limit)
        except CandidateError as error:
            self.close()
            if isinstance(error, TimedOut):
                raise TimedOut(f"the cell took longer than {seconds - _GRACE_SECONDS:g} s") from None
            raise


def _test_request(test: TestCode, seconds: float) -> dict[str, Any]:
    return {
        "do": "test",
        "body": test.body,
        "last": test.last,
        "builtins": list(test.builtins),
        "proof": test.proof,
        "seconds": seconds,
    }


def _read(label: str, reply: object, seconds: float) -> CellRun:
    flags = [field(reply, name) for name in ("stderr", "timed_out")]
    if not all(isinstance(flag, bool) for flag in flags):
        raise Crashed("garbage")
    texts = {name: text(reply, name, VALUE_LIMIT) for name in ("value", "proof") if name in reply}  # type: ignore[operator]
    return CellRun(cell_result(label, reply, seconds, OUTPUT_LIMIT), flags[0], flags[1], **texts)
