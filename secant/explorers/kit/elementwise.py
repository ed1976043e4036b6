"""Wrappers that apply a function of one x to many x: all at once if it supports that, else one by one."""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import difference
from secant.explorers.kit.difference import Function, FunctionProblem, values

# Time budget, in seconds per redraw of the explorer's figure, for calling a function that takes one x at a
# time.
SECONDS_PER_FRAME = 0.03
# Maximum number of possible jumps to examine in a curve, and number of times to halve the interval that
# contains such a jump.
JUMPS, HALVINGS = 64, 12
# Number of repeated calls with the same x that detect a random function, and seconds after which these calls
# stop.
CALLS_AGAIN, SECONDS_AGAIN = 8, 0.3


@dataclass(frozen=True)
class Prepared:
    """A function that was prepared for evaluation at many x.

    Attributes:
        f: the elementwise function.
        is_vectorised: whether the function accepts many x at once.
        calls: how many calls with a single x there is time for in one redraw of the explorer's figure.
        single: the original function of one x; if it is unusable, a function that raises a FunctionProblem.
    """

    f: Function
    is_vectorised: bool
    calls: int
    single: Function

    def can_afford(self, points: int) -> bool:
        """Return whether there is time per redraw to evaluate the function at more than `points` points."""
        return self.is_vectorised or self.calls > points


