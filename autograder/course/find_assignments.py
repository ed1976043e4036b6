"""What a course has to grade: its lessons, and its assignments with ordinary nbgrader tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.course.errors import CourseError
from autograder.course.lesson import choose_lessons, find_lessons
from autograder.course.plain import plain_assignments


class Gradable(NamedTuple):
    """The names of what a course has to grade.

    Attributes:
        lessons: its lessons, in order.
        plain: its assignments with ordinary nbgrader tests, in order.
    """

    lessons: Sequence[str]
    plain: Sequence[str]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.lessons, *self.plain]

    @property
    def listed(self) -> str:
        """All of them, in words."""
        lessons = ", ".join(self.lessons) or "none yet"
        others = f"; the other assignments are: {', '.join(self.plain)}" if self.plain else ""
        return f"the lessons are: {lessons}{others}"


def find_gradable(root: Path, source: str = "source") -> Gradable:
    """Return what a course has to grade."""
    return Gradable([lesson.name for lesson in find_lessons(root)], plain_assignments(root, source))


def choose_gradable(root: Path, words: Sequence[str], source: str = "source") -> list[str]:
    """Return the names that words mean: a lesson's number, or the folder's name; all of them for no word.

    Raises:
        CourseError: a word means nothing.
    """
    there = find_gradable(root, source)
    if not words:
        return there.names
    chosen: set[str] = set()
    for word in words:
        if word in there.plain:
            chosen.add(word)
        elif there.plain and not _is_lesson(word, there.lessons):
            raise CourseError(f'There is no lesson or assignment "{word}"; {there.listed}.')
        else:
            chosen |= {lesson.name for lesson in choose_lessons(find_lessons(root), [word])}
    return [name for name in there.names if name in chosen]


def _is_lesson(word: str, lessons: Sequence[str]) -> bool:
    """Return whether a word means a lesson, by its name or its number."""
    return word in lessons or (word.isdecimal() and any(int(name[:2]) == int(word) for name in lessons))
