"""A class in which nearly all students are hostile, graded in one run.

test_hostile.py tests each submission separately. The tests here are about a submission's effects on the other
students, on the run as a whole, and on the people who read its results.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.gradebook.entries import find_submissions
from autograder.grading.batch import RunOutcome, grade
from autograder.workers.executors import LocalWorkers
from tests.hostile.cases import Case, load_all, write
from tests.hostile.stock import unearned, variant_of
from tests.hostile.world import BAIT, LESSON, POINTS, RIGHT, WRONG, World

FULL = sum(POINTS.values())
HONEST = {"0_first": FULL, "M_middle": FULL, "Z_last": FULL, "Z_wrong": 0.0}

#: Cases that wait for no time limit; test_hostile.py has the others. The deep tests take all of these cases,
#: the other tests every fifth.
BATCH_CASES = [
    case
    for id, case in load_all().items()
    if (not case.limits and not case.container_limits and case.group in "ABD")
    or id in ("C10", "E14", "E37", "X01", "X03", "X04", "X05", "X07", "X08", "X09", "X30", "X41", "X51")
    or "X80" <= id <= "X86"
]


@dataclass
class GradedClass:
    """The class of students after the grading run."""

    root: Path
    cases: dict[str, Case]
    summary: RunOutcome

    def page(self, student: str) -> str:
        return (self.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory, deep: bool) -> Iterator[GradedClass]:
    root = tmp_path_factory.mktemp("class")
    world = World.create(root, bait=False)
    cases = {f"{case.id}-{variant_of(case)}": case for case in BATCH_CASES[:: 1 if deep else 5]}
    for student, score in HONEST.items():
        secret = "# CANARY-other-student-31c0"
        answers = RIGHT if score else WRONG
        write(world.notebook(answers, last=secret), root / "submitted" / student / LESSON)
    for student, case in cases.items():
        submission = case.make(world, case.answers(variant_of(case)))
        write(submission, root / "submitted" / student / LESSON)
    write(world.notebook(RIGHT), root / "submitted" / "bad;id" / LESSON)
    course = Course.at(root)
    with Book(course.directory, course.config):
        pass  # creates the gradebook; nbgrader's own program takes seconds
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        book.add_student("0_first", last_name="CANARY-gradebook-9d2e")
    workers = LocalWorkers(1)
    try:
        yield GradedClass(root, cases, grade(course, find_submissions(course, [LESSON]), workers))
    finally:
        workers.close(kill=True)


def scores(root: Path) -> dict[str, float]:
    """Return the scores in nbgrader's gradebook."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        return {submission.student.id: submission.score for submission in book.assignment_submissions(LESSON)}


def assert_every_student_has_a_result(graded_class: GradedClass) -> None:
    assert graded_class.summary.failed == {}
    assert graded_class.summary.done == len(graded_class.cases) + len(HONEST) + 1


def assert_scores_are_earned(graded_class: GradedClass) -> None:
    actual = scores(graded_class.root)
    assert unearned(graded_class.cases, actual) == {}
    assert {student: actual[student] for student in HONEST} == HONEST


def assert_odd_student_id_is_rejected(graded_class: GradedClass) -> None:
    (row,) = [row for row in graded_class.summary.as_json() if "odd_student_id" in row["flags"]]
    assert {task["outcome"] for task in row["tasks"]} == {"rejected"}
    assert not (graded_class.root / "feedback" / "bad;id").exists()


def assert_staff_see_the_flags(graded_class: GradedClass) -> None:
    rows = {row["student"]: row for row in graded_class.summary.as_json()}
    for student, case in graded_class.cases.items():
        assert set(case.flags) <= set(rows[student]["flags"])
        if case.reason:
            assert any(
                flag.removeprefix("rejected:") in case.reason.split("|") for flag in rows[student]["flags"]
            )


def assert_no_page_shows_a_secret(graded_class: GradedClass) -> None:
    lines = World(graded_class.root).hidden_lines()
    for student in graded_class.cases:
        page = graded_class.page(student)
        assert re.findall(BAIT + r"(?:hidden|other|gradebook|environment)[\w-]+", page) == []
        words = html.unescape(re.sub("<[^>]+>", "", page))  # highlighting splits a line into HTML elements
        assert [line for line in lines if line in words] == []


def assert_no_page_or_notebook_runs_a_script(graded_class: GradedClass) -> None:
    for student in graded_class.cases:
        page = graded_class.page(student)
        assert "<script>alert" not in page
        assert "onerror=alert(1)>" not in page.replace("&gt;", "")
        assert "\x1b" not in page
        for path in (graded_class.root / "autograded" / student).rglob("*.ipynb"):
            assert '"text/html"' not in path.read_text()


def assert_page_sizes_are_bounded(graded_class: GradedClass) -> None:
    assert max(len(graded_class.page(student)) for student in graded_class.cases) < 5_000_000


def assert_nothing_was_written_outside(graded_class: GradedClass) -> None:
    assert not list(graded_class.root.rglob("pwned"))
    assert not Path("/tmp/SECANT-pwned").exists()


def assert_second_run_changes_nothing(graded_class: GradedClass) -> None:
    before = scores(graded_class.root)
    course = Course.at(graded_class.root)

    class NoWorkers:
        slots = 1

        def submit(self, work: Any, job: Any) -> Any:
            raise AssertionError(f"{job.student} is graded again")

        def settle(self, future: Any) -> None: ...

        def close(self, kill: bool = False) -> None: ...

    summary = grade(course, find_submissions(course, [LESSON]), NoWorkers())
    assert summary.failed == {}
    assert summary.graded_before == len(graded_class.cases) + len(HONEST)
    assert scores(graded_class.root) == before


@pytest.mark.costly("a class of hostile and honest students, behind one wall")
@pytest.mark.slow
def test_class_of_hostile_students_gets_earned_scores_and_learns_no_secret(graded_class: GradedClass) -> None:
    """All checks are one test, because grading the class takes most of the time."""
    for check in (
        assert_every_student_has_a_result,
        assert_scores_are_earned,
        assert_odd_student_id_is_rejected,
        assert_staff_see_the_flags,
        assert_no_page_shows_a_secret,
        assert_no_page_or_notebook_runs_a_script,
        assert_page_sizes_are_bounded,
        assert_nothing_was_written_outside,
        assert_second_run_changes_nothing,
    ):
        check(graded_class)
