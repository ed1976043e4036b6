"""Functions and programs with which autograd surprised people in public, and judges of Secant's statements.

`python -m tests.secant.real_functions` runs every case and prints the false statements as JSON;
`--write` writes docs/real-functions.md. The inputs are our own and follow the threads' descriptions.
"""

import argparse
import contextlib
import functools
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.graph import register_multi_grad_hook
from torch.utils.checkpoint import checkpoint

from secant import ask, check, language, leaf, tensor
from secant.explorers.backward import explore_backward
from secant.explorers.buffer import explore_buffer
from secant.explorers.chain import explore_chain
from secant.explorers.engine import explore_engine
from secant.explorers.jacobian import direction, explore_arrows
from secant.explorers.kit import words
from secant.explorers.saved import explore_saved
from secant.explorers.second import explore_second
from secant.explorers.tangent import explore
from secant.graph.draw import draw_graph
from secant.graph.flow import numbers

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "real-functions.md"
GITHUB, FORUM = "https://github.com/", "https://discuss.pytorch.org/t/"
LOG: list[Any] = []  # entries that the programs add when their code runs
H = 1e-3
#: The explorers of functions of one x, each with the attribute of its reading that holds the gradient.
GRADIENT_ATTRIBUTES: dict[Callable[..., Any], str] = {
    explore: "gradient",
    explore_buffer: "gradient",
    explore_backward: "gradient",
    explore_second: "slopes",
    explore_saved: "slope",
    explore_engine: "torch",
}
#: Options with which an explorer shows the most about a function.
OPTIONS: dict[Any, dict[str, Any]] = {
    explore_saved: {"spoiler": "none"},
    explore_second: {"derivative": "second"},
}


@dataclass(frozen=True)
class Case:
    """A function or a program from a thread.

    Attributes:
        name: a short description.
        thread: the thread's address, without GITHUB or FORUM at the beginning.
        judge: a function that returns the false statements that Secant makes about the function or program.
        shown_by: the parts of Secant that show it, for the table in the document.
    """

    name: str
    thread: str
    judge: Callable[[], list[str]]
    shown_by: str

    @property
    def address(self) -> str:
        return (FORUM if self.thread.startswith("torch-round") else GITHUB) + self.thread


# Judges for each kind of case


def function(
    f: Callable[[Tensor], Tensor],
    x: float,
    *,
    second: float | None = None,
    is_random: bool = False,
    reach: float = 1.0,
) -> Callable[[], list[str]]:
    """Return a judge for a function of one x, which is shown to six explorers, draw_graph and Check.

    Args:
        f: the function.
        x: the place at which the function is judged.
        second: the true second derivative at x, computed by hand, if autograd's is wrong.
        is_random: whether the function draws random numbers.
        reach: the distance from x to both ends of the range.
    """

    def judge() -> list[str]:
        problems: list[str] = []
        for make in GRADIENT_ATTRIBUTES:
            with _recording_errors(make.__name__, problems):
                options: dict[str, Any] = OPTIONS.get(make, {})
                explorer = make({"f": f}, x=x, h=H, x_range=(x - reach, x + reach), **options)
                problems += [
                    f"{make.__name__}: {statement}"
                    for statement in _explorer_problems(make, explorer, f, x, second, is_random)
                ]
        if not is_random:
            with _recording_errors("draw_graph", problems):
                point = torch.tensor(x, dtype=torch.float64, requires_grad=True)
                problems += [
                    f"draw_graph: {statement}" for statement in _graph_problems({"x": point, "y": f(point)})
                ]
            with _recording_errors("Check", problems):
                problems += [f"Check: {statement}" for statement in _check_problems(f, x)]
        return problems

    return judge


def graph(program: Callable[[], dict[str, Tensor]]) -> Callable[[], list[str]]:
    """Return a judge for a program, whose graph is shown by draw_graph."""

    def judge() -> list[str]:
        problems: list[str] = []
        with _recording_errors("draw_graph", problems):
            LOG.clear()
            problems += _graph_problems(program())
        return problems

    return judge


