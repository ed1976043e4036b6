"""Functions from two numbers to two: checked, and multiplied with directions by autograd, both ways."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference
from secant.explorers.kit.difference import FunctionProblem
from secant.quiet import quietly

with quietly():  # forward mode warns at its first use, of torch's own code: nothing that a student can heed
    torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))

Map = Callable[[Tensor], Tensor]  # from (2,) to (2,)


def two_numbers(f: Map) -> Map:
    """Return f with words for a result that is not two real numbers."""

    def checked(x: Tensor) -> Tensor:
        y = f(x)
        if isinstance(y, Tensor) and y.shape != (2,):
            raise difference.problem(
                en=f"The function returned shape {list(y.shape)}. It takes a tensor of two numbers, "
                "x[0] and x[1], and should return one of two numbers; torch.stack makes one.",
                ko=f"함수가 돌려준 텐서의 shape는 {list(y.shape)}입니다. 원소가 x[0], x[1] 둘인 텐서를 받아 "
                "원소가 둘인 텐서를 돌려주어야 합니다. torch.stack으로 만들 수 있습니다.",
            )
        if isinstance(y, Tensor) and y.is_complex():
            raise difference.problem(
                en="The function returned complex numbers; this picture needs two real ones.",
                ko="함수가 복소수를 돌려주었습니다. 이 그림에는 실수 두 개가 필요합니다.",
            )
        # In float64 throughout, or the curves would mix two kinds of rounding.
        return y.double() if isinstance(y, Tensor) and y.is_floating_point() else y

    return checked


def products(f: Map, p: Tensor, v: Tensor, u: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return F(p), J v by forward mode and u J by reverse mode, (2,) each.

    Raises:
        FunctionProblem: if f fails, or autograd finds no way from its result back to p.
    """
    y = difference.values(f, p.clone().requires_grad_())
    if not y.requires_grad:
        raise difference.problem(
            en="autograd finds no path from the result to p, so there is no J. "
            "Is the result a constant, or does the function use .item(), .detach() or NumPy?",
            ko="autograd가 결과에서 p까지 가는 경로를 찾지 못해 J가 없습니다. "
            "결과가 상수이거나, 함수 안에서 .item(), .detach(), NumPy를 쓰지 않았나요?",
        )
    try:
        moved = torch.func.jvp(f, (p,), (v,))[1]
        (pulled,) = torch.func.vjp(f, p)[1](u)
    except FunctionProblem:
        raise
    except Exception as error:
        what = difference.in_brief(error)
        raise difference.problem(
            en=f"torch.func.jvp and vjp do not take this function. {what}",
            ko=f"이 함수에는 torch.func.jvp와 vjp를 쓸 수 없습니다. {what}",
        ) from error
    return y.detach().numpy(), moved.detach().numpy(), pulled.detach().numpy()


def polar(x: Tensor) -> Tensor:
    return torch.stack([x[0] * torch.cos(x[1]), x[0] * torch.sin(x[1])])


def direction(degrees: float) -> np.ndarray:
    """Return the unit vector at an angle."""
    angle = math.radians(degrees)
    return np.array([math.cos(angle), math.sin(angle)])
