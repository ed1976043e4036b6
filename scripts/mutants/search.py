"""A search that tries many faults at once to find those that a test suite notices."""

from collections.abc import Callable, Iterator, Sequence

from scripts.mutants.faults import Fault
from scripts.mutants.tree import WHOLE_RUN

#: A function that puts the given faults into the code, runs the given tests (all tests if none are given),
#: and returns the tests that failed.
Run = Callable[[Sequence[Fault], Sequence[str]], list[str]]


def noticed_faults(
    faults: Sequence[Fault], run: Run, run_to_first: Run, baseline: dict[str, bool]
) -> Iterator[tuple[Fault, str]]:
    """Yield each fault that alone is enough to make a test fail, together with that test.

    The suite runs with all faults together. A test that fails is run again with fewer and fewer of the
    faults, until one is left. This fault is taken out, and the search goes on until the suite passes. Faults
    that hide each other, and faults that only together make a test fail, count as not noticed.

    Args:
        faults: the faults to try.
        run: a function that runs all the given tests, even if some of them fail.
        run_to_first: a function like `run` that stops at the first test that fails, and returns this test
            first.
        baseline: for each test that was tried without any fault, whether it fails. The search adds an entry
            for each further test that it tries. `run` and `run_to_first` must skip the tests that fail
            without any fault.

    Raises:
        RuntimeError: if the suite crashes without any fault.
    """
    groups = [list(faults)] if faults else []
    while groups:
        group = groups.pop()
        rest, undecided = list(group), list[Fault]()
        tests = (run if len(group) > 1 else run_to_first)(rest, ())
        while tests and rest:
            test = tests[0]
            if test not in baseline:
                baseline[test] = _fails(test, (), run)
            if not baseline[test]:
                fault = rest.pop(_shortest_failing_start(rest, test, run) - 1)
                if len(group) == 1 or _fails(test, [fault], run):
                    yield fault, test
                else:
                    undecided.append(fault)
            tests = [
                candidate for candidate in tests if candidate != WHOLE_RUN and not baseline.get(candidate)
            ]
            tests = run_to_first(rest, tests) if tests and rest else []
        if len(rest) < len(group):
            groups += [part for part in (undecided, rest) if part]


def _fails(test: str, faults: Sequence[Fault], run: Run) -> bool:
    failed = test in run(faults, () if test == WHOLE_RUN else [test])
    if failed and test == WHOLE_RUN and not faults:
        raise RuntimeError("The suite crashes or does not end, also without a fault.")
    return failed


def _shortest_failing_start(faults: Sequence[Fault], test: str, run: Run) -> int:
    """Return the smallest n for which the first n faults together make this test fail.

    The test must fail with all the given faults together.
    """
    low, high = 1, len(faults)
    while low < high:
        middle = (low + high) // 2
        if _fails(test, faults[:middle], run):
            high = middle
        else:
            low = middle + 1
    return low
