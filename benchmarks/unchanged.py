"""Measure the time and memory that `autograder grade` needs for a large class that is already graded.

The first student's submission of a real lesson is graded. The gradebook entries and folders of the other
students are copies of the first student's. Then the command runs again, first with nothing new and then with
one new file. formgrader (nbgrader's web page for instructors) is also started, and two of its lists are
requested: the submissions of the assignment, and the submitted copies of the notebook. The memory of a run is
that of its largest process: the coordinator (the main process), or a worker if there is a new file. The
memory of formgrader is that of its server.

    python -m benchmarks.unchanged --json FILE [--students 1000 10000] [--gradebook sqlite postgres]
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbformat
from nbgrader.api import Base
from sqlalchemy import Table, create_engine, insert, select, text

from autograder.course.lesson import Lesson, find_lessons
from autograder.gradebook.records import Record
from benchmarks.rows import row
from tests.support.formgrader import formgrader
from tests.support.lessons import ROOT, copy_lessons
from tests.support.postgres import server
from tests.support.small_class import (
    InProcessWorkers,
    answered_notebook,
    fake_result,
    hand_in,
    run,
    solutions,
)

FIRST = "s000000"


def make_course(room: Path, lesson: str, url: str) -> None:
    """Make a course with one real lesson and grade one student in it."""
    copy_lessons([Lesson(lesson, ROOT / "course" / lesson)], room)
    for name in ("syllabus.toml", "glossary.toml"):
        shutil.copy(ROOT / "course" / name, room / "course")
    settings = (ROOT / "nbgrader_config.py").read_text()
    (room / "nbgrader_config.py").write_text(f"{settings}\nc.CourseDirectory.db_url = {url!r}\n")
    answers = solutions(room, lesson)
    hand_in(room, FIRST, answered_notebook(room, answers, lesson=lesson), lesson)
    summary, _ = run(room, InProcessWorkers(fake_result), lessons=[lesson])
    assert not summary.failed


def enlarge(room: Path, lesson: str, url: str, students: range) -> None:
    """Add students with copies of the first student's submission, grades and feedback."""
    tables = Base.metadata.tables
    names = [f"s{number:06}" for number in students]
    work_ids = {name: uuid4().hex for name in names}
    ids = {name: uuid4().hex for name in names}
    engine = create_engine(url)
    with engine.begin() as connection:

        def rows(table: Table, column: str, value: Any) -> list[dict[str, Any]]:
            return [
                dict(row)
                for row in connection.execute(select(table).where(table.c[column] == value)).mappings()
            ]

        (student_row,) = rows(tables["student"], "id", FIRST)
        (submission_row,) = rows(tables["submitted_assignment"], "student_id", FIRST)
        (notebook,) = rows(tables["submitted_notebook"], "assignment_id", submission_row["id"])
        connection.execute(insert(tables["student"]), [student_row | {"id": name} for name in names])
        submission_rows = [submission_row | {"id": work_ids[name], "student_id": name} for name in names]
        connection.execute(insert(tables["submitted_assignment"]), submission_rows)
        copies = [notebook | {"id": ids[name], "assignment_id": work_ids[name]} for name in names]
        connection.execute(insert(tables["submitted_notebook"]), copies)
        for table in ("grade", "comment"):
            for row in rows(tables[table], "notebook_id", notebook["id"]):
                copies = [row | {"id": uuid4().hex, "notebook_id": ids[name]} for name in names]
                connection.execute(insert(tables[table]), copies)
        records = Record.metadata.tables[Record.__tablename__]
        (record,) = rows(records, "student", FIRST)
        copies = [
            record
            | {"student": name, "notebook_id": ids[name]}
            | {"result": record["result"].replace(FIRST, name)}
            for name in names
        ]
        connection.execute(insert(records), copies)
        if engine.dialect.name == "postgresql":
            # Update the database's statistics, as PostgreSQL's autovacuum would do within a minute.
            connection.execute(text("ANALYZE"))
    engine.dispose()
    for step in ("submitted", "autograded", "feedback"):
        for name in names:
            shutil.copytree(room / step / FIRST, room / step / name, copy_function=os.link)


