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

Lesson 08 of 10 · ~65 min · Function, gradcheck, subgradient

**After this lesson you can**

- write an operation with a backward of your own, and leave out what nobody needs;
- check a backward with `gradcheck`, and say what a passed check does not prove;
- tell what autograd answers where a function has a kink, and why two equal functions may get two answers;
- rewrite a formula that is right on paper, but gives `inf` or `nan` in a computer.

You need lesson 7 (saved tensors, the version counter, hooks), lesson 5 (the VJP, `torch.func`) and lesson 1 (the central quotient).
"""

# %% [markdown] lang="ko" en="39adf496"
r"""
# 나만의 backward 만들고 검사하기

수업 08 / 10 · 약 65분 · Function, gradcheck, subgradient

**이 수업을 마치면**

- backward를 직접 정한 연산을 만들고, 아무도 쓰지 않을 계산은 건너뛸 수 있습니다.
- `gradcheck`로 backward를 검사하고, 검사를 통과해도 증명되지 않는 것이 무엇인지 말할 수 있습니다.
- 함수가 꺾인 점에서 autograd가 어떤 값을 내는지, 똑같은 두 함수에서 왜 서로 다른 값이 나올 수 있는지 설명할 수 있습니다.
- 종이 위에서는 맞지만 컴퓨터에서는 `inf`나 `nan`이 되는 식을 고쳐 쓸 수 있습니다.

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
## Predict first

`relu(x)` is $x$ where $x$ is above 0, and 0 elsewhere. So `relu(x) - relu(-x)` is $x$, for every number $x$: a straight line of slope 1.

**What gradient does autograd give for `torch.relu(x) - torch.relu(-x)` at $x = 0$?**
"""

# %% [markdown] lang="ko" en="53a6ad56"
r"""
## 먼저 예상하기

`relu(x)`는 $x$가 0보다 크면 $x$, 아니면 0입니다. 그러므로 `relu(x) - relu(-x)`는 어떤 수 $x$에서나 $x$입니다. 기울기가 1인 직선입니다.

**$x = 0$에서 autograd가 구하는 `torch.relu(x) - torch.relu(-x)`의 gradient는 얼마일까요?**
"""

# %%
predict("8 a straight line", A="1", B="0", C="0.5")

# %% [markdown] lang="en"
r"""
## 1. An operation of your own

PyTorch knows the backward of several hundred operations, and of all that is made of them. If yours is not among them, or its backward should be
another, write it yourself. Here is the power $x^q$ once more (lesson 4), for $x > 0$, as a subclass of `torch.autograd.Function`:
"""

# %% [markdown] lang="ko" en="f4936f22"
r"""
## 1. 직접 만든 연산

PyTorch는 수백 가지 연산의 backward를 알고, 그것으로 만든 것은 무엇이든 미분합니다. 그 가운데 없는 연산이 필요하거나 backward를 다르게 정하고 싶으면
직접 만들면 됩니다. 수업 04의 거듭제곱 $x^q$($x > 0$)을 `torch.autograd.Function`의 하위 클래스(subclass)로 다시 만들어 봅시다.
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

y.register_hook(lambda gradient: print("grad_output:", gradient))
z.backward()
print("x.grad:", x.grad)
print("q.grad:", q.grad)

# %% [markdown] lang="en"
r"""
- `apply` calls `forward`. Nothing inside is recorded; the graph gets **one node** for the whole operation, and its name is made of yours: `PowerBackward`.
- `backward` is called on the way back. `grad_output` is what arrives there: $\frac{dz}{dy} = \frac{1}{125} = 0.008$. It returns **one gradient for
  each input of `forward`** (`ctx` does not count), in that order, each multiplied by `grad_output`: $0.008 \cdot 75 = 0.6$ and $0.008 \cdot 125 \log 5 = 1.6094$. So it is a
  VJP (lesson 5).
- `ctx` (*context*) is a notepad that belongs to this one call: `forward` writes on it, `backward` reads. `save_for_backward` keeps tensors
  together with their version, so a change in place in between is found out (lesson 7). `ctx.x = x` would keep the tensor, but not watch it.

There is a second style, in which the tasks are given: `forward` gets no `ctx`, and `setup_context` does the saving.
"""

# %% [markdown] lang="ko" en="0be5d790"
r"""
- `apply`가 `forward`를 부릅니다. 그 안의 계산은 기록되지 않습니다. 연산 전체가 그래프에서 **노드 하나**가 되고, 이름은 클래스 이름을 따서
  `PowerBackward`입니다.
- `backward`는 거슬러 갈 때 불립니다. `grad_output`은 그 자리에 도착한 값 $\frac{dz}{dy} = \frac{1}{125} = 0.008$입니다. **`forward`의 입력마다(`ctx`는 빼고)
  gradient를 하나씩**, 같은 순서로 돌려줍니다. 모두 `grad_output`을 곱한 값, 곧 $0.008 \cdot 75 = 0.6$과 $0.008 \cdot 125 \log 5 = 1.6094$입니다.
  그러니까 VJP입니다(수업 05).
- `ctx`(*context*)는 이 호출 하나에 딸린 메모장입니다. `forward`가 적고 `backward`가 읽습니다. `save_for_backward`는 텐서를 버전과 함께 저장하므로,
  그사이에 제자리에서 바뀌면 알아챕니다(수업 07). `ctx.x = x`라고 하면 텐서는 남지만 바뀌는지 지켜보지는 않습니다.

쓰는 방식이 하나 더 있습니다. 과제의 뼈대는 이 방식입니다. `forward`는 `ctx`를 받지 않고, 저장은 `setup_context`가 합니다.
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
Only this style works with `torch.func` (lesson 5). And `ctx.needs_input_grad` says which inputs need a gradient. Where one does not, return
`None` and compute nothing: it would be thrown away. `Power` computes both always: for $x = -2$ and a constant $q = 3$ it takes $\log(-2)$, for which nobody asks.

## 2. Is it right?

`gradcheck` asks the difference quotient. It takes each number of each tracked input, moves it by $h = 10^{-6}$ both ways (the central quotient of lesson 1),
and compares with `backward`. It returns `True` if all differ by less than $10^{-5} + 10^{-3} \cdot$ the size of the quotient; otherwise it raises an error. If you pass `raise_exception=False`, it returns `False` where numbers differ.
In the second class somebody wrote $\log(x + 1)$ for $\log x$:
"""

# %% [markdown] lang="ko" en="02bc41c6"
r"""
`torch.func`(수업 05)에는 이 방식으로 쓴 것만 넣을 수 있습니다. 그리고 `ctx.needs_input_grad`는 어느 입력에 gradient가 필요한지 알려 줍니다. 필요 없는 입력에는
아무것도 계산하지 말고 `None`을 돌려주세요. 계산해도 버려집니다. `Power`는 늘 둘 다 계산합니다. $x = -2$이고 $q = 3$이 상수이면 쓸데없이 $\log(-2)$를 구합니다.

## 2. 맞게 썼을까?

`gradcheck`는 차분몫(difference quotient)을 기준으로 backward를 검사합니다. 추적되는 입력의 원소를 하나씩 양쪽으로 $h = 10^{-6}$만큼 움직여 보고(수업 01의 중앙 차분몫), `backward`의 값과
비교합니다. 차이가 모두 $10^{-5} + 10^{-3} \cdot$ (차분몫의 크기)보다 작으면 `True`를 돌려주고, 아니면 오류를 냅니다. `raise_exception=False`를 넘기면 값이 다를 때 오류 대신 `False`를 돌려줍니다.
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
Read the message: inputs are counted from 0, so input 1 is $q$. *Numerical* is the quotient, $201.18 = 125 \log 5$; *analytical* is what `backward` says, $223.97 = 125 \log 6$.

The inputs were `float64`. **What does `gradcheck` say of the right class, `Power`, if they are `float32`?**
"""

# %% [markdown] lang="ko" en="f41f7c03"
r"""
메시지를 읽어 봅시다. 입력은 0부터 세므로 입력 1은 $q$입니다. *numerical*은 차분몫인 $201.18 = 125 \log 5$이고, *analytical*은 `backward`가 낸 값인
$223.97 = 125 \log 6$입니다.

입력은 `float64`였습니다. **입력이 `float32`이면 `gradcheck`는 올바른 클래스인 `Power`를 어떻게 판단할까요?**
"""

