"""The examiner's bench: one job in, plain data out, in any process on any machine.

A job holds all that it needs; what comes back could be JSON. The wall is built for the first submission of
a process and serves all that follow. Pages are made here too, because a page is slow to make, and because
whatever a stranger's text does to a highlighter must not stop the class.
"""

import atexit
import faulthandler
import importlib.util
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from nbformat import NotebookNode, v4

from autograder.intake.submission import Step, Submission
from autograder.sandbox.results import WallError, WallUnavailable
from secant.language import Language

# Longer than all time limits of a submission together: whoever reaches it is stuck, and is ended.
EXAMINE_SECONDS = 900.0
RENDER_SECONDS = 60.0

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


@dataclass(frozen=True)
class Page:
    """One feedback page to make.

    Attributes:
        student, lesson: whose, and of what.
        notebook: what to show, as JSON, with scores and without hidden tests.
        resources: nbconvert's, with the totals.
        settings: the course's settings of HTMLExporter.
    """

    student: str
    lesson: str
    notebook: str
    resources: dict[str, Any]
    settings: dict[str, Any]


def work(job: Job | Page) -> dict[str, Any]:
    """Do a job; see `examine` and `render`."""
    seconds = EXAMINE_SECONDS if isinstance(job, Job) else RENDER_SECONDS
    # Ends this process, even where Python itself hangs; whoever gave the job sees that.
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        return _thread.submit(examine, job).result() if isinstance(job, Job) else render(job)
    finally:
        faulthandler.cancel_dump_traceback_later()


def examine(job: Job) -> dict[str, Any]:
    """Grade one submission.

    Returns:
        `{"report": ..., "cells": [...], "wall": mode}`; or `{"no_wall": [reason, fix]}` where none can be
        built; or `{"failure": text}`, which says nothing about the student.
    """
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


def render(page: Page) -> dict[str, Any]:
    """Make one feedback page with nbgrader's template.

    Returns:
        `{"page": html}`.
    """
    html, _ = _exporter(json.dumps(page.settings)).from_notebook_node(
        v4.reads(page.notebook), resources=page.resources
    )
    return {"page": html}


# torch and all that wait for the first job, so that the parent of a pool can import this module quickly.


@lru_cache(maxsize=4)
def _exam(lesson: str, source: str) -> Any:
    from autograder.exam.examiner import Exam

    return Exam(lesson, v4.reads(source))


@lru_cache(maxsize=1)
def _exporter(settings: str) -> Any:
    from nbconvert.exporters.html import HTMLExporter
    from traitlets.config import Config

    # As nbgrader's GenerateFeedback has it, whose import takes two seconds.
    (package,) = importlib.util.find_spec("nbgrader").submodule_search_locations  # type: ignore[union-attr,misc]
    formgrader = f"{package}/server_extensions/formgrader"
    ours = {"template_name": "feedback", "extra_template_basedirs": [f"{formgrader}/templates"]}
    ours["extra_template_paths"] = [f"{formgrader}/static/node_modules/bootstrap/dist/css"]
    config = Config({"Exporter": {"default_preprocessors": []}, "HTMLExporter": ours | json.loads(settings)})
    return HTMLExporter(config=config)


@lru_cache(maxsize=1)
def _wall(hidden: tuple[str, ...]) -> Any:
    from autograder.sandbox.wall import Wall

    wall = Wall(hidden=hidden)
    wall.start()
    atexit.register(wall.close)
    return wall
