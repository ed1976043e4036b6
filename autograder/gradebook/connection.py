"""The connection of the one run that writes into a gradebook, and its transactions."""

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import DBAPIError, OperationalError

from autograder.course.errors import CourseError
from autograder.gradebook.errors import GradebookBusy, reason, shown
from autograder.gradebook.locks import ServerLock, locked_file
from autograder.gradebook.opening import complete, open_gradebook

T = TypeVar("T")

BUSY_SECONDS = 60.0  # how long to wait for another program's transaction, such as formgrader's


class Connection:
    """The one connection that writes. Other programs that write, such as formgrader, take no lock.

    Args:
        coursedir: nbgrader's settings.

    Attributes:
        coursedir: nbgrader's settings.
        gradebook: nbgrader's own.

    Raises:
        CourseError: the gradebook cannot be used, or another run writes into it, be it for another course
            directory.
    """

    def __init__(self, coursedir: CourseDirectory) -> None:
        self.coursedir = coursedir
        self._patient = True  # whether waiting has helped, or has not been tried yet
        self._lock = ServerLock(coursedir.db_url)
        with ExitStack() as opened:
            opened.enter_context(locked_file(coursedir))
            self.gradebook = open_gradebook(coursedir)
            opened.callback(self.gradebook.close)
            try:
                self.transaction(lambda: complete(self.db))
            except GradebookBusy as error:
                raise CourseError(
                    f"The gradebook {shown(coursedir.db_url)} cannot be written to: {error}. "
                    "Nothing was graded; run the same command again later."
                ) from error
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Close the gradebook, and give the lock back."""
        self._opened.close()

    @property
    def db(self) -> Any:
        """The session of the database."""
        return self.gradebook.db

    def transaction(self, change: Callable[[], T]) -> T:
        """Do all of a change or nothing; wait while another program writes, or a server restarts.

        After waiting in vain once, wait no more.

        Raises:
            CourseError: another run has taken the lock.
            GradebookBusy: nothing was changed.
        """
        end = time.monotonic() + (BUSY_SECONDS if self._patient else 0.0)
        while True:
            try:
                self._lock.take(self.db)
                done = change()
                self.db.commit()
                self.db.expunge_all()  # a large class does not stay in memory
                return done
            except DBAPIError as error:
                self.db.rollback()
                if not _passing(error) or time.monotonic() >= end:
                    self._patient = False
                    raise GradebookBusy(reason(error)) from error
                time.sleep(random.uniform(0.1, 0.5))
            except BaseException:
                self.db.rollback()
                raise


def _passing(error: DBAPIError) -> bool:
    """Return whether waiting may help: it helps against a lock or a lost connection, not a full disk."""
    ours = isinstance(error.orig, sqlite3.Error)
    return isinstance(error, OperationalError) and (not ours or "locked" in str(error.orig))
