"""The jobs that workers take, and the results that they return: plain data for any process on any machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.plain import PlainAssignment
from autograder.exam.plain_report import PlainReport
from autograder.exam.report import Report
from autograder.intake.submission import Script
from autograder.page.facts import PageHead


@dataclass(frozen=True)
class Job:
    """One submission to grade.

    Attributes:
        student: the student's id.
        lesson: the lesson's name.
        source: the instructor's notebook as JSON.
        script: the cells to run and the questions to ask.
        secret: the key that determines the tests' random inputs; see `Examiner.grade`.
        hidden: paths that must not exist inside the sandbox.
    """

    student: str
    lesson: str
    source: str
    script: Script
    secret: bytes
    hidden: tuple[str, ...]


@dataclass(frozen=True)
class PlainJob:
    """One submission of an assignment with ordinary nbgrader tests.

    Attributes:
        student: the student's id.
        lesson: the assignment's name.
        assignment: the assignment, with its tests and files.
        notebooks: the notebooks that were handed in, keyed by name.
        files: the student's own files next to the notebooks, keyed by path.
        kept: paths at which the student's own file is used instead of the assignment's file.
        timeout: the time limit of each cell, in seconds; None for the time limit of a whole submission.
        hidden: paths that must not exist inside the sandbox.
        preload: modules that the sandbox imports once for all submissions.
    """

    student: str
    lesson: str
    assignment: PlainAssignment
    notebooks: Mapping[str, bytes]
    files: Mapping[str, bytes]
    kept: Sequence[str]
    timeout: float | None
    hidden: tuple[str, ...]
    preload: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """One feedback page to make.

    Attributes:
        student: the student's id.
        lesson: the assignment's name.
        notebook: the notebook to show, as JSON without hidden tests.
        head: the facts at the top of the page.
        bare: True to leave out what the student wrote, because the full page could not be made.
        name: the name of the notebook, if the assignment has several notebooks; empty for the notebook that
            has the assignment's name.
    """

    student: str
    lesson: str
    notebook: str
    head: PageHead
    bare: bool = False
    name: str = ""


@dataclass(frozen=True)
class Examined:
    """The report on a submission, and the mode of the sandbox (the wall) in which the submission ran."""

    report: Report
    wall: str


@dataclass(frozen=True)
class ExaminedPlain:
    """The result of a `PlainJob`.

    Attributes:
        report: one report for each notebook.
        wall: the mode of the sandbox in which the notebooks ran.
        notices: sentences about modules that could not be preloaded.
    """

    report: Sequence[PlainReport]
    wall: str
    notices: Sequence[str] = ()


@dataclass(frozen=True)
class Rendered:
    """A finished feedback page.

    Attributes:
        html: the page.
        pictures: the outcome for each picture in the student's notes; see `autograder.page.pictures`.
    """

    html: str
    pictures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class NoWall:
    """The result of a job on a machine that cannot build a sandbox; see WallUnavailable."""

    reason: str
    fix: str


@dataclass(frozen=True)
class Failed:
    """The result of a job in which the grader itself failed. This does not count against the student."""

    why: str


@dataclass(frozen=True)
class Busy:
    """The result of a job on a machine that was too busy to judge a time limit.

    There is no verdict, and the job has to be repeated while no other job runs.
    """

    why: str


AnyJob = Job | PlainJob | Page
JobResult = Examined | ExaminedPlain | Rendered | NoWall | Failed | Busy
