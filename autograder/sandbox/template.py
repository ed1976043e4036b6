"""The outer wall and the template process inside it, as seen by the process that starts them.

Nothing here imports torch, because the command that starts a template meanwhile imports other modules.
"""

import contextlib
import json
import os
import random
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

from autograder.sandbox.bubblewrap import bwrap_options, bwrap_path
from autograder.sandbox.inside.libraries import Later
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.results import WallError
from autograder.sandbox.sweep import suspects
from autograder.sandbox.visible import visible

START_SECONDS = 120.0  # seconds allowed for the start, which imports torch, possibly from a cold disk
# User ids for containers started by root. No distribution assigns these ids to its users.
_GUESTS = range(60_578, 61_184)
_EXIT_SECONDS = 30.0
_MAX_MODULES = 8  # maximum number of modules in one message, which has at most 4,096 bytes
_PRELOAD_SECONDS = 300.0  # seconds allowed for importing the modules of one message


class Behind(NamedTuple):
    """The options with which a wall is built.

    Attributes:
        hidden: files and folders that must not exist inside.
        language: "en" or "ko", the language of the course's texts inside.
        limits: the limits on what one submission may use.
        plain: whether only plain assignments are graded inside, so that the template does not import torch.
    """

    hidden: Sequence[str] = ()
    language: str = "en"
    limits: ContainerLimits = ContainerLimits()
    plain: bool = False


class Share(NamedTuple):
    """The data that another process needs to join a wall.

    Attributes:
        control: the socket for orders to the wall's template.
        behind: the options with which the wall was built.
        suspects: the files that are visible inside and may contain a part of a course; see sweep.py.
    """

    control: socket.socket
    behind: Behind
    suspects: tuple[str, ...]


class Template:
    """A process behind the outer wall that has done all imports; see inside/template.py.

    The process starts when this object is made. The thread that makes the object must live as long as the
    template, because bubblewrap ends when that thread ends.

    Raises:
        WallUnavailable: bubblewrap is not installed.
    """

    def __init__(self, behind: Behind) -> None:
        bwrap_path()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._behind = behind
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._ready = False
        with theirs:
            self.process = bubblewrap("forked", [theirs], behind, self._stderr)
        self._suspects: tuple[str, ...] | None = None
        # This runs while the template does its imports.
        self._search = threading.Thread(target=self._find_suspects, daemon=True)
        self._search.start()

    def wait(self) -> Share:
        """Wait until the template's imports are done.

        Raises:
            WallError: the template has ended.
        """
        if not self._ready:
            ready, _, _ = select.select([self.control], [], [], START_SECONDS)
            self._ready = bool(ready and self.control.recv(4096))
        if not self._ready:
            raise WallError(f"the template did not start: {read_end(self._stderr)}")
        self._search.join()
        if self._suspects is None:
            raise WallError("it could not be seen whether a part of a course is visible inside")
        return Share(self.control, self._behind, self._suspects)

    def prepare(self, what: Later) -> None:
        """Have the template import one more group of modules after its other imports.

        A template without torch ignores this.
        """
        with contextlib.suppress(OSError):  # the template has ended, as `wait` will report
            self.control.send(what.encode())

    def preload(self, modules: Sequence[str]) -> dict[str, str]:
        """Have the template import modules that submissions import; see the function `preload`."""
        return preload(self.wait().control, modules) or {}

    def _find_suspects(self) -> None:
        self._suspects = suspects(visible(self._behind.hidden))

    def stands_for(self, behind: Behind) -> bool:
        """Return whether a wall with the given options would be built in the same way.

        If it would, the template uses these options from now on.
        """
        same = behind.plain == self._behind.plain and (
            _options("forked", behind) == _options("forked", self._behind)
        )
        if same:
            self._behind = behind
        return same

    def lives(self, breath: float = 0.0) -> bool:
        """Return whether the template's process is still running.

        Args:
            breath: seconds to wait for the process to end.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(breath)
        return self.process.returncode is None

    def end(self) -> None:
        """End the template, and with it every container that was forked from it."""
        self.control.close()
        self.process.kill()
        self.process.wait(_EXIT_SECONDS)
        self._stderr.close()


def preload(control: socket.socket, modules: Sequence[str]) -> dict[str, str] | None:
    """Have a template import modules that submissions import, once for all containers.

    Args:
        control: the socket for orders to the template.
        modules: the modules' dotted names.

    Returns:
        For each module that was not imported, the reason; None if the template did not reply.
    """
    refused: dict[str, str] = {}
    for start in range(0, len(modules), _MAX_MODULES):
        reply = _request(control, json.dumps(modules[start : start + _MAX_MODULES]).encode())
        if reply is None:
            return None
        refused |= reply
    return refused


def _request(control: socket.socket, order: bytes) -> dict[str, str] | None:
    """Send the template an order, together with a socket for the reply.

    Returns:
        The reply, or None if there is none.
    """
    reply_end, template_end = socket.socketpair()
    with reply_end, template_end:
        try:
            socket.send_fds(control, [order], [template_end.fileno()])
            template_end.close()
            reply_end.settimeout(_PRELOAD_SECONDS)
            reply: dict[str, str] = json.loads(b"".join(iter(lambda: reply_end.recv(65_536), b"")))
            return reply
        except (OSError, ValueError):
            return None


def bubblewrap(
    kind: str, ends: Sequence[socket.socket], behind: Behind, complaints: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start a process behind a new wall: a template, or the wall's only container.

    Args:
        kind: "forked" for a template, "single" for a container.
        ends: the sockets that the process inherits.
        behind: the options of the wall.
        complaints: the file that receives the process's standard error.
    """
    guest = random.choice(_GUESTS) if os.getuid() == 0 else os.getuid()
    numbers = [end.fileno() for end in ends]
    with _as_file(f"student:x:{guest}:{guest}::/tmp:/bin/sh\n".encode()) as users:
        command = [bwrap_path(), *_options(kind, behind), "--ro-bind-data", str(users), "/etc/passwd"]
        command += ["--remount-ro", "/", "--", sys.executable, "-P", "-s"]
        command += ["-m", "autograder.sandbox.inside.template", kind]
        command += ["plain" if behind.plain else "lessons", str(guest)]
        return subprocess.Popen(
            [*command, *map(str, numbers)],
            pass_fds=[*numbers, users],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            env={},
            cwd="/",
        )


def _options(kind: str, behind: Behind) -> list[str]:
    return bwrap_options(kind, behind.hidden, behind.language, behind.limits.disk_mb)


def hung_up(end: socket.socket) -> bool:
    """Return whether the other end of this socket is closed in every process."""
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


@contextlib.contextmanager
def _as_file(data: bytes) -> Iterator[int]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        yield file.fileno()


def read_end(complaints: IO[bytes]) -> str:
    """Return the last lines of what a process wrote to its standard error."""
    complaints.seek(0)
    return "\n".join(complaints.read(100_000).decode(errors="replace").strip().splitlines()[-3:])
