"""Enter an assignment's graded cells into the gradebook, and update them when the tasks change."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import MissingEntry, Notebook
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import is_grade, is_locked, is_solution, is_task

from autograder.course.assignment import Assignment, read_assignment
from autograder.course.errors import CourseError
from autograder.course.plain import instructors_notebooks, is_plain
from autograder.course.settings import Course, sqlite_file
from autograder.gradebook import task_migration
from autograder.gradebook.book import Book
from autograder.gradebook.errors import GradebookBusy, as_course_error


@dataclass(frozen=True)
class _Tasks:
    """The graded content that the gradebook should have for an assignment.

    Attributes:
        name: the assignment's name.
        kind: the word used in messages: "lesson" or "assignment".
        notebooks: the instructor's notebooks, keyed by name.
    """

    name: str
    kind: str
    notebooks: Mapping[str, NotebookNode]

    @classmethod
    def of_lesson(cls, assignment: Assignment) -> "_Tasks":
        return cls(assignment.lesson, "lesson", {assignment.lesson: assignment.source})

    @classmethod
    def of_plain(cls, name: str, notebooks: Mapping[str, NotebookNode]) -> "_Tasks":
        return cls(name, "assignment", notebooks)


def register(book: Book, assignment: Assignment) -> None:
    """Enter a lesson's graded cells into the gradebook, as `nbgrader generate_assignment` does.

    Raises:
        CourseError: if submissions have already been graded with other cells, or the gradebook rejects the
            cells.
    """
    _register(book, _Tasks.of_lesson(assignment))


def register_plain(book: Book, name: str, notebooks: Mapping[str, NotebookNode]) -> None:
    """Enter the graded cells of a plain assignment into the gradebook, as `register` does for a lesson.

    Args:
        book: the gradebook.
        name: the assignment's name.
        notebooks: the instructor's notebooks, keyed by name.
    """
    _register(book, _Tasks.of_plain(name, notebooks))


def _register(book: Book, tasks: _Tasks) -> None:
    with as_course_error(f"{tasks.kind.capitalize()} {tasks.name} could not be entered into the gradebook"):
        for removed_name in _removed_notebooks(book, tasks):
            book.connection.gradebook.remove_notebook(removed_name, tasks.name)
        for name, source in tasks.notebooks.items():
            notebook, resources = _prepare(book, tasks.name, name, source)
            entry = _find_notebook(book, tasks.name, name)
            if entry is not None and _is_same(entry, notebook):
                continue
            if entry and (difference := _difference_to_graded(entry, notebook)):
                raise CourseError(_changed_tasks_message(tasks, difference))
            gradebook = book.connection.gradebook
            gradebook.update_or_create_assignment(tasks.name)
            SaveCells(config=book.config)(notebook, resources)
            gradebook.db.expire_all()


def _removed_notebooks(book: Book, tasks: _Tasks) -> list[str]:
    """Return the names of notebooks that are in the gradebook but no longer in the assignment.

    Raises:
        CourseError: if a student has submitted one of these notebooks.
    """
    if tasks.kind == "lesson":  # A lesson has exactly one notebook.
        return []
    try:
        entries = book.connection.gradebook.find_assignment(tasks.name).notebooks
    except MissingEntry:
        return []
    removed_notebooks = [notebook for notebook in entries if notebook.name not in tasks.notebooks]
    if graded := [str(notebook.name) for notebook in removed_notebooks if notebook.submissions]:
        raise CourseError(
            f"source/{tasks.name} has no notebook {', '.join(graded)} any more, but the gradebook has grades "
            f"of it. Put it back, or delete its grades with: nbgrader db assignment remove {tasks.name}"
        )
    return [str(notebook.name) for notebook in removed_notebooks]


def change_tasks(course: Course, names: Iterable[str]) -> list[str]:
    """Update the gradebook's cells after the tasks of graded assignments have changed.

    Cells that remain keep their automatic and manual grades. The gradebook is copied first, and the grades of
    dropped cells are saved in a table. Nothing changes for a notebook whose cells match the gradebook.

    Returns:
        A message for each changed notebook. It describes the changes and names the copy of the gradebook.

    Raises:
        CourseError: if an assignment or the gradebook cannot be read, or the gradebook cannot be changed.
    """
    directory = course.directory
    with Book(directory, course.config) as book:
        try:
            return [
                message
                for tasks in (_read(course, name) for name in names)
                for notebook in tasks.notebooks
                if (message := _change(book, tasks, notebook))
            ]
        except GradebookBusy as error:
            raise CourseError(f"The gradebook cannot be written to: {error}.") from error


def _read(course: Course, name: str) -> _Tasks:
    source = course.directory.source_directory
    if is_plain(course.root, name, source):
        return _Tasks.of_plain(name, instructors_notebooks(course.root, name, source))
    return _Tasks.of_lesson(read_assignment(course.root, name, source))


def _change(book: Book, tasks: _Tasks, name: str) -> str:
    """Update one notebook's cells in the gradebook; return a description of the changes ("" if none)."""
    connection = book.connection
    label = tasks.name if name == tasks.name else f"{tasks.name}/{name}"
    with as_course_error(f"The tasks of {tasks.kind} {label} could not be changed"):
        notebook, _ = _prepare(book, tasks.name, name, tasks.notebooks[name])
        graded_entry = _find_notebook(book, tasks.name, name)
        difference = _difference_to_graded(graded_entry, notebook) if graded_entry else None
        if difference is None:
            return ""
        stamp = task_migration.backup_name(label.replace("/", "_"), datetime.now())
        table = Path(connection.coursedir.root, f"{stamp}_dropped.csv")
        file = sqlite_file(connection.coursedir.db_url)
        backups = [task_migration.back_up(connection.db, file, stamp)] if file else []

        def change() -> str:
            entry = connection.gradebook.find_notebook(name, tasks.name)
            location = backups[0] if backups else task_migration.back_up(connection.db, None, stamp)
            task_migration.migrate(connection.db, entry, notebook, table)
            return location

        backup = connection.transaction(change)
    dropped_note = f" The grades of dropped tasks are in {table}." if table.exists() else ""
    return f"{label}: {_describe_difference(difference)}. A copy of the gradebook is {backup}.{dropped_note}"


