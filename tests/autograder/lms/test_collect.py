"""Tests of collecting a learning system's export into submitted/, whatever else is in the archive."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.lms.collect import CollectResult, collect
from autograder.lms.filenames import System, read_path, system_of
from autograder.lms.roster import read_roster
from secant.language import language
from tests.support.exports import (
    Raw,
    blackboard,
    brightspace,
    canvas,
    moodle,
    solved_notebook,
    write,
    write_raw,
)
from tests.support.small_class import STEPS, run


def collect_archives(
    course_root: Path, *archives: Path, roster: str = "", lesson: str = "", system: System | None = None
) -> CollectResult:
    """Collect archives, with a roster given as text."""
    parsed_roster = None
    if roster:
        (course_root / "roster.csv").write_text(roster, encoding="utf-8")
        parsed_roster = read_roster(course_root / "roster.csv")
    return collect(Course.at(course_root), archives, parsed_roster, lesson, system)


def outcomes(result: CollectResult) -> dict[str, str]:
    return {line.path: line.outcome for line in result.lines}


def submitted_files(course_root: Path) -> set[str]:
    """Return the files in submitted/, each as STUDENT:NAME."""
    root = course_root / "submitted"
    return {
        str(path.relative_to(root)).replace(f"/{STEPS}/", ":") for path in root.rglob("*") if path.is_file()
    }


ARCHIVES = {
    "moodle": {
        "Kim Minji": moodle("Kim Minji", 311),
        "김민지": moodle("김민지", 312),
        "Ann B": moodle("Ann B", 313),
    },
    "flat": {
        "Kim Minji": "Kim Minji_311_assignsubmission_file_x.ipynb",
        "Group A-Bo": "Group A-Bo_4_assignsubmission_file_a_1_2_b.ipynb",
    },
    "canvas": {"71": canvas("kimminji", 71, 8), "72": canvas("leebo", 72, 9, late=True)},
    "brightspace": {
        "Kim Min-ji": brightspace("Kim Min-ji", 51, "Oct 10, 2026 1022 AM"),
        "Bo": f"Exam/{brightspace('Bo', 52, 'Oct 11, 2026 1:30 PM')}",
    },
    "blackboard": {
        "kminji": blackboard("kminji", "2026-11-23-10-00-00"),
        "bo": blackboard("bo", "2026-11-23-11-00-00"),
    },
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archive_of_each_learning_system_is_collected_and_graded(
    kind: str, course_root: Path, tmp_path: Path
) -> None:
    archive = write(
        tmp_path / "download.zip", {path: solved_notebook(course_root) for path in ARCHIVES[kind].values()}
    )
    result = collect_archives(course_root, archive)
    expected = {name.replace(" ", "_") for name in ARCHIVES[kind]}
    assert result.counts == {"collected": len(expected)}, [line.message for line in result.lines]
    summary, _ = run(course_root)
    assert {row["student"]: row["score"] for row in summary.rows()} == dict.fromkeys(expected, 5.0)
    assert all("renamed" not in row["flags"] for row in summary.rows())


def test_file_name_gives_student_time_and_lateness() -> None:
    canvas_reading = read_path("kimminji_LATE_71_8_x_1_2_y.ipynb", "canvas")
    assert (canvas_reading.keys, canvas_reading.file, canvas_reading.late, canvas_reading.label) == (
        ("71",),
        "x_1_2_y.ipynb",
        True,
        "kimminji_LATE_71_8",
    )
    brightspace_reading = read_path("12-34 - Kim Min-ji - Oct 10, 2026 1022 PM/sub/x.ipynb", "brightspace")
    assert (brightspace_reading.name, brightspace_reading.file, str(brightspace_reading.when)) == (
        "Kim Min-ji",
        "sub/x.ipynb",
        "2026-10-10 22:22:00",
    )
    numbered_reading = read_path("98765-45678 - N0123456 - Kim- Sep 1, 2026 1200 AM - x.ipynb", "brightspace")
    assert (numbered_reading.keys, numbered_reading.file, str(numbered_reading.when)) == (
        ("N0123456", "98765"),
        "x.ipynb",
        "2026-09-01 00:00:00",
    )
    blackboard_reading = read_path(
        "HW_1_kim_attempt_2026-11-23-10-00-00_a_attempt_2027-01-01-00-00-00_b.ipynb", "blackboard"
    )
    assert (blackboard_reading.keys, blackboard_reading.file) == (
        ("kim",),
        "a_attempt_2027-01-01-00-00-00_b.ipynb",
    )
    assert read_path("Participant_9_assignsubmission_file_/x.ipynb", "moodle").name == ""
    assert read_path("Kim_9_assignsubmission_onlinetext_/onlinetext.html", "moodle").file == ""
    assert read_path("kim_9_text.html", "canvas").file == ""
    assert system_of(["README.md", "a/b.ipynb"]) is None


def test_no_file_name_can_claim_another_student(course_root: Path, tmp_path: Path) -> None:
    """All names in an archive follow one system's rules, so a name in another system's form claims nobody."""
    blackboard_imitation = canvas("eve", 66, 7, "HW_bo_attempt_2026-11-23-10-00-00_x.ipynb")
    moodle_imitation = canvas("eve", 66, 8, "Bo_1_assignsubmission_file_x.ipynb")
    result = collect_archives(
        course_root,
        write(
            tmp_path / "a.zip",
            {
                canvas("bo", 72, 9): solved_notebook(course_root),
                blackboard_imitation: solved_notebook(course_root),
                moodle_imitation: "",
            },
        ),
    )
    assert {line.student for line in result.lines} == {"66", "72"}


ROSTER = """\ufeff학번;이름;이메일;Moodle;Canvas ID
2026001;김민지;minji@x.ac.kr;Participant 311;71
2026002;"Lee, Bo";bo@x.ac.kr;;72
2026003;Kim Ann;ann@x.ac.kr;;
2026004;Kim Ann;ann2@x.ac.kr;;
"""


def test_roster_maps_ids_and_names_and_reports_unknown_students(course_root: Path, tmp_path: Path) -> None:
    paths = [moodle("김민지", 311), moodle("Bo Lee", 5), moodle("Kim Ann", 6), moodle("Mallory", 7)]
    result = collect_archives(
        course_root,
        write(tmp_path / "a.zip", dict.fromkeys(paths, solved_notebook(course_root))),
        roster=ROSTER,
    )
    assert [(line.student, line.outcome) for line in result.lines] == [
        ("2026001", "collected"),
        ("2026002", "collected"),
        ("", "whose?"),
        ("", "whose?"),
    ]
    assert "2026003 / 2026004" in result.lines[2].message
    assert "not in the roster" in result.lines[3].message
    assert submitted_files(course_root) == {f"2026001:{STEPS}.ipynb", f"2026002:{STEPS}.ipynb"}
    canvas_result = collect_archives(
        course_root,
        write(tmp_path / "b.zip", {canvas("leebo", 72, 1): solved_notebook(course_root)}),
        roster=ROSTER,
    )
    assert (canvas_result.lines[0].student, canvas_result.lines[0].outcome) == ("2026002", "unchanged")
    other_name = collect_archives(
        course_root,
        write(tmp_path / "c.zip", {canvas("kimminji", 72, 1): solved_notebook(course_root)}),
        roster=ROSTER,
    )
    # The student is found by id, although the roster lacks the romanised name "kimminji".
    assert other_name.lines[0].student == "2026002"
    conflict = collect_archives(
        course_root,
        write(tmp_path / "d.zip", {canvas("김민지", 72, 1): solved_notebook(course_root)}),
        roster=ROSTER,
    )
    assert conflict.lines[0].outcome == "whose?"


@pytest.mark.parametrize(
    "text",
    [
        "id,name\n1,Ann\n2,Bo\n",
        "Identifier,Full name,Email address,Grade\nParticipant 1,Ann,ann@x,-\nParticipant 2,Bo,bo@x,-\n",
        "Student,ID,SIS Login ID,Section,01 (7)\n    Points Possible,,,,10\nAnn,71,ann,A,\nBo,72,bo,A,\n",
        "OrgDefinedId,Last Name,First Name,End-of-Line Indicator\n#1,Ann,,#\n#2,Bo,,#\n",
        "성\t이름\t학번\n안\t나\t1\n보\t\t2\n",
    ],
)
def test_roster_files_of_every_format_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(text, encoding="utf-16" if "\t" in text else "cp949")
    roster = read_roster(tmp_path / "r.csv")
    assert len(roster.people) == 2
    assert roster.find((), roster.people[0].name) is roster.people[0]


def test_a_roster_that_cannot_be_used_ends_in_a_sentence(tmp_path: Path) -> None:
    for text, message in [
        ("id\n1\n1\n", "twice"),
        ("id\n../x\n", "cannot be a folder's name"),
        ("a,b\n1,2\n", "a, b"),
        ("", "empty"),
    ]:
        (tmp_path / "r.csv").write_text(text)
        with pytest.raises(CourseError, match=message):
            read_roster(tmp_path / "r.csv")


def test_two_students_with_the_same_name_stay_unassigned(course_root: Path, tmp_path: Path) -> None:
    result = collect_archives(
        course_root,
        write(
            tmp_path / "a.zip",
            dict.fromkeys([moodle("Kim Ann", 1), moodle("Kim Ann", 2)], solved_notebook(course_root)),
        ),
    )
    assert result.counts == {"whose?": 2}
    assert "--roster" in result.lines[0].message
    time = "2026-11-23-10-00-00"
    files = dict.fromkeys(
        [blackboard("kim_jo", time), blackboard("lee_jo", time)], solved_notebook(course_root)
    )
    assert collect_archives(course_root, write(tmp_path / "b.zip", files)).counts == {"whose?": 2}
    receipts = {
        blackboard("kim_jo", time, ""): "Name: Kim Jo (kim_jo)\n",
        blackboard("lee_jo", time, ""): "이름: 이조 (lee_jo)\n",
    }
    result = collect_archives(course_root, write(tmp_path / "c.zip", files | receipts))
    assert {line.student for line in result.lines if line.outcome == "collected"} == {"kim_jo", "lee_jo"}


def test_a_moodle_group_before_a_name_is_understood(course_root: Path, tmp_path: Path) -> None:
    roster = "id,name\n1,Sinéad O'Brien\n2,이하은\n3,Kim Min-ji\n4,Ann\n5,Ann B\n"
    names = ["Group A-Sinéad O'Brien", "2조-이하은", "Group B-1-Kim Min-ji", "Lee Min-Ann", "x-Ann B"]
    paths = [moodle(name, number) for number, name in enumerate(names, 310)]
    result = collect_archives(
        course_root,
        write(tmp_path / "a.zip", dict.fromkeys(paths, solved_notebook(course_root))),
        roster=roster,
    )
    assert [line.student for line in result.lines] == ["1", "2", "3", "", "5"]
    assert "Lee Min-Ann is not in the roster" in result.lines[3].message
    canvas_archive = write(tmp_path / "b.zip", {canvas("x-Ann B", 9, 1): solved_notebook(course_root)})
    # Only Moodle puts the name of a student's group before the student's name.
    assert collect_archives(course_root, canvas_archive, roster=roster).counts == {"whose?": 1}


def test_moodle_students_with_one_name_are_separated_by_number(course_root: Path, tmp_path: Path) -> None:
    archive = write(
        tmp_path / "a.zip",
        dict.fromkeys([moodle("Kim Ann", 1), moodle("Kim Ann", 2)], solved_notebook(course_root)),
    )
    for roster in (None, ROSTER):
        lines = collect_archives(course_root, archive, roster=roster).lines
        assert [line.outcome for line in lines] == ["whose?", "whose?"]
        assert "grading worksheet as --roster" in lines[0].message
        assert re.search(r"number in the folder's name is 1[:,]", lines[0].message)
    worksheet = "Identifier,Full name,ID number,Grade\nParticipant 1,Kim Ann,a1,\nParticipant 2,Kim Ann,a2,\n"
    assert {line.student for line in collect_archives(course_root, archive, roster=worksheet).lines} == {
        "a1",
        "a2",
    }


def test_student_who_takes_anothers_name_replaces_no_work(course_root: Path, tmp_path: Path) -> None:
    """Without this check, a student who takes the name Kim Minji could replace the first Kim Minji's work."""
    names = [moodle("김민지", 400), moodle("김민지", 311), moodle("Bo Lee", 5)]
    result = collect_archives(
        course_root,
        write(tmp_path / "a.zip", dict.fromkeys(names, solved_notebook(course_root))),
        roster=ROSTER,
    )
    assert [line.outcome for line in result.lines] == ["whose?", "whose?", "collected"]
    assert "311, 400" in result.lines[0].message


