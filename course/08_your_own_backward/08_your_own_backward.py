# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Writing your own backward and checking it

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · Function, gradcheck, subgradient

**After this lesson you can**

- write an operation with its own backward: several outputs, options, a reduction;
- check a backward with `gradcheck`, and say what a passed check does not prove;
- say what autograd returns at a kink, and why two equal functions can get two answers;
- rewrite a formula that is right on paper but gives `inf` or `nan` in floating point.

You need lesson 7 (saved tensors, the version counter, hooks), lesson 5 (the VJP, `torch.func`) and lesson 1 (the central quotient).
"""

# %% [markdown] lang="ko" en="60310934"
r"""
# 나만의 backward 만들고 검사하기

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · Function, gradcheck, subgradient

**이 수업을 마치면**

- 출력이 여럿이거나 옵션이 있거나 원소를 합치는 연산을 backward까지 직접 만들 수 있습니다.
- `gradcheck`로 backward를 검사하고, 검사를 통과해도 증명되지 않는 것이 무엇인지 말할 수 있습니다.
- 꺾인 점에서 autograd가 어떤 값을 내는지, 똑같은 두 함수에서 왜 서로 다른 값이 나올 수 있는지 설명할 수 있습니다.
- 종이 위에서는 맞지만 부동소수점으로 계산하면 `inf`나 `nan`이 되는 식을 고쳐 쓸 수 있습니다.

수업 07(저장된 텐서, 버전 카운터, hook), 수업 05(VJP, `torch.func`), 수업 01(중앙 차분몫)의 내용이 필요합니다.
"""

# %%
import warnings

import torch
from torch.autograd import Function, gradcheck

from secant import expect_error, explore_backward, language, predict, predicted, say

language("en")

# %% [markdown] lang="en"
r"""
## First look

This is $5^x$, computed by an operation with a hand-written backward. Each secant has the slope of a difference quotient: *forward* from $x$ to $x + h$, *backward* from $x - h$ to $x$ (a direction, not
`backward()`), and *central* from $x - h$ to $x + h$. The blue dashed line has the slope that autograd found with that backward. The right plot shows each quotient's distance from autograd's slope, for every $h$. (The left plot reaches beyond $5^4=625$, and looks flat for $x<1$: use the right one. The list belongs to section 4.)

Move $x$ to a place that you like, then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="60c289a9"
r"""
## 먼저 보기

backward를 직접 작성한 연산으로 $5^x$을 계산했습니다. 할선(secant) 세 개의 기울기는 저마다 차분몫(difference quotient)입니다. *전방*은 $x$에서 $x + h$까지, *후방*(backward, `backward()`와는 상관없이 방향을 뜻합니다)은 $x - h$에서
$x$까지, *중앙*은 $x - h$에서 $x + h$까지입니다. 파란 파선의 기울기는 autograd가 그 backward로 구한 값입니다. 오른쪽 그림은 $h$마다 각 차분몫이 autograd의 기울기에서 얼마나 떨어져 있는지 보여 줍니다. (왼쪽 그림은 $5^4 = 625$까지 담아야 해서 $x < 1$이면 납작해 보입니다. 그때는 오른쪽 그림을 보세요. 함수 목록은 4절에서 씁니다.)

마음에 드는 곳으로 $x$를 옮긴 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_backward().first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ all three quotients go to autograd's slope, $5^x \log 5$, and the central one gets there fastest. So this backward is right, at least where you looked. In this lesson you write such backwards yourself, and find out with
the quotient whether they are right.

</details>

## Predict first

`relu(x)` is $x$ if $x$ is positive, and 0 otherwise. So `relu(x) - relu(-x)` equals $x$ for every $x$: a straight line of slope 1.

**What gradient does autograd give for `torch.relu(x) - torch.relu(-x)` at $x = 0$?**
"""

# %% [markdown] lang="ko" en="c0ae5fcc"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 세 차분몫이 모두 autograd의 기울기 $5^x \log 5$에 다가갑니다. 중앙 차분몫이 가장 빠릅니다. 그러니 적어도 살펴본 곳에서는 이 backward가 맞습니다. 이 수업에서는 이런 backward를 직접 쓰고, 맞게 썼는지
차분몫으로 확인합니다.

</details>

## 먼저 예상하기

`relu(x)`는 $x$가 0보다 크면 $x$, 아니면 0입니다. 그러므로 `relu(x) - relu(-x)`는 어떤 $x$에서나 $x$이고, 그래프는 기울기가 1인 직선입니다.

**$x = 0$에서 autograd가 구하는 `torch.relu(x) - torch.relu(-x)`의 gradient는 얼마일까요?**
"""

# %%
predict("8 a straight line", A="0", B="0.5", C="1")

# %% [markdown] lang="en"
r"""
## 1. An operation of your own

PyTorch knows the backward of several hundred operations, and so of everything built from them. If yours is missing, or needs a different backward,
subclass `torch.autograd.Function`. Here is the power $x^q$ from lesson 4 again, for $x > 0$:
"""

# %% [markdown] lang="ko" en="c5cf6150"
r"""
## 1. 직접 만든 연산

PyTorch는 수백 가지 연산의 backward를 알고, 그것으로 만든 것은 무엇이든 미분합니다. 그 가운데 없는 연산이 필요하거나 backward를 다르게 정하고 싶으면
`torch.autograd.Function`의 하위 클래스(subclass)를 만들면 됩니다. 수업 04의 거듭제곱 $x^q$($x > 0$)을 이렇게 다시 만들어 봅시다.
"""


# %%
class Power(Function):
    @staticmethod
    def forward(ctx, x, q):
        ctx.save_for_backward(x, q)
        return x**q

    @staticmethod
    def backward(ctx, grad_output):
        x, q = ctx.saved_tensors
        grad_x = grad_output * q * x ** (q - 1)
        grad_q = grad_output * x**q * torch.log(x)
        return grad_x, grad_q


x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = Power.apply(x, q)
z = torch.log(y)
print("y:", y)
print("z:", z)


def show(returned, received):
    print("backward receives:", *received)
    print("ctx.saved_tensors:", *y.grad_fn.saved_tensors)
    print("backward returns :", *returned)


y.grad_fn.register_hook(show)
z.backward()
print("x.grad:", x.grad)
print("q.grad:", q.grad)

# %% [markdown] lang="en"
r"""
- You never create a `Power` object, so the methods have no `self`: that is what `@staticmethod` means. You call `Power.apply`, and it calls `forward`. Nothing inside `forward` is recorded. The graph gets **one node** for the whole operation, named after your class: `PowerBackward`.
- The backward pass calls `backward`, and then the node's hook `show`, with what came out and what had gone in. `grad_output` is the gradient that arrives: $\frac{dz}{dy} = \frac{1}{125} = 0.008$. From `ctx` it reads $x = 5$ and $q = 3$. It returns **one gradient per
  argument of `forward`** (not counting `ctx`), in the same order, each multiplied by `grad_output`: $0.008 \cdot 75 = 0.6$ and $0.008 \cdot 125 \log 5 = 1.6094$. So it computes a VJP (lesson 5).
- `ctx` (*context*) is the node itself, `y.grad_fn`, so each call has its own: `forward` writes to it, `backward` reads it. `save_for_backward` keeps tensors
  together with their version, so an in-place change in between raises an error (lesson 7). `ctx.x = x` keeps the tensor without its version, so such a change goes unnoticed.

There is a second style, in which `forward` gets no `ctx`. The tasks use it.
"""

# %% [markdown] lang="ko" en="48d3d782"
r"""
- `Power`의 인스턴스는 만들지 않습니다. 그래서 메서드에 `self`가 없고 `@staticmethod`가 붙습니다. 호출하는 것은 `Power.apply`이고, `apply`가 `forward`를 호출합니다. `forward` 안의 계산은 기록되지 않습니다. 연산 전체가
  그래프에서 **노드 하나**가 되고, 이름은 클래스 이름을 따서 `PowerBackward`입니다.
- `backward`는 역방향 계산 때 호출됩니다. 노드에 건 hook은 `backward`가 돌려준 값과 받은 값, 두 인자로 호출됩니다. 위의 `show`가 그 값을 출력했습니다. `grad_output`은 도착한 gradient $\frac{dz}{dy} = \frac{1}{125} = 0.008$이고, `ctx`에서는 $x = 5$와 $q = 3$을 읽습니다. **`forward`의 인자마다(`ctx`는 빼고)
  gradient를 하나씩**, 같은 순서로 돌려줍니다. 둘 다 `grad_output`을 곱한 값이어서 $0.008 \cdot 75 = 0.6$과 $0.008 \cdot 125 \log 5 = 1.6094$입니다.
  곧 `backward`는 VJP를 돌려줍니다(수업 05).
- `ctx`(*context*)는 바로 그 노드 `y.grad_fn`입니다. 그래서 호출마다 따로 있고, `forward`가 써넣고 `backward`가 읽습니다. `save_for_backward`는 텐서를 버전과 함께 저장하므로,
  그사이에 텐서가 제자리에서 바뀌면 오류가 납니다(수업 07). `ctx.x = x`라고 하면 텐서는 남지만 바뀌었는지는 확인하지 않습니다.

`Function`을 작성하는 방식이 하나 더 있습니다. 이 방식에서는 `forward`가 `ctx`를 받지 않고, 저장하는 일은 `setup_context`에 따로 적습니다. 과제의 뼈대가 이 방식입니다. 아래의 예에서는 짧게 쓰려고 첫째 방식도 섞어 씁니다.
"""


# %%
class Times(Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        print("needs_input_grad:", ctx.needs_input_grad)
        grad_a = grad_output * b if ctx.needs_input_grad[0] else None
        grad_b = grad_output * a if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
Times.apply(a, b).backward()
print("a.grad:", a.grad, " b.grad:", b.grad)

print("torch.func.grad:", torch.func.grad(lambda a: Times.apply(a, b))(torch.tensor(2.0)))
with expect_error():
    torch.func.grad(lambda x: Power.apply(x, q))(torch.tensor(5.0))

# %% [markdown] lang="en"
r"""
`apply` calls `forward(a, b)` first and `setup_context(ctx, inputs, output)` right after it. `inputs` is the tuple of all arguments of `forward`, and `output` is what `forward` returned.
Only this style works with `torch.func` (lesson 5): with `vjp`, `grad` and `jacrev` as it stands.

<details><summary>The other functions of torch.func</summary>

`vmap` also needs `generate_vmap_rule = True` in the class, and `jvp` a static method `jvp`. `jacfwd` and `hessian` need both.

</details>

`ctx.needs_input_grad` says which inputs need a gradient. Where one does not, return `None` and compute nothing: the result would be thrown away. `Power` always computes both gradients. For $x = -2$ and
a constant $q = 3$ it computes $\log(-2)$, which nobody needs.

## 2. Is it right?

`gradcheck` compares `backward` with difference quotients. It moves each element of each tracked input by $h = 10^{-6}$ in both directions (the central quotient of lesson 1).
It returns `True` if every difference is at most $10^{-5} + 10^{-3} \cdot$ the size of the quotient. Otherwise it raises an error or, with `raise_exception=False`, returns `False`. It also calls `backward` with a `grad_output` of 0. If anything but 0 comes back, `backward` has forgotten the factor `grad_output`.
The next cell contains a mistake, $\log(x + 1)$ instead of $\log x$:
"""

# %% [markdown] lang="ko" en="76711314"
r"""
`apply`는 먼저 `forward(a, b)`를 호출하고, 바로 이어서 `setup_context(ctx, inputs, output)`을 호출합니다. `inputs`는 `forward`가 받은 인자를 모두 담은 튜플이고, `output`은 `forward`가 돌려준 것입니다.
`torch.func`(수업 05)에는 이 방식으로 쓴 것만 넣을 수 있습니다. `vjp`, `grad`, `jacrev`에는 그대로 쓸 수 있습니다.

<details><summary>torch.func의 다른 함수</summary>

`vmap`에는 클래스에 `generate_vmap_rule = True`가, `jvp`에는 정적 메서드 `jvp`가, `jacfwd`와 `hessian`에는 둘 다 필요합니다.

</details>

`ctx.needs_input_grad`는 어느 입력에 gradient가 필요한지 알려 줍니다. 필요 없는 입력에는 아무것도 계산하지 말고 `None`을 돌려주세요. 계산해도 버려집니다. `Power`는 늘 둘 다 계산하므로, $x = -2$이고 $q = 3$이 상수이면
쓸데없이 $\log(-2)$를 구합니다.

## 2. 맞게 썼을까?

`gradcheck`는 차분몫을 기준으로 backward를 검사합니다. 추적되는 입력의 원소를 하나씩 양쪽으로 $h = 10^{-6}$만큼 움직여 중앙 차분몫(수업 01)을 구하고 `backward`의 값과
비교합니다. 차이가 모두 $10^{-5} + 10^{-3} \cdot$ (차분몫의 크기) 이하이면 `True`를 돌려주고, 아니면 오류를 냅니다. `raise_exception=False`를 넘기면 오류 대신 `False`를 돌려줍니다. `grad_output`으로 0도 넣어 봅니다. 이때 0을 돌려주지 않으면 `grad_output`을 곱하는 것을 잊은 `backward`이므로 통과시키지 않습니다.
다음 셀의 `BrokenPower`에서는 누군가 $\log x$를 $\log(x + 1)$로 잘못 썼습니다.
"""


# %%
class BrokenPower(Power):
    @staticmethod
    def backward(ctx, grad_output):
        x, q = ctx.saved_tensors
        grad_x = grad_output * q * x ** (q - 1)
        grad_q = grad_output * x**q * torch.log(x + 1)
        return grad_x, grad_q


x = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
q = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
print("Power      :", gradcheck(Power.apply, (x, q)))

with expect_error():
    gradcheck(BrokenPower.apply, (x, q))

# %% [markdown] lang="en"
r"""
Inputs are counted from 0, so input 1 is $q$. *Numerical* is the quotient, $201.18 = 125 \log 5$. *Analytical* is what `backward` returned, $223.97 = 125 \log 6$.

