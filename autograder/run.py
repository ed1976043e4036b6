"""The commands `autograder grade` and `autograder feedback`, with their output and their exit status."""

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.course.find_assignments import Gradable, choose_gradable, find_gradable
from autograder.json_file import refuse_unwritable, write_results
from autograder.lms.filenames import is_exported
from autograder.sandbox.inside import pages
from autograder.sandbox.leak_scan import cache_file
from autograder.sandbox.results import WallUnavailable
from autograder.terminal import Terminal, err, out, warn_of_readable_files
from secant.language import counted

if TYPE_CHECKING:
    from autograder.course.settings import Course
    from autograder.gradebook.entries import Entry
    from autograder.grading.batch import RunOutcome
    from autograder.grading.run_summary import RunSummary
    from autograder.sandbox.template import Template
    from autograder.workers.executors import Workers

# limits on a printed table: rows in the table, and names in a row (--json writes all rows and names)
_ROWS, _NAMES = 40, 12
_OTHER_SOURCE = re.compile(r"""source_directory\s*=(?!\s*["']source["'])""")
_LINE_SECONDS = 3.0  # minimum number of seconds between two progress lines


class Selection(NamedTuple):
    """The submissions on which a command has to work.

    Attributes:
        root: the course directory.
        source: the folder of the instructor's notebooks.
        lessons: the names of the lessons, and of the assignments with ordinary nbgrader tests, that the
            submissions belong to.
        gradable: all lessons and assignments of the course.
        students: the ids of the students to select; empty for all students.
    """

    root: Path
    source: Path
    lessons: Sequence[str]
    gradable: Gradable
    students: Sequence[str]


def select(root: Path, lessons: list[str] | None, students: list[str] | None) -> Selection:
    """Return the submissions that a command's arguments ask for.

    Raises:
        CourseError: one of the names is neither a lesson's nor an assignment's.
    """
    source = _source_directory(root)
    gradable = find_gradable(root, source)
    chosen = choose_gradable(root, lessons or [], source)
    return Selection(root, root / source, chosen, gradable, students or [])


def _source_directory(root: Path) -> str:
    """Return the name of the folder with the instructor's notebooks.

    The settings are loaded only if a settings file in the course directory names a folder other than source/.
    Loading them takes a second, because nbgrader has to be imported, and would delay the template's start.
    """
    files = [file for file in root.glob("*_config*.py") if os.access(file, os.R_OK)]
    if not any(_OTHER_SOURCE.search(file.read_text("utf-8", "replace")) for file in files):
        return "source"
    from autograder.course.settings import Course

    return str(Course.at(root).directory.source_directory)


def grade(
    selection: Selection,
    workers: int,
    scheduler: str,
    json_file: Path | None,
    *,
    force: bool,
    change_tasks: bool,
) -> int:
    """Grade submissions, and print what is left for a person to do.

    Args:
        selection: the submissions.
        workers: the number of processes on this machine; 0 to derive it from the machine's processors and
            memory.
        scheduler: the address of a Dask scheduler, if its workers are to grade; otherwise empty.
        json_file: the file to which the results are written; None to write no file.
        force: whether to grade unchanged submissions as well.
        change_tasks: whether to accept that tasks of a lesson were removed or added after it was graded.

    Returns:
        The exit status.

    Raises:
        CourseError: nothing can be graded.
        typer.Exit: no submission was found, or the run was stopped.
    """
    if json_file:
        refuse_unwritable(json_file)
    course, entries, pool = _start(selection, workers, scheduler, change_tasks)
    with _closing(pool, "Stopped. Finished grades are kept; run the same command to continue."):
        with pages.frozen_imports():
            # this import takes seconds; meanwhile, the template process continues its own imports
            from autograder.grading import batch

        with _progress("Grading", len(entries)) as on_message:
            outcome = batch.grade(course, entries, pool, force=force, on_message=on_message)
    is_written = json_file is None or write_results(json_file, outcome.rows())
    is_clean = _report_results(course, selection, outcome)
    return 0 if is_clean and is_written and not outcome.failed and not outcome.refused else 1


