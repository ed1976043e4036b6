"""Tests of runs that are killed or cannot write: no student gets a zero, and the next run does the rest."""

import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import Engine, create_engine, event, text

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook import connection
from autograder.gradebook.book import Book
from autograder.json_file import refuse_unwritable, write_results
from autograder.workers.jobs import Done, Job, Page
from tests.support.gradebooks import content
from tests.support.kills import files, killed, steps
from tests.support.lessons import ROOT
from tests.support.small_class import EMPTY, STEPS, WRONG, Here, answered, hand_in, run, told

KILLS = 4
DEEP_KILLS = 200


def url(room: Path) -> str:
    return f"sqlite:///{room}/gradebook.db"


@pytest.fixture(scope="module")
def begun(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a class in mid-term, with graded work, new submissions and manual grades."""
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
    """Return everything that a run leaves: the gradebook's contents and the files for staff and students."""
    return content(url(room)), files(room / "autograded", room / "feedback")


def grade(room: Path) -> Callable[[], object]:
    return lambda: run(room, Here(told))


@pytest.mark.whole
@pytest.mark.parametrize("fresh", [False, True], ids=["mid-term", "empty gradebook"])
def test_killed_run_is_completed_by_the_next(begun: Path, tmp_path: Path, fresh: bool, deep: bool) -> None:
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


def test_repeatedly_killed_runs_still_finish_the_class(begun: Path, tmp_path: Path) -> None:
    undisturbed, place = tmp_path / "undisturbed", tmp_path / "killed"
    for copy in (undisturbed, place):
        shutil.copytree(begun, copy)
    # Enough steps for the start, the folders of the last submission in the gradebook, and the next result.
    enough = steps(grade(undisturbed)) * 3 // 5
    deaths = 0
    while killed(grade(place), enough):
        deaths += 1
        assert deaths < 20, "no run gets further than the one before"
    assert deaths > 1
    assert known(place) == known(undisturbed)


@pytest.mark.deep
def test_killed_grade_command_leaves_no_process_and_the_next_run_completes_it(tmp_path: Path) -> None:
    """Kill the command, with real workers and walls, four times; the benchmark's default is thirty kills."""
    words = [sys.executable, "-m", "benchmarks.kills", "--kills", "4", "--json", tmp_path / "rows.json"]
    subprocess.run(words, check=True, cwd=ROOT)


@pytest.mark.whole
def test_new_gradebook_equals_one_made_by_nbgrader(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the gradebook without nbgrader's program for this, which takes seconds and must be on the PATH."""
    course = Course.at(room)
    (room / "gradebook.db").unlink()
    Gradebook(url(room), "secant").close()
    with Book(course.directory, course.config):
        theirs = content(url(room))
    (room / "gradebook.db").unlink()
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: pytest.fail("a program was started"))
    with Book(course.directory, course.config):
        ours = content(url(room))
    assert ours == theirs
    assert ours["alembic_version"]


@pytest.mark.parametrize("table", [True, False], ids=["no row", "no table"])
def test_gradebook_whose_making_was_cut_short_is_completed(room: Path, table: bool) -> None:
    shutil.copy(room / EMPTY, room / "gradebook.db")
    course = Course.at(room)
    with Book(course.directory, course.config):
        pass
    want = content(url(room))
    engine = create_engine(url(room))
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version" if table else "DROP TABLE alembic_version"))
    engine.dispose()
    with Book(course.directory, course.config):
        pass
    assert content(url(room)) == want


# --- Failed writes ----------------------------------------------------------------------------------------


@contextmanager
def pages(most: int) -> Iterator[None]:
    """Limit databases to this many SQLite pages, so that further writes fail as on a full disk."""

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {most}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)


