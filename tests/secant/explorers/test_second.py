"""Tests of lesson 9's explorer; they set the values of its widgets, as the page does."""

import math
import re
import time
from typing import Any

import numpy as np
import pytest
import torch

from secant.explorers import second
from secant.explorers.kit.difference import FunctionProblem
from secant.explorers.second import double_backward, gradient_quotient, second_difference
from tests.secant.explorers.kinds import UnpacksTooMany
from tests.support.reading import displayed_number, problems, remarks, text


def explore_second(*args: Any, **options: Any) -> Any:
    """Return lesson 9's explorer with the second derivative chosen."""
    return second.explore_second(*args, derivative="second", **options)


def errors_at(explorer: Any, log_h: float) -> dict[str, float]:
    explorer.log_h.value = log_h
    errors: dict[str, float] = explorer.reading.errors
    return errors


def best_step(explorer: Any, method: str) -> tuple[float, float]:
    """Return the step with the smallest median error, and that error."""
    reading = explorer.reading
    index = int(np.nanargmin(reading.curves[method]))
    return reading.steps[index], reading.curves[method][index]


def test_explorer_starts_with_the_quotient_of_f_and_its_gradient() -> None:
    explorer: Any = second.explore_second()
    assert explorer.derivative.value == "first"
    assert displayed_number(explorer, "gradient") == pytest.approx(0.6)
    assert displayed_number(explorer, "quotient") == pytest.approx(3 * math.log(6 / 5), rel=1e-6)
    assert not re.findall('data-name="(second|double|truth)"', explorer.text.value)
    assert explorer.picture.function.secant.get_slope() == explorer.reading.estimates["quotient"]
    assert explorer.picture.function.tangent.get_slope() == explorer.reading.slopes[0]
    assert explorer.picture.function.curve.get_label() == "$f$"
    assert set(explorer.reading.curves) == {"quotient"}
    assert remarks(explorer) == problems(explorer) == ""


def test_choosing_the_second_derivative_shows_the_curve_of_the_gradient(both_languages: str) -> None:
    explorer: Any = second.explore_second(torch.sin, x_range=(0, 3), x=1.0)
    assert explorer.picture.function.point.get_ydata()[0] == pytest.approx(math.sin(1))
    alt = explorer.alt()
    explorer.derivative.value = "second"
    assert displayed_number(explorer, "double") == pytest.approx(-math.sin(1))
    explorer._draw()
    assert explorer.picture.function.curve.get_label() == "$f'$"
    assert explorer.picture.function.point.get_ydata()[0] == pytest.approx(math.cos(1))
    assert explorer.alt() != alt


def test_no_second_derivative_is_computed_before_it_is_chosen() -> None:
    explorer = second.explore_second(lambda x: OnceDifferentiable.apply(x) * x)
    assert problems(explorer) == ""
    explorer.derivative.value = "second"
    assert "only once" in problems(explorer)


def test_explorer_shows_the_second_derivative_of_the_syllabus() -> None:
    explorer = explore_second()
    assert displayed_number(explorer, "double") == displayed_number(explorer, "truth") == -0.12
    assert displayed_number(explorer, "quotient") == pytest.approx(-0.1)
    assert displayed_number(explorer, "second") == pytest.approx(-0.12246598)
    assert displayed_number(explorer, "gradient") == pytest.approx(0.6)
    assert text(explorer, "error").startswith("2.5e-03, 2.0e-02, ")
    assert remarks(explorer) == problems(explorer) == ""


def test_best_h_moves_by_four_decades_if_the_first_derivative_is_exact() -> None:
    explorer = explore_second()
    difference_best, quotient_best = best_step(explorer, "second"), best_step(explorer, "quotient")
    assert math.log10(difference_best[0] / quotient_best[0]) == pytest.approx(4, abs=0.5)
    assert difference_best[1] < 1e-8
    assert quotient_best[1] < 1e-8
    assert np.all(explorer.reading.curves["double"] < 1e-15)


def test_the_second_difference_loses_its_first_digit_at_1e_8() -> None:
    explorer = explore_second()
    errors = errors_at(explorer, -8.0)
    assert errors["second"] == pytest.approx(8.76, abs=0.01)
    assert errors["quotient"] < 1e-7
    assert errors["double"] < 1e-15
    assert errors_at(explorer, -3.0)["second"] < 1e-8