def grade_again(room: Path) -> dict[str, Any]:
    """Run `autograder grade` once more and return its time, its memory and its output."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "autograder.cli", "grade", "--workers", "1", "--json", "results.json"]
    start = time.monotonic()
    process = subprocess.Popen(words, cwd=room, env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, output
    return {
        "processor seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "seconds": round(time.monotonic() - start, 2),
        "megabytes": round(usage.ru_maxrss / 1024),
        "output": output.strip(),
    }


def time_formgrader(room: Path, lesson: str, size: int) -> dict[str, Any]:
    """Request formgrader's lists of submissions; return the seconds for each and the server's memory."""
    figures = {}
    with formgrader(room) as ask:
        for name, path in {
            "submissions, seconds": f"api/submissions/{lesson}",
            "the notebook's, seconds": f"api/submitted_notebooks/{lesson}/{lesson}",
        }.items():
            start = time.monotonic()
            assert len(json.loads(ask(path))) == size
            figures[name] = round(time.monotonic() - start, 2)
        status = Path(f"/proc/{ask.pid}/status").read_text()
        (peak,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
        return {**figures, "megabytes": round(int(peak) / 1024)}


def change_one(room: Path, lesson: str) -> None:
    """Replace the first student's submission with a changed notebook."""
    path = room / "submitted" / FIRST / lesson / f"{lesson}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("late = True"))
    path.unlink()  # the other students' files are hard links to this one and must not change
    nbformat.write(notebook, path)


def measure(room: Path, lesson: str, url: str, sizes: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the measurements for each class size, then those of a single run with one changed notebook.

    For each class size, `autograder grade` runs again with nothing new, and formgrader lists the submissions.
    After the last size, one student's notebook is changed, and `autograder grade` runs once more.
    """
    make_course(room, lesson, url)
    before = 1
    for size in sizes:
        enlarge(room, lesson, url, range(before, size))
        before = size
        second_run = grade_again(room)
        assert f"{size} of them earlier" in second_run["output"], second_run
        yield {"students": size, "unchanged": second_run, "formgrader": time_formgrader(room, lesson, size)}
    change_one(room, lesson)
    after_change = grade_again(room)
    assert f"{before - 1} of them earlier" in after_change["output"], after_change
    yield {"students": before, "one new file": after_change}


@contextlib.contextmanager
def database(kind: str, room: Path) -> Iterator[str]:
    """Create a database for a gradebook and yield its URL."""
    if kind == "sqlite":
        yield f"sqlite:///{room}/gradebook.db"
    else:
        with server() as postgres:
            yield postgres.database("course")


def rows(runs: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a table row for each figure; rows compare PostgreSQL with SQLite if both were measured."""
    figures = {
        "another run over {}, processor time": ("unchanged", "processor seconds", "s"),
        "another run over {}, memory": ("unchanged", "megabytes", "MB"),
        "formgrader's list of {} submissions": ("formgrader", "submissions, seconds", "s"),
        "formgrader's list of {} notebooks": ("formgrader", "the notebook's, seconds", "s"),
        "formgrader with {}, memory": ("formgrader", "megabytes", "MB"),
    }
    unchanged_runs = [measurement for measurement in runs if "unchanged" in measurement]
    for size in sorted({measurement["students"] for measurement in unchanged_runs}):
        by_gradebook = {
            measurement["gradebook"]: measurement
            for measurement in unchanged_runs
            if measurement["students"] == size
        }
        for name, (part, key, unit) in figures.items():
            figure = name.format(size)
            if len(by_gradebook) == 1:
                ((kind, single_measurement),) = by_gradebook.items()
                yield row(f"{figure}, {_TITLES[kind]}", single_measurement[part][key], unit=unit)
            else:
                postgres_value, sqlite_value = (
                    by_gradebook["postgres"][part][key],
                    by_gradebook["sqlite"][part][key],
                )
                yield row(f"{figure}, PostgreSQL", postgres_value, "SQLite", sqlite_value, unit)


_TITLES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--students", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--lesson", type=int, default=1)
    parser.add_argument(
        "--gradebook", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"]
    )
    options = parser.parse_args()
    (lesson,) = [entry.name for entry in find_lessons(ROOT) if entry.name.startswith(f"{options.lesson:02}_")]
    runs = []
    for kind in options.gradebook:
        with tempfile.TemporaryDirectory() as name, database(kind, Path(name)) as url:
            for entry in measure(Path(name), lesson, url, options.students):
                runs.append({"gradebook": kind, **entry})
                print(json.dumps(runs[-1]), flush=True)
    options.json.write_text(json.dumps(list(rows(runs)), indent=2) + "\n")


if __name__ == "__main__":
    main()
