"""What is said of an operation that is walked back through."""

from typing import Any

import pytest
import torch

from secant import check
from secant.checking.ask import tensor
from secant.checking.custom import operation, walk_back
from secant.checking.walks import judge_walks

X, G = tensor([2.0, 3.0]), tensor([1.0, -2.0])


def judged(apply: Any, tracked: tuple[str, ...] = ("x", "q")) -> None:
    found = walk_back(apply, {"x": X.clone(), "q": X.clone()}, tracked, G.clone())
    want = {name: G * X for name in tracked}
    mistakes: dict[str, Any] = {"x": {"no grad_output": X}, "q": {}}
    judge_walks(found, "f(x, q)", "Formula", want, mistakes, "wrong", rtol=1e-9, atol=0.0)


def test_a_right_operation_passes() -> None:
    judged(operation("x * q", "g * q", "g * x"))


@pytest.mark.parametrize(
    ("apply", "words"),
    [
        (torch.mul, "grad_fn is not FormulaBackward"),
        (operation("x * q", "q", "g * x"), "no grad_output"),
        (operation("x * q", "g", "g * x"), "wrong"),
        (operation("x * q", "g * q", "None"), "backward returned None for q"),
        (operation("x * q", "g * q", "g * x", "g"), "incorrect number of gradients"),
    ],
)
def test_what_is_wrong_is_told(apply: Any, words: str) -> None:
    with pytest.raises(check.CheckFailed, match=words):
        judged(apply)


def test_a_gradient_that_nobody_asked_for_is_told() -> None:
    with pytest.raises(check.CheckFailed, match="returned a gradient for q, which needs none"):
        judged(operation("x * q", "g * q", "g * x"), ("x",))


def test_what_is_kept_on_the_class_is_told_from_what_is_wrong() -> None:
    kept: list[torch.Tensor] = []

    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            kept[:] = [x.detach(), q.detach()]
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * kept[1], g * kept[0]

    with pytest.raises(check.CheckFailed, match="belongs to another call"):
        judged(Formula.apply)


@pytest.mark.parametrize(
    ("stops", "words"), [(True, "the first walk back went well"), (False, "a second walk back gave another")]
)
def test_a_second_walk_that_stops_or_differs_is_told(stops: bool, words: str) -> None:
    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            ctx.kept, ctx.scale = [x.detach(), q.detach()], 1.0
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, q = ctx.kept
            ctx.kept = None if stops else ctx.kept
            ctx.scale *= 2
            return g * q * ctx.scale / 2, g * x * ctx.scale / 2

    with pytest.raises(check.CheckFailed, match=words):
        judged(Formula.apply)
