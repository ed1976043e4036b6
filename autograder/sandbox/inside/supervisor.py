"""The supervisor: process 1 of a container. It runs only the grader's code, never the student's.

When it ends, the kernel ends every other process of the container.
"""

import contextlib
import errno
import json
import os
import select
import signal
import socket
import time
from functools import cache
from typing import Any, NoReturn

from autograder.sandbox.inside import namespaces, privileges, seccomp
from autograder.sandbox.inside.kernel import KernelRefused
from autograder.sandbox.inside.limits import MEGABYTE, ContainerLimits
from autograder.sandbox.inside.processes import kill, process_ids, read_text, stat_fields, sum_fields
from autograder.sandbox.inside.stopwatch import Stopwatch

_CHECK_SECONDS = 0.1  # seconds between two checks of memory and processor time
# Pause after a memory count, as a multiple of the count's own duration. The pause is needed because no
# control group limits the supervisor's processor time.
_PAUSE_FACTOR = 4
_NICE = 10  # niceness of the candidate; it lets the grader's own work go first even without control groups
_KILL_SECONDS = 3.0
# Bytes of kernel memory for each memory mapping of a process. The value measured after 30 successive forks
# was 820.
_MAPPING = 1024
_INODE = 2048  # bytes of kernel memory for each file in a tmpfs
# Errors which show that this container's own processes have used up a resource.
_USED_UP = (errno.EMFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC)


