"""The explorer of lesson 10: slopes from an autograd engine, from torch and from a difference quotient.

The user can give the engine a bug, which the comparison may reveal.
"""

import contextlib
import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import (
    controls,
    difference,
    elementwise,
    plain_backward,
    plots,
    ranges,
    remarks,
    texts,
    words,
)
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, SECANT, TANGENT
from secant.explorers.kit.difference import Function, FunctionProblem, Functions
from secant.explorers.kit.functions import log_of_cube, two_paths, uneven
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Subjects, memoised
from secant.explorers.kit.widget import Findings, Panel
from secant.explorers.kit.words import Row
from secant.graph import nodes
from secant.graph.nodes import ACCUMULATOR
from secant.language import say

Bug = Literal["none", "assign", "breadth", "kept"]
BUGS: tuple[Bug, ...] = get_args(Bug)
# For each node of the graph, the gradients for the outputs of the node's operation, keyed by output number.
Buffers = dict[Any, dict[int, Tensor]]
CALLS = (1, 2)

FUNCTIONS: dict[str, Function] = {"log x³ + √x²": two_paths, "log x³": log_of_cube, "y·z + y": uneven}


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls."""

    function: str
    bug: Bug
    calls: int
    x: float
    h: float


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    S is the function times the number of backward passes.

    Attributes:
        setting: the values of the controls.
        x_plus_h: the point x + h.
        heights: S at x and at x + h.
        quotient: the difference quotient of S.
        torch: the slope that torch finds.
        engine: the slope that the engine with the selected bug finds.
        right: the slope that the engine without a bug finds.
        limit: the number that the quotient approaches as h shrinks.
        steps: the values of h at which `to_torch` and `to_engine` are computed.
        to_torch: the quotient's distance from `torch` at each of `steps`.
        to_engine: the quotient's distance from `engine` at each of `steps`.
        decades: the limits of the plot of errors.
    """

    setting: Setting
    x_plus_h: float
    heights: Range = (math.nan, math.nan)
    quotient: float = math.nan
    torch: float = math.nan
    engine: float = math.nan
    right: float = math.nan
    limit: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_torch: np.ndarray = field(default_factory=lambda: np.empty(0))
    to_engine: np.ndarray = field(default_factory=lambda: np.empty(0))
    decades: Range = (1e-16, 1.0)

    @property
    def noise(self) -> float:
        """The approximate rounding error of the difference quotient."""
        size = difference.largest(*self.heights)
        return difference.rounding(size, self.setting.x, self.torch, self.x_plus_h - self.setting.x)


def engine_gradient(f: Function, x: Tensor, bug: Bug = "none", calls: int = 1) -> Tensor:
    """Return the gradient that the engine accumulates at each x when it runs backward over one graph.

    Args:
        f: an elementwise function.
        x: the points.
        bug: the engine's bug: "none"; "assign", which replaces a gradient instead of adding to it; "breadth",
            which visits the operations breadth first; or "kept", which does not clear the gradients of
            intermediate values between passes.
        calls: the number of backward passes.

    Raises:
        FunctionProblem: if f fails, or the backward of one of its operations fails.
    """
    leaf = x.detach().clone().requires_grad_()
    results: list[Tensor] = []

    def recorded_f(t: Tensor) -> Tensor:
        results.append(f(t))
        return results[0]

    with torch.enable_grad():
        # `recorded_f` captures the original result of f, because `values` returns a reshaped one.
        difference.values(recorded_f, leaf)
    result, root = results[0], results[0].grad_fn
    if root is None:
        return torch.full_like(x, float(calls) if result is leaf else 0.0)
    tape = plain_backward.nodes_behind(root) if bug == "breadth" else _newest_first(root)
    buffers: Buffers = {}
    has_own_backward = plain_backward.has_own_backward(result)
    with plain_backward.leaves_restored(leaf, result) if has_own_backward else contextlib.nullcontext():
        for _ in range(calls):
            if bug != "kept":
                buffers = {
                    node: gradients for node, gradients in buffers.items() if node.name() == ACCUMULATOR
                }
            buffers[root] = {result.output_nr: torch.ones_like(result)}
            _pass(tape, buffers, bug)
    gradient = next(
        (gradients[0] for node, gradients in buffers.items() if getattr(node, "variable", None) is leaf), None
    )
    return torch.zeros_like(x) if gradient is None else gradient


def _pass(tape: list[Any], buffers: Buffers, bug: Bug) -> None:
    for node in tape:
        if node not in buffers or node.name() == ACCUMULATOR:
            continue
        incoming = [buffers[node].get(number) for number in range(nodes.count_of_results(node))]
        try:
            parts = nodes.fit_to_inputs(node, nodes.call_node(node, incoming))
        except Exception as error:  # a custom autograd Function may raise any kind of error
            summary = difference.error_summary(error)
            raise difference.problem(
                en=f"The engine cannot go back through {node.name()}: {summary}",
                ko=f"엔진이 {node.name()}에서 역방향으로 계산할 수 없습니다. {summary}",
            ) from error
        for (parent, number), part in zip(node.next_functions, parts, strict=True):
            if parent is not None and part is not None:
                gradients = buffers.setdefault(parent, {})
                accumulates = number in gradients and bug != "assign"
                gradients[number] = gradients[number] + part if accumulates else part


