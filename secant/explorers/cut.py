"""The explorer of lesson 6: a product of two functions of x, one of which is detached.

Autograd's graph is cut at the detached factor, so autograd's slope of the product lacks a part. The
difference quotient of the product reveals this.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT
from secant.explorers.kit.difference import Function
from secant.explorers.kit.functions import inverse_size, square, times_one
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.subject import FEW_POINTS, POINTS, memoised
from secant.explorers.kit.two_paths import LOG_H, TwoPaths
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

PAIRS: dict[str, tuple[Function, Function]] = {
    "x · (x²).detach()": (times_one, square),
    "x² · x.detach()": (square, times_one),
    "x · (1/|x|).detach()": (times_one, inverse_size),
}


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls.

    Attributes:
        pair: the name of the pair of factors.
        held: whether the difference quotient keeps the detached factor fixed.
        x: the chosen x.
        h: the chosen step.
    """

    pair: str
    held: bool
    x: float
    h: float


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        height: the function at x.
        end_height: the function at x + h, with the detached factor kept at its value at x if `held` is set.
        factor: the value of the detached factor at x.
        quotient: the difference quotient.
        slope: autograd's slope.
        lost_slope: the part of the slope that is lost by detaching the factor.
        steps: the values of h at which `errors` are computed.
        errors: the quotient's distances from `slope` at each of `steps`, first with the detached factor
            fixed, then with that factor changing with x.
    """

    setting: Setting
    height: float = math.nan
    end_height: float = math.nan
    factor: float = math.nan
    quotient: float = math.nan
    slope: float = math.nan
    lost_slope: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: tuple[np.ndarray, np.ndarray] = field(default_factory=lambda: (np.empty(0), np.empty(0)))

    @property
    def error(self) -> float:
        """The distance between the difference quotient and autograd's slope."""
        return abs(self.quotient - self.slope)

    @property
    def noise(self) -> float:
        """The approximate rounding error of the difference quotient."""
        x, h = self.setting.x, self.setting.h
        return difference.rounding(
            difference.largest(self.height, self.end_height), x, self.slope + self.lost_slope, h
        )


