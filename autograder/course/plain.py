"""Plain assignments: the course's ordinary nbgrader assignments, which are not Secant lessons.

A plain assignment is a folder in source/ without a folder of the same name in course/. Its notebooks contain
test cells that the instructor wrote for nbgrader. Assignments that use nbgrader options the grader does not
support are rejected here, with a message that names the option.
"""

import ast
import copy
import fnmatch
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from nbformat import NotebookNode
from traitlets.config import Config

from autograder.course.assignment import is_built
from autograder.course.cells import grade_id, grading, is_answer, is_manual, is_test
from autograder.course.errors import CourseError

Kind = Literal["test", "answer", "manual", "task", "locked"]
# maximum total bytes of the files that accompany the notebooks; every submission gets a copy of them
MAX_FILES_BYTES = 64_000_000
#: Filename patterns for files that nbgrader does not release; the course's settings can override them.
IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", ".pytest_cache")
_AWAIT = re.compile(r"'(?:await|async \w+)' outside|asynchronous comprehension outside")
_AUTOTEST = re.compile(r"^\s*#+\s*(?:HASHED\s+)?AUTOTEST\b", re.MULTILINE)


class Unsupported(CourseError):
    """Raised for an assignment that uses a feature the grader does not support."""


@dataclass(frozen=True)
class PlainCell:
    """A cell with nbgrader metadata: a graded cell, an answer cell or a locked cell.

    Attributes:
        id: the cell's grade_id.
        kind: the cell's role in grading.
        source: the cell's text as stock nbgrader stores it for grading. It includes the hidden tests but not
            the solutions.
        is_code: whether it is a code cell.
        points: the maximum score of the cell.
        has_hidden_part: whether a part of the cell was removed from the students' version.
    """

    id: str
    kind: Kind
    source: str
    is_code: bool
    points: float
    has_hidden_part: bool

    @property
    def is_restored(self) -> bool:
        """True if grading restores the course's text of this cell, even if the student changed it."""
        return self.kind in ("test", "task", "locked")


@dataclass(frozen=True)
class PlainSource:
    """A notebook of a plain assignment.

    Attributes:
        name: the notebook's file name without .ipynb.
        cells: the cells with nbgrader metadata, in order.
        bound: the names that the instructor's code assigns. They include a builtin's name if the task is to
            reimplement the builtin.
    """

    name: str
    cells: Sequence[PlainCell]
    bound: frozenset[str]


@dataclass(frozen=True)
class PlainAssignment:
    """The notebooks and files with which submissions of a plain assignment are graded.

    Attributes:
        name: the name of the assignment's folder.
        notebooks: the notebooks, in nbgrader's order.
        files: the contents of the files that accompany the notebooks, keyed by path.
    """

    name: str
    notebooks: Sequence[PlainSource]
    files: Mapping[str, bytes]

    @cached_property
    def digest(self) -> str:
        """A hash of everything that affects a grade: tests, points, stubs, locked cells and files."""
        cells = [[notebook.name, [vars(cell) for cell in notebook.cells]] for notebook in self.notebooks]
        files = [[path, hashlib.sha256(data).hexdigest()] for path, data in sorted(self.files.items())]
        return hashlib.sha256(json.dumps([cells, files], sort_keys=True).encode()).hexdigest()


def is_plain(root: Path, name: str, source: str = "source") -> bool:
    """Return whether a course has a plain assignment with this name.

    A folder with a notebook written by the build is left over from a lesson and does not count.
    """
    if (root / "course" / name).is_dir() or Path(name).name != name:
        return False
    checks = [_is_written_by_hand(path) for path in notebooks(root / source / name)]
    return bool(checks) and all(checks)


def plain_assignments(root: Path, source: str = "source") -> list[str]:
    """Return the names of a course's plain assignments, sorted."""
    folders = sorted(path for path in (root / source).glob("*") if path.is_dir() and path.name[0] != ".")
    return [path.name for path in folders if is_plain(root, path.name, source)]


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks of an assignment's folder, in the order in which nbgrader processes them."""
    return sorted(path for path in folder.glob("*.ipynb") if not path.name.startswith("."))


def read_plain(
    root: Path, name: str, config: Config | None = None, source: str = "source"
) -> PlainAssignment:
    """Read a plain assignment.

    Args:
        root: the course directory.
        name: the assignment's name.
        config: the course's settings. The settings of ClearSolutions and ClearHiddenTests determine what
            students received.
        source: the folder of the instructor's notebooks.

    Raises:
        CourseError: no assignment has this name, or it uses a feature the grader does not support.
    """
    if not is_plain(root, name, source):
        raise CourseError(f"{root / source} has no assignment {name} with ordinary nbgrader tests.")
    folder = root / source / name
    sources = [_read(path, config or Config()) for path in notebooks(folder)]
    return PlainAssignment(name, sources, _files(folder))


def instructors_notebooks(root: Path, name: str, source: str = "source") -> dict[str, NotebookNode]:
    """Return the instructor's notebooks of a plain assignment, keyed by name.

    Raises:
        CourseError: a notebook cannot be read.
    """
    return {path.stem: read_instructors_notebook(path) for path in notebooks(root / source / name)}


