"""What the tests of the launcher share: a small course, and a language that is put back."""

from pathlib import Path

import pytest

from tests.secant.lab.house import build
from tests.support.settings import in_english  # noqa: F401


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with one small lesson in both languages, and somebody who begins."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "progress"))
    return build(tmp_path)
