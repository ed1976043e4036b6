"""Running a notebook with ordinary nbgrader tests, from outside, cell by cell."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.sandbox.client import CandidateClient, cell_result, field, number, receive, send, text
from autograder.sandbox.container import CONTAINER_SECONDS, Container
from autograder.sandbox.inside.limits import OUTPUT_LIMIT, VALUE_LIMIT
from autograder.sandbox.results import CandidateError, CellResult, Crashed, TimedOut, WallError

_GRACE_SECONDS = 5.0  # after the candidate should have interrupted a cell by itself
_PIECE = 8_000_000  # bytes of a file that are sent at once


@dataclass(frozen=True)
class TestCode:
    """A test cell, compiled.

    Attributes:
        body: all but its last value, as marshalled code in Latin-1.
        last: its last value, likewise.
        builtins: the builtins that it reads by their pristine names.
        proof: what comes back only if the end was reached.
    """

    body: str
    last: str
    builtins: tuple[str, ...]
    proof: str

    __test__ = False  # it is no class of tests of pytest's


@dataclass(frozen=True)
class Ran:
    """What became of a cell, as the candidate claims it.

    Attributes:
        stderr: whether it wrote to its error output.
        value: the text of a test's last value.
        proof: what a test brought back from its end.
        timed_out: whether it was interrupted.
    """

    cell: CellResult
    stderr: bool
    timed_out: bool
    value: str = ""
    proof: str = ""


class PlainClient(CandidateClient):
    """One notebook with ordinary nbgrader tests."""

    def __init__(self, open_container: Callable[[], Container]) -> None:
        super().__init__(open_container)
        self._open = open_container

    def begin(self, files: Mapping[str, bytes], seed: int, done: str = "autograde") -> None:
        """Begin a notebook in a new container.

        Args:
            files: what lies beside it, by path.
            seed: for every generator.
            done: what NBGRADER_EXECUTION says is done.

        Raises:
            WallError: no container could be made, or it was lost before any cell ran.
        """
        self.close()
        self._container = self._open()
        try:
            begun = self._exchange({"do": "plain", "seed": seed, "done": done}, CONTAINER_SECONDS)
            self._threads = number(begun, "threads")
            self._write(files)
        except CandidateError as error:
            raise WallError(f"the notebook could not be begun: {error}") from error

    def _write(self, files: Mapping[str, bytes]) -> None:
        for path, data in files.items():
            for start in range(0, max(len(data), 1), _PIECE):
                piece = torch.from_numpy(np.frombuffer(data[start : start + _PIECE], np.uint8).copy())
                self._exchange({"do": "file", "file": {"path": path, "data": piece}}, CONTAINER_SECONDS)

    @property
    def is_alive(self) -> bool:
        """Return whether the notebook's process can be asked."""
        return self._container is not None

    def cell(self, label: str, source: str, seconds: float) -> Ran:
        """Run a cell of the student's, or a locked one.

        Raises:
            TimedOut, Crashed: the process is lost.
        """
        request = {"do": "cell", "label": label, "source": source, "seconds": seconds}
        return self._ran(label, request, seconds)

    def test_in_line(self, label: str, test: TestCode, seconds: float) -> Ran:
        """Run a test among the cells, so that they see what it leaves.

        Raises:
            TimedOut, Crashed: the process is lost.
        """
        return self._ran(label, _test_request(test, seconds), seconds)

    def test_aside(self, label: str, test: TestCode, seconds: float) -> Ran:
        """Run a test in a copy of the process.

        Raises:
            TimedOut, Crashed: the copy is lost. The process itself goes on, unless `is_alive` says otherwise.
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
        """Return whether the process can be copied: it has one thread."""
        return self._can_fork()

    def _ran(self, label: str, request: dict[str, Any], seconds: float) -> Ran:
        started = time.monotonic()
        reply = self._exchange(request, seconds + _GRACE_SECONDS)
        ran = _read(label, reply, time.monotonic() - started)
        self._threads = number(reply, "threads")
        return ran

    def _exchange(self, request: dict[str, Any], seconds: float) -> Any:
        """Send a request and return the reply; without one, the process is ended."""
        if self._container is None:
            raise Crashed("unknown")
        try:
            with self._limited(self._container, seconds) as limit:
                send(self._container, request, limit)
                return receive(self._container, limit)
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


def _read(label: str, reply: object, seconds: float) -> Ran:
    flags = [field(reply, name) for name in ("stderr", "timed_out")]
    if not all(isinstance(flag, bool) for flag in flags):
        raise Crashed("garbage")
    found = {name: text(reply, name, VALUE_LIMIT) for name in ("value", "proof") if name in reply}  # type: ignore[operator]
    return Ran(cell_result(label, reply, seconds, OUTPUT_LIMIT), flags[0], flags[1], **found)
