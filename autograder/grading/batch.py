"""Grading a class: submitted/ in; nbgrader's gradebook, autograded/ and feedback/ out.

For every submission: the intake reads it here, a worker examines it inside its wall, and this process, the
only one that writes, enters the result in one transaction and then rewrites the two folders from it. So a
run that is cut short at any moment can be run again, and grades nothing twice: a result whose file, tests
and grader are still the same is kept, and only filed if that had been missed.

An older grade never stands as if it were of the new file. It is marked before the new file is graded, and
the mark goes when the new result is in: until then each of its cells waits for a person ("needs manual
grading" in formgrader), and the comment on each answer says why. If the new file cannot be read, the earlier
points leave the gradebook, and the comment says what they were.
"""

import contextlib
import copy
import json
import tempfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, Literal

from nbformat import NotebookNode, v4

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.cells import tasks
from autograder.course.clock import EXAMPLE
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson
from autograder.course.settings import Course
from autograder.course.solutions import WorkedSolution, worked_solutions
from autograder.exam import exposed
from autograder.exam.report import Outcome, Report, everywhere
from autograder.gradebook.book import STALE, Book
from autograder.gradebook.class_list import Listed, class_list, students
from autograder.gradebook.current import find_now, given, key_of
from autograder.gradebook.entered import Entered
from autograder.gradebook.entries import Entry
from autograder.gradebook.errors import GradebookBusy, reason
from autograder.gradebook.records import Kept
from autograder.gradebook.result import Result, graded, sha256
from autograder.gradebook.tasks import register
from autograder.grading.beside import beside
from autograder.grading.feedback import (
    Pages,
    as_text,
    bare,
    graded_notebook,
    page_head,
    placed,
    replace_folder,
)
from autograder.grading.secret import course_secret
from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, valid_student_id
from autograder.intake.submission import Rejected, Submission
from autograder.intake.take_in import Found, understand
from autograder.intake.timestamp import handed_in
from autograder.page.pictures import show_pictures, submitted_pictures
from autograder.sandbox.results import WallUnavailable
from autograder.workers.executors import Workers, run
from autograder.workers.jobs import Done, Examined, Failed, Job, NoWall, Page, Rendered
from autograder.workers.worker import work
from secant.language import Language
from secant.visible import visible


class Results(MutableMapping[Entry, Result]):
    """What was found, by submission: what `grade --json` shows of it, since a class may be large.

    Attributes:
        missing: the packages that a submission imports and that are not installed where it ran.
    """

    def __init__(self) -> None:
        self._packed: dict[Entry, bytes] = {}
        self.missing: dict[Entry, set[str]] = {}

    def __setitem__(self, entry: Entry, result: Result) -> None:
        if packages := result.missing_packages:
            self.missing[entry] = packages
        shown = replace(result, comments={}, cells=())
        self._packed[entry] = zlib.compress(json.dumps(shown.as_json()).encode(), 1)

    def __getitem__(self, entry: Entry) -> Result:
        return Result.from_json(json.loads(zlib.decompress(self._packed[entry])))

    def __delitem__(self, entry: Entry) -> None:
        del self._packed[entry]
        self.missing.pop(entry, None)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


