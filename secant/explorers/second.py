"""The explorer of lesson 9: the slope of a function f, and three ways to compute f''.

The three ways use two differences (the second difference of f), one difference (the difference quotient of
autograd's gradient), and no difference (double backward: autograd differentiates its own gradient).
"""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import (
    controls,
    difference,
    elementwise,
    plain_backward,
    plots,
    ranges,
    remarks,
    texts,
    words,
)
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import log_of_cube, quartic
from secant.explorers.kit.line_styles import PARTS, LineStyle, rings, zeros
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

Derivative = Literal["first", "second"]
METHODS: dict[Derivative, tuple[str, ...]] = {
    "first": ("quotient",),
    # Three ways to compute f'': the second difference of f, the difference quotient of autograd's gradient,
    # and double backward.
    "second": ("second", "quotient", "double"),
}
SHARE = 0.01  # two numbers count as different if they differ by more than this fraction of the larger one
CALLS_OF_LIMITS = 63  # cost of one call to `find_limits`, in calls to the explored function
FEW_STEPS = 33  # number of h values in an error curve for functions that take one x at a time

FUNCTIONS: dict[str, Function] = {"log(x³)": log_of_cube, "x⁴ − 8x²": quartic}
#: The exact second derivatives of the built-in functions. The second derivative of a learner's function is
#: not known.
TRUTHS: dict[Function, Function] = {log_of_cube: lambda x: -3 / x**2, quartic: lambda x: 12 * x**2 - 16}


class Limits(NamedTuple):
    """The limits, as h shrinks, of two estimates of f''. A limit that is not known is NaN.

    Attributes:
        second: the limit of the second difference of f.
        quotient: the limit of the difference quotient of autograd's gradient.
    """

    second: float
    quotient: float


NO_LIMITS = Limits(math.nan, math.nan)


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls: a function, the derivative to find, x and h."""

    function: str
    derivative: Derivative
    x: float
    h: float


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        x_plus_h: the point x + h.
        median_count: the number of x values over which a median is taken.
        values: f at x and at x + h.
        slopes: autograd's gradient of f at x and at x + h.
        estimates: the difference quotient of f, or the second derivative as found in each of the three ways.
        truth: the exact second derivative, if it is known.
        steps: the values of h at which `curves` are computed.
        curves: for each estimate, the median of its errors over nearby x values, at each of `steps`.
        limits: the numbers that the second difference of f and the difference quotient of autograd's gradient
            approach as h shrinks, if `truth` is not known.
    """

    setting: Setting
    x_plus_h: float
    median_count: int
    values: Range = (math.nan, math.nan)
    slopes: Range = (math.nan, math.nan)
    estimates: dict[str, float] = field(init=False)
    truth: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    limits: Limits = NO_LIMITS

    def __post_init__(self) -> None:
        self.estimates = dict.fromkeys(METHODS[self.setting.derivative], math.nan)

    @property
    def is_first(self) -> bool:
        """True if the first derivative is selected."""
        return self.setting.derivative == "first"

    @property
    def heights(self) -> Range:
        """The heights of the drawn curve, f or f', at x and at x + h."""
        return self.values if self.is_first else self.slopes

    @property
    def tangent(self) -> float:
        """The slope that autograd finds for the drawn curve."""
        return self.slopes[0] if self.is_first else self.estimates["double"]

    @property
    def errors(self) -> dict[str, float]:
        """The distance of each estimate of the derivative from the best known number.

        For the first derivative, that number is autograd's gradient. For the second, it is the exact value if
        that is known, and the result of double backward otherwise.
        """
        reference = self.tangent if math.isnan(self.truth) else self.truth
        return {kind: abs(estimate - reference) for kind, estimate in self.estimates.items()}

    @property
    def noise(self) -> dict[str, float]:
        """The approximate size of the rounding error of each estimate of the derivative."""
        x, slope, step = self.setting.x, self.slopes[0], self.x_plus_h - self.setting.x
        if self.is_first:
            return {"quotient": difference.rounding(difference.largest(*self.values), x, slope, step)}
        return {
            "second": difference.rounding(self.values[0], x, slope, step * step),
            "quotient": difference.rounding(slope, x, self.estimates["double"], step),
            "double": 0.0,
        }

    @property
    def verdict(self) -> str:
        """The name of the remark about a wrong autograd result, or "" if no result is found to be wrong.

        "wrong" means that double backward is wrong, "gradient" that the gradient is wrong, and "both" that
        both are wrong.
        """
        if self.is_first:
            return ""
        (second, quotient), double = self.limits, self.estimates["double"]
        if differ(second, quotient):
            return "both" if differ(quotient, double) else "gradient"
        return "wrong" if differ(quotient, double) else ""


