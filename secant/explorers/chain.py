"""The explorer of lesson 2: the difference quotients of a chain of functions.

At every h, the quotient of the whole chain is the product of the quotients of its steps.
"""

import contextlib
import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from torch import Tensor

from secant.explorers.kit import (
    controls,
    difference,
    elementwise,
    line_styles,
    plots,
    ranges,
    remarks,
    texts,
    words,
)
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.subject import memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say
from secant.quiet import quietly

Steps = Sequence[tuple[str, Function]]
# Number of x values near the chosen one over which the median error is taken, and number of h values in an
# error curve (four per decade).
MEDIAN_POINTS, COUNT = 21, 65
# Number of h values in an error curve if a step of the chain accepts only one number at a time. The errors
# are then computed at a single x.
SINGLE_COUNT = 33
MAX_STEPS = len(line_styles.PARTS)  # maximum number of steps that fit into the figure
# Vertical position, in axes fractions, at which the chain is drawn: between the plot and its labels.
STRIP = -0.053
BOX: dict[str, Any] = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": INK, "lw": 1.2}

LINE: Steps = (("z", lambda x: 3 * x), ("y", lambda z: z + 1), ("loss", lambda y: y**2))


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls.

    Attributes:
        x: the chosen x.
        h: the chosen step.
        by_step: whether each step is shown in addition to the whole chain.
    """

    x: float
    h: float
    by_step: bool = True


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    Attributes:
        setting: the values of the controls.
        before: x, and the result of each step if the chain starts at x.
        after: x + h, and the result of each step if the chain starts at x + h.
        quotients: the difference quotient of each step.
        slopes: autograd's slope of each step.
        whole: the difference quotient of the whole chain.
        gradient: autograd's gradient of the whole chain.
        grid: the values of h at which `curves` are computed.
        curves: the median errors at each of `grid`. Each row belongs to one step; the last row belongs to the
            whole chain.
    """

    setting: Setting
    before: list[float]
    after: list[float]
    quotients: list[float]
    slopes: list[float]
    whole: float = math.nan
    gradient: float = math.nan
    grid: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def quotient(self, i: int, k: int) -> float:
        """Return the difference quotient of result k with respect to result i; NaN if result i is unchanged.

        Result 0 is x, and the others are the results of the steps.
        """
        change = self.after[i] - self.before[i]
        return (self.after[k] - self.before[k]) / change if change else math.nan

    @property
    def product(self) -> float:
        """The product of the steps' quotients."""
        return math.prod(self.quotients)

    def noise(self, i: int, k: int) -> float:
        """Return the approximate rounding error of the quotient of result k with respect to result i."""
        size, slope = difference.largest(self.before[k], self.after[k]), math.prod(self.slopes[i:k])
        return difference.rounding(size, self.before[i], slope, self.after[i] - self.before[i])

    @property
    def errors(self) -> list[float]:
        """The distances of the difference quotients from autograd's slopes.

        There is one distance for each step of the chain, followed by one for the whole chain.
        """
        pairs = zip([*self.quotients, self.whole], [*self.slopes, self.gradient], strict=True)
        return [abs(quotient - slope) for quotient, slope in pairs]


