"""What the tests of the launcher share: a small course, and a language that is put back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from secant import language
from tests.secant.lab.house import build


@pytest.fixture(autouse=True)
def keep_language() -> Iterator[None]:
    """The language is the process's own: put it back."""
    before = language()
    language("en")
    yield
    language(before)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with one small lesson in both languages, and somebody who begins."""
    monkeypatch.setenv("SECANT_DATA", str(tmp_path / "progress"))
    return build(tmp_path)
