"""The command line: autograder build, check, grade, feedback, collect, export, report, forget, pack, ..."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.course.find_assignments import choose_gradable
from autograder.course.lesson import (
    Lesson,
    calls_use_secant,
    choose_lessons,
    course_languages,
    find_lessons,
    find_root,
)
from autograder.terminal import Terminal, err, out, warn_of_readable_files
from secant.language import LANGUAGES, counted, escape_unencodable, language, say, terminal_language
from secant.terminal import Command, argument, option, options_metavar, print_version

if TYPE_CHECKING:
    from autograder.build.add import AddResult
    from autograder.build.trying import TriedAnswer

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


# The groups of commands in `autograder --help`, one for each kind of user.
STUDENTS, CLASS, AUTHORS = "For students", "Grading a class", "Writing lessons"

Lessons = Annotated[list[str] | None, typer.Argument(help="1, 01 or a folder's name; default: all.")]
AssignmentNames = Annotated[
    list[str] | None,
    typer.Argument(
        help="A lesson (1, 01) or the folder's name of any assignment; default: all.", metavar="NAME"
    ),
]
Students = Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.")]


class PackLanguage(StrEnum):
    """The values that `pack --lang` accepts."""

    en = "en"
    ko = "ko"
    both = "both"


class OutputLanguage(StrEnum):
    """The values that `try --lang` and `report --lang` accept."""

    en = "en"
    ko = "ko"


class Target(StrEnum):
    """The values that `export --for` accepts."""

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
    """Check the user's own notebook, and exit with the status that the command's help describes."""
    from autograder import check as check_module
    from autograder.course.find import find_notebook

    language(terminal_language())  # the language to use until the notebook's own language is known
    if watch and (as_json or solution):
        raise CourseError(
            say(
                en="--watch shows changes on the screen. It cannot be used with --json or --solution.",
                ko="--watch는 바뀐 것을 화면에 보여 줍니다. --json이나 --solution과 함께 쓸 수 없습니다.",
            )
        )
    path = find_notebook(notebook, Path.cwd())
    if solution:
        check_module.show_solution(path, solution, give_up=give_up)
        return
    try:
        if watch:
            check_module.watch(path)
        outcome = check_module.check(path)
    except KeyboardInterrupt:
        err.print(say(en="Stopped.", ko="중단했습니다."))
        raise typer.Exit(0 if watch else 130) from None
    if as_json:
        sys.stdout.write(json.dumps(outcome.as_json(), ensure_ascii=False) + "\n")
    else:
        check_module.show(outcome)
    raise typer.Exit(0 if outcome.all_right else 1)


@app.command(rich_help_panel=CLASS)
def grade(
    lesson: AssignmentNames = None,
    student: Students = None,
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

    The command ends with a table of what needs your attention.

    Exit status: 0 if everything there is graded, 1 if something could not be graded or read, has several
    notebooks with different answers, or is in the wrong place, 2 if nothing can be graded here. The status
    stays 0 for notes that need manual grading, unknown students, unclear or late times of submission, and
    students who handed in nothing.
    """
    _refuse_windows()
    from autograder import run

    if scheduler and workers:
        raise CourseError("--workers and --scheduler cannot be used together.")
    selection = run.select(find_root(Path.cwd()), lesson, student)
    status = run.grade(selection, workers, scheduler, json_file, force=force, change_tasks=change_tasks)
    raise typer.Exit(status)


@app.command(rich_help_panel=CLASS)
def feedback(
    lesson: AssignmentNames = None,
    student: Students = None,
    force: Annotated[bool, typer.Option("--force", help="Make all pages, not only outdated ones.")] = False,
) -> None:
    """Update the pages in feedback/ that no longer match the gradebook. No student's code runs.

    Exit status: 0 if all pages are up to date, 1 if some could not be made, 2 if none can be made here.
    """
    _refuse_windows()
    from autograder import run

    selection = run.select(find_root(Path.cwd()), lesson, student)
    raise typer.Exit(run.make_pages(selection, force=force))


