"""Describe a lesson and its verdicts for the JupyterLab panel: titles, hints, and the parts of messages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from autograder.course.cells import Task, grade_id, is_answer, is_manual, is_test
from autograder.exam import plain_words
from autograder.exam.checked_notebook import CheckedNotebook
from autograder.exam.report import PUBLIC, TaskResult
from secant.address import report_text, report_url
from secant.headings import task_heading
from secant.progress import store
from secant.progress.facts import TaskRecord
from secant.visible import visible

if TYPE_CHECKING:
    from autograder.exam.own_plain import OwnReport
    from autograder.exam.plain_report import Grade

# Limits on a task's title and on its hints, four times what Secant's own lessons need. Without limits, a
# notebook could make the response to the panel huge, because all tasks under one heading repeat the same
# title and hints.
_MAX_TITLE_CHARS, _MAX_HINTS, _MAX_HINT_CHARS = 300, 20, 10_000
_HINT = re.compile(r"(?:Hint|힌트) \d+")


@dataclass(frozen=True)
class TaskText:
    """A task's title and hints, taken from the lesson's text."""

    title: str
    hints: list[tuple[str, str]]


def task_texts(notebook: CheckedNotebook) -> dict[str, TaskText]:
    """Return the title and the hints of each task, taken from the text cells above its answer cell."""
    texts: dict[str, TaskText] = {}
    title, hints = "", list[tuple[str, str]]()
    for cell in notebook.release.cells:
        if cell.cell_type == "markdown" and not is_answer(cell):
            if heading := task_heading(cell.source):
                title, hints = visible(heading[:_MAX_TITLE_CHARS]), []
            hints += islice(hints_in(cell.source), _MAX_HINTS - len(hints))
        elif is_answer(cell):
            texts.setdefault(grade_id(cell), TaskText(title, hints))
        elif is_test(cell):
            hints = []
    return texts


def hints_in(prose: str) -> Iterator[tuple[str, str]]:
    """Yield a pair (title, text) for each hint in a cell, in time that is linear in the cell's length."""
    for section in prose.split("<details>")[1:]:
        content, closing_tag, _ = section.partition("</details>")
        title, separator, text = content.partition("</summary>")
        title = title.strip().removeprefix("<summary>").strip()
        if closing_tag and separator and _HINT.match(title):
            yield visible(title[:_MAX_TITLE_CHARS]), visible(text.strip()[:_MAX_HINT_CHARS], prose=True)


def lesson_title(notebook: CheckedNotebook) -> str:
    """Return the notebook's first heading, without the lesson's number."""
    for cell in notebook.release.cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                if line.startswith("# "):
                    title = line[:_MAX_TITLE_CHARS].removeprefix("# ").replace("`", "").strip()
                    return visible(re.sub(r"^\d+[.:]?\s+", "", title))
    return notebook.assignment.lesson


def lesson_number(notebook: CheckedNotebook) -> int | None:
    """Return the number at the beginning of a lesson's name, or None if there is no number."""
    number = re.match(r"\d+", notebook.assignment.lesson)
    return int(number[0]) if number else None


def tasks_of(notebook: CheckedNotebook) -> list[dict[str, Any]]:
    """Return the data of a lesson's tasks, in order.

    The data of a task includes its opened hints and the most points earned in it so far.
    """
    texts, progress = task_texts(notebook), _progress(notebook.assignment.lesson)
    lesson = notebook.assignment.lesson
    return [
        _task(task, texts.get(task.id, TaskText(task.id, [])), progress.get(task.id))
        | {"report": report_url(lesson, task.id), "about": report_text(lesson, task.id)}
        for task in notebook.tasks
    ]


def _progress(lesson: str) -> dict[str, TaskRecord]:
    """Return the recorded progress in a lesson's tasks, or {} if the progress cannot be read."""
    try:
        return store.read()["lessons"].get(lesson, {})
    except store.StoreError:
        return {}


def _task(task: Task, text: TaskText, progress: TaskRecord | None) -> dict[str, Any]:
    opened = max(progress["hints"], default=0) if progress else 0  # hints are opened in sequence, from 1 on
    return {
        "id": task.id,
        "title": text.title or task.id,
        "max_points": task.points,
        "manual": is_manual(task.answer),
        "hints": len(text.hints),
        "shown": [{"title": title, "text": text} for title, text in text.hints[:opened]],
        "best": min(progress["points"], task.points) if progress else 0.0,
    }


def row(result: TaskResult, hints: int) -> dict[str, Any]:
    """Return the data that the panel shows for a verdict, including the parts of its message."""
    return {
        **{name: getattr(result, name) for name in PUBLIC},
        "parts": [dict(vars(part)) for part in result.verdict.parts],
        "hints": hints,
    }


def plain_rows(report: "OwnReport") -> Iterator[dict[str, Any]]:
    """Yield the data of each cell that gives points in a notebook with ordinary nbgrader tests.

    The field `said` holds Secant's own sentence about the result. The fields `error`, `message` and `output`
    come from the student's process and cannot be trusted, so a page shows them separately.
    """
    for test in report.tests:
        yield {"kind": "test", **_plain_row(test)}
    for cell in report.manual:
        yield {"kind": "manual", "id": visible(cell.id), "max_points": cell.max_points}


def _plain_row(test: "Grade") -> dict[str, Any]:
    has_error = plain_words.has_error(test)
    return {
        "id": visible(test.id),
        "points": test.points,
        "max_points": test.max_points,
        "outcome": plain_words.public_outcome(test),
        "said": plain_words.explanation(test),
        "error": visible(test.error) if has_error else "",
        "message": visible(test.message) if has_error else "",
        "output": visible(test.output.rstrip()),
        "seconds": test.seconds,
    }


def plain_end(report: "OwnReport") -> dict[str, Any]:
    """Return the data of the last event in the check of a notebook with ordinary nbgrader tests.

    The data contains a warning that the result is not a grade. It also lists the cells that stopped with an
    error and are not tests.
    """
    stopped = [
        {
            "label": visible(cell.label),
            "line": cell.trace[-1].number if cell.trace else None,
            "error": visible(cell.error),
            "message": visible(cell.message),
        }
        for cell in report.stopped
    ]
    return {
        "said": plain_words.no_grade_note(report),
        "left_out": plain_words.left_out_note(report),
        "stopped": stopped,
    }
