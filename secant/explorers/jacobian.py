"""The explorer of lesson 5: a difference quotient of vectors beside J v, and the one number u J v.

Forward mode (`torch.func.jvp`) gives J v, reverse mode (`torch.func.vjp`) gives u J: two ways to cut the
same product, and both readings of it are shown beside the quotient's.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers import difference
from secant.explorers.difference import FunctionProblem
from secant.explorers.kit import controls, elementwise, plots, words
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT
from secant.explorers.kit.plane import PlanePlot, fit
from secant.explorers.kit.ranges import LOG_H, Range, checked_range, clamp, padded, refuse, step_in
from secant.explorers.kit.widget import Findings, Panel, quietly
from secant.explorers.kit.words import Row, digits
from secant.language import say

with warnings.catch_warnings():
    # Forward mode warns at its first use, of torch's own code: not a thing that a student can heed.
    warnings.simplefilter("ignore")
    torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))

Map = Callable[[Tensor], Tensor]  # from (2,) to (2,)
Pair = tuple[float, float]
Names = tuple[str, str]  # of the two inputs

STEPS, PATH = 65, 33  # of the error curves: h, four a decade; of the road from F(p) to F(p + h v)
FEW_STEPS, FEW_PATH = 17, 9  # the same for a slow function that takes one point at a time
LINES, ALONG = 9, 41  # of the grid: lines each way, points on each
PATIENCE = 0.015  # seconds that a function may take for one frame
TURN = (-180.0, 180.0)  # degrees


def polar(x: Tensor) -> Tensor:
    return torch.stack([x[0] * torch.cos(x[1]), x[0] * torch.sin(x[1])])


@dataclass(frozen=True)
class Setting:
    """What the controls say: p among the inputs, the step, and two directions in degrees."""

    p: Pair
    h: float
    v: float
    u: float


def _nothing() -> np.ndarray:
    return np.full(2, np.nan)


@dataclass
class Reading(Findings):
    """What a setting comes to, (2,) arrays and numbers. NaN where there is none."""

    setting: Setting
    value: np.ndarray = field(default_factory=_nothing)
    end: np.ndarray = field(default_factory=_nothing)
    quotient: np.ndarray = field(default_factory=_nothing)
    jvp: np.ndarray = field(default_factory=_nothing)
    vjp: np.ndarray = field(default_factory=_nothing)
    path: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    gaps: np.ndarray = field(default_factory=lambda: np.empty(0))
    misses: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def gap(self) -> float:
        """How far the two arrows are apart."""
        return float(np.hypot(*(self.quotient - self.jvp)))

    @property
    def forward(self) -> float:
        """u . quotient."""
        return float(direction(self.setting.u) @ self.quotient)

    @property
    def backward(self) -> float:
        """(u J) . v."""
        return float(self.vjp @ direction(self.setting.v))

    @property
    def miss(self) -> float:
        """How far these two numbers are apart."""
        return abs(self.forward - self.backward)


def direction(degrees: float) -> np.ndarray:
    """Return the unit vector at an angle."""
    angle = math.radians(degrees)
    return np.array([math.cos(angle), math.sin(angle)])


class Subject:
    """The function to explore, with what is worked out once for it."""

    def __init__(self, f: Map, ranges: tuple[Range, Range]) -> None:
        self.f = _checked(f)
        self.ranges = ranges
        corners = [[(1 - s) * low + s * high for low, high in ranges] for s in (0.2, 0.5, 0.8)]
        found = elementwise.prepare_rows(self.f, torch.tensor(corners, dtype=torch.float64), PATIENCE)
        self.rows = found.f
        quick = found.together or found.calls > STEPS + PATH
        self.count, self.path_count = (STEPS, PATH) if quick else (FEW_STEPS, FEW_PATH)

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The input plane's grid and its image, NaN between the lines; nothing where f fails."""
        (a, b), (c, d) = self.ranges
        lines, along = (LINES, ALONG) if self.count == STEPS else (5, 9)
        parts = []
        gap = np.full((1, 2), np.nan)
        for x in np.linspace(a, b, lines):
            parts += [np.stack([np.full(along, x), np.linspace(c, d, along)], axis=1), gap]
        for y in np.linspace(c, d, lines):
            parts += [np.stack([np.linspace(a, b, along), np.full(along, y)], axis=1), gap]
        plane = np.concatenate(parts)
        try:
            image = self.rows(torch.from_numpy(plane)).numpy()
        except FunctionProblem:
            return plane, np.empty((0, 2))
        return plane, np.where(np.isnan(plane), np.nan, image)

    @cached_property
    def seen(self) -> "list[Reading]":
        """What is found in the middle of the ranges, in four directions."""
        (a, b), (c, d) = self.ranges
        settings = [Setting(((a + b) / 2, (c + d) / 2), 1.0, v, 45.0) for v in (30.0, 120.0, 210.0, 300.0)]
        return [self._numbers(setting) for setting in settings]

    @cached_property
    def typical_errors(self) -> np.ndarray:
        """Both distances against h, as seen from there."""
        return np.concatenate([np.concatenate([one.gaps, one.misses]) for one in self.seen])

    def products(self, setting: Setting) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return F(p), J v and u J.

        Raises:
            FunctionProblem: if f fails, or autograd finds no way from its result back to p.
        """
        p = torch.tensor(setting.p, dtype=torch.float64)
        u, v = (torch.from_numpy(direction(angle)) for angle in (setting.u, setting.v))
        y = difference.values(self.f, p)
        if not difference.values(self.f, p.clone().requires_grad_()).requires_grad:
            raise difference.problem(
                en="autograd finds no way from the result back to p, so there is no J. "
                "Is the result a constant, or does the function use .item(), .detach() or NumPy?",
                ko="autograd가 결과에서 p까지 되돌아가는 길을 찾지 못해 J가 없습니다. "
                "결과가 상수이거나, 함수 안에서 .item(), .detach(), NumPy를 쓰지 않았나요?",
            )
        try:
            moved = torch.func.jvp(self.f, (p,), (v,))[1]
            (pulled,) = torch.func.vjp(self.f, p)[1](u)
        except FunctionProblem:
            raise
        except Exception as error:
            what = difference.in_brief(error)
            raise difference.problem(
                en=f"torch.func.jvp and vjp do not take this function. {what}",
                ko=f"이 함수에는 torch.func.jvp와 vjp를 쓸 수 없습니다. {what}",
            ) from error
        return y.detach().numpy(), moved.detach().numpy(), pulled.detach().numpy()

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = self._numbers(setting)
        outputs = elementwise.any_finite(self.grid[1], reading.value)
        errors = elementwise.any_finite(self.typical_errors, reading.gaps)
        reading.filled = outputs or errors, outputs, errors
        if not reading.problems:
            _remark(reading)
        return reading

    def _numbers(self, setting: Setting) -> Reading:
        reading = Reading(setting)
        p, v = np.array(setting.p), direction(setting.v)
        reading.steps = np.logspace(*LOG_H, self.count)
        along = np.linspace(0, setting.h, self.path_count)
        points = p + np.concatenate([[setting.h], along, reading.steps])[:, None] * v
        with reading.noting():
            reading.value, reading.jvp, reading.vjp = self.products(setting)
        with reading.noting(), np.errstate(all="ignore"):
            reading.value = difference.values(self.f, torch.from_numpy(p)).detach().numpy()
            values = self.rows(torch.from_numpy(points)).numpy()
            reading.end, reading.path = values[0], values[1 : 1 + len(along)]
            reading.quotient = (reading.end - reading.value) / setting.h
            quotients = (values[1 + len(along) :] - reading.value) / reading.steps[:, None]
            reading.gaps = np.hypot(*(quotients - reading.jvp).T)
            reading.misses = np.abs(quotients @ direction(setting.u) - reading.backward)
        return reading


def _checked(f: Map) -> Map:
    """Return f with words for a result that is not two real numbers."""

    def two_numbers(x: Tensor) -> Tensor:
        y = f(x)
        if isinstance(y, Tensor) and y.shape != (2,):
            raise difference.problem(
                en=f"The function returned shape {list(y.shape)}. It takes a tensor of two numbers, "
                "x[0] and x[1], and should return one of two numbers; torch.stack makes one.",
                ko=f"함수가 shape {list(y.shape)}을 돌려주었습니다. 수 두 개 x[0], x[1]이 든 텐서를 받아 "
                "수 두 개가 든 텐서를 돌려주어야 합니다. torch.stack으로 만들 수 있습니다.",
            )
        if isinstance(y, Tensor) and y.is_complex():
            raise difference.problem(
                en="The function returned complex numbers; this picture needs two real ones.",
                ko="함수가 복소수를 돌려주었습니다. 이 그림에는 실수 두 개가 필요합니다.",
            )
        # In float64 throughout, or the curves would mix two kinds of rounding.
        return y.double() if isinstance(y, Tensor) and y.is_floating_point() else y

    return two_numbers


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    h, p = reading.setting.h, np.array(reading.setting.p)
    if not np.isfinite(reading.value).all():
        reading.problem(
            en="The function has no finite value at p.", ko="p에서 함수의 값이 유한하지 않습니다."
        )
    elif (p + h * direction(reading.setting.v) == p).all():
        reading.remark(
            en=f"p + h v is p itself: h = {h:.1e} is lost in rounding, and the quotient has no meaning.",
            ko=f"p + h v가 p와 똑같습니다. h = {h:.1e}은 반올림으로 사라져 차분몫은 아무 뜻이 없습니다.",
        )
    elif not np.isfinite(reading.quotient).all():
        reading.problem(
            en="The function has no finite value at p + h v, so there is no quotient.",
            ko="p + h v에서 함수의 값이 유한하지 않아 차분몫이 없습니다.",
        )
    elif not (np.isfinite(reading.jvp).all() and np.isfinite(reading.vjp).all()):
        reading.problem(
            en="At p the slopes are not finite: there is no J v to compare with.",
            ko="p에서 기울기가 유한하지 않아 비교할 J v가 없습니다.",
        )
    elif reading.gap == 0 or reading.miss == 0:
        reading.remark(
            en="A distance is exactly 0 here. A log scale has no 0: it stands on the bottom line (▼).",
            ko="차이가 정확히 0입니다. 로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
        )


class Picture:
    """The figure: the input plane, the output plane with its arrows, and both distances against h."""

    def __init__(self, subject: Subject, names: tuple[str, str]) -> None:
        self.subject, self.names = subject, names
        self.figure, (left, middle, right) = plots.row(3, width_ratios=(0.5, 1.7, 1.1))
        self.inputs = PlanePlot(left, f"${names[0]}$", f"${names[1]}$")
        self.outputs = PlanePlot(middle, "$F_0$", "$F_1$")
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta F/h - J\,v\,|$", every=5)

        self.road, self.v = self.inputs.way(), self.inputs.arrow(INK, 2, zorder=4)
        self.path = self.outputs.way(label="$F(p),\\ F(p+hv)$")
        self.quotient = self.outputs.arrow(SECANT, 5, label=r"$\Delta F/h$", zorder=4)
        self.jvp = self.outputs.arrow(TANGENT, 2, label="$J\\,v$", zorder=5)
        self.u = self.outputs.arrow(GREEN, 2, label="$u$", zorder=5)
        (self.gaps,) = right.plot([], [], color=TANGENT, lw=2, label=r"$|\Delta F/h - Jv|$", zorder=3)
        (self.misses,) = right.plot(
            [], [], color=PURPLE, lw=2, ls="-.", label=r"$|u\cdot\Delta F/h - (u^{\top}J)\cdot v|$", zorder=4
        )
        self.zeros = plots.marker(right, "v", INK, size=5, hollow=True)
        self.here = plots.marker(right, "o", INK, size=9, hollow=True)

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        planes = [self.road, self.v, self.path, self.quotient, self.jvp, self.u]
        return [*planes, self.gaps, self.misses, self.zeros, self.errors.step, self.here]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: both grids and all limits."""
        plane, image = self.subject.grid
        (a, b), second = self.subject.ranges
        found = np.concatenate([image, *((one.value + one.jvp)[None] for one in self.subject.seen)])
        self.inputs.set_grid(plane, padded((a, b), 0.08), second)
        self.outputs.set_grid(image, plots.limits(found[:, 0]), plots.limits(found[:, 1]))
        lowest, highest = plots.decades(self.subject.typical_errors, -17, 7, fewest=0)
        self.errors.set_decades(min(lowest, 1e-6), max(10 * highest, 1.0))
        fit(self.inputs, self.outputs)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        p, v = np.array(setting.p), direction(setting.v)
        self.road.set_data(*np.stack([p, p + setting.h * v], axis=1))
        self.v.set_data(*self.inputs.arrow_points(p, v))
        self.path.set_data(*reading.path.T)
        self.path.set_markevery([0, max(0, len(reading.path) - 1)])
        points, value = self.outputs.arrow_points, reading.value
        self.quotient.set_data(*points(value, reading.quotient))
        self.jvp.set_data(*points(value, reading.jvp, dashed=True))
        self.u.set_data(*points(value, direction(setting.u), closed=True))
        steps = reading.steps[: len(reading.gaps)]
        curves = [(self.gaps, steps, reading.gaps), (self.misses, steps, reading.misses)]
        self.zeros.set_visible(len(self.errors.set_curves(self.zeros, curves)) > 0)
        self.errors.set_step(setting.h)
        self.errors.set_marks(self.here, setting.h, reading.gap, reading.miss)


