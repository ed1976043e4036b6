"""Test of a term's cycle with nbgrader's real commands, from release to the feedback that students fetch.

One student works with the English release and one with the Korean; a third student's notebook comes by mail.
If root runs the test, the instructor and the first two students are separate users of the operating system.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbformat import v4
from nbgrader.api import Gradebook

from tests.support.people import SEPARATE, Student, class_with_exchange
from tests.support.small_class import STEPS, WRONG, answered_notebook, hand_in, solutions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the exchange and the wall are Linux's")


@dataclass(frozen=True)
class Term:
    """A course with its exchange and two of its students."""

    root: Path
    python: Sequence[str]
    ann: Student
    bob: Student

    def run(self, *arguments: str) -> str:
        """Run a command as the instructor, and return its output."""
        module = {"autograder": "autograder.cli"}.get(arguments[0], arguments[0])
        home = str(self.root / ".home")
        names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        result = subprocess.run(
            [*self.python, module, *arguments[1:]],
            cwd=self.root,
            env=os.environ | dict.fromkeys(names, home) | {"COLUMNS": "200"},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, f"{' '.join(arguments)}: {(result.stdout + result.stderr)[-3000:]}"
        return result.stdout + result.stderr

    @property
    def book(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.root}/gradebook.db", "secant")

    def scores(self) -> dict[str, tuple[float, float]]:
        """Return points and late penalty, by student."""
        with self.book as book:
            notebooks = [
                notebook
                for submission in book.find_assignment(STEPS).submissions
                for notebook in submission.notebooks
            ]
            return {
                notebook.student.id: (notebook.score, notebook.late_submission_penalty or 0.0)
                for notebook in notebooks
            }


@pytest.fixture
def term(python: list[str]) -> Iterator[Term]:
    penalty = 'c.LateSubmissionPlugin.penalty_method = "zero"\n'
    with class_with_exchange(python, penalty) as (root, (ann, bob)):
        yield Term(root, python, ann, bob)


def write_answers(term: Term, student: Student, answers: dict[str, str], language: str) -> None:
    """Write answers into a student's notebook in one language, and leave the other notebook as it is."""
    notebook = student.home / STEPS / (f"{STEPS}.ipynb" if language == "en" else f"{STEPS}.{language}.ipynb")
    assert notebook.is_file()
    notebook.write_text(v4.writes(answered_notebook(term.root, answers, language)), encoding="utf-8")


def read_fetched_pages(student: Student) -> list[str]:
    """Return the feedback pages that a student has fetched, in order of time."""
    pages = sorted((student.home / STEPS / "feedback").glob(f"*/{STEPS}.html"))
    return [page.read_text(encoding="utf-8") for page in pages]


def grade_note(term: Term, student: str, points: float, comment: str) -> None:
    """Enter the points and the comment for a student's note, as an instructor does in formgrader."""
    with term.book as book:
        grade = book.find_grade("why", STEPS, STEPS, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.find_comment("why", STEPS, STEPS, student).manual_comment = comment
        book.db.commit()


@pytest.mark.whole
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_term_goes_from_release_to_feedback(term: Term) -> None:
    ann, bob, correct_answers = term.ann, term.bob, solutions(term.root)
    with ThreadPoolExecutor(2) as executor:
        # Release, fetch, submit, collect.
        term.run("nbgrader", "release_assignment", STEPS)
        list(executor.map(lambda student: student.nbgrader("fetch_assignment", STEPS), (ann, bob)))
        write_answers(term, ann, correct_answers, "en")
        write_answers(term, bob, correct_answers | WRONG, "ko")
        (ann.home / STEPS / "plot.png").write_bytes(b"\x89PNG")
        list(executor.map(lambda student: student.nbgrader("submit", STEPS), (ann, bob)))
        term.run("nbgrader", "collect", STEPS)
        hand_in(term.root, "cho", answered_notebook(term.root, correct_answers))

        # Grade with the command that formgrader's button calls.
        output = term.run("nbgrader", "autograde", STEPS)
        assert "3 submissions graded, 0 of them earlier; 0 failed." in output
        assert term.scores() == {ann.id: (5.0, 0.0), bob.id: (3.0, 0.0), "cho": (5.0, 0.0)}

        # A person grades the notes, and the feedback is released.
        grade_note(term, ann.id, 1.0, "Well said.")
        grade_note(term, bob.id, 0.5, "잘 썼습니다.")
        assert "2 pages updated, 1 already up to date" in term.run("nbgrader", "generate_feedback", STEPS)
        release_output = term.run("nbgrader", "release_feedback", STEPS)
        assert release_output.count("Feedback released to") == 3
        for output in executor.map(lambda student: student.nbgrader("fetch_feedback", STEPS), (ann, bob)):
            assert output.count("Found feedback for") == 2
            assert "Could not find feedback" not in output, "each handed in both languages' notebooks"
        page_names = {page.name for page in (bob.home / STEPS / "feedback").glob("*/*.html")}
        assert page_names == {f"{STEPS}.html", f"{STEPS}.ko.html"}
        (page,) = read_fetched_pages(ann)
        assert "Well said." in page
        assert re.search(r"<p class=\"score\">6 of \d+ points</p>", page)
        (page,) = read_fetched_pages(bob)
        assert "잘 썼습니다." in page
        assert "수를 제곱했습니다" in page
        for step in ("submitted", "autograded", "feedback"):
            folder = term.root / step / ann.id / STEPS
            assert (folder / "plot.png").read_bytes() == b"\x89PNG"
            secret = (folder / "submission_secret.txt").read_text()
            assert re.fullmatch("[0-9a-f]{128}", secret)
            assert not SEPARATE or not bob.may_read(folder / f"{STEPS}.html")
        outbound = term.root.parent / "exchange" / "secant" / "feedback"
        assert not SEPARATE or not bob.may_read(outbound), "who can list it can read everybody's"

        # One student submits again, and only this submission is graded again.
        write_answers(term, bob, correct_answers, "ko")
        bob.nbgrader("submit", STEPS)
        term.run("nbgrader", "collect", "--update", STEPS)
        output = term.run("autograder", "grade", "1", "--student", bob.id)
        assert "1 submission graded, 0 of them earlier; 0 failed." in output
        assert term.scores()[bob.id] == (5.5, 0.0)

        # A due date and one student's extension are entered later: penalties change without any regrading.
        with term.book as book:
            book.update_or_create_assignment(STEPS, duedate="2020-01-01 00:00:00 UTC")
            book.grant_extension(STEPS, ann.id, weeks=2000)
        output = term.run("autograder", "grade")
        assert "3 submissions graded, 3 of them earlier; 0 failed. 1 page updated." in output
        assert term.scores() == {ann.id: (6.0, 0.0), bob.id: (5.5, 5.5), "cho": (5.0, 0.0)}
        term.run("nbgrader", "release_feedback", STEPS)
        bob.nbgrader("fetch_feedback", STEPS)
        assert len(read_fetched_pages(bob)) == 2
        page = read_fetched_pages(bob)[-1]
        assert "늦은 제출로 뺀 점수: 5.5점" in page
        assert "잘 썼습니다." in page
        assert "수를 제곱했습니다" not in page