These inputs were `float64`. In `float32`, `gradcheck` refuses even the right class:
"""

# %% [markdown] lang="ko" en="7b54af4b"
r"""
입력은 0부터 세므로 입력 1은 $q$입니다. *numerical*은 차분몫인 $201.18 = 125 \log 5$이고, *analytical*은 `backward`가 돌려준 값인 $223.97 = 125 \log 6$입니다.

여기서 입력은 `float64`였습니다. `float32`이면 올바른 클래스인 `Power`도 통과하지 못합니다.
"""

# %%
x32, q32 = (t.detach().float().requires_grad_() for t in (x, q))
with warnings.catch_warnings(), expect_error():
    warnings.simplefilter("ignore")
    gradcheck(Power.apply, (x32, q32))

# %% [markdown] lang="en"
r"""
The backward is right, 75. The quotient is wrong: neighbouring `float32` numbers are $7.6 \cdot 10^{-6}$ apart near 125, which is too coarse for a step of $10^{-6}$ (lesson 1). So check in `float64`, whatever dtype you train in.
(The cell hides a warning.)

A passed check is no proof. It covers **only the inputs that you pass**. This backward claims that the slope of $|x|$ is 1:
"""

# %% [markdown] lang="ko" en="cc9fa1cb"
r"""
`backward`의 75는 맞고, 틀린 것은 차분몫입니다. 125 근처에서 이웃한 `float32` 수는 $7.6 \cdot 10^{-6}$씩 떨어져 있어서, $10^{-6}$만큼 움직여 재기에는 너무 성깁니다(수업 01). 그러니 무엇으로 학습하든 검사는 `float64`로 하세요.
(이때 나오는 경고는 셀에서 가렸습니다.)

검사를 통과했다고 증명된 것은 아닙니다. `gradcheck`는 **여러분이 넣은 입력에서만** 검사합니다. 다음 backward는 $|x|$의 기울기를 언제나 1로 봅니다.
"""


# %%
class Size(Function):
    @staticmethod
    def forward(ctx, x):
        return x.abs()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


for number in (2.0, -2.0):
    point = torch.tensor(number, dtype=torch.float64, requires_grad=True)
    print(f"x = {number:4}:", gradcheck(Size.apply, (point,), raise_exception=False))

# %% [markdown] lang="en"
r"""
Check at several points, of both signs and of different sizes.

## 3. Several outputs, options, reductions

`SinCos` has two outputs, and one of its arguments is a Python number:
"""

# %% [markdown] lang="ko" en="c195099f"
r"""
부호와 크기가 서로 다른 점을 여러 개 넣어 검사하세요.

## 3. 여러 출력, 옵션, 원소를 합치는 연산

`SinCos`는 출력이 둘이고, 인자 하나는 파이썬의 수입니다.
"""


# %%
class SinCos(Function):
    @staticmethod
    def forward(x, factor):
        return torch.sin(factor * x), torch.cos(factor * x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, grad_sine, grad_cosine):
        sine, cosine = ctx.saved_tensors
        return ctx.factor * (grad_sine * cosine - grad_cosine * sine), None


x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
sine, cosine = SinCos.apply(x, 2.0)
print("one node for both:", sine.grad_fn is cosine.grad_fn)
print("gradcheck:", gradcheck(SinCos.apply, (x, 2.0)))

# %% [markdown] lang="en"
r"""
- `backward` gets one gradient **per output** and returns one **per argument**. For an output that was not used, `backward` gets zeros. The gradient of an argument that is not a tensor is `None`. Such an argument may be kept on `ctx` as it is.
- Each slope can be read off the other output, so `SinCos` saves its outputs, as `exp` does (lesson 7). Pass outputs to `save_for_backward`, too. `ctx.sine = sine` would make a reference cycle (output, node, `ctx`, output), which stays in memory until Python's garbage collector finds it.

Marks on `ctx` tell autograd about outputs that cannot be differentiated and inputs that were changed in place.
"""

# %% [markdown] lang="ko" en="4a874f6a"
r"""
- `backward`는 **출력마다** gradient를 하나씩 받고 **인자마다** 하나씩 돌려줍니다. 쓰이지 않은 출력에는 0이 도착합니다. 텐서가 아닌 인자의 gradient는 `None`이고, 그런 인자는 `ctx`에 그대로 두어도 됩니다.
- 한 출력의 기울기는 다른 출력으로 구할 수 있습니다. 그래서 `SinCos`는 `exp`(수업 07)처럼 출력을 저장합니다. 출력도 `save_for_backward`로 저장하세요. `ctx.sine = sine`이라고 하면 출력, 노드, `ctx`, 다시 출력으로 순환 참조가 생겨, 파이썬의
  가비지 컬렉터가 찾아낼 때까지 메모리에 남습니다.

미분할 수 없는 출력이나 제자리에서 바꾼 입력은 `ctx`에 표시해서 autograd에 알립니다.
"""


# %%
class Split(Function):
    @staticmethod
    def forward(ctx, x):
        whole = torch.floor(x)
        ctx.mark_non_differentiable(whole)
        return whole, x - whole

    @staticmethod
    def backward(ctx, grad_whole, grad_fraction):
        return grad_fraction


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


class UnmarkedDouble(Double):
    @staticmethod
    def forward(ctx, x):
        return x.mul_(2)


print("Split:", Split.apply(x))
for operation in (Double, UnmarkedDouble):
    t = x * 1
    operation.apply(t)
    (gradient,) = torch.autograd.grad(t, x)
    print(f"{operation.__name__}: t = {t.item()}, dt/dx = {gradient.item()}")

# %% [markdown] lang="en"
r"""
- `mark_non_differentiable`: `whole` comes out with `requires_grad=False`.
- `mark_dirty`: `forward` changed its input in place. Autograd increments the version of `t` and makes the new node its `grad_fn`. Without the mark, `t` has the new value and the old history, so the gradient is silently 1 instead of 2.

So far, each output depended on one element only. Subtracting the mean of each row, $y_i = x_i - \frac{1}{n} \sum_j x_j$, is different: $x_j$ reaches $y_j$ directly, and **every** $y_i$ of its row through the mean. Add up both paths (lesson 4):
$\frac{\partial L}{\partial x_j} = g_j - \frac{1}{n} \sum_i g_i$.
"""

# %% [markdown] lang="ko" en="eeefce10"
r"""
- `mark_non_differentiable`: `whole`은 `requires_grad=False`로 나옵니다.
- `mark_dirty`: `forward`가 입력을 제자리에서 바꾸었다는 표시입니다. autograd는 `t`의 버전을 올리고 새 노드를 `t`의 `grad_fn`으로 삼습니다. 표시하지 않으면 `t`의 값은 바뀌었는데 계산 기록은 그대로여서, 오류 없이 gradient가 2가 아니라 1이 됩니다.

지금까지는 출력의 원소마다 입력의 원소 하나에만 의존했습니다. 행마다 평균을 빼는 $y_i = x_i - \frac{1}{n} \sum_j x_j$는 다릅니다. $x_j$는 $y_j$로 곧장 이어지고, 평균을 거쳐 같은 행의 **모든** $y_i$로도 이어집니다. 두 경로를 더하면(수업 04)
$\frac{\partial L}{\partial x_j} = g_j - \frac{1}{n} \sum_i g_i$입니다.
"""


# %%
class Centred(Function):
    @staticmethod
    def forward(ctx, x):
        return x - x.mean(dim=-1, keepdim=True)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output - grad_output.mean(dim=-1, keepdim=True)


rows = torch.tensor([[1.0, 2.0, 6.0], [0.0, -3.0, 3.0]], dtype=torch.float64, requires_grad=True)
print("gradcheck:", gradcheck(Centred.apply, (rows,)))

# %% [markdown] lang="en"
r"""
A reduction in `forward` becomes a broadcast in `backward`, and a broadcast becomes a reduction. Task 8.6 has one more path.

## 4. Kinks: what autograd returns where there is no derivative

At $x = 0$ the function $|x|$ has a **kink**: its slope is $-1$ to the left and $1$ to the right. It has no derivative there, yet autograd
returns a number. For $|x|$ every number from $-1$ to $1$ is a **subgradient** at 0: the line of that slope through the kink never rises above the curve. The operation's code decides which one you get.

Here is the explorer of the first look again. Its $5^x$ is the right `Power` of section 1 ($x$ is the exponent here, called $q$ there).

1. Choose `BrokenPower`, the mistake of section 2; the explorer then sets $x$ to 3. Make $h$ small. Where do the three quotients go, and where does the blue line stay?
2. Choose `relu`; the explorer then sets $x$ to 0. What are the three quotients, for every $h$? And autograd's slope? Now type $x = 0.01$: for which $h$ do all agree?
3. At $x = 0$: what is autograd's slope of `where(x >= 0, x, 0)`, `maximum(x, 0)` and `abs`? Which of all these match the central quotient?
4. Choose `relu(x) - relu(-x)`. Was your prediction right?
"""

# %% [markdown] lang="ko" en="3eea5c73"
r"""
순방향 계산의 합치기(reduction)는 역방향 계산에서 브로드캐스트가 되고, 순방향 계산의 브로드캐스트는 역방향 계산에서 합이 됩니다. 과제 8.6에는 경로가 하나 더 있습니다.

## 4. 기울기가 없는 곳

$|x|$의 그래프는 $x = 0$에서 꺾입니다. 이런 곳을 **꺾인 점**(kink)이라고 합니다. 기울기가 왼쪽에서는 $-1$, 오른쪽에서는 $1$이어서, 이 점에서는 미분계수가 존재하지 않습니다. 그런데도 autograd는 수를 내놓습니다.
$|x|$에서는 $-1$부터 $1$까지의 모든 수를 0에서의 **subgradient**라고 합니다. 꺾인 점을 지나고 기울기가 그 수인 직선은 곡선 위로 올라가지
않습니다. 그 가운데 어느 수가 나오는지는 연산의 코드가 정합니다.

맨 앞에서 본 탐색기입니다. $5^x$은 1절의 올바른 `Power`로 구한 것입니다(여기서는 $x$가 지수입니다. 1절에서는 $q$였습니다).

1. 2절의 잘못된 `BrokenPower`를 고르세요. $x$가 3으로 옮겨집니다. $h$를 줄이세요. 세 차분몫은 어디로 가고, 파란 파선은 어디에 머무르나요?
2. `relu`를 고르세요. $x$가 0으로 옮겨집니다. $h$마다 세 차분몫은 얼마인가요? autograd의 기울기는요? 이번에는 $x = 0.01$을 입력하세요. $h$가 얼마 이하이면 모두 같아지나요?
3. $x = 0$에서 autograd가 낸 `where(x >= 0, x, 0)`, `maximum(x, 0)`, `abs`의 기울기는 얼마인가요? 지금까지 본 것 가운데 중앙 차분몫과 같은 것은 무엇인가요?
4. `relu(x) - relu(-x)`를 고르세요. 예상이 맞았나요?
"""

# %%
explore_backward()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. The quotients go to $201.18$, and autograd stays at $223.97$: the two numbers of `gradcheck`. The curves level out at the gap, $22.79$. (Where one dips, that quotient happens to equal the broken slope.)
2. Forward 1, backward 0, central 0.5, for every $h$. Autograd's slope is 0. At $x = 0.01$ all are 1 if $h$ is at most $0.01$: then no step crosses the kink.
3. `where(x >= 0, x, 0)`: 1, because at 0 the condition chooses `x`. `maximum(x, 0)`: 0.5, because two equal arguments get half each. `abs`: 0. The last two match the central quotient.
4. Every quotient is 1. Autograd's slope is 0.

</details>
"""

# %% [markdown] lang="ko" en="94fc8cee"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 차분몫은 $201.18$로 가고 autograd는 $223.97$에 머무릅니다. `gradcheck`가 보여 준 두 수입니다. 오른쪽 곡선은 둘의 간격인 $22.79$에서 평평해집니다. (곡선이 움푹 들어간 곳은 그 $h$에서만 차분몫이 잘못된 backward의 값과 우연히 같아지는 곳입니다.)
2. $h$가 얼마든 전방 1, 후방 0, 중앙 0.5이고, autograd의 기울기는 0입니다. $x = 0.01$에서는 $h$가 $0.01$ 이하이면 모두 1입니다. $x \pm h$가 꺾인 점을 넘지 않기 때문입니다.
3. `where(x >= 0, x, 0)`은 1입니다. 0에서는 조건이 참이어서 `x`를 고르기 때문입니다. `maximum(x, 0)`은 두 인자가 같아서 절반씩 나누어 받으므로 0.5입니다. `abs`는 0입니다. 뒤의 둘이 중앙 차분몫과 같습니다.
4. 차분몫은 모두 1인데 autograd의 기울기는 0입니다.

