"""Small engines, right or with one bug: lesson 10's students write the test that tells them apart.

Each goes back over what torch has recorded and asks torch for every slope. So no method of an engine is an
answer to a task of the lesson: its Values have neither parents nor slopes, and its backward() needs a graph
of torch's. Its walk can still be made into an answer, as docs/trust.md says.
"""

from collections import deque
from graphlib import TopologicalSorter
from typing import Any, Literal, Self

import torch
from torch.autograd.graph import get_gradient_edge

from secant.value import TorchValue

Bug = Literal["none", "assign", "breadth", "kept"]
Where = Literal["all", "leaves", "inner"]


def engine(
    bug: Bug = "none",
    where: Where = "all",
    *,
    itself: bool = False,
    turned: bool = False,
    merged: bool = False,
) -> type[Any]:
    """Return a class of Values that has all operations of lesson 10, and a backward().

    Args:
        bug: "assign" lets what arrives replace what is there; "breadth" goes through the graph breadth first;
            "kept" does not reset intermediate values.
        where: whose `grad` "assign" replaces: that of all, of leaves, or of intermediate values.
        itself: "kept" does not reset the Value either whose backward() is called.
        turned: take the parents of a Value from right to left.
        merged: let a + a and a * a have one parent, with the slope of the whole.
    """

    order_of = _breadth_first if bug == "breadth" else _parents_last
    resets = bug != "kept"
    replaced = {"all": (True, False), "leaves": (False,), "inner": (True,)}[where] if bug == "assign" else ()
    grads: dict[Any, float] = {}  # by torch's node

    class Engine(TorchValue):
        def __init__(self, data: float, tensor: torch.Tensor | None = None) -> None:
            super().__init__(data, tensor)
            self.node = get_gradient_edge(self.tensor).node

        @property
        def grad(self) -> float:
            return grads.get(self.node, 0.0)

        @grad.setter
        def grad(self, number: float) -> None:
            grads[self.node] = float(number)

        def __add__(self, other: Any) -> Self:
            return self * 2.0 if merged and other is self else super().__add__(other)

        def __mul__(self, other: Any) -> Self:
            return self**2 if merged and other is self else super().__mul__(other)

        def backward(self) -> None:
            order = order_of(self.node, turned)
            emptied = [node for node in order if _parents(node)] if resets else []
            if _parents(self.node) and not itself:
                emptied.append(self.node)
            grads.update(dict.fromkeys(emptied, 0.0))
            self.grad += 1.0
            for node in order:
                for parent, part in _passed_on(node, grads[node]):
                    held = 0.0 if bool(_parents(parent)) in replaced else grads.get(parent, 0.0)
                    grads[parent] = held + part

    return Engine


def _parents(node: Any) -> list[Any]:
    return [parent for parent, _ in node.next_functions if parent is not None]


def _passed_on(node: Any, arrived: float) -> list[tuple[Any, float]]:
    """Return each parent of a node of torch with what torch passes on to it; nothing for a leaf."""
    if not _parents(node):
        return []
    with torch.no_grad():
        parts = node(torch.tensor(arrived, dtype=torch.float64))
    found = zip(node.next_functions, parts if isinstance(parts, tuple) else (parts,), strict=True)
    return [(parent, part.item()) for (parent, _), part in found if parent is not None]


def _breadth_first(node: Any, turned: bool) -> list[Any]:
    found, queue = {node: None}, deque([node])
    while queue:
        for parent in _parents(queue.popleft())[:: -1 if turned else 1]:
            if parent not in found:
                found[parent] = None
                queue.append(parent)
    return list(found)


def _parents_last(node: Any, turned: bool) -> list[Any]:
    """Return the nodes by the longest path to each."""
    found = _breadth_first(node, turned)
    longest = dict.fromkeys(found, 0)
    parents_first = TopologicalSorter({one: _parents(one) for one in found}).static_order()
    for one in reversed(list(parents_first)):
        for parent in _parents(one):
            longest[parent] = max(longest[parent], longest[one] + 1)
    return sorted(found, key=longest.__getitem__)
