"""The one side file that is read: what is no timestamp is none, whatever it is."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from autograder.intake.timestamp import handed_in, parse

ODD = [
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


@pytest.mark.parametrize("data", ODD, ids=lambda data: repr(data[:40]))
def test_malformed_timestamp_is_read_as_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "timestamp.txt").write_bytes(data)
    assert handed_in(tmp_path, tmp_path) is None


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-01 10:00:00.123456 UTC", 10),
        ("2026-11-01 10:00:00 UTC\n", 10),
        ("2026-11-01 10:00:00", 10),
        ("2026-11-01 10:00", 10),
        ("2026-11-01T10:00:00+09:00", 1),
        ("2026-11-01 10:00:00 Asia/Seoul", 1),
        ("2026-11-01 10:00:00 America/Port-au-Prince", 15),
        ("2026-11-01 10:00:00 EST", 15),
        ("2026-11-01 10:00:00 Nowhere/Land", 10),  # as nbgrader has it
    ],
)
def test_timestamp_written_by_the_exchange_is_read(text: str, hour: int) -> None:
    found = parse(text.encode())
    assert found is not None
    assert found.replace(microsecond=0) == datetime(2026, 11, 1, hour)


def test_timestamp_that_is_no_regular_file_is_read_as_none(tmp_path: Path) -> None:
    good, path = tmp_path / "good", tmp_path / "in" / "timestamp.txt"
    good.write_text("2026-11-01 10:00:00 UTC")
    assert handed_in(path.parent, tmp_path) is None
    path.parent.mkdir()
    assert handed_in(path.parent, tmp_path) is None
    for make in (lambda: path.symlink_to(good), lambda: os.mkfifo(path), path.mkdir):
        make()
        assert handed_in(path.parent, tmp_path) is None
        path.rmdir() if path.is_dir() else path.unlink()
    (tmp_path / "link").symlink_to(path.parent)
    path.write_bytes(good.read_bytes())
    assert handed_in(tmp_path / "link", tmp_path) is None
    assert handed_in(path.parent, tmp_path) == datetime(2026, 11, 1, 10)
