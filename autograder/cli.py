"""The command line: autograder build, check, grade, feedback, collect, export, report, forget, pack, ..."""

import json
import os
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, choose_lessons, course_languages, find_lessons, find_root
from autograder.sandbox.inside import pages
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.sweep import cache_file
from autograder.terminal import Terminal, err, out, warn_of_others
from secant.files import replace_file
from secant.language import LANGUAGES, counted, language, of_this_machine, print_whatever_comes, say
from secant.terminal import Command, argument, option, options_metavar, print_version

if TYPE_CHECKING:
    from autograder.build.trying import Tried
    from autograder.grading.closing import Closing

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


# The groups of `autograder --help`, by who uses a command.
STUDENTS, CLASS, AUTHORS = "For students", "Grading a class", "Writing lessons"

_ROWS, _NAMES = 40, 12  # of a table's: what cannot be read at a glance is in a file
_LINE_SECONDS = 3.0  # between two lines that say how far something is


class Packed(StrEnum):
    """What `pack --lang` takes."""

    en = "en"
    ko = "ko"
    both = "both"


class Spoken(StrEnum):
    """What `try --lang` and `report --lang` take."""

    en = "en"
    ko = "ko"


class Target(StrEnum):
    """What --for takes."""

    moodle = "moodle"
    canvas = "canvas"
    brightspace = "brightspace"


@app.callback()
def autograder(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print Secant's version."),
    ] = False,
) -> None:
    """Build and grade the lessons of a course."""


@app.command(
    rich_help_panel=STUDENTS,
    cls=Command,
    options_metavar=options_metavar(),
    help=say(
        en="Check your own notebook the way your class is graded. Everything runs on this machine.\n\n"
        "Exit status: 0 all tasks passed, 1 not all, 2 it could not be checked.",
        ko="내 노트북을 수업의 채점과 똑같이 확인합니다. 이 컴퓨터에서만 실행합니다.\n\n"
        "종료 코드: 모든 과제를 통과하면 0, 아니면 1, 확인할 수 없으면 2입니다.",
    ),
)
def check(
    notebook: Annotated[
        str,
        argument(
            en="Your notebook, its folder, or the lesson's number. Default: the current folder.",
            ko="노트북 파일이나 그 폴더, 또는 수업 번호. 기본값은 지금 있는 폴더.",
            metavar=say(en="NOTEBOOK", ko="노트북"),
            show_default=False,
        ),
    ] = ".",
    as_json: Annotated[
        bool,
        option(
            "--json", en="Print the result as JSON, and nothing else.", ko="결과를 JSON으로만 출력합니다."
        ),
    ] = False,
    solution: Annotated[
        str,
        option(
            "--solution",
            en="Show the worked solution of this task instead.",
            ko="확인하는 대신 이 과제의 모범 풀이를 보여 줍니다.",
            metavar=say(en="TASK", ko="과제이름"),
        ),
    ] = "",
    give_up: Annotated[
        bool,
        option(
            "--give-up",
            en="With --solution: show it even if the task is not passed, without asking.",
            ko="--solution과 함께: 통과하지 못한 과제라도 묻지 않고 보여 줍니다.",
        ),
    ] = False,
    watch: Annotated[
        bool,
        option(
            "--watch",
            en="Check again whenever the notebook is saved, and show what changed; Ctrl+C ends it.",
            ko="노트북을 저장할 때마다 다시 확인하고 바뀐 것을 보여 줍니다. Ctrl+C로 끝냅니다.",
        ),
    ] = False,
) -> None:
    from autograder import check as own
    from autograder.course.find import find_notebook

    language(of_this_machine())  # until the notebook's own is known
    if watch and (as_json or solution):
        raise CourseError(
            say(
                en="--watch shows changes on the screen. It cannot be used with --json or --solution.",
                ko="--watch는 바뀐 것을 화면에 보여 줍니다. --json이나 --solution과 함께 쓸 수 없습니다.",
            )
        )
    path = find_notebook(notebook, Path.cwd())
    if solution:
        own.show_solution(path, solution, give_up=give_up)
        return
    try:
        if watch:
            own.watch(path)
        checked = own.check(path)
    except KeyboardInterrupt:
        err.print(say(en="Stopped.", ko="중단했습니다."))
        raise typer.Exit(0 if watch else 130) from None
    if as_json:
        sys.stdout.write(json.dumps(checked.as_json(), ensure_ascii=False) + "\n")
    else:
        own.show(checked)
    graded = [row for row in checked.rows if row["outcome"] != "manual"]
    raise typer.Exit(0 if all(row["outcome"] == "passed" for row in graded) else 1)


