"""The examiner for plain assignments: grades a notebook with ordinary nbgrader tests as nbgrader would.

A plain test runs in the student's process, because it may read any name in the notebook. This module compiles
each test, replaces its builtins with names that no notebook can shadow, and converts the test's result to
points. docs/trust.md lists the forgeries that remain possible.
"""

import ast
import builtins
import hashlib
import io
import marshal
import math
import secrets
import tokenize
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import CodeType

from autograder.course.plain import (
    PlainCell,
    PlainSource,
    Unsupported,
    names_bound,
    python_of,
    refuse_awaiting,
)
from autograder.exam.plain_report import Grade, Outcome, PlainReport
from autograder.intake.parse import Cell, parse
from autograder.intake.plain import last_of_each
from autograder.sandbox.container import Container
from autograder.sandbox.plain import CellRun, PlainClient, TestCode
from autograder.sandbox.results import CellResult, Crashed, TimedOut
from secant.bindings import PRISTINE

# Maximum number of runs of a notebook. Each run omits the cells that ended the process in earlier runs.
LOADS = 3
SUBMISSION_SECONDS = 300.0
MAX_CELL_BYTES = 900_000  # maximum bytes of one cell, so that it fits into one frame of the wire protocol
_NOT_RENAMED = frozenset({"super"})  # the compiler recognises a call to `super` by this name
_IGNORED_TOKENS = (tokenize.COMMENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER)


@dataclass(frozen=True)
class _Step:
    """A code cell to run.

    Attributes:
        label: the name of the cell in messages.
        source: the code.
        test: the test cell; None for other code.
        hides_output: whether the cell could quote a hidden test, so that none of its output may be shown.
        is_last: whether no test follows.
    """

    label: str
    source: str
    test: PlainCell | None = None
    hides_output: bool = False
    is_last: bool = False


@dataclass
class _Progress:
    """The results of a notebook's run so far.

    Attributes:
        grades: the grades of the tests, keyed by the cell's id.
        cells: the results of the other cells, keyed by the cell's label.
        lost_labels: the labels of cells that ended the process.
        remaining_outcome: the outcome of all tests for which `grades` has no entry.
    """

    grades: dict[str, Grade] = field(default_factory=dict)
    cells: dict[str, CellResult] = field(default_factory=dict)
    lost_labels: set[str] = field(default_factory=set)
    remaining_outcome: Outcome = "crashed"


