"""Small engines, right or with one bug: lesson 10's students write the test that tells them apart."""

import math
from collections import deque
from typing import Any, Literal

from secant.value import Value

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

    class Engine(Value):
        def __add__(self, other: Any) -> "Engine":
            other = other if isinstance(other, Engine) else Engine(other)
            return self._joined(other, self.data + other.data, (1.0, 1.0))

        def __mul__(self, other: Any) -> "Engine":
            other = other if isinstance(other, Engine) else Engine(other)
            return self._joined(other, self.data * other.data, (other.data, self.data))

        def _joined(self, other: "Engine", data: float, slopes: tuple[float, float]) -> "Engine":
            if merged and other is self:
                return Engine(data, (self,), (sum(slopes),))
            return Engine(data, (self, other), slopes)

        def __pow__(self, number: float) -> "Engine":
            slope = number * self.data ** (number - 1) if number else 0.0
            return Engine(self.data**number, (self,), (slope,))

        def log(self) -> "Engine":
            return Engine(math.log(self.data), (self,), (1 / self.data,))

        def exp(self) -> "Engine":
            power = math.exp(self.data)
            return Engine(power, (self,), (power,))

        def relu(self) -> "Engine":
            return Engine(max(self.data, 0.0), (self,), (float(self.data > 0),))

        def backward(self) -> None:
            order = order_of(self, turned)
            emptied = [one for one in order if one.parents] if resets else []
            if self.parents and not itself:
                emptied.append(self)
            for one in emptied:
                one.grad = 0.0
            self.grad += 1.0
            for one in order:
                arrived = one.grad
                for place, parent in enumerate(one.parents):
                    held = 0.0 if bool(parent.parents) in replaced else parent.grad
                    parent.grad = held + one.slopes[place] * arrived

    return Engine


def _breadth_first(value: Value, turned: bool) -> list[Value]:
    found, queue = {value: None}, deque([value])
    while queue:
        for parent in queue.popleft().parents[:: -1 if turned else 1]:
            if parent not in found:
                found[parent] = None
                queue.append(parent)
    return list(found)


def _parents_last(value: Value, turned: bool) -> list[Value]:
    """Return a topological order, by the longest path to each Value; made for graphs of a few Values."""
    longest = dict.fromkeys(_breadth_first(value, turned), 0)
    for _ in longest:
        for one in list(longest):
            longest |= {p: longest[one] + 1 for p in one.parents if longest[p] <= longest[one]}
    return sorted(longest, key=lambda one: longest[one])