class JacobianExplorer(Panel[Reading]):
    """The widget that `explore_arrows` returns."""

    def __init__(self, subject: Subject, start: Setting, names: Names, labels: Names) -> None:
        self.subject = subject
        self.first, first_row = controls.slider(labels[0], start.p[0], subject.ranges[0])
        self.second, second_row = controls.slider(labels[1], start.p[1], subject.ranges[1])
        self.log_h, h_row = controls.step_slider(start.h)
        self.v, v_row = controls.slider("∠v (°)", start.v, TURN, 1)
        self.u, u_row = controls.slider("∠u (°)", start.u, TURN, 1)
        rows = [[first_row, second_row], [h_row], [v_row, u_row]]
        super().__init__(lambda: Picture(subject, names), rows, words.legend(*LEGEND))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        first, second, v, u = (
            controls.short(slider.value) for slider in (self.first, self.second, self.v, self.u)
        )
        return Setting((first, second), controls.step_of(self.log_h), v, u)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def rows(self) -> list[Row]:
        reading = self.reading
        h = f"h = {reading.setting.h:.3g}"
        gap = say(en="the arrows are apart by", ko="두 화살표의 차이")
        along = say(en="the quotient, seen along u", ko="u 쪽으로 잰 차분몫")
        back = say(en="reverse mode, then along v", ko="역방향 모드, 그다음 v 쪽")
        miss = say(en="the numbers are apart by", ko="두 수의 차이")
        quotient, jvp = _pair(reading.quotient), _pair(reading.jvp)
        return [
            Row("quotient", say(en="difference quotient", ko="차분몫"), "(F(p+hv) − F(p)) / h", quotient),
            Row("jvp", say(en="forward mode", ko="순방향 모드"), "J v", jvp),
            Row("gap", gap, h, digits(reading.gap)),
            Row("forward", along, "u · (F(p+hv) − F(p)) / h", digits(reading.forward)),
            Row("backward", back, "(u<sup>⊤</sup>J) · v", digits(reading.backward)),
            Row("miss", miss, h, digits(reading.miss)),
        ]

    def alt(self) -> str:
        reading = self.reading
        at = f"({reading.setting.p[0]:.3g}, {reading.setting.p[1]:.3g})"
        quotient, moved = _pair(reading.quotient, 4), _pair(reading.jvp, 4)
        return say(
            en=f"Left: the input plane with p = {at} and v at {reading.setting.v:g}°. Middle: the output "
            f"plane with the grid's image and arrows from F(p): the quotient ({quotient}), J v ({moved}), "
            f"and u at {reading.setting.u:g}°. Right: both distances against h; at h = "
            f"{reading.setting.h:.1e} the arrows are {reading.gap:.2g} apart and the numbers "
            f"{reading.miss:.2g}.",
            ko=f"왼쪽: 입력 평면의 점 p = {at}와 {reading.setting.v:g}° 방향의 v. 가운데: 격자의 상이 그려진 "
            f"출력 평면에서 F(p)에서 나오는 화살표, 곧 차분몫 ({quotient}), J v ({moved}), "
            f"{reading.setting.u:g}° 방향의 u. 오른쪽: h에 따른 두 차이. h = {reading.setting.h:.1e}에서 "
            f"화살표의 차이는 {reading.gap:.2g}, 수의 차이는 {reading.miss:.2g}.",
        )


