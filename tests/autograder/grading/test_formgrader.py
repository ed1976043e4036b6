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
from tests.support.plain_class import BEYOND, FIRST, RIGHT, SECOND, add_assignments, filled, submit
from tests.support.small_class import STEPS, WRONG, answered, build_course, hand_in, run, solutions


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a graded class."""
    root = tmp_path_factory.mktemp("formgrader")
    build_course(root)
    right = solutions(root)
    hand_in(root, "ann", answered(root, right), timestamp="2026-11-01 10:00:00 UTC")
    hand_in(root, "bob", answered(root, right | WRONG | {"why": "<script>alert(1)</script>"}, "ko"))
    hand_in(root, "bad", "{")
    planting = answered(root, right)
    planting.cells.append(v4.new_code_cell(f"open({str(root / 'planted')!r}, 'w')"))
    hand_in(root, "eve", planting)
    summary, _ = run(root)
    assert not summary.failed
    return root


@pytest.fixture(scope="module")
def get(room: Path) -> Iterator[Formgrader]:
    with formgrader(room) as started:
        yield started


def submission_id(room: Path, student: str) -> str:
    query = (
        "SELECT notebook.id FROM submitted_notebook AS notebook JOIN submitted_assignment AS whole "
        "ON whole.id = notebook.assignment_id WHERE whole.student_id = ?"
    )
    with sqlite3.connect(room / "gradebook.db") as raw:
        (found,) = raw.execute(query, (student,)).fetchone()
    return str(found)


def test_formgrader_lists_graded_submissions(get: Formgrader) -> None:
    found = {row["student"]: row for row in json.loads(get(f"api/submissions/{STEPS}"))}
    assert {name: (row["score"], row["autograded"]) for name, row in found.items()} == {
        "ann": (5.0, True),
        "bad": (0.0, True),
        "bob": (3.0, True),
        "eve": (5.0, True),
    }
    assert found["ann"]["needs_manual_grade"]
    assert found["bad"]["needs_manual_grade"]  # an unreadable file: its 0 points are not final
    assert STEPS in get(f"manage_submissions/{STEPS}")
    (assignment,) = json.loads(get("api/assignments"))
    assert (assignment["num_submissions"], assignment["max_score"]) == (4, 6.0)


def test_formgrader_shows_a_graded_submission(get: Formgrader, room: Path) -> None:
    page = get(f"submissions/{submission_id(room, 'bob')}/")
    assert "BEGIN HIDDEN TESTS" in page
    assert "수를 제곱했습니다" in page
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "cut short" in get(f"submissions/{submission_id(room, 'bad')}/")


@pytest.mark.whole
def test_feedback_made_by_formgrader_hides_the_tests_too(get: Formgrader, room: Path) -> None:
    made = room / "feedback" / "bob" / STEPS / f"{STEPS}.html"
    made.unlink()
    assert json.loads(get(f"api/assignment/{STEPS}/bob/generate_feedback", post=True))["success"]
    html = made.read_text(encoding="utf-8")
    assert "수를 제곱했습니다" in html
    assert "HIDDEN" not in html
    assert "<script>alert(1)" not in html


@pytest.mark.whole
def test_formgrader_buttons_give_the_commands_results_and_run_no_student_code(
    get: Formgrader, room: Path
) -> None:
    def left() -> dict[str, bytes]:
        folders = (room / step / "eve" / STEPS for step in ("autograded", "feedback"))
        return {str(path): path.read_bytes() for at in folders for path in at.rglob("*") if path.is_file()}

    want = left()
    for path in want:
        Path(path).unlink()
    answer = json.loads(get(f"api/submission/{STEPS}/eve/autograde", post=True))
    assert answer["success"], answer
    assert "1 submission graded" in answer["log"]
    assert not (room / "planted").exists()
    assert left() == want
    with open(room / SECRET, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        answer = json.loads(get(f"api/submission/{STEPS}/eve/autograde", post=True))
    assert not answer["success"]
    assert "is busy in" in answer["error"]


def test_submission_with_ordinary_tests_is_shown_notebook_by_notebook(get: Formgrader, room: Path) -> None:
    add_assignments(room)
    why = RIGHT | {"why": "<script>alert(2)</script>"}
    submit(room, "dee", {"ps": filled(FIRST, why), "more": filled(SECOND, BEYOND)})
    run(room, lessons=["ps"])
    (row,) = json.loads(get("api/submissions/ps"))
    assert (row["student"], row["score"], row["autograded"]) == ("dee", 6.0, True)
    assert row["needs_manual_grade"]
    query = (
        "SELECT one.id FROM submitted_notebook AS one JOIN notebook ON notebook.id = one.notebook_id "
        "JOIN submitted_assignment AS whole ON whole.id = one.assignment_id "
        "WHERE whole.student_id = 'dee' AND notebook.name = 'ps'"
    )
    with sqlite3.connect(room / "gradebook.db") as raw:
        (found,) = raw.execute(query).fetchone()
    page = get(f"submissions/{found}/")
    assert "SECRET" in page  # staff also see the hidden part of a test
    assert "return x * x" in unmarked(page)
    assert "<script>alert(2)" not in page
    assert "&lt;script&gt;alert(2)" in page


def unmarked(page: str) -> str:
    """Return the text of a page without its tags."""
    return unescape(re.sub("<[^>]+>", "", page))
