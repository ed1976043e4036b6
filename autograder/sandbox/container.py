"""Access to the processes of one submission: channels to them, and methods that end them."""

import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.inside import wire
from autograder.sandbox.inside.limits import MEGABYTE, ContainerLimits
from autograder.sandbox.inside.processes import kill_group
from autograder.sandbox.results import Crashed, WallError
from autograder.sandbox.template import START_SECONDS, last_lines

# Seconds allowed for making a container from a template, or for an answer from its supervisor.
CONTAINER_SECONDS = 20.0
_KILL_SECONDS = 30.0
_EXIT_REPORT_SECONDS = 2.0


class Container:
    """The processes of one submission, seen from outside: a channel for values, and methods that end them.

    One of these processes is the candidate, which runs the student's code.
    """

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel

    def kill_children(self, child: int) -> bool:
        """Kill the process group of a task, which contains the task's own process.

        The candidate that loaded the cells keeps running. In a sandbox, processes that have left the group
        are killed as well. Without a sandbox, they are not found.

        Args:
            child: the process id of the task; 0 if the task has no process.

        Returns:
            False if the task has no process.
        """
        if child > 1:
            kill_group(child)
        return child > 1

    def starved_seconds(self, since: float) -> float:
        """Return how many seconds the container waited because other processes were using the processor.

        Args:
            since: the time.monotonic() timestamp from which to count.
        """
        return 0.0

    def ending(self) -> Crashed:
        """Return the reason why the candidate has ended."""
        raise NotImplementedError

    def reason(self, code: object) -> Crashed:
        """Return the error for an exit code. A negative code is a signal's number with a minus sign."""
        if not isinstance(code, int):
            return Crashed("unknown")
        return Crashed("signal", -code) if code < 0 else Crashed("exit", code)

    def kill(self) -> None:
        """Kill the candidate. This may be called while another thread waits for the candidate."""
        raise NotImplementedError

    def close(self) -> None:
        """Kill every process in the container, and wait until all of them have ended."""
        raise NotImplementedError


