"""Tests of the numbers behind lesson 1's explorer, against the figures in the lesson's text."""

from typing import Any

import pytest
import torch

from secant.explorers.kit import difference
from secant.explorers.kit.difference import FunctionProblem, gradient, median_errors, quotient
from tests.secant.explorers.kinds import RaisesInBackward, UnpacksTooMany

NEAR_5 = torch.linspace(4, 6, 201, dtype=torch.float64)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.log(x**3)


@pytest.mark.parametrize(
    ("dtype", "scheme", "best_step", "error"),
    [
        (torch.float32, "forward", 1e-3, 1.7e-4),
        (torch.float64, "forward", 1e-7, 5.8e-9),
        (torch.float64, "central", 1e-5, 1.2e-11),
    ],
)
def test_error_has_its_minimum_at_the_best_step(
    dtype: Any, scheme: str, best_step: float, error: float
) -> None:
    steps = 10.0 ** -torch.arange(1, 16, dtype=torch.float64)
    errors = median_errors(f, NEAR_5.to(dtype), steps, scheme)
    index = errors.nan_to_num(torch.inf).argmin()
    assert steps[index].item() == pytest.approx(best_step)
    assert errors[index].item() == pytest.approx(error, rel=0.05)


def test_complex_step_has_no_rounding_error_for_small_h() -> None:
    errors = median_errors(f, NEAR_5, 10.0 ** -torch.arange(8, 16, dtype=torch.float64), "complex")
    assert errors.max() < 3e-16


@pytest.mark.parametrize("scheme", ["forward", "central"])
def test_quotient_is_nan_if_x_plus_h_rounds_to_x(scheme: str) -> None:
    x = NEAR_5.float()
    assert quotient(f, x, 1e-7, scheme).isnan().all()
    assert median_errors(f, x, torch.tensor([1e-7]), scheme).isnan().all()


def test_quotient_and_gradient_keep_dtype_and_broadcast() -> None:
    x, steps = NEAR_5.float(), torch.tensor([[1e-1], [1e-2]])
    for scheme in difference.SCHEMES:
        result = quotient(f, x, steps, scheme)
        assert (result.shape, result.dtype, result.requires_grad) == ((2, 201), torch.float32, False)
    torch.testing.assert_close(gradient(f, x), 3 / x)


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="forward, central, complex"):
        quotient(f, NEAR_5, 0.1, "backward")


def test_quotient_and_gradient_change_no_tensor_of_the_caller() -> None:
    layer = torch.nn.Linear(1, 1).double()
    x = NEAR_5.clone()

    def model(x: torch.Tensor) -> torch.Tensor:
        x *= 2
        return layer(x.reshape(-1, 1)).reshape(x.shape)

    quotient(model, x, 0.1)
    gradient(lambda x: layer(x.reshape(-1, 1)).reshape(x.shape), x)
    assert torch.equal(x, NEAR_5)
    assert x.grad is None
    assert layer.weight.grad is None


def test_a_gradient_is_found_when_gradients_are_off() -> None:
    with torch.no_grad():
        torch.testing.assert_close(gradient(f, NEAR_5), 3 / NEAR_5)


@pytest.mark.parametrize(
    ("bad_function", "pattern"),
    [
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda x: None, "returned NoneType, not a tensor"),
        (lambda x: float(x.sum()), "returned float, not a tensor"),
        (lambda x: x.sum(), r"shape \[201\] the function returned shape \[\]"),
        (lambda x: x > 5, "torch.bool"),
        (3, "'int' object is not callable"),
        (lambda: 1, "takes 0 positional arguments"),
    ],
)
def test_message_says_why_a_bad_function_is_refused(bad_function: Any, pattern: str) -> None:
    with pytest.raises(FunctionProblem, match=pattern):
        difference.values(bad_function, NEAR_5)


@pytest.mark.parametrize(
    "function", [lambda x: torch.tensor(3.0), lambda x: x.detach() ** 2, lambda x: torch.ones_like(x)]
)
def test_a_result_without_a_path_to_x_is_refused(function: Any) -> None:
    x = torch.tensor(2.0)
    with pytest.raises(FunctionProblem, match="no path from the result to x"):
        gradient(function, x)


@pytest.mark.parametrize("trainable", [False, True])
def test_result_connected_only_to_weights_is_refused(trainable: bool) -> None:
    w = torch.tensor(2.0, requires_grad=trainable)
    with pytest.raises(FunctionProblem, match="no path from the result to x"):
        gradient(lambda x: w * x.detach(), torch.tensor(2.0))


@pytest.mark.parametrize(
    ("operation", "pattern"), [(UnpacksTooMany, "ValueError: not enough"), (RaisesInBackward, "of its own")]
)
def test_an_error_in_backward_is_quoted(operation: Any, pattern: str) -> None:
    with pytest.raises(FunctionProblem, match=rf"backward\(\) stopped with .*{pattern}"):
        gradient(operation.apply, torch.tensor(2.0))


@pytest.mark.parametrize("function", [torch.abs, torch.relu, lambda x: x if x > 0 else -x])
def test_the_complex_step_needs_complex_numbers(function: Any) -> None:
    with pytest.raises(FunctionProblem, match="complex"):
        quotient(function, torch.tensor(2.0), 1e-3, "complex")


def test_undefined_points_are_left_out_of_the_median_error() -> None:
    x = torch.linspace(-0.5, 2, 201, dtype=torch.float64)
    assert median_errors(f, x, torch.tensor([1e-6])).item() < 1e-4


def test_median_error_needs_enough_points_that_move() -> None:
    # A step of 1e-12 changes x only near 0. Errors at so few places say nothing about the other places.
    x = torch.linspace(-1, 1, 201, dtype=torch.float32)
    errors = median_errors(lambda t: torch.sin(5 * t), x, torch.tensor([1e-3, 1e-12]))
    assert errors[0].isfinite()
    assert errors[1].isnan()
