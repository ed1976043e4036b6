"""Tests of collecting a learning system's export into submitted/, whatever else is in the archive."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.lms.collect import Collected, collect
from autograder.lms.filenames import System, read_path, system_of
from autograder.lms.roster import read_roster
from secant.language import language
from tests.support.exports import Raw, blackboard, brightspace, canvas, good, moodle, write, write_raw
from tests.support.small_class import STEPS, run


def take(
    room: Path, *archives: Path, roster: str = "", lesson: str = "", system: System | None = None
) -> Collected:
    """Collect archives, with a roster given as text."""
    known = None
    if roster:
        (room / "roster.csv").write_text(roster, encoding="utf-8")
        known = read_roster(room / "roster.csv")
    return collect(Course.at(room), archives, known, lesson, system)


def outcomes(done: Collected) -> dict[str, str]:
    return {line.path: line.outcome for line in done.lines}


def there(room: Path) -> set[str]:
    """Return the files in submitted/, each as STUDENT:NAME."""
    root = room / "submitted"
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
    kind: str, room: Path, tmp_path: Path
) -> None:
    archive = write(tmp_path / "download.zip", {path: good(room) for path in ARCHIVES[kind].values()})
    done = take(room, archive)
    want = {name.replace(" ", "_") for name in ARCHIVES[kind]}
    assert done.counts == {"collected": len(want)}, [line.message for line in done.lines]
    summary, _ = run(room)
    assert {row["student"]: row["score"] for row in summary.rows()} == dict.fromkeys(want, 5.0)
    assert all("renamed" not in row["flags"] for row in summary.rows())


def test_file_name_gives_student_time_and_lateness() -> None:
    late = read_path("kimminji_LATE_71_8_x_1_2_y.ipynb", "canvas")
    assert (late.keys, late.file, late.late, late.label) == (
        ("71",),
        "x_1_2_y.ipynb",
        True,
        "kimminji_LATE_71_8",
    )
    evening = read_path("12-34 - Kim Min-ji - Oct 10, 2026 1022 PM/sub/x.ipynb", "brightspace")
    assert (evening.name, evening.file, str(evening.when)) == (
        "Kim Min-ji",
        "sub/x.ipynb",
        "2026-10-10 22:22:00",
    )
    number = read_path("98765-45678 - N0123456 - Kim- Sep 1, 2026 1200 AM - x.ipynb", "brightspace")
    assert (number.keys, number.file, str(number.when)) == (
        ("N0123456", "98765"),
        "x.ipynb",
        "2026-09-01 00:00:00",
    )
    again = read_path(
        "HW_1_kim_attempt_2026-11-23-10-00-00_a_attempt_2027-01-01-00-00-00_b.ipynb", "blackboard"
    )
    assert (again.keys, again.file) == (("kim",), "a_attempt_2027-01-01-00-00-00_b.ipynb")
    assert read_path("Participant_9_assignsubmission_file_/x.ipynb", "moodle").name == ""
    assert read_path("Kim_9_assignsubmission_onlinetext_/onlinetext.html", "moodle").file == ""
    assert read_path("kim_9_text.html", "canvas").file == ""
    assert system_of(["README.md", "a/b.ipynb"]) is None


def test_no_file_name_can_claim_another_student(room: Path, tmp_path: Path) -> None:
    """An archive comes from one system, so no name that a student chose can pass for another student's."""
    posing = canvas("eve", 66, 7, "HW_bo_attempt_2026-11-23-10-00-00_x.ipynb")
    moodles = canvas("eve", 66, 8, "Bo_1_assignsubmission_file_x.ipynb")
    done = take(
        room, write(tmp_path / "a.zip", {canvas("bo", 72, 9): good(room), posing: good(room), moodles: ""})
    )
    assert {line.student for line in done.lines} == {"66", "72"}


ROSTER = """\ufeff학번;이름;이메일;Moodle;Canvas ID
2026001;김민지;minji@x.ac.kr;Participant 311;71
2026002;"Lee, Bo";bo@x.ac.kr;;72
2026003;Kim Ann;ann@x.ac.kr;;
2026004;Kim Ann;ann2@x.ac.kr;;
"""


