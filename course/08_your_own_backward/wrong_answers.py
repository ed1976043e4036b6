# Wrong answers to lesson 8 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import warnings

import torch
from torch.autograd import gradcheck


# %% the slope in q as in Code 21 task="MyPow" hint="plus"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x + 1
        ) if ctx.needs_input_grad[1] else None


# %% computes what nobody needs task="MyPow" base="own" hint="unasked"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        return g * q * x ** (q - 1), g * x**q * torch.log(x)


# %% computes both and hands back what is needed task="MyPow" base="own" hint="in_vain"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        slopes = g * q * x ** (q - 1), g * x**q * torch.log(x)
        return tuple(
            slope if needed else None for slope, needed in zip(slopes, ctx.needs_input_grad, strict=True)
        )


# %% asks before the logarithm only task="MyPow" base="own" en="ran torch's pow" ko="torch의 pow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1)
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x if ctx.needs_input_grad[0] else None, grad_q


# %% always computes the slope in x task="MyPow" base="own" hint="unasked"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return g * q * x ** (q - 1), grad_q


# %% forgets grad_output task="MyPow" base="own" hint="arriving"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        return q * x ** (q - 1) if ctx.needs_input_grad[0] else None, x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% leaves the exponent as it is task="MyPow" base="own" hint="power"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        return g * q * x**q if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% returns them in the other order task="MyPow" base="own" hint="swapped_inputs"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        return g * x**q * torch.log(x), g * q * x ** (q - 1)


# %% keeps its inputs on the class task="MyPow" hint="between"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        MyPow.x, MyPow.q = x.detach(), q.detach()
        return x**q

    @staticmethod
    def backward(ctx, g):
        x, q = MyPow.x, MyPow.q
        return g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% keeps its inputs as attributes task="MyPow" hint="silent"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.x, ctx.q = x, q
        return x**q

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.x.detach(), ctx.q.detach()
        return g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% keeps q as an attribute task="MyPow" base="own" hint="silent"
class MyPow(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.q = inputs[1]

    @staticmethod
    def backward(ctx, g):
        (x,), q = ctx.saved_tensors, ctx.q.detach()
        return g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% multiplies grad_output in place task="MyPow" base="the slope in q as in Code 21" en="the call changed grad_output itself" ko="grad_output의 값이 바뀌었습니다"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return g.mul_(q * x ** (q - 1)) if ctx.needs_input_grad[0] else None, grad_q


# %% an operation of torch under the name task="MyPow" en="apply must go through MyPow's own" ko="MyPow의 forward와 backward를 거쳐야 합니다"
class MyPow(torch.autograd.Function):
    @staticmethod
    def apply(x, q):
        return x**q


# %% zeros in the place of None task="MyPow" base="own" hint="unasked"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x, grad_q = torch.zeros_like(x), torch.zeros_like(q)
        if ctx.needs_input_grad[0]:
            grad_x = g * q * x ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = g * x**q * torch.log(x)
        return grad_x, grad_q


# %% asks the numbers whether a logarithm is needed task="MyPow" base="own" hint="unasked"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if (x > 0).all() else None
        return grad_x, grad_q


# %% a view of what arrives task="MyPow" base="own" en="view size is not compatible" ko="view size is not compatible"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = (
            (g.view(-1) * (x**q * torch.log(x)).view(-1)).view(x.shape) if ctx.needs_input_grad[1] else None
        )
        return grad_x, grad_q


# %% only whole exponents task="MyPow" base="own" hint="whole"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q.long() - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% the exponent on the class task="MyPow" hint="between"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.save_for_backward(x)
        MyPow.q = q
        return x**q

    @staticmethod
    def backward(ctx, g):
        (x,), q = ctx.saved_tensors, MyPow.q
        return g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None, g * x**q * torch.log(
            x
        ) if ctx.needs_input_grad[1] else None


# %% a clamp under the logarithm task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x.clamp(min=1e-3)) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% a higher clamp under the logarithm task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x.clamp(min=1e-2)) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% a tiny number in the logarithm task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x + 1e-12) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% a small number in the logarithm task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x + 1e-6) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% None for the exponent task="MyPow" base="own" en="backward returned None for q, which needs a gradient" ko="gradient가 필요한 q에"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        return grad_x, None


