"""Tests of a wall's template, as seen by the process that starts it."""

import pytest

from autograder.sandbox import template, wall
from autograder.sandbox.template import Template, WallOptions
from autograder.sandbox.visible import VisibleFiles
from autograder.sandbox.wall import Wall


@pytest.mark.whole  # starts a template
def test_wall_of_plain_assignments_is_searched_for_copies_of_lessons_only_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scans: list[VisibleFiles] = []
    monkeypatch.setattr(template, "suspects", scans.append)
    monkeypatch.setattr(wall, "suspects", lambda visible: ("a copy",))
    new_template = Template(WallOptions(plain=True))
    try:
        joined_wall = Wall.join(new_template.wait())
        assert not scans
        assert joined_wall.suspects == ("a copy",)
    finally:
        new_template.close()
