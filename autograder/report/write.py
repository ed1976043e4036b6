"""Write the page and the table of `autograder report` into a folder."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.course.assignment import read_releases
from autograder.course.find_assignments import find_gradable
from autograder.course.settings import REPORT, Course
from autograder.gradebook.book import Book
from autograder.gradebook.class_list import people
from autograder.gradebook.tables import Table, as_csv
from autograder.grading.feedback import headings
from autograder.grading.secret import course_secret
from autograder.report.copies import pairs
from autograder.report.figures import CourseFigures, LessonFigures, course_figures, lesson_figures
from autograder.report.lesson_text import LessonText
from autograder.report.names import pseudonym, vocabulary, without_names
from autograder.report.page import PageSettings, course_page, lesson_page
from autograder.report.previous_report import FOLDER, compare
from autograder.report.reading import Work, read_lesson_text, read_works
from secant.files import replace_file
from secant.language import Language

# a pattern that matches the start of every lesson's name; another assignment's name may also match it
_LESSON_START = re.compile(r"\d\d_")
COURSE = "course"  # file name of the report on all lessons, without the extension


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report: its language, whether it is anonymous, and its folder."""

    language: Language
    anonymous: bool
    folder: Path


@dataclass(frozen=True)
class _Names:
    """The students' names in a report."""

    secret: bytes
    anonymous: bool
    people: Mapping[str, Mapping[str, str]]

    def report_name(self, student: str) -> str:
        """Return a student's name in the report, given the student's id."""
        return pseudonym(self.secret, student) if self.anonymous else student

    def pseudonym_of(self, report_name: str) -> str:
        """Return a student's pseudonym, given the student's name in the report."""
        return report_name if self.anonymous else pseudonym(self.secret, report_name)

    @property
    def full_names(self) -> Mapping[str, str]:
        """The students' full names, keyed by id; empty if they must not be shown."""
        if self.anonymous:
            return {}
        return {
            student: f"{row['first_name']} {row['last_name']}".strip() for student, row in self.people.items()
        }

    def head(self) -> list[str]:
        """Return the headings of the table's first columns, which identify the student."""
        return ["student"] if self.anonymous else ["student", "first_name", "last_name"]

    def cells(self, report_name: str) -> list[str]:
        """Return a student's cells in the first columns of the table."""
        row = self.people.get(report_name, {})
        return (
            [report_name]
            if self.anonymous
            else [report_name, row.get("first_name", ""), row.get("last_name", "")]
        )


def page_name(name: str, language: Language) -> str:
    """Return the file name of a report's page in a language.

    Args:
        name: a lesson's name, or COURSE for all lessons.
        language: the language of the page.
    """
    return f"{name}.html" if language == "en" else f"{name}.{language}.html"


def write_report(course: Course, lesson: str | None, options: ReportOptions, now: datetime) -> list[Path]:
    """Write a report's page and table.

    Args:
        course: the course directory.
        lesson: the name of a lesson or another assignment; None for all.
        options: the options of the report.
        now: the current time.

    Returns:
        The paths of the page and the table.

    Raises:
        CourseError: another run is using this course, the lesson is not built, or the gradebook cannot be
            opened.
        GradebookBusy: the gradebook could not be read.
        OSError: the files cannot be written.
    """
    with course_secret(course.root) as secret, Book(course.directory, course.config) as book:
        names = _Names(secret, options.anonymous, {row["id"]: row for row in people(book)})
        if lesson is None:
            page, table = _course_report(course, book, options, names, now)
        else:
            page, table = _lesson_report(course, book, lesson, options, names, now)
    name = (lesson or COURSE) + (".anonymous" if options.anonymous else "")
    files = {
        options.folder / page_name(name, options.language): page.encode(),
        options.folder / f"{name}.csv": as_csv(table),
    }
    options.folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        replace_file(path, data, private=True)
    return list(files)


def _head(options: ReportOptions, names: _Names, now: datetime, code: Sequence[str] = ()) -> PageSettings:
    format_code = partial(without_names, public=vocabulary(code)) if options.anonymous else str
    return PageSettings(
        options.language, f"{now:%Y-%m-%d %H:%M}", names.full_names, options.anonymous, format_code
    )


