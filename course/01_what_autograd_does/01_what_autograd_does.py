# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# What autograd actually does

Lesson 01 of 10 · ~45 min · gradient, difference quotient, round-off

**After this lesson you can**

- compute a slope in three ways: by hand, with a difference quotient, with autograd;
- explain why a smaller step $h$ is not always a better one;
- show that autograd follows the path that your Python code really took;
- say when one backward pass is cheap, and compared with what.

You need Python, a little PyTorch (`torch.tensor`, `+`, `**`), and the derivative as you know it from school.
"""

# %% [markdown] lang="ko" en=""
r"""
# Autograd가 실제로 하는 일

수업 01 / 10 · 약 45분 · gradient, 차분몫, 반올림 오차

**이 수업을 마치면**

- 기울기를 세 가지 방법(손 계산, 차분몫, autograd)으로 구할 수 있습니다.
- 걸음 $h$를 줄인다고 늘 더 정확해지지는 않는 까닭을 설명할 수 있습니다.
- autograd가 파이썬 코드가 실제로 지나간 길을 따라간다는 것을 보일 수 있습니다.
- backward 한 번이 언제, 무엇에 비해 싼지 말할 수 있습니다.

파이썬, PyTorch 조금(`torch.tensor`, `+`, `**`), 그리고 학교에서 배운 미분만 알면 됩니다.
"""

# %%
import torch

from secant import explore, language

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

Take $f(x) = \log x^3$ at $x = 5$. Its slope there is $0.6$. We estimate the slope from two points that lie a step
$h$ apart, computing with PyTorch's usual `float32` numbers.

We shrink $h$: first $0.1$, then $0.001$, then $0.00000001$. **What happens to the error of the estimate?**
Write down your guess before you read on. Nobody grades it; it is there so that you notice if you were wrong.
"""

# %% [markdown] lang="ko" en=""
r"""
## 먼저 예상하기

$x = 5$에서 $f(x) = \log x^3$을 봅시다. 이 점에서 기울기는 $0.6$입니다. 거리가 $h$인 두 점으로 이 기울기를 어림하되,
계산은 PyTorch가 보통 쓰는 `float32`로 합니다.

$h$를 $0.1$, $0.001$, $0.00000001$로 점점 줄입니다. **어림값의 오차는 어떻게 될까요?**
더 읽기 전에 예상을 적어 두세요. 채점하지 않습니다. 예상이 빗나갔을 때 스스로 알아차리기 위한 것입니다.
"""

# %%
my_guess = "..."

# %% [markdown] lang="en"
r"""
## 1. A slope from two points

Compute $z = \log y$ with $y = x^3$, once at $x = 5$ and once a small step further on, at $x = 5.001$. How much did $z$
grow for each unit that $x$ grew?
"""

# %% [markdown] lang="ko" en=""
r"""
## 1. 두 점으로 구하는 기울기

$y = x^3$, $z = \log y$를 $x = 5$에서 한 번, 조금 옆인 $x = 5.001$에서 한 번 계산합니다. $x$가 1만큼 늘 때 $z$는
얼마나 느는 셈일까요?
"""

# %%
x = torch.tensor(5.0)
z = torch.log(x**3)

x_near = torch.tensor(5.001)
z_near = torch.log(x_near**3)

print("z at 5     :", z)
print("z at 5.001 :", z_near)
print("quotient   :", (z_near - z) / (x_near - x))

# %% [markdown] lang="en"
r"""
This is the **difference quotient**

$$\frac{f(x+h) - f(x)}{h}.$$

It is the slope of the **secant**, the straight line through two points of the curve. The derivative is what the quotient
tends to as $h \to 0$: the slope of the **tangent**.

By hand we can have it exactly. The chain rule multiplies the slopes of the two steps:

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{dz}{dy} = 3x^2 \cdot \frac{1}{y} = 75 \cdot 0.008 = 0.6.$$

The quotient said $0.5999$. Close, but not the same. Keep both numbers in mind.
"""

# %% [markdown] lang="ko" en=""
r"""
이 값을 **차분몫**(평균변화율)이라고 합니다.

$$\frac{f(x+h) - f(x)}{h}$$

곡선 위의 두 점을 지나는 직선, 곧 **할선**의 기울기입니다. $h \to 0$일 때 차분몫이 다가가는 값이 미분계수이고, 이것은
**접선**의 기울기입니다.

손으로는 정확한 값을 구할 수 있습니다. 연쇄 법칙에 따라 두 단계의 기울기를 곱합니다.

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{dz}{dy} = 3x^2 \cdot \frac{1}{y} = 75 \cdot 0.008 = 0.6$$

차분몫은 $0.5999$였습니다. 가깝지만 같지는 않습니다. 두 수를 모두 기억해 두세요.
"""