# %% asks for the other input task="MyPow" base="own" en="ctx.needs_input_grad[0] is the flag for x" ko="x의 것은 ctx.needs_input_grad[0]"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[1] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[0] else None
        return grad_x, grad_q


# %% the power by way of exp and log task="MyPow" base="own" hint="negative"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(x, q):
        return torch.exp(q * torch.log(x))

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% the slope by way of exp and log task="MyPow" base="own" hint="negative"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * torch.exp((q - 1) * torch.log(x)) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% the logarithm of base ten task="MyPow" base="own" hint="natural"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log10(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% the logarithm of the result task="MyPow" base="own" hint="natural"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x**q) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% gradients added up task="MyPow" base="own" en="added up: each element of x has its own" ko="모든 원소의 gradient를 더했습니다"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = (g * q * x ** (q - 1)).sum().expand(x.shape) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% empties ctx after the backward pass task="MyPow" base="own" hint="walked_once"
class MyPow(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.t = inputs

    @staticmethod
    def backward(ctx, g):
        x, q = (saved for saved, _ in zip(ctx.saved_tensors, ctx.t, strict=True))
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        ctx.t = None
        return grad_x, grad_q


# %% changes what it has saved task="MyPow" base="own" hint="saved_in_place"
class MyPow(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*(t * 1 for t in inputs))

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        x.add_(0)
        return grad_x, grad_q


# %% raises x in place task="MyPow" base="own" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(x, q):
        return x.pow_(q).clone()

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = g * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        grad_q = g * x**q * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% a clamp where nothing else is as small task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = g * q * x ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = g * x**q * torch.log(x.clamp(min=1e-31))
        return grad_x, grad_q


# %% keeps its result as an attribute task="MyPow" base="own" hint="silent"
class MyPow(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.y = output

    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = g * q * x ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = g * ctx.y.detach() * torch.log(x)
        return grad_x, grad_q


# %% the size in the place of x task="MyPow" base="own" hint="negative"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(x, q):
        return x.abs() ** q


# %% no logarithm task="MyPow" base="own" hint="natural"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = g * q * x ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = g * x**q
        return grad_x, grad_q


# %% a clamp in the slope of x task="MyPow" base="own" hint="floor"
class MyPow(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, q = ctx.saved_tensors
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = g * q * torch.where(x > 0, x.clamp(min=1e-8), x) ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = g * x**q * torch.log(x)
        return grad_x, grad_q


# %% checks in the dtype it is given task="backward_is_right" hint="right"
def backward_is_right(fn, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gradcheck(
            fn, tuple(t.detach().clone().requires_grad_() for t in inputs), raise_exception=False
        )


# %% lets the error through task="backward_is_right" hint="raises"
def backward_is_right(fn, inputs):
    return gradcheck(fn, tuple(t.detach().double().clone().requires_grad_() for t in inputs))


# %% tracks the caller's own tensors task="backward_is_right" en="requires_grad was changed" ko="requires_grad가 바뀌었습니다"
def backward_is_right(fn, inputs):
    inputs = tuple(
        t.requires_grad_()
        if t.dtype == torch.float64
        else t.requires_grad_().detach().double().requires_grad_()
        for t in inputs
    )
    return gradcheck(fn, inputs, raise_exception=False)


# %% only the tracked inputs task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_(t.requires_grad) for t in inputs)
    try:
        return gradcheck(fn, doubles, raise_exception=False)
    except ValueError:
        return False


# %% only the first input task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    first, *others = (t.detach().double().clone() for t in inputs)
    return gradcheck(lambda t: fn(t, *others), (first.requires_grad_(),), raise_exception=False)


# %% a generous tolerance task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, rtol=0.05, atol=0.05)


# %% one backward pass, from the sum of the outputs task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = [t.detach().double().clone().requires_grad_() for t in inputs]
    found = torch.autograd.grad(fn(*doubles).sum(), doubles, allow_unused=True)
    for i, (x, slope) in enumerate(zip(doubles, found, strict=True)):
        if slope is None:
            return False
        for k in range(x.numel()):
            ends = []
            for h in (1e-6, -1e-6):
                moved = [t.detach().clone() for t in doubles]
                moved[i].view(-1)[k] += h
                ends.append(fn(*moved).sum().item())
            quotient = (ends[0] - ends[1]) / 2e-6
            if abs(quotient - slope.reshape(-1)[k].item()) > 1e-5 + 1e-3 * abs(quotient):
                return False
    return True


# %% compares the sums of all gradients task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = [t.detach().double().clone().requires_grad_() for t in inputs]
    found = torch.autograd.grad(fn(*doubles).sum(), doubles, allow_unused=True)
    if any(slope is None for slope in found):
        return False
    with torch.no_grad():
        quotient = (fn(*(t + 1e-6 for t in doubles)).sum() - fn(*(t - 1e-6 for t in doubles)).sum()) / 2e-6
    return bool(abs(quotient - sum(slope.sum() for slope in found)) < 1e-5 + 1e-3 * abs(quotient))


# %% says so with a tensor task="backward_is_right" en="The result is a bool tensor" ko="결과가 bool 텐서입니다"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return torch.tensor(gradcheck(fn, doubles, raise_exception=False))


# %% no copy of an expanded input task="backward_is_right" hint="stride"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False)


# %% the fast mode task="backward_is_right" hint="alike"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, fast_mode=True)


# %% a floor ten times as high task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, atol=1e-4)


# %% no allowance for size task="backward_is_right" hint="within"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, rtol=0.0)


# %% stricter than gradcheck task="backward_is_right" hint="within"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, atol=1e-6, rtol=1e-4)


# %% only the tracked inputs, whatever gradcheck says task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_(t.requires_grad) for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False)


# %% one copy in the place of all task="backward_is_right" hint="all"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles[0], raise_exception=False)


# %% checks at ones task="backward_is_right" hint="place"
def backward_is_right(fn, inputs):
    ones = tuple(torch.ones_like(t, dtype=torch.float64).requires_grad_() for t in inputs)
    return gradcheck(fn, ones, raise_exception=False)


# %% checks at places of its own task="backward_is_right" hint="right"
def backward_is_right(fn, inputs):
    places = tuple(torch.full(t.shape, -0.7, dtype=torch.float64, requires_grad=True) for t in inputs)
    return gradcheck(fn, places, raise_exception=False)


# %% a step of a thousandth task="backward_is_right" hint="wide"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().clone().double().requires_grad_() for t in inputs)
    return gradcheck(fn, copies, eps=1e-3, raise_exception=False)


# %% a quotient to one side task="backward_is_right" hint="wide"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().clone().double() for t in inputs)
    base = fn(*copies).detach()
    unasked = torch.autograd.functional.vjp(fn, copies, torch.zeros_like(base))[1]
    if any(gradient.any() for gradient in unasked):
        return False
    jacobians = torch.autograd.functional.jacobian(fn, copies)
    for number, copy in enumerate(copies):
        for i in range(copy.numel()):
            moved = [c.clone(memory_format=torch.contiguous_format) for c in copies]
            moved[number].view(-1)[i] += 1e-6
            quotient = (fn(*moved).detach() - base) / 1e-6
            claimed = jacobians[number].reshape(*base.shape, -1)[..., i]
            if not torch.allclose(claimed, quotient, rtol=1e-3, atol=1e-5):
                return False
    return True


# %% a difference that is nan is not too large task="backward_is_right" hint="nan"
def backward_is_right(fn, inputs):
    points = [t.detach().double().clone().requires_grad_() for t in inputs]
    out = fn(*points)
    for k in range(out.numel()):
        for scale in (1.0, 2.0):
            g = torch.zeros(out.numel(), dtype=out.dtype)
            g[k] = scale
            got = torch.autograd.grad(out, points, g.reshape(out.shape), retain_graph=True, allow_unused=True)
            for i, point in enumerate(points):
                for j in range(point.numel()):
                    moved = [p.detach().clone(memory_format=torch.contiguous_format) for p in points]
                    moved[i].view(-1)[j] += 1e-6
                    above = fn(*moved).reshape(-1)[k].item()
                    moved[i].view(-1)[j] -= 2e-6
                    want = scale * (above - fn(*moved).reshape(-1)[k].item()) / 2e-6
                    slope = 0.0 if got[i] is None else got[i].reshape(-1)[j].item()
                    if abs(slope - want) > 1e-5 + 1e-3 * abs(want):
                        return False
    return True


# %% a quotient with a large step task="backward_is_right" hint="wide"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False, eps=1e-2)


# %% tracks all copies only where none is tracked task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    some = any(t.requires_grad for t in inputs)
    doubles = tuple(t.detach().double().clone().requires_grad_(t.requires_grad or not some) for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False)


# %% tracks them when gradcheck asks for it task="backward_is_right" hint="wrong"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone().requires_grad_(t.requires_grad) for t in inputs)
    try:
        return gradcheck(fn, doubles, raise_exception=False)
    except ValueError:
        return gradcheck(fn, tuple(t.requires_grad_() for t in doubles), raise_exception=False)


# %% adds the outputs up with weights task="backward_is_right" hint="outputs"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().double().clone().requires_grad_() for t in inputs)

    def one(*tensors):
        y = fn(*tensors).reshape(-1)
        return (y * torch.arange(1, len(y) + 1)).sum()

    return gradcheck(one, copies, raise_exception=False)


# %% checks beside the given point task="backward_is_right" hint="place"
def backward_is_right(fn, inputs):
    copies = tuple((t.detach().double() + 1e-3).requires_grad_() for t in inputs)
    return gradcheck(fn, copies, raise_exception=False)


# %% None is always wrong task="backward_is_right" hint="none"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    found = torch.autograd.grad(fn(*copies).sum(), copies, allow_unused=True)
    return None not in [g if g is None else 0 for g in found] and gradcheck(fn, copies, raise_exception=False)


# %% takes every error for a wrong backward task="backward_is_right" hint="stride"
def backward_is_right(fn, inputs):
    try:
        return gradcheck(fn, tuple(t.detach().double().requires_grad_() for t in inputs))
    except Exception:
        return False


# %% the plain formulas task="StableSoftplus" hint="big"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(1 + torch.exp(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.exp(x) / (1 + torch.exp(x))


# %% only the value is stable task="StableSoftplus" base="own" hint="big"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.exp(x) / (1 + torch.exp(x))


# %% log(1 + t) in the place of log1p task="StableSoftplus" base="own" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.clamp(min=0) + torch.log(1 + torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, g):
        return g * torch.sigmoid(ctx.saved_tensors[0])


# %% the slope as one minus something task="StableSoftplus" base="own" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * (1 - torch.exp(-ctx.saved_tensors[0]))


# %% the slope of relu task="StableSoftplus" base="own" hint="step"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return g * (ctx.saved_tensors[0] > 0)


# %% forgets what arrives task="StableSoftplus" base="own" hint="arriving"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return torch.sigmoid(ctx.saved_tensors[0])


# %% clamps its input in place task="StableSoftplus" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(torch.sigmoid(x))
        small = torch.log1p(torch.exp(-x.abs()))
        return small + x.data.clamp_(min=0)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


# %% keeps its slope on the class task="StableSoftplus" hint="between"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        StableSoftplus.slope = torch.sigmoid(x.detach())
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, g):
        return g * StableSoftplus.slope


# %% keeps its input as an attribute task="StableSoftplus" hint="silent"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, g):
        return g * torch.sigmoid(ctx.x.detach())


# %% torch's softplus under the name task="StableSoftplus" en="apply must go through StableSoftplus's own" ko="StableSoftplus의 forward와 backward를 거쳐야 합니다"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def apply(x):
        return torch.logaddexp(x, torch.zeros_like(x))


# %% x itself, too early task="StableSoftplus" hint="early"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 12, x, torch.log1p(torch.exp(x.clamp(max=12))))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.sigmoid(x)


# %% a clamped exponent task="StableSoftplus" base="x itself, too early" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs().clamp(max=50)))


# %% a clamped exponent in the slope task="StableSoftplus" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.exp(x.clamp(-80, 80)) / (1 + torch.exp(x.clamp(-80, 80)))


# %% a slope of 0 below what float32 can hold task="StableSoftplus" base="a clamped exponent in the slope" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.where(x < -103, 0.0, torch.sigmoid(x))


# %% a value that stops growing task="StableSoftplus" base="x itself, too early" hint="capped"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(x.clamp(max=80)))


# %% infinity mended by a number task="StableSoftplus" base="x itself, too early" hint="capped"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nan_to_num(torch.log1p(torch.exp(x)), posinf=1000.0)


# %% a slope of 1, too early task="StableSoftplus" base="a clamped exponent in the slope" hint="one"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.where(x > 15, 1.0, torch.sigmoid(x))


# %% a note that lasts for one backward pass task="StableSoftplus" hint="walked_once"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.slope = torch.sigmoid
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        gradient = g * ctx.slope(x)
        ctx.slope = None
        return gradient


# %% the value of relu task="StableSoftplus" base="x itself, too early" hint="relu"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)


# %% a slope that is a little off task="StableSoftplus" base="a clamped exponent in the slope" hint="nearly"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (torch.sigmoid(x) * (1 + 1e-4))


# %% keeps the softplus as an attribute task="StableSoftplus" hint="silent"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.y = output

    @staticmethod
    def backward(ctx, g):
        return g * -torch.expm1(-ctx.y.detach())


# %% a view of a transposed gradient task="StableSoftplus" base="own" en="view size is not compatible" ko="view size is not compatible"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g.view(-1) * torch.sigmoid(x).reshape(-1)).view(x.shape)


# %% clips the gradient task="StableSoftplus" base="own" hint="capped"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g * torch.sigmoid(x)).clamp(-10, 10)


# %% a small number in the value task="StableSoftplus" base="own" hint="tiny"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.logaddexp(x, torch.zeros_like(x)) + 1e-20


# %% where after the root task="safe_sqrt" hint="trap"
def safe_sqrt(x):
    return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))


# %% the root of the size, times a mask task="safe_sqrt" hint="trap"
def safe_sqrt(x):
    return torch.sqrt(x.abs()) * (x > 0)


# %% the root of what is not negative task="safe_sqrt" hint="infinite"
def safe_sqrt(x):
    return torch.sqrt(torch.where(x >= 0, x, 0.0))


# %% a small number for safety task="safe_sqrt" hint="small"
def safe_sqrt(x):
    return torch.sqrt(x.clamp(min=1e-12))


# %% adds a small number task="safe_sqrt" hint="small"
def safe_sqrt(x):
    return torch.sqrt(torch.relu(x) + 1e-8)


# %% takes small numbers for 0 task="safe_sqrt" hint="small"
def safe_sqrt(x):
    positive = x > 1e-6
    return torch.where(positive, torch.sqrt(torch.where(positive, x, 1.0)), 0.0)


# %% cuts the gradient off task="safe_sqrt" hint="cut"
def safe_sqrt(x):
    return torch.sqrt(x.detach().clamp(min=0))


# %% mends the gradient with a hook task="safe_sqrt" en="a hook was left on x" ko="x에 hook이 남아 있습니다"
def safe_sqrt(x):
    if x.requires_grad:
        x.register_hook(lambda gradient: gradient.nan_to_num(0.0, 0.0, 0.0))
    return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))


