"""The explorer of lesson 6: a product with one factor detached, and the quotient that finds the cut."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, remarks, two_paths, words
from secant.explorers.kit.buttons import Question
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT
from secant.explorers.kit.difference import Function
from secant.explorers.kit.functions import square
from secant.explorers.kit.ranges import Pairs, Range
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row, digits
from secant.language import say

Pair = tuple[Function, Function]

LOG_H = (-6.0, 0.0)  # below, rounding takes over: that is the story of lesson 1
POINTS, FEW_POINTS = 401, 101  # of a curve; the few for functions that take one x at a time
STEPS, FEW_STEPS = 49, 13  # h of the curves on the right, in the same way
PLACES = 25  # x that limits are taken from


def itself(x: Tensor) -> Tensor:
    return x * 1


def inverse_size(x: Tensor) -> Tensor:
    return 1 / x.abs()


PAIRS: dict[str, Pair] = {
    "x · (x²).detach()": (itself, square),
    "x² · x.detach()": (square, itself),
    "x · (1/|x|).detach()": (itself, inverse_size),
}


@dataclass(frozen=True)
class Setting:
    """What the controls say; `held` is whether the quotient holds the detached factor still."""

    name: str
    held: bool
    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `there` is the function at x + h, with the detached factor held or not, and `factor` that factor at x.
    `kept` is autograd's slope, `lost` what would have come through the cut. The errors are those of the
    quotient at each of the steps: with the factor held, and with it moving.
    """

    setting: Setting
    height: float = math.nan
    there: float = math.nan
    factor: float = math.nan
    quotient: float = math.nan
    kept: float = math.nan
    lost: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: tuple[np.ndarray, np.ndarray] = field(default_factory=lambda: (np.empty(0), np.empty(0)))

    @property
    def error(self) -> float:
        return abs(self.quotient - self.kept)

    @property
    def noise(self) -> float:
        """About how large the rounding error of the quotient is."""
        x, h = self.setting.x, self.setting.h
        size = max((abs(y) for y in (self.height, self.there) if math.isfinite(y)), default=0.0)
        return difference.rounding(size, x, self.kept + self.lost, h)


