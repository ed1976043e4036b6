"""Tests of grading a class: its results, and that no failure makes a run lose or repeat anything."""

import html
import json
import os
import re
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.utils import determine_grade, is_grade

from autograder.course.cells import grade_id, tasks
from autograder.course.errors import CourseError
from autograder.course.find_assignments import Gradable
from autograder.course.settings import SECRET, Course
from autograder.exam.report import uniform_report
from autograder.gradebook import connection
from autograder.gradebook.entries import Entry, find_submissions
from autograder.grading import batch
from autograder.grading.feedback import replace_folder
from autograder.grading.run_summary import RunSummary, summarize_run
from autograder.intake.submission import Script
from autograder.lms.filenames import is_exported
from autograder.page.prose import typed_text
from autograder.sandbox.results import Overloaded, WallError, WallUnavailable
from autograder.workers import worker
from autograder.workers.jobs import Busy, Examined, Failed, Job, JobResult, NoWall, Page
from tests.support.small_class import (
    EMPTY,
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    fake_result,
    hand_in,
    run,
)

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def open_gradebook(root: Path) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as gradebook:
        yield gradebook


def read_grades(root: Path, student: str) -> dict[str, tuple[float | None, bool]]:
    """Return each grade's automatic score, and whether the grade waits for a person."""
    with open_gradebook(root) as gradebook:
        entries = gradebook.find_submission_notebook(STEPS, STEPS, student).grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in entries}


def read_comments(root: Path, student: str) -> dict[str, str | None]:
    with open_gradebook(root) as gradebook:
        entries = gradebook.find_submission_notebook(STEPS, STEPS, student).comments
        return {comment.name: comment.comment for comment in entries}


def read_page(root: Path, student: str) -> str:
    return (root / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def read_notebook(root: Path, student: str) -> nbformat.NotebookNode:
    return nbformat.read(root / "autograded" / student / STEPS / f"{STEPS}.ipynb", as_version=4)


PASSED = {"test_double": (2.0, False), "test_Counter": (3.0, False), "why": (0.0, False)}
NOTE_PENDING = PASSED | {"why": (None, True)}
DOUBLE_FAILED = PASSED | {"test_double": (0.0, False)}
STALE = {"test_double": (2.0, True), "test_Counter": (3.0, True), "why": (0.0, True)}


# --- Results --------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_class_is_graded_and_formgrader_shows_it(course_root: Path, correct_answers: dict[str, str]) -> None:
    shutil.copy(course_root / EMPTY, course_root / "gradebook.db")
    code_answers = {name: text for name, text in correct_answers.items() if name != "why"}
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, code_answers),
        timestamp="2026-11-01 10:00:00.000000 UTC",
    )
    hand_in(course_root, "bob", answered_notebook(course_root, code_answers | WRONG, "ko"))
    hand_in(course_root, "cho", answered_notebook(course_root, {}))
    hand_in(course_root, "dee", answered_notebook(course_root, correct_answers))
    summary, messages = run(course_root)
    assert not summary.failed
    assert messages == [f"cho/{STEPS}: unchanged"]
    # nbgrader gives an untouched written answer 0 points without waiting for a person.
    assert read_grades(course_root, "ann") == PASSED
    assert read_grades(course_root, "bob") == DOUBLE_FAILED
    assert read_grades(course_root, "cho") == {name: (0.0, False) for name in PASSED}
    assert read_grades(course_root, "dee") == NOTE_PENDING
    assert read_comments(course_root, "cho") == {
        name: "No response." for name in ("double", "Counter", "why")
    }
    course = Course.at(course_root)
    submissions = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert [
        (row["student"], row["score"], row["max_score"], row["autograded"], row["needs_manual_grade"])
        for row in submissions
    ] == [
        ("ann", 5.0, 6.0, True, False),
        ("bob", 3.0, 6.0, True, False),
        ("cho", 0.0, 6.0, True, False),
        ("dee", 5.0, 6.0, True, True),
    ]
    assert submissions[0]["timestamp"] == "2026-11-01T10:00:00"


