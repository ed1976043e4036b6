"""What was handed in: a list, before anything of it is read."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from autograder.course.settings import Course


class Entry(NamedTuple):
    """One submission: a folder, or something in a folder's place."""

    student: str
    lesson: str

    def __str__(self) -> str:
        return f"{self.student}/{self.lesson}"


def find_submissions(course: Course, lessons: Iterable[str], students: Iterable[str] = ()) -> list[Entry]:
    """Return what was handed in, by student; whatever it is, for the intake judges it."""
    if not course.submitted.is_dir():
        return []
    excluded = {name.strip() for name in course.directory.student_id_exclude.split(",")}
    names = sorted(entry.name for entry in os.scandir(course.submitted) if not entry.name.startswith("."))
    wanted = set(students) or set(names)
    return [
        Entry(name, lesson)
        for lesson in lessons
        for name in names
        if name in wanted - excluded and os.path.lexists(course.submitted / name / lesson)
    ]
