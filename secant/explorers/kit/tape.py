"""Backward passes over what torch has recorded, in an order of their own: right, or wrong on purpose.

The tape is a flat list of torch's operations, the newest first. Each knows only its own slopes.
"""

from collections import deque
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from secant.explorers.kit import difference
from secant.explorers.kit.difference import Function, values

Bug = Literal["none", "assign", "breadth", "kept"]
BUGS: tuple[Bug, ...] = get_args(Bug)
LEAF = "torch::autograd::AccumulateGrad"


def gradient(f: Function, x: Tensor, bug: Bug = "none", calls: int = 1) -> Tensor:
    """Return what a leaf holds at each x after so many backward passes over one graph of f.

    Args:
        f: an elementwise function.
        x: the places.
        bug: "assign" puts what arrives in the place of what is there; "breadth" takes the operations breadth
            first; "kept" lets intermediate values keep what the pass before has left in them.
        calls: how many passes.

    Raises:
        FunctionProblem: if f fails, or is made of an operation that cannot be asked alone.
    """
    leaf = x.detach().clone().requires_grad_()
    made: list[Tensor] = []

    def noted(t: Tensor) -> Tensor:
        made.append(f(t))
        return made[0]

    with torch.enable_grad():
        values(noted, leaf)  # which adds an operation of its own
    root = made[0].grad_fn
    if root is None:
        return torch.full_like(x, float(calls) if made[0] is leaf else 0.0)
    tape = _breadth_first(root) if bug == "breadth" else _newest_first(root)
    buffers: dict[Any, Tensor] = {}
    for _ in range(calls):
        if bug != "kept":
            buffers = {node: held for node, held in buffers.items() if node.name() == LEAF}
        buffers[root] = torch.ones_like(made[0])
        _pass(tape, buffers, bug)
    found = next((held for node, held in buffers.items() if getattr(node, "variable", None) is leaf), None)
    return torch.zeros_like(x) if found is None else found


def _pass(tape: list[Any], buffers: dict[Any, Tensor], bug: Bug) -> None:
    for node in tape:
        if node not in buffers or node.name() == LEAF:
            continue
        try:
            slopes = node(buffers[node])
        except Exception as error:  # an operation with several results, or one that is a class of Python
            what = difference.in_brief(error)
            raise difference.problem(
                en=f"The engine cannot go back through {node.name()}: {what}",
                ko=f"엔진이 {node.name()}에서 역방향으로 계산할 수 없습니다. {what}",
            ) from error
        parts = slopes if isinstance(slopes, tuple) else (slopes,)
        for (parent, _), part in zip(node.next_functions, parts, strict=False):
            if parent is not None and part is not None:
                adds = parent in buffers and bug != "assign"
                buffers[parent] = buffers[parent] + part if adds else part


def _newest_first(root: Any) -> list[Any]:
    """Return the operations in the order in which torch made them, turned round: parents come later."""
    return sorted(_breadth_first(root), key=lambda node: node._sequence_nr(), reverse=True)


def _breadth_first(root: Any) -> list[Any]:
    found, queue = {root: None}, deque([root])
    while queue:
        for parent, _ in queue.popleft().next_functions:
            if parent is not None and parent not in found:
                found[parent] = None
                queue.append(parent)
    return list(found)
