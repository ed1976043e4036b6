"""z(y(x), w(x)): its quotient, and autograd's gradient of it, taken apart by the two paths from x to z."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from secant.explorers.kit import difference
from secant.explorers.kit.difference import Function

Merge = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Parts:
    """Three quotients, of y alone, of w alone and of both together, and what the first two leave over.

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


def slopes(z: Merge, f: Function, g: Function, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return autograd's gradient at each x: through y alone, through w alone, and the whole.

    The path that stands still is a number, computed beforehand.

    Raises:
        FunctionProblem: if y or w fails, or autograd finds no way back from it.
    """
    y, w = difference.values(f, x).detach(), difference.values(g, x).detach()
    through_y = difference.gradient(lambda t: z(f(t), w), x)
    through_w = difference.gradient(lambda t: z(y, g(t)), x)
    return through_y, through_w, difference.gradient(lambda t: z(f(t), g(t)), x)
