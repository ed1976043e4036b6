"""Descriptions of all explorers for the contract test, and faulty functions that learners write."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from secant.explorers.backward import explore_backward
from secant.explorers.buffer import explore_buffer
from secant.explorers.chain import explore_chain
from secant.explorers.cut import explore_cut
from secant.explorers.engine import explore_engine
from secant.explorers.jacobian import explore_arrows
from secant.explorers.paths import explore_paths
from secant.explorers.saved import explore_saved
from secant.explorers.second import explore_second
from secant.explorers.tangent import explore
from tests.support.suites import case

Function = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Kind:
    """An explorer with its controls, and functions that open it.

    `explore_function` opens it with the learner's f alone. `explore_functions` opens it with several
    functions, good and bad ones.
    """

    name: str
    explore: Callable[..., Any]
    explore_function: Callable[..., Any]  # called with f and options
    places: tuple[str, ...] = ("x",)  # attributes of the sliders that set the place
    sliders: tuple[str, ...] = ("x", "log_h")
    dropdowns: tuple[str, ...] = ()
    alt_number: str = ""  # a number in the picture's alternative text at the start
    explore_functions: Callable[[dict[str, Any]], Any] | None = None  # called with functions by name
    choose: Callable[[Any, str], object] | None = None
    bad_options: tuple[dict[str, Any], ...] = field(default=())
    #: Names of the rows that show a quotient, a slope, and the distance between them.
    compared_rows: tuple[str, ...] = ("quotient", "gradient", "error")

    def __str__(self) -> str:
        return self.name


def _press(explorer: Any, name: str) -> None:
    explorer.reset.click()
    explorer.buttons[name].click()


BAD_OPTIONS: tuple[dict[str, Any], ...] = (
    {"x_range": (3, 3)},
    {"x_range": (5, 1)},
    {"x_range": (0, math.inf)},
    {"x_range": (math.nan, 1)},
    {"x": math.nan},
    {"h": 0},
    {"h": -1e-3},
    {"h": math.nan},
    {"h": math.inf},
)

KINDS = (
    Kind(
        "tangent",
        explore,
        lambda f, **options: explore({"f": f}, **options),
        dropdowns=("function", "dtype", "scheme"),
        alt_number="0.6",
        explore_functions=explore,
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
        bad_options=(*BAD_OPTIONS, {"functions": {}}, {"dtype": torch.int64}, {"scheme": "backward"}),
    ),
    Kind(
        "chain",
        explore_chain,
        lambda f, **options: explore_chain([("<y>", f), ("<z>", torch.exp)], **options),
        dropdowns=("by_step",),
        alt_number="42",
        bad_options=(
            *BAD_OPTIONS,
            {"steps": []},
            {"steps": [torch.sin]},
            {"steps": [("y", torch.sin)] * 6},
        ),
    ),
    Kind(
        "chain's second step",
        explore_chain,
        lambda f, **options: explore_chain([("<y>", torch.square), ("<z>", f)], **options),
        dropdowns=("by_step",),
        alt_number="42",
    ),
    Kind(
        "buffer",
        explore_buffer,
        lambda f, **options: explore_buffer({"f": f}, **options),
        alt_number="4, 16",
        explore_functions=explore_buffer,
        choose=_press,
        bad_options=(*BAD_OPTIONS, {"functions": {}}),
    ),
    Kind(
        "paths",
        explore_paths,
        lambda f, **options: explore_paths((f, torch.exp), **options),
        dropdowns=("pair", "merge", "by_path"),
        alt_number="1.6",
        explore_functions=lambda functions: explore_paths(
            {name: (f, lambda x: x * 0) for name, f in functions.items()}
        ),
        choose=lambda explorer, name: setattr(explorer.pair, "value", name),
        bad_options=(
            *BAD_OPTIONS,
            {"pairs": {}},
            {"pairs": torch.sin},
            {"pairs": (torch.sin,)},
            {"pairs": {"a": torch.sin}},
            {"merge": "-"},
        ),
    ),
    Kind(
        "paths' second",
        explore_paths,
        lambda f, **options: explore_paths((torch.exp, f), **options),
        dropdowns=("pair", "merge", "by_path"),
        alt_number="1.6",
        explore_functions=lambda functions: explore_paths(
            {name: (lambda x: x * 0, f) for name, f in functions.items()}
        ),
        choose=lambda explorer, name: setattr(explorer.pair, "value", name),
    ),
    Kind(
        "arrows",
        lambda **options: explore_arrows(**{"along": True} | options),
        lambda f, x=None, x_range=None, **options: explore_arrows(
            f,
            p=None if x is None else (x, 0.5),
            ranges=None if x_range is None else (x_range, (-2, 2)),
            along=True,
            **options,
        ),
        places=("first", "second"),
        sliders=("first", "second", "log_h", "v", "u"),
        dropdowns=("along",),
        alt_number="53°",
        compared_rows=("forward", "backward", "miss"),
        bad_options=(
            {"ranges": ((3, 3), (0, 1))},
            {"ranges": ((0, 1), (5, 1))},
            {"ranges": ((0, math.inf), (0, 1))},
            {"p": (math.nan, 0)},
            {"v": math.nan},
            {"u": math.nan},
            {"h": math.inf},
            {"h": 0},
            {"h": -1e-3},
        ),
    ),
    Kind(
        "cut",
        explore_cut,
        lambda f, **options: explore_cut((f, torch.exp), **options),
        dropdowns=("pair", "held"),
        alt_number="19",
        explore_functions=lambda functions: explore_cut(
            {name: (f, lambda x: x * 0 + 1) for name, f in functions.items()}
        ),
        choose=lambda explorer, name: setattr(explorer.pair, "value", name),
        bad_options=(*BAD_OPTIONS, {"pairs": {}}, {"pairs": torch.sin}, {"pairs": (torch.sin,)}),
    ),
    Kind(
        "cut's second",
        explore_cut,
        lambda f, **options: explore_cut((torch.exp, f), **options),
        dropdowns=("pair", "held"),
        alt_number="19",
    ),
    Kind(
        "second",
        explore_second,
        lambda f, **options: explore_second({"f": f}, **options),
        dropdowns=("function", "derivative"),
        alt_number="0.6",
        explore_functions=explore_second,
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
        bad_options=(*BAD_OPTIONS, {"functions": {}}, {"derivative": "third"}),
    ),
    Kind(
        "second, of the gradient",
        explore_second,
        lambda f, **options: explore_second({"f": f}, derivative="second", **options),
        dropdowns=("function", "derivative"),
        alt_number="-0.12",
        compared_rows=(),  # three estimates are shown instead, each with its error
        explore_functions=lambda functions: explore_second(functions, derivative="second"),
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
    ),
    Kind(
        "saved",
        explore_saved,
        lambda f, **options: explore_saved({"f": f}, spoiler="none", **options),
        sliders=("x", "log_h", "a"),
        dropdowns=("function", "spoiler"),
        alt_number="3.6",
        explore_functions=lambda functions: explore_saved(functions, spoiler="none"),
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
        bad_options=(*BAD_OPTIONS, {"functions": {}}, {"spoiler": "float16"}),
    ),
    Kind(
        "saved, spoiled",
        explore_saved,
        lambda f, **options: explore_saved({"f": f}, spoiler="float8", **options),
        sliders=("x", "log_h", "a"),
        dropdowns=("function", "spoiler"),
        alt_number="3.6",
    ),
    Kind(
        "engine",
        explore_engine,
        lambda f, **options: explore_engine({"f": f}, **options),
        dropdowns=("function", "bug", "calls"),
        alt_number="2.5",
        explore_functions=explore_engine,
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
        bad_options=(*BAD_OPTIONS, {"functions": {}}),
    ),
    Kind(
        "backward",
        explore_backward,
        lambda f, **options: explore_backward({"f": f}, **options),
        dropdowns=("function",),
        alt_number="201.18",
        compared_rows=("quotient3", "gradient", "error"),
        explore_functions=explore_backward,
        choose=lambda explorer, name: setattr(explorer.function, "value", name),
        bad_options=(*BAD_OPTIONS, {"functions": {}}),
    ),
)

#: The entries of `KINDS` that list arguments to be refused: one for each explorer.
EXPLORERS = tuple(kind for kind in KINDS if kind.bad_options)

#: Explorers with curves, bars, arrows and buttons. The quick suite tests only these four.
_QUICK = ("tangent", "paths", "arrows", "buffer")


def kind_cases(kinds: Iterable[Kind]) -> list[Any]:
    """Return a test case for each explorer; the quick suite runs only those in `_QUICK`."""
    return [case(kind, quick=kind.name in _QUICK, id=str(kind)) for kind in kinds]


def fail(x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("<b>broken</b>")


class Float32Model(torch.nn.Module):
    """A model in float32 that does not accept float64."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.reshape(-1, 1)).reshape(x.shape)


