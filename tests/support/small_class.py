"""A small class to grade: the fixture lesson, students' submissions, and a grading worker in this process."""

import dataclasses
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, v4

from autograder.build.builder import build
from autograder.course.assignment import read_assignment
from autograder.course.cells import tasks
from autograder.course.lesson import find_lessons, read_lesson
from autograder.course.settings import Course
from autograder.exam.report import uniform_report
from autograder.gradebook.entries import Entry, find_submissions
from autograder.grading.batch import RunOutcome, grade
from autograder.sandbox.results import CellResult
from autograder.workers.jobs import AnyJob, Examined, Job, JobResult, Page, PlainJob, Rendered
from tests.support.lessons import ROOT, with_answers

STEPS = "01_steps"
EMPTY = "empty.db"  # a gradebook without lessons, in the built course that tests share
WRONG = {"double": "def double(x):\n    return x * x - 3"}


class InProcessWorkers:
    """A stand-in for the grading workers that does every job in this process.

    The wall then hides no course files. The tests of the wall check that it normally hides them.

    Args:
        override: a function that may return a result in place of a job's real one.
    """

    slots = 1

    def __init__(self, override: Callable[[Any], JobResult | None] = lambda job: None) -> None:
        self.jobs: list[AnyJob] = []
        self._override = override

    def submit(self, work: Callable[[Any], JobResult], job: Any) -> Future[JobResult]:
        self.jobs.append(job)
        future: Future[JobResult] = Future()
        try:
            open_job = job if isinstance(job, Page) else dataclasses.replace(job, hidden=())
            future.set_result(self._override(job) or work(open_job))
        except Exception as error:
            future.set_exception(error)
        return future

    def check_workers(self) -> None:
        pass

    def settle(self, future: Future[JobResult]) -> None:
        pass

    def close(self, kill: bool = False) -> None:
        pass

    @property
    def examined(self) -> list[str]:
        """The students whose code has been run, in order."""
        return [job.student for job in self.jobs if isinstance(job, Job | PlainJob)]


def fake_result(job: Job | Page) -> JobResult:
    """Return a worker's made-up result for a job, for tests that do not need the examiner."""
    if isinstance(job, Page):
        return Rendered(f"<p>The page of {job.student}.</p>")
    rows = uniform_report(job.lesson, tasks(v4.reads(job.source)), "wrong", "No.")
    return Examined(
        dataclasses.replace(rows, cells=[CellResult("cell 3", "", "", (), "printed", 0.0)]), "forked"
    )


def build_course(root: Path) -> None:
    """Make a course directory with the fixture lesson, and build it."""
    shutil.copytree(ROOT / "tests" / "fixtures" / "course", root / "course")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    build(root, find_lessons(root))


def solutions(root: Path, lesson: str = STEPS) -> dict[str, str]:
    """Return the lesson's solutions by task."""
    (match,) = [entry for entry in find_lessons(root) if entry.name == lesson]
    return {task.id: task.answer.source for task in tasks(read_lesson(match))}


def answered_notebook(
    root: Path, answers: Mapping[str, str], language: str = "en", lesson: str = STEPS
) -> NotebookNode:
    """Return the lesson's release version with these answers, given by task."""
    return with_answers(read_assignment(root, lesson).releases[language], answers)


def hand_in(
    root: Path, student: str, notebook: NotebookNode | str, lesson: str = STEPS, timestamp: str = ""
) -> Path:
    """Write a notebook (or any text) to the path to which nbgrader collects a submission; return the path."""
    folder = root / "submitted" / student / lesson
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lesson}.ipynb"
    path.write_text(notebook if isinstance(notebook, str) else v4.writes(notebook), encoding="utf-8")
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
    return path


def run(
    root: Path,
    workers: InProcessWorkers | None = None,
    *,
    force: bool = False,
    lessons: Sequence[str] = (STEPS,),
    on_message: Callable[[str], None] = lambda text: None,
    action: Callable[..., RunOutcome] = grade,
) -> tuple[RunOutcome, list[str]]:
    """Grade all submissions, or make their feedback pages; return the summary and the messages.

    Args:
        root: the course directory.
        workers: the grading workers; by default this process.
        force: whether to process unchanged submissions again.
        lessons: the lessons to process.
        on_message: a function that is called with each message.
        action: the function that grades, or the one that makes the feedback pages.
    """
    course = Course.at(root)
    messages: list[str] = []

    def add_message(entry: Entry, text: str) -> None:
        if text:
            messages.append(f"{entry}: {text}")
            on_message(messages[-1])

    entries = find_submissions(course, lessons)
    return action(
        course, entries, workers or InProcessWorkers(), force=force, on_message=add_message
    ), messages
