"""The explorer of lesson 4: a quotient taken apart by the paths that lead to the result."""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from secant.explorers.kit import beside, controls, difference, elementwise, plots, ranges, remarks, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import AMBER, INK, PURPLE, SECANT, SKY, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.functions import cube, square
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.subject import PLACES, kept
from secant.explorers.kit.two_paths import LOG_H, NO_SLOPES, Parts, Slopes, TwoPaths
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

Merge = Literal["log y + √w", "+", "×"]
MERGED: dict[Merge, Callable[[Tensor, Tensor], Tensor]] = {
    "log y + √w": lambda y, w: torch.log(y) + torch.sqrt(w),
    "+": torch.add,
    "×": torch.mul,
}
FORMULAS: dict[Merge, str] = {"log y + √w": "log {y} + √{w}", "+": "{y} + {w}", "×": "{y} × {w}"}
SPELLINGS: dict[str, Merge] = {**{name: name for name in MERGED}, "*": "×", "x": "×"}

BAR_WIDTH = 0.6  # the bars stand at 0, 1, 2, ...
BARS = {  # what stands below each, and its colour
    "y": (r"$\Delta_y z/h$", SKY),
    "w": (r"$\Delta_w z/h$", AMBER),
    "rest": ("$r$", PURPLE),
    "both": (r"$\Delta z/h$", SECANT),
}

PAIRS: dict[str, tuple[Function, Function]] = {"x³, x²": (cube, square)}
#: How many rounding errors a remainder of rounding alone is at most: three quotients are subtracted.
ROUNDINGS = 4


@dataclass(frozen=True)
class Setting:
    """What the controls say; `by_path` is whether the paths are shown, or the whole quotient alone."""

    pair: str
    merge: Merge
    x: float
    h: float
    by_path: bool = True


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `size` is that of z, which decides how many digits of a quotient are right. `rests` are 0 where the
    remainder is no more than rounding.
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

    @property
    def rest(self) -> float:
        """The remainder; 0 where it is no more than rounding."""
        rest = self.parts["rest"]
        return 0.0 if abs(rest) <= ROUNDINGS * self.noise else rest


