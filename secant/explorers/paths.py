"""The explorer of lesson 4: a quotient taken apart by the paths that lead to the result."""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import beside, controls, difference, elementwise, plots, ranges, remarks, words
from secant.explorers.kit.bars import StackedBars
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import AMBER, INK, PURPLE, SECANT, SKY, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.functions import cube, log_of_cube, root_of_square, square
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.subject import PLACES, kept
from secant.explorers.kit.two_paths import LOG_H, NO_SLOPES, Slopes, TwoPaths
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row

Merge = Literal["+", "×"]
MERGED: dict[Merge, Callable[[Tensor, Tensor], Tensor]] = {"+": torch.add, "×": torch.mul}
SPELLINGS: dict[str, Merge] = {"+": "+", "×": "×", "*": "×", "x": "×"}

BARS = {  # what stands below each, and its colour
    "y": (r"$\Delta_y z/h$", SKY),
    "w": (r"$\Delta_w z/h$", AMBER),
    "rest": ("$r$", PURPLE),
    "both": (r"$\Delta z/h$", SECANT),
}

PAIRS: dict[str, tuple[Function, Function]] = {
    "log x³, √x²": (log_of_cube, root_of_square),
    "x³, x²": (cube, square),
}


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    pair: str
    merge: Merge
    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `size` is that of z, which decides how many digits of a quotient are right.
    """

    setting: Setting
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BARS, math.nan))
    slopes: Slopes[float] = NO_SLOPES
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    rests: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    size: float = 0.0
    height: Range = (-1.0, 1.0)
    decades: Range = (1e-16, 1.0)

    @property
    def quotient(self) -> float:
        return self.parts["both"]

    @property
    def error(self) -> float:
        return abs(self.quotient - self.slopes.both)

    @property
    def noise(self) -> float:
        """About how large the rounding error of a quotient is."""
        return difference.rounding(self.size, self.setting.x, self.slopes.both, self.setting.h)


class Subject(TwoPaths):
    """The pairs of functions to explore and the range of x, with what is worked out once for each."""

    @kept(8)
    def curves(self, name: str, merge: Merge, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps, and for each the remainder and the error of the whole quotient."""
        steps, place = self.steps(name), torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, MERGED[merge], place, steps)
        slope = elementwise.or_nan(lambda t: self.slopes(name, MERGED[merge], t).both, place)
        return steps.numpy(), parts.rest.abs().numpy(), (parts.both - slope).abs().numpy()

    @kept()
    def limits(self, name: str, merge: Merge) -> tuple[np.ndarray, np.ndarray]:
        """Return heights of bars and errors, all over the range of x and h."""
        z, levels, errors = MERGED[merge], [np.zeros(1)], [np.empty(0)]
        x = torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        slope = elementwise.or_nan(lambda t: self.slopes(name, z, t).both, x)
        with contextlib.suppress(FunctionProblem):
            for log_h in (LOG_H[0], LOG_H[0] / 2, LOG_H[1]):
                parts = self.parts(name, z, x, torch.tensor(10.0**log_h, dtype=torch.float64))
                levels += [part.numpy() for part in (parts.y, parts.y + parts.w, parts.both, slope)]
                errors += [parts.rest.abs().numpy(), (parts.both - slope).abs().numpy()]
        return np.concatenate(levels), np.concatenate(errors)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        name, merge = setting.pair, setting.merge
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        levels, errors = self.limits(name, merge)
        reading.height, reading.decades = plots.limits(levels), plots.decades(errors, -18, 12)
        with reading.noting():
            parts = self.parts(name, MERGED[merge], x, h)
            reading.size = parts.size.item()
            reading.parts = {column: getattr(parts, column).item() for column in BARS}
            reading.steps, reading.rests, reading.errors = self.curves(name, merge, setting.x)
            reading.slopes = Slopes(*(slope.item() for slope in self.slopes(name, MERGED[merge], x)))
        # Where there are bars there is a remainder, be it 0.
        reading.filled = (elementwise.any_finite(errors, reading.rests),) * 2
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    x, h = reading.setting.x, reading.setting.h
    if not all(map(math.isfinite, reading.parts.values())):
        reading.problem(**REMARKS["value"], x=x, there=x + h)
    elif not math.isfinite(reading.slopes.both):
        remarks.no_gradient(reading, x, reading.slopes.both)
    elif reading.setting.merge == "+":
        reading.remark(**REMARKS["plus"])
    else:
        reading.remark(**REMARKS["times"])


