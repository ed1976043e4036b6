"""The assignments that a course can grade: its lessons and its plain nbgrader assignments."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.course.errors import CourseError
from autograder.course.lesson import choose_lessons, find_lessons
from autograder.course.plain import plain_assignments


class Gradable(NamedTuple):
    """The names of the assignments that a course can grade.

    Attributes:
        lessons: the names of the lessons, in order.
        plain: the names of the assignments with ordinary nbgrader tests, in order.
    """

    lessons: Sequence[str]
    plain: Sequence[str]

    @property
    def names(self) -> list[str]:
        """The names of all lessons and plain assignments."""
        return [*self.lessons, *self.plain]

    @property
    def listing(self) -> str:
        """The names of all lessons and plain assignments, as a phrase for a message."""
        lessons = ", ".join(self.lessons) or "none yet"
        other_names = f"; the other assignments are: {', '.join(self.plain)}" if self.plain else ""
        return f"the lessons are: {lessons}{other_names}"


def find_gradable(root: Path, source: str = "source") -> Gradable:
    """Return the names of the assignments that a course can grade."""
    return Gradable([lesson.name for lesson in find_lessons(root)], plain_assignments(root, source))


def choose_gradable(root: Path, words: Sequence[str], source: str = "source") -> list[str]:
    """Return the names of the assignments that `words` selects. If `words` is empty, all are selected.

    Args:
        root: the course directory.
        words: lesson numbers or folder names.
        source: the folder of the instructor's notebooks.

    Raises:
        CourseError: a word matches no lesson or assignment.
    """
    gradable = find_gradable(root, source)
    if not words:
        return gradable.names
    chosen_names: set[str] = set()
    for word in words:
        if word in gradable.plain:
            chosen_names.add(word)
        elif gradable.plain and not _is_lesson(word, gradable.lessons):
            raise CourseError(f'There is no lesson or assignment "{word}"; {gradable.listing}.')
        else:
            chosen_names |= {lesson.name for lesson in choose_lessons(find_lessons(root), [word])}
    return [name for name in gradable.names if name in chosen_names]


def _is_lesson(word: str, lessons: Sequence[str]) -> bool:
    return word in lessons or (word.isdecimal() and any(int(name[:2]) == int(word) for name in lessons))