class Subject(TwoPaths):
    """The pairs of functions to explore and the range of x, with what is worked out once for each."""

    def __init__(
        self,
        pairs: Mapping[str, tuple[Function, Function]],
        x_range: Range,
        letters: tuple[str, str],
        merges: Sequence[Merge],
    ) -> None:
        super().__init__(pairs, x_range, letters)
        self.merges = merges

    @kept(8)
    def curves(self, name: str, merge: Merge, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps, and for each the remainder and the error of the whole quotient.

        A remainder that is no more than rounding is returned as 0: rounding is the subject of lesson 1.
        """
        steps, place = self.steps(name), torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, MERGED[merge], place, steps)
        slope = elementwise.or_nan(lambda t: self.slopes(name, MERGED[merge], t).both, place)
        return steps.numpy(), _beyond_rounding(parts, x, slope, steps), (parts.both - slope).abs().numpy()

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
                h = torch.full_like(x, 10.0**log_h)
                errors += [_beyond_rounding(parts, x, slope, h), (parts.both - slope).abs().numpy()]
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


def _beyond_rounding(parts: Parts, x: Tensor | float, slope: Tensor, h: Tensor) -> np.ndarray:
    """Return the sizes of remainders at each x or h, (k,), with 0 for those that rounding explains."""
    places = torch.as_tensor(x, dtype=torch.float64)
    numbers = torch.broadcast_tensors(parts.size, places, slope, h)
    noise = [difference.rounding(*(one.item() for one in each)) for each in zip(*numbers, strict=True)]
    rest = parts.rest.abs().numpy()
    return np.where(rest <= ROUNDINGS * np.array(noise), 0.0, rest)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    x, h = reading.setting.x, reading.setting.h
    if not all(map(math.isfinite, reading.parts.values())):
        reading.problem(**REMARKS["value"], x=x, there=x + h)
    elif not math.isfinite(reading.slopes.both):
        remarks.no_gradient(reading, x, reading.slopes.both)
    elif not reading.setting.by_path:
        return
    elif reading.parts["rest"] and not reading.rest:
        reading.remark(**REMARKS["rounding"], rest=reading.parts["rest"])
    elif reading.setting.merge == "×":
        reading.remark(**REMARKS["times"])


class StackedBars:
    """Bars by their keys, joined by a dotted line from the top of each to the foot of the next."""

    def __init__(self, axes: Axes, looks: Mapping[str, tuple[str, str]]) -> None:
        """Take the axes, and for each bar its key, what stands below it, and its colour."""
        self.axes = axes
        self.across: Range = (-BAR_WIDTH, len(looks) - 1 + BAR_WIDTH)
        axes.set_xlim(self.across)
        axes.set_xticks(range(len(looks)), [label for label, _ in looks.values()])
        axes.grid(visible=False, axis="x")
        self.bars = {
            key: Rectangle((i - BAR_WIDTH / 2, 0), BAR_WIDTH, 0, fc=color, ec=INK, lw=1)
            for i, (key, (_, color)) in enumerate(looks.items())
        }
        for bar in self.bars.values():
            axes.add_patch(bar)
        axes.axhline(0, color=INK, lw=1)
        (self.joints,) = axes.plot([], [], color=INK, lw=1, ls=":")
        self.moving: list[Artist] = [*self.bars.values(), self.joints]

    def set_heights(self, heights: Sequence[float]) -> None:
        """Set the bars' heights, the whole's last; one that is no number is not shown."""
        tops = np.cumsum(heights[:-1])
        starts = [0.0, *tops[:-1], 0.0]
        for bar, start, height in zip(self.bars.values(), starts, heights, strict=True):
            bar.set_y(start if math.isfinite(start) else 0.0)
            bar.set_height(height if math.isfinite(height) else 0.0)
        half = BAR_WIDTH / 2
        gaps = [[i + half, i + 1 - half, math.nan] for i in range(len(tops))]
        self.joints.set_data(np.ravel(gaps), np.repeat(tops, 3))


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
        shown = reading.setting.by_path
        parts = {key: value if shown or key == "both" else math.nan for key, value in reading.parts.items()}
        self.stack.set_heights([*parts.values()])
        self.gradient.set_data(self.stack.across, [reading.slopes.both] * 2)
        self.through_y.set_data([0], [reading.slopes.y if shown else math.nan])
        rests = reading.rests if shown else np.empty(0)
        zeros = self.plot.set_curves(self.zeros, reading.steps, (self.rests, rests))
        # Where some are 0 the others are near rounding: points, with no line to suggest a rule.
        self.rests.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.errors.set_data(reading.steps, np.where(reading.errors == 0, math.nan, reading.errors))
        rest = abs(reading.rest) if shown else math.nan
        self.plot.set_step(reading.setting.h, (self.rest, rest), (self.error, reading.error))


class PathsExplorer(Panel[Reading]):
    """The widget that `explore_paths` returns."""

    arguments = ("pair", "merge", "by_path", "x", "h")
    grips = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.pair = controls.choice("y, w", list(subject.pairs), start.pair)
        merges = [(_formula(merge, "y", "w"), merge) for merge in subject.merges]
        self.merge = controls.choice("z", merges, start.merge)
        parts = [(text, name == "paths") for text, name in beside.options(__file__, "by_path")]
        self.by_path = controls.choice(say(en="show", ko="보기"), parts, start.by_path)
        rows = [(self.pair, self.merge, self.by_path), self.x_and_h(start, subject)]
        super().__init__(subject, start, Picture, rows, LEGEND)

    def alt(self) -> str:
        if self.setting.by_path:
            return super().alt()
        return beside.alt(__file__, "alt_whole").format(**self.told())

    def told(self) -> dict[str, Any]:
        return {**super().told(), "z": _formula(self.setting.merge, "y", "w")}

    def rows(self) -> list[Row]:
        reading = self.reading
        parts, slopes, merge = reading.parts, reading.slopes, reading.setting.merge
        quotient, gradient, error = words.compared(reading.quotient, slopes.both, reading.noise)
        rest = words.quotient_digits(reading.rest, reading.noise)

        def towards(key: str, slope: float) -> str:
            part, limit, _ = words.compared(parts[key], slope, reading.noise)
            if reading.problems and math.isnan(slope):
                return part
            return f'{part} → <span class="secant-path-{key}">{limit}</span>'

        ends = ("y(x+h)", "w"), ("y", "w(x+h)"), ("y(x+h)", "w(x+h)")
        y, w, both = (f"({_formula(merge, *each)} − z) / h" for each in ends)
        paths = [
            self.row("y", y, towards("y", slopes.y)),
            self.row("w", w, towards("w", slopes.w)),
            self.row("rest", "→ 0", rest),
        ]
        return [
            *(paths if reading.setting.by_path else []),
            self.row("quotient", both, quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]


def _formula(merge: Merge, y: str, w: str) -> str:
    """Return how z is made of y and w, as text."""
    return FORMULAS[merge].format(y=y, w=w)


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
    merge: str | None = None,
    pair: str | None = None,
    by_path: bool = True,
) -> PathsExplorer:
    """Return sliders for x and h over a picture of z, made of y(x) and w(x), taken apart by paths.

    Left: the quotient of z when only y moves, when only w moves, the remainder, and when both move,
    beside autograd's gradient. Right: the remainder, and the error of the whole quotient, against h.

    Args:
        pairs: two functions of x, y and w, or a dict of such pairs by name; when left out, x^3 with x^2.
        x_range: the ends of x's slider.
        x: where to start, 5 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-6 to 1.
        merge: how z is made: "+" or "×" ("*" will do), or "log y + √w"; when left out, "+" for pairs that
            are given, and "log y + √w" for x^3 with x^2.
        pair: which of the pairs to begin with, by name; the first when left out.
        by_path: whether to begin with the paths, or with the whole quotient alone.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = PAIRS if pairs is None else ranges.pairs_by_name("explore_paths", pairs, ("y", "w"))
    merges: list[Merge] = ["log y + √w", "×", "+"] if pairs is None else ["+", "×"]
    chosen = merges[0] if merge is None else SPELLINGS.get(merge)
    if chosen is None or chosen not in merges:
        listed = ", ".join(merges)
        ranges.refuse(en=f"merge must be one of {listed}", ko=f"merge: {listed} 가운데 하나를 고르세요")
    name = ranges.first_or(pair, "pair", named)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    subject = Subject(named, x_range, ("y", "w"), merges)
    return PathsExplorer(subject, Setting(name, chosen, x, h, bool(by_path)))
