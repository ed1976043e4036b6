"""The additional files that nbgrader would put into the folders of graded notebooks and feedback pages.

`nbgrader submit` puts a secret next to the notebook. The exchange derives the name of the released page from
this secret, and the student's computer finds the page by the same secret. A submission that did not come
through the exchange has no secret. It gets one from the autograder, because a missing secret makes `nbgrader
release_feedback` fail for the whole lesson. The page is then released under a name that cannot be guessed.
"""

import hmac
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from hashlib import sha256
from importlib.machinery import all_suffixes
from pathlib import Path, PurePosixPath

from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, read_side_files, read_small_file

_SECRET_BYTES = 500
# Matches a secret that can be used; nbgrader's own secrets have 128 hexadecimal digits. A secret of fewer
# than 32 characters could be guessed, and a secret that is not ASCII would make nbgrader's release fail.
_SECRET = re.compile(rb"[!-~]{32,}\n?")
_CODE = (*all_suffixes(), ".pyd")


@dataclass(frozen=True)
class AdditionalFiles:
    """The additional files for a graded notebook's folder.

    Attributes:
        exchange: the contents of the files that nbgrader's exchange needs, keyed by file name.
        side_files: the contents of the student's own files, keyed by path within the folder.
        left_out: the number of the student's files that were not read.
    """

    exchange: Mapping[str, str]
    side_files: Mapping[PurePosixPath, bytes]
    left_out: int


def read_additional_files(
    folder: Path, root: Path, student: str, timestamp: datetime | None, key: bytes, ignore: Sequence[str]
) -> AdditionalFiles:
    """Read the additional files of a submission.

    Args:
        folder: the submitted folder.
        root: a folder above `folder` that the autograder created, and that is therefore safe to open.
        student: the student's id.
        timestamp: the time of submission; None if unknown.
        key: the course's secret key.
        ignore: nbgrader's glob patterns for names that are never copied.
    """
    existing_secret = read_small_file(folder / EXCHANGE_SECRET, root, _SECRET_BYTES)
    if existing_secret is not None and _SECRET.fullmatch(existing_secret):
        secret = existing_secret.decode()
    else:
        secret = hmac.new(key, f"{EXCHANGE_SECRET}/{student}/{folder.name}".encode(), sha256).hexdigest()
    # nbgrader also treats an empty timestamp as an unknown time.
    timestamp_text = f"{timestamp:%Y-%m-%d %H:%M:%S.%f} UTC" if timestamp else ""

    def is_wanted(path: PurePosixPath) -> bool:
        is_exchange_file = path.parts[0] in (TIMESTAMP, EXCHANGE_SECRET)
        return (
            not is_exchange_file
            and not any(fnmatch(path.name, pattern) for pattern in ignore)
            and _is_data(path.name)
        )

    files, left_out = read_side_files(folder, root, is_wanted)
    return AdditionalFiles({TIMESTAMP: timestamp_text, EXCHANGE_SECRET: secret}, files, left_out)


def _is_data(name: str) -> bool:
    """Return whether a file's name allows copying the file: notebooks, code and web pages are excluded.

    A student's page could pass for one of the autograder's pages, because the exchange releases every *.html,
    and formgrader serves the files next to a notebook. Code is dangerous because a kernel imports from the
    notebook's folder when a grader opens the notebook: an `importlib.py` would run.
    """
    if name.casefold().endswith(_CODE):
        return False
    # Guess the type from a path, because guess_type would treat a name that begins with "data:" as a URL and
    # ignore its suffix.
    kind = mimetypes.guess_type(f"./{name}", strict=False)[0] or ""
    is_page = kind in ("text/html", "text/xml", "application/xml", "message/rfc822") or kind.endswith("+xml")
    return name.isprintable() and not is_page and ".ipynb" not in name.casefold()
