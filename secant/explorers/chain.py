"""The explorer of lesson 2: in a chain of steps the product of the quotients is the quotient, at every h."""

import contextlib
import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import (
    controls,
    difference,
    elementwise,
    factors,
    looks,
    plots,
    ranges,
    remarks,
    words,
)
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say
from secant.quiet import quietly

Steps = Sequence[tuple[str, Function]]
MOST = len(looks.PARTS)  # steps that the picture has room for
PLACES, COUNT = 21, 65  # of an error curve: x near the chosen one, and h, four a decade
ALONE = 33  # the h for steps that take one number at a time; they get one x

LINE: Steps = (("z", lambda x: 3 * x), ("y", lambda z: z + 1), ("loss", lambda y: y**2))


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to. NaN where there is no number.

    `before` and `after` hold x and the result of each step, without and with the move; `quotients` and
    `slopes` belong to the steps. `curves` are the median errors against `grid`, one for each step and one
    for the whole.
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

    @property
    def product(self) -> float:
        return math.prod(self.quotients)

    def noise(self, i: int, k: int) -> float:
        """About how large the rounding error in the quotient of result k to result i is."""
        ends, slope = (self.before[k], self.after[k]), math.prod(self.slopes[i:k])
        size = max((abs(end) for end in ends if math.isfinite(end)), default=0.0)
        return difference.rounding(size, self.before[i], slope, self.after[i] - self.before[i])

    @property
    def errors(self) -> list[float]:
        """How far each quotient is from autograd's slope; the whole chain's comes last."""
        pairs = zip([*self.quotients, self.whole], [*self.slopes, self.gradient], strict=True)
        return [abs(quotient - slope) for quotient, slope in pairs]


