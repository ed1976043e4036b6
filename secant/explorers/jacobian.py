"""The explorer of lesson 5: a difference quotient of vectors beside J v, and the one number u J v.

Forward mode (`torch.func.jvp`) gives J v, reverse mode (`torch.func.vjp`) gives u J: two ways to cut the
same product, and both readings of it are shown beside the quotient's.
"""

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from torch import Tensor

from secant.explorers import difference
from secant.explorers.difference import FunctionProblem
from secant.explorers.kit.canvas import DPI, new_figure
from secant.explorers.kit.panel import (
    GREEN,
    INK,
    LOG_H,
    PURPLE,
    SECANT,
    TANGENT,
    Panel,
    digits,
    disc,
    error_axes,
    error_limits,
    legend,
    limits,
    marker,
    numbers,
    quietly,
    refuse,
    round_step,
    sample,
    short,
    slider,
    step_slider,
    tidy,
)
from secant.language import say

with warnings.catch_warnings():
    # Forward mode warns at its first use, of torch's own code: not a thing that a student can heed.
    warnings.simplefilter("ignore")
    torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))

Map = Callable[[Tensor], Tensor]  # from (2,) to (2,)
Pair = tuple[float, float]

STEPS, PATH = 65, 33  # of the error curves: h, four a decade; of the road from F(p) to F(p + h v)
FEW_STEPS, FEW_PATH = 17, 9  # the same for a slow function that takes one point at a time
LINES, ALONG = 9, 41  # of the grid: lines each way, points on each
PATIENCE = 0.015  # seconds that a function may take for one frame
GRID = "#B8B8B8"
HEAD = 9.0  # pixels: the length of an arrow's head


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
class Reading:
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
    problems: list[str] = field(default_factory=list)

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

    def __init__(self, f: Map, ranges: tuple[Pair, Pair]) -> None:
        self.f = _checked(f)
        self.ranges = ranges
        self.together, self.count, self.path_count = self._pace()

    def _pace(self) -> tuple[bool, int, int]:
        """Return whether f takes many points at once (by vmap), and how many points a frame can afford."""
        corners = [[(1 - s) * low + s * high for low, high in self.ranges] for s in (0.2, 0.5, 0.8)]
        x = torch.tensor(corners, dtype=torch.float64)
        try:
            start = time.perf_counter()
            alone = self._one_by_one(x)
            calls = PATIENCE / max(1e-6, (time.perf_counter() - start) / len(x))
        except FunctionProblem:
            return False, FEW_STEPS, FEW_PATH
        try:
            together = torch.func.vmap(self.f)(x)
            if torch.allclose(together, alone, rtol=1e-6, atol=1e-9, equal_nan=True):
                return True, STEPS, PATH
        except Exception:  # vmap refuses in many ways
            pass
        if calls > STEPS + PATH:
            return False, STEPS, PATH
        return False, FEW_STEPS, FEW_PATH

    def _one_by_one(self, x: Tensor) -> Tensor:
        """Return f of each row; NaN where it fails. Raises the first problem if it fails everywhere."""
        found, problems = [], []
        for place in x:
            try:
                found.append(difference.values(self.f, place).detach())
            except FunctionProblem as problem:
                problems.append(problem)
                found.append(torch.full((2,), torch.nan, dtype=x.dtype))
        if problems and len(problems) == len(found):
            raise problems[0]
        return torch.stack(found)

    def many(self, x: np.ndarray) -> np.ndarray:
        """Return f of each row of x, (k, 2).

        Raises:
            FunctionProblem: if f fails everywhere.
        """
        points = torch.from_numpy(x)
        return (
            torch.func.vmap(self.f)(points).detach() if self.together else self._one_by_one(points)
        ).numpy()

    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the input plane's grid and its image, NaN between the lines; nothing where f fails."""
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
            image = self.many(plane)
        except FunctionProblem:
            return plane, np.empty((0, 2))
        return plane, np.where(np.isnan(plane), np.nan, image)

    def products(self, setting: Setting) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return F(p), J v and u J.

        Raises:
            FunctionProblem: if f fails, or autograd finds no way from its result back to p.
        """
        p = torch.tensor(setting.p, dtype=torch.float64)
        u, v = (torch.from_numpy(direction(angle)) for angle in (setting.u, setting.v))
        y = difference.values(self.f, p)
        if not difference.values(self.f, p.clone().requires_grad_()).requires_grad:
            raise FunctionProblem(
                say(
                    en="autograd finds no way from the result back to p, so there is no J. "
                    "Is the result a constant, or does the function use .item(), .detach() or NumPy?",
                    ko="autograd가 결과에서 p까지 되돌아가는 길을 찾지 못해 J가 없습니다. "
                    "결과가 상수이거나, 함수 안에서 .item(), .detach(), NumPy를 쓰지 않았나요?",
                )
            )
        try:
            moved = torch.func.jvp(self.f, (p,), (v,))[1]
            (pulled,) = torch.func.vjp(self.f, p)[1](u)
        except FunctionProblem:
            raise
        except Exception as error:
            what = (
                f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
            )
            raise FunctionProblem(
                say(
                    en=f"torch.func.jvp and vjp do not take this function. {what[:200]}",
                    ko=f"이 함수에는 torch.func.jvp와 vjp를 쓸 수 없습니다. {what[:200]}",
                )
            ) from error
        return y.detach().numpy(), moved.detach().numpy(), pulled.detach().numpy()

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        p, v = np.array(setting.p), direction(setting.v)
        reading.steps = np.logspace(*LOG_H, self.count)
        along = np.linspace(0, setting.h, self.path_count)
        points = p + np.concatenate([[setting.h], along, reading.steps])[:, None] * v
        try:
            reading.value, reading.jvp, reading.vjp = self.products(setting)
        except FunctionProblem as problem:
            reading.problems.append(str(problem))
        try:
            reading.value = difference.values(self.f, torch.from_numpy(p)).detach().numpy()
            values = self.many(points)
        except FunctionProblem as problem:
            if str(problem) not in reading.problems:
                reading.problems.append(str(problem))
        else:
            with np.errstate(all="ignore"):
                reading.end, reading.path = values[0], values[1 : 1 + len(along)]
                reading.quotient = (reading.end - reading.value) / setting.h
                quotients = (values[1 + len(along) :] - reading.value) / reading.steps[:, None]
                reading.gaps = np.hypot(*(quotients - reading.jvp).T)
                reading.misses = np.abs(quotients @ direction(setting.u) - reading.backward)
        if not reading.problems:
            reading.problems += _remarks(reading, p, v)
        return reading


def _checked(f: Map) -> Map:
    """Return f with words for a result that is not two real numbers."""

    def two_numbers(x: Tensor) -> Tensor:
        y = f(x)
        if isinstance(y, Tensor) and y.shape != (2,):
            raise FunctionProblem(
                say(
                    en=f"The function returned shape {list(y.shape)}. It takes a tensor of two numbers, "
                    "x[0] and x[1], and should return one of two numbers; torch.stack makes one.",
                    ko=f"함수가 shape {list(y.shape)}을 돌려주었습니다. 수 두 개 x[0], x[1]이 든 텐서를 받아 "
                    "수 두 개가 든 텐서를 돌려주어야 합니다. torch.stack으로 만들 수 있습니다.",
                )
            )
        if isinstance(y, Tensor) and y.is_complex():
            raise FunctionProblem(
                say(
                    en="The function returned complex numbers; this picture needs two real ones.",
                    ko="함수가 복소수를 돌려주었습니다. 이 그림에는 실수 두 개가 필요합니다.",
                )
            )
        # In float64 throughout, or the curves would mix two kinds of rounding.
        return y.double() if isinstance(y, Tensor) and y.is_floating_point() else y

    return two_numbers


def _remarks(reading: Reading, p: np.ndarray, v: np.ndarray) -> list[str]:
    """Return what a reader should know of numbers that came out without an error."""
    h = reading.setting.h
    if not np.isfinite(reading.value).all():
        return [say(en="The function has no finite value at p.", ko="p에서 함수의 값이 유한하지 않습니다.")]
    if (p + h * v == p).all():
        return [
            say(
                en=f"p + h v is p itself: h = {h:.1e} is lost in rounding, and the quotient has no meaning.",
                ko=f"p + h v가 p와 똑같습니다. h = {h:.1e}은 반올림으로 사라져 차분몫은 아무 뜻이 없습니다.",
            )
        ]
    if not np.isfinite(reading.quotient).all():
        return [
            say(
                en="The function has no finite value at p + h v, so there is no quotient.",
                ko="p + h v에서 함수의 값이 유한하지 않아 차분몫이 없습니다.",
            )
        ]
    if not (np.isfinite(reading.jvp).all() and np.isfinite(reading.vjp).all()):
        return [
            say(
                en="At p the slopes are not finite: there is no J v to compare with.",
                ko="p에서 기울기가 유한하지 않아 비교할 J v가 없습니다.",
            )
        ]
    if reading.gap == 0 or reading.miss == 0:
        return [
            say(
                en="A distance is exactly 0 here. A log scale has no 0: it stands on the bottom line (▼).",
                ko="차이가 정확히 0입니다. 로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
            )
        ]
    return []


class Picture:
    """The figure: the input plane, the output plane with its arrows, and both distances against h."""

    def __init__(self, subject: Subject, names: tuple[str, str]) -> None:
        self.subject, self.names = subject, names
        self.figure = new_figure()
        self.inputs, self.outputs, self.errors = self.figure.subplots(1, 3, width_ratios=(0.5, 1.7, 1.1))
        tidy(self.inputs, self.outputs, self.errors)
        for axes in (self.inputs, self.outputs):
            axes.grid(False)
        self.inputs.set_xlabel(f"${names[0]}$")
        self.inputs.set_ylabel(f"${names[1]}$")
        self.outputs.set_xlabel("$F_0$")
        self.outputs.set_ylabel("$F_1$")
        error_axes(self.errors, r"$|\,\Delta F/h - J\,v\,|$")
        self.errors.set_xticks([10.0**k for k in (-15, -10, -5, 0)])

        (self.plane,) = self.inputs.plot([], [], color=GRID, lw=0.8)
        (self.image,) = self.outputs.plot([], [], color=GRID, lw=0.8)
        # Each artist that moves costs 0.1 ms a frame: a way's two ends are marks on its own line.
        way = {
            "color": INK,
            "lw": 1.2,
            "ls": ":",
            "marker": "o",
            "ms": 4.5,
            "mew": 1.5,
            "mfc": "white",
            "zorder": 6,
        }
        (self.road,) = self.inputs.plot([], [], **way)
        (self.v,) = self.inputs.plot([], [], color=INK, lw=2, zorder=4)

        (self.path,) = self.outputs.plot([], [], label="$F(p),\\ F(p+hv)$", **way)
        (self.quotient,) = self.outputs.plot([], [], color=SECANT, lw=5, label=r"$\Delta F/h$", zorder=4)
        (self.jvp,) = self.outputs.plot([], [], color=TANGENT, lw=2, label="$J\\,v$", zorder=5)
        (self.u,) = self.outputs.plot([], [], color=GREEN, lw=2, label="$u$", zorder=5)
        (self.gaps,) = self.errors.plot([], [], color=TANGENT, lw=2, label=r"$|\Delta F/h - Jv|$", zorder=3)
        (self.misses,) = self.errors.plot(
            [], [], color=PURPLE, lw=2, ls="-.", label=r"$|u\cdot\Delta F/h - (u^{\top}J)\cdot v|$", zorder=4
        )
        self.zeros = marker(self.errors, "v", INK, size=5, hollow=True)
        self.step = self.errors.axvline(1, color=INK, lw=1.2, ls=":", zorder=2)
        self.here = marker(self.errors, "o", INK, size=9, hollow=True)
        self.low = self.high = 1.0
        self.pixel = {axes: np.ones(2) for axes in (self.inputs, self.outputs)}

    @property
    def moving(self) -> Sequence[Line2D]:
        """The artists that differ from one frame of a drag to the next."""
        planes = [self.road, self.v, self.path, self.quotient, self.jvp, self.u]
        return [*planes, self.gaps, self.misses, self.zeros, self.step, self.here]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: both grids and all limits."""
        plane, image = self.subject.grid()
        self.plane.set_data(*plane.T)
        self.image.set_data(*image.T)
        (a, b), (c, d) = self.subject.ranges
        middle = (a + b) / 2, (c + d) / 2
        seen = [self.subject.read(Setting(middle, 1.0, v, 45.0)) for v in (30.0, 120.0, 210.0, 300.0)]
        found = np.concatenate([image, *((one.value + one.jvp)[None] for one in seen)])
        boxes = {
            self.inputs: np.array([[a - 0.08 * (b - a), b + 0.08 * (b - a)], [c, d]]),
            self.outputs: np.array([limits(found[:, k]) for k in (0, 1)]),
        }
        self._limit_errors(np.concatenate([np.concatenate([one.gaps, one.misses]) for one in seen]))
        for _ in range(2):  # new limits have other tick labels, which leave another place
            for axes, box in boxes.items():
                axes.set(xlim=box[0], ylim=box[1])
            self.figure.draw_without_rendering()  # only now are the sizes known
            for axes, box in boxes.items():
                size = axes.get_window_extent()
                pixels = np.array([size.width, size.height]) * DPI / self.figure.dpi  # the page's
                pixel = np.ptp(box, axis=1) / pixels
                # True to angles, unless one direction would be squeezed to nothing.
                if pixel.max() < 5 * pixel.min():
                    pixel[:] = pixel.max()
                boxes[axes] = box.mean(axis=1)[:, None] + np.outer(pixel * pixels, (-0.5, 0.5))
                self.pixel[axes] = pixel
        for axes, box in boxes.items():
            axes.set(xlim=box[0], ylim=box[1])

    def _limit_errors(self, errors: np.ndarray) -> None:
        errors = errors[np.isfinite(errors) & (errors > 0)]
        lowest, highest = (errors.min(), errors.max()) if len(errors) else (1e-12, 1.0)
        self.high = 10.0 ** min(8, max(0, math.ceil(math.log10(highest)) + 1))
        self.low = error_limits(
            self.errors, 10.0 ** min(-6, max(-17, math.floor(math.log10(lowest)))), self.high
        )

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        p, v = np.array(setting.p), direction(setting.v)
        self.road.set_data(*np.stack([p, p + setting.h * v], axis=1))
        self.v.set_data(*self._arrow(self.inputs, p, v))

        self.path.set_data(*reading.path.T)
        self.path.set_markevery([0, max(0, len(reading.path) - 1)])
        self.quotient.set_data(*self._arrow(self.outputs, reading.value, reading.quotient))
        self.jvp.set_data(*self._arrow(self.outputs, reading.value, reading.jvp, dashed=True))
        self.u.set_data(*self._arrow(self.outputs, reading.value, direction(setting.u), closed=True))

        zeros = []
        for line, errors in ((self.gaps, reading.gaps), (self.misses, reading.misses)):
            steps = reading.steps[: len(errors)]
            zero = errors == 0
            zeros.append(steps[zero])
            line.set_data(steps, np.where(zero, np.nan, errors))
        found = np.concatenate(zeros)
        self.zeros.set_data(found, np.full(len(found), self.low))
        self.zeros.set_visible(len(found) > 0)
        self.step.set_xdata([setting.h, setting.h])
        here = [min(max(error, self.low), self.high) for error in (reading.gap, reading.miss)]
        self.here.set_data([setting.h, setting.h], here)

    def _arrow(
        self, axes: Axes, start: np.ndarray, vector: np.ndarray, *, dashed: bool = False, closed: bool = False
    ) -> np.ndarray:
        """Return an arrow as the points of one line, (2, k); a patch would cost ten times as much."""
        if not (np.isfinite(start).all() and np.isfinite(vector).all()):
            return np.empty((2, 0))
        pixel = self.pixel[axes]
        seen = vector / pixel
        length = float(np.hypot(*seen))
        if length < 1e-3:
            return np.empty((2, 0))
        along = seen / length
        across = np.array([-along[1], along[0]])
        head = min(HEAD, 0.6 * length)
        wings = [seen - head * along + side * 0.5 * head * across for side in (1, -1)]
        gap = np.full((1, 2), np.nan)
        if dashed:
            ends = np.arange(0, length - head, 12.0)
            shaft = [part for s in ends for part in (s * along, min(s + 8, length) * along, gap[0])]
        else:
            shaft = [np.zeros(2), seen - (head * along if closed else 0), gap[0]]
        tip = [wings[0], seen, wings[1]] + ([wings[0]] if closed else [])
        return (start + np.array([*shaft, *tip]) * pixel).T


