"""A plot of factors, one for each step of a chain: how its result changes for a unit of the one before."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from secant.explorers.kit import plots
from secant.explorers.kit.colours import INK, SECANT, TANGENT

STRIP = -0.053  # of the height: between the picture and the fractions, where the chain itself stands
BOX: dict[str, Any] = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": INK, "lw": 1.2}


def plain(names: Sequence[str]) -> list[str]:
    """Return x and the names of the results; where the figure's font lacks one, its number."""
    return ["x", *(name if name.isascii() else f"({i})" for i, name in enumerate(names, 1))]


def fractions(names: Sequence[str]) -> list[str]:
    """Return what changes with what: each name with the one before, then the last with the first."""
    return [f"Δ{to}/Δ{of}" for of, to in [*itertools.pairwise(names), (names[0], names[-1])]]


class FactorPlot:
    """A bar and a dash for each step of a chain, and, apart from these, for the whole; the chain beneath."""

    def __init__(self, axes: Axes, names: Sequence[str], typical: np.ndarray) -> None:
        """Take the axes, what stands in the chain, and factors as they come, none of them 0."""
        self.axes = axes
        count = len(names) - 1
        self.columns = np.array([i + 0.5 for i in range(count)] + [count + 0.9])
        axes.set_xlim(-0.25, count + 1.4)
        axes.set_xticks(self.columns, fractions(names), parse_math=False)
        axes.tick_params(axis="x", length=0, pad=24)
        axes.grid(axis="x", visible=False)
        axes.axvline(count + 0.4, color=INK, lw=0.8, ls=":", zorder=1)
        self._set_heights(*_factor_range(typical))
        self._draw_chain(names)
        self.moving: list[Artist] = []
        self.bars = plots.line(
            self, SECANT, 18, alpha=0.35, solid_capstyle="butt", zorder=2, label=r"$\Delta/\Delta$"
        )
        self.slopes = plots.marker(self, "_", TANGENT, size=30, label="autograd")

    def _set_heights(self, low: float, high: float, negative: bool) -> None:
        self.top = high
        self.bottom = -high if negative else 0.0
        self.axes.set_yscale("symlog", linthresh=low)
        self.axes.set_ylim(self.bottom, self.top)
        ticks = _powers(low, high)
        self.axes.set_yticks([*(-t for t in reversed(ticks) if negative), 0, *ticks])
        self.axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
        self.axes.minorticks_off()
        self.axes.axhline(0, color=INK, lw=1, zorder=1)

    def _draw_chain(self, names: Sequence[str]) -> None:
        where = self.axes.get_xaxis_transform()  # x as in the picture, y from 0 at the bottom to 1 at the top
        centred: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False, "zorder": 6}
        arrow = {"arrowstyle": "->", "color": INK}
        for i, name in enumerate(names):
            self.axes.text(i, STRIP, name, transform=where, bbox=BOX, **centred)
            if i:
                ends = (i - 0.24, STRIP), (i - 0.76, STRIP)
                self.axes.annotate("", *ends, xycoords=where, textcoords=where, arrowprops=arrow)

    def set_factors(self, quotients: Sequence[float], slopes: Sequence[float]) -> None:
        """Set the bars to the quotients and the dashes to the slopes, the whole chain's last in both."""
        shown = np.clip(quotients, self.bottom or -np.inf, self.top)
        gap = np.full_like(shown, np.nan)
        heights = np.stack([np.zeros_like(shown), shown, gap], axis=1).ravel()
        self.bars.set_data(np.repeat(self.columns, 3), heights)
        self.slopes.set_data(self.columns, slopes)


def _factor_range(factors: np.ndarray) -> tuple[float, float, bool]:
    """Return a power of ten below most factors, one above all, and whether any is negative."""
    if not len(factors):
        return 1.0, 10.0, True
    sizes = np.abs(factors)
    high = math.ceil(math.log10(np.quantile(sizes, 0.98)) + 0.1)  # beyond is a pole
    low = math.floor(math.log10(np.quantile(sizes, 0.1)))
    return 10.0 ** min(max(low, high - 5), high - 1), 10.0**high, bool((factors < 0).any())


def _powers(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high, at most five."""
    first, last = round(math.log10(low)), round(math.log10(high))
    every = max(1, math.ceil((last - first + 1) / 5))
    return [10.0**k for k in range(first, last + 1, every)]
