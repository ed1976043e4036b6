"""Read the data of a report on an assignment with ordinary nbgrader tests; each graded cell is a task."""

import json
from collections.abc import Iterator
from pathlib import Path

from autograder.course.plain import instructors_notebooks, read_plain
from autograder.course.settings import Course
from autograder.gradebook.recorded_grades import notebook_key
from autograder.gradebook.result import cell_key
from autograder.grading.plain import answers_of, cell_titles, graded_cells
from autograder.page.prose import typed_text
from autograder.report.lesson_text import LessonText, SubmittedAnswer


def read_plain_text(course: Course, name: str) -> LessonText:
    """Read the titles, the released answer cells and the text of a plain nbgrader assignment.

    Raises:
        CourseError: the assignment cannot be read.
    """
    source = course.directory.source_directory
    sources = instructors_notebooks(course.root, name, source)
    titles: dict[str, str] = {}
    stubs: dict[str, frozenset[str]] = {}
    cells: dict[str, list[tuple[str, str]]] = {}
    for notebook in read_plain(course.root, name, course.config, source).notebooks:
        prefix, headings, answers = (
            notebook_key(notebook.name, name),
            cell_titles(sources[notebook.name], course.config),
            answers_of(notebook),
        )
        for cell in graded_cells(notebook):
            key = cell_key(prefix, cell.id)
            answer_cells = [cell] if cell.kind == "manual" else answers[cell.id]
            titles[key] = headings.get(cell.id, cell.id)
            stubs[key] = frozenset(answer.source.strip() for answer in answer_cells)
            cells[key] = [(notebook.name, answer.id) for answer in answer_cells]
    all_cells = [cell for notebook in sources.values() for cell in notebook.cells]
    code = [cell.source for cell in all_cells if cell.cell_type == "code"]
    first = next(iter(sources.values()))
    title = cell_titles(first, course.config).get("", name) if len(sources) == 1 else name
    return LessonText(name, title, titles, stubs, {}, [cell.source for cell in all_cells], code, cells)


def plain_answers(course: Course, student: str, lesson_text: LessonText) -> dict[str, SubmittedAnswer]:
    """Return a student's answers, keyed by task, from the notebooks that grading wrote.

    Missing or unreadable notebooks and unchanged answer cells are skipped.
    """
    folder = course.folder("autograded", student, lesson_text.name)
    answers_by_cell: dict[tuple[str, str], SubmittedAnswer] = {}
    for name in sorted({name for cells in lesson_text.answer_cells.values() for name, _ in cells}):
        answers_by_cell |= {(name, cell): answer for cell, answer in _answer_cells(folder / f"{name}.ipynb")}
    answers = {}
    for task, cells in lesson_text.answer_cells.items():
        task_answers = [answers_by_cell[cell] for cell in cells if cell in answers_by_cell]
        task_answers = [
            answer for answer in task_answers if answer.text.strip() not in lesson_text.stubs[task]
        ]
        if task_answers:
            text = "\n\n".join(answer.text for answer in task_answers)
            answers[task] = SubmittedAnswer(text, all(answer.is_code for answer in task_answers))
    return answers


def _answer_cells(path: Path) -> Iterator[tuple[str, SubmittedAnswer]]:
    """Yield each answer cell of a notebook with its grade_id; yield nothing if the file cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError):
        return
    for cell in cells:
        grading = cell["metadata"].get("nbgrader", {})
        if grading.get("solution"):
            text = cell["source"]
            yield grading["grade_id"], SubmittedAnswer(typed_text(text) or text, cell["cell_type"] == "code")
