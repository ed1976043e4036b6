"""A plot of what a buffer held after each call: a stem for each, from zero."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from secant.explorers.kit import plots
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT

BESIDE = 0.2  # how far from the last call's stem its own slope stands, which may be hidden else
LONGEST = 7  # letters of a name below its call


class StemPlot:
    """Stems for x.grad after each call, the quotients to compare them with, and the last call's slope."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        axes.set_xlabel("$k$")
        axes.set_ylabel("x.grad", family="monospace")
        axes.axhline(0, color=INK, lw=0.8, zorder=1)
        self.moving: list[Artist] = []
        # One line with gaps for all stems: each artist costs time in every frame.
        heads: dict[str, Any] = {"marker": "o", "ms": 7, "markevery": (1, 3)}
        self.stems = plots.line(self, TANGENT, 2.5, **heads, label="x.grad", zorder=3)
        self.quotients = plots.marker(self, "D", SECANT, size=12, hollow=True, label=r"$\Delta S/\Delta x$")
        self.last = plots.marker(self, "s", GREEN, size=7, label="$f'(x)$")

    def set_calls(self, names: Sequence[str], *shown: np.ndarray) -> None:
        """Set a tick for each call, and limits that hold zero and all that is to be shown."""
        count = len(names)
        short = [name if len(name) <= LONGEST else "" for name in names]
        self.axes.set_xticks(range(1, count + 1), [f"{k}\n{name}" for k, name in enumerate(short, 1)])
        self.axes.set_xlim(0.4, max(count, 3) + 0.6)
        self.axes.set_ylim(*plots.limits(np.concatenate([np.zeros(1), *map(np.ravel, shown)])))

    def set_heights(self, grads: Sequence[float], quotients: Sequence[float], last: float) -> None:
        """Set the stems and quotients, one for each call, and the slope of the last call."""
        calls = np.arange(1, len(grads) + 1)
        gaps = np.full(len(calls), np.nan)
        heights = np.stack([np.zeros(len(calls)), np.array(grads), gaps], 1).ravel()
        self.stems.set_data(np.repeat(calls, 3), heights)
        self.quotients.set_data(calls, quotients)
        self.last.set_data(calls[-1:] + BESIDE, [last] * len(calls[-1:]))
