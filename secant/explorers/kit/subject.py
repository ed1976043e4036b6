"""The functions of one x that an explorer shows, each prepared and sampled once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from types import MethodType
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise, ranges
from secant.explorers.kit.difference import Function
from secant.explorers.kit.ranges import LOG_H, Range

MethodT = TypeVar("MethodT", bound=Callable[..., Any])

TRIAL_POINTS = 25  # number of x values at which a function is tested before it is shown
# Number of points in a curve; the smaller number is for functions that take one x at a time.
POINTS, FEW_POINTS = 401, 101
# Number of h values of an error curve; the smaller number is for functions that take one x at a time.
STEPS, FEW_STEPS = 65, 13
# Number of x values over which a median is taken; the smaller number is for functions that take one x at a
# time.
MEDIAN_POINTS, FEW_MEDIAN_POINTS = 201, 21


def memoised(max_size: int | None = None) -> Callable[[MethodT], MethodT]:
    """Return a decorator that gives each instance a cache of a method's last `max_size` results.

    If `max_size` is None, all results are cached.
    """

    def decorate(method: MethodT) -> MethodT:
        return cast(MethodT, cached_property(lambda owner: lru_cache(max_size)(MethodType(method, owner))))

    return decorate


@dataclass(frozen=True)
class Setting:
    """The values of the controls in an explorer with a list of functions and sliders for x and h."""

    function: str
    x: float
    h: float


class Subjects:
    """Named functions, with the range of x, the dtype of x, and the range of log10(h)."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        x_range: Range,
        log_h: Range = LOG_H,
        dtype: torch.dtype = torch.float64,
        few_steps: int = FEW_STEPS,
        calls: int = 1,
    ) -> None:
        """Store the functions and their ranges.

        Args:
            functions: the functions, keyed by name.
            x_range: the ends of the range of x.
            log_h: the ends of the range of log10(h).
            dtype: the dtype of x.
            few_steps: the number of h values in an error curve for functions that take one x at a time.
            calls: the number of function calls that are needed for each x and h.
        """
        self.functions = dict(functions)
        self.ends, self.log_h, self.dtype = x_range, log_h, dtype
        self.few_steps, self.calls = few_steps, calls

    @memoised()
    def prepared(self, name: str) -> elementwise.Prepared:
        """Return the function with the given name, prepared for many x."""
        grid = torch.linspace(*self.ends, TRIAL_POINTS, dtype=torch.float64)
        return elementwise.prepare(self.functions[name], grid.to(self.dtype))

    def curve_points(self, name: str) -> Tensor:
        """Return the x values of a curve; there are fewer if the function takes one x at a time."""
        count = POINTS if self.prepared(name).is_vectorised else FEW_POINTS
        return torch.linspace(*ranges.padded(self.ends), count, dtype=torch.float64).to(self.dtype)

    @memoised()
    def curve(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and f(x) for a plotted line, with NaN where f fails."""
        return elementwise.sampled(self.prepared(name).f, self.curve_points(name))

    @memoised()
    def slopes(self, name: str) -> np.ndarray:
        """Return f'(x) at the x values of the function's curve, with NaN where f fails."""
        slope = partial(difference.gradient, self.prepared(name).f)
        return elementwise.sampled(slope, self.curve_points(name))[1]

    def median_points(self, name: str, x: float) -> Tensor:
        """Return the x values, near a chosen x, over which a median is taken.

        There are fewer values if the function takes one x at a time.
        """
        prepared = self.prepared(name)
        affordable_points = prepared.calls // (self.calls * self.few_steps)
        count = MEDIAN_POINTS if prepared.is_vectorised else min(FEW_MEDIAN_POINTS, max(1, affordable_points))
        return torch.linspace(*ranges.around(x, self.ends), count, dtype=torch.float64).to(self.dtype)

    def steps(self, name: str) -> Tensor:
        """Return the h values of an error curve; there are fewer if the function takes one x at a time."""
        count = STEPS if self.prepared(name).is_vectorised else self.few_steps
        return torch.logspace(*self.log_h, count, dtype=torch.float64)

    @memoised(8)
    def quotients_at(self, name: str, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the h values of an error curve, and the difference quotient at x for each h.

        The quotients are NaN where f fails.
        """
        f, steps = self.prepared(name).f, self.steps(name)
        place = torch.tensor([x], dtype=torch.float64)
        quotients = elementwise.or_nan(lambda h: difference.quotient(f, place, h).double(), steps)
        return steps.numpy(), quotients.numpy()
