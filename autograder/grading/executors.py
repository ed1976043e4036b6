"""Where workers run: processes of this machine, or a Dask cluster; and what is tried again, and when."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from typing import Any, Protocol

from autograder.course.errors import CourseError
from autograder.grading.jobs import Busy, Failed

Work = Callable[[Any], Any]  # what it takes has to be picklable, and what it returns
TRIES = 2  # beside other jobs; the last one is alone


class Workers(Protocol):
    """Does jobs, as many at once as it has places."""

    places: int

    def submit(self, work: Work, job: Any) -> Future[Any]:
        """Begin a job. Only called while a place is free."""

    def settle(self, future: Future[Any]) -> None:
        """Note that this job is over, however it ended."""

    def close(self, kill: bool = False) -> None:
        """Let everybody go; kill: at once, whatever they are doing."""


class LocalWorkers:
    """Processes of this machine, one job each: when one dies, it is known whose job it was."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}
        self._pids: dict[ProcessPoolExecutor, Future[int]] = {}

    def submit(self, work: Work, job: Any) -> Future[Any]:
        one = self._idle.pop() if self._idle else self._hire()
        future = one.submit(work, job)
        self._busy[future] = one
        return future

    def settle(self, future: Future[Any]) -> None:
        one = self._busy.pop(future)
        if isinstance(future.exception(), BrokenExecutor):
            del self._pids[one]
            one.shutdown(wait=False)
        else:
            self._idle.append(one)

    def close(self, kill: bool = False) -> None:
        for one, pid in self._pids.items():
            if kill and pid.done() and not pid.exception():
                with suppress(ProcessLookupError):
                    os.kill(pid.result(), signal.SIGKILL)
            one.shutdown(wait=not kill, cancel_futures=True)

    def _hire(self) -> ProcessPoolExecutor:
        # Not forked: this process has threads, and the examiner needs nothing of it.
        one = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
        self._pids[one] = one.submit(os.getpid)
        return one


def _begin() -> None:
    """In a new process: leave Ctrl-C to the parent, and end when it does."""
    signal.signal(signal.SIGINT, lambda *_: None)  # unlike SIG_IGN, this is not inherited
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


class ExecutorWorkers:
    """Anybody's `concurrent.futures` executor, such as a Dask cluster's."""

    def __init__(self, executor: Executor, places: int) -> None:
        self.places = places
        self._executor = executor

    def submit(self, work: Work, job: Any) -> Future[Any]:
        return self._executor.submit(work, job)

    def settle(self, future: Future[Any]) -> None:
        pass

    def close(self, kill: bool = False) -> None:
        self._executor.shutdown(wait=not kill)


def cluster(address: str) -> ExecutorWorkers:
    """Return a Dask cluster's workers; each should have one thread.

    Raises:
        CourseError: distributed is not installed, or nobody answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            "--scheduler needs the package distributed: `pip install 'secant[scale]'`."
        ) from None
    try:
        client = Client(address, timeout="20s")
    except (OSError, ValueError) as error:
        raise CourseError(f"No Dask scheduler answers at {address}: {error}.") from None
    # pure=True would merge equal calls, and a second try is an equal call.
    return ExecutorWorkers(client.get_executor(pure=False, retries=0), max(1, sum(client.ncores().values())))


def run(work: Work, next_job: Callable[[], Any | None], workers: Workers) -> Iterator[tuple[Any, Any]]:
    """Do jobs until there are none, and yield each with what came of it, as they end.

    A job whose worker died, or that came to `Failed`, is tried once more. If that fails too, or if the
    machine was too `Busy` to judge it, it waits until nothing else runs and is done alone; what fails even
    then has failed.

    Args:
        work: does a job.
        next_job: gives the next job, or None if there is none for now; what has been yielded may make more.
        workers: who works.
    """
    running: dict[Future[Any], tuple[Any, int]] = {}
    alone: deque[Any] = deque()
    while True:
        while len(running) < workers.places and (job := next_job()) is not None:
            running[workers.submit(work, job)] = (job, 1)
        if not running:
            if not alone:
                return
            job = alone.popleft()
            running[workers.submit(work, job)] = (job, TRIES + 1)
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            job, tries = running.pop(future)
            workers.settle(future)
            result = _result(future)
            if isinstance(result, Failed) and tries < TRIES:
                running[workers.submit(work, job)] = (job, tries + 1)
            elif isinstance(result, Failed | Busy) and tries <= TRIES:
                alone.append(job)
            else:
                yield job, Failed(result.why) if isinstance(result, Busy) else result


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except BrokenExecutor:
        return Failed("the process that graded it has ended")
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")
