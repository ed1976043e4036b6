"""Tests of lesson 6's explorer; they set the values of its widgets, as the page does."""

import math
from itertools import pairwise
from typing import Any

import pytest
import torch

from secant.explorers.cut import PAIRS, explore_cut
from tests.support.reading import displayed_number, problems, remarks

SLOPES = {  # by formula: autograd's gradient at x, and the part lost by detach()
    "x · (x²).detach()": lambda x: (x**2, 2 * x**2),
    "x² · x.detach()": lambda x: (2 * x**2, x**2),
    "x · (1/|x|).detach()": lambda x: (1 / x, -1 / x),
}


def test_explorer_starts_with_the_figures_of_the_syllabus() -> None:
    explorer = explore_cut()
    assert displayed_number(explorer, "gradient") == 4
    assert displayed_number(explorer, "quotient") == 27 - 8
    assert displayed_number(explorer, "lost") == 8
    assert displayed_number(explorer, "both") == 12
    explorer.log_h.value = -6
    assert displayed_number(explorer, "quotient") == pytest.approx(12, abs=1e-4)
    assert displayed_number(explorer, "error") == pytest.approx(8, abs=1e-4)
    assert displayed_number(explorer, "gradient") == 4


def test_quotient_with_the_factor_held_equals_autograd() -> None:
    explorer = explore_cut()
    explorer.held.value = True
    for log_h in (0.0, -3.0, -6.0):
        explorer.log_h.value = log_h
        assert displayed_number(explorer, "quotient") == pytest.approx(4, abs=1e-8)
        assert displayed_number(explorer, "gradient") == 4


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("x", [0.5, 1.3, 3.5])
def test_kept_and_lost_gradient_add_up_to_the_true_one(name: str, x: float) -> None:
    explorer = explore_cut({name: PAIRS[name]}, x=x, h=1e-6)
    gradient, lost_gradient = SLOPES[name](x)
    assert displayed_number(explorer, "gradient") == pytest.approx(gradient)
    assert displayed_number(explorer, "lost") == pytest.approx(lost_gradient)
    assert displayed_number(explorer, "quotient") == pytest.approx(gradient + lost_gradient, abs=1e-4)
    explorer.held.value = True
    assert displayed_number(explorer, "quotient") == pytest.approx(gradient, abs=1e-4)


def test_error_approaches_the_lost_gradient_or_zero() -> None:
    explorer = explore_cut({"x² · x.detach()": PAIRS["x² · x.detach()"]})
    steps, (held_errors, moving_errors) = explorer.reading.steps, explorer.reading.errors
    assert moving_errors[steps.argmin()] == pytest.approx(4, abs=1e-4)
    decade_errors = held_errors[steps.argsort()[::-1]][::8]  # errors of steps that are a decade apart
    assert all(6 < before / after < 14 for before, after in pairwise(decade_errors[:6]))


def test_the_numbers_are_those_of_a_program_with_detach() -> None:
    explorer = explore_cut((torch.sin, torch.exp), x_range=(-2, 2), x=0.7, h=0.25)
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    (torch.sin(x) * torch.exp(x).detach()).backward()
    assert x.grad is not None
    assert displayed_number(explorer, "gradient") == pytest.approx(x.grad.item())
    y, w = math.sin, math.exp
    assert displayed_number(explorer, "quotient") == pytest.approx(
        (y(0.95) * w(0.95) - y(0.7) * w(0.7)) / 0.25
    )
    explorer.held.value = True
    assert displayed_number(explorer, "quotient") == pytest.approx((y(0.95) - y(0.7)) * w(0.7) / 0.25)


def test_the_picture_shows_the_numbers() -> None:
    explorer: Any = explore_cut(x=3.0, h=0.5)
    picture = explorer.picture
    assert picture.function.tangent.get_slope() == 9
    assert list(picture.function.ends.get_ydata()) == pytest.approx([27, 3.5**3])
    assert picture.lost.get_ydata() == pytest.approx([18, 18])
    x, y = picture.recorded.get_data()
    assert y == pytest.approx(9 * x)
    assert list(picture.error.get_ydata()) == [explorer.reading.error]
    explorer.held.value = True
    assert list(picture.function.ends.get_ydata()) == pytest.approx([27, 3.5 * 9])


@pytest.mark.parametrize("name", PAIRS)
def test_the_axes_stay_and_hold_the_errors(name: str) -> None:
    explorer: Any = explore_cut({name: PAIRS[name]})
    picture = explorer.picture
    limits = picture.function.axes.axis(), picture.plot.axes.axis()
    for log_h in (-6.0, -3.0, 0.0):
        for x in (0.5, 2.0, 3.5):
            explorer.log_h.value, explorer.x.value = log_h, x
            assert limits[1][2] < explorer.reading.error < limits[1][3]
    assert (picture.function.axes.axis(), picture.plot.axes.axis()) == limits


def test_error_axis_has_room_for_a_held_factor() -> None:
    explorer: Any = explore_cut()
    assert explorer.picture.plot.high / explorer.picture.plot.zero <= 1e4
    explorer.held.value = True
    assert explorer.picture.plot.zero < 1e-12


def test_a_constant_product_has_room_for_autograd_s_line() -> None:
    explorer: Any = explore_cut({"x · (1/|x|).detach()": PAIRS["x · (1/|x|).detach()"]})
    low, high = explorer.picture.function.axes.get_ylim()
    assert low < 0.5
    assert high > 1.5


def test_holding_the_factor_is_explained_in_a_remark(both_languages: str) -> None:
    explorer = explore_cut()
    assert remarks(explorer) == ""
    explorer.held.value = True
    assert {"en": "constant", "ko": "상수"}[both_languages] in remarks(explorer)


def test_learners_detach_is_reported_and_still_drawn(both_languages: str) -> None:
    explorer = explore_cut((torch.sin, lambda x: torch.exp(x).detach()))
    assert "detach" in problems(explorer)
    assert explorer.has_content


def test_message_names_an_x_outside_a_factors_domain(both_languages: str) -> None:
    explorer = explore_cut((torch.log, torch.square), x_range=(-1, 2), x=-0.5, h=1e-2)
    assert "-0.5" in problems(explorer)
    explorer.x.value = 1.0
    assert displayed_number(explorer, "gradient") == 1


def test_pairs_of_functions_can_be_given_alone_or_by_name() -> None:
    assert list(explore_cut((torch.sin, torch.cos)).subject.pairs) == ["sin, cos"]
    assert list(explore_cut({"a": (torch.sin, torch.cos)}).subject.pairs) == ["a"]


def test_start_values_are_moved_into_range() -> None:
    setting = explore_cut(x=100, h=1e9, held=True).reading.setting
    assert (setting.x, setting.h, setting.held) == (3.5, 1.0, True)
