"""Tests of timestamp.txt, the only additional file that is read: an invalid file counts as missing."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from traitlets.config import Config

from autograder.course.clock import Clock, Reading
from autograder.intake.timestamp import parse, submission_time

ODD_TIMESTAMPS = [
    b"2026-01-01 00:00:00 UTC,J366,M3.2.0",
    b"2026-01-01 00:00:00 UTC+3,M13.9.9,J0",
    b"2026-01-01 00:00:00 ../../../../etc/passwd",
    b"2026-01-01 00:00:00 /etc/localtime",
    b"2026-01-01 00:00:00 :",
    b"2026-01-01 00:00:00 " + b"A" * 70 + b",",
    b"2026-01-01 00:00:00 +99999999999999999999",
    b"2026-01-01 00:00:00 \xef\xbc\x91",
    b"0001-01-01 00:00:00 +2359",
    b"0001-01-01 00:00:00",
    b"0000-01-01 00:00:00 UTC",
    b"9999-12-31 23:59:59 -2359",
    b"9999-12-31 23:59:59.999999 UTC",
    b"1970-01-01 00:00:00 UTC",
    b"2026-02-30 00:00:00 UTC",
    b"2026-13-01 00:00:00 UTC",
    b"2026-01-01 25:61:61 UTC",
    b"2026-01-01 00:00:00.0000000000000001 UTC",
    b"2026-01-01 00:00:00 UTC 2027-01-01",
    b"2026-W01-1",
    b"2026-01-01",
    b"10:00",
    b"5",
    b"now",
    b"1e9",
    b"-1",
    b"nan",
    b"inf",
    b"99999999999999999999999999999999",
    b"",
    b" \n",
    b"\0" * 50,
    b"\xff\xfe2\x000\x002\x006\x00",
    "२०२६-०१-०१ 00:00:00 UTC".encode(),
    b"\x1b[2J2026-01-01 00:00:00 UTC",
    b"2026-01-01 00:00:00 UTC\n2027-01-01 00:00:00 UTC",
    b"%Y-%m-%d %H:%M:%S",
    b"{0.__class__}",
    b"[" * 100,
    b"1" * 100,
    b"2026-01-01 00:00:00 UTC" + b" " * 1000 + b"x",
]


@pytest.mark.parametrize("data", ODD_TIMESTAMPS, ids=lambda data: repr(data[:40]))
def test_malformed_timestamp_is_read_as_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "timestamp.txt").write_bytes(data)
    reading = submission_time(tmp_path, tmp_path, UTC)
    assert reading.when is None
    assert bool(reading.problem) == bool(data.strip())


def make_clock(zone: str, section: str = "Exchange") -> Clock:
    """Return the clock of a class that has this time zone in its settings."""
    return Clock.of(Config({section: {"timezone": zone}}))


SEOUL = make_clock("Asia/Seoul")
BERLIN = make_clock("Europe/Berlin")
NEW_YORK = make_clock("America/New_York")
UTC = Clock()


@pytest.mark.parametrize(
    ("text", "clock", "expected"),
    [
        # Times as the exchange writes them.
        ("2026-11-01 10:00:00.123456 UTC", UTC, "2026-11-01 10:00:00.123456"),
        ("2026-11-01 10:00:00 UTC\n", UTC, "2026-11-01 10:00"),
        ("2026-11-29 11:51:08.193802 KST", SEOUL, "2026-11-29 02:51:08.193802"),
        ("2026-11-29 11:51:08.193802 KST", UTC, "2026-11-29 02:51:08.193802"),
        ("2026-07-01 10:00 JST", UTC, "2026-07-01 01:00"),
        ("2026-07-01 10:00 CEST", UTC, "2026-07-01 08:00"),
        ("2026-07-01 10:00 EDT", UTC, "2026-07-01 14:00"),
        ("2026-11-01 10:00:00 EST", UTC, "2026-11-01 15:00"),
        (
            "2026-11-01 10:00 CST",
            make_clock("Asia/Shanghai"),
            "2026-11-01 02:00",
        ),
        (
            "2026-11-01 10:00 CST",
            make_clock("America/Chicago"),
            "2026-11-01 16:00",
        ),
        (
            "2026-11-01 10:00 IST",
            make_clock("Asia/Kolkata", "NbGraderAPI"),
            "2026-11-01 04:30",
        ),
        ("2026-11-01 10:00 UTC", make_clock("UTC+9"), "2026-11-01 01:00"),
        ("2026-11-01 10:00 +04", make_clock("Asia/Dubai"), "2026-11-01 06:00"),
        ("2026-11-01 10:00 +0545", UTC, "2026-11-01 04:15"),
        ("2026-11-01 10:00 -03", make_clock("America/Sao_Paulo"), "2026-11-01 13:00"),
        # Times as people type them.
        ("2026-10-10 23:00:00 +0900", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00:00 +09:00", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00+09:00", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 +9", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 UTC+9", SEOUL, "2026-10-10 14:00"),
        ("2026-10-10 23:00 GMT +09:00", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 utc-5", UTC, "2026-10-11 04:00"),
        ("2026-10-10 23:00 \N{MINUS SIGN}05:00", UTC, "2026-10-11 04:00"),
        ("2026-10-10 23:00 +0530", UTC, "2026-10-10 17:30"),
        ("2026-10-10 23:00 -330", UTC, "2026-10-11 02:30"),
        ("2026-10-10T23:00:00Z", SEOUL, "2026-10-10 23:00"),
        ("2026-10-10 23:00 Asia/Seoul", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 asia/seoul", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 America/Port-au-Prince", UTC, "2026-10-11 03:00"),
        ("2026-10-10 23:00 Etc/GMT-9", UTC, "2026-10-10 14:00"),
        ("2026-10-10 23:00 Japan", UTC, "2026-10-10 14:00"),
        ("2026/10/10 9:00 kst", UTC, "2026-10-10 00:00"),
        # Without a zone, the zone of the exchange counts.
        ("2026-11-01 10:00", UTC, "2026-11-01 10:00"),
        ("2026-11-01 10:00:00", SEOUL, "2026-11-01 01:00"),
        # If the clocks repeat or skip the hour, the earlier of two readings counts, unless CET, CEST, EDT or
        # EST decides.
        ("2026-10-25 02:30 CEST", BERLIN, "2026-10-25 00:30"),
        ("2026-10-25 02:30 CET", BERLIN, "2026-10-25 01:30"),
        ("2026-10-25 02:30 CET", UTC, "2026-10-25 01:30"),
        ("2026-10-25 02:30", BERLIN, "2026-10-25 00:30"),
        ("2026-10-25 02:30 Europe/Berlin", UTC, "2026-10-25 00:30"),
        ("2026-03-29 02:30", BERLIN, "2026-03-29 00:30"),
        ("2026-11-01 01:30 EDT", NEW_YORK, "2026-11-01 05:30"),
        ("2026-11-01 01:30 EST", NEW_YORK, "2026-11-01 06:30"),
        ("2026-03-08 02:30 America/New_York", UTC, "2026-03-08 06:30"),
    ],
)
def test_time_is_read_in_its_zone(text: str, clock: Clock, expected: str) -> None:
    assert parse(text.encode(), clock) == Reading(time := datetime.fromisoformat(expected), time)


@pytest.mark.parametrize(
    ("zone", "clock", "problem"),
    [
        ("CST", UTC, "CST can be UTC-06:00, UTC-05:00 or UTC+08:00"),
        ("CST", SEOUL, "CST can be UTC-06:00, UTC-05:00 or UTC+08:00"),
        ("PST", UTC, "PST can be UTC-08:00 or UTC+08:00"),
        ("IST", UTC, "IST can be UTC+01:00, UTC+02:00 or UTC+05:30"),
        ("EST", NEW_YORK, "EST can be UTC-05:00 or UTC-04:00"),
        ("Nowhere/Land", UTC, "Nowhere/Land is no time zone"),
        ("+25", UTC, "+25 is no time zone"),
        ("+0960", UTC, "+0960 is no time zone"),
    ],
)
def test_unknown_or_ambiguous_time_zone_stays_undecided(zone: str, clock: Clock, problem: str) -> None:
    reading = parse(f"2026-10-10 23:00 {zone}".encode(), clock)
    assert (reading.when, reading.problem) == (None, problem)


def test_ambiguous_time_counts_as_its_earliest_meaning() -> None:
    assert UTC.read("2026-10-10 23:00 CST").earliest == datetime(2026, 10, 10, 15)
    assert UTC.read("2026-10-10 23:00 XYZT").earliest == datetime(2026, 10, 10, 9)


@pytest.mark.parametrize(
    ("timestamp_format", "text"),
    [
        ("%d.%m.%Y %H:%M:%S %Z", "10.10.2026 23:00:00 KST"),
        ("%d.%m.%Y %H:%M:%S", "10.10.2026 23:00:00"),
        ("%b %d %Y %I:%M %p", "Oct 10 2026 11:00 PM"),
        ("%b %d %Y %I:%M %p %z", "Oct 10 2026 11:00 PM +0900"),
    ],
)
def test_time_in_the_timestamp_format_of_the_class_is_read(timestamp_format: str, text: str) -> None:
    clock = Clock.of(Config({"Exchange": {"timezone": "Asia/Seoul", "timestamp_format": timestamp_format}}))
    assert clock.read(text).when == datetime(2026, 10, 10, 14)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_timestamp_saved_by_windows_is_read(encoding: str) -> None:
    assert parse("2026-10-10 23:00 KST\r\n".encode(encoding), UTC).when == datetime(2026, 10, 10, 14)


def test_zone_of_formgrader_shows_times_that_the_exchange_writes_in_utc() -> None:
    settings = {"Exchange": {"timezone": "UTC"}, "NbGraderAPI": {"timezone": "Asia/Dubai"}}
    clock = Clock.of(Config(settings))
    assert clock.read("2026-11-29 08:51").when == datetime(2026, 11, 29, 8, 51)
    assert clock.show(datetime(2026, 11, 29, 8, 51)) == ("2026-11-29 12:51 (Asia/Dubai, UTC+04:00)",)


def test_times_are_shown_precisely_enough_to_tell_them_apart() -> None:
    late = datetime(2026, 10, 25, 1, 30)
    assert BERLIN.show(late, late - timedelta(hours=1)) == (
        "2026-10-25 02:30 (Europe/Berlin, UTC+01:00)",
        "2026-10-25 02:30 (Europe/Berlin, UTC+02:00)",
    )
    assert UTC.show(late, late + timedelta(seconds=9)) == (
        "2026-10-25 01:30:00 (UTC)",
        "2026-10-25 01:30:09 (UTC)",
    )


def test_timestamp_that_is_no_regular_file_is_read_as_none(tmp_path: Path) -> None:
    good_path, path = tmp_path / "good", tmp_path / "in" / "timestamp.txt"
    good_path.write_text("2026-11-01 10:00:00 UTC")
    assert submission_time(path.parent, tmp_path, UTC) == Reading()
    path.parent.mkdir()
    assert submission_time(path.parent, tmp_path, UTC) == Reading()
    for make in (lambda: path.symlink_to(good_path), lambda: os.mkfifo(path), path.mkdir):
        make()
        reading = submission_time(path.parent, tmp_path, UTC)
        assert (reading.when, reading.problem) == (None, "it is not a time")
        path.rmdir() if path.is_dir() else path.unlink()
    (tmp_path / "link").symlink_to(path.parent)
    path.write_bytes(good_path.read_bytes())
    assert submission_time(tmp_path / "link", tmp_path, UTC).when is None
    assert submission_time(path.parent, tmp_path, UTC).when == datetime(2026, 11, 1, 10)
