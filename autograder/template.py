"""The process inside the wall that has imported everything, and forks a candidate when it is asked to.

It holds no test, no secret and no descriptor but its control socket, because its children are strangers
that may read all its memory. It never computes and never starts a thread: a child of a process with
threads hangs at its first parallel sum.

A *room* is what one submission lives in: process 1 of new namespaces (the *warden*, our code, which runs
none of the student's) and the candidate, with all that it starts. When the warden ends, the kernel ends
everything in the room.

    python -m autograder.template forked USER CONTROL          fork a room for each message on the socket
    python -m autograder.template single USER ORDERS CHANNEL   be the one room of this wall

USER is whom to become if started as root; the last arguments are numbers of inherited sockets.
"""

import contextlib
import errno
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, NoReturn

from autograder import fence
from autograder.fence import FenceError
from autograder.limits import MEGABYTE, RoomLimits

_TICK = 0.1  # seconds between two looks at memory
_SWEEP_SECONDS = 3.0


# --- The template --------------------------------------------------------------------------------------


def _import_everything() -> Any:
    """Import what lessons import, and make the shell, so that no candidate has to."""
    import ipywidgets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import networkx  # noqa: F401
    import numpy  # noqa: F401
    import torch.func
    import torch.nn.functional
    import torch.optim
    import torch.utils.data

    import secant  # noqa: F401
    from autograder import candidate

    torch.set_num_threads(1)
    shell = candidate.make_shell()
    candidate.reset(0)  # for the modules that it imports
    shell.run_cell("", store_history=False)
    threads = os.listdir("/proc/self/task")
    if len(threads) != 1:
        raise RuntimeError(f"the template has {len(threads)} threads after its imports, not one")
    gc.collect()
    gc.freeze()  # a collection in a child would otherwise touch, and so copy, every page
    return shell


def _prepare(guest: int) -> None:
    """Where root built the wall: leave root. There bubblewrap mounts no /proc, see wall.py."""
    if os.getuid() == 0:
        fence.mount_proc()
        fence.become(guest)


def serve_forever(control: socket.socket, shell: Any) -> NoReturn:
    """Fork a room for every message; end when the examiner does."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the builders
    control.send(json.dumps({"ready": True}).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            os._exit(0)
        try:
            if os.fork() == 0:
                _build_room(RoomLimits(**json.loads(message)), descriptors, shell)
        except OSError:
            pass  # no process to spare: the examiner sees its sockets closed
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _build_room(limits: RoomLimits, descriptors: list[int], shell: Any) -> NoReturn:
    """In a fork of the template: make the namespaces, and leave the warden in them."""
    orders = socket.socket(fileno=descriptors[0])
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        fence.close_all_but(descriptors)
        fence.enter_namespaces()
        fence.mount_private_tmp(limits)
        if os.fork() == 0:
            be_warden(orders, descriptors[1], limits, shell, own_proc=True)
    except BaseException as error:
        _report(orders, {"error": str(error)})
    finally:
        os._exit(0)


# --- The warden ----------------------------------------------------------------------------------------


def be_warden(
    orders: socket.socket, channel: int, limits: RoomLimits, shell: Any, own_proc: bool
) -> NoReturn:
    """Lock this room for good, start the candidate in it, and watch over it until it ends."""
    try:
        if os.getpid() != 1:
            raise FenceError(errno.EPERM, "the warden is not process 1 of its room")
        fence.silence()
        if own_proc:
            fence.mount_proc()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a handler would let it through to process 1
        fence.set_limits(limits)
        with contextlib.suppress(OSError):
            fence.prefer_as_victim()
        fence.drop_privileges()
        fence.filter_system_calls()
        _report(orders, {"ready": True})
        if orders.recv(16) != b"go":
            os._exit(0)
        fence.hide_memory()
        candidate = os.fork()
        if candidate == 0:
            _be_candidate(orders, channel, shell)
        os.close(channel)
        _watch(orders, candidate, limits)
    except BaseException as error:
        _report(orders, {"error": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _be_candidate(orders: socket.socket, channel: int, shell: Any) -> NoReturn:
    from autograder import candidate

    try:
        orders.close()
        fence.hide_memory(False)
        os.setsid()
        os.chdir("/tmp")
        candidate.serve(socket.socket(fileno=channel), shell)
    finally:
        os._exit(0)


def _report(orders: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        orders.send(json.dumps(message).encode(), socket.MSG_DONTWAIT)


def _watch(orders: socket.socket, candidate: int, limits: RoomLimits) -> None:
    """Obey the examiner, bury the dead, count the memory; return when this room is over."""
    handle, order = os.pidfd_open(candidate), orders.fileno()
    while True:
        ready, _, _ = select.select([order, handle], [], [], _TICK)
        if handle in ready:
            _, status = os.waitpid(candidate, 0)
            return _report(orders, {"over": os.waitstatus_to_exitcode(status)})
        _bury(candidate)
        kill_headless()
        most = limits.memory_mb * MEGABYTE
        if memory_in_use(most) > most:
            return _report(orders, {"over": "memory"})
        if order in ready:
            if orders.recv(16) != b"sweep":  # the examiner closed the connection, or is not ours
                return None
            _report(orders, {"swept": sweep(candidate)})


def _bury(candidate: int) -> None:
    """Reap orphans. The candidate itself is left for `_watch`."""
    while True:
        try:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if dead is None or dead.si_pid == candidate:
            return
        os.waitpid(dead.si_pid, 0)


def sweep(spared: int) -> bool:
    """Kill every other process of the room but one, and say whether they are gone."""
    until = time.monotonic() + _SWEEP_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP)  # all at once, so that none can fork meanwhile
        others = [pid for pid in _processes() if pid not in (1, spared) and _is_alive(pid)]
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(spared, signal.SIGCONT)
        _bury(spared)
        if not others:
            return True
        time.sleep(0.002)
    return False


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _is_alive(pid: int) -> bool:
    state, threads = _state(pid)
    return state not in "ZX" or threads > 1


def _state(pid: int) -> tuple[str, int]:
    """The state letter of a process's first thread, and how many threads it has."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:  # a process may call itself anything
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[17])
    except OSError:
        return "X", 0