# %% puts 0 into its argument task="safe_sqrt" en="the call changed x itself" ko="x의 값이 바뀌었습니다"
def safe_sqrt(x):
    x.data[x.data < 0] = 0.0
    inside = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, torch.sqrt(inside), 0.0)


# %% returns the positive ones alone task="safe_sqrt" en="The shape is" ko="shape가"
def safe_sqrt(x):
    return torch.sqrt(x[x > 0])


# %% repairs the value task="safe_sqrt" hint="trap"
def safe_sqrt(x):
    return torch.nan_to_num(torch.sqrt(x))


# %% masks the gradient that arrives in place task="safe_sqrt" en="the call changed g itself" ko="g의 값이 바뀌었습니다"
class _Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, 0.0).sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.masked_fill_(x <= 0, 0) / (2 * torch.where(x > 0, x, 1.0).sqrt())


def safe_sqrt(x):
    return _Root.apply(x)


# %% multiplies what arrives by 0 task="safe_sqrt" hint="inf_arrives"
class _Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, torch.sqrt(x), 0.0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.where(x > 0, 0.5 / torch.sqrt(x), 0.0)


def safe_sqrt(x):
    return _Root.apply(x)


# %% keeps the root on the class task="safe_sqrt" hint="between"
class _Root(torch.autograd.Function):
    kept = None

    @staticmethod
    def forward(ctx, x):
        y = torch.where(x > 0, torch.sqrt(x), 0.0)
        _Root.kept = y
        return y

    @staticmethod
    def backward(ctx, g):
        y = _Root.kept
        return torch.where(y > 0, g / (2 * y), 0.0)


