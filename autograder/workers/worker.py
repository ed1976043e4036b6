"""The work that a worker does in any process on any machine: it takes a job and returns plain data.

A job contains everything that it needs. The sandbox is built for the first submission in a process, and is
used for all later ones. Workers also make the feedback pages, because these are slow to make, and because a
submission that makes the highlighter hang must not stop the grading of the class.
"""

import atexit
import faulthandler
import json
import platform
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import v4

from autograder.course.plain import PlainAssignment, Unsupported
from autograder.sandbox.inside.libraries import ImportGroup
from autograder.sandbox.results import Overloaded, WallError, WallUnavailable
from autograder.sandbox.template import TemplateHandle
from autograder.workers.jobs import (
    AnyJob,
    Busy,
    Examined,
    ExaminedPlain,
    Failed,
    Job,
    JobResult,
    NoWall,
    Page,
    PlainJob,
    Rendered,
)

# Seconds; longer than all time limits of a submission together, even on a very busy machine. A process that
# takes longer is stuck, and is killed.
EXAMINE_SECONDS = 2000.0
RENDER_SECONDS = 60.0
# Bytes of memory by which the work on one submission may enlarge this process. No correct answer comes near
# this limit.
EXTRA_BYTES = 256 * 2**20
# The first pattern matches code for which torch imports its compiler, which takes half a second. The second
# one matches code for which torch imports only sympy.
_COMPILER = re.compile(r"torch\.func|functorch|autograd\.functional|forward_ad|vectorize|optim\b|checkpoint")
_SYMBOLS = re.compile(r"autograd\.grad\(|grad_outputs|backward\((?!retain|create|self)[a-z*\[{]")

_MOVE_ADVICE = (
    "Move it or delete it, and grade again: everything in the system's folders (/usr) and in Python's is "
    "visible inside the sandbox."
)

# Each process grades in a single thread, because the examiner's seed and language belong to the process.
# Bubblewrap ends with the thread that started it, so this thread lives as long as the process.
_executor = ThreadPoolExecutor(1)


def work(job: AnyJob) -> JobResult:
    """Do a job within its time limit; see `examine` and `render`."""
    seconds = RENDER_SECONDS if isinstance(job, Page) else EXAMINE_SECONDS
    if isinstance(job, PlainJob):
        seconds *= max(1, len(job.notebooks))
    # This timer ends the process even if Python itself hangs. The process that sent the job will notice that
    # this process has ended.
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        return render(job) if isinstance(job, Page) else _executor.submit(examine, job).result()
    finally:
        faulthandler.cancel_dump_traceback_later()


def examine(job: Job | PlainJob) -> Examined | ExaminedPlain | NoWall | Failed | Busy:
    """Grade one submission."""
    try:
        if isinstance(job, PlainJob):
            return _examine_plain(job, _wall(job.hidden, plain=True))
        wall = _wall(job.hidden)
        if file := _find_leak(job.lesson, job.source, wall.suspects):
            raise WallUnavailable(_leak_message(file, job.lesson), _MOVE_ADVICE)
        for group in (
            _guess_lesson_group(job.source),
            guess_import_group(*(step.source for step in job.script.steps)),
        ):
            if group is not None:
                wall.prepare(group)
        examiner = _examiner(job.lesson, job.source)
        with memory_limit(EXTRA_BYTES):
            return Examined(examiner.grade(wall, job.script, job.secret), wall.mode)
    except Unsupported as error:
        return Failed(str(error))
    except WallUnavailable as error:
        return NoWall(error.reason, error.fix)
    except Overloaded as error:
        return Busy(str(error) or type(error).__name__)
    except WallError as error:
        return Failed(str(error) or type(error).__name__)


def _examine_plain(job: PlainJob, wall: Any) -> ExaminedPlain:
    """Grade a submission with ordinary nbgrader tests, notebook by notebook."""
    from autograder.course.plain import merge_files
    from autograder.exam.preload import preload_warnings

    notices = preload_warnings(wall.preload(job.preload))
    files = merge_files(job.assignment.files, job.files, job.kept)
    reports = []
    for source in job.assignment.notebooks:
        if source.name in job.notebooks:
            examiner = _plain_examiner(job.assignment.digest, job.assignment, source.name, job.timeout)
            with memory_limit(EXTRA_BYTES):
                reports.append(examiner.grade(wall.open_container, job.notebooks[source.name], files))
    return ExaminedPlain(reports, wall.mode, notices)


def guess_import_group(*sources: str) -> ImportGroup | None:
    """Return the group of modules that torch will probably import while this code runs.

    The result is "compiler", "symbols" (sympy), or None if torch will probably import neither group. It is a
    guess, and affects only the speed.
    """
    if any(map(_COMPILER.search, sources)):
        return "compiler"
    return "symbols" if any(map(_SYMBOLS.search, sources)) else None


