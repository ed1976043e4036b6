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
from tests.support.small_class import (
    STEPS,
    WRONG,
    InProcessWorkers,
    answered_notebook,
    fake_result,
    hand_in,
    run,
    solutions,
)

ON_TIME, LATE = "2026-11-01 10:00:00 UTC", "2026-11-03 10:00:00 UTC"
DUE = "2026-11-02 00:00:00 UTC"


@pytest.fixture(scope="module")
def graded_class(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded class of two students, whose notes both wait for a person."""
    root = Path(shutil.copytree(built_course, tmp_path_factory.mktemp("graded") / "class"))
    for student, timestamp in (("ann", ON_TIME), ("bob", LATE)):
        hand_in(root, student, answered_notebook(root, solutions(root)), timestamp=timestamp)
    run(root)
    return root


@pytest.fixture
def class_copy(graded_class: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded_class, tmp_path / "two"))


def test_feedback_is_made_although_student_text_resembles_nbgrader_marks(
    built_course: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(built_course, tmp_path / "class"))
    text = "### BEGIN HIDDEN TESTS\n### BEGIN SOLUTION\n"
    hand_in(root, "ann", answered_notebook(root, {"double": f"{text}def double(x):\n    return 2 * x"}))
    summary, _ = run(root, InProcessWorkers(fake_result))
    assert not summary.failed
    assert (root / "feedback/ann" / STEPS / f"{STEPS}.html").is_file()


def change_gradebook(course_root: Path, change: Callable[[Gradebook], None]) -> None:
    """Make a change in the gradebook, as an instructor does in formgrader."""
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        change(book)
        book.db.commit()


def grade_note(
    book: Gradebook, points: float = 1.0, comment: str | None = "Well said.", student: str = "ann"
) -> None:
    """Enter points and a comment for a student's note."""
    entry = book.find_grade("why", STEPS, STEPS, student)
    entry.manual_score, entry.needs_manual_grade = points, False
    book.find_comment("why", STEPS, STEPS, student).manual_comment = comment


def add_extra_credit(book: Gradebook) -> None:
    book.find_grade("test_double", STEPS, STEPS, "ann").extra_credit = 0.5


def add_penalty(book: Gradebook) -> None:
    book.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty = 1.0


def add_comment(book: Gradebook) -> None:
    book.find_comment("double", STEPS, STEPS, "ann").manual_comment = "Mind the name."


def read_page(course_root: Path, student: str) -> str:
    return (course_root / "feedback" / student / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")


def remake_pages(
    course_root: Path, action: Callable[..., RunOutcome] = grade, force: bool = False
) -> list[str]:
    """Run `action`, check that it runs no student's code, and return the students whose pages it made."""
    workers = InProcessWorkers()
    summary, _ = run(course_root, workers, action=action, force=force)
    assert (summary.failed, workers.examined) == ({}, [])
    pages = [job.student for job in workers.jobs if isinstance(job, Page)]
    assert summary.pages == len(pages)
    return pages


@pytest.mark.parametrize("action", [grade, make_pages])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (grade_note, "Well said."),
        (add_extra_credit, "5.5"),
        (add_comment, "Mind the name."),
        (add_penalty, "for late submission:"),
    ],
)
def test_manual_entry_remakes_only_that_students_page(
    class_copy: Path, change: Callable[[Gradebook], None], text: str, action: Callable[..., RunOutcome]
) -> None:
    assert text not in read_page(class_copy, "ann")
    change_gradebook(class_copy, change)
    before = (class_copy / "autograded" / "ann" / STEPS).stat()
    assert remake_pages(class_copy, action) == ["ann"]
    assert text in read_page(class_copy, "ann")
    assert (class_copy / "autograded" / "ann" / STEPS).stat() == before, "the page alone is made anew"
    assert remake_pages(class_copy, action) == []


def test_forced_feedback_remakes_every_page(class_copy: Path) -> None:
    assert remake_pages(class_copy, make_pages, force=True) == ["ann", "bob"]


