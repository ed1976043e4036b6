"""Detect files that give a lesson away: its hidden tests, its answers, or an answered notebook.

A file is judged by its content, whatever its name and format: Python, a notebook's JSON, or a web page. Files
that students receive are not reported. nbgrader's examples are not reported either, because they contain
other tasks.

Code is compared twice. Single lines are compared as letters and digits. Sequences of lines are compared as
tokens in which one token replaces all names, because code with renamed variables still gives a lesson away.
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
from autograder.sandbox.leak_scan import read

# Lines with fewer letters and digits than these limits are not compared.
_MIN_TEST_LINE, _MIN_ANSWER_LINE = 20, 8
# A whole answer is searched for only if it has at least this many letters and digits. A shorter answer, such
# as `return x**2`, may occur anywhere.
_MIN_ANSWER = 30
# A file with this many different lines of hidden tests is a leak. Hidden tests use special helper functions,
# so no answer contains one of their lines by chance.
_MIN_LEAKED_LINES = 3
_LONG_LINE = re.compile(rf"[^\n]{{{_MIN_TEST_LINE},}}")
# Limits for comparing a file as tokens: lines with at least _CODE_LINE bytes are skipped, and only the first
# _CODE_LINES of the other lines are compared.
_CODE_LINE, _CODE_LINES = 1_000, 5_000
# A pair of lines with fewer than _LONG_PAIR tokens is not compared, nor is an answer with fewer than
# _LONG_ANSWER tokens.
_LONG_PAIR, _LONG_ANSWER = 18, 30
# A copied test contains this import even if its variables were renamed.
_TEST_IMPORT = b"from secant import"
_TEST_CALL = re.compile(r"\bcheck\.|\bassert\b|\b_[a-zA-Z]")


@dataclass(frozen=True)
class _Secret:
    """The lines that give one task away.

    Attributes:
        task: the task's id.
        tests: the lines of the hidden test, as letters and digits.
        answer: the lines of the answer, as letters and digits.
    """

    task: str
    tests: frozenset[str]
    answer: frozenset[str]

    def is_quoted_in(self, text_letters: str) -> bool:
        """Return whether a file contains more than half of the hidden test's lines, or the whole answer."""
        if 2 * sum(line in text_letters for line in self.tests) > len(self.tests):
            return True
        return sum(map(len, self.answer)) >= _MIN_ANSWER and all(line in text_letters for line in self.answer)


@dataclass(frozen=True)
class _Shape:
    """The normalised code of one task, used to detect a leak even if variables were renamed.

    In normalised code, one token replaces all names.

    Attributes:
        task: the task's id.
        pairs: the pairs of consecutive lines in the hidden test; lines without a call are skipped.
        answer: the whole answer; an empty string if the answer is too short to compare.
    """

    task: str
    pairs: frozenset[str]
    answer: str

    def is_quoted_in(self, pairs: frozenset[str], shapes: str) -> bool:
        """Return whether a file contains over half of the hidden test's line pairs, or the whole answer."""
        common_count = len(self.pairs & pairs)
        has_tests = common_count >= _MIN_LEAKED_LINES and 2 * common_count > len(self.pairs)
        return has_tests or (bool(self.answer) and self.answer in shapes)