def test_roster_maps_ids_and_names_and_reports_unknown_students(room: Path, tmp_path: Path) -> None:
    paths = [moodle("김민지", 311), moodle("Bo Lee", 5), moodle("Kim Ann", 6), moodle("Mallory", 7)]
    done = take(room, write(tmp_path / "a.zip", dict.fromkeys(paths, good(room))), roster=ROSTER)
    assert [(line.student, line.outcome) for line in done.lines] == [
        ("2026001", "collected"),
        ("2026002", "collected"),
        ("", "whose?"),
        ("", "whose?"),
    ]
    assert "2026003 / 2026004" in done.lines[2].message
    assert "not in the roster" in done.lines[3].message
    assert there(room) == {f"2026001:{STEPS}.ipynb", f"2026002:{STEPS}.ipynb"}
    by_canvas = take(room, write(tmp_path / "b.zip", {canvas("leebo", 72, 1): good(room)}), roster=ROSTER)
    assert (by_canvas.lines[0].student, by_canvas.lines[0].outcome) == ("2026002", "unchanged")
    wrong = take(room, write(tmp_path / "c.zip", {canvas("kimminji", 72, 1): good(room)}), roster=ROSTER)
    assert wrong.lines[0].student == "2026002"  # found by id: the roster need not have this romanised name
    clash = take(room, write(tmp_path / "d.zip", {canvas("김민지", 72, 1): good(room)}), roster=ROSTER)
    assert clash.lines[0].outcome == "whose?"


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
    for text, words in [
        ("id\n1\n1\n", "twice"),
        ("id\n../x\n", "cannot be a folder's name"),
        ("a,b\n1,2\n", "a, b"),
        ("", "empty"),
    ]:
        (tmp_path / "r.csv").write_text(text)
        with pytest.raises(CourseError, match=words):
            read_roster(tmp_path / "r.csv")


def test_two_students_with_the_same_name_stay_unassigned(room: Path, tmp_path: Path) -> None:
    done = take(
        room,
        write(tmp_path / "a.zip", dict.fromkeys([moodle("Kim Ann", 1), moodle("Kim Ann", 2)], good(room))),
    )
    assert done.counts == {"whose?": 2}
    assert "--roster" in done.lines[0].message
    when = "2026-11-23-10-00-00"
    users = dict.fromkeys([blackboard("kim_jo", when), blackboard("lee_jo", when)], good(room))
    assert take(room, write(tmp_path / "b.zip", users)).counts == {"whose?": 2}
    receipts = {
        blackboard("kim_jo", when, ""): "Name: Kim Jo (kim_jo)\n",
        blackboard("lee_jo", when, ""): "이름: 이조 (lee_jo)\n",
    }
    done = take(room, write(tmp_path / "c.zip", users | receipts))
    assert {line.student for line in done.lines if line.outcome == "collected"} == {"kim_jo", "lee_jo"}


def test_a_moodle_group_before_a_name_is_understood(room: Path, tmp_path: Path) -> None:
    roster = "id,name\n1,Sinéad O'Brien\n2,이하은\n3,Kim Min-ji\n4,Ann\n5,Ann B\n"
    names = ["Group A-Sinéad O'Brien", "2조-이하은", "Group B-1-Kim Min-ji", "Lee Min-Ann", "x-Ann B"]
    paths = [moodle(name, number) for number, name in enumerate(names, 310)]
    done = take(room, write(tmp_path / "a.zip", dict.fromkeys(paths, good(room))), roster=roster)
    assert [line.student for line in done.lines] == ["1", "2", "3", "", "5"]
    assert "Lee Min-Ann is not in the roster" in done.lines[3].message
    other = write(tmp_path / "b.zip", {canvas("x-Ann B", 9, 1): good(room)})
    assert take(room, other, roster=roster).counts == {"whose?": 1}  # only Moodle puts a group before a name


def test_moodle_students_with_one_name_are_separated_by_number(room: Path, tmp_path: Path) -> None:
    archive = write(
        tmp_path / "a.zip", dict.fromkeys([moodle("Kim Ann", 1), moodle("Kim Ann", 2)], good(room))
    )
    for roster in (None, ROSTER):
        lines = take(room, archive, roster=roster).lines
        assert [line.outcome for line in lines] == ["whose?", "whose?"]
        assert "grading worksheet as --roster" in lines[0].message
        assert re.search(r"number in the folder's name is 1[:,]", lines[0].message)
    worksheet = "Identifier,Full name,ID number,Grade\nParticipant 1,Kim Ann,a1,\nParticipant 2,Kim Ann,a2,\n"
    assert {line.student for line in take(room, archive, roster=worksheet).lines} == {"a1", "a2"}


