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

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · gradient, difference quotient, round-off

**After this lesson you can**

- compute a slope in three ways, by hand, with a difference quotient and with autograd, and say how the three are related;
- choose a good step $h$ on a computer, and say why it is good;
- say what autograd differentiates when the code has an `if` or a loop;
- say when one backward pass is cheap, and compared with what.

By the end of lesson 10 you will have built an autograd of your own. In this lesson you build the tool that will check it.

You need Python, a little PyTorch (`torch.tensor`, `+`, `**`), and the derivative as you know it from school. Everything else that the
cells use is explained on the way. Section 6 is optional, and the minutes above do not include it.
"""

# %% [markdown] lang="ko" en="8365ad83"
r"""
# Autograd가 실제로 하는 일

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · gradient, 차분몫, 반올림 오차

**이 수업을 마치면**

- 기울기(slope)를 세 가지 방법(손 계산, 차분몫, autograd)으로 구하고, 세 값이 어떤 관계인지 말할 수 있습니다.
- 컴퓨터로 계산할 때 알맞은 간격(step size) $h$를 고르고, 그 이유를 설명할 수 있습니다.
- 코드에 `if`나 반복문이 있을 때 autograd가 무엇을 미분하는지 말할 수 있습니다.
- 역방향 계산(backward pass)이 어떤 경우에 차분몫보다 유리한지 말할 수 있습니다.

수업 10까지 마치면 여러분은 autograd를 직접 만들게 됩니다. 이 수업에서는 그 autograd가 맞는지 확인할 도구를 만듭니다.

파이썬, PyTorch 조금(`torch.tensor`, `+`, `**`), 그리고 학교에서 배운 미분만 알면 됩니다. 셀에 나오는 그 밖의 것은 그때그때 설명합니다. 6절은 선택이며 위의 시간에 들어 있지 않습니다.
"""

# %%
import math

import torch

from secant import explore, language, predict, predicted, say

language("en")

# %% [markdown] lang="en"
r"""
## First look

The curve is $f(x) = \log x^3$, where $\log$ is the natural logarithm. The *secant* is the straight line through two points of the curve, one at
$x$ and one a step $h$ to the right. Its slope is the *difference quotient*.

