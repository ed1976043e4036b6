"""Tests of `operations`, which counts torch operations and finds the size of the largest result."""

import torch

from secant.checking.operations import operations


def test_operation_counter_counts_forward_and_backward() -> None:
    x = torch.ones(3, requires_grad=True)
    with operations() as forward:
        y = (x * x).sum()
    with operations() as back:
        y.backward()
    assert (forward.count, forward.largest) == (2, 3)
    assert back.count >= 2
    with operations() as wide:
        torch.outer(x, x).max(0)
    assert wide.largest == 9


def test_operation_counter_ignores_operations_outside_its_block() -> None:
    with operations() as counter:
        pass
    torch.ones(3).exp()
    assert (counter.count, counter.largest) == (0, 0)
