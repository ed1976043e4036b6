"""The small course that the hostile submissions are written for, with secrets placed in it as bait."""

import copy
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.build.builder import build
from autograder.course.cells import grade_id, is_answer, is_test
from autograder.course.lesson import find_lessons, read_lesson
from autograder.exam.examiner import Examiner

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
LESSON = "01_squares"
POINTS = {"grad_square": 2.0, "slope_at": 3.0, "doubled": 2.0}
TASKS = tuple(POINTS)
BAIT = "CANARY-"  # the beginning of every text that no student's process may read
SIGN = "SECANT-SURVIVOR"  # in the command line of every process that tries to outlive its grading

RIGHT = {
    "grad_square": "def grad_square(x):\n    return 2 * x",
    "slope_at": "def slope_at(x):\n    return 2.0 * x",
    "doubled": "def doubled(x):\n    return 2 * x, (2 * x).sum().item()",
}
WRONG = {
    "grad_square": "def grad_square(x):\n    return x * 0",
    "slope_at": "def slope_at(x):\n    return x * 0.0",
    "doubled": "def doubled(x):\n    return x * 0, 0.0",
}


def insert_code(body: str, answers: Mapping[str, str] = WRONG) -> dict[str, str]:
    """Return the answers with these lines at the beginning of each function."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return {task: text.replace("):\n", "):\n" + lines, 1) for task, text in answers.items()}


def insert_above(text: str, answers: Mapping[str, str] = WRONG) -> dict[str, str]:
    """Return the answers with this text above each function."""
    return {task: f"{text}\n{answer}" for task, answer in answers.items()}


@dataclass(frozen=True)
class World:
    """A separate course directory for hostile submissions."""

    root: Path

    @classmethod
    def create(cls, root: Path, bait: bool = True) -> "World":
        """Build the course and, if asked to, lay out bait: a gradebook and another student's work."""
        shutil.copytree(HERE / "course", root / "course", dirs_exist_ok=True)
        shutil.copy(REPOSITORY / "nbgrader_config.py", root)
        build(root, find_lessons(root))
        if not bait:
            return cls(root)
        other_folder = root / "submitted" / "other" / LESSON
        other_folder.mkdir(parents=True, exist_ok=True)
        (other_folder / f"{LESSON}.ipynb").write_text('{"cells": [], "bait": "CANARY-other-student-31c0"}')
        with sqlite3.connect(root / "gradebook.db") as book:
            book.execute("create table if not exists bait (text)")
            book.execute("insert into bait values ('CANARY-gradebook-9d2e')")
        book.close()
        return cls(root)

    @property
    def port(self) -> int:
        """The TCP port of a local service (see `services`), or 80 if no service runs."""
        file = self.root / "port.txt"
        return int(file.read_text()) if file.exists() else 80

    @cached_property
    def source(self) -> NotebookNode:
        """The instructor's notebook."""
        return read_lesson(find_lessons(self.root)[0])

    @cached_property
    def releases(self) -> dict[Any, NotebookNode]:
        """The notebooks that students are given, by language."""
        path = "release/{}/" + f"{LESSON}/{LESSON}.ipynb"
        return {lang: nbformat.read(self.root / path.format(lang), 4) for lang in ("en", "ko")}

    @cached_property
    def examiner(self) -> Examiner:
        """The examiner, with the lesson's tests."""
        return Examiner(LESSON, self.source)

    @contextmanager
    def services(self) -> Iterator[None]:
        """Run local services, and provide an open secret file and a secret environment variable, as bait."""
        with ExitStack() as stack:
            web_socket = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            (self.root / "port.txt").write_text(str(web_socket.getsockname()[1]))
            abstract_socket = stack.enter_context(socket.socket(socket.AF_UNIX))
            with suppress(OSError):  # another test process may have bound this name
                abstract_socket.bind("\0SECANT-abstract")
                abstract_socket.listen()
            named_socket = stack.enter_context(socket.socket(socket.AF_UNIX))
            with suppress(OSError):  # the path may be too long
                named_socket.bind(str(self.root / "service.sock"))
                named_socket.listen()
            os.set_inheritable(stack.enter_context(open(self.bait[1], "rb")).fileno(), True)
            os.environ["SECANT_SECRET"] = "CANARY-environment-88f1"
            stack.callback(os.environ.pop, "SECANT_SECRET", None)
            yield

    @property
    def bait(self) -> list[Path]:
        """The paths of the secret files that a student might try to read."""
        return [
            self.root / "gradebook.db",
            self.root / "source" / LESSON / f"{LESSON}.ipynb",
            self.root / "course" / LESSON / f"{LESSON}.py",
            self.root / "submitted" / "other" / LESSON / f"{LESSON}.ipynb",
        ]

    def hidden_lines(self) -> set[str]:
        """Return the distinctive lines of the hidden tests."""
        from autograder.course.cells import split_tests

        hidden = "\n".join(split_tests(cell.source)[1] for cell in self.source.cells if is_test(cell))
        return {line.strip() for line in hidden.splitlines() if len(line.strip()) > 25}

    def notebook(
        self,
        answers: Mapping[str, str] = WRONG,
        first: str | Iterable[str] = (),
        last: str | Iterable[str] = (),
        lang: str = "en",
    ) -> dict[str, Any]:
        """Return a submission as JSON: the release with these answers and additional code cells.

        Args:
            answers: the answers by task; other tasks keep their stubs.
            first: code cells to insert after the release's first code cell.
            last: code cells to add at the end.
            lang: the language of the release.
        """
        notebook = copy.deepcopy(self.releases[lang])
        for cell in filter(is_answer, notebook.cells):
            cell.source = answers.get(grade_id(cell), cell.source)
        first, last = ([text] if isinstance(text, str) else list(text) for text in (first, last))
        front = [new_code_cell(text, id=f"first-{n}") for n, text in enumerate(first)]
        back = [new_code_cell(text, id=f"last-{n}") for n, text in enumerate(last)]
        # A lesson's first code cell installs Secant; a plain assignment's contains the imports.
        index = next(n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code") + 1
        notebook.cells = [*notebook.cells[:index], *front, *notebook.cells[index:], *back]
        document: dict[str, Any] = json.loads(nbformat.writes(notebook))
        return document


def graded_cells(notebook: dict[str, Any], tests: bool = True, answers: bool = False) -> list[dict[str, Any]]:
    """Return the test cells of a submission, its answer cells, or both."""
    cells = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    return [
        cell
        for cell in cells
        if (tests and cell["metadata"]["nbgrader"]["grade"])
        or (answers and cell["metadata"]["nbgrader"]["solution"])
    ]
