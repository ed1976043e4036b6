# mypy: ignore-errors
# What is provoked here, mypy would refuse.
"""Mistakes that raise, each as a learner makes it: the code, and a word of the cause that has to be told.

Each is run, so that the catalogue is held against what torch and Python say today.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.functional import jacobian


def leaf(*values: float) -> Tensor:
    return torch.tensor(values or 3.0, requires_grad=True)


class _Base(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()


class _TooMany(_Base):
    @staticmethod
    def backward(ctx, g):
        return g, g


class _WrongShape(_Base):
    @staticmethod
    def backward(ctx, g):
        return g.sum().expand(7)


class _OneSaved(_Base):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x * y


class _NoBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()


class _NoContext(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return g


class _NumberBack(_Base):
    @staticmethod
    def backward(ctx, g):
        return 3.0


class _SavesNumber(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3.0)
        return x.exp()


class _Unset(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.x


class Value:
    def __init__(self, data: float) -> None:
        self.data = data


def _twice() -> None:
    y = leaf() ** 2
    y.backward()
    y.backward()


def _in_place_saved() -> None:
    y = leaf(1.0, 2.0).exp()
    y.add_(1)
    y.sum().backward()


def _step_in_place() -> None:
    w = leaf()
    w -= 0.1


def _second_without_graph() -> None:
    x = leaf()
    (g,) = torch.autograd.grad(x**3, x)
    torch.autograd.grad(g, x)


def _inference() -> None:
    with torch.inference_mode():
        y = torch.ones(2)
    (leaf(1.0, 2.0) * y).sum().backward()


def _view_in_place() -> None:
    w = leaf(1.0, 2.0)
    w[0] = 5.0


def _grad_of_other() -> None:
    torch.autograd.grad(leaf() ** 2, leaf())


def _no_grad_yet() -> None:
    leaf().grad.zero_()


def _grad_shape() -> None:
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(3)


def _hook_shape() -> None:
    y = leaf(1.0, 2.0) * 2
    y.register_hook(lambda g: g.sum())
    y.sum().backward()


def _hook_type() -> None:
    y = leaf(1.0, 2.0) * 2
    y.register_hook(lambda g: 3.0)
    y.sum().backward()


def _hook_after() -> None:
    torch.ones(2).register_hook(lambda g: g)


def _retain() -> None:
    torch.ones(2).retain_grad()


def _endless(n: int = 0) -> int:
    return _endless(n + 1)


def _unbound() -> None:
    total += 1  # type: ignore[name-defined]  # noqa: F821, F841


def _arguments() -> None:
    (lambda f, x: x)(1)


def _keyword() -> None:
    (lambda f, x: x)(f=1, x=2, y=3)


#: By name: what raises, and a piece of the cause in English.
PROVOKED: dict[str, tuple[Callable[[], object], str]] = {
    "backward twice": (_twice, "retain_graph"),
    "no requires_grad": (lambda: (torch.tensor(3.0) ** 2).backward(), "requires_grad"),
    "detached": (lambda: (leaf().detach() ** 2).backward(), "detach"),
    "grad of untracked": (lambda: torch.autograd.grad(torch.tensor(3.0) ** 2, leaf()), "requires_grad"),
    "vector backward": (lambda: (leaf(1.0, 2.0) ** 2).backward(), "one element"),
    "leaf in place": (_step_in_place, "no_grad"),
    "view of a leaf in place": (_view_in_place, "no_grad"),
    "saved in place": (_in_place_saved, "in place"),
    "not used in the graph": (_grad_of_other, "allow_unused"),
    "second derivative without create_graph": (_second_without_graph, "create_graph"),
    "numpy of tracked": (lambda: leaf().numpy(), "detach()"),
    "inference tensor": (_inference, "inference_mode"),
    "integer leaf": (lambda: torch.tensor(3, requires_grad=True), "floating"),
    "integer requires_grad_": (lambda: torch.tensor([1, 2]).requires_grad_(), "floating"),
    "dtypes": (lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64), "dtype"),
    "matmul shapes": (lambda: torch.ones(2, 3) @ torch.ones(2, 3), "transpose"),
    "matmul of a vector": (lambda: torch.ones(2, 3) @ torch.ones(2), "transpose"),
    "broadcast": (lambda: torch.ones(2) + torch.ones(3), "broadcast"),
    "reshape": (lambda: torch.ones(6).reshape(4, 2), "elements"),
    "float of several": (lambda: float(torch.ones(2)), "element"),
    "item of several": (lambda: torch.ones(2).item(), "element"),
    "if of several": (lambda: bool(torch.ones(2) > 0), "where"),
    "too many gradients": (lambda: _TooMany.apply(leaf()).backward(), "one gradient for each argument"),
    "gradient of another shape": (lambda: _WrongShape.apply(leaf(1.0, 2.0)).sum().backward(), "shape"),
    "two saved, one kept": (lambda: _OneSaved.apply(leaf()).backward(), "save_for_backward"),
    "no backward": (lambda: _NoBackward.apply(leaf()).backward(), "backward"),
    "no setup_context": (lambda: _NoContext.apply(leaf()), "setup_context"),
    "a number from backward": (lambda: _NumberBack.apply(leaf()).backward(), "tensor"),
    "a number saved": (lambda: _SavesNumber.apply(leaf()), "ctx."),
    "ctx without the name": (lambda: _Unset.apply(leaf()).backward(), "ctx"),
    "a Function that is called": (lambda: _Base()(leaf()), "apply"),
    "grad is None": (_no_grad_yet, ".grad"),
    "grad of another shape": (_grad_shape, "shape"),
    "hook of another shape": (_hook_shape, "hook"),
    "hook of another type": (_hook_type, "hook"),
    "hook on untracked": (_hook_after, "requires_grad"),
    "retain_grad of untracked": (_retain, "requires_grad"),
    "None from a function": (lambda: torch.sin(None), "return"),
    "None times a number": (lambda: None * 2.0, "return"),
    "a float for a tensor": (lambda: (3.0).backward(), "tensor"),
    "torch.sin of a float": (lambda: torch.sin(3.0), "torch.tensor"),
    "grad of a float": (lambda: torch.autograd.grad(3.0, leaf()), "tensor"),
    "math.sqrt of negative": (lambda: math.sqrt(-1.0), "sqrt"),
    "math.log of 0": (lambda: math.log(0.0), "log"),
    "math.acos of 2": (lambda: math.acos(2.0), "acos"),
    "division by zero": (lambda: 1.0 / 0.0, "zero"),
    "too deep": (_endless, "loop"),
    "a name in a function": (_unbound, "global"),
    "a name nowhere": (lambda: undefined_name, "spelled"),  # type: ignore[name-defined]  # noqa: F821
    "too few arguments": (_arguments, "arguments"),
    "too many arguments": (lambda: (lambda x: x)(1, 2), "arguments"),
    "an unknown argument": (_keyword, "arguments"),
    "index": (lambda: [1, 2][5], "index"),
    "index of a tensor": (lambda: torch.ones(2)[5], "index"),
    "dimension": (lambda: torch.ones(2).sum(dim=3), "dim"),
    "key": (lambda: {"dx": 1}["dy"], "key"),
    "unpack": (lambda: [a + b for a, b in [(1, 2, 3)]], "unpack"),
    "iterate over one number": (lambda: list(torch.tensor(3.0)), "0-dim"),
    "Value + int": (lambda: Value(1.0) + 2, "Value"),
    "int + Value": (lambda: 2 + Value(1.0), "__r"),
    "Value * Value": (lambda: Value(1.0) * Value(2.0), "__mul__"),
    "math of a Value": (lambda: math.log(Value(1.0)), "x.data"),
    "Value > int": (lambda: Value(1.0) > 0, "x.data"),
    "tuple > int": (lambda: (1.0,) > 0, "order"),
    "attribute": (lambda: torch.ones(2).gradient, "spelled"),
    "copy of a non-leaf": (lambda: __import__("copy").deepcopy(leaf() * 2), "detach()"),
    "vmap and item": (lambda: torch.func.vmap(lambda t: t.item())(torch.ones(3)), "vmap"),
    "vmap and if": (lambda: torch.func.vmap(lambda t: t if t > 0 else -t)(torch.ones(3)), "where"),
    "func.grad of a vector": (lambda: torch.func.grad(lambda t: t * 2)(torch.ones(3)), "one element"),
    "jvp shapes": (
        lambda: torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(2),)),
        "shape",
    ),
    "jacobian of ints": (lambda: jacobian(torch.sin, torch.tensor([1, 2])), "floating"),
    "a wrong backward": (
        lambda: torch.autograd.gradcheck(
            _Wrong.apply, (torch.ones(2, dtype=torch.float64).requires_grad_(),)
        ),
        "backward",
    ),
    "gradcheck of untracked": (
        lambda: torch.autograd.gradcheck(torch.sin, (torch.ones(2),)),
        "requires_grad",
    ),
    "v of another shape": (lambda: (leaf(1.0, 2.0) * 2).backward(torch.ones(3)), "shape"),
    "int too large for float": (lambda: math.exp(1000.0), "large"),
}


class _Wrong(_Base):
    @staticmethod
    def backward(ctx, g):
        return g