@pytest.mark.whole
def test_passed_task_shows_its_worked_solution_in_the_feedback(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers | WRONG, "ko"))
    run(course_root)
    page_text = (course_root / "feedback" / "bob" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert "센 값이 객체 안에 남습니다" in page_text
    assert "어떤 수에 그 수를 더하면" not in page_text, "the solution of a task that is not passed"


def test_grade_json_matches_the_documented_form(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    summary, _ = run(course_root)
    (result,) = json.loads(json.dumps(summary.as_json()))
    assert list(result) == ["student", "lesson", "score", "max_score", "tasks", "flags"]
    assert (result["student"], result["lesson"], result["score"], result["max_score"]) == ("ann", STEPS, 3, 5)
    assert [task["outcome"] for task in result["tasks"]] == ["wrong", "passed", "manual"]
    fields = ["id", "points", "max_points", "outcome", "message", "seconds"]
    assert all(list(task) == fields for task in result["tasks"])
    assert "you squared the number" in result["tasks"][0]["message"]


def test_outputs_give_the_same_points_when_nbgrader_reads_them(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    hand_in(course_root, "bad", "{")
    run(course_root)
    for student, points in {"ann": {"test_double": 0, "test_Counter": 3}, "bad": {"test_double": 0}}.items():
        cells = [
            cell
            for cell in read_notebook(course_root, student).cells
            if is_grade(cell) and cell.cell_type == "code"
        ]
        points_read = {grade_id(cell): determine_grade(cell)[0] for cell in cells}
        assert points_read | points == points_read
        assert all(cell.outputs for cell in cells)


def test_staff_see_the_hidden_tests_and_students_do_not(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    hand_in(course_root, "kim", answered_notebook(course_root, correct_answers | WRONG, "ko"))
    run(course_root)
    (cell,) = [cell for cell in read_notebook(course_root, "ann").cells if grade_id(cell) == "test_double"]
    assert "BEGIN HIDDEN TESTS" in cell.source
    for student in ("ann", "kim"):
        assert "HIDDEN" not in read_page(course_root, student)
        assert "SQUARE" not in read_page(course_root, student)
    assert "you squared the number" in read_page(course_root, "ann")
    assert "수를 제곱했습니다" in read_page(course_root, "kim")


def test_student_text_is_escaped_on_every_page(course_root: Path, correct_answers: dict[str, str]) -> None:
    hostile_text = (
        "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) $a < b$\n\n# big\n"
    )
    submission = answered_notebook(course_root, correct_answers | {"why": hostile_text})
    code = "from IPython.display import HTML, display\ndisplay(HTML('<script>alert(4)</script>'))"
    submission.cells.append(
        nbformat.v4.new_code_cell(code + "\nprint('\\x1b[31mred')\n'<script>alert(5)</script>'")
    )
    submission.cells.append(nbformat.v4.new_code_cell("raise ValueError('<script>alert(6)</script>')"))
    submission.cells.append(nbformat.v4.new_markdown_cell("<script>alert(7)</script>"))
    hand_in(course_root, "eve", submission)
    run(course_root)
    graded_notebook = read_notebook(course_root, "eve")
    kinds = {output.output_type for cell in graded_notebook.cells for output in cell.get("outputs", [])}
    assert kinds <= {"stream", "error"}
    page_text = read_page(course_root, "eve")
    assert "<script>alert" not in page_text
    assert "<img src=x" not in page_text
    assert 'href="javascript' not in page_text
    assert "&lt;script&gt;alert(1)" in page_text
    assert "\x1b" not in page_text


def test_stored_output_of_a_submission_is_bounded(course_root: Path, correct_answers: dict[str, str]) -> None:
    submission = answered_notebook(course_root, correct_answers)
    submission.cells.extend(nbformat.v4.new_code_cell("print('y' * 10**6)") for _ in range(40))
    hand_in(course_root, "ann", submission)
    run(course_root)
    texts = [
        output.text for cell in read_notebook(course_root, "ann").cells for output in cell.get("outputs", [])
    ]
    assert max(map(len, texts)) <= 10_000
    assert sum(map(len, texts)) < 210_000


def test_secret_is_made_once_with_owner_only_permissions(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    run(course_root)
    secret = (course_root / SECRET).read_bytes()
    assert len(secret) == 32
    assert stat.S_IMODE((course_root / SECRET).stat().st_mode) == 0o600
    workers = InProcessWorkers()
    run(course_root, workers, force=True)
    assert (course_root / SECRET).read_bytes() == secret
    assert {job.secret for job in workers.jobs if isinstance(job, Job)} == {secret}
    assert SECRET in (ROOT / ".gitignore").read_text()


def test_only_one_run_at_a_time(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))

    def second_run(job: Job | Page) -> None:
        with pytest.raises(CourseError, match="Another"):
            run(course_root)

    summary, _ = run(course_root, InProcessWorkers(second_run))
    assert not summary.failed


@pytest.mark.parametrize("path_kind", ["the file", "a link", "a relative path"])
def test_two_courses_on_one_sqlite_file_are_two_runs(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch, path_kind: str
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    other_root = course_root.parent / "other"
    shutil.copytree(course_root, other_root)
    (other_root / "gradebook.db").unlink()
    (other_root / "link.db").symlink_to(course_root / "gradebook.db")
    monkeypatch.chdir(other_root)
    database_paths = {"the file": course_root / "gradebook.db", "a link": other_root / "link.db"}
    url = f"sqlite:///{database_paths.get(path_kind, '../class/gradebook.db')}"
    with (other_root / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")

    def second_run(job: Job | Page) -> None:
        with pytest.raises(CourseError, match="Another `autograder grade` is busy in the gradebook"):
            run(other_root)

    summary, _ = run(course_root, InProcessWorkers(second_run))
    assert not summary.failed
    summary, _ = run(other_root)  # the run has released the lock
    assert not summary.failed


# --- Rejected submissions -------------------------------------------------------------------------------


def test_odd_entries_are_rejected_and_the_batch_goes_on(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "bad", '{"cells": [')
    hand_in(course_root, "a;b", answered_notebook(course_root, correct_answers))
    (course_root / "submitted" / "link").symlink_to(course_root / "submitted" / "ann")
    (course_root / "submitted" / "none" / STEPS).mkdir(parents=True)
    (course_root / "submitted" / "nothing").mkdir()
    (course_root / "submitted" / "README").write_text("not a student")
    folder = course_root / "submitted" / "dir" / STEPS
    folder.mkdir(parents=True)
    (folder / f"{STEPS}.ipynb").symlink_to("/etc/passwd")
    summary, messages = run(course_root)
    flags = {entry.student: list(result.flags) for entry, result in summary.results.items()}
    assert flags == {
        "ann": [],
        "a;b": ["odd_student_id"],
        "bad": ["rejected:not_a_notebook"],
        "dir": ["rejected:link"],
        "link": ["rejected:link"],
        "none": ["rejected:no_notebook"],
    }
    assert not summary.failed
    assert len(messages) == 5
    # The file has no score yet: a person decides.
    assert read_grades(course_root, "bad") == {name: (None, True) for name in PASSED}
    assert "cut short" in (read_comments(course_root, "bad")["double"] or "")
    assert "잘렸거나" in read_page(course_root, "bad")
    assert sorted(os.listdir(course_root / "autograded")) == ["ann", "bad", "dir", "link", "none"]


def test_rejection_withdraws_the_older_grade_and_quotes_it(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    first_submission = answered_notebook(course_root, correct_answers | WRONG)
    hand_in(course_root, "ann", first_submission)
    run(course_root)
    hand_in(course_root, "ann", "{")
    for _ in range(2):
        summary, _ = run(course_root)
        # The new file has no score.
        assert read_grades(course_root, "ann") == {name: (None, True) for name in PASSED}
        student_comments = read_comments(course_root, "ann")
        assert "cut short" in (student_comments["Counter"] or "")
        assert "Your earlier file had 3 of 3 points for this task." in (student_comments["Counter"] or "")
        assert "Your earlier file had 0 of 2 points for this task." in (student_comments["double"] or "")
        assert "earlier file had" not in (student_comments["why"] or ""), "nobody had graded it"
        assert "Your earlier file had 3 of 5 points." in read_page(course_root, "ann")
        assert "이전에 제출한 파일" not in read_page(course_root, "ann"), "the earlier file was in English"
        run_summary = summarize(course_root, summary)
        assert run_summary.unread[f"ann/{STEPS}"].endswith("The earlier file had 3 of 5 points.")
    hand_in(course_root, "ann", "")  # also unreadable: the last readable file is still quoted
    run(course_root, InProcessWorkers(fail_for("ann")))
    assert "Your earlier file had 3 of 3 points" in (read_comments(course_root, "ann")["Counter"] or "")
    hand_in(course_root, "ann", first_submission)
    run(course_root)
    assert read_grades(course_root, "ann") == DOUBLE_FAILED | {"why": (None, True)}
    assert read_comments(course_root, "ann")["Counter"] is None


def test_blank_notebook_next_to_an_unreadable_one_scores_no_zero(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    """`nbgrader fetch_assignment` leaves notebooks in both languages, and a student works in one of them."""
    path = hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    korean_path = path.with_name(f"{STEPS}.ko.ipynb")
    korean_path.write_text(nbformat.writes(answered_notebook(course_root, {}, "ko")))
    run(course_root)
    assert read_grades(course_root, "ann") == NOTE_PENDING
    path.write_text("")
    summary, messages = run(course_root)
    assert messages == [f"ann/{STEPS}: rejected:empty"]
    assert read_grades(course_root, "ann") == {name: (None, True) for name in PASSED}
    assert f"{path.name}: The file is empty." in summarize(course_root, summary).unread[f"ann/{STEPS}"]
    assert "Your earlier file had 2 of 2 points" in (read_comments(course_root, "ann")["double"] or "")
    korean_path.write_text(nbformat.writes(answered_notebook(course_root, correct_answers, "ko")))
    _, messages = run(course_root)
    assert messages == [f"ann/{STEPS}: counted:{korean_path.name}"]
    assert read_grades(course_root, "ann") == NOTE_PENDING


def test_misplaced_note_awaits_manual_grading_as_typed(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hostile_text = "It *adds*. <script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3))"
    code = {name: text for name, text in correct_answers.items() if name != "why"}
    for student, position in (("ann", None), ("bob", 1)):  # ann: below the note's cell; bob: elsewhere
        submission = answered_notebook(course_root, code)
        index = len(submission.cells) if position is None else position
        submission.cells.insert(index, nbformat.v4.new_markdown_cell(hostile_text))
        hand_in(course_root, student, submission)
    summary, messages = run(course_root)
    assert messages == [f"ann/{STEPS}: found_by_place:why"]
    assert (read_grades(course_root, "ann"), read_grades(course_root, "bob")) == (NOTE_PENDING, PASSED)
    assert summarize(course_root, summary).notes == (1, 1)
    for student in ("ann", "bob"):
        (cell,) = [cell for cell in read_notebook(course_root, student).cells if "It *adds*." in cell.source]
        assert typed_text(cell.source) == hostile_text
        page_text = read_page(course_root, student)
        assert page_text.count("It *adds*. &lt;script&gt;alert(1)") == 1
        assert "<script>alert" not in page_text
        assert 'href="javascript' not in page_text


def test_rejected_resubmission_keeps_manual_points(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    run(course_root)
    with open_gradebook(course_root) as gradebook:
        grade = gradebook.find_grade("why", STEPS, STEPS, "ann")
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.db.commit()
    hand_in(course_root, "ann", "{")
    run(course_root)
    with open_gradebook(course_root) as gradebook:
        grade = gradebook.find_grade("why", STEPS, STEPS, "ann")
        assert (grade.manual_score, grade.needs_manual_grade) == (0.5, True)
    assert "Your earlier file had 0.5 of 1 points" in (read_comments(course_root, "ann")["why"] or "")


def summarize(course_root: Path, summary: batch.RunOutcome) -> RunSummary:
    course = Course.at(course_root)
    return summarize_run(summary, course.submitted, Gradable([STEPS], []), [], is_exported)


def test_missing_packages_are_listed_with_the_students_who_import_them(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    """The run that grades the submissions lists the packages, and so do later runs, which grade nothing."""
    importing_answer = {"double": "def double(x):\n    import no_such_package\n    return 2 * x"}
    notebooks = {
        "ann": answered_notebook(course_root, correct_answers | importing_answer),
        "bob": answered_notebook(course_root, correct_answers),
        "cho": answered_notebook(course_root, correct_answers),
    }
    for student in ("bob", "cho"):
        notebooks[student].cells.insert(0, nbformat.v4.new_code_cell("import no_such_package.part, os"))
    notebooks["cho"].cells.insert(0, nbformat.v4.new_code_cell("from \\\n  other_one import x"))
    for student, notebook in notebooks.items():
        hand_in(course_root, student, notebook)
    for _ in range(2):
        packages = summarize(course_root, run(course_root)[0]).packages
        assert list(packages.items()) == [("no_such_package", ["ann", "bob", "cho"]), ("other_one", ["cho"])]


def test_unreadable_file_is_listed_by_every_run_until_settled(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "bad", "{")
    for _ in range(2):
        run_summary = summarize(course_root, run(course_root)[0])
        assert (run_summary.graded, run_summary.notes, run_summary.is_clean) == (1, (1, 1), False)
        assert list(run_summary.unread) == [f"bad/{STEPS}"]
        assert "cut short or damaged" in run_summary.unread[f"bad/{STEPS}"]
    with open_gradebook(course_root) as gradebook:
        for grade in gradebook.find_submission_notebook(STEPS, STEPS, "bad").grades:
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    run_summary = summarize(course_root, run(course_root)[0])
    assert (run_summary.graded, run_summary.is_clean) == (2, True)
    hand_in(course_root, "bad", "")  # another unreadable file: the manual scores settled the first
    assert not summarize(course_root, run(course_root)[0]).is_clean
    hand_in(course_root, "bad", answered_notebook(course_root, correct_answers))
    assert summarize(course_root, run(course_root)[0]).unread == {}


def test_several_answered_notebooks_are_listed_until_one_is_left(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    complete_notebook, copy_name = answered_notebook(course_root, correct_answers), f"{STEPS} (1).ipynb"
    blank_notebook = answered_notebook(course_root, {})
    path = hand_in(course_root, "ann", blank_notebook)
    path.with_name(copy_name).write_text(nbformat.writes(complete_notebook))
    summary, _ = run(course_root)
    assert summarize(course_root, summary).is_clean  # nothing to decide: the other notebook has no answers
    assert read_grades(course_root, "ann")["test_double"] == (2.0, False)
    assert f"This one was graded: <code>{copy_name}</code>" in read_page(course_root, "ann")
    hand_in(course_root, "ann", answered_notebook(course_root, WRONG))
    for _ in range(2):
        summary, _ = run(course_root)
        run_summary = summarize(course_root, summary)
        assert not run_summary.is_clean
        assert (
            f"{path.name} counted; other answers are in {copy_name}." in run_summary.several[f"ann/{STEPS}"]
        )
    assert read_grades(course_root, "ann")["test_double"] == (0.0, False)
    path.unlink()
    assert summarize(course_root, run(course_root)[0]).is_clean
    assert read_grades(course_root, "ann")["test_double"] == (2.0, False)


def test_unreadable_file_counts_in_no_total_until_graded_by_hand(course_root: Path) -> None:
    hand_in(course_root, "bad", "{")

    def totals() -> tuple[float, float]:
        (row,) = run(course_root)[0].as_json()
        return row["score"], row["max_score"]

    assert (totals(), totals()) == ((0, 0), (0, 0))
    with open_gradebook(course_root) as gradebook:
        grade = gradebook.find_grade("test_double", STEPS, STEPS, "bad")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    assert totals() == (1.5, 2)


def test_ungraded_submission_counts_in_no_total(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    (row,) = run(course_root, InProcessWorkers(fail_for("ann")))[0].as_json()
    assert (row["score"], row["max_score"]) == (0, 0)
    assert row["flags"] == ["grader_failure"]


def test_unexpected_folders_in_submitted_are_named(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    submitted_folder = course_root / "submitted"
    (submitted_folder / "bob" / "01_stepz").mkdir(parents=True)
    (submitted_folder / "cho" / "homework").mkdir(parents=True)
    (submitted_folder / "dan" / "1").mkdir(parents=True)
    (submitted_folder / "dan" / "Lesson 01").mkdir(parents=True)
    (submitted_folder / "dan" / "2").mkdir(parents=True)
    (submitted_folder / "Kim Minji_123456_assignsubmission_file_").mkdir()
    (submitted_folder / "Kim Minji_123456_assignsubmission_file_" / "steps.ipynb").touch()
    (submitted_folder / "download.zip").touch()
    (submitted_folder / "empty").mkdir()
    with open_gradebook(course_root) as gradebook:
        gradebook.add_student("lee")
    run_summary = summarize(course_root, run(course_root)[0])
    assert run_summary.unknown == {
        "Kim Minji_123456_assignsubmission_file_": "An LMS's download was unpacked here. "
        "Move it away and use autograder collect DOWNLOAD.zip.",
        "bob/01_stepz": f"Did you mean {STEPS}? Then rename it.",
        "cho/homework": f"No lesson has this name; the lessons are: {STEPS}.",
        "dan/1": f"Did you mean {STEPS}? Then rename it.",
        "dan/2": f"No lesson has this name; the lessons are: {STEPS}.",
        "dan/Lesson 01": f"Did you mean {STEPS}? Then rename it.",
        "download.zip": "It is a file. A submission is a folder inside the student's: student/lesson/.",
    }
    assert run_summary.absent == {STEPS: ["lee"]}
    assert not run_summary.is_clean


def test_misplaced_notebook_is_listed_with_its_proper_folder(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    submitted_folder = hand_in(course_root, "gus", answered_notebook(course_root, correct_answers)).parents[2]
    names = [f"{STEPS}.ipynb", f"{STEPS} (1).ipynb.txt", "01_stepz.IPYNB", "lesson 1.ipynb", "mine.ipynb"]
    for student in ("gus", "hal"):
        (submitted_folder / student / ".ipynb_checkpoints").mkdir(parents=True)
        for name in (*names, "roster.csv", ".hidden.ipynb"):
            (submitted_folder / student / name).touch()
    (submitted_folder / "gus" / "folder.ipynb").mkdir()
    run_summary = summarize(course_root, run(course_root)[0])
    unknown_entries = dict(run_summary.unknown)
    assert unknown_entries.pop("gus/folder.ipynb").startswith("No lesson has this name")
    expected_advice = f"Move it into gus/{STEPS}/ if it should count there; if not, delete it."
    assert {entry: advice for entry, advice in unknown_entries.items() if entry.startswith("gus")} == {
        **{f"gus/{name}": expected_advice for name in names[:-1]},
        "gus/mine.ipynb": "A notebook is looked for in a lesson's folder only. Move it into student/lesson/.",
    }
    assert unknown_entries[f"hal/{STEPS}.ipynb"] == f"Move it into hal/{STEPS}/, a folder that you make."
    assert set(unknown_entries) == {f"{student}/{name}" for student in ("gus", "hal") for name in names}
    assert not run_summary.is_clean


def test_student_id_missing_from_the_class_list_is_named_and_graded(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    with open_gradebook(course_root) as gradebook:
        for student in ("ann", "bob", "cho", "dee"):
            gradebook.add_student(student, last_name=student.upper())
    for student in ("anne", "bob", "20231234", "Kim Minji"):  # the last one is invalid and listed elsewhere
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))
    for _ in range(2):  # the second run finds these ids in the gradebook
        run_summary = summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0])
        assert set(run_summary.strangers) == {"anne", "20231234"}
        assert "did you mean ann?" in run_summary.strangers["anne"]
        assert "nbgrader db student add 20231234 " in run_summary.strangers["20231234"]
    assert read_grades(course_root, "anne")["test_double"] == (0.0, False)
    shutil.rmtree(course_root / "submitted" / "Kim Minji")
    with open_gradebook(course_root) as gradebook:
        gradebook.update_or_create_student("20231234", email="lee@example.edu")
    run_summary = summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0])
    assert (set(run_summary.strangers), run_summary.is_clean) == ({"anne"}, True)


def test_unknown_student_ids_are_listed_only_if_there_is_a_class_list(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    assert not summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0]).strangers
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers))
    assert not summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0]).strangers, (
        "nobody has entered a class"
    )
    with open_gradebook(course_root) as gradebook:
        gradebook.add_student("cho")
    hand_in(course_root, "cho", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "eve", answered_notebook(course_root, correct_answers))
    assert set(summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0]).strangers) == {
        "eve"
    }
    assert not summarize(course_root, run(course_root, InProcessWorkers(fake_result))[0]).strangers


def test_student_id_in_any_script_is_accepted(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "김민지", answered_notebook(course_root, correct_answers, "ko"))
    summary, _ = run(course_root)
    assert read_grades(course_root, "김민지")["test_double"] == (2.0, False)
    assert read_page(course_root, "김민지")
    assert summarize(course_root, summary).is_clean


def test_an_empty_class_has_no_submissions(course_root: Path) -> None:
    assert find_submissions(Course.at(course_root), [STEPS]) == []
    (course_root / "submitted").mkdir()
    assert find_submissions(Course.at(course_root), [STEPS]) == []


# --- Nothing twice, nothing lost --------------------------------------------------------------------------


def test_second_run_examines_only_what_is_new(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers))
    run(course_root)
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers | WRONG))
    workers = InProcessWorkers()
    summary, _ = run(course_root, workers)
    assert workers.examined == ["bob"]
    assert (summary.done, summary.graded_before) == (2, 1)
    assert read_grades(course_root, "bob") == DOUBLE_FAILED | {"why": (None, True)}
    assert {row["student"]: row["score"] for row in summary.as_json()} == {"ann": 5, "bob": 3}
    forced_workers = InProcessWorkers()
    run(course_root, forced_workers, force=True)
    assert forced_workers.examined == ["ann", "bob"]


