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
from autograder.report.write import ReportOptions, write_report
from tests.support.exports import moodle, write
from tests.support.plain_class import (
    FIRST,
    RIGHT,
    RIGHT_SECOND,
    SECOND,
    WRONG,
    add_assignments,
    filled_notebook,
    submit,
)
from tests.support.small_class import run

NOW = datetime(2026, 11, 30, 12, 0)


@pytest.fixture(scope="module")
def graded_course(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded class of three. A test must copy the class before changing anything."""
    course_root = tmp_path_factory.mktemp("plain") / "class"
    shutil.copytree(built_course, course_root)
    add_assignments(course_root)
    second_notebook = {"more": filled_notebook(SECOND, RIGHT_SECOND)}
    submit(course_root, "ann", {"ps": filled_notebook(FIRST, RIGHT), **second_notebook})
    submit(course_root, "bob", {"ps": filled_notebook(FIRST, WRONG), **second_notebook})
    submit(course_root, "cho", {"ps": "{", **second_notebook})
    run(course_root, lessons=["ps"])
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        for cell in ("why", "essay"):
            grade = book.find_grade(cell, "ps", "ps", "ann")
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        book.db.commit()
    run(course_root, lessons=["ps"])
    return course_root


@pytest.fixture
def course_copy(graded_course: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded_course, tmp_path / "class"))


# --- nbgrader's commands and buttons -----------------------------------------------------------------------


def test_buttons_call_the_command_for_every_assignment(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    popen = subprocess.Popen

    def start(command: list[str], **options: Any) -> Any:
        calls.append(command[4:])
        return popen([sys.executable, "-c", "print('1 submission graded')"], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    api = NbGraderAPI(config=load_config(course_copy))
    assert api.autograde("ps", "ann")["success"]
    assert api.generate_feedback("ps", "ann", force=False)["success"]
    assert calls == [["grade", "ps", "--student=ann", "--force"], ["feedback", "ps", "--student=ann"]]
    config = load_config(course_copy)
    config.merge(Config({"CourseDirectory": {"notebook_id": "more"}}))
    result = NbGraderAPI(config=config).autograde("ps", "ann")
    assert "a submission is graded whole. Leave out --notebook." in result["error"]


@pytest.mark.whole
def test_nbgrader_api_autograde_grades_every_notebook_of_an_assignment(course_copy: Path) -> None:
    shutil.rmtree(course_copy / "autograded")
    submit(
        course_copy, "ann", {"ps": filled_notebook(FIRST, {}), "more": filled_notebook(SECOND, RIGHT_SECOND)}
    )
    response = NbGraderAPI(config=load_config(course_copy)).autograde("ps", "ann")
    assert response["success"], response
    assert {path.name for path in (course_copy / "autograded/ann/ps").glob("*.ipynb")} == {
        "ps.ipynb",
        "more.ipynb",
    }


# --- Exports -----------------------------------------------------------------------------------------------


def export_scores(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the scores that `nbgrader export` writes, by student."""
    monkeypatch.chdir(course_root)
    app = ExportApp()
    app.initialize(["--to", "grades.csv"])
    app.start()
    with (course_root / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: row["score"] for row in csv.DictReader(file) if row["assignment"] == "ps"}


def test_newer_file_is_not_exported_with_the_older_files_score(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert export_scores(course_copy, monkeypatch) == {"ann": "8.0", "bob": "", "cho": ""}
    submit(
        course_copy,
        "ann",
        {"ps": filled_notebook(FIRST, WRONG), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    assert export_scores(course_copy, monkeypatch)["ann"] == ""


def test_scores_of_a_plain_assignment_are_exported_to_the_lms(course_copy: Path) -> None:
    course = Course.at(course_copy)
    with Book(course.directory, course.config) as book:
        enter_people(
            book,
            [{"id": student, "last_name": student, "email": f"{student}@x.kr"} for student in ("ann", "bob")],
        )
    result = export(course, "canvas", "ps", column="Problem set")
    assert {row[2]: row[5] for row in result.table.rows} == {"ann": "8", "bob": "", "cho": ""}
    assert "manual grading" in result.blank["bob"]


def test_archive_of_a_learning_system_is_known_by_its_cells(course_copy: Path, tmp_path: Path) -> None:
    shutil.rmtree(course_copy / "submitted")
    files = {
        moodle("Kim Minji", 311, "ps.ipynb"): writes(filled_notebook(FIRST, RIGHT)),
        moodle("Kim Minji", 311, "more.ipynb"): writes(filled_notebook(SECOND, RIGHT_SECOND)),
        moodle("Ann B", 312, "more.ipynb"): writes(filled_notebook(SECOND, RIGHT_SECOND)),
    }
    course = Course.at(course_copy)
    result = collect(course, [write(tmp_path / "a.zip", files)])
    assert {line.outcome for line in result.lines} == {"collected"}
    collected_paths = {
        str(path.relative_to(course_copy / "submitted")) for path in course_copy.glob("submitted/*/*/*.ipynb")
    }
    assert collected_paths == {"Kim_Minji/ps/ps.ipynb", "Kim_Minji/ps/more.ipynb", "Ann_B/ps/more.ipynb"}
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": "Kim_Minji", "last_name": "Kim"}])
    run(course_copy, lessons=["ps"])
    moodle_export = export(course, "moodle", "ps")
    assert moodle_export.feedback is not None
    with zipfile.ZipFile(io.BytesIO(moodle_export.feedback)) as archive:
        names = {Path(name).name for name in archive.namelist()}
    assert names == {"ps.html", "more.html"}


# --- The report --------------------------------------------------------------------------------------------


def test_report_has_a_row_for_each_student_and_a_task_for_each_graded_cell(
    course_copy: Path, tmp_path: Path
) -> None:
    page, table = write_report(
        Course.at(course_copy), "ps", ReportOptions("en", False, tmp_path / "report"), NOW
    )
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8-sig")))}
    tasks = ["more/t", "t", "cell-77aa01b2", "why", "essay"]
    assert {student: [row[task] for task in tasks] for student, row in rows.items()} == {
        "ann": ["passed", "passed", "passed", "manual", "manual"],
        "bob": ["passed", "passed", "wrong", "not_attempted", "manual"],
        "cho": ["rejected"] * 5,
    }
    assert (rows["ann"]["points"], rows["ann"]["max_points"]) == ("8", "10")
    assert "cell-77aa01b2" in page.read_text("utf-8")


def test_report_on_the_course_has_a_column_for_each_assignment(course_copy: Path, tmp_path: Path) -> None:
    page, table = write_report(
        Course.at(course_copy), None, ReportOptions("en", False, tmp_path / "report"), NOW
    )
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8-sig")))}
    assert {student: row["ps"] for student, row in rows.items()} == {
        "ann": "80",
        "bob": "38",
        "cho": "unread",
    }
    assert ">ps<" in page.read_text("utf-8")