class Subject:
    """A chain of steps and the range of x. Results are cached."""

    def __init__(self, steps: Steps, x_range: Range) -> None:
        self.names = [name for name, _ in steps]
        self.steps = [step for _, step in steps]
        self.ends, self.log_h = x_range, LOG_H
        self.is_vectorised = True  # whether every step accepts many numbers at once
        grid = torch.linspace(*x_range, MEDIAN_POINTS, dtype=torch.float64)
        for i, step in enumerate(self.steps):
            prepared = elementwise.prepare(step, grid)
            self.steps[i], self.is_vectorised = prepared.f, self.is_vectorised and prepared.is_vectorised
            try:
                grid = self.step(i, grid)
            except FunctionProblem:
                break
        self.typical_errors = elementwise.sample_range(lambda x: self.curves(x)[1:], x_range)
        self.factors = self._factors()

    def step(self, i: int, x: Tensor) -> Tensor:
        """Return the real part of step i's result at x.

        Raises:
            FunctionProblem: if the step fails; the message begins with the step's name.
        """
        with elementwise.prefix_problems(self.names[i]):
            return difference.values(self.steps[i], x).detach().real

    def slope(self, i: int, x: Tensor) -> Tensor:
        """Return autograd's slope of step i at x.

        Raises:
            FunctionProblem: if the slope cannot be computed; the message begins with the step's name.
        """
        with elementwise.prefix_problems(self.names[i]):
            return difference.gradient(self.steps[i], x)

    def whole(self, x: Tensor) -> Tensor:
        """Return the result of the whole chain at x."""
        for step in self.steps:
            x = difference.values(step, x)
        return x

    @memoised(8)
    def curves(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return values of h, and the median errors of the difference quotients at each h.

        The values have shape (k,). The errors have shape (n + 1, k): one row for each of the n steps, and a
        last row for the whole chain.
        """
        x_range = ranges.around(x, self.ends) if self.is_vectorised else (x, x)
        points = torch.linspace(*x_range, MEDIAN_POINTS if self.is_vectorised else 1, dtype=torch.float64)
        h = torch.logspace(*LOG_H, COUNT if self.is_vectorised else SINGLE_COUNT, dtype=torch.float64)
        before, after = points, points + h[:, None]
        start, end = before, after
        errors = []
        for i in range(len(self.steps)):
            slope = self.slope(i, before)
            next_before, next_after = self.step(i, before), self.step(i, after)
            errors.append((next_after - next_before) / (after - before) - slope)
            before, after = next_before, next_after
        errors.append((after - before) / (end - start) - difference.gradient(self.whole, points))
        return h.numpy(), elementwise.median_sizes(torch.stack(errors)).numpy()

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in a step of the chain is recorded as a problem instead of being raised.
        """
        reading = self._numbers(setting)
        with contextlib.suppress(FunctionProblem):
            reading.grid, reading.curves = self.curves(setting.x)
        factors = elementwise.any_finite(self.factors, np.array(reading.quotients))
        reading.visible_axes = factors, elementwise.any_finite(self.typical_errors, reading.curves)
        return reading.with_remarks(self._remark)

    def _numbers(self, setting: Setting) -> Reading:
        """Compute the quotients and slopes step by step, up to the first step that fails."""
        nans = [math.nan] * len(self.steps)
        before, after = [setting.x, *nans], [setting.x + setting.h, *nans]
        reading = Reading(setting, before, after, [*nans], [*nans])
        # Each step is called only once, with the numbers for x and for x + h together, because two calls
        # would take twice as long.
        ends = torch.tensor([before[0], after[0]], dtype=torch.float64)
        start, step_count = ends[:1], len(self.steps)
        with reading.collecting_problems():
            for i in range(step_count):
                result = self.step(i, ends)
                before[i + 1], after[i + 1] = result.tolist()
                reading.quotients[i] = reading.quotient(i, i + 1)
                with reading.collecting_problems():
                    reading.slopes[i] = self.slope(i, ends[:1]).item()
                ends = result
            reading.whole = reading.quotient(0, step_count)
            if not reading.problems:
                reading.gradient = difference.gradient(self.whole, start).item()
        return reading

    def _remark(self, reading: Reading) -> None:
        names = ["x", *self.names]
        sums = np.array(reading.before) + np.array(reading.after)
        unchanged = [i for i in range(len(self.names)) if reading.before[i] == reading.after[i]]
        if not np.isfinite(sums).all():
            name = names[int(np.argmin(np.isfinite(sums)))]
            reading.problem(**REMARKS["value"], name=name)
        elif np.isnan(reading.slopes).any():
            name = self.names[int(np.argmax(np.isnan(reading.slopes)))]
            reading.problem(**REMARKS["slope"], name=name)
        elif not np.isfinite([*reading.slopes, reading.gradient]).all():
            remarks.infinite_slope(
                reading, dict(zip(self.names, reading.slopes, strict=True)), reading.gradient
            )
        elif unchanged and unchanged[0] == 0:
            remarks.step_lost(reading, "x + h", "x", reading.setting.h, **REMARKS["lost"])
        elif unchanged:
            reading.remark(**REMARKS["still"], name=names[unchanged[0]], next=names[unchanged[0] + 1])
        elif not np.isfinite([*reading.quotients, reading.product, reading.whole]).all():
            reading.remark(**REMARKS["large"])
        elif reading.errors[-1] == 0:
            remarks.exactly_zero(reading, **REMARKS["same"])

    def _factors(self) -> np.ndarray:
        """Return all nonzero, finite quotients and slopes at several values of x and h."""
        factors = []
        for x in np.linspace(*self.ends, 9).tolist():
            for h in (1e-7, 0.1, 10 ** LOG_H[1]):
                reading = self._numbers(Setting(x, h))
                if elementwise.any_finite(np.array(reading.quotients)):
                    factors += [*reading.quotients, *reading.slopes, reading.whole, reading.gradient]
        return np.array([value for value in factors if math.isfinite(value) and value])


class FactorPlot:
    """A plot of a chain's quotients as bars and of its slopes as dashes. The chain itself is drawn below."""

    def __init__(self, axes: Axes, names: Sequence[str], typical: np.ndarray) -> None:
        """Prepare the axes.

        Args:
            axes: the axes to draw in.
            names: the names in the chain, "x" first.
            typical: typical quotients and slopes, excluding zeros, from which the axis limits are computed.
        """
        self.axes = axes
        count = len(names) - 1
        self.columns = np.array([i + 0.5 for i in range(count)] + [count + 0.9])
        axes.set_xlim(-0.25, count + 1.4)
        axes.set_xticks(self.columns, fractions(names), parse_math=False)
        axes.tick_params(axis="x", length=0, pad=24)
        axes.grid(axis="x", visible=False)
        axes.axvline(count + 0.4, color=INK, lw=0.8, ls=":", zorder=1)
        self._set_heights(*_factor_range(typical))
        self._draw_chain(names)
        self.moving: list[Artist] = []
        self.bars = plots.line(
            self, SECANT, 18, alpha=0.35, solid_capstyle="butt", zorder=2, label=r"$\Delta/\Delta$"
        )
        self.slopes = plots.marker(self, "_", TANGENT, size=30, label="autograd")

    def _set_heights(self, low: float, high: float, negative: bool) -> None:
        self.top = high
        self.bottom = -high if negative else 0.0
        self.axes.set_yscale("symlog", linthresh=low)
        self.axes.set_ylim(self.bottom, self.top)
        ticks = _powers(low, high)
        self.axes.set_yticks([*(-t for t in reversed(ticks) if negative), 0, *ticks])
        self.axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
        self.axes.minorticks_off()
        self.axes.axhline(0, color=INK, lw=1, zorder=1)

    def _draw_chain(self, names: Sequence[str]) -> None:
        transform = self.axes.get_xaxis_transform()  # x in data coordinates, y in axes fractions
        text_style: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False, "zorder": 6}
        arrow = {"arrowstyle": "->", "color": INK}
        for i, name in enumerate(names):
            self.axes.text(i, STRIP, name, transform=transform, bbox=BOX, **text_style)
            if i:
                ends = (i - 0.24, STRIP), (i - 0.76, STRIP)
                self.axes.annotate("", *ends, xycoords=transform, textcoords=transform, arrowprops=arrow)

    def set_factors(self, quotients: Sequence[float], slopes: Sequence[float]) -> None:
        """Set the bars to the quotients and the dashes to the slopes.

        The last quotient and the last slope are those of the whole chain.
        """
        clipped = np.clip(quotients, self.bottom or -np.inf, self.top)
        gap = np.full_like(clipped, np.nan)
        heights = np.stack([np.zeros_like(clipped), clipped, gap], axis=1).ravel()
        self.bars.set_data(np.repeat(self.columns, 3), heights)
        self.slopes.set_data(self.columns, slopes)


