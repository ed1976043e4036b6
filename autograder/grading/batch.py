"""Grade a class: read submitted/, and write nbgrader's gradebook, autograded/ and feedback/.

For every submission, the intake reads the file in this process, and a worker examines it inside a sandbox
(the wall). Then this process, the only one that writes, enters the result in one transaction, and rewrites
the submission's folders in autograded/ and feedback/. Therefore, a run that was interrupted at any moment can
be repeated without grading anything twice. A result is reused if the file, the tests and the grader are
unchanged, and missing folders are written.

An older grade must never look like the grade of a newer file. It is marked as outdated before the new file is
graded, and it is unmarked when the new result is entered. Until then, formgrader shows that each cell needs
manual grading, and the comment on each answer gives the reason. If the new file cannot be read, the earlier
points are removed from the gradebook, and the comment states them.
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
from autograder.gradebook.class_list import ListedStudent, class_list, students
from autograder.gradebook.entries import Entry
from autograder.gradebook.errors import GradebookBusy, reason
from autograder.gradebook.freshness import source_folder
from autograder.gradebook.recorded_grades import RecordedGrades
from autograder.gradebook.records import StoredResult
from autograder.gradebook.result import Result, sha256
from autograder.grading.additional_files import AdditionalFiles, read_additional_files
from autograder.grading.feedback import Pages, as_text, bare_page, replace_folder
from autograder.grading.lessons import GradedLesson
from autograder.grading.plain import GradedPlain
from autograder.grading.protocols import GradedAssignment, GradedSubmission
from autograder.grading.secret import course_secret
from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, valid_student_id
from autograder.intake.timestamp import submission_time
from autograder.page.pictures import show_pictures, submitted_pictures
from autograder.sandbox.results import WallUnavailable
from autograder.workers.executors import Workers, run
from autograder.workers.jobs import AnyJob, Examined, ExaminedPlain, Failed, JobResult, NoWall, Page, Rendered
from autograder.workers.worker import work
from secant.visible import visible


class Results(MutableMapping[Entry, Result]):
    """A mapping from submissions to their results, which are compressed because a class may be large.

    Comments and outputs are left out to save memory; `grade --json` does not need them.

    Attributes:
        missing: for each submission, the imported packages that were not installed where the notebooks ran.
    """

    def __init__(self) -> None:
        self._compressed: dict[Entry, bytes] = {}
        self.missing: dict[Entry, set[str]] = {}

    def __setitem__(self, entry: Entry, result: Result) -> None:
        if packages := result.missing_packages:
            self.missing[entry] = packages
        compact_result = replace(result, comments={}, cells=())
        self._compressed[entry] = zlib.compress(compact_result.as_text().encode(), 1)

    def __getitem__(self, entry: Entry) -> Result:
        return Result.from_json(json.loads(zlib.decompress(self._compressed[entry])))

    def __delitem__(self, entry: Entry) -> None:
        del self._compressed[entry]
        self.missing.pop(entry, None)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._compressed)

    def __len__(self) -> int:
        return len(self._compressed)


@dataclass
class RunOutcome:
    """The outcome of a grading run.

    Attributes:
        results: the results, keyed by submission; submissions that could not be graded are included.
        done: the number of submissions that are finished, with or without success.
        graded_before: the number of submissions whose stored result from an earlier run was reused.
        unread: the number of reused results whose submissions could not be read and still need a person's
            attention.
        pages: the number of submissions with a stored result for which a new feedback page was made.
        failed: the reason why a submission could not be graded, or its folders could not be written; keyed by
            submission.
        refused: the submissions of assignments that cannot be graded at all, keyed by the reason.
        students_before: the students in the gradebook at the start of the run, as `ListedStudent` objects.
        students: the ids of the students in the gradebook at the end of the run.
        walls: the kinds of sandbox (wall) that were used; "single" is the slow kind.
        notices: messages about the sandbox (the wall), in the sequence in which they were received, without
            duplicates.
        unclear_times: the submissions whose time of submission is unclear, keyed by a description of the
            problem.
        late: for each submission with a late penalty, a description of the penalty.
    """

    results: Results = field(default_factory=Results)
    done: int = 0
    graded_before: int = 0
    unread: int = 0
    pages: int = 0
    failed: dict[Entry, str] = field(default_factory=dict)
    refused: dict[str, list[Entry]] = field(default_factory=dict)
    students_before: Sequence[ListedStudent] = ()
    students: Sequence[str] = ()
    walls: set[str] = field(default_factory=set)
    notices: dict[str, None] = field(default_factory=dict)
    unclear_times: dict[str, list[Entry]] = field(default_factory=dict)
    late: dict[Entry, str] = field(default_factory=dict)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the results in the public format of `grade --json`, one at a time."""
        for entry in sorted(self.results, key=str):
            yield self.results[entry].public()

    def as_json(self) -> list[dict[str, Any]]:
        """Return the results in the public format of `grade --json`."""
        return list(self.rows())


