"""A whole backward() in place of one that is limited to x, for functions that allow no other.

`torch.utils.checkpoint.checkpoint(..., use_reentrant=True)` runs a backward() inside the backward pass, and
refuses if the outer one was given `inputs`. A whole backward() also adds to the .grad of every other leaf,
such as a model's weights, so those gradients are put back.
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
    """Return whether a reentrant checkpoint lies behind a result."""
    return any(
        getattr(node, "_forward_cls", None) is CheckpointFunction for node in nodes_behind(result.grad_fn)
    )


def has_own_backward(result: Tensor) -> bool:
    """Return whether a backward in Python lies behind a result; it may call backward() itself."""
    return any(map(nodes.is_own, nodes_behind(result.grad_fn)))


def run(result: Tensor, leaf: Tensor) -> None:
    """Call a result's backward(); of all leaves only the one given keeps a new gradient."""
    with leaves_restored(leaf, result):
        result.backward()


@contextlib.contextmanager
def leaves_restored(leaf: Tensor, result: Tensor) -> Iterator[None]:
    """Put back the .grad of each leaf behind a result or read inside, except the one given."""
    leaves = _Leaves()
    for node in nodes_behind(result.grad_fn):
        if node.name() == nodes.ACCUMULATOR:
            leaves.note(node.variable)
    try:
        with leaves:
            yield
    finally:
        for other, gradient, numbers in leaves.seen.values():
            if other is not leaf:
                if gradient is not None and numbers is not None:
                    gradient.copy_(numbers)
                other.grad = gradient


class _Leaves(TorchDispatchMode):
    """Notes each leaf that an operation reads, its .grad, and a copy of that.

    Attributes:
        seen: by the leaf's id.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, tuple[Tensor, Tensor | None, Tensor | None]] = {}

    def note(self, leaf: Tensor) -> None:
        gradient = leaf.grad
        copy = None if gradient is None else gradient.detach().clone()
        self.seen.setdefault(id(leaf), (leaf, gradient, copy))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for value in tree_leaves((args, kwargs)):
            if isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
                self.note(value)
        return func(*args, **(kwargs or {}))


def nodes_behind(root: Any) -> list[Any]:
    """Return a node and those that it leads back to, breadth first; none for None."""
    if root is None:
        return []
    found, queue = {root: None}, deque([root])
    while queue:
        for parent, _ in queue.popleft().next_functions:
            if parent is not None and parent not in found:
                found[parent] = None
                queue.append(parent)
    return list(found)
