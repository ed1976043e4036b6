"""A kernel provisioner for stock tools: a kernel is a fork of a process that has imported torch already.

    JUPYTER_DEFAULT_PROVISIONER_NAME=secant-warm nbgrader autograde ...

`make lab` uses it through `autograder.kernels.server_extension`. A process has one template, started with the
server or with its first kernel. Where a fork cannot be what a new process would be, or there is none within
`patience`, a kernel of the usual kind starts, and the log says why.

What a notebook can tell a warm kernel by: torch, matplotlib (but not pyplot), ipywidgets, networkx and what
they import stand in `sys.modules` before its first import, and the warning filters that they set are set; all
kernels of a server have one hash seed for strings, and its limits and umask of the template's start; and a
library that is changed meanwhile is seen once the server has been started again. `secant` is imported by each
kernel itself, in its own language.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

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
                env={**self.environment, **_OWN_ENVIRONMENT},
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

    stdin = stdout = stderr = None

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid, self._channel = pid, channel
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None before the end."""
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

    def wait(self) -> int:
        """Return the exit code, at the end."""
        while (code := self.poll()) is None:
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


_template: Template | None = None


def python_of(command: list[str]) -> list[str]:
    """The interpreter and its options in a command that starts a kernel.

    Raises:
        CannotFork: if it is another one than this process runs in, or starts something else.
    """
    where = command.index("-m") if "-m" in command else 0
    if command[where : where + 2] != ["-m", "ipykernel_launcher"]:
        raise CannotFork("its command does not start ipykernel_launcher")
    python = command[:where]
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
        raise CannotFork(f"the template is another Python: {' '.join(_template.python)}")
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
        raise CannotFork(f"its environment is another: {', '.join(other)}")
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


class WarmProvisioner(LocalProvisioner):
    """Starts kernels as forks of a template, or else as LocalProvisioner does. See the module."""

    patience = Float(5.0, help="Seconds to wait for a template that is still importing.").tag(config=True)

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
        with contextlib.ExitStack() as stack:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            giving_up = stack.enter_context(contextlib.ExitStack())
            giving_up.enter_context(ours)
            stack.enter_context(theirs)
            null = stack.enter_context(open(os.devnull, "r+b", buffering=0)).fileno()
            places = {"stdin": null, "stdout": 1, "stderr": 2}
            streams = [file_number(options.get(name), place, null) for name, place in places.items()]
            ours.setblocking(False)
            template.send(order, [theirs.fileno(), *streams])
            theirs.close()
            pid = await self._answer(ours)
            template.answered = True
            ours.send(b"!")
            giving_up.pop_all()
            return ForkedKernel(pid, ours)

    async def _answer(self, channel: socket.socket) -> int:
        """Wait for the fork, and return its process id."""
        try:
            message = await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(channel, 1 << 16), self.patience
            )
        except TimeoutError:
            raise CannotFork(f"the template did not answer within {self.patience:g} seconds") from None
        answer = json.loads(message) if message else {"refused": "the template has ended"}
        if "pid" not in answer:
            raise CannotFork(answer.get("refused") or f"the fork ended with exit code {answer['exit']}")
        return int(answer["pid"])
