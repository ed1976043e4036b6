"""The decorator for functions of a test cell that handle the student's objects."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def probe(function: F) -> F:
    """Declare that a test cell's function handles the student's objects and returns plain data.

    Plain data are numbers, strings, None, tensors, and nested lists, tuples and dicts of them. This
    decorator, which stock nbgrader also uses, returns the function unchanged. A grader that keeps the
    student's code in another process runs the decorated function in that process and receives only the
    returned data. A probe must therefore accept only plain data, use only names that its own cell imports,
    and hold no expected value.
    """
    return function
