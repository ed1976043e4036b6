import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from secant import check, language
from secant.verdict import Part
from tests.support.settings import in_english  # noqa: F401


def complaint(got: object, want: object, **options: object) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        check.close(got, want, "f(x)", **options)
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
    ("got", "want", "pattern"),
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
def test_each_kind_of_wrong_value_gets_its_own_message(got: object, want: object, pattern: str) -> None:
    with pytest.raises(check.CheckFailed, match=pattern):
        check.close(got, want)


def test_a_known_mistake_is_named() -> None:
    assert "likely cause: the 2 is missing" in complaint(12.0, 6.0, mistakes={12.0: "the 2 is missing"})
    assert "the 2 is missing" not in complaint(11.0, 6.0, mistakes={12.0: "the 2 is missing"})


def test_known_mistake_in_a_list_is_matched_with_full_precision() -> None:
    got, want = (torch.tensor([number], dtype=torch.float64) for number in (-5.4, 0.1))
    assert "a slip" in complaint(got, want, mistakes=[([-5.4], "a slip")], rtol=1e-14, atol=0.0)


def test_a_mistake_that_equals_the_right_value_is_not_blamed() -> None:
    message = complaint(
        torch.zeros(2), torch.ones(2), mistakes=[(torch.ones(2), "no"), (torch.zeros(2), "yes")]
    )
    assert "yes" in message
    assert "no" not in message.splitlines()[-1].split(": ")[1]


def test_hint_is_shown_if_no_known_mistake_matches() -> None:
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


def test_check_messages_never_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    check.visible_passed()
    complaint(1.0, 2.0)
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "Visible tests passed" in captured.out
    assert "all" not in captured.out.lower().split()


def failure_message(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(check.CheckFailed) as failure:
        function(*arguments, **options)
    return str(failure.value)


@pytest.mark.parametrize(
    ("got", "text"),
    [
        (1.0001, "use float64"),
        (torch.tensor([1.0]), "general"),
        (1.1, "general"),
        (None, "Is a return missing"),
        (1.0005, "known"),
    ],
)
def test_nearly_right_value_gets_its_own_hint(got: Any, text: str) -> None:
    mistakes = {1.0005: "known"}
    options = {"rtol": 1e-11, "atol": 0.0, "mistakes": mistakes, "nearly": "use float64", "hint": "general"}
    message = failure_message(check.close, got, 1.0, "f(x)", **options)
    assert text in message
    assert got is not None or "general" not in message, "a missing return is cause enough"


@pytest.mark.parametrize("got", [{"a": None}, [None], (None,)])
def test_a_return_is_missing_only_where_nothing_was_returned(got: Any) -> None:
    want = {"a": 1.0} if isinstance(got, dict) else type(got)([1.0])
    message = failure_message(check.close, got, want, "f()", hint="a number for each")
    assert "None; a float was expected." in message
    assert "return" not in message
    assert "likely cause: a number for each" in message


def test_nearly_scales_both_tolerances() -> None:
    options = {"rtol": 1e-11, "nearly": "use float64", "hint": "general"}
    want = (3e-3, 1.0)
    assert "general" in failure_message(check.close, (0.0, 1.0), want, **options, atol=0.0)
    assert "use float64" in failure_message(check.close, (0.0, 1.0), want, **options, atol=1e-10)


def test_requested_change_is_no_side_effect() -> None:
    changes = [("grad", "x"), ("value", "x")]
    check.untouched(changes, "f(x)", but=changes)
    assert "x.grad" not in failure_message(check.untouched, changes, "f(x)", but=[["grad", "x"]])


def test_a_side_effect_may_have_a_likely_cause() -> None:
    hints = {"grad": "backward() fills it", "value": "an edit in place"}
    message = failure_message(check.untouched, [("grad", "x"), ("hooks", "x")], "f(x)", hints=hints)
    assert message.endswith("a hook was left on x\n  likely cause: backward() fills it")
    assert "likely cause" not in failure_message(check.untouched, [("hooks", "x")], "f(x)", hints=hints)


def test_only_a_few_of_many_side_effects_are_listed() -> None:
    changes = [("value", f"x{n}" + "y" * 1000) for n in range(50_000)]
    start = time.process_time()
    message = failure_message(check.untouched, changes, "f(x)")
    assert time.process_time() - start < 1
    assert len(message.splitlines()) == 11
    assert len(message) < 4_000


# --- The call and the simplest case are named ------------------------------------------------------------


def test_message_of_an_error_includes_the_call() -> None:
    with pytest.raises(ZeroDivisionError) as error, check.asking("f(0)"):
        _ = 1 / 0
    assert error.value.__notes__ == ["The call was f(0)"]
    assert check.call_in_progress() == "f(0)"
    check.seed(b"the next task")
    assert check.call_in_progress() == ""


def test_finished_call_is_no_longer_the_current_question() -> None:
    with check.asking("f(1)"):
        pass
    assert check.call_in_progress() == ""
    with pytest.raises(check.CheckFailed) as error, check.asking("f(2)"):
        check.refuse("f(2)", "wrong")
    assert not hasattr(error.value, "__notes__")
    assert check.call_in_progress() == ""


def test_endless_call_is_reported_as_such() -> None:
    check.ended(True, "f(1)")
    with pytest.raises(check.CheckFailed, match="f\\(1\\)\n  The call did not end") as error:
        check.ended(False, "f(1)", "compare |y|")
    assert str(error.value).endswith("likely cause: compare |y|")
    with pytest.raises(check.CheckFailed, match="likely cause: a loop that does not end"):
        check.ended(False, "f(1)")


def test_a_mistake_may_be_a_list_or_of_another_dtype() -> None:
    got, want = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
    for mistake in ([1, 2], torch.tensor([1.0, 2.0], dtype=torch.float64)):
        with pytest.raises(check.CheckFailed, match="a slip"):
            check.close(got, want, mistakes=[(mistake, "a slip")])


@pytest.mark.parametrize(
    ("folder", "command"), [("03_backward", "autograder check 3"), ("work", "autograder check).\n")]
)
def test_passed_visible_tests_tell_how_to_run_the_hidden_ones(
    folder: str, command: str, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    check.visible_passed()
    output = capsys.readouterr().out
    assert command in output
    assert "If you teach yourself" in output  # students of a class cannot run hidden tests
