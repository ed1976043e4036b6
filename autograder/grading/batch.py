"""Grade a class: read submitted/, and write nbgrader's gradebook, autograded/ and feedback/.

For every submission, the intake reads the file in this process, and a worker examines it inside its wall.
Then this process, the only one that writes, enters the result in one transaction and rewrites the two folders
from it. So a run that was interrupted at any moment can be repeated without grading anything twice. A result
is kept if its file, tests and grader are unchanged, and its folders are written if they are missing.

An older grade must never look like the grade of a newer file. It is marked before the new file is graded, and
the mark is removed when the new result is entered. Until then, formgrader shows that each cell needs manual
grading, and the comment on each answer gives the reason. If the new file cannot be read, the earlier points
are removed from the gradebook, and the comment states them.
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
from itertools import islice
from typing import Any, Literal

from nbformat import NotebookNode

from autograder.course.clock import EXAMPLE
from autograder.course.errors import CourseError
from autograder.course.plain import Unsupported, is_plain
from autograder.course.settings import Course
from autograder.gradebook.book import STALE, Book
from autograder.gradebook.class_list import Listed, class_list, students
from autograder.gradebook.current import given
from autograder.gradebook.entered import Entered
from autograder.gradebook.entries import Entry
from autograder.gradebook.errors import GradebookBusy, reason
from autograder.gradebook.records import Kept
from autograder.gradebook.result import Result, sha256
from autograder.grading.assigned import Assigned, Taken
from autograder.grading.beside import beside
from autograder.grading.feedback import Pages, as_text, bare, replace_folder
from autograder.grading.lessons import GradedLesson
from autograder.grading.plain import GradedPlain
from autograder.grading.secret import course_secret
from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, valid_student_id
from autograder.intake.timestamp import submission_time
from autograder.page.pictures import show_pictures, submitted_pictures
from autograder.sandbox.results import WallUnavailable
from autograder.workers.executors import Workers, run
from autograder.workers.jobs import Done, Examined, ExaminedPlain, Failed, NoWall, Page, Rendered, Work
from autograder.workers.worker import work
from secant.visible import visible


class Results(MutableMapping[Entry, Result]):
    """The results by submission, compressed and without comments and outputs, since a class may be large.

    `grade --json` needs only the parts that remain.

    Attributes:
        missing: the packages that each submission imports but that are not installed where it ran.
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
    """The outcome of a grading run.

    Attributes:
        results: the results by submission, including those that could not be graded.
        done: the number of submissions that are finished, with or without success.
        kept: the number of submissions that had been graded before.
        unread: the number of previously graded submissions that could not be read and need a person.
        pages: the number of previously graded submissions with a new page.
        failed: the reason for each submission that could not be graded or filed.
        refused: the submissions of assignments that cannot be graded at all, by reason.
        before: the students in the gradebook when the run began.
        students: the ids of the students in the gradebook at the end.
        walls: the kinds of wall that were used; "single" is the slow one.
        notices: messages about the wall, in order and without duplicates.
        unclear_times: the submissions with an unclear time, by the description of the problem.
        late: for each submission with a late penalty, a description of the penalty.
    """

    results: Results = field(default_factory=Results)
    done: int = 0
    kept: int = 0
    unread: int = 0
    pages: int = 0
    failed: dict[Entry, str] = field(default_factory=dict)
    refused: dict[str, list[Entry]] = field(default_factory=dict)
    before: Sequence[Listed] = ()
    students: Sequence[str] = ()
    walls: set[str] = field(default_factory=set)
    notices: dict[str, None] = field(default_factory=dict)
    unclear_times: dict[str, list[Entry]] = field(default_factory=dict)
    late: dict[Entry, str] = field(default_factory=dict)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the results in the public form of `grade --json`, one at a time."""
        for entry in sorted(self.results, key=str):
            yield self.results[entry].public()

    def as_json(self) -> list[dict[str, Any]]:
        """Return the results in the public form of `grade --json`."""
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
    """Grade submissions. Everything written so far stays, even if the run is interrupted.

    Args:
        course: the course directory.
        entries: the submissions.
        workers: the workers that examine the submissions.
        force: grade submissions again even if their results are up to date.
        tell: called with messages that staff should see at once, and with "" when a submission is done.

    Raises:
        CourseError: if a lesson is not built, another run is active in this course, or writing fails.
        WallUnavailable: if a worker cannot build a wall.
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
    """Remake the feedback pages that do not match the gradebook, without running any student's code.

    Args:
        course, entries, workers, tell: see `grade`. A submission that changed after grading fails.
        force: remake all pages.

    Raises:
        CourseError: see `grade`.
    """
    return _run(course, entries, workers, tell, force, pages_alone=True)


