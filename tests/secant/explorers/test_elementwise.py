"""Tests of adapting a function of one x so that it accepts many x at once."""

import math

import pytest
import torch

from secant.explorers.kit.difference import FunctionProblem, gradient
from secant.explorers.kit.elementwise import is_elementwise, one_by_one

NEAR_5 = torch.linspace(4, 6, 201, dtype=torch.float64)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.log(x**3)


def test_function_with_an_if_is_evaluated_point_by_point() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x**2 if x > 5 else 3 * x

    assert not is_elementwise(branch, NEAR_5)
    assert is_elementwise(f, NEAR_5)
    x = torch.tensor([4.0, 6.0])
    torch.testing.assert_close(one_by_one(branch)(x), torch.tensor([12.0, 36.0]))
    torch.testing.assert_close(gradient(one_by_one(branch), x), torch.tensor([3.0, 12.0]))


def test_a_function_of_all_x_together_is_not_elementwise() -> None:
    assert not is_elementwise(lambda x: x / x.sum(), NEAR_5)


def test_point_by_point_evaluation_skips_failing_points() -> None:
    def root(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(math.sqrt(x))

    y = one_by_one(root)(torch.tensor([-1.0, 4.0]))
    assert y[0].isnan()
    assert y[1] == 2
    with pytest.raises(FunctionProblem, match=r"math domain error|nonnegative input"):
        one_by_one(root)(torch.tensor([-1.0, -4.0]))
