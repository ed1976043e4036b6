"""The old name of `autograder.overrides.scores`, for any nbgrader_config.py that still uses it."""

from autograder.overrides.scores import ScoresGiven  # noqa: F401
