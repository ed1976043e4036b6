"""Fixtures for tests of the launcher: a small course, and English as the language of every test."""

from pathlib import Path

import pytest

from tests.secant.lab.house import build_course
from tests.support.settings import in_english  # noqa: F401


@pytest.fixture
def small_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a course with one small lesson in both languages, for a learner without any progress."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "progress"))
    return build_course(tmp_path)
