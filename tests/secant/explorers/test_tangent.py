"""Tests of lesson 1's explorer; they set the values of its widgets, as the page does."""

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
import torch

from secant.explorers.kit import words
from secant.explorers.kit.controls import Choice
from secant.explorers.kit.widget import with_value
from secant.explorers.tangent import DTYPES, Setting, explore
from tests.support.reading import displayed_number, picture, problems, remarks, text


def test_explorer_starts_with_the_function_of_the_lesson() -> None:
    explorer = explore()
    assert displayed_number(explorer, "quotient") == pytest.approx(3 * math.log(6 / 5))
    assert displayed_number(explorer, "gradient") == 0.6
    assert remarks(explorer) == ""
    assert picture(explorer.view).size == (1800, 800)


@pytest.mark.parametrize(
    ("dtype", "log_h", "min_digits", "max_digits"),
    [
        # log(x^3) is about 5, so its rounding error is 1e-15 in float64 and 1e-6 in float32. The error of the
        # quotient is 1 / h times as large. If the error at an x is smaller, more digits are shown.
        ("float64", -1, 10, 10),
        ("float64", -5, 9, 10),
        ("float64", -9, 5, 9),
        ("float64", -14, 2, 4),
        ("float32", -1, 4, 6),
        ("float32", -5, 2, 4),
    ],
)
def test_the_quotient_has_as_many_digits_as_rounding_leaves_right(
    dtype: str, log_h: float, min_digits: int, max_digits: int
) -> None:
    explorer = explore(h=10.0**log_h, dtype=dtype)
    counts = []
    for x in (1.7, 3.1, 4.3, 5.9, 7.7, 8.9):
        explorer.x.value = x
        quotient = text(explorer, "quotient")
        counts.append(len(quotient.split("e")[0].lstrip("0.").replace(".", "")))
        assert float(quotient) == pytest.approx(explorer.reading.quotient, rel=0.06)
    assert min_digits <= max(counts) <= max_digits  # a final zero is not shown


def test_number_of_digits_shown_depends_on_the_rounding_error() -> None:
    third = 1 / 3
    assert words.digits(third) == "0.33333333"
    assert words.digits(third, 1e-5) == "0.33333"
    assert words.digits(third, 10) == "0.33"
    assert words.quotient_digits(third, 1e-20) == "0.3333333333"
    assert words.quotient_digits(third, 1e-20, "float32") == "0.3333333"
    assert [words.digits(number) for number in (0.0, 51.0, float("nan"), 3125.0)] == [
        "0",
        "51",
        "nan",
        "3125",
    ]


@pytest.mark.parametrize(
    ("dtype", "log_h"), [("float32", -3.3333), ("float32", -2.5), ("float64", -8), ("float64", -4)]
)
def test_shown_quotient_and_gradient_differ_by_the_shown_error(dtype: str, log_h: float) -> None:
    explorer = explore(h=10**log_h, dtype=dtype)
    quotient, gradient, error = (float(text(explorer, name)) for name in ("quotient", "gradient", "error"))
    assert abs(quotient - gradient) == pytest.approx(error, rel=0.1)


def test_the_gradient_has_eight_digits_and_seven_in_float32() -> None:
    explorer = explore(x=7.0)
    assert text(explorer, "gradient") == "0.42857143"
    explorer.dtype.value = "float32"
    assert text(explorer, "gradient") == "0.4285714"


def test_quotient_row_shows_the_rounded_step_as_divisor() -> None:
    explorer = explore(dtype="float32", h=1e-8)
    assert "/ ((x+h) − x)" in explorer.text.value
    assert text(explorer, "quotient") == "nan"
    explorer.scheme.value = "central"
    assert "/ ((x+h) − (x−h))" in explorer.text.value


def test_quotient_error_shrinks_with_h_and_then_grows() -> None:
    explorer = explore()
    errors = {}
    for k in (0, -5, -12, -15.5):
        explorer.log_h.value = k
        errors[k] = explorer.reading.median
    assert errors[-5] < 1e-6 < errors[-12] < errors[0]
    assert math.isnan(errors[-15.5])


def test_the_axes_stay_while_h_and_x_move() -> None:
    explorer: Any = explore()
    picture = explorer.picture
    limits = picture.function.axes.axis(), picture.errors.axes.axis()
    for k in (-14.0, -3.0, 0.5):
        explorer.log_h.value = k
    for x in (1.0, 9.0):
        explorer.x.value = x
    assert (picture.function.axes.axis(), picture.errors.axes.axis()) == limits


