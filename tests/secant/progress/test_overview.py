"""Tests of the overview of a learner's course: the lessons' states, the points, and where to continue."""

import json
import os
import shutil
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from secant.address import report_url
from secant.lab.workspace import copy_lessons
from secant.progress import record
from secant.progress.course import any_course, read_course
from secant.progress.overview import next_step, overview
from tests.secant.progress.test_record import row

ROOT = Path(__file__).resolve().parents[3]
TODAY = date(2026, 11, 22)
LESSON_8, LESSON_9 = "08_your_own_backward", "09_gradients_of_gradients"
LATER = time.time() + 3600


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a course folder with the real course's syllabus and two of its lessons."""
    course_folder = tmp_path_factory.mktemp("house")
    (course_folder / "course").mkdir()
    (course_folder / "source").mkdir()
    shutil.copy(ROOT / "course/syllabus.toml", course_folder / "course")
    for folder in (LESSON_8, LESSON_9):
        shutil.copytree(ROOT / "release/en" / folder, course_folder / "release/en" / folder)
    return course_folder


@pytest.fixture
def workspace(course_folder: Path, tmp_path: Path) -> Path:
    copy_lessons(course_folder / "release/en", tmp_path / "workspace", TODAY)
    return tmp_path / "workspace"


def edit(path: Path, mtime: float = LATER) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    os.utime(path, (mtime, mtime))


def lesson(result: dict[str, Any], number: int) -> dict[str, Any]:
    return next(entry for entry in result["lessons"] if entry["number"] == number)


def test_points_of_another_workspace_are_marked_as_elsewhere(course_folder: Path, workspace: Path) -> None:
    assert not overview(course_folder, workspace, "en")["elsewhere"]
    record.check(LESSON_8, [row("MyPow")])
    assert overview(course_folder, workspace, "en")["elsewhere"]
    assert not overview(course_folder, None, "en")["elsewhere"]
    edit(workspace / LESSON_9 / f"{LESSON_9}.ipynb")
    assert not overview(course_folder, workspace, "en")["elsewhere"]


def states(result: dict[str, Any]) -> dict[int, str]:
    return {entry["number"]: entry["state"] for entry in result["lessons"] if entry["state"] != "missing"}


def test_the_real_course_is_read_whole() -> None:
    for language in ("en", "ko"):
        course = read_course(ROOT, language)
        assert [len(entry.graded) for entry in course] == [6, 5, 5, 4, 5, 7, 7, 6, 6, 6]
        assert all(2 <= len(entry.notebook.predictions) <= 4 for entry in course)
        assert all(
            name.startswith(f"{entry.number} ") for entry in course for name in entry.notebook.predictions
        )
        assert {answer for entry in course for answer in entry.notebook.predictions.values()} <= set("ABCD")
        assert course[9].prerequisites == (4,)
        assert course[7].notebook.predictions["8 where"] == "B"
    assert any_course(ROOT) == read_course(ROOT, "en")


def test_overview_of_a_new_learner_starts_at_the_first_lesson(course_folder: Path, workspace: Path) -> None:
    result = overview(course_folder, workspace, "en")
    assert json.loads(json.dumps(result)) == result
    assert states(result) == {8: "new", 9: "new"}
    assert result["level"] == {"number": 1, "title": "Secant", "xp": 0, "from": 0, "to": 120}
    assert result["continue"]["path"] == f"{LESSON_8}/{LESSON_8}.ipynb"
    assert result["continue"]["task"] is None
    lesson_8 = lesson(result, 8)
    assert (lesson_8["points"], lesson_8["max_points"], lesson_8["prerequisites"]) == (0, 12, [7])
    assert lesson_8["tasks"][0]["title"] == "Task 8.1 · MyPow"
    assert lesson(result, 1)["path"] is None
    assert not lesson(result, 1)["released"]
    assert len(result["achievements"]) == 13
    assert result["report"] == report_url()


def test_overview_titles_are_in_the_requested_language(course_folder: Path) -> None:
    shutil.copytree(
        ROOT / "release/ko" / LESSON_8, course_folder / "release/ko" / LESSON_8, dirs_exist_ok=True
    )
    lesson_8 = lesson(overview(course_folder, None, "ko"), 8)
    assert lesson_8["title"] == "나만의 backward 만들고 검사하기"
    assert lesson_8["tasks"][0]["title"] == "과제 8.1 · MyPow"


