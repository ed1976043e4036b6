"""A lesson's graded cells: entered into the gradebook, and changed there when the lesson's tasks change."""

import copy
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import MissingEntry, Notebook
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import SaveCells

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.errors import CourseError
from autograder.course.settings import Course, sqlite_file
from autograder.gradebook import changing
from autograder.gradebook.book import Book
from autograder.gradebook.errors import GradebookBusy, refused


def register(book: Book, assignment: Assignment) -> None:
    """Enter a lesson's graded cells, as `nbgrader generate_assignment` does.

    Raises:
        CourseError: submissions have been graded for other cells, or the gradebook does not take these.
    """
    with refused(f"Lesson {assignment.lesson} could not be entered into the gradebook"):
        notebook, resources = _prepared(book, assignment)
        known = _known(book, assignment.lesson)
        if known is None or not _is_same(known, notebook):
            if known and (changed := _changed(known, notebook)):
                raise CourseError(_other_tasks(assignment.lesson, changed))
            gradebook = book.connection.gradebook
            gradebook.update_or_create_assignment(assignment.lesson)
            SaveCells(config=book.config)(notebook, resources)
            gradebook.db.expire_all()


def change_tasks(course: Course, lessons: Iterable[str]) -> list[str]:
    """Give lessons that have been graded the cells that they have now.

    Cells that remain keep their automatic and manual grades. The gradebook is copied first, and the grades of
    dropped cells go to a table. Nothing is changed if the cells are those that the gradebook has.

    Returns:
        What was done, a sentence or two for each lesson that had other cells.

    Raises:
        CourseError: a lesson or the gradebook cannot be read, or not changed.
    """
    directory = course.directory
    with Book(directory, course.config) as book:
        try:
            read = (read_assignment(course.root, name, directory.source_directory) for name in lessons)
            return [said for assignment in read if (said := _change(book, assignment))]
        except GradebookBusy as error:
            raise CourseError(f"The gradebook cannot be written to: {error}.") from error


def _change(book: Book, assignment: Assignment) -> str:
    """Change one lesson; return what was done, or an empty text if it was nothing."""
    connection, lesson = book.connection, assignment.lesson
    with refused(f"The tasks of lesson {lesson} could not be changed"):
        notebook, _ = _prepared(book, assignment)
        graded = _known(book, lesson)
        changed = _changed(graded, notebook) if graded else None
        if changed is None:
            return ""
        name = changing.stamp(lesson, datetime.now())
        table = Path(connection.coursedir.root, f"{name}_dropped.csv")
        file = sqlite_file(connection.coursedir.db_url)
        copies = [changing.copy_of(connection.db, file, name)] if file else []

        def change() -> str:
            known = connection.gradebook.find_notebook(lesson, lesson)
            where = copies[0] if copies else changing.copy_of(connection.db, None, name)
            changing.follow(connection.db, known, notebook, table)
            return where

        copy = connection.transaction(change)
    kept = f" The grades of dropped tasks are in {table}." if table.exists() else ""
    return f"{lesson}: {_named(changed)}. A copy of the gradebook is {copy}.{kept}"


def _known(book: Book, lesson: str) -> Notebook | None:
    """Return the notebook of a lesson that the gradebook has, if it has one."""
    try:
        return book.connection.gradebook.find_notebook(lesson, lesson)
    except MissingEntry:
        return None


def _changed(known: Notebook, notebook: NotebookNode) -> changing.Difference | None:
    """Return how a lesson's cells differ from the graded ones; None if they do not, or none were graded."""
    found = changing.difference(known, notebook)
    return found if known.submissions and (found.dropped or found.added) else None


def _prepared(book: Book, assignment: Assignment) -> tuple[NotebookNode, Any]:
    """Return the notebook as nbgrader would enter it, and what its steps pass on."""
    notebook, coursedir = copy.deepcopy(assignment.source), book.connection.coursedir
    names = {"assignment": assignment.lesson, "notebook": assignment.lesson, "db_url": coursedir.db_url}
    resources: Any = {"nbgrader": names, "unique_key": assignment.lesson}
    steps = GenerateAssignment(coursedir=coursedir, config=book.config).preprocessors
    for step in steps[: steps.index(SaveCells)]:
        notebook, resources = step(config=book.config)(notebook, resources)
    return notebook, resources


def _is_same(known: Notebook, notebook: NotebookNode) -> bool:
    """Return whether the gradebook has a notebook's cells, with their points."""
    marked = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    sources = {name: cell.source for name, cell in marked.items()}
    points = {name: cell.metadata.nbgrader for name, cell in marked.items() if cell.metadata.nbgrader.grade}
    return bool(
        {cell.name: cell.source for cell in known.source_cells} == sources
        and {cell.name: cell.max_score for cell in known.grade_cells}
        == {name: float(one.points) for name, one in points.items()}
    )


def _other_tasks(lesson: str, changed: changing.Difference) -> str:
    number = int(lesson[:2]) if lesson[:2].isdigit() else lesson
    return (
        f"The tasks of lesson {lesson} are not those in the gradebook: {_named(changed)}. "
        f"To continue with the new tasks: autograder grade {number} --change-tasks. It keeps every grade of "
        "the tasks that stay, a table of the grades of the dropped ones, and a copy of the gradebook. "
        f"To go back, restore the tasks in course/{lesson} and run: autograder build {number}."
    )


def _named(changed: changing.Difference) -> str:
    parts = (("dropped", changed.dropped), ("added", changed.added))
    return "; ".join(f"{what} {', '.join(names)}" for what, names in parts if names)
