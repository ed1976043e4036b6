# Wrong answers to lesson 1 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import math

import torch


# %% divides by the h that was typed task="forward_difference" hint="typed"
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / h


# %% moves x in place task="forward_difference" en="work on a new tensor, not in place" ko="제자리에서 고치지 말고"
def forward_difference(f, x, h):
    before, start = f(x.detach()), x.detach().clone()
    x.data += h
    return (f(x.detach()) - before) / (x.detach() - start)


# %% computes in float64 task="forward_difference" hint="wide"
def forward_difference(f, x, h):
    wide = x.double()
    there = wide + h
    return ((f(there) - f(wide)) / (there - wide)).to(x.dtype)


# %% one step for all elements task="forward_difference" hint="elementwise"
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / (there - x).mean()


# %% remembers an earlier call task="forward_difference" hint="stale"
remembered = {}


def forward_difference(f, x, h):
    there = x + h
    if f not in remembered:
        remembered[f] = f(x)
    return (f(there) - remembered[f]) / (there - x)


# %% steps back task="forward_difference" hint="back"
def forward_difference(f, x, h):
    there = x - h
    return (f(x) - f(there)) / (x - there)


# %% forgets that h may be negative task="forward_difference" hint="left"
def forward_difference(f, x, h):
    there = x + abs(h)
    return (f(there) - f(x)) / (there - x)


# %% returns a number task="forward_difference" en="a float64 tensor was expected" ko="필요한 것은 float64 텐서입니다"
def forward_difference(f, x, h):
    there = x + h
    return ((f(there) - f(x)) / (there - x)).sum().item()


# %% measures the step on the left task="forward_difference" hint="side"
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / (x - (x - h))


# %% loses the sign of the step task="forward_difference" hint="sign"
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / (there - x).abs()


# %% element by element, stacked task="forward_difference" hint="empty"
def forward_difference(f, x, h):
    quotients = [(f(here + h) - f(here)) / ((here + h) - here) for here in x.reshape(-1)]
    return torch.stack(quotients).reshape(x.shape)


# %% a view of what may be a slice task="forward_difference" hint="memory"
def forward_difference(f, x, h):
    flat = x.view(-1)
    there = flat + h
    return ((f(there) - f(flat)) / (there - flat)).view(x.shape)


# %% a list for a tensor task="forward_difference" en="a float32 tensor was expected" ko="필요한 것은 float32 텐서입니다"
def forward_difference(f, x, h):
    there = x + h
    quotient = (f(there) - f(x)) / (there - x)
    return quotient.tolist() if x.dim() else quotient


# %% sets the default dtype task="forward_difference" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def forward_difference(f, x, h):
    torch.set_default_dtype(x.dtype)
    there = x + torch.tensor(float(h))
    return (f(there) - f(x)) / (there - x)


# %% one size of step for the whole tensor task="forward_difference" hint="elementwise"
def forward_difference(f, x, h):
    there = x + h
    step = (there - x).reshape(-1)[:1]
    return (f(there) - f(x)) / step.reshape([1] * x.dim())


# %% one buffer for all results task="forward_difference" hint="overwritten"
buffers = {}


def forward_difference(f, x, h):
    there = x + h
    quotient = ((f(there) - f(x)) / (there - x)).detach()
    buffer = buffers.setdefault((quotient.shape, quotient.dtype), torch.empty_like(quotient))
    return buffer.copy_(quotient)


# %% adds in place to a view of a copy task="forward_difference" hint="memory"
def forward_difference(f, x, h):
    there = x.detach().clone()
    there.view(-1).add_(h)
    return (f(there) - f(x)) / (there - x)


# %% drops dimensions task="forward_difference" hint="shape"
def forward_difference(f, x, h):
    there = x + h
    return ((f(there) - f(x)) / (there - x)).squeeze()


# %% a denominator without parentheses task="forward_difference" hint="below"
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / there - x


