"""The explorer of lesson 5: a difference quotient of vectors, the vector J v, and the number u J v.

J is the Jacobian of the explored function, v a direction in the input plane, and u one in the output plane.
Forward mode (`torch.func.jvp`) gives J v, and reverse mode (`torch.func.vjp`) gives u J. Initially, the
explorer shows the difference quotient and J v. If the user selects u in a dropdown, the explorer also shows
the number u J v, computed in two ways: from the quotient and by reverse mode.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from secant.explorers.kit import controls, difference, elementwise, plots, remarks, texts, words
from secant.explorers.kit.call import with_call
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT
from secant.explorers.kit.difference import FunctionProblem
from secant.explorers.kit.plane import PlanePlot, fit, grid_points
from secant.explorers.kit.ranges import LOG_H, Range, checked_range, clamp, padded, refuse
from secant.explorers.kit.widget import Findings, Panel, State
from secant.explorers.kit.words import Row
from secant.language import say
from secant.quiet import quietly

Map = Callable[[Tensor], Tensor]  # a function from tensors of shape (2,) to tensors of shape (2,)
# Number of h values in an error curve (four per decade), and number of points on the path from F(p) to
# F(p + h v).
STEPS, PATH = 65, 33
LINES, ALONG = 9, 41  # number of grid lines in each direction, and number of points on each line
# Smaller numbers of h values, path points, grid lines, and points on each grid line. They are used for a
# function that is slow because it accepts only one point at a time.
FEW_STEPS, FEW_PATH = 17, 9
FEW_LINES, FEW_ALONG = 5, 9
SECONDS_PER_FRAME = 0.015  # maximum time in seconds for calling the function in one frame
TURN = (-180.0, 180.0)  # range of the sliders for the angles of v and u, in degrees

# When forward mode is first used, torch issues a warning about its own code. The warning does not help
# students, so forward mode is first used here, where the warning is suppressed.
with quietly():
    torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))


def two_numbers(f: Map) -> Map:
    """Return a wrapper that calls f and converts its result to float64.

    The wrapper raises a FunctionProblem if the result is a tensor that does not hold two real numbers.
    """

    def wrapper(x: Tensor) -> Tensor:
        y = f(x)
        if isinstance(y, Tensor) and y.shape != (2,):
            raise difference.problem(
                en=f"The function returned shape {list(y.shape)}. It takes a tensor of two numbers, "
                "x[0] and x[1], and should return one of two numbers; torch.stack makes one.",
                ko=f"함수가 돌려준 텐서의 shape는 {list(y.shape)}입니다. 원소가 x[0], x[1] 둘인 텐서를 받아 "
                "원소가 둘인 텐서를 돌려주어야 합니다. torch.stack으로 만들 수 있습니다.",
            )
        if isinstance(y, Tensor) and y.is_complex():
            raise difference.problem(
                en="The function returned complex numbers; this picture needs two real ones.",
                ko="함수가 복소수를 돌려주었습니다. 이 그림에는 실수 두 개가 필요합니다.",
            )
        # All results become float64, because the curves would otherwise mix the rounding of two dtypes.
        return y.double() if isinstance(y, Tensor) and y.is_floating_point() else y

    return wrapper


def products(f: Map, p: Tensor, v: Tensor, u: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return f(p), J v (by forward mode) and u J (by reverse mode), each of shape (2,).

    J is the Jacobian of f at p.

    Raises:
        FunctionProblem: if f fails, or autograd finds no path from its result back to p.
    """
    y = difference.values(f, p.clone().requires_grad_())
    if not y.requires_grad:
        raise difference.problem(
            en="autograd finds no path from the result to p, so there is no J. "
            "Is the result a constant, or does the function use .item(), .detach() or NumPy?",
            ko="autograd가 결과에서 p까지 가는 경로를 찾지 못해 J가 없습니다. "
            "결과가 상수이거나, 함수 안에서 .item(), .detach(), NumPy를 쓰지 않았나요?",
        )
    try:
        jvp = torch.func.jvp(f, (p,), (v,))[1]
        (vjp,) = torch.func.vjp(f, p)[1](u)
    except FunctionProblem:
        raise
    except Exception as error:
        summary = difference.error_summary(error)
        raise difference.problem(
            en=f"torch.func.jvp and vjp do not take this function. {summary}",
            ko=f"이 함수에는 torch.func.jvp와 vjp를 쓸 수 없습니다. {summary}",
        ) from error
    return y.detach().numpy(), jvp.detach().numpy(), vjp.detach().numpy()


