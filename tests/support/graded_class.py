"""A class with grades that no examiner computed: results are written as a grading run would write them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import grade_id, tasks
from autograder.course.lesson import Lesson
from autograder.course.settings import Course
from autograder.exam.report import Outcome
from autograder.gradebook.book import Book
from autograder.gradebook.result import GradedTask, Result, sha256
from autograder.gradebook.tasks import register
from autograder.grading.feedback import as_text
from autograder.page.prose import as_typed_markdown
from secant.language import Language
from secant.verdict import Verdict
from tests.support.lessons import copy_lessons, with_answers


@dataclass(frozen=True)
class Fate:
    """The result of a student's task: its outcome, its hint, and whether a hidden test decided it."""

    outcome: Outcome = "passed"
    hint: str = ""
    hidden: bool = False


@dataclass(frozen=True)
class Student:
    """A student's graded work.

    Attributes:
        fates: the results by task. A task that is not listed has passed or, if it has no test, is graded
            manually.
        answers: the answers by task, for tasks in which they matter.
        language: the notebook's language.
    """

    fates: Mapping[str, Fate] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    language: Language = "en"


def course_of(root: Path, lessons: Iterable[Lesson]) -> Course:
    """Make a course directory with the given lessons of the repository."""
    copy_lessons(lessons, root)
    return Course.at(root)


def enter(course: Course, book: Book, assignment: Assignment, students: Mapping[str, Student]) -> None:
    """Write students' results into the gradebook, and their notebooks into autograded/."""
    register(book, assignment)
    lesson = assignment.lesson
    for name, student in students.items():
        rows = [
            _row(task.id, task.points, None if task.test is None else grade_id(task.test), student)
            for task in tasks(assignment.source)
        ]
        book.write(name, lesson, sha256(name), Result(name, lesson, rows, language=student.language), None)
        path = course.folder("autograded", name, lesson) / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_text(_notebook(assignment, student)), encoding="utf-8")
    book.mark_filed({(name, lesson): "" for name in students})


def _notebook(assignment: Assignment, student: Student) -> NotebookNode:
    notebook = with_answers(assignment.releases[student.language], student.answers)
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and grade_id(cell) in student.answers:
            cell.source = as_typed_markdown(cell.source)
    return notebook


def _row(task: str, points: float, test: str | None, student: Student) -> GradedTask:
    fate = student.fates.get(task, Fate() if test else Fate("manual"))
    auto_score: float | None = points if fate.outcome == "passed" else 0.0
    if fate.outcome in ("manual", "rejected"):
        auto_score = None
    return GradedTask(
        task,
        auto_score or 0.0,
        points,
        fate.outcome,
        Verdict.plain("", fate.hint),
        0.0,
        fate.hidden,
        test or task,
        auto_score,
        sha256(student.answers.get(task, "")),
    )
