"""What is given to a worker, and what comes back: plain data, for any process on any machine."""

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
        student, lesson: whose, and of what.
        source: the instructor's notebook as JSON.
        script: what to run and to ask.
        secret: see `Examiner.grade`.
        hidden: paths that must not exist inside the wall.
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
        student, lesson: whose, and of which assignment.
        assignment: the assignment, with its tests and files.
        notebooks: the notebooks that were handed in, by name.
        files: the student's own files beside them, by path.
        kept: the assignment's files that do not replace the student's.
        timeout: seconds for a cell; None for as many as a submission has.
        hidden: paths that must not exist inside the wall.
        preload: modules that the wall imports once for all submissions.
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
        student, lesson: whose, and of what.
        notebook: what to show, as JSON, without hidden tests.
        head: what stands above it.
        bare: whether it is without what the student wrote, because the full one could not be made.
        name: which notebook of the assignment it shows; empty for the one with the assignment's name.
    """

    student: str
    lesson: str
    notebook: str
    head: PageHead
    bare: bool = False
    name: str = ""


@dataclass(frozen=True)
class Examined:
    """What came of a job, and the kind of wall that it ran in."""

    report: Report
    wall: str


@dataclass(frozen=True)
class ExaminedPlain:
    """What came of a plain job.

    Attributes:
        report: a report a notebook.
        wall: the kind of wall that it ran in.
        notices: sentences about modules that could not be preloaded.
    """

    report: Sequence[PlainReport]
    wall: str
    notices: Sequence[str] = ()


@dataclass(frozen=True)
class Rendered:
    """A page that was made.

    Attributes:
        html: the page.
        pictures: what became of the pictures of the student's notes, by name; see `autograder.page.pictures`.
    """

    html: str
    pictures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class NoWall:
    """No wall can be built where the worker is; see WallUnavailable."""

    reason: str
    fix: str


@dataclass(frozen=True)
class Failed:
    """The grader's own failure: it says nothing about the student."""

    why: str


@dataclass(frozen=True)
class Busy:
    """The machine was too busy to judge a time limit: no verdict, to be asked again alone."""

    why: str


Work = Job | PlainJob | Page
Done = Examined | ExaminedPlain | Rendered | NoWall | Failed | Busy
