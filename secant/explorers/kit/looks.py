"""How lines of one plot are told apart: by colour, marker and dashes, in the legend as in the plot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from secant.explorers.kit import plots, words
from secant.explorers.kit.colours import AMBER, GREEN, INK, PURPLE, SECANT, SKY
from secant.explorers.kit.words import Entry

Words = tuple[str, str]  # in English and in Korean, HTML


@dataclass(frozen=True)
class Look:
    """A line's colour, its marker (matplotlib's), the marker's shape in SVG, and its dashes, if any."""

    color: str
    marker: str
    shape: str
    dashes: tuple[int, ...] = ()

    def line(self, axes: Axes, label: str) -> Line2D:
        """Return a line, none yet, with a marker at every eighth point; a $ in the label is no formula."""
        style = (0, self.dashes) if self.dashes else "-"
        (line,) = axes.plot(
            [], [], color=self.color, ls=style, marker=self.marker, label=label.replace("$", r"\$"),
            ms=5, markevery=8, lw=1.8, zorder=3,
        )  # fmt: skip
        return line

    def sample(self) -> str:
        """Return a small drawing of the line, for `words.legend`."""
        return words.line(self.color, 2, " ".join(map(str, self.dashes)), self.shape)


PARTS = (
    Look(PURPLE, "s", words.square(PURPLE), (6, 2, 2, 2)),
    Look(GREEN, "^", words.triangle(GREEN), (2, 2)),
    Look(AMBER, "o", words.disc(AMBER, 2.5, AMBER), (6, 2)),
    Look(SKY, "v", words.triangle(SKY, down=True), (1, 1)),
    Look(SECANT, "P", words.cross(SECANT), (4, 1, 1, 1, 1, 1)),
)
WHOLE = Look(INK, "D", words.diamond(INK, INK))


def lines(axes: Axes, labels: Sequence[str]) -> list[Line2D]:
    """Return lines, none yet, by their labels: the parts, at most len(PARTS), and then the whole."""
    made = [look.line(axes, label) for look, label in _looks(labels)]
    for i, line in enumerate(made):
        line.set_markevery((8 * i // len(made), 8))  # not at the same h, lest one marker hide another
    return made


def zeros(axes: Axes, lines: Sequence[Line2D]) -> list[Line2D]:
    """Return points, none yet, for where each of the lines is exactly 0: in its colour, in its own row."""
    made = [plots.marker(axes, "v", str(line.get_color()), size=3.5) for line in lines]
    for row, points in enumerate(made):
        points.set_markeredgewidth(1)
        points.set_transform(
            offset_copy(axes.transData, axes.get_figure(root=True), y=5 * row, units="points")
        )
    return made


def rings(axes: Axes, lines: Sequence[Line2D]) -> PathCollection:
    """Return rings, nowhere yet, in the lines' colours, each inside the one before where they meet."""
    colors = [str(line.get_color()) for line in lines]
    sizes = [max(14 - 2.5 * i, 4) ** 2 for i in range(len(lines))]
    return axes.scatter(
        np.zeros(len(lines)), np.full(len(lines), np.nan), sizes, facecolors="none", edgecolors=colors,
        linewidths=1.8, zorder=6, label="$h$",
    )  # fmt: skip


def entries(labels: Sequence[str], first: Words, last: Words) -> list[Entry]:
    """Return the entries of the same lines for `words.legend`; words go with the first and the last label."""
    said = [first, *[("", "")] * (len(labels) - 2), last]
    return [
        (look.sample(), label + en, label + ko)
        for (look, label), (en, ko) in zip(_looks(labels), said, strict=True)
    ]


def _looks(labels: Sequence[str]) -> Iterator[tuple[Look, str]]:
    return zip([*PARTS[: len(labels) - 1], WHOLE], labels, strict=True)
