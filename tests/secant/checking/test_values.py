"""Tests of how the student's process creates a question's Values, and reads them as plain data."""

from typing import Any

import pytest

from secant import ask
from secant.checking import recipes, values
from tests.secant.checking.test_recipes import UNEVEN, Value
from tests.support.settings import in_english, preserved_settings  # noqa: F401


def test_values_are_built_from_a_recipe() -> None:
    x, y, z, *_ = values.build(Value, UNEVEN)
    assert (z.parents, z.slopes) == ((y, x), (2.0, 4.0))
    assert values.chain(2, 3.0) == [([], []), ([0], [3.0]), ([1], [3.0])]
    assert len(values.diamonds(40)) == 121
    even, odd = values.diamonds(2, uneven=True)[4], values.diamonds(2, uneven=True)[8]
    assert (even[0], odd[0]) == ([3, 2], [5, 7])


def test_recipes_exports_the_public_names_of_values() -> None:
    public = [name for name in vars(values) if name in vars(recipes) and name[:1] != "_"]
    assert all(getattr(recipes, name) is getattr(values, name) for name in public)
    assert {"build", "chain", "compared_in_steps", "diamonds", "on_torch", "with_order"} <= set(public)


def test_bool_counts_as_a_number_only_in_slopes() -> None:
    x = Value(2.0)
    result = Value(1.0, (x, x), (True, x))
    result.grad = True
    data = values.plain(result, {id(x): "x"})
    assert (data["grad"], data["slopes"]) == ("bool", [1.0, "Value"])


def test_values_in_a_list_are_named_by_index() -> None:
    assert ask("v[2].order()", v="recipes.build(Value, recipes.chain(2))").result == ["v[2]", "v[1]"]


@pytest.mark.parametrize(("code", "error"), [("z in list(v)", "TimeoutError"), ("z in set(v)", "")])
def test_searching_a_list_of_values_counts_as_steps(code: str, error: str) -> None:
    v = "recipes.build(recipes.compared_in_steps(Value), recipes.chain(999))"
    answer = ask(code, {"steps": 900}, v=v, z="recipes.compared_in_steps(Value)(0.0)")
    assert (answer.seen["stopped"] or "") == error


def fit_line(points: Any, steps: int, lr: float) -> Any:
    a = Value(1.0)
    (a * a).backward()
    return type(a).__name__, a.grad


def test_fit_line_runs_with_torch_values() -> None:
    answer = ask("fit_line(points, 1, 2)", fit_line="recipes.on_torch(fit_line, 3.0)", points=[(1.0, 2.0)])
    assert (answer.call, answer.result) == ("fit_line([(1.0, 2.0)], 1, 2)", ("TorchValue", 6.0))
    assert answer.then("fit_line.passes").result == 1
