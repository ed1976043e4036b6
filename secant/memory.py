"""The memory that tensors take, counted from PyTorch's allocations, so that other programs do not matter."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class peak_memory(TorchDispatchMode):
    """A context manager that measures the memory of all tensors created while its `with` block runs.

    Tensors that a backward pass in the block creates are included. A tensor and its views share memory, which
    is counted once, until the last of them is freed.

    Attributes:
        now: the bytes of those tensors that are still alive.
        peak: the highest value that `now` has had.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._counted_storages: weakref.WeakSet[Any] = weakref.WeakSet()

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        self._counted_storages.update(_memories((args, kwargs)))
        result = func(*args, **(kwargs or {}))
        for memory in _memories(result):
            if memory not in self._counted_storages:
                self._counted_storages.add(memory)
                self.now += memory.nbytes()
                weakref.finalize(memory, self._free, memory.nbytes())
        self.peak = max(self.peak, self.now)
        return result

    def _free(self, size: int) -> None:
        self.now -= size


def _memories(values: Any) -> list[torch.UntypedStorage]:
    return [leaf.untyped_storage() for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]
