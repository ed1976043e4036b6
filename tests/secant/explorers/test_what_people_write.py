"""Tests of explorers with functions that people really write.

The functions contain networks, hooks, random numbers, checkpoints, jumps and no_grad.
"""

import functools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.utils.checkpoint import checkpoint

from secant import language
from secant.explorers.backward import explore_backward
from secant.explorers.buffer import explore_buffer
from secant.explorers.chain import explore_chain
from secant.explorers.engine import explore_engine
from secant.explorers.jacobian import explore_arrows
from secant.explorers.kit import words
from secant.explorers.saved import explore_saved
from secant.explorers.second import explore_second
from secant.explorers.tangent import explore
from tests.secant.explorers.kinds import KINDS, Kind, kind_cases
from tests.support.suites import case

EXPLORERS = (explore, explore_buffer, explore_saved, explore_backward, explore_second, explore_engine)
W1 = torch.tensor([[0.5], [-1.0], [2.0]], dtype=torch.float64)
W2 = torch.tensor([[1.0, 0.3, -0.7]], dtype=torch.float64)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    before = language()
    language("en")
    yield
    language(before)


def messages(explorer: Any) -> str:
    return " ".join([*explorer.reading.problems, *explorer.reading.remarks])


# Names


SAME_NAMES: list[Any] = [
    [lambda x: x**2, lambda x: x**3],
    [functools.partial(torch.pow, exponent=2), functools.partial(torch.pow, exponent=3)],
    [torch.nn.Softplus(1), torch.nn.Softplus(9)],
    {1: torch.sin, "1": torch.cos},
    [torch.sin, torch.sin],
]


@pytest.mark.whole
@pytest.mark.parametrize("make", EXPLORERS)
def test_explorer_offers_every_function_of_a_list(make: Callable[..., Any]) -> None:
    for functions in SAME_NAMES:
        expected = functions.values() if isinstance(functions, dict) else functions
        assert [*make(functions).subject.functions.values()] == [*expected]


def test_a_second_lambda_gets_a_number() -> None:
    assert [*explore([lambda x: x, lambda x: 2 * x, torch.sin]).subject.functions] == [
        "f(x)",
        "f(x) 2",
        "sin",
    ]


# The engine


def network(x: Tensor) -> Tensor:
    return (W2 @ torch.tanh(W1 * x)).reshape(x.shape)


def split(x: Tensor) -> Tensor:
    a, b = torch.stack([x, x**2]).chunk(2)
    return (a * b).reshape(x.shape)


