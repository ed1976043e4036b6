"""Tests of changing the tasks of a graded lesson: no grade is lost."""

import csv
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4
from nbgrader.apps.api import NbGraderAPI

from autograder.course.cells import grade_id
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook import task_migration
from autograder.gradebook.tasks import change_tasks
from tests.autograder.grading.test_batch import (
    MANUAL_ENTRIES,
    grade_by_hand,
    open_gradebook,
    pending_cells,
    read_grades,
    read_manual_entries,
    read_page,
)
from tests.support.small_class import STEPS, WRONG, answered_notebook, hand_in, run

COUNTER = ("Counter", "test_Counter")


def edit(course_root: Path, change: Callable[[NotebookNode], None]) -> None:
    """Change the built lesson in all three notebooks, as `autograder build` would after an edit."""
    for path in (course_root / "source", course_root / "release" / "en", course_root / "release" / "ko"):
        file = path / STEPS / f"{STEPS}.ipynb"
        notebook = v4.reads(file.read_text(encoding="utf-8"))
        change(notebook)
        file.write_text(v4.writes(notebook), encoding="utf-8")


def drop(*names: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]

    return change


def rename(notebook: NotebookNode) -> None:
    """Replace the task `Counter` of a notebook with a task `Tally`."""
    for cell in notebook.cells:
        cell.source = cell.source.replace("Counter", "Tally")
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = grade_id(cell).replace("Counter", "Tally")


@pytest.fixture
def graded_class(course_root: Path, correct_answers: dict[str, str]) -> Path:
    """Return a graded class of two students; one of them also has manual grades."""
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers, "ko"))
    run(course_root)
    grade_by_hand(course_root, "ann")
    return course_root


@pytest.mark.costly("a course is built and graded before it is changed")
def test_changed_tasks_are_refused_and_the_gradebook_stays_unchanged(graded_class: Path) -> None:
    before = (graded_class / "gradebook.db").read_bytes()
    edit(graded_class, rename)
    with pytest.raises(CourseError) as error:
        run(graded_class)
    message = str(error.value)
    assert "dropped Counter, test_Counter; added Tally, test_Tally" in message
    assert "autograder grade 1 --change-tasks" in message
    assert (graded_class / "gradebook.db").read_bytes() == before
    assert list(graded_class.glob("gradebook_before_*")) == []


def test_dropped_task_costs_no_other_grade_and_is_kept_in_a_table(graded_class: Path) -> None:
    with open_gradebook(graded_class) as gradebook:
        gradebook.find_grade("test_Counter", STEPS, STEPS, "ann").manual_score = 2.5
        gradebook.find_comment("Counter", STEPS, STEPS, "ann").manual_comment = "=nearly"
        gradebook.db.commit()
    edit(graded_class, drop(*COUNTER))
    (message,) = change_tasks(Course.at(graded_class), [STEPS])
    assert "dropped Counter, test_Counter." in message
    (backup,) = graded_class.glob("gradebook_before_*.db")
    assert str(backup) in message
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT count(*) FROM grade WHERE manual_score = 2.5").fetchone() == (1,)
    connection.close()
    (table,) = graded_class.glob("gradebook_before_*_dropped.csv")
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["cell"], row["auto_score"], row["manual_score"]) for row in rows] == [
        ("ann", "test_Counter", "3.0", "2.5"),
        ("bob", "test_Counter", "3.0", ""),
        ("ann", "Counter", "", ""),
    ]
    assert rows[-1]["comment"] == "'=nearly"
    assert change_tasks(Course.at(graded_class), [STEPS]) == []

    # Notebooks of the old release are graded as before, and manual grades stay.
    summary, _ = run(graded_class)
    assert summary.failed == {}
    assert read_manual_entries(graded_class, "ann") == MANUAL_ENTRIES
    assert pending_cells(graded_class, "ann") == set()
    assert read_grades(graded_class, "bob") == {"test_double": (2.0, False), "why": (None, True)}
    assert "#answer-why" in read_page(graded_class, "bob")
    assert "#answer-Counter" not in read_page(graded_class, "bob")
    (row,) = [row for row in summary.rows() if row["student"] == "bob"]
    assert row["score"] == row["max_score"] == 2.0
    with open_gradebook(graded_class) as gradebook:
        assert gradebook.find_assignment(STEPS).max_score == 3.0
    course = Course.at(graded_class)
    submissions = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert {submission["student"]: submission["max_score"] for submission in submissions} == {
        "ann": 3.0,
        "bob": 3.0,
    }


def test_added_task_is_graded_for_the_notebooks_of_the_new_release(
    graded_class: Path, correct_answers: dict[str, str]
) -> None:
    edit(graded_class, rename)
    change_tasks(Course.at(graded_class), [STEPS])
    # Until the notebook is graded again, the new task waits instead of scoring zero.
    assert {"test_Tally"} <= pending_cells(graded_class, "bob")
    new_answers = correct_answers | {"Tally": correct_answers["Counter"].replace("Counter", "Tally")}
    del new_answers["Counter"]
    hand_in(graded_class, "bob", answered_notebook(graded_class, new_answers))
    summary, _ = run(graded_class)
    assert summary.failed == {}
    assert read_grades(graded_class, "bob")["test_Tally"] == (3.0, False)
    assert read_grades(graded_class, "ann")["test_Tally"] == (0.0, False)
    assert read_manual_entries(graded_class, "ann") == MANUAL_ENTRIES


def test_change_that_is_cut_short_changes_nothing(
    graded_class: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(graded_class, rename)
    monkeypatch.setattr(task_migration, "_add_cell", lambda *_: 1 / 0)
    with open_gradebook(graded_class) as gradebook:
        before = json.dumps(gradebook.find_notebook(STEPS, STEPS).to_dict(), default=str)
    with pytest.raises(ZeroDivisionError):
        change_tasks(Course.at(graded_class), [STEPS])
    with open_gradebook(graded_class) as gradebook:
        assert json.dumps(gradebook.find_notebook(STEPS, STEPS).to_dict(), default=str) == before
    assert read_manual_entries(graded_class, "ann") == MANUAL_ENTRIES
