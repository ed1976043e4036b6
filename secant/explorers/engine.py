"""The explorer of lesson 10: an engine with bugs to choose from, beside torch and the difference quotient."""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, tape, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import log_of_cube, root_of_square
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.subject import Subjects
from secant.explorers.kit.tape import BUGS, Bug
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

CALLS = (1, 2)


def uneven(x: Tensor) -> Tensor:
    """Return yz + y for y = x^2 and z = yx: paths of three lengths lead from x to it."""
    y = x**2
    z = y * x
    return y * z + y


def two_paths(x: Tensor) -> Tensor:
    return log_of_cube(x) + root_of_square(x)


FUNCTIONS: dict[str, Function] = {"log x³ + √x²": two_paths, "log x³": log_of_cube, "y·z + y": uneven}


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    name: str
    bug: Bug
    calls: int
    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to, for S = calls times f. NaN where there is no number.

    `torch` and `engine` are the slopes that the two find; `to_torch` and `to_engine` how far the quotient is
    from them at each of the `steps`.
    """

    setting: Setting
    there: float
    heights: Range = (math.nan, math.nan)
    quotient: float = math.nan
    torch: float = math.nan
    engine: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_torch: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_engine: np.ndarray = field(default_factory=lambda: np.empty(0))
    decades: Range = (1e-16, 1.0)

    @property
    def noise(self) -> float:
        """About how large the rounding error of the quotient is."""
        size = max(map(abs, self.heights))
        return difference.rounding(size, self.setting.x, self.torch, self.there - self.setting.x)


class Subject(Subjects):
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        super().__init__(functions, x_range, LOG_H)
        self.decades = cache(self._decades)
        self.quotients = lru_cache(maxsize=8)(self.quotients_at)
        self.slopes = lru_cache(maxsize=64)(self._slopes)

    def _slopes(self, name: str, bug: Bug, calls: int, x: float) -> tuple[float, float]:
        """Return what torch and the engine find in the leaf at x after so many passes.

        Raises:
            FunctionProblem: if there is no way back from f(x) to x.
        """
        f = self.prepared(name).f
        place = torch.tensor([x], dtype=torch.float64)
        found = calls * difference.gradient(f, place)
        return found.item(), tape.gradient(f, place, bug, calls).item()

    def _decades(self, name: str) -> Range:
        """Return powers of ten that hold the errors of the engine with every bug, and at every x."""
        errors = [np.empty(0)]
        for x in np.linspace(*self.ends, 5):
            with contextlib.suppress(FunctionProblem):
                quotients = self.quotients_at(name, float(x))[1][::8]
                found = [self._slopes(name, bug, 2, float(x))[1] for bug in BUGS]
                errors += [np.abs(2 * quotients - slope) for slope in found]
        return plots.decades(np.concatenate(errors), -12, 6)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        name, calls = setting.name, setting.calls
        f = self.prepared(name).f
        x = torch.tensor([setting.x], dtype=torch.float64)
        there = x + setting.h
        reading = Reading(setting, there.item(), decades=self.decades(name))
        with reading.noting():
            reading.heights = calls * difference.number(f, x), calls * difference.number(f, there)
            reading.quotient = calls * difference.quotient(f, x, setting.h).item()
        with reading.noting():
            reading.torch, reading.engine = self.slopes(name, setting.bug, calls, setting.x)
            reading.steps, quotients = self.quotients(name, setting.x)
            reading.to_torch = np.abs(calls * quotients - reading.torch)
            reading.to_engine = np.abs(calls * quotients - reading.engine)
        curve = self.curve(name)[1]
        there_is = elementwise.any_finite(curve)
        reading.filled = there_is, there_is and elementwise.any_finite(reading.to_torch)
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    x, h = reading.setting.x, reading.setting.h
    if not math.isfinite(reading.heights[0]):
        remarks.no_value(reading, f"x = {x:g}")
    elif not math.isfinite(reading.torch):
        reading.problem(
            en=f"At x = {x:g} autograd's gradient is {reading.torch}.",
            ko=f"x = {x:g}에서 autograd의 gradient가 {reading.torch}입니다.",
        )
    elif reading.there == x:
        remarks.step_lost(
            reading, "x + h", "x", h, en=", and the quotient is 0/0.", ko="사라지고 차분몫은 0/0이 됩니다."
        )
    elif not math.isfinite(reading.heights[1]):
        remarks.no_quotient(reading, en=f"x + h = {reading.there:g}", ko=f"x + h = {reading.there:g}")
    elif abs(reading.engine - reading.torch) > 1e-9 * max(1.0, abs(reading.torch)):
        gap = f"{abs(reading.engine - reading.torch):.6g}"
        reading.remark(
            en=f"The engine is {gap} away from torch. The quotient goes to torch's slope: that is the bug.",
            ko=f"엔진의 값이 torch와 {gap}만큼 다릅니다. 차분몫은 torch의 기울기로 다가갑니다. "
            "버그가 드러난 것입니다.",
        )
    elif reading.setting.bug != "none":
        reading.remark(
            en="There is a bug in the engine, but this function does not show it.",
            ko="엔진에 버그가 있지만 이 함수에서는 드러나지 않습니다.",
        )


class Picture:
    """Left, the function with secant and both slopes; right, how far the quotient is from each, against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "S", quotient=r"$\Delta S/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        self.engine = left.axline((0, 0), slope=0, color=GREEN, lw=2.2, ls=":", label="$e$", zorder=4)
        self.plot = plots.ErrorPlot(right, r"$|\Delta S/\Delta x - \cdot|$")
        (self.to_torch,) = right.plot([], [], color=TANGENT, lw=3.5, label="x.grad", zorder=3)
        (self.to_engine,) = right.plot([], [], color=GREEN, lw=2, ls=":", label="$e$", zorder=4)
        self.zeros = plots.marker(right, "v", TANGENT, size=5)
        self.at_torch = plots.marker(right, "o", TANGENT, size=10, hollow=True)
        self.at_engine = plots.marker(right, "s", GREEN, size=6, label="$h$")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        right = [self.to_torch, self.to_engine, self.zeros, self.plot.step, self.at_torch, self.at_engine]
        return [*self.function.moving, self.engine, *right]

    def set_scene(self, reading: Reading) -> None:
        """Set the curve and the limits, which hold for every x and h."""
        x, y = self.subject.curve(reading.setting.name)
        self.function.set_curve(x, reading.setting.calls * y)
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        x, h = reading.setting.x, reading.setting.h
        height = reading.heights[0]
        self.function.set_lines(
            (x, height), reading.quotient, reading.torch, (x, reading.there), reading.heights
        )
        plots.set_line(self.engine, x, height, reading.engine)
        curves = [
            (self.to_torch, reading.steps, reading.to_torch),
            (self.to_engine, reading.steps, reading.to_engine),
        ]
        self.plot.set_curves(self.zeros, curves)
        self.plot.set_step(h)
        self.plot.set_marks(self.at_torch, h, abs(reading.quotient - reading.torch))
        self.plot.set_marks(self.at_engine, h, abs(reading.quotient - reading.engine))


