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
class Form:
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


def write_report(course: Course, lesson: str | None, form: Form, now: datetime) -> list[Path]:
    """Write a report's page and table.

    Args:
        course: the course directory.
        lesson: the name of a lesson or another assignment; None for all.
        form: the options of the report.
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
        names = _Names(secret, form.anonymous, {row["id"]: row for row in people(book)})
        if lesson is None:
            page, table = _on_the_course(course, book, form, names, now)
        else:
            page, table = _on_a_lesson(course, book, lesson, form, names, now)
    name = (lesson or COURSE) + (".anonymous" if form.anonymous else "")
    files = {
        form.folder / page_name(name, form.language): page.encode(),
        form.folder / f"{name}.csv": as_csv(table),
    }
    form.folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        replace_file(path, data, private=True)
    return list(files)


def _head(form: Form, names: _Names, now: datetime, code: Sequence[str] = ()) -> PageSettings:
    shown_code = partial(without_names, public=vocabulary(code)) if form.anonymous else str
    return PageSettings(form.language, f"{now:%Y-%m-%d %H:%M}", names.full_names, form.anonymous, shown_code)


# --- Writing the report on one lesson -----------------------------------------------------------------------


def _on_a_lesson(
    course: Course, book: Book, lesson: str, form: Form, names: _Names, now: datetime
) -> tuple[str, Table]:
    text = read_lesson_text(course, lesson, form.language)
    works = read_works(course, book, lesson, text, names.report_name)
    figures = lesson_figures(works, text)
    changes = compare(figures, course.root / REPORT / FOLDER / f"{lesson}.json", names.pseudonym_of, now)
    alike = pairs({work.student: work.answers for work in works if work.answers}, text.texts)
    page = lesson_page(_head(form, names, now, text.code), text, figures, changes, alike)
    return page, _lesson_table(figures, text, names)


def _lesson_table(figures: LessonFigures, text: LessonText, names: _Names) -> Table:
    struggling = {work.student for work in figures.struggling}
    own = ["state", "points", "max_points", "needs_help", "waiting"]
    tasks = [column for task in text.tasks for column in (task, f"{task} hint")]
    rows = [
        [*names.cells(work.student), *_summary(work, work.student in struggling), *_outcomes(work, text)]
        for work in figures.works
    ]
    return Table([*names.head(), *own, *tasks], rows)


def _summary(work: Work, needs_help: bool) -> list[str]:
    counted = [task for task in work.tasks if task.auto is not None]
    if work.share is None:
        return [work.state, "", "", "", str(len(work.waiting) or "")]
    points, available = sum(task.points for task in counted), sum(task.max_points for task in counted)
    return [
        work.state,
        f"{points:g}",
        f"{available:g}",
        "yes" if needs_help else "",
        str(len(work.waiting) or ""),
    ]


def _outcomes(work: Work, text: LessonText) -> list[str]:
    rows = {task.id: task for task in work.tasks}
    known = (rows.get(task) for task in text.tasks)
    return [cell for task in known for cell in ((task.outcome, task.hint) if task else ("", ""))]


# --- Writing the report on all lessons ----------------------------------------------------------------------


def _on_the_course(course: Course, book: Book, form: Form, names: _Names, now: datetime) -> tuple[str, Table]:
    names_of_lessons = find_gradable(course.root, course.directory.source_directory).names
    works = {name: read_works(course, book, name, None, names.report_name) for name in names_of_lessons}
    figures = course_figures(works)
    titles = {name: _title(course, name, form.language) for name in figures.lessons}
    return course_page(_head(form, names, now), titles, figures), _course_table(figures, works, names)


def _title(course: Course, lesson: str, language: Language) -> str:
    if not _LESSON_START.match(lesson):
        return lesson
    releases = read_releases(course.root, lesson)
    release = releases.get(language) or next(iter(releases.values()), None)
    title = headings(release).get("", lesson) if release else lesson
    return f"{int(lesson[:2])}. {title}"


def _course_table(figures: CourseFigures, works: Mapping[str, Sequence[Work]], names: _Names) -> Table:
    drifting = {one.student: one for one in figures.drifting}
    shares = {(name, work.student): work for name, each in figures.lessons.items() for work in each}
    rows = []
    for student in sorted({work.student for each in works.values() for work in each}):
        one = drifting.get(student)
        missing = str(len(one.missing) or "") if one else ""
        fall = f"{100 * one.fall:.0f}" if one and one.fall else ""
        cells = [_percent(shares.get((name, student))) for name in figures.lessons]
        rows.append([*names.cells(student), missing, fall, *cells])
    return Table([*names.head(), "lessons_missing", "fall_percent", *figures.lessons], rows)


def _percent(work: Work | None) -> str:
    """Return the percentage of points earned, or the state of the work if it was handed in but not graded."""
    if work is None or work.share is None:
        return work.state if work and work.state != "absent" else ""
    return f"{100 * work.share:.0f}"
