"""Numbers that record how they were made: a base class for lesson 10's engine, and a class built on torch."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import torch
from torch import Tensor


class Value:
    """A number, the Values that it was made from, and its slope with respect to each of them."""

    def __init__(self, data: float, parents: Sequence["Value"] = (), slopes: Sequence[float] = ()) -> None:
        self.data = float(data)
        self.grad = 0.0
        self.parents = tuple(parents)
        self.slopes = tuple(slopes)

    def __repr__(self) -> str:
        return f"Value({self.data:.6g}, grad={self.grad:.6g})"

    # All operators below are built from self + other, self * other and self ** number.

    def __radd__(self: Any, other: Any) -> Any:
        return self + other

    def __rmul__(self: Any, other: Any) -> Any:
        return self * other

    def __neg__(self: Any) -> Any:
        return self * -1.0

    def __sub__(self: Any, other: Any) -> Any:
        return self + -other

    def __rsub__(self: Any, other: Any) -> Any:
        return -self + other

    def __truediv__(self: Any, other: Any) -> Any:
        return self * other**-1.0

    def __rtruediv__(self: Any, other: Any) -> Any:
        return self**-1.0 * other


class TorchValue(Value):
    """A Value that computes with torch, for code that needs a working engine.

    `passes` counts all backward() calls. Every grad is torch's gradient times `scale`. So a gradient that
    was not read from a Value's grad differs by this factor, and can be detected.
    """

    passes, scale = 0, 1.0

    def __init__(self, data: float, tensor: Tensor | None = None) -> None:
        self.tensor = torch.tensor(float(data), dtype=torch.float64) if tensor is None else tensor
        if tensor is None:
            self.tensor.requires_grad_()
        self.parents = self.slopes = ()

    @property
    def data(self) -> float:
        """The number that this Value holds, read from its tensor."""
        return self.tensor.item()

    @data.setter
    def data(self, number: float) -> None:
        with torch.no_grad():
            self.tensor.fill_(float(number))

    @property
    def grad(self) -> float:
        """The tensor's gradient times `scale`; 0 if the tensor has no gradient."""
        grad = self.tensor.grad
        return 0.0 if grad is None else grad.item() * TorchValue.scale

    @grad.setter
    def grad(self, number: float) -> None:
        self.tensor.grad = torch.full_like(self.tensor, float(number) / TorchValue.scale)

    def __add__(self, other: Any) -> Self:
        return self._apply(torch.add, self, other)

    def __mul__(self, other: Any) -> Self:
        return self._apply(torch.mul, self, other)

    def __pow__(self, number: float) -> Self:
        return self._apply(torch.pow, self, number)

    def log(self) -> Self:
        """Return the natural logarithm as a new Value."""
        return self._apply(torch.log, self)

    def exp(self) -> Self:
        """Return the exponential as a new Value."""
        return self._apply(torch.exp, self)

    def relu(self) -> Self:
        """Return max(0, x) as a new Value."""
        return self._apply(torch.relu, self)

    def _apply(self, operation: Callable[..., Tensor], *operands: Any) -> Self:
        tensors = [operand.tensor if isinstance(operand, TorchValue) else operand for operand in operands]
        result = operation(*tensors)
        result.retain_grad()
        return type(self)(0.0, result)

    def backward(self) -> None:
        """Run torch's backward pass from this Value, and count the pass."""
        type(self).passes += 1
        self.tensor.backward(retain_graph=True)