def test_a_lesson_goes_from_new_to_done(course_folder: Path, workspace: Path) -> None:
    tasks = [task["id"] for task in lesson(overview(course_folder, workspace, "en"), 8)["tasks"]]
    record.check(LESSON_8, [row(task, "not_attempted") for task in tasks])
    assert states(overview(course_folder, workspace, "en"))[8] == "new"
    record.check(LESSON_8, [row(tasks[0]), *(row(task, "wrong") for task in tasks[1:])])
    result = overview(course_folder, workspace, "en")
    assert states(result)[8] == "in_progress"
    assert lesson(result, 8)["points"] == 2
    assert result["continue"]["task"] == tasks[1]
    record.check(LESSON_8, [row(task) for task in tasks])
    record.check(LESSON_8, [row(task, "wrong") for task in tasks])
    result = overview(course_folder, workspace, "en")
    assert states(result)[8] == "done"
    assert lesson(result, 8)["points"] == lesson(result, 8)["max_points"] == 12
    assert result["level"]["xp"] == 144
    assert result["level"]["number"] == 2
    assert {entry["id"] for entry in result["achievements"] if entry["earned"]} >= {
        "first_pass",
        "whole_lesson",
    }
    assert result["continue"]["lesson"] == LESSON_9


def test_a_notebook_that_was_saved_is_in_progress(course_folder: Path, workspace: Path) -> None:
    edit(workspace / LESSON_9 / f"{LESSON_9}.ipynb")
    result = overview(course_folder, workspace, "en")
    assert states(result) == {8: "new", 9: "in_progress"}
    assert (result["continue"]["lesson"], result["continue"]["task"]) == (LESSON_9, None)


def test_a_prediction_begins_a_lesson(course_folder: Path, workspace: Path) -> None:
    record.prediction("8 where", "A", None)
    lesson_8 = lesson(overview(course_folder, workspace, "en"), 8)
    assert (lesson_8["state"], lesson_8["predictions"]) == ("in_progress", {"made": 1, "of": 3})


def test_overview_continues_at_the_last_checked_or_edited_lesson(
    course_folder: Path, workspace: Path
) -> None:
    record.check(LESSON_8, [row("StableSoftplus", "wrong")])
    assert overview(course_folder, workspace, "en")["continue"]["task"] == "StableSoftplus"
    record.check(LESSON_8, [row("StableSoftplus")])
    continuation = overview(course_folder, workspace, "en")["continue"]
    assert (continuation["task"], continuation["task_title"]) == ("safe_sqrt", "Task 8.4 · safe_sqrt")
    edit(workspace / LESSON_8 / f"{LESSON_8}.ipynb")  # JupyterLab saves the notebook after the check
    assert overview(course_folder, workspace, "en")["continue"]["task"] == "safe_sqrt"
    edit(workspace / LESSON_9 / f"{LESSON_9}.ipynb", LATER + 60)
    assert overview(course_folder, workspace, "en")["continue"]["lesson"] == LESSON_9


@pytest.mark.parametrize(
    ("lesson_states", "last", "expected"),
    [
        (["in_progress", "new", "done", "new"], 3, 1),  # a lesson in progress comes before a new one
        (["done", "done", "in_progress", "in_progress"], 4, 4),
        (["new", "new", "done", "new"], 3, 4),
    ],
)
def test_overview_continues_with_a_lesson_in_progress_after_a_finished_one(
    tmp_path: Path, lesson_states: list[str], last: int, expected: int
) -> None:
    lessons = [
        {"folder": f"{n}", "number": n, "title": "", "path": f"{n}.ipynb", "state": state, "tasks": []}
        for n, state in enumerate(lesson_states, 1)
    ]
    for entry in lessons:
        (tmp_path / f"{entry['path']}").touch()
    facts: Any = {"last": {"when": "9999", "lesson": f"{last}", "task": None}}
    result = next_step(lessons, facts, tmp_path)
    assert result
    assert result["number"] == expected


def test_a_moved_workspace_keeps_its_points(course_folder: Path, workspace: Path, tmp_path: Path) -> None:
    record.check(LESSON_8, [row("MyPow")])
    new_path = workspace.rename(tmp_path / "elsewhere")
    assert lesson(overview(course_folder, new_path, "en"), 8)["points"] == 2


def test_missing_notebook_keeps_its_points_in_the_overview(course_folder: Path, workspace: Path) -> None:
    record.check(LESSON_8, [row("MyPow")])
    (workspace / LESSON_8 / f"{LESSON_8}.ipynb").unlink()
    result = overview(course_folder, workspace, "en")
    assert (lesson(result, 8)["state"], lesson(result, 8)["path"], lesson(result, 8)["points"]) == (
        "missing",
        None,
        2,
    )
    assert result["continue"]["lesson"] == LESSON_9


def make_edition(course_folder: Path, tmp_path: Path, old: str, new: str) -> Path:
    """Make a course with a new edition of lesson 8, in which `new` replaces `old`."""
    folder = shutil.copytree(course_folder, tmp_path / "edition")
    notebook = folder / "release/en" / LESSON_8 / f"{LESSON_8}.ipynb"
    text = notebook.read_text()
    assert old in text
    notebook.write_text(text.replace(old, new))
    return folder


