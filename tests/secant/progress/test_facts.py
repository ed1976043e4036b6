"""Tests of how a learner's facts grow, are merged and are read; what was reached is never lost."""

import copy
import json
from typing import Any

import pytest

from secant.progress import store
from secant.progress.facts import Facts, empty_facts, fingerprint, from_json, merge, note_check, number_of
from tests.secant.progress.diary import Diary, folder


def full_facts() -> Facts:
    diary = Diary()
    diary.predict(1, "one", "A")
    diary.take_hint(1, "easy")
    diary.check(1, "easy", "wrong", "return 1")
    diary.pass_lesson(1)
    diary.facts["earned"]["first_pass"] = "2026-11-22T20:00:09.000000+00:00"
    return diary.facts


def test_facts_are_equal_after_writing_and_reading() -> None:
    assert from_json(json.loads(json.dumps(full_facts()))) == full_facts()
    assert from_json(json.loads(json.dumps(empty_facts()))) == empty_facts()


def test_pass_of_visible_tests_is_stored_separately() -> None:
    diary = Diary()
    diary.check(1, "easy", hidden=False)
    task = diary.facts["lessons"][folder(1)]["easy"]
    assert (task["points"], task["passed"]) == (0.0, None)
    assert task["visible"]["points"] == 2.0
    assert from_json(json.loads(json.dumps(diary.facts))) == diary.facts
    assert merge(diary.facts, empty_facts()) == diary.facts == merge(empty_facts(), diary.facts)
    older_facts = json.loads(json.dumps(diary.facts))
    del older_facts["lessons"][folder(1)]["easy"]["visible"]
    assert from_json(older_facts)["lessons"][folder(1)]["easy"]["visible"] is None


