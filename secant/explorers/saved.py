"""The explorer of lesson 7: a correct forward pass, and a backward pass that is spoiled.

The user selects a spoiler: a change of x.data after the forward pass, a dtype of low precision for the saved
tensors, or a hook that scales the gradient. The difference quotient reveals that the gradient is wrong.
"""

import contextlib
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, Functions
from secant.explorers.kit.functions import log_of_cube, square
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

LOG_H = (-10.0, 0.5)
AMOUNTS = (-1.0, 3.0)
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float8": torch.float8_e4m3fn}
SPOILERS = ("none", "data", *DTYPES, "hook")

FUNCTIONS: dict[str, Function] = {"x²": square, "eˣ": torch.exp, "log x³": log_of_cube}


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls.

    Attributes:
        function: the name of the function.
        spoiler: what spoils the backward pass, one of SPOILERS.
        x: the chosen x.
        h: the chosen step.
        a: the number that the spoiler "data" adds to x, or by which the spoiler "hook" multiplies the
            gradient.
    """

    function: str
    spoiler: str
    x: float
    h: float
    a: float


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        heights: the function at x and at x + h.
        x_plus_h: the point x + h.
        quotient: the difference quotient.
        slope: the x.grad that backward() leaves with the selected spoiler.
        truth: the x.grad that backward() leaves if nothing is spoiled.
        steps: the values of h at which `errors` and `truths` are computed.
        errors: the quotient's distance from `slope` at each of `steps`.
        truths: the quotient's distance from `truth` at each of `steps`.
        decades: the limits of the plot of errors.
    """

    setting: Setting
    heights: tuple[float, float] = (math.nan, math.nan)
    x_plus_h: float = math.nan
    quotient: float = math.nan
    slope: float = math.nan
    truth: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    truths: np.ndarray = field(default_factory=lambda: np.empty(0))
    decades: Range = (1e-16, 1.0)

    @property
    def error(self) -> float:
        """The distance between the difference quotient and x.grad."""
        return abs(self.quotient - self.slope)

    @property
    def off(self) -> float:
        """The distance between x.grad and the correct gradient, which is x.grad without a spoiler."""
        return abs(self.slope - self.truth)

    @property
    def noise(self) -> float:
        """The approximate rounding error of the difference quotient."""
        size = difference.largest(*self.heights)
        return difference.rounding(size, self.setting.x, self.truth, self.x_plus_h - self.setting.x)


def spoiled_gradient(f: Function, x: Tensor, spoiler: str, a: float) -> Tensor:
    """Return the gradient that a spoiled backward() finds for a correct f(x), in x's shape and dtype.

    Args:
        f: an elementwise function.
        x: the points.
        spoiler: what spoils the backward pass, one of SPOILERS.
        a: the number that "data" adds to x, or by which "hook" multiplies the gradient.

    Raises:
        FunctionProblem: if f fails, or autograd finds no path from the result to x.
    """
    dtype = x.dtype

    def pack(t: Tensor) -> Tensor | tuple[Tensor]:
        return (t.detach().to(DTYPES[spoiler]),) if t.dtype == dtype else t

    def unpack(packed: Tensor | tuple[Tensor]) -> Tensor:
        return packed[0].to(dtype) if isinstance(packed, tuple) else packed

    def spoiling(leaf: Tensor) -> Tensor:
        if spoiler == "hook":
            leaf.register_hook(lambda gradient: a * gradient)
        with saved_tensors_hooks(pack, unpack) if spoiler in DTYPES else contextlib.nullcontext():
            y = difference.values(f, leaf)
        if spoiler == "data":
            leaf.data.add_(a)
        return y

    return difference.gradient(spoiling, x)


