"""What the tests of progress share: a folder of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from secant import language


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's progress is kept."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    before = language()
    language("en")
    yield
    language(before)
