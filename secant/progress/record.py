"""Functions that record a learner's actions and never raise an error.

A change that cannot be saved is kept in memory and saved with the next change. For example, this code
records a check:

    recorded = record.check("03_backward_and_grad", rows)
    print(recorded.new, recorded.problem)
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secant.language import Language, language
from secant.progress import facts as notes
from secant.progress import store
from secant.progress.course import any_course
from secant.progress.facts import Facts
from secant.progress.rewards import Level, earn, experience, level

_MAX_PENDING = 1000  # maximum number of changes that wait in memory until the file can be written
_pending: dict[Path, list[Callable[[Facts], None]]] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class RecordResult:
    """The outcome of recording a change.

    Attributes:
        new: the ids of the achievements that the change earned.
        problem: a sentence on why the change could not be saved as usual; None if there was no problem.
        xp: the experience points gained by the change.
        level: the level, if a new one was reached.
        is_saved: whether the change is saved in the file.
    """

    new: list[str]
    problem: str | None = None
    xp: int = 0
    level: Level | None = None
    is_saved: bool = True


def check(
    lesson: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    whole: bool = False,
    hidden: bool = True,
    answers: Mapping[str, str] | None = None,
    course: Path | None = None,
    message_language: Language | None = None,
) -> RecordResult:
    """Record the results of a check.

    Args:
        lesson: the lesson's folder.
        rows: the public fields of each checked task's result.
        whole: whether a check of the whole lesson was requested, even if only one task has a result.
        hidden: whether hidden tests ran too; an answer that has passed only visible tests does not count as
            passed.
        answers: the code of the answers, keyed by task, so that the same answer checked again is not a new
            try; only hashes of the code are stored.
        course: the folder with course/ and release/; by default it is searched for.
        message_language: the language in which a problem is described.
    """
    timestamp = store.now()
    return _save(
        lambda facts: notes.note_check(
            facts, lesson, rows, timestamp, whole=whole, hidden=hidden, answers=answers
        ),
        course,
        message_language,
    )


def hint(lesson: str, task: str, number: int) -> RecordResult:
    """Record that a hint was asked for, so that the hint can be shown again later.

    The hint counts only if the task has not been passed before.
    """
    return _save(lambda facts: notes.note_hint(facts, lesson, task, number), earns=False)


def solution(lesson: str, task: str) -> RecordResult:
    """Record that a worked solution was looked at; it counts only if the task was not passed before."""
    return _save(lambda facts: notes.note_solution(facts, lesson, task), earns=False)


def prediction(name: str, choice: str, right: str | None) -> RecordResult:
    """Record a choice for a prediction; only the first choice counts.

    Args:
        name: the prediction's name, which begins with its lesson's number.
        choice: the letter of the choice.
        right: the correct letter; None if it is to be read from the lesson's notebook later.
    """
    timestamp = store.now()
    return _save(lambda facts: notes.note_prediction(facts, name, choice, right, timestamp), earns=False)


def review(name: str, *, right: bool) -> RecordResult:
    """Record whether the learner's answer was right when a prediction was asked again for review."""
    timestamp = store.now()
    return _save(lambda facts: notes.note_review(facts, name, right, timestamp), earns=False)


def reviewing(enabled: bool) -> RecordResult:
    """Record whether the learner wants to review earlier predictions."""

    def change(facts: Facts) -> None:
        facts["reviewing"] = enabled

    return _save(change, earns=False)


def merge(other: Facts) -> RecordResult:
    """Merge the progress from another file into the stored progress, and keep the better of two results."""

    def add(facts: Facts) -> None:
        facts.update(notes.merge(facts, other))

    return _save(add, wait=False)


def _save(
    note: Callable[[Facts], None],
    course: Path | None = None,
    message_language: Language | None = None,
    *,
    wait: bool = True,
    earns: bool = True,
) -> RecordResult:
    """Save a change, together with earlier changes that could not be saved.

    Args:
        note: a function that makes the change.
        course: the course's folder, which is needed to find newly earned achievements.
        message_language: the language in which a problem is described.
        wait: whether the change may be saved later, if it cannot be saved now.
        earns: whether the change may earn achievements. If not, and if no earlier change is waiting, the
            lessons need not be read.
    """
    message_language = message_language or language()
    new_achievements: list[str] = []
    xp = [0, 0]  # experience points before and after the change
    with _lock:
        pending = _pending.setdefault(store.path(), [])
        changes = [*pending, note]

        def change(facts: Facts) -> Facts:
            xp[0] = experience(facts)
            for apply in changes:
                apply(facts)
            xp[1] = experience(facts)
            if earns or pending:
                new_achievements.extend(earn(facts, any_course(course), store.now()))
            return facts

        try:
            renamed_path = store.update(change)
        except store.StoreError as error:
            if wait:
                pending[:] = changes[-_MAX_PENDING:]
            return RecordResult([], error.sentence(message_language), is_saved=False)
        pending.clear()
    before, after = (level(points, message_language) for points in xp)
    problem = _replaced_file_message(renamed_path, message_language) if renamed_path else None
    return RecordResult(
        new_achievements, problem, xp[1] - xp[0], after if after.number > before.number else None
    )


def _replaced_file_message(renamed_path: Path, message_language: Language) -> str:
    words = {
        "en": "The file with your progress could not be read, or not all of it. "
        f"It is now in {renamed_path}, and a new one was started with what could be read.",
        "ko": f"진행 상황 파일을 (모두는) 읽을 수 없어 {renamed_path}에 따로 두고, "
        "읽은 내용으로 새로 시작했습니다.",
    }
    return words[message_language]
