"""Workers on this machine, and the loop that gives jobs to workers and retries failed ones.

For the workers of a cluster, see cluster.py.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
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
from autograder.sandbox.inside.libraries import ImportGroup
from autograder.sandbox.results import WallError
from autograder.sandbox.template import Template, TemplateHandle, WallOptions
from autograder.workers import worker
from autograder.workers.jobs import Busy, Failed

JobFunction = Callable[[Any], Any]  # a function that does a job; the job and the result have to be picklable
TRIES = 2  # number of attempts while other jobs run; if all of them fail, the job is tried once more, alone
_POLL_SECONDS = 1.0  # seconds between two checks of the workers while no job ends


class Workers(Protocol):
    """The interface of a group of workers that do up to `slots` jobs at the same time."""

    @property
    def slots(self) -> int:
        """The number of jobs that the workers may have at a time. It is at least one, and may change."""

    def check_workers(self) -> None:
        """Check that there is at least one worker left. This is called about once a second.

        Raises:
            CourseError: no worker is left, and none is expected.
        """

    def submit(self, work: JobFunction, job: Any) -> Future[Any]:
        """Start a job. This is called only while fewer than `slots` jobs are running."""

    def settle(self, future: Future[Any]) -> None:
        """Record that a job is over, whether it has succeeded or not."""

    def close(self, kill: bool = False) -> None:
        """End all workers.

        Args:
            kill: True to end them at once, even in the middle of a job.
        """


class LocalWorkers:
    """Worker processes on this machine, each of which does one job at a time.

    If a worker dies, the job it was doing can be identified. All workers are forks of one process that has
    imported the modules that they need. Their containers are forks of one template, which is started at the
    same time as that process. The thread that creates this object must live as long as the object does.

    Args:
        slots: the number of workers.
        hidden: the paths that must not exist inside the shared sandbox; None if each worker builds its own
            sandbox.
        template: a template that `start_preparations` has started. It is used if it hides the same paths,
            and closed otherwise.
        pages_only: True if the workers only make feedback pages. Torch is then not imported, and no process
            is started before the first page. The process from which workers are forked keeps its imports, so
            workers that are needed later for other jobs start without torch as well.
        plain: True if the workers only grade assignments that need no torch; see `needs_no_torch`.

    Raises:
        WallUnavailable: bubblewrap is not installed, and the workers were to share a sandbox.
    """

    def __init__(
        self,
        slots: int,
        hidden: tuple[str, ...] | None = None,
        template: Template | None = None,
        *,
        pages_only: bool = False,
        plain: bool = False,
    ) -> None:
        self.slots = slots
        self._hidden = hidden
        self._plain = plain
        self._template = template
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}
        self._pids: dict[ProcessPoolExecutor, Future[int]] = {}
        self._handles: dict[ProcessPoolExecutor, TemplateHandle | None] = {}
        self._processors: dict[ProcessPoolExecutor, int | None] = {}
        self._context = _context("preloaded_pages") if pages_only else _start_server(plain)
        if template is None or not template.adopt_options(self._options()):
            if template is not None:
                template.close()
            self._start_template()

    def submit(self, work: JobFunction, job: Any) -> Future[Any]:
        handle = self._handle()
        # Drop the idle workers of a sandbox that no longer exists.
        while self._idle and self._handles[self._idle[-1]] != handle:
            self._drop(self._idle.pop())
        pool = self._idle.pop() if self._idle else self._start_worker(handle)
        future = pool.submit(work, job)
        self._busy[future] = pool
        return future

    def check_workers(self) -> None:
        pass  # Nothing has to be checked here, because the future of a job fails when its worker dies.

    def settle(self, future: Future[Any]) -> None:
        pool = self._busy.pop(future)
        if isinstance(future.exception(), BrokenExecutor):
            self._drop(pool)
        else:
            self._idle.append(pool)

    def close(self, kill: bool = False) -> None:
        for pool, pid in self._pids.items():
            started = pid.done() and not pid.exception()
            if kill and started:
                with suppress(ProcessLookupError):
                    os.kill(pid.result(), signal.SIGKILL)
            # Also wait for killed workers. Otherwise, ProcessPoolExecutor's own shutdown would race with this
            # shutdown.
            pool.shutdown(wait=started or not kill, cancel_futures=True)
        if not self._pids:
            end_server()
        if self._template is not None:
            self._template.close()

    def _options(self) -> WallOptions:
        return WallOptions(self._plain, [os.path.abspath(path) for path in self._hidden or ()])

    def _start_template(self) -> None:
        self._template = None if self._hidden is None else Template(self._options())

    def _handle(self) -> TemplateHandle | None:
        """Return the data that a worker needs to share the template, or None if there is no template.

        Without this data, a worker builds its own sandbox, or reports why it cannot.
        """
        if self._template is not None and not self._template.is_running():
            self._template.close()
            self._template = None
            with suppress(WallError):  # each worker will report why the template could not start
                self._start_template()
        try:
            return self._template.wait() if self._template is not None else None
        except WallError:
            return None

    def _start_worker(self, handle: TemplateHandle | None) -> ProcessPoolExecutor:
        processor = self._free_processor()
        pool = ProcessPoolExecutor(1, self._context, _set_up, (self._hidden, handle, processor))
        self._pids[pool] = pool.submit(os.getpid)
        self._handles[pool], self._processors[pool] = handle, processor
        return pool

    def _free_processor(self) -> int | None:
        """Return a processor that no worker uses yet, or None if the worker is not to be tied to a processor.

        Workers are tied to processors only if there are as many workers as processors.
        """
        processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        free = sorted(processors - {number for number in self._processors.values() if number is not None})
        return free[0] if free and self.slots == len(processors) else None

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        del self._pids[pool], self._handles[pool], self._processors[pool]
        pool.shutdown(wait=False)


def needs_no_torch(source: Path, names: Iterable[str], plain: Collection[str]) -> bool:
    """Return whether a run grades only plain assignments, none of which mentions torch.

    A plain assignment has ordinary nbgrader tests. It may use torch without mentioning it, for example
    through another package. If that package is not preloaded, each submission imports torch itself, and a
    notebook's changes to torch are not undone before a test.

    Args:
        source: the folder of the instructor's notebooks.
        names: the names of the lessons and assignments to grade.
        plain: the names of the course's plain assignments.
    """
    return all(name in plain and not _mentions_torch(source / name) for name in names)


def _mentions_torch(folder: Path) -> bool:
    """Return whether a notebook or a Python file in an assignment's folder contains the word torch."""
    files = (path for path in folder.rglob("*") if path.suffix in (".ipynb", ".py"))
    try:
        return any(b"torch" in path.read_bytes() for path in files)
    except OSError:  # the file cannot be read, so it may contain anything
        return True


