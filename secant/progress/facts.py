"""What is remembered of a learner, as plain data, and how it grows. Points once reached are never taken away.

No answer is kept: of a wrong one only a hash, to tell a new try from the same one checked again.
"""

import ast
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict, TypeVar

VERSION = 1
#: Outcomes that say something about an answer that somebody has written.
WRONG = frozenset({"wrong", "crashed", "timed_out"})
_MANY = 50  # wrong tries of one task that are told apart


class Pass(TypedDict):
    """The first time that a task passed all its tests; it stays as it was then."""

    when: str
    points: float
    tries: int  # different wrong answers before
    hints: int
    solution: bool  # whether the worked solution was looked at before


class Task(TypedDict):
    """One task; `points` are the most that were reached, `outcome` is the last.

    `visible` is as `passed`, where there are no hidden tests: in a class's edition.
    """

    points: float
    outcome: str
    wrong: list[str]
    hints: list[int]
    solution: bool
    passed: Pass | None
    visible: Pass | None


class Prediction(TypedDict):
    """The first choice at a prediction, and the right letter if it is known."""

    first: str
    right: str | None
    when: str


class Review(TypedDict):
    """How often a prediction was answered rightly when it was asked once more, and when it was asked last."""

    times: int
    when: str


class Last(TypedDict):
    """The last check; `task` only if it was of one task."""

    lesson: str
    task: str | None
    when: str


class Facts(TypedDict):
    """All of it. Keys: a lesson's folder, then a task's id; a prediction's name; an achievement's id.

    Times are ISO 8601 in UTC, all of one form, so that they compare as text.
    """

    version: int
    lessons: dict[str, dict[str, Task]]
    predictions: dict[str, Prediction]
    last: Last | None
    earned: dict[str, str]
    reviews: dict[str, Review]
    reviewing: bool  # whether predictions are to be asked once more


def nothing() -> Facts:
    """Return the facts of somebody who begins."""
    return {
        "version": VERSION,
        "lessons": {},
        "predictions": {},
        "last": None,
        "earned": {},
        "reviews": {},
        "reviewing": True,
    }


def number_of(name: str) -> int:
    """Return the lesson's number with which its folder, and each of its predictions, begins; 0 for none."""
    digits = name[: len(name) - len(name.lstrip("0123456789"))]
    return int(digits) if 0 < len(digits) < 4 and digits.isascii() else 0


# --- How they grow ---


def note_review(facts: Facts, name: str, right: bool, when: str) -> None:
    """Note how a prediction was answered once more: after a wrong answer it begins anew."""
    if name in facts["predictions"]:
        before = facts["reviews"].get(name)
        times = (before["times"] if before else 0) + 1 if right else 0
        facts["reviews"][name] = {"times": times, "when": when}


def _task(facts: Facts, lesson: str, task: str) -> Task:
    new: Task = {
        "points": 0.0,
        "outcome": "not_attempted",
        "wrong": [],
        "hints": [],
        "solution": False,
        "passed": None,
        "visible": None,
    }
    return facts["lessons"].setdefault(lesson, {}).setdefault(task, new)


def fingerprint(answer: str) -> str:
    """Return a short name for what an answer does: spaces and comments do not make another answer."""
    try:
        meaning = ast.dump(ast.parse(answer))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        meaning = "".join(answer.split())
    return hashlib.sha256(meaning.encode("utf-8", "replace")).hexdigest()[:16]


def note_check(
    facts: Facts,
    lesson: str,
    rows: Iterable[Mapping[str, Any]],
    when: str,
    *,
    whole: bool = False,
    hidden: bool = True,
    answers: Mapping[str, str] | None = None,
) -> None:
    """Note what a check has found.

    Args:
        facts: what they are added to.
        lesson: the lesson's folder.
        rows: the public fields of each task that was checked.
        when: the time.
        whole: whether the whole lesson was asked for, though perhaps one task alone was decided.
        hidden: whether hidden tests looked too; without them no points count, and the pass is `visible`.
        answers: the answers that were checked, by task; without one, what is said of it tells tries apart.
    """
    rows = [row for row in rows if row["outcome"] != "grader_failure"]  # which says nothing of the learner
    for row in rows:
        task, outcome = _task(facts, lesson, row["id"]), row["outcome"]
        task["outcome"] = outcome
        if outcome == "passed":
            if hidden:
                task["points"] = max(task["points"], float(row["points"]))
                task["passed"] = task["passed"] or _pass(task, row, when)
            else:
                task["visible"] = task["visible"] or _pass(task, row, when)
        elif outcome in WRONG and not task["passed"]:
            tried = fingerprint((answers or {}).get(row["id"], row["message"]))
            if tried not in task["wrong"] and len(task["wrong"]) < _MANY:
                task["wrong"].append(tried)
    if rows:
        alone = rows[0]["id"] if len(rows) == 1 and not whole else None
        facts["last"] = {"lesson": lesson, "task": alone, "when": when}


