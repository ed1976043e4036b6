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
from autograder.workers.jobs import Job, JobResult, Page
from tests.support.gradebooks import content
from tests.support.kills import count_steps, files, kill_at_step
from tests.support.lessons import ROOT
from tests.support.small_class import (
    EMPTY,
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    fake_result,
    hand_in,
    run,
)

KILLS = 4
DEEP_KILLS = 200


def gradebook_url(course_root: Path) -> str:
    return f"sqlite:///{course_root}/gradebook.db"


@pytest.fixture(scope="module")
def midterm_class(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a class in mid-term, with graded work, new submissions and manual grades."""
    course_root = tmp_path_factory.mktemp("begun") / "class"
    shutil.copytree(built_course, course_root)
    answers = {"double": "def double(x):\n    return 2 * x"}
    for student in ("ann", "bob", "dee"):
        hand_in(
            course_root,
            student,
            answered_notebook(course_root, answers),
            timestamp="2026-11-01 10:00:00.000000 UTC",
        )
    run(course_root, InProcessWorkers(fake_result))
    with Gradebook(gradebook_url(course_root), "secant") as book:
        grade = book.find_grade("test_double", STEPS, STEPS, "ann")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        book.find_comment("why", STEPS, STEPS, "ann").manual_comment = "Well said."
        book.db.commit()
    hand_in(course_root, "ann", answered_notebook(course_root, answers | {"why": "Another reason."}))
    hand_in(course_root, "bob", "{")
    hand_in(course_root, "cho", answered_notebook(course_root, WRONG, "ko"))
    return course_root


def read_results(course_root: Path) -> tuple[object, ...]:
    """Return everything that a run leaves: the gradebook's contents and the files for staff and students."""
    return content(gradebook_url(course_root)), files(course_root / "autograded", course_root / "feedback")


def grading_run(course_root: Path) -> Callable[[], object]:
    return lambda: run(course_root, InProcessWorkers(fake_result))


@pytest.mark.whole
@pytest.mark.parametrize("has_empty_gradebook", [False, True], ids=["mid-term", "empty gradebook"])
def test_killed_run_is_completed_by_the_next(
    midterm_class: Path, tmp_path: Path, has_empty_gradebook: bool, deep: bool
) -> None:
    def copy_course(name: str) -> Path:
        shutil.copytree(midterm_class, tmp_path / name)
        if has_empty_gradebook:
            shutil.copy(midterm_class / EMPTY, tmp_path / name / "gradebook.db")
            shutil.rmtree(tmp_path / name / "autograded")
        return tmp_path / name

    undisturbed = copy_course("undisturbed")
    step_count = count_steps(grading_run(undisturbed))
    expected = read_results(undisturbed)
    for step in random.Random(14).sample(
        range(1, step_count + 1), DEEP_KILLS if deep else KILLS // (1 + has_empty_gradebook)
    ):
        course_copy = copy_course(f"killed at {step}")
        assert kill_at_step(grading_run(course_copy), step)
        summary, _ = run(course_copy, InProcessWorkers(fake_result))
        assert not summary.failed
        assert read_results(course_copy) == expected, f"killed at {step} of {step_count}"
        shutil.rmtree(course_copy)


def test_repeatedly_killed_runs_still_finish_the_class(midterm_class: Path, tmp_path: Path) -> None:
    undisturbed, course_copy = tmp_path / "undisturbed", tmp_path / "killed"
    for root in (undisturbed, course_copy):
        shutil.copytree(midterm_class, root)
    # Each run must live long enough to start, to write the folders of the last submission in the gradebook,
    # and to store one more result.
    kill_step = count_steps(grading_run(undisturbed)) * 3 // 5
    kill_count = 0
    while kill_at_step(grading_run(course_copy), kill_step):
        kill_count += 1
        assert kill_count < 20, "no run gets further than the one before"
    assert kill_count > 1
    assert read_results(course_copy) == read_results(undisturbed)


@pytest.mark.deep
def test_killed_grade_command_leaves_no_process_and_the_next_run_completes_it(tmp_path: Path) -> None:
    """Kill the command, with real workers and walls, four times; the benchmark's default is thirty kills."""
    command = [sys.executable, "-m", "benchmarks.kills", "--kills", "4", "--json", tmp_path / "rows.json"]
    subprocess.run(command, check=True, cwd=ROOT)


@pytest.mark.whole
def test_new_gradebook_equals_one_made_by_nbgrader(
    course_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make the gradebook without starting alembic, which takes seconds and must be on the PATH."""
    course = Course.at(course_root)
    (course_root / "gradebook.db").unlink()
    Gradebook(gradebook_url(course_root), "secant").close()
    with Book(course.directory, course.config):
        expected = content(gradebook_url(course_root))
    (course_root / "gradebook.db").unlink()
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: pytest.fail("a program was started"))
    with Book(course.directory, course.config):
        actual = content(gradebook_url(course_root))
    assert actual == expected
    assert actual["alembic_version"]


@pytest.mark.parametrize("has_table", [True, False], ids=["no row", "no table"])
def test_gradebook_whose_making_was_cut_short_is_completed(course_root: Path, has_table: bool) -> None:
    shutil.copy(course_root / EMPTY, course_root / "gradebook.db")
    course = Course.at(course_root)
    with Book(course.directory, course.config):
        pass
    expected = content(gradebook_url(course_root))
    engine = create_engine(gradebook_url(course_root))
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version" if has_table else "DROP TABLE alembic_version"))
    engine.dispose()
    with Book(course.directory, course.config):
        pass
    assert content(gradebook_url(course_root)) == expected


# --- Failed writes ----------------------------------------------------------------------------------------


@contextmanager
def limit_pages(max_pages: int) -> Iterator[None]:
    """Limit databases to this many SQLite pages, so that further writes fail as on a full disk."""

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {max_pages}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)


def test_submissions_ungraded_because_of_a_full_disk_are_graded_by_the_next_run(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    students = [f"s{number}" for number in range(9)]
    notebook = answered_notebook(course_root, correct_answers)
    for student in students:
        hand_in(course_root, student, notebook)
    with sqlite3.connect(course_root / "gradebook.db") as database:
        (page_count,) = database.execute("PRAGMA page_count").fetchone()
    database.close()

    def sleep(_: float) -> None:
        pytest.fail("nobody waits for a full disk")

    monkeypatch.setattr(connection, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    with limit_pages(page_count + 1):
        summary, messages = run(course_root, InProcessWorkers(fake_result))
    assert 0 < len(summary.failed) < len(students)
    assert set(summary.failed.values()) == {"database or disk is full"}
    assert all("not graded: database or disk is full" in text for text in messages)
    failed_students = {entry.student for entry in summary.failed}
    rows = {row["student"]: {task["outcome"] for task in row["tasks"]} for row in summary.as_json()}
    assert {student for student in rows if rows[student] == {"grader_failure"}} == failed_students
    with Gradebook(gradebook_url(course_root), "secant") as book:
        assert {student.id for student in book.students} == {*students} - failed_students
    workers = InProcessWorkers(fake_result)
    summary, _ = run(course_root, workers)
    assert not summary.failed
    assert {*workers.examined} == failed_students


def test_locked_gradebook_is_waited_for_only_once_per_run(
    course_root: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeps: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(sleeps), sleep=sleeps.append)
    monkeypatch.setattr(connection, "time", clock)
    monkeypatch.setattr(connection, "BUSY_SECONDS", 5.0)
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write(f'\nc.CourseDirectory.db_url = "{gradebook_url(course_root)}?timeout=0.01"\n')
    students = [f"s{number}" for number in range(8)]
    for student in students:
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))
    lock_holder = sqlite3.connect(course_root / "gradebook.db")

    def lock_gradebook(job: Job | Page) -> JobResult:
        if isinstance(job, Job) and job.student == "s1":
            lock_holder.execute("BEGIN IMMEDIATE")
        return fake_result(job)

    summary, _ = run(course_root, InProcessWorkers(lock_gradebook))
    lock_holder.close()
    assert 5.0 < sum(sleeps) < 6.0
    assert len(summary.failed) == 7
    summary, _ = run(course_root, InProcessWorkers(fake_result))
    assert (summary.graded_before, summary.failed) == (1, {})


def get_refusal(course_root: Path) -> str:
    """Return the message of a run that is refused, and check that no student's code has run."""
    workers = InProcessWorkers(fake_result)
    with pytest.raises(CourseError) as error:
        run(course_root, workers)
    assert workers.jobs == []
    message = str(error.value)
    assert "\n" not in message
    assert "Error" not in message
    return message


def test_read_only_gradebook_is_refused(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    course = Course.at(course_root)
    with Book(course.directory, course.config):
        pass
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write(
            f'\nc.CourseDirectory.db_url = "sqlite:///file:{course_root}/gradebook.db?mode=ro&uri=true"\n'
        )
    assert "cannot be written to: attempt to write a readonly database" in get_refusal(course_root)
    assert str(course_root / "gradebook.db") in Course.at(course_root).hidden


def test_gradebook_whose_lock_cannot_be_made_is_refused(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    (course_root / ".gradebook.db.lock").unlink()
    (course_root / ".gradebook.db.lock").mkdir()
    assert "gradebook.db cannot be written to: Is a directory." in get_refusal(course_root)


def test_course_and_exchange_are_hidden_from_the_wall(course_root: Path) -> None:
    assert {str(course_root), "/usr/local/share/nbgrader/exchange"} <= set(Course.at(course_root).hidden)
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Exchange.root = "/usr/share/ours"\n')
    hidden = Course.at(course_root).hidden
    assert "/usr/share/ours" in hidden
    assert "/usr/local/share/nbgrader/exchange" not in hidden


def test_file_that_is_not_a_gradebook_is_refused(course_root: Path, correct_answers: dict[str, str]) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    (course_root / "gradebook.db").write_text("Student,Points\nann,5\n" * 100)
    assert "cannot be opened: file is not a database" in get_refusal(course_root)
    assert (course_root / "gradebook.db").read_text().startswith("Student")


@pytest.mark.parametrize("folder", ["autograded", "feedback"])
def test_unwritable_result_folder_is_refused_before_grading(
    course_root: Path, correct_answers: dict[str, str], folder: str
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers))
    (course_root / folder).write_text("in the way")
    assert f"{folder} cannot be written to" in get_refusal(course_root)


def test_unwritable_results_file_is_reported_and_the_gradebook_has_the_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [{"student": "ann", "tasks": [{"message": "둘\n셋"}]}, {"student": "bob", "tasks": []}]
    assert write_results(tmp_path / "good.json", rows)
    assert (tmp_path / "good.json").read_text() == json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    assert not write_results(Path("/dev/full"), [{"student": "ann"}])
    assert "No space left on device. The gradebook has the results" in capfd.readouterr().err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    for path in (tmp_path, tmp_path / "none" / "results.json"):
        with pytest.raises(CourseError, match="no file can be written there"):
            refuse_unwritable(path)
