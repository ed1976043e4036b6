"""The part of the wire format that needs torch: conversion of tensors to bytes and back; see wire.py."""

import contextlib
import math
import struct

import torch
from torch import Tensor

from autograder.sandbox.inside.wire import CannotSend, Limits, WireError

# The position of a dtype in this tuple is its number on the wire, so new dtypes may only be appended.
DTYPES: tuple[torch.dtype, ...] = (
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
)
# The dtypes that numpy can read, with their numbers on the wire.
_NUMPY_DTYPES = {dtype: number for number, dtype in enumerate(DTYPES) if dtype is not torch.bfloat16}
_SMALL_TENSOR = 64  # maximum number of elements of a tensor that the function `encode_small` encodes


def encode_small(tensor: Tensor, limits: Limits) -> tuple[bytes, int] | None:
    """Encode an ordinary small tensor.

    Returns:
        The encoded tensor and its number of elements, or None if the tensor is not small or not ordinary.
    """
    number = _NUMPY_DTYPES.get(tensor.dtype)
    with contextlib.suppress(Exception), torch._C.DisableTorchFunction():
        count, shape = tensor.numel(), tuple(tensor.shape)
        if number is None or not 0 < count <= _SMALL_TENSOR or len(shape) > limits.dims:
            return None
        if tensor.layout is torch.strided and not tensor.is_nested and tensor.data_ptr():
            return _frame(number, shape, Tensor.detach(tensor).numpy().tobytes()), count
    return None  # the tensor is not ordinary: for example, it is conjugated or on another device


def detach(tensor: Tensor, limits: Limits) -> tuple[Tensor, int]:
    """Return a plain tensor that shares the given tensor's memory, and its number of elements.

    The number is computed by `padded_size`, so a dimension of size 0 counts as 1.

    Raises:
        CannotSend: the tensor has no plain dense values, or too many elements.
    """
    # This disables __torch_function__ of subclasses, and of modes that the student's code has left on.
    with torch._C.DisableTorchFunction(), torch.no_grad():
        # This calls the base class's method, even if the subclass overrides it. The result is a plain tensor,
        # unless the subclass has no memory.
        plain = Tensor.detach(tensor)
        _refuse_odd(plain, limits)
        return plain, padded_size(plain.shape)


def encode(plain: Tensor) -> bytes:
    """Encode a plain tensor that `detach` has returned."""
    with torch._C.DisableTorchFunction():
        # Unlike a clone, the result of contiguous() may keep a lazy conjugation or negation, or odd strides.
        dense = plain.cpu().clone(memory_format=torch.contiguous_format)
        raw = dense.reshape(-1).view(torch.uint8).numpy().tobytes() if dense.numel() else b""
        return _frame(DTYPES.index(dense.dtype), tuple(dense.shape), raw)


def _frame(number: int, shape: tuple[int, ...], raw: bytes) -> bytes:
    return struct.pack(f"<cBB{len(shape)}QQ", b"t", number, len(shape), *shape, len(raw)) + raw


def _refuse_odd(plain: Tensor, limits: Limits) -> None:
    if plain.is_nested:
        raise CannotSend("nested")
    if plain.layout != torch.strided:
        raise CannotSend("sparse")
    if plain.is_quantized:
        raise CannotSend("quantised")
    if plain.device.type == "meta":
        raise CannotSend("meta")
    if type(plain) is not Tensor:  # a wrapper without memory, such as a FakeTensor
        raise CannotSend("unreadable")
    if plain.dtype not in DTYPES:
        raise CannotSend("dtype", f"[{str(plain.dtype).removeprefix('torch.')}]")
    # This is checked before anything is copied, because an expanded tensor may have far more elements than it
    # stores.
    if exceeds_limits(plain.shape, plain.dtype, limits):
        raise CannotSend("large_tensor", size=tuple(plain.shape))
    if plain.numel() and plain.data_ptr() == 0:
        raise CannotSend("unreadable")


def read(raw: memoryview, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Return the tensor whose elements are stored in these bytes. The number of bytes must fit the shape.

    Raises:
        WireError: an element is not a value of the dtype.
    """
    if not raw:
        return torch.empty(shape, dtype=dtype)
    copy = bytearray(raw)  # a tensor is writable, so it must not share the frame's memory
    if dtype is torch.bool and copy.strip(b"\0\1"):
        raise WireError("a bool is neither 0 nor 1")
    flat = torch.frombuffer(copy, dtype=dtype)
    return flat if len(shape) == 1 else flat.reshape(shape)


def padded_size(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a tensor with this shape. A dimension of size 0 counts as 1.

    So even a shape such as (0, 2**60) exceeds the limit.
    """
    return math.prod([size or 1 for size in shape])


def exceeds_limits(shape: tuple[int, ...], dtype: torch.dtype, limits: Limits) -> bool:
    """Return whether a tensor of this shape and dtype exceeds the limits by itself."""
    numbers = padded_size(shape)
    many = len(shape) > limits.dims or numbers > limits.numbers
    return many or numbers * dtype.itemsize > limits.total_bytes
