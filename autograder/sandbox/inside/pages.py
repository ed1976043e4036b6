"""What makes a fork of a large process quick: its memory in few large pages, and left alone."""

import contextlib
import ctypes
import gc
from collections.abc import Iterator

from autograder.sandbox.inside.kernel import libc

_LARGE = 2 * 2**20  # bytes of a large page, where a small one has 4 KiB
_MADV_COLLAPSE = 25


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Import in the body what is to stay: no later collection of garbage looks at it.

    In a fork that would touch, and so copy, every page. Meanwhile too: modules leave little garbage, and
    looking for it takes a quarter of the time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def collapse() -> None:
    """Put this process's memory into large pages, after its imports; see `collapsing`."""
    for _ in collapsing():
        pass


def collapsing() -> Iterator[None]:
    """Put this process's memory into large pages, in steps of some milliseconds.

    The kernel copies an entry for each page of a process that forks, and drops it when the fork ends: 60,000
    with torch, which takes longer than most tasks. Where the kernel cannot put them together (before
    Linux 6.1), forks are as slow as ever.
    """
    with contextlib.suppress(OSError):
        for start, end in _own_memory():
            for first in range(-(-start // _LARGE) * _LARGE, end - _LARGE + 1, _LARGE):
                yield
                libc().madvise(ctypes.c_void_p(first), ctypes.c_size_t(_LARGE), _MADV_COLLAPSE)


def _own_memory() -> list[tuple[int, int]]:
    """The first and last addresses of this process's own writable memory."""
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file]
    own = [line[0].split("-") for line in lines if line[1] == "rw-p" and line[5:] in ([], ["[heap]"])]
    return [(int(start, 16), int(end, 16)) for start, end in own]
