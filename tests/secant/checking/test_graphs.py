import contextlib
import copy
import importlib
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from secant import check, formula, graphs, polynomial


def test_a_formula_is_a_function_of_t() -> None:
    A = torch.tensor([[1.0, 2.0]])
    assert formula("t**2")(3) == 9
    assert formula("torch.sin(A @ t)", A=A)(torch.zeros(2)).tolist() == [0]
    assert formula("c + 1", c=2)(None) == 3
    assert formula("f(t)", f=lambda t: -t)(4) == -4


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3), (2, 3, 4)], ids=str)
def test_a_slice_has_the_numbers_and_cannot_be_viewed_flat(shape: tuple[int, ...]) -> None:
    value = torch.arange(math.prod(shape)).reshape(shape).double()
    view = graphs.strided(value)
    assert torch.equal(view, value)
    if value.ndim > 1 and value.numel():
        with pytest.raises(RuntimeError, match="view size"):
            view.view(-1)


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [([7], "7 * t**0"), ([3, 0], "3 * t**0"), ([1, -2, 0, 3.5], "1 - 2 * t + 3.5 * t**3"), ([0, 1], "1 * t")],
)
def test_polynomial_text_has_signs_and_no_zero_terms(coefficients: list[float], text: str) -> None:
    assert polynomial(coefficients) == text
    t = torch.tensor([2.0, -1.0])
    expected = sum(c * t**k for k, c in enumerate(coefficients))
    assert torch.equal(formula(text)(t), torch.as_tensor(expected))


@pytest.mark.parametrize("kind", ["", "tracked", "slice", "transposed", "expanded", "empty"])
def test_rearranged_tensor_keeps_its_numbers(kind: str) -> None:
    original = torch.ones(2, 3) * torch.tensor([[2.0], [3.0]])
    x = graphs.arranged(original, kind)
    assert torch.equal(x, original)
    assert x.requires_grad == (kind == "tracked")
    assert x.is_contiguous() == (kind in ("", "tracked", "empty"))
    assert graphs.arrangement(kind).startswith(", x") == bool(kind)
    assert ("weights" in graphs.arrangement(kind, "weights")) == bool(kind)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
def test_a_tensor_of_any_shape_can_be_transposed(shape: tuple[int, ...]) -> None:
    original = torch.randn(shape)
    x = graphs.arranged(original, "transposed")
    assert torch.equal(x, original)
    assert x.is_contiguous() == (len(shape) < 2)


@pytest.mark.parametrize(("part", "shape"), [((), (4, 3)), ((1, 3), (4, 3)), ((3, 1), (2, 3, 4))])
def test_an_expanded_tensor_is_read_many_times(part: tuple[int, ...], shape: tuple[int, ...]) -> None:
    original = torch.randn(part).expand(shape)
    x = graphs.arranged(original.clone(), "expanded")
    assert torch.equal(x, original)
    assert [step == 0 for step in x.stride()] == [step == 0 for step in original.stride()]


def test_edges_are_named_by_their_ends() -> None:
    assert graphs.edges("xy yz", 2.0, 3.0) == [("x", "y", 2.0), ("y", "z", 3.0)]
    assert graphs.edges("") == []


def test_a_module_is_filled_with_numbers_and_with_grads() -> None:
    numbers = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    model = graphs.filled(nn.Linear(2, 1), numbers, 9.0)
    assert [p.tolist() for p in model.parameters()] == [[[1, 2]], [3]]
    assert [p.grad.tolist() for p in model.parameters() if p.grad is not None] == [[[9, 9]], [9]]
    assert model(torch.ones(2, dtype=torch.float64)).item() == 6
    assert numbers.tolist() == [1, 2, 3]
    assert all(p.grad is None for p in graphs.filled(nn.Linear(2, 1), numbers).parameters())


def test_leaf_returns_a_new_tracked_tensor() -> None:
    original = torch.tensor([1.0, 2.0])
    x = graphs.leaf(original)
    assert x.is_leaf
    assert x.requires_grad
    assert x.grad is None
    assert x.data_ptr() != original.data_ptr()
    x = graphs.leaf([1, 2], torch.float64, grad=7.0)
    assert x.grad is not None
    assert x.grad.tolist() == [7, 7]
    assert x.dtype == x.grad.dtype == torch.float64


def test_random_program_prints_as_code_that_makes_its_tensors() -> None:
    namespace: dict[str, Any] = {"torch": torch, "nn": nn}
    steps = [["mul", 0, 1], ["untracked exp", 0], ["add", 4, 3]]
    for name, code in graphs.program(["leaf", "constant", "parameter", "twin"], steps).items():
        namespace[name] = eval(code, namespace)
    tensors = [namespace[f"x{index}"] for index in range(7)]
    assert [t.requires_grad for t in tensors] == [True, False, True, True, True, False, True]
    assert isinstance(tensors[2], nn.Parameter)
    assert tensors[2].data_ptr() == tensors[3].data_ptr()
    assert tensors[5].tolist() == torch.ones(2).exp().tolist()
    assert [node.name()[-12:] for node, _ in tensors[6].grad_fn.next_functions] == [
        "MulBackward0",
        "cumulateGrad",
    ]


