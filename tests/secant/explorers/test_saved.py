"""Tests of lesson 7's explorer: the quotient tends to the true slope, even if backward reads changed data."""

import math
from typing import Any

import pytest
import torch

from secant.explorers.saved import DTYPES, SPOILERS, explore_saved
from tests.support.reading import displayed_number, problems, remarks


def test_explorer_starts_with_an_unnoticed_edit_of_data() -> None:
    explorer = explore_saved()
    assert displayed_number(explorer, "truth") == 2.6
    assert displayed_number(explorer, "gradient") == 3.6
    assert displayed_number(explorer, "quotient") == pytest.approx(2.7)
    assert displayed_number(explorer, "off") == 1


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_quotient_converges_to_the_true_slope_despite_every_spoiler(spoiler: str) -> None:
    explorer: Any = explore_saved(spoiler=spoiler, h=1e-6)
    for name in explorer.subject.functions:
        explorer.function.value = name
        reading = explorer.reading
        assert reading.quotient == pytest.approx(reading.truth, rel=1e-4)
        assert (reading.off == 0) == (spoiler == "none" or (spoiler, name) == ("data", "eˣ"))


@pytest.mark.parametrize(
    ("name", "slope"), [("x²", 2 * 1.8), ("eˣ", math.exp(1.3)), ("log x³", 3 * 1.8**2 / 1.3**3)]
)
def test_edit_of_data_spoils_only_saved_copies_of_x(name: str, slope: float) -> None:
    explorer = explore_saved(a=0.5)
    explorer.function.value = name
    assert explorer.reading.slope == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize("name", DTYPES)
def test_a_saved_x_is_rounded_to_the_dtype(name: str) -> None:
    explorer = explore_saved(spoiler=name)
    assert (
        explorer.reading.slope == 2 * torch.tensor(1.3, dtype=torch.float64).to(DTYPES[name]).double().item()
    )


def test_hook_spoiler_multiplies_the_gradient_by_a() -> None:
    explorer = explore_saved(spoiler="hook", a=2)
    assert explorer.reading.slope == pytest.approx(2 * 2.6)
    explorer.a.value = -1
    assert explorer.reading.slope == pytest.approx(-2.6)


def test_remark_appears_if_a_spoiler_has_no_effect(both_languages: str) -> None:
    explorer = explore_saved()
    assert remarks(explorer) == ""
    explorer.function.value = "eˣ"
    assert "x.grad" in remarks(explorer)
    explorer.spoiler.value = "none"
    assert explorer.reading.off == 0
    assert problems(explorer) == ""


def test_underflow_in_float8_is_explained_in_a_remark(both_languages: str) -> None:
    explorer = explore_saved(torch.log, spoiler="float8", x_range=(0.0005, 10), x=0.0005)
    assert explorer.reading.slope == math.inf
    assert "x.grad" in remarks(explorer)
    assert problems(explorer) == ""
    explorer.x.value = 2.2
    assert explorer.reading.slope == pytest.approx(1 / 2.25)


def test_the_picture_shows_the_numbers() -> None:
    explorer: Any = explore_saved()
    picture = explorer.picture
    assert picture.function.tangent.get_slope() == pytest.approx(3.6)
    assert picture.function.secant.get_slope() == pytest.approx(2.7)
    assert picture.error.get_ydata()[0] == pytest.approx(0.9)
    assert picture.truth.get_ydata()[0] == pytest.approx(0.1)
    limits = picture.function.axes.axis(), picture.plot.axes.axis()
    explorer.x.value, explorer.log_h.value, explorer.a.value = 3.5, -8.0, -1.0
    assert (picture.function.axes.axis(), picture.plot.axes.axis()) == limits


def test_a_model_s_own_buffers_stay_as_they_are() -> None:
    model = torch.nn.Linear(1, 1, dtype=torch.float64)
    explorer = explore_saved(lambda x: model(x.reshape(-1, 1)).reshape(x.shape), spoiler="bfloat16")
    assert explorer.reading.truth == model.weight.item()
    assert model.weight.grad is None


def test_float32_inside_a_function_is_not_reported_as_spoiled() -> None:
    layer = torch.nn.Linear(1, 1)

    def f(x: torch.Tensor) -> torch.Tensor:
        return (layer(x.float().reshape(1, 1)) ** 2).double().reshape(x.shape)

    for spoiler in SPOILERS:
        explorer = explore_saved(f, spoiler=spoiler)
        assert problems(explorer) == ""
    assert explore_saved(f, spoiler="none").reading.off == 0


def test_korean_particle_fits_the_spoken_dtype_name(both_languages: str) -> None:
    labels = [label for label, value in explore_saved().spoiler.options if value in DTYPES]
    if both_languages == "ko":
        assert labels == ["float32로 저장", "bfloat16으로 저장", "float8로 저장"]
    else:
        assert labels == [f"saved as {name}" for name in DTYPES]
