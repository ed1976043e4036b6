"""A warm process, which has already imported a program's modules; each run of the program is a fork of it.

    with warm(["torch", "nbgrader.apps"]) as command:
        subprocess.run([*command, "nbgrader", "autograde"])  # as `python -m nbgrader autograde`

A fork gets its caller's directory, environment and open files, and ends when its caller ends. The warm
process imports no module of this repository. It never computes, so it has no threads that a fork would lose.
It works on Linux only. This file is also the client program, and as such needs only the standard library.
"""

import contextlib
import fcntl
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

_MAX_REQUEST_BYTES = 1 << 20  # bytes; upper bound of a request to the warm process


@contextlib.contextmanager
def warm(modules: Sequence[str]) -> Iterator[list[str]]:
    """Start a warm process with these modules; yield a command that replaces `python -m`."""
    import subprocess
    import tempfile

    with (
        tempfile.TemporaryDirectory(prefix="secant-warm-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
    ):
        socket_path = f"{folder}/socket"
        listener.bind(socket_path)
        listener.listen()
        server = subprocess.Popen(
            [sys.executable, "-c", f"import {__name__} as warm; warm.serve({listener.fileno()}, {modules})"],
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        listener.close()
        try:
            yield [sys.executable, "-I", "-S", __file__, socket_path]
        finally:
            server.kill()
            server.communicate()


def write_kernel(folder: Path, command: Sequence[str], name: str = "python3") -> None:
    """Write a kernel specification into a data folder, which can then be put on JUPYTER_PATH.

    Args:
        folder: the data folder.
        command: the command that replaces `python -m`.
        name: the kernel's name.
    """
    spec_file = folder / "kernels" / name / "kernel.json"
    spec_file.parent.mkdir(parents=True)
    spec = {"argv": [*command, "ipykernel_launcher", "-f", "{connection_file}"]}
    spec_file.write_text(json.dumps(spec | {"display_name": "Python 3 (ipykernel)", "language": "python"}))


def serve(number: int, modules: Sequence[str]) -> NoReturn:
    """Import the modules, then fork for every client that connects to the listening socket `number`."""
    import gc
    import importlib

    _end_with(0)
    gc.disable()  # collections would find little garbage and take a quarter of the imports' time
    for name in modules:
        importlib.import_module(name)
    threads = os.listdir("/proc/self/task")
    assert len(threads) == 1, f"{len(threads)} threads, of which a fork would have one"
    gc.freeze()  # otherwise a collection in a fork would write to, and so copy, every memory page
    gc.enable()
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(fileno=number) as listener:
        while True:
            with listener.accept()[0] as client:
                if os.fork() == 0:
                    listener.close()
                    _run(client)


def _reap(*_: object) -> None:
    """Reap forks that have ended; their processor time then counts as the warm process's (see costs.py)."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _run(client: socket.socket) -> NoReturn:
    """Run the program that the client requests, in the fork; send the client the exit code, and exit."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        request, files, _, _ = socket.recv_fds(client, _MAX_REQUEST_BYTES, 3)
        _end_with(client.fileno())  # called after receiving, because an arriving message also causes SIGIO
        code = _run_module(files, **json.loads(request))
        if (util := sys.modules.get("multiprocessing.util")) is not None:
            util._exit_function()  # removes the sockets' folder at a normal exit; os._exit would skip it
    finally:
        with contextlib.suppress(OSError):
            client.send(bytes([code % 256]))
        os._exit(0)


def _end_with(file: int) -> None:
    """Make Linux end this process with SIGIO when the other end of the pipe or socket `file` is closed."""
    fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_ASYNC)


def _run_module(files: Sequence[int], words: Sequence[str], cwd: str, env: dict[str, str]) -> int:
    """Run a module as `python -m` would, with the client's files, directory and environment.

    Args:
        files: the descriptors that become standard input, output and error.
        words: the module's name and its arguments.
        cwd: the working directory.
        env: the environment variables.

    Returns:
        The exit code.
    """
    import random
    import runpy
    import traceback

    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    random.seed()
    sys.argv = list(words)
    sys.path[0] = ""
    code: Any = 0
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def call(socket_path: str, *words: str) -> int:
    """Ask the warm process, as its client, to run these words in a fork; return the fork's exit code."""
    request = {"words": words, "cwd": os.getcwd(), "env": dict(os.environ)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(socket_path)
        socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
        return (server.recv(1) or b"\1")[0]


if __name__ == "__main__":
    sys.exit(call(*sys.argv[1:]))
