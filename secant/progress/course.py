"""The lessons of a course, read from the syllabus and the released notebooks."""

import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from secant.headings import task_heading
from secant.language import LANGUAGES, Language
from secant.where import NoCourseError, course_root
from secant.workspace_state import fingerprint


@dataclass(frozen=True)
class ReleasedTask:
    """One graded task. A `manual` task is graded by a person, and counts only after it has been graded."""

    id: str
    title: str
    points: float
    manual: bool


@dataclass(frozen=True)
class PredictionText:
    """The text of a prediction, a multiple-choice question that a lesson asks before it shows a result.

    Attributes:
        text: the Markdown above the prediction.
        choices: the choices, keyed by letter.
        right: the letter of the right choice.
        replies: the reply to each choice, keyed by letter.
    """

    text: str
    choices: Mapping[str, str]
    right: str
    replies: Mapping[str, str]


@dataclass(frozen=True)
class ReleasedNotebook:
    """The content of a lesson's released notebook; empty if the notebook has not been released yet.

    Attributes:
        tasks: the graded tasks, in the order of their cells.
        predictions: the letter of each prediction's correct choice, keyed by the prediction's name.
        questions: each prediction's question, choices and replies, keyed by the prediction's name.
        fingerprint: the fingerprint of the notebook's bytes; None if it has not been released.
    """

    tasks: tuple[ReleasedTask, ...] = ()
    predictions: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, PredictionText] = field(default_factory=dict)
    fingerprint: str | None = None


@dataclass(frozen=True)
class SyllabusLesson:
    """One lesson, in one language. Its `prerequisites` are lesson numbers, which start at 1."""

    folder: str
    number: int
    title: str
    minutes: int
    tags: tuple[str, ...]
    prerequisites: tuple[int, ...]
    notebook: ReleasedNotebook

    @property
    def graded(self) -> tuple[ReleasedTask, ...]:
        """The tasks that are graded automatically."""
        return tuple(task for task in self.notebook.tasks if not task.manual)


Course = tuple[SyllabusLesson, ...]


def find_course() -> Path | None:
    """Return the folder with course/ and release/; None if there is none. See `secant.where`."""
    try:
        return course_root()
    except NoCourseError:
        return None


def any_course(root: Path | None) -> Course:
    """Return the lessons in the first released language; tasks and predictions are the same in all languages.

    Without a course, the result is empty.
    """
    root = root or find_course()
    if root is None:
        return ()
    for language in LANGUAGES:
        try:
            course = read_course(root, language)
        except (OSError, ValueError, KeyError, TypeError):
            return ()
        if any(lesson.notebook.tasks for lesson in course):
            return course
    return ()


def read_course(root: Path, language: Language) -> Course:
    """Return all lessons in the order of the syllabus.

    A file is read again only after it has changed.

    Raises:
        OSError, ValueError, KeyError, TypeError: if the syllabus is missing or malformed.
    """
    entries = _syllabus(*version(root / "course" / "syllabus.toml"))
    numbers = {entry["folder"]: number for number, entry in enumerate(entries, start=1)}
    return tuple(
        SyllabusLesson(
            entry["folder"],
            number,
            entry["title"][language],
            entry["minutes"],
            tuple(entry["tags"][language]),
            tuple(numbers[folder] for folder in entry["prerequisites"]),
            _read_notebook(root / "release" / language / entry["folder"] / f"{entry['folder']}.ipynb"),
        )
        for number, entry in enumerate(entries, start=1)
    )


def version(path: Path) -> tuple[Path, int, int]:
    """Return a file's path, modification time and size, which distinguish its versions.

    Raises:
        OSError: if there is no such file.
    """
    stat = path.stat()
    return path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=8)
def _syllabus(path: Path, modified: int, size: int) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["lesson"]
    return entries


def _read_notebook(path: Path) -> ReleasedNotebook:
    try:
        return _parse_notebook(*version(path))
    except OSError:
        return ReleasedNotebook()


@lru_cache(maxsize=64)
def _parse_notebook(path: Path, modified: int, size: int) -> ReleasedNotebook:
    content = path.read_bytes()
    try:
        cells = [(cell, "".join(cell["source"])) for cell in json.loads(content)["cells"]]
        right_letters = dict(_predictions(cells))
        return ReleasedNotebook(
            tuple(_tasks(cells)), right_letters, dict(_questions(cells, right_letters)), fingerprint(content)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ReleasedNotebook(fingerprint=fingerprint(content))


def _tasks(cells: list[tuple[dict[str, Any], str]]) -> Iterator[ReleasedTask]:
    """Yield a task for each graded cell, with the last heading above the cell as its title."""
    title = ""
    for cell, source in cells:
        if cell["cell_type"] == "markdown":
            title = task_heading(source) or title
        grading = cell.get("metadata", {}).get("nbgrader", {})
        if grading.get("grade"):
            name, manual = str(grading["grade_id"]), bool(grading.get("solution"))
            yield ReleasedTask(
                name if manual else name.removeprefix("test_"), title, float(grading["points"]), manual
            )


def _predictions(cells: list[tuple[dict[str, Any], str]]) -> Iterator[tuple[str, str]]:
    """Yield, for each call to `predicted`, the prediction's name and the letter of its correct choice."""
    for cell, source in cells:
        if cell["cell_type"] == "code" and "predicted(" in source:
            yield from filter(None, map(_prediction, _calls(source)))


def _questions(
    cells: list[tuple[dict[str, Any], str]], right_letters: Mapping[str, str]
) -> Iterator[tuple[str, PredictionText]]:
    """Yield each prediction's name and text, if a notebook contains both its question and its replies."""
    questions: dict[str, tuple[str, dict[str, str]]] = {}
    text = ""
    for cell, source in cells:
        if cell["cell_type"] == "markdown":
            text = source
        elif "predict" in source:
            for call in _calls(source):
                name, words = _words(call)
                if _called_name(call) == "predict" and name:
                    questions[name] = text, words
                elif (
                    _called_name(call) == "predicted"
                    and name in questions
                    and set(words) == set(questions[name][1])
                ):
                    question_text, choices = questions[name]
                    yield name, PredictionText(question_text, choices, right_letters[name], words)


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _words(call: ast.Call) -> tuple[str, dict[str, str]]:
    """Return the prediction's name in a call, and the call's choices or replies, keyed by letter."""
    names = [node.value for node in call.args[:1] if isinstance(node, ast.Constant)]
    keyword_values = {word.arg: word.value for word in call.keywords if word.arg and word.arg != "right"}
    texts = {arg: str(node.value) for arg, node in keyword_values.items() if isinstance(node, ast.Constant)}
    return str(names[0]) if names else "", texts if len(texts) == len(keyword_values) else {}


def _calls(source: str) -> Iterator[ast.Call]:
    try:
        return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    except SyntaxError:  # the cell may contain an IPython magic
        return iter(())


def _prediction(call: ast.Call) -> tuple[str, str] | None:
    right_values = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "right")]
    words = [node.value for node in (*call.args[:1], *right_values) if isinstance(node, ast.Constant)]
    return (str(words[0]), str(words[1])) if _called_name(call) == "predicted" and len(words) == 2 else None
