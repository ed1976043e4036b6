"""The examiner: runs a lesson's test cells, questions the student's code, and decides each verdict.

The student's code runs in another process, the candidate, and never in this one. In a test cell, the task's
own name and the names of the functions marked `@probe` refer to stand-ins. Calling a stand-in sends plain
data to the candidate, and returns the candidate's answer as plain data. Everything else in the cell, above
all the expected values, stays in this process. A task passes only if its test cell ran to the last line.
"""

import ast
import contextlib
import hashlib
import hmac
import io
import random
import re
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from nbformat import NotebookNode

import secant
from autograder.course.cells import Task, split_tests, tasks
from autograder.exam import words
from autograder.exam.report import Outcome, Report, TaskResult
from autograder.intake.submission import Script
from autograder.sandbox.client import CandidateClient, Candidates, TaskClient
from autograder.sandbox.inside.wire import WireError
from autograder.sandbox.results import CellResult, Crashed, LoadResult, Overloaded, Reply, TimedOut, WallError
from secant import check, language
from secant.bindings import Finding, defined_by_line
from secant.causes import STUB
from secant.checking.ask import use_transport
from secant.checking.credit import PartialCredit
from secant.language import supported_language
from secant.verdict import Parts, Verdict, call_part, head

LOAD_SECONDS = 60.0  # maximum seconds for one run of all cells of a notebook
# Maximum number of times that a notebook is run. Each run omits the cells that timed out or crashed before.
LOADS = 3
QUESTION_SECONDS = 10.0
TASK_SECONDS = 30.0
SUBMISSION_SECONDS = 300.0
_UNDEFINED = re.compile(r"^name '(\w{1,100})' is not defined")
_NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")  # errors raised before any line of a cell runs
# Maximum wall-clock seconds for grading one submission. If grading takes longer, the machine is overloaded.
WALL_SECONDS = 900.0


class Examiner:
    """A lesson's tests, read once and used for every submission.

    Args:
        lesson: the lesson's name.
        source: the instructor's notebook, hidden tests included.
        hidden: whether the notebook contains the hidden tests. If not, the message for a passed task says so.
    """

    def __init__(self, lesson: str, source: NotebookNode, *, hidden: bool = True) -> None:
        self.lesson = lesson
        self.hidden = hidden
        self.tasks = tasks(source)
        self._tests = {task.id: _Test(task) for task in self.tasks if task.test is not None}

    def grade(
        self,
        candidates: Candidates,
        script: Script,
        secret: bytes = b"",
        *,
        only: str | None = None,
        run_tasks: "RunTasks | None" = None,
        on_result: Callable[[TaskResult], object] = lambda result: None,
    ) -> Report:
        """Grade a submission.

        Args:
            candidates: creates the candidate that runs the student's code.
            script: the part of the submission that the examiner needs, as prepared by the intake.
            secret: a key for the random choice of inputs, so that students cannot predict them. The same
                secret and the same file always give the same inputs.
            only: the id of the task to grade; None for all tasks.
            run_tasks: the function that runs several tasks; by default, they run one after another.
            on_result: called with each task's result as soon as it is known.

        Raises:
            WallError: the grader itself failed. No score may be recorded.
        """
        before = language()
        language(script.language)
        try:
            with candidates.candidate() as candidate:
                chosen_tasks = [task for task in self.tasks if only in (None, task.id)]
                return self._grade(
                    candidate, script, secret, chosen_tasks, run_tasks or one_by_one, on_result
                )
        finally:
            language(before)

    def _grade(
        self,
        candidate: CandidateClient,
        script: Script,
        secret: bytes,
        chosen_tasks: Sequence[Task],
        run_tasks: "RunTasks",
        on_result: Callable[[TaskResult], object],
    ) -> Report:
        start = time.monotonic()
        draw = hmac.new(secret, bytes.fromhex(script.digest), hashlib.sha256).digest()
        loaded = _load(candidate, script, _seed_number(draw))

        tested_tasks = [task for task in chosen_tasks if task.id in self._tests]

        def run_task(candidate: LoadedCandidate, task: Task) -> TaskResult:
            return self._task(candidate, task, loaded, draw + task.id.encode(), task in tested_tasks[-1:])

        results = {}
        for result in run_tasks(run_task, candidate, chosen_tasks):
            on_result(result)
            results[result.id] = result
            if time.monotonic() - start > WALL_SECONDS:
                raise Overloaded(f"the submission was not over after {WALL_SECONDS:.0f} s")
        ordered_results = [results[task.id] for task in chosen_tasks]
        return Report(
            self.lesson, ordered_results, list(loaded.cells.values()), supported_language(script.language)
        )

    def _task(
        self, candidate: "LoadedCandidate", task: Task, loaded: "_LoadedCells", draw: bytes, last: bool
    ) -> TaskResult:
        start = time.monotonic()
        hint, hidden, points = "", False, 0.0
        if task.id not in self._tests:
            manual_verdict = Verdict(head(en="A person grades this answer.", ko="사람이 채점하는 답입니다."))
            return TaskResult(task.id, 0.0, task.points, "manual", manual_verdict)
        # `check.seed` also discards the calls that were recorded for the previous task. It is called first,
        # because this task may end early.
        check.seed(draw)
        try:
            if not loaded.ready:
                raise _TaskEnd(*loaded.missing_message(task.id))
            if candidate.spent > SUBMISSION_SECONDS:
                raise _TaskEnd("timed_out", words.too_long(SUBMISSION_SECONDS))
            with candidate.task(_seed_number(draw), last=last) as copy:
                self._tests[task.id].run(_Questions(candidate, copy, loaded, task.id), draw)
            outcome, parts = words.passed(self.hidden)
            points = task.points
        except _TaskEnd as end:
            outcome, parts, points = end.outcome, end.parts, end.points
            hint, hidden = end.hint, self._tests[task.id].is_hidden(end)
        except (TimedOut, Crashed) as error:
            outcome, parts = _describe_ending(error)
            parts = call_part(check.call_in_progress()) + parts
        except MemoryError:
            outcome, parts = words.no_memory(task.id)
        if cause := loaded.failure_behind(task.id, outcome, parts):
            hint, hidden = (hint, hidden) if cause[1][-len(parts) :] == parts else ("", False)
            outcome, parts = cause
        if outcome in ("wrong", "timed_out", "crashed"):
            parts = words.with_notes(parts, loaded.findings_about(task.id))
        verdict, seconds = Verdict(parts, hint), time.monotonic() - start
        return TaskResult(task.id, points, task.points, outcome, verdict, seconds, hidden)


