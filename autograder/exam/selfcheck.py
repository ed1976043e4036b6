"""Checking one's own notebook: the intake and the examiner of the real grading, without its wall.

    with Checker() as checker:
        report = checker.check(Path("01_what_autograd_does.ipynb"))

The code runs as its author, in a process of its own. Nothing is sent anywhere; the notebook stays as it is.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from autograder.course.assignment import Assignment, built_lessons, find_course, read_assignment
from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.lesson import find_lessons
from autograder.course.solutions import WorkedSolution, worked_solutions
from autograder.exam.examiner import Examiner
from autograder.exam.pool import WarmPool
from autograder.exam.report import Report
from autograder.intake.files import MAX_FILE_BYTES
from autograder.intake.submission import Rejected, Script
from autograder.intake.take_in import take_in
from autograder.sandbox.client import CandidateClient
from secant.language import Language


class CheckError(CourseError):
    """This notebook cannot be checked. The message is for its author."""


class OwnProcesses:
    """What stands in the wall's place: processes of the author's own."""

    def __init__(self, waiting: WarmPool) -> None:
        self._waiting = waiting

    def candidate(self) -> CandidateClient:
        """A new candidate; use it in a `with` statement."""
        return CandidateClient(self._waiting.take)


class Checker:
    """Checks notebooks, one after another. What it has read and started for one serves the next.

    Args:
        waiting: the processes to use.
        keep_warm: whether to start the next process after each check.
    """

    def __init__(self, waiting: WarmPool | None = None, *, keep_warm: bool = True) -> None:
        self._waiting = waiting or WarmPool()
        self._wall = OwnProcesses(self._waiting)
        self._keep_warm = keep_warm
        self._assignments: dict[Path, list[Assignment]] = {}
        self._examiners: dict[tuple[Path, str], Examiner] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that wait."""
        self._waiting.close()

    def check(self, notebook: Path) -> Report:
        """Grade a notebook as the class's own grading would.

        Raises:
            CheckError: it is not a notebook of this course.
            CourseError: there is no course.
            WallError: no process could be started.
        """
        path = _file(notebook)
        root = find_course(path.parent, Path.cwd())
        if root not in self._assignments:
            self._assignments[root] = _all_assignments(root)
        assignment = _recognise(path, root, self._assignments[root])
        script = _read(path, assignment)
        try:
            return self._examiner(root, assignment).grade(self._wall, script)
        finally:
            if self._keep_warm:
                self._waiting.refill()

    def _examiner(self, root: Path, assignment: Assignment) -> Examiner:
        key = (root, assignment.lesson)
        if key not in self._examiners:
            self._examiners[key] = Examiner(assignment.lesson, assignment.source)
        return self._examiners[key]


def worked_solution(notebook: Path, task: str) -> tuple[WorkedSolution, Language]:
    """Return the worked solution of a task, and the language of the notebook that asks for it.

    Raises:
        CheckError: it is not a notebook of this course, or there is no such solution.
        CourseError: there is no course.
    """
    path = _file(notebook)
    root = find_course(path.parent, Path.cwd())
    assignment = _recognise(path, root, _all_assignments(root))
    script = _read(path, assignment)
    lessons = {lesson.name: lesson for lesson in find_lessons(root)}
    found = worked_solutions(lessons[assignment.lesson], assignment.source)
    if task not in found:
        raise CheckError(f'There is no worked solution of "{task}"; there are: {", ".join(found) or "none"}.')
    return found[task], script.language


def _file(notebook: Path) -> Path:
    path = notebook.resolve()  # a link to one's own file is fine
    if not path.is_file():
        raise CheckError(f"{notebook} is not a file." if path.exists() else f"There is no {notebook}.")
    return path


def _all_assignments(root: Path) -> list[Assignment]:
    return [read_assignment(root, lesson) for lesson in built_lessons(root)]


def _recognise(path: Path, root: Path, assignments: Sequence[Assignment]) -> Assignment:
    """Return the lesson whose graded cells the notebook has, or else the one whose name it has."""
    marks = _grade_ids(path)
    found = [
        (len(marks & _graded(assignment)), assignment.lesson.casefold() in path.name.casefold(), assignment)
        for assignment in assignments
    ]
    shared, named, assignment = max(found, key=lambda entry: entry[:2], default=(0, False, None))
    if assignment is None or not (shared or named):
        raise CheckError(f"{path.name} is not a notebook of the course in {root}.")
    return assignment


def _read(path: Path, assignment: Assignment) -> Script:
    taken = take_in(path, assignment.lesson, assignment.releases)
    if isinstance(taken, Rejected):
        raise CheckError(f"{path.name}: {taken.message}")
    return taken.script


def _graded(assignment: Assignment) -> set[str]:
    return {grade_id(cell) for cell in assignment.source.cells} - {""}


def _grade_ids(path: Path) -> set[str]:
    """The grade ids that a file seems to hold; the intake looks closer."""
    text = path.read_bytes()[:MAX_FILE_BYTES].decode("utf-8", "replace")
    return set(re.findall(r'"grade_id"\s*:\s*"([^"\\]*)"', text))
