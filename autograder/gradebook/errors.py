"""Gradebook errors. Each message names the cause in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from nbgrader.api import InvalidEntry
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from autograder.course.errors import CourseError


class GradebookBusy(Exception):
    """Raised if the gradebook could not be read or written. The gradebook was not changed."""


@contextmanager
def as_course_error(prefix: str) -> Iterator[None]:
    """Convert database errors into a CourseError with a message that begins with `prefix`."""
    try:
        yield
    except ModuleNotFoundError as error:
        fix = "`pip install 'secant[postgres]'`" if error.name in ("psycopg", "psycopg2") else "install it"
        raise CourseError(f"{prefix}: the Python package {error.name} is not installed: {fix}.") from error
    except (DBAPIError, ArgumentError, InvalidEntry) as error:
        is_old = "no such column" in str(error) or "UndefinedColumn" in str(error)
        fix = (
            " Another version of nbgrader made it: back it up and run `nbgrader db upgrade`."
            if is_old
            else ""
        )
        raise CourseError(f"{prefix}: {reason(error)}.{fix}") from error


def reason(error: BaseException) -> str:
    """Return the cause of a database error on one line, excluding the SQL statement."""
    causes = (getattr(exception, "orig", None) for exception in (error, error.__context__))
    return " ".join(str(next((cause for cause in causes if cause is not None), error)).split())


def url_without_password(url: str) -> str:
    """Return a database's URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "of nbgrader_config.py's CourseDirectory.db_url"
