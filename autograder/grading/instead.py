"""An old name of `autograder.overrides.instead`; a course's nbgrader_config.py may still use it."""

from autograder.overrides.instead import FeedbackInstead, GradeInstead, Refuse  # noqa: F401
