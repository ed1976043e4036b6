"""Graphs on which students' answers are tested, built from plain data that holds no expected value."""

import importlib
import random
import sys
import weakref
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from types import FrameType
from typing import Any

import torch
from torch import nn

from secant.checking.draws import draw
from secant.checking.functions import formula
from secant.language import say

Edge = tuple[Hashable, Hashable, float]

#: The code object of the function with which Python loads a module that is imported for the first time.
_FIND_AND_LOAD = importlib._bootstrap._find_and_load.__code__  # type: ignore[attr-defined]

_UNARY, _BINARY = ("sin", "exp", "neg", "clone", "tanh", "detach", "untracked cos"), ("add", "mul", "sub")


def leaf(value: Any, dtype: torch.dtype | None = None, grad: float | None = None) -> torch.Tensor:
    """Return a new tracked leaf with these numbers; its .grad is filled with `grad`, or None by default."""
    tensor = torch.as_tensor(value, dtype=dtype).detach().clone().requires_grad_()
    tensor.grad = None if grad is None else torch.full_like(tensor, grad)
    return tensor


def strided(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor with the same numbers, spaced out in memory like those of a slice.

    The gap between two rows is wider than the gap between two elements of a row, so that `view(-1)` fails.
    """
    spaced = torch.stack([value, torch.full_like(value, 99)], -1)
    if value.ndim == 0:
        return spaced[0]
    wide = torch.nn.functional.pad(spaced.flatten(-2), (0, 1), value=99)
    return wide[..., :-1:2]


def arranged(value: torch.Tensor, kind: str) -> torch.Tensor:
    """Return these numbers as a tracked leaf with a .grad of 7, or as a tensor with an unusual layout.

    Args:
        value: the numbers; for "expanded" they must repeat along one or more dimensions.
        kind: one of the kinds that `arrangement` lists.
    """
    match kind:
        case "tracked":
            return leaf(value, grad=7.0)
        case "slice":
            return strided(value)
        case "expanded":
            part = value
            for dim in range(value.ndim):
                first = part.narrow(dim, 0, min(1, part.shape[dim]))
                part = first if torch.equal(first.expand_as(part), part) else part
            return part.expand(value.shape)
        case "transposed":
            reversed_dims = tuple(range(value.ndim)[::-1])
            return value.permute(reversed_dims).contiguous().permute(reversed_dims)
    return value


def arrangement(kind: str, name: str = "x") -> str:
    """Return the phrase that a message adds to the call to describe the layout of an `arranged` tensor."""
    return {
        "": "",
        "tracked": say(en=f", {name} tracked", ko=f", 추적되는 {name}"),
        "slice": say(en=f", {name} a slice", ko=f", 잘라 낸 {name}"),
        "expanded": say(en=f", {name} expanded", ko=f", expand한 {name}"),
        "transposed": say(en=f", {name} transposed", ko=f", 전치한 {name}"),
        "empty": say(en=f", {name} without elements", ko=f", 원소가 없는 {name}"),
    }[kind]


def filled(module: nn.Module, numbers: torch.Tensor, grad: float | None = None) -> nn.Module:
    """Convert a module to the numbers' dtype, fill its parameters with the numbers, and return the module.

    Args:
        module: any module, which is changed in place.
        numbers: a one-dimensional tensor with as many numbers as the parameters hold, in their order.
        grad: the number that fills each parameter's .grad; by default .grad is None.
    """
    module = module.to(numbers.dtype)
    nn.utils.vector_to_parameters(numbers.clone(), module.parameters())
    for parameter in module.parameters():
        parameter.grad = None if grad is None else torch.full_like(parameter, grad)
    return module


def program(inputs: Sequence[str], steps: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Return the code for tensors x0, x1, ..., keyed by name: first the inputs, then the steps' results.

    Args:
        inputs: the kind of each input: "leaf", "parameter", "constant", or "twin", a leaf that shares the
            memory of the previous input.
        steps: for each step, the name of a torch function, then the indices of the tensors that it takes. If
            "untracked " precedes the name, the function is called without recording a graph.
    """
    kinds = {
        "leaf": "torch.ones(2, requires_grad=True)",
        "parameter": "nn.Parameter(torch.ones(2))",
        "constant": "torch.ones(2)",
    }
    codes = [kinds.get(kind, f"x{place - 1}.detach().requires_grad_()") for place, kind in enumerate(inputs)]
    for name, *places in steps:
        operation = f"torch.{name.removeprefix('untracked ')}"
        function = operation if not name.startswith("untracked ") else f"torch.no_grad()({operation})"
        codes.append(f"{function}({', '.join(f'x{place}' for place in places)})")
    return {f"x{place}": code for place, code in enumerate(codes)}


def draw_program(kinds: Sequence[str], others: int, count: int) -> tuple[list[str], list[list[Any]]]:
    """Return the inputs and the steps of a random `program`.

    The first input is a leaf. There are `others` further inputs, and their kinds are chosen at random from
    `kinds`. There are `count` random steps, some of which record no graph. Some results are used often,
    others never. The final step adds x0.
    """
    rng = random.Random(int(draw(0, 1000) * 1000))
    inputs, steps = ["leaf", *rng.choices(kinds, k=others)], []
    for place in range(len(inputs), len(inputs) + count):
        names, operand_count = (_UNARY, 1) if rng.random() < 0.35 else (_BINARY, 2)
        steps.append([rng.choice(names), *rng.sample(range(max(0, place - 6), place), operand_count)])
    return inputs, [*steps, ["add", 0, len(inputs) + count - 1]]


def edges(pairs: str, *slopes: float) -> list[Edge]:
    """Return edges (start, end, slope) between nodes named by letters.

    For example, `edges("xy yz", 2.0, 3.0)` returns one edge from x to y and one from y to z.
    """
    return [(pair[0], pair[1], slope) for pair, slope in zip(pairs.split(), slopes, strict=True)]


def chain(nodes: Sequence[Hashable], slopes: Sequence[float]) -> list[Edge]:
    """Return the edges (start, end, slope) of a chain that goes through the nodes in the given order."""
    return list(zip(nodes, nodes[1:], slopes, strict=False))


def diamonds(slopes: Sequence[Sequence[float]]) -> list[Edge]:
    """Return the edges of a row of diamonds, from node 0 to node len(slopes), with two paths through each.

    Each diamond has four slopes: two from its start, up and down, then two from these nodes to its end.
    """
    edges: list[Edge] = []
    for k, (up, down, left, right) in enumerate(slopes):
        edges += [(k, (k, 0), up), (k, (k, 1), down), ((k, 0), k + 1, left), ((k, 1), k + 1, right)]
    return edges


def drawn(size: int, seed: float) -> tuple[list[Edge], list[int]]:
    """Return the shuffled edges of a random acyclic graph, and its nodes in topological order.

    Some pairs of nodes have no edge, some have two. The same seed gives the same graph.
    """
    rng = random.Random(seed)
    nodes = rng.sample(range(100), size)
    pairs = [pair for pair in combinations(nodes, 2) for _ in range(rng.choice((0, 1, 1, 2)))]
    return [(*pair, round(rng.uniform(-2, 2), 2)) for pair in rng.sample(pairs, len(pairs))], nodes


class _Shared(list[Any]):
    """A list that stays shared when its owner is deep-copied, so that a copy adds to the same records."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Shared":
        return self


class Spy(nn.Module):
    """A model that records how it, or a deep copy of it, is used.

    Args:
        text: the formula for the result, in terms of X, torch and the parameters: "X @ w.T + b".
        **parameters: tensors; those that require grad become tracked parameters, the others stay untracked.

    Attributes:
        log: the events in order: for each call, the number of rows of X, and for each gradient that reaches a
            call's result, "backward".
        modes: the value of `training` at each call.
        held: for each call, how many graphs of earlier calls were still in memory.
    """

    def __init__(self, text: str, **parameters: torch.Tensor) -> None:
        super().__init__()
        for name, value in parameters.items():
            tracked = value.requires_grad
            self.register_parameter(name, nn.Parameter(value.detach().clone(), requires_grad=tracked))
        self._text = text
        self.log: list[int | str] = _Shared()
        self.modes: list[bool] = _Shared()
        self.held: list[int] = _Shared()
        self._marker_references: list[weakref.ref[torch.Tensor]] = _Shared()

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Record the call, and evaluate the formula with the input X."""
        self.modes.append(self.training)
        self.held.append(sum(marker_reference() is not None for marker_reference in self._marker_references))
        self.log.append(len(X) if X.ndim > 1 else 1)
        result: torch.Tensor = formula(self._text, X=X, **dict(self.named_parameters()))(None)
        if result.requires_grad:
            # The multiplication saves this marker for the backward pass. When the marker is freed, so is
            # everything else that the graph saves.
            marker = result.new_ones(())
            self._marker_references.append(weakref.ref(marker))
            result = result * marker
            result.register_hook(lambda gradient: self.log.append("backward"))
        return result


class limit_steps:
    """Raise TimeoutError in a with statement's body if its calls take more than `limit` Python steps.

    Steps are counted instead of seconds, so that a slow computer does not fail an answer. The steps of an
    import do not count: the first `backward(gradient)` of a process imports sympy, and a module stays broken
    if its import is stopped.
    """

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit

    def __enter__(self) -> "limit_steps":
        self._previous_trace = sys.gettrace()
        sys.settrace(self._counter())
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._previous_trace)

    def _counter(self) -> Callable[[FrameType, str, Any], Any]:
        """Return the trace function for Python to call: a closure, because a method takes twice as long."""
        steps_left, is_importing = self._limit, False

        def trace_call(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal is_importing
            if is_importing:
                return None
            if frame.f_code is _FIND_AND_LOAD:
                is_importing = True
                return trace_import
            return trace_step(frame, event, argument)

        def trace_import(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal is_importing
            if event == "return":
                is_importing = False
            return trace_import

        def trace_step(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal steps_left
            steps_left -= 1
            if steps_left < 0 and frame.f_code is not limit_steps.__exit__.__code__:
                raise TimeoutError(
                    say(
                        en=f"It took more than {self._limit:,} steps of Python. Is there an endless loop?",
                        ko=f"파이썬 실행 단계가 {self._limit:,}번을 넘었습니다. 끝나지 않는 반복문인가요?",
                    )
                )
            return trace_step

        return trace_call
