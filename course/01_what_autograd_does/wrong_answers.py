# Misconceptions of lesson 1. Each must lose its task, and be told why in the words given here.

# %%
import math

import torch

# %% divides by the h that was typed task="forward_difference" en="divide by the step really taken" ko="실제로 움직인 만큼"
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / h


# %% moves x in place task="forward_difference" en="work on a new tensor, not in place" ko="제자리에서 고치지 말고"
def forward_difference(f, x, h):
    before, start = f(x.detach()), x.detach().clone()
    x.data += h
    return (f(x.detach()) - before) / (x.detach() - start)


# %% computes in float64 task="forward_difference" en="stay in the dtype of x" ko="x의 dtype 그대로"
def forward_difference(f, x, h):
    wide = x.double()
    there = wide + h
    return ((f(there) - f(wide)) / (there - wide)).to(x.dtype)


# %% one step for all elements task="forward_difference" en="each element has its own quotient" ko="원소마다 차분몫도"
def forward_difference(f, x, h):
    there = x + h
    return (f(there) - f(x)) / (there - x).mean()


# %% remembers an earlier call task="forward_difference" en="kept from the call before" ko="앞의 호출에서 남겨 둔"
remembered = {}


def forward_difference(f, x, h):
    there = x + h
    if f not in remembered:
        remembered[f] = f(x)
    return (f(there) - remembered[f]) / (there - x)


# %% steps back task="forward_difference" en="you stepped back" ko="물러났습니다"
def forward_difference(f, x, h):
    there = x - h
    return (f(x) - f(there)) / (x - there)


# %% forgets that h may be negative task="forward_difference" en="h may be negative" ko="h는 음수일 수 있습니다"
def forward_difference(f, x, h):
    there = x + abs(h)
    return (f(there) - f(x)) / (there - x)


# %% returns a number task="forward_difference" en="a float64 tensor was expected" ko="필요한 것은 float64 텐서입니다"
def forward_difference(f, x, h):
    there = x + h
    return ((f(there) - f(x)) / (there - x)).sum().item()


# %% forgets the 2 task="central_difference" en="the 2 is missing below the fraction bar" ko="분모에 2가 빠졌습니다"
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / h


# %% one side only task="central_difference" en="this is the forward quotient" ko="전방 차분몫입니다"
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / h


# %% half a step to each side task="central_difference" en="step the whole h on each side" ko="양쪽으로 각각 h만큼"
def central_difference(f, x, h):
    return (f(x + h / 2) - f(x - h / 2)) / h


# %% the derivative instead task="central_difference" en="this is the derivative itself" ko="이것은 미분계수입니다"
def central_difference(f, x, h):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf).sum() + 0 * leaf.sum(), leaf)[0]


# %% fills the caller's .grad task="central_difference" en="x.grad is not what it was" ko="x.grad가 부르기 전과 다릅니다"
def central_difference(f, x, h):
    quotient = (f(x + h) - f(x - h)) / (2 * h)
    if quotient.requires_grad:
        quotient.sum().backward()
    return quotient.detach()


# %% a difference quotient task="autograd_slope" en="is it float32, or a quotient?" ko="float32이거나 차분몫 아닌가요?"
def autograd_slope(f, x):
    left, right = (torch.tensor(x + h, dtype=torch.float64) for h in (-1e-6, 1e-6))
    return ((f(right) - f(left)) / 2e-6).item()


# %% a float32 leaf task="autograd_slope" en="is it float32, or a quotient?" ko="float32이거나 차분몫 아닌가요?"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% a leaf of ints task="autograd_slope" en="a tensor of ints can't be tracked" ko="정수 텐서는 추적할 수 없습니다"
def autograd_slope(f, x):
    leaf = torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()


# %% returns a tensor task="autograd_slope" en="a float was expected" ko="필요한 것은 float입니다"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad


# %% keeps one leaf for all calls task="autograd_slope" en=".grad adds up" ko=".grad는 쌓이므로"
kept = {}


def autograd_slope(f, x):
    if x not in kept:
        kept[x] = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(kept[x]).backward()
    return kept[x].grad.item()


# %% calls f twice task="autograd_slope" en="was called 2 times" ko="2번 불렀습니다"
def autograd_slope(f, x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf)
    f(leaf).backward()
    return leaf.grad.item()


# %% seeds the generator task="autograd_slope" en="the random state was changed" ko="난수 상태가 바뀌었습니다"
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


# %% sign slip task="hand_derivative" en="a sign slip" ko="부호를 확인하세요"
def hand_derivative(x):
    return 3 * x**2 - 2 * math.cos(x)


# %% loses the factor task="hand_derivative" en="the factor 2 in front of sin stays" ko="sin 앞의 2는"
def hand_derivative(x):
    return 3 * x**2 + math.cos(x)


# %% leaves sin as it is task="hand_derivative" en="is sin still there" ko="sin이 그대로 있거나"
def hand_derivative(x):
    return 3 * x**2 + 2 * math.sin(x)


# %% a difference quotient after all task="hand_derivative" en="right to 12 digits" ko="12자리까지"
def hand_derivative(x):
    def f(t):
        return t**3 + 2 * math.sin(t)

    return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5


# %% lets x come down task="hand_derivative" en="did an x slip in as a factor" ko="x를 곱하지 않았나요"
def hand_derivative(x):
    return 3 * x**2 + 2 * x * math.cos(x)


# %% smaller is better task="best_step" en="smaller is not better" ko="작을수록 좋은 것이 아닙니다"
def best_step(dtype):
    return {torch.float32: 1e-6, torch.float64: 1e-15}[dtype]


# %% the same step for both task="best_step" en="h is still too large for this dtype" ko="이 dtype에서는 h가 아직 너무 큽니다"
def best_step(dtype):
    return 1e-3


# %% machine precision itself task="best_step" en="return a power of ten" ko="10의 거듭제곱을 float"
def best_step(dtype):
    return torch.finfo(dtype).eps


# %% limit over x task="doubling_slope" en="is not what ran" ko="실제로 실행된 계산이 아닙니다"
def doubling_slope(x, limit):
    return limit / abs(x)


# %% forgets that the loop may not run task="doubling_slope" en="the loop does not run at all" ko="한 번도 돌지 않고"
def doubling_slope(x, limit):
    return 2.0 ** math.ceil(math.log2(max(limit, 1e-9) / abs(x)))


# %% gives the slope the sign of x task="doubling_slope" en="(a positive number) times x" ko="(양수) × x"
def doubling_slope(x, limit):
    y = x
    while abs(y) < limit:
        y *= 2
    return y / abs(x)


# %% one round too many task="doubling_slope" en="one round too many" ko="한 번 더 돌았습니다"
def doubling_slope(x, limit):
    slope = 1.0
    while abs(slope * x) <= limit:
        slope *= 2
    return slope


# %% returns y task="doubling_slope" en="this is y itself" ko="y의 값입니다"
def doubling_slope(x, limit):
    while abs(x) < limit:
        x *= 2
    return float(x)
