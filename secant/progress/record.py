"""Notes what a learner does. Nothing here raises: what cannot be kept now is kept with the next note.

recorded = record.check("03_backward_and_grad", rows)
recorded.new, recorded.problem
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

_MANY = 1000  # notes that wait for a disk
_waiting: dict[Path, list[Callable[[Facts], None]]] = {}
_alone = threading.Lock()


@dataclass(frozen=True)
class Recorded:
    """The outcome of recording a note.

    Attributes:
        new: the ids of achievements earned just now.
        problem: why it could not be kept as usual, a sentence.
        xp: the experience points gained by it.
        level: the level, if it is a new one.
        kept: whether it stands in the file now.
    """

    new: list[str]
    problem: str | None = None
    xp: int = 0
    level: Level | None = None
    kept: bool = True


def check(
    lesson: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    whole: bool = False,
    hidden: bool = True,
    answers: Mapping[str, str] | None = None,
    course: Path | None = None,
    said_in: Language | None = None,
) -> Recorded:
    """Note what a check has found.

    Args:
        lesson: the lesson's folder.
        rows: the public fields of each task that was checked.
        whole: whether the whole lesson was asked for, though perhaps one task alone was decided.
        hidden: whether hidden tests looked too; what only visible ones have seen does not count as passed.
        answers: the answers' code by task, so that one that is checked again is no new try; only hashes stay.
        course: the folder with course/ and release/, found by itself if not named.
        said_in: the language of a problem.
    """
    when = store.now()
    return _keep(
        lambda facts: notes.note_check(
            facts, lesson, rows, when, whole=whole, hidden=hidden, answers=answers
        ),
        course,
        said_in,
    )


def hint(lesson: str, task: str, number: int) -> Recorded:
    """Note that a hint was asked for, so that it is shown again; it counts only before the task is passed."""
    return _keep(lambda facts: notes.note_hint(facts, lesson, task, number), earns=False)


def solution(lesson: str, task: str) -> Recorded:
    """Note that a worked solution was looked at; it counts only if the task was not passed before."""
    return _keep(lambda facts: notes.note_solution(facts, lesson, task), earns=False)


def prediction(name: str, choice: str, right: str | None) -> Recorded:
    """Note a choice at a prediction, whose name begins with its lesson's number; the first choice counts.

    Args:
        name: the prediction's.
        choice: the letter that was taken.
        right: the right one, if it is known here; else the lesson's notebook tells.
    """
    when = store.now()
    return _keep(lambda facts: notes.note_prediction(facts, name, choice, right, when), earns=False)


def review(name: str, *, right: bool) -> Recorded:
    """Note how a prediction was answered that was asked once more."""
    when = store.now()
    return _keep(lambda facts: notes.note_review(facts, name, right, when), earns=False)


def reviewing(wanted: bool) -> Recorded:
    """Note whether predictions are to be asked once more."""

    def change(facts: Facts) -> None:
        facts["reviewing"] = wanted

    return _keep(change, earns=False)


def merge(other: Facts) -> Recorded:
    """Add what another file holds: the best of both."""

    def add(facts: Facts) -> None:
        facts.update(notes.merge(facts, other))

    return _keep(add, wait=False)


def _keep(
    note: Callable[[Facts], None],
    course: Path | None = None,
    said_in: Language | None = None,
    *,
    wait: bool = True,
    earns: bool = True,
) -> Recorded:
    """Keep a note, and those that could not be kept before it.

    Args:
        note: what is to be changed.
        course: for achievements.
        said_in: the language of a problem.
        wait: whether it may be kept later, if not now.
        earns: whether something may be earned by it; only then are the lessons read.
    """
    said_in = said_in or language()
    new: list[str] = []
    xp = [0, 0]  # before and after
    with _alone:
        waiting = _waiting.setdefault(store.path(), [])
        todo = [*waiting, note]

        def change(facts: Facts) -> Facts:
            xp[0] = experience(facts)
            for each in todo:
                each(facts)
            xp[1] = experience(facts)
            if earns or waiting:
                new.extend(earn(facts, any_course(course), store.now()))
            return facts

        try:
            aside = store.update(change)
        except store.StoreError as error:
            if wait:
                waiting[:] = todo[-_MANY:]
            return Recorded([], error.said(said_in), kept=False)
        waiting.clear()
    before, now = (level(reached, said_in) for reached in xp)
    problem = _begun_anew(aside, said_in) if aside else None
    return Recorded(new, problem, xp[1] - xp[0], now if now.number > before.number else None)


def _begun_anew(aside: Path, said_in: Language) -> str:
    words = {
        "en": "The file with your progress could not be read, or not all of it. "
        f"It is now in {aside}, and a new one was started with what could be read.",
        "ko": f"진행 상황 파일을 (모두는) 읽을 수 없어 {aside}에 따로 두고, 읽은 내용으로 새로 시작했습니다.",
    }
    return words[said_in]