# --- Writing the report on one lesson -----------------------------------------------------------------------


def _lesson_report(
    course: Course, book: Book, lesson: str, options: ReportOptions, names: _Names, now: datetime
) -> tuple[str, Table]:
    text = read_lesson_text(course, lesson, options.language)
    works = read_works(course, book, lesson, text, names.report_name)
    figures = lesson_figures(works, text)
    changes = compare(figures, course.root / REPORT / FOLDER / f"{lesson}.json", names.pseudonym_of, now)
    similar_pairs = pairs({work.student: work.answers for work in works if work.answers}, text.texts)
    page = lesson_page(_head(options, names, now, text.code), text, figures, changes, similar_pairs)
    return page, _lesson_table(figures, text, names)


def _lesson_table(figures: LessonFigures, text: LessonText, names: _Names) -> Table:
    struggling = {work.student for work in figures.struggling}
    summary_columns = ["state", "points", "max_points", "needs_help", "waiting"]
    tasks = [column for task in text.tasks for column in (task, f"{task} hint")]
    rows = [
        [*names.cells(work.student), *_summary(work, work.student in struggling), *_outcomes(work, text)]
        for work in figures.works
    ]
    return Table([*names.head(), *summary_columns, *tasks], rows)


def _summary(work: Work, needs_help: bool) -> list[str]:
    graded_tasks = [task for task in work.tasks if task.auto is not None]
    if work.share is None:
        return [work.state, "", "", "", str(len(work.waiting) or "")]
    points, available = (
        sum(task.points for task in graded_tasks),
        sum(task.max_points for task in graded_tasks),
    )
    return [
        work.state,
        f"{points:g}",
        f"{available:g}",
        "yes" if needs_help else "",
        str(len(work.waiting) or ""),
    ]


def _outcomes(work: Work, text: LessonText) -> list[str]:
    rows = {task.id: task for task in work.tasks}
    task_rows = (rows.get(task) for task in text.tasks)
    return [cell for task in task_rows for cell in ((task.outcome, task.hint) if task else ("", ""))]


# --- Writing the report on all lessons ----------------------------------------------------------------------


def _course_report(
    course: Course, book: Book, options: ReportOptions, names: _Names, now: datetime
) -> tuple[str, Table]:
    names_of_lessons = find_gradable(course.root, course.directory.source_directory).names
    works = {name: read_works(course, book, name, None, names.report_name) for name in names_of_lessons}
    figures = course_figures(works)
    titles = {name: _title(course, name, options.language) for name in figures.lessons}
    return course_page(_head(options, names, now), titles, figures), _course_table(figures, works, names)


def _title(course: Course, lesson: str, language: Language) -> str:
    if not _LESSON_START.match(lesson):
        return lesson
    releases = read_releases(course.root, lesson)
    release = releases.get(language) or next(iter(releases.values()), None)
    title = headings(release).get("", lesson) if release else lesson
    return f"{int(lesson[:2])}. {title}"


def _course_table(figures: CourseFigures, works: Mapping[str, Sequence[Work]], names: _Names) -> Table:
    drifting = {drift.student: drift for drift in figures.drifting}
    work_by_key = {
        (name, work.student): work for name, lesson_works in figures.lessons.items() for work in lesson_works
    }
    rows = []
    for student in sorted({work.student for lesson_works in works.values() for work in lesson_works}):
        drift = drifting.get(student)
        missing = str(len(drift.missing) or "") if drift else ""
        fall = f"{100 * drift.fall:.0f}" if drift and drift.fall else ""
        cells = [_percent(work_by_key.get((name, student))) for name in figures.lessons]
        rows.append([*names.cells(student), missing, fall, *cells])
    return Table([*names.head(), "lessons_missing", "fall_percent", *figures.lessons], rows)


def _percent(work: Work | None) -> str:
    """Return the percentage of points earned, or the state of the work if it was handed in but not graded."""
    if work is None or work.share is None:
        return work.state if work and work.state != "absent" else ""
    return f"{100 * work.share:.0f}"
