"""Tests that draw_graph shows backward()'s gradients, changes nothing, and reports what it leaves out."""

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.graph import register_multi_grad_hook, save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from secant import language
from secant.graph.draw import AutogradGraph, draw_graph
from secant.graph.effects import only_computes
from secant.graph.flow import numbers
from tests.support.suites import first_of

LOG: list[Any] = []  # entries that user code adds when it runs; drawing must add none


@pytest.fixture(autouse=True)
def _empty_log() -> Iterator[None]:
    before = language()
    language("en")
    LOG.clear()
    yield
    language(before)


def leaf(*values: float) -> Tensor:
    return torch.tensor(values[0] if len(values) == 1 else values, dtype=torch.float64, requires_grad=True)


class Scaled(Function):
    """An operation with numbers and words among its tensor arguments; one tensor needs no gradient."""

    @staticmethod
    def forward(ctx: Any, n: float, x: Tensor, word: str, fixed: Tensor, w: Tensor, m: int) -> Tensor:
        ctx.n = n * m
        ctx.save_for_backward(x, fixed, w)
        return ctx.n * x * fixed * w

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        x, fixed, w = ctx.saved_tensors
        return None, ctx.n * g * fixed * w, None, None, ctx.n * g * fixed * x, None


class Counting(Function):
    """An operation whose backward changes its ctx and a tensor that is stored there."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.calls, ctx.log, ctx.copy = 0, [], x.detach().clone()
        ctx.save_for_backward(x.detach() + 0)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        ctx.calls += 1
        ctx.log.append(g)
        ctx.copy.add_(1)
        return 2 * g * ctx.calls * len(ctx.log)


class Logging(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 3

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        LOG.append("backward")
        return 3 * g


class NoneForOne(Function):
    """An operation whose backward returns None for one of its inputs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g, None


