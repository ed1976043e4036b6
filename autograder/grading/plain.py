"""Classes for plain assignments (with ordinary nbgrader tests) and their submissions.

They implement the batch grader's protocols (protocols.py). Each graded cell has a row in the result. The
message about a test with a hidden part never quotes the test.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearMarkScheme
from nbgrader.utils import is_task
from traitlets.config import Config

from autograder.course.cells import grade_id
from autograder.course.plain import PlainCell, PlainSource, instructors_notebooks
from autograder.course.settings import Course
from autograder.exam.plain_report import Grade, PlainReport
from autograder.exam.preload import modules_to_preload
from autograder.exam.report import Outcome
from autograder.gradebook.book import Book
from autograder.gradebook.entries import Entry
from autograder.gradebook.plain import PlainForm
from autograder.gradebook.recorded_grades import RecordedGrades, notebook_key
from autograder.gradebook.result import NO_RESPONSE, CellOutput, GradedTask, Result, cell_key, sha256
from autograder.gradebook.tasks import register_plain
from autograder.grading.feedback import CELL_CHARS, PAGE_CHARS, row_of
from autograder.grading.plain_notebook import AssignmentNotebook, staff_notebook
from autograder.intake.parse import Cell
from autograder.intake.plain import SubmittedNotebooks, read_cells
from autograder.intake.submission import Rejected
from autograder.overrides.hide_tests import ClearTests
from autograder.page.facts import PageHead, TaskRow
from autograder.workers.jobs import PlainJob
from secant.language import Language
from secant.verdict import Verdict
from secant.visible import visible

_GRADED = ("test", "manual", "task")
_HANGUL = re.compile("[가-힣]")
_HEADING = re.compile("^#+ +(.+)", re.MULTILINE)
_OUTCOMES: Mapping[str, Outcome] = {
    "passed": "passed",
    "partial": "wrong",
    "failed": "wrong",
    "timed_out": "timed_out",
    "crashed": "crashed",
    "manual": "manual",
    "missing": "not_attempted",
}
_MESSAGES: Mapping[str, tuple[str, str]] = {
    "hidden": (
        "The test failed. It has a part that students do not see, so what it said is not shown.",
        "테스트를 통과하지 못했습니다. 학생에게 보이지 않는 부분이 있어 테스트의 메시지는 표시하지 않습니다.",
    ),
    "partial": ("The test gives a part of the points.", "테스트가 점수의 일부를 주었습니다."),
    "failed": ("The test failed.", "테스트를 통과하지 못했습니다."),
    "stderr": (
        "The test wrote a warning or an error.",
        "테스트가 경고나 오류를 출력했습니다.",
    ),
    "timed_out": ("It took longer than it may.", "허용된 시간보다 오래 걸렸습니다."),
    "crashed": (
        "The notebook's process ended before or in this test.",
        "이 테스트를 마치기 전에 노트북의 프로세스가 끝났습니다.",
    ),
    "missing": ("This cell is not in what was handed in.", "제출한 것에 이 셀이 없습니다."),
    "absent": ("This notebook was not handed in.", "이 노트북을 제출하지 않았습니다."),
    "unanswered": ("Not done yet.", "아직 풀지 않았습니다."),
}


class GradedPlain:
    """A plain assignment (with ordinary nbgrader tests) that is in the gradebook and ready to be graded.

    Args:
        course: the course directory.
        book: the course's gradebook.
        name: the assignment's name.

    Attributes:
        sources: the assignment's notebooks, keyed by name. The key of the notebook with the assignment's name
            is empty.

    Raises:
        CourseError: if the assignment cannot be graded, or the gradebook has grades for other tasks.
    """

    shows_solutions = False

    def __init__(self, course: Course, book: Book, name: str) -> None:
        self.course, self.name = course, name
        self.form = PlainForm.read(course, name)
        self.sources = {notebook_key(source.name, name): source for source in self.form.assignment.notebooks}
        notebooks = instructors_notebooks(course.root, name, course.directory.source_directory)
        register_plain(book, name, notebooks)
        self._instructor_notebooks = {
            notebook_key(file, name): notebook for file, notebook in notebooks.items()
        }
        self._clear_tests = ClearTests(config=course.config)
        self._clear_scheme = ClearMarkScheme(config=course.config)

    @cached_property
    def preload(self) -> Sequence[str]:
        """The names of the modules to import before any submission runs; see `modules_to_preload`."""
        course = self.course
        return modules_to_preload(course.root, [self.name], course.config, course.directory.source_directory)

    @property
    def notebooks(self) -> Sequence[str]:
        """The names of the assignment's notebooks."""
        return list(self.sources)

    @cached_property
    def language(self) -> Language:
        """The feedback pages' language: Korean if the instructor's text contains Korean, else English."""
        texts = (cell.source for notebook in self._instructor_notebooks.values() for cell in notebook.cells)
        return "ko" if any(map(_HANGUL.search, texts)) else "en"

    def read_submission(self, entry: Entry) -> "PlainSubmission":
        """Read a student's submission of the assignment."""
        return PlainSubmission(self, entry.student, self.form.find(entry))

    def uniform_result(self, student: str, outcome: Outcome, message: str, flag: str) -> Result:
        """Return a result with the same outcome and message for every task."""
        rows = [
            GradedTask(
                id=cell_key(name, cell.id),
                points=0.0,
                max_points=cell.points,
                outcome=outcome,
                verdict=Verdict.plain(message),
                cell=cell.id,
                notebook=name,
                has_test=cell.kind == "test",
            )
            for name, source in self.sources.items()
            for cell in graded_cells(source)
        ]
        answers = [cell_key(name, cell.id) for name, source in self.sources.items() for cell in source.cells]
        return Result(
            student, self.name, rows, [flag], dict.fromkeys(answers, message), language=self.language
        )

    def is_secret(self, data: bytes) -> bool:
        """Return False. The tests run in the student's process, so quoting them is not suspicious."""
        return False

    @cached_property
    def assignment_notebooks(self) -> Mapping[str, AssignmentNotebook]:
        """The assignment's notebooks, keyed by name and prepared for combining with submitted notebooks."""
        return {
            name: AssignmentNotebook(
                source, self._instructor_notebooks[name], self.language, self.form.assignment.files
            )
            for name, source in self.sources.items()
        }

    @cached_property
    def titles(self) -> Mapping[str, Mapping[str, str]]:
        """The result of `cell_titles` for each of the assignment's notebooks, keyed by notebook name."""
        return {
            name: cell_titles(notebook, self.course.config)
            for name, notebook in self._instructor_notebooks.items()
        }

    def hide_tests(self, notebook: NotebookNode) -> NotebookNode:
        """Return a copy of a notebook from which hidden tests and mark schemes are removed.

        The result does not depend on the preprocessors that the course configures for its feedback pages.
        """
        public_notebook: NotebookNode = self._clear_tests(deepcopy(notebook), {})[0]
        for index, cell in enumerate(public_notebook.cells):
            # Only the instructor writes task cells. In a student's cell, the delimiter of a mark scheme would
            # be ordinary text.
            if is_task(cell):
                self._clear_scheme.preprocess_cell(cell, {}, index)
        return public_notebook


