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
EIGHT, NINE = "08_your_own_backward", "09_gradients_of_gradients"
LATER = time.time() + 3600


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a course folder with the real course's syllabus and two of its lessons."""
    house = tmp_path_factory.mktemp("house")
    (house / "course").mkdir()
    (house / "source").mkdir()
    shutil.copy(ROOT / "course/syllabus.toml", house / "course")
    for folder in (EIGHT, NINE):
        shutil.copytree(ROOT / "release/en" / folder, house / "release/en" / folder)
    return house


@pytest.fixture
def workspace(house: Path, tmp_path: Path) -> Path:
    copy_lessons(house / "release/en", tmp_path / "workspace", TODAY)
    return tmp_path / "workspace"


def edit(path: Path, when: float = LATER) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    os.utime(path, (when, when))


def lesson(found: dict[str, Any], number: int) -> dict[str, Any]:
    return next(each for each in found["lessons"] if each["number"] == number)


def test_points_of_another_workspace_are_marked_as_elsewhere(house: Path, workspace: Path) -> None:
    assert not overview(house, workspace, "en")["elsewhere"]
    record.check(EIGHT, [row("MyPow")])
    assert overview(house, workspace, "en")["elsewhere"]
    assert not overview(house, None, "en")["elsewhere"]
    edit(workspace / NINE / f"{NINE}.ipynb")
    assert not overview(house, workspace, "en")["elsewhere"]


def states(found: dict[str, Any]) -> dict[int, str]:
    return {each["number"]: each["state"] for each in found["lessons"] if each["state"] != "missing"}


def test_the_real_course_is_read_whole() -> None:
    for language in ("en", "ko"):
        course = read_course(ROOT, language)
        assert [len(each.graded) for each in course] == [6, 5, 5, 4, 5, 7, 7, 6, 6, 6]
        assert all(2 <= len(each.notebook.predictions) <= 4 for each in course)
        assert all(
            name.startswith(f"{each.number} ") for each in course for name in each.notebook.predictions
        )
        assert {right for each in course for right in each.notebook.predictions.values()} <= set("ABCD")
        assert course[9].prerequisites == (4,)
        assert course[7].notebook.predictions["8 where"] == "B"
    assert any_course(ROOT) == read_course(ROOT, "en")


def test_overview_of_a_new_learner_starts_at_the_first_lesson(house: Path, workspace: Path) -> None:
    found = overview(house, workspace, "en")
    assert json.loads(json.dumps(found)) == found
    assert states(found) == {8: "new", 9: "new"}
    assert found["level"] == {"number": 1, "title": "Secant", "xp": 0, "from": 0, "to": 120}
    assert found["continue"]["path"] == f"{EIGHT}/{EIGHT}.ipynb"
    assert found["continue"]["task"] is None
    eight = lesson(found, 8)
    assert (eight["points"], eight["max_points"], eight["prerequisites"]) == (0, 12, [7])
    assert eight["tasks"][0]["title"] == "Task 8.1 · MyPow"
    assert lesson(found, 1)["path"] is None
    assert not lesson(found, 1)["released"]
    assert len(found["achievements"]) == 13
    assert found["report"] == report_url()


def test_overview_titles_are_in_the_requested_language(house: Path) -> None:
    shutil.copytree(ROOT / "release/ko" / EIGHT, house / "release/ko" / EIGHT, dirs_exist_ok=True)
    eight = lesson(overview(house, None, "ko"), 8)
    assert eight["title"] == "나만의 backward 만들고 검사하기"
    assert eight["tasks"][0]["title"] == "과제 8.1 · MyPow"


def test_a_lesson_goes_from_new_to_done(house: Path, workspace: Path) -> None:
    tasks = [task["id"] for task in lesson(overview(house, workspace, "en"), 8)["tasks"]]
    record.check(EIGHT, [row(task, "not_attempted") for task in tasks])
    assert states(overview(house, workspace, "en"))[8] == "new"
    record.check(EIGHT, [row(tasks[0]), *(row(task, "wrong") for task in tasks[1:])])
    found = overview(house, workspace, "en")
    assert states(found)[8] == "in_progress"
    assert lesson(found, 8)["points"] == 2
    assert found["continue"]["task"] == tasks[1]
    record.check(EIGHT, [row(task) for task in tasks])
    record.check(EIGHT, [row(task, "wrong") for task in tasks])
    found = overview(house, workspace, "en")
    assert states(found)[8] == "done"
    assert lesson(found, 8)["points"] == lesson(found, 8)["max_points"] == 12
    assert found["level"]["xp"] == 144
    assert found["level"]["number"] == 2
    assert {each["id"] for each in found["achievements"] if each["earned"]} >= {"first_pass", "whole_lesson"}
    assert found["continue"]["lesson"] == NINE