@pytest.mark.parametrize("x", [1.0, 2.5, 9.0])
def test_errors_of_a_built_in_function_refer_to_its_true_value(x: float) -> None:
    explorer = explore_second(x=x, h=1e-3)
    explorer.function.value = "x⁴ − 8x²"
    assert (
        displayed_number(explorer, "truth")
        == displayed_number(explorer, "double")
        == pytest.approx(12 * x**2 - 16)
    )
    assert displayed_number(explorer, "quotient") == pytest.approx(12 * x**2 - 16, rel=0.02)


def test_error_of_a_learners_function_refers_to_double_backward() -> None:
    explorer: Any = explore_second(lambda x: torch.sin(3 * x), x=2.0, h=1e-4)
    assert explorer.reading.estimates["double"] == pytest.approx(-9 * math.sin(6))
    assert set(explorer.reading.curves) == {"second", "quotient"}
    assert text(explorer, "error").count(",") == 1
    assert "truth" not in explorer.text.value


def test_a_straight_line_has_the_second_derivative_0() -> None:
    w = torch.tensor(3.0, requires_grad=True)
    for line in (lambda x: 3 * x + 1, lambda x: w * x):
        explorer = explore_second(line)
        assert displayed_number(explorer, "double") == 0
        assert problems(explorer) == ""
    assert w.grad is None


class OnceDifferentiable(UnpacksTooMany):
    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        if torch.is_grad_enabled():
            raise RuntimeError("only once")
        (x,) = ctx.saved_tensors
        return g * 2 * x


def test_once_differentiable_function_is_reported_and_its_gradient_drawn(both_languages: str) -> None:
    explorer = explore_second(lambda x: OnceDifferentiable.apply(x) * x)
    assert "only once" in problems(explorer)
    assert explorer.reading.visible_axes == (True, False)


def test_remark_appears_if_x_plus_h_rounds_to_x(both_languages: str) -> None:
    explorer = explore_second(x=9.0, h=1e-15)
    explorer.log_h.value = -15.5
    assert "0/0" in remarks(explorer)
    assert math.isnan(displayed_number(explorer, "quotient"))
    assert displayed_number(explorer, "double") == pytest.approx(-3 / 81)


def test_remark_appears_if_x_minus_h_is_outside_the_domain(both_languages: str) -> None:
    explorer = explore_second(x=1.0, h=2.0)
    assert remarks(explorer)
    assert math.isfinite(displayed_number(explorer, "quotient"))
    assert math.isnan(displayed_number(explorer, "second"))


def test_the_picture_shows_the_numbers() -> None:
    explorer: Any = explore_second()
    picture, reading = explorer.picture, explorer.reading
    assert picture.function.tangent.get_slope() == reading.estimates["double"]
    assert picture.function.secant.get_slope() == reading.estimates["quotient"]
    marks = picture.marks.get_offsets()[:2, 1].tolist()
    assert marks == pytest.approx([reading.errors["second"], reading.errors["quotient"]])


def test_the_axes_stay_while_h_and_x_move() -> None:
    explorer: Any = explore_second()
    axes = explorer.picture.figure.axes
    limits = [ax.axis() for ax in axes]
    for move in (lambda: errors_at(explorer, -14.0), lambda: setattr(explorer.x, "value", 1.5)):
        move()
        assert [ax.axis() for ax in axes] == limits


def test_slow_function_with_an_if_is_differentiated_quickly() -> None:
    def slow(x: torch.Tensor) -> torch.Tensor:
        time.sleep(0.001)
        return x**3 if x > 0 else -x

    explorer = explore_second(slow)
    assert displayed_number(explorer, "double") == pytest.approx(30)
    assert remarks(explorer)
    start = time.perf_counter()
    explorer.x.value = 2.0
    assert time.perf_counter() - start < 1
    assert displayed_number(explorer, "double") == pytest.approx(12)


def test_second_derivatives_are_computed_without_an_explorer() -> None:
    x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64)
    for f, expected in ((torch.exp, torch.exp(x)), (lambda t: t**3, 6 * x), (lambda t: 2 * t, 0 * x)):
        assert torch.allclose(double_backward(f, x), expected)
        assert torch.allclose(second_difference(f, x, 1e-4), expected, atol=1e-5)
        assert torch.allclose(gradient_quotient(f, x, 1e-7), expected, atol=1e-5)
    with pytest.raises(FunctionProblem):
        double_backward(lambda t: t.detach(), x)


def test_errors_of_a_learners_function_refer_to_double_backward() -> None:
    explorer = explore_second(torch.exp)
    assert "both differences" in explorer.text.value
    assert explorer.alt().endswith("e+02.")
    assert explore_second().alt().endswith("double backward by 0.0e+00.")
