"""Connect to the gradebook, lock it against other grading runs, and run transactions on it."""

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import DBAPIError, OperationalError

from autograder.course.errors import CourseError
from autograder.gradebook.errors import GradebookBusy, reason, url_without_password
from autograder.gradebook.locks import ServerLock, locked_file
from autograder.gradebook.opening import complete, open_gradebook

T = TypeVar("T")

BUSY_SECONDS = 60.0  # seconds to wait for another program's transaction, such as formgrader's


class Connection:
    """The only connection through which the autograder writes to the gradebook.

    The connection holds a lock that excludes other runs of the autograder. Other programs that write, such as
    formgrader, do not use this lock.

    Args:
        coursedir: nbgrader's object for the course directory.

    Attributes:
        coursedir: nbgrader's object for the course directory.
        gradebook: nbgrader's object for the gradebook.

    Raises:
        CourseError: if the gradebook cannot be used, or if another run is writing to it. That run may have
            been started in another course directory.
    """

    def __init__(self, coursedir: CourseDirectory) -> None:
        self.coursedir = coursedir
        # Whether transactions may wait for the database. This becomes False once a transaction has waited in
        # vain.
        self._may_wait = True
        self._lock = ServerLock(coursedir.db_url)
        with ExitStack() as stack:
            stack.enter_context(locked_file(coursedir))
            self.gradebook = open_gradebook(coursedir)
            stack.callback(self.gradebook.close)
            try:
                self.transaction(lambda: complete(self.db))
            except GradebookBusy as error:
                raise CourseError(
                    f"The gradebook {url_without_password(coursedir.db_url)} cannot be written to: {error}. "
                    "Nothing was graded; run the same command again later."
                ) from error
            self._resources = stack.pop_all()

    def close(self) -> None:
        """Close the gradebook, and release the lock."""
        self._resources.close()

    @property
    def db(self) -> Any:
        """The session of the gradebook's database."""
        return self.gradebook.db

    def transaction(self, change: Callable[[], T]) -> T:
        """Call `change` in a transaction; wait while another program writes or the database server restarts.

        Once a transaction has waited in vain, later transactions do not wait.

        Raises:
            CourseError: if another run has taken the lock.
            GradebookBusy: if the database did not accept the change. In that case, nothing was changed.
        """
        end = time.monotonic() + (BUSY_SECONDS if self._may_wait else 0.0)
        while True:
            try:
                self._lock.take(self.db)
                outcome = change()
                self.db.commit()
                # Remove the loaded rows from the session. Otherwise all rows of a large class would stay in
                # memory.
                self.db.expunge_all()
                return outcome
            except DBAPIError as error:
                self.db.rollback()
                if not _may_be_temporary(error) or time.monotonic() >= end:
                    self._may_wait = False
                    raise GradebookBusy(reason(error)) from error
                time.sleep(random.uniform(0.1, 0.5))
            except BaseException:
                self.db.rollback()
                raise


def _may_be_temporary(error: DBAPIError) -> bool:
    """Return whether a database error may have a temporary cause, such as a lock or a lost connection."""
    is_sqlite = isinstance(error.orig, sqlite3.Error)
    return isinstance(error, OperationalError) and (not is_sqlite or "locked" in str(error.orig))
