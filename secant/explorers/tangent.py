"""The explorer of lesson 1: a secant that turns into the tangent, and the price of a small step."""

import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from torch import Tensor

from secant.explorers import difference
from secant.explorers.difference import SCHEMES, Function, FunctionProblem, Functions, Scheme
from secant.explorers.kit import panel
from secant.explorers.kit.canvas import new_figure
from secant.explorers.kit.panel import (
    GREEN,
    INK,
    LOG_H,
    PURPLE,
    SECANT,
    TANGENT,
    Panel,
    digits,
    refuse,
    short,
)
from secant.language import say

DTYPES = {"float32": torch.float32, "float64": torch.float64}
PLACES, STEPS = 201, 65  # of the error curve: x near the chosen one, and h, four a decade
FEW_PLACES, FEW_STEPS = 21, 33  # the same for a function that takes one x at a time
PATIENCE = 0.03  # seconds that such a function may take for one error curve

SHADE = {"float32": PURPLE, "float64": GREEN}
MARK = {"float32": "s", "float64": "o"}
DASH = {"float32": "-.", "float64": "-"}


def log_of_cube(x: Tensor) -> Tensor:
    return torch.log(x**3)


def cube_and_sine(x: Tensor) -> Tensor:
    return x**3 + 2 * torch.sin(x)


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
class Reading:
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
    steps: Tensor = field(default_factory=lambda: torch.empty(0))
    curves: dict[str, Tensor] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Subject:
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: tuple[float, float]) -> None:
        self.functions = dict(functions)
        self.low, self.high = x_range
        self.prepared = cache(self._prepared)
        self.curve = cache(self._curve)
        self.error_range = cache(self._error_range)
        self.error_curve = lru_cache(maxsize=8)(self._error_curve)

    def _prepared(self, name: str, dtype: str) -> tuple[Function, int, int]:
        """Return an elementwise function, and how many x and h its error curve can afford."""
        f = self.functions[name]
        if difference.is_elementwise(f, self._grid(PLACES, dtype)):
            return f, PLACES, STEPS
        f = difference.one_by_one(f)
        start = time.perf_counter()
        try:
            difference.values(f, self._grid(5, dtype))
        except FunctionProblem as problem:
            return _failing(problem), PLACES, STEPS
        calls = PATIENCE / max(1e-6, (time.perf_counter() - start) / 5)
        places = min(FEW_PLACES, max(1, int(calls / (2 * FEW_STEPS))))
        return f, places, FEW_STEPS

    def _grid(self, count: int, dtype: str) -> Tensor:
        return torch.linspace(self.low, self.high, count, dtype=torch.float64).to(DTYPES[dtype])

    def _curve(self, name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and f(x) to draw; empty where f fails."""
        f, places, _ = self.prepared(name, dtype)
        pad = 0.05 * (self.high - self.low)
        count = 401 if places == PLACES else 101
        x = torch.linspace(self.low - pad, self.high + pad, count, dtype=torch.float64).to(DTYPES[dtype])
        try:
            y = difference.values(f, x).detach().real
        except FunctionProblem:
            return np.empty(0), np.empty(0)
        return x.double().numpy(), y.double().masked_fill(~y.isfinite(), torch.nan).numpy()

    def near(self, x: float, count: int, dtype: str) -> Tensor:
        """Return `count` places about x, at most an eighth of the range away and never outside it."""
        reach = (self.high - self.low) / 8
        low, high = max(self.low, x - reach), min(self.high, x + reach)
        return torch.linspace(low, high, count, dtype=torch.float64).to(DTYPES[dtype])

    def _error_curve(self, name: str, x: float, dtype: str, scheme: Scheme) -> tuple[Tensor, Tensor]:
        """Return the steps and the median error at each, (k,) both."""
        f, places, count = self.prepared(name, dtype)
        steps = torch.logspace(*LOG_H, count, dtype=torch.float64)
        return steps, difference.median_errors(f, self.near(x, places, dtype), steps, scheme)

    def _error_range(self, name: str) -> tuple[float, float]:
        """Return powers of ten that hold the function's errors, for every dtype, scheme and x alike."""
        found = []
        for scheme in SCHEMES:
            for dtype in DTYPES:
                for x in (self.low, (self.low + self.high) / 2, self.high):
                    with contextlib.suppress(FunctionProblem):
                        found.append(self._error_curve(name, x, dtype, scheme)[1])
        errors = torch.cat(found) if found else torch.empty(0)
        errors = errors[errors.isfinite() & (errors > 0)]
        if not len(errors):
            return 1e-17, 10.0
        low, high = math.floor(errors.min().log10()), math.ceil(errors.max().log10())
        low, high = max(low, -20), min(high, 8)  # beyond is a pole
        return 10.0 ** min(low, high - 3), 10.0**high

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        f, places, _ = self.prepared(setting.name, setting.dtype)
        x = torch.tensor([setting.x], dtype=torch.float64).to(DTYPES[setting.dtype])
        reading = Reading(setting, x.item(), places=places)
        try:
            reading.height = _number(difference.values(f, x))
            reading.ends, reading.heights = _ends(f, x, setting)
            reading.quotient = _number(difference.quotient(f, x, setting.h, setting.scheme))
        except FunctionProblem as problem:
            reading.problems.append(str(problem))
        try:
            reading.gradient = _number(difference.gradient(f, x))
            reading.error = abs(reading.quotient - reading.gradient)
            step = torch.tensor([setting.h], dtype=torch.float64)
            near = self.near(reading.x, places, setting.dtype)
            reading.median = difference.median_errors(f, near, step, setting.scheme).item()
        except FunctionProblem as problem:
            if str(problem) not in reading.problems:
                reading.problems.append(str(problem))
        for dtype in DTYPES:
            with contextlib.suppress(FunctionProblem):
                reading.steps, reading.curves[dtype] = self.error_curve(
                    setting.name, setting.x, dtype, setting.scheme
                )
        if not reading.problems:
            reading.problems += _remarks(reading, setting)
        return reading


def _failing(problem: FunctionProblem) -> Function:
    """Return a function that fails at once, in place of one that was seen to fail everywhere."""

    def fail(x: Tensor) -> Tensor:
        raise problem

    return fail


def _number(value: Tensor) -> float:
    return float(value.detach().real)


def _ends(f: Function, x: Tensor, setting: Setting) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the x and the f(x) of the two points that the quotient compares; the complex step has none."""
    if setting.scheme == "complex":
        return (math.nan, math.nan), (math.nan, math.nan)
    step = torch.as_tensor(setting.h, dtype=x.dtype)
    left, right = (x - step if setting.scheme == "central" else x), x + step
    heights = difference.values(f, left), difference.values(f, right)
    return (_number(left), _number(right)), (_number(heights[0]), _number(heights[1]))


def _remarks(reading: Reading, setting: Setting) -> list[str]:
    """Return what a reader should know of numbers that came out without an error."""
    remarks = []
    if not math.isfinite(reading.height):
        remarks.append(
            say(
                en=f"The function has no finite value at x = {reading.x:g}.",
                ko=f"x = {reading.x:g}에서 함수의 값이 유한하지 않습니다.",
            )
        )
    elif reading.ends[0] == reading.ends[1]:
        remarks.append(
            say(
                en=f"In {setting.dtype}, x + h is x itself: h = {setting.h:.1e} is lost in rounding. "
                "The quotient is 0/0 and has no meaning.",
                ko=f"{setting.dtype}에서는 x + h가 x와 똑같습니다. h = {setting.h:.1e}은 "
                "반올림으로 사라집니다. 차분몫은 0/0이 되어 아무 뜻이 없습니다.",
            )
        )
    elif not math.isfinite(reading.quotient):
        remarks.append(
            say(
                en="The function has no finite value at a point of the secant, so there is no quotient.",
                ko="할선이 지나는 점에서 함수의 값이 유한하지 않아 차분몫이 없습니다.",
            )
        )
    elif not math.isfinite(reading.gradient):
        remarks.append(
            say(
                en=f"At x = {reading.x:g} the gradient is {reading.gradient}: "
                "there is no tangent to compare with.",
                ko=f"x = {reading.x:g}에서 gradient가 {reading.gradient}이어서 비교할 접선이 없습니다.",
            )
        )
    elif reading.error == 0:
        remarks.append(
            say(
                en="The difference is exactly 0 at this x. A log scale has no 0: "
                "it stands on the bottom line (▼).",
                ko="이 x에서는 차이가 정확히 0입니다. "
                "로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
            )
        )
    if reading.places != PLACES:
        remarks.append(
            say(
                en="This function takes one x at a time, "
                f"so the right picture uses {reading.places} x, not {PLACES}.",
                ko="이 함수는 x를 하나씩만 받으므로 "
                f"오른쪽 그림은 x {PLACES}개 대신 {reading.places}개로 그립니다.",
            )
        )
    return remarks


class Picture:
    """The figure: the curve with its secant and tangent, and the error against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure = new_figure()
        left, right = self.figure.subplots(1, 2)
        self.left: Axes = left
        self.right: Axes = right
        panel.tidy(left, right)
        left.set_xlabel("$x$")
        left.set_ylabel("$f(x)$")
        panel.error_axes(right, r"$|\,\Delta f/\Delta x - f'(x)\,|$")

        (self.curve,) = left.plot([], [], color=INK, lw=1.6, label="$f$")
        self.secant = left.axline((0, 0), slope=0, color=SECANT, lw=4, label=r"$\Delta f/\Delta x$", zorder=3)
        dashes = (0, (5, 3))
        self.tangent = left.axline((0, 0), slope=0, color=TANGENT, lw=2, ls=dashes, label="$f'(x)$", zorder=4)
        self.ends = panel.marker(left, "D", SECANT, size=11, hollow=True)
        self.point = panel.marker(left, "o", INK, size=7, label="$x$")

        self.curves = {
            dtype: right.plot(
                [], [], color=SHADE[dtype], ls=DASH[dtype], marker=MARK[dtype], label=dtype, zorder=3
            )[0]
            for dtype in DTYPES
        }
        self.zeros = {dtype: panel.marker(right, "v", SHADE[dtype], size=6) for dtype in DTYPES}
        self.step = right.axvline(1, color=INK, lw=1.2, ls=":", zorder=2)
        self.median = panel.marker(right, "o", INK, size=10, hollow=True, label="$h$")
        self.here = panel.marker(right, "D", SECANT, size=7, label="$x$")
        self.nothing = panel.marker(right, "x", SECANT, size=10)
        self.low = self.high = 1.0  # the line of errors of exactly 0, and the top

    @property
    def moving(self) -> list[Line2D]:
        """The artists that differ from one frame of a drag to the next."""
        left = [self.secant, self.tangent, self.ends, self.point]
        right = [*self.curves.values(), *self.zeros.values(), self.step]
        return [*left, *right, self.median, self.here, self.nothing]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        subject, setting = self.subject, reading.setting
        x, y = subject.curve(setting.name, setting.dtype)
        low, high = panel.limits(y)
        jumps = np.abs(np.diff(y, prepend=y[:1])) > 2 * (high - low)
        self.curve.set_data(x, np.where(jumps, np.nan, y))  # no line across a pole
        pad = 0.05 * (subject.high - subject.low)
        self.left.set(xlim=(subject.low - pad, subject.high + pad), ylim=(low, high))
        lowest, self.high = subject.error_range(setting.name)
        self.low = panel.error_limits(self.right, lowest, self.high)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        panel.set_line(self.secant, reading.ends[0], reading.heights[0], reading.quotient)
        if setting.scheme == "complex":
            panel.set_line(self.secant, reading.x, reading.height, reading.quotient)
        panel.set_line(self.tangent, reading.x, reading.height, reading.gradient)
        self.point.set_data([reading.x], [reading.height])
        self.ends.set_data(reading.ends, reading.heights)
        self.ends.set_label({"forward": "$x, x+h$", "central": r"$x \pm h$", "complex": "_"}[setting.scheme])
        for dtype, line in self.curves.items():
            errors = reading.curves.get(dtype, torch.empty(0)).numpy()
            steps = reading.steps.numpy()[: len(errors)]
            zero = errors == 0
            line.set_data(steps, np.where(zero, np.nan, errors))
            chosen = dtype == setting.dtype
            every = 1 if zero.any() else max(1, len(steps) // 16)  # between zeros a point has no line to it
            line.set(lw=2.2 if chosen else 1.2, ms=6 if chosen else 4, markevery=every)
            self.zeros[dtype].set_data(steps[zero], np.full(zero.sum(), self.low))
            self.zeros[dtype].set_visible(zero.any())
        self.step.set_xdata([setting.h, setting.h])
        self.median.set_data([setting.h], [self._on_panel(reading.median)])
        self.here.set_data([setting.h], [self._on_panel(reading.error)])
        self.here.set_marker("v" if reading.error == 0 else "D")
        self.nothing.set_data([setting.h], [self.high / 3])
        self.nothing.set_visible(math.isnan(reading.error))

    def _on_panel(self, error: float) -> float:
        return min(max(error, self.low), self.high) if math.isfinite(error) else math.nan


class Explorer(Panel):
    """The widget that `explore` returns."""

    reading: Reading

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.function = panel.choice("f(x)", [(name, name) for name in subject.functions], start.name)
        self.dtype = panel.choice("dtype", [(name, name) for name in DTYPES], start.dtype)
        schemes = [(name, scheme) for scheme, name in _scheme_names().items()]
        self.scheme = panel.choice(say(en="quotient", ko="차분몫"), schemes, start.scheme)
        step = panel.round_step(subject.low, subject.high)
        self.x, x_row = panel.slider("x", start.x, subject.low, subject.high, step)
        self.log_h, h_row = panel.step_slider(start.h)
        rows = [(self.function, self.dtype, self.scheme), (x_row, h_row)]
        super().__init__(Picture(subject), rows, _legend())

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, log_h = short(self.x.value), short(self.log_h.value)
        return Setting(self.function.value, x, 10**log_h, self.dtype.value, self.scheme.value)

    def fresh_picture(self) -> Picture:
        return Picture(self.subject)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> tuple[str, str]:
        return self.reading.setting.name, self.reading.setting.dtype

    def words(self) -> str:
        return _words(self.reading.setting, self.reading)

    def alt(self) -> str:
        return _alt(self.reading.setting, self.reading)


def _scheme_names() -> dict[Scheme, str]:
    return {
        "forward": say(en="forward", ko="전방"),
        "central": say(en="central", ko="중앙"),
        "complex": say(en="complex step", ko="복소 스텝"),
    }


def _formula(scheme: Scheme) -> str:
    return {
        "forward": "(f(x+h) − f(x)) / h",
        "central": "(f(x+h) − f(x−h)) / 2h",
        "complex": "Im f(x+ih) / h",
    }[scheme]


def _words(setting: Setting, reading: Reading) -> str:
    quotient, gradient, error = (
        digits(number, setting.dtype) for number in (reading.quotient, reading.gradient, reading.error)
    )
    nearby = say(en=f"{reading.places} x nearby", ko=f"근처의 x {reading.places}개")
    rows = [
        ("quotient", say(en="difference quotient", ko="차분몫"), _formula(setting.scheme), quotient),
        ("gradient", say(en="autograd's gradient", ko="autograd의 gradient"), "x.grad", gradient),
        ("error", say(en="difference", ko="둘의 차이"), f"h = {setting.h:.3g}", error),
        ("median", say(en="its median", ko="차이의 중앙값"), nearby, f"{reading.median:.1e}"),
    ]
    return panel.numbers(rows, reading.problems)


def _alt(setting: Setting, reading: Reading) -> str:
    quotient, gradient = f"{reading.quotient:.4g}", f"{reading.gradient:.4g}"
    return say(
        en=f"Left: {setting.name} at x = {reading.x:.4g} with a secant of slope {quotient} and a tangent of "
        f"slope {gradient}. Right: the difference against h; at h = {setting.h:.1e} its median is "
        f"{reading.median:.1e}.",
        ko=f"왼쪽: x = {reading.x:.4g}에서 {setting.name}의 그래프, 기울기 {quotient}인 할선과 "
        f"기울기 {gradient}인 접선. 오른쪽: h에 따른 차이. h = {setting.h:.1e}에서 중앙값은 "
        f"{reading.median:.1e}.",
    )


def _legend() -> str:
    left = [
        (panel.sample(INK, 'stroke-width="2"'), say(en="the function f", ko="함수 f")),
        (
            panel.sample(SECANT, 'stroke-width="4"'),
            say(en="secant: its slope is the quotient", ko="할선: 기울기가 차분몫"),
        ),
        (
            panel.sample(TANGENT, 'stroke-width="2.5" stroke-dasharray="7 4"'),
            say(en="tangent: its slope is autograd's gradient", ko="접선: 기울기가 autograd의 gradient"),
        ),
        (
            panel.sample(INK, mark=panel.disc(INK, INK, 3.5))
            + panel.sample(SECANT, mark=panel.diamond(SECANT, "none")),
            say(en="x, and the points the quotient compares", ko="x, 그리고 차분몫이 비교하는 점"),
        ),
    ]
    right = [
        (
            panel.sample(PURPLE, 'stroke-width="2" stroke-dasharray="6 2 2 2"', panel.square(PURPLE)),
            say(en="float32: median difference near x", ko="float32: x 근처 차이의 중앙값"),
        ),
        (
            panel.sample(GREEN, 'stroke-width="2"', panel.disc(GREEN, GREEN, 2.5)),
            say(en="float64: median difference near x", ko="float64: x 근처 차이의 중앙값"),
        ),
        (
            panel.sample(INK, 'stroke-width="1.5" stroke-dasharray="2 2"', panel.disc(INK, "none", 4.5)),
            say(en="the h you chose", ko="지금 고른 h"),
        ),
        (
            panel.sample(SECANT, mark=panel.diamond(SECANT, SECANT)),
            say(
                en="difference at this one x (▼: exactly 0; ✕: none)",
                ko="이 x 하나에서의 차이 (▼: 정확히 0, ✕: 없음)",
            ),
        ),
    ]
    return panel.legend(left, right)


def _prepare(
    functions: Functions | None,
    x_range: tuple[float, float],
    x: float,
    h: float,
    dtype: str | torch.dtype,
    scheme: Scheme,
) -> tuple[Subject, Setting]:
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    low, high = map(float, x_range)
    dtype = str(dtype).removeprefix("torch.")
    if not named:
        refuse(en="explore needs at least one function", ko="explore에는 함수가 하나 이상 필요합니다")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        refuse(
            en="x_range goes from a smaller to a larger number", ko="x_range는 작은 수에서 큰 수까지입니다"
        )
    if dtype not in DTYPES:
        refuse(en=f"dtype is one of {', '.join(DTYPES)}", ko=f"dtype은 {', '.join(DTYPES)} 중 하나입니다")
    if scheme not in SCHEMES:
        refuse(en=f"scheme is one of {', '.join(SCHEMES)}", ko=f"scheme은 {', '.join(SCHEMES)} 중 하나입니다")
    if math.isnan(x) or not h > 0:
        refuse(en="x is a number and h is above 0", ko="x는 수이고 h는 0보다 큽니다")
    x = min(max(float(x), low), high)
    h = min(max(float(h), 10 ** LOG_H[0]), 10 ** LOG_H[1])
    return Subject(named, (low, high)), Setting(next(iter(named)), x, h, dtype, scheme)


def explore(
    functions: Functions | None = None,
    *,
    x_range: tuple[float, float] = (1.0, 9.0),
    x: float = 5.0,
    h: float = 2.0,
    dtype: str | torch.dtype = "float64",
    scheme: Scheme = "forward",
) -> Explorer:
    """Return sliders for x and h over a picture of the secant, the tangent and the gap between them.

    Left: the function, the secant, autograd's tangent. Right: |quotient - gradient| against h, the median
    over 201 x near the chosen one. What is wrong with a function stands in the text below, and the sliders
    keep working.

    Args:
        functions: one function of x, or several, by name or in a list; when left out, log(x^3) and
            x^3 + 2 sin x.
        x_range: the ends of x's slider.
        x: where to start; moved into x_range.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        dtype: "float32" or "float64".
        scheme: "forward", "central" or "complex".

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    return Explorer(*_prepare(functions, x_range, x, h, dtype, scheme))


def explore_figure(
    functions: Functions | None = None,
    *,
    x_range: tuple[float, float] = (1.0, 9.0),
    x: float = 5.0,
    h: float = 2.0,
    dtype: str | torch.dtype = "float64",
    scheme: Scheme = "forward",
) -> Figure:
    """Return the picture that `explore` starts with as an ordinary figure with a legend of symbols."""
    return Explorer(*_prepare(functions, x_range, x, h, dtype, scheme)).static_figure()
