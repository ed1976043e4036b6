"""The explorer of lesson 4: a difference quotient split into the contributions of two paths."""

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

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import AMBER, INK, PURPLE, SECANT, SKY, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.functions import cube, square
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.subject import TRIAL_POINTS, memoised
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

BAR_WIDTH = 0.6  # width of the bars, which are centred at 0, 1, 2, ...
BARS = {  # the label below each bar, and the colour of the bar
    "y": (r"$\Delta_y z/h$", SKY),
    "w": (r"$\Delta_w z/h$", AMBER),
    "rest": ("$r$", PURPLE),
    "both": (r"$\Delta z/h$", SECANT),
}

PAIRS: dict[str, tuple[Function, Function]] = {"x³, x²": (cube, square)}
#: Largest remainder that counts as a rounding error, in units of one difference quotient's rounding error.
#: The remainder is computed from three quotients, so their rounding errors add up.
ROUNDINGS = 4


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls.

    Attributes:
        pair: the name of the pair of functions.
        merge: the name of the operation that combines both functions into z.
        x: the chosen x.
        h: the chosen step.
        by_path: whether each path is shown in addition to the whole quotient.
    """

    pair: str
    merge: Merge
    x: float
    h: float
    by_path: bool = True


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        parts: the quotients and the remainder, which are the heights of the bars.
        slopes: autograd's gradient through each path, and through both.
        steps: the values of h at which `rests` and `errors` are computed.
        rests: the remainder at each of `steps`, or 0 where it is only a rounding error.
        errors: the error of the whole quotient at each of `steps`.
        size: the larger of |z| at x and at x + h, from which a quotient's rounding error is estimated.
        height: the vertical limits of the bar chart.
        decades: the limits of the plot of errors.
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
        """The difference quotient of z when y and w both move."""
        return self.parts["both"]

    @property
    def error(self) -> float:
        """The distance between the difference quotient of z and autograd's gradient."""
        return abs(self.quotient - self.slopes.both)

    @property
    def noise(self) -> float:
        """The approximate rounding error of a difference quotient."""
        return difference.rounding(self.size, self.setting.x, self.slopes.both, self.setting.h)

    @property
    def rest(self) -> float:
        """The remainder, or 0 if it is only a rounding error."""
        rest = self.parts["rest"]
        return 0.0 if abs(rest) <= ROUNDINGS * self.noise else rest


