"""Grading a class: submitted/ in; nbgrader's gradebook, autograded/ and feedback/ out.

For every submission: the intake reads it here, a worker examines it inside its wall, and this process, the
only one that writes, enters the result in one transaction and then rewrites the two folders from it. So a
run that is cut short at any moment can be run again, and grades nothing twice: a result whose file, tests
and grader are still the same is kept, and only filed if that had been missed.

An older grade never stands as if it were of the new file. It is marked before the new file is graded, and
the mark goes when the new result is in: until then each of its cells waits for a person ("needs manual
grading" in formgrader), and the comment on each answer says why.
"""

import contextlib
import fcntl
import hashlib
import importlib.metadata
import json
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from nbformat import v4
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from traitlets.config import Config, PyFileConfigLoader

import autograder
import secant
from autograder.course.assignment import Papers, read_papers
from autograder.course.cells import Task, grade_id, tasks
from autograder.course.errors import CourseError
from autograder.grading.executors import Crew, run
from autograder.grading.feedback import Pages, as_text, graded_notebook, placed, replace_folder
from autograder.grading.gradebook import NO_RESPONSE, Book, GradebookBusy
from autograder.grading.worker import Job, Page, work
from autograder.intake.files import valid_student_id
from autograder.intake.submission import Rejected, Submission
from autograder.intake.take_in import take_in

SECRET = ".autograder-secret"
_MAX_TIMESTAMP_BYTES = 100


class NoWall(Exception):
    """A worker's machine can build no wall, so nothing more is graded.

    Attributes:
        reason, fix: as in WallUnavailable.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}\n{fix}")
        self.reason = reason
        self.fix = fix


@dataclass(frozen=True)
class Course:
    """A course directory, with nbgrader's settings for it."""

    root: Path
    config: Config
    directory: CourseDirectory

    @classmethod
    def at(cls, root: Path) -> "Course":
        """Read the settings of the course in a folder.

        Raises:
            CourseError: they cannot be read, or ask for other folders than student/lesson.
        """
        try:
            config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
        except Exception as error:
            raise CourseError(f"{root / 'nbgrader_config.py'} cannot be loaded: {error}.") from error
        directory = CourseDirectory(config=config)
        if directory.directory_structure != CourseDirectory().directory_structure:
            raise CourseError(
                "CourseDirectory.directory_structure must be nbgrader's own: step/student/lesson."
            )
        return cls(Path(directory.root), config, directory)

    def folder(self, step: Literal["submitted", "autograded", "feedback"], student: str, lesson: str) -> Path:
        """Where a step keeps a submission."""
        name = getattr(self.directory, f"{step}_directory")
        return Path(self.directory.format_path(name, student, lesson))

    @property
    def submitted(self) -> Path:
        """The folder of all students' folders."""
        return self.root / self.directory.submitted_directory

    @property
    def hidden(self) -> tuple[str, ...]:
        """What no student's code may find: the lessons, and everything that a class has put beside them."""
        names = ("submitted", "autograded", "feedback", "source", "release")
        places = [self.root / getattr(self.directory, f"{name}_directory") for name in names]
        return tuple(
            str(path) for path in (self.root / "course", *places, self.root / SECRET, *self._database())
        )

    def _database(self) -> list[Path]:
        prefix = "sqlite:///"
        url = self.directory.db_url
        return [Path(url.removeprefix(prefix))] if url.startswith(prefix) else []


class Entry(NamedTuple):
    """One submission: a folder, or something in a folder's place."""

    student: str
    lesson: str

    def __str__(self) -> str:
        return f"{self.student}/{self.lesson}"


@dataclass
class Summary:
    """What a run came to.

    Attributes:
        results: by submission, in order; those that could not be graded included.
        done: how many are over and done with, one way or another.
        kept: how many of them were found graded already.
        failed: those that could not be graded, and why.
        walls: the kinds of wall that were used; "single" is the slow one.
    """

    results: dict[Entry, dict[str, Any]] = field(default_factory=dict)
    done: int = 0
    kept: int = 0
    failed: dict[Entry, str] = field(default_factory=dict)
    walls: set[str] = field(default_factory=set)

    def as_json(self) -> list[dict[str, Any]]:
        """The public form of `grade --json`."""
        return [_public(result) for _, result in sorted(self.results.items(), key=lambda pair: str(pair[0]))]


Tell = Callable[[Entry, str], None]