def read_instructors_notebook(path: Path) -> NotebookNode:
    """Read one of the instructor's notebooks.

    Raises:
        CourseError: the notebook cannot be read.
    """
    from nbgrader.nbgraderformat import ValidationError

    try:
        return copy.deepcopy(_parse_notebook(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RuntimeError, ValidationError) as error:
        raise Unsupported(f"source/{path.parent.name}/{path.name} cannot be read: {error}") from error


@lru_cache(maxsize=8)
def _parse_notebook(text: str) -> NotebookNode:
    """Parse and validate a notebook. The result is cached, because a grading run needs it several times."""
    from nbgrader.nbgraderformat import reads

    notebook: NotebookNode = reads(text, as_version=4)
    return notebook


def merge_files(
    assignment_files: Mapping[str, bytes], student_files: Mapping[str, bytes], protected: Iterable[str] = ()
) -> dict[str, bytes]:
    """Merge the course's and the student's files into the files that a submitted notebook can read.

    If both have a file with the same path, nbgrader's rules decide which one is used.

    Args:
        assignment_files: the contents of the assignment's files, keyed by path.
        student_files: the contents of the student's files, keyed by path.
        protected: the paths at which the student's file is used even if the assignment has a file there
            (`Autograde.exclude_overwriting`).
    """
    overwriting_files = {
        path: data
        for path, data in assignment_files.items()
        if path not in protected or path not in student_files
    }
    return {**student_files, **overwriting_files}


def _is_written_by_hand(path: Path) -> bool:
    """Return whether a file is a notebook that was not written by the build."""
    try:
        document = json.loads(path.read_bytes())
        return "cells" in document and not is_built(
            document | {"metadata": dict(document.get("metadata", {}))}
        )
    except (OSError, ValueError, TypeError, RecursionError):
        return False


def _read(path: Path, config: Config) -> PlainSource:
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    location = f"source/{path.parent.name}/{path.name}"
    notebook = read_instructors_notebook(path)
    bound = _names_bound(cell.source for cell in notebook.cells if cell.cell_type == "code")
    try:
        release, _ = ClearSolutions(config=config).preprocess(notebook, {})
    except (ValueError, RuntimeError) as error:
        raise Unsupported(f"{location} cannot be read: {error}") from error
    _refuse(release, location)
    mark = ClearHiddenTests(config=config).begin_test_delimeter
    cells = [_cell(cell, mark) for cell in release.cells if grade_id(cell)]
    for cell in cells:
        if cell.kind == "test":
            refuse_awaiting(cell, location)
    return PlainSource(path.stem, cells, bound)


def refuse_awaiting(cell: PlainCell, location: str) -> None:
    """Refuse a test that uses `await` outside of a function, because only a Jupyter kernel can run it.

    Raises:
        Unsupported: the test uses `await` outside of a function.
    """
    try:
        compile(python_of(cell.source), "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        if _AWAIT.search(str(error)):
            raise Unsupported(
                f"{location}, cell {cell.id}: a test that awaits outside of a function cannot be graded. "
                "Put it into `async def` and call that with asyncio.run."
            ) from error


def python_of(source: str) -> str:
    """Return a code cell as Python. If the cell is not valid Python, IPython translates its magics.

    IPython is imported only for such cells, because the import takes longer than reading an assignment.
    """
    with suppress(SyntaxError, ValueError, RecursionError):
        ast.parse(source)
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(source))


def _refuse(notebook: NotebookNode, location: str) -> None:
    """Refuse a notebook that uses a feature the grader does not support.

    Raises:
        Unsupported: the notebook's language is not Python, or a cell uses AUTOTEST, nbgrader's directive
            for generated tests.
    """
    kernel = notebook.metadata.get("kernelspec", {})
    language = str(kernel.get("language", "") or notebook.metadata.get("language_info", {}).get("name", ""))
    if language.lower() not in ("", "python"):
        raise Unsupported(f"{location} is a notebook of {language}; only Python can be graded.")
    for cell in notebook.cells:
        if _AUTOTEST.search(cell.source):
            raise Unsupported(
                f"{location}, cell {grade_id(cell) or 'without an id'}: AUTOTEST cannot be graded yet. Write "
                "the tests that it generates into the cell, or have nbgrader's own engine grade this."
            )


def _cell(cell: NotebookNode, mark: str) -> PlainCell:
    points = float(str(grading(cell).get("points", 0) or 0))
    is_code, has_hidden_part = cell.cell_type == "code", mark in cell.source
    return PlainCell(grade_id(cell), _kind(cell), cell.source, is_code, points, has_hidden_part)


def _kind(cell: NotebookNode) -> Kind:
    if grading(cell).get("task"):
        return "task"
    if is_manual(cell):
        return "manual"
    if is_test(cell):
        return "test" if cell.cell_type == "code" else "manual"
    return "answer" if is_answer(cell) else "locked"


def names_bound(tree: ast.AST) -> set[str]:
    """Return the names that code assigns, defines or imports, including those in functions and classes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return names


def _names_bound(sources: Iterable[str]) -> frozenset[str]:
    names: set[str] = set()
    for source in sources:
        with suppress(SyntaxError, ValueError):  # skips cells that do not parse, e.g. because of magics
            names |= names_bound(ast.parse(source))
    return frozenset(names)


def _files(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files that accompany an assignment's notebooks, keyed by path.

    Raises:
        CourseError: the files are too large or cannot be read.
    """
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".ipynb"]
    paths = [path for path in paths if not _is_ignored(path.relative_to(folder))]
    size = sum(path.stat().st_size for path in paths)
    if size > MAX_FILES_BYTES:
        raise Unsupported(
            f"The files in source/{folder.name} have {size:,} bytes; at most {MAX_FILES_BYTES:,} can be "
            "copied for each submission."
        )
    try:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    except OSError as error:
        raise Unsupported(f"{error.filename} cannot be read: {error.strerror}.") from error


def _is_ignored(path: Path) -> bool:
    return any(fnmatch.fnmatch(part, pattern) for part in path.parts for pattern in IGNORED)