def _factor_range(factors: np.ndarray) -> tuple[float, float, bool]:
    """Return two powers of ten that enclose most absolute values, and whether any value is negative."""
    if not len(factors):
        return 1.0, 10.0, True
    sizes = np.abs(factors)
    # The largest 2 % of the values are ignored, because they come from a pole of the function.
    high = math.ceil(math.log10(np.quantile(sizes, 0.98)) + 0.1)
    low = math.floor(math.log10(np.quantile(sizes, 0.1)))
    return 10.0 ** min(max(low, high - 5), high - 1), 10.0**high, bool((factors < 0).any())


def _powers(low: float, high: float) -> list[float]:
    """Return at most five powers of ten, evenly spaced, from `low` to at most `high`."""
    first, last = round(math.log10(low)), round(math.log10(high))
    stride = max(1, math.ceil((last - first + 1) / 5))
    return [10.0**k for k in range(first, last + 1, stride)]


def drawable(names: Sequence[str]) -> list[str]:
    """Return "x" and the names of the results.

    A name that the font may not support is replaced by a number, such as "(2)".
    """
    return ["x", *(name if name.isascii() else f"({i})" for i, name in enumerate(names, 1))]


def fractions(names: Sequence[str]) -> list[str]:
    """Return the labels of the quotients, such as "Δz/Δx".

    Each label pairs a name with the previous one, and a final label pairs the last name with the first.
    """
    return [f"Δ{above}/Δ{below}" for below, above in [*itertools.pairwise(names), (names[0], names[-1])]]


