"""The student's side of `secant.checking.ask`, which makes a question's arguments and runs its code.

This module runs in the candidate (the process that runs the student's code). It receives plain data, holds no
expected value, and returns plain data: the result of the call, and the changes that the call made to what
belongs to its caller.
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
from secant.checking.functions import RecordedFunction, formula
from secant.checking.observe import observe
from secant.checking.operations import operations
from secant.quiet import move_filter_to_front

#: The keys of dicts that describe an argument other than a plain value: {CODE: code} or
#: {LEAF: (value, grad, layout, tracked)}.
CODE, LEAF = "secant.code", "secant.leaf"
#: The names that a question may use in addition to the student's own. They take precedence over names in the
#: notebook.
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
_situations: list["Situation"] = []


def answer_request(request: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """Ask one question, or read an earlier result again.

    Args:
        request: for a question, a dict with `text`, the code to run; `arguments`, keyed by name, which start
            a new `Situation` (without them, the question is about the last one); `before`, a statement to run
            first, whose changes are not recorded; `ahead`, the questions to ask next, each as a pair of such
            a statement (or "") and the code to run; and the other options of `secant.checking.ask.ask`. To
            read an earlier result of the last `Situation` again, a dict with only `kept`, the index of that
            result: its current value is returned as `result`.
        names: the variables of the student's notebook, keyed by name.

    Returns:
        A dict with these entries. An entry with nothing to report is omitted, for speed.

        - result: a copy of the result, as `values.plain` returns it if there are Values among the arguments.
          If the call raised an error that the test asked for, this is {"raised": the error's text}.
        - tracked: whether a tensor in the result requires grad.
        - aliases: the names of the arguments, and of their .grad, that share memory with the result.
        - changes: (kind, name) pairs, like those of `watch`, and pairs such as ("grad", "a") for Values.
        - replaced: the names of the leaves for which .grad has the numbers that it had before the first
          question, but is another tensor: see `Answer.keeps_buffers`.
        - stopped: the name of the error if the limit on steps, or the recursion limit, ended the call.
        - count, largest: the counts of `operations`.
        - warned: the first sentence of each warning.
        - given: the arguments so far of each function in `noting`, as `RecordedFunction` records them, keyed
          by the function's name.
        - ran: the names of these functions, one for each call so far.
        - ahead: a dict like this one for each of the questions to be asked next, up to the first that raises
          an error. The error is raised when that question itself is asked. If this question was stopped, the
          next questions are not asked: each would take as long again, and most tests end at this point.
        - place: the index of the result among the results of the situation.
    """
    if "kept" in request:
        return {"result": _situations[-1].current_result(request["kept"])}
    if "arguments" in request:
        _situations[:] = [Situation(request["arguments"], names, request.get("noting", ()))]
    report = _situations[-1].ask(request)
    ahead = [] if "stopped" in report else _situations[-1].ask_ahead(request)
    return {**report, **({"ahead": ahead} if ahead else {})}


class Situation:
    """The arguments made for a question, and the results of all questions about them.

    A situation lasts from one `ask` to the next: `again`, `after` and `then` ask about the same objects.
    """

    def __init__(
        self, arguments: Mapping[str, Any], names: dict[str, Any], recorded_names: Iterable[str] = ()
    ) -> None:
        self._names: dict[str, Any] = {**names, **_KIT, "__name__": "question"}
        self._arguments: dict[str, Any] = {}
        self._call_names: list[str] = []
        self._ahead_error: Exception | None = None  # the error raised by a question that was asked in advance
        for name, argument in arguments.items():
            value = _build_argument(argument, self._names)
            value = RecordedFunction(value, name, self._call_names) if name in recorded_names else value
            self._names[name] = self._arguments[name] = value
        self._watched = dict(_watchable_arguments(self._arguments))
        self._last_place = -1
        self._calls = observe(**self._watched)
        self._values = {name: item for name, item in _flatten(self._arguments) if values.is_value(item)}
        self._value_names = {id(value): name for name, value in self._values.items()}
        self._buffers = {n: (t.grad, t.grad.clone()) for n, t in self._leaves() if t.grad is not None}

    def current_result(self, place: int) -> Any:
        """Return the current state of an earlier result, which may have been changed since."""
        result = self._calls.current_results()[place]
        return values.plain(result, self._value_names) if self._values else result

    def ask_ahead(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Ask the questions that a request lists under `ahead`, up to the first that raises an error."""
        reports: list[dict[str, Any]] = []
        for statement, text in request.get("ahead", ()):
            try:
                reports.append(self.ask({**request, "before": statement, "text": text}))
            except Exception as error:
                self._ahead_error = error
                break
        return reports

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the code of a request, and return a report on its result and its side effects."""
        if self._ahead_error is not None:
            error, self._ahead_error = self._ahead_error, None
            raise error
        if request.get("before"):
            exec(request["before"], self._names)
        self._calls.changes = []
        fields_before = {name: values.fields(value) for name, value in self._values.items()}
        name, code = _compile_question(request["text"])
        call = self._calls.attempt if request.get("attempt") else self._calls
        counter = operations() if request.get("counted") else None
        error_names: list[str] = []

        def run() -> Any:
            counting_context: contextlib.AbstractContextManager[Any] = counter or contextlib.nullcontext()
            if not (steps := request.get("steps")):
                with counting_context:
                    return eval(code, self._names)
            try:
                with graphs.limit_steps(steps), counting_context:
                    return _with_stack_room(eval, code, self._names)
            except (RecursionError, TimeoutError) as error:
                error_names.append(type(error).__name__)

        caught_warnings: list[warnings.WarningMessage] = []
        with _record_warnings(caught_warnings) if request.get("warned") else contextlib.nullcontext():
            self._names[name] = result = call(run)
        self._last_place += 1
        last_call = self._calls.last()
        arguments_given = {
            name: list(argument.records)
            for name, argument in self._arguments.items()
            if isinstance(argument, RecordedFunction)
        }
        report = {
            "place": self._last_place,
            "tracked": last_call["tracked"],
            "aliases": last_call["aliases"],
            "changes": [*self._calls.changes, *self._field_changes(fields_before)],
            "replaced": [n for n, tensor in self._leaves() if self._is_replaced(n, tensor)],
            "stopped": "".join(error_names),
            "count": counter.count if counter else 0,
            "largest": counter.largest if counter else 0,
            "given": arguments_given,
            "ran": list(self._call_names),
            "warned": [str(warning.message).partition(". ")[0] for warning in caught_warnings],
        }
        return {
            "result": self._plain_result(result, request.get("by_name", False)),
            **{k: v for k, v in report.items() if v},
        }

    def _field_changes(self, fields_before: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
        for name, value in self._values.items():
            fields_now = values.fields(value)
            yield from (
                (kind, name) for kind, before in fields_before[name].items() if fields_now[kind] != before
            )

    def _leaves(self) -> Iterator[tuple[str, torch.Tensor]]:
        items = self._watched.items()
        return ((n, t) for n, t in items if isinstance(t, torch.Tensor) and t.is_leaf)

    def _is_replaced(self, name: str, tensor: torch.Tensor) -> bool:
        buffer, numbers = self._buffers.get(name, (None, None))
        return buffer is not None and tensor.grad is not buffer and str(tensor.grad) == str(numbers)

    def _plain_result(self, result: Any, by_name: bool) -> Any:
        if by_name and isinstance(result, list | tuple):
            return self._by_name(result)
        last_result = self._calls.last()["results"]
        if not self._values or (isinstance(last_result, dict) and "raised" in last_result):
            return last_result
        data = values.plain(last_result, self._value_names)
        if values.is_value(result):
            # Remember the Value, so that it does not count as new if a later question returns it again.
            self._value_names.setdefault(id(result), "")
        return data

    def _by_name(self, value: Any) -> Any:
        """Return a result with each argument in it replaced by its name, and any other object by "?"."""
        if isinstance(value, list | tuple):
            return type(value)(self._by_name(part) for part in value)
        names = (name for name, argument in self._arguments.items() if argument is value)
        return next(names, "?")


def _with_stack_room(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function with ample room on the interpreter's stack.

    CPython requests memory for this stack in chunks of 16 KiB. Python 3.11, 3.12 and earlier releases of
    3.13 and 3.14 return each chunk once it is empty (python/cpython#142183). If the recursion of an answer
    goes back and forth across the end of a chunk, this costs time at each call or, while steps are counted,
    at each step. The answer then takes up to ten times as long.
    """
    return call(*arguments)


# The function's frame is made so large that CPython requests a chunk of 512 KiB for it, half of which stays
# free.
_with_stack_room.__code__ = _with_stack_room.__code__.replace(co_stacksize=2**15)


@contextlib.contextmanager
def _record_warnings(records: list[warnings.WarningMessage]) -> Iterator[None]:
    """Record the warnings in a `with` block, including those that torch issues only once per process."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        move_filter_to_front()  # excludes warnings that an explorer's function issues in another thread
        torch.set_warn_always(True)
        try:
            yield
        finally:
            torch.set_warn_always(False)
            records.extend(caught_warnings)


@cache
def _compile_argument(text: str) -> Any:
    """Return an argument's code, compiled once for all questions that use it."""
    return compile(text, "<argument>", "eval")


@cache
def _compile_question(text: str) -> tuple[str, Any]:
    """Return the name that a question gives to its result ("_" by default), and the compiled code to run."""
    body = ast.parse(text).body[-1]
    if isinstance(body, ast.Assign) and isinstance(body.targets[0], ast.Name):
        return body.targets[0].id, compile(ast.Expression(body.value), QUESTION, "eval")
    return "_", compile(text, QUESTION, "eval")


def _build_argument(argument: Any, names: dict[str, Any]) -> Any:
    if isinstance(argument, dict) and CODE in argument:
        return eval(_compile_argument(argument[CODE]), names)
    if isinstance(argument, dict) and LEAF in argument:
        value, grad, layout, tracked = argument[LEAF]
        value = graphs.arranged(value.clone(), layout).detach().requires_grad_(tracked)
        if grad is not None:
            value.grad = torch.full_like(value, grad)
        return value
    if isinstance(argument, list | tuple):
        return type(argument)(_build_argument(part, names) for part in argument)
    if isinstance(argument, dict):
        return {key: _build_argument(part, names) for key, part in argument.items()}
    return argument.clone() if isinstance(argument, torch.Tensor) else argument


def _watchable_arguments(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((n, item) for n, item in _flatten(arguments) if isinstance(item, torch.Tensor | nn.Module))


def _flatten(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (name, argument) pairs; each entry of a list, tuple or dict gets a name such as "x[0]"."""
    for name, argument in arguments.items():
        if isinstance(argument, list | tuple):
            yield from _flatten({f"{name}[{place}]": part for place, part in enumerate(argument)})
        elif isinstance(argument, dict):
            yield from _flatten({f"{name}[{key!r}]": part for key, part in argument.items()})
        else:
            yield name, argument
