"""Whether a file gives away a lesson: a hidden test, an answer, or what somebody has answered.

A file is judged by what it says, whatever it is called and however it is written down: as Python, in a
notebook's JSON, as a page. What a student is given says none of it, and nbgrader's examples have other tasks.

Code is compared twice: line by line as letters and digits, and as tokens with all names made alike, since a
renamed variable makes no other test or answer.
"""

import html
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache

from nbformat import NotebookNode

from autograder.course.cells import is_answer, is_manual, split_solution, split_tests, tasks
from autograder.course.tokens import letters, tokens
from autograder.sandbox.sweep import read

_SHORTEST_TEST, _SHORTEST_ANSWER = 20, 8  # letters and digits of a line that is told again by others
_LEAST_ANSWER = 30  # of a whole answer, as `return x**2` may stand anywhere
# Different lines of hidden tests, which use tools of their own: an answer has none of them by chance.
_PROOF = 3
_LONG_LINE = re.compile(rf"[^\n]{{{_SHORTEST_TEST},}}")
_CODE_LINE, _CODE_LINES = 1_000, 5_000  # bytes of a line, and lines of a file, that are read as tokens
_LONG_PAIR, _LONG_ANSWER = 18, 30  # tokens of two lines in a row, and of an answer
_TEST_IMPORT = b"from secant import"  # which a copy of tests has, whatever its other names are
_OF_TESTS = re.compile(r"\bcheck\.|\bassert\b|\b_[a-zA-Z]")


@dataclass(frozen=True)
class _Secret:
    """What gives one task away.

    Attributes:
        tests: the lines of the hidden test, as letters and digits.
        answer: the lines of the answer, as letters and digits.
    """

    task: str
    tests: frozenset[str]
    answer: frozenset[str]

    def told_by(self, said: str) -> bool:
        """Whether a text says more than half of the hidden test, or all of the answer."""
        if 2 * sum(line in said for line in self.tests) > len(self.tests):
            return True
        return sum(map(len, self.answer)) >= _LEAST_ANSWER and all(line in said for line in self.answer)


@dataclass(frozen=True)
class _Shape:
    """What gives one task away whatever its names are: tokens, with names made alike.

    Attributes:
        pairs: two lines in a row of the hidden test.
        answer: the whole answer; empty if it is short.
    """

    task: str
    pairs: frozenset[str]
    answer: str

    def told_by(self, pairs: frozenset[str], shapes: str) -> bool:
        """Whether a text says more than half of the hidden test, or all of the answer."""
        common = len(self.pairs & pairs)
        has_tests = common >= _PROOF and 2 * common > len(self.pairs)
        return has_tests or (bool(self.answer) and self.answer in shapes)


class Lesson:
    """What must not be told of a lesson.

    Args:
        source: the instructor's notebook.
        name: the lesson's.
    """

    def __init__(self, name: str, source: NotebookNode) -> None:
        self.name = name
        visible = letters("\n".join(_parts(cell)[0] for cell in source.cells).encode())
        self._answers = {task.id: task.answer for task in tasks(source)}
        answers = letters("\n".join(task.answer.source for task in tasks(source)).encode())
        self._source = source
        self._quotable = {
            task.id: frozenset(
                line
                for text in split_tests(task.test.source)[1].splitlines()
                if _OF_TESTS.search(text)
                for line in _long_lines(json.dumps(text, ensure_ascii=False).encode())
                if line not in visible and line not in answers
            )
            for task in tasks(source)
            if task.test
        }
        self._all_quotable = frozenset[str]().union(*self._quotable.values())
        self._secrets = [
            _Secret(
                task.id,
                frozenset(
                    _lines(split_tests(task.test.source)[1] if task.test else "", _SHORTEST_TEST, visible)
                ),
                frozenset(_lines(split_solution(task.answer.source)[1], _SHORTEST_ANSWER, visible)),
            )
            for task in tasks(source)
        ]

    @cached_property
    def _shapes(self) -> list[_Shape]:
        """Return each task's tests and answer with names made alike, without what students are given."""
        given = "\n".join(_parts(cell)[0] for cell in self._source.cells).encode()
        answers = "\n".join(answer.source for answer in self._answers.values()).encode()
        open_pairs, given_shapes = _pairs(given) | _pairs(answers), _shapes(given)
        return [
            _Shape(
                task.id,
                _pairs(split_tests(task.test.source)[1].encode() if task.test else b"") - open_pairs,
                _long_shape(split_solution(task.answer.source)[1], given_shapes),
            )
            for task in tasks(self._source)
        ]

    @cached_property
    def _all_pairs(self) -> frozenset[str]:
        return frozenset[str]().union(*(shape.pairs for shape in self._shapes))

    def exposed(self, files: Iterable[str]) -> str | None:
        """Return the first of these files that gives the lesson away, if one does."""
        return next((name for path in files for name, data in read(path) if self.is_told(name, data)), None)

    def is_told(self, name: str, data: bytes) -> bool:
        """Whether a file of this name gives the lesson away."""
        if name.endswith("/.git/index"):
            return any(f"/{self.name}.{kind}".encode() in data for kind in ("ipynb", "py"))
        if name.endswith(".pyc"):
            return f"/{self.name}." in name
        named = [secret for secret in self._secrets if secret.task.encode() in data]
        if not named and _TEST_IMPORT not in data:
            return False
        if any(
            f'task="{secret.task}"'.encode() in data for secret in named
        ):  # answers and why they are right
            return True
        text = _without_tags(data)
        said = letters(text)
        if any(secret.told_by(said) for secret in named) or self._is_handed_in(data):
            return True
        pairs, shapes = _pairs(text), _shapes(text)
        return any(shape.told_by(pairs, shapes) for shape in self._shapes)

    def hidden_tests_in(self, data: bytes) -> list[str]:
        """Return the tasks whose hidden tests a student's file quotes: none, unless it has several lines.

        Only whole lines count that use what tests use, and that neither a student is given nor an answer of
        the course has. So a student who has them has seen the tests, and no right answer is taken for them.
        Without so many lines, pairs of lines with other names in them count in the same way.
        """
        said = self._all_quotable.intersection(_long_lines(data))
        if len(said) >= _PROOF:
            return [task for task, lines in self._quotable.items() if lines & said]
        renamed = _pairs(data) & self._all_pairs
        if len(renamed) < _PROOF:
            return []
        return [shape.task for shape in self._shapes if shape.pairs & renamed]

    def _is_handed_in(self, data: bytes) -> bool:
        """Whether this is a notebook in which somebody has answered."""
        with suppress(ValueError, RecursionError, TypeError, KeyError, AttributeError):
            for cell in json.loads(data)["cells"]:
                task = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
                if task in self._answers and cell["metadata"]["nbgrader"].get("solution"):
                    stub = is_manual(self._answers[task]) or "NotImplementedError" in "".join(cell["source"])
                    if not stub:
                        return True
        return False


