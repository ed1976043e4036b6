"""The explorer of lesson 8: what a backward says of a slope, beside three quotients that cannot be fooled."""

import contextlib
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
from secant.explorers.kit.buttons import Question
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions, values
from secant.explorers.kit.kinks import KINK, START, built_in, worth_seeing
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Subjects
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

LOG_H = (-8.0, 0.0)
NEAR_ZERO = 1e-9  # a slider counts in floats, and may say 1e-17 where it means the kink at 0

# The quotients, in the order of the rows, by how they are drawn.
LOOKS: dict[str, dict[str, Any]] = {
    "forward": {"color": SECANT, "ls": "-", "marker": "o"},
    "backward": {"color": PURPLE, "ls": "-.", "marker": "s"},
    "central": {"color": GREEN, "ls": (0, (2, 2)), "marker": "^"},
}
WIDTHS = {"forward": 4.0, "backward": 3.0, "central": 2.2}  # so that one on another is seen below it
LABELS = {"forward": "$+h$", "backward": "$-h$", "central": r"$\pm h$"}


@dataclass(frozen=True)
class Setting:
    """What the controls say."""

    name: str
    x: float
    h: float


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `quotients` and `curves` go by the names in LOOKS; a curve holds the quotient's error for each of `steps`.
    """

    setting: Setting
    height: float = math.nan
    ends: Range = (math.nan, math.nan)
    heights: Range = (math.nan, math.nan)
    quotients: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LOOKS, math.nan))
    gradient: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=lambda: dict.fromkeys(LOOKS, np.empty(0)))

    @property
    def errors(self) -> dict[str, float]:
        """How far each quotient is from autograd's gradient."""
        return {name: abs(quotient - self.gradient) for name, quotient in self.quotients.items()}

    @property
    def noise(self) -> float:
        """About how large the rounding error of a quotient is."""
        finite = [abs(height) for height in (*self.heights, self.height) if math.isfinite(height)]
        slope = self.quotients["central"]
        return difference.rounding(max(finite, default=0.0), self.setting.x, slope, self.setting.h)


def quotients(f: Function, x: Tensor, h: Tensor) -> dict[str, Tensor]:
    """Return the three quotients of an elementwise f, of real values, at x and h, which broadcast.

    Each divides by the step really taken.
    """
    x, h = torch.broadcast_tensors(x, h)
    left, right = x - h, x + h
    low, middle, high = values(f, torch.stack([left, x, right])).detach().real
    return {
        "forward": (high - middle) / (right - x),
        "backward": (middle - low) / (x - left),
        "central": (high - low) / (right - left),
    }


