"""Search a class edition for leaks: any line of an answer, a hidden test or a worked solution.

A line is reduced to its letters and digits, so that quotes, spaces and a notebook's JSON make no difference.
A line is secret if at least `SHORTEST` letters and digits remain, and if no text for students (hint, visible
test or example) contains the same sequence of letters and digits.

In Secant's own code, a line is reduced to its tokens, with all variable names replaced by the same token,
because an answer remains an answer when its class and variables are renamed. By chance, Secant's code may
contain a short line of an answer, such as `with torch.enable_grad():`. So only two consecutive lines or a
single long line count as a leak there, and only if they compute something.
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

SHORTEST = 8  # lines with fewer letters and digits are not searched for
# In Secant's own code, only lines with at least LONG tokens, and pairs of consecutive lines with at least
# LONG_PAIR tokens, are searched for.
LONG, LONG_PAIR = 20, 18
# Number of tokens that are compared first, for speed. The code is searched for a whole secret line only if it
# contains the first tokens of that line.
_START = 8


class Line(NamedTuple):
    """A secret line of a lesson: its text, the lesson's name and the line's kind (such as "hidden test")."""

    text: str
    lesson: str
    kind: str


@dataclass(frozen=True)
class Leak:
    """A file that contains a secret line."""

    file: str
    line: Line


class Secrets:
    """All secret lines of a course; students must not get them."""

    def __init__(self, root: Path) -> None:
        public: list[str] = []
        secrets: list[Line] = []
        lessons = {lesson.name: lesson for lesson in find_lessons(root)}
        for name in built_lessons(root):
            visible, secret = _parts(root, lessons.get(name) or Lesson(name, root / "course" / name))
            public += visible
            secrets += secret
        public_letters = letters("\n".join(public).encode())
        lines = {letters(line.text.encode()): line for line in secrets}
        self.lines = {
            key: line for key, line in lines.items() if len(key) >= SHORTEST and key not in public_letters
        }
        self.shapes = dict(_shapes(secrets, "\n".join(public)))

    def lines_in(self, text: str, *, is_code: bool = False) -> list[Line]:
        """Return the secret lines that the given text contains.

        Args:
            text: the text to search.
            is_code: whether the text is Secant's own code, where a secret line may appear with its variables
                renamed.
        """
        if is_code:
            return self._similar_lines_in(text)
        text_letters = letters(text.encode())
        starts = {text_letters[i : i + SHORTEST] for i in range(len(text_letters) - SHORTEST + 1)}
        return [
            line
            for line_letters, line in self.lines.items()
            if line_letters[:SHORTEST] in starts and line_letters in text_letters
        ]

    def _similar_lines_in(self, code: str) -> list[Line]:
        code_tokens = tokens(code, max_chars=len(code))
        starts = {code_tokens[i : i + _START] for i in range(len(code_tokens))}
        code_text = _join_tokens(code_tokens)
        return [
            line
            for shape, line in self.shapes.items()
            if shape[:_START] in starts and _join_tokens(shape) in code_text
        ]

    def leaks(self, archive: bytes) -> list[Leak]:
        """Return the leaks in a zip: secret lines in its files, in archives inside it, and in file names."""
        names: dict[bytes, str] = {}  # identical files in the zip are searched once
        for name, data in files_in("", archive):
            names.setdefault(data, name)
        return [
            Leak(name, line)
            for data, name in names.items()
            for line in self.lines_in(data.decode(errors="replace"), is_code=is_code(name))
        ]


def is_code(name: str) -> bool:
    """Return whether a file of an archive is Secant's own code."""
    _, wheel, inner_path = name.partition(".whl/")
    return bool(wheel) and inner_path.endswith((".py", ".js")) and "_course/" not in inner_path


def _shapes(secrets: Sequence[Line], public: str) -> Iterator[tuple[tuple[str, ...], Line]]:
    """Yield the tokens of each long secret line and of each pair of consecutive secret lines."""
    public_tokens = _join_tokens(tokens(public, max_chars=len(public)))
    code = [(tokens(line.text), line) for line in secrets if line.kind != "worked solution"]
    single_lines = [(shape, line) for shape, line in code if len(shape) >= LONG and shape[-1] != ":"]
    pairs = [
        (shape + after, Line(f"{line.text}\n{following.text}", *line[1:]))
        for (shape, line), (after, following) in itertools.pairwise(code)
        if line[1:] == following[1:] and len(shape + after) >= LONG_PAIR
    ]
    return (
        (shape, line)
        for shape, line in (*single_lines, *pairs)
        if sum(map(_computes, shape)) > 1 and _join_tokens(shape) not in public_tokens
    )


def _computes(token: str) -> bool:
    """Return whether a token is an attribute, a number or an arithmetic operator.

    Other tokens hardly distinguish one line from another, because all variable names are the same token.
    """
    return token[0] in ".0123456789+-*/%@" and token != "..."


def _join_tokens(shape: Iterable[str]) -> str:
    return f" {' '.join(shape)} "


def files_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the contents of a file and, if it is a zip, of each file in it, recursively.

    The name of each file in a zip is also yielded as contents, so that file names are searched as well.
    """
    yield name, data
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            yield f"{name}/{entry.filename}", entry.filename.encode()
            yield from files_in(f"{name}/{entry.filename}", archive.read(entry))


def _is_revealing(line: str) -> bool:
    """Return whether a line could reveal an answer. Blank lines and imports cannot."""
    return bool(line.strip()) and not line.lstrip().startswith(("import ", "from "))


def _parts(root: Path, lesson: Lesson) -> tuple[list[str], list[Line]]:
    """Return a lesson's public text, and the secret lines that students do not receive."""
    public: list[str] = []
    secrets: list[Line] = []

    def add_secret(text: str, kind: str) -> None:
        secrets.extend(
            Line(line.strip(), lesson.name, kind) for line in text.splitlines() if _is_revealing(line)
        )

    for cell in read_assignment(root, lesson.name).source.cells:
        if is_answer(cell):
            visible, solution = split_solution(cell.source)
            # if a cell has no solution markers, nbgrader replaces the whole cell, so all of it is secret
            add_secret(solution or cell.source, "answer")
            public.append(visible if solution else "")
        else:
            visible, hidden = split_tests(cell.source)
            public.append(visible)
            add_secret(hidden, "hidden test")
    for answer in right_answers(lesson):
        add_secret(answer.source, "answer")
    for words in solution_words(lesson).values():
        for text in words.values():
            add_secret(text, "worked solution")
    return public, secrets