@dataclass
class Summary:
    """What a run came to.

    Attributes:
        results: by submission, in order; those that could not be graded included.
        done: how many are over and done with, one way or another.
        kept: how many of them were found graded already.
        unread: how many of those could not be read, and wait for a person.
        pages: of how many of those the page was made anew.
        failed: those that could not be graded, and why.
        before: the gradebook's students when the run began.
        students: the gradebook's, at the end.
        walls: the kinds of wall that were used; "single" is the slow one.
        unclear_times: the submissions by what is unclear about their times.
        late: what is said about each submission that has lost points for being late.
    """

    results: Results = field(default_factory=Results)
    done: int = 0
    kept: int = 0
    unread: int = 0
    pages: int = 0
    failed: dict[Entry, str] = field(default_factory=dict)
    before: Sequence[Listed] = ()
    students: Sequence[str] = ()
    walls: set[str] = field(default_factory=set)
    unclear_times: dict[str, list[Entry]] = field(default_factory=dict)
    late: dict[Entry, str] = field(default_factory=dict)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The public form of `grade --json`, one at a time."""
        for entry in sorted(self.results, key=str):
            yield self.results[entry].public()

    def as_json(self) -> list[dict[str, Any]]:
        """The public form of `grade --json`."""
        return list(self.rows())


Tell = Callable[[Entry, str], None]


def grade(
    course: Course,
    entries: Iterable[Entry],
    workers: Workers,
    *,
    force: bool = False,
    tell: Tell = lambda entry, text: None,
) -> Summary:
    """Grade submissions. What has been written stays, however this ends.

    Args:
        course: the course directory.
        entries: the submissions.
        workers: who examines them.
        force: grade also what has been graded before.
        tell: called with what staff should know at once; with an empty text when a submission is done.

    Raises:
        CourseError: a lesson is not built, another run is busy in this course, or nothing can be written.
        WallUnavailable: a worker cannot build a wall.
    """
    return _run(course, entries, workers, tell, force, pages_alone=False)


def make_pages(
    course: Course,
    entries: Iterable[Entry],
    workers: Workers,
    *,
    force: bool = False,
    tell: Tell = lambda entry, text: None,
) -> Summary:
    """Make again the feedback pages that are older than what the gradebook says. No student's code runs.

    Args:
        course, entries, workers, tell: as for `grade`. What was not graded since it was handed in fails.
        force: make all of them.

    Raises:
        CourseError: as `grade`.
    """
    return _run(course, entries, workers, tell, force, pages_alone=True)


def _run(
    course: Course, entries: Iterable[Entry], workers: Workers, tell: Tell, force: bool, pages_alone: bool
) -> Summary:
    _refuse_unwritable(course)
    with course_secret(course.root) as secret, Book(course.directory, course.config) as book:
        batch = _Batch(course, book, secret, entries, tell, force, pages_alone)
        with contextlib.suppress(GradebookBusy):  # nobody is a stranger then
            batch.summary.before = class_list(book)
        for job, found in run(work, batch.next_job, workers):
            batch.receive(job, found)
        batch.note_filed()
        with contextlib.suppress(GradebookBusy):  # nobody is listed then, and nothing is lost
            batch.summary.students = students(book)
        return batch.summary


def _refuse_unwritable(course: Course) -> None:
    """See at once that the folders can be written."""
    for name in (course.directory.autograded_directory, course.directory.feedback_directory):
        folder = course.root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise CourseError(
                f"{folder} cannot be written to: {error.strerror}. Nothing was graded."
            ) from None


# --- One submission after another ------------------------------------------------------------

_AHEAD = 50  # submissions whose records are looked up together, or noted


@dataclass(frozen=True)
class _Open:
    """A submission that is being graded.

    Attributes:
        secrets: what nobody may quote of the lesson.
    """

    assignment: Assignment
    secrets: exposed.Lesson
    found: Found | Rejected
    timestamp: datetime | None

    @cached_property
    def key(self) -> str:
        """A hash of all that a result comes from."""
        return key_of(self.found, self.assignment)

    @cached_property
    def taken(self) -> Submission | Rejected:
        """What the intake makes of the file; not asked for what was graded before."""
        if isinstance(self.found, Rejected):
            return self.found
        files = (self.found, *self.found.others)
        quoted = dict.fromkeys(task for file in files for task in self.secrets.hidden_tests_in(file.data))
        if quoted:
            return _held(list(quoted))
        return understand(self.found, self.assignment.lesson, self.assignment.releases)

    @property
    def submission(self) -> Submission | None:
        """What can be graded, if anything."""
        return self.taken if isinstance(self.taken, Submission) else None


class _Batch:
    """One run: submissions come in and results are written."""

    def __init__(
        self,
        course: Course,
        book: Book,
        secret: bytes,
        entries: Iterable[Entry],
        tell: Tell,
        force: bool,
        pages_alone: bool,
    ) -> None:
        self.summary = Summary()
        self._course = course
        self._book = book
        self._pages = Pages(course.directory, course.config)
        self._secret = secret
        self._entries = iter(entries)
        self._coming: deque[Entry] = deque()
        self._kept: dict[tuple[str, str], Kept] | None = None  # of the coming ones; None: not looked up
        self._force = force
        self._pages_alone = pages_alone
        self._tell = tell
        self._assignments: dict[str, Assignment] = {}
        self._sources: dict[str, str] = {}  # of each lesson, for the workers
        self._secrets: dict[str, exposed.Lesson] = {}
        self._solutions: dict[str, dict[str, WorkedSolution]] = {}  # of each lesson, by task
        self._released = course.released_solutions()
        self._open: dict[Entry, _Open] = {}
        self._shown: dict[Entry, str] = {}  # fingerprints of what pages that are being made show
        self._filed: dict[tuple[str, str], str] = {}  # written, and not noted yet
        self._illustrated: dict[Entry, NotebookNode] = {}  # notebooks whose pictures are being decoded
        self._due: deque[Job | Page] = deque()

    def next_job(self) -> Job | Page | None:
        """Return what can be done now, taking in submissions until there is something."""
        while not self._due:
            if not self._coming:
                self._coming.extend(islice(self._entries, _AHEAD))
                self._kept = None
            if not self._coming:
                return None
            entry = self._coming.popleft()
            assignment = self._lesson(entry.lesson)
            with self._survived(entry, assignment):
                self._begin(entry, assignment)
        return self._due.popleft()

    def receive(self, job: Job | Page, done: Done) -> None:
        """Write what came of a job."""
        if isinstance(done, NoWall):
            raise WallUnavailable(done.reason, done.fix)
        entry = Entry(job.student, job.lesson)
        open_ = self._open[entry]
        with self._survived(entry, open_.assignment):
            match done:
                case Failed(why) if isinstance(job, Page) and not job.bare:
                    self._tell(
                        entry,
                        f"the page is without the student's cells, since it fails with them: {why}",
                    )
                    self._due.appendleft(bare(job))
                case Failed(why):
                    raise _Failure(why)
                case Rendered(html, pictures):
                    self._write_illustrated(entry, open_, pictures)
                    self._close(entry, html)
                case Examined(report, wall):
                    assert open_.submission is not None
                    self.summary.walls.add(wall)
                    self._finish(entry, open_, self._graded(entry, open_, report))

    def _graded(
        self,
        entry: Entry,
        open_: _Open,
        report: Report,
        flags: Sequence[str] = (),
        earlier: Language | None = None,
    ) -> Result:
        submission, known = open_.submission, tasks(open_.assignment.source)
        cells = placed(submission, report.cells) if submission else ()
        return graded(entry.student, report, known, submission, cells, flags, earlier)

    def _lesson(self, name: str) -> Assignment:
        if name not in self._assignments:
            assignment = read_assignment(self._course.root, name, self._course.directory.source_directory)
            register(self._book, assignment)
            self._assignments[name] = assignment
            self._sources[name] = v4.writes(assignment.source)
            self._secrets[name] = exposed.Lesson(name, assignment.source)
            lesson = Lesson(name, self._course.root / "course" / name)
            self._solutions[name] = worked_solutions(lesson, assignment.source)
        return self._assignments[name]

    def _begin(self, entry: Entry, assignment: Assignment) -> None:
        """Take in a submission, and see what has to be done for it."""
        if not valid_student_id(entry.student):
            return self._turn_away(entry, assignment)
        folder = self._course.folder("submitted", *entry)
        found = find_now(self._course, entry)
        time = handed_in(folder, self._course.submitted, self._course.clock)
        if time.problem:
            zone = "" if self._course.clock.is_set else _SET_ZONE
            self.summary.unclear_times.setdefault(_UNCLEAR.format(time.problem, zone), []).append(entry)
        open_ = self._open[entry] = _Open(assignment, self._secrets[entry.lesson], found, time.when)
        if (self._pages_alone or not self._force) and self._keep(entry, open_):
            self.summary.unread += self.summary.results[entry].is_unread
            return None
        if self._pages_alone:
            return self._ungraded(entry)
        self._book.mark_stale(entry.student, entry.lesson, STALE)
        taken = open_.taken
        if isinstance(taken, Rejected):
            message = f"{taken.en}\n{taken.ko}"  # for whoever has to settle it
            report = everywhere(entry.lesson, tasks(assignment.source), "rejected", message)
            flags = [f"rejected:{taken.reason}"]
            before = self._book.kept([entry]).get(entry)  # in whose language the page is
            earlier = before.result.language if before else None
            result = self._graded(entry, open_, report, flags, earlier)
            return self._finish(entry, open_, result.after(self._book.earlier(*entry, open_.key)))
        job = Job(
            student=entry.student,
            lesson=entry.lesson,
            source=self._sources[entry.lesson],
            script=taken.script,
            secret=self._secret,
            hidden=self._course.hidden,
        )
        self._due.append(job)
        return None

    def _ungraded(self, entry: Entry) -> None:
        """List a submission whose page would be of an earlier one, or of nothing."""
        why = "the submission, its tests or the grader has changed since it was graded"
        self.summary.failed[entry] = why
        self._tell(entry, f"no page was made: {why}\n{_GRADE.format(*entry)}")
        self._over(entry)

    def _keep(self, entry: Entry, open_: _Open) -> bool:
        """Whether this has been graded already; if so, see that gradebook and folders say so."""
        if self._kept is None:
            known = [ahead for ahead in (entry, *self._coming) if valid_student_id(ahead.student)]
            self._kept = self._book.kept(known)
        kept = self._kept.pop(entry, None)
        if kept is None or kept.key != open_.key:
            return False
        self.summary.kept += 1
        if kept.stale or kept.timestamp != open_.timestamp:
            # Another file was handed in and is gone again, or the same one was handed in again.
            self.summary.pages += 1
            self._finish(entry, open_, _placed_anew(kept.result, open_))
            return True
        kept = self._book.renew_penalty(*entry, kept)
        self.summary.results[entry] = kept.result.entered(kept.entered.scores, kept.entered.waiting)
        self._note_penalty(entry, kept.entered)
        filed = kept.filed and self._is_filed(entry)
        if filed and kept.page == self._says(entry, kept.entered) and not self._force:
            self._over(entry)
        else:
            self.summary.pages += 1
            self._file(entry, open_, _placed_anew(kept.result, open_), page_alone=filed)
        return True

    def _says(self, entry: Entry, entered: Entered) -> str:
        """The fingerprint of what a page says: the gradebook's words and, if released, the solutions."""
        said = entered.fingerprint
        if entered.late:
            said = sha256(f"{said} {self._course.clock.show(*entered.late)}")
        return sha256(f"{said} and the solutions") if entry.lesson in self._released else said

    def _note_penalty(self, entry: Entry, entered: Entered) -> None:
        """Note for the table of the run's end that points were taken off."""
        if entered.penalty:
            times = self._course.clock.show(*entered.late) if entered.late else None
            said = f"{entered.penalty:g} of {entered.score:g} points"
            self.summary.late[entry] = f"{said}: handed in {times[0]}, due {times[1]}" if times else said

    def _is_filed(self, entry: Entry) -> bool:
        page = self._course.folder("feedback", *entry)
        files = (f"{entry.lesson}.html", TIMESTAMP, EXCHANGE_SECRET)
        notebook = self._course.folder("autograded", *entry) / f"{entry.lesson}.ipynb"
        return notebook.is_file() and all((page / name).is_file() for name in files)

    def _finish(self, entry: Entry, open_: _Open, result: Result) -> None:
        """Enter a result. From here on it stands; the folders can be made from it at any time."""
        self._book.write(*entry, open_.key, result, open_.timestamp, self._filed)
        self._filed = {}
        self.summary.results[entry] = result
        if result.flags:
            self._tell(entry, ", ".join(result.flags))
        self._file(entry, open_, result)

    def _file(self, entry: Entry, open_: _Open, result: Result, page_alone: bool = False) -> None:
        """Write the notebook that formgrader shows, and have the student's page made."""
        solutions = self._solutions[entry.lesson]
        words = {task: worked.words for task, worked in solutions.items()}
        notebook = graded_notebook(open_.assignment, open_.submission, result, words)
        if not page_alone and submitted_pictures(
            notebook.cells
        ):  # which nobody may open before they are decoded
            self._illustrated[entry] = copy.deepcopy(notebook)
        elif not page_alone:
            self._write_notebook(entry, notebook)
        entered = self._book.entered(*entry)
        self._shown[entry] = self._says(entry, entered)
        self.summary.results[entry] = result.entered(entered.scores, entered.waiting)
        self._note_penalty(entry, entered)
        released = entry.lesson in self._released
        times = self._course.clock.show(*entered.late) if entered.late else None
        head = page_head(open_.assignment, open_.taken, result, entered, solutions, released, times)
        self._due.appendleft(self._pages.page(notebook, entered, head, *entry))

    def _write_illustrated(
        self, entry: Entry, open_: _Open, pictures: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Write the notebook that waits for the pictures of its notes, if it does."""
        notebook = self._illustrated.pop(entry, None)
        if notebook is not None and open_.submission is not None:
            show_pictures(notebook.cells, pictures, open_.submission.language)
            self._write_notebook(entry, notebook)

    def _write_notebook(self, entry: Entry, notebook: NotebookNode) -> None:
        """Write the notebook that formgrader shows, with what goes beside it."""
        left_out = self._replace("autograded", entry, {f"{entry.lesson}.ipynb": as_text(notebook)})
        if left_out:
            self._tell(entry, _LEFT_OUT.format(left_out))

    def _close(self, entry: Entry, page: str) -> None:
        """Write the student's page, which is the last thing to be done."""
        self._replace("feedback", entry, {f"{entry.lesson}.html": page})
        self._filed[entry] = self._shown[entry]
        if len(self._filed) == _AHEAD:
            self.note_filed()
        self._over(entry)

    def note_filed(self) -> None:
        """Note of whom the folders are written, unless the next result brings the note along."""
        filed, self._filed = self._filed, {}
        with contextlib.suppress(GradebookBusy):  # then the next run writes them again
            self._book.mark_filed(filed)

    def _replace(
        self, step: Literal["autograded", "feedback"], entry: Entry, files: Mapping[str, str]
    ) -> int:
        """Write a folder; return how many of the student's own files beside the notebook are not in it."""
        settings, root = self._course.directory, self._course.submitted
        folder, when = self._course.folder("submitted", *entry), self._open[entry].timestamp
        more = beside(folder, root, entry.student, when, self._secret, settings.ignore)
        secrets = self._secrets[entry.lesson]
        safe = {path: data for path, data in more.side_files.items() if not secrets.hidden_tests_in(data)}
        more = replace(more, side_files=safe, left_out=more.left_out + len(more.side_files) - len(safe))
        ours, mode = given(self._course, entry.lesson), 0o444 if step == "autograded" else 0o644  # nbgrader's
        replace_folder(self._course.folder(step, *entry), files, more, ours, mode, settings.groupshared)
        return more.left_out

    def _turn_away(self, entry: Entry, assignment: Assignment) -> None:
        """List a folder whose name is no student id; neither gradebook nor folders may have such a name."""
        shown = visible(entry.student)[:100]
        message = (
            "The folder's name is not a student id: letters, digits and _.@- only, 64 at most. Rename it."
        )
        self._note_everywhere(entry, assignment, "rejected", message, "odd_student_id", shown)
        if self._pages_alone:  # a grading lists it as unread
            self.summary.failed[entry] = message
        self._tell(Entry(shown, entry.lesson), message)
        self._over(entry)

    def _note_everywhere(
        self,
        entry: Entry,
        assignment: Assignment,
        outcome: Outcome,
        message: str,
        flag: str,
        student: str = "",
    ) -> None:
        """List a submission whose result goes nowhere else."""
        known = tasks(assignment.source)
        report = everywhere(entry.lesson, known, outcome, message)
        self.summary.results[entry] = graded(student or entry.student, report, known, None, flags=[flag])

    def _over(self, entry: Entry) -> None:
        self._open.pop(entry, None)
        self._shown.pop(entry, None)
        self._illustrated.pop(entry, None)
        self.summary.done += 1
        self._tell(entry, "")

    @contextlib.contextmanager
    def _survived(self, entry: Entry, assignment: Assignment) -> Iterator[None]:
        """Go on with the batch whatever happens to one submission, and say what happened."""
        try:
            yield
        except (CourseError, WallUnavailable):
            raise
        except Exception as error:
            known = isinstance(error, _Failure | GradebookBusy)
            why = reason(error) if known else f"{type(error).__name__}: {reason(error)}"
            self.summary.failed[entry] = why
            if entry in self.summary.results:
                self._tell(entry, f"graded, but its folders could not be written: {why}")
            else:
                self._tell(entry, f"not graded: {why}\n{_TO_DO.format(*entry)}")
                message = "The grader failed. This says nothing about the answer."
                self._note_everywhere(entry, assignment, "grader_failure", message, "grader_failure")
                with contextlib.suppress(GradebookBusy):  # it was marked when its grading began
                    self._book.mark_stale(*entry, STALE)
            self._over(entry)


class _Failure(Exception):
    """A worker could not grade a submission."""


_GRADE = "Grade it: `autograder grade {1} --student {0}`"
_TO_DO = "See what `autograder doctor` says, then grade it again: `autograder grade {1} --student {0}`"
_UNCLEAR = (
    f"{TIMESTAMP}: {{}}. It counts as handed in on time. Write a time such as {EXAMPLE} into the file{{}}."
)
_SET_ZONE = ", or set c.Exchange.timezone to the zone of your class"
_LEFT_OUT = "files beside the notebook that were not copied (links, too many, too large): {}"


def _held(tasks: Sequence[str]) -> Rejected:
    """Return why a file that quotes hidden tests waits for a person: no release has them."""
    names = ", ".join(tasks)
    return Rejected(
        "hidden_tests",
        en=f"The file contains lines of hidden tests ({names}), which the notebook that students get does "
        "not have. It is not graded until a person has looked at it.",
        ko=f"학생에게 준 노트북에는 없는 숨은 테스트의 코드가 파일에 들어 있습니다({names}). "
        "사람이 확인하기 전에는 채점하지 않습니다.",
    )


def _placed_anew(result: Result, open_: _Open) -> Result:
    """Put what the cells printed where they stand now: the lesson's prose may have changed since."""
    submission = open_.submission
    if submission is None:
        return result
    return replace(result, cells=placed(submission, [printed.cell for printed in result.cells]))