def supervise(
    orders: socket.socket, channel: int, limits: ContainerLimits, shell: Any, own_proc: bool
) -> NoReturn:
    """Lock down this container for good, start the candidate in it, and watch it until it ends."""
    try:
        if os.getpid() != 1:
            raise KernelRefused(errno.EPERM, "the supervisor is not process 1 of its container")
        privileges.silence()
        if own_proc:
            namespaces.mount_proc()
        proc = namespaces.cover_proc() if own_proc else os.open("/proc", os.O_PATH | os.O_DIRECTORY)
        # Process 1 receives a signal from its own namespace only if it has a handler for that signal. Python
        # has a handler for SIGINT, so SIGINT is ignored here.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        privileges.set_limits(limits)
        privileges.drop_privileges()
        report(orders, {"ready": True})
        if orders.recv(16) != b"go":
            os._exit(0)
        privileges.hide_memory()
        candidate = os.fork()
        if candidate == 0:
            _be_candidate(orders, channel, proc, shell)
        os.close(channel)
        seccomp.filter_system_calls()
        watch(orders, candidate, limits)
    except BaseException as error:
        report(orders, {"error": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _be_candidate(orders: socket.socket, channel: int, proc: int, shell: Any) -> NoReturn:
    from autograder.sandbox.inside import candidate

    try:
        privileges.hide_memory(False)
        # Only the candidate is marked as the process to kill first if memory runs out. The supervisor has to
        # survive, so that it can end the other processes and report the reason.
        with contextlib.suppress(OSError):
            privileges.prefer_as_victim(proc)
        os.close(proc)  # closed before any of the student's code runs
        os.nice(_NICE)
        seccomp.filter_system_calls()
        report(orders, {"candidate": True})  # the kernel adds the process id of this process to the message
        orders.close()
        # Create a process group, not a session, because the kernel may give each session a share of the
        # processors.
        os.setpgid(0, 0)
        os.chdir("/tmp")
        candidate.serve(socket.socket(fileno=channel), shell)
    finally:
        os._exit(0)


def report(orders: socket.socket, message: dict[str, Any]) -> None:
    """Send a message to the examiner; do nothing if the examiner closed the socket or its buffer is full."""
    with contextlib.suppress(OSError):
        orders.send(json.dumps(message).encode(), socket.MSG_DONTWAIT)


def watch(orders: socket.socket, candidate: int, limits: ContainerLimits) -> None:
    """Watch the candidate until this container has to end, and report the reason.

    The container also has to end if its processes leave the supervisor no memory or descriptors to work with.
    """
    try:
        _watch(orders, candidate, limits)
    except MemoryError:
        report(orders, {"over": "memory"})
    except OSError as error:
        if error.errno not in _USED_UP:
            raise
        report(orders, {"over": "used up"})


def _watch(orders: socket.socket, candidate: int, limits: ContainerLimits) -> None:
    """Carry out the examiner's commands, reap orphans and enforce the limits.

    When this container has to end, report the reason and return.
    """
    handle, order = os.pidfd_open(candidate), orders.fileno()
    stopwatch, next_count = Stopwatch(), 0.0
    while True:
        ready, _, _ = select.select([order, handle], [], [], _CHECK_SECONDS)
        if handle in ready:
            _, status = os.waitpid(candidate, 0)
            return report(orders, {"over": os.waitstatus_to_exitcode(status)})
        _reap_orphans(candidate)
        kill_headless()
        if time.monotonic() >= next_count:
            limit, cpu_start = limits.memory_mb * MEGABYTE, time.process_time()
            if memory_in_use(limit) > limit:
                return report(orders, {"over": "memory"})
            next_count = time.monotonic() + _PAUSE_FACTOR * (time.process_time() - cpu_start)
        stopwatch.look()
        if stopwatch.cpu_seconds > limits.cpu_seconds:
            return report(orders, {"over": "processor time"})
        if order in ready:
            match orders.recv(64).split():
                case [b"kill_children"]:
                    report(orders, {"killed": kill_all_but(candidate)})
                case [b"starved", since]:
                    report(orders, {"starved": stopwatch.starved_seconds(float(since))})
                case _:  # the examiner has closed the connection
                    return None


def _reap_orphans(candidate: int) -> None:
    """Reap orphaned processes. The candidate itself is left for `_watch` to reap."""
    while True:
        try:
            child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if child is None or child.si_pid == candidate:
            return
        os.waitpid(child.si_pid, 0)


def kill_all_but(spared_pid: int) -> bool:
    """Kill all processes of the container except this one and `spared_pid`.

    Returns:
        True if all the others have ended.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP)  # stops all processes at once, so that none can fork meanwhile
        other_pids = [pid for pid in process_ids() if pid not in (1, spared_pid) and _is_alive(pid)]
        for pid in other_pids:
            kill(pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(spared_pid, signal.SIGCONT)
        _reap_orphans(spared_pid)
        if not other_pids:
            return True
        time.sleep(0.002)
    return False


def _is_alive(pid: int) -> bool:
    state, threads = _state(pid)
    return state not in "ZX" or threads > 1


def _state(pid: int) -> tuple[str, int]:
    """Return the state letter of a process's first thread, and how many threads the process has."""
    fields = stat_fields(pid)
    return (fields[0], int(fields[17])) if fields else ("X", 0)


def kill_headless() -> None:
    """Kill processes whose first thread has ended while others still run.

    The kernel reports no memory for such a process, so the supervisor could not count it.
    """
    for pid in process_ids():
        state, threads = _state(pid)
        if state == "Z" and threads > 1:
            kill(pid)


def memory_in_use(limit: int) -> int:
    """Return how many bytes this container uses: its processes' pages, its files and its sockets' buffers.

    The quick sum counts a page twice if two processes share it after a fork. The exact sum takes milliseconds
    for each process, so it is computed only if the quick sum exceeds the limit. If a process has no readable
    memory map, because it hides the map or has just ended, its quick figure is read again and used. The
    supervisor itself is not counted.
    """
    pids = [pid for pid in process_ids() if pid != os.getpid()]
    other_bytes = _file_bytes() + _socket_bytes()
    quick_sum = sum(map(_quick_figure, pids)) + other_bytes
    return (
        quick_sum
        if quick_sum <= limit
        else sum(_exact_figure(pid) or _quick_figure(pid) for pid in pids) + other_bytes
    )


def _quick_figure(pid: int) -> int:
    return sum_fields(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"))


def _exact_figure(pid: int) -> int:
    """Return how much memory a process uses: its proportional set size, page tables and mappings.

    The result is in bytes. It is 0 if the process hides its memory map.
    """
    pages = sum_fields(f"/proc/{pid}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:", "SwapPss:"))
    tables = sum_fields(f"/proc/{pid}/status", ("VmPTE:",))
    return pages and pages + tables + _line_count(f"/proc/{pid}/maps") * _MAPPING


def _line_count(path: str) -> int:
    return read_text(path).count("\n")


def _file_bytes() -> int:
    used = 0
    for path in ("/tmp", "/dev/shm"):
        stats = os.statvfs(path)
        used += (stats.f_blocks - stats.f_bfree) * stats.f_frsize
        used += (stats.f_files - stats.f_ffree) * _INODE
    return used


def _socket_bytes() -> int:
    """Return the maximum number of bytes that this container's sockets can hold.

    The kernel charges queued bytes to their sender. A sender counts as a socket in use until its last byte is
    read, even if it has been closed. The last datagram may take a sender beyond its buffer's size, but never
    beyond twice that size. The seccomp filter prevents processes from changing that size.
    """
    with open("/proc/net/sockstat") as file:
        used = int(file.readline().split()[2])  # the line is, for example, "sockets: used 7"
    return used * 2 * _socket_buffer()


@cache
def _socket_buffer() -> int:
    """Return the size of a new socket's buffer in bytes."""
    with socket.socket(socket.AF_UNIX) as new_socket:
        return new_socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
