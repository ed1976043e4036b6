"""z(y(x), w(x)): its quotient, and autograd's gradient of it, taken apart by the two paths from x to z."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from secant.explorers.kit import difference, elementwise
from secant.explorers.kit.difference import Function
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import PLACES, kept

LOG_H: Range = (-6.0, 0.0)  # below, rounding takes over: that is the story of lesson 1
STEPS, FEW_STEPS = 49, 13  # h of an error curve; the second for functions that take one x at a time

Merge = Callable[[Tensor, Tensor], Tensor]
SlopeT = TypeVar("SlopeT")


class Slopes(NamedTuple, Generic[SlopeT]):
    """Autograd's gradient of z: through y alone, through w alone, and the whole."""

    y: SlopeT
    w: SlopeT
    both: SlopeT


NO_SLOPES: Slopes[float] = Slopes(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Parts:
    """Three quotients, of y alone, of w alone and of both together, and the remainder.

    `size` is the larger of |z| at both ends.
    """

    y: Tensor
    w: Tensor
    both: Tensor
    size: Tensor

    @property
    def rest(self) -> Tensor:
        return self.both - self.y - self.w


def parts(z: Merge, f: Function, g: Function, x: Tensor, h: Tensor) -> Parts:
    """Return the quotients at each x and h, which broadcast; divided by the step really taken.

    Raises:
        FunctionProblem: if y, which is f, or w, which is g, fails.
    """
    there = x + h
    y, w = difference.values(f, x).detach(), difference.values(g, x).detach()
    y1, w1 = difference.values(f, there).detach(), difference.values(g, there).detach()
    step, here, beyond = there - x, z(y, w), z(y1, w1)
    size = here.abs().maximum(beyond.abs())
    return Parts((z(y1, w) - here) / step, (z(y, w1) - here) / step, (beyond - here) / step, size)


def slopes(z: Merge, f: Function, g: Function, x: Tensor) -> Slopes[Tensor]:
    """Return autograd's gradient at each x.

    The path that stands still is a number, computed beforehand.

    Raises:
        FunctionProblem: if y or w fails, or autograd finds no way back from it.
    """
    y, w = difference.values(f, x).detach(), difference.values(g, x).detach()
    through_y = difference.gradient(lambda t: z(f(t), w), x)
    through_w = difference.gradient(lambda t: z(y, g(t)), x)
    return Slopes(through_y, through_w, difference.gradient(lambda t: z(f(t), g(t)), x))


class TwoPaths:
    """Pairs of functions by name, the range of x, and what the two functions are called in problems."""

    def __init__(
        self, pairs: Mapping[str, tuple[Function, Function]], x_range: Range, letters: tuple[str, str]
    ) -> None:
        self.pairs = dict(pairs)
        self.ends, self.log_h, self.letters = x_range, LOG_H, letters

    @kept()
    def prepared(self, name: str) -> tuple[Function, Function, bool]:
        """Return both functions, elementwise, and whether they take many x at once."""
        grid = torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        (y, w), (first, second) = (elementwise.prepare(f, grid) for f in self.pairs[name]), self.letters
        f, g = elementwise.named_in_problems(first, y.f), elementwise.named_in_problems(second, w.f)
        return f, g, y.together and w.together

    def steps(self, name: str) -> Tensor:
        """Return the h of an error curve, as many as the functions afford."""
        count = STEPS if self.prepared(name)[2] else FEW_STEPS
        return torch.logspace(*self.log_h, count, dtype=torch.float64)

    def slopes(self, name: str, z: Merge, x: Tensor) -> Slopes[Tensor]:
        """Return autograd's gradient at each x; see `slopes`."""
        f, g, _ = self.prepared(name)
        return slopes(z, f, g, x)

    def parts(self, name: str, z: Merge, x: Tensor, h: Tensor) -> Parts:
        """Return the quotients at each x and h, which broadcast; see `parts`."""
        f, g, _ = self.prepared(name)
        return parts(z, f, g, x, h)
