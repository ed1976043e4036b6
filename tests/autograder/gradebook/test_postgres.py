"""Tests of a gradebook in PostgreSQL, which `CourseDirectory.db_url` in nbgrader_config.py may name."""

import contextlib
import gc
import itertools
import os
import platform
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import nbgrader.api
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from autograder.course.errors import CourseError
from autograder.course.settings import SECRET, Course
from autograder.gradebook import connection, locks
from autograder.gradebook.book import Book
from autograder.gradebook.entries import Entry
from autograder.gradebook.tasks import change_tasks
from autograder.workers.jobs import Job, JobResult, Page
from tests.autograder.gradebook.test_task_migration import edit, rename
from tests.support.gradebooks import content
from tests.support.kills import count_steps, files, kill_at_step
from tests.support.postgres import Server, programs, server
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

STUDENTS = ("ann", "bob", "cho")
_database_numbers = itertools.count()


@pytest.fixture(scope="module")
def postgres(built_course: Path) -> Iterator[Server]:
    if programs() is None and os.environ.get("SECANT_REQUIRE_POSTGRES") != "1":
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with server() as new_server, pytest.MonkeyPatch.context() as patch:
        with sqlite3.connect(built_course / EMPTY) as sqlite_connection:
            (version,) = sqlite_connection.execute("SELECT version_num FROM alembic_version").fetchone()
        sqlite_connection.close()
        patch.setattr(nbgrader.api, "get_alembic_version", lambda: version)  # the original takes seconds
        with Gradebook(new_server.database("empty"), "secant"):
            pass
        yield new_server


@pytest.fixture
def url(postgres: Server) -> str:
    """Make a database for one test and return its URL."""
    return postgres.database(f"course{next(_database_numbers)}", like="empty")


def set_database(course_root: Path, url: str) -> Path:
    """Set the database of a course's gradebook, and return the course's folder."""
    with (course_root / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
    return course_root


def submit_class(course_root: Path, correct_answers: dict[str, str]) -> None:
    """Submit files for a class of four; Ann's has a time of submission, and Dee's is unreadable."""
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers),
        timestamp="2026-11-01 10:00:00.000000 UTC",
    )
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers | WRONG, "ko"))
    hand_in(course_root, "cho", answered_notebook(course_root, {}))
    hand_in(course_root, "dee", "{")


def run_term(course_root: Path, correct_answers: dict[str, str], url: str) -> None:
    """Take a gradebook through a term: a run, manual grades, new answers, a run that fails and a last run."""
    submit_class(course_root, correct_answers)
    run(course_root, InProcessWorkers(fake_result))
    with Gradebook(url, "secant") as book:
        book.update_or_create_assignment(STEPS, duedate="2026-10-01 00:00:00 UTC")
        book.find_grade("why", STEPS, STEPS, "ann").manual_score = 1.0
        book.find_comment("why", STEPS, STEPS, "ann").manual_comment = "잘 썼습니다."
        book.db.commit()
    hand_in(
        course_root,
        "ann",
        answered_notebook(course_root, correct_answers | {"why": "Another reason."}),
        timestamp="2026-11-02 10:00:00 UTC",
    )
    hand_in(course_root, "bob", answered_notebook(course_root, correct_answers, "ko"))
    run(course_root, InProcessWorkers(fail_for_bob))
    hand_in(course_root, "cho", answered_notebook(course_root, correct_answers))
    run(course_root, InProcessWorkers(fake_result))


def fail_for_bob(job: Job | Page) -> JobResult:
    if job.student == "bob":
        raise OSError("the worker's disk is full")
    return fake_result(job)


def test_gradebook_in_postgresql_equals_the_one_in_sqlite(
    course_root: Path, correct_answers: dict[str, str], url: str, tmp_path: Path
) -> None:
    sqlite_root = tmp_path / "sqlite"
    shutil.copytree(course_root, sqlite_root)
    shutil.copy(course_root / EMPTY, sqlite_root / "gradebook.db")
    set_database(course_root, url)
    run_term(course_root, correct_answers, url)
    run_term(sqlite_root, correct_answers, f"sqlite:///{sqlite_root}/gradebook.db")
    postgres_content, sqlite_content = content(url), content(f"sqlite:///{sqlite_root}/gradebook.db")
    assert {name: len(rows) for name, rows in postgres_content.items()} == {
        name: len(rows) for name, rows in sqlite_content.items()
    }
    assert postgres_content == sqlite_content
    assert len(postgres_content["submitted_notebook"]) == 4
    course = Course.at(course_root)
    submissions = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert [row["student"] for row in submissions] == ["ann", "bob", "cho", "dee"]