def test_a_notebook_that_was_saved_is_in_progress(house: Path, workspace: Path) -> None:
    edit(workspace / NINE / f"{NINE}.ipynb")
    found = overview(house, workspace, "en")
    assert states(found) == {8: "new", 9: "in_progress"}
    assert (found["continue"]["lesson"], found["continue"]["task"]) == (NINE, None)


def test_a_prediction_begins_a_lesson(house: Path, workspace: Path) -> None:
    record.prediction("8 where", "A", None)
    eight = lesson(overview(house, workspace, "en"), 8)
    assert (eight["state"], eight["predictions"]) == ("in_progress", {"made": 1, "of": 3})


def test_overview_continues_at_the_last_checked_or_edited_lesson(house: Path, workspace: Path) -> None:
    record.check(EIGHT, [row("StableSoftplus", "wrong")])
    assert overview(house, workspace, "en")["continue"]["task"] == "StableSoftplus"
    record.check(EIGHT, [row("StableSoftplus")])
    going_on = overview(house, workspace, "en")["continue"]
    assert (going_on["task"], going_on["task_title"]) == ("safe_sqrt", "Task 8.4 · safe_sqrt")
    edit(workspace / EIGHT / f"{EIGHT}.ipynb")  # JupyterLab saves it after the check
    assert overview(house, workspace, "en")["continue"]["task"] == "safe_sqrt"
    edit(workspace / NINE / f"{NINE}.ipynb", LATER + 60)
    assert overview(house, workspace, "en")["continue"]["lesson"] == NINE


@pytest.mark.parametrize(
    ("so_far", "last", "then"),
    [
        (["in_progress", "new", "done", "new"], 3, 1),  # a lesson in progress comes before a new one
        (["done", "done", "in_progress", "in_progress"], 4, 4),
        (["new", "new", "done", "new"], 3, 4),
    ],
)
def test_overview_continues_with_a_begun_lesson_after_a_finished_one(
    tmp_path: Path, so_far: list[str], last: int, then: int
) -> None:
    lessons = [
        {"folder": f"{n}", "number": n, "title": "", "path": f"{n}.ipynb", "state": state, "tasks": []}
        for n, state in enumerate(so_far, 1)
    ]
    for each in lessons:
        (tmp_path / f"{each['path']}").touch()
    facts: Any = {"last": {"when": "9999", "lesson": f"{last}", "task": None}}
    found = next_step(lessons, facts, tmp_path)
    assert found
    assert found["number"] == then


def test_a_moved_workspace_keeps_its_points(house: Path, workspace: Path, tmp_path: Path) -> None:
    record.check(EIGHT, [row("MyPow")])
    moved = workspace.rename(tmp_path / "elsewhere")
    assert lesson(overview(house, moved, "en"), 8)["points"] == 2


def test_missing_notebook_keeps_its_points_in_the_overview(house: Path, workspace: Path) -> None:
    record.check(EIGHT, [row("MyPow")])
    (workspace / EIGHT / f"{EIGHT}.ipynb").unlink()
    found = overview(house, workspace, "en")
    assert (lesson(found, 8)["state"], lesson(found, 8)["path"], lesson(found, 8)["points"]) == (
        "missing",
        None,
        2,
    )
    assert found["continue"]["lesson"] == NINE


def change(house: Path, tmp_path: Path, old: str, new: str) -> Path:
    """Make a course with a new edition of lesson 8, in which `new` replaces `old`."""
    place = shutil.copytree(house, tmp_path / "edition")
    notebook = place / "release/en" / EIGHT / f"{EIGHT}.ipynb"
    text = notebook.read_text()
    assert old in text
    notebook.write_text(text.replace(old, new))
    return place


