"""The explorer of lesson 1: a secant that turns into the tangent, and the price of a small step."""

import contextlib
import html
import io
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NoReturn

import ipywidgets as widgets
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from torch import Tensor
from traitlets import CFloat

from secant import difference
from secant._language import say
from secant.difference import SCHEMES, Function, FunctionProblem, Scheme
from secant.stage import Stage, new_figure, one_thread, png

Functions = Function | Sequence[Function] | Mapping[str, Function]
DTYPES = {"float32": torch.float32, "float64": torch.float64}
LOG_H = (-15.5, 0.5)  # the slider's range, log10: 16 wide in steps of 1/16, all exact in the page too
PLACES, STEPS = 201, 65  # of the error curve: x near the chosen one, and h, four a decade
FEW_PLACES, FEW_STEPS = 21, 33  # the same for a function that takes one x at a time
PATIENCE = 0.03  # seconds that such a function may take for one error curve

# Okabe and Ito's colours and one of Tol's, which differ to colour-blind eyes too.
INK, SECANT, TANGENT = "#000000", "#D55E00", "#0072B2"
SHADE = {"float32": "#882255", "float64": "#009E73"}
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

    `places` and `steps` tell what the error curves are over; `curves` holds one for each dtype.
    """

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
        reading = Reading(x.item(), places=places)
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

    def __init__(self) -> None:
        self.figure = new_figure()
        left, right = self.figure.subplots(1, 2)
        self.left: Axes = left
        self.right: Axes = right
        for axes in (left, right):
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
        left.set_xlabel("$x$")
        left.set_ylabel("$f(x)$")
        right.set_xlabel("$h$")
        right.set_ylabel(r"$|\,\Delta f/\Delta x - f'(x)\,|$")
        right.set(xscale="log", yscale="log", xlim=(10 ** (LOG_H[0] - 0.3), 10 ** (LOG_H[1] + 0.3)))
        right.set_xticks([10.0**k for k in range(-15, 1, 3)])

        (self.curve,) = left.plot([], [], color=INK, lw=1.6, label="$f$")
        self.secant = left.axline((0, 0), slope=0, color=SECANT, lw=4, label=r"$\Delta f/\Delta x$", zorder=3)
        dashes = (0, (5, 3))
        self.tangent = left.axline((0, 0), slope=0, color=TANGENT, lw=2, ls=dashes, label="$f'(x)$", zorder=4)
        self.ends = _marker(left, "D", SECANT, size=11, hollow=True)
        self.point = _marker(left, "o", INK, size=7, label="$x$")

        self.curves = {
            dtype: right.plot(
                [], [], color=SHADE[dtype], ls=DASH[dtype], marker=MARK[dtype], label=dtype, zorder=3
            )[0]
            for dtype in DTYPES
        }
        self.zeros = {dtype: _marker(right, "v", SHADE[dtype], size=6) for dtype in DTYPES}
        self.step = right.axvline(1, color=INK, lw=1.2, ls=":", zorder=2)
        self.median = _marker(right, "o", INK, size=10, hollow=True, label="$h$")
        self.here = _marker(right, "D", SECANT, size=7, label="$x$")
        self.nothing = _marker(right, "x", SECANT, size=10)
        self.low = self.high = 1.0

    @property
    def moving(self) -> list[Line2D]:
        """The artists that differ from one frame of a drag to the next."""
        left = [self.secant, self.tangent, self.ends, self.point]
        right = [*self.curves.values(), *self.zeros.values(), self.step]
        return [*left, *right, self.median, self.here, self.nothing]

    def set_scene(self, subject: Subject, setting: Setting) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        x, y = subject.curve(setting.name, setting.dtype)
        low, high = _limits(y)
        jumps = np.abs(np.diff(y, prepend=y[:1])) > 2 * (high - low)
        self.curve.set_data(x, np.where(jumps, np.nan, y))  # no line across a pole
        pad = 0.05 * (subject.high - subject.low)
        self.left.set(xlim=(subject.low - pad, subject.high + pad), ylim=(low, high))
        lowest, self.high = subject.error_range(setting.name)
        self.low = lowest / 10  # the line on which errors of exactly zero stand
        self.right.set_ylim(self.low / 2, self.high)
        decades = range(round(math.log10(lowest)), round(math.log10(self.high)) + 1)
        every = max(1, math.ceil(len(decades) / 7))
        shown = [k for k in decades if k % every == 0]
        self.right.set_yticks([self.low, *(10.0**k for k in shown)], ["0", *(f"$10^{{{k}}}$" for k in shown)])
        self.right.minorticks_off()

    def move(self, setting: Setting, reading: Reading) -> None:
        """Set what moves."""
        _set_line(self.secant, reading.ends[0], reading.heights[0], reading.quotient)
        if setting.scheme == "complex":
            _set_line(self.secant, reading.x, reading.height, reading.quotient)
        _set_line(self.tangent, reading.x, reading.height, reading.gradient)
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
        self.step.set_xdata([setting.h, setting.h])
        self.median.set_data([setting.h], [self._on_panel(reading.median)])
        self.here.set_data([setting.h], [self._on_panel(reading.error)])
        self.here.set_marker("v" if reading.error == 0 else "D")
        self.nothing.set_data([setting.h], [self.high / 3 if math.isnan(reading.error) else math.nan])

    def _on_panel(self, error: float) -> float:
        return min(max(error, self.low), self.high) if math.isfinite(error) else math.nan


def _marker(
    axes: Axes, shape: str, color: str, *, size: float, hollow: bool = False, label: str = ""
) -> Line2D:
    face = "none" if hollow else color
    (line,) = axes.plot(
        [], [], ls="none", marker=shape, ms=size, mec=color, mfc=face, mew=2, label=label or "_", zorder=5
    )
    return line


def _set_line(line: Any, x: float, y: float, slope: float) -> None:
    """Move an infinite line, or hide it where it has no place or no slope."""
    line.set_visible(math.isfinite(x) and math.isfinite(y) and math.isfinite(slope))
    if line.get_visible():
        line.set_xy1((x, y))
        line.set_slope(slope)


def _limits(y: np.ndarray) -> tuple[float, float]:
    """Return limits for a curve; a pole does not flatten the rest."""
    y = y[np.isfinite(y)]
    if not len(y):
        return -1.0, 1.0
    low, high = y.min(), y.max()
    inner_low, inner_high = np.quantile(y, [0.05, 0.95])
    if high - low > 8 * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    pad = 0.08 * (high - low) or max(1.0, abs(low))
    return float(low - pad), float(high + pad)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep what a function prints or warns of, a thousand times a frame, out of the notebook."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), one_thread():
        warnings.simplefilter("ignore")
        yield


class Explorer(widgets.VBox):
    """The widget that `explore` returns. It shows itself; places without a front end get one figure."""

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.picture = Picture()
        self.stage = Stage(self.picture.figure, self.picture.moving)
        self._scene: tuple[str, str] | None = None
        self.function = _choice("f(x)", [(name, name) for name in subject.functions], start.name)
        self.dtype = _choice("dtype", [(name, name) for name in DTYPES], start.dtype)
        schemes = [(name, scheme) for scheme, name in _scheme_names().items()]
        self.scheme = _choice(say(en="quotient", ko="차분몫"), schemes, start.scheme)
        step = 10.0 ** math.floor(math.log10((subject.high - subject.low) / 400))
        self.x, x_row = _slider("x", start.x, subject.low, subject.high, step)
        self.log_h, h_row = _slider("log₁₀ h", math.log10(start.h), *LOG_H, 1 / 16)
        self.words = widgets.HTML()
        for control in (self.function, self.dtype, self.scheme, self.x, self.log_h):
            control.observe(self._update, "value")
        choices = _row(self.function, self.dtype, self.scheme)
        children = [choices, _row(x_row, h_row), self.stage.image, widgets.HTML(_legend()), self.words]
        super().__init__(children, layout={"max_width": "920px"})
        self.add_class("secant-explorer")
        self._update()

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, log_h = _short(self.x.value), _short(self.log_h.value)
        return Setting(self.function.value, x, 10**log_h, self.dtype.value, self.scheme.value)

    def _update(self, _: object = None) -> None:
        setting = self.setting
        with _quietly():
            self.reading = self.subject.read(setting)
            if self._scene != (setting.name, setting.dtype):
                self.picture.set_scene(self.subject, setting)
                self.stage.set_scene()
                self._scene = setting.name, setting.dtype
        self.picture.move(setting, self.reading)
        self.stage.show(_alt(setting, self.reading))
        self.words.value = _words(setting, self.reading)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs) or {}
        with _quietly():
            bundle["image/png"] = png(_static(self.subject, self.setting))
        return bundle


def _scheme_names() -> dict[Scheme, str]:
    return {
        "forward": say(en="forward", ko="전방"),
        "central": say(en="central", ko="중앙"),
        "complex": say(en="complex step", ko="복소 스텝"),
    }


def _choice(name: str, options: list[tuple[str, Any]], value: str) -> widgets.Dropdown:
    """Return a list to choose from, which tells a screen reader its name and choice, as buttons do not."""
    return widgets.Dropdown(
        options=options,
        value=value,
        description=name,
        style={"description_width": "60px"},
        layout={"width": "220px"},
    )


class _Slider(widgets.FloatSlider):
    """A slider whose value does not come back to the page: one message less for each frame."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)


