"""The explorer of lesson 7: what backward reads is spoiled, the forward pass is not. The quotient tells."""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from secant.explorers.kit import controls, difference, elementwise, plots, ranges, words
from secant.explorers.kit.buttons import Question
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, Functions
from secant.explorers.kit.functions import log_of_cube, square
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Subjects
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row, digits
from secant.language import say

LOG_H = (-10.0, 0.5)
AMOUNTS = (-1.0, 3.0)

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float8": torch.float8_e4m3fn}
SPOILERS = ("none", "data", *DTYPES, "hook")

FUNCTIONS: dict[str, Function] = {"x²": square, "eˣ": torch.exp, "log x³": log_of_cube}


@dataclass(frozen=True)
class Setting:
    """What the controls say; `amount` is what "data" adds to x, and by what "hook" multiplies."""

    name: str
    spoiler: str
    x: float
    h: float
    amount: float


@dataclass
class Reading(Findings):
    """What a setting comes to. NaN where there is none.

    `slope` is what backward() leaves in x.grad, `truth` what it leaves there unspoiled; `errors` and `truths`
    are the quotient's distances from them at each of the `steps`.
    """

    setting: Setting
    heights: tuple[float, float] = (math.nan, math.nan)
    there: float = math.nan
    quotient: float = math.nan
    slope: float = math.nan
    truth: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    truths: np.ndarray = field(default_factory=lambda: np.empty(0))
    decades: Range = (1e-16, 1.0)

    @property
    def error(self) -> float:
        return abs(self.quotient - self.slope)

    @property
    def off(self) -> float:
        return abs(self.slope - self.truth)

    @property
    def noise(self) -> float:
        """About how large the rounding error of the quotient is."""
        size = max(map(abs, self.heights))
        return difference.rounding(size, self.setting.x, self.truth, self.there - self.setting.x)


def spoiled_gradient(f: Function, x: Tensor, setting: Setting) -> Tensor:
    """Return what backward() makes of an exact f(x) if what it reads is spoiled, in x's shape and dtype.

    Raises:
        FunctionProblem: if autograd finds no way from the result back to x.
    """
    spoiler, dtype = setting.spoiler, x.dtype

    def pack(t: Tensor) -> Tensor | tuple[Tensor]:
        return (t.detach().to(DTYPES[spoiler]),) if t.dtype == dtype else t

    def unpack(kept: Tensor | tuple[Tensor]) -> Tensor:
        return kept[0].to(dtype) if isinstance(kept, tuple) else kept

    def spoiling(leaf: Tensor) -> Tensor:
        if spoiler == "hook":
            leaf.register_hook(lambda gradient: setting.amount * gradient)
        with saved_tensors_hooks(pack, unpack) if spoiler in DTYPES else contextlib.nullcontext():
            y = difference.values(f, leaf)
        if spoiler == "data":
            leaf.data.add_(setting.amount)
        return y

    return difference.gradient(spoiling, x)


class Subject(Subjects):
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        super().__init__(functions, x_range, LOG_H)
        self.all_errors = cache(self._all_errors)
        self.quotients = lru_cache(maxsize=8)(self.quotients_at)

    def _all_errors(self, name: str) -> np.ndarray:
        """Return errors of the quotient all over the range of x, for the limits of the picture."""

        def errors(x: float) -> np.ndarray:
            truth = difference.gradient(self.functions[name], torch.tensor(x, dtype=torch.float64))
            return np.abs(self.quotients(name, x)[1] - truth.item())

        return elementwise.all_over(errors, self.ends)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = Reading(setting)
        f = self.functions[setting.name]
        x = torch.tensor(setting.x, dtype=torch.float64)
        there = x + setting.h
        reading.there = there.item()
        reading.steps, quotients = self.quotients(setting.name, setting.x)
        with reading.noting():
            reading.heights = difference.number(f, x), difference.number(f, there)
            step = (there - x).item()
            reading.quotient = (reading.heights[1] - reading.heights[0]) / step if step else math.nan
        with reading.noting():
            reading.truth = difference.gradient(f, x).item()
            reading.slope = spoiled_gradient(f, x, setting).item()
        reading.errors, reading.truths = (np.abs(quotients - s) for s in (reading.slope, reading.truth))
        shown = np.concatenate([self.all_errors(setting.name), [1.0]])
        reading.decades = plots.decades(shown, -12, 4)
        curve = elementwise.any_finite(self.curve(setting.name)[1])
        reading.filled = curve, curve and elementwise.any_finite(reading.errors, shown[:-1])
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    setting, where = reading.setting, f"x = {reading.setting.x:g}, x + h = {reading.there:g}"
    if not (math.isfinite(reading.truth) and all(map(math.isfinite, reading.heights))):
        reading.problem(
            en=f"At {where} the function, or its slope, is not finite.",
            ko=f"{where}에서 함수의 값이나 기울기가 유한하지 않습니다.",
        )
    elif not math.isfinite(reading.slope):
        reading.remark(
            en="x.grad is not finite, though f and its slope are: backward read a number that f never had.",
            ko="f와 그 기울기는 유한한데 x.grad는 유한하지 않습니다. f에는 없던 수를 backward가 읽었습니다.",
        )
    elif setting.spoiler == "none":
        reading.remark(
            en="Nothing is spoiled: the quotient goes to x.grad as h falls, until rounding takes over.",
            ko="아무것도 건드리지 않았습니다. h가 작아지면 차분몫이 x.grad로 다가갑니다. "
            "그러다 반올림 오차가 커집니다.",
        )
    elif reading.off == 0:
        reading.remark(
            en="x.grad is right all the same: here this spoiler changes nothing that backward reads.",
            ko="그래도 x.grad는 맞습니다. 여기서는 backward가 읽는 것이 하나도 바뀌지 않았습니다.",
        )


