# Right answers to the tasks of lesson 1, in styles other than the course's own. Each must get full points.

# %%
import math

import torch


# %% takes the step first task="forward_difference"
def forward_difference(f, x, h):
    step = (x + h) - x
    return (f(x + step) - f(x)) / step


# %% without tracking task="forward_difference"
@torch.no_grad()
def forward_difference(f, x, h):
    there = torch.add(x, h)
    rise, run = f(there).sub(f(x)), there.sub(x)
    return rise.div(run)


# %% with a helper whose name a test might use task="forward_difference"
def secant(f, a, b):
    return (f(b) - f(a)) / (b - a)


value = compare = quotients = None


def forward_difference(f, x, h):
    return secant(f, x, x + h)


# %% element by element task="forward_difference"
def forward_difference(f, x, h):
    quotients = torch.empty(x.shape, dtype=x.dtype)
    flat = x.detach().reshape(-1)
    for position, here in enumerate(flat):
        there = here + h
        quotients.view(-1)[position] = ((f(there) - f(here)) / (there - here)).detach()
    return quotients


# %% the step in the dtype of x task="forward_difference"
def forward_difference(f, x, h):
    there = x + torch.full_like(x, h)
    return torch.true_divide(f(there) - f(x), there - x)


# %% moves a copy in place task="forward_difference"
def forward_difference(f, x, h):
    there = x.detach().clone()
    there += h
    return (f(there) - f(x)) / (there - x)


# %% the mean of both sides task="central_difference"
def central_difference(f, x, h):
    here = f(x)
    return ((f(x + h) - here) / h + (here - f(x - h)) / h) / 2


# %% by the distance really taken task="central_difference"
def central_difference(f, x, h):
    left, right = x - h, x + h
    return (f(right) - f(left)) / (right - left)


# %% two halves task="central_difference"
def central_difference(f, x, h):
    return f(x + h) / (2 * h) - f(x - h) / (2 * h)


# %% both points in one tensor task="central_difference"
def central_difference(f, x, h):
    right, left = f(torch.stack([x + h, x - h]))
    return (right - left) / torch.tensor(2.0 * h, dtype=x.dtype)


# %% float64 on the way task="central_difference"
def central_difference(f, x, h):
    wide = x.double()
    return ((f(wide + h) - f(wide - h)) / (2 * h)).to(x.dtype)


# %% autograd.grad task="autograd_slope"
def autograd_slope(f, x):
    leaf = torch.scalar_tensor(x, dtype=torch.float64).requires_grad_(True)
    (slope,) = torch.autograd.grad(f(leaf), leaf)
    return float(slope)


# %% a tensor of one number, kept apart from the caller's mode task="autograd_slope"
def autograd_slope(f, x):
    with torch.enable_grad():
        leaf = torch.zeros((), dtype=torch.float64).fill_(x).requires_grad_()
        y = f(leaf)
    y.backward()
    return leaf.grad.tolist()


# %% a tensor of one dimension task="autograd_slope"
def autograd_slope(f, x):
    leaf = torch.tensor([x], dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% a jacobian of one number task="autograd_slope"
def autograd_slope(f, x):
    return torch.autograd.functional.jacobian(f, torch.tensor(x, dtype=torch.float64)).item()


# %% a setting put back task="autograd_slope"
def autograd_slope(f, x):
    with torch.autograd.set_detect_anomaly(True), torch.random.fork_rng():
        torch.manual_seed(0)
        leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
        f(leaf).backward()
    return leaf.grad.item()


# %% autograd after all task="hand_derivative"
def hand_derivative(x):
    t = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    (t**3 + 2 * torch.sin(t)).backward()
    return t.grad.item()


# %% term by term task="hand_derivative"
def hand_derivative(x):
    return math.fsum((3.0 * x * x, math.cos(x), math.cos(x)))


# %% the square root of the precision task="best_step"
def best_step(dtype):
    return 10.0 ** round(math.log10(math.sqrt(torch.finfo(dtype).eps)))


# %% by the formula task="best_step"
def best_step(dtype):
    u = torch.finfo(dtype).eps / 2
    return 10.0 ** round(math.log10(2 * math.sqrt(40 * u)))


# %% read off the explorer task="best_step"
def best_step(dtype):
    return 1e-3 if dtype == torch.float32 else 1e-6


# %% a search task="best_step"
def best_step(dtype):
    x = torch.linspace(4, 6, 301, dtype=dtype)

    def error(h):
        quotient = ((x + h) ** 3).log().sub((x**3).log()).div(h)
        return (quotient - 3 / x).abs().median().item()

    return min((10.0**-k for k in range(1, 16)), key=error)


# %% a search over tensors task="best_step"
def best_step(dtype):
    steps = torch.logspace(-1, -15, 15)
    x = torch.linspace(4, 6, 201, dtype=dtype)
    errors = [(((x + h) ** 3).log() - (x**3).log()).div(h).sub(3 / x).abs().median() for h in steps.tolist()]
    return steps[torch.stack(errors).argmin()].item()


# %% counts the rounds task="doubling_slope"
def doubling_slope(x, limit):
    rounds = 0
    while abs(x) * 2**rounds < limit:
        rounds += 1
    return float(2**rounds)


# %% recursion, a whole number task="doubling_slope"
def doubling_slope(x, limit):
    return 1 if abs(x) >= limit else 2 * doubling_slope(2 * x, limit)


# %% by the exponents of both numbers task="doubling_slope"
def doubling_slope(x, limit):
    if abs(x) >= limit:
        return 1.0
    (fraction, exponent), (other, most) = math.frexp(abs(x)), math.frexp(limit)
    return math.ldexp(1.0, most - exponent + (other > fraction))


# %% a tensor after all task="doubling_slope"
def doubling_slope(x, limit):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    y = 1 * leaf
    while y.abs() < limit:
        y = 2 * y
    y.backward()
    return leaf.grad.item()


# %% more rounds than the task has task="doubling_slope"
def doubling_slope(x, limit):
    slope = 1
    for _ in range(1000):
        if abs(slope * x) >= limit:
            break
        slope *= 2
    return slope


# %% how often half of it fits task="doubling_slope"
def doubling_slope(x, limit):
    ratio, slope = limit / abs(x), 1.0
    while ratio > 1:
        ratio, slope = ratio / 2, 2 * slope
    return slope


# %% passes a gradient to backward task="autograd_slope"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward(torch.tensor(1.0, dtype=torch.float64))
    return leaf.grad.item()


# %% doubles a tracked tensor and passes a gradient task="doubling_slope"
def doubling_slope(x, limit):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    y = leaf * 1
    while y.abs() < limit:
        y = 2 * y
    y.backward(torch.ones_like(y))
    return leaf.grad.item()