class Explorer(Panel):
    """The widget that `explore_arrows` returns."""

    def __init__(
        self, subject: Subject, start: Setting, names: tuple[str, str], labels: tuple[str, str]
    ) -> None:
        self.subject, self.names = subject, names
        (a, b), (c, d) = subject.ranges
        self.first, first_row = slider(labels[0], start.p[0], a, b, round_step(a, b))
        self.second, second_row = slider(labels[1], start.p[1], c, d, round_step(c, d))
        self.log_h, h_row = step_slider(start.h)
        self.v, v_row = slider("∠v (°)", start.v, -180, 180, 1)
        self.u, u_row = slider("∠u (°)", start.u, -180, 180, 1)
        rows = [[first_row, second_row], [h_row], [v_row, u_row]]
        super().__init__(Picture(subject, names), rows, _legend())

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        p = short(self.first.value), short(self.second.value)
        return Setting(p, 10 ** short(self.log_h.value), short(self.v.value), short(self.u.value))

    def fresh_picture(self) -> Picture:
        return Picture(self.subject, self.names)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def words(self) -> str:
        reading: Reading = self.reading
        h = f"h = {reading.setting.h:.3g}"
        quotient, number = (
            say(en="difference quotient", ko="차분몫"),
            say(en="forward mode", ko="순방향 모드"),
        )
        gap = say(en="the arrows are apart by", ko="두 화살표의 차이")
        along = say(en="the quotient, seen along u", ko="u 쪽으로 잰 차분몫")
        back = say(en="reverse mode, then along v", ko="역방향 모드, 그다음 v 쪽")
        miss = say(en="the numbers are apart by", ko="두 수의 차이")
        return numbers(
            [
                ("quotient", quotient, "(F(p+hv) − F(p)) / h", _pair(reading.quotient)),
                ("jvp", number, "J v", _pair(reading.jvp)),
                ("gap", gap, h, digits(reading.gap)),
                ("forward", along, "u · (F(p+hv) − F(p)) / h", digits(reading.forward)),
                ("backward", back, "(u<sup>⊤</sup>J) · v", digits(reading.backward)),
                ("miss", miss, h, digits(reading.miss)),
            ],
            reading.problems,
        )

    def alt(self) -> str:
        reading: Reading = self.reading
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


