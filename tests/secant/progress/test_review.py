"""Tests of the review of predictions, which are asked again after some days."""

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


def day(days: float) -> str:
    """Return the timestamp of this many days ago."""
    return (TODAY - timedelta(days=days)).isoformat(timespec="microseconds")


def made(*predictions: tuple[str, str, float]) -> Facts:
    """Return facts with predictions, given as the name, the first choice and the days since then."""
    facts = notes.nothing()
    for name, choice, days in predictions:
        notes.note_prediction(facts, name, choice, None, day(days))
    return facts


def asked(facts: Facts) -> str | None:
    found = review(facts, COURSE, day(0))
    return str(found["name"]) if found else None


def test_every_prediction_of_the_course_can_be_asked_once_more() -> None:
    for language in ("en", "ko"):
        for lesson in read_course(ROOT, language):
            assert lesson.notebook.questions.keys() == lesson.notebook.predictions.keys()
            for name, question in lesson.notebook.questions.items():
                assert question.right == lesson.notebook.predictions[name]
                assert question.right in question.choices.keys() == question.replies.keys()
                assert all(question.choices.values())
                assert "**" in question.text, name  # the question itself is bold


def test_review_asks_a_prediction_after_two_days() -> None:
    assert asked(made(("3 two calls", "C", 1.9))) is None
    found: dict[str, Any] = review(made(("3 two calls", "C", 3.5)), COURSE, day(0)) or {}
    assert (found["name"], found["number"], found["right"], found["days"]) == ("3 two calls", 3, "C", 3)
    assert found["choices"] == {"A": "4 and 12", "B": "4 and 16", "C": "16 and 16"}
    assert "(x**3).backward()" in found["text"]
    assert found["replies"].keys() == found["choices"].keys()


def test_review_asks_first_wrong_predictions_first() -> None:
    facts = made(("3 two calls", "C", 9), ("3 emptied", "A", 3), ("3 unequal pieces", "A", 4))
    assert asked(facts) == "3 unequal pieces"


def test_review_gaps_grow_if_right_and_restart_if_wrong() -> None:
    facts = made(("3 two calls", "A", 100))
    name, ago = "3 two calls", 90.0
    for gap in DAYS[1:]:
        notes.note_review(facts, name, True, day(ago))
        assert review(facts, COURSE, day(ago - gap + 0.1)) is None
        assert review(facts, COURSE, day(ago - gap)) is not None
        ago -= gap
    notes.note_review(facts, name, True, day(ago))
    assert asked(facts) is None  # three right answers are enough
    notes.note_review(facts, name, False, day(2))
    assert asked(facts) == name


def test_review_ignores_unknown_predictions() -> None:
    facts = made(("99 gone", "A", 9))
    assert asked(facts) is None
    notes.note_review(facts, "never made", True, day(0))
    assert facts["reviews"] == {}


def test_review_can_be_switched_off_and_on(data: Path) -> None:
    record.prediction("3 two calls", "A", None)
    record.review("3 two calls", right=True)
    record.reviewing(False)
    kept = store.read()
    assert kept["reviews"]["3 two calls"]["times"] == 1
    late = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    assert review(kept, any_course(ROOT), late) is None
    record.reviewing(True)
    assert review(store.read(), any_course(ROOT), late) is not None


def test_reviews_of_earlier_versions_and_other_machines_are_read() -> None:
    old = {name: value for name, value in notes.nothing().items() if name not in ("reviews", "reviewing")}
    assert notes.from_json(old) == notes.nothing()
    one, other = made(("3 two calls", "A", 9)), made(("3 two calls", "A", 9))
    notes.note_review(one, "3 two calls", True, day(5))
    notes.note_review(other, "3 two calls", False, day(1))
    assert notes.merge(one, other)["reviews"] == other["reviews"]
    with pytest.raises(ValueError, match="reviewing"):
        notes.from_json({**notes.nothing(), "reviewing": "no"})
