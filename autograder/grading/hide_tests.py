"""Earlier name of a module of `autograder.overrides`, which a class's own nbgrader_config.py may import."""

from autograder.overrides.hide_tests import HideTests  # noqa: F401