def test_a_program_that_is_drawn_runs_and_ends_in_a_tracked_tensor() -> None:
    check.seed(b"drawn")
    for count in range(1, 12):
        inputs, steps = graphs.draw_program(["constant", "twin"], 2, count)
        assert inputs[0] == "leaf"
        assert set(inputs[1:]) <= {"constant", "twin"}
        assert len(steps) == count + 1
        namespace: dict[str, Any] = {"torch": torch, "nn": nn}
        for name, code in graphs.program(inputs, steps).items():
            namespace[name] = eval(code, namespace)
        last = namespace[f"x{count + 3}"]
        assert any(
            getattr(node, "variable", None) is namespace["x0"] for node, _ in last.grad_fn.next_functions
        )


def test_chain_and_diamonds_return_their_edges() -> None:
    assert graphs.chain("xyz", [2.0, 3.0]) == [("x", "y", 2.0), ("y", "z", 3.0)]
    edges = graphs.diamonds([(1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)])
    assert edges[:4] == [(0, (0, 0), 1.0), (0, (0, 1), 2.0), ((0, 0), 1, 3.0), ((0, 1), 1, 4.0)]
    assert edges[-1] == ((1, 1), 2, 8.0)


def forever() -> None:
    while True:
        pass


def test_step_limit_stops_an_endless_call() -> None:
    before = sys.gettrace()
    with pytest.raises(TimeoutError, match="more than 1,000 steps of Python"), graphs.limit_steps(1000):
        forever()
    assert sys.gettrace() is before


def test_step_limit_allows_short_calls() -> None:
    before = sys.gettrace()
    with graphs.limit_steps(1000):
        assert sorted([2, 1], key=lambda n: n) == [1, 2]
    assert sys.gettrace() is before


def endless_after_an_import(name: str) -> None:
    importlib.import_module(name)
    forever()


def test_steps_of_an_import_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "long_to_import.py").write_text(
        "from colorsys import *\nfor done in range(10_000):\n    pass\n"
    )
    (tmp_path / "broken_to_import.py").write_text("for _ in range(10_000):\n    pass\nraise ImportError\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("long_to_import", "colorsys"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with graphs.limit_steps(1000):
        assert importlib.import_module("long_to_import").done == 9_999
        with contextlib.suppress(ImportError):
            importlib.import_module("broken_to_import")
    monkeypatch.delitem(sys.modules, "long_to_import")
    with graphs.limit_steps(1000), pytest.raises(TimeoutError):
        endless_after_an_import("long_to_import")


def test_spy_records_rows_backward_walks_and_gradient_modes() -> None:
    model = graphs.Spy("X @ w.T + b", w=graphs.leaf([[1.0], [2.0]]), b=torch.zeros(2)).eval()
    assert [parameter.requires_grad for parameter in model.parameters()] == [True, False]
    model(torch.ones(3, 1)).sum().backward()
    model.train()
    assert model(torch.ones(1)).tolist() == [1.0, 2.0]
    assert model.log == [3, "backward", 1]
    assert model.modes == [False, True]
    assert model.get_parameter("w").grad.tolist() == [[3.0], [3.0]]


def test_copied_spy_records_into_the_same_list() -> None:
    model = graphs.Spy("X @ w", w=graphs.leaf([1.0]))
    copy.deepcopy(model)(torch.ones(2, 1)).sum().backward()
    assert model.log == [2, "backward"]
    assert model.modes == [True]
    assert model.w.grad is None


def test_a_spy_notes_the_graphs_that_are_still_in_memory() -> None:
    model, losses = graphs.Spy("X @ w", w=graphs.leaf([1.0])), []
    for retain in (False, True, False):
        losses.append(model(torch.ones(2, 1)).sum())
        losses[-1].backward(retain_graph=retain)
    assert model.held == [0, 0, 1]
    losses.clear()
    model(torch.ones(2, 1))
    assert model.held[-1] == 0


def test_a_drawn_graph_has_no_cycle_and_can_be_drawn_again() -> None:
    edges, nodes = graphs.drawn(6, seed=0.5)
    assert graphs.drawn(6, seed=0.5) == (edges, nodes) != graphs.drawn(6, seed=0.25)
    assert len(set(nodes)) == 6
    assert all(nodes.index(start) < nodes.index(end) for start, end, _ in edges)
