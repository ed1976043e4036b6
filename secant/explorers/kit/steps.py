"""Chains of functions: each step, the whole, and how far their quotients are from slopes. Numbers only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise, ranges
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.subject import kept
from secant.explorers.kit.widget import Findings

Steps = Sequence[tuple[str, Function]]
PLACES, COUNT = 21, 65  # of an error curve: x near the chosen one, and h, four a decade
ALONE = 33  # the h for steps that take one number at a time; they get one x


@dataclass(frozen=True)
class Setting:
    """What the controls say; `by_step` is whether each step is shown, or the whole chain alone."""

    x: float
    h: float
    by_step: bool = True


@dataclass
class Reading(Findings):
    """What a setting comes to. NaN where there is no number.

    `before` and `after` hold x and the result of each step, without and with the move; `quotients` and
    `slopes` belong to the steps. `curves` are the median errors against `grid`, one for each step and one
    for the whole.
    """

    setting: Setting
    before: list[float]
    after: list[float]
    quotients: list[float]
    slopes: list[float]
    whole: float = math.nan
    gradient: float = math.nan
    grid: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def quotient(self, i: int, k: int) -> float:
        """How much result k changed for each unit that result i changed; NaN if that did not."""
        change = self.after[i] - self.before[i]
        return (self.after[k] - self.before[k]) / change if change else math.nan

    @property
    def product(self) -> float:
        return math.prod(self.quotients)

    def noise(self, i: int, k: int) -> float:
        """About how large the rounding error in the quotient of result k to result i is."""
        size, slope = difference.largest(self.before[k], self.after[k]), math.prod(self.slopes[i:k])
        return difference.rounding(size, self.before[i], slope, self.after[i] - self.before[i])

    @property
    def errors(self) -> list[float]:
        """How far each quotient is from autograd's slope; the whole chain's comes last."""
        pairs = zip([*self.quotients, self.whole], [*self.slopes, self.gradient], strict=True)
        return [abs(quotient - slope) for quotient, slope in pairs]


class Chain:
    """Steps by name, each of which takes the result of the one before, and the range of x."""

    def __init__(self, steps: Steps, x_range: Range) -> None:
        self.names = [name for name, _ in steps]
        self.steps = [step for _, step in steps]
        self.ends, self.log_h = x_range, LOG_H
        self.together = True  # whether the steps take many numbers at once
        grid = torch.linspace(*x_range, PLACES, dtype=torch.float64)
        for i, step in enumerate(self.steps):
            found = elementwise.prepare(step, grid)
            self.steps[i], self.together = found.f, self.together and found.together
            try:
                grid = self.step(i, grid)
            except FunctionProblem:
                break

    def step(self, i: int, x: Tensor) -> Tensor:
        """Return the result of step i, real; a problem names the step."""
        with elementwise.naming(self.names[i]):
            return difference.values(self.steps[i], x).detach().real

    def slope(self, i: int, x: Tensor) -> Tensor:
        with elementwise.naming(self.names[i]):
            return difference.gradient(self.steps[i], x)

    def whole(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = difference.values(step, x)
        return x

    @kept(8)
    def curves(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return steps h, (k,), and the median error of each step's quotient and of the whole, (n + 1, k)."""
        near = ranges.around(x, self.ends) if self.together else (x, x)
        places = torch.linspace(*near, PLACES if self.together else 1, dtype=torch.float64)
        h = torch.logspace(*LOG_H, COUNT if self.together else ALONE, dtype=torch.float64)
        before, after = places, places + h[:, None]
        start, moved = before, after
        errors = []
        for i in range(len(self.steps)):
            slope = self.slope(i, before)
            next_before, next_after = self.step(i, before), self.step(i, after)
            errors.append((next_after - next_before) / (after - before) - slope)
            before, after = next_before, next_after
        errors.append((after - before) / (moved - start) - difference.gradient(self.whole, places))
        return h.numpy(), elementwise.median_sizes(torch.stack(errors)).numpy()
