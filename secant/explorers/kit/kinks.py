"""Functions with a right backward, a wrong one, and kinks at 0, where autograd and a quotient differ."""

from typing import Any

import torch
from torch import Tensor

from secant.explorers.kit.difference import Function

START, KINK = 3.0, 0.0  # where to look at 5**x, and at the others


class Power(torch.autograd.Function):
    """x**q with a backward of its own, as lesson 8 writes it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, q: Tensor) -> Tensor:
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1), g * x**q * torch.log(x)


class BrokenPower(Power):
    """x**q with a slope in q of x**q log(x + 1), which is wrong."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1), g * x**q * torch.log(x + 1)


def power_of_five(q: Tensor) -> Tensor:
    result: Tensor = Power.apply(torch.full_like(q, 5.0, requires_grad=False), q)
    return result


def broken_power_of_five(q: Tensor) -> Tensor:
    result: Tensor = BrokenPower.apply(torch.full_like(q, 5.0, requires_grad=False), q)
    return result


def not_negative(x: Tensor) -> Tensor:
    return torch.where(x >= 0, x, 0.0)


def maximum(x: Tensor) -> Tensor:
    return torch.maximum(x, torch.zeros_like(x))


def difference_of_relus(x: Tensor) -> Tensor:
    return torch.relu(x) - torch.relu(-x)


FUNCTIONS: dict[str, Function] = {
    "Power(5, x)": power_of_five,
    "BrokenPower(5, x)": broken_power_of_five,
    "relu(x)": torch.relu,
    "where(x >= 0, x, 0)": not_negative,
    "maximum(x, 0)": maximum,
    "abs(x)": torch.abs,
    "relu(x) - relu(-x)": difference_of_relus,
}


def worth_seeing(f: Function) -> float | None:
    """Return where a function to start with is worth a look; None for a learner's own."""
    if f in (broken_power_of_five, power_of_five):
        return START
    return KINK if f in FUNCTIONS.values() else None
