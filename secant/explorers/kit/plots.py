"""The plots that most explorers share: a function with a secant and a tangent, and errors against h."""

import math
from typing import Any, Protocol

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from secant.explorers.kit.canvas import new_figure
from secant.explorers.kit.colours import INK, SECANT, TANGENT
from secant.explorers.kit.ranges import LOG_H, Range, clamp

# Width of a figure with stacked axes, and height of each of these axes, in inches.
STACKED_WIDTH, STACKED_HEIGHT = 3.9, 2.9
DASHES = (0, (5, 3))  # dash pattern of every line that shows a gradient from autograd


def row(count: int, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure with axes side by side. Each has a light grid, but no frame at the top and the right.

    Args:
        count: the number of axes.
        options: options of matplotlib's `Figure.subplots`.
    """
    figure = new_figure()
    all_axes = list(figure.subplots(1, count, **options))
    for axes in all_axes:
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, all_axes


def stack(figure: Figure) -> None:
    """Arrange the axes of a figure made by `row` one below another, for a narrow page."""
    count = len(figure.axes)
    figure.set_size_inches(STACKED_WIDTH, count * STACKED_HEIGHT)
    places = figure.add_gridspec(count, 1)
    for row, axes in enumerate(figure.axes):
        axes.set_subplotspec(places[row])


class Plot(Protocol):
    """A plot with its axes and its moving artists; `line` and `marker` append artists to `moving`."""

    axes: Axes
    moving: list[Artist]


def line(
    plot: Plot, color: str, width: float, style: Any = "-", *, label: str = "_", **options: Any
) -> Line2D:
    """Add an empty line to a plot, and return the line; style, label and options are matplotlib's."""
    (artist,) = plot.axes.plot([], [], color=color, lw=width, ls=style, label=label, **options)
    plot.moving.append(artist)
    return artist


def marker(
    plot: Plot, shape: str, color: str, *, size: float, hollow: bool = False, label: str = "_"
) -> Line2D:
    """Add an empty set of points to a plot, and return it; `shape` is a matplotlib marker."""
    ends: dict[str, Any] = {"mec": color, "mfc": "none" if hollow else color, "mew": 2}
    return line(plot, color, 0, "none", label=label, marker=shape, ms=size, zorder=5, **ends)


def limits(y: np.ndarray) -> Range:
    """Return axis limits for a curve, chosen so that a pole does not flatten the rest of the curve."""
    y = y[np.isfinite(y)]
    if not len(y):
        return -1.0, 1.0
    low, high = y.min(), y.max()
    inner_low, inner_high = np.quantile(y, [0.05, 0.95])
    if high - low > 8 * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    pad = 0.08 * (high - low) or max(1.0, abs(low))
    return float(low - pad), float(high + pad)


def decades(errors: np.ndarray, lowest: int, highest: int, fewest: int = 3) -> Range:
    """Return two powers of ten that enclose the errors.

    Args:
        errors: the errors; only positive finite ones count.
        lowest: the smallest exponent to return, unless `fewest` requires a smaller one.
        highest: the largest exponent to return; larger errors come from a pole.
        fewest: the minimum number of decades between the two powers.
    """
    errors = errors[np.isfinite(errors) & (errors > 0)]
    if not len(errors):
        return 1e-17, 10.0
    low = max(math.floor(math.log10(errors.min())), lowest)
    high = min(math.ceil(math.log10(errors.max())), highest)
    return 10.0 ** min(low, high - fewest), 10.0**high


class FunctionPlot:
    """A plot of a curve with a secant, a tangent, and the points through which they pass."""

    def __init__(
        self,
        axes: Axes,
        name: str,
        *,
        quotient: str,
        gradient: str,
        point: str = "_",
        ends: str = "_",
    ) -> None:
        """Prepare the axes, and create empty artists.

        Args:
            axes: the axes to draw in.
            name: the function's name.
            quotient: the secant's label in the legend of a saved figure.
            gradient: the tangent's label in that legend.
            point: the label, in that legend, of the point at x.
            ends: the label, in that legend, of the two points that the quotient compares.
        """
        self.axes = axes
        axes.set_xlabel("$x$")
        axes.set_ylabel(f"${name}(x)$")
        (self.curve,) = axes.plot([], [], color=INK, lw=1.6, label=f"${name}$")
        self.secant = axes.axline((0, 0), slope=0, color=SECANT, lw=4, label=quotient, zorder=3)
        self.tangent = axes.axline((0, 0), slope=0, color=TANGENT, lw=2, ls=DASHES, label=gradient, zorder=4)
        self.moving: list[Artist] = [self.secant, self.tangent]
        self.ends = marker(self, "D", SECANT, size=11, hollow=True, label=ends)
        self.point = marker(self, "o", INK, size=7, label=point)

    def set_curve(self, x: np.ndarray, y: np.ndarray) -> None:
        """Draw the curve, without a line across a pole, and set axis limits that fit it."""
        low, high = limits(y)
        jumps = np.abs(np.diff(y, prepend=y[:1])) > 2 * (high - low)
        self.curve.set_data(x, np.where(jumps, np.nan, y))
        self.axes.set(xlim=(x[0], x[-1]), ylim=(low, high))

    def set_lines(
        self, point: tuple[float, float], quotient: float, gradient: float, ends: Range, heights: Range
    ) -> None:
        """Move the point, the secant and the tangent, and the two points that the quotient compares.

        Args:
            point: the point of tangency.
            quotient: the slope of the secant.
            gradient: the slope of the tangent.
            ends: the x values of the two points that the quotient compares; NaN for the complex step.
            heights: the function's values at `ends`.
        """
        # The complex step does not compare two points, so its secant passes through the point of tangency.
        start = point if math.isnan(ends[0]) else (ends[0], heights[0])
        set_line(self.secant, *start, quotient)
        set_line(self.tangent, *point, gradient)
        self.point.set_data([point[0]], [point[1]])
        self.ends.set_data(ends, heights)


def set_line(line: Any, x: float, y: float, slope: float) -> None:
    """Move an infinite line made by `axline`, or hide it if its point or its slope is not finite."""
    line.set_visible(math.isfinite(x) and math.isfinite(y) and math.isfinite(slope))
    if line.get_visible():
        line.set_xy1((x, y))
        line.set_slope(slope)


class ErrorPlot:
    """A log-log plot of errors against h; errors of exactly 0 are on an extra line at the bottom."""

    def __init__(
        self, axes: Axes, label: str, log_h: Range = LOG_H, *, tick_step: int = 3, pad: float = 0.3
    ) -> None:
        """Prepare the axes.

        Args:
            axes: the axes to draw in.
            label: the label of the vertical axis, which shows the errors.
            log_h: the range of log10(h).
            tick_step: the number of decades of h from one tick to the next.
            pad: the margin at both ends of h's range, in decades.
        """
        self.axes = axes
        axes.set_xlabel("$h$")
        axes.set_ylabel(label)
        axes.set(xscale="log", yscale="log", xlim=(10 ** (log_h[0] - pad), 10 ** (log_h[1] + pad)))
        axes.set_xticks([10.0**k for k in range(math.ceil(log_h[0]), 1, tick_step)])
        self.step = axes.axvline(1, color=INK, lw=1.2, ls=":", zorder=2)
        self.zero = self.high = 1.0
        self.moving: list[Artist] = [self.step]

    def set_decades(self, lowest: float, highest: float) -> None:
        """Set the limits of the error axis to powers of ten, with room below for the line of zero errors."""
        self.zero, self.high = lowest / 10, highest
        self.axes.set_ylim(self.zero / 2, highest)
        every_decade = range(round(math.log10(lowest)), round(math.log10(highest)) + 1)
        stride = max(1, math.ceil(len(every_decade) / 7))
        labelled = [k for k in every_decade if k % stride == 0]
        self.axes.set_yticks(
            [self.zero, *(10.0**k for k in labelled)], ["0", *(f"$10^{{{k}}}$" for k in labelled)]
        )
        self.axes.minorticks_off()

    def set_curves(self, zeros: Line2D, steps: np.ndarray, *curves: tuple[Line2D, np.ndarray]) -> np.ndarray:
        """Set the data of the error curves, and return the h values at which an error is exactly 0.

        A line whose array of errors is empty gets no points.

        Args:
            zeros: the markers to place at errors of exactly 0.
            steps: the h values of the errors.
            curves: pairs of a line and its errors.
        """
        zero_steps = [np.empty(0)]
        for line, errors in curves:
            zero, at_h = errors == 0, steps[: len(errors)]
            zero_steps.append(at_h[zero])
            line.set_data(at_h, np.where(zero, np.nan, errors))
        zero_h = np.concatenate(zero_steps)
        zeros.set_data(zero_h, np.full_like(zero_h, self.zero))
        return zero_h

    def set_step(self, h: float, *marks: tuple[Line2D, float]) -> None:
        """Move the vertical line to the chosen h, and each marker to its error, clipped to the plot."""
        self.step.set_xdata([h, h])
        for points, error in marks:
            points.set_data([h], self.clip_errors(error))

    def clip_errors(self, *errors: float) -> list[float]:
        """Return errors clipped to the visible range, with NaN for those that are not finite."""
        return [clamp(e, (self.zero, self.high)) if math.isfinite(e) else math.nan for e in errors]