class PlainExaminer:
    """A notebook of a plain assignment, read once and used for every submission.

    Args:
        source: the notebook.
        timeout: the time limit of a cell in seconds (`Execute.timeout`); if None, only the limit of a
            submission applies.

    Raises:
        Unsupported: a test uses a feature the grader does not support.
    """

    def __init__(self, source: PlainSource, timeout: float | None = 30.0) -> None:
        self.source = source
        self.timeout = min(timeout, SUBMISSION_SECONDS) if timeout and timeout > 0 else SUBMISSION_SECONDS
        self._cells = {cell.id: cell for cell in source.cells}
        self._tests: dict[str, TestCode | Grade] = {
            cell.id: _compile_test(cell, source) for cell in source.cells if cell.kind == "test"
        }

    def grade(
        self,
        open_container: Callable[[], Container],
        submitted: bytes,
        files: Mapping[str, bytes] | None = None,
        *,
        execution_mode: str = "autograde",
    ) -> PlainReport:
        """Grade a submitted notebook.

        Args:
            open_container: opens a container for the student's code.
            submitted: the bytes of the notebook file.
            files: the contents of the files next to the notebook, keyed by path; see `merge_files`.
            execution_mode: the value of the environment variable NBGRADER_EXECUTION.

        Raises:
            Refused: the file is not a notebook.
            WallError: the grader itself failed. No score may be recorded.
        """
        cells = last_of_each(parse(submitted).cells)
        steps = self._steps(cells)
        progress = _Progress()
        seed = int.from_bytes(hashlib.sha256(submitted).digest()[:4])
        with PlainClient(open_container) as client:
            for _ in range(LOADS):
                client.begin(files or {}, seed, execution_mode)
                if self._run(client, steps, progress):
                    break
        answers = {cell.grade_id: cell for cell in cells if cell.grade_id in self._cells}
        graded_cells = [cell for cell in self.source.cells if cell.kind in ("test", "manual", "task")]
        return PlainReport(
            self.source.name,
            [self._final_grade(cell, answers, progress) for cell in graded_cells],
            [name for name, cell in answers.items() if _is_unchanged(cell, self._cells[name])],
            list(progress.cells.values()),
        )

    def _steps(self, cells: Iterable[Cell]) -> list[_Step]:
        """Return the code to run: the course's text for tests and locked cells, the student's for others."""
        steps: list[_Step] = []
        for cell in cells:
            source_cell = self._cells.get(cell.grade_id)
            if not (cell.kind == "code" if source_cell is None else source_cell.is_code):
                continue
            if source_cell is None:
                steps.append(_Step(f"cell {cell.number}", _limit_source(cell.source)))
            elif source_cell.is_restored:
                test = source_cell if source_cell.kind == "test" else None
                steps.append(
                    _Step(f"{'test' if test else 'cell'} {source_cell.id}", source_cell.source, test)
                )
            else:
                steps.append(_Step(f"answer {source_cell.id}", _limit_source(cell.source)))
        tests = [index for index, step in enumerate(steps) if step.test is not None]
        hidden = [index for index in tests if (test := steps[index].test) and test.has_hidden_part]
        first, last = min(hidden, default=len(steps)), max(tests, default=0)
        return [
            replace(step, hides_output=index >= first, is_last=index >= last)
            for index, step in enumerate(steps)
        ]

    def _run(self, client: PlainClient, steps: Sequence[_Step], progress: _Progress) -> bool:
        """Run a notebook from the beginning, and return whether no further run is needed."""
        for step in steps:
            if step.label in progress.lost_labels:
                continue
            if client.spent > SUBMISSION_SECONDS:
                progress.remaining_outcome = "timed_out"
                return True
            try:
                if step.test is None:
                    cell = client.cell(step.label, step.source, self.timeout).cell
                    if not step.hides_output:
                        progress.cells[step.label] = cell
                else:
                    self._test(client, step, step.test, progress)
            except (TimedOut, Crashed) as error:
                progress.lost_labels.add(step.label)
                if step.test is not None and step.test.id not in progress.grades:
                    progress.grades[step.test.id] = _lost_grade(step, error)
                return step.is_last
        return True

    def _test(self, client: PlainClient, step: _Step, cell: PlainCell, progress: _Progress) -> None:
        """Run a test in a copy of the process, and then in the process itself.

        The second run lets later cells use the names that the test defines. If the test ends the copy, there
        is no second run, so that only this test is lost. The last test runs only in the process itself,
        because nothing needs the process afterwards.

        Raises:
            TimedOut, Crashed: the test ended the notebook's process itself, not only a copy of it.
        """
        compiled = self._tests[cell.id]
        if isinstance(compiled, Grade):
            progress.grades[cell.id] = _redact(step, compiled)
            return
        code = replace(compiled, proof=secrets.token_hex(16))
        if client.can_fork and not step.is_last and cell.id not in progress.grades:
            try:
                run_result = client.run_test_in_copy(step.label, code, self.timeout)
                progress.grades[cell.id] = _grade_run(step, cell, run_result, code.proof)
            except (TimedOut, Crashed) as error:
                progress.grades[cell.id] = _lost_grade(step, error)
                if not client.is_alive:
                    raise
                return
        run_result = client.run_test_in_place(step.label, code, self.timeout)
        progress.grades.setdefault(cell.id, _grade_run(step, cell, run_result, code.proof))

    def _final_grade(self, cell: PlainCell, answers: Mapping[str, Cell], progress: _Progress) -> Grade:
        if cell.id not in answers:
            outcome: Outcome = "manual" if cell.kind == "task" else "missing"
            return Grade(cell.id, None, cell.points, outcome)
        if cell.kind == "test":
            fallback = Grade(
                cell.id, 0.0, cell.points, progress.remaining_outcome, hidden=cell.has_hidden_part
            )
            return progress.grades.get(cell.id, fallback)
        if cell.kind == "manual" and _is_unchanged(answers[cell.id], cell):
            return Grade(cell.id, 0.0, cell.points, "failed", unchanged=True)
        return Grade(cell.id, None, cell.points, "manual")


def _limit_source(source: str) -> str:
    """Return a cell's source; if it is too long to be sent, return code that raises an error."""
    if len(source.encode(errors="replace")) <= MAX_CELL_BYTES:
        return source
    return f"raise MemoryError('The cell was not run: it has more than {MAX_CELL_BYTES:,} bytes.')"


def _is_unchanged(cell: Cell, source_cell: PlainCell) -> bool:
    return not source_cell.is_restored and cell.source == source_cell.source


