"""Have nbgrader read and show times as the autograder does.

nbgrader keeps due dates and times of submission in UTC, but three functions in its `utils` convert them
wrongly (docs/upstream.md). `nbgrader db assignment add --duedate`, formgrader and the exchange call them. No
file of nbgrader's is changed: nbgrader_config.py has these functions replaced where it is loaded.
"""

import sys
from datetime import UTC, datetime

from dateutil.tz import gettz
from nbgrader import utils
from traitlets.config import Config

from autograder.course.clock import EXAMPLE, Clock

_NAMES = ("parse_utc", "as_timezone", "to_numeric_tz")
_REPLACED = [(name, getattr(utils, name)) for name in _NAMES]
_clock = Clock()


def correct_times(config: Config) -> None:
    """Replace nbgrader's conversions of times; formgrader's zone is the exchange's, unless it has its own.

    Args:
        config: the settings of the course, which name the zones.

    Raises:
        CourseError: a zone that is set does not exist.
    """
    global _clock
    _clock = Clock.of(config)
    if _clock.is_set:
        config.NbGraderAPI.setdefault("timezone", _clock.name)
    ours = {"parse_utc": read_or_none, "as_timezone": as_timezone, "to_numeric_tz": _zone_of_form}
    known = sys.modules.copy().items()  # another thread may be importing
    modules = [module for name, module in known if name.partition(".")[0] == "nbgrader"]
    for module in modules:
        for name, theirs in _REPLACED:
            if getattr(module, name, None) is theirs:
                setattr(module, name, ours[name])
    utils.parse_utc = read  # nbgrader.api enters due dates with this one


def read(time: datetime | str | None) -> datetime | None:
    """Return a time in UTC, without a zone.

    Raises:
        ValueError: it is not a time, or its zone cannot be decided.
    """
    if isinstance(time, str):
        found = _clock.read(time)
        if found.when is None:
            raise ValueError(f"{time}: {found.problem}. Write a time such as {EXAMPLE}.")
        return found.when
    if time is None or time.tzinfo is None:
        return time
    return time.astimezone(UTC).replace(tzinfo=None)


def read_or_none(time: datetime | str | None) -> datetime | None:
    """Return a time in UTC, without a zone; None if it cannot be decided, as `autograder grade` has it."""
    try:
        return read(time)
    except ValueError:
        return None


def as_timezone(time: datetime, timezone: str) -> datetime:
    """Return a time in UTC, which has no zone, in a zone."""
    zone = gettz(timezone) if timezone else None
    return time.replace(tzinfo=UTC).astimezone(zone) if zone else time


def _zone_of_form(timezone: str) -> str:
    """Return the zone in formgrader's form for a due date: its name; an offset is that of one season."""
    return timezone