@app.command(rich_help_panel=CLASS)
def grade(
    lesson: Annotated[
        list[str] | None, typer.Argument(help="1, 01 or a folder's name; default: all.")
    ] = None,
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.")] = None,
    workers: Annotated[
        int, typer.Option(help="Processes on this machine; default: one per core, if memory allows.", min=0)
    ] = 0,
    scheduler: Annotated[str, typer.Option(help="A Dask scheduler's address, instead of --workers.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Also grade what has not changed.")] = False,
    change_tasks: Annotated[
        bool,
        typer.Option("--change-tasks", help="Accept dropped and added tasks; no grade is lost."),
    ] = False,
) -> None:
    """Grade submitted/ into nbgrader's gradebook, autograded/ and feedback/.

    It ends with a table of what needs your attention.

    Exit status: 0 everything there is graded, 1 something could not be graded or read, has several
    notebooks with different answers, or is in the wrong place, 2 nothing can be graded here. Notes that need
    manual grading, unknown students, times, and students who handed in nothing leave it at 0.
    """
    _refuse_windows()
    from autograder.grading import executors

    if scheduler and workers:
        raise CourseError("--workers and --scheduler cannot be used together.")
    root = find_root(Path.cwd())
    there = find_lessons(root)
    every = [found.name for found in there]
    lessons = [found.name for found in choose_lessons(there, lesson or [])]
    with ExitStack() as unused:
        begun = None if scheduler else executors.begin()  # for this process has seconds of imports, too
        if not scheduler:
            unused.callback(executors.end)
        if begun is not None:
            unused.callback(begun.end)
        with pages.kept():
            from autograder.course.settings import Course
            from autograder.grading.budget import Budget
            from autograder.grading.cluster import cluster
            from autograder.grading.entries import find_submissions

        if json_file:
            _refuse_unwritable(json_file)
        course = Course.at(root)
        entries = find_submissions(course, lessons, student or [])
        if not entries:
            raise _nothing_found(course.submitted, every, student or [])
        if begun is not None:
            later = executors.imported_later(course.root, {entry.lesson for entry in entries})
            if later is not None:
                begun.prepare(later)  # takes half a second, while the workers are importing
        if change_tasks:
            from autograder.grading.batch import change_tasks as change

            for said in change(course, lessons):
                out.print(said, highlight=False, markup=False)
        if scheduler:
            pool: executors.Workers = cluster(scheduler)
        else:
            places, said = Budget.of_this_machine().allow(workers, len(entries))
            out.print(said)
            if not cache_file().is_file():
                out.print(
                    "First run on this machine: the grader searches everything that notebooks can see for "
                    "parts of the course. This takes some seconds, up to a minute on a slow disk."
                )
            try:
                pool = executors.LocalWorkers(places, course.hidden, begun)
            except WallUnavailable as error:
                raise _no_wall(error) from None
        unused.pop_all()
    try:
        with pages.kept():
            from autograder.grading import batch  # takes seconds too, and the template's imports go on

        with _told("Grading", len(entries)) as tell:
            summary = batch.grade(course, entries, pool, force=force, tell=tell)
    except KeyboardInterrupt:
        pool.close(kill=True)
        err.print("Stopped. Finished grades are kept; run the same command to continue.")
        raise typer.Exit(130) from None
    except WallUnavailable as error:
        pool.close(kill=True)
        raise _no_wall(error) from None
    except BaseException:
        pool.close(kill=True)
        raise
    pool.close()
    written = json_file is None or _write_results(json_file, summary.rows())
    from autograder.grading.closing import closing

    end = closing(
        summary.results,
        summary.failed,
        course.submitted,
        every,
        summary.students,
        student or [],
        summary.before,
        summary.results.missing,
        summary.unclear_times,
        summary.late,
    )
    before, unread = summary.kept - summary.unread, len(end.unread)
    out.print(
        f"{counted(end.graded, 'submission')} graded, {before} of them earlier; {len(summary.failed)} failed"
        + (f", {unread} could not be read." if unread else ".")
        + (f" {counted(summary.pages, 'page')} updated." if summary.kept else "")
    )
    _show_closing(end, summary.failed)
    warn_of_others(course)
    if "single" in summary.walls:
        err.print("A sandbox was built for each submission, which is slow: `autograder doctor` says why.")
    raise typer.Exit(0 if end.is_clean and written and not summary.failed else 1)


