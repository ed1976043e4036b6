"""A learner's progress as plain data, and the changes to it. Points once earned are never taken away.

No answer is stored. For a wrong answer, a hash is stored, to distinguish a new try from the same answer
checked again.
"""

import ast
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict, TypeVar

VERSION = 1
#: The outcomes that a task can have if the learner has written an answer and the answer is wrong.
WRONG = frozenset({"wrong", "crashed", "timed_out"})
_MAX_TRIES = 50  # maximum number of different wrong answers whose hashes are stored for one task


class PassRecord(TypedDict):
    """The record of the first check in which a task passed all its tests. Later checks do not change it."""

    when: str
    points: float
    tries: int  # the number of different wrong answers before the pass
    hints: int
    solution: bool  # whether the learner looked at the worked solution before the pass


class TaskRecord(TypedDict):
    """The progress in one task: the most `points` earned in a check, and the last check's `outcome`.

    `visible` is the counterpart of `passed` for visible tests alone. It is used in the class edition of the
    course (without hidden tests).
    """

    points: float
    outcome: str
    wrong: list[str]
    hints: list[int]
    solution: bool
    passed: PassRecord | None
    visible: PassRecord | None


class PredictionRecord(TypedDict):
    """The first choice made for a prediction, and the letter of the right choice if it is known."""

    first: str
    right: str | None
    when: str


class ReviewRecord(TypedDict):
    """A prediction's reviews: the number of right answers in a row, and the timestamp of the last review."""

    times: int
    when: str


class LastCheck(TypedDict):
    """The last check of answers; `task` is set only if a single task was checked."""

    lesson: str
    task: str | None
    when: str


class Facts(TypedDict):
    """All of a learner's progress.

    `lessons` is keyed by the lesson's folder, then by the task's id; `predictions` and `reviews` by the
    prediction's name; `earned` by the achievement's id. Timestamps are ISO 8601 strings in UTC, all in the
    same format, so that they can be compared as strings.
    """

    version: int
    lessons: dict[str, dict[str, TaskRecord]]
    predictions: dict[str, PredictionRecord]
    last: LastCheck | None
    earned: dict[str, str]
    reviews: dict[str, ReviewRecord]
    reviewing: bool  # whether the learner wants to review predictions


def empty_facts() -> Facts:
    """Return the progress of a learner who has just begun."""
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
    """Return the lesson number at the start of a folder's or a prediction's name; 0 if there is none."""
    digits = name[: len(name) - len(name.lstrip("0123456789"))]
    return int(digits) if 0 < len(digits) < 4 and digits.isascii() else 0


# --- Changing the facts ---


def note_review(facts: Facts, name: str, is_right: bool, timestamp: str) -> None:
    """Record whether the learner's answer was right when a prediction was asked again.

    A wrong answer resets the number of right answers in a row.
    """
    if name in facts["predictions"]:
        review = facts["reviews"].get(name)
        times = (review["times"] if review else 0) + 1 if is_right else 0
        facts["reviews"][name] = {"times": times, "when": timestamp}


def _task_record(facts: Facts, lesson: str, task: str) -> TaskRecord:
    new_record: TaskRecord = {
        "points": 0.0,
        "outcome": "not_attempted",
        "wrong": [],
        "hints": [],
        "solution": False,
        "passed": None,
        "visible": None,
    }
    return facts["lessons"].setdefault(lesson, {}).setdefault(task, new_record)


def fingerprint(answer: str) -> str:
    """Return a short hash of an answer's code. Spaces and comments do not change it."""
    try:
        code = ast.dump(ast.parse(answer))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = "".join(answer.split())
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()[:16]


def note_check(
    facts: Facts,
    lesson: str,
    rows: Iterable[Mapping[str, Any]],
    timestamp: str,
    *,
    whole: bool = False,
    hidden: bool = True,
    answers: Mapping[str, str] | None = None,
) -> None:
    """Record the results of a check.

    Args:
        facts: the facts to change.
        lesson: the lesson's folder.
        rows: the public fields of each checked task's result.
        timestamp: the timestamp of the check.
        whole: whether a check of the whole lesson was requested, even if only one task has a result.
        hidden: whether hidden tests ran too; if they did not, no points count, and a pass is recorded as
            `visible`.
        answers: the answers that were checked, keyed by task. If `answers` lacks a task, the task's tries are
            distinguished by the check's message.
    """
    # Failures of the grader itself do not count.
    rows = [row for row in rows if row["outcome"] != "grader_failure"]
    for row in rows:
        task, outcome = _task_record(facts, lesson, row["id"]), row["outcome"]
        task["outcome"] = outcome
        if outcome == "passed":
            if hidden:
                task["points"] = max(task["points"], float(row["points"]))
                task["passed"] = task["passed"] or _pass(task, row, timestamp)
            else:
                task["visible"] = task["visible"] or _pass(task, row, timestamp)
        elif outcome in WRONG and not task["passed"]:
            answer_hash = fingerprint((answers or {}).get(row["id"], row["message"]))
            if answer_hash not in task["wrong"] and len(task["wrong"]) < _MAX_TRIES:
                task["wrong"].append(answer_hash)
    if rows:
        single_task = rows[0]["id"] if len(rows) == 1 and not whole else None
        facts["last"] = {"lesson": lesson, "task": single_task, "when": timestamp}


