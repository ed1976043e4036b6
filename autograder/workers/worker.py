"""A worker: one job in, plain data out, in any process on any machine.

A job holds all that it needs. The wall is built for the first submission of
a process and serves all that follow. Pages are made here too, because a page is slow to make, and because
whatever a stranger's text does to a highlighter must not stop the class.
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
from autograder.sandbox.inside.libraries import Later
from autograder.sandbox.results import Starved, WallError, WallUnavailable
from autograder.sandbox.template import Share
from autograder.workers.jobs import (
    Busy,
    Done,
    Examined,
    ExaminedPlain,
    Failed,
    Job,
    NoWall,
    Page,
    PlainJob,
    Rendered,
    Work,
)

# Longer than all time limits of a submission together, on a machine as busy as may be: whoever reaches it is
# stuck, and is ended.
EXAMINE_SECONDS = 2000.0
RENDER_SECONDS = 60.0
# What the work on one submission may add to this process. No right answer comes near it.
EXTRA_BYTES = 256 * 2**20
# What makes torch import its compiler at the first use, which takes half a second, or only sympy.
_COMPILER = re.compile(r"torch\.func|functorch|autograd\.functional|forward_ad|vectorize|optim\b|checkpoint")
_SYMBOLS = re.compile(r"autograd\.grad\(|grad_outputs|backward\((?!retain|create|self)[a-z*\[{]")

_MOVE = (
    "Move it or delete it, and grade again: everything in the system's folders (/usr) and in Python's is "
    "visible inside the sandbox."
)

# One thread a process: the examiner's seed and language are the process's own, and bubblewrap ends with
# the thread that started it, so that must be one that stays.
_thread = ThreadPoolExecutor(1)


def work(job: Work) -> Done:
    """Do a job; see `examine` and `render`."""
    seconds = RENDER_SECONDS if isinstance(job, Page) else EXAMINE_SECONDS
    if isinstance(job, PlainJob):
        seconds *= max(1, len(job.notebooks))
    # Ends this process, even where Python itself hangs; whoever gave the job sees that.
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        return render(job) if isinstance(job, Page) else _thread.submit(examine, job).result()
    finally:
        faulthandler.cancel_dump_traceback_later()


def examine(job: Job | PlainJob) -> Examined | ExaminedPlain | NoWall | Failed | Busy:
    """Grade one submission."""
    try:
        wall = _wall(job.hidden)
        if isinstance(job, PlainJob):
            return _examine_plain(job, wall)
        if shown := _exposed(job.lesson, job.source, wall.suspects):
            raise WallUnavailable(_shown(shown, job.lesson), _MOVE)
        for later in (_of_lesson(job.source), imported_later(*(step.source for step in job.script.steps))):
            if later is not None:
                wall.prepare(later)
        examiner = _examiner(job.lesson, job.source)
        with memory_limit(EXTRA_BYTES):
            return Examined(examiner.grade(wall, job.script, job.secret), wall.mode)
    except Unsupported as error:
        return Failed(str(error))
    except WallUnavailable as error:
        return NoWall(error.reason, error.fix)
    except Starved as error:
        return Busy(str(error) or type(error).__name__)
    except WallError as error:
        return Failed(str(error) or type(error).__name__)


def _examine_plain(job: PlainJob, wall: Any) -> ExaminedPlain:
    """Grade a submission with ordinary nbgrader tests, notebook by notebook."""
    from autograder.course.plain import files_inside
    from autograder.exam.preload import told

    notices = told(wall.preload(job.preload))
    files = files_inside(job.assignment.files, job.files, job.kept)
    reports = []
    for source in job.assignment.notebooks:
        if source.name in job.notebooks:
            examiner = _plain_examiner(job.assignment.digest, job.assignment, source.name, job.timeout)
            with memory_limit(EXTRA_BYTES):
                reports.append(examiner.grade(wall.open_container, job.notebooks[source.name], files))
    return ExaminedPlain(reports, wall.mode, notices)


def imported_later(*sources: str) -> Later | None:
    """What this code seems to make torch import at the first use; a guess, for speed alone."""
    if any(map(_COMPILER.search, sources)):
        return "compiler"
    return "symbols" if any(map(_SYMBOLS.search, sources)) else None


@lru_cache(maxsize=4)  # of lessons alone: what strangers hand in is not kept
def _of_lesson(source: str) -> Later | None:
    return imported_later(source)


@contextmanager
def memory_limit(more: int) -> Iterator[None]:
    """Let this process take at most so many bytes more: what needs them fails with an error it can tell."""
    if sys.platform != "linux":  # where nobody's work but one's own is graded
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([used + more, *known]), hard))
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


# torch and all that wait for the first job, so that the parent of a pool can import this module quickly.


@lru_cache(maxsize=4)
def _examiner(lesson: str, source: str) -> Any:
    import torch

    from autograder.exam.examiner import Examiner

    torch.set_num_threads(1)  # the stacks of more would count as memory of the submission that starts them
    return Examiner(lesson, v4.reads(source))


_plain_examiners: dict[tuple[str, str, float | None], Any] = {}


def _plain_examiner(digest: str, assignment: PlainAssignment, notebook: str, timeout: float | None) -> Any:
    """Return the examiner of a notebook; those of the assignment that was graded last are kept."""
    import torch

    from autograder.exam.plain import PlainExaminer

    key = (digest, notebook, timeout)
    if key not in _plain_examiners:
        torch.set_num_threads(1)  # as for a lesson
        for other in [other for other in _plain_examiners if other[0] != digest]:
            del _plain_examiners[other]
        source = next(one for one in assignment.notebooks if one.name == notebook)
        _plain_examiners[key] = PlainExaminer(source, timeout)
    return _plain_examiners[key]


@lru_cache(maxsize=16)
def _exposed(lesson: str, source: str, suspects: tuple[str, ...]) -> str | None:
    """The file that gives this lesson away to all who are inside the wall, if there is one."""
    from autograder.exam.exposed import Lesson

    return Lesson(lesson, v4.reads(source)).exposed(suspects)


def _shown(file: str, lesson: str) -> str:
    return (
        f"On {platform.node()}, every notebook could read {file}, "
        f"which holds answers or hidden tests of {lesson}."
    )


_walls: dict[tuple[str, ...], Any] = {}
_shares: dict[tuple[str, ...], Share] = {}


def join(hidden: tuple[str, ...], share: Share) -> None:
    """Use a template that another process has started, and ends."""
    _shares[hidden] = share


def _wall(hidden: tuple[str, ...]) -> Any:
    if hidden not in _walls:
        _walls[hidden] = _joined(hidden) or _own(hidden)
    return _walls[hidden]


def _joined(hidden: tuple[str, ...]) -> Any:
    """The shared wall, if there is one and containers can be forked here."""
    from autograder.sandbox.wall import Wall

    try:
        wall = Wall.join(_shares[hidden])
        wall.start()
        return wall
    except WallUnavailable:
        raise
    except (KeyError, WallError):
        return None


def _own(hidden: tuple[str, ...]) -> Any:
    from autograder.sandbox.wall import Wall

    wall = Wall(hidden=hidden)
    wall.start()
    atexit.register(wall.close)
    return wall