def _newest_first(root: Any) -> list[Any]:
    """Return a node and all nodes that can be reached from it, most recently recorded first."""
    return sorted(plain_backward.nodes_behind(root), key=lambda node: node._sequence_nr(), reverse=True)


class Subject(Subjects):
    """The functions to explore and the range of x. Results are cached for each function."""

    @memoised(64)
    def leaf_gradients(self, name: str, bug: Bug, calls: int, x: float) -> tuple[float, float]:
        """Return the gradients that torch and the engine accumulate at x in `calls` backward passes.

        Raises:
            FunctionProblem: if f or one of the backward passes fails, or if autograd finds no path from f(x)
                back to x.
        """
        f = self.prepared(name).f
        place = torch.tensor([x], dtype=torch.float64)
        expected = calls * difference.gradient(f, place)
        return expected.item(), engine_gradient(f, place, bug, calls).item()

    @memoised()
    def decades(self, name: str) -> Range:
        """Return two powers of ten that enclose all errors of the engine's slopes.

        An error is the distance between a slope and a difference quotient. The errors are computed for every
        bug, several x values and several steps h.
        """
        errors = [np.empty(0)]
        for x in np.linspace(*self.ends, 5):
            with contextlib.suppress(FunctionProblem):
                quotients = self.quotients_at(name, float(x))[1][::8]
                slopes = [self.leaf_gradients(name, bug, 2, float(x))[1] for bug in BUGS]
                errors += [np.abs(2 * quotients - slope) for slope in slopes]
        return plots.decades(np.concatenate(errors), -12, 6)

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        name, calls = setting.function, setting.calls
        f = self.prepared(name).f
        x = torch.tensor([setting.x], dtype=torch.float64)
        x_plus_h = x + setting.h
        reading = Reading(setting, x_plus_h.item(), decades=self.decades(name))
        with reading.collecting_problems():
            reading.heights = calls * difference.number(f, x), calls * difference.number(f, x_plus_h)
            reading.quotient = calls * difference.quotient(f, x, setting.h).item()
        with reading.collecting_problems():
            reading.torch, reading.engine = self.leaf_gradients(name, setting.bug, calls, setting.x)
            reading.right = self.leaf_gradients(name, "none", calls, setting.x)[1]
            reading.steps, quotients = self.quotients_at(name, setting.x)
            reading.limit = calls * elementwise.limit(reading.steps, quotients)
            reading.to_torch = np.abs(calls * quotients - reading.torch)
            reading.to_engine = np.abs(calls * quotients - reading.engine)
        curve = self.curve(name)[1]
        has_curve = elementwise.any_finite(curve)
        reading.visible_axes = has_curve, has_curve and elementwise.any_finite(reading.to_torch)
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    x, h = reading.setting.x, reading.setting.h
    if not math.isfinite(reading.heights[0]):
        remarks.no_value(reading, f"x = {x:g}")
    elif not math.isfinite(reading.torch):
        remarks.no_gradient(reading, x, reading.torch)
    elif reading.x_plus_h == x:
        remarks.step_lost(reading, "x + h", "x", h, **REMARKS["lost"])
    elif not math.isfinite(reading.heights[1]):
        remarks.no_quotient(reading, en=f"x + h = {reading.x_plus_h:g}", ko=f"x + h = {reading.x_plus_h:g}")
    elif not _is_close(reading.right, reading.torch):
        is_engine_nearer = abs(reading.limit - reading.right) < abs(reading.limit - reading.torch)
        remark = REMARKS["to_engine" if is_engine_nearer else "to_torch"]
        reading.remark(**REMARKS["hook"], right=reading.right, torch=reading.torch)
        reading.remark(**remark)
    elif not _is_close(reading.engine, reading.torch):
        is_torch_limit = _is_close(reading.limit, reading.torch, 1e-3)
        reading.remark(
            **REMARKS["bug" if is_torch_limit else "both"], gap=abs(reading.engine - reading.torch)
        )
    elif reading.setting.bug != "none":
        reading.remark(**REMARKS["hidden"])


def _is_close(a: float, b: float, share: float = 1e-9) -> bool:
    return abs(a - b) <= share * max(1.0, abs(b))