def test_table_of_an_earlier_version_gets_its_columns(
    course_root: Path, correct_answers: dict[str, str], url: str
) -> None:
    set_database(course_root, url)
    submit_class(course_root, correct_answers)
    run(course_root, InProcessWorkers(fake_result))
    expected = content(url)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE autograder_record DROP COLUMN page, DROP COLUMN penalty"))
    engine.dispose()
    summary, _ = run(course_root, InProcessWorkers(fake_result))
    assert (summary.graded_before, summary.pages, summary.failed) == (4, 4, {})
    assert content(url) == expected


def autograded_students(url: str) -> dict[str, bool]:
    """Return for each student in the gradebook whether all tasks but the note have an automatic score."""
    with Gradebook(url, "secant") as book:
        return {
            submission.student.id: all(
                grade.auto_score is not None for grade in submission.grades if grade.cell.name != "why"
            )
            for submission in book.notebook_submissions(STEPS, STEPS)
        }


def submit_all(course_root: Path, correct_answers: dict[str, str], url: str) -> None:
    """Let the whole class submit, with a gradebook at this URL."""
    set_database(course_root, url)
    for student in STUDENTS:
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))


def test_postgres_outage_loses_no_grade(
    course_root: Path,
    correct_answers: dict[str, str],
    url: str,
    postgres: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.2)
    submit_all(course_root, correct_answers, url)

    def stop_server(job: Job | Page) -> JobResult:
        if isinstance(job, Job) and job.student == "bob":
            postgres.stop()
        return fake_result(job)

    try:
        summary, messages = run(course_root, InProcessWorkers(stop_server))
    finally:
        postgres.start()
    assert set(summary.failed) == {Entry("bob", STEPS), Entry("cho", STEPS)}
    assert all("password" not in text and "Traceback" not in text for text in messages)
    rows = {row["student"]: {task["outcome"] for task in row["tasks"]} for row in summary.as_json()}
    assert rows["bob"] == rows["cho"] == {"grader_failure"}
    assert autograded_students(url) == {"ann": True}
    workers = InProcessWorkers(fake_result)
    summary, _ = run(course_root, workers)
    assert not summary.failed
    assert workers.examined == ["bob", "cho"]
    assert autograded_students(url) == dict.fromkeys(STUDENTS, True)


def test_postgres_restart_is_waited_for(
    course_root: Path, correct_answers: dict[str, str], url: str, postgres: Server
) -> None:
    submit_all(course_root, correct_answers, url)

    def restart(job: Job | Page) -> JobResult:
        if isinstance(job, Job) and job.student == "bob":
            postgres.stop()
            postgres.start()
        return fake_result(job)

    summary, messages = run(course_root, InProcessWorkers(restart))
    assert not summary.failed
    assert not messages
    assert autograded_students(url) == dict.fromkeys(STUDENTS, True)


def test_killed_grading_run_is_completed_by_the_next_on_postgresql(
    course_root: Path, correct_answers: dict[str, str], postgres: Server, tmp_path: Path
) -> None:
    submit_class(course_root, correct_answers)

    (course_root / SECRET).write_bytes(b"of one course: " * 3)

    def make_course(name: str) -> tuple[Path, str]:
        url = postgres.database(f"{name}{next(_database_numbers)}", like="empty")
        return set_database(shutil.copytree(course_root, tmp_path / name), url), url

    def read_results(folder: Path, url: str) -> tuple[object, ...]:
        return content(url), files(folder / "autograded", folder / "feedback")

    undisturbed_root, url = make_course("undisturbed")
    step_count = count_steps(lambda: run(undisturbed_root, InProcessWorkers(fake_result)))
    expected = read_results(undisturbed_root, url)
    for fraction in (0.5, 0.8):
        folder, url = make_course(f"killed{fraction * 100:.0f}")
        assert kill_at_step(lambda: run(folder, InProcessWorkers(fake_result)), int(fraction * step_count))  # noqa: B023
        run(folder, InProcessWorkers(fake_result))
        assert read_results(folder, url) == expected


def open_book(course_root: Path) -> Book:
    course = Course.at(course_root)
    return Book(course.directory, course.config)


