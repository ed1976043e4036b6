"""Tests of correct and faulty autograd engines, on graphs that reveal the fault and on graphs that do not."""

from typing import Any

import pytest

from secant.checking.engines import engine
from secant.value import Value

OPTIONS = [{"turned": turned, "merged": merged} for turned in (False, True) for merged in (False, True)]


def chain(x: Any) -> Any:
    return (x**3).log()


def even(x: Any) -> Any:
    u = x**2
    return u**2 + u * x**3


def uneven(x: Any) -> Any:
    y = x**2
    return y * (y * x) + y


def gradient_after(f: Any, calls: int, *bug: Any, **options: Any) -> float:
    x = engine(*bug, **options)(2.0)
    w = f(x)
    for _ in range(calls):
        w.backward()
    return float(x.grad)


@pytest.mark.parametrize("options", OPTIONS)
def test_engines_without_a_bug_give_the_right_gradients(options: Any) -> None:
    for f, slope in ((chain, 1.5), (even, 112.0), (uneven, 84.0), (lambda x: x * x + (x + x), 6.0)):
        assert [gradient_after(f, calls, **options) for calls in (1, 2)] == pytest.approx([slope, 2 * slope])
    x = engine(**options)(0.5)
    (x.exp().log() + x.relu() - x / 2).backward()
    assert (x.grad, x.relu().data) == (pytest.approx(1.5), 0.5)
    x.grad = 0.0
    (-x).relu().backward()
    assert x.grad == 0.0


@pytest.mark.parametrize("options", OPTIONS)
def test_each_engine_bug_affects_only_its_kind_of_graph(options: Any) -> None:
    for kind in ("all", "leaves", "inner"):
        assert gradient_after(chain, 1, "assign", kind, **options) == 1.5
        assert gradient_after(even, 1, "assign", kind, **options) != 112
    assert [gradient_after(f, 1, "breadth", **options) for f in (chain, even)] == [1.5, 112]
    assert gradient_after(uneven, 1, "breadth", **options) == (20 if options["turned"] else 52)
    for itself, second_gradient in ((False, 4.5), (True, 6.0)):
        assert [gradient_after(f, 1, "kept", itself=itself, **options) for f in (even, uneven)] == [112, 84]
        assert gradient_after(chain, 2, "kept", itself=itself, **options) == pytest.approx(second_gradient)


def test_the_gradient_that_replaces_the_others_depends_on_the_order() -> None:
    def sum_of_powers(x: Any) -> Any:
        return x**2 + x**3

    assert [
        gradient_after(sum_of_powers, 1, "assign", "leaves", turned=turned) for turned in (False, True)
    ] == [4.0, 12.0]
    # Every order visits the product before the square, so x receives its gradient from the square last.
    for turned in (False, True):
        assert gradient_after(lambda x: x * (x**2), 1, "assign", "leaves", turned=turned) == 8.0


def test_engine_of_a_long_chain_takes_little_memory() -> None:
    x = engine("breadth")(1.0)
    w = x
    for _ in range(3000):
        w = w + x
    w.backward()
    assert x.grad == 1.0 + 3000.0


def test_backward_from_several_values_resets_inner_gradients() -> None:
    x = engine()(3.0)
    y = x * 7
    for _ in range(2):
        (y * 2).backward()
        (y * 3).backward()
    assert (x.grad, y.grad) == (70.0, 3.0)
    x.backward()
    assert x.grad == 71.0


def test_engine_attributes_do_not_reveal_its_bug() -> None:
    assert vars(engine("kept")).keys() == vars(engine()).keys()
    a = engine()(3.0)
    assert len((a * a).tensor.grad_fn.next_functions) == 2
    b = engine(merged=True)(3.0)
    assert len((b * b).tensor.grad_fn.next_functions) == 1


def test_engine_values_pass_no_task_of_lesson_10() -> None:
    a = engine()(3.0)
    assert ((a * a).parents, (a * a).slopes) == ((), ())
    with pytest.raises(TypeError):
        engine()(4.0, (a,), (4.0,))
    b = Value(4.0, (Value(2.0),), (4.0,))
    with pytest.raises(AttributeError):
        engine().backward(b)
