"""The course's lessons and the answers recorded next to them; a process reads each text only once.

The returned objects are shared between tests, so a test copies a cell before it changes it.
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


def copy_lessons(lessons: Iterable[Lesson], root: Path) -> None:
    """Copy lessons, as written and as built, and the course's settings into another course directory."""
    for lesson in lessons:
        for part in ("course", "source", *(f"release/{language}" for language in LANGUAGES)):
            shutil.copytree(ROOT / part / lesson.name, root / part / lesson.name)
    shutil.copy(ROOT / "course/syllabus.toml", root / "course")  # lists all lessons of the course
    shutil.copy(ROOT / "nbgrader_config.py", root)


@cache
def source(lesson: Lesson) -> NotebookNode:
    """Return the lesson's notebook as an instructor sees it."""
    notebook = texts.read_lesson(lesson)
    notebook.metadata["secant"] = {"hints": read_hints(lesson.folder)}
    return with_hints(notebook)


@cache
def assignment(lesson: Lesson) -> Assignment:
    """Return the lesson's built notebooks."""
    return read_assignment(lesson.root, lesson.name)


@cache
def wrong_answers(lesson: Lesson) -> Sequence[Answer]:
    """Return the wrong answers that are recorded next to a lesson."""
    return tuple(texts.wrong_answers(lesson))


@cache
def right_answers(lesson: Lesson) -> Sequence[Answer]:
    """Return the right answers, other than the solutions, that are recorded next to a lesson."""
    return tuple(texts.right_answers(lesson))


@cache
def questions(lesson: Lesson) -> Sequence[Task]:
    """Return the lesson's tasks that have a test."""
    return tuple(task for task in tasks(source(lesson)) if task.test is not None)


@cache
def imports(lesson: Lesson) -> str:
    """Return the import statements of a lesson's notebook as code, which answers need in order to run."""
    code = "\n".join(cell.source for cell in source(lesson).cells if cell.cell_type == "code")
    statements = [node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(ast.Module(statements, []))


def side_by_side(answers: Iterable[Answer]) -> list[dict[str, Answer]]:
    """Return rounds of answers by task: the first answer to each task, then the second to each, and so on."""
    by_task: dict[str, list[Answer]] = {}
    for answer in answers:
        by_task.setdefault(answer.task, []).append(answer)
    return [{answer.task: answer for answer in row if answer} for row in zip_longest(*by_task.values())]


def examiner_language(round_number: int) -> Language:
    """Return the language in which the examiner checks the answers of a round; rounds alternate.

    Tests without an examiner use the other language, so that every answer is tested in both.
    """
    return "ko" if round_number % 2 else "en"


def with_answers(notebook: NotebookNode, answers: Mapping[str, str]) -> NotebookNode:
    """Return a copy of a notebook in which the answer cells have these sources, given by task."""
    result = copy.deepcopy(notebook)
    for cell in filter(is_answer, result.cells):
        cell.source = answers.get(grade_id(cell), cell.source)
    return result


def save(notebook: NotebookNode, path: Path) -> Path:
    """Write a notebook; return its path."""
    nbformat.write(notebook, path)
    return path


def minimal_notebook(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook with only its graded cells and imports; its other cells take seconds."""
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata or _imports(cell)]
    return copy.deepcopy(NotebookNode(notebook, cells=cells))


def _imports(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(_IMPORT.search(cell.source))
