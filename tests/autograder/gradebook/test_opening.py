"""Tests that a new gradebook gets nbgrader's newest tables without alembic, which takes seconds."""

import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from nbgrader.dbutil import ALEMBIC_DIR

from autograder.gradebook import opening


def test_newest_version_is_the_one_that_alembic_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    (head,) = ScriptDirectory(ALEMBIC_DIR).get_heads()
    monkeypatch.setitem(sys.modules, "alembic.script", None)
    assert opening._newest_version() == head


@pytest.mark.parametrize("previous_revisions", ["('b', 'c')", "tuple('bc')"])
def test_scripts_in_another_form_are_left_to_alembic(
    previous_revisions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "versions").mkdir()
    for version, previous in (("a", "None"), ("b", "'a'"), ("c", "'a'"), ("d", previous_revisions)):
        text = f"revision = {version!r}\ndown_revision = {previous}\n"
        (tmp_path / "versions" / f"{version}.py").write_text(text)
    monkeypatch.setattr(opening, "ALEMBIC_DIR", str(tmp_path))
    assert opening._newest_version() == "d"