def _pair(values: np.ndarray, places: int = 0) -> str:
    return ", ".join(f"{value:.{places}g}" if places else digits(value) for value in values)


def _arrow_sample(color: str, width: float, dashes: str = "", close: str = "") -> str:
    head = f'<path d="M28 2.5 35 7 28 11.5{close}" stroke="{color}" stroke-width="2" fill="none"/>'
    return words.line(color, width, dashes, head)


LEGEND = (
    [
        (
            _arrow_sample(SECANT, 4.5),
            "difference quotient of the step h v",
            "h v만큼 갔을 때의 차분몫",
        ),
        (_arrow_sample(TANGENT, 2, "6 3"), "J v, by forward mode (jvp)", "순방향 모드(jvp)로 구한 J v"),
        (_arrow_sample(GREEN, 2, close="z"), "u, a direction among the outputs", "u, 출력 쪽의 방향"),
        (_arrow_sample(INK, 2), "v, a direction among the inputs", "v, 입력 쪽의 방향"),
    ],
    [
        (
            words.line(INK, 1.5, "2 2", words.disc(INK, 3, "#fff")),
            "from p to p + h v, and where F takes that way",
            "p에서 p + h v까지의 길, 그리고 F가 그 길을 보내는 곳",
        ),
        (words.line(TANGENT, 2), "distance of the two arrows", "두 화살표의 차이"),
        (words.line(PURPLE, 2, "6 2 2 2"), "distance of the two numbers", "두 수의 차이"),
        (
            words.STEP_LINE,
            "the h you chose (▼: a distance of exactly 0)",
            "지금 고른 h (▼: 차이가 정확히 0)",
        ),
    ],
)