class LoadedCandidate(Protocol):
    """The part of a loaded candidate's interface that a task needs."""

    @property
    def spent(self) -> float:
        """The seconds that the submission has used so far; see CandidateClient."""

    def task(self, seed: int = 0, *, last: bool = False) -> TaskClient:
        """Return a fresh copy of the loaded process; see CandidateClient."""


RunTask = Callable[[LoadedCandidate, Task], TaskResult]
RunTasks = Callable[[RunTask, CandidateClient, Sequence[Task]], Iterator[TaskResult]]


def one_by_one(
    run_task: RunTask, candidate: CandidateClient, chosen_tasks: Sequence[Task]
) -> Iterator[TaskResult]:
    """Run one task after another."""
    for task in chosen_tasks:
        yield run_task(candidate, task)


@dataclass(eq=False)
class _TaskEnd(Exception):
    """Raised to end a task with a verdict.

    Attributes:
        outcome: the kind of result.
        parts: the parts of the verdict's message.
        hint: the name of the hint in the verdict.
        points: the points of the parts that passed, if the test cell gives partial credit.
    """

    outcome: Outcome
    parts: Parts
    hint: str = ""
    points: float = 0.0

    @property
    def ends_task(self) -> bool:
        """True if no other part of the test cell can be tested after this verdict.

        `PartialCredit` reads this property.
        """
        return self.outcome != "wrong"


# --- Running a test cell -------------------------------------------------------------------------------


# The code that answers `secant.ask` in the candidate. It uses the objects defined in the student's notebook.
_ANSWER_CODE = """
def __put__(request):
    from secant.checking.situation import answer_request
    return answer_request(request, globals())
"""


