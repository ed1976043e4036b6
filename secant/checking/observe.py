"""Calls to a student's function, recorded as plain data for the checks."""

import contextlib
import linecache
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from secant.causes import QUESTION
from secant.checking.watch import Change, watch

# The depth to which results are read: deeper than any result that a task asks for. There is a limit because a
# list may contain itself.
_DEPTH = 6
# Substrings of the messages of those attribute and type errors for which a test has a hint. In order, they
# indicate: the use of None, such as an empty .grad; a generator used as a list; a node without the attribute
# `variable`; and in lesson 10, a number used as a Value, and a TorchValue created with the arguments of the
# student's own Value.
_KNOWN = ("NoneType", "'generator'", "'variable'", "attribute 'data'", "TorchValue.__init__")


class observe:
    """Call a student's function, as often as the test needs, and record each call.

    Args:
        **watched: tensors and modules that belong to the caller, as for `watch`.

    After `calls = observe(x=x)`, write `calls(f, x)` instead of `f(x)`. The call returns the result itself.
    The probe may overwrite the result, or what is watched, before the next call. At the end, `calls.data()`
    returns plain data.
    """

    def __init__(self, **watched: torch.Tensor | nn.Module) -> None:
        self._watched = watched
        self._results: list[Any] = []
        self._data: dict[str, list[Any]] = {"results": [], "tracked": [], "aliases": []}
        self.changes: list[Change] = []

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call function(*arguments), record the call and its side effects, and return the result."""
        with watch(**self._watched) as watcher:
            result = function(*arguments)
        self._results.append(result)
        self._data["results"].append(copy_of(result))
        self._data["tracked"].append(any(tensor.requires_grad for tensor in _tensors(result)))
        self._data["aliases"].append(_aliases(result, watcher.tensors))
        self.changes = list(dict.fromkeys(self.changes + watcher.changes))
        return result

    def attempt(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function like `__call__`, but turn an error that it raises into a result, {"raised": ...}.

        Use it for calls that may fail in a way for which the test has a hint; see `check.no_error`. Time
        limits and NotImplementedError, for an answer not yet written, are still raised. So are attribute and
        type errors, unless their message contains one of the strings in `_KNOWN`.
        """

        def call_and_catch(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except NotImplementedError:
                raise
            except (
                ArithmeticError,
                AttributeError,
                IndexError,
                RuntimeError,
                TypeError,
                ValueError,
            ) as error:
                is_known = any(part in str(error) for part in _KNOWN)
                if isinstance(error, AttributeError | TypeError) and not is_known:
                    raise
                return {
                    "raised": f"{type(error).__name__}: {str(error).partition(chr(10))[0]}{_line_of(error)}"
                }

        return self(call_and_catch, *arguments)

    def data(self) -> dict[str, Any]:
        """Return the records of all calls: lists with one entry per call, and the changes the calls made.

        - results: copies of the results, made right after each call.
        - kept: copies of the current state of the same results, which may have been changed since.
        - tracked: whether a tensor in the result requires grad.
        - aliases: the names of the watched tensors, and of their .grad, that share memory with the result.
        - changes: (kind, name) pairs, like those of `watch`.
        """
        return {**self._data, "kept": self.current_results(), "changes": self.changes}

    def last(self) -> dict[str, Any]:
        """Return the last call's entries in the lists "results", "tracked" and "aliases"."""
        return {name: entries[-1] for name, entries in self._data.items()}

    def current_results(self) -> list[Any]:
        """Return copies of the current state of all results, which may have changed since their calls."""
        return [copy_of(result) for result in self._results]


def copy_of(value: Any, depth: int = _DEPTH) -> Any:
    """Return a copy of a tensor, or of a list, tuple or dict of them, without the graph behind it."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if not depth:
        return value
    if isinstance(value, list):
        return [copy_of(part, depth - 1) for part in value]
    if isinstance(value, tuple):
        return tuple(copy_of(part, depth - 1) for part in value)
    if isinstance(value, dict):
        return {key: copy_of(part, depth - 1) for key, part in value.items()}
    return value


def _line_of(error: Exception) -> str:
    """Return, after a line break, the code of the student's line that an error passed through.

    Return an empty string if the line is unknown.
    """
    steps = ((frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__))
    library_folders = Path(__file__).parents[1], Path(torch.__file__).parent
    own_steps = (
        s
        for s in steps
        if s[0] != QUESTION and not any(Path(s[0]).is_relative_to(folder) for folder in library_folders)
    )
    line = linecache.getline(*next(own_steps, ("", 0))).strip()
    return line and f"\n    {line}"


def _tensors(value: Any, depth: int = _DEPTH) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _tensors(part, depth - 1)


def _aliases(result: Any, watched: dict[str, torch.Tensor]) -> list[str]:
    places = {_memory(tensor) for tensor in _tensors(result)} - {0}
    if not places:
        return []
    candidates = dict(watched)
    for name, tensor in watched.items():
        # Reading the .grad of a non-leaf gives a warning, and .grad is None unless retain_grad() was called.
        if (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None:
            candidates[f"{name}.grad"] = tensor.grad
    return [name for name, tensor in candidates.items() if _memory(tensor) in places]


def _memory(tensor: torch.Tensor) -> int:
    """Return the memory address of a tensor's data; 0 if the tensor has no address, or hides it."""
    with contextlib.suppress(Exception):
        return tensor.untyped_storage().data_ptr()
    return 0
