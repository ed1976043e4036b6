"""The course's lessons and the answers kept beside them, each text read once a process.

What is returned is shared: copy a cell before changing it.
"""

import ast
import copy
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course import lesson as texts
from autograder.course.assignment import Assignment, read_assignment
from autograder.course.cells import Task, grade_id, is_answer, tasks
from autograder.course.hints import with_hints
from autograder.course.lesson import Answer, Lesson, find_lessons
from secant.catalogue import read_hints
from secant.language import LANGUAGES, Language

ROOT = Path(__file__).resolve().parents[2]
LESSONS = find_lessons(ROOT)
_IMPORT = re.compile(r"^(import|from) ", flags=re.MULTILINE)


def copy_lessons(lessons: Iterable[Lesson], room: Path) -> None:
    """Copy lessons, as written and as built, and the course's settings into another course directory."""
    for lesson in lessons:
        for part in ("course", "source", *(f"release/{language}" for language in LANGUAGES)):
            shutil.copytree(ROOT / part / lesson.name, room / part / lesson.name)
    shutil.copy(ROOT / "course/syllabus.toml", room / "course")  # which says how many lessons there are
    shutil.copy(ROOT / "nbgrader_config.py", room)


@cache
def source(lesson: Lesson) -> NotebookNode:
    """Return the notebook that an instructor sees."""
    notebook = texts.read_lesson(lesson)
    notebook.metadata["secant"] = {"hints": read_hints(lesson.folder)}
    return with_hints(notebook)


@cache
def assignment(lesson: Lesson) -> Assignment:
    """Return the built notebooks."""
    return read_assignment(lesson.root, lesson.name)


@cache
def wrong_answers(lesson: Lesson) -> Sequence[Answer]:
    """Return the wrong answers kept beside a lesson."""
    return tuple(texts.wrong_answers(lesson))


@cache
def right_answers(lesson: Lesson) -> Sequence[Answer]:
    """Return the right answers in another style kept beside a lesson."""
    return tuple(texts.right_answers(lesson))


@cache
def questions(lesson: Lesson) -> Sequence[Task]:
    """Return the tasks that a machine grades."""
    return tuple(task for task in tasks(source(lesson)) if task.test is not None)


@cache
def imports(lesson: Lesson) -> str:
    """Return what a student's notebook has imported by the time an answer runs."""
    code = "\n".join(cell.source for cell in source(lesson).cells if cell.cell_type == "code")
    found = [node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(ast.Module(found, []))


def side_by_side(answers: Iterable[Answer]) -> list[dict[str, Answer]]:
    """Return the first answer to each task, then the second to each, and so on; each by its task."""
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.task, []).append(answer)
    return [{answer.task: answer for answer in row if answer} for row in zip_longest(*by_task.values())]


def examined_in(round_number: int) -> Language:
    """Return the language in which the examiner is asked about a task's first answer, its second, and so on.

    The tests without an examiner take the other one, so that both languages are seen.
    """
    return "ko" if round_number % 2 else "en"


def with_answers(notebook: NotebookNode, answers: Mapping[str, str]) -> NotebookNode:
    """Return a copy of a notebook with these sources (by task) in its answer cells."""
    filled = copy.deepcopy(notebook)
    for cell in filter(is_answer, filled.cells):
        cell.source = answers.get(grade_id(cell), cell.source)
    return filled


def save(notebook: NotebookNode, path: Path) -> Path:
    """Write a notebook; return its path."""
    nbformat.write(notebook, path)
    return path


def bare(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook with its graded cells and imports alone: the others take seconds."""
    kept = [cell for cell in notebook.cells if "nbgrader" in cell.metadata or _imports(cell)]
    return copy.deepcopy(NotebookNode(notebook, cells=kept))


def _imports(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(_IMPORT.search(cell.source))