def double_backward(f: Function, x: Tensor) -> Tensor:
    """Return f''(x) at each x, for an elementwise f, by differentiating autograd's gradient with autograd.

    If the gradient does not depend on x, the result is 0.

    Raises:
        FunctionProblem: if there is no gradient, or it cannot be differentiated again.
    """
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        total = difference.values(f, leaf).sum()
        if not total.requires_grad:
            difference.gradient(f, x)  # raises a FunctionProblem that explains why there is no graph
        try:
            (first,) = torch.autograd.grad(total, leaf, create_graph=True)
            if first.requires_grad:
                return torch.autograd.grad(first.sum(), leaf, allow_unused=True, materialize_grads=True)[0]
            return torch.zeros_like(x)
        except Exception as error:  # a custom autograd Function may raise any kind of error
            if plain_backward.is_needed(total):
                raise difference.problem(
                    en="checkpoint(..., use_reentrant=True) can be differentiated once, so there is no "
                    "double backward. With use_reentrant=False there is.",
                    ko="checkpoint(..., use_reentrant=True)는 한 번만 미분할 수 있어 "
                    "double backward가 없습니다. use_reentrant=False로 하면 됩니다.",
                ) from error
            summary = difference.error_summary(error)
            raise difference.problem(
                en=f"Differentiating twice stopped with {summary}",
                ko=f"두 번 미분하다가 멈췄습니다. {summary}",
            ) from error


def second_difference(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f(x+h) - 2 f(x) + f(x-h)) / h², using the steps actually taken; NaN where a step is 0."""
    low, high = x - h, x + h
    left, middle, right = (difference.values(f, place).detach() for place in (low, x, high))
    return (right - 2 * middle + left) / ((high - x) * (x - low))


def gradient_quotient(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f'(x+h) - f'(x)) / h with autograd's f' and the step actually taken; NaN if this step is 0."""
    x_plus_h = x + h
    return (difference.gradient(f, x_plus_h) - difference.gradient(f, x)) / (x_plus_h - x)


def find_limits(f: Function, x: Tensor) -> Limits:
    """Return the limits of f's second difference and its gradient's difference quotient as h shrinks.

    Each limit is estimated by a median over steps h at which neither the function's curvature nor rounding
    matters much. The median is replaced by NaN if the values at these steps differ too much. The tensor x
    holds one number.
    """
    size = max(1.0, x.abs().item())
    second, first = (torch.logspace(*ends, 9, dtype=torch.float64) * size for ends in ((-4, -2), (-7, -5)))
    return Limits(
        _settled_median(second_difference(f, x, second)), _settled_median(gradient_quotient(f, x, first))
    )


def differ(a: float, b: float) -> bool:
    """Return whether two numbers clearly differ; False if one is NaN."""
    return abs(a - b) > SHARE * max(abs(a), abs(b)) + 1e-6


def _settled_median(values: Tensor) -> float:
    low, middle, high = values.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)).tolist()
    return math.nan if differ(low, high) else middle