def _show_closing(end: "Closing", failed: Mapping[Any, str]) -> None:
    """Print what is left for a person to do."""
    table = Table("", "Which", "To do", title="What is left to do", title_justify="left", title_style="bold")
    to_do = "Grade in formgrader, then: autograder feedback"
    changed = f"The answer has changed since you gave its points. {to_do}"
    for what, (number, submissions), then in (
        ("note", end.notes, to_do),
        ("overruled task", end.overruled, changed),
    ):
        if number:
            which = f"{counted(number, what)} in {counted(submissions, 'submission')}"
            table.add_row("needs manual grading", which, then)
    settled = "Ask for it again, or enter points in formgrader; until then it stays on this list."
    rows = [
        *(("could not be read", which, why) for which, why in end.unread.items()),
        *(("several notebooks", which, why) for which, why in end.several.items()),
        *(("not graded", str(which), why) for which, why in failed.items()),
        *(("wrong place", which, why) for which, why in end.unknown.items()),
        *(("unknown student", which, why) for which, why in end.strangers.items()),
        *(("unclear time", which, why) for which, why in end.unclear_times.items()),
        *(("points off: late", which, why) for which, why in end.late.items()),
    ]
    for number, row in enumerate(rows[:_ROWS], 1):
        table.add_row(*map(Text, row))
        if number == min(len(end.unread), _ROWS):
            table.add_row("", "", settled, style="dim")
    if len(rows) > _ROWS:
        table.add_row("…", f"and {len(rows) - _ROWS} more", "--json FILE lists every submission")
    for lesson, students in end.absent.items():
        shown = ", ".join(students[:_NAMES]) + (" …" if len(students) > _NAMES else "")
        table.add_row("handed in nothing", f"{lesson}: {counted(len(students), 'student')}", Text(shown))
    if end.packages:
        table.add_row("not installed here", *map(Text, _packages(end.packages)))
    if table.row_count:
        Terminal().print(table)  # wrapped, since somebody has to read it