class Subject(Subjects):
    """The functions to explore and the range of x. Results are cached for each function."""

    @memoised()
    def all_errors(self, name: str) -> np.ndarray:
        """Return the difference quotient's errors at several x values, for the limits of the plot."""

        def errors(x: float) -> list[np.ndarray]:
            truth = difference.gradient(self.prepared(name).single, torch.tensor(x, dtype=torch.float64))
            return [np.abs(self.quotients_at(name, x)[1] - truth.item())]

        return elementwise.sample_range(errors, self.ends)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        reading = Reading(setting)
        f = self.prepared(setting.function).single
        x = torch.tensor(setting.x, dtype=torch.float64)
        x_plus_h = x + setting.h
        reading.x_plus_h = x_plus_h.item()
        reading.steps, quotients = self.quotients_at(setting.function, setting.x)
        with reading.collecting_problems():
            reading.heights = difference.number(f, x), difference.number(f, x_plus_h)
            step = (x_plus_h - x).item()
            reading.quotient = (reading.heights[1] - reading.heights[0]) / step if step else math.nan
        with reading.collecting_problems():
            reading.truth = difference.gradient(f, x).item()
            reading.slope = spoiled_gradient(f, x, setting.spoiler, setting.a).item()
        reading.errors, reading.truths = (np.abs(quotients - s) for s in (reading.slope, reading.truth))
        limit_errors = np.concatenate([self.all_errors(setting.function), [1.0]])
        reading.decades = plots.decades(limit_errors, -12, 4)
        curve = elementwise.any_finite(self.curve(setting.function)[1])
        reading.visible_axes = curve, curve and elementwise.any_finite(reading.errors, limit_errors[:-1])
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    setting = reading.setting
    if not (math.isfinite(reading.truth) and all(map(math.isfinite, reading.heights))):
        reading.problem(**REMARKS["value"], x=setting.x, x_plus_h=reading.x_plus_h)
    elif not math.isfinite(reading.slope):
        reading.remark(**REMARKS["infinite"])
    elif setting.spoiler == "none":
        reading.remark(**REMARKS["none"])
    elif reading.off == 0:
        reading.remark(**REMARKS["right"])


class Picture:
    """The figure, with a plot of the function and a plot of errors.

    The left plot shows the curve, its secant, and a line of slope x.grad. The right plot shows the difference
    quotient's distances from x.grad and from the correct gradient, against h.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        self.plot = plots.ErrorPlot(right, r"$|\Delta f/\Delta x - \cdot\,|$", LOG_H, tick_step=2)
        self.truths = plots.line(self.plot, GREEN, 1.6, "-.", label="$|\\Delta f/\\Delta x - f'|$")
        self.errors = plots.line(self.plot, TANGENT, 2.2, label=r"$|\Delta f/\Delta x -$ x.grad$|$")
        self.zeros = plots.marker(self.plot, "v", INK, size=5)
        self.truth = plots.marker(self.plot, "s", GREEN, size=7)
        self.error = plots.marker(self.plot, "o", SECANT, size=9, hollow=True, label="$h$")
        self.moving = [*self.function.moving, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the curve and the axis limits, which are the same for every x and h."""
        self.function.set_curve(*self.subject.curve(reading.setting.function))
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        x, h = reading.setting.x, reading.setting.h
        ends, heights = (x, reading.x_plus_h), reading.heights
        self.function.set_lines((x, heights[0]), reading.quotient, reading.slope, ends, heights)
        curves = (self.truths, reading.truths), (self.errors, reading.errors)
        self.plot.set_curves(self.zeros, reading.steps, *curves)
        distance = abs(reading.quotient - reading.truth)
        self.plot.set_step(h, (self.truth, distance), (self.error, reading.error))
        for artist in (self.truths, self.truth):
            # Without a spoiler, x.grad is the correct gradient and both error curves coincide. The curve and
            # the marker for the correct gradient are therefore hidden.
            artist.set_visible(reading.setting.spoiler != "none")