def engine(f: Callable[[Tensor], Tensor], bug: str, calls: int, expected: float) -> Callable[[], list[str]]:
    """Return a judge for an engine. `expected` is the gradient at x = 2, computed by hand."""

    def judge() -> list[str]:
        problems: list[str] = []
        with _recording_errors("explore_engine", problems):
            reading = explore_engine({"f": f}, bug=bug, calls=calls, x=2.0, h=H).reading
            text = _text(reading)
            if not math.isclose(reading.engine, expected):
                problems.append(f"the engine finds {reading.engine}, not {expected}")
            if ("engine is wrong" in text) != (not math.isclose(reading.engine, reading.torch)):
                problems.append(text)
        return problems

    return judge


def chain(steps: list[tuple[str, Callable[[Tensor], Tensor]]], x: float) -> Callable[[], list[str]]:
    """Return a judge for a chain of steps, which is shown to explore_chain."""

    def judge() -> list[str]:
        problems: list[str] = []
        with _recording_errors("explore_chain", problems):
            problems += _unexplained_numbers(explore_chain(steps, x=x, h=H, x_range=(x - 1, x + 1)))
        return problems

    return judge


def arrows(f: Callable[[Tensor], Tensor]) -> Callable[[], list[str]]:
    """Return a judge for a function of two numbers, which is shown to explore_arrows."""

    def judge() -> list[str]:
        problems: list[str] = []
        with _recording_errors("explore_arrows", problems):
            explorer = explore_arrows(f)
            reading = explorer.reading
            forward = float(direction(reading.setting.u) @ reading.jvp)
            if not math.isclose(forward, reading.backward, rel_tol=1e-9) and "disagree" not in _text(reading):
                problems.append(f"u J v is {forward:.4g} and {reading.backward:.4g}, without a word")
            problems += _unexplained_numbers(explorer)
        return problems

    return judge


@contextlib.contextmanager
def _recording_errors(name: str, problems: list[str]) -> Iterator[None]:
    """Run the `with` block in English, and record an exception as a false statement."""
    before = language()
    language("en")
    try:
        yield
    except Exception as error:
        problems.append(f"{name}: raises {type(error).__name__}: {error}"[:150])
    finally:
        language(before)


def _text(reading: Any) -> str:
    return " ".join([*reading.problems, *reading.remarks])


def _slope(f: Callable[[Tensor], Tensor], x: float) -> float:
    point = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    f(point).backward()
    return math.nan if point.grad is None else point.grad.item()


def _is_close(first: float, second: float, tolerance: float = 1e-9) -> bool:
    return math.isclose(first, second, rel_tol=tolerance, abs_tol=1e-12) or (
        math.isnan(first) and math.isnan(second)
    )


def _value(f: Callable[[Tensor], Tensor], x: float) -> float:
    return f(torch.tensor(x, dtype=torch.float64, requires_grad=True)).item()


def _explorer_problems(
    make: Any, explorer: Any, f: Callable[[Tensor], Tensor], x: float, second: float | None, is_random: bool
) -> Iterator[str]:
    reading = explorer.reading
    text = _text(reading)
    if is_random:
        if "another value" not in text or "one x at a time" in text or "exactly 0" in text:
            yield text or "numbers of different functions, without a word"
        return
    gradient = getattr(reading, GRADIENT_ATTRIBUTES[make])
    gradient = gradient[0] if make is explore_second else gradient
    slope = _slope(f, x)
    if not (reading.problems and math.isnan(gradient)) and not _is_close(gradient, slope):
        yield f"a gradient of {gradient}, not {slope}"
    if make in (explore, explore_saved, explore_engine) and not reading.problems:
        quotient = (_value(f, x + H) - _value(f, x)) / ((x + H) - x)
        if not _is_close(reading.quotient, quotient, 1e-6):
            yield f"a quotient of {reading.quotient}, not {quotient}"
    if "one x at a time" in text and _takes_many(f, x):
        yield "takes one x at a time"
    if "engine is wrong" in text or "`inputs`" in text:
        yield text
    yield from _unexplained_numbers(explorer)
    if make is explore_second and second is not None and explorer.has_content:
        label = words.plain([*explorer.rows()][-1])
        if "error" in label or not re.search("double backward is wrong|is not the slope|Neither", text):
            yield f"{label}; the second derivative is {second}"


