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
from autograder.workers.jobs import Done, Job, Page
from tests.autograder.gradebook.test_task_migration import edit, rename
from tests.support.gradebooks import content
from tests.support.kills import files, killed, steps
from tests.support.postgres import Server, programs, server
from tests.support.small_class import EMPTY, STEPS, WRONG, Here, answered, hand_in, run, told

CLASS = ("ann", "bob", "cho")
_numbers = itertools.count()


@pytest.fixture(scope="module")
def postgres(built: Path) -> Iterator[Server]:
    if programs() is None and os.environ.get("SECANT_REQUIRE_POSTGRES") != "1":
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with server() as made, pytest.MonkeyPatch.context() as patch:
        with sqlite3.connect(built / EMPTY) as known:
            (version,) = known.execute("SELECT version_num FROM alembic_version").fetchone()
        known.close()
        patch.setattr(nbgrader.api, "get_alembic_version", lambda: version)  # the original takes seconds
        with Gradebook(made.database("empty"), "secant"):
            pass
        yield made


@pytest.fixture
def url(postgres: Server) -> str:
    """Make a database for one test and return its URL."""
    return postgres.database(f"course{next(_numbers)}", like="empty")


def point(room: Path, url: str) -> Path:
    """Set the database of a course's gradebook, and return the course's folder."""
    with (room / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
    return room


def fill(room: Path, right: dict[str, str]) -> None:
    """Submit files for a class of four; Ann's has a time of submission, and Dee's is unreadable."""
    hand_in(room, "ann", answered(room, right), timestamp="2026-11-01 10:00:00.000000 UTC")
    hand_in(room, "bob", answered(room, right | WRONG, "ko"))
    hand_in(room, "cho", answered(room, {}))
    hand_in(room, "dee", "{")


def a_term(room: Path, right: dict[str, str], url: str) -> None:
    """Take a gradebook through a term: a run, manual grades, new answers, a run that fails and a last run."""
    fill(room, right)
    run(room, Here(told))
    with Gradebook(url, "secant") as book:
        book.update_or_create_assignment(STEPS, duedate="2026-10-01 00:00:00 UTC")
        book.find_grade("why", STEPS, STEPS, "ann").manual_score = 1.0
        book.find_comment("why", STEPS, STEPS, "ann").manual_comment = "잘 썼습니다."
        book.db.commit()
    hand_in(
        room, "ann", answered(room, right | {"why": "Another reason."}), timestamp="2026-11-02 10:00:00 UTC"
    )
    hand_in(room, "bob", answered(room, right, "ko"))
    run(room, Here(fails))
    hand_in(room, "cho", answered(room, right))
    run(room, Here(told))


def fails(job: Job | Page) -> Done:
    if job.student == "bob":
        raise OSError("the worker's disk is full")
    return told(job)


def test_gradebook_in_postgresql_equals_the_one_in_sqlite(
    room: Path, right: dict[str, str], url: str, tmp_path: Path
) -> None:
    other = tmp_path / "sqlite"
    shutil.copytree(room, other)
    shutil.copy(room / EMPTY, other / "gradebook.db")
    point(room, url)
    a_term(room, right, url)
    a_term(other, right, f"sqlite:///{other}/gradebook.db")
    ours, theirs = content(url), content(f"sqlite:///{other}/gradebook.db")
    assert {name: len(rows) for name, rows in ours.items()} == {
        name: len(rows) for name, rows in theirs.items()
    }
    assert ours == theirs
    assert len(ours["submitted_notebook"]) == 4
    course = Course.at(room)
    shown = NbGraderAPI(course.directory, config=course.config).get_submissions(STEPS)
    assert [row["student"] for row in shown] == ["ann", "bob", "cho", "dee"]


def test_table_of_an_earlier_version_gets_its_columns(room: Path, right: dict[str, str], url: str) -> None:
    point(room, url)
    fill(room, right)
    run(room, Here(told))
    want = content(url)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE autograder_record DROP COLUMN page, DROP COLUMN penalty"))
    engine.dispose()
    summary, _ = run(room, Here(told))
    assert (summary.graded_before, summary.pages, summary.failed) == (4, 4, {})
    assert content(url) == want


def autograded(url: str) -> dict[str, bool]:
    """Return for each student in the gradebook whether all tasks but the note have an automatic score."""
    with Gradebook(url, "secant") as book:
        return {
            found.student.id: all(
                grade.auto_score is not None for grade in found.grades if grade.cell.name != "why"
            )
            for found in book.notebook_submissions(STEPS, STEPS)
        }


def all_hand_in(room: Path, right: dict[str, str], url: str) -> None:
    """Let the whole class submit, with a gradebook at this URL."""
    point(room, url)
    for student in CLASS:
        hand_in(room, student, answered(room, right))


def test_postgres_outage_loses_no_grade(
    room: Path, right: dict[str, str], url: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.2)
    all_hand_in(room, right, url)

    def outage(job: Job | Page) -> Done:
        if isinstance(job, Job) and job.student == "bob":
            postgres.stop()
        return told(job)

    try:
        summary, said = run(room, Here(outage))
    finally:
        postgres.start()
    assert set(summary.failed) == {Entry("bob", STEPS), Entry("cho", STEPS)}
    assert all("password" not in text and "Traceback" not in text for text in said)
    rows = {row["student"]: {task["outcome"] for task in row["tasks"]} for row in summary.as_json()}
    assert rows["bob"] == rows["cho"] == {"grader_failure"}
    assert autograded(url) == {"ann": True}
    workers = Here(told)
    summary, _ = run(room, workers)
    assert not summary.failed
    assert workers.examined == ["bob", "cho"]
    assert autograded(url) == dict.fromkeys(CLASS, True)


def test_postgres_restart_is_waited_for(
    room: Path, right: dict[str, str], url: str, postgres: Server
) -> None:
    all_hand_in(room, right, url)

    def restart(job: Job | Page) -> Done:
        if isinstance(job, Job) and job.student == "bob":
            postgres.stop()
            postgres.start()
        return told(job)

    summary, said = run(room, Here(restart))
    assert not summary.failed
    assert not said
    assert autograded(url) == dict.fromkeys(CLASS, True)


def test_killed_grading_run_is_completed_by_the_next_on_postgresql(
    room: Path, right: dict[str, str], postgres: Server, tmp_path: Path
) -> None:
    fill(room, right)

    (room / SECRET).write_bytes(b"of one course: " * 3)

    def place(name: str) -> tuple[Path, str]:
        url = postgres.database(f"{name}{next(_numbers)}", like="empty")
        return point(shutil.copytree(room, tmp_path / name), url), url

    def known(folder: Path, url: str) -> tuple[object, ...]:
        return content(url), files(folder / "autograded", folder / "feedback")

    undisturbed, url = place("undisturbed")
    moments = steps(lambda: run(undisturbed, Here(told)))
    want = known(undisturbed, url)
    for part in (0.5, 0.8):
        folder, url = place(f"killed{part * 100:.0f}")
        assert killed(lambda: run(folder, Here(told)), int(part * moments))  # noqa: B023
        run(folder, Here(told))
        assert known(folder, url) == want


def opened(room: Path) -> Book:
    course = Course.at(room)
    return Book(course.directory, course.config)


def test_second_run_is_refused_while_the_first_one_writes(
    room: Path, right: dict[str, str], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start the second run in a copy of the course folder, where a lock file would not show the first run."""
    monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
    all_hand_in(room, right, url)
    other, workers = shutil.copytree(room, tmp_path / "another machine"), Here(told)

    def meanwhile(job: Job | Page) -> Done:
        if job.student == "bob":
            with pytest.raises(CourseError) as refused:
                run(other, workers)
            who = f"on {platform.node()[:30]}, process {os.getpid()}"
            said = (
                f"Another `autograder grade` ({who}) is busy in the gradebook postgresql+psycopg://secant@/"
            )
            assert str(refused.value).startswith(said)
            assert str(refused.value).endswith("; wait for it to end.")
        return told(job)

    summary, _ = run(room, Here(meanwhile))
    assert not summary.failed
    assert workers.jobs == []
    summary, _ = run(other, workers)
    assert summary.graded_before == 3


def test_killed_run_leaves_no_lock(room: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point(room, url)
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        gc.disable()  # no finaliser may close the parent's connections
        try:
            with opened(room):
                os.write(theirs, b"!")
                signal.pause()
        finally:
            os._exit(1)
    os.close(theirs)
    assert os.read(ours, 1) == b"!"
    with monkeypatch.context() as patch:
        patch.setattr(locks, "GRACE_SECONDS", 0.0)
        assert f"process {pid})" in refusal(room)
    os.kill(pid, signal.SIGKILL)
    with opened(room):
        os.waitpid(pid, 0)


def test_run_ends_if_another_took_its_lock_during_an_outage(
    room: Path, right: dict[str, str], url: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
    all_hand_in(room, right, url)
    with contextlib.ExitStack() as others:

        def outage(job: Job | Page) -> Done:
            if isinstance(job, Job) and job.student == "bob":
                postgres.stop()
                postgres.start()
                others.enter_context(opened(room))
            return told(job)

        with pytest.raises(CourseError, match="is busy in the gradebook"):
            run(room, Here(outage))
    assert autograded(url) == {"ann": True}
    summary, _ = run(room, Here(told))
    assert (summary.graded_before, summary.failed) == (1, {})


def test_dead_connection_known_only_to_the_server_is_ended(
    room: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulate a network failure, after which the run's old connection still holds the lock on the server."""
    point(room, url)
    with opened(room) as book, book.connection.gradebook.engine.connect() as lost:
        lost.detach()  # the connection stays open, but the run no longer uses it
        book.mark_filed({("ann", STEPS): ""})
        with pytest.raises(DBAPIError, match="terminating connection"):
            lost.execute(text("SELECT 1"))
        monkeypatch.setattr(locks, "GRACE_SECONDS", 0.0)
        assert "is busy in the gradebook" in refusal(room)


def refusal(room: Path) -> str:
    with pytest.raises(CourseError) as refused, opened(room):
        pass
    return str(refused.value)


def test_unreachable_server_is_refused_in_a_sentence(room: Path) -> None:
    point(room, "postgresql+psycopg://teacher:s3cret@/grades?host=/nowhere")
    said = refusal(room)
    assert "postgresql+psycopg://teacher:***@/grades?host=" in said
    assert "cannot be opened" in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("url", "word"),
    [("postgres://teacher:s3cret@/grades", "postgres"), ("grades of s3cret", "db_url")],
)
def test_wrong_address_is_refused_in_a_sentence(room: Path, url: str, word: str) -> None:
    point(room, url)
    said = refusal(room)
    assert word in said
    assert "s3cret" not in said


def test_missing_driver_is_named(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    point(room, "postgresql+psycopg://teacher@/grades")
    assert "secant[postgres]" in refusal(room)


def test_changed_tasks_leave_a_copy_in_a_schema_of_its_own(
    room: Path, right: dict[str, str], url: str
) -> None:
    fill(point(room, url), right)
    run(room)
    edit(room, rename)
    (said,) = change_tasks(Course.at(room), [STEPS])
    schema = said.partition("the schema ")[2].partition(" ")[0]
    engine = create_engine(url)
    with engine.connect() as connection:
        names = text(f"SELECT name FROM {schema}.base_cell WHERE type = 'GradeCell' ORDER BY name")
        assert list(connection.scalars(names)) == ["test_Counter", "test_double", "why"]
        kept = connection.scalar(text(f"SELECT count(*) FROM {schema}.grade"))
        assert kept == 3 * connection.scalar(text("SELECT count(*) FROM submitted_notebook"))
    engine.dispose()
    assert len(list(room.glob("gradebook_before_*_dropped.csv"))) == 1
    summary, _ = run(room)
    assert summary.failed == {}
    with Gradebook(url, "secant") as opened:
        assert {cell.name for cell in opened.find_notebook(STEPS, STEPS).grade_cells} == {
            "test_Tally",
            "test_double",
            "why",
        }
