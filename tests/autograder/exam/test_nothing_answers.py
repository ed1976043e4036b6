"""Tests that nothing in Secant that the wall shows solves a task, as it is or with a small adapter.

All functions and classes are tried, including private ones. Functions that could walk through a graph are
also tried with the adapters that a student would write for them (`tests.support.graph_adapters`).
"""

import contextlib
import enum
import importlib
import inspect
import itertools
import os
import pkgutil
import signal
import types
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

import secant
from autograder.course.cells import Task, imports, split_tests
from autograder.course.lesson import Lesson
from secant import check
from secant.value import Value
from tests.support.graph_adapters import GRAPH_TASKS, takes, walks
from tests.support.lessons import LESSONS, questions, source
from tests.support.settings import settings_kept

Found = tuple[str, Callable[..., Any]]

#: Packages that the wall does not show, and those that start servers or write a learner's files.
NOT_SHOWN, NOT_CALLED = ("secant.explorers", "secant.graph"), ("secant.lab", "secant.cli", "secant.__main__")
#: A package whose private functions write a learner's files without asking.
NOT_PRIVATE = ("secant.progress",)
#: The methods that lesson 10 adds to Value, by task.
METHODS = {
    "value_add_mul": ("__add__", "__mul__"),
    "value_order": ("order",),
    "backward_twice": ("backward",),
    "value_functions": ("__pow__", "log", "exp", "relu"),
}
#: A quick test on a chain of two values, before the costly tests of a task with thousands of attempts.
FIRST = {
    "value_order": "a = Value(2.0)\nb = Value(4.0, (a,), (1.0,))\n"
    "assert [id(value) for value in b.order()] == [id(b), id(a)]"
}
SECONDS = 2.0  # of processor time for one attempt; a correct answer takes less
FIRST_SECONDS = 30.0  # for the course's own answer, which may import a part of torch


def modules(without: tuple[str, ...]) -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(secant.__path__, "secant."):
        if not found.name.startswith(without):
            yield importlib.import_module(found.name)


@cache
def every(without: tuple[str, ...] = (*NOT_SHOWN, *NOT_CALLED)) -> tuple[Found, ...]:
    """Return the functions, classes and methods of Secant's modules, with their names.

    Private ones are included. Modules whose names start with an entry of `without` are skipped.
    """
    found: dict[str, Callable[..., Any]] = {}
    for module in modules(without):
        for name, thing in vars(module).items():
            if name[:2] == "__" or getattr(thing, "__module__", "") != module.__name__ or not callable(thing):
                continue
            found[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                own = ((of, getattr(thing, of)) for of in vars(thing) if of[:2] != "__")
                found |= {f"{module.__name__}.{name}.{of}": method for of, method in own if callable(method)}
    return tuple(found.items())


@cache
def public() -> tuple[Found, ...]:
    """Return the functions, classes and methods that have no private part in their names."""
    return tuple((name, thing) for name, thing in every() if "._" not in name)


@cache
def private() -> tuple[Found, ...]:
    """Return the functions, classes and methods that have a private part in their names."""
    without = (*NOT_SHOWN, *NOT_CALLED, *NOT_PRIVATE)
    return tuple((name, thing) for name, thing in every(without) if "._" in name)


@cache
def classes() -> tuple[tuple[str, type[Any]], ...]:
    """Return the public classes and the classes that public functions return.

    The functions are called without arguments, with a class, and with a class and numbers.
    """
    found: dict[str, type[Any]] = {}
    for name, thing in public():
        if inspect.isclass(thing):
            found[name] = thing
            continue
        for arguments in ((), (Value,), (Value, [1] * 9)):
            if takes(thing, len(arguments)):
                with contextlib.suppress(Exception), settings_kept(), quietly():
                    made = thing(*arguments)
                    if inspect.isclass(made) and made not in found.values():
                        made.__name__ = "Value"  # the tests of lesson 10 check the class's name
                        found[f"{name}{arguments}"] = made
    return tuple(found.items())


def wrapped(function: Callable[..., Any], order: tuple[int, ...], convert: Callable[[Any], Any]) -> Any:
    return lambda *arguments: convert(function(*(arguments[place] for place in order)))


def as_number(result: Any) -> Any:
    return result.item() if isinstance(result, torch.Tensor) and result.numel() == 1 else float(result)


def as_same(result: Any) -> Any:
    return result


def attempts(task: Task, answer: Any, deep: bool) -> Iterator[Found]:
    """Yield every function and class to try as an answer to a task, with its name."""
    if task.id in GRAPH_TASKS:
        yield from walks(task.id, (*public(), *private()), classes())
    if task.id in METHODS:
        for name, kind in classes():
            if not issubclass(kind, enum.Enum):
                yield name, types.new_class("Value", (kind,))
            own = {of: vars(kind)[of] for of in METHODS[task.id] if of in vars(kind)}
            if own:
                yield f"{name}, its methods", type("Value", (Value,), own)
    elif inspect.isclass(answer):
        for name, kind in classes():
            yield name, kind
    else:
        count = len(inspect.signature(answer).parameters)
        for name, thing in (*public(), *private()):
            if not takes(thing, count):
                continue
            yield name, thing
            orders = list(itertools.permutations(range(count))) if deep else [tuple(range(count))]
            for order, convert in itertools.product(orders, (as_same, as_number) if deep else ()):
                yield f"{name}{order} {convert.__name__}", wrapped(thing, order, convert)


@contextlib.contextmanager
def quietly(seconds: float = SECONDS) -> Iterator[None]:
    """Suppress output and warnings, and raise TimeoutError after this much processor time."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def passes(names: dict[str, Any], code: Any, seconds: float = SECONDS) -> bool:
    check.seed(b"the same")
    try:
        with settings_kept(), quietly(seconds):
            exec(code, dict(names))
    except BaseException:  # an object that is no answer may raise anything
        return False
    return True


def earning(lesson: Lesson, task: Task, deep: bool) -> list[str]:
    """Return the names of the functions and classes that earn a task's points."""
    assert task.test is not None
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(imports(source(lesson).cells), names)
    exec(task.answer.source, names)
    called = "Value" if task.id in METHODS else task.id
    parts = split_tests(task.test.source)[0], task.test.source
    stages = [compile(part, task.id, "exec") for part in (FIRST.get(task.id, ""), *parts)]
    assert all(passes(names, stage, FIRST_SECONDS) for stage in stages), "the course's own answer passes"
    return [
        name
        for name, answer in attempts(task, names[called], deep)
        if all(passes({**names, called: answer}, stage) for stage in stages)
    ]


def depths() -> Iterator[Any]:
    """Yield each lesson twice as a test parameter: for a quick search and for a deep one."""
    for lesson in LESSONS:
        costs = pytest.mark.costly("tries every function of Secant")
        yield pytest.param(lesson, False, marks=costs, id=lesson.name)
        yield pytest.param(lesson, True, marks=pytest.mark.deep, id=f"{lesson.name}-deep")


@pytest.mark.parametrize(("lesson", "thorough"), list(depths()))
def test_no_object_visible_in_the_wall_passes_a_task(
    lesson: Lesson, thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert {task.id: found for task in questions(lesson) if (found := earning(lesson, task, thorough))} == {}
