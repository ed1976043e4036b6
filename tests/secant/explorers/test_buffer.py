"""Tests of lesson 3's explorer; they click its buttons and set its widgets' values, as the page does."""

import itertools
import math
import time
from typing import Any

import pytest
import torch

from secant.explorers.buffer import MAX_CALLS, explore_buffer
from tests.support.reading import displayed_number, picture, problems, remarks, text


def press(explorer: Any, *names: str) -> None:
    for name in names:
        explorer.buttons[name].click()


def test_explorer_starts_with_the_figures_of_the_syllabus() -> None:
    explorer = explore_buffer()
    assert explorer.reading.grads == [4, 16]
    assert text(explorer, "calls") == "x² + x³"
    assert displayed_number(explorer, "gradient") == 16
    assert displayed_number(explorer, "quotient") == (9 + 27) - (4 + 8)
    assert displayed_number(explorer, "error") == 8
    assert displayed_number(explorer, "last") == 12
    assert remarks(explorer) == ""
    assert picture(explorer.view).size == (1800, 800)


def test_after_one_call_the_quotient_is_that_of_one_function() -> None:
    explorer = explore_buffer(calls=["x²"])
    assert displayed_number(explorer, "quotient") == 5
    assert displayed_number(explorer, "gradient") == displayed_number(explorer, "last") == 4
    press(explorer, "x³")
    assert explorer.reading.grads == [4, 16]


def test_quotient_approaches_the_sum_in_the_buffer() -> None:
    explorer = explore_buffer()
    errors = []
    for k in range(7):
        explorer.log_h.value = -k
        errors.append(displayed_number(explorer, "error"))
        assert displayed_number(explorer, "gradient") == 16
    assert all(after < before / 5 for before, after in itertools.pairwise(errors))
    assert errors[-1] < 1e-4


@pytest.mark.parametrize("x", [-3.0, -0.7, 0.0, 1.25, 2.9])
def test_buffer_holds_the_sums_left_by_backward(x: float) -> None:
    explorer = explore_buffer(x=x, h=1e-3)
    explorer.reset.click()
    press(explorer, "x³", "x²", "x³", "x³")
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    for grad, power in zip(explorer.reading.grads, (3, 2, 3, 3), strict=True):
        (leaf**power).backward()
        assert grad == pytest.approx(leaf.grad.item(), rel=1e-14, abs=1e-14)
    slope = ((3 * (x + 1e-3) ** 3 + (x + 1e-3) ** 2) - (3 * x**3 + x**2)) / 1e-3
    assert displayed_number(explorer, "quotient") == pytest.approx(slope, rel=1e-9, abs=1e-9)
    assert displayed_number(explorer, "last") == pytest.approx(3 * x**2)


def test_reset_shows_grad_as_none(both_languages: str) -> None:
    explorer: Any = explore_buffer()
    explorer.reset.click()
    assert text(explorer, "gradient") == "None"
    assert text(explorer, "calls") == text(explorer, "quotient") == text(explorer, "last") == "—"
    assert "None" in remarks(explorer)
    assert "None" in explorer.view.alt
    assert not explorer.picture.function.secant.get_visible()
    explorer.x.value, explorer.log_h.value = 1.0, -2.0
    press(explorer, "x³")
    assert displayed_number(explorer, "gradient") == 3
    press(explorer, "x²")
    assert displayed_number(explorer, "gradient") == 5
    assert remarks(explorer) == ""


def test_moving_x_plays_the_calls_again_on_a_fresh_leaf() -> None:
    explorer = explore_buffer()
    for _ in range(3):
        explorer.x.value = 1.0
        explorer.x.value = -2.0
    assert displayed_number(explorer, "gradient") == -4 + 12


def test_number_of_backward_calls_is_bounded(both_languages: str) -> None:
    explorer = explore_buffer()
    press(explorer, *["x²"] * (MAX_CALLS + 5))
    assert len(explorer.reading.calls) == MAX_CALLS
    assert str(MAX_CALLS) in remarks(explorer)
    explorer.reset.click()
    press(explorer, "x²")
    assert displayed_number(explorer, "gradient") == 4


def test_each_control_redraws_the_picture() -> None:
    explorer = explore_buffer()
    for change in (
        lambda: setattr(explorer.x, "value", 1.0),
        lambda: setattr(explorer.log_h, "value", -1.0),
        lambda: press(explorer, "x²"),
        explorer.reset.click,
        lambda: press(explorer, "x³"),
    ):
        before = explorer.view.strokes
        change()
        assert explorer.view.strokes != before


