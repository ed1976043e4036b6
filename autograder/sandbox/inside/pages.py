"""Functions that make it quick to fork a large process: they move its memory into fewer, larger pages."""

import contextlib
import ctypes
import gc
from collections.abc import Iterator

from autograder.sandbox.inside.kernel import libc

_LARGE = 2 * 2**20  # size of a large memory page in bytes; an ordinary page has 4 KiB
_MADV_COLLAPSE = 25


@contextlib.contextmanager
def frozen_imports() -> Iterator[None]:
    """Exclude the modules imported in the body of the `with` statement from later garbage collections.

    A collection in a fork would touch, and so copy, every memory page. Garbage collection is also switched
    off while the body runs, because imports leave little garbage, and looking for it would take a quarter of
    the import time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def collapse() -> None:
    """Move this process's memory into large pages after its imports; see `collapse_steps`."""
    for _ in collapse_steps():
        pass


def collapse_steps() -> Iterator[None]:
    """Move this process's memory into large pages, in steps of a few milliseconds.

    When a process forks, the kernel copies a page table entry for each of its memory pages, and drops the
    entries when the fork ends. With torch, there are 60,000 entries, and copying them takes longer than most
    tasks. Before Linux 6.1, the kernel cannot merge pages, and forks stay slow.
    """
    with contextlib.suppress(OSError):
        for start, end in _own_memory():
            for first in range(-(-start // _LARGE) * _LARGE, end - _LARGE + 1, _LARGE):
                yield
                libc().madvise(ctypes.c_void_p(first), ctypes.c_size_t(_LARGE), _MADV_COLLAPSE)


def _own_memory() -> list[tuple[int, int]]:
    """Return the start and end addresses of all areas of this process's private writable memory."""
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file]
    areas = [line[0].split("-") for line in lines if line[1] == "rw-p" and line[5:] in ([], ["[heap]"])]
    return [(int(start, 16), int(end, 16)) for start, end in areas]
