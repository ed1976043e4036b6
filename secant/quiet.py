"""Suppression of a function's prints and warnings in the thread that draws the function.

A kernel may answer widgets in one thread while a cell runs in another. Both threads share sys.stdout, the
warning filters and torch's number of threads. If one thread replaced one of them for a while, the other
thread would be affected too. If both threads did so at overlapping times, a replacement could stay for good.
So neither `print` nor sys.stdout is replaced. Instead, the write method of the current sys.stdout, and a
warning filter, check whether the calling thread is silent (drawing a function). They do not check a context
variable, because `call_soon` would pass its value on to callbacks. If a cell replaces sys.stdout while a
function is being drawn, the new stream receives whatever the function prints during the rest of that drawing.

The threads of a kernel also share the following, which is safe for these reasons:

- matplotlib: an explorer's figure is unknown to pyplot, and no rcParams are set.
- Autograd modes, saved-tensor hooks, numpy's errstate and sys.settrace are local to each thread.
- Random numbers: no explorer generates any. A learner's function may, and it then generates them in each
  frame.
- torch.set_num_threads affects the thread that calls it and, for good, each thread that starts meanwhile. So
  no explorer calls it. Instead, `difference.by_steps` keeps tensors so small that torch uses one thread.
- Settings that `watch` changes while it calls an answer: no explorer writes any of them, so no answer is
  blamed for a change that an explorer made.
"""

import contextlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any


class _ThreadState(threading.local):
    """Thread-local state: whether the thread is silent (its prints and warnings are dropped)."""

    silent = False


_state = _ThreadState()


class _UnlessSilent:
    """A wrapper for a stream's method that does nothing if the calling thread's output is suppressed."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __call__(self, *arguments: Any) -> Any:
        return sum(map(len, arguments)) if _state.silent else self._method(*arguments)


def _patch_stdout() -> None:
    """Make sys.stdout drop the output of threads that are inside `quietly`.

    A stream on which no attributes can be set stays as it is.
    """
    stream = sys.stdout
    if stream is None or isinstance(stream.write, _UnlessSilent):
        return
    with contextlib.suppress(AttributeError):
        stream.write = _UnlessSilent(stream.write)  # type: ignore[method-assign]
        stream.flush = _UnlessSilent(stream.flush)  # type: ignore[method-assign]


class _SilentThreadMatch:
    """A message pattern for a warning filter: it matches a warning if its thread is inside `quietly`."""

    def match(self, text: str) -> bool:
        return _state.silent


_FILTER: Any = ("ignore", _SilentThreadMatch(), Warning, None, 0)


def move_filter_to_front() -> None:
    """Make the filter that drops warnings inside `quietly` the first one.

    Other code may have added filters in front of this filter, and the first filter that matches decides.
    """
    if not warnings.filters or warnings.filters[0] is not _FILTER:
        warnings.filters.insert(0, _FILTER)  # type: ignore[attr-defined]


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Drop everything that this thread prints, and its warnings, during a `with` block.

    To draw one frame, an explorer calls the learner's function a thousand times, and each call could print or
    warn.
    """
    was_silent = _state.silent
    move_filter_to_front()
    _patch_stdout()
    try:
        _state.silent = True
        yield
    finally:
        _state.silent = was_silent
