"""Tests of `nbgrader export`: a missing score is exported as empty and not as zero."""

import csv
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ExportApp
from sqlalchemy import text

from tests.support.small_class import STEPS, answered_notebook, hand_in, run


@pytest.fixture
def class_of_four(course_root: Path, correct_answers: dict[str, str]) -> Path:
    """Return a class: Ann is graded, Bob's note waits, Cho's file is unreadable, and Dan submits nothing."""
    hand_in(course_root, "ann", answered_notebook(course_root, {**correct_answers, "why": ""}))
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers))
    hand_in(course_root, "cho", "{")
    run(course_root)
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        book.add_student("dan", last_name="Roe, Jr.", first_name="=1+1")
    return course_root


def export_scores(
    course_root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> dict[str, dict[str, str]]:
    """Run `nbgrader export` with the course's configuration, and return the exported rows by student."""
    monkeypatch.chdir(course_root)
    app = ExportApp()
    app.initialize(["--to", "grades.csv", *arguments])
    app.start()
    with (course_root / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


def test_missing_score_is_exported_empty(class_of_four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = export_scores(class_of_four, monkeypatch)
    assert {student: row["score"] for student, row in rows.items()} == {
        "ann": "5.0",
        "bob": "",
        "cho": "",
        "dan": "",
    }
    assert {row["assignment"] for row in rows.values()} == {STEPS}
    assert float(rows["dan"]["max_score"]) > 5.0
    assert (rows["dan"]["last_name"], rows["dan"]["first_name"]) == ("Roe, Jr.", "'=1+1")


def test_manual_points_for_an_unreadable_file_are_exported(
    class_of_four: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gradebook(f"sqlite:///{class_of_four}/gradebook.db", "secant") as book:
        for grade in book.find_submission_notebook(STEPS, STEPS, "cho").grades:
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        book.db.commit()
    rows = export_scores(class_of_four, monkeypatch, "--student=cho")
    assert {student: row["score"] for student, row in rows.items()} == {"cho": "3.0"}


def test_exported_score_has_the_late_penalty_subtracted(
    class_of_four: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gradebook(f"sqlite:///{class_of_four}/gradebook.db", "secant") as book:
        book.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty = 2.0
        book.db.commit()
    row = export_scores(class_of_four, monkeypatch)["ann"]
    assert (row["raw_score"], row["late_submission_penalty"], row["score"]) == ("5.0", "2.0", "3.0")


def test_export_has_the_columns_of_nbgraders_exporter(
    class_of_four: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secant_row = export_scores(class_of_four, monkeypatch)["ann"]
    nbgrader_row = export_scores(class_of_four, monkeypatch, "--exporter=nbgrader.plugins.CsvExportPlugin")[
        "ann"
    ]
    assert list(secant_row) == list(nbgrader_row)
    assert secant_row == nbgrader_row


def test_a_file_that_is_newer_than_its_grade_has_no_score(
    class_of_four: Path,
    correct_answers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old_notebook = (class_of_four / "submitted/ann" / STEPS / f"{STEPS}.ipynb").read_text()
    hand_in(
        class_of_four, "ann", answered_notebook(class_of_four, {**correct_answers, "why": "", "double": "1"})
    )
    hand_in(class_of_four, "bob", answered_notebook(class_of_four, {**correct_answers, "why": "Another."}))
    hand_in(class_of_four, "dan", answered_notebook(class_of_four, correct_answers))
    rows = export_scores(class_of_four, monkeypatch)
    assert {row["score"] for row in rows.values()} == {""}
    assert (rows["ann"]["raw_score"], rows["ann"]["max_score"]) == ("", rows["dan"]["max_score"])
    warnings = capsys.readouterr().err
    assert "not graded yet: 3" in warnings
    assert "needs manual grading: 1" in warnings
    assert "handed in nothing" not in warnings
    hand_in(class_of_four, "ann", old_notebook)
    assert export_scores(class_of_four, monkeypatch)["ann"]["score"] == "5.0"
    shutil.rmtree(class_of_four / "submitted")  # after a term, staff may delete submitted/
    assert export_scores(class_of_four, monkeypatch)["ann"]["score"] == "5.0"


@pytest.mark.parametrize("change", ["DROP TABLE {}", "ALTER TABLE {} DROP COLUMN page"])
def test_a_gradebook_of_nbgraders_own_or_of_an_earlier_version_is_exported(
    class_of_four: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    with Gradebook(f"sqlite:///{class_of_four}/gradebook.db", "secant") as book:
        book.db.execute(text(change.format("autograder_record")))
        book.db.commit()
    assert export_scores(class_of_four, monkeypatch)["ann"]["score"] == "5.0"


def test_export_from_an_unbuilt_course_is_refused(
    class_of_four: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(class_of_four / "release")
    with pytest.raises(SystemExit):
        export_scores(class_of_four, monkeypatch)
    assert "run `autograder build`" in capsys.readouterr().err