class Picture:
    """Left, the curve with its secant and a line of slope x.grad; right, how far both slopes are away."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f", quotient=r"$\Delta f/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        self.plot = plots.ErrorPlot(right, r"$|\Delta f/\Delta x - \cdot\,|$", LOG_H, every=2)
        (self.truths,) = right.plot(
            [], [], color=GREEN, lw=1.6, ls="-.", label="$|\\Delta f/\\Delta x - f'|$"
        )
        (self.errors,) = right.plot([], [], color=TANGENT, lw=2.2, label=r"$|\Delta f/\Delta x -$ x.grad$|$")
        self.zeros = plots.marker(right, "v", INK, size=5)
        self.truth = plots.marker(right, "s", GREEN, size=7)
        self.error = plots.marker(right, "o", SECANT, size=9, hollow=True, label="$h$")

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        right = [self.truths, self.errors, self.zeros, self.plot.step, self.truth, self.error]
        return [*self.function.moving, *right]

    def set_scene(self, reading: Reading) -> None:
        """Set the curve, and limits that hold for every x and h."""
        self.function.set_curve(*self.subject.curve(reading.setting.name))
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        x, h = reading.setting.x, reading.setting.h
        ends, heights = (x, reading.there), reading.heights
        self.function.set_lines((x, heights[0]), reading.quotient, reading.slope, ends, heights)
        curves = [
            (self.truths, reading.steps, reading.truths),
            (self.errors, reading.steps, reading.errors),
        ]
        self.plot.set_curves(self.zeros, curves)
        self.plot.set_step(h)
        self.plot.set_marks(self.truth, h, abs(reading.quotient - reading.truth))
        self.plot.set_marks(self.error, h, reading.error)


class SavedExplorer(Panel[Reading]):
    """The widget that `explore_saved` returns."""

    arguments = ("function", "spoiler", "x", "h", "a")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.subject = subject
        self.function = controls.choice("f", list(subject.functions), start.name)
        self.spoiler = controls.choice(say(en="spoil", ko="교란"), _spoilers(), start.spoiler)
        self.x, x_row = controls.slider("x", start.x, subject.ends)
        self.log_h, h_row = controls.step_slider(start.h, LOG_H)
        self.a, a_row = controls.slider("a", start.amount, AMOUNTS)
        rows = [[self.function, self.spoiler], [x_row, h_row], [a_row]]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    @property
    def setting(self) -> Setting:
        """What the controls say now."""
        x, h = self.x.number, controls.step_of(self.log_h)
        return Setting(self.function.value, self.spoiler.value, x, h, self.a.number)

    def read(self) -> Reading:
        return self.subject.read(self.setting)

    def scene(self) -> str:
        return str(self.function.value)

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, slope, error = words.compared(reading.quotient, reading.slope, reading.noise)
        spoiler = dict((value, text) for text, value in _spoilers())[reading.setting.spoiler]
        return [
            words.quotient_row("(f(x+h) − f(x)) / ((x+h) − x)", quotient),
            words.gradient_row(slope),
            words.error_row(error, reading.setting.h),
            Row(
                "truth",
                say(en="gradient, nothing spoiled", ko="건드리지 않았을 때의 gradient"),
                "f′(x)",
                digits(reading.truth),
            ),
            Row(
                "off",
                say(en="x.grad is off by", ko="x.grad의 오차"),
                spoiler,
                digits(reading.off, most=4),
            ),
        ]

    def alt(self) -> str:
        reading, setting = self.reading, self.reading.setting
        quotient, slope, truth = (f"{n:.4g}" for n in (reading.quotient, reading.slope, reading.truth))
        return say(
            en=f"Left: {setting.name} with a secant of slope {quotient} from x = {setting.x:.4g} to "
            f"x + h, h = {setting.h:.2g}, and a line of slope x.grad = {slope} through x. Right, against h: "
            f"the distance of the quotient from x.grad, and from the unspoiled gradient {truth}.",
            ko=f"왼쪽: {setting.name}, x = {setting.x:.4g}에서 x + h까지(h = {setting.h:.2g}) 기울기가 "
            f"{quotient}인 할선, x를 지나고 기울기가 x.grad = {slope}인 직선. 오른쪽: h에 따라 차분몫이 "
            f"x.grad와, 그리고 건드리지 않았을 때의 gradient {truth}와 얼마나 떨어져 있는지.",
        )


def _spoilers() -> list[tuple[str, str]]:
    """Return what can be chosen, and by which name."""
    stored = {
        # 16 is read 십육.
        name: say(en=f"saved as {name}", ko=f"{name}{'으로' if name.endswith('6') else '로'} 저장")
        for name in DTYPES
    }
    return [
        (say(en="nothing", ko="없음"), "none"),
        ("x.data.add_(a)", "data"),
        *((text, name) for name, text in stored.items()),
        ("hook: gradient × a", "hook"),
    ]


CHOSEN = words.line(INK, 1.5, "2 2", words.disc(SECANT, 4.5)) + words.sample(words.square(GREEN))
LEGEND = (
    [
        (words.CURVE_LINE, "f", "f"),
        (
            words.SECANT_LINE + words.sample(words.diamond(SECANT)),
            "secant through x and x + h",
            "x와 x + h를 지나는 할선",
        ),
        (words.TANGENT_LINE, "line of slope x.grad through x", "x를 지나고 기울기가 x.grad인 직선"),
    ],
    [
        (words.line(TANGENT, 2.5), "difference between quotient and x.grad", "차분몫과 x.grad의 차이"),
        (
            words.line(GREEN, 1.5, "6 2 2 2"),
            "difference between quotient and unspoiled gradient",
            "차분몫과 건드리지 않은 gradient의 차이",
        ),
        (CHOSEN, "both at the h you chose (▼: exactly 0)", "지금 고른 h에서의 두 값 (▼: 정확히 0)"),
    ],
)


#: The lesson's questions, as it asks them, and what each starts from.
QUESTIONS = (
    Question(
        {"spoiler": "data", "a": 0.5, "h": 0.1},
        en="Make $h$ smaller. Where does the quotient go, to `x.grad` or to the green truth? "
        "How far off is `x.grad` with $a = 0.5$, and with $a = 1$?",
        ko="$h$를 줄이세요. 차분몫은 `x.grad`로 다가가나요, 초록색이 가리키는 참값으로 "
        "다가가나요? $a = 0.5$일 때와 $a = 1$일 때 `x.grad`는 얼마나 어긋나나요?",
    ),
    Question(
        {"function": "eˣ", "spoiler": "data", "a": 0.5},
        en="Choose $e^x$ for the same edit of `x.data`. Why is `x.grad` right now?",
        ko="`x.data`를 똑같이 바꾸면서 함수를 $e^x$으로 고르세요. 이번에는 왜 `x.grad`가 맞을까요?",
    ),
    Question(
        {"function": "x²", "spoiler": "float32", "x": 1.3},
        en="Back to $x^2$, and store saved tensors as `float32`, `bfloat16`, `float8`. How far "
        "off is each at $x = 1.3$, and at $x = 1.5$?",
        ko="다시 $x^2$으로 돌아가 저장된 텐서를 `float32`, `bfloat16`, `float8`로 보관하세요. "
        "$x = 1.3$에서 각각 얼마나 어긋나나요? $x = 1.5$에서는요?",
    ),
    Question(
        {"function": "x²", "spoiler": "hook", "a": 2.0},
        en="Choose the hook with $a = 2$. By what factor is `x.grad` wrong? Can the quotient see the hook?",
        ko="hook을 고르고 $a = 2$로 두세요. `x.grad`는 몇 배로 틀리나요? 차분몫은 hook을 볼 수 있나요?",
    ),
)


@remembered(*QUESTIONS)
def explore_saved(
    functions: Functions | None = None,
    *,
    x_range: Range = (0.5, 4.0),
    x: float | None = None,
    h: float = 0.1,
    spoiler: str = "data",
    a: float = 0.5,
    function: str | None = None,
) -> SavedExplorer:
    """Return sliders for x and h over f with its secant, and a backward() whose inputs can be spoiled.

    Left: the curve, its secant and a line of slope x.grad. Right: how far the quotient is from x.grad, and
    from the gradient that nothing has spoiled, against h.

    Args:
        functions: one function of x, or several, by name or in a list; when left out, x^2, e^x and log(x^3).
        x_range: the ends of x's slider.
        x: where to start, 1.3 when left out; moved into x_range, and words say so.
        h: the step to start with, from 1e-10 to 10**0.5.
        spoiler: "none"; "data", which adds a to x.data between forward and backward; "float32", "bfloat16"
            or "float8", the dtype that saved tensors are stored in; "hook", which multiplies by a.
        a: where its slider starts.
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    ranges.check_some("explore_saved", named)
    ranges.check_choice("spoiler", spoiler, SPOILERS)
    name = ranges.first_or(function, "function", named)
    x_range = ranges.checked_range(x_range)
    x, h = ranges.place_and_step(x, h, x_range, 1.3)
    return SavedExplorer(Subject(named, x_range), Setting(name, spoiler, x, h, a))
