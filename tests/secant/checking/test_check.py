import math
import struct
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from secant import check, graphs, language
from secant.verdict import Part
from tests.support.settings import in_english  # noqa: F401


def complaint(got: object, want: object, **how: object) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        check.close(got, want, "f(x)", **how)
    return str(failure.value)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (1.0, 1.0),
        (1, 1.0),
        (np.float64(1.0), 1.0),
        (1.0 + 1e-9, 1.0),
        (math.inf, math.inf),
        (-0.0, 0.0),
        (torch.tensor(1.0), torch.tensor(1.0)),
        (torch.tensor([1.0], requires_grad=True), torch.tensor([1.0])),
        (torch.tensor([1.0 + 1e-6]), torch.tensor([1.0])),
        (torch.tensor([1, 2]), torch.tensor([1, 2])),
        ([1.0, (2.0, None)], [1.0, (2.0, None)]),
        ({"a": torch.tensor(1.0)}, {"a": torch.tensor(1.0)}),
    ],
)
def test_right_values_pass(got: object, want: object) -> None:
    check.close(got, want)


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (6.0, 6.001, "The value differs"),
        (True, 1.0, "a bool"),
        (None, 1.0, "Is a return missing?"),
        ("1.0", 1.0, "a str"),
        (math.nan, 1.0, "nan"),
        (math.inf, 1.0, "differs"),
        (-math.inf, math.inf, "differs"),
        (1.0, math.nan, "differs"),
        (torch.tensor(1.0), 1.0, "a float32 tensor"),
        (1.0, torch.tensor(1.0), "a float; a float32 tensor was expected"),
        (np.ones(2), torch.ones(2), "an? ndarray"),
        (torch.ones(1), torch.ones(3), r"shape is \(1,\); \(3,\)"),
        (torch.ones(3).double(), torch.ones(3), "dtype is float64; float32"),
        (torch.tensor([1.0, math.nan]), torch.ones(2), r"at \[1\]"),
        (torch.tensor(math.nan), torch.tensor(1.0), "nan"),
        (torch.ones(2).to_sparse(), torch.ones(2), "sparse"),
        (torch.ones(2, device="meta"), torch.ones(2), "meta"),
        ([1.0], [1.0, 2.0], "1 entry; 2"),
        ((1.0,), [1.0], "a tuple; a list"),
        ({"a": 1.0}, {"a": 1.0, "b": 1.0}, "missing: \\['b'\\]"),
        ({"a": 1.0, "c": 1}, {"a": 1.0}, "unexpected keys: \\['c'\\]"),
        ({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}, r"\['a'\] \[1\]"),
        (1, True, "an int; a bool"),
    ],
)
def test_each_kind_of_wrong_value_gets_its_own_message(got: object, want: object, words: str) -> None:
    with pytest.raises(check.CheckFailed, match=words):
        check.close(got, want)


def test_a_known_mistake_is_named() -> None:
    assert "likely cause: the 2 is missing" in complaint(12.0, 6.0, mistakes={12.0: "the 2 is missing"})
    assert "the 2 is missing" not in complaint(11.0, 6.0, mistakes={12.0: "the 2 is missing"})


def test_a_wrong_list_keeps_its_digits() -> None:
    got, want = (torch.tensor([number], dtype=torch.float64) for number in (-5.4, 0.1))
    assert "a slip" in complaint(got, want, mistakes=[([-5.4], "a slip")], rtol=1e-14, atol=0.0)


def test_a_mistake_that_equals_the_right_value_is_not_blamed() -> None:
    message = complaint(
        torch.zeros(2), torch.ones(2), mistakes=[(torch.ones(2), "no"), (torch.zeros(2), "yes")]
    )
    assert "yes" in message
    assert "no" not in message.splitlines()[-1].split(": ")[1]


def test_the_hint_stands_in_for_an_unknown_mistake() -> None:
    assert complaint(1.0, 2.0, hint="look again").endswith("likely cause: look again")


def test_equal_allows_no_rounding() -> None:
    check.equal("a", "a")
    with pytest.raises(check.CheckFailed):
        check.equal(1.0 + 1e-12, 1.0)


