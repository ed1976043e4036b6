"""The explorer of lesson 1: a secant that turns into the tangent, and the price of a small step."""

import contextlib
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT
from secant.explorers.kit.difference import SCHEMES, Function, FunctionProblem, Functions, Scheme
from secant.explorers.kit.functions import cube_and_sine, log_of_cube
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

DTYPES = {"float32": torch.float32, "float64": torch.float64}
PLACES, STEPS = 201, 65  # of the error curve: x near the chosen one, and h, four a decade
FEW_PLACES, FEW_STEPS = 21, 33  # the same for a function that takes one x at a time

LOOKS: dict[str, dict[str, Any]] = {
    "float32": {"color": PURPLE, "ls": "-.", "marker": "s"},
    "float64": {"color": GREEN, "ls": "-", "marker": "o"},
}
FORMULAS = {
    "forward": "(f(x+h) − f(x)) / ((x+h) − x)",
    "central": "(f(x+h) − f(x−h)) / ((x+h) − (x−h))",
    "complex": "Im f(x+ih) / h",
}
ENDS = {"forward": "$x, x+h$", "central": r"$x \pm h$", "complex": "_"}


FUNCTIONS: dict[str, Function] = {"log(x³)": log_of_cube, "x³ + 2 sin x": cube_and_sine}


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    name: str
    x: float
    h: float
    dtype: str
    scheme: Scheme


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `x` is the setting's in its dtype. `places` and `steps` tell what the error curves are over; `curves`
    holds one for each dtype.
    """

    setting: Setting
    x: float
    ends: tuple[float, float] = (math.nan, math.nan)
    heights: tuple[float, float] = (math.nan, math.nan)
    height: float = math.nan
    quotient: float = math.nan
    gradient: float = math.nan
    error: float = math.nan
    median: float = math.nan
    places: int = PLACES
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def noise(self) -> float:
        """About how large the rounding error of the quotient is."""
        finite = [abs(height) for height in self.heights if math.isfinite(height)]
        dtype, slope = self.setting.dtype, self.gradient
        if self.setting.scheme == "complex":  # it subtracts nothing
            return difference.rounding(slope, self.x, 0.0, 1.0, dtype)
        return difference.rounding(max(finite, default=0), self.x, slope, self.ends[1] - self.ends[0], dtype)


class Subject:
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        self.functions = dict(functions)
        self.ends = x_range
        self.prepared = cache(self._prepared)
        self.curve = cache(self._curve)
        self.typical_errors = cache(self._typical_errors)
        self.error_range = cache(self._error_range)
        self.error_curve = lru_cache(maxsize=8)(self._error_curve)

    def _prepared(self, name: str, dtype: str) -> tuple[Function, int, int]:
        """Return an elementwise function, and how many x and h its error curve can afford."""
        found = elementwise.prepare(self.functions[name], self._grid(self.ends, PLACES, dtype))
        if found.together:
            return found.f, PLACES, STEPS
        return found.f, min(FEW_PLACES, max(1, found.calls // (2 * FEW_STEPS))), FEW_STEPS

    def _grid(self, ends: Range, count: int, dtype: str) -> Tensor:
        return torch.linspace(*ends, count, dtype=torch.float64).to(DTYPES[dtype])

    def _curve(self, name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and f(x) to draw; NaN where f fails."""
        f, places, _ = self.prepared(name, dtype)
        count = 401 if places == PLACES else 101
        return elementwise.sampled(f, self._grid(ranges.padded(self.ends), count, dtype))

    def near(self, x: float, count: int, dtype: str) -> Tensor:
        """Return some places about x."""
        return self._grid(ranges.around(x, self.ends), count, dtype)

    def _error_curve(self, name: str, x: float, dtype: str, scheme: Scheme) -> tuple[np.ndarray, np.ndarray]:
        """Return the steps and the median error at each, (k,) both."""
        f, places, count = self.prepared(name, dtype)
        steps = torch.logspace(*LOG_H, count, dtype=torch.float64)
        errors = difference.median_errors(f, self.near(x, places, dtype), steps, scheme)
        return steps.numpy(), errors.numpy()

    def _typical_errors(self, name: str, dtype: str, scheme: Scheme) -> np.ndarray:
        """Return errors at some x all over the range; none where there is none to be had."""
        return elementwise.all_over(lambda x: self._error_curve(name, x, dtype, scheme)[1], self.ends)

    def _error_range(self, name: str) -> Range:
        """Return powers of ten that hold the function's errors, for every dtype, scheme and x alike."""
        kinds = itertools.product(DTYPES, SCHEMES)
        return plots.decades(np.concatenate([self.typical_errors(name, *kind) for kind in kinds]), -20, 8)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        name, dtype, scheme = setting.name, setting.dtype, setting.scheme
        f, places, _ = self.prepared(name, dtype)
        x = torch.tensor([setting.x], dtype=torch.float64).to(DTYPES[dtype])
        reading = Reading(setting, x.item(), places=places)
        with reading.noting():
            reading.height = difference.number(f, x)
            if scheme != "complex":
                left, right = difference.compared(x, setting.h, scheme)
                reading.ends = left.item(), right.item()
                reading.heights = difference.number(f, left), difference.number(f, right)
            reading.quotient = difference.quotient(f, x, setting.h, scheme).real.item()
        with reading.noting():
            reading.gradient = difference.gradient(f, x).item()
            reading.error = abs(reading.quotient - reading.gradient)
            step = torch.tensor([setting.h], dtype=torch.float64)
            near = self.near(reading.x, places, dtype)
            reading.median = difference.median_errors(f, near, step, scheme).item()
        for each in DTYPES:
            with contextlib.suppress(FunctionProblem):
                reading.steps, reading.curves[each] = self.error_curve(name, setting.x, each, scheme)
        errors = self.typical_errors(name, dtype, scheme), reading.curves.get(dtype, np.empty(0))
        curve = self.curve(name, dtype)[1]
        reading.filled = elementwise.any_finite(curve), elementwise.any_finite(*errors)
        if not reading.problems:
            _remark(reading, setting)
        return reading