def test_submissions_ungraded_because_of_a_full_disk_are_graded_by_the_next_run(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    students = [f"s{number}" for number in range(9)]
    wordy = answered(room, right)
    for student in students:
        hand_in(room, student, wordy)
    with sqlite3.connect(room / "gradebook.db") as raw:
        (used,) = raw.execute("PRAGMA page_count").fetchone()
    raw.close()

    def sleep(_: float) -> None:
        pytest.fail("nobody waits for a full disk")

    monkeypatch.setattr(connection, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    with pages(used + 1):
        summary, said = run(room, Here(told))
    assert 0 < len(summary.failed) < len(students)
    assert set(summary.failed.values()) == {"database or disk is full"}
    assert all("not graded: database or disk is full" in text for text in said)
    failed = {entry.student for entry in summary.failed}
    rows = {row["student"]: {task["outcome"] for task in row["tasks"]} for row in summary.as_json()}
    assert {student for student in rows if rows[student] == {"grader_failure"}} == failed
    with Gradebook(url(room), "secant") as book:
        assert {student.id for student in book.students} == {*students} - failed
    workers = Here(told)
    summary, _ = run(room, workers)
    assert not summary.failed
    assert {*workers.examined} == failed


def test_locked_gradebook_is_waited_for_only_once_per_run(
    room: Path, right: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    monkeypatch.setattr(connection, "time", clock)
    monkeypatch.setattr(connection, "BUSY_SECONDS", 5.0)
    with (room / "nbgrader_config.py").open("a") as config:
        config.write(f'\nc.CourseDirectory.db_url = "{url(room)}?timeout=0.01"\n')
    students = [f"s{number}" for number in range(8)]
    for student in students:
        hand_in(room, student, answered(room, right))
    held = sqlite3.connect(room / "gradebook.db")

    def hold(job: Job | Page) -> Done:
        if isinstance(job, Job) and job.student == "s1":
            held.execute("BEGIN IMMEDIATE")
        return told(job)

    summary, _ = run(room, Here(hold))
    held.close()
    assert 5.0 < sum(slept) < 6.0
    assert len(summary.failed) == 7
    summary, _ = run(room, Here(told))
    assert (summary.graded_before, summary.failed) == (1, {})


def refused(room: Path) -> str:
    """Return the message of a run that is refused, and check that no student's code has run."""
    workers = Here(told)
    with pytest.raises(CourseError) as error:
        run(room, workers)
    assert workers.jobs == []
    said = str(error.value)
    assert "\n" not in said
    assert "Error" not in said
    return said


def test_read_only_gradebook_is_refused(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    course = Course.at(room)
    with Book(course.directory, course.config):
        pass
    with (room / "nbgrader_config.py").open("a") as config:
        config.write(f'\nc.CourseDirectory.db_url = "sqlite:///file:{room}/gradebook.db?mode=ro&uri=true"\n')
    assert "cannot be written to: attempt to write a readonly database" in refused(room)
    assert str(room / "gradebook.db") in Course.at(room).hidden


def test_gradebook_whose_lock_cannot_be_made_is_refused(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    (room / ".gradebook.db.lock").unlink()
    (room / ".gradebook.db.lock").mkdir()
    assert "gradebook.db cannot be written to: Is a directory." in refused(room)


def test_course_and_exchange_are_hidden_from_the_wall(room: Path) -> None:
    assert {str(room), "/usr/local/share/nbgrader/exchange"} <= set(Course.at(room).hidden)
    with (room / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Exchange.root = "/usr/share/ours"\n')
    hidden = Course.at(room).hidden
    assert "/usr/share/ours" in hidden
    assert "/usr/local/share/nbgrader/exchange" not in hidden


def test_file_that_is_not_a_gradebook_is_refused(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right))
    (room / "gradebook.db").write_text("Student,Points\nann,5\n" * 100)
    assert "cannot be opened: file is not a database" in refused(room)
    assert (room / "gradebook.db").read_text().startswith("Student")


@pytest.mark.parametrize("folder", ["autograded", "feedback"])
def test_unwritable_result_folder_is_refused_before_grading(
    room: Path, right: dict[str, str], folder: str
) -> None:
    hand_in(room, "ann", answered(room, right))
    (room / folder).write_text("in the way")
    assert f"{folder} cannot be written to" in refused(room)


def test_unwritable_results_file_is_reported_and_the_gradebook_has_the_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [{"student": "ann", "tasks": [{"message": "둘\n셋"}]}, {"student": "bob", "tasks": []}]
    assert write_results(tmp_path / "good.json", rows)
    assert (tmp_path / "good.json").read_text() == json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    assert not write_results(Path("/dev/full"), [{"student": "ann"}])
    assert "No space left on device. The gradebook has the results" in capfd.readouterr().err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    for odd in (tmp_path, tmp_path / "none" / "results.json"):
        with pytest.raises(CourseError, match="no file can be written there"):
            refuse_unwritable(odd)
