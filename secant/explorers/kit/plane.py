"""A plot of a plane, with a bent grid and arrows that look the same however the plane is scaled."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from secant.explorers.kit import plots
from secant.explorers.kit.canvas import DPI
from secant.explorers.kit.colours import GRID, INK
from secant.explorers.kit.ranges import Range

HEAD = 9.0  # pixels: the length of an arrow's head


class PlanePlot:
    """A plane with a grid in it. Call `fit` after `set_grid`: only then are arrows true."""

    def __init__(self, axes: Axes, across: str, up: str) -> None:
        """Take the axes and the names of the two directions."""
        self.axes = axes
        self.moving: list[Artist] = []
        axes.grid(False)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        (self.grid,) = axes.plot([], [], color=GRID, lw=0.8)
        self.box = np.array([[0.0, 1.0], [0.0, 1.0]])
        self.pixel = np.ones(2)  # the size of one of the page's pixels, in both directions

    def way(self, **options: Any) -> Line2D:
        """Return a dotted line, none yet, with marks on its ends: as artists of their own these cost time."""
        ends: dict[str, Any] = {"marker": "o", "ms": 4.5, "mew": 1.5, "mfc": "white"}
        return plots.line(self, INK, 1.2, ":", **ends, zorder=6, **options)

    def arrow(self, color: str, width: float, **options: Any) -> Line2D:
        """Return a line, none yet, for `arrow_points`."""
        return plots.line(self, color, width, **options)

    def letters(self, color: str, symbols: str, size: float) -> Line2D:
        """Return an arrow's name in symbols, nowhere yet, so many points wide; a text would cost thrice."""
        return plots.line(self, color, 0, "none", marker=f"${symbols}$", ms=size, mew=0.4, zorder=7)

    def place(
        self, arrow: Line2D, name: tuple[Line2D, float], start: np.ndarray, vector: np.ndarray, **looks: bool
    ) -> None:
        """Set an arrow, see `arrow_points`, and beside its tip its letters, see `beside_tip`."""
        arrow.set_data(*self.arrow_points(start, vector, **looks))
        name[0].set_data(*self.beside_tip(name[0], start, vector, name[1]))

    def beside_tip(self, letters: Line2D, start: np.ndarray, vector: np.ndarray, side: float) -> np.ndarray:
        """Return where an arrow's letters stand, (2, 1): past its tip, to its left as `side` is above 0."""
        seen = vector / self.pixel
        length = float(np.hypot(*seen))
        if not length > 1e-3:
            return np.empty((2, 0))
        along = seen / length
        away = along + side * np.array([-along[1], along[0]])
        away /= np.hypot(*away)
        half = np.array([float(letters.get_markersize()), 10.0]) / 2 * DPI / 72
        place: np.ndarray = start + vector + away * (5 + np.abs(away) @ half) * self.pixel
        return place[:, None]

    def set_grid(self, points: np.ndarray, across: Range, up: Range) -> None:
        """Set the grid, (k, 2) with NaN between its lines, and the ranges that are to be seen at least."""
        self.grid.set_data(*points.T)
        self.box = np.array([across, up])

    def arrow_points(
        self, start: np.ndarray, vector: np.ndarray, *, dashed: bool = False, closed: bool = False
    ) -> np.ndarray:
        """Return an arrow as the points of one line, (2, k); a patch would cost ten times as much."""
        if not (np.isfinite(start).all() and np.isfinite(vector).all()):
            return np.empty((2, 0))
        seen = vector / self.pixel
        length = float(np.hypot(*seen))
        if length < 1e-3:
            return np.empty((2, 0))
        along = seen / length
        across = np.array([-along[1], along[0]])
        head = min(HEAD, 0.6 * length)
        wings = [seen - head * along + side * 0.5 * head * across for side in (1, -1)]
        gap = np.full((1, 2), np.nan)
        if dashed:
            ends = np.arange(0, length - head, 12.0)
            shaft = [part for s in ends for part in (s * along, min(s + 8, length) * along, gap[0])]
        else:
            shaft = [np.zeros(2), seen - (head * along if closed else 0), gap[0]]
        tip = [wings[0], seen, wings[1]] + ([wings[0]] if closed else [])
        return (start + np.array([*shaft, *tip]) * self.pixel).T


def grid_points(across: Range, up: Range, lines: int, along: int) -> np.ndarray:
    """Return a grid of so many lines each way, of so many points each, (k, 2); NaN between the lines."""
    gap = np.full((1, 2), np.nan)
    parts = []
    for x in np.linspace(*across, lines):
        parts += [np.stack([np.full(along, x), np.linspace(*up, along)], axis=1), gap]
    for y in np.linspace(*up, lines):
        parts += [np.stack([np.linspace(*across, along), np.full(along, y)], axis=1), gap]
    return np.concatenate(parts)


def fit(*planes: PlanePlot) -> None:
    """Set limits that hold the planes' ranges, true to angles unless one direction would be squeezed flat."""
    figure = planes[0].axes.get_figure(root=True)
    assert figure is not None
    for _ in range(2):  # new limits have other tick labels, which leave another place
        for plane in planes:
            plane.axes.set(xlim=plane.box[0], ylim=plane.box[1])
        figure.draw_without_rendering()  # only now are the sizes known
        for plane in planes:
            size = plane.axes.get_window_extent()
            pixels = np.array([size.width, size.height]) * DPI / figure.dpi  # the page's
            pixel = np.ptp(plane.box, axis=1) / pixels
            if pixel.max() < 5 * pixel.min():
                pixel[:] = pixel.max()
            plane.box = plane.box.mean(axis=1)[:, None] + np.outer(pixel * pixels, (-0.5, 0.5))
            plane.pixel = pixel
    for plane in planes:
        plane.axes.set(xlim=plane.box[0], ylim=plane.box[1])