def test_student_who_takes_anothers_name_replaces_no_work(room: Path, tmp_path: Path) -> None:
    """Without this check, a student who takes the name Kim Minji could replace the first Kim Minji's work."""
    names = [moodle("김민지", 400), moodle("김민지", 311), moodle("Bo Lee", 5)]
    done = take(room, write(tmp_path / "a.zip", dict.fromkeys(names, good(room))), roster=ROSTER)
    assert [line.outcome for line in done.lines] == ["whose?", "whose?", "collected"]
    assert "311, 400" in done.lines[0].message


def test_unreadable_entry_replaces_no_collected_work(room: Path, tmp_path: Path) -> None:
    take(room, write(tmp_path / "a.zip", {canvas("bo", 72, 9): good(room)}))
    broken = write_raw(tmp_path / "b.zip", [Raw(canvas("bo", 72, 9).encode(), b"{", crc=1)])
    done = take(room, broken, lesson=STEPS)
    assert done.counts == {"could not be read": 1}
    assert "stays" in done.lines[0].message
    assert there(room) == {f"72:{STEPS}.ipynb"}


def test_the_newest_attempt_counts_and_the_older_is_kept(room: Path, tmp_path: Path) -> None:
    paths = [blackboard("bo", f"2026-11-2{day}-10-00-00") for day in (3, 5, 4)]
    books = {path: good(room).replace("\n", "\n" * number, 1) for number, path in enumerate(paths, 1)}
    archive = write(tmp_path / "a.zip", books)
    done = take(room, archive)
    assert [line.outcome for line in done.lines] == ["kept aside", "collected", "kept aside"]
    assert not any(line.needs_a_person for line in done.lines)
    assert (room / "submitted/bo" / STEPS / f"{STEPS}.ipynb").read_text() == books[paths[1]]
    kept = {path.read_text() for path in (room / "collected/kept").rglob("*.ipynb")}
    assert kept == {books[paths[0]], books[paths[2]]}
    again = take(room, archive)
    assert [line.outcome for line in again.lines] == ["kept aside", "unchanged", "kept aside"]
    assert len(list((room / "collected/kept").rglob("*.ipynb"))) == 2
    late = take(room, write(tmp_path / "b.zip", {paths[0]: books[paths[0]]}))
    assert [line.outcome for line in late.lines] == ["kept aside"]
    assert (room / "submitted/bo" / STEPS / f"{STEPS}.ipynb").read_text() == books[paths[1]]


