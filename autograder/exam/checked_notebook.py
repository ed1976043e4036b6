"""A user's notebook to be checked: which lesson it belongs to, and which answers it contains.

This module does not import torch, so that web pages that use the module do not have to wait for that slow
import.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.assignment import (
    Assignment,
    NotBuilt,
    built_lessons,
    find_course,
    read_assignment,
    release_paths,
)
from autograder.course.cells import Task, grade_id, tasks
from autograder.course.errors import CourseError
from autograder.course.lesson import find_lessons
from autograder.course.solutions import WorkedSolution, worked_solutions
from autograder.exam.own_tests import has_plain_tests, is_graded, own_assignment
from autograder.intake.files import MAX_FILE_BYTES
from autograder.intake.submission import Rejected, Script
from autograder.intake.take_in import take_in
from secant.language import LANGUAGES, Language, say, supported_language
from secant.where import has_hidden_tests


class CheckError(CourseError):
    """Raised for a notebook that cannot be checked. The message is addressed to the user."""


class NoLesson(CheckError):
    """Raised for a notebook that does not belong to a lesson."""


class PlainNotebook(NoLesson):
    """Raised for a notebook with ordinary nbgrader tests, which Secant's checks cannot judge.

    Args:
        notebook: the notebook file.
        has_tests: whether the notebook contains visible tests.
    """

    def __init__(self, notebook: Path, *, has_tests: bool = True) -> None:
        name, self.has_tests = notebook.name, has_tests
        if has_tests:
            super().__init__(
                say(
                    en=f"{name} is an assignment of your course's own, with ordinary nbgrader tests. In a "
                    f"terminal, `autograder check {name}` runs the visible ones, outside of your kernel. "
                    "That is no grade: your instructor grades it.",
                    ko=f"{name}: 수업에서 따로 낸 nbgrader 과제입니다. 터미널에서 `autograder check {name}` "
                    "명령을 쓰면 보이는 테스트를 커널과 따로 실행해 줍니다. 성적은 아닙니다. 채점은 강사가 "
                    "합니다.",
                )
            )
        else:
            super().__init__(
                say(
                    en=f"{name} is an assignment of your course's own. No test in it can be run: a person "
                    "grades it.",
                    ko=f"{name}: 수업에서 따로 낸 과제입니다. 실행할 테스트가 없고, 사람이 채점합니다.",
                )
            )


@dataclass(frozen=True)
class CheckedNotebook:
    """A notebook that has been read, and the lesson that it answers.

    Attributes:
        path: the notebook file.
        root: the course directory; None if there is no course or the course does not have this lesson.
        assignment: the assignment with the tests to run. In the class edition of the course (without hidden
            tests), these are the visible tests in the notebook's language. Without a course, they are the
            notebook's own tests.
        script: the code to run.
    """

    path: Path
    root: Path | None
    assignment: Assignment
    script: Script

    @property
    def hidden(self) -> bool:
        """True if the hidden tests are available."""
        return self.root is not None and has_hidden_tests(self.root)

    @property
    def language(self) -> Language:
        """The notebook's language."""
        return supported_language(self.script.language)

    @property
    def tasks(self) -> list[Task]:
        """The lesson's tasks, in order."""
        return tasks(self.assignment.source)

    @property
    def release(self) -> NotebookNode:
        """The released notebook that the learner received, in the notebook's language."""
        return self.assignment.releases[self.language]

    @property
    def answers(self) -> dict[str, str]:
        """The code of the answers, keyed by task."""
        return {step.task: step.source for step in self.script.steps if step.task}

    def solution(self, task: str) -> WorkedSolution:
        """Return the worked solution of a task.

        Raises:
            CheckError: the task has no worked solution, or solutions are not on this computer.
        """
        if not self.hidden:
            raise CheckError(
                say(
                    en="Worked solutions are not on this computer. Your instructor releases them with the "
                    "feedback.",
                    ko="모범 풀이는 이 컴퓨터에 없습니다. 강사가 피드백과 함께 공개합니다.",
                )
            )
        solutions: dict[str, WorkedSolution] = {}
        if self.root is not None:
            lessons = {lesson.name: lesson for lesson in find_lessons(self.root)}
            if lesson := lessons.get(self.assignment.lesson):
                solutions = worked_solutions(lesson, self.assignment.source)
        if task not in solutions:
            names = ", ".join(solutions)
            message = say(
                en=f'There is no worked solution of "{task}".', ko=f'"{task}"의 모범 풀이가 없습니다.'
            )
            suggestion = say(en=f" Tasks that have one: {names}.", ko=f" 풀이가 있는 과제: {names}.")
            raise CheckError(message + suggestion if names else message)
        return solutions[task]


