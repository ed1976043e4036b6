"""Workers: processes of this machine (for a cluster's, see cluster.py); what is tried again, and when."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from typing import Any, Protocol

from autograder.course.errors import CourseError
from autograder.sandbox.inside.libraries import Later
from autograder.sandbox.results import WallError
from autograder.sandbox.template import Behind, Share, Template
from autograder.workers import worker
from autograder.workers.jobs import Busy, Failed

Work = Callable[[Any], Any]  # what it takes has to be picklable, and what it returns
TRIES = 2  # beside other jobs; the last one is alone
_BEAT = 1.0  # seconds between two looks at the workers, while none has finished a job


class Workers(Protocol):
    """Does jobs, as many at once as it has places."""

    @property
    def places(self) -> int:
        """How many jobs to give at once; at least one, and it may change."""

    def look(self) -> None:
        """See whether anybody is left to work; called about once a second.

        Raises:
            CourseError: nobody is, and nobody is to be expected.
        """

    def submit(self, work: Work, job: Any) -> Future[Any]:
        """Begin a job. Only called while a place is free."""

    def settle(self, future: Future[Any]) -> None:
        """Note that this job is over, however it ended."""

    def close(self, kill: bool = False) -> None:
        """Let everybody go; kill: at once, whatever they are doing."""


class LocalWorkers:
    """Processes of this machine, one job each: when one dies, it is known whose job it was.

    All are forks of one process that has imported what they need, and their containers are forks of one
    template, which is built meanwhile. The thread that makes this object must live as long as it does.

    Args:
        places: how many workers.
        hidden: what must not exist inside the wall that they share; without it, each builds its own.
        begun: a template that `begin` has started; it is used if it hides these, and ended otherwise.
        pages_alone: whether they only make pages, which need no torch, and for which nothing is started
            before there is one. What the first workers of a process have imported, later ones have too.

    Raises:
        WallUnavailable: bubblewrap is not installed, and they were to share a wall.
    """

    def __init__(
        self,
        places: int,
        hidden: tuple[str, ...] | None = None,
        begun: Template | None = None,
        *,
        pages_alone: bool = False,
    ) -> None:
        self.places = places
        self._hidden = hidden
        self._template = begun
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}
        self._pids: dict[ProcessPoolExecutor, Future[int]] = {}
        self._shares: dict[ProcessPoolExecutor, Share | None] = {}
        self._processors: dict[ProcessPoolExecutor, int | None] = {}
        self._context = _context("preloaded_pages") if pages_alone else _start_server()
        if begun is None or not begun.stands_for(self._behind()):
            if begun is not None:
                begun.end()
            self._start_template()

    def submit(self, work: Work, job: Any) -> Future[Any]:
        share = self._share()
        while self._idle and self._shares[self._idle[-1]] != share:  # of a wall that has gone
            self._let_go(self._idle.pop())
        one = self._idle.pop() if self._idle else self._hire(share)
        future = one.submit(work, job)
        self._busy[future] = one
        return future

    def look(self) -> None:
        pass  # who has died has broken its job's future

    def settle(self, future: Future[Any]) -> None:
        one = self._busy.pop(future)
        if isinstance(future.exception(), BrokenExecutor):
            self._let_go(one)
        else:
            self._idle.append(one)

    def close(self, kill: bool = False) -> None:
        for one, pid in self._pids.items():
            known = pid.done() and not pid.exception()
            if kill and known:
                with suppress(ProcessLookupError):
                    os.kill(pid.result(), signal.SIGKILL)
            # Who is dead is waited for: Python's own end of such a pool would otherwise race with this one.
            one.shutdown(wait=known or not kill, cancel_futures=True)
        if not self._pids:
            end()
        if self._template is not None:
            self._template.end()

    def _behind(self) -> Behind:
        return Behind([os.path.abspath(path) for path in self._hidden or ()])

    def _start_template(self) -> None:
        self._template = None if self._hidden is None else Template(self._behind())

    def _share(self) -> Share | None:
        """What a worker needs to share the template; None: it builds a wall of its own, or says why not."""
        if self._template is not None and not self._template.lives():
            self._template.end()
            self._template = None
            with suppress(WallError):  # each worker will say why
                self._start_template()
        try:
            return self._template.wait() if self._template is not None else None
        except WallError:
            return None

    def _hire(self, share: Share | None) -> ProcessPoolExecutor:
        processor = self._free_processor()
        one = ProcessPoolExecutor(1, self._context, _begin, (self._hidden, share, processor))
        self._pids[one] = one.submit(os.getpid)
        self._shares[one], self._processors[one] = share, processor
        return one

    def _free_processor(self) -> int | None:
        """Where there is a worker for each processor, one that no worker has yet."""
        all_here = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        free = sorted(all_here - {number for number in self._processors.values() if number is not None})
        return free[0] if free and self.places == len(all_here) else None

    def _let_go(self, one: ProcessPoolExecutor) -> None:
        del self._pids[one], self._shares[one], self._processors[one]
        one.shutdown(wait=False)


def begin() -> Template | None:
    """Start what takes seconds, before it is known for whom: workers' imports, and the usual template."""
    _start_server()
    with suppress(WallError):  # whoever needs it will say why
        return Template(Behind())
    return None