def test_ungraded_resubmission_gets_no_new_page(class_copy: Path, correct_answers: dict[str, str]) -> None:
    page_before = read_page(class_copy, "ann")
    hand_in(class_copy, "ann", answered_notebook(class_copy, correct_answers | WRONG), timestamp=LATE)
    change_gradebook(class_copy, lambda book: grade_note(book, student="bob"))
    workers = InProcessWorkers()
    summary, messages = run(class_copy, workers, action=make_pages)
    assert [entry.student for entry in summary.failed] == ["ann"]
    assert (workers.examined, summary.pages) == ([], 1)
    assert "Well said." in read_page(class_copy, "bob")
    assert read_page(class_copy, "ann") == page_before
    assert f"`autograder grade {STEPS} --student ann`" in messages[0]


def test_comment_entered_while_the_page_is_made_reaches_the_next_page(class_copy: Path) -> None:
    change_gradebook(class_copy, grade_note)

    def comment_during_run(job: object) -> None:
        if isinstance(job, Page):
            change_gradebook(class_copy, add_comment)

    run(class_copy, InProcessWorkers(comment_during_run))
    assert "Mind the name." not in read_page(class_copy, "ann")
    assert remake_pages(class_copy) == ["ann"]
    assert "Mind the name." in read_page(class_copy, "ann")


# --- Late penalties -------------------------------------------------------------------------------------


def read_penalties(course_root: Path) -> dict[str, float | None]:
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        submissions = book.find_assignment(STEPS).submissions
        return {
            submission.student.id: submission.notebooks[0].late_submission_penalty
            for submission in submissions
        }