def _parts(cell: NotebookNode) -> tuple[str, str]:
    """Return what a student is given of a cell, and what not."""
    return split_solution(cell.source) if is_answer(cell) else split_tests(cell.source)


def _lines(text: str, shortest: int, given: str) -> list[str]:
    """Return the telling lines of a text: long enough, in ASCII, and not in what students are given."""
    found = [letters(line.encode()) for line in text.splitlines() if line.isascii()]
    return [line for line in found if len(line) >= shortest and line not in given]


def _long_lines(data: bytes) -> list[str]:
    """Return the long lines of a text as letters and digits, also of one in a notebook's JSON."""
    return _LONG_LINE.findall(letters(data.replace(b"\\n", b"\n"), lines=True))


def _without_tags(text: bytes) -> bytes:
    """Return the text of a page; any other text as it is."""
    if b"<html" in text[:2000].lower():
        return html.unescape(re.sub(r"<[^>]*>", "", text.decode(errors="replace"))).encode()
    return text


def _pairs(data: bytes) -> frozenset[str]:
    """Return the long pairs of lines in a row that call something, as tokens with names made alike."""
    calls = (line for line in _code_lines(data) if b"(" in line)
    shapes = (shape for line in itertools.islice(calls, _CODE_LINES) if (shape := _shape(line)))
    pairs = itertools.pairwise(shapes)
    return frozenset(f"{a}\n{b}" for a, b in pairs if a.count(" ") + b.count(" ") + 2 >= _LONG_PAIR)


def _shapes(data: bytes) -> str:
    """Return all lines of a text as tokens with names made alike, each line between two line feeds."""
    shapes = (_shape(line) for line in itertools.islice(_code_lines(data), _CODE_LINES))
    return "".join(f"\n{shape}\n" for shape in shapes if shape)


def _long_shape(code: str, given: str) -> str:
    """Return the `_shapes` of an answer; nothing if the answer is short or students are given it."""
    shapes = _shapes(code.encode())
    return shapes if len(shapes.split()) >= _LONG_ANSWER and shapes not in given else ""


def _code_lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines of a text or of a notebook's JSON that are short enough for code."""
    lines = data.replace(b"\\n", b"\n").split(b"\n")
    return (line for line in lines if len(line) < _CODE_LINE)


@lru_cache(maxsize=50_000)  # most lines of a class's notebooks are the release's
def _shape(line: bytes) -> str:
    """Return a line as tokens with names made alike; JSON's quotes around it are left out."""
    text = line.decode(errors="replace").replace('\\"', '"').replace("\\\\", "\\").strip(' \t\r",')
    found = tokens(text)
    return " ".join(found) if any(token.isalnum() for token in found) else ""