def test_unreadable_entry_replaces_no_collected_work(course_root: Path, tmp_path: Path) -> None:
    collect_archives(
        course_root, write(tmp_path / "a.zip", {canvas("bo", 72, 9): solved_notebook(course_root)})
    )
    broken_archive = write_raw(tmp_path / "b.zip", [Raw(canvas("bo", 72, 9).encode(), b"{", crc=1)])
    result = collect_archives(course_root, broken_archive, lesson=STEPS)
    assert result.counts == {"could not be read": 1}
    assert "stays" in result.lines[0].message
    assert submitted_files(course_root) == {f"72:{STEPS}.ipynb"}


def test_the_newest_attempt_counts_and_the_older_is_kept(course_root: Path, tmp_path: Path) -> None:
    paths = [blackboard("bo", f"2026-11-2{day}-10-00-00") for day in (3, 5, 4)]
    notebooks = {
        path: solved_notebook(course_root).replace("\n", "\n" * number, 1)
        for number, path in enumerate(paths, 1)
    }
    archive = write(tmp_path / "a.zip", notebooks)
    result = collect_archives(course_root, archive)
    assert [line.outcome for line in result.lines] == ["kept aside", "collected", "kept aside"]
    assert not any(line.needs_a_person for line in result.lines)
    assert (course_root / "submitted/bo" / STEPS / f"{STEPS}.ipynb").read_text() == notebooks[paths[1]]
    old_texts = {path.read_text() for path in (course_root / "collected/kept").rglob("*.ipynb")}
    assert old_texts == {notebooks[paths[0]], notebooks[paths[2]]}
    second_result = collect_archives(course_root, archive)
    assert [line.outcome for line in second_result.lines] == ["kept aside", "unchanged", "kept aside"]
    assert len(list((course_root / "collected/kept").rglob("*.ipynb"))) == 2
    late_result = collect_archives(course_root, write(tmp_path / "b.zip", {paths[0]: notebooks[paths[0]]}))
    assert [line.outcome for line in late_result.lines] == ["kept aside"]
    assert (course_root / "submitted/bo" / STEPS / f"{STEPS}.ipynb").read_text() == notebooks[paths[1]]