def _takes_many(f: Callable[[Tensor], Tensor], x: float) -> bool:
    points = torch.tensor([x, x + H], dtype=torch.float64, requires_grad=True)
    with contextlib.suppress(Exception):
        values = f(points)
        return values.shape == (2,) and torch.allclose(
            values, torch.stack([f(point) for point in points]), equal_nan=True
        )
    return False


def _unexplained_numbers(explorer: Any) -> Iterator[str]:
    """Yield a false statement if nan or inf is shown without an explanation."""
    if not explorer.has_content:
        return
    rows = [row for row in explorer.rows() if not explorer.reading.problems or "nan" not in row.number]
    unexplained = [row.number for row in rows if re.search(r"\b(nan|inf)\b", words.plain(row))]
    if unexplained and "<p>" not in explorer.words() and not explorer.reading.problems:
        yield f"{unexplained[0]}, without a word"


def _graph_problems(named_tensors: dict[str, Tensor]) -> Iterator[str]:
    """Yield what is wrong with a drawn graph: a gradient that differs from backward()'s, or a side effect."""
    LOG.clear()
    tensors = {name: t for name, t in named_tensors.items() if t.requires_grad}
    leaves = {name: t for name, t in tensors.items() if t.is_leaf}
    picture = draw_graph(gradients=True, slopes=True, **tensors)
    text = str(picture)
    if LOG:
        yield f"user code has run: {LOG[0]}"[:60]
    if any(t.grad is not None for t in leaves.values()):
        yield "a .grad is filled"
    drawn_gradients = {
        node.leaf.split()[0]: [fact.text for fact in node.facts if fact.kind == "gradient"]
        for node in picture.nodes
        if node.leaf
    }
    outputs = [tensors[node.tensors[0].split()[0]] for node in picture.nodes if node.output]
    torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])
    is_explained = "Left out" in text or "not available" in text
    for name, t in leaves.items():
        expected = [] if t.grad is None else [numbers(t.grad)]
        if (
            drawn_gradients.get(name, []) != expected
            and not (is_explained and not drawn_gradients.get(name))
            and "Left out" not in text
        ):
            yield f"a gradient of {drawn_gradients.get(name)} at {name}, not {expected}"


FUNCTION_UNDER_TEST: list[Callable[[Tensor], Tensor]] = []


def slope_of(x: Tensor, factor: float = 1.0, offset: float = 0.0) -> Tensor:
    """Return the gradient at x as a student's answer; a `factor` or `offset` makes the answer wrong."""
    point = x.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(FUNCTION_UNDER_TEST[0](point), point)
    return factor * gradient + offset


def _check_problems(f: Callable[[Tensor], Tensor], x: float) -> Iterator[str]:
    """Yield a false statement if Check refuses the right gradient or accepts a wrong one."""
    FUNCTION_UNDER_TEST[:] = [f]
    try:
        slope = _slope(f, x)
        answer = ask("slope_of(x)", x=leaf(x))
    except Exception:  # a reentrant checkpoint makes torch.autograd.grad fail
        return
    if math.isnan(slope):
        try:
            answer.returns(tensor(1.0))
            yield "takes nan for 1"
        except check.CheckFailed as failure:
            if "nan" not in str(failure):
                yield f"{failure}"[:150]
        return
    try:
        answer.returns(tensor(slope))
    except check.CheckFailed as failure:
        yield f"refuses the gradient: {failure}"[:150]
    with contextlib.suppress(check.CheckFailed):
        ask("slope_of(x, 1.0, 0.5)", x=leaf(x)).returns(tensor(0.0 if math.isinf(slope) else slope))
        yield "takes a wrong gradient"


# The functions


class BadIntermediate(Function):
    """(2x)² whose backward reads a value that is not an input."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.doubled = 2 * x
        return ctx.doubled**2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 4 * g * ctx.doubled


class Ratio(Function):
    """6x, with a backward of 3 · 2x / x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.doubled, ctx.x = 2 * x, x
        return 3 * ctx.doubled

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 3 * g * ctx.doubled / ctx.x


