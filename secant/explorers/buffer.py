"""The explorer of lesson 3: backward() adds, so .grad is the slope of all that was called since the reset."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import cube, square
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.widget import Findings, Panel, State
from secant.explorers.kit.words import Row, digits
from secant.language import say

MOST = 12  # calls: more would not be told apart in the picture, nor be made within a frame
POINTS, FEW_POINTS = 401, 101  # of a curve; the few for a function that takes one x at a time
BESIDE = 0.2  # how far from the last call's stem its own slope stands, which may be hidden else
LONGEST = 7  # letters of a name below its call in the picture


FUNCTIONS: dict[str, Function] = {"x²": square, "x³": cube}


@dataclass
class Reading(Findings):
    """What the controls come to.

    `calls` are those that worked; `grads` holds x.grad after each of them, `quotients` the difference
    quotient of the sum up to there, `last` the slope of the last one alone. `heights` are those of the sum of
    all, at x and at x + h.
    """

    x: float
    there: float
    h: float
    calls: list[str] = field(default_factory=list)
    grads: list[float] = field(default_factory=list)
    quotients: list[float] = field(default_factory=list)
    heights: tuple[float, float] = (math.nan, math.nan)
    last: float = math.nan

    @property
    def gradient(self) -> float:
        return self.grads[-1] if self.grads else math.nan

    @property
    def quotient(self) -> float:
        return self.quotients[-1] if self.quotients else math.nan


class Subject:
    """The functions that may be called and the range of x."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        self.functions = dict(functions)
        self.ends = x_range
        self.curve = cache(self._curve)
        self.sums = cache(self._sums)

    def read(self, calls: Sequence[str], x: float, h: float) -> Reading:
        """Make the calls, in order, on one fresh leaf at x. A call that fails adds nothing to it."""
        leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        place = leaf.detach()
        there = place + h
        reading = Reading(x, there.item(), h)
        look = cache(partial(self._look, place=place, there=there))
        here_sum = there_sum = 0.0
        step = (there - place).item()
        for name in calls:
            try:
                here, beyond, slope = look(name)
                difference.add_slope(self.functions[name], leaf)
            except FunctionProblem as problem:
                if (found := f"{name}: {problem}") not in reading.problems:
                    reading.problems.append(found)
                continue
            here_sum, there_sum, reading.last = here_sum + here, there_sum + beyond, slope
            assert leaf.grad is not None
            reading.calls.append(name)
            reading.grads.append(leaf.grad.item())
            reading.quotients.append((there_sum - here_sum) / step if step else math.nan)
        if reading.calls:
            reading.heights = here_sum, there_sum
            _, heights, slopes = self.sums(tuple(reading.calls))
            there_is = elementwise.any_finite(heights)
            reading.filled = there_is, there_is and elementwise.any_finite(slopes, np.array(reading.grads))
        else:
            reading.filled = (not reading.problems,) * 2
        if not reading.problems:
            _remark(reading)
        return reading

    def _look(self, name: str, place: Tensor, there: Tensor) -> tuple[float, float, float]:
        """Return f(x), f(x + h) and f'(x), the last by a backward() of its own.

        Raises:
            FunctionProblem: if there is no such thing.
        """
        f = self.functions[name]
        return difference.number(f, place), difference.number(f, there), difference.gradient(f, place).item()

    def _curve(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, f(x) and f'(x) to draw; NaN where f fails."""
        few, many = (
            torch.linspace(*ranges.padded(self.ends), count, dtype=torch.float64)
            for count in (FEW_POINTS, POINTS)
        )
        found = elementwise.prepare(self.functions[name], few)
        x = many if found.together else few
        slope = partial(difference.gradient, found.f)
        return *elementwise.sampled(found.f, x), elementwise.sampled(slope, x)[1]

    def _sums(self, calls: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, the sum of all called functions there, and (n, k) its slope after each call."""
        x = np.linspace(*ranges.padded(self.ends), POINTS)
        if not calls:
            return x, np.full_like(x, np.nan), np.zeros((1, POINTS))
        curves = [self.curve(name) for name in calls]
        heights = [np.interp(x, *curve[:2]) for curve in curves]
        slopes = [np.interp(x, curve[0], curve[2]) for curve in curves]
        return x, np.sum(heights, axis=0), np.cumsum(slopes, axis=0)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    if not reading.calls:
        reading.remark(
            en="No backward() since the reset: x.grad is None, and there is no sum to compare it with.",
            ko="비운 뒤로 backward()를 부르지 않았습니다. x.grad는 None이고, 비교할 합도 없습니다.",
        )
    elif not (math.isfinite(reading.heights[0]) and math.isfinite(reading.gradient)):
        # Where there are numbers elsewhere nan is what the buffer teaches; else the function is at fault.
        note = reading.remark if all(reading.filled) else reading.problem
        note(
            en=f"At x = {reading.x:g} the sum or its slope is not finite. Once nan is in the buffer, "
            "no further call gets it out.",
            ko=f"x = {reading.x:g}에서 합이나 그 기울기가 유한하지 않습니다. "
            "nan이 한번 버퍼에 들어가면 더 불러도 없어지지 않습니다.",
        )
    elif reading.there == reading.x:
        en = ", and the quotient is 0/0. x.grad does not care: it has no h."
        ko = "사라지고 차분몫은 0/0이 됩니다. x.grad에는 h가 없으므로 아무 상관이 없습니다."
        remarks.step_lost(reading, "x + h", "x", reading.h, en=en, ko=ko)
    elif len(reading.calls) >= MOST:
        reading.remark(
            en=f"{MOST} calls are enough for one picture: empty the buffer to go on.",
            ko=f"한 그림에는 {MOST}번이면 충분합니다. 계속하려면 버퍼를 비우세요.",
        )


class Picture:
    """The figure: the sum with its secant and tangent, and what the buffer held after each call."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.right = right
        right.set_xlabel("$k$")
        right.set_ylabel("x.grad", family="monospace")
        right.axhline(0, color=INK, lw=0.8, zorder=1)
        self.function = plots.FunctionPlot(
            left, "S", quotient=r"$\Delta S/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        # One line with gaps for all stems: each artist costs time in every frame.
        (self.stems,) = right.plot(
            [], [], color=TANGENT, lw=2.5, marker="o", ms=7, markevery=(1, 3), label="x.grad", zorder=3
        )
        self.quotients = plots.marker(right, "D", SECANT, size=12, hollow=True, label=r"$\Delta S/\Delta x$")
        self.last = plots.marker(right, "s", GREEN, size=7, label="$f'(x)$")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        return [*self.function.moving, self.stems, self.quotients, self.last]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve of the sum, both pairs of limits, a tick for each call."""
        x, y, slopes = self.subject.sums(tuple(reading.calls))
        self.function.set_curve(x, y)
        count = len(reading.calls)
        names = [name if len(name) <= LONGEST else "" for name in reading.calls]
        self.right.set_xticks(range(1, count + 1), [f"{k}\n{name}" for k, name in enumerate(names, 1)])
        self.right.set_xlim(0.4, max(count, 3) + 0.6)
        # Zero is where the stems stand, and a slope alone is drawn beside the sums.
        shown = np.concatenate([slopes.ravel(), np.diff(slopes, axis=0, prepend=0)[-1], [0.0]])
        self.right.set_ylim(*plots.limits(shown))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        ends, heights = (reading.x, reading.there), reading.heights
        self.function.set_lines((ends[0], heights[0]), reading.quotient, reading.gradient, ends, heights)
        calls = np.arange(1, len(reading.calls) + 1)
        grads = np.array(reading.grads)
        gaps = np.full(len(calls), np.nan)
        self.stems.set_data(np.repeat(calls, 3), np.stack([np.zeros_like(grads), grads, gaps], 1).ravel())
        self.quotients.set_data(calls, reading.quotients)
        self.last.set_data(calls[-1:] + BESIDE, [reading.last] * len(calls[-1:]))


class BufferExplorer(Panel[Reading]):
    """The widget that `explore_buffer` returns. `calls` are the functions called since the last reset."""

    grips = (("x", ""), ("", ""))

    def __init__(self, subject: Subject, calls: Sequence[str], x: float, h: float) -> None:
        self.subject = subject
        self.calls = [*calls]
        self.x, x_row = controls.slider("x", x, subject.ends)
        self.log_h, h_row = controls.step_slider(h)
        self.buttons = {name: controls.button(f"({name}).backward()") for name in subject.functions}
        self.reset = controls.button("x.grad = None")
        self.reset.tooltip = say(en="empty the buffer", ko="버퍼 비우기")
        for name, button in self.buttons.items():
            button.on_click(partial(self._call, name))
        self.reset.on_click(self._empty)
        rows = [(*self.buttons.values(), self.reset), (x_row, h_row)]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    @property
    def state(self) -> dict[str, Any]:
        return {**super().state, "calls": [*self.calls]}

    def choose(self, state: State) -> None:
        self.calls = [*state.get("calls", self.calls)]
        super().choose(state)
        self.update()

    def _call(self, name: str, _: object) -> None:
        if len(self.calls) < MOST:
            self.calls.append(name)
        self.update()

    def _empty(self, _: object) -> None:
        self.calls.clear()
        self.update()

    def read(self) -> Reading:
        return self.subject.read(self.calls, self.x.number, controls.step_of(self.log_h))

    def scene(self) -> tuple[str, ...]:
        return tuple(self.reading.calls)

    def rows(self) -> list[Row]:
        reading = self.reading
        called = [html.escape(name) for name in reading.calls]
        quotient = error = last = "—"
        gradient = "None"
        if called:
            size = max(map(abs, reading.heights))
            noise = difference.rounding(size, reading.x, reading.gradient, reading.there - reading.x)
            quotient, gradient, error = words.compared(reading.quotient, reading.gradient, noise)
            last = digits(reading.last)
        alone = f"({called[-1]})′" if called else ""
        since = say(en="called since the reset", ko="비운 뒤 부른 함수")
        of_the_sum = say(en="difference quotient of the sum", ko="합의 차분몫")
        return [
            Row("calls", since, "S", " + ".join(called) or "—"),
            Row("quotient", of_the_sum, "(S(x+h) − S(x)) / ((x+h) − x)", quotient),
            Row("gradient", say(en="the buffer", ko="버퍼"), "x.grad", gradient),
            words.error_row(error, reading.h),
            Row("last", say(en="slope of the last call alone", ko="마지막 호출만의 기울기"), alone, last),
        ]

    def alt(self) -> str:
        reading = self.reading
        if not reading.calls:
            return say(
                en="Both pictures are empty: no backward() since the reset, and x.grad is None.",
                ko="두 그림 모두 비어 있습니다. 비운 뒤로 backward()를 부르지 않았고 x.grad는 None입니다.",
            )
        quotient, gradient = f"{reading.quotient:.4g}", f"{reading.gradient:.4g}"
        calls = ", ".join(reading.calls)
        held = ", ".join(f"{grad:.4g}" for grad in reading.grads)
        return say(
            en=f"Left: the sum of {calls} at x = {reading.x:.4g} with a secant of slope {quotient} and a "
            f"line of slope x.grad = {gradient}. Right: x.grad after each call: {held}; the last call alone "
            f"has the slope {reading.last:.4g}.",
            ko=f"왼쪽: x = {reading.x:.4g}에서 {calls}의 합, 기울기 {quotient}인 할선과 "
            f"기울기 x.grad = {gradient}인 직선. 오른쪽: 호출할 때마다의 x.grad: {held}. "
            f"마지막 호출만의 기울기는 {reading.last:.4g}.",
        )


SUM_SECANT = words.SECANT_LINE + words.sample(words.diamond(SECANT))
STEM = words.line(TANGENT, 2.5, mark=words.disc(TANGENT, 3.5, TANGENT))
QUOTIENT, LAST = words.sample(words.diamond(SECANT)), words.sample(words.square(GREEN))
LEGEND = (
    [
        (
            words.CURVE_LINE,
            "S, the sum of all functions called since the reset",
            "S, 비운 뒤 부른 함수를 모두 더한 합",
        ),
        (SUM_SECANT, "secant of S through x and x + h", "x와 x + h를 지나는 S의 할선"),
        (words.TANGENT_LINE, "line of slope x.grad through x", "x를 지나고 기울기가 x.grad인 직선"),
    ],
    [
        (STEM, "x.grad after call 1, 2, 3, ...", "1, 2, 3, ...번째 호출 뒤의 x.grad"),
        (QUOTIENT, "quotient of the sum up to that call", "그 호출까지 더한 합의 차분몫"),
        (LAST, "slope of the last call alone", "마지막 호출만의 기울기"),
    ],
)


@remembered
def explore_buffer(
    functions: Functions | None = None,
    *,
    x_range: Range = (-3.0, 3.0),
    x: float | None = None,
    h: float = 1.0,
    calls: Sequence[str] | None = None,
) -> BufferExplorer:
    """Return buttons that call backward(), sliders for x and h, and a picture of what x.grad then holds.

    At the start each function has been called once, in order. Every call is really made, on a fresh leaf
    whenever x moves. Left: the sum of the functions called since the reset, its secant, and a line of slope
    x.grad. Right: x.grad after each call, beside the quotient of the sum up to there.

    Args:
        functions: one function of x, or several, by name or in a list; when left out, x^2 and x^3.
        x_range: the ends of x's slider.
        x: where to start, 2 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        calls: the functions called since the reset, by name and in order; each once when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    ranges.check_some("explore_buffer", named)
    calls = list(named)[:MOST] if calls is None else calls
    if not len(calls) <= MOST:
        ranges.refuse(en=f"calls are at most {MOST}", ko=f"calls는 {MOST}개까지입니다")
    for name in calls:
        ranges.check_choice("calls", name, named)
    x_range = ranges.checked_range(x_range)
    return BufferExplorer(Subject(named, x_range), calls, *ranges.place_and_step(x, h, x_range, 2.0))
