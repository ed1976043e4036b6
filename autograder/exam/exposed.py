"""Whether a file gives away a lesson: a hidden test, an answer, or what somebody has answered.

A file is judged by what it says, whatever it is called and however it is written down: as Python, in a
notebook's JSON, as a page. What a student is given says none of it, and nbgrader's examples have other tasks.
"""

import html
import json
import re
import string
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.cells import BEGIN_SOLUTION, END_SOLUTION, is_answer, is_manual, split_tests, tasks
from autograder.sandbox.sweep import read

_KEPT = (string.ascii_letters + string.digits + "_").encode()
_DROPPED = bytes(
    set(range(256)) - set(_KEPT)
)  # quotes, brackets, spaces: what each way of writing writes otherwise
_SHORTEST_TEST, _SHORTEST_ANSWER = 20, 8  # letters and digits of a line that is told again by others
_LEAST_ANSWER = 30  # of a whole answer, as `return x**2` may stand anywhere
_DROPPED_IN_LINES = bytes(set(_DROPPED) - set(b"\n"))
# Different lines of hidden tests, which use tools of their own: an answer has none of them by chance.
_PROOF = 3
_LONG_LINE = re.compile(rb"[^\n]{%d,}" % _SHORTEST_TEST)
_OF_TESTS = re.compile(r"\bcheck\.|\bassert\b|\b_[a-zA-Z]")


@dataclass(frozen=True)
class _Secret:
    """What gives one task away: lines, as letters and digits."""

    task: str
    tests: frozenset[bytes]
    answer: frozenset[bytes]

    def told_by(self, said: bytes) -> bool:
        """Whether a text says more than half of the hidden test, or all of the answer."""
        if 2 * sum(line in said for line in self.tests) > len(self.tests):
            return True
        return sum(map(len, self.answer)) >= _LEAST_ANSWER and all(line in said for line in self.answer)


class Lesson:
    """What must not be told of a lesson.

    Args:
        source: the instructor's notebook.
        name: the lesson's.
    """

    def __init__(self, name: str, source: NotebookNode) -> None:
        self.name = name
        visible = _letters("\n".join(_parts(cell)[0] for cell in source.cells).encode())
        self._answers = {task.id: task.answer for task in tasks(source)}
        answers = _letters("\n".join(task.answer.source for task in tasks(source)).encode())
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
        self._all_quotable = frozenset[bytes]().union(*self._quotable.values())
        self._secrets = [
            _Secret(
                task.id,
                frozenset(
                    _lines(split_tests(task.test.source)[1] if task.test else "", _SHORTEST_TEST, visible)
                ),
                frozenset(_lines(_solution(task.answer.source), _SHORTEST_ANSWER, visible)),
            )
            for task in tasks(source)
        ]

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
        if not named:
            return False
        if any(
            f'task="{secret.task}"'.encode() in data for secret in named
        ):  # answers and why they are right
            return True
        said = _letters(data)
        return any(secret.told_by(said) for secret in named) or self._is_handed_in(data)

    def hidden_tests_in(self, data: bytes) -> list[str]:
        """Return the tasks whose hidden tests a student's file quotes: none, unless it has several lines.

        Only whole lines count that use what tests use, and that neither a student is given nor an answer of
        the course has. So whoever has them has seen the tests, and no right answer is taken for them.
        """
        said = self._all_quotable.intersection(_long_lines(data))
        quoted = {task: lines & said for task, lines in self._quotable.items()}
        if len(said) < _PROOF:
            return []
        return [task for task, lines in quoted.items() if lines]

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
    """What a student is given of a cell, and what not."""
    if is_answer(cell):
        solution = _solution(cell.source)
        return cell.source.replace(solution, "") if solution else cell.source, solution
    return split_tests(cell.source)


def _solution(source: str) -> str:
    """The parts of an answer between its marks."""
    found = re.findall(rf"{BEGIN_SOLUTION}\n(.*?)\n[^\n]*{END_SOLUTION}", source, re.DOTALL)
    return "\n".join(found)


def _lines(text: str, shortest: int, given: bytes) -> list[bytes]:
    """The telling lines of a text: long enough, in plain letters, and not in what students are given."""
    found = [_letters(line.encode()) for line in text.splitlines() if line.isascii()]
    return [line for line in found if len(line) >= shortest and line not in given]


def _long_lines(data: bytes) -> list[bytes]:
    """Return the long lines of a text as ASCII letters and digits, also of one in a notebook's JSON."""
    return _LONG_LINE.findall(data.replace(b"\\n", b"\n").translate(None, _DROPPED_IN_LINES))


def _letters(text: bytes) -> bytes:
    if b"<html" in text[:2000].lower():
        text = html.unescape(re.sub(r"<[^>]*>", "", text.decode(errors="replace"))).encode()
    return text.translate(None, _DROPPED)
