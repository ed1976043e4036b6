"""Backward passes over what torch has recorded, in an order of their own: right, or wrong on purpose.

The tape is a flat list of torch's operations, the newest first. Each knows only its own slopes.
"""

import contextlib
import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference, plain_backward
from secant.explorers.kit.difference import Function, values
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.widget import Findings
from secant.graph import nodes
from secant.graph.nodes import ACCUMULATOR

Bug = Literal["none", "assign", "breadth", "kept"]
BUGS: tuple[Bug, ...] = get_args(Bug)
Buffers = dict[Any, dict[int, Tensor]]  # of each operation, by the number of its result


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    function: str
    bug: Bug
    calls: int
    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to, for S = calls times f. NaN where there is no number.

    `torch` and `engine` are the slopes that the two find, `right` that of the engine without a bug, and
    `limit` the one that the quotient approaches; `to_torch` and `to_engine` are the quotient's distances from
    the first two at each of the `steps`.
    """

    setting: Setting
    there: float
    heights: Range = (math.nan, math.nan)
    quotient: float = math.nan
    torch: float = math.nan
    engine: float = math.nan
    right: float = math.nan
    limit: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_torch: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_engine: np.ndarray = field(default_factory=lambda: np.empty(0))
    decades: Range = (1e-16, 1.0)

    @property
    def noise(self) -> float:
        """About how large the rounding error of the quotient is."""
        size = difference.largest(*self.heights)
        return difference.rounding(size, self.setting.x, self.torch, self.there - self.setting.x)


def gradient(f: Function, x: Tensor, bug: Bug = "none", calls: int = 1) -> Tensor:
    """Return what a leaf holds at each x after so many backward passes over one graph of f.

    Args:
        f: an elementwise function.
        x: the places.
        bug: "assign" puts what arrives in the place of what is there; "breadth" takes the operations breadth
            first; "kept" lets intermediate values keep what the pass before has left in them.
        calls: how many passes.

    Raises:
        FunctionProblem: if f fails, or the backward of one of its operations does.
    """
    leaf = x.detach().clone().requires_grad_()
    made: list[Tensor] = []

    def noted(t: Tensor) -> Tensor:
        made.append(f(t))
        return made[0]

    with torch.enable_grad():
        values(noted, leaf)  # which adds an operation of its own
    result, root = made[0], made[0].grad_fn
    if root is None:
        return torch.full_like(x, float(calls) if result is leaf else 0.0)
    tape = plain_backward.nodes_behind(root) if bug == "breadth" else _newest_first(root)
    buffers: Buffers = {}
    own = plain_backward.has_own_backward(result)
    with plain_backward.leaves_restored(leaf, result) if own else contextlib.nullcontext():
        for _ in range(calls):
            if bug != "kept":
                buffers = {node: held for node, held in buffers.items() if node.name() == ACCUMULATOR}
            buffers[root] = {result.output_nr: torch.ones_like(result)}
            _pass(tape, buffers, bug)
    found = next((held[0] for node, held in buffers.items() if getattr(node, "variable", None) is leaf), None)
    return torch.zeros_like(x) if found is None else found


def _pass(tape: list[Any], buffers: Buffers, bug: Bug) -> None:
    for node in tape:
        if node not in buffers or node.name() == ACCUMULATOR:
            continue
        arrived = [buffers[node].get(number) for number in range(nodes.count_of_results(node))]
        try:
            parts = nodes.fitted(node, nodes.ask(node, arrived))
        except Exception as error:  # a backward of the learner's own may raise anything
            what = difference.in_brief(error)
            raise difference.problem(
                en=f"The engine cannot go back through {node.name()}: {what}",
                ko=f"엔진이 {node.name()}에서 역방향으로 계산할 수 없습니다. {what}",
            ) from error
        for (parent, number), part in zip(node.next_functions, parts, strict=True):
            if parent is not None and part is not None:
                held = buffers.setdefault(parent, {})
                adds = number in held and bug != "assign"
                held[number] = held[number] + part if adds else part


def _newest_first(root: Any) -> list[Any]:
    """Return the operations in the order in which torch made them, turned round: parents come later."""
    return sorted(plain_backward.nodes_behind(root), key=lambda node: node._sequence_nr(), reverse=True)
