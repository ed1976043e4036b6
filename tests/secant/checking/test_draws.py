from typing import Any

import pytest
import torch

from secant import check, graphs


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
        tensor = graphs.arranged(value, layout)
        assert tensor.equal(value)
        assert not tensor.is_contiguous()


def test_draws_refuses_a_range_that_is_too_narrow() -> None:
    with pytest.raises(ValueError, match="too narrow"):
        check.draws(10, 0, 0.001)


def test_drawn_tensor_has_the_requested_shape_and_range() -> None:
    tensor = check.draw_tensor(3, 4, low=0, high=1)
    assert tensor.shape == (3, 4)
    assert tensor.dtype == torch.float64
    assert len(set(tensor.flatten().tolist())) == 12
    assert check.draw_tensor(1, 1).shape == (1, 1)


def test_shown_line_recreates_the_drawn_tensors() -> None:
    check.seed(b"one")
    (x, w), line = check.draw_again(x=(10, 2), w=(3,))
    namespace: dict[str, Any] = {"torch": torch}
    with torch.random.fork_rng(devices=[]):
        exec(line, namespace)
    assert torch.equal(namespace["x"], x)
    assert torch.equal(namespace["w"], w)
    assert (x.shape, w.dtype) == ((10, 2), torch.float64)
    assert check.draw_again(x=(1,), w=())[1] != check.draw_again(x=(1,), w=())[1]
