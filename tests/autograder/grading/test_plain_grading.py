"""Tests of grading assignments with ordinary nbgrader tests: gradebook, folders, pages and a second run."""

import base64
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_markdown_cell, new_output
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import read
from traitlets.config import Config

from autograder import run as running
from autograder.course.errors import CourseError
from autograder.course.find_assignments import choose_gradable, find_gradable
from autograder.course.settings import Course
from autograder.gradebook.entries import Entry, find_submissions
from autograder.gradebook.freshness import CurrentSubmissions
from autograder.gradebook.tasks import change_tasks
from autograder.grading.batch import RunOutcome, make_pages
from autograder.grading.plain import cell_titles
from autograder.grading.run_summary import summarize_run
from autograder.lms.filenames import is_exported
from autograder.workers import worker
from autograder.workers.jobs import Busy, Failed, JobResult, PlainJob
from autograder.workers.remote import do, pack, unpack
from tests.autograder.exam.plain_cases import STUB
from tests.support.plain_class import (
    FIRST,
    RIGHT,
    RIGHT_SECOND,
    SECOND,
    WRONG,
    add_assignments,
    filled_notebook,
    submit,
)
from tests.support.plain_course import (
    answer,
    code,
    graded,
    manual,
    notebook,
    task,
    write_assignment,
)
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, hand_in, run, solutions
from tests.support.small_packages import Packages


@contextmanager
def open_gradebook(course_root: Path) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{course_root}/gradebook.db", "secant") as gradebook:
        yield gradebook


def read_grades(
    course_root: Path, student: str, file: str = "ps", name: str = "ps"
) -> dict[str, tuple[float | None, bool]]:
    """Return each grade's automatic score, and whether the grade waits for a person."""
    with open_gradebook(course_root) as gradebook:
        entries = gradebook.find_submission_notebook(file, name, student).grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in entries}


def read_comments(course_root: Path, student: str) -> dict[str, str | None]:
    with open_gradebook(course_root) as gradebook:
        entries = gradebook.find_submission_notebook("ps", "ps", student).comments
        return {comment.name: comment.comment for comment in entries}


def read_page(course_root: Path, student: str, file: str = "ps", name: str = "ps") -> str:
    """Return the text of a feedback page."""
    text = (course_root / "feedback" / student / name / f"{file}.html").read_text(encoding="utf-8")
    return unescape(re.sub("<[^>]+>", "", text[text.index("<main>") :]))


def read_staff_cells(course_root: Path, student: str, file: str = "ps") -> dict[str, Any]:
    """Return the cells of a notebook in autograded/ by grade_id, or by source if they have no grade_id."""
    path = course_root / "autograded" / student / "ps" / f"{file}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["metadata"].get("nbgrader", {}).get("grade_id", cell["source"]): cell for cell in cells}


def grade_assignment(
    course_root: Path, workers: InProcessWorkers | None = None, *, force: bool = False, name: str = "ps"
) -> tuple[RunOutcome, list[str]]:
    return run(course_root, workers, force=force, lessons=[name])


@pytest.fixture
def plain_course(course_root: Path) -> Path:
    add_assignments(course_root)
    return course_root


SPY = (
    "import sys\ndef f(x):\n    print('SEC' + 'RET' in repr(sys._getframe(1).f_code.co_consts))\n    return x"
)
HOSTILE = filled_notebook(
    FIRST,
    {"f": f"{SPY}\nprint('<script>alert(1)</script>')", "t": "assert True", "essay": "My own task."},
    code("import os\nos._exit(0)"),
)
HOSTILE.cells[1].outputs = [new_output("stream", text="forged")]
HOSTILE.cells[1].metadata.nbgrader["points"] = 900


