"""Processes that have imported what lessons import, and wait for their author's notebook.

Nothing here imports torch: while such a process does, the examiner's own imports can go on beside it.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from autograder.sandbox.container import Container, bare_environment, start_bare
from autograder.sandbox.results import Crashed, WallError
from autograder.sandbox.template import START_SECONDS

# On Linux one process serves a whole notebook; elsewhere each task takes one (see sandbox/client.py).
_AHEAD = 1 if sys.platform == "linux" else 3
_LAST_WORDS_SECONDS = 2.0
_END_SECONDS = 10.0


class Pool(Protocol):
    """Where processes for a person's own notebook come from. They are no wall."""

    def take(self) -> Container:
        """Hand over a process that has imported everything."""

    def refill(self) -> None:
        """Start as many as are missing; returns at once."""

    def close(self) -> None:
        """End those that wait."""


class WarmPool:
    """A short queue of processes, each of which has done its imports itself."""

    def __init__(self) -> None:
        self._starter = ThreadPoolExecutor(_AHEAD)  # on Windows a start ends when its imports do
        self._containers: deque[Future[Container]] = deque()
        self.refill()

    def refill(self) -> None:
        """Start as many as are missing; returns at once."""
        while len(self._containers) < _AHEAD:
            self._containers.append(self._starter.submit(start_bare, "en"))

    def take(self) -> Container:
        """Hand over the one that has waited longest."""
        if not self._containers or sys.platform != "linux":
            self.refill()
        return self._containers.popleft().result()

    def close(self) -> None:
        """End those that still wait."""
        while self._containers:
            with contextlib.suppress(WallError, OSError):  # one that could not be started has nothing to end
                self._containers.popleft().result().close()
        self._starter.shutdown()


class _Fork:
    """What is used of a `Popen`, for a fork of this process; see `forks.in_fork`."""

    def __init__(self, control: int) -> None:
        from autograder.exam import forks

        self.pid = os.fork()
        if self.pid == 0:
            try:
                forks.in_fork(control, bare_environment("en"))
            finally:
                os._exit(1)

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end."""
        os.waitpid(self.pid, 0)


class ForkPool:
    """A process that has done its imports once, and forks another within milliseconds; see forks.py.

    Args:
        fork: whether that is a fork of this process, which has imported torch, never computed, and at this
            moment holds no lock that the fork would keep.
    """

    def __init__(self, *, fork: bool = False) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self._process = _Fork(number) if fork else self._start(number)
        self._ready = False

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.exam.forks", str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            env=bare_environment("en"),
            process_group=0,  # Ctrl+C is for who asks, who then closes the pool
        )

    def refill(self) -> None:
        """Nothing is used up."""

    def wait(self) -> None:
        """Wait until its imports are done. Forks of the process that made the pool come after that.

        Raises:
            WallError: it ended.
        """
        if not self._ready:
            self._control.settimeout(START_SECONDS)
            try:
                self._ready = self._control.recv(16) == b"ready"
            except OSError:
                self._ready = False
        if not self._ready:
            raise WallError("the process that others are forked from did not start")

    def take(self) -> Container:
        """Have one forked. This may be called in any fork of the process that has made the pool."""
        self.wait()
        folder = tempfile.mkdtemp(prefix="secant-check-")
        channel, theirs = socket.socketpair()
        lifeline, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, end:
            try:
                socket.send_fds(self._control, [folder.encode()], [theirs.fileno(), end.fileno()])
            except OSError as error:
                os.rmdir(folder)
                raise WallError(f"no candidate could be started: {error}") from None
        return _Forked(channel, lifeline)

    def close(self) -> None:
        """End the process, and with it all that it has forked."""
        self._control.close()
        if not self._ready:  # it has forked nothing, and imports for seconds yet
            self._process.kill()
        self._process.wait()


def lasting_pool() -> Pool:
    """Return what serves many checks one after another: forks, where the platform has them."""
    return ForkPool() if sys.platform == "linux" else WarmPool()


class _Forked(Container):
    """A candidate that was forked, and the lifeline that it lives by."""

    def __init__(self, channel: socket.socket, lifeline: socket.socket) -> None:
        super().__init__(channel)
        self._lifeline = lifeline

    def ending(self) -> Crashed:
        ready, _, _ = select.select([self._lifeline], [], [], _LAST_WORDS_SECONDS)
        said = json.loads((self._lifeline.recv(256) if ready else b"") or b"{}")
        if "failed" in said:  # it was never there, so that nothing is said of an answer
            raise WallError(f"no candidate could be started: {said['failed']}")
        return self.reason(said.get("over"))

    def close(self) -> None:
        self.channel.close()
        until = time.monotonic() + _END_SECONDS
        with contextlib.suppress(OSError):  # it has gone, and all with it
            self._lifeline.shutdown(socket.SHUT_WR)
            while select.select([self._lifeline], [], [], max(0.0, until - time.monotonic()))[0]:
                if not self._lifeline.recv(256):
                    break
        self._lifeline.close()
