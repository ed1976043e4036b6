"""Read plain assignments (with ordinary nbgrader tests), their settings, and the files submitted for them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute

from autograder.course.plain import PlainAssignment, read_plain
from autograder.course.settings import Course
from autograder.exam.version import plain_version
from autograder.gradebook.entries import Entry
from autograder.gradebook.result import sha256
from autograder.intake.plain import SubmittedNotebooks, find_notebooks
from autograder.intake.submission import Rejected


@dataclass(frozen=True)
class PlainForm:
    """Everything that determines the grade of a plain assignment, apart from the submission.

    Attributes:
        course: the course directory.
        assignment: the assignment.
        protected_files: the names of files for which the student's version is kept even if the assignment has
            a file of the same name; see nbgrader's `Autograde.exclude_overwriting`.
        timeout: the time limit of a cell in seconds, from nbgrader's `Execute.timeout`; None for no limit.
    """

    course: Course
    assignment: PlainAssignment
    protected_files: Sequence[str]
    timeout: float | None

    @classmethod
    def read(cls, course: Course, name: str) -> "PlainForm":
        """Read an assignment and its settings.

        Raises:
            CourseError: if the assignment cannot be graded.
        """
        directory, config = course.directory, course.config
        assignment = read_plain(course.root, name, config, directory.source_directory)
        protected_files = Autograde(coursedir=directory, config=config).exclude_overwriting.get(name, [])
        return cls(course, assignment, sorted(map(str, protected_files)), Execute(config=config).timeout)

    def find(self, entry: Entry) -> SubmittedNotebooks | Rejected:
        """Find and read the notebooks and other files of a submission."""
        names = [notebook.name for notebook in self.assignment.notebooks]
        settings = self.course.directory
        location = (self.course.folder("submitted", *entry), names, self.course.submitted, settings.ignore)
        try:
            return find_notebooks(*location)
        # An OSError is a failure of this machine, not a defect of the files. The failure may be temporary, so
        # try once more.
        except OSError:
            return find_notebooks(*location)

    def key(self, submission: SubmittedNotebooks | Rejected) -> str:
        """Return a hash of everything that determines a result: files, tests, settings and grading code."""
        file = (
            ["rejected", submission.reason, submission.en]
            if isinstance(submission, Rejected)
            else ["file", submission.digest]
        )
        settings = [self.assignment.digest, list(self.protected_files), self.timeout]
        return sha256(json.dumps([file, settings, plain_version()]))