def test_second_run_is_refused_while_the_first_one_writes(
    course_root: Path,
    correct_answers: dict[str, str],
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Start the second run in a copy of the course folder, where a lock file would not show the first run."""
    monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
    submit_all(course_root, correct_answers, url)
    other_root, workers = (
        shutil.copytree(course_root, tmp_path / "another machine"),
        InProcessWorkers(fake_result),
    )

    def start_second_run(job: Job | Page) -> JobResult:
        if job.student == "bob":
            with pytest.raises(CourseError) as error:
                run(other_root, workers)
            owner = f"on {platform.node()[:30]}, process {os.getpid()}"
            message_start = (
                f"Another `autograder grade` ({owner}) is busy in the gradebook postgresql+psycopg://secant@/"
            )
            assert str(error.value).startswith(message_start)
            assert str(error.value).endswith("; wait for it to end.")
        return fake_result(job)

    summary, _ = run(course_root, InProcessWorkers(start_second_run))
    assert not summary.failed
    assert workers.jobs == []
    summary, _ = run(other_root, workers)
    assert summary.graded_before == 3


def test_killed_run_leaves_no_lock(course_root: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_database(course_root, url)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        gc.disable()  # no finaliser may close the parent's connections
        try:
            with open_book(course_root):
                os.write(writer, b"!")
                signal.pause()
        finally:
            os._exit(1)
    os.close(writer)
    assert os.read(reader, 1) == b"!"
    with monkeypatch.context() as patch:
        patch.setattr(locks, "GRACE_SECONDS", 0.0)
        assert f"process {pid})" in get_refusal(course_root)
    os.kill(pid, signal.SIGKILL)
    with open_book(course_root):
        os.waitpid(pid, 0)


def test_run_ends_if_another_took_its_lock_during_an_outage(
    course_root: Path,
    correct_answers: dict[str, str],
    url: str,
    postgres: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
    submit_all(course_root, correct_answers, url)
    with contextlib.ExitStack() as other_runs:

        def restart_and_lock(job: Job | Page) -> JobResult:
            if isinstance(job, Job) and job.student == "bob":
                postgres.stop()
                postgres.start()
                other_runs.enter_context(open_book(course_root))
            return fake_result(job)

        with pytest.raises(CourseError, match="is busy in the gradebook"):
            run(course_root, InProcessWorkers(restart_and_lock))
    assert autograded_students(url) == {"ann": True}
    summary, _ = run(course_root, InProcessWorkers(fake_result))
    assert (summary.graded_before, summary.failed) == (1, {})


def test_dead_connection_known_only_to_the_server_is_ended(
    course_root: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulate a network failure, after which the run's old connection still holds the lock on the server."""
    set_database(course_root, url)
    with open_book(course_root) as book, book.connection.gradebook.engine.connect() as lost_connection:
        lost_connection.detach()  # the connection stays open, but the run no longer uses it
        book.mark_filed({("ann", STEPS): ""})
        with pytest.raises(DBAPIError, match="terminating connection"):
            lost_connection.execute(text("SELECT 1"))
        monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
        assert "is busy in the gradebook" in get_refusal(course_root)


def get_refusal(course_root: Path) -> str:
    with pytest.raises(CourseError) as error, open_book(course_root):
        pass
    return str(error.value)


def test_unreachable_server_is_refused_in_a_sentence(course_root: Path) -> None:
    set_database(course_root, "postgresql+psycopg://teacher:s3cret@/grades?host=/nowhere")
    message = get_refusal(course_root)
    assert "postgresql+psycopg://teacher:***@/grades?host=" in message
    assert "cannot be opened" in message
    assert "s3cret" not in message


@pytest.mark.parametrize(
    ("url", "word"),
    [("postgres://teacher:s3cret@/grades", "postgres"), ("grades of s3cret", "db_url")],
)
def test_wrong_address_is_refused_in_a_sentence(course_root: Path, url: str, word: str) -> None:
    set_database(course_root, url)
    message = get_refusal(course_root)
    assert word in message
    assert "s3cret" not in message


def test_missing_driver_is_named(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    set_database(course_root, "postgresql+psycopg://teacher@/grades")
    assert "secant[postgres]" in get_refusal(course_root)


def test_changed_tasks_leave_a_copy_in_a_schema_of_its_own(
    course_root: Path, correct_answers: dict[str, str], url: str
) -> None:
    submit_class(set_database(course_root, url), correct_answers)
    run(course_root)
    edit(course_root, rename)
    (message,) = change_tasks(Course.at(course_root), [STEPS])
    schema = message.partition("the schema ")[2].partition(" ")[0]
    engine = create_engine(url)
    with engine.connect() as connection:
        query = text(f"SELECT name FROM {schema}.base_cell WHERE type = 'GradeCell' ORDER BY name")
        assert list(connection.scalars(query)) == ["test_Counter", "test_double", "why"]
        grade_count = connection.scalar(text(f"SELECT count(*) FROM {schema}.grade"))
        assert grade_count == 3 * connection.scalar(text("SELECT count(*) FROM submitted_notebook"))
    engine.dispose()
    assert len(list(course_root.glob("gradebook_before_*_dropped.csv"))) == 1
    summary, _ = run(course_root)
    assert summary.failed == {}
    with Gradebook(url, "secant") as gradebook:
        assert {cell.name for cell in gradebook.find_notebook(STEPS, STEPS).grade_cells} == {
            "test_Tally",
            "test_double",
            "why",
        }
