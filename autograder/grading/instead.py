"""The old name of `autograder.overrides.instead`, for any nbgrader_config.py that still uses it."""

from autograder.overrides.instead import FeedbackInstead, GradeInstead, Refuse  # noqa: F401
