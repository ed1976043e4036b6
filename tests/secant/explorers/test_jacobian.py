"""Tests of lesson 5's explorer; they set the values of its widgets, as the page does."""

import math
import re
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from secant.explorers.jacobian import direction, explore_arrows
from tests.support.reading import problems, remarks, text


def read_numbers(explorer: Any, name: str) -> Any:
    values = [float(number) for number in text(explorer, name).split(", ")]
    return values if len(values) > 1 else values[0]


def expected_polar(r: Any, t: Any) -> Any:
    """Return the value and the Jacobian of (r cos t, r sin t)."""
    value = np.array([r * math.cos(t), r * math.sin(t)])
    return value, np.array([[math.cos(t), -r * math.sin(t)], [math.sin(t), r * math.cos(t)]])


def twist(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x[0] * x[1] ** 2, torch.sin(x[0]) + 3 * x[1]])


def expected_twist(a: Any, b: Any) -> Any:
    value = np.array([a * b**2, math.sin(a) + 3 * b])
    return value, np.array([[b**2, 2 * a * b], [math.cos(a), 3.0]])


@pytest.mark.parametrize("point", [(2.0, 0.5), (0.7, -2.4), (3.0, 3.1)])
@pytest.mark.parametrize("angles", [(53.0, 45.0), (0.0, 90.0), (-127.0, 10.0)])
@pytest.mark.parametrize(
    ("function", "expected"), [(None, expected_polar), (twist, expected_twist)], ids=["polar", "own"]
)
def test_the_numbers_are_those_of_the_formulas(function: Any, expected: Any, point: Any, angles: Any) -> None:
    ranges = ((0.25, 3.0), (-3.1, 3.1))
    explorer = explore_arrows(function, ranges=ranges, p=point, h=0.25, v=angles[0], u=angles[1], along=True)
    v, u = direction(angles[0]), direction(angles[1])
    value, J = expected(*point)
    quotient = (expected(*(np.array(point) + 0.25 * v))[0] - value) / 0.25
    assert explorer.setting.h == pytest.approx(0.25)
    assert read_numbers(explorer, "quotient") == pytest.approx(quotient, rel=1e-5, abs=1e-6)
    assert explorer.reading.jvp == pytest.approx(J @ v, abs=1e-12)
    assert explorer.reading.backward == pytest.approx(u @ J @ v, abs=1e-12)
    assert read_numbers(explorer, "jvp") == pytest.approx(J @ v, rel=1e-7, abs=1e-12)
    assert read_numbers(explorer, "backward") == pytest.approx(u @ J @ v, rel=1e-7, abs=1e-12)
    assert read_numbers(explorer, "forward") == pytest.approx(u @ quotient, rel=1e-5, abs=1e-5)
    assert read_numbers(explorer, "gap") == pytest.approx(np.hypot(*(quotient - J @ v)), rel=1e-4, abs=1e-12)
    assert read_numbers(explorer, "miss") == pytest.approx(abs(u @ (quotient - J @ v)), rel=1e-4, abs=1e-6)


def test_explorer_shows_the_numbers_that_the_lesson_states() -> None:
    explorer = explore_arrows()
    gaps = []
    for k in (0, -1, -3):
        explorer.log_h.value = k
        gaps.append(read_numbers(explorer, "gap"))
    assert [f"{gaps[0]:.2f}", f"{gaps[1]:.3f}", f"{gaps[2]:.4f}"] == ["0.83", "0.080", "0.0008"]


def test_quotient_and_jvp_converge_linearly_in_h() -> None:
    explorer = explore_arrows(u=-20, along=True)
    misses = []
    for k in range(0, -7, -1):
        explorer.log_h.value = k
        misses.append(read_numbers(explorer, "miss"))
    assert misses[-1] < 1e-6
    ratios = [before / after for before, after in pairwise(misses)]
    assert all(5 < ratio < 15 for ratio in ratios)


def test_rounding_error_grows_for_the_smallest_steps() -> None:
    reading = explore_arrows().reading
    best_step = reading.steps[np.nanargmin(reading.gaps)]
    assert 1e-9 < best_step < 1e-6
    assert reading.gaps[0] > 1e3 * np.nanmin(reading.gaps)


def test_quotient_is_exact_along_a_ray() -> None:
    explorer = explore_arrows(v=0, h=1.0)
    assert read_numbers(explorer, "gap") < 1e-14


def test_the_curves_agree_with_the_chosen_h() -> None:
    explorer = explore_arrows()
    for k in (-12.0, -4.0, -0.5, 0.5):
        explorer.log_h.value = k
        reading = explorer.reading
        index = np.argmin(abs(np.log10(reading.steps) - k))
        assert reading.gaps[index] == pytest.approx(reading.gap, rel=1e-3, abs=1e-4)
        assert reading.misses[index] == pytest.approx(reading.miss, rel=1e-3, abs=1e-4)


