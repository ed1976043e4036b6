"""What changed since the last report: the figures that it showed are kept, by pseudonym.

Two reports of the same gradebook, such as one in each language, say the same: what is compared is the last
figures that differ.
"""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.report.figures import LessonFigures
from secant.files import read_json, replace_file

FOLDER = ".last"  # in the course's folder of reports
_NOTABLE = 0.005  # of the points: a smaller difference is that of a float


@dataclass(frozen=True)
class Changes:
    """What changed.

    Attributes:
        since: when the figures were taken that these are compared with, in local time.
        handed_in: how many more students have handed in.
        means: the mean share of the points, before and now; None if there was or is none.
        better, worse: whose share has changed.
        tasks: how many passed a task before and now, where that has changed.
        mistakes: how many ran into a misconception before and now, by its key, where that has changed.
    """

    since: str
    handed_in: int
    means: tuple[float, float] | None
    better: Sequence[str]
    worse: Sequence[str]
    tasks: Mapping[str, tuple[int, int]]
    mistakes: Mapping[str, tuple[int, int]]

    @property
    def are_none(self) -> bool:
        """Whether all is as it was."""
        return not (self.handed_in or self.better or self.worse or self.tasks or self.mistakes)


def compare(
    figures: LessonFigures, place: Path, pseudonym: Callable[[str], str], now: datetime
) -> Changes | None:
    """Compare figures with those of the last report, and keep them for the next one.

    Args:
        figures: a lesson's.
        place: the file in which they are kept.
        pseudonym: of a student, by the name that the figures have.
        now: the time.

    Returns:
        None if this is the first report.

    Raises:
        OSError: they cannot be kept.
    """
    kept: list[dict[str, Any]] = read_json(place, _complete, [])
    taken = _taken(figures, pseudonym)
    if not kept or kept[-1]["taken"] != taken:
        kept = [*kept[-1:], {"when": f"{now:%Y-%m-%d %H:%M}", "taken": taken}]
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, json.dumps(kept).encode(), private=True)
    if len(kept) < 2:
        return None
    return _changes(kept[0], taken, {pseudonym(work.student): work.student for work in figures.works})


def _complete(sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the stored sets of figures, at most two, if each has a time and figures; otherwise none."""
    return sets if all(each["when"] and each["taken"] for each in sets) else []


def _taken(figures: LessonFigures, pseudonym: Callable[[str], str]) -> dict[str, Any]:
    handed = [work for work in figures.works if work.state != "absent"]
    return {
        "shares": {pseudonym(work.student): work.share for work in handed},
        "passed": {task.id: task.passed for task in figures.tasks},
        "mistakes": {one.key: len(one.students) for one in figures.misconceptions},
    }


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], students: Mapping[str, str]) -> Changes:
    was, shares = before["taken"]["shares"], now["shares"]
    both = {
        students[who]: shares[who] - was[who]
        for who in shares
        if was.get(who) is not None and shares[who] is not None
    }
    means = [[share for share in each.values() if share is not None] for each in (was, shares)]
    return Changes(
        since=before["when"],
        handed_in=len(shares) - len(was),
        means=(statistics.fmean(means[0]), statistics.fmean(means[1])) if all(means) else None,
        better=sorted(who for who, change in both.items() if change > _NOTABLE),
        worse=sorted(who for who, change in both.items() if change < -_NOTABLE),
        tasks=_differing(before["taken"]["passed"], now["passed"]),
        mistakes=_differing(before["taken"]["mistakes"], now["mistakes"]),
    )


def _differing(was: Mapping[str, int], now: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    names = [*now, *(name for name in was if name not in now)]
    return {name: pair for name in names if (pair := (was.get(name, 0), now.get(name, 0)))[0] != pair[1]}
