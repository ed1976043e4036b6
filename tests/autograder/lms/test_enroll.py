"""Tests of `autograder enroll`, which enters class lists from Excel or an LMS into the gradebook."""

import gzip
from pathlib import Path

import pytest

from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook import class_list
from autograder.gradebook.book import Book
from autograder.transfer import enroll
from secant.language import language

PLAIN = "id,first_name,last_name,email\n2026001,Minji,Kim,minji@x.ac.kr\n2026002,Bo,Lee,bo@x.ac.kr\n"
KOREAN = "학번\t이름\t성\t이메일\n2026001\tMinji\tKim\tminji@x.ac.kr\n2026002\tBo\tLee\tbo@x.ac.kr\n"
MINJI = {"id": "2026001", "first_name": "Minji", "last_name": "Kim", "email": "minji@x.ac.kr"}


def people(room: Path) -> list[dict[str, str]]:
    course = Course.at(room)
    with Book(course.directory, course.config) as book:
        return class_list.people(book)


def import_students(room: Path, data: bytes, name: str = "students.csv") -> list[dict[str, str]]:
    (room / name).write_bytes(data)
    enroll(room, room / name)
    return people(room)


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.encode("utf-8-sig"),
        PLAIN.replace(",", ";").encode("utf-8-sig"),
        PLAIN.replace("\n", "\r\n").replace(",", "\t").encode("utf-16"),
        KOREAN.encode("cp949"),
        b"\n\n" + PLAIN.replace("\n", "\n\n").encode(),
    ],
    ids=["plain", "byte order mark", "semicolons", "Unicode text", "Korean Excel", "empty rows"],
)
def test_class_list_saved_by_excel_is_enrolled(room: Path, data: bytes) -> None:
    first, second = import_students(room, data)
    assert first == MINJI | {"lms_user_id": ""}
    assert second["last_name"] == "Lee"


def test_second_list_adds_students_and_removes_nothing(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_students(room, PLAIN.encode())
    assert "2 students, 2 of them new (2026001, 2026002)." in " ".join(capsys.readouterr().out.split())
    found = import_students(room, b"id;lms_user_id\n2026001;71\n2026003;73\n", "later.csv")
    assert found[0] == MINJI | {"lms_user_id": "71"}
    assert [row["id"] for row in found] == ["2026001", "2026002", "2026003"]
    said = " ".join(capsys.readouterr().out.split())
    assert "2 students, 1 of them new (2026003)." in said
    assert "In the gradebook, but not in this list: 1 (2026002)." in said


def test_list_without_the_zeros_of_known_ids_is_refused(room: Path) -> None:
    import_students(room, b"id,name\n0042,Ann\n0043,Bo\n")
    with pytest.raises(CourseError, match="42 is 0042 in the gradebook"):
        import_students(room, b"id,name\n42,Ann\n43,Bo\n", "excel.csv")
    assert [row["id"] for row in people(room)] == ["0042", "0043"]


@pytest.mark.parametrize(
    ("data", "en", "ko"),
    [
        (b"id,name\n2.02612E+11,Ann\n", "2.02612E+11 is a long number as Excel", "Excel이 줄여 쓴 긴 숫자"),
        (b"id;name\n2,02612E+11;Ann\n", "2,02612E+11 is a long number as Excel", "Excel이 줄여 쓴 긴 숫자"),
        (b"id,name\n2E+11,Ann\n", "2E+11 is a long number as Excel", "Excel이 줄여 쓴 긴 숫자"),
        (b"id,name,canvas\nann,Ann,1.0E+15\n", "1.0E+15 is a long number", "Excel이 줄여 쓴 긴 숫자"),
        (b"id,name\n2026001.0,Ann\n", "2026001.0 is an id that a program", "학번을 소수로"),
        (b"id,name\n1,Ann\n1,Bo\n", "the id 1 appears twice", "두 번 있습니다"),
        (b"points,comment\n1,x\n", "has no column of ids or names", "학번이나 이름 열이 없습니다"),
        (b"PK\3\4" + bytes(26) + b"[Content_Types].xml", "It is an office document", "문서입니다"),
        (gzip.compress(b"x", mtime=0), "It is a compressed archive", "압축 파일입니다"),
        (b"<html><table><tr><td>id", "It is a web page", "웹 페이지"),
    ],
)
def test_list_that_cannot_be_used_is_explained(room: Path, data: bytes, en: str, ko: str) -> None:
    before = language()
    try:
        for lang, said in (("en", en), ("ko", ko)):
            language(lang)
            with pytest.raises(CourseError) as raised:
                import_students(room, data)
            assert said in str(raised.value)
    finally:
        language(before)
    assert people(room) == []
