"""The simplest input that fails for the same reason as the one that a test drew."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from secant.checking.failure import CheckFailed

# How many simpler cases `smallest` tries.
_TRIES = 24


def smallest(compare: Callable[..., None], *case: Any) -> None:
    """Compare, and where that fails, fail with the simplest case that fails for the same reason.

    Args:
        compare: a comparison of the test cell; it may ask for the student's function.
        *case: its arguments. Simpler is a float with fewer digits, also in lists and tuples; signs stay, and
            so do numbers that are equal to others or differ from them.

    Raises:
        CheckFailed: the first one's, or that of the simplest case found.
    """
    try:
        compare(*case)
    except CheckFailed as failure:
        raise _shrunk(compare, case, failure) from None


def fewest(compare: Callable[..., None], items: Sequence[Any], *case: Any) -> None:
    """Compare, and where that fails, fail with the fewest items that fail for the same reason (`smallest`).

    Args:
        compare: a comparison of the test cell, of a list, like the edges of a graph, and of what follows it.
        items: that list; any part of it has to be a case too.
        *case: what follows.
    """
    try:
        return compare(items, *case)
    except CheckFailed as failure:
        cause = failure.cause
    for place in range(len(items)):
        fewer = [*items[:place], *items[place + 1 :]]
        try:
            compare(fewer, *case)
        except CheckFailed as failure:
            if failure.cause == cause:
                return fewest(compare, fewer, *case)
    return smallest(compare, items, *case)


def _shrunk(compare: Callable[..., None], case: tuple[Any, ...], failure: CheckFailed) -> CheckFailed:
    numbers = sorted(set(_floats(case)))
    choices = [{n: _rounded(n, places) for n in numbers} for places in (0, 1, 2)]
    choices += [{n: _rounded(n, places)} for n in numbers for places in (0, 1)]
    for choice in choices[:_TRIES]:
        now = {n: choice.get(n, n) for n in set(_floats(case))}
        if all(a == b for a, b in now.items()) or len(set(now.values())) < len(now):
            continue
        simpler = _with_floats(case, now)
        try:
            compare(*simpler)
        except CheckFailed as smaller:
            if smaller.cause == failure.cause:
                case, failure = simpler, smaller
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            break  # no case of this test: leave it at what was found
    return failure


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, float) and math.isfinite(value):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _floats(part)


def _with_floats(value: Any, numbers: Mapping[float, float]) -> Any:
    if isinstance(value, float):
        return numbers.get(value, value)
    if type(value) in (list, tuple):
        return type(value)(_with_floats(part, numbers) for part in value)
    return value


def _rounded(number: float, places: int) -> float:
    """Return a number with so many decimals, or itself where that would be 0 or more than half away."""
    near = round(number, places)
    return near if near and abs(near - number) <= abs(number) / 2 else number
