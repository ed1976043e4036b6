"""An old name of `autograder.overrides.exchange`; a course's nbgrader_config.py may still use it."""

from autograder.overrides.exchange import CollectFiles, ListPlain, ReleaseLanguages, ReleasePages  # noqa: F401