def imported_later(root: Path, lessons: Iterable[str]) -> Later | None:
    """What these lessons seem to make torch import; a guess, for speed alone."""
    files = (root / "source" / lesson / f"{lesson}.ipynb" for lesson in lessons)
    return worker.imported_later(*(file.read_text("utf-8") for file in files if file.is_file()))


def _start_server() -> Any:
    """Start the process that workers are forked from, if it does not run; return its context."""
    context = _context("preloaded")
    forkserver.ensure_running()
    return context


def _context(imports: str) -> Any:
    """Return the context of a process that imports this module, and that workers are forked from.

    It starts with the first worker, if it does not run yet.
    """
    # Not forked from this process: it has threads, and the examiner needs nothing of it.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"autograder.workers.{imports}"])
    return context


def end() -> None:
    """End the process that workers are forked from, where none was: it may still be importing."""
    ours: Any = forkserver._forkserver
    if ours._forkserver_pid is not None:
        with suppress(OSError):  # it has ended by itself
            os.kill(ours._forkserver_pid, signal.SIGTERM)
            ours._stop()  # and forget it, so that the next workers have another


def _begin(hidden: tuple[str, ...] | None, share: Share | None, processor: int | None) -> None:
    """In a new process: join the wall, leave Ctrl-C to the parent, and end when it does."""
    if processor is not None:
        with suppress(OSError):
            os.sched_setaffinity(0, {processor})
    if hidden is not None and share is not None:
        worker.join(hidden, share)
    signal.signal(signal.SIGINT, lambda *_: None)  # unlike SIG_IGN, this is not inherited
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def run(work: Work, next_job: Callable[[], Any | None], workers: Workers) -> Iterator[tuple[Any, Any]]:
    """Do jobs until there are none, and yield each with what came of it, as they end.

    A job whose worker died, or that came to `Failed`, is tried once more. If that fails too, or if the
    machine was too `Busy` to judge it, it waits until nothing else runs and is done alone; what fails even
    then has failed.

    Args:
        work: does a job.
        next_job: gives the next job, or None if there is none for now; what has been yielded may make more.
        workers: who works.

    Raises:
        CourseError: no worker is left, or none of them may do these jobs.
    """
    running: dict[Future[Any], tuple[Any, int]] = {}
    ahead: deque[Any] = deque()  # a job that is made ready while several are at work
    alone: deque[Any] = deque()
    while True:
        while len(running) < workers.places and (job := ahead.popleft() if ahead else next_job()) is not None:
            running[workers.submit(work, job)] = (job, 1)
        if not running:
            if not alone:
                return
            job = alone.popleft()
            running[workers.submit(work, job)] = (job, TRIES + 1)
        elif not ahead and len(running) > 1 and (job := next_job()) is not None:
            ahead.append(job)
        done, _ = wait(running, _BEAT, FIRST_COMPLETED)
        workers.look()
        over = []
        for future in done:
            job, tries = running.pop(future)
            workers.settle(future)
            result = _result(future)
            if isinstance(result, Failed) and tries < TRIES:
                running[workers.submit(work, job)] = (job, tries + 1)
            elif isinstance(result, Failed | Busy) and tries <= TRIES:
                alone.append(job)
            else:
                over.append((job, Failed(result.why) if isinstance(result, Busy) else result))
        while ahead and len(running) < workers.places:  # nobody waits while what was found is written
            job = ahead.popleft()
            running[workers.submit(work, job)] = (job, 1)
        yield from over


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except BrokenExecutor:
        return Failed("the process that graded it has ended")
    except CancelledError:
        return Failed("the connection to whoever graded it was lost")
    except CourseError:
        raise
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")
