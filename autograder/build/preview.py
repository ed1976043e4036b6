"""Build a lesson again whenever its author saves one of its files."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.build.builder import BuildError, build
from autograder.course.errors import CourseError
from autograder.course.file_watch import watch_file
from autograder.course.lesson import Lesson


@dataclass(frozen=True)
class Preview:
    """The result of a build: the files that were written, or the problems found in the lesson."""

    seconds: float
    written: list[Path]
    problems: list[str]


def preview(root: Path, lesson: Lesson) -> Iterator[Preview]:
    """Build a lesson immediately, and again after each save; yield the result of each build."""
    for _ in watch_file(lesson.folder):
        start = time.monotonic()
        try:
            written, problems = build(root, [lesson]).written, []
        except BuildError as error:
            written, problems = [], error.problems
        except CourseError as error:
            written, problems = [], [str(error)]
        yield Preview(time.monotonic() - start, written, problems)
