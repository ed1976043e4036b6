# Right answers to the tasks of lesson 8, in styles other than the course's own. Each must get full points.

# %%
import torch


# %% the first style task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx, grad_output):
        x, q = ctx.saved_tensors
        needs_x, needs_q = ctx.needs_input_grad
        return grad_output * q * x ** (
            q - 1
        ) if needs_x else None, grad_output * x**q * x.log() if needs_q else None


# %% saves the result too task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(x, q):
        return torch.pow(x, q)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, grad_output):
        x, q, y = ctx.saved_tensors
        gradients = [None, None]
        if ctx.needs_input_grad[0]:
            gradients[0] = grad_output * y * q / x
        if ctx.needs_input_grad[1]:
            gradients[1] = grad_output * y * torch.log(x)
        return tuple(gradients)


# %% saves slopes, only those that are needed task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        y = x**q
        slopes = [
            q * x ** (q - 1) if ctx.needs_input_grad[0] else None,
            y * torch.log(x) if ctx.needs_input_grad[1] else None,
        ]
        ctx.save_for_backward(*slopes)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(None if slope is None else grad_output * slope for slope in ctx.saved_tensors)


# %% once differentiable, copies on ctx task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.x, ctx.q = x.detach().clone(), q.detach().clone()
        return x.pow(q)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = ctx.q * ctx.x.pow(ctx.q - 1) * grad_output
        if ctx.needs_input_grad[1]:
            grad_q = ctx.x.pow(ctx.q) * ctx.x.log() * grad_output
        return grad_x, grad_q


