"""The explorer of lesson 3: backward() adds to .grad, so .grad sums all slopes since the last reset."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, Functions
from secant.explorers.kit.functions import cube, square
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import POINTS, Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel, State
from secant.explorers.kit.words import Row
from secant.language import say

# Maximum number of backward() calls. More of them could not be distinguished in the plot, and would take too
# long to recompute in each frame.
MAX_CALLS = 12
# Horizontal distance between the last stem and the marker of the last call's slope. At distance 0, the stem
# would hide the marker.
SLOPE_OFFSET = 0.2
MAX_NAME_LENGTH = 7  # maximum length, in characters, of a function name shown below the number of a call

FUNCTIONS: dict[str, Function] = {"x²": square, "x³": cube}


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls."""

    calls: Sequence[str]
    x: float
    h: float


@dataclass
class Reading(Findings):
    """The numbers computed for a setting of the controls.

    S is the sum of the functions called so far. A function that is called twice is added twice.

    Attributes:
        setting: the values of the controls.
        x: the chosen x.
        x_plus_h: the point x + h.
        h: the chosen step.
        calls: the names of the called functions, except those that failed.
        grads: x.grad after each call.
        quotients: the difference quotient of S after each call.
        heights: the values of S after the last call, at x and at x + h.
        last: the slope of the last function called, without the earlier slopes.
    """

    setting: Setting
    x: float
    x_plus_h: float
    h: float
    calls: list[str] = field(default_factory=list)
    grads: list[float] = field(default_factory=list)
    quotients: list[float] = field(default_factory=list)
    heights: tuple[float, float] = (math.nan, math.nan)
    last: float = math.nan

    @property
    def gradient(self) -> float:
        """The value of x.grad after the last call, or NaN if there were no calls."""
        return self.grads[-1] if self.grads else math.nan

    @property
    def quotient(self) -> float:
        """The difference quotient of the sum of all called functions; NaN if no function was called."""
        return self.quotients[-1] if self.quotients else math.nan


