"""Tests of the messages about an operation and its backward pass."""

from typing import Any

import pytest
import torch

from secant import check
from secant.checking.ask import tensor
from secant.checking.custom import operation, walk_back
from secant.checking.walks import judge_operation

X, G = tensor([2.0, 3.0]), tensor([1.0, -2.0])


def judged(apply: Any, tracked: tuple[str, ...] = ("x", "q"), apart: bool = False) -> None:
    def seen(*asked: Any) -> dict[str, Any]:
        return walk_back(apply, *asked)

    inputs, slopes = {"x": X, "q": X + 1}, {"x": X + 1, "q": X}
    asked = {name: slopes[name] for name in tracked}
    mistakes = {"value": {"a sum": 2 * X + 1}, "q": {"the value": X**2 + X}}
    exact: dict[str, Any] = {"rtol": 1e-9, "atol": 0.0, "apart": apart}
    judge_operation("Formula", seen, inputs, G, X**2 + X, asked, mistakes, "wrong", **exact)


@pytest.mark.parametrize("apart", [False, True])
def test_a_right_operation_passes(apart: bool) -> None:
    judged(operation("x * q", "g * q", "g * x"), apart=apart)


@pytest.mark.parametrize(
    ("apply", "words"),
    [
        (torch.mul, "grad_fn is not FormulaBackward"),
        (operation("x + q", "g", "g"), "a sum"),
        (operation("x * q + 1", "g * q", "g * x"), "wrong"),
        (operation("x * q", "g * q", "x * q"), "the value"),
        (operation("x * q", "g", "g * x"), "wrong"),
        (operation("x * q", "q", "g * x"), "missing as a factor"),
        (operation("x * q", "g * x", "g * q"), "swapped"),
        (operation("x * q", "(g * q).sum().expand(2)", "g * x"), "each element of x has its own"),
        (operation("x * q", "g * q", "None"), r"None for q.*needs_input_grad\[1\]"),
        (operation("x * q", "g.mul_(q)", "g"), "changed grad_output itself"),
        (operation("x * q", "g * q", "g * x", "g"), "incorrect number of gradients"),
    ],
)
def test_a_wrong_operation_is_told_its_mistake(apply: Any, words: str) -> None:
    with pytest.raises(check.CheckFailed, match=words):
        judged(apply)


def test_gradient_of_an_untracked_input_is_not_checked() -> None:
    judged(operation("x * q", "g * q", "None"), ("x",))


def test_inputs_stored_on_the_class_get_their_own_hint() -> None:
    kept: list[torch.Tensor] = []

    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            kept[:] = [x.detach(), q.detach()]
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * kept[1], g * kept[0]

    with pytest.raises(check.CheckFailed, match="the gradient of another call"):
        judged(Formula.apply)


@pytest.mark.parametrize(
    ("stops", "words"),
    [(True, "the first backward pass went well"), (False, "a second backward pass gave a different")],
)
def test_second_backward_walk_that_fails_or_differs_is_reported(stops: bool, words: str) -> None:
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


@pytest.mark.parametrize(("unwatched", "other"), [("x", "q"), ("q", "x")])
def test_input_stored_without_save_for_backward_is_reported(unwatched: str, other: str) -> None:
    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            inputs = {"x": x, "q": q}
            ctx.save_for_backward(inputs[other])
            ctx.kept = inputs[unwatched]
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            inputs = {unwatched: ctx.kept.detach(), other: ctx.saved_tensors[0]}
            return g * inputs["q"], g * inputs["x"]

    told = rf"{unwatched}\.mul_\(2\), backward: gradient of {other}\n(.*\n)*.*silently wrong"
    with pytest.raises(check.CheckFailed, match=told):
        judged(Formula.apply)


def test_expected_slope_may_depend_on_the_arriving_gradient() -> None:
    def judged_row(backward: str) -> None:
        def seen(*asked: Any) -> dict[str, Any]:
            return walk_back(operation("x - x.mean()", backward), *asked)

        vjp = {"x": lambda g: g - g.mean()}
        judge_operation("Formula", seen, {"x": X}, G, X - X.mean(), vjp, {}, more=", eps=0.1")

    judged_row("g - g.mean()")
    with pytest.raises(check.CheckFailed, match=r"Formula\.apply\(x=\[2, 3\], eps=0\.1\)"):
        judged_row("g")
    with pytest.raises(check.CheckFailed, match="missing as a factor"):
        judged_row("0 * g")
