"""A replacement for `backward(inputs=[x])`, for functions that do not support the argument `inputs`.

`torch.utils.checkpoint.checkpoint(..., use_reentrant=True)` calls backward() inside the backward pass, and
raises an error if the outer call was given `inputs`. This module therefore calls backward() without `inputs`.
That call also adds to the .grad of every other leaf, such as a model's weights, so the module restores those
gradients.
"""

import contextlib
from collections import deque
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import CheckpointFunction

from secant.graph import nodes


def is_needed(result: Tensor) -> bool:
    """Return whether the graph of a result contains a reentrant checkpoint."""
    return any(
        getattr(node, "_forward_cls", None) is CheckpointFunction for node in nodes_behind(result.grad_fn)
    )


def has_own_backward(result: Tensor) -> bool:
    """Return whether a result's graph contains a backward function written in Python.

    Such a function may itself call backward().
    """
    return any(map(nodes.is_custom, nodes_behind(result.grad_fn)))


def run(result: Tensor, leaf: Tensor) -> None:
    """Call backward() on a result, but let only the given leaf keep its new gradient."""
    with leaves_restored(leaf, result):
        result.backward()


@contextlib.contextmanager
def leaves_restored(leaf: Tensor, result: Tensor) -> Iterator[None]:
    """Restore the .grad of every leaf that is in a result's graph or is read in the block, except one.

    Args:
        leaf: the leaf that keeps its new gradient.
        result: the tensor whose graph is searched for leaves.
    """
    leaves = _Leaves()
    for node in nodes_behind(result.grad_fn):
        if node.name() == nodes.ACCUMULATOR:
            leaves.note(node.variable)
    try:
        with leaves:
            yield
    finally:
        for other, gradient, numbers in leaves.records.values():
            if other is not leaf:
                if gradient is not None and numbers is not None:
                    gradient.copy_(numbers)
                other.grad = gradient


class _Leaves(TorchDispatchMode):
    """A dispatch mode that records each leaf that an operation reads, with its .grad.

    Attributes:
        records: the leaves, keyed by id, each with its .grad and a copy of that .grad's values.
    """

    def __init__(self) -> None:
        super().__init__()
        self.records: dict[int, tuple[Tensor, Tensor | None, Tensor | None]] = {}

    def note(self, leaf: Tensor) -> None:
        gradient = leaf.grad
        copy = None if gradient is None else gradient.detach().clone()
        self.records.setdefault(id(leaf), (leaf, gradient, copy))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for value in tree_leaves((args, kwargs)):
            if isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
                self.note(value)
        return func(*args, **(kwargs or {}))


def nodes_behind(root: Any) -> list[Any]:
    """Return a node and all nodes that can be reached from it, breadth first. For None, return no nodes."""
    if root is None:
        return []
    visited, queue = {root: None}, deque([root])
    while queue:
        for parent, _ in queue.popleft().next_functions:
            if parent is not None and parent not in visited:
                visited[parent] = None
                queue.append(parent)
    return list(visited)
