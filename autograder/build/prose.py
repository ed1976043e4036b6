"""What a lesson's text says of its tasks, held against its cells: numbers, names, points and references."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from nbformat import NotebookNode

from autograder.course import minutes
from autograder.course.cells import Task, is_manual, tasks
from secant.language import counted

Found = Iterator[tuple[int, str]]

_HEADING = re.compile(r"^## (Task|과제) (\d+\.\d+) · `(\w+)`", re.MULTILINE)
_MARKS = re.compile(
    r"^(?P<stars>[●○]+ · [★☆]+) · (?P<minutes>\d+)(?: min|분) · (?P<points>\d+)(?: points?\b|점)",
    re.MULTILINE,
)
_NAMED = re.compile(r"^## [^\n`]*· `(?P<name>\w+)`", re.MULTILINE)
_TOTAL = re.compile(
    r"^(?P<count>[^\n,]*?(?:functions?|class(?:es)?|tasks?)), (?P<points>\d+) points?\b", re.M | re.I
)
_TOTAL_KO = re.compile(
    r"^(?P<count>[^\n,]*?(?:함수|클래스|문제)[^\n,(]*)[,(] ?(?:모두|합해서) (?P<points>\d+)점", re.M
)
_LOOKED_FOR = re.compile(
    r"^## (?:What the hidden tests look for|숨은 테스트가 (?:보는|확인하는) 것)\n(?P<list>.*?)(?=^## |\Z)",
    re.M | re.S,
)
_ITEM = re.compile(r"^- \*\*(\d+\.\d+)\*\*", re.MULTILINE)
_REFERENCE = re.compile(r"(?:\b[Tt]asks?|과제) (\d+\.\d+(?:(?:,| and| to|와|과| ?[–~]| 및)+ ?\d+\.\d+)*)")
_HEADER = re.compile(r"^(?:Lesson|수업) (?P<number>\d+)(?: of | / )(?P<total>\d+) ·", re.MULTILINE)
# A sentence that speaks of the header's minutes, as in "the 85 minutes do not include optional parts".
_MINUTES = re.compile(r"\b(?:in )?[Tt]he (\d+) minutes\b|(\d+)분에 (?:들|포함)")
_NUMBERS = (
    ("a", "one", "하나", "한"),
    ("two", "둘", "두"),
    ("three", "셋", "세"),
    ("four", "넷", "네"),
    ("five", "다섯"),
    ("six", "여섯"),
    ("seven", "일곱"),
    ("eight", "여덟"),
    ("nine", "아홉"),
    ("ten", "열"),
)
_WORTH = {word: value for value, words in enumerate(_NUMBERS, 1) for word in words}


def numbered(text: str) -> set[str]:
    """Return the numbers of the tasks that a lesson's text has headings for, as in 7.6."""
    return {number for _, number, _ in _HEADING.findall(text)}


def prose_problems(
    notebook: NotebookNode, number: int, course: Mapping[int, set[str]], total: int | None
) -> Found:
    """Find what a lesson's text says that its cells do not.

    A lesson without a heading such as "## Task 7.6 · `first_bad_op`" is left in peace: it speaks of no tasks.

    Args:
        notebook: the instructor's.
        number: the lesson's.
        course: the numbers of the tasks of every lesson that is here, this one among them.
        total: how many lessons the syllabus lists; None if there is none.

    Yields:
        the cell's place in the notebook, -1 for none, and what is wrong, without a full stop.
    """
    texts = [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "markdown"]
    found = tasks(notebook)
    yield from _headers(texts, number, total)
    yield from _minutes(texts)
    yield from _hints(texts)
    yield from _references(notebook.cells, course, total)
    yield from _marks(texts, {task.id: task.points for task in found})
    graded = [task for task in found if not is_manual(task.answer)]
    for lang in ("en", "ko"):
        own = [(index, cell) for index, cell in texts if cell.metadata.get("lang") == lang]
        if any(_HEADING.search(cell.source) for _, cell in own):
            yield from _headings(own, number, graded)
            yield from _sums(own, graded)
            yield from _looked_for(own, number, graded)


def _headers(texts: Sequence[tuple[int, NotebookNode]], number: int, total: int | None) -> Found:
    for index, cell in texts:
        for said in _HEADER.finditer(cell.source):
            if int(said["number"]) != number:
                yield index, f"its header says lesson {said['number']}, but its folder {number:02}"
            if total is not None and int(said["total"]) != total:
                yield (
                    index,
                    f"its header says {said['total']} lessons, but course/syllabus.toml lists {total}",
                )