# %% [markdown] lang="en"
r"""
## 2. The same slope from autograd

Three things change. We ask PyTorch to **track** `x`; we call `backward()` on the result; we read the slope from `x.grad`.
"""

# %% [markdown] lang="ko" en=""
r"""
## 2. 같은 기울기를 autograd로

달라지는 것은 세 가지입니다. PyTorch에 `x`를 **추적**해 달라고 하고, 결과에서 `backward()`를 부르고, `x.grad`에서
기울기를 읽습니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward()
print("log(x^3) at 5     :", x.grad)

x = torch.tensor(3.0, requires_grad=True)
y = x**2 + 2 * x + 1
y.backward()
print("x^2 + 2x + 1 at 3 :", x.grad, "  by hand, 2x + 2 =", 2 * 3 + 2)

# %% [markdown] lang="en"
r"""
There is no $h$ in this code, and $0.6$ came out as $0.6$. So autograd does not compute a difference quotient.

Nor does it do algebra: it never writes down the formula $3/x$. While your code runs, PyTorch records each operation
(first a power, then a logarithm). For each operation it knows how to turn the slope behind it into the slope before it.
`backward()` walks the record from the end to the start and multiplies numbers, just as we did with $0.008$ and $75$.

That walk from the result back to the inputs is called **reverse mode**.
"""

# %% [markdown] lang="ko" en=""
r"""
이 코드에는 $h$가 없고, $0.6$은 $0.6$으로 나왔습니다. 그러니 autograd는 차분몫을 계산하는 것이 아닙니다.

수식을 변형하는 것도 아닙니다. $3/x$라는 식은 어디에도 쓰이지 않습니다. PyTorch는 코드가 실행되는 동안 연산을 하나하나
기록합니다(먼저 거듭제곱, 다음에 로그). 그리고 연산마다 뒤쪽의 기울기를 앞쪽의 기울기로 바꾸는 방법을 알고 있습니다.
`backward()`는 이 기록을 끝에서 처음으로 거슬러 가며 수를 곱합니다. 우리가 $0.008$과 $75$를 곱한 것과 같습니다.

결과에서 입력 쪽으로 거슬러 가는 이 방식을 **역방향 모드**(reverse mode)라고 합니다.
"""

# %% [markdown] lang="en"
r"""
## 3. Turn the secant into the tangent

Run the cell, then play. On the left are the curve, the secant through two of its points, and autograd's tangent. On the
right, on logarithmic axes, is the error of the quotient for every $h$. It is a median over 201 values of $x$ near yours,
because a single $x$ can hit the right answer by luck.

1. Choose `float32` and move $h$ from right to left. At first the error falls in step with $h$. Where does it turn?
2. Go on to $h = 10^{-8}$. What does the text line say, and why?
3. Switch to `float64`. Where is the bottom of the V now, and how deep is it?
4. Change *forward* to *central*. The line on the right becomes steeper. What does that mean for the best $h$?
5. Move $x$. Does autograd's slope depend on $h$ anywhere?
"""

# %% [markdown] lang="ko" en=""
r"""
## 3. 할선이 접선이 될 때까지

셀을 실행하고 마음껏 움직여 보세요. 왼쪽에는 곡선, 곡선 위의 두 점을 지나는 할선, autograd가 구한 접선이 있습니다.
오른쪽은 $h$마다 차분몫의 오차가 얼마인지를 로그 축에 그린 것입니다. $x$ 하나만 보면 우연히 정답에 맞을 수 있으므로,
가까운 $x$ 201개에서 구한 오차의 중앙값을 씁니다.

1. `float32`를 고르고 $h$를 오른쪽에서 왼쪽으로 옮기세요. 처음에는 오차가 $h$를 따라 줄어듭니다. 어디에서 돌아서나요?
2. $h = 10^{-8}$까지 가 보세요. 글줄에 무엇이라고 나오나요? 왜 그럴까요?
3. `float64`로 바꾸세요. V의 바닥은 이제 어디에 있고 얼마나 깊은가요?
4. *전방*을 *중앙*으로 바꾸세요. 오른쪽 선이 더 가팔라집니다. 그러면 가장 좋은 $h$는 어떻게 달라지나요?
5. $x$를 움직이세요. autograd의 기울기가 $h$에 따라 달라지는 곳이 있나요?
"""

# %%
explore()

# %% [markdown] lang="en"
r"""
**What you saw.** Two errors pull in opposite directions.

