"""Tests that one student's oversized or too numerous files do not affect any other student."""

from pathlib import Path

import pytest

from autograder.course.settings import Course
from autograder.lms.archive import Archive, Member, _fair_share, open_archive
from autograder.lms.attempts import Line
from autograder.lms.collect import collect
from tests.support.exports import canvas, moodle, solved_notebook, write

MEGABYTE = 1_000_000


def collect_by_student(course_root: Path, files: dict[str, bytes | str]) -> dict[str, list[Line]]:
    """Collect an archive of these files, and return the report's lines by student."""
    result = collect(Course.at(course_root), [write(course_root / "a.zip", files)])
    lines: dict[str, list[Line]] = {}
    for line in result.lines:
        lines.setdefault(line.student, []).append(line)
    return lines


@pytest.mark.parametrize("bombs_first", [True, False])
def test_highly_compressed_files_of_one_student_do_not_use_up_others_budget(
    course_root: Path, monkeypatch: pytest.MonkeyPatch, bombs_first: bool
) -> None:
    monkeypatch.setattr("autograder.lms.archive.HARMLESS_BYTES", 3 * MEGABYTE)
    monkeypatch.setattr("autograder.lms.archive.MAX_RATIO", 1)
    bombs: dict[str, bytes | str] = {
        canvas("eve", 66, 900 + n, f"x{n}.ipynb"): bytes(2 * MEGABYTE) for n in range(6)
    }
    honest_files: dict[str, bytes | str] = {
        canvas(f"s{n}", n, 100 + n): solved_notebook(course_root) + " " * 200_000 for n in range(1, 6)
    }
    lines = collect_by_student(course_root, bombs | honest_files if bombs_first else honest_files | bombs)
    assert [line.outcome for n in range(1, 6) for line in lines[str(n)]] == ["collected"] * 5
    assert {line.outcome for line in lines["66"]} == {"could not be read"}


def test_each_attempt_is_read_up_to_the_size_of_one_notebook(
    course_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.collect.MAX_FILE_BYTES", MEGABYTE)
    read_members: set[int] = set()
    real_read = Archive.read

    def counting_read(self: Archive, member: Member) -> bytes:
        read_members.add(member.number)
        return real_read(self, member)

    monkeypatch.setattr(Archive, "read", counting_read)
    files: dict[str, bytes | str] = {moodle("Eve", 1, f"{n}.csv"): bytes(400_000) for n in range(9)}
    lines = collect_by_student(course_root, files | {moodle("Eve", 1): solved_notebook(course_root)})
    outcomes = [line.outcome for line in lines["Eve"]]
    assert (outcomes.count("collected"), outcomes.count("could not be read")) == (3, 7)
    assert lines["Eve"][-1].outcome == "collected"  # the notebook is read before the other files
    assert len(read_members) == 3


def test_many_entries_of_one_student_cut_off_no_other_student(
    course_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.archive.MAX_ENTRIES", 20)
    many_files: dict[str, bytes | str] = {moodle("Eve", 1, f"{n}.txt"): "" for n in range(50)}
    lines = collect_by_student(
        course_root, many_files | {moodle(f"S{n}", 10 + n): solved_notebook(course_root) for n in range(5)}
    )
    assert [line.outcome for n in range(5) for line in lines[f"S{n}"]] == ["collected"] * 5
    assert len(lines["Eve"]) == 15
    assert "35 were not" in lines[""][0].message
    with open_archive(course_root / "a.zip") as archive:
        assert sum(1 for _ in archive._entries()) == 55


def test_entry_limit_cuts_only_the_students_with_most_entries() -> None:
    assert _fair_share([5, 5], 10) == 10
    assert _fair_share([1, 100], 50) == 49
    assert _fair_share([100, 100, 2], 50) == 24
    assert _fair_share([], 50) == 50
