from typing import Any

import pytest
import torch
from torch import nn

from secant import check, observe


def test_observed_result_is_recorded_at_the_call_and_at_the_end() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    calls = observe(x=x)
    first = calls(lambda t: [t.detach() * 2, ("a", t.detach() + 1)], x)
    first[0].fill_(9)
    calls(lambda t, k: k, x, 3)
    data = calls.data()
    first_result, second_result = data["results"]
    assert first_result[0].tolist() == [2, 4]
    assert first_result[1][0] == "a"
    assert first_result[1][1].tolist() == [2, 3]
    assert second_result == 3
    assert data["kept"][0][0].tolist() == [9, 9]
    assert data["tracked"] == [False, False]
    assert data["changes"] == []


def test_a_result_with_a_graph_behind_it_is_tracked_but_its_copy_is_not() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    calls = observe()
    calls(lambda: {"y": 2 * x})
    data = calls.data()
    assert data["tracked"] == [True]
    assert not data["results"][0]["y"].requires_grad


def grad(x: torch.Tensor) -> torch.Tensor | None:
    x.sum().backward()
    return x.grad


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda x: x.detach().clone(), []),
        (lambda x: x.detach()[1:], ["x"]),
        (lambda x: (1.0, [x.detach().view(2, 1)]), ["x"]),
        (grad, ["x.grad"]),
        (lambda x: torch.empty(0), []),
        (lambda x: torch.eye(2).to_sparse(), []),
        (lambda x: None, []),
    ],
)
def test_result_that_shares_memory_with_an_argument_is_named(function: Any, names: list[str]) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    calls = observe(x=x, empty=torch.empty(0), sparse=torch.eye(2).to_sparse())
    calls(function, x)
    assert calls.data()["aliases"] == [names]


def test_change_of_a_modules_grad_counts_as_a_side_effect() -> None:
    model = nn.Linear(2, 1)
    calls = observe(model=model)
    calls(lambda: grad(model.weight))
    assert calls.data()["aliases"] == [["model.weight.grad"]]
    assert calls.changes == [("grad", "model.weight")]


def test_side_effect_repeated_by_each_call_is_listed_once() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    calls = observe(x=x)
    for _ in range(2):
        calls(grad, x)
    with torch.no_grad():
        x += 1  # the probe changes x between the calls; that does not count
    calls(lambda t: t.detach() + 1, x)
    assert calls.changes == [("grad", "x")]


def test_self_containing_list_is_recorded_finitely() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    calls = observe()
    calls(lambda: cycle)
    assert len(calls.data()["results"]) == 1


def test_an_error_of_the_answer_passes_through() -> None:
    with pytest.raises(NotImplementedError):
        observe()(lambda: (_ for _ in ()).throw(NotImplementedError))


def test_attempt_records_an_error_as_a_result() -> None:
    def root(t: torch.Tensor) -> torch.Tensor:
        if t < 0:
            raise ValueError("negative\nsecond line")
        return t.sqrt()

    calls = observe()
    for number in (4.0, -1.0):
        calls.attempt(root, torch.tensor(number))
    root_result, error_result = calls.data()["results"]
    assert root_result == 2
    assert error_result == {"raised": 'ValueError: negative\n    raise ValueError("negative\\nsecond line")'}
    check.no_error([root_result], "root(4)")
    with pytest.raises(check.CheckFailed) as error:
        check.no_error([root_result, error_result], "root(-1)", "only from 0 on")
    assert str(error.value).splitlines()[0] == "root(-1)"
    assert "ValueError: negative" in str(error.value)
    assert error.value.cause == "only from 0 on"


def test_attempt_records_the_error_of_an_empty_grad_and_raises_other_type_errors() -> None:
    def grad_of(t: Any) -> Any:
        return 2 * t.grad

    calls = observe()
    calls.attempt(grad_of, torch.tensor(1.0))
    hints = {"zero_": "not yet there", "NoneType": "no leaf"}
    with pytest.raises(check.CheckFailed, match="no leaf") as error:
        check.no_error(calls.data()["results"], "grad_of(t)", hints)
    assert "return 2 * t.grad" in str(error.value)
    with pytest.raises(TypeError):
        calls.attempt(grad_of)
    with pytest.raises(NotImplementedError):
        calls.attempt(lambda: (_ for _ in ()).throw(NotImplementedError))


def test_attempt_records_the_error_of_a_generator_used_as_a_list() -> None:
    calls = observe()
    calls.attempt(len, (number for number in [1.0]))
    with pytest.raises(check.CheckFailed, match="only once") as error:
        check.no_error(calls.data()["results"], "size(params)", {"generator": "only once"})
    assert "TypeError" in str(error.value)


def test_attempt_records_the_error_of_a_node_without_a_variable() -> None:
    calls = observe()
    calls.attempt(lambda t: t.grad_fn.variable, torch.ones(1, requires_grad=True) + 1)
    with pytest.raises(check.CheckFailed, match="a leaf's alone"):
        check.no_error(calls.data()["results"], "leaf_of(t)", {"'variable'": "a leaf's alone"})


def test_attempt_does_not_catch_a_time_limit() -> None:
    def slow() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        observe().attempt(slow)
