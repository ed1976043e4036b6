"""Difference quotients, autograd's gradient, and the distance between them, without any drawing.

Each f here is elementwise: it maps a tensor of x values to the tensor of the values f(x). The module
kit/elementwise.py makes any function of one x elementwise.

Sources: Numerical Recipes (Press et al., 1992, section 5.7) recommends dividing by the step actually taken.
Squire and Trapp, SIAM Review 40 (1998), describe the complex step.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from secant.explorers.kit import plain_backward
from secant.language import say

Function = Callable[[Tensor], Tensor]
Functions = Function | Sequence[Function] | Mapping[str, Function]
Scheme = Literal["forward", "central", "complex"]
# Largest number of elements for which torch's log, exp, ... use one thread (grain size in
# UnaryOpsKernel.cpp).
SINGLE_THREAD_SIZE = 2048
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


class FunctionProblem(Exception):
    """An error in an explored function, described for the author of the function."""


def problem(*, en: str, ko: str) -> FunctionProblem:
    """Return a FunctionProblem with its message in the current language."""
    return FunctionProblem(say(en=en, ko=ko))


def by_name(functions: Functions) -> dict[str, Function]:
    """Return a dict from names to functions, made from one function, a sequence, or a mapping."""
    if isinstance(functions, Mapping):
        return _numbered((str(name), f) for name, f in functions.items())
    if not isinstance(functions, Sequence):
        functions = [functions]
    return _numbered((name_of(f), f) for f in functions)


def _numbered(functions: Iterable[tuple[str, Function]]) -> dict[str, Function]:
    """Return a dict from names to functions; append a number to a name that is already taken."""
    functions_by_name: dict[str, Function] = {}
    for name, f in functions:
        names = (name if count == 1 else f"{name} {count}" for count in itertools.count(1))
        functions_by_name[next(candidate for candidate in names if candidate not in functions_by_name)] = f
    return functions_by_name


def name_of(f: Function, letter: str = "f") -> str:
    """Return a function's name; for a lambda, return the given letter followed by "(x)"."""
    name = str(getattr(f, "__name__", type(f).__name__))
    return f"{letter}(x)" if name == "<lambda>" else name


def error_summary(error: Exception) -> str:
    """Return an error's type and the first line of its message, truncated to 200 characters."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def values(f: Function, x: Tensor) -> Tensor:
    """Return f(x) in x's shape, as floating-point or complex numbers.

    Raises:
        FunctionProblem: if f raises an error, or its result is not a tensor of such numbers in x's shape.
    """
    try:
        y = _call(f, x)
    except FunctionProblem:
        raise
    except Exception as error:
        summary = error_summary(error)
        raise problem(
            en=f"The function stopped with {summary}", ko=f"함수가 계산 도중 멈췄습니다. {summary}"
        ) from error
    if not isinstance(y, Tensor):
        kind = type(y).__name__
        raise problem(
            en=f"The function returned {kind}, not a tensor. "
            "Use torch's functions on x and return the result.",
            ko=f"함수의 결과가 텐서가 아니라 {kind}입니다. x에 torch 함수를 쓰고 그 결과를 돌려주세요.",
        )
    if y.shape != x.shape and not (y.numel() == x.numel() == 1):
        raise problem(
            en=f"For x of shape {list(x.shape)} the function returned shape {list(y.shape)}; "
            "it should return one number for each x.",
            ko=f"x의 shape는 {list(x.shape)}인데 함수가 돌려준 텐서의 shape는 {list(y.shape)}입니다. "
            "x마다 수 하나를 돌려주어야 합니다.",
        )
    if not (y.is_floating_point() or y.is_complex()):
        raise problem(
            en=f"The function returned {y.dtype}; a slope needs floating-point numbers.",
            ko=f"함수의 결과가 {y.dtype}입니다. 기울기를 구하려면 부동소수점 수가 필요합니다.",
        )
    return y.reshape(x.shape)


def _call(f: Function, x: Tensor) -> Any:
    if x.requires_grad:
        return f(x)
    try:
        return f(x.clone())  # a copy, so that an in-place operation in f does not change the caller's x
    except Exception:  # f may register a hook or call autograd, and both need requires_grad
        with torch.enable_grad():
            y = f(x.clone().requires_grad_().clone())
        return y.detach() if isinstance(y, Tensor) else y


def number(f: Function, x: Tensor) -> float:
    """Return f at a single x as a plain float; for a complex result, its real part.

    Raises:
        FunctionProblem: see `values`.
    """
    return float(values(f, x).detach().real)


def gradient(f: Function, x: Tensor) -> Tensor:
    """Return autograd's f'(x) at each x, from one backward() call, in x's shape and dtype.

    Raises:
        FunctionProblem: if f fails, if autograd finds no path from the result to x, or if the backward of an
            operation on that path fails.
    """
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        _backward(values(f, leaf).sum(), leaf)
    if leaf.grad is None:
        raise problem(
            en="autograd finds no path from the result to x, so there is no tangent. "
            "Is the result a constant, or does the function use .item(), .detach() or NumPy?",
            ko="autograd가 결과에서 x까지 가는 경로를 찾지 못해 접선이 없습니다. "
            "결과가 상수이거나, 함수 안에서 .item(), .detach(), NumPy를 쓰지 않았나요?",
        )
    return leaf.grad


def add_slope(f: Function, leaf: Tensor) -> None:
    """Add the slope of f at a leaf tensor to the tensor's .grad, as backward() does.

    Raises:
        FunctionProblem: if f or backward() fails.
    """
    _backward(values(f, leaf), leaf)


def _backward(value: Tensor, leaf: Tensor) -> None:
    """Add the gradient of `value` to the leaf's .grad. Do nothing if `value` has no autograd graph."""
    if not value.requires_grad:
        return
    try:
        if plain_backward.is_needed(value):
            plain_backward.run(value, leaf)
        # Without `inputs`, backward() would also change other .grad attributes, such as those of the
        # parameters of a model used by f.
        else:
            value.backward(inputs=[leaf])
    except Exception as error:  # a custom autograd Function may raise any kind of error
        summary = error_summary(error)
        raise problem(
            en=f"backward() stopped with {summary}", ko=f"backward()가 도중에 멈췄습니다. {summary}"
        ) from error


