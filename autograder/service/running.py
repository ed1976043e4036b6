"""A check that is under way: the process or thread that runs it, its events, and how it is stopped."""

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from autograder.course.errors import CourseError
from autograder.exam.pool import Pool
from autograder.sandbox.container import Container
from autograder.sandbox.inside.processes import die_with, kill_group
from autograder.sandbox.results import WallError
from secant.language import language, say

Event = dict[str, Any]
Examine = Callable[[Callable[[Event], None]], Event]
Finish = Callable[[Event, list[Event]], None]
_STOP_SECONDS = 3.0  # maximum number of seconds to wait while a stopped check records its verdicts
_ENDED = {
    "en": "The process that checks has ended unexpectedly. Please check again.",
    "ko": "확인하던 프로세스가 갑자기 끝났습니다. 다시 확인해 주세요.",
}
_NO_ROOM = {
    "en": "This computer could not start another process just now. "
    "Close what you do not need, then check again.",
    "ko": "지금은 이 컴퓨터에서 프로세스를 더 시작하지 못했습니다. "
    "쓰지 않는 프로그램을 닫은 뒤 다시 확인해 주세요.",
}


class Stopped(Exception):
    """The error raised in a check that was stopped."""


class RunningCheck:
    """A check that is under way.

    Args:
        examine: the function that does the check and returns the score. It receives a function to call with
            each verdict.
        on_event: the function that receives each event.
        finish: the function that receives the last event and all verdicts. The check's thread calls it,
            or `start` does if the check cannot be started.
    """

    def __init__(self, examine: Examine, on_event: Callable[[Event], None], finish: Finish) -> None:
        self._examine = examine
        self._on_event = on_event
        self._finish = finish
        self._rows: list[Event] = []
        self._started = time.monotonic()
        self._stopped = self._has_ended = False
        self._lock = threading.Lock()
        self._language = language()

    def start(self, pool: Pool) -> None:
        """Begin the check. If the machine cannot start another process, send an error as the last event."""
        try:
            self._thread = self._begin(pool)
        except (OSError, RuntimeError):  # no process, pipe or thread could be created
            self._finish({"event": "error", "message": _NO_ROOM[self._language]}, [])

    def _begin(self, pool: Pool) -> threading.Thread:
        """Begin the check, and return a thread that runs until the check has ended.

        Raises:
            OSError, RuntimeError: the check could not be started. If a process was started for it, that
                process has been killed.
        """
        raise NotImplementedError

    def stop(self) -> bool:
        """Make the check end soon, and return whether it was still under way."""
        raise NotImplementedError

    def wait(self) -> None:
        """Wait at most a few seconds for a stopped check to record its verdicts."""
        self._thread.join(_STOP_SECONDS)

    def _add_row(self, row: Event) -> None:
        self._rows.append(row)
        self._on_event({"event": "task", "task": row})

    def _send_last_event(self, end: Event | None) -> None:
        """Send the last event of the check.

        Args:
            end: the last event that the check itself returned; None if it returned no such event.
        """
        if self._stopped:
            end = {"event": "stopped"}
        elif end is None:
            end = {"event": "error", "message": _ENDED[self._language]}
        elif end["event"] == "end":
            end["seconds"] = round(time.monotonic() - self._started, 3)
        self._finish(end, self._rows)

    def _run_to_end(self, on_row: Callable[[Event], None]) -> Event:
        """Run the check to its end, and return its last event."""
        try:
            return {"event": "end", **self._examine(on_row)}
        except WallError as error:
            message = say(
                en=f"The notebook could not be run: {error}.", ko=f"노트북을 실행할 수 없었습니다({error})."
            )
            return {"event": "error", "message": message}
        except CourseError as error:
            return {"event": "error", "message": str(error)}