</details>
"""

# %%
predicted(
    "8 a straight line",
    right="A",
    A=say(
        en="Each of the two relus has the slope 0 at 0. Autograd differentiates the code, not the "
        "function, and here it is plainly wrong: this function has no kink.",
        ko="0에서 두 relu의 기울기가 모두 0입니다. autograd는 함수가 아니라 코드를 미분하고, 여기서는 분명히 틀린 값을 냅니다. 이 함수는 꺾이지 않았습니다.",
    ),
    B=say(
        en="0.5 is the central quotient of one relu at 0. Autograd's slope of each is 0.",
        ko="0.5는 relu 하나의 0에서의 중앙 차분몫입니다. autograd의 기울기는 relu마다 0입니다.",
    ),
    C=say(
        en="That is the slope of the function. But autograd differentiates the code: both relu have "
        "the slope 0 at 0, and 0 - (-0) is 0.",
        ko="함수의 기울기로는 맞습니다. 그러나 autograd는 코드를 미분합니다. 0에서 두 relu의 기울기가 모두 0이므로 0 - (-0)은 0입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
**What autograd returns at a kink is a property of the code, not of the function.** PyTorch [documents a rule](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions) for its operations: where one
is convex, take the subgradient of minimum norm. `relu` and `abs` follow it with 0, and `maximum` with $(0.5, 0.5)$: it has two arguments, and where they are equal, its subgradients are $(t, 1 - t)$ with $0 \le t \le 1$.

But the rule is for single operations, not for functions made with them:

- `where` only passes the gradient to the branch that it chose, so `where(x >= 0, x, 0)` has the slope 1.
- `maximum(x, 0)` is the same function of $x$ as `relu(x)`. But `maximum` shares between two arguments, even if one is constant, so the slope is 0.5 instead of 0.
- `relu(x) - relu(-x)` has the slope 1 everywhere, so 0 is no subgradient of it.

**Which of the five pass `gradcheck` at 0?**
"""

# %% [markdown] lang="ko" en="ebf839d5"
r"""
**꺾인 점에서 autograd가 어떤 값을 내는지는 함수가 아니라 코드가 정합니다.** PyTorch의 [문서에는 규칙](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)이 있습니다. 연산이 볼록함수이면
노름이 가장 작은 subgradient를 씁니다. `relu`와 `abs`의 0, `maximum`의 $(0.5, 0.5)$는 이 규칙대로입니다. (`maximum`은 인자가 둘이고, 두 인자가 같은 곳의 subgradient는 $(t, 1 - t)$, $0 \le t \le 1$입니다.)

그러나 이 규칙은 연산 하나하나에 대한 것이어서, 연산으로 만든 함수에는 맞지 않을 수 있습니다.

- `where`는 고른 쪽으로 gradient를 넘길 뿐이어서 `where(x >= 0, x, 0)`의 기울기는 1입니다.
- `maximum(x, 0)`은 $x$의 함수로는 `relu(x)`와 같습니다. 그러나 `maximum`은 한쪽이 상수여도 두 인자에 나누어 주므로, 기울기가 0이 아니라 0.5입니다.
- `relu(x) - relu(-x)`는 기울기가 어디서나 1이고, 0은 subgradient도 아닙니다.

**다섯 함수 중 0에서 `gradcheck`를 통과하는 것은 무엇일까요?**
"""

# %%
predict(
    "8 kinks",
    A=say(en="`relu` and `abs`, which return 0", ko="0을 내는 `relu`와 `abs`"),
    B=say(
        en="`relu(x) - relu(-x)`, which has a slope at 0",
        ko="0에서 기울기가 있는 `relu(x) - relu(-x)`",
    ),
    C=say(
        en="`maximum` and `abs`, which match the central quotient",
        ko="중앙 차분몫과 같은 `maximum`과 `abs`",
    ),
)

# %%
kinks = {
    "relu": torch.relu,
    "where(x >= 0, x, 0)": lambda x: torch.where(x >= 0, x, 0.0),
    "maximum(x, 0)": lambda x: torch.maximum(x, torch.zeros_like(x)),
    "abs": torch.abs,
    "relu(x) - relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
}
zero = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
for name, f in kinks.items():
    (slope,) = torch.autograd.grad(f(zero), zero)
    print(f"{name:19} {slope.item():4}", gradcheck(f, (zero,), raise_exception=False))