def _start(
    selection: Selection, workers: int, scheduler: str, change_tasks: bool
) -> tuple["Course", list["Entry"], "Workers"]:
    """Find the submissions while the workers start.

    If nothing can be graded, end the processes that were started.
    """
    from autograder.workers import executors

    with ExitStack() as unused:
        plain = executors.needs_no_torch(selection.source, selection.lessons, selection.gradable.plain)
        # The template process is started first, so that its imports run during this process's own imports,
        # which take seconds.
        template = None if scheduler else executors.start_preparations(plain=plain)
        if not scheduler:
            unused.callback(executors.end_server)
        if template is not None:
            unused.callback(template.close)
        course, entries = _find(selection)
        if template is not None and not plain:
            group = executors.guess_import_group(selection.source, {entry.lesson for entry in entries})
            if group is not None:
                # this takes half a second, during which the workers import modules
                template.prepare(group)
        if change_tasks:
            from autograder.gradebook.tasks import change_tasks as change_gradebook_tasks

            for message in change_gradebook_tasks(course, selection.lessons):
                out.print(message)
        if scheduler:
            from autograder.workers.cluster import cluster

            pool: Workers = cluster(scheduler)
        else:
            pool = _local_workers(course, workers, len(entries), template, plain=plain)
        unused.pop_all()
    return course, entries, pool


def make_pages(selection: Selection, *, force: bool) -> int:
    """Make the feedback pages that no longer match the gradebook, and print how many were made.

    Args:
        selection: the submissions.
        force: whether to make all pages.

    Returns:
        The exit status.

    Raises:
        CourseError, typer.Exit: as for `grade`.
    """
    from autograder.grading import batch
    from autograder.workers.executors import LocalWorkers

    course, entries = _find(selection)
    pool = LocalWorkers(min(len(entries), os.cpu_count() or 1), pages_only=True)
    stop_message = "Stopped. Run the same command to continue."
    with _closing(pool, stop_message), _progress("Pages", len(entries)) as on_message:
        outcome = batch.make_pages(course, entries, pool, force=force, on_message=on_message)
    unchanged, failed = outcome.graded_before - outcome.pages, _failures(outcome)
    out.print(f"{counted(outcome.pages, 'page')} updated, {unchanged} already up to date; {failed} failed.")
    return 1 if failed else 0


def _failures(outcome: "RunOutcome") -> int:
    """Return how many submissions could not be graded, including those of refused assignments."""
    return len(outcome.failed) + sum(map(len, outcome.refused.values()))


def _find(selection: Selection) -> tuple["Course", list["Entry"]]:
    """Read the course's settings and list the submissions. End the command if there are no submissions."""
    with pages.frozen_imports():
        from autograder.course.settings import Course
        from autograder.gradebook.entries import find_submissions

    course = Course.at(selection.root)
    entries = find_submissions(course, selection.lessons, selection.students)
    if not entries:
        raise _nothing_found(course.submitted, selection.gradable, selection.students)
    return course, entries


def _nothing_found(submitted: Path, gradable: Gradable, students: Sequence[str]) -> typer.Exit:
    """Print that no submission was found, and return the exception that ends the command.

    The exit status is 1 if the user named students, or if `submitted` contains something unexpected;
    otherwise it is 0.
    """
    from autograder.grading.run_summary import similar_folder, unknown_folders

    student_phrase = (
        f" of {'student' if len(students) == 1 else 'students'} {', '.join(students)}" if students else ""
    )
    out.print(
        f"No submission{student_phrase} was found in {submitted}, where each is a folder STUDENT/LESSON."
    )
    for student in students:
        if (similar := similar_folder(student, submitted)) and similar != student:
            out.print(f"Did you mean {similar}, not {student}?")
    strange_folders = list(unknown_folders(submitted, gradable, is_exported, students))[:_ROWS]
    for folder, to_do in strange_folders:
        out.print(f"{folder}: {to_do}")
    return typer.Exit(1 if students or strange_folders else 0)


def _local_workers(
    course: "Course", requested: int, submissions: int, template: "Template | None", *, plain: bool
) -> "Workers":
    """Return workers on this machine, and print their number and the reason for it.

    Args:
        course: the course.
        requested: the number of workers that the user wants; 0 for as many as make sense.
        submissions: the number of submissions to grade.
        template: the template process that has been started, if any.
        plain: whether none of the assignments needs torch.
    """
    from autograder.workers.budget import Budget
    from autograder.workers.executors import LocalWorkers

    slots, explanation = Budget.of_this_machine().allow(requested, submissions)
    out.print(explanation)
    if not plain and not cache_file().is_file():
        out.print(
            "First run on this machine: the grader searches everything that notebooks can see for "
            "parts of the course. This takes some seconds, up to a minute on a slow disk."
        )
    try:
        return LocalWorkers(slots, course.hidden, template, plain=plain)
    except WallUnavailable as error:
        raise _no_wall(error) from None


@contextmanager
def _closing(pool: "Workers", stop_message: str) -> Iterator[None]:
    """Close the workers at the end of a run. If the run is cut short, kill them.

    Args:
        pool: the workers.
        stop_message: the message to print after Ctrl+C.
    """
    try:
        yield
    except BaseException as error:
        pool.close(kill=True)
        if isinstance(error, KeyboardInterrupt):
            err.print(stop_message)
            raise typer.Exit(130) from None
        if isinstance(error, WallUnavailable):
            raise _no_wall(error) from None
        raise
    pool.close()


