"""A measurement of how running time grows with the input. For strangers' data, it may grow only linearly."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_MIN_SECONDS = 0.002  # seconds of processor time that can be measured reliably
_SIZE_RATIO = 16  # ratio of the two sizes; large enough that outgrowing a cache does not look like growth
_MAX_SIZE = 2**20
_ROUNDS = 3


def growth(work: Callable[[T], object], make: Callable[[int], T]) -> float:
    """Return the time for an input of size 16n divided by that for size n: 16 if linear, 256 if quadratic.

    Args:
        work: the function to measure.
        make: a function that makes an argument of a given size for `work`. The size n is the smallest
            power of two, from 16, for which `work` takes long enough to measure.
    """
    size = 16
    while min(_seconds(work, make(size)) for _ in range(_ROUNDS)) < _MIN_SECONDS and size < _MAX_SIZE:
        size *= 2
    # The two sizes are measured alternately, so that a processor that slows down for a while slows both.
    pairs = [[_seconds(work, make(n)) for n in (size, _SIZE_RATIO * size)] for _ in range(_ROUNDS)]
    small_time, large_time = map(min, zip(*pairs, strict=True))
    return large_time / small_time


def _seconds(work: Callable[[T], object], argument: T) -> float:
    start = time.thread_time()
    work(argument)
    return time.thread_time() - start