def cell_titles(notebook: NotebookNode, config: Config) -> dict[str, str]:
    """Return the title of each cell, keyed by grade_id.

    A title consists of the heading above the cell and the cell's grade_id. The notebook's title is stored
    under the key "".

    Args:
        notebook: the instructor's notebook.
        config: the course's settings, including the delimiter at the beginning of a mark scheme.
    """
    titles: dict[str, str] = {}
    heading = ""
    clear_scheme = ClearMarkScheme(config=config)
    for cell in notebook.cells:
        if line := _HEADING.search(_text_above(cell, clear_scheme)):
            heading = line[1].replace("`", "").strip()
            titles.setdefault("", heading)
        if grade_id(cell):
            titles[grade_id(cell)] = f"{heading} · {grade_id(cell)}" if heading else grade_id(cell)
    return titles


def _text_above(cell: NotebookNode, clear_scheme: ClearMarkScheme) -> str:
    """Return the part of a cell's text that may contain a heading for this and the following cells.

    The mark scheme of a task cell is removed, because no student sees it. Text answers are skipped, because
    the instructor's version contains the solution.
    """
    if cell.cell_type != "markdown" or (grade_id(cell) and not is_task(cell)):
        return ""
    try:
        visible_cell: NotebookNode = (
            clear_scheme.preprocess_cell(deepcopy(cell), {}, 0)[0] if is_task(cell) else cell
        )
    except RuntimeError:  # The mark scheme has no end marker, so nbgrader does not release the notebook.
        return ""
    return str(visible_cell.source)


