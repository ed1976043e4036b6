"""The outer wall (sandbox) and the template process inside it, as seen by the process that starts them.

This module does not import torch, so that a command can start a template before its own slow imports.
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
from autograder.sandbox.inside.libraries import ImportGroup
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.leak_scan import suspects
from autograder.sandbox.results import WallError
from autograder.sandbox.visible import visible_files

# Seconds allowed for the start; importing torch is slow if its files have to be read from a disk.
START_SECONDS = 120.0
# User ids for containers started by root. No distribution assigns these ids to its users.
_GUESTS = range(60_578, 61_184)
_EXIT_SECONDS = 30.0
_MAX_MODULES = 8  # maximum number of modules in one message, which has at most 4,096 bytes
_PRELOAD_SECONDS = 300.0  # seconds allowed for importing the modules listed in one message


class WallOptions(NamedTuple):
    """The options with which a wall (a sandbox) is built.

    Attributes:
        plain: whether only plain assignments (with ordinary nbgrader tests) are graded inside. If so, the
            template does not import torch.
        hidden: files and folders that must not exist inside the sandbox.
        language: "en" or "ko", the language of the course's text inside the sandbox.
        limits: the limits on what one submission may use.
    """

    plain: bool
    hidden: Sequence[str] = ()
    language: str = "en"
    limits: ContainerLimits = ContainerLimits()


class TemplateHandle(NamedTuple):
    """The data that another process needs to use a wall (a sandbox).

    Attributes:
        control: the socket for requests to the wall's template.
        options: the options with which the wall was built.
        suspects: the visible files that may contain a part of a course. It is None if only plain assignments
            (with ordinary nbgrader tests) are graded, which need no such list.
    """

    control: socket.socket
    options: WallOptions
    suspects: tuple[str, ...] | None


class Template:
    """A process inside the outer sandbox that has done all imports; see inside/template.py.

    The process starts when this object is made. The thread that makes the object must live as long as the
    template, because bubblewrap ends when that thread ends.

    Raises:
        WallUnavailable: bubblewrap is not installed.
    """

    def __init__(self, options: WallOptions) -> None:
        bwrap_path()
        self.control, template_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._options = options
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._ready = False
        with template_end:
            self.process = bubblewrap("forked", [template_end], options, self._stderr)
        self._suspects: tuple[str, ...] | None = None
        # The search for files that may contain a part of a course runs during the template's imports. The
        # search is not needed for plain assignments.
        self._search = threading.Thread(target=self._find_suspects, daemon=True)
        if not options.plain:
            self._search.start()

    def wait(self) -> TemplateHandle:
        """Wait until the template's imports are done.

        Raises:
            WallError: the template did not start, or the search for visible files that may contain a part of
                a course has failed.
        """
        if not self._ready:
            ready, _, _ = select.select([self.control], [], [], START_SECONDS)
            self._ready = bool(ready and self.control.recv(4096))
        if not self._ready:
            raise WallError(f"the template did not start: {last_lines(self._stderr)}")
        if not self._options.plain:
            self._search.join()
            if self._suspects is None:
                raise WallError("it could not be seen whether a part of a course is visible inside")
        return TemplateHandle(self.control, self._options, self._suspects)

    def prepare(self, group: ImportGroup) -> None:
        """Have the template import one more group of modules after its other imports.

        A template without torch ignores this.
        """
        with contextlib.suppress(OSError):  # raised if the template has ended, which `wait` will report
            self.control.send(group.encode())

    def preload(self, modules: Sequence[str]) -> dict[str, str]:
        """Have the template import modules that submissions import; see the function `preload`."""
        return preload(self.wait().control, modules) or {}

    def _find_suspects(self) -> None:
        self._suspects = suspects(visible_files(self._options.hidden))

    def adopt_options(self, options: WallOptions) -> bool:
        """Return whether a sandbox with the given options would be built just like this template's sandbox.

        If so, the template uses these options from now on.
        """
        is_same = options.plain == self._options.plain and (
            _arguments("forked", options) == _arguments("forked", self._options)
        )
        if is_same:
            self._options = options
        return is_same

    def is_running(self, seconds: float = 0.0) -> bool:
        """Return whether the template's process is still running.

        Args:
            seconds: seconds to wait for the process to end.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.returncode is None

    def close(self) -> None:
        """End the template, and with it every container that was forked from it."""
        self.control.close()
        self.process.kill()
        self.process.wait(_EXIT_SECONDS)
        self._stderr.close()


def preload(control: socket.socket, modules: Sequence[str]) -> dict[str, str] | None:
    """Have a template import modules that submissions import, once for all containers.

    Args:
        control: the socket for requests to the template.
        modules: the modules' dotted names.

    Returns:
        The reasons why modules were not imported, keyed by module; None if the template did not reply.
    """
    refusals: dict[str, str] = {}
    for start in range(0, len(modules), _MAX_MODULES):
        reply = _request(control, json.dumps(modules[start : start + _MAX_MODULES]).encode())
        if reply is None:
            return None
        refusals |= reply
    return refusals


def _request(control: socket.socket, order: bytes) -> dict[str, str] | None:
    """Send the template a request, together with a socket for the reply.

    Returns:
        The reply, or None if the template did not reply.
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
    kind: str, ends: Sequence[socket.socket], options: WallOptions, stderr: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start a process inside a new sandbox: a template, or the sandbox's only container.

    Args:
        kind: "forked" for a template, "single" for a container.
        ends: the sockets that the process inherits.
        options: the options of the sandbox.
        stderr: the file that receives the process's standard error.
    """
    guest = random.choice(_GUESTS) if os.getuid() == 0 else os.getuid()
    numbers = [end.fileno() for end in ends]
    with _as_file(f"student:x:{guest}:{guest}::/tmp:/bin/sh\n".encode()) as users:
        command = [bwrap_path(), *_arguments(kind, options), "--ro-bind-data", str(users), "/etc/passwd"]
        command += ["--remount-ro", "/", "--", sys.executable, "-P", "-s"]
        command += ["-m", "autograder.sandbox.inside.template", kind]
        command += ["plain" if options.plain else "lessons", str(guest)]
        return subprocess.Popen(
            [*command, *map(str, numbers)],
            pass_fds=[*numbers, users],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={},
            cwd="/",
        )


def _arguments(kind: str, options: WallOptions) -> list[str]:
    return bwrap_options(kind, options.hidden, options.language, options.limits.disk_mb)


def is_closed(end: socket.socket) -> bool:
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


def last_lines(stderr: IO[bytes]) -> str:
    """Return the last lines of what a process wrote to its standard error."""
    stderr.seek(0)
    return "\n".join(stderr.read(100_000).decode(errors="replace").strip().splitlines()[-3:])