def safe_sqrt(x):
    return _Root.apply(x)


# %% a root that lasts for one backward pass task="safe_sqrt" hint="walked_once"
class _Root(torch.autograd.Function):
    kept = None

    @staticmethod
    def forward(ctx, x):
        y = torch.where(x > 0, torch.sqrt(x), 0.0)
        ctx.y = y.clone()
        return y

    @staticmethod
    def backward(ctx, g):
        y, ctx.y = ctx.y, None
        return torch.where(y > 0, g / (2 * y), 0.0)


def safe_sqrt(x):
    return _Root.apply(x)


# %% the root times a mask task="safe_sqrt" hint="masked"
def safe_sqrt(x):
    return torch.sqrt(x) * (x > 0)


# %% tracked in every case task="safe_sqrt" hint="untracked"
def safe_sqrt(x):
    y = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0)
    return y if y.requires_grad else y.requires_grad_()


# %% x over its root, by way of rsqrt task="safe_sqrt" hint="inf_arrives"
def safe_sqrt(x):
    s = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, s * torch.rsqrt(s), 0.0)


# %% equal functions have equal slopes task="at_the_kink" hint="equal"
def at_the_kink():
    return {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 1.0}


# %% all that are relu have its slope task="at_the_kink" hint="zero_left"
def at_the_kink():
    return {"relu": 0.0, "where0": 0.0, "maximum0": 0.0, "abs": 0.0, "relu(x)-relu(-x)": 0.0}