def test_new_edition_of_a_lesson_keeps_the_experience_points(
    house: Path, workspace: Path, tmp_path: Path
) -> None:
    tasks = [task["id"] for task in lesson(overview(house, workspace, "en"), 8)["tasks"]]
    record.check(EIGHT, [row(task) for task in tasks])
    xp = overview(house, workspace, "en")["level"]["xp"]
    renamed = change(house, tmp_path, '"test_safe_sqrt"', '"test_other_task"')
    copy_lessons(renamed / "release/en", workspace, TODAY)
    found = overview(renamed, workspace, "en")
    eight = lesson(found, 8)
    assert (eight["points"], eight["max_points"], eight["state"]) == (10, 12, "in_progress")
    assert eight["beside"] == f"{EIGHT}/{EIGHT} (new 2026-11-22).ipynb"
    assert found["level"]["xp"] == xp
    assert lesson(overview(house, workspace, "en"), 8)["points"] == 12  # the old edition still has all points


@pytest.mark.parametrize(("points", "reached", "most"), [(1, 8, 8), (3, 12, 16)])
def test_points_that_changed_are_capped(
    house: Path, workspace: Path, tmp_path: Path, points: int, reached: int, most: int
) -> None:
    tasks = [task["id"] for task in lesson(overview(house, workspace, "en"), 8)["tasks"]]
    record.check(EIGHT, [row(task) for task in tasks])
    other = change(house, tmp_path, '"points": 2', f'"points": {points}')
    eight = lesson(overview(other, workspace, "en"), 8)
    assert (eight["points"], eight["max_points"]) == (reached, most)
    assert eight["state"] == ("done" if points == 1 else "in_progress")


@pytest.fixture(scope="module")
def edition(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the course as a class edition, without source/ and its hidden tests, which give the points."""
    place = tmp_path_factory.mktemp("class") / "house"
    return Path(shutil.copytree(house, place, ignore=shutil.ignore_patterns("source")))


def test_a_class_edition_counts_the_visible_tests(edition: Path, workspace: Path) -> None:
    tasks = [task["id"] for task in lesson(overview(edition, workspace, "en"), 8)["tasks"]]
    record.check(EIGHT, [row(task) for task in tasks[:2]], hidden=False)
    found = overview(edition, workspace, "en")
    eight = lesson(found, 8)
    assert (found["hidden"], found["achievements"]) == (False, [])
    assert (eight["points"], eight["passed"], eight["graded"], eight["state"]) == (0, 2, 6, "in_progress")
    assert found["continue"]["task"] == tasks[2]
    record.check(EIGHT, [row(tasks[0], "wrong"), *map(row, tasks[1:])], hidden=False)
    eight = lesson(overview(edition, workspace, "en"), 8)
    assert (eight["points"], eight["passed"], eight["state"]) == (0, 6, "done")  # a passed task stays passed


def test_visible_passes_do_not_count_where_hidden_tests_exist(
    house: Path, edition: Path, workspace: Path
) -> None:
    tasks = [task["id"] for task in lesson(overview(house, workspace, "en"), 8)["tasks"]]
    record.check(EIGHT, [row(task) for task in tasks], hidden=False)
    eight = lesson(overview(house, workspace, "en"), 8)
    assert (eight["points"], eight["passed"], eight["state"]) == (0, 0, "in_progress")
    record.check(EIGHT, [row(task) for task in tasks])
    found = overview(edition, workspace, "en")  # the hidden tests have passed in the full course
    assert (lesson(found, 8)["passed"], lesson(found, 8)["points"]) == (6, 12)
    assert {each["id"] for each in found["achievements"]} >= {"first_pass", "whole_lesson"}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": [3]}', '{"cells": [{"source": null}]}'])
def test_malformed_release_has_no_tasks_in_the_overview(
    house: Path, workspace: Path, tmp_path: Path, content: str
) -> None:
    place = shutil.copytree(house, tmp_path / "broken")
    (place / "release/en" / EIGHT / f"{EIGHT}.ipynb").write_text(content)
    eight = lesson(overview(place, workspace, "en"), 8)
    assert (eight["tasks"], eight["state"]) == ([], "new")


def test_overview_reports_unreadable_progress(house: Path, workspace: Path, data: Path) -> None:
    data.mkdir()
    (data / "progress.json").write_text("{")
    found = overview(house, workspace, "ko")
    assert "읽을 수 없습니다" in found["saved"]["problem"]
    assert found["saved"]["path"] == str(data / "progress.json")
    assert (data / "progress.json").read_text() == "{"


def test_overview_takes_under_50_ms_and_writes_nothing(workspace: Path, data: Path) -> None:
    overview(ROOT, workspace, "en")
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        overview(ROOT, workspace, "en")
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.05
    assert not data.exists()