class SinCos(Function):
    """An operation with two results, one of which may get no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return a * x.cos() - b * x.sin()


class SinCosOrNone(SinCos):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        return SinCos.forward(ctx, x)

    @staticmethod
    def backward(ctx: Any, a: Tensor | None, b: Tensor | None) -> Tensor:
        (x,) = ctx.saved_tensors
        return (x * 0 + 5 if a is None else a * x.cos()) - (x * 0 + 7 if b is None else b * x.sin())


def sum_elements(x: Tensor) -> Tensor:
    return x.sum() * torch.ones(2, dtype=torch.float64)


UNARY: list[Callable[[Tensor], Tensor]] = [
    torch.sin,
    torch.exp,
    lambda x: x * x,
    lambda x: x**2 + x,
    sum_elements,
    Counting.apply,
    lambda x: SinCos.apply(x)[0],
    lambda x: SinCos.apply(x)[1] * SinCos.apply(x)[0],
    lambda x: SinCosOrNone.apply(x)[1],
    lambda x: torch.stack([x, x.cos()]).unbind()[1],
    lambda x: torch.stack([x, x.cos()]).max(0).values,
    lambda x: x.repeat(3, 1).mean(0),
    lambda x: x.float().double(),
    lambda x: x.clone().mul_(2),
    lambda x: x.detach() * x,
    lambda x: x[0] * torch.ones(2, dtype=torch.float64) + x[[1, 0]],
]
IMPURE: list[Callable[[Tensor], Tensor]] = [
    Logging.apply,
    lambda x: checkpoint(torch.sin, x, use_reentrant=True),
    lambda x: checkpoint(torch.exp, x, use_reentrant=False),
]
BINARY: list[Callable[[Tensor, Tensor], Tensor]] = [
    torch.add,
    torch.mul,
    lambda x, y: Scaled.apply(0.5, x, "word", torch.full((2,), 1.5, dtype=torch.float64), y, 2),
    NoneForOne.apply,
    lambda x, y: torch.where(x > y, x, y),
]
PURE_HOOKS: list[Callable[..., Any]] = [
    lambda g: 10 * g,
    lambda g: g.clamp(-0.5, 0.5),
    lambda g: None,
    lambda g: print(g),
    lambda g: g.mul_(2) and None if g.numel() == 1 else None,
]
IMPURE_HOOKS: list[Callable[..., Any]] = [lambda g: LOG.append("hook"), LOG.append]


def node_hook(inputs: Any, outputs: Any) -> Any:
    return tuple(None if g is None else 3 * g for g in inputs)


def node_prehook(outputs: Any) -> Any:
    return tuple(None if g is None else g + 1 for g in outputs)


def random_program(dice: random.Random, impure: bool) -> tuple[dict[str, Tensor], list[Tensor]]:
    """Return the named tensors of a random program, and others that are kept alive without a name."""
    tensors = {f"x{i}": leaf(*(dice.uniform(-1, 1) for _ in range(2))) for i in range(3)}
    results, unnamed = [*tensors.values()], []
    for k in range(dice.randint(2, 9)):
        if dice.random() < 0.55:
            result = dice.choice(UNARY + IMPURE * (impure and k % 3 == 0))(dice.choice(results))
        else:
            result = dice.choice(BINARY)(dice.choice(results), dice.choice(results))
        results.append(result)
        hook = dice.choice(PURE_HOOKS + IMPURE_HOOKS * impure)
        chance = dice.random()
        if not result.requires_grad or chance < 0.5:
            pass
        elif chance < 0.7:
            result.register_hook(hook)
        elif chance < 0.75:
            result.grad_fn.register_hook(node_hook)
        elif chance < 0.8:
            result.grad_fn.register_prehook(node_prehook)
        elif chance < 0.85:
            dice.choice([*tensors.values()]).register_hook(hook)
        elif chance < 0.9:
            result.retain_grad()
            unnamed.append(result)
        elif chance < 0.95:
            register_multi_grad_hook([result, *tensors.values()], lambda gs: LOG.append(len(gs)))
        else:
            tensors[f"t{k}"] = result
    tensors["z"] = (results[-1] + results[-2]).sum()
    return tensors, unnamed


def drawn_gradients(graph: AutogradGraph) -> dict[str, str]:
    """Return the drawn gradients of named tensors, by name.

    Nodes with several names, gradients or results are left out.
    """
    result = {}
    for node in graph.nodes:
        names = [node.leaf.split()[0]] if node.leaf else [tag.split()[0] for tag in node.tensors]
        facts = [fact.text for fact in node.facts if fact.kind == "gradient"]
        if len(names) == 1 and len(facts) == 1 and len(node.shapes) < 2:
            result[names[0]] = facts[0]
    return result


@pytest.mark.parametrize("impure", [False, True])
@pytest.mark.parametrize("seed", first_of(range(40), 1))
def test_drawn_gradients_of_a_random_program_are_those_of_backward(seed: int, impure: bool) -> None:
    dice = random.Random(f"{seed} {impure}")
    for _ in range(3):
        tensors, unnamed = random_program(dice, impure)
        graph = draw_graph(gradients=True, slopes=True, **tensors)
        assert LOG == []
        grad_tensors = [
            tensor for tensor in (*tensors.values(), *unnamed) if tensor.is_leaf or tensor.retains_grad
        ]
        assert all(tensor.grad is None for tensor in grad_tensors)
        assert str(draw_graph(gradients=True, slopes=True, **tensors)) == str(graph)
        drawn_values = drawn_gradients(graph)
        for tensor in tensors.values():
            if not tensor.is_leaf:
                tensor.retain_grad()
        outputs = [tensors[node.tensors[0].split()[0]] for node in graph.nodes if node.output]
        try:
            torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])
        except (RuntimeError, TypeError, AttributeError):  # for example, from a hook that receives None
            drawn_values = {}
        LOG.clear()
        leaf_names = {name for node in graph.nodes for name in ([node.leaf.split()[0]] if node.leaf else [])}
        for name, tensor in tensors.items():
            if name in drawn_values:
                assert drawn_values[name] == numbers_of(tensor.grad), (name, str(graph))
            elif name in leaf_names and tensor.grad is not None:
                assert graph.snapshot.troubles, (name, str(graph))


def numbers_of(gradient: Tensor | None) -> str:
    return "None" if gradient is None else numbers(gradient)


def gradients(**tensors: Tensor) -> dict[str, str]:
    return drawn_gradients(draw_graph(gradients=True, slopes=True, **tensors))


def test_arguments_that_are_not_tensors_keep_their_place() -> None:
    x, w = leaf(2.0), leaf(3.0)
    z = Scaled.apply(10.0, x, "word", torch.tensor(1.5), w, 1)
    graph = draw_graph(slopes=True, gradients=True, z=z, x=x, w=w)
    assert drawn_gradients(graph) == {"z": "1", "x": "45", "w": "30"}
    assert [str(fact) for fact in graph.nodes[0].facts[1:]] == ["slope to x = 45", "slope to w = 30"]


def test_hook_of_a_freed_tensor_is_included() -> None:
    x = leaf(2.0)

    def with_hook() -> Tensor:
        y = x * 3
        y.register_hook(lambda g: 10 * g)
        return y + 1

    assert gradients(z=with_hook() ** 2, x=x)["x"] == "420"


def test_a_backward_that_writes_into_its_ctx_runs_on_a_copy() -> None:
    x = leaf(2.0)
    z = Counting.apply(x) ** 2
    assert gradients(z=z, x=x)["x"] == "16"
    assert gradients(z=z, x=x)["x"] == "16"
    z.backward()
    assert x.grad is not None
    assert x.grad.item() == 16


def test_a_partial_sum_is_never_drawn_as_the_gradient() -> None:
    x = leaf(2.0)
    assert "x" not in gradients(z=Logging.apply(x) + x, x=x)


MESSAGES = {
    "custom": ("does not run it", "실행하지 않습니다"),
    "packed": ("packed by a hook or recomputed", "checkpoint가 다시 계산합니다"),
    "hook": ("does not call it", "호출하지 않습니다"),
    "accumulated": ("the one that is added", "더해지는 값"),
}


def omitted_cases() -> dict[str, tuple[Tensor, str, str]]:
    """Return results that drawing cannot follow completely, the kind of trouble, and the node with it."""

    def with_hook(hook: Callable[..., Any], method: str) -> Tensor:
        y = x * 3
        getattr(
            y.grad_fn if "node" in method else y,
            {"node": "register_hook"}.get(method, method.removeprefix("node ")),
        )(hook)
        return y + 1

    x = leaf(2.0)
    hooked_leaf = leaf(2.0)
    hooked_leaf.register_post_accumulate_grad_hook(lambda t: LOG.append(t.grad))

    def unpack(t: Tensor) -> Tensor:
        LOG.append(t)
        return t

    with saved_tensors_hooks(lambda t: t, unpack):
        packed_result = x.exp()

    def backward_inside(t: Tensor) -> Tensor:
        return Reentrant.apply(t)

    return {
        "own backward that logs": (Logging.apply(x), "custom", "LoggingBackward"),
        "reentrant checkpoint": (
            checkpoint(torch.sin, x, use_reentrant=True),
            "custom",
            "CheckpointFunctionBackward",
        ),
        "own backward that calls backward": (backward_inside(x), "custom", "ReentrantBackward"),
        "checkpoint": (checkpoint(torch.exp, x, use_reentrant=False) + 1, "packed", "ExpBackward0"),
        "logging unpack hook": (packed_result + 1, "packed", "ExpBackward0"),
        "logging hook": (with_hook(lambda g: LOG.append(g), "register_hook"), "hook", "MulBackward0"),
        "logging node hook": (with_hook(lambda i, o: LOG.append(o), "node"), "hook", "MulBackward0"),
        "logging prehook": (
            with_hook(lambda o: LOG.append(o), "node register_prehook"),
            "hook",
            "MulBackward0",
        ),
        "hook after .grad": (hooked_leaf * 2, "accumulated", "leaf"),
    }


class Reentrant(Function):
    """A user's own kind of checkpoint: its backward calls backward(), which fills .grad."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            x.sin().backward(g)
        assert x.grad is not None
        return x.grad


