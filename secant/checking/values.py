"""Values of lesson 10 in the process of the student's code: made for a question, and read as plain data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from secant.value import TorchValue

# For each Value, in the order in which they are made: the places of its parents, and the slopes.
Recipe = Sequence[tuple[Sequence[int], Sequence[float]]]


def build(kind: Callable[..., Any], recipe: Recipe) -> list[Any]:
    """Return the Values of a recipe too large to name them; their data are 1, 2, 3, ..."""
    made: list[Any] = []
    for number, (parents, slopes) in enumerate(recipe, 1):
        made.append(kind(float(number), tuple(made[p] for p in parents), tuple(slopes)))
    return made


def chain(length: int, slope: float = 1.0) -> list[tuple[list[int], list[float]]]:
    """Return the recipe of a Value and so many others, each made from the one before."""
    return [([], []), *(([place], [slope]) for place in range(length))]


def diamonds(count: int, uneven: bool = False) -> list[tuple[list[int], list[float]]]:
    """Return the recipe of so many diamonds in a row: two paths lead through each.

    Both have two edges; or, if they are to be uneven, the one side and the other have three in turn.
    """
    made: list[tuple[list[int], list[float]]] = [([], [])]
    for number in range(count):
        top = len(made) - 1
        made += [([top], [1.0]), ([top], [1.0])]
        sides = [top + 1, top + 2]
        if uneven:
            made.append(([sides[number % 2]], [1.0]))
            sides[number % 2] = top + 3
        made.append((sides, [1.0, 1.0]))
    return made


def with_order(kind: type[Any], within: Sequence[int]) -> type[Any]:
    """Return a class of Values whose order() is the test's: what was made last comes first.

    Args:
        kind: the student's class.
        within: for each Value of the test, in the order in which they are made, what `made_from` returns. So
            the order is known here only for the test's own Values.
    """
    made: list[Any] = []
    places: dict[int, int] = {}

    class Value(kind):
        def __init__(self, *fields: Any) -> None:
            super().__init__(*fields)
            places[id(self)] = len(made)
            made.append(self)

        def order(self) -> list[Any]:
            bits = within[places[id(self)]]
            return [made[place] for place in reversed(range(bits.bit_length())) if bits >> place & 1]

    return Value


def compared_in_steps(kind: type[Any]) -> type[Any]:
    """Return a class of Values whose comparisons count as steps, such as those of a search through a list."""

    class Value(kind):
        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = object.__hash__

    return Value


class on_torch:
    """A student's `fit_line` with torch's Value in the place of its own.

    Args:
        fit: the function.
        scale: what every gradient is multiplied by, so that one that is not read from a Value shows.

    Attributes:
        passes: how many backward passes the last call made.
    """

    def __init__(self, fit: Callable[..., Any], scale: float = 1.0) -> None:
        self._fit, self._scale = fit, scale
        self.passes = 0

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function returns."""
        names = self._fit.__globals__
        mine = names.get("Value")
        names["Value"], TorchValue.passes, TorchValue.scale = TorchValue, 0, self._scale
        try:
            return self._fit(*arguments)
        finally:
            names["Value"], TorchValue.scale = mine, 1.0
            self.passes = TorchValue.passes


def is_value(thing: Any) -> bool:
    """Whether something is a Value, of the student's class or another."""
    return all(hasattr(thing, name) for name in ("parents", "slopes", "data", "grad"))


def fields(value: Any) -> dict[str, Any]:
    """Return what a Value holds, and under "fields" the names of all that: two looks can be compared."""
    return {
        "data": value.data,
        "grad": value.grad,
        "parents": tuple(map(id, value.parents)),
        "slopes": tuple(value.slopes),
        "fields": sorted(vars(value)),
    }


def plain(result: Any, names: Mapping[int, str], depth: int = 6) -> Any:
    """Return a result with plain data in the place of Values.

    Args:
        result: what came back.
        names: the names of the Values that were there before, by id.
        depth: how deep to look into lists and tuples; a list may contain itself.

    A Value that was there before is its name. A new one is a dict: its type; data and grad, each a number, or
    the type of what is none; slopes, a list of such; parents, a list of names, of strangers their numbers.
    So a string or a dict of the student's own is only its type.
    """
    if id(result) in names:
        return names[id(result)]
    if is_value(result):
        return {
            "type": type(result).__name__,
            "data": _number(result.data),
            "grad": _number(result.grad),
            "slopes": [_slope(slope) for slope in result.slopes],
            "parents": [names.get(id(parent)) or _number_of(parent) for parent in result.parents],
        }
    if depth and type(result) in (list, tuple):
        return type(result)(plain(part, names, depth - 1) for part in result)
    return f"<{type(result).__name__}>" if isinstance(result, str | dict) else result


def is_number(thing: Any) -> bool:
    """Return whether something is a number; a bool is none."""
    return isinstance(thing, int | float) and not isinstance(thing, bool)


def _number(thing: Any) -> float | str:
    """Return a number as a float, of anything else the type's name."""
    return float(thing) if is_number(thing) else type(thing).__name__


def _slope(thing: Any) -> float | str:
    """Return a slope as `_number` does, and True and False too, which `x > 0` makes of relu's slope."""
    return float(thing) if isinstance(thing, bool) else _number(thing)


def _number_of(parent: Any) -> float | str:
    return _number(parent.data) if is_value(parent) else f"<{type(parent).__name__}>"
