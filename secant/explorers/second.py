"""The explorer of lesson 9: a second derivative by differences twice, once, or not at all."""

import contextlib
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import (
    beside,
    controls,
    difference,
    elementwise,
    plots,
    ranges,
    remarks,
    twice,
    words,
)
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import log_of_cube, quartic
from secant.explorers.kit.looks import PARTS, Look, rings, zeros
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Setting, Subjects, kept
from secant.explorers.kit.twice import NO_LIMITS, Limits, Reading
from secant.explorers.kit.widget import Panel
from secant.explorers.kit.words import Row
from secant.language import say

CALLS_OF_LIMITS = 63  # for what the differences approach
FEW_STEPS = 33  # of an error curve, for a function that takes one x at a time


FUNCTIONS: dict[str, Function] = {"log(x³)": log_of_cube, "x⁴ − 8x²": quartic}
#: What is known of them, to measure from. Of a learner's own function nothing is.
TRUTHS: dict[Function, Function] = {log_of_cube: lambda x: -3 / x**2, quartic: lambda x: 12 * x**2 - 16}


class Subject(Subjects):
    """The functions to explore and the range of x, with what is worked out once for each."""

    def truth(self, name: str) -> Function | None:
        """Return the second derivative in a formula, if it is known."""
        return TRUTHS.get(self.functions[name])

    @kept(64)
    def error_curves(self, name: str, x: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps, (k,), and for each way the median error at each of them."""
        f, near, steps = self.prepared(name).f, self.near(name, x), self.steps(name)
        double, truth = twice.double_backward(f, near), self.truth(name)
        want = (truth(near) if truth else double) + 0 * difference.values(f, near).detach()
        ways: dict[str, Callable[..., Tensor]] = {
            "second": twice.second_difference,
            "quotient": twice.gradient_quotient,
        }
        found = {way: difference.by_steps(partial(of, f, near), near, steps) for way, of in ways.items()}
        if truth:
            found["double"] = double[None]
        curves = {
            way: elementwise.median_sizes(one - want).expand(len(steps)).numpy() for way, one in found.items()
        }
        return steps.numpy(), curves

    @kept(64)
    def limits(self, name: str, x: float) -> Limits:
        """Return the numbers that the differences approach, if the truth is not known."""
        prepared = self.prepared(name)
        if self.truth(name) or not prepared.affords(CALLS_OF_LIMITS):
            return NO_LIMITS
        return twice.limits(prepared.f, torch.tensor([x], dtype=torch.float64))

    @kept()
    def error_range(self, name: str) -> Range:
        """Return powers of ten that hold the errors of every x."""
        errors = elementwise.all_over(lambda x: self.error_curves(name, x)[1].values(), self.ends)
        return plots.decades(errors, -18, 8)

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        name, h = setting.function, setting.h
        f, here = self.prepared(name).f, torch.tensor([setting.x], dtype=torch.float64)
        there = here + h
        reading = Reading(setting, there.item(), len(self.near(name, setting.x)))
        if truth := self.truth(name):
            reading.truth = truth(here).item()
        with reading.noting():
            reading.value = difference.number(f, here)
            reading.found["second"] = twice.second_difference(f, here, h).item()
        with reading.noting():
            reading.slopes = difference.gradient(f, here).item(), difference.gradient(f, there).item()
            reading.found["quotient"] = twice.gradient_quotient(f, here, h).item()
            reading.found["double"] = twice.double_backward(f, here).item()
        with contextlib.suppress(FunctionProblem):
            reading.steps, reading.curves = self.error_curves(name, setting.x)
            reading.limits = self.limits(name, setting.x)
        errors = elementwise.any_finite(*reading.curves.values())
        reading.filled = elementwise.any_finite(self.slopes(name) + self.curve(name)[1]), errors
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
    x = reading.setting.x
    if not math.isfinite(reading.value):
        remarks.no_value(reading, f"x = {x:g}")
    elif not math.isfinite(reading.found["double"]):
        reading.problem(**REMARKS["double"], x=x, found=reading.found["double"])
    elif reading.there == x:
        remarks.step_lost(reading, "x + h", "x", reading.setting.h, **REMARKS["lost"])
    elif not math.isfinite(reading.found["second"]):
        reading.remark(**REMARKS["second"])
    elif reading.verdict:
        (second, quotient), double = reading.limits, reading.found["double"]
        reading.remark(**REMARKS[reading.verdict], second=second, quotient=quotient, double=double)
    remarks.few_places(reading, reading.places)


class Picture:
    """The figure: the gradient with its secant and tangent, and the error of each way against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "f'", quotient=r"$\Delta f'/\Delta x$", gradient="$f''(x)$", point="$x$", ends="$x, x+h$"
        )
        self.errors = plots.ErrorPlot(right, r"$|\,\ldots - f''(x)\,|$")
        self.lines = {way: look.line(self.errors, LABELS[way]) for way, look in LOOKS.items()}
        self.zeros = zeros(self.errors, list(self.lines.values()))
        self.marks = rings(self.errors, list(self.lines.values()))
        self.moving = [*self.function.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: the curve of the gradient and both pairs of limits."""
        name = reading.setting.function
        x, heights = self.subject.curve(name)
        self.function.set_curve(x, np.where(np.isnan(heights), np.nan, self.subject.slopes(name)))
        self.errors.set_decades(*self.subject.error_range(name))

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        x, h, found = reading.setting.x, reading.setting.h, reading.found
        at = x, reading.slopes[0]
        self.function.set_lines(at, found["quotient"], found["double"], (x, reading.there), reading.slopes)
        for at_zero, (way, line) in zip(self.zeros, self.lines.items(), strict=True):
            self.errors.set_curves(at_zero, reading.steps, (line, reading.curves.get(way, np.empty(0))))
        self.errors.set_step(h)
        shown = [error if way in reading.curves else math.nan for way, error in reading.errors.items()]
        self.marks.set_offsets([(h, error) for error in self.errors.inside(*shown)])


class SecondExplorer(Panel[Reading]):
    """The widget that `explore_second` returns."""

    arguments = ("function", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        rows = [(self.function,), self.x_and_h(start, subject)]
        legend = LEGEND if all(map(subject.truth, subject.functions)) else DISTANCES
        super().__init__(subject, start, lambda: Picture(subject), rows, legend)

    def rows(self) -> list[Row]:
        reading, noise = self.reading, self.reading.noise
        numbers = {
            way: words.quotient_digits(found, noise[way]) if noise[way] else words.digits(found)
            for way, found in reading.found.items()
        }
        rows = [words.gradient_row(words.digits(reading.slopes[0]))]
        rows += [self.row(way, FORMULAS[way], number) for way, number in numbers.items()]
        errors = reading.errors
        if math.isnan(reading.truth):
            del errors["double"]  # it is what the others are measured from
        else:
            rows.append(self.row("truth", "f″(x)", words.digits(reading.truth)))
        if "double" in errors:
            label = say(en="errors of the three ways", ko="세 방법의 오차(위의 순서대로)")
        else:
            label = say(
                en="distances of both differences from double backward",
                ko="두 차분과 double backward의 차이(위의 순서대로)",
            )
        each = ", ".join(f"{error:.1e}" for error in errors.values())
        return [*rows, Row("error", label, words.step(reading.setting.h), each)]

    def told(self) -> dict[str, Any]:
        second, quotient, double = (f"{error:.1e}" for error in self.reading.errors.values())
        errors = REMARKS["distances" if math.isnan(self.reading.truth) else "errors"]
        told = say(**errors).format(h=self.setting.h, second=second, quotient=quotient, double=double)
        return {**super().told(), "errors": told}


LABELS = {"second": "Δ²f / h²", "quotient": "Δf' / h", "double": "f''"}
FORMULAS = {
    "second": "(f(x+h) − 2f(x) + f(x−h)) / h²",
    "quotient": "(f′(x+h) − f′(x)) / h",
    "double": "create_graph=True",
}
LOOKS = {
    "second": PARTS[0],
    "quotient": Look(SECANT, "D"),
    "double": Look(TANGENT, "o", (5, 3)),
}
REMARKS = beside.remarks(__file__)
LEFT = {**words.LINES, "points": words.POINTS}
SAMPLES = {way: look.sample() for way, look in LOOKS.items()}
LEGEND = beside.legend(__file__, LEFT, {**SAMPLES, "h": words.STEP_LINE})
DISTANCES = beside.legend(
    __file__,
    LEFT,
    {"from_second": SAMPLES["second"], "from_quotient": SAMPLES["quotient"], "here": words.STEP_LINE},
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
    named = ranges.some_by_name("explore_second", functions, FUNCTIONS)
    name = ranges.first_or(function, "function", named)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 5.0)
    return SecondExplorer(Subject(named, x_range, few_steps=FEW_STEPS, calls=8), Setting(name, x, h))
