"""An old name of `autograder.overrides.nbgrader_times`; a course's nbgrader_config.py may still use it."""

from autograder.overrides.nbgrader_times import correct_times  # noqa: F401
