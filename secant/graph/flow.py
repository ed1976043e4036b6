"""What flows back through a graph: each node is asked on its own, so no .grad is filled and nothing freed.

Code of the user's is called only where that changes nothing: see `effects`. Elsewhere the gradients stay
unknown from there on, and a trouble says why.
"""

import contextlib
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

import torch

from secant.graph import nodes
from secant.graph.effects import copied, only_computes, returns_nothing
from secant.graph.hooks import Hook, Hooks, hooks_of
from secant.graph.nodes import ACCUMULATOR, Gradients
from secant.language import say
from secant.quiet import quietly

FEW = 6  # elements of a tensor that are written out

Kind = Literal["value", "slope", "gradient"]
Trouble = Literal["freed", "failed", "unseen", "own", "packed", "hook", "accumulated"]
Grads = dict[int, torch.Tensor]  # by the number of a node's result


@dataclass(frozen=True)
class Fact:
    """A number at a node: the value of its result, the gradient that comes in, or its slope to an input.

    A result of many numbers has a slope for each: `summed` says that this is their sum. An input that was
    broadcast has a slope for each of its copies: `copies` says that these are listed.
    """

    kind: Kind
    text: str
    name: str = ""  # of the result, where a node has several; of the input that a slope leads to
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


@dataclass
class Flow:
    """The gradients that come in at each node and what each passes on for a gradient of ones.

    In `slopes`, what goes to an input that was broadcast is not yet summed over its copies.

    `unknown` has the results, (node, number), whose gradient could not be had; `troubles` name the nodes
    where something failed or was left out.
    """

    arriving: list[Grads]
    slopes: list[Gradients]
    unknown: set[tuple[int, int]] = field(default_factory=set)
    troubles: set[tuple[Trouble, int]] = field(default_factory=set)


class _Unknown(Exception):
    """A gradient that cannot be had; the trouble is None where it has been noted at another node."""

    def __init__(self, trouble: Trouble | None = None) -> None:
        self.trouble = trouble


