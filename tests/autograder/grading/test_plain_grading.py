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
from autograder.workers.jobs import Busy, Done, Failed, PlainJob
from autograder.workers.remote import do, pack, unpack
from tests.autograder.exam.plain_cases import STUB
from tests.support.plain_class import BEYOND, FIRST, RIGHT, SECOND, WRONG, add_assignments, filled, submit
from tests.support.plain_course import (
    answer,
    code,
    graded,
    manual,
    notebook,
    task,
    write_assignment,
)
from tests.support.small_class import STEPS, Here, answered, hand_in, run, solutions
from tests.support.small_packages import Packages


@contextmanager
def book(room: Path) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{room}/gradebook.db", "secant") as opened:
        yield opened


def grades(
    room: Path, student: str, file: str = "ps", name: str = "ps"
) -> dict[str, tuple[float | None, bool]]:
    """Return each grade's automatic score, and whether the grade waits for a person."""
    with book(room) as opened:
        found = opened.find_submission_notebook(file, name, student).grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in found}


def comments(room: Path, student: str) -> dict[str, str | None]:
    with book(room) as opened:
        found = opened.find_submission_notebook("ps", "ps", student).comments
        return {comment.name: comment.comment for comment in found}


def page(room: Path, student: str, file: str = "ps", name: str = "ps") -> str:
    """Return the text of a feedback page."""
    text = (room / "feedback" / student / name / f"{file}.html").read_text(encoding="utf-8")
    return unescape(re.sub("<[^>]+>", "", text[text.index("<main>") :]))


def staff(room: Path, student: str, file: str = "ps") -> dict[str, Any]:
    """Return the cells of a notebook in autograded/ by grade_id, or by source if they have no grade_id."""
    path = room / "autograded" / student / "ps" / f"{file}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["metadata"].get("nbgrader", {}).get("grade_id", cell["source"]): cell for cell in cells}


def examine(
    room: Path, workers: Here | None = None, *, force: bool = False, name: str = "ps"
) -> tuple[RunOutcome, list[str]]:
    return run(room, workers, force=force, lessons=[name])


@pytest.fixture
def plain_room(room: Path) -> Path:
    add_assignments(room)
    return room


SPY = (
    "import sys\ndef f(x):\n    print('SEC' + 'RET' in repr(sys._getframe(1).f_code.co_consts))\n    return x"
)
HOSTILE = filled(
    FIRST,
    {"f": f"{SPY}\nprint('<script>alert(1)</script>')", "t": "assert True", "essay": "My own task."},
    code("import os\nos._exit(0)"),
)
HOSTILE.cells[1].outputs = [new_output("stream", text="forged")]
HOSTILE.cells[1].metadata.nbgrader["points"] = 900


@pytest.fixture(scope="module")
def graded_class(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunOutcome]:
    """Return a graded class with many kinds of submissions, and the outcome. Tests must not change it."""
    room = tmp_path_factory.mktemp("plain") / "class"
    shutil.copytree(built, room)
    add_assignments(room)
    two = {"more": filled(SECOND, BEYOND)}
    submit(room, "right", {"ps": filled(FIRST, RIGHT, code("print('mine')")), **two})
    submit(room, "wrong", {"ps": filled(FIRST, WRONG), **two})
    submit(room, "untouched", {"ps": filled(FIRST, {}), "more": filled(SECOND, {})})
    submit(room, "hostile", {"ps": HOSTILE, **two})
    submit(room, "unread", {"ps": "{", **two})
    submit(room, "missing", {"ps": filled(FIRST, RIGHT), "other": notebook(code("1"))})
    submit(room, "linked", two)
    (room / "submitted/linked/ps/ps.ipynb").symlink_to("/etc/passwd")
    summary, _ = examine(room)
    return room, summary


# --- Results ---------------------------------------------------------------------------------------------