def graded_cells(source: PlainSource) -> list[PlainCell]:
    """Return the cells for which points are given."""
    return [cell for cell in source.cells if cell.kind in _GRADED]


def answers_of(source: PlainSource) -> dict[str, list[PlainCell]]:
    """Return the answers between each graded cell and the previous one, keyed by the graded cell's id.

    Answers after the last graded cell are assigned to that cell.
    """
    answers: dict[str, list[PlainCell]] = {}
    pending_answers: list[PlainCell] = []
    for cell in source.cells:
        if cell.kind == "answer":
            pending_answers.append(cell)
        elif cell.kind in _GRADED:
            answers[cell.id], pending_answers = pending_answers, []
    if answers:
        answers[next(reversed(answers))] += pending_answers
    return answers


def _tested_answers(
    source: PlainSource, answers: Mapping[str, list[PlainCell]]
) -> dict[str, list[PlainCell]]:
    """Return the answers that each graded cell tests, keyed by the graded cell's id.

    A graded cell tests the answers between it and the previous graded cell. If there are none and the cell is
    a test, it tests the same answers as the previous graded cell.

    Args:
        source: the notebook.
        answers: the answers between each graded cell and the previous one, as `answers_of` returns them.
    """
    tested_answers: dict[str, list[PlainCell]] = {}
    previous: list[PlainCell] = []
    for cell in graded_cells(source):
        tested_answers[cell.id] = answers[cell.id] or (previous if cell.kind == "test" else [])
        previous = tested_answers[cell.id]
    return tested_answers


