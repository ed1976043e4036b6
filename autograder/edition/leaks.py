"""What a class's edition must not say: each line of an answer, a hidden test or a worked solution.

A line is its letters and digits, so that quotes, spaces and a notebook's JSON make no difference. One counts
if it has at least `SHORTEST` of them, and if nothing that students are given says the same: a hint, a visible
test, an example.

In the code of Secant itself a line is its tokens, with all names made alike: an answer stays an answer when
its class and variables are renamed. That code may have a short line such as `with torch.enable_grad():` in
common by chance. So there two lines in a row count, and one line only if it is long; and only what computes.
"""

import io
import itertools
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.course.assignment import built_lessons, read_assignment
from autograder.course.cells import is_answer, split_solution, split_tests
from autograder.course.lesson import Lesson, find_lessons, right_answers
from autograder.course.solutions import solution_words
from autograder.course.tokens import letters, tokens

SHORTEST = 8  # letters and digits
LONG, LONG_PAIR = 20, 18  # tokens, in the code of Secant itself
_START = 8  # tokens by which lines are looked up


class Line(NamedTuple):
    """A line that no student is given: as it is written, where, and what kind it is."""

    text: str
    lesson: str
    kind: str


@dataclass(frozen=True)
class Leak:
    """A file that says such a line."""

    file: str
    line: Line


class Secrets:
    """All lines of a course that students are not given."""

    def __init__(self, root: Path) -> None:
        given: list[str] = []
        kept: list[Line] = []
        lessons = {lesson.name: lesson for lesson in find_lessons(root)}
        for name in built_lessons(root):
            visible, secret = _parts(root, lessons.get(name) or Lesson(name, root / "course" / name))
            given += visible
            kept += secret
        said = letters("\n".join(given).encode())
        lines = {letters(line.text.encode()): line for line in kept}
        self.lines = {key: line for key, line in lines.items() if len(key) >= SHORTEST and key not in said}
        self.shapes = dict(_shapes(kept, "\n".join(given)))

    def told_by(self, text: str, *, is_code: bool = False) -> list[Line]:
        """Return the lines that a text says; code of Secant's own may say them with other names."""
        if is_code:
            return self._shaped_in(text)
        said = letters(text.encode())
        starts = {said[i : i + SHORTEST] for i in range(len(said) - SHORTEST + 1)}
        return [line for short, line in self.lines.items() if short[:SHORTEST] in starts and short in said]

    def _shaped_in(self, code: str) -> list[Line]:
        found = tokens(code, most=len(code))
        starts = {found[i : i + _START] for i in range(len(found))}
        said = _joined(found)
        return [
            line for shape, line in self.shapes.items() if shape[:_START] in starts and _joined(shape) in said
        ]

    def leaks(self, archive: bytes) -> list[Leak]:
        """What the files of a zip say, the archives in it and their files' names."""
        seen: dict[bytes, str] = {}  # what stands in a zip twice is read once
        for name, data in files_in("", archive):
            seen.setdefault(data, name)
        return [
            Leak(name, line)
            for data, name in seen.items()
            for line in self.told_by(data.decode(errors="replace"), is_code=is_code(name))
        ]


def is_code(name: str) -> bool:
    """Whether a file of an archive is Secant's own code."""
    _, wheel, inside = name.partition(".whl/")
    return bool(wheel) and inside.endswith((".py", ".js")) and "_course/" not in inside


def _shapes(kept: Sequence[Line], given: str) -> Iterator[tuple[tuple[str, ...], Line]]:
    """Yield the tokens of long lines, and of two lines in a row, which nobody is given."""
    said = _joined(tokens(given, most=len(given)))
    code = [(tokens(line.text), line) for line in kept if line.kind != "worked solution"]
    alone = [(shape, line) for shape, line in code if len(shape) >= LONG and shape[-1] != ":"]
    pairs = [
        (shape + after, Line(f"{line.text}\n{following.text}", *line[1:]))
        for (shape, line), (after, following) in itertools.pairwise(code)
        if line[1:] == following[1:] and len(shape + after) >= LONG_PAIR
    ]
    return (
        (shape, line)
        for shape, line in (*alone, *pairs)
        if sum(map(_computes, shape)) > 1 and _joined(shape) not in said
    )


def _computes(token: str) -> bool:
    """Return whether a token is an attribute, a number or a sign of arithmetic: lists of names are alike."""
    return token[0] in ".0123456789+-*/%@" and token != "..."


def _joined(shape: Iterable[str]) -> str:
    return f" {' '.join(shape)} "


def files_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each file of a zip, of the archives in it, their own bytes and their files' names."""
    yield name, data
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for inner in archive.infolist():
            yield f"{name}/{inner.filename}", inner.filename.encode()
            yield from files_in(f"{name}/{inner.filename}", archive.read(inner))


def _says(line: str) -> bool:
    """Whether a line says something: an import gives nothing away."""
    return bool(line.strip()) and not line.lstrip().startswith(("import ", "from "))


def _parts(root: Path, lesson: Lesson) -> tuple[list[str], list[Line]]:
    """What a lesson gives to students, and the lines that it does not."""
    given: list[str] = []
    kept: list[Line] = []

    def keep(text: str, kind: str) -> None:
        kept.extend(Line(line.strip(), lesson.name, kind) for line in text.splitlines() if _says(line))

    for cell in read_assignment(root, lesson.name).source.cells:
        if is_answer(cell):
            visible, solution = split_solution(cell.source)
            keep(solution or cell.source, "answer")  # without marks, nbgrader replaces the whole cell
            given.append(visible if solution else "")
        else:
            visible, hidden = split_tests(cell.source)
            given.append(visible)
            keep(hidden, "hidden test")
    for answer in right_answers(lesson):
        keep(answer.source, "answer")
    for words in solution_words(lesson).values():
        for said in words.values():
            keep(said, "worked solution")
    return given, kept