def start_preparations(*, plain: bool = False) -> Template | None:
    """Start the slow preparations early: the imports of the workers, and a template with the usual options.

    Args:
        plain: True if the run only grades assignments that need no torch; see `needs_no_torch`.

    Returns:
        The template, or None if it could not be started.
    """
    _start_server(plain)
    with suppress(WallError):  # the workers will report why the template could not start
        return Template(WallOptions(plain=plain))
    return None


def guess_import_group(source: Path, lessons: Iterable[str]) -> ImportGroup | None:
    """Return the group of modules that torch will probably import while these lessons run.

    The result is "compiler", "symbols" (sympy), or None if torch will probably import neither group. It is a
    guess, and affects only the speed.
    """
    files = (source / lesson / f"{lesson}.ipynb" for lesson in lessons)
    return worker.guess_import_group(*(file.read_text("utf-8") for file in files if file.is_file()))


def _start_server(plain: bool = False) -> Any:
    """Start the process that workers are forked from, unless it is running.

    Return the multiprocessing context with which the workers are started.

    Args:
        plain: True if the workers need no torch.
    """
    context = _context("preloaded_plain" if plain else "preloaded")
    forkserver.ensure_running()
    return context


def _context(imports: str) -> Any:
    """Return the multiprocessing context whose workers are forked from a process with the given imports.

    The process starts with the first worker, unless it is already running.

    Args:
        imports: the module of autograder.workers that the process imports.
    """
    # Workers are not forked from this process, because it has threads. They need nothing from its memory.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"autograder.workers.{imports}"])
    return context


def end_server() -> None:
    """End the process that workers are forked from.

    This is called only if no worker was forked. The process may still be importing modules.
    """
    server: Any = forkserver._forkserver
    if server._forkserver_pid is not None:
        with suppress(OSError):  # raised if the process has ended by itself
            os.kill(server._forkserver_pid, signal.SIGTERM)
            server._stop()  # makes multiprocessing forget the process, so that the next workers get a new one


def _set_up(hidden: tuple[str, ...] | None, handle: TemplateHandle | None, processor: int | None) -> None:
    """Set up a new worker: join the sandbox, leave Ctrl-C to the parent, and end when the parent ends."""
    if processor is not None:
        with suppress(OSError):
            os.sched_setaffinity(0, {processor})
    if hidden is not None and handle is not None:
        worker.join(hidden, handle)
    # A handler is used instead of SIG_IGN, which programs started by the worker would inherit.
    signal.signal(signal.SIGINT, lambda *_: None)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()


def _exit_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def run(work: JobFunction, next_job: Callable[[], Any | None], workers: Workers) -> Iterator[tuple[Any, Any]]:
    """Do jobs until there are none left, and yield each job with its result when it ends.

    A job is tried once more if its worker died, or if its result was `Failed`. If it fails again, or if its
    result was `Busy` (the machine was too busy to judge a time limit), the job waits until nothing else runs,
    and is then done alone. If the job fails even then, the failure is its result.

    Args:
        work: the function that does a job.
        next_job: a function that returns the next job, or None if there is none at the moment. Results that
            were yielded may lead to new jobs.
        workers: the workers that do the jobs.

    Raises:
        CourseError: no worker is left, or the workers cannot do these jobs.
    """
    running: dict[Future[Any], tuple[Any, int]] = {}
    queue: deque[Any] = deque()  # at most one job, which is fetched in advance if several others are running
    postponed: deque[Any] = deque()
    while True:
        while len(running) < workers.slots and (job := queue.popleft() if queue else next_job()) is not None:
            running[workers.submit(work, job)] = (job, 1)
        if not running:
            if not postponed:
                return
            job = postponed.popleft()
            running[workers.submit(work, job)] = (job, TRIES + 1)
        elif not queue and len(running) > 1 and (job := next_job()) is not None:
            queue.append(job)
        done, _ = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
        workers.check_workers()
        finished = []
        for future in done:
            job, tries = running.pop(future)
            workers.settle(future)
            result = _result(future)
            if isinstance(result, Failed) and tries < TRIES:
                running[workers.submit(work, job)] = (job, tries + 1)
            elif isinstance(result, Failed | Busy) and tries <= TRIES:
                postponed.append(job)
            else:
                finished.append((job, Failed(result.why) if isinstance(result, Busy) else result))
        # Start the queued jobs now, so that no worker waits while the caller stores the results.
        while queue and len(running) < workers.slots:
            job = queue.popleft()
            running[workers.submit(work, job)] = (job, 1)
        yield from finished


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