def test_arrows_end_at_value_plus_vector() -> None:
    explorer: Any = explore_arrows(h=0.5)
    reading, picture = explorer.reading, explorer.picture
    for line, vector in (
        (picture.quotient, reading.quotient),
        (picture.jvp, reading.jvp),
        (picture.u, direction(45)),
    ):
        points = np.array(line.get_data()).T
        tip = reading.value + vector
        assert np.nanmin(np.hypot(*(points - tip).T)) < 1e-9
        assert np.hypot(*(points[0] - reading.value)) < 1e-9
    ends = np.array(picture.path.get_data()).T[[0, -1]]
    assert np.allclose(ends, [reading.value, reading.end])
    assert np.allclose(reading.end, reading.value + 0.5 * reading.quotient)


def test_the_plot_of_the_outputs_has_room_for_the_arrows_of_every_direction() -> None:
    def steep(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.sin(5 * x[0]), x[1]])  # its arrows are five times as long as its values

    explorer: Any = explore_arrows(steep, ranges=((-2, 2), (-2, 2)), p=(0.0, 0.0), v=30.0)
    left, right, bottom, top = explorer.picture.outputs.axes.axis()
    for angle in (30, 120, -150, -60):
        explorer.v.value = angle
        x, y = explorer.reading.value + explorer.reading.jvp
        assert left < x < right
        assert bottom < y < top


@pytest.mark.parametrize("h", [1.0, 1e-6])
def test_each_arrow_has_its_own_label_beyond_its_tip(h: float, full_drawing: None) -> None:
    explorer: Any = explore_arrows(h=h)
    figure, reading = explorer.picture, explorer.reading
    tips = [reading.value + vector for vector in (reading.quotient, reading.jvp, direction(45))]
    positions = [np.ravel(letters.get_data()) for letters, _ in figure.names[1:]]
    assert [letters.get_marker() for letters, _ in figure.names] == ["$v$", r"$\Delta F/h$", "$Jv$", "$u$"]
    for tip, position in zip(tips, positions, strict=True):
        assert 8 < np.hypot(*((position - tip) / figure.outputs.pixel)) < 40
    distances = [
        np.hypot(*((first - second) / figure.outputs.pixel)) for first, second in pairwise(positions)
    ]
    assert min(distances) > 25


@pytest.mark.whole
def test_the_axes_stay_while_anything_moves(full_drawing: None) -> None:
    explorer: Any = explore_arrows()
    picture = explorer.picture
    axes = picture.inputs.axes, picture.outputs.axes, picture.errors.axes
    limits = [ax.axis() for ax in axes]
    for control, values in (
        (explorer.log_h, (-14.0, 0.5)),
        (explorer.first, (0.25, 3.0)),
        (explorer.second, (-3.1, 3.1)),
        (explorer.v, (-180.0, 90.0)),
    ):
        for value in values:
            control.value = value
            explorer.stage.static_png()
    assert [ax.axis() for ax in axes] == limits


def test_remark_appears_if_the_step_is_lost_to_rounding(both_languages: str) -> None:
    explorer = explore_arrows(ranges=((0.25, 400.0), (-3.0, 3.0)), p=(300.0, 1.0), h=1e-15, v=0)
    assert "1.0e-15" in remarks(explorer)
    assert read_numbers(explorer, "quotient") == [0.0, 0.0]


def test_a_distance_of_exactly_zero_stands_on_the_bottom_line(both_languages: str) -> None:
    explorer: Any = explore_arrows(lambda x: 2 * x, p=(1.0, 0.5), v=0, h=0.5)
    explorer.log_h.value = 0.0
    picture = explorer.picture
    assert explorer.reading.gap == 0
    assert "▼" in remarks(explorer)
    assert len(picture.zeros.get_xdata()) > 0
    assert picture.current_error.get_ydata()[0] == picture.errors.zero
    low, high = picture.errors.axes.get_ylim()
    assert low < picture.errors.zero < high


