# mypy: ignore-errors
# mypy would refuse the mistakes below.
"""Learners' mistakes that raise errors: code for each, and a piece of the cause that must be named.

Tests run the code, so the catalogue of causes is compared with the messages of today's torch and Python.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.functional import jacobian
from torch.utils.checkpoint import checkpoint


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


def _call_backward_twice() -> None:
    y = leaf() ** 2
    y.backward()
    y.backward()


def _change_saved_tensor() -> None:
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


def _retain_untracked() -> None:
    torch.ones(2).retain_grad()


def _recurse_endlessly(n: int = 0) -> int:
    return _recurse_endlessly(n + 1)


def _use_unbound_name() -> None:
    total += 1  # type: ignore[name-defined]  # noqa: F821, F841


def _arguments() -> None:
    (lambda f, x: x)(1)


def _keyword() -> None:
    (lambda f, x: x)(f=1, x=2, y=3)


class _Times(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return x * n

    @staticmethod
    def backward(ctx, g):
        return g * ctx.n, g.sum()


def _untracked_input() -> None:
    torch.autograd.grad(leaf() ** 2, torch.tensor(1.0))


def _switch_off() -> None:
    y = leaf() * 2
    y.requires_grad = False


def _nan_below() -> None:
    x = leaf(0.0)
    with torch.autograd.detect_anomaly():
        torch.where(x > 0, torch.sqrt(x), x).sum().backward()


def _row_in_place() -> None:
    for row in leaf(1.0, 2.0) * 1:
        row += 1


def _view_of_no_grad() -> None:
    w = leaf(1.0, 2.0)
    with torch.no_grad():
        v = w[:1]
    v.mul_(2)


def _inference_view() -> None:
    w = leaf(1.0, 2.0) * 1
    with torch.inference_mode():
        v = w[:1]
    v.mul_(2)


def _inference_tensor() -> Tensor:
    with torch.inference_mode():
        return torch.ones(2)


def _reentrant() -> None:
    x = leaf()
    y = checkpoint(torch.square, x, use_reentrant=True)
    torch.autograd.grad(y, x)


def _recompute_differently() -> None:
    runs = []

    def f(t):
        runs.append(t)
        return t.exp().sin() if len(runs) == 1 else t.exp()

    checkpoint(f, leaf(1.0), use_reentrant=False).sum().backward()


def _carry_state() -> None:
    w, state = leaf(1.0), torch.ones(1)
    for _ in range(2):
        state = state * w
        state.sum().backward()


def _backward_in_transform() -> None:
    def f(t):
        y = (t**2).sum()
        y.backward()
        return y

    torch.func.grad(f)(torch.ones(2))


def _vmap_into_zeros() -> None:
    def f(t):
        out = torch.zeros(2)
        out[0] = t
        return out

    torch.func.vmap(f)(torch.ones(3))


def _int_step() -> None:
    w = torch.tensor([1, 2])
    w -= 0.1 * torch.ones(2)


def _grow_in_place() -> None:
    w = torch.ones(1)
    w -= torch.ones(3)


def _call_grad() -> None:
    x = leaf()
    (x**2).backward()
    x.grad()


def _gradients() -> tuple[Tensor, ...]:
    x = leaf()
    return torch.autograd.grad(x**2, x, create_graph=True)


def _parameter() -> None:
    torch.nn.Linear(1, 1).weight = torch.ones(1, 1)


#: By name: code that raises an error, and a piece of the error's likely cause in English.
PROVOKED_ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "backward twice": (_call_backward_twice, "retain_graph"),
    "no requires_grad": (lambda: (torch.tensor(3.0) ** 2).backward(), "requires_grad"),
    "detached": (lambda: (leaf().detach() ** 2).backward(), "detach"),
    "grad of untracked": (lambda: torch.autograd.grad(torch.tensor(3.0) ** 2, leaf()), "requires_grad"),
    "carried state": (_carry_state, "detach()"),
    "no derivative": (lambda: (leaf(5.0) // 2).sum().backward(), "no derivative"),
    "complex result": (lambda: (leaf(1.0) * 1j).sum().backward(), "complex"),
    "gradient with respect to an untracked tensor": (_untracked_input, "not tracked"),
    "requires_grad of a result": (_switch_off, "switched off"),
    "nan in anomaly mode": (_nan_below, "anomaly mode"),
    "row in place": (_row_in_place, "unbind"),
    "view of no_grad in place": (_view_of_no_grad, "no_grad"),
    "view of inference mode in place": (_inference_view, "inference_mode"),
    "inference tensor in place": (lambda: _inference_tensor().add_(1), "inference_mode"),
    "inference tensor tracked": (lambda: _inference_tensor().requires_grad_(), "inference_mode"),
    "view detached in place": (lambda: (leaf(1.0, 2.0) * 2)[0].detach_(), "t.detach()"),
    "out=": (lambda: torch.add(leaf(1.0), 1, out=torch.empty(1)), "out="),
    "reentrant checkpoint": (_reentrant, "use_reentrant=False"),
    "checkpoint of another function": (_recompute_differently, "checkpoint"),
    "gradient for a number": (lambda: _Times.apply(leaf(), 2).backward(), "return None"),
    "requires_grad_ in a transform": (
        lambda: torch.func.grad(lambda t: (t.requires_grad_() ** 2).sum())(torch.ones(2)),
        "by itself",
    ),
    "backward in a transform": (_backward_in_transform, "torch.func"),
    "random numbers under vmap": (
        lambda: torch.func.vmap(lambda t: t + torch.randn(()))(torch.ones(3)),
        "randomness",
    ),
    "in place under vmap": (_vmap_into_zeros, "torch.stack"),
    "jacobian of a number": (lambda: jacobian(lambda t: float(t.sum()), torch.ones(2)), "return a tensor"),
    "jacrev of a list": (lambda: torch.func.jacrev(lambda t: t.tolist())(torch.ones(2)), "return a tensor"),
    "step of ints": (_int_step, "ints"),
    "step of another shape": (_grow_in_place, "in-place"),
    "mean of ints": (lambda: torch.tensor([1, 2]).mean(), "float"),
    "view of a transpose": (lambda: torch.ones(2, 3).T.view(6), "reshape"),
    "cat of single numbers": (lambda: torch.cat([torch.tensor(1.0)]), "stack"),
    "stack of two shapes": (lambda: torch.stack([torch.ones(2), torch.ones(3)]), "cat"),
    "stack of floats": (lambda: torch.stack([1.0, 2.0]), "tensors"),
    "matrix @ number": (lambda: torch.ones(2, 2) @ torch.tensor(1.0), "*"),
    "dot of matrices": (lambda: torch.dot(torch.ones(2, 2), torch.ones(2, 2)), "@"),
    "dot of two lengths": (lambda: torch.dot(torch.ones(2), torch.ones(3)), "same length"),
    "expanded in place": (lambda: torch.ones(1).expand(3).add_(torch.ones(3)), "Clone"),
    "floats put into ints": (
        lambda: torch.zeros(3, dtype=torch.long).index_put_((torch.tensor([0]),), torch.ones(1)),
        "dtype",
    ),
    "float classes": (
        lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.ones(2)),
        "class numbers",
    ),
    "bmm of two dtypes": (
        lambda: torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2, dtype=torch.float64)),
        "two dtypes",
    ),
    "float as an index": (lambda: [1, 2][torch.tensor(1.0)], "whole number"),
    "int of nan": (lambda: int(torch.tensor(math.nan)), "nan"),
    "int of inf": (lambda: int(math.inf), "inf"),
    "tensor of strings": (lambda: torch.tensor(["a"]), "strings"),
    "tensor ^ int": (lambda: leaf() ^ 2, "**"),
    "float ^ int": (lambda: 2.0 ^ 2, "**"),
    "x.grad()": (_call_grad, "without ()"),
    "x.T()": (lambda: torch.ones(2, 2).T(), "without ()"),
    "item of a tuple": (lambda: _gradients().item(), "tuple"),
    "tuple + int": (lambda: _gradients() + 1, "tuple"),
    "float * tuple": (lambda: 0.1 * _gradients(), "tuple"),
    "tensor - tuple": (lambda: torch.ones(1) - _gradients(), "tuple"),
    "tuple ** int": (lambda: _gradients() ** 2, "tuple"),
    "list - float": (lambda: [1.0] - 1.0, "list"),
    "backward of max over a dim": (lambda: leaf(1.0, 2.0).max(dim=0).backward(), ".values"),
    "backward of a list": (lambda: [leaf() ** 2].backward(), "list"),
    "backward of a NumPy number": (lambda: np.float64(3.0).backward(), "NumPy"),
    "an int for a tensor": (lambda: (3).backward(), "tensor"),
    "an int for a list": (lambda: list(3), "list"),
    "a tensor for a parameter": (_parameter, "torch.nn.Parameter"),
    "too many indices": (lambda: torch.ones(3)[0, 1], "more indices"),
    "index of one number": (lambda: torch.tensor(1.0)[0], "no index"),
    "float index": (lambda: torch.ones(3)[torch.tensor([0.0, 1.0])], ".long()"),
    "mask of another shape": (lambda: torch.ones(3)[torch.tensor([True, False])], "mask"),
    "pop of nothing": (lambda: [].pop(), "empty"),
    "gradcheck of float32": (
        lambda: torch.autograd.gradcheck(lambda t: t**2, (leaf(1.0, 2.0),)),
        "float64",
    ),
    "gradcheck of a random function": (
        lambda: torch.autograd.gradcheck(
            lambda t: t * torch.rand_like(t), (torch.ones(2, dtype=torch.float64).requires_grad_(),)
        ),
        "same result",
    ),
    "power too large for a float": (lambda: 10.0**400, "large"),
    "int too large for a float": (lambda: float(10**400), "large"),
    "vector backward": (lambda: (leaf(1.0, 2.0) ** 2).backward(), "one element"),
    "leaf in place": (_step_in_place, "no_grad"),
    "view of a leaf in place": (_view_in_place, "no_grad"),
    "saved in place": (_change_saved_tensor, "in place"),
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
    "retain_grad of untracked": (_retain_untracked, "requires_grad"),
    "None from a function": (lambda: torch.sin(None), "return"),
    "None times a number": (lambda: None * 2.0, "return"),
    "a float for a tensor": (lambda: (3.0).backward(), "tensor"),
    "torch.sin of a float": (lambda: torch.sin(3.0), "torch.tensor"),
    "grad of a float": (lambda: torch.autograd.grad(3.0, leaf()), "tensor"),
    "math.sqrt of negative": (lambda: math.sqrt(-1.0), "sqrt"),
    "math.log of 0": (lambda: math.log(0.0), "log"),
    "math.acos of 2": (lambda: math.acos(2.0), "acos"),
    "division by zero": (lambda: 1.0 / 0.0, "zero"),
    "too deep": (_recurse_endlessly, "loop"),
    "a name in a function": (_use_unbound_name, "global"),
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
    "exp too large for a float": (lambda: math.exp(1000.0), "large"),
}


class _Wrong(_Base):
    @staticmethod
    def backward(ctx, g):
        return g