- *Truncation*: the curve bends away from the secant. This error shrinks with $h$ (for the central quotient, with $h^2$).
- *Round-off*: $f(x+h)$ and $f(x)$ are stored with about 7 digits in `float32` and 16 in `float64`. When they are nearly
  equal, their difference keeps only the last few of these digits, and dividing by a small $h$ magnifies what is wrong in
  them. This error grows like $1/h$.

Their sum is a V. In `float32` the forward quotient is best near $h = 10^{-3}$. In `float64` it is best near $10^{-7}$, and
the central one near $10^{-5}$. Below $10^{-7}$ in `float32`, $x + h$ *is* $x$: the step is too small to be stored. Look:
"""

# %% [markdown] lang="ko" en=""
r"""
**무엇을 보았나요?** 두 가지 오차가 서로 반대쪽으로 당깁니다.

- *절단 오차*: 곡선은 할선에서 휘어져 나갑니다. 이 오차는 $h$를 따라 줄어듭니다(중앙 차분몫에서는 $h^2$을 따라).
- *반올림 오차*: $f(x+h)$와 $f(x)$는 `float32`에서는 약 7자리, `float64`에서는 약 16자리까지만 저장됩니다. 두 값이 거의
  같으면 빼고 나서 마지막 몇 자리만 남는데, 작은 $h$로 나누면 그 자리의 오차가 크게 부풀어 오릅니다. 이 오차는 $1/h$처럼
  커집니다.

둘을 더하면 V자가 됩니다. 전방 차분몫은 `float32`에서 $h = 10^{-3}$ 근처가 가장 좋습니다. `float64`에서는 $10^{-7}$ 근처,
중앙 차분몫이라면 $10^{-5}$ 근처가 가장 좋습니다. `float32`에서 $10^{-7}$ 아래로 내려가면 $x + h$가 바로 $x$입니다. 걸음이
너무 작아 저장되지 않는 것입니다. 직접 보세요.
"""

# %%
x = torch.tensor(5.0)
for h in (1e-3, 1e-5, 1e-6, 1e-7):
    print(f"h = {h:g}   the step really taken: {((x + h) - x).item():.9g}")

# %% [markdown] lang="en"
r"""
Look at the third line: you asked for $10^{-6}$ and got a step nearly 5 % shorter. A quotient that divides by the $h$ you
*typed* is wrong by those 5 %. Task 1.1 is about that.

Now try a function of your own. Anything made of PyTorch operations will do.
"""

# %% [markdown] lang="ko" en=""
r"""
셋째 줄을 보세요. $10^{-6}$을 입력했는데 실제 걸음은 5 % 가까이 짧습니다. *입력한* $h$로 나누면 차분몫이 그만큼 틀립니다.
과제 1.1이 이 이야기입니다.

이제 여러분의 함수를 넣어 보세요. PyTorch 연산으로 만든 것이면 됩니다.
"""


# %%
def mine(x):
    return torch.exp(-(x**2)) * torch.sin(5 * x)


explore(mine, x=0.5)

# %% [markdown] lang="en"
r"""
## 4. Autograd follows the path that was taken

The next function contains an `if`. Which branch does autograd differentiate?
"""

# %% [markdown] lang="ko" en=""
r"""
## 4. autograd는 실제로 지나간 길을 따라간다

다음 함수에는 `if`가 있습니다. autograd는 어느 쪽을 미분할까요?
"""


# %%
def curve(x, kind):
    if kind == "polynomial":
        return x**3 - x
    return x * torch.sin(x)


for kind in ("polynomial", "wave"):
    x = torch.tensor(2.0, requires_grad=True)
    curve(x, kind).backward()
    print(f"{kind:10}  slope at 2: {x.grad.item():.3f}")

# %% [markdown] lang="en"
r"""
By hand: $3x^2 - 1 = 11$ at $x = 2$, and $\sin x + x \cos x \approx 0.909 - 0.832 = 0.077$.

PyTorch saw only the operations that ran. It never saw the `if`, and the other branch left no trace. Because the record is
made anew on each run, it is called a **dynamic graph**. Loops work in the same way:
"""

# %% [markdown] lang="ko" en=""
r"""
손으로 구하면 $x = 2$에서 $3x^2 - 1 = 11$, 그리고 $\sin x + x \cos x \approx 0.909 - 0.832 = 0.077$입니다.