class Subject(Subjects):
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        super().__init__(functions, x_range, LOG_H)
        self.worth_seeing = {name: worth_seeing(f) for name, f in functions.items()}
        self.typical_errors = cache(self._typical_errors)
        self.error_curves = lru_cache(maxsize=8)(self._error_curves)

    def _error_curves(self, name: str, x: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps, and for each quotient its error at each of them."""
        f, steps = self.prepared(name).f, self.steps(name)
        place = torch.tensor([x], dtype=torch.float64)
        slope = difference.gradient(f, place)
        errors = quotients(f, place, steps)
        return steps.numpy(), {key: (error - slope).abs().numpy() for key, error in errors.items()}

    def _typical_errors(self, name: str) -> np.ndarray:
        """Return errors at some x all over the range; none where there is none to be had."""

        def at(x: float) -> np.ndarray:
            return np.concatenate([*self._error_curves(name, x)[1].values()])

        kink = ranges.clamp(KINK, self.ends)
        return np.concatenate([elementwise.all_over(at, self.ends), elementwise.all_over(at, (kink, kink))])

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        name, f = setting.name, self.prepared(setting.name).f
        x, h = (torch.tensor([number], dtype=torch.float64) for number in (setting.x, setting.h))
        with reading.noting():
            reading.height = difference.number(f, x)
            reading.ends = (x - h).item(), (x + h).item()
            reading.heights = difference.number(f, x - h), difference.number(f, x + h)
            reading.quotients = {key: found.item() for key, found in quotients(f, x, h).items()}
        with reading.noting():
            reading.gradient = difference.gradient(f, x).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, setting.x)
        errors = self.typical_errors(name), *reading.curves.values()
        reading.filled = elementwise.any_finite(self.curve(name)[1]), elementwise.any_finite(*errors)
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    if not math.isfinite(reading.height):
        remarks.no_value(reading, f"x = {reading.setting.x:g}")
    elif not all(map(math.isfinite, reading.quotients.values())):
        remarks.no_quotient(reading, en="x − h or x + h", ko="x − h나 x + h")
    elif not math.isfinite(reading.gradient):
        reading.problem(
            en=f"At x = {reading.setting.x:g} the gradient is {reading.gradient}: nothing to compare.",
            ko=f"x = {reading.setting.x:g}에서 gradient가 {reading.gradient}이어서 비교할 수 없습니다.",
        )
    elif 0.0 in reading.errors.values():
        en = "A quotient is exactly autograd's gradient here."
        ko = "이 x에서 autograd의 gradient와 정확히 같은 차분몫이 있습니다."
        remarks.exactly_zero(reading, en=en, ko=ko)


class Picture:
    """The figure: the curve with three secants and autograd's line, and how far they are apart against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(left, "f", quotient="_", gradient="x.grad", point="$x$")
        self.secants = {
            name: left.plot(
                [], [], color=look["color"], ls=look["ls"], lw=WIDTHS[name], label=LABELS[name], zorder=3
            )[0]
            for name, look in LOOKS.items()
        }
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta f/\Delta x - $x.grad$|$", LOG_H, every=2, pad=0.4)
        self.curves = {
            name: right.plot([], [], **look, ms=5, lw=1.8, zorder=3)[0] for name, look in LOOKS.items()
        }
        self.zeros = {name: plots.marker(right, "v", look["color"], size=5) for name, look in LOOKS.items()}
        self.here = {
            name: plots.marker(right, look["marker"], look["color"], size=size, hollow=True)
            for (name, look), size in zip(LOOKS.items(), (13, 11, 9), strict=True)
        }
        for place, curve in enumerate(self.curves.values()):
            curve.set_markevery((2 * place, 6))  # not at the same h, lest one marker hide another

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        right = [*self.curves.values(), *self.zeros.values(), self.errors.step, *self.here.values()]
        return [*self.secants.values(), *self.function.moving, *right]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve and both pairs of limits."""
        name = reading.setting.name
        self.function.set_curve(*self.subject.curve(name))
        # A kink's errors, 1 and 0.5, are not to lie on the edge.
        self.errors.set_decades(*plots.decades(2 * self.subject.typical_errors(name), -14, 8))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        x, h = reading.setting.x, reading.setting.h
        at = x, reading.height
        self.function.set_lines(at, math.nan, reading.gradient, reading.ends, reading.heights)
        starts = {"forward": at, "backward": at, "central": (reading.ends[0], reading.heights[0])}
        across = np.array(self.function.axes.get_xlim())
        for name, secant in self.secants.items():
            place, height = starts[name]
            secant.set_data(across, height + reading.quotients[name] * (across - place))
        for row, (name, curve) in enumerate(self.curves.items()):
            errors = reading.curves[name]
            steps = reading.steps[: len(errors)]
            at_zero = self.errors.set_curves(self.zeros[name], [(curve, steps, errors)])
            # Zeros of several quotients lie on one line: each shows its own third of them.
            self.zeros[name].set_data(at_zero[row::3], np.full(len(at_zero[row::3]), self.errors.zero))
            self.errors.set_marks(self.here[name], h, reading.errors[name])
        self.errors.set_step(h)


class BackwardExplorer(Panel[Reading]):
    """The widget that `explore_backward` returns."""

    arguments = ("function", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.function = controls.choice("f(x)", list(subject.functions), start.name)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h, LOG_H)
        rows = [(self.function,), (x_row, h_row)]
        self.function.observe(self._go, "value")
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    def _go(self, _: object) -> None:
        """Move x to where the function that was chosen is worth a look."""
        x = self.subject.worth_seeing.get(self.function.value)
        if x is not None and self.x.min <= x <= self.x.max:
            self.x.choose(x)

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x = self.x.number
        return Setting(self.function.value, 0.0 if abs(x) < NEAR_ZERO else x, controls.step_of(self.log_h))

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> str:
        return self.reading.setting.name

    def rows(self) -> list[Row]:
        reading = self.reading
        names = say(en="forward", ko="전방"), say(en="backward", ko="후방"), say(en="central", ko="중앙")
        formulas = "(f(x+h) − f(x)) / h", "(f(x) − f(x−h)) / h", "(f(x+h) − f(x−h)) / 2h"
        found = [words.compared(q, reading.gradient, reading.noise) for q in reading.quotients.values()]
        each = [
            Row(f"quotient{place}", name + say(en=" quotient", ko=" 차분몫"), formula, number)
            for place, (name, formula, (number, *_)) in enumerate(zip(names, formulas, found, strict=True), 1)
        ]
        *_, (_, slope, error) = found
        label = say(en="gradient and central quotient, apart", ko="gradient와 중앙 차분몫의 차이")
        return [*each, words.gradient_row(slope), Row("error", label, words.step(reading.setting.h), error)]

    def alt(self) -> str:
        reading, setting = self.reading, self.reading.setting
        forward, backward, central = (f"{number:.5g}" for number in reading.quotients.values())
        where = f"x = {setting.x:.4g}, h = {setting.h:.2g}"
        return say(
            en=f"Left: {setting.name} at {where}, with secants of slope {forward} (forward), {backward} "
            f"(backward) and {central} (central), and a blue dashed line of autograd's slope "
            f"{reading.gradient:.5g}. Right: how far each quotient is from it, against h.",
            ko=f"왼쪽: {where}에서 {setting.name}의 그래프, 기울기 {forward}(전방), {backward}(후방), "
            f"{central}(중앙)인 할선, autograd의 기울기 {reading.gradient:.5g}인 파란 파선. "
            "오른쪽: h에 따라 각 차분몫이 그 기울기에서 얼마나 떨어져 있는지.",
        )


def _sample(name: str, dashes: str, mark: str) -> str:
    return words.line(str(LOOKS[name]["color"]), WIDTHS[name] - 0.5, dashes, mark)


HERE = words.line(INK, 1.5, "2 2", words.disc(SECANT, 5))
LEGEND = (
    [
        (words.CURVE_LINE, "the function f", "함수 f"),
        (words.TANGENT_LINE, "autograd's slope: what backward says", "autograd의 기울기: backward가 낸 값"),
        (words.sample(words.diamond(SECANT)), "x − h and x + h", "x − h와 x + h"),
    ],
    [
        (
            _sample("forward", "", words.disc(SECANT, 2.5, SECANT)),
            "forward quotient (right: how far off)",
            "전방 차분몫. 오른쪽은 autograd의 기울기와의 차이",
        ),
        (_sample("backward", "6 2 2 2", words.square(PURPLE)), "backward quotient", "후방 차분몫"),
        (_sample("central", "2 2", words.triangle(GREEN)), "central quotient", "중앙 차분몫"),
        (HERE, "the h you chose (▼: exactly 0)", "지금 고른 h (▼: 정확히 0)"),
    ],
)


#: The lesson's questions, as it asks them, and what each starts from.
QUESTIONS = (
    Question(
        {"x": 3.0, "h": 0.01},
        en="Start: $5^x$ at $x = 3$, with the broken backward of section 2. ($x$ is the exponent here, "
        "called $q$ there.) Make $h$ small. Where do the three quotients go, and where does the blue "
        "line stay?",
        ko="처음에는 $x = 3$에서 $5^x$이고, backward는 2절의 잘못된 것입니다. (여기서는 $x$가 지수입니다. "
        "2절에서는 $q$였습니다.) $h$를 줄이세요. "
        "세 차분몫은 어디로 가고, 파란 파선은 어디에 머무르나요?",
    ),
    Question(
        {"function": "relu(x)", "x": 0.0},
        en="Choose `relu`: $x$ jumps to 0. What are the three quotients, for every $h$? And "
        "autograd's slope? Now type $x = 0.01$: for which $h$ do all agree?",
        ko="`relu`를 고르세요. $x$가 0으로 옮겨집니다. $h$마다 세 차분몫은 얼마인가요? "
        "autograd의 기울기는요? 이번에는 $x = 0.01$을 입력하세요. $h$가 얼마 이하이면 모두 같아지나요?",
    ),
    Question(
        {"function": "clamp(min=0)", "x": 0.0},
        en="At $x = 0$: what is autograd's slope of `clamp(min=0)`, `maximum(x, 0)` and `abs`? "
        "Which of all these match the central quotient?",
        ko="$x = 0$에서 autograd가 낸 `clamp(min=0)`, `maximum(x, 0)`, `abs`의 기울기는 얼마인가요? "
        "지금까지 본 것 가운데 중앙 차분몫과 같은 것은 무엇인가요?",
    ),
    Question(
        {"function": "relu(x) - relu(-x)", "x": 0.0},
        en="Choose `relu(x) - relu(-x)`. Was your prediction right?",
        ko="`relu(x) - relu(-x)`를 고르세요. 예상이 맞았나요?",
    ),
)


@remembered(*QUESTIONS)
def explore_backward(
    functions: Functions | None = None,
    *,
    x_range: Range = (-2.0, 4.0),
    x: float | None = None,
    h: float = 1.0,
    function: str | None = None,
) -> BackwardExplorer:
    """Return sliders for x and h over a picture of f with three quotients and what autograd says.

    Left: the curve, the secants of the forward, backward and central quotient, and autograd's slope.
    Right: how far each quotient is from autograd's slope, against h.

    Args:
        functions: one function of x, several in a list, or several by name; when left out, 5**x with a broken
            backward and with torch's, and functions with a kink at 0.
        x_range: the ends of x's slider.
        x: where to start, 3 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-8 to 1.
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = built_in() if functions is None else difference.by_name(functions)
    ranges.check_some("explore_backward", named)
    name = ranges.first_or(function, "function", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, START)
    return BackwardExplorer(Subject(named, x_range), Setting(name, x, h))
