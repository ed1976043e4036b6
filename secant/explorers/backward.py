"""The explorer of lesson 8: what a backward says of a slope, beside three quotients that cannot be fooled."""

import contextlib
import math

import numpy as np
import torch

from secant.explorers.kit import beside, controls, difference, elementwise, plots, ranges, remarks, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import INK, SECANT
from secant.explorers.kit.difference import FunctionProblem, Functions
from secant.explorers.kit.kinks import FUNCTIONS, START, worth_seeing
from secant.explorers.kit.looks import PARTS, Look
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.sides import Reading, Sides
from secant.explorers.kit.subject import Setting
from secant.explorers.kit.widget import Panel
from secant.explorers.kit.words import Row

LOG_H = (-8.0, 0.0)

# The quotients, in the order of the rows, by how they are drawn.
LOOKS = {"forward": Look(SECANT, "o"), "backward": PARTS[0], "central": PARTS[1]}
WIDTHS = {"forward": 4.0, "backward": 3.0, "central": 2.2}  # so that one on another is seen below it
LABELS = {"forward": "$+h$", "backward": "$-h$", "central": r"$\pm h$"}


class Subject(Sides):
    """The functions to explore and the range of x."""

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        name, f = setting.function, self.prepared(setting.function).f
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        with reading.noting():
            reading.height = difference.number(f, x)
            reading.ends = (x - h).item(), (x + h).item()
            reading.heights = difference.number(f, x - h), difference.number(f, x + h)
            reading.quotients = {key: found.item() for key, found in difference.both_sides(f, x, h).items()}
        with reading.noting():
            reading.gradient = difference.gradient(f, x).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, setting.x)
        errors = self.typical_errors(name), *reading.curves.values()
        reading.filled = elementwise.any_finite(self.curve(name)[1]), elementwise.any_finite(*errors)
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {reading.setting.x:g}")
    elif not all(map(math.isfinite, reading.quotients.values())):
        remarks.no_quotient(reading, en="x − h or x + h", ko="x − h나 x + h")
    elif not math.isfinite(reading.gradient):
        remarks.no_gradient(reading, reading.setting.x, reading.gradient)
    elif 0.0 in reading.errors.values():
        remarks.exactly_zero(reading, **REMARKS["zero"])


class Picture:
    """The figure: the curve with three secants and autograd's line, and how far they are apart against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(left, "f", quotient="_", gradient="x.grad", point="$x$")
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta f/\Delta x - $x.grad$|$", LOG_H, every=2, pad=0.4)
        self.secants, self.curves, self.zeros, self.here = {}, {}, {}, {}
        for place, (name, look) in enumerate(LOOKS.items()):
            self.secants[name] = plots.line(
                self.function, look.color, WIDTHS[name], look.style, label=LABELS[name], zorder=3
            )
            # Not at the same h, lest one marker hide another.
            self.curves[name] = look.line(self.errors, every=(2 * place, 6))
            self.zeros[name] = plots.marker(self.errors, "v", look.color, size=5)
            self.here[name] = plots.marker(
                self.errors, look.marker, look.color, size=13 - 2 * place, hollow=True
            )
        self.moving = [*self.function.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        name = reading.setting.function
        self.function.set_curve(*self.subject.curve(name))
        # A kink's errors, 1 and 0.5, are not to lie on the edge.
        self.errors.set_decades(*plots.decades(2 * self.subject.typical_errors(name), -14, 8))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        x, h = reading.setting.x, reading.setting.h
        at = x, reading.height
        self.function.set_lines(at, math.nan, reading.gradient, reading.ends, reading.heights)
        starts = {"forward": at, "backward": at, "central": (reading.ends[0], reading.heights[0])}
        across = np.array(self.function.axes.get_xlim())
        for name, secant in self.secants.items():
            place, height = starts[name]
            secant.set_data(across, height + reading.quotients[name] * (across - place))
        for row, (name, curve) in enumerate(self.curves.items()):
            at_zero = self.errors.set_curves(self.zeros[name], reading.steps, (curve, reading.curves[name]))
            # Zeros of several quotients lie on one line: each shows its own third of them.
            self.zeros[name].set_data(at_zero[row::3], np.full(len(at_zero[row::3]), self.errors.zero))
        self.errors.set_step(h, *((self.here[name], error) for name, error in reading.errors.items()))


class BackwardExplorer(Panel[Reading]):
    """The widget that `explore_backward` returns."""

    arguments = ("function", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.worth_seeing = {name: worth_seeing(f) for name, f in subject.functions.items()}
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        self.function.observe(self._go, "value")
        rows = [(self.function,), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def _go(self, _: object) -> None:
        """Move x to where the function that was chosen is worth a look."""
        x = self.worth_seeing[self.function.value]
        if x is not None and self.x.min <= x <= self.x.max:
            self.x.choose(x)

    def rows(self) -> list[Row]:
        reading = self.reading
        formulas = "(f(x+h) − f(x)) / h", "(f(x) − f(x−h)) / h", "(f(x+h) − f(x−h)) / 2h"
        found = [words.compared(q, reading.gradient, reading.noise) for q in reading.quotients.values()]
        each = [
            self.row(f"quotient{place}", formula, number)
            for place, (formula, (number, *_)) in enumerate(zip(formulas, found, strict=True), 1)
        ]
        *_, (_, slope, error) = found
        return [*each, words.gradient_row(slope), self.row("error", words.step(reading.setting.h), error)]


REMARKS = beside.remarks(__file__)
HERE = words.line(INK, 1.5, "2 2", words.disc(SECANT, 5))
LEGEND = beside.legend(
    __file__,
    {"curve": words.CURVE_LINE, "slope": words.TANGENT_LINE, "ends": words.sample(words.diamond(SECANT))},
    {**{name: look.sample(WIDTHS[name] - 0.5) for name, look in LOOKS.items()}, "h": HERE},
)


@remembered
def explore_backward(
    functions: Functions | None = None,
    *,
    x_range: Range = (-2.0, 4.0),
    x: float | None = None,
    h: float = 1.0,
    function: str | None = None,
) -> BackwardExplorer:
    """Return sliders for x and h over a picture of f with three quotients and what autograd says.

    Left: the curve, the secants of the forward, backward and central quotient, and autograd's slope.
    Right: how far each quotient is from autograd's slope, against h.

    Args:
        functions: one function of x, several in a list, or several by name; when left out, 5**x with a right
            backward and with a broken one, and functions with a kink at 0.
        x_range: the ends of x's slider.
        x: where to start, 3 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-8 to 1.
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = ranges.some_by_name("explore_backward", functions, FUNCTIONS)
    name = ranges.first_or(function, "function", named)
    x_range, x, h = ranges.place_and_step(x_range, x, h, START)
    return BackwardExplorer(Subject(named, x_range, LOG_H), Setting(name, x, h))
