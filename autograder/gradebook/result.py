"""The result of grading a submission, used for the gradebook, autograded/, feedback/ and `grade --json`."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from autograder.course.cells import Task, grade_id
from autograder.exam.report import PUBLIC, Report, TaskResult
from autograder.exam.words import NOT_DONE, missing_module
from autograder.intake.submission import Submission
from autograder.sandbox.results import CellResult, TraceLine
from secant.language import Language
from secant.verdict import Part

NO_RESPONSE = "No response."  # nbgrader's own comment on an answer that was left empty
_TEST_CHANGED: Mapping[Language, str] = {
    "en": "The test cell was changed, so the original test was run. Write your answer in the answer cell.",
    "ko": "테스트 셀의 내용이 바뀌어 원래 테스트로 채점했습니다. 답은 답 셀에 쓰세요.",
}


@dataclass(frozen=True)
class GradedTask(TaskResult):
    """A task's result with the additional data that the gradebook needs.

    Attributes:
        cell: the grade_id of the graded cell.
        notebook: the name of the cell's notebook; empty for the notebook that has the assignment's name.
        has_test: True if `cell` is a test cell of a plain assignment. In a lesson, the cell's name shows
            whether it is a test cell.
        auto: the automatic score; None if the task needs manual grading.
        answer: a hash of the answer.
        before: the points of an earlier file if the current file could not be read; otherwise None.
    """

    cell: str = ""
    auto: float | None = None
    answer: str = ""
    before: float | None = None
    notebook: str = ""
    has_test: bool = False

    @property
    def key(self) -> str:
        """The key of the graded cell within the assignment; see `cell_key`."""
        return cell_key(self.notebook, self.cell)

    @property
    def name(self) -> str:
        """The task's id within its notebook."""
        return self.id.removeprefix(cell_key(self.notebook, ""))

    @property
    def is_note(self) -> bool:
        """True if the task has no test and therefore has to be graded by a person."""
        return self.key == self.id and not self.has_test


