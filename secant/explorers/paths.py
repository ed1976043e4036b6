"""The explorer of lesson 4: a quotient taken apart by the paths that lead to the result."""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, two_paths, words
from secant.explorers.kit.bars import StackedBars
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import AMBER, INK, PURPLE, SECANT, SKY, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.functions import cube, log_of_cube, root_of_square, square
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

Pair = tuple[Function, Function]
Merge = Literal["+", "×"]
MERGED: dict[Merge, two_paths.Merge] = {"+": torch.add, "×": torch.mul}
SPELLINGS: dict[str, Merge] = {"+": "+", "×": "×", "*": "×", "x": "×"}

LOG_H = (-6.0, 0.0)  # below, rounding takes over: that is the story of lesson 1
STEPS, FEW_STEPS = 49, 13  # h of the curves; the second for functions that take one x at a time
PLACES = 25  # x that limits are taken from
BARS = {  # what stands below each, and its colour
    "y": (r"$\Delta_y z/h$", SKY),
    "w": (r"$\Delta_w z/h$", AMBER),
    "rest": ("$r$", PURPLE),
    "both": (r"$\Delta z/h$", SECANT),
}

PAIRS: dict[str, Pair] = {"log x³, √x²": (log_of_cube, root_of_square), "x³, x²": (cube, square)}


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    name: str
    merge: Merge
    x: float
    h: float