def test_holds_accepts_only_true_itself() -> None:
    check.holds(True, "f(x)", "")
    for condition in (False, 1, None, "yes"):
        with pytest.raises(check.CheckFailed, match=r"f\(x\)\n  why"):
            check.holds(condition, "f(x)", "why")


def test_messages_are_in_the_language_in_use() -> None:
    language("ko")
    assert "기대한 값: 2" in complaint(1.0, 2.0)


def test_a_notebook_shows_the_message_alone() -> None:
    failure = check.CheckFailed((Part("plain", "one\ntwo"),))
    assert failure._render_traceback_() == ["one", "two"]


def test_draws_repeat_after_the_same_seed_and_differ_after_another() -> None:
    check.seed(b"a")
    first = check.draws(5, -1, 1)
    check.seed(b"a")
    assert check.draws(5, -1, 1) == first
    check.seed(b"b")
    assert check.draws(5, -1, 1) != first
    assert len(set(first)) == 5
    assert all(-1 <= x <= 1 and round(x, 3) == x for x in first)


def test_each_layout_is_drawn_with_numbers_that_it_can_hold() -> None:
    for layout, dtype, numbers in check.draw_layouts():
        value = torch.tensor(numbers, dtype=getattr(torch, dtype))
        arranged = graphs.arranged(value, layout)
        assert arranged.equal(value)
        assert not arranged.is_contiguous()


def test_draws_refuses_a_range_that_is_too_narrow() -> None:
    with pytest.raises(ValueError, match="too narrow"):
        check.draws(10, 0, 0.001)


def test_nothing_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    check.visible_passed()
    complaint(1.0, 2.0)
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "Visible tests passed" in captured.out
    assert "all" not in captured.out.lower().split()


def told(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        function(*arguments, **options)
    return str(failure.value)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (1.0001, "use float64"),
        (torch.tensor([1.0]), "general"),
        (1.1, "general"),
        (None, "Is a return missing"),
        (1.0005, "known"),
    ],
)
def test_nearly_right_value_gets_its_own_hint(got: Any, said: str) -> None:
    mistakes = {1.0005: "known"}
    options = {"rtol": 1e-11, "atol": 0.0, "mistakes": mistakes, "nearly": "use float64", "hint": "general"}
    message = told(check.close, got, 1.0, "f(x)", **options)
    assert said in message
    assert got is not None or "general" not in message, "a missing return is cause enough"


@pytest.mark.parametrize("got", [{"a": None}, [None], (None,)])
def test_a_return_is_missing_only_where_nothing_was_returned(got: Any) -> None:
    want = {"a": 1.0} if isinstance(got, dict) else type(got)([1.0])
    message = told(check.close, got, want, "f()", hint="a number for each")
    assert "None; a float was expected." in message
    assert "return" not in message
    assert "likely cause: a number for each" in message


def test_nearly_scales_both_tolerances() -> None:
    options = {"rtol": 1e-11, "nearly": "use float64", "hint": "general"}
    want = (3e-3, 1.0)
    assert "general" in told(check.close, (0.0, 1.0), want, **options, atol=0.0)
    assert "use float64" in told(check.close, (0.0, 1.0), want, **options, atol=1e-10)


def test_requested_change_is_no_side_effect() -> None:
    changes = [("grad", "x"), ("value", "x")]
    check.untouched(changes, "f(x)", but=changes)
    assert "x.grad" not in told(check.untouched, changes, "f(x)", but=[["grad", "x"]])


def test_a_side_effect_may_have_a_likely_cause() -> None:
    hints = {"grad": "backward() fills it", "value": "an edit in place"}
    message = told(check.untouched, [("grad", "x"), ("hooks", "x")], "f(x)", hints=hints)
    assert message.endswith("a hook was left on x\n  likely cause: backward() fills it")
    assert "likely cause" not in told(check.untouched, [("hooks", "x")], "f(x)", hints=hints)


def test_a_tensor_of_random_numbers() -> None:
    drawn = check.draw_tensor(3, 4, low=0, high=1)
    assert drawn.shape == (3, 4)
    assert drawn.dtype == torch.float64
    assert len(set(drawn.flatten().tolist())) == 12
    assert check.draw_tensor(1, 1).shape == (1, 1)


