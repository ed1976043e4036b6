"""What a class's edition must not say: each line of an answer, a hidden test or a worked solution.

A line is its letters and digits, so that quotes, spaces and a notebook's JSON make no difference. One counts
if it has at least `SHORTEST` of them, and if nothing that students are given says the same: a hint, a visible
test, an example. The code of Secant itself solves problems of its own, and may have a line such as
`with torch.enable_grad():` in common by chance: there two lines in a row count.
"""

import io
import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.course.assignment import built_lessons, read_assignment
from autograder.course.cells import BEGIN_SOLUTION, END_SOLUTION, is_answer, is_manual, split_tests
from autograder.course.lesson import Lesson, find_lessons, right_answers
from autograder.course.solutions import solution_words

SHORTEST, SHORTEST_PAIR = 8, 24  # letters and digits

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_MARKS = re.compile(rf"{BEGIN_SOLUTION}\n(.*?)\n[^\n]*{END_SOLUTION}", re.DOTALL)


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
        said = letters("\n".join(given))
        pairs = [Line(f"{a.text}\n{b.text}", *a[1:]) for a, b in itertools.pairwise(kept) if a[1:] == b[1:]]
        self.lines = _telling(kept, SHORTEST, said)
        self.pairs = _telling(pairs, SHORTEST_PAIR, said)

    def told_by(self, text: str, *, is_code: bool = False) -> list[Line]:
        """The lines that a text says; the pairs of lines, if it is code of Secant's own."""
        said = letters(text)
        starts = {said[i : i + SHORTEST] for i in range(len(said) - SHORTEST + 1)}
        secrets = self.pairs if is_code else self.lines
        return [line for short, line in secrets.items() if short[:SHORTEST] in starts and short in said]

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


def _telling(lines: Iterable[Line], shortest: int, given: str) -> dict[str, Line]:
    """Those lines that are long enough and that nobody is given, by their letters."""
    found = {letters(line.text): line for line in lines}
    return {short: line for short, line in found.items() if len(short) >= shortest and short not in given}


def letters(text: str) -> str:
    """The letters and digits of a text, in any script."""
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return re.sub(r"[\W_]+", "", text)


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
            marked = _MARKS.findall(cell.source)
            answer = "\n".join(marked) if marked or not is_manual(cell) else cell.source
            keep(answer, "answer")
            given.append(_MARKS.sub("", cell.source) if marked else "")
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
