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


def test_what_is_left_on_a_value_shows() -> None:
    class Greedy(Added):
        def __add__(self, other: Any) -> Any:
            self.grad = 0.0
            return super().__add__(other)

        def order(self) -> list[Any]:
            self._order = [self]
            return self._order

    assert recipes.operate(Greedy, "a + b", {"a": 1.0, "b": 2.0})["changed"] == ["a"]
    assert recipes.ordered(Greedy, [([], [])], [0])["changed"]


def test_what_is_no_new_value_shows() -> None:
    class Kept(Value):
        def __add__(self, other: Any) -> Any:
            return self

    found = recipes.operate(Kept, "a + a", {"a": 1.0})
    assert (found["old"], found["lost"]) == (True, ["a"])
    with pytest.raises(CheckFailed, match="an operand itself"):
        recipes.check_operation({**found, "kind": "Value"}, "a + a", 2.0, {"a": 2.0})
    with pytest.raises(CheckFailed, match="no parent of the result"):
        recipes.check_operation({**found, "kind": "Value", "old": False}, "a + a", 1.0, {"a": 2.0})


class Back(Value):
    def order(self) -> list[Any]:
        raise NotImplementedError  # the tests bring their own

    def backward(self) -> None:
        for value in self.order():
            value.grad = 0.0 if value.parents else value.grad
        self.grad += 1.0
        for value in self.order():
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


HELD = [7.0, 2.0, -1.0, 0.5, 3.0]


def test_passes_are_right() -> None:
    found = recipes.passed(Back, UNEVEN, [4, 2, 0], HELD)
    assert found["calls"][0] == ([91.0, 17.0, 4.0, 1.0, 1.0], "NoneType", False)
    recipes.check_passes(found, "a graph", "xyztw", UNEVEN, [4, 2, 0], HELD)


@pytest.mark.parametrize(
    ("grads", "words"),
    [
        ([84.0, 17.0, 4.0, 1.0, 1.0], "a leaf lost what it held"),
        ([91.0, 0.0, 0.0, 0.0, 1.0], "is gone"),
        ([7.0, 0.0, 0.0, 0.0, 0.0], "nothing flows"),
        ([500.0, 19.0, 4.0, 1.0, 1.0], "still held"),
        ([15.0, 11.0, 4.0, 1.0, 1.0], "sums of local slopes"),
        ([50.0, 9.0, 4.0, 1.0, 1.0], "adds up what it receives"),
        ([91.00001, 17.0, 4.0, 1.0, 1.0], "do not round"),
    ],
)
def test_what_is_wrong_with_a_pass_is_named(grads: list[float], words: str) -> None:
    found = {"calls": [(grads, "NoneType", False)], "changes": []}
    with pytest.raises(CheckFailed, match=words):
        recipes.check_passes(found, "a graph", "xyztw", UNEVEN, [4], HELD)


def test_a_stranger_and_a_leaf_alone_are_named() -> None:
    two: list[Any] = [([], []), ([], [])]
    for grads, words in (([3.0, 0.0], "nothing to do with it"), ([9.0, 4.0], "grows by 1")):
        found = {"calls": [(grads, "NoneType", False)], "changes": []}
        with pytest.raises(CheckFailed, match=words):
            recipes.check_passes(found, "two leaves", "xa", two, [0], [2.0, 4.0])


def test_a_call_that_does_not_end_is_stopped() -> None:
    class Endless(Value):
        def order(self) -> list[Any]:
            while True:
                pass

    assert recipes.ordered(Endless, UNEVEN, [4]) == {"stopped": "TimeoutError"}
