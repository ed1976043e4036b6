"""Graphs of Values as plain data, and what is said of an operation and of an order."""

import itertools
from typing import Any

import pytest

from secant.checking import recipes
from secant.checking.check import CheckFailed
from secant.value import Value

UNEVEN = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([2, 1], [4.0, 8.0]), ([3, 1], [1.0, 1.0])]


def test_values_are_made_as_the_recipe_says() -> None:
    x, y, z, *_ = recipes.build(Value, UNEVEN)
    assert (z.parents, z.slopes) == ((y, x), (2.0, 4.0))
    assert [value.data for value in recipes.build(Value, UNEVEN, alike=True)] == [1.0] * 5
    assert recipes.chain(2, 3.0) == [([], []), ([0], [3.0]), ([1], [3.0])]


def test_slopes_are_sums_over_paths() -> None:
    assert recipes.slopes_to(UNEVEN, 4) == [84, 17, 4, 1, 1]
    assert recipes.slopes_to(UNEVEN, 2) == [12, 2, 1, 0, 0]
    assert recipes.reached(UNEVEN, 2) == {0, 1, 2}


def test_topological_orders_are_told_from_others() -> None:
    good = [
        order
        for order in itertools.permutations(range(5))
        if recipes.too_early(UNEVEN, order) is None  # of this graph there is one
    ]
    assert good == [(4, 3, 2, 1, 0)]
    assert recipes.too_early(UNEVEN, (4, 3, 1, 2, 0)) == (1, 2)


class Added(Value):
    def __add__(self, other: Any) -> Any:
        return Value(self.data + other.data, (self, other), (1.0, 1.0))


def test_an_operation_is_recorded() -> None:
    found = recipes.operate(Added, "a + a", {"a": 2.0})
    assert (found["data"], found["slopes"], found["others"], found["even"]) == (4.0, {"a": 2.0}, [], True)
    recipes.check_operation({**found, "kind": "Value"}, "a + a", 4.0, {"a": 2.0})
    with pytest.raises(CheckFailed, match="slopes by operand"):
        recipes.check_operation(found, "a + a", 4.0, {"a": 1.0})
    assert "AttributeError" in recipes.operate(Added, "a + 1", {"a": 2.0})["raised"]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([4, 3, 1, 2, 0], "y stands before z"),
        ([4, 3, 2, 1], "missing: x"),
        ([4, 3, 2, 1, 0, 0], "more than once"),
        ([4, 3, 2, 1, 0, -1], "was not made from"),
    ],
)
def test_what_is_wrong_with_an_order_is_named(order: list[int], words: str) -> None:
    found = {"stopped": "", "orders": [("list", order)], "changed": False, "changes": []}
    with pytest.raises(CheckFailed, match=words):
        recipes.check_order(found, "a graph", "xyztw", UNEVEN, [4])


def test_a_call_that_does_not_end_is_stopped() -> None:
    class Endless(Value):
        def order(self) -> list[Any]:
            while True:
                pass

    assert recipes.ordered(Endless, UNEVEN, [4]) == {"stopped": "TimeoutError"}
