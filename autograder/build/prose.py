"""Rules for a lesson's text: it must name only existing tasks, and use placeholders for computed numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from nbformat import NotebookNode

from autograder.course.cells import Task, is_manual, tasks
from autograder.course.placeholders import NAMES, with_placeholders

Problems = Iterator[tuple[int, str]]

_HEADING = re.compile(r"^## (Task|과제) (\d+\.\d+) · `(\w+)`", re.MULTILINE)
_HIDDEN_TEST_LIST = re.compile(
    r"^## (?:What the hidden tests look for|숨은 테스트가 (?:보는|확인하는) 것)\n(?P<list>.*?)(?=^## |\Z)",
    re.M | re.S,
)
_ITEM = re.compile(r"^- \*\*(\d+\.\d+)\*\*", re.MULTILINE)
_REFERENCE = re.compile(r"(?:\b[Tt]asks?|과제) (\d+\.\d+(?:(?:,| and| to|와|과| ?[–~]| 및)+ ?\d+\.\d+)*)")
# Patterns for numbers that change with the lesson's cells, each with the placeholder to write instead.
_LITERALS = {
    r"^(?:Lesson|수업) \d+(?: of \S+| / \S+)? ·": "{{lesson}}",
    r"^(?:Lesson|수업) \S+(?: of | / )\d+ ·": "{{lessons}}",
    r"^(?:Lesson|수업) [^\n]*· (?:~|약 )\d+(?: min|분)": "{{minutes}}",
    r"\b[Tt]he \d+ minutes\b|\d+분에 (?:들|포함)": "{{minutes}}",
    r"^(?:[●○]+ · [★☆]+|\{\{marks)[^\n]* · \d+(?: points?\b|점)": "{{points}}",
    r"^[^\n,]*(?:[Ff]unction|[Cc]lass|[Tt]ask)(?:s|es)?, \d+ points?\b": "{{tasks}}, {{points}}",
    r"^[^\n,]*(?:함수|클래스|문제)[^\n,(]*[,(] ?(?:모두|합해서) \d+점": "{{tasks}}, 합해서 {{points}}",
}
_TRANSLATED_LITERALS = {r"^[●○]+ · [★☆]+ · \d+": "{{marks}}"}
_PLACEHOLDER = re.compile(r"(?<!\{)\{\{(\w+)\}\}(?!\})")


def task_numbers(text: str) -> set[str]:
    """Return the numbers, such as 7.6, of the tasks that have a heading in a lesson's text."""
    return {number for _, number, _ in _HEADING.findall(text)}


def prose_problems(
    notebook: NotebookNode, number: int, course: Mapping[int, set[str]], total: int | None
) -> Problems:
    """Find statements in a lesson's text that do not match its cells.

    In a lesson without a heading such as "## Task 7.6 · `first_bad_op`", only references to tasks are
    checked.

    Args:
        notebook: the instructor's notebook.
        number: the number of the lesson.
        course: the numbers of the tasks in every lesson in the course folder, keyed by the lesson's number.
        total: the number of lessons in the syllabus; None if there is no syllabus.

    Yields:
        The index of a cell in the notebook, and a description of the problem without a full stop.
    """
    texts = [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "markdown"]
    yield from _hints(texts)
    yield from _references(notebook.cells, course, total)
    graded = [task for task in tasks(notebook) if not is_manual(task.answer)]
    for lang in ("en", "ko"):
        texts_in_language = [(index, cell) for index, cell in texts if cell.metadata.get("lang") == lang]
        if any(_HEADING.search(cell.source) for _, cell in texts_in_language):
            yield from _headings(texts_in_language, number, graded)
            yield from _hidden_test_lists(texts_in_language, number, graded)


def literal_problems(text: NotebookNode) -> Problems:
    """Find numbers in a lesson's text that must be written as placeholders, and unknown placeholders.

    Args:
        text: the lesson's text, with its placeholders.
    """
    for index, cell in enumerate(text.cells):
        lang, source = cell.metadata.get("lang"), with_placeholders(cell.source)
        literals = _LITERALS if lang == "en" else _LITERALS | _TRANSLATED_LITERALS
        for literal, placeholder in literals.items() if lang else ():
            if match := re.search(literal, source, re.MULTILINE):
                yield index, f'it says "{match[0]}": write {placeholder} there, which the build fills in'
        for name in sorted({*_PLACEHOLDER.findall(source)} - {*NAMES}) if lang else ():
            yield index, f"there is no placeholder {{{{{name}}}}}, only {', '.join(NAMES)}"


def _hints(texts: Sequence[tuple[int, NotebookNode]]) -> Problems:
    for index, cell in texts:
        count = cell.source.count("<details>")
        if (heading := _HEADING.search(cell.source)) and count != 2:
            yield index, f"{heading[1]} {heading[2]} has {count} hints (<details>), but a task must have two"


def _references(cells: Sequence[NotebookNode], course: Mapping[int, set[str]], total: int | None) -> Problems:
    for index, cell in enumerate(cells):
        for reference in _REFERENCE.findall(_HEADING.sub("", cell.source)):
            for number in re.findall(r"\d+\.\d+", reference):
                lesson = int(number.partition(".")[0])
                # If the syllabus lists a lesson that is not in the course folder, its tasks are unknown, so
                # any task number is accepted.
                if number not in course.get(lesson, {number} if total is None or lesson <= total else set()):
                    yield index, f"it mentions task {number}, which does not exist"


def _headings(texts: Sequence[tuple[int, NotebookNode]], number: int, graded: Sequence[Task]) -> Problems:
    headings = [(index, *groups) for index, cell in texts for groups in _HEADING.findall(cell.source)]
    index = 0
    all_expected = [(f"{number}.{index}", task.id) for index, task in enumerate(graded, 1)]
    for heading, expected in zip_longest(headings, all_expected):
        if heading is None:
            yield index, f"no heading follows for task {expected[0]} · `{expected[1]}`"
            return
        index, word, *ids = heading
        if expected is None:
            yield index, f"its heading says {word} {ids[0]} · `{ids[1]}`, which does not exist"
        elif tuple(ids) != expected:
            yield (
                index,
                f"its heading says {word} {ids[0]} · `{ids[1]}`, but next is {expected[0]} · `{expected[1]}`",
            )
            return


def _hidden_test_lists(
    texts: Sequence[tuple[int, NotebookNode]], number: int, graded: Sequence[Task]
) -> Problems:
    expected = [f"{number}.{position}" for position in range(1, len(graded) + 1)]
    for index, cell in texts:
        for section in _HIDDEN_TEST_LIST.finditer(cell.source):
            ids = _ITEM.findall(section["list"])
            for task in sorted({*ids} - {*expected}):
                yield (
                    index,
                    f"the list of what hidden tests look for has task {task}, which does not exist",
                )
            for task in expected:
                if ids.count(task) != 1:
                    yield (
                        index,
                        f"the list of what hidden tests look for has {ids.count(task)} lines for task {task}",
                    )