class SavedExplorer(Panel[Reading]):
    """The widget that `explore_saved` returns."""

    arguments = ("function", "spoiler", "x", "h", "a")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.function = controls.choice("f", list(subject.functions), start.function)
        self.spoiler = controls.choice(say(en="spoil", ko="교란"), _spoilers(), start.spoiler)
        self.a, self.a_row = controls.slider("a", start.a, AMOUNTS)
        self.spoiler.observe(lambda _: self._show_a(), "value")
        self._show_a()
        rows = [(self.function, self.spoiler), self.x_and_h(start, subject), [self.a_row]]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def _show_a(self) -> None:
        """Show the slider for the number `a` only if the selected spoiler uses this number."""
        self.a_row.layout.display = None if self.spoiler.value in ("data", "hook") else "none"

    def alt_fields(self) -> dict[str, Any]:
        number = f"{self.reading.truth:.4g}"
        truth = say(
            en=f", and from the unspoiled gradient {number}", ko=f", 건드리지 않았을 때의 gradient {number}와"
        )
        return {**super().alt_fields(), "truth": "" if self.setting.spoiler == "none" else truth}

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, slope, error = words.compared_digits(reading.quotient, reading.slope, reading.noise)
        rows = [
            words.quotient_row("(f(x+h) − f(x)) / ((x+h) − x)", quotient),
            words.gradient_row(slope),
            words.error_row(error, reading.setting.h),
        ]
        if reading.setting.spoiler == "none":
            return rows
        spoiler = dict((value, text) for text, value in _spoilers())[reading.setting.spoiler]
        return [
            *rows,
            self.row("truth", "f′(x)", words.digits(reading.truth)),
            self.row("off", spoiler, words.digits(reading.off, max_digits=4)),
        ]


def _spoilers() -> list[tuple[str, str]]:
    """Return the options of the dropdown that selects what spoils the gradient, as (label, value) pairs."""
    storage_texts = {
        # The Korean particle depends on the sound of the last digit; the 16 of bfloat16 is read "십육".
        name: say(en=f"saved as {name}", ko=f"{name}{'으로' if name.endswith('6') else '로'} 저장")
        for name in DTYPES
    }
    return [
        (say(en="nothing", ko="없음"), "none"),
        ("x.data.add_(a)", "data"),
        *((text, name) for name, text in storage_texts.items()),
        ("hook: gradient × a", "hook"),
    ]


REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {**words.LINES, "secant": words.SECANT_LINE + words.sample(words.diamond(SECANT))},
    {
        "errors": words.line(TANGENT, 2.5),
        "truths": words.line(GREEN, 1.5, "6 2 2 2"),
        "h": words.line(INK, 1.5, "2 2", words.disc(SECANT, 4.5)) + words.sample(words.square(GREEN)),
    },
)


@with_call
def explore_saved(
    functions: Functions | None = None,
    *,
    x_range: Range = (0.5, 4.0),
    x: float | None = None,
    h: float = 0.1,
    spoiler: str = "data",
    a: float = 0.5,
    function: str | None = None,
) -> SavedExplorer:
    """Return an explorer with sliders for x and h that shows a slope from a spoiled backward().

    The left plot shows the curve of f, its secant, and a line of slope x.grad. The right plot shows the
    distances of the difference quotient from x.grad and from the unspoiled gradient, against h.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default x^2,
            e^x and log(x^3).
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 1.3. A value outside x_range is clipped to it, and a message reports
            this.
        h: the initial step, from 1e-10 to 10**0.5.
        spoiler: what spoils backward(): "none" for nothing; "data", which adds `a` to x.data between forward
            and backward; "float32", "bfloat16" or "float8", the dtype in which saved tensors are stored; or
            "hook", which multiplies the gradient by `a`.
        a: the initial value of the number that the spoilers "data" and "hook" use.
        function: the name of the initially selected function, by default the first.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore_saved", functions, FUNCTIONS)
    ranges.check_choice("spoiler", spoiler, SPOILERS)
    name = ranges.first_or(function, "function", functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 1.3)
    return SavedExplorer(Subject(functions_by_name, x_range, LOG_H), Setting(name, spoiler, x, h, a))
