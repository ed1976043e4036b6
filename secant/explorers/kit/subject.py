"""What an explorer explores: functions of one x, each prepared and drawn once."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise, ranges
from secant.explorers.kit.difference import Function
from secant.explorers.kit.ranges import Range

PLACES = 25  # x that a function is tried on
POINTS, FEW_POINTS = 401, 101  # of a curve; the second for functions that take one x at a time
STEPS, FEW_STEPS = 65, 13  # h of an error curve, likewise


class Subjects:
    """Functions by name, the range of x, and the range of h's powers of ten."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range, log_h: Range) -> None:
        self.functions = dict(functions)
        self.ends, self.log_h = x_range, log_h
        self.prepared = cache(self._prepared)
        self.curve = cache(self._curve)

    def _prepared(self, name: str) -> elementwise.Prepared:
        return elementwise.prepare(
            self.functions[name], torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        )

    def _curve(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and f(x) to draw; NaN where f fails."""
        found = self.prepared(name)
        count = POINTS if found.together else FEW_POINTS
        x = torch.linspace(*ranges.padded(self.ends), count, dtype=torch.float64)
        return elementwise.sampled(found.f, x)

    def steps(self, name: str) -> Tensor:
        """Return the h of an error curve, as many as the function affords."""
        count = STEPS if self.prepared(name).together else FEW_STEPS
        return torch.logspace(*self.log_h, count, dtype=torch.float64)

    def quotients_at(self, name: str, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the h of an error curve, and the quotient at x for each of them; NaN where f fails."""
        f, steps = self.prepared(name).f, self.steps(name)
        place = torch.tensor([x], dtype=torch.float64)
        found = elementwise.or_nan(lambda h: difference.quotient(f, place, h).double(), steps)
        return steps.numpy(), found.numpy()