class Subject(Subjects):
    """The functions that can be called, and the range of x."""

    def read(self, setting: Setting) -> Reading:
        """Call the functions in order on a fresh leaf at x, each followed by backward().

        A call that fails does not change the leaf's .grad.
        """
        leaf = torch.tensor(setting.x, dtype=torch.float64, requires_grad=True)
        place = leaf.detach()
        x_plus_h = place + setting.h
        reading = Reading(setting, setting.x, x_plus_h.item(), setting.h)

        @cache
        def evaluate(name: str) -> tuple[float, float, float]:
            """Return f(x), f(x + h) and f'(x) for the named function f; the leaf's .grad does not change."""
            f = self.prepared(name).single
            heights = difference.number(f, place), difference.number(f, x_plus_h)
            return *heights, difference.gradient(f, place).item()

        sum_at_x, sum_at_end, step = 0.0, 0.0, (x_plus_h - place).item()
        for name in setting.calls:
            with reading.collecting_problems(), elementwise.prefix_problems(name):
                height, end_height, slope = evaluate(name)
                difference.add_slope(self.prepared(name).single, leaf)
                assert leaf.grad is not None
                sum_at_x, sum_at_end, reading.last = sum_at_x + height, sum_at_end + end_height, slope
                reading.calls.append(name)
                reading.grads.append(leaf.grad.item())
                reading.quotients.append((sum_at_end - sum_at_x) / step if step else math.nan)
                reading.heights = sum_at_x, sum_at_end
        _, heights, slopes = self.sums(tuple(reading.calls))
        has_curve = elementwise.any_finite(heights) if reading.calls else not reading.problems
        reading.visible_axes = (
            has_curve,
            has_curve and elementwise.any_finite(slopes, np.array(reading.grads)),
        )
        return reading.with_remarks(_remark)

    @memoised()
    def sums(self, calls: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x values, the sum of all called functions at each x, and the slopes of the partial sums.

        For n x values and k calls, the arrays have the shapes (n,), (n,) and (k, n). Each row of slopes
        belongs to one call: it holds, for each x, the slope of the sum of the functions called up to then. If
        there are no calls, the sum is NaN and the slopes are a single row of zeros.
        """
        x = np.linspace(*ranges.padded(self.ends), POINTS)
        if not calls:
            return x, np.full_like(x, np.nan), np.zeros((1, POINTS))
        heights = [np.interp(x, *self.curve(name)) for name in calls]
        slopes = [np.interp(x, self.curve(name)[0], self.slopes(name)) for name in calls]
        return x, np.sum(heights, axis=0), np.cumsum(slopes, axis=0)


def _remark(reading: Reading) -> None:
    if not reading.calls:
        reading.remark(**REMARKS["none"])
    elif not (math.isfinite(reading.heights[0]) and math.isfinite(reading.gradient)):
        # If the sum of the called functions is finite at other x values, a nan at this x is explained in a
        # remark, because it illustrates the lesson: x.grad stays nan, whatever is added. Otherwise, nan is
        # reported as a problem.
        note = reading.remark if all(reading.visible_axes) else reading.problem
        note(**REMARKS["nan"], x=reading.x)
    elif reading.x_plus_h == reading.x:
        remarks.step_lost(reading, "x + h", "x", reading.h, **REMARKS["lost"])
    elif len(reading.calls) >= MAX_CALLS:
        reading.remark(**REMARKS["most"], most=MAX_CALLS)


class StemPlot:
    """A stem plot of x.grad after each call, with difference quotients and the slope of the last call."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        axes.set_xlabel("$k$")
        axes.set_ylabel("x.grad", family="monospace")
        axes.axhline(0, color=INK, lw=0.8, zorder=1)
        self.moving: list[Artist] = []
        # All stems are a single line with gaps, because more artists would slow down every frame.
        heads: dict[str, Any] = {"marker": "o", "ms": 7, "markevery": (1, 3)}
        self.stems = plots.line(self, TANGENT, 2.5, **heads, label="x.grad", zorder=3)
        self.quotients = plots.marker(self, "D", SECANT, size=12, hollow=True, label=r"$\Delta S/\Delta x$")
        self.last = plots.marker(self, "s", GREEN, size=7, label="$f'(x)$")

    def set_calls(self, names: Sequence[str], *heights: np.ndarray) -> None:
        """Set a tick for each call, and vertical limits that include zero and all of the given values."""
        count = len(names)
        labels = [name if len(name) <= MAX_NAME_LENGTH else "" for name in names]
        self.axes.set_xticks(range(1, count + 1), [f"{k}\n{name}" for k, name in enumerate(labels, 1)])
        self.axes.set_xlim(0.4, max(count, 3) + 0.6)
        self.axes.set_ylim(*plots.limits(np.concatenate([np.zeros(1), *map(np.ravel, heights)])))

    def set_heights(self, grads: Sequence[float], quotients: Sequence[float], last: float) -> None:
        """Update the stems and quotients, one for each call, and the slope of the last call."""
        calls = np.arange(1, len(grads) + 1)
        gaps = np.full(len(calls), np.nan)
        heights = np.stack([np.zeros(len(calls)), np.array(grads), gaps], 1).ravel()
        self.stems.set_data(np.repeat(calls, 3), heights)
        self.quotients.set_data(calls, quotients)
        self.last.set_data(calls[-1:] + SLOPE_OFFSET, [last] * len(calls[-1:]))


class Picture:
    """The figure: the sum of the called functions with a secant and a tangent, and x.grad after each call."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, self.right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "S", quotient=r"$\Delta S/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        self.plot = StemPlot(self.right)
        self.stems, self.quotients, self.last = self.plot.stems, self.plot.quotients, self.plot.last
        self.moving = [*self.function.moving, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the static part of the figure: the sum's curve, all axis limits, and one tick per call."""
        x, y, slopes = self.subject.sums(tuple(reading.calls))
        self.function.set_curve(x, y)
        # The limits include the last call's own slope, because it is drawn next to the accumulated slopes.
        self.plot.set_calls(reading.calls, slopes, np.diff(slopes, axis=0, prepend=0)[-1])

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        ends, heights = (reading.x, reading.x_plus_h), reading.heights
        self.function.set_lines((ends[0], heights[0]), reading.quotient, reading.gradient, ends, heights)
        self.plot.set_heights(reading.grads, reading.quotients, reading.last)


class BufferExplorer(Panel[Reading]):
    """The widget that `explore_buffer` returns; `calls` names the functions called since the last reset."""

    drag_controls = (("x", ""), ("", ""))

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.calls = [*start.calls]
        calls = {name: partial(self._call, name) for name in subject.functions}
        self.buttons = {name: controls.button(f"({name}).backward()", call) for name, call in calls.items()}
        self.reset = controls.button(
            "x.grad = None", self._empty, say(en="empty the buffer", ko="버퍼 비우기")
        )
        rows = [(*self.buttons.values(), self.reset), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    @property
    def state(self) -> dict[str, Any]:
        return {**super().state, "calls": [*self.calls]}

    def choose(self, state: State) -> None:
        self.calls = [*state.get("calls", self.calls)]
        super().choose(state)
        self.update()

    def _call(self, name: str) -> None:
        self.calls = [*self.calls, name][:MAX_CALLS]
        self.update()

    def _empty(self) -> None:
        self.calls.clear()
        self.update()

    def scene(self) -> tuple[str, ...]:
        return tuple(self.reading.calls)

    def rows(self) -> list[Row]:
        reading = self.reading
        names = [html.escape(name) for name in reading.calls]
        quotient = error = last = "—"
        gradient = "None"
        if names:
            size, step = difference.largest(*reading.heights), reading.x_plus_h - reading.x
            noise = difference.rounding(size, reading.x, reading.gradient, step)
            quotient, gradient, error = words.compared_digits(reading.quotient, reading.gradient, noise)
            last = words.digits(reading.last)
        return [
            self.row("calls", "S", " + ".join(names) or "—"),
            self.row("quotient", "(S(x+h) − S(x)) / ((x+h) − x)", quotient),
            self.row("gradient", "x.grad", gradient),
            words.error_row(error, reading.h),
            self.row("last", f"({names[-1]})′" if names else "", last),
        ]

    def alt_fields(self) -> dict[str, Any]:
        calls, grads = ", ".join(self.reading.calls), words.rounded(self.reading.grads)
        return {**super().alt_fields(), "calls": calls, "held": grads}

    def alt(self) -> str:
        if self.reading.calls:
            return super().alt()
        return say(**REMARKS["empty"])


STEM = words.line(TANGENT, 2.5, mark=words.disc(TANGENT, 3.5, TANGENT))
REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {**words.LINES, "secant": words.SECANT_LINE + words.sample(words.diamond(SECANT))},
    {
        "grads": STEM,
        "quotients": words.sample(words.diamond(SECANT)),
        "last": words.sample(words.square(GREEN)),
    },
)


@with_call
def explore_buffer(
    functions: Functions | None = None,
    *,
    x_range: Range = (-3.0, 3.0),
    x: float | None = None,
    h: float = 1.0,
    calls: Sequence[str] | None = None,
) -> BufferExplorer:
    """Return an explorer that shows x.grad, with buttons that call backward() and sliders for x and h.

    Initially, each function has been called once, in order. The calls are actually executed. When x moves,
    they are repeated on a fresh leaf. The left plot shows the sum of the functions called since the last
    reset, its secant, and a line with the slope x.grad. The right plot shows x.grad after each call, next to
    the difference quotient of the sum of the functions called so far.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default x^2 and
            x^3.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 2. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 10**-15.5 to 10**0.5.
        calls: the names of the functions initially called, in order. By default each function is called once.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore_buffer", functions, FUNCTIONS)
    calls = list(functions_by_name)[:MAX_CALLS] if calls is None else calls
    if not len(calls) <= MAX_CALLS:
        ranges.refuse(en=f"calls can have at most {MAX_CALLS} entries", ko=f"calls는 {MAX_CALLS}개까지입니다")
    for name in calls:
        ranges.check_choice("calls", name, functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 2.0)
    return BufferExplorer(Subject(functions_by_name, x_range), Setting(calls, x, h))
