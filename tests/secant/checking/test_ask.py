"""Tests of `ask`, which test cells call: the text of a question, its answer, and a check's message."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from secant import ask, check, leaf, tensor
from secant.catalogue import Hints
from secant.checking import situation
from secant.checking.ask import Answer, call_of, use_transport
from tests.support.settings import in_english, preserved_settings  # noqa: F401


def gradient(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(f(x).sum(), x)[0]


def fill(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor | None:
    f(x).sum().backward()
    return x.grad


def refuse(x: torch.Tensor) -> None:
    raise ValueError("not today")


def failure_message(run_check: Callable[[], object]) -> str:
    with pytest.raises(check.CheckFailed) as error:
        run_check()
    return str(error.value)


def ask_about_square(function: str, **options: Any) -> Answer:
    return ask(f"{function}(f, x)", f="lambda t: t**2", x=leaf([1.0, 2.0], **options))


def test_right_answer_passes_every_kind_of_check() -> None:
    answer = ask_about_square("gradient", grad=9.0)
    answer.returns(tensor([2.0, 4.0]), nearly="nearly").changes_nothing().is_untracked()
    answer.owns_its_memory().keeps_buffers()
    answer.again().returns(tensor([2.0, 4.0]))
    answer.after("x.data += 1").returns(tensor([4.0, 6.0]))
    answer.still_returns(tensor([2.0, 4.0]))


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("f(g, x)", {"g": "torch.sin", "x": leaf(2.0)}, "f(torch.sin, x=2), float64"),
        ("f(x, h)", {"x": tensor([1.0], "float32"), "h": 0.5}, "f(x=[1], h=0.5), float32"),
        ("a + b", {"a": 2.0, "b": 3.0}, "a + b, a = 2.0, b = 3.0"),
        ("f(g, x)", {"g": "lambda t: w * t", "x": 1.0, "w": 3.0}, "f(lambda t: w * t, 1.0), w = 3.0"),
        ("f(x)", {"x": leaf([1.0], grad=7.0), "unused": 3}, "f(x=[1]), float64, x.grad = 7.0"),
        ("f(x)", {"x": leaf([1.0], layout="slice")}, "f(x=[1]), float64, x a slice"),
        ("f(t, x)", {"x": "leaf(2.0)", "t": "x * x"}, "f(x * x, x), x = leaf(2.0)"),
        ("f(x)", {"x": torch.zeros(5, 5)}, "f(x=a tensor of shape (5, 5)), float32"),
    ],
)
def test_a_question_prints_as_the_call_that_a_student_would_type(
    text: str, arguments: dict[str, Any], expected: str
) -> None:
    assert call_of(text, arguments) == expected


@pytest.mark.parametrize(
    ("run_check", "cause"),
    [
        (lambda answer: answer.changes_nothing(), "x.grad is not what it was before the call"),
        (lambda answer: answer.owns_its_memory(), "alias of an argument"),
        (lambda answer: answer.again().returns(tensor([2.0, 4.0])), "second of two equal calls"),
        (lambda answer: answer.after("x.data += 1").returns(tensor([4.0, 6.0])), "the call before"),
        (lambda answer: answer.is_tracked(), "not tracked"),
        (lambda answer: answer.then("f(x)").is_untracked(), "requires_grad=True"),
        (
            lambda answer: answer.returns(tensor([2.0, 4.1]), mistakes={"half": (0.5, lambda t: 0)}),
            "expected",
        ),
        (lambda answer: answer.returns(tensor([2.0, 4.1]), mistakes={"look": torch.isfinite}), "look"),
        (
            lambda answer: answer.returns(tensor([2.0, 4.1]), mistakes={"known": (0.5, answer.result)}),
            "known",
        ),
        (lambda answer: answer.returns(tensor([2.0001, 4.0]), nearly="almost"), "almost"),
    ],
)
def test_each_failure_message_shows_the_call_and_the_cause(
    run_check: Callable[[Answer], object], cause: str
) -> None:
    message = failure_message(lambda: run_check(ask_about_square("fill")))
    assert message.startswith("fill(lambda t: t**2, x=[1, 2]), float64")
    assert message.splitlines()[1].startswith("  ")
    assert cause in message


def test_a_hint_for_nearly_asks_for_the_last_digits_even_where_it_has_no_text() -> None:
    answer = ask_about_square("fill")
    almost = tensor([2.0 + 1e-9, 4.0])
    answer.returns(almost)
    assert "expected" in failure_message(lambda: answer.returns(almost, nearly=Hints({}).of_no_notebook))
    assert "expected" in failure_message(lambda: answer.returns(almost, nearly="almost"))


def test_earlier_result_can_be_checked_again_later() -> None:
    answer = ask_about_square("fill")
    answer.returns(tensor([2.0, 4.0]))
    answer.again()
    assert "a later call changed an earlier result" in failure_message(
        lambda: answer.still_returns(tensor([2.0, 4.0]))
    )


def test_copy_returned_in_place_of_a_buffer_is_detected() -> None:
    answer = ask("setattr(x, 'grad', x.grad.clone())", x=leaf([1.0], grad=2.0))
    assert "a different tensor now" in failure_message(lambda: answer.keeps_buffers())


def test_an_error_ends_the_task_unless_the_test_has_a_hint_for_it() -> None:
    with pytest.raises(ValueError, match="not today"):
        ask("refuse(x)", x=leaf(1.0))
    message = failure_message(lambda: ask("refuse(x)", {"errors": {"today": "tomorrow"}}, x=leaf(1.0)))
    assert message.startswith("refuse(x=1), float64\n  the call raised an error:\n  ValueError: not today")
    assert message.endswith("likely cause: tomorrow")


def test_an_error_shows_the_line_of_the_students_function_and_none_of_the_kit() -> None:
    message = failure_message(lambda: ask("refuse(x)", {"errors": {}}, x=leaf(1.0)))
    assert message.splitlines()[2:] == ["  ValueError: not today", '    raise ValueError("not today")']
    message = failure_message(lambda: ask("x.view(3)", {"errors": {}}, x=leaf(1.0)))
    assert "eval" not in message
    message = failure_message(lambda: ask("x.backward()", {"errors": {}}, x=tensor(1.0)))
    assert "torch.autograd.backward(" not in message


def refuse_with_a_comment(x: torch.Tensor) -> None:
    raise ValueError("not today")  # TypeError, retain_graph, math domain error


def test_a_hint_for_an_error_is_not_chosen_by_the_student_s_line_or_its_comment() -> None:
    def message_lines(**hints: str) -> list[str]:
        return failure_message(
            lambda: ask("refuse_with_a_comment(x)", {"errors": hints}, x=leaf(1.0))
        ).splitlines()

    lines = message_lines(retain_graph="keep the graph", TypeError="a wrong type", refuse="the line")
    assert lines[-1] == '    raise ValueError("not today")  # TypeError, retain_graph, math domain error'
    # The comment ends with "math domain error", another ValueError's message, whose cause is not named.
    assert not any("likely cause" in line for line in lines)
    assert message_lines(retain_graph="keep the graph", today="tomorrow")[-1] == "  likely cause: tomorrow"
    assert message_lines(ValueError="another value")[-1] == "  likely cause: another value"


def test_arguments_come_back_by_their_names() -> None:
    answer = ask("[x, y, x * 1]", {"by_name": True}, x=leaf(1.0), y=leaf(2.0))
    answer.equals(["x", "y", "?"])
    dict_answer = ask("{x: y}", {"by_name": True}, x=leaf(1.0), y=leaf(2.0))
    assert "The result is a dict; a list was expected." in failure_message(
        lambda: dict_answer.equals(["x", "y"])
    )


def test_a_list_of_strings_may_have_any_order() -> None:
    answer = ask("['b', 'my_c', 'a', 'b']")
    answer.lists(["a", "b", "b", "c"], key=lambda name: name.removeprefix("my_"))
    mistakes = {"once": ["a", "b", "my_c"], "twice": lambda names: names.count("b") > 1}
    assert failure_message(lambda: answer.lists(["a", "b", "my_c"], mistakes=mistakes)).endswith("twice")
    assert failure_message(lambda: answer.lists(["a"], hint="other")).endswith("other")
    assert failure_message(
        lambda: ask("['a', 'b']").lists(["a", "a", "b"], mistakes={"once": ["a", "b"]})
    ).endswith("once")
    message = failure_message(lambda: ask("{'a', 'b'}").lists(["a"], hint="other", mistakes=mistakes))
    assert message.endswith("The result is a set; a list was expected.")
    assert failure_message(lambda: ask("['a', ['b']]").lists(["a", "b"], hint="other")).endswith("other")


def test_steps_and_operations_are_counted() -> None:
    endless = ask("endless(lambda: 0)", {"steps": 1000}, endless="lambda f: [f() for _ in iter(int, 1)]")
    assert "a loop that does not end" in failure_message(lambda: endless.ends())
    answer = ask("x + x + x", {"counted": True}, x=tensor(1.0))
    assert answer.seen["count"] == 2
    assert "too many" in failure_message(lambda: answer.costs(1, "too many"))


def test_a_stack_that_grows_and_shrinks_costs_no_memory_each_time() -> None:
    """The interpreter's stack consists of chunks of 16 KiB, and a chunk may end at the question's frame.

    The question is therefore asked at many depths of the stack.
    """
    resource = pytest.importorskip("resource")  # exists only on Unix
    source = "def halve(n):\n    return n and halve(n - 1) + halve(n - 1)"
    namespace: dict[str, Any] = {}
    exec(source, namespace)

    def faults(depth: int) -> int:
        if depth:
            return faults(depth - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        situation.answer_request({"text": "halve(9)", "arguments": {}, "steps": 10**6}, namespace)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    faults(0)
    assert max(map(faults, range(120))) < 100


def test_gradient_question_uses_and_shows_the_arriving_gradient() -> None:
    y = ask("y = x**2", x=leaf([1.0, 2.0]), g=tensor([1.0, 10.0]))
    y.gradient("x").returns(tensor([2.0, 40.0]))
    assert failure_message(lambda: y.gradient("x").returns(tensor([2.0, 4.0]))).startswith(
        "y = x**2, x = [1, 2], float64: gradient of x, arriving: [1, 10]\n"
    )


def test_a_later_question_shows_the_arguments_that_it_is_the_first_to_name() -> None:
    y = ask("y = x**2", x=leaf([1.0, 2.0]), g=tensor([1.0, 10.0]))
    assert y.then("g * x").call == "y = x**2, x = [1, 2], float64, then g * x, g = [1, 10]"


def test_statement_before_a_question_runs_and_is_shown() -> None:
    answer = ask("t.retains_grad", {"before": "t.retain_grad()"}, x=leaf(1.0), t="x * 2")
    answer.equals(True)
    assert answer.call == "t.retains_grad, x = 1, t = x * 2, float64, after t.retain_grad()"


def test_remote_question_sends_only_plain_data_and_no_expected_value() -> None:
    requests: list[Any] = []

    def send(request: dict[str, Any]) -> dict[str, Any]:
        requests.append(request)
        return situation.answer_request(request, {"gradient": gradient})

    with use_transport(send):
        answer = ask_about_square("gradient")
        answer.returns(tensor([2.0, 4.0]), mistakes={"secret hint": 17.0})
        answer.again().returns(tensor([2.0, 4.0]))

    def is_plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
        if isinstance(value, tuple):
            return all(map(is_plain, value))
        return isinstance(value, str | int | float | torch.Tensor | None)

    assert len(requests) == 2
    assert all(map(is_plain, requests))
    assert "secret" not in str(requests)
    assert "17" not in str(requests)


def test_question_ignores_a_student_variable_named_torch() -> None:
    namespace = {"torch": None, "mine": lambda x: 2 * x}
    with use_transport(lambda request: situation.answer_request(request, namespace)):
        ask("mine(torch.ones(2))").returns(torch.full((2,), 2.0))
    assert namespace["torch"] is None


def test_entries_of_a_result_are_checked_separately() -> None:
    first, second = ask("(x + 1, x * 2)", x=leaf([3.0, 4.0])).parts("sum", "product", hint="no pair")
    first.returns(tensor([4.0, 5.0]))
    message = failure_message(lambda: second.returns(tensor([0.0, 8.0])))
    assert message.startswith("(x + 1, x * 2), x = [3, 4], float64, product\n")
    for question in ("[x, x]", "(x, None)", "(x,)", "x"):
        with pytest.raises(check.CheckFailed, match="no pair"):
            ask(question, x=leaf([3.0, 4.0])).parts("sum", "product", hint="no pair")


def test_once_per_process_warnings_of_torch_are_caught_each_time() -> None:
    for _ in range(2):
        answer = ask("x.grad or (x**2).backward(create_graph=True)", {"warned": True}, x=leaf(1.0))
        assert any("create_graph" in warning for warning in answer.seen["warned"])


@pytest.mark.parametrize("shape", [(), (2,), (2, 1)])
def test_a_tuple_prints_as_python_does(shape: tuple[int, ...]) -> None:
    assert call_of("ones(shape)", {"shape": shape}) == f"ones({shape})"


def halves(f: Callable[..., torch.Tensor], x: torch.Tensor, h: float) -> torch.Tensor:
    f(x + h)
    return (f(x) - f(x - h)).detach()


def test_call_is_shown_as_valid_python() -> None:
    call = call_of("halves(f, x, h)", {"f": "lambda t: t**2", "x": leaf([1.0, 2.0]), "h": 0.5})
    assert call == "halves(lambda t: t**2, x=[1, 2], h=0.5), float64"
    assert call_of("f(n, x)", {"n": 3, "x": tensor(1.0)}) == "f(3, x=1), float64"
    assert call_of("f(x, n)", {"w": leaf(1.0), "x": 2.0, "n": 3}) == "f(2.0, 3)"
    list_call = call_of("f([p, q, r], n)", {"p": 1.0, "q": 2.0, "r": 3.0, "n": 4})
    assert list_call == "f([p, q, r], 4), p = 1.0, q = 2.0, r = 3.0"


def test_noted_function_reports_its_arguments() -> None:
    x = leaf([1.0, 2.0], "float32")
    answer = ask("halves(f, x, h)", {"noting": ("f",)}, f="lambda t: t**2", x=x, h=0.5)
    answer.given("f", "requires_grad", "dtype", "shape").equals([[True, "float32", [2]]] * 3)
    assert answer.given("f", "grad_fn").result == [["AddBackward0"], [""], ["SubBackward0"]]
    assert len(answer.again().given("f").result) == 6, "it adds up over the calls of a situation"
    assert len(answer.given("f").result) == 3, "and an earlier answer keeps what it saw"
    with pytest.raises(check.CheckFailed, match=r"what f was given \[dtype\]"):
        answer.given("f", "dtype").equals([["float64"]] * 3)


def test_a_chain_of_questions_shows_each_argument_once() -> None:
    answer = ask("y = f(x)", f="lambda t: t**2", x=leaf([1.0, 2.0]), c=tensor([3.0, 4.0]))
    last_answer = answer.then("z = (y * c).sum()").then("z.backward()")
    prefix = (
        "y = f(x=[1, 2]), f = lambda t: t**2, float64, then z = (y * c).sum(), c = [3, 4], then z.backward()"
    )
    assert last_answer.then("x.grad / c").call == f"{prefix}, then x.grad / c"


def test_noted_functions_report_their_order() -> None:
    functions = {"f": "lambda t: 2 * t", "g": "lambda t: t + 1", "h": "lambda t: g(t)"}
    answer = ask("[f(1), h(1), f(1)]", {"noting": ("f", "g")}, **functions)
    assert answer.ran == ["f", "g", "f"]
    assert answer.then("g(1)").ran == ["f", "g", "f", "g"]
    assert answer.ran == ["f", "g", "f"], "an earlier answer keeps what it saw"
    assert ask("f(1)", f="lambda t: t").ran == []


def test_argument_that_is_no_tensor_is_noted_by_its_type() -> None:
    answer = ask("f(2)", {"noting": ("f",)}, f="lambda t: 2 * t")
    assert answer.returns(4).given("f", "dtype", "requires_grad").result == [["int", False]]


def test_questions_asked_ahead_are_answered_in_one_go() -> None:
    texts: list[str] = []

    def send(request: dict[str, Any]) -> dict[str, Any]:
        texts.append(request.get("text", "kept"))
        return situation.answer_request(request, {"scaled": lambda x: 2 * x})

    with use_transport(send):
        questions = "scaled(x + 1)", "scaled(x)", ("x.data += 2", "scaled(x)")
        answer = ask("scaled(x)", {"ahead": questions}, x=leaf(3.0))
        other_answer = answer.then("scaled(x + 1)").returns(tensor(8.0))
        assert answer.again().returns(tensor(6.0)).call == "scaled(x=3), float64, called a second time"
        answer.after("x.data += 2").returns(tensor(10.0))
        assert texts == ["scaled(x)"]
        other_answer.still_returns(tensor(8.0))
        answer.after("x.data += 1").returns(tensor(12.0))
    assert texts == ["scaled(x)", "kept", "scaled(x)"]


def test_error_of_a_question_asked_ahead_is_raised_at_its_turn() -> None:
    calls: list[int] = []

    def fragile(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        if len(calls) == 2:
            raise ZeroDivisionError
        return 2 * x.detach()

    with use_transport(lambda request: situation.answer_request(request, {"fragile": fragile})):
        answer = ask("fragile(x)", {"ahead": ("fragile(x)", "fragile(x)")}, x=leaf(3.0))
        assert answer.returns(tensor(6.0)).result == 6.0
        with pytest.raises(ZeroDivisionError):
            answer.again()
    assert len(calls) == 2


def test_nothing_is_asked_ahead_of_an_answer_that_was_stopped() -> None:
    calls: list[int] = []

    def endless() -> None:
        calls.append(1)
        for _ in iter(int, 1):
            pass

    with use_transport(lambda request: situation.answer_request(request, {"endless": endless})):
        answer = ask("endless()", {"ahead": ("endless()",), "steps": 1000})
        assert failure_message(lambda: answer.ends("too slow")).endswith("too slow")
        assert len(calls) == 1
        assert failure_message(lambda: answer.again().ends("still too slow")).endswith("still too slow")
    assert len(calls) == 2


def test_a_result_that_a_later_call_overwrites_is_found() -> None:
    answer = ask("f(x)", f="lambda x, kept=torch.zeros(()).double(): kept.copy_(x.detach())", x=leaf(3.0))
    answer.returns(tensor(3.0)).after("x.data += 1").returns(tensor(4.0))
    with pytest.raises(check.CheckFailed, match="a later call changed an earlier result"):
        answer.still_returns(tensor(3.0))


def test_known_mistakes_are_computed_only_for_a_wrong_result() -> None:
    calls: list[str] = []
    answer = ask("f(2.0)", f="lambda t: 2 * t")

    def mistakes() -> dict[str, float]:
        calls.append("once")
        return {"the hint": 4.0}

    answer.returns(4.0, mistakes=mistakes)
    assert not calls
    with pytest.raises(check.CheckFailed, match="the hint"):
        answer.returns(5.0, mistakes=mistakes)


def reused(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return BUFFER.copy_(gradient(f, x))


BUFFER = torch.zeros(2, dtype=torch.float64)


def test_repeated_question_after_another_call_must_give_the_same_result() -> None:
    expected, other_call = tensor([2.0, 4.0]), "{}(lambda t: -2 * f(t), x)"
    answer = ask_about_square("gradient").and_again(expected, other_call.format("gradient"), -2 * expected)
    assert answer.result.equal(expected)
    message = failure_message(
        lambda: ask_about_square("gradient").and_again(
            expected, other_call.format("gradient"), expected, "why"
        )
    )
    assert message.endswith("why")
    message = failure_message(
        lambda: ask_about_square("gradient").and_again(
            expected + 1, other_call.format("gradient"), -2 * expected
        )
    )
    assert "called a second time" in message
    message = failure_message(
        lambda: ask_about_square("reused").and_again(expected, other_call.format("reused"), -2 * expected)
    )
    assert "looked at after a later call" in message
