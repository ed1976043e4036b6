"""The explorer of lesson 1: a secant that approaches the tangent, and the rounding errors of a small step."""

import contextlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, SECANT
from secant.explorers.kit.difference import SCHEMES, Function, FunctionProblem, Functions, Scheme
from secant.explorers.kit.functions import cube_and_sine, log_of_cube
from secant.explorers.kit.line_styles import PARTS, LineStyle
from secant.explorers.kit.ranges import LOG_H, NEAR_LOG_H, Range
from secant.explorers.kit.subject import MEDIAN_POINTS, Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

DTYPES = {"float32": torch.float32, "float64": torch.float64}
FEW_STEPS = 33  # number of h values in an error curve for functions that take one x at a time
STYLES = {"float32": PARTS[0], "float64": LineStyle(GREEN, "o")}
FORMULAS = {
    "forward": "(f(x+h) − f(x)) / ((x+h) − x)",
    "central": "(f(x+h) − f(x−h)) / ((x+h) − (x−h))",
    "complex": "Im f(x+ih) / h",
}
ENDS = {"forward": "$x, x+h$", "central": r"$x \pm h$", "complex": "_"}

FUNCTIONS: dict[str, Function] = {"log(x³)": log_of_cube, "x³ + 2 sin x": cube_and_sine}


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls."""

    function: str
    x: float
    h: float
    dtype: str
    scheme: Scheme


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        x: the chosen x, rounded to the chosen dtype.
        ends: the two points that the quotient compares.
        heights: the function at `ends`.
        height: the function at x.
        quotient: the difference quotient.
        gradient: autograd's gradient.
        error: the distance between the quotient and the gradient.
        median: the median of `error` over x values near the chosen one.
        median_count: the number of x values over which a median is taken.
        steps: the values of h at which `curves` are computed.
        curves: for each dtype, the median error at each of `steps`.
    """

    setting: Setting
    x: float
    ends: tuple[float, float] = (math.nan, math.nan)
    heights: tuple[float, float] = (math.nan, math.nan)
    height: float = math.nan
    quotient: float = math.nan
    gradient: float = math.nan
    error: float = math.nan
    median: float = math.nan
    median_count: int = MEDIAN_POINTS
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def noise(self) -> float:
        """The approximate rounding error of the difference quotient."""
        dtype, slope = self.setting.dtype, self.gradient
        if self.setting.scheme == "complex":  # the complex step has no subtraction, so no digits cancel
            return difference.rounding(slope, self.x, 0.0, 1.0, dtype)
        size, step = difference.largest(*self.heights), self.ends[1] - self.ends[0]
        return difference.rounding(size, self.x, slope, step, dtype)


