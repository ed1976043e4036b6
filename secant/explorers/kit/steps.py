"""Chains of functions: each step, the whole, and how far their quotients are from slopes. Numbers only."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise, ranges
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.subject import kept

Steps = Sequence[tuple[str, Function]]
PLACES, COUNT = 21, 65  # of an error curve: x near the chosen one, and h, four a decade
ALONE = 33  # the h for steps that take one number at a time; they get one x


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