class WalledContainer(Container):
    """A container with a supervisor as its process 1. A socket and a pidfd give access to the supervisor.

    Args:
        channel: the socket to the candidate.
        orders: the socket to the supervisor.
        limits: the limits on what the container may use.
        wall_stands: a function that returns whether the wall (the sandbox) around this container still
            exists. If the wall is gone, the processes in the container are not to blame for the end of the
            supervisor.
    """

    def __init__(
        self,
        channel: socket.socket,
        orders: socket.socket,
        limits: ContainerLimits,
        wall_stands: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(channel)
        self._orders = orders
        self._wall_stands = wall_stands
        self._supervisor: int | None = None
        self._cgroup: Cgroup | None = None
        self._last_message: dict[str, Any] = {}
        # The process that runs the sandbox, if the sandbox was built for this container alone.
        self.process: subprocess.Popen[bytes] | None = None
        self._limits = limits

    def open(self, deadline: float) -> None:
        """Wait for the supervisor, let it start the candidate, and limit the candidate's resources.

        The candidate runs nothing until it receives a request.
        """
        self._supervisor = os.pidfd_open(self._receive_pid("ready", deadline))
        self._orders.send(b"go")
        candidate = self._receive_pid("candidate", deadline)
        # The candidate and its examiner take turns, so the candidate is restricted to the examiner's
        # processors. If there is only one such processor, no other processor has to be woken up at each turn.
        with contextlib.suppress(OSError):
            os.sched_setaffinity(candidate, os.sched_getaffinity(0))
        limits = self._limits
        group = Cgroup.create(limits.memory_mb * MEGABYTE, limits.processes, limits.processors)
        if group and group.add(candidate):
            self._cgroup = group
        elif group:  # the candidate cannot join the group, so only the supervisor limits its memory
            group.remove()

    def _receive_pid(self, key: str, deadline: float) -> int:
        """Return the id of a process that the supervisor reports as started.

        Args:
            key: the key that the supervisor's message must have: "ready" or "candidate".
            deadline: the time.monotonic() timestamp by which the message must arrive.

        Raises:
            WallError: the message reports an error, or the process is not visible to the grader.
        """
        message, pid = self._receive(deadline)
        if key not in message or not pid:
            raise WallError(
                f"no container could be made: {message.get('error', 'its process is not visible')}"
            )
        return pid

    def _receive(self, deadline: float) -> tuple[dict[str, Any], int]:
        """Return the supervisor's next message, and its sender's process id outside the container.

        The process id comes from the kernel, not from the message. It is 0 if the kernel reports none.
        """
        ready, _, _ = select.select([self._orders], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise WallError("the supervisor of a container does not answer")
        data, ancillary, _, _ = self._orders.recvmsg(4096, socket.CMSG_SPACE(struct.calcsize("3i")))
        if not data:
            raise WallError("the supervisor of a container has gone")
        pid = 0
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                pid = struct.unpack("3i", payload[:12])[0]
        return json.loads(data), pid

    def kill_children(self, child: int) -> bool:
        try:
            self._orders.send(b"kill_children")
            message, _ = self._receive(time.monotonic() + CONTAINER_SECONDS)
        except (OSError, WallError):
            return False
        return bool(message.get("killed"))

    def starved_seconds(self, since: float) -> float:
        try:
            self._orders.send(f"starved {since:.6f}".encode())
            message, _ = self._receive(time.monotonic() + CONTAINER_SECONDS)
        except (OSError, WallError):
            return 0.0
        if "starved" not in message:
            self._last_message = message
        return float(message.get("starved", 0.0))

    def ending(self) -> Crashed:
        if self._last_message:
            return self._ending(self._last_message)
        ready, _, _ = select.select([self._orders], [], [], _EXIT_REPORT_SECONDS)
        if not ready:
            return Crashed("unknown")  # the candidate is still running, and has only closed its channel
        try:
            message, _ = self._receive(time.monotonic())
        except (OSError, WallError):
            return self._silent_end()
        return self._ending(message)

    def _ending(self, message: dict[str, Any]) -> Crashed:
        if "error" in message:
            raise WallError(f"the supervisor of a container failed: {message['error']}")
        return Crashed("memory") if message.get("over") == "memory" else self.reason(message.get("over"))

    def _silent_end(self) -> Crashed:
        """Return the reason why the supervisor has ended without sending a last message."""
        if self._out_of_memory():
            return Crashed("memory")
        if not self._wall_stands():
            raise WallError("the supervisor of a container has gone, and the wall with it")
        return Crashed("unknown")

    def reason(self, code: object) -> Crashed:
        if code == -signal.SIGKILL and self._out_of_memory():
            return Crashed("memory")
        return super().reason(code)

    def _out_of_memory(self) -> bool:
        return self._cgroup is not None and self._cgroup.was_out_of_memory()

    def close(self) -> None:
        try:
            self._kill()
        finally:
            self.channel.close()
            self._orders.close()
            if self._supervisor is not None:
                os.close(self._supervisor)
                self._supervisor = None
            if self._cgroup:
                self._cgroup.remove()
                self._cgroup = None

    def _kill(self) -> None:
        """Kill process 1 of the container, and wait until it has ended.

        The kernel kills all other processes first, so once process 1 has ended, they have ended too.
        """
        if self.process is not None:
            self.process.kill()
        if self._supervisor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._supervisor, signal.SIGKILL)
            ready, _, _ = select.select([self._supervisor], [], [], _KILL_SECONDS)
            if not ready:
                raise WallError("a container would not end")
        if self.process is not None:
            self.process.wait(_KILL_SECONDS)


class PlainContainer(Container):
    """A plain process without a sandbox, for the user's own notebook."""

    def __init__(self, channel: socket.socket, process: subprocess.Popen[bytes], folder: str) -> None:
        super().__init__(channel)
        self._process = process
        self._folder = folder

    def ending(self) -> Crashed:
        try:
            return self.reason(self._process.wait(_EXIT_REPORT_SECONDS))
        except subprocess.TimeoutExpired:
            return Crashed("unknown")

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self.channel.close()
        self._process.kill()
        self._process.wait(_KILL_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)


def start_bare(language: str) -> Container:
    """Start a plain process for the user's own notebook, with no sandbox around it."""
    folder = tempfile.mkdtemp(prefix="secant-check-")
    with tempfile.TemporaryFile() as stderr:
        container = PlainContainer(*_start_process(folder, language, stderr), folder)
        try:
            # The process sends a message once its imports are done.
            wire.recv(container.channel, time.monotonic() + START_SECONDS)
        except wire.WireError as error:
            container.close()
            raise WallError(f"no candidate could be started: {error} {last_lines(stderr)}") from None
    return container


def bare_environment(language: str) -> dict[str, str]:
    """Return the environment of a plain process that runs the user's own notebook."""
    package = str(Path(__file__).resolve().parents[2])
    return os.environ | {
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])),
        "SECANT_LANG": language,
    }


def _start_process(
    folder: str, language: str, stderr: IO[bytes]
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    settings: dict[str, Any] = {
        "cwd": folder,
        "env": bare_environment(language),
        "stdout": subprocess.DEVNULL,
        "stderr": stderr,
    }
    command = [sys.executable, "-P", "-m", "autograder.sandbox.inside.candidate"]
    if sys.platform == "win32":
        return connect_by_port(command, settings)
    channel, candidate_end = socket.socketpair()
    with candidate_end:
        descriptor = candidate_end.fileno()
        process = subprocess.Popen(
            [*command, str(descriptor)], pass_fds=[descriptor], stdin=subprocess.DEVNULL, **settings
        )
    return channel, process


def connect_by_port(
    command: list[str], settings: dict[str, Any]
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a candidate that connects to a local port, for systems on which no socket can be inherited.

    The candidate reads a token from its standard input, and sends it back to prove its identity.
    """
    token = secrets.token_bytes(32)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(1.0)
        port = server.getsockname()[1]
        process = subprocess.Popen([*command, "port", str(port)], stdin=subprocess.PIPE, **settings)
        assert process.stdin is not None
        # The process may have ended already. The loop below will notice that.
        with contextlib.suppress(OSError), process.stdin:
            process.stdin.write(token)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                channel, _ = server.accept()
                channel.settimeout(5.0)
                if secrets.compare_digest(_receive_exactly(channel, 32), token):
                    return channel, process
                channel.close()
    process.kill()
    process.wait(_KILL_SECONDS)
    raise WallError("no candidate could be started: it did not connect")


def _receive_exactly(channel: socket.socket, count: int) -> bytes:
    """Receive exactly `count` bytes, or fewer if the other side closes the connection.

    The loop is needed because Windows supports MSG_WAITALL only without a timeout.
    """
    data = b""
    while len(data) < count and (part := channel.recv(count - len(data))):
        data += part
    return data
