"""The lock of the one run that writes into a gradebook: a file beside SQLite's, or PostgreSQL's own."""

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from filelock import FileLock, Timeout
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import text

from autograder.course.errors import CourseError
from autograder.course.settings import sqlite_file
from autograder.gradebook.errors import shown

GRACE_SECONDS = 2.0  # how long to wait for the lock: a server takes a moment to notice that a run was killed

# PostgreSQL's advisory lock of the one run that writes into a database, and the session that holds it.
_NUMBER = 0x5ECA47
_TAKE = text(f"SELECT pg_try_advisory_lock({_NUMBER})")
_HOLDER = text(
    "SELECT pid, backend_start, application_name FROM pg_stat_activity JOIN pg_locks USING (pid) "
    f"WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = {_NUMBER} AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# A machine that sends nothing is given up after a minute and a half.
_SIGN = text(
    "SELECT set_config('application_name', :name, false), set_config('tcp_keepalives_idle', '60', false), "
    "set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)"
)
_END = text("SELECT pg_terminate_backend(:pid)")
_SIGNATURE = "autograder grade "


@contextmanager
def locked_file(coursedir: CourseDirectory) -> Iterator[None]:
    """Hold the lock of an SQLite file: a file beside it, under its real name. A server has a lock of its own.

    Raises:
        CourseError: another run holds it, or it cannot be made.
    """
    file = sqlite_file(coursedir.db_url)
    if file is None or not file.parent.is_dir():
        yield
        return
    file = file.resolve()
    mode = 0o664 if coursedir.groupshared else 0o644
    lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=0, mode=mode, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise CourseError(_busy(coursedir.db_url)) from None
    except OSError as error:
        where = shown(coursedir.db_url)
        raise CourseError(f"The gradebook {where} cannot be written to: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()


class ServerLock:
    """The lock of a PostgreSQL database.

    It belongs to the connection, and so ends with the process, however that ends. A new connection has to
    take it again: from the session of the lost one, if the server has not noticed the loss yet.

    Args:
        url: the database's address.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._session: tuple[Any, ...] = ()  # the server's process that holds the lock for us, and its start

    def take(self, db: Any) -> None:
        """Take the lock, unless this connection has it or the database is no server's.

        Raises:
            CourseError: another run holds it.
        """
        connection = db.connection()
        if connection.dialect.name != "postgresql" or connection.info.get(_SIGNATURE):
            return
        end = time.monotonic() + GRACE_SECONDS
        while not db.execute(_TAKE).scalar():
            holder = db.execute(_HOLDER).first()
            if holder is not None and holder[:2] == self._session:
                db.execute(_END, {"pid": holder.pid})
            if time.monotonic() >= end:
                raise CourseError(_busy(self._url, holder.application_name if holder else ""))
            db.rollback()  # a transaction sees the server's sessions as they were when it began
            time.sleep(0.1)
        host = platform.node()[:30]  # a name has 63 bytes
        db.execute(_SIGN, {"name": f"{_SIGNATURE}on {host}, process {os.getpid()}"})
        self._session = tuple(db.execute(_HOLDER).one()[:2])
        db.connection().info[_SIGNATURE] = True
        db.commit()  # a later rollback would undo set_config; the session's lock is unaffected


def _busy(url: str, name: str | None = None) -> str:
    where = f" ({name.removeprefix(_SIGNATURE)})" if name and name.startswith(_SIGNATURE) else ""
    return f"Another `autograder grade`{where} is busy in the gradebook {shown(url)}; wait for it to end."
