"""An old name of `autograder.overrides.hide_tests`; a course's nbgrader_config.py may still use it."""

from autograder.overrides.hide_tests import HideTests  # noqa: F401
