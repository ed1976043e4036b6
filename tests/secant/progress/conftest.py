"""Fixtures for tests of progress: a separate data folder for each test, and English as the language."""

from pathlib import Path

import pytest

from tests.support.settings import in_english  # noqa: F401


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for the learner's progress in this test."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"