def _legend() -> str:
    """Return what the lines and markers mean, as HTML."""

    def arrow(color: str, line: str, head: str) -> str:
        return sample(
            color,
            line,
            f'<path d="M28 2.5 35 7 28 11.5{head}" stroke="{color}" stroke-width="2" fill="none"/>',
        )

    left = [
        (
            arrow(SECANT, 'stroke-width="4.5"', ""),
            say(en="difference quotient of the step h v", ko="h v만큼 갔을 때의 차분몫"),
        ),
        (
            arrow(TANGENT, 'stroke-width="2" stroke-dasharray="6 3"', ""),
            say(en="J v, by forward mode (jvp)", ko="순방향 모드(jvp)로 구한 J v"),
        ),
        (
            arrow(GREEN, 'stroke-width="2"', "z"),
            say(en="u, a direction among the outputs", ko="u, 출력 쪽의 방향"),
        ),
        (
            arrow(INK, 'stroke-width="2"', ""),
            say(en="v, a direction among the inputs", ko="v, 입력 쪽의 방향"),
        ),
    ]
    right = [
        (
            sample(INK, 'stroke-width="1.5" stroke-dasharray="2 2"', disc(INK, "#fff", 3)),
            say(
                en="from p to p + h v, and where F takes that way",
                ko="p에서 p + h v까지의 길, 그리고 F가 그 길을 보내는 곳",
            ),
        ),
        (
            sample(TANGENT, 'stroke-width="2"'),
            say(en="distance of the two arrows", ko="두 화살표의 차이"),
        ),
        (
            sample(PURPLE, 'stroke-width="2" stroke-dasharray="6 2 2 2"'),
            say(en="distance of the two numbers", ko="두 수의 차이"),
        ),
        (
            sample(INK, 'stroke-width="1.5" stroke-dasharray="2 2"', disc(INK, "none", 4.5)),
            say(en="the h you chose (▼: a distance of exactly 0)", ko="지금 고른 h (▼: 차이가 정확히 0)"),
        ),
    ]
    return legend(left, right)


def explore_arrows(
    function: Map | None = None,
    *,
    ranges: tuple[Pair, Pair] | None = None,
    p: Pair | None = None,
    h: float = 1.0,
    v: float = 53.0,
    u: float = 45.0,
) -> Explorer:
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
    for low, high in ranges:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            refuse(
                en="each range goes from a smaller to a larger number",
                ko="각 범위는 작은 수에서 큰 수까지입니다",
            )
    if p is None:
        p = (2.0, 0.5) if function is None else (1.0, 0.5)
    if any(math.isnan(number) for number in (*p, v, u)) or not h > 0:
        refuse(en="p, v and u are numbers and h is above 0", ko="p, v, u는 수이고 h는 0보다 큽니다")
    first, second = (min(max(float(x), low), high) for x, (low, high) in zip(p, ranges, strict=True))
    h = min(max(float(h), 10 ** LOG_H[0]), 10 ** LOG_H[1])
    turned = [(angle + 180.0) % 360.0 - 180.0 for angle in (v, u)]
    (a, b), (c, d) = ranges
    with quietly():
        subject = Subject(function or polar, ((float(a), float(b)), (float(c), float(d))))
    return Explorer(subject, Setting((first, second), h, *turned), names, labels)