class UnpacksTooMany(torch.autograd.Function):
    """A learner's operation that saves one tensor, but unpacks two in its backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        x, y = ctx.saved_tensors
        return x * y * g


class RaisesInBackward(UnpacksTooMany):
    """A learner's operation whose backward raises a RuntimeError, as autograd itself does."""

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("<z>of its own")


#: Faulty functions as learners write them. Each fails at every place and in every explorer.
BAD_FUNCTIONS: dict[str, Any] = {
    "raises": fail,
    "a number": 3,
    "None": lambda x: None,
    "a float": lambda x: float(x.sum()),
    "a list": lambda x: [x, x],
    "one for all": lambda x: torch.ones(7),
    "nan": lambda x: x * torch.nan,
    "infinite": lambda x: x / 0,
    "a slope of nan": lambda x: torch.sqrt(x * 0),
    "log of a negative": lambda x: torch.log(-(x**2) - 1),
    "integers": lambda x: x.long(),
    "NumPy": lambda x: torch.from_numpy(x.numpy() ** 2),
    "constant": lambda x: torch.tensor(3.0),
    "constants": lambda x: torch.full_like(x, 3.0),
    "cut": lambda x: x.detach() ** 2,
    "two arguments": lambda x, y: x + y,
    "an index": lambda x: x[0] ** 2,
    "in place": lambda x: x.add_(1),
    "float32 model": Float32Model(),
    "own backward": lambda x: UnpacksTooMany.apply(x),
    "own error": lambda x: RaisesInBackward.apply(x),
    "no end": lambda x: BAD_FUNCTIONS["no end"](x),
}
#: Names of the functions in `BAD_FUNCTIONS` that have a value but no slope, so that part of the picture can
#: be shown.
WITHOUT_SLOPE = {
    "NumPy",
    "constant",
    "constants",
    "cut",
    "in place",
    "a slope of nan",
    "own backward",
    "own error",
}
