"""Tests of deleting one student, and no other, from a course's folder."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.gradebook.book import Book
from autograder.gradebook.class_list import enter_people
from autograder.lms.forget import forget
from tests.support.exports import moodle, solved_notebook, write
from tests.support.small_class import STEPS, InProcessWorkers, run

STUDENT = "Zoe_Quill"


def find_mentions(folder: Path) -> Iterator[str]:
    """Yield the paths in a folder that name the student in the path or in the file's contents."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        contents = path.read_bytes() if path.is_file() else b""
        if STUDENT in name or STUDENT.encode() in contents or b"Zoe Quill" in contents:
            yield name


@pytest.fixture
def moodle_class(course_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a class from Moodle with two attempts of Zoe's, an export, a report and a gradebook copy."""
    monkeypatch.chdir(course_root)
    submissions = {
        moodle("Zoe Quill", 1): solved_notebook(course_root),
        moodle("Kim Minji", 2): solved_notebook(course_root),
    }
    for name, files in (("a.zip", submissions), ("b.zip", submissions | {moodle("Zoe Quill", 1): "{"})):
        write(course_root / name, files)
        assert CliRunner().invoke(app, ["collect", name]).exit_code == 0
        run(course_root, InProcessWorkers())
    exported = CliRunner().invoke(app, ["export", "--for", "moodle", "--lesson", "1"])
    assert exported.exit_code == 0
    assert STUDENT in exported.output  # the table of students without points: their notes are not graded yet
    assert CliRunner().invoke(app, ["report", "1"]).exit_code == 0
    shutil.copy(course_root / "gradebook.db", course_root / "gradebook_before_midterm.db")
    return course_root


def test_nothing_in_the_folder_names_a_forgotten_student(moodle_class: Path) -> None:
    expected = {
        "gradebook.db",
        f"report/{STEPS}.html",
        f"collected/{STEPS}.json",
        f"collected/kept/{STUDENT}",
    }
    assert expected <= set(find_mentions(moodle_class))
    result = CliRunner().invoke(app, ["forget", STUDENT, "--force"])
    assert result.exit_code == 1
    backups = ["gradebook_before_midterm.db", "a.zip", "b.zip"]
    assert f"Still named in: {backups[0]}" in result.output
    assert set(find_mentions(moodle_class)) <= set(backups)
    for name in backups:
        (moodle_class / name).unlink()
    assert list(find_mentions(moodle_class)) == []
    with Gradebook(f"sqlite:///{moodle_class}/gradebook.db", "secant") as book:
        assert [student.id for student in book.students] == ["Kim_Minji"]
    assert (moodle_class / "feedback/Kim_Minji" / STEPS / f"{STEPS}.html").is_file()
    summary, _ = run(moodle_class, InProcessWorkers())
    assert (summary.graded_before, [entry.student for entry in summary.results]) == (1, ["Kim_Minji"])


@pytest.mark.whole
@pytest.mark.parametrize(
    "damage",
    [
        *("{", '{"Zoe_Quill": 5}', "[1]", '{"Zoe_Quill": {"key"', "\xff"),
        *('{"Zoe_Quill": {"name": 5}}', '{"Zoe_Quill": {}, "Kim": {"name": "\\ud800"}}'),
    ],
)
def test_a_damaged_file_of_names_stops_nothing_and_is_listed(moodle_class: Path, damage: str) -> None:
    (moodle_class / "collected/00_old.json").write_text(damage, encoding="latin-1")
    result = forget(Course.at(moodle_class), STUDENT)
    assert {"exported", "report", f"submitted/{STUDENT}", f"a line of collected/{STEPS}.json"} <= set(
        result.deleted
    )
    assert ("collected/00_old.json" in result.remaining) == (STUDENT in damage)
    assert STUDENT in damage or (moodle_class / "collected/00_old.json").exists()


@pytest.mark.whole
def test_a_folder_that_cannot_be_deleted_stops_nothing_and_is_listed(
    moodle_class: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_rmtree = shutil.rmtree

    def refuse(path: Path, *args: object, **kwargs: object) -> None:
        if Path(path).name == STUDENT and "feedback" in Path(path).parts:
            raise PermissionError
        real_rmtree(path)

    monkeypatch.setattr("autograder.lms.forget.shutil.rmtree", refuse)
    result = forget(Course.at(moodle_class), STUDENT)
    assert f"feedback/{STUDENT}" in result.remaining
    assert {"exported", "report", f"submitted/{STUDENT}"} <= set(result.deleted)


def test_files_of_every_kind_that_name_a_student_are_found(moodle_class: Path) -> None:
    inner_archive = moodle_class / "inner.zip"
    write(inner_archive, {"sheet.xml": f"<c>{STUDENT}</c>"})
    write(moodle_class / "grades.xlsx", {"xl/sheet.xml": "<c>Zoe Quill</c>"})
    write(moodle_class / "term.zip", {"deep/inner.zip": inner_archive.read_bytes()})
    inner_archive.unlink()
    (moodle_class / "list.txt").write_text("Quill, Zoe\n", encoding="utf-16")
    (moodle_class / "submitted/Kim_Minji/thanks.txt").write_text("with Zoe Quill")
    (moodle_class / "more.tar.gz").write_bytes(b"x")
    (moodle_class / "broken.zip").write_bytes((moodle_class / "a.zip").read_bytes()[:-200])
    (moodle_class / "other.csv").write_text("Zoe_Quillan,Zoe Quiller\n")
    course = Course.at(moodle_class)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": STUDENT, "first_name": "Zoe", "last_name": "Quill"}])
    result = forget(course, STUDENT)
    expected = {"grades.xlsx", "term.zip", "list.txt", "submitted/Kim_Minji/thanks.txt", "a.zip", "b.zip"}
    assert expected <= set(result.remaining)
    assert "other.csv" not in result.remaining
    assert "more.tar.gz" in result.unsearched
    assert "broken.zip" in (*result.unsearched, *result.remaining)


@pytest.mark.whole
def test_links_are_listed_as_not_searched(moodle_class: Path, tmp_path: Path) -> None:
    outside_folder = tmp_path / "elsewhere"
    outside_folder.mkdir()
    (outside_folder / "grades.csv").write_text("Zoe_Quill,5\n")
    (moodle_class / "grades.csv").symlink_to(outside_folder / "grades.csv")
    (moodle_class / "collected/older").symlink_to(outside_folder)
    result = forget(Course.at(moodle_class), STUDENT)
    assert {"grades.csv", "collected/older"} <= set(result.unsearched)
    assert (outside_folder / "grades.csv").exists()


@pytest.mark.whole
def test_archive_of_a_rare_compression_is_listed_as_not_searched(moodle_class: Path) -> None:
    folder = moodle_class / "submitted" / "Kim_Minji"
    for name, compression in (("bzip2.zip", zipfile.ZIP_BZIP2), ("lzma.zip", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(folder / name, "w", compression) as archive:
            archive.writestr("notes.txt", "many words " * 100)
    damaged = bytearray((folder / "lzma.zip").read_bytes())
    damaged[60:70] = bytes(10)
    (folder / "damaged.zip").write_bytes(damaged)
    result = forget(Course.at(moodle_class), STUDENT)
    names = ("bzip2.zip", "damaged.zip", "lzma.zip")
    assert {f"submitted/Kim_Minji/{name}" for name in names} <= set(result.unsearched)


def test_student_who_is_only_in_the_class_list_is_deleted(course_root: Path) -> None:
    course = Course.at(course_root)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": STUDENT, "first_name": "Zoe", "last_name": "Quill"}])
    assert forget(course, STUDENT).deleted == ["the gradebook's entries"]
    assert forget(course, STUDENT).deleted == []


def test_forget_with_an_unknown_or_empty_id_deletes_nothing(moodle_class: Path) -> None:
    before = sorted(map(str, moodle_class.rglob("*")))
    assert forget(Course.at(moodle_class), "nobody").deleted == []
    for invalid_id in ("..", ".", "a/b", ""):
        with pytest.raises(CourseError, match="not a valid student id"):
            forget(Course.at(moodle_class), invalid_id)
    assert CliRunner().invoke(app, ["forget", STUDENT], input="n\n").exit_code == 1
    assert sorted(map(str, moodle_class.rglob("*"))) == before
