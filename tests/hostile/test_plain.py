"""The hostile submissions, handed in for an assignment with ordinary nbgrader tests, graded in one batch.

The assignment's tests run in the student's process, so a verdict can be forged. But no other student's score
may change, nothing outside may be read or written, and the batch must end.
"""

import html
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.gradebook.entries import find_submissions
from autograder.grading.batch import RunOutcome, grade
from autograder.workers.executors import LocalWorkers
from tests.hostile.cases import Case, load_all, write
from tests.hostile.stock import deserved_points, variant_of
from tests.hostile.world import BAIT, LESSON, POINTS, REPOSITORY, RIGHT, WRONG, World
from tests.support.plain_course import answer, code, graded, notebook, write_assignment

FULL = sum(POINTS.values())
HONEST = {"0_first": FULL, "M_middle": FULL, "Z_last": FULL, "Z_wrong": 0.0}
#: Time limit for one cell in seconds; it is low, because some submissions wait for it.
CELL_SECONDS = 2
STUB = "def {}(x):\n    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION"
TESTS = {
    "grad_square": "assert torch.allclose(grad_square(torch.tensor([1.0, 3.0])), torch.tensor([2.0, 6.0]))\n"
    "assert torch.allclose(grad_square(torch.tensor([-2.0])), torch.tensor([-4.0]))",
    "slope_at": "assert abs(slope_at(3.0) - 6.0) < 1e-6",
    "doubled": "given = torch.tensor([1.0, 2.0])\nvalues, total = doubled(given)\n"
    "assert values.tolist() == [2.0, 4.0]\nassert total == 6.0\nassert given.tolist() == [1.0, 2.0]\n"
    "assert doubled(torch.tensor([4.0]))[1] == 8.0",
}
HIDDEN = {
    "slope_at": "\n### BEGIN HIDDEN TESTS\nsecret = 'CANARY-hidden-slope-27'\n"
    "assert abs(slope_at(-1.5) + 3.0) < 1e-6, secret\n### END HIDDEN TESTS"
}
#: The unearned points that hostile submissions get, by case; docs/trust.md counts these cases.
FORGED = {"A04": 2.0, "A06": 2.0}
#: Cases with right answers between cells that never end. In a lesson, such cells use up the submission's
#: time. Here, as with nbgrader, each of these cells is interrupted, and the answers count.
EARNED = ("X37",)
#: Cases that wait for a time limit, or use up the resources of a container.
COSTLY = ("C01", "C06", "C10", "X96", "X109")


@dataclass(frozen=True)
class PlainWorld(World):
    """A course directory whose assignment has the lesson's name, but ordinary nbgrader tests."""

    @classmethod
    def create(cls, root: Path, bait: bool = True) -> "PlainWorld":
        """Write the assignment as an instructor would."""
        world = cls(root)
        write_assignment(root / "source", LESSON, {LESSON: world.source})
        shutil.copy(REPOSITORY / "nbgrader_config.py", root)
        local = f"c = get_config()\nc.Execute.timeout = {CELL_SECONDS}\n"
        (root / "nbgrader_config_local.py").write_text(local)
        return world

    @cached_property
    def source(self) -> NotebookNode:
        """The instructor's notebook."""
        return self._make_notebook(STUB, HIDDEN)

    @cached_property
    def releases(self) -> dict[Any, NotebookNode]:
        """The notebook that students are given, by language."""
        stub = "def {}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
        release = self._make_notebook(stub, {})
        return {"en": release, "ko": release}

    def hidden_lines(self) -> set[str]:
        """Return the distinctive lines of the hidden tests."""
        lines = "\n".join(HIDDEN.values()).splitlines()
        return {line.strip() for line in lines if len(line.strip()) > 25 and "###" not in line}

    @staticmethod
    def _make_notebook(stub: str, hidden: dict[str, str]) -> NotebookNode:
        cells = [code("import torch")]
        for task, points in POINTS.items():
            cells.append(answer(task, stub.format(task)))
            cells.append(graded(f"test_{task}", TESTS[task] + hidden.get(task, ""), points))
        return notebook(*cells)


