"""What an explorer's arguments may be, in words where they may not, and the ranges they are moved into."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from secant.explorers.kit.difference import Function, Functions, by_name, name_of
from secant.language import say

Range = tuple[float, float]
Pairs = Sequence[Function] | Mapping[str, Sequence[Function]]  # one pair, or several by name

LOG_H: Range = (-15.5, 0.5)  # a step's slider, log10: 16 wide in steps of 1/16, all exact in the page too

NEAR_LOG_H: Range = (-4.0, 0.5)  # where an eye sees the secant turn, and float64 shows no rounding


def refuse(*, en: str, ko: str) -> NoReturn:
    """Raise ValueError for an argument that makes no sense."""
    raise ValueError(say(en=en, ko=ko))


def checked_range(ends: Range, name: str = "x_range") -> Range:
    """Return the ends of a slider as floats.

    Raises:
        ValueError: unless they are finite and go upwards.
    """
    low, high = map(float, ends)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        refuse(
            en=f"{name} must go from a smaller to a larger number",
            ko=f"{name}: 작은 수와 큰 수를 이 순서로 주세요",
        )
    return low, high


def check_choice(name: str, value: object, options: Iterable[object]) -> None:
    """Refuse a value that is none of the options."""
    if value not in (known := list(options)):
        listed = ", ".join(map(str, known))
        refuse(en=f"{name} must be one of {listed}", ko=f"{name}: {listed} 가운데 하나를 고르세요")


def first_or(value: str | None, name: str, options: Iterable[str]) -> str:
    """Return the value, which is one of the options, or else the first of them."""
    known = list(options)
    if value is None:
        return known[0]
    check_choice(name, value, known)
    return value


def check_named(name: str, pairs: Collection[object], most: int) -> None:
    """Refuse what is not 1 to `most` pairs of a name and a function, such as an explorer's steps."""

    def is_named(pair: object) -> bool:
        return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)

    if not (1 <= len(pairs) <= most and all(map(is_named, pairs))):
        refuse(
            en=f"{name} must be a list of 1 to {most} pairs of a name and a function, "
            'such as [("y", torch.sin)]',
            ko=f"{name}: 이름과 함수의 쌍을 1개에서 {most}개까지 담은 리스트를 주세요. "
            '예: [("y", torch.sin)]',
        )


def some_by_name(
    name: str, functions: Functions | None, built_in: Mapping[str, Function]
) -> Mapping[str, Function]:
    """Return the functions given to an explorer, by name, or else those built in; refuse none at all."""
    named = built_in if functions is None else by_name(functions)
    if not named:
        refuse(en=f"{name} needs at least one function", ko=f"{name}에는 함수가 하나 이상 필요합니다")
    return named


def pairs_by_name(name: str, pairs: Pairs, letters: tuple[str, str]) -> dict[str, tuple[Function, Function]]:
    """Return a pair of functions, or several by name, all by name; refuse anything else for an explorer."""
    named: Mapping[str, Sequence[Function]] = pairs if isinstance(pairs, Mapping) else {"": pairs}
    if not named or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in named.values()):
        both = ", ".join(letters)
        refuse(
            en=f"{name} takes a pair of functions ({both}), or a dict of such pairs by name",
            ko=f"{name}: 함수 두 개 ({both})를 주거나, 그런 쌍을 이름별로 담은 딕셔너리를 주세요",
        )
    if not isinstance(pairs, Mapping):
        named = {", ".join(map(name_of, pair, letters)): pair for pair in named.values()}
    return {str(known): (pair[0], pair[1]) for known, pair in named.items()}


def padded(ends: Range, share: float = 0.05) -> Range:
    """Return the ends, moved apart by a share of the range each."""
    pad = share * (ends[1] - ends[0])
    return ends[0] - pad, ends[1] + pad


def around(x: float, ends: Range) -> Range:
    """Return the range of x that are at most an eighth of the whole from the one given, and inside it."""
    reach = (ends[1] - ends[0]) / 8
    return max(ends[0], x - reach), min(ends[1], x + reach)


def clamp(number: float, ends: Range) -> float:
    """Return the number, or the end of the range that is nearest to it."""
    return min(max(float(number), ends[0]), ends[1])


def place_and_step(x_range: Range, x: float | None, h: float, start: float) -> tuple[Range, float, float]:
    """Return x's range, x as it was given, or the start moved into the range, and h; see `controls.slider`.

    Raises:
        ValueError: if the range has no extent, x is no number, or h is not above 0, or infinite.
    """
    x_range = checked_range(x_range)
    x = clamp(start, x_range) if x is None else x
    if math.isnan(x) or not 0 < h < math.inf:
        refuse(en="x must be a number, and h must be above 0", ko="x는 수여야 하고 h는 0보다 커야 합니다")
    return x_range, float(x), float(h)