# %% the central quotients task="at_the_kink" hint="central"
def at_the_kink():
    return {"relu": 0.5, "where0": 0.5, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 1.0}


# %% the slopes to the right task="at_the_kink" hint="right"
def at_the_kink():
    return {"relu": 1.0, "where0": 1.0, "maximum0": 1.0, "abs": 1.0, "relu(x)-relu(-x)": 1.0}


# %% keys of its own task="at_the_kink" hint="keys"
def at_the_kink():
    return {"relu": 0.0, "where": 1.0, "maximum": 0.5, "abs": 0.0, "difference": 0.0}


# %% tensors task="at_the_kink" hint="float"
def at_the_kink():
    functions = {
        "relu": torch.relu,
        "where0": lambda x: torch.where(x >= 0, x, 0.0),
        "maximum0": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "abs": torch.abs,
        "relu(x)-relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
    }
    return {name: torch.func.grad(f)(torch.tensor(0.0)) for name, f in functions.items()}


# %% one dict for all calls task="at_the_kink" hint="new"
_known = {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}


def at_the_kink():
    return _known


# %% another default dtype for all task="at_the_kink" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def at_the_kink():
    torch.set_default_dtype(torch.float64)
    return {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}


# %% values, not slopes task="at_the_kink" hint="zero_left"
def at_the_kink():
    return dict.fromkeys(("relu", "where0", "maximum0", "abs", "relu(x)-relu(-x)"), 0.0)


