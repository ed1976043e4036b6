"""Record the results of a check: the notebook's last verdicts, and the learner's progress."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from autograder.exam.checked_notebook import CheckedNotebook
from autograder.service import last_verdicts
from secant.lab.start_page import START, refresh
from secant.language import Language
from secant.progress import record, store
from secant.progress.course import find_course, read_course
from secant.progress.rewards import ACHIEVEMENTS


def save_results(
    notebook: CheckedNotebook, rows: Sequence[Mapping[str, Any]], *, whole: bool
) -> dict[str, Any]:
    """Record the results of a check, and return what the learner earned and what went wrong.

    Args:
        notebook: the notebook that was checked.
        rows: the verdicts on the tasks that were checked.
        whole: whether the check was meant for all tasks, even if it was stopped before the last verdict.
    """
    last_verdicts.save(notebook, rows)
    recorded = record.check(
        notebook.assignment.lesson,
        rows,
        whole=whole,
        hidden=notebook.hidden,
        answers=notebook.answers,
        course=notebook.root,
        message_language=notebook.language,
    )
    if notebook.root and (
        workspace := next((folder for folder in notebook.path.parents if (folder / START).is_file()), None)
    ):
        refresh(notebook.root, workspace)
    language = notebook.language
    new_achievements = [
        {"title": achievement.title[language], "how": achievement.how[language]}
        for achievement in ACHIEVEMENTS
        if achievement.id in recorded.new
    ]
    level = {"number": recorded.level.number, "title": recorded.level.title} if recorded.level else None
    return {
        "gained": {"xp": recorded.xp, "level": level, "achievements": new_achievements},
        "problem": recorded.problem,
    }


def lesson_after(folder: str, language: Language) -> str:
    """Return the number and the title of the next lesson, or "" if there is no next lesson."""
    root = find_course()
    with suppress(OSError, ValueError, KeyError, TypeError):
        course = read_course(root, language) if root else ()
        number = next((lesson.number for lesson in course if lesson.folder == folder), None)
        return next(
            (f"{lesson.number}: {lesson.title}" for lesson in course if lesson.number - 1 == number), ""
        )
    return ""


def has_seen(lesson: str, task: str) -> bool:
    """Return whether the recorded progress shows that the learner passed a task or looked at its solution."""
    try:
        facts = store.read()["lessons"].get(lesson, {}).get(task)
    except store.StoreError:
        return False
    return facts is not None and (facts["passed"] is not None or facts["solution"])


def save_solution_view(lesson: str, task: str) -> None:
    """Record that the learner looked at a worked solution."""
    record.solution(lesson, task)
