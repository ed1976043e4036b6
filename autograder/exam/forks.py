"""A server that forks a candidate (a process that runs a user's notebook) for each check of the notebook.

The server has already imported everything. It resembles the sandbox's template process, but without the
sandbox. Each candidate leads its own session. The process that requested the candidate, called the
candidate's owner, holds a socket that is connected to the server. When the owner closes this socket, the
server ends all processes of the session, so that nothing outlives a check, even if the check fails. When the
control socket is closed, the server ends all candidates and exits.

    python -m autograder.exam.forks CONTROL

CONTROL is the number of an inherited socket. A process that has already imported torch forks the server
instead (`serve_in_fork`), so that both share the memory of torch. This module works on Linux only.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from autograder.sandbox.inside import candidate, pages
from autograder.sandbox.inside.privileges import close_all_but, silence
from autograder.sandbox.inside.processes import die_with, kill, process_ids, stat_fields
from autograder.sandbox.inside.template import import_compiler, import_everything
from secant.language import language

_KILL_SECONDS = 3.0  # maximum seconds spent on killing all processes of a candidate's session


@dataclass
class _Candidate:
    """A candidate: a process that runs a user's notebook and leads its own session.

    Attributes:
        pid: the process id, which is also the session's id.
        handle: the process's pidfd.
        owner: the socket to the process that requested the candidate.
        folder: the candidate's working folder.
        has_exited: whether the process has exited.
    """

    pid: int
    handle: int
    owner: socket.socket
    folder: str
    has_exited: bool = False

    def report_exit(self) -> None:
        """Send the owner the candidate's exit status, without reaping the process.

        The process must not be reaped before its session has ended, because its id is also the session's id
        and could be reused.
        """
        self.has_exited = True
        exit_info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        status = 0 if exit_info is None else exit_info.si_status
        was_killed = exit_info is not None and exit_info.si_code != os.CLD_EXITED
        with contextlib.suppress(OSError):
            self.owner.send(json.dumps({"over": -status if was_killed else status}).encode())

    def end(self) -> None:
        """End all processes of the candidate's session, then notify the owner by closing the socket."""
        deadline = time.monotonic() + _KILL_SECONDS
        while time.monotonic() < deadline:
            members = [pid for pid in process_ids() if _session(pid) == self.pid]
            for pid in members:
                kill(pid)
            if not members:
                break
            time.sleep(0.001)
        os.waitpid(self.pid, 0)
        os.close(self.handle)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.owner.close()


def _session(pid: int) -> int:
    """Return the id of a process's session, or 0 if the process has ended."""
    fields = stat_fields(pid)
    return int(fields[3]) if fields and fields[0] not in "ZX" else 0


def serve_forever(control: socket.socket, shell: Any) -> NoReturn:
    """Fork one candidate for each message that is received.

    A message contains the path of the candidate's working folder. It carries two descriptors: the candidate's
    channel, and the socket to its owner.
    """
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    candidates: dict[int, _Candidate] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is not control:
                child: _Candidate = key.data
                if child.pid not in candidates:
                    continue
                selector.unregister(key.fileobj)
                if key.fileobj == child.handle:
                    child.report_exit()
                    continue
                if not child.has_exited:
                    selector.unregister(child.handle)
                child.end()
                del candidates[child.pid]
                continue
            message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
            if not message:
                for child in candidates.values():
                    child.end()
                os._exit(0)
            channel, owner = descriptors
            new_child = _fork(message.decode(), channel, owner, shell)
            if new_child is None:
                continue
            child = new_child
            candidates[child.pid] = child
            selector.register(child.owner, selectors.EVENT_READ, child)
            selector.register(child.handle, selectors.EVENT_READ, child)


def _fork(folder: str, channel: int, owner: int, shell: Any) -> _Candidate | None:
    """Fork a candidate; if the fork fails, send the error to the owner and return None."""
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        with socket.socket(fileno=owner) as owner_socket, contextlib.suppress(OSError):
            owner_socket.send(json.dumps({"failed": error.strerror}).encode())
        os.close(channel)
        shutil.rmtree(folder, ignore_errors=True)
        return None
    if pid == 0:
        try:
            die_with(parent)
            os.setsid()
            close_all_but([channel])
            silence()
            os.chdir(folder)
            candidate.serve(socket.socket(fileno=channel), shell)
        finally:
            os._exit(0)
    os.close(channel)
    return _Candidate(pid, os.pidfd_open(pid), socket.socket(fileno=owner), folder)


def serve_in_fork(control: int, environment: dict[str, str]) -> NoReturn:
    """Run the server in a fork of a process that has imported torch and its compiler."""
    os.setpgid(0, 0)
    close_all_but([control])
    with open(os.devnull) as null:  # replaces the inherited stdin, from which the parent reads its requests
        os.dup2(null.fileno(), 0)
    os.environ.update(environment)
    language("en")
    main(control, compiler=False)


def main(control: int, *, compiler: bool = True) -> NoReturn:
    """Import everything, report that the server is ready, and serve requests.

    Args:
        control: the number of the control socket's descriptor.
        compiler: whether torch's compiler must be imported as well.
    """
    # Ignore Ctrl+C in the terminal. The parent process handles it and closes the control socket.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    socket_ = socket.socket(fileno=control)
    shell = import_everything()
    if compiler:
        import_compiler()
        pages.collapse()
    socket_.send(b"ready")
    serve_forever(socket_, shell)


if __name__ == "__main__":
    main(int(sys.argv[1]))
