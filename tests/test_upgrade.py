"""Tests of an update with data that version 0.1.0 wrote: workspaces, progress and gradebooks.

The old code itself wrote the fixtures; tests/fixtures/upgrade/make.py names the commits.
"""

import shutil
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from secant.lab.workspace import copy_lessons
from secant.progress import record, store
from tests.support.small_class import STEPS, InProcessWorkers, run

OLD = Path(__file__).parent / "fixtures/upgrade"
NOTEBOOK = f"{STEPS}/{STEPS}.ipynb"
SCORES = """SELECT a.student_id, c.name, g.auto_score, g.manual_score FROM grade g
    JOIN submitted_notebook n ON g.notebook_id = n.id JOIN submitted_assignment a ON n.assignment_id = a.id
    JOIN base_cell c ON g.cell_id = c.id ORDER BY 1, 2"""


@pytest.fixture
def graded_class(built_course: Path, tmp_path: Path) -> Path:
    """Make the folder of a class that version 0.1.0 graded, with the current lessons; return its path."""
    root = Path(shutil.copytree(built_course, tmp_path / "class"))
    shutil.copytree(OLD / "handed_in", root / "submitted")
    shutil.copytree(OLD / "graded", root / "autograded")
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        book.executescript((OLD / "gradebook.sql").read_text())
    return root


def scores(root: Path) -> list[tuple[str, str, float | None, float | None]]:
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        return book.execute(SCORES).fetchall()


def test_upgrade_keeps_edited_notebooks_of_a_workspace(built_course: Path, tmp_path: Path) -> None:
    lessons = Path(shutil.copytree(OLD / "lessons", tmp_path / "lessons"))
    before = (lessons / NOTEBOOK).read_bytes()
    results = {
        result.name: result
        for result in copy_lessons(built_course / "release/en", lessons, date(2026, 12, 1))
    }
    assert (lessons / NOTEBOOK).read_bytes() == before
    assert results[NOTEBOOK].is_edited
    assert results[NOTEBOOK].newer_version == f"{STEPS}/{STEPS} (new 2026-12-01).ipynb"
    new_version = (lessons / str(results[NOTEBOOK].newer_version)).read_bytes()
    assert new_version == (built_course / "release/en" / NOTEBOOK).read_bytes()
    unchanged = results[f"{STEPS}/data/points.csv"]
    assert (unchanged.is_edited, unchanged.newer_version) == (False, None)


@pytest.fixture
def old_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path))
    return Path(shutil.copy(OLD / "progress.json", tmp_path))


def test_upgrade_keeps_the_progress(old_progress: Path) -> None:
    lesson, task = "01_what_autograd_does", "forward_difference"
    progress = store.read()
    assert progress["lessons"][lesson][task]["points"] == 2
    assert progress["lessons"][lesson][task]["hints"] == [1]
    assert progress["predictions"]["1 smaller steps"]["first"] == "B"
    assert "first_pass" in progress["earned"]
    wrong = {"id": task, "points": 0, "max_points": 2, "outcome": "wrong", "message": "", "seconds": 0.1}
    assert record.check(lesson, [wrong]).problem is None
    progress_after = store.read()
    assert progress_after["lessons"][lesson][task]["points"] == 2  # a later wrong answer takes no points away
    assert progress_after["earned"].items() >= progress["earned"].items()
    assert progress_after["predictions"] == progress["predictions"]


def test_a_gradebook_keeps_each_score_and_each_persons_mark(graded_class: Path) -> None:
    before = scores(graded_class)
    assert sorted(row[2] for row in before if row[0] == "bob" and row[2] is not None) == [0, 3]
    assert {row[3] for row in before if row[2] is None} == {1.0}
    workers = InProcessWorkers()
    summary, _ = run(graded_class, workers)
    assert summary.failed == {}
    assert sorted(workers.examined) == ["ann", "bob"]  # again: the lesson changed after 0.1.0
    assert scores(graded_class) == before
    assert {path.parts[-3] for path in (graded_class / "feedback").glob("*/*/*.html")} == {"ann", "bob"}
    second_workers = InProcessWorkers()
    run(graded_class, second_workers)
    assert second_workers.examined == []
    assert scores(graded_class) == before