def quotient(f: Function, x: Tensor, h: Tensor | float, scheme: Scheme = "forward") -> Tensor:
    """Return the difference quotient of f at x, in x's dtype, in the shape that x and h broadcast to.

    forward: (f(x+h) - f(x)) / h; central: (f(x+h) - f(x-h)) / 2h; complex: Im f(x+ih) / h. The first two
    divide by the step actually taken, such as (x+h) - x, so the quotient is NaN where x + h rounds to x.

    Raises:
        FunctionProblem: if f fails, or does not return complex numbers for the complex step.
        ValueError: if the scheme is unknown.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme is one of {', '.join(SCHEMES)}, not {scheme!r}")
    if scheme == "complex":
        return _complex_step(f, x, torch.as_tensor(h, dtype=x.dtype))
    left, right = compared_points(x, h, scheme)
    return (values(f, right).detach() - values(f, left).detach()) / (right - left)


def both_sides(f: Function, x: Tensor, h: Tensor) -> dict[str, Tensor]:
    """Return the forward, backward and central quotients of a real f, after broadcasting x and h.

    Each quotient divides by the step actually taken.

    Raises:
        FunctionProblem: if f fails.
    """
    x, h = torch.broadcast_tensors(x, h)
    left, right = x - h, x + h
    low, middle, high = values(f, torch.stack([left, x, right])).detach().real
    return {
        "forward": (high - middle) / (right - x),
        "backward": (middle - low) / (x - left),
        "central": (high - low) / (right - left),
    }


def largest(*values: float) -> float:
    """Return the largest absolute value among the finite values, or 0 if all are infinite or NaN."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def rounding(value: float, x: float, slope: float, step: float, dtype: str = "float64") -> float:
    """Estimate a difference quotient's rounding error: that of the function's values, divided by the step.

    The error of a value is one unit in its last place, plus the change of the value when x is rounded. The
    latter is about as large as the rounding errors inside f, such as that of x^3 in log(x^3).
    """
    unit = torch.finfo(getattr(torch, dtype)).eps
    size = abs(value) + (abs(x * slope) if math.isfinite(slope) else 0.0)
    return unit * size / abs(step) if step and math.isfinite(step) else 0.0


def compared_points(x: Tensor, h: Tensor | float, scheme: Scheme) -> tuple[Tensor, Tensor]:
    """Return the two points that a forward or central difference quotient compares."""
    step = torch.as_tensor(h, dtype=x.dtype)
    return (x - step if scheme == "central" else x), x + step


def _complex_step(f: Function, x: Tensor, h: Tensor) -> Tensor:
    try:
        y = values(f, torch.complex(*torch.broadcast_tensors(x, h))).detach()
    except FunctionProblem as error:
        raise problem(
            en=f"The complex step needs an f that takes complex numbers. {error}",
            ko=f"복소 스텝은 복소수를 받는 함수에만 쓸 수 있습니다. {error}",
        ) from error
    if not y.is_complex():
        raise problem(
            en="The complex step needs an f that returns complex numbers for complex x; "
            "abs, for one, does not.",
            ko="복소 스텝을 쓰려면 복소수 x에 복소수를 돌려주는 함수여야 합니다. "
            "예를 들어 abs는 그렇지 않습니다.",
        )
    return y.imag / h


def by_steps(f: Callable[[Tensor], Tensor], x: Tensor, steps: Tensor) -> Tensor:
    """Apply `f` to all steps, in blocks that are small enough for torch to use a single thread.

    A second thread costs more time than it saves: waiting for it takes at least 10 ms if other programs are
    running.

    Args:
        f: a function that maps a block of steps, of shape (j, 1), to a result of shape (j, n).
        x: the points, of shape (n,); their number determines the size of a block.
        steps: the values of h, of shape (k,).
    """
    block = max(1, SINGLE_THREAD_SIZE // len(x))
    return torch.cat([f(part[:, None]) for part in steps.split(block)])


def median_errors(f: Function, x: Tensor, steps: Tensor, scheme: Scheme = "forward") -> Tensor:
    """Return the median of |quotient - gradient| over the given x, for each step h.

    At a single x the error is sometimes small by chance; the median shows the trend.

    Args:
        f: an elementwise function.
        x: the points, of shape (n,).
        steps: the values of h, of shape (k,).
        scheme: "forward", "central" or "complex"; see `quotient`.

    Returns:
        A float64 tensor of shape (k,). Points where f has no gradient are ignored. The median is NaN for an h
        at which more than half of the remaining points have no quotient because x + h rounds to x. The few
        other points would show no trend.
    """
    slope = gradient(f, x)
    quotients = by_steps(lambda h: quotient(f, x, h, scheme), x, steps.to(x.dtype))
    error = (quotients - slope).abs().double()
    error = error.masked_fill(error.isinf(), torch.nan)
    too_few = 2 * error.isfinite().sum(dim=1) < slope.isfinite().sum()
    return error.nanmedian(dim=1).values.masked_fill(too_few, torch.nan)
