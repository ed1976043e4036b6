"""Tests of the strokes that are recorded when artists draw, in a figure of 200 by 100 pixels at 100 dpi."""

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from secant.explorers.kit.canvas import new_figure
from secant.explorers.kit.strokes import Recorder, Stroke

FIGURE_PATH = "M0.0 0.0 L200.0 0.0 200.0 100.0 0.0 100.0 Z"


@pytest.fixture
def axes() -> Axes:
    """Return axes that fill the figure, from 0 to 2 and from 0 to 1."""
    figure = new_figure(2, 1)
    figure.set_layout_engine(None)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 2), ylim=(0, 1))
    return ax


def draw(artist: Any) -> list[Stroke]:
    recorder = Recorder(200, 100, 100)
    artist.draw(recorder)
    return recorder.strokes


def test_a_line_has_its_colour_width_and_ends_and_is_clipped_by_the_axes(axes: Axes) -> None:
    (line,) = axes.plot([0.5, 1], [0.25, 0.5], color="red", alpha=0.5, lw=7.2, solid_capstyle="projecting")
    (stroke,) = draw(line)
    assert stroke["path"].split() == ["M50.0", "25.0", "L100.0", "50.0"]
    assert stroke["at"] == [[0, 0]]
    assert (stroke["line"], stroke["thick"], stroke["cap"], stroke["join"]) == (
        "#ff000080", 10, "square", "round"
    )  # fmt: skip
    assert stroke["clip"].strip() == FIGURE_PATH
    assert "dash" not in stroke
    assert "fill" not in stroke


def test_dashes_are_in_pixels(axes: Axes) -> None:
    (line,) = axes.plot([0, 1], [0, 1], lw=3.6, ls=(1, (2, 4)))
    (stroke,) = draw(line)
    assert stroke["dash"] == [10, 20]  # multiples of the line's width, which is 5 pixels
    assert stroke["start"] == pytest.approx(5)


def test_line_is_interrupted_at_nan(axes: Axes) -> None:
    (line,) = axes.plot([0, 0.5, 1, 1.5, 2], [0, 0.5, math.nan, 0.5, 1])
    (stroke,) = draw(line)
    assert stroke["path"].split() == ["M0.0", "0.0", "L50.0", "50.0", "M150.0", "50.0", "L200.0", "100.0"]
    line.set_ydata([math.nan] * 5)
    assert draw(line) == []


def test_zero_on_a_logarithmic_axis_is_drawn_below_the_picture(axes: Axes) -> None:
    axes.set(xscale="log", yscale="log", xlim=(1e-2, 1), ylim=(1e-4, 1))
    (line,) = axes.plot([1e-2, 1e-1, 1], [1e-2, 0, 1], marker="s", ls="none")
    (stroke,) = draw(line)
    assert stroke["at"][::2] == [[0, 50], [200, 100]]
    assert stroke["at"][1][1] < -1000


def test_markers_are_sent_as_one_shape_with_many_positions(axes: Axes) -> None:
    (line,) = axes.plot(
        [0.5123, 1, 1.5], [0.5, math.nan, 1], "o", ms=7.2, mec="blue", mfc="none", mew=0.72, markevery=1
    )
    (stroke,) = draw(line)
    assert stroke["at"] == [[51.2, 50], [150, 100]]  # rounded to tenths of a pixel
    assert stroke["path"].count("C") == 1  # one circle with a radius of 5 pixels
    assert stroke["path"].startswith("M0.0 -5.0 C")
    assert (stroke["line"], stroke["thick"]) == ("#0000ffff", 1)
    assert "fill" not in stroke
    line.set_markerfacecolor("lime")
    assert draw(line)[0]["fill"] == "#00ff00ff"


def test_line_far_outside_the_figure_is_clipped(axes: Axes) -> None:
    (line,) = axes.plot([0, 2], [-1e12, 1e12])
    (stroke,) = draw(line)
    coordinates = [float(part.strip("ML")) for part in stroke["path"].split()]
    assert max(map(abs, coordinates)) <= 300


def test_long_curve_is_simplified(axes: Axes) -> None:
    x = np.linspace(0, 2, 5000)
    (line,) = axes.plot(x, x / 2)
    (stroke,) = draw(line)
    assert len(stroke["path"]) < 200


def test_a_box_is_filled_and_keeps_its_edge(axes: Axes) -> None:
    box = axes.add_patch(Rectangle((0.5, 0), 0.5, 0.5, fc="yellow", ec="black", lw=0))
    (stroke,) = draw(box)
    assert stroke["fill"] == "#ffff00ff"
    assert "line" not in stroke
    assert stroke["path"].strip() == "M50.0 0.0 L100.0 0.0 100.0 50.0 50.0 50.0 Z"


def test_clip_path_may_have_any_shape(axes: Axes) -> None:
    (line,) = axes.plot([0, 2], [0, 1])
    line.set_clip_path(axes.fill([0, 1, 0], [0, 0, 1])[0])
    (stroke,) = draw(line)
    assert stroke["clip"].startswith("M0.0 0.0 L100.0 0.0 0.0 100.0")


def test_text_is_drawn_as_filled_shapes_in_place(axes: Axes) -> None:
    strokes = draw(axes.text(1, 0.5, "$Jv$ x", color="green"))
    assert len(strokes) == 1
    assert strokes[0]["fill"] == "#008000ff"
    assert "line" not in strokes[0]
    x, y = strokes[0]["path"][1:].split()[:2]
    assert 100 <= float(x) < 150
    assert 40 <= float(y) < 70
