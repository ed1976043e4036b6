"""When something was handed in: the one side file that is read, and it is hostile bytes as well."""

import re
from datetime import datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.intake.files import TIMESTAMP, read_beside

_MAX_BYTES = 100
_YEARS = range(2000, 2100)
# A date, a time, and a zone's name or offset, as nbgrader's exchange writes them. dateutil takes far more:
# half a date, which it fills up with today's, rules for a zone, and names of files that might hold some.
_FORM = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
    r"(?: ?(?:[A-Z][A-Za-z]*(?:/[A-Z][A-Za-z_-]*)*|[+-]\d\d:?\d\d))?",
    re.ASCII,
)


def handed_in(folder: Path, root: Path) -> datetime | None:
    """When it was handed in, as the exchange noted it, in UTC; None if that is not known.

    Args:
        folder: the submitted folder.
        root: a folder above it that we made ourselves.
    """
    data = read_beside(folder / TIMESTAMP, root, _MAX_BYTES)
    return None if data is None else parse(data)


def parse(data: bytes) -> datetime | None:
    """Read the bytes of a timestamp, in any form that the exchange writes."""
    try:
        text = data.decode("ascii").strip()
        found = parse_utc(text) if _FORM.fullmatch(text) else None
    except Exception:  # of whatever kind: two libraries have had a stranger's text
        return None
    return found if isinstance(found, datetime) and found.year in _YEARS and not found.tzinfo else None
