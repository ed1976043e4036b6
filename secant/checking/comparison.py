"""Comparison of a result with the expected value. Types, dtypes and shapes are compared before numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import torch

from secant.checking.formatting import NUMBERS, brief, dtype_name, is_ordinary, kind, pair
from secant.language import say

# Relative and absolute tolerances, keyed by dtype. If the operations of a computation are done in another,
# equally good order, the results agree within these tolerances.
_TOLERANCE: dict[torch.dtype, tuple[float, float]] = {
    torch.float64: (1e-7, 1e-9),
    torch.complex128: (1e-7, 1e-9),
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
}
_COARSE = (2e-2, 1e-2)


def difference(got: Any, want: Any, rtol: float | None, atol: float | None, equal_nan: bool) -> str:
    """Return a sentence on how `got` differs from `want`; an empty string if they agree."""
    if isinstance(want, torch.Tensor):
        return _tensor_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, float):
        return _float_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, Mapping):
        return _mapping_difference(got, want, rtol, atol, equal_nan)
    if isinstance(want, list | tuple):
        return _sequence_difference(got, want, rtol, atol, equal_nan)
    if type(got) is not type(want):
        return _wrong_type(got, kind(want))
    return "" if got == want else _value_differs()


def _float_difference(got: Any, want: float, rtol: float | None, atol: float | None, equal_nan: bool) -> str:
    if isinstance(got, bool) or not isinstance(got, int | float):
        return _wrong_type(got, kind(want))
    try:
        got = float(got)
    except OverflowError:  # raised for an int that is too large for a float
        return _value_differs()
    if math.isnan(got) and not math.isnan(want):
        return say(en="The result is nan.", ko="결과가 nan입니다.")
    rel, absolute = _tolerance(torch.float64, rtol, atol)
    is_close = abs(got - want) <= absolute + rel * abs(want) < math.inf
    return "" if is_close or got == want or (equal_nan and math.isnan(got)) else _value_differs()


def _tensor_difference(
    got: Any, want: torch.Tensor, rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    if not isinstance(got, torch.Tensor):
        return _wrong_type(got, kind(want))
    if not is_ordinary(got):
        return say(
            en=f"The result is a {got.layout} tensor on {got.device}; an ordinary CPU tensor was expected.",
            ko=f"결과가 {got.device}에 있는 {got.layout} 텐서입니다. 보통의 CPU 텐서여야 합니다.",
        )
    if got.dtype != want.dtype:
        return say(
            en=f"The dtype is {dtype_name(got.dtype)}; {dtype_name(want.dtype)} was expected.",
            ko=f"dtype이 {dtype_name(got.dtype)}입니다. 기대한 dtype은 {dtype_name(want.dtype)}입니다.",
        )
    if got.shape != want.shape:
        return say(
            en=f"The shape is {tuple(got.shape)}; {tuple(want.shape)} was expected.",
            ko=f"shape가 {tuple(got.shape)}입니다. 기대한 shape는 {tuple(want.shape)}입니다.",
        )
    got, want = got.detach(), want.detach()
    if torch.equal(got, want):  # most results are equal, and torch.equal is faster than isclose
        return ""
    rel, absolute = _tolerance(want.dtype, rtol, atol)
    if want.dtype.is_floating_point or want.dtype.is_complex:
        is_equal = torch.isclose(got, want, rtol=rel, atol=absolute, equal_nan=equal_nan)
    else:
        is_equal = got == want
    if bool(is_equal.all()):
        return ""
    index = tuple((~is_equal).nonzero()[0].tolist())
    if not index:
        return _not_a_number(got) or _value_differs()
    place = f"[{', '.join(map(str, index))}]"
    want_text, got_text = pair(want[index].item(), got[index].item())
    return say(
        en=f"First difference at {place}: expected {want_text}, got {got_text}.",
        ko=f"처음으로 다른 곳 {place}: 기대한 값 {want_text}, 나온 값 {got_text}.",
    )


def _mapping_difference(
    got: Any, want: Mapping[Any, Any], rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    if not isinstance(got, dict):
        return _wrong_type(got, kind(want))
    missing = [k for k in want if k not in got]
    extra = list(islice((k for k in got if k not in want), NUMBERS))
    if missing or extra:
        return say(
            en=f"Keys missing: {brief(missing)}; unexpected keys: {brief(extra)}.",
            ko=f"빠진 키: {brief(missing)}, 필요 없는 키: {brief(extra)}.",
        )
    return _first_problem((f"[{k!r}]", difference(got[k], want[k], rtol, atol, equal_nan)) for k in want)


def _sequence_difference(
    got: Any, want: Sequence[Any], rtol: float | None, atol: float | None, equal_nan: bool
) -> str:
    # Subclasses are accepted: torch.Size is a tuple, and so is the result of torch.max(x, dim=0).
    if not isinstance(got, list if isinstance(want, list) else tuple):
        return _wrong_type(got, kind(want))
    if len(got) != len(want):
        return say(
            en=f"It has {len(got)} {'entry' if len(got) == 1 else 'entries'}; {len(want)} expected.",
            ko=f"원소가 {len(got)}개입니다. {len(want)}개여야 합니다.",
        )
    pairs = enumerate(zip(got, want, strict=True))
    return _first_problem((f"[{i}]", difference(g, w, rtol, atol, equal_nan)) for i, (g, w) in pairs)


def _first_problem(parts: Iterable[tuple[str, str]]) -> str:
    return next((f"{place} {problem}" for place, problem in parts if problem), "")


def is_of_another_dtype(got: Any, want: Any) -> bool:
    """Return whether two values are tensors of different dtypes."""
    return isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor) and got.dtype != want.dtype


def convert_mistake(want: Any, mistake: Any) -> Any:
    """Return a wrong result as a tensor of want's dtype if want is a tensor, else unchanged."""
    if isinstance(want, torch.Tensor) and isinstance(mistake, int | float):
        return torch.full_like(want, mistake)
    if isinstance(want, torch.Tensor) and isinstance(mistake, list | torch.Tensor):
        return torch.as_tensor(mistake, dtype=want.dtype).detach()  # float32, the default, loses digits
    return mistake


def _not_a_number(got: torch.Tensor) -> str:
    if got.dtype.is_floating_point and bool(got.isnan().any()):
        return say(en="The result is nan.", ko="결과가 nan입니다.")
    return ""


def _value_differs() -> str:
    return say(en="The value differs.", ko="값이 다릅니다.")


def _wrong_type(got: Any, want: str) -> str:
    return say(
        en=f"The result is {kind(got)}; {want} was expected.",
        ko=f"결과가 {kind(got)}입니다. 필요한 것은 {want}입니다.",
    )


def _tolerance(dtype: torch.dtype, rtol: float | None, atol: float | None) -> tuple[float, float]:
    rel, absolute = _TOLERANCE.get(dtype, _COARSE if dtype.is_floating_point else (0.0, 0.0))
    return (rel if rtol is None else rtol, absolute if atol is None else atol)
