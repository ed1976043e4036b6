"""One student is deleted from a course's folder, and nobody else is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.errors import CourseError
from autograder.course.settings import Course
from autograder.lms.forget import forget
from tests.support.exports import good, moodle, write
from tests.support.small_class import STEPS, Here, run

WHO = "Zoe_Quill"


def naming(folder: Path) -> Iterator[str]:
    """What in a folder names the student, in its name or its bytes."""
    for path in sorted(folder.rglob("*")):
        shown = str(path.relative_to(folder))
        said = path.read_bytes() if path.is_file() else b""
        if WHO in shown or WHO.encode() in said or b"Zoe Quill" in said:
            yield shown


@pytest.fixture
def term(room: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of Moodle's with two attempts of Zoe's, exported, and a copy of its gradebook."""
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
    assert (summary.kept, [entry.student for entry in summary.results]) == (1, ["Kim_Minji"])


def test_a_stranger_or_no_id_deletes_nothing(term: Path) -> None:
    before = sorted(map(str, term.rglob("*")))
    assert forget(Course.at(term), "nobody").deleted == []
    for odd in ("..", ".", "a/b", ""):
        with pytest.raises(CourseError, match="not a valid student id"):
            forget(Course.at(term), odd)
    assert CliRunner().invoke(app, ["forget", WHO], input="n\n").exit_code == 1
    assert sorted(map(str, term.rglob("*"))) == before
