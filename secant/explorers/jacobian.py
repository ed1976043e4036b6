"""The explorer of lesson 5: a difference quotient of vectors next to J v, and the one number u J v.

Forward mode (`torch.func.jvp`) gives J v, reverse mode (`torch.func.vjp`) gives u J. The explorer opens on
the first alone; a list adds u, with the number u J v as the quotient and reverse mode give it.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from secant.explorers.kit import beside, controls, elementwise, plots, remarks, words
from secant.explorers.kit.arrows import Plane, Reading, Setting
from secant.explorers.kit.call import remembered
from secant.explorers.kit.colours import GREEN, INK, PURPLE, SECANT, TANGENT
from secant.explorers.kit.plane import PlanePlot, fit
from secant.explorers.kit.ranges import Range, checked_range, clamp, padded, refuse
from secant.explorers.kit.vectors import Map, direction, polar
from secant.explorers.kit.widget import Panel, State
from secant.explorers.kit.words import Row
from secant.language import say
from secant.quiet import quietly

TURN = (-180.0, 180.0)  # degrees


class Subject(Plane):
    """The function to explore, with what is worked out once for it."""

    @cached_property
    def seen(self) -> list[Reading]:
        """What is found in the middle of the ranges, in four directions."""
        (a, b), (c, d) = self.ranges
        settings = [Setting(((a + b) / 2, (c + d) / 2), 1.0, v, 45.0) for v in (30.0, 120.0, 210.0, 300.0)]
        return [self.numbers(setting) for setting in settings]

    @cached_property
    def typical_errors(self) -> np.ndarray:
        """Both distances against h, as seen from there."""
        return np.concatenate([np.concatenate([one.gaps, one.misses]) for one in self.seen])

    def read(self, setting: Setting) -> Reading:
        """Work out everything that the picture and the text show. Never raises for a faulty function."""
        reading = self.numbers(setting)
        outputs = elementwise.any_finite(self.grid[1], reading.value)
        errors = elementwise.any_finite(self.typical_errors, reading.gaps)
        reading.filled = outputs or errors, outputs, errors
        return reading.with_remarks(_remark)


def _remark(reading: Reading) -> None:
    """Say what a reader should know of numbers that came out without an error."""
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
        nearer = "forward" if np.nanmin(reading.gaps) < np.nanmin(reading.misses) else "reverse"
        reading.remark(**REMARKS["modes"], forward=reading.along_u, reverse=reading.backward)
        reading.remark(**REMARKS[nearer])
    elif reading.gap == 0 or (reading.setting.along and reading.miss == 0):
        remarks.exactly_zero(reading, **REMARKS["zero"])


class Picture:
    """The figure: the input plane, the output plane with its arrows, and both distances against h."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.figure, (left, middle, right) = plots.row(3, width_ratios=(0.5, 1.7, 1.1))
        self.inputs = PlanePlot(left, "$x_1$", "$x_2$")
        self.outputs = PlanePlot(middle, "$F_1$", "$F_2$")
        self.errors = plots.ErrorPlot(right, r"$|\,\Delta F/h - J\,v\,|$", every=5)

        self.road, self.v = self.inputs.way(), self.inputs.arrow(INK, 2, zorder=4)
        self.path = self.outputs.way(label="$F(p),\\ F(p+hv)$")
        self.quotient = self.outputs.arrow(SECANT, 5, label=r"$\Delta F/h$", zorder=4)
        self.jvp = self.outputs.arrow(TANGENT, 2, label="$J\\,v$", zorder=5)
        self.u = self.outputs.arrow(GREEN, 2, label="$u$", zorder=5)
        self.names = [
            (self.inputs.letters(INK, "v", 8), 0.0),
            (self.outputs.letters(SECANT, r"\Delta F/h", 30), 1.0),
            (self.outputs.letters(TANGENT, "Jv", 15), -1.0),
            (self.outputs.letters(GREEN, "u", 8), 0.0),
        ]
        self.gaps = plots.line(self.errors, TANGENT, 2, label=r"$|\Delta F/h - Jv|$", zorder=3)
        miss = r"$|u\cdot\Delta F/h - (u^{\top}J)\cdot v|$"
        self.misses = plots.line(self.errors, PURPLE, 2, "-.", label=miss, zorder=4)
        self.zeros = plots.marker(self.errors, "v", INK, size=5, hollow=True)
        self.here = plots.marker(self.errors, "o", INK, size=9, hollow=True)
        self.moving = [*self.inputs.moving, *self.outputs.moving, *self.errors.moving]

    def set_scene(self, reading: Reading) -> None:
        """Set what stands still: both grids and all limits."""
        plane, image = self.subject.grid
        first, second = self.subject.ranges
        found = np.concatenate([image, *((one.value + one.jvp)[None] for one in self.subject.seen)])
        self.inputs.set_grid(plane, padded(first, 0.08), second)
        self.outputs.set_grid(image, plots.limits(found[:, 0]), plots.limits(found[:, 1]))
        lowest, highest = plots.decades(self.subject.typical_errors, -17, 7, fewest=0)
        self.errors.set_decades(min(lowest, 1e-6), max(10 * highest, 1.0))
        fit(self.inputs, self.outputs)

    def move(self, reading: Reading) -> None:
        """Set what moves."""
        setting = reading.setting
        p, v = np.array(setting.p), direction(setting.v)
        self.road.set_data(*np.stack([p, p + setting.h * v], axis=1))
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
        shown = (reading.gap, reading.miss)[: 1 + setting.along]
        self.here.set_data([setting.h] * len(shown), self.errors.inside(*shown))


