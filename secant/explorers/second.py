"""The explorer of lesson 9: a second derivative by differences twice, once, or not at all."""

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial

import numpy as np
import torch
from matplotlib.artist import Artist
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, looks, plots, ranges, remarks, words
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import INK, PURPLE, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import log_of_cube
from secant.explorers.kit.ranges import LOG_H, Range
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.language import say

PLACES, STEPS = 201, 65  # of the error curves: x near the chosen one, and h, four a decade
FEW_PLACES, FEW_STEPS = 21, 33  # the same for a function that takes one x at a time
WAYS = ("second", "quotient", "double")  # differences twice, once, not at all


def quartic(x: Tensor) -> Tensor:
    """Return x^4 - 8 x^2."""
    return x**4 - 8 * x**2


FUNCTIONS: dict[str, Function] = {"log(x³)": log_of_cube, "x⁴ − 8x²": quartic}
#: What is known of them, to measure from. Of a learner's own function nothing is.
TRUTHS: dict[Function, Function] = {log_of_cube: lambda x: -3 / x**2, quartic: lambda x: 12 * x**2 - 16}


def double_backward(f: Function, x: Tensor) -> Tensor:
    """Return f''(x) at each x, for an elementwise f, by differentiating autograd's gradient with autograd.

    Where the gradient does not depend on x that is 0.

    Raises:
        FunctionProblem: if there is no gradient, or it cannot be differentiated again.
    """
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        total = difference.values(f, leaf).sum()
        if not total.requires_grad:
            difference.gradient(f, x)  # which says why there is none
        try:
            (first,) = torch.autograd.grad(total, leaf, create_graph=True)
            if first.requires_grad:
                return torch.autograd.grad(first.sum(), leaf, allow_unused=True, materialize_grads=True)[0]
            return torch.zeros_like(x)
        except Exception as error:  # a learner's own operation may raise anything
            what = difference.in_brief(error)
            raise difference.problem(
                en=f"Differentiating twice stopped with {what}",
                ko=f"두 번 미분하다가 멈췄습니다. {what}",
            ) from error