def test_nothing_in_submitted_is_overwritten_without_a_copy(course_root: Path, tmp_path: Path) -> None:
    folder = course_root / "submitted/Bo" / STEPS
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    (folder / "link").symlink_to("/etc/passwd")
    result = collect_archives(
        course_root, write(tmp_path / "a.zip", {moodle("Bo", 1): solved_notebook(course_root)})
    )
    assert result.counts == {"collected": 1}
    assert "kept" in result.lines[0].message
    assert [path.read_text() for path in (course_root / "collected").rglob("mine.txt")] == ["mine"]
    outside_folder = tmp_path / "elsewhere"
    outside_folder.mkdir()
    (course_root / "submitted/Eve").symlink_to(outside_folder)
    result = collect_archives(
        course_root,
        write(
            tmp_path / "b.zip",
            {moodle("Eve", 1): solved_notebook(course_root), moodle("Fay", 2): solved_notebook(course_root)},
        ),
    )
    assert [line.outcome for line in result.lines] == ["not written", "collected"]
    assert not list(outside_folder.iterdir())


def test_submission_time_written_by_a_student_is_ignored(course_root: Path, tmp_path: Path) -> None:
    false_times = {
        moodle("Bo", 1, name): "2020-01-01 00:00:00 UTC" for name in ("timestamp.txt", "TimeStamp.TXT")
    }
    collect_archives(
        course_root, write(tmp_path / "a.zip", {moodle("Bo", 1): solved_notebook(course_root)} | false_times)
    )
    assert "Bo:timestamp.txt" not in {name.casefold() for name in submitted_files(course_root)}
    summary, _ = run(course_root)
    assert [row["score"] for row in summary.rows()] == [5.0]