def _packages(students: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return which packages are missing, for how many students, and what to do about it."""
    shown = [f"{package}: {counted(len(who), 'student')}" for package, who in students.items()]
    more = ["…"] if len(shown) > _NAMES else []
    return (
        ", ".join(shown[:_NAMES] + more),
        "Notebooks import these. If answers may use one, install it, then: autograder grade --force",
    )


@app.command(rich_help_panel=CLASS)
def feedback(
    lesson: Annotated[
        list[str] | None, typer.Argument(help="1, 01 or a folder's name; default: all.")
    ] = None,
    student: Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Make all pages, not only outdated ones.")] = False,
) -> None:
    """Update the pages in feedback/ that no longer match the gradebook. No student's code runs.

    Exit status: 0 all pages are up to date, 1 some could not be made, 2 none can be made here.
    """
    _refuse_windows()
    from autograder.course.settings import Course
    from autograder.grading import batch, executors
    from autograder.grading.entries import find_submissions

    course = Course.at(find_root(Path.cwd()))
    lessons = [found.name for found in choose_lessons(find_lessons(course.root), lesson or [])]
    entries = find_submissions(course, lessons, student or [])
    if not entries:
        every = [found.name for found in find_lessons(course.root)]
        raise _nothing_found(course.submitted, every, student or [])
    pool = executors.LocalWorkers(min(len(entries), os.cpu_count() or 1), pages_alone=True)
    try:
        with _told("Pages", len(entries)) as tell:
            summary = batch.make_pages(course, entries, pool, force=force, tell=tell)
    except KeyboardInterrupt:
        pool.close(kill=True)
        err.print("Stopped. Run the same command to continue.")
        raise typer.Exit(130) from None
    except BaseException:
        pool.close(kill=True)
        raise
    pool.close()
    same, failed = summary.kept - summary.pages, len(summary.failed)
    out.print(f"{counted(summary.pages, 'page')} updated, {same} already up to date; {failed} failed.")
    raise typer.Exit(1 if summary.failed else 0)


@app.command(rich_help_panel=CLASS)
def enroll(
    table: Annotated[
        Path, typer.Argument(help="The class: a CSV with ids and, optionally, names and e-mail.")
    ],
) -> None:
    """Enter a list of students into the gradebook. What the list does not contain stays as it is.

    It reads any CSV that `collect --roster` reads, with commas, semicolons or tabs, in Excel's encodings.
    """
    _refuse_windows()
    from autograder import transfer

    language(of_this_machine())
    transfer.enroll(find_root(Path.cwd()), table)


@app.command(rich_help_panel=CLASS)
def collect(
    download: Annotated[list[Path], typer.Argument(help="What the LMS exports: DOWNLOAD.zip.")],
    roster: Annotated[Path | None, typer.Option(help="The class: a CSV with ids and names.")] = None,
    lesson: Annotated[str, typer.Option(help="The lesson; default: the notebooks' own.")] = "",
    system: Annotated[
        str,
        typer.Option(
            "--from", help="moodle, canvas, brightspace or blackboard; default: from the file names."
        ),
    ] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write one line per file to this file.")
    ] = None,
) -> None:
    """Put an LMS's export into submitted/, and report the outcome of each file.

    It reads the archives of Moodle, Canvas, Brightspace and Blackboard.

    Exit status: 0 everything is in place, 1 something needs your attention, 2 nothing can be collected here.
    """
    _refuse_windows()
    from autograder import transfer

    language(of_this_machine())
    if json_file:
        _refuse_unwritable(json_file)
    raise typer.Exit(transfer.collect(find_root(Path.cwd()), download, roster, lesson, system, json_file))


@app.command(rich_help_panel=CLASS)
def export(
    system: Annotated[Target, typer.Option("--for", help="The LMS that takes the grades.")],
    lesson: Annotated[
        str, typer.Option(help="1, 01 or a folder's name; default: the only one collected.")
    ] = "",
    fill: Annotated[
        Path | None, typer.Option(help="The table that the LMS exports, to be filled in.")
    ] = None,
    column: Annotated[str, typer.Option(help="What the LMS calls the assignment.")] = "",
    output: Annotated[
        Path | None, typer.Option(help="The file to write; default: exported/LESSON.LMS.csv.")
    ] = None,
) -> None:
    """Write a lesson's grades and feedback pages in the format that an LMS imports.

    A student without points is left blank, never zero, and a line says why.
    """
    _refuse_windows()
    from autograder import transfer

    language(of_this_machine())
    transfer.export(find_root(Path.cwd()), system.value, lesson, fill, column, output)


@app.command(rich_help_panel=CLASS)
def report(
    lesson: Annotated[
        str, typer.Argument(help="1, 01 or a folder's name; default: all lessons together.")
    ] = "",
    lang: Annotated[Spoken | None, typer.Option(help="The page's language; default: this machine's.")] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Replace names by pseudonyms, the same ones in every report.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The folder to write to; default: report/.")
    ] = None,
) -> None:
    """Write a page and a table about a lesson: tasks, misconceptions, who needs help, very similar answers.

    Without a lesson, the page covers all of them together and says who is drifting off.
    """
    _refuse_windows()
    from autograder.course.settings import REPORT, Course
    from autograder.grading.gradebook import GradebookBusy
    from autograder.report.write import Form, write_report

    language(lang.value if lang else of_this_machine())
    course = Course.at(find_root(Path.cwd()))
    chosen = choose_lessons(find_lessons(course.root), [lesson])[0] if lesson else None
    form = Form(language(), anonymous, folder.absolute() if folder else course.root / REPORT)
    try:
        written = write_report(course, chosen, form, datetime.now())
    except GradebookBusy as error:
        raise CourseError(f"The gradebook could not be read: {error}.") from error
    for path in written:
        out.print(f"wrote {path}")
    warn_of_others(course)


@app.command(rich_help_panel=CLASS)
def forget(
    student: Annotated[str, typer.Argument(help="The student's id.")],
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
) -> None:
    """Delete a student's entries and work, and the folders that name all students: exported/ and report/.

    Exit status: 0 no file that was searched names the student any more, 1 some files still do or could not
    be searched, 2 nothing was deleted.
    """
    _refuse_windows()
    from autograder.course.settings import Course
    from autograder.lms.forget import forget as deleting

    course = Course.at(find_root(Path.cwd()))
    if not force:
        typer.confirm(f"Delete all grades and work of {student}? This cannot be undone", abort=True)
    done = deleting(course, student)
    if not done.deleted:
        out.print(f"No grades or work of {student} were found here.", highlight=False, markup=False)
    else:
        out.print(f"Deleted: {', '.join(done.deleted)}.", highlight=False, markup=False)
    if done.left:
        out.print(f"Still named in: {', '.join(done.left)}.", highlight=False, markup=False)
        out.print("These hold other students' grades, too: delete the files, or the student in them.")
    if done.unsearched:
        out.print(f"Could not be searched: {', '.join(done.unsearched)}.", highlight=False, markup=False)
    out.print(
        "Not searched: the exchange, other folders than those that Secant fills, .py, .md, .toml and .ipynb "
        "files in the course's folder, git's history, backups.",
        highlight=False,
    )
    raise typer.Exit(1 if done.left or done.unsearched else 0)


def _refuse_windows() -> None:
    if sys.platform == "win32":
        raise CourseError(
            "Other people's work is graded only on Linux: use WSL 2. "
            "You can check your own notebook here: `autograder check`."
        )


def _nothing_found(submitted: Path, lessons: Sequence[str], students: Sequence[str]) -> typer.Exit:
    """Say that nothing was found: an error where students were named, or something else lies there."""
    from autograder.grading.closing import meant, unknown

    whose = f" of {'student' if len(students) == 1 else 'students'} {', '.join(students)}" if students else ""
    out.print(f"No submission{whose} was found in {submitted}, where each is a folder STUDENT/LESSON.")
    for student in students:
        if (alike := meant(student, submitted)) and alike != student:
            out.print(f"Did you mean {alike}, not {student}?")
    strange = list(unknown(submitted, lessons, students))[:_ROWS]
    for place, to_do in strange:
        out.print(f"{place}: {to_do}")
    return typer.Exit(1 if students or strange else 0)


def _no_wall(error: WallUnavailable) -> CourseError:
    return CourseError(f"Nothing is graded without a sandbox. {error.reason}\n{error.fix}")


def _refuse_unwritable(json_file: Path) -> None:
    """See before an hour's work that its results can be written."""
    if json_file.is_dir() or not json_file.absolute().parent.is_dir():
        raise CourseError(f"--json {json_file}: no file can be written there. Nothing was graded.")
    if not json_file.exists() or json_file.is_file():
        try:
            tempfile.TemporaryFile(dir=json_file.absolute().parent).close()
        except OSError as error:
            raise CourseError(f"--json {json_file}: {error.strerror}. Nothing was graded.") from None


def _write_results(json_file: Path, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Write what `grade --json` asks for, row by row; say why if that fails."""
    texts = (textwrap.indent(json.dumps(row, ensure_ascii=False, indent=1), " ") for row in rows)
    parts = ((",\n" if number else "[\n") + text for number, text in enumerate(texts))
    try:
        if json_file.exists() and not json_file.is_file():  # such as /dev/stdout
            with json_file.open("w", encoding="utf-8") as file:
                file.writelines([*parts, "\n]\n"])
        else:
            replace_file(json_file.absolute(), (part.encode() for part in chain(parts, ["\n]\n"])))
    except OSError as error:
        err.print(f"{json_file} could not be written: {error.strerror}. The gradebook has the results;")
        err.print("run the same command again: it writes the file, and grades nothing twice.")
        return False
    return True


@app.command(rich_help_panel=CLASS)
def pack(
    lang: Annotated[Packed, typer.Option(help="The languages of the lessons.")] = Packed.both,
    output: Annotated[Path, typer.Option(help="The folder for the zip.")] = Path(),
) -> None:
    """Write a zip for the students of a class: lessons, what to install, how to start.

    It contains no answer, hidden test or worked solution; it is searched for every line of them.
    """
    from autograder.edition import pack as edition

    languages = [each for each in LANGUAGES if lang in (each, "both")]
    packed = edition.pack(find_root(Path.cwd()), languages, output)
    out.print(f"{packed.path}: {counted(packed.lessons, 'lesson')}, {packed.bytes / 1e6:.1f} MB.")
    out.print("No line of an answer, a hidden test or a worked solution was found in it.")


@app.command(rich_help_panel=AUTHORS)
def build(
    lesson: Annotated[
        list[str] | None, typer.Argument(help="1, 01 or a folder's name; default: all.")
    ] = None,
    lang: Annotated[
        str, typer.Option(help="The language to release: one of course/syllabus.toml's, or all.")
    ] = "all",
    check: Annotated[
        bool, typer.Option("--check", help="Only compare; exit 1 if anything is stale.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse stale translations, as a release must.")
    ] = False,
    list_stale: Annotated[
        bool, typer.Option("--stale", help="Only list the translations that do not follow the English.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited source notebooks.")] = False,
    accept_translations: Annotated[
        bool,
        typer.Option(
            "--accept-translations",
            help="Mark the translations of these lessons as checked against the English.",
        ),
    ] = False,
) -> None:
    """Build source/ and release/ from course/."""
    # nbgrader takes two seconds to import, which other commands need not wait for.
    from autograder.build import builder

    root = find_root(Path.cwd())
    lessons = choose_lessons(find_lessons(root), lesson or [])
    if accept_translations:
        _accept_translations(lessons, bool(lesson) and not check)
    if list_stale:
        _list_stale(lessons)
        return
    known = course_languages(root)
    if lang not in (*known, "all"):
        raise CourseError(f"--lang must be {', '.join(known)} or all, not {lang}.")
    languages = known if lang == "all" else [lang]
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("Building", total=len(lessons) * (1 + len(languages)))
        try:
            built = builder.build(
                root,
                lessons,
                languages,
                check=check,
                strict=strict,
                force=force,
                step=lambda: progress.advance(bar),
            )
        except builder.BuildError as error:
            progress.stop()
            for problem in error.problems:
                err.print(problem, style="red")
            err.print(f"Nothing was built: {counted(len(error.problems), 'problem')}.")
            raise typer.Exit(1) from None
    for path in built.written:
        out.print(f"wrote    {path}", style="green")
    for stale in built.stale:
        out.print(f"{stale.why:8} {stale.path}", style="yellow")
    if check:
        out.print(f"{counted(built.lessons, 'lesson')}: {counted(len(built.stale), 'stale file')}.")
        raise typer.Exit(1 if built.stale else 0)
    out.print(f"{counted(built.lessons, 'lesson')}: {counted(len(built.written), 'file')} written.")
    if built.stale:
        out.print(
            "Extra files belong to no lesson of the course. "
            "A build does not delete them: delete them yourself."
        )
    if built.stale_translations:
        count = counted(len(built.stale_translations), "stale translation")
        out.print(f"{count}: `autograder build --stale` lists what a release needs.", style="yellow")


def _list_stale(lessons: Sequence[Lesson]) -> None:
    from autograder.build.translations import stale_translations

    places = [place for lesson in lessons for place in stale_translations(lesson)]
    for place in places:
        out.print(place, style="yellow", highlight=False)
    out.print(f"{counted(len(lessons), 'lesson')}: {counted(len(places), 'stale translation')}.")


def _accept_translations(lessons: Sequence[Lesson], may: bool) -> None:
    """Write the hashes; whoever says that a translation follows says of which lesson."""
    from autograder.build.translations import accept_translations

    if not may:
        raise CourseError("Name the lessons for --accept-translations. It cannot be used with --check.")
    for place in (place for lesson in lessons for place in accept_translations(lesson)):
        out.print(f"accepted {place}", style="green")


@app.command(rich_help_panel=AUTHORS)
def new(
    name: Annotated[str, typer.Argument(help="The lesson's folder, like 11_my_lesson.")],
) -> None:
    """Write a small complete lesson to start from: two tasks, an explorer, hints, right and wrong answers."""
    from autograder.build.new import new_lesson

    new_lesson(find_root(Path.cwd()), name)
    number = name[:2]
    out.print(f"wrote    course/{name}, which builds and passes.", style="green")
    out.print(
        f"Edit course/{name}/{name}.py while `autograder preview {number}` runs: it builds at each save."
    )
    out.print(f"`make test lesson={number}` tests its right and wrong answers.")
    out.print("When it is ready, add a [[lesson]] to course/syllabus.toml to show it on the start page.")


@app.command(rich_help_panel=AUTHORS)
def preview(
    lesson: Annotated[str, typer.Argument(help="1, 01 or the folder's name.")],
) -> None:
    """Build a lesson whenever one of its files is saved, and report what breaks the lesson contract."""
    from autograder.build.preview import preview as watched

    root = find_root(Path.cwd())
    (chosen,) = choose_lessons(find_lessons(root), [lesson])
    with suppress(KeyboardInterrupt):
        for turn in watched(root, chosen):
            for problem in turn.problems:
                err.print(problem, style="red")
            for path in turn.written:
                out.print(f"wrote    {path}", style="green")
            problems = counted(len(turn.problems), "problem")
            state = problems if turn.problems else f"built in {turn.seconds:.1f} s"
            out.print(f"{chosen.name}: {state}. Waiting for a change; Ctrl-C ends it.")


@app.command("try", rich_help_panel=AUTHORS)
def try_(
    lesson: Annotated[str, typer.Argument(help="1, 01 or the folder's name.")],
    task: Annotated[str, typer.Argument(help="The task's name; default: all of the lesson's.")] = "",
    lang: Annotated[Spoken, typer.Option(help="The language of the messages.")] = Spoken.en,
    values: Annotated[
        bool,
        typer.Option("--values", help="Show instead what wrong answers return for the visible cases."),
    ] = False,
) -> None:
    """Show what a test cell says about the course's own answer and each recorded one, right or wrong.

    It reads course/; nothing has to be built. Name the task that you work on: a lesson takes minutes.

    It also counts the wrong answers that the visible part refuses. With --values it prints, for each question
    of the visible part, the value of each wrong answer as a mistake to paste into the test cell.

    Exit status: 0 all is as recorded, 1 something is not.
    """
    from autograder.build.trying import share_seen, try_answers

    (chosen,) = choose_lessons(find_lessons(find_root(Path.cwd())), [lesson])
    if values:
        _show_values(chosen, task)
        return
    answers = amiss = 0
    for name, group in groupby(try_answers(chosen, task, lang.value), lambda tried: tried.task.id):
        out.print(name, style="bold")
        of_task = []
        for tried in group:
            of_task.append(tried)
            _show_tried(tried)
        answers += len(of_task)
        amiss += sum(bool(tried.amiss) for tried in of_task)
        said, suffices = share_seen(of_task)
        out.print(f"  {said}", style="" if suffices else "red", highlight=False)
    out.print(f"{counted(answers, 'answer')}: {amiss} not as recorded.")
    raise typer.Exit(1 if amiss else 0)


def _show_values(lesson: Lesson, task: str) -> None:
    from autograder.build.values import wrong_values

    for case in wrong_values(lesson, task):
        print(case.call)  # as it is: no line is wrapped, and no bracket is markup
        print(f"    {case.right}  # the course's own answer")
        for mistake in case.mistakes:
            print(f"    {mistake}")


def _show_tried(tried: "Tried") -> None:
    told = " ".join(tried.message.split()) or "passed"
    hint = f"`{tried.hint}`: " if tried.hint else ""
    name = tried.answer.name if tried.kind == "own" else f"{tried.kind}: {tried.answer.name}"
    out.print(f"  {name}: {hint}{told}")
    if tried.amiss:
        out.print(f"    NOT AS RECORDED: {tried.amiss}", style="red")


@app.command(rich_help_panel=CLASS)
def doctor() -> None:
    """Check what this machine can and cannot do, and what to install.

    Exit status: 0 other people's work can be graded here, 1 it cannot.
    """
    from autograder.doctor import can_grade, look_around

    findings = look_around(Path.cwd())
    table = Table("", "", "Found", "To do")
    for finding in findings:
        mark, style = ("ok", "green") if finding.ok else ("no", "red" if finding.needed else "yellow")
        table.add_row(Text(mark, style), finding.what, Text(finding.detail), Text(finding.fix))
    # Wrapped here, since somebody has to read the last column.
    Terminal().print(table)
    can = can_grade(findings)
    out.print("Grading is possible here." if can else "Other people's work cannot be graded here.")
    out.print("Checking your own notebook needs no sandbox: `autograder check`.")
    raise typer.Exit(0 if can else 1)


@contextmanager
def _told(what: str, total: int) -> Iterator[Callable[[object, str], None]]:
    """Show how far something is and what is said meanwhile; without a terminal, a line now and then."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(what, total=total)
        done, said = 0, time.monotonic()

        def tell(entry: object, text: str) -> None:
            nonlocal done, said
            if text:
                progress.console.print(f"{entry}: {text}")
                return
            done += 1
            progress.advance(bar)
            if not out.is_terminal and done < total and time.monotonic() - said >= _LINE_SECONDS:
                said = time.monotonic()
                out.print(f"{what}: {done} of {total}")

        yield tell


def main() -> None:
    """Run the command line; a CourseError becomes its one sentence and exit status 2."""
    print_whatever_comes()
    try:
        app()
    except CourseError as error:
        err.print(str(error), style="red")
        sys.exit(2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        err.print(f"{where}{error.strerror or error}.", style="red")
        sys.exit(2)


if __name__ == "__main__":
    main()
