"""Tests of Value graphs in questions, and of checks of operations, topological orders and backward passes."""

import itertools
from typing import Any

import pytest

import secant
from secant import ask
from secant.checking import recipes, values
from secant.checking.check import CheckFailed
from tests.support.settings import in_english, preserved_settings  # noqa: F401

UNEVEN = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([2, 1], [4.0, 8.0]), ([3, 1], [1.0, 1.0])]
AB = {"a": "Value(2.0)", "b": "Value(3.0)"}


class Value(secant.Value):
    """A subclass of Value as a student may write it, with some right and some wrong methods."""

    def __add__(self, other: Any) -> Any:
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Any) -> Any:
        self.grad = 0.0
        self._last = other
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, number: float) -> Any:
        return {"type": "Value", "data": self.data**number, "grad": 0.0, "parents": ["a"], "slopes": [1.0]}

    def order(self) -> list[Any]:
        return [self, *self.parents]

    def names(self) -> list[str]:
        return ["z", "y", "x"]

    def backward(self) -> None:
        self.grad = 1.0
        for value in self.order():
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


def test_a_recipe_is_written_as_arguments() -> None:
    arguments = {"x": "Value(1.0)", "y": "Value(2.0, (x,), (3.0,))", "z": "Value(3.0, (y,), (3.0,))"}
    assert recipes.graph("xyz", values.chain(2, 3.0)) == arguments
    assert recipes.graph("xy", values.chain(1), alike=True)["y"] == "Value(1.0, (x,), (1.0,))"


def test_ancestors_of_a_value_are_found_by_index() -> None:
    assert recipes.places_behind(UNEVEN, 2) == {0, 1, 2}
    assert recipes.made_from([([], []), ([0], [1.0]), ([0], [1.0])]) == [0b001, 0b011, 0b101]


def test_only_topological_orders_are_accepted() -> None:
    orders = [
        order
        for order in itertools.permutations(range(5))
        if recipes.too_early(UNEVEN, order) is None  # this graph has only one such order
    ]
    assert orders == [(4, 3, 2, 1, 0)]
    assert recipes.too_early(UNEVEN, (4, 3, 1, 2, 0)) == (1, 2)


def test_a_new_value_comes_back_as_plain_data() -> None:
    answer = ask("a + a", **AB)
    slopes = {"slopes": [1.0, 1.0], "parents": ["a", "a"]}
    assert answer.result == {"type": "Value", "data": 4.0, "grad": 0.0, **slopes}
    assert recipes.check_operation(answer, 4.0, {"a": 2.0}) == []
    with pytest.raises(CheckFailed, match=r"a \+ a, a = Value\(2.0\): slopes by operand"):
        recipes.check_operation(answer, 4.0, {"a": 1.0})


@pytest.mark.parametrize("call", ["a", "a if a.data else b"])
def test_operation_that_returns_its_operand_is_refused(call: str) -> None:
    with pytest.raises(CheckFailed, match="the result is an operand itself"):
        recipes.check_operation(ask(call, **AB), 2.0, {"a": 1.0})


def test_operation_that_returns_an_earlier_result_is_refused() -> None:
    answer = ask("f(a)", a="Value(2.0)", f="(lambda kept: lambda a: kept.setdefault(0, a + a))({})")
    assert answer.again().result == ""


def test_dict_that_imitates_a_value_is_refused() -> None:
    with pytest.raises(CheckFailed, match="a Value was expected"):
        recipes.check_operation(ask("a**2", **AB), 4.0, {"a": 1.0})


def test_changed_attributes_of_a_value_are_detected() -> None:
    answer = ask("a * b", {"before": "a.grad = 0.5"}, **AB)
    assert answer.seen["changes"] == [("grad", "a"), ("fields", "a")]
    with pytest.raises(CheckFailed, match=r"a.grad is not what it was .*\n  something was left on a"):
        answer.changes_nothing()


def ask_for_order(call: str) -> Any:
    return ask(call, **recipes.graph("xyztw", UNEVEN))


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        ("[w, t, y, z, x]", "y comes before z"),
        ("[w, t, z, y]", "missing: x"),
        ("[w, t, z, y, x, x]", "more than once"),
        ("[w, t, z, y, x, Value(1.0)]", "was not made from"),
        ("['w', 't', 'z', 'y', 'x']", "missing: x"),
        ("(w, t, z, y, x)", "return a list"),
    ],
)
def test_each_fault_of_an_order_is_named(call: str, pattern: str) -> None:
    recipes.check_order(ask_for_order("[w, t, z, y, x]"), "xyztw", UNEVEN, 4)
    with pytest.raises(CheckFailed, match=pattern):
        recipes.check_order(ask_for_order(call), "xyztw", UNEVEN, 4)


def test_backward_pass_is_tested_with_the_tests_own_order() -> None:
    graph = recipes.graph("xyztw", UNEVEN)
    value_class, slopes = (
        f"recipes.with_order(Value, {recipes.made_from(UNEVEN)})",
        [84.0, 17.0, 4.0, 1.0, 1.0],
    )
    answer = ask("w.backward()", Value=value_class, **graph)
    assert answer.call.startswith("w.backward(), x = Value(1.0), y = ")
    recipes.check_passes(answer, "xyztw", UNEVEN, [4], [0.0] * 5, [slopes])
    second_answer = ask("w.backward()", Value=value_class, **graph)
    with pytest.raises(CheckFailed, match="still held what was in it"):
        recipes.check_passes(second_answer, "xyztw", UNEVEN, [4, 4], [0.0] * 5, [slopes, slopes])