def _minutes(texts: Sequence[tuple[int, NotebookNode]]) -> Found:
    header = next(iter(minutes.stated(cell for _, cell in texts)), None)
    for index, cell in texts:
        for said in _MINUTES.finditer(cell.source):
            if header is not None and int(said[1] or said[2]) != header:
                yield index, f'it says "{said[0]}", but the header says {header} minutes'


def _hints(texts: Sequence[tuple[int, NotebookNode]]) -> Found:
    for index, cell in texts:
        count = cell.source.count("<details>")
        if (found := _HEADING.search(cell.source)) and count != 2:
            yield index, f"{found[1]} {found[2]} has {count} hints (<details>), but a task must have two"


def _references(cells: Sequence[NotebookNode], course: Mapping[int, set[str]], total: int | None) -> Found:
    for index, cell in enumerate(cells):
        for said in _REFERENCE.findall(_HEADING.sub("", cell.source)):
            for number in re.findall(r"\d+\.\d+", said):
                lesson = int(number.partition(".")[0])
                # Of a lesson that the syllabus lists and that is not here, nothing is known.
                if number not in course.get(lesson, {number} if total is None or lesson <= total else set()):
                    yield index, f"it mentions task {number}, which does not exist"


def _marks(texts: Sequence[tuple[int, NotebookNode]], points: Mapping[str, float]) -> Found:
    before: dict[str, tuple[str, str]] = {}
    for index, cell in texts:
        named, marks = _NAMED.search(cell.source), _MARKS.search(cell.source)
        if not named or not marks or named["name"] not in points:
            continue
        name, worth = named["name"], points[named["name"]]
        if int(marks["points"]) != worth:
            told = counted(int(marks["points"]), "point")
            yield index, f"its line of marks says {told}, but {name} is worth {worth:g}"
        said = (marks["stars"], marks["minutes"])
        if before.setdefault(name, said) != said:
            yield (
                index,
                f"its line of marks says {' · '.join(said)} min, but in English {' · '.join(before[name])}",
            )


def _headings(texts: Sequence[tuple[int, NotebookNode]], number: int, graded: Sequence[Task]) -> Found:
    said = [(index, *found) for index, cell in texts for found in _HEADING.findall(cell.source)]
    place = 0
    wanted = [(f"{number}.{place}", task.id) for place, task in enumerate(graded, 1)]
    for one, want in zip_longest(said, wanted):
        if one is None:
            yield place, f"no heading follows for task {want[0]} · `{want[1]}`"
            return
        place, word, *told = one
        if want is None:
            yield place, f"its heading says {word} {told[0]} · `{told[1]}`, which does not exist"
        elif tuple(told) != want:
            yield (
                place,
                f"its heading says {word} {told[0]} · `{told[1]}`, but next is {want[0]} · `{want[1]}`",
            )
            return


def _sums(texts: Sequence[tuple[int, NotebookNode]], graded: Sequence[Task]) -> Found:
    points = sum(task.points for task in graded)
    said = [
        (index, found)
        for index, cell in texts
        for found in (*_TOTAL.finditer(cell.source), *_TOTAL_KO.finditer(cell.source))
    ]
    if len(said) != 1:
        place = said[1][0] if said else -1
        lang = texts[0][1].metadata["lang"]
        like = {"en": '"Five functions, 10 points."', "ko": '"함수 다섯 개, 합해서 10점입니다."'}[lang]
        yield (
            place,
            f"{len(said)} sentences ({lang}) say how many tasks and points there are: "
            f"write exactly one, such as {like}",
        )
        return
    index, found = said[0]
    count = sum(_WORTH.get(word.lower(), 0) for word in found["count"].split())
    if count != len(graded):
        yield index, f'it says "{found["count"]}", but the lesson has {counted(len(graded), "task")}'
    if int(found["points"]) != points:
        yield index, f"it says {counted(int(found['points']), 'point')}, but its tasks are worth {points:g}"


def _looked_for(texts: Sequence[tuple[int, NotebookNode]], number: int, graded: Sequence[Task]) -> Found:
    wanted = [f"{number}.{place}" for place in range(1, len(graded) + 1)]
    for index, cell in texts:
        for section in _LOOKED_FOR.finditer(cell.source):
            said = _ITEM.findall(section["list"])
            for one in sorted({*said} - {*wanted}):
                yield (
                    index,
                    f"the list of what hidden tests look for has task {one}, which does not exist",
                )
            for one in wanted:
                if said.count(one) != 1:
                    yield (
                        index,
                        f"the list of what hidden tests look for has {said.count(one)} lines for task {one}",
                    )