def _run(
    course: Course, entries: Iterable[Entry], workers: Workers, tell: Tell, force: bool, pages_alone: bool
) -> Summary:
    _refuse_unwritable(course)
    with course_secret(course.root) as secret, Book(course.directory, course.config) as book:
        batch = _Batch(course, book, secret, entries, tell, force, pages_alone)
        with contextlib.suppress(GradebookBusy):  # Without the class list, no student is reported as unknown.
            batch.summary.before = class_list(book)
        for job, reply in run(work, batch.next_job, workers):
            batch.receive(job, reply)
        batch.note_filed()
        if batch.summary.refused and not batch.summary.results:
            raise CourseError(next(iter(batch.summary.refused)))
        # Without the class list, the summary cannot name the students without a submission.
        with contextlib.suppress(GradebookBusy):
            batch.summary.students = students(book)
        return batch.summary


def _refuse_unwritable(course: Course) -> None:
    """Raise CourseError if autograded/ or feedback/ cannot be written, before any grading starts."""
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

_AHEAD = 50  # number of submissions whose records are read or updated together


@dataclass(frozen=True)
class _Open:
    """A submission that is being graded.

    Attributes:
        assigned: the assignment.
        taken: the submission as read by the intake.
        timestamp: the time of submission; None if unknown.
        pages: the finished pages, by the notebook's name.
        illustrated: notebooks with pictures that are not decoded yet, by name.
    """

    assigned: Assigned
    taken: Taken
    timestamp: datetime | None
    pages: dict[str, str] = field(default_factory=dict)
    illustrated: dict[str, NotebookNode] = field(default_factory=dict)


