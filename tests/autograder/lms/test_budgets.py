"""Tests that a student with too large or too many files costs no other student anything."""

from pathlib import Path

import pytest

from autograder.course.settings import Course
from autograder.lms.archive import Archive, Member, _fair_share, open_archive
from autograder.lms.attempts import Line
from autograder.lms.collect import collect
from tests.support.exports import canvas, good, moodle, write

MEGABYTE = 1_000_000


def by_student(room: Path, files: dict[str, bytes | str]) -> dict[str, list[Line]]:
    """Collect an archive of these files, and return the lines by student."""
    done = collect(Course.at(room), [write(room / "a.zip", files)])
    found: dict[str, list[Line]] = {}
    for line in done.lines:
        found.setdefault(line.student, []).append(line)
    return found


@pytest.mark.parametrize("first", [True, False])
def test_highly_compressed_files_of_one_student_do_not_use_up_others_budget(
    room: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    monkeypatch.setattr("autograder.lms.archive.HARMLESS_BYTES", 3 * MEGABYTE)
    monkeypatch.setattr("autograder.lms.archive.MAX_RATIO", 1)
    bombs: dict[str, bytes | str] = {
        canvas("eve", 66, 900 + n, f"x{n}.ipynb"): bytes(2 * MEGABYTE) for n in range(6)
    }
    honest: dict[str, bytes | str] = {
        canvas(f"s{n}", n, 100 + n): good(room) + " " * 200_000 for n in range(1, 6)
    }
    found = by_student(room, bombs | honest if first else honest | bombs)
    assert [line.outcome for n in range(1, 6) for line in found[str(n)]] == ["collected"] * 5
    assert {line.outcome for line in found["66"]} == {"could not be read"}


def test_each_attempt_is_read_up_to_the_size_of_one_notebook(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.collect.MAX_FILE_BYTES", MEGABYTE)
    read: set[int] = set()
    real = Archive.read

    def counted(self: Archive, member: Member) -> bytes:
        read.add(member.number)
        return real(self, member)

    monkeypatch.setattr(Archive, "read", counted)
    files: dict[str, bytes | str] = {moodle("Eve", 1, f"{n}.csv"): bytes(400_000) for n in range(9)}
    found = by_student(room, files | {moodle("Eve", 1): good(room)})
    outcomes = [line.outcome for line in found["Eve"]]
    assert (outcomes.count("collected"), outcomes.count("could not be read")) == (3, 7)
    assert found["Eve"][-1].outcome == "collected"  # the notebook is read before the other files
    assert len(read) == 3


def test_many_entries_of_one_student_cut_off_no_other_student(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.archive.MAX_ENTRIES", 20)
    many: dict[str, bytes | str] = {moodle("Eve", 1, f"{n}.txt"): "" for n in range(50)}
    found = by_student(room, many | {moodle(f"S{n}", 10 + n): good(room) for n in range(5)})
    assert [line.outcome for n in range(5) for line in found[f"S{n}"]] == ["collected"] * 5
    assert len(found["Eve"]) == 15
    assert "35 were not" in found[""][0].message
    with open_archive(room / "a.zip") as archive:
        assert sum(1 for _ in archive._entries()) == 55


def test_students_with_the_most_entries_are_cut_equally() -> None:
    assert _fair_share([5, 5], 10) == 10
    assert _fair_share([1, 100], 50) == 49
    assert _fair_share([100, 100, 2], 50) == 24
    assert _fair_share([], 50) == 50