class Subject(Subjects):
    """The functions to explore and the range of x. Results are cached for each function."""

    def truth(self, name: str) -> Function | None:
        """Return the function's exact second derivative, or None if it is not known."""
        return TRUTHS.get(self.functions[name])

    @memoised(64)
    def error_curves(
        self, name: str, derivative: Derivative, x: float
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps h and the median errors of each estimate of the derivative, all of shape (k,)."""
        f, points, steps = self.prepared(name).f, self.median_points(name, x), self.steps(name)
        if derivative == "first":
            return steps.numpy(), {"quotient": difference.median_errors(f, points, steps).numpy()}
        double, truth = double_backward(f, points), self.truth(name)
        reference = (truth(points) if truth else double) + 0 * difference.values(f, points).detach()
        methods: dict[str, Callable[..., Tensor]] = {
            "second": second_difference,
            "quotient": gradient_quotient,
        }
        estimates = {
            kind: difference.by_steps(partial(method, f, points), points, steps)
            for kind, method in methods.items()
        }
        if truth:
            estimates["double"] = double[None]
        curves = {
            kind: elementwise.median_sizes(estimate - reference).expand(len(steps)).numpy()
            for kind, estimate in estimates.items()
        }
        return steps.numpy(), curves

    @memoised(64)
    def limits(self, name: str, x: float) -> Limits:
        """Return the limits of f's second difference and its gradient's difference quotient as h shrinks.

        The limits are NaN if f is too slow, or if f'' is known exactly, so that the limits are not needed.
        """
        prepared = self.prepared(name)
        if self.truth(name) or not prepared.can_afford(CALLS_OF_LIMITS):
            return NO_LIMITS
        return find_limits(prepared.f, torch.tensor([x], dtype=torch.float64))

    @memoised()
    def error_range(self, name: str, derivative: Derivative) -> Range:
        """Return two powers of ten that enclose the errors at several x values across the range."""
        errors = elementwise.sample_range(
            lambda x: self.error_curves(name, derivative, x)[1].values(), self.ends
        )
        return plots.decades(errors, -18, 8)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        name, h = setting.function, setting.h
        f, x = self.prepared(name).f, torch.tensor([setting.x], dtype=torch.float64)
        x_plus_h = x + h
        reading = Reading(setting, x_plus_h.item(), len(self.median_points(name, setting.x)))
        with reading.collecting_problems():
            reading.values = difference.number(f, x), difference.number(f, x_plus_h)
            if reading.is_first:
                reading.estimates["quotient"] = difference.quotient(f, x, h).item()
            else:
                reading.estimates["second"] = second_difference(f, x, h).item()
        with reading.collecting_problems():
            reading.slopes = difference.gradient(f, x).item(), math.nan
            if not reading.is_first:
                reading.slopes = reading.slopes[0], difference.gradient(f, x_plus_h).item()
                reading.estimates["quotient"] = gradient_quotient(f, x, h).item()
                reading.estimates["double"] = double_backward(f, x).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, setting.derivative, setting.x)
        if not reading.is_first:
            if truth := self.truth(name):
                reading.truth = truth(x).item()
            with contextlib.suppress(FunctionProblem):
                reading.limits = self.limits(name, setting.x)
        curve = self.curve(name)[1] if reading.is_first else self.slopes(name) + self.curve(name)[1]
        errors = elementwise.any_finite(*reading.curves.values())
        reading.visible_axes = elementwise.any_finite(curve), errors
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    x = reading.setting.x
    if not math.isfinite(reading.values[0]):
        remarks.no_value(reading, f"x = {x:g}")
    elif not math.isfinite(reading.tangent):
        if reading.is_first:
            remarks.no_gradient(reading, x, reading.tangent)
        else:
            reading.problem(**REMARKS["double"], x=x, slope=reading.tangent)
    elif reading.x_plus_h == x:
        remark = REMARKS["lost_first" if reading.is_first else "lost"]
        remarks.step_lost(reading, "x + h", "x", reading.setting.h, **remark)
    elif reading.is_first and not math.isfinite(reading.values[1]):
        remarks.no_quotient(reading, en=f"x + h = {reading.x_plus_h:g}", ko=f"x + h = {reading.x_plus_h:g}")
    elif not reading.is_first and not math.isfinite(reading.estimates["second"]):
        reading.remark(**REMARKS["second"])
    elif reading.verdict:
        (second, quotient), double = reading.limits, reading.estimates["double"]
        reading.remark(**REMARKS[reading.verdict], second=second, quotient=quotient, double=double)
    remarks.few_points(reading, reading.median_count)


class Picture:
    """The figure: f or its gradient with a secant and a tangent, and each estimate's error against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient="_", gradient="_", point="$x$", ends="$x, x+h$"
        )
        self.errors = plots.ErrorPlot(right, "_")
        self.lines = {kind: style.line(self.errors, LABELS[kind]) for kind, style in STYLES.items()}
        self.zeros = zeros(self.errors, list(self.lines.values()))
        self.marks = rings(self.errors, list(self.lines.values()))
        self.moving = [*self.function.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the labels, the curve of f or of its gradient, and the limits of both plots."""
        name, derivative = reading.setting.function, reading.setting.derivative
        x, heights = self.subject.curve(name)
        if not reading.is_first:
            heights = np.where(np.isnan(heights), np.nan, self.subject.slopes(name))
        self.function.set_curve(x, heights)
        self.errors.set_decades(*self.subject.error_range(name, derivative))
        f, slope = ("f", "f'") if reading.is_first else ("f'", "f''")
        self.function.axes.set_ylabel(f"${f}(x)$")
        self.function.curve.set_label(f"${f}$")
        self.function.secant.set_label(rf"$\Delta {f}/\Delta x$")
        self.function.tangent.set_label(f"${slope}(x)$")
        self.errors.axes.set_ylabel(rf"$|\,\ldots - {slope}(x)\,|$")
        for kind, line in self.lines.items():
            label = "Δf / h" if reading.is_first else LABELS[kind]
            line.set_label(label if kind in METHODS[derivative] else "_")

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        x, h, heights = reading.setting.x, reading.setting.h, reading.heights
        ends, quotient = (x, reading.x_plus_h), reading.estimates["quotient"]
        self.function.set_lines((x, heights[0]), quotient, reading.tangent, ends, heights)
        for zero_marks, (kind, line) in zip(self.zeros, self.lines.items(), strict=True):
            self.errors.set_curves(zero_marks, reading.steps, (line, reading.curves.get(kind, np.empty(0))))
        self.errors.set_step(h)
        errors = reading.errors
        visible_errors = [errors[kind] if kind in reading.curves else math.nan for kind in self.lines]
        self.marks.set_offsets([(h, error) for error in self.errors.clip_errors(*visible_errors)])


class SecondExplorer(Panel[Reading]):
    """The widget that `explore_second` returns."""

    arguments = ("function", "derivative", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        derivatives = texts.options(__file__, "derivative")
        self.derivative = controls.choice(say(en="find", ko="구할 값"), derivatives, start.derivative)
        rows = [(self.function, self.derivative), self.x_and_h(start, subject)]
        legend = LEGEND if all(map(subject.truth, subject.functions)) else DISTANCES
        super().__init__(subject, start, lambda: Picture(subject), rows, legend)

    def rows(self) -> list[Row]:
        reading, noise = self.reading, self.reading.noise
        if reading.is_first:
            digits = words.compared_digits(reading.estimates["quotient"], reading.tangent, noise["quotient"])
            quotient, gradient, error = digits
            return [
                words.quotient_row("(f(x+h) − f(x)) / ((x+h) − x)", quotient),
                words.gradient_row(gradient),
                words.error_row(error, reading.setting.h),
            ]
        numbers = {
            kind: words.quotient_digits(estimate, noise[kind]) if noise[kind] else words.digits(estimate)
            for kind, estimate in reading.estimates.items()
        }
        rows = [words.gradient_row(words.digits(reading.slopes[0]))]
        rows += [self.row(kind, FORMULAS[kind], number) for kind, number in numbers.items()]
        errors = reading.errors
        if math.isnan(reading.truth):
            del errors["double"]  # double backward has no error: the other errors are measured from it
        else:
            rows.append(self.row("truth", "f″(x)", words.digits(reading.truth)))
        if "double" in errors:
            label = say(en="errors of the three ways", ko="세 방법의 오차(위의 순서대로)")
        else:
            label = say(
                en="distances of both differences from double backward",
                ko="두 차분과 double backward의 차이(위의 순서대로)",
            )
        error_list = ", ".join(f"{error:.1e}" for error in errors.values())
        return [*rows, Row("error", label, words.step(reading.setting.h), error_list)]

    def alt_fields(self) -> dict[str, Any]:
        reading = self.reading
        if reading.is_first:
            curve, errors = REMARKS["first_curve"], REMARKS["first_errors"]
        else:
            remark_name = "distances" if math.isnan(reading.truth) else "errors"
            curve, errors = REMARKS["second_curve"], REMARKS[remark_name]
        error_texts = {kind: f"{error:.1e}" for kind, error in reading.errors.items()}
        return {
            **super().alt_fields(),
            "curve": say(**curve).format(function=self.setting.function),
            "errors": say(**errors).format(h=self.setting.h, **error_texts),
        }


LABELS = {"second": "Δ²f / h²", "quotient": "Δf' / h", "double": "f''"}
FORMULAS = {
    "second": "(f(x+h) − 2f(x) + f(x−h)) / h²",
    "quotient": "(f′(x+h) − f′(x)) / h",
    "double": "create_graph=True",
}
STYLES = {
    "second": PARTS[0],
    "quotient": LineStyle(SECANT, "D"),
    "double": LineStyle(TANGENT, "o", (5, 3)),
}
REMARKS = texts.remarks(__file__)
LEFT = {**words.LINES, "points": words.POINTS}
SAMPLES = {kind: style.sample() for kind, style in STYLES.items()}
LEGEND = texts.legend(__file__, LEFT, {**SAMPLES, "h": words.STEP_LINE})
DISTANCES = texts.legend(
    __file__,
    LEFT,
    {"from_second": SAMPLES["second"], "from_quotient": SAMPLES["quotient"], "here": words.STEP_LINE},
)


@with_call
def explore_second(
    functions: Functions | None = None,
    *,
    x_range: Range = (1.0, 9.0),
    x: float | None = None,
    h: float = 1.0,
    derivative: Derivative = "first",
    function: str | None = None,
) -> SecondExplorer:
    """Return an explorer with sliders for x and h that shows slopes of f, or f'' found in three ways.

    For the first derivative, the left plot shows the curve of f with its secant and a tangent of autograd's
    slope. The right plot shows the distance of the quotient from that slope, against h. For the second
    derivative, the left plot shows autograd's gradient f' with its secant, and a tangent whose slope comes
    from double backward. The right plot then shows the errors, against h, of the second difference of f, of
    the quotient of f', and of double backward.

    Each error is the median over 201 x values near the chosen one. Errors of the second derivative are
    measured from the exact value for the built-in functions, and from double backward for other functions.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default
            log(x^3) and x^4 - 8 x^2.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 5. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 10**-15.5 to 10**0.5.
        derivative: the initially selected derivative, "first" or "second".
        function: the name of the initially selected function, by default the first.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore_second", functions, FUNCTIONS)
    ranges.check_choice("derivative", derivative, METHODS)
    name = ranges.first_or(function, "function", functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    start = Setting(name, derivative, x, h)
    return SecondExplorer(Subject(functions_by_name, x_range, few_steps=FEW_STEPS, calls=8), start)