def explore_arrows(
    function: Map | None = None,
    *,
    ranges: tuple[Range, Range] | None = None,
    p: Pair | None = None,
    h: float = 1.0,
    v: float = 53.0,
    u: float = 45.0,
) -> JacobianExplorer:
    """Show a difference quotient of vectors beside J v, with sliders for place, step and two directions.

    Args:
        function: from a tensor of two numbers to a tensor of two numbers, made of PyTorch operations; polar
            coordinates, (r, t) to (r cos t, r sin t), when none is given.
        ranges: of its two inputs, ((low, high), (low, high)).
        p: the place at first.
        h: the step at first.
        v, u: the angles at first, in degrees, of the direction among the inputs and that among the outputs.

    Raises:
        ValueError: for a range or a start value that makes no sense.
    """
    names, labels = (("r", "t"), ("r", "t")) if function is None else (("x_0", "x_1"), ("x₀", "x₁"))
    if ranges is None:
        ranges = ((0.25, 3.0), (-3.1, 3.1)) if function is None else ((-2.0, 2.0), (-2.0, 2.0))
    each = say(en="each range", ko="각 범위")
    first, second = (checked_range(ends, each) for ends in ranges)
    if p is None:
        p = (2.0, 0.5) if function is None else (1.0, 0.5)
    if any(math.isnan(number) for number in (*p, v, u)) or not h > 0:
        refuse(en="p, v and u are numbers and h is above 0", ko="p, v, u는 수이고 h는 0보다 큽니다")
    start = clamp(p[0], first), clamp(p[1], second)
    turned = [(angle + 180.0) % 360.0 - 180.0 for angle in (v, u)]
    with quietly():
        subject = Subject(function or polar, (first, second))
    return JacobianExplorer(subject, Setting(start, step_in(h), *turned), names, labels)
