"""The old name of `autograder.overrides.exchange`, for any nbgrader_config.py that still uses it."""

from autograder.overrides.exchange import CollectFiles, ListPlain, ReleaseLanguages, ReleasePages  # noqa: F401
