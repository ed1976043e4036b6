"""Second derivatives of elementwise functions: by differences twice, once, or not at all. Numbers only."""

import torch
from torch import Tensor

from secant.explorers.kit import difference
from secant.explorers.kit.difference import Function


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