def _remark(reading: Reading, setting: Setting) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {reading.x:g}")
    elif reading.ends[0] == reading.ends[1]:
        reading.remark(
            en=f"In {setting.dtype}, x + h is x itself: h = {setting.h:.1e} is lost in rounding. "
            "The quotient divides by the step really taken, (x+h) − x: it is 0/0 and has no meaning (nan). "
            "Divided by h it would be 0.",
            ko=f"{setting.dtype}에서는 x + h가 x와 똑같습니다. h = {setting.h:.1e}만큼의 걸음은 "
            "반올림으로 사라집니다. 차분몫은 실제로 움직인 만큼인 (x+h) − x로 나누므로 0/0이 되어 "
            "아무 뜻이 없습니다(nan). h로 나누면 0이 됩니다.",
        )
    elif not math.isfinite(reading.quotient):
        remarks.no_quotient(reading, en="a point of the secant", ko="할선이 지나는 점")
    elif not math.isfinite(reading.gradient):
        reading.problem(
            en=f"At x = {reading.x:g} the gradient is {reading.gradient}: "
            "there is no tangent to compare with.",
            ko=f"x = {reading.x:g}에서 gradient가 {reading.gradient}이어서 비교할 접선이 없습니다.",
        )
    elif reading.error == 0:
        en, ko = "The error is exactly 0 at this x.", "이 x에서는 오차가 정확히 0입니다."
        remarks.exactly_zero(reading, en=en, ko=ko)
    if reading.places != PLACES:
        remarks.few_places(reading, reading.places, PLACES)