OnMessage = Callable[[Entry, str], None]


def grade(
    course: Course,
    entries: Iterable[Entry],
    workers: Workers,
    *,
    force: bool = False,
    on_message: OnMessage = lambda entry, text: None,
) -> RunOutcome:
    """Grade submissions. If the run is interrupted, everything written so far stays.

    Args:
        course: the course directory.
        entries: the submissions.
        workers: the workers that examine the submissions.
        force: grade submissions again even if their results are up to date.
        on_message: called with messages that staff should see at once, and with "" when a submission is done.

    Raises:
        CourseError: if a lesson is not built, another run is active in this course, or writing fails.
        WallUnavailable: if a worker cannot set up its sandbox.
    """
    return _run(course, entries, workers, on_message, force, pages_only=False)


def make_pages(
    course: Course,
    entries: Iterable[Entry],
    workers: Workers,
    *,
    force: bool = False,
    on_message: OnMessage = lambda entry, text: None,
) -> RunOutcome:
    """Remake the feedback pages that do not match the gradebook, without running any student's code.

    Args:
        course, entries, workers, on_message: see `grade`. A submission that has changed since it was graded
            is reported as failed.
        force: remake all pages.

    Raises:
        CourseError: see `grade`.
    """
    return _run(course, entries, workers, on_message, force, pages_only=True)


def _run(
    course: Course,
    entries: Iterable[Entry],
    workers: Workers,
    on_message: OnMessage,
    force: bool,
    pages_only: bool,
) -> RunOutcome:
    _refuse_unwritable(course)
    with course_secret(course.root) as secret, Book(course.directory, course.config) as book:
        batch = _Batch(course, book, secret, entries, on_message, force, pages_only)
        # If the class list cannot be read, no student is reported as unknown.
        with contextlib.suppress(GradebookBusy):
            batch.outcome.students_before = class_list(book)
        for job, reply in run(work, batch.next_job, workers):
            batch.receive(job, reply)
        batch.note_filed()
        if batch.outcome.refused and not batch.outcome.results:
            raise CourseError(next(iter(batch.outcome.refused)))
        # If the class list cannot be read, the end-of-run summary does not name students without a
        # submission.
        with contextlib.suppress(GradebookBusy):
            batch.outcome.students = students(book)
        return batch.outcome


def _refuse_unwritable(course: Course) -> None:
    """Before grading starts, raise CourseError if autograded/ or feedback/ cannot be written."""
    for name in (course.directory.autograded_directory, course.directory.feedback_directory):
        folder = course.root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise CourseError(
                f"{folder} cannot be written to: {error.strerror}. Nothing was graded."
            ) from None


# --- Grading one submission after another ----------------------------------------------------

_BATCH_SIZE = 50  # number of submissions whose records are read or updated together


