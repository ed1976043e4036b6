"""Tests of assignments with ordinary nbgrader tests outside grading: buttons, exports, reports and an LMS."""

import csv
import io
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import writes
from nbgrader.api import Gradebook
from nbgrader.apps import ExportApp
from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config

from autograder.course.settings import Course, load_config
from autograder.gradebook.book import Book
from autograder.gradebook.class_list import enter_people
from autograder.lms.collect import collect
from autograder.lms.export import export
from autograder.report.write import Form, write_report
from tests.support.exports import moodle, write
from tests.support.plain_class import BEYOND, FIRST, RIGHT, SECOND, WRONG, add_assignments, filled, submit
from tests.support.small_class import run

NOW = datetime(2026, 11, 30, 12, 0)


@pytest.fixture(scope="module")
def graded_room(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded class of three. A test must copy the class before changing anything."""
    room = tmp_path_factory.mktemp("plain") / "class"
    shutil.copytree(built, room)
    add_assignments(room)
    two = {"more": filled(SECOND, BEYOND)}
    submit(room, "ann", {"ps": filled(FIRST, RIGHT), **two})
    submit(room, "bob", {"ps": filled(FIRST, WRONG), **two})
    submit(room, "cho", {"ps": "{", **two})
    run(room, lessons=["ps"])
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        for cell in ("why", "essay"):
            grade = book.find_grade(cell, "ps", "ps", "ann")
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        book.db.commit()
    run(room, lessons=["ps"])
    return room


@pytest.fixture
def own_room(graded_room: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded_room, tmp_path / "class"))


# --- nbgrader's commands and buttons -----------------------------------------------------------------------


def test_buttons_call_the_command_for_every_assignment(
    own_room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    real = subprocess.Popen

    def start(words: list[str], **given: Any) -> Any:
        calls.append(words[4:])
        return real([sys.executable, "-c", "print('1 submission graded')"], **given)

    monkeypatch.setattr(subprocess, "Popen", start)
    api = NbGraderAPI(config=load_config(own_room))
    assert api.autograde("ps", "ann")["success"]
    assert api.generate_feedback("ps", "ann", force=False)["success"]
    assert calls == [["grade", "ps", "--student=ann", "--force"], ["feedback", "ps", "--student=ann"]]
    config = load_config(own_room)
    config.merge(Config({"CourseDirectory": {"notebook_id": "more"}}))
    refused = NbGraderAPI(config=config).autograde("ps", "ann")
    assert "a submission is graded whole. Leave out --notebook." in refused["error"]


@pytest.mark.whole
def test_nbgrader_api_autograde_grades_every_notebook_of_an_assignment(own_room: Path) -> None:
    shutil.rmtree(own_room / "autograded")
    submit(own_room, "ann", {"ps": filled(FIRST, {}), "more": filled(SECOND, BEYOND)})
    answer = NbGraderAPI(config=load_config(own_room)).autograde("ps", "ann")
    assert answer["success"], answer
    assert {path.name for path in (own_room / "autograded/ann/ps").glob("*.ipynb")} == {
        "ps.ipynb",
        "more.ipynb",
    }


# --- Exports -----------------------------------------------------------------------------------------------


def exported(room: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the scores that `nbgrader export` writes, by student."""
    monkeypatch.chdir(room)
    app = ExportApp()
    app.initialize(["--to", "grades.csv"])
    app.start()
    with (room / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: row["score"] for row in csv.DictReader(file) if row["assignment"] == "ps"}


def test_newer_file_is_not_exported_with_the_older_files_score(
    own_room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exported(own_room, monkeypatch) == {"ann": "8.0", "bob": "", "cho": ""}
    submit(own_room, "ann", {"ps": filled(FIRST, WRONG), "more": filled(SECOND, BEYOND)})
    assert exported(own_room, monkeypatch)["ann"] == ""


def test_scores_of_a_plain_assignment_are_exported_to_the_lms(own_room: Path) -> None:
    course = Course.at(own_room)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": who, "last_name": who, "email": f"{who}@x.kr"} for who in ("ann", "bob")])
    done = export(course, "canvas", "ps", column="Problem set")
    assert {row[2]: row[5] for row in done.table.rows} == {"ann": "8", "bob": "", "cho": ""}
    assert "manual grading" in done.blank["bob"]


def test_archive_of_a_learning_system_is_known_by_its_cells(own_room: Path, tmp_path: Path) -> None:
    shutil.rmtree(own_room / "submitted")
    files = {
        moodle("Kim Minji", 311, "ps.ipynb"): writes(filled(FIRST, RIGHT)),
        moodle("Kim Minji", 311, "more.ipynb"): writes(filled(SECOND, BEYOND)),
        moodle("Ann B", 312, "more.ipynb"): writes(filled(SECOND, BEYOND)),
    }
    course = Course.at(own_room)
    done = collect(course, [write(tmp_path / "a.zip", files)])
    assert {line.outcome for line in done.lines} == {"collected"}
    found = {str(path.relative_to(own_room / "submitted")) for path in own_room.glob("submitted/*/*/*.ipynb")}
    assert found == {"Kim_Minji/ps/ps.ipynb", "Kim_Minji/ps/more.ipynb", "Ann_B/ps/more.ipynb"}
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": "Kim_Minji", "last_name": "Kim"}])
    run(own_room, lessons=["ps"])
    sent = export(course, "moodle", "ps")
    assert sent.feedback is not None
    with zipfile.ZipFile(io.BytesIO(sent.feedback)) as archive:
        names = {Path(name).name for name in archive.namelist()}
    assert names == {"ps.html", "more.html"}


# --- The report --------------------------------------------------------------------------------------------


def test_report_has_a_row_for_each_student_and_a_task_for_each_graded_cell(
    own_room: Path, tmp_path: Path
) -> None:
    page, table = write_report(Course.at(own_room), "ps", Form("en", False, tmp_path / "report"), NOW)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8-sig")))}
    tasks = ["more/t", "t", "cell-77aa01b2", "why", "essay"]
    assert {who: [row[task] for task in tasks] for who, row in rows.items()} == {
        "ann": ["passed", "passed", "passed", "manual", "manual"],
        "bob": ["passed", "passed", "wrong", "not_attempted", "manual"],
        "cho": ["rejected"] * 5,
    }
    assert (rows["ann"]["points"], rows["ann"]["max_points"]) == ("8", "10")
    assert "cell-77aa01b2" in page.read_text("utf-8")


def test_report_on_the_course_has_a_column_for_each_assignment(own_room: Path, tmp_path: Path) -> None:
    page, table = write_report(Course.at(own_room), None, Form("en", False, tmp_path / "report"), NOW)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8-sig")))}
    assert {who: row["ps"] for who, row in rows.items()} == {"ann": "80", "bob": "38", "cho": "unread"}
    assert ">ps<" in page.read_text("utf-8")