class Subject:
    """A chain of steps and the range of x, with what is worked out once."""

    def __init__(self, steps: Steps, x_range: Range) -> None:
        self.names = [name for name, _ in steps]
        self.steps = [step for _, step in steps]
        self.ends = x_range
        self.together = True  # whether the steps take many numbers at once
        grid = torch.linspace(*x_range, PLACES, dtype=torch.float64)
        for i, step in enumerate(self.steps):
            found = elementwise.prepare(step, grid)
            self.steps[i], self.together = found.f, self.together and found.together
            try:
                grid = self._step(i, grid)
            except FunctionProblem:
                break
        self.curves = lru_cache(maxsize=8)(self._curves)
        self.typical_errors = elementwise.all_over(lambda x: self._curves(x)[1], x_range)
        self.factors = self._factors()

    def _step(self, i: int, x: Tensor) -> Tensor:
        """Return the result of step i, real; a problem names the step."""
        with elementwise.naming(self.names[i]):
            return difference.values(self.steps[i], x).detach().real

    def _slope(self, i: int, x: Tensor) -> Tensor:
        with elementwise.naming(self.names[i]):
            return difference.gradient(self.steps[i], x)

    def _whole(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = difference.values(step, x)
        return x

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty step."""
        reading = self._numbers(setting)
        with contextlib.suppress(FunctionProblem):
            reading.grid, reading.curves = self.curves(setting.x)
        reading.filled = (
            elementwise.any_finite(self.factors, np.array(reading.quotients)),
            elementwise.any_finite(self.typical_errors, reading.curves),
        )
        if not reading.problems:
            self._remark(reading)
        return reading

    def _numbers(self, setting: Setting) -> Reading:
        """Return the numbers, step by step, as far as the chain goes."""
        nothing = [math.nan] * len(self.steps)
        before, after = [setting.x, *nothing], [setting.x + setting.h, *nothing]
        reading = Reading(setting, before, after, [*nothing], [*nothing])
        # Both ends go through a step at once: that costs half.
        ends = torch.tensor([before[0], after[0]], dtype=torch.float64)
        start, last = ends[:1], len(self.steps)
        with reading.noting():
            for i in range(last):
                result = self._step(i, ends)
                before[i + 1], after[i + 1] = result.tolist()
                reading.quotients[i] = _quotient(reading, i, i + 1)
                with reading.noting():
                    reading.slopes[i] = self._slope(i, ends[:1]).item()
                ends = result
            reading.whole = _quotient(reading, 0, last)
            if not reading.problems:
                reading.gradient = difference.gradient(self._whole, start).item()
        return reading

    def _remark(self, reading: Reading) -> None:
        """Say what a reader should know of numbers that came out without an error."""
        names = ["x", *self.names]
        sums = np.array(reading.before) + np.array(reading.after)
        still = [i for i in range(len(self.names)) if reading.before[i] == reading.after[i]]
        if not np.isfinite(sums).all():
            name = names[int(np.argmin(np.isfinite(sums)))]
            reading.problem(
                en=f"{name} has no finite value here, so the chain has no quotient.",
                ko=f"여기서는 {name}의 값이 유한하지 않아 차분몫이 없습니다.",
            )
        elif np.isnan(reading.slopes).any():
            name = self.names[int(np.argmax(np.isnan(reading.slopes)))]
            reading.problem(
                en=f"autograd's slope of {name} is nan here, so the chain has no gradient.",
                ko=f"여기서는 autograd가 구한 {name}의 기울기가 nan이어서 사슬의 gradient가 없습니다.",
            )
        elif still and still[0] == 0:
            remarks.step_lost(
                reading, "x + h", "x", reading.setting.h,
                en=". Every quotient is 0/0.", ko="사라집니다. 차분몫은 모두 0/0이 됩니다.",
            )  # fmt: skip
        elif still:
            name, following = names[still[0]], names[still[0] + 1]
            reading.remark(
                en=f"{name} did not change. So Δ{following}/Δ{name} is 0/0 and has no meaning: "
                "the product has none, the whole quotient is 0.",
                ko=f"{name}의 값이 달라지지 않았습니다. 그래서 Δ{following}/Δ{name}의 값은 0/0이고 "
                "아무 뜻이 없습니다. 곱도 뜻이 없고, 전체 차분몫은 0입니다.",
            )
        elif reading.errors[-1] == 0:
            en, ko = (
                "The whole quotient is exactly the gradient here.",
                "여기서는 전체 차분몫이 gradient와 정확히 같습니다.",
            )
            remarks.exactly_zero(reading, en=en, ko=ko)

    def _curves(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return steps h, (k,), and the median error of each step's quotient and of the whole, (n + 1, k)."""
        near = ranges.around(x, self.ends) if self.together else (x, x)
        places = torch.linspace(*near, PLACES if self.together else 1, dtype=torch.float64)
        h = torch.logspace(*LOG_H, COUNT if self.together else ALONE, dtype=torch.float64)
        before, after = places, places + h[:, None]
        start, moved = before, after
        errors = []
        for i in range(len(self.steps)):
            slope = self._slope(i, before)
            next_before, next_after = self._step(i, before), self._step(i, after)
            errors.append((next_after - next_before) / (after - before) - slope)
            before, after = next_before, next_after
        errors.append((after - before) / (moved - start) - difference.gradient(self._whole, places))
        return h.numpy(), elementwise.median_sizes(torch.stack(errors)).numpy()

    def _factors(self) -> np.ndarray:
        """Return the quotients and slopes, all over the range and for several h, that are not 0."""
        found = []
        for x in np.linspace(*self.ends, 9).tolist():
            for h in (1e-7, 0.1, 10 ** LOG_H[1]):
                reading = self._numbers(Setting(x, h))
                if elementwise.any_finite(np.array(reading.quotients)):
                    found += [*reading.quotients, *reading.slopes, reading.whole, reading.gradient]
        return np.array([value for value in found if math.isfinite(value) and value])


def _quotient(reading: Reading, i: int, k: int) -> float:
    """Return how much result k changed for each unit that result i changed; NaN if that did not."""
    change = reading.after[i] - reading.before[i]
    return (reading.after[k] - reading.before[k]) / change if change else math.nan


class Picture:
    """The figure: the chain with a factor over each step, and how far each is from autograd's, against h."""

    def __init__(self, subject: Subject) -> None:
        self.figure, (left, right) = plots.row(2, width_ratios=(1.15, 1))
        self.left = left
        names = factors.plain(subject.names)
        self.factors = factors.FactorPlot(left, names, subject.factors)
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta/\Delta - \mathrm{autograd}\,|$")
        self.errors.set_decades(*plots.decades(subject.typical_errors, -17, 8))
        self.curves = looks.lines(right, factors.fractions(names))
        self.zeros = looks.zeros(right, self.curves)
        self.here = looks.rings(right, self.curves)

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        return [*self.factors.moving, *self.curves, *self.zeros, self.errors.step, self.here]

    def set_scene(self, reading: Reading) -> None:
        """Nothing to do: what stands still depends on the chain alone."""

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        self.factors.set_factors([*reading.quotients, reading.whole], [*reading.slopes, reading.gradient])
        curves = [*reading.curves] or [np.full_like(reading.grid, np.nan)] * len(self.curves)
        for line, zeros, curve in zip(self.curves, self.zeros, curves, strict=True):
            zeros.set_visible(len(self.errors.set_curves(zeros, [(line, reading.grid, curve)])) > 0)
        h = reading.setting.h
        self.errors.set_step(h)
        self.here.set_offsets([(h, error) for error in self.errors.inside(*reading.errors)])


class ChainExplorer(Panel[Reading]):
    """The widget that `explore_chain` returns."""

    grips = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h)
        super().__init__(lambda: Picture(subject), [(x_row, h_row)], _legend(subject.names))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        return Setting(self.x.number, controls.step_of(self.log_h))

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def rows(self) -> list[Row]:
        reading, names = self.reading, ["x", *map(html.escape, self.subject.names)]
        fraction = say(en="quotient", ko="차분몫")
        noise = reading.noise(0, len(self.subject.names))
        rows = []
        for i, (quotient, slope) in enumerate(zip(reading.quotients, reading.slopes, strict=True), 1):
            number, autograd, _ = words.compared(quotient, slope, reading.noise(i - 1, i))
            known = not (reading.problems and math.isnan(slope))
            local = f'autograd: <output class="secant-slope{i}">{autograd}</output>' if known else ""
            rows.append(Row(f"quotient{i}", f"{fraction} Δ{names[i]} / Δ{names[i - 1]}", local, number))
        multiplied = " · ".join(row.number for row in rows)
        times, *_ = words.compared(reading.product, reading.gradient, noise)
        whole_quotient, gradient, error = words.compared(reading.whole, reading.gradient, noise)
        product, whole = say(en="product of these quotients", ko="이 차분몫들의 곱"), f"Δ{names[-1]} / Δx"
        quotient_label = say(en="quotient of the whole chain", ko="사슬 전체의 차분몫")
        return [
            *rows,
            Row("product", product, multiplied, times),
            Row("quotient", quotient_label, whole, whole_quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]

    def alt(self) -> str:
        reading, names = self.reading, ["x", *self.subject.names]
        chain = " → ".join(names)
        quotients, slopes = words.rounded(reading.quotients), words.rounded(reading.slopes)
        x, h, whole, gradient = reading.setting.x, reading.setting.h, reading.whole, reading.gradient
        return say(
            en=f"Left: the chain {chain} at x = {x:.4g}, h = {h:.4g}. Quotients of the steps: {quotients}; "
            f"autograd's slopes: {slopes}. Whole quotient {whole:.4g}, gradient {gradient:.4g}. "
            f"Right: how far each quotient is from autograd's slope, against h; "
            f"for the whole chain {reading.errors[-1]:.1e} at this h.",
            ko=f"왼쪽: x = {x:.4g}, h = {h:.4g}에서 사슬 {chain}. 단계마다 구한 차분몫 {quotients}, "
            f"autograd의 기울기 {slopes}. 전체 차분몫 {whole:.4g}, gradient {gradient:.4g}. "
            f"오른쪽: 차분몫과 autograd의 기울기가 h에 따라 얼마나 떨어져 있는지. "
            f"이 h에서 사슬 전체는 {reading.errors[-1]:.1e}.",
        )


def _legend(steps: Sequence[str]) -> str:
    names = factors.fractions(["x", *map(html.escape, steps)])
    return words.legend(LEGEND, looks.entries(names, FIRST_CURVE, LAST_CURVE))


FIRST_CURVE = (
    ": its difference from autograd's slope, median near x",
    ": autograd의 기울기와의 차이, x 근처에서 구한 중앙값",
)
LAST_CURVE = ": the same for the whole chain", ": 사슬 전체에서 같은 것"
LEGEND = [
    (
        words.sample(words.bar(SECANT, 0.35)),
        "each step's quotient; far right, the whole chain's",
        "단계마다의 차분몫. 맨 오른쪽은 사슬 전체",
    ),
    (words.line(TANGENT, 3), "autograd's slope there", "그곳에서 autograd의 기울기"),
    (
        words.STEP_LINE,
        "the h you chose; a ring in a line's colour: its difference at this one x",
        "지금 고른 h. 고리는 이 x 하나의 차이이고, 색은 선과 같음",
    ),
    (
        words.sample(words.triangle(INK, down=True)),
        "at the bottom, in a line's colour: exactly 0 there",
        "맨 아래, 선과 같은 색: 그곳의 차이는 정확히 0",
    ),
]


@remembered
def explore_chain(
    steps: Steps | None = None,
    *,
    x: float | None = None,
    h: float = 1.0,
    x_range: Range = (0.0, 4.0),
) -> ChainExplorer:
    """Return sliders for x and h over a chain of steps, each with its own difference quotient.

    Left: the quotient of each step, and of the whole chain, beside autograd's slope there. Right: how far
    apart they are against h, the median over some x near the chosen one. What is wrong with a step stands in
    words above the picture, and the sliders keep working.

    Args:
        steps: up to five pairs of a name and a function of one number: `[("y", torch.sin), ("z", square)]`.
            Each gets the result of the one before, the first gets x. When left out: z = 3x, y = z + 1,
            loss = y^2.
        x: where to start, 2 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        x_range: the ends of x's slider.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    chain = [*(LINE if steps is None else steps)]
    ranges.check_named("steps", chain, MOST)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 2.0)
    with quietly():
        return ChainExplorer(Subject(chain, x_range), Setting(x, h))
