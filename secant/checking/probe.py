"""The decorator for functions of a test cell that handle the student's objects."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def probe(function: F) -> F:
    """Mark a function inside a test cell that handles the student's objects and returns plain data.

    Plain data are numbers, strings, None, tensors, and nested lists, tuples and dicts of them. Here, and so
    under stock nbgrader, the mark changes nothing. A grader that keeps the student's code in another process
    runs the marked function there and receives only its data. So a probe must take plain data too, use only
    names that its own cell imports, and hold no expected value.
    """
    return function
