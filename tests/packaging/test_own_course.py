"""The section "Secant beside your own course" of docs/teaching.md, in a course that nbgrader quickstart made.

An instructor with the installed wheel runs every command of the section; a student fetches and submits. The
course's own assignment is graded as well, and gets the points that stock nbgrader gives.
"""

import csv
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.utils import get_username

from secant.causes import STUB
from tests.packaging.conftest import ROOT, Environment
from tests.packaging.test_wheel import LESSON, NOTEBOOK, solve

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")]

PAGE = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Secant beside your own course\n")[2].partition("\n## ")[0]
(CALL,) = re.findall(r"^```python\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
FIRST_COMMANDS, LAST_COMMANDS = re.findall(r"^```sh\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
SECRET = "BEGIN HIDDEN TESTS"
#: A student's answers to ps1, by grade_id. The first accepts arguments that it has to refuse.
ANSWERS = {
    "squares": "def squares(n):\n    return [i**2 for i in range(1, n + 1)]",
    "sum_of_squares": "def sum_of_squares(n):\n    return sum(squares(n))",
    "sum_of_squares_equation": "$1 + 4 + \\dots + n^2$",
    "part-a": "Fibonacci's numbers.",
}


class Person:
    """A user who types commands in a folder.

    Args:
        environment: the environment with the wheel.
        folder: the current folder.
        log: the file for what the commands print.
    """

    def __init__(self, environment: Environment, folder: Path, log: Path) -> None:
        self.folder, self._environment, self._log = folder, environment, log

    def run(self, line: str, status: int = 0) -> str:
        """Run a command, which must exit with this status, and return its output."""
        program, *arguments = shlex.split(line)
        module = {"nbgrader": "nbgrader", "autograder": "autograder.cli"}[program]
        process = self._environment.start("python", "-m", module, *arguments, out=self._log, cwd=self.folder)
        assert process.wait(300) == status, f"{line}: {self._log.read_text()[-3000:]}"
        return self._log.read_text()


@pytest.fixture
def instructor(environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Make an instructor with a course from `nbgrader quickstart` and a separate exchange."""
    # nbgrader runs `alembic`, which only the environment of the tests contains.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    person = Person(environment, tmp_path, tmp_path / "log.txt")
    person.run("nbgrader quickstart mine")
    person.folder = tmp_path / "mine"
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o1777)
    with (person.folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    return person


@pytest.fixture
def student(environment: Environment, tmp_path: Path) -> Person:
    """Make a student of the same course."""
    home = tmp_path / "student"
    home.mkdir()
    (home / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
        f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\nc.Exchange.cache = {str(home / 'cache')!r}\n"
    )
    return Person(environment, home, tmp_path / "student.txt")


def without_ids(folder: Path) -> dict[str, bytes]:
    """Return the files of a release by name, without the ids of cells, which nbformat draws at random."""
    return {path.name: re.sub(rb'"id": "[^"]*"', b'"id": ""', path.read_bytes()) for path in folder.iterdir()}


def write_answers(folder: Path) -> None:
    """Write ANSWERS into the notebooks of a folder."""
    for path in folder.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = ANSWERS.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        nbformat.write(notebook, path)


def scores(course: Path) -> dict[tuple[str, str], tuple[float | None, bool]]:
    """Return the points of each cell of ps1 in a course's gradebook, and whether it needs a manual grade."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "mine") as book:
        notebooks = book.find_submission("ps1", get_username()).notebooks
        return {
            (notebook.name, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for notebook in notebooks
            for grade in notebook.grades
        }


def give_all_points(course: Path) -> None:
    """Give all points to the cells of ps1 that need a manual grade, as formgrader does."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "mine") as book:
        for notebook in book.find_submission("ps1", get_username()).notebooks:
            for grade in notebook.grades:
                if grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = grade.max_score, False
        book.db.commit()


@pytest.mark.timeout(900)
def test_lesson_is_released_graded_and_exported_beside_the_courses_own_assignment(
    instructor: Person, student: Person
) -> None:
    course, user = instructor.folder, get_username()
    instructor.run("nbgrader generate_assignment ps1")
    stock_files = without_ids(course / "release/ps1")
    stock_course = course.parent / "stock"
    shutil.copytree(course, stock_course)
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(CALL)

    instructor.run("nbgrader generate_assignment ps1 --force")
    instructor.run("nbgrader release_assignment ps1")
    student.run("nbgrader fetch_assignment ps1")
    write_answers(student.folder / "ps1")
    assert "3 of 4 visible tests" in " ".join(student.run("autograder check ps1/problem1.ipynb", 1).split())
    student.run("nbgrader submit ps1")
    instructor.run("nbgrader collect ps1")
    assert not (course / "course").exists(), "the course has no lesson yet"
    # `nbgrader autograde` runs `autograder grade ps1` in this folder.
    assert "1 submission graded, 0 of them earlier; 0 failed" in instructor.run("nbgrader autograde ps1")
    shutil.copytree(course / "submitted", stock_course / "submitted")
    instructor.folder = stock_course
    instructor.run("nbgrader autograde ps1")
    instructor.folder = course
    assert scores(course) == scores(stock_course)
    assert sum(points or 0.0 for points, _ in scores(course).values()) == 2.0
    give_all_points(course)
    assert "1 page updated" in instructor.run("nbgrader generate_feedback ps1")

    for line in FIRST_COMMANDS.splitlines():
        instructor.run(line)
    outbound = course.parent / "exchange/mine/outbound"
    assert without_ids(outbound / "ps1") == stock_files
    assert [path.name for path in (outbound / LESSON).iterdir()] == [f"{LESSON}.ipynb"]
    text = (outbound / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert not re.search("[가-힣]", text.replace(STUB, ""))
    assert "the two values are subtracted in the wrong order" in text, "the hints are lost"
    assert SECRET not in text

    student.run(f"nbgrader fetch_assignment {LESSON}")
    notebook = student.folder / NOTEBOOK
    solve(notebook, notebook)
    student.run(f"nbgrader submit {LESSON}")

    outputs = {line: instructor.run(line) for line in LAST_COMMANDS.splitlines()}
    assert "1 submission graded, 0 of them earlier; 0 failed" in outputs["autograder grade 1"]
    assert "0 pages updated, 1 already up to date" in outputs["autograder feedback 1"]
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "mine") as book:
        submission = book.find_submission(LESSON, user)
        assert (submission.score, submission.max_score) == (10, 10)
        assert {assignment.name for assignment in book.assignments} == {LESSON, "ps1"}
    rows = csv.DictReader((course / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert {row["assignment"]: row["score"] for row in rows} == {LESSON: "10.0", "ps1": "8.0"}
    assert (course / f"report/{LESSON}.html").is_file()
    instructor.run("autograder report")
    (row,) = csv.DictReader((course / "report/course.csv").read_text(encoding="utf-8").splitlines())
    assert {"ps1", LESSON} <= row.keys()

    student.run(f"nbgrader fetch_feedback {LESSON}")
    (page,) = (student.folder / LESSON / "feedback").rglob("*.html")
    feedback = page.read_text(encoding="utf-8")
    assert SECRET not in feedback
    assert without_ids(course / "release/ps1") == stock_files, "grading touched the course's own assignment"
