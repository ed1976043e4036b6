"""A run that is killed at any moment: the next one comes to the same gradebook and the same folders."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine, text

from autograder.course.settings import Course
from autograder.grading import gradebook
from autograder.grading.gradebook import Book
from tests.support.gradebooks import content
from tests.support.kills import files, killed, steps
from tests.support.lessons import ROOT
from tests.support.small_class import EMPTY, STEPS, WRONG, Here, answered, hand_in, run, told

KILLS = 8
DEEP_KILLS = 200


def url(room: Path) -> str:
    return f"sqlite:///{room}/gradebook.db"


@pytest.fixture(scope="module")
def begun(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in mid-term: some are graded, some handed in again, a person has been at work."""
    room = tmp_path_factory.mktemp("begun") / "class"
    shutil.copytree(built, room)
    right = {"double": "def double(x):\n    return 2 * x"}
    for student in ("ann", "bob", "dee"):
        hand_in(room, student, answered(room, right), timestamp="2026-11-01 10:00:00.000000 UTC")
    run(room, Here(told))
    with Gradebook(url(room), "secant") as book:
        graded = book.find_grade("test_double", STEPS, STEPS, "ann")
        graded.manual_score, graded.needs_manual_grade = 1.5, False
        book.find_comment("why", STEPS, STEPS, "ann").manual_comment = "Well said."
        book.db.commit()
    hand_in(room, "ann", answered(room, right | {"why": "Another reason."}))
    hand_in(room, "bob", "{")
    hand_in(room, "cho", answered(room, WRONG, "ko"))
    return room


def known(room: Path) -> tuple[object, ...]:
    """All that a run leaves."""
    return content(url(room)), files(room / "autograded", room / "feedback")


def grade(room: Path) -> Callable[[], object]:
    return lambda: run(room, Here(told))


@pytest.mark.parametrize("fresh", [False, True], ids=["mid-term", "empty gradebook"])
def test_killed_run_is_made_up_for(begun: Path, tmp_path: Path, fresh: bool, deep: bool) -> None:
    def room(name: str) -> Path:
        shutil.copytree(begun, tmp_path / name)
        if fresh:
            shutil.copy(begun / EMPTY, tmp_path / name / "gradebook.db")
            shutil.rmtree(tmp_path / name / "autograded")
        return tmp_path / name

    undisturbed = room("undisturbed")
    moments = steps(grade(undisturbed))
    want = known(undisturbed)
    for step in random.Random(14).sample(range(1, moments + 1), DEEP_KILLS if deep else KILLS // (1 + fresh)):
        place = room(f"killed at {step}")
        assert killed(grade(place), step)
        summary, _ = run(place, Here(told))
        assert not summary.failed
        assert known(place) == want, f"killed at {step} of {moments}"
        shutil.rmtree(place)


def test_killed_again_and_again(begun: Path, tmp_path: Path) -> None:
    undisturbed, place = tmp_path / "undisturbed", tmp_path / "killed"
    for copy in (undisturbed, place):
        shutil.copytree(begun, copy)
    moments = steps(grade(undisturbed))
    print("MOM", moments)
    deaths = 0
    while killed(grade(place), moments // 2):
        deaths += 1
        assert deaths < 20, "no run gets further than the one before"
    assert deaths > 1
    assert known(place) == known(undisturbed)


@pytest.mark.deep
def test_killed_command_leaves_no_process_and_is_made_up_for(tmp_path: Path) -> None:
    """With workers and their walls; the benchmark kills thirty times."""
    words = [sys.executable, "-m", "benchmarks.kills", "--kills", "4", "--json", tmp_path / "rows.json"]
    subprocess.run(words, check=True, cwd=ROOT)


@pytest.mark.parametrize("table", [True, False], ids=["no row", "no table"])
def test_gradebook_whose_making_was_cut_short_is_completed(
    room: Path, monkeypatch: pytest.MonkeyPatch, table: bool
) -> None:
    shutil.copy(room / EMPTY, room / "gradebook.db")
    course = Course.at(room)
    with Book(course.directory, course.config):
        pass
    want = content(url(room))
    engine = create_engine(url(room))
    with engine.begin() as connection:
        (version,) = connection.execute(text("SELECT version_num FROM alembic_version")).scalars()
        connection.execute(text("DELETE FROM alembic_version" if table else "DROP TABLE alembic_version"))
    engine.dispose()
    monkeypatch.setattr(gradebook, "get_alembic_version", lambda: version)  # it takes seconds
    with Book(course.directory, course.config):
        pass
    assert content(url(room)) == want
