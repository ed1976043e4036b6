"""Read what a report is made from: the gradebook, the graded notebooks and the course's own text.

Each student gets the name that the report shows. Later steps know no other name.
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
from autograder.gradebook.records import Kept
from autograder.gradebook.result import GradedTask
from autograder.grading.feedback import headings
from autograder.page.prose import as_typed
from autograder.report.plain import plain_answers, read_told_plain
from autograder.report.told import Answer, Told
from secant.catalogue import usual
from secant.language import Language

State = Literal["graded", "ungraded", "unread", "absent"]

# Submissions per query. nbgrader's tables have no index for such a query, so each one reads all grades.
_BATCH = 1000


@dataclass(frozen=True)
class Work:
    """A student's work on a lesson.

    Attributes:
        student: the student's name in the report.
        state: whether the work was graded, was handed in but not graded yet, could not be read, or was not
            handed in.
        tasks: the tasks with their points from the gradebook, if the work was graded.
        several: whether the student also handed in another notebook with different answers.
        answers: the student's answers by task, without unchanged answer cells.
    """

    student: str
    state: State = "absent"
    tasks: Sequence[GradedTask] = ()
    several: bool = False
    answers: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def waiting(self) -> list[GradedTask]:
        """The answers that wait for manual grading."""
        return [task for task in self.tasks if task.auto is None and self.state == "graded"]

    @property
    def share(self) -> float | None:
        """The share of the points graded so far that was earned, or None if nothing was graded."""
        counted = [task for task in self.tasks if task.auto is not None]
        most = sum(task.max_points for task in counted)
        return sum(task.points for task in counted) / most if self.state == "graded" and most else None


def read_told(course: Course, name: str, language: Language) -> Told:
    """Read the course's text of a lesson, or of an assignment with ordinary nbgrader tests.

    Raises:
        CourseError: the lesson is not built, or the assignment cannot be read.
    """
    if is_plain(course.root, name, course.directory.source_directory):
        return read_told_plain(course, name)
    lesson = Lesson(name, course.root / "course" / name)
    assignment = read_assignment(course.root, lesson.name, course.directory.source_directory)
    titles = headings(assignment.releases.get(language) or next(iter(assignment.releases.values())))
    known = [task.id for task in tasks(assignment.source)]
    notebooks = [assignment.source, *assignment.releases.values()]
    solutions = worked_solutions(lesson, assignment.source).values()
    said = [text for solution in solutions for text in solution.words.values()]
    hints = catalogue_of(assignment.source)
    said += [text for texts in (*hints.values(), usual()) for name in texts for text in _all(texts[name])]
    code = [cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code"]
    prose = [cell.source for notebook in notebooks for cell in notebook.cells if cell.cell_type != "code"]
    return Told(
        lesson.name,
        titles.get("", lesson.name),
        {task: titles.get(task, task) for task in known},
        _stubs(assignment),
        hints,
        [*code, *prose, *said],
        code,
    )


def _all(text: str | Mapping[str, str]) -> Iterable[str]:
    return [text] if isinstance(text, str) else text.values()


def _stubs(assignment: Assignment) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for release in assignment.releases.values():
        for cell in filter(is_answer, release.cells):
            found.setdefault(grade_id(cell), set()).add(cell.source.strip())
    return {task: frozenset(sources) for task, sources in found.items()}


def read_works(
    course: Course, book: Book, lesson: str, told: Told | None, shown: Callable[[str], str]
) -> list[Work]:
    """Return each student's work on a lesson, sorted by the name that the report shows.

    Args:
        course: the course.
        book: the course's gradebook.
        lesson: the lesson's name.
        told: the course's text of the lesson; if it is None, no answers are read.
        shown: the function that turns a student's id into the name in the report.
    """
    handed = {entry.student for entry in find_submissions(course, [lesson])}
    known = sorted(handed | set(students(book)))
    works = []
    for at in range(0, len(known), _BATCH):
        batch = known[at : at + _BATCH]
        results = book.kept([Entry(student, lesson) for student in batch])
        for student in batch:
            result = results.get((student, lesson))
            if result is None or result.stale:
                works.append(Work(shown(student), "ungraded" if result or student in handed else "absent"))
            else:
                read = plain_answers if told and told.answer_cells else _answers
                answers = read(course, student, told) if told and result.filed else {}
                works.append(_work(shown(student), result, answers))
    return sorted(works, key=lambda work: work.student)


def _work(shown: str, stored: Kept, answers: Mapping[str, Answer]) -> Work:
    result = stored.result.entered(stored.entered.scores, stored.entered.waiting)
    several = any(True for _ in result.flagged("other_answers"))
    state: State = "unread" if result.is_unread else "graded"
    return Work(shown, state, result.tasks, several, answers)


def _answers(course: Course, student: str, told: Told) -> dict[str, Answer]:
    """Return a student's answers from the notebook that grading wrote, or {} if that cannot be read."""
    path = course.folder("autograded", student, told.name) / f"{told.name}.ipynb"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError):
        return {}
    found = {}
    for cell in cells:
        grading = cell["metadata"].get("nbgrader", {})
        task = grading.get("grade_id", "")
        if grading.get("solution") and task in told.tasks and cell["source"].strip() not in told.stubs[task]:
            text = cell["source"]
            found[task] = Answer(as_typed(text) or text, cell["cell_type"] == "code")
    return found
