"""What a batch grades: an assignment and a submission of it, of the kinds in lessons.py and plain.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nbformat import NotebookNode

from autograder.exam.report import Outcome
from autograder.gradebook.entered import Entered
from autograder.gradebook.entries import Entry
from autograder.gradebook.result import Result
from autograder.intake.submission import Rejected
from autograder.page.facts import Head
from autograder.workers.jobs import Job, PlainJob
from secant.language import Language


class Taken(Protocol):
    """A submission, read. Nothing is done before it is asked for: most were graded before."""

    @property
    def key(self) -> str:
        """A hash of all that a result comes from."""

    @property
    def rejected(self) -> Rejected | None:
        """Why it cannot be graded; None if it can."""

    @property
    def language(self) -> Language:
        """The language of what its page says."""

    @property
    def absent(self) -> frozenset[str]:
        """The notebooks that were not handed in."""

    def job(self) -> Job | PlainJob:
        """Return what a worker is asked."""

    def result(self, report: Any) -> Result:
        """Return what a worker's report comes to."""

    def refused(self, earlier: Language | None) -> Result:
        """Return the result of a submission that was rejected.

        Args:
            earlier: the language of what the student had handed in before.
        """

    def placed(self, result: Result) -> Result:
        """Return an earlier result of the same files, with what cells printed at its place."""

    def notebooks(self, result: Result) -> Mapping[str, NotebookNode]:
        """Return the notebooks for staff, with what became of them. The submission's own are used up."""

    def shown(self, notebook: NotebookNode) -> NotebookNode:
        """Return one of these notebooks as the student may see it; the page's own steps come later."""

    def head(self, name: str, result: Result, entered: Entered, times: tuple[str, ...] | None) -> Head:
        """Return what stands above a notebook of a page.

        Args:
            name: the notebook.
            result: what became of the submission.
            entered: what the gradebook says of this notebook.
            times: when it was handed in and when it was due, if points were taken off.
        """


class Assigned(Protocol):
    """An assignment. Of its notebooks, the one that has its name is known by an empty name."""

    @property
    def notebooks(self) -> Sequence[str]:
        """The names of its notebooks."""

    @property
    def shows_solutions(self) -> bool:
        """Whether pages have the worked solutions."""

    def take(self, entry: Entry) -> Taken:
        """Read a submission."""

    def everywhere(self, student: str, outcome: Outcome, message: str, flag: str) -> Result:
        """Return the result of a submission that met the same fate in every task."""

    def is_secret(self, data: bytes) -> bool:
        """Return whether a student's file quotes what no student was given."""