class _Test:
    """A test cell, split into the code that stays in this process and the code sent to the candidate."""

    def __init__(self, task: Task) -> None:
        assert task.test is not None
        self.task = task
        tree = ast.parse(task.test.source)
        probes = [node for node in tree.body if _is_probe(node)]
        self.names = [task.id, *(node.name for node in probes if isinstance(node, ast.FunctionDef))]
        self.candidate_code = (
            ast.unparse(ast.Module([*_imports_for(probes, tree.body), *probes], [])) + _ANSWER_CODE
        )
        # This call proves that the cell ran to its last line, because nothing else in it can make the call.
        end = ast.parse("__reached_the_end__()").body
        remaining = ast.Module([node for node in tree.body if node not in probes] + end, tree.type_ignores)
        self._code = compile(ast.fix_missing_locations(remaining), f"<test {task.id}>", "exec")
        self._visible_lines = split_tests(task.test.source)[0].count("\n") + 1

    def is_hidden(self, error: BaseException) -> bool:
        """Return whether an error was raised in the hidden part of the cell."""
        frames = traceback.walk_tb(error.__traceback__)
        lines = [line for frame, line in frames if frame.f_code is self._code]
        return any(line > self._visible_lines for line in lines)

    def run(self, questions: "_Questions", draw: bytes) -> None:
        """Run the cell to its end.

        Raises:
            _TaskEnd: the task did not pass. The exception contains the verdict.
            TimedOut, Crashed: the candidate timed out or crashed.
        """
        questions.define(self.candidate_code)
        random.seed(draw)
        torch.manual_seed(_seed_number(draw))
        reached_end: list[bool] = []
        names: dict[str, Any] = {name: questions.stand_in(name) for name in self.names}
        names |= {"__name__": "__main__", "__reached_the_end__": lambda: reached_end.append(True)}
        try:
            with contextlib.redirect_stdout(io.StringIO()), use_transport(questions.stand_in("__put__")):
                exec(self._code, names)
        except (_TaskEnd, TimedOut, Crashed, WallError, MemoryError):
            raise
        except Exception as error:
            raise _as_task_end(error, questions) from None
        if credit := PartialCredit.failed_in(names):
            end = _as_task_end(credit.failure, questions)
            end.points, end.parts = credit.earned, (credit.summary(), *end.parts)
            raise end
        if reached_end != [True]:
            raise _TaskEnd(
                "wrong", head(en="The test did not reach its end.", ko="테스트가 끝까지 실행되지 않았습니다.")
            )


def _as_task_end(error: Exception, questions: "_Questions") -> _TaskEnd:
    """Return the exception that carries the verdict for an error in a test cell. It keeps the traceback."""
    if isinstance(error, _TaskEnd):
        return error
    if isinstance(error, check.CheckFailed):
        end = _TaskEnd("wrong", error.verdict.parts, error.verdict.hint)
    else:
        # The course's own solution passes every test. So the error arose because the test could not use a
        # value that the student's code returned.
        end = _TaskEnd("wrong", questions.unusable(error))
    return end.with_traceback(error.__traceback__)


def _is_probe(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(mark, ast.Name) and mark.id == "probe" for mark in node.decorator_list
    )


