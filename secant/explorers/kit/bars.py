"""Bars that say what a whole is made of: each begins where the one before ends, and the last is the whole."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from secant.explorers.kit.colours import INK
from secant.explorers.kit.ranges import Range

WIDTH = 0.6  # of a bar; they stand at 0, 1, 2, ...


class StackedBars:
    """Bars by their keys, joined by a dotted line from the top of each to the foot of the next."""

    def __init__(self, axes: Axes, looks: Mapping[str, tuple[str, str]]) -> None:
        """Take the axes, and for each bar its key, what stands below it, and its colour."""
        self.axes = axes
        self.across: Range = (-WIDTH, len(looks) - 1 + WIDTH)
        axes.set_xlim(self.across)
        axes.set_xticks(range(len(looks)), [label for label, _ in looks.values()])
        axes.grid(visible=False, axis="x")
        self.bars = {
            key: Rectangle((i - WIDTH / 2, 0), WIDTH, 0, fc=color, ec=INK, lw=1)
            for i, (key, (_, color)) in enumerate(looks.items())
        }
        for bar in self.bars.values():
            axes.add_patch(bar)
        axes.axhline(0, color=INK, lw=1)
        (self.joints,) = axes.plot([], [], color=INK, lw=1, ls=":")
        self.moving: list[Artist] = [*self.bars.values(), self.joints]

    def set_heights(self, heights: Sequence[float]) -> None:
        """Set the bars' heights, the whole's last; one that is no number is not shown."""
        tops = np.cumsum(heights[:-1])
        starts = [0.0, *tops[:-1], 0.0]
        for bar, start, height in zip(self.bars.values(), starts, heights, strict=True):
            bar.set_y(start if math.isfinite(start) else 0.0)
            bar.set_height(height if math.isfinite(height) else 0.0)
        half = WIDTH / 2
        gaps = [[i + half, i + 1 - half, math.nan] for i in range(len(tops))]
        self.joints.set_data(np.ravel(gaps), np.repeat(tops, 3))