def _pass(task: TaskRecord, row: Mapping[str, Any], timestamp: str) -> PassRecord:
    return {
        "when": timestamp,
        "points": float(row["points"]),
        "tries": len(task["wrong"]),
        "hints": len(task["hints"]),
        "solution": task["solution"],
    }


def note_hint(facts: Facts, lesson: str, task: str, number: int) -> None:
    """Record that a hint was asked for. The record of an earlier pass does not change."""
    entry = _task_record(facts, lesson, task)
    if number not in entry["hints"]:
        entry["hints"].append(number)


def note_solution(facts: Facts, lesson: str, task: str) -> None:
    """Record that the worked solution was looked at, if the task had not been passed before."""
    entry = _task_record(facts, lesson, task)
    entry["solution"] = entry["solution"] or not entry["passed"]


def note_prediction(facts: Facts, name: str, choice: str, right: str | None, timestamp: str) -> None:
    """Record the first choice for a prediction.

    Later choices are ignored, but the correct letter may be added later.
    """
    entry = facts["predictions"].setdefault(name, {"first": choice, "right": right, "when": timestamp})
    entry["right"] = entry["right"] or right


# --- Merging the facts of two files ---


def _better_pass(one: PassRecord | None, other: PassRecord | None) -> PassRecord | None:
    passes = [entry for entry in (one, other) if entry]
    return min(passes, key=lambda p: (p["solution"], p["hints"], -p["points"], p["when"]), default=None)


def _merge_task(one: TaskRecord, other: TaskRecord) -> TaskRecord:
    passed = _better_pass(one["passed"], other["passed"])
    return {
        "points": max(one["points"], other["points"]),
        "outcome": one["outcome"] if one["outcome"] != "not_attempted" else other["outcome"],
        "wrong": list(dict.fromkeys(one["wrong"] + other["wrong"]))[:_MAX_TRIES],
        "hints": sorted({*one["hints"], *other["hints"]}),
        "solution": one["solution"] or other["solution"],
        "passed": passed,
        "visible": _better_pass(one["visible"], other["visible"]),
    }


def merge(one: Facts, other: Facts) -> Facts:
    """Merge the progress of two files, and keep the better of two results, so that nothing is lost."""
    lessons: dict[str, dict[str, TaskRecord]] = {}
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
    last_checks = [facts["last"] for facts in (one, other) if facts["last"]]
    earned_times = {
        name: min(times)
        for name in {*one["earned"], *other["earned"]}
        if (times := [facts["earned"][name] for facts in (one, other) if name in facts["earned"]])
    }
    return {
        "version": VERSION,
        "lessons": lessons,
        "predictions": predictions,
        "last": max(last_checks, key=lambda last: last["when"], default=None),
        "earned": earned_times,
        "reviews": {
            name: max(reviews, key=lambda review: review["when"])
            for name in {*one["reviews"], *other["reviews"]}
            if (reviews := [facts["reviews"][name] for facts in (one, other) if name in facts["reviews"]])
        },
        "reviewing": one["reviewing"],
    }


# --- Reading the facts from parsed JSON ---


_Kind = TypeVar("_Kind")
_LONGEST_NAME = 60  # maximum number of characters of an unreadable entry's name that are shown


