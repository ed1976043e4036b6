"""Replace nbgrader's conversions of times with those of the autograder.

nbgrader stores due dates and times of submission in UTC, but three functions in nbgrader's `utils` convert
times wrongly (docs/upstream.md). `nbgrader db assignment add --duedate`, formgrader and the exchange call
these functions. nbgrader's files are not changed: loading nbgrader_config.py replaces the functions in
memory.
"""

import sys
from datetime import UTC, datetime

from dateutil.tz import gettz
from nbgrader import utils
from traitlets.config import Config

from autograder.course.clock import EXAMPLE, Clock

_NAMES = ("parse_utc", "as_timezone", "to_numeric_tz")
_ORIGINALS = [(name, getattr(utils, name)) for name in _NAMES]
_clock = Clock()


def correct_times(config: Config) -> None:
    """Replace nbgrader's conversions of times, and set formgrader's time zone if the course does not.

    By default, formgrader gets the time zone of the exchange.

    Args:
        config: the settings of the course, including the time zones.

    Raises:
        CourseError: if a configured zone does not exist.
    """
    global _clock
    _clock = Clock.of(config)
    if _clock.is_set:
        config.NbGraderAPI.setdefault("timezone", _clock.name)
    replacements = {"parse_utc": to_utc_or_none, "as_timezone": as_timezone, "to_numeric_tz": _zone_of_form}
    # Iterate over a copy, because another thread may import a module at the same time.
    loaded = sys.modules.copy().items()
    modules = [module for name, module in loaded if name.partition(".")[0] == "nbgrader"]
    for module in modules:
        for name, original in _ORIGINALS:
            if getattr(module, name, None) is original:
                setattr(module, name, replacements[name])
    # nbgrader.api enters due dates with utils.parse_utc, which has to raise an error for an invalid date.
    utils.parse_utc = to_utc


def to_utc(time: datetime | str | None) -> datetime | None:
    """Return a time converted to UTC, as a datetime without a zone.

    Raises:
        ValueError: if the string is not a time, or if the time's zone cannot be determined.
    """
    if isinstance(time, str):
        parsed = _clock.read(time)
        if parsed.when is None:
            raise ValueError(f"{time}: {parsed.problem}. Write a time such as {EXAMPLE}.")
        return parsed.when
    if time is None or time.tzinfo is None:
        return time
    return time.astimezone(UTC).replace(tzinfo=None)


def to_utc_or_none(time: datetime | str | None) -> datetime | None:
    """Return a time converted to UTC, as a datetime without a zone; None if this is impossible.

    `autograder grade` also treats such a time as unknown.
    """
    try:
        return to_utc(time)
    except ValueError:
        return None


def as_timezone(time: datetime, timezone: str) -> datetime:
    """Convert a UTC time without zone information to the named time zone."""
    zone = gettz(timezone) if timezone else None
    return time.replace(tzinfo=UTC).astimezone(zone) if zone else time


def _zone_of_form(timezone: str) -> str:
    """Return a zone's name unchanged, for formgrader's due-date form.

    nbgrader would return an offset. For a zone with daylight saving time, an offset is right in only one
    season.
    """
    return timezone