def select_cases(deep: bool) -> list[Case]:
    """Return all cases in a deep run, else those that try to get points, read secrets or use up resources."""
    cases = load_all().values()
    if deep:
        return list(cases)
    quick = [case for case in cases if case.group in "AB" and not case.limits and not case.container_limits]
    return quick + [case for case in cases if case.id in COSTLY]


@dataclass
class GradedClass:
    """The class of students after the grading run."""

    root: Path
    cases: dict[str, Case]
    summary: RunOutcome

    @cached_property
    def scores(self) -> dict[str, float]:
        """Each student's score in the gradebook."""
        with Gradebook(f"sqlite:///{self.root}/gradebook.db", "secant") as book:
            return {
                submission.student.id: submission.score for submission in book.assignment_submissions(LESSON)
            }

    def page(self, student: str) -> str:
        """Return the HTML of a student's feedback page."""
        return (self.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory, deep: bool) -> Iterator[GradedClass]:
    root = tmp_path_factory.mktemp("plain")
    world = PlainWorld.create(root)
    for student, score in HONEST.items():
        submission = world.notebook(RIGHT if score else WRONG, last="# CANARY-other-student-31c0")
        write(submission, root / "submitted" / student / LESSON)
    cases = {f"{case.id}-{variant_of(case)}": case for case in select_cases(deep)}
    for student, case in cases.items():
        write(case.make(world, case.answers(variant_of(case))), root / "submitted" / student / LESSON)
    course = Course.at(root)
    with Book(course.directory, course.config):
        pass  # creates the gradebook; nbgrader's own program takes seconds
    workers = LocalWorkers(1)
    try:
        yield GradedClass(root, cases, grade(course, find_submissions(course, [LESSON]), workers))
    finally:
        workers.close(kill=True)


def assert_every_student_has_a_result(graded_class: GradedClass) -> None:
    assert graded_class.summary.failed == {}
    assert graded_class.summary.done == len(graded_class.cases) + len(HONEST)


def assert_honest_scores_are_unchanged(graded_class: GradedClass) -> None:
    assert {student: graded_class.scores[student] for student in HONEST} == HONEST


def assert_unearned_points_are_those_in_trust_md(graded_class: GradedClass) -> None:
    highest = {
        student: deserved_points(case, variant_of(case))[1] for student, case in graded_class.cases.items()
    }
    forged = {
        graded_class.cases[student].id: graded_class.scores[student]
        for student, points in highest.items()
        if graded_class.scores[student] > points and graded_class.cases[student].id not in EARNED
    }
    assert forged == FORGED


def assert_no_page_shows_a_secret(graded_class: GradedClass) -> None:
    for student in graded_class.cases:
        page = graded_class.page(student)
        assert re.findall(BAIT + r"(?:hidden|other|gradebook|environment)[\w-]+", page) == []
        words = html.unescape(re.sub("<[^>]+>", "", page))
        assert [line for line in PlainWorld(graded_class.root).hidden_lines() if line in words] == []


def assert_no_page_runs_a_script(graded_class: GradedClass) -> None:
    for student in graded_class.cases:
        page = graded_class.page(student)
        assert "<script>alert" not in page
        assert "onerror=alert(1)>" not in page.replace("&gt;", "")
        assert len(page) < 5_000_000


def assert_nothing_was_written_outside(graded_class: GradedClass) -> None:
    assert not list(graded_class.root.rglob("pwned"))
    assert not Path("/tmp/SECANT-pwned").exists()


@pytest.mark.whole
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_hostile_submissions_of_a_plain_assignment_harm_nobody(graded_class: GradedClass) -> None:
    """All checks are one test, because grading the class takes most of the time."""
    for check in (
        assert_every_student_has_a_result,
        assert_honest_scores_are_unchanged,
        assert_unearned_points_are_those_in_trust_md,
        assert_no_page_shows_a_secret,
        assert_no_page_runs_a_script,
        assert_nothing_was_written_outside,
    ):
        check(graded_class)