@pytest.fixture(scope="module")
def graded_class(built_course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunOutcome]:
    """Return a graded class with many kinds of submissions, and the outcome. Tests must not change it."""
    course_root = tmp_path_factory.mktemp("plain") / "class"
    shutil.copytree(built_course, course_root)
    add_assignments(course_root)
    second_notebook = {"more": filled_notebook(SECOND, RIGHT_SECOND)}
    submit(
        course_root, "right", {"ps": filled_notebook(FIRST, RIGHT, code("print('mine')")), **second_notebook}
    )
    submit(course_root, "wrong", {"ps": filled_notebook(FIRST, WRONG), **second_notebook})
    submit(course_root, "untouched", {"ps": filled_notebook(FIRST, {}), "more": filled_notebook(SECOND, {})})
    submit(course_root, "hostile", {"ps": HOSTILE, **second_notebook})
    submit(course_root, "unread", {"ps": "{", **second_notebook})
    submit(course_root, "missing", {"ps": filled_notebook(FIRST, RIGHT), "other": notebook(code("1"))})
    submit(course_root, "linked", second_notebook)
    (course_root / "submitted/linked/ps/ps.ipynb").symlink_to("/etc/passwd")
    summary, _ = grade_assignment(course_root)
    return course_root, summary


# --- Results ---------------------------------------------------------------------------------------------


