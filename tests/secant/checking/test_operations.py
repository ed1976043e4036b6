"""Counting what a computation costs."""

import torch

from secant.checking.operations import operations


def test_it_counts_operations_and_numbers_of_both_passes() -> None:
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


def test_it_counts_nothing_outside() -> None:
    with operations() as made:
        pass
    torch.ones(3).exp()
    assert (made.count, made.largest) == (0, 0)
