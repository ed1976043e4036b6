"""The language of the tests: how a question is shown, and what can be asked of it."""

import pytest

from secant import ask, check, leaf, tensor
from secant.checking import situation
from secant.checking.ask import asked_elsewhere, call_of


def halves(f, x, h):
    f(x + h)
    return (f(x) - f(x - h)).detach()


def test_a_call_is_shown_as_python_takes_it() -> None:
    told = call_of("halves(f, x, h)", {"f": "lambda t: t**2", "x": leaf([1.0, 2.0]), "h": 0.5})
    assert told == "halves(lambda t: t**2, x=[1, 2], h=0.5), float64"
    assert call_of("f(n, x)", {"n": 3, "x": tensor(1.0)}) == "f(3, x=1), float64"
    assert call_of("f(x, n)", {"w": leaf(1.0), "x": 2.0, "n": 3}) == "f(2.0, 3)"


def test_a_noted_function_tells_what_it_was_given() -> None:
    x = leaf([1.0, 2.0], "float32")
    answer = ask("halves(f, x, h)", {"noting": ("f",)}, f="lambda t: t**2", x=x, h=0.5)
    answer.given("f", "requires_grad", "dtype", "shape").equals([[True, "float32", [2]]] * 3)
    assert answer.given("f", "grad_fn").result == [["AddBackward0"], [""], ["SubBackward0"]]
    assert len(answer.again().given("f").result) == 6, "it adds up over the calls of a situation"
    assert len(answer.given("f").result) == 3, "and an earlier answer keeps what it saw"
    with pytest.raises(check.CheckFailed, match=r"what f was given \[dtype\]"):
        answer.given("f", "dtype").equals([["float64"]] * 3)


def test_what_is_no_tensor_is_noted_by_its_type() -> None:
    answer = ask("f(2)", {"noting": ("f",)}, f="lambda t: 2 * t")
    assert answer.returns(4).given("f", "dtype", "requires_grad").result == [["int", False]]


def test_questions_asked_ahead_are_answered_in_one_go() -> None:
    sent = []

    def put(request):
        sent.append(request["text"])
        return situation.put(request, {"scaled": lambda x: 2 * x})

    with asked_elsewhere(put):
        answer = ask("scaled(x)", {"ahead": ("scaled(x + 1)", "scaled(x)")}, x=leaf(3.0))
        elsewhere = answer.then("scaled(x + 1)").returns(tensor(8.0))
        assert answer.again().returns(tensor(6.0)).call == "scaled(x=3), float64, called a second time"
        elsewhere.still_returns(tensor(8.0))
        assert sent == ["scaled(x)"]
        answer.after("x.data += 1").returns(tensor(8.0))
    assert sent == ["scaled(x)", "scaled(x)"]


def test_a_result_that_a_later_call_overwrites_is_found() -> None:
    answer = ask("f(x)", f="lambda x, kept=torch.zeros(()).double(): kept.copy_(x.detach())", x=leaf(3.0))
    answer.returns(tensor(3.0)).after("x.data += 1").returns(tensor(4.0))
    with pytest.raises(check.CheckFailed, match="a later call changed an earlier result"):
        answer.still_returns(tensor(3.0))


def test_mistakes_are_worked_out_for_a_wrong_result_alone() -> None:
    worked_out = []
    answer = ask("f(2.0)", f="lambda t: 2 * t")

    def mistakes():
        worked_out.append("once")
        return {"the hint": 4.0}

    answer.returns(4.0, mistakes=mistakes)
    assert not worked_out
    with pytest.raises(check.CheckFailed, match="the hint"):
        answer.returns(5.0, mistakes=mistakes)
