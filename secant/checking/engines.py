"""Small autograd engines, some with a deliberate bug; in lesson 10, students write a test that finds the bug.

An engine is a class of Values. Each Value wraps a tensor, and its backward() calls torch's. A bug is a hook
on the tensor that changes an arriving gradient. So no code here searches a graph or adds up slopes, and none
of it can be turned into an answer to a task.
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, Literal, Self

import torch

from secant.value import TorchValue

Bug = Literal["none", "assign", "breadth", "kept"]
Where = Literal["all", "leaves", "inner"]
#: The Values from which a Value was computed, as a linked list: (level 0, further levels). Each Value of an
#: engine has a serial number. Level n is a tuple with the serial numbers of the Values to which a path of n
#: edges leads from the Value, each number once.
Levels = tuple[tuple[int, ...], "Levels"] | None


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
        bug: "assign" replaces `grad` by each gradient that arrives, instead of adding the gradient; "breadth"
            goes through the graph breadth first; "kept" does not reset the grads of intermediate values.
        where: the Values in which "assign" replaces `grad`: all of them, the leaves, or the intermediate
            values.
        itself: whether "kept" also fails to reset the Value on which backward() is called.
        turned: whether to go through the parents of a Value from right to left.
        merged: whether a + a and a * a are computed as 2 * a and a**2, so that a is their only parent.
    """
    replaced_kinds = (
        {"all": (True, False), "leaves": (True,), "inner": (False,)}[where] if bug == "assign" else ()
    )
    numbers = count()
    grads: dict[int, float] = {}  # the grad of each Value, keyed by the Value's serial number
    current_pass = _BackwardPass(None, turned)

    class Engine(TorchValue):
        def __init__(self, data: float, tensor: torch.Tensor | None = None) -> None:
            super().__init__(data, tensor)
            self.number = next(numbers)
            self.levels: Levels = ((self.number,), None)
            self.tensor.register_hook(partial(receive, self.number, tensor is None))

        @property
        def grad(self) -> float:
            return grads.get(self.number, 0.0)

        @grad.setter
        def grad(self, number: float) -> None:
            grads[self.number] = float(number)

        def __add__(self, other: Any) -> Self:
            return self * 2.0 if merged and other is self else super().__add__(other)

        def __mul__(self, other: Any) -> Self:
            return self**2 if merged and other is self else super().__mul__(other)

        def _apply(self, operation: Callable[..., torch.Tensor], *operands: Any) -> Self:
            parents = [operand for operand in operands if isinstance(operand, Engine)]
            copies = {
                place: operand.tensor.clone()
                for place, operand in enumerate(operands)
                if isinstance(operand, Engine)
            }
            result = type(self)(
                0.0, operation(*(copies.get(place, operand) for place, operand in enumerate(operands)))
            )
            levels_below: Levels = None
            for parent in parents[:: -1 if turned else 1]:
                levels_below = _merge(levels_below, parent.levels)
            result.levels = ((result.number,), levels_below)
            for parent, copy in zip(parents, copies.values(), strict=True):
                copy.register_hook(partial(pass_on, result.levels, parent.number, parent.tensor.is_leaf))
            return result

        def backward(self) -> None:
            nonlocal current_pass
            current_pass = _BackwardPass(self.levels, turned)
            self.tensor.backward(retain_graph=True)
            for number, (total, is_leaf) in current_pass.totals.items():
                adds_up = is_leaf and (True not in replaced_kinds or number == self.number)
                previous = grads.get(number, 0.0) if adds_up else 0.0
                grads[number] = previous + total + current_pass.late.get(number, 0.0)

    def pass_on(child: Levels, parent: int, is_leaf: bool, gradient: torch.Tensor) -> torch.Tensor:
        """Return the gradient that a parent (an operand) receives from a child (a result)."""
        if is_leaf in replaced_kinds:
            return current_pass.replace(child, parent, gradient)
        return current_pass.gradient_in_time(child, parent, gradient) if bug == "breadth" else gradient

    def receive(number: int, is_leaf: bool, gradient: torch.Tensor) -> torch.Tensor:
        """Record and return a Value's gradient after the contributions of all its children have arrived."""
        if bug == "kept" and not is_leaf and (itself or number != current_pass.root):
            gradient = gradient + grads.get(number, 0.0)
        current_pass.totals[number] = gradient.item(), is_leaf
        return gradient

    return Engine


class _BackwardPass:
    """One of torch's backward passes, and the gradients that its hooks record.

    Attributes:
        root: the serial number of the Value at which the pass begins.
        totals: the gradient of each Value, without the part in `late`, and whether the Value is a leaf; keyed
            by the Value's serial number.
        late: the sum of the gradients that would arrive too late in a breadth-first pass, because the Value
            would have been processed before; keyed by the Value's serial number.
    """

    def __init__(self, levels: Levels, is_reversed: bool) -> None:
        self._turns = {number: turn for turn, number in enumerate(_numbers_in(levels))}
        self._is_reversed = is_reversed
        self._last: dict[int, tuple[Levels, torch.Tensor]] = {}
        self.root = levels[0][0] if levels else None
        self.totals: dict[int, tuple[float, bool]] = {}
        self.late: dict[int, float] = {}

    def gradient_in_time(self, child: Levels, parent: int, gradient: torch.Tensor) -> torch.Tensor:
        """Return the gradient that a child sends, or 0 if it would arrive too late in a breadth-first pass.

        The gradient arrives too late if the pass processes the parent before the child.
        """
        assert child is not None
        if self._turns[child[0][0]] < self._turns[parent]:
            return gradient
        self.late[parent] = self.late.get(parent, 0.0) + gradient.item()
        return torch.zeros_like(gradient)

    def replace(self, child: Levels, parent: int, gradient: torch.Tensor) -> torch.Tensor:
        """Return the value that torch adds to a parent's gradient in place of a child's gradient.

        torch adds up the values that a parent receives. The returned value makes this sum equal to the last
        gradient alone, as if each gradient had replaced the previous one.

        Gradients arrive in torch's order. If the engine is `turned`, it goes through the children in the
        opposite order, so the gradient that arrives first is the last one: it stays, and 0 is returned for
        later gradients. The exception is a gradient from a child from which the earlier child was computed.
        Such a gradient comes later in either order, so it replaces the earlier one.

        Args:
            child: the levels of the Value that sends the gradient, a result computed from the parent.
            parent: the serial number of the Value that receives the gradient, an operand of the child.
            gradient: the gradient that the child sends.
        """
        assert child is not None
        last_child, last_gradient = self._last.get(parent, (None, torch.zeros_like(gradient)))
        if last_child and self._is_reversed and child[0][0] not in _numbers_in(last_child):
            return torch.zeros_like(gradient)
        self._last[parent] = child, gradient
        return gradient - last_gradient


def _numbers_in(levels: Levels) -> dict[int, None]:
    """Return the serial numbers in all levels, as keys in the order of a breadth-first search."""
    numbers: dict[int, None] = {}
    while levels:
        numbers |= dict.fromkeys(levels[0])
        levels = levels[1]
    return numbers


def _merge(left: Levels, right: Levels) -> Levels:
    """Merge two lists of levels. The result shares its deepest levels with the longer list."""
    levels = []
    while left and right and left is not right:
        levels.append(tuple(dict.fromkeys(left[0] + right[0])))
        left, right = left[1], right[1]
    merged = left or right
    for level in reversed(levels):
        merged = level, merged
    return merged
