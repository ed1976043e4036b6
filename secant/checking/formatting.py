"""Formatting of values for messages."""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import torch

from secant.language import say

# The maximum number of characters of a value, and of elements of a tensor, that a message shows. Formatting
# stops at these limits, so that a huge value takes no longer than a small one.
CHARACTERS, NUMBERS = 200, 12


def numbers(value: torch.Tensor) -> str:
    """Return the text that stands for a tensor in a message: `[1, 2, 3]`, or the shape of a large tensor."""
    return _listing(value.detach(), 7)


def kind(value: Any) -> str:
    """Return the type of a value with its article, for a sentence: "a float64 tensor", "an int"."""
    if isinstance(value, torch.Tensor):
        dtype = dtype_name(value.dtype)
        return say(en=f"{'an' if dtype.startswith('int') else 'a'} {dtype} tensor", ko=f"{dtype} 텐서")
    # An object that cannot be sent as plain data is replaced by a stand-in that describes it.
    with contextlib.suppress(Exception):
        if hasattr(value, "describe") and hasattr(value, "type_name"):
            return str(value.describe())
    name = "None" if value is None else type(value).__name__ or "object"
    return say(en=name if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}", ko=name)


def pair(want: Any, got: Any) -> tuple[str, str]:
    """Return two values as text, with enough digits to show a difference between them."""
    texts = _value(want), _value(got)
    return texts if texts[0] != texts[1] else (_value(want, 17), _value(got, 17))


def _value(value: Any, digits: int = 10) -> str:
    try:
        return _text(value, digits)
    except Exception:  # reading a student's object may raise any error
        return kind(value)


def _text(value: Any, digits: int) -> str:
    if isinstance(value, torch.Tensor):
        if not is_ordinary(value):
            return kind(value)
        body = _value(value.item(), digits) if value.ndim == 0 else _listing(value.detach(), min(digits, 7))
        return f"{body}  ({dtype_name(value.dtype)})"
    return _digits(value, digits) if isinstance(value, float) else brief(value)


def brief(value: Any) -> str:
    """Return the beginning of a value's repr."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > CHARACTERS:
            return text[: CHARACTERS - 3] + "..."
    return text


def _pieces(value: Any) -> Iterator[str]:
    """Yield a value's repr piece by piece, so that the caller can stop early."""
    if type(value) is torch.Tensor and _is_larger(value, CHARACTERS):
        yield _of_shape(value)
    elif type(value) is torch.Tensor:
        yield " ".join(repr(value.detach()).split())
    elif type(value) is str:
        yield repr(value[:CHARACTERS])
    elif type(value) in (list, tuple):
        opening, closing = "[]" if type(value) is list else "()"
        yield opening
        for number, part in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(part)
        yield ",)" if type(value) is tuple and len(value) == 1 else closing
    elif type(value) is dict:
        yield "{"
        for number, (key, part) in enumerate(value.items()):
            yield ", " if number else ""
            yield from _pieces(key)
            yield ": "
            yield from _pieces(part)
        yield "}"
    elif hasattr(value, "describe") and hasattr(value, "type_name"):
        yield str(value.describe())
    else:
        yield repr(value)


def _is_larger(tensor: torch.Tensor, limit: int) -> bool:
    """Return whether a tensor has more numbers than `limit`; a dimension of size 0 counts as 1."""
    return math.prod(max(size, 1) for size in tensor.shape) > limit


def _of_shape(tensor: torch.Tensor) -> str:
    return say(en=f"a tensor of shape {tuple(tensor.shape)}", ko=f"shape {tuple(tensor.shape)}인 텐서")


def is_ordinary(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is dense, on the CPU, and neither quantized nor nested."""
    is_special = tensor.is_quantized or tensor.is_nested
    return tensor.layout is torch.strided and not is_special and tensor.device.type == "cpu"


def _listing(value: torch.Tensor, digits: int) -> str:
    if _is_larger(value, NUMBERS):
        return _of_shape(value)
    return _nest(value.double().tolist() if value.dtype.is_floating_point else value.tolist(), digits)


def _nest(values: Any, digits: int) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_nest(v, digits) for v in values)}]"
    return _digits(values, digits) if isinstance(values, float) else str(values)


def _digits(value: float, digits: int) -> str:
    return f"{value + 0.0:.{digits}g}"  # + 0.0 shows -0.0 as 0, because no check distinguishes them


def dtype_name(dtype: torch.dtype) -> str:
    """Return the name of a dtype without "torch."."""
    return str(dtype).removeprefix("torch.")
