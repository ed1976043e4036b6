"""Tests of lesson 10's explorer and of the backward passes behind it."""

import itertools
from typing import Any

import pytest
import torch

from secant.explorers.engine import BUGS, FUNCTIONS, Bug, engine_gradient, explore_engine
from secant.explorers.kit.difference import FunctionProblem
from tests.support.reading import displayed_number, picture, problems, remarks

X = torch.tensor([0.7, 2.0, 3.0], dtype=torch.float64)


def torch_gradient(f: Any) -> Any:
    leaf = X.clone().requires_grad_()
    f(leaf).sum().backward()
    return leaf.grad


@pytest.mark.parametrize("calls", [1, 2, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_a_bug_the_engine_finds_torch_s_gradient(name: str, calls: int) -> None:
    gradient = engine_gradient(FUNCTIONS[name], X, "none", calls)
    assert torch.allclose(gradient, calls * torch_gradient(FUNCTIONS[name]))


@pytest.mark.parametrize("bug", BUGS)
def test_every_bug_survives_one_call_on_a_chain(bug: Bug) -> None:
    chain = FUNCTIONS["log x³"]
    assert torch.allclose(engine_gradient(chain, X, bug), torch_gradient(chain))


@pytest.mark.parametrize(
    ("name", "bug", "calls", "factor"),
    [
        ("log x³ + √x²", "assign", 1, 1.5 / 2.5),
        ("log x³ + √x²", "breadth", 1, 1.0),
        ("log x³ + √x²", "breadth", 2, 2.0),
        ("y·z + y", "assign", 1, 32 / 84),
        ("y·z + y", "breadth", 1, 52 / 84),
        ("y·z + y", "kept", 1, 1.0),
        ("log x³", "kept", 2, 3.0),
        ("log x³", "assign", 2, 1.0),
    ],
)
def test_each_bug_changes_the_slope_at_2_by_its_factor(
    name: str, bug: Bug, calls: int, factor: float
) -> None:
    f = FUNCTIONS[name]
    assert engine_gradient(f, X, bug, calls)[1].item() == pytest.approx(factor * torch_gradient(f)[1].item())


def test_engine_handles_shared_unused_and_detached_inputs() -> None:
    assert engine_gradient(lambda x: x + x * x, X, "none").tolist() == pytest.approx((1 + 2 * X).tolist())
    assert engine_gradient(lambda x: x, X, "none", 2).tolist() == [2, 2, 2]
    assert engine_gradient(lambda x: x.detach() ** 2, X).tolist() == [0, 0, 0]


def test_a_model_s_own_buffers_stay_as_they_are() -> None:
    model = torch.nn.Linear(1, 1, dtype=torch.float64)
    gradient = engine_gradient(lambda x: model(x.reshape(-1, 1)).reshape(x.shape), X)
    assert torch.allclose(gradient, model.weight.detach().expand(3, 1)[:, 0])
    assert model.weight.grad is None


def test_engine_goes_back_through_operations_with_several_results() -> None:
    assert engine_gradient(lambda x: torch.stack([x, 2 * x], -1).unbind(-1)[1], X).tolist() == [2, 2, 2]


def test_backward_that_raises_is_named() -> None:
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            raise ZeroDivisionError

    with pytest.raises(FunctionProblem, match="RaisesBackward: ZeroDivisionError"):
        engine_gradient(Raises.apply, X)


def explore_uneven(**options: Any) -> Any:
    explorer = explore_engine(**options)
    explorer.function.value = "y·z + y"
    return explorer


def test_explorer_starts_without_a_bug() -> None:
    explorer: Any = explore_engine()
    assert displayed_number(explorer, "gradient") == displayed_number(explorer, "engine") == 2.5
    explorer.function.value = "y·z + y"
    assert displayed_number(explorer, "gradient") == displayed_number(explorer, "engine") == 84
    assert displayed_number(explorer, "quotient") == (3**5 + 3**2) - (2**5 + 2**2)
    assert remarks(explorer) == ""
    assert picture(explorer.view).size == (1800, 800)


def test_quotient_converges_to_torchs_slope_and_not_to_the_buggy_one() -> None:
    explorer = explore_uneven()
    explorer.bug.value = "breadth"
    errors = []
    for k in range(6):
        explorer.log_h.value = -k
        errors.append(displayed_number(explorer, "error"))
        assert displayed_number(explorer, "apart") > 31.9
    assert all(after < before / 5 for before, after in itertools.pairwise(errors))
    assert displayed_number(explorer, "engine") == 52
    assert "32" in remarks(explorer)


def test_two_backward_calls_are_compared_with_twice_the_function() -> None:
    explorer = explore_uneven(h=1e-6)
    explorer.calls.value = 2
    assert displayed_number(explorer, "gradient") == displayed_number(explorer, "engine") == 168
    assert displayed_number(explorer, "quotient") == pytest.approx(168, rel=1e-4)
    explorer.bug.value = "kept"
    assert displayed_number(explorer, "engine") == 364
    explorer.calls.value = 1
    assert displayed_number(explorer, "engine") == 84


def test_remark_appears_if_the_function_hides_the_bug(both_languages: str) -> None:
    explorer: Any = explore_engine()
    explorer.bug.value = "breadth"
    assert remarks(explorer) != ""
    assert problems(explorer) == ""
    assert displayed_number(explorer, "engine") == 2.5


def test_the_picture_shows_both_slopes() -> None:
    explorer = explore_uneven()
    explorer.bug.value = "assign"
    assert explorer.picture.function.tangent.get_slope() == 84
    assert explorer.picture.engine.get_slope() == 32