def test_the_picture_shows_the_numbers() -> None:
    explorer: Any = explore_buffer()
    picture = explorer.picture
    heights = picture.stems.get_ydata()[picture.stems.get_markevery()[0] :: 3]
    assert heights.tolist() == [4, 16]
    assert list(picture.quotients.get_ydata()) == explorer.reading.quotients
    assert list(picture.last.get_ydata()) == [12]
    assert picture.function.tangent.get_slope() == 16
    assert [tick.get_text() for tick in picture.right.get_xticklabels()] == ["1\nx²", "2\nx³"]


def test_the_axes_stay_while_h_and_x_move() -> None:
    explorer: Any = explore_buffer()
    picture = explorer.picture
    limits = picture.function.axes.axis(), picture.right.axis()
    for k in (-14.0, -3.0, 0.5):
        explorer.log_h.value = k
    for x in (-3.0, 3.0):
        explorer.x.value = x
        low, high = picture.right.get_ylim()
        assert all(low < grad < high for grad in [*explorer.reading.grads, explorer.reading.last, 0])
    assert (picture.function.axes.axis(), picture.right.axis()) == limits


def test_remark_appears_if_x_plus_h_rounds_to_x(both_languages: str) -> None:
    explorer = explore_buffer(h=1e-15, x=3.0, x_range=(0, 30))
    explorer.x.value = 30.0
    assert "0/0" in remarks(explorer)
    assert displayed_number(explorer, "gradient") == 60 + 2700
    assert math.isnan(displayed_number(explorer, "quotient"))


def test_nan_in_grad_is_explained_until_x_is_in_the_domain(both_languages: str) -> None:
    explorer = explore_buffer([torch.log, torch.square], x_range=(-2, 2), x=-1.0)
    press(explorer, "square")
    assert "nan" in remarks(explorer)
    explorer.x.value = 1.0
    assert displayed_number(explorer, "gradient") == 5
    assert remarks(explorer) == ""


def test_functions_with_an_if_and_slow_functions_are_drawn() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x > 0 else -x

    def slow(x: torch.Tensor) -> torch.Tensor:
        if x > 9:
            return x
        time.sleep(0.001)
        return 3 * x

    explorer = explore_buffer([branch, slow], x=-1.0)
    assert explorer.reading.grads == [-1, 2]
    start = time.perf_counter()
    explorer.x.value = 2.0
    assert time.perf_counter() - start < 1
    assert explorer.reading.grads == [4, 7]


def test_a_model_s_own_buffers_stay_as_they_are() -> None:
    model = torch.nn.Linear(1, 1, dtype=torch.float64)

    def apply_model(x: torch.Tensor) -> torch.Tensor:
        return model(x.reshape(-1, 1)).reshape(x.shape)

    explorer = explore_buffer(apply_model, x=1.0)
    assert explorer.reading.gradient == model.weight.item()
    assert displayed_number(explorer, "gradient") == pytest.approx(model.weight.item(), rel=1e-7)
    assert model.weight.grad is None


def test_functions_can_be_given_alone_or_by_name() -> None:
    assert list(explore_buffer(torch.sin).buttons) == ["sin"]
    assert list(explore_buffer(lambda x: x).buttons) == ["f(x)"]
    assert list(explore_buffer({"a": torch.sin, "b": torch.cos}).buttons) == ["a", "b"]
    labels = [button.description for button in explore_buffer([torch.sin, torch.cos]).buttons.values()]
    assert labels == ["(sin).backward()", "(cos).backward()"]


def test_start_values_are_moved_into_range() -> None:
    explorer = explore_buffer(x=100, h=1e9)
    assert explorer.reading.x == 3
    assert explorer.reading.h == pytest.approx(10**0.5)


def fail(x: torch.Tensor) -> None:
    raise RuntimeError("broken")


@pytest.mark.parametrize("bad_function", [fail, lambda x: None, lambda x: torch.tensor(3.0)])
def test_failing_backward_call_adds_nothing_to_grad(bad_function: Any, both_languages: str) -> None:
    explorer = explore_buffer({"bad": bad_function, "good": torch.sin}, x=1.0)
    assert "bad: " in problems(explorer)
    assert explorer.reading.calls == ["good"]
    assert displayed_number(explorer, "gradient") == pytest.approx(math.cos(1))
    explorer.reset.click()
    assert text(explorer, "gradient") == "None"
    press(explorer, "bad")
    assert explorer.reading.calls == []
    assert not explorer.has_content
    explorer.reset.click()
    assert text(explorer, "gradient") == "None"
    assert problems(explorer) == ""
