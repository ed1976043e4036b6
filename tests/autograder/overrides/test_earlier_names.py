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
    old_module, new_module = (
        importlib.import_module(f"autograder.{package}.{module}") for package in ("grading", "overrides")
    )
    for name in names:
        assert getattr(old_module, name) is getattr(new_module, name)
