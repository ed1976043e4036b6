from typing import Any

import pytest

from secant import check
from tests.support.settings import in_english  # noqa: F401


def _square(x: float) -> float:
    """Return the square of x if x is below 3; otherwise return x, which is wrong."""
    return x * x if x < 3 else x


def _compare(numbers: list[float], unit: str = "m") -> None:
    for x in numbers:
        check.close(_square(x), x * x, f"square({x}) {unit}", hint="beyond 3")


def _message(*case: Any, compare: Any = _compare) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        check.smallest(compare, *case)
    return str(failure.value)


def test_failing_case_is_reduced_to_the_simplest() -> None:
    assert _message([1.234, 5.678, 3.912]).startswith("square(6.0) m")
    check.smallest(_compare, [1.234, 2.5])


def test_the_fewest_items_that_fail_for_the_same_reason_are_shown() -> None:
    def compare(items: list[float], limit: float) -> None:
        check.holds(not items or max(items) < limit, f"f({items})", "too large")
        check.holds(sum(items) < 7, f"f({items})", "too much")

    with pytest.raises(check.CheckFailed) as failure:
        check.fewest(compare, [1.25, 9.125, 2.5, 8.0], 5.0)
    assert str(failure.value).startswith("f([8.0])\n  too large")
    with pytest.raises(check.CheckFailed) as failure:
        check.fewest(compare, [1.25, 4.0, 3.5], 5.0)
    assert str(failure.value).startswith("f([4.0, 3.5])\n  too much")
    check.fewest(compare, [1.25, 2.5], 5.0)


def test_simplified_case_still_fails_and_keeps_its_numbers_distinct() -> None:
    assert _message([3.4]).startswith("square(3.0) m")
    message = _message([3.412, 3.388])
    assert message.startswith("square(3.41) m"), "numbers that differ go on differing"

    def fail_at_one_point(x: float) -> None:
        check.close(0.0 if x == 5.678 else x, x, f"f({x})")

    assert _message(5.678, compare=fail_at_one_point).startswith("f(5.678)")


def test_a_simpler_case_fails_for_the_same_reason() -> None:
    def compare(x: float) -> None:
        reason = "a whole number" if x == round(x) else "a fraction"
        check.close(0.0, x, f"f({x})", hint=reason)

    assert _message(5.678, compare=compare).startswith("f(5.7)")


def test_error_while_shrinking_a_case_ends_the_search() -> None:
    def compare(x: float) -> None:
        if x != 5.678:
            raise ValueError("this test has no such case")
        check.close(0.0, x, f"f({x})")

    assert _message(5.678, compare=compare).startswith("f(5.678)")