@app.command(rich_help_panel=CLASS)
def enroll(
    table: Annotated[
        Path, typer.Argument(help="The class: a CSV with ids and, optionally, names and e-mail.")
    ],
) -> None:
    """Enter a list of students into the gradebook. What the list does not contain stays as it is.

    The list may be any CSV that `collect --roster` reads, with commas, semicolons or tabs, in Excel's
    encodings.
    """
    _refuse_windows()
    from autograder import transfer

    language(terminal_language())
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

    The command reads the archives of Moodle, Canvas, Brightspace and Blackboard.

    Exit status: 0 if everything is in place, 1 if something needs your attention, 2 if nothing can be
    collected here.
    """
    _refuse_windows()
    from autograder import transfer
    from autograder.json_file import refuse_unwritable

    language(terminal_language())
    if json_file:
        refuse_unwritable(json_file)
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

    language(terminal_language())
    transfer.export(find_root(Path.cwd()), system.value, lesson, fill, column, output)


@app.command(rich_help_panel=CLASS)
def report(
    lesson: Annotated[
        str,
        typer.Argument(
            help="A lesson (1, 01) or the folder's name of any assignment; default: all together.",
            metavar="NAME",
        ),
    ] = "",
    lang: Annotated[
        OutputLanguage | None, typer.Option(help="The page's language; default: this machine's.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Replace names by pseudonyms, the same ones in every report.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The folder to write to; default: report/.")
    ] = None,
) -> None:
    """Write a page and a table about a lesson: tasks, misconceptions, who needs help, very similar answers.

    If no lesson is given, the page covers all lessons and lists the students who are falling behind.
    """
    _refuse_windows()
    from autograder.course.settings import REPORT, Course
    from autograder.gradebook.errors import GradebookBusy
    from autograder.report.write import ReportOptions, write_report

    language(lang.value if lang else terminal_language())
    course = Course.at(find_root(Path.cwd()))
    source = course.directory.source_directory
    chosen = choose_gradable(course.root, [lesson], source)[0] if lesson else None
    options = ReportOptions(language(), anonymous, folder.absolute() if folder else course.root / REPORT)
    try:
        paths = write_report(course, chosen, options, datetime.now())
    except GradebookBusy as error:
        raise CourseError(f"The gradebook could not be read: {error}.") from error
    for path in paths:
        out.print(f"wrote {path}")
    warn_of_readable_files(course)


@app.command(rich_help_panel=CLASS)
def forget(
    student: Annotated[str, typer.Argument(help="The student's id.")],
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
) -> None:
    """Delete a student's entries and work, and the folders that name all students: exported/ and report/.

    Exit status: 0 if no file that was searched names the student any more, 1 if some files still do or could
    not be searched, 2 if nothing was deleted.
    """
    _refuse_windows()
    from autograder.course.settings import Course
    from autograder.lms.forget import forget as forget_student

    course = Course.at(find_root(Path.cwd()))
    if not force:
        typer.confirm(f"Delete all grades and work of {student}? This cannot be undone", abort=True)
    result = forget_student(course, student)
    if not result.deleted:
        out.print(f"No grades or work of {student} were found here.")
    else:
        out.print(f"Deleted: {', '.join(result.deleted)}.")
    if result.remaining:
        out.print(f"Still named in: {', '.join(result.remaining)}.")
        out.print("These hold other students' grades, too: delete the files, or the student in them.")
    if result.unsearched:
        out.print(f"Could not be searched: {', '.join(result.unsearched)}.")
    out.print(
        "Not searched: the exchange, other folders than those that Secant fills, .py, .md, .toml and .ipynb "
        "files in the course's folder, git's history, backups."
    )
    raise typer.Exit(1 if result.remaining or result.unsearched else 0)


def _refuse_windows() -> None:
    if sys.platform == "win32":
        raise CourseError(
            "Other people's work is graded only on Linux: use WSL 2. "
            "You can check your own notebook here: `autograder check`."
        )


@app.command(rich_help_panel=CLASS)
def pack(
    lang: Annotated[PackLanguage, typer.Option(help="The languages of the lessons.")] = PackLanguage.both,
    output: Annotated[Path, typer.Option(help="The folder for the zip.")] = Path(),
) -> None:
    """Write a zip for the students of a class: lessons, what to install, how to start.

    The zip contains no answer, hidden test or worked solution: the command searches it for every line of
    them. In a course of your own to which lessons were added, the zip contains all of Secant's lessons in
    their original versions.
    """
    from autograder.edition import pack as edition

    languages = [code for code in LANGUAGES if lang in (code, "both")]
    packed = edition.pack(_course_to_pack(find_root(Path.cwd())), languages, output)
    out.print(f"{packed.path}: {counted(packed.lessons, 'lesson')}, {packed.bytes / 1e6:.1f} MB.")
    out.print("No line of an answer, a hidden test or a worked solution was found in it.")


def _course_to_pack(root: Path) -> Path:
    from autograder.build import add as add_module

    return add_module.find_installed_course()[0] if add_module.is_user_course(root) else root


@app.command(rich_help_panel=CLASS)
def add(
    lesson: Annotated[
        list[str] | None,
        typer.Argument(help="1, 01 or a folder's name; default: the lessons that the course has."),
    ] = None,
    lang: Annotated[
        list[OutputLanguage] | None,
        typer.Option(
            help="The language to release; repeat it for both, the main one first. Default: as it is, "
            "or English."
        ),
    ] = None,
) -> None:
    """Copy Secant's lessons into source/ of an nbgrader course of your own, or update them there.

    A lesson that somebody has changed stays as it is, and a line says so.

    Exit status: 0 if no lesson is older than in this version of Secant, 1 if a changed lesson was not
    updated, 2 if nothing was copied.
    """
    from autograder.build import add as add_module

    root = add_module.find_user_course(Path.cwd())
    lessons = add_module.find_installed_course()[1]
    chosen = choose_lessons(lessons, lesson) if lesson else add_module.already_added(root, lessons)
    if not chosen:
        raise CourseError(f"Name the lessons to copy: {', '.join(installed.name for installed in lessons)}.")
    added = [
        add_module.add_lesson(root, chosen_lesson, list(dict.fromkeys(lang or [])))
        for chosen_lesson in chosen
    ]
    for added_lesson in added:
        _show_added(added_lesson)
    updated_lessons = [
        added_lesson.lesson for added_lesson in added if added_lesson.outcome in ("copied", "updated")
    ]
    if not calls_use_secant(root):
        out.print(f"Add this line to the end of {root / 'nbgrader_config.py'}:")
        out.print(f"    {add_module.LINE}", style="bold")
    if updated_lessons:
        out.print(
            "Then release each lesson like any assignment. To release a new version again, add --force:"
        )
        out.print(f"    nbgrader generate_assignment {updated_lessons[0]}", style="bold")
        out.print(f"    nbgrader release_assignment {updated_lessons[0]}", style="bold")
    raise typer.Exit(1 if any(added_lesson.outcome == "left" for added_lesson in added) else 0)


def _show_added(added: "AddResult") -> None:
    changed_files = ", ".join(map(str, added.files))
    if added.outcome == "edited":
        out.print(
            f"edited    {added.lesson}: this Secant has nothing newer than what you changed: {changed_files}."
        )
    elif added.outcome == "left":
        out.print(
            f"left      {added.lesson}: not the version of this Secant, and changed here: {changed_files}."
        )
        out.print("          To get Secant's version, move these files elsewhere and run this again.")
    else:
        files = f": {counted(len(added.files), 'file')}" if added.files else ""
        out.print(f"{added.outcome:9} {added.lesson}{files}", style="green" if added.files else "")


@app.command(rich_help_panel=AUTHORS)
def build(
    lesson: Lessons = None,
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
    # Importing nbgrader takes two seconds, and other commands need not wait for it.
    from autograder.build import builder

    root = find_root(Path.cwd())
    lessons = choose_lessons(find_lessons(root), lesson or [])
    _refuse_copies(root, lessons)
    if accept_translations:
        _accept_translations(lessons, bool(lesson) and not check)
    if list_stale:
        _list_stale(lessons)
        return
    all_languages = course_languages(root)
    if lang not in (*all_languages, "all"):
        raise CourseError(f"--lang must be {', '.join(all_languages)} or all, not {lang}.")
    languages = all_languages if lang == "all" else [lang]
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
        out.print(f"{stale.reason:8} {stale.path}", style="yellow")
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


def _refuse_copies(root: Path, lessons: Sequence[Lesson]) -> None:
    """Refuse to build lessons that `autograder add` copied, because their text in course/ was not copied."""
    from autograder.build.add import is_user_course

    if not is_user_course(root):
        return
    if not lessons:
        raise CourseError(f"{root} has no lessons to build. `autograder add` copies Secant's into it.")
    copies = [lesson.name for lesson in lessons if not lesson.text.is_file()]
    if copies:
        raise CourseError(
            f"{', '.join(copies)}: nothing to build, course/ has no text of it. To release a copied lesson, "
            "edited or not: nbgrader generate_assignment"
        )


def _list_stale(lessons: Sequence[Lesson]) -> None:
    from autograder.build.translations import stale_translations

    locations = [location for lesson in lessons for location in stale_translations(lesson)]
    for location in locations:
        out.print(location, style="yellow")
    out.print(f"{counted(len(lessons), 'lesson')}: {counted(len(locations), 'stale translation')}.")


def _accept_translations(lessons: Sequence[Lesson], is_allowed: bool) -> None:
    """Mark the translations of lessons as checked; refuse if no lesson was named or --check was given."""
    from autograder.build.translations import accept_translations

    if not is_allowed:
        raise CourseError("Name the lessons for --accept-translations. It cannot be used with --check.")
    for location in (location for lesson in lessons for location in accept_translations(lesson)):
        out.print(f"accepted {location}", style="green")


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
    from autograder.build.preview import preview as preview_lesson

    root = find_root(Path.cwd())
    (chosen,) = choose_lessons(find_lessons(root), [lesson])
    with suppress(KeyboardInterrupt):
        for result in preview_lesson(root, chosen):
            for problem in result.problems:
                err.print(problem, style="red")
            for path in result.written:
                out.print(f"wrote    {path}", style="green")
            problems = counted(len(result.problems), "problem")
            state = problems if result.problems else f"built in {result.seconds:.1f} s"
            out.print(f"{chosen.name}: {state}. Waiting for a change; Ctrl-C ends it.")


@app.command("try", rich_help_panel=AUTHORS)
def try_(
    lesson: Annotated[str, typer.Argument(help="1, 01 or the folder's name.")],
    task: Annotated[str, typer.Argument(help="The task's name; default: all of the lesson's.")] = "",
    lang: Annotated[OutputLanguage, typer.Option(help="The language of the messages.")] = OutputLanguage.en,
    values: Annotated[
        bool,
        typer.Option("--values", help="Show instead what wrong answers return for the visible cases."),
    ] = False,
) -> None:
    """Show what a test cell says about the course's own answer and each recorded right or wrong answer.

    The command reads course/; nothing has to be built. Name the task that you work on, because trying a
    whole lesson takes minutes.

    The command also counts the wrong answers that the visible part of the test cell refuses. With --values it
    prints, for each question of the visible part, the value of each wrong answer as a mistake to paste into
    the test cell.

    Exit status: 0 if every result is as recorded, 1 if not.
    """
    from autograder.build.trying import summarize_rejections, try_answers

    (chosen,) = choose_lessons(find_lessons(find_root(Path.cwd())), [lesson])
    if values:
        _show_values(chosen, task)
        return
    answers = mismatches = 0
    for name, group in groupby(
        try_answers(chosen, task, lang.value), lambda tried_answer: tried_answer.task.id
    ):
        out.print(name, style="bold")
        task_answers = []
        for tried_answer in group:
            task_answers.append(tried_answer)
            _show_tried(tried_answer)
        answers += len(task_answers)
        mismatches += sum(bool(tried_answer.mismatch) for tried_answer in task_answers)
        sentence, suffices = summarize_rejections(task_answers)
        out.print(f"  {sentence}", style="" if suffices else "red")
    out.print(f"{counted(answers, 'answer')}: {mismatches} not as recorded.")
    raise typer.Exit(1 if mismatches else 0)


def _show_values(lesson: Lesson, task: str) -> None:
    from autograder.build.values import wrong_values

    for case in wrong_values(lesson, task):
        print(case.call)  # unlike out.print, print neither wraps lines nor interprets brackets as markup
        print(f"    {case.right}  # the course's own answer")
        for mistake in case.mistakes:
            print(f"    {mistake}")


def _show_tried(tried_answer: "TriedAnswer") -> None:
    message = " ".join(tried_answer.message.split()) or "passed"
    hint = f"`{tried_answer.hint}`: " if tried_answer.hint else ""
    name = (
        tried_answer.answer.name
        if tried_answer.kind == "own"
        else f"{tried_answer.kind}: {tried_answer.answer.name}"
    )
    out.print(f"  {name}: {hint}{message}")
    if tried_answer.mismatch:
        out.print(f"    NOT AS RECORDED: {tried_answer.mismatch}", style="red")


@app.command(rich_help_panel=CLASS)
def doctor() -> None:
    """Check what this machine can and cannot do, and what to install.

    Exit status: 0 if other people's work can be graded here, 1 if not.
    """
    from autograder.doctor import can_grade, run_checks

    findings = run_checks(Path.cwd())
    table = Table("", "", "Found", "To do")
    for finding in findings:
        mark, style = ("ok", "green") if finding.ok else ("no", "red" if finding.needed else "yellow")
        table.add_row(Text(mark, style), finding.name, Text(finding.detail), Text(finding.fix))
    # This terminal wraps long lines, so that the last column stays readable.
    Terminal().print(table)
    is_possible = can_grade(findings)
    out.print("Grading is possible here." if is_possible else "Other people's work cannot be graded here.")
    out.print("Checking your own notebook needs no sandbox: `autograder check`.")
    raise typer.Exit(0 if is_possible else 1)


def main() -> None:
    """Run the command line. Print a CourseError or an OSError as one sentence, and exit with status 2."""
    escape_unencodable()
    try:
        app()
    except CourseError as error:
        err.print(str(error), style="red")
        sys.exit(2)
    except OSError as error:
        prefix = f"{error.filename}: " if error.filename else ""
        err.print(f"{prefix}{error.strerror or error}.", style="red")
        sys.exit(2)


if __name__ == "__main__":
    main()