class _Reader:
    """A reader for the fields of parsed JSON, which raises ValueError for an unexpected value."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, dict):
            raise ValueError("not an object")
        self.data = data

    def text(self, name: str) -> str:
        return self._typed_value(name, str)

    def time(self, name: str) -> str:
        """Return a timestamp in UTC, in the format of `Facts`; refuse a timestamp without a time zone."""
        value = datetime.fromisoformat(self.text(name))
        if value.tzinfo is None:
            raise ValueError(f"{name} has no time zone")
        try:
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        except OverflowError as error:
            raise ValueError(f"{name} is outside the calendar") from error

    def optional_text(self, name: str) -> str | None:
        return None if self.data.get(name) is None else self.text(name)

    def number(self, name: str) -> float:
        value: Any = self.data.get(name)
        if type(value) not in (int, float) or not 0 <= value < 1e6:  # nan is also refused
            raise ValueError(f"{name} is missing or something else")
        return float(value)

    def flag(self, name: str) -> bool:
        return self._typed_value(name, bool)

    def list_of(self, name: str, kind: type) -> list[Any]:
        values = self._typed_value(name, list)
        if not all(type(value) is kind for value in values):
            raise ValueError(f"{name} holds something else")
        return values

    def items(self, name: str) -> dict[str, Any]:
        return self._typed_value(name, dict)

    def _typed_value(self, name: str, kind: type[_Kind]) -> _Kind:
        value = self.data.get(name)
        if not isinstance(value, kind):
            raise ValueError(f"{name} is missing or something else")
        return value


def _read_pass(data: object) -> PassRecord:
    reader = _Reader(data)
    return {
        "when": reader.time("when"),
        "points": reader.number("points"),
        "tries": int(reader.number("tries")),
        "hints": int(reader.number("hints")),
        "solution": reader.flag("solution"),
    }


def _read_task(data: object) -> TaskRecord:
    reader = _Reader(data)
    return {
        "points": reader.number("points"),
        "outcome": reader.text("outcome"),
        "wrong": reader.list_of("wrong", str),
        "hints": reader.list_of("hints", int),
        "solution": reader.flag("solution"),
        "passed": _read_pass(reader.data["passed"]) if reader.data.get("passed") is not None else None,
        # Files written by an earlier version of Secant do not have this field.
        "visible": _read_pass(reader.data["visible"]) if reader.data.get("visible") is not None else None,
    }


def _read_prediction(data: object) -> PredictionRecord:
    reader = _Reader(data)
    return {
        "first": reader.text("first"),
        "right": reader.optional_text("right"),
        "when": reader.time("when"),
    }


def _read_review(data: object) -> ReviewRecord:
    reader = _Reader(data)
    return {"times": int(reader.number("times")), "when": reader.time("when")}


def _read_last(data: object) -> LastCheck:
    reader = _Reader(data)
    return {
        "lesson": reader.text("lesson"),
        "task": reader.optional_text("task"),
        "when": reader.time("when"),
    }


class _Entries:
    """A reader for the entries of a progress file. An unreadable entry is skipped, or a ValueError is raised.

    Attributes:
        left_out: the list that receives the name of each entry skipped; None to raise ValueError instead.
    """

    def __init__(self, left_out: list[str] | None) -> None:
        self.left_out = left_out

    def read_one(self, name: str, read: Callable[[object], _Kind], entry: object) -> _Kind | None:
        """Read and return an entry; return None if it is unreadable and was skipped."""
        try:
            return read(entry)
        except ValueError:
            if self.left_out is None:
                raise
            self.left_out.append(re.sub(r"[^\w .-]", "?", name)[:_LONGEST_NAME])
            return None

    def read_each(self, kind: str, read: Callable[[object], _Kind], entries: object) -> dict[str, _Kind]:
        """Return the readable entries of a JSON object, keyed by name."""
        items = self.read_one(kind, lambda fields: _Reader(fields).data, entries) or {}
        results = {name: self.read_one(f"{kind} {name}", read, entry) for name, entry in items.items()}
        return {name: entry for name, entry in results.items() if entry is not None}


def _read_earned(data: object) -> str:
    return _Reader({"when": data}).time("when")


def _read_reviewing(data: object) -> bool:
    return _Reader({"reviewing": data}).flag("reviewing")


def from_json(data: object, left_out: list[str] | None = None) -> Facts:
    """Return the facts that parsed JSON holds, in the current version of the format.

    Args:
        data: the parsed JSON.
        left_out: a list; if given, an entry that cannot be read is skipped, and its name is added to the
            list.

    Raises:
        ValueError: if the data does not have the expected structure.
    """
    fields, entries = _Reader(data).data, _Entries(left_out)
    last = fields.get("last")
    reviewing = entries.read_one("reviewing", _read_reviewing, fields.get("reviewing", True))
    return {
        "version": VERSION,
        "lessons": entries.read_each(
            "lesson", lambda tasks: entries.read_each("task", _read_task, tasks), fields.get("lessons")
        ),
        "predictions": entries.read_each("prediction", _read_prediction, fields.get("predictions")),
        "last": None if last is None else entries.read_one("last", _read_last, last),
        "earned": entries.read_each("achievement", _read_earned, fields.get("earned")),
        # Files written by an earlier version of Secant have no reviews.
        "reviews": entries.read_each("review", _read_review, fields.get("reviews", {})),
        "reviewing": True if reviewing is None else reviewing,
    }