class EngineExplorer(Panel[Reading]):
    """The widget that `explore_engine` returns."""

    arguments = ("function", "bug", "calls", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        bugs: list[tuple[str, Bug]] = [
            (say(en="none", ko="없음"), "none"),
            (say(en="= for +=", ko="+= 대신 ="), "assign"),
            (say(en="breadth first", ko="너비 우선"), "breadth"),
            (say(en="no reset", ko="비우지 않음"), "kept"),
        ]
        self.function = controls.choice("f(x)", list(subject.functions), start.name)
        self.bug = controls.choice(say(en="bug", ko="버그"), bugs, start.bug)
        self.calls = controls.choice(say(en="calls", ko="호출"), [(f"{n} ×", n) for n in CALLS], start.calls)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h)
        rows = [(self.function, self.bug, self.calls), (x_row, h_row)]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, h = self.x.number, controls.step_of(self.log_h)
        return Setting(self.function.value, self.bug.value, self.calls.value, x, h)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> tuple[str, int]:
        return self.function.value, self.calls.value

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, slope, error = words.compared(reading.quotient, reading.torch, reading.noise)
        _, engine, gap = words.compared(reading.quotient, reading.engine, reading.noise)
        label = say(en="the engine's gradient", ko="엔진의 gradient")
        apart = say(en="difference of quotient and engine", ko="차분몫과 엔진의 차이")
        return [
            words.quotient_row("(S(x+h) − S(x)) / ((x+h) − x)", quotient),
            words.gradient_row(slope),
            Row("engine", label, "e", engine),
            words.error_row(error, reading.setting.h),
            Row("apart", apart, words.step(reading.setting.h), gap),
        ]

    def alt(self) -> str:
        reading, setting = self.reading, self.reading.setting
        quotient, slope, engine = (f"{n:.4g}" for n in (reading.quotient, reading.torch, reading.engine))
        return say(
            en=f"Left: {setting.calls} times {setting.name} at x = {setting.x:.4g} with a secant of slope "
            f"{quotient}, torch's line of slope {slope} and the engine's of slope {engine}. Right: how far "
            f"the quotient is from both, against h; here h = {setting.h:.1e}.",
            ko=f"왼쪽: x = {setting.x:.4g}에서 {setting.name}의 {setting.calls}배, 기울기 {quotient}인 할선, "
            f"torch의 직선(기울기 {slope})과 엔진의 직선(기울기 {engine}). 오른쪽: h에 따라 차분몫이 둘에서 "
            f"떨어진 정도. 지금 h = {setting.h:.1e}.",
        )


