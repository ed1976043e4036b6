"""Keeps out of a notebook what a function prints and warns of while it is drawn, and nothing else.

A kernel may answer widgets in one thread while a cell runs in another. sys.stdout, the warning filters and
torch's number of threads belong to both. A thread that replaces one of them for a while takes it from the
other thread, and two threads that overlap leave it replaced for good. So neither `print` nor sys.stdout is
replaced: the stream that is sys.stdout just then, and a filter, ask whether the thread that writes is silent.
They do not ask a context: `call_soon` would hand that on. A stream that a cell puts into sys.stdout while a
function is being drawn gets what that one draw still prints.

What else the threads of a kernel share, and why it is safe:

- matplotlib: an explorer's figure is known to no pyplot, and no rcParams are set.
- Modes of autograd, saved-tensor hooks, numpy's errstate and sys.settrace are each thread's own.
- Random numbers: no explorer draws any. A learner's function that does so draws them in each frame, too.
- torch.set_num_threads holds for the thread that calls it, and for good in each thread that begins meanwhile.
  So no explorer calls it: `difference.by_steps` keeps tensors so small that torch takes one thread.
- What `watch` sets while it calls an answer: no explorer writes any of it, so no answer is blamed for it.
"""

import contextlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any


class _Here(threading.local):
    """What each thread is at."""

    silent = False


_here = _Here()


class _UnlessSilent:
    """A method of a stream that does nothing in a silent thread."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __call__(self, *arguments: Any) -> Any:
        return sum(map(len, arguments)) if _here.silent else self._method(*arguments)


def _ask_stdout() -> None:
    """Have sys.stdout drop what silent threads write. A stream that takes no attributes stays as it is."""
    stream = sys.stdout
    if stream is None or isinstance(stream.write, _UnlessSilent):
        return
    with contextlib.suppress(AttributeError):
        stream.write = _UnlessSilent(stream.write)  # type: ignore[method-assign]
        stream.flush = _UnlessSilent(stream.flush)  # type: ignore[method-assign]


class _OfSilentThreads:
    """Stands in a filter for the words of a warning: all those of a silent thread, none of others."""

    def match(self, text: str) -> bool:
        return _here.silent


_FILTER: Any = ("ignore", _OfSilentThreads(), Warning, None, 0)


def ask_first() -> None:
    """Put the filter before those that others have set up meanwhile. It concerns silent threads alone."""
    if not warnings.filters or warnings.filters[0] is not _FILTER:
        warnings.filters.insert(0, _FILTER)  # type: ignore[attr-defined]


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Drop what this thread prints, or warns of: a function that is drawn would, a thousand times a frame."""
    before = _here.silent
    ask_first()
    _ask_stdout()
    try:
        _here.silent = True
        yield
    finally:
        _here.silent = before
