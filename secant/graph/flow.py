"""What flows back through a graph: each node is asked on its own, so no .grad is filled and nothing freed."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

import torch
from torch.autograd.function import BackwardCFunction

from secant.language import say

ACCUMULATOR = "torch::autograd::AccumulateGrad"
FEW = 6  # elements of a tensor that are written out

Kind = Literal["value", "slope", "gradient"]
Trouble = Literal["freed", "failed", "unseen"]
Grads = dict[int, torch.Tensor]  # by the number of a node's result


@dataclass(frozen=True)
class Fact:
    """A number at a node: the value of its result, the gradient that comes in, or its slope to an input.

    A result of many numbers has a slope for each: `summed` says that this is their sum.
    """

    kind: Kind
    text: str
    name: str = ""  # of the result, where a node has several; of the input that a slope leads to
    summed: bool = False

    def __str__(self) -> str:
        if self.kind == "slope":
            slope = say(en=f"slope to {self.name}", ko=f"{self.name} 쪽 기울기")
            slopes = say(en=f"slopes to {self.name}, summed", ko=f"{self.name} 쪽 기울기의 합")
            return f"{slopes if self.summed else slope} = {self.text}"
        word = {"value": say(en="value", ko="값"), "gradient": "gradient"}[self.kind]
        return f"{word} {self.name}".rstrip() + f" = {self.text}"


@dataclass
class Flow:
    """The gradients that come in at each node and what each passes on for a gradient of ones; what failed."""

    arriving: list[Grads]
    slopes: list[Sequence[torch.Tensor | None]]
    troubles: set[Trouble] = field(default_factory=set)


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


def walk_back(found: Sequence[Any], starts: Sequence[tuple[int, int]]) -> Flow:
    """Send ones back from some results, each (node, number of the result), through all nodes.

    Every node is called as backward() would, in the order in which it would, but for those that would add to
    a leaf's .grad.
    """
    place = {id(node): i for i, node in enumerate(found)}
    waiting = [0] * len(found)
    for node in found:
        for following, _ in node.next_functions:
            if following is not None:
                waiting[place[id(following)]] += 1
    flow = Flow([{} for _ in found], [()] * len(found))
    for i, number in starts:
        flow.arriving[i][number] = _ones(found[i], number)
    ready = deque(i for i, count in enumerate(waiting) if not count)
    while ready:
        i = ready.popleft()
        node, arrived = found[i], flow.arriving[i]
        handed = _asked(flow, node, arrived)
        flow.slopes[i] = _asked(flow, node, {k: _ones(node, k) for k in arrived or (0,)})
        for (following, number), gradient in zip_longest(
            node.next_functions, handed[: len(node.next_functions)]
        ):
            if following is None:
                continue
            j = place[id(following)]
            if gradient is not None:
                before = flow.arriving[j].get(number)
                flow.arriving[j][number] = gradient if before is None else before + gradient
            waiting[j] -= 1
            if not waiting[j]:
                ready.append(j)
    return flow


def _ones(node: Any, number: int) -> torch.Tensor:
    if node.name() == ACCUMULATOR:
        return torch.ones_like(node.variable)
    about = node._input_metadata[number]
    return torch.ones(tuple(about.shape), dtype=about.dtype, device=about.device)


def _asked(flow: Flow, node: Any, gradients: Mapping[int, torch.Tensor]) -> Sequence[torch.Tensor | None]:
    """Return what a node passes on to each of its inputs; nothing where it cannot, and note why."""
    if node.name() == ACCUMULATOR or not gradients:
        return ()
    arguments = [gradients.get(k) for k in range(len(node._input_metadata))]
    call = node.apply if isinstance(node, BackwardCFunction) else node
    try:
        with torch.no_grad():
            handed = call(*arguments)
            handed = handed if isinstance(handed, tuple) else (handed,)
            return [_fitted(*pair) for pair in zip(handed, node.next_functions, strict=False)]
    except Exception as error:  # a function of the learner's own may raise anything
        flow.troubles.add("freed" if "been freed" in str(error) else "failed")
        return ()


def _fitted(gradient: torch.Tensor | None, to: tuple[Any, int]) -> torch.Tensor | None:
    """Return a gradient summed over what its input was broadcast along, as the engine does it."""
    following, number = to
    if gradient is None or following is None:
        return None
    leaf = following.name() == ACCUMULATOR
    shape = (following.variable if leaf else following._input_metadata[number]).shape
    return gradient if gradient.shape == shape else gradient.sum_to_size(shape)