def polar(x: Tensor) -> Tensor:
    """Return the Cartesian coordinates of the point with the polar coordinates x = (radius, angle)."""
    return torch.stack([x[0] * torch.cos(x[1]), x[0] * torch.sin(x[1])])


def direction(degrees: float) -> np.ndarray:
    """Return the unit vector at an angle in degrees."""
    angle = math.radians(degrees)
    return np.array([math.cos(angle), math.sin(angle)])


@dataclass(frozen=True)
class Setting:
    """The values of the explorer's controls.

    Attributes:
        p: the point in the input plane.
        h: the step.
        v: the direction in the input plane, in degrees.
        u: the direction in the output plane, in degrees.
        along: whether u is shown, together with the components along u of the difference quotient and J v.
    """

    p: Range
    h: float
    v: float
    u: float
    along: bool = False


def _empty_array() -> np.ndarray:
    return np.full(2, np.nan)


@dataclass
class Reading(Findings):
    """The numbers computed for one setting of the controls. A number that cannot be computed is NaN.

    F is the explored function, and J its Jacobian at the chosen point p. The vectors v and u are unit vectors
    in the chosen directions of the input plane and the output plane. A dot is a dot product.

    Attributes:
        setting: the values of the controls.
        value: F(p), of shape (2,).
        end: F(p + h v), of shape (2,).
        quotient: the difference quotient, of shape (2,).
        jvp: J v, of shape (2,).
        vjp: u J, of shape (2,).
        path: the points from F(p) to F(p + h v), of shape (m, 2).
        steps: the values of h at which `gaps` and `misses` are computed.
        gaps: the distance between the quotient and J v at each of `steps`.
        misses: the distance between u . quotient and (u J) . v at each of `steps`.
    """

    setting: Setting
    value: np.ndarray = field(default_factory=_empty_array)
    end: np.ndarray = field(default_factory=_empty_array)
    quotient: np.ndarray = field(default_factory=_empty_array)
    jvp: np.ndarray = field(default_factory=_empty_array)
    vjp: np.ndarray = field(default_factory=_empty_array)
    path: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    gaps: np.ndarray = field(default_factory=lambda: np.empty(0))
    misses: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def noise(self) -> float:
        """The approximate rounding error of the difference quotient."""
        size, p = np.abs(self.value).max(), max(map(abs, self.setting.p))
        return difference.rounding(float(size), p, float(np.abs(self.jvp).max()), self.setting.h)

    @property
    def gap(self) -> float:
        """The distance between the difference quotient and the derivative J v from forward mode."""
        with np.errstate(invalid="ignore"):  # NumPy would warn about inf - inf
            return float(np.hypot(*(self.quotient - self.jvp)))

    @property
    def forward(self) -> float:
        """The component of the difference quotient along u, the chosen direction in the output plane."""
        return float(direction(self.setting.u) @ self.quotient)

    @property
    def backward(self) -> float:
        """The number u J v, computed as the dot product of v and u J from reverse mode."""
        return float(self.vjp @ direction(self.setting.v))

    @property
    def along_u(self) -> float:
        """The number u J v, computed as the dot product of u and J v from forward mode."""
        return float(direction(self.setting.u) @ self.jvp)

    @property
    def modes_agree(self) -> bool:
        """True if forward and reverse mode agree on the product u J v, up to rounding errors."""
        size = float(np.hypot(*self.jvp) + np.hypot(*self.vjp))
        # The tolerance is generous, because the function may compute in float32.
        return abs(self.along_u - self.backward) <= 1e-5 * size

    @property
    def miss(self) -> float:
        """The distance between the difference quotient's component along u and u J v from reverse mode."""
        return abs(self.forward - self.backward)