def _slider(
    name: str, value: float, low: float, high: float, step: float
) -> tuple[widgets.FloatSlider, widgets.Widget]:
    """Return a slider and a row that holds it beside a box to type the same number into.

    The box carries the label: a screen reader finds no name on the handle of a slider.
    """
    value = _short(value)
    slider = _Slider(value=value, min=low, max=high, step=step, readout=False, layout={"width": "260px"})
    box = widgets.BoundedFloatText(
        value=value,
        min=low,
        max=high,
        step=step,
        description=name,
        style={"description_width": "60px"},
        layout={"width": "150px"},
    )

    def follow(_: object) -> None:
        box.value = _short(slider.value)

    def lead(_: object) -> None:
        if box.value != _short(slider.value):
            slider.value = box.value

    # Linked here, not in the page: there the box would send its every change to the kernel too.
    slider.observe(follow, "value")
    box.observe(lead, "value")
    return slider, widgets.HBox([box, slider])


def _short(number: float) -> float:
    """Undo the page's rounding: its slider counts in per cent, and may say 5.3500000000000005 for 5.35."""
    return float(f"{number:.6g}")


def _row(*children: widgets.Widget) -> widgets.Box:
    return widgets.Box(children, layout=widgets.Layout(display="flex", flex_flow="row wrap"))


