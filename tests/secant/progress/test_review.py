"""Tests of the review, which asks a learner for earlier predictions again after some days."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from secant.progress import facts as notes
from secant.progress import record, store
from secant.progress.course import any_course, read_course
from secant.progress.facts import Facts
from secant.progress.review import DAYS, review

ROOT = Path(__file__).resolve().parents[3]
COURSE = read_course(ROOT, "en")
TODAY = datetime(2026, 11, 23, tzinfo=UTC)


def days_ago(days: float) -> str:
    """Return the timestamp of this many days ago."""
    return (TODAY - timedelta(days=days)).isoformat(timespec="microseconds")


def make_facts(*predictions: tuple[str, str, float]) -> Facts:
    """Return facts with predictions; each is given by its name, first choice and age in days."""
    facts = notes.empty_facts()
    for name, choice, days in predictions:
        notes.note_prediction(facts, name, choice, None, days_ago(days))
    return facts


def next_prediction(facts: Facts) -> str | None:
    question = review(facts, COURSE, days_ago(0))
    return str(question["name"]) if question else None


def test_every_prediction_of_the_course_can_be_asked_once_more() -> None:
    for language in ("en", "ko"):
        for lesson in read_course(ROOT, language):
            assert lesson.notebook.questions.keys() == lesson.notebook.predictions.keys()
            for name, question in lesson.notebook.questions.items():
                assert question.right == lesson.notebook.predictions[name]
                assert question.right in question.choices.keys() == question.replies.keys()
                assert all(question.choices.values())
                assert "**" in question.text, name  # the text puts the question in bold


def test_review_asks_a_prediction_after_two_days() -> None:
    assert next_prediction(make_facts(("3 two calls", "C", 1.9))) is None
    question: dict[str, Any] = review(make_facts(("3 two calls", "C", 3.5)), COURSE, days_ago(0)) or {}
    assert (question["name"], question["number"], question["right"], question["days"]) == (
        "3 two calls",
        3,
        "C",
        3,
    )
    assert question["choices"] == {"A": "4 and 12", "B": "4 and 16", "C": "16 and 16"}
    assert "(x**3).backward()" in question["text"]
    assert question["replies"].keys() == question["choices"].keys()


def test_review_asks_first_wrong_predictions_first() -> None:
    facts = make_facts(("3 two calls", "C", 9), ("3 emptied", "A", 3), ("3 unequal pieces", "A", 4))
    assert next_prediction(facts) == "3 unequal pieces"


def test_review_gaps_grow_if_right_and_restart_if_wrong() -> None:
    facts = make_facts(("3 two calls", "A", 100))
    name, days = "3 two calls", 90.0
    for gap in DAYS[1:]:
        notes.note_review(facts, name, True, days_ago(days))
        assert review(facts, COURSE, days_ago(days - gap + 0.1)) is None
        assert review(facts, COURSE, days_ago(days - gap)) is not None
        days -= gap
    notes.note_review(facts, name, True, days_ago(days))
    assert next_prediction(facts) is None  # three right answers are enough
    notes.note_review(facts, name, False, days_ago(2))
    assert next_prediction(facts) == name


def test_review_ignores_unknown_predictions() -> None:
    facts = make_facts(("99 gone", "A", 9))
    assert next_prediction(facts) is None
    notes.note_review(facts, "never made", True, days_ago(0))
    assert facts["reviews"] == {}


def test_review_can_be_switched_off_and_on(data: Path) -> None:
    record.prediction("3 two calls", "A", None)
    record.review("3 two calls", right=True)
    record.reviewing(False)
    facts = store.read()
    assert facts["reviews"]["3 two calls"]["times"] == 1
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    assert review(facts, any_course(ROOT), later) is None
    record.reviewing(True)
    assert review(store.read(), any_course(ROOT), later) is not None


def test_reviews_of_earlier_versions_and_other_machines_are_read() -> None:
    older_facts = {
        name: value for name, value in notes.empty_facts().items() if name not in ("reviews", "reviewing")
    }
    assert notes.from_json(older_facts) == notes.empty_facts()
    first, second = make_facts(("3 two calls", "A", 9)), make_facts(("3 two calls", "A", 9))
    notes.note_review(first, "3 two calls", True, days_ago(5))
    notes.note_review(second, "3 two calls", False, days_ago(1))
    assert notes.merge(first, second)["reviews"] == second["reviews"]
    with pytest.raises(ValueError, match="reviewing"):
        notes.from_json({**notes.empty_facts(), "reviewing": "no"})