class Subject:
    """The function to explore and the ranges of its two inputs. Results are cached."""

    def __init__(self, f: Map, ranges: tuple[Range, Range]) -> None:
        self.f = two_numbers(f)
        self.ranges = ranges
        corners = [[(1 - s) * low + s * high for low, high in ranges] for s in (0.2, 0.5, 0.8)]
        prepared = elementwise.prepare_rows(
            self.f, torch.tensor(corners, dtype=torch.float64), SECONDS_PER_FRAME
        )
        self.f, self.rows = prepared.single, prepared.f
        self.is_fast = prepared.can_afford(STEPS + PATH)
        self.count, self.path_count = (STEPS, PATH) if self.is_fast else (FEW_STEPS, FEW_PATH)

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """The points of the grid in the input plane, and their images. NaN separates the lines of the grid.

        There are no images if f fails everywhere.
        """
        plane = grid_points(*self.ranges, *((LINES, ALONG) if self.is_fast else (FEW_LINES, FEW_ALONG)))
        return plane, elementwise.images(self.rows, plane)

    def numbers(self, setting: Setting) -> Reading:
        """Compute the numbers for a setting of the controls, and record any problem with the function."""
        reading = Reading(setting)
        p, v = np.array(setting.p), direction(setting.v)
        reading.steps = np.logspace(*LOG_H, self.count)
        path_steps = np.linspace(0, setting.h, self.path_count)
        points = p + np.concatenate([[setting.h], path_steps, reading.steps])[:, None] * v
        with reading.collecting_problems():
            point = torch.tensor(setting.p, dtype=torch.float64)
            along_v, along_u = map(torch.from_numpy, (v, direction(setting.u)))
            reading.value, reading.jvp, reading.vjp = products(self.f, point, along_v, along_u)
        with reading.collecting_problems(), np.errstate(all="ignore"):
            if np.isnan(reading.value).any():  # a function may have a value at a point where it has no slope
                reading.value = difference.values(self.f, torch.from_numpy(p)).detach().numpy()
            values = self.rows(torch.from_numpy(points)).numpy()
            reading.end, reading.path = values[0], values[1 : 1 + len(path_steps)]
            reading.quotient = (reading.end - reading.value) / setting.h
            quotients = (values[1 + len(path_steps) :] - reading.value) / reading.steps[:, None]
            reading.gaps = np.hypot(*(quotients - reading.jvp).T)
            reading.misses = np.abs(quotients @ direction(setting.u) - reading.backward)
        return reading

    @cached_property
    def samples(self) -> list[Reading]:
        """The explorer's numbers for four directions of v, with p in the middle of both of its ranges."""
        (a, b), (c, d) = self.ranges
        settings = [Setting(((a + b) / 2, (c + d) / 2), 1.0, v, 45.0) for v in (30.0, 120.0, 210.0, 300.0)]
        return [self.numbers(setting) for setting in settings]

    @cached_property
    def typical_errors(self) -> np.ndarray:
        """The values in `gaps` and `misses` of all readings in `samples`, as one array."""
        return np.concatenate([np.concatenate([reading.gaps, reading.misses]) for reading in self.samples])

    def read(self, setting: Setting) -> Reading:
        """Compute all numbers shown in the figure and in the table below it.

        An error in the explored function is recorded as a problem instead of being raised.
        """
        reading = self.numbers(setting)
        outputs = elementwise.any_finite(self.grid[1], reading.value)
        errors = elementwise.any_finite(self.typical_errors, reading.gaps)
        reading.visible_axes = outputs or errors, outputs, errors
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    h, p = reading.setting.h, np.array(reading.setting.p)
    if not np.isfinite(reading.value).all():
        remarks.no_value(reading, "p")
    elif (p + h * direction(reading.setting.v) == p).all():
        remarks.step_lost(reading, "p + h v", "p", h, **REMARKS["lost"])
    elif not np.isfinite(reading.quotient).all():
        remarks.no_quotient(reading, en="p + h v", ko="p + h v")
    elif not (np.isfinite(reading.jvp).all() and np.isfinite(reading.vjp).all()):
        reading.problem(**REMARKS["slopes"])
    elif not reading.modes_agree:
        nearer_mode = "forward" if np.nanmin(reading.gaps) < np.nanmin(reading.misses) else "reverse"
        reading.remark(**REMARKS["modes"], forward=reading.along_u, reverse=reading.backward)
        reading.remark(**REMARKS[nearer_mode])
    elif reading.gap == 0 or (reading.setting.along and reading.miss == 0):
        remarks.exactly_zero(reading, **REMARKS["zero"])