# %%
predicted(
    "8 kinks",
    right="C",
    A=say(
        en="`gradcheck` does not know the rule. It compares with the central quotient, which is 0.5 "
        "for relu.",
        ko="`gradcheck`는 그 규칙을 모릅니다. 중앙 차분몫과 비교하는데, relu의 중앙 차분몫은 0.5입니다.",
    ),
    B=say(
        en="Its slope is 1, and so is its central quotient. But autograd returns 0.",
        ko="이 함수의 기울기도, 중앙 차분몫도 1입니다. 그러나 autograd는 0을 냅니다.",
    ),
    C=say(
        en="`gradcheck` compares with the central quotient and knows neither kinks nor PyTorch's rule. "
        "Both pass because autograd's value happens to equal the quotient.",
        ko="`gradcheck`는 중앙 차분몫과 비교할 뿐, 꺾인 점도 PyTorch의 규칙도 알지 못합니다. "
        "두 함수는 autograd의 값이 중앙 차분몫과 우연히 같아서 통과합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
`maximum` and `abs` pass by luck, and `relu` fails although it has no bug. So check away from kinks, and treat a failure anywhere else as a bug, unless the backward is wrong on purpose (section 6).

**The answer of one operation can change, too.** `x.clamp(min=0)` is the same function as `relu(x)`. In 2018 its slope at 0 was 0. [A user reported](https://github.com/pytorch/pytorch/issues/7002) that gradients died at the bound, and it became 1. In 2026 [another user reported](https://github.com/pytorch/pytorch/issues/184574) that 1 breaks the rule above, and since PyTorch 2.14 it is 0 again. Which one is yours?
"""

# %% [markdown] lang="ko" en="24c1e640"
r"""
`maximum`과 `abs`는 우연히 통과하고, `relu`는 버그가 없는데도 통과하지 못합니다. 그러니 꺾인 점을 피해서 검사하고, 그 밖의 점에서 통과하지 못하면 버그를 의심하세요. 일부러 틀리게 만든 backward(6절)만은 예외입니다.

**연산 하나가 내는 값도 바뀔 수 있습니다.** `x.clamp(min=0)`은 `relu(x)`와 같은 함수입니다. 2018년에는 0에서의 기울기가 0이었습니다. 경계에서 gradient가 사라진다는 [제보](https://github.com/pytorch/pytorch/issues/7002)가 들어와 1로 바뀌었습니다. 2026년에는 1이 위의 규칙에 어긋난다는 [제보](https://github.com/pytorch/pytorch/issues/184574)가 들어왔고, PyTorch 2.14부터는 다시 0입니다. 지금 쓰는 버전은 어느 쪽인가요?
"""

# %%
(slope,) = torch.autograd.grad(zero.clamp(min=0), zero)
print("PyTorch", torch.__version__, "clamp(min=0) at 0:", slope.item())

# %% [markdown] lang="en"
r"""
So never let a result depend on the slope at a kink.

## 5. Right on paper, wrong in floating point

**Overflow in an intermediate result.** The *softplus*, $\log(1 + e^x)$, is a relu without a kink. Its slope is $\frac{e^x}{1 + e^x}$. Both formulas are right, and at
$x = 1000$ they should give 1000 and 1:
"""

# %% [markdown] lang="ko" en="ab8f4af4"
r"""
그러니 결과가 꺾인 점에서의 기울기에 좌우되지 않게 하세요.

## 5. 수학으로는 맞지만 부동소수점으로 계산하면 틀리는 식

**계산 도중의 오버플로.** *softplus* $\log(1 + e^x)$은 relu의 꺾인 점을 매끄럽게 다듬은 함수입니다. 기울기는 $\frac{e^x}{1 + e^x}$입니다. 두 식 모두 맞습니다. $x = 1000$이면 값은 1000, 기울기는 1이어야 합니다.
"""

# %%
x = torch.tensor([-40.0, 0.0, 1000.0], dtype=torch.float64)
print("log(1 + e^x)   :", torch.log(1 + torch.exp(x)).tolist())
print("e^x / (1 + e^x):", (torch.exp(x) / (1 + torch.exp(x))).tolist())

t = torch.tensor(4.248e-18, dtype=torch.float64)
print("log(1 + t):", torch.log(1 + t).item(), "  log1p(t):", torch.log1p(t).item())

# %% [markdown] lang="en"
r"""
$e^{1000}$ exceeds every `float64`, so it is `inf`, and `inf / inf` is `nan`. At $x = -40$ the value is lost: $1 + e^{-40}$ rounds to 1, and the logarithm of 1 is 0, although
`float64` represents $4.2 \cdot 10^{-18}$ without trouble. `torch.log1p(t)` computes $\log(1 + t)$ without this loss. To avoid a large power for $x > 0$, make the exponent negative:
$\log(1 + e^x) = x + \log(1 + e^{-x})$. Task 8.3 combines the two.

**A branch that is not taken.** The slope of $\sqrt x$ grows without bound near 0, and negative numbers have no real root. `torch.where(x > 0, a, b)` picks each element from `a`
or `b`. **What is the gradient of `torch.where(x > 0, torch.sqrt(x), 0.0)` at $x = -1$?**
"""

# %% [markdown] lang="ko" en="7e393e13"
r"""
$e^{1000}$은 어떤 `float64` 수보다도 커서 `inf`가 되고, `inf / inf`는 `nan`입니다. $x = -40$에서는 값이 사라집니다. $1 + e^{-40}$이 1로 반올림되어 로그가 0이 됩니다.
$4.2 \cdot 10^{-18}$은 `float64`로 얼마든지 나타낼 수 있는 수인데도 그렇습니다. `torch.log1p(t)`는 $\log(1 + t)$를 이런 일 없이 계산합니다. $x > 0$일 때 큰 거듭제곱을 피하려면
지수를 음수로 만드세요. $\log(1 + e^x) = x + \log(1 + e^{-x})$입니다. 과제 8.3에서 둘을 합칩니다.

**선택되지 않은 갈래.** $\sqrt x$의 기울기는 0 근처에서 한없이 커지고, 음수에는 (실수) 제곱근이 없습니다. `torch.where(x > 0, a, b)`는 원소마다 `a`나 `b`에서
하나를 고릅니다. **$x = -1$에서 `torch.where(x > 0, torch.sqrt(x), 0.0)`의 gradient는 얼마일까요?**
"""

# %%
predict(
    "8 where",
    A=say(en="0: the branch with the root is not taken", ko="0. 제곱근 쪽은 선택되지 않았다"),
    B="nan",
    C=say(en="an error is raised", ko="오류가 난다"),
)

# %%
x = torch.tensor([4.0, 0.0, -1.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), 0.0)
y.sum().backward()
print("y     :", y.tolist())
print("x.grad:", x.grad.tolist())

# %%
predicted(
    "8 where",
    right="B",
    A=say(
        en="On paper, yes. But `where` only sends the gradient 0 into that branch, and there sqrt divides "
        "it by nan.",
        ko="종이 위에서는 그렇습니다. 그러나 `where`는 그 갈래로 gradient 0을 보낼 뿐이고, 거기서 sqrt가 그것을 nan으로 나눕니다.",
    ),
    B=say(
        en="`where` sends the gradient 0 into the branch with the root. There it is divided by 2 sqrt(-1), "
        "which is nan. At x = 0 it is 0 / 0.",
        ko="`where`는 제곱근 쪽으로 gradient 0을 보냅니다. 거기서 2 sqrt(-1), 곧 nan으로 나눕니다. x = 0에서는 0 / 0입니다.",
    ),
    C=say(
        en="Torch raises no error for the root of a negative number: it is nan, and so is the gradient.",
        ko="torch는 음수의 제곱근을 구해도 오류를 내지 않습니다. 값이 nan이 되고 gradient도 nan이 됩니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The *values* are right, and that hides the problem. Both branches are computed, and the backward pass goes through both. `0 * inf`, `0 / 0` and `0 * nan` are all `nan`. The cure is not in what `where` picks but in
what goes **into** `sqrt` (task 8.4; task 4.3 did the same for `log`). Users [report this](https://github.com/pytorch/pytorch/issues/68425) again and again.
"""

# %% [markdown] lang="ko" en="843cb185"
r"""
*값*은 맞기 때문에 알아차리기 어렵습니다. 두 갈래를 모두 계산하고, 역방향 계산도 두 갈래를 모두 지납니다. `0 * inf`, `0 / 0`, `0 * nan`은 모두 `nan`입니다. 고칠 곳은 `where`가 고르는 값이 아니라 `sqrt`에 **들어가는**
값입니다(과제 8.4에서 고칩니다. 과제 4.3의 `log`도 그랬습니다). 이 문제는 [거듭해서 제보](https://github.com/pytorch/pytorch/issues/68425)됩니다.
"""

# %% [markdown] lang="en"
r"""
## 6. Wrong on purpose · optional

Rounding is a step function: its slope is 0 almost everywhere, so no gradient gets past it to whatever comes before. Networks with rounded weights are nevertheless trained, with a backward that
passes the gradient on unchanged: the **straight-through estimator**. `gradcheck` has to refuse it, and does:
"""

# %% [markdown] lang="ko" en="50228925"
r"""
## 6. 일부러 틀리게 만든 backward · 선택

반올림의 그래프는 계단 모양이어서, 값이 뛰는 곳을 빼면 평평합니다. 기울기가 0이므로 그 앞의 파라미터는 학습되지 않습니다. 그런데도 가중치를 반올림한 신경망을 학습시키는 방법이 있습니다. 도착한 gradient를
그대로 넘기는 backward를 쓰는 것인데, 이런 방법을 **straight-through estimator**(STE)라고 합니다. `gradcheck`라면 이런 backward를 틀렸다고 해야 하고, 실제로 오류를 냅니다.
"""


# %%
class Round(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


with expect_error():
    gradcheck(Round.apply, (torch.tensor(1.3, dtype=torch.float64, requires_grad=True),))

# %% [markdown] lang="en"
r"""
## 7. A real bug

*Autograd* by HIPS, the library from which JAX grew, keeps a hand-written backward for each function. In June 2018 [a user compared](https://github.com/HIPS/autograd/issues/407)
the one for the normal distribution with a quotient. `norm.cdf(x, loc=0)` is the probability of a value below $x$, and its slope is the density
$\frac{1}{\sqrt{2\pi}}\, e^{-(x - \text{loc})^2 / 2}$. Our copy below has the same mistake. Its `loc`, the centre, is an empty tuple when it is left out, so `forward` and `backward` each use a default of their own:
"""

# %% [markdown] lang="ko" en="640e640e"
r"""
## 7. 실제로 있었던 버그: 정규분포의 backward

HIPS의 *Autograd*는 JAX의 뿌리가 된 라이브러리이고, 함수마다 사람이 직접 쓴 backward가 있습니다. 2018년 6월에 [한 사용자가](https://github.com/HIPS/autograd/issues/407)
정규분포의 backward를 차분몫과 비교해 보았습니다. `norm.cdf(x, loc=0)`은 $x$보다 작은 값이 나올 확률이고, 그 기울기는 확률밀도
$\frac{1}{\sqrt{2\pi}}\, e^{-(x - \text{loc})^2 / 2}$입니다. 같은 실수를 그대로 옮겨 보았습니다. 분포의 중심 `loc`을 생략하면 빈 튜플이 되고, `forward`와 `backward`가 저마다 따로 정해 둔 기본값을 씁니다.
"""


# %%
def density(x, loc=-1.0):
    return torch.exp(-((x - loc) ** 2) / 2) / (2 * torch.pi) ** 0.5


class NormalCdf(Function):
    @staticmethod
    def forward(ctx, x, *loc):
        ctx.save_for_backward(x)
        ctx.loc = loc
        return torch.special.ndtr(x - (loc[0] if loc else 0.0))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * density(x, *ctx.loc), *(None for _ in ctx.loc)


x, h = torch.tensor(0.0, dtype=torch.float64, requires_grad=True), 1e-6
(slope,) = torch.autograd.grad(NormalCdf.apply(x), x)
quotient = (NormalCdf.apply(x + h) - NormalCdf.apply(x)).item() / h
print(f"autograd {slope.item():.6f}   ", say(en="quotient", ko="차분몫"), f"{quotient:.6f}")
print("cdf(x, 0.0):", gradcheck(lambda x: NormalCdf.apply(x, 0.0), (x,)))
print("cdf(x)     :", gradcheck(NormalCdf.apply, (x,), raise_exception=False))

# %% [markdown] lang="en"
r"""
The report shows these very numbers, $0.241971$ and $0.398942$. In three of these backward functions the default of `loc` was $-1$ instead of $0$. The fix had existed for three months: [pull request 371](https://github.com/HIPS/autograd/pull/371), written in March, was still open, and
was merged the day after the report. The library does check its gradients with quotients, but its test passes `x`, `loc` and `scale`, so the defaults are never used. A check proves nothing about a call that it does not make.
"""

# %% [markdown] lang="ko" en="cf354bd9"
r"""
제보에 나오는 수가 바로 $0.241971$과 $0.398942$입니다. backward 세 개에서 `loc`의 기본값이 $0$이 아니라 $-1$이었습니다. 고치는 코드는 이미 있었습니다. 제보보다 석 달 앞선 3월에 쓰인 [pull request 371](https://github.com/HIPS/autograd/pull/371)이
그때까지 병합되지 않고 있다가 제보 다음 날 병합되었습니다. 이 라이브러리도 차분몫으로 gradient를 검사하지만, 테스트가 `x`, `loc`, `scale`을 모두 넘기므로 기본값이 쓰이는 일이 없습니다. 검사해 보지 않은 호출에 대해서는 아무것도 보장할 수 없습니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}.

Test cells, **Check**, marks and the **rules of every task** are those of lesson 1.

<details><summary>The rules in short, and how to see a solution</summary>

A test cell holds the **visible tests**; grading adds
**hidden tests**, and the list after the last task says what they check. Your function leaves its arguments, with their `.grad`, `requires_grad` and
hooks, and every setting of the process as they were. It keeps dtype and shape, gives the same answer when called twice, and returns what its
docstring says. Once you have passed a task, or when you are stuck, Check shows a worked solution (in a terminal:
`autograder check 8 --solution MyPow`).

</details>

**Only in this lesson:**

- `grad_output` is an argument too: do not change it.
- The classes are given in the second style, with `setup_context`. You may write them in the first style instead: both are graded alike.
"""

# %% [markdown] lang="ko" en="7ad1c149"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 8 --solution MyPow`).

</details>

**이 수업에만 있는 규칙:**

- `grad_output`도 인자이므로 바꾸지 않습니다.
- 클래스는 `setup_context`를 쓰는 둘째 방식으로 뼈대가 주어집니다. 첫째 방식으로 바꾸어 써도 되며, 채점은 똑같습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 8.1 · `MyPow`

●●○○○ · ★★★★★ · 10 min · {{points}}

Write $x^q$ with its backward: `MyPow.apply(x, q)`.

- `x` and `q` are `float32` or `float64` tensors of one dtype and one shape, any shape, perhaps empty. At least one of them is tracked. If `q` is tracked, every `x` is positive, but may be tiny. Otherwise `x` may be negative, and where it is, `q` is a whole number. No `x` is 0, and neither $x^q$ nor a gradient underflows or overflows.
- `backward` returns the gradients with respect to `x` and `q` for any `grad_output`, exact up to rounding.
- For an input that needs no gradient, return `None` and compute nothing for it. The tests fail if `backward` runs a logarithm although `q` is not tracked, or `pow` more than once although `x` is not. (`forward` and `setup_context` may compute anything.)
- Keep on `ctx` what belongs to the call: `apply` may be called twice before the first backward pass. If an input or the result is changed in place before the backward pass, the gradient must not
  be silently wrong. An error is fine; `save_for_backward` raises one.
- The backward pass can run twice (`retain_graph=True`). It need not be differentiable itself.

<details><summary>Hint 1: the idea</summary>

Section 1 has both formulas, and the class `Times` shows everything around them.

</details>

<details><summary>Hint 2: the same for another function</summary>

For $\frac{a}{b}$ with $a$ alone tracked, `backward` computes $\frac{g}{b}$ and never $-\frac{g a}{b^2}$. Which two questions must `backward` ask before it computes anything here?

</details>
"""

# %% [markdown] lang="ko" en="29990083"
r"""
## 과제 8.1 · `MyPow`

{{marks}}분 · {{points}}

$x^q$을 backward와 함께 만드세요. `MyPow.apply(x, q)`로 씁니다.

- `x`와 `q`는 dtype(`float32`나 `float64`)과 shape가 서로 같은 텐서입니다. shape에는 제한이 없고, 비어 있을 수도 있습니다. 적어도 하나는 추적됩니다. `q`가 추적되면 `x`는 모두 0보다 크지만 아주 작을 수 있습니다. `q`가 추적되지 않으면 `x`가 음수일 수 있고, 그런 곳의 `q`는 정수입니다. `x`에 0은 없고, $x^q$에서도 gradient에서도 언더플로나 오버플로는 일어나지 않습니다.
- `backward`는 어떤 `grad_output`에 대해서도 `x`와 `q`의 gradient를 반올림 오차 안에서 정확하게 돌려줍니다.
- gradient가 필요 없는 입력에는 `None`을 돌려주고, 그 입력만을 위한 계산은 하지 마세요. `q`가 추적되지 않는데 `backward`에서 로그를 구하거나, `x`가 추적되지 않는데 `pow`를 두 번 이상 실행하면 테스트를 통과하지 못합니다. (`forward`와 `setup_context`에서는 무엇을 계산해도 됩니다.)
- 호출마다 달라지는 값은 `ctx`에 두세요(클래스나 전역 변수에 두면 안 됩니다). 역방향 계산 전에 `apply`가 두 번 호출될 수도 있습니다. 역방향 계산 전에 입력이나 결과가 제자리에서 바뀌었을 때, 오류 없이 틀린 gradient가 나와서는 안 됩니다. 오류가 나는 것은 괜찮습니다. `save_for_backward`를 쓰면 오류가 납니다.
- 역방향 계산을 두 번 할 수 있어야 합니다(`retain_graph=True`). 역방향 계산 자체는 미분할 수 없어도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

두 식은 1절에 있고, 나머지는 클래스 `Times`에 모두 있습니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

$\frac{a}{b}$에서 $a$만 추적되면 `backward`는 $\frac{g}{b}$만 계산하고 $-\frac{g a}{b^2}$는 계산하지 않습니다. 여기서는 `backward`가 계산하기 전에 어떤 두 가지를 확인해야 할까요?

</details>
"""


# %% answer="MyPow"
class MyPow(torch.autograd.Function):
    """The operation x**q with a custom backward."""

    @staticmethod
    def forward(x, q):
        ### BEGIN SOLUTION
        return x**q
        ### END SOLUTION

    @staticmethod
    def setup_context(ctx, inputs, output):
        ### BEGIN SOLUTION
        ctx.save_for_backward(*inputs)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad_output):
        ### BEGIN SOLUTION
        x, q = ctx.saved_tensors
        grad_x = grad_q = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output * q * x ** (q - 1)
        if ctx.needs_input_grad[1]:
            grad_q = grad_output * x**q * torch.log(x)
        return grad_x, grad_q
        ### END SOLUTION


# %% test="MyPow" points=2
import torch

from secant import check, hints, probe, tensor
from secant.checking.custom import walk_back
from secant.checking.walks import judge_operation

hint = hints("MyPow")


@probe
def _run(*arguments):
    return walk_back(MyPow.apply, *arguments)


def _compare(x, q, g, value, slopes, dtype="float64", apart=False, cause=""):
    x, q, g, value = (tensor(number, dtype) for number in (x, q, g, value))
    slopes = {name: tensor(slope, dtype) for name, slope in slopes.items()}
    not_natural = torch.log10(x), torch.log2(x), torch.log(value), torch.ones_like(x)
    wrong_x = {hint.power: g * q * value, hint.factor: g * value / x}
    wrong_x[hint.whole] = g * q * x ** (q.trunc() - 1)
    wrong_q = {
        hint.plus: g * value * torch.log(x + 1),
        hint.natural: tuple(g * value * log for log in not_natural),
        hint.floor: tuple(g * value * torch.log(x + 10.0**-digits) for digits in range(3, 16)),
    }
    wrong, inputs = {"x": wrong_x, "q": wrong_q}, {"x": x, "q": q}
    call, data = judge_operation("MyPow", _run, inputs, g, value, slopes, wrong, cause, apart=apart)
    for name in set(data["returned"]) - set(slopes):
        check.refuse(call, hint.unasked.format(name=name))
    return call, data


_compare(5.0, 3.0, 1.0, 125.0, {"x": 75.0, "q": 201.17973905426254})
_slopes = {"x": [4.0, 2.598076211353316], "q": [2.772588722239781, 5.708556905378076]}
_compare([2.0, 3.0], [2.0, 1.5], [1.0, -2.0], [4.0, 5.196152422706632], _slopes)
_compare([-2.0] * 2, [3.0, 2.0], [0.5, 1.0], [-8.0, 4.0], {"x": [12.0, -4.0]}, cause=hint.negative)
_compare(1e-20, 0.05, 1.0, 0.1, {"q": -4.605170185988092}, cause=hint.floor)
check.visible_passed()
### BEGIN HIDDEN TESTS
_LOGARITHMS = ("log", "log2", "log10", "log1p", "xlogy")


def _apply(x, q, g, dtype, tracked=("x", "q"), **options):
    all_slopes = {"x": q * x ** (q - 1), "q": x**q * torch.log(x)}
    slopes = {name: all_slopes[name] for name in tracked}
    call, data = _compare(x, q, g, x**q, slopes, dtype, **options)
    logs = [name for name in data["operations"] if name in _LOGARITHMS and "q" not in tracked]
    powers = [name for name in data["operations"] if name == "pow" and "x" not in tracked]
    for name in logs + powers[1:]:
        check.refuse(call, hint.in_vain.format(name=name))


def _draw_with_signs(shape):
    """Return a tensor x with elements of both signs, and a tensor q of whole numbers."""
    size = torch.Size(shape).numel()
    signs = tensor([(-1.0, 1.0)[place % 2] for place in range(size)]).reshape(shape)
    q = tensor([(3.0, -1.0, 2.0, 1.0, 0.0)[place % 5] for place in range(size)]).reshape(shape)
    return signs * check.draw_tensor(*shape, low=0.3, high=3), q


for _dtype in ("float64", "float32"):
    _apply(tensor([2.0, 3.0]), tensor([0.0, 1.5]), tensor([1.0, 2.0]), _dtype, cause=hint.zero)
    _tracked_choices = ("x", "q"), ("x",), ("q",)
    for _turn, _shape in enumerate(((), (3,), (2, 3), (1, 4, 2), (0,), (2, 0)), _dtype == "float32"):
        for _tracked in (_tracked_choices[_turn % 3], _tracked_choices[(_turn + 1) % 3]):
            _x = check.draw_tensor(*_shape, low=0.3, high=3)
            _q = check.draw_tensor(*_shape, low=-2, high=3)
            _apply(_x, _q, check.draw_tensor(*_shape), _dtype, _tracked)
    for _shape in ((), (5,), (2, 3)):
        _apply(*_draw_with_signs(_shape), check.draw_tensor(*_shape), _dtype, ("x",), cause=hint.negative)
    _smallest = tensor(1e-300 if _dtype == "float64" else 1e-37)
    _small, _q = tensor([1e-4, 1e-6, 1e-9, 1e-12, 1e-20, 1e-30]), tensor(check.draws(6, 0.1, 0.4))
    for _tracked in (("x", "q"), ("q",)):
        _apply(_small, _q, tensor(check.draws(6, 1, 3)), _dtype, _tracked, cause=hint.floor)
        _apply(_smallest, tensor(0.01), tensor(2.0), _dtype, _tracked, cause=hint.floor)
    for _g in (check.draw_tensor().expand(4), check.draw_tensor().expand(2, 3), check.draw_tensor(2, 3)):
        _x, _q = (check.draw_tensor(*_g.shape, low=0.5, high=2.5) for _ in range(2))
        _apply(_x, _q, _g, _dtype, apart=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.2 · `backward_is_right`

●●●○○ · ★★★★★ · 6 min · {{points}}

Say whether the backward of an operation is right at given inputs, whatever their dtype.

- `fn` makes one tensor, of any shape, from the tensors in the tuple `inputs`, as `MyPow.apply` does. You may call it as often as you like. There are one or more inputs, each `float32` or `float64`, of any shape.
  They may be slices of larger tensors, or expanded. (`gradcheck` refuses an expanded tensor: give it a copy, `clone()`.) Some inputs may be tracked while others are not. No input is at a kink.
- Return `True` if the backward agrees with the central quotient of `fn` **in `float64`, for all elements of all inputs**, also of those with `requires_grad=False`. Otherwise return `False`. As in `gradcheck`, the step is $10^{-6}$, and to agree means to differ by at most $10^{-5} + 10^{-3} \cdot$ the size of the quotient.
- A backward that ignores `grad_output` is wrong too. `None` is wrong for an input that `fn` depends on, and right for one that it does not depend on.
- Return a plain `bool`. Wrong gradients must not raise an exception, and there must be no warning. (Each operation returns one gradient or `None` per input, of the right shape.)

<details><summary>Hint 1: the idea</summary>

`gradcheck` does the work. What does it need of its inputs, and how do you keep it from raising an error?

</details>

<details><summary>Hint 2: a smaller example</summary>

For `t = torch.ones(2).expand(3, 2)` print `dtype`, `requires_grad` and `stride()` of `t`, then of `t.detach().double()`. Which of the three would still trouble `gradcheck`?

</details>
"""

# %% [markdown] lang="ko" en="447dfc6a"
r"""
## 과제 8.2 · `backward_is_right`

{{marks}}분 · {{points}}

입력의 dtype이 무엇이든, 주어진 입력에서 연산의 backward가 맞는지 판단하세요.

- `fn`은 `MyPow.apply`처럼 튜플 `inputs`의 텐서로 텐서 하나를 만듭니다. 결과의 shape에는 제한이 없고, `fn`은 몇 번이든 호출해도 됩니다. 입력은 하나 이상이고, 저마다 `float32`나 `float64`이며 shape에는 제한이 없습니다.
  더 큰 텐서에서 잘라 낸 것이나 expand한 것도 있습니다(expand한 것은 `clone()`으로 복사해야 `gradcheck`가 받습니다). 어떤 입력은 추적되고 다른 입력은 추적되지 않을 수도 있습니다. 꺾인 점은 입력으로 주어지지 않습니다.
- **`float64`에서, 모든 입력의 모든 원소에 대해** backward가 `fn`의 중앙 차분몫과 같으면 `True`, 아니면 `False`를 돌려주세요. `requires_grad=False`인 입력도 검사해야 합니다. `gradcheck`처럼 $h = 10^{-6}$으로 차분몫을 구하고, 차이가 $10^{-5} + 10^{-3} \cdot$ (차분몫의 크기) 이하이면 같고, 넘으면 다릅니다.
- `grad_output`을 무시하는 backward도 틀린 것입니다. `None`은 `fn`이 의존하는 입력에서는 틀린 것이고, 의존하지 않는 입력에서는 맞는 것입니다.
- `bool`을 돌려주세요. gradient가 틀렸다고 예외가 나서는 안 되고, 경고가 떠서도 안 됩니다. (어느 연산이든 입력마다 gradient나 `None`이 하나씩 나오고 shape는 맞습니다.)

<details><summary>힌트 1: 생각의 방향</summary>

검사는 `gradcheck`가 합니다. `gradcheck`에는 어떤 입력이 필요하고, 오류가 나지 않게 하려면 어떻게 해야 하나요?

</details>

<details><summary>힌트 2: 더 작은 예</summary>

`t = torch.ones(2).expand(3, 2)`의 `dtype`, `requires_grad`, `stride()`를 출력해 보고, `t.detach().double()`에서도 출력해 보세요. 셋 가운데 `gradcheck`에 여전히 문제가 되는 것은 무엇인가요?

</details>
"""


# %% answer="backward_is_right"
def backward_is_right(fn, inputs):
    """Return whether the backward of fn agrees with the difference quotient of fn in float64 at these inputs.

    fn: a function from tensors to a tensor; inputs: a tuple of floating-point tensors.
    """
    ### BEGIN SOLUTION
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False)
    ### END SOLUTION


# %% test="backward_is_right" points=2
from secant import ask, check, hints, leaf

hint = hints("backward_is_right")

_ERRORS = {"stride 0": hint.stride, "require gradient": hint.untracked}
_ERRORS |= {"fn takes": hint.all, "fn에는": hint.all, "GradcheckError": hint.raises}


def _compare(forward, backward, want, inputs, dtype="float64", tracked="xq", layout="", why=""):
    words = f"backward_is_right(fn, {inputs}), {dtype}, requires_grad: {tracked or None}"
    below = f"fn: {forward}, backward: {', '.join(backward)}"
    options = {"words": words, "below": below, "errors": _ERRORS, "warned": True}
    pairs = zip("xq", inputs, strict=False)
    leaves = tuple(leaf(x, dtype, 9.0, layout=layout, tracked=name in tracked) for name, x in pairs)
    fn = f"custom.operation({forward!r}, *{backward!r})"
    answer = ask("backward_is_right(fn, inputs)", options, fn=fn, inputs=leaves)
    answer.equals(want, mistakes={why or (hint.right if want else hint.wrong): not want})
    answer.warns_nothing(hint.warned).changes_nothing()


_slope, _vectors = "g*q*x**(q-1)", [[5.0, 2.0], [3.0, 1.5]]
_compare("x.abs()", ["g"], False, [-0.0005], why=hint.place)
_compare("x + 2*q", ["g", "2*g.flip(0)"], False, _vectors, tracked="x")
_compare("x**q", [_slope, "g*x**q*torch.log(x)"], True, _vectors, "float32", tracked="")
_compare("x**q", [_slope, "g*x**q*torch.log(x)*1.01"], False, _vectors, "float32")
_compare("torch.sin(1e3*x)", ["1e3*g*torch.cos(1e3*x)"], True, [0.00157], why=hint.wide)
_compare("x**2", ["2*x"], False, [3.0], why=hint.ignores)
_compare("torch.sin(x)", ["g*torch.cos(x)"], True, [[0.5] * 3], layout="expanded", why=hint.stride)
_compare("3*x", ["3*g", "None"], True, [5.0, 3.0], why=hint.none)
check.visible_passed()
### BEGIN HIDDEN TESTS
_SINE, _COSINE = "torch.sin(x)", "g*torch.cos(x)"
_CASES = [
    (_SINE, [_COSINE], True, 1),
    ("torch.exp(x).sum()", ["g*torch.exp(x)"], True, 1),
    ("x*q", ["g*q", "g*x"], True, 2),
    ("x.cumsum(0)", ["g.flip(0).cumsum(0).flip(0)"], True, 1),
    ("3*x", ["3*g"], True, 1),
    (_SINE, ["-g*torch.cos(x)"], False, 1),
    (_SINE, ["g*torch.cos(x)*0.9985"], False, 1),
    ("x/10000", ["g*1.5e-4"], False, 1),
    ("x/1000", ["g/1000"], True, 1),
    ("x/1000", ["g/500"], False, 1),
    (_SINE, ["torch.cos(x)"], False, 1),
    (_SINE, ["0*g"], False, 1),
    ("torch.exp(x).sum()", ["torch.exp(x)"], False, 1),
    ("x*q", ["g*x", "g*q"], False, 2),
    ("x*q", ["g*q", "None"], False, 2),
    ("3*x", ["3*g", "None"], True, 2),
    ("x*q", ["g*q", "g*x*1.02"], False, 2),
    # These backwards are wrong, but for the sum of the outputs they give the right gradient, or at least a
    # gradient whose elements have the right sum.
    ("2*x", ["2*g.flip(0)"], False, 1),
    ("x.cumsum(0)", ["g.cumsum(0)"], False, 1),
    ("x**2", ["2*g*x + g*torch.tensor([1.0, -1.0, 0.0], dtype=x.dtype)"], False, 1),
]
_compare(_SINE, ["g*torch.cos(x)*1.0005"], True, [check.draws(2, 0.5, 1.2)], why=hint.within)
_compare("x/1000", ["g*1.003e-3"], True, [check.draws(2, 0.5, 1.2)], why=hint.within)
_compare("1e6 + x", ["g"], True, [check.draws(2, 0.5, 1.2)], why=hint.narrow)
_compare(_SINE, ["g*torch.nan"], False, [check.draws(2, 0.5, 1.2)], why=hint.nan)
for _dtype in ("float64", "float32"):
    for _index, (_forward, _backward, _want, _n) in enumerate(_CASES):
        _inputs = [check.draws(3, 0.5, 1.2) for _ in range(_n)]
        _ignores_g = not _want and "g" not in _backward[0].replace("torch.", "")
        _cause = hint.ignores if _ignores_g else hint.none if _want and "None" in _backward else ""
        _compare(_forward, _backward, _want, _inputs, _dtype, "xq" * (_index % 2 == 0), why=_cause)
    for _tracked in "xq":
        _pair = [check.draws(3, 0.5, 1.2) for _ in range(2)]
        _compare("x*q", ["g*q", "g*x"], True, _pair, _dtype, _tracked)
        for _backward in (["g*q", "g*x*1.02"], ["0.9*g*q", "g*x"], ["g*q", "None"], ["None", "g*x"]):
            _compare("x*q", _backward, False, _pair, _dtype, _tracked, why=hint.all_inputs)
    _factors = [[check.draws(3, 1, 2), [0.5, 2.0, 1.0]], [check.draws(2, -2, 2), [1.0, 0.0], [2.0, 3.0]]]
    _compare("x @ q", ["g @ q.T", "x.T @ g"], True, _factors, _dtype)
    _square = [check.draws(2, 1, 2), check.draws(2, -2, -1)]
    _compare("x @ q", ["g @ q", "x @ g"], False, [_square, [[1.0, 2.0], [-1.0, 3.0]]], _dtype)
    for _want, _factor in ((True, ""), (False, "*1.05")):
        _number, _backward = check.draw(0.5, 1.2), [_COSINE + _factor]
        _compare(_SINE, _backward, _want, [_number], _dtype)
        _stride_options = {"layout": "expanded", "why": hint.stride if _want else ""}
        _compare(_SINE, _backward, _want, [[_number] * 3], _dtype, tracked="", **_stride_options)
        _compare(_SINE, _backward, _want, [[[_number, -2.0], [1.0, 0.5]]], _dtype, layout="slice")
_one_wrong_element = "g*torch.cos(x)*(1 + 0.004*(torch.arange(60) == 57))"
_compare(_SINE, [_one_wrong_element], False, [check.draws(60, 0.5, 1.2)], why=hint.alike)
_compare("torch.stack([1000*x, x])", ["1000*g[0] + 1.1*g[1]"], False, [0.7], why=hint.outputs)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.3 · `StableSoftplus`

●●●○○ · ★★★★☆ · 8 min · {{points}}

Write the softplus $\log(1 + e^x)$ with its backward, without `inf` and `nan`: `StableSoftplus.apply(x)`.

- `x` is a `float32` or `float64` tensor of any shape, with any finite elements, such as $\pm 1000$. `forward` may use torch's softplus.
- Values and gradients are right **even where they are tiny**: at $x = -40$ both are $4.248354 \cdot 10^{-18}$, not 0. (In `float64` up to one part in $10^{8}$, in `float32` one in $10^{5}$. What is below $10^{-300}$ or $10^{-35}$ may be 0.)
- `backward` works for any `grad_output`. As in task 8.1, keep on `ctx` what belongs to the call, an in-place change of an input or the result must not make the gradient silently wrong, and the backward pass can run twice.

<details><summary>Hint 1: the idea</summary>

Which of $\log(1 + e^x)$ and $x + \log(1 + e^{-x})$ is safe for $x > 0$, and which for $x < 0$? Write both with $|x|$. The slope has a name.

</details>

<details><summary>Hint 2: the same for another function</summary>

$\log \cosh x$ overflows, too. As $|x| + \log(1 + e^{-2|x|}) - \log 2$ it does not: the large part stands outside, and only $e$ to a negative power is left. The slope is $\tanh x$, which torch computes safely. What is the large part of the softplus, and what is its slope called in torch?

</details>
"""

# %% [markdown] lang="ko" en="f5a9e7a1"
r"""
## 과제 8.3 · `StableSoftplus`

{{marks}}분 · {{points}}

softplus $\log(1 + e^x)$을 `inf`와 `nan`이 나오지 않게 backward와 함께 만드세요. `StableSoftplus.apply(x)`로 씁니다.

- `x`는 `float32`나 `float64` 텐서입니다. shape에는 제한이 없고, 원소는 $\pm 1000$처럼 유한하면 무엇이든 됩니다. `forward`에는 torch의 softplus를 써도 됩니다.
- 값과 gradient는 **아주 작을 때에도** 맞아야 합니다. $x = -40$에서 둘 다 0이 아니라 $4.248354 \cdot 10^{-18}$입니다. (상대오차는 `float64`에서 $10^{-8}$, `float32`에서 $10^{-5}$까지 괜찮습니다. $10^{-300}$, $10^{-35}$보다 작은 것은 0이어도 됩니다.)
- `backward`는 어떤 `grad_output`에도 맞아야 합니다. 과제 8.1처럼 호출마다 달라지는 값은 `ctx`에 두고, 입력이나 결과가 제자리에서 바뀌었을 때 오류 없이 틀린 gradient가 나와서는 안 되고, 역방향 계산을 두 번 할 수 있어야 합니다.

<details><summary>힌트 1: 생각의 방향</summary>

$\log(1 + e^x)$과 $x + \log(1 + e^{-x})$ 가운데 $x > 0$에서 안전한 것은 무엇이고, $x < 0$에서는 무엇인가요? 둘을 $|x|$로 써 보세요. 기울기에는 이름이 있습니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

$\log \cosh x$도 중간에 너무 커집니다. $|x| + \log(1 + e^{-2|x|}) - \log 2$라고 쓰면 괜찮습니다. 큰 부분이 밖으로 나오고, $e$의 지수는 음수만 남기 때문입니다. 기울기는 $\tanh x$이고 torch가 안전하게 계산해 줍니다. softplus에서 큰 부분은 무엇이고, 기울기는 torch에서 무엇이라고 하나요?

</details>
"""


# %% answer="StableSoftplus"
class StableSoftplus(torch.autograd.Function):
    """The operation log(1 + exp(x)), finite for every x, with a custom backward."""

    @staticmethod
    def forward(x):
        ### BEGIN SOLUTION
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))
        ### END SOLUTION

    @staticmethod
    def setup_context(ctx, inputs, output):
        ### BEGIN SOLUTION
        ctx.save_for_backward(*inputs)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad_output):
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)
        ### END SOLUTION


# %% test="StableSoftplus" points=2
from secant import check, hints, probe, tensor
from secant.checking.custom import walk_back
from secant.checking.walks import judge_operation

hint = hints("StableSoftplus")


@probe
def _run(*arguments):
    return walk_back(StableSoftplus.apply, *arguments)


def _signs(x, want, tol, large_hint):
    differs = lambda got: (got - want).abs() > tol["rtol"] * want.abs() + 1e-300
    differs_only = lambda got, mask: differs(got).any() and mask[differs(got)].all()
    return {
        hint.big: lambda got: ~got.isfinite(),
        hint.capped: lambda got: ((x > 99) | (want.abs() > 1e9)) & ((got / want - 1).abs() > 0.1),
        large_hint: lambda got: differs_only(got, x > 9),
        hint.tiny: lambda got: differs_only(got, x < -14),
        hint.nearly: lambda got: differs_only(got, (got - want).abs() < 1e-3 * want.abs()),
    }


def _compare(x, g, value, slope, dtype, **tol):
    tol |= {"rtol": 1e-8, "atol": 1e-300} if dtype == "float64" else {"rtol": 1e-5, "atol": 1e-35}
    x, g, value, slope = (tensor(number, dtype) for number in (x, g, value, slope))
    wrong = {"value": _signs(x, value, tol, hint.early), "x": _signs(x, g * slope, tol, hint.one)}
    if (x.abs() < 9).all():
        wrong["value"][hint.relu], wrong["x"][hint.step] = x.clamp(min=0), g * (x > 0)
    judge_operation("StableSoftplus", _run, {"x": x}, g, value, {"x": slope}, wrong, **tol)


for _dtype in ("float64", "float32"):
    _compare([0, 2], [1, -2], [0.69314718056, 2.126928011], [0.5, 0.880797078], _dtype)
    _compare([-1000, 2000], [1, 2], [0, 2000], [0, 1], _dtype)
    _compare([-40], [3], [4.2483542553e-18], [4.2483542553e-18], _dtype)
    _compare([13, 16], [1, 3], [13.0000022603, 16.0000001125], [0.9999977397, 0.9999998875], _dtype)
check.visible_passed()
### BEGIN HIDDEN TESTS
import math

import torch


def _softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _slope(x):
    return math.exp(min(x, 0.0)) / (1 + math.exp(-abs(x)))


def _map_elements(f, x):
    return tensor([f(number) for number in x.double().flatten().tolist()]).reshape(x.shape)


def _apply(x, g, dtype, apart=False):
    x = tensor(x, dtype)
    _compare(x, g, _map_elements(_softplus, x), _map_elements(_slope, x), dtype, apart=apart)


_RANGES = [(-3, 3), (-9, 9), (-30, -14), (9, 14), (14, 30)]
_RANGES += [(-70, -40), (40, 80), (-600, -110), (-5000, -200), (200, 5000)]
for _dtype in ("float64", "float32"):
    _shapes = (), (3,), (2, 3), (1, 4, 2)
    for _turn, (_low, _high) in enumerate(_RANGES, _dtype == "float32"):
        for _shape in (_shapes[_turn % 4], _shapes[(_turn + 2) % 4]):
            _apply(check.draw_tensor(*_shape, low=_low, high=_high), check.draw_tensor(*_shape), _dtype)
    for _shape in ((0,), (2, 0)):
        _apply(torch.zeros(_shape), torch.zeros(_shape), _dtype)
    _apply([-1e30, -600.0, -0.0, 1e-12, 15.1, 1e30], [1.0, 2.0, -1.0, 3.0, 2.0, -2.0], _dtype)
    _apply([-2.0, 0.5, 40.0], [check.draw(1e20, 9e20), check.draw(-9e20, -1e20), 1e15], _dtype)
    for _g in (tensor(check.draw(-3, -0.5)).expand(2, 3), check.draw_tensor(2, 3)):
        _apply(check.draw_tensor(2, 3), _g, _dtype, apart=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.4 · `safe_sqrt`

●●○○○ · ★★★★★ · 6 min · {{points}}

For each element return $\sqrt x$ if $x > 0$, and 0 otherwise. Make the **local slope** finite everywhere, too: $\frac{1}{2 \sqrt x}$ if $x > 0$, and 0 otherwise.

- `x` is a `float32` or `float64` tensor of any shape, perhaps empty, tracked or not, without `nan`. An element counts as positive however small it is, down to $10^{-30}$.
- The result has the dtype and shape of `x`, and is tracked if and only if `x` is. The backward pass works for any gradient that arrives, and twice (`retain_graph=True`). Where $x > 0$, the gradient that arrives is multiplied by this slope as it is (`inf` stays `inf`). Where `x` is not positive, the gradient is 0 even if `inf` arrives: `0 * inf` is `nan`, which would spoil every sum it enters.
- Leave no hook on `x`. Any other means will do.

<details><summary>Hint 1: the idea</summary>

`where` cannot keep a `nan` of the other branch out of the gradient. So the other branch must never see an element that it cannot handle.

</details>

<details><summary>Hint 2: the same for another function</summary>

`torch.where(x == 0, 1.0, torch.sin(x) / x)` has the same problem at 0. It goes away if the division gets `torch.where(x == 0, 1.0, x)` instead of `x`.

</details>
"""

# %% [markdown] lang="ko" en="0d6bbb2b"
r"""
## 과제 8.4 · `safe_sqrt`

{{marks}}분 · {{points}}

원소마다 $x > 0$이면 $\sqrt x$를, 아니면 0을 돌려주세요. **국소 기울기**도 어디서나 유한해야 합니다. $x > 0$이면 $\frac{1}{2 \sqrt x}$이고, 아니면 0입니다.

- `x`는 `float32`나 `float64` 텐서입니다. shape에는 제한이 없고, 비어 있을 수도 있습니다. 추적되는 텐서일 수도, 아닐 수도 있습니다. `nan`은 없습니다. 0보다 큰 원소는 $10^{-30}$처럼 아주 작아도 0으로 여기면 안 됩니다.
- 결과는 dtype과 shape가 `x`와 같고, `x`가 추적될 때만 추적됩니다. 어떤 gradient가 도착하든 역방향 계산을 할 수 있어야 하며, 두 번도(`retain_graph=True`) 할 수 있어야 합니다. $x > 0$인 곳에는 도착한 gradient에 $\frac{1}{2 \sqrt x}$을 곱한 값이 그대로 갑니다(`inf`가 도착하면 `inf`입니다). `x`가 0 이하인 곳의 gradient는 무엇이 도착하든, `inf`가 도착해도 0이어야 합니다. `0 * inf`는 `nan`이고, `nan`이 하나라도 섞이면 그것을 더한 gradient가 모두 `nan`이 되기 때문입니다.
- `x`에 hook을 남기면 안 됩니다. 그 밖의 방법은 무엇이든 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

`where`는 다른 갈래에서 생긴 `nan`이 gradient에 섞이는 것을 막지 못합니다. 그러니 제곱근이나 그 기울기를 구할 수 없는 원소가 처음부터 그 갈래에 들어가지 않게 해야 합니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

`torch.where(x == 0, 1.0, torch.sin(x) / x)`도 0에서 같은 문제가 있습니다. 나눗셈에 `x` 대신 `torch.where(x == 0, 1.0, x)`를 넣으면 해결됩니다.

</details>
"""


# %% answer="safe_sqrt"
def safe_sqrt(x):
    """Return a tensor like x: the square root where x > 0, and elsewhere 0 with a gradient of 0."""
    ### BEGIN SOLUTION
    positive = x > 0
    inside = torch.where(positive, x, 1.0)
    return torch.where(positive, torch.sqrt(inside), 0.0)
    ### END SOLUTION


# %% test="safe_sqrt" points=2
import torch

from secant import ask, check, hints, leaf, tensor

hint = hints("safe_sqrt")


def _compare(x, g, dtype="float64", layout="", tracked=True, nan_hint=hint.trap, cause=hint.small):
    x, g = tensor(x, dtype), tensor(g, dtype)
    tolerance = {"rtol": 1e-9 if dtype == "float64" else 1e-5, "atol": 0.0}
    root = torch.sqrt(x.clamp(min=0))
    want = torch.where(x > 0, g * 0.5 / root, 0.0)
    at_zero = lambda got: got.isinf() & (x <= 0)
    wrong = {nan_hint: torch.isnan, hint.infinite: at_zero, hint.arriving: 0.5 / root}
    g_leaf = leaf(g, dtype, layout=layout, tracked=False)
    y = ask("y = safe_sqrt(x)", x=leaf(x, dtype, layout=layout, tracked=tracked), g=g_leaf)
    root_mistakes = {hint.masked: torch.isnan, hint.small: lambda got: got.shape == root.shape}
    y.returns(root, mistakes=root_mistakes, **tolerance).changes_nothing()
    if not tracked:
        return y.is_untracked(hint.untracked)
    gradient = y.is_tracked().gradient("x")
    gradient.returns(want, mistakes=wrong, hint=cause, **tolerance).changes_nothing()
    second = y.then("torch.autograd.grad(y, x, g)[0]", hint.walked_again, errors=hint.walked_once)
    return second.returns(want, **tolerance)


_compare([4.0, 0.0, -1.0], [2.0, 1.0, 3.0], "float32")
_compare([1e-8, 2e-30, -1e-8], [2.0, 3.0, 1.0])
_compare([4.0, -1.0], [torch.inf, torch.inf], nan_hint=hint.inf_arrives, cause=hint.inf_stays)
check.visible_passed()


### BEGIN HIDDEN TESTS
def _draw_mixed_signs(shape):
    size = torch.Size(shape).numel()
    signs = tensor([(1.0, -1.0, 0.0)[k % 3] for k in range(size)]).reshape(shape)
    return check.draw_tensor(*shape, low=0.01, high=9) * signs


for _dtype in ("float64", "float32"):
    for _shape in ((), (1,), (5,), (2, 3), (3, 1, 4), (0,), (2, 0)):
        _compare(_draw_mixed_signs(_shape), check.draw_tensor(*_shape), _dtype)
        _compare(_draw_mixed_signs(_shape), check.draw_tensor(*_shape), _dtype, tracked=False)
    _compare(_draw_mixed_signs((3, 4)), check.draw_tensor(3, 4), _dtype, "transposed")
    _compare(-check.draw_tensor(2, 2, low=0.1, high=9), check.draw_tensor(2, 2), _dtype)
    _compare(torch.zeros(3), torch.zeros(3), _dtype)
    _compare([0.0, 4.0], [-torch.inf] * 2, _dtype, nan_hint=hint.inf_arrives, cause=hint.inf_stays)
    for _x in (0.0, -0.0, -check.draw(0.1, 9), check.draw(0.1, 9), -1e-30, 2e-30, 1e-20, 1e30, -1e30):
        _compare(_x, check.draw(-3, 3), _dtype)
for _other_call in ("safe_sqrt(x / 4)", "safe_sqrt(x - 5)"):
    _y = ask("y = safe_sqrt(x)", x=leaf([4.0, 9.0], grad=9.0), g=tensor([1.0, 2.0]))
    _y.changes_nothing().then(_other_call).changes_nothing()
    _y.gradient("x").returns(tensor([0.25, 1 / 3]), hint=hint.between)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.5 · `at_the_kink`

●○○○○ · ★★★☆☆ · 3 min · {{points}}

Return the slope that **autograd** gives at $x = 0$ for five functions, as a dict with exactly these keys:

- `"relu"`: `torch.relu(x)`
- `"where0"`: `torch.where(x >= 0, x, 0.0)`
- `"maximum0"`: `torch.maximum(x, torch.zeros_like(x))`
- `"abs"`: `torch.abs(x)`
- `"relu(x)-relu(-x)"`: `torch.relu(x) - torch.relu(-x)`

Each value is a Python number. You may write down the five numbers or let autograd find them. Return a new dict at each call.

<details><summary>Hint 1: the idea</summary>

Section 4 has them all. The quotients there are not what this task asks for.

</details>

<details><summary>Hint 2: another function</summary>

For `torch.sign`: make a tracked `x` that is 0, call `backward()` on `torch.sign(x)`, and read `x.grad`. What would go wrong if the next function used the same `x`?

</details>
"""

# %% [markdown] lang="ko" en="92427292"
r"""
## 과제 8.5 · `at_the_kink`

{{marks}}분 · {{points}}

다섯 함수에 대해 $x = 0$에서 **autograd**가 내는 기울기를 dict로 돌려주세요. 키는 꼭 다음과 같아야 합니다.

- `"relu"`: `torch.relu(x)`
- `"where0"`: `torch.where(x >= 0, x, 0.0)`
- `"maximum0"`: `torch.maximum(x, torch.zeros_like(x))`
- `"abs"`: `torch.abs(x)`
- `"relu(x)-relu(-x)"`: `torch.relu(x) - torch.relu(-x)`

값은 모두 파이썬의 수입니다. 수 다섯 개를 그대로 적어도 되고, autograd로 구해도 됩니다. 호출할 때마다 새 dict를 돌려주세요.

<details><summary>힌트 1: 생각의 방향</summary>

4절에 모두 있습니다. 거기에 나오는 차분몫을 묻는 것은 아닙니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

`torch.sign`이라면 값이 0이고 추적되는 `x`를 만들고, `torch.sign(x)`에서 `backward()`를 호출한 다음 `x.grad`를 읽습니다. 다음 함수에 같은 `x`를 쓰면 무엇이 잘못될까요?

</details>
"""


# %% answer="at_the_kink"
def at_the_kink():
    """Return a dict that gives autograd's slope at 0, a number, for each function.

    The keys are "relu", "where0", "maximum0", "abs" and "relu(x)-relu(-x)".
    """
    ### BEGIN SOLUTION
    return {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
    ### END SOLUTION


# %% test="at_the_kink" points=1
from secant import ask, check, hints

hint = hints("at_the_kink")

_WANT = {"relu": 0.0, "where0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
_WRONG = {
    "relu": {hint.right: 1.0, hint.central: 0.5},
    "where0": {hint.zero_left: 0.0, hint.central: 0.5},
    "maximum0": {hint.zero_left: 0.0, hint.right: 1.0, hint.added: 1.5},
    "abs": {hint.right: 1.0, hint.left: -1.0, hint.added: 1.5},
    "relu(x)-relu(-x)": {hint.equal: 1.0},
}
_slopes = ask("slopes = at_the_kink()")
_slopes.holds(type(_slopes.result) is dict and set(_slopes.result) == set(_WANT), hint.keys)
for _name, _want in _WANT.items():
    _slope = _slopes.then(f"slopes[{_name!r}]")
    _slope.holds(type(_slope.result) in (int, float), hint.float)
    _slope.returns(_want, mistakes=_WRONG[_name], hint=hint.run)
_slopes.changes_nothing()
check.visible_passed()
### BEGIN HIDDEN TESTS
for _ in range(2):
    _second_answer = _slopes.after("slopes.update(dict.fromkeys(slopes, 99.0))", hint.new)
    _second_answer.returns(_WANT).changes_nothing()
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.6 · `MyLayerNorm`

●●●●○ · ★★★★★ · 15 min · {{points}} (forward 1, backward 2)

Layer normalization brings each row of `x` to mean 0 and variance 1, then multiplies its columns by `weight`. For a row of $n$ elements:

$$m = \frac{1}{n} \sum_j x_j, \qquad s = \sqrt{\frac{1}{n} \sum_j (x_j - m)^2 + \varepsilon}, \qquad \hat x_j = \frac{x_j - m}{s}, \qquad y_j = w_j\, \hat x_j$$

Write it with its backward: `MyLayerNorm.apply(x, weight, eps)`.

- `x` has the shape `(..., n)`: a row runs along the last dimension. There may be one row or many, in several dimensions, and $n \geq 1$. `weight` has the shape `(n,)` and the dtype of `x`, `float32` or `float64`; some of its elements may be 0. `eps` is a positive Python float. `x`, `weight` or both are tracked.
- `backward` works for any `grad_output`. All rows share `weight`, so its gradient is a sum over the rows. (PyTorch adds up a gradient of the broadcast shape for you, so either is accepted.) You may return a gradient that is not needed.
- Values and gradients are right to one part in $10^{7}$ in `float64`, and to one part in $10^{3}$ in `float32`. (What cancels almost to 0 may be off by $10^{-9}$ or $10^{-3}$.) In `float64` this holds also where a row lies around $10^{6}$ with a spread of about 1: subtract before you square.
- Derive the gradient yourself: `backward` may use neither torch's own layer norm nor autograd (`torch.autograd.grad`, `torch.func` and the like). As in task 8.1, keep on `ctx` what belongs to the call, an in-place change of an input or the result must not make the gradient silently wrong, and the backward pass can run twice.

Before you run our tests, run your own check: `backward_is_right(lambda x, w: MyLayerNorm.apply(x, w, 0.1), (torch.randn(2, 4), torch.randn(4)))`.

<details><summary>Hint 1: the idea</summary>

Let $h_j = g_j w_j$, the gradient that arrives at $\hat x_j$. From $x_j$ there are three paths: straight to $\hat x_j$, through $m$ to the whole row, and through $s$ to the whole row. Section 3 added up the first two.

</details>

<details><summary>Hint 2: the same for another function</summary>

Dividing a row by its length, $y_j = \frac{x_j}{|x|}$, has two paths: straight, and through the length. They add up to $\frac{1}{|x|} \left(g_j - y_j \sum_i g_i y_i\right)$.

</details>
"""

# %% [markdown] lang="ko" en="f3ee4483"
r"""
## 과제 8.6 · `MyLayerNorm`

{{marks}}분 · {{points}} (forward 1, backward 2)

층 정규화(layer normalization)는 `x`의 행마다 평균을 0, 분산을 1로 맞춘 다음 열마다 `weight`를 곱합니다. 원소가 $n$개인 행에서는 다음과 같습니다.

$$m = \frac{1}{n} \sum_j x_j, \qquad s = \sqrt{\frac{1}{n} \sum_j (x_j - m)^2 + \varepsilon}, \qquad \hat x_j = \frac{x_j - m}{s}, \qquad y_j = w_j\, \hat x_j$$

이것을 backward와 함께 만드세요. `MyLayerNorm.apply(x, weight, eps)`로 씁니다.

- `x`의 shape는 `(..., n)`이고, 행은 마지막 차원을 따라 놓입니다. 행은 하나일 수도, 여러 차원에 걸쳐 여럿일 수도 있고, $n \geq 1$입니다. `weight`는 shape가 `(n,)`이고 dtype은 `x`와 같이 `float32`나 `float64`이며, 원소에 0이 있을 수도 있습니다. `eps`는 0보다 큰 파이썬 float입니다. `x`와 `weight` 가운데 하나 또는 둘 다 추적됩니다.
- `backward`는 어떤 `grad_output`에도 맞아야 합니다. 모든 행이 `weight`를 함께 쓰므로 `weight`의 gradient는 행에 대한 합입니다. (브로드캐스트된 shape의 gradient를 돌려주면 PyTorch가 대신 더해 주므로 어느 쪽이든 됩니다.) 필요 없는 gradient를 돌려주어도 됩니다.
- 값과 gradient의 상대오차는 `float64`에서 $10^{-7}$, `float32`에서 $10^{-3}$까지 괜찮습니다. (거의 0으로 상쇄되는 곳에서는 $10^{-9}$, $10^{-3}$만큼 달라도 됩니다.) `float64`에서는 행의 원소가 $10^{6}$ 근처에 1쯤의 폭으로 모여 있을 때도 그래야 합니다. 평균을 먼저 뺀 다음 제곱하세요.
- gradient의 식은 직접 구하세요. `backward`에서는 torch의 layer norm도, autograd(`torch.autograd.grad`, `torch.func` 등)도 쓸 수 없습니다. 과제 8.1처럼 호출마다 달라지는 값은 `ctx`에 두고, 입력이나 결과가 제자리에서 바뀌었을 때 오류 없이 틀린 gradient가 나와서는 안 되고, 역방향 계산을 두 번 할 수 있어야 합니다.

테스트보다 먼저 여러분이 만든 검사로 확인해 보세요. `backward_is_right(lambda x, w: MyLayerNorm.apply(x, w, 0.1), (torch.randn(2, 4), torch.randn(4)))`.

<details><summary>힌트 1: 생각의 방향</summary>

$\hat x_j$에 도착하는 gradient를 $h_j = g_j w_j$라고 합시다. $x_j$에서 시작하는 경로는 세 가지입니다. $\hat x_j$로 곧장 가는 것, $m$을 거쳐 행 전체로 가는 것, $s$를 거쳐 행 전체로 가는 것입니다. 3절에서는 앞의 둘을 더했습니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

행을 그 길이로 나누는 $y_j = \frac{x_j}{|x|}$에는 경로가 둘 있습니다. 곧장 가는 것과 길이를 거쳐 가는 것입니다. 둘을 더하면 $\frac{1}{|x|} \left(g_j - y_j \sum_i g_i y_i\right)$입니다.

</details>
"""


# %% answer="MyLayerNorm"
class MyLayerNorm(torch.autograd.Function):
    """Layer normalization with a custom backward.

    Each row of x is brought to mean 0 and variance 1, and then multiplied by weight.
    """

    @staticmethod
    def forward(x, weight, eps):
        ### BEGIN SOLUTION
        centred = x - x.mean(dim=-1, keepdim=True)
        return weight * centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
        ### END SOLUTION

    @staticmethod
    def setup_context(ctx, inputs, output):
        ### BEGIN SOLUTION
        x, weight, eps = inputs
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad_output):
        ### BEGIN SOLUTION
        x, weight = ctx.saved_tensors
        centred = x - x.mean(dim=-1, keepdim=True)
        spread = (centred.square().mean(dim=-1, keepdim=True) + ctx.eps).sqrt()
        normalized = centred / spread
        h = grad_output * weight
        through_mean = h.mean(dim=-1, keepdim=True)
        through_spread = normalized * (h * normalized).mean(dim=-1, keepdim=True)
        grad_x = (h - through_mean - through_spread) / spread
        grad_weight = (grad_output * normalized).sum_to_size(weight.shape)
        return grad_x, grad_weight, None
        ### END SOLUTION


# %% test="MyLayerNorm" points=3
from secant import PartialCredit, check, hints, probe, tensor
from secant.checking.custom import walk_back
from secant.checking.walks import judge_operation

hint = hints("MyLayerNorm")
_credit = PartialCredit(forward=1, backward=2)


@probe
def _run(eps, *arguments):  # walk_back also makes an untracked call, which gets another eps
    apply = lambda x, w: MyLayerNorm.apply(x, w, eps if (x + w).requires_grad else 5 * eps)
    return walk_back(apply, *arguments)


def _compare(x, weight, g, eps, value, gradients, wrong, dtype="float64", apart=False, cause=""):
    x, weight, g, value = (tensor(numbers, dtype) for numbers in (x, weight, g, value))
    options = {"rtol": 1e-7, "atol": 1e-9} if dtype == "float64" else {"rtol": 1e-3, "atol": 1e-3}
    options |= {"more": f", eps={eps}", "apart": apart, "forward_only": _credit.now == "forward"}
    run, inputs = lambda *arguments: _run(eps, *arguments), {"x": x, "weight": weight}
    return judge_operation("MyLayerNorm", run, inputs, g, value, gradients, wrong, cause, **options)


_y, _grad_x = tensor([[-1, 2], [1, -2]]), tensor([[-0.1875, 0.1875], [0.75, -0.75]])
_gradients = {"x": lambda g: _grad_x, "weight": lambda g: tensor([0.5, 1.0])}
_value = {hint.unbiased: 4 * _y / 20**0.5, hint.outside: 2 * _y / 7, hint.eps: 2 * _y}
_value[hint.whole] = tensor([[-14, -12], [14, 12]]) / 41**0.5
_x = {hint.constant: [[0.5, 1.0], [1.0, -1.0]], hint.no_spread: [[-0.25, 0.25], [1.0, -1.0]]}
_x |= {hint.no_mean: [[0.5625, 0.9375], [0.75, -0.75]], hint.arriving: [[-0.1875, 0.1875]] * 2}
_x |= {hint.weight: [[0.0, 0.0], [0.28125, -0.28125]], hint.eps: 0 * _y, hint.scale: 4 * _grad_x}
_wrong = {"value": _value, "x": _x, "weight": {hint.rows: [0.25, 0.5], hint.eps: [1.0, 2.0]}}
_credit.each(_compare)([[1, 5], [15, 11]], [2, 4], [[1, 1], [2, -1]], 12.0, _y, _gradients, _wrong)
check.visible_passed(_credit)


### BEGIN HIDDEN TESTS
import torch


def _normalize(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    spread = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
    return centred / spread, spread


def _mistakes(x, weight, g, eps):
    normal, spread = _normalize(x, eps)
    h = g * weight
    size = x.shape[-1]
    variance = normal.square().mean(-1, keepdim=True) * spread.square()
    through_spread = normal * (h * normal).mean(-1, keepdim=True)
    no_weight = (g - g.mean(-1, keepdim=True) - normal * (g * normal).mean(-1, keepdim=True)) / spread
    value = {
        hint.unbiased: weight * normal * spread / (variance * size / max(size - 1, 1) + eps).sqrt(),
        hint.outside: weight * normal * spread / (variance.sqrt() + eps),
        hint.whole: weight * _normalize(x.flatten(), eps)[0].reshape(x.shape),
        hint.eps: weight * _normalize(x, 0)[0],
    }
    bare, bare_spread = _normalize(x, 0)
    paths, through_bare = h - h.mean(-1, keepdim=True), bare * (h * bare).mean(-1, keepdim=True)
    slopes = {
        hint.constant: h / spread,
        hint.no_spread: paths / spread,
        hint.no_mean: (h - through_spread) / spread,
        hint.weight: (no_weight, weight * no_weight),
        hint.eps: ((paths - through_bare) / bare_spread, (paths - through_bare) / spread),
        hint.scale: paths - through_spread,
    }
    rows = x.numel() // size
    weight_slopes = {
        hint.rows: (g * normal).sum_to_size(weight.shape) / rows,
        hint.eps: (g * bare).sum_to_size(weight.shape),
        hint.scale: (g * normal * spread).sum_to_size(weight.shape),
    }
    return {"value": value, "x": slopes, "weight": weight_slopes}


def _as_tuple(wrong):
    return wrong if isinstance(wrong, tuple) else (wrong,)


@_credit.each
def _apply(x, weight, g, eps, dtype, tracked=("x", "weight"), apart=False, cause=""):
    x, weight, g = (tensor(values, dtype).double() for values in (x, weight, g))
    normal, spread = _normalize(x, eps)

    def grad_x(g):
        h = g.double() * weight
        paths = h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)
        return tensor(paths / spread, dtype)

    def grad_weight(g):
        return tensor((g.double() * normal).sum_to_size(weight.shape), dtype)

    gradients = {"x": grad_x, "weight": grad_weight}
    wrong = {
        name: {cause: tuple(tensor(value, dtype) for value in _as_tuple(w)) for cause, w in mistakes.items()}
        for name, mistakes in _mistakes(x, weight, g, eps).items()
    }
    tracked_gradients = {name: gradients[name] for name in tracked}
    cause = cause or (hint.zero if (weight == 0).any() else "")  # weight may also contain a 0 by chance
    call, report = _compare(x, weight, g, eps, weight * normal, tracked_gradients, wrong, dtype, apart, cause)
    if _credit.now == "forward":
        return
    torch_operations = [name for name in report["operations"] if "layer_norm" in name]
    check.holds(not torch_operations, call, hint.torch)
    check.holds(not report["delegated"], call, hint.autograd)


def _draw_x(*shape):
    """Return rows whose elements are spread out, so that s, the root of variance + eps, is not small."""
    return check.draw_tensor(*shape, low=-0.5, high=0.5) + 2 * torch.arange(shape[-1], dtype=torch.float64)


_tracked_choices = ("x", "weight"), ("x",), ("weight",)
for _dtype in ("float64", "float32"):
    for _turn, _shape in enumerate(((3,), (1,), (2, 4), (4, 1), (2, 3, 5)), _dtype == "float32"):
        for _tracked in (_tracked_choices[_turn % 3], _tracked_choices[(_turn + 1) % 3]):
            _w, _g, _eps = check.draw_tensor(_shape[-1]), check.draw_tensor(*_shape), check.draw(0.01, 0.5)
            _apply(_draw_x(*_shape), _w, _g, _eps, _dtype, _tracked)
    _apply(_draw_x(2, 3, 4), check.draw_tensor(4), check.draw_tensor(2, 3, 4), 1e-5, _dtype, apart=True)
    _apply(_draw_x(2, 3), tensor([1.0, 0.0, -2.0]), check.draw_tensor(2, 3), 0.1, _dtype)
    _apply(torch.ones(2, 3), check.draw_tensor(3), check.draw_tensor(2, 3), 0.1, _dtype, cause=hint.equal)
    _apply(
        _draw_x(2, 3), check.draw_tensor(3), tensor(check.draw(1, 3)).expand(2, 3), 1e-5, _dtype, apart=True
    )
_apply(
    1e-5 * _draw_x(2, 3), check.draw_tensor(3), check.draw_tensor(2, 3), 1e-12, "float64", cause=hint.floor
)
_apply(1e6 + _draw_x(2, 5), check.draw_tensor(5), check.draw_tensor(2, 5), 1e-5, "float64", cause=hint.digits)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **8.1** Shapes from a single element to three dimensions, and empty; both dtypes; any `grad_output`, also expanded or transposed; slices of larger tensors; `x`, `q` or both tracked; negative `x`, and very small `x` down to $10^{-300}$ ($10^{-37}$ in `float32`); a `q` of 0; what `backward` returns, and which operations run in it;
  other calls in between; an in-place change of an input or the result before the backward pass; two backward passes.
- **8.2** Right and wrong backwards of many operations: a sign, a factor of 0.9985 (wrong) and 1.0005 (right), one input, one output, one slope of many, transposed, `None`, 0, `nan`, mistakes that cancel or vanish in a sum, `grad_output` ignored, right only for $x > 0$; large results, and an `fn` that bends fast; single elements, vectors,
  matrices, slices, expanded tensors; both dtypes; all inputs tracked, some, none; errors, warnings and the type of the answer.
- **8.3** Elements from $-10^{30}$ to $10^{30}$, tiny results, shapes, both dtypes, any `grad_output`, also expanded or transposed, slices, other calls in between, an in-place change of an input or the result, two backward passes.
- **8.4** Positive, negative, zero and very small elements, alone and mixed; shapes, also empty; both dtypes; tracked and not; any gradient that arrives, also `inf` or transposed; another call in between; two backward passes.
- **8.5** Keys and types; three calls, with the dict changed in between.
- **8.6** One row and many; rows of one element, of equal elements, around $10^{6}$, with a tiny spread; a `weight` with 0; both dtypes; `x`, `weight` or both tracked; small and large `eps`; any `grad_output`, also expanded or transposed, slices; what `backward` runs; other calls in between, an in-place change of an input or the result, two backward passes.

</details>

The rules of lesson 1 are checked in every task.

## What you have built

In lesson 10 an operation only computes its result and stores its local slopes; one `backward` for all operations multiplies what arrives by these slopes. And you know how to judge a backward:
compare it with the difference quotient.

## Checklist

You can now answer these without looking back:

- What does `backward` get, and what must it return? With two outputs? With a Python number among the inputs?
- Why `save_for_backward` and not `ctx.x = x`? Why for outputs, too? What is `needs_input_grad` for?
- Why does `gradcheck` need `float64`? Name two things that a passed check does not prove.
- What are the forward, backward and central quotients of `relu` at 0? And autograd's slope?
- Which rule does PyTorch document for kinks, and which operations break it?
- Why does `torch.where` not keep a `nan` out of the gradient, and what does?

## Links

- [PyTorch: Extending PyTorch](https://docs.pytorch.org/docs/stable/notes/extending.html)
- [PyTorch: Gradcheck mechanics](https://docs.pytorch.org/docs/stable/notes/gradcheck.html)
- [PyTorch: Autograd mechanics, gradients for non-differentiable functions](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
- [A real bug: HIPS Autograd issue 407, stats.norm.pdf is not grad of stats.norm.cdf](https://github.com/HIPS/autograd/issues/407)
- [PyTorch issue 68425: torch.where produces nan in backward pass](https://github.com/pytorch/pytorch/issues/68425)

Next: [Lesson 09](../09_gradients_of_gradients/09_gradients_of_gradients.ipynb), gradients of gradients.
"""

# %% [markdown] lang="ko" en="2fc62beb"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **8.1** 원소 하나부터 3차원까지와 빈 텐서, 두 가지 dtype, 임의의 `grad_output`(expand하거나 전치한 것도), 더 큰 텐서에서 잘라 낸 것, `x`나 `q` 또는 둘 다 추적될 때, 음수 `x`와 $10^{-300}$(`float32`에서는 $10^{-37}$)까지의 아주 작은 `x`, 0인 `q`, `backward`가 돌려준 것과 실행한 연산,
  그사이의 다른 호출, 역방향 계산 전에 입력이나 결과를 제자리에서 바꾸기, 두 번의 역방향 계산.
- **8.2** 여러 연산의 맞는 backward와 틀린 backward. 부호, 0.9985배(틀림)와 1.0005배(맞음), 입력 하나, 출력 하나, 많은 기울기 가운데 하나, 전치, `None`, 0, `nan`, 합에서 상쇄되거나 묻히는 실수, 무시된 `grad_output`, $x > 0$에서만 맞는 것. 결과가 클 때와 `fn`이 짧은 구간에서 많이 휠 때. 원소 하나, 벡터, 행렬, 잘라 낸 것, expand한 텐서, 두 가지 dtype,
  입력이 모두 추적될 때, 일부만 추적될 때, 추적되지 않을 때, 오류와 경고와 답의 타입.
- **8.3** $-10^{30}$부터 $10^{30}$까지의 원소, 아주 작은 결과, 여러 shape, 두 가지 dtype, 임의의 `grad_output`(expand하거나 전치한 것도), 잘라 낸 것, 그사이의 다른 호출, 입력이나 결과를 제자리에서 바꾸기, 두 번의 역방향 계산.
- **8.4** 양수, 음수, 0, 아주 작은 수를 따로 또는 섞어서, 여러 shape(빈 것도), 두 가지 dtype, 추적될 때와 아닐 때, 도착하는 임의의 gradient(`inf`나 전치한 것도), 그사이의 다른 호출, 두 번의 역방향 계산.
- **8.5** 키와 타입, dict를 바꾸어 가며 세 번 호출하기.
- **8.6** 행이 하나일 때와 여럿일 때, 원소가 하나인 행, 원소가 모두 같은 행, $10^{6}$ 근처의 행, 원소들이 서로 아주 가까운 행, 0이 있는 `weight`, 두 가지 dtype, `x`나 `weight` 또는 둘 다 추적될 때, 작은 `eps`와 큰 `eps`, 임의의 `grad_output`(expand하거나 전치한 것도), 잘라 낸 것, `backward`가 실행한 것, 그사이의 다른 호출, 입력이나 결과를 제자리에서 바꾸기, 두 번의 역방향 계산.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10의 연산은 결과를 계산하면서 국소 기울기를 저장해 두기만 합니다. 도착한 값에 그 기울기를 곱하는 일은 모든 연산에 공통인 `backward` 하나가 합니다. backward가 맞는지 가리는 방법도 알게 되었습니다. 차분몫과 비교하면 됩니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `backward`는 무엇을 받고 무엇을 돌려주어야 하나요? 출력이 둘이면요? 인자 가운데 파이썬의 수가 있으면요?
- 왜 `ctx.x = x` 대신 `save_for_backward`를 쓰나요? 출력은 왜 꼭 그렇게 저장해야 하나요? `needs_input_grad`는 어디에 쓰나요?
- `gradcheck`에는 왜 `float64`를 넣나요? 검사를 통과해도 증명되지 않는 것을 두 가지 말해 보세요.
- 0에서 `relu`의 전방, 후방, 중앙 차분몫은 얼마인가요? autograd의 기울기는요?
- PyTorch 문서의 꺾인 점에 대한 규칙은 무엇이고, 어떤 연산이 그 규칙에 어긋나나요?
- `torch.where`는 왜 gradient에 `nan`이 섞이는 것을 막지 못하나요? 무엇으로 막나요?

## 더 읽을거리

- [PyTorch: Extending PyTorch (영어)](https://docs.pytorch.org/docs/stable/notes/extending.html)
- [PyTorch: Gradcheck mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/gradcheck.html)
- [PyTorch: Autograd mechanics, 미분할 수 없는 함수의 gradient (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
- [실제로 있었던 버그: HIPS Autograd 이슈 407, stats.norm.pdf is not grad of stats.norm.cdf (영어)](https://github.com/HIPS/autograd/issues/407)
- [PyTorch 이슈 68425: torch.where produces nan in backward pass (영어)](https://github.com/pytorch/pytorch/issues/68425)

다음은 [수업 09](../09_gradients_of_gradients/09_gradients_of_gradients.ipynb), gradient의 gradient입니다.
"""
