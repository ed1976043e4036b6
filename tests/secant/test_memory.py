"""Tests of the tensor memory counter: the bytes that tensors use now, and the most that they have used."""

import torch

from secant import peak_memory


def test_peak_memory_counts_live_and_maximum_bytes() -> None:
    with peak_memory() as memory:
        a = torch.zeros(1000)
        b = a * 2
        assert memory.now == 8000
        del b
        assert memory.now == 4000
    assert (memory.now, memory.peak) == (4000, 8000)


def test_views_and_in_place_edits_take_no_memory() -> None:
    base = torch.zeros(1000)
    with peak_memory() as memory:
        base.add_(1)
        view = base[:10].view(2, 5)
        first, second = view.unbind(0)
        assert (memory.now, memory.peak) == (0, 0)
        block = torch.zeros(10).view(2, 5)
        assert memory.now == 40
    assert len(block) == len((first, second))


def test_memory_lives_as_long_as_its_last_view() -> None:
    with peak_memory() as memory:
        first, _ = torch.zeros(10).chunk(2)
        assert memory.now == 40
        del first, _
        assert memory.now == 0


def test_saved_tensors_are_freed_by_backward() -> None:
    x = torch.zeros(1000, requires_grad=True)
    with peak_memory() as memory:
        y = x.exp().sin().sum()
        assert memory.now == 4004  # y, and exp's result, which sin saved; sin's result is gone
        y.backward()
        assert memory.now == 4004  # x.grad and y
    assert memory.peak >= 8004
