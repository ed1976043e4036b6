"""List the submissions in submitted/ by their folders' names, without reading any of the files."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from autograder.course.settings import Course


class Entry(NamedTuple):
    """The student's id and the lesson's name, which together identify a submission.

    A submission is normally a folder, but it can be any kind of file.
    """

    student: str
    lesson: str

    def __str__(self) -> str:
        return f"{self.student}/{self.lesson}"


def find_submissions(course: Course, lessons: Iterable[str], students: Iterable[str] = ()) -> list[Entry]:
    """Return the submissions for the given lessons, sorted by student id.

    Files that are not folders are included, because the intake decides about them later.
    """
    if not course.submitted.is_dir():
        return []
    excluded_ids = {name.strip() for name in course.directory.student_id_exclude.split(",")}
    names = sorted(entry.name for entry in os.scandir(course.submitted) if not entry.name.startswith("."))
    wanted_names = set(students) or set(names)
    return [
        Entry(name, lesson)
        for lesson in lessons
        for name in names
        if name in wanted_names - excluded_ids and os.path.lexists(course.submitted / name / lesson)
    ]
