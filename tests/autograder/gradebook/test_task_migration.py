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
from tests.autograder.grading.test_batch import BY_PERSON, book, by_hand, grades, manual, page, waiting
from tests.support.small_class import STEPS, WRONG, answered, hand_in, run

COUNTER = ("Counter", "test_Counter")


def edit(room: Path, change: Callable[[NotebookNode], None]) -> None:
    """Change the built lesson in all three notebooks, as `autograder build` would after an edit."""
    for path in (room / "source", room / "release" / "en", room / "release" / "ko"):
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
def graded(room: Path, right: dict[str, str]) -> Path:
    """Return a graded class of two students; one of them also has manual grades."""
    hand_in(room, "ann", answered(room, right | WRONG))
    hand_in(room, "bob", answered(room, right, "ko"))
    run(room)
    by_hand(room, "ann")
    return room


@pytest.mark.costly("a course is built and graded before it is changed")
def test_changed_tasks_are_refused_and_the_gradebook_stays_unchanged(graded: Path) -> None:
    before = (graded / "gradebook.db").read_bytes()
    edit(graded, rename)
    with pytest.raises(CourseError) as refused:
        run(graded)
    said = str(refused.value)
    assert "dropped Counter, test_Counter; added Tally, test_Tally" in said
    assert "autograder grade 1 --change-tasks" in said
    assert (graded / "gradebook.db").read_bytes() == before
    assert list(graded.glob("gradebook_before_*")) == []


def test_dropped_task_costs_no_other_grade_and_is_kept_in_a_table(graded: Path) -> None:
    with book(graded) as opened:
        opened.find_grade("test_Counter", STEPS, STEPS, "ann").manual_score = 2.5
        opened.find_comment("Counter", STEPS, STEPS, "ann").manual_comment = "=nearly"
        opened.db.commit()
    edit(graded, drop(*COUNTER))
    (said,) = change_tasks(Course.at(graded), [STEPS])
    assert "dropped Counter, test_Counter." in said
    (copy,) = graded.glob("gradebook_before_*.db")
    assert str(copy) in said
    with sqlite3.connect(copy) as old:
        assert old.execute("SELECT count(*) FROM grade WHERE manual_score = 2.5").fetchone() == (1,)
    old.close()
    (table,) = graded.glob("gradebook_before_*_dropped.csv")
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["cell"], row["auto_score"], row["manual_score"]) for row in rows] == [
        ("ann", "test_Counter", "3.0", "2.5"),
        ("bob", "test_Counter", "3.0", ""),
        ("ann", "Counter", "", ""),
    ]
    assert rows[-1]["comment"] == "'=nearly"
    assert change_tasks(Course.at(graded), [STEPS]) == []

    # Notebooks of the old release are graded as before, and manual grades stay.
    summary, _ = run(graded)
    assert summary.failed == {}
    assert manual(graded, "ann") == BY_PERSON
    assert waiting(graded, "ann") == set()
    assert grades(graded, "bob") == {"test_double": (2.0, False), "why": (None, True)}
    assert "#answer-why" in page(graded, "bob")
    assert "#answer-Counter" not in page(graded, "bob")
    (row,) = [row for row in summary.rows() if row["student"] == "bob"]
    assert row["score"] == row["max_score"] == 2.0
    with book(graded) as opened:
        assert opened.find_assignment(STEPS).max_score == 3.0
    course = Course.at(graded)
    listed = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert {one["student"]: one["max_score"] for one in listed} == {"ann": 3.0, "bob": 3.0}


def test_added_task_is_graded_for_the_notebooks_of_the_new_release(
    graded: Path, right: dict[str, str]
) -> None:
    edit(graded, rename)
    change_tasks(Course.at(graded), [STEPS])
    # Until the notebook is graded again, the new task waits instead of scoring zero.
    assert {"test_Tally"} <= waiting(graded, "bob")
    new = right | {"Tally": right["Counter"].replace("Counter", "Tally")}
    del new["Counter"]
    hand_in(graded, "bob", answered(graded, new))
    summary, _ = run(graded)
    assert summary.failed == {}
    assert grades(graded, "bob")["test_Tally"] == (3.0, False)
    assert grades(graded, "ann")["test_Tally"] == (0.0, False)
    assert manual(graded, "ann") == BY_PERSON


def test_change_that_is_cut_short_changes_nothing(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(graded, rename)
    monkeypatch.setattr(task_migration, "_add", lambda *_: 1 / 0)
    with book(graded) as opened:
        before = json.dumps(opened.find_notebook(STEPS, STEPS).to_dict(), default=str)
    with pytest.raises(ZeroDivisionError):
        change_tasks(Course.at(graded), [STEPS])
    with book(graded) as opened:
        assert json.dumps(opened.find_notebook(STEPS, STEPS).to_dict(), default=str) == before
    assert manual(graded, "ann") == BY_PERSON