class Subject:
    """The pairs of factors to explore and the range of x, with what is worked out once for each."""

    def __init__(self, pairs: Mapping[str, Pair], x_range: Range) -> None:
        self.pairs = dict(pairs)
        self.ends = x_range
        self.prepared = cache(self._prepared)
        self.curves = cache(self._curves)
        self.decades = cache(self._decades)
        self.errors = lru_cache(maxsize=8)(self._errors)

    def _prepared(self, name: str) -> tuple[Function, Function, bool]:
        """Return both factors, elementwise, and whether they take many x at once."""
        grid = torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        a, b = (elementwise.prepare(f, grid) for f in self.pairs[name])
        f, g = (elementwise.named_in_problems(label, found.f) for label, found in (("a", a), ("b", b)))
        return f, g, a.together and b.together

    def _curves(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, and both factors there; NaN where one fails."""
        f, g, together = self.prepared(name)
        grid = torch.linspace(
            *ranges.padded(self.ends), POINTS if together else FEW_POINTS, dtype=torch.float64
        )
        return *elementwise.sampled(f, grid), elementwise.sampled(g, grid)[1]

    def parts(self, name: str, x: Tensor, h: Tensor) -> two_paths.Parts:
        """Return the quotients at each x and h, which broadcast: `y` with the factor held, `both` not."""
        f, g, _ = self.prepared(name)
        return two_paths.parts(torch.mul, f, g, x, h)

    def slopes(self, name: str, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return autograd's slope of the program at each x, and the part that the cut has lost."""
        f, g, _ = self.prepared(name)
        kept = difference.gradient(lambda t: f(t) * g(t).detach(), x)
        return kept, difference.gradient(lambda t: f(t).detach() * g(t), x)

    def _errors(self, name: str, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the steps, and how far from autograd's slope the quotient is: factor held, and not."""
        steps = torch.logspace(*LOG_H, STEPS if self.prepared(name)[2] else FEW_STEPS, dtype=torch.float64)
        place = torch.tensor([x], dtype=torch.float64)
        parts = self.parts(name, place, steps)
        kept = elementwise.or_nan(lambda t: self.slopes(name, t)[0], place)
        return steps.numpy(), (parts.y - kept).abs().numpy(), (parts.both - kept).abs().numpy()

    def _decades(self, name: str, held: bool) -> Range:
        """Return powers of ten that hold the errors for every x and h; a held factor's only if it is held."""
        first = 1 if held else 2  # tiny, the held one would squeeze the other into a flat line
        found = elementwise.all_over(lambda x: np.concatenate(self.errors(name, x)[first:]), self.ends)
        return plots.decades(found, -18, 8)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading, name = Reading(setting), setting.name
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        _, a, b = self.curves(name)
        with reading.noting():
            f, g, _ = self.prepared(name)
            reading.factor = difference.number(g, x)
            reading.height = difference.number(f, x) * reading.factor
            parts = self.parts(name, x, h)
            reading.quotient = (parts.y if setting.held else parts.both).item()
            reading.there = reading.height + reading.quotient * ((x + h) - x).item()
            reading.steps, *errors = self.errors(name, setting.x)
            reading.errors = errors[0], errors[1]
            kept, lost = self.slopes(name, x)
            reading.kept, reading.lost = kept.item(), lost.item()
        reading.filled = elementwise.any_finite(a * b), elementwise.any_finite(*reading.errors)
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    setting = reading.setting
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {setting.x:g}")
    elif not math.isfinite(reading.quotient):
        remarks.no_quotient(reading, en="x + h", ko="x + h")
    elif not math.isfinite(reading.kept + reading.lost):
        reading.problem(
            en=f"At x = {setting.x:g} a factor has no finite slope.",
            ko=f"x = {setting.x:g}에서 기울기가 유한하지 않은 식이 있습니다.",
        )
    elif setting.held:
        reading.remark(
            en="The factor is held at its value at x. This is the function whose graph was recorded, and the "
            "quotient goes to autograd's slope. What is left comes from the curve's bend, or is rounding.",
            ko="둘째 식을 x에서의 값에 고정했습니다. 기록된 그래프가 바로 이 함수이고, "
            "차분몫은 autograd의 기울기로 다가갑니다. 남는 차이는 곡선이 휘어서 생긴 것이거나 "
            "반올림 오차입니다.",
        )


class Picture:
    """Left, the product with its secant, and with the factor held; right, how far the quotient is off."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/h$", gradient="x.grad", ends="$x, x+h$"
        )
        (self.recorded,) = left.plot([], [], color=PURPLE, lw=1.8, ls="-.", label=r"$a(x)\,c$", zorder=2)
        self.plot = plots.ErrorPlot(right, r"$|\Delta f/h - $x.grad$|$", LOG_H, every=1, pad=0.2)
        (self.held,) = right.plot([], [], color=PURPLE, lw=1.8, ls="-.", marker="s", ms=4, label="$c$")
        (self.moves,) = right.plot([], [], color=INK, lw=1.8, label="$b(x)$", zorder=3)
        (self.lost,) = right.plot([], [], color=GREEN, lw=1.6, ls=":", label="$|a\\,b'|$", zorder=2)
        self.zeros = plots.marker(right, "v", PURPLE, size=5)
        self.zeros_moving = plots.marker(right, "v", INK, size=5)
        self.error = plots.marker(right, "D", SECANT, size=8, label="$h$")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        right = [self.held, self.moves, self.lost, self.zeros, self.zeros_moving, self.plot.step, self.error]
        return [*self.function.moving, self.recorded, *right]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        name = reading.setting.name
        x, a, b = self.subject.curves(name)
        middle = a * np.interp(sum(self.subject.ends) / 2, x, b)
        self.function.set_curve(x, a * b)
        self.function.axes.set_ylim(*plots.limits(np.concatenate([a * b, middle])))
        self.plot.set_decades(*self.subject.decades(name, reading.setting.held))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        x, a, _ = self.subject.curves(setting.name)
        self.recorded.set_data(x, a * reading.factor)
        ends, heights = (setting.x, setting.x + setting.h), (reading.height, reading.there)
        self.function.set_lines((setting.x, reading.height), reading.quotient, reading.kept, ends, heights)
        held, moves = reading.errors
        steps = reading.steps
        zeros = self.plot.set_curves(self.zeros, [(self.held, steps, held)])
        # Among zeros the rest is rounding: points, with no line to suggest a rule.
        self.held.set(markevery=1 if len(zeros) else 4, ls="none" if len(zeros) else "-.")
        self.plot.set_curves(self.zeros_moving, [(self.moves, steps, moves)])
        size = abs(reading.lost) or math.nan
        self.lost.set_data([10 ** LOG_H[0], 10 ** LOG_H[1]], [size, size])
        self.plot.set_step(setting.h)
        self.plot.set_marks(self.error, setting.h, reading.error)


class CutExplorer(Panel[Reading]):
    """The widget that `explore_cut` returns."""

    arguments = ("pair", "held", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.pair = controls.choice("f(x)", list(subject.pairs), start.name)
        factor: list[tuple[str, bool]] = [
            (say(en="moves with x", ko="x와 함께 움직임"), False),
            (say(en="held still", ko="고정"), True),
        ]
        self.held = controls.choice(say(en="factor", ko="둘째 식"), factor, start.held)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h, LOG_H)
        rows = [[self.pair, self.held], [x_row, h_row]]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    def read(self) -> Reading:
        x, h = self.x.number, controls.step_of(self.log_h)
        return self.subject.read(Setting(self.pair.value, self.held.value, x, h))

    def scene(self) -> tuple[str, bool]:
        return self.pair.value, self.held.value

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, kept, error = words.compared(reading.quotient, reading.kept, reading.noise)
        formula = "(a(x+h) b(x) − a b) / h" if reading.setting.held else "(a(x+h) b(x+h) − a b) / h"
        lost = say(en="lost at the cut", ko="끊긴 곳에서 잃은 기울기")
        both = say(en="kept and lost", ko="둘의 합")
        return [
            words.quotient_row(formula, quotient),
            words.gradient_row(kept),
            words.error_row(error, reading.setting.h),
            Row("lost", lost, "a · b′", digits(reading.lost)),
            Row("both", both, "a′ · b + a · b′", digits(reading.kept + reading.lost)),
        ]

    def alt(self) -> str:
        reading, setting = self.reading, self.reading.setting
        quotient, kept, lost = (f"{n:.4g}" for n in (reading.quotient, reading.kept, reading.lost))
        return say(
            en=f"Left: {setting.name} at x = {setting.x:.4g}, h = {setting.h:.2g}, the detached factor "
            f"{'held still' if setting.held else 'moving'}, with a secant of slope {quotient} and a line of "
            f"autograd's slope {kept}. Right: their difference against h; the cut has lost {lost}.",
            ko=f"왼쪽: x = {setting.x:.4g}, h = {setting.h:.2g}에서 {setting.name}. detach한 둘째 식은 "
            f"{'고정' if setting.held else '함께 움직임'}. 기울기 {quotient}인 할선과 "
            f"autograd의 기울기 {kept}인 직선. 오른쪽: h에 따른 둘의 차이. 끊긴 곳에서 잃은 기울기는 {lost}.",
        )


RECORDED = words.line(PURPLE, 2, "6 2 2 2")
HELD = words.line(PURPLE, 2, "6 2 2 2", words.square(PURPLE))
CHOSEN = words.line(INK, 1.5, "2 2", words.diamond(SECANT, SECANT))
LEGEND = (
    [
        (
            words.CURVE_LINE,
            "f(x) = a(x) · b(x), where b is detached",
            "f(x) = a(x) · b(x), 둘째 식 b는 detach한 것",
        ),
        (
            RECORDED,
            "a(x) times a constant c, b at the chosen x: what is recorded",
            "a(x)에 상수 c(고른 x에서의 b)를 곱한 것: 기록된 함수",
        ),
        (words.SECANT_LINE, "secant: its slope is the quotient", "할선: 기울기가 차분몫"),
        (words.TANGENT_LINE, "line of autograd's slope", "기울기가 autograd의 값인 직선"),
    ],
    [
        (words.line(INK, 2), "difference when the factor moves", "둘째 식이 함께 움직일 때의 차이"),
        (HELD, "difference when it is held (▼: exactly 0)", "고정했을 때의 차이 (▼: 정확히 0)"),
        (words.line(GREEN, 2, "2 3"), "size of the slope lost at the cut", "끊긴 곳에서 잃은 기울기의 크기"),
        (CHOSEN, "the difference now, at the h you chose", "지금 고른 h에서의 차이"),
    ],
)


#: The lesson's questions, as it asks them, and what each starts from.
QUESTIONS = (
    Question(
        {"held": False, "h": 1.0},
        en="Move $h$ to the left. Where does the quotient go, and what does autograd say?",
        ko="$h$를 왼쪽으로 옮기세요. 차분몫은 어디로 다가가고, autograd의 값은 무엇인가요?",
    ),
    Question(
        {"held": True, "h": 1.0},
        en="Hold the factor still. Where does the quotient go now?",
        ko="둘째 식을 고정하세요. 이제 차분몫은 어디로 다가가나요?",
    ),
    Question(
        {"pair": "x² · x.detach()", "held": True, "h": 1.0},
        en="Choose `x² · x.detach()`: the same formula $x^3$, cut elsewhere. What does autograd "
        "say now, and what do autograd's two answers add up to?",
        ko="`x² · x.detach()`를 고르세요. 같은 식 $x^3$인데 다른 곳을 끊었습니다. 이번에는 "
        "autograd의 값이 무엇인가요? 앞의 값과 더하면 얼마인가요?",
    ),
    Question(
        {"pair": "x · (1/|x|).detach()", "held": False, "h": 1.0},
        en="Let the factor move again and choose `x · (1/|x|).detach()`, which is 1 for every "
        "$x > 0$. Where does the quotient go? Which slope does autograd report at $x = 2$?",
        ko="둘째 식을 다시 움직이게 하고 `x · (1/|x|).detach()`를 고르세요. $x > 0$이면 언제나 1인 "
        "함수입니다. 차분몫은 어디로 다가가나요? $x = 2$에서 autograd의 값은 얼마인가요?",
    ),
)


@remembered(*QUESTIONS)
def explore_cut(
    pairs: Pairs | None = None,
    *,
    x_range: Range = (0.5, 3.5),
    x: float | None = None,
    h: float = 1.0,
    held: bool = False,
    pair: str | None = None,
) -> CutExplorer:
    """Return sliders for x and h over a picture of f(x) = a(x) · b(x).detach().

    Left: f with its secant, and a line with the slope that autograd reports, which is that of a(x) times a
    constant. Right: how far the quotient is from autograd's slope, against h, with the detached factor moving
    as it does in the program, and with it held still at x.

    Args:
        pairs: two functions of x, a and b (do not detach b yourself), or a dict of such pairs by name; when
            left out, x with x^2, x^2 with x, and x with 1/|x|.
        x_range: the ends of x's slider.
        x: where to start, 2 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-6 to 1.
        held: whether the quotient begins with the detached factor held still.
        pair: which of the pairs to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = PAIRS if pairs is None else ranges.pairs_by_name("explore_cut", pairs, ("a", "b"))
    name = ranges.first_or(pair, "pair", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 2.0)
    return CutExplorer(Subject(named, x_range), Setting(name, bool(held), x, h))