def _find_notebook(book: Book, assignment: str, notebook: str) -> Notebook | None:
    try:
        return book.connection.gradebook.find_notebook(notebook, assignment)
    except MissingEntry:
        return None


def _difference_to_graded(entry: Notebook, notebook: NotebookNode) -> task_migration.Difference | None:
    """Return the differences between a notebook and its entry in the gradebook.

    Return None if there are no differences, or if nothing has been submitted for the notebook.
    """
    difference = task_migration.difference(entry, notebook)
    return difference if entry.submissions and (difference.dropped or difference.added) else None


def _prepare(book: Book, assignment: str, name: str, source: NotebookNode) -> tuple[NotebookNode, Any]:
    """Run nbgrader's preprocessors that come before SaveCells; return the notebook and the resources."""
    notebook, coursedir = copy.deepcopy(source), book.connection.coursedir
    names = {"assignment": assignment, "notebook": name, "db_url": coursedir.db_url}
    resources: Any = {"nbgrader": names, "unique_key": name}
    steps = GenerateAssignment(coursedir=coursedir, config=book.config).preprocessors
    for step in steps[: steps.index(SaveCells)]:
        notebook, resources = step(config=book.config)(notebook, resources)
    return notebook, resources


def _is_same(entry: Notebook, notebook: NotebookNode) -> bool:
    """Return whether the gradebook's cells have the same names, sources and points as the notebook's."""
    kinds = (is_grade, is_solution, is_task, is_locked)
    cells = [cell for cell in notebook.cells if any(is_kind(cell) for is_kind in kinds)]
    cells_by_id = {cell.metadata.nbgrader.grade_id: cell for cell in cells}
    sources = {name: cell.source for name, cell in cells_by_id.items()}
    points = {
        name: cell.metadata.nbgrader for name, cell in cells_by_id.items() if is_grade(cell) or is_task(cell)
    }
    return bool(
        {cell.name: cell.source for cell in entry.source_cells} == sources
        and {cell.name: cell.max_score for cell in (*entry.grade_cells, *entry.task_cells)}
        == {name: float(cell_data.points) for name, cell_data in points.items()}
    )


def _changed_tasks_message(tasks: _Tasks, difference: task_migration.Difference) -> str:
    name, is_lesson = tasks.name, tasks.kind == "lesson"
    number = int(name[:2]) if is_lesson and name[:2].isdigit() else name
    restore = f"course/{name} and run: autograder build {number}" if is_lesson else f"source/{name}"
    return (
        f"The tasks of {tasks.kind} {name} are not those in the gradebook: "
        f"{_describe_difference(difference)}. "
        f"To continue with the new tasks: autograder grade {number} --change-tasks. It keeps every grade of "
        "the tasks that stay, a table of the grades of the dropped ones, and a copy of the gradebook. "
        f"To go back, restore the tasks in {restore}."
    )


def _describe_difference(difference: task_migration.Difference) -> str:
    parts = (("dropped", difference.dropped), ("added", difference.added))
    return "; ".join(f"{action} {', '.join(names)}" for action, names in parts if names)