class Picture:
    """The figure: the input plane, the output plane with its arrows, and the errors against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, middle, right) = plots.row(3, width_ratios=(0.5, 1.7, 1.1))
        self.inputs = PlanePlot(left, "$x_1$", "$x_2$")
        self.outputs = PlanePlot(middle, "$F_1$", "$F_2$")
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta F/h - J\,v\,|$", tick_step=5)

        self.input_path, self.v = self.inputs.dotted_path(), self.inputs.arrow(INK, 2, zorder=4)
        self.path = self.outputs.dotted_path(label="$F(p),\\ F(p+hv)$")
        self.quotient = self.outputs.arrow(SECANT, 5, label=r"$\Delta F/h$", zorder=4)
        self.jvp = self.outputs.arrow(TANGENT, 2, label="$J\\,v$", zorder=5)
        self.u = self.outputs.arrow(GREEN, 2, label="$u$", zorder=5)
        self.names = [
            (self.inputs.label(INK, "v", 8), 0.0),
            (self.outputs.label(SECANT, r"\Delta F/h", 30), 1.0),
            (self.outputs.label(TANGENT, "Jv", 15), -1.0),
            (self.outputs.label(GREEN, "u", 8), 0.0),
        ]
        self.gaps = plots.line(self.errors, TANGENT, 2, label=r"$|\Delta F/h - Jv|$", zorder=3)
        miss = r"$|u\cdot\Delta F/h - (u^{\top}J)\cdot v|$"
        self.misses = plots.line(self.errors, PURPLE, 2, "-.", label=miss, zorder=4)
        self.zeros = plots.marker(self.errors, "v", INK, size=5, hollow=True)
        self.current_error = plots.marker(self.errors, "o", INK, size=9, hollow=True)
        self.moving = [*self.inputs.moving, *self.outputs.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Update the static part of the figure: both grids, and the limits of all plots."""
        plane, image = self.subject.grid
        first, second = self.subject.ranges
        outputs = np.concatenate(
            [image, *((sample.value + sample.jvp)[None] for sample in self.subject.samples)]
        )
        self.inputs.set_grid(plane, padded(first, 0.08), second)
        self.outputs.set_grid(image, plots.limits(outputs[:, 0]), plots.limits(outputs[:, 1]))
        lowest, highest = plots.decades(self.subject.typical_errors, -17, 7, fewest=0)
        self.errors.set_decades(min(lowest, 1e-6), max(10 * highest, 1.0))
        fit(self.inputs, self.outputs)

    def move(self, reading: Reading) -> None:
        """Update the artists that move with the sliders."""
        setting = reading.setting
        p, v = np.array(setting.p), direction(setting.v)
        self.input_path.set_data(*np.stack([p, p + setting.h * v], axis=1))
        self.path.set_data(*reading.path.T)
        self.path.set_markevery([0, max(0, len(reading.path) - 1)])
        v_name, quotient_name, jvp_name, u_name = self.names
        value, u = reading.value, direction(setting.u)
        self.inputs.place(self.v, v_name, p, v)
        self.outputs.place(self.quotient, quotient_name, value, reading.quotient)
        self.outputs.place(self.jvp, jvp_name, value, reading.jvp, dashed=True)
        self.outputs.place(self.u, u_name, value, u, closed=True)
        for artist in (self.u, u_name[0], self.misses):
            artist.set_visible(setting.along)
        curves = [(self.gaps, reading.gaps), (self.misses, reading.misses)][: 1 + setting.along]
        self.zeros.set_visible(len(self.errors.set_curves(self.zeros, reading.steps, *curves)) > 0)
        self.errors.set_step(setting.h)
        distances = (reading.gap, reading.miss)[: 1 + setting.along]
        self.current_error.set_data([setting.h] * len(distances), self.errors.clip_errors(*distances))


