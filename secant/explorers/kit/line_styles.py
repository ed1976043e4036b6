"""Colours, markers and dashes that distinguish the lines of a plot, in the plot and in its legend."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from secant.explorers.kit import plots, words
from secant.explorers.kit.colours import AMBER, GREEN, INK, PURPLE, SECANT, SKY
from secant.explorers.kit.plots import Plot
from secant.explorers.kit.words import Entry

Words = tuple[str, str]  # the same text in English and in Korean, as HTML


@dataclass(frozen=True)
class LineStyle:
    """A line's colour, its matplotlib marker, and its dash pattern, if any."""

    color: str
    marker: str
    dashes: tuple[int, ...] = ()

    @property
    def style(self) -> Any:
        """The dash pattern as a matplotlib line style."""
        return (0, self.dashes) if self.dashes else "-"

    def line(self, plot: Plot, label: str = "_", mark_every: Any = 8) -> Line2D:
        """Add an empty line to a plot, and return the line; `mark_every` is matplotlib's `markevery`."""
        points: dict[str, Any] = {"marker": self.marker, "ms": 5, "markevery": mark_every}
        return plots.line(plot, self.color, 1.8, self.style, label=label, zorder=3, **points)

    def sample(self, width: float = 2) -> str:
        """Return a small drawing of the line, for `words.legend`."""
        return words.line(self.color, width, " ".join(map(str, self.dashes)), SHAPES[self.marker](self.color))


#: Functions that draw a filled marker as SVG, keyed by matplotlib's code for the marker.
SHAPES: dict[str, Callable[[str], str]] = {
    "s": words.square,
    "^": words.triangle,
    "v": lambda color: words.triangle(color, down=True),
    "o": lambda color: words.disc(color, 2.5, color),
    "D": lambda color: words.diamond(color, color),
    "P": words.cross,
}
PARTS = (
    LineStyle(PURPLE, "s", (6, 2, 2, 2)),
    LineStyle(GREEN, "^", (2, 2)),
    LineStyle(AMBER, "o", (6, 2)),
    LineStyle(SKY, "v", (1, 1)),
    LineStyle(SECANT, "P", (4, 1, 1, 1, 1, 1)),
)
WHOLE = LineStyle(INK, "D")


def lines(plot: Plot, labels: Sequence[str]) -> list[Line2D]:
    """Add an empty line for each label to a plot, and return the lines.

    The last label is for a composite, such as a chain of functions. The other labels, at most len(PARTS) of
    them, are for the parts of the composite. A $ in a label is shown literally and does not begin a formula.
    """
    return [
        # Each line has its markers at different values of h, so that no marker hides another.
        style.line(plot, label.replace("$", r"\$"), (8 * i // len(labels), 8))
        for i, (style, label) in enumerate(_styles(labels))
    ]


def zeros(plot: Plot, lines: Sequence[Line2D]) -> list[Line2D]:
    """Add a set of markers for the zeros of each line, and return the sets.

    The markers have the colour of their line, and no positions yet. Markers of different lines are drawn at
    different heights.
    """
    markers = [plots.marker(plot, "v", str(line.get_color()), size=3.5) for line in lines]
    figure = plot.axes.get_figure(root=True)
    for row, points in enumerate(markers):
        points.set_markeredgewidth(1)
        points.set_transform(offset_copy(plot.axes.transData, figure, y=5 * row, units="points"))
    return markers


def rings(plot: Plot, lines: Sequence[Line2D]) -> PathCollection:
    """Add a ring for each line of a plot, in the colour of the line, and return the rings.

    The rings have no positions yet. Each ring fits inside the previous one, so that all rings at the same
    position are visible.
    """
    colors = [str(line.get_color()) for line in lines]
    sizes = [max(14 - 2.5 * i, 4) ** 2 for i in range(len(lines))]
    collection = plot.axes.scatter(
        np.zeros(len(lines)), np.full(len(lines), np.nan), sizes, facecolors="none", edgecolors=colors,
        linewidths=1.8, zorder=6, label="$h$",
    )  # fmt: skip
    plot.moving.append(collection)
    return collection


def entries(labels: Sequence[str], first: Words, last: Words) -> list[Entry]:
    """Return a legend entry for each label; append `first` to the first label and `last` to the last one."""
    suffixes = [first, *[("", "")] * (len(labels) - 2), last]
    return [
        (style.sample(), label + en, label + ko)
        for (style, label), (en, ko) in zip(_styles(labels), suffixes, strict=True)
    ]


def _styles(labels: Sequence[str]) -> Iterator[tuple[LineStyle, str]]:
    return zip([*PARTS[: len(labels) - 1], WHOLE], labels, strict=True)