def find_submissions(course: Course, lessons: Iterable[str], students: Iterable[str] = ()) -> list[Entry]:
    """Return what was handed in, by student; whatever it is, for the intake judges it."""
    if not course.submitted.is_dir():
        return []
    excluded = {name.strip() for name in course.directory.student_id_exclude.split(",")}
    names = sorted(entry.name for entry in os.scandir(course.submitted) if not entry.name.startswith("."))
    wanted = set(students) or set(names)
    return [
        Entry(name, lesson)
        for lesson in lessons
        for name in names
        if name in wanted - excluded and os.path.lexists(course.submitted / name / lesson)
    ]


def grade(
    course: Course,
    entries: Iterable[Entry],
    crew: Crew,
    *,
    force: bool = False,
    tell: Tell = lambda entry, text: None,
) -> Summary:
    """Grade submissions. What has been written stays, however this ends.

    Args:
        course: the course directory.
        entries: the submissions.
        crew: who examines them.
        force: grade also what has been graded before.
        tell: called with what staff should know at once; with an empty text when a submission is done.

    Raises:
        CourseError: a lesson is not built, or another run is busy in this course.
        NoWall: a worker cannot build a wall.
    """
    with _secret(course.root) as secret, Book(course.directory, course.config) as book:
        desk = _Desk(course, book, secret, entries, force, tell)
        for job, found in run(work, desk.next_job, crew):
            desk.receive(job, found)
        return desk.summary


# --- At the desk: one submission after another ------------------------------------------------------------


@dataclass(frozen=True)
class _Open:
    """A submission that is being graded."""

    papers: Papers
    taken: Submission | None  # None: rejected
    key: str
    timestamp: datetime | None