def _no_wall(error: WallUnavailable) -> CourseError:
    return CourseError(f"Nothing is graded without a sandbox. {error.reason}\n{error.fix}")


def _report_results(course: "Course", selection: Selection, outcome: "RunOutcome") -> bool:
    """Print a run's results.

    Returns:
        True if every submission was read, and it is clear which notebooks count.
    """
    from autograder.grading.run_summary import shortened_list, summarize_run

    summary = summarize_run(outcome, course.submitted, selection.gradable, selection.students, is_exported)
    graded_before, unread = outcome.graded_before - outcome.unread, len(summary.unread)
    out.print(
        f"{counted(summary.graded, 'submission')} graded, {graded_before} of them earlier; "
        f"{_failures(outcome)} failed"
        + (f", {unread} could not be read." if unread else ".")
        + (f" {counted(outcome.pages, 'page')} updated." if outcome.graded_before else "")
    )
    show_summary(
        summary,
        outcome.failed | {shortened_list(entries): reason for reason, entries in outcome.refused.items()},
    )
    warn_of_readable_files(course)
    if "single" in outcome.walls:
        err.print("A sandbox was built for each submission, which is slow: `autograder doctor` says why.")
    for notice in outcome.notices:
        err.print(notice)
    return summary.is_clean


def show_summary(summary: "RunSummary", failed: Mapping[Any, str]) -> None:
    """Print what is left for a person to do."""
    table = Table("", "Which", "To do", title="What is left to do", title_justify="left", title_style="bold")
    to_do = "Grade in formgrader, then: autograder feedback"
    changed = f"The answer has changed since you gave its points. {to_do}"
    for noun, (number, submissions), instruction in (
        ("note", summary.notes, to_do),
        ("overruled task", summary.overruled, changed),
    ):
        if number:
            subject = f"{counted(number, noun)} in {counted(submissions, 'submission')}"
            table.add_row("needs manual grading", subject, instruction)
    advice = "Ask for it again, or enter points in formgrader; until then it stays on this list."
    rows = [
        *(("could not be read", subject, reason) for subject, reason in summary.unread.items()),
        *(("several notebooks", subject, reason) for subject, reason in summary.several.items()),
        *(("not graded", str(subject), reason) for subject, reason in failed.items()),
        *(("wrong place", subject, reason) for subject, reason in summary.unknown.items()),
        *(("unknown student", subject, reason) for subject, reason in summary.strangers.items()),
        *(("unclear time", subject, reason) for subject, reason in summary.unclear_times.items()),
        *(("points off: late", subject, reason) for subject, reason in summary.late.items()),
    ]
    for number, row in enumerate(rows[:_ROWS], 1):
        table.add_row(*map(Text, row))
        if number == min(len(summary.unread), _ROWS):
            table.add_row("", "", advice, style="dim")
    if len(rows) > _ROWS:
        table.add_row("…", f"and {len(rows) - _ROWS} more", "--json FILE lists every submission")
    for lesson, students in summary.absent.items():
        student_list = ", ".join(students[:_NAMES]) + (" …" if len(students) > _NAMES else "")
        table.add_row(
            "handed in nothing", f"{lesson}: {counted(len(students), 'student')}", Text(student_list)
        )
    if summary.packages:
        table.add_row("not installed here", *map(Text, _packages(summary.packages)))
    if table.row_count:
        Terminal().print(table)  # unlike `out`, this terminal wraps long lines


def _packages(students: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return the missing packages, and advice for the instructor.

    The number of students who import a package is added to its name.
    """
    package_counts = [
        f"{package}: {counted(len(importers), 'student')}" for package, importers in students.items()
    ]
    ellipsis = ["…"] if len(package_counts) > _NAMES else []
    return (
        ", ".join(package_counts[:_NAMES] + ellipsis),
        "Notebooks import these. If answers may use one, install it, then: autograder grade --force",
    )


@contextmanager
def _progress(label: str, total: int) -> Iterator[Callable[[object, str], None]]:
    """Show a progress bar and messages. Without a terminal, print a progress line every few seconds."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(label, total=total)
        done, last_line = 0, time.monotonic()

        def on_message(entry: object, text: str) -> None:
            nonlocal done, last_line
            if text:
                progress.console.print(f"{entry}: {text}")
                return
            done += 1
            progress.advance(bar)
            if not out.is_terminal and done < total and time.monotonic() - last_line >= _LINE_SECONDS:
                last_line = time.monotonic()
                out.print(f"{label}: {done} of {total}")

        yield on_message
