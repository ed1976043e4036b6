"""The explorer of lesson 8: three difference quotients that check the slope from a custom backward()."""

import contextlib
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import INK, SECANT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.line_styles import PARTS, LineStyle
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Setting, Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row

LOG_H = (-8.0, 0.0)
# When a built-in function is selected, the slider moves to one of these x values: the first is for 5**x, the
# second for functions with a kink at 0.
START, KINK = 3.0, 0.0

# Colour, marker and dashes for each quotient, in the order of the rows in the table of numbers.
STYLES = {"forward": LineStyle(SECANT, "o"), "backward": PARTS[0], "central": PARTS[1]}
# Line widths in points, decreasing so that coinciding lines stay visible.
WIDTHS = {"forward": 4.0, "backward": 3.0, "central": 2.2}
LABELS = {"forward": "$+h$", "backward": "$-h$", "central": r"$\pm h$"}


class Power(torch.autograd.Function):
    """The function x**q with the custom backward from lesson 8."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, q: Tensor) -> Tensor:
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1), g * x**q * torch.log(x)


class BrokenPower(Power):
    """The function x**q with a bug in its backward: the slope in q uses log(x + 1), not log(x)."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1), g * x**q * torch.log(x + 1)


def power_of_five(q: Tensor) -> Tensor:
    """Return 5^q, computed by Power."""
    result: Tensor = Power.apply(torch.full_like(q, 5.0, requires_grad=False), q)
    return result


def broken_power_of_five(q: Tensor) -> Tensor:
    """Return 5^q, computed by BrokenPower."""
    result: Tensor = BrokenPower.apply(torch.full_like(q, 5.0, requires_grad=False), q)
    return result


def not_negative(x: Tensor) -> Tensor:
    """Return x where x is not negative, and 0 elsewhere, using torch.where."""
    return torch.where(x >= 0, x, 0.0)


def maximum(x: Tensor) -> Tensor:
    """Return the larger of x and 0, using torch.maximum."""
    return torch.maximum(x, torch.zeros_like(x))


def difference_of_relus(x: Tensor) -> Tensor:
    """Return relu(x) - relu(-x), which is x."""
    return torch.relu(x) - torch.relu(-x)


FUNCTIONS: dict[str, Function] = {
    "Power(5, x)": power_of_five,
    "BrokenPower(5, x)": broken_power_of_five,
    "relu(x)": torch.relu,
    "where(x >= 0, x, 0)": not_negative,
    "maximum(x, 0)": maximum,
    "abs(x)": torch.abs,
    "relu(x) - relu(-x)": difference_of_relus,
}


def worth_seeing(f: Function) -> float | None:
    """Return the x at which a built-in function is best explored, or None for a learner's own function."""
    if f in (broken_power_of_five, power_of_five):
        return START
    return KINK if f in FUNCTIONS.values() else None


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    `quotients` and `curves` have the same keys as STYLES. Each curve holds the errors of one quotient, one
    error for each of `steps`.
    """

    setting: Setting
    height: float = math.nan
    ends: Range = (math.nan, math.nan)
    heights: Range = (math.nan, math.nan)
    quotients: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STYLES, math.nan))
    gradient: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=lambda: dict.fromkeys(STYLES, np.empty(0)))

    @property
    def errors(self) -> dict[str, float]:
        """The distance of each difference quotient from autograd's gradient."""
        return {name: abs(quotient - self.gradient) for name, quotient in self.quotients.items()}

    @property
    def noise(self) -> float:
        """The approximate rounding error of a difference quotient."""
        size = difference.largest(*self.heights, self.height)
        return difference.rounding(size, self.setting.x, self.quotients["central"], self.setting.h)


