"""The examiner's bench: one submission in, plain data out, in any process on any machine.

A job holds all that a grading needs; what comes back could be JSON. The wall is built for the first job of
a process and serves all that follow.
"""

import atexit
import faulthandler
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from nbformat import NotebookNode, v4

from autograder.answers import WallError, WallUnavailable
from autograder.intake import Step, Submission
from secant._language import Language

# Longer than all time limits of a submission together: whoever reaches it is stuck, and is ended.
JOB_SECONDS = 900.0

# One thread a process: the examiner's seed and language are the process's own, and bubblewrap ends with
# the thread that started it, so that must be one that stays.
_thread = ThreadPoolExecutor(1)


@dataclass(frozen=True)
class Job:
    """One submission to grade.

    Attributes:
        student, lesson: whose, and of what.
        source: the instructor's notebook as JSON.
        steps: the student's code.
        language: the submission's.
        digest: of the submitted file.
        secret: see `Exam.sit`.
        hidden: paths that must not exist inside the wall.
    """

    student: str
    lesson: str
    source: str
    steps: Sequence[Step]
    language: Language
    digest: str
    secret: bytes
    hidden: tuple[str, ...]


def examine(job: Job) -> dict[str, Any]:
    """Grade one submission.

    Returns:
        `{"report": ..., "cells": [...], "wall": mode}`; or `{"no_wall": [reason, fix]}` where none can be
        built; or `{"failure": text}`, which says nothing about the student.
    """
    # Ends this process, even where Python itself hangs; whoever gave the job sees that.
    faulthandler.dump_traceback_later(JOB_SECONDS, exit=True)
    try:
        return _thread.submit(_examine, job).result()
    finally:
        faulthandler.cancel_dump_traceback_later()


def _examine(job: Job) -> dict[str, Any]:
    taken = Submission(list(job.steps), {}, NotebookNode(), job.language, job.digest, "")
    try:
        wall = _wall(job.hidden)
        report = _exam(job.lesson, job.source).sit(wall, taken, job.secret)
    except WallUnavailable as error:
        return {"no_wall": [error.reason, error.fix]}
    except WallError as error:
        return {"failure": str(error) or type(error).__name__}
    return {
        "report": report.as_json(),
        "cells": [asdict(cell) for cell in report.cells],
        "wall": wall.mode,
    }


# torch and all that wait for the first job, so that the parent of a pool can import this module quickly.


@lru_cache(maxsize=4)
def _exam(lesson: str, source: str) -> Any:
    from autograder.examiner import Exam

    return Exam(lesson, v4.reads(source))


@lru_cache(maxsize=1)
def _wall(hidden: tuple[str, ...]) -> Any:
    from autograder.wall import Wall

    wall = Wall(hidden=hidden)
    wall.start()
    atexit.register(wall.close)
    return wall
