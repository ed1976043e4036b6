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
CHOSEN = [
    case
    for id, case in load_all().items()
    if (not case.limits and not case.room and case.group in "ABD")
    or id in ("C10", "E14", "E37", "X01", "X03", "X04", "X05", "X07", "X08", "X09", "X30", "X41", "X51")
    or "X80" <= id <= "X86"
]


@dataclass
class Graded:
    """The class after the grading run."""

    root: Path
    cases: dict[str, Case]
    summary: RunOutcome

    def page(self, student: str) -> str:
        return (self.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, deep: bool) -> Iterator[Graded]:
    root = tmp_path_factory.mktemp("class")
    world = World.create(root, bait=False)
    cases = {f"{case.id}-{variant_of(case)}": case for case in CHOSEN[:: 1 if deep else 5]}
    for student, score in HONEST.items():
        secret = "# CANARY-other-student-31c0"
        answers = RIGHT if score else WRONG
        write(world.notebook(answers, last=secret), root / "submitted" / student / LESSON)
    for student, case in cases.items():
        made = case.make(world, case.answers(variant_of(case)))
        write(made, root / "submitted" / student / LESSON)
    write(world.notebook(RIGHT), root / "submitted" / "bad;id" / LESSON)
    course = Course.at(root)
    with Book(course.directory, course.config):
        pass  # creates the gradebook; nbgrader's own program takes seconds
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        book.add_student("0_first", last_name="CANARY-gradebook-9d2e")
    crew = LocalWorkers(1)
    try:
        yield Graded(root, cases, grade(course, find_submissions(course, [LESSON]), crew))
    finally:
        crew.close(kill=True)


def scores(root: Path) -> dict[str, float]:
    """Return the scores in nbgrader's gradebook."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        return {s.student.id: s.score for s in book.assignment_submissions(LESSON)}


def the_run_finished_and_everybody_has_a_result(graded: Graded) -> None:
    assert graded.summary.failed == {}
    assert graded.summary.done == len(graded.cases) + len(HONEST) + 1


def everybody_has_the_score_that_was_earned(graded: Graded) -> None:
    found = scores(graded.root)
    assert unearned(graded.cases, found) == {}
    assert {student: found[student] for student in HONEST} == HONEST


def an_odd_student_id_is_listed_and_goes_nowhere(graded: Graded) -> None:
    (row,) = [row for row in graded.summary.as_json() if "odd_student_id" in row["flags"]]
    assert {task["outcome"] for task in row["tasks"]} == {"rejected"}
    assert not (graded.root / "feedback" / "bad;id").exists()


def staff_see_the_flags(graded: Graded) -> None:
    rows = {row["student"]: row for row in graded.summary.as_json()}
    for student, case in graded.cases.items():
        assert set(case.flags) <= set(rows[student]["flags"])
        if case.reason:
            assert any(
                flag.removeprefix("rejected:") in case.reason.split("|") for flag in rows[student]["flags"]
            )


def no_page_shows_a_secret(graded: Graded) -> None:
    lines = World(graded.root).hidden_lines()
    for student in graded.cases:
        page = graded.page(student)
        assert re.findall(BAIT + r"(?:hidden|other|gradebook|environment)[\w-]+", page) == []
        words = html.unescape(re.sub("<[^>]+>", "", page))  # the highlighter splits lines into elements
        assert [line for line in lines if line in words] == []


def no_page_and_no_notebook_runs_a_script_of_a_student(graded: Graded) -> None:
    for student in graded.cases:
        page = graded.page(student)
        assert "<script>alert" not in page
        assert "onerror=alert(1)>" not in page.replace("&gt;", "")
        assert "\x1b" not in page
        for path in (graded.root / "autograded" / student).rglob("*.ipynb"):
            assert '"text/html"' not in path.read_text()


def pages_are_of_bounded_size(graded: Graded) -> None:
    assert max(len(graded.page(student)) for student in graded.cases) < 5_000_000


def nothing_was_written_outside(graded: Graded) -> None:
    assert not list(graded.root.rglob("pwned"))
    assert not Path("/tmp/SECANT-pwned").exists()


def a_second_run_grades_nothing_and_changes_nothing(graded: Graded) -> None:
    before = scores(graded.root)
    course = Course.at(graded.root)

    class Nobody:
        places = 1

        def submit(self, work: Any, job: Any) -> Any:
            raise AssertionError(f"{job.student} is graded again")

        def settle(self, future: Any) -> None: ...

        def close(self, kill: bool = False) -> None: ...

    summary = grade(course, find_submissions(course, [LESSON]), Nobody())
    assert summary.failed == {}
    assert summary.graded_before == len(graded.cases) + len(HONEST)
    assert scores(graded.root) == before


@pytest.mark.costly("a class of hostile and honest students, behind one wall")
@pytest.mark.slow
def test_class_of_hostile_students_gets_earned_scores_and_learns_no_secret(graded: Graded) -> None:
    """All checks are one test, because grading the class takes most of the time."""
    for check in (
        the_run_finished_and_everybody_has_a_result,
        everybody_has_the_score_that_was_earned,
        an_odd_student_id_is_listed_and_goes_nowhere,
        staff_see_the_flags,
        no_page_shows_a_secret,
        no_page_and_no_notebook_runs_a_script_of_a_student,
        pages_are_of_bounded_size,
        nothing_was_written_outside,
        a_second_run_grades_nothing_and_changes_nothing,
    ):
        check(graded)
