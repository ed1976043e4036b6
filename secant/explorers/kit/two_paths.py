"""The difference quotient and the gradient of z(y(x), w(x)), each split into parts through y and w."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise
from secant.explorers.kit.difference import Function
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import TRIAL_POINTS, memoised

LOG_H: Range = (-6.0, 0.0)  # below this range, rounding errors (the subject of lesson 1) dominate
# Number of h values of an error curve; the smaller number is for functions that take one x at a time.
STEPS, FEW_STEPS = 49, 13

Merge = Callable[[Tensor, Tensor], Tensor]
SlopeT = TypeVar("SlopeT")


class Slopes(NamedTuple, Generic[SlopeT]):
    """Autograd's gradient of z with respect to x: through y alone, through w alone, and through both."""

    y: SlopeT
    w: SlopeT
    both: SlopeT


NO_SLOPES: Slopes[float] = Slopes(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Parts:
    """The difference quotients of z when y alone, w alone, or both move, and the remainder.

    Attributes:
        y: the quotient when only y moves.
        w: the quotient when only w moves.
        both: the quotient when both move.
        size: the larger of |z| at x and |z| at x + h.
    """

    y: Tensor
    w: Tensor
    both: Tensor
    size: Tensor

    @property
    def rest(self) -> Tensor:
        """The remainder, which is `both` minus `y` minus `w`."""
        return self.both - self.y - self.w


def parts(z: Merge, f: Function, g: Function, x: Tensor, h: Tensor) -> Parts:
    """Return the difference quotients of z for the points x and the steps h, broadcast against each other.

    Each difference is divided by the step after rounding, (x + h) - x, instead of h.

    Args:
        z: the function of y and w.
        f: the function y(x).
        g: the function w(x).
        x: the points.
        h: the steps.

    Raises:
        FunctionProblem: if f or g fails.
    """
    x_plus_h = x + h
    y, w = difference.values(f, x).detach(), difference.values(g, x).detach()
    y1, w1 = difference.values(f, x_plus_h).detach(), difference.values(g, x_plus_h).detach()
    step, start, end = x_plus_h - x, z(y, w), z(y1, w1)
    size = start.abs().maximum(end.abs())
    return Parts((z(y1, w) - start) / step, (z(y, w1) - start) / step, (end - start) / step, size)


def slopes(z: Merge, f: Function, g: Function, x: Tensor) -> Slopes[Tensor]:
    """Return autograd's gradient of z(f(x), g(x)) at each x: through each path, and through both.

    For the gradient through one path, the value of the other function is held constant.

    Raises:
        FunctionProblem: if f or g fails, or autograd finds no path from the result back to x.
    """
    y, w = difference.values(f, x).detach(), difference.values(g, x).detach()
    through_y = difference.gradient(lambda t: z(f(t), w), x)
    through_w = difference.gradient(lambda t: z(y, g(t)), x)
    return Slopes(through_y, through_w, difference.gradient(lambda t: z(f(t), g(t)), x))


class TwoPaths:
    """Named pairs of functions, the range of x, and the letters that name the functions in errors."""

    def __init__(
        self, pairs: Mapping[str, tuple[Function, Function]], x_range: Range, letters: tuple[str, str]
    ) -> None:
        self.pairs = dict(pairs)
        self.ends, self.log_h, self.letters = x_range, LOG_H, letters

    @memoised()
    def prepared(self, name: str) -> tuple[Function, Function, bool]:
        """Return both functions of a pair, made elementwise, and whether both accept many x at once."""
        grid = torch.linspace(*self.ends, TRIAL_POINTS, dtype=torch.float64)
        (y, w), (first, second) = (elementwise.prepare(f, grid) for f in self.pairs[name]), self.letters
        f, g = elementwise.named_in_problems(first, y.f), elementwise.named_in_problems(second, w.f)
        return f, g, y.is_vectorised and w.is_vectorised

    def steps(self, name: str) -> Tensor:
        """Return the h values of an error curve; there are fewer if a function takes one x at a time."""
        count = STEPS if self.prepared(name)[2] else FEW_STEPS
        return torch.logspace(*self.log_h, count, dtype=torch.float64)

    def slopes(self, name: str, z: Merge, x: Tensor) -> Slopes[Tensor]:
        """Return autograd's gradients at each x for a named pair of functions; see the function `slopes`."""
        f, g, _ = self.prepared(name)
        return slopes(z, f, g, x)

    def parts(self, name: str, z: Merge, x: Tensor, h: Tensor) -> Parts:
        """Return the difference quotients for a named pair of functions; see the function `parts`."""
        f, g, _ = self.prepared(name)
        return parts(z, f, g, x, h)
