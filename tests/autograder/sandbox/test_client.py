"""Tests of whether the test, the submission or the grader is at fault when a question gets no answer."""

import contextlib
import errno
import socket
import struct
import threading
import time

import pytest

from autograder.sandbox.client import CandidateClient, TaskClient
from autograder.sandbox.container import Container
from autograder.sandbox.fair_deadline import FairDeadline
from autograder.sandbox.inside import wire
from autograder.sandbox.results import Crashed, WallError


def unstarved_deadline(seconds: float) -> contextlib.nullcontext[FairDeadline]:
    return contextlib.nullcontext(FairDeadline(seconds, lambda since: 0.0))


def serve(answer: bytes) -> TaskClient:
    """Return a task whose candidate answers any question with these bytes."""
    examiner_socket, candidate_socket = socket.socketpair()

    def candidate() -> None:
        with candidate_socket, contextlib.suppress(wire.WireClosed):
            wire.recv(candidate_socket, time.monotonic() + 10)
            candidate_socket.sendall(struct.pack("<I", len(answer)) + answer)
            candidate_socket.recv(1)

    threading.Thread(target=candidate, daemon=True).start()
    return TaskClient(examiner_socket, unstarved_deadline, lambda: Crashed("unknown"), lambda: None)


def test_question_with_unsendable_data_is_an_error_of_the_test() -> None:
    with serve(b"") as task, pytest.raises(wire.WireError, match="cannot send"):
        task.ask("f", (object(),))


@pytest.mark.parametrize(
    "answer", [b"", b"\1N trailing", b"\1s\xff\0\0\0", wire.encode({"kind": "odd"})], ids=str
)
def test_malformed_reply_of_a_candidate_is_a_crash_of_the_submission(answer: bytes) -> None:
    with serve(answer) as task, pytest.raises(Crashed, match="garbage"):
        task.ask("f", (1.0,))


def test_a_question_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real_encode = wire.encode

    def encode(*args: object, **options: object) -> bytes:
        calls.append(args)
        return real_encode(*args, **options)

    with serve(b"garbage") as task:
        monkeypatch.setattr(wire, "encode", encode)
        with pytest.raises(Crashed):
            task.ask("f", (1.0,))
    assert len(calls) == 1


def test_exhausted_descriptors_of_the_user_are_a_grader_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ETOOMANYREFS, "too many references")

    examiner_socket, candidate_socket = socket.socketpair()
    with examiner_socket, candidate_socket:
        candidate = CandidateClient(lambda: Container(examiner_socket))
        candidate._container, candidate._threads = Container(examiner_socket), 1
        monkeypatch.setattr(socket, "send_fds", refuse)
        with pytest.raises(WallError, match="too many references"):
            candidate.task()
        monkeypatch.setattr(Container, "close", lambda self: None)
        candidate.close()
