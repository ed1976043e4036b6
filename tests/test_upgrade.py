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
from tests.support.small_class import STEPS, Here, run

OLD = Path(__file__).parent / "fixtures/upgrade"
NOTEBOOK = f"{STEPS}/{STEPS}.ipynb"
SCORES = """SELECT a.student_id, c.name, g.auto_score, g.manual_score FROM grade g
    JOIN submitted_notebook n ON g.notebook_id = n.id JOIN submitted_assignment a ON n.assignment_id = a.id
    JOIN base_cell c ON g.cell_id = c.id ORDER BY 1, 2"""


@pytest.fixture
def graded(built: Path, tmp_path: Path) -> Path:
    """Make the folder of a class that version 0.1.0 graded, with this version's lessons; return its path."""
    root = Path(shutil.copytree(built, tmp_path / "class"))
    shutil.copytree(OLD / "handed_in", root / "submitted")
    shutil.copytree(OLD / "graded", root / "autograded")
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        book.executescript((OLD / "gradebook.sql").read_text())
    return root


def scores(root: Path) -> list[tuple[str, str, float | None, float | None]]:
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        return book.execute(SCORES).fetchall()


def test_upgrade_keeps_edited_notebooks_of_a_workspace(built: Path, tmp_path: Path) -> None:
    lessons = Path(shutil.copytree(OLD / "lessons", tmp_path / "lessons"))
    before = (lessons / NOTEBOOK).read_bytes()
    copied = {each.name: each for each in copy_lessons(built / "release/en", lessons, date(2026, 12, 1))}
    assert (lessons / NOTEBOOK).read_bytes() == before
    assert copied[NOTEBOOK].is_edited
    assert copied[NOTEBOOK].newer_version == f"{STEPS}/{STEPS} (new 2026-12-01).ipynb"
    beside = (lessons / str(copied[NOTEBOOK].newer_version)).read_bytes()
    assert beside == (built / "release/en" / NOTEBOOK).read_bytes()
    unchanged = copied[f"{STEPS}/data/points.csv"]
    assert (unchanged.is_edited, unchanged.newer_version) == (False, None)


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path))
    return Path(shutil.copy(OLD / "progress.json", tmp_path))


def test_upgrade_keeps_the_progress(learner: Path) -> None:
    lesson, task = "01_what_autograd_does", "forward_difference"
    found = store.read()
    assert found["lessons"][lesson][task]["points"] == 2
    assert found["lessons"][lesson][task]["hints"] == [1]
    assert found["predictions"]["1 smaller steps"]["first"] == "B"
    assert "first_pass" in found["earned"]
    wrong = {"id": task, "points": 0, "max_points": 2, "outcome": "wrong", "message": "", "seconds": 0.1}
    assert record.check(lesson, [wrong]).problem is None
    again = store.read()
    assert again["lessons"][lesson][task]["points"] == 2  # a later check takes no points away
    assert again["earned"].items() >= found["earned"].items()
    assert again["predictions"] == found["predictions"]


def test_a_gradebook_keeps_each_score_and_each_persons_mark(graded: Path) -> None:
    before = scores(graded)
    assert sorted(row[2] for row in before if row[0] == "bob" and row[2] is not None) == [0, 3]
    assert {row[3] for row in before if row[2] is None} == {1.0}
    workers = Here()
    summary, _ = run(graded, workers)
    assert summary.failed == {}
    assert sorted(workers.examined) == ["ann", "bob"]  # the lesson's text has changed since
    assert scores(graded) == before
    assert {path.parts[-3] for path in (graded / "feedback").glob("*/*/*.html")} == {"ann", "bob"}
    again = Here()
    run(graded, again)
    assert again.examined == []
    assert scores(graded) == before