@dataclass(frozen=True)
class CellOutput:
    """The output or error of a cell, with the cell's position (`place`) and the name of its notebook."""

    place: int
    cell: CellResult
    notebook: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild an output from the data that `Result.as_text` stored for it."""
        fields = {name: value for name, value in data.items() if name not in ("place", "notebook")}
        trace = tuple(TraceLine(**line) for line in data["trace"])
        return cls(data["place"], CellResult(**{**fields, "trace": trace}), data.get("notebook", ""))


@dataclass(frozen=True)
class Result:
    """The complete result of a submission, from which the gradebook entries and the output folders are made.

    Attributes:
        flags: remarks for the course staff; they do not affect the points.
        comments: comments on answers, keyed by the answer's key; see `cell_key`.
        cells: the outputs of the student's cells.
        language: the language of the submission or, if the submission could not be read, of an earlier
            submission. None if neither language is known.
    """

    student: str
    lesson: str
    tasks: Sequence[GradedTask]
    flags: Sequence[str] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    cells: Sequence[CellOutput] = ()
    language: Language | None = None

    def flag_subjects(self, word: str) -> Iterator[str]:
        """Yield the subjects of all flags of one kind. The subject of `counted:x.ipynb` is the file name."""
        return (flag.partition(":")[2] for flag in self.flags if flag.startswith(f"{word}:"))

    def public(self) -> dict[str, Any]:
        """Return the result as a dict for `grade --json`."""
        return {
            **self._totals,
            "tasks": [{name: getattr(task, name) for name in PUBLIC} for task in self.tasks],
            "flags": list(self.flags),
        }

    @property
    def missing_packages(self) -> set[str]:
        """The packages that are not installed, according to the import errors in the student's notebook."""
        errors = [
            cell_output.cell.message
            for cell_output in self.cells
            if cell_output.cell.error == "ModuleNotFoundError"
        ]
        traces = (part.text for task in self.tasks for part in task.verdict.parts if part.kind == "trace")
        errors += [trace for trace in traces if trace.startswith("ModuleNotFoundError: ")]
        return set(map(missing_module, errors)) - {""}

    @property
    def is_unread(self) -> bool:
        """True if the file could not be read and no points have been given for it by hand."""
        return any(task.outcome == "rejected" and task.auto is None for task in self.tasks)

    @property
    def _totals(self) -> dict[str, Any]:
        """The submission and its score, which are the first entries in `public` and in `as_text`."""
        return {
            "student": self.student,
            "lesson": self.lesson,
            "score": sum(task.points for task in self._counted_tasks),
            "max_score": sum(task.max_points for task in self._counted_tasks),
        }

    @property
    def _counted_tasks(self) -> list[GradedTask]:
        """The tasks with a score: all except those that need manual grading or could not be graded."""
        return [task for task in self.tasks if task.auto is not None]

    @property
    def earlier_points(self) -> tuple[float, float] | None:
        """The points and maximum points of an earlier file; None if the current file could be read."""
        points_before = [(task.before, task.max_points) for task in self.tasks if task.before is not None]
        return (
            (sum(points for points, _ in points_before), sum(max_points for _, max_points in points_before))
            if points_before
            else None
        )

    def with_earlier_points(self, earlier: Mapping[str, float]) -> Self:
        """Return a copy of this result in which the comments mention the points of an earlier file.

        This result is that of an unreadable file. The points of the earlier file do not count.

        Args:
            earlier: the points of the earlier file, keyed by the graded cell's key.
        """
        rows = [replace(task, before=earlier.get(task.key)) for task in self.tasks]
        comments = {
            row.id: f"{self.comments[row.id]}\n\n{_earlier_points_note(row)}"
            for row in rows
            if row.before is not None
        }
        return replace(self, tasks=rows, comments={**self.comments, **comments})

    def with_gradebook_points(
        self, scores: Mapping[str, tuple[float, float]], waiting: Collection[str]
    ) -> Self:
        """Return this result with the points from the gradebook, some of which may have been given by hand.

        Args:
            scores: the points and the maximum points, keyed by the graded cell's key.
            waiting: the keys of the graded cells that need manual grading.
        """

        def row(task: GradedTask) -> GradedTask:
            needs_manual = task.key in waiting
            points = 0.0 if needs_manual else scores.get(task.key, (task.points, 0.0))[0]
            # An instructor gave points for the answer, so it does not count as "not attempted".
            has_answer = task.is_note and task.outcome == "not_attempted" and points
            # Both text answers and code answers can need manual grading.
            by_hand = has_answer or (needs_manual and task.outcome != "rejected")
            outcome = "manual" if by_hand else task.outcome
            return replace(task, points=points, auto=None if needs_manual else points, outcome=outcome)

        return replace(self, tasks=[row(task) for task in self.tasks])

    def as_text(self) -> str:
        """Return the complete result as JSON for the gradebook's record; `from_json` rebuilds the result."""
        data = {
            **self._totals,
            "tasks": list(self.tasks),
            "flags": list(self.flags),
            "comments": dict(self.comments),
            "cells": [
                {**vars(cell_output.cell), "place": cell_output.place, "notebook": cell_output.notebook}
                for cell_output in self.cells
            ],
            "language": self.language,
        }
        # `dataclasses.asdict` would copy everything first. That would slow down a run, which makes this
        # string for every student.
        return json.dumps(data, default=vars)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from the parsed JSON of `as_text`."""
        return cls(
            student=data["student"],
            lesson=data["lesson"],
            tasks=[GradedTask.from_json(task) for task in data["tasks"]],
            flags=data["flags"],
            comments=data["comments"],
            cells=[CellOutput.from_json(cell) for cell in data["cells"]],
            language=data.get("language"),
        )


def _earlier_points_note(task: GradedTask) -> str:
    return (
        f"Your earlier file had {task.before:g} of {task.max_points:g} points for this task. They do not "
        "count for this file: your instructor decides.\n"
        f"이전에 제출한 파일은 이 과제에서 {task.max_points:g}점 중 {task.before:g}점이었습니다. "
        "이번 파일의 점수는 아니며, 점수는 강사가 정합니다."
    )


def make_result(
    student: str,
    report: Report,
    tasks: Iterable[Task],
    submission: Submission | None,
    cells: Sequence[CellOutput] = (),
    flags: Sequence[str] = (),
    earlier: Language | None = None,
) -> Result:
    """Return the result of a submission, made from the examiner's report.

    Args:
        student: the student's id.
        report: the examiner's report.
        tasks: the tasks of the lesson.
        submission: the submission; None if there was nothing to read.
        cells: the outputs of the student's cells.
        flags: remarks for the course staff.
        earlier: the language of the student's previous submission, used if `submission` is None.
    """
    tasks_by_id = {task.id: task for task in tasks}
    rows = [_graded_task(row, tasks_by_id[row.id], submission) for row in report.tasks]
    if submission is None:
        comments = {row.id: row.message for row in rows}
    else:
        comments = {row.id: NO_RESPONSE for row in rows if row.id in submission.unwritten}
    notes = submission.notes if submission else ()
    language = submission.language if submission else earlier
    return Result(student, report.lesson, rows, [*flags, *notes], comments, cells, language)


def _graded_task(row: TaskResult, task: Task, submission: Submission | None) -> GradedTask:
    is_empty = submission is None or task.id in submission.unwritten
    manual_score = 0.0 if is_empty else None
    auto = manual_score if task.test is None else row.points
    if row.outcome == "manual" and submission is not None and is_empty:
        part = Part("head", NOT_DONE[submission.language])
        row = replace(row, outcome="not_attempted", verdict=replace(row.verdict, parts=(part,)))
    test_changed = submission and task.test and f"changed_test:{grade_id(task.test)}" in submission.notes
    # The student may have typed the answer into the test cell.
    if submission and test_changed and row.outcome == "not_attempted":
        parts = (*row.verdict.parts, Part("head", _TEST_CHANGED[submission.language]))
        row = replace(row, verdict=replace(row.verdict, parts=parts))
    # The score is None rather than zero, because a person or a later run determines it.
    if row.outcome in ("rejected", "grader_failure"):
        auto = None
    return GradedTask(
        **vars(row),
        cell=task.id if task.test is None else grade_id(task.test),
        auto=auto,
        answer=sha256(submission.answers.get(task.id, "") if submission else ""),
    )


def cell_key(notebook: str, cell: str) -> str:
    """Return a cell's key within its assignment.

    Args:
        notebook: the name of the cell's notebook; empty for the notebook that has the assignment's name.
        cell: the cell's grade_id; it is unique only within its notebook.
    """
    return f"{notebook}/{cell}" if notebook else cell


def sha256(text: str) -> str:
    """Return the SHA-256 hash of a string, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