def test_remark_appears_if_x_plus_h_rounds_to_x(both_languages: str) -> None:
    explorer: Any = explore(dtype=torch.float32, h=1e-8)
    assert "0/0" in remarks(explorer)
    assert not explorer.picture.function.secant.get_visible()
    assert explorer.picture.missing_error.get_visible()


def test_an_error_of_exactly_zero_stands_on_the_bottom_line(both_languages: str) -> None:
    explorer: Any = explore({"line": lambda x: 2 * x}, h=2.0, x=4.0)
    picture = explorer.picture
    assert explorer.reading.error == 0
    assert "▼" in remarks(explorer)
    assert picture.current_error.get_ydata()[0] == picture.errors.zero
    assert picture.current_error.get_marker() == "v"
    assert len(picture.zeros["float64"].get_xdata()) > 0
    low, high = picture.errors.axes.get_ylim()
    assert low < picture.errors.zero < high


def test_function_with_an_if_is_evaluated_point_by_point() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x > 5 else 3 * x

    explorer = explore(branch, x=6.0, h=1e-3)
    assert displayed_number(explorer, "gradient") == 12
    assert "one x at a time" in remarks(explorer)
    assert np.isfinite(explorer.reading.curves["float64"]).any()
    start = time.perf_counter()
    explorer.x.value = 3.0
    assert time.perf_counter() - start < 1
    assert displayed_number(explorer, "gradient") == 3


def test_the_chosen_x_may_be_outside_the_function_s_domain() -> None:
    explorer = explore(torch.log, x_range=(-2, 2), x=-1)
    assert "no finite value" in problems(explorer)
    explorer.x.value = 1.0
    assert problems(explorer) == remarks(explorer) == ""
    assert displayed_number(explorer, "gradient") == 1


def test_functions_come_alone_or_by_name() -> None:
    def square(x: torch.Tensor) -> torch.Tensor:
        return x**2

    assert list(explore(square).function.options) == ["square"]
    assert list(explore(lambda x: x).function.options) == ["f(x)"]
    assert list(explore({"a": square, "b": torch.sin}).function.options) == ["a", "b"]
    assert list(explore([square, torch.sin]).function.options) == ["square", "sin"]


def test_start_values_are_moved_into_range() -> None:
    assert explore(x=100, h=1e9).setting == Setting("log(x³)", 9.0, 10**0.5, "float64", "forward")


def test_dtype_may_be_given_as_a_torch_dtype() -> None:
    for name, dtype in DTYPES.items():
        assert explore(dtype=dtype).dtype.value == name


def test_the_static_figure_has_a_legend_of_symbols() -> None:
    figure = explore(h=1e-3, dtype="float32").static_figure()
    labels = [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    assert {"$f$", "$f'(x)$", "float32", "float64"} <= set(labels)
    assert all(text.isascii() for text in labels)


def test_without_rounding_h_goes_from_1_to_1e_4_in_one_dtype(both_languages: str) -> None:
    explorer = explore(rounding=False)
    assert (explorer.setting.h, explorer.setting.dtype, explorer.setting.scheme) == (
        1.0,
        "float64",
        "forward",
    )
    assert explorer.log_h.arguments == pytest.approx((1e-4, 10**0.5))
    assert explorer.call == "explore(x=5, rounding=False)"
    assert list(explorer.reading.curves) == ["float64"]
    assert "float32" not in explorer.legend.value
    assert len(explorer.questions) == 2
    assert len(explorer.first_look().questions) == 1
    with pytest.raises(ValueError, match="float64"):
        explore(rounding=False, dtype="float32")


@pytest.mark.parametrize("x", [1.0, 5.0, 9.0])
@pytest.mark.parametrize("function", ["log(x³)", "x³ + 2 sin x"])
def test_the_first_explorer_shows_the_quotient_becoming_the_gradient(function: str, x: float) -> None:
    explorer = explore(rounding=False, function=function, x=x)
    gaps = []
    for explorer.log_h.value in (0.0, -1.0, -2.0, -3.0, -4.0):
        gaps.append(abs(explorer.reading.quotient - explorer.reading.gradient))
    assert all(after < before / 5 for before, after in itertools.pairwise(gaps))
    assert gaps[-1] < 1e-3 * abs(explorer.reading.gradient)


def test_learners_single_function_is_named_in_its_list() -> None:
    for rounding in (True, False):
        explorer = explore(torch.sin, rounding=rounding)
        choices = {child for child in with_value(explorer.children) if isinstance(child, Choice)}
        assert choices == (
            {explorer.function, explorer.dtype, explorer.scheme} if rounding else {explorer.function}
        )
