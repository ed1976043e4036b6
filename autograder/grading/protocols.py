"""Protocols for an assignment and a submission; lessons.py and plain.py each implement both."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nbformat import NotebookNode

from autograder.exam.report import Outcome
from autograder.gradebook.entries import Entry
from autograder.gradebook.recorded_grades import RecordedGrades
from autograder.gradebook.result import Result
from autograder.intake.submission import Rejected
from autograder.page.facts import PageHead
from autograder.workers.jobs import Job, PlainJob
from secant.language import Language


class GradedSubmission(Protocol):
    """A student's submission. It is parsed only when needed, because most submissions are already graded."""

    @property
    def key(self) -> str:
        """A hash of everything that determines a result."""

    @property
    def rejected(self) -> Rejected | None:
        """The reason why the submission cannot be graded; None if it can."""

    @property
    def language(self) -> Language:
        """The language of the feedback page."""

    @property
    def absent(self) -> frozenset[str]:
        """The assignment's notebooks that are missing from the submission."""

    def job(self) -> Job | PlainJob:
        """Return the worker's job for grading the submission."""

    def result(self, report: Any) -> Result:
        """Return the result of the submission, made from a worker's report."""

    def rejection_result(self, earlier: Language | None) -> Result:
        """Return the result of a rejected submission.

        Args:
            earlier: the language of the student's previous submission.
        """

    def relocate_outputs(self, result: Result) -> Result:
        """Return an earlier result for these files, with the outputs at the cells' current positions."""

    def notebooks(self, result: Result) -> Mapping[str, NotebookNode]:
        """Return the notebooks for staff, with the results as outputs.

        The submission's own notebooks are modified and cannot be used again.
        """

    def without_secrets(self, notebook: NotebookNode) -> NotebookNode:
        """Return one of the notebooks for staff, excluding the content that the student must not see.

        The preprocessors of the feedback page run later.
        """

    def head(
        self, name: str, result: Result, grades: RecordedGrades, times: tuple[str, ...] | None
    ) -> PageHead:
        """Return the head of the feedback page for one of the notebooks: scores, tasks and comments.

        Args:
            name: the name of the notebook within the assignment.
            result: the result of the submission.
            grades: the gradebook's entries for this notebook.
            times: the time of submission and the due date if points were deducted for lateness; otherwise
                None.
        """


class GradedAssignment(Protocol):
    """An assignment to be graded.

    If a notebook has the same name as the assignment, an empty string is used instead of its name.
    """

    @property
    def notebooks(self) -> Sequence[str]:
        """The names of the assignment's notebooks."""

    @property
    def shows_solutions(self) -> bool:
        """True if feedback pages include the worked solutions."""

    def read_submission(self, entry: Entry) -> GradedSubmission:
        """Read a student's submission."""

    def uniform_result(self, student: str, outcome: Outcome, message: str, flag: str) -> Result:
        """Return a result with the same outcome and message for every task."""

    def is_secret(self, data: bytes) -> bool:
        """Return whether a student's file quotes hidden tests, which no student has received."""
