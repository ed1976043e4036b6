"""Read the data of a report from the gradebook, the graded notebooks and the text of the course.

Each student is identified by the name that the report shows. The code that computes the figures
does not receive the student's id.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.cells import grade_id, is_answer, tasks
from autograder.course.hints import catalogue_of
from autograder.course.lesson import Lesson
from autograder.course.plain import is_plain
from autograder.course.settings import Course
from autograder.course.solutions import worked_solutions
from autograder.gradebook.book import Book
from autograder.gradebook.class_list import students
from autograder.gradebook.entries import Entry, find_submissions
from autograder.gradebook.records import StoredResult
from autograder.gradebook.result import GradedTask
from autograder.grading.feedback import headings
from autograder.page.prose import typed_text
from autograder.report.lesson_text import LessonText, SubmittedAnswer
from autograder.report.plain import plain_answers, read_plain_text
from secant.catalogue import shared_hints
from secant.language import Language

State = Literal["graded", "ungraded", "unread", "absent"]

# Number of submissions per query of the gradebook. nbgrader's tables have no index for such a query, so each
# query reads all grades.
_BATCH = 1000


@dataclass(frozen=True)
class Work:
    """A student's work on a lesson.

    Attributes:
        student: the student's name in the report.
        state: whether the work was graded, was handed in but not graded yet, could not be read, or was not
            handed in.
        tasks: the tasks with their points from the gradebook; empty if the work is not graded.
        several: whether the student also handed in another notebook with different answers.
        answers: the student's answers, keyed by task, excluding unchanged answer cells.
    """

    student: str
    state: State = "absent"
    tasks: Sequence[GradedTask] = ()
    several: bool = False
    answers: Mapping[str, SubmittedAnswer] = field(default_factory=dict)

    @property
    def waiting(self) -> list[GradedTask]:
        """The answers that wait for manual grading."""
        return [task for task in self.tasks if task.auto is None and self.state == "graded"]

    @property
    def share(self) -> float | None:
        """The fraction of the points graded so far that the student earned, or None if nothing was graded."""
        graded_tasks = [task for task in self.tasks if task.auto is not None]
        available = sum(task.max_points for task in graded_tasks)
        return (
            sum(task.points for task in graded_tasks) / available
            if self.state == "graded" and available
            else None
        )


def read_lesson_text(course: Course, name: str, language: Language) -> LessonText:
    """Read the course's text of a lesson, or of an assignment with ordinary nbgrader tests.

    Raises:
        CourseError: the lesson is not built, or the assignment cannot be read.
    """
    if is_plain(course.root, name, course.directory.source_directory):
        return read_plain_text(course, name)
    lesson = Lesson(name, course.root / "course" / name)
    assignment = read_assignment(course.root, lesson.name, course.directory.source_directory)
    titles = headings(assignment.releases.get(language) or next(iter(assignment.releases.values())))
    task_ids = [task.id for task in tasks(assignment.source)]
    notebooks = [assignment.source, *assignment.releases.values()]
    solutions = worked_solutions(lesson, assignment.source).values()
    explanations = [text for solution in solutions for text in solution.words.values()]
    hints = catalogue_of(assignment.source)
    explanations += [
        text
        for texts in (*hints.values(), shared_hints())
        for name in texts
        for text in _all_texts(texts[name])
    ]
    code = [cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code"]
    prose = [cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type != "code"]
    return LessonText(
        lesson.name,
        titles.get("", lesson.name),
        {task: titles.get(task, task) for task in task_ids},
        _stubs(assignment),
        hints,
        [*code, *prose, *explanations],
        code,
    )


def _all_texts(text: str | Mapping[str, str]) -> Iterable[str]:
    return [text] if isinstance(text, str) else text.values()


def _stubs(assignment: Assignment) -> dict[str, frozenset[str]]:
    stubs: dict[str, set[str]] = {}
    for release in assignment.releases.values():
        for cell in filter(is_answer, release.cells):
            stubs.setdefault(grade_id(cell), set()).add(cell.source.strip())
    return {task: frozenset(sources) for task, sources in stubs.items()}


def read_works(
    course: Course, book: Book, lesson: str, text: LessonText | None, name_of: Callable[[str], str]
) -> list[Work]:
    """Return each student's work on a lesson, sorted by the name that the report shows.

    Args:
        course: the course.
        book: the course's gradebook.
        lesson: the lesson's name.
        text: the course's text of the lesson; if it is None, no answers are read.
        name_of: the function that turns a student's id into the name in the report.
    """
    submitters = {entry.student for entry in find_submissions(course, [lesson])}
    all_students = sorted(submitters | set(students(book)))
    works = []
    for start in range(0, len(all_students), _BATCH):
        batch = all_students[start : start + _BATCH]
        results = book.stored_results([Entry(student, lesson) for student in batch])
        for student in batch:
            result = results.get((student, lesson))
            if result is None or result.stale:
                works.append(
                    Work(name_of(student), "ungraded" if result or student in submitters else "absent")
                )
            else:
                read_answers = plain_answers if text and text.answer_cells else _answers
                answers = read_answers(course, student, text) if text and result.filed else {}
                works.append(_work(name_of(student), result, answers))
    return sorted(works, key=lambda work: work.student)


def _work(name: str, stored: StoredResult, answers: Mapping[str, SubmittedAnswer]) -> Work:
    result = stored.result.with_gradebook_points(
        stored.recorded_grades.scores, stored.recorded_grades.waiting
    )
    several = any(True for _ in result.flag_subjects("other_answers"))
    state: State = "unread" if result.is_unread else "graded"
    return Work(name, state, result.tasks, several, answers)


def _answers(course: Course, student: str, lesson_text: LessonText) -> dict[str, SubmittedAnswer]:
    """Return a student's answers from the notebook that grading wrote; {} if the notebook cannot be read."""
    path = course.folder("autograded", student, lesson_text.name) / f"{lesson_text.name}.ipynb"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError):
        return {}
    answers = {}
    for cell in cells:
        grading = cell["metadata"].get("nbgrader", {})
        task = grading.get("grade_id", "")
        if (
            grading.get("solution")
            and task in lesson_text.tasks
            and cell["source"].strip() not in lesson_text.stubs[task]
        ):
            text = cell["source"]
            answers[task] = SubmittedAnswer(typed_text(text) or text, cell["cell_type"] == "code")
    return answers
