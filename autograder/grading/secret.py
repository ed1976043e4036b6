"""The course's secret key, from which unguessable names are derived."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.course.errors import CourseError
from autograder.course.settings import SECRET


@contextmanager
def course_secret(root: Path) -> Iterator[bytes]:
    """Yield the course's secret, while holding a lock that only one grading run can have.

    The secret is created on first use.

    Raises:
        CourseError: if another run holds the lock.
    """
    path = root / SECRET
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CourseError(f"Another `autograder grade` is busy in {root}; wait for it to end.") from None
        secret = file.read()
        if len(secret) < 32:
            secret = secrets.token_bytes(32)
            file.seek(0)
            file.write(secret)
            file.flush()
            os.fsync(descriptor)
        yield secret
