"""The lock that allows only one run at a time to write grades to a gradebook.

For SQLite, the lock is a file next to the database. For PostgreSQL, it is an advisory lock.
"""

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
from autograder.gradebook.errors import url_without_password

# Seconds to wait for the lock. If a run was killed, the server needs a moment to notice that and release the
# lock.
GRACE_SECONDS = 2.0

# The number of the PostgreSQL advisory lock for writing grades, and a query for the session that holds it.
_LOCK_NUMBER = 0x5ECA47
_TAKE = text(f"SELECT pg_try_advisory_lock({_LOCK_NUMBER})")
_HOLDER = text(
    "SELECT pid, backend_start, application_name FROM pg_stat_activity JOIN pg_locks USING (pid) "
    f"WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = {_LOCK_NUMBER} AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# The keepalive settings make the server close a connection about 90 seconds after the client's machine stops
# responding.
_NAME_SESSION = text(
    "SELECT set_config('application_name', :name, false), set_config('tcp_keepalives_idle', '60', false), "
    "set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)"
)
_END_SESSION = text("SELECT pg_terminate_backend(:pid)")
_SESSION_PREFIX = "autograder grade "


@contextmanager
def locked_file(coursedir: CourseDirectory) -> Iterator[None]:
    """Hold the lock of an SQLite database.

    The lock is a file next to the database itself, even if the configured path is a link.

    For a server's database, do nothing; see `ServerLock`.

    Raises:
        CourseError: if another run holds the lock, or the lock file cannot be created.
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
        raise CourseError(_busy_message(coursedir.db_url)) from None
    except OSError as error:
        url = url_without_password(coursedir.db_url)
        raise CourseError(f"The gradebook {url} cannot be written to: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()


class ServerLock:
    """The advisory lock of a PostgreSQL database.

    The lock belongs to the connection, so it is released when the process ends for any reason. A new
    connection has to take the lock again. If the server has not yet noticed that the old connection is lost,
    `take` ends the old session.

    Args:
        url: the database's URL.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        # The PID and the start time of the server process that holds the lock for this run.
        self._session: tuple[Any, ...] = ()

    def take(self, db: Any) -> None:
        """Take the lock, unless this connection already holds it or the database is not PostgreSQL.

        Raises:
            CourseError: if another run holds the lock.
        """
        connection = db.connection()
        if connection.dialect.name != "postgresql" or connection.info.get(_SESSION_PREFIX):
            return
        end = time.monotonic() + GRACE_SECONDS
        while not db.execute(_TAKE).scalar():
            holder = db.execute(_HOLDER).first()
            if holder is not None and holder[:2] == self._session:
                db.execute(_END_SESSION, {"pid": holder.pid})
            if time.monotonic() >= end:
                raise CourseError(_busy_message(self._url, holder.application_name if holder else ""))
            # End the transaction, because a running transaction sees the server's sessions as they were when
            # it began.
            db.rollback()
            time.sleep(0.1)
        host = platform.node()[:30]  # PostgreSQL limits application_name to 63 bytes.
        db.execute(_NAME_SESSION, {"name": f"{_SESSION_PREFIX}on {host}, process {os.getpid()}"})
        self._session = tuple(db.execute(_HOLDER).one()[:2])
        db.connection().info[_SESSION_PREFIX] = True
        # Commit, because a later rollback would undo set_config. The session-level lock is not affected.
        db.commit()


def _busy_message(url: str, name: str | None = None) -> str:
    holder = f" ({name.removeprefix(_SESSION_PREFIX)})" if name and name.startswith(_SESSION_PREFIX) else ""
    gradebook = url_without_password(url)
    return f"Another `autograder grade`{holder} is busy in the gradebook {gradebook}; wait for it to end."
