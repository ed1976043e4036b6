"""Forks that run a function and kill themselves with SIGKILL at a chosen step of their writes."""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

_WRITES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate"}


def count_steps(action: Callable[[], object]) -> int:
    """Call a function in a forked process; return the number of steps at which the process can be killed."""
    reader, writer = os.pipe()
    code = _run_in_fork(action, 0, writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        count = int(pipe.read() or b"0")
    assert code == 0
    assert count > 0
    return count


def kill_at_step(action: Callable[[], object], step: int) -> bool:
    """Call a function in a forked process that is killed at a step; return whether it reached that step."""
    code = _run_in_fork(action, step, None)
    assert code in (0, -signal.SIGKILL)
    return code == -signal.SIGKILL


def _run_in_fork(action: Callable[[], object], step: int, report_fd: int | None) -> int:
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        gc.disable()  # otherwise this process would close the parent's objects, such as database connections
        count = _watch_steps(step)
        action()
        if report_fd is not None:
            os.write(report_fd, str(count()).encode())
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _watch_steps(step: int) -> Callable[[], int]:
    """Count a process's steps, and kill it at the given one; return a function that returns the count.

    The steps are the moments before and after each SQL statement, each commit and rollback, and each change
    to a folder.
    """
    count = 0

    def take_step(*_: Any, **__: Any) -> None:
        nonlocal count
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(name: str, args: tuple[Any, ...]) -> None:
        if name in _WRITES or (name == "open" and isinstance(args[2], int) and args[2] & os.O_CREAT):
            take_step()

    for name in ("before_cursor_execute", "after_cursor_execute", "commit", "rollback"):
        event.listen(Engine, name, take_step)
    sys.addaudithook(hook)
    return lambda: count


def files(*folders: Path) -> dict[str, bytes]:
    """Return the content of everything below these folders, hidden files included.

    The keys are paths relative to the parent of each folder. The content of a folder is b"".
    """
    return {
        str(path.relative_to(folder.parent)): path.read_bytes() if path.is_file() else b""
        for folder in folders
        for path in folder.rglob("*")
    }
