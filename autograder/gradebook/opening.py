"""Open a gradebook, and create or upgrade nbgrader's tables and the autograder's table."""

import ast
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment as AssignmentEntry
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import create_engine, inspect, select, text
from sqlalchemy.schema import CreateColumn

from autograder.course.settings import sqlite_file
from autograder.gradebook.errors import as_course_error, url_without_password
from autograder.gradebook.records import Record

_VERSION_TABLE = text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")


def open_gradebook(coursedir: CourseDirectory) -> Gradebook:
    """Open a course's gradebook, and create missing tables.

    Raises:
        CourseError: if the gradebook cannot be opened.
    """
    with as_course_error(f"The gradebook {url_without_password(coursedir.db_url)} cannot be opened"):
        _create_version_table(coursedir.db_url)
        gradebook = Gradebook(coursedir.db_url, coursedir.course_id)
        Record.metadata.create_all(gradebook.engine)
        return gradebook


def complete(db: Any) -> None:
    """Check that the gradebook is writable, then add a missing version entry and missing columns.

    The version entry may be missing, because nbgrader writes it last when it makes a new gradebook.
    """
    db.execute(text("UPDATE course SET id = id"))
    db.rollback()
    if "alembic_version" not in inspect(db.connection()).get_table_names():
        db.execute(_VERSION_TABLE)
    version = db.execute(text("SELECT version_num FROM alembic_version")).first()
    if version is None and db.execute(select(AssignmentEntry.id)).first() is None:
        insert = text("INSERT INTO alembic_version (version_num) VALUES (:version)")
        db.execute(insert, {"version": _newest_version()})
    _migrate(db)


def _create_version_table(url: str) -> None:
    """Create nbgrader's version table in a database without tables; `complete` fills it in later.

    Without this table, nbgrader would start a separate program to set the version, which takes seconds.
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
    """Return the newest version of nbgrader's tables, found as in nbgrader's `get_alembic_version`."""
    scripts = Path(ALEMBIC_DIR, "versions").glob("*.py")
    steps = [_migration_versions(script.read_bytes()) for script in scripts]
    heads = {version for version, _ in steps} - {previous for _, previous in steps}
    if len(heads) == 1 and all(isinstance(version, str) for version, _ in steps):
        return str(heads.pop())
    # Alembic is imported only if the version cannot be read from nbgrader's migration scripts, because
    # importing Alembic takes longer than opening the gradebook. So far, the import has never been necessary.
    from alembic.script import ScriptDirectory

    (head,) = ScriptDirectory(ALEMBIC_DIR).get_heads()
    return head


def _migration_versions(script: bytes) -> tuple[object, object]:
    """Return the version to which an Alembic migration script upgrades, and the version before the upgrade.

    A version is None if the script does not assign it as a plain constant.
    """
    constants = {
        target.id: line.value.value
        for line in ast.parse(script).body
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    return constants.get("revision"), constants.get("down_revision")


def _migrate(db: Any) -> None:
    """Add the columns that a table created by an earlier version of the autograder does not have."""
    existing_names = {column["name"] for column in inspect(db.connection()).get_columns(Record.__tablename__)}
    for column in Record.metadata.tables[Record.__tablename__].columns:
        if column.name not in existing_names:
            definition = CreateColumn(column).compile(dialect=db.connection().dialect)
            db.execute(text(f"ALTER TABLE {Record.__tablename__} ADD COLUMN {definition}"))
