"""What the tests of progress share: a folder of its own for each test."""

from pathlib import Path

import pytest

from tests.support.settings import in_english  # noqa: F401


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's progress is kept."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"