class Picture:
    """The figure: the chain with difference quotients above its steps, and their errors against h."""

    def __init__(self, subject: Subject) -> None:
        self.figure, (left, right) = plots.row(2, width_ratios=(1.15, 1))
        self.left = left
        names = drawable(subject.names)
        self.factors = FactorPlot(left, names, subject.factors)
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta/\Delta - \mathrm{autograd}\,|$")
        self.errors.set_decades(*plots.decades(subject.typical_errors, -17, 8))
        self.curves = line_styles.lines(self.errors, fractions(names))
        self.zeros = line_styles.zeros(self.errors, self.curves)
        self.current_error = line_styles.rings(self.errors, self.curves)
        self.moving = [*self.factors.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Do nothing: the static part of the figure depends only on the chain, which never changes."""

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        is_hidden = np.array([not reading.setting.by_step] * len(reading.quotients) + [False])
        quotients, slopes = [*reading.quotients, reading.whole], [*reading.slopes, reading.gradient]
        bars, dashes = (np.where(is_hidden, np.nan, numbers).tolist() for numbers in (quotients, slopes))
        self.factors.set_factors(bars, dashes)
        curves = np.array([*reading.curves] or np.full((len(self.curves), len(reading.grid)), np.nan))
        curves[is_hidden] = np.nan
        for line, zeros, curve in zip(self.curves, self.zeros, curves, strict=True):
            zeros.set_visible(len(self.errors.set_curves(zeros, reading.grid, (line, curve))) > 0)
        self.errors.set_step(h := reading.setting.h)
        errors = self.errors.clip_errors(*np.where(is_hidden, np.nan, reading.errors))
        self.current_error.set_offsets([(h, error) for error in errors])


class ChainExplorer(Panel[Reading]):
    """The widget that `explore_chain` returns."""

    arguments = ("by_step", "x", "h")
    drag_controls = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.names = [*map(html.escape, subject.names)]
        left, (first, last) = LEGEND
        curves = line_styles.entries(fractions(["x", *self.names]), first[1:], last[1:])
        parts = [(text, name == "steps") for text, name in texts.options(__file__, "by_step")]
        self.by_step = controls.choice(say(en="show", ko="보기"), parts, start.by_step)
        rows = [(self.by_step,), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, [left, curves])

    def alt(self) -> str:
        if self.setting.by_step:
            return super().alt()
        return texts.alt(__file__, "alt_whole").format(**self.alt_fields())

    def alt_fields(self) -> dict[str, Any]:
        chain, error = " → ".join(["x", *self.subject.names]), self.reading.errors[-1]
        quotients, slopes = map(words.rounded, (self.reading.quotients, self.reading.slopes))
        return {
            **super().alt_fields(),
            "chain": chain,
            "quotients": quotients,
            "slopes": slopes,
            "error": error,
        }

    def rows(self) -> list[Row]:
        reading, names = self.reading, ["x", *self.names]
        fraction = say(en="quotient", ko="차분몫")
        noise = reading.noise(0, len(self.names))
        rows = []
        for i, (quotient, slope) in enumerate(zip(reading.quotients, reading.slopes, strict=True), 1):
            number, autograd, _ = words.compared_digits(quotient, slope, reading.noise(i - 1, i))
            is_known = not (reading.problems and math.isnan(slope))
            local_slope = f'autograd: <output class="secant-slope{i}">{autograd}</output>' if is_known else ""
            rows.append(Row(f"quotient{i}", f"{fraction} Δ{names[i]} / Δ{names[i - 1]}", local_slope, number))
        times, *_ = words.compared_digits(reading.product, reading.gradient, noise)
        whole_quotient, gradient, error = words.compared_digits(reading.whole, reading.gradient, noise)
        product = self.row("product", " · ".join(row.number for row in rows), times)
        return [
            *([*rows, product] if reading.setting.by_step else []),
            self.row("quotient", f"Δ{names[-1]} / Δx", whole_quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]


REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {
        "quotient": words.sample(words.bar(SECANT, 0.35)),
        "slope": words.line(TANGENT, 3),
        "h": words.STEP_LINE,
        "zero": words.sample(words.triangle(INK, down=True)),
    },
    {"first": "", "last": ""},
)


@with_call
def explore_chain(
    steps: Steps | None = None,
    *,
    x: float | None = None,
    h: float = 1.0,
    x_range: Range = (0.0, 4.0),
    by_step: bool = True,
) -> ChainExplorer:
    """Return an explorer with sliders for x and h that shows a difference quotient for each step of a chain.

    The left plot shows the quotient of each step and of the whole chain, and autograd's slopes. The right
    plot shows the distance of each quotient from autograd's slope, against h. Each distance is the median
    over x values near the chosen one.

    Args:
        steps: one to five pairs of a name and a function, such as `[("y", torch.sin), ("z", square)]`. The
            first function gets x, and each of the others gets the previous result. By default z = 3x,
            y = z + 1, loss = y^2.
        x: the initial x, by default 2. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 10**-15.5 to 10**0.5.
        x_range: the smallest and the largest x on the slider.
        by_step: whether each step is initially shown in addition to the whole chain.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    chain = [*(LINE if steps is None else steps)]
    ranges.check_named("steps", chain, MAX_STEPS)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 2.0)
    with quietly():
        return ChainExplorer(Subject(chain, x_range), Setting(x, h, bool(by_step)))
