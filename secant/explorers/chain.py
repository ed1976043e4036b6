"""The explorer of lesson 2: in a chain of steps the product of the quotients is the quotient, at every h."""

import contextlib
import html
import math
from typing import Any

import numpy as np
import torch

from secant.explorers.kit import (
    beside,
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
from secant.explorers.kit.difference import FunctionProblem
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.steps import Chain, Reading, Setting, Steps
from secant.explorers.kit.widget import Panel
from secant.explorers.kit.words import Row
from secant.language import say
from secant.quiet import quietly

MOST = len(looks.PARTS)  # steps that the picture has room for

LINE: Steps = (("z", lambda x: 3 * x), ("y", lambda z: z + 1), ("loss", lambda y: y**2))


class Subject(Chain):
    """A chain of steps and the range of x, with what is worked out once."""

    def __init__(self, steps: Steps, x_range: Range) -> None:
        super().__init__(steps, x_range)
        self.typical_errors = elementwise.all_over(lambda x: self.curves(x)[1:], x_range)
        self.factors = self._factors()

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty step."""
        reading = self._numbers(setting)
        with contextlib.suppress(FunctionProblem):
            reading.grid, reading.curves = self.curves(setting.x)
        factors = elementwise.any_finite(self.factors, np.array(reading.quotients))
        reading.filled = factors, elementwise.any_finite(self.typical_errors, reading.curves)
        return reading.with_remarks(self._remark)

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
                result = self.step(i, ends)
                before[i + 1], after[i + 1] = result.tolist()
                reading.quotients[i] = reading.quotient(i, i + 1)
                with reading.noting():
                    reading.slopes[i] = self.slope(i, ends[:1]).item()
                ends = result
            reading.whole = reading.quotient(0, last)
            if not reading.problems:
                reading.gradient = difference.gradient(self.whole, start).item()
        return reading

    def _remark(self, reading: Reading) -> None:
        """Say what a reader should know of numbers that came out without an error."""
        names = ["x", *self.names]
        sums = np.array(reading.before) + np.array(reading.after)
        still = [i for i in range(len(self.names)) if reading.before[i] == reading.after[i]]
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
        elif still and still[0] == 0:
            remarks.step_lost(reading, "x + h", "x", reading.setting.h, **REMARKS["lost"])
        elif still:
            reading.remark(**REMARKS["still"], name=names[still[0]], next=names[still[0] + 1])
        elif not np.isfinite([*reading.quotients, reading.product, reading.whole]).all():
            reading.remark(**REMARKS["large"])
        elif reading.errors[-1] == 0:
            remarks.exactly_zero(reading, **REMARKS["same"])

    def _factors(self) -> np.ndarray:
        """Return the quotients and slopes, all over the range and for several h, that are not 0."""
        found = []
        for x in np.linspace(*self.ends, 9).tolist():
            for h in (1e-7, 0.1, 10 ** LOG_H[1]):
                reading = self._numbers(Setting(x, h))
                if elementwise.any_finite(np.array(reading.quotients)):
                    found += [*reading.quotients, *reading.slopes, reading.whole, reading.gradient]
        return np.array([value for value in found if math.isfinite(value) and value])


class Picture:
    """The figure: the chain with a factor over each step, and how far each is from autograd's, against h."""

    def __init__(self, subject: Subject) -> None:
        self.figure, (left, right) = plots.row(2, width_ratios=(1.15, 1))
        self.left = left
        names = factors.plain(subject.names)
        self.factors = factors.FactorPlot(left, names, subject.factors)
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta/\Delta - \mathrm{autograd}\,|$")
        self.errors.set_decades(*plots.decades(subject.typical_errors, -17, 8))
        self.curves = looks.lines(self.errors, factors.fractions(names))
        self.zeros = looks.zeros(self.errors, self.curves)
        self.here = looks.rings(self.errors, self.curves)
        self.moving = [*self.factors.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Nothing to do: what stands still depends on the chain alone."""

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        hidden = np.array([not reading.setting.by_step] * len(reading.quotients) + [False])
        quotients, slopes = [*reading.quotients, reading.whole], [*reading.slopes, reading.gradient]
        bars, dashes = (np.where(hidden, np.nan, numbers).tolist() for numbers in (quotients, slopes))
        self.factors.set_factors(bars, dashes)
        curves = np.array([*reading.curves] or np.full((len(self.curves), len(reading.grid)), np.nan))
        curves[hidden] = np.nan
        for line, zeros, curve in zip(self.curves, self.zeros, curves, strict=True):
            zeros.set_visible(len(self.errors.set_curves(zeros, reading.grid, (line, curve))) > 0)
        self.errors.set_step(h := reading.setting.h)
        errors = self.errors.inside(*np.where(hidden, np.nan, reading.errors))
        self.here.set_offsets([(h, error) for error in errors])


class ChainExplorer(Panel[Reading]):
    """The widget that `explore_chain` returns."""

    arguments = ("by_step", "x", "h")
    grips = (("", ""), ("h", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.names = [*map(html.escape, subject.names)]
        left, (first, last) = LEGEND
        curves = looks.entries(factors.fractions(["x", *self.names]), first[1:], last[1:])
        parts = [(text, name == "steps") for text, name in beside.options(__file__, "by_step")]
        self.by_step = controls.choice(say(en="show", ko="보기"), parts, start.by_step)
        rows = [(self.by_step,), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, [left, curves])

    def alt(self) -> str:
        if self.setting.by_step:
            return super().alt()
        return beside.alt(__file__, "alt_whole").format(**self.told())

    def told(self) -> dict[str, Any]:
        chain, error = " → ".join(["x", *self.subject.names]), self.reading.errors[-1]
        quotients, slopes = map(words.rounded, (self.reading.quotients, self.reading.slopes))
        return {**super().told(), "chain": chain, "quotients": quotients, "slopes": slopes, "error": error}

    def rows(self) -> list[Row]:
        reading, names = self.reading, ["x", *self.names]
        fraction = say(en="quotient", ko="차분몫")
        noise = reading.noise(0, len(self.names))
        rows = []
        for i, (quotient, slope) in enumerate(zip(reading.quotients, reading.slopes, strict=True), 1):
            number, autograd, _ = words.compared(quotient, slope, reading.noise(i - 1, i))
            known = not (reading.problems and math.isnan(slope))
            local = f'autograd: <output class="secant-slope{i}">{autograd}</output>' if known else ""
            rows.append(Row(f"quotient{i}", f"{fraction} Δ{names[i]} / Δ{names[i - 1]}", local, number))
        times, *_ = words.compared(reading.product, reading.gradient, noise)
        whole_quotient, gradient, error = words.compared(reading.whole, reading.gradient, noise)
        product = self.row("product", " · ".join(row.number for row in rows), times)
        return [
            *([*rows, product] if reading.setting.by_step else []),
            self.row("quotient", f"Δ{names[-1]} / Δx", whole_quotient),
            words.gradient_row(gradient),
            words.error_row(error, reading.setting.h),
        ]


REMARKS = beside.remarks(__file__)
LEGEND = beside.legend(
    __file__,
    {
        "quotient": words.sample(words.bar(SECANT, 0.35)),
        "slope": words.line(TANGENT, 3),
        "h": words.STEP_LINE,
        "zero": words.sample(words.triangle(INK, down=True)),
    },
    {"first": "", "last": ""},
)


@remembered
def explore_chain(
    steps: Steps | None = None,
    *,
    x: float | None = None,
    h: float = 1.0,
    x_range: Range = (0.0, 4.0),
    by_step: bool = True,
) -> ChainExplorer:
    """Return sliders for x and h over a chain of steps, each with its own difference quotient.

    Left: the quotient of each step, and of the whole chain, beside autograd's slope there. Right: how far
    apart they are against h, the median over some x near the chosen one.

    Args:
        steps: up to five pairs of a name and a function of one number: `[("y", torch.sin), ("z", square)]`.
            Each gets the result of the one before, the first gets x. When left out: z = 3x, y = z + 1,
            loss = y^2.
        x: where to start, 2 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        x_range: the ends of x's slider.
        by_step: whether to begin with each step, or with the whole chain alone.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    chain = [*(LINE if steps is None else steps)]
    ranges.check_named("steps", chain, MOST)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 2.0)
    with quietly():
        return ChainExplorer(Subject(chain, x_range), Setting(x, h, bool(by_step)))