def kill_headless() -> None:
    """Kill processes whose first thread alone has ended: the kernel shows no memory of theirs."""
    for pid in _processes():
        state, threads = _state(pid)
        if state == "Z" and threads > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def memory_in_use(limit: int) -> int:
    """The bytes that this room holds: its processes' own pages, and its files, which live in memory.

    The quick sum counts pages twice that a fork shares, and the exact one takes milliseconds a process; so
    the exact one is for a room that looks too large. A process that hides its map keeps its quick figure.
    """
    quick = {pid: _quick_figure(pid) for pid in _processes()}
    files = _files()
    if sum(quick.values()) + files <= limit:
        return sum(quick.values()) + files
    return sum(_exact_figure(pid) or figure for pid, figure in quick.items()) + files


def _quick_figure(pid: int) -> int:
    return _sum_fields(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:"))


def _exact_figure(pid: int) -> int:
    return _sum_fields(f"/proc/{pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:", "SwapPss:"))


def _sum_fields(path: str, names: tuple[str, ...]) -> int:
    """The sum of these kilobyte fields, in bytes; 0 if the process has ended or may not be read."""
    try:
        with open(path, errors="replace") as file:
            fields = [line.split() for line in file]
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise  # a warden that cannot look must not go on
        return 0
    return sum(int(field[1]) * 1024 for field in fields if field and field[0] in names)


def _files() -> int:
    used = 0
    for path in ("/tmp", "/dev/shm"):
        numbers = os.statvfs(path)
        used += (numbers.f_blocks - numbers.f_bfree) * numbers.f_frsize
    return used


def main(arguments: list[str]) -> None:
    """Become the template, or the one room, that the wall asked for."""
    kind, guest, *descriptors = arguments
    numbers = [int(text) for text in descriptors]
    fence.close_all_but(numbers)
    _prepare(int(guest))
    shell = _import_everything()
    if kind == "forked":
        serve_forever(socket.socket(fileno=numbers[0]), shell)
    orders = socket.socket(fileno=numbers[0])
    limits = RoomLimits(**json.loads(orders.recv(4096)))
    be_warden(orders, numbers[1], limits, shell, own_proc=False)


if __name__ == "__main__":
    main(sys.argv[1:])
