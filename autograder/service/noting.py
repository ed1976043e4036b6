"""Record the results of a check: the notebook's last verdicts, and the learner's progress."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from autograder.exam.sheet import CheckedNotebook
from autograder.service import last
from secant.lab.start_page import START, refresh
from secant.language import Language
from secant.progress import record, store
from secant.progress.course import find_course, read_course
from secant.progress.rewards import ACHIEVEMENTS


def note(sheet: CheckedNotebook, rows: Sequence[Mapping[str, Any]], *, whole: bool) -> dict[str, Any]:
    """Record the results of a check, and return what the learner earned and what went wrong.

    Args:
        sheet: the notebook that was checked.
        rows: the verdicts that were reached.
        whole: whether the check was for all tasks, even if it was stopped before it decided them all.
    """
    last.keep(sheet, rows)
    noted = record.check(
        sheet.assignment.lesson,
        rows,
        whole=whole,
        hidden=sheet.hidden,
        answers=sheet.answers,
        course=sheet.root,
        message_language=sheet.language,
    )
    if sheet.root and (workspace := next((f for f in sheet.path.parents if (f / START).is_file()), None)):
        refresh(sheet.root, workspace)
    spoken = sheet.language
    new = [
        {"title": each.title[spoken], "how": each.how[spoken]}
        for each in ACHIEVEMENTS
        if each.id in noted.new
    ]
    level = {"number": noted.level.number, "title": noted.level.title} if noted.level else None
    return {
        "gained": {"xp": noted.xp, "level": level, "achievements": new},
        "problem": noted.problem,
    }


def lesson_after(folder: str, language: Language) -> str:
    """Return the number and the title of the next lesson, or "" if there is no next lesson."""
    root = find_course()
    with suppress(OSError, ValueError, KeyError, TypeError):
        course = read_course(root, language) if root else ()
        here = next((each.number for each in course if each.folder == folder), None)
        return next((f"{each.number}: {each.title}" for each in course if each.number - 1 == here), "")
    return ""


def has_seen(lesson: str, task: str) -> bool:
    """Return whether the learner has passed a task or has looked at its solution, as progress records it."""
    try:
        known = store.read()["lessons"].get(lesson, {}).get(task)
    except store.StoreError:
        return False
    return known is not None and (known["passed"] is not None or known["solution"])


def note_solution(lesson: str, task: str) -> None:
    """Record that the learner looked at a worked solution."""
    record.solution(lesson, task)