class JacobianExplorer(Panel[Reading]):
    """The widget that `explore_arrows` returns."""

    arguments = ("h", "v", "u", "along")
    grips = (("first", "second"), ("", ""), ("h", ""))
    arrows = ("first", "second")

    def __init__(self, subject: Subject, start: Setting) -> None:
        self.first, first_row = controls.slider("x1", start.p[0], subject.ranges[0])
        self.second, second_row = controls.slider("x2", start.p[1], subject.ranges[1])
        self.log_h, h_row = controls.step_slider(start.h)
        self.v, v_row = controls.slider("∠v (°)", start.v, TURN, 1)
        self.u, self.u_row = controls.slider("∠u (°)", start.u, TURN, 1)
        compared: list[tuple[str, bool]] = [
            (say(en="quotient and J v", ko="차분몫과 J v"), False),
            (say(en="and both along u", ko="u 쪽 성분까지"), True),
        ]
        self.along = controls.choice(say(en="compare", ko="비교"), compared, start.along)
        self.along.observe(lambda _: self._show_u(), "value")
        self._show_u()
        rows = [[first_row, second_row], [h_row, self.along], [v_row, self.u_row]]
        super().__init__(subject, start, lambda: Picture(subject), rows, LEGEND)

    def _show_u(self) -> None:
        """Show the slider for u where u is shown."""
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
        pairs = [words.compared(*pair, noise) for pair in zip(reading.quotient, reading.jvp, strict=True)]
        quotient, jvp, _ = (", ".join(column) for column in zip(*pairs, strict=True))
        found = [
            words.quotient_row("(F(p+hv) − F(p)) / h", quotient),
            self.row("jvp", "J v", jvp),
            self.row("gap", h, words.quotient_digits(reading.gap, noise)),
        ]
        if not self.setting.along:
            return found
        forward, backward, apart = words.compared(reading.forward, reading.backward, noise)
        return [
            *found,
            self.row("forward", "u · (F(p+hv) − F(p)) / h", forward),
            self.row("backward", "(u<sup>⊤</sup>J) · v", backward),
            self.row("miss", h, apart),
        ]

    def told(self) -> dict[str, Any]:
        reading, (first, second) = self.reading, self.setting.p
        quotient, jvp = words.rounded(reading.quotient), words.rounded(reading.jvp)
        told = {"p": f"({first:.3g}, {second:.3g})", "quotient": quotient, "jvp": jvp}
        told |= {"u": "", "numbers": ""}
        if self.setting.along:
            told["u"] = say(en=f", and u at {self.setting.u:g}°", ko=f", {self.setting.u:g}° 방향의 u")
            told["numbers"] = say(
                en=f", the numbers {reading.miss:.2g}", ko=f", 수의 차이는 {reading.miss:.2g}"
            )
        return {**super().told(), **told}


REMARKS = beside.remarks(__file__)
LEGEND = beside.legend(
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


@remembered
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
    """Show a difference quotient of vectors next to J v, with sliders for place, step and directions.

    Args:
        function: from a tensor of two numbers to a tensor of two numbers, made of PyTorch operations; polar
            coordinates, (x1, x2) to (x1 cos x2, x1 sin x2), when none is given.
        ranges: of its two inputs, ((low, high), (low, high)).
        p: the place at first, (x1, x2).
        h: the step at first.
        v, u: the angles at first, in degrees, of the direction among the inputs and that among the outputs.
        along: whether u is shown at first, with u · quotient and (u J) · v.

    Raises:
        ValueError: for a range or a start value that makes no sense.
    """
    if ranges is None:
        ranges = ((0.25, 3.0), (-3.1, 3.1)) if function is None else ((-2.0, 2.0), (-2.0, 2.0))
    each = say(en="each range", ko="각 범위")
    first, second = (checked_range(ends, each) for ends in ranges)
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