@pytest.mark.parametrize(
    ("language", "message"), [("en", "Write your answer in the answer cell."), ("ko", "답은 답 셀에 쓰세요.")]
)
def test_answer_typed_into_the_test_cell_is_explained(course_root: Path, language: str, message: str) -> None:
    submission = answered_notebook(course_root, {}, language)
    test = next(cell for cell in submission.cells if grade_id(cell) == "test_double")
    first_line, _, rest = test.source.partition("\n")
    test.source = f"double = lambda x: 2 * x\n{rest}"
    hand_in(course_root, "ann", submission)
    summary, _ = run(course_root)
    double, counter, _ = summary.as_json()[0]["tasks"]
    assert (double["outcome"], counter["outcome"]) == ("not_attempted", "not_attempted")
    assert message in double["message"]
    assert message not in counter["message"]
    assert message in read_page(course_root, "ann")
    assert first_line not in test.source


def test_changed_tests_cause_regrading(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    run(course_root)
    source = course_root / "source" / STEPS / f"{STEPS}.ipynb"
    source.write_text(source.read_text().replace("draw(5.0, 6.0)", "draw(7.0, 8.0)"))
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == ["ann"]


def test_automatic_grade_changed_in_the_gradebook_is_replaced(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    run(course_root)
    with sqlite3.connect(course_root / "gradebook.db") as database:
        database.execute("UPDATE grade SET auto_score = 2.0 WHERE auto_score = 0.0")
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == ["ann"]
    assert read_grades(course_root, "ann")["test_double"] == (0.0, False)


def test_identical_resubmission_keeps_the_grade_and_updates_the_time(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers),
        timestamp="2026-11-01 10:00:00 UTC",
    )
    run(course_root)
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers),
        timestamp="2026-11-02 10:00:00 UTC",
    )
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == []
    course = Course.at(course_root)
    (row,) = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert row["autograded"]
    assert row["timestamp"] == "2026-11-02T10:00:00"


