"""Tests of the explorers of lessons 5 to 7, as the lessons open them: the quotient tends to the gradient."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import secant
from autograder.course.lesson import read_lesson
from tests.support.lessons import LESSONS


def open_explorer(number: int) -> Any:
    """Return the explorer that a lesson opens first."""
    (lesson,) = (lesson for lesson in LESSONS if lesson.name.startswith(f"{number:02}_"))
    calls = (re.match(r"(explore\w*)\(.*\)$", cell.source) for cell in read_lesson(lesson).cells)
    call = next(call for call in calls if call)
    return eval(call[0], {call[1]: getattr(secant, call[1])})


def move_to(explorer: Any, fraction: float) -> None:
    """Move every slider that sets the place to a fraction of its range."""
    for slider in (explorer.first, explorer.second) if hasattr(explorer, "first") else (explorer.x,):
        slider.value = slider.min + fraction * (slider.max - slider.min)


#: By lesson, a function that returns the distance between the quotient and autograd's gradient, and
#: the size of the gradient.
GAPS: dict[int, Callable[[Any], tuple[float, float]]] = {
    5: lambda reading: (reading.gap, float(np.hypot(*reading.jvp))),
    6: lambda reading: (reading.error, abs(reading.slope)),
    7: lambda reading: (reading.error, abs(reading.slope)),
}


@pytest.mark.parametrize("fraction", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("number", GAPS)
def test_explorer_opens_on_a_quotient_that_becomes_the_gradient(number: int, fraction: float) -> None:
    explorer = open_explorer(number)
    assert explorer.setting.h == 1
    move_to(explorer, fraction)
    gaps = []
    for explorer.log_h.value in (0.0, -1.0, -2.0, -3.0, -4.0):
        gap, size = GAPS[number](explorer.reading)
        gaps.append(gap)
    assert all(after < before / 5 for before, after in itertools.pairwise(gaps))
    assert gaps[-1] < 1e-3 * size


@pytest.mark.parametrize("number", GAPS)
def test_explorer_opens_with_two_numbers_and_their_distance_alone(number: int) -> None:
    explorer = open_explorer(number)
    keys = [row.key for row in explorer.rows()]
    assert keys == (["quotient", "jvp", "gap"] if number == 5 else ["quotient", "gradient", "error"])
    question = explorer.first_look().questions[0]
    assert "$h$ from $1$ to $0.0001$" in question.en
    assert {**explorer.start, **question.state} == explorer.start


def test_lesson_5_names_its_sliders_x1_and_x2() -> None:
    explorer = open_explorer(5)
    assert [explorer.first.name, explorer.second.name, explorer.log_h.name] == ["x1", "x2", "h"]
    axes = explorer.static_figure().axes
    assert [axes[0].get_xlabel(), axes[0].get_ylabel()] == ["$x_1$", "$x_2$"]


def test_both_numbers_of_lesson_5_have_digits_that_show_their_distance() -> None:
    explorer = open_explorer(5)
    explorer.log_h.value = -4.0
    quotient, jvp = (row.number.split(", ") for row in explorer.rows()[:2])
    for quotient_number, jvp_number in zip(quotient, jvp, strict=True):
        assert quotient_number != jvp_number
        assert float(quotient_number) == pytest.approx(float(jvp_number), rel=1e-3)


def is_visible(artist: Any) -> bool:
    visible: bool = artist.get_visible()
    return visible


def test_u_of_lesson_5_is_shown_after_one_choice() -> None:
    explorer = open_explorer(5)
    explorer.view.look = {"dark": False, "background": "#ffffff", "density": 1}
    explorer._draw()
    picture = explorer.picture
    assert not any(map(is_visible, (picture.u, picture.misses)))
    assert explorer.u_row.layout.display == "none"
    explorer.along.value = True
    explorer._draw()
    assert all(map(is_visible, (picture.u, picture.misses)))
    assert explorer.u_row.layout.display is None
    assert [row.key for row in explorer.rows()][3:] == ["forward", "backward", "miss"]


def test_cut_of_lesson_6_is_shown_after_one_choice() -> None:
    explorer = open_explorer(6)
    explorer.view.look = {"dark": False, "background": "#ffffff", "density": 1}
    explorer._draw()
    assert not any(map(is_visible, (explorer.picture.moves, explorer.picture.lost)))
    explorer.held.value = False
    explorer._draw()
    assert all(map(is_visible, (explorer.picture.moves, explorer.picture.lost)))
    assert [row.key for row in explorer.rows()][3:] == ["lost", "both"]


def test_spoilers_of_lesson_7_are_shown_after_one_choice() -> None:
    explorer = open_explorer(7)
    explorer.view.look = {"dark": False, "background": "#ffffff", "density": 1}
    explorer._draw()
    assert not is_visible(explorer.picture.truths)
    assert explorer.a_row.layout.display == "none"
    explorer.spoiler.value = "data"
    explorer._draw()
    assert is_visible(explorer.picture.truths)
    assert explorer.a_row.layout.display is None
    assert [row.key for row in explorer.rows()][3:] == ["truth", "off"]