@dataclass(frozen=True)
class _InProgress:
    """A submission that is being graded.

    Attributes:
        assignment: the assignment.
        submission: the submission as read by the intake.
        timestamp: the time of submission; None if unknown.
        pages: the finished feedback pages, keyed by the notebook's name.
        illustrated: notebooks with pictures that are not decoded yet, keyed by the notebook's name.
    """

    assignment: GradedAssignment
    submission: GradedSubmission
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
        on_message: OnMessage,
        force: bool,
        pages_only: bool,
    ) -> None:
        self.outcome = RunOutcome()
        self._course = course
        self._book = book
        self._pages = Pages(course.directory, course.config)
        self._secret = secret
        self._entries = iter(entries)
        self._upcoming: deque[Entry] = deque()
        # The stored results of the submissions in `_upcoming`; None until they have been read.
        self._stored_results: dict[tuple[str, str], StoredResult] | None = None
        self._force = force
        self._pages_only = pages_only
        self._on_message = on_message
        self._assignments: dict[str, GradedAssignment] = {}
        self._released_solutions = course.released_solutions()
        self._in_progress: dict[Entry, _InProgress] = {}
        self._fingerprints: dict[Entry, str] = {}  # fingerprints of the feedback pages that are being made
        # Submissions whose folders have been written, although the gradebook does not record that yet.
        self._filed_fingerprints: dict[tuple[str, str], str] = {}
        # The additional files of submissions for which only one of the folders in autograded/ and feedback/
        # has been written so far.
        self._additional_cache: dict[Entry, AdditionalFiles] = {}
        self._jobs: deque[AnyJob] = deque()

    def next_job(self) -> AnyJob | None:
        """Read submissions until one requires a job, and return the job; return None if none is left."""
        while not self._jobs:
            if not self._upcoming:
                self._upcoming.extend(islice(self._entries, _BATCH_SIZE))
                self._stored_results = None
            if not self._upcoming:
                return None
            entry = self._upcoming.popleft()
            try:
                assignment = self._assignment(entry.lesson)
            # The error concerns only this assignment. Other assignments are still graded.
            except Unsupported as error:
                self._refuse(entry, str(error))
                continue
            with self._reporting_errors(entry, assignment):
                self._begin(entry, assignment)
        return self._jobs.popleft()

    def receive(self, job: AnyJob, reply: JobResult) -> None:
        """Process a worker's reply to a job: write the result, or start the next step."""
        if isinstance(reply, NoWall):
            raise WallUnavailable(reply.reason, reply.fix)
        entry = Entry(job.student, job.lesson)
        in_progress = self._in_progress.get(entry)
        # An error with another page of this submission has ended the grading of the submission.
        if in_progress is None:
            return
        with self._reporting_errors(entry, in_progress.assignment):
            match reply:
                case Failed(cause) if isinstance(job, Page) and not job.bare:
                    self._on_message(
                        entry,
                        f"the page is without the student's cells, since it fails with them: {cause}",
                    )
                    self._jobs.appendleft(bare_page(job))
                case Failed(cause):
                    raise _Failure(cause)
                case Rendered(html, pictures) if isinstance(job, Page):
                    self._receive_page(entry, in_progress, job.name, html, pictures)
                case Examined(report, wall) | ExaminedPlain(report, wall):
                    self.outcome.walls.add(wall)
                    if isinstance(reply, ExaminedPlain):
                        self.outcome.notices.update(dict.fromkeys(reply.notices))
                    self._finish(entry, in_progress, in_progress.submission.result(report))

    def _refuse(self, entry: Entry, problem: str) -> None:
        """Record that a submission's assignment cannot be graded."""
        self.outcome.refused.setdefault(problem, []).append(entry)
        self.outcome.done += 1
        self._on_message(entry, "")

    def _assignment(self, name: str) -> GradedAssignment:
        if name not in self._assignments:
            course, book = self._course, self._book
            if is_plain(course.root, name, course.directory.source_directory):
                self._assignments[name] = GradedPlain(course, book, name)
            else:
                shows_solutions = name in self._released_solutions
                self._assignments[name] = GradedLesson(course, book, self._secret, name, shows_solutions)
        return self._assignments[name]

    def _begin(self, entry: Entry, assignment: GradedAssignment) -> None:
        """Read a submission; then reuse its stored result, reject it, or queue a job for it."""
        if not valid_student_id(entry.student):
            return self._reject_student_id(entry, assignment)
        folder = self._course.folder("submitted", *entry)
        submission = assignment.read_submission(entry)
        time = submission_time(folder, self._course.submitted, self._course.clock)
        if time.problem:
            zone = "" if self._course.clock.is_set else _SET_ZONE
            self.outcome.unclear_times.setdefault(_UNCLEAR.format(time.problem, zone), []).append(entry)
        in_progress = self._in_progress[entry] = _InProgress(assignment, submission, time.when)
        if (self._pages_only or not self._force) and self._reuse_result(entry, in_progress):
            self.outcome.unread += self.outcome.results[entry].is_unread
            return None
        if self._pages_only:
            return self._report_ungraded(entry)
        self._book.mark_stale(entry.student, entry.lesson, STALE)
        if submission.rejected is not None:
            # The rejected file has no language, so the page uses the language of the stored result.
            previous = self._book.stored_results([entry]).get(entry)
            result = submission.rejection_result(previous.result.language if previous else None)
            return self._finish(
                entry,
                in_progress,
                result.with_earlier_points(self._book.earlier_points(*entry, submission.key)),
            )
        self._jobs.append(submission.job())
        return None

    def _report_ungraded(self, entry: Entry) -> None:
        """Report that a submission has no up-to-date result, so that its feedback page cannot be made."""
        problem = "the submission, its tests or the grader has changed since it was graded"
        self.outcome.failed[entry] = problem
        self._on_message(entry, f"no page was made: {problem}\n{_GRADE.format(*entry)}")
        self._mark_done(entry)

    def _reuse_result(self, entry: Entry, in_progress: _InProgress) -> bool:
        """Reuse the stored result if it is up to date; return whether it is.

        Also update the late penalty, and write the folders and the feedback page if necessary.
        """
        if self._stored_results is None:
            upcoming = [
                upcoming_entry
                for upcoming_entry in (entry, *self._upcoming)
                if valid_student_id(upcoming_entry.student)
            ]
            self._stored_results = self._book.stored_results(upcoming)
        stored = self._stored_results.pop(entry, None)
        if stored is None or stored.key != in_progress.submission.key:
            return False
        self.outcome.graded_before += 1
        if stored.stale or stored.timestamp != in_progress.timestamp:
            # The file is unchanged, but it was either replaced and then restored, or submitted again at
            # another time.
            self.outcome.pages += 1
            self._finish(entry, in_progress, in_progress.submission.relocate_outputs(stored.result))
            return True
        stored = self._book.renew_penalty(*entry, stored)
        self.outcome.results[entry] = stored.result.with_gradebook_points(
            stored.recorded_grades.scores, stored.recorded_grades.waiting
        )
        self._note_penalty(entry, stored.recorded_grades)
        is_filed = stored.filed and self._is_filed(entry, in_progress)
        if (
            is_filed
            and stored.page == self._page_fingerprint(entry, stored.recorded_grades)
            and not self._force
        ):
            self._mark_done(entry)
        else:
            self.outcome.pages += 1
            grades = self._book.recorded_grades(*entry)
            result = in_progress.submission.relocate_outputs(stored.result)
            self.outcome.results[entry] = stored.result.with_gradebook_points(grades.scores, grades.waiting)
            self._file(entry, in_progress, result, grades, page_only=is_filed)
        return True

    def _page_fingerprint(self, entry: Entry, grades: RecordedGrades) -> str:
        """Return a hash of what a feedback page shows: the gradebook's entries and any released solutions."""
        fingerprint = grades.fingerprint
        if grades.late:
            fingerprint = sha256(f"{fingerprint} {self._course.clock.show(*grades.late)}")
        return (
            sha256(f"{fingerprint} and the solutions")
            if entry.lesson in self._released_solutions
            else fingerprint
        )

    def _note_penalty(self, entry: Entry, grades: RecordedGrades) -> None:
        """Record a late penalty for the table at the end of the run."""
        if grades.penalty:
            times = self._course.clock.show(*grades.late) if grades.late else None
            text = f"{grades.penalty:g} of {grades.score:g} points"
            self.outcome.late[entry] = f"{text}: handed in {times[0]}, due {times[1]}" if times else text

    def _is_filed(self, entry: Entry, in_progress: _InProgress) -> bool:
        page_folder, notebook_folder = (
            self._course.folder(step, *entry) for step in ("feedback", "autograded")
        )
        names, absent = in_progress.assignment.notebooks, in_progress.submission.absent
        files = [page_folder / TIMESTAMP, page_folder / EXCHANGE_SECRET]
        files += [page_folder / f"{name or entry.lesson}.html" for name in names]
        files += [notebook_folder / f"{name or entry.lesson}.ipynb" for name in names if name not in absent]
        return all(file.is_file() for file in files)

    def _finish(self, entry: Entry, in_progress: _InProgress, result: Result) -> None:
        """Enter a result into the gradebook, then write the submission's folders.

        Because the gradebook has the result, the folders can be written again at any time.
        """
        grades = self._book.write(
            *entry, in_progress.submission.key, result, in_progress.timestamp, self._filed_fingerprints
        )
        self._filed_fingerprints = {}
        self.outcome.results[entry] = result.with_gradebook_points(grades.scores, grades.waiting)
        if result.flags:
            self._on_message(entry, ", ".join(result.flags))
        self._file(entry, in_progress, result, grades)

    def _file(
        self,
        entry: Entry,
        in_progress: _InProgress,
        result: Result,
        grades: RecordedGrades,
        page_only: bool = False,
    ) -> None:
        """Write the notebooks for formgrader, and queue the student's feedback pages."""
        notebooks = in_progress.submission.notebooks(result)
        if not page_only and any(submitted_pictures(notebook.cells) for notebook in notebooks.values()):
            # Notebooks with undecoded pictures are written later, because a student's picture must be decoded
            # in a sandbox before it is opened.
            in_progress.illustrated.update(copy.deepcopy(dict(notebooks)))
        elif not page_only:
            self._write_notebooks(entry, in_progress, notebooks)
        self._fingerprints[entry] = self._page_fingerprint(entry, grades)
        self._note_penalty(entry, grades)
        times = self._course.clock.show(*grades.late) if grades.late else None
        for name, notebook in reversed(list(notebooks.items())):
            notebook_grades, public_notebook = (
                grades.for_notebook(name),
                in_progress.submission.without_secrets(notebook),
            )
            head = in_progress.submission.head(name, result, notebook_grades, times)
            self._jobs.appendleft(self._pages.page(public_notebook, notebook_grades, head, *entry, name))

    def _receive_page(
        self,
        entry: Entry,
        in_progress: _InProgress,
        name: str,
        page: str,
        pictures: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Store a finished page; once all pages are finished, write the submission's folders."""
        in_progress.pages[name] = page
        if name in in_progress.illustrated:
            show_pictures(in_progress.illustrated[name].cells, pictures, in_progress.submission.language)
        if len(in_progress.pages) < len(in_progress.assignment.notebooks):
            return
        if in_progress.illustrated:
            self._write_notebooks(entry, in_progress, in_progress.illustrated)
        self._close(entry, in_progress)

    def _write_notebooks(
        self, entry: Entry, in_progress: _InProgress, notebooks: Mapping[str, NotebookNode]
    ) -> None:
        """Write the notebooks and the additional files that formgrader uses."""
        submitted_notebooks = {
            name: notebook
            for name, notebook in notebooks.items()
            if name not in in_progress.submission.absent
        }
        texts = {
            f"{name or entry.lesson}.ipynb": as_text(notebook)
            for name, notebook in submitted_notebooks.items()
        }
        left_out = self._replace("autograded", entry, texts)
        if left_out:
            self._on_message(entry, _LEFT_OUT.format(left_out))

    def _close(self, entry: Entry, in_progress: _InProgress) -> None:
        """Write the student's feedback pages, as the last step of grading the submission."""
        pages = {f"{name or entry.lesson}.html": page for name, page in in_progress.pages.items()}
        self._replace("feedback", entry, pages)
        self._filed_fingerprints[entry] = self._fingerprints[entry]
        if len(self._filed_fingerprints) == _BATCH_SIZE:
            self.note_filed()
        self._mark_done(entry)

    def note_filed(self) -> None:
        """Record in the gradebook which submissions' folders have been written."""
        fingerprints, self._filed_fingerprints = self._filed_fingerprints, {}
        # If the gradebook is busy, the next run writes these folders again.
        with contextlib.suppress(GradebookBusy):
            self._book.mark_filed(fingerprints)

    def _replace(
        self, step: Literal["autograded", "feedback"], entry: Entry, files: Mapping[str, str]
    ) -> int:
        """Write a folder; return how many of the student's additional files were left out."""
        settings, additional = self._course.directory, self._additional_files(entry)
        # nbgrader also gives files in autograded/ the mode 0444, and files in feedback/ the mode 0644.
        course_files, mode = (
            source_folder(self._course, entry.lesson),
            0o444 if step == "autograded" else 0o644,
        )
        replace_folder(
            self._course.folder(step, *entry), files, additional, course_files, mode, settings.groupshared
        )
        return additional.left_out

    def _additional_files(self, entry: Entry) -> AdditionalFiles:
        """Return the additional files for a folder of a submission, excluding files that quote a hidden test.

        A submission has a folder in autograded/ and one in feedback/. The files are read only once for both
        folders, because reading takes as long as writing.
        """
        if entry in self._additional_cache:
            return self._additional_cache.pop(entry)
        settings, root = self._course.directory, self._course.submitted
        folder, timestamp = self._course.folder("submitted", *entry), self._in_progress[entry].timestamp
        files = read_additional_files(folder, root, entry.student, timestamp, self._secret, settings.ignore)
        is_secret = self._in_progress[entry].assignment.is_secret
        safe_files = {path: data for path, data in files.side_files.items() if not is_secret(data)}
        left_out = files.left_out + len(files.side_files) - len(safe_files)
        self._additional_cache[entry] = replace(files, side_files=safe_files, left_out=left_out)
        return self._additional_cache[entry]

    def _reject_student_id(self, entry: Entry, assignment: GradedAssignment) -> None:
        """Reject a folder with an invalid student id.

        An invalid id must not be used in the gradebook or in the names of folders.
        """
        student = visible(entry.student)[:100]
        message = (
            "The folder's name is not a student id: letters, digits and _.@- only, 64 at most. Rename it."
        )
        self.outcome.results[entry] = assignment.uniform_result(
            student, "rejected", message, "odd_student_id"
        )
        # `autograder feedback` lists the folder as failed; a grading run lists it as unread.
        if self._pages_only:
            self.outcome.failed[entry] = message
        self._on_message(Entry(student, entry.lesson), message)
        self._mark_done(entry)

    def _mark_done(self, entry: Entry) -> None:
        self._in_progress.pop(entry, None)
        self._fingerprints.pop(entry, None)
        self._additional_cache.pop(entry, None)
        self.outcome.done += 1
        self._on_message(entry, "")

    @contextlib.contextmanager
    def _reporting_errors(self, entry: Entry, assignment: GradedAssignment) -> Iterator[None]:
        """Catch and report errors that concern one submission, so that the batch continues."""
        try:
            yield
        except (CourseError, WallUnavailable):
            raise
        except Exception as error:
            is_expected = isinstance(error, _Failure | GradebookBusy)
            problem = reason(error) if is_expected else f"{type(error).__name__}: {reason(error)}"
            self.outcome.failed[entry] = problem
            if entry in self.outcome.results:
                self._on_message(entry, f"graded, but its folders could not be written: {problem}")
            else:
                self._on_message(entry, f"not graded: {problem}\n{_TO_DO.format(*entry)}")
                message = "The grader failed. This says nothing about the answer."
                result = assignment.uniform_result(entry.student, "grader_failure", message, "grader_failure")
                self.outcome.results[entry] = result
                # If the gradebook is busy, the earlier grade is still marked as outdated, because it was
                # marked before grading began.
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