class ForkedCheck(RunningCheck):
    """A check in a fork of this process.

    To stop the check, the fork and its children are killed. Only Linux is supported.
    """

    _pid = 0

    def _begin(self, pool: Pool) -> threading.Thread:
        read_end, write_end = os.pipe()
        thread = threading.Thread(target=self._listen, args=(read_end,), daemon=True)
        try:
            self._fork(read_end, write_end)
            thread.start()
        except (OSError, RuntimeError):
            os.close(read_end)
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
            raise
        finally:
            os.close(write_end)
        return thread

    def _fork(self, read_end: int, write_end: int) -> None:
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(read_end)
                language(self._language)
                die_with(parent)
                self._in_fork(write_end)
            finally:
                os._exit(0)
        with contextlib.suppress(OSError):
            # the parent also sets the process group, because either process may run first
            os.setpgid(self._pid, self._pid)

    def _in_fork(self, write_end: int) -> None:
        # the process gets its own process group, so that killing the group also kills the forks in which
        # tasks are tested
        os.setpgid(0, 0)
        with open(write_end, "wb", buffering=0) as pipe:
            pipe.write(json.dumps(self._run_to_end(lambda row: _write(pipe, row))).encode() + b"\n")

    def _listen(self, read_end: int) -> None:
        end = None
        with open(read_end, "rb") as pipe:
            for line in pipe:
                if self._stopped or not line.endswith(b"\n"):
                    continue
                message = json.loads(line)
                if "event" in message:
                    end = message
                else:
                    self._add_row(message)
        with self._lock:
            self._has_ended = True
            os.waitpid(self._pid, 0)
        self._send_last_event(end)

    def stop(self) -> bool:
        """Kill the fork and its children, and return whether the check was still under way."""
        with self._lock:
            if self._has_ended:
                return False
            self._stopped = True
            kill_group(self._pid)
        return True


def _write(pipe: Any, row: Event) -> None:
    line = memoryview(json.dumps(row).encode() + b"\n")
    while line:
        line = line[pipe.write(line) :]


class CancellablePool:
    """A pool of processes that can be stopped from another thread.

    Stopping the pool kills the processes that were taken from it. A stopped pool gives out no processes until
    `reset` is called.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._containers: list[Container] = []
        self._is_stopped = False

    def take(self) -> Container:
        """Return a process that has imported all modules that a check needs.

        Raises:
            Stopped: `cancel` was called.
        """
        if self._is_stopped:
            raise Stopped
        self._containers.append(self._pool.take())
        if self._is_stopped:  # `cancel` was called in the meantime
            self._containers[-1].kill()
        return self._containers[-1]

    def refill(self) -> None:
        """Start processes until the pool is full, and return without waiting for them."""
        self._pool.refill()

    def close(self) -> None:
        """End the processes that wait to be taken."""
        self._pool.close()

    def cancel(self) -> None:
        """Kill the processes that were taken, and give out no more."""
        self._is_stopped = True
        for container in self._containers:
            container.kill()

    def reset(self) -> None:
        """Let `take` return processes again."""
        self._containers.clear()
        self._is_stopped = False


# Without forks, all checks share one examiner with its language and its random generators. So only one check
# runs at a time.
_examiner_lock = threading.Lock()


class ThreadedCheck(RunningCheck):
    """A check in a thread of this process, for systems on which forks are not safe.

    Such checks run one after another.
    """

    def _begin(self, pool: Pool) -> threading.Thread:
        assert isinstance(pool, CancellablePool)
        self._cancellable_pool = pool
        self._has_begun = False
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        with _examiner_lock:
            with self._lock:
                self._cancellable_pool.reset()
                self._has_begun = True
            end: Event | None = None
            with contextlib.suppress(Stopped):
                if not self._stopped:
                    language(self._language)
                    end = self._run_to_end(self._add_row_unless_stopped)
            with self._lock:
                self._has_ended = True
        self._send_last_event(end)

    def _add_row_unless_stopped(self, row: Event) -> None:
        if self._stopped:
            raise Stopped
        self._add_row(row)

    def stop(self) -> bool:
        """Kill the processes that run code for the check, and return whether it was still under way."""
        with self._lock:
            if self._has_ended:
                return False
            self._stopped = True
            if self._has_begun:
                self._cancellable_pool.cancel()
        return True
