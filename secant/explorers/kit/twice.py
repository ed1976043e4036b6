"""Slopes of elementwise functions, and second derivatives by differences twice, once, or not at all."""

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, plain_backward
from secant.explorers.kit.difference import Function
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.widget import Findings

Derivative = Literal["first", "second"]

WAYS: dict[Derivative, tuple[str, ...]] = {
    "first": ("quotient",),
    "second": ("second", "quotient", "double"),  # differences twice, once, not at all
}
SHARE = 0.01  # two numbers that are further apart than this share of the larger are different


class Limits(NamedTuple):
    """The numbers that the second difference and the quotient of the gradient approach; NaN if unsettled."""

    second: float
    quotient: float


NO_LIMITS = Limits(math.nan, math.nan)


@dataclass(frozen=True)
class Setting:
    """The values of the controls: a function, the derivative to find, x and h."""

    function: str
    derivative: Derivative
    x: float
    h: float


@dataclass
class Reading(Findings):
    """The numbers of a setting.

    `values` are f at x and at x + h, `slopes` the gradients there. `found` holds the quotient of f, or the
    second derivative in each of the three ways, `errors` how far each is from autograd's gradient, or from
    the `truth` of the second derivative, or, where that is not known, from double backward; `curves` the
    medians of these errors over x nearby, against `steps`. `limits` are the numbers that the differences
    approach, where the truth is not known.
    """

    setting: Setting
    there: float
    places: int
    values: Range = (math.nan, math.nan)
    slopes: Range = (math.nan, math.nan)
    found: dict[str, float] = field(init=False)
    truth: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    limits: Limits = NO_LIMITS

    def __post_init__(self) -> None:
        self.found = dict.fromkeys(WAYS[self.setting.derivative], math.nan)

    @property
    def is_first(self) -> bool:
        """Return whether the first derivative is asked for."""
        return self.setting.derivative == "first"

    @property
    def heights(self) -> Range:
        """Return the heights of the drawn curve, f or f', at x and at x + h."""
        return self.values if self.is_first else self.slopes

    @property
    def tangent(self) -> float:
        """Return the slope that autograd finds for the drawn curve."""
        return self.slopes[0] if self.is_first else self.found["double"]

    @property
    def errors(self) -> dict[str, float]:
        """Return the distance of each way from the best known number."""
        measured = self.tangent if math.isnan(self.truth) else self.truth
        return {way: abs(found - measured) for way, found in self.found.items()}

    @property
    def noise(self) -> dict[str, float]:
        """About how large the rounding error of each way is."""
        x, slope, step = self.setting.x, self.slopes[0], self.there - self.setting.x
        if self.is_first:
            return {"quotient": difference.rounding(difference.largest(*self.values), x, slope, step)}
        return {
            "second": difference.rounding(self.values[0], x, slope, step * step),
            "quotient": difference.rounding(slope, x, self.found["double"], step),
            "double": 0.0,
        }

    @property
    def verdict(self) -> str:
        """Which ways are wrong where the differences tell: "wrong" double backward, "gradient", or "both"."""
        if self.is_first:
            return ""
        (second, quotient), double = self.limits, self.found["double"]
        if differ(second, quotient):
            return "both" if differ(quotient, double) else "gradient"
        return "wrong" if differ(quotient, double) else ""


def double_backward(f: Function, x: Tensor) -> Tensor:
    """Return f''(x) at each x, for an elementwise f, by differentiating autograd's gradient with autograd.

    Where the gradient does not depend on x that is 0.

    Raises:
        FunctionProblem: if there is no gradient, or it cannot be differentiated again.
    """
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        total = difference.values(f, leaf).sum()
        if not total.requires_grad:
            difference.gradient(f, x)  # which says why there is none
        try:
            (first,) = torch.autograd.grad(total, leaf, create_graph=True)
            if first.requires_grad:
                return torch.autograd.grad(first.sum(), leaf, allow_unused=True, materialize_grads=True)[0]
            return torch.zeros_like(x)
        except Exception as error:  # a learner's own operation may raise anything
            if plain_backward.is_needed(total):
                raise difference.problem(
                    en="checkpoint(..., use_reentrant=True) can be differentiated once, so there is no "
                    "double backward. With use_reentrant=False there is.",
                    ko="checkpoint(..., use_reentrant=True)는 한 번만 미분할 수 있어 "
                    "double backward가 없습니다. use_reentrant=False로 하면 됩니다.",
                ) from error
            what = difference.in_brief(error)
            raise difference.problem(
                en=f"Differentiating twice stopped with {what}",
                ko=f"두 번 미분하다가 멈췄습니다. {what}",
            ) from error


def second_difference(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f(x+h) - 2 f(x) + f(x-h)) / h², over the steps really taken; NaN where they are lost."""
    low, high = x - h, x + h
    left, middle, right = (difference.values(f, place).detach() for place in (low, x, high))
    return (right - 2 * middle + left) / ((high - x) * (x - low))


def gradient_quotient(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f'(x+h) - f'(x)) / h with autograd's f', over the step really taken; NaN where that is lost."""
    there = x + h
    return (difference.gradient(f, there) - difference.gradient(f, x)) / (there - x)


def limits(f: Function, x: Tensor) -> Limits:
    """Return the numbers that both differences approach at x, (1,).

    The steps are those at which neither the function's curvature nor rounding matters much.
    """
    size = max(1.0, x.abs().item())
    second, first = (torch.logspace(*ends, 9, dtype=torch.float64) * size for ends in ((-4, -2), (-7, -5)))
    return Limits(_settled(second_difference(f, x, second)), _settled(gradient_quotient(f, x, first)))


def differ(one: float, other: float) -> bool:
    """Return whether two numbers are clearly apart; not if one is NaN."""
    return abs(one - other) > SHARE * max(abs(one), abs(other)) + 1e-6


def _settled(found: Tensor) -> float:
    low, middle, high = found.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)).tolist()
    return math.nan if differ(low, high) else middle
