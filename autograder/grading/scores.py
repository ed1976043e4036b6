"""An old name of `autograder.overrides.scores`; a course's nbgrader_config.py may still use it."""

from autograder.overrides.scores import ScoresGiven  # noqa: F401
