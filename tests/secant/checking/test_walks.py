"""Tests of the messages about a student's operation: its value and its backward pass."""

from typing import Any

import pytest
import torch

from secant import check
from secant.checking.ask import tensor
from secant.checking.custom import operation, walk_back
from secant.checking.walks import judge_operation

X, G = tensor([2.0, 3.0]), tensor([1.0, -2.0])


def judge(apply: Any, tracked: tuple[str, ...] = ("x", "q"), apart: bool = False) -> None:
    def run_walk(*arguments: Any) -> dict[str, Any]:
        return walk_back(apply, *arguments)

    inputs, slopes = {"x": X, "q": X + 1}, {"x": X + 1, "q": X}
    tracked_slopes = {name: slopes[name] for name in tracked}
    mistakes = {"value": {"a sum": 2 * X + 1}, "q": {"the value": X**2 + X}}
    options: dict[str, Any] = {"rtol": 1e-9, "atol": 0.0, "apart": apart}
    judge_operation("Formula", run_walk, inputs, G, X**2 + X, tracked_slopes, mistakes, "wrong", **options)


@pytest.mark.parametrize("apart", [False, True])
def test_a_right_operation_passes(apart: bool) -> None:
    judge(operation("x * q", "g * q", "g * x"), apart=apart)


@pytest.mark.parametrize(
    ("apply", "pattern"),
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
def test_the_message_names_the_mistake_of_a_wrong_operation(apply: Any, pattern: str) -> None:
    with pytest.raises(check.CheckFailed, match=pattern):
        judge(apply)


def test_gradient_of_an_untracked_input_is_not_checked() -> None:
    judge(operation("x * q", "g * q", "None"), ("x",))


def test_inputs_stored_on_the_class_get_their_own_hint() -> None:
    saved: list[torch.Tensor] = []

    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            saved[:] = [x.detach(), q.detach()]
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * saved[1], g * saved[0]

    with pytest.raises(check.CheckFailed, match="the gradient of another call"):
        judge(Formula.apply)


@pytest.mark.parametrize(
    ("fails", "pattern"),
    [(True, "the first backward pass went well"), (False, "a second backward pass gave a different")],
)
def test_second_backward_walk_that_fails_or_differs_is_reported(fails: bool, pattern: str) -> None:
    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            ctx.saved, ctx.scale = [x.detach(), q.detach()], 1.0
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, q = ctx.saved
            ctx.saved = None if fails else ctx.saved
            ctx.scale *= 2
            return g * q * ctx.scale / 2, g * x * ctx.scale / 2

    with pytest.raises(check.CheckFailed, match=pattern):
        judge(Formula.apply)


@pytest.mark.parametrize(("unwatched", "other"), [("x", "q"), ("q", "x")])
def test_input_stored_without_save_for_backward_is_reported(unwatched: str, other: str) -> None:
    class Formula(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
            inputs = {"x": x, "q": q}
            ctx.save_for_backward(inputs[other])
            ctx.saved = inputs[unwatched]
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            inputs = {unwatched: ctx.saved.detach(), other: ctx.saved_tensors[0]}
            return g * inputs["q"], g * inputs["x"]

    pattern = rf"{unwatched}\.mul_\(2\), backward: gradient of {other}\n(.*\n)*.*silently wrong"
    with pytest.raises(check.CheckFailed, match=pattern):
        judge(Formula.apply)


def test_expected_slope_may_depend_on_the_arriving_gradient() -> None:
    def judge_row(backward: str) -> None:
        def run_walk(*arguments: Any) -> dict[str, Any]:
            return walk_back(operation("x - x.mean()", backward), *arguments)

        vjp = {"x": lambda g: g - g.mean()}
        judge_operation("Formula", run_walk, {"x": X}, G, X - X.mean(), vjp, {}, more=", eps=0.1")

    judge_row("g - g.mean()")
    with pytest.raises(check.CheckFailed, match=r"Formula\.apply\(x=\[2, 3\], eps=0\.1\)"):
        judge_row("g")
    with pytest.raises(check.CheckFailed, match="missing as a factor"):
        judge_row("0 * g")
