"""Tests of operations that are built from formulas, and of observing their calls and backward passes."""

from typing import Any

import pytest
import torch

from secant.checking.custom import gradients_after_change, operation, walk_back

Tensor = torch.Tensor


def numbers(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_operation_computes_its_formulas() -> None:
    apply = operation("x * q", "g * q", "g * 10")
    x, q = numbers(2.0, 3.0).requires_grad_(), numbers(5.0, 7.0).requires_grad_()
    y = apply(x, q)
    assert y.tolist() == [10.0, 21.0]
    assert y.grad_fn.name() == "FormulaBackward"
    y.backward(numbers(1.0, -1.0))
    assert x.grad is not None
    assert x.grad.tolist() == [5.0, -7.0]
    assert q.grad is not None
    assert q.grad.tolist() == [10.0, -10.0]


def test_gradient_formula_may_be_none() -> None:
    x = numbers(2.0).requires_grad_()
    (gradient,) = torch.autograd.grad(operation("3 * x", "None")(x), x, numbers(1.0), allow_unused=True)
    assert gradient is None


def test_backward_walk_is_returned_as_plain_data() -> None:
    result = walk_back(
        operation("x * q", "g * q", "g * torch.log(x)"),
        {"x": numbers(2.0), "q": numbers(3.0)},
        ["x"],
        numbers(0.5),
    )
    assert result["value"].tolist() == [6.0]
    assert result["node"] == "FormulaBackward"
    assert {name: value.tolist() for name, value in result["gradients"].items()} == {"x": [1.5]}
    assert result["again"]["x"].tolist() == [1.5]
    assert "log" in result["operations"]
    assert result["returned"] == ["x", "q"]
    assert result["error"] == ""
    assert result["changes"] == []


def test_tested_operation_may_get_non_contiguous_inputs() -> None:
    contiguity: list[bool] = []

    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            contiguity.append(x.is_contiguous())
            return 3 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            contiguity.append(g.is_contiguous())
            return 3 * g

    x = numbers(1.0, 2.0, 3.0, 4.0).reshape(2, 2)
    for g in (x, torch.ones_like(x)):
        contiguity.clear()
        result = walk_back(Triple.apply, {"x": x}, ["x"], g, apart=True)
        assert result["gradients"]["x"].equal(3 * g)
        assert contiguity[0] is False  # x in the call, x in a second call, g in the backward pass
        assert contiguity[2] is False


def test_none_gradient_differs_from_a_discarded_one() -> None:
    inputs = {"x": numbers(2.0), "q": numbers(3.0)}
    result = walk_back(operation("x * q", "g * q", "None"), inputs, ["x"], numbers(1.0))
    assert result["returned"] == ["x"]


def test_result_without_tracked_inputs_has_no_gradients() -> None:
    result = walk_back(torch.sqrt, {"x": numbers(4.0)}, [], numbers(1.0))
    assert (result["value"].tolist(), result["node"], result["gradients"]) == ([2.0], "", {})


@pytest.mark.parametrize("apply", [lambda x: 3, lambda x: x.detach() * 2, lambda x: (2 * x).sum()])
def test_a_result_that_cannot_be_walked_back_from_has_no_gradients(apply: Any) -> None:
    result = walk_back(apply, {"x": numbers(4.0)}, ["x"], numbers(1.0))
    assert result["gradients"] == result["again"] == {}


def test_error_during_a_backward_walk_is_reported() -> None:
    result = walk_back(operation("3 * x", "3 * g", "g"), {"x": numbers(4.0)}, ["x"], numbers(1.0))
    assert "incorrect number of gradients" in result["error"]


def test_not_implemented_backward_raises_unchanged() -> None:
    class Stub(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(NotImplementedError):
        walk_back(Stub.apply, {"x": numbers(4.0)}, ["x"], numbers(1.0))
    with pytest.raises(NotImplementedError):
        gradients_after_change(Stub.apply, {"x": numbers(4.0)}, ["x"], numbers(1.0))


def test_backward_that_modifies_the_arriving_gradient_is_detected() -> None:
    result = walk_back(operation("3 * x", "g.mul_(3)"), {"x": numbers(4.0)}, ["x"], numbers(2.0))
    assert result["gradients"]["x"].tolist() == [6.0]
    assert result["again"]["x"].tolist() == [18.0]
    assert ("value", "grad_output") in result["changes"]


def test_interleaved_call_reveals_values_stored_on_the_class() -> None:
    saved: list[Tensor] = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            saved[:] = [x.detach()]
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g * saved[0]

    result = walk_back(Square.apply, {"x": numbers(4.0)}, ["x"], numbers(1.0))
    assert result["gradients"]["x"].tolist() == [16.0]


def test_change_of_any_input_before_backward_is_refused_or_detected() -> None:
    class HalfWatched(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, q: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            ctx.q = q
            return x * q

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.q.detach(), g * ctx.saved_tensors[0]

    inputs = {"x": numbers(3.0), "q": numbers(5.0)}
    product = operation("x * q", "g * q", "g * x")
    assert list(gradients_after_change(product, inputs, ["x", "q"], numbers(1.0))) == ["y"]
    result = gradients_after_change(HalfWatched.apply, inputs, ["x", "q"], numbers(1.0))
    assert list(result) == ["q", "y"]
    assert [value.tolist() for value in result["q"].values() if value is not None] == [[10.0], [3.0]]


def test_modified_result_stored_without_version_check_is_detected() -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.y = x.exp()
            return ctx.y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.y.detach()

    result = gradients_after_change(Exp.apply, {"x": numbers(0.0)}, ["x"], numbers(1.0))
    assert [value.tolist() for value in result["y"].values() if value is not None] == [[2.0]]


def _by_grad(x: Tensor, g: Tensor) -> Tensor:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        y = x.sin()
    return torch.autograd.grad(y, x, g)[0]


def _by_dual_numbers(x: Tensor, g: Tensor) -> Tensor:
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(x, g).sin()
        return torch.autograd.forward_ad.unpack_dual(y).tangent


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # the first use of forward_ad warns
@pytest.mark.parametrize(
    ("slope", "delegated"),
    [
        (lambda x, g: g * x.cos(), False),
        (_by_grad, True),
        (lambda x, g: torch.func.vjp(torch.sin, x)[1](g)[0], True),
        (_by_dual_numbers, True),
        (lambda x, g: torch.autograd.functional.jacobian(torch.sin, x) @ g, True),
    ],
)
def test_backward_that_calls_autograd_is_detected(slope: Any, delegated: bool) -> None:
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return slope(ctx.saved_tensors[0], g)

    result = walk_back(Sine.apply, {"x": numbers(1.0, 2.0)}, ["x"], numbers(1.0, 3.0))
    assert result["delegated"] is delegated


def stub(fn: Any, inputs: tuple[Tensor, ...]) -> bool:
    raise NotImplementedError


def test_an_operation_says_that_inputs_are_missing() -> None:
    with pytest.raises(ValueError, match="fn takes 2 inputs and was called with 1"):
        operation("x * q", "g * q", "g * x")(numbers(2.0))


def test_failure_of_the_second_backward_walk_alone_is_detected() -> None:
    class BackwardOnce(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.factor = 3.0
            return 3 * x

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            g = g * ctx.factor
            ctx.factor = None
            return g

    result = walk_back(BackwardOnce.apply, {"x": numbers(1.0)}, ["x"], numbers(1.0))
    assert result["walked"] == 1
    assert result["error"].startswith("TypeError")
