"""Tests that an entry by a person remakes the student's page and nothing else."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.grading.batch import RunOutcome, grade, make_pages
from autograder.workers.jobs import Page
from tests.support.small_class import STEPS, WRONG, Here, answered, hand_in, run, solutions, told

ON_TIME, LATE = "2026-11-01 10:00:00 UTC", "2026-11-03 10:00:00 UTC"
DUE = "2026-11-02 00:00:00 UTC"


@pytest.fixture(scope="module")
def graded(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded class of two students, whose notes both wait for a person."""
    root = Path(shutil.copytree(built, tmp_path_factory.mktemp("graded") / "class"))
    for student, when in (("ann", ON_TIME), ("bob", LATE)):
        hand_in(root, student, answered(root, solutions(root)), timestamp=when)
    run(root)
    return root


@pytest.fixture
def two(graded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded, tmp_path / "two"))


def test_feedback_is_made_although_student_text_resembles_nbgrader_marks(built: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(built, tmp_path / "class"))
    text = "### BEGIN HIDDEN TESTS\n### BEGIN SOLUTION\n"
    hand_in(root, "ann", answered(root, {"double": f"{text}def double(x):\n    return 2 * x"}))
    summary, _ = run(root, Here(told))
    assert not summary.failed
    assert (root / "feedback/ann" / STEPS / f"{STEPS}.html").is_file()


def enter(room: Path, change: Callable[[Gradebook], None]) -> None:
    """Make a change in the gradebook, as an instructor does in formgrader."""
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        change(book)
        book.db.commit()


def note(book: Gradebook, points: float = 1.0, comment: str | None = "Well said.", of: str = "ann") -> None:
    """Enter points and a comment for a student's note."""
    found = book.find_grade("why", STEPS, STEPS, of)
    found.manual_score, found.needs_manual_grade = points, False
    book.find_comment("why", STEPS, STEPS, of).manual_comment = comment


def extra(book: Gradebook) -> None:
    book.find_grade("test_double", STEPS, STEPS, "ann").extra_credit = 0.5


def penalty(book: Gradebook) -> None:
    book.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty = 1.0


def comment(book: Gradebook) -> None:
    book.find_comment("double", STEPS, STEPS, "ann").manual_comment = "Mind the name."


def page(room: Path, student: str) -> str:
    return (room / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def made(room: Path, act: Callable[..., RunOutcome] = grade, force: bool = False) -> list[str]:
    """Run again, check that no student's code runs, and return the students whose pages were made."""
    workers = Here()
    summary, _ = run(room, workers, act=act, force=force)
    assert (summary.failed, workers.examined) == ({}, [])
    pages = [job.student for job in workers.jobs if isinstance(job, Page)]
    assert summary.pages == len(pages)
    return pages


@pytest.mark.parametrize("act", [grade, make_pages])
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (note, "Well said."),
        (extra, "5.5"),
        (comment, "Mind the name."),
        (penalty, "for late submission:"),
    ],
)
def test_manual_entry_remakes_only_that_students_page(
    two: Path, change: Callable[[Gradebook], None], shown: str, act: Callable[..., RunOutcome]
) -> None:
    assert shown not in page(two, "ann")
    enter(two, change)
    before = (two / "autograded" / "ann" / STEPS).stat()
    assert made(two, act) == ["ann"]
    assert shown in page(two, "ann")
    assert (two / "autograded" / "ann" / STEPS).stat() == before, "the page alone is made anew"
    assert made(two, act) == []


def test_forced_feedback_remakes_every_page(two: Path) -> None:
    assert made(two, make_pages, force=True) == ["ann", "bob"]


def test_ungraded_resubmission_gets_no_new_page(two: Path, right: dict[str, str]) -> None:
    was = page(two, "ann")
    hand_in(two, "ann", answered(two, right | WRONG), timestamp=LATE)
    enter(two, lambda book: note(book, of="bob"))
    workers = Here()
    summary, said = run(two, workers, act=make_pages)
    assert [entry.student for entry in summary.failed] == ["ann"]
    assert (workers.examined, summary.pages) == ([], 1)
    assert "Well said." in page(two, "bob")
    assert page(two, "ann") == was
    assert f"`autograder grade {STEPS} --student ann`" in said[0]


def test_comment_entered_while_the_page_is_made_reaches_the_next_page(two: Path) -> None:
    enter(two, note)

    def meanwhile(job: object) -> None:
        if isinstance(job, Page):
            enter(two, comment)

    run(two, Here(meanwhile))
    assert "Mind the name." not in page(two, "ann")
    assert made(two) == ["ann"]
    assert "Mind the name." in page(two, "ann")


# --- Late penalties -------------------------------------------------------------------------------------


def penalties(room: Path) -> dict[str, float | None]:
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        found = book.find_assignment(STEPS).submissions
        return {one.student.id: one.notebooks[0].late_submission_penalty for one in found}


