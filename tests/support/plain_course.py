"""Plain nbgrader assignments for tests, and their release versions as unmodified nbgrader makes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
_KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def _metadata(grade_id: str, kind: str, **fields: Any) -> dict[str, Any]:
    defaults = {"schema_version": 3, "grade_id": grade_id, "cell_type": kind, "task": False}
    return {"nbgrader": {**defaults, "locked": False, "grade": False, "solution": False, **fields}}


def code(source: str) -> NotebookNode:
    """Return an ordinary code cell."""
    return new_code_cell(source)


def locked(grade_id: str, source: str) -> NotebookNode:
    """Return a read-only code cell."""
    return new_code_cell(source, metadata=_metadata(grade_id, "code", locked=True))


def answer(grade_id: str, source: str) -> NotebookNode:
    """Return a code cell for an answer, with its solution."""
    return new_code_cell(source, metadata=_metadata(grade_id, "code", solution=True))


def graded(grade_id: str, source: str, points: float = 1) -> NotebookNode:
    """Return a test cell that is graded automatically."""
    metadata = _metadata(grade_id, "code", grade=True, locked=True, points=points)
    return new_code_cell(source, metadata=metadata)


def manual(grade_id: str, source: str, points: float = 2, kind: str = "markdown") -> NotebookNode:
    """Return an answer cell that is graded manually."""
    new_cell = new_markdown_cell if kind == "markdown" else new_code_cell
    return new_cell(source, metadata=_metadata(grade_id, kind, grade=True, solution=True, points=points))


def task(grade_id: str, source: str, points: float = 2) -> NotebookNode:
    """Return a task cell, which is graded manually."""
    metadata = _metadata(grade_id, "markdown", task=True, locked=True, points=points)
    return new_markdown_cell(source, metadata=metadata)


def notebook(*cells: NotebookNode) -> NotebookNode:
    """Return a notebook of these cells."""
    return new_notebook(cells=list(cells), metadata=dict(_KERNEL))


def in_format_4_0(source_notebook: NotebookNode) -> str:
    """Return a notebook as text in nbformat 4.0, in which cells have no ids."""
    document = json.loads(writes(source_notebook))
    document["nbformat_minor"] = 0
    for cell in document["cells"]:
        del cell["id"]
    return json.dumps(document, indent=1) + "\n"


_DETERMINANT = """m = np.array([[2.0, 1.0], [1.0, 3.0]])
### BEGIN SOLUTION
det = np.linalg.det(m)
### END SOLUTION"""
_COUNTS = """def counts(words):
    ### BEGIN SOLUTION
    return {word: words.count(word) for word in words}
    ### END SOLUTION"""
_COUNTS_TEST = """assert counts([]) == {}
### BEGIN HIDDEN TESTS
assert counts(["a"]), "SECRET"
### END HIDDEN TESTS"""
_WHY = """Because.

### BEGIN MARK SCHEME
2 points for a reason
### END MARK SCHEME"""
_SQUARES = """def squares(n):
    ### BEGIN SOLUTION
    return [i**2 for i in range(n)]
    ### END SOLUTION"""
HOMEWORK = notebook(
    new_markdown_cell("# Homework 1\n\nWork alone."),
    code("import numpy as np"),
    answer("determinant", _DETERMINANT),
    graded("test_determinant", "assert abs(det - 5) < 1e-9", 2),
    answer("cell-5d1c8f0a", _COUNTS),
    graded("cell-77aa01b2", _COUNTS_TEST, 3),
    manual("why", _WHY),
    task("essay", "Draw a plot."),
    new_markdown_cell("The end."),
)
PROBLEM = notebook(
    answer("squares", _SQUARES),
    graded("test_squares", 'hint = hints("squares")\nassert squares(2) == [0, 1]', 1),
    locked("given", "x = 3"),
)


def write_assignment(source: Path, name: str, notebooks: Mapping[str, str | NotebookNode]) -> None:
    """Write an assignment's folder into source/."""
    folder = source / name
    folder.mkdir(parents=True)
    for file, content in notebooks.items():
        text = content if isinstance(content, str) else writes(content) + "\n"
        (folder / f"{file}.ipynb").write_text(text, encoding="utf-8")


def release_files(root: Path, name: str, config: Config, folder: str) -> dict[str, bytes]:
    """Generate the release version of an assignment with nbgrader, and return its files by name.

    Args:
        root: the course directory.
        name: the assignment's name.
        config: nbgrader's settings for the release.
        folder: the folder to release to, relative to the course directory.
    """
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.release_directory = folder
    config.CourseDirectory.assignment_id = name
    config.GenerateAssignment.no_database = True  # a database takes most of the time and changes no notebook
    config.SaveCells.enabled = False
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    outcome = capture_log(converter)
    assert outcome["success"], outcome.get("log") or outcome
    return {path.name: path.read_bytes() for path in sorted((root / folder / name).iterdir())}
