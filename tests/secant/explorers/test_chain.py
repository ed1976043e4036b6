"""Tests of lesson 2's explorer; they set the values of its widgets, as the page does."""

import math
import re
import time
import warnings
from typing import Any

import numpy as np
import pytest
import torch

from secant.explorers.chain import Setting, explore_chain
from tests.support.reading import displayed_number, picture, remarks


def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


LOG_OF_CUBE = [("y", cube), ("z", torch.log)]


def test_explorer_starts_with_the_figures_of_the_lesson() -> None:
    explorer = explore_chain()
    assert [displayed_number(explorer, f"quotient{i}") for i in (1, 2, 3)] == [3, 1, 17]
    assert [displayed_number(explorer, f"slope{i}") for i in (1, 2, 3)] == [3, 1, 14]
    assert displayed_number(explorer, "product") == displayed_number(explorer, "quotient") == 51
    assert displayed_number(explorer, "gradient") == 42
    assert displayed_number(explorer, "error") == 9
    assert remarks(explorer) == ""
    assert picture(explorer.view).size[0] > 600


def test_steps_are_hidden_until_by_step_is_chosen(both_languages: str) -> None:
    explorer: Any = explore_chain(by_step=False)
    assert displayed_number(explorer, "quotient") == 51
    assert displayed_number(explorer, "gradient") == 42
    assert displayed_number(explorer, "error") == 9
    for phrase in ("secant-quotient1", "secant-slope1", "secant-product", "17"):
        assert phrase not in explorer.text.value
        assert phrase not in explorer.view.alt
    figure = explorer.picture
    assert np.isnan(figure.factors.slopes.get_ydata()).tolist() == [True, True, True, False]
    assert [bool(np.isfinite(line.get_ydata()).any()) for line in figure.curves] == [False] * 3 + [True]
    assert np.isnan(np.ma.filled(figure.current_error.get_offsets(), np.nan)[:, 1]).tolist() == [
        True,
        True,
        True,
        False,
    ]
    explorer.by_step.value = True
    assert [displayed_number(explorer, f"quotient{i}") for i in (1, 2, 3)] == [3, 1, 17]
    assert np.isfinite(explorer.picture.factors.slopes.get_ydata()).all()


@pytest.mark.parametrize(
    "steps", [None, LOG_OF_CUBE, [("a", torch.sin), ("b", torch.exp), ("c", torch.tanh)]]
)
def test_the_product_is_the_whole_quotient_at_every_h(steps: Any) -> None:
    explorer = explore_chain(steps, x_range=(1, 3), x=1.7)
    for x in (1.2, 1.7, 2.9):
        explorer.x.value = x
        for k in range(-29, 2):
            explorer.log_h.value = k / 2
            reading = explorer.reading
            if not math.isnan(reading.product):
                assert reading.product == pytest.approx(reading.whole, rel=1e-12)


def test_the_numbers_are_those_of_the_formula() -> None:
    explorer = explore_chain(LOG_OF_CUBE, x=5.0, h=1.0, x_range=(1, 9))
    for x, log_h in ((5.0, 0.0), (2.5, -1.0), (8.0, -3.5)):
        explorer.x.value, explorer.log_h.value = x, log_h
        h = 10**log_h
        rise = ((x + h) ** 3 - x**3) / ((x + h) - x)
        assert displayed_number(explorer, "quotient1") == pytest.approx(rise, rel=1e-9)
        whole = 3 * (math.log(x + h) - math.log(x)) / ((x + h) - x)
        assert displayed_number(explorer, "quotient") == pytest.approx(whole, rel=1e-9)
        assert displayed_number(explorer, "quotient2") == pytest.approx(whole / rise, rel=1e-9)
        assert displayed_number(explorer, "slope1") == pytest.approx(3 * x**2)
        assert displayed_number(explorer, "slope2") == pytest.approx(x**-3)
        assert displayed_number(explorer, "gradient") == pytest.approx(3 / x)


def test_factor_errors_shrink_with_h_and_then_grow() -> None:
    explorer = explore_chain(LOG_OF_CUBE, x=5.0, x_range=(1, 9))
    errors = {}
    for k in (0, -3, -7, -14):
        explorer.log_h.value = k
        errors[k] = max(explorer.reading.errors)
    assert errors[-7] < 1e-4 < errors[-3] < errors[0]
    assert errors[-14] > 1e-2


def test_the_curves_are_medians_of_the_same_errors() -> None:
    explorer = explore_chain(LOG_OF_CUBE, x=5.0, x_range=(1, 9))
    reading = explorer.reading
    xs = torch.linspace(4, 6, 21, dtype=torch.float64).tolist()
    for index in (40, 60):
        h = reading.grid[index]
        readings = [explorer.subject.read(Setting(x, h)) for x in xs]
        for curve, errors in zip(
            reading.curves, zip(*(r.errors for r in readings), strict=True), strict=True
        ):
            assert curve[index] == pytest.approx(sorted(errors)[10], rel=1e-3)