class Subject(Subjects):
    """The functions to explore and the range of x. The difference quotients' errors are cached."""

    @memoised(8)
    def error_curves(self, name: str, x: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps h, and the error of each difference quotient at each of these steps."""
        f, steps = self.prepared(name).f, self.steps(name)
        place = torch.tensor([x], dtype=torch.float64)
        slope = difference.gradient(f, place)
        errors = difference.both_sides(f, place, steps)
        return steps.numpy(), {key: (error - slope).abs().numpy() for key, error in errors.items()}

    @memoised()
    def typical_errors(self, name: str) -> np.ndarray:
        """Return the errors at several x values, including the kink at 0; skip x where the function fails."""
        kink = ranges.clamp(KINK, self.ends)
        places = self.ends, (kink, kink)
        errors = [
            elementwise.sample_range(lambda x: self.error_curves(name, x)[1].values(), ends)
            for ends in places
        ]
        return np.concatenate(errors)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        reading = Reading(setting)
        name, f = setting.function, self.prepared(setting.function).f
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        with reading.collecting_problems():
            reading.height = difference.number(f, x)
            reading.ends = (x - h).item(), (x + h).item()
            reading.heights = difference.number(f, x - h), difference.number(f, x + h)
            reading.quotients = {
                key: quotient.item() for key, quotient in difference.both_sides(f, x, h).items()
            }
        with reading.collecting_problems():
            reading.gradient = difference.gradient(f, x).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, setting.x)
        errors = self.typical_errors(name), *reading.curves.values()
        reading.visible_axes = elementwise.any_finite(self.curve(name)[1]), elementwise.any_finite(*errors)
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {reading.setting.x:g}")
    elif not all(map(math.isfinite, reading.quotients.values())):
        remarks.no_quotient(reading, en="x − h or x + h", ko="x − h나 x + h")
    elif not math.isfinite(reading.gradient):
        remarks.no_gradient(reading, reading.setting.x, reading.gradient)
    elif 0.0 in reading.errors.values():
        remarks.exactly_zero(reading, **REMARKS["zero"])


class Picture:
    """The figure, with a plot of the function and a plot of errors.

    The left plot shows the curve, three secants and autograd's tangent. The right plot shows the errors of
    the three difference quotients, against h.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(left, "f", quotient="_", gradient="x.grad", point="$x$")
        self.errors = plots.ErrorPlot(
            right, r"$|\,\Delta f/\Delta x - $x.grad$|$", LOG_H, tick_step=2, pad=0.4
        )
        self.secants, self.curves, self.zeros, self.current_error = {}, {}, {}, {}
        for place, (name, style) in enumerate(STYLES.items()):
            self.secants[name] = plots.line(
                self.function, style.color, WIDTHS[name], style.style, label=LABELS[name], zorder=3
            )
            # Each curve has its markers at different values of h, so that no marker hides another.
            self.curves[name] = style.line(self.errors, mark_every=(2 * place, 6))
            self.zeros[name] = plots.marker(self.errors, "v", style.color, size=5)
            self.current_error[name] = plots.marker(
                self.errors, style.marker, style.color, size=13 - 2 * place, hollow=True
            )
        self.moving = [*self.function.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the static part of the figure: the curve and the limits of both plots."""
        name = reading.setting.function
        self.function.set_curve(*self.subject.curve(name))
        # At a kink, the errors are 1 and 0.5. The limits enclose twice each error, so that these two errors
        # are not at the edge of the plot.
        self.errors.set_decades(*plots.decades(2 * self.subject.typical_errors(name), -14, 8))

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        x, h = reading.setting.x, reading.setting.h
        point = x, reading.height
        self.function.set_lines(point, math.nan, reading.gradient, reading.ends, reading.heights)
        starts = {"forward": point, "backward": point, "central": (reading.ends[0], reading.heights[0])}
        x_limits = np.array(self.function.axes.get_xlim())
        for name, secant in self.secants.items():
            place, height = starts[name]
            secant.set_data(x_limits, height + reading.quotients[name] * (x_limits - place))
        for row, (name, curve) in enumerate(self.curves.items()):
            at_zero = self.errors.set_curves(self.zeros[name], reading.steps, (curve, reading.curves[name]))
            # The markers for errors of 0 are at the same height for all three difference quotients. Each
            # quotient has a marker for only every third of its zeros, so that no marker hides another.
            self.zeros[name].set_data(at_zero[row::3], np.full(len(at_zero[row::3]), self.errors.zero))
        self.errors.set_step(
            h, *((self.current_error[name], error) for name, error in reading.errors.items())
        )


class BackwardExplorer(Panel[Reading]):
    """The widget that `explore_backward` returns."""

    arguments = ("function", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.worth_seeing = {name: worth_seeing(f) for name, f in subject.functions.items()}
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        self.function.observe(self._move_x, "value")
        rows = [(self.function,), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def _move_x(self, _: object) -> None:
        """Move x to the value in `worth_seeing` for the selected function.

        Do nothing if there is no such value, or if it is outside the slider's range.
        """
        x = self.worth_seeing[self.function.value]
        if x is not None and self.x.min <= x <= self.x.max:
            self.x.choose(x)

    def rows(self) -> list[Row]:
        reading = self.reading
        formulas = "(f(x+h) − f(x)) / h", "(f(x) − f(x−h)) / h", "(f(x+h) − f(x−h)) / 2h"
        comparisons = [
            words.compared_digits(q, reading.gradient, reading.noise) for q in reading.quotients.values()
        ]
        quotient_rows = [
            self.row(f"quotient{place}", formula, number)
            for place, (formula, (number, *_)) in enumerate(zip(formulas, comparisons, strict=True), 1)
        ]
        *_, (_, slope, error) = comparisons
        return [
            *quotient_rows,
            words.gradient_row(slope),
            self.row("error", words.step(reading.setting.h), error),
        ]


REMARKS = texts.remarks(__file__)
HERE = words.line(INK, 1.5, "2 2", words.disc(SECANT, 5))
LEGEND = texts.legend(
    __file__,
    {"curve": words.CURVE_LINE, "slope": words.TANGENT_LINE, "ends": words.sample(words.diamond(SECANT))},
    {**{name: style.sample(WIDTHS[name] - 0.5) for name, style in STYLES.items()}, "h": HERE},
)


@with_call
def explore_backward(
    functions: Functions | None = None,
    *,
    x_range: Range = (-2.0, 4.0),
    x: float | None = None,
    h: float = 1.0,
    function: str | None = None,
) -> BackwardExplorer:
    """Return an explorer with sliders for x and h that compares autograd's slope with difference quotients.

    The left plot shows the curve of f, its forward, backward and central secants, and a line with autograd's
    slope. The right plot shows the distance of each quotient from autograd's slope, against h.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default 5**x
            with a correct and with a broken backward, and functions with a kink at 0.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 3. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 1e-8 to 1.
        function: the name of the initially selected function, by default the first.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore_backward", functions, FUNCTIONS)
    name = ranges.first_or(function, "function", functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, START)
    return BackwardExplorer(Subject(functions_by_name, x_range, LOG_H), Setting(name, x, h))