class NotebookReader:
    """A reader of notebooks. It caches the lessons that it has read, until their files change."""

    def __init__(self) -> None:
        self._assignments: dict[tuple[Path, str, str], tuple[object, Assignment]] = {}

    def read(self, notebook: Path, below: Path | None = None) -> CheckedNotebook:
        """Read a notebook, and identify its lesson.

        Args:
            notebook: the notebook file.
            below: a folder that must contain the file; the path below this folder must not contain links. If
                `below` is None, links are followed.

        Raises:
            PlainNotebook: the notebook's tests are ordinary nbgrader tests.
            NoLesson: the notebook belongs to no lesson.
            CheckError: the notebook cannot be read.
        """
        path = _resolve_file(notebook) if below is None else notebook
        if has_plain_tests(path, below):
            raise PlainNotebook(path)
        try:
            root = find_course(path.parent, Path.cwd())
        except CourseError:
            root = None
        assignment = self._recognise(path, root) if root else None
        if assignment is None:
            root, assignment = None, _assignment_from_own_tests(path, below)
        outcome = take_in(path, assignment.lesson, assignment.releases, below)
        if isinstance(outcome, Rejected):
            raise CheckError(f"{path.name}: {refusal(outcome)}")
        if root is not None and not has_hidden_tests(root):
            assignment = self._assignment(root, assignment.lesson, f"release/{outcome.language}")
        return CheckedNotebook(path, root, assignment, outcome.script)

    def _recognise(self, path: Path, root: Path) -> Assignment | None:
        """Return the lesson that shares the most graded cells with a notebook; None if no lesson matches.

        If several lessons share equally many cells, or if none shares any, a lesson whose name is part of the
        file's name is preferred.
        """
        ids = _grade_ids(path)
        candidates = [
            (name, folder) for folder in _test_folders(root) for name in built_lessons(root, folder)
        ]
        # Lessons whose name is part of the file's name come first, because they are most likely to match.
        candidates.sort(key=lambda candidate: candidate[0].casefold() not in path.name.casefold())
        best_assignment, best_score = None, (0, False)
        for name, folder in candidates:
            try:
                assignment = self._assignment(root, name, folder)
            # A lesson that is not built is skipped. `autograder grade` reports it to the instructor.
            except NotBuilt:
                continue
            graded_ids = _graded_ids(assignment)
            score = (len(ids & graded_ids), name.casefold() in path.name.casefold())
            if score > best_score:
                best_assignment, best_score = assignment, score
            if 2 * score[0] > len(ids):  # more than half match: no other lesson can share as many
                break
        return best_assignment

    def _assignment(self, root: Path, lesson: str, folder: str) -> Assignment:
        """Return the assignment of a lesson. Its files are read again only if they have changed."""
        stamp = tuple(_stamps(root, lesson))
        key = (root, lesson, folder)
        if key not in self._assignments or self._assignments[key][0] != stamp:
            self._assignments[key] = stamp, read_assignment(root, lesson, folder)
        return self._assignments[key][1]


def _test_folders(root: Path) -> list[str]:
    """Return the folders of the notebooks that contain the tests to run.

    These are the instructor's notebooks or, in the class edition of the course (without hidden tests), the
    released notebooks.
    """
    return ["source"] if has_hidden_tests(root) else [f"release/{language}" for language in LANGUAGES]


def worked_solution(notebook: Path, task: str) -> tuple[WorkedSolution, Language, str]:
    """Return the worked solution of a task, the language of the user's notebook, and the lesson's name.

    Raises:
        CheckError: the file is not a notebook of this course, or the task has no worked solution.
    """
    checked_notebook = NotebookReader().read(notebook)
    return checked_notebook.solution(task), checked_notebook.language, checked_notebook.assignment.lesson


def _assignment_from_own_tests(path: Path, below: Path | None) -> Assignment:
    """Return an assignment that consists of the tests in the notebook itself.

    Raises:
        NoLesson: the notebook has no test that uses Secant's checks, or the notebook is damaged.
    """
    assignment = own_assignment(path, below)
    if isinstance(assignment, Assignment):
        return assignment
    if assignment is None and is_graded(path, below):
        raise PlainNotebook(path, has_tests=False)
    if assignment is not None:
        raise NoLesson(f"{path.name}: {refusal(assignment)}")
    raise NoLesson(
        say(
            en=f"{path.name} is not a notebook of the course.",
            ko=f"{path.name}: 수업 노트북이 아닙니다.",
        )
    )


def refusal(rejection: Rejected) -> str:
    """Return the reason for a rejection, worded for a user who checks a notebook and does not hand it in."""
    match rejection.reason:
        case "empty":
            return say(
                en="The file is empty. Save the notebook and check again.",
                ko="파일이 비어 있습니다. 노트북을 저장한 뒤 다시 확인하세요.",
            )
        case "too_large":
            megabytes = MAX_FILE_BYTES // 1_000_000
            return say(
                en=f"The file is larger than {megabytes} MB. Clear the outputs, make pasted pictures "
                "smaller, save and check again.",
                ko=f"파일이 {megabytes} MB보다 큽니다. 출력을 모두 지우고, 붙여 넣은 그림이 있으면 "
                "크기를 줄인 뒤 저장해서 다시 확인하세요.",
            )
        case _:
            return rejection.message


def _stamps(root: Path, lesson: str) -> Iterator[tuple[str, int, int]]:
    for path in (root / "source" / lesson / f"{lesson}.ipynb", *release_paths(root, lesson)):
        try:
            status = path.stat()
        except OSError:
            continue
        yield str(path), status.st_mtime_ns, status.st_size


def _resolve_file(notebook: Path) -> Path:
    path = notebook.resolve()  # a link to a user's own file is allowed
    if not path.is_file():
        raise CheckError(
            say(en=f"{notebook} is not a file.", ko=f"{notebook}: 파일이 아닙니다.")
            if path.exists()
            else say(en=f"There is no {notebook}.", ko=f"{notebook}: 없는 파일입니다.")
        )
    return path


def _graded_ids(assignment: Assignment) -> set[str]:
    return {grade_id(cell) for cell in assignment.source.cells} - {""}


def _grade_ids(path: Path) -> set[str]:
    """Return the grade ids in a file, as found by a quick search of its text.

    They are only used to recognise the lesson. The intake parses the file properly afterwards.
    """
    with open(path, "rb") as file:
        text = file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
    return set(re.findall(r'"grade_id"\s*:\s*"([^"\\]*)"', text))
