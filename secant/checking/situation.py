"""Where a question is asked: beside the student's function, with the arguments that a test described.

This is the candidate's side of `secant.checking.ask`. It takes plain data, holds no expected value, and
gives back plain data: what the answer returned, and what the call did to what belongs to its caller.
"""

import ast
import contextlib
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import torch
from torch import nn

from secant.bindings import BUILTINS
from secant.causes import QUESTION
from secant.checking import custom, engines, graphs, values
from secant.checking.functions import formula, noted
from secant.checking.observe import observe
from secant.checking.operations import operations
from secant.quiet import ask_first

#: How an argument that is more than a value is marked: {CODE: code}, {LEAF: (value, grad, layout, tracked)}.
CODE, LEAF = "secant.code", "secant.leaf"
#: What a question may use beside the student's own names, whatever the student's notebook calls so.
_KIT = {
    **BUILTINS,
    "__builtins__": dict(BUILTINS),
    "torch": torch,
    "nn": nn,
    "math": math,
    "leaf": graphs.leaf,
    "strided": graphs.strided,
    "formula": formula,
    "graphs": graphs,
    "custom": custom,
    "engines": engines,
    "recipes": values,
}
_now: list["Situation"] = []


def put(request: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """Ask one question.

    Args:
        request: `text`, what to run; `arguments`, by name, for a new situation, without which the last one is
            asked; `before`, a statement that is run unwatched; `ahead`, what to ask next, each a statement to
            run before, or "", and a text; and the other options of `secant.checking.ask.ask`. Or only `kept`,
            the place of an earlier result in the last situation: what it is now comes back as `result`.
        names: what the student's notebook calls things.

    Returns:
        What there is nothing to say of is left out, for speed. The entries:

        - result: a copy of what came back; where Values are among the arguments, as `values.plain` gives it.
        - tracked: whether a tensor in it requires grad.
        - aliases: the names of the arguments, and of their .grad, whose memory it shares.
        - changes: (kind, name) pairs, as those of `watch`, and for Values ("grad", "a") and the like.
        - replaced: the names of the leaves whose .grad has the numbers that it had before the first question,
            but is another tensor: see `Answer.keeps_buffers`.
        - raised: the error that came instead, if the test asked for it.
        - stopped: the error that a limit on steps ended it with.
        - count, largest: as those of `operations`. warned: the warnings.
        - given: by the name of a function that is noted, what it was given so far, as `noted` keeps it.
        - ran: the names of these functions, one for each call so far.
        - ahead: the same for each of the questions that were to be asked right after it, up to the first that
            raises: its error is raised when that question comes by itself. Nothing if this one was stopped:
            each would take as long again, and most tests end there.
        - place: of the result among those of the situation.
    """
    if "kept" in request:
        return {"result": _now[-1].kept(request["kept"])}
    if "arguments" in request:
        _now[:] = [Situation(request["arguments"], names, request.get("noting", ()))]
    seen = _now[-1].ask(request)
    ahead = [] if "stopped" in seen else _now[-1].ask_ahead(request)
    return {**seen, **({"ahead": ahead} if ahead else {})}


class Situation:
    """The arguments of a question, made, and everything that was asked of them.

    One lasts from an `ask` to the next: `again`, `after` and `then` are asked of the same objects.
    """

    def __init__(
        self, arguments: Mapping[str, Any], names: dict[str, Any], noting: Iterable[str] = ()
    ) -> None:
        self._names: dict[str, Any] = {**names, **_KIT, "__name__": "question"}
        self._arguments: dict[str, Any] = {}
        self._ran: list[str] = []
        self._failed: Exception | None = None  # of a question that was asked ahead
        for name, argument in arguments.items():
            made = _made(argument, self._names)
            made = noted(made, name, self._ran) if name in noting else made
            self._names[name] = self._arguments[name] = made
        self._watched = dict(_watchable(self._arguments))
        self._places = -1
        self._calls = observe(**self._watched)
        self._values = {name: thing for name, thing in _nested(self._arguments) if values.is_value(thing)}
        self._known = {id(value): name for name, value in self._values.items()}
        self._buffers = {n: (t.grad, t.grad.clone()) for n, t in self._leaves() if t.grad is not None}

    def kept(self, place: int) -> Any:
        """Return what a result holds now."""
        kept = self._calls.kept()[place]
        return values.plain(kept, self._known) if self._values else kept

    def ask_ahead(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Ask what comes next, up to the first error."""
        seen: list[dict[str, Any]] = []
        for before, text in request.get("ahead", ()):
            try:
                seen.append(self.ask({**request, "before": before, "text": text}))
            except Exception as error:
                self._failed = error
                break
        return seen

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run what a request says, and report the result."""
        if self._failed is not None:
            error, self._failed = self._failed, None
            raise error
        if request.get("before"):
            exec(request["before"], self._names)
        self._calls.changes = []
        held = {name: values.fields(value) for name, value in self._values.items()}
        name, code = _compiled(request["text"])
        call = self._calls.attempt if request.get("attempt") else self._calls
        made = operations() if request.get("counted") else None
        stopped: list[str] = []

        def run() -> Any:
            counting: contextlib.AbstractContextManager[Any] = made or contextlib.nullcontext()
            if not (steps := request.get("steps")):
                with counting:
                    return eval(code, self._names)
            try:
                with graphs.limit_steps(steps), counting:
                    return _with_room(eval, code, self._names)
            except (RecursionError, TimeoutError) as error:
                stopped.append(type(error).__name__)

        caught: list[warnings.WarningMessage] = []
        with _every_warning(caught) if request.get("warned") else contextlib.nullcontext():
            self._names[name] = result = call(run)
        self._places += 1
        seen = self._calls.last()
        heard = {name: list(one.given) for name, one in self._arguments.items() if isinstance(one, noted)}
        told = {
            "place": self._places,
            "tracked": seen["tracked"],
            "aliases": seen["aliases"],
            "changes": [*self._calls.changes, *self._changed(held)],
            "replaced": [n for n, thing in self._leaves() if self._is_replaced(n, thing)],
            "stopped": "".join(stopped),
            "count": made.count if made else 0,
            "largest": made.largest if made else 0,
            "given": heard,
            "ran": list(self._ran),
            "warned": [str(warning.message).partition(". ")[0] for warning in caught],
        }
        return {
            "result": self._plain(result, request.get("by_name", False)),
            **{k: v for k, v in told.items() if v},
        }

    def _changed(self, held: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
        for name, value in self._values.items():
            now = values.fields(value)
            yield from ((kind, name) for kind, old in held[name].items() if now[kind] != old)

    def _leaves(self) -> Iterator[tuple[str, torch.Tensor]]:
        found = self._watched.items()
        return ((n, t) for n, t in found if isinstance(t, torch.Tensor) and t.is_leaf)

    def _is_replaced(self, name: str, thing: torch.Tensor) -> bool:
        held, numbers = self._buffers.get(name, (None, None))
        return held is not None and thing.grad is not held and str(thing.grad) == str(numbers)

    def _plain(self, result: Any, by_name: bool) -> Any:
        """Return plain data for the last result."""
        if by_name and isinstance(result, list | tuple):
            return self._by_name(result)
        last = self._calls.last()["results"]
        if not self._values or (isinstance(last, dict) and "raised" in last):
            return last
        told = values.plain(last, self._known)
        if values.is_value(result):
            self._known.setdefault(id(result), "")  # a later question that gives it back gives no new Value
        return told

    def _by_name(self, value: Any) -> Any:
        """Return a list or tuple with the arguments' names in their place; "?" for a stranger."""
        if isinstance(value, list | tuple):
            return type(value)(self._by_name(part) for part in value)
        found = (name for name, thing in self._arguments.items() if thing is value)
        return next(found, "?")


def _with_room(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function with room on the interpreter's stack.

    CPython asks the system for that stack 16 KiB at a time. 3.11, 3.12 and earlier releases of 3.13 and 3.14
    give each part back once it is empty (python/cpython#142183). An answer that recurses to and fro over the
    end of a part pays for this at each call, and while steps are counted at each step: up to ten times as
    long.
    """
    return call(*arguments)


# A frame so large that it begins a part of 512 KiB, half of which is left.
_with_room.__code__ = _with_room.__code__.replace(co_stacksize=2**15)


@contextlib.contextmanager
def _every_warning(into: list[warnings.WarningMessage]) -> Iterator[None]:
    """Record the warnings of the body, also those that torch gives once a process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask_first()  # what an explorer's function warns of meanwhile, in another thread, is none
        torch.set_warn_always(True)
        try:
            yield
        finally:
            torch.set_warn_always(False)
            into.extend(caught)


@cache
def _code(text: str) -> Any:
    """Return an argument's code, compiled once for all the questions that have it."""
    return compile(text, "<argument>", "eval")


@cache
def _compiled(text: str) -> tuple[str, Any]:
    """Return the name that a question gives its result, and the code of the result."""
    body = ast.parse(text).body[-1]
    if isinstance(body, ast.Assign) and isinstance(body.targets[0], ast.Name):
        return body.targets[0].id, compile(ast.Expression(body.value), QUESTION, "eval")
    return "_", compile(text, QUESTION, "eval")


def _made(argument: Any, names: dict[str, Any]) -> Any:
    """Return the argument that plain data describe."""
    if isinstance(argument, dict) and CODE in argument:
        return eval(_code(argument[CODE]), names)
    if isinstance(argument, dict) and LEAF in argument:
        value, grad, layout, tracked = argument[LEAF]
        value = graphs.arranged(value.clone(), layout).detach().requires_grad_(tracked)
        if grad is not None:
            value.grad = torch.full_like(value, grad)
        return value
    if isinstance(argument, list | tuple):
        return type(argument)(_made(part, names) for part in argument)
    if isinstance(argument, dict):
        return {key: _made(part, names) for key, part in argument.items()}
    return argument.clone() if isinstance(argument, torch.Tensor) else argument


def _watchable(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((n, thing) for n, thing in _nested(arguments) if isinstance(thing, torch.Tensor | nn.Module))


def _nested(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments, and in the place of lists, tuples and dicts what they hold: "x[0]"."""
    for name, thing in arguments.items():
        if isinstance(thing, list | tuple):
            yield from _nested({f"{name}[{place}]": part for place, part in enumerate(thing)})
        elif isinstance(thing, dict):
            yield from _nested({f"{name}[{key!r}]": part for key, part in thing.items()})
        else:
            yield name, thing