class _Batch:
    """One grading run, from reading the submissions to writing the results."""

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
        # The stored results of the submissions in _coming; None until they are looked up.
        self._kept: dict[tuple[str, str], Kept] | None = None
        self._force = force
        self._pages_alone = pages_alone
        self._tell = tell
        self._assignments: dict[str, Assigned] = {}
        self._released = course.released_solutions()
        self._open: dict[Entry, _Open] = {}
        self._shown: dict[Entry, str] = {}  # fingerprints of the entries shown by pages that are being made
        # Submissions whose folders are written but not yet recorded as such.
        self._filed: dict[tuple[str, str], str] = {}
        self._due: deque[Work] = deque()

    def next_job(self) -> Work | None:
        """Return the next job for a worker, reading submissions until there is one; None at the end."""
        while not self._due:
            if not self._coming:
                self._coming.extend(islice(self._entries, _AHEAD))
                self._kept = None
            if not self._coming:
                return None
            entry = self._coming.popleft()
            try:
                assigned = self._assigned(entry.lesson)
            # The error concerns only this assignment; the others are still graded.
            except Unsupported as error:
                self._refuse(entry, str(error))
                continue
            with self._reporting_errors(entry, assigned):
                self._begin(entry, assigned)
        return self._due.popleft()

    def receive(self, job: Work, done: Done) -> None:
        """Process a worker's reply to a job: write its result, or start the next step."""
        if isinstance(done, NoWall):
            raise WallUnavailable(done.reason, done.fix)
        entry = Entry(job.student, job.lesson)
        open_ = self._open.get(entry)
        if open_ is None:  # An error in another page of this submission has already closed it.
            return
        with self._reporting_errors(entry, open_.assigned):
            match done:
                case Failed(why) if isinstance(job, Page) and not job.bare:
                    self._tell(
                        entry,
                        f"the page is without the student's cells, since it fails with them: {why}",
                    )
                    self._due.appendleft(bare(job))
                case Failed(why):
                    raise _Failure(why)
                case Rendered(html, pictures) if isinstance(job, Page):
                    self._receive_page(entry, open_, job.name, html, pictures)
                case Examined(report, wall) | ExaminedPlain(report, wall):
                    self.summary.walls.add(wall)
                    if isinstance(done, ExaminedPlain):
                        self.summary.notices.update(dict.fromkeys(done.notices))
                    self._finish(entry, open_, open_.taken.result(report))

    def _refuse(self, entry: Entry, why: str) -> None:
        """Add a submission to the summary's list of those whose assignment cannot be graded."""
        self.summary.refused.setdefault(why, []).append(entry)
        self.summary.done += 1
        self._tell(entry, "")

    def _assigned(self, name: str) -> Assigned:
        if name not in self._assignments:
            course, book = self._course, self._book
            if is_plain(course.root, name, course.directory.source_directory):
                self._assignments[name] = GradedPlain(course, book, name)
            else:
                shows = name in self._released
                self._assignments[name] = GradedLesson(course, book, self._secret, name, shows)
        return self._assignments[name]

    def _begin(self, entry: Entry, assigned: Assigned) -> None:
        """Read a submission, and decide what has to be done for it."""
        if not valid_student_id(entry.student):
            return self._reject_student_id(entry, assigned)
        folder = self._course.folder("submitted", *entry)
        taken = assigned.take(entry)
        time = submission_time(folder, self._course.submitted, self._course.clock)
        if time.problem:
            zone = "" if self._course.clock.is_set else _SET_ZONE
            self.summary.unclear_times.setdefault(_UNCLEAR.format(time.problem, zone), []).append(entry)
        open_ = self._open[entry] = _Open(assigned, taken, time.when)
        if (self._pages_alone or not self._force) and self._reuse_result(entry, open_):
            self.summary.unread += self.summary.results[entry].is_unread
            return None
        if self._pages_alone:
            return self._ungraded(entry)
        self._book.mark_stale(entry.student, entry.lesson, STALE)
        if taken.rejected is not None:
            # The page uses the language of the stored result.
            previous = self._book.kept([entry]).get(entry)
            result = taken.refused(previous.result.language if previous else None)
            return self._finish(entry, open_, result.after(self._book.earlier(*entry, taken.key)))
        self._due.append(taken.job())
        return None

    def _ungraded(self, entry: Entry) -> None:
        """Report that no page can be made for a submission because it has no current result."""
        why = "the submission, its tests or the grader has changed since it was graded"
        self.summary.failed[entry] = why
        self._tell(entry, f"no page was made: {why}\n{_GRADE.format(*entry)}")
        self._mark_done(entry)

    def _reuse_result(self, entry: Entry, open_: _Open) -> bool:
        """Return whether the submission has a current result; if so, update its penalty, folders and page."""
        if self._kept is None:
            known = [ahead for ahead in (entry, *self._coming) if valid_student_id(ahead.student)]
            self._kept = self._book.kept(known)
        kept = self._kept.pop(entry, None)
        if kept is None or kept.key != open_.taken.key:
            return False
        self.summary.kept += 1
        if kept.stale or kept.timestamp != open_.timestamp:
            # Either the file was replaced and then restored, or the same file was submitted again.
            self.summary.pages += 1
            self._finish(entry, open_, open_.taken.placed(kept.result))
            return True
        kept = self._book.renew_penalty(*entry, kept)
        self.summary.results[entry] = kept.result.entered(kept.entered.scores, kept.entered.waiting)
        self._note_penalty(entry, kept.entered)
        filed = kept.filed and self._is_filed(entry, open_)
        if filed and kept.page == self._page_fingerprint(entry, kept.entered) and not self._force:
            self._mark_done(entry)
        else:
            self.summary.pages += 1
            self._file(entry, open_, open_.taken.placed(kept.result), page_alone=filed)
        return True

    def _page_fingerprint(self, entry: Entry, entered: Entered) -> str:
        """Return the fingerprint of a page: of the gradebook's entries and, if released, the solutions."""
        fingerprint = entered.fingerprint
        if entered.late:
            fingerprint = sha256(f"{fingerprint} {self._course.clock.show(*entered.late)}")
        return sha256(f"{fingerprint} and the solutions") if entry.lesson in self._released else fingerprint

    def _note_penalty(self, entry: Entry, entered: Entered) -> None:
        """Record a late penalty for the table at the end of the run."""
        if entered.penalty:
            times = self._course.clock.show(*entered.late) if entered.late else None
            text = f"{entered.penalty:g} of {entered.score:g} points"
            self.summary.late[entry] = f"{text}: handed in {times[0]}, due {times[1]}" if times else text

    def _is_filed(self, entry: Entry, open_: _Open) -> bool:
        pages, notebooks = (self._course.folder(step, *entry) for step in ("feedback", "autograded"))
        names, absent = open_.assigned.notebooks, open_.taken.absent
        files = [pages / TIMESTAMP, pages / EXCHANGE_SECRET]
        files += [pages / f"{name or entry.lesson}.html" for name in names]
        files += [notebooks / f"{name or entry.lesson}.ipynb" for name in names if name not in absent]
        return all(file.is_file() for file in files)

    def _finish(self, entry: Entry, open_: _Open, result: Result) -> None:
        """Enter a result into the gradebook; from then on, the folders can be made from it at any time."""
        self._book.write(*entry, open_.taken.key, result, open_.timestamp, self._filed)
        self._filed = {}
        self.summary.results[entry] = result
        if result.flags:
            self._tell(entry, ", ".join(result.flags))
        self._file(entry, open_, result)

    def _file(self, entry: Entry, open_: _Open, result: Result, page_alone: bool = False) -> None:
        """Write the notebooks for formgrader, and queue the student's feedback pages."""
        notebooks = open_.taken.notebooks(result)
        if not page_alone and any(submitted_pictures(notebook.cells) for notebook in notebooks.values()):
            # Notebooks with undecoded pictures are written later: no reader may open a picture before it is
            # decoded.
            open_.illustrated.update(copy.deepcopy(dict(notebooks)))
        elif not page_alone:
            self._write_notebooks(entry, open_, notebooks)
        entered = self._book.entered(*entry)
        self._shown[entry] = self._page_fingerprint(entry, entered)
        self.summary.results[entry] = result.entered(entered.scores, entered.waiting)
        self._note_penalty(entry, entered)
        times = self._course.clock.show(*entered.late) if entered.late else None
        for name, notebook in reversed(list(notebooks.items())):
            own, shown = entered.of(name), open_.taken.shown(notebook)
            head = open_.taken.head(name, result, own, times)
            self._due.appendleft(self._pages.page(shown, own, head, *entry, name))

    def _receive_page(
        self, entry: Entry, open_: _Open, name: str, page: str, pictures: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Store a finished page; after the last one, write the folders that depend on it."""
        open_.pages[name] = page
        if name in open_.illustrated:
            show_pictures(open_.illustrated[name].cells, pictures, open_.taken.language)
        if len(open_.pages) < len(open_.assigned.notebooks):
            return
        if open_.illustrated:
            self._write_notebooks(entry, open_, open_.illustrated)
        self._close(entry, open_)

    def _write_notebooks(self, entry: Entry, open_: _Open, notebooks: Mapping[str, NotebookNode]) -> None:
        """Write the notebooks for formgrader, with their additional files."""
        submitted = {name: one for name, one in notebooks.items() if name not in open_.taken.absent}
        texts = {f"{name or entry.lesson}.ipynb": as_text(notebook) for name, notebook in submitted.items()}
        left_out = self._replace("autograded", entry, texts)
        if left_out:
            self._tell(entry, _LEFT_OUT.format(left_out))

    def _close(self, entry: Entry, open_: _Open) -> None:
        """Write the student's feedback pages, as the last step of grading the submission."""
        pages = {f"{name or entry.lesson}.html": page for name, page in open_.pages.items()}
        self._replace("feedback", entry, pages)
        self._filed[entry] = self._shown[entry]
        if len(self._filed) == _AHEAD:
            self.note_filed()
        self._mark_done(entry)

    def note_filed(self) -> None:
        """Record the folders written so far, unless `write` has recorded them with a result."""
        filed, self._filed = self._filed, {}
        # If the gradebook is busy, the next run writes these folders again.
        with contextlib.suppress(GradebookBusy):
            self._book.mark_filed(filed)

    def _replace(
        self, step: Literal["autograded", "feedback"], entry: Entry, files: Mapping[str, str]
    ) -> int:
        """Write a folder; return the number of the student's additional files that were left out."""
        settings, root = self._course.directory, self._course.submitted
        folder, when = self._course.folder("submitted", *entry), self._open[entry].timestamp
        additional = beside(folder, root, entry.student, when, self._secret, settings.ignore)
        is_secret = self._open[entry].assigned.is_secret
        safe = {path: data for path, data in additional.side_files.items() if not is_secret(data)}
        additional = replace(
            additional, side_files=safe, left_out=additional.left_out + len(additional.side_files) - len(safe)
        )
        # The two modes are those that nbgrader gives the files of these folders.
        course_files, mode = given(self._course, entry.lesson), 0o444 if step == "autograded" else 0o644
        replace_folder(
            self._course.folder(step, *entry), files, additional, course_files, mode, settings.groupshared
        )
        return additional.left_out

    def _reject_student_id(self, entry: Entry, assigned: Assigned) -> None:
        """Reject a folder with an invalid student id.

        The id must enter neither the gradebook nor the names of folders.
        """
        shown = visible(entry.student)[:100]
        message = (
            "The folder's name is not a student id: letters, digits and _.@- only, 64 at most. Rename it."
        )
        self.summary.results[entry] = assigned.everywhere(shown, "rejected", message, "odd_student_id")
        # `autograder feedback` lists the folder as failed; a grading run lists it as unread.
        if self._pages_alone:
            self.summary.failed[entry] = message
        self._tell(Entry(shown, entry.lesson), message)
        self._mark_done(entry)

    def _mark_done(self, entry: Entry) -> None:
        self._open.pop(entry, None)
        self._shown.pop(entry, None)
        self.summary.done += 1
        self._tell(entry, "")

    @contextlib.contextmanager
    def _reporting_errors(self, entry: Entry, assigned: Assigned) -> Iterator[None]:
        """Catch and report errors that concern one submission, so that the batch continues."""
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
                failed = assigned.everywhere(entry.student, "grader_failure", message, "grader_failure")
                self.summary.results[entry] = failed
                # If the gradebook is busy, the mark from the start of grading remains.
                with contextlib.suppress(GradebookBusy):
                    self._book.mark_stale(*entry, STALE)
            self._mark_done(entry)


class _Failure(Exception):
    """Raised if a worker could not grade a submission."""


_GRADE = "Grade it: `autograder grade {1} --student {0}`"
_TO_DO = "See what `autograder doctor` says, then grade it again: `autograder grade {1} --student {0}`"
_UNCLEAR = (
    f"{TIMESTAMP}: {{}}. It counts as handed in on time. Write a time such as {EXAMPLE} into the file{{}}."
)
_SET_ZONE = ", or set c.Exchange.timezone to the zone of your class"
_LEFT_OUT = "files beside the notebook that were not copied (links, too many, too large): {}"