# %% without return task="at_the_kink" hint="keys"
def at_the_kink():
    slopes = {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
    slopes["relu"] = 0.0


# %% one x for all five task="at_the_kink" hint="added"
def at_the_kink():
    functions = {
        "relu": torch.relu,
        "where0": lambda x: torch.where(x >= 0, x, 0.0),
        "maximum0": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "abs": torch.abs,
        "relu(x)-relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
    }
    x = torch.tensor(0.0, requires_grad=True)
    slopes = {}
    for name, f in functions.items():
        f(x).backward()
        slopes[name] = x.grad.item()
    return slopes


# %% a list of pairs task="at_the_kink" hint="keys"
def at_the_kink():
    slopes = {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
    return list(slopes.items())


# %% mean and spread as constants task="MyLayerNorm" hint="constant" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(centred / s, s, weight)
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = h / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% only the path through the mean task="MyLayerNorm" base="mean and spread as constants" hint="no_spread" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% no path through the mean task="MyLayerNorm" base="mean and spread as constants" hint="no_mean" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% the gradient of weight averaged task="MyLayerNorm" base="mean and spread as constants" hint="rows" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).reshape(-1, weight.numel()).mean(0), None


# %% weight forgotten on the way to x task="MyLayerNorm" base="mean and spread as constants" hint="weight" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% takes ones for what arrives task="MyLayerNorm" base="mean and spread as constants" hint="arriving" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, grad_output):
        normal, s, weight = ctx.saved_tensors
        g = torch.ones_like(grad_output)
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% the variance over n - 1 task="MyLayerNorm" hint="unbiased"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (x.var(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(centred / s, s, weight)
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% eps outside the root task="MyLayerNorm" base="the variance over n - 1" hint="outside"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = centred.square().mean(-1, keepdim=True).sqrt() + eps
        ctx.save_for_backward(centred / s, s, weight)
        return weight * centred / s


# %% the whole tensor as one row task="MyLayerNorm" hint="whole"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean()
        s = (centred.square().mean() + eps).sqrt()
        ctx.save_for_backward(centred / s, s, weight)
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - h.mean() - normal * (h * normal).mean()) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% the mean of squares minus the square of the mean task="MyLayerNorm" base="the variance over n - 1" hint="digits"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (x.square().mean(-1, keepdim=True) - x.mean(-1, keepdim=True).square() + eps).sqrt()
        ctx.save_for_backward(centred / s, s, weight)
        return weight * centred / s


# %% keeps the spread on the class task="MyLayerNorm" hint="between" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(centred / s, weight)
        MyLayerNorm.s = s
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        normal, weight = ctx.saved_tensors
        s = MyLayerNorm.s
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% keeps x, weight and eps as attributes task="MyLayerNorm" hint="silent" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.x, ctx.weight, ctx.eps = x, weight, eps
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.x.detach(), ctx.weight.detach()
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        normal = centred / s
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% keeps weight as an attribute task="MyLayerNorm" hint="silent" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(centred / s, s)
        ctx.w = weight
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        (normal, s), weight = ctx.saved_tensors, ctx.w.detach()
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% keeps eps on the class task="MyLayerNorm" hint="between" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(x, weight)
        MyLayerNorm.eps = eps
        return weight * centred / s

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        centred = x - x.mean(-1, keepdim=True)
        s = (centred.square().mean(-1, keepdim=True) + MyLayerNorm.eps).sqrt()
        normal = centred / s
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape), None


# %% torch's own backward task="MyLayerNorm" hint="torch" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        ctx.eps = eps
        ctx.save_for_backward(x, weight)
        return torch.nn.functional.layer_norm(x, weight.shape, weight, eps=eps)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        with torch.enable_grad():
            copies = x.detach().requires_grad_(), weight.detach().requires_grad_()
            y = torch.nn.functional.layer_norm(copies[0], weight.shape, copies[1], eps=ctx.eps)
        return *torch.autograd.grad(y, copies, g), None


# %% no gradient for eps task="MyLayerNorm" base="mean and spread as constants" en="incorrect number of gradients" ko="incorrect number of gradients" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        h = g * weight
        grad_x = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) / s
        return grad_x, (g * normal).sum_to_size(weight.shape)