def grade_by_hand(course_root: Path, student: str) -> None:
    """Enter grades and a comment, as an instructor does in formgrader."""
    with open_gradebook(course_root) as gradebook:
        note_grade = gradebook.find_grade("why", STEPS, STEPS, student)
        note_grade.manual_score, note_grade.extra_credit, note_grade.needs_manual_grade = 1.0, 0.5, False
        double_grade = gradebook.find_grade("test_double", STEPS, STEPS, student)
        double_grade.manual_score, double_grade.needs_manual_grade = 1.5, False
        gradebook.find_comment("why", STEPS, STEPS, student).manual_comment = "Well said."
        gradebook.find_submission_notebook(STEPS, STEPS, student).flagged = True
        gradebook.db.commit()


def read_manual_entries(course_root: Path, student: str) -> list[object]:
    with open_gradebook(course_root) as gradebook:
        submission = gradebook.find_submission_notebook(STEPS, STEPS, student)
        grades = {grade.name: grade for grade in submission.grades}
        note, double = grades["why"], grades["test_double"]
        comment = gradebook.find_comment("why", STEPS, STEPS, student).manual_comment
        return [note.manual_score, note.extra_credit, double.manual_score, comment, submission.flagged]


MANUAL_ENTRIES = [1.0, 0.5, 1.5, "Well said.", True]