@pytest.fixture
def strict(two: Path) -> Path:
    """Return the class after setting a due date, after which late work loses all points."""
    with (two / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    enter(two, lambda book: book.update_or_create_assignment(STEPS, duedate=DUE) and None)
    return two


def test_new_due_date_applies_to_graded_submissions(strict: Path) -> None:
    assert made(strict) == ["bob"]
    assert penalties(strict) == {"ann": None, "bob": 5.0}
    assert "for late submission:" in page(strict, "bob")
    enter(strict, lambda book: note(book, of="bob"))
    assert made(strict, make_pages) == ["bob"]
    assert penalties(strict)["bob"] == 6.0, "points for the note are late, too"
    enter(strict, lambda book: book.grant_extension(STEPS, "bob", days=7))
    assert made(strict) == ["bob"]
    assert penalties(strict)["bob"] is None
    assert "for late submission:" not in page(strict, "bob")


def test_manually_entered_late_penalty_is_kept(strict: Path) -> None:
    made(strict)

    def forgive(book: Gradebook) -> None:
        book.find_submission_notebook(STEPS, STEPS, "bob").late_submission_penalty = 0.5

    enter(strict, forgive)
    assert made(strict) == ["bob"]
    enter(strict, lambda book: note(book, of="bob"))
    assert made(strict) == ["bob"]
    assert penalties(strict)["bob"] == 0.5


# --- Points in --json -----------------------------------------------------------------------------------


def test_json_agrees_with_the_gradebook_once_a_person_has_graded(room: Path, right: dict[str, str]) -> None:
    hand_in(room, "ann", answered(room, right | WRONG))
    hand_in(room, "bob", answered(room, {name: right[name] for name in right if name != "why"}))

    def totals() -> dict[str, tuple[float, float]]:
        rows = run(room, Here())[0].as_json()
        for row in rows:
            assert row["score"] == sum(task["points"] for task in row["tasks"])
        return {row["student"]: (row["score"], row["max_score"]) for row in rows}

    waits = {"ann": (3.0, 5.0), "bob": (5.0, 6.0)}  # an empty note needs no manual grade
    assert totals() == waits
    enter(room, comment)
    assert totals() == waits
    enter(room, lambda book: note(book, 0.5))
    enter(room, extra)
    assert totals() == {"ann": (4.0, 6.0), "bob": (5.0, 6.0)}
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as book:
        found = {
            one.student.id: (one.score, one.max_score) for one in book.find_assignment(STEPS).submissions
        }
    assert totals() == found
    (ann, bob) = run(room, Here())[0].as_json()
    assert bob["tasks"][2]["outcome"] == "not_attempted"  # as on bob's page
    assert "Not done yet" in bob["tasks"][2]["message"]
    enter(room, lambda book: note(book, 0.5, of="bob"))
    again = run(room, Here())[0].as_json()[1]["tasks"][2]
    assert (again["outcome"], again["points"]) == ("manual", 0.5)
    assert ann["tasks"][2] | {"message": "", "seconds": 0} == {
        "id": "why",
        "points": 0.5,
        "max_points": 1.0,
        "outcome": "manual",
        "message": "",
        "seconds": 0,
    }


# --- A gradebook of version 0.1.0 -----------------------------------------------------------------------

_OLD_TABLE = """CREATE TABLE autograder_record (
    student VARCHAR(128) NOT NULL, lesson VARCHAR(128) NOT NULL, notebook_id VARCHAR(32) NOT NULL,
    "key" VARCHAR(64) NOT NULL, result TEXT NOT NULL, filed BOOLEAN NOT NULL, stale TEXT NOT NULL,
    PRIMARY KEY (student, lesson))"""


def test_gradebook_of_an_earlier_version_is_upgraded_without_loss(strict: Path) -> None:
    enter(strict, note)
    enter(strict, penalty)
    columns = "student, lesson, notebook_id, key, result, filed, stale"
    with sqlite3.connect(strict / "gradebook.db") as raw:
        rows = raw.execute(f"SELECT {columns} FROM autograder_record").fetchall()
        raw.execute("DROP TABLE autograder_record")
        raw.execute(_OLD_TABLE)
        raw.executemany(f"INSERT INTO autograder_record ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        raw.execute(
            "UPDATE submitted_notebook SET late_submission_penalty = 5.0 WHERE EXISTS (SELECT 1 FROM "
            "submitted_assignment AS a WHERE a.id = assignment_id AND a.student_id = 'bob')"
        )
    for student in ("ann", "bob"):  # that version wrote no such files
        for step in ("autograded", "feedback"):
            (strict / step / student / STEPS / "submission_secret.txt").unlink()
    workers = Here(told)
    summary, _ = run(strict, workers)
    assert (workers.examined, summary.pages, summary.failed) == ([], 2, {})
    assert penalties(strict) == {"ann": 1.0, "bob": 5.0}
    for step in ("autograded", "feedback"):
        assert (strict / step / "ann" / STEPS / "submission_secret.txt").is_file()
    assert made(strict) == []
    with sqlite3.connect(strict / "gradebook.db") as raw:
        after = raw.execute(f"SELECT {columns} FROM autograder_record").fetchall()
        (manual,) = raw.execute("SELECT manual_score FROM grade WHERE manual_score IS NOT NULL").fetchall()
        pages = raw.execute("SELECT page FROM autograder_record").fetchall()
    assert (after, manual) == (rows, (1.0,))
    assert all(re.fullmatch("[0-9a-f]{64}", found) for (found,) in pages)


def test_a_folder_whose_name_is_no_student_id_has_no_page(built: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(built, tmp_path / "class"))
    hand_in(root, "Kim Minji", answered(root, solutions(root)))
    summary, said = run(root, Here(told), act=make_pages)
    assert list(summary.failed) == [("Kim Minji", STEPS)]
    assert "not a student id" in said[0]