class Picture:
    """The figure: the curve with its secant and tangent, and the error against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/\Delta x$", gradient="$f'(x)$", point="$x$"
        )
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta f/\Delta x - f'(x)\,|$")
        self.curves = {
            dtype: right.plot([], [], **look, label=dtype, zorder=3)[0] for dtype, look in LOOKS.items()
        }
        self.zeros = {dtype: plots.marker(right, "v", look["color"], size=6) for dtype, look in LOOKS.items()}
        self.median = plots.marker(right, "o", INK, size=10, hollow=True, label="$h$")
        self.here = plots.marker(right, "D", SECANT, size=7, label="$x$")
        self.nothing = plots.marker(right, "x", SECANT, size=10)

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        right = [*self.curves.values(), *self.zeros.values(), self.errors.step]
        return [*self.function.moving, *right, self.median, self.here, self.nothing]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        setting = reading.setting
        self.function.set_curve(*self.subject.curve(setting.name, setting.dtype))
        self.errors.set_decades(*self.subject.error_range(setting.name))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        self.function.set_lines(
            (reading.x, reading.height), reading.quotient, reading.gradient, reading.ends, reading.heights
        )
        self.function.ends.set_label(ENDS[setting.scheme])
        for dtype, curve in self.curves.items():
            errors = reading.curves.get(dtype, np.empty(0))
            steps = reading.steps[: len(errors)]
            zeros = self.errors.set_curves(self.zeros[dtype], [(curve, steps, errors)])
            self.zeros[dtype].set_visible(len(zeros) > 0)
            chosen = dtype == setting.dtype
            every = 1 if len(zeros) else max(1, len(steps) // 16)  # between zeros a point has no line to it
            curve.set(lw=2.2 if chosen else 1.2, ms=6 if chosen else 4, markevery=every)
        self.errors.set_step(setting.h)
        self.errors.set_marks(self.median, setting.h, reading.median)
        self.errors.set_marks(self.here, setting.h, reading.error)
        self.here.set_marker("v" if reading.error == 0 else "D")
        self.nothing.set_data([setting.h], [self.errors.high / 3])
        self.nothing.set_visible(math.isnan(reading.error))


class TangentExplorer(Panel[Reading]):
    """The widget that `explore` returns."""

    arguments = ("function", "dtype", "scheme", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.function = controls.choice("f(x)", list(subject.functions), start.name)
        self.dtype = controls.choice("dtype", list(DTYPES), start.dtype)
        schemes: list[tuple[str, Scheme]] = [
            (say(en="forward", ko="전방"), "forward"),
            (say(en="central", ko="중앙"), "central"),
            (say(en="complex step", ko="복소 스텝"), "complex"),
        ]
        self.scheme = controls.choice(say(en="quotient", ko="차분몫"), schemes, start.scheme)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h)
        rows = [(self.function, self.dtype, self.scheme), (x_row, h_row)]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, h = self.x.number, controls.step_of(self.log_h)
        return Setting(self.function.value, x, h, self.dtype.value, self.scheme.value)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> tuple[str, str]:
        return self.reading.setting.name, self.reading.setting.dtype

    def rows(self) -> list[Row]:
        reading, setting = self.reading, self.reading.setting
        dtype, noise = setting.dtype, reading.noise
        quotient, gradient, error = words.compared(reading.quotient, reading.gradient, noise, dtype)
        nearby = say(en=f"{reading.places} x nearby", ko=f"근처의 x {reading.places}개")
        return [
            words.quotient_row(FORMULAS[setting.scheme], quotient),
            words.gradient_row(gradient),
            Row("error", say(en="error of the quotient", ko="차분몫의 오차"), words.step(setting.h), error),
            Row("median", say(en="its median", ko="오차의 중앙값"), nearby, f"{reading.median:.1e}"),
        ]

    def alt(self) -> str:
        reading, setting = self.reading, self.reading.setting
        quotient, gradient = f"{reading.quotient:.4g}", f"{reading.gradient:.4g}"
        return say(
            en=f"Left: {setting.name} at x = {reading.x:.4g} with a secant of slope {quotient} and a tangent "
            f"of slope {gradient}. Right: the quotient's error against h; at h = {setting.h:.1e} its median "
            f"is {reading.median:.1e}.",
            ko=f"왼쪽: x = {reading.x:.4g}에서 {setting.name}의 그래프, 기울기 {quotient}인 할선과 "
            f"기울기 {gradient}인 접선. 오른쪽: h에 따른 차분몫의 오차. h = {setting.h:.1e}에서 중앙값은 "
            f"{reading.median:.1e}.",
        )


POINTS = words.sample(words.disc(INK, 3.5, INK)) + words.sample(words.diamond(SECANT))
FLOAT32 = words.line(PURPLE, 2, "6 2 2 2", words.square(PURPLE))
FLOAT64 = words.line(GREEN, 2, mark=words.disc(GREEN, 2.5, GREEN))
HERE = words.sample(words.diamond(SECANT, SECANT))
LEGEND = (
    [
        (words.CURVE_LINE, "the function f", "함수 f"),
        (words.SECANT_LINE, "secant: its slope is the quotient", "할선: 기울기가 차분몫"),
        (
            words.TANGENT_LINE,
            "tangent: its slope is autograd's gradient",
            "접선: 기울기가 autograd의 gradient",
        ),
        (POINTS, "x, and the points the quotient compares", "x, 그리고 차분몫이 비교하는 점"),
    ],
    [
        (FLOAT32, "float32: median error near x", "float32: x 근처 오차의 중앙값"),
        (FLOAT64, "float64: median error near x", "float64: x 근처 오차의 중앙값"),
        (words.STEP_LINE, "the h you chose", "지금 고른 h"),
        (
            HERE,
            "error at this one x (▼: exactly 0; ✕: none)",
            "이 x 하나에서의 오차 (▼: 정확히 0, ✕: 없음)",
        ),
    ],
)


@remembered
def explore(
    functions: Functions | None = None,
    *,
    x_range: Range = (1.0, 9.0),
    x: float | None = None,
    h: float = 2.0,
    dtype: str | torch.dtype = "float64",
    scheme: Scheme = "forward",
    function: str | None = None,
) -> TangentExplorer:
    """Return sliders for x and h over a picture of the secant, the tangent and the gap between them.

    Left: the function, the secant, autograd's tangent. Right: |quotient - gradient| against h, the median
    over 201 x near the chosen one. What is wrong with a function stands above the picture, and the sliders
    keep working.

    Args:
        functions: one function of x, or several, by name or in a list; when left out, log(x^3) and
            x^3 + 2 sin x.
        x_range: the ends of x's slider.
        x: where to start, 5 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        dtype: "float32" or "float64".
        scheme: "forward", "central" or "complex".
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    dtype = str(dtype).removeprefix("torch.")
    ranges.check_some("explore", named)
    ranges.check_choice("dtype", dtype, DTYPES)
    ranges.check_choice("scheme", scheme, SCHEMES)
    name = ranges.first_or(function, "function", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 5.0)
    return TangentExplorer(Subject(named, x_range), Setting(name, x, h, dtype, scheme))