CHOSEN = words.sample(words.disc(TANGENT, 5)) + words.sample(words.square(GREEN))
LEGEND = (
    [
        (words.CURVE_LINE, "S: f, once for each backward()", "S: backward()를 부른 횟수만큼 더한 f"),
        (
            words.line(SECANT, 4, mark=words.diamond(SECANT)),
            "secant through x and x + h",
            "x와 x + h를 지나는 할선",
        ),
        (words.TANGENT_LINE, "line of torch's slope, x.grad", "기울기가 torch의 x.grad인 직선"),
        (words.line(GREEN, 2.5, "2 3"), "line of the engine's slope, e", "기울기가 엔진의 e인 직선"),
    ],
    [
        (words.line(TANGENT, 3.5), "difference of quotient and torch", "차분몫과 torch의 차이"),
        (words.line(GREEN, 2, "2 3"), "difference of quotient and engine", "차분몫과 엔진의 차이"),
        (words.line(INK, 1.5, "2 2") + CHOSEN, "both at the h you chose", "지금 고른 h에서의 두 값"),
        (words.sample(words.triangle(TANGENT, down=True)), "exactly 0", "정확히 0"),
    ],
)


@remembered
def explore_engine(
    functions: Functions | None = None,
    *,
    x_range: Range = (0.5, 3.0),
    x: float | None = None,
    h: float = 1.0,
    bug: Bug = "none",
    calls: int = 1,
    function: str | None = None,
) -> EngineExplorer:
    """Return lists of functions, bugs and passes, and sliders for x and h, over a picture of an engine.

    The engine goes back over what torch has recorded, in an order and with sums of its own, with the bug
    that was chosen. Left: the function, a secant, and lines of torch's and of the engine's slope. Right: how
    far the difference quotient is from both, against h.

    Args:
        functions: one function of x, or several, by name or in a list; when left out,
            log(x^3) + sqrt(x^2), log(x^3), and yz + y with y = x^2 and z = yx.
        x_range: the ends of x's slider.
        x: where to start, 2 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        bug: "none"; "assign", = for +=; "breadth", an order that is breadth first; "kept", no reset.
        calls: how often backward() is called, 1 or 2.
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    ranges.check_some("explore_engine", named)
    ranges.check_choice("bug", bug, BUGS)
    ranges.check_choice("calls", calls, CALLS)
    name = ranges.first_or(function, "function", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 2.0)
    return EngineExplorer(Subject(named, x_range), Setting(name, bug, calls, x, h))