PyTorch가 본 것은 실행된 연산뿐입니다. `if`는 보지 못했고, 다른 쪽 갈래는 흔적을 남기지 않았습니다. 실행할 때마다 기록을
새로 만들기 때문에 이것을 **동적 그래프**라고 합니다. 반복문도 마찬가지입니다.
"""


# %%
def double_until(x, limit):
    y = x
    while y.abs() < limit:
        y = 2 * y
    return y


for start in (1.0, 3.0):
    x = torch.tensor(start, requires_grad=True)
    y = double_until(x, 8.0)
    y.backward()
    print(f"x = {start:g}: y = {y.item():g}, slope {x.grad.item():g}")

# %% [markdown] lang="en"
r"""
From $1$ the loop doubled three times, from $3$ twice: the slopes are $2^3$ and $2^2$. The comparison `y.abs() < limit`
decided *how often* we doubled, but it is not part of what is differentiated.
"""

# %% [markdown] lang="ko" en=""
r"""
$1$에서는 세 번, $3$에서는 두 번 두 배가 되었으므로 기울기는 $2^3$과 $2^2$입니다. 비교 `y.abs() < limit`는 *몇 번* 두 배
할지를 정했을 뿐, 미분되는 계산에는 들어가지 않습니다.
"""

# %% [markdown] lang="en"
r"""
## 5. Many inputs, one number

Deep learning asks for the slope of *one* number, the loss, with respect to *many* parameters. Here is a very small case:
4 samples with 3 features each, and a linear model with 2 outputs.
"""

# %% [markdown] lang="ko" en=""
r"""
## 5. 입력은 많고 결과는 하나

딥러닝에서는 *하나의* 수(loss)를 *많은* 파라미터로 미분합니다. 아주 작은 예를 봅시다. 특징이 3개인 샘플 4개와, 출력이 2개인
선형 모델입니다.
"""

# %%
torch.manual_seed(0)
inputs, targets = torch.randn(4, 3), torch.randn(4, 2)
W = torch.randn(3, 2, requires_grad=True)
b = torch.randn(2, requires_grad=True)

evaluations = 0


def loss_of(W, b):
    global evaluations
    evaluations += 1
    return ((inputs @ W + b - targets) ** 2).mean()


loss_of(W, b).backward()
print("shapes of the gradients:", W.grad.shape, b.grad.shape)
print("evaluations of the loss:", evaluations)

# %% [markdown] lang="en"
r"""
Each gradient has the shape of its parameter: one slope for each number. Now the same eight slopes as difference quotients.
Count the evaluations.
"""

# %% [markdown] lang="ko" en=""
r"""
gradient의 shape은 파라미터의 shape과 같습니다. 수 하나에 기울기가 하나씩입니다. 이제 같은 기울기 8개를 차분몫으로 구하면서
loss를 몇 번 계산하는지 세어 봅시다.
"""

# %%
h = 1e-3
evaluations = 0
worst = 0.0

with torch.no_grad():
    before = loss_of(W, b)
    for parameter in (W, b):
        for value, slope in zip(parameter.view(-1), parameter.grad.view(-1), strict=True):
            value += h  # a view: this moves one number of the parameter
            quotient = (loss_of(W, b) - before) / h
            value -= h
            worst = max(worst, abs(quotient - slope).item())

print("largest distance from autograd:", f"{worst:.4f}")
print("evaluations of the loss       :", evaluations)

# %% [markdown] lang="en"
r"""
Eight parameters cost nine evaluations. A model with 100 million parameters would cost 100 million and one. Reverse mode
costs one run forward and one walk back of about the same length, *however many parameters there are*. That is why it is
used for training.

With few inputs and many outputs it is the other way round: then **forward mode**, which carries slopes along from the
inputs to the outputs, is the cheap one. Lesson 5 comes back to it.
"""

# %% [markdown] lang="ko" en=""
r"""
파라미터가 8개일 때 loss를 9번 계산했습니다. 파라미터가 1억 개라면 1억 1번입니다. 역방향 모드는 *파라미터가 몇 개든* 앞으로
한 번, 비슷한 거리를 뒤로 한 번만 가면 됩니다. 학습에 이 방식을 쓰는 까닭입니다.

입력이 적고 출력이 많으면 거꾸로입니다. 그때는 기울기를 입력에서 출력 쪽으로 함께 나르는 **순방향 모드**(forward mode)가
쌉니다. 5번째 수업에서 다시 다룹니다.
"""
