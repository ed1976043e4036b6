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

PLAIN_CSV = "id,first_name,last_name,email\n2026001,Minji,Kim,minji@x.ac.kr\n2026002,Bo,Lee,bo@x.ac.kr\n"
KOREAN_TSV = "학번\t이름\t성\t이메일\n2026001\tMinji\tKim\tminji@x.ac.kr\n2026002\tBo\tLee\tbo@x.ac.kr\n"
MINJI = {"id": "2026001", "first_name": "Minji", "last_name": "Kim", "email": "minji@x.ac.kr"}


def enrolled_people(course_root: Path) -> list[dict[str, str]]:
    course = Course.at(course_root)
    with Book(course.directory, course.config) as book:
        return class_list.people(book)


def import_students(course_root: Path, data: bytes, name: str = "students.csv") -> list[dict[str, str]]:
    (course_root / name).write_bytes(data)
    enroll(course_root, course_root / name)
    return enrolled_people(course_root)


@pytest.mark.parametrize(
    "data",
    [
        PLAIN_CSV.encode(),
        PLAIN_CSV.encode("utf-8-sig"),
        PLAIN_CSV.replace(",", ";").encode("utf-8-sig"),
        PLAIN_CSV.replace("\n", "\r\n").replace(",", "\t").encode("utf-16"),
        KOREAN_TSV.encode("cp949"),
        b"\n\n" + PLAIN_CSV.replace("\n", "\n\n").encode(),
    ],
    ids=["plain", "byte order mark", "semicolons", "Unicode text", "Korean Excel", "empty rows"],
)
def test_class_list_saved_by_excel_is_enrolled(course_root: Path, data: bytes) -> None:
    first, second = import_students(course_root, data)
    assert first == MINJI | {"lms_user_id": ""}
    assert second["last_name"] == "Lee"


def test_second_list_adds_students_and_removes_nothing(
    course_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_students(course_root, PLAIN_CSV.encode())
    assert "2 students, 2 of them new (2026001, 2026002)." in " ".join(capsys.readouterr().out.split())
    students = import_students(course_root, b"id;lms_user_id\n2026001;71\n2026003;73\n", "later.csv")
    assert students[0] == MINJI | {"lms_user_id": "71"}
    assert [row["id"] for row in students] == ["2026001", "2026002", "2026003"]
    output = " ".join(capsys.readouterr().out.split())
    assert "2 students, 1 of them new (2026003)." in output
    assert "In the gradebook, but not in this list: 1 (2026002)." in output


def test_list_without_the_zeros_of_known_ids_is_refused(course_root: Path) -> None:
    import_students(course_root, b"id,name\n0042,Ann\n0043,Bo\n")
    with pytest.raises(CourseError, match="42 is 0042 in the gradebook"):
        import_students(course_root, b"id,name\n42,Ann\n43,Bo\n", "excel.csv")
    assert [row["id"] for row in enrolled_people(course_root)] == ["0042", "0043"]


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
def test_list_that_cannot_be_used_is_explained(course_root: Path, data: bytes, en: str, ko: str) -> None:
    previous_language = language()
    try:
        for lang, message in (("en", en), ("ko", ko)):
            language(lang)
            with pytest.raises(CourseError) as error:
                import_students(course_root, data)
            assert message in str(error.value)
    finally:
        language(previous_language)
    assert enrolled_people(course_root) == []