class _Ctx:
    """A copy of what a backward in Python may read and write of its ctx, which is the node itself."""

    def __init__(self, node: Any) -> None:
        self._node = node
        for name, value in vars(node).items():
            setattr(self, name, copied(value))
        self.saved_tensors = tuple(_copy_of_saved(tensor) for tensor in node.saved_tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


def numbers(tensor: torch.Tensor) -> str:
    """Return a tensor's numbers to four digits, in one line; of a large one its shape and the first few."""
    try:
        tensor = tensor.detach().to_dense()
        if tensor.numel() <= FEW:
            return _listed(tensor.tolist())
        first = ", ".join(map(_listed, tensor.reshape(-1)[:3].tolist()))
        return f"{tuple(tensor.shape)} [{first}, …]"
    except (RuntimeError, NotImplementedError):  # nested and meta tensors have none to show
        return "?"


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return f"{value:.4g}" if isinstance(value, float | complex) else str(value)


def walk_back(found: Sequence[Any], starts: Sequence[tuple[int, int]], *, gradients: bool) -> Flow:
    """Send ones back from some results, each (node, number of the result), through all nodes.

    Every node is called as backward() would, in the order in which it would, except those that would add to
    a leaf's .grad. Hooks take part in the gradients, if these are asked for, and never in the slopes.
    """
    flow = Flow([{} for _ in found], [()] * len(found))
    with torch.no_grad(), quietly():
        hooks = hooks_of(found) if gradients else [Hooks() for _ in found]
        for i, number in starts:
            flow.arriving[i][number] = nodes.ones(found[i], number)
        for i, inputs in _in_order(found):
            handed: Gradients | None = None
            with _noting(flow, i):
                handed = _handed(flow, i, found[i], hooks[i])
            with _noting(flow, i):
                flow.slopes[i] = _slopes(found[i], _reached(flow, i))
            for place, (j, number) in inputs.items():
                if handed is None:
                    flow.unknown.add((j, number))
                elif (gradient := handed[place]) is not None:
                    before = flow.arriving[j].get(number)
                    flow.arriving[j][number] = gradient if before is None else before + gradient
    for i, number in flow.unknown:
        flow.arriving[i].pop(number, None)
    return flow


@contextlib.contextmanager
def _noting(flow: Flow, i: int) -> Iterator[None]:
    try:
        yield
    except _Unknown as unknown:
        if unknown.trouble:
            flow.troubles.add((unknown.trouble, i))


def _in_order(found: Sequence[Any]) -> Iterator[tuple[int, dict[int, tuple[int, int]]]]:
    """Yield each node after all that lead to it, with its inputs: (node, number of the result) by place."""
    position = {id(node): i for i, node in enumerate(found)}
    inputs = [
        {place: (position[id(to)], n) for place, (to, n) in enumerate(node.next_functions) if to is not None}
        for node in found
    ]
    waiting = [0] * len(found)
    for row in inputs:
        for j, _ in row.values():
            waiting[j] += 1
    ready = deque(i for i, count in enumerate(waiting) if not count)
    while ready:
        i = ready.popleft()
        yield i, inputs[i]
        for j, _ in inputs[i].values():
            waiting[j] -= 1
            if not waiting[j]:
                ready.append(j)


def _reached(flow: Flow, i: int) -> set[int]:
    """Return the results of a node to which a gradient comes, known or not; the first if there is none."""
    return {*flow.arriving[i]} | {number for j, number in flow.unknown if j == i} or {0}


def _slopes(node: Any, reached: Collection[int]) -> Gradients:
    """Return what a node passes on to each of its inputs for ones; for a broadcast one, to each copy."""
    if node.name() == ACCUMULATOR:
        return ()
    count = nodes.count_of_results(node)
    handed = _asked(node, [nodes.ones(node, k) if k in reached else None for k in range(count)])
    pairs = zip_longest(_fitted(node, handed), handed)
    return [_to_copies(slope, before) for slope, before in pairs]


def _to_copies(slope: torch.Tensor | None, before: torch.Tensor | None) -> torch.Tensor | None:
    """Return a slope as it was before it was summed over copies, if it was, in the input's kind of number."""
    if slope is None or before is None or slope.shape == before.shape:
        return slope
    return (before if slope.is_complex() or not before.is_complex() else before.real).to(slope.dtype)


def _handed(flow: Flow, i: int, node: Any, hooks: Hooks) -> Gradients:
    """Return what a node passes on, with its hooks called around it."""
    numbers, arriving = range(nodes.count_of_results(node)), flow.arriving[i]
    for number, hook in hooks.results:
        try:
            answer = _called(hook, arriving.get(number)) if (i, number) not in flow.unknown else None
        except _Unknown:
            flow.unknown.add((i, number))
            raise
        if answer is not None:
            arriving[number] = answer
    if any((i, number) in flow.unknown for number in numbers):
        raise _Unknown
    given: Gradients = [arriving.get(number) for number in numbers]
    if node.name() == ACCUMULATOR:
        return _accumulated(flow, i, hooks, given)
    for hook in hooks.before:
        given = _called(hook, tuple(given))
    handed = _asked(node, given)
    for hook in hooks.after:
        handed = _called(hook, tuple(handed), tuple(given))
    return _fitted(node, handed)


def _accumulated(flow: Flow, i: int, hooks: Hooks, given: Gradients) -> Gradients:
    """Call the hooks before a leaf's .grad is added to, and note those after it; it passes on nothing."""
    try:
        for hook in hooks.before:
            given = _called(hook, tuple(given))
    except _Unknown:
        flow.unknown.add((i, 0))
        raise
    if given[0] is not None:
        flow.arriving[i][0] = given[0]
    if hooks.accumulated:
        raise _Unknown("accumulated")
    return ()


def _called(hook: Hook, gradients: Any, *more: Any) -> Any:
    """Return what a hook makes of copies of some gradients; of one that only looks at them, the same."""
    if returns_nothing(hook):
        return gradients
    if not only_computes(hook):
        raise _Unknown("hook")
    gradients = copied(gradients)
    try:
        answer = hook(gradients, *map(copied, more))
    except Exception as error:  # a hook of the learner's may raise anything
        raise _Unknown("failed") from error
    if isinstance(gradients, tuple) and isinstance(answer, torch.Tensor):
        return (answer,)
    return gradients if answer is None else answer


def _asked(node: Any, gradients: Gradients) -> Gradients:
    """Return what a node passes on to its inputs, before it is fitted to them."""
    if not all(only_computes(hook, may_write=False) for hook in _unpack_hooks(node)):
        raise _Unknown("packed")
    try:
        return nodes.ask(node, [copied(gradient) for gradient in gradients], _ctx_of(node))
    except _Unknown:
        raise
    except Exception as error:  # a function of the learner's own may raise anything
        raise _Unknown("freed" if "been freed" in str(error) else "failed") from error


def _ctx_of(node: Any) -> _Ctx | None:
    """Return a copy of the ctx of a backward in Python, if calling it changes nothing."""
    if not nodes.is_own(node):
        return None
    if not only_computes(nodes.backward_of(node)):
        raise _Unknown("own")
    try:
        return _Ctx(node)
    except TypeError as error:
        raise _Unknown("own") from error


def _copy_of_saved(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _unpack_hooks(node: Any) -> Iterator[Hook]:
    """Yield the functions that would unpack what a node saved."""
    for name in dir(node):
        if name.startswith("_raw_saved_"):
            with contextlib.suppress(RuntimeError):  # freed, which the node says when it is asked
                packed = getattr(node, name)
                for each in packed if isinstance(packed, tuple) else (packed,):
                    if (hook := getattr(each, "unpack_hook", None)) is not None:
                        yield hook


def _fitted(node: Any, handed: Gradients) -> Gradients:
    try:
        return nodes.fitted(node, handed)
    except RuntimeError as error:
        raise _Unknown("failed") from error