class Subject:
    """The functions to explore and the range of x. Results are cached for each function."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range, *, rounding: bool = True) -> None:
        self.functions = dict(functions)
        self.ends, self.rounding = x_range, rounding
        self.log_h = LOG_H if rounding else NEAR_LOG_H
        self.dtypes = list(DTYPES) if rounding else ["float64"]
        self.schemes: list[Scheme] = list(SCHEMES) if rounding else ["forward"]
        self.by_dtype = {
            name: Subjects(functions, x_range, self.log_h, DTYPES[name], FEW_STEPS, 2) for name in self.dtypes
        }

    @memoised(8)
    def error_curve(self, name: str, x: float, dtype: str, scheme: Scheme) -> tuple[np.ndarray, np.ndarray]:
        """Return the steps h and the median error at each of them, both of shape (k,)."""
        f, steps = self.by_dtype[dtype].prepared(name).f, self.by_dtype[dtype].steps(name)
        errors = difference.median_errors(f, self.by_dtype[dtype].median_points(name, x), steps, scheme)
        return steps.numpy(), errors.numpy()

    @memoised()
    def typical_errors(self, name: str, dtype: str, scheme: Scheme) -> np.ndarray:
        """Return the errors at several x values in the range; skip any x at which the function fails."""
        return elementwise.sample_range(lambda x: self.error_curve(name, x, dtype, scheme)[1:], self.ends)

    @memoised()
    def error_range(self, name: str) -> Range:
        """Return two powers of ten that enclose the errors at several x, for every dtype and scheme."""
        kinds = itertools.product(self.dtypes, self.schemes)
        return plots.decades(np.concatenate([self.typical_errors(name, *kind) for kind in kinds]), -20, 8)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        name, dtype, scheme = setting.function, setting.dtype, setting.scheme
        f, curve = self.by_dtype[dtype].prepared(name).f, self.by_dtype[dtype].curve(name)[1]
        x = torch.tensor([setting.x], dtype=torch.float64).to(DTYPES[dtype])
        points = self.by_dtype[dtype].median_points(name, x.item())
        reading = Reading(setting, x.item(), median_count=len(points))
        with reading.collecting_problems():
            reading.height = difference.number(f, x)
            if scheme != "complex":
                left, right = difference.compared_points(x, setting.h, scheme)
                reading.ends = left.item(), right.item()
                reading.heights = difference.number(f, left), difference.number(f, right)
            reading.quotient = difference.quotient(f, x, setting.h, scheme).real.item()
        with reading.collecting_problems():
            reading.gradient = difference.gradient(f, x).item()
            reading.error = abs(reading.quotient - reading.gradient)
            step = torch.tensor([setting.h], dtype=torch.float64)
            reading.median = difference.median_errors(f, points, step, scheme).item()
        for dtype_name in self.dtypes:
            with contextlib.suppress(FunctionProblem):
                reading.steps, reading.curves[dtype_name] = self.error_curve(
                    name, setting.x, dtype_name, scheme
                )
        errors = self.typical_errors(name, dtype, scheme), reading.curves.get(dtype, np.empty(0))
        reading.visible_axes = elementwise.any_finite(curve), elementwise.any_finite(*errors)
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {reading.x:g}")
    elif reading.ends[0] == reading.ends[1]:
        reading.remark(**REMARKS["lost"], dtype=reading.setting.dtype, h=reading.setting.h)
    elif not math.isfinite(reading.quotient):
        remarks.no_quotient(reading, en="a point of the secant", ko="할선이 지나는 점")
    elif not math.isfinite(reading.gradient):
        remarks.no_gradient(reading, reading.x, reading.gradient)
    elif reading.error == 0:
        remarks.exactly_zero(reading, **REMARKS["zero"])
    remarks.few_points(reading, reading.median_count)


class Picture:
    """The figure: the curve with its secant and tangent, and the error against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/\Delta x$", gradient="$f'(x)$", point="$x$"
        )
        tick_step = 3 if subject.rounding else 1
        self.errors = plots.ErrorPlot(
            right, r"$|\,\Delta f/\Delta x - f'(x)\,|$", subject.log_h, tick_step=tick_step
        )
        styles = {dtype: STYLES[dtype] for dtype in subject.dtypes}
        self.curves = {dtype: style.line(self.errors, dtype) for dtype, style in styles.items()}
        colors = {dtype: style.color for dtype, style in styles.items()}
        self.zeros = {dtype: plots.marker(self.errors, "v", color, size=6) for dtype, color in colors.items()}
        self.median = plots.marker(self.errors, "o", INK, size=10, hollow=True, label="$h$")
        self.current_error = plots.marker(self.errors, "D", SECANT, size=7, label="$x$")
        self.missing_error = plots.marker(self.errors, "x", SECANT, size=10)
        self.moving = [*self.function.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the static part of the figure: the curve and the limits of both plots."""
        name, dtype = reading.setting.function, reading.setting.dtype
        self.function.set_curve(*self.subject.by_dtype[dtype].curve(name))
        self.errors.set_decades(*self.subject.error_range(name))

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        setting = reading.setting
        point = reading.x, reading.height
        self.function.set_lines(point, reading.quotient, reading.gradient, reading.ends, reading.heights)
        self.function.ends.set_label(ENDS[setting.scheme])
        for dtype, curve in self.curves.items():
            errors = reading.curves.get(dtype, np.empty(0))
            zeros = self.errors.set_curves(self.zeros[dtype], reading.steps, (curve, errors))
            self.zeros[dtype].set_visible(len(zeros) > 0)
            is_chosen = dtype == setting.dtype
            # If some errors are 0, every point of the curve gets a marker, because no line leads to a point
            # between two zeros.
            mark_every = 1 if len(zeros) else max(1, len(errors) // 16)
            curve.set(lw=2.2 if is_chosen else 1.2, ms=6 if is_chosen else 4, markevery=mark_every)
        self.errors.set_step(setting.h, (self.median, reading.median), (self.current_error, reading.error))
        self.current_error.set_marker("v" if reading.error == 0 else "D")
        self.missing_error.set_data([setting.h], [self.errors.high / 3])
        self.missing_error.set_visible(math.isnan(reading.error))


class TangentExplorer(Panel[Reading]):
    """The widget that `explore` returns."""

    arguments = ("function", "dtype", "scheme", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        self.dtype = controls.choice("dtype", subject.dtypes, start.dtype)
        schemes = [
            (text, name) for text, name in texts.options(__file__, "scheme") if name in subject.schemes
        ]
        self.scheme = controls.choice(say(en="quotient", ko="차분몫"), schemes, start.scheme)
        lists = (self.function, self.dtype, self.scheme) if subject.rounding else (self.function,)
        if not subject.rounding:
            self.questions_name = "first"
        super().__init__(
            subject,
            start,
            lambda: Picture(subject),
            [lists, self.x_and_h(start, subject)],
            legend(subject.dtypes),
        )

    def rows(self) -> list[Row]:
        reading, setting = self.reading, self.reading.setting
        numbers = reading.quotient, reading.gradient, reading.noise
        quotient, gradient, error = words.compared_digits(*numbers, setting.dtype)
        label = say(en=f"{reading.median_count} x nearby", ko=f"근처의 x {reading.median_count}개")
        return [
            words.quotient_row(FORMULAS[setting.scheme], quotient),
            words.gradient_row(gradient),
            self.row("error", words.step(setting.h), error),
            self.row("median", label, f"{reading.median:.1e}"),
        ]


HERE = words.sample(words.diamond(SECANT, SECANT))
REMARKS = texts.remarks(__file__)


def legend(dtypes: Sequence[str]) -> list[list[words.Entry]]:
    """Return the columns of the legend, with an error curve for each of the given dtypes."""
    errors = {dtype: STYLES[dtype].sample() for dtype in dtypes}
    left, right = {**words.LINES, "points": words.POINTS}, {**errors, "h": words.STEP_LINE, "here": HERE}
    return texts.legend(__file__, left, right)


LEGEND = legend(list(DTYPES))


@with_call
def explore(
    functions: Functions | None = None,
    *,
    x_range: Range = (1.0, 9.0),
    x: float | None = None,
    h: float = 1.0,
    dtype: str | torch.dtype = "float64",
    scheme: Scheme = "forward",
    function: str | None = None,
    rounding: bool = True,
) -> TangentExplorer:
    """Return an explorer with sliders for x and h that shows a secant, the tangent, and their distance.

    The left plot shows the function, a secant, and autograd's tangent. The right plot shows the distance of
    the difference quotient from the gradient, against h. Each distance is the median over 201 x values near
    the chosen one.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default
            log(x^3) and x^3 + 2 sin x.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 5. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 10**-15.5 to 10**0.5.
        dtype: the initial dtype, "float32" or "float64".
        scheme: the initial kind of quotient, "forward", "central" or "complex".
        function: the name of the initially selected function, by default the first.
        rounding: whether the explorer shows rounding errors. If False, h goes only from 3 down to 1e-4, the
            dtype is float64, and the quotient is the forward one.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore", functions, FUNCTIONS)
    dtype = str(dtype).removeprefix("torch.")
    name = ranges.first_or(function, "function", functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    subject = Subject(functions_by_name, x_range, rounding=rounding)
    ranges.check_choice("dtype", dtype, subject.dtypes)
    ranges.check_choice("scheme", scheme, subject.schemes)
    return TangentExplorer(subject, Setting(name, x, h, dtype, scheme))