def pending_cells(course_root: Path, student: str) -> set[str]:
    return {name for name, (_, is_pending) in read_grades(course_root, student).items() if is_pending}


def test_manual_grades_and_comments_survive_regrading(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    run(course_root)
    grade_by_hand(course_root, "ann")
    run(course_root, force=True)
    assert read_manual_entries(course_root, "ann") == MANUAL_ENTRIES
    assert pending_cells(course_root, "ann") == set()
    assert "Well said." in read_page(course_root, "ann")
    # A changed answer keeps its manual score, but a person must look at the answer again.
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers | WRONG | {"why": "Another reason."}),
    )
    run(course_root)
    assert read_manual_entries(course_root, "ann") == MANUAL_ENTRIES
    assert pending_cells(course_root, "ann") == {"why"}
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | {"why": "Another reason."}))
    run(course_root)
    (row,) = run(course_root)[0].as_json()
    assert pending_cells(course_root, "ann") == {"why", "test_double"}
    assert read_manual_entries(course_root, "ann") == MANUAL_ENTRIES
    # Until a person has looked at both tasks, the summary lists them and no total includes them.
    run_summary = summarize(course_root, run(course_root)[0])
    assert (run_summary.notes, run_summary.overruled, run_summary.is_clean) == ((1, 1), (1, 1), True)
    assert {task["id"] for task in row["tasks"] if task["outcome"] == "manual"} == {"why", "double"}
    assert row["max_score"] == 3
    grade_by_hand(course_root, "ann")
    run_summary = summarize(course_root, run(course_root)[0])
    assert (run_summary.notes, run_summary.overruled) == ((0, 0), (0, 0))