# %% a factor of both, computed once task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx, grad_output):
        x, q = ctx.saved_tensors
        shared = grad_output * x ** (q - 1)
        grad_x = shared * q if ctx.needs_input_grad[0] else None
        grad_q = shared * x * torch.log(x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_q


# %% catches the error task="backward_is_right"
def backward_is_right(fn, inputs):
    copies = []
    for t in inputs:
        copies.append(t.detach().to(torch.float64).contiguous().clone().requires_grad_(True))
    try:
        return torch.autograd.gradcheck(fn, tuple(copies))
    except RuntimeError:
        return False


# %% by way of lists task="backward_is_right"
def backward_is_right(fn, inputs):
    doubles = tuple(torch.tensor(t.tolist(), dtype=torch.float64, requires_grad=True) for t in inputs)
    return bool(torch.autograd.gradcheck(fn, doubles, raise_exception=False))


# %% fast mode switched off in words task="backward_is_right"
def backward_is_right(fn, inputs):
    doubles = tuple(t.detach().double().clone() for t in inputs)
    for t in doubles:
        t.requires_grad = True
    return torch.autograd.gradcheck(
        fn, doubles, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=False, fast_mode=False
    )


# %% quotients by hand task="backward_is_right"
def backward_is_right(fn, inputs):
    doubles = [t.detach().double().clone().requires_grad_() for t in inputs]
    y = fn(*doubles)
    for weight in (1.0, -2.0):
        for row in range(y.numel()):
            g = torch.zeros(y.numel(), dtype=torch.float64)
            g[row] = weight
            slopes = torch.autograd.grad(y, doubles, g.reshape(y.shape), retain_graph=True, allow_unused=True)
            for i, (t, slope) in enumerate(zip(doubles, slopes, strict=True)):
                slope = torch.zeros_like(t) if slope is None else slope
                for k in range(t.numel()):
                    ends = []
                    for h in (1e-6, -1e-6):
                        moved = [other.detach().clone() for other in doubles]
                        moved[i].view(-1)[k] += h
                        ends.append(fn(*moved).reshape(-1)[row].item())
                    quotient = weight * (ends[0] - ends[1]) / 2e-6
                    if not abs(quotient - slope.reshape(-1)[k].item()) <= 1e-5 + 1e-3 * abs(quotient):
                        return False
    return True


# %% the first style, with logaddexp task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + torch.exp(-x))


# %% minus the logarithm of a sigmoid task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return -torch.nn.functional.logsigmoid(-x)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.sigmoid(ctx.saved_tensors[0]) * grad_output


# %% two cases, the slope saved task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        small = torch.exp(-x.abs())
        ctx.save_for_backward(torch.where(x > 0, 1.0, small) / (1 + small))
        return torch.where(x > 0, x + torch.log1p(small), torch.log1p(small))

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


# %% from its own result, with expm1 task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.nn.functional.relu(x) + (-x.abs()).exp().log1p()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return -torch.expm1(-y) * grad_output


# %% torch's softplus forward task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.nn.functional.softplus(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)


# %% writes the roots into zeros task="safe_sqrt"
def safe_sqrt(x):
    result = torch.zeros_like(x)
    positive = x > 0
    result[positive] = x[positive].sqrt()
    return result


# %% a Function of its own task="safe_sqrt"
class _Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sqrt(x.clamp(min=0))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return torch.where(y > 0, g / (2 * y), torch.zeros_like(g))


def safe_sqrt(x):
    return _Root.apply(x)


# %% masked_fill twice task="safe_sqrt"
def safe_sqrt(x):
    outside = ~(x > 0)
    return x.masked_fill(outside, 1.0).sqrt().masked_fill(outside, 0.0)


# %% a relu first, whose backward masks and does not multiply task="safe_sqrt"
def safe_sqrt(x):
    return torch.sqrt(torch.relu(x))


# %% ones_like and zeros_like task="safe_sqrt"
def safe_sqrt(x):
    ok = x > 0
    return torch.where(ok, torch.where(ok, x, torch.ones_like(x)) ** 0.5, torch.zeros_like(x))


# %% autograd is asked task="at_the_kink"
def at_the_kink():
    functions = {
        "relu": torch.relu,
        "where0": lambda x: torch.where(x >= 0, x, 0.0),
        "maximum0": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "abs": torch.abs,
        "relu(x)-relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
    }
    slopes = {}
    for name, f in functions.items():
        x = torch.tensor(0.0, requires_grad=True)
        f(x).backward()
        slopes[name] = x.grad.item()
    return slopes


# %% torch.func, in float64 task="at_the_kink"
def at_the_kink():
    def slope(f):
        return float(torch.func.grad(f)(torch.zeros((), dtype=torch.float64)))

    return dict(
        [
            ("relu(x)-relu(-x)", slope(lambda x: torch.relu(x) - torch.relu(-x))),
            ("abs", slope(torch.abs)),
            ("maximum0", slope(lambda x: torch.maximum(x, torch.zeros_like(x)))),
            ("where0", slope(lambda x: torch.where(x >= 0, x, 0.0))),
            ("relu", slope(torch.relu)),
        ]
    )


# %% from 0 and 1 task="at_the_kink"
def at_the_kink():
    zeros = dict.fromkeys(["relu", "abs", "relu(x)-relu(-x)"], 0.0)
    return {**zeros, "where0": 1.0, "maximum0": 1 / 2}


# %% minus zero task="at_the_kink"
def at_the_kink():
    names = "relu", "where0", "maximum0", "abs", "relu(x)-relu(-x)"
    return dict(zip(names, (0.0, 1.0, 0.5, 0.0, -0.0), strict=True))


# %% saves the normalized rows, step by step back task="MyLayerNorm"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        scale = torch.rsqrt(variance + eps)
        normal = (x - mean) * scale
        ctx.save_for_backward(normal, scale, weight)
        return normal * weight

    @staticmethod
    def backward(ctx, grad_output):
        normal, scale, weight = ctx.saved_tensors
        h = grad_output * weight
        grad_scale = (h * normal / scale).sum(-1, keepdim=True)
        grad_variance = -0.5 * scale**3 * grad_scale
        grad_centred = h * scale + grad_variance * 2 * normal / scale / normal.shape[-1]
        grad_x = grad_centred - grad_centred.mean(-1, keepdim=True)
        return (
            grad_x,
            (grad_output * normal).flatten(0, -2).sum(0) if grad_output.ndim > 1 else (grad_output * normal),
            None,
        )


# %% leaves the sum over rows to torch, and needless gradients out task="MyLayerNorm"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, eps):
        return torch.nn.functional.layer_norm(x, weight.shape, weight, eps=eps)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ctx.eps = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        n = x.shape[-1]
        centred = x - x.sum(-1, keepdim=True) / n
        s = (centred.pow(2).sum(-1, keepdim=True) / n + ctx.eps) ** 0.5
        normal = centred / s
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            h = g * weight / s
            grad_x = h - (h.sum(-1, keepdim=True) + normal * (h * normal).sum(-1, keepdim=True)) / n
        if ctx.needs_input_grad[1]:
            grad_weight = g * normal
        return grad_x, grad_weight, None


# %% the Jacobian of a row task="MyLayerNorm"
class MyLayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        centred = x - x.mean(-1, keepdim=True)
        s = torch.sqrt((centred * centred).mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(centred / s, s, weight)
        return centred / s * weight

    @staticmethod
    def backward(ctx, g):
        normal, s, weight = ctx.saved_tensors
        n = weight.numel()
        outer = normal.unsqueeze(-1) * normal.unsqueeze(-2)
        jacobian = (torch.eye(n, dtype=g.dtype) - 1 / n - outer / n) / s.unsqueeze(-1)
        grad_x = ((g * weight).unsqueeze(-2) @ jacobian).squeeze(-2)
        return grad_x, torch.einsum("...j,...j->j", g, normal), None


# %% forward by numpy task="MyPow"
class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(x, q):
        return torch.as_tensor(x.detach().numpy() ** q.detach().numpy(), dtype=x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, q = ctx.saved_tensors
        grad_x = grad_output * q * x ** (q - 1) if ctx.needs_input_grad[0] else None
        return grad_x, grad_output * x**q * x.log() if ctx.needs_input_grad[1] else None


# %% the root of relu, which keeps out every gradient task="safe_sqrt"
def safe_sqrt(x):
    return torch.sqrt(torch.relu(x))


# %% a list of copies task="backward_is_right"
def backward_is_right(fn, inputs):
    copies = [t.detach().clone(memory_format=torch.contiguous_format).double() for t in inputs]
    return torch.autograd.gradcheck(fn, [copy.requires_grad_() for copy in copies], raise_exception=False)


# %% contiguous in the place of clone task="backward_is_right"
def backward_is_right(fn, inputs):
    copies = tuple(t.detach().double().contiguous().requires_grad_() for t in inputs)
    return torch.autograd.gradcheck(fn, copies, raise_exception=False)


# %% a mask times a safe root task="safe_sqrt"
def safe_sqrt(x):
    positive = x > 0
    return torch.sqrt(torch.where(positive, x, 1.0)) * positive


# %% the slope as e^(x - y) task="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return -torch.nn.functional.logsigmoid(-x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * torch.exp(x - y)


# %% ints among the floats task="at_the_kink"
def at_the_kink():
    return {"relu": 0, "where0": 1, "maximum0": 0.5, "abs": 0, "relu(x)-relu(-x)": 0}


# %% a floor under what goes in task="safe_sqrt"
def safe_sqrt(x):
    return torch.where(x > 0, torch.sqrt(x.clamp(min=1e-30)), 0.0)


# %% adds the smallest float task="safe_sqrt"
def safe_sqrt(x):
    return torch.sqrt(torch.relu(x) + torch.finfo(x.dtype).tiny) * (x > 0)


# %% takes numbers below the smallest normal one for 0 task="safe_sqrt"
def safe_sqrt(x):
    ok = x > torch.finfo(x.dtype).tiny
    return torch.where(ok, torch.sqrt(torch.where(ok, x, 1.0)), 0.0)


# %% a floor at the smallest normal number task="safe_sqrt"
def safe_sqrt(x):
    positive = x > 0
    inside = torch.where(positive, x, 1.0).clamp(min=torch.finfo(x.dtype).tiny)
    return torch.where(positive, torch.sqrt(inside), 0.0)
