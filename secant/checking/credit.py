"""Partial credit: separate points for each part of a test cell, in a way that nbgrader can record.

nbgrader gives a test cell all of its points, none if it raises, or the number that its last line returns. A
`PartialCredit` collects the failures of a cell's parts, and `points()`, in the cell's last line, returns the
points earned.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from secant.language import say
from secant.verdict import Part, Verdict, parts_of


class PartialCredit:
    """The points of a test cell's parts, and the failures so far.

    Args:
        points: the points of each part, keyed by the part's name, which is shown to the student.

    Attributes:
        failures: the first failure of each part that failed, keyed by the part's name, in the order in which
            the failures occurred.
        now: the part whose tests are running; None if no single part is being tested.
    """

    def __init__(self, **points: float) -> None:
        self._points = points
        self.failures: dict[str, Exception] = {}
        self.now: str | None = None

    @classmethod
    def failed_in(cls, names: Mapping[str, object]) -> Self | None:
        """Return the PartialCredit in a test cell's namespace if one of its parts failed, else None."""
        return next((value for value in names.values() if isinstance(value, cls) and value.failures), None)

    @contextlib.contextmanager
    def part(self, *names: str) -> Iterator[None]:
        """Run a `with` block that tests one or more parts of the cell.

        A failure costs the points of these parts, but the cell continues. If a block for one part is inside a
        block for several, a failure in the inner block costs only the points of its part.

        Raises:
            KeyError: if the cell has no such part.
            Exception: a MemoryError, or a failure after which the tests cannot continue, for example because
                the student's process has ended. The grader sets the attribute `ends_task` of such a failure.
        """
        for name in names:
            self._points[name]
        outer_part, self.now = self.now, names[0] if len(names) == 1 else None
        try:
            yield
        except Exception as failure:
            if isinstance(failure, MemoryError) or getattr(failure, "ends_task", False):
                raise
            for name in names:
                self.failures.setdefault(name, failure)
        finally:
            self.now = outer_part

    def each(self, test: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a test that applies to every part: it runs once for each part that has not failed.

        The test reads the part from `now`. If it is called inside another test of this kind, it runs only
        once, for that test's part, and the call returns the result.
        """

        @functools.wraps(test)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if self.now is not None:
                return test(*args, **kwargs)
            for name in self._points:
                if name not in self.failures:
                    with self.part(name):
                        test(*args, **kwargs)
            return None

        return wrapper

    @property
    def failure(self) -> Exception:
        """The first failure in the cell; it exists only if a part has failed."""
        return next(iter(self.failures.values()))

    @property
    def earned(self) -> float:
        """The points of the parts that have not failed."""
        return sum(points for name, points in self._points.items() if name not in self.failures)

    def points(self) -> float | None:
        """Return the points earned, and print why parts failed.

        If no part failed, return None, for which nbgrader gives all points.

        Raises:
            Exception: if every part failed; the first failure is raised.
        """
        if not self.failures:
            return None
        if not self.earned:
            raise self.failure
        print(Verdict((self.summary(), *parts_of(self.failure))))
        return self.earned

    def summary(self) -> Part:
        """Return the `credit` part of a verdict: the points earned, and the parts that passed and failed."""
        total = sum(self._points.values())
        passed_names = ", ".join(name for name in self._points if name not in self.failures)
        failed_names = ", ".join(self.failures)
        sentence = say(
            en=f"{self.earned:g} of {total:g} points: {passed_names} passed, {failed_names} did not.",
            ko=f"{total:g}점 중 {self.earned:g}점: {passed_names} 통과, {failed_names} 실패.",
        )
        return Part("credit", sentence)
