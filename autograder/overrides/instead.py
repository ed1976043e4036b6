"""Exporters that make nbgrader's commands and formgrader's buttons call the autograder.

`nbgrader autograde` and formgrader's Autograde button would run students' code in an ordinary kernel, with
access to the instructor's files. nbgrader's converters create their `exporter_class` after they have found
the submissions to convert, and before they convert any of them. nbgrader_config.py sets the exporters below
as `exporter_class`. They run the `autograder` command in a separate process, and leave the converter nothing
to do.
"""

import os
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any, ClassVar

from nbconvert.exporters import Exporter
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course.errors import CourseError
from autograder.course.lesson import find_root
from autograder.course.plain import is_plain
from autograder.course.settings import Course

# Maximum number of lines that an error message quotes from the end of the command's output.
_MAX_ERROR_LINES = 5
# Settings that decide which submissions are graded, and where the results are written.
_SETTINGS = ("root", "db_url", "course_id", "directory_structure", "student_id_exclude", "groupshared")
_FOLDERS = ("source_directory", "submitted_directory", "autograded_directory", "feedback_directory")
_REFUSED = (
    "nbgrader's own engine is switched off in this course: it would run students' code as you, with access "
    "to your files. Use `autograder grade`, or leave Autograde's settings as they are in the course's "
    "nbgrader_config.py."
)


class Refuse(NbGraderPreprocessor):
    """A preprocessor that raises an error; it replaces nbgrader's steps that would run students' code."""

    def preprocess(self, nb: Any, resources: Any) -> Any:
        """Raise an error instead of processing a notebook."""
        raise NbGraderException(_REFUSED)


class _AutograderExporter(Exporter):
    """An exporter that runs an autograder command instead of nbgrader's conversion.

    Raises:
        NbGraderException: if the command did not succeed for every submission; the message gives the reason.
    """

    converter: ClassVar[type[BaseConverter]]
    command: ClassVar[str]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(self.parent, self.converter):
            raise NbGraderException(_REFUSED)
        try:
            self._check(self.parent)
            _call(self.parent, [self.command, *self._arguments(self.parent)])
        except (CourseError, NbGraderException) as error:
            self.parent.log.error("%s", error)
            raise NbGraderException(str(error)) from None
        self.parent.assignments = {}

    def _check(self, converter: BaseConverter) -> None:
        """Raise NbGraderException if the command cannot do exactly what the converter was asked to do."""
        settings = converter.coursedir
        course_settings = Course.at(find_root(Path(settings.root))).directory
        names = [
            name
            for name in (*_SETTINGS, *_FOLDERS)
            if getattr(settings, name) != getattr(course_settings, name)
        ]
        if names:
            raise NbGraderException(
                f"Nothing was done: CourseDirectory.{names[0]} is {getattr(settings, names[0])!r} here and "
                f"{getattr(course_settings, names[0])!r} in the course's nbgrader_config.py. Change it there."
            )
        if settings.notebook_id != "*":
            plain = is_plain(
                Path(course_settings.root), settings.assignment_id, course_settings.source_directory
            )
            reason = "a submission is graded whole" if plain else "a submission is one notebook"
            raise NbGraderException(f"Nothing was done: {reason}. Leave out --notebook.")

    def _arguments(self, converter: BaseConverter) -> list[str]:
        lessons, students = _lessons_and_students(converter)
        all_students = converter.coursedir.student_id == "*"
        options = [] if all_students else [f"--student={student}" for student in students]
        return [*lessons, *options, *(["--force"] if converter.force else [])]

    def from_notebook_node(self, *_: Any, **__: Any) -> Any:
        raise NbGraderException(_REFUSED)

    from_filename = from_file = from_notebook_node


class GradeInstead(_AutograderExporter):
    """An exporter that runs `autograder grade` in place of `nbgrader autograde`."""

    converter, command = Autograde, "grade"

    def _check(self, converter: BaseConverter) -> None:
        super()._check(converter)
        if converter.create_student:
            return
        with Gradebook(converter.coursedir.db_url, converter.coursedir.course_id) as book:
            known_ids = {student.id for student in book.students}
        unknown_ids = [student for student in _lessons_and_students(converter)[1] if student not in known_ids]
        if unknown_ids:
            raise NbGraderException(
                f"Nothing was graded: the gradebook has no student {', '.join(unknown_ids)}. Add them with "
                "`nbgrader db student add`, or leave Autograde.create_student on."
            )


class FeedbackInstead(_AutograderExporter):
    """An exporter that runs `autograder feedback` in place of `nbgrader generate_feedback`."""

    converter, command = GenerateFeedback, "feedback"


def _lessons_and_students(converter: BaseConverter) -> tuple[list[str], list[str]]:
    """Return the names of the lessons and of the students whose submissions a converter will convert."""
    folders = [Path(folder) for folder in converter.assignments]
    return sorted({folder.name for folder in folders}), sorted({folder.parent.name for folder in folders})


def _call(converter: BaseConverter, arguments: list[str]) -> None:
    """Run an autograder command in the course's folder, and copy its output to nbgrader's log."""
    last_lines: deque[str] = deque(maxlen=_MAX_ERROR_LINES)
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder.cli", *arguments],
        cwd=converter.coursedir.root,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last_lines.append(line.rstrip())
            converter.log.info("%s", last_lines[-1])
    if process.returncode != 0:
        raise NbGraderException(
            "\n".join(last_lines)
            or f"`autograder {arguments[0]}` ended with exit status {process.returncode}."
        )