def test_scores_equal_nbgraders_and_written_answers_need_manual_grading(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    room, summary = graded_class
    by_hand = {"why": (None, True), "essay": (None, True)}
    assert grades(room, "right") == {"t": (2.0, False), "cell-77aa01b2": (3.0, False), **by_hand}
    # 2 * x passes the visible test and fails the hidden one.
    unwritten = {"why": (0.0, False), "essay": (None, True)}
    assert grades(room, "wrong") == {"t": (2.0, False), "cell-77aa01b2": (0.0, False), **unwritten}
    assert grades(room, "untouched") == {"t": (0.0, False), "cell-77aa01b2": (0.0, False), **unwritten}
    assert [grades(room, who, "more") for who in ("right", "wrong")] == [{"t": (1.0, False)}] * 2
    assert grades(room, "untouched", "more") == {"t": (0.0, False)}
    assert summary.failed == {}


def test_unchanged_answer_gets_the_comment_no_response(graded_class: tuple[Path, RunOutcome]) -> None:
    room, _ = graded_class
    assert comments(room, "untouched") == {"f": "No response.", "why": "No response.", "essay": None}
    assert comments(room, "right") == {"f": None, "why": None, "essay": None}


def test_missing_notebook_is_no_points_and_another_one_is_ignored(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    room, summary = graded_class
    assert grades(room, "missing", "more") == {"t": (0.0, False)}
    assert grades(room, "missing")["t"] == (2.0, False)
    assert summary.results[Entry("missing", "ps")].flags == ["missing:more", "ignored:other.ipynb"]
    assert not (room / "autograded/missing/ps/more.ipynb").exists()
    assert "This notebook was not handed in." in page(room, "missing", "more")


@pytest.mark.parametrize("student", ["unread", "linked"])
def test_unreadable_plain_submission_needs_manual_grading(
    graded_class: tuple[Path, RunOutcome], student: str
) -> None:
    room, summary = graded_class
    assert set(grades(room, student).values()) == {(None, True)}
    assert grades(room, student, "more") == {"t": (None, True)}
    assert summary.results[Entry(student, "ps")].is_unread
    assert "Your file could not be read" in page(room, student)
    assert comments(room, student)["f"]


def test_page_says_what_became_of_each_test_and_nothing_of_hidden_ones(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    room, _ = graded_class
    assert "5 of 9 points" in page(room, "right")
    assert "Because <b>so</b>." in page(room, "right")
    assert "The test failed. It has a part that students do not see" in page(room, "wrong")
    assert "Not done yet." in page(room, "untouched")
    for path in sorted((room / "feedback").glob("*/ps/*.html")):
        text = path.read_text(encoding="utf-8")
        assert "SECRET" not in text
        assert "SCHEME" not in text
        assert "<script" not in text


def test_notebook_for_staff_has_our_cells_and_the_students_outputs(
    graded_class: tuple[Path, RunOutcome],
) -> None:
    room, _ = graded_class
    right = staff(room, "right")
    assert right["print('mine')"]["outputs"] == []  # this cell runs after a hidden test and could quote it
    assert right["f"]["source"] == RIGHT["f"]
    hostile = staff(room, "hostile")
    assert hostile["t"]["source"] == "assert f(2) == 4"
    assert hostile["t"]["metadata"]["nbgrader"]["points"] == 2
    assert "forged" not in json.dumps(hostile)
    assert hostile["essay"]["source"].startswith("Draw a plot.")
    assert "<script>" in hostile["f"]["outputs"][0]["text"]  # plain text, which no page reads as markup
    assert "True" not in json.dumps([hostile["cell-77aa01b2"]["outputs"], page(room, "hostile")])
    assert grades(room, "hostile")["t"] == (0.0, False)
    for path in (room / "autograded").glob("*/ps/*.ipynb"):
        read(path, as_version=4)  # nbgrader's own reader accepts the cells' metadata


def test_attached_and_linked_pictures_of_the_instructors_text_are_shown(plain_room: Path) -> None:
    data, linked = "iVBORw0KGgo=", b"GIF89a"
    text = new_markdown_cell("![one](attachment:a%20b.png) ![none](attachment:gone.png)")
    text.attachments = {"a b.png": {"image/png": data}}
    more = new_markdown_cell('![two](./pictures/c.gif "C") <img src="pictures/c.gif"> ![](d.png) [e](e.csv)')
    cells = (text, more, *FIRST[:2])
    write_assignment(plain_room / "source", "hw2", {"hw2": notebook(*cells)})
    (plain_room / "source/hw2/pictures").mkdir()
    (plain_room / "source/hw2/pictures/c.gif").write_bytes(linked)
    (plain_room / "source/hw2/e.csv").write_text("1,2")
    submit(plain_room, "ann", {"hw2": filled(cells, RIGHT)}, "hw2")
    summary, _ = examine(plain_room, name="hw2")
    assert summary.failed == {}
    shown = (plain_room / "feedback/ann/hw2/hw2.html").read_text(encoding="utf-8")
    assert f'src="data:image/png;base64,{data}"' in shown
    assert shown.count(f'src="data:image/gif;base64,{base64.b64encode(linked).decode()}"') == 2
    assert 'src="d.png"' in shown  # this file does not exist
    assert 'href="e.csv"' in shown
    assert "attachment:" not in (plain_room / "autograded/ann/hw2/hw2.ipynb").read_text(encoding="utf-8")


def test_plain_results_match_the_documented_json_form(graded_class: tuple[Path, RunOutcome]) -> None:
    _, summary = graded_class
    rows = {row["student"]: row for row in summary.rows()}
    assert [task["id"] for task in rows["right"]["tasks"]] == [
        *("more/t", "t", "cell-77aa01b2", "why", "essay"),
    ]
    assert (rows["right"]["score"], rows["right"]["max_score"]) == (6.0, 6.0)
    assert (rows["missing"]["score"], rows["missing"]["max_score"]) == (5.0, 6.0)


def test_remaining_manual_work_is_listed_as_for_lessons(graded_class: tuple[Path, RunOutcome]) -> None:
    room, summary = graded_class
    (room / "submitted/right/ps9").mkdir()
    every = find_gradable(room)
    end = summarize_run(summary, room / "submitted", every, [], is_exported)
    assert sorted(end.unread) == ["linked/ps", "unread/ps"]
    assert end.unknown == {"right/ps9": "Did you mean ps? Then rename it."}
    assert end.notes == (7, 5)
    (room / "submitted/right/ps9").rmdir()


# --- A second run ----------------------------------------------------------------------------------------


def test_second_run_grades_nobody_and_makes_no_page(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    submit(plain_room, "bob", {"ps": "{"})
    examine(plain_room)
    workers = Here()
    summary, _ = examine(plain_room, workers)
    assert workers.jobs == []
    assert (summary.graded_before, summary.pages, summary.unread) == (2, 0, 1)


def test_lost_page_is_made_again_without_grading(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    before = page(plain_room, "ann", "more")
    (plain_room / "feedback/ann/ps/more.html").unlink()
    workers = Here()
    summary, _ = run(plain_room, workers, lessons=["ps"], act=make_pages)
    assert (workers.examined, summary.pages) == ([], 1)
    assert page(plain_room, "ann", "more") == before


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
def test_change_of_anything_that_decides_a_grade_causes_regrading(plain_room: Path, change: str) -> None:
    folder = submit(plain_room, "ann", {"ps": filled(FIRST, {}), "more": filled(SECOND, {})})
    (folder / "helper.py").write_text("a = 1\n")
    examine(plain_room, Here(lambda job: Failed("stop") if isinstance(job, PlainJob) else None))
    first = CurrentSubmissions(Course.at(plain_room), "ps")
    key = first._plain.key(first._plain.find(Entry("ann", "ps")))
    path, text = plain_room / change, ""
    if path.exists():
        text = path.read_text(encoding="utf-8").replace("assert f(2)", "assert f(5)").replace("g():", "h():")
    path.write_text(
        f"{text} \n" if change != "nbgrader_config_local.py" else "c = get_config()\nc.Execute.timeout = 3\n"
    )
    after = CurrentSubmissions(Course.at(plain_room), "ps")
    assert after._plain.key(after._plain.find(Entry("ann", "ps"))) != key


def test_older_grade_is_marked_until_the_newer_file_is_graded(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    submit(plain_room, "ann", {"ps": filled(FIRST, WRONG), "more": filled(SECOND, BEYOND)})
    summary, _ = examine(
        plain_room, Here(lambda job: Failed("no memory") if isinstance(job, PlainJob) else None)
    )
    assert list(summary.failed) == [Entry("ann", "ps")]
    assert grades(plain_room, "ann")["t"] == (2.0, True)
    assert grades(plain_room, "ann", "more")["t"] == (1.0, True)
    assert "This grade is for an earlier file" in str(comments(plain_room, "ann")["f"])
    examine(plain_room)
    assert grades(plain_room, "ann")["cell-77aa01b2"] == (0.0, False)
    assert grades(plain_room, "ann", "more")["t"] == (1.0, False)


def test_file_that_became_unreadable_keeps_earlier_points_as_words(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    submit(plain_room, "ann", {"ps": "{", "more": filled(SECOND, BEYOND)})
    summary, _ = examine(plain_room)
    result = summary.results[Entry("ann", "ps")]
    assert {task.id: task.before for task in result.tasks} == {
        **{"more/t": 1.0, "t": 2.0, "cell-77aa01b2": 3.0},
        **{"why": None, "essay": None},
    }
    assert "Your earlier file had 5 of 5 points" in page(plain_room, "ann")


def test_manual_points_and_comments_stay_until_the_answer_changes(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    with book(plain_room) as opened:
        for cell in ("why", "essay"):
            grade = opened.find_grade(cell, "ps", "ps", "ann")
            grade.manual_score, grade.needs_manual_grade = 1.5, False
        opened.find_comment("f", "ps", "ps", "ann").manual_comment = "Well done."
        opened.db.commit()
    workers = Here()
    examine(plain_room, workers)
    assert workers.examined == []
    assert "8 of 9 points" in page(plain_room, "ann")
    assert "Well done." in page(plain_room, "ann")
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, {})})
    examine(plain_room)
    assert not any(waits for _, waits in grades(plain_room, "ann").values())
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT | {"why": "No."}), "more": filled(SECOND, {})})
    examine(plain_room)
    assert {cell for cell, (_, waits) in grades(plain_room, "ann").items() if waits} == {"why", "essay"}


def test_late_points_come_off_each_notebook_as_in_nbgrader(plain_room: Path) -> None:
    (plain_room / "nbgrader_config_local.py").write_text(
        "c = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    folder = submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    (folder / "timestamp.txt").write_text("2026-11-02 12:00:00 UTC")
    examine(plain_room, Here(lambda job: Failed("stop") if isinstance(job, PlainJob) else None))
    with book(plain_room) as opened:
        opened.update_or_create_assignment("ps", duedate="2026-11-01 12:00:00 UTC")
    summary, _ = examine(plain_room)
    assert summary.late[Entry("ann", "ps")].startswith("6 of 6 points: handed in 2026-11-02")
    with book(plain_room) as opened:
        submission = opened.find_submission("ps", "ann")
        assert {one.name: one.late_submission_penalty for one in submission.notebooks} == {"ps": 5, "more": 1}
        opened.update_or_create_assignment("ps", duedate="2026-11-03 12:00:00 UTC")
    workers = Here()
    summary, _ = examine(plain_room, workers)
    assert (workers.examined, dict(summary.late)) == ([], {})


def test_renamed_copy_counts_where_the_notebook_itself_is_not_there(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps (1)": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    summary, _ = examine(plain_room)
    assert grades(plain_room, "ann")["t"] == (2.0, False)
    assert summary.results[Entry("ann", "ps")].flags == ["renamed:ps"]


def test_files_next_to_a_plain_notebook_are_available_as_in_nbgrader(plain_room: Path) -> None:
    (plain_room / "nbgrader_config_local.py").write_text(
        "c = get_config()\nc.Autograde.exclude_overwriting = {'ps': ['own.txt']}\n"
    )
    (plain_room / "source/ps/own.txt").write_text("ours")
    own = {
        "g": "import helper\ndef g():\n    return helper.two if open('own.txt').read() == 'theirs' else ''"
    }
    folder = submit(plain_room, "ann", {"ps": filled(FIRST, {}), "more": filled(SECOND, own)})
    for name, text in {"helper.py": "two = '2'", "data.txt": "forged", "own.txt": "theirs"}.items():
        (folder / name).write_text(text)
    examine(plain_room)
    assert grades(plain_room, "ann", "more") == {"t": (1.0, False)}
    assert (plain_room / "autograded/ann/ps/data.txt").read_text() == "2"
    assert not (plain_room / "autograded/ann/ps/helper.py").exists()


# --- Workers ---------------------------------------------------------------------------------------------


def test_packed_job_gives_the_same_grades(plain_room: Path) -> None:
    folder = submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    (folder / "picture.png").write_bytes(b"\x89PNG")
    workers = Here(
        lambda job: unpack(do(worker.work, pack(_open(job)))) if isinstance(job, PlainJob) else None
    )
    examine(plain_room, workers)
    assert grades(plain_room, "ann")["t"] == (2.0, False)
    assert grades(plain_room, "ann", "more")["t"] == (1.0, False)


def _open(job: PlainJob) -> PlainJob:
    import dataclasses

    return dataclasses.replace(job, hidden=())


def test_machine_that_is_too_busy_gives_no_verdict(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    tries: list[PlainJob] = []

    def spoil(job: Any) -> Done | None:
        if isinstance(job, PlainJob) and not tries:
            tries.append(job)
            return Busy("too busy")
        return None

    examine(plain_room, Here(spoil))
    assert grades(plain_room, "ann")["t"] == (2.0, False)


def test_lessons_and_other_assignments_are_graded_in_one_run(plain_room: Path) -> None:
    hand_in(plain_room, "ann", answered(plain_room, solutions(plain_room)))
    submit(plain_room, "ann", {"hw1": filled(FIRST[:2], RIGHT)}, "hw1")
    asked = running.select(plain_room, None, None)
    assert list(asked.lessons) == [STEPS, "hw1", "ps"]
    summary, _ = run(plain_room, lessons=asked.lessons)
    assert {
        str(entry): row["score"]
        for entry, row in zip(sorted(summary.results, key=str), summary.rows(), strict=True)
    } == {
        f"ann/{STEPS}": 5.0,
        "ann/hw1": 2.0,
    }


# --- Names, and a changed assignment -----------------------------------------------------------------------


def test_unknown_name_is_answered_with_all_names(plain_room: Path) -> None:
    assert choose_gradable(plain_room, ["ps", "1"]) == [STEPS, "ps"]
    names = "the lessons are: 01_steps; the other assignments are: hw1, ps."
    said = f'There is no lesson or assignment "ps7"; {names}'
    with pytest.raises(CourseError, match=re.escape(said)):
        choose_gradable(plain_room, ["ps7"])


def test_assignments_are_found_in_the_source_folder_of_the_settings(plain_room: Path) -> None:
    (plain_room / "nbgrader_config_local.py").write_text('c.CourseDirectory.source_directory = "mine"\n')
    write_assignment(plain_room / "mine", "hw3", {"hw3": notebook(*FIRST[:2])})
    selection = running.select(plain_room, ["hw3"], [])
    assert selection.lessons == ["hw3"]
    assert "ps" not in selection.gradable.plain
    with pytest.raises(CourseError, match='There is no lesson or assignment "ps"'):
        running.select(plain_room, ["ps"], [])


def test_messages_mention_only_lessons_if_there_are_no_other_assignments(room: Path) -> None:
    with pytest.raises(CourseError, match=r'^There is no lesson "ps7"; the lessons are: 01_steps\.$'):
        choose_gradable(room, ["ps7"])


def test_changed_tasks_are_refused_and_then_accepted_without_loss(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    shutil.rmtree(plain_room / "source/ps")
    changed = (*FIRST[:2], task("drawing", "Draw.", 4))
    write_assignment(plain_room / "source", "ps", {"ps": notebook(*changed), "more": notebook(*SECOND)})
    (plain_room / "source/ps/data.txt").write_text("2")
    with pytest.raises(
        CourseError, match=r"dropped .*essay.*; added drawing\. .*autograder grade ps --change-tasks"
    ):
        examine(plain_room)
    said = change_tasks(Course.at(plain_room), ["ps"])
    assert len(said) == 1
    assert said[0].startswith("ps: dropped cell-77aa01b2, essay, why; added drawing.")
    examine(plain_room)
    assert grades(plain_room, "ann") == {"t": (2.0, False), "drawing": (None, True)}
    assert grades(plain_room, "ann", "more") == {"t": (1.0, False)}


def test_notebook_with_grades_that_is_gone_is_refused(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    (plain_room / "source/ps/more.ipynb").unlink()
    with pytest.raises(CourseError, match="source/ps has no notebook more any more"):
        examine(plain_room)


def test_grading_of_nbgraders_own_engine_is_noticed(plain_room: Path) -> None:
    submit(plain_room, "ann", {"ps": filled(FIRST, RIGHT), "more": filled(SECOND, BEYOND)})
    examine(plain_room)
    with sqlite3.connect(plain_room / "gradebook.db") as raw:
        raw.execute("UPDATE grade SET auto_score = 0.5 WHERE auto_score = 1.0")
    workers = Here()
    examine(plain_room, workers)
    assert workers.examined == ["ann"]
    assert grades(plain_room, "ann", "more") == {"t": (1.0, False)}


def test_submissions_are_found_by_the_assignments_name(plain_room: Path) -> None:
    submit(plain_room, "ann", {"hw1": filled(FIRST[:2], {})}, "hw1")
    found = find_submissions(Course.at(plain_room), find_gradable(plain_room).names)
    assert found == [Entry("ann", "hw1")]


def test_assignment_that_cannot_be_graded_stops_no_other(plain_room: Path) -> None:
    generated = graded("auto", "### AUTOTEST x")
    write_assignment(plain_room / "source", "hw2", {"hw2": notebook(answer("x", STUB), generated)})
    for student in ("ann", "bob"):
        submit(plain_room, student, {"hw2": notebook()}, "hw2")
    with pytest.raises(CourseError, match=r"source/hw2/hw2\.ipynb, cell auto: AUTOTEST cannot be graded"):
        examine(plain_room, name="hw2")
    submit(plain_room, "ann", {"hw1": filled(FIRST[:2], RIGHT)}, "hw1")
    summary, _ = run(plain_room, lessons=["hw2", "hw1"])
    assert list(summary.refused.values()) == [[Entry("ann", "hw2"), Entry("bob", "hw2")]]
    assert grades(plain_room, "ann", "hw1", "hw1") == {"t": (2.0, False)}


def test_untouched_answer_is_not_attempted_in_each_of_its_tests(plain_room: Path) -> None:
    cells = [answer("f", STUB), graded("t", "f()"), graded("u", "f()"), code("1"), graded("v", "1 / 0")]
    write_assignment(plain_room / "source", "hw2", {"hw2": notebook(*cells)})
    submit(plain_room, "ann", {"hw2": notebook(*cells)}, "hw2")
    submit(plain_room, "bob", {"hw2": filled(cells, {"f": "f = 1"})}, "hw2")
    summary, _ = examine(plain_room, name="hw2")
    outcomes = {
        result["student"]: [one["outcome"] for one in result["tasks"]] for result in summary.as_json()
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


def test_test_that_awaits_is_refused_by_name(plain_room: Path) -> None:
    waits = graded("t", "await f()")
    write_assignment(plain_room / "source", "hw2", {"hw2": notebook(answer("f", STUB), waits)})
    submit(plain_room, "ann", {"hw2": notebook(answer("f", STUB), waits)}, "hw2")
    with pytest.raises(CourseError, match=r"source/hw2/hw2\.ipynb, cell t: a test that awaits"):
        examine(plain_room, name="hw2")
    with sqlite3.connect(plain_room / "gradebook.db") as raw:
        assert raw.execute("SELECT * FROM submitted_assignment").fetchall() == []


def test_modules_of_submissions_are_imported_in_advance_and_a_failing_one_is_named_once(room: Path) -> None:
    with Packages() as packages:
        good, bad = packages.write(""), packages.write("1 / 0")
        is_preloaded = f"import sys\nassert {good!r} in sys.modules\nimport {good}"
        write_assignment(room / "source", "pre", {"pre": notebook(graded("t", is_preloaded, 1))})
        (room / "nbgrader_config_local.py").write_text(f"c = get_config()\nc.Secant.preload = [{bad!r}]\n")
        for student in ("ann", "ben"):
            submit(room, student, {"pre": notebook(graded("t", is_preloaded, 1))}, "pre")
        summary, _ = examine(room, name="pre")
    assert summary.as_json()[0]["score"] == summary.as_json()[1]["score"] == 1
    (notice,) = summary.notices
    assert bad in notice
    assert "ZeroDivisionError" in notice
