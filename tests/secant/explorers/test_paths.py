"""Tests of lesson 4's explorer; they set the values of its widgets, as the page does."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch

from secant.explorers.kit.two_paths import LOG_H
from secant.explorers.paths import Setting, explore_paths
from tests.support.reading import picture, problems, remarks, text


def read_number(explorer: Any, name: str) -> Any:
    return float(text(explorer, name).removesuffix("→ "))


#: z as a function of y = x³ and w = x², and its slopes with respect to both, computed with Python's floats.
FORMULAS: dict[str, tuple[Callable[[float, float], float], Callable[..., tuple[float, float]]]] = {
    "log y + √w": (lambda y, w: math.log(y) + math.sqrt(w), lambda y, w: (1 / y, 0.5 / math.sqrt(w))),
    "+": (lambda y, w: y + w, lambda y, w: (1.0, 1.0)),
    "×": (lambda y, w: y * w, lambda y, w: (w, y)),
}


def test_explorer_starts_with_the_two_paths_of_the_lesson() -> None:
    explorer = explore_paths()
    assert list(explorer.subject.pairs) == ["x³, x²"]
    assert explorer.merge.value == "log y + √w"
    assert read_number(explorer, "y") == pytest.approx(math.log(216 / 125))
    assert read_number(explorer, "w") == pytest.approx(1)
    assert read_number(explorer, "path-y") == pytest.approx(0.6)
    assert read_number(explorer, "path-w") == pytest.approx(1.0)
    assert read_number(explorer, "gradient") == pytest.approx(1.6)
    width, height = picture(explorer.view).size
    assert width / height == 9 / 4


def test_paths_are_hidden_until_by_path_is_chosen(both_languages: str) -> None:
    explorer: Any = explore_paths(by_path=False)
    assert read_number(explorer, "quotient") == pytest.approx(math.log(216 / 125) + 1)
    assert read_number(explorer, "gradient") == pytest.approx(1.6)
    for phrase in ("only y", "y만", "secant-path", "secant-rest"):
        assert phrase not in explorer.text.value
        assert phrase not in explorer.view.alt
    assert remarks(explorer) == ""
    figure = explorer.picture
    assert [bar.get_height() != 0 for bar in figure.bars.values()] == [False, False, False, True]
    assert not len(figure.rests.get_xdata())
    assert not len(figure.zeros.get_xdata())
    assert math.isnan(figure.through_y.get_ydata()[0])
    explorer.by_path.value = True
    assert read_number(explorer, "y") == pytest.approx(math.log(216 / 125))
    assert all(explorer.picture.bars[key].get_height() for key in ("y", "w", "both"))


def test_remainder_of_a_product_vanishes_in_proportion_to_h() -> None:
    explorer = explore_paths(merge="×")
    for log_h, expected in ((-1, 77.2751), (-2, 7.522525), (-3, 0.750225)):
        explorer.log_h.value = log_h
        assert read_number(explorer, "rest") == pytest.approx(expected, abs=1e-4)
        dy, dw = (5 + 10**log_h) ** 3 - 125, (5 + 10**log_h) ** 2 - 25
        assert read_number(explorer, "rest") == pytest.approx(dy * dw / 10**log_h, rel=1e-6)
    assert read_number(explorer, "gradient") == 3125


@pytest.mark.parametrize("merge", FORMULAS)
@pytest.mark.parametrize("x", [4.0, 5.0, 5.7])
def test_the_numbers_are_those_computed_by_hand(merge: str, x: float) -> None:
    explorer = explore_paths(merge=merge, x=x)
    z, slopes = FORMULAS[merge]
    for log_h in (0.0, -1.5, -3.0):
        explorer.log_h.value = log_h
        h = 10**log_h
        start, end = (x**3, x**2), ((x + h) ** 3, (x + h) ** 2)
        to_y, to_w = slopes(*start)
        expected = {
            "y": (z(end[0], start[1]) - z(*start)) / h,
            "w": (z(start[0], end[1]) - z(*start)) / h,
            "quotient": (z(*end) - z(*start)) / h,
            "path-y": 3 * x**2 * to_y,
            "path-w": 2 * x * to_w,
        }
        for key, number in expected.items():
            assert read_number(explorer, key) == pytest.approx(number, rel=1e-8)
        assert read_number(explorer, "gradient") == pytest.approx(expected["path-y"] + expected["path-w"])
        rest = expected["quotient"] - expected["y"] - expected["w"]
        assert read_number(explorer, "rest") == pytest.approx(rest, rel=1e-6, abs=1e-7)
        reading = explorer.reading
        assert reading.error == abs(reading.quotient - reading.slopes.both)
        assert read_number(explorer, "error") == pytest.approx(reading.error, rel=1e-6)


@pytest.mark.parametrize("merge", ["log y + √w", "+"])
def test_remainder_of_a_sum_is_zero_at_every_h(merge: str) -> None:
    explorer: Any = explore_paths(merge=merge)
    for x in (4.0, 5.0, 5.7):
        explorer.x.value = x
        for log_h in (0.0, -1.0, -2.0, -4.0, -6.0):
            explorer.log_h.value = log_h
            assert read_number(explorer, "rest") == 0
            assert abs(explorer.reading.parts["rest"]) < 1e-13 * 150 / 10**log_h
            assert read_number(explorer, "y") + read_number(explorer, "w") == pytest.approx(
                read_number(explorer, "quotient")
            )
        assert not explorer.reading.rests.any()
        assert set(explorer.picture.zeros.get_ydata()) == {explorer.picture.plot.zero}


@pytest.mark.parametrize("merge", FORMULAS)
def test_quotient_of_the_paths_converges_to_the_gradient(merge: str) -> None:
    explorer = explore_paths(merge=merge)
    errors = []
    for log_h in (0, -1, -2, -3, -4):
        explorer.log_h.value = log_h
        errors.append(explorer.reading.error)
    assert all(6 < before / after < 20 for before, after in pairwise(errors))


def test_bars_of_the_parts_are_stacked_to_the_quotient() -> None:
    explorer: Any = explore_paths(merge="×", h=0.5)
    bars, parts = explorer.picture.bars, explorer.reading.parts
    tops = {column: bar.get_y() + bar.get_height() for column, bar in bars.items()}
    assert bars["y"].get_y() == 0 == bars["both"].get_y()
    assert bars["w"].get_y() == pytest.approx(tops["y"])
    assert bars["rest"].get_y() == pytest.approx(tops["w"])
    assert tops["rest"] == pytest.approx(tops["both"]) == pytest.approx(parts["both"])
    assert list(explorer.picture.gradient.get_ydata()) == [explorer.reading.slopes.both] * 2


@pytest.mark.parametrize("merge", FORMULAS)
def test_the_axes_stay_and_hold_everything_while_h_and_x_move(merge: str) -> None:
    explorer: Any = explore_paths(merge=merge)
    picture = explorer.picture
    limits = picture.left.axis(), picture.plot.axes.axis()
    for log_h in (-6.0, -3.0, 0.0):
        for x in (4.0, 4.9, 6.0):
            explorer.log_h.value, explorer.x.value = log_h, x
            low, high = limits[0][2:]
            assert low <= 0 < explorer.reading.quotient < high
            assert limits[1][2] < explorer.reading.error < limits[1][3]
    assert (picture.left.axis(), picture.plot.axes.axis()) == limits


def test_bars_of_negative_parts_point_down() -> None:
    explorer: Any = explore_paths((torch.sin, lambda x: -(x**2)), x_range=(0, 2), x=1)
    assert explorer.reading.parts["w"] < 0
    assert explorer.picture.bars["w"].get_height() < 0
    assert explorer.picture.left.get_ylim()[0] < explorer.reading.quotient


def test_pairs_come_alone_or_by_name() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x

    assert list(explore_paths((f, torch.sin)).subject.pairs) == ["f, sin"]
    assert list(explore_paths([lambda x: x, f]).subject.pairs) == ["y(x), f"]
    assert list(explore_paths({"a": (f, f), "b": (f, torch.cos)}).subject.pairs) == ["a", "b"]


def test_learners_pair_is_split_into_its_two_paths() -> None:
    explorer = explore_paths((torch.sin, torch.exp), x_range=(0, 2), x=1, h=1e-3, merge="*")
    assert read_number(explorer, "path-y") == pytest.approx(math.cos(1) * math.e)
    assert read_number(explorer, "path-w") == pytest.approx(math.sin(1) * math.e)
    assert read_number(explorer, "gradient") == pytest.approx((math.cos(1) + math.sin(1)) * math.e)


def test_functions_with_an_if_are_taken_one_x_at_a_time() -> None:
    explorer = explore_paths((lambda x: x**2 if x > 5 else 3 * x, torch.sqrt), x=5.5, h=1e-3)
    assert read_number(explorer, "path-y") == 11
    explorer.x.value = 4.5
    assert read_number(explorer, "path-y") == 3


def test_a_place_outside_a_function_s_domain_is_named(both_languages: str) -> None:
    explorer = explore_paths((torch.log, torch.sqrt), x_range=(-1, 2), x=-0.5, h=1e-2)
    assert "-0.5" in problems(explorer)
    explorer.x.value = 1.0
    assert read_number(explorer, "gradient") == 1.5


def test_start_values_are_moved_into_range() -> None:
    assert explore_paths(x=100, h=1e9).setting == Setting("x³, x²", "log y + √w", 6.0, 1.0)
    assert explore_paths(h=1e-30).setting.h == pytest.approx(10 ** LOG_H[0])


def test_the_picture_contains_only_symbols() -> None:
    figure = explore_paths().static_figure()
    labels = [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    labels += [text.get_text() for axes in figure.axes for text in axes.get_xticklabels()]
    labels += [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel())]
    assert all(text.isascii() for text in labels)
    assert "$dz/dx$" in labels


@pytest.mark.parametrize("index", [0, 1])
def test_complex_numbers_are_refused_by_the_path_s_name(index: int, both_languages: str) -> None:
    pair: list[Any] = [torch.sin, torch.sin]
    pair[index] = lambda x: torch.complex(x, x)
    explorer = explore_paths(pair)
    assert f"{'yw'[index]}(x): " in problems(explorer)
    assert not explorer.has_content


def test_a_remainder_that_is_rounding_is_shown_as_0_and_named(both_languages: str) -> None:
    explorer = explore_paths(h=1e-6)
    assert read_number(explorer, "rest") == 0 != explorer.reading.parts["rest"]
    assert f"{explorer.reading.parts['rest']:.1e}" in remarks(explorer)
    assert {"en": "rounding", "ko": "반올림"}[both_languages] in remarks(explorer)


def test_a_small_remainder_that_is_not_rounding_is_shown() -> None:
    explorer = explore_paths(merge="×", h=1e-6)
    assert read_number(explorer, "rest") == pytest.approx(75 * 10 * 1e-6, rel=1e-2)
    assert all(explorer.reading.rests)


def test_learners_pair_can_be_added_or_multiplied(both_languages: str) -> None:
    explorer = explore_paths((torch.sin, torch.exp), x_range=(0, 2), x=1)
    assert explorer.merge.value == "+"
    assert [merge for _, merge in explorer.merge.options] == ["+", "×"]
    with pytest.raises(ValueError, match=r"\+, ×"):
        explore_paths((torch.sin, torch.exp), merge="log y + √w")
