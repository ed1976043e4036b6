"""The explorer of lesson 2: in a chain of steps the product of the quotients is the quotient, at every h."""

import contextlib
import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import torch
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from torch import Tensor

from secant.explorers import difference
from secant.explorers.difference import Function, FunctionProblem
from secant.explorers.kit import panel
from secant.explorers.kit.canvas import new_figure
from secant.explorers.kit.panel import (
    AMBER,
    GREEN,
    INK,
    LOG_H,
    PURPLE,
    SECANT,
    SKY,
    TANGENT,
    Panel,
    digits,
    refuse,
    short,
)
from secant.language import say

Steps = Sequence[tuple[str, Function]]
MOST = 5  # steps that the picture has room for
PLACES, COUNT = 21, 65  # of an error curve: x near the chosen one, and h, four a decade
ALONE = 33  # the h for steps that take one number at a time; they get one x

#: One a step, and the last for the whole chain: colour, matplotlib marker, dashes, dashes in the legend.
LOOKS = (
    (PURPLE, "s", (0, (6, 2, 2, 2)), "6 2 2 2"),
    (GREEN, "^", (0, (2, 2)), "2 2"),
    (AMBER, "o", (0, (6, 2)), "6 2"),
    (SKY, "v", (0, (1, 1)), "1 1"),
    (SECANT, "P", (0, (4, 1, 1, 1, 1, 1)), "4 1 1 1 1 1"),
)
WHOLE = (INK, "D", "-", "")


def times_three(x: Tensor) -> Tensor:
    return 3 * x


def plus_one(z: Tensor) -> Tensor:
    return z + 1


def square(y: Tensor) -> Tensor:
    return y**2


LINE: Steps = (("z", times_three), ("y", plus_one), ("loss", square))


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    x: float
    h: float


@dataclass
class Reading:
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
    problems: list[str] = field(default_factory=list)

    @property
    def product(self) -> float:
        return math.prod(self.quotients)

    @property
    def errors(self) -> list[float]:
        """How far each quotient is from autograd's slope; the whole chain's comes last."""
        pairs = zip([*self.quotients, self.whole], [*self.slopes, self.gradient], strict=True)
        return [abs(quotient - slope) for quotient, slope in pairs]


