"""Backward passes that are spoiled: between the two passes, in what is saved, or by a hook."""

import contextlib

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from secant.explorers.kit import difference
from secant.explorers.kit.difference import Function

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float8": torch.float8_e4m3fn}
SPOILERS = ("none", "data", *DTYPES, "hook")


def gradient(f: Function, x: Tensor, spoiler: str, a: float) -> Tensor:
    """Return what backward() makes of an exact f(x) if what it reads is spoiled, in x's shape and dtype.

    Args:
        f: an elementwise function.
        x: the places.
        spoiler: one of SPOILERS.
        a: what "data" adds to x, and what "hook" multiplies by.

    Raises:
        FunctionProblem: if autograd finds no path from the result to x.
    """
    dtype = x.dtype

    def pack(t: Tensor) -> Tensor | tuple[Tensor]:
        return (t.detach().to(DTYPES[spoiler]),) if t.dtype == dtype else t

    def unpack(kept: Tensor | tuple[Tensor]) -> Tensor:
        return kept[0].to(dtype) if isinstance(kept, tuple) else kept

    def spoiling(leaf: Tensor) -> Tensor:
        if spoiler == "hook":
            leaf.register_hook(lambda gradient: a * gradient)
        with saved_tensors_hooks(pack, unpack) if spoiler in DTYPES else contextlib.nullcontext():
            y = difference.values(f, leaf)
        if spoiler == "data":
            leaf.data.add_(a)
        return y

    return difference.gradient(spoiling, x)
