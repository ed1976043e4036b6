"""The data that the start page shows about a learner's course.

The page waits for this data, so it must be computed quickly.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from secant.address import report_url
from secant.language import Language
from secant.progress import store
from secant.progress.course import Course, ReleasedTask, SyllabusLesson, read_course, version
from secant.progress.facts import Facts, TaskRecord, empty_facts
from secant.progress.review import review
from secant.progress.rewards import ACHIEVEMENTS, experience, level
from secant.where import has_hidden_tests
from secant.workspace_state import State, fingerprint, read_state


def overview(root: Path, workspace: Path | None, language: Language) -> dict[str, Any]:
    """Return the course with this learner's progress, as JSON.

    In the class edition of the course (without hidden tests), a task is `done` when its visible tests have
    passed, and no achievements can be earned; only those that were earned elsewhere are listed.

    Args:
        root: the folder with course/ and release/.
        workspace: the folder with the learner's notebooks; None if there are none yet.
        language: the language of the titles and of the released lessons.

    Raises:
        OSError, ValueError, KeyError, TypeError: if the syllabus in `root` is missing or malformed.
    """
    course = read_course(root, language)
    facts, problem = empty_facts(), None
    left_out: list[str] = []
    try:
        facts = store.read(left_out)
        problem = store.incomplete_message(left_out, language) or None
    except store.StoreError as error:
        problem = error.sentence(language)
    state = read_state(workspace) if workspace else {}
    hidden = has_hidden_tests(root)
    lessons = [_lesson(lesson, facts, workspace, state, hidden) for lesson in course]
    current_level = level(experience(facts), language)
    return {
        "language": language,
        "hidden": hidden,
        "level": {
            "number": current_level.number,
            "title": current_level.title,
            "xp": current_level.xp,
            "from": current_level.from_xp,
            "to": current_level.to_xp,
        },
        "continue": next_step(lessons, facts, workspace) if workspace else None,
        "lessons": lessons,
        "achievements": [
            {
                "id": achievement.id,
                "title": achievement.title[language],
                "how": achievement.how[language],
                "earned": facts["earned"].get(achievement.id),
            }
            for achievement in ACHIEVEMENTS
            if hidden or achievement.id in facts["earned"]
        ],
        "review": review(facts, course, store.now()),
        "reviewing": facts["reviewing"],
        "elsewhere": _has_points_elsewhere(lessons, course, workspace, state),
        "saved": {"path": str(store.path()), "problem": problem},
        "report": report_url(),
    }


def find_newer_versions(course: Course, workspace: Path, state: State) -> dict[str, str]:
    """Return the notebooks that have a newer version next to them, each with the newer version's name."""
    pairs = ((_notebook_of(lesson), _newer_version(lesson, workspace, state)) for lesson in course)
    return {name: newer for name, newer in pairs if newer}


def _has_points_elsewhere(
    lessons: list[dict[str, Any]], course: Course, workspace: Path | None, state: State
) -> bool:
    """Return whether the learner has points even though no notebook in this workspace has been edited.

    In that case, the points were earned in another workspace.
    """
    if workspace is None or not any(lesson["points"] or lesson["passed"] for lesson in lessons):
        return False
    return not any(_is_edited(lesson, workspace, state) for lesson in course)


# --- The data of one lesson ---


def _lesson(
    lesson: SyllabusLesson, facts: Facts, workspace: Path | None, state: State, hidden: bool
) -> dict[str, Any]:
    records = facts["lessons"].get(lesson.folder, {})
    tasks = [_task(task, records.get(task.id), hidden) for task in lesson.notebook.tasks]
    graded_tasks = [task for task in tasks if not task["manual"]]
    predicted_count = sum(name in facts["predictions"] for name in lesson.notebook.predictions)
    path = _notebook_of(lesson)
    exists = workspace is not None and (workspace / path).is_file()
    is_begun = bool(predicted_count) or any(task["outcome"] not in (None, "not_attempted") for task in tasks)
    if workspace and not exists:
        state_name = "missing"
    elif graded_tasks and all(task["done"] for task in graded_tasks):
        state_name = "done"
    elif is_begun or (workspace and _is_edited(lesson, workspace, state)):
        state_name = "in_progress"
    else:
        state_name = "new"
    return {
        "folder": lesson.folder,
        "number": lesson.number,
        "title": lesson.title,
        "minutes": lesson.minutes,
        "tags": list(lesson.tags),
        "prerequisites": list(lesson.prerequisites),
        "released": lesson.notebook.fingerprint is not None,
        "path": path if exists else None,
        "state": state_name,
        "beside": _newer_version(lesson, workspace, state) if workspace else None,
        "points": sum(task["points"] for task in graded_tasks),
        "max_points": sum(task["max_points"] for task in graded_tasks),
        "passed": sum(task["done"] for task in graded_tasks),
        "graded": len(graded_tasks),
        "predictions": {"made": predicted_count, "of": len(lesson.notebook.predictions)},
        "tasks": tasks,
    }