@pytest.mark.parametrize("name", omitted_cases())
def test_backward_code_with_possible_side_effects_is_named_and_not_called(
    name: str, both_languages: str
) -> None:
    result, trouble, node_name = omitted_cases()[name]
    LOG.clear()
    language(both_languages)
    text = str(draw_graph(gradients=True, slopes=True, z=result))
    assert LOG == []
    assert MESSAGES[trouble][both_languages == "ko"] in text
    assert node_name in text or node_name == "leaf"
    result.backward()


def test_saved_tensors_that_a_harmless_hook_packed_are_unpacked() -> None:
    x = leaf(2.0)
    with saved_tensors_hooks(lambda t: t.to(torch.bfloat16), lambda t: t.double()):
        y = x**2
    with save_on_cpu():
        z = y**2
    assert gradients(z=z, x=x)["x"] == "32"


def test_error_that_stops_the_engine_is_shown_in_the_graph() -> None:
    class TooManyGradients(Scaled):
        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return g, g

    graph = draw_graph(
        gradients=True, z=TooManyGradients.apply(1.0, leaf(1.0), "", torch.ones(()), leaf(1.0), 1)
    )
    assert "raised an error" in str(graph)


def pure_functions() -> dict[str, Callable[..., Any]]:
    mask, factor = torch.ones(2), 3.0

    @torch.no_grad()
    def mask_without_grad(g: Tensor) -> Tensor:
        return helper(g) * mask

    def scale_all(g: Tensor) -> list[Tensor]:
        scale = 2.0

        def scale_next(t: Tensor) -> Tensor:
            nonlocal scale
            scale += 1
            return t * scale

        return [scale_next(t) for t in g]

    return {
        "lambda": lambda g: factor * g,
        "tensor read": lambda g: torch.where(g > 0, g * mask, 0.0),
        "copy written": lambda g: g.mul_(2),
        "printed": lambda g: print(g, torch.is_grad_enabled()),
        "helper": helper,
        "no_grad": mask_without_grad,
        "inner functions": scale_all,
        "builtin": torch.neg,
        "method": Tensor.neg,
        "partial": functools.partial(torch.mul, other=2),
        "once": torch.autograd.function.once_differentiable(Scaled.backward),
        "torch.nn": lambda g: torch.nn.functional.normalize(g, dim=0),
    }