@pytest.fixture
def late_penalty_class(class_copy: Path) -> Path:
    """Return the class after setting a due date, after which late work loses all points."""
    with (class_copy / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    change_gradebook(class_copy, lambda book: book.update_or_create_assignment(STEPS, duedate=DUE) and None)
    return class_copy


def test_new_due_date_applies_to_graded_submissions(late_penalty_class: Path) -> None:
    assert remake_pages(late_penalty_class) == ["bob"]
    assert read_penalties(late_penalty_class) == {"ann": None, "bob": 5.0}
    assert "for late submission:" in read_page(late_penalty_class, "bob")
    change_gradebook(late_penalty_class, lambda book: grade_note(book, student="bob"))
    assert remake_pages(late_penalty_class, make_pages) == ["bob"]
    assert read_penalties(late_penalty_class)["bob"] == 6.0, "points for the note are late, too"
    change_gradebook(late_penalty_class, lambda book: book.grant_extension(STEPS, "bob", days=7))
    assert remake_pages(late_penalty_class) == ["bob"]
    assert read_penalties(late_penalty_class)["bob"] is None
    assert "for late submission:" not in read_page(late_penalty_class, "bob")


def test_manually_entered_late_penalty_is_kept(late_penalty_class: Path) -> None:
    remake_pages(late_penalty_class)

    def forgive(book: Gradebook) -> None:
        book.find_submission_notebook(STEPS, STEPS, "bob").late_submission_penalty = 0.5

    change_gradebook(late_penalty_class, forgive)
    assert remake_pages(late_penalty_class) == ["bob"]
    change_gradebook(late_penalty_class, lambda book: grade_note(book, student="bob"))
    assert remake_pages(late_penalty_class) == ["bob"]
    assert read_penalties(late_penalty_class)["bob"] == 0.5


# --- Points in --json -----------------------------------------------------------------------------------


def test_json_agrees_with_the_gradebook_once_a_person_has_graded(
    course_root: Path, correct_answers: dict[str, str]
) -> None:
    hand_in(course_root, "ann", answered_notebook(course_root, correct_answers | WRONG))
    hand_in(
        course_root,
        "bob",
        answered_notebook(
            course_root, {name: correct_answers[name] for name in correct_answers if name != "why"}
        ),
    )

    def totals() -> dict[str, tuple[float, float]]:
        rows = run(course_root, InProcessWorkers())[0].as_json()
        for row in rows:
            assert row["score"] == sum(task["points"] for task in row["tasks"])
        return {row["student"]: (row["score"], row["max_score"]) for row in rows}

    expected = {"ann": (3.0, 5.0), "bob": (5.0, 6.0)}  # an empty note needs no manual grade
    assert totals() == expected
    change_gradebook(course_root, add_comment)
    assert totals() == expected
    change_gradebook(course_root, lambda book: grade_note(book, 0.5))
    change_gradebook(course_root, add_extra_credit)
    assert totals() == {"ann": (4.0, 6.0), "bob": (5.0, 6.0)}
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as book:
        gradebook_totals = {
            submission.student.id: (submission.score, submission.max_score)
            for submission in book.find_assignment(STEPS).submissions
        }
    assert totals() == gradebook_totals
    (ann, bob) = run(course_root, InProcessWorkers())[0].as_json()
    assert bob["tasks"][2]["outcome"] == "not_attempted"  # as Bob's page says, too
    assert "Not done yet" in bob["tasks"][2]["message"]
    change_gradebook(course_root, lambda book: grade_note(book, 0.5, student="bob"))
    bob_note = run(course_root, InProcessWorkers())[0].as_json()[1]["tasks"][2]
    assert (bob_note["outcome"], bob_note["points"]) == ("manual", 0.5)
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


def test_gradebook_of_an_earlier_version_is_upgraded_without_loss(late_penalty_class: Path) -> None:
    change_gradebook(late_penalty_class, grade_note)
    change_gradebook(late_penalty_class, add_penalty)
    columns = "student, lesson, notebook_id, key, result, filed, stale"
    with sqlite3.connect(late_penalty_class / "gradebook.db") as connection:
        rows = connection.execute(f"SELECT {columns} FROM autograder_record").fetchall()
        connection.execute("DROP TABLE autograder_record")
        connection.execute(_OLD_TABLE)
        connection.executemany(
            f"INSERT INTO autograder_record ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )
        connection.execute(
            "UPDATE submitted_notebook SET late_submission_penalty = 5.0 WHERE EXISTS (SELECT 1 FROM "
            "submitted_assignment AS a WHERE a.id = assignment_id AND a.student_id = 'bob')"
        )
    for student in ("ann", "bob"):  # version 0.1.0 wrote no such files
        for step in ("autograded", "feedback"):
            (late_penalty_class / step / student / STEPS / "submission_secret.txt").unlink()
    workers = InProcessWorkers(fake_result)
    summary, _ = run(late_penalty_class, workers)
    assert (workers.examined, summary.pages, summary.failed) == ([], 2, {})
    assert read_penalties(late_penalty_class) == {"ann": 1.0, "bob": 5.0}
    for step in ("autograded", "feedback"):
        assert (late_penalty_class / step / "ann" / STEPS / "submission_secret.txt").is_file()
    assert remake_pages(late_penalty_class) == []
    with sqlite3.connect(late_penalty_class / "gradebook.db") as connection:
        rows_after = connection.execute(f"SELECT {columns} FROM autograder_record").fetchall()
        (manual,) = connection.execute(
            "SELECT manual_score FROM grade WHERE manual_score IS NOT NULL"
        ).fetchall()
        pages = connection.execute("SELECT page FROM autograder_record").fetchall()
    assert (rows_after, manual) == (rows, (1.0,))
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for (digest,) in pages)


def test_a_folder_whose_name_is_no_student_id_has_no_page(built_course: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(built_course, tmp_path / "class"))
    hand_in(root, "Kim Minji", answered_notebook(root, solutions(root)))
    summary, messages = run(root, InProcessWorkers(fake_result), action=make_pages)
    assert list(summary.failed) == [("Kim Minji", STEPS)]
    assert "not a student id" in messages[0]