def test_nothing_in_submitted_is_overwritten_without_a_copy(room: Path, tmp_path: Path) -> None:
    mine = room / "submitted/Bo" / STEPS
    mine.mkdir(parents=True)
    (mine / "mine.txt").write_text("mine")
    (mine / "link").symlink_to("/etc/passwd")
    done = take(room, write(tmp_path / "a.zip", {moodle("Bo", 1): good(room)}))
    assert done.counts == {"collected": 1}
    assert "kept" in done.lines[0].message
    assert [path.read_text() for path in (room / "collected").rglob("mine.txt")] == ["mine"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (room / "submitted/Eve").symlink_to(elsewhere)
    done = take(room, write(tmp_path / "b.zip", {moodle("Eve", 1): good(room), moodle("Fay", 2): good(room)}))
    assert [line.outcome for line in done.lines] == ["not written", "collected"]
    assert not list(elsewhere.iterdir())


def test_submission_time_written_by_a_student_is_ignored(room: Path, tmp_path: Path) -> None:
    lies = {moodle("Bo", 1, name): "2020-01-01 00:00:00 UTC" for name in ("timestamp.txt", "TimeStamp.TXT")}
    take(room, write(tmp_path / "a.zip", {moodle("Bo", 1): good(room)} | lies))
    assert "Bo:timestamp.txt" not in {name.casefold() for name in there(room)}
    summary, _ = run(room)
    assert [row["score"] for row in summary.rows()] == [5.0]


def test_submission_time_comes_from_the_learning_system(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(room, write(tmp_path / "a.zip", {blackboard("bo", "2026-11-23-10-00-00"): good(room)}))
    want = datetime(2026, 11, 23, 10).astimezone(UTC)
    text = (room / "submitted/bo" / STEPS / "timestamp.txt").read_text()
    assert text == f"{want:%Y-%m-%d %H:%M:%S}.000000 +00:00"


def hostile(room: Path) -> dict[str, Raw]:
    """Return malformed or dangerous archive entries, named as by Canvas, by what is wrong with each entry."""
    book, label = good(room).encode(), 100

    def name(file: str = "x.ipynb") -> bytes:
        nonlocal label
        label += 1
        return f"s_{label}_1_{file}".encode()

    zip64 = b"\x01\x00\x18\x00" + b"\xff" * 24
    return {
        "good": Raw(b"a_100_1_01_steps.ipynb", book),
        "a bomb": Raw(name(), bytes(19_999_999)),
        "a huge one": Raw(name(), b"x", size=3_000_000_000),
        "one that says less": Raw(name(), book, size=10),
        "one that says more": Raw(name(), book, size=len(book) + 9),
        "zip64 lies": Raw(name(), book, size=0xFFFFFFFF, extra=zip64),
        "a cut zip64 field": Raw(name(), book, size=0xFFFFFFFF, extra=b"\x01\x00\x18\x00\x01"),
        "a link": Raw(name(), b"/etc/passwd", mode=0o120777),
        "a device": Raw(name(), b"", mode=0o020666),
        "encrypted": Raw(name(), book, flags=1),
        "another method": Raw(name(), book, method=14),
        "damaged data": Raw(name(), book, packed=b"\xff" * 50),
        "a wrong sum": Raw(name(), book, crc=1),
        "nothing": Raw(name(), b""),
        "no notebook": Raw(name(), b"\0" * 100),
        "a zip": Raw(name("x.zip"), b"PK\3\4"),
        "a name that is no UTF-8": Raw(b"s_201_1_\xff\xfe.ipynb", book, flags=0x800),
        "Korean Windows' name": Raw("김민지_202_1_과제.ipynb".encode("cp949"), book),
        "decomposed Korean": Raw("s_203_1_가나.ipynb".encode(), book, flags=0x800),
        "backslashes": Raw(b"s_204_1_a\\b.ipynb", book),
        "out": Raw(b"../s_205_1_x.ipynb", book),
        "absolute": Raw(b"/s_206_1_x.ipynb", book),
        "a drive": Raw(b"C:\\s_207_1_x.ipynb", book),
        "a long name": Raw(b"s_208_1_" + b"x" * 5_000, book),
        "a nul": Raw(b"s_209_1_x\0.ipynb", book),
        "no name": Raw(b"", book),
        "a Mac's": Raw(b"__MACOSX/._s_210_1_x.ipynb", b"x"),
        "a cell that steers": Raw(b"s_211_1_\x1b[2Jx.ipynb", book),
    }


NOT_READ = {
    *("a bomb", "a huge one", "one that says less", "one that says more", "zip64 lies", "a cut zip64 field"),
    *("a link", "a device", "encrypted", "another method", "damaged data", "a wrong sum"),
    *("out", "absolute", "a drive", "a long name", "a nul"),
}


def test_a_hostile_entry_stops_no_other(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.lms.archive.HARMLESS_BYTES", 1_000_000)
    entries = hostile(room)
    done = take(room, write_raw(tmp_path / "a.zip", entries.values()))
    assert len(done.lines) == len(entries)
    found = {what: line for what, line in zip(entries, done.lines, strict=True)}
    assert all(line.message for line in done.lines if line.outcome not in ("collected", "unchanged"))
    assert {what for what, line in found.items() if line.outcome == "could not be read"} >= NOT_READ
    assert found["good"].outcome == found["Korean Windows' name"].outcome == "collected"
    assert found["a Mac's"].outcome == "ignored"
    assert not [
        path for path in tmp_path.rglob("*") if path.is_symlink() or not (path.is_file() or path.is_dir())
    ]
    assert not [path for path in tmp_path.iterdir() if path.name not in ("a.zip", "class")]
    assert not any("\x1b" in line.path + line.message for line in done.lines)
    summary, _ = run(room)
    scores = {row["student"]: (row["score"], row["tasks"][0]["outcome"]) for row in summary.rows()}
    assert scores["100"] == scores["202"] == (5.0, "passed")
    unread = {line.student for what, line in found.items() if what in NOT_READ and line.student}
    assert unread
    assert {scores[student][1] for student in unread} == {"rejected"}


def test_colliding_file_names_are_all_collected(room: Path, tmp_path: Path) -> None:
    files = [
        ("X.ipynb", "1"),
        ("x.ipynb", "2"),
        ("a", "3"),
        ("a/b", "4"),
        ("..hidden", "5"),
        ("x.ipynb", "6"),
    ]
    done = take(
        room,
        write(
            tmp_path / "a.zip", [(moodle("Bo", 1), good(room)), *((moodle("Bo", 1, n), d) for n, d in files)]
        ),
    )
    found = {
        path.read_text() for path in (room / "submitted/Bo" / STEPS).rglob("*") if path.stat().st_size < 9
    }
    assert found == {"1", "3", "4", "5", "6"}
    assert [line.outcome for line in done.lines].count("could not be read") == 1


def test_broken_archive_is_reported_and_the_next_one_collected(room: Path, tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.zip", {moodle("Bo", 1): good(room)})
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:-30])
    (tmp_path / "text.zip").write_text("hello")
    (tmp_path / "empty.zip").write_bytes(b"")
    for name, data, kind in (
        ("login.zip", b"<!DOCTYPE html><html>", "It is a web page"),
        ("all.zip", b"Rar!\x1a\x07", "It is a compressed archive"),
    ):
        (tmp_path / name).write_bytes(data)
        assert kind in take(room, tmp_path / name).lines[0].message
    archives = [cut, tmp_path / "text.zip", tmp_path / "empty.zip", whole]
    done = take(room, *archives)
    assert [(line.archive, line.outcome) for line in done.lines] == [
        ("cut.zip", "could not be read"),
        ("text.zip", "could not be read"),
        ("empty.zip", "could not be read"),
        ("whole.zip", "collected"),
    ]
    with pytest.raises(CourseError, match="no such file"):
        take(room, tmp_path / "none.zip")


def test_broken_zip_directory_keeps_the_entries_before_the_break(room: Path, tmp_path: Path) -> None:
    names = [canvas("a", number, 1).encode() for number in range(5)]
    whole = write_raw(tmp_path / "a.zip", [Raw(name, good(room).encode()) for name in names]).read_bytes()
    at = whole.rfind(b"PK\1\2")
    (tmp_path / "a.zip").write_bytes(whole[:at] + b"????" + whole[at + 4 :])
    done = take(room, tmp_path / "a.zip")
    assert done.counts == {"collected": 4, "could not be read": 1}


def test_archive_entries_beyond_the_bound_are_not_read(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lms.archive.MAX_ENTRIES", 2_000)
    archive = write_raw(tmp_path / "a.zip", (Raw(f"notes/{number}".encode(), b"") for number in range(2_500)))
    done = take(room, archive)
    assert done.counts == {"could not be read": 1, "whose?": 2_000}


def test_lesson_of_a_download_is_recognised_from_its_readable_notebooks(room: Path, tmp_path: Path) -> None:
    damaged = {
        moodle("A", 1): good(room),
        moodle("B", 2, "homework.ipynb"): "{",
        moodle("C", 3, "x.pdf"): "%PDF",
    }
    done = take(room, write(tmp_path / "a.zip", damaged))
    assert {line.lesson for line in done.lines} == {STEPS}
    summary, _ = run(room)
    assert {row["student"]: row["tasks"][0]["outcome"] for row in summary.rows()} == {
        "A": "passed",
        "B": "rejected",
        "C": "rejected",
    }
    by_name = take(room, write(tmp_path / "b.zip", {moodle("D", 4): "{"}))
    assert by_name.lines[0].lesson == STEPS
    nothing = write(tmp_path / "c.zip", {moodle("E", 5, "x.ipynb"): "{"})
    assert take(room, nothing).counts == {"which lesson?": 1}
    assert take(room, nothing, lesson=STEPS).counts == {"collected": 1}


def test_oddly_named_notebook_is_renamed_to_the_lessons_name(room: Path, tmp_path: Path) -> None:
    files = {moodle("Bo", 1, "sub/my work.ipynb"): good(room, "ko"), moodle("Bo", 1, "data.csv"): "1"}
    done = take(room, write(tmp_path / "a.zip", files))
    assert there(room) == {f"Bo:{STEPS}.ipynb", "Bo:data.csv"}
    assert [line.message for line in done.lines] == [f"It was saved as {STEPS}.ipynb.", ""]
    names = {moodle("Cy", 2, f"{STEPS}.ko.ipynb"): good(room, "ko"), moodle("Cy", 2): good(room)}
    take(room, write(tmp_path / "b.zip", names))
    assert {name for name in there(room) if name.startswith("Cy")} == {
        f"Cy:{STEPS}.ipynb",
        f"Cy:{STEPS}.ko.ipynb",
    }


def test_label_given_by_the_learning_system_is_remembered(room: Path, tmp_path: Path) -> None:
    take(room, write(tmp_path / "a.zip", {moodle("Kim Minji", 311): good(room)}))
    known = json.loads((room / "collected" / f"{STEPS}.json").read_text())
    assert known == {
        "Kim_Minji": {
            "system": "moodle",
            "key": "311",
            "name": "Kim Minji",
            "label": "Kim Minji_311_assignsubmission_file",
        }
    }


def test_every_message_about_archive_entries_is_in_korean(room: Path, tmp_path: Path) -> None:
    language("ko")
    try:
        done = take(room, write_raw(tmp_path / "a.zip", hostile(room).values()))
    finally:
        language("en")
    said = [line.message for line in done.lines if line.message]
    assert said
    assert all(any("가" <= char <= "힣" for char in text) for text in said)


@pytest.mark.parametrize("lesson", ["", STEPS])
def test_collecting_says_what_a_file_is_that_is_no_notebook(room: Path, tmp_path: Path, lesson: str) -> None:
    files = {
        moodle("Ann Lee", 1, "homework.ipynb"): b"<!DOCTYPE html><html>",
        moodle("Bo Kim", 2, "homework.pdf"): b"%PDF-1.7",
        moodle("Cho Yi", 3, "homework.gdoc"): b'{"doc_id": "1"}',
        moodle("Dan Ha", 4, "homework.ipynb"): b'{"cells": [',
    }
    if lesson:
        files |= {moodle("Eve Oh", 5): good(room).encode(), moodle("Eve Oh", 5, "notes.pdf"): b"%PDF-1.7"}
    done = take(room, write(tmp_path / "a.zip", files), lesson=lesson)
    assert {line.outcome for line in done.lines} == {"collected" if lesson else "which lesson?"}
    said = {line.student: line.message for line in done.lines}
    assert "It is a web page (HTML)" in said["Ann_Lee"]
    assert "It is a PDF." in said["Bo_Kim"]
    assert "It is a shortcut" in said["Cho_Yi"]
    assert "cut short or damaged" in said["Dan_Ha"]
    assert not said.get("Eve_Oh")


@pytest.mark.parametrize(
    "worksheet",
    [
        "Identifier,Status,Grade,Maximum Grade\nParticipant 4711,Submitted,-,10\nParticipant 4712,,-,10\n",
        "\ufeff식별자;상태;성적\n참가자 4711;제출함;\n참가자 4712;;\n",
        "Identifier\tStatus\nTeilnehmer/in 4711\tx\nTeilnehmer/in 4712\tx\n",
    ],
)
def test_unchanged_anonymous_moodle_worksheet_serves_as_a_roster(
    room: Path, tmp_path: Path, worksheet: str
) -> None:
    name = worksheet.splitlines()[1].split(" ")[0]
    archive = write(tmp_path / "a.zip", {moodle(name, 4711): good(room)})
    done = take(room, archive, roster=worksheet)
    ((student, outcome),) = [(line.student, line.outcome) for line in done.lines]
    assert outcome == "collected"
    assert student.endswith("4711")