def _task(task: ReleasedTask, record: TaskRecord | None, hidden: bool) -> dict[str, Any]:
    """Return a task of the released lesson, with the learner's result.

    If an earlier release gave more points for the task, the learner's points are cut to the current maximum.
    """
    passed = record and (record["passed"] or (not hidden and record["visible"]))
    outcome = record and ("passed" if passed else record["outcome"])
    points = min(record["points"], task.points) if record else 0.0
    return {
        "id": task.id,
        "title": task.title,
        "manual": task.manual,
        "points": points,
        "max_points": task.points,
        "outcome": outcome,
        "done": outcome == "passed" and (points >= task.points or not hidden),
    }


def _notebook_of(lesson: SyllabusLesson) -> str:
    return f"{lesson.folder}/{lesson.folder}.ipynb"


def _is_edited(lesson: SyllabusLesson, workspace: Path, state: State) -> bool:
    name = _notebook_of(lesson)
    current_fingerprint = _fingerprint(workspace / name)
    return current_fingerprint not in (None, lesson.notebook.fingerprint, state.get(name, {}).get("copied"))


def _newer_version(lesson: SyllabusLesson, workspace: Path, state: State) -> str | None:
    """Return the name of the file next to the learner's notebook that holds the newest release.

    Return None if there is no such file, or if the notebook itself is the newest release.
    """
    entry = state.get(_notebook_of(lesson), {})
    newer, newest = entry.get("beside"), lesson.notebook.fingerprint
    is_offered = newer is not None and newest == entry.get("offered") != entry.get("copied")
    return (
        newer
        if is_offered
        and _fingerprint(workspace / _notebook_of(lesson)) != newest
        and os.path.isfile(workspace / str(newer))  # isfile() returns False for an invalid name
        else None
    )


def _fingerprint(path: Path) -> str | None:
    try:
        return _fingerprint_of(*version(path)) if path.is_file() else None  # reading a pipe might never end
    except OSError:
        return None


@lru_cache(maxsize=64)
def _fingerprint_of(path: Path, modified: int, size: int) -> str:
    return fingerprint(path.read_bytes())


# --- Finding where to continue ---


def next_step(lessons: list[dict[str, Any]], facts: Facts, workspace: Path) -> dict[str, Any] | None:
    """Return where to continue; None if all lessons are done.

    The order of preference is: the lesson last worked on, a lesson in progress, the next lesson to be done.
    """
    folder, task = _last_worked_on(lessons, facts, workspace)
    places = [lesson["folder"] for lesson in lessons]
    start = places.index(folder) if folder in places else 0
    to_do = [
        lesson for lesson in lessons[start:] + lessons[:start] if lesson["path"] and lesson["state"] != "done"
    ]
    if not to_do:
        return None
    lesson = min(to_do, key=lambda lesson: (lesson["folder"] != folder, lesson["state"] != "in_progress"))
    next_task = _next_task(lesson, task if lesson["folder"] == folder else None)
    return {
        "path": lesson["path"],
        "lesson": lesson["folder"],
        "number": lesson["number"],
        "title": lesson["title"],
        "task": next_task and next_task["id"],
        "task_title": next_task and next_task["title"],
    }


def _last_worked_on(
    lessons: list[dict[str, Any]], facts: Facts, workspace: Path
) -> tuple[str | None, str | None]:
    """Return the lesson last worked on, and its task if known.

    This is the lesson of the last check, with the checked task. If the notebook of another lesson was saved
    after that check, the other lesson is returned, without a task.
    """
    last_check = facts["last"]
    save_times = [
        (_saved_at(workspace / lesson["path"]), lesson["folder"])
        for lesson in lessons
        if lesson["path"] and lesson["state"] in ("in_progress", "done")
    ]
    save_time, folder = max(save_times, default=("", None))
    if last_check and (last_check["when"] >= save_time or last_check["lesson"] == folder):
        return last_check["lesson"], last_check["task"]
    return folder, None


def _saved_at(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="microseconds")


def _next_task(lesson: dict[str, Any], last_task: str | None) -> dict[str, Any] | None:
    """Return the first task that is not done, starting from the task checked last; None if all are done.

    The result is also None if no task of the lesson has been tried, because a learner first reads the lesson.
    """
    tasks = [task for task in lesson["tasks"] if not task["manual"]]
    names = [task["id"] for task in tasks]
    start = names.index(last_task) if last_task in names else 0
    if not last_task and not any(task["outcome"] not in (None, "not_attempted") for task in tasks):
        return None
    todo = [task for task in tasks[start:] + tasks[:start] if not task["done"]]
    return todo[0] if todo else None


def lessons_done(lessons: list[dict[str, Any]], say: Callable[..., str]) -> str:
    """Return a phrase with the number of lessons that are done."""
    done, total = sum(lesson["state"] == "done" for lesson in lessons), len(lessons)
    return say(en=f"{done} of {total} lessons done", ko=f"수업 {total}개 중 {done}개 완료")
