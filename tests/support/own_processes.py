"""A process pool for tests of a user's own checks; its processes start faster than the product's."""

import socket
import subprocess
import tempfile
import time

from autograder.exam.pool import WarmPool
from autograder.sandbox.container import Container, PlainContainer
from autograder.sandbox.inside import wire


class Forks(WarmPool):
    """A pool that forks candidates from a warm process on demand; the product's pool starts new processes.

    A new process would first have to import torch.
    """

    def __init__(self, python: list[str]) -> None:
        self._command = [*python, "autograder.sandbox.inside.candidate", "0"]

    def refill(self) -> None:
        pass

    def take(self) -> Container:
        folder = tempfile.mkdtemp(prefix="secant-check-")
        channel, child_end = socket.socketpair()
        with child_end:
            null = subprocess.DEVNULL
            process = subprocess.Popen(self._command, stdin=child_end, stdout=null, stderr=null, cwd=folder)
        assert wire.recv(channel, time.monotonic() + 60) == "ready"
        return PlainContainer(channel, process, folder)

    def close(self) -> None:
        pass