class Picture:
    """The figure, with a plot of the function and a plot of distances.

    The left plot shows the function, a secant, and lines with the slopes that torch and the engine find. The
    right plot shows the difference quotient's distance from both slopes, against h.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, right) = plots.row(2)
        self.function = plots.FunctionPlot(
            left, "S", quotient=r"$\Delta S/\Delta x$", gradient="x.grad", ends="$x, x+h$"
        )
        self.engine = left.axline((0, 0), slope=0, color=GREEN, lw=2.2, ls=":", label="$e$", zorder=4)
        self.plot = plots.ErrorPlot(right, r"$|\Delta S/\Delta x - \cdot|$")
        self.to_torch = plots.line(self.plot, TANGENT, 3.5, label="x.grad", zorder=3)
        self.to_engine = plots.line(self.plot, GREEN, 2, ":", label="$e$", zorder=4)
        self.zeros = plots.marker(self.plot, "v", TANGENT, size=5)
        self.at_torch = plots.marker(self.plot, "o", TANGENT, size=10, hollow=True)
        self.at_engine = plots.marker(self.plot, "s", GREEN, size=6, label="$h$")
        self.moving = [*self.function.moving, self.engine, *self.plot.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the curve and the axis limits, which are the same for every x and h."""
        x, y = self.subject.curve(reading.setting.function)
        self.function.set_curve(x, reading.setting.calls * y)
        self.plot.set_decades(*reading.decades)

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        x, h = reading.setting.x, reading.setting.h
        height = reading.heights[0]
        self.function.set_lines(
            (x, height), reading.quotient, reading.torch, (x, reading.x_plus_h), reading.heights
        )
        plots.set_line(self.engine, x, height, reading.engine)
        curves = (self.to_torch, reading.to_torch), (self.to_engine, reading.to_engine)
        self.plot.set_curves(self.zeros, reading.steps, *curves)
        torch, engine = (abs(reading.quotient - slope) for slope in (reading.torch, reading.engine))
        self.plot.set_step(h, (self.at_torch, torch), (self.at_engine, engine))


class EngineExplorer(Panel[Reading]):
    """The widget that `explore_engine` returns."""

    arguments = ("function", "bug", "calls", "x", "h")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.function = controls.choice("f(x)", list(subject.functions), start.function)
        self.bug = controls.choice(say(en="bug", ko="버그"), texts.options(__file__, "bug"), start.bug)
        self.calls = controls.choice(say(en="calls", ko="호출"), [(f"{n} ×", n) for n in CALLS], start.calls)
        rows = [(self.function, self.bug, self.calls), self.x_and_h(start, subject)]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def rows(self) -> list[Row]:
        reading = self.reading
        quotient, slope, error = words.compared_digits(reading.quotient, reading.torch, reading.noise)
        _, engine, gap = words.compared_digits(reading.quotient, reading.engine, reading.noise)
        return [
            words.quotient_row("(S(x+h) − S(x)) / ((x+h) − x)", quotient),
            words.gradient_row(slope),
            self.row("engine", "e", engine),
            words.error_row(error, reading.setting.h),
            self.row("apart", words.step(reading.setting.h), gap),
        ]


REMARKS = texts.remarks(__file__)
CHOSEN = words.sample(words.disc(TANGENT, 5)) + words.sample(words.square(GREEN))
LEGEND = texts.legend(
    __file__,
    {
        **words.LINES,
        "secant": words.line(SECANT, 4, mark=words.diamond(SECANT)),
        "engine": words.line(GREEN, 2.5, "2 3"),
    },
    {
        "to_torch": words.line(TANGENT, 3.5),
        "to_engine": words.line(GREEN, 2, "2 3"),
        "h": words.line(INK, 1.5, "2 2") + CHOSEN,
        "zero": words.sample(words.triangle(TANGENT, down=True)),
    },
)


@with_call
def explore_engine(
    functions: Functions | None = None,
    *,
    x_range: Range = (0.5, 3.0),
    x: float | None = None,
    h: float = 1.0,
    bug: Bug = "none",
    calls: int = 1,
    function: str | None = None,
) -> EngineExplorer:
    """Return an explorer of an autograd engine that can be given a bug, with sliders for x and h.

    The engine runs backward over the operations that torch has recorded. It orders the operations and sums
    the gradients itself, with the selected bug. The left plot shows the function, a secant, and lines with
    the slopes that torch and the engine find. The right plot shows the difference quotient's distance from
    both slopes, against h.

    Args:
        functions: a function of x, a list of functions, or a dict from names to functions. By default
            log(x^3) + sqrt(x^2), log(x^3), and yz + y with y = x^2 and z = yx.
        x_range: the smallest and the largest x on the slider.
        x: the initial x, by default 2. A value outside x_range is clipped to it, and a message reports this.
        h: the initial step, from 10**-15.5 to 10**0.5.
        bug: the engine's bug: "none"; "assign", which replaces a gradient instead of adding to it; "breadth",
            which visits the operations breadth first; or "kept", which does not clear the gradients of
            intermediate values between passes.
        calls: the number of backward() calls, 1 or 2.
        function: the name of the initially selected function, by default the first.

    Raises:
        ValueError: if an argument other than a function is invalid.
    """
    functions_by_name = ranges.choose_functions("explore_engine", functions, FUNCTIONS)
    ranges.check_choice("bug", bug, BUGS)
    ranges.check_choice("calls", calls, CALLS)
    name = ranges.first_or(function, "function", functions_by_name)
    x_range, x, h = ranges.place_and_step(x_range, x, h, 2.0)
    return EngineExplorer(Subject(functions_by_name, x_range), Setting(name, bug, calls, x, h))
