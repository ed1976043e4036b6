"""Run the visible tests in a user's own notebook, if they are ordinary nbgrader tests.

The tests are run exactly as they are in the file. If a student changed a test cell, the changed test runs
here, but not in the class's grading. The code runs in a separate process with the user's permissions, and
works on copies of the files next to the notebook.
"""

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from autograder.course.errors import CourseError
from autograder.course.plain import IGNORED, Kind, PlainCell, PlainSource, names_bound
from autograder.exam.checked_notebook import CheckError, refusal
from autograder.exam.own_tests import MAX_POINTS
from autograder.exam.plain import PlainExaminer
from autograder.exam.plain_report import Grade, PlainReport
from autograder.exam.pool import Pool
from autograder.intake.files import read_lesson_notebooks, read_side_files
from autograder.intake.parse import Cell, parse
from autograder.intake.submission import Refused
from autograder.sandbox.results import CellResult
from secant.language import say

_MARKS = ("points", "grade", "solution", "locked")


@dataclass(frozen=True)
class OwnReport:
    """The results of the visible tests in a user's own notebook.

    Attributes:
        notebook: the name of the file.
        tests: the results of the test cells, in the order of the notebook.
        manual: the cells that are graded by hand.
        stopped: the results of those cells, other than tests, that ended with an error.
        left_out: the number of files next to the notebook that were not copied.
    """

    notebook: str
    tests: Sequence[Grade]
    manual: Sequence[Grade]
    stopped: Sequence[CellResult]
    left_out: int


def run_visible_tests(
    notebook: Path, pool: Pool, timeout: float = 30.0, *, below: Path | None = None
) -> OwnReport:
    """Run a notebook and the tests in it.

    Args:
        notebook: the notebook file.
        pool: the pool from which the process that runs the notebook is taken.
        timeout: the time limit of a cell in seconds; nbgrader's default unless the course sets another.
        below: a folder that must contain the file; the path below this folder must not contain links.

    Raises:
        CheckError: the file cannot be read, or a test can only run in a Jupyter kernel.
        WallError: no process could be started.
    """
    try:
        ((_, data, _),), _ = read_lesson_notebooks(notebook, notebook.stem, below)
        source = _source(notebook.stem, parse(data).cells)
    except Refused as error:
        raise CheckError(f"{notebook.name}: {refusal(error.outcome)}") from None
    try:
        examiner = PlainExaminer(source, timeout)
    except CourseError as error:
        raise CheckError(
            say(
                en=f"The tests cannot be run here: {error} Run the notebook in Jupyter to see what they say.",
                ko=f"여기에서는 이 테스트를 실행할 수 없습니다({error}). 주피터에서 노트북을 실행해 보세요.",
            )
        ) from None
    files, left_out = read_side_files(notebook.parent, below or notebook.parent, _is_copied)
    side_files = {path.as_posix(): content for path, content in files.items()}
    report = examiner.grade(pool.take, data, side_files, execution_mode="validate")
    return _own_report(notebook.name, source, report, left_out)


def _own_report(name: str, source: PlainSource, report: PlainReport, left_out: int) -> OwnReport:
    kinds = {cell.id: cell.kind for cell in source.cells}
    tests = [grade for grade in report.grades if kinds[grade.id] == "test"]
    manual = [grade for grade in report.grades if kinds[grade.id] != "test"]
    return OwnReport(name, tests, manual, [cell for cell in report.cells if not cell.ok], left_out)


def _is_copied(path: PurePosixPath) -> bool:
    is_hidden = path.name.startswith(".")
    return not is_hidden and path.suffix != ".ipynb" and not any(fnmatch(path.name, p) for p in IGNORED)


def _source(name: str, cells: Iterable[Cell]) -> PlainSource:
    """Return a plain assignment's notebook, made from the cells of the user's own notebook.

    If several cells have the same grade_id, the last one counts, as in nbgrader.
    """
    cells = list(cells)
    cells_by_id = {cell.grade_id: cell for cell in cells if cell.grade_id}
    plain_cells = [_plain_cell(cell) for cell in sorted(cells_by_id.values(), key=lambda cell: cell.number)]
    return PlainSource(name, plain_cells, _bound_names(cell.source for cell in cells if cell.kind == "code"))


def _plain_cell(cell: Cell) -> PlainCell:
    marks = dict(zip(_MARKS, cell.marks, strict=False))
    points = marks["points"]
    is_number = isinstance(points, int | float) and math.isfinite(points) and points >= 0
    number = min(float(points), MAX_POINTS) if is_number else 0.0
    return PlainCell(
        cell.grade_id, _kind(cell, marks, number), cell.source, cell.kind == "code", number, False
    )


def _kind(cell: Cell, marks: Mapping[str, object], points: float) -> Kind:
    is_code = cell.kind == "code"
    if marks["grade"]:
        return "manual" if marks["solution"] or not is_code else "test"
    if marks["solution"]:
        return "answer"
    return "task" if points and not is_code else "locked"


def _bound_names(sources: Iterable[str]) -> frozenset[str]:
    """Return the names that the notebook assigns.

    A test sees the assigned values of these names, even if a name is that of a builtin.
    """
    names: set[str] = set()
    for source in sources:
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            names |= names_bound(ast.parse(source))
    return frozenset(names)