class Model(torch.nn.Module):
    """A model in float32 that does not accept float64."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


@pytest.mark.parametrize("name", ["in place", "an if", "float32"])
def test_functions_with_if_in_place_or_float32_are_computed_right(name: str) -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x[0] > 0 else 3 * x

    def in_place(x: torch.Tensor) -> torch.Tensor:
        return x.clone().mul_(x)

    def to_float32(x: torch.Tensor) -> torch.Tensor:
        return (x**2).float()

    explorer = explore_arrows(
        {"an if": branch, "in place": in_place, "float32": to_float32}[name], p=(1.0, 0.5), h=1e-3
    )
    assert read_numbers(explorer, "jvp") == pytest.approx(2 * np.array([1.0, 0.5]) * direction(53), rel=1e-6)
    assert np.isfinite(explorer.reading.gaps).all()
    assert remarks(explorer) == ""


def test_the_function_s_own_parameters_get_no_gradient() -> None:
    model = Model().double()
    explorer = explore_arrows(model)
    explorer.v.value = 10.0
    assert all(parameter.grad is None for parameter in model.parameters())
    assert read_numbers(explorer, "jvp") == pytest.approx(model.layer.weight.detach().numpy() @ direction(10))


def test_start_values_are_moved_into_range() -> None:
    setting = explore_arrows(p=(100, -100), h=1e9, v=400, u=-200).setting
    assert setting.p == (3.0, -3.1)
    assert setting.h == pytest.approx(10**0.5)
    assert (setting.v, setting.u) == (40.0, 160.0)


@pytest.mark.whole
def test_forward_mode_s_own_warning_stays_out_of_the_notebook() -> None:
    """PyTorch warns when forward mode is first used; lessons run with warnings as errors."""
    code = (
        "import torch, warnings; warnings.simplefilter('error'); import secant.explorers.jacobian; "
        "torch.func.jvp(torch.sin, (torch.ones(2),), (torch.ones(2),))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_static_figure_has_a_legend_of_the_symbols_that_it_shows() -> None:
    for along in (True, False):
        figure = explore_arrows(h=0.1, along=along).static_figure()
        legends = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
        labels = [text.get_text() for legend in legends for text in legend.get_texts()]
        assert r"$\Delta F/h$" in labels
        assert ("$u$" in labels) == along
        assert all(text.isascii() for text in labels)


BAD_FUNCTIONS = {
    "one number": lambda x: x.sum(),
    "three numbers": lambda x: torch.stack([x[0], x[1], x[0]]),
    "a row": lambda x: x.reshape(1, 2),
    "complex": lambda x: x + 1j,
}


@pytest.mark.parametrize("name", BAD_FUNCTIONS)
def test_a_result_that_is_not_two_real_numbers_is_reported(name: str, both_languages: str) -> None:
    explorer = explore_arrows(BAD_FUNCTIONS[name])
    assert not explorer.has_content
    assert re.search("complex|shape|복소수", problems(explorer))
    explorer.first.value, explorer.v.value = -1.5, 10.0
    assert not explorer.has_content


def test_floats_put_into_a_tensor_show_a_quotient_without_slopes(both_languages: str) -> None:
    explorer = explore_arrows(lambda x: torch.tensor([math.sin(x[0]), 1.0]))
    assert ".item()" in problems(explorer)
    assert explorer.reading.visible_axes == (True, True, False)
    assert "secant-quotient" in explorer.text.value
    assert "secant-jvp" not in explorer.text.value


def multiply_by_inverse(x: torch.Tensor) -> torch.Tensor:
    """Multiply by the inverse of a matrix that is singular on one line of the grid, where x[0] is 0.

    On that line torch raises an error, and then vmap fails for all points of the grid.
    """
    zero, one = x[0] * 0, x[0] * 0 + 1
    matrix = torch.stack([torch.stack([x[0], zero]), torch.stack([zero, one])])
    return torch.linalg.inv(matrix) @ torch.stack([x[1], x[0]])


@pytest.mark.parametrize(
    "ranges", [((-1, 3), (-2, 2)), ((-2, 2), (-2, 2))], ids=["on a line", "in the middle"]
)
def test_singular_grid_point_is_left_out(ranges: Any) -> None:
    explorer = explore_arrows(multiply_by_inverse, ranges=ranges, p=(1.0, 0.5), h=1e-3, v=0)
    assert problems(explorer) == ""
    assert read_numbers(explorer, "jvp") == pytest.approx([-0.5, 1.0])
    assert all(explorer.reading.visible_axes)
    plane, image = explorer.subject.grid
    singular = plane[:, 0] == 0
    assert singular.any()
    assert np.isnan(image[singular]).all()
    assert np.isfinite(image[~singular & np.isfinite(plane[:, 0])]).all()
    explorer.first.value = 0.0
    assert "singular" in problems(explorer)
    assert explorer.has_content
    assert "nan" not in explorer.text.value
    explorer.first.value = 0.5
    assert problems(explorer) == ""
    assert read_numbers(explorer, "jvp") == pytest.approx([-2.0, 1.0])
    explorer._repr_mimebundle_()


def test_a_frame_s_step_may_cross_a_singular_point() -> None:
    explorer = explore_arrows(multiply_by_inverse, p=(-1.0, 0.5), h=1.0, v=0)
    assert "p + h v" in problems(explorer) or "singular" in problems(explorer)
    assert explorer.has_content
    assert np.isfinite(explorer.reading.gaps).any()
