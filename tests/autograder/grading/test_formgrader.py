"""Tests of formgrader's own pages, fetched over HTTP, for a class that the autograder has graded."""

import fcntl
import json
import re
import sqlite3
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from nbformat import v4

from autograder.course.settings import SECRET
from tests.support.formgrader import Formgrader, formgrader
from tests.support.plain_class import (
    FIRST,
    RIGHT,
    RIGHT_SECOND,
    SECOND,
    add_assignments,
    filled_notebook,
    submit,
)
from tests.support.small_class import STEPS, WRONG, answered_notebook, build_course, hand_in, run, solutions


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a graded class."""
    root = tmp_path_factory.mktemp("formgrader")
    build_course(root)
    correct_answers = solutions(root)
    hand_in(root, "ann", answered_notebook(root, correct_answers), timestamp="2026-11-01 10:00:00 UTC")
    hand_in(
        root,
        "bob",
        answered_notebook(root, correct_answers | WRONG | {"why": "<script>alert(1)</script>"}, "ko"),
    )
    hand_in(root, "bad", "{")
    submission = answered_notebook(root, correct_answers)
    submission.cells.append(v4.new_code_cell(f"open({str(root / 'planted')!r}, 'w')"))
    hand_in(root, "eve", submission)
    summary, _ = run(root)
    assert not summary.failed
    return root


@pytest.fixture(scope="module")
def fetch(course_root: Path) -> Iterator[Formgrader]:
    with formgrader(course_root) as server:
        yield server


def submission_id(course_root: Path, student: str) -> str:
    query = (
        "SELECT notebook.id FROM submitted_notebook AS notebook JOIN submitted_assignment AS whole "
        "ON whole.id = notebook.assignment_id WHERE whole.student_id = ?"
    )
    with sqlite3.connect(course_root / "gradebook.db") as connection:
        (notebook_id,) = connection.execute(query, (student,)).fetchone()
    return str(notebook_id)


def test_formgrader_lists_graded_submissions(fetch: Formgrader) -> None:
    rows = {row["student"]: row for row in json.loads(fetch(f"api/submissions/{STEPS}"))}
    assert {name: (row["score"], row["autograded"]) for name, row in rows.items()} == {
        "ann": (5.0, True),
        "bad": (0.0, True),
        "bob": (3.0, True),
        "eve": (5.0, True),
    }
    assert rows["ann"]["needs_manual_grade"]
    assert rows["bad"]["needs_manual_grade"]  # an unreadable file: its 0 points are not final
    assert STEPS in fetch(f"manage_submissions/{STEPS}")
    (assignment,) = json.loads(fetch("api/assignments"))
    assert (assignment["num_submissions"], assignment["max_score"]) == (4, 6.0)


def test_formgrader_shows_a_graded_submission(fetch: Formgrader, course_root: Path) -> None:
    page = fetch(f"submissions/{submission_id(course_root, 'bob')}/")
    assert "BEGIN HIDDEN TESTS" in page
    assert "수를 제곱했습니다" in page
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "cut short" in fetch(f"submissions/{submission_id(course_root, 'bad')}/")


@pytest.mark.whole
def test_feedback_made_by_formgrader_hides_the_tests_too(fetch: Formgrader, course_root: Path) -> None:
    page_path = course_root / "feedback" / "bob" / STEPS / f"{STEPS}.html"
    page_path.unlink()
    assert json.loads(fetch(f"api/assignment/{STEPS}/bob/generate_feedback", post=True))["success"]
    html = page_path.read_text(encoding="utf-8")
    assert "수를 제곱했습니다" in html
    assert "HIDDEN" not in html
    assert "<script>alert(1)" not in html


@pytest.mark.whole
def test_formgrader_buttons_give_the_commands_results_and_run_no_student_code(
    fetch: Formgrader, course_root: Path
) -> None:
    def read_result_files() -> dict[str, bytes]:
        folders = (course_root / step / "eve" / STEPS for step in ("autograded", "feedback"))
        return {
            str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()
        }

    expected = read_result_files()
    for path in expected:
        Path(path).unlink()
    response = json.loads(fetch(f"api/submission/{STEPS}/eve/autograde", post=True))
    assert response["success"], response
    assert "1 submission graded" in response["log"]
    assert not (course_root / "planted").exists()
    assert read_result_files() == expected
    with open(course_root / SECRET, "rb") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        response = json.loads(fetch(f"api/submission/{STEPS}/eve/autograde", post=True))
    assert not response["success"]
    assert "is busy in" in response["error"]


def test_submission_with_ordinary_tests_is_shown_notebook_by_notebook(
    fetch: Formgrader, course_root: Path
) -> None:
    add_assignments(course_root)
    answers = RIGHT | {"why": "<script>alert(2)</script>"}
    submit(
        course_root,
        "dee",
        {"ps": filled_notebook(FIRST, answers), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    run(course_root, lessons=["ps"])
    (row,) = json.loads(fetch("api/submissions/ps"))
    assert (row["student"], row["score"], row["autograded"]) == ("dee", 6.0, True)
    assert row["needs_manual_grade"]
    query = (
        "SELECT one.id FROM submitted_notebook AS one JOIN notebook ON notebook.id = one.notebook_id "
        "JOIN submitted_assignment AS whole ON whole.id = one.assignment_id "
        "WHERE whole.student_id = 'dee' AND notebook.name = 'ps'"
    )
    with sqlite3.connect(course_root / "gradebook.db") as connection:
        (notebook_id,) = connection.execute(query).fetchone()
    page = fetch(f"submissions/{notebook_id}/")
    assert "SECRET" in page  # staff also see the hidden part of a test
    assert "return x * x" in strip_tags(page)
    assert "<script>alert(2)" not in page
    assert "&lt;script&gt;alert(2)" in page


def strip_tags(page: str) -> str:
    """Return the text of a page without its tags."""
    return unescape(re.sub("<[^>]+>", "", page))