def second_difference(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f(x+h) - 2 f(x) + f(x-h)) / h², over the steps really taken; NaN where they are lost."""
    low, high = x - h, x + h
    left, middle, right = (difference.values(f, place).detach() for place in (low, x, high))
    return (right - 2 * middle + left) / ((high - x) * (x - low))


def gradient_quotient(f: Function, x: Tensor, h: Tensor | float) -> Tensor:
    """Return (f'(x+h) - f'(x)) / h with autograd's f', over the step really taken; NaN where that is lost."""
    there = x + h
    return (difference.gradient(f, there) - difference.gradient(f, x)) / (there - x)


@dataclass
class Reading(Findings):
    """What the controls come to.

    `slopes` are the gradients at x and at x + h. `found` holds the second derivative in each of the three
    ways, `errors` how far each is from the `truth`, or, where that is not known, from double backward;
    `curves` the medians of these errors over x nearby, against `steps`.
    """

    name: str
    x: float
    there: float
    h: float
    slopes: tuple[float, float] = (math.nan, math.nan)
    found: dict[str, float] = field(default_factory=lambda: dict.fromkeys(WAYS, math.nan))
    truth: float = math.nan
    value: float = math.nan
    places: int = PLACES
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def errors(self) -> dict[str, float]:
        measured = self.found["double"] if math.isnan(self.truth) else self.truth
        return {way: abs(found - measured) for way, found in self.found.items()}


class Subject:
    """The functions to explore and the range of x, with what is worked out once for each."""

    def __init__(self, functions: Mapping[str, Function], x_range: Range) -> None:
        self.functions = dict(functions)
        self.ends = x_range
        self.prepared = cache(self._prepared)
        self.curve = cache(self._curve)
        self.error_range = cache(self._error_range)
        self.error_curves = lru_cache(maxsize=64)(self._error_curves)

    def truth(self, name: str) -> Function | None:
        """Return the second derivative in a formula, if it is known."""
        return TRUTHS.get(self.functions[name])

    def _prepared(self, name: str) -> tuple[Function, int, int]:
        """Return an elementwise function, and how many x and h its error curves can afford."""
        found = elementwise.prepare(
            self.functions[name], torch.linspace(*self.ends, PLACES, dtype=torch.float64)
        )
        if found.together:
            return found.f, PLACES, STEPS
        return found.f, min(FEW_PLACES, max(1, found.calls // (8 * FEW_STEPS))), FEW_STEPS

    def _curve(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and f'(x) to draw; NaN where f fails or has no finite value."""
        f, places, _ = self.prepared(name)
        count = 401 if places == PLACES else 101
        x = torch.linspace(*ranges.padded(self.ends), count, dtype=torch.float64)
        slopes = elementwise.sampled(partial(difference.gradient, f), x)[1]
        heights = elementwise.sampled(f, x)[1]
        return x.numpy(), np.where(np.isnan(heights), np.nan, slopes)

    def _error_curves(self, name: str, x: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps, (k,), and for each way the median error at each of them."""
        f, places, count = self.prepared(name)
        near = torch.linspace(*ranges.around(x, self.ends), places, dtype=torch.float64)
        steps = torch.logspace(*LOG_H, count, dtype=torch.float64)
        double, truth = double_backward(f, near), self.truth(name)
        want = (truth(near) if truth else double) + 0 * difference.values(f, near).detach()
        ways: dict[str, Callable[..., Tensor]] = {"second": second_difference, "quotient": gradient_quotient}
        curves = {
            way: elementwise.median_sizes(
                difference.by_steps(partial(of, f, near), near, steps) - want
            ).numpy()
            for way, of in ways.items()
        }
        if truth:
            level = elementwise.median_sizes((double - want)[None]).item()
            curves["double"] = np.full(count, level)
        return steps.numpy(), curves

    def _error_range(self, name: str) -> Range:
        """Return powers of ten that hold the errors of every x."""
        errors = elementwise.all_over(
            lambda x: np.concatenate(list(self._error_curves(name, x)[1].values())), self.ends
        )
        return plots.decades(errors, -18, 8)

    def read(self, name: str, x: float, h: float) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        f, places, _ = self.prepared(name)
        here = torch.tensor([x], dtype=torch.float64)
        there = here + h
        reading = Reading(name, x, there.item(), h, places=places)
        if truth := self.truth(name):
            reading.truth = truth(here).item()
        with reading.noting():
            reading.value = difference.number(f, here)
            reading.found["second"] = second_difference(f, here, h).item()
        with reading.noting():
            reading.slopes = difference.gradient(f, here).item(), difference.gradient(f, there).item()
            reading.found["quotient"] = gradient_quotient(f, here, h).item()
            reading.found["double"] = double_backward(f, here).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, x)
        curve = self.curve(name)[1]
        reading.filled = elementwise.any_finite(curve), elementwise.any_finite(*reading.curves.values())
        if not reading.problems:
            _remark(reading)
        return reading


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    if not math.isfinite(reading.value):
        remarks.no_value(reading, f"x = {reading.x:g}")
    elif not math.isfinite(reading.found["double"]):
        reading.problem(
            en=f"At x = {reading.x:g} the second derivative is {reading.found['double']}: "
            "there is no tangent to compare with.",
            ko=f"x = {reading.x:g}에서 이계 미분계수가 {reading.found['double']}이어서 "
            "비교할 접선이 없습니다.",
        )
    elif reading.there == reading.x:
        en = ", and both differences are 0/0. Double backward does not care: it has no h."
        ko = "사라지고 두 차분은 0/0이 됩니다. double backward에는 h가 없으므로 아무 상관이 없습니다."
        remarks.step_lost(reading, "x + h", "x", reading.h, en=en, ko=ko)
    elif not math.isfinite(reading.found["second"]):
        reading.remark(
            en="At x − h or x + h the function has no value, so there is no second difference.",
            ko="x − h나 x + h에서 함숫값이 없어 이계 차분을 구할 수 없습니다.",
        )
    if reading.places != PLACES:
        remarks.few_places(reading, reading.places, PLACES)


class Picture:
    """The figure: the gradient with its secant and tangent, and the error of each way against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f'", quotient=r"$\Delta f'/\Delta x$", gradient="$f''(x)$", point="$x$", ends="$x, x+h$"
        )
        self.errors = plots.ErrorPlot(right, r"$|\,\ldots - f''(x)\,|$")
        self.lines = {way: look.line(right, LABELS[way]) for way, look in LOOKS.items()}
        self.zeros = looks.zeros(right, list(self.lines.values()))
        self.marks = looks.rings(right, list(self.lines.values()))

    @property
    def moving(self) -> list[Artist]:
        """The artists that differ from one frame of a drag to the next."""
        return [*self.function.moving, *self.lines.values(), *self.zeros, self.errors.step, self.marks]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve of the gradient and both pairs of limits."""
        self.function.set_curve(*self.subject.curve(reading.name))
        self.errors.set_decades(*self.subject.error_range(reading.name))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        ends = (reading.x, reading.there)
        at = (reading.x, reading.slopes[0])
        self.function.set_lines(at, reading.found["quotient"], reading.found["double"], ends, reading.slopes)
        for zeros, (way, line) in zip(self.zeros, self.lines.items(), strict=True):
            errors = reading.curves.get(way, np.empty(0))
            self.errors.set_curves(zeros, [(line, reading.steps[: len(errors)], errors)])
        self.errors.set_step(reading.h)
        shown = [error if way in reading.curves else math.nan for way, error in reading.errors.items()]
        self.marks.set_offsets([(reading.h, error) for error in self.errors.inside(*shown)])


class SecondExplorer(Panel[Reading]):
    """The widget that `explore_second` returns."""

    arguments = ("function", "x", "h")

    def __init__(self, subject: Subject, name: str, x: float, h: float) -> None:
        self.subject = subject
        self.function = controls.choice("f(x)", list(subject.functions), name)
        self.x, x_row = controls.slider("x", x, subject.ends)
        self.log_h, h_row = controls.step_slider(h)
        rows = [(self.function,), (x_row, h_row)]
        super().__init__(lambda: Picture(subject), rows, words.legend(*LEGEND))

    def read(self) -> Reading:
        return self.subject.read(self.function.value, self.x.number, controls.step_of(self.log_h))

    def scene(self) -> str:
        return self.reading.name

    def rows(self) -> list[Row]:
        reading, step = self.reading, self.reading.there - self.reading.x
        slope, double = reading.slopes[0], reading.found["double"]
        noise = {
            "second": difference.rounding(reading.value, reading.x, slope, step * step),
            "quotient": difference.rounding(slope, reading.x, double, step),
            "double": 0.0,
        }
        names = {
            "second": say(en="second difference of f", ko="f의 이계 차분"),
            "quotient": say(en="quotient of autograd's gradient", ko="autograd gradient의 차분몫"),
            "double": "double backward",
        }
        numbers = {
            way: words.quotient_digits(found, noise[way]) if noise[way] else words.digits(found)
            for way, found in reading.found.items()
        }
        rows = [words.gradient_row(words.digits(slope))]
        rows += [Row(way, names[way], FORMULAS[way], number) for way, number in numbers.items()]
        errors = reading.errors
        if math.isnan(reading.truth):
            del errors["double"]  # it is what the others are measured from
        else:
            by_hand = say(en="the truth, by hand", ko="손으로 구한 참값")
            rows.append(Row("truth", by_hand, "f″(x)", words.digits(reading.truth)))
        if "double" in errors:
            label = say(en="errors of the three ways", ko="세 방법의 오차(위의 순서대로)")
        else:
            label = say(en="errors of both differences", ko="두 차분의 오차(위의 순서대로)")
        each = ", ".join(f"{error:.1e}" for error in errors.values())
        return [*rows, Row("error", label, words.step(reading.h), each)]

    def alt(self) -> str:
        reading = self.reading
        found = {way: f"{number:.4g}" for way, number in reading.found.items()}
        errors = {way: f"{error:.1e}" for way, error in reading.errors.items()}
        double = "" if math.isnan(reading.truth) else f", double backward by {errors['double']}"
        double_ko = "" if math.isnan(reading.truth) else f", double backward의 오차는 {errors['double']}"
        return say(
            en=f"Left: the gradient of {reading.name} with a secant of slope {found['quotient']} and a "
            f"tangent of slope {found['double']} at x = {reading.x:.4g}. Right: errors against h; at "
            f"h = {reading.h:.1e} the second difference is off by {errors['second']}, the quotient of the "
            f"gradient by {errors['quotient']}{double}.",
            ko=f"왼쪽: x = {reading.x:.4g}에서 {reading.name}의 gradient, 기울기 {found['quotient']}인 "
            f"할선과 기울기 {found['double']}인 접선. 오른쪽: h에 따른 오차. h = {reading.h:.1e}에서 "
            f"이계 차분의 오차는 {errors['second']}, gradient의 차분몫의 오차는 "
            f"{errors['quotient']}{double_ko}.",
        )


LABELS = {"second": "Δ²f / h²", "quotient": "Δf' / h", "double": "f''"}
FORMULAS = {
    "second": "(f(x+h) − 2f(x) + f(x−h)) / h²",
    "quotient": "(f′(x+h) − f′(x)) / h",
    "double": "create_graph=True",
}
LOOKS = {
    "second": looks.Look(PURPLE, "s", words.square(PURPLE), (6, 2, 2, 2)),
    "quotient": looks.Look(SECANT, "D", words.diamond(SECANT, SECANT)),
    "double": looks.Look(TANGENT, "o", words.disc(TANGENT, 2.5, TANGENT), (5, 3)),
}
POINTS = words.sample(words.disc(INK, 3.5, INK)) + words.sample(words.diamond(SECANT))
LEGEND = (
    [
        (words.CURVE_LINE, "f′, the gradient of f by autograd", "f′: autograd로 구한 f의 gradient"),
        (words.SECANT_LINE, "secant of f′: its slope is the quotient", "f′의 할선: 기울기가 차분몫"),
        (
            words.TANGENT_LINE,
            "tangent of f′: its slope is double backward",
            "f′의 접선: 기울기가 double backward",
        ),
        (POINTS, "x, and the points the quotient compares", "x, 그리고 차분몫이 비교하는 점"),
    ],
    [
        (LOOKS["second"].sample(), "error of the second difference of f", "f의 이계 차분의 오차"),
        (LOOKS["quotient"].sample(), "error of the quotient of f′", "f′의 차분몫의 오차"),
        (
            LOOKS["double"].sample(),
            "error of double backward, where the truth is known",
            "참값을 알 때 double backward의 오차",
        ),
        (
            words.STEP_LINE,
            "the h you chose; rings: errors at this one x",
            "지금 고른 h, 고리: 이 x 하나에서의 오차",
        ),
    ],
)


@remembered
def explore_second(
    functions: Functions | None = None,
    *,
    x_range: Range = (1.0, 9.0),
    x: float | None = None,
    h: float = 1.0,
    function: str | None = None,
) -> SecondExplorer:
    """Return sliders for x and h over a second derivative found in three ways, and their errors.

    Left: autograd's gradient f', its secant, and a tangent whose slope is double backward. Right, against h:
    the error of the second difference of f, of the quotient of f', and of double backward, each the median
    over 201 x near the chosen one. They are measured from the true second derivative for the functions that
    come with it, and from double backward for others.

    Args:
        functions: one function of x, or several, by name or in a list; when left out, log(x^3) and
            x^4 - 8 x^2.
        x_range: the ends of x's slider.
        x: where to start, 5 when left out; moved into x_range, and words say so.
        h: the step to start with, from 10**-15.5 to 10**0.5.
        function: which of the functions to begin with, by name; the first when left out.

    Raises:
        ValueError: if an argument other than a function makes no sense.
    """
    named = FUNCTIONS if functions is None else difference.by_name(functions)
    ranges.check_some("explore_second", named)
    name = ranges.first_or(function, "function", named)
    x_range = ranges.checked_range(x_range)
    return SecondExplorer(Subject(named, x_range), name, *ranges.place_and_step(x, h, x_range, 5.0))
