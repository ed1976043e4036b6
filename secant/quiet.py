"""Keeps out of a notebook what a function prints and warns of while it is drawn, and nothing else.

A kernel may answer widgets in one thread while a cell runs in another. sys.stdout, the warning filters and
torch's number of threads belong to both. Whoever replaces one of them for a while takes it from the other
thread, and two who overlap leave it replaced for good. So `print` and a filter are set up once, and ask
whether their own thread is silent. They do not ask a context: `call_soon` would hand that on.

What else the threads of a kernel share, and why it is safe:

- matplotlib: an explorer's figure is known to no pyplot, and no rcParams are set.
- Modes of autograd, saved-tensor hooks, numpy's errstate and sys.settrace are each thread's own.
- Random numbers: no explorer draws any. A learner's function that does so draws them in each frame, too.
- torch.set_num_threads holds for the thread that calls it, and for good in each thread that begins meanwhile.
  So no explorer calls it: `difference.by_steps` keeps tensors so small that torch takes one thread.
- What `watch` sets while it calls an answer: no explorer writes any of it, so no answer is blamed for it.
"""

import builtins
import contextlib
import functools
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any


class _Here(threading.local):
    """What each thread is at."""

    silent = False


_here = _Here()


class _Stdout:
    """Where print writes to: sys.stdout, whatever that is just then, but for a silent thread."""

    def write(self, text: str) -> int:
        if not _here.silent and sys.stdout is not None:
            sys.stdout.write(text)
        return len(text)

    def flush(self) -> None:
        if not _here.silent and sys.stdout is not None:
            sys.stdout.flush()

    def __repr__(self) -> str:
        return "sys.stdout"


class _OfSilentThreads:
    """Stands in a filter for the words of a warning: all those of a silent thread, none of others."""

    def match(self, text: str) -> bool:
        return _here.silent


_FILTER: Any = ("ignore", _OfSilentThreads(), Warning, None, 0)


class _Print(functools.partial[None]):
    """Python's print into another file: no step of ours stands in a learner's error."""

    def __reduce__(self) -> str:
        return "print"  # by name, as Python's own is pickled

    def __repr__(self) -> str:
        return repr(self.func)


builtins.print = functools.update_wrapper(_Print(print, file=_Stdout()), print)


def ask_first() -> None:
    """Put the filter before those that others have set up meanwhile. It concerns silent threads alone."""
    if not warnings.filters or warnings.filters[0] is not _FILTER:
        warnings.filters.insert(0, _FILTER)  # type: ignore[attr-defined]


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Drop what this thread prints, or warns of: a function that is drawn would, a thousand times a frame."""
    before = _here.silent
    ask_first()
    try:
        _here.silent = True
        yield
    finally:
        _here.silent = before
