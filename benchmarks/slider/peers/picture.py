"""The figure that each library draws: lesson 1's numbers, the axis limits, and the sliders for x and h."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from secant.explorers.kit import controls, plots
from secant.explorers.kit.canvas import throttled
from secant.explorers.kit.ranges import LOG_H, padded
from secant.explorers.tangent import FUNCTIONS, Reading, Setting, Subject
from secant.quiet import quietly

NAME, DTYPE, DTYPES = next(iter(FUNCTIONS)), "float64", ("float32", "float64")
WIDTH, HEIGHT = 900, 400  # the size in pixels of both plots together
EVERY = 4  # every fourth point of an error curve has a marker
LABELS = ("x", "f(x)"), ("h", "|Δf/Δx − f'(x)|")

subject = Subject(FUNCTIONS, (1.0, 9.0))
curve: tuple[np.ndarray, np.ndarray] = subject.by_dtype[DTYPE].curve(NAME)
x_limits, y_limits = padded(subject.ends), plots.limits(curve[1])
lowest, highest = subject.error_range(NAME)
h_limits = 10 ** (LOG_H[0] - 0.3), 10 ** (LOG_H[1] + 0.3)
error_limits = lowest / 20, highest

Points = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class FrameData:
    """The moving elements of the figure, each as the coordinates of its points.

    The coordinate of a missing point is NaN.
    """

    secant: Points
    tangent: Points
    ends: Points
    point: Points
    float32: Points
    float64: Points
    zeros32: Points
    zeros64: Points
    step: Points
    median: Points
    here: Points
    nothing: Points


def _points(x: object, y: object) -> Points:
    return np.asarray(x, float), np.asarray(y, float)


def _line(x: float, y: float, slope: float) -> Points:
    """Return a line across the whole plot, through the point (x, y) with the given slope."""
    ends = np.array(x_limits)
    return ends, y + slope * (ends - x)


def _clip_error(error: float) -> float:
    return min(max(error, lowest / 10), highest) if math.isfinite(error) else math.nan


def frame_data(reading: Reading) -> FrameData:
    """Return the points of all moving elements of the figure, computed from the explorer's numbers."""
    h, point = reading.setting.h, (reading.x, reading.height)
    curves = {name: reading.curves[name] for name in DTYPES}
    zeros = {name: np.where(errors == 0, lowest / 10, math.nan) for name, errors in curves.items()}
    positive_errors = {name: np.where(errors == 0, math.nan, errors) for name, errors in curves.items()}
    return FrameData(
        secant=_line(*point, reading.quotient),
        tangent=_line(*point, reading.gradient),
        ends=_points(reading.ends, reading.heights),
        point=_points([point[0]], [point[1]]),
        float32=_points(reading.steps, positive_errors["float32"]),
        float64=_points(reading.steps, positive_errors["float64"]),
        zeros32=_points(reading.steps, zeros["float32"]),
        zeros64=_points(reading.steps, zeros["float64"]),
        step=_points([h, h], error_limits),
        median=_points([h], [_clip_error(reading.median)]),
        here=_points([h], [_clip_error(reading.error)]),
        nothing=_points([h], [highest / 3 if math.isnan(reading.error) else math.nan]),
    )


def read(x: float, h: float) -> Reading:
    """Compute the numbers that the explorer shows for x and h."""
    with quietly():
        return subject.read(Setting(NAME, x, h, DTYPE, "forward"))


def words(reading: Reading) -> str:
    """Return the explorer's numbers as text."""
    return (
        f"difference quotient {reading.quotient:.12g}, gradient {reading.gradient:.12g}, "
        f"difference {reading.error:.3g}, its median {reading.median:.1e}"
    )


def sliders() -> tuple[controls.Slider, controls.Slider, widgets.Widget]:
    """Return the explorer's sliders for x and log10 h, and the widget that holds both."""
    x, x_row = controls.slider("x", 5.0, subject.ends)
    log_h, h_row = controls.step_slider(2.0)
    return x, log_h, widgets.HBox([x_row, h_row])


def panel(figure: widgets.Widget, draw: Callable[[FrameData], None]) -> widgets.VBox:
    """Return a widget that contains the sliders, a figure, and the explorer's numbers as text.

    Args:
        figure: the figure.
        draw: a function that updates the figure after a slider has moved.
    """
    x, log_h, row = sliders()
    text = widgets.HTML()
    reading = read(x.number, log_h.argument)

    def write() -> None:
        text.value = words(reading)

    throttled_write = throttled(write)

    def update(_: object = None) -> None:
        nonlocal reading
        reading = read(x.number, log_h.argument)
        draw(frame_data(reading))
        throttled_write()

    x.observe(update, "value")
    log_h.observe(update, "value")
    update()
    return widgets.VBox([row, figure, text])
