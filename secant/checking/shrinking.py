"""A search for the simplest input that fails for the same reason as the random input of a test."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from secant.checking.failure import CheckFailed

# The maximum number of simpler cases that `smallest` tries.
_TRIES = 24


def smallest(compare: Callable[..., None], *case: Any) -> None:
    """Run a comparison; if it fails, raise the failure of the simplest case with the same cause.

    Args:
        compare: a comparison of the test cell; it may call the student's function.
        *case: the arguments of the comparison. A case is simpler if its floats have fewer digits, including
            the floats in lists and tuples. Signs do not change, equal numbers stay equal, and different
            numbers stay different.

    Raises:
        CheckFailed: if the comparison fails; the failure of the simplest case found is raised.
    """
    try:
        compare(*case)
    except CheckFailed as failure:
        raise _shrink(compare, case, failure) from None


def fewest(compare: Callable[..., None], items: Sequence[Any], *case: Any) -> None:
    """Run a comparison; if it fails, raise the failure of a simpler case with the same cause.

    Items are removed one by one, as long as the comparison still fails for the same reason. Then `smallest`
    simplifies the floats that remain.

    Args:
        compare: a comparison of the test cell, which takes a list, such as the edges of a graph, and `case`.
        items: the list; the comparison must also accept every shorter list that results when items are
            removed.
        *case: the other arguments of the comparison.
    """
    try:
        return compare(items, *case)
    except CheckFailed as failure:
        cause = failure.cause
    for place in range(len(items)):
        shorter_list = [*items[:place], *items[place + 1 :]]
        try:
            compare(shorter_list, *case)
        except CheckFailed as failure:
            if failure.cause == cause:
                return fewest(compare, shorter_list, *case)
    return smallest(compare, items, *case)


def _shrink(compare: Callable[..., None], case: tuple[Any, ...], failure: CheckFailed) -> CheckFailed:
    numbers = sorted(set(_floats(case)))
    choices = [{n: _round(n, places) for n in numbers} for places in (0, 1, 2)]
    choices += [{n: _round(n, places)} for n in numbers for places in (0, 1)]
    for choice in choices[:_TRIES]:
        replacements = {n: choice.get(n, n) for n in set(_floats(case))}
        if all(a == b for a, b in replacements.items()) or len(set(replacements.values())) < len(
            replacements
        ):
            continue
        simpler_case = _with_floats(case, replacements)
        try:
            compare(*simpler_case)
        except CheckFailed as simpler_failure:
            if simpler_failure.cause == failure.cause:
                case, failure = simpler_case, simpler_failure
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            break  # not a valid case of this test, so keep the simplest case so far
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


def _round(number: float, places: int) -> float:
    """Round a number to `places` decimals, unless that gives 0 or changes the number by more than half."""
    rounded = round(number, places)
    return rounded if rounded and abs(rounded - number) <= abs(number) / 2 else number
