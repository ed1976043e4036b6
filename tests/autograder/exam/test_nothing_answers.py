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
from tests.support.graph_adapters import GRAPH_TASKS, accepts, walking_answers
from tests.support.lessons import LESSONS, questions, source
from tests.support.settings import preserve_settings

NamedCallable = tuple[str, Callable[..., Any]]

#: NOT_SHOWN: packages that the wall does not show.
#: NOT_CALLED: modules that start servers or write a learner's files.
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
#: Quick tests by task, for tasks with thousands of attempts: an attempt that fails skips the costly tests.
QUICK_TESTS = {
    "value_order": "a = Value(2.0)\nb = Value(4.0, (a,), (1.0,))\n"
    "assert [id(value) for value in b.order()] == [id(b), id(a)]"
}
SECONDS = 2.0  # limit on the processor time of one attempt; a correct answer takes less
OWN_ANSWER_SECONDS = 30.0  # limit for the course's own answer, which may import a part of torch


def modules(excluded: tuple[str, ...]) -> Iterator[types.ModuleType]:
    for module in pkgutil.walk_packages(secant.__path__, "secant."):
        if not module.name.startswith(excluded):
            yield importlib.import_module(module.name)


@cache
def all_callables(excluded: tuple[str, ...] = (*NOT_SHOWN, *NOT_CALLED)) -> tuple[NamedCallable, ...]:
    """Return the functions, classes and methods of Secant's modules, with their names.

    Private ones are included. Modules whose names start with an entry of `excluded` are skipped.
    """
    callables: dict[str, Callable[..., Any]] = {}
    for module in modules(excluded):
        for name, member in vars(module).items():
            if (
                name[:2] == "__"
                or getattr(member, "__module__", "") != module.__name__
                or not callable(member)
            ):
                continue
            callables[f"{module.__name__}.{name}"] = member
            if inspect.isclass(member):
                attributes = (
                    (attribute, getattr(member, attribute))
                    for attribute in vars(member)
                    if attribute[:2] != "__"
                )
                callables |= {
                    f"{module.__name__}.{name}.{attribute}": method
                    for attribute, method in attributes
                    if callable(method)
                }
    return tuple(callables.items())


@cache
def public_callables() -> tuple[NamedCallable, ...]:
    """Return the functions, classes and methods that have no private part in their names."""
    return tuple((name, member) for name, member in all_callables() if "._" not in name)


@cache
def private_callables() -> tuple[NamedCallable, ...]:
    """Return the functions, classes and methods that have a private part in their names."""
    excluded = (*NOT_SHOWN, *NOT_CALLED, *NOT_PRIVATE)
    return tuple((name, member) for name, member in all_callables(excluded) if "._" in name)


@cache
def all_classes() -> tuple[tuple[str, type[Any]], ...]:
    """Return the public classes and the classes that public functions return.

    The functions are called without arguments, with a class, and with a class and numbers.
    """
    classes: dict[str, type[Any]] = {}
    for name, member in public_callables():
        if inspect.isclass(member):
            classes[name] = member
            continue
        for arguments in ((), (Value,), (Value, [1] * 9)):
            if accepts(member, len(arguments)):
                with contextlib.suppress(Exception), preserve_settings(), suppress_output():
                    result = member(*arguments)
                    if inspect.isclass(result) and result not in classes.values():
                        result.__name__ = "Value"  # the tests of lesson 10 check the class's name
                        classes[f"{name}{arguments}"] = result
    return tuple(classes.items())


def wrap(function: Callable[..., Any], order: tuple[int, ...], convert: Callable[[Any], Any]) -> Any:
    return lambda *arguments: convert(function(*(arguments[index] for index in order)))


def to_number(result: Any) -> Any:
    return result.item() if isinstance(result, torch.Tensor) and result.numel() == 1 else float(result)


def unchanged(result: Any) -> Any:
    return result


def attempts(task: Task, answer: Any, deep: bool) -> Iterator[NamedCallable]:
    """Yield every function and class to try as an answer to a task, with its name."""
    if task.id in GRAPH_TASKS:
        yield from walking_answers(task.id, (*public_callables(), *private_callables()), all_classes())
    if task.id in METHODS:
        for name, cls in all_classes():
            if not issubclass(cls, enum.Enum):
                yield name, types.new_class("Value", (cls,))
            methods = {method: vars(cls)[method] for method in METHODS[task.id] if method in vars(cls)}
            if methods:
                yield f"{name}, its methods", type("Value", (Value,), methods)
    elif inspect.isclass(answer):
        for name, cls in all_classes():
            yield name, cls
    else:
        count = len(inspect.signature(answer).parameters)
        for name, member in (*public_callables(), *private_callables()):
            if not accepts(member, count):
                continue
            yield name, member
            orders = list(itertools.permutations(range(count))) if deep else [tuple(range(count))]
            for order, convert in itertools.product(orders, (unchanged, to_number) if deep else ()):
                yield f"{name}{order} {convert.__name__}", wrap(member, order, convert)


@contextlib.contextmanager
def suppress_output(seconds: float = SECONDS) -> Iterator[None]:
    """Suppress output and warnings, and raise TimeoutError after this much processor time."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        with open(os.devnull, "w") as devnull, contextlib.redirect_stdout(devnull), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def passes(namespace: dict[str, Any], code: Any, seconds: float = SECONDS) -> bool:
    check.seed(b"the same")
    try:
        with preserve_settings(), suppress_output(seconds):
            exec(code, dict(namespace))
    except BaseException:  # an object that is no answer may raise anything
        return False
    return True


def find_passing(lesson: Lesson, task: Task, deep: bool) -> list[str]:
    """Return the names of the functions and classes that earn a task's points."""
    assert task.test is not None
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(imports(source(lesson).cells), namespace)
    exec(task.answer.source, namespace)
    answer_name = "Value" if task.id in METHODS else task.id
    parts = split_tests(task.test.source)[0], task.test.source
    stages = [compile(part, task.id, "exec") for part in (QUICK_TESTS.get(task.id, ""), *parts)]
    assert all(passes(namespace, stage, OWN_ANSWER_SECONDS) for stage in stages), (
        "the course's own answer passes"
    )
    return [
        name
        for name, answer in attempts(task, namespace[answer_name], deep)
        if all(passes({**namespace, answer_name: answer}, stage) for stage in stages)
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
    assert {
        task.id: passing for task in questions(lesson) if (passing := find_passing(lesson, task, thorough))
    } == {}