def helper(g: Tensor, n: int = 2) -> Tensor:
    return g * n


STATE = {"calls": 0}


def impure_functions() -> dict[str, Callable[..., Any]]:
    mask, values, calls = torch.ones(2), [], 0
    model = torch.nn.Linear(2, 2)

    def count_call(g: Tensor) -> None:
        nonlocal calls
        calls += 1

    def write_global(g: Tensor) -> None:
        STATE["calls"] += 1

    def append_to_default(g: Tensor, values: list[Any] = []) -> None:  # noqa: B006
        values.append(g)

    def write_class(g: Tensor) -> None:
        Scaled.calls = 1  # type: ignore[attr-defined]

    return {
        "list": lambda g: values.append(g),
        "global": write_global,
        "nonlocal": count_call,
        "default": append_to_default,
        "class": write_class,
        "tensor written": lambda g: mask.mul_(g),
        "model": lambda g: model(g),
        "random": lambda g: g + torch.randn(2),
        "seed": lambda g: torch.manual_seed(0),
        "file": lambda g: open("x", "w"),
        "through another": lambda g: count_call(g),
        "object": torch.nn.ReLU(),
        "bound": [].append,
        "no_grad": torch.no_grad()(write_global),
        "once": torch.autograd.function.once_differentiable(Logging.backward),
        "partial": functools.partial(count_call, torch.ones(1)),
        "partial with state": functools.partial(helper, n=values),
    }


@pytest.mark.parametrize("name", pure_functions())
def test_custom_function_that_only_computes_is_recognised(name: str) -> None:
    assert only_computes(pure_functions()[name])


@pytest.mark.parametrize("name", impure_functions())
def test_custom_function_with_possible_side_effects_is_not_called(name: str) -> None:
    assert not only_computes(impure_functions()[name])


class ZerosTensor(torch.Tensor):
    """A tensor subclass for which every torch function returns a tensor of zeros."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return torch.zeros(3)


def test_overriding_tensor_subclass_elsewhere_changes_no_drawn_gradient() -> None:
    subclass_tensor = torch.ones(3).as_subclass(ZerosTensor)
    x = leaf(2.0)
    x.register_hook(lambda g: 2 * g)
    assert gradients(y=x**2, x=x)["x"] == "8"
    assert type(subclass_tensor) is ZerosTensor