@lru_cache(maxsize=4)  # only lessons' sources are cached, so that no submission stays in memory
def _guess_lesson_group(source: str) -> ImportGroup | None:
    return guess_import_group(source)


@contextmanager
def memory_limit(extra_bytes: int) -> Iterator[None]:
    """Limit how much more memory this process may use while the body of the `with` statement runs.

    If the body needs more, it fails with an error that can be reported.

    Args:
        extra_bytes: the number of additional bytes that this process may use.
    """
    if sys.platform != "linux":  # no limit is needed: outside Linux, users only check their own work
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    current = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([current + extra_bytes, *limits]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def render(page: Page) -> Rendered:
    """Make one feedback page."""
    from autograder.page.pictures import decode_all, show_pictures, submitted_pictures
    from autograder.page.render import page_html

    cells = json.loads(page.notebook)["cells"]
    pictures = decode_all(submitted_pictures(cells))
    show_pictures(cells, pictures, page.head.language)
    return Rendered(page_html(page.student, page.head, cells, page.bare), pictures)


# Torch and the examiner are imported for the first job, so that the parent of a pool can import this module
# quickly.


@lru_cache(maxsize=4)
def _examiner(lesson: str, source: str) -> Any:
    import torch

    from autograder.exam.examiner import Examiner

    torch.set_num_threads(1)  # the stacks of further threads would count towards a submission's memory
    return Examiner(lesson, v4.reads(source))


_plain_examiners: dict[tuple[str, str, float | None], Any] = {}


def _plain_examiner(digest: str, assignment: PlainAssignment, notebook: str, timeout: float | None) -> Any:
    """Return the examiner of a notebook in a plain assignment.

    Only the examiners of the last assignment are cached.
    """
    from autograder.exam.plain import PlainExaminer

    key = (digest, notebook, timeout)
    if key not in _plain_examiners:
        for old_key in [old_key for old_key in _plain_examiners if old_key[0] != digest]:
            del _plain_examiners[old_key]
        source = next(item for item in assignment.notebooks if item.name == notebook)
        _plain_examiners[key] = PlainExaminer(source, timeout)
    return _plain_examiners[key]


@lru_cache(maxsize=16)
def _find_leak(lesson: str, source: str, suspects: tuple[str, ...]) -> str | None:
    """Return a file that is visible inside the sandbox and contains answers or hidden tests of a lesson.

    The result is None if there is no such file.
    """
    from autograder.exam.leaks import LessonSecrets

    return LessonSecrets(lesson, v4.reads(source)).first_leak(suspects)


def _leak_message(file: str, lesson: str) -> str:
    return (
        f"On {platform.node()}, every notebook could read {file}, "
        f"which holds answers or hidden tests of {lesson}."
    )


# The sandboxes of this process. The key is a pair: the hidden paths, and whether torch is left out.
_walls: dict[tuple[tuple[str, ...], bool], Any] = {}
_handles: dict[tuple[str, ...], TemplateHandle] = {}


def join(hidden: tuple[str, ...], handle: TemplateHandle) -> None:
    """Use a template that another process has started and will end."""
    _handles[hidden] = handle


def _wall(hidden: tuple[str, ...], *, plain: bool = False) -> Any:
    """Return the wall (the sandbox) that hides the given paths.

    Args:
        hidden: the paths that must not exist inside the wall.
        plain: whether the submission belongs to a plain assignment (one with ordinary nbgrader tests). A wall
            that was built only for plain assignments is never used for a lesson.
    """
    handle = _handles.get(hidden)
    if handle is not None and handle.options.plain and not plain:
        handle = None
    without_torch = handle is not None and handle.options.plain
    key = hidden, without_torch
    if key not in _walls:
        _walls[key] = _join_wall(handle) or _build_wall(hidden, without_torch)
    return _walls[key]


def _join_wall(handle: TemplateHandle | None) -> Any:
    """Return the shared sandbox.

    The result is None if there is no shared sandbox, or if containers cannot be forked here.
    """
    from autograder.sandbox.wall import Wall

    if handle is None:
        return None
    try:
        wall = Wall.join(handle)
        wall.start()
        return wall
    except WallUnavailable:
        raise
    except WallError:
        return None


def _build_wall(hidden: tuple[str, ...], without_torch: bool) -> Any:
    from autograder.sandbox.wall import Wall

    wall = Wall(hidden=hidden, plain=without_torch)
    wall.start()
    atexit.register(wall.close)
    return wall