class CubeByResult(Function):
    """x³, whose backward is 3y/x from a result that was saved without its graph."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x**3
        ctx.y = y.detach().clone()
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 3 * g * ctx.y / x


class Surrogate(Function):
    """A step function whose backward is that of a steep sigmoid, written with exp."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        e = torch.exp(-25 * ctx.saved_tensors[0])
        return g * 25 * e / (e + 1) ** 2


class GradInBackward(Function):
    """x²w, whose backward computes the result again and calls torch.autograd.grad."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x**2 * w

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        x, w = (saved.detach().requires_grad_() for saved in ctx.saved_tensors)
        with torch.enable_grad():
            y = x**2 * w
        return torch.autograd.grad(y, (x, w), g)


class GradOfSavedInput(Function):
    """x², whose backward calls torch.autograd.grad on the saved input itself."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x**2
            return torch.autograd.grad(y, x, g)[0]


class Pair(Function):
    """An operation with two results, one of which is used; the gradient of the other is None."""

    @staticmethod
    def forward(ctx: Any, scale: float, x: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        ctx.scale = scale
        return scale * x, x**2

    @staticmethod
    def backward(ctx: Any, a: Tensor | None, b: Tensor | None) -> Any:
        return None, ctx.scale * a if b is None and a is not None else None


class NoneForOne(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x * 2 + y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g, None


class CountingBackward(Function):
    """A layer that records each run of its backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        LOG.append("backward")
        return 2 * g


def _leaf(*values: float) -> Tensor:
    return torch.tensor(values[0] if len(values) == 1 else values, dtype=torch.float64, requires_grad=True)


def zeros(x: Tensor) -> Tensor:
    return torch.zeros_like(x)


def binarize(x: Tensor) -> Tensor:
    with torch.no_grad():
        dy = torch.where(x > 0, -1.0, 1.0) - x
    return x + dy


def record_half(x: Tensor) -> Tensor:
    with torch.no_grad():
        c = x**2
    return c * x


def gate(x: Tensor) -> Tensor:
    with torch.no_grad():
        weight = torch.sigmoid(x[0] + x[1])
    return torch.stack([weight * x[0], weight * x[1]])


def two_branches() -> dict[str, Tensor]:
    x = _leaf(1.0, -2.0)
    first, second = torch.relu(x), 0.5 * torch.relu(2 * x)
    for branch in (first, second):
        branch.register_hook(lambda g: LOG.append(g.mean()))
    return {"x": x, "out": first + second}


def scale_by_hook() -> dict[str, Tensor]:
    w = _leaf(3.0)
    w.register_hook(functools.partial(torch.mul, other=0.5))
    return {"w": w, "loss": (w**2 + 1).log()}


def clip_gradient() -> dict[str, Tensor]:
    x = _leaf(3.0, 0.1)
    y = x**2
    y.retain_grad()
    y.register_hook(lambda g: g.clamp(-1, 1))
    return {"x": x, "loss": (5 * y + 1).sum()}


def dropped_clip() -> dict[str, Tensor]:
    x = _leaf(3.0)

    def compute() -> Tensor:
        y = x + 1
        y.register_hook(lambda g: g.clamp(max=2.0))
        return y * 7

    return {"x": x, "loss": compute()}


def hook_after_accumulation() -> dict[str, Tensor]:
    w = _leaf(2.0)
    w.register_post_accumulate_grad_hook(lambda t: LOG.append(t.grad))
    return {"w": w, "loss": w**3}


def node_hooks() -> dict[str, Tensor]:
    x = _leaf(2.0)
    y = x**2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 3,))
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] - 1,))
    return {"x": x, "loss": y * 5}


def module_hooks() -> dict[str, Tensor]:
    model = torch.nn.Linear(1, 1, dtype=torch.float64)
    model.register_full_backward_hook(lambda module, inputs, outputs: (2 * inputs[0],))
    x = _leaf(1.5)
    return {"x": x, "loss": model(x.reshape(1, 1)).sum()}


def observe_inputs() -> dict[str, Tensor]:
    x, w = _leaf(2.0), _leaf(3.0)
    register_multi_grad_hook((x, w), lambda grads: LOG.append(len(grads)))
    return {"x": x, "w": w, "loss": x * w + x}


def reentrant_checkpoint() -> dict[str, Tensor]:
    x, w = _leaf(1.0), _leaf(2.0)
    return {"x": x, "w": w, "loss": checkpoint(lambda t: torch.sin(t * w), x, use_reentrant=True)}


def recomputing_checkpoint() -> dict[str, Tensor]:
    x, w = _leaf(1.0), _leaf(2.0)

    def logged_sin(t: Tensor) -> Tensor:
        LOG.append("again")
        return torch.sin(t * w)

    return {"x": x, "w": w, "loss": checkpoint(logged_sin, x, use_reentrant=False)}


def write_element() -> dict[str, Tensor]:
    a = _leaf(1.0, 2.0, 3.0)
    b = 1 / ((-a).exp() + 1)
    b[1] = 2
    return {"a": a, "loss": b.sum()}


def share_node(x: Tensor) -> Tensor:
    b = x + x
    return b + b


def six_steps(x: Tensor) -> Tensor:
    c, d = x + 3, x * 3
    e, f = c + d, c * d
    return e + f


def reuse_result(x: Tensor) -> Tensor:
    y = x * x
    return y * y + y


def where_log(x: Tensor) -> Tensor:
    return torch.where(x > 2, torch.log2(x), 2 * x)


def pair() -> dict[str, Tensor]:
    x = _leaf(2.0)
    return {"x": x, "loss": Pair.apply(4.0, x)[0] ** 2}


def none_for_one() -> dict[str, Tensor]:
    x, y = _leaf(2.0), _leaf(3.0)
    return {"x": x, "y": y, "loss": NoneForOne.apply(x, y.exp()) ** 2}


def grad_inside_backward() -> dict[str, Tensor]:
    x, w = _leaf(2.0), _leaf(3.0)
    return {"x": x, "w": w, "loss": GradInBackward.apply(x, w).log()}


def count_backward() -> dict[str, Tensor]:
    x = _leaf(2.0)
    return {"x": x, "loss": CountingBackward.apply(x) ** 2}


class Identity(Function):
    """An operation that returns its input and has the backward of another function."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 666 * g.clone()


def identity() -> dict[str, Tensor]:
    x = _leaf(1.0)
    return {"x": x, "loss": Identity.apply(x + 1)}


class InPlace(Function):
    """An operation whose forward and backward write into their arguments."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        g *= 2
        return g


def in_place() -> dict[str, Tensor]:
    x = _leaf(1.0, 3.0)
    return {"x": x, "loss": (InPlace.apply(x * 1) * 5).sum()}


ALL_PARTS = "six explorers, picture, Check"
ISSUES = "pytorch/pytorch/issues/"
CASES = [
    Case(
        "where(x > 0, √x, x) at -1",
        ISSUES + "187297",
        function(lambda x: torch.where(x > 0, torch.sqrt(x), x), -1.0),
        ALL_PARTS,
    ),
    Case("where(x > 2, log₂ x, 2x) at 0", ISSUES + "108618", function(where_log, 0.0), ALL_PARTS),
    Case(
        "where(x < 0, x/0, 1) at 1",
        ISSUES + "52248",
        function(lambda x: torch.where(x < 0, x / 0, 1.0 + zeros(x)), 1.0),
        ALL_PARTS,
    ),
    Case(
        "0/0 replaced by where at 1",
        ISSUES + "16317",
        function(lambda x: torch.where(zeros(x) == 0, zeros(x), x / zeros(x)), 1.0),
        ALL_PARTS,
    ),
    Case(
        "where(x ≤ 0, eˣ, 1 + x) at 800",
        ISSUES + "68425",
        function(lambda x: torch.where(x <= 0, torch.exp(x), 1 + x), 800.0),
        ALL_PARTS,
    ),
    Case(
        "where(x = 0, x/2, √x + 1) at 0",
        ISSUES + "23395",
        function(lambda x: torch.where(x == 0, x / 2, x.sqrt() + 1), 0.0),
        ALL_PARTS,
    ),
    Case(
        "where(x ≤ 10, eˣ, 1) at 1000",
        ISSUES + "156212",
        function(lambda x: torch.where(x <= 10, torch.exp(x), 1.0 + zeros(x)), 1000.0),
        ALL_PARTS,
    ),
    Case(
        "where(x < 1, cos(1/(x - 2)), 0) at 2",
        ISSUES + "18287",
        function(lambda x: torch.where(x < 1, torch.cos(1 / (x - 2)), zeros(x)), 2.0),
        ALL_PARTS,
    ),
    Case(
        "norm of one number at 0",
        ISSUES + "2421",
        function(lambda x: torch.linalg.vector_norm(x.unsqueeze(-1), dim=-1), 0.0),
        ALL_PARTS,
    ),
    Case("√(x - 1)² at 1", ISSUES + "6394", function(lambda x: torch.sqrt((x - 1) ** 2), 1.0), ALL_PARTS),
    Case(
        "std of (x, 2x) at 0",
        ISSUES + "4320",
        function(lambda x: torch.stack([x, 2 * x]).std(0), 0.0),
        ALL_PARTS,
    ),
    Case(
        "chain acos(cos x) at 0",
        ISSUES + "4605",
        chain([("y", torch.cos), ("z", torch.acos)], 0.0),
        "explore_chain",
    ),
    Case("acos(cos x) at 0", ISSUES + "4605", function(lambda x: torch.acos(torch.cos(x)), 0.0), ALL_PARTS),
    Case("acos(x) at 1", ISSUES + "8069", function(torch.acos, 1.0), ALL_PARTS),
    Case("acosh(x) at -1.1", ISSUES + "94509", function(torch.acosh, -1.1, reach=0.05), ALL_PARTS),
    Case("0ˣ at 1", ISSUES + "27134", function(lambda x: torch.pow(zeros(x), x), 1.0), ALL_PARTS),
    Case("x⁰ at 0", ISSUES + "8940", function(lambda x: x**0, 0.0), ALL_PARTS),
    Case(
        "0ˣ at 0, twice differentiated",
        ISSUES + "95180",
        function(lambda x: torch.pow(zeros(x), x), 0.0),
        ALL_PARTS,
    ),
    Case("atan2(x, 2x) at 0", ISSUES + "98276", function(lambda x: torch.atan2(x, 2 * x), 0.0), ALL_PARTS),
    Case(
        "maximum(x, 0) at 0",
        ISSUES + "184572",
        function(lambda x: torch.maximum(x, zeros(x)), 0.0),
        ALL_PARTS,
    ),
    Case("clamp(x, 0, 6) at 6", ISSUES + "184574", function(lambda x: torch.clamp(x, 0, 6), 6.0), ALL_PARTS),
    Case("clamp(x, 0, 1) at 0", ISSUES + "7002", function(lambda x: torch.clamp(x, 0, 1), 0.0), ALL_PARTS),
    Case("round(x) at 0.3", "torch-round-gradient/28628", function(torch.round, 0.3), ALL_PARTS),
    Case(
        "straight-through round",
        ISSUES + "72772",
        function(lambda x: x + (torch.round(x) - x).detach(), 0.3),
        ALL_PARTS,
    ),
    Case(
        "binarized with no_grad", "es-ude/elastic-ai.creator/issues/253", function(binarize, 0.5), ALL_PARTS
    ),
    Case(
        "hard + soft - soft.detach()",
        "stevenygd/PointFlow/issues/27",
        function(lambda x: (x > 0).to(x.dtype) + torch.sigmoid(x) - torch.sigmoid(x).detach(), 0.4),
        ALL_PARTS,
    ),
    Case(
        "Function with a saved intermediate",
        ISSUES + "58509",
        function(BadIntermediate.apply, 1.5, second=8.0),
        ALL_PARTS,
    ),
    Case(
        "Function 6x with a ratio in backward",
        ISSUES + "76185",
        function(Ratio.apply, 1.5, second=0.0),
        ALL_PARTS,
    ),
    Case(
        "Function with a saved result",
        ISSUES + "18619",
        function(CubeByResult.apply, 2.0, second=12.0),
        ALL_PARTS,
    ),
    Case(
        "prod(x, x, 3) at 0",
        ISSUES + "106789",
        function(lambda x: torch.stack([x, x, 3 + zeros(x)]).prod(0), 0.0),
        ALL_PARTS,
    ),
    Case(
        "sigmoid surrogate of a step at -40",
        "jeshraghian/snntorch/pull/433",
        function(Surrogate.apply, -40.0),
        ALL_PARTS,
    ),
    Case(
        "log(sigmoid(x)) at -800",
        ISSUES + "1835",
        function(lambda x: torch.log(torch.sigmoid(x)), -800.0),
        ALL_PARTS,
    ),
    Case("logsigmoid(x) at 40", ISSUES + "195530", function(F.logsigmoid, 40.0), ALL_PARTS),
    Case("silu(x) at 40.4", ISSUES + "195682", function(F.silu, 40.4), ALL_PARTS),
    Case(
        "dropout",
        "torch/tutorials/issues/25",
        function(lambda x: F.dropout(x, 0.5), 1.0, is_random=True),
        "six explorers",
    ),
    Case(
        "dropout2d with gradcheck",
        ISSUES + "114333",
        function(lambda x: F.dropout2d(x.reshape(-1, 1, 1, 1), 0.2).reshape(x.shape), 1.0, is_random=True),
        "six explorers",
    ),
    Case(
        "reentrant checkpoint and inputs=",
        ISSUES + "51743",
        function(lambda x: checkpoint(torch.sin, x, use_reentrant=True), 1.0),
        ALL_PARTS,
    ),
    Case(
        "reentrant checkpoint of a weight",
        "pytorch/pytorch/pull/125155",
        graph(reentrant_checkpoint),
        "picture",
    ),
    Case("checkpoint that counts its calls", ISSUES + "102223", graph(recomputing_checkpoint), "picture"),
    Case("no_grad and forward mode", ISSUES + "78961", arrows(record_half), "explore_arrows"),
    Case("jacrev and jacfwd with no_grad", ISSUES + "128600", arrows(gate), "explore_arrows"),
    Case("hooks that measure two branches", ISSUES + "60456", graph(two_branches), "picture"),
    Case("hook made with functools.partial", ISSUES + "10683", graph(scale_by_hook), "picture"),
    Case("hook that clips, with retain_grad", "pytorch/pytorch/pull/85849", graph(clip_gradient), "picture"),
    Case("hook of a tensor inside a function", ISSUES + "55980", graph(dropped_clip), "picture"),
    Case("hook after accumulation", "pytorch/pytorch/pull/107063", graph(hook_after_accumulation), "picture"),
    Case("hooks before and after a node", "pytorch/pytorch/pull/91667", graph(node_hooks), "picture"),
    Case("full backward hook of a module", ISSUES + "54405", graph(module_hooks), "picture"),
    Case("multi-grad hook", ISSUES + "83617", graph(observe_inputs), "picture"),
    Case("Function without materialised grads", "pytorch/pytorch/pull/41821", graph(pair), "picture"),
    Case("Function that returns None", "pytorch/pytorch/pull/41490", graph(none_for_one), "picture"),
    Case("autograd.grad inside backward", ISSUES + "45405", graph(grad_inside_backward), "picture"),
    Case("backward that counts its calls", ISSUES + "4714", graph(count_backward), "picture"),
    Case("Function that returns its input", ISSUES + "4714", graph(identity), "picture"),
    Case("Function that writes in place", ISSUES + "30454", graph(in_place), "picture"),
    Case("backward that asks autograd", ISSUES + "1776", function(GradOfSavedInput.apply, 3.0), ALL_PARTS),
    Case("element written in place", ISSUES + "9391", graph(write_element), "picture"),
    Case(
        "non-leaf used twice, = for +=",
        "karpathy/micrograd/issues/2",
        engine(reuse_result, "assign", 1, 8.0),
        "explore_engine",
    ),
    Case(
        "recursion in place of an order",
        "karpathy/micrograd/issues/68",
        engine(six_steps, "none", 1, 25.0),
        "explore_engine",
    ),
    Case(
        "b = a + a, c = b + b",
        "karpathy/micrograd/pull/64",
        engine(share_node, "assign", 1, 1.0),
        "explore_engine",
    ),
    Case(
        "backward twice without a reset",
        "karpathy/micrograd/pull/102",
        engine(reuse_result, "kept", 2, 140.0),
        "explore_engine",
    ),
]


#: By a case's name, what Secant stated wrongly about the case before this table was made.
EARLIER_PROBLEMS = {
    "where(x < 0, x/0, 1) at 1": "explore_second shows nan without a word",
    "0/0 replaced by where at 1": "explore_second shows nan without a word",
    "chain acos(cos x) at 0": "nan without a word",
    "Function with a saved intermediate": "explore_second calls right differences errors",
    "Function 6x with a ratio in backward": "explore_second calls right differences errors",
    "Function with a saved result": "explore_second calls right differences errors",
    "dropout": '"takes one x at a time", numbers of different functions',
    "dropout2d with gradcheck": '"takes one x at a time", "the engine is wrong"',
    "reentrant checkpoint and inputs=": "blamed on an argument of the explorers; no gradient in the picture",
    "reentrant checkpoint of a weight": "drawing fills .grad; no gradient of the weight",
    "checkpoint that counts its calls": "drawing runs the program again",
    "no_grad and forward mode": "two products that disagree, without a word",
    "jacrev and jacfwd with no_grad": "two products that disagree, without a word",
    "hook made with functools.partial": "0.6 drawn, backward() gives 0.3",
    "hook that clips, with retain_grad": "[30, 1] drawn, backward() gives [6, 0.2]",
    "hook of a tensor inside a function": "7 drawn, backward() gives 2",
    "hooks before and after a node": "20 drawn, backward() gives 59",
    "full backward hook of a module": "half of the gradient drawn",
    "Function without materialised grads": "no gradient drawn, backward() gives 64",
    "backward that counts its calls": "drawing runs it",
}

HEADER = """# Real functions

Functions and programs in which autograd surprised somebody in public: issues of PyTorch, its forum,
micrograd and other projects. Each was written anew after the thread's description, and run. A judge compares
what Secant shows with plain `backward()`, with a difference quotient and with formulas by hand. It counts
every statement that does not hold: a wrong number, a wrong sentence, nan or inf without a word, something
that a picture has changed. *Six explorers* are `explore`, `explore_buffer`, `explore_backward`,
`explore_second`, `explore_saved` and `explore_engine`. *Picture* is `draw_graph(gradients=True,
slopes=True)`. *Check* judges a right and a wrong gradient of the function.

`.venv/bin/python -m tests.secant.real_functions` runs all of them; with `--write` it writes this page.
`tests/secant/test_real_functions.py` runs some in the quick suite and all in the whole one.
"""


def page(verdicts: dict[str, list[str]]) -> str:
    """Return the text of docs/real-functions.md, with a row for each case."""
    rows = ["| | function or program | thread | seen by | before | now |", "|---|---|---|---|---|---|"]
    for number, case in enumerate(CASES, 1):
        thread = f"[{case.thread.removeprefix('pytorch/pytorch/')}]({case.address})"
        earlier, current = EARLIER_PROBLEMS.get(case.name, "true"), "; ".join(verdicts[case.name]) or "true"
        name = case.name.replace("|", "\\|")
        rows.append(f"| {number} | {name} | {thread} | {case.shown_by} | {earlier} | {current} |")
    correct = sum(not problems for problems in verdicts.values())
    counts = f"{len(CASES)} cases: {len(CASES) - len(EARLIER_PROBLEMS)} true before, {correct} now."
    return "\n".join([HEADER, counts, "", *rows, ""])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="write docs/real-functions.md")
    arguments = parser.parse_args()
    verdicts = {case.name: case.judge() for case in CASES}
    if arguments.write:
        DOCUMENT.write_text(page(verdicts), encoding="utf-8")
    print(json.dumps(verdicts, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
