"""How much longer something takes for more: what a stranger can send must cost its length, no more."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_ENOUGH = 0.002  # seconds of the processor that can be measured
_TIMES = 16  # so much longer that steps at the edge of a cache do not look like growth
_LARGEST = 2**20
_ROUNDS = 3


def growth(work: Callable[[T], object], make: Callable[[int], T]) -> float:
    """Return the time for 16n over that for n: 16 if it grows like n, 256 if like its square.

    Args:
        work: what is measured.
        make: makes its argument, of a size; n is the first power of two that takes long enough to measure.
    """
    size = 16
    while min(_seconds(work, make(size)) for _ in range(_ROUNDS)) < _ENOUGH and size < _LARGEST:
        size *= 2
    # By turns: a processor that is slower for a while is slower for both.
    pairs = [[_seconds(work, make(many)) for many in (size, _TIMES * size)] for _ in range(_ROUNDS)]
    once, more = map(min, zip(*pairs, strict=True))
    return more / once


def _seconds(work: Callable[[T], object], argument: T) -> float:
    begun = time.thread_time()
    work(argument)
    return time.thread_time() - begun
