"""Tests of lesson 8's explorer; they set the values of its widgets, as the page does."""

import math
from typing import Any

import pytest
import torch

from secant.explorers.backward import FUNCTIONS, LOG_H, explore_backward
from secant.explorers.kit.subject import Setting
from tests.support.reading import displayed_number, picture, problems, remarks


def quotients(explorer: Any) -> tuple[float, ...]:
    return tuple(displayed_number(explorer, f"quotient{number}") for number in (1, 2, 3))


def explore_at(name: str, x: float, h: float = 1.0) -> Any:
    return explore_backward({name: FUNCTIONS[name]}, x=x, h=h)


def test_explorer_starts_on_a_right_backward() -> None:
    explorer = explore_backward()
    assert explorer.setting == Setting("Power(5, x)", 3.0, 1.0)
    assert displayed_number(explorer, "gradient") == pytest.approx(125 * math.log(5))
    explorer.log_h.value = -4
    assert quotients(explorer) == pytest.approx([125 * math.log(5)] * 3, rel=1e-4)


def test_broken_backward_shows_the_two_numbers_of_gradcheck() -> None:
    explorer = explore_backward()
    explorer.function.value = "BrokenPower(5, x)"
    assert quotients(explorer) == (500.0, 100.0, 300.0)
    assert displayed_number(explorer, "gradient") == pytest.approx(125 * math.log(6))
    explorer.log_h.value = -6
    assert quotients(explorer) == pytest.approx([125 * math.log(5)] * 3, rel=1e-5)
    assert displayed_number(explorer, "quotient3") == pytest.approx(201.1797, abs=1e-4)
    assert displayed_number(explorer, "error") == pytest.approx(22.7902, abs=1e-4)
    width, height = picture(explorer.view).size
    assert width / height == 9 / 4


def test_right_backward_agrees_with_the_quotients() -> None:
    explorer = explore_at("Power(5, x)", 3.0, 1e-5)
    assert displayed_number(explorer, "gradient") == pytest.approx(201.17974)
    assert displayed_number(explorer, "error") < 1e-5


KINKS = {
    "relu(x)": (1.0, 0.0, 0.5, 0.0),
    "where(x >= 0, x, 0)": (1.0, 0.0, 0.5, 1.0),
    "maximum(x, 0)": (1.0, 0.0, 0.5, 0.5),
    "abs(x)": (1.0, -1.0, 0.0, 0.0),
    "relu(x) - relu(-x)": (1.0, 1.0, 1.0, 0.0),
}


@pytest.mark.parametrize("name", KINKS)
@pytest.mark.parametrize("h", [1.0, 1e-3, 1e-8])
def test_at_a_kink_the_quotients_and_autograd_differ_at_every_h(name: str, h: float) -> None:
    explorer = explore_at(name, 0.0, h)
    *expected, slope = KINKS[name]
    assert quotients(explorer) == tuple(expected)
    assert displayed_number(explorer, "gradient") == slope
    assert displayed_number(explorer, "error") == abs(expected[2] - slope)


def test_quotients_agree_once_no_step_reaches_the_kink() -> None:
    explorer = explore_at("relu(x)", 0.01)
    assert quotients(explorer) == pytest.approx((1.0, 0.01, 0.505))
    explorer.log_h.value = -3
    assert quotients(explorer) == pytest.approx((1.0, 1.0, 1.0))
    assert displayed_number(explorer, "gradient") == 1


def test_chosen_kink_function_is_shown_at_its_kink() -> None:
    explorer = explore_backward()
    for name in KINKS:
        explorer.function.value = name
        assert explorer.setting == Setting(name, 0.0, 1.0)
        assert "x = 0" in explorer.view.alt
    explorer.function.value = "BrokenPower(5, x)"
    assert explorer.setting.x == 3


def test_choosing_a_learners_function_does_not_move_x() -> None:
    explorer = explore_backward([torch.sin, torch.cos], x=1.5)
    explorer.function.value = "cos"
    assert explorer.setting.x == 1.5
    explorer = explore_backward({"sin": torch.sin, "relu": torch.relu}, x_range=(1, 2), x=1.5)
    explorer.function.value = "relu"
    assert explorer.setting.x == 1.5