@dataclass(frozen=True)
class Slopes:
    """Autograd's gradient of z: through y alone, through w alone, and the whole."""

    y: float = math.nan
    w: float = math.nan
    both: float = math.nan


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `size` is that of z, which decides how many digits of a quotient are right.
    """

    setting: Setting
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BARS, math.nan))
    slopes: Slopes = Slopes()
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


class Subject:
    """The pairs of functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, pairs: Mapping[str, Pair], x_range: Range) -> None:
        self.pairs = dict(pairs)
        self.ends = x_range
        self.prepared = cache(self._prepared)
        self.limits = cache(self._limits)
        self.curves = lru_cache(maxsize=8)(self._curves)

    def _prepared(self, name: str) -> tuple[Function, Function, int]:
        """Return both functions, elementwise, and how many h their curves can afford."""
        grid = torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        y, w = (elementwise.prepare(f, grid) for f in self.pairs[name])
        steps = STEPS if y.together and w.together else FEW_STEPS
        f, g = (elementwise.named_in_problems(label, found.f) for label, found in (("y", y), ("w", w)))
        return f, g, steps

    def parts(self, name: str, merge: Merge, x: Tensor, h: Tensor) -> two_paths.Parts:
        """Return the quotients at each x and h, which broadcast."""
        f, g, _ = self.prepared(name)
        return two_paths.parts(MERGED[merge], f, g, x, h)

    def slopes(self, name: str, merge: Merge, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return autograd's gradient at each x: through y alone, through w alone, and the whole."""
        f, g, _ = self.prepared(name)
        return two_paths.slopes(MERGED[merge], f, g, x)

    def _curves(self, name: str, merge: Merge, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps, and for each what is left over and the error of the whole quotient."""
        steps = torch.logspace(*LOG_H, self.prepared(name)[2], dtype=torch.float64)
        place = torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, merge, place, steps)
        slope = elementwise.or_nan(lambda t: self.slopes(name, merge, t)[2], place)
        return steps.numpy(), parts.rest.abs().numpy(), (parts.both - slope).abs().numpy()

    def _limits(self, name: str, merge: Merge) -> tuple[np.ndarray, np.ndarray]:
        """Return heights of bars and errors, all over the range of x and h."""
        levels, errors = [np.zeros(1)], [np.empty(0)]
        x = torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        slope = elementwise.or_nan(lambda t: self.slopes(name, merge, t)[2], x)
        with contextlib.suppress(FunctionProblem):
            for log_h in (LOG_H[0], LOG_H[0] / 2, LOG_H[1]):
                parts = self.parts(name, merge, x, torch.tensor(10.0**log_h, dtype=torch.float64))
                levels += [part.numpy() for part in (parts.y, parts.y + parts.w, parts.both, slope)]
                errors += [parts.rest.abs().numpy(), (parts.both - slope).abs().numpy()]
        return np.concatenate(levels), np.concatenate(errors)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        name, merge = setting.name, setting.merge
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        levels, errors = self.limits(name, merge)
        reading.height, reading.decades = plots.limits(levels), plots.decades(errors, -18, 12)
        with reading.noting():
            parts = self.parts(name, merge, x, h)
            reading.size = parts.size.item()
            reading.parts = {column: getattr(parts, column).item() for column in BARS}
            reading.steps, reading.rests, reading.errors = self.curves(name, merge, setting.x)
            reading.slopes = Slopes(*(slope.item() for slope in self.slopes(name, merge, x)))
        # Where there are bars there is something left over, be it 0.
        reading.filled = (elementwise.any_finite(errors, reading.rests),) * 2
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    x, h = reading.setting.x, reading.setting.h
    if not all(map(math.isfinite, reading.parts.values())):
        where = f"x = {x:g}, x + h = {x + h:g}"
        reading.problem(
            en=f"y or w has no finite value at one of the two places, {where}: there is no quotient.",
            ko=f"두 점 {where} 가운데 어느 곳에서 y나 w의 값이 유한하지 않아 차분몫이 없습니다.",
        )
    elif not math.isfinite(reading.slopes.both):
        reading.problem(
            en=f"At x = {x:g} autograd's gradient is {reading.slopes.both}.",
            ko=f"x = {x:g}에서 autograd의 gradient가 {reading.slopes.both}입니다.",
        )
    elif reading.setting.merge == "+":
        reading.remark(
            en="With + the two parts add up to the whole at every h. What is left over is rounding. Where "
            "the last digit of z is off, that digit is divided by h: these ■ lie on a line that rises as h "
            "falls. Elsewhere r is 0 (▼), or the last digit of the quotient: flat, whatever h is.",
            ko="+로 합치면 h가 얼마든 두 조각의 합이 전체입니다. 나머지는 반올림 오차뿐입니다. z의 "
            "끝자리가 어긋난 곳에서는 그만큼을 h로 나눈 값이라서, 이런 ■는 h가 작아질수록 높아지는 직선 "
            "위에 있습니다. "
            "어긋나지 않은 곳에서는 r이 0이거나(▼) 차분몫의 끝자리만큼이라서 h와 상관없이 낮습니다.",
        )
    else:
        reading.remark(
            en="With × something is left over: Δy Δw / h. A tenth of h leaves about a tenth of it.",
            ko="×로 합치면 Δy Δw / h가 남습니다. h가 10분의 1이 되면 나머지도 약 10분의 1이 됩니다.",
        )


class Picture:
    """Left, the parts of the quotient as bars, each begun where the one before ends; right, what vanishes."""

    def __init__(self) -> None:
        self.figure, (left, right) = plots.row(2)
        self.left = left
        left.set_ylabel(r"$\Delta z/h$")
        self.stack = StackedBars(left, BARS)
        self.bars = self.stack.bars
        # The gradient from edge to edge; then, over the first bar, the part of it that comes through y.
        (self.gradient,) = left.plot(
            [], [], color=TANGENT, lw=2.2, ls=plots.DASHES, label="$dz/dx$", zorder=4
        )
        self.through_y = plots.marker(
            left, "D", TANGENT, size=8, hollow=True, label=r"$y'\,\partial z/\partial y$"
        )
        self.plot = plots.ErrorPlot(right, r"$|r|,\ |\Delta z/h - dz/dx|$", LOG_H, every=1, pad=0.2)
        (self.rests,) = right.plot([], [], color=PURPLE, lw=1.4, ls="-.", marker="s", ms=4, label="$|r|$")
        (self.errors,) = right.plot([], [], color=SECANT, lw=2, label=r"$|\Delta z/h - dz/dx|$", zorder=3)
        self.zeros = plots.marker(right, "v", PURPLE, size=5)
        self.rest = plots.marker(right, "s", PURPLE, size=9, hollow=True, label="$h$")
        self.error = plots.marker(right, "o", SECANT, size=8, label="_")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        left = [*self.stack.moving, self.gradient, self.through_y]
        return [*left, self.rests, self.errors, self.zeros, self.plot.step, self.rest, self.error]

    def set_scene(self, reading: Reading) -> None:
        """Set the limits, which hold for every x and h."""
        self.left.set_ylim(*reading.height)
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        self.stack.set_heights([*reading.parts.values()])
        self.gradient.set_data(self.stack.across, [reading.slopes.both] * 2)
        self.through_y.set_data([0], [reading.slopes.y])

        zeros = self.plot.set_curves(self.zeros, [(self.rests, reading.steps, reading.rests)])
        # Among zeros the rest is rounding: points, with no line to suggest a rule.
        self.rests.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.errors.set_data(reading.steps, np.where(reading.errors == 0, math.nan, reading.errors))
        h = reading.setting.h
        self.plot.set_step(h)
        self.plot.set_marks(self.rest, h, abs(reading.parts["rest"]))
        self.plot.set_marks(self.error, h, reading.error)


class PathsExplorer(Panel[Reading]):
    """The widget that `explore_paths` returns."""

    arguments = ("pair", "merge", "x", "h")
    grips = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.pair = controls.choice("y, w", list(subject.pairs), start.name)
        self.merge = controls.choice("z", [("y + w", "+"), ("y × w", "×")], start.merge)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h, LOG_H)
        super().__init__(Picture, [[self.pair, self.merge], [x_row, h_row]], words.legend(*LEGEND))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, h = self.x.number, controls.step_of(self.log_h)
        return Setting(self.pair.value, self.merge.value, x, h)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> tuple[str, str]:
        return self.pair.value, self.merge.value

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

        y, w, both = (
            f"({y} {merge} {w} − z) / h" for y, w in (("y(x+h)", "w"), ("y", "w(x+h)"), ("y(x+h)", "w(x+h)"))
        )
        return [
            Row("y", say(en="only y moves", ko="y만 움직일 때"), y, towards("y", slopes.y)),
            Row("w", say(en="only w moves", ko="w만 움직일 때"), w, towards("w", slopes.w)),
            Row("rest", say(en="left over, r", ko="나머지 r"), "→ 0", rest),
            Row("quotient", say(en="both move", ko="둘 다 움직일 때"), both, quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]

    def alt(self) -> str:
        setting, parts, slopes = self.reading.setting, self.reading.parts, self.reading.slopes
        y, w, rest, both = (f"{part:.4g}" for part in parts.values())
        what = f"z = y {setting.merge} w, (y, w) = ({setting.name})"
        return say(
            en=f"Left: {what}, x = {setting.x:.4g}, h = {setting.h:.2g}. Bars: only y {y}, only w {w}, left "
            f"over {rest}, both {both}; a dashed line at autograd's gradient {slopes.both:.4g}. Right: what "
            "is left over, and the difference from the gradient, against h.",
            ko=f"왼쪽: {what}, x = {setting.x:.4g}, h = {setting.h:.2g}. 막대: y만 {y}, w만 {w}, "
            f"나머지 {rest}, 둘 다 {both}. autograd의 gradient {slopes.both:.4g}에 파선. "
            "오른쪽: h에 따른 나머지, 그리고 gradient와의 차이.",
        )


DASHED = words.line(TANGENT, 2.5, "7 4", words.diamond(TANGENT))
RESTS = words.line(PURPLE, 1.5, "6 2 2 2", words.square(PURPLE))
CHOSEN = words.line(INK, 1.5, "2 2", words.frame(PURPLE)) + words.sample(words.disc(SECANT, 3.5, SECANT))
LEGEND = (
    [
        (words.sample(words.bar(color)), en, ko)
        for color, en, ko in (
            (SKY, "Δ<sub>y</sub>z / h: only y moves", "Δ<sub>y</sub>z / h: y만 움직일 때"),
            (AMBER, "Δ<sub>w</sub>z / h: only w moves", "Δ<sub>w</sub>z / h: w만 움직일 때"),
            (PURPLE, "r: what these two leave over", "r: 앞의 둘을 빼고 남는 나머지"),
            (SECANT, "Δz / h: both move", "Δz / h: 둘 다 움직일 때"),
        )
    ],
    [
        (
            DASHED,
            "autograd's gradient; ◇ its part through y",
            "autograd의 gradient. ◇는 그중 y를 거쳐 온 부분",
        ),
        (RESTS, "size of r at every h (▼: exactly 0)", "h마다 나머지 r의 크기 (▼: 정확히 0)"),
        (words.line(SECANT, 2), "difference between Δz / h and the gradient", "Δz / h와 gradient의 차이"),
        (CHOSEN, "both at the h you chose", "지금 고른 h에서의 두 값"),
    ],
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

    Left: the quotient of z when only y moves, when only w moves, what is left over, and when both move,
    beside autograd's gradient. Right: what is left over, and the error of the whole quotient, against h.

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
        ranges.refuse(en='merge is "+" or "×"', ko='merge는 "+" 또는 "×"입니다')
    name = ranges.first_or(pair, "pair", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 5.0)
    return PathsExplorer(Subject(named, x_range), Setting(name, SPELLINGS[merge], x, h))
