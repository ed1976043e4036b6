"""Ranges for an explorer's arguments, and checks of arguments with readable error messages."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from secant.explorers.kit.difference import Function, Functions, by_name, name_of
from secant.language import say

Range = tuple[float, float]
Pairs = Sequence[Function] | Mapping[str, Sequence[Function]]  # a pair of functions, or several named pairs

# Range of log10(h) on the slider: 256 steps of 1/16, all exact in floating point.
LOG_H: Range = (-15.5, 0.5)

# Range of log10(h) for an explorer in lesson 1 that shows no rounding errors. In this range the secant
# visibly turns, and the rounding errors of float64 are not visible.
NEAR_LOG_H: Range = (-4.0, 0.5)


def refuse(*, en: str, ko: str) -> NoReturn:
    """Raise a ValueError for an invalid argument, with its message in the current language."""
    raise ValueError(say(en=en, ko=ko))


def checked_range(ends: Range, name: str = "x_range") -> Range:
    """Return the ends of a slider as floats.

    Raises:
        ValueError: if an end is not finite, or the first is not below the second.
    """
    low, high = map(float, ends)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        refuse(
            en=f"{name} must go from a smaller to a larger number",
            ko=f"{name}: 작은 수와 큰 수를 이 순서로 주세요",
        )
    return low, high


def check_choice(name: str, value: object, options: Iterable[object]) -> None:
    """Raise a ValueError if the value is not one of the options."""
    if value not in (choices := list(options)):
        names = ", ".join(map(str, choices))
        refuse(en=f"{name} must be one of {names}", ko=f"{name}: {names} 가운데 하나를 고르세요")


def first_or(value: str | None, name: str, options: Iterable[str]) -> str:
    """Return the first option if the value is None; otherwise return the value, if it is an option.

    Raises:
        ValueError: if the value is neither None nor an option.
    """
    choices = list(options)
    if value is None:
        return choices[0]
    check_choice(name, value, choices)
    return value


def check_named(name: str, pairs: Collection[object], max_count: int) -> None:
    """Raise a ValueError unless `pairs` holds 1 to `max_count` pairs of a name and a function."""

    def is_named(pair: object) -> bool:
        return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)

    if not (1 <= len(pairs) <= max_count and all(map(is_named, pairs))):
        refuse(
            en=f"{name} must be a list of 1 to {max_count} pairs of a name and a function, "
            'such as [("y", torch.sin)]',
            ko=f"{name}: 이름과 함수의 쌍을 1개에서 {max_count}개까지 담은 리스트를 주세요. "
            '예: [("y", torch.sin)]',
        )


def choose_functions(
    name: str, functions: Functions | None, built_in: Mapping[str, Function]
) -> Mapping[str, Function]:
    """Return the given functions, or the built-in ones if `functions` is None, keyed by name.

    Raises:
        ValueError: if `functions` is empty.
    """
    functions_by_name = built_in if functions is None else by_name(functions)
    if not functions_by_name:
        refuse(en=f"{name} needs at least one function", ko=f"{name}에는 함수가 하나 이상 필요합니다")
    return functions_by_name


def pairs_by_name(name: str, pairs: Pairs, letters: tuple[str, str]) -> dict[str, tuple[Function, Function]]:
    """Return a dict from names to pairs of functions, made from one pair or from a mapping of pairs.

    Raises:
        ValueError: if `pairs` is neither of them, or is an empty mapping.
    """
    named_pairs: Mapping[str, Sequence[Function]] = pairs if isinstance(pairs, Mapping) else {"": pairs}
    if not named_pairs or not all(
        isinstance(pair, Sequence) and len(pair) == 2 for pair in named_pairs.values()
    ):
        both_letters = ", ".join(letters)
        refuse(
            en=f"{name} takes a pair of functions ({both_letters}), or a dict of such pairs by name",
            ko=f"{name}: 함수 두 개 ({both_letters})를 주거나, 그런 쌍을 이름별로 담은 딕셔너리를 주세요",
        )
    if not isinstance(pairs, Mapping):
        named_pairs = {", ".join(map(name_of, pair, letters)): pair for pair in named_pairs.values()}
    return {str(key): (pair[0], pair[1]) for key, pair in named_pairs.items()}


def padded(ends: Range, share: float = 0.05) -> Range:
    """Return a range widened at each end by a fraction of its length."""
    pad = share * (ends[1] - ends[0])
    return ends[0] - pad, ends[1] + pad


def around(x: float, ends: Range) -> Range:
    """Return the part of the range that is at most an eighth of the range's length away from x."""
    radius = (ends[1] - ends[0]) / 8
    return max(ends[0], x - radius), min(ends[1], x + radius)


def clamp(number: float, ends: Range) -> float:
    """Return the number, or the nearest end of the range if the number is outside it."""
    return min(max(float(number), ends[0]), ends[1])


def place_and_step(x_range: Range, x: float | None, h: float, start: float) -> tuple[Range, float, float]:
    """Check x_range, x and h, and return their values as floats.

    If x is None, `start` is used instead, clipped to the range. A given x may lie outside the range, because
    the slider for x reports such a value; see `controls.slider`.

    Raises:
        ValueError: if the range is invalid, x is NaN, or h is not positive and finite.
    """
    x_range = checked_range(x_range)
    x = clamp(start, x_range) if x is None else x
    if math.isnan(x) or not 0 < h < math.inf:
        refuse(en="x must be a number, and h must be above 0", ko="x는 수여야 하고 h는 0보다 커야 합니다")
    return x_range, float(x), float(h)