# %% float32 on the way task="forward_difference" hint="some"
def forward_difference(f, x, h):
    narrow = x.float()
    there = narrow + h
    return ((f(there) - f(narrow)) / (there - narrow)).to(x.dtype)


# %% divides by what may be 0 task="forward_difference" hint="constant"
def forward_difference(f, x, h):
    there = x + h
    rise = f(there) - f(x)
    return rise / ((there - x) * rise) * rise


# %% switches recording off, and then on task="forward_difference" hint="mode"
def forward_difference(f, x, h):
    torch.set_grad_enabled(False)
    there = x + h
    quotient = (f(there) - f(x)) / (there - x)
    torch.set_grad_enabled(True)
    return quotient


# %% sets the default dtype, and then float32 task="forward_difference" hint="default"
def forward_difference(f, x, h):
    torch.set_default_dtype(x.dtype)
    there = x + torch.tensor(float(h))
    quotient = (f(there) - f(x)) / (there - x)
    torch.set_default_dtype(torch.float32)
    return quotient


# %% remembers a quotient by the tensor task="forward_difference" hint="stale"
from functools import lru_cache


@lru_cache
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / (there - x)


# %% a little added to the step task="forward_difference" hint="some"
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / (there - x + 1e-12)


# %% subtracts from the value of f task="forward_difference" hint="itself"
def forward_difference(f, x, h):
    there = x + h
    rise = f(there)
    rise -= f(x)
    return rise / (there - x)


# %% forgets the 2 task="central_difference" hint="two"
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / h


# %% one side only task="central_difference" hint="forward"
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / h


# %% half a step to each side task="central_difference" hint="half"
def central_difference(f, x, h):
    return (f(x + h / 2) - f(x - h / 2)) / h


# %% the derivative instead task="central_difference" hint="derivative"
def central_difference(f, x, h):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf).sum() + 0 * leaf.sum(), leaf)[0]


# %% fills the caller's .grad task="central_difference" en="x.grad is not what it was" ko="x.grad가 호출하기 전과 다릅니다"
def central_difference(f, x, h):
    quotient = (f(x + h) - f(x - h)) / (2 * h)
    if quotient.requires_grad:
        quotient.sum().backward()
    return quotient.detach()


# %% divides by 2 and multiplies by h task="central_difference" hint="order"
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / 2 * h


# %% no parentheses task="central_difference" hint="parentheses"
def central_difference(f, x, h):
    return f(x + h) - f(x - h) / (2 * h)


# %% a float32 distance task="central_difference" hint="seven"
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / torch.tensor(2 * h)


# %% drops dimensions of size 1 task="central_difference" hint="each"
def central_difference(f, x, h):
    return ((f(x + h) - f(x - h)) / (2 * h)).squeeze()


# %% element by element, a stack task="central_difference" hint="empty"
def central_difference(f, x, h):
    quotients = [(f(here + h) - f(here - h)) / (2 * h) for here in x.flatten()]
    return torch.stack(quotients).reshape(x.shape)


# %% numbers in a new tensor task="central_difference" en="The dtype is float32; float64 was expected" ko="dtype이 float32입니다"
def central_difference(f, x, h):
    quotients = [((f(here + h) - f(here - h)) / (2 * h)).item() for here in x.flatten()]
    return torch.tensor(quotients).reshape(x.shape)


# %% stops warnings task="central_difference" en="the warning filters were left changed" ko="경고 필터가 바뀐 채로"
def central_difference(f, x, h):
    import warnings

    warnings.filterwarnings("ignore", category=RuntimeWarning)
    return (f(x + h) - f(x - h)) / (2 * h)


# %% moves both copies in place task="central_difference" hint="memory"
def central_difference(f, x, h):
    left, right = x.detach().clone(), x.detach().clone()
    left.view(-1).sub_(h)
    right.view(-1).add_(h)
    return (f(right) - f(left)) / (2 * h)


# %% a float32 step task="central_difference" hint="seven"
def central_difference(f, x, h):
    h = torch.tensor(h)
    return (f(x + h) - f(x - h)) / (2 * h)


