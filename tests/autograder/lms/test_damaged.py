"""Test of collecting 400 randomly damaged files; `python -m benchmarks.damaged` tries ten thousand."""

from pathlib import Path

from benchmarks.damaged import measure


def test_each_damaged_file_ends_in_an_outcome_and_a_sentence(course_root: Path) -> None:
    result = measure(course_root, 400, seed=24, graded_count=3)
    assert (result["raised"], result["errors"], result["without a sentence"]) == (0, {}, 0)
    assert result["damaged files collected as whole"] == 0
    assert sum(result["outcomes"].values()) == 400
    assert len(result["outcomes"]) > 8  # the damage leads to many kinds of outcomes
    assert (result["graded"], result["grading failed"]) == (3, {})
