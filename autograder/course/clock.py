"""Parse and format submission times and due dates.

nbgrader's `parse_utc` reads an abbreviation such as KST as UTC, and the offset `+0900` as 900 seconds. This
module looks a zone up in nbgrader's own settings first, then among all zones. An abbreviation with several
meanings is left undecided.

When the clocks change, some local times occur twice, and others are skipped. Such a time can be converted to
UTC with the offset before or the offset after the change. The earlier result is used, so that no student is
late because of the change.

Times are stored in UTC and shown in the class's time zone.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from dateutil.tz import gettz
from nbgrader.exchange.default import ExchangeSubmit
from traitlets.config import Config

from autograder.course.errors import CourseError

_YEARS = range(2000, 2100)
_MAX_OFFSET = timedelta(hours=14)  # the largest offset from UTC that any time zone has
_ZONE = r"(?:(?i:UTC|GMT) ?)?[+-][\d:]+|[A-Za-z][A-Za-z0-9_/-]*(?:\+\d+)?"
_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:T| +)(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?"
    rf" *({_ZONE})?",
    re.ASCII,
)
_ANY_FORM = re.compile(rf"(.+?) *({_ZONE})?", re.ASCII)
_OFFSET = re.compile(r"(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d\d))?(?::?00)?", re.ASCII | re.IGNORECASE)
EXAMPLE = "2026-10-11 09:30:00 Asia/Seoul"


@dataclass(frozen=True)
class Reading:
    """The result of parsing a written time.

    Attributes:
        when: the time as a naive datetime in UTC; None if the text does not determine the time.
        earliest: the earliest time in UTC that the text can mean; None if the text is not a time.
        problem: the reason why `when` is None; an empty string if there was no text at all.
    """

    when: datetime | None = None
    earliest: datetime | None = None
    problem: str = ""


class _UndecidedZone(Exception):
    """Raised for a time zone name that is unknown or could stand for several offsets from UTC.

    Attributes:
        offsets: the offsets that the name could stand for, in ascending order; empty for an unknown name.
    """

    def __init__(self, *offsets: timedelta) -> None:
        super().__init__()
        self.offsets = sorted(offsets)


@dataclass(frozen=True)
class Clock:
    """The time zones of a class.

    Attributes:
        zone: the zone of nbgrader's exchange, UTC by default. A time written without a zone is in this zone.
        display_zone: the zone in which times are shown: the one set for formgrader, or else the exchange's
            zone.
        name: the name of the zone in which times are shown.
        form: nbgrader's `timestamp_format`.
        is_set: whether the class's settings set a time zone.
    """

    zone: tzinfo = UTC
    display_zone: tzinfo = UTC
    name: str = "UTC"
    form: str = ""
    is_set: bool = False

    @classmethod
    def of(cls, config: Config) -> "Clock":
        """Read the class's time zones from nbgrader's settings.

        Raises:
            CourseError: a zone in the settings does not exist.
        """
        submit = ExchangeSubmit(config=config)
        sections = ("ExchangeSubmit", "Exchange", "NbGraderAPI")
        is_set = [section for section in sections if "timezone" in config.get(section, {})]
        name = config.get("NbGraderAPI", {}).get("timezone", submit.timezone)
        zone = _zone_named("Exchange", submit.timezone)
        return cls(zone, _zone_named("NbGraderAPI", name), name, submit.timestamp_format, bool(is_set))

    def read(self, text: str) -> Reading:
        """Parse a date and a time of day, optionally followed by a zone's name, abbreviation or offset."""
        text = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
        local, zone = _split(text) or self._split_in_form(text) or (None, "")
        if local is None or local.year not in _YEARS:
            return Reading(problem="it is not a time")
        try:
            when = to_utc(local, self._zone(zone, local))
        except _UndecidedZone as error:
            offset = max(error.offsets, default=_MAX_OFFSET)
            return Reading(earliest=local - offset, problem=_ambiguity_message(zone, error.offsets))
        return Reading(when, when)

    def extend(self, due: datetime, extension: timedelta | None) -> datetime:
        """Return a due date in UTC, postponed by an extension.

        The extension's days are added in the class's time zone, so the time of day stays the same. nbgrader
        adds 24 hours for each day, so its deadlines shift by an hour when the clocks change.
        """
        if not extension:
            return due
        local = due.replace(tzinfo=UTC).astimezone(self.display_zone) + timedelta(days=extension.days)
        end = max(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
        return end.replace(tzinfo=None) + (extension - timedelta(days=extension.days))

    def show(self, *times: datetime) -> tuple[str, ...]:
        """Format UTC times in the class's zone, with just enough precision to tell them apart."""
        local = [time.replace(tzinfo=UTC).astimezone(self.display_zone) for time in times]
        for precision in ("minutes", "seconds", "microseconds"):
            texts = tuple(self._format(moment, precision) for moment in local)
            if len(set(texts)) == len(set(times)):
                break
        return texts

    def _format(self, local: datetime, precision: str) -> str:
        zone = (
            "UTC"
            if self.name == "UTC"
            else f"{self.name}, {_format_offset(local.utcoffset() or timedelta())}"
        )
        return f"{local.replace(tzinfo=None).isoformat(' ', precision)} ({zone})"

    def _split_in_form(self, text: str) -> tuple[datetime, str] | None:
        """Split a time in the class's own `timestamp_format` into the local time and the zone's name.

        If the text does not have this format, return None.
        """
        form = re.sub(" *%[zZ]", "", self.form)
        match = _ANY_FORM.fullmatch(text)
        for local, zone in ((match[1], match[2] or ""), (text, "")) if match else ():
            try:
                return datetime.strptime(local, form), zone
            except ValueError:
                continue
        return None

    def _zone(self, word: str, local: datetime) -> tzinfo:
        """Return the time zone that a name, abbreviation or offset refers to at a given local time.

        Raises:
            _UndecidedZone: the name could stand for several zones, or no zone has this name.
        """
        if not word:
            return self.zone
        if match := _OFFSET.fullmatch(word):
            return _at_offset(*match.groups(default="0"))
        abbreviation = word.upper()
        for zone in (self.zone, self.display_zone):
            for fold in (0, 1):
                local_time = local.replace(tzinfo=zone, fold=fold)
                if (local_time.tzname() or "").upper() == abbreviation:
                    return timezone(local_time.utcoffset() or timedelta())
        if abbreviation in ("UTC", "GMT", "Z"):
            return UTC
        offsets = _abbreviations(local.year).get(abbreviation, frozenset())
        class_offsets = {local.replace(tzinfo=zone).utcoffset() for zone in (self.zone, self.display_zone)}
        seasonal_names = {abbreviation} & _abbreviations_of((self.zone, self.display_zone), local.year)
        if len(offsets) == 1 and not seasonal_names:
            return timezone(next(iter(offsets)))
        if not offsets and abbreviation in _names():
            return ZoneInfo(_names()[abbreviation])
        raise _UndecidedZone(
            *offsets, *(offset for offset in class_offsets if seasonal_names and offset is not None)
        )


def to_utc(local: datetime, zone: tzinfo | None) -> datetime:
    """Convert a local time to a naive datetime in UTC.

    If the local time occurs twice or is skipped because the clocks change, it can be converted with the
    offset before or the offset after the change. The earlier result is returned.

    Args:
        local: the local time, without a zone.
        zone: the zone of the local time; None for this machine's zone.
    """
    candidates = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return min(candidates).replace(tzinfo=None)


def _zone_named(section: str, name: str) -> tzinfo:
    """Return the time zone that a setting names, interpreting the name as nbgrader does.

    Raises:
        CourseError: no time zone has this name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone: tzinfo | None = gettz(name)
        if zone is not None:
            return zone
    raise CourseError(f"c.{section}.timezone = {name!r} is no time zone. Write a name such as 'Asia/Seoul'.")


def _split(text: str) -> tuple[datetime, str] | None:
    """Split a time that begins with the year into the local time and the zone's name.

    If the text is not such a time, return None.
    """
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups(default="")
    try:
        date = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0))
        return date.replace(microsecond=int(fraction.ljust(6, "0")[:6])), zone
    except ValueError:
        return None


def _at_offset(sign: str, hours: str, minutes: str) -> tzinfo:
    """Return the time zone with a fixed offset from UTC.

    Raises:
        _UndecidedZone: no time zone can have this offset.
    """
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    if offset > _MAX_OFFSET or int(minutes) >= 60:
        raise _UndecidedZone
    return timezone(offset if sign == "+" else -offset)


@cache
def _names() -> dict[str, str]:
    """Map the names of all time zones, in upper case, to their usual spelling."""
    return {name.upper(): name for name in sorted(available_timezones())}


@cache
def _abbreviations(year: int) -> dict[str, frozenset[timedelta]]:
    """Map each time zone abbreviation to all its offsets from UTC in January and July of one year.

    The two months stand for standard time and daylight saving time.
    """
    offsets: dict[str, frozenset[timedelta]] = {}
    for name in _names().values():
        for season in _seasons(ZoneInfo(name), year):
            abbreviation, offset = (season.tzname() or "").upper(), season.utcoffset()
            if abbreviation.isalpha() and offset is not None:
                offsets[abbreviation] = offsets.get(abbreviation, frozenset()) | {offset}
    return offsets


def _abbreviations_of(zones: tuple[tzinfo, ...], year: int) -> set[str]:
    """Return the abbreviations, in upper case, that zones have in January and July of one year."""
    return {(season.tzname() or "").upper() for zone in zones for season in _seasons(zone, year)}


def _seasons(zone: tzinfo, year: int) -> tuple[datetime, datetime]:
    return datetime(year, 1, 1, tzinfo=zone), datetime(year, 7, 1, tzinfo=zone)


def _ambiguity_message(zone: str, offsets: list[timedelta]) -> str:
    if not offsets:
        return f"{zone} is no time zone"
    *rest, last = map(_format_offset, sorted(set(offsets)))
    return f"{zone} can be {', '.join(rest)} or {last}"


def _format_offset(offset: timedelta) -> str:
    """Format an offset from UTC, such as "UTC+09:00"."""
    minutes = round(offset.total_seconds() / 60)
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
