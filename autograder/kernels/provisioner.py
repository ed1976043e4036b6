"""A kernel provisioner for stock tools: a kernel is a fork of a process that has imported torch already.

    JUPYTER_DEFAULT_PROVISIONER_NAME=secant-warm nbgrader autograde ...

`make lab` uses it through `autograder.kernels.server_extension`. A process has one template, started with the
server or with its first kernel. Where a fork cannot be what a new process would be, or there is none within
`patience`, a kernel of the usual kind starts, and the log says why.

The process that checks notebooks is a fork of the same template (`fork_module`).

What a notebook can tell a warm kernel by: torch, matplotlib (but not pyplot), ipywidgets, networkx and what
they import stand in `sys.modules` before its first import, and the warning filters that they set are set; all
kernels have one hash seed for strings, 0 as where answers are graded, and the limits and umask of the
template's start; and a library that is changed meanwhile is seen once the server has been started again.
`secant` is imported by each kernel itself, in its own language.
"""

import asyncio
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Float

from autograder.sandbox.inside.libraries import LIBRARIES

NAME = "secant-warm"  # the entry point's, see pyproject.toml

# What a kernel itself imports at its start, and matplotlib without pyplot: that looks for the shell that it
# is imported in, and is quick once the rest is there.
_MODULES = (
    *LIBRARIES,
    "IPython.core.completerlib",
    "IPython.extensions.storemagic",
    "ipykernel.debugger",
    "ipykernel.kernelapp",
    "jedi",  # which a Tab imports, then from the notebook's folder
    "tornado.platform.asyncio",
    "matplotlib.backends.backend_agg",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.widgets",
)
PATIENCE = 5.0  # seconds to wait for a template that is still importing
# Verdicts do not depend on the order of a set's strings: an environment that names another seed is obeyed.
_SEED = {"PYTHONHASHSEED": "0"}
# OpenBLAS would start its threads when imported; debugpy would warn, here and not in a kernel.
_OWN_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
# The environment's variables that are read when a kernel starts or later, and not by what is imported.
_READ_LATER = ("IPYTHONDIR", "JPY_", "KERNEL_", "MPLBACKEND", "NBGRADER_", "PYTEST_", "SECANT_")
_KNOWN = {"cwd", "env", "extra_arguments", "independent", "kernel_id", "stderr", "stdin", "stdout"}


class CannotFork(Exception):
    """Its text says why a kernel cannot be a fork of the template."""


class Template:
    """The process that kernels are forked from. It ends with this one.

    Args:
        python: the interpreter and its options.
    """

    def __init__(self, python: list[str]) -> None:
        self.python, self.owner, self.environment = python, os.getpid(), dict(os.environ)
        self.answered = False
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        with theirs:
            self.process = subprocess.Popen(
                [*python, str(Path(__file__).with_name("template.py")), str(theirs.fileno()), *_MODULES],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                env={**_SEED, **self.environment, **_OWN_ENVIRONMENT},
                start_new_session=True,
            )

    def send(self, order: dict[str, Any], files: list[int]) -> None:
        """Order a kernel; answers come on the first file's other end.

        Raises:
            OSError: if the template cannot take it.
        """
        socket.send_fds(self._control, [json.dumps(order).encode()], files)

    def close(self) -> None:
        """End it and its kernels."""
        self._control.close()
        self.process.kill()
        self.process.wait()


class ForkedKernel:
    """What LocalProvisioner uses of a `Popen`, for a kernel that is the template's child and not ours."""

    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr = None

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid, self._channel = pid, channel
        self.returncode: int | None = None
        self._alone = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit code, or None before the end."""
        with self._alone:
            if self.returncode is None:
                try:
                    message = self._channel.recv(1024)
                except BlockingIOError:
                    return None
                except OSError:
                    message = b""
                # Without a message the template has ended, and so has the kernel.
                self.returncode = json.loads(message)["exit"] if message else -signal.SIGKILL
                self._channel.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, at the end.

        Raises:
            TimeoutExpired: after so many seconds.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if timeout is not None and until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired([], timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


class ForkedModule(ForkedKernel):
    """What is used of a `Popen` of a module that runs in a fork, with pipes to it and from it."""

    def __init__(self, pid: int, channel: socket.socket, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        super().__init__(pid, channel)
        self.stdin, self.stdout = stdin, stdout


_template: Template | None = None


def python_of(command: list[str]) -> list[str]:
    """The interpreter and its options in a command that starts a kernel.

    Raises:
        CannotFork: if it is another one than this process runs in, or starts something else.
    """
    python = list(takewhile("-m".__ne__, command))
    if command[len(python) :][:2] != ["-m", "ipykernel_launcher"]:
        raise CannotFork("its command does not start ipykernel_launcher")
    if python[0] != sys.executable or not all(word.startswith("-X") for word in python[1:]):
        raise CannotFork(f"it asks for another Python: {' '.join(python)}")
    return python


def cold(command: list[str]) -> list[str]:
    """The command for such a kernel that imports nothing from the notebook's folder before a cell does."""
    try:
        python = python_of(command)
    except CannotFork:
        return command  # another Python, or another language
    launcher = str(Path(__file__).with_name("cold.py"))
    return [*python, "-P", launcher, *command[len(python) + 2 :]]


def template_for(command: list[str]) -> Template:
    """Return the template for such a kernel, started if there is none.

    Raises:
        CannotFork: if there can be none.
    """
    global _template
    if sys.platform != "linux":
        raise CannotFork(f"there are no warm kernels on {sys.platform}")
    python = python_of(command)
    if _template is None or _template.owner != os.getpid():
        _template = Template(python)
    if _template.python != python:
        raise CannotFork(f"the template runs another Python: {' '.join(_template.python)}")
    if (code := _template.process.poll()) is not None:
        if _template.answered:
            _template = Template(python)
        raise CannotFork(f"the template has ended with exit code {code}")
    return _template