class _Desk:
    """Where submissions come in and results are written."""

    def __init__(
        self, course: Course, book: Book, secret: bytes, entries: Iterable[Entry], force: bool, tell: Tell
    ) -> None:
        self.summary = Summary()
        self._course = course
        self._book = book
        self._pages = Pages(course.directory, course.config)
        self._secret = secret
        self._entries = iter(entries)
        self._force = force
        self._tell = tell
        self._papers: dict[str, Papers] = {}
        self._open: dict[Entry, _Open] = {}
        self._due: deque[Job | Page] = deque()

    def next_job(self) -> Job | Page | None:
        """Return what can be done now, taking in submissions until there is something."""
        while not self._due:
            entry = next(self._entries, None)
            if entry is None:
                return None
            papers = self._lesson(entry.lesson)
            with self._survived(entry, papers):
                self._begin(entry, papers)
        return self._due.popleft()

    def receive(self, job: Job | Page, found: dict[str, Any]) -> None:
        """Write what came of a job."""
        if "no_wall" in found:
            raise NoWall(*found["no_wall"])
        entry = Entry(job.student, job.lesson)
        open_ = self._open[entry]
        with self._survived(entry, open_.papers):
            if "failure" in found:
                raise _Failure(found["failure"])
            if isinstance(job, Page):
                self._close(entry, found["page"])
            else:
                assert open_.taken is not None
                self.summary.walls.add(found["wall"])
                cells = placed(open_.taken.notebook, open_.taken.steps, found["cells"])
                self._finish(entry, open_, _result(entry, open_, found["report"], cells))

    def _lesson(self, name: str) -> Papers:
        if name not in self._papers:
            papers = read_papers(self._course.root, name, self._course.directory.source_directory)
            self._book.register(papers)
            self._papers[name] = papers
        return self._papers[name]

    def _begin(self, entry: Entry, papers: Papers) -> None:
        """Take in a submission, and see what has to be done for it."""
        if not valid_student_id(entry.student):
            return self._turn_away(entry, papers)
        folder = self._course.folder("submitted", *entry)
        taken = _take_in(folder, entry.lesson, papers, self._course.submitted)
        submission = taken if isinstance(taken, Submission) else None
        open_ = self._open[entry] = _Open(papers, submission, _key(taken, papers), _timestamp(folder))
        if not self._force and self._keep(entry, open_):
            return None
        self._book.mark_stale(entry.student, entry.lesson, _STALE)
        if isinstance(taken, Rejected):
            message = f"{taken.en}\n{taken.ko}"  # of a file that cannot be read, the language is not known
            report = _everywhere(papers, "rejected", message)
            return self._finish(entry, open_, _result(entry, open_, report, [], [f"rejected:{taken.reason}"]))
        job = Job(
            student=entry.student,
            lesson=entry.lesson,
            source=v4.writes(papers.source),
            steps=taken.steps,
            language=taken.language,
            digest=taken.digest,
            secret=self._secret,
            hidden=self._course.hidden,
        )
        self._due.append(job)
        return None

    def _keep(self, entry: Entry, open_: _Open) -> bool:
        """Whether this has been graded already; if so, see that gradebook and folders say so."""
        kept = self._book.kept(*entry)
        if kept is None or kept.key != open_.key:
            return False
        self.summary.kept += 1
        if kept.stale or kept.timestamp != open_.timestamp:
            # Another file was handed in and is gone again, or the same one was handed in again.
            self._finish(entry, open_, kept.result)
            return True
        self.summary.results[entry] = kept.result
        if kept.filed and self._is_filed(entry):
            self._over(entry)
        else:
            self._file(entry, open_, kept.result)
        return True

    def _is_filed(self, entry: Entry) -> bool:
        notebook = self._course.folder("autograded", *entry) / f"{entry.lesson}.ipynb"
        page = self._course.folder("feedback", *entry) / f"{entry.lesson}.html"
        return notebook.is_file() and page.is_file()

    def _finish(self, entry: Entry, open_: _Open, result: dict[str, Any]) -> None:
        """Enter a result. From here on it stands; the folders can be made from it at any time."""
        self._book.write(entry.student, entry.lesson, open_.key, result, open_.timestamp)
        self.summary.results[entry] = result
        if result["flags"]:
            self._tell(entry, ", ".join(result["flags"]))
        self._file(entry, open_, result)

    def _file(self, entry: Entry, open_: _Open, result: Mapping[str, Any]) -> None:
        """Write the notebook that formgrader shows, and have the student's page made."""
        notebook = graded_notebook(open_.papers, open_.taken.notebook if open_.taken else None, result)
        files = {f"{entry.lesson}.ipynb": as_text(notebook)}
        if open_.timestamp:
            files["timestamp.txt"] = f"{open_.timestamp:%Y-%m-%d %H:%M:%S.%f} UTC\n"
        self._replace("autograded", entry, files)
        self._due.appendleft(self._pages.page(notebook, *entry))

    def _close(self, entry: Entry, page: str) -> None:
        """Write the student's page, which is the last thing to be done."""
        self._replace("feedback", entry, {f"{entry.lesson}.html": page})
        self._book.mark_filed(*entry)
        self._over(entry)

    def _replace(
        self, step: Literal["autograded", "feedback"], entry: Entry, files: Mapping[str, str]
    ) -> None:
        extra = self._course.root / self._course.directory.source_directory / entry.lesson
        replace_folder(self._course.folder(step, *entry), files, extra, self._course.directory.groupshared)

    def _turn_away(self, entry: Entry, papers: Papers) -> None:
        """List a folder whose name is no student id; neither gradebook nor folders may have such a name."""
        shown = "".join(c if c.isprintable() else "?" for c in entry.student)[:100]
        message = "The folder's name is not a student id: letters, digits and _.@- only, 64 at most."
        report = _everywhere(papers, "rejected", message)
        self.summary.results[entry] = {**report, "student": shown, "flags": ["odd_student_id"]}
        self._tell(Entry(shown, entry.lesson), message)
        self._over(entry)

    def _over(self, entry: Entry) -> None:
        self._open.pop(entry, None)
        self.summary.done += 1
        self._tell(entry, "")

    @contextlib.contextmanager
    def _survived(self, entry: Entry, papers: Papers) -> Iterator[None]:
        """Go on with the batch whatever happens to one submission, and say what happened."""
        try:
            yield
        except (CourseError, NoWall):
            raise
        except Exception as error:
            why = str(error) if isinstance(error, _Failure) else f"{type(error).__name__}: {error}"
            self.summary.failed[entry] = why
            if entry in self.summary.results:
                self._tell(entry, f"graded, but its folders could not be written: {why}")
            else:
                self._tell(entry, f"not graded: {why}")
                message = "The grader failed. This says nothing about the answer."
                report = _everywhere(papers, "grader_failure", message)
                self.summary.results[entry] = {
                    **report,
                    "student": entry.student,
                    "flags": ["grader_failure"],
                }
                with contextlib.suppress(GradebookBusy):  # it was marked when its grading began
                    self._book.mark_stale(*entry, _STALE)
            self._over(entry)


class _Failure(Exception):
    """A worker could not grade a submission."""


