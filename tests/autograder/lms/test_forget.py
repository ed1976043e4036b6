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
from tests.support.exports import good, moodle, write
from tests.support.small_class import STEPS, Here, run

WHO = "Zoe_Quill"


def naming(folder: Path) -> Iterator[str]:
    """Yield the paths in a folder that name the student in the path or in the file's contents."""
    for path in sorted(folder.rglob("*")):
        shown = str(path.relative_to(folder))
        said = path.read_bytes() if path.is_file() else b""
        if WHO in shown or WHO.encode() in said or b"Zoe Quill" in said:
            yield shown


@pytest.fixture
def term(room: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a class from Moodle with two attempts of Zoe's, an export, a report and a gradebook copy."""
    monkeypatch.chdir(room)
    both = {moodle("Zoe Quill", 1): good(room), moodle("Kim Minji", 2): good(room)}
    for name, files in (("a.zip", both), ("b.zip", both | {moodle("Zoe Quill", 1): "{"})):
        write(room / name, files)
        assert CliRunner().invoke(app, ["collect", name]).exit_code == 0
        run(room, Here())
    assert CliRunner().invoke(app, ["export", "--for", "moodle", "--lesson", "1"]).exit_code == 0
    assert CliRunner().invoke(app, ["report", "1"]).exit_code == 0
    shutil.copy(room / "gradebook.db", room / "gradebook_before_midterm.db")
    return room


def test_nothing_in_the_folder_names_a_forgotten_student(term: Path) -> None:
    known = {"gradebook.db", f"report/{STEPS}.html", f"collected/{STEPS}.json", f"collected/kept/{WHO}"}
    assert known <= set(naming(term))
    done = CliRunner().invoke(app, ["forget", WHO, "--force"])
    assert done.exit_code == 1
    left = ["gradebook_before_midterm.db", "a.zip", "b.zip"]
    assert f"Still named in: {left[0]}" in done.output
    assert set(naming(term)) <= set(left)
    for name in left:
        (term / name).unlink()
    assert list(naming(term)) == []
    with Gradebook(f"sqlite:///{term}/gradebook.db", "secant") as book:
        assert [student.id for student in book.students] == ["Kim_Minji"]
    assert (term / "feedback/Kim_Minji" / STEPS / f"{STEPS}.html").is_file()
    summary, _ = run(term, Here())
    assert (summary.graded_before, [entry.student for entry in summary.results]) == (1, ["Kim_Minji"])


@pytest.mark.whole
@pytest.mark.parametrize(
    "damage",
    [
        *("{", '{"Zoe_Quill": 5}', "[1]", '{"Zoe_Quill": {"key"', "\xff"),
        *('{"Zoe_Quill": {"name": 5}}', '{"Zoe_Quill": {}, "Kim": {"name": "\\ud800"}}'),
    ],
)
def test_a_damaged_file_of_names_stops_nothing_and_is_listed(term: Path, damage: str) -> None:
    (term / "collected/00_old.json").write_text(damage, encoding="latin-1")
    done = forget(Course.at(term), WHO)
    assert {"exported", "report", f"submitted/{WHO}", f"a line of collected/{STEPS}.json"} <= set(
        done.deleted
    )
    assert ("collected/00_old.json" in done.remaining) == (WHO in damage)
    assert WHO in damage or (term / "collected/00_old.json").exists()


@pytest.mark.whole
def test_a_folder_that_cannot_be_deleted_stops_nothing_and_is_listed(
    term: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.rmtree

    def refuse(path: Path, *args: object, **more: object) -> None:
        if Path(path).name == WHO and "feedback" in Path(path).parts:
            raise PermissionError
        real(path)

    monkeypatch.setattr("autograder.lms.forget.shutil.rmtree", refuse)
    done = forget(Course.at(term), WHO)
    assert f"feedback/{WHO}" in done.remaining
    assert {"exported", "report", f"submitted/{WHO}"} <= set(done.deleted)


def test_files_of_every_kind_that_name_a_student_are_found(term: Path) -> None:
    inner = term / "inner.zip"
    write(inner, {"sheet.xml": f"<c>{WHO}</c>"})
    write(term / "grades.xlsx", {"xl/sheet.xml": "<c>Zoe Quill</c>"})
    write(term / "term.zip", {"deep/inner.zip": inner.read_bytes()})
    inner.unlink()
    (term / "list.txt").write_text("Quill, Zoe\n", encoding="utf-16")
    (term / "submitted/Kim_Minji/thanks.txt").write_text("with Zoe Quill")
    (term / "more.tar.gz").write_bytes(b"x")
    (term / "broken.zip").write_bytes((term / "a.zip").read_bytes()[:-200])
    (term / "other.csv").write_text("Zoe_Quillan,Zoe Quiller\n")
    course = Course.at(term)
    with Book(course.directory, course.config) as book:
        enter_people(book, [{"id": WHO, "first_name": "Zoe", "last_name": "Quill"}])
    done = forget(course, WHO)
    found = {"grades.xlsx", "term.zip", "list.txt", "submitted/Kim_Minji/thanks.txt", "a.zip", "b.zip"}
    assert found <= set(done.remaining)
    assert "other.csv" not in done.remaining
    assert "more.tar.gz" in done.unsearched
    assert "broken.zip" in (*done.unsearched, *done.remaining)


@pytest.mark.whole
def test_links_are_listed_as_not_searched(term: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "grades.csv").write_text("Zoe_Quill,5\n")
    (term / "grades.csv").symlink_to(elsewhere / "grades.csv")
    (term / "collected/older").symlink_to(elsewhere)
    done = forget(Course.at(term), WHO)
    assert {"grades.csv", "collected/older"} <= set(done.unsearched)
    assert (elsewhere / "grades.csv").exists()


@pytest.mark.whole
def test_archive_of_a_rare_compression_is_listed_unread(term: Path) -> None:
    folder = term / "submitted" / "Kim_Minji"
    for name, kind in (("bzip2.zip", zipfile.ZIP_BZIP2), ("lzma.zip", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(folder / name, "w", kind) as archive:
            archive.writestr("notes.txt", "many words " * 100)
    damaged = bytearray((folder / "lzma.zip").read_bytes())
    damaged[60:70] = bytes(10)
    (folder / "damaged.zip").write_bytes(damaged)
    done = forget(Course.at(term), WHO)
    names = ("bzip2.zip", "damaged.zip", "lzma.zip")
    assert {f"submitted/Kim_Minji/{name}" for name in names} <= set(done.unsearched)


def test_forget_with_an_unknown_or_empty_id_deletes_nothing(term: Path) -> None:
    before = sorted(map(str, term.rglob("*")))
    assert forget(Course.at(term), "nobody").deleted == []
    for odd in ("..", ".", "a/b", ""):
        with pytest.raises(CourseError, match="not a valid student id"):
            forget(Course.at(term), odd)
    assert CliRunner().invoke(app, ["forget", WHO], input="n\n").exit_code == 1
    assert sorted(map(str, term.rglob("*"))) == before
