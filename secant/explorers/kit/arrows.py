"""A difference quotient of vectors, J v and u J, at a place of a plane. Numbers only, no pictures."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch

from secant.explorers.kit import difference, elementwise
from secant.explorers.kit.plane import grid_points
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.vectors import Map, direction, products, two_numbers
from secant.explorers.kit.widget import Findings

STEPS, PATH = 65, 33  # of the error curves: h, four a decade; of the road from F(p) to F(p + h v)
LINES, ALONG = 9, 41  # of the grid: lines each way, points on each
# The same for a slow function that takes one point at a time.
FEW_STEPS, FEW_PATH = 17, 9
FEW_LINES, FEW_ALONG = 5, 9
PATIENCE = 0.015  # seconds that a function may take for one frame


@dataclass(frozen=True)
class Setting:
    """The controls' values: p among the inputs, the step, and two directions in degrees.

    `along` is whether u is shown, with the numbers along it.
    """

    p: Range
    h: float
    v: float
    u: float
    along: bool = False


def _nothing() -> np.ndarray:
    return np.full(2, np.nan)


@dataclass
class Reading(Findings):
    """What a setting comes to, (2,) arrays and numbers. NaN where there is none.

    `path` goes from F(p) to F(p + h v), (m, 2); `gaps` and `misses` are both distances for each of `steps`.
    """

    setting: Setting
    value: np.ndarray = field(default_factory=_nothing)
    end: np.ndarray = field(default_factory=_nothing)
    quotient: np.ndarray = field(default_factory=_nothing)
    jvp: np.ndarray = field(default_factory=_nothing)
    vjp: np.ndarray = field(default_factory=_nothing)
    path: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    gaps: np.ndarray = field(default_factory=lambda: np.empty(0))
    misses: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def noise(self) -> float:
        """About how large the rounding error in the quotient is."""
        size, p = np.abs(self.value).max(), max(map(abs, self.setting.p))
        return difference.rounding(float(size), p, float(np.abs(self.jvp).max()), self.setting.h)

    @property
    def gap(self) -> float:
        """How far the two arrows are apart."""
        with np.errstate(invalid="ignore"):  # inf - inf
            return float(np.hypot(*(self.quotient - self.jvp)))

    @property
    def forward(self) -> float:
        """u . quotient."""
        return float(direction(self.setting.u) @ self.quotient)

    @property
    def backward(self) -> float:
        """(u J) . v."""
        return float(self.vjp @ direction(self.setting.v))

    @property
    def along_u(self) -> float:
        """u . (J v)."""
        return float(direction(self.setting.u) @ self.jvp)

    @property
    def modes_agree(self) -> bool:
        """Whether forward and reverse mode find the same product u J v, but for rounding."""
        size = float(np.hypot(*self.jvp) + np.hypot(*self.vjp))
        return abs(self.along_u - self.backward) <= 1e-5 * size  # float32 may be inside

    @property
    def miss(self) -> float:
        """How far these two numbers are apart."""
        return abs(self.forward - self.backward)


class Plane:
    """A function on a plane, the ranges of its two inputs, and how much a frame affords."""

    def __init__(self, f: Map, ranges: tuple[Range, Range]) -> None:
        self.f = two_numbers(f)
        self.ranges = ranges
        corners = [[(1 - s) * low + s * high for low, high in ranges] for s in (0.2, 0.5, 0.8)]
        found = elementwise.prepare_rows(self.f, torch.tensor(corners, dtype=torch.float64), PATIENCE)
        self.f, self.rows = found.alone, found.f
        self.quick = found.affords(STEPS + PATH)
        self.count, self.path_count = (STEPS, PATH) if self.quick else (FEW_STEPS, FEW_PATH)

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The input plane's grid and its image, NaN between the lines; nothing where f fails."""
        plane = grid_points(*self.ranges, *((LINES, ALONG) if self.quick else (FEW_LINES, FEW_ALONG)))
        return plane, elementwise.images(self.rows, plane)

    def numbers(self, setting: Setting) -> Reading:
        """Work out the numbers of a setting, and note what is wrong with the function."""
        reading = Reading(setting)
        p, v = np.array(setting.p), direction(setting.v)
        reading.steps = np.logspace(*LOG_H, self.count)
        along = np.linspace(0, setting.h, self.path_count)
        points = p + np.concatenate([[setting.h], along, reading.steps])[:, None] * v
        with reading.noting():
            at = torch.tensor(setting.p, dtype=torch.float64)
            along_v, along_u = map(torch.from_numpy, (v, direction(setting.u)))
            reading.value, reading.jvp, reading.vjp = products(self.f, at, along_v, along_u)
        with reading.noting(), np.errstate(all="ignore"):
            if np.isnan(reading.value).any():  # there are values without slopes
                reading.value = difference.values(self.f, torch.from_numpy(p)).detach().numpy()
            values = self.rows(torch.from_numpy(points)).numpy()
            reading.end, reading.path = values[0], values[1 : 1 + len(along)]
            reading.quotient = (reading.end - reading.value) / setting.h
            quotients = (values[1 + len(along) :] - reading.value) / reading.steps[:, None]
            reading.gaps = np.hypot(*(quotients - reading.jvp).T)
            reading.misses = np.abs(quotients @ direction(setting.u) - reading.backward)
        return reading