_STALE = (
    "This grade is of an earlier file or test: what was handed in last has not been graded yet.\n\n"
    "이 점수는 이전 파일이나 이전 테스트의 것입니다. 마지막에 제출한 것은 아직 채점되지 않았습니다."
)


def _take_in(folder: Path, lesson: str, papers: Papers, root: Path) -> Submission | Rejected:
    try:
        return take_in(folder, lesson, papers.releases, root)
    except OSError:  # this machine's fault, and perhaps a passing one
        return take_in(folder, lesson, papers.releases, root)


def _timestamp(folder: Path) -> datetime | None:
    """When it was handed in, as nbgrader's exchange noted it."""
    try:
        descriptor = os.open(folder / "timestamp.txt", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            found: datetime | None = parse_utc(file.read(_MAX_TIMESTAMP_BYTES).decode().strip())
            return found
    except (OSError, ValueError, OverflowError):
        return None


# --- Results ------------------------------------------------------------------------------------------------


def _result(
    entry: Entry,
    open_: _Open,
    report: Mapping[str, Any],
    cells: list[dict[str, Any]],
    flags: Iterable[str] = (),
) -> dict[str, Any]:
    """Everything that the gradebook and the folders are made from.

    Beside what `grade --json` shows: for each task nbgrader's name of its graded `cell`, its automatic
    score (`auto`, None if a person has to grade) and a hash of the `answer`; `cells`, what the student's
    cells printed; `comments`, by the answer's grade_id.
    """
    taken = open_.taken
    known = {task.id: task for task in tasks(open_.papers.source)}
    comments = {}
    rows = []
    for row in report["tasks"]:
        task = known[row["id"]]
        answer = taken.answers.get(task.id, "") if taken else ""
        idle = taken is not None and answer.strip() in ("", _stub(open_.papers, task.id))
        auto = 0.0 if taken is None or idle else None
        if task.test is not None:
            auto = row["points"]
        if taken is None:
            comments[task.id] = row["message"]
        elif idle:
            comments[task.id] = NO_RESPONSE
        rows.append({**row, "cell": _graded_cell(task), "auto": auto, "answer": _hash(answer)})
    notes = taken.notes if taken else []
    mine = {"student": entry.student, "flags": [*flags, *notes], "comments": comments, "cells": cells}
    return {**report, **mine, "tasks": rows}


def _everywhere(papers: Papers, outcome: str, message: str) -> dict[str, Any]:
    """The report of a submission that met the same fate in every task; see `Exam.everywhere`."""
    rows = [
        {"id": task.id, "points": 0.0, "max_points": task.points, "outcome": outcome, "message": message}
        for task in tasks(papers.source)
    ]
    best = sum(task.points for task in tasks(papers.source))
    timed = [{**row, "seconds": 0.0} for row in rows]
    return {"lesson": papers.lesson, "score": 0.0, "max_score": best, "tasks": timed}


def _public(result: Mapping[str, Any]) -> dict[str, Any]:
    shown = ("id", "points", "max_points", "outcome", "message", "seconds")
    rows = [{name: task[name] for name in shown} for task in result["tasks"]]
    whole = {name: result[name] for name in ("student", "lesson", "score", "max_score")}
    return {**whole, "tasks": rows, "flags": list(result["flags"])}


def _graded_cell(task: Task) -> str:
    return task.id if task.test is None else grade_id(task.test)


def _stub(papers: Papers, task: str) -> str:
    cells = next(iter(papers.releases.values())).cells
    return next((cell.source.strip() for cell in cells if grade_id(cell) == task), "")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _key(taken: Submission | Rejected, papers: Papers) -> str:
    """A hash of all that a result comes from: the file, the tests, and the grader."""
    file = ["rejected", taken.reason, taken.en] if isinstance(taken, Rejected) else ["file", taken.digest]
    return _hash(json.dumps([file, papers.digest, grader_version()]))


@cache
def grader_version() -> str:
    """A hash of the code that decides: ours, and torch's version."""
    found = hashlib.sha256(importlib.metadata.version("torch").encode())
    for package in (autograder, secant):
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


@contextlib.contextmanager
def _secret(root: Path) -> Iterator[bytes]:
    """The course's secret, made at the first use. Whoever holds it is the one run that may write."""
    path = root / SECRET
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CourseError(f"Another `autograder grade` is busy in {root}; wait for it to end.") from None
        found = file.read()
        if len(found) < 32:
            found = secrets.token_bytes(32)
            file.seek(0)
            file.write(found)
            file.flush()
            os.fsync(descriptor)
        yield found