def close_template() -> None:
    """End this process's template and its kernels, if it has one."""
    global _template
    if _template is not None:
        _template.close()
    _template = None


def check_environment(ours: Mapping[str, str], theirs: Mapping[str, str]) -> None:
    """Compare what the template was started with and what a kernel shall have.

    Raises:
        CannotFork: if what has been imported may have read something else.
    """
    names = {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}
    other = sorted(name for name in names if not name.startswith(_READ_LATER))
    if other:
        raise CannotFork(f"its environment differs: {', '.join(other)}")
    if not all(map(os.path.isabs, filter(None, ours.get("PYTHONPATH", "").split(os.pathsep)))):
        raise CannotFork("PYTHONPATH depends on the folder")


def file_number(value: Any, default: int, null: int) -> int:
    """The descriptor that a standard stream's argument to Popen stands for.

    Raises:
        CannotFork: if it is a pipe yet to be made.
    """
    if value is None:
        return default
    if value == subprocess.DEVNULL:
        return null
    number: int = value if isinstance(value, int) else value.fileno()
    if number < 0:
        raise CannotFork("its output goes into a pipe")
    return number


@contextlib.contextmanager
def _ordered(template: Template, order: dict[str, Any], streams: Sequence[int]) -> Iterator[socket.socket]:
    """Order a fork; what it says comes on the socket, which is closed if the body fails."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with contextlib.ExitStack() as giving_up:
        giving_up.enter_context(ours)
        with theirs:
            ours.setblocking(False)
            template.send(order, [theirs.fileno(), *streams])
        yield ours
        giving_up.pop_all()


def _accepted(template: Template, channel: socket.socket, message: bytes) -> int:
    """The process id of a fork that has said it can be what was ordered; it goes on.

    Raises:
        CannotFork: if it has not.
    """
    answer = json.loads(message) if message else {"refused": "the template has ended"}
    if "pid" not in answer:
        raise CannotFork(answer.get("refused") or f"the fork ended with exit code {answer['exit']}")
    template.answered = True
    channel.send(b"!")
    return int(answer["pid"])


def fork_module(module: str, path: Sequence[str], cwd: str, environment: Mapping[str, str]) -> ForkedModule:
    """Run a module as `python -P -m` would, in a fork of this process's template; any thread may call this.

    Args:
        module: its name.
        path: where else it is looked for.
        cwd: its folder.
        environment: its environment.

    Raises:
        CannotFork, OSError: if there is no such template.
    """
    template = _template
    if template is None or template.owner != os.getpid() or template.process.poll() is not None:
        raise CannotFork("there is no template")
    if template.environment.get("PYTHONHASHSEED", "0") != environment.get("PYTHONHASHSEED"):
        raise CannotFork("the template has another hash seed")
    order = {"module": module, "path": list(path), "cwd": cwd, "env": dict(environment)}
    with contextlib.ExitStack() as giving_up:
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        stdin = giving_up.enter_context(open(ours_in, "wb"))
        stdout = giving_up.enter_context(open(ours_out, "rb"))
        with (
            open(theirs_in, "rb"),
            open(theirs_out, "wb"),
            _ordered(template, order, [theirs_in, theirs_out, 2]) as channel,
        ):
            if not select.select([channel], [], [], PATIENCE)[0]:
                raise CannotFork(f"the template did not answer within {PATIENCE:g} seconds")
            pid = _accepted(template, channel, channel.recv(1 << 16))
        giving_up.pop_all()
        return ForkedModule(pid, channel, stdin, stdout)


class WarmProvisioner(LocalProvisioner):
    """Starts kernels as forks of a template, or else as LocalProvisioner does. See the module."""

    patience = Float(PATIENCE, help="Seconds to wait for a template that is still importing.").tag(
        config=True
    )

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork a kernel with a command."""
        try:
            kernel = await self._fork(cmd, kwargs)
        except (CannotFork, OSError) as error:
            self.log.warning("This kernel is not a warm one: %s", error)
            return await super().launch_kernel(cold(cmd), **kwargs)
        self.process = cast(Any, kernel)
        self.pid = self.pgid = kernel.pid
        self.cwd = kwargs.get("cwd", Path.cwd())
        return self.connection_info

    async def _fork(self, cmd: list[str], options: dict[str, Any]) -> ForkedKernel:
        unknown = sorted(options.keys() - _KNOWN)
        if unknown or options.get("independent"):
            raise CannotFork(f"it is started with {', '.join(unknown) or 'independent'}")
        template = template_for(cmd)
        environment = {**(options.get("env") or os.environ)}
        check_environment(template.environment, environment)
        command = [os.path.expanduser(word) for word in cmd]
        order = {
            "command": command,
            "arguments": command[command.index("-m") + 2 :],
            "cwd": str(options.get("cwd") or os.getcwd()),
            "env": {**environment, "JPY_PARENT_PID": str(os.getpid())},
        }
        with open(os.devnull, "r+b", buffering=0) as devnull:
            null = devnull.fileno()
            places = {"stdin": null, "stdout": 1, "stderr": 2}
            streams = [file_number(options.get(name), place, null) for name, place in places.items()]
            with _ordered(template, order, streams) as channel:
                return ForkedKernel(_accepted(template, channel, await self._answer(channel)), channel)

    async def _answer(self, channel: socket.socket) -> bytes:
        """Wait for the fork, and return what it says."""
        try:
            return await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(channel, 1 << 16), self.patience
            )
        except TimeoutError:
            raise CannotFork(f"the template did not answer within {self.patience:g} seconds") from None
