"""A kernel provisioner for Jupyter and nbgrader. It forks kernels from a template that has imported torch.

    JUPYTER_DEFAULT_PROVISIONER_NAME=secant-warm nbgrader autograde ...

`make lab` uses it through `autograder.kernels.server_extension`. Each process that uses this provisioner has
one template process. The template starts with the Jupyter server, or else with the first kernel. If a fork
would not behave like a new process, or if no fork is ready within `patience` seconds, an ordinary kernel
starts instead, and the log gives the reason.

The process that checks notebooks is also a fork of this template (`fork_module`).

A notebook can tell a warm kernel from an ordinary one. Torch, matplotlib (but not pyplot), ipywidgets,
networkx and their dependencies are in `sys.modules` before the notebook's first import, and the warning
filters that these packages set are active. All kernels use the hash seed 0 for strings, as in grading. Warm
kernels have the resource limits and the umask with which the template started. If a library is changed while
the server runs, kernels use the new version only after the server has been restarted. `secant` is not
imported in advance: each kernel imports it, in the language that is set for that kernel.
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

NAME = "secant-warm"  # the name of the entry point in pyproject.toml

# Modules that a kernel itself imports when it starts, and matplotlib. Pyplot is not in this list. Its import
# depends on the running shell, and is quick once the other modules have been imported.
_MODULES = (
    *LIBRARIES,
    "IPython.core.completerlib",
    "IPython.extensions.storemagic",
    "ipykernel.debugger",
    "ipykernel.kernelapp",
    "jedi",  # imported here, because pressing Tab would otherwise import jedi from the notebook's folder
    "tornado.platform.asyncio",
    "matplotlib.backends.backend_agg",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.widgets",
)
TEMPLATE_SECONDS = 5.0  # seconds to wait for a template that is still importing modules
# The hash seed of all kernels. The environment can safely override it, because verdicts do not depend on the
# order of strings in a set.
_SEED = {"PYTHONHASHSEED": "0"}
# OPENBLAS_NUM_THREADS keeps OpenBLAS from starting threads when it is imported.
# PYDEVD_DISABLE_FILE_VALIDATION suppresses a warning that debugpy prints only in the template.
_OWN_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
# Prefixes of the names of environment variables that are read when a kernel starts or later, but not when
# modules are imported.
_LATE_PREFIXES = ("IPYTHONDIR", "JPY_", "KERNEL_", "MPLBACKEND", "NBGRADER_", "PYTEST_", "SECANT_")
_KNOWN_OPTIONS = {"cwd", "env", "extra_arguments", "independent", "kernel_id", "stderr", "stdin", "stdout"}


class CannotFork(Exception):
    """Raised if a kernel cannot be a fork of the template. The message gives the reason."""


class KernelTemplate:
    """The process that kernels are forked from. The template ends when the process that started it ends.

    Args:
        python: the interpreter's path and its options.
    """

    def __init__(self, python: list[str]) -> None:
        self.python, self.owner, self.environment = python, os.getpid(), dict(os.environ)
        self.has_answered = False
        self._control, template_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        with template_end:
            self.process = subprocess.Popen(
                [
                    *python,
                    str(Path(__file__).with_name("template.py")),
                    str(template_end.fileno()),
                    *_MODULES,
                ],
                pass_fds=[template_end.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                env={**_SEED, **self.environment, **_OWN_ENVIRONMENT},
                start_new_session=True,
            )

    def send(self, order: dict[str, Any], files: list[int]) -> None:
        """Ask the template for a fork.

        Args:
            order: the request, as plain data.
            files: the descriptors to pass to the fork; the first one is a socket, through which the fork
                answers.

        Raises:
            OSError: the template cannot receive the request.
        """
        socket.send_fds(self._control, [json.dumps(order).encode()], files)

    def close(self) -> None:
        """Kill the template. Its kernels end with it."""
        self._control.close()
        self.process.kill()
        self.process.wait()


class ForkedKernel:
    """A kernel that is the template's child, with the part of `Popen`'s interface that Jupyter needs."""

    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr = None

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid, self._channel = pid, channel
        self.returncode: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the kernel's exit code, or None while it is running."""
        with self._lock:
            if self.returncode is None:
                try:
                    message = self._channel.recv(1024)
                except BlockingIOError:
                    return None
                except OSError:
                    message = b""
                # An empty message means that the template has ended, and the kernel with it.
                self.returncode = json.loads(message)["exit"] if message else -signal.SIGKILL
                self._channel.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the kernel ends, and return its exit code.

        Raises:
            TimeoutExpired: the kernel is still running after `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if timeout is not None and deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired([], timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        """Send the kernel a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the kernel."""
        self.send_signal(signal.SIGKILL)


class ForkedModule(ForkedKernel):
    """A module that runs in a fork, with the part of `Popen`'s interface that its user needs.

    Attributes:
        stdin: the pipe to the module's standard input.
        stdout: the pipe from the module's standard output.
    """

    def __init__(self, pid: int, channel: socket.socket, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        super().__init__(pid, channel)
        self.stdin, self.stdout = stdin, stdout


_template: KernelTemplate | None = None


def python_of(command: list[str]) -> list[str]:
    """Extract the interpreter and its options from a command that starts a kernel.

    Raises:
        CannotFork: the command uses a different interpreter from this process, or does not start a kernel.
    """
    python = list(takewhile("-m".__ne__, command))
    if command[len(python) :][:2] != ["-m", "ipykernel_launcher"]:
        raise CannotFork("its command does not start ipykernel_launcher")
    if python[0] != sys.executable or not all(word.startswith("-X") for word in python[1:]):
        raise CannotFork(f"it asks for another Python: {' '.join(python)}")
    return python


def ordinary_command(command: list[str]) -> list[str]:
    """Return a kernel's command, changed so that the kernel imports nothing from the notebook's folder.

    Only the notebook's cells can then import from that folder. A command for another interpreter or another
    language is returned unchanged.
    """
    try:
        python = python_of(command)
    except CannotFork:
        return command  # the command is for another interpreter or another language
    launcher = str(Path(__file__).with_name("ordinary.py"))
    return [*python, "-P", launcher, *command[len(python) + 2 :]]


def template_for(command: list[str]) -> KernelTemplate:
    """Return the template that can fork the kernel for this command. Start a template if there is none.

    Raises:
        CannotFork: no template can fork this kernel.
    """
    global _template
    if sys.platform != "linux":
        raise CannotFork(f"there are no warm kernels on {sys.platform}")
    python = python_of(command)
    if _template is None or _template.owner != os.getpid():
        _template = KernelTemplate(python)
    if _template.python != python:
        raise CannotFork(f"the template runs another Python: {' '.join(_template.python)}")
    if (code := _template.process.poll()) is not None:
        if _template.has_answered:
            _template = KernelTemplate(python)
        raise CannotFork(f"the template has ended with exit code {code}")
    return _template


def close_template() -> None:
    """End this process's template, if it has one. The template's kernels end with it."""
    global _template
    if _template is not None:
        _template.close()
    _template = None


def check_environment(template_environment: Mapping[str, str], kernel_environment: Mapping[str, str]) -> None:
    """Check that a kernel's environment is compatible with the modules that the template has imported.

    Args:
        template_environment: the environment in which the template was started.
        kernel_environment: the environment that the kernel needs.

    Raises:
        CannotFork: the environments differ in a variable that an imported module may have read.
    """
    names = {
        name
        for name in template_environment.keys() | kernel_environment.keys()
        if template_environment.get(name) != kernel_environment.get(name)
    }
    differing_names = sorted(name for name in names if not name.startswith(_LATE_PREFIXES))
    if differing_names:
        raise CannotFork(f"its environment differs: {', '.join(differing_names)}")
    if not all(
        map(os.path.isabs, filter(None, template_environment.get("PYTHONPATH", "").split(os.pathsep)))
    ):
        raise CannotFork("PYTHONPATH depends on the folder")


def file_number(value: Any, default: int, null: int) -> int:
    """Return the descriptor that a `stdin`, `stdout` or `stderr` argument of Popen refers to.

    Args:
        value: the value of the argument.
        default: the descriptor to return if the value is None.
        null: the descriptor to return if the value is DEVNULL.

    Raises:
        CannotFork: the value asks for a new pipe.
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
def _order_fork(
    template: KernelTemplate, order: dict[str, Any], streams: Sequence[int]
) -> Iterator[socket.socket]:
    """Ask the template for a fork, and yield the socket on which the fork answers.

    The socket is closed if the body of the `with` statement raises an error.
    """
    channel, fork_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with contextlib.ExitStack() as cleanup:
        cleanup.enter_context(channel)
        with fork_end:
            channel.setblocking(False)
            template.send(order, [fork_end.fileno(), *streams])
        yield channel
        cleanup.pop_all()


def _confirm_fork(template: KernelTemplate, channel: socket.socket, message: bytes) -> int:
    """Let a fork continue if its answer is positive, and return the fork's process id.

    Raises:
        CannotFork: the fork has refused the request, or has ended.
    """
    answer = json.loads(message) if message else {"refused": "the template has ended"}
    if "pid" not in answer:
        raise CannotFork(answer.get("refused") or f"the fork ended with exit code {answer['exit']}")
    template.has_answered = True
    channel.send(b"!")
    return int(answer["pid"])


def fork_module(module: str, path: Sequence[str], cwd: str, environment: Mapping[str, str]) -> ForkedModule:
    """Run a module in a fork of this process's template, as `python -P -m` would.

    Any thread may call this.

    Args:
        module: the module's name.
        path: additional folders to search for modules.
        cwd: the fork's working folder.
        environment: the fork's environment variables.

    Raises:
        CannotFork, OSError: there is no template that can run the module.
    """
    template = _template
    if template is None or template.owner != os.getpid() or template.process.poll() is not None:
        raise CannotFork("there is no template")
    if template.environment.get("PYTHONHASHSEED", "0") != environment.get("PYTHONHASHSEED"):
        raise CannotFork("the template has another hash seed")
    order = {"module": module, "path": list(path), "cwd": cwd, "env": dict(environment)}
    with contextlib.ExitStack() as cleanup:
        fork_in, write_end = os.pipe()
        read_end, fork_out = os.pipe()
        stdin = cleanup.enter_context(open(write_end, "wb"))
        stdout = cleanup.enter_context(open(read_end, "rb"))
        with (
            open(fork_in, "rb"),
            open(fork_out, "wb"),
            _order_fork(template, order, [fork_in, fork_out, 2]) as channel,
        ):
            if not select.select([channel], [], [], TEMPLATE_SECONDS)[0]:
                raise CannotFork(f"the template did not answer within {TEMPLATE_SECONDS:g} seconds")
            pid = _confirm_fork(template, channel, channel.recv(1 << 16))
        cleanup.pop_all()
        return ForkedModule(pid, channel, stdin, stdout)


class WarmProvisioner(LocalProvisioner):
    """A provisioner that forks kernels from a template, or else starts ordinary kernels."""

    patience = Float(TEMPLATE_SECONDS, help="Seconds to wait for a template that is still importing.").tag(
        config=True
    )

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel for a command, as a fork if possible and otherwise as an ordinary process."""
        try:
            kernel = await self._fork(cmd, kwargs)
        except (CannotFork, OSError) as error:
            self.log.warning("This kernel is not a warm one: %s", error)
            return await super().launch_kernel(ordinary_command(cmd), **kwargs)
        self.process = cast(Any, kernel)
        self.pid = self.pgid = kernel.pid
        self.cwd = kwargs.get("cwd", Path.cwd())
        return self.connection_info

    async def _fork(self, cmd: list[str], options: dict[str, Any]) -> ForkedKernel:
        unknown = sorted(options.keys() - _KNOWN_OPTIONS)
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
            defaults = {"stdin": null, "stdout": 1, "stderr": 2}
            streams = [file_number(options.get(name), default, null) for name, default in defaults.items()]
            with _order_fork(template, order, streams) as channel:
                return ForkedKernel(_confirm_fork(template, channel, await self._answer(channel)), channel)

    async def _answer(self, channel: socket.socket) -> bytes:
        """Wait for the fork's answer, and return it.

        Raises:
            CannotFork: there was no answer within `patience` seconds.
        """
        try:
            return await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(channel, 1 << 16), self.patience
            )
        except TimeoutError:
            raise CannotFork(f"the template did not answer within {self.patience:g} seconds") from None