# %% autograd in the place of a formula task="MyLayerNorm" hint="autograd" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, eps):
        d = x - x.mean(-1, keepdim=True)
        return d / (d.square().mean(-1, keepdim=True) + eps).sqrt() * weight

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ctx.eps = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        with torch.enable_grad():
            z, v = x.detach().requires_grad_(), w.detach().requires_grad_()
            d = z - z.mean(-1, keepdim=True)
            y = d / (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt() * v
        return *torch.autograd.grad(y, (z, v), g), None


# %% torch.func in the place of a formula task="MyLayerNorm" base="autograd in the place of a formula" hint="autograd" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors

        def normalized(x, w):
            d = x - x.mean(-1, keepdim=True)
            return d / (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt() * w

        return *torch.func.vjp(normalized, x, w)[1](g), None


# %% the normalized row from its result task="MyLayerNorm" base="autograd in the place of a formula" hint="zero" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ctx.eps = inputs
        ctx.save_for_backward(x, weight, output)

    @staticmethod
    def backward(ctx, g):
        x, w, y = ctx.saved_tensors
        z, h = y / w, g * w
        s = ((x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        grad_x = (h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / s
        return grad_x, (g * z).sum_to_size(w.shape), None


# %% a view of the gradient's rows task="MyLayerNorm" base="autograd in the place of a formula" en="view size is not compatible" ko="view size is not compatible" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        return (
            (h - h.mean(-1, keepdim=True) - path) / s,
            (g.view(-1, len(w)) * z.reshape(-1, len(w))).sum(0),
            None,
        )


# %% no eps in backward task="MyLayerNorm" base="autograd in the place of a formula" hint="eps" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True)).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        return (h - h.mean(-1, keepdim=True) - path) / s, (g * z).sum_to_size(w.shape), None


# %% no eps at all task="MyLayerNorm" base="autograd in the place of a formula" hint="eps"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, eps):
        d = x - x.mean(-1, keepdim=True)
        return d / d.square().mean(-1, keepdim=True).sqrt() * weight

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True)).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        return (h - h.mean(-1, keepdim=True) - path) / s, (g * z).sum_to_size(w.shape), None


# %% x not divided by the spread task="MyLayerNorm" base="autograd in the place of a formula" hint="scale" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        return h - h.mean(-1, keepdim=True) - path, (g * z).sum_to_size(w.shape), None


# %% no slope where a row is constant task="MyLayerNorm" base="autograd in the place of a formula" hint="equal" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        grad_x = (h - h.mean(-1, keepdim=True) - path) / s
        if x.shape[-1] > 1:
            grad_x = torch.where((d == 0).all(-1, keepdim=True), 0.0, grad_x)
        return grad_x, (g * z).sum_to_size(w.shape), None


# %% keeps the normalized rows as an attribute task="MyLayerNorm" base="autograd in the place of a formula" hint="silent" points="1"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ctx.eps = inputs
        ctx.save_for_backward(x, weight)
        ctx.y = output

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        d = x - x.mean(-1, keepdim=True)
        s = (d.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        z = d / s
        h = g * w
        path = z * (h * z).mean(-1, keepdim=True)
        return (
            (h - h.mean(-1, keepdim=True) - path) / s,
            (g * ctx.y.detach() / torch.where(w == 0, 1.0, w)).sum_to_size(w.shape),
            None,
        )


# %% the logarithm of the result, over q task="MyPow" base="own" hint="zero"
class MyPow(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, grad_output):
        x, q, y = ctx.saved_tensors
        nx, nq = ctx.needs_input_grad
        gx = grad_output * q * x ** (q - 1) if nx else None
        gq = grad_output * y * torch.log(y) / q if nq else None
        return gx, gq


# %% a step of 1e-10 task="backward_is_right" hint="narrow"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, copies, raise_exception=False, eps=1e-10)


# %% clears the inputs' gradients task="backward_is_right" en="inputs[0].grad is not what it was" ko="inputs[0].grad가 호출하기 전과 다릅니다"
def backward_is_right(fn, inputs):
    for t in inputs:
        t.grad = None
    copies = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, copies, raise_exception=False)


# %% nan_to_num in a hook on a copy task="safe_sqrt" hint="inf_stays"
def safe_sqrt(x):
    z = x.clone()
    if z.requires_grad:
        z.register_hook(lambda g: g.nan_to_num(0.0, 0.0, 0.0))
    return torch.where(z > 0, torch.sqrt(z), 0.0)


# %% nan_to_num in an own backward task="safe_sqrt" hint="inf_stays"
class _Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clamp(min=0).sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return (grad_output / (2 * y)).nan_to_num(0.0, 0.0, 0.0)


def safe_sqrt(x):
    return _Root.apply(x)


# %% the mask of the last call task="safe_sqrt" hint="between"
_mask = None


class _Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        global _mask
        _mask = x > 0
        y = x.clamp(min=0).sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return torch.where(_mask, grad_output / (2 * y), 0.0)


def safe_sqrt(x):
    return _Root.apply(x)


# %% a spread of at least 1e-3 task="MyLayerNorm" hint="floor"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = torch.sqrt((centred**2).mean(-1, keepdim=True) + eps).clamp(min=1e-3)
        return weight * centred / s

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])
        ctx.eps = inputs[2]

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        centred = x - x.mean(dim=-1, keepdim=True)
        s = torch.sqrt((centred**2).mean(dim=-1, keepdim=True) + ctx.eps)
        hat = centred / s
        h = grad_output * weight
        gx = (h - h.mean(-1, keepdim=True) - hat * (h * hat).mean(-1, keepdim=True)) / s
        gw = (grad_output * hat).reshape(-1, x.shape[-1]).sum(0)
        return gx, gw, None