def prepare(f: Function, grid: Tensor) -> Prepared:
    """Prepare a function of one x for evaluation at many x, and test it at the points of a grid."""
    try:
        check_deterministic(f, grid, grid[len(grid) // 3])
    except FunctionProblem as problem:
        return Prepared(_failing_function(problem), False, 0, _failing_function(problem))
    if is_elementwise(f, grid):
        return Prepared(f, True, len(grid), f)
    try:
        return Prepared(
            one_by_one(f), False, affordable_calls(f, grid[:: max(1, len(grid) // 4)], SECONDS_PER_FRAME), f
        )
    except FunctionProblem as problem:
        return Prepared(_failing_function(problem), False, 0, f)


def check_deterministic(f: Function, *arguments: Tensor) -> None:
    """Raise a FunctionProblem if repeated calls to f with the same argument return different values."""
    for argument in arguments:
        start = time.perf_counter()
        with contextlib.suppress(_Failed):
            first = _value_or_failed(f, argument)
            for _ in range(CALLS_AGAIN):
                if not torch.equal(first.nan_to_num(), _value_or_failed(f, argument).nan_to_num()):
                    raise difference.problem(
                        en="Called again with the same x, the function gives another value: it draws random "
                        "numbers, or keeps a state. A quotient compares two calls, so they must agree. Call "
                        "torch.manual_seed inside the function, or draw the numbers once, outside.",
                        ko="같은 x로 다시 호출하면 함수의 값이 달라집니다. 함수 안에서 난수를 뽑거나 "
                        "상태가 바뀝니다. 차분몫은 두 번의 호출을 비교하므로 값이 그대로여야 합니다. "
                        "함수 안에서 torch.manual_seed를 호출하거나, 난수를 함수 밖에서 한 번만 뽑으세요.",
                    )
                if time.perf_counter() - start > SECONDS_AGAIN:
                    break


class _Failed(Exception):
    """The error raised if a function fails while it is tested.

    The user sees the cause later, when the function's value is needed.
    """


def _value_or_failed(f: Function, argument: Tensor) -> Tensor:
    try:
        return values(f, argument).detach()
    except FunctionProblem as problem:
        raise _Failed from problem


def sampled(f: Function, x: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return x and f(x) for a plotted line, with NaN where f fails, is not finite, or jumps.

    Without NaN, the line would join both sides of a jump.
    """
    try:
        y = values(f, x).detach().real
        y = y.masked_fill(_jumps(f, x, y), torch.nan)
    except FunctionProblem:
        y = torch.full_like(x, torch.nan)
    return x.double().numpy(), y.double().masked_fill(~y.isfinite(), torch.nan).numpy()


def _jumps(f: Function, x: Tensor, y: Tensor) -> Tensor:
    """Return a mask that is True where f jumps between a point and the next.

    At a jump, the change in f does not shrink as the gap between the points is halved. Only changes that
    are visible and larger than the neighbouring changes are examined.
    """
    change = y.diff().abs().nan_to_num(0.0, 0.0, 0.0).double()
    windows = torch.nn.functional.pad(change[None], (3, 3), mode="replicate")[0].unfold(0, 7, 1)
    min_change = 1e-3 * (y.nan_to_num(0.0, 0.0, 0.0).max() - y.nan_to_num(0.0, 0.0, 0.0).min())
    candidates = (
        ((change > 3 * windows.median(dim=1).values) & (change > min_change)).nonzero().flatten()[:JUMPS]
    )
    left, right, low, high = x[candidates], x[candidates + 1], y[candidates], y[candidates + 1]
    for _ in range(HALVINGS if len(candidates) else 0):
        middle = (left + right) / 2
        level = or_nan(partial(values, f), middle).detach().real
        to_left = (level - low).abs() >= (high - level).abs()
        left, low = torch.where(to_left, left, middle), torch.where(to_left, low, level)
        right, high = torch.where(to_left, middle, right), torch.where(to_left, level, high)
    jumps = torch.zeros_like(x, dtype=torch.bool)
    jumps[candidates[(high - low).abs() > 0.9 * change[candidates]]] = True
    return jumps


def or_nan(f: Function, x: Tensor) -> Tensor:
    """Return f(x), or NaN for every x if f fails."""
    try:
        return f(x)
    except FunctionProblem:
        return torch.full_like(x, torch.nan)


def named_in_problems(label: str, f: Function) -> Function:
    """Return a wrapper that calls f, converts its result to float64, and rejects a complex result.

    The message of each FunctionProblem that the wrapper raises begins with the label.
    """

    def wrapper(x: Tensor) -> Tensor:
        with prefix_problems(f"{label}(x)"):
            y = values(f, x)
        if y.is_complex():
            raise difference.problem(
                en=f"{label}(x): the function returned complex numbers; real ones are needed.",
                ko=f"{label}(x): 함수가 복소수를 돌려주었습니다. 실수여야 합니다.",
            )
        return y.to(torch.float64)

    return wrapper


def sample_range(f: Callable[[float], Iterable[np.ndarray]], ends: tuple[float, float]) -> np.ndarray:
    """Return the flattened results of f at the ends and the middle of a range; skip points where f fails."""
    results = [np.empty(0)]
    for x in (ends[0], (ends[0] + ends[1]) / 2, ends[1]):
        with contextlib.suppress(FunctionProblem):
            results += [np.ravel(array) for array in f(x)]
    return np.concatenate(results)


def any_finite(*arrays: np.ndarray) -> bool:
    """Return whether any of the arrays contains a finite number."""
    return any(bool(np.isfinite(array).any()) for array in arrays)


def limit(steps: np.ndarray, quotients: np.ndarray, between: tuple[float, float] = (1e-8, 1e-4)) -> float:
    """Return the number that difference quotients approach as h shrinks: their median over medium steps.

    At larger steps the function's curvature matters, and at smaller ones rounding errors do.
    """
    medium_quotients = quotients[(steps >= between[0]) & (steps <= between[1])]
    medium_quotients = medium_quotients[np.isfinite(medium_quotients)]
    return float(np.median(medium_quotients)) if len(medium_quotients) else np.nan


def median_sizes(errors: Tensor) -> Tensor:
    """Return the median absolute error over the last dimension; NaN if most of the errors are not finite."""
    errors = errors.abs().masked_fill(errors.isinf(), torch.nan)
    too_few = 2 * errors.isfinite().sum(dim=-1) < errors.shape[-1]
    return errors.nanmedian(dim=-1).values.masked_fill(too_few, torch.nan)


def prepare_rows(f: Function, points: Tensor, seconds: float) -> Prepared:
    """Prepare a function of one point, of shape (n,), for evaluation at many points, of shape (k, n).

    The function is tested at `points`. The prepared function returns NaN for a point at which f fails. If f
    fails at every point, the prepared function raises the first FunctionProblem.
    """
    try:
        check_deterministic(f, points[0])
        calls = affordable_calls(f, points, seconds)
        single_values = evaluate_each(f, points).detach()
    except FunctionProblem as problem:
        return Prepared(_failing_function(problem), False, 0, _failing_function(problem))
    is_defined = ~single_values.isnan().any(dim=1)
    vectorised_f = torch.func.vmap(f)

    def rows(x: Tensor) -> Tensor:
        # If f fails at one point, such as one with a singular matrix, vmap fails for all points.
        with contextlib.suppress(Exception):
            return vectorised_f(x).detach()
        return evaluate_each(f, x).detach()

    # `vmap` raises many kinds of errors for functions that it does not support.
    with contextlib.suppress(Exception):
        if torch.allclose(vectorised_f(points[is_defined]), single_values[is_defined], rtol=1e-6, atol=1e-9):
            return Prepared(rows, True, calls, f)
    return Prepared(lambda x: evaluate_each(f, x).detach(), False, calls, f)


def images(rows: Function, points: np.ndarray) -> np.ndarray:
    """Return the images of points under a function from `prepare_rows`; NaN is mapped to NaN.

    Points and images are of shape (k, n). If the function fails at every point, the result is empty.
    """
    try:
        image_points = rows(torch.from_numpy(points)).numpy()
    except FunctionProblem:
        return np.empty((0, points.shape[1]))
    return np.where(np.isnan(points), np.nan, image_points)


def is_elementwise(f: Function, x: Tensor) -> bool:
    """Return whether f can take all x at once; a function with an `if` on x, for example, cannot."""
    indices = range(0, len(x), max(1, len(x) // 4))
    try:
        single_values = torch.stack([values(f, x[i]).detach() for i in indices])
        batch_values = values(f, x).detach()[list(indices)]
    except FunctionProblem:
        return False
    return torch.allclose(single_values, batch_values, rtol=1e-4, atol=1e-6, equal_nan=True)


def one_by_one(f: Function) -> Function:
    """Return an elementwise function that calls f with one x at a time; its value is NaN where f fails.

    If f fails at every x, the returned function raises the first FunctionProblem.
    """
    return lambda x: evaluate_each(f, x.reshape(-1)).reshape(x.shape)


def evaluate_each(f: Function, points: Tensor) -> Tensor:
    """Return the stacked values of f at each point, with NaN where f fails.

    Raises:
        FunctionProblem: if f fails at every point; the first problem is raised.
    """
    results: list[Tensor] = []
    problems: list[FunctionProblem] = []
    for point in points:
        try:
            results.append(values(f, point))
        except FunctionProblem as problem:
            problems.append(problem)
            results.append(torch.full_like(point, torch.nan))
    if problems and len(problems) == len(results):
        raise problems[0]
    return torch.stack(results)


def affordable_calls(f: Function, points: Tensor, seconds: float) -> int:
    """Return how many calls with a single point fit into `seconds`, estimated from one call per given point.

    Raises:
        FunctionProblem: if f fails at every point; the first problem is raised.
    """
    start = time.perf_counter()
    evaluate_each(f, points)
    return int(seconds / max(1e-6, (time.perf_counter() - start) / len(points)))


@contextlib.contextmanager
def prefix_problems(name: str) -> Iterator[None]:
    """Prefix any FunctionProblem raised in the block with the function's name."""
    try:
        yield
    except FunctionProblem as problem:
        raise FunctionProblem(f"{name}: {problem}") from problem


def _failing_function(problem: FunctionProblem) -> Function:
    """Return a function that raises `problem`, to replace a function that is known to fail everywhere."""

    def fail(x: Tensor) -> Tensor:
        raise problem

    return fail