class Cube(Function):
    """x³ as an operation whose first argument is not a tensor."""

    @staticmethod
    def forward(ctx: Any, word: str, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return None, 3 * g * ctx.saved_tensors[0] ** 2


ENGINE_FUNCTIONS: list[Callable[[Tensor], Tensor]] = [
    network,
    split,
    lambda x: (torch.tanh(x * W1) * W2.T).sum(0),
    lambda x: (x * torch.ones(3, 1, dtype=x.dtype)).mean(0),
    lambda x: torch.stack([x, x**2 + 1]).max(0).values,
    lambda x: torch.stack([x, x**2]).unbind()[1],
    lambda x: x.float().double() ** 2,
    lambda x: Cube.apply("cube", x),
    lambda x: F.linear(x.reshape(-1, 1), W1, W1[:, 0]).relu().sum(1).reshape(x.shape),
    lambda x: checkpoint(torch.sin, x, use_reentrant=True),
]


@pytest.mark.parametrize("f", ENGINE_FUNCTIONS)
def test_engine_finds_torch_s_slope_of_small_networks(f: Callable[[Tensor], Tensor]) -> None:
    reading = explore_engine(f, x=1.0, h=0.001).reading
    assert reading.problems == reading.remarks == []
    assert reading.engine == pytest.approx(reading.torch)
    assert reading.quotient == pytest.approx(reading.torch, abs=0.01)


def with_hook(x: Tensor) -> Tensor:
    y = x * 3
    y.register_hook(lambda g: 10 * g)
    return y**2


class WrongCube(Function):
    """x³ with the wrong backward 5x² g, which double backward differentiates correctly."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 5 * g * ctx.saved_tensors[0] ** 2


def corrected_cube(x: Tensor) -> Tensor:
    y = WrongCube.apply(x)
    if x.requires_grad:
        y.register_hook(lambda g: 0.6 * g)
    return y * 1


@pytest.mark.parametrize("bug", ["none", "assign"])
def test_engine_is_not_blamed_for_a_hook_that_changes_the_gradient(bug: Any) -> None:
    text = messages(explore_engine(with_hook, bug=bug, x=1.0))
    assert "engine is wrong" not in text
    assert "such as a hook" in text
    assert "the slope that the engine finds without a bug" in text
    assert "The quotient goes to torch's slope" in messages(explore_engine(corrected_cube, bug=bug, x=1.0))


def test_engine_bug_is_distinguished_from_a_wrong_backward() -> None:
    def f(x: Tensor) -> Tensor:
        y = WrongCube.apply(x)
        return y + x * y

    assert "goes to neither" in messages(explore_engine(f, bug="assign"))
    assert "so the engine is wrong" in messages(explore_engine(lambda x: x * x + x, bug="assign"))


# Functions that need a tracked x


@pytest.mark.parametrize("make", EXPLORERS)
def test_function_that_registers_a_hook_is_drawn(make: Callable[..., Any]) -> None:
    explorer = make(with_hook, x=1.0, **({"spoiler": "none"} if make is explore_saved else {}))
    assert explorer.has_content
    assert "stopped" not in messages(explorer)


# Random numbers


CALL_COUNT = [0]


def add_call_count(x: Tensor) -> Tensor:
    CALL_COUNT[0] += 1
    return x + CALL_COUNT[0]


RANDOM_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "noise": lambda x: x + 0.1 * torch.randn_like(x),
    "dropout": lambda x: F.dropout(x, 0.5),
    "one number": lambda x: x * torch.rand(()),
    "coin": lambda x: x * torch.bernoulli(torch.tensor(0.5)),
    "rrelu": lambda x: F.rrelu(x - 10, training=True),
    "state": add_call_count,
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        case(kind, name, quick=kind.name == "tangent" or name == "dropout", id=f"{kind}-{name}")
        for kind in KINDS
        for name in RANDOM_FUNCTIONS
    ],
)
def test_random_function_is_reported_as_random(kind: Kind, name: str) -> None:
    text = messages(kind.explore_function(RANDOM_FUNCTIONS[name]))
    assert "gives another value" in text
    assert "one x at a time" not in text
    assert "0" not in text


def test_random_function_is_reported_as_random_in_korean() -> None:
    language("ko")
    assert "함수의 값이 달라집니다" in messages(explore(RANDOM_FUNCTIONS["noise"]))


@pytest.mark.whole
@pytest.mark.parametrize("make", EXPLORERS)
def test_function_that_seeds_its_numbers_is_drawn(make: Callable[..., Any]) -> None:
    def seed_and_draw(x: Tensor) -> Tensor:
        torch.manual_seed(0)
        return x * torch.rand((), dtype=x.dtype)

    explorer = make(seed_and_draw)
    assert explorer.has_content
    assert explorer.reading.problems == []


# Checkpoints


@pytest.mark.whole
@pytest.mark.parametrize("make", [explore, explore_buffer, explore_backward, explore_engine, explore_saved])
def test_reentrant_checkpoint_has_its_slope_and_leaves_the_model_alone(make: Callable[..., Any]) -> None:
    inner, outer = (torch.nn.Linear(1, 1, dtype=torch.float64) for _ in range(2))
    inner.weight.grad = torch.full((1, 1), 7.0, dtype=torch.float64)

    def f(x: Tensor) -> Tensor:
        return checkpoint(lambda t: torch.sin(t) * inner.weight[0, 0], x, use_reentrant=True) * outer.bias

    options = {"spoiler": "data", "a": 0.5} if make is explore_saved else {}
    reading = make(f, x=1.0, h=0.01, **options).reading
    assert reading.problems == []
    factor = (inner.weight[0, 0] * outer.bias).item()
    attribute = "torch" if make is explore_engine else "slope" if make is explore_saved else "gradient"
    assert getattr(reading, attribute) == pytest.approx(math.cos(1.5 if options else 1.0) * factor)
    assert inner.weight.grad.tolist() == [[7.0]]
    assert inner.bias.grad is outer.bias.grad is outer.weight.grad is None


def test_second_derivative_of_a_reentrant_checkpoint_is_refused_with_advice(both_languages: str) -> None:
    language(both_languages)
    text = messages(
        explore_second(lambda x: checkpoint(torch.sin, x, use_reentrant=True), derivative="second")
    )
    assert "`inputs`" not in text
    assert "use_reentrant=False" in text


# Second derivatives


class DetachedCube(Function):
    """x³ with a right gradient that is computed from a detached x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 3 * g * ctx.saved_tensors[0].detach() ** 2


class BothDerivativesWrong(DetachedCube):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 5 * g * ctx.saved_tensors[0].detach() ** 2


@pytest.mark.parametrize(
    ("f", "words_en", "words_ko"),
    [
        (DetachedCube.apply, "go to 30 as h falls, and double backward is 0", "double backward가 틀렸습니다"),
        (WrongCube.apply, "autograd's gradient is not the slope of f", "f의 기울기가 아닙니다"),
        (BothDerivativesWrong.apply, "Neither autograd's gradient nor double backward", "맞지 않습니다"),
    ],
)
def test_double_backward_is_judged_by_the_differences(
    f: Any, words_en: str, words_ko: str, both_languages: str
) -> None:
    language(both_languages)
    explorer = explore_second({"f": f}, x=5.0, h=0.001, derivative="second")
    assert {"en": words_en, "ko": words_ko}[both_languages] in messages(explorer)
    page = explorer.words() + explorer.legend.value + explorer.alt()
    page = re.sub("<style>.*?</style>|<[^>]*>", " ", page, flags=re.S)
    assert "오차" not in page
    assert "error" not in page


@pytest.mark.parametrize(
    "f", [torch.sin, torch.relu, torch.exp, lambda x: (x - 5).abs(), lambda x: 2 * x, F.gelu]
)
def test_right_second_derivatives_and_kinks_get_no_warning(f: Any) -> None:
    assert messages(explore_second({"f": f}, x=5.0, h=0.001, derivative="second")) == ""


# Numbers that are not finite


NONFINITE_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "sqrt": torch.sqrt,
    "acos": torch.acos,
    "1/x": lambda x: 1 / x,
    "root of a square": lambda x: torch.sqrt(x**2),
    "where": lambda x: torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x)),
    "x log x": lambda x: x * torch.log(x),
    "steep": lambda x: torch.exp(500 * x),
}