class Subject(TwoPaths):
    """The pairs of functions to explore and the range of x. Results are cached for each pair."""

    def __init__(
        self,
        pairs: Mapping[str, tuple[Function, Function]],
        x_range: Range,
        letters: tuple[str, str],
        merges: Sequence[Merge],
    ) -> None:
        super().__init__(pairs, x_range, letters)
        self.merges = merges

    @memoised(8)
    def curves(self, name: str, merge: Merge, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps h, and at each of them the remainder and the error of the quotient of z.

        A remainder that is only a rounding error is returned as 0, because rounding errors are the
        subject of lesson 1.
        """
        steps, place = self.steps(name), torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, MERGED[merge], place, steps)
        slope = elementwise.or_nan(lambda t: self.slopes(name, MERGED[merge], t).both, place)
        return steps.numpy(), _beyond_rounding(parts, x, slope, steps), (parts.both - slope).abs().numpy()

    @memoised()
    def limits(self, name: str, merge: Merge) -> tuple[np.ndarray, np.ndarray]:
        """Return bar heights and errors at several x and h, for computing the limits of both plots."""
        z, levels, errors = MERGED[merge], [np.zeros(1)], [np.empty(0)]
        x = torch.linspace(*self.ends, TRIAL_POINTS, dtype=torch.float64)
        slope = elementwise.or_nan(lambda t: self.slopes(name, z, t).both, x)
        with contextlib.suppress(FunctionProblem):
            for log_h in (LOG_H[0], LOG_H[0] / 2, LOG_H[1]):
                parts = self.parts(name, z, x, torch.tensor(10.0**log_h, dtype=torch.float64))
                levels += [part.numpy() for part in (parts.y, parts.y + parts.w, parts.both, slope)]
                h = torch.full_like(x, 10.0**log_h)
                errors += [_beyond_rounding(parts, x, slope, h), (parts.both - slope).abs().numpy()]
        return np.concatenate(levels), np.concatenate(errors)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored functions is recorded as a problem instead of being raised.
        """
        reading = Reading(setting)
        name, merge = setting.pair, setting.merge
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        levels, errors = self.limits(name, merge)
        reading.height, reading.decades = plots.limits(levels), plots.decades(errors, -18, 12)
        with reading.collecting_problems():
            parts = self.parts(name, MERGED[merge], x, h)
            reading.size = parts.size.item()
            reading.parts = {column: getattr(parts, column).item() for column in BARS}
            reading.steps, reading.rests, reading.errors = self.curves(name, merge, setting.x)
            reading.slopes = Slopes(*(slope.item() for slope in self.slopes(name, MERGED[merge], x)))
        # Both plots are shown or hidden together. Whenever there are bars, there is also a remainder to plot,
        # even if it is 0.
        reading.visible_axes = (elementwise.any_finite(errors, reading.rests),) * 2
        return reading.with_remarks(_remark)


def _beyond_rounding(parts: Parts, x: Tensor | float, slope: Tensor, h: Tensor) -> np.ndarray:
    """Return the absolute remainders at each x or h, of shape (k,). Mere rounding errors become 0."""
    x_tensor = torch.as_tensor(x, dtype=torch.float64)
    numbers = torch.broadcast_tensors(parts.size, x_tensor, slope, h)
    noise = [
        difference.rounding(*(number.item() for number in column)) for column in zip(*numbers, strict=True)
    ]
    rest = parts.rest.abs().numpy()
    return np.where(rest <= ROUNDINGS * np.array(noise), 0.0, rest)


def _remark(reading: Reading) -> None:
    x, h = reading.setting.x, reading.setting.h
    if not all(map(math.isfinite, reading.parts.values())):
        reading.problem(**REMARKS["value"], x=x, x_plus_h=x + h)
    elif not math.isfinite(reading.slopes.both):
        remarks.no_gradient(reading, x, reading.slopes.both)
    elif not reading.setting.by_path:
        return
    elif reading.parts["rest"] and not reading.rest:
        reading.remark(**REMARKS["rounding"], rest=reading.parts["rest"])
    elif reading.setting.merge == "×":
        reading.remark(**REMARKS["times"])


class StackedBars:
    """A bar chart in which a dotted line joins the top of each bar to the foot of the next."""

    def __init__(self, axes: Axes, bars: Mapping[str, tuple[str, str]]) -> None:
        """Prepare the axes.

        Args:
            axes: the axes to draw in.
            bars: for each bar's key, the label below the bar and its colour.
        """
        self.axes = axes
        self.x_limits: Range = (-BAR_WIDTH, len(bars) - 1 + BAR_WIDTH)
        axes.set_xlim(self.x_limits)
        axes.set_xticks(range(len(bars)), [label for label, _ in bars.values()])
        axes.grid(visible=False, axis="x")
        self.bars = {
            key: Rectangle((i - BAR_WIDTH / 2, 0), BAR_WIDTH, 0, fc=color, ec=INK, lw=1)
            for i, (key, (_, color)) in enumerate(bars.items())
        }
        for bar in self.bars.values():
            axes.add_patch(bar)
        axes.axhline(0, color=INK, lw=1)
        (self.joints,) = axes.plot([], [], color=INK, lw=1, ls=":")
        self.moving: list[Artist] = [*self.bars.values(), self.joints]

    def set_heights(self, heights: Sequence[float]) -> None:
        """Set the heights of the bars; a bar is hidden if its height is not finite.

        The last height is that of the whole difference quotient.
        """
        tops = np.cumsum(heights[:-1])
        starts = [0.0, *tops[:-1], 0.0]
        for bar, start, height in zip(self.bars.values(), starts, heights, strict=True):
            bar.set_y(start if math.isfinite(start) else 0.0)
            bar.set_height(height if math.isfinite(height) else 0.0)
        half_width = BAR_WIDTH / 2
        gaps = [[i + half_width, i + 1 - half_width, math.nan] for i in range(len(tops))]
        self.joints.set_data(np.ravel(gaps), np.repeat(tops, 3))


class Picture:
    """The figure: a bar chart of the quotient's parts, and a plot of the remainder and the error."""

    def __init__(self) -> None:
        self.figure, (left, right) = plots.row(2)
        self.left = left
        left.set_ylabel(r"$\Delta z/h$")
        self.stack = StackedBars(left, BARS)
        self.bars = self.stack.bars
        # The line of the gradient spans the whole plot. A marker on the first bar shows the part of the
        # gradient that comes through y.
        self.gradient = plots.line(self.stack, TANGENT, 2.2, plots.DASHES, label="$dz/dx$", zorder=4)
        self.through_y = plots.marker(
            self.stack, "D", TANGENT, size=8, hollow=True, label=r"$y'\,\partial z/\partial y$"
        )
        self.plot = plots.ErrorPlot(right, r"$|r|,\ |\Delta z/h - dz/dx|$", LOG_H, tick_step=1, pad=0.2)
        self.rests = plots.line(self.plot, PURPLE, 1.4, "-.", marker="s", ms=4, label="$|r|$")
        self.errors = plots.line(self.plot, SECANT, 2, label=r"$|\Delta z/h - dz/dx|$", zorder=3)
        self.zeros = plots.marker(self.plot, "v", PURPLE, size=5)
        self.rest = plots.marker(self.plot, "s", PURPLE, size=9, hollow=True, label="$h$")
        self.error = plots.marker(self.plot, "o", SECANT, size=8)
        self.moving = [*self.stack.moving, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the limits of both plots, which are the same for every x and h."""
        self.left.set_ylim(*reading.height)
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        is_split = reading.setting.by_path
        parts = {
            key: value if is_split or key == "both" else math.nan for key, value in reading.parts.items()
        }
        self.stack.set_heights([*parts.values()])
        self.gradient.set_data(self.stack.x_limits, [reading.slopes.both] * 2)
        self.through_y.set_data([0], [reading.slopes.y if is_split else math.nan])
        rests = reading.rests if is_split else np.empty(0)
        zeros = self.plot.set_curves(self.zeros, reading.steps, (self.rests, rests))
        # If some remainders are 0, the others are hardly larger than rounding errors. All remainders are then
        # drawn as separate points, because a line would suggest a trend.
        self.rests.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.errors.set_data(reading.steps, np.where(reading.errors == 0, math.nan, reading.errors))
        rest = abs(reading.rest) if is_split else math.nan
        self.plot.set_step(reading.setting.h, (self.rest, rest), (self.error, reading.error))


class PathsExplorer(Panel[Reading]):
    """The widget that `explore_paths` returns."""

    arguments = ("pair", "merge", "by_path", "x", "h")
    drag_controls = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.pair = controls.choice("y, w", list(subject.pairs), start.pair)
        merges = [(_formula(merge, "y", "w"), merge) for merge in subject.merges]
        self.merge = controls.choice("z", merges, start.merge)
        parts = [(text, name == "paths") for text, name in texts.options(__file__, "by_path")]
        self.by_path = controls.choice(say(en="show", ko="보기"), parts, start.by_path)
        rows = [(self.pair, self.merge, self.by_path), self.x_and_h(start, subject)]
        super().__init__(subject, start, Picture, rows, LEGEND)

    def alt(self) -> str:
        if self.setting.by_path:
            return super().alt()
        return texts.alt(__file__, "alt_whole").format(**self.alt_fields())

    def alt_fields(self) -> dict[str, Any]:
        return {**super().alt_fields(), "z": _formula(self.setting.merge, "y", "w")}

    def rows(self) -> list[Row]:
        reading = self.reading
        parts, slopes, merge = reading.parts, reading.slopes, reading.setting.merge
        quotient, gradient, error = words.compared_digits(reading.quotient, slopes.both, reading.noise)
        rest = words.quotient_digits(reading.rest, reading.noise)

        def format_part(key: str, slope: float) -> str:
            part, limit, _ = words.compared_digits(parts[key], slope, reading.noise)
            if reading.problems and math.isnan(slope):
                return part
            return f'{part} → <span class="secant-path-{key}">{limit}</span>'

        ends = ("y(x+h)", "w"), ("y", "w(x+h)"), ("y(x+h)", "w(x+h)")
        y, w, both_ends = (f"({_formula(merge, *point)} − z) / h" for point in ends)
        paths = [
            self.row("y", y, format_part("y", slopes.y)),
            self.row("w", w, format_part("w", slopes.w)),
            self.row("rest", "→ 0", rest),
        ]
        return [
            *(paths if reading.setting.by_path else []),
            self.row("quotient", both_ends, quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]


def _formula(merge: Merge, y: str, w: str) -> str:
    """Return the formula for z in terms of y and w, as text."""
    return FORMULAS[merge].format(y=y, w=w)


REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {key: words.sample(words.bar(color)) for key, (_, color) in BARS.items()},
    {
        "gradient": words.line(TANGENT, 2.5, "7 4", words.diamond(TANGENT)),
        "rests": words.line(PURPLE, 1.5, "6 2 2 2", words.square(PURPLE)),
        "errors": words.line(SECANT, 2),
        "h": words.line(INK, 1.5, "2 2", words.frame(PURPLE)) + words.sample(words.disc(SECANT, 3.5, SECANT)),
    },
)


@with_call
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
    """Return an explorer with sliders for x and h that splits a difference quotient by path.

    The quotient is that of z(y(x), w(x)), where x acts on z by two paths: through y and through w. The left
    plot shows the quotient of z when only y moves, the quotient when only w moves, the remainder, and the
    quotient when both move. It also shows autograd's gradient. The right plot shows the remainder and the
    error of the whole quotient, against h.

    Args:
        pairs: two functions of x, called y and w, or a dict from names to such pairs. By default x^3 and
            x^2.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 5. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 1e-6 to 1.
        merge: how z depends on y and w: "+", "×" (or "*"), or "log y + √w". By default "+" for given pairs,
            and "log y + √w" for x^3 and x^2.
        pair: the name of the initially selected pair, by default the first.
        by_path: whether each path is initially shown in addition to the whole quotient.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_pair = PAIRS if pairs is None else ranges.pairs_by_name("explore_paths", pairs, ("y", "w"))
    merges: list[Merge] = ["log y + √w", "×", "+"] if pairs is None else ["+", "×"]
    merge_name = merges[0] if merge is None else SPELLINGS.get(merge)
    if merge_name is None or merge_name not in merges:
        merge_names = ", ".join(merges)
        ranges.refuse(
            en=f"merge must be one of {merge_names}", ko=f"merge: {merge_names} 가운데 하나를 고르세요"
        )
    name = ranges.first_or(pair, "pair", functions_by_pair)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    subject = Subject(functions_by_pair, x_range, ("y", "w"), merges)
    return PathsExplorer(subject, Setting(name, merge_name, x, h, bool(by_path)))