def test_shown_line_recreates_the_drawn_tensors() -> None:
    check.seed(b"one")
    (x, w), line = check.draw_again(x=(10, 2), w=(3,))
    names: dict[str, Any] = {"torch": torch}
    with torch.random.fork_rng(devices=[]):
        exec(line, names)
    assert torch.equal(names["x"], x)
    assert torch.equal(names["w"], w)
    assert (x.shape, w.dtype) == ((10, 2), torch.float64)
    assert check.draw_again(x=(1,), w=())[1] != check.draw_again(x=(1,), w=())[1]


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1.0


class Other:
    """As the wire's, for what was not sent."""

    type_name = "torch.Tensor"

    def describe(self) -> str:
        return "a tensor with 15 dimensions"


# Far from what is asked for: nothing of it but its beginning may be looked at. Made when asked for, since
# together they take a gigabyte.
ODD: dict[str, Callable[[], Any]] = {
    "dimensions": lambda: torch.zeros((3,) * 15, dtype=torch.uint8),
    "ones": lambda: torch.ones((1,) * 64),
    "empty": lambda: torch.empty(0, 10**9),
    "empty rows": lambda: torch.empty(10**7, 0),
    "expanded": lambda: torch.zeros(1).expand(10**12),
    "tensors": lambda: [torch.zeros((3,) * 12, dtype=torch.uint8)] * 10**5,
    "text": lambda: "y" * 10**8,
    "deep": lambda: nested(900),
    "wide": lambda: [[[[0] * 10**6] * 10**6] * 10**6] * 10**6,
    "pairs": lambda: (dict.fromkeys(range(1000), "y" * 10**6),) * 10**6,
    "keys": lambda: {n * (2**61 - 1): n for n in range(1000)},
    "long keys": lambda: {str(n) * 10**6: n for n in range(20)},
    "integer": lambda: 2**4000,
    "nan": lambda: struct.unpack("d", b"\x01\x02\x03\x04\x05\x06\xf8\x7f")[0],
    "not sent": lambda: (Other(),) * 10**6,
}
ASKED: list[Any] = [
    torch.tensor([2.0, 4.0]),
    torch.tensor(1, dtype=torch.uint8),
    2.0,
    "text",
    None,
    [1.0, [2.0]],
    (torch.tensor([1.0]), 2.0),
    {"a": 1.0},
]


@pytest.mark.parametrize("name", ODD)
def test_no_work_grows_with_a_wrong_value(name: str) -> None:
    got = ODD[name]()
    tracemalloc.start()
    started = time.process_time()
    said = [complaint(got, want, mistakes=[(want, "no")]) for want in ASKED]
    said += [complaint([got], [want]) for want in ASKED]
    said += [complaint({"a": got}, {"a": want}) for want in ASKED]
    took, peak = time.process_time() - started, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert took < 2
    assert peak < 2_000_000
    assert max(map(len, said)) < 1_200


def test_unsendable_value_is_described_in_the_message() -> None:
    message = complaint((Other(), 1.0), (torch.ones(2), 1.0))
    assert "got: (a tensor with 15 dimensions, 1.0)" in message
    assert "The result is a tensor with 15 dimensions; a float32 tensor was expected" in message


def test_a_student_s_object_does_not_describe_itself() -> None:
    class Table:
        def describe(self) -> str:
            return "a right answer"

    assert "The result is a Table; a float32 tensor was expected" in complaint(Table(), torch.ones(2))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "[]"),
        ((), "()"),
        ((1,), "(1,)"),
        ({}, "{}"),
        ({"a": [1, (2.5, None)], 3: "b'"}, "{'a': [1, (2.5, None)], 3: \"b'\"}"),
        ([torch.tensor([1.0, 2.0])], "[tensor([1., 2.])]"),
        ([torch.zeros(300)], "[a tensor of shape (300,)]"),
        (torch.zeros(0), "[]  (float32)"),
        (torch.zeros(13), "a tensor of shape (13,)  (float32)"),
        ("y" * 198, "'" + "y" * 198 + "'"),
        ("y" * 199, "'" + "y" * 196 + "..."),
    ],
)
def test_a_value_is_shown_as_python_shows_it(value: Any, said: str) -> None:
    assert f"  got: {said}\n" in complaint(value, 1)


