"""Placeholders such as {{points}} in a lesson's text, which are filled with values from the lesson's cells.

In source/, each filled-in value is enclosed in a span whose class is the placeholder's name. When such a
notebook is saved as a lesson's text again, each span is turned back into its placeholder.
Released notebooks contain the plain value.
"""

import re
from collections.abc import Mapping, Sequence

from nbformat import NotebookNode

from autograder.course import minutes
from autograder.course.cells import Task, is_manual, tasks

#: The names of all placeholders.
NAMES = ("lesson", "lessons", "minutes", "points", "tasks", "marks")
_ANY = "|".join(NAMES)
_SPAN = re.compile(rf'<span class="({_ANY})">([^<]*)</span>')
# does not match triple braces such as {{{points}}}, which an f-string may contain
_PLACEHOLDER = re.compile(rf"(?<!\{{)\{{\{{({_ANY})\}}\}}(?!\}})")
_TASK = re.compile(r"^## [^\n`]*· `(\w+)`", re.MULTILINE)
_MARKS = re.compile(r"^[●○]+ · [★☆]+ · \d+", re.MULTILINE)
_ENGLISH = ["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_KOREAN = ["하나", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두"]

Values = Mapping[str, str]


def without_spans(text: str) -> str:
    """Replace the spans that mark filled-in placeholders with the values they contain."""
    return _SPAN.sub(r"\2", text)


def with_placeholders(text: str) -> str:
    """Replace the spans that mark filled-in placeholders with the placeholders themselves."""
    return _SPAN.sub(r"{{\1}}", text)


def fill(cells: Sequence[NotebookNode], lesson: int, lessons: int) -> None:
    """Fill the placeholders in a lesson's text, and enclose each value in a span that names its placeholder.

    Args:
        cells: the lesson's cells.
        lesson: the lesson's number.
        lessons: the number of lessons in the course.
    """
    values = {"lesson": f"{lesson:02}", "lessons": str(lessons), "minutes": "0"}
    _fill_cells(cells, values)  # fills everything but the minutes, which are estimated from the filled text
    filled_cells = [NotebookNode(cell, source=without_spans(cell.source)) for cell in cells]
    _fill_cells(cells, values | {"minutes": str(minutes.round_minutes(minutes.minutes(filled_cells)))})


def _fill_cells(cells: Sequence[NotebookNode], values: Values) -> None:
    graded, marks = tasks(NotebookNode(cells=cells)), ""
    for cell in cells:
        if lang := cell.metadata.get("lang"):
            text = with_placeholders(cell.source)
            if lang == "en":
                marks = "".join(_MARKS.findall(text)[:1])
            cell.source = _insert_values(text, {**values, "marks": marks, **_counts(text, lang, graded)})


def _insert_values(text: str, values: Values) -> str:
    return _PLACEHOLDER.sub(lambda match: f'<span class="{match[1]}">{values[match[1]]}</span>', text)


def _counts(text: str, lang: str, lesson_tasks: Sequence[Task]) -> Values:
    """Return the values of the placeholders {{points}} and {{tasks}} for one text cell.

    {{points}} is the number of points of the task that the cell describes. If the cell describes no task,
    {{points}} is the sum of the points of all tasks that have tests. {{tasks}} counts the tasks that have
    tests, for example "Two functions and a class".
    """
    graded = [task for task in lesson_tasks if not is_manual(task.answer)]
    heading = _TASK.search(text)
    points = sum(task.points for task in lesson_tasks if heading and task.id == heading[1])
    points = points or sum(task.points for task in graded)
    if lang == "en":
        return {"points": f"{points:g} point" + ("" if points == 1 else "s"), "tasks": _english(graded)}
    if lang == "ko":
        return {"points": f"{points:g}점", "tasks": _korean(graded)}
    return {"points": f"{points:g}", "tasks": str(len(graded))}


def _kinds(graded: Sequence[Task]) -> tuple[int, int]:
    """Return how many tasks ask for a function, and how many ask for a class.

    Both numbers are zero if a task asks for neither, or if two tasks ask for the same name.
    """
    matches = [re.search(r"^(def|class) (\w+)", task.answer.source, re.MULTILINE) for task in graded]
    names = {match.groups() for match in matches if match}
    kinds = [kind for kind, _ in names] if len(names) == len(graded) else []
    return kinds.count("def"), kinds.count("class")


def _english(graded: Sequence[Task]) -> str:
    functions, classes = _kinds(graded)
    parts = [(functions, "function", "functions"), (classes, "class", "classes")]
    if not functions + classes:
        parts = [(len(graded), "task", "tasks")]
    words = " and ".join(
        f"{_word(_ENGLISH, n)} {singular if n == 1 else plural}" for n, singular, plural in parts if n
    )
    return words[:1].upper() + words[1:]


def _korean(graded: Sequence[Task]) -> str:
    functions, classes = _kinds(graded)
    if not functions + classes:
        return f"{_word(_KOREAN, len(graded)) if len(graded) > 1 else '한'} 문제"
    parts = [(functions, "함수"), (classes, "클래스")]
    return "와 ".join(f"{kind} {_word(_KOREAN, n)}{' 개' if n > 1 else ''}" for n, kind in parts if n)


def _word(words: Sequence[str], number: int) -> str:
    return words[number - 1] if 0 < number <= len(words) else str(number)