@dataclass(frozen=True)
class PlainSubmission:
    """A student's submission of a plain assignment."""

    assignment: GradedPlain
    student: str
    submitted: SubmittedNotebooks | Rejected

    @cached_property
    def key(self) -> str:
        """A hash of everything that determines a result."""
        return self.assignment.form.key(self.submitted)

    @cached_property
    def _cells(self) -> Mapping[str, Sequence[Cell]] | Rejected:
        """The submitted notebooks' cells, keyed by notebook name, or the rejection of the submission."""
        if isinstance(self.submitted, Rejected):
            return self.submitted
        cells = read_cells(self.submitted)
        if isinstance(cells, Rejected):
            return cells
        return {
            notebook_key(file, self.assignment.name): notebook_cells for file, notebook_cells in cells.items()
        }

    @property
    def rejected(self) -> Rejected | None:
        """The reason why the submission cannot be graded; None if it can."""
        return self._cells if isinstance(self._cells, Rejected) else None

    @property
    def language(self) -> Language:
        """The language of the feedback page."""
        return self.assignment.language

    @property
    def absent(self) -> frozenset[str]:
        """The assignment's notebooks that are missing from the submission; empty if nothing could be read."""
        if isinstance(self.submitted, Rejected):
            return frozenset()
        submitted_names = {notebook_key(file, self.assignment.name) for file in self.submitted.notebooks}
        return frozenset(self.assignment.notebooks) - submitted_names

    def job(self) -> PlainJob:
        """Return the worker's job for grading the submission."""
        assert isinstance(self.submitted, SubmittedNotebooks)
        form = self.assignment.form
        return PlainJob(
            student=self.student,
            lesson=self.assignment.name,
            assignment=form.assignment,
            notebooks=self.submitted.notebooks,
            files=_compatible_files(self.submitted.files, form.assignment.files),
            kept=form.protected_files,
            timeout=form.timeout,
            hidden=self.assignment.course.hidden,
            preload=self.assignment.preload,
        )

    def result(self, report: Sequence[PlainReport]) -> Result:
        """Return the result of the submission, made from a worker's reports."""
        assert isinstance(self.submitted, SubmittedNotebooks)
        reports = {
            notebook_key(notebook_report.notebook, self.assignment.name): notebook_report
            for notebook_report in report
        }
        rows: list[GradedTask] = []
        comments: dict[str, str] = {}
        cell_outputs: list[CellOutput] = []
        for name, source in self.assignment.sources.items():
            notebook_report = reports.get(name)
            rows += self._rows(name, source, notebook_report)
            if notebook_report is not None:
                comments |= {cell_key(name, answer): NO_RESPONSE for answer in notebook_report.unanswered}
                cell_outputs += self._cell_outputs(name, source, notebook_report)
        return Result(
            self.student,
            self.assignment.name,
            rows,
            self.submitted.notes,
            comments,
            cell_outputs,
            self.language,
        )

    def rejection_result(self, earlier: Language | None) -> Result:
        """Return the result of a submission that was rejected."""
        rejection = self.rejected
        assert rejection is not None
        # The message is in both languages, because the instructor has to decide what to do with the file and
        # may read either language.
        message = f"{rejection.en}\n{rejection.ko}"
        return self.assignment.uniform_result(
            self.student, "rejected", message, f"rejected:{rejection.reason}"
        )

    def relocate_outputs(self, result: Result) -> Result:
        """Return the result unchanged.

        A result is reused only if the submitted files are identical, so its outputs have not moved.
        """
        return result

    def notebooks(self, result: Result) -> Mapping[str, NotebookNode]:
        """Return the notebooks for staff, with the results as outputs."""
        files = self.submitted.files if isinstance(self.submitted, SubmittedNotebooks) else {}
        return {
            name: staff_notebook(
                self._submitted_cells(name, source),
                self.assignment.assignment_notebooks[name],
                name,
                result,
                files,
            )
            for name, source in self.assignment.sources.items()
        }

    def without_secrets(self, notebook: NotebookNode) -> NotebookNode:
        """Return a copy of a notebook from which hidden tests and mark schemes are removed."""
        return self.assignment.hide_tests(notebook)

    def head(
        self, name: str, result: Result, recorded_grades: RecordedGrades, times: tuple[str, ...] | None
    ) -> PageHead:
        """Return the head of the feedback page for one of the notebooks: scores, tasks and comments."""
        titles = self.assignment.titles[name]
        tasks = [task for task in result.tasks if task.notebook == name]
        rows = [row_of(task, titles.get(task.cell, task.cell), result, recorded_grades) for task in tasks]
        title = titles.get("", self.assignment.name)
        rejection = self.rejected
        return PageHead(
            f"{title} · {name}" if name else title,
            self.language,
            recorded_grades.score,
            recorded_grades.max_score,
            recorded_grades.penalty,
            list(self._with_comments(name, rows, result, recorded_grades)),
            visible({"en": rejection.en, "ko": rejection.ko}[self.language]) if rejection else "",
            earlier_points=replace(result, tasks=tasks).earlier_points,
            times=times if recorded_grades.penalty else None,
        )

    def _submitted_cells(self, name: str, source: PlainSource) -> Sequence[Cell]:
        """Return a notebook's submitted cells, or the assignment's own cells if there are none to read."""
        if not isinstance(self._cells, Rejected) and name in self._cells:
            return self._cells[name]
        return [
            Cell(number, "code" if cell.is_code else "markdown", cell.source, "", cell.id, ())
            for number, cell in enumerate(source.cells, 1)
        ]

    # --- Building a result -------------------------------------------------------------------------------

    def _rows(self, name: str, source: PlainSource, report: PlainReport | None) -> Iterator[GradedTask]:
        grades = {grade.id: grade for grade in report.grades} if report else {}
        answers = answers_of(source)
        tested_answers = _tested_answers(source, answers)
        for cell in graded_cells(source):
            grade = grades.get(cell.id) or Grade(cell.id, 0.0, cell.points, "missing")
            preceding_answers, tested_cells = answers[cell.id], tested_answers[cell.id]
            is_stub = (
                bool(tested_cells)
                and report is not None
                and all(answer.id in report.unanswered for answer in tested_cells)
            )
            outcome, message = self._outcome_and_message(grade, is_stub=is_stub, is_absent=report is None)
            yield GradedTask(
                id=cell_key(name, cell.id),
                points=grade.points or 0.0,
                max_points=cell.points,
                outcome=outcome,
                verdict=Verdict.plain(message),
                seconds=grade.seconds,
                hidden=grade.hidden,
                cell=cell.id,
                auto=None if outcome == "manual" else grade.points or 0.0,
                answer=self._answer_hash(name, cell, preceding_answers),
                notebook=name,
                has_test=cell.kind == "test" and outcome != "manual",
            )

    def _outcome_and_message(self, grade: Grade, *, is_stub: bool, is_absent: bool) -> tuple[Outcome, str]:
        """Return the outcome of a graded cell, and a message that cannot quote a hidden test."""
        outcome = _OUTCOMES[grade.outcome]
        if is_absent:
            return outcome, self._message("absent")
        if grade.unchanged or (is_stub and grade.outcome in ("failed", "crashed") and not grade.points):
            return "not_attempted", self._message("unanswered")
        if outcome in ("passed", "manual"):
            return outcome, ""
        if grade.outcome in ("missing", "timed_out", "crashed", "partial"):
            return outcome, self._message(grade.outcome)
        if grade.error:
            return outcome, f"{grade.error}: {grade.message}" if grade.message else grade.error
        return outcome, self._message("hidden" if grade.hidden else "stderr" if grade.output else "failed")

    def _message(self, key: str) -> str:
        return _MESSAGES[key][0 if self.language == "en" else 1]

    def _answer_hash(self, name: str, cell: PlainCell, answers: Sequence[PlainCell]) -> str:
        """Return a hash of the submitted cells that a graded cell's score depends on.

        The score of a manually graded answer depends only on the answer's own cell. The score of a test
        depends only on `answers` (those of the test according to `answers_of`). The score of an nbgrader task
        cell, or of a test with an empty `answers`, depends on all cells.
        """
        cells = self._cells.get(name, ()) if not isinstance(self._cells, Rejected) else ()
        ids = (
            [cell.id]
            if cell.kind == "manual"
            else [answer.id for answer in answers]
            if cell.kind == "test"
            else []
        )
        return sha256(
            "\n\n".join(
                submitted_cell.source for submitted_cell in cells if not ids or submitted_cell.grade_id in ids
            )
        )

    def _cell_outputs(self, name: str, source: PlainSource, report: PlainReport) -> Iterator[CellOutput]:
        """Yield the position and the output of each of the student's cells; long outputs are cut."""
        assert not isinstance(self._cells, Rejected)
        run_cells = {cell.label: cell for cell in report.cells}
        source_cells = {cell.id: cell for cell in source.cells}
        chars_left = PAGE_CHARS
        for index, cell in enumerate(self._cells[name]):
            source_cell = source_cells.get(cell.grade_id)
            label = f"cell {cell.number}"
            if source_cell is not None:
                label = f"{'cell' if source_cell.is_restored else 'answer'} {source_cell.id}"
            if label in run_cells:
                text = visible(run_cells[label].output[:CELL_CHARS])[: min(chars_left, CELL_CHARS)]
                chars_left -= len(text)
                yield CellOutput(index, replace(run_cells[label], output=text), name)

    def _with_comments(
        self, name: str, rows: Iterable[TaskRow], result: Result, recorded_grades: RecordedGrades
    ) -> Iterator[TaskRow]:
        """Yield the rows of the page's task table, with the instructor's comments on the answers added."""
        answers = answers_of(self.assignment.sources[name])
        for row in rows:
            comments = [row.comment] if row.comment else []
            for answer in answers[row.task]:
                comment = recorded_grades.comments.get(answer.id) or ""
                if comment and comment != result.comments.get(cell_key(name, answer.id)):
                    comments.append(comment)
            yield replace(row, comment="\n\n".join(comments))


def _compatible_files(
    student_files: Mapping[str, bytes], assignment_files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the student's files whose paths do not conflict with the assignment's files and folders."""
    folders = {str(parent) for path in assignment_files for parent in _parents(path)}
    return {
        path: data
        for path, data in student_files.items()
        if path not in folders and not any(parent in assignment_files for parent in _parents(path))
    }


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