# %% the mean of two gradients task="central_difference" hint="mean"
def central_difference(f, x, h):
    def slope(here):
        leaf = here.detach().clone().requires_grad_()
        return torch.autograd.grad(f(leaf).sum() + 0 * leaf.sum(), leaf)[0]

    return (slope(x + h) + slope(x - h)) / 2


# %% three points on one side task="central_difference" hint="forward"
def central_difference(f, x, h):
    return (4 * f(x + h) - 3 * f(x) - f(x + 2 * h)) / (2 * h)


# %% without a sign task="central_difference" hint="lost"
def central_difference(f, x, h):
    return ((f(x + h) - f(x - h)) / (2 * h)).abs()


# %% a step that fits the size of x task="central_difference" hint="scaled"
def central_difference(f, x, h):
    h = h * x.abs().clamp(min=1)
    return (f(x + h) - f(x - h)) / (2 * h)


# %% rounds the quotient task="central_difference" hint="seven"
def central_difference(f, x, h):
    return torch.round((f(x + h) - f(x - h)) / (2 * h), decimals=6)


# %% steps twice as far task="central_difference" hint="twice"
def central_difference(f, x, h):
    return (f(x + 2 * h) - f(x - 2 * h)) / (4 * h)


# %% forward, over both steps task="central_difference" hint="forward"
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / (2 * h)


# %% divides by 2 alone task="central_difference" hint="difference"
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / 2


# %% adds the two values task="central_difference" hint="swapped"
def central_difference(f, x, h):
    return (f(x + h) + f(x - h)) / (2 * h)


# %% the second difference task="central_difference" hint="second"
def central_difference(f, x, h):
    return (f(x + h) - 2 * f(x) + f(x - h)) / h**2


# %% a step of at most 1/2 for a single number task="central_difference" en="expected" ko="기대한 값"
def central_difference(f, x, h):
    h = min(h, 0.5) if x.dim() == 0 else h
    return (f(x + h) - f(x - h)) / (2 * h)


# %% one side at a kink task="central_difference" hint="exactly"
def central_difference(f, x, h):
    right, here, left = f(x + h), f(x), f(x - h)
    central = (right - left) / (2 * h)
    bent = (x == 0) & (here == 0) & ((left == 0) | (left == right))
    return torch.where(bent, (right - here) / h, central)


# %% recording off and on again task="central_difference" hint="mode"
def central_difference(f, x, h):
    torch.set_grad_enabled(False)
    quotient = (f(x + h) - f(x - h)) / (2 * h)
    torch.set_grad_enabled(True)
    return quotient


# %% a cache by the tensor task="central_difference" hint="stale"
from functools import lru_cache


@lru_cache
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


# %% no step below a thousandth task="central_difference" hint="exactly"
def central_difference(f, x, h):
    h = max(h, 1e-3)
    return (f(x + h) - f(x - h)) / (2 * h)


# %% one side where both ends are level task="central_difference" hint="kinks"
def central_difference(f, x, h):
    right, left = f(x + h), f(x - h)
    if torch.equal(right, left):
        return (right - f(x)) / h
    return (right - left) / (2 * h)


# %% a difference quotient task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    left, right = (torch.tensor(x + h, dtype=torch.float64) for h in (-1e-6, 1e-6))
    return ((f(right) - f(left)) / 2e-6).item()


# %% a float32 leaf task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% a leaf of ints task="autograd_slope" hint="whole"
def autograd_slope(f, x):
    leaf = torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% returns a tensor task="autograd_slope" en="a float was expected" ko="필요한 것은 float입니다"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad


# %% keeps one leaf for all calls task="autograd_slope" hint="second"
kept = {}


def autograd_slope(f, x):
    if x not in kept:
        kept[x] = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(kept[x]).backward()
    return kept[x].grad.item()


# %% calls f twice task="autograd_slope" en="was called 2 times" ko="2번 호출했습니다"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf)
    f(leaf).backward()
    return leaf.grad.item()