def test_each_control_redraws_the_picture_and_the_axes_stay() -> None:
    explorer: Any = explore_chain()
    picture = explorer.picture
    limits = picture.left.axis(), picture.errors.axes.axis()
    for control, value in (
        (explorer.x, 0.5),
        (explorer.log_h, -3.0),
        (explorer.log_h, 0.5),
        (explorer.x, 4.0),
    ):
        before = explorer.view.strokes
        control.value = value
        assert explorer.view.strokes != before
    assert (picture.left.axis(), picture.errors.axes.axis()) == limits


def test_all_factors_are_inside_the_picture() -> None:
    explorer: Any = explore_chain(x_range=(-3, 3))
    for x in (-3.0, 0.0, 3.0):
        for k in (-6.0, 0.5):
            explorer.x.value, explorer.log_h.value = x, k
            low, high = explorer.picture.left.get_ylim()
            reading = explorer.reading
            assert all(low <= value <= high for value in [*reading.quotients, *reading.slopes, reading.whole])


def test_remark_appears_if_x_plus_h_rounds_to_x(both_languages: str) -> None:
    explorer = explore_chain(LOG_OF_CUBE, x=8.0, h=10**-15.5, x_range=(1, 9))
    assert "0/0" in remarks(explorer)
    assert math.isnan(displayed_number(explorer, "product"))


def test_remark_appears_if_a_step_does_not_change(both_languages: str) -> None:
    explorer = explore_chain([("y", torch.floor), ("z", torch.exp)], x=1.2, h=0.5)
    assert "0/0" in remarks(explorer)
    assert "Δz/Δy" in remarks(explorer)
    assert displayed_number(explorer, "quotient") == 0
    explorer.log_h.value = 0.0
    assert remarks(explorer) == ""
    assert displayed_number(explorer, "quotient1") == pytest.approx(1)


def test_error_of_zero_is_drawn_on_the_bottom_line(both_languages: str) -> None:
    explorer: Any = explore_chain([("y", lambda x: 2 * x), ("z", lambda y: y + 1)], x=2.0, h=1.0)
    assert "▼" in remarks(explorer)
    assert set(explorer.picture.current_error.get_offsets()[:, 1]) == {explorer.picture.errors.zero}


def test_step_with_an_if_is_evaluated_point_by_point() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x > 2 else 3 * x

    explorer = explore_chain([("y", branch), ("z", torch.exp)], x=3.0, h=1e-3)
    assert displayed_number(explorer, "slope1") == 6
    start = time.perf_counter()
    explorer.x.value = 1.0
    assert time.perf_counter() - start < 1
    assert displayed_number(explorer, "slope1") == 3


def test_step_names_may_contain_tex_korean_and_underscores() -> None:
    explorer = explore_chain([("$a$", torch.sin), ("값", torch.exp), ("a_b", torch.tanh)], x=1.0)
    assert "Δ값" in explorer.text.value
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as the warning about a letter that the font lacks
        explorer._repr_mimebundle_()


def test_start_values_are_moved_into_range() -> None:
    assert explore_chain(x=100, h=1e9).setting == Setting(4.0, 10**0.5)


def test_overlapping_markers_of_steps_can_be_told_apart(full_drawing: None) -> None:
    """Rings differ in colour and size, zero marks in colour and row, and curve markers in their positions."""
    figure: Any = explore_chain([("y", lambda x: 2 * x), ("z", lambda y: y + 1)]).picture
    colors = [line.get_color() for line in figure.curves]
    assert len(set(colors)) == 3
    assert [zeros.get_markeredgecolor() for zeros in figure.zeros] == colors
    assert len({tuple(color) for color in figure.current_error.get_edgecolors()}) == 3
    assert len(set(figure.current_error.get_sizes())) == 3
    rows = [zeros.get_transform().transform((1.0, 1.0))[1] for zeros in figure.zeros]
    assert rows[0] + 5 < rows[1] < rows[2] - 5
    assert all(zeros.get_markeredgewidth() < zeros.get_markersize() / 2 for zeros in figure.zeros)
    assert len({line.get_markevery() for line in figure.curves}) == 3


def test_the_legend_names_every_mark(both_languages: str) -> None:
    legend = explore_chain().legend.value
    for name in ("Δz/Δx", "Δy/Δz", "Δloss/Δy", "Δloss/Δx"):
        assert name in legend
    assert re.search({"en": "ring.*exactly 0", "ko": "고리.*정확히 0"}[both_languages], legend)
