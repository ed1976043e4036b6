"""Tests of the base class of lesson 10's engine, and of the class with the same interface built on torch."""

import pytest

from secant.value import TorchValue, Value


def test_value_stores_data_parents_and_slopes() -> None:
    x = Value(2)
    y = Value(4.0, [x], [4.0])
    assert (x.data, x.grad, x.parents, x.slopes) == (2.0, 0.0, (), ())
    assert (y.parents, y.slopes) == ((x,), (4.0,))
    assert repr(y) == "Value(4, grad=0)"


def test_value_frame_defines_no_operation() -> None:
    with pytest.raises(TypeError):
        Value(2.0) + Value(3.0)  # type: ignore[operator]
    for name in ("__mul__", "__pow__", "order", "backward", "log"):
        assert not hasattr(Value, name)


def test_all_value_operations_are_built_from_three() -> None:
    x = TorchValue(3.0)
    for result, data, slope in (
        (2 + x, 5, 1),
        (2 * x, 6, 2),
        (-x, -3, -1),
        (x - 1, 2, 1),
        (1 - x, -2, -1),
        (x / 2, 1.5, 0.5),
        (6 / x, 2, -2 / 3),
        (x / x, 1, 0),
        (x.log().exp(), 3, 1),
        (x.relu() ** 2, 9, 6),
    ):
        x.grad = 0.0
        result.backward()
        assert result.data == pytest.approx(data)
        assert x.grad == pytest.approx(slope)


def test_leaf_gradients_accumulate_and_passes_are_counted() -> None:
    TorchValue.passes = 0
    x = TorchValue(3)
    y = x * x
    y.backward()
    y.backward()
    assert (x.grad, TorchValue.passes) == (12.0, 2)
    x.data -= 0.1 * x.grad
    assert x.data == pytest.approx(1.8, rel=1e-15)


def test_intermediate_value_gets_a_gradient_too() -> None:
    x = TorchValue(3.0)
    y = x * 2
    (y * y).backward()
    assert (y.grad, x.grad) == (12.0, 24.0)


def test_gradients_can_be_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TorchValue, "scale", 3.0)
    x = TorchValue(2.0)
    x.grad = 6.0
    y = x * x
    y.backward()
    y.backward()
    assert (x.grad, y.grad) == (30.0, 6.0)
