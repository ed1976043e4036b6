"""An assignment with ordinary nbgrader tests, with the settings it is graded by, and what was handed in."""

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
from autograder.intake.plain import FoundNotebooks, find_notebooks
from autograder.intake.submission import Rejected


@dataclass(frozen=True)
class PlainForm:
    """What decides a grade besides the submission.

    Attributes:
        course: the course directory.
        assignment: the assignment.
        kept: its files that do not replace the student's: nbgrader's `Autograde.exclude_overwriting`.
        timeout: the seconds of a cell, nbgrader's `Execute.timeout`; None for no limit.
    """

    course: Course
    assignment: PlainAssignment
    kept: Sequence[str]
    timeout: float | None

    @classmethod
    def of(cls, course: Course, name: str) -> "PlainForm":
        """Read an assignment and its settings.

        Raises:
            CourseError: it cannot be graded.
        """
        directory, config = course.directory, course.config
        assignment = read_plain(course.root, name, config, directory.source_directory)
        kept = Autograde(coursedir=directory, config=config).exclude_overwriting.get(name, [])
        return cls(course, assignment, sorted(map(str, kept)), Execute(config=config).timeout)

    def find(self, entry: Entry) -> FoundNotebooks | Rejected:
        """Read what was handed in."""
        names = [notebook.name for notebook in self.assignment.notebooks]
        settings = self.course.directory
        where = (self.course.folder("submitted", *entry), names, self.course.submitted, settings.ignore)
        try:
            return find_notebooks(*where)
        except OSError:  # this machine's fault, and perhaps a passing one
            return find_notebooks(*where)

    def key(self, found: FoundNotebooks | Rejected) -> str:
        """Return a hash of all that a result comes from: files, tests, settings and the grader."""
        file = ["rejected", found.reason, found.en] if isinstance(found, Rejected) else ["file", found.digest]
        settings = [self.assignment.digest, list(self.kept), self.timeout]
        return sha256(json.dumps([file, settings, plain_version()]))