def test_scores_equal_nbgraders_and_written_answers_need_manual_grading(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    course_root, summary = graded_class
    manual_grades = {"why": (None, True), "essay": (None, True)}
    assert read_grades(course_root, "right") == {
        "t": (2.0, False),
        "cell-77aa01b2": (3.0, False),
        **manual_grades,
    }
    # 2 * x passes the visible test and fails the hidden one.
    unwritten_grades = {"why": (0.0, False), "essay": (None, True)}
    assert read_grades(course_root, "wrong") == {
        "t": (2.0, False),
        "cell-77aa01b2": (0.0, False),
        **unwritten_grades,
    }
    assert read_grades(course_root, "untouched") == {
        "t": (0.0, False),
        "cell-77aa01b2": (0.0, False),
        **unwritten_grades,
    }
    assert [read_grades(course_root, student, "more") for student in ("right", "wrong")] == [
        {"t": (1.0, False)}
    ] * 2
    assert read_grades(course_root, "untouched", "more") == {"t": (0.0, False)}
    assert summary.failed == {}


def test_unchanged_answer_gets_the_comment_no_response(graded_class: tuple[Path, RunOutcome]) -> None:
    course_root, _ = graded_class
    assert read_comments(course_root, "untouched") == {
        "f": "No response.",
        "why": "No response.",
        "essay": None,
    }
    assert read_comments(course_root, "right") == {"f": None, "why": None, "essay": None}


def test_missing_notebook_is_no_points_and_another_one_is_ignored(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    course_root, summary = graded_class
    assert read_grades(course_root, "missing", "more") == {"t": (0.0, False)}
    assert read_grades(course_root, "missing")["t"] == (2.0, False)
    assert summary.results[Entry("missing", "ps")].flags == ["missing:more", "ignored:other.ipynb"]
    assert not (course_root / "autograded/missing/ps/more.ipynb").exists()
    assert "This notebook was not handed in." in read_page(course_root, "missing", "more")


@pytest.mark.parametrize("student", ["unread", "linked"])
def test_unreadable_plain_submission_needs_manual_grading(
    graded_class: tuple[Path, RunOutcome], student: str
) -> None:
    course_root, summary = graded_class
    assert set(read_grades(course_root, student).values()) == {(None, True)}
    assert read_grades(course_root, student, "more") == {"t": (None, True)}
    assert summary.results[Entry(student, "ps")].is_unread
    assert "Your file could not be read" in read_page(course_root, student)
    assert read_comments(course_root, student)["f"]


def test_page_says_what_became_of_each_test_and_nothing_of_hidden_ones(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    course_root, _ = graded_class
    assert "5 of 9 points" in read_page(course_root, "right")
    assert "Because <b>so</b>." in read_page(course_root, "right")
    assert "The test failed. It has a part that students do not see" in read_page(course_root, "wrong")
    assert "Not done yet." in read_page(course_root, "untouched")
    for path in sorted((course_root / "feedback").glob("*/ps/*.html")):
        text = path.read_text(encoding="utf-8")
        assert "SECRET" not in text
        assert "SCHEME" not in text
        assert "<script" not in text


def test_notebook_for_staff_has_our_cells_and_the_students_outputs(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    course_root, _ = graded_class
    right_cells = read_staff_cells(course_root, "right")
    # The student's cell runs after a hidden test, so the cell's output could quote the test.
    assert right_cells["print('mine')"]["outputs"] == []
    assert right_cells["f"]["source"] == RIGHT["f"]
    hostile_cells = read_staff_cells(course_root, "hostile")
    assert hostile_cells["t"]["source"] == "assert f(2) == 4"
    assert hostile_cells["t"]["metadata"]["nbgrader"]["points"] == 2
    assert "forged" not in json.dumps(hostile_cells)
    assert hostile_cells["essay"]["source"].startswith("Draw a plot.")
    assert "<script>" in hostile_cells["f"]["outputs"][0]["text"]  # plain text, which no page reads as markup
    assert "True" not in json.dumps(
        [hostile_cells["cell-77aa01b2"]["outputs"], read_page(course_root, "hostile")]
    )
    assert read_grades(course_root, "hostile")["t"] == (0.0, False)
    for path in (course_root / "autograded").glob("*/ps/*.ipynb"):
        read(path, as_version=4)  # nbgrader's own reader accepts the cells' metadata


def test_attached_and_linked_pictures_of_the_instructors_text_are_shown(plain_course: Path) -> None:
    png, gif = "iVBORw0KGgo=", b"GIF89a"
    attached_text = new_markdown_cell("![one](attachment:a%20b.png) ![none](attachment:gone.png)")
    attached_text.attachments = {"a b.png": {"image/png": png}}
    linked_text = new_markdown_cell(
        '![two](./pictures/c.gif "C") <img src="pictures/c.gif"> ![](d.png) [e](e.csv)'
    )
    cells = (attached_text, linked_text, *FIRST[:2])
    write_assignment(plain_course / "source", "hw2", {"hw2": notebook(*cells)})
    (plain_course / "source/hw2/pictures").mkdir()
    (plain_course / "source/hw2/pictures/c.gif").write_bytes(gif)
    (plain_course / "source/hw2/e.csv").write_text("1,2")
    submit(plain_course, "ann", {"hw2": filled_notebook(cells, RIGHT)}, "hw2")
    summary, _ = grade_assignment(plain_course, name="hw2")
    assert summary.failed == {}
    page = (plain_course / "feedback/ann/hw2/hw2.html").read_text(encoding="utf-8")
    assert f'src="data:image/png;base64,{png}"' in page
    assert page.count(f'src="data:image/gif;base64,{base64.b64encode(gif).decode()}"') == 2
    assert 'src="d.png"' in page  # this file does not exist
    assert 'href="e.csv"' in page
    assert "attachment:" not in (plain_course / "autograded/ann/hw2/hw2.ipynb").read_text(encoding="utf-8")


def test_plain_results_match_the_documented_json_form(graded_class: tuple[Path, RunOutcome]) -> None:
    _, summary = graded_class
    rows = {row["student"]: row for row in summary.rows()}
    assert [task["id"] for task in rows["right"]["tasks"]] == [
        *("more/t", "t", "cell-77aa01b2", "why", "essay"),
    ]
    assert (rows["right"]["score"], rows["right"]["max_score"]) == (6.0, 6.0)
    assert (rows["missing"]["score"], rows["missing"]["max_score"]) == (5.0, 6.0)


def test_remaining_manual_work_is_listed_as_for_lessons(graded_class: tuple[Path, RunOutcome]) -> None:
    course_root, summary = graded_class
    (course_root / "submitted/right/ps9").mkdir()
    gradable = find_gradable(course_root)
    run_summary = summarize_run(summary, course_root / "submitted", gradable, [], is_exported)
    assert sorted(run_summary.unread) == ["linked/ps", "unread/ps"]
    assert run_summary.unknown == {"right/ps9": "Did you mean ps? Then rename it."}
    assert run_summary.notes == (7, 5)
    (course_root / "submitted/right/ps9").rmdir()


# --- A second run ----------------------------------------------------------------------------------------


def test_second_run_grades_nobody_and_makes_no_page(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    submit(plain_course, "bob", {"ps": "{"})
    grade_assignment(plain_course)
    workers = InProcessWorkers()
    summary, _ = grade_assignment(plain_course, workers)
    assert workers.jobs == []
    assert (summary.graded_before, summary.pages, summary.unread) == (2, 0, 1)


def test_lost_page_is_made_again_without_grading(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    before = read_page(plain_course, "ann", "more")
    (plain_course / "feedback/ann/ps/more.html").unlink()
    workers = InProcessWorkers()
    summary, _ = run(plain_course, workers, lessons=["ps"], action=make_pages)
    assert (workers.examined, summary.pages) == ([], 1)
    assert read_page(plain_course, "ann", "more") == before


@pytest.mark.parametrize(
    "change",
    [
        "submitted/ann/ps/more.ipynb",
        "submitted/ann/ps/helper.py",
        "source/ps/data.txt",
        "source/ps/ps.ipynb",
        "nbgrader_config_local.py",
    ],
)
def test_change_of_anything_that_decides_a_grade_causes_regrading(plain_course: Path, change: str) -> None:
    folder = submit(
        plain_course, "ann", {"ps": filled_notebook(FIRST, {}), "more": filled_notebook(SECOND, {})}
    )
    (folder / "helper.py").write_text("a = 1\n")
    grade_assignment(
        plain_course, InProcessWorkers(lambda job: Failed("stop") if isinstance(job, PlainJob) else None)
    )
    before = CurrentSubmissions(Course.at(plain_course), "ps")
    key = before._plain_form.key(before._plain_form.find(Entry("ann", "ps")))
    path, text = plain_course / change, ""
    if path.exists():
        text = path.read_text(encoding="utf-8").replace("assert f(2)", "assert f(5)").replace("g():", "h():")
    path.write_text(
        f"{text} \n" if change != "nbgrader_config_local.py" else "c = get_config()\nc.Execute.timeout = 3\n"
    )
    after = CurrentSubmissions(Course.at(plain_course), "ps")
    assert after._plain_form.key(after._plain_form.find(Entry("ann", "ps"))) != key


def test_older_grade_is_marked_until_the_newer_file_is_graded(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, WRONG), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    summary, _ = grade_assignment(
        plain_course, InProcessWorkers(lambda job: Failed("no memory") if isinstance(job, PlainJob) else None)
    )
    assert list(summary.failed) == [Entry("ann", "ps")]
    assert read_grades(plain_course, "ann")["t"] == (2.0, True)
    assert read_grades(plain_course, "ann", "more")["t"] == (1.0, True)
    assert "This grade is for an earlier file" in str(read_comments(plain_course, "ann")["f"])
    grade_assignment(plain_course)
    assert read_grades(plain_course, "ann")["cell-77aa01b2"] == (0.0, False)
    assert read_grades(plain_course, "ann", "more")["t"] == (1.0, False)


def test_file_that_became_unreadable_keeps_earlier_points_as_words(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    submit(plain_course, "ann", {"ps": "{", "more": filled_notebook(SECOND, RIGHT_SECOND)})
    summary, _ = grade_assignment(plain_course)
    result = summary.results[Entry("ann", "ps")]
    assert {task.id: task.before for task in result.tasks} == {
        **{"more/t": 1.0, "t": 2.0, "cell-77aa01b2": 3.0},
        **{"why": None, "essay": None},
    }
    assert "Your earlier file had 5 of 5 points" in read_page(plain_course, "ann")


def test_manual_points_and_comments_stay_until_the_answer_changes(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    with open_gradebook(plain_course) as gradebook:
        for cell in ("why", "essay"):
            grade = gradebook.find_grade(cell, "ps", "ps", "ann")
            grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.find_comment("f", "ps", "ps", "ann").manual_comment = "Well done."
        gradebook.db.commit()
    workers = InProcessWorkers()
    grade_assignment(plain_course, workers)
    assert workers.examined == []
    assert "8 of 9 points" in read_page(plain_course, "ann")
    assert "Well done." in read_page(plain_course, "ann")
    submit(plain_course, "ann", {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, {})})
    grade_assignment(plain_course)
    assert not any(is_pending for _, is_pending in read_grades(plain_course, "ann").values())
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT | {"why": "No."}), "more": filled_notebook(SECOND, {})},
    )
    grade_assignment(plain_course)
    assert {cell for cell, (_, is_pending) in read_grades(plain_course, "ann").items() if is_pending} == {
        "why",
        "essay",
    }


def test_late_points_come_off_each_notebook_as_in_nbgrader(plain_course: Path) -> None:
    (plain_course / "nbgrader_config_local.py").write_text(
        "c = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    folder = submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    (folder / "timestamp.txt").write_text("2026-11-02 12:00:00 UTC")
    grade_assignment(
        plain_course, InProcessWorkers(lambda job: Failed("stop") if isinstance(job, PlainJob) else None)
    )
    with open_gradebook(plain_course) as gradebook:
        gradebook.update_or_create_assignment("ps", duedate="2026-11-01 12:00:00 UTC")
    summary, _ = grade_assignment(plain_course)
    assert summary.late[Entry("ann", "ps")].startswith("6 of 6 points: handed in 2026-11-02")
    with open_gradebook(plain_course) as gradebook:
        submission = gradebook.find_submission("ps", "ann")
        assert {entry.name: entry.late_submission_penalty for entry in submission.notebooks} == {
            "ps": 5,
            "more": 1,
        }
        gradebook.update_or_create_assignment("ps", duedate="2026-11-03 12:00:00 UTC")
    workers = InProcessWorkers()
    summary, _ = grade_assignment(plain_course, workers)
    assert (workers.examined, dict(summary.late)) == ([], {})


def test_renamed_copy_counts_if_the_notebook_itself_is_missing(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps (1)": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    summary, _ = grade_assignment(plain_course)
    assert read_grades(plain_course, "ann")["t"] == (2.0, False)
    assert summary.results[Entry("ann", "ps")].flags == ["renamed:ps"]


def test_files_next_to_a_plain_notebook_are_available_as_in_nbgrader(plain_course: Path) -> None:
    (plain_course / "nbgrader_config_local.py").write_text(
        "c = get_config()\nc.Autograde.exclude_overwriting = {'ps': ['own.txt']}\n"
    )
    (plain_course / "source/ps/own.txt").write_text("ours")
    answers = {
        "g": "import helper\ndef g():\n    return helper.two if open('own.txt').read() == 'theirs' else ''"
    }
    folder = submit(
        plain_course, "ann", {"ps": filled_notebook(FIRST, {}), "more": filled_notebook(SECOND, answers)}
    )
    for name, text in {"helper.py": "two = '2'", "data.txt": "forged", "own.txt": "theirs"}.items():
        (folder / name).write_text(text)
    grade_assignment(plain_course)
    assert read_grades(plain_course, "ann", "more") == {"t": (1.0, False)}
    assert (plain_course / "autograded/ann/ps/data.txt").read_text() == "2"
    assert not (plain_course / "autograded/ann/ps/helper.py").exists()


# --- Workers ---------------------------------------------------------------------------------------------


def test_packed_job_gives_the_same_grades(plain_course: Path) -> None:
    folder = submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    (folder / "picture.png").write_bytes(b"\x89PNG")
    workers = InProcessWorkers(
        lambda job: (
            unpack(do(worker.work, pack(_without_hidden_files(job)))) if isinstance(job, PlainJob) else None
        )
    )
    grade_assignment(plain_course, workers)
    assert read_grades(plain_course, "ann")["t"] == (2.0, False)
    assert read_grades(plain_course, "ann", "more")["t"] == (1.0, False)


def _without_hidden_files(job: PlainJob) -> PlainJob:
    import dataclasses

    return dataclasses.replace(job, hidden=())


def test_machine_that_is_too_busy_gives_no_verdict(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    attempts: list[PlainJob] = []

    def override(job: Any) -> JobResult | None:
        if isinstance(job, PlainJob) and not attempts:
            attempts.append(job)
            return Busy("too busy")
        return None

    grade_assignment(plain_course, InProcessWorkers(override))
    assert read_grades(plain_course, "ann")["t"] == (2.0, False)


def test_lessons_and_other_assignments_are_graded_in_one_run(plain_course: Path) -> None:
    hand_in(plain_course, "ann", answered_notebook(plain_course, solutions(plain_course)))
    submit(plain_course, "ann", {"hw1": filled_notebook(FIRST[:2], RIGHT)}, "hw1")
    selection = running.select(plain_course, None, None)
    assert list(selection.lessons) == [STEPS, "hw1", "ps"]
    summary, _ = run(plain_course, lessons=selection.lessons)
    assert {
        str(entry): row["score"]
        for entry, row in zip(sorted(summary.results, key=str), summary.rows(), strict=True)
    } == {
        f"ann/{STEPS}": 5.0,
        "ann/hw1": 2.0,
    }


# --- Names, and a changed assignment -----------------------------------------------------------------------


def test_unknown_name_is_answered_with_all_names(plain_course: Path) -> None:
    assert choose_gradable(plain_course, ["ps", "1"]) == [STEPS, "ps"]
    names = "the lessons are: 01_steps; the other assignments are: hw1, ps."
    message = f'There is no lesson or assignment "ps7"; {names}'
    with pytest.raises(CourseError, match=re.escape(message)):
        choose_gradable(plain_course, ["ps7"])


def test_assignments_are_found_in_the_source_folder_of_the_settings(plain_course: Path) -> None:
    (plain_course / "nbgrader_config_local.py").write_text('c.CourseDirectory.source_directory = "mine"\n')
    write_assignment(plain_course / "mine", "hw3", {"hw3": notebook(*FIRST[:2])})
    selection = running.select(plain_course, ["hw3"], [])
    assert selection.lessons == ["hw3"]
    assert "ps" not in selection.gradable.plain
    with pytest.raises(CourseError, match='There is no lesson or assignment "ps"'):
        running.select(plain_course, ["ps"], [])


def test_messages_mention_only_lessons_if_there_are_no_other_assignments(course_root: Path) -> None:
    with pytest.raises(CourseError, match=r'^There is no lesson "ps7"; the lessons are: 01_steps\.$'):
        choose_gradable(course_root, ["ps7"])


def test_changed_tasks_are_refused_and_then_accepted_without_loss(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    shutil.rmtree(plain_course / "source/ps")
    changed_cells = (*FIRST[:2], task("drawing", "Draw.", 4))
    write_assignment(
        plain_course / "source", "ps", {"ps": notebook(*changed_cells), "more": notebook(*SECOND)}
    )
    (plain_course / "source/ps/data.txt").write_text("2")
    with pytest.raises(
        CourseError, match=r"dropped .*essay.*; added drawing\. .*autograder grade ps --change-tasks"
    ):
        grade_assignment(plain_course)
    messages = change_tasks(Course.at(plain_course), ["ps"])
    assert len(messages) == 1
    assert messages[0].startswith("ps: dropped cell-77aa01b2, essay, why; added drawing.")
    grade_assignment(plain_course)
    assert read_grades(plain_course, "ann") == {"t": (2.0, False), "drawing": (None, True)}
    assert read_grades(plain_course, "ann", "more") == {"t": (1.0, False)}


def test_notebook_with_grades_that_is_gone_is_refused(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    (plain_course / "source/ps/more.ipynb").unlink()
    with pytest.raises(CourseError, match="source/ps has no notebook more any more"):
        grade_assignment(plain_course)


def test_grades_changed_by_nbgraders_own_engine_are_replaced(plain_course: Path) -> None:
    submit(
        plain_course,
        "ann",
        {"ps": filled_notebook(FIRST, RIGHT), "more": filled_notebook(SECOND, RIGHT_SECOND)},
    )
    grade_assignment(plain_course)
    with sqlite3.connect(plain_course / "gradebook.db") as connection:
        connection.execute("UPDATE grade SET auto_score = 0.5 WHERE auto_score = 1.0")
    workers = InProcessWorkers()
    grade_assignment(plain_course, workers)
    assert workers.examined == ["ann"]
    assert read_grades(plain_course, "ann", "more") == {"t": (1.0, False)}


def test_submissions_are_found_by_the_assignments_name(plain_course: Path) -> None:
    submit(plain_course, "ann", {"hw1": filled_notebook(FIRST[:2], {})}, "hw1")
    entries = find_submissions(Course.at(plain_course), find_gradable(plain_course).names)
    assert entries == [Entry("ann", "hw1")]


def test_assignment_that_cannot_be_graded_stops_no_other(plain_course: Path) -> None:
    generated_test = graded("auto", "### AUTOTEST x")
    write_assignment(plain_course / "source", "hw2", {"hw2": notebook(answer("x", STUB), generated_test)})
    for student in ("ann", "bob"):
        submit(plain_course, student, {"hw2": notebook()}, "hw2")
    with pytest.raises(CourseError, match=r"source/hw2/hw2\.ipynb, cell auto: AUTOTEST cannot be graded"):
        grade_assignment(plain_course, name="hw2")
    submit(plain_course, "ann", {"hw1": filled_notebook(FIRST[:2], RIGHT)}, "hw1")
    summary, _ = run(plain_course, lessons=["hw2", "hw1"])
    assert list(summary.refused.values()) == [[Entry("ann", "hw2"), Entry("bob", "hw2")]]
    assert read_grades(plain_course, "ann", "hw1", "hw1") == {"t": (2.0, False)}


def test_untouched_answer_is_not_attempted_in_each_of_its_tests(plain_course: Path) -> None:
    cells = [answer("f", STUB), graded("t", "f()"), graded("u", "f()"), code("1"), graded("v", "1 / 0")]
    write_assignment(plain_course / "source", "hw2", {"hw2": notebook(*cells)})
    submit(plain_course, "ann", {"hw2": notebook(*cells)}, "hw2")
    submit(plain_course, "bob", {"hw2": filled_notebook(cells, {"f": "f = 1"})}, "hw2")
    summary, _ = grade_assignment(plain_course, name="hw2")
    outcomes = {
        result["student"]: [graded_task["outcome"] for graded_task in result["tasks"]]
        for result in summary.as_json()
    }
    assert outcomes == {"ann": ["not_attempted"] * 3, "bob": ["wrong"] * 3}


def test_cell_is_called_by_the_heading_of_its_task() -> None:
    cells = [
        new_markdown_cell("# Sums"),
        manual("essay", "# My title"),
        task("part", "---\n## Part B\nWrite it.\n### BEGIN MARK SCHEME\n# Full\n### END MARK SCHEME"),
        task("scheme", "### BEGIN MARK SCHEME\n# Full\n### END MARK SCHEME"),
        graded("t", "f()"),
    ]
    assert cell_titles(notebook(*cells), Config()) == {
        "": "Sums",
        "essay": "Sums · essay",
        "part": "Part B · part",
        "scheme": "Part B · scheme",
        "t": "Part B · t",
    }


def test_test_that_awaits_is_refused_by_name(plain_course: Path) -> None:
    awaiting_test = graded("t", "await f()")
    write_assignment(plain_course / "source", "hw2", {"hw2": notebook(answer("f", STUB), awaiting_test)})
    submit(plain_course, "ann", {"hw2": notebook(answer("f", STUB), awaiting_test)}, "hw2")
    with pytest.raises(CourseError, match=r"source/hw2/hw2\.ipynb, cell t: a test that awaits"):
        grade_assignment(plain_course, name="hw2")
    with sqlite3.connect(plain_course / "gradebook.db") as connection:
        assert connection.execute("SELECT * FROM submitted_assignment").fetchall() == []


def test_modules_of_submissions_are_imported_in_advance_and_a_failing_one_is_named_once(
    course_root: Path,
) -> None:
    with Packages() as packages:
        good, bad = packages.write(""), packages.write("1 / 0")
        is_preloaded = f"import sys\nassert {good!r} in sys.modules\nimport {good}"
        write_assignment(course_root / "source", "pre", {"pre": notebook(graded("t", is_preloaded, 1))})
        (course_root / "nbgrader_config_local.py").write_text(
            f"c = get_config()\nc.Secant.preload = [{bad!r}]\n"
        )
        for student in ("ann", "ben"):
            submit(course_root, student, {"pre": notebook(graded("t", is_preloaded, 1))}, "pre")
        summary, _ = grade_assignment(course_root, name="pre")
    assert summary.as_json()[0]["score"] == summary.as_json()[1]["score"] == 1
    (notice,) = summary.notices
    assert bad in notice
    assert "ZeroDivisionError" in notice
