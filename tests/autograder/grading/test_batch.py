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
from autograder.workers.jobs import Busy, Done, Examined, Failed, Job, NoWall, Page
from tests.support.small_class import EMPTY, STEPS, WRONG, Here, answered, hand_in, run, told

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def book(root: Path) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as opened:
        yield opened


def grades(root: Path, student: str) -> dict[str, tuple[float | None, bool]]:
    """Return each grade's automatic score, and whether the grade waits for a person."""
    with book(root) as opened:
        found = opened.find_submission_notebook(STEPS, STEPS, student).grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in found}


def comments(root: Path, student: str) -> dict[str, str | None]:
    with book(root) as opened:
        found = opened.find_submission_notebook(STEPS, STEPS, student).comments
        return {comment.name: comment.comment for comment in found}


def page(root: Path, student: str) -> str:
    return (root / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def notebook(root: Path, student: str) -> nbformat.NotebookNode:
    return nbformat.read(root / "autograded" / student / STEPS / f"{STEPS}.ipynb", as_version=4)


PASSED = {"test_double": (2.0, False), "test_Counter": (3.0, False), "why": (0.0, False)}
BY_HAND = PASSED | {"why": (None, True)}
HALF = PASSED | {"test_double": (0.0, False)}
STALE = {"test_double": (2.0, True), "test_Counter": (3.0, True), "why": (0.0, True)}


# --- Results --------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_class_is_graded_and_formgrader_shows_it(room: Path, right: dict[str, str]) -> None:
    shutil.copy(room / EMPTY, room / "gradebook.db")
    code = {name: text for name, text in right.items() if name != "why"}
    hand_in(room, "ann", answered(room, code), timestamp="2026-11-01 10:00:00.000000 UTC")
    hand_in(room, "bob", answered(room, code | WRONG, "ko"))
    hand_in(room, "cho", answered(room, {}))
    hand_in(room, "dee", answered(room, right))
    summary, said = run(room)
    assert not summary.failed
    assert said == [f"cho/{STEPS}: unchanged"]
    assert grades(room, "ann") == PASSED  # nbgrader gives an untouched written answer 0 at once
    assert grades(room, "bob") == HALF
    assert grades(room, "cho") == {name: (0.0, False) for name in PASSED}
    assert grades(room, "dee") == BY_HAND
    assert comments(room, "cho") == {name: "No response." for name in ("double", "Counter", "why")}
    course = Course.at(room)
    shown = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert [
        (row["student"], row["score"], row["max_score"], row["autograded"], row["needs_manual_grade"])
        for row in shown
    ] == [
        ("ann", 5.0, 6.0, True, False),
        ("bob", 3.0, 6.0, True, False),
        ("cho", 0.0, 6.0, True, False),
        ("dee", 5.0, 6.0, True, True),
    ]
    assert shown[0]["timestamp"] == "2026-11-01T10:00:00"


@pytest.mark.whole
def test_passed_task_shows_its_worked_solution_in_the_feedback(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "bob", answered(room, right | WRONG, "ko"))
    run(room)
    page = (room / "feedback" / "bob" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert "센 값이 객체 안에 남습니다" in page
    assert "어떤 수에 그 수를 더하면" not in page, "the solution of a task that is not passed"


def test_grade_json_matches_the_documented_form(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    summary, _ = run(room)
    (result,) = json.loads(json.dumps(summary.as_json()))
    assert list(result) == ["student", "lesson", "score", "max_score", "tasks", "flags"]
    assert (result["student"], result["lesson"], result["score"], result["max_score"]) == ("ann", STEPS, 3, 5)
    assert [task["outcome"] for task in result["tasks"]] == ["wrong", "passed", "manual"]
    fields = ["id", "points", "max_points", "outcome", "message", "seconds"]
    assert all(list(task) == fields for task in result["tasks"])
    assert "you squared the number" in result["tasks"][0]["message"]


def test_outputs_give_the_same_points_when_nbgrader_reads_them(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    hand_in(room, "bad", "{")
    run(room)
    for student, points in {"ann": {"test_double": 0, "test_Counter": 3}, "bad": {"test_double": 0}}.items():
        cells = [
            cell for cell in notebook(room, student).cells if is_grade(cell) and cell.cell_type == "code"
        ]
        read = {grade_id(cell): determine_grade(cell)[0] for cell in cells}
        assert read | points == read
        assert all(cell.outputs for cell in cells)


def test_staff_see_the_hidden_tests_and_students_do_not(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    hand_in(room, "kim", answered(room, right | WRONG, "ko"))
    run(room)
    (cell,) = [cell for cell in notebook(room, "ann").cells if grade_id(cell) == "test_double"]
    assert "BEGIN HIDDEN TESTS" in cell.source
    for student in ("ann", "kim"):
        assert "HIDDEN" not in page(room, student)
        assert "SQUARE" not in page(room, student)
    assert "you squared the number" in page(room, "ann")
    assert "수를 제곱했습니다" in page(room, "kim")


def test_student_text_is_escaped_on_every_page(room: Path, right: dict[str, str]) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) $a < b$\n\n# big\n"
    shout = answered(room, right | {"why": evil})
    code = "from IPython.display import HTML, display\ndisplay(HTML('<script>alert(4)</script>'))"
    shout.cells.append(
        nbformat.v4.new_code_cell(code + "\nprint('\\x1b[31mred')\n'<script>alert(5)</script>'")
    )
    shout.cells.append(nbformat.v4.new_code_cell("raise ValueError('<script>alert(6)</script>')"))
    shout.cells.append(nbformat.v4.new_markdown_cell("<script>alert(7)</script>"))
    hand_in(room, "eve", shout)
    run(room)
    graded = notebook(room, "eve")
    kinds = {output.output_type for cell in graded.cells for output in cell.get("outputs", [])}
    assert kinds <= {"stream", "error"}
    html = page(room, "eve")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert 'href="javascript' not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "\x1b" not in html


def test_stored_output_of_a_submission_is_bounded(room: Path, right: dict[str, str]) -> None:
    loud = answered(room, right)
    loud.cells.extend(nbformat.v4.new_code_cell("print('y' * 10**6)") for _ in range(40))
    hand_in(room, "ann", loud)
    run(room)
    texts = [output.text for cell in notebook(room, "ann").cells for output in cell.get("outputs", [])]
    assert max(map(len, texts)) <= 10_000
    assert sum(map(len, texts)) < 210_000


def test_secret_is_made_once_with_owner_only_permissions(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    run(room)
    secret = (room / SECRET).read_bytes()
    assert len(secret) == 32
    assert stat.S_IMODE((room / SECRET).stat().st_mode) == 0o600
    workers = Here()
    run(room, workers, force=True)
    assert (room / SECRET).read_bytes() == secret
    assert {job.secret for job in workers.jobs if isinstance(job, Job)} == {secret}
    assert SECRET in (ROOT / ".gitignore").read_text()


def test_only_one_run_at_a_time(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))

    def second_run(job: Job | Page) -> None:
        with pytest.raises(CourseError, match="Another"):
            run(room)

    summary, _ = run(room, Here(second_run))
    assert not summary.failed


@pytest.mark.parametrize("way", ["the file", "a link", "a relative path"])
def test_two_courses_on_one_sqlite_file_are_two_runs(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    hand_in(room, "ann", answered(room, right))
    other = room.parent / "other"
    shutil.copytree(room, other)
    (other / "gradebook.db").unlink()
    (other / "link.db").symlink_to(room / "gradebook.db")
    monkeypatch.chdir(other)
    named = {"the file": room / "gradebook.db", "a link": other / "link.db"}
    url = f"sqlite:///{named.get(way, '../class/gradebook.db')}"
    with (other / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")

    def second_run(job: Job | Page) -> None:
        with pytest.raises(CourseError, match="Another `autograder grade` is busy in the gradebook"):
            run(other)

    summary, _ = run(room, Here(second_run))
    assert not summary.failed
    summary, _ = run(other)  # the run has released the lock
    assert not summary.failed


# --- Rejected submissions -------------------------------------------------------------------------------


def test_odd_entries_are_rejected_and_the_batch_goes_on(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    hand_in(room, "bad", '{"cells": [')
    hand_in(room, "a;b", answered(room, right))
    (room / "submitted" / "link").symlink_to(room / "submitted" / "ann")
    (room / "submitted" / "none" / STEPS).mkdir(parents=True)
    (room / "submitted" / "nothing").mkdir()
    (room / "submitted" / "README").write_text("not a student")
    folder = room / "submitted" / "dir" / STEPS
    folder.mkdir(parents=True)
    (folder / f"{STEPS}.ipynb").symlink_to("/etc/passwd")
    summary, said = run(room)
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
    assert len(said) == 5
    assert grades(room, "bad") == {name: (None, True) for name in PASSED}  # no score yet: a person decides
    assert "cut short" in (comments(room, "bad")["double"] or "")
    assert "잘렸거나" in page(room, "bad")
    assert sorted(os.listdir(room / "autograded")) == ["ann", "bad", "dir", "link", "none"]


def test_rejection_withdraws_the_older_grade_and_quotes_it(room: Path, right: dict[str, str]) -> None:
    first = answered(room, right | WRONG)
    hand_in(room, "ann", first)
    run(room)
    hand_in(room, "ann", "{")
    for _ in range(2):
        summary, _ = run(room)
        assert grades(room, "ann") == {name: (None, True) for name in PASSED}  # the new file has no score
        said = comments(room, "ann")
        assert "cut short" in (said["Counter"] or "")
        assert "Your earlier file had 3 of 3 points for this task." in (said["Counter"] or "")
        assert "Your earlier file had 0 of 2 points for this task." in (said["double"] or "")
        assert "earlier file had" not in (said["why"] or ""), "nobody had graded it"
        assert "Your earlier file had 3 of 5 points." in page(room, "ann")
        assert "이전에 제출한 파일" not in page(room, "ann"), "the earlier file was in English"
        end = closed(room, summary)
        assert end.unread[f"ann/{STEPS}"].endswith("The earlier file had 3 of 5 points.")
    hand_in(room, "ann", "")  # also unreadable: the last readable file is still quoted
    run(room, Here(broken("ann")))
    assert "Your earlier file had 3 of 3 points" in (comments(room, "ann")["Counter"] or "")
    hand_in(room, "ann", first)
    run(room)
    assert grades(room, "ann") == HALF | {"why": (None, True)}
    assert comments(room, "ann")["Counter"] is None


def test_blank_notebook_next_to_an_unreadable_one_scores_no_zero(room: Path, right: dict[str, str]) -> None:
    """`nbgrader fetch_assignment` leaves notebooks in both languages, and a student works in one of them."""
    path = hand_in(room, "ann", answered(room, right))
    korean = path.with_name(f"{STEPS}.ko.ipynb")
    korean.write_text(nbformat.writes(answered(room, {}, "ko")))
    run(room)
    assert grades(room, "ann") == BY_HAND
    path.write_text("")
    summary, said = run(room)
    assert said == [f"ann/{STEPS}: rejected:empty"]
    assert grades(room, "ann") == {name: (None, True) for name in PASSED}
    assert f"{path.name}: The file is empty." in closed(room, summary).unread[f"ann/{STEPS}"]
    assert "Your earlier file had 2 of 2 points" in (comments(room, "ann")["double"] or "")
    korean.write_text(nbformat.writes(answered(room, right, "ko")))
    _, said = run(room)
    assert said == [f"ann/{STEPS}: counted:{korean.name}"]
    assert grades(room, "ann") == BY_HAND


def test_misplaced_note_awaits_manual_grading_as_typed(room: Path, right: dict[str, str]) -> None:
    evil = "It *adds*. <script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3))"
    code = {name: text for name, text in right.items() if name != "why"}
    for student, place in (("ann", None), ("bob", 1)):  # below the note, and elsewhere
        work = answered(room, code)
        at = len(work.cells) if place is None else place
        work.cells.insert(at, nbformat.v4.new_markdown_cell(evil))
        hand_in(room, student, work)
    summary, said = run(room)
    assert said == [f"ann/{STEPS}: found_by_place:why"]
    assert (grades(room, "ann"), grades(room, "bob")) == (BY_HAND, PASSED)
    assert closed(room, summary).notes == (1, 1)
    for student in ("ann", "bob"):
        (cell,) = [cell for cell in notebook(room, student).cells if "It *adds*." in cell.source]
        assert typed_text(cell.source) == evil
        html = page(room, student)
        assert html.count("It *adds*. &lt;script&gt;alert(1)") == 1
        assert "<script>alert" not in html
        assert 'href="javascript' not in html


def test_rejected_resubmission_keeps_manual_points(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    run(room)
    with book(room) as gradebook:
        grade = gradebook.find_grade("why", STEPS, STEPS, "ann")
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.db.commit()
    hand_in(room, "ann", "{")
    run(room)
    with book(room) as gradebook:
        grade = gradebook.find_grade("why", STEPS, STEPS, "ann")
        assert (grade.manual_score, grade.needs_manual_grade) == (0.5, True)
    assert "Your earlier file had 0.5 of 1 points" in (comments(room, "ann")["why"] or "")


def closed(room: Path, summary: batch.RunOutcome) -> RunSummary:
    course = Course.at(room)
    return summarize_run(summary, course.submitted, Gradable([STEPS], []), [], is_exported)


def test_missing_packages_are_listed_with_the_students_who_import_them(
    room: Path, right: dict[str, str]
) -> None:
    """The run that grades the submissions lists the packages, and so do later runs, which grade nothing."""
    inside = {"double": "def double(x):\n    import no_such_package\n    return 2 * x"}
    notebooks = {
        "ann": answered(room, right | inside),
        "bob": answered(room, right),
        "cho": answered(room, right),
    }
    for student in ("bob", "cho"):
        notebooks[student].cells.insert(0, nbformat.v4.new_code_cell("import no_such_package.part, os"))
    notebooks["cho"].cells.insert(0, nbformat.v4.new_code_cell("from \\\n  other_one import x"))
    for student, notebook_ in notebooks.items():
        hand_in(room, student, notebook_)
    for _ in range(2):
        packages = closed(room, run(room)[0]).packages
        assert list(packages.items()) == [("no_such_package", ["ann", "bob", "cho"]), ("other_one", ["cho"])]


def test_unreadable_file_is_listed_by_every_run_until_settled(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    hand_in(room, "bad", "{")
    for _ in range(2):
        end = closed(room, run(room)[0])
        assert (end.graded, end.notes, end.is_clean) == (1, (1, 1), False)
        assert list(end.unread) == [f"bad/{STEPS}"]
        assert "cut short or damaged" in end.unread[f"bad/{STEPS}"]
    with book(room) as gradebook:
        for grade in gradebook.find_submission_notebook(STEPS, STEPS, "bad").grades:
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    end = closed(room, run(room)[0])
    assert (end.graded, end.is_clean) == (2, True)
    hand_in(room, "bad", "")  # a new problem: only the first one was settled
    assert not closed(room, run(room)[0]).is_clean
    hand_in(room, "bad", answered(room, right))
    assert closed(room, run(room)[0]).unread == {}


def test_several_answered_notebooks_are_listed_until_one_is_left(room: Path, right: dict[str, str]) -> None:
    work, copy = answered(room, right), f"{STEPS} (1).ipynb"
    stub = answered(room, {})
    path = hand_in(room, "ann", stub)
    path.with_name(copy).write_text(nbformat.writes(work))
    summary, _ = run(room)
    assert closed(room, summary).is_clean  # nothing to decide: the other notebook has no answers
    assert grades(room, "ann")["test_double"] == (2.0, False)
    assert f"This one was graded: <code>{copy}</code>" in page(room, "ann")
    hand_in(room, "ann", answered(room, WRONG))
    for _ in range(2):
        summary, _ = run(room)
        end = closed(room, summary)
        assert not end.is_clean
        assert f"{path.name} counted; other answers are in {copy}." in end.several[f"ann/{STEPS}"]
    assert grades(room, "ann")["test_double"] == (0.0, False)
    path.unlink()
    assert closed(room, run(room)[0]).is_clean
    assert grades(room, "ann")["test_double"] == (2.0, False)


def test_unreadable_file_counts_in_no_total_until_graded_by_hand(room: Path) -> None:
    hand_in(room, "bad", "{")

    def totals() -> tuple[float, float]:
        (row,) = run(room)[0].as_json()
        return row["score"], row["max_score"]

    assert (totals(), totals()) == ((0, 0), (0, 0))
    with book(room) as gradebook:
        grade = gradebook.find_grade("test_double", STEPS, STEPS, "bad")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    assert totals() == (1.5, 2)


def test_ungraded_submission_counts_in_no_total(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    (row,) = run(room, Here(broken("ann")))[0].as_json()
    assert (row["score"], row["max_score"]) == (0, 0)
    assert row["flags"] == ["grader_failure"]


def test_unexpected_folders_in_submitted_are_named(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    submitted = room / "submitted"
    (submitted / "bob" / "01_stepz").mkdir(parents=True)
    (submitted / "cho" / "homework").mkdir(parents=True)
    (submitted / "dan" / "1").mkdir(parents=True)
    (submitted / "dan" / "Lesson 01").mkdir(parents=True)
    (submitted / "dan" / "2").mkdir(parents=True)
    (submitted / "Kim Minji_123456_assignsubmission_file_").mkdir()
    (submitted / "Kim Minji_123456_assignsubmission_file_" / "steps.ipynb").touch()
    (submitted / "download.zip").touch()
    (submitted / "empty").mkdir()
    with book(room) as gradebook:
        gradebook.add_student("lee")
    end = closed(room, run(room)[0])
    assert end.unknown == {
        "Kim Minji_123456_assignsubmission_file_": "An LMS's download was unpacked here. "
        "Move it away and use autograder collect DOWNLOAD.zip.",
        "bob/01_stepz": f"Did you mean {STEPS}? Then rename it.",
        "cho/homework": f"No lesson has this name; the lessons are: {STEPS}.",
        "dan/1": f"Did you mean {STEPS}? Then rename it.",
        "dan/2": f"No lesson has this name; the lessons are: {STEPS}.",
        "dan/Lesson 01": f"Did you mean {STEPS}? Then rename it.",
        "download.zip": "It is a file. A submission is a folder inside the student's: student/lesson/.",
    }
    assert end.absent == {STEPS: ["lee"]}
    assert not end.is_clean


def test_misplaced_notebook_is_listed_with_its_proper_folder(room: Path, right: dict[str, str]) -> None:
    submitted = hand_in(room, "gus", answered(room, right)).parents[2]
    names = [f"{STEPS}.ipynb", f"{STEPS} (1).ipynb.txt", "01_stepz.IPYNB", "lesson 1.ipynb", "mine.ipynb"]
    for student in ("gus", "hal"):
        (submitted / student / ".ipynb_checkpoints").mkdir(parents=True)
        for name in (*names, "roster.csv", ".hidden.ipynb"):
            (submitted / student / name).touch()
    (submitted / "gus" / "folder.ipynb").mkdir()
    end = closed(room, run(room)[0])
    found = dict(end.unknown)
    assert found.pop("gus/folder.ipynb").startswith("No lesson has this name")
    there = f"Move it into gus/{STEPS}/ if it should count there; if not, delete it."
    assert {which: to_do for which, to_do in found.items() if which.startswith("gus")} == {
        **{f"gus/{name}": there for name in names[:-1]},
        "gus/mine.ipynb": "A notebook is looked for in a lesson's folder only. Move it into student/lesson/.",
    }
    assert found[f"hal/{STEPS}.ipynb"] == f"Move it into hal/{STEPS}/, a folder that you make."
    assert set(found) == {f"{student}/{name}" for student in ("gus", "hal") for name in names}
    assert not end.is_clean


def test_student_id_missing_from_the_class_list_is_named_and_graded(
    room: Path, right: dict[str, str]
) -> None:
    with book(room) as opened:
        for who in ("ann", "bob", "cho", "dee"):
            opened.add_student(who, last_name=who.upper())
    for who in ("anne", "bob", "20231234", "Kim Minji"):  # the last one is invalid and listed elsewhere
        hand_in(room, who, answered(room, right))
    for _ in range(2):  # the second run finds these ids in the gradebook
        end = closed(room, run(room, Here(told))[0])
        assert set(end.strangers) == {"anne", "20231234"}
        assert "did you mean ann?" in end.strangers["anne"]
        assert "nbgrader db student add 20231234 " in end.strangers["20231234"]
    assert grades(room, "anne")["test_double"] == (0.0, False)
    shutil.rmtree(room / "submitted" / "Kim Minji")
    with book(room) as opened:
        opened.update_or_create_student("20231234", email="lee@example.edu")
    end = closed(room, run(room, Here(told))[0])
    assert (set(end.strangers), end.is_clean) == ({"anne"}, True)


def test_unknown_student_ids_are_listed_only_if_there_is_a_class_list(
    room: Path, right: dict[str, str]
) -> None:
    hand_in(room, "ann", answered(room, right))
    assert not closed(room, run(room, Here(told))[0]).strangers
    hand_in(room, "bob", answered(room, right))
    assert not closed(room, run(room, Here(told))[0]).strangers, "nobody has entered a class"
    with book(room) as opened:
        opened.add_student("cho")
    hand_in(room, "cho", answered(room, right))
    hand_in(room, "eve", answered(room, right))
    assert set(closed(room, run(room, Here(told))[0]).strangers) == {"eve"}
    assert not closed(room, run(room, Here(told))[0]).strangers


def test_student_id_in_any_script_is_accepted(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "김민지", answered(room, right, "ko"))
    summary, _ = run(room)
    assert grades(room, "김민지")["test_double"] == (2.0, False)
    assert page(room, "김민지")
    assert closed(room, summary).is_clean


def test_an_empty_class_has_no_submissions(room: Path) -> None:
    assert find_submissions(Course.at(room), [STEPS]) == []
    (room / "submitted").mkdir()
    assert find_submissions(Course.at(room), [STEPS]) == []


# --- Nothing twice, nothing lost --------------------------------------------------------------------------


def test_second_run_examines_only_what_is_new(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    hand_in(room, "bob", answered(room, right))
    run(room)
    hand_in(room, "bob", answered(room, right | WRONG))
    workers = Here()
    summary, _ = run(room, workers)
    assert workers.examined == ["bob"]
    assert (summary.done, summary.graded_before) == (2, 1)
    assert grades(room, "bob") == HALF | {"why": (None, True)}
    assert {r["student"]: r["score"] for r in summary.as_json()} == {"ann": 5, "bob": 3}
    again = Here()
    run(room, again, force=True)
    assert again.examined == ["ann", "bob"]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Write your answer in the answer cell."), ("ko", "답은 답 셀에 쓰세요.")]
)
def test_answer_typed_into_the_test_cell_is_explained(room: Path, language: str, words: str) -> None:
    handed = answered(room, {}, language)
    test = next(cell for cell in handed.cells if grade_id(cell) == "test_double")
    first, _, rest = test.source.partition("\n")
    test.source = f"double = lambda x: 2 * x\n{rest}"
    hand_in(room, "ann", handed)
    summary, _ = run(room)
    double, counter, _ = summary.as_json()[0]["tasks"]
    assert (double["outcome"], counter["outcome"]) == ("not_attempted", "not_attempted")
    assert words in double["message"]
    assert words not in counter["message"]
    assert words in page(room, "ann")
    assert first not in test.source


def test_changed_tests_grade_again(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    run(room)
    source = room / "source" / STEPS / f"{STEPS}.ipynb"
    source.write_text(source.read_text().replace("draw(5.0, 6.0)", "draw(7.0, 8.0)"))
    workers = Here()
    run(room, workers)
    assert workers.examined == ["ann"]


def test_automatic_grade_changed_in_the_gradebook_is_replaced(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    run(room)
    with sqlite3.connect(room / "gradebook.db") as raw:
        raw.execute("UPDATE grade SET auto_score = 2.0 WHERE auto_score = 0.0")
    workers = Here()
    run(room, workers)
    assert workers.examined == ["ann"]
    assert grades(room, "ann")["test_double"] == (0.0, False)


def test_handing_in_the_same_again_keeps_the_grade_and_takes_the_new_time(
    room: Path, right: dict[str, str]
) -> None:
    hand_in(room, "ann", answered(room, right), timestamp="2026-11-01 10:00:00 UTC")
    run(room)
    hand_in(room, "ann", answered(room, right), timestamp="2026-11-02 10:00:00 UTC")
    workers = Here()
    run(room, workers)
    assert workers.examined == []
    course = Course.at(room)
    (row,) = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert row["autograded"]
    assert row["timestamp"] == "2026-11-02T10:00:00"


def by_hand(room: Path, student: str) -> None:
    """Enter grades and a comment, as an instructor does in formgrader."""
    with book(room) as opened:
        written = opened.find_grade("why", STEPS, STEPS, student)
        written.manual_score, written.extra_credit, written.needs_manual_grade = 1.0, 0.5, False
        kind = opened.find_grade("test_double", STEPS, STEPS, student)
        kind.manual_score, kind.needs_manual_grade = 1.5, False
        opened.find_comment("why", STEPS, STEPS, student).manual_comment = "Well said."
        opened.find_submission_notebook(STEPS, STEPS, student).flagged = True
        opened.db.commit()


def manual(room: Path, student: str) -> list[object]:
    with book(room) as opened:
        notebook = opened.find_submission_notebook(STEPS, STEPS, student)
        found = {grade.name: grade for grade in notebook.grades}
        why, double = found["why"], found["test_double"]
        said = opened.find_comment("why", STEPS, STEPS, student).manual_comment
        return [why.manual_score, why.extra_credit, double.manual_score, said, notebook.flagged]


BY_PERSON = [1.0, 0.5, 1.5, "Well said.", True]


def waiting(room: Path, student: str) -> set[str]:
    return {name for name, (_, waits) in grades(room, student).items() if waits}


def test_manual_grades_and_comments_survive_regrading(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    run(room)
    by_hand(room, "ann")
    run(room, force=True)
    assert manual(room, "ann") == BY_PERSON
    assert waiting(room, "ann") == set()
    assert "Well said." in page(room, "ann")
    # A changed answer keeps its manual score, but a person must look at the answer again.
    hand_in(room, "ann", answered(room, right | WRONG | {"why": "Another reason."}))
    run(room)
    assert manual(room, "ann") == BY_PERSON
    assert waiting(room, "ann") == {"why"}
    hand_in(room, "ann", answered(room, right | {"why": "Another reason."}))
    run(room)
    (row,) = run(room)[0].as_json()
    assert waiting(room, "ann") == {"why", "test_double"}
    assert manual(room, "ann") == BY_PERSON
    # Both tasks are listed, and count in no total, until a person has looked at them.
    end = closed(room, run(room)[0])
    assert (end.notes, end.overruled, end.is_clean) == ((1, 1), (1, 1), True)
    assert {task["id"] for task in row["tasks"] if task["outcome"] == "manual"} == {"why", "double"}
    assert row["max_score"] == 3
    by_hand(room, "ann")
    end = closed(room, run(room)[0])
    assert (end.notes, end.overruled) == ((0, 0), (0, 0))


def test_failed_regrading_keeps_manual_points_and_comments(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    run(room)
    by_hand(room, "ann")
    run(room, Here(broken("ann")), force=True)
    assert waiting(room, "ann") == {"why", "test_double", "test_Counter"}
    run(room)
    assert waiting(room, "ann") == set()
    assert manual(room, "ann") == BY_PERSON


# --- Failures ---------------------------------------------------------------------------------------------


def broken(student: str) -> Callable[[Job | Page], Done | None]:
    """Return a stand-in for the wall that fails for one student."""

    def spoil(job: Job | Page) -> Done | None:
        return Failed("no room could be made") if isinstance(job, Job) and job.student == student else None

    return spoil


def test_failed_grading_is_retried_then_retried_alone_and_scores_no_zero(
    room: Path, right: dict[str, str]
) -> None:
    hand_in(room, "ann", answered(room, right))
    hand_in(room, "bob", answered(room, right))
    workers = Here(broken("ann"))
    summary, said = run(room, workers)
    assert workers.examined == ["ann", "ann", "bob", "ann"]
    assert summary.failed == {Entry("ann", STEPS): "no room could be made"}
    assert said == [
        f"ann/{STEPS}: not graded: no room could be made\n"
        f"See what `autograder doctor` says, then grade it again: `autograder grade {STEPS} --student ann`"
    ]
    first = summary.as_json()[0]
    assert {task["outcome"] for task in first["tasks"]} == {"grader_failure"}
    assert first["flags"] == ["grader_failure"]
    with book(room) as opened:
        assert [student.id for student in opened.students] == ["bob"]
    assert not (room / "autograded" / "ann").exists()


def test_recovered_grader_failure_leaves_no_flag(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    failures = iter([Failed("for now")])
    summary, _ = run(room, Here(lambda job: next(failures, None)))
    assert not summary.failed
    assert grades(room, "ann") == BY_HAND


def test_worker_that_raises_is_a_failure_of_the_grader(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))

    def spoil(job: Job | Page) -> None:
        raise OSError("disk full")

    summary, _ = run(room, Here(spoil))
    assert summary.failed == {Entry("ann", STEPS): "OSError: disk full"}


def test_machine_that_was_too_busy_gives_no_verdict(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    answers = iter([Busy("it waited for a processor")])
    summary, said = run(room, Here(lambda job: next(answers, None)))
    assert not summary.failed
    assert not said
    assert grades(room, "ann") == BY_HAND


def test_starved_examiner_is_busy_and_a_broken_wall_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def examine(error: WallError) -> Done:
        def wall(hidden: object) -> None:
            raise error

        monkeypatch.setattr(worker, "_wall", wall)
        return worker.examine(Job("ann", STEPS, "{}", Script((), "en", ""), b"", ()))

    assert examine(Overloaded("late")) == Busy("late")
    assert examine(WallError("down")) == Failed("down")


# --- Side files and slow texts ----------------------------------------------------------------------------


def test_malformed_timestamp_costs_no_student_a_grade(room: Path, right: dict[str, str]) -> None:
    odd = ["2026-01-01 00:00:00 UTC,J366,M3.2.0", "0001-01-01 00:00:00 +9999", "9" * 10_000, "2026-11-01"]
    for number, text in enumerate(odd):
        hand_in(room, f"s{number}", answered(room, right), timestamp=text)
    hand_in(room, "pipe", answered(room, right))
    os.mkfifo(room / "submitted" / "pipe" / STEPS / "timestamp.txt")
    summary, said = run(room)
    assert not summary.failed
    assert not said
    assert summary.done == len(odd) + 1


SLOW = ["~a", "a*", "*", "!a", "[", "%%html\n<a ", '"""', "f'{"]


@pytest.mark.whole
def test_texts_that_are_slow_to_highlight_get_a_page(room: Path, right: dict[str, str]) -> None:
    slow = answered(room, right | {"why": "[" * 90_000})
    slow.cells.extend(
        nbformat.v4.new_code_cell("\n ".join(["if 0:", *[unit * 45] * 198]))
        for unit in SLOW
        for _ in range(3)
    )
    slow.cells.append(nbformat.v4.new_code_cell("last = 'of all'"))
    hand_in(room, "ann", slow)

    def spoil(job: Job | Page) -> Done | None:
        if isinstance(job, Page):
            return None
        return Examined(uniform_report(STEPS, tasks(nbformat.v4.reads(job.source)), "wrong", "No."), "forked")

    started = time.process_time()
    summary, said = run(room, Here(spoil))
    assert time.process_time() - started < worker.RENDER_SECONDS / 3
    assert not summary.failed
    assert not said
    colours = [
        cell.metadata.magics_language for cell in notebook(room, "ann").cells if cell.cell_type == "code"
    ]
    assert set(colours) == {"python3", "text"}
    shown = html.unescape(re.sub("<[^>]+>", "", page(room, "ann")))
    assert shown.count("~a" * 45) >= 3 * 198
    assert "[" * 90_000 in shown


def test_failing_page_is_made_without_the_student_cells(room: Path, right: dict[str, str]) -> None:
    work = answered(room, right | {"double": "def double(x):\n    return 7  # words of ann's"})
    work.cells.insert(1, nbformat.v4.new_markdown_cell("More words of ann's"))
    hand_in(room, "ann", work)

    def spoil(job: Job | Page) -> Done | None:
        return Failed("it took too long") if isinstance(job, Page) and not job.bare else None

    summary, said = run(room, Here(spoil))
    assert not summary.failed
    assert said == [
        f"ann/{STEPS}: the page is without the student's cells, since it fails with them: it took too long"
    ]
    shown = html.unescape(re.sub("<[^>]+>", "", page(room, "ann")))
    assert "words of ann's" not in shown
    assert "Your file is unchanged." in shown
    assert "제출한 파일은 그대로 있습니다" in shown
    assert "words of ann's" in str(notebook(room, "ann"))
    assert {points for points, _ in grades(room, "ann").values()} == {0.0, 3.0, None}


def test_resubmission_that_cannot_be_graded_marks_the_older_grade(room: Path, right: dict[str, str]) -> None:
    code = {name: text for name, text in right.items() if name != "why"}
    first = answered(room, code)
    hand_in(room, "ann", first)
    run(room)
    hand_in(room, "ann", answered(room, code | WRONG))
    run(room, Here(broken("ann")))
    assert grades(room, "ann") == STALE
    assert all("has not been graded yet" in (text or "") for text in comments(room, "ann").values())
    # The mark disappears if the new file is graded after all, or if the first file is submitted again.
    run(room)
    assert grades(room, "ann") == HALF
    assert comments(room, "ann") == {"double": None, "Counter": None, "why": "No response."}
    hand_in(room, "ann", first)
    run(room, Here(broken("ann")))
    assert waiting(room, "ann")
    hand_in(room, "ann", answered(room, code | WRONG))
    workers = Here()
    run(room, workers)
    assert workers.examined == []
    assert grades(room, "ann") == HALF


def test_grading_stops_if_no_wall_can_be_built(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    with pytest.raises(WallUnavailable, match="bubblewrap"):
        run(room, Here(lambda job: NoWall("bubblewrap is not installed.", "Install it.")))


def test_interrupted_run_goes_on_where_it_stopped(room: Path, right: dict[str, str]) -> None:
    for student in ("ann", "bob", "cho"):
        hand_in(room, student, answered(room, right))

    def stop(job: Job | Page) -> None:
        if isinstance(job, Job) and job.student == "bob":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(room, Here(stop))
    workers = Here()
    summary, _ = run(room, workers)
    assert workers.examined == ["bob", "cho"]
    assert (summary.done, summary.graded_before) == (3, 1)


@pytest.mark.parametrize("where", ["autograded", "feedback"])
def test_crash_before_folders_are_written_is_repaired_by_the_next_run(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    hand_in(room, "ann", answered(room, right))
    run(room)
    hand_in(room, "ann", answered(room, right | WRONG))
    write = replace_folder

    def crash(folder: Path, *rest: Any) -> None:
        if where in folder.parts:
            raise KeyboardInterrupt
        write(folder, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(batch, "replace_folder", crash)
        with pytest.raises(KeyboardInterrupt):
            run(room)
    assert grades(room, "ann")["test_double"] == (0.0, False)
    workers = Here()
    run(room, workers)
    assert workers.examined == []
    assert "you squared the number" in page(room, "ann")


def test_unwritable_folder_is_reported_and_written_by_the_next_run(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(room, "ann", answered(room, right))

    def full(*_: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(batch, "replace_folder", full)
        summary, said = run(room)
    assert list(summary.failed) == [Entry("ann", STEPS)]
    assert "graded, but its folders could not be written" in said[0]
    assert waiting(room, "ann") == {"why"}  # the grade itself is stored
    workers = Here()
    summary, _ = run(room, workers)
    assert workers.examined == []
    assert not summary.failed
    assert page(room, "ann")


def test_deleted_feedback_folder_is_written_again_without_regrading(
    room: Path, right: dict[str, str]
) -> None:
    hand_in(room, "ann", answered(room, right))
    run(room)
    shutil.rmtree(room / "feedback")
    workers = Here()
    run(room, workers)
    assert workers.examined == []
    assert page(room, "ann")


def test_locked_gradebook_costs_one_submission_at_most(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.0)
    with (room / "nbgrader_config.py").open("a") as config:  # SQLite itself would wait five seconds
        config.write(f'\nc.CourseDirectory.db_url = "sqlite:///{room}/gradebook.db?timeout=0.1"\n')
    for student in ("ann", "bob"):
        hand_in(room, student, answered(room, right))
    run(room)
    for student in ("ann", "bob"):
        hand_in(room, student, answered(room, right | WRONG))
    held = sqlite3.connect(room / "gradebook.db")

    def hold(job: Job | Page) -> None:
        if isinstance(job, Job) and job.student == "ann":
            held.execute("BEGIN IMMEDIATE")

    summary, _ = run(room, Here(hold), hear=lambda text: held.rollback())
    held.close()
    assert [str(entry) for entry in summary.failed] == [f"ann/{STEPS}"]
    assert "locked" in summary.failed[Entry("ann", STEPS)]
    assert waiting(room, "ann") == {"test_double", "test_Counter", "why"}
    assert grades(room, "bob")["test_double"] == (0.0, False)
    run(room)
    assert grades(room, "ann")["test_double"] == (0.0, False)


def test_late_submission_gets_the_courses_late_penalty(room: Path, right: dict[str, str]) -> None:
    with (room / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    hand_in(room, "ann", answered(room, right), timestamp="2026-11-01 10:00:00 UTC")
    run(room)
    with book(room) as opened:
        opened.update_or_create_assignment(STEPS, duedate="2026-10-01 00:00:00 UTC")
    run(room, force=True)
    with book(room) as opened:
        assert opened.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty == 5.0
    assert "Points taken off for late submission: 5" in page(room, "ann")
