"""Changes since the last report, computed from figures that each report stores under pseudonyms.

Two reports of the same gradebook, such as one in each language, show the same changes. The reason is that a
report is compared with the last stored figures that differ from its own.
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

FOLDER = ".last"  # name of the subfolder of report/ in which figures are stored
_NOTABLE = 0.005  # minimum change of a score (0 to 1); a smaller change counts as a rounding error


@dataclass(frozen=True)
class Changes:
    """The changes in a lesson since an earlier report.

    Attributes:
        since: the date and time of the earlier figures, in local time.
        handed_in: the change in the number of students who have handed in the lesson.
        means: the mean score as a fraction of the points, before and now; None if there is no mean before or
            now.
        better, worse: the students whose score has risen, and those whose score has fallen.
        tasks: the number of students who passed a task, before and now, for each task where the number
            changed.
        mistakes: the number of students who had a misconception, before and now, keyed by
            `Misconception.key`, for each misconception where the number changed.
    """

    since: str
    handed_in: int
    means: tuple[float, float] | None
    better: Sequence[str]
    worse: Sequence[str]
    tasks: Mapping[str, tuple[int, int]]
    mistakes: Mapping[str, tuple[int, int]]

    @property
    def is_empty(self) -> bool:
        """True if nothing has changed."""
        return not (self.handed_in or self.better or self.worse or self.tasks or self.mistakes)


def compare(
    figures: LessonFigures, path: Path, pseudonym: Callable[[str], str], now: datetime
) -> Changes | None:
    """Compare a lesson's figures with those of the last report, and store them for the next report.

    Args:
        figures: the lesson's figures.
        path: the file that stores the figures.
        pseudonym: the function that turns a student's name in the figures into a pseudonym.
        now: the current time.

    Returns:
        The changes, or None if no earlier report with different figures is stored.

    Raises:
        OSError: the figures cannot be stored.
    """
    stored: list[dict[str, Any]] = read_json(path, _complete_snapshots, [])
    snapshot = _snapshot(figures, pseudonym)
    if not stored or stored[-1]["taken"] != snapshot:
        stored = [*stored[-1:], {"when": f"{now:%Y-%m-%d %H:%M}", "taken": snapshot}]
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(stored).encode(), private=True)
    if len(stored) < 2:
        return None
    return _changes(stored[0], snapshot, {pseudonym(work.student): work.student for work in figures.works})


def _complete_snapshots(snapshots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the stored sets of figures, or an empty list if any set lacks its timestamp or its figures."""
    return snapshots if all(snapshot["when"] and snapshot["taken"] for snapshot in snapshots) else []


def _snapshot(figures: LessonFigures, pseudonym: Callable[[str], str]) -> dict[str, Any]:
    submitted = [work for work in figures.works if work.state != "absent"]
    return {
        "shares": {pseudonym(work.student): work.share for work in submitted},
        "passed": {task.id: task.passed for task in figures.tasks},
        "mistakes": {
            misconception.key: len(misconception.students) for misconception in figures.misconceptions
        },
    }


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], students: Mapping[str, str]) -> Changes:
    shares_before, shares = before["taken"]["shares"], now["shares"]
    score_changes = {
        students[pseudonym]: shares[pseudonym] - shares_before[pseudonym]
        for pseudonym in shares
        if shares_before.get(pseudonym) is not None and shares[pseudonym] is not None
    }
    means = [[share for share in scores.values() if share is not None] for scores in (shares_before, shares)]
    return Changes(
        since=before["when"],
        handed_in=len(shares) - len(shares_before),
        means=(statistics.fmean(means[0]), statistics.fmean(means[1])) if all(means) else None,
        better=sorted(pseudonym for pseudonym, change in score_changes.items() if change > _NOTABLE),
        worse=sorted(pseudonym for pseudonym, change in score_changes.items() if change < -_NOTABLE),
        tasks=_differences(before["taken"]["passed"], now["passed"]),
        mistakes=_differences(before["taken"]["mistakes"], now["mistakes"]),
    )


def _differences(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    names = [*now, *(name for name in before if name not in now)]
    return {name: pair for name in names if (pair := (before.get(name, 0), now.get(name, 0)))[0] != pair[1]}