class Picture:
    """Left, the parts of the quotient as bars, each begun where the one before ends; right, what vanishes."""

    def __init__(self) -> None:
        self.figure, (left, right) = plots.row(2)
        self.left = left
        left.set_ylabel(r"$\Delta z/h$")
        self.stack = StackedBars(left, BARS)
        self.bars = self.stack.bars
        # The gradient from edge to edge; then, over the first bar, the part of it that comes through y.
        self.gradient = plots.line(self.stack, TANGENT, 2.2, plots.DASHES, label="$dz/dx$", zorder=4)
        self.through_y = plots.marker(
            self.stack, "D", TANGENT, size=8, hollow=True, label=r"$y'\,\partial z/\partial y$"
        )
        self.plot = plots.ErrorPlot(right, r"$|r|,\ |\Delta z/h - dz/dx|$", LOG_H, every=1, pad=0.2)
        self.rests = plots.line(self.plot, PURPLE, 1.4, "-.", marker="s", ms=4, label="$|r|$")
        self.errors = plots.line(self.plot, SECANT, 2, label=r"$|\Delta z/h - dz/dx|$", zorder=3)
        self.zeros = plots.marker(self.plot, "v", PURPLE, size=5)
        self.rest = plots.marker(self.plot, "s", PURPLE, size=9, hollow=True, label="$h$")
        self.error = plots.marker(self.plot, "o", SECANT, size=8)
        self.moving = [*self.stack.moving, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Set the limits, which hold for every x and h."""
        self.left.set_ylim(*reading.height)
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        self.stack.set_heights([*reading.parts.values()])
        self.gradient.set_data(self.stack.across, [reading.slopes.both] * 2)
        self.through_y.set_data([0], [reading.slopes.y])
        zeros = self.plot.set_curves(self.zeros, reading.steps, (self.rests, reading.rests))
        # Among zeros the rest is rounding: points, with no line to suggest a rule.
        self.rests.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.errors.set_data(reading.steps, np.where(reading.errors == 0, math.nan, reading.errors))
        rest = abs(reading.parts["rest"])
        self.plot.set_step(reading.setting.h, (self.rest, rest), (self.error, reading.error))


class PathsExplorer(Panel[Reading]):
    """The widget that `explore_paths` returns."""

    arguments = ("pair", "merge", "x", "h")
    grips = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.pair = controls.choice("y, w", list(subject.pairs), start.pair)
        self.merge = controls.choice("z", [("y + w", "+"), ("y × w", "×")], start.merge)
        rows = [(self.pair, self.merge), self.x_and_h(start, subject)]
        super().__init__(subject, start, Picture, rows, LEGEND)

    def rows(self) -> list[Row]:
        reading = self.reading
        parts, slopes, merge = reading.parts, reading.slopes, reading.setting.merge
        quotient, gradient, error = words.compared(reading.quotient, slopes.both, reading.noise)
        rest = words.quotient_digits(parts["rest"], reading.noise)

        def towards(key: str, slope: float) -> str:
            part, limit, _ = words.compared(parts[key], slope, reading.noise)
            if reading.problems and math.isnan(slope):
                return part
            return f'{part} → <span class="secant-path-{key}">{limit}</span>'

        ends = ("y(x+h)", "w"), ("y", "w(x+h)"), ("y(x+h)", "w(x+h)")
        y, w, both = (f"({y} {merge} {w} − z) / h" for y, w in ends)
        return [
            self.row("y", y, towards("y", slopes.y)),
            self.row("w", w, towards("w", slopes.w)),
            self.row("rest", "→ 0", rest),
            self.row("quotient", both, quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]


REMARKS = beside.remarks(__file__)
LEGEND = beside.legend(
    __file__,
    {key: words.sample(words.bar(color)) for key, (_, color) in BARS.items()},
    {
        "gradient": words.line(TANGENT, 2.5, "7 4", words.diamond(TANGENT)),
        "rests": words.line(PURPLE, 1.5, "6 2 2 2", words.square(PURPLE)),
        "errors": words.line(SECANT, 2),
        "h": words.line(INK, 1.5, "2 2", words.frame(PURPLE)) + words.sample(words.disc(SECANT, 3.5, SECANT)),
    },
)


@remembered
def explore_paths(
    pairs: Pairs | None = None,
    *,
    x_range: Range = (4.0, 6.0),
    x: float | None = None,
    h: float = 1.0,
    merge: str = "+",
    pair: str | None = None,
) -> PathsExplorer:
    """Return sliders for x and h over a picture of z = y(x) + w(x), or y(x) × w(x), taken apart by paths.

    Left: the quotient of z when only y moves, when only w moves, the remainder, and when both move,
    beside autograd's gradient. Right: the remainder, and the error of the whole quotient, against h.

    Args:
        pairs: two functions of x, y and w, or a dict of such pairs by name; when left out, log(x^3) with
            sqrt(x^2), and x^3 with x^2.
        x_range: the ends of x's slider.
        x: where to start, 5 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-6 to 1.
        merge: "+" or "×" ("*" will do).
        pair: which of the pairs to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = PAIRS if pairs is None else ranges.pairs_by_name("explore_paths", pairs, ("y", "w"))
    if merge not in SPELLINGS:
        ranges.refuse(en='merge must be "+" or "×"', ko='merge는 "+" 또는 "×"입니다')
    name = ranges.first_or(pair, "pair", named)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    subject = Subject(named, x_range, ("y", "w"))
    return PathsExplorer(subject, Setting(name, SPELLINGS[merge], x, h))
