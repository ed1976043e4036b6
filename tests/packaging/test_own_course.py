"""The section "Secant beside your own course" of docs/teaching.md, in a course that nbgrader quickstart made.

An instructor with the installed wheel runs every command of the section; a student fetches and submits.
"""

import csv
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.utils import get_username

from secant.causes import STUB
from tests.packaging.conftest import ROOT, Place
from tests.packaging.test_wheel import LESSON, NOTEBOOK, solve

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")]

PAGE = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Secant beside your own course\n")[2].partition("\n## ")[0]
(CALL,) = re.findall(r"^```python\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
BEFORE, AFTER = re.findall(r"^```sh\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
SECRET = "BEGIN HIDDEN TESTS"


class Person:
    """Somebody who types commands in a folder.

    Args:
        place: the environment with the wheel.
        folder: the current folder.
        log: the file for what the commands print.
    """

    def __init__(self, place: Place, folder: Path, log: Path) -> None:
        self.folder, self._place, self._log = folder, place, log

    def run(self, line: str) -> str:
        """Run a command, which must succeed; return what it printed."""
        program, *words = shlex.split(line)
        module = {"nbgrader": "nbgrader", "autograder": "autograder.cli"}[program]
        running = self._place.start("python", "-m", module, *words, out=self._log, cwd=self.folder)
        assert running.wait(300) == 0, f"{line}: {self._log.read_text()[-3000:]}"
        return self._log.read_text()


@pytest.fixture
def instructor(installed: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """The instructor of a course that nbgrader quickstart made, with an exchange of its own."""
    # nbgrader runs `alembic`, which is in this environment alone.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    person = Person(installed, tmp_path, tmp_path / "log.txt")
    person.run("nbgrader quickstart mine")
    person.folder = tmp_path / "mine"
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o1777)
    with (person.folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    return person


@pytest.fixture
def student(installed: Place, tmp_path: Path) -> Person:
    """A student of the same course."""
    home = tmp_path / "student"
    home.mkdir()
    (home / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
        f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\nc.Exchange.cache = {str(home / 'cache')!r}\n"
    )
    return Person(installed, home, tmp_path / "student.txt")


def without_ids(folder: Path) -> dict[str, bytes]:
    """Return the files of a release, without what nbformat draws by lot: ids of cells."""
    return {path.name: re.sub(rb'"id": "[^"]*"', b'"id": ""', path.read_bytes()) for path in folder.iterdir()}


@pytest.mark.timeout(900)
def test_lesson_goes_from_the_command_to_the_export_beside_the_courses_own_assignment(
    instructor: Person, student: Person
) -> None:
    mine, user = instructor.folder, get_username()
    instructor.run("nbgrader generate_assignment ps1")
    stock = without_ids(mine / "release/ps1")
    with (mine / "nbgrader_config.py").open("a") as config:
        config.write(CALL)

    for line in BEFORE.splitlines():
        instructor.run(line)
    instructor.run("nbgrader generate_assignment ps1 --force")
    instructor.run("nbgrader release_assignment ps1")
    outbound = mine.parent / "exchange/mine/outbound"
    assert without_ids(outbound / "ps1") == stock
    assert [path.name for path in (outbound / LESSON).iterdir()] == [f"{LESSON}.ipynb"]
    text = (outbound / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert not re.search("[가-힣]", text.replace(STUB, ""))
    assert "the two values are subtracted in the wrong order" in text, "the hints are lost"
    assert SECRET not in text

    student.run(f"nbgrader fetch_assignment {LESSON}")
    notebook = student.folder / NOTEBOOK
    solve(notebook, notebook)
    student.run(f"nbgrader submit {LESSON}")

    said = {line: instructor.run(line) for line in AFTER.splitlines()}
    assert "1 submission graded, 0 of them earlier; 0 failed" in said["autograder grade 1"]
    assert "0 pages updated, 1 already up to date" in said["autograder feedback 1"]
    with Gradebook(f"sqlite:///{mine / 'gradebook.db'}", "mine") as book:
        submission = book.find_submission(LESSON, user)
        assert (submission.score, submission.max_score) == (10, 10)
        assert {assignment.name for assignment in book.assignments} == {LESSON, "ps1"}
    rows = csv.DictReader((mine / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert {row["assignment"]: row["score"] for row in rows} == {LESSON: "10.0", "ps1": ""}
    assert (mine / f"report/{LESSON}.html").is_file()

    student.run(f"nbgrader fetch_feedback {LESSON}")
    (page,) = (student.folder / LESSON / "feedback").rglob("*.html")
    shown = page.read_text(encoding="utf-8")
    assert SECRET not in shown
    assert without_ids(mine / "release/ps1") == stock, "grading touched the course's own assignment"
