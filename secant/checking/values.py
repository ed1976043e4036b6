"""Functions that make lesson 10's Values for a question, and read them as plain data.

They run in the candidate (the process that runs the student's code).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from secant.value import TorchValue

# The plan of a graph of Values. For each Value, in the order of creation, it holds the positions of the
# Value's parents, and its slopes with respect to them.
Recipe = Sequence[tuple[Sequence[int], Sequence[float]]]


def build(kind: Callable[..., Any], recipe: Recipe) -> list[Any]:
    """Return the Values of a graph, in the order of its recipe (the plan); their data are 1, 2, 3, ...

    Use this function for a graph with too many Values to name individually.
    """
    values: list[Any] = []
    for number, (parents, slopes) in enumerate(recipe, 1):
        values.append(kind(float(number), tuple(values[p] for p in parents), tuple(slopes)))
    return values


def chain(length: int, slope: float = 1.0) -> list[tuple[list[int], list[float]]]:
    """Return the recipe (the plan) of a chain: a Value and `length` more, each made from the previous one."""
    return [([], []), *(([place], [slope]) for place in range(length))]


def diamonds(count: int, uneven: bool = False) -> list[tuple[list[int], list[float]]]:
    """Return the recipe (the plan) of a graph of `count` diamonds in a row, with two paths through each.

    Both paths have two edges. If `uneven`, one path of each diamond has three edges, on alternating sides.
    """
    recipe: list[tuple[list[int], list[float]]] = [([], [])]
    for number in range(count):
        top = len(recipe) - 1
        recipe += [([top], [1.0]), ([top], [1.0])]
        sides = [top + 1, top + 2]
        if uneven:
            recipe.append(([sides[number % 2]], [1.0]))
            sides[number % 2] = top + 3
        recipe.append((sides, [1.0, 1.0]))
    return recipe


def with_order(kind: type[Any], masks: Sequence[int]) -> type[Any]:
    """Return a class of Values with the test's own order(), in which the Value made last comes first.

    Args:
        kind: the student's class.
        masks: for each Value of the test, in the order of creation, the bit mask that `made_from` returns.
            So order() works only on the test's own Values.
    """
    instances: list[Any] = []
    places: dict[int, int] = {}

    class Value(kind):
        def __init__(self, *fields: Any) -> None:
            super().__init__(*fields)
            places[id(self)] = len(instances)
            instances.append(self)

        def order(self) -> list[Any]:
            mask = masks[places[id(self)]]
            return [instances[place] for place in reversed(range(mask.bit_length())) if mask >> place & 1]

    return Value


def compared_in_steps(kind: type[Any]) -> type[Any]:
    """Return a class of Values whose comparisons, as in a search through a list, count as Python steps."""

    class Value(kind):
        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = object.__hash__

    return Value


class on_torch:
    """A wrapper that runs a student's `fit_line` with a Value class built on torch instead of the student's.

    Args:
        fit_line: the student's function.
        scale: the factor by which every gradient is multiplied. A gradient that the student's code does not
            read from a Value lacks this factor, and so is detected.

    Attributes:
        passes: the number of backward passes that the last call made.
    """

    def __init__(self, fit_line: Callable[..., Any], scale: float = 1.0) -> None:
        self._fit_line, self._scale = fit_line, scale
        self.passes = 0

    def __call__(self, *arguments: Any) -> Any:
        """Return the function's result, computed with TorchValue instead of the student's Value."""
        names = self._fit_line.__globals__
        own_class = names.get("Value")
        names["Value"], TorchValue.passes, TorchValue.scale = TorchValue, 0, self._scale
        try:
            return self._fit_line(*arguments)
        finally:
            names["Value"], TorchValue.scale = own_class, 1.0
            self.passes = TorchValue.passes


def is_value(value: Any) -> bool:
    """Return whether an object is an instance of a Value class, the student's or any other."""
    return all(hasattr(value, name) for name in ("parents", "slopes", "data", "grad"))


def fields(value: Any) -> dict[str, Any]:
    """Return the contents of a Value and the names of its attributes, to detect later changes."""
    return {
        "data": value.data,
        "grad": value.grad,
        "parents": tuple(map(id, value.parents)),
        "slopes": tuple(value.slopes),
        "fields": sorted(vars(value)),
    }


def plain(result: Any, names: Mapping[int, str], depth: int = 6) -> Any:
    """Return a result in which each Value is replaced by plain data.

    Args:
        result: the result of a question.
        names: the names of the Values that existed before the question, keyed by id.
        depth: how deep to look into lists and tuples; a list may contain itself.

    A Value that existed before is replaced by its name. A new Value is replaced by a dict with its type, its
    data, its grad, its slopes and its parents. Data, grad and slopes are given as numbers, or as the name of
    the type of an object that is not a number. A parent is given by its name, or by its data if it is an
    unknown Value. A string or a dict that the student's code returned is replaced by its type, to distinguish
    it from these replacements.
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


def is_number(value: Any) -> bool:
    """Return whether an object is a number; a bool does not count as one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float | str:
    """Return a number as a float; for any other object, return the name of its type."""
    return float(value) if is_number(value) else type(value).__name__


def _slope(value: Any) -> float | str:
    """Return a slope as `_number` does, but also accept a bool, such as `x > 0` for the slope of relu."""
    return float(value) if isinstance(value, bool) else _number(value)


def _number_of(parent: Any) -> float | str:
    return _number(parent.data) if is_value(parent) else f"<{type(parent).__name__}>"