def _digits(number: float, dtype: str) -> str:
    """Return every digit that the number has in its dtype, and no more."""
    return str(np.float32(number)) if dtype == "float32" else repr(float(number))


def _formula(scheme: Scheme) -> str:
    return {
        "forward": "(f(x+h) − f(x)) / h",
        "central": "(f(x+h) − f(x−h)) / 2h",
        "complex": "Im f(x+ih) / h",
    }[scheme]


def _words(setting: Setting, reading: Reading) -> str:
    """Return the numbers and remarks as HTML. Its classes are what tests and screen readers go by."""
    rows = [
        ("quotient", say(en="difference quotient", ko="차분몫"), _formula(setting.scheme), reading.quotient),
        ("gradient", say(en="autograd's gradient", ko="autograd의 gradient"), "x.grad", reading.gradient),
        ("error", say(en="difference", ko="둘의 차이"), f"h = {setting.h:.3g}", reading.error),
    ]
    cells = "".join(
        f"<span>{label}</span><span>{formula}</span>"
        f'<output class="secant-{key}">{_digits(value, setting.dtype)}</output>'
        for key, label, formula, value in rows
    )
    cells += (
        f"<span>{say(en='its median', ko='차이의 중앙값')}</span>"
        f"<span>{say(en=f'{reading.places} x nearby', ko=f'근처의 x {reading.places}개')}</span>"
        f'<output class="secant-median">{reading.median:.1e}</output>'
    )
    remarks = "".join(f"<p>{html.escape(remark)}</p>" for remark in reading.problems)
    return (
        '<div class="secant-words" role="status" aria-live="polite">'
        f'<div class="secant-numbers">{cells}</div><div class="secant-remarks">{remarks}</div></div>'
    )


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


_STYLE = """<style>
.secant-legend { display: flex; flex-wrap: wrap; gap: 0 24px; line-height: 1.5; }
.secant-legend > div { flex: 1 1 360px; }
.secant-legend svg { width: 38px; height: 14px; background: #fff; border-radius: 3px; vertical-align: -2px;
  margin-right: 6px; }
.secant-words { margin: 8px 0 0 3px; line-height: 1.5; contain: layout paint; }
.secant-numbers { display: grid; grid-template-columns: max-content max-content 1fr; gap: 0 18px; }
.secant-numbers output { font-family: var(--jp-code-font-family, monospace); font-weight: 600; }
.secant-remarks { min-height: 3.2em; }
.secant-remarks p { margin: 4px 0 0; }
</style>"""


def _sample(color: str, line: str = "", mark: str = "") -> str:
    """Return a small drawing of a line (its SVG attributes) or a marker (its SVG shape)."""
    stroke = f'<path d="M3 7H35" stroke="{color}" fill="none" {line}/>' if line else ""
    return f'<svg viewBox="0 0 38 14" aria-hidden="true">{stroke}{mark}</svg>'


