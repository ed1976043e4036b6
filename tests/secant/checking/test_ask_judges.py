"""Tests of `ask` with code below the call and with recorded warnings, and of `judge`."""

import warnings
from typing import Any

import pytest
import torch

from secant import check
from secant.checking.ask import ask, judge, tensor


def failure_message(*arguments: Any, **options: Any) -> str:
    with pytest.raises(check.CheckFailed) as error:
        judge(*arguments, **options)
    return str(error.value)


def double(x: torch.Tensor) -> torch.Tensor:
    warnings.warn("doubled. Twice as much", stacklevel=1)
    return 2 * x


def test_code_below_the_call_stands_below_each_message_and_never_in_its_call() -> None:
    answer = ask("y = double(x)", {"below": "double(x) = 2 * x", "warned": True}, x=tensor(3.0))
    later_answers = {
        "then": answer.then("x + 1"),
        "again": answer.again(),
        "after": answer.after("x.data += 1"),
    }
    first = "y = double(x=3), float64"
    assert answer.call == f"{first}\n    double(x) = 2 * x"
    for later_answer in later_answers.values():
        call, code = later_answer.call.split("\n")
        assert call.startswith(first)
        assert code == "    double(x) = 2 * x"
    with pytest.raises(check.CheckFailed) as error:
        answer.still_returns(tensor(5.0))
    assert str(error.value).count("\n    double(x) = 2 * x\n") == 1


def test_warning_of_an_answer_fails_with_its_hint() -> None:
    answer = ask("torch.neg(x)", {"warned": True}, x=tensor(3.0))
    answer.warns_nothing("do not warn")
    with pytest.raises(check.CheckFailed, match=r"doubled\n.*: do not warn"):
        ask("double(x)", {"warned": True}, x=tensor(3.0)).warns_nothing("do not warn")


def test_mistake_is_recognised_by_value_or_by_predicate() -> None:
    mistakes = {"doubled": (tensor(6.0), tensor(7.0)), "lost": torch.isnan}
    judge(tensor(3.0), tensor(3.0), "f(x)", mistakes=mistakes)
    assert "doubled" in failure_message(tensor(7.0), tensor(3.0), "f(x)", mistakes=mistakes)
    assert "lost" in failure_message(tensor(float("nan")), tensor(3.0), "f(x)", mistakes=mistakes)
    assert "other" in failure_message(tensor(4.0), tensor(3.0), "f(x)", mistakes=mistakes, hint="other")
