"""The old name of `autograder.overrides.hide_tests`, for any nbgrader_config.py that still uses it."""

from autograder.overrides.hide_tests import HideTests  # noqa: F401
