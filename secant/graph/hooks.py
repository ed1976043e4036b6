"""A search for the hooks of a graph's nodes that calls none of these hooks.

PyTorch keeps hooks in dictionaries but offers no list of them, and a hook outlives the last reference to its
tensor. This module therefore finds the dictionaries among all objects that the garbage collector tracks, and
temporarily replaces the hooks with listeners. The engine is then asked for each node's gradient with respect
to that same node. This triggers only the listeners for the hooks on that node's results.
"""

import contextlib
import gc
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import GradientEdge
from torch.utils.hooks import RemovableHandle

from secant.graph.nodes import ACCUMULATOR, count_of_results, gradient_of_ones

Hook = Callable[..., Any]
HookTable = dict[int, Hook]


@dataclass(frozen=True)
class Hooks:
    """The hooks of one node; each list is in the order in which the hooks are called.

    Attributes:
        results: the hooks on the node's result tensors, each hook with the index of its result.
        before: the hooks that run before the node.
        after: the hooks that run after the node.
        accumulated: the hooks that run after the gradient has been added to a leaf's .grad.
    """

    results: list[tuple[int, Hook]] = field(default_factory=list)
    before: list[Hook] = field(default_factory=list)
    after: list[Hook] = field(default_factory=list)
    accumulated: list[Hook] = field(default_factory=list)


def hooks_of(nodes: Sequence[Any]) -> list[Hooks]:
    """Return the hooks of each node."""
    if not RemovableHandle.next_id:  # no hook was ever registered, so skip the search through all objects
        return [Hooks() for _ in nodes]
    objects = gc.get_objects()
    tables: list[HookTable] = [
        table for table in objects if type(table) is OrderedDict and _holds_hooks(table)
    ]
    if not tables:
        return [Hooks() for _ in nodes]
    with _protected_grads(objects), _listeners(tables) as called_hooks:
        results = [_hooks_called_at(node, called_hooks) for node in nodes]
    return [
        Hooks(
            result_hooks,
            _registered_hooks(node.register_prehook),
            _registered_hooks(node.register_hook),
            _accumulation_hooks(node),
        )
        for node, result_hooks in zip(nodes, results, strict=True)
    ]


def _holds_hooks(table: OrderedDict[Any, Any]) -> bool:
    return bool(table) and all(type(key) is int and callable(hook) for key, hook in table.items())


@contextlib.contextmanager
def _listeners(tables: Sequence[HookTable]) -> Iterator[list[Hook]]:
    """Replace each hook with a listener that adds the hook to a list when a gradient arrives.

    Yields:
        the list of hooks to which a gradient has arrived.
    """
    called_hooks: list[Hook] = []
    originals = [dict(table) for table in tables]

    def listener(hook: Hook) -> Hook:
        def listen(gradient: Any, *_: Any) -> None:
            if gradient is not None:
                called_hooks.append(hook)

        return listen

    try:
        for table in tables:
            table.update({key: listener(hook) for key, hook in table.items()})
        yield called_hooks
    finally:
        for table, original in zip(tables, originals, strict=True):
            table.update(original)


@contextlib.contextmanager
def _protected_grads(objects: Sequence[Any]) -> Iterator[None]:
    """Store the .grad of tensors that retain their gradient, and restore it at the end of the context."""
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, torch.Tensor)}
    # A subclass of Tensor may override attribute access and return anything, so its override is bypassed.
    with torch._C.DisableTorchFunctionSubclass():
        tensors = [tensor for tensor in objects if type(tensor) in kinds and tensor.retains_grad is True]
        before = [tensor.grad for tensor in tensors]
    try:
        yield
    finally:
        with torch._C.DisableTorchFunctionSubclass():
            for tensor, gradient in zip(tensors, before, strict=True):
                tensor.grad = gradient


def _hooks_called_at(node: Any, called_hooks: list[Hook]) -> list[tuple[int, Hook]]:
    hooks: list[tuple[int, Hook]] = []
    for number in range(count_of_results(node)):
        called_hooks.clear()
        edge = GradientEdge(node, number)
        with contextlib.suppress(RuntimeError):  # raised for a result without a gradient
            torch.autograd.grad([edge], [edge], [gradient_of_ones(node, number)], retain_graph=True)
        hooks += [(number, hook) for hook in called_hooks]
    return hooks


def _registered_hooks(register: Callable[[Hook], Any]) -> list[Hook]:
    """Return the hooks that were registered on a node by calling `register`, such as `node.register_hook`.

    PyTorch exposes the table of hooks only through the handle of a newly registered hook.
    """
    handle = register(lambda *_: None)
    table: HookTable = handle.hooks_dict_ref()
    handle.remove()
    return [*table.values()]


def _accumulation_hooks(node: Any) -> list[Hook]:
    table = node.variable._post_accumulate_grad_hooks if node.name() == ACCUMULATOR else None
    return [*(table or {}).values()]