def test_failed_regrading_keeps_manual_points_and_comments(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    run(course_root)
    grade_by_hand(course_root, "ann")
    run(course_root, InProcessWorkers(fail_for("ann")), force=True)
    assert pending_cells(course_root, "ann") == {"why", "test_double", "test_Counter"}
    run(course_root)
    assert pending_cells(course_root, "ann") == set()
    assert read_manual_entries(course_root, "ann") == MANUAL_ENTRIES


# --- Failures ---------------------------------------------------------------------------------------------


def fail_for(student: str) -> Callable[[Job | Page], JobResult | None]:
    """Return a stand-in for the wall that fails for one student."""

    def override(job: Job | Page) -> JobResult | None:
        return Failed("no room could be made") if isinstance(job, Job) and job.student == student else None

    return override


def test_failed_grading_is_retried_then_retried_alone_and_scores_no_zero(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers))
    workers = InProcessWorkers(fail_for("ann"))
    summary, messages = run(course_root, workers)
    assert workers.examined == ["ann", "ann", "bob", "ann"]
    assert summary.failed == {Entry("ann", STEPS): "no room could be made"}
    assert messages == [
        f"ann/{STEPS}: not graded: no room could be made\n"
        f"See what `autograder doctor` says, then grade it again: `autograder grade {STEPS} --student ann`"
    ]
    first_row = summary.as_json()[0]
    assert {task["outcome"] for task in first_row["tasks"]} == {"grader_failure"}
    assert first_row["flags"] == ["grader_failure"]
    with open_gradebook(course_root) as gradebook:
        assert [student.id for student in gradebook.students] == ["bob"]
    assert not (course_root / "autograded" / "ann").exists()