def _legend() -> str:
    """Return what the lines and markers mean, as HTML: the picture carries symbols and numbers only."""

    def disc(color: str, fill: str, radius: float) -> str:
        return f'<circle cx="19" cy="7" r="{radius}" fill="{fill}" stroke="{color}" stroke-width="2"/>'

    def square(color: str) -> str:
        return f'<path d="M16 4h6v6h-6z" fill="{color}"/>'

    def diamond(color: str, fill: str) -> str:
        return f'<path d="M19 1.5 24.5 7 19 12.5 13.5 7z" fill="{fill}" stroke="{color}" stroke-width="2"/>'

    purple, green = SHADE["float32"], SHADE["float64"]
    left = [
        (_sample(INK, 'stroke-width="2"'), say(en="the function f", ko="함수 f")),
        (
            _sample(SECANT, 'stroke-width="4"'),
            say(en="secant: its slope is the quotient", ko="할선: 기울기가 차분몫"),
        ),
        (
            _sample(TANGENT, 'stroke-width="2.5" stroke-dasharray="7 4"'),
            say(en="tangent: its slope is autograd's gradient", ko="접선: 기울기가 autograd의 gradient"),
        ),
        (
            _sample(INK, mark=disc(INK, INK, 3.5)) + _sample(SECANT, mark=diamond(SECANT, "none")),
            say(en="x, and the points the quotient compares", ko="x, 그리고 차분몫이 비교하는 점"),
        ),
    ]
    right = [
        (
            _sample(purple, 'stroke-width="2" stroke-dasharray="6 2 2 2"', square(purple)),
            say(en="float32: median difference near x", ko="float32: x 근처 차이의 중앙값"),
        ),
        (
            _sample(green, 'stroke-width="2"', disc(green, green, 2.5)),
            say(en="float64: median difference near x", ko="float64: x 근처 차이의 중앙값"),
        ),
        (
            _sample(INK, 'stroke-width="1.5" stroke-dasharray="2 2"', disc(INK, "none", 4.5)),
            say(en="the h you chose", ko="지금 고른 h"),
        ),
        (
            _sample(SECANT, mark=diamond(SECANT, SECANT)),
            say(
                en="difference at this one x (▼: exactly 0; ✕: none)",
                ko="이 x 하나에서의 차이 (▼: 정확히 0, ✕: 없음)",
            ),
        ),
    ]
    columns = "".join(
        "<div>" + "".join(f"<div>{drawing}{words}</div>" for drawing, words in column) + "</div>"
        for column in (left, right)
    )
    return f'{_STYLE}<div class="secant-legend">{columns}</div>'


def _static(subject: Subject, setting: Setting) -> Figure:
    picture = Picture()
    picture.set_scene(subject, setting)
    picture.move(setting, subject.read(setting))
    for axes in (picture.left, picture.right):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5, frameon=False, fontsize="small")
    return picture.figure


def _named(functions: Functions | None) -> dict[str, Function]:
    if functions is None:
        return FUNCTIONS
    if isinstance(functions, Mapping):
        return {str(name): f for name, f in functions.items()}
    if not isinstance(functions, Sequence):
        functions = [functions]
    names = [getattr(f, "__name__", type(f).__name__) for f in functions]
    return {"f(x)" if name == "<lambda>" else name: f for name, f in zip(names, functions, strict=True)}


def _refuse(*, en: str, ko: str) -> NoReturn:
    raise ValueError(say(en=en, ko=ko))


def _prepare(
    functions: Functions | None,
    x_range: tuple[float, float],
    x: float,
    h: float,
    dtype: str | torch.dtype,
    scheme: Scheme,
) -> tuple[Subject, Setting]:
    named = _named(functions)
    low, high = map(float, x_range)
    dtype = str(dtype).removeprefix("torch.")
    if not named:
        _refuse(en="explore needs at least one function", ko="explore에는 함수가 하나 이상 필요합니다")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        _refuse(
            en="x_range goes from a smaller to a larger number", ko="x_range는 작은 수에서 큰 수까지입니다"
        )
    if dtype not in DTYPES:
        _refuse(en=f"dtype is one of {', '.join(DTYPES)}", ko=f"dtype은 {', '.join(DTYPES)} 중 하나입니다")
    if scheme not in SCHEMES:
        _refuse(
            en=f"scheme is one of {', '.join(SCHEMES)}", ko=f"scheme은 {', '.join(SCHEMES)} 중 하나입니다"
        )
    if math.isnan(x) or not h > 0:
        _refuse(en="x is a number and h is above 0", ko="x는 수이고 h는 0보다 큽니다")
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
    with _quietly():
        return _static(*_prepare(functions, x_range, x, h, dtype, scheme))
