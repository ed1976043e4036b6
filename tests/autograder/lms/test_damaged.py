"""Test with 400 files damaged at random; `python -m benchmarks.damaged` tries ten thousand."""

from pathlib import Path

from benchmarks.damaged import measure


def test_each_damaged_file_ends_in_an_outcome_and_a_sentence(room: Path) -> None:
    found = measure(room, 400, seed=24, graded=3)
    assert (found["raised"], found["errors"], found["without a sentence"]) == (0, {}, 0)
    assert found["damaged files collected as whole"] == 0
    assert sum(found["outcomes"].values()) == 400
    assert len(found["outcomes"]) > 8  # many kinds of outcomes
    assert (found["graded"], found["grading failed"]) == (3, {})