@pytest.mark.whole
@pytest.mark.parametrize("options", [{"x": 0.0}, {"x": 1.0}, {"x": 0.0, "h": 1e-15}], ids=str)
@pytest.mark.parametrize("kind", kind_cases(KINDS))
def test_every_nan_or_inf_shown_is_explained(kind: Kind, options: dict[str, float]) -> None:
    for name, f in NONFINITE_FUNCTIONS.items():
        explorer = kind.explore_function(f, x_range=(-1.0, 2.0), **options)
        if explorer.has_content and not all(map(words.is_finite, explorer.rows())):
            assert explorer.reading.problems or "<p>" in explorer.words(), name


def test_chain_explains_inf_times_0(both_languages: str) -> None:
    language(both_languages)
    text = messages(explore_chain([("y", torch.sqrt), ("z", torch.square)], x=0.0))
    assert "inf" in text
    assert "nan" in text
    assert "inf" in messages(explore_chain([("y", torch.sqrt), ("z", torch.sin)], x=0.0))


# Forward and reverse mode


def stop_reverse_mode(x: Tensor) -> Tensor:
    with torch.no_grad():
        a = x[0] * x[1]
    return torch.stack([a * x[0], x[1] ** 2])


def test_remark_says_that_no_grad_stops_only_reverse_mode(both_languages: str) -> None:
    language(both_languages)
    text = messages(explore_arrows(stop_reverse_mode))
    assert "no_grad" in text
    assert {"en": "goes to the product of forward mode", "ko": "순방향 모드의 값으로"}[both_languages] in text


@pytest.mark.parametrize(
    "f", [lambda x: x**2, lambda x: torch.stack([x[0].detach() * x[1], x[0]]), torch.sin]
)
def test_arrows_show_no_remark_if_forward_and_reverse_mode_agree(f: Any) -> None:
    assert "no_grad" not in messages(explore_arrows(f))


# Jumps


@pytest.mark.whole
@pytest.mark.parametrize(
    ("f", "jumps"),
    [
        (torch.round, 8),
        (lambda x: torch.floor(3 * x), 27),
        (lambda x: 1 / (x - math.pi), 1),
        (lambda x: x if x < 5 else x + 3, 1),
        (lambda x: torch.tanh(50 * (x - 5)), 0),
        (lambda x: torch.sqrt((x - 5).abs()), 0),
        (torch.relu, 0),
        (lambda x: torch.sin(50 * x), 0),
        (lambda x: x * 0 + 1, 0),
    ],
)
def test_curve_has_a_gap_at_each_jump_and_nowhere_else(f: Any, jumps: int) -> None:
    _, y = explore({"f": f}).subject.by_dtype["float64"].curve("f")
    assert np.isnan(y).sum() == jumps