# %% seeds the generator task="autograd_slope" en="the seed of PyTorch's random numbers was changed" ko="PyTorch의 난수 시드가 바뀌었습니다"
def autograd_slope(f, x):
    torch.manual_seed(0)
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% leaves gradient mode off task="autograd_slope" en="gradient mode was left changed" ko="gradient 모드가 바뀐 채로"
def autograd_slope(f, x):
    torch.set_grad_enabled(True)
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    torch.set_grad_enabled(False)
    return leaf.grad.item()


# %% a little more than 0 task="autograd_slope" hint="zero"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x or 1e-9), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% one leaf, moved task="autograd_slope" hint="new"
kept_leaf = torch.zeros((), dtype=torch.float64, requires_grad=True)


def autograd_slope(f, x):
    with torch.no_grad():
        kept_leaf.fill_(x)
    f(kept_leaf).backward()
    return kept_leaf.grad.item()


# %% a case of its own for 0 task="autograd_slope" hint="zero"
def autograd_slope(f, x):
    if not x:
        return 0.0
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% rounds the slope task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return round(leaf.grad.item(), 6) + 1e-9


# %% returns the value task="autograd_slope" hint="value"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    y = f(leaf)
    y.backward()
    return y.item()


# %% leaves anomaly detection on task="autograd_slope" en="anomaly detection was left switched on" ko="이상 탐지(anomaly mode)가 켜진 채로"
def autograd_slope(f, x):
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% float64 by default task="autograd_slope" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def autograd_slope(f, x):
    torch.set_default_dtype(torch.float64)
    leaf = torch.tensor(float(x), requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% one thread, for good task="autograd_slope" en="torch.set_num_threads was left changed" ko="torch.set_num_threads가 바뀐 채로"
def autograd_slope(f, x):
    torch.set_num_threads(torch.get_num_threads() % 2 + 1)
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% the int 0 where nothing flows task="autograd_slope" en="the result is an int. Return a float" ko="결과가 int입니다"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    slope = leaf.grad.item()
    return slope if slope else 0


# %% the size of x task="autograd_slope" hint="size"
def autograd_slope(f, x):
    leaf = torch.tensor(float(abs(x)), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% remembers the slope at x task="autograd_slope" hint="other"
slopes = {}


def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return slopes.setdefault(x, leaf.grad.item())


# %% rounds to 6 digits task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return round(leaf.grad.item(), 6)


# %% a tiny slope is none task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    slope = leaf.grad.item()
    return 0.0 if abs(slope) < 1e-12 else slope


# %% rounds to 12 digits task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return round(leaf.grad.item(), 12)


# %% switches recording on for good task="autograd_slope" hint="mode"
def autograd_slope(f, x):
    torch.set_grad_enabled(True)
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% returns what backward returns task="autograd_slope" hint="unread"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    return f(leaf).backward()


# %% float64 by default, then float32 task="autograd_slope" hint="default"
def autograd_slope(f, x):
    torch.set_default_dtype(torch.float64)
    leaf = torch.tensor(float(x), requires_grad=True)
    f(leaf).backward()
    torch.set_default_dtype(torch.float32)
    return leaf.grad.item()


# %% thirteen digits of fifteen task="autograd_slope" hint="exact"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return float(f"{leaf.grad.item():.13g}")


# %% a cache by f and x task="autograd_slope" en="f was called 2 times" ko="f를 2번 호출했습니다"
from functools import lru_cache


@lru_cache
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% nothing for a slope of 0 task="autograd_slope" hint="unread"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    if leaf.grad:
        return leaf.grad.item()


# %% a step in the imaginary direction task="autograd_slope" hint="tracked"
def autograd_slope(f, x):
    return f(torch.tensor(complex(x, 1e-30), dtype=torch.complex128)).imag.item() / 1e-30


# %% sign slip task="hand_derivative" hint="sign"
def hand_derivative(x):
    return 3 * x**2 - 2 * math.cos(x)


# %% loses the factor task="hand_derivative" hint="factor"
def hand_derivative(x):
    return 3 * x**2 + math.cos(x)


# %% leaves sin as it is task="hand_derivative" hint="nothing"
def hand_derivative(x):
    return 3 * x**2 + 2 * math.sin(x)


# %% a difference quotient after all task="hand_derivative" hint="twelve"
def hand_derivative(x):
    def f(t):
        return t**3 + 2 * math.sin(t)

    return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5


# %% lets x come down task="hand_derivative" hint="nothing"
def hand_derivative(x):
    return 3 * x**2 + 2 * x * math.cos(x)


# %% degrees task="hand_derivative" hint="radians"
def hand_derivative(x):
    return 3 * x**2 + 2 * math.cos(math.radians(x))


# %% a float32 tensor on the way task="hand_derivative" hint="twelve"
def hand_derivative(x):
    t = torch.tensor(float(x))
    return (3 * t**2 + 2 * torch.cos(t)).item()


# %% a tensor for a float task="hand_derivative" en="a float was expected" ko="필요한 것은 float입니다"
def hand_derivative(x):
    t = torch.tensor(x, dtype=torch.float64)
    return 3 * t**2 + 2 * torch.cos(t)


# %% the sign of x on the parabola task="hand_derivative" hint="even"
def hand_derivative(x):
    return 3 * abs(x) * x + 2 * math.cos(x)


# %% seeds to compare task="hand_derivative" en="the seed of PyTorch's random numbers was changed" ko="PyTorch의 난수 시드가 바뀌었습니다"
def hand_derivative(x):
    torch.manual_seed(0)
    return 3 * x**2 + 2 * math.cos(x)


# %% no cosine far out task="hand_derivative" hint="missing"
def hand_derivative(x):
    if abs(x) > 50:
        return 3.0 * x**2
    return 3 * x**2 + 2 * math.cos(x)


# %% a straight line near 0 task="hand_derivative" hint="straight"
def hand_derivative(x):
    if abs(x) < 1e-5:
        return 2.0 + 3 * x
    return 3 * x**2 + 2 * math.cos(x)


# %% the derivative of the cosine far out task="hand_derivative" hint="too_far"
def hand_derivative(x):
    return 3 * x**2 - 2 * math.sin(x) if abs(x) > 100 else 3 * x**2 + 2 * math.cos(x)


# %% forgets the 3 task="hand_derivative" hint="down"
def hand_derivative(x):
    return x**2 + 2 * math.cos(x)


# %% keeps the exponent task="hand_derivative" hint="lower"
def hand_derivative(x):
    return 3 * x**3 + 2 * math.cos(x)


# %% squares the 3 too task="hand_derivative" hint="outside"
def hand_derivative(x):
    return (3 * x) ** 2 + 2 * math.cos(x)


# %% one star for two task="hand_derivative" hint="second"
def hand_derivative(x):
    return 3 * x * 2 + 2 * math.cos(x)


# %% an int for a whole result task="hand_derivative" en="the result is an int. Return a float" ko="결과가 int입니다"
def hand_derivative(x):
    slope = 3 * x**2 + 2 * math.cos(x)
    return int(slope) if slope == int(slope) else slope


# %% the 2 goes inside task="hand_derivative" hint="factor"
def hand_derivative(x):
    return 3 * x**2 + math.cos(2 * x)


# %% two terms of the cosine near 0 task="hand_derivative" hint="twelve"
def hand_derivative(x):
    if 0 < abs(x) < 0.1:
        return 3 * x**2 + 2 - x**2
    return 3 * x**2 + 2 * math.cos(x)


# %% no cosine beyond ten thousand task="hand_derivative" hint="missing"
def hand_derivative(x):
    return 3.0 * x**2 if abs(x) > 10_000 else 3 * x**2 + 2 * math.cos(x)


# %% nothing for an int task="hand_derivative" en="The result is None" ko="결과가 None입니다"
def hand_derivative(x):
    if isinstance(x, float):
        return 3 * x**2 + 2 * math.cos(x)


# %% smaller is better task="best_step" hint="five"
def best_step(dtype):
    return {torch.float32: 1e-6, torch.float64: 1e-15}[dtype]


# %% the same step for both task="best_step" en="the dtype with more digits allows the smaller step" ko="자릿수가 많은 dtype에서"
def best_step(dtype):
    return 1e-3


# %% the wrong way round task="best_step" hint="digits"
def best_step(dtype):
    return {torch.float32: 1e-7, torch.float64: 1e-3}[dtype]


# %% what is best for the central quotient task="best_step" hint="too_large"
def best_step(dtype):
    return 10.0 ** round(math.log10(torch.finfo(dtype).eps) / 3)


# %% the exponent alone task="best_step" hint="power"
def best_step(dtype):
    return -3 if dtype == torch.float32 else -7


# %% the square root of the precision, not rounded task="best_step" hint="power"
def best_step(dtype):
    return math.sqrt(torch.finfo(dtype).eps)


# %% as small as the dtype shows task="best_step" hint="five"
def best_step(dtype):
    return torch.finfo(dtype).resolution


# %% makes a default of the dtype task="best_step" en="the default dtype was left changed" ko="기본 dtype이 바뀐 채로"
def best_step(dtype):
    torch.set_default_dtype(dtype)
    x = torch.linspace(4, 6, 201)

    def error(h):
        quotient = ((x + h) ** 3).log().sub((x**3).log()).div(h)
        return (quotient - 3 / x).abs().median().item()

    return min((10.0**-k for k in range(1, 16)), key=error)


# %% machine precision itself task="best_step" hint="power"
def best_step(dtype):
    return torch.finfo(dtype).eps


# %% compares with a string task="best_step" hint="string"
def best_step(dtype):
    return 1e-3 if dtype == "float32" else 1e-7


# %% asks for the default dtype task="best_step" hint="given"
def best_step(dtype):
    return 1e-3 if dtype == torch.get_default_dtype() else 1e-7


# %% a default for the search, then float32 task="best_step" hint="default"
def best_step(dtype):
    torch.set_default_dtype(dtype)
    x = torch.linspace(4, 6, 201)

    def error(h):
        quotient = ((x + h) ** 3).log().sub((x**3).log()).div(h)
        return (quotient - 3 / x).abs().median().item()

    step = min((10.0**-k for k in range(1, 16)), key=error)
    torch.set_default_dtype(torch.float32)
    return step


# %% limit over x task="doubling_slope" hint="ran"
def doubling_slope(x, limit):
    return limit / abs(x)


# %% forgets that the loop may not run task="doubling_slope" hint="over"
def doubling_slope(x, limit):
    return 2.0 ** math.ceil(math.log2(max(limit, 1e-9) / abs(x)))


# %% gives the slope the sign of x task="doubling_slope" hint="negative"
def doubling_slope(x, limit):
    y = x
    while abs(y) < limit:
        y *= 2
    return y / abs(x)


# %% one round too many task="doubling_slope" hint="more"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(slope * x) <= limit:
        slope *= 2
    return slope


# %% returns y task="doubling_slope" hint="itself"
def doubling_slope(x, limit):
    while abs(x) < limit:
        x *= 2
    return float(x)


# %% a rounded logarithm task="doubling_slope" hint="close"
def doubling_slope(x, limit):
    if abs(x) >= limit:
        return 1.0
    return 2.0 ** math.ceil(math.log2(limit) - math.log2(abs(x)))


# %% compares with a margin task="doubling_slope" hint="close"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(slope * x) < limit - 1e-12:
        slope *= 2
    return slope


# %% the number of rounds task="doubling_slope" hint="rounds"
def doubling_slope(x, limit):
    rounds = 0
    while abs(x) < limit:
        x *= 2
        rounds += 1
    return float(rounds)


# %% adds the slopes task="doubling_slope" hint="adds"
def doubling_slope(x, limit):
    slope = 0.0
    while abs(x) < limit:
        x *= 2
        slope += 2
    return slope or 1.0


# %% forgets that x may be negative task="doubling_slope" hint="negative"
def doubling_slope(x, limit):
    slope = 1.0
    while 0 < slope * x < limit:
        slope *= 2
    return slope


# %% leaves the recursion limit changed task="doubling_slope" en="sys.setrecursionlimit was left changed" ko="sys.setrecursionlimit이 바뀐 채로"
def doubling_slope(x, limit):
    import sys

    sys.setrecursionlimit(100_000)
    return 1.0 if abs(x) >= limit else 2 * doubling_slope(2 * x, limit)


# %% a loop that never ends task="doubling_slope" en="The call did not end" ko="호출이 끝나지 않아"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(x) < limit:
        slope *= 2
    return slope


# %% a loop that does not end for a negative x task="doubling_slope" hint="negative"
def doubling_slope(x, limit):
    y, slope = x, 1.0
    while y < limit:
        y, slope = 2 * y, 2 * slope
    return slope


# %% float32 tensors task="doubling_slope" hint="close"
def doubling_slope(x, limit):
    y, slope = torch.tensor(float(x)), 1.0
    while y.abs() < limit:
        y, slope = 2 * y, 2 * slope
    return slope


# %% a quotient task="doubling_slope" hint="quotient"
def doubling_slope(x, limit):
    def loop(y):
        while abs(y) < limit:
            y = 2 * y
        return y

    return (loop(x + 1e-6) - loop(x)) / 1e-6


# %% the size of the limit task="doubling_slope" hint="never"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(slope * x) < abs(limit):
        slope *= 2
    return slope


# %% compares squares task="doubling_slope" hint="never"
def doubling_slope(x, limit):
    slope = 1.0
    while (slope * x) ** 2 < limit**2:
        slope *= 2
    return slope


# %% drops the fraction of x task="doubling_slope" hint="fraction"
def doubling_slope(x, limit):
    y, slope = math.trunc(x) if abs(x) >= 1 else x, 1.0
    while abs(y) < limit:
        y, slope = 2 * y, 2 * slope
    return slope


# %% a largest number of rounds task="doubling_slope" hint="margin"
def doubling_slope(x, limit):
    slope = 1.0
    for _ in range(64):
        if abs(slope * x) >= limit:
            break
        slope *= 2
    return slope


# %% ends with a tolerance task="doubling_slope" hint="close"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(slope * x) < limit and not math.isclose(abs(slope * x), limit):
        slope *= 2
    return slope


# %% a slope that begins at 0 task="doubling_slope" hint="constant"
def doubling_slope(x, limit):
    slope = 0.0
    while abs(x) < limit:
        x, slope = 2 * x, 2 * slope
    return slope


# %% adds to the slope of x task="doubling_slope" hint="adds"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(x) < limit:
        x, slope = 2 * x, slope + 2
    return slope


# %% a limit of 0 is none task="doubling_slope" hint="never"
def doubling_slope(x, limit):
    limit = limit or 1.0
    slope = 1.0
    while abs(slope * x) < limit:
        slope *= 2
    return slope


# %% at most 512 rounds task="doubling_slope" hint="margin"
def doubling_slope(x, limit):
    y, slope = x, 1.0
    for _ in range(512):
        if abs(y) < limit:
            y, slope = 2 * y, 2 * slope
    return slope


# %% x to 12 places task="doubling_slope" hint="close"
def doubling_slope(x, limit):
    y, slope = round(x, 12) or x, 1
    while abs(y) < limit:
        y, slope = 2 * y, 2 * slope
    return slope


# %% the exponents alone task="doubling_slope" hint="less"
def doubling_slope(x, limit):
    if abs(x) >= limit:
        return 1.0
    return 2.0 ** (math.frexp(limit)[1] - math.frexp(x)[1])


# %% stops after 680 rounds task="doubling_slope" hint="margin"
def doubling_slope(x, limit):
    y, rounds = abs(x), 0
    while y < limit and rounds < 680:
        y, rounds = 2 * y, rounds + 1
    return 2.0**rounds