def _pass(task: Task, row: Mapping[str, Any], when: str) -> Pass:
    return {
        "when": when,
        "points": float(row["points"]),
        "tries": len(task["wrong"]),
        "hints": len(task["hints"]),
        "solution": task["solution"],
    }


def note_hint(facts: Facts, lesson: str, task: str, number: int) -> None:
    """Note that a hint was asked for; what a task was passed with stays as it was then."""
    entry = _task(facts, lesson, task)
    if number not in entry["hints"]:
        entry["hints"].append(number)


def note_solution(facts: Facts, lesson: str, task: str) -> None:
    """Note that the worked solution was looked at before the task was passed."""
    entry = _task(facts, lesson, task)
    entry["solution"] = entry["solution"] or not entry["passed"]


def note_prediction(facts: Facts, name: str, choice: str, right: str | None, when: str) -> None:
    """Note a choice; the first one stays. The right letter may come to be known later."""
    kept = facts["predictions"].setdefault(name, {"first": choice, "right": right, "when": when})
    kept["right"] = kept["right"] or right


# --- Two of them ---


def _better_pass(one: Pass | None, other: Pass | None) -> Pass | None:
    found = [entry for entry in (one, other) if entry]
    return min(found, key=lambda p: (p["solution"], p["hints"], -p["points"], p["when"]), default=None)


def _merge_task(one: Task, other: Task) -> Task:
    passed = _better_pass(one["passed"], other["passed"])
    return {
        "points": max(one["points"], other["points"]),
        "outcome": one["outcome"] if one["outcome"] != "not_attempted" else other["outcome"],
        "wrong": list(dict.fromkeys(one["wrong"] + other["wrong"]))[:_MANY],
        "hints": sorted({*one["hints"], *other["hints"]}),
        "solution": one["solution"] or other["solution"],
        "passed": passed,
        "visible": _better_pass(one["visible"], other["visible"]),
    }


def merge(one: Facts, other: Facts) -> Facts:
    """Return the best of both: nothing that either has reached is lost."""
    lessons: dict[str, dict[str, Task]] = {}
    for facts in (one, other):
        for lesson, tasks in facts["lessons"].items():
            merged = lessons.setdefault(lesson, {})
            for name, task in tasks.items():
                merged[name] = _merge_task(merged[name], task) if name in merged else task
    predictions = dict(one["predictions"])
    for name, prediction in other["predictions"].items():
        first = min(predictions.get(name, prediction), prediction, key=lambda p: p["when"])
        right = predictions.get(name, prediction)["right"] or prediction["right"]
        predictions[name] = {**first, "right": right}
    lasts = [facts["last"] for facts in (one, other) if facts["last"]]
    earned = {
        name: min(times)
        for name in {*one["earned"], *other["earned"]}
        if (times := [facts["earned"][name] for facts in (one, other) if name in facts["earned"]])
    }
    return {
        "version": VERSION,
        "lessons": lessons,
        "predictions": predictions,
        "last": max(lasts, key=lambda last: last["when"], default=None),
        "earned": earned,
        "reviews": {
            name: max(found, key=lambda review: review["when"])
            for name in {*one["reviews"], *other["reviews"]}
            if (found := [facts["reviews"][name] for facts in (one, other) if name in facts["reviews"]])
        },
        "reviewing": one["reviewing"],
    }


# --- From a file ---


_Kind = TypeVar("_Kind")
_LONGEST_NAME = 60  # of an entry that was left out


