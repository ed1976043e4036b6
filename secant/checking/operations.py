"""The cost of a computation, counted in torch operations, so that the computer's speed does not matter."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class operations(TorchDispatchMode):
    """Count the torch operations in a with statement's body, including those of its backward passes.

    Attributes:
        count: the number of operations.
        largest: the number of elements of the largest tensor or view that an operation returned.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = self.largest = 0

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.count += 1
        results = result if isinstance(result, tuple | list) else (result,)
        self.largest = max([self.largest, *(t.numel() for t in results if isinstance(t, torch.Tensor))])
        return result