def make_damaged(path: str, value: Any) -> dict[str, Any]:
    data: Any = copy.deepcopy(full_facts())
    node = data
    *parents, key = path.split("/")
    for parent in parents:
        node = node[parent]
    node[key] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("lessons", []),
        ("lessons/01_lesson", 3),
        ("lessons/01_lesson/easy", None),
        ("lessons/01_lesson/easy/points", "2"),
        ("lessons/01_lesson/easy/points", True),
        ("lessons/01_lesson/easy/points", -1),
        ("lessons/01_lesson/easy/points", float("nan")),
        ("lessons/01_lesson/easy/wrong", [1]),
        ("lessons/01_lesson/easy/hints", ["1"]),
        ("lessons/01_lesson/easy/passed", {}),
        ("lessons/01_lesson/easy/passed/when", "yesterday"),
        ("predictions", {"1 one": "A"}),
        ("last", {"lesson": 1}),
        ("earned", {"first_pass": None}),
        ("earned", {"first_pass": "2026-11-01"}),
        ("predictions", {"1 one": {"first": "A", "right": None, "when": "2026-11-01T10:00:00"}}),
        ("predictions", {"1 one": {"first": "A", "right": None, "when": "0001-01-01T00:00:00+23:00"}}),
    ],
)
def test_malformed_progress_data_is_refused(path: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(make_damaged(path, value))


def test_times_are_stored_in_utc() -> None:
    data = make_damaged(
        "predictions", {"1 one": {"first": "A", "right": None, "when": "2026-11-01T09:00:00+09:00"}}
    )
    assert from_json(data)["predictions"]["1 one"]["when"] == "2026-11-01T00:00:00.000000+00:00"


def test_entry_that_cannot_be_read_is_left_out_alone() -> None:
    data = make_damaged("lessons/01_lesson/easy/passed/when", "2026-11-01")
    data["earned"] = {"<b>[x](y)": 1}
    omitted: list[str] = []
    facts = from_json(data, omitted)
    assert omitted == ["task easy", "achievement ?b??x??y?"]
    assert "easy" not in facts["lessons"]["01_lesson"]
    assert facts["predictions"] == from_json(make_damaged("earned", {}))["predictions"]


def test_message_names_the_omitted_entries_and_is_empty_without_any() -> None:
    assert store.incomplete_message([], "en") == ""
    assert "Left out (2): task easy, task hard." in store.incomplete_message(["task easy", "task hard"], "en")
    assert "뺐습니다(1개): task easy." in store.incomplete_message(["task easy"], "ko")


def test_points_never_fall() -> None:
    diary = Diary()
    diary.check(1, "easy")
    for outcome in ("wrong", "crashed", "not_attempted", "rejected"):
        diary.check(1, "easy", outcome)
    entry = diary.facts["lessons"][folder(1)]["easy"]
    assert (entry["points"], entry["outcome"]) == (2.0, "rejected")
    assert entry["passed"] is not None


def test_grader_failure_changes_no_progress() -> None:
    diary = Diary()
    diary.check(1, "easy", "grader_failure")
    assert diary.facts == empty_facts()


def test_wrong_tries_without_code_differ_by_their_message() -> None:
    facts = empty_facts()
    for message in ("got 1", "got 1", "got 2"):
        note_check(
            facts, "01_lesson", [{"id": "easy", "outcome": "wrong", "points": 0, "message": message}], "t"
        )
    assert len(facts["lessons"]["01_lesson"]["easy"]["wrong"]) == 2


def test_progress_stores_no_answer_code() -> None:
    diary = Diary()
    diary.check(1, "easy", "wrong", "my_secret = 1")
    assert "secret" not in json.dumps(diary.facts)


def test_answer_with_a_syntax_error_has_a_fingerprint() -> None:
    assert fingerprint("def f(:  \n") == fingerprint("def f(:") != fingerprint("def g(:")
    assert fingerprint("\ud800 \x00")


def test_last_check_records_its_task_or_the_whole_lesson() -> None:
    facts = empty_facts()
    rows = [{"id": name, "outcome": "wrong", "points": 0, "message": ""} for name in ("easy", "hard")]
    note_check(facts, "01_lesson", rows, "t1")
    assert facts["last"] == {"lesson": "01_lesson", "task": None, "when": "t1"}
    note_check(facts, "01_lesson", rows[1:], "t2")
    assert facts["last"] == {"lesson": "01_lesson", "task": "hard", "when": "t2"}
    note_check(facts, "01_lesson", rows[1:], "t3", whole=True)  # a whole check, stopped after one verdict
    assert facts["last"] == {"lesson": "01_lesson", "task": None, "when": "t3"}


def test_merging_progress_keeps_the_best_of_both() -> None:
    diary, other = Diary(), Diary()
    diary.read_solution(1, "easy")
    diary.check(1, "easy")
    diary.predict(1, "one", "A")
    diary.check(2, "easy", "wrong", "1")
    other.predict(1, "one", "B")  # earlier than the choice of A
    other.check(1, "easy")
    other.check(3, "easy")
    other.check(3, "hard")
    diary.facts["earned"] = {"first_pass": "2026-02", "valley": "2026-03"}
    other.facts["earned"] = {"first_pass": "2026-01"}
    merged = merge(diary.facts, other.facts)
    assert merged == merge(other.facts, diary.facts)
    entry = merged["lessons"][folder(1)]["easy"]["passed"]
    assert entry is not None
    assert not entry["solution"]
    assert set(merged["lessons"]) == {folder(1), folder(2), folder(3)}
    assert merged["predictions"]["1 one"]["first"] == "B"
    assert merged["earned"] == {"first_pass": "2026-01", "valley": "2026-03"}
    assert merged["last"] == max((diary.facts["last"], other.facts["last"]), key=lambda last: last["when"])
    assert merge(merged, merged) == merged == merge(merged, empty_facts())


@pytest.mark.parametrize(
    ("name", "number"),
    [("03_backward", 3), ("10 x", 10), ("3 two calls", 3), ("x", 0), ("", 0), ("²x", 0), ("99999", 0)],
)
def test_lesson_number_is_read_from_the_folder_name(name: str, number: int) -> None:
    assert number_of(name) == number