def _imports_for(probes: Sequence[ast.stmt], cell: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the imports of a cell. Functions that judge answers are skipped unless a probe uses them."""
    used_names = {node.id for probe in probes for node in ast.walk(probe) if isinstance(node, ast.Name)}
    for node in cell:
        if isinstance(node, ast.Import):
            yield node
        elif isinstance(node, ast.ImportFrom):
            names = [
                n
                for n in node.names
                if (n.asname or n.name) in used_names or not _judges(node.module, n.name)
            ]
            if names:
                yield ast.ImportFrom(node.module, names, node.level)


def _judges(module: str | None, name: str) -> bool:
    """Return whether a name is defined in a module that judges answers, or is the name of such a module."""
    defining_module = secant.HOMES.get(name) if module == "secant" else module
    return defining_module in secant.JUDGES or f"{module}.{name}" in secant.JUDGES


class _Questions:
    """Calls from a test cell to the candidate. The time limits of the task and submission apply to them."""

    def __init__(
        self, candidate: LoadedCandidate, copy: TaskClient, loaded: "_LoadedCells", task: str
    ) -> None:
        self._candidate = candidate
        self._copy = copy
        self._loaded = loaded
        self._task = task
        self._end = min(candidate.spent + TASK_SECONDS, SUBMISSION_SECONDS)
        self._last_value: Any = None

    def define(self, source: str) -> None:
        """Send the imports and probes of a test cell to the candidate.

        Raises:
            _TaskEnd: the candidate could not run this code.
        """
        answer = self._copy.define(source, self._seconds())
        self._refuse_too_much(answer)
        if answer.kind != "value":
            raise _TaskEnd("wrong", words.raised(answer, self._loaded.findings_for(answer)))

    def stand_in(self, name: str) -> Callable[..., Any]:
        """Return a stand-in for the student's function or a probe. It sends each call to the candidate."""

        def ask(*args: Any, **kwargs: Any) -> Any:
            try:
                answer = self._copy.ask(name, args, kwargs, self._seconds())
            except WireError as error:
                raise AssertionError(f"{name} was asked with more than plain data: {error}") from error
            self._refuse_too_much(answer)
            if answer.kind == "value":
                self._last_value = answer.value
                return answer.value
            if answer.kind == "missing" or _is_missing(answer, self._task):
                raise _TaskEnd(*self._loaded.missing_message(self._task))
            unwritten = self._task in self._loaded.unwritten and answer.error == "NotImplementedError"
            if unwritten or _is_own_stub(answer, self._task):
                raise _TaskEnd("not_attempted", words.not_done())
            cause = words.ran_into_stub(answer) if answer.message == STUB else self._error_message(answer)
            raise _TaskEnd("wrong", call_part(check.call_in_progress()) + cause)

        return ask

    def _error_message(self, answer: Reply) -> Parts:
        rebindings = [
            finding for finding in self._loaded.findings_about(self._task) if finding.name == self._task
        ]
        if rebindings and not answer.trace:  # the notebook has bound the task's own name to something else
            lead = head(
                en=f"{self._task} is not what your answer cell defined.",
                ko=f"{self._task}: 답 셀에서 정의한 것이 아닙니다.",
            )
            return lead + words.error_of(answer, rebindings)
        return words.raised(answer, self._loaded.findings_for(answer))

    def _refuse_too_much(self, answer: Reply) -> None:
        if answer.kind == "too_much":
            task, description = self._task, answer.value.describe()
            raise _TaskEnd(
                "wrong", head(en=f"{task} returned {description}.", ko=f"{task}의 결과: {description}.")
            )

    def unusable(self, error: Exception) -> Parts:
        """Return the message for a returned value that the test could not use."""
        kind = check.kind(self._last_value)
        return head(
            en=f"{self._task} returned {kind}, which the test cannot work with ({type(error).__name__}). "
            "Does it return what its signature says?",
            ko=f"{self._task}의 결과({kind})를 테스트에서 쓸 수 없습니다({type(error).__name__}). "
            "시그니처에 적힌 것을 돌려주나요?",
        )

    def _seconds(self) -> float:
        seconds_left = self._end - self._candidate.spent
        if seconds_left <= 0:
            raise _TaskEnd("timed_out", words.too_long(TASK_SECONDS))
        return min(seconds_left, QUESTION_SECONDS)


# --- Loading the student's cells -----------------------------------------------------------------------


class _LoadedCells:
    """The results of running the student's cells.

    Attributes:
        cells: the results, keyed by the cell's label, in the order of the notebook.
        ready: whether the candidate can be sent questions.
        unwritten: the ids of the tasks that still have the released stub.
        answers: the labels of the answers' cells, keyed by task.
    """

    def __init__(self, script: Script) -> None:
        self.cells: dict[str, CellResult] = {}
        self.ready = False
        self.unwritten = script.unwritten
        self.answers = {step.task: step.label for step in script.steps if step.task}
        self._script = script
        self._cell_errors: dict[str, TimedOut | Crashed] = {}
        self._loaded = LoadResult((), 0)

    def record_loaded(self, loaded: LoadResult) -> None:
        """Record the results of a run in which no cell timed out or crashed."""
        self.cells = {cell.label: cell for cell in loaded.cells}
        self.ready = True
        self._loaded = loaded

    def record_lost(self, error: TimedOut | Crashed) -> None:
        self._cell_errors[error.cell or ""] = error

    @property
    def lost_cells(self) -> set[str]:
        """The labels of the cells that timed out or crashed."""
        return set(self._cell_errors)

    def findings_about(self, task: str) -> Sequence[Finding]:
        """Return the findings about a task's answer: names in it that were rebound, or why it is missing."""
        return self._loaded.answer_findings.get(task, ())

    def findings_for(self, failure: Reply | CellResult) -> Sequence[Finding]:
        """Return findings about variables in the notebook; each finding explains the given error."""
        if isinstance(failure, Reply):
            findings: Sequence[Finding] = failure.findings
        else:
            findings = self._loaded.cell_findings.get(failure.label, ())
        name = _UNDEFINED.search(failure.message) if failure.error == "NameError" else None
        return findings or (self._other_definition(name[1]) if name else ())

    def _other_definition(self, name: str) -> Sequence[Finding]:
        """Return a finding that locates a definition that never ran, e.g. because it is in a text cell.

        If there is no such definition of the name, return an empty sequence.
        """
        if name in self._script.text_definitions:
            return [Finding(name, "text", f"cell {self._script.text_definitions[name]}")]
        steps = (step for step in self._script.steps if step.label in self._cell_errors)
        return [Finding(name, "endless", s.label) for s in steps if name in defined_by_line(s.source)][:1]

    def missing_message(self, task: str) -> tuple[Outcome, Parts]:
        """Return the outcome and message for a task whose function or class cannot be called."""
        label = self.answers.get(task, "")
        if label in self._cell_errors or not self.ready:
            error = self._cell_errors.get(label) or next(iter(self._cell_errors.values()))
            outcome, (ending,) = _describe_ending(error)
            return outcome, head(
                en=f"While the notebook ran, at {error.cell or 'its end'}: {ending.text}",
                ko=f"노트북을 실행하는 동안, {error.cell or '마지막'}에서: {ending.text}",
            )
        cell = self.cells.get(label)
        if cell is not None and not cell.ok:
            lead = head(
                en=f"Your answer cell stops with an error, so {task} is not there.",
                ko=f"답을 쓴 셀이 오류로 멈추어서 {task} 정의가 없습니다.",
            )
            return "wrong", lead + words.error_of(cell, self.findings_for(cell))
        return "wrong", words.not_found(task, self.findings_about(task) or self._other_definition(task))

    def failure_behind(self, task: str, outcome: Outcome, parts: Parts) -> tuple[Outcome, Parts] | None:
        """Return the outcome and message if a task failed because of its answer cell; otherwise return None.

        If the answer cell failed, the test may have used an earlier definition of the same name, such as
        lesson 10's `Value`.
        """
        label = self.answers.get(task, "")
        if outcome in ("passed", "not_attempted") or parts == (missing := self.missing_message(task))[1]:
            return None
        if label in self._cell_errors:
            return missing
        cell = self.cells.get(label)
        if cell is None or cell.ok:
            return None
        if cell.error in _NOT_PYTHON:
            return "wrong", words.nothing_defined(cell, self.findings_for(cell))
        return outcome, words.stopped_early(cell, parts, self.findings_for(cell))


def _load(candidate: CandidateClient, script: Script, seed: int) -> _LoadedCells:
    """Run the cells. If one times out or crashes, run the others again, so that their tasks can be graded."""
    loaded = _LoadedCells(script)
    for _ in range(LOADS):
        cells = [(step.label, step.source) for step in script.steps if step.label not in loaded.lost_cells]
        try:
            seconds_left = max(1.5 * LOAD_SECONDS - candidate.spent, 1.0)
            loaded.record_loaded(candidate.load(cells, min(LOAD_SECONDS, seconds_left), seed, loaded.answers))
            return loaded
        except (TimedOut, Crashed) as error:
            loaded.record_lost(error)
            if error.cell is None:
                break
    return loaded


def _describe_ending(error: TimedOut | Crashed) -> tuple[Outcome, Parts]:
    return words.ended(error, QUESTION_SECONDS if error.cell is None else LOAD_SECONDS)


def _is_missing(answer: Reply, task: str) -> bool:
    # If a probe calls a missing function, the message of the NameError contains the function's name.
    return answer.error == "NameError" and f"'{task}'" in answer.message


def _is_own_stub(answer: Reply, task: str) -> bool:
    # The error comes from the placeholder in this task's own function, even if the student has written code
    # above the placeholder.
    return answer.message == STUB and [line.function for line in answer.trace] == [task]


def _seed_number(draw: bytes) -> int:
    return int.from_bytes(hashlib.sha256(draw).digest()[:4])