def test_recovered_grader_failure_leaves_no_flag(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    failures = iter([Failed("for now")])
    summary, _ = run(course_root, InProcessWorkers(lambda job: next(failures, None)))
    assert not summary.failed
    assert read_grades(course_root, "ann") == NOTE_PENDING


def test_worker_that_raises_is_a_failure_of_the_grader(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))

    def override(job: Job | Page) -> None:
        raise OSError("disk full")

    summary, _ = run(course_root, InProcessWorkers(override))
    assert summary.failed == {Entry("ann", STEPS): "OSError: disk full"}


def test_machine_that_was_too_busy_gives_no_verdict(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    results = iter([Busy("it waited for a processor")])
    summary, messages = run(course_root, InProcessWorkers(lambda job: next(results, None)))
    assert not summary.failed
    assert not messages
    assert read_grades(course_root, "ann") == NOTE_PENDING


def test_starved_examiner_is_busy_and_a_broken_wall_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def examine(error: WallError) -> JobResult:
        def wall(hidden: object) -> None:
            raise error

        monkeypatch.setattr(worker, "_wall", wall)
        return worker.examine(Job("ann", STEPS, "{}", Script((), "en", ""), b"", ()))

    assert examine(Overloaded("late")) == Busy("late")
    assert examine(WallError("down")) == Failed("down")


# --- Side files and slow texts ----------------------------------------------------------------------------


def test_malformed_timestamp_costs_no_student_a_grade(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    timestamps = [
        "2026-01-01 00:00:00 UTC,J366,M3.2.0",
        "0001-01-01 00:00:00 +9999",
        "9" * 10_000,
        "2026-11-01",
    ]
    for number, text in enumerate(timestamps):
        hand_in(course_root, f"s{number}", answered_notebook(course_root, correct_answers), timestamp=text)
    hand_in(course_root, "pipe", answered_notebook(course_root, correct_answers))
    os.mkfifo(course_root / "submitted" / "pipe" / STEPS / "timestamp.txt")
    summary, messages = run(course_root)
    assert not summary.failed
    assert not messages
    assert summary.done == len(timestamps) + 1


SLOW = ["~a", "a*", "*", "!a", "[", "%%html\n<a ", '"""', "f'{"]


@pytest.mark.whole
def test_texts_that_are_slow_to_highlight_get_a_page(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    submission = answered_notebook(course_root, correct_answers | {"why": "[" * 90_000})
    submission.cells.extend(
        nbformat.v4.new_code_cell("\n ".join(["if 0:", *[unit * 45] * 198]))
        for unit in SLOW
        for _ in range(3)
    )
    submission.cells.append(nbformat.v4.new_code_cell("last = 'of all'"))
    hand_in(course_root, "ann", submission)

    def override(job: Job | Page) -> JobResult | None:
        if isinstance(job, Page):
            return None
        return Examined(uniform_report(STEPS, tasks(nbformat.v4.reads(job.source)), "wrong", "No."), "forked")

    started = time.process_time()
    summary, messages = run(course_root, InProcessWorkers(override))
    assert time.process_time() - started < worker.RENDER_SECONDS / 3
    assert not summary.failed
    assert not messages
    highlight_languages = [
        cell.metadata.magics_language
        for cell in read_notebook(course_root, "ann").cells
        if cell.cell_type == "code"
    ]
    assert set(highlight_languages) == {"python3", "text"}
    page_text = html.unescape(re.sub("<[^>]+>", "", read_page(course_root, "ann")))
    assert page_text.count("~a" * 45) >= 3 * 198
    assert "[" * 90_000 in page_text


def test_failing_page_is_made_without_the_student_cells(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    submission = answered_notebook(
        course_root, correct_answers | {"double": "def double(x):\n    return 7  # words of ann's"}
    )
    submission.cells.insert(1, nbformat.v4.new_markdown_cell("More words of ann's"))
    hand_in(course_root, "ann", submission)

    def override(job: Job | Page) -> JobResult | None:
        return Failed("it took too long") if isinstance(job, Page) and not job.bare else None

    summary, messages = run(course_root, InProcessWorkers(override))
    assert not summary.failed
    assert messages == [
        f"ann/{STEPS}: the page is without the student's cells, since it fails with them: it took too long"
    ]
    page_text = html.unescape(re.sub("<[^>]+>", "", read_page(course_root, "ann")))
    assert "words of ann's" not in page_text
    assert "Your file is unchanged." in page_text
    assert "제출한 파일은 그대로 있습니다" in page_text
    assert "words of ann's" in str(read_notebook(course_root, "ann"))
    assert {points for points, _ in read_grades(course_root, "ann").values()} == {0.0, 3.0, None}


def test_resubmission_that_cannot_be_graded_marks_the_older_grade(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    code_answers = {name: text for name, text in correct_answers.items() if name != "why"}
    first_submission = answered_notebook(course_root, code_answers)
    hand_in(course_root, "ann", first_submission)
    run(course_root)
    hand_in(course_root, "ann", answered_notebook(course_root, code_answers | WRONG))
    run(course_root, InProcessWorkers(fail_for("ann")))
    assert read_grades(course_root, "ann") == STALE
    assert all(
        "has not been graded yet" in (text or "") for text in read_comments(course_root, "ann").values()
    )
    # The student's tasks stop waiting if the new file is graded after all, or if the graded file comes back.
    run(course_root)
    assert read_grades(course_root, "ann") == DOUBLE_FAILED
    assert read_comments(course_root, "ann") == {"double": None, "Counter": None, "why": "No response."}
    hand_in(course_root, "ann", first_submission)
    run(course_root, InProcessWorkers(fail_for("ann")))
    assert pending_cells(course_root, "ann")
    hand_in(course_root, "ann", answered_notebook(course_root, code_answers | WRONG))
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == []
    assert read_grades(course_root, "ann") == DOUBLE_FAILED


def test_grading_stops_if_no_wall_can_be_built(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    with pytest.raises(WallUnavailable, match="bubblewrap"):
        run(course_root, InProcessWorkers(lambda job: NoWall("bubblewrap is not installed.", "Install it.")))


def test_interrupted_run_goes_on_where_it_stopped(course_root: Path, correct_answers: dict[str, str]) -> None:
    for student in ("ann", "bob", "cho"):
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))

    def stop(job: Job | Page) -> None:
        if isinstance(job, Job) and job.student == "bob":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(course_root, InProcessWorkers(stop))
    workers = InProcessWorkers()
    summary, _ = run(course_root, workers)
    assert workers.examined == ["bob", "cho"]
    assert (summary.done, summary.graded_before) == (3, 1)


@pytest.mark.parametrize("failing_folder", ["autograded", "feedback"])
def test_crash_before_folders_are_written_is_repaired_by_the_next_run(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch, failing_folder: str
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    run(course_root)
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    write = replace_folder

    def crash(folder: Path, *rest: Any) -> None:
        if failing_folder in folder.parts:
            raise KeyboardInterrupt
        write(folder, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(batch, "replace_folder", crash)
        with pytest.raises(KeyboardInterrupt):
            run(course_root)
    assert read_grades(course_root, "ann")["test_double"] == (0.0, False)
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == []
    assert "you squared the number" in read_page(course_root, "ann")


def test_unwritable_folder_is_reported_and_written_by_the_next_run(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))

    def raise_disk_full(*_: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(batch, "replace_folder", raise_disk_full)
        summary, messages = run(course_root)
    assert list(summary.failed) == [Entry("ann", STEPS)]
    assert "graded, but its folders could not be written" in messages[0]
    assert pending_cells(course_root, "ann") == {"why"}  # the grade itself is stored
    workers = InProcessWorkers()
    summary, _ = run(course_root, workers)
    assert workers.examined == []
    assert not summary.failed
    assert read_page(course_root, "ann")


def test_deleted_feedback_folder_is_written_again_without_regrading(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    run(course_root)
    shutil.rmtree(course_root / "feedback")
    workers = InProcessWorkers()
    run(course_root, workers)
    assert workers.examined == []
    assert read_page(course_root, "ann")


def test_locked_gradebook_costs_one_submission_at_most(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.0)
    with (course_root / "nbgrader_config.py").open("a") as config:  # by default, SQLite waits 5 s for a lock
        config.write(f'\nc.CourseDirectory.db_url = "sqlite:///{course_root}/gradebook.db?timeout=0.1"\n')
    for student in ("ann", "bob"):
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))
    run(course_root)
    for student in ("ann", "bob"):
        hand_in(course_root, student, answered_notebook(course_root, correct_answers | WRONG))
    lock_holder = sqlite3.connect(course_root / "gradebook.db")

    def lock_gradebook(job: Job | Page) -> None:
        if isinstance(job, Job) and job.student == "ann":
            lock_holder.execute("BEGIN IMMEDIATE")

    summary, _ = run(
        course_root, InProcessWorkers(lock_gradebook), on_message=lambda text: lock_holder.rollback()
    )
    lock_holder.close()
    assert [str(entry) for entry in summary.failed] == [f"ann/{STEPS}"]
    assert "locked" in summary.failed[Entry("ann", STEPS)]
    assert pending_cells(course_root, "ann") == {"test_double", "test_Counter", "why"}
    assert read_grades(course_root, "bob")["test_double"] == (0.0, False)
    run(course_root)
    assert read_grades(course_root, "ann")["test_double"] == (0.0, False)


def test_late_submission_gets_the_courses_late_penalty(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers),
        timestamp="2026-11-01 10:00:00 UTC",
    )
    run(course_root)
    with open_gradebook(course_root) as gradebook:
        gradebook.update_or_create_assignment(STEPS, duedate="2026-10-01 00:00:00 UTC")
    run(course_root, force=True)
    with open_gradebook(course_root) as gradebook:
        assert gradebook.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty == 5.0
    assert "Points taken off for late submission: 5" in read_page(course_root, "ann")
