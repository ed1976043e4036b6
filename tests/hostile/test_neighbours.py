"""Honest students, whose answers nearly reach the time limits, graded together with hostile students.

In the deep test, other processes keep the machine busy, too. A benchmark measures how long a class takes
(benchmarks/neighbours.py).
"""

import os
from pathlib import Path

import pytest

from autograder.course.settings import Course
from tests.hostile.crowd import FEW, FULL, HOSTILE, grade_class, make_class
from tests.hostile.world import LESSON
from tests.support.busy import busy_machine


def assert_no_points_lost(course: Course, size: int) -> None:
    summary, megabytes = grade_class(course)
    assert megabytes < 600
    rows = {row["student"]: row for row in summary.as_json()}
    assert len(rows) == size
    assert summary.failed == {}
    honest = {name: row["score"] for name, row in rows.items() if "honest" in name}
    lost = {name: rows[name]["tasks"] for name, score in honest.items() if score != FULL}
    assert honest
    assert not lost
    outcomes = {task["outcome"] for row in rows.values() for task in row["tasks"]}
    assert "grader_failure" not in outcomes
    assert "timed_out" in outcomes


@pytest.mark.whole
@pytest.mark.slow
def test_honest_students_keep_their_points_next_to_hostile_ones(tmp_path: Path) -> None:
    size = len(FEW) + 3
    assert_no_points_lost(make_class(tmp_path, len(FEW), 3, FEW), size)
    assert len(list(tmp_path.glob(f"feedback/*/{LESSON}/{LESSON}.html"))) == size


@pytest.mark.deep
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_honest_students_keep_their_points_on_a_busy_machine(tmp_path: Path) -> None:
    course = make_class(tmp_path, len(HOSTILE), 40)
    with busy_machine(2 * (os.cpu_count() or 1)):
        assert_no_points_lost(course, len(HOSTILE) + 40)
