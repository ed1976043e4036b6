"""Tests of module names from before `autograder.overrides`, which a nbgrader_config.py may still use."""

import importlib

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("exchange", ["CollectFiles", "ListPlain", "ReleaseLanguages", "ReleasePages"]),
        ("hide_tests", ["HideTests"]),
        ("instead", ["FeedbackInstead", "GradeInstead", "Refuse"]),
        ("nbgrader_times", ["correct_times"]),
        ("scores", ["ScoresGiven"]),
    ],
)
def test_earlier_name_gives_the_same_object(module: str, names: list[str]) -> None:
    earlier, now = (
        importlib.import_module(f"autograder.{room}.{module}") for room in ("grading", "overrides")
    )
    for name in names:
        assert getattr(earlier, name) is getattr(now, name)
