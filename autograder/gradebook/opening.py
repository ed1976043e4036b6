"""Open a gradebook: nbgrader's tables and ours, made or brought up to date."""

from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import create_engine, inspect, select, text
from sqlalchemy.schema import CreateColumn

from autograder.course.settings import sqlite_file
from autograder.gradebook.errors import refused, shown
from autograder.gradebook.records import Record

_VERSION_TABLE = text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")


def open_gradebook(coursedir: CourseDirectory) -> Gradebook:
    """Open a course's gradebook, and make the tables that it lacks.

    Raises:
        CourseError: it cannot be opened.
    """
    with refused(f"The gradebook {shown(coursedir.db_url)} cannot be opened"):
        _begin(coursedir.db_url)
        gradebook = Gradebook(coursedir.db_url, coursedir.course_id)
        Record.metadata.create_all(gradebook.engine)
        return gradebook


def complete(db: Any) -> None:
    """Try to write; then write what nbgrader writes last into a new gradebook, if that is missing."""
    db.execute(text("UPDATE course SET id = id"))
    db.rollback()
    if "alembic_version" not in inspect(db.connection()).get_table_names():
        db.execute(_VERSION_TABLE)
    noted = db.execute(text("SELECT version_num FROM alembic_version")).first()
    if noted is None and db.execute(select(AssignmentEntry.id)).first() is None:
        insert = text("INSERT INTO alembic_version (version_num) VALUES (:version)")
        db.execute(insert, {"version": _newest_version()})
    _migrate(db)


def _begin(url: str) -> None:
    """Give a gradebook that has no table yet the one of its version, which `complete` fills in.

    nbgrader asks a program for the version where there is no table at all, which takes seconds.
    """
    file = sqlite_file(url)
    if file is not None and file.exists():
        return
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            if not inspect(connection).get_table_names():
                connection.execute(_VERSION_TABLE)
    finally:
        engine.dispose()


def _newest_version() -> str:
    """Return the version of nbgrader's tables, as its `get_alembic_version` finds it."""
    from alembic.script import ScriptDirectory  # for a new gradebook alone

    (head,) = ScriptDirectory(ALEMBIC_DIR).get_heads()
    return head


def _migrate(db: Any) -> None:
    """Add the columns that a record of an earlier version does not have."""
    known = {column["name"] for column in inspect(db.connection()).get_columns(Record.__tablename__)}
    for column in Record.metadata.tables[Record.__tablename__].columns:
        if column.name not in known:
            form = CreateColumn(column).compile(dialect=db.connection().dialect)
            db.execute(text(f"ALTER TABLE {Record.__tablename__} ADD COLUMN {form}"))
