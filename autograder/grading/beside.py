"""What lies beside a graded notebook and beside its page, as stock nbgrader leaves it there.

The exchange names a released page by the secret that `nbgrader submit` has put beside the notebook, and the
student's computer finds it by the same secret. A submission that did not come by the exchange has none; it
gets one of ours, since one that is missing ends `nbgrader release_feedback` for the whole lesson. Its page is
then released under a name that nobody knows.
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

from autograder.intake.files import EXCHANGE_SECRET, TIMESTAMP, read_beside, read_side_files

_SECRET_BYTES = 500
# nbgrader's has 128 hexadecimal digits. A short one could be guessed, one that is no ASCII ends a release.
_SECRET = re.compile(rb"[!-~]{32,}\n?")
_CODE = (*all_suffixes(), ".pyd")


@dataclass(frozen=True)
class Beside:
    """The files beside a graded notebook.

    Attributes:
        exchange: what nbgrader's exchange needs, by name.
        side_files: the student's own, by their paths in the folder.
        left_out: how many of the student's own were not taken.
    """

    exchange: Mapping[str, str]
    side_files: Mapping[PurePosixPath, bytes]
    left_out: int


def beside(
    folder: Path, root: Path, student: str, timestamp: datetime | None, key: bytes, ignore: Sequence[str]
) -> Beside:
    """Read what goes with a submission.

    Args:
        folder: the submitted folder.
        root: a folder above it that we made ourselves.
        student: whose it is.
        timestamp: when it was handed in, if that is known.
        key: the course's secret.
        ignore: nbgrader's globs of names that are never copied.
    """
    known = read_beside(folder / EXCHANGE_SECRET, root, _SECRET_BYTES)
    if known is not None and _SECRET.fullmatch(known):
        secret = known.decode()
    else:
        secret = hmac.new(key, f"{EXCHANGE_SECRET}/{student}/{folder.name}".encode(), sha256).hexdigest()
    # An empty timestamp is one that is not known, to nbgrader too.
    when = f"{timestamp:%Y-%m-%d %H:%M:%S.%f} UTC" if timestamp else ""

    def wanted(path: PurePosixPath) -> bool:
        ours = path.parts[0] in (TIMESTAMP, EXCHANGE_SECRET)
        return not ours and not any(fnmatch(path.name, pattern) for pattern in ignore) and _is_data(path.name)

    files, left_out = read_side_files(folder, root, wanted)
    return Beside({TIMESTAMP: when, EXCHANGE_SECRET: secret}, files, left_out)


def _is_data(name: str) -> bool:
    """Whether no notebook, no code, and nothing that a browser opens as a page, which could pass for ours.

    The exchange releases whatever is called *.html, and formgrader serves what lies beside a notebook. From
    there a kernel imports when a grader opens the notebook: an `importlib.py` would run.
    """
    if name.casefold().endswith(_CODE):
        return False
    # As a path: of an address that begins with "data:", something else than its end would be asked for.
    kind = mimetypes.guess_type(f"./{name}", strict=False)[0] or ""
    page = kind in ("text/html", "text/xml", "application/xml", "message/rfc822") or kind.endswith("+xml")
    return name.isprintable() and not page and ".ipynb" not in name.casefold()
