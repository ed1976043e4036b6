"""A plot of a plane with a grid, and arrows whose heads keep their shape at every scale of the axes."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from secant.explorers.kit import plots
from secant.explorers.kit.canvas import DPI
from secant.explorers.kit.colours import GRID, INK
from secant.explorers.kit.ranges import Range

HEAD = 9.0  # length of an arrow's head in pixels


class PlanePlot:
    """A plot of a plane with a grid. Call `set_grid` and then `fit` before drawing arrows."""

    def __init__(self, axes: Axes, x_label: str, y_label: str) -> None:
        """Prepare the axes, and label the horizontal and the vertical axis."""
        self.axes = axes
        self.moving: list[Artist] = []
        axes.grid(False)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        (self.grid,) = axes.plot([], [], color=GRID, lw=0.8)
        self.box = np.array([[0.0, 1.0], [0.0, 1.0]])
        self.pixel = np.ones(2)  # width and height of one CSS pixel in data units

    def dotted_path(self, **options: Any) -> Line2D:
        """Add an empty dotted line that has markers at both ends, and return the line.

        The markers belong to the line, because separate artists would take more time to draw.
        """
        ends: dict[str, Any] = {"marker": "o", "ms": 4.5, "mew": 1.5, "mfc": "white"}
        return plots.line(self, INK, 1.2, ":", **ends, zorder=6, **options)

    def arrow(self, color: str, width: float, **options: Any) -> Line2D:
        """Add an empty line for an arrow, and return the line; `arrow_points` computes the line's points."""
        return plots.line(self, color, width, **options)

    def label(self, color: str, symbols: str, size: float) -> Line2D:
        """Add an arrow's label, which has no position yet, and return the label.

        The label is a mathtext marker, because drawing a text artist would take three times as long.

        Args:
            color: the colour of the label.
            symbols: the label in matplotlib's mathtext.
            size: the width of the label in points.
        """
        return plots.line(self, color, 0, "none", marker=f"${symbols}$", ms=size, mew=0.4, zorder=7)

    def place(
        self,
        arrow: Line2D,
        name: tuple[Line2D, float],
        start: np.ndarray,
        vector: np.ndarray,
        **options: bool,
    ) -> None:
        """Draw an arrow, and its label next to the tip; see `arrow_points` and `label_position`.

        Args:
            arrow: the line returned by `arrow`.
            name: the artist returned by `label`, and the `side` for `label_position`.
            start: the arrow's start, of shape (2,).
            vector: the vector from the arrow's start to its tip, of shape (2,).
            options: options of `arrow_points`.
        """
        arrow.set_data(*self.arrow_points(start, vector, **options))
        name[0].set_data(*self.label_position(name[0], start, vector, name[1]))

    def label_position(self, label: Line2D, start: np.ndarray, vector: np.ndarray, side: float) -> np.ndarray:
        """Return the position of an arrow's label beyond the arrow's tip, as an array of shape (2, 1).

        The label lies to the left of the arrow's direction if `side` is positive, and to the right if `side`
        is negative. If the arrow is too short to be visible, the result is empty, of shape (2, 0).
        """
        on_screen = vector / self.pixel
        length = float(np.hypot(*on_screen))
        if not length > 1e-3:
            return np.empty((2, 0))
        direction = on_screen / length
        offset = direction + side * np.array([-direction[1], direction[0]])
        offset /= np.hypot(*offset)
        half_size = np.array([float(label.get_markersize()), 10.0]) / 2 * DPI / 72
        place: np.ndarray = start + vector + offset * (5 + np.abs(offset) @ half_size) * self.pixel
        return place[:, None]

    def set_grid(self, points: np.ndarray, x_range: Range, y_range: Range) -> None:
        """Set the points of the grid, and the ranges that must be visible.

        The points are an array of shape (k, 2), with NaN between the lines of the grid.
        """
        self.grid.set_data(*points.T)
        self.box = np.array([x_range, y_range])

    def arrow_points(
        self, start: np.ndarray, vector: np.ndarray, *, dashed: bool = False, closed: bool = False
    ) -> np.ndarray:
        """Return the points of an arrow that is drawn as one line, as an array of shape (2, k).

        Drawing a patch instead would take ten times as long.
        """
        if not (np.isfinite(start).all() and np.isfinite(vector).all()):
            return np.empty((2, 0))
        on_screen = vector / self.pixel
        length = float(np.hypot(*on_screen))
        if length < 1e-3:
            return np.empty((2, 0))
        direction = on_screen / length
        normal = np.array([-direction[1], direction[0]])
        head = min(HEAD, 0.6 * length)
        wings = [on_screen - head * direction + side * 0.5 * head * normal for side in (1, -1)]
        gap = np.full((1, 2), np.nan)
        if dashed:
            ends = np.arange(0, length - head, 12.0)
            shaft = [part for s in ends for part in (s * direction, min(s + 8, length) * direction, gap[0])]
        else:
            shaft = [np.zeros(2), on_screen - (head * direction if closed else 0), gap[0]]
        tip = [wings[0], on_screen, wings[1]] + ([wings[0]] if closed else [])
        return (start + np.array([*shaft, *tip]) * self.pixel).T


def grid_points(x_range: Range, y_range: Range, lines: int, points_per_line: int) -> np.ndarray:
    """Return the points of a grid, with NaN between its lines, as an array of shape (k, 2).

    Args:
        x_range: the horizontal range.
        y_range: the vertical range.
        lines: the number of lines in each direction.
        points_per_line: the number of points on each line.
    """
    gap = np.full((1, 2), np.nan)
    parts = []
    for x in np.linspace(*x_range, lines):
        parts += [
            np.stack([np.full(points_per_line, x), np.linspace(*y_range, points_per_line)], axis=1),
            gap,
        ]
    for y in np.linspace(*y_range, lines):
        parts += [
            np.stack([np.linspace(*x_range, points_per_line), np.full(points_per_line, y)], axis=1),
            gap,
        ]
    return np.concatenate(parts)


def fit(*planes: PlanePlot) -> None:
    """Set the axis limits of each plane so that the plane's ranges are visible.

    Both axes of a plane share one scale, so that angles are not distorted, unless a common scale would
    flatten one of the ranges.
    """
    figure = planes[0].axes.get_figure(root=True)
    assert figure is not None
    for _ in range(2):  # new limits change the tick labels, which change the size of the axes
        for plane in planes:
            plane.axes.set(xlim=plane.box[0], ylim=plane.box[1])
        figure.draw_without_rendering()  # computes the layout, and thus the sizes that are read below
        for plane in planes:
            size = plane.axes.get_window_extent()
            pixels = np.array([size.width, size.height]) * DPI / figure.dpi  # the size in CSS pixels
            pixel = np.ptp(plane.box, axis=1) / pixels
            if pixel.max() < 5 * pixel.min():
                pixel[:] = pixel.max()
            plane.box = plane.box.mean(axis=1)[:, None] + np.outer(pixel * pixels, (-0.5, 0.5))
            plane.pixel = pixel
    for plane in planes:
        plane.axes.set(xlim=plane.box[0], ylim=plane.box[1])
