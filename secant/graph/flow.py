"""A dry run of the backward pass that fills no .grad and frees nothing, because nodes are called one by one.

The user's own hooks and backward functions are called only if that changes nothing: see `effects`. Otherwise
the gradients behind them stay unknown, and the reason is recorded as a "trouble".
"""

import contextlib
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

import torch

from secant.graph import nodes
from secant.graph.effects import copy_of, only_computes, returns_nothing
from secant.graph.hooks import Hook, Hooks, hooks_of
from secant.graph.nodes import ACCUMULATOR, Gradients
from secant.language import say
from secant.quiet import quietly

FEW = 6  # maximum number of elements of a tensor that is written out in full

Kind = Literal["value", "slope", "gradient"]
Trouble = Literal["freed", "failed", "no_value", "custom", "packed", "hook", "accumulated"]
Grads = dict[int, torch.Tensor]  # the gradients of a node's results, keyed by the result's index


@dataclass(frozen=True)
class Fact:
    """A number at a node: its result's value, its incoming gradient, or its slope with respect to an input.

    Attributes:
        summed: True if the result has many numbers and `text` gives the sum of their slopes.
        copies: True if the input was broadcast and `text` lists a slope for each of its copies.
    """

    kind: Kind
    text: str
    # For a slope, the name of the input. Otherwise the index of the result, if the node has several results.
    name: str = ""
    summed: bool = False
    copies: bool = False

    def __str__(self) -> str:
        if self.kind == "slope":
            slope = say(en=f"slope to {self.name}", ko=f"{self.name} 쪽 기울기")
            if self.copies:
                slope = say(en=f"slopes to the copies of {self.name}", ko=f"{self.name}의 복사본마다 기울기")
            elif self.summed:
                slope = say(en=f"slopes to {self.name}, summed", ko=f"{self.name} 쪽 기울기의 합")
            return f"{slope} = {self.text}"
        word = {"value": say(en="value", ko="값"), "gradient": "gradient"}[self.kind]
        return f"{word} {self.name}".rstrip() + f" = {self.text}"


@dataclass(frozen=True)
class Flow:
    """The incoming gradients and the slopes of all nodes.

    Attributes:
        arriving: for each node, the gradients that arrive at its results, keyed by the result's index.
        slopes: the gradients that each node passes on when it receives a gradient of ones. A gradient for an
            input that was broadcast is not yet summed over the copies.
        unknown: the results, as (node, index of the result), for which no gradient could be computed.
        troubles: the nodes at which a call failed or was skipped, each with the kind of trouble.
    """

    arriving: list[Grads]
    slopes: list[Gradients]
    unknown: set[tuple[int, int]] = field(default_factory=set)
    troubles: set[tuple[Trouble, int]] = field(default_factory=set)


class _Unknown(Exception):
    """Raised if a gradient cannot be computed.

    The attribute `trouble` is None if the reason has already been recorded at another node.
    """

    def __init__(self, trouble: Trouble | None = None) -> None:
        self.trouble = trouble