The other line is the *tangent* at $x$. Its slope, the *gradient*, is a number that PyTorch computed. The part of PyTorch that does so is called
**autograd**, and how it does so is this course. The first two rows below the picture are the two numbers. (Ignore the right plot for now: it comes in section 3.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="cb30c99b"
r"""
## 먼저 보기

$f(x) = \log x^3$의 그래프입니다. $\log$는 자연로그입니다. *할선*(secant)은 곡선 위의 두 점을 지나는 직선입니다. 한 점은 $x$에, 다른 점은 오른쪽으로
$h$만큼 떨어진 곳에 있습니다. 할선의 기울기를 *차분몫*(difference quotient)이라고 합니다.

다른 직선은 곡선 위의 그 점에서 그은 *접선*(tangent)입니다. 접선의 기울기인 *gradient*는 PyTorch가 구한 값입니다. PyTorch에서 이 값을 구하는 부분을
**autograd**라고 하며, 어떻게 구하는지가 이 코스의 주제입니다. 두 값은 그림 아래 처음 두 줄에 나옵니다. (오른쪽 그림은 3절에서 다루니 지금은 보지 않아도 됩니다.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore(rounding=False).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the secant turns into the tangent as $h$ gets small: the difference quotient tends to autograd's gradient. This lesson is about how
autograd gets this number, and how close a difference quotient comes to it.

</details>

## Predict first

At $x = 5$ autograd's gradient is $0.6$. **How does autograd get this number?**
Your choice is not graded; section 2 comes back to it.
"""

# %% [markdown] lang="ko" en="078c78d1"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 할선은 접선에 가까워지고, 차분몫은 autograd의 gradient에 다가갑니다. 이 수업에서는 autograd가 이 값을 어떻게 구하는지,
그리고 차분몫이 이 값에 얼마나 가까워질 수 있는지 살펴봅니다.

</details>

## 먼저 예상하기

$x = 5$에서 autograd의 gradient는 $0.6$입니다. **autograd는 이 값을 어떻게 구할까요?**
채점하지 않으니 편하게 고르세요. 2절에서 다시 다룹니다.
"""

# %%
predict(
    "1 how autograd does it",
    A=say(en="With a difference quotient, for a tiny h", ko="아주 작은 h로 차분몫을 계산한다"),
    B=say(
        en="It works out the formula of the slope, 3/x, and inserts 5",
        ko="기울기의 식 3/x를 구한 다음 5를 넣는다",
    ),
    C=say(
        en="It computes the slope of the cube and that of the logarithm, two numbers, and multiplies them",
        ko="세제곱의 기울기와 로그의 기울기를 각각 수로 구해 곱한다",
    ),
)

# %% [markdown] lang="en"
r"""
## 1. A slope from two points

Compute $y = x^3$ and $z = \log y$ twice: once at $x = 5$, and once a small step to the right, at $x = 5.001$. How much does $z$
grow per unit of $x$?
"""

# %% [markdown] lang="ko" en="102776c0"
r"""
## 1. 두 점으로 구하는 기울기

$y = x^3$과 $z = \log y$를 두 번 계산합니다. 한 번은 $x = 5$에서, 한 번은 오른쪽으로 조금 옮긴 $x = 5.001$에서 합니다. $x$가 1만큼 늘어날 때
$z$는 얼마나 늘어나는 셈일까요?
"""

# %%
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)

x_near = torch.tensor(5.001)
y_near = x_near**3
z_near = torch.log(y_near)

print("x = 5:     y, z =", y, z)
print("x = 5.001: y, z =", y_near, z_near)
print("(z_near - z) / (x_near - x) =", (z_near - z) / (x_near - x))

# %% [markdown] lang="en"
r"""
This is the **difference quotient** again, also called a *finite difference*. It is the *forward* quotient:
it takes one step from $x$, to the right if $h$ is positive, as here.

$$\frac{f(x+h) - f(x)}{h}$$

It is the slope of the **secant**. As $h \to 0$ it tends to the derivative, the slope of the **tangent**.

By hand you get the exact value. The chain rule multiplies the slopes of the two steps:

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{dz}{dy} = 3x^2 \cdot \frac{1}{y} = 75 \cdot 0.008 = 0.6.$$

The quotient was $0.5999$: close, but not equal. Keep both values in mind.
"""

# %% [markdown] lang="ko" en="d647dcc5"
r"""
이 값이 앞에서 본 **차분몫**(평균변화율)입니다. $x$에서 간격 $h$만큼 나아가므로 *전방*(forward) 차분몫이라고 합니다. 여기처럼 $h$가 양수이면 오른쪽으로 갑니다.

$$\frac{f(x+h) - f(x)}{h}$$

차분몫은 **할선**의 기울기입니다. $h \to 0$일 때 차분몫이 다가가는 값이 미분계수이고, 이것은 **접선**의 기울기입니다. 이렇게 미분계수를 어림하는
방법을 *유한 차분법*(finite difference)이라고 합니다.

손으로는 정확한 값을 구할 수 있습니다. 연쇄 법칙(chain rule)에 따라 두 단계의 기울기를 곱합니다.

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{dz}{dy} = 3x^2 \cdot \frac{1}{y} = 75 \cdot 0.008 = 0.6$$

차분몫은 $0.5999$였습니다. 가깝지만 같지는 않습니다. 두 값을 모두 기억해 두세요.
"""

# %% [markdown] lang="en"
r"""
## 2. The same slope from autograd

Three things change. You ask PyTorch to **track** `x`, you call `backward()` on the result, and you read the slope from `x.grad`.
(`.item()` turns a tensor with a single element into a plain number.)
"""

# %% [markdown] lang="ko" en="3f54b867"
r"""
## 2. 같은 기울기를 autograd로

달라지는 것은 세 가지입니다. PyTorch에 `x`를 **추적**(track)해 달라고 하고, 결과에서 `backward()`를 호출하고, `x.grad`에서
기울기를 읽습니다. (`.item()`은 원소가 하나인 텐서에서 수만 꺼냅니다.)
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward()
print("log(x^3),     x = 5:", x.grad)

x = torch.tensor(3.0, requires_grad=True)
y = x**2 + 2 * x + 1
y.backward()
print("x^2 + 2x + 1, x = 3:", x.grad, "  y =", y.item(), "  2x + 2 =", 2 * 3 + 2)

# %% [markdown] lang="en"
r"""
A difference quotient needs the values of $f$ at two points that are $h$ apart. Here $f$ ran once, at a single point. So autograd does not
compute a difference quotient.

It does not do algebra either: the formula $3/x$ is never written down. During the **forward pass**, while your code runs,
PyTorch records each operation (first a power, then a logarithm). The recorded operations form the **computational graph**. For each
operation PyTorch knows how to turn the slope of the final result with respect to the operation's output into its slope with respect to the operation's input.
`backward()` runs the **backward pass**: it goes through the graph from the last operation to the first and multiplies numbers, just as we multiplied
$0.008$ and $75$. The graph begins at `x`, a tracked tensor that no recorded operation has made. It is a **leaf** of this graph, and what
arrives there is added to its `.grad`. (Lesson 2 says which tensors are leaves.)

Differentiating in this direction, from the result to the inputs, is called **reverse mode**. In neural networks it is called **backpropagation**.
"""

# %% [markdown] lang="ko" en="224d8073"
r"""
차분몫을 구하려면 $h$만큼 떨어진 두 점에서 $f$를 계산해야 합니다. 여기서는 $f$를 점 하나에서 한 번만 계산했습니다. 그러니 autograd는
차분몫을 계산하는 것이 아닙니다.

수식을 변형하는 것도 아닙니다. $3/x$라는 식은 어디에도 쓰이지 않습니다. 코드가 실행되는 동안, 곧 **순방향 계산**(forward pass)을 하는 동안
PyTorch는 연산을 하나하나 기록합니다(먼저 거듭제곱, 다음에 로그). 기록된 연산이 모여 **계산 그래프**(computational graph)가 됩니다.
PyTorch는 연산마다 한 가지를 알고 있습니다. 최종 결과를 그 연산의 출력으로 미분한 값이 주어지면, 거기서 입력으로 미분한 값을 구하는 방법입니다. `backward()`는
**역방향 계산**(backward pass)을 합니다. 그래프를 끝에서 처음으로 거슬러 가며 수를 곱하는데, 우리가 $0.008$과 $75$를 곱한 것과 같습니다. 그래프는
`x`에서 시작합니다. `x`는 추적되는 텐서이고, 기록된 연산으로 만들어진 것이 아닙니다. `x`는 이 그래프의 **leaf**이며, 여기에 도달한 값이
`.grad`에 더해집니다. (어떤 텐서가 leaf인지는 수업 02에서 정리합니다.)

이렇게 결과에서 입력 쪽으로 미분하는 방식을 **역방향 모드**(reverse mode)라고 합니다. 신경망에서는 **역전파**(backpropagation)라고
부릅니다.
"""

# %%
predicted(
    "1 how autograd does it",
    right="C",
    A=say(
        en="That would give nearly this number. But `f` ran only once, at `x = 5`, and no `h` occurs.",
        ko="거의 같은 값이 나오기는 합니다. 하지만 `f`를 `x = 5`에서 한 번만 계산했고, `h`는 어디에도 없습니다.",
    ),
    B=say(
        en="That would give this number. But PyTorch forms no formula; it multiplies 0.008 and 75.",
        ko="같은 값이 나오기는 합니다. 하지만 식은 만들어지지 않습니다. 수 0.008과 75를 곱할 뿐입니다.",
    ),
    C=say(
        en="0.008, the slope of the logarithm at 125, times 75, the slope of the cube at 5.",
        ko="125에서 로그의 기울기 0.008에, 5에서 세제곱의 기울기 75를 곱합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
## 3. How large is the error?

Here is the explorer of the first look again. On the right you see the *error* for every $h$: how far the quotient and the gradient are apart. The axes
are logarithmic.

1. Set $h = 0.1$, then $0.01$, then $0.001$. By how much does the error shrink from each $h$ to the next?
2. Keep $h = 0.1$, and move $x$ to $2$, then to $8$. Where is the error larger, and why?
"""

# %% [markdown] lang="ko" en="26b77b65"
r"""
## 3. 오차는 얼마나 될까

맨 앞에서 본 탐색기입니다. 오른쪽 그림은 $h$마다 차분몫과 gradient가 얼마나 떨어져 있는지, 곧 *오차*를 보여 줍니다. 두 축 모두 로그 눈금입니다.

1. $h$를 $0.1$, $0.01$, $0.001$로 바꾸어 보세요. 다음 $h$로 갈 때마다 오차는 얼마나 줄어드나요?
2. $h = 0.1$로 두고 $x$를 $2$로, 이어서 $8$로 옮기세요. 어느 쪽에서 오차가 더 큰가요? 왜 그럴까요?
"""

# %%
explore(rounding=False)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. Each tenth of $h$ leaves about a tenth of the error, so on logarithmic axes it is a straight line. There is an error because the curve bends away
   from the secant. It is called the *truncation error*.
2. At $x = 2$ the error is about sixteen times as large as at $8$: there the curve bends more.

</details>

### The price of a small step

So is a smaller $h$ always better? On paper it is. A computer stores a number with a limited count of digits: about 7 in `float32`,
PyTorch's default, and about 16 in `float64`, Python's own. (The type of the numbers in a tensor is its *dtype*.)

Compute the quotient in `float32`, first with $h = 0.1$, then with $0.001$, then with $0.00000001$. **What happens to its error?**
"""

# %% [markdown] lang="ko" en="2e3baefc"
r"""
<details><summary>무엇을 보았나요?</summary>

1. $h$가 10분의 1이 될 때마다 오차도 10분의 1쯤으로 줄어듭니다. 그래서 로그 축에서는 직선이 됩니다. 오차가 생기는 것은 곡선이 휘어 있기 때문이며, 이
   오차를 *절단 오차*(truncation error)라고 합니다.
2. $x = 2$의 오차가 $8$의 열여섯 배쯤 됩니다. 그곳에서 곡선이 더 많이 휘어 있기 때문입니다.

</details>

### 작은 간격의 대가

그렇다면 $h$는 작을수록 좋을까요? 수학에서는 그렇습니다. 그런데 컴퓨터는 정해진 자릿수까지만 수를 저장합니다. PyTorch의 기본 자료형인 `float32`는
약 7자리, 파이썬이 쓰는 `float64`는 약 16자리입니다. (텐서에 담긴 수의 자료형을 *dtype*이라고 합니다.)

차분몫을 `float32`로 계산합니다. 처음에는 $h = 0.1$로, 다음에는 $0.001$로, 그다음에는 $0.00000001$로 합니다. **오차는 어떻게 될까요?**
"""

# %%
predict(
    "1 smaller steps",
    A=say(en="It gets smaller each time", ko="매번 더 작아진다"),
    B=say(en="It gets smaller at first, and then grows again", ko="처음에는 작아지다가 다시 커진다"),
    C=say(
        en="It gets smaller until `float32` runs out of digits, and then stays that small",
        ko="처음에는 작아지다가 `float32`의 자릿수가 다하면 그 작은 값에 머문다",
    ),
)

# %% [markdown] lang="en"
r"""
This explorer has all $h$ down to $3 \cdot 10^{-16}$, both dtypes and three quotients. On the right it shows the median error over 201 values
of $x$ near yours, because at a single $x$ the quotient can be right by luck. It divides by $(x+h) - x$, the step really taken,
instead of $h$; the text below the explorer explains why.

1. `float32` is selected. Move $h$ from right to left. The error traces a V: where does it stop shrinking and start to grow?
2. Go on to $h = 10^{-8}$. What does the text below the figure say, and why?
3. Switch to `float64`. Where is the bottom of the V now, and how deep is it?
4. Choose *central*, $\frac{f(x+h) - f(x-h)}{2h}$. Which side of the V becomes steeper, and how does that change the best $h$?

The menu also has the *complex step*, $\operatorname{Im} f(x + ih)/h$: a small step in the imaginary direction. It subtracts
nothing. What happened to the left side of the V?
"""

# %% [markdown] lang="ko" en="845f7aea"
r"""
이 탐색기에서는 $h$를 $3 \cdot 10^{-16}$까지 줄일 수 있고, 두 가지 dtype과 세 가지 차분몫을 고를 수 있습니다. $x$ 하나만 보면 우연히
정답과 맞아떨어질 수 있으므로, 오른쪽에는 가까운 $x$ 201개에서 구한 오차의 중앙값을 그립니다. 탐색기는 $h$ 대신 실제로 움직인 만큼인
$(x+h) - x$로 나눕니다. 이유는 탐색기 아래에서 설명합니다.

1. `float32`로 되어 있습니다. $h$를 오른쪽에서 왼쪽으로 옮기세요. 오차는 V자를 그립니다. 줄어들던 오차는 어디에서 다시 커지나요?
2. $h = 10^{-8}$까지 가 보세요. 그림 아래 글에는 무엇이라고 나오나요? 왜 그럴까요?
3. `float64`로 바꾸세요. V자의 바닥은 이제 어디에 있고 얼마나 깊은가요?
4. $\frac{f(x+h) - f(x-h)}{2h}$, 곧 *중앙* 차분몫을 고르세요. V의 어느 쪽이 더 가팔라지나요? 그러면 가장 좋은 $h$는 어떻게 달라지나요?

메뉴에는 *복소 스텝*(complex step) $\operatorname{Im} f(x + ih)/h$도 있습니다. 허수 방향으로 조금 움직이는 방법으로, 뺄셈을 하지
않습니다. V의 왼쪽은 어떻게 되었나요?
"""

# %%
explore(dtype="float32")

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

Two errors pull in opposite directions.

- The *truncation error* from above shrinks in proportion to $h$ (for the central quotient, to $h^2$).
- *Round-off*: $f(x+h)$ and $f(x)$ are stored with about 7 digits in `float32` and 16 in `float64`. When they are nearly
  equal, their difference keeps only the last few of these digits, and dividing by a small $h$ magnifies the error in them.
  This error grows like $1/h$.

Their sum is a V. In `float32` the forward quotient is best near $h = 10^{-3}$, and the central one near $10^{-2}$. In `float64`
these are $10^{-7}$ and $10^{-5}$. The complex step has no left side: without a subtraction there is no round-off to magnify.
Autograd's slope does not depend on $h$ at all.

</details>

In `float32`, near $x = 5$, any $h$ below about $2.4 \cdot 10^{-7}$ is lost altogether: $x + h$ *is* $x$. With a larger $h$, the
step really taken, $(x + h) - x$, still differs a little from the $h$ that you typed:
"""

# %% [markdown] lang="ko" en="36a14f0f"
r"""
<details><summary>무엇을 보았나요?</summary>

두 가지 오차가 서로 반대로 움직입니다.

- 위에서 본 *절단 오차*는 $h$에 비례해 줄어듭니다(중앙 차분몫에서는 $h^2$에 비례해).
- *반올림 오차*(round-off): $f(x+h)$와 $f(x)$는 `float32`에서는 약 7자리, `float64`에서는 약 16자리까지만 저장됩니다. 두 값이
  거의 같으면 빼고 나서 마지막 몇 자리만 남는데, 작은 $h$로 나누면 그 자리의 오차가 크게 부풀어 오릅니다. 이 오차는 $1/h$에 비례해
  커집니다.

둘을 더하면 V자가 됩니다. `float32`에서 전방 차분몫은 $h = 10^{-3}$ 근처, 중앙 차분몫은 $10^{-2}$ 근처가 가장 좋습니다.
`float64`에서는 각각 $10^{-7}$과 $10^{-5}$ 근처입니다. 복소 스텝에는 V의 왼쪽이 없습니다. 뺄셈이 없으니 부풀어 오를 반올림 오차도
없습니다. autograd의 기울기는 $h$와 아무 상관이 없습니다.

</details>

`float32`에서는 $x = 5$ 근처에서 $h$가 약 $2.4 \cdot 10^{-7}$보다 작으면 아예 사라집니다. $x + h$가 바로 $x$입니다. 그보다 큰 $h$라도
실제로 움직인 만큼, 곧 $(x + h) - x$는 입력한 $h$와 조금 다릅니다.
"""

# %%
x = torch.tensor(5.0)
for h in (1e-3, 1e-5, 1e-6, 1e-7):
    print(f"h = {h:g}   (x + h) - x = {((x + h) - x).item():.9g}")

# %%
predicted(
    "1 smaller steps",
    right="B",
    A=say(
        en="With exact numbers it would: the only error would be that of the bent curve. But `f` is stored "
        "with 7 digits, and dividing by `h` magnifies the error in the last of them.",
        ko="수를 정확히 저장한다면 맞습니다. 곡선이 휘어서 생기는 오차뿐일 테니까요. 하지만 `f`는 7자리까지만 "
        "저장되고, `h`로 나누면 마지막 자리의 오차가 부풀어 오릅니다.",
    ),
    B=say(
        en="The error of the bent curve shrinks with `h`, that of rounding grows like `1/h`. At `h = 1e-8`, "
        "`x + h` is `x`, so the difference is 0. Divided by `h` it is still 0, and the error is 0.6, the "
        "whole slope. (The explorer divides by the step really taken, which is 0, and shows nan.)",
        ko="곡선이 휘어서 생기는 오차는 `h`를 따라 줄고 반올림 오차는 `1/h`처럼 커집니다. `h = 1e-8`이면 "
        "`x + h`가 바로 `x`이므로 두 함숫값의 차이가 0입니다. `h`로 나누어도 0이고, 오차는 참값과 같은 "
        "0.6입니다. (탐색기는 실제로 움직인 만큼인 0으로 나누므로 nan이 나옵니다.)",
    ),
    C=say(
        en="The digits of `f` do stay: 7 of them are right at every `h`. But the error of `f` is divided by "
        "`h`, so the quotient's error grows again, to 0.6 at `h = 1e-8`, the whole slope.",
        ko="`f`의 자릿수는 그대로입니다. `h`가 얼마든 7자리까지 맞습니다. 하지만 그 오차를 `h`로 나누므로 "
        "차분몫의 오차는 다시 커져 `h = 1e-8`에서는 기울기 전체인 0.6이 됩니다.",
    ),
)

# %% [markdown] lang="en"
r"""
Look at the line for `h = 1e-06` that the loop printed: you asked for $10^{-6}$ and got a step that is nearly 5% shorter. A quotient that divides by the $h$ you
*typed* is off by these 5%, in addition to round-off. It gets even the slope of a straight line wrong. In task 1.1 you remove
this error.

Now try a function of your own. It can use any PyTorch operations.
"""

# %% [markdown] lang="ko" en="120f5074"
r"""
반복문이 출력한 `h = 1e-06` 줄을 보세요. $10^{-6}$을 입력했는데 실제 간격은 5% 가까이 짧습니다. *입력한* $h$로 나누면 반올림 오차에 더해 이만큼의
오차가 따로 생깁니다. 직선의 기울기마저 틀립니다. 과제 1.1에서 이 오차를 없앱니다.

이제 여러분의 함수를 넣어 보세요. PyTorch 연산으로 만든 것이면 됩니다.
"""


# %%
def mine(x):
    return torch.exp(-(x**2)) * torch.sin(5 * x)


explore(mine, x_range=(-2, 2), x=0.5, h=0.3)

# %% [markdown] lang="en"
r"""
## 4. Code with an `if` or a loop

The function in the next cell has an `if`: one branch is a polynomial, the other a wave. **What does autograd differentiate?**
"""

# %% [markdown] lang="ko" en="f1377547"
r"""
## 4. `if`나 반복문이 있는 코드

다음 셀의 함수에는 `if`가 있습니다. 한쪽은 다항식, 다른 쪽은 물결 모양 함수입니다. **autograd는 무엇을 미분할까요?**
"""

# %%
predict(
    "1 branches",
    A=say(
        en="Both branches: it reads the function and picks the slope that applies",
        ko="두 갈래 모두 미분하고, 그중 맞는 쪽 기울기를 고른다",
    ),
    B=say(en="Only the branch that runs", ko="실행된 갈래만 미분한다"),
    C=say(
        en="Nothing: an `if` is not a formula, so `backward()` raises an error",
        ko="`if`는 수식이 아니므로 미분하지 못하고, `backward()`에서 오류가 난다",
    ),
)


# %%
def curve(x, kind):
    if kind == "polynomial":
        return x**3 - x
    return x * torch.sin(x)


for kind in ("polynomial", "wave"):
    x = torch.tensor(2.0, requires_grad=True)
    curve(x, kind).backward()
    print(f"{kind:10}  x = 2:", say(en="slope", ko="기울기"), f"{x.grad.item():.3f}")

# %%
predicted(
    "1 branches",
    right="B",
    A=say(
        en="PyTorch never reads your code. It sees only the operations, one by one, as they run.",
        ko="PyTorch는 여러분의 코드를 읽지 않습니다. 연산이 실행될 때마다 그 연산을 볼 뿐입니다.",
    ),
    B=say(
        en="PyTorch records the operations that run. It never sees the `if`.",
        ko="PyTorch는 실행된 연산을 기록합니다. `if`는 보지 못합니다.",
    ),
    C=say(
        en="Autograd needs recorded operations, not a formula, and those of the branch that ran are there.",
        ko="수식은 필요 없습니다. 연산의 기록만 있으면 되고, 실행된 갈래는 기록을 남겼습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
By hand: $3x^2 - 1 = 11$ at $x = 2$, and $\sin x + x \cos x \approx 0.909 - 0.832 = 0.077$.

The other branch left no trace: the computational graph holds only what ran. PyTorch builds the graph again on every run,
so it is called a **dynamic graph**. The run itself is ordinary Python: you can `print` in the middle of it, or stop there with `breakpoint()` and the debugger `pdb`. Loops work too:
"""

# %% [markdown] lang="ko" en="03d90fbd"
r"""
손으로 구하면 $x = 2$에서 $3x^2 - 1 = 11$, 그리고 $\sin x + x \cos x \approx 0.909 - 0.832 = 0.077$입니다.

다른 쪽 갈래는 흔적을 남기지 않았습니다. 계산 그래프에는 실행된 연산만 있습니다. PyTorch는 이 그래프를 실행할 때마다 새로 만들므로 **동적 그래프**(dynamic graph)라고 합니다.
실행되는 것은 보통의 파이썬 코드이므로 중간에 `print`를 넣어도 되고, `breakpoint()`로 멈추어 디버거 `pdb`로 들여다보아도 됩니다. 반복문도 마찬가지입니다.
"""


# %%
def double_until(x, limit):
    y = x
    while y.abs() < limit:
        y = 2 * y
        print("  y =", y.item())
    return y


for start in (1.0, 3.0):
    x = torch.tensor(start, requires_grad=True)
    y = double_until(x, 8.0)
    y.backward()
    print(f"x = {start:g}: y = {y.item():g},", say(en="slope", ko="기울기"), f"{x.grad.item():g}")

# %% [markdown] lang="en"
r"""
Starting at $1$ the loop doubled three times, starting at $3$ twice: the slopes are $2^3$ and $2^2$. The comparison `y.abs() < limit`
decided *how often* to double, but it is not part of what is differentiated. Just left of $1$ the loop would double once more, so the
function has a jump at $1$; autograd still gives the slope along the path that ran.

A dynamic graph has its price: every run records again, and nothing can be optimized beforehand. What does it
cost? The cell below computes `x * x` for a tracked `x` and for an untracked one.
"""

# %% [markdown] lang="ko" en="d7ca9709"
r"""
$1$에서는 세 번, $3$에서는 두 번 두 배가 되었으므로 기울기는 $2^3$과 $2^2$입니다. 비교 `y.abs() < limit`은 *몇 번* 두 배로
만들지를 정했을 뿐, 미분되는 계산에는 들어가지 않습니다. $1$ 바로 왼쪽에서는 한 번 더 두 배가 되므로 이 함수는 $1$에서 불연속입니다.
그래도 autograd는 실제로 지나간 경로의 기울기를 구합니다.

동적 그래프에는 대가가 따릅니다. 실행할 때마다 새로 기록해야 하고, 계산을 미리 최적화할 수 없습니다. 기록하는 데 시간이 얼마나 들까요?
아래 셀에서는 `x * x`를 추적되는 `x`로 한 번, 추적되지 않는 `x`로 한 번 계산합니다.
"""

# %%
from timeit import timeit

for tracked in (True, False):
    x = torch.tensor(2.0, requires_grad=tracked)
    microseconds = timeit(lambda x=x: x * x, number=5_000) / 5_000 * 1e6
    print(f"requires_grad={tracked!s:5}", f"{microseconds:.2f}", say(en="microseconds", ko="마이크로초"))

# %% [markdown] lang="en"
r"""
Recording adds about a microsecond to each operation. You notice it while tensors are small; in a product of two
large matrices it disappears.

<details><summary>Can the time be won back? And were graphs always dynamic?</summary>

TensorFlow 1 built its graph once, before the first run, so a branch or a loop had to be part of the graph (`tf.cond`,
`tf.while_loop`); since TensorFlow 2, operations run eagerly, as in PyTorch.

`torch.compile` collects the operations that your code runs, compiles them on the first call, and uses the compiled code from then on.
It compiles again when your code takes another path, so autograd itself stays dynamic. In our measurements, the forward and
backward passes through thirty operations on 100,000 elements ran up to twice as fast once they were compiled, but this
computation has to be repeated tens of thousands of times before the compilation pays off. (`benchmarks/compiled.py` in the course's
repository measures it on your machine.)

</details>
"""

# %% [markdown] lang="ko" en="0a90a254"
r"""
기록하느라 연산마다 1마이크로초 안팎이 더 걸립니다. 텐서가 작을 때는 눈에 띄지만, 큰 행렬 두 개를 곱할 때는 드러나지 않습니다.

<details><summary>이 시간을 줄일 수 있을까요? 그래프는 언제나 동적이었을까요?</summary>

TensorFlow 1은 처음 실행하기 전에 그래프를 한 번만 만들었으므로, 분기와 반복을 그래프의 일부로 써야 했습니다(`tf.cond`, `tf.while_loop`).
TensorFlow 2부터는 PyTorch처럼 연산이 바로 실행됩니다.

`torch.compile`은 처음 호출할 때 실행될 연산을 모아 컴파일하고, 다음부터는 컴파일해 둔 것을 씁니다. 코드가 다른 경로로 가게 되면 다시
컴파일하므로, autograd 자체는 여전히 동적입니다. 원소가 100,000개인 텐서에 연산을 30번 하는 계산으로 재어 보니, 컴파일한 뒤에는 순방향 계산과
역방향 계산이 최대 두 배까지 빨라졌습니다. 그러나 컴파일에 오래 걸려서, 이 계산이라면 수만 번은 되풀이해야 이득입니다. (이 코스의 저장소에 있는
`benchmarks/compiled.py`로 여러분의 컴퓨터에서 재어 볼 수 있습니다.)

</details>
"""

# %% [markdown] lang="en"
r"""
## 5. Many inputs, one number

Deep learning needs the slope of *one* number, the loss, with respect to *many* others, the parameters. The loss says how wrong a model is on its
examples, the *samples*; training adjusts the parameters.

Begin with two inputs: $f(x, y) = x^2 y$ at $x = 3$, $y = 2$. If you move only $x$ and hold $y$ still, the quotient tends to the
**partial derivative** with respect to $x$, written with a round d. Here $y$ is just a constant factor. If only $y$ moves, $x^2$ is the constant factor:

$$\frac{\partial f}{\partial x} = \lim_{h \to 0} \frac{f(x+h,\, y) - f(x, y)}{h} = 2xy = 12, \qquad
\frac{\partial f}{\partial y} = \lim_{h \to 0} \frac{f(x,\, y+h) - f(x, y)}{h} = x^2 = 9.$$
"""

# %% [markdown] lang="ko" en="4a81bfbf"
r"""
## 5. 입력은 많고 결과는 하나

딥러닝에서는 수 *하나*를 *아주 많은* 수로 미분합니다. 미분되는 수는 loss로, 모델의 출력이 주어진 데이터(*샘플*, sample)의 정답과 얼마나 다른지를
나타냅니다. 미분하는 변수는 파라미터(parameter), 곧 학습하면서 바꾸어 가는 수입니다.

먼저 입력이 두 개인 $f(x, y) = x^2 y$를 $x = 3$, $y = 2$에서 봅시다. $y$는 그대로 두고 $x$만 움직일 때 차분몫이 다가가는 값을 $x$에 대한
**편미분계수**(partial derivative)라고 하고, 둥근 d인 $\partial$로 씁니다. 고정된 $y$는 상수처럼 다룹니다. $x$를 고정하고 $y$만
움직일 때도 마찬가지입니다.

$$\frac{\partial f}{\partial x} = \lim_{h \to 0} \frac{f(x+h,\, y) - f(x, y)}{h} = 2xy = 12, \qquad
\frac{\partial f}{\partial y} = \lim_{h \to 0} \frac{f(x,\, y+h) - f(x, y)}{h} = x^2 = 9$$
"""


# %%
def f(x, y):
    return x**2 * y


h = 1e-6
x, y = 3.0, 2.0
print(say(en="only x moves:", ko="x만 움직이면:"), f"{(f(x + h, y) - f(x, y)) / h:.4f}")
print(say(en="only y moves:", ko="y만 움직이면:"), f"{(f(x, y + h) - f(x, y)) / h:.4f}")

x, y = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
f(x, y).backward()
print("x.grad, y.grad:", x.grad, y.grad)

x = torch.tensor(3.0, requires_grad=True)
f(x, x - 1).backward()
print(say(en="y = x - 1, so both move:", ko="y = x - 1이면 둘 다 움직여서:"), x.grad)

# %% [markdown] lang="en"
r"""
One `backward()` found both. In the last line $y$ is computed from $x$: its value is still 2, but it cannot be held still while $x$
moves. The slope is then $12 + 9 = 21$, which is not a partial derivative of $f$. `x.grad` is $\partial f/\partial x$ only if no
input is computed from another. (Lesson 4 shows why the two slopes are added.)

All partial derivatives together form the **gradient**; with one input it is the slope. **A model has 1000 parameters. How many times must you compute the loss to get
all 1000 slopes with forward quotients, and how many times with autograd?**
"""

# %% [markdown] lang="ko" en="e7138e30"
r"""
`backward()` 한 번으로 둘 다 구했습니다. 마지막 줄에서는 $y$를 $x$로 계산했습니다. 값은 똑같이 2이지만, $x$가 움직이는 동안 $y$를
고정해 둘 수 없습니다. 그래서 기울기는 $12 + 9 = 21$이 되고, 이것은 $f$의 편미분계수가 아닙니다. `x.grad`가 $\partial f/\partial x$와 같은 것은
어느 입력도 다른 입력으로 계산되지 않았을 때뿐입니다. (두 기울기를 왜 더하는지는 수업 04에서 봅니다.)

편미분계수를 모두 모은 것이 **gradient**입니다. 입력이 하나이면 gradient는 곧 기울기입니다. **파라미터가 1000개인 모델이 있습니다. 기울기 1000개를 전방 차분몫으로, 또 autograd로
모두 구하려면 loss를 몇 번씩 계산해야 할까요?**
"""

# %%
predict(
    "1 evaluations",
    A=say(
        en="Quotients 2 times, autograd once: one step moves all parameters together",
        ko="차분몫 2번, autograd 1번: 파라미터를 모두 한꺼번에 움직인다",
    ),
    B=say(en="Quotients 1001 times, autograd once", ko="차분몫 1001번, autograd 1번"),
    C=say(
        en="Quotients 1001 times, autograd 1000 times: each slope costs one calculation",
        ko="차분몫 1001번, autograd 1000번: 기울기마다 한 번씩 계산해야 한다",
    ),
)

# %% [markdown] lang="en"
r"""
A very small case: 4 samples with 3 features each, and a linear model with 2 outputs: $3 \cdot 2$ weights and 2 biases, eight parameters.
"""

# %% [markdown] lang="ko" en="9aa4efda"
r"""
아주 작은 예를 봅시다. 특징(feature)이 3개인 샘플 4개와, 출력이 2개인 선형 모델(linear model)입니다. 가중치 $3 \cdot 2$개와 편향 2개, 파라미터는 모두 8개입니다.
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
print("W.grad, b.grad:", W.grad.shape, b.grad.shape)
print(f"{evaluations = }")

# %% [markdown] lang="en"
r"""
Each gradient has the shape of its parameter: one slope per element. The next cell computes the same slopes as difference
quotients, one element at a time, keeps the largest distance from autograd in `worst`, and counts the evaluations.
(`torch.no_grad()` switches recording off; `view(-1)` shows a tensor's own elements in one row: what you change there changes in the tensor.)
"""

# %% [markdown] lang="ko" en="74a01108"
r"""
gradient의 shape(모양, 차원별 크기)는 파라미터의 shape와 같습니다. 원소마다 기울기가 하나씩 있습니다. 다음 셀에서는 같은 기울기 8개를 차분몫으로 구합니다.
한 번에 원소 하나씩 움직이고, autograd와 가장 크게 벌어진 차이를 `worst`에 남기고, loss를 몇 번 계산했는지 셉니다.
(`torch.no_grad()`는 기록을 끕니다. `view(-1)`은 텐서의 원소를 복사하지 않고 한 줄로 보여 줍니다. 그래서 거기서 바꾸면 텐서도 바뀝니다.)
"""

# %%
h = 1e-3
evaluations = 0
worst = 0.0

with torch.no_grad():
    before = loss_of(W, b)
    for parameter in (W, b):
        for value, slope in zip(parameter.view(-1), parameter.grad.view(-1), strict=True):
            kept = value.clone()
            value += h
            quotient = (loss_of(W, b) - before) / (value - kept)
            value.copy_(kept)
            worst = max(worst, abs(quotient - slope).item())

print(f"{worst = :.4f}")
print(f"{evaluations = }")

# %%
predicted(
    "1 evaluations",
    right="B",
    A=say(
        en="A step that moves all parameters at once gives one number: how the loss changes in that one "
        "direction. It does not tell you which parameter caused the change.",
        ko="한꺼번에 움직이면 그 방향으로 loss가 얼마나 변하는지, 수 하나를 얻을 뿐입니다. 어느 파라미터 "
        "때문인지는 알 수 없습니다.",
    ),
    B=say(
        en="Quotients need one run more than there are parameters: 9 for 8 of them. Autograd always needs "
        "one forward pass and one backward pass.",
        ko="차분몫은 파라미터가 8개일 때 9번이듯, 파라미터 수보다 한 번 더 계산합니다. autograd는 언제나 "
        "순방향 계산 한 번과 역방향 계산 한 번입니다.",
    ),
    C=say(
        en="For quotients that is right. But one backward pass goes through every operation and finds all "
        "slopes along the way.",
        ko="차분몫은 맞습니다. 하지만 역방향 계산은 한 번에 모든 연산을 지나므로 기울기를 한꺼번에 다 얻습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The slopes agree to about 0.001; what remains is the error of section 3. With 100 million parameters, quotients would need
100,000,001 runs. Reverse mode needs one forward pass and one backward pass, *however many parameters there are*. In a large
model the backward pass takes about as long as two forward passes. That is why training uses reverse mode. It pays with memory: what was
recorded must be kept until the backward pass.

With few inputs and many outputs it is the other way round: then **forward mode**, which carries slopes along from the
inputs to the outputs, is cheaper. Lesson 5 comes back to it.
"""

# %% [markdown] lang="ko" en="72c2d5c7"
r"""
기울기의 차이는 0.001 정도입니다. 이 차이는 3절에서 본 오차입니다. 파라미터가 1억 개라면 차분몫은 loss를 1억 1번 계산해야 합니다.
역방향 모드는 *파라미터가 몇 개든* 순방향 계산 한 번과 역방향 계산 한 번이면 됩니다. 큰 모델에서 역방향 계산에 드는 시간은 순방향 계산의 두 배쯤입니다. 파라미터가 아무리 많아도 이만큼이면 되므로 학습에는 역방향 모드를 씁니다. 대신 역방향 계산을 할 때까지 기록을 메모리에 두어야 합니다.

입력이 적고 출력이 많을 때는 반대입니다. 그때는 기울기를 입력에서 출력 쪽으로 함께 계산해 나가는 **순방향 모드**(forward mode)가
비용이 더 적습니다. 수업 05에서 다시 다룹니다.
"""

# %% [markdown] lang="en"
r"""
## 6. A real bug · optional

In October 2020 a user of SciPy reported that [`least_squares` is broken with `float32`](https://github.com/scipy/scipy/issues/12991).
A straight line was to be fitted, but the fit stopped far from the answer. There was no error, only the message that the gradient had become small enough.

`least_squares` uses forward quotients as the derivatives that tell it where to go. The simplest routine of this kind just follows the slope downhill. The one below, `fit`, looks for the `p` for which
`p * data` equals `2 * data`. Where the slope is nearly 0, it assumes that it has reached the minimum. SciPy's step was $h = 1.5 \cdot 10^{-8}$,
the square root of the *machine epsilon* of `float64` (`torch.finfo(torch.float64).eps`), the gap between 1 and the next larger number.
"""

# %% [markdown] lang="ko" en="f90ffefe"
r"""
## 6. 실제로 있었던 버그 · 선택

2020년 10월, SciPy의 한 사용자가 [`least_squares`가 `float32`에서 제대로 동작하지 않는다](https://github.com/scipy/scipy/issues/12991)고
알렸습니다. 데이터에 직선을 맞추는 계산이 답에서 먼 곳에서 멈추었는데, 오류는 없었고 gradient가 충분히 작아졌다는 메시지만 나왔습니다.

`least_squares`는 어디로 얼마나 움직일지 정하는 데 필요한 도함수의 값을 전방 차분몫으로 구합니다. 기울기를 따라 내려가기만 하는 가장 단순한 함수로 줄여 봅시다. `p * data`가 `2 * data`와 같아지는
`p`를 찾습니다. `fit`은 기울기가 거의 0이면 최소점에 이르렀다고 보고 멈춥니다. SciPy의 간격은 `float64`의 *머신 입실론*(machine epsilon, `eps`. 1과 그다음 수의 차이)의 제곱근인
$h = 1.5 \cdot 10^{-8}$이었습니다.
"""

# %%
data = torch.linspace(0, 1, 100, dtype=torch.float32)


def misfit(p):
    return ((p * data - 2 * data) ** 2).mean()


def fit(h, p=-1.0):
    for _ in range(100):
        slope = ((misfit(p + h) - misfit(p)) / h).item()
        if abs(slope) < 1e-3:
            break
        p -= slope
    return p


start = torch.tensor(-1.0, requires_grad=True)
misfit(start).backward()
print(say(en="p = -1, autograd  : slope", ko="p = -1, autograd  : 기울기"), f"{start.grad.item():.3f}")
quotient = (misfit(-1.0 + 1.5e-8) - misfit(-1.0)) / 1.5e-8
print(say(en="p = -1, h = 1.5e-8: slope", ko="p = -1, h = 1.5e-8: 기울기"), f"{quotient.item():.3f}")
print(f"fit(1.5e-8) = {fit(1.5e-8):.3f}")
print(f"fit(3.5e-4) = {fit(3.5e-4):.3f}")

# %% [markdown] lang="en"
r"""
Python's `p` is a `float64` and does move. But the misfit is computed in `float32`, where `p + h` equals `p`. The quotient is $0$,
and a routine that trusts it stops where it started. A comparison with autograd shows the error at once. [The fix](https://github.com/scipy/scipy/pull/12998), ten days later,
chooses $h$ by the dtype of what $f$ *returns*. For `float32` the square root of `eps` is $3.5 \cdot 10^{-4}$.
"""

# %% [markdown] lang="ko" en="547a1269"
r"""
파이썬의 `p`는 `float64`이므로 실제로 움직입니다. 하지만 `misfit`은 `float32`로 계산되고, 거기에서는 `p + h`가 바로 `p`입니다.
차분몫은 $0$이 되고, 그것을 믿는 함수는 출발한 곳에서 멈춥니다. autograd와 나란히 놓으면 잘못이 바로 보입니다.
열흘 뒤의 [해결책](https://github.com/scipy/scipy/pull/12998)은 $f$가 *돌려주는* 값의 dtype에 맞추어 $h$를 고르는 것이었습니다. `float32`라면 `eps`의 제곱근은
$3.5 \cdot 10^{-4}$입니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}. Under each answer cell is a test cell. Run it to see at once what is right, what is wrong, and
why. It holds the **visible tests**. When your work is graded, **hidden tests** are added; what they check is described
below the last task. To run them now, use **Check** above the notebook (Ctrl+Shift+Enter) or the small one at a test cell. Its panel
also shows the next hint, and the worked solution once you have passed or when you are stuck.

<details><summary>Outside JupyterLab, and in a class</summary>

Outside JupyterLab, `autograder check 1` in a terminal does the same, and `autograder check 1 --solution forward_difference` shows that solution.
In the class edition, which your instructor hands out, Check runs only the visible tests, and the solutions come with your feedback.

</details>

<details><summary>How to read a test cell, in all lessons (some of this comes only later)</summary>

The test cases are at the end of the cell. The hints at the top are the messages that you see when an answer fails.

- `ask("f(x)", x=leaf([1.0]))` makes this call with these arguments. An argument in quotation marks is code. A `leaf`
  is a tracked tensor; `grad=` fills its `.grad`.
- `.returns(want, mistakes={hint.sign: wrong})` compares the result with `want`. Each entry of `mistakes` pairs a hint with a typical
  wrong result, or with a test of the result; `mistakes` only decides which hint you see. `nearly=` is the hint for a result that is almost
  right but lacks some of the digits asked for.
- `.again()` makes the same call once more, `.after("...")` does so after a statement, and `.then("...")` asks something else of the same
  objects. `.given("f")` is what the function `f` was called with.
- `.changes_nothing()` checks that what belongs to the caller stayed as it was, `.keeps_buffers()` (lesson 3) that each `.grad` is still the
  same tensor, and `.holds(condition, hint)` anything else.

</details>

Each task is rated for difficulty (●, 1 to 5) and importance (★, 1 to 5), followed by the minutes that most people need.

**Rules of every task in this course.** Unless a task says otherwise, your function

- changes nothing that it was given: no argument's values, `.grad` or `requires_grad`;
- leaves PyTorch's settings as they were, such as the default dtype and *gradient mode* (whether operations are recorded);
- keeps dtype and shape, also for a tensor without dimensions or elements, or a slice of another tensor;
- gives the same answer when called twice;
- returns what the docstring says: a `float` is a plain number, not a tensor.

<details><summary>What else counts as given, and as a setting</summary>

*Hooks* on an argument, functions that PyTorch calls during `backward()` (lesson 4), belong to the caller too. The other settings are anomaly
mode (a search for `nan` during `backward()`), the seed of random numbers, the warning filters, the recursion limit and the number of threads. No
task needs to change them.

</details>
"""

# %% [markdown] lang="ko" en="2086f554"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다. 답을 쓰는 셀 아래에 테스트 셀이 있습니다. 실행하면 무엇이 맞고 무엇이 왜 틀렸는지 바로 알려
줍니다. 여기에는 **보이는 테스트**가 들어 있고, 채점할 때는 **숨은 테스트**가 더해집니다. 숨은 테스트가 무엇을 확인하는지는
마지막 과제 아래에 글로 적어 두었습니다. 노트북 위의 **답 확인**(Ctrl+Shift+Enter)이나 테스트 셀의 작은 버튼을 누르면 숨은 테스트까지 바로
확인할 수 있습니다. 옆에 열리는 패널에서 다음 힌트를 볼 수 있고, 통과한 뒤나 막혔을 때는 모범 풀이도 볼 수 있습니다.

<details><summary>JupyterLab 밖에서, 수업에서</summary>

JupyterLab 밖에서는 터미널에서 `autograder check 1`을 실행하세요. `autograder check 1 --solution forward_difference`를 실행하면 그 과제의 모범 풀이가
나옵니다. 강사에게 받은 수업용 파일에서는 보이는 테스트만 확인하고, 모범 풀이는 피드백과 함께 공개됩니다.

</details>

<details><summary>테스트 셀 읽는 법(뒤의 수업에만 나오는 것도 있습니다)</summary>

여러분의 함수를 실제로 호출하는 코드는 셀의 끝부분에 있습니다. 셀 앞부분의 `hints(...)`는 답이 틀렸을 때 보여 줄 메시지입니다.

- `ask("f(x)", x=leaf([1.0]))`은 이 인자로 함수를 호출합니다. 따옴표 안에 있는 인자는 코드입니다. `leaf`는 추적되는 텐서이고,
  `grad=`는 그 `.grad`를 채웁니다.
- `.returns(want, mistakes={hint.sign: wrong})`은 결과를 `want`와 비교합니다. `mistakes`의 값이나 조건은 틀린 결과에 어떤 힌트를 줄지 고르는 데만
  쓰입니다. `nearly=`는 거의 맞았지만 요구한 자릿수에 못 미칠 때 보여 줄 힌트입니다.
- `.again()`은 같은 호출을 한 번 더 하고, `.after("...")`는 문장 하나를 실행한 다음 다시 호출합니다. `.then("...")`은 같은 객체를 가지고 다른 것을
  확인합니다. `.given("f")`는 함수 `f`에 무엇을 넘겨 호출했는지를 뜻합니다.
- `.changes_nothing()`은 호출한 쪽의 것이 그대로인지, `.keeps_buffers()`(수업 03)는 `.grad`가 저마다 처음과 같은 텐서인지, `.holds(조건, 힌트)`는 그 밖의
  것을 확인합니다.

</details>

표시: 난이도(●, 1–5), 중요도(★, 1–5), 보통 걸리는 시간.

**모든 과제의 규칙.** 과제에 따로 적혀 있지 않으면 여러분의 함수는 다음을 지켜야 합니다.

- 인자로 받은 것을 바꾸지 않습니다. 인자의 값, `.grad`, `requires_grad`가 그대로여야 합니다.
- 기본 dtype이나 *gradient 모드*(gradient mode, 연산을 기록할지 여부)와 같은 PyTorch의 설정을 그대로 둡니다.
- dtype과 shape를 그대로 유지합니다. 0차원 텐서나 원소가 없는 텐서, 다른 텐서의 일부를 잘라 낸 텐서에서도 그렇습니다.
- 두 번 호출해도 같은 답을 냅니다.
- docstring에 적힌 것을 돌려줍니다. `float`라고 쓰여 있으면 텐서가 아니라 파이썬 수입니다.

<details><summary>‘인자로 받은 것’과 ‘설정’에 더 들어가는 것</summary>

인자에 걸려 있는 *hook*(`backward()` 도중에 PyTorch가 호출하는 함수, 수업 04)도 호출한 쪽의 것입니다. 그 밖의 설정으로는 이상 탐지(anomaly
detection, `backward()` 도중에 `nan`을 찾는 기능), 난수의 시드, 경고 필터, 재귀 한도, 스레드 수가 있습니다. 이것을 바꾸어야 하는 과제는
없습니다.

</details>
"""

# %% [markdown] lang="en"
r"""
## Task 1.1 · `forward_difference`

●●○○○ · ★★★★☆ · 7 min · {{points}}

Return the forward difference quotient of `f` at `x`, **divided by the step that was really taken**.

- `x` is a `float32` or `float64` tensor of any shape, possibly without elements. `f` works on each element by itself. `h` is a number
  other than 0; it may be negative.
- The step really taken is the difference between the two points at which you evaluate `f`, as they are stored. For a negative `h`
  it is negative.
- Compute in the dtype of `x`; do not convert to `float64`. The result has the dtype and shape of `x`. For a tracked `x` the
  result may be tracked or not.
- You need not handle an `h` that is too small to move `x`.

<details><summary>Hint 1: the idea</summary>

Give the second point a name. How far is it from `x`?

</details>

<details><summary>Hint 2: the skeleton</summary>

```
there = x + h
return (f(there) - f(x)) / ...
```

The denominator is not `h`. It is what the loop in section 3 printed as `(x + h) - x`.

</details>
"""

# %% [markdown] lang="ko" en="eeed0156"
r"""
## 과제 1.1 · `forward_difference`

{{marks}}분 · {{points}}

`x`에서 `f`의 전방 차분몫을 구해 돌려주세요. 단, **실제로 움직인 만큼**, 곧 $(x+h)-x$로 나눕니다.

- `x`는 `float32`나 `float64` 텐서입니다. shape에는 제한이 없고 원소가 없을 수도 있습니다. `f`는 원소마다 따로
  계산합니다. `h`는 0이 아닌 수이며 음수일 수도 있습니다.
- 실제로 움직인 만큼이란 `f`를 계산하는 두 점의 차입니다. 두 점은 저장된 값 그대로 봅니다. `h`가 음수이면 이 차도 음수입니다.
- `x`의 dtype으로 계산하세요. `float64`로 바꾸지 마세요. 결과의 dtype과 shape는 `x`와 같습니다. `x`가 추적되는 텐서라면 결과는 추적되어도,
  추적되지 않아도 됩니다.
- `h`가 너무 작아 `x`가 움직이지 않는 경우는 다루지 않아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

둘째 점에 이름을 붙여 보세요. `x`에서 얼마나 떨어져 있나요?

</details>

<details><summary>힌트 2: 뼈대</summary>

```
there = x + h
return (f(there) - f(x)) / ...
```

분모는 `h`가 아닙니다. 3절의 반복문이 `(x + h) - x`로 출력한 것입니다.

</details>
"""


# %% answer="forward_difference"
def forward_difference(f, x, h):
    """Return (f(x + h) - f(x)) / (the step really taken), a tensor like x.

    f: a function that works element by element; x: a tensor; h: a number other than 0.
    """
    ### BEGIN SOLUTION
    there = x + h
    return (f(there) - f(x)) / (there - x)
    ### END SOLUTION


# %% test="forward_difference" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("forward_difference")

_wrong_slopes = {hint.back: 11.998, hint.derivative: 12.0, hint.swapped: -12.002}
_slips = {hint.difference: 0.012002, hint.parentheses: -17981.987998, hint.below: -2.9960006664445}
_typed_h, _side = tensor([0.9536743, 1.001358], "float32"), tensor([0.952381, 1.0], "float32")
_line_mistakes = {hint.typed: _typed_h, hint.side: _side, hint.itself: lambda got: got[0] < 0}
_parabola = "lambda t: 2 * t**2"
for _f, _x, _h, _dtype, _want, _wrong in (
    (_parabola, 3.0, 0.001, "float64", 12.002, {**_wrong_slopes, **_slips}),
    ("lambda t: t", [8.0, 1.0], 1e-5, "float32", [1.0, 1.0], _line_mistakes),
    (_parabola, 3.3, 1e-5, "float32", 13.333333, {hint.wide: 13.20002, hint.typed: 13.35144}),
    (_parabola, 3.0, -0.1, "float64", 11.8, {hint.left: 12.2, hint.sign: -11.8}),
):
    _argument = leaf(_x, _dtype, grad=7.0) if _h < 0 else tensor(_x, _dtype)
    _answer = ask("forward_difference(f, x, h)", f=_f, x=_argument, h=_h).changes_nothing()
    _cause = hint.elementwise if isinstance(_x, list) else ""
    _answer.returns(tensor(_want, _dtype), mistakes=_wrong, nearly=hint.some, hint=_cause)
_answer.after("x.data += 1").returns(tensor(15.8))
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula, polynomial, probe

_CALL, _NEXT_CALL = "forward_difference(f, x, h)", "forward_difference(f, x.detach() + 1, h)"


@probe
def _settings_after_call():
    """Return the gradient mode and default dtype after a call made under no_grad with float64 as default."""
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            forward_difference(torch.sin, torch.ones(2), 0.5)
            return [torch.is_grad_enabled(), str(torch.get_default_dtype())]
    finally:
        torch.set_default_dtype(torch.float32)


def _secant(f, start, end):
    return (f(end) - f(start)) / (end - start)


def _mistakes(f, x, h):
    rise, x_float64 = f(x + h) - f(x), x.double()
    return {
        hint.typed: rise / h,
        hint.side: rise / (x - (x - h)),
        hint.wide: _secant(f, x_float64, x_float64 + h).to(x.dtype),
        hint.sign: -_secant(f, x, x + h),
        hint.left: _secant(f, x, x + abs(h)),
        hint.shape: lambda got: got.shape != x.shape,
        hint.constant: torch.isnan,
    }


def _compare(coefficients, x, h, dtype, cause="", layout="", grad=None):
    text, point = polynomial(coefficients), tensor(x, dtype)
    f = formula(text)
    want, next_want = (_secant(f, place, place + h) for place in (point, point + 1))
    options = {"noting": ("f",), "ahead": (_NEXT_CALL, _CALL)}
    if layout or not point.numel():
        options["errors"] = cause
    x = leaf(point, dtype, grad, layout=layout, tracked=grad is not None)
    answer = ask(_CALL, options, f=f"lambda t: {text}", x=x, h=h)
    answer.changes_nothing()
    answer.returns(want, mistakes=lambda: _mistakes(f, point, h), hint=cause)
    calls = answer.and_again(want, _NEXT_CALL, next_want, hint.stale).given("f", "dtype")
    calls.equals([[dtype]] * len(calls.result), hint=hint.dtype)


def _draw_coefficients():
    return [check.draw(-2, 2), 1.5, 0.5]


for _x, _h in ((5.0, 1e-5), (5.0, 3e-6), (check.draw(4.1, 7.9), 1e-5), (check.draw(4.1, 7.9), 3e-6)):
    check.smallest(_compare, _draw_coefficients(), _x, _h, "float32", hint.rounding)
for _dtype, _coefficients, _x, _h in (
    ("float64", check.draws(4, -2, 2), [check.draws(3, -3, 3), check.draws(3, -3, 3)], 0.25),
    ("float32", check.draws(4, -2, 2), check.draws(4, -3, 3), -0.5),
    ("float64", [check.draw(1, 5)], [0.0, -1.0], 0.125),
    ("float32", check.draws(2, -5, 5), 0.0, -1.0),
):
    check.smallest(_compare, _coefficients, _x, _h, _dtype, hint.elementwise)
# The elements of x have five magnitudes. In float32 the step actually taken differs between them.
_sizes = [check.draw(low, 2 * low) for low in (0.5, 1, 2, 4, 8)]
for _h in (1e-5, -3e-6):
    for _x in (_sizes, [[_sizes[0]], [_sizes[4]]]):
        check.smallest(_compare, _draw_coefficients(), _x, _h, "float32", hint.elementwise)
for _x, _h in ((_sizes, 7e-11), (-check.draw(1, 3), -7.7e-11)):
    check.smallest(_compare, _draw_coefficients(), _x, _h, "float64", hint.rounding)
for _x, _h in ((check.draws(3, -3, 3), 1), ([[[check.draw(1, 3)]]], 0.03)):
    check.smallest(_compare, check.draws(3, -2, 2), _x, _h, "float64", "", "", 7.0)
for _layout, _dtype, _x in check.draw_layouts():
    check.smallest(_compare, check.draws(3, -2, 2), _x, 0.5, _dtype, hint.memory, _layout)
for _dtype, _x in (("float64", []), ("float32", [[], []])):
    _compare([0.5, 1.0, 2.0], _x, 0.25, _dtype, hint.empty)
_float64_call = "torch.set_default_dtype(torch.float64); forward_difference(f, x, h)"
_no_grad_call = "with torch.no_grad(): forward_difference(f, x, h)"
with check.asking(_no_grad_call):
    _mode, _default = _settings_after_call()
check.holds(not _mode, _no_grad_call, hint.mode)
check.holds(_default == "torch.float64", _float64_call, hint.default)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 1.2 · `central_difference`

●●○○○ · ★★★★☆ · 5 min · {{points}}

Return the central difference quotient. Step $h$ to the right of `x` *and* $h$ to the left, and divide the difference of
the two values by the distance between the two points.

- `x` is a `float32` or `float64` tensor of any shape, possibly without elements. `f` works on each element by itself. `h` is a number
  greater than 0.
- The result has the dtype and shape of `x`. For a tracked `x` it may be tracked or not.
- Here you may divide by the distance you typed or by the one really taken; both are accepted. You may also compute in `float64` on the way.

<details><summary>Hint 1: the idea</summary>

From `x - h` to `x + h`: how far is that?

</details>

<details><summary>Hint 2: an example with numbers</summary>

For $t^2$ with $x = 5$ and $h = 2$ the two points are 3 and 7, the two values 9 and 49, and the quotient is $\frac{49 - 9}{4} = 10$.
Where do 9, 49 and 4 come from? In Python, `a / 2 * b` is `(a / 2) * b`.

</details>
"""

# %% [markdown] lang="ko" en="70678c36"
r"""
## 과제 1.2 · `central_difference`

{{marks}}분 · {{points}}

중앙 차분몫을 돌려주세요. `x`에서 오른쪽으로 $h$, *그리고* 왼쪽으로 $h$만큼 간 두 점에서 함숫값의 차이를 구하고, 두 점 사이의
거리로 나눕니다.

- `x`는 `float32`나 `float64` 텐서입니다. shape에는 제한이 없고 원소가 없을 수도 있습니다. `f`는 원소마다 따로 계산합니다. `h`는 0보다
  큰 수입니다.
- 결과의 dtype과 shape는 `x`와 같습니다. `x`가 추적되는 텐서라면 결과는 추적되어도, 추적되지 않아도 됩니다.
- 여기서는 입력한 거리로 나누어도, 실제로 움직인 거리로 나누어도 됩니다. 중간 계산은 `float64`로 해도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

`x - h`에서 `x + h`까지는 거리가 얼마인가요?

</details>

<details><summary>힌트 2: 수를 넣은 예</summary>

$t^2$에서 $x = 5$, $h = 2$이면 두 점은 3과 7, 두 함숫값은 9와 49이고 차분몫은 $\frac{49 - 9}{4} = 10$입니다.
9, 49, 4는 각각 어디에서 나왔나요? 파이썬에서 `a / 2 * b`는 `(a / 2) * b`입니다.

</details>
"""


# %% answer="central_difference"
def central_difference(f, x, h):
    """Return the slope of the secant from x - h to x + h, a tensor like x.

    f: a function that works element by element; x: a tensor; h: a number greater than 0.
    """
    ### BEGIN SOLUTION
    return (f(x + h) - f(x - h)) / (2 * h)
    ### END SOLUTION


# %% test="central_difference" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("central_difference")

_steps = {hint.forward: (3.31, 1.655, 2.98), hint.backward: (2.71, 1.355)}
_steps |= {hint.half: 3.0025, hint.twice: (3.04, 2.73, 3.37), hint.difference: (0.602, 0.301)}
_slips = {hint.two: 6.02, hint.order: 0.0301, hint.parentheses: -2.314}
_slopes = {hint.derivative: 3.0, hint.mean: 3.03, hint.swapped: (-3.01, 10.3), hint.halved: 1.505}
_slopes |= {hint.second: 6.0, hint.each: lambda got: got.dim() == 0}
_cubic_mistakes = {hint.lost: lambda got: got[0] > 0, hint.scaled: tensor([-1.51, 8.96])}
_kink_mistakes = {hint.exactly: lambda got: abs(got[0, 0] + 1) < 0.01}
_points = leaf([[-1.0, 0.0], [2**-13, 2.0]], "float32", grad=7.0, layout="transposed")
for _f, _x, _h, _want, _wrong, _cause in (
    ("lambda t: t**3", tensor([[1.0]]), 0.1, [[3.01]], {**_steps, **_slips, **_slopes}, ""),
    ("lambda t: t**3 - 5 * t", tensor([1.0, 2.0]), 0.7, [-1.51, 7.49], _cubic_mistakes, ""),
    ("torch.abs", _points, 2**-12, [[-1.0, 0.0], [0.5, 1.0]], _kink_mistakes, hint.memory),
):
    _options = {"errors": {"view": _cause}} if _cause else {}
    _answer = ask("central_difference(f, x, h)", _options, f=_f, x=_x, h=_h).changes_nothing()
    _want = tensor(_want, "float32" if _x is _points else "float64")
    _answer.returns(_want, mistakes=_wrong, nearly=hint.seven, hint=_cause)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula, polynomial, probe

_CALL, _NEXT_CALL = "central_difference(f, x, h)", "central_difference(f, x.detach() + 1, h)"


@probe
def _settings_after_call():
    """Return the gradient mode and default dtype after a call made under no_grad with float64 as default."""
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            central_difference(torch.sin, torch.ones(2), 0.5)
            return [torch.is_grad_enabled(), str(torch.get_default_dtype())]
    finally:
        torch.set_default_dtype(torch.float32)


def _secant(f, left, right):
    return (f(right) - f(left)) / (right - left)


def _slope(f, x):
    place = x.clone().requires_grad_()
    f(place).sum().backward()
    return place.grad


def _mistakes(f, x, h, torch_dtype):
    want, scaled_h = _secant(f, x - h, x + h), h * x.abs().clamp(min=1)
    wrong = {
        hint.two: 2 * want,
        hint.forward: _secant(f, x, x + h),
        hint.half: _secant(f, x - h / 2, x + h / 2),
        hint.derivative: _slope(f, x),
        hint.lost: want.abs(),
        hint.scaled: _secant(f, x - scaled_h, x + scaled_h),
        hint.mean: (_slope(f, x + h) + _slope(f, x - h)) / 2,
    }
    shape = {hint.each: lambda got: got.shape != x.shape}
    return {**{cause: value.to(torch_dtype) for cause, value in wrong.items()}, **shape}


def _compare(function, x, h, dtype, cause="", layout="", grad=None, rtol=1e-7, mistakes=_mistakes):
    text, point = function if isinstance(function, str) else polynomial(function), tensor(x)
    f, torch_dtype = formula(text), getattr(torch, dtype)
    want, next_want = (_secant(f, place - h, place + h).to(torch_dtype) for place in (point, point + 1))
    tolerance = {"nearly": hint.seven, "rtol": rtol} if dtype == "float64" else {}
    x = leaf(x, dtype, grad, layout=layout, tracked=grad is not None)
    options = {"ahead": (_NEXT_CALL, _CALL)}
    if layout or not point.numel():
        options["errors"] = cause
    answer = ask(_CALL, options, f=f"lambda t: {text}", x=x, h=h)
    answer.changes_nothing()
    answer.returns(want, mistakes=lambda: mistakes(f, point, h, torch_dtype), hint=cause, **tolerance)
    answer.and_again(want, _NEXT_CALL, next_want, hint.stale, **tolerance)


for _dtype, _coefficients, _x, _h in (
    ("float64", [0.0, 0.0, 0.0, check.draw(1, 3)], check.draw(-3, 3), 1.5),
    ("float32", [0.0, 0.0, 0.0, check.draw(1, 3)], check.draw(-3, 3), 0.5),
    ("float64", [*check.draws(3, -2, 2), 1.0], [check.draws(3, -3, 3), check.draws(3, -3, 3)], 0.75),
    ("float32", [check.draw(1, 5)], [0.0, -1.0], 0.25),
    ("float64", [check.draw(1, 5), -check.draw(1, 3)], [check.draw(-9, -5), check.draw(5, 9)], 0.5),
    ("float32", check.draws(2, -5, 5), [[[0.0]]], 1.0),
    ("float64", check.draws(2, -5, 5), [[check.draw(1, 3)], [0.0]], 0.5),
):
    check.smallest(_compare, _coefficients, _x, _h, _dtype)
check.smallest(_compare, "t", [[check.draw(1, 3)], [0.0]], 0.5, "float64", hint.itself)
check.smallest(_compare, [*check.draws(3, -2, 2), 1.0], check.draws(3, -3, 3), 1, "float64", "", "", 7.0)
for _layout, _dtype, _x in check.draw_layouts():
    check.smallest(_compare, check.draws(4, -2, 2), _x, 0.5, _dtype, hint.memory, _layout)
for _dtype, _x in (("float64", []), ("float32", [[], []])):
    _compare([0.5, 1.0, 2.0], _x, 0.25, _dtype, hint.empty)
for _kink in ("torch.relu(t)", "torch.abs(t)"):
    # No mistakes are listed here: at a kink a one-sided quotient may be twice the central one, so a wrong
    # answer may match more than one mistake.
    _compare(_kink, [0.0], 0.5, "float64", hint.kinks, mistakes=lambda *_: {})
# Here x = h/2. From x - h = -h/2 to x + h = 3h/2, |t| grows by h, half of the distance 2h.
_compare("torch.abs(t)", [5e-10], 1e-9, "float64", hint.exactly, rtol=1e-6)

_x, _errors = tensor(check.draw(-1, 1)), []
for _h in (1e-2, 1e-3):
    _answer = ask("central_difference(torch.exp, x, h)", x=_x, h=_h)
    _errors.append(abs(_answer.result - _x.exp()).item())
_problem = hint.hundredth.format(first=f"{_errors[0]:.2g}", second=f"{_errors[1]:.2g}")
_answer.holds(80 < _errors[0] / max(_errors[1], 1e-300) < 120, _problem)
_answer = ask(_CALL, f="lambda t: t**2", x=tensor([1.0, 2.0]), h=0.5).returns(tensor([2.0, 4.0]))
_answer.after("x += 1").returns(tensor([4.0, 6.0]))
_float64_call = "torch.set_default_dtype(torch.float64); central_difference(f, x, h)"
_no_grad_call = "with torch.no_grad(): central_difference(f, x, h)"
with check.asking(_no_grad_call):
    _mode, _default = _settings_after_call()
check.holds(not _mode, _no_grad_call, hint.mode)
check.holds(_default == "torch.float64", _float64_call, hint.default)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 1.3 · `autograd_slope`

●●○○○ · ★★★★★ · 6 min · {{points}}

Return the slope of `f` at `x`, computed by autograd.

- `x` is a plain number, `float` or `int`. Make a tracked `float64` tensor of it.
- `f` takes a tensor with a single element and returns another such tensor; it uses no other tracked tensor. Call it exactly once each time.
- Return a Python `float`, as exact as autograd's slope: to 15 digits.

<details><summary>Hint 1: the idea</summary>

The three changes of section 2: track, run the backward pass, read.

</details>

<details><summary>Hint 2: the code of another problem</summary>

The slopes of $a^2 + b^2$ at $(1, 2)$, in `float32`, as a list:

```
point = torch.tensor([1.0, 2.0], requires_grad=True)
(point**2).sum().backward()
point.grad.tolist()
```

What do you need in place of the last line? And what must the first line say so that an `int` works too, and the digits of `float64` are kept?

</details>
"""

# %% [markdown] lang="ko" en="311d23ea"
r"""
## 과제 1.3 · `autograd_slope`

{{marks}}분 · {{points}}

`x`에서 `f`의 기울기를 autograd로 구해 돌려주세요.

- `x`는 텐서가 아닌 수(`float` 또는 `int`)입니다. 이것으로 추적되는 `float64` 텐서를 만드세요.
- `f`는 원소가 하나인 텐서를 받아 원소가 하나인 텐서를 돌려줍니다. 추적되는 다른 텐서는 쓰지 않습니다. `autograd_slope`가 호출될 때마다 `f`를 딱 한 번씩 호출하세요.
- autograd가 구한 기울기 그대로, 유효 숫자 15자리까지 정확한 파이썬 `float`를 돌려주세요.

<details><summary>힌트 1: 생각의 방향</summary>

2절에서 달라진 세 가지입니다. 추적하고, 역방향 계산을 하고, 읽습니다.

</details>

<details><summary>힌트 2: 다른 문제의 코드</summary>

$(1, 2)$에서 $a^2 + b^2$의 기울기를 `float32`로 구해 리스트로 만드는 코드입니다.

```
point = torch.tensor([1.0, 2.0], requires_grad=True)
(point**2).sum().backward()
point.grad.tolist()
```

마지막 줄 대신 무엇이 필요한가요? `int`도 받을 수 있고 `float64`의 자릿수가 남으려면 첫 줄에는 무엇을 더 써야 하나요?

</details>
"""


# %% answer="autograd_slope"
def autograd_slope(f, x):
    """Return the slope of f at the number x as a float, computed by autograd.

    f: a function that maps a tensor with a single element to another such tensor.
    """
    ### BEGIN SOLUTION
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.item()
    ### END SOLUTION


# %% test="autograd_slope" points=2
from secant import ask, check, hints

hint = hints("autograd_slope")

_wrong = {hint.new: 16.94671387, hint.value: 0.15647185986700007, hint.size: 4.0}
for _x, _want, _cause in (
    (0.7123, 1.94671387, hint.new),
    (2, 15.0, hint.whole),
    (0.0, -1.0, hint.zero),
    (-1.0, 0.0, hint.new),
):
    _options = {"noting": ("f",), "errors": _cause}
    _answer = ask("autograd_slope(f, x)", _options, f="lambda t: t**3 + t**2 - t", x=_x)
    _nearly_hint = hint.exact if _x else hint.zero
    _answer.changes_nothing().holds(_answer.result is not None, "None", hint.unread)
    _answer.returns(_want, mistakes=_wrong, nearly=_nearly_hint, hint=_cause, rtol=1e-14, atol=0.0)
    _kind = check.kind(_answer.result)
    _answer.holds(isinstance(_answer.result, float), hint.plain.format(kind=_kind))
    _calls = _answer.given("f", "requires_grad", "dtype")
    _answer.holds(len(_calls.result) == 1, hint.not_once.format(times=len(_calls.result)))
    _calls.equals([[True, "float64"]], hint=hint.tracked)
check.visible_passed()
### BEGIN HIDDEN TESTS
import contextlib
import math

import torch

from secant import probe

_slopes = {
    "t**2 + 2 * t + 1": lambda t: 2 * t + 2,
    "t**3": lambda t: 3 * t * t,
    "t * torch.sin(t)": lambda t: math.sin(t) + t * math.cos(t),
    "t.abs()": lambda t: math.copysign(1.0, t) if t else 0.0,
    "0 * t + 7": lambda t: 0.0,
    "t if t > 0 else -t / 2": lambda t: 1.0 if t > 0 else -0.5,
}
_parabola, _cubic, _wave, _abs, _constant, _branch = _slopes


@probe
def _settings_after_call():
    """Return the gradient mode and default dtype after a call made under no_grad with float64 as default.

    The call may raise a RuntimeError.
    """
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            with contextlib.suppress(RuntimeError):
                autograd_slope(torch.enable_grad()(lambda t: t**2), 1.5)
            return [torch.is_grad_enabled(), str(torch.get_default_dtype())]
    finally:
        torch.set_default_dtype(torch.float32)


def _compare(f, x, cause=hint.new, atol=2e-15, mistakes=()):
    want, next_want = (float(_slopes[f](place)) for place in (x, x + 1))
    wrong = {hint.other: tuple(float(_slopes[g](x)) for g in (_parabola, _cubic, _wave))}
    if x < 0:
        wrong = {hint.size: float(_slopes[f](-x)), **wrong}
    wrong.update(mistakes)
    tolerance = {"rtol": 1e-14, "atol": atol}
    options = {
        "noting": ("f",),
        "errors": cause,
        "ahead": ("autograd_slope(f, x + 1)", "autograd_slope(f, x)"),
    }
    answer = ask("autograd_slope(f, x)", options, f=f"lambda t: {f}", x=x).changes_nothing()
    answer.returns(want, mistakes=wrong, nearly=hint.exact, hint=cause, **tolerance)
    answer.holds(isinstance(answer.result, float), hint.plain.format(kind=check.kind(answer.result)))
    next_answer = answer.then("autograd_slope(f, x + 1)", hint.stale if x + 1 else hint.zero)
    next_answer.changes_nothing()
    second_answer = answer.again(hint.second).changes_nothing().returns(want, **tolerance)
    next_answer.returns(next_want, **tolerance)
    calls = answer.given("f", "requires_grad", "dtype")
    answer.holds(len(calls.result) == 1, hint.not_once.format(times=len(calls.result)))
    calls.equals([[True, "float64"]], hint=hint.tracked)
    times = len(second_answer.given("f").result)
    second_answer.holds(times == 3, hint.anew.format(times=times))


for _x in (check.draw(-3, -0.1), check.draw(0.1, 3)):
    for _f in (_parabola, _wave, _abs, _branch):
        check.smallest(_compare, _f, _x)
for _f, _x in ((_cubic, 2), (_cubic, -3), (_parabola, 7)):
    _compare(_f, _x, hint.whole)
for _x in (-1.0, 1e-300, check.draw(1000, 9000)):
    for _f in (_parabola, _cubic):
        check.smallest(_compare, _f, _x)
for _f, _x in ((_parabola, 0.0), (_cubic, 0.0), (_branch, 0.0), (_abs, 0.0), (_cubic, 0), (_abs, 0)):
    _compare(_f, _x, hint.zero)
check.smallest(_compare, _constant, check.draw(-3, 3))
for _x in (1.234e-4, 1.234e-7, 1.234e-50):
    _compare(_cubic, _x, hint.exact, atol=0.0, mistakes={hint.exact: 0.0})
_float64_call = "torch.set_default_dtype(torch.float64); autograd_slope(f, 1.5)"
_no_grad_call = "with torch.no_grad(): autograd_slope(f, 1.5)"
with check.asking(_no_grad_call):
    _mode, _default = _settings_after_call()
check.holds(not _mode, _no_grad_call, hint.mode)
check.holds(_default == "torch.float64", _float64_call, hint.default)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 1.4 · `hand_derivative`

●○○○○ · ★★★☆☆ · 4 min · {{points}}

Differentiate $f(x) = x^3 + 2 \sin x$ **by hand** and return the value of the derivative at the number `x`, a `float` or `int`,
as a `float`. It must be right to 12 digits, far more than the forward or the central quotient can give. `math` has the functions you need.

The test sees only the result. If you let a computer differentiate, you get the point but miss the exercise. A lost sign is the most
common slip; the cell after the test shows whether you made it.

<details><summary>Hint 1: the idea</summary>

Differentiate the two terms one by one. A factor in front stays.

</details>

<details><summary>Hint 2: another function</summary>

The derivative of $x^5 + 3 \cos x$ is $5x^4 - 3 \sin x$; in Python, `5 * x**4 - 3 * math.sin(x)`. Which sign does the derivative of $\sin$ have?

</details>
"""

# %% [markdown] lang="ko" en="7e6f15b7"
r"""
## 과제 1.4 · `hand_derivative`

{{marks}}분 · {{points}}

$f(x) = x^3 + 2 \sin x$를 **손으로** 미분하고, 수 `x`(`float` 또는 `int`)에서 도함수의 값을 `float`로 돌려주세요. 유효 숫자 12자리까지 맞아야 하는데,
전방 차분몫이나 중앙 차분몫으로는 그만큼 정확할 수 없습니다. 필요한 함수는 `math`에 있습니다.

테스트는 결과만 봅니다. 컴퓨터로 미분해도 점수는 받지만 연습이 되지 않습니다. 부호를 잘못 쓰는 실수가 가장 흔합니다. 테스트 다음 셀에서
여러분의 답도 확인해 보세요.

<details><summary>힌트 1: 생각의 방향</summary>

두 항을 하나씩 미분하세요. 앞에 곱해진 수는 그대로 남습니다.

</details>

<details><summary>힌트 2: 다른 함수</summary>

$x^5 + 3 \cos x$의 도함수는 $5x^4 - 3 \sin x$이고, 파이썬으로는 `5 * x**4 - 3 * math.sin(x)`입니다. $\sin$의 도함수는 부호가 무엇인가요?

</details>
"""


# %% answer="hand_derivative"
def hand_derivative(x):
    """Return the derivative of x^3 + 2 sin x at the number x, as a float."""
    ### BEGIN SOLUTION
    return 3 * x**2 + 2 * math.cos(x)
    ### END SOLUTION


# %% test="hand_derivative" points=1
from secant import ask, check, hints

hint = hints("hand_derivative")

_powers = {hint.down: 14.692712758272776, hint.lower: (190.69271275827276, 10.692712758272776)}
_squares = {hint.outside: 142.69271275827276, hint.second: 22.692712758272776}
for _x, _want, _wrong in (
    (0.0, 2.0, {hint.sign: -2.0, hint.factor: 1.0, hint.nothing: 0.0}),
    (4.0, 46.692712758272776, {**_powers, **_squares, hint.radians: 49.99512810051965}),
    (-2, 11.167706326905716, {hint.even: -12.832293673094284, hint.sign: 12.832293673094284}),
):
    _answer = ask("hand_derivative(x)", x=_x).changes_nothing()
    _answer.returns(_want, mistakes=_wrong, nearly=hint.twelve, rtol=1e-12, atol=1e-12)
check.visible_passed()
### BEGIN HIDDEN TESTS
import math


def _mistakes(x):
    return {
        hint.sign: 3 * x**2 - 2 * math.cos(x),
        hint.factor: 3 * x**2 + math.cos(x),
        hint.sine: 3 * x**2 + 2 * math.sin(x),
        hint.down: x**2 + 2 * math.cos(x),
        hint.straight: (3 * x + 2 * math.cos(x), 2.0 + 3 * x),
        hint.lower: 3 * x**3 + 2 * math.cos(x),
        hint.outside: (3 * x) ** 2 + 2 * math.cos(x),
        hint.even: 3 * abs(x) * x + 2 * math.cos(x),
        hint.missing: 3.0 * x**2,
        hint.value: x**3 + 2 * math.sin(x),
        hint.too_far: 3 * x**2 - 2 * math.sin(x),
        hint.argument: 3 * x**2 + 2 * x * math.cos(x),
        hint.radians: 3 * x**2 + 2 * math.cos(math.radians(x)),
        hint.second: 6 * x + 2 * math.cos(x),
    }


def _compare(x):
    want, tolerance = 3 * x**2 + 2 * math.cos(x), {"nearly": hint.twelve, "rtol": 1e-12, "atol": 1e-12}
    answer = ask("hand_derivative(x)", {"ahead": ("hand_derivative(x)",)}, x=x).changes_nothing()
    answer.returns(want, mistakes=lambda: _mistakes(x), **tolerance)
    answer.holds(isinstance(answer.result, float), hint.plain.format(kind=check.kind(answer.result)))
    answer.again().changes_nothing().returns(want, **tolerance)


for _x in (*check.draws(4, -9, -0.2), *check.draws(4, 0.2, 9), *check.draws(6, -1.5, 1.5)):
    check.smallest(_compare, _x)
for _x in (0.0, 2.34567890123, 2, -3, 1e6, -1e6, 0, 1e-300, 70_000, -2_000_000_000):
    check.smallest(_compare, _x)
for _low, _high, _size in (
    *((50, 100, 1), (120, 500, 1), (1000, 9000, 1), (20_000, 90_000, 1)),
    *((1, 9, 1e-6), (1, 9, 1e-4), (1, 9, 1e-2)),
):
    _x = check.draw(_low, _high) * _size
    check.smallest(_compare, _x)
    check.smallest(_compare, -_x)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
Now compare your derivative with `autograd_slope` of task 1.3, at three values of $x$. The last column is the difference.
"""

# %% [markdown] lang="ko" en="dd1c9068"
r"""
이제 여러분이 구한 도함수를 과제 1.3의 `autograd_slope`와 $x$ 세 곳에서 비교해 봅시다. 마지막 열은 두 값의 차이입니다.
"""

# %%
from secant import graphs

try:
    with graphs.limit_steps():  # stops an endless loop
        for point in (-2.0, 0.5, 3.0):
            by_hand = hand_derivative(point)
            by_autograd = autograd_slope(lambda x: x**3 + 2 * torch.sin(x), point)
            print(f"x = {point:4}: {by_hand:.12f} {by_autograd:.12f}   {abs(by_hand - by_autograd):.0e}")
except TimeoutError as stopped:
    print(stopped)
except NotImplementedError:
    print(
        say(
            en="Solve tasks 1.3 and 1.4 first, then run this cell again.",
            ko="과제 1.3과 1.4를 먼저 풀고 이 셀을 다시 실행하세요.",
        )
    )

# %% [markdown] lang="en"
r"""
## Task 1.5 · `best_step`

●●●○○ · ★★★★☆ · 8 min · {{points}}

Return a good step `h` for the forward quotient $\frac{f(x+h)-f(x)}{h}$ of $f(x) = \log x^3$, for $x$ between 4 and 6, in
the given dtype.

- `dtype` is `torch.float32` or `torch.float64`.
- Return a power of ten as a float: one of `1e-1`, `1e-2`, ..., `1e-15`.
- The test divides by the `h` that was typed, as the formula says. The explorer divides by the step taken; near the best step this makes hardly any difference.
- A step is good if its error, the median over 201 values of $x$ from 4 to 6, is **at most twenty times** that of the best power of ten.
  The visible tests compare your two steps, and refuse `1e-6` and less for `float32`; grading also measures the errors.

Read it off the explorer, reason it out, or let the computer search: all three are fine.

<details><summary>Hint 1: the idea</summary>

Where is the bottom of the V in section 3, for each dtype?

</details>

<details><summary>Hint 2: the two errors</summary>

Round-off is about $2u|f|/h$ with $u$ = `torch.finfo(dtype).eps / 2`, and truncation about $h|f''|/2$. Their sum is least where the two are
equal. What are $|f|$ and $|f''|$ at $x = 5$? Solve for $h$ and round to a power of ten.

</details>
"""

# %% [markdown] lang="ko" en="b2651114"
r"""
## 과제 1.5 · `best_step`

{{marks}}분 · {{points}}

$x$가 4에서 6 사이일 때 $f(x) = \log x^3$의 전방 차분몫 $\frac{f(x+h)-f(x)}{h}$에 알맞은 간격 `h`를 dtype에 맞게 돌려주세요.

- `dtype`은 `torch.float32` 또는 `torch.float64`입니다.
- 10의 거듭제곱을 `float`로 돌려주세요. `1e-1`, `1e-2`, ..., `1e-15` 가운데 하나입니다.
- 테스트는 식에 적힌 대로 입력한 `h`로, 탐색기는 실제로 움직인 만큼으로 나눕니다. 가장 좋은 간격 근처에서는 거의 차이가 없습니다.
- 4에서 6까지 $x$ 201개에서 오차의 중앙값을 잽니다. 이 값이, 가장 좋은 10의 거듭제곱을 썼을 때의 중앙값의 **20배 이하**이면 알맞은 것으로 봅니다.
  보이는 테스트는 두 간격을 서로 비교하고, `float32`에 `1e-6` 이하를 쓴 답은 받지 않습니다. 채점할 때는 오차도 잽니다.

탐색기에서 읽어도 되고, 따져서 구해도 되고, 컴퓨터에 찾게 해도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

3절에서 V의 바닥은 dtype마다 어디에 있었나요?

</details>

<details><summary>힌트 2: 두 오차</summary>

$u$가 `torch.finfo(dtype).eps / 2`일 때 반올림 오차는 약 $2u|f|/h$, 절단 오차는 약 $h|f''|/2$입니다. 둘의 합은 두 오차가 같을 때
가장 작습니다. $x = 5$에서 $|f|$와 $|f''|$는 얼마인가요? $h$를 구해 가장 가까운 10의 거듭제곱으로 바꾸세요.

</details>
"""


# %% answer="best_step"
def best_step(dtype):
    """Return a good step for a forward quotient in this dtype: a power of ten, as a float.

    dtype: torch.float32 or torch.float64.
    """
    ### BEGIN SOLUTION
    return {torch.float32: 1e-3, torch.float64: 1e-7}[dtype]
    ### END SOLUTION


# %% test="best_step" points=2
import math

from secant import ask, check, hints

hint = hints("best_step")


def _ask_step(dtype):
    answer = ask(f"best_step(torch.{dtype})").changes_nothing()
    h = answer.result
    # .item() of a float32 tensor matches a power of ten to only 7 digits, hence the 1e-6.
    valid = isinstance(h, float) and 0 < h < 1 and abs(math.log10(h) - round(math.log10(h))) < 1e-6
    return answer.holds(valid, hint.power.format(h=repr(h)))


_float32, _float64 = _ask_step("float32"), _ask_step("float64")
_problem = hint.digits.format(narrow=f"{_float32.result:g}", wide=f"{_float64.result:g}")
_cause = hint.string if _float32.result == _float64.result else ""
_float64.holds(_float32.result > _float64.result, _problem, _cause)
_float32.holds(_float32.result > 1e-6, hint.five.format(h=f"{_float32.result:g}"))
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import probe


@probe
def _steps_in_float64_mode():
    """Return both steps, found with float64 as the default dtype, and the default dtype after the calls."""
    torch.set_default_dtype(torch.float64)
    try:
        steps = [float(best_step(dtype)) for dtype in (torch.float32, torch.float64)]
        return [*steps, str(torch.get_default_dtype())]
    finally:
        torch.set_default_dtype(torch.float32)


def _median_error(dtype, h):
    x = torch.linspace(4, 6, 201, dtype=getattr(torch, dtype))
    quotient = (torch.log((x + h) ** 3) - torch.log(x**3)) / h
    return (quotient.double() - 3 / x.double()).abs().median().item()


def _judge(call, dtype, h, cause=""):
    least_error, best_exponent = min((_median_error(dtype, 10.0**-k), k) for k in range(1, 16))
    error = _median_error(dtype, h)
    problem = hint.error.format(h=f"{h:g}", error=f"{error:.1e}", least=f"{least_error:.1e}")
    cause = cause or (hint.too_small if round(-math.log10(h)) > best_exponent else hint.too_large)
    check.holds(error <= 20 * least_error, call, problem, cause)


for _dtype in ("float32", "float64"):
    _answer = _ask_step(_dtype)
    _judge(_answer.call, _dtype, _answer.result)
    _answer.again().changes_nothing().returns(_answer.result, rtol=0.0, atol=0.0)
_float64_call = "torch.set_default_dtype(torch.float64); best_step"
with check.asking(f"{_float64_call}(dtype)"):
    *_steps, _default = _steps_in_float64_mode()
check.holds(_default == "torch.float64", f"{_float64_call}(dtype)", hint.default)
for _dtype, _h in zip(("float32", "float64"), _steps, strict=True):
    _judge(f"{_float64_call}(torch.{_dtype})", _dtype, _h, hint.given)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 1.6 · `doubling_slope`

●●●○○ · ★★★★☆ · 8 min · {{points}}

Here is the loop of section 4 again, on plain numbers. Return the slope of its result with respect to `x`, along the path that ran at
`x` itself, as autograd gives it, even where the number of rounds jumps. You do not need torch; only the result is tested.

```
y = x
while abs(y) < limit:
    y = 2 * y
```

- `x` and `limit` are plain numbers. `x` is never 0 (the loop would not end). `limit` may be any
  finite number, including 0 and negative ones.
- Return a plain number (`8` and `8.0` are both fine). It is exact: a power of two. (A logarithm that counts the rounds can be wrong by rounding.) In the tests it and every `y` fit into
  a float, and the loop runs at most 700 times (recursion works, too).

<details><summary>Hint 1: the idea</summary>

What did the code that really ran do to `x`? Write it as (a number) times `x`.

</details>

<details><summary>Hint 2: the code of another problem</summary>

Here the slope of `y` is carried along beside `y`:

```
y, slope = x, 1
for _ in range(4):
    y, slope = y + 5 * x, slope + 5
```

What happens to your slope when `y` doubles?

</details>
"""

# %% [markdown] lang="ko" en="9442aa8c"
r"""
## 과제 1.6 · `doubling_slope`

{{marks}}분 · {{points}}

4절의 반복문을 이번에는 텐서가 아닌 수로 봅시다. 결과 `y`의 `x`에 대한 기울기를 구하세요. 반복 횟수가 바뀌는
점에서도 autograd와 마찬가지로, 그 `x`에서 실제로 지나간 경로의 기울기를 돌려줍니다. torch는 없어도 됩니다. 테스트는 결과만 봅니다.

```
y = x
while abs(y) < limit:
    y = 2 * y
```

- `x`와 `limit`은 텐서가 아닌 수입니다. `x`는 0이 아닙니다(0이면 반복이 끝나지 않습니다). `limit`은 유한한 수이면 0이나
  음수여도 됩니다.
- 텐서가 아닌 수를 돌려주세요(`8`도 `8.0`도 됩니다). 정확한 값, 곧 2의 거듭제곱이어야 합니다. (반복 횟수를 로그로 구하면 반올림 때문에 틀릴 수 있습니다.) 테스트에서는 이 값도 `y`도 언제나
  `float`로 나타낼 수 있고, 반복은 700번을 넘지 않습니다(재귀로 풀어도 됩니다).

<details><summary>힌트 1: 생각의 방향</summary>

실제로 실행된 코드는 `x`에 무엇을 했나요? (어떤 수) × `x` 꼴로 써 보세요.

</details>

<details><summary>힌트 2: 다른 문제의 코드</summary>

`y`의 기울기를 `y`와 함께 계산해 나가는 코드입니다.

```
y, slope = x, 1
for _ in range(4):
    y, slope = y + 5 * x, slope + 5
```

`y`가 두 배가 될 때 여러분의 기울기는 어떻게 되나요?

</details>
"""


# %% answer="doubling_slope"
def doubling_slope(x, limit):
    """Return the slope, a number, of the loop's result with respect to the number x, which is not 0."""
    ### BEGIN SOLUTION
    slope = 1.0
    while abs(slope * x) < limit:
        slope *= 2
    return slope
    ### END SOLUTION


# %% test="doubling_slope" points=1
from secant import ask, check, hints

hint = hints("doubling_slope")

_rounds = {hint.rounds: 3.0, hint.less: 4.0, hint.more: 16.0}
_rules = {hint.adds: (6.0, 7.0), hint.constant: (0.0, 1.0), hint.once: 2.0}
_sign_mistakes = {hint.negative: -8.0, hint.itself: -24.0, hint.ran: 13 / 3}
for _x, _limit, _want, _cause, _wrong in (
    (1.0, 8.0, 8.0, "", {**_rounds, **_rules}),
    (-3.0, 13.0, 8.0, hint.negative, {**_sign_mistakes, hint.less: 4.0, hint.more: 16.0}),
    (5.0, 2.0, 1.0, hint.over, {hint.ran: 0.4, hint.itself: 5.0, hint.more: 2.0}),
    (0.5, -4.0, 1.0, hint.never, {}),
    (1 - 2.0**-53, 8.0, 16.0, hint.quotient, {hint.close: 8.0}),
    (1e-200, 10.0, 2.0**668, hint.margin, {}),
):
    _answer = ask("doubling_slope(x, limit)", {"steps": 100_000}, x=_x, limit=_limit)
    _answer.ends(_cause).changes_nothing()
    _answer.returns(_want, mistakes=_wrong, nearly=hint.quotient, hint=_cause, rtol=1e-12, atol=0.0)
check.visible_passed()
### BEGIN HIDDEN TESTS
import math


def _run(x, limit):
    slope, y = 1.0, float(x)
    while abs(y) < limit:
        slope, y = 2 * slope, 2 * y
    return slope, y


def _compare(x, limit, cause, less, more):
    want, end = _run(x, limit)
    wrong = {
        less: want / 2,
        hint.ran: limit / abs(x),
        hint.negative: -want,
        more: 2 * want,
        hint.itself: end,
    }
    if limit <= 0:
        wrong = {hint.negative: -want, hint.itself: end}
    tolerance = {"nearly": hint.quotient, "rtol": 1e-12, "atol": 0.0}
    options = {"steps": 100_000, "ahead": ("doubling_slope(x, limit)",)}
    answer = ask("doubling_slope(x, limit)", options, x=x, limit=limit)
    answer.ends(cause).changes_nothing().returns(want, mistakes=wrong, hint=cause, **tolerance)
    answer.again().ends(cause).changes_nothing().returns(want, **tolerance)


def _compare_all(cause, *cases, less=hint.less, more=hint.more):
    for x, limit in cases:
        check.smallest(_compare, x, limit, cause, less, more)


_fraction_hints = {"less": hint.fraction, "more": hint.fraction}
_compare_all(hint.fraction, (1.5, 3.0), (1.9, 1.95), (-2.6, 5.1), **_fraction_hints)
_compare_all(hint.over, (check.draw(50, 60), 10.0), (-50.0, check.draw(5, 10)))
_compare_all(hint.never, (check.draw(0.1, 0.9), 0.0), (check.draw(1, 5), 0.0))
_compare_all(
    hint.never, (check.draw(0.1, 0.9), check.draw(-5, -1)), (check.draw(-0.9, -0.1), check.draw(-5, -1))
)
_compare_all(hint.never, (check.draw(-0.9, -0.1), 0.0))
_compare_all(hint.over, (4.0, 4.0))
_compare_all(hint.negative, (-1.0, 8.0), (check.draw(-0.9, -0.5), 10.0))
_compare_all(hint.negative, (check.draw(-3, -1), check.draw(300, 900)), (-3, 1000))
_compare_all(
    "", (0.5, 16.0), (3, 1000), (check.draw(0.1, 0.9), check.draw(5, 50)), (check.draw(0.1, 0.9) * 1e-6, 1e6)
)
_compare_all("", (1.0, 100.0), (1.0, 8.5))
_tiny_cases = (3e-20, 5e-20), (1e-200, 1e10), (1e-308, 1e-200), (5e-324, 1e-320), (-5e-324, 1e-320)
_compare_all(hint.margin, *_tiny_cases, less=hint.margin)
_powers = *((1.0, math.nextafter(2.0**k, math.inf)) for k in (3, 20, 40)), (1.0, 2.0**40)
_compare_all(hint.logarithm, *_powers, less=hint.logarithm)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **1.1** Steps so small that rounding shows; both dtypes; several shapes, with small and large elements in one `x`; an `x` without elements,
  a slice, and an `x` that was transposed or expanded (`expand` shows one element in several positions); negative `h`; constant and straight functions; an `x` that is
  tracked and already has a `.grad`; the dtype of what you pass to `f`.
- **1.2** Curves that reveal a step of $h/2$ or of one side only; kinks such as that of $|t|$ at 0, also with small `h`; a function that returns its argument; an `h` such as 0.7 or 1.5; the shapes of 1.1 and both dtypes; an `x` that is changed between two calls; that a
  tenth of $h$ leaves a hundredth of the error.
- **1.3** Random numbers, negative ones, 0 and `int`s; how often `f` is called, and with what; the same function at several points;
  functions with an `if`, or constant ones such as `0 * t + 7`; tiny slopes; that gradient mode is still off if it was off before (the call itself may fail there).
- **1.4** Random numbers of both signs, large and tiny ones, and `int`s, to 12 digits.
- **1.5** The error of your steps beside that of the best power of ten.
- **1.6** Negative `x`, `x` beyond the limit, limits that are 0 or negative, numbers with a fractional part, a `y` that ends exactly on the limit or stays just below it, tiny numbers
  and so several hundred rounds.

</details>

The rules of every task are checked everywhere. Some calls are made while gradient mode is off or the default dtype is `float64`.

## What you have built

You now have the tools to check an autograd of your own: each of its gradients will be compared with a difference quotient. `autograd_slope` shows what
that autograd must offer: track, run the backward pass, read. And `doubling_slope` is a tiny forward mode: the loop with a slope beside `y`.

## Checklist

You can now answer these without looking back:

- What does $h$ have to do with autograd? (Nothing.)
- Why is the error of a quotient a V? Which side of it comes from the computer's rounding?
- Which branch of an `if` does autograd differentiate?
- How many evaluations of the loss do quotients need for 1000 parameters, and how many does reverse mode need?
- Why did a fit in `float32` stop where it began? (if you have read section 6)

## Links

- [PyTorch: A gentle introduction to torch.autograd](https://docs.pytorch.org/tutorials/beginner/blitz/autograd_tutorial.html)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Baydin and others: Automatic differentiation in machine learning, a survey](https://arxiv.org/abs/1502.05767)
- [Goldberg: What every computer scientist should know about floating-point arithmetic](https://docs.oracle.com/cd/E19957-01/806-3568/ncg_goldberg.html)

Next: [Lesson 02](../02_graph_and_grad_fn/02_graph_and_grad_fn.ipynb), the computational graph and `grad_fn`.
"""

# %% [markdown] lang="ko" en="518445b3"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **1.1** 반올림이 드러날 만큼 작은 간격, 두 가지 dtype, 여러 shape(작은 원소와 큰 원소가 섞인 `x`도), 원소가 없는 `x`, 잘라 낸 `x`,
  전치(transpose)한 `x`, expand한 `x`(`expand`는 원소 하나를 여러 자리에 보여 줍니다), 음수 `h`, 상수 함수와 일차 함수, 이미 추적되고 `.grad`도 있는 `x`, `f`에 넘기는 텐서의 dtype.
- **1.2** $h/2$씩 가거나 한쪽으로만 간 답을 가려내는 곡선, $|t|$의 0처럼 꺾인 점(아주 작은 `h`에서도), 받은 것을 그대로 돌려주는 함수, 0.7이나 1.5 같은 `h`, 1.1과 같은 여러 shape와 두 가지 dtype, 두 번의 호출 사이에 값이 바뀐 `x`, $h$가 10분의 1이
  되면 오차가 100분의 1이 되는지.
- **1.3** 임의의 수, 음수, 0, `int`. `f`를 몇 번, 무엇을 넘겨 호출하는지. 같은 함수를 여러 점에서 미분했을 때. `if`가 있는 함수와 `0 * t + 7` 같은 상수 함수. 아주
  작은 기울기. gradient 모드가 꺼져 있었을 때 그대로 두는지(이때는 호출이 실패해도 됩니다).
- **1.4** 양수와 음수, 아주 큰 수와 아주 작은 수, `int`에서 유효 숫자 12자리까지 맞는지.
- **1.5** 고른 간격의 오차. 가장 좋은 10의 거듭제곱일 때의 오차와 비교.
- **1.6** 음수 `x`, 이미 `limit`을 넘은 `x`, 0이거나 음수인 `limit`, 정수가 아닌 수, `y`가 `limit`에 꼭 맞게 끝나거나 아주 조금 못 미치는 경우, 아주 작은 수(수백 번
  반복합니다).

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다. gradient 모드를 끄거나 기본 dtype을 `float64`로 바꾸어 놓고 호출하기도 합니다.

## 지금까지 만든 것

이제 여러분이 만들 autograd를 검사할 도구가 생겼습니다. 그 gradient는 하나하나 차분몫과 비교합니다. `autograd_slope`에 쓴 세 가지,
곧 추적, 역방향 계산, 읽기를 그 autograd도 갖추어야 합니다. `doubling_slope`는 `y`와 함께 기울기를 계산해 나갔으니 아주 작은 순방향 모드입니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- $h$는 autograd와 무슨 상관이 있나요? (아무 상관이 없습니다.)
- 차분몫의 오차는 왜 V자인가요? V의 어느 쪽이 컴퓨터의 반올림 탓인가요?
- autograd는 `if`의 어느 쪽 갈래를 미분하나요?
- 파라미터가 1000개일 때 차분몫은 loss를 몇 번 계산해야 하나요? 역방향 모드는요?
- `float32`로 직선을 맞추던 계산은 왜 출발점에서 멈추었나요? (6절)

## 더 읽을거리

- [PyTorch: torch.autograd에 대한 간단한 소개](https://tutorials.pytorch.kr/beginner/blitz/autograd_tutorial.html)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Baydin 외: Automatic differentiation in machine learning, a survey (영어)](https://arxiv.org/abs/1502.05767)
- [Goldberg: What every computer scientist should know about floating-point arithmetic (영어)](https://docs.oracle.com/cd/E19957-01/806-3568/ncg_goldberg.html)

다음은 [수업 02](../02_graph_and_grad_fn/02_graph_and_grad_fn.ipynb), 계산 그래프와 `grad_fn`입니다.
"""
