"""A lesson's cells: their nbgrader metadata, the header lines that abbreviate it, and the lesson's tasks."""

import ast
import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nbformat import NotebookNode

BEGIN_HIDDEN, END_HIDDEN = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"
BEGIN_SOLUTION, END_SOLUTION = "BEGIN SOLUTION", "END SOLUTION"
#: The keys in a cell's header line that stand for nbgrader's metadata: answer="f" for an answer cell;
#: test="f" points=2 for the answer's test; answer="f" points=2 for an answer that is graded by hand.
HEADER_MARKS = ("answer", "test", "points")


@dataclass(frozen=True)
class Task:
    """One graded question. A task without a test cell is graded by hand."""

    id: str
    points: float
    answer: NotebookNode
    test: NotebookNode | None = None


def grading(cell: NotebookNode) -> Mapping[str, object]:
    """Return a cell's nbgrader metadata, or an empty mapping."""
    metadata = cell.metadata.get("nbgrader")
    return metadata if isinstance(metadata, dict) else {}


def grade_id(cell: NotebookNode) -> str:
    """Return a cell's grade_id, or an empty string."""
    return str(grading(cell).get("grade_id", ""))


def text_id(kind: str, source: str) -> str:
    """Return the id that the build gives to a cell without a grade_id: a hash of the cell's type and text."""
    return hashlib.sha256((kind + source).encode()).hexdigest()[:12]


def fill_metadata(cell: NotebookNode) -> None:
    """Add the nbgrader metadata that the keys in a cell's header line express.

    If the header line has no such keys, add the keys that express the cell's nbgrader metadata.
    """
    marks = {key: cell.metadata[key] for key in HEADER_MARKS if key in cell.metadata}
    if isinstance(marks.get("answer", marks.get("test")), str):
        cell.metadata["nbgrader"] = _metadata_of(marks, cell.cell_type)
    else:
        cell.metadata.update(header_marks(cell))


def header_marks(cell: NotebookNode) -> dict[str, object]:
    """Return the header keys that express a cell's nbgrader metadata; an empty dict if no keys can."""
    metadata = grading(cell)
    marks: dict[str, object] = {"test": grade_id(cell).removeprefix("test_")}
    if is_answer(cell):
        marks = {"answer": grade_id(cell)}
    if "points" in metadata:
        marks["points"] = metadata["points"]
    return marks if metadata == _metadata_of(marks, cell.cell_type) else {}


def _metadata_of(marks: Mapping[str, object], cell_type: str) -> dict[str, object]:
    """Return the nbgrader metadata equivalent to the header keys of an answer or a test.

    An answer that has points is graded by hand.
    """
    is_test, points = "answer" not in marks, {key: marks[key] for key in marks if key == "points"}
    return {
        "grade_id": f"test_{marks['test']}" if is_test else marks["answer"],
        "solution": not is_test,
        "grade": is_test or bool(points),
        "locked": is_test,
        "schema_version": 3,
        "task": False,
        "cell_type": cell_type,
        **points,
    }


def is_answer(cell: NotebookNode) -> bool:
    """Return whether students write their answer in this cell."""
    return bool(grading(cell).get("solution"))


def is_test(cell: NotebookNode) -> bool:
    """Return whether this cell tests an answer."""
    return bool(grading(cell).get("grade")) and not is_answer(cell)


def is_ordinary(cell: NotebookNode) -> bool:
    """Return whether a cell is ungraded code."""
    return cell.cell_type == "code" and "nbgrader" not in cell.metadata


def is_installer(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell is the one that installs Secant, and has no outputs.

    Only learners who do not have Secant yet need this cell. Web pages and class editions of a lesson omit it.
    """
    return "installs" in cell["metadata"] and not cell.get("outputs")


def is_manual(cell: NotebookNode) -> bool:
    """Return whether this cell is an answer that is graded by hand."""
    return is_answer(cell) and bool(grading(cell).get("grade"))


def split_tests(source: str) -> tuple[str, str]:
    """Split a test cell's source into its visible part and its hidden part."""
    return _split(source, BEGIN_HIDDEN, END_HIDDEN)


def split_solution(source: str) -> tuple[str, str]:
    """Split an answer cell's source into the part that students receive and the solution.

    The solution is empty if no marker lines enclose it.
    """
    return _split(source, BEGIN_SOLUTION, END_SOLUTION)


def without_marks(source: str) -> str:
    """Return an answer cell's source without the lines that mark the solution."""
    marks = (f"### {BEGIN_SOLUTION}", f"### {END_SOLUTION}")
    return "\n".join(line for line in source.splitlines() if line.strip() not in marks)


def _split(source: str, begin: str, end: str) -> tuple[str, str]:
    """Split a cell's source into the lines outside and the lines inside its marked regions."""
    outside: list[str] = []
    inside: list[str] = []
    lines = outside
    for line in source.splitlines():
        if begin in line or end in line:
            lines = inside if begin in line else outside
        else:
            lines.append(line)
    return "\n".join(outside), "\n".join(inside)


def imports(lesson: Iterable[NotebookNode]) -> str:
    """Return the import statements of a lesson's ungraded code cells, without duplicates."""
    return _imports(tuple(c.source for c in lesson if c.cell_type == "code" and not grade_id(c)))


@lru_cache(maxsize=32)
def _imports(sources: Iterable[str]) -> str:
    lines: dict[str, None] = {}
    for source in sources:
        # Cells that do not parse are skipped: they contain magics or a student's broken code.
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            statements = ast.parse(source).body
            lines |= {ast.unparse(s): None for s in statements if isinstance(s, ast.Import | ast.ImportFrom)}
    return "\n".join(lines)


def tasks(notebook: NotebookNode) -> list[Task]:
    """Return a notebook's tasks, in order. The notebook must follow the rules for lessons."""
    tests = {grade_id(cell): cell for cell in notebook.cells if is_test(cell)}
    result = []
    for cell in filter(is_answer, notebook.cells):
        test = None if is_manual(cell) else tests.get(f"test_{grade_id(cell)}")
        if test is not None or is_manual(cell):
            points = grading(cell if test is None else test).get("points", 0)
            result.append(Task(grade_id(cell), float(str(points)), cell, test))
    return result