class _Ctx:
    """A copy of the ctx of a backward written in Python, so that the backward may write into it.

    PyTorch passes the node itself as the ctx.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        for name, value in vars(node).items():
            setattr(self, name, copy_of(value))
        self.saved_tensors = tuple(_copy_of_saved(tensor) for tensor in node.saved_tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


def numbers(tensor: torch.Tensor) -> str:
    """Return a tensor's numbers in one line, with four significant digits each.

    For a large tensor, return its shape and its first three entries.
    """
    try:
        tensor = tensor.detach().to_dense()
        if tensor.numel() <= FEW:
            return _format_numbers(tensor.tolist())
        first = ", ".join(map(_format_numbers, tensor.reshape(-1)[:3].tolist()))
        return f"{tuple(tensor.shape)} [{first}, …]"
    except (RuntimeError, NotImplementedError):  # nested and meta tensors have no numbers to show
        return "?"


def _format_numbers(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_format_numbers, value))}]"
    return f"{value:.4g}" if isinstance(value, float | complex) else str(value)


def dry_run(graph_nodes: Sequence[Any], starts: Sequence[tuple[int, int]], *, gradients: bool) -> Flow:
    """Send gradients of ones back through all nodes, starting at the given results.

    Each node is called as backward() would call it, after all nodes that lead to it. AccumulateGrad nodes are
    not called, because they would add to a leaf's .grad.

    Args:
        graph_nodes: the nodes of the graph.
        starts: the results to start at, each as (position of the node, index of the result).
        gradients: whether to call the hooks, so that `arriving` holds what backward() would compute. Hooks
            never change the slopes.
    """
    flow = Flow([{} for _ in graph_nodes], [()] * len(graph_nodes))
    with torch.no_grad(), quietly():
        hooks = hooks_of(graph_nodes) if gradients else [Hooks() for _ in graph_nodes]
        for i, number in starts:
            flow.arriving[i][number] = nodes.gradient_of_ones(graph_nodes[i], number)
        for i, inputs in _topological_order(graph_nodes):
            outgoing: Gradients | None = None
            with _recording_trouble(flow, i):
                outgoing = _pass_on(flow, i, graph_nodes[i], hooks[i])
            with _recording_trouble(flow, i):
                flow.slopes[i] = _slopes(graph_nodes[i], _receiving_results(flow, i))
            for place, (j, number) in inputs.items():
                if outgoing is None:
                    flow.unknown.add((j, number))
                elif (gradient := outgoing[place]) is not None:
                    before = flow.arriving[j].get(number)
                    flow.arriving[j][number] = gradient if before is None else before + gradient
    for i, number in flow.unknown:
        flow.arriving[i].pop(number, None)
    return flow


@contextlib.contextmanager
def _recording_trouble(flow: Flow, i: int) -> Iterator[None]:
    try:
        yield
    except _Unknown as unknown:
        if unknown.trouble:
            flow.troubles.add((unknown.trouble, i))


def _topological_order(graph_nodes: Sequence[Any]) -> Iterator[tuple[int, dict[int, tuple[int, int]]]]:
    """Yield the position and the inputs of each node, after those of all nodes that lead to it.

    The inputs are a mapping from the position in `next_functions` to a pair (position of the input's node,
    index of that node's result).
    """
    position = {id(node): i for i, node in enumerate(graph_nodes)}
    inputs = [
        {
            place: (position[id(next_node)], n)
            for place, (next_node, n) in enumerate(node.next_functions)
            if next_node is not None
        }
        for node in graph_nodes
    ]
    pending_counts = [0] * len(graph_nodes)
    for row in inputs:
        for j, _ in row.values():
            pending_counts[j] += 1
    ready = deque(i for i, count in enumerate(pending_counts) if not count)
    while ready:
        i = ready.popleft()
        yield i, inputs[i]
        for j, _ in inputs[i].values():
            pending_counts[j] -= 1
            if not pending_counts[j]:
                ready.append(j)


def _receiving_results(flow: Flow, i: int) -> set[int]:
    """Return the indices of the node's results that receive a gradient, whether or not its value is known.

    If no result receives a gradient, only the index of the first result is returned.
    """
    return {*flow.arriving[i]} | {number for j, number in flow.unknown if j == i} or {0}


def _slopes(node: Any, receiving: Collection[int]) -> Gradients:
    """Return the gradients that a node passes to its inputs when it receives gradients of ones.

    The gradient for an input that was broadcast has an entry for each copy.
    """
    if node.name() == ACCUMULATOR:
        return ()
    count = nodes.count_of_results(node)
    outgoing = _call_node(
        node, [nodes.gradient_of_ones(node, k) if k in receiving else None for k in range(count)]
    )
    pairs = zip_longest(_fit_to_inputs(node, outgoing), outgoing)
    return [_to_copies(slope, before) for slope, before in pairs]


def _to_copies(slope: torch.Tensor | None, before: torch.Tensor | None) -> torch.Tensor | None:
    """Return a slope for each copy of an input that was broadcast, in the input's dtype.

    If the slope is not a sum over copies, return it unchanged.
    """
    if slope is None or before is None or slope.shape == before.shape:
        return slope
    return (before if slope.is_complex() or not before.is_complex() else before.real).to(slope.dtype)


def _pass_on(flow: Flow, i: int, node: Any, hooks: Hooks) -> Gradients:
    """Call a node and its hooks, and return the gradients that the node passes on."""
    numbers, arriving = range(nodes.count_of_results(node)), flow.arriving[i]
    for number, hook in hooks.results:
        try:
            answer = _call_hook(hook, arriving.get(number)) if (i, number) not in flow.unknown else None
        except _Unknown:
            flow.unknown.add((i, number))
            raise
        if answer is not None:
            arriving[number] = answer
    if any((i, number) in flow.unknown for number in numbers):
        raise _Unknown
    incoming: Gradients = [arriving.get(number) for number in numbers]
    if node.name() == ACCUMULATOR:
        return _call_leaf_hooks(flow, i, hooks, incoming)
    for hook in hooks.before:
        incoming = _call_hook(hook, tuple(incoming))
    outgoing = _call_node(node, incoming)
    for hook in hooks.after:
        outgoing = _call_hook(hook, tuple(outgoing), tuple(incoming))
    return _fit_to_inputs(node, outgoing)


def _call_leaf_hooks(flow: Flow, i: int, hooks: Hooks, incoming: Gradients) -> Gradients:
    """Call the hooks that run before a leaf's .grad is changed, and return no gradients.

    Hooks that run after the change are not called. Instead, a trouble (a reason why a number is missing) is
    recorded.
    """
    try:
        for hook in hooks.before:
            incoming = _call_hook(hook, tuple(incoming))
    except _Unknown:
        flow.unknown.add((i, 0))
        raise
    if incoming[0] is not None:
        flow.arriving[i][0] = incoming[0]
    if hooks.accumulated:
        raise _Unknown("accumulated")
    return ()


def _call_hook(hook: Hook, gradients: Any, *other_gradients: Any) -> Any:
    """Call a hook on copies of the gradients and return the resulting gradients.

    A hook that only reads gradients is not called, and the gradients are returned unchanged.
    """
    if returns_nothing(hook):
        return gradients
    if not only_computes(hook):
        raise _Unknown("hook")
    gradients = copy_of(gradients)
    try:
        answer = hook(gradients, *map(copy_of, other_gradients))
    except Exception as error:  # a learner's hook may raise any error
        raise _Unknown("failed") from error
    if isinstance(gradients, tuple) and isinstance(answer, torch.Tensor):
        return (answer,)
    return gradients if answer is None else answer


def _call_node(node: Any, gradients: Gradients) -> Gradients:
    """Return the gradients that a node passes to its inputs, not yet in the inputs' shapes and dtypes."""
    if not all(only_computes(hook, may_write=False) for hook in _unpack_hooks(node)):
        raise _Unknown("packed")
    try:
        return nodes.call_node(node, [copy_of(gradient) for gradient in gradients], _ctx_of(node))
    except _Unknown:
        raise
    except Exception as error:  # a learner's Function may raise any error
        raise _Unknown("freed" if "been freed" in str(error) else "failed") from error


def _ctx_of(node: Any) -> _Ctx | None:
    """Return a copy of the ctx for a backward written in Python, or None for a built-in node.

    Raises:
        _Unknown: if calling the backward might change something, or if the ctx cannot be copied.
    """
    if not nodes.is_custom(node):
        return None
    if not only_computes(nodes.backward_of(node)):
        raise _Unknown("custom")
    try:
        return _Ctx(node)
    except TypeError as error:
        raise _Unknown("custom") from error


def _copy_of_saved(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _unpack_hooks(node: Any) -> Iterator[Hook]:
    """Yield the hooks that would unpack the values that a node saved."""
    for name in dir(node):
        if name.startswith("_raw_saved_"):
            # Reading a freed value raises an error. It is ignored here, because calling the node will raise
            # it again.
            with contextlib.suppress(RuntimeError):
                packed = getattr(node, name)
                for saved_value in packed if isinstance(packed, tuple) else (packed,):
                    if (hook := getattr(saved_value, "unpack_hook", None)) is not None:
                        yield hook


def _fit_to_inputs(node: Any, outgoing: Gradients) -> Gradients:
    try:
        return nodes.fit_to_inputs(node, outgoing)
    except RuntimeError as error:
        raise _Unknown("failed") from error