def test_nearly_zero_slider_value_is_taken_as_zero() -> None:
    explorer = explore_at("relu(x)", 1.0)
    explorer.x.value = 1e-15
    assert explorer.setting.x == 0
    assert quotients(explorer) == (1.0, 0.0, 0.5)


def test_the_curves_are_the_errors_of_the_quotients() -> None:
    explorer = explore_at("abs(x)", 0.0)
    reading: Any = explorer.reading
    assert reading.steps[0] == pytest.approx(10 ** LOG_H[0])
    assert set(reading.curves["forward"]) == set(reading.curves["backward"]) == {1.0}
    assert set(reading.curves["central"]) == {0.0}
    zeros = explorer.picture.zeros
    assert len(zeros["central"].get_xdata()) > 10
    assert len(zeros["forward"].get_xdata()) == 0
    assert "▼" in remarks(explorer)


def test_three_coinciding_curves_are_all_visible() -> None:
    plots = explore_at("abs(x)", 2.0, 0.5).picture
    zeros = plots.zeros
    widths = [line.get_linewidth() for line in plots.secants.values()]
    assert widths == sorted(widths, reverse=True)  # the three coincide, and the last one is on top
    positions = [set(zeros[name].get_xdata()) for name in zeros]
    assert all(positions)
    assert not positions[0] & positions[1]
    assert not positions[1] & positions[2]


def test_the_axes_stay_and_hold_everything_while_h_and_x_move() -> None:
    for name in ("BrokenPower(5, x)", "relu(x)"):
        explorer: Any = explore_at(name, 1.0)
        plots = explorer.picture
        limits = plots.function.axes.axis(), plots.errors.axes.axis()
        for log_h in (-8.0, 0.0):
            for x in (0.0, 4.0):
                explorer.log_h.value, explorer.x.value = log_h, x
                low, high = limits[1][2:]
                for mark in plots.current_error.values():
                    assert low < mark.get_ydata()[0] <= high
        assert (plots.function.axes.axis(), plots.errors.axes.axis()) == limits


def test_a_secant_goes_through_the_points_that_its_quotient_compares() -> None:
    explorer: Any = explore_at("abs(x)", 0.5, 1.0)
    lines = explorer.picture.secants
    for name, (a, b) in {"forward": (0.5, 1.5), "backward": (-0.5, 0.5), "central": (-0.5, 1.5)}.items():
        (x0, x1), (y0, y1) = lines[name].get_data()
        for point in (a, b):
            assert y0 + (y1 - y0) / (x1 - x0) * (point - x0) == pytest.approx(abs(point))


def test_message_names_an_x_outside_the_functions_domain(both_languages: str) -> None:
    explorer = explore_backward(torch.log, x_range=(-1, 2), x=0.5, h=1.0)
    assert "x − h" in problems(explorer)
    explorer.log_h.value = -2
    assert problems(explorer) == ""
    explorer.x.value = -0.5
    assert "-0.5" in problems(explorer)


def test_message_names_a_slope_that_is_not_finite(both_languages: str) -> None:
    explorer = explore_backward(lambda x: torch.sqrt(x.abs()), x_range=(-1, 1), x=0.0, h=0.5)
    assert "nan" in problems(explorer)
    assert "nan" not in explorer.text.value


def test_learners_operation_with_a_wrong_backward_is_reported() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return torch.sin(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    explorer = explore_backward(Doubled.apply, x=0.0, h=1e-4)
    assert displayed_number(explorer, "gradient") == 2
    assert displayed_number(explorer, "quotient3") == pytest.approx(1)
    assert displayed_number(explorer, "error") == pytest.approx(1)


def test_complex_results_are_taken_by_their_real_part() -> None:
    assert explore_backward(lambda x: torch.complex(x, x), x=1.0, h=0.5).has_content
