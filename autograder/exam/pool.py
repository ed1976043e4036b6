"""Pools of processes that have imported what lessons need and wait for a notebook to check.

This module does not import torch, so that the examiner can import its own modules while a process of the pool
imports torch.
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

# Number of processes to keep ready. On Linux, one process serves a whole notebook. Elsewhere, each task needs
# its own process (see sandbox/client.py).
_POOL_SIZE = 1 if sys.platform == "linux" else 3
_EXIT_REPORT_SECONDS = 2.0  # seconds to wait for the server's report of how a candidate ended
_CLOSE_SECONDS = 10.0  # seconds to wait until the server has ended a candidate's session


class Pool(Protocol):
    """A source of processes in which users check their own notebooks. These processes are not sandboxed."""

    def take(self) -> Container:
        """Return a process that has imported all that a lesson needs."""

    def refill(self) -> None:
        """Start processes until the pool is full, without waiting for their imports."""

    def close(self) -> None:
        """End the processes that are still waiting for a notebook."""


class WarmPool:
    """A short queue of processes that each do their own imports."""

    def __init__(self) -> None:
        # on Windows, starting a process blocks until its imports are done
        self._starter = ThreadPoolExecutor(_POOL_SIZE)
        self._containers: deque[Future[Container]] = deque()
        self.refill()

    def refill(self) -> None:
        """Start processes until the pool is full, without waiting for their imports."""
        while len(self._containers) < _POOL_SIZE:
            self._containers.append(self._starter.submit(start_bare, "en"))

    def take(self) -> Container:
        """Return the process that has been waiting the longest."""
        if not self._containers or sys.platform != "linux":
            self.refill()
        return self._containers.popleft().result()

    def close(self) -> None:
        """End the processes that are still waiting for a notebook."""
        while self._containers:
            with contextlib.suppress(WallError, OSError):  # a process that failed to start needs no cleanup
                self._containers.popleft().result().close()
        self._starter.shutdown()


class _Fork:
    """A fork of this process that runs `forks.serve_in_fork`. It has the methods of `Popen` used here."""

    def __init__(self, control: int) -> None:
        from autograder.exam import forks

        self.pid = os.fork()
        if self.pid == 0:
            try:
                forks.serve_in_fork(control, bare_environment("en"))
            finally:
                os._exit(1)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


class ForkPool:
    """A server process that has done its imports once and forks each candidate in milliseconds; see forks.py.

    Args:
        fork: whether to fork the server from this process. This is allowed only if the process has imported
            torch, has computed nothing with it, and holds no lock, because the fork would inherit the lock.
    """

    def __init__(self, *, fork: bool = False) -> None:
        self._control, server_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with server_end:
            number = server_end.fileno()
            self._process = _Fork(number) if fork else self._start(number)
        self._ready = False

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.exam.forks", str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            env=bare_environment("en"),
            process_group=0,  # so that Ctrl+C does not reach the server; the parent closes the pool instead
        )

    def refill(self) -> None:
        """Do nothing, because forking does not use up the server process."""

    def wait(self) -> None:
        """Wait until the server's imports are done.

        The process that created the pool must call this before it forks processes that use the pool.

        Raises:
            WallError: the server ended.
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
        """Fork a candidate.

        Only the process that created the pool, and forks of that process, may call this method.

        Raises:
            WallError: the server did not start, or could not be reached.
        """
        self.wait()
        folder = tempfile.mkdtemp(prefix="secant-check-")
        channel, candidate_end = socket.socketpair()
        owner_socket, owner_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with candidate_end, owner_end:
            try:
                socket.send_fds(
                    self._control, [folder.encode()], [candidate_end.fileno(), owner_end.fileno()]
                )
            except OSError as error:
                os.rmdir(folder)
                raise WallError(f"no candidate could be started: {error}") from None
        return _ForkedContainer(channel, owner_socket)

    def close(self) -> None:
        """End the server and all candidates that it forked."""
        self._control.close()
        # The server is killed if it is still importing modules, because it would notice the closed socket
        # only seconds later. It has not forked any candidates yet.
        if not self._ready:
            self._process.kill()
        self._process.wait()


def lasting_pool() -> Pool:
    """Return a pool for many checks in a row: a `ForkPool` on Linux, a `WarmPool` elsewhere."""
    return ForkPool() if sys.platform == "linux" else WarmPool()


class _ForkedContainer(Container):
    """A forked candidate. Its exit status arrives on a socket, and closing that socket ends the candidate."""

    def __init__(self, channel: socket.socket, owner_socket: socket.socket) -> None:
        super().__init__(channel)
        self._owner_socket = owner_socket

    def ending(self) -> Crashed:
        ready, _, _ = select.select([self._owner_socket], [], [], _EXIT_REPORT_SECONDS)
        report = json.loads((self._owner_socket.recv(256) if ready else b"") or b"{}")
        if "failed" in report:  # the candidate never ran, so the answer is not to blame
            raise WallError(f"no candidate could be started: {report['failed']}")
        return self.reason(report.get("over"))

    def close(self) -> None:
        self.channel.close()
        deadline = time.monotonic() + _CLOSE_SECONDS
        with contextlib.suppress(OSError):  # if the server has ended, so have all its candidates
            self._owner_socket.shutdown(socket.SHUT_WR)
            while select.select([self._owner_socket], [], [], max(0.0, deadline - time.monotonic()))[0]:
                if not self._owner_socket.recv(256):
                    break
        self._owner_socket.close()
