"""The small class, as for grading: what is collected must be graded, and what was graded is exported."""

from tests.autograder.grading.conftest import built, no_power_cut, right, room

__all__ = ["built", "no_power_cut", "right", "room"]