# %%
predict(
    "8 float32",
    A=say(en="True: the backward is right", ko="True: backward가 맞기 때문"),
    B=say(
        en="It refuses: the backward is too inexact in `float32`",
        ko="불합격: `float32`에서는 backward가 부정확하기 때문",
    ),
    C=say(
        en="It refuses: the quotient is too inexact in `float32`",
        ko="불합격: `float32`에서는 차분몫이 부정확하기 때문",
    ),
)

# %%
x32, q32 = (t.detach().float().requires_grad_() for t in (x, q))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns that the inputs are not of double precision
    with expect_error():
        gradcheck(Power.apply, (x32, q32))

# %%
predicted(
    "8 float32",
    right="C",
    A=say(
        en="The backward is right, 75. But the quotient that it is compared with is not.",
        ko="backward의 75는 맞습니다. 그런데 비교하는 상대인 차분몫이 맞지 않습니다.",
    ),
    B=say(
        en="The backward gives 75 in `float32` too. The other number is off.",
        ko="backward는 `float32`에서도 75를 냅니다. 틀린 것은 다른 쪽입니다.",
    ),
    C=say(
        en="In `float32` neighbours are 4.8e-7 apart at 5, and 7.6e-6 at 125: too coarse for a step of 1e-6 "
        "(lesson 1). So 75 becomes 68.7.",
        ko="이웃한 `float32` 수는 5 근처에서 4.8e-7, 125 근처에서 7.6e-6씩 떨어져 있습니다. 1e-6만큼 움직여 재기에는 너무 성깁니다(수업 01). 그래서 "
        "75가 68.7이 되었습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So check in `float64`, whatever you train in. And a check is no proof. It sees **the inputs that you give it, and no others**. This backward says that the slope of
$|x|$ is 1:
"""

# %% [markdown] lang="ko" en="83739ac0"
r"""
그러니 무엇으로 학습하든 검사는 `float64`로 하세요. 그리고 검사는 증명이 아닙니다. `gradcheck`는 **여러분이 준 입력에서만** 봅니다. 다음
backward는 $|x|$의 기울기를 언제나 1이라고 합니다.
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
Give `gradcheck` several points, of both signs and of different sizes.

## 3. Where there is no slope

At $x = 0$ the function $|x|$ has a **kink**: its slope is $-1$ to the left and $1$ to the right. A derivative does not exist there, yet autograd
returns a number. For $|x|$ each number from $-1$ to $1$ is called a **subgradient** at 0: the line of that slope through the kink does not
rise above the curve. Which one you get is decided by the code of the operation.

In the explorer a slope is taken in three ways: *forward* from $x$ to $x + h$, *backward* from $x - h$ to $x$, and *central* from $x - h$ to $x + h$. (*Backward* is a direction here and has nothing to do with `backward()`.) The blue dashed line is autograd's.
Right: how far each quotient is from autograd, for every $h$.

1. Start: $5^x$ at $x = 3$, with the broken backward of section 2. Make $h$ small. Where do the three quotients go, and where does the blue line stay?
2. Choose `relu`: $x$ goes to 0. What do the three quotients say, for every $h$? And autograd? Now type $x = 0.01$: from which $h$ on do all agree?
3. At $x = 0$: what does autograd say for `clamp(min=0)`, `maximum(x, 0)` and `abs`? Which of all these match the central quotient?
4. Choose `relu(x) - relu(-x)`. Was your prediction right?
"""

# %% [markdown] lang="ko" en="edad5442"
r"""
부호와 크기가 서로 다른 점을 여러 개 넣어 검사하세요.

## 3. 기울기가 없는 곳

$|x|$의 그래프는 $x = 0$에서 꺾입니다. 이런 곳을 **꺾인 점**(kink)이라고 합니다. 기울기가 왼쪽에서는 $-1$, 오른쪽에서는 $1$입니다. 여기에는 미분계수가 없는데도 autograd는 수를 내놓습니다.
$|x|$에서는 $-1$부터 $1$까지의 모든 수를 0에서의 **subgradient**라고 합니다. 꺾인 점을 지나고 기울기가 그 수인 직선은 곡선 위로 올라가지
않습니다. 그 가운데 어느 수가 나오는지는 연산의 코드가 정합니다.

탐색기에서는 기울기를 세 가지로 구합니다. *전방*은 $x$에서 $x + h$까지, *후방*(backward, `backward()`와는 상관없이 방향을 뜻합니다)은 $x - h$에서 $x$까지, *중앙*은 $x - h$에서 $x + h$까지입니다. 파란 파선은 autograd의 기울기입니다.
오른쪽은 $h$마다 각 차분몫이 autograd에서 얼마나 떨어져 있는지 보여 줍니다.

1. 처음에는 $x = 3$에서 $5^x$이고, backward는 2절의 망가진 것입니다. $h$를 줄이세요. 세 차분몫은 어디로 가고, 파란 파선은 어디에 머무르나요?
2. `relu`를 고르세요. $x$가 0으로 옮겨집니다. $h$마다 세 차분몫은 얼마인가요? autograd는요? 이번에는 $x = 0.01$을 입력하세요. $h$가 얼마 이하이면 모두 같아지나요?
3. $x = 0$에서 autograd는 `clamp(min=0)`, `maximum(x, 0)`, `abs`의 기울기를 얼마라고 하나요? 지금까지 본 것 가운데 중앙 차분몫과 같은 것은 무엇인가요?
4. `relu(x) - relu(-x)`를 고르세요. 예상이 맞았나요?
"""

# %%
explore_backward()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. The quotients go to $201.18$, and autograd stays at $223.97$: the two numbers of `gradcheck`. The curves on the right level out at the gap, $22.79$. (Where one dips, that quotient happens to equal the broken slope.)
2. Forward 1, backward 0, central 0.5, for every $h$, and autograd says 0. At $x = 0.01$ all are 1 for $h = 0.01$ and below: then no step goes past the kink.
3. `clamp(min=0)`: 1. `maximum(x, 0)`: 0.5, as both arguments are equal and get half each. `abs`: 0. The last two match the central quotient.
4. Every quotient is 1. Autograd says 0.

</details>
"""

# %% [markdown] lang="ko" en="fe646df4"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 차분몫은 $201.18$로 가고 autograd는 $223.97$에 머무릅니다. `gradcheck`가 보여 준 두 수입니다. 오른쪽 곡선은 둘의 간격인 $22.79$에서 평평해집니다. (움푹 들어간 곳에서는 차분몫이 우연히 틀린 기울기와 같습니다.)
2. $h$가 얼마든 전방 1, 후방 0, 중앙 0.5이고, autograd는 0입니다. $x = 0.01$에서는 $h$가 $0.01$ 이하이면 모두 1입니다. $x \pm h$가 꺾인 점을 넘지 않기 때문입니다.
3. `clamp(min=0)`은 1입니다. `maximum(x, 0)`은 0.5입니다. 두 인자가 같아서 절반씩 나누어 받습니다. `abs`는 0입니다. 뒤의 둘이 중앙 차분몫과 같습니다.
4. 차분몫은 모두 1인데 autograd는 0이라고 합니다.

</details>
"""

# %%
predicted(
    "8 a straight line",
    right="B",
    A=say(
        en="That is the slope of the function. But autograd differentiates the code: both relu say 0 at 0, "
        "and 0 - (-0) is 0.",
        ko="함수의 기울기로는 맞습니다. 그러나 autograd는 코드를 미분합니다. 두 relu가 0에서 모두 0이라고 하므로 0 - (-0)은 0입니다.",
    ),
    B=say(
        en="Both relu say 0 at 0. Autograd differentiates the code, not the function, and here it is "
        "plainly wrong: nothing is kinked.",
        ko="두 relu가 0에서 모두 0이라고 합니다. autograd는 함수가 아니라 코드를 미분하고, 여기서는 분명히 틀린 값입니다. 이 함수는 꺾이지 않았습니다.",
    ),
    C=say(
        en="0.5 is the central quotient of one relu at 0. Autograd says 0 for each of them.",
        ko="0.5는 relu 하나의 0에서의 중앙 차분몫입니다. autograd는 relu마다 0이라고 합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
**What autograd answers at a kink is a property of the code, not of the function.** It need not even be a subgradient: the last function has the slope 1 everywhere.
Now guess, for each of the five, what `gradcheck` says at 0:
"""

# %% [markdown] lang="ko" en="98f8dc50"
r"""
**꺾인 점에서 autograd가 어떤 값을 내는지는 함수가 아니라 코드가 정합니다.** 그 값은 subgradient가 아닐 수도 있습니다. 마지막 함수의 기울기는 어디서나 1입니다.
이제 다섯 함수를 0에서 `gradcheck`로 검사하면 어떻게 될지 짐작해 보세요.
"""

# %%
kinks = {
    "relu": torch.relu,
    "clamp(min=0)": lambda x: x.clamp(min=0),
    "maximum(x, 0)": lambda x: torch.maximum(x, torch.zeros_like(x)),
    "abs": torch.abs,
    "relu(x) - relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
}
zero = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
for name, f in kinks.items():
    print(f"{name:18}", gradcheck(f, (zero,), raise_exception=False))

# %% [markdown] lang="en"
r"""
It compares with the central quotient and knows nothing of kinks. `abs` passes by luck; `relu` fails, and no bug is in it. So keep kinks out of a
check, and look for a bug where it fails elsewhere.

## 4. Right on paper, wrong in the computer

**Too large on the way.** The *softplus*, $\log(1 + e^x)$, is a relu without a kink. Its slope is $\frac{e^x}{1 + e^x}$. Both formulas are right, and at
$x = 1000$ the values should be 1000 and 1:
"""

# %% [markdown] lang="ko" en="9d7ae69b"
r"""
`gradcheck`는 중앙 차분몫과 비교할 뿐, 꺾인 점을 알지 못합니다. `abs`는 운 좋게 합격하고, `relu`는 버그가 없는데도 불합격합니다. 그러니 꺾인 점은 피해서 검사하세요.
다른 곳에서 불합격하면 버그를 찾으세요.

## 4. 종이 위에서는 맞지만 컴퓨터에서는 틀린 식

**중간에 너무 커지는 수.** *softplus* $\log(1 + e^x)$은 꺾이지 않은 relu입니다. 기울기는 $\frac{e^x}{1 + e^x}$입니다. 두 식 모두 맞습니다. $x = 1000$이면 값은 1000, 기울기는 1이어야 합니다.
"""

# %%
x = torch.tensor([-40.0, 0.0, 1000.0], dtype=torch.float64)
print("log(1 + e^x)   :", torch.log(1 + torch.exp(x)).tolist())
print("e^x / (1 + e^x):", (torch.exp(x) / (1 + torch.exp(x))).tolist())

t = torch.tensor(4.248e-18, dtype=torch.float64)
print("log(1 + t):", torch.log(1 + t).item(), "  log1p(t):", torch.log1p(t).item())

# %% [markdown] lang="en"
r"""
$e^{1000}$ is larger than any `float64`, so it is `inf`, and `inf / inf` is `nan`. At $x = -40$ the value is lost instead: $1 + e^{-40}$ rounds to 1, and the logarithm of 1 is 0, though
$4.2 \cdot 10^{-18}$ could well be written down. `torch.log1p(t)` computes $\log(1 + t)$ without this loss. To avoid a large power, let the exponent be negative:
$\log(1 + e^x) = x + \log(1 + e^{-x})$. Task 8.3 puts the two together.

**A branch that nobody takes.** The slope of $\sqrt x$ has no bound near 0, and below 0 there is no root. `torch.where(x > 0, a, b)` picks, number by number, from `a`
or `b`. **What is the gradient of `torch.where(x > 0, torch.sqrt(x), 0.0)` at $x = -1$?**
"""

# %% [markdown] lang="ko" en="3d5d890f"
r"""
$e^{1000}$은 어떤 `float64` 수보다도 커서 `inf`가 되고, `inf / inf`는 `nan`입니다. $x = -40$에서는 값이 사라집니다. $1 + e^{-40}$이 1로 반올림되어 로그가 0이 됩니다.
$4.2 \cdot 10^{-18}$은 얼마든지 나타낼 수 있는 수인데도 그렇습니다. `torch.log1p(t)`는 $\log(1 + t)$를 이런 일 없이 계산합니다. 큰 거듭제곱을 피하려면
지수를 음수로 만드세요. $\log(1 + e^x) = x + \log(1 + e^{-x})$입니다. 과제 8.3에서 둘을 합칩니다.

**아무도 고르지 않은 갈래.** $\sqrt x$의 기울기는 0 근처에서 한없이 커지고, 음수에는 (실수) 제곱근이 없습니다. `torch.where(x > 0, a, b)`는 원소마다 `a`나 `b`에서
하나를 고릅니다. **$x = -1$에서 `torch.where(x > 0, torch.sqrt(x), 0.0)`의 gradient는 얼마일까요?**
"""

# %%
predict(
    "8 where",
    A=say(en="0: the branch with the root is not taken", ko="0. 제곱근 쪽은 골라지지 않았다"),
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
        "nan; at x = 0 it is 0 / 0.",
        ko="`where`는 제곱근 쪽으로 gradient 0을 보냅니다. 거기서 2 sqrt(-1), 곧 nan으로 나눕니다. x = 0에서는 0 / 0입니다.",
    ),
    C=say(
        en="Torch raises no error for a root of a negative number: it is nan, and so is the gradient.",
        ko="torch는 음수의 제곱근을 구해도 오류를 내지 않습니다. 값이 nan이 되고 gradient도 nan이 됩니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The *values* are right, and hide it: both branches are computed, and both are walked back through. `0 * inf`, `0 / 0` and `0 * nan` are all `nan`. The remedy is not in what `where` picks, but in
what goes **into** `sqrt` (task 8.4; task 4.3 did the same for `log`). This one is [reported](https://github.com/pytorch/pytorch/issues/68425) again and again.
"""

# %% [markdown] lang="ko" en="9b258c6e"
r"""
*값*은 맞아서 눈에 띄지 않습니다. 두 갈래를 모두 계산하고, 거슬러 갈 때도 두 갈래를 모두 지납니다. `0 * inf`, `0 / 0`, `0 * nan`은 모두 `nan`입니다. 고칠 곳은 `where`가 고르는 값이 아니라 `sqrt`에 **들어가는**
값입니다(과제 8.4, 과제 4.3의 `log`도 그랬습니다). 이 문제는 [거듭해서 보고](https://github.com/pytorch/pytorch/issues/68425)됩니다.
"""

# %% [markdown] lang="en"
r"""
## 5. Wrong on purpose · optional

Rounding is flat between its jumps: its slope is 0, and whatever stands before it learns nothing. Networks with rounded weights are trained all the same, with a backward that
pretends nothing happened, the **straight-through** estimator. `gradcheck` must refuse it, and does:
"""

# %% [markdown] lang="ko" en="4ddcbf9e"
r"""
## 5. 일부러 틀리기 · 선택

반올림의 그래프는 계단 모양이어서 뛰는 곳 말고는 평평합니다. 기울기가 0이라서 그 앞에 있는 것은 아무것도 배우지 못합니다. 그래도 가중치를 반올림한 신경망을 학습시킵니다. 아무 일도 없었던 것처럼 gradient를
그대로 넘기는 backward를 쓰는데, 이런 방법을 **straight-through estimator**(STE, 직통 추정기)라고 합니다. `gradcheck`는 이것을 불합격시켜야 하고, 실제로 그렇게 합니다.
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
## 6. A real bug

*Autograd* of HIPS, the library that JAX grew from, keeps a hand-written backward for each function. In 2018 [a user compared](https://github.com/HIPS/autograd/issues/407)
that of the normal distribution with a quotient. `norm.cdf(x, loc=0)` is the probability of a value below $x$, and its slope is the density
$\frac{1}{\sqrt{2\pi}}\, e^{-(x - \text{loc})^2 / 2}$. Here is our own copy of it, `loc` (the centre) included:
"""

# %% [markdown] lang="ko" en="f5d701a6"
r"""
## 6. 실제로 있었던 버그

HIPS의 *Autograd*는 JAX의 뿌리가 된 라이브러리이고, 함수마다 사람이 직접 쓴 backward가 있습니다. 2018년에 [한 사용자가](https://github.com/HIPS/autograd/issues/407)
정규분포의 backward를 차분몫과 비교해 보았습니다. `norm.cdf(x, loc=0)`은 $x$보다 작은 값이 나올 확률이고, 그 기울기는 밀도
$\frac{1}{\sqrt{2\pi}}\, e^{-(x - \text{loc})^2 / 2}$입니다. 중심 `loc`까지 포함해 똑같이 다시 만들었습니다.
"""


# %%
def density(x, loc=-1.0):
    return torch.exp(-((x - loc) ** 2) / 2) / (2 * torch.pi) ** 0.5


class NormalCdf(Function):
    @staticmethod
    def forward(ctx, x, *loc):  # loc is () when left out: each side uses its own default
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
The report shows these very numbers, $0.241971$ and $0.398942$. The cause: in the backward the default of `loc` was $-1$, and in `forward` it is $0$. The library does check its gradients with quotients,
but [its test](https://github.com/HIPS/autograd/pull/478) passes all three arguments, so the default is never tried. The fix was that number. A check proves nothing about a
call that it does not make.
"""

# %% [markdown] lang="ko" en="99a92669"
r"""
제보에 나오는 수가 바로 $0.241971$과 $0.398942$입니다. 까닭은 이렇습니다. `forward`에서는 `loc`의 기본값이 $0$인데 backward에서는 $-1$이었습니다. 이 라이브러리도 차분몫으로 gradient를 검사합니다.
그런데 [그 테스트](https://github.com/HIPS/autograd/pull/478)는 인자 세 개를 모두 넘기므로 기본값이 쓰이는 일이 없습니다. 고친 것은 그 수 하나입니다. 검사는 해 보지 않은
호출에 대해서는 아무것도 증명하지 못합니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

Three functions and two classes, 10 points. The test cells work as in lesson 1: they hold the **visible tests**; **hidden tests** are added when your work is graded. If you teach yourself: after the pass, or when you are
stuck, the panel of **Check** (in a terminal: `autograder check 8 --solution MyPow`) shows the worked solution of a task. Marks, as in lesson 1: difficulty (●), importance (★).

The rules of lesson 1 hold. `grad_output` is an argument too: leave it as it is.

The classes are given in the second style, with `setup_context`. You may write them in the first style instead: both are graded alike.
"""

# %% [markdown] lang="ko" en="e3dbc26d"
r"""
# 과제

함수 세 개와 클래스 두 개, 모두 10점입니다. 테스트 셀은 수업 01과 같습니다. 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가 더해집니다. 혼자 배울 때는 통과한 뒤나 막혔을 때 **답 확인** 패널(터미널에서는 `autograder check 8 --solution MyPow`)에서 그 과제의 모범 풀이를 볼 수 있습니다. 표시는 수업 01과 같이 난이도(●)와 중요도(★)입니다.

수업 01의 규칙이 그대로 적용됩니다. `grad_output`도 인자이므로 바꾸지 않습니다.

클래스는 `setup_context`를 쓰는 둘째 방식으로 뼈대가 주어집니다. 첫째 방식으로 바꾸어 써도 됩니다. 채점은 똑같습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 8.1 · `MyPow`

●●○○○ · ★★★★★ · 10 min · 2 points

Write $x^q$ with its backward: `MyPow.apply(x, q)`.

- `x` and `q` are tensors of one dtype and shape, any shape. Where `q` is tracked every `x` is above 0. Where it is not, `x` may be negative, and there `q` is whole. No `x` is 0.
- `backward` returns the gradients with respect to `x` and `q` for any `grad_output`, exact up to rounding.
- For an input that needs no gradient return `None`, and run nothing in `backward` for its sake alone. The tests see what `backward` returns, and look for a logarithm or a second power in vain.
- Keep on `ctx` what belongs to the call: two calls may be made before the first walk back. If an input is changed in place before `backward`, the gradient must not
  become silently wrong: `save_for_backward` sees to that.
- One can walk back twice (`retain_graph=True`).

<details><summary>Hint 1: the idea</summary>

Section 1 has both formulas, and the class `Times` has everything around them.

</details>

<details><summary>Hint 2: nearly the code</summary>

`setup_context`: `ctx.save_for_backward(*inputs)`. `backward`: read `ctx.saved_tensors`, begin with `grad_x = grad_q = None`, then fill each
`if ctx.needs_input_grad[0]:` and `[1]`.

</details>
"""

# %% [markdown] lang="ko" en="1f8b131f"
r"""
## 과제 8.1 · `MyPow`

●●○○○ · ★★★★★ · 10분 · 2점

$x^q$을 backward와 함께 만드세요. `MyPow.apply(x, q)`로 씁니다.

- `x`와 `q`는 dtype과 shape가 서로 같은 텐서이고, shape는 무엇이든 됩니다. `q`가 추적되면 `x`는 모두 0보다 큽니다. 추적되지 않으면 `x`가 음수일 수 있고, 그런 곳의 `q`는 정수입니다. `x`에 0은 없습니다.
- `backward`는 어떤 `grad_output`에 대해서도 `x`와 `q`의 gradient를 반올림 오차 안에서 정확하게 돌려줍니다.
- gradient가 필요 없는 입력에는 `None`을 돌려주고, `backward`에서 그 입력에만 쓰이는 계산은 하지 마세요. 테스트는 `backward`가 돌려준 것을 보고, 쓸데없는 로그나 두 번째 거듭제곱이 있는지 찾습니다.
- 호출에 딸린 것은 `ctx`에 두세요. backward 전에 `apply`가 두 번 불릴 수도 있습니다. `backward` 전에 입력이 제자리에서 바뀌었을 때, 오류 없이 틀린 gradient가 나와서는 안 됩니다. `save_for_backward`를 쓰면 됩니다.
- `backward()`를 두 번 부를 수 있어야 합니다(`retain_graph=True`).

<details><summary>힌트 1: 생각의 방향</summary>

두 식은 1절에 있고, 나머지는 클래스 `Times`에 모두 있습니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`setup_context`에서 `ctx.save_for_backward(*inputs)`. `backward`에서는 `ctx.saved_tensors`를 읽고 `grad_x = grad_q = None`으로 시작한 다음,
`if ctx.needs_input_grad[0]:`과 `[1]`일 때만 각각 채웁니다.

</details>
"""


# %% nbgrader={"grade_id": "MyPow", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class MyPow(torch.autograd.Function):
    """x**q, with a backward of its own."""

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


# %% nbgrader={"grade_id": "test_MyPow", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, hints, probe, tensor
from secant.checking.custom import walk_back
from secant.checking.walks import judge_operation

hint = hints("MyPow")


@probe
def _seen(*asked):
    return walk_back(MyPow.apply, *asked)


def _compare(x, q, g, value, slopes, dtype="float64", apart=False, why=""):
    x, q, g, value = (tensor(number, dtype) for number in (x, q, g, value))
    slopes = {name: tensor(slope, dtype) for name, slope in slopes.items()}
    other_logs = torch.log10(x), torch.log2(x), torch.log(value)
    wrong_x = {
        hint.power: g * q * value,
        hint.factor: g * value / x,
        hint.whole: g * q * x ** (q.trunc() - 1),
    }
    wrong_q = {
        hint.plus: g * value * torch.log(x + 1),
        hint.natural: tuple(g * value * log for log in other_logs),
        hint.floor: tuple(g * value * torch.log(x + 10.0**-digits) for digits in range(3, 16)),
    }
    wrong, inputs = {"x": wrong_x, "q": wrong_q}, {"x": x, "q": q}
    return judge_operation("MyPow", _seen, inputs, g, value, slopes, wrong, why, apart=apart)


_compare(5.0, 3.0, 1.0, 125.0, {"x": 75.0, "q": 201.17973905426254})
_both = {"x": [4.0, 2.598076211353316], "q": [2.772588722239781, 5.708556905378076]}
_compare([2.0, 3.0], [2.0, 1.5], [1.0, -2.0], [4.0, 5.196152422706632], _both)
_compare(-2.0, 3.0, 0.5, -8.0, {"x": 12.0}, why=hint.negative)
_compare(5.0, 3.0, 1.0, 125.0, {"q": 201.17973905426254})
check.visible_passed()
### BEGIN HIDDEN TESTS
_LOGARITHMS = ("log", "log2", "log10", "log1p", "xlogy")


def _apply(x, q, g, dtype, tracked=("x", "q"), **how):
    both = {"x": q * x ** (q - 1), "q": x**q * torch.log(x)}
    slopes = {name: both[name] for name in tracked}
    call, found = _compare(x, q, g, x**q, slopes, dtype, **how)
    logs = [name for name in found["operations"] if name in _LOGARITHMS and "q" not in tracked]
    powers = [name for name in found["operations"] if name == "pow" and "x" not in tracked]
    for name in logs + powers[1:]:
        check.refuse(call, hint.in_vain.format(name=name))
    for name in set(found["returned"]) - set(tracked):
        check.refuse(call, hint.unasked.format(name=name))


def _with_signs(shape):
    """Return x of both signs, and whole q."""
    size = torch.Size(shape).numel()
    signs = tensor([(-1.0, 1.0)[place % 2] for place in range(size)]).reshape(shape)
    q = tensor([(3.0, -1.0, 2.0, 1.0, 0.0)[place % 5] for place in range(size)]).reshape(shape)
    return signs * check.draw_tensor(*shape, low=0.3, high=3), q


for _dtype in ("float64", "float32"):
    _apply(tensor(-2.0), tensor(3.0), tensor(0.5), _dtype, ("x",), why=hint.negative)
    _apply(tensor(5.0), tensor(3.0), tensor(1.0), _dtype, ("q",))
    _apply(tensor(1e-12), tensor(0.3), tensor(1.0), _dtype, ("q",), why=hint.floor)
    for _tracked in (("x", "q"), ("x",), ("q",)):
        for _shape in ((), (3,), (2, 3), (1, 4, 2), (0,), (2, 0)):
            _x = check.draw_tensor(*_shape, low=0.3, high=3)
            _q = check.draw_tensor(*_shape, low=-2, high=3)
            _apply(_x, _q, check.draw_tensor(*_shape), _dtype, _tracked)
    for _shape in ((), (5,), (2, 3)):
        _apply(*_with_signs(_shape), check.draw_tensor(*_shape), _dtype, ("x",), why=hint.negative)
    _small, _q = tensor([1e-4, 1e-6, 1e-9, 1e-12, 1e-20, 1e-30]), tensor(check.draws(6, 0.1, 0.4))
    for _tracked in (("x", "q"), ("q",)):
        _apply(_small, _q, tensor(check.draws(6, 1, 3)), _dtype, _tracked, why=hint.floor)
    for _g in (check.draw_tensor().expand(4), check.draw_tensor().expand(2, 3), check.draw_tensor(2, 3)):
        _x, _q = (check.draw_tensor(*_g.shape, low=0.5, high=2.5) for _ in range(2))
        _apply(_x, _q, _g, _dtype, apart=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.2 · `backward_is_right`

●●●○○ · ★★★★★ · 6 min · 2 points

Say whether the backward of an operation is right at a place, whatever the dtype of the inputs.

- `fn` makes one tensor of any shape from the tensors in the tuple `inputs`, such as `MyPow.apply`. There are one or more inputs, `float32` or `float64`, of any shapes, tracked or not, also slices and expanded tensors
  (an expanded one `gradcheck` refuses: give it a copy, `clone()`).
- Return `True` if the backward agrees with the difference quotient of `fn` **in `float64`, for all numbers of all inputs**, tracked or not; else `False`. Agree: up to $10^{-5} + 10^{-3} \cdot$ the size of the quotient, no more and no less, as in `gradcheck`.
- Also wrong is a backward that ignores `grad_output`, or returns `None` where `fn` depends on the input.
- Return a plain `bool`. No exception because numbers are wrong, and no warning. (There is one gradient, or `None`, for each input, of the right shape.)

<details><summary>Hint 1: the idea</summary>

`gradcheck` does the work. What does it want of its inputs, and how does it keep from raising an error?

</details>

<details><summary>Hint 2: nearly the code</summary>

For each input `t`: `t.detach().double().clone().requires_grad_()`. Then `gradcheck(fn, these, raise_exception=False)`, with a tuple.

</details>
"""

# %% [markdown] lang="ko" en="0eb79967"
r"""
## 과제 8.2 · `backward_is_right`

●●●○○ · ★★★★★ · 6분 · 2점

입력의 dtype이 무엇이든, 주어진 입력에서 연산의 backward가 맞는지 판단하세요.

- `fn`은 `MyPow.apply`처럼 튜플 `inputs`의 텐서로 텐서 하나를 만듭니다. 결과의 shape는 무엇이든 됩니다. 입력은 하나 이상이고, `float32`나 `float64`이고, shape는 무엇이든 되고, 추적될 수도 아닐 수도 있습니다.
  더 큰 텐서에서 잘라 낸 것이나 expand한 것도 있습니다(expand한 것은 `clone()`으로 복사해야 `gradcheck`가 받습니다).
- **`float64`에서, 추적 여부와 상관없이 모든 입력의 모든 수에 대해** backward가 `fn`의 차분몫과 같으면 `True`, 아니면 `False`를 돌려주세요. `gradcheck`처럼 차이가 $10^{-5} + 10^{-3} \cdot$ (차분몫의 크기)까지이면 같고, 넘으면 다릅니다.
- `grad_output`을 무시하는 backward, `fn`이 그 입력에 의존하는데도 `None`을 돌려주는 backward도 틀린 것입니다.
- `bool`을 돌려주세요. 수가 틀렸다고 예외가 나서는 안 되고, 경고도 뜨지 않아야 합니다. (입력마다 gradient나 `None`이 하나씩 나오고 shape는 맞습니다.)

<details><summary>힌트 1: 생각의 방향</summary>

일은 `gradcheck`가 합니다. `gradcheck`는 어떤 입력을 원하고, 어떻게 하면 오류를 내지 않나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

입력 `t`마다 `t.detach().double().clone().requires_grad_()`. 그다음 이것들의 튜플로 `gradcheck(fn, 튜플, raise_exception=False)`를 부릅니다.

</details>
"""


# %% nbgrader={"grade_id": "backward_is_right", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def backward_is_right(fn, inputs):
    """Return whether the backward of fn agrees with its difference quotient, in float64, at these inputs.

    fn: a function from tensors to a tensor; inputs: a tuple of floating-point tensors.
    """
    ### BEGIN SOLUTION
    doubles = tuple(t.detach().double().clone().requires_grad_() for t in inputs)
    return gradcheck(fn, doubles, raise_exception=False)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_backward_is_right", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf

hint = hints("backward_is_right")

_ERRORS = {"stride 0": hint.stride, "require gradient": hint.untracked}
_ERRORS |= {"fn takes": hint.all, "fn에는": hint.all, "": hint.raises}


def _compare(forward, backward, want, inputs, dtype="float64", tracked=True, layout="", why=""):
    words = f"backward_is_right(fn, {inputs}), {dtype}, requires_grad={tracked}"
    below = f"fn: {forward}, backward: {', '.join(backward)}"
    how = {"words": words, "below": below, "errors": _ERRORS, "warned": True}
    given = tuple(leaf(numbers, dtype, layout=layout, tracked=tracked) for numbers in inputs)
    fn = f"custom.operation({forward!r}, *{backward!r})"
    answer = ask("backward_is_right(fn, inputs)", how, fn=fn, inputs=given)
    answer.equals(want, mistakes={why or (hint.right if want else hint.wrong): not want})
    answer.warns_nothing(hint.warned).changes_nothing()


_slope = "g*q*x**(q-1)"
_compare("x.abs()", ["g"], False, [-2.0], why=hint.place)
_compare("x**q", [_slope, "g*x**q*torch.log(x)"], True, [5.0, 3.0])
_compare("x**q", [_slope, "g*x**q*torch.log(x+1)"], False, [5.0, 3.0])
_vectors = [[5.0, 2.0], [3.0, 1.5]]
_compare("x**q", [_slope, "g*x**q*torch.log(x)"], True, _vectors, "float32", tracked=False)
_compare("x**q", [_slope, "g*x**q*torch.log(x)*1.01"], False, _vectors, "float32")
_compare("x**2", ["2*x"], False, [3.0], why=hint.ignores)
_compare("torch.sin(x)", ["g*torch.cos(x)"], True, [[0.5] * 3], layout="expanded")
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
    ("x*q", ["None", "g*x"], False, 2),
    ("x*q", ["g*q", "g*x*1.02"], False, 2),
    # Right in the sum over the outputs, or in the sum over the inputs.
    ("2*x", ["2*g.flip(0)"], False, 1),
    ("x.cumsum(0)", ["g.cumsum(0)"], False, 1),
    ("x**2", ["2*g*x + g*torch.tensor([1.0, -1.0, 0.0], dtype=x.dtype)"], False, 1),
]
_compare(_SINE, ["g*torch.cos(x)*1.0005"], True, [check.draws(2, 0.5, 1.2)], why=hint.within)
_compare("torch.sin(50*x)", ["50*g*torch.cos(50*x)"], True, [check.draws(2, 0.5, 1.2)], why=hint.wide)
_compare("x/1000", ["g*1.003e-3"], True, [check.draws(2, 0.5, 1.2)], why=hint.within)
for _dtype in ("float64", "float32"):
    for _number, (_forward, _backward, _want, _n) in enumerate(_CASES):
        _inputs = [check.draws(3, 0.5, 1.2) for _ in range(_n)]
        _ignored = not _want and "g" not in _backward[0].replace("torch.", "")
        _why = hint.ignores if _ignored else ""
        _compare(_forward, _backward, _want, _inputs, _dtype, _number % 2 == 0, why=_why)
    _factors = [[check.draws(3, 1, 2), [0.5, 2.0, 1.0]], [check.draws(2, -2, 2), [1.0, 0.0], [2.0, 3.0]]]
    _compare("x @ q", ["g @ q.T", "x.T @ g"], True, _factors, _dtype)
    _square = [check.draws(2, 1, 2), check.draws(2, -2, -1)]
    _compare("x @ q", ["g @ q", "x @ g"], False, [_square, [[1.0, 2.0], [-1.0, 3.0]]], _dtype)
    for _want, _factor in ((True, ""), (False, "*1.05")):
        _number, _backward = check.draw(0.5, 1.2), [_COSINE + _factor]
        _compare(_SINE, _backward, _want, [_number], _dtype)
        _compare(_SINE, _backward, _want, [[_number] * 3], _dtype, tracked=False, layout="expanded")
        _compare(_SINE, _backward, _want, [[[_number, -2.0], [1.0, 0.5]]], _dtype)
_one_of_many = "g*torch.cos(x)*(1 + 0.004*(torch.arange(20) == 7))"
_compare(_SINE, [_one_of_many], False, [check.draws(20, 0.5, 1.2)], why=hint.alike)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.3 · `StableSoftplus`

●●●○○ · ★★★★☆ · 8 min · 2 points

Write the softplus $\log(1 + e^x)$ with its backward, without `inf` and `nan`: `StableSoftplus.apply(x)`.

- `x` is a tensor of any shape, `float32` or `float64`, of any finite numbers; think of $\pm 1000$.
- Values and gradients are right **also where they are tiny**: at $x = -40$ both are $4.248354 \cdot 10^{-18}$, not 0. (In `float64` up to one part in $10^{8}$, in `float32` one in $10^{5}$; what is below $10^{-300}$ or $10^{-35}$ may be 0.)
- `backward` works for any `grad_output`. As in task 8.1: keep on `ctx` what belongs to the call, a change in place must not make the gradient silently wrong, and one can walk back twice.

<details><summary>Hint 1: the idea</summary>

Which of $\log(1 + e^x)$ and $x + \log(1 + e^{-x})$ is safe for $x > 0$, and which for $x < 0$? Write both with $|x|$. The slope has a name.

</details>

<details><summary>Hint 2: nearly the code</summary>

The value is `x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))`. The slope $\frac{e^x}{1 + e^x}$ is `torch.sigmoid(x)`.

</details>
"""

# %% [markdown] lang="ko" en="5548c6c0"
r"""
## 과제 8.3 · `StableSoftplus`

●●●○○ · ★★★★☆ · 8분 · 2점

softplus $\log(1 + e^x)$을 `inf`와 `nan`이 나오지 않게 backward와 함께 만드세요. `StableSoftplus.apply(x)`로 씁니다.

- `x`는 shape가 무엇이든 되는 `float32`나 `float64` 텐서이고, 수는 유한하면 무엇이든 됩니다. $\pm 1000$을 떠올리세요.
- 값과 gradient는 **아주 작을 때에도** 맞아야 합니다. $x = -40$에서 둘 다 0이 아니라 $4.248354 \cdot 10^{-18}$입니다. (오차는 `float64`에서 $10^{8}$분의 1, `float32`에서 $10^{5}$분의 1까지 괜찮습니다. $10^{-300}$, $10^{-35}$보다 작은 것은 0이어도 됩니다.)
- `backward`는 어떤 `grad_output`에도 맞아야 합니다. 과제 8.1처럼 호출에 딸린 것은 `ctx`에 두고, 입력이 제자리에서 바뀌었을 때 오류 없이 틀린 gradient가 나와서는 안 되고, `backward()`를 두 번 부를 수 있어야 합니다.

<details><summary>힌트 1: 생각의 방향</summary>

$\log(1 + e^x)$과 $x + \log(1 + e^{-x})$ 가운데 $x > 0$에서 안전한 것은 무엇이고, $x < 0$에서는 무엇인가요? 둘을 $|x|$로 써 보세요. 기울기에는 이름이 있습니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

값은 `x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))`입니다. 기울기 $\frac{e^x}{1 + e^x}$은 `torch.sigmoid(x)`입니다.

</details>
"""


# %% nbgrader={"grade_id": "StableSoftplus", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class StableSoftplus(torch.autograd.Function):
    """log(1 + exp(x)), finite for every x, with a backward of its own."""

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


# %% nbgrader={"grade_id": "test_StableSoftplus", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import check, hints, probe, tensor
from secant.checking.custom import walk_back
from secant.checking.walks import judge_operation

hint = hints("StableSoftplus")


@probe
def _seen(*asked):
    return walk_back(StableSoftplus.apply, *asked)


def _signs(x, want, rtol, large):
    off = lambda got: (got - want).abs() > rtol * want.abs() + 1e-300
    return {
        hint.big: lambda got: ~got.isfinite(),
        hint.capped: lambda got: (x > 99) & ((got - want).abs() > 0.1 * want.abs()),
        large: lambda got: (x > 9)[off(got)].all(),
        hint.nearly: lambda got: ((got - want).abs() < 1e-3 * want.abs())[off(got)].all(),
    }


def _compare(x, g, value, slope, dtype, apart=False, signs=_signs):
    rtol, atol = (1e-8, 1e-300) if dtype == "float64" else (1e-5, 1e-35)
    x, g, value, slope = (tensor(number, dtype) for number in (x, g, value, slope))
    wrong = {"value": signs(x, value, rtol, hint.early), "x": signs(x, g * slope, rtol, hint.one)}
    if (x.abs() < 9).all():
        wrong["value"][hint.relu] = x.clamp(min=0)
        wrong["x"][hint.step] = g * (x > 0)
    exact = {"rtol": rtol, "atol": atol, "apart": apart}
    judge_operation("StableSoftplus", _seen, {"x": x}, g, value, {"x": slope}, wrong, **exact)


for _dtype in ("float64", "float32"):
    _compare([0], [1], [0.69314718056], [0.5], _dtype)
    _compare([-3, 2], [1, -2], [0.0485873516, 2.126928011], [0.0474258732, 0.880797078], _dtype)
    _compare([2000], [2], [2000], [1], _dtype)
    _compare([13, 16], [1, 3], [13.0000022603, 16.0000001125], [0.9999977397, 0.9999998875], _dtype)
check.visible_passed()
### BEGIN HIDDEN TESTS
import math

import torch


def _softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _slope(x):
    return math.exp(min(x, 0.0)) / (1 + math.exp(-abs(x)))


def _of_each(f, x):
    return tensor([f(number) for number in x.double().flatten().tolist()]).reshape(x.shape)


def _with_tiny(x, want, rtol, large):
    low = lambda got: ((got - want).abs() > rtol * want.abs()) & got.isfinite() & (x < -14)
    tiny = {hint.clamped: lambda got: low(got) & (got.abs() > 1.5 * want.abs()), hint.tiny: low}
    return {**tiny, **_signs(x, want, rtol, large)}


def _apply(x, g, dtype, apart=False):
    x = tensor(x, dtype)
    _compare(x, g, _of_each(_softplus, x), _of_each(_slope, x), dtype, apart, _with_tiny)


_RANGES = [(-3, 3), (-9, 9), (-30, -14), (9, 14), (14, 30)]
_RANGES += [(-70, -40), (40, 80), (-600, -110), (-5000, -200), (200, 5000)]
for _dtype in ("float64", "float32"):
    _apply([-1000.0, 1000.0], [1.0, 2.0], _dtype)
    _apply([-40.0], [3.0], _dtype)
    for _low, _high in _RANGES:
        for _shape in ((), (3,), (2, 3), (1, 4, 2)):
            _apply(check.draw_tensor(*_shape, low=_low, high=_high), check.draw_tensor(*_shape), _dtype)
    for _shape in ((0,), (2, 0)):
        _apply(torch.zeros(_shape), torch.zeros(_shape), _dtype)
    _apply([-1e30, -0.0, 1e-12, 15.1, 1e30], [1.0, -1.0, 3.0, 2.0, -2.0], _dtype)
    _apply(check.draw_tensor(2, 3), tensor(check.draw(-3, -0.5)).expand(2, 3), _dtype, apart=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.4 · `safe_sqrt`

●●○○○ · ★★★★★ · 6 min · 2 points

Return $\sqrt x$ where $x > 0$ and 0 elsewhere, number by number, and let the **gradient** be finite everywhere: $\frac{1}{2 \sqrt x}$ where $x > 0$, however small it is, and 0 elsewhere.

- `x` is a floating-point tensor of any shape, perhaps empty, tracked or not. The result has the dtype and shape of `x`, and if `x` is tracked, one can walk back through it, for any gradient that arrives, and twice (`retain_graph=True`).
- No hook is left on `x`. Any means will do.

<details><summary>Hint 1: the idea</summary>

`where` cannot keep a `nan` of the other branch out of the gradient. So the other branch must never see a number that it cannot handle.

</details>

<details><summary>Hint 2: nearly the code</summary>

`where` twice: `inside = torch.where(x > 0, x, 1.0)` before the root, and after it pick the root or 0.

</details>
"""

# %% [markdown] lang="ko" en="65e43fde"
r"""
## 과제 8.4 · `safe_sqrt`

●●○○○ · ★★★★★ · 6분 · 2점

원소마다 $x > 0$이면 $\sqrt x$를, 아니면 0을 돌려주세요. **gradient**도 어디서나 유한해야 합니다. $x > 0$이면 아무리 작아도 $\frac{1}{2 \sqrt x}$이고, 아니면 0입니다.

- `x`는 부동소수점 텐서입니다. shape는 무엇이든 되고, 비어 있을 수도 있고, 추적될 수도 아닐 수도 있습니다. 결과는 dtype과 shape가 `x`와 같고, `x`가 추적되면 어떤 gradient가 도착하든 결과에서 `x`까지, 두 번이라도(`retain_graph=True`) 거슬러 갈 수 있어야 합니다.
- `x`에 hook을 남기면 안 됩니다. 방법은 무엇이든 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

`where`는 다른 갈래에서 생긴 `nan`이 gradient에 섞이는 것을 막지 못합니다. 그러니 제곱근이나 그 기울기를 구할 수 없는 값이 처음부터 그 갈래에 들어가지 않게 해야 합니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`where`를 두 번 씁니다. 제곱근을 구하기 전에 `inside = torch.where(x > 0, x, 1.0)`, 구한 뒤에는 제곱근이나 0을 고릅니다.

</details>
"""


# %% nbgrader={"grade_id": "safe_sqrt", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def safe_sqrt(x):
    """Return the square root where x > 0 and 0 elsewhere, with a gradient of 0 there; a tensor like x."""
    ### BEGIN SOLUTION
    positive = x > 0
    inside = torch.where(positive, x, 1.0)
    return torch.where(positive, torch.sqrt(inside), 0.0)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_safe_sqrt", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import ask, check, hints, leaf, tensor

hint = hints("safe_sqrt")


def _compare(x, g, dtype="float64", layout="", tracked=True):
    x, g = tensor(x, dtype), tensor(g, dtype)
    exact = {"rtol": 1e-9 if dtype == "float64" else 1e-5, "atol": 0.0}
    root = torch.sqrt(x.clamp(min=0))
    slope = torch.where(x > 0, 0.5 / root, 0.0)
    wrong = {hint.trap: torch.isnan, hint.infinite: torch.isinf, hint.arriving: slope}
    y = ask("y = safe_sqrt(x)", x=leaf(x, dtype, layout=layout, tracked=tracked), g=g)
    y.returns(root, hint=hint.small, **exact).changes_nothing()
    if tracked:
        back = y.is_tracked().gradient("x")
        back.returns(g * slope, mistakes=wrong, hint=hint.small, **exact)
        back.again().returns(g * slope, **exact)


_compare([4.0, 0.25], [1.0, -2.0])
_compare([4.0, 0.0, -1.0], [1.0, 1.0, 3.0])
_compare([1e-8, -1e-8], [2.0, 1.0])
check.visible_passed()


### BEGIN HIDDEN TESTS
def _mixed(shape):
    size = torch.Size(shape).numel()
    signs = tensor([(1.0, -1.0, 0.0)[k % 3] for k in range(size)]).reshape(shape)
    return check.draw_tensor(*shape, low=0.01, high=9) * signs


for _dtype in ("float64", "float32"):
    for _shape in ((), (1,), (5,), (2, 3), (3, 1, 4), (0,), (2, 0)):
        _compare(_mixed(_shape), check.draw_tensor(*_shape), _dtype)
        _compare(_mixed(_shape), check.draw_tensor(*_shape), _dtype, tracked=False)
    _compare(_mixed((3, 4)), check.draw_tensor(3, 4), _dtype, "transposed")
    _compare(-check.draw_tensor(2, 2, low=0.1, high=9), check.draw_tensor(2, 2), _dtype)
    _compare(torch.zeros(3), torch.zeros(3), _dtype)
    _tiny = 4 * torch.finfo(getattr(torch, _dtype)).tiny
    for _x in (0.0, -0.0, -check.draw(0.1, 9), check.draw(0.1, 9), 1e-30, -1e-30, 1e-36, _tiny, 1e30, -1e30):
        _compare(_x, check.draw(-3, 3), _dtype)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 8.5 · `at_the_kink`

●○○○○ · ★★★☆☆ · 3 min · 2 points

Return what **autograd** says at $x = 0$ for five functions, as a dict with exactly these keys:

- `"relu"`: `torch.relu(x)`
- `"clamp_min0"`: `x.clamp(min=0)`
- `"maximum0"`: `torch.maximum(x, torch.zeros_like(x))`
- `"abs"`: `torch.abs(x)`
- `"relu(x)-relu(-x)"`: `torch.relu(x) - torch.relu(-x)`

Each value is a Python float. You may write down the five numbers or let autograd find them. Return a new dict at each call.

<details><summary>Hint 1: the idea</summary>

Section 3 has them all; the quotients there are not what is asked for.

</details>

<details><summary>Hint 2: nearly the code</summary>

For each function: a fresh tracked `x = torch.tensor(0.0, requires_grad=True)`, `f(x).backward()`, `x.grad.item()`. Or five numbers: one is 1, one is a half, three are 0.

</details>
"""

# %% [markdown] lang="ko" en="af97ed65"
r"""
## 과제 8.5 · `at_the_kink`

●○○○○ · ★★★☆☆ · 3분 · 2점

다섯 함수에 대해 $x = 0$에서 **autograd**가 내는 값을 dict로 돌려주세요. 키는 꼭 다음과 같아야 합니다.

- `"relu"`: `torch.relu(x)`
- `"clamp_min0"`: `x.clamp(min=0)`
- `"maximum0"`: `torch.maximum(x, torch.zeros_like(x))`
- `"abs"`: `torch.abs(x)`
- `"relu(x)-relu(-x)"`: `torch.relu(x) - torch.relu(-x)`

값은 모두 파이썬 float입니다. 수 다섯 개를 그대로 적어도 되고, autograd로 구해도 됩니다. 부를 때마다 새 dict를 돌려주세요.

<details><summary>힌트 1: 생각의 방향</summary>

3절에 모두 있습니다. 거기에 나오는 차분몫을 묻는 것은 아닙니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

함수마다 새로 추적되는 `x = torch.tensor(0.0, requires_grad=True)`를 만들고 `f(x).backward()`, `x.grad.item()`. 수를 적는다면 하나는 1, 하나는 2분의 1, 나머지 셋은 0입니다.

</details>
"""


# %% nbgrader={"grade_id": "at_the_kink", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def at_the_kink():
    """Return autograd's slope at 0 of each function, a dict of floats.

    Its keys: "relu", "clamp_min0", "maximum0", "abs", "relu(x)-relu(-x)".
    """
    ### BEGIN SOLUTION
    return {"relu": 0.0, "clamp_min0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_at_the_kink", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints

hint = hints("at_the_kink")

_WANT = {"relu": 0.0, "clamp_min0": 1.0, "maximum0": 0.5, "abs": 0.0, "relu(x)-relu(-x)": 0.0}
_WRONG = {
    "relu": {hint.right: 1.0, hint.central: 0.5},
    "clamp_min0": {hint.zero_left: 0.0, hint.central: 0.5},
    "maximum0": {hint.zero_left: 0.0, hint.right: 1.0, hint.added: 1.5},
    "abs": {hint.right: 1.0, hint.left: -1.0, hint.added: 1.5},
    "relu(x)-relu(-x)": {hint.equal: 1.0},
}
_slopes = ask("slopes = at_the_kink()")
_keys = _slopes.then("sorted(map(str, slopes)) if isinstance(slopes, dict) else slopes")
_keys.returns(sorted(_WANT), hint=hint.keys)
for _name, _want in _WANT.items():
    _slope = _slopes.then(f"slopes[{_name!r}]")
    _slope.holds(type(_slope.result) is float, hint.float)
    _slope.returns(_want, mistakes=_WRONG[_name], hint=hint.run)
_slopes.changes_nothing()
check.visible_passed()
### BEGIN HIDDEN TESTS
for _ in range(2):
    _later = _slopes.after("slopes.update(dict.fromkeys(slopes, 99.0))", hint.new)
    _later.returns(_WANT).changes_nothing()
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

- **8.1** Shapes from one number to three dimensions, and empty; both dtypes; any `grad_output`, also expanded or transposed; slices of larger tensors; `x`, `q` or both tracked, negative and very small `x`; what `backward` returns, and which operations run in it;
  other calls in between; a change in place before the walk; two walks.
- **8.2** Right and wrong backwards of many operations: a sign, a factor of 0.9985 (wrong) and 1.0005 (right), one input, one output, one slope of many, transposed, `None`, 0, mistakes that cancel in a sum, `grad_output` ignored; one number, vectors,
  matrices, expanded tensors; both dtypes; tracked and not; errors, warnings and the type of the answer.
- **8.3** Numbers from $-10^{30}$ to $10^{30}$, tiny results, shapes, both dtypes, any `grad_output`, slices, other calls in between, a change in place, two walks.
- **8.4** Positive, negative, zero and very small numbers, alone and mixed; shapes, also empty; both dtypes; tracked and not; any gradient that arrives; two walks.
- **8.5** Keys and types; three calls, with the dict changed in between.

Everywhere: the rules of every task.

## What you have built

Every operation in lesson 10 will be such a pair: a `forward` that computes, and a `backward` that multiplies what arrives by its own slopes. And you know how a backward is judged:
against the difference quotient.

## Checklist

You can now answer these without looking back:

- What does `backward` get, and what must it return?
- Why `save_for_backward` and not `ctx.x = x`? What is `needs_input_grad` for?
- Why does `gradcheck` want `float64`? Name two things that a passed check does not prove.
- What do the forward, backward and central quotient of `relu` say at 0? And autograd?
- Why does `torch.where` not keep a `nan` out of the gradient, and what does?

## Links

- [PyTorch: Extending PyTorch](https://docs.pytorch.org/docs/stable/notes/extending.html)
- [PyTorch: Gradcheck mechanics](https://docs.pytorch.org/docs/stable/notes/gradcheck.html)
- [PyTorch: Autograd mechanics, gradients for non-differentiable functions](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
- [A real bug: HIPS Autograd issue 407, stats.norm.pdf is not grad of stats.norm.cdf](https://github.com/HIPS/autograd/issues/407)
- [PyTorch issue 68425: torch.where produces nan in backward pass](https://github.com/pytorch/pytorch/issues/68425)

Next: [Lesson 09](../09_gradients_of_gradients/09_gradients_of_gradients.ipynb), gradients of gradients.
"""

# %% [markdown] lang="ko" en="f869bd4e"
r"""
## 숨은 테스트가 보는 것

- **8.1** 수 하나부터 3차원까지와 빈 텐서, 두 가지 dtype, 임의의 `grad_output`(expand하거나 전치한 것도), 더 큰 텐서에서 잘라 낸 것, `x`나 `q` 또는 둘 다 추적될 때, 음수 `x`와 아주 작은 `x`, `backward`가 돌려준 것과 실행한 연산,
  그사이의 다른 호출, 거슬러 가기 전에 제자리에서 바꾸기, 두 번 거슬러 가기.
- **8.2** 여러 연산의 맞는 backward와 틀린 backward. 부호, 0.9985배(틀림)와 1.0005배(맞음), 입력 하나, 출력 하나, 많은 기울기 가운데 하나, 전치, `None`, 0, 합에서 상쇄되는 실수, 무시된 `grad_output`. 수 하나, 벡터, 행렬, expand한 텐서, 두 가지 dtype,
  추적될 때와 아닐 때, 오류와 경고와 답의 타입.
- **8.3** $-10^{30}$부터 $10^{30}$까지의 수, 아주 작은 결과, 여러 shape, 두 가지 dtype, 임의의 `grad_output`, 잘라 낸 것, 그사이의 다른 호출, 제자리에서 바꾸기, 두 번 거슬러 가기.
- **8.4** 양수, 음수, 0, 아주 작은 수를 따로 또는 섞어서, 여러 shape(빈 것도), 두 가지 dtype, 추적될 때와 아닐 때, 도착하는 임의의 gradient, 두 번 거슬러 가기.
- **8.5** 키와 타입, dict를 바꾸어 가며 세 번 부르기.

모든 과제에서 공통 규칙을 함께 봅니다.

## 지금까지 만든 것

수업 10의 연산은 모두 이런 한 쌍입니다. `forward`는 계산하고, `backward`는 도착한 값에 자기 기울기를 곱합니다. backward가 맞는지 가리는 방법도 알게
되었습니다. 차분몫과 비교하면 됩니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `backward`는 무엇을 받고 무엇을 돌려주어야 하나요?
- 왜 `ctx.x = x`가 아니라 `save_for_backward`인가요? `needs_input_grad`는 어디에 쓰나요?
- `gradcheck`에는 왜 `float64`를 넣나요? 검사를 통과해도 증명되지 않는 것을 두 가지 말해 보세요.
- 0에서 `relu`의 전방, 후방, 중앙 차분몫은 얼마인가요? autograd는요?
- `torch.where`는 왜 gradient에 `nan`이 섞이는 것을 막지 못하나요? 무엇으로 막나요?

## 더 읽을거리

- [PyTorch: Extending PyTorch (영어)](https://docs.pytorch.org/docs/stable/notes/extending.html)
- [PyTorch: Gradcheck mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/gradcheck.html)
- [PyTorch: Autograd mechanics, 미분할 수 없는 함수의 gradient (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions)
- [실제로 있었던 버그: HIPS Autograd 이슈 407, stats.norm.pdf is not grad of stats.norm.cdf (영어)](https://github.com/HIPS/autograd/issues/407)
- [PyTorch 이슈 68425: torch.where produces nan in backward pass (영어)](https://github.com/pytorch/pytorch/issues/68425)

다음은 [수업 09](../09_gradients_of_gradients/09_gradients_of_gradients.ipynb), gradient의 gradient입니다.
"""
