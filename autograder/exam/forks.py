"""The process that has imported everything, and forks a candidate for each check of a person's own notebook.

It is the template of the wall without the wall. A candidate leads a session of its own; when whoever asked
for it lets go of its *lifeline*, all of that session is ended, so that nothing outlives a check, however the
check ended. When the control socket closes, every candidate ends, and then this process.

    python -m autograder.exam.forks CONTROL

CONTROL is the number of an inherited socket. A process that has imported torch already forks this one instead
(`in_fork`): the two then share that memory. Linux only.
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

_END_SECONDS = 3.0


@dataclass
class _Candidate:
    """A candidate's process, which leads its session, and who asked for it."""

    pid: int
    handle: int
    lifeline: socket.socket
    folder: str
    ended: bool = False

    def tell_end(self) -> None:
        """Say how it ended. It is not buried before its session has ended: until then its number is taken."""
        self.ended = True
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        status = 0 if found is None else found.si_status
        killed = found is not None and found.si_code != os.CLD_EXITED
        with contextlib.suppress(OSError):
            self.lifeline.send(json.dumps({"over": -status if killed else status}).encode())

    def end(self) -> None:
        """End it and all of its session, then tell who waits for that."""
        until = time.monotonic() + _END_SECONDS
        while time.monotonic() < until:
            members = [pid for pid in process_ids() if _session(pid) == self.pid]
            for pid in members:
                kill(pid)
            if not members:
                break
            time.sleep(0.001)
        os.waitpid(self.pid, 0)
        os.close(self.handle)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lifeline.close()


def _session(pid: int) -> int:
    """The session of a process; 0 if it has ended."""
    fields = stat_fields(pid)
    return int(fields[3]) if fields and fields[0] not in "ZX" else 0


def serve_forever(control: socket.socket, shell: Any) -> NoReturn:
    """Fork a candidate for every message: its folder, with its channel and its lifeline."""
    waiting = selectors.DefaultSelector()
    waiting.register(control, selectors.EVENT_READ)
    living: dict[int, _Candidate] = {}
    while True:
        for key, _ in waiting.select():
            if key.fileobj is not control:
                one: _Candidate = key.data
                if one.pid not in living:
                    continue
                waiting.unregister(key.fileobj)
                if key.fileobj == one.handle:
                    one.tell_end()
                    continue
                if not one.ended:
                    waiting.unregister(one.handle)
                one.end()
                del living[one.pid]
                continue
            message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
            if not message:
                for one in living.values():
                    one.end()
                os._exit(0)
            channel, lifeline = descriptors
            begun = _begin(message.decode(), channel, lifeline, shell)
            if begun is None:
                continue
            one = begun
            living[one.pid] = one
            waiting.register(one.lifeline, selectors.EVENT_READ, one)
            waiting.register(one.handle, selectors.EVENT_READ, one)


def _begin(folder: str, channel: int, lifeline: int, shell: Any) -> _Candidate | None:
    """Fork a candidate; None where the machine has no room for it, which its asker is told."""
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        with socket.socket(fileno=lifeline) as asker, contextlib.suppress(OSError):
            asker.send(json.dumps({"failed": error.strerror}).encode())
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
    return _Candidate(pid, os.pidfd_open(pid), socket.socket(fileno=lifeline), folder)


def in_fork(control: int, environment: dict[str, str]) -> NoReturn:
    """In a fork of a process that has imported torch and its compiler: be what `main` would be."""
    os.setpgid(0, 0)
    close_all_but([control])
    with open(os.devnull) as null:  # instead of the orders that this process's parent reads
        os.dup2(null.fileno(), 0)
    os.environ.update(environment)
    language("en")
    main(control, compiler=False)


def main(control: int, *, compiler: bool = True) -> NoReturn:
    """Import, say so, and serve.

    Args:
        compiler: whether torch's has to be imported, too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: who is asked to stop closes the socket
    socket_ = socket.socket(fileno=control)
    shell = import_everything()
    if compiler:
        import_compiler()
        pages.collapse()
    socket_.send(b"ready")
    serve_forever(socket_, shell)


if __name__ == "__main__":
    main(int(sys.argv[1]))