class _Reader:
    """Takes what it expects from parsed JSON; anything else is a ValueError."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, dict):
            raise ValueError("not an object")
        self.data = data

    def text(self, name: str) -> str:
        return self._of(name, str)

    def time(self, name: str) -> str:
        """Return a time in UTC, in the one form that compares as text; a time without a zone is refused."""
        value = datetime.fromisoformat(self.text(name))
        if value.tzinfo is None:
            raise ValueError(f"{name} has no time zone")
        try:
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        except OverflowError as error:
            raise ValueError(f"{name} is outside the calendar") from error

    def maybe_text(self, name: str) -> str | None:
        return None if self.data.get(name) is None else self.text(name)

    def number(self, name: str) -> float:
        value: Any = self.data.get(name)
        if type(value) not in (int, float) or not 0 <= value < 1e6:  # not nan either
            raise ValueError(f"{name} is missing or something else")
        return float(value)

    def yes(self, name: str) -> bool:
        return self._of(name, bool)

    def each(self, name: str, kind: type) -> list[Any]:
        values = self._of(name, list)
        if not all(type(value) is kind for value in values):
            raise ValueError(f"{name} holds something else")
        return values

    def items(self, name: str) -> dict[str, Any]:
        return self._of(name, dict)

    def _of(self, name: str, kind: type[_Kind]) -> _Kind:
        value = self.data.get(name)
        if not isinstance(value, kind):
            raise ValueError(f"{name} is missing or something else")
        return value


def _read_pass(data: object) -> Pass:
    read = _Reader(data)
    return {
        "when": read.time("when"),
        "points": read.number("points"),
        "tries": int(read.number("tries")),
        "hints": int(read.number("hints")),
        "solution": read.yes("solution"),
    }


def _read_task(data: object) -> Task:
    read = _Reader(data)
    return {
        "points": read.number("points"),
        "outcome": read.text("outcome"),
        "wrong": read.each("wrong", str),
        "hints": read.each("hints", int),
        "solution": read.yes("solution"),
        "passed": _read_pass(read.data["passed"]) if read.data.get("passed") is not None else None,
        # Not in the files of earlier versions.
        "visible": _read_pass(read.data["visible"]) if read.data.get("visible") is not None else None,
    }


def _read_prediction(data: object) -> Prediction:
    read = _Reader(data)
    return {"first": read.text("first"), "right": read.maybe_text("right"), "when": read.time("when")}


def _read_review(data: object) -> Review:
    read = _Reader(data)
    return {"times": int(read.number("times")), "when": read.time("when")}


def _read_last(data: object) -> Last:
    read = _Reader(data)
    return {"lesson": read.text("lesson"), "task": read.maybe_text("task"), "when": read.time("when")}


class _Entries:
    """Reads the entries of a file, and leaves out what cannot be read if `left_out` is a list.

    Attributes:
        left_out: receives the name of each entry that was left out; None to raise ValueError instead.
    """

    def __init__(self, left_out: list[str] | None) -> None:
        self.left_out = left_out

    def one(self, name: str, read: Callable[[object], _Kind], entry: object) -> _Kind | None:
        """Return an entry; None if it was left out."""
        try:
            return read(entry)
        except ValueError:
            if self.left_out is None:
                raise
            self.left_out.append(re.sub(r"[^\w .-]", "?", name)[:_LONGEST_NAME])
            return None

    def each(self, kind: str, read: Callable[[object], _Kind], entries: object) -> dict[str, _Kind]:
        """Return the entries of an object, by name."""
        found = self.one(kind, lambda given: _Reader(given).data, entries) or {}
        kept = {name: self.one(f"{kind} {name}", read, entry) for name, entry in found.items()}
        return {name: entry for name, entry in kept.items() if entry is not None}


def _read_earned(data: object) -> str:
    return _Reader({"when": data}).time("when")


def _read_reviewing(data: object) -> bool:
    return _Reader({"reviewing": data}).yes("reviewing")


def from_json(data: object, left_out: list[str] | None = None) -> Facts:
    """Return facts from parsed JSON of this version.

    Args:
        data: the parsed JSON.
        left_out: if given, an entry that cannot be read is left out, and its name is added here.

    Raises:
        ValueError: if it is something else.
    """
    found, entries = _Reader(data).data, _Entries(left_out)
    last = found.get("last")
    reviewing = entries.one("reviewing", _read_reviewing, found.get("reviewing", True))
    return {
        "version": VERSION,
        "lessons": entries.each(
            "lesson", lambda tasks: entries.each("task", _read_task, tasks), found.get("lessons")
        ),
        "predictions": entries.each("prediction", _read_prediction, found.get("predictions")),
        "last": None if last is None else entries.one("last", _read_last, last),
        "earned": entries.each("achievement", _read_earned, found.get("earned")),
        "reviews": entries.each("review", _read_review, found.get("reviews", {})),  # not in earlier versions
        "reviewing": True if reviewing is None else reviewing,
    }