class Subject(TwoPaths):
    """The pairs of factors to explore and the range of x. Results are cached for each pair."""

    @memoised()
    def curves(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the x values of the curves, and both factors at each x, with NaN where a function fails."""
        f, g, is_vectorised = self.prepared(name)
        count = POINTS if is_vectorised else FEW_POINTS
        grid = torch.linspace(*ranges.padded(self.ends), count, dtype=torch.float64)
        return *elementwise.sampled(f, grid), elementwise.sampled(g, grid)[1]

    def cut_slopes(self, name: str, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return autograd's slope of the product at each x, and the slope lost by detaching a factor."""
        f, g, _ = self.prepared(name)
        slope = difference.gradient(lambda t: f(t) * g(t).detach(), x)
        return slope, difference.gradient(lambda t: f(t).detach() * g(t), x)

    @memoised(8)
    def errors(self, name: str, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps h, and for each step the errors of two difference quotients.

        An error is the distance from autograd's slope. The first quotient keeps the detached factor fixed. In
        the second quotient, that factor changes with x.
        """
        steps, place = self.steps(name), torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, torch.mul, place, steps)
        slope = elementwise.or_nan(lambda t: self.cut_slopes(name, t)[0], place)
        return steps.numpy(), (parts.y - slope).abs().numpy(), (parts.both - slope).abs().numpy()

    @memoised()
    def decades(self, name: str, held: bool) -> Range:
        """Return two powers of ten that enclose the errors at several x values and every step h.

        The errors with the detached factor fixed are included only if `held` is true.
        """
        # The errors with the detached factor fixed are smaller. If the range included them, the other error
        # curve would look flat.
        first = 1 if held else 2
        errors = elementwise.sample_range(lambda x: self.errors(name, x)[first:], self.ends)
        return plots.decades(errors, -18, 8)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored functions is recorded as a problem instead of being raised.
        """
        reading, name = Reading(setting), setting.pair
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        _, a, b = self.curves(name)
        with reading.collecting_problems():
            f, g, _ = self.prepared(name)
            reading.factor = difference.number(g, x)
            reading.height = difference.number(f, x) * reading.factor
            parts = self.parts(name, torch.mul, x, h)
            reading.quotient = (parts.y if setting.held else parts.both).item()
            reading.end_height = reading.height + reading.quotient * ((x + h) - x).item()
            reading.steps, *errors = self.errors(name, setting.x)
            reading.errors = errors[0], errors[1]
            slope, lost_slope = self.cut_slopes(name, x)
            reading.slope, reading.lost_slope = slope.item(), lost_slope.item()
        reading.visible_axes = elementwise.any_finite(a * b), elementwise.any_finite(*reading.errors)
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    setting = reading.setting
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {setting.x:g}")
    elif not math.isfinite(reading.quotient):
        remarks.no_quotient(reading, en="x + h", ko="x + h")
    elif not math.isfinite(reading.slope + reading.lost_slope):
        reading.problem(**REMARKS["slope"], x=setting.x)
    elif setting.held:
        reading.remark(**REMARKS["held"])


class Picture:
    """The figure, with a plot of the product and a plot of errors.

    The left plot shows the product, its secant, and the product with the detached factor b fixed. The right
    plot shows the difference quotient's errors, against h.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/h$", gradient="x.grad", ends="$x, x+h$"
        )
        self.recorded = plots.line(self.function, PURPLE, 1.8, "-.", label=r"$a(x)\,c$", zorder=2)
        self.plot = plots.ErrorPlot(right, r"$|\Delta f/h - $x.grad$|$", LOG_H, tick_step=1, pad=0.2)
        self.held = plots.line(self.plot, PURPLE, 1.8, "-.", marker="s", ms=4, label="$c$")
        self.moves = plots.line(self.plot, INK, 1.8, label="$b(x)$", zorder=3)
        self.lost = plots.line(self.plot, GREEN, 1.6, ":", label="$|a\\,b'|$", zorder=2)
        self.zeros = plots.marker(self.plot, "v", PURPLE, size=5)
        self.zeros_moving = plots.marker(self.plot, "v", INK, size=5)
        self.error = plots.marker(self.plot, "D", SECANT, size=8, label="$h$")
        self.moving = [*self.function.moving, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the static part of the figure: the curve and the limits of both plots."""
        name = reading.setting.pair
        x, a, b = self.subject.curves(name)
        middle = a * np.interp(sum(self.subject.ends) / 2, x, b)
        self.function.set_curve(x, a * b)
        self.function.axes.set_ylim(*plots.limits(np.concatenate([a * b, middle])))
        self.plot.set_decades(*self.subject.decades(name, reading.setting.held))

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        setting = reading.setting
        x, a, _ = self.subject.curves(setting.pair)
        self.recorded.set_data(x, a * reading.factor)
        ends, heights = (setting.x, setting.x + setting.h), (reading.height, reading.end_height)
        self.function.set_lines((setting.x, reading.height), reading.quotient, reading.slope, ends, heights)
        held, moves = reading.errors
        zeros = self.plot.set_curves(self.zeros, reading.steps, (self.held, held))
        # If some errors are 0, the others are only rounding errors. All errors are then drawn as separate
        # points, because a line would suggest a trend.
        self.held.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.plot.set_curves(self.zeros_moving, reading.steps, (self.moves, moves))
        size = abs(reading.lost_slope) or math.nan
        self.lost.set_data([10 ** LOG_H[0], 10 ** LOG_H[1]], [size, size])
        # If the detached factor is held fixed, the difference quotient does not reveal that the graph was
        # cut. The artists that show the effect of the cut are then hidden.
        for artist in (self.moves, self.zeros_moving, self.lost):
            artist.set_visible(not setting.held)
        self.plot.set_step(setting.h, (self.error, reading.error))


class CutExplorer(Panel[Reading]):
    """The widget that `explore_cut` returns."""

    arguments = ("pair", "held", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.pair = controls.choice("f(x)", list(subject.pairs), start.pair)
        factor: list[tuple[str, bool]] = [
            (say(en="moves with x", ko="x와 함께 움직임"), False),
            (say(en="held still", ko="고정"), True),
        ]
        self.held = controls.choice(say(en="factor", ko="둘째 인수"), factor, start.held)
        rows = [(self.pair, self.held), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def alt_fields(self) -> dict[str, Any]:
        manner = say(en="held still", ko="고정") if self.setting.held else say(en="moving", ko="함께 움직임")
        lost_text = f"{self.reading.lost_slope:.4g}"
        lost_sentence = say(
            en=f"; the slope lost at the cut is {lost_text}", ko=f". 끊긴 곳에서 잃은 기울기는 {lost_text}"
        )
        return {**super().alt_fields(), "manner": manner, "lost": "" if self.setting.held else lost_sentence}

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, slope, error = words.compared_digits(reading.quotient, reading.slope, reading.noise)
        formula = "(a(x+h) b(x) − a b) / h" if reading.setting.held else "(a(x+h) b(x+h) − a b) / h"
        rows = [
            words.quotient_row(formula, quotient),
            words.gradient_row(slope),
            words.error_row(error, reading.setting.h),
        ]
        if reading.setting.held:
            return rows
        return [
            *rows,
            self.row("lost", "a · b′", words.digits(reading.lost_slope)),
            self.row("both", "a′ · b + a · b′", words.digits(reading.slope + reading.lost_slope)),
        ]


REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {**words.LINES, "recorded": words.line(PURPLE, 2, "6 2 2 2")},
    {
        "moves": words.line(INK, 2),
        "held": words.line(PURPLE, 2, "6 2 2 2", words.square(PURPLE)),
        "lost": words.line(GREEN, 2, "2 3"),
        "h": words.line(INK, 1.5, "2 2", words.diamond(SECANT, SECANT)),
    },
)


@with_call
def explore_cut(
    pairs: Pairs | None = None,
    *,
    x_range: Range = (0.5, 3.5),
    x: float | None = None,
    h: float = 1.0,
    held: bool = False,
    pair: str | None = None,
) -> CutExplorer:
    """Return an explorer with sliders for x and h that shows f(x) = a(x) · b(x).detach().

    The left plot shows f with its secant, and a line with autograd's slope, which is the slope of a(x) times
    a constant. The right plot shows the distance of the difference quotient from autograd's slope, against h.
    In the quotient, the detached factor either changes with x or is fixed at its value at x.

    Args:
        pairs: two functions of x, called a and b, or a dict from names to such pairs; do not detach b
            yourself. By default (x, x^2), (x^2, x) and (x, 1/|x|).
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 2. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 1e-6 to 1.
        held: whether the difference quotient initially keeps the detached factor fixed.
        pair: the name of the initially selected pair, by default the first.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_pair = PAIRS if pairs is None else ranges.pairs_by_name("explore_cut", pairs, ("a", "b"))
    name = ranges.first_or(pair, "pair", functions_by_pair)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 2.0)
    return CutExplorer(Subject(functions_by_pair, x_range, ("a", "b")), Setting(name, bool(held), x, h))