def test_submission_time_comes_from_the_learning_system(
    course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect_archives(
        course_root,
        write(tmp_path / "a.zip", {blackboard("bo", "2026-11-23-10-00-00"): solved_notebook(course_root)}),
    )
    expected = datetime(2026, 11, 23, 10).astimezone(UTC)
    text = (course_root / "submitted/bo" / STEPS / "timestamp.txt").read_text()
    assert text == f"{expected:%Y-%m-%d %H:%M:%S}.000000 +00:00"


def hostile_entries(course_root: Path) -> dict[str, Raw]:
    """Return malformed or dangerous archive entries with Canvas file names; a key names an entry's defect."""
    notebook, label = solved_notebook(course_root).encode(), 100

    def name(file: str = "x.ipynb") -> bytes:
        nonlocal label
        label += 1
        return f"s_{label}_1_{file}".encode()

    zip64 = b"\x01\x00\x18\x00" + b"\xff" * 24
    return {
        "good": Raw(b"a_100_1_01_steps.ipynb", notebook),
        "a bomb": Raw(name(), bytes(19_999_999)),
        "a huge one": Raw(name(), b"x", size=3_000_000_000),
        "one that says less": Raw(name(), notebook, size=10),
        "one that says more": Raw(name(), notebook, size=len(notebook) + 9),
        "zip64 lies": Raw(name(), notebook, size=0xFFFFFFFF, extra=zip64),
        "a cut zip64 field": Raw(name(), notebook, size=0xFFFFFFFF, extra=b"\x01\x00\x18\x00\x01"),
        "a link": Raw(name(), b"/etc/passwd", mode=0o120777),
        "a device": Raw(name(), b"", mode=0o020666),
        "encrypted": Raw(name(), notebook, flags=1),
        "another method": Raw(name(), notebook, method=14),
        "damaged data": Raw(name(), notebook, packed=b"\xff" * 50),
        "a wrong sum": Raw(name(), notebook, crc=1),
        "nothing": Raw(name(), b""),
        "no notebook": Raw(name(), b"\0" * 100),
        "a zip": Raw(name("x.zip"), b"PK\3\4"),
        "a name that is no UTF-8": Raw(b"s_201_1_\xff\xfe.ipynb", notebook, flags=0x800),
        "Korean Windows' name": Raw("김민지_202_1_과제.ipynb".encode("cp949"), notebook),
        "decomposed Korean": Raw("s_203_1_가나.ipynb".encode(), notebook, flags=0x800),
        "backslashes": Raw(b"s_204_1_a\\b.ipynb", notebook),
        "out": Raw(b"../s_205_1_x.ipynb", notebook),
        "absolute": Raw(b"/s_206_1_x.ipynb", notebook),
        "a drive": Raw(b"C:\\s_207_1_x.ipynb", notebook),
        "a long name": Raw(b"s_208_1_" + b"x" * 5_000, notebook),
        "a nul": Raw(b"s_209_1_x\0.ipynb", notebook),
        "no name": Raw(b"", notebook),
        "a Mac's": Raw(b"__MACOSX/._s_210_1_x.ipynb", b"x"),
        "a cell that steers": Raw(b"s_211_1_\x1b[2Jx.ipynb", notebook),
    }


UNREADABLE = {
    *("a bomb", "a huge one", "one that says less", "one that says more", "zip64 lies", "a cut zip64 field"),
    *("a link", "a device", "encrypted", "another method", "damaged data", "a wrong sum"),
    *("out", "absolute", "a drive", "a long name", "a nul"),
}


def test_hostile_entry_does_not_stop_other_entries(
    course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.archive.HARMLESS_BYTES", 1_000_000)
    entries = hostile_entries(course_root)
    result = collect_archives(course_root, write_raw(tmp_path / "a.zip", entries.values()))
    assert len(result.lines) == len(entries)
    lines = {problem: line for problem, line in zip(entries, result.lines, strict=True)}
    assert all(line.message for line in result.lines if line.outcome not in ("collected", "unchanged"))
    assert {problem for problem, line in lines.items() if line.outcome == "could not be read"} >= UNREADABLE
    assert lines["good"].outcome == lines["Korean Windows' name"].outcome == "collected"
    assert lines["a Mac's"].outcome == "ignored"
    assert not [
        path for path in tmp_path.rglob("*") if path.is_symlink() or not (path.is_file() or path.is_dir())
    ]
    assert not [path for path in tmp_path.iterdir() if path.name not in ("a.zip", "class")]
    assert not any("\x1b" in line.path + line.message for line in result.lines)
    summary, _ = run(course_root)
    scores = {row["student"]: (row["score"], row["tasks"][0]["outcome"]) for row in summary.rows()}
    assert scores["100"] == scores["202"] == (5.0, "passed")
    unread_students = {
        line.student for problem, line in lines.items() if problem in UNREADABLE and line.student
    }
    assert unread_students
    assert {scores[student][1] for student in unread_students} == {"rejected"}


def test_colliding_file_names_are_all_collected(course_root: Path, tmp_path: Path) -> None:
    files = [
        ("X.ipynb", "1"),
        ("x.ipynb", "2"),
        ("a", "3"),
        ("a/b", "4"),
        ("..hidden", "5"),
        ("x.ipynb", "6"),
    ]
    result = collect_archives(
        course_root,
        write(
            tmp_path / "a.zip",
            [
                (moodle("Bo", 1), solved_notebook(course_root)),
                *((moodle("Bo", 1, name), data) for name, data in files),
            ],
        ),
    )
    texts = {
        path.read_text()
        for path in (course_root / "submitted/Bo" / STEPS).rglob("*")
        if path.stat().st_size < 9
    }
    assert texts == {"1", "3", "4", "5", "6"}
    assert [line.outcome for line in result.lines].count("could not be read") == 1


def test_broken_archive_is_reported_and_the_next_one_collected(course_root: Path, tmp_path: Path) -> None:
    good_archive = write(tmp_path / "whole.zip", {moodle("Bo", 1): solved_notebook(course_root)})
    truncated_archive = tmp_path / "cut.zip"
    truncated_archive.write_bytes(good_archive.read_bytes()[:-30])
    (tmp_path / "text.zip").write_text("hello")
    (tmp_path / "empty.zip").write_bytes(b"")
    for name, data, kind in (
        ("login.zip", b"<!DOCTYPE html><html>", "It is a web page"),
        ("all.zip", b"Rar!\x1a\x07", "It is a compressed archive"),
    ):
        (tmp_path / name).write_bytes(data)
        assert kind in collect_archives(course_root, tmp_path / name).lines[0].message
    archives = [truncated_archive, tmp_path / "text.zip", tmp_path / "empty.zip", good_archive]
    result = collect_archives(course_root, *archives)
    assert [(line.archive, line.outcome) for line in result.lines] == [
        ("cut.zip", "could not be read"),
        ("text.zip", "could not be read"),
        ("empty.zip", "could not be read"),
        ("whole.zip", "collected"),
    ]
    with pytest.raises(CourseError, match="no such file"):
        collect_archives(course_root, tmp_path / "none.zip")


def test_broken_zip_directory_keeps_the_entries_before_the_break(course_root: Path, tmp_path: Path) -> None:
    names = [canvas("a", number, 1).encode() for number in range(5)]
    archive = write_raw(
        tmp_path / "a.zip", [Raw(name, solved_notebook(course_root).encode()) for name in names]
    ).read_bytes()
    position = archive.rfind(b"PK\1\2")
    (tmp_path / "a.zip").write_bytes(archive[:position] + b"????" + archive[position + 4 :])
    result = collect_archives(course_root, tmp_path / "a.zip")
    assert result.counts == {"collected": 4, "could not be read": 1}


def test_archive_entries_beyond_the_bound_are_not_read(
    course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.archive.MAX_ENTRIES", 2_000)
    archive = write_raw(tmp_path / "a.zip", (Raw(f"notes/{number}".encode(), b"") for number in range(2_500)))
    result = collect_archives(course_root, archive)
    assert result.counts == {"could not be read": 1, "whose?": 2_000}


def test_lesson_of_a_download_is_recognised_from_its_readable_notebooks(
    course_root: Path, tmp_path: Path
) -> None:
    files = {
        moodle("A", 1): solved_notebook(course_root),
        moodle("B", 2, "homework.ipynb"): "{",
        moodle("C", 3, "x.pdf"): "%PDF",
    }
    result = collect_archives(course_root, write(tmp_path / "a.zip", files))
    assert {line.lesson for line in result.lines} == {STEPS}
    summary, _ = run(course_root)
    assert {row["student"]: row["tasks"][0]["outcome"] for row in summary.rows()} == {
        "A": "passed",
        "B": "rejected",
        "C": "rejected",
    }
    named_result = collect_archives(course_root, write(tmp_path / "b.zip", {moodle("D", 4): "{"}))
    assert named_result.lines[0].lesson == STEPS
    unreadable_archive = write(tmp_path / "c.zip", {moodle("E", 5, "x.ipynb"): "{"})
    assert collect_archives(course_root, unreadable_archive).counts == {"which lesson?": 1}
    assert collect_archives(course_root, unreadable_archive, lesson=STEPS).counts == {"collected": 1}


def test_oddly_named_notebook_is_renamed_to_the_lessons_name(course_root: Path, tmp_path: Path) -> None:
    files = {
        moodle("Bo", 1, "sub/my work.ipynb"): solved_notebook(course_root, "ko"),
        moodle("Bo", 1, "data.csv"): "1",
    }
    result = collect_archives(course_root, write(tmp_path / "a.zip", files))
    assert submitted_files(course_root) == {f"Bo:{STEPS}.ipynb", "Bo:data.csv"}
    assert [line.message for line in result.lines] == [f"It was saved as {STEPS}.ipynb.", ""]
    names = {
        moodle("Cy", 2, f"{STEPS}.ko.ipynb"): solved_notebook(course_root, "ko"),
        moodle("Cy", 2): solved_notebook(course_root),
    }
    collect_archives(course_root, write(tmp_path / "b.zip", names))
    assert {name for name in submitted_files(course_root) if name.startswith("Cy")} == {
        f"Cy:{STEPS}.ipynb",
        f"Cy:{STEPS}.ko.ipynb",
    }


def test_label_given_by_the_learning_system_is_remembered(course_root: Path, tmp_path: Path) -> None:
    collect_archives(
        course_root, write(tmp_path / "a.zip", {moodle("Kim Minji", 311): solved_notebook(course_root)})
    )
    labels = json.loads((course_root / "collected" / f"{STEPS}.json").read_text())
    assert labels == {
        "Kim_Minji": {
            "system": "moodle",
            "key": "311",
            "name": "Kim Minji",
            "label": "Kim Minji_311_assignsubmission_file",
        }
    }


def test_every_message_about_archive_entries_is_in_korean(course_root: Path, tmp_path: Path) -> None:
    language("ko")
    try:
        result = collect_archives(
            course_root, write_raw(tmp_path / "a.zip", hostile_entries(course_root).values())
        )
    finally:
        language("en")
    messages = [line.message for line in result.lines if line.message]
    assert messages
    assert all(any("가" <= char <= "힣" for char in message) for message in messages)


@pytest.mark.parametrize("lesson", ["", STEPS])
def test_collecting_says_what_a_file_is_that_is_no_notebook(
    course_root: Path, tmp_path: Path, lesson: str
) -> None:
    files = {
        moodle("Ann Lee", 1, "homework.ipynb"): b"<!DOCTYPE html><html>",
        moodle("Bo Kim", 2, "homework.pdf"): b"%PDF-1.7",
        moodle("Cho Yi", 3, "homework.gdoc"): b'{"doc_id": "1"}',
        moodle("Dan Ha", 4, "homework.ipynb"): b'{"cells": [',
    }
    if lesson:
        files |= {
            moodle("Eve Oh", 5): solved_notebook(course_root).encode(),
            moodle("Eve Oh", 5, "notes.pdf"): b"%PDF-1.7",
        }
    result = collect_archives(course_root, write(tmp_path / "a.zip", files), lesson=lesson)
    assert {line.outcome for line in result.lines} == {"collected" if lesson else "which lesson?"}
    messages = {line.student: line.message for line in result.lines}
    assert "It is a web page (HTML)" in messages["Ann_Lee"]
    assert "It is a PDF." in messages["Bo_Kim"]
    assert "It is a shortcut" in messages["Cho_Yi"]
    assert "cut short or damaged" in messages["Dan_Ha"]
    assert not messages.get("Eve_Oh")


@pytest.mark.parametrize(
    "worksheet",
    [
        "Identifier,Status,Grade,Maximum Grade\nParticipant 4711,Submitted,-,10\nParticipant 4712,,-,10\n",
        "\ufeff식별자;상태;성적\n참가자 4711;제출함;\n참가자 4712;;\n",
        "Identifier\tStatus\nTeilnehmer/in 4711\tx\nTeilnehmer/in 4712\tx\n",
    ],
)
def test_unchanged_anonymous_moodle_worksheet_serves_as_a_roster(
    course_root: Path, tmp_path: Path, worksheet: str
) -> None:
    name = worksheet.splitlines()[1].split(" ")[0]
    archive = write(tmp_path / "a.zip", {moodle(name, 4711): solved_notebook(course_root)})
    result = collect_archives(course_root, archive, roster=worksheet)
    ((student, outcome),) = [(line.student, line.outcome) for line in result.lines]
    assert outcome == "collected"
    assert student.endswith("4711")