def test_new_edition_of_a_lesson_keeps_the_experience_points(
    course_folder: Path, workspace: Path, tmp_path: Path
) -> None:
    tasks = [task["id"] for task in lesson(overview(course_folder, workspace, "en"), 8)["tasks"]]
    record.check(LESSON_8, [row(task) for task in tasks])
    xp = overview(course_folder, workspace, "en")["level"]["xp"]
    new_edition = make_edition(course_folder, tmp_path, '"test_safe_sqrt"', '"test_other_task"')
    copy_lessons(new_edition / "release/en", workspace, TODAY)
    result = overview(new_edition, workspace, "en")
    lesson_8 = lesson(result, 8)
    assert (lesson_8["points"], lesson_8["max_points"], lesson_8["state"]) == (10, 12, "in_progress")
    assert lesson_8["beside"] == f"{LESSON_8}/{LESSON_8} (new 2026-11-22).ipynb"
    assert result["level"]["xp"] == xp
    assert (
        lesson(overview(course_folder, workspace, "en"), 8)["points"] == 12
    )  # the old edition still has all points


@pytest.mark.parametrize(("points", "earned", "max_points"), [(1, 8, 8), (3, 12, 16)])
def test_points_are_capped_at_a_tasks_new_maximum(
    course_folder: Path, workspace: Path, tmp_path: Path, points: int, earned: int, max_points: int
) -> None:
    tasks = [task["id"] for task in lesson(overview(course_folder, workspace, "en"), 8)["tasks"]]
    record.check(LESSON_8, [row(task) for task in tasks])
    new_edition = make_edition(course_folder, tmp_path, '"points": 2', f'"points": {points}')
    lesson_8 = lesson(overview(new_edition, workspace, "en"), 8)
    assert (lesson_8["points"], lesson_8["max_points"]) == (earned, max_points)
    assert lesson_8["state"] == ("done" if points == 1 else "in_progress")


@pytest.fixture(scope="module")
def class_edition(course_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the course as a class edition: without source/, so without the hidden tests that give points."""
    folder = tmp_path_factory.mktemp("class") / "house"
    return Path(shutil.copytree(course_folder, folder, ignore=shutil.ignore_patterns("source")))


def test_a_class_edition_counts_the_visible_tests(class_edition: Path, workspace: Path) -> None:
    tasks = [task["id"] for task in lesson(overview(class_edition, workspace, "en"), 8)["tasks"]]
    record.check(LESSON_8, [row(task) for task in tasks[:2]], hidden=False)
    result = overview(class_edition, workspace, "en")
    lesson_8 = lesson(result, 8)
    assert (result["hidden"], result["achievements"]) == (False, [])
    assert (lesson_8["points"], lesson_8["passed"], lesson_8["graded"], lesson_8["state"]) == (
        0,
        2,
        6,
        "in_progress",
    )
    assert result["continue"]["task"] == tasks[2]
    record.check(LESSON_8, [row(tasks[0], "wrong"), *map(row, tasks[1:])], hidden=False)
    lesson_8 = lesson(overview(class_edition, workspace, "en"), 8)
    assert (lesson_8["points"], lesson_8["passed"], lesson_8["state"]) == (
        0,
        6,
        "done",
    )  # a passed task stays passed


def test_visible_passes_do_not_count_where_hidden_tests_exist(
    course_folder: Path, class_edition: Path, workspace: Path
) -> None:
    tasks = [task["id"] for task in lesson(overview(course_folder, workspace, "en"), 8)["tasks"]]
    record.check(LESSON_8, [row(task) for task in tasks], hidden=False)
    lesson_8 = lesson(overview(course_folder, workspace, "en"), 8)
    assert (lesson_8["points"], lesson_8["passed"], lesson_8["state"]) == (0, 0, "in_progress")
    record.check(LESSON_8, [row(task) for task in tasks])
    result = overview(class_edition, workspace, "en")  # hidden tests passed in the full course
    assert (lesson(result, 8)["passed"], lesson(result, 8)["points"]) == (6, 12)
    assert {entry["id"] for entry in result["achievements"]} >= {"first_pass", "whole_lesson"}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": [3]}', '{"cells": [{"source": null}]}'])
def test_malformed_release_has_no_tasks_in_the_overview(
    course_folder: Path, workspace: Path, tmp_path: Path, content: str
) -> None:
    broken_course = shutil.copytree(course_folder, tmp_path / "broken")
    (broken_course / "release/en" / LESSON_8 / f"{LESSON_8}.ipynb").write_text(content)
    lesson_8 = lesson(overview(broken_course, workspace, "en"), 8)
    assert (lesson_8["tasks"], lesson_8["state"]) == ([], "new")


def test_overview_reports_unreadable_progress(course_folder: Path, workspace: Path, data: Path) -> None:
    data.mkdir()
    (data / "progress.json").write_text("{")
    result = overview(course_folder, workspace, "ko")
    assert "읽을 수 없습니다" in result["saved"]["problem"]
    assert result["saved"]["path"] == str(data / "progress.json")
    assert (data / "progress.json").read_text() == "{"


def test_overview_takes_under_50_ms_and_writes_nothing(workspace: Path, data: Path) -> None:
    overview(ROOT, workspace, "en")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        overview(ROOT, workspace, "en")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
    assert not data.exists()