def test_only_a_few_of_many_side_effects_are_listed() -> None:
    changes = [("value", f"x{n}" + "y" * 1000) for n in range(50_000)]
    started = time.process_time()
    message = told(check.untouched, changes, "f(x)")
    assert time.process_time() - started < 1
    assert len(message.splitlines()) == 11
    assert len(message) < 4_000


# --- The call and the simplest case are named ------------------------------------------------------------


def test_an_error_carries_the_call() -> None:
    with pytest.raises(ZeroDivisionError) as caught, check.asking("f(0)"):
        _ = 1 / 0
    assert caught.value.__notes__ == ["The call was f(0)"]
    assert check.asked() == "f(0)"
    check.seed(b"the next task")
    assert check.asked() == ""


def test_finished_call_is_no_longer_the_current_question() -> None:
    with check.asking("f(1)"):
        pass
    assert check.asked() == ""
    with pytest.raises(check.CheckFailed) as caught, check.asking("f(2)"):
        check.refuse("f(2)", "wrong")
    assert not hasattr(caught.value, "__notes__")
    assert check.asked() == ""


def test_endless_call_is_reported_as_such() -> None:
    check.ended(True, "f(1)")
    with pytest.raises(check.CheckFailed, match="f\\(1\\)\n  The call did not end") as caught:
        check.ended(False, "f(1)", "compare |y|")
    assert str(caught.value).endswith("likely cause: compare |y|")
    with pytest.raises(check.CheckFailed, match="likely cause: a loop that does not end"):
        check.ended(False, "f(1)")


def _square(x: float) -> float:
    """Is wrong from 3 on."""
    return x * x if x < 3 else x


def _compare(numbers: list[float], unit: str = "m") -> None:
    for x in numbers:
        check.close(_square(x), x * x, f"square({x}) {unit}", hint="beyond 3")


def _message(*case: Any, compare: Any = _compare) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        check.smallest(compare, *case)
    return str(failure.value)


def test_a_mistake_may_be_a_list_or_of_another_dtype() -> None:
    got, want = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
    for wrong in ([1, 2], torch.tensor([1.0, 2.0], dtype=torch.float64)):
        with pytest.raises(check.CheckFailed, match="a slip"):
            check.close(got, want, mistakes=[(wrong, "a slip")])


def test_the_simplest_case_is_shown() -> None:
    assert _message([1.234, 5.678, 3.912]).startswith("square(6.0) m")
    check.smallest(_compare, [1.234, 2.5])


def test_the_fewest_items_that_fail_for_the_same_reason_are_shown() -> None:
    def compare(items: list[float], most: float) -> None:
        check.holds(not items or max(items) < most, f"f({items})", "too large")
        check.holds(sum(items) < 7, f"f({items})", "too much")

    with pytest.raises(check.CheckFailed) as failure:
        check.fewest(compare, [1.25, 9.125, 2.5, 8.0], 5.0)
    assert str(failure.value).startswith("f([8.0])\n  too large")
    with pytest.raises(check.CheckFailed) as failure:
        check.fewest(compare, [1.25, 4.0, 3.5], 5.0)
    assert str(failure.value).startswith("f([4.0, 3.5])\n  too much")
    check.fewest(compare, [1.25, 2.5], 5.0)


def test_a_case_that_would_pass_or_collapse_is_not_shown() -> None:
    assert _message([3.4]).startswith("square(3.0) m")
    two = _message([3.412, 3.388])
    assert two.startswith("square(3.41) m"), "numbers that differ go on differing"

    def only_there(x: float) -> None:
        check.close(0.0 if x == 5.678 else x, x, f"f({x})")

    assert _message(5.678, compare=only_there).startswith("f(5.678)")


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


def test_minus_zero_is_shown_as_zero() -> None:
    assert "got: 0" in complaint(-0.0, 1.0)
    assert "got: [0, 1]" in complaint(torch.tensor([-0.0, 1.0]), torch.tensor([1.0, 1.0]))


@pytest.mark.parametrize(
    ("folder", "command"), [("03_backward", "autograder check 3"), ("work", "autograder check).\n")]
)
def test_passed_visible_tests_tell_how_to_run_the_hidden_ones(
    folder: str, command: str, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    check.visible_passed()
    said = capsys.readouterr().out
    assert command in said
    assert "If you teach yourself" in said  # in a class's edition Check does not ask them
