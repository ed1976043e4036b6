"""Tests of a wall's template, as seen by the process that starts it."""

import pytest

from autograder.sandbox import template, wall
from autograder.sandbox.template import Template, WallOptions
from autograder.sandbox.visible import Visible
from autograder.sandbox.wall import Wall


@pytest.mark.whole  # starts a template
def test_wall_of_plain_assignments_is_searched_for_copies_of_lessons_only_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[Visible] = []
    monkeypatch.setattr(template, "suspects", searched.append)
    monkeypatch.setattr(wall, "suspects", lambda seen: ("a copy",))
    started = Template(WallOptions(plain=True))
    try:
        joined = Wall.join(started.wait())
        assert not searched
        assert joined.suspects == ("a copy",)
    finally:
        started.close()