class JacobianExplorer(Panel[Reading]):
    """The widget that `explore_arrows` returns."""

    arguments = ("h", "v", "u", "along")
    drag_controls = (("first", "second"), ("", ""), ("h", ""))
    arrows = ("first", "second")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.first, first_row = controls.slider("x1", start.p[0], subject.ranges[0])
        self.second, second_row = controls.slider("x2", start.p[1], subject.ranges[1])
        self.log_h, h_row = controls.step_slider(start.h)
        self.v, v_row = controls.slider("∠v (°)", start.v, TURN, 1)
        self.u, self.u_row = controls.slider("∠u (°)", start.u, TURN, 1)
        options: list[tuple[str, bool]] = [
            (say(en="quotient and J v", ko="차분몫과 J v"), False),
            (say(en="and both along u", ko="u 쪽 성분까지"), True),
        ]
        self.along = controls.choice(say(en="compare", ko="비교"), options, start.along)
        self.along.observe(lambda _: self._show_u(), "value")
        self._show_u()
        rows = [[first_row, second_row], [h_row, self.along], [v_row, self.u_row]]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def _show_u(self) -> None:
        """Show the slider for u only if u itself is shown."""
        self.u_row.layout.display = None if self.along.value else "none"

    @property
    def state(self) -> dict[str, Any]:
        return {"p": (self.first.number, self.second.number), **super().state}

    def choose(self, state: State) -> None:
        if "p" in state:
            self.first.argument, self.second.argument = state["p"]
        super().choose(state)

    def rows(self) -> list[Row]:
        reading = self.reading
        h, noise = words.step(reading.setting.h), reading.noise
        pairs = [
            words.compared_digits(*pair, noise) for pair in zip(reading.quotient, reading.jvp, strict=True)
        ]
        quotient, jvp, _ = (", ".join(column) for column in zip(*pairs, strict=True))
        rows = [
            words.quotient_row("(F(p+hv) − F(p)) / h", quotient),
            self.row("jvp", "J v", jvp),
            self.row("gap", h, words.quotient_digits(reading.gap, noise)),
        ]
        if not self.setting.along:
            return rows
        forward, backward, distance = words.compared_digits(reading.forward, reading.backward, noise)
        return [
            *rows,
            self.row("forward", "u · (F(p+hv) − F(p)) / h", forward),
            self.row("backward", "(u<sup>⊤</sup>J) · v", backward),
            self.row("miss", h, distance),
        ]

    def alt_fields(self) -> dict[str, Any]:
        reading, (first, second) = self.reading, self.setting.p
        quotient, jvp = words.rounded(reading.quotient), words.rounded(reading.jvp)
        fields = {"p": f"({first:.3g}, {second:.3g})", "quotient": quotient, "jvp": jvp}
        fields |= {"u": "", "numbers": ""}
        if self.setting.along:
            fields["u"] = say(en=f", and u at {self.setting.u:g}°", ko=f", {self.setting.u:g}° 방향의 u")
            fields["numbers"] = say(
                en=f", the numbers {reading.miss:.2g}", ko=f", 수의 차이는 {reading.miss:.2g}"
            )
        return {**super().alt_fields(), **fields}


REMARKS = texts.remarks(__file__)
LEGEND = texts.legend(
    __file__,
    {
        "quotient": words.arrow(SECANT, 4.5),
        "jvp": words.arrow(TANGENT, 2, "6 3"),
        "u": words.arrow(GREEN, 2, closed=True),
        "v": words.arrow(INK, 2),
    },
    {
        "way": words.line(INK, 1.5, "2 2", words.disc(INK, 3, "#fff")),
        "gap": words.line(TANGENT, 2),
        "miss": words.line(PURPLE, 2, "6 2 2 2"),
        "h": words.STEP_LINE,
    },
)


@with_call
def explore_arrows(
    function: Map | None = None,
    *,
    ranges: tuple[Range, Range] | None = None,
    p: Range | None = None,
    h: float = 1.0,
    v: float = 53.0,
    u: float = 45.0,
    along: bool = False,
) -> JacobianExplorer:
    """Return an explorer that compares a difference quotient of vectors with J v.

    J is the Jacobian of the function, and v is a direction. The explorer has sliders for the point, the step,
    and the directions v and u.

    Args:
        function: a function from a tensor of two numbers to a tensor of two numbers, made of PyTorch
            operations. By default the function that maps (x1, x2) to (x1 cos x2, x1 sin x2).
        ranges: the ranges of the two inputs, as ((low, high), (low, high)).
        p: the initial point, as (x1, x2).
        h: the initial step.
        v: the initial direction in the input plane, as an angle in degrees.
        u: the initial direction in the output plane, as an angle in degrees.
        along: whether u is initially shown, together with u · quotient and (u J) · v.

    Raises:
        ValueError: if a range or an initial value is invalid.
    """
    if ranges is None:
        ranges = ((0.25, 3.0), (-3.1, 3.1)) if function is None else ((-2.0, 2.0), (-2.0, 2.0))
    range_name = say(en="each range", ko="각 범위")
    first, second = (checked_range(ends, range_name) for ends in ranges)
    if p is None:
        first_p, second_p = (2.0, 0.5) if function is None else (1.0, 0.5)
        p = clamp(first_p, first), clamp(second_p, second)
    if any(math.isnan(number) for number in (*p, v, u)) or not 0 < h < math.inf:
        refuse(
            en="p, v and u must be numbers, and h must be above 0",
            ko="p, v, u는 수, h는 0보다 큰 수여야 합니다",
        )
    v, u = ((angle + 180.0) % 360.0 - 180.0 for angle in (v, u))
    with quietly():
        subject = Subject(function or polar, (first, second))
    place = float(p[0]), float(p[1])
    return JacobianExplorer(subject, Setting(place, float(h), v, u, bool(along)))