class LessonSecrets:
    """The hidden tests and answers of a lesson, which no file visible to students may contain.

    Args:
        name: the lesson's name.
        source: the instructor's notebook.
    """

    def __init__(self, name: str, source: NotebookNode) -> None:
        self.name = name
        visible_letters = letters("\n".join(_parts(cell)[0] for cell in source.cells).encode())
        self._answers = {task.id: task.answer for task in tasks(source)}
        answer_letters = letters("\n".join(task.answer.source for task in tasks(source)).encode())
        self._source = source
        self._quotable = {
            task.id: frozenset(
                line
                for text in split_tests(task.test.source)[1].splitlines()
                if _TEST_CALL.search(text)
                for line in _long_lines(json.dumps(text, ensure_ascii=False).encode())
                if line not in visible_letters and line not in answer_letters
            )
            for task in tasks(source)
            if task.test
        }
        self._all_quotable = frozenset[str]().union(*self._quotable.values())
        self._secrets = [
            _Secret(
                task.id,
                frozenset(
                    _lines(
                        split_tests(task.test.source)[1] if task.test else "", _MIN_TEST_LINE, visible_letters
                    )
                ),
                frozenset(_lines(split_solution(task.answer.source)[1], _MIN_ANSWER_LINE, visible_letters)),
            )
            for task in tasks(source)
        ]

    @cached_property
    def _shapes(self) -> list[_Shape]:
        """The normalised hidden test and answer of each task, excluding the code that students receive."""
        released_code = "\n".join(_parts(cell)[0] for cell in self._source.cells).encode()
        answer_code = "\n".join(answer.source for answer in self._answers.values()).encode()
        open_pairs, released_shapes = _pairs(released_code) | _pairs(answer_code), _shapes(released_code)
        return [
            _Shape(
                task.id,
                _pairs(split_tests(task.test.source)[1].encode() if task.test else b"") - open_pairs,
                _long_shape(split_solution(task.answer.source)[1], released_shapes),
            )
            for task in tasks(self._source)
        ]

    @cached_property
    def _all_pairs(self) -> frozenset[str]:
        return frozenset[str]().union(*(shape.pairs for shape in self._shapes))

    def first_leak(self, files: Iterable[str]) -> str | None:
        """Return the first of the files that gives the lesson away; None if no file does."""
        return next(
            (name for path in files for name, data in read(path) if self.is_leaked_by(name, data)), None
        )

    def is_leaked_by(self, name: str, data: bytes) -> bool:
        """Return whether a file gives the lesson away.

        Args:
            name: the file's path.
            data: the file's bytes.
        """
        if name.endswith("/.git/index"):
            return any(f"/{self.name}.{kind}".encode() in data for kind in ("ipynb", "py"))
        if name.endswith(".pyc"):
            return f"/{self.name}." in name
        mentioned_secrets = [secret for secret in self._secrets if secret.task.encode() in data]
        if not mentioned_secrets and _TEST_IMPORT not in data:
            return False
        if any(
            f'task="{secret.task}"'.encode() in data
            for secret in mentioned_secrets
            # Only recorded answers and worked solutions contain cells that name their task in this way.
        ):
            return True
        text = _without_tags(data)
        text_letters = letters(text)
        if any(secret.is_quoted_in(text_letters) for secret in mentioned_secrets) or self._is_handed_in(data):
            return True
        pairs, shapes = _pairs(text), _shapes(text)
        return any(shape.is_quoted_in(pairs, shapes) for shape in self._shapes)

    def hidden_tests_in(self, data: bytes) -> list[str]:
        """Return the tasks whose hidden tests a student's file quotes; none if it quotes only a few lines.

        A line counts if it is complete, uses the functions that tests use, and occurs neither in the
        students' notebook nor in one of the course's answers. A student whose file has several such
        lines has therefore seen the tests, and no correct answer is mistaken for a quotation. If there are
        too few such lines, pairs of lines are compared, with one token in place of all names.
        """
        quoted_lines = self._all_quotable.intersection(_long_lines(data))
        if len(quoted_lines) >= _MIN_LEAKED_LINES:
            return [task for task, lines in self._quotable.items() if lines & quoted_lines]
        matching_pairs = _pairs(data) & self._all_pairs
        if len(matching_pairs) < _MIN_LEAKED_LINES:
            return []
        return [shape.task for shape in self._shapes if shape.pairs & matching_pairs]

    def _is_handed_in(self, data: bytes) -> bool:
        """Return whether a file is a notebook in which a student has replaced a stub with an answer."""
        with suppress(ValueError, RecursionError, TypeError, KeyError, AttributeError):
            for cell in json.loads(data)["cells"]:
                task = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
                if task in self._answers and cell["metadata"]["nbgrader"].get("solution"):
                    is_stub = is_manual(self._answers[task]) or "NotImplementedError" in "".join(
                        cell["source"]
                    )
                    if not is_stub:
                        return True
        return False


def _parts(cell: NotebookNode) -> tuple[str, str]:
    """Split a cell into the part that students receive and the part that they do not."""
    return split_solution(cell.source) if is_answer(cell) else split_tests(cell.source)


def _lines(text: str, min_length: int, released: str) -> list[str]:
    """Return the letters and digits of those ASCII lines that are long and not in the released text."""
    lines = [letters(line.encode()) for line in text.splitlines() if line.isascii()]
    return [line for line in lines if len(line) >= min_length and line not in released]


def _long_lines(data: bytes) -> list[str]:
    """Return the long lines of a file, or of a notebook's JSON, as letters and digits."""
    return _LONG_LINE.findall(letters(data.replace(b"\\n", b"\n"), lines=True))


def _without_tags(text: bytes) -> bytes:
    """Return the text of a web page; return any other text unchanged."""
    if b"<html" in text[:2000].lower():
        return html.unescape(re.sub(r"<[^>]*>", "", text.decode(errors="replace"))).encode()
    return text


def _pairs(data: bytes) -> frozenset[str]:
    """Return the pairs of consecutive normalised lines that are long enough to compare.

    Lines without a call are skipped before the pairs are formed. In a normalised line, one token replaces all
    names.
    """
    calls = (line for line in _code_lines(data) if b"(" in line)
    shapes = (shape for line in itertools.islice(calls, _CODE_LINES) if (shape := _shape(line)))
    pairs = itertools.pairwise(shapes)
    return frozenset(f"{a}\n{b}" for a, b in pairs if a.count(" ") + b.count(" ") + 2 >= _LONG_PAIR)


def _shapes(data: bytes) -> str:
    """Return the normalised lines of a file, with a line feed before and after each line.

    In a normalised line, one token replaces all names.
    """
    shapes = (_shape(line) for line in itertools.islice(_code_lines(data), _CODE_LINES))
    return "".join(f"\n{shape}\n" for shape in shapes if shape)


def _long_shape(code: str, released: str) -> str:
    """Return an answer's normalised lines, or an empty string if it is short or released to students."""
    shapes = _shapes(code.encode())
    return shapes if len(shapes.split()) >= _LONG_ANSWER and shapes not in released else ""


def _code_lines(data: bytes) -> Iterator[bytes]:
    """Yield those lines of a file, or of a notebook's JSON, that are short enough to be code."""
    lines = data.replace(b"\\n", b"\n").split(b"\n")
    return (line for line in lines if len(line) < _CODE_LINE)


@lru_cache(maxsize=50_000)  # cached because many notebooks contain the same lines
def _shape(line: bytes) -> str:
    """Normalise a line: remove JSON's quotation marks, and replace all names with one token."""
    text = line.decode(errors="replace").replace('\\"', '"').replace("\\\\", "\\").strip(' \t\r",')
    result = tokens(text)
    return " ".join(result) if any(token.isalnum() for token in result) else ""