class Subject:
    """A chain of steps and the range of x, with what is worked out once."""

    def __init__(self, steps: Steps, x_range: tuple[float, float]) -> None:
        self.names = [name for name, _ in steps]
        self.steps = [step for _, step in steps]
        self.low, self.high = x_range
        self.together = True  # whether the steps take many numbers at once
        grid = torch.linspace(self.low, self.high, PLACES, dtype=torch.float64)
        for i, step in enumerate(self.steps):
            if not difference.is_elementwise(step, grid):
                self.together = False
                self.steps[i] = difference.one_by_one(step)
            try:
                grid = self._step(i, grid)
            except FunctionProblem:
                break
        self.curves = lru_cache(maxsize=8)(self._curves)
        self.error_range = self._error_range()
        self.factor_range = self._factor_range()

    def _step(self, i: int, x: Tensor) -> Tensor:
        """Return the result of step i, real; a problem names the step."""
        try:
            return difference.values(self.steps[i], x).detach().real
        except FunctionProblem as problem:
            raise FunctionProblem(f"{self.names[i]}: {problem}") from problem

    def _slope(self, i: int, x: Tensor) -> Tensor:
        try:
            return difference.gradient(self.steps[i], x)
        except FunctionProblem as problem:
            raise FunctionProblem(f"{self.names[i]}: {problem}") from problem

    def _whole(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = difference.values(step, x)
        return x

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty step."""
        reading = self._start(setting)
        try:
            self._follow(reading)
        except FunctionProblem as problem:
            reading.problems.append(str(problem))
        with contextlib.suppress(FunctionProblem):
            reading.grid, reading.curves = self.curves(setting.x)
        if not reading.problems:
            reading.problems += self._remarks(reading)
        return reading

    def _start(self, setting: Setting) -> Reading:
        nothing = [math.nan] * len(self.steps)
        return Reading(
            setting, [setting.x, *nothing], [setting.x + setting.h, *nothing], [*nothing], [*nothing]
        )

    def _follow(self, reading: Reading) -> None:
        """Fill in the numbers, step by step."""
        # Both ends go through a step at once: that costs half.
        ends = torch.tensor([reading.before[0], reading.after[0]], dtype=torch.float64)
        start, last = ends[:1], len(self.steps)
        for i in range(last):
            result = self._step(i, ends)
            reading.before[i + 1], reading.after[i + 1] = result.tolist()
            reading.quotients[i] = _quotient(reading, i, i + 1)
            reading.slopes[i] = self._slope(i, ends[:1]).item()
            ends = result
        reading.whole = _quotient(reading, 0, last)
        reading.gradient = difference.gradient(self._whole, start).item()

    def _remarks(self, reading: Reading) -> list[str]:
        """Return what a reader should know of numbers that came out without an error."""
        names = ["x", *self.names]
        numbers = reading.before + reading.after
        if not all(map(math.isfinite, numbers)):
            at = next(i for i in range(len(names)) if not math.isfinite(reading.before[i] + reading.after[i]))
            return [
                say(
                    en=f"{names[at]} has no finite value here, so the chain has no quotient.",
                    ko=f"여기서는 {names[at]}의 값이 유한하지 않아 차분몫이 없습니다.",
                )
            ]
        still = [i for i in range(len(self.names)) if reading.before[i] == reading.after[i]]
        if still and still[0] == 0:
            return [
                say(
                    en=f"x + h is x itself: h = {reading.setting.h:.1e} is lost in rounding. "
                    "Every quotient is 0/0.",
                    ko=f"x + h가 x와 똑같습니다. h = {reading.setting.h:.1e}은 반올림으로 사라집니다. "
                    "차분몫은 모두 0/0이 됩니다.",
                )
            ]
        if still:
            name, following = names[still[0]], names[still[0] + 1]
            return [
                say(
                    en=f"{name} did not change. So Δ{following}/Δ{name} is 0/0 and has no meaning: "
                    "the product has none, the whole quotient is 0.",
                    ko=f"{name}의 값이 달라지지 않았습니다. 그래서 Δ{following}/Δ{name}은(는) 0/0이 되어 "
                    "아무 뜻이 없습니다. 곱도 뜻이 없고, 전체 차분몫은 0입니다.",
                )
            ]
        if reading.errors[-1] == 0:
            return [
                say(
                    en="The whole quotient is exactly the gradient here. A log scale has no 0: "
                    "what is 0 stands on the bottom line (▼).",
                    ko="여기서는 전체 차분몫이 gradient와 정확히 같습니다. 로그 눈금에는 0이 없으므로 "
                    "0은 맨 아래 선에 ▼로 표시합니다.",
                )
            ]
        return []

    def _curves(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return steps h, (k,), and the median error of each step's quotient and of the whole, (n + 1, k)."""
        reach = (self.high - self.low) / 8
        low, high = max(self.low, x - reach), min(self.high, x + reach)
        places = torch.linspace(low, high, PLACES, dtype=torch.float64)
        if not self.together:
            places = torch.tensor([x], dtype=torch.float64)
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
        return h.numpy(), _medians(torch.stack(errors)).numpy()

    def _some(self) -> list[float]:
        return [self.low, (self.low + self.high) / 2, self.high]

    def _error_range(self) -> tuple[float, float]:
        """Return powers of ten that hold all errors, for every x alike."""
        found = []
        for x in self._some():
            with contextlib.suppress(FunctionProblem):
                found.append(self._curves(x)[1].ravel())
        errors = np.concatenate(found) if found else np.empty(0)
        errors = errors[np.isfinite(errors) & (errors > 0)]
        if not len(errors):
            return 1e-17, 10.0
        low, high = math.floor(math.log10(errors.min())), math.ceil(math.log10(errors.max()))
        low, high = max(low, -17), min(high, 8)  # beyond is a pole
        return 10.0 ** min(low, high - 3), 10.0**high

    def _factor_range(self) -> tuple[float, float, bool]:
        """Return a power of ten below most factors, one above all, and whether any is negative."""
        found = []
        for x in (self.low + (self.high - self.low) * k / 8 for k in range(9)):
            for h in (1e-7, 0.1, 10 ** LOG_H[1]):
                reading = self._start(Setting(x, h))
                with contextlib.suppress(FunctionProblem):
                    self._follow(reading)
                found += [*reading.quotients, *reading.slopes, reading.whole, reading.gradient]
        values = np.array([value for value in found if math.isfinite(value) and value])
        if not len(values):
            return 1.0, 10.0, True
        sizes = np.abs(values)
        high = math.ceil(math.log10(np.quantile(sizes, 0.98)) + 0.1)  # beyond is a pole
        low = math.floor(math.log10(np.quantile(sizes, 0.1)))
        return 10.0 ** min(max(low, high - 5), high - 1), 10.0**high, bool((values < 0).any())


def _quotient(reading: Reading, i: int, k: int) -> float:
    """Return how much result k changed for each unit that result i changed; NaN if that did not."""
    change = reading.after[i] - reading.before[i]
    return (reading.after[k] - reading.before[k]) / change if change else math.nan


def _medians(errors: Tensor) -> Tensor:
    """Return the median size over the last dimension, the places; NaN where most of them have none."""
    errors = errors.abs().masked_fill(errors.isinf(), torch.nan)
    few = 2 * errors.isfinite().sum(dim=-1) < errors.shape[-1]
    return errors.nanmedian(dim=-1).values.masked_fill(few, torch.nan)


class Picture:
    """The figure: the chain with a factor over each step, and how far each is from autograd's, against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure = new_figure()
        left, right = self.figure.subplots(1, 2, width_ratios=(1.15, 1))
        self.left: Axes = left
        self.right: Axes = right
        panel.tidy(left, right)
        self.count = len(subject.steps)
        self.columns = np.array([i + 0.5 for i in range(self.count)] + [self.count + 0.9])
        self._make_left(left)
        self._make_right(right)

    def _make_left(self, axes: Axes) -> None:
        low, self.top, negative = self.subject.factor_range
        self.bottom = -self.top if negative else 0.0
        strip = -0.053  # between the picture and the fractions, where the chain itself stands
        axes.set_yscale("symlog", linthresh=low)
        axes.set(xlim=(-0.25, self.count + 1.4), ylim=(self.bottom, self.top))
        ticks = _powers(low, self.top)
        axes.set_yticks([*(-t for t in reversed(ticks) if negative), 0, *ticks])
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
        axes.minorticks_off()
        axes.axhline(0, color=INK, lw=1, zorder=1)
        axes.axvline(self.count + 0.4, color=INK, lw=0.8, ls=":", zorder=1)
        axes.grid(axis="x", visible=False)
        names = _plain(self.subject.names)
        labels = [f"Δ{b}/Δ{a}" for a, b in itertools.pairwise(names)]
        labels.append(f"Δ{names[-1]}/Δx")
        axes.set_xticks(self.columns, labels, parse_math=False)
        axes.tick_params(axis="x", length=0, pad=24)
        where = axes.get_xaxis_transform()  # x as in the picture, y from 0 at the bottom to 1 at the top
        for i, name in enumerate(names):
            axes.text(
                i,
                strip,
                name,
                transform=where,
                ha="center",
                va="center",
                parse_math=False,
                zorder=6,
                bbox={"boxstyle": "round,pad=0.3", "fc": "white", "ec": INK, "lw": 1.2},
            )
            if i:
                axes.annotate(
                    "", (i - 0.24, strip), (i - 0.76, strip), xycoords=where, textcoords=where,
                    arrowprops={"arrowstyle": "->", "color": INK},
                )  # fmt: skip
        (self.bars,) = axes.plot(
            [], [], color=SECANT, lw=18, alpha=0.35, solid_capstyle="butt", zorder=2, label=r"$\Delta/\Delta$"
        )
        self.slopes = panel.marker(axes, "_", TANGENT, size=30, label="autograd")

    def _make_right(self, axes: Axes) -> None:
        panel.error_axes(axes, r"$|\,\Delta/\Delta - \mathrm{autograd}\,|$")
        lowest, self.high = self.subject.error_range
        self.zero = panel.error_limits(axes, lowest, self.high)
        names = _plain(self.subject.names)
        pairs = [*itertools.pairwise(names), (names[0], names[-1])]
        self.curves = []
        for (of, to), (color, mark, dashes, _) in zip(pairs, _looks(self.count), strict=True):
            (line,) = axes.plot(
                [], [], color=color, ls=dashes, marker=mark, ms=5, markevery=8, lw=1.8, zorder=3,
                label=f"Δ{to}/Δ{of}".replace("$", r"\$"),
            )  # fmt: skip
            self.curves.append(line)
        self.zeros = panel.marker(axes, "v", INK, size=5)
        self.step = axes.axvline(1, color=INK, lw=1.2, ls=":", zorder=2)
        self.here = panel.marker(axes, "o", INK, size=9, hollow=True, label="$h$")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        left = [self.bars, self.slopes]
        return [*left, *self.curves, self.zeros, self.step, self.here]

    def set_scene(self, reading: Reading) -> None:
        """Nothing to do: what stands still depends on the chain alone."""

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        quotients = np.array([*reading.quotients, reading.whole])
        slopes = np.array([*reading.slopes, reading.gradient])
        shown = np.clip(quotients, self.bottom or -np.inf, self.top)
        gap = np.full_like(shown, np.nan)
        self.bars.set_data(
            np.repeat(self.columns, 3), np.stack([np.zeros_like(shown), shown, gap], axis=1).ravel()
        )
        self.slopes.set_data(self.columns, slopes)
        zeros = [reading.grid[curve == 0] for curve in reading.curves]
        for line, curve in zip(self.curves, reading.curves, strict=False):
            line.set_data(reading.grid, np.where(curve == 0, np.nan, curve))
        for line in self.curves[len(reading.curves) :]:
            line.set_data([], [])
        at = np.concatenate(zeros) if zeros else np.empty(0)
        self.zeros.set_data(at, np.full_like(at, self.zero))
        h = reading.setting.h
        self.step.set_xdata([h, h])
        errors = np.array(reading.errors)
        errors = np.where(errors == 0, self.zero, np.clip(errors, self.zero, self.high))
        self.here.set_data(np.full_like(errors, h), errors)


def _looks(count: int) -> list[tuple[str, str, object, str]]:
    return [*LOOKS[:count], WHOLE]


def _powers(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high, at most five."""
    first, last = round(math.log10(low)), round(math.log10(high))
    every = max(1, math.ceil((last - first + 1) / 5))
    return [10.0**k for k in range(first, last + 1, every)]


def _plain(names: Sequence[str]) -> list[str]:
    """Return x and the names of the results; where the figure's font lacks one, its number."""
    return ["x", *(name if name.isascii() else f"({i})" for i, name in enumerate(names, 1))]


class ChainExplorer(Panel):
    """The widget that `explore_chain` returns."""

    reading: Reading

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        step = panel.round_step(subject.low, subject.high)
        self.x, x_row = panel.slider("x", start.x, subject.low, subject.high, step)
        self.log_h, h_row = panel.step_slider(start.h)
        super().__init__(Picture(subject), [(x_row, h_row)], _legend(subject))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        return Setting(short(self.x.value), 10 ** short(self.log_h.value))

    def fresh_picture(self) -> Picture:
        return Picture(self.subject)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def words(self) -> str:
        reading, names = self.reading, ["x", *map(html.escape, self.subject.names)]
        rows = []
        for i, (quotient, slope) in enumerate(zip(reading.quotients, reading.slopes, strict=True)):
            fraction = f"{say(en='quotient', ko='차분몫')} Δ{names[i + 1]} / Δ{names[i]}"
            local = f'autograd: <output class="secant-slope{i + 1}">{digits(slope)}</output>'
            rows.append((f"quotient{i + 1}", fraction, local, digits(quotient)))
        factors = " · ".join(f"{value:.4g}" for value in reading.quotients)
        last = names[-1]
        rows += [
            (
                "product",
                say(en="product of these quotients", ko="이 차분몫들의 곱"),
                factors,
                digits(reading.product),
            ),
            (
                "quotient",
                say(en="quotient of the whole chain", ko="사슬 전체의 차분몫"),
                f"Δ{last} / Δx",
                digits(reading.whole),
            ),
            (
                "gradient",
                say(en="autograd's gradient", ko="autograd의 gradient"),
                "x.grad",
                digits(reading.gradient),
            ),
            (
                "error",
                say(en="difference of the last two", ko="바로 위 둘의 차이"),
                f"h = {reading.setting.h:.3g}",
                digits(reading.errors[-1]),
            ),
        ]
        return panel.numbers(rows, reading.problems)

    def alt(self) -> str:
        reading, names = self.reading, ["x", *self.subject.names]
        chain = " → ".join(names)
        factors = ", ".join(f"{value:.4g}" for value in reading.quotients)
        slopes = ", ".join(f"{value:.4g}" for value in reading.slopes)
        x, h, whole, gradient = (
            f"{value:.4g}"
            for value in (reading.setting.x, reading.setting.h, reading.whole, reading.gradient)
        )
        return say(
            en=f"Left: the chain {chain} at x = {x}, h = {h}. Quotients of the steps: {factors}; "
            f"autograd's slopes: {slopes}. Whole quotient {whole}, gradient {gradient}. "
            f"Right: how far each quotient is from autograd's slope, against h; "
            f"for the whole chain {reading.errors[-1]:.1e} at this h.",
            ko=f"왼쪽: x = {x}, h = {h}에서 사슬 {chain}. 단계마다 구한 차분몫 {factors}, "
            f"autograd의 기울기 {slopes}. 전체 차분몫 {whole}, gradient {gradient}. "
            f"오른쪽: 차분몫과 autograd의 기울기가 h에 따라 얼마나 떨어져 있는지. "
            f"이 h에서 사슬 전체는 {reading.errors[-1]:.1e}.",
        )


def _legend(subject: Subject) -> str:
    left = [
        (
            panel.sample(SECANT, mark=panel.bar(SECANT, 0.35)),
            say(
                en="each step's quotient; far right, the whole chain's",
                ko="단계마다의 차분몫. 맨 오른쪽은 사슬 전체",
            ),
        ),
        (
            panel.sample(TANGENT, 'stroke-width="3"'),
            say(en="autograd's slope there", ko="그곳에서 autograd의 기울기"),
        ),
        (
            panel.sample(INK, 'stroke-width="1.5" stroke-dasharray="2 2"', panel.disc(INK, "none", 4.5)),
            say(
                en="the h you chose, at this one x (▼: exactly 0)",
                ko="지금 고른 h에서, 이 x 하나의 차이 (▼: 정확히 0)",
            ),
        ),
    ]
    names = ["x", *map(html.escape, subject.names)]
    pairs = [*itertools.pairwise(names), (names[0], names[-1])]
    right = []
    for i, ((of, to), (color, _, _, dashes)) in enumerate(
        zip(pairs, _looks(len(subject.steps)), strict=True)
    ):
        line = 'stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        words = f"Δ{to}/Δ{of}"
        if i == 0:
            words += say(
                en=": its difference from autograd's slope, median near x",
                ko=": autograd의 기울기와의 차이, x 근처에서 구한 중앙값",
            )
        elif i == len(pairs) - 1:
            words += say(en=": the same for the whole chain", ko=": 사슬 전체에서 같은 것")
        right.append((panel.sample(color, line, _shape(i, len(pairs), color)), words))
    return panel.legend(left, right)


def _shape(i: int, count: int, color: str) -> str:
    """Return the marker of curve i as SVG, like the one in the picture."""
    if i == count - 1:
        return panel.diamond(color, color)
    paths = (
        "M16 4h6v6h-6z",
        "M19 3 22.5 10h-7z",
        "",
        "M19 11 22.5 4h-7z",
        "M18 3h2v3h3v2h-3v3h-2v-3h-3v-2h3z",
    )
    return f'<path d="{paths[i]}" fill="{color}"/>' if paths[i] else panel.disc(color, color, 2.5)


def _prepare(
    steps: Steps | None, x: float, h: float, x_range: tuple[float, float]
) -> tuple[Subject, Setting]:
    chain = [*(LINE if steps is None else steps)]
    low, high = map(float, x_range)
    named = [
        step for step in chain if isinstance(step, tuple) and len(step) == 2 and isinstance(step[0], str)
    ]
    if len(named) != len(chain) or not 1 <= len(chain) <= MOST:
        refuse(
            en=f'steps is a list of 1 to {MOST} pairs of a name and a function, such as [("y", torch.sin)]',
            ko=f'steps는 이름과 함수의 쌍이 1개에서 {MOST}개까지 든 list입니다. 예: [("y", torch.sin)]',
        )
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        refuse(
            en="x_range goes from a smaller to a larger number", ko="x_range는 작은 수에서 큰 수까지입니다"
        )
    if math.isnan(x) or not h > 0:
        refuse(en="x is a number and h is above 0", ko="x는 수이고 h는 0보다 큽니다")
    x = min(max(float(x), low), high)
    h = min(max(float(h), 10 ** LOG_H[0]), 10 ** LOG_H[1])
    with panel.quietly():
        return Subject(chain, (low, high)), Setting(x, h)


def explore_chain(
    steps: Steps | None = None,
    *,
    x: float = 2.0,
    h: float = 1.0,
    x_range: tuple[float, float] = (0.0, 4.0),
) -> ChainExplorer:
    """Return sliders for x and h over a chain of steps, each with its own difference quotient.

    Left: the quotient of each step, and of the whole chain, beside autograd's slope there. Right: how far
    apart they are against h, the median over some x near the chosen one. What is wrong with a step stands in
    the text below, and the sliders keep working.

    Args:
        steps: up to five pairs of a name and a function of one number: `[("y", torch.sin), ("z", square)]`.
            Each gets the result of the one before, the first gets x. When left out: z = 3x, y = z + 1,
            loss = y^2.
        x: where to start; moved into x_range.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        x_range: the ends of x's slider.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    return ChainExplorer(*_prepare(steps, x, h, x_range))