# --- Compiling a test ------------------------------------------------------------------------------------


def _compile_test(cell: PlainCell, source: PlainSource) -> TestCode | Grade:
    """Compile a test.

    If the test is not valid Python, return the grade that every submission receives for it.

    Raises:
        Unsupported: the test can only run in a Jupyter kernel, or is too long.
    """
    refuse_awaiting(cell, source.name)
    try:
        tree = ast.parse(python_of(cell.source))
        transformer = _PristineBuiltins(source.bound | _bound_names(tree))
        tree = ast.fix_missing_locations(transformer.visit(tree))
        last = ast.Expression(ast.Constant(None))
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_quiet(cell.source):
            last = ast.Expression(tree.body.pop().value)
        name = f"<test {cell.id}>"
        body = compile(tree, name, "exec", dont_inherit=True)
        value = compile(ast.fix_missing_locations(last), name, "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return Grade(cell.id, 0.0, cell.points, "failed", type(error).__name__, str(error))
    code = TestCode(_text(body), _text(value), tuple(sorted(transformer.read_names)), "")
    if len((code.body + code.last).encode()) > MAX_CELL_BYTES:
        raise Unsupported(f"{source.name}, cell {cell.id}: the test is too long to be graded.")
    return code


def _text(code: CodeType) -> str:
    return marshal.dumps(code).decode("latin-1")


def _is_quiet(source: str) -> bool:
    """Return whether a test ends with a semicolon. If so, a notebook does not show the test's last value."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    strings = [token.string for token in tokens if token.type not in _IGNORED_TOKENS]
    return strings[-1:] == [";"]


class _PristineBuiltins(ast.NodeTransformer):
    """An AST transformer that makes a test read Python's builtins under names that no notebook can bind.

    Args:
        bound: names that the test or the assignment assigns. They are left unchanged, because the test may be
            about them.
    """

    def __init__(self, bound: Iterable[str]) -> None:
        self._bound = frozenset(bound) | _NOT_RENAMED
        self.read_names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """If the name is a builtin that the test reads, replace it with the protected name."""
        if isinstance(node.ctx, ast.Load) and node.id in _builtin_names() and node.id not in self._bound:
            self.read_names.add(node.id)
            return ast.copy_location(ast.Name(node.id + PRISTINE, node.ctx), node)
        return node


@cache
def _builtin_names() -> frozenset[str]:
    return frozenset(name for name in vars(builtins) if not name.startswith("_"))


def _bound_names(tree: ast.AST) -> set[str]:
    """Return every name that code assigns anywhere, parameters of functions included."""
    names = names_bound(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
    return names


# --- Converting results to points ------------------------------------------------------------------------


def _grade_run(step: _Step, cell: PlainCell, run_result: CellRun, proof: str) -> Grade:
    """Return the grade that nbgrader would give for a test's error, output and last value."""
    grade = Grade(cell.id, 0.0, cell.points, "failed", seconds=run_result.cell.seconds)
    if run_result.timed_out:
        grade = replace(grade, outcome="timed_out")
    elif run_result.cell.ok and not run_result.stderr and run_result.proof == proof:
        points, outcome = _credit(run_result.value, cell.points)
        grade = replace(grade, points=points, outcome=outcome)
    detailed_grade = replace(
        grade, error=run_result.cell.error, message=run_result.cell.message, output=run_result.cell.output
    )
    return _redact(step, detailed_grade)


def _credit(value: str, max_points: float) -> tuple[float | None, Outcome]:
    """Return the points and outcome for a test's last value.

    A number from zero to the maximum gives that many points. A larger number requires a manual grade. Any
    other value gives full points.
    """
    try:
        points = float(value)
    except ValueError:
        points = max_points
    # nbgrader would not grade a submission at all if a test gave more than the maximum points.
    if points > max_points:
        return None, "manual"
    if math.isnan(points) or points < 0 or points == max_points:
        return max_points, "passed"
    return points, "partial" if points else "failed"


def _lost_grade(step: _Step, error: TimedOut | Crashed) -> Grade:
    assert step.test is not None
    outcome: Outcome = "timed_out" if isinstance(error, TimedOut) else "crashed"
    return _redact(step, Grade(step.test.id, 0.0, step.test.points, outcome, message=str(error)))


def _redact(step: _Step, grade: Grade) -> Grade:
    """Return a grade without any text that could quote a hidden test."""
    if not step.hides_output:
        return grade
    return replace(grade, error="", message="", output="", hidden=True)
