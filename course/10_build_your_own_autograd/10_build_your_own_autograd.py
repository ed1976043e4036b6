# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Build your own autograd

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · engine, topological order, training

**After this lesson you can**

- write an autograd for single numbers: record local slopes, find the order, accumulate gradients;
- state the rule that the order of a backward pass must keep, and give a graph on which a wrong order shows;
- say what happens to leaves and to intermediate values when `backward()` runs twice;
- write the test that tells a right engine from three wrong ones;
- train a small network with your own engine.

You need lessons 1 to 4, above all the sum over paths of lesson 4. Lessons 5 to 9 help.
"""

# %% [markdown] lang="ko" en="b7d7addd"
r"""
# 나만의 autograd 만들기

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · 엔진, 위상 순서, 학습

**이 수업을 마치면**

- 수 하나하나를 다루는 autograd를 직접 만들 수 있습니다. 국소 기울기를 기록하고, 순서를 찾고, gradient를 더합니다.
- 역방향 계산의 순서가 지켜야 할 규칙을 말하고, 잘못된 순서가 드러나는 그래프를 들 수 있습니다.
- `backward()`를 두 번 호출하면 leaf와 중간 값이 각각 어떻게 되는지 말할 수 있습니다.
- 올바른 엔진과 틀린 엔진 세 가지를 구별하는 테스트를 직접 쓸 수 있습니다.
- 직접 만든 엔진으로 작은 신경망을 학습시킬 수 있습니다.

수업 01–04의 내용이 필요합니다. 그중에서도 경로마다 기울기를 곱하고 경로끼리 더하는 방법(수업 04)이 중요합니다. 수업 05부터 09까지는 알면 도움이 되지만 몰라도 됩니다.
"""

# %%
import contextlib
import inspect
import itertools
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import display

from secant import TorchValue, Value, draw_graph, explore_engine, language, predict, predicted, say

language("en")

# %% [markdown] lang="en"
r"""
## First look

This is $\log x^3 + \sqrt{x^2}$ of lesson 4, with a secant through two of its points that are $h$ apart; the slope of the secant is the difference quotient. Two more lines coincide: one has the slope that torch found, the
other that of a small autograd of our own, the *engine*. (The panel calls the function $S$ and the engine's slope $e$. Ignore the right plot and the lists until section 3.)

Move $x$ to a place that you like, then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **Which three numbers meet, at every $x$?**
"""

# %% [markdown] lang="ko" en="a28912f9"
r"""
## 먼저 보기

그림에는 수업 04의 함수 $\log x^3 + \sqrt{x^2}$의 곡선과, 그 위에서 $h$만큼 떨어진 두 점을 지나는 할선(secant)이 있습니다. 할선의 기울기가 차분몫(difference quotient)입니다. 나머지 두 직선은 겹쳐 있습니다. 하나의 기울기는 torch가 구한 값이고,
다른 하나의 기울기는 직접 만든 작은 autograd, 곧 *엔진*이 구한 값입니다. (그림 아래에서 $S$는 이 함수, $e$는 엔진이 구한 기울기입니다. 오른쪽 그림과 목록은 3절에서 다루니 지금은 그대로 두세요.)

마음에 드는 곳으로 $x$를 옮긴 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 만나는 세 값은 무엇인가요?**
"""

# %%
explore_engine().first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

The quotient, torch's gradient and the engine's, wherever $x$ is. In this lesson you build such an engine, and the quotient tells you whether it is right.

</details>

## Predict first

From $x = 2$ a program computes $y = x^2$, $z = yx$, $t = yz$ and finally $w = t + y$. So $w = x^5 + x^2$, and $\frac{dw}{dx} = 5x^4 + 2x = 84$.

The picture shows each value and its **local slopes**: how fast it grows with each of the values it was made from.
"""

# %% [markdown] lang="ko" en="42999776"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 차분몫과 torch의 gradient와 엔진의 gradient가 만납니다. 이 수업에서는 이런 엔진을 직접 만들고, 맞게 만들었는지 차분몫으로 확인합니다.

</details>

## 먼저 예상하기

$x = 2$에서 $y = x^2$, $z = yx$, $t = yz$, $w = t + y$를 차례로 계산합니다. 그러면 $w = x^5 + x^2$이고 $\frac{dw}{dx} = 5x^4 + 2x = 84$입니다.

그림에는 값과 **국소 기울기**(local slope)가 있습니다. 국소 기울기는 계산에 쓴 값 하나가 커질 때 결과가 얼마나 빨리 커지는지를 나타냅니다.
"""


# %%
def five_values():
    """Return the Values of the prediction's graph, keyed by name. Section 1 explains how to make them."""
    x = Value(2.0)
    y = Value(4.0, (x,), (4.0,))  # x**2
    z = Value(8.0, (y, x), (2.0, 4.0))  # y * x
    t = Value(32.0, (y, z), (8.0, 4.0))  # y * z
    w = Value(36.0, (t, y), (1.0, 1.0))  # t + y
    return {"x": x, "y": y, "z": z, "t": t, "w": w}


draw_graph(values=True, slopes=True, **five_values())

# %% [markdown] lang="en"
r"""
An **engine** is a program that records such a graph and runs the backward pass through it. Suppose that an engine works **breadth first**: first $w$, then the values that $w$ was made from ($t$, then $y$), then the values that those were made from.
Every value gets one turn. In its turn it multiplies what it has received so far by each of its local slopes, and passes each product on to the value that the slope belongs to. The receiver adds the product to what it already has. $w$ starts with 1.

**What does this engine find for $\frac{dw}{dx}$?**
"""

# %% [markdown] lang="ko" en="cea369b5"
r"""
**엔진**(engine)은 이런 그래프를 기록하고, 그래프를 따라 역방향 계산(backward pass)을 하는 프로그램입니다. 여기 있는 엔진은 **너비 우선**(breadth first)으로 갑니다. 먼저 $w$, 다음으로 $w$를 계산하는 데 쓴 값($t$ 다음에 $y$), 그다음으로 이들을 계산하는 데 쓴 값의 순서입니다.
값마다 차례가 한 번씩 옵니다. 차례가 된 값은 자신을 계산하는 데 쓴 값 하나하나에 ‘지금까지 받은 수 × 그 값에 대한 자신의 기울기’를 넘겨줍니다. 받는 쪽은 그것을 이미 받은 수에 더합니다. $w$는 1에서 시작합니다.

**이 엔진이 구한 $\frac{dw}{dx}$는 얼마일까요?**
"""

# %%
predict(
    "10 order",
    A=say(en="84: sums do not depend on the order", ko="84. 더하는 순서는 결과와 상관없다"),
    B=say(en="less than 84", ko="84보다 작다"),
    C=say(en="more than 84", ko="84보다 크다"),
)

# %% [markdown] lang="en"
r"""
## 1. A number that remembers

An engine needs to remember little about a computation: for each number, **what it was made from** and **its local slope with respect to each of these**. Here is the frame that you will fill in:
"""

# %% [markdown] lang="ko" en="708e867a"
r"""
## 1. `Value`: 부모와 기울기를 기억하는 수

엔진이 계산에서 기억해야 할 것은 많지 않습니다. 수마다 **무엇으로 계산했는지**와 **그 각각에 대한 국소 기울기**만 있으면 됩니다. 앞으로 채워 나갈 뼈대는 다음과 같습니다.
"""

# %%
print(inspect.getsource(Value.__init__))

# %% [markdown] lang="en"
r"""
`data` is the number. The **parents** are the Values that it was made from; a Value without parents is a leaf. `slopes` holds one local slope for each parent, in the same order, and `grad` is the buffer.

The frame computes nothing yet. So build the chain of lesson 2 by hand, $y = x^3$ and $z = \log y$ at $x = 5$, and its backward pass:
"""

# %% [markdown] lang="ko" en="df73cdf1"
r"""
`data`는 수입니다. **부모**(parents)는 이 수를 계산하는 데 쓴 Value이고, 부모가 없는 Value가 leaf입니다. `slopes`에는 부모 각각에 대한 국소 기울기가 `parents`와 같은 순서로 들어 있고, `grad`는 버퍼입니다.

이 뼈대는 아직 아무것도 계산해 주지 않습니다. 그래서 수업 02의 사슬 $y = x^3$, $z = \log y$를 $x = 5$에서 손으로 만들고, 역방향 계산도 손으로 해 봅시다.
"""

# %%
x = Value(5.0)
y = Value(x.data**3, (x,), (3 * x.data**2,))
z = Value(math.log(y.data), (y,), (1 / y.data,))

z.grad = 1.0
y.grad = z.slopes[0] * z.grad
x.grad = y.slopes[0] * y.grad
print("y.grad:", round(y.grad, 6), " x.grad:", round(x.grad, 6))

# %% [markdown] lang="en"
r"""
0.008 and 0.6, autograd's values since lesson 1. **These Values store no formula, only numbers.** $3x^2$ was computed at $x = 5$, and only 75 was kept. (PyTorch stores no formula of your function either. A node keeps saved tensors, here $x=5$, and its operation's fixed backward step computes $3x^2$ from them when a gradient arrives.)

The five Values of the prediction were made in the same way. Read off their parents and slopes, and you have lesson 4's list of edges. If you still have your `total_derivative` of task 4.1, paste it into a cell above the next one; otherwise torch stands in.
"""

# %% [markdown] lang="ko" en="92a1c069"
r"""
수업 01부터 autograd가 알려 준 0.008과 0.6입니다. **이 Value들은 식이 아니라 수만 저장합니다.** $3x^2$을 $x = 5$에서 계산해 75라는 수만 남겼습니다. (PyTorch도 여러분이 쓴 함수의 식은 저장하지 않습니다. 노드에는 저장된 텐서(여기서는 $x = 5$)가 있고, gradient가 도착하면 그 연산에 정해진 역방향 단계가 이 텐서로 $3x^2$을 계산합니다.)

앞에서 예상해 본 그래프의 Value 다섯 개도 이렇게 만들었습니다. 부모와 기울기를 읽어 내면 수업 04의 간선(edge) 리스트가 됩니다. 과제 4.1에서 쓴 `total_derivative`가 남아 있으면 다음 셀 위에 셀을 하나 만들어 붙여 넣으세요. 없으면 torch가 대신합니다.
"""

# %%
values = five_values()
names = {id(value): name for name, value in values.items()}
edges = [
    (names[id(parent)], name, slope)
    for name, value in values.items()
    for parent, slope in zip(value.parents, value.slopes, strict=True)
]
print(edges)

total_derivative = globals().get("total_derivative")
if total_derivative is None:
    leaf = torch.tensor(2.0, requires_grad=True)
    (leaf**5 + leaf**2).backward()
    print("torch:", leaf.grad.item())
else:
    print("total_derivative:", total_derivative(edges, "x", "w"))

# %% [markdown] lang="en"
r"""
`total_derivative` computes the derivative with respect to one leaf, and its recursion finds the order by itself. An engine serves all leaves in a single backward pass from $w$, so it has to find the order.

## 2. In which order do the values take their turns?

Here are two orders. Both begin at $w$ and add up correctly:
"""

# %% [markdown] lang="ko" en="d89036cc"
r"""
`total_derivative`는 leaf 하나에 대한 기울기만 구하고, 순서는 재귀가 알아서 찾습니다. 엔진은 $w$에서 시작하는 역방향 계산 한 번으로 모든 leaf의 gradient를 구하므로, 순서를 스스로 찾아야 합니다.

## 2. 어느 값의 차례인가

값의 차례를 두 가지로 정해 봅시다. 둘 다 $w$에서 시작하고, 더하기도 제대로 합니다.
"""

# %%
slope_of = {(child, parent): slope for parent, child, slope in edges}

for order in ("w t y z x", "w t z y x"):
    received = dict.fromkeys("xyztw", 0.0)
    received["w"] = 1.0
    for name in order.split():
        for (child, parent), slope in slope_of.items():
            if child == name:
                received[parent] += slope * received[name]
    print(order, " x:", received["x"], " y:", received["y"])

# %%
predicted(
    "10 order",
    right="B",
    A=say(
        en="The order of a sum does not matter, but y passed on its 9 before the other 8 arrived from z.",
        ko="더하는 순서는 상관없습니다. 그러나 y는 z에서 8을 더 받기 전에 9만 넘겨주었습니다.",
    ),
    B=say(
        en="52: y had its turn with 9 of its 17, and the 8 from z came too late. 8 times the slope 4 "
        "is the missing 32.",
        ko="52입니다. y는 17 가운데 9만 받고 차례를 마쳤고, z가 보낸 8은 너무 늦게 왔습니다. 8에 기울기 4를 곱한 32만큼 모자랍니다.",
    ),
    C=say(
        en="That happens when a value passes on again whenever something arrives: the bug of section 5.",
        ko="수가 올 때마다 다시 넘겨주면 그렇게 됩니다. 5절의 버그입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
In the end $y$ does hold the right 17, but its turn is over. **A value may take its turn only after every value made from it, on the way to $w$, has passed on.** An order that keeps this rule,
with every value before its parents, is called a **topological order**. A graph may have several, and each gives the same gradients.

Breadth first keeps the rule if, for every value, all paths from $w$ to it have the same number of edges. Here the paths from $w$ to $y$ have
one edge, two (through $t$) and three (through $t$ and $z$). The order in which a simple recursion first meets the values is not a topological order either: here it is $w, t, y, x, z$.
"""

# %% [markdown] lang="ko" en="2b517e3d"
r"""
끝에 가면 $y$도 맞는 값 17을 갖고 있지만, 이미 차례가 지나갔습니다. **어떤 값의 차례는, 그 값을 써서 계산한 값들($w$까지 이어지는 것만)이 모두 넘겨준 뒤에야 옵니다.** 이 규칙을 지키는 순서에서는 모든 값이 자기 부모보다 먼저 나옵니다.
이런 순서를 **위상 순서**(topological order)라고 합니다. 한 그래프에 여러 개가 있을 수 있고, 어느 것으로 해도 gradient는 같습니다.

값 하나하나에 대해 $w$에서 그 값까지 가는 경로들의 간선 수가 서로 같다면, 너비 우선으로 가도 이 규칙이 지켜집니다. 여기서는 $w$와 $y$ 사이의 경로가 저마다 다릅니다. 바로 가면 간선이 하나,
$t$를 거치면 둘, $t$와 $z$를 거치면 셋입니다. 단순한 재귀에서 값을 처음 만나는 순서도 위상 순서가 아닙니다. 여기서는 $w, t, y, x, z$입니다.
"""

# %% [markdown] lang="en"
r"""
## 3. Find the bug with the quotient

Here is the explorer of the first look again. Now you can give its engine a bug; it takes the local slopes from torch, but orders and adds by itself.
After two calls of `backward()` a leaf must hold twice the slope, so $S$ is then twice the function. Right: how far the quotient is from torch's slope and the engine's.

1. "`=` for `+=`", one call: which of the three functions gives it away?
2. Breadth first: it survives $\log x^3 + \sqrt{x^2}$ of lesson 4, where two paths meet. Why? Where does it fail?
3. "no reset": set *calls* to 1 ×, then to 2 ×. What happens on the chain, $\log x^3$?
"""

# %% [markdown] lang="ko" en="cab09fb7"
r"""
## 3. 차분몫으로 버그 찾기

맨 앞에서 본 탐색기입니다. 엔진에 넣을 버그를 목록에서 고를 수 있습니다. 국소 기울기는 torch에서 가져오지만, 순서와 덧셈은 직접 합니다. `backward()`를 두 번 호출하면 leaf에는 기울기의 두 배가 있어야 하므로, 이때 $S$는 함수의 두 배입니다. 오른쪽 그림은 차분몫이 torch의 값, 엔진의 값과 각각 얼마나 다른지 보여 줍니다.

1. "`+=` 대신 `=`", 호출 한 번: 세 함수 가운데 어느 것에서 드러나나요?
2. 너비 우선: 두 경로가 만나는 수업 04의 $\log x^3 + \sqrt{x^2}$에서는 드러나지 않습니다. 왜 그럴까요? 어디서 틀리나요?
3. "비우지 않음": *호출*을 1 ×, 이어서 2 ×로 고르세요. 사슬 $\log x^3$에서 무슨 일이 일어나나요?
"""

# %%
explore_engine()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. The two whose paths meet. On the chain a single call adds nothing, so `=` does no harm there.
2. There both paths have three edges, so no value has its turn too early. On $yz + y$ the lengths differ, and at $x = 2$ the quotient stays 32 away from the engine.
3. After one call, nothing. After two the engine's gradient is too large: section 4.

Called once on a chain, every bug passes. **Test an engine on a graph with paths of different lengths, and call it twice.** In task 10.6 you will.

</details>
"""

# %% [markdown] lang="ko" en="cbe4b9c9"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 경로가 만나는 두 함수입니다. 사슬에서는 한 번 호출하는 동안 더할 일이 없으니 `=`로 써도 탈이 없습니다.
2. 두 경로 모두 간선이 셋이라 너무 일찍 차례가 오는 값이 없습니다. $yz + y$는 경로의 길이가 서로 달라, $x = 2$에서 차분몫이 엔진의 값과 32만큼 떨어져 있습니다.
3. 한 번이면 아무 일도 없습니다. 두 번이면 값이 너무 커집니다. 4절에서 다룹니다.

사슬에서 한 번만 호출하면 어느 버그도 드러나지 않습니다. **엔진은 경로의 길이가 서로 다른 그래프에서, `backward()`를 두 번 호출해 시험하세요.** 과제 10.6에서 직접 하게 됩니다.

</details>
"""

# %% [markdown] lang="en"
r"""
## 4. backward() twice

A leaf's `.grad` adds up: lesson 3. But what about the values in between? Take $y = x^2$ and $z = y^2$ at $x = 3$, so $z = x^4$ and the slope is 108. An engine with the right order sets `z.grad` to 1 in each
call, uses `+=` for **every** other buffer, and resets none of those. It runs `z.backward()` twice.

**What is `x.grad` then?**
"""

# %% [markdown] lang="ko" en="cadf6851"
r"""
## 4. backward()를 두 번

leaf의 `.grad`는 쌓입니다(수업 03). 그렇다면 중간 값은 어떨까요? $x = 3$에서 $y = x^2$, $z = y^2$이라고 합시다. $z = x^4$이고 기울기는 108입니다. 어떤 엔진은 순서는 맞고, 호출할 때마다 `z.grad`를 1로 놓습니다. 그러나 나머지 **모든**
버퍼에는 `+=`를 쓰고, 하나도 비우지 않습니다. `z.backward()`를 두 번 호출합니다.

**그러면 `x.grad`는 얼마일까요?**
"""

# %%
predict(
    "10 twice",
    A=say(en="216, twice 108", ko="216. 108의 두 배"),
    B=say(en="324, three times 108", ko="324. 108의 세 배"),
    C=say(en="432, four times 108", ko="432. 108의 네 배"),
)

# %%
leaf = torch.tensor(3.0, requires_grad=True)
out = (leaf**2) ** 2
out.backward(retain_graph=True)
out.backward()
print("torch :", leaf.grad.item())

x_grad = y_grad = 0.0
for call in (1, 2):
    y_grad += 18.0 * 1.0  # dz/dy = 2y = 18, and z.grad = 1
    x_grad += 6.0 * y_grad  # dy/dx = 2x = 6
    print(say(en=f"call {call}:", ko=f"{call}번째 호출:"), f"y.grad = {y_grad}, x.grad = {x_grad}")

# %%
predicted(
    "10 twice",
    right="B",
    A=say(
        en="That is torch's answer, and the right one. But here y still holds the 18 of the first call "
        "when the second begins.",
        ko="torch의 답이고 옳은 답입니다. 그러나 여기서는 두 번째 호출이 시작될 때 y에 첫 호출의 18이 남아 있습니다.",
    ),
    B=say(
        en="In the second call y passes on 18 + 18: its share of the first call is counted again.",
        ko="두 번째 호출에서 y는 18 + 18을 넘겨줍니다. 첫 호출에서 y가 받은 몫이 한 번 더 들어갑니다.",
    ),
    C=say(
        en="y is doubled in the second call, but the first call was right: 108 + 216.",
        ko="두 번째 호출에서 y가 두 배가 되지만 첫 호출은 맞았습니다. 108 + 216입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So **leaves add up, and intermediate values start every call at 0**. In PyTorch an intermediate tensor has a buffer only if `retain_grad()` asks for one.
It adds up like a leaf's, but the backward pass does not use it.

## 5. A real bug

The best-known small engine is Andrej Karpathy's micrograd. In April 2020 it still had no order: each operation passed its gradient on and at once called its parents, which called theirs:
"""

# %% [markdown] lang="ko" en="8fc143c5"
r"""
그래서 **leaf는 쌓고, 중간 값은 호출할 때마다 0에서 시작합니다**. PyTorch는 더 간단합니다. `retain_grad()`로 요청하지 않는 한 중간 텐서에는 버퍼를 아예 두지 않습니다.
요청한 버퍼는 leaf처럼 쌓이지만, 역방향 계산에 쓰이지 않으므로 leaf의 gradient는 맞습니다.

## 5. 실제로 있었던 버그: micrograd

작은 엔진 가운데 가장 널리 알려진 것은 Andrej Karpathy의 micrograd입니다. 2020년 4월 처음 나왔을 때는 순서가 없었습니다. 연산마다 gradient를 넘겨주고는 곧바로 부모를 호출하고, 부모는 다시 자기 부모를 호출했습니다. 같은 방식을 짧은 코드로 옮겨 봅시다.
"""


# %%
def pass_on(value):
    for parent, slope in zip(value.parents, value.slopes, strict=True):
        parent.grad += slope * value.grad
    for parent in value.parents:
        pass_on(parent)


def f(x):
    return x**5 + x**2


values = five_values()
values["w"].grad = 1.0
pass_on(values["w"])
print("x.grad  :", values["x"].grad)
print(say(en="quotient:", ko="차분몫  :"), round((f(2 + 1e-6) - f(2 - 1e-6)) / 2e-6, 4))

# %% [markdown] lang="en"
r"""
Whenever something arrives, $y$ passes on **everything** it holds, old and new. On a chain that is right. In the demo of micrograd's first commit, each value of the first layer is used 16 times. The first of the demo's gradients is
$-542$, where the quotient says $-0.315$, and half of the first layer's gradients are more than 500 times too large. **Yet the demo trained to 100 % accuracy.** A falling loss proves nothing: check gradients with a quotient.

The cure was a topological order. Section 4's bug is still open in micrograd: [a second `backward()`](https://github.com/karpathy/micrograd/pull/102) gives too much. Training does not notice, since every step makes new intermediate values.

<details><summary>The report, and a proposal</summary>

Karpathy named the cause: [non-leaf Values that are reused](https://github.com/karpathy/micrograd/issues/2).
A [proposal to drop the topological order](https://github.com/karpathy/micrograd/pull/64) fails on `b = a + a`, `c = b + b`.

</details>
"""

# %% [markdown] lang="ko" en="d0a030b9"
r"""
무언가 도착할 때마다 $y$는 갖고 있는 **전부**를, 이미 넘겨준 것까지 함께 넘겨줍니다. 사슬에서는 이렇게 해도 맞습니다. 그런데 micrograd의 첫 커밋에 든 예제에서는 첫 층의 값을 저마다 16번씩 씁니다. 이 예제의 첫 gradient는 차분몫으로는
$-0.315$인데 엔진의 값은 $-542$였고, 첫 층의 gradient 가운데 절반은 500배 넘게 컸습니다. **그런데도 이 예제는 정확도 100%까지 학습했습니다.** loss가 줄어든다고 해서 gradient가 맞는 것은 아닙니다. gradient는 차분몫과 비교해서 확인하세요.

해결책은 위상 순서를 따르는 것이었습니다. micrograd에는 4절의 버그가 아직 남아 있습니다. [`backward()`를 두 번 호출하면](https://github.com/karpathy/micrograd/pull/102) 값이 너무 커집니다. 학습에서는 스텝마다 중간 값을 새로 만들기 때문에 드러나지 않습니다.

<details><summary>제보, 그리고 위상 순서를 빼자는 제안</summary>

Karpathy는 [leaf가 아닌 Value를 여러 번 쓴 것](https://github.com/karpathy/micrograd/issues/2)이 원인이라고 적었습니다. [위상 순서를 빼자는 제안](https://github.com/karpathy/micrograd/pull/64)대로 하면 `b = a + a`, `c = b + b`에서 틀립니다.

</details>
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}. **Task 10.5 is optional**; it gives points like the others.

Test cells, **Check**, marks and the **rules of every task** are those of lesson 1.

<details><summary>The rules in short, and how to see a solution</summary>

A test cell holds the **visible tests**; grading adds
**hidden tests**, and the list after the last task says what they check. Once you have passed a task, or when you are stuck, Check shows a worked solution (in a terminal:
`autograder check 10 --solution value_add_mul`).

</details>

**How the answers fit together.** Tasks 10.1 to 10.4 add methods to `Value`. Each answer begins with `class Value(Value):`, which adds to the old `Value` and calls the result
`Value` again. Add the methods asked for, and keep `__init__` and the four fields `data`, `grad`, `parents`, `slopes` as they are. Each task is tested **alone**: the tests bring all other pieces, so you may take the tasks in any order.

A method changes nothing about the Values it is called with and leaves nothing on them, except for the `grad` that 10.3 is about.
`data` is a plain number.
"""

# %% [markdown] lang="ko" en="458b8235"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다. **과제 10.5는 선택 과제**이지만 점수는 똑같이 있습니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 10 --solution value_add_mul`).

</details>

**답을 작성하는 방법.** 과제 10.1–10.4에서는 `Value`에 메서드를 추가합니다. 답은 `class Value(Value):`로 시작합니다. 지금까지의 `Value`를 상속해 메서드를 추가한 새 클래스를 만들고, 이름은 그대로 `Value`로 두는 것입니다. 요구한 메서드를 추가하고, `__init__`과 네 필드 `data`, `grad`, `parents`, `slopes`는 그대로 두세요. 과제는 **따로따로** 채점합니다. 나머지 조각은 모두 테스트가 따로 준비한
것을 씁니다. 그러니 어떤 순서로 풀어도 되고, 한 과제에서 틀려도 다른 과제에는 영향이 없습니다.

메서드는 호출할 때 받은 Value를 바꾸지 않고, 거기에 아무것도 남기지 않습니다(10.3에서 다루는 `grad`는 예외입니다). `data`는 그냥 수입니다.
"""

# %% [markdown] lang="en"
r"""
## Task 10.1 · `value_add_mul`: `+` and `*` that remember

●●○○○ · ★★★★★ · 8 min · {{points}} (add 1, mul 1)

Write `Value.__add__` and `Value.__mul__`, which Python calls for `a + b` and `a * b`. Each returns **a new Value** that remembers how it was made.

- Its `data` is the sum or the product, and its `grad` is 0.
- Its parents are the operands themselves, leaves or not; its slopes are those of the result with respect to each. In `a + a` and `a * a` the Value `a` may be a
  parent twice or once; its slopes must add up to the right one.
- `other` may be a plain number, `int` or `float`. You may list a Value made of that number, with its slope, among the parents, or leave it out. `2 * a`, `2 + a`, `-a`, `a - b` and `a / b` are there
  already: `Value` builds them from your `+`, `*` and `**`.
- Neither method touches a `grad`: only `backward()` fills it.

<details><summary>Hint 1: the idea</summary>

How much does $a + b$ grow when $a$ grows by a little? And $a \cdot b$?

</details>

<details><summary>Hint 2: closer to the code</summary>

A subtraction would end with `return Value(self.data - other.data, (self, other), (1.0, -1.0))`. If `other` is a number (`isinstance`), first make a Value of it.

</details>
"""

# %% [markdown] lang="ko" en="25f6e5f1"
r"""
## 과제 10.1 · `value_add_mul`: 기억하는 `+`와 `*`

{{marks}}분 · {{points}} (add 1, mul 1)

`Value.__add__`와 `Value.__mul__`을 작성하세요. 파이썬이 `a + b`와 `a * b`에서 호출하는 메서드입니다. 둘 다 어떻게 계산했는지 기억하는 **새 Value**를 돌려줍니다.

- `data`는 합 또는 곱이고, `grad`는 0입니다.
- 부모는 피연산자(operand) 자체입니다. 피연산자가 leaf이든 아니든 그렇습니다. `slopes`는 부모 각각에 대한 결과의 기울기입니다. `a + a`와 `a * a`에서는 `a`를 부모에 두 번 넣어도, 한 번만 넣어도 됩니다. 다만 `a`의 기울기를 모두 더하면 맞는 기울기가 되어야 합니다.
- `other`는 `int` 또는 `float`인 수일 수도 있습니다. 그 수로 만든 Value를 부모에 넣을지는 자유입니다. 넣는다면 그 기울기도 맞게 넣으세요. `2 * a`, `2 + a`, `-a`, `a - b`, `a / b`는 이미 있습니다. `Value`가 여러분의 `+`, `*`, `**`로 만듭니다.
- 두 메서드는 어떤 `grad`도 건드리지 않습니다. `grad`는 `backward()`가 채웁니다.

<details><summary>힌트 1: 생각의 방향</summary>

$a$가 조금 커지면 $a + b$는 얼마나 커지나요? $a \cdot b$는요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

뺄셈이라면 `return Value(self.data - other.data, (self, other), (1.0, -1.0))`로 끝납니다. `other`가 수이면(`isinstance`) 먼저 Value로 만드세요.

</details>
"""


# %% answer="value_add_mul"
class Value(Value):
    """A Value with + and *."""

    def __add__(self, other):
        """Return self + other as a new Value with its parents and slopes. other: a Value or a number."""
        ### BEGIN SOLUTION
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))
        ### END SOLUTION

    def __mul__(self, other):
        """Return self * other as a new Value with its parents and slopes. other: a Value or a number."""
        ### BEGIN SOLUTION
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))
        ### END SOLUTION


# %% test="value_add_mul" points=2
from secant import PartialCredit, ask, check, hints, recipes

hint = hints("value_add_mul")
_credit = PartialCredit(add=1, mul=1)

_ERRORS = {"attribute 'data'": hint.number}
_pair, _swapped, _ones = {"a": 2.0, "b": 3.0}, {"a": 3.0, "b": 2.0}, {"a": 1.0, "b": 1.0}
for _call, _numbers, _data, _slopes, _wrong in (
    ("a + b", _pair, 5.0, _ones, {hint.numbers: (_pair, _swapped)}),
    ("a * b", _pair, 6.0, _swapped, {hint.swapped: (_pair, _ones)}),
    ("a + a", {"a": 4.0}, 8.0, {"a": 2.0}, {hint.twice: ({"a": 1.0}, {"a": 4.0})}),
    ("a * a", {"a": 3.0}, 9.0, {"a": 6.0}, {hint.twice: ({"a": 3.0}, {"a": 12.0})}),
    ("2 * a", {"a": 4.0}, 8.0, {"a": 2.0}, {hint.swapped: {"a": 4.0}}),
    ("a + 0.5", {"a": -4.0}, -3.5, {"a": 1.0}, {}),
    ("0 + a", {"a": 2.0}, 2.0, {"a": 1.0}, {}),
    ("0 * a", {"a": 2.0}, 0.0, {"a": 0.0}, {}),
):
    with _credit.part("mul" if "*" in _call else "add"):
        _answer = ask(_call, {"errors": _ERRORS}, **recipes.leaves(_numbers))
        recipes.check_operation(_answer, _data, _slopes, mistakes=_wrong)
_wrong = {hint.chain: ({"a": 7.0, "b": 4.0}, {"a": 21.0, "b": 8.0})}
for _call, _data, _slopes in (("a + b", 5.0, _ones), ("a * b", 6.0, _swapped)):
    with _credit.part("mul" if "*" in _call else "add"):
        _answer = ask(_call, **recipes.graph("xab", [([], []), ([0], [7.0]), ([1], [4.0])]))
        recipes.check_operation(_answer, _data, _slopes, mistakes=_wrong)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
# For each operation: its result, the slopes with respect to a and to b, and, if one operand is a number, that
# number and the slope with respect to it (else None).
_OPERATIONS = {
    "a + b": lambda a, b: (a + b, 1.0, 1.0, None),
    "b + a": lambda a, b: (a + b, 1.0, 1.0, None),
    "a * b": lambda a, b: (a * b, b, a, None),
    "b * a": lambda a, b: (a * b, b, a, None),
    "a + a": lambda a, b: (2 * a, 2.0, 0.0, None),
    "a * a": lambda a, b: (a * a, 2 * a, 0.0, None),
    "a + 3": lambda a, b: (a + 3, 1.0, 0.0, (3.0, 1.0)),
    "a * -3": lambda a, b: (-3 * a, -3.0, 0.0, (-3.0, a)),
    "0.25 * b": lambda a, b: (0.25 * b, 0.0, 0.25, (0.25, b)),
    "a * 0": lambda a, b: (0 * a, 0.0, 0.0, (0.0, a)),
    "a * 1": lambda a, b: (a, 1.0, 0.0, (1.0, a)),
}
# The parents and slopes of a and b if both are intermediate values: a looks like a sum, and b like a product.
_PARENTS = {"a": "(p, q), (1.0, 1.0)", "b": "(p, q), (7.0, -2.0)"}


def _compare(text, a, b, intermediate=False):
    data, to_a, to_b, constant = _OPERATIONS[text](a, b)
    numbers = {name: number for name, number in (("a", a), ("b", b)) if name in text}
    slopes = {name: float({"a": to_a, "b": to_b}[name]) for name in numbers}
    wrong = {hint.swapped if "*" in text else hint.numbers: (numbers, {"a": b, "b": a})}
    if text in ("a + a", "a * a"):
        wrong = {hint.twice: ({"a": 0.5 * to_a}, {"a": 2.0 * to_a})}
    options = {"errors": _ERRORS, "before": recipes.held(list(numbers), [0.5, -1.5][: len(numbers)])}
    values = recipes.leaves(numbers)
    if intermediate:
        values = {name: f"Value({number}, {_PARENTS[name]})" for name, number in numbers.items()}
        values = recipes.leaves({"p": 2.5, "q": -1.5}) | values
    answer = ask(text, options, **values)
    recipes.check_operation(answer, float(data), slopes, mistakes=wrong)
    pairs = zip(answer.result["parents"], answer.result["slopes"], strict=True)
    other_pairs = [pair for pair in pairs if pair[0] not in numbers]
    expected = [constant] if constant else []
    problem = hint.other.format(wanted=expected, got=other_pairs)
    answer.holds(all(pair in expected for pair in other_pairs), problem)


for _text in _OPERATIONS:
    with _credit.part("mul" if "*" in _text else "add"):
        check.smallest(_compare, _text, check.draw(-4, -0.5), check.draw(0.5, 4))
        check.smallest(_compare, _text, check.draw(5, 90), check.draw(-4, -0.5), True)
        for _a, _b in ((0.0, 2.0), (2.0, 2.0), (1e-9, -1e9), (3.5e-13, 1.25e-12)):
            _compare(_text, _a, _b)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 10.2 · `value_order`: write `Value.order`, the order of the backward pass

●●●●○ · ★★★★★ · 20 min · {{points}} (order 2, large 1)

Write `Value.order`. It returns a **list** of all Values that take a turn in the backward pass from `self`.

- `self` comes first. The list holds every Value that `self` was made from, directly or through others, including leaves, each **exactly once**.
- **Every Value stands before its parents.** Where that leaves a choice, any order will do.
- Two different Values may hold the same number: tell them apart as objects (`is`, `id`, or a set of Values), not by `data`.
- A graph may be deep, 5000 Values one after the other, and Python stops a recursion at about 1000. (If you change the recursion limit, put it back.) It may also have very many paths, like task 4.1's
  forty diamonds: visit each Value a few times at most, not once for each path, and use a set (`in` searches a whole list each time).

On section 1's graph, `w.order()` must be `[w, t, z, y, x]`: there is no other order.

<details><summary>Hint 1: the idea</summary>

Think in the other direction: put a Value on the list **after** all its parents, and reverse the list at the end. A stack (a list with `append` and `pop`) replaces the recursion.

</details>

<details><summary>Hint 2: closer to the code</summary>

A Value comes off the stack twice: first its parents have to go before it, later it is ready itself. What belongs in the two gaps?

```
done, seen, stack = [], set(), [(self, False)]
while stack:
    value, ready = stack.pop()
    if ready:
        ...
    elif value not in seen:
        seen.add(value)
        ...
```

</details>
"""

# %% [markdown] lang="ko" en="9e1a02a3"
r"""
## 과제 10.2 · `value_order`: `Value.order` 작성하기(역방향 계산의 순서)

{{marks}}분 · {{points}} (order 2, large 1)

`Value.order`를 작성하세요. `self`에서 시작하는 역방향 계산에서 차례가 오는 Value를 모두 담은 **리스트**를 돌려줍니다.

- `self`가 맨 앞입니다. `self`를 계산하는 데 직접 또는 다른 값을 거쳐 쓰인 Value가 leaf까지 모두, **정확히 한 번씩** 들어 있습니다.
- **모든 Value는 자기 부모보다 앞에 있습니다.** 이 규칙만 지키면 어떤 순서든 됩니다.
- 서로 다른 Value에 같은 수가 들어 있을 수 있습니다. `data`가 아니라 객체로 구별하세요(`is`, `id`, Value의 집합).
- 그래프는 깊을 수 있습니다. Value 5000개가 줄줄이 이어질 수 있는데, 파이썬의 재귀는 1000번쯤에서 멈춥니다. (재귀 한도를 바꾼다면 되돌려 놓으세요.) 과제 4.1의 마름모 40개처럼 경로가 아주 많을 수도 있습니다. 같은 Value를
  경로 수만큼 다시 들르지 말고, Value 하나마다 나머지를 모두 훑지도 마세요. 리스트에 쓰는 `in`도 리스트를 훑습니다. 집합을 쓰세요.

1절의 그래프에서 `w.order()`는 `[w, t, z, y, x]`여야 합니다. 이 그래프의 위상 순서는 이것뿐입니다.

<details><summary>힌트 1: 생각의 방향</summary>

반대로 생각하세요. 부모가 모두 리스트에 들어간 **다음에** 그 Value를 넣고, 마지막에 리스트를 뒤집습니다. 재귀 대신 스택(stack, `append`와 `pop`을 쓰는 리스트)을 쓰면 됩니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

Value는 스택에서 두 번 나옵니다. 처음에는 부모를 먼저 보내야 하고, 나중에는 자신의 차례입니다. 두 `...` 자리에 무엇이 들어갈까요?

```
done, seen, stack = [], set(), [(self, False)]
while stack:
    value, ready = stack.pop()
    if ready:
        ...
    elif value not in seen:
        seen.add(value)
        ...
```

</details>
"""


# %% answer="value_order"
class Value(Value):
    """A Value that knows the order of its backward pass."""

    def order(self):
        """Return a list of self and all Values that self was made from, each once and before its parents."""
        ### BEGIN SOLUTION
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]
        ### END SOLUTION


# %% test="value_order" points=3
from secant import PartialCredit, ask, check, hints, recipes

hint = hints("value_order")
_credit = PartialCredit(order=2, large=1)

_OPTIONS = {"steps": 1_000_000}
_uneven = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([1, 2], [8.0, 4.0]), ([3, 1], [1.0, 1.0])]
_double = [([], []), ([0, 0], [1.0, 1.0]), ([1, 1], [1.0, 1.0])]
for _call, _names, _recipe in (
    ("z.order()", "xyz", recipes.chain(2)),
    ("w.order()", "xyztw", _uneven),
    ("z.order()", "xyz", _double),
):
    with _credit.part("order"):
        _answer = ask(_call, _OPTIONS, **recipes.graph(_names, _recipe, alike=_recipe is _double))
        recipes.check_order(_answer, _names, _recipe, len(_names) - 1)
        recipes.check_order(_answer.again(), _names, _recipe, len(_names) - 1, is_later=True)
# compared_in_steps makes each comparison of Values count as a step, also in `value in values`.
_deep = "recipes.build(recipes.compared_in_steps(Value), recipes.chain(5000))"
_names = [f"v[{place}]" for place in range(5001)]
with _credit.part("large"):
    recipes.check_order(ask("v[-1].order()", _OPTIONS, v=_deep), _names, recipes.chain(5000), 5000)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import random


def _compare(names, recipe, roots, alike=False):
    """Check order() for several Values of one graph, one after the other."""
    words = hint.graph.format(size=len(names)) if len(names) > 9 else ""
    options = {**_OPTIONS, "words": words and f"{names[roots[0]]}.order(), {words}"}
    options["before"] = recipes.held(names, [0.5 - 2.0 * place * (not alike) for place in range(len(names))])
    answer = ask(f"{names[roots[0]]}.order()", options, **recipes.graph(names, recipe, alike))
    for number, root in enumerate(roots):
        next_answer = answer.then(f"{names[root]}.order()") if number else answer
        recipes.check_order(next_answer, names, recipe, root, is_later=number > 0)


def _draw_recipe(size):
    rng = random.Random(int(check.draw(0, 1e6)))
    recipe = [([], []), ([], [])]
    for place in range(2, size):
        parents = [rng.randrange(max(0, place - 6), place) for _ in range(rng.choice((1, 2, 2, 3)))]
        recipe.append((parents, [float(rng.randrange(2)) for _ in parents]))
    return recipe


_mirror = [([], []), ([0], [1.0]), ([1, 0], [1.0, 1.0]), ([2, 1], [1.0, 1.0]), ([1, 3], [1.0, 1.0])]
with _credit.part("order"):
    _compare("x", [([], [])], [0, 0])
    _compare("xyztw", _uneven, [2, 4, 3, 1, 4])
    _compare("xyztw", _mirror, [4, 4])
    _compare("abc", [([], []), ([], []), ([0, 1], [1.0, 1.0])], [2], alike=True)
    for _size in (4, 6, 9, 14, 40):
        for _ in range(4):
            _names = [f"v{place}" for place in range(_size)]
            _compare(_names, _draw_recipe(_size), [_size - 1, _size // 2, _size - 1], alike=_size == 9)
with _credit.part("large"):
    for _code in ("recipes.diamonds(40)", "recipes.diamonds(700, True)"):
        _recipe = eval(_code)
        _names = [f"v[{place}]" for place in range(len(_recipe))]
        _answer = ask(
            "v[-1].order()", _OPTIONS, v=f"recipes.build(recipes.compared_in_steps(Value), {_code})"
        )
        for _order_answer in (_answer, _answer.again()):
            recipes.check_order(_order_answer, _names, _recipe, len(_names) - 1)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 10.3 · `backward_twice`: write `Value.backward`, to be called as often as you like

●●●○○ · ★★★★★ · 10 min · {{points}} (once 1, again 2)

Write `Value.backward`. `self.order()` gives the order (task 10.2; the tests use their own).

- A **leaf** (no parents) **adds**: its `grad` grows by the slope of `self` with respect to it, whatever was in it before.
- An **intermediate** value is **reset**: after the call its `grad` is the slope of `self` with respect to it, from this call alone. That of `self` is 1.
- If `self` is a leaf, its `grad` grows by 1.
- The `grad` of a Value that `self` was not made from stays as it is. So do `data`, `parents` and `slopes` of all Values. The method returns nothing.
- The graph may be as deep as in 10.2, and have as many paths.

<details><summary>Hint 1: the idea</summary>

Two things happen: first the buffers are made ready for this call, then each Value in turn passes on. A parent may receive from several sides, or twice from the same one.

</details>

<details><summary>Hint 2: closer to the code</summary>

You need two loops over the same order. Why can the reset not stand in the loop that passes on? And does `self.grad` get its 1 before the reset or after it? To pair parents with their slopes: `for parent, slope in zip(value.parents, value.slopes):`.

</details>
"""

# %% [markdown] lang="ko" en="8deb336e"
r"""
## 과제 10.3 · `backward_twice`: 몇 번이고 호출할 수 있는 `Value.backward` 작성하기

{{marks}}분 · {{points}} (once 1, again 2)

`Value.backward`를 작성하세요. 순서는 `self.order()`로 얻습니다(과제 10.2. 테스트는 따로 준비한 `order`를 씁니다).

- **leaf**(부모가 없는 값)에서는 `grad`에 **더합니다**. `grad`에 무엇이 들어 있었든, `self`를 그 leaf로 미분한 기울기가 더해집니다.
- **중간 값**의 `grad`는 호출할 때마다 **새로 구합니다**. 호출한 뒤의 `grad`는 이번 호출에서 구한, `self`의 그 값에 대한 기울기입니다. `self`의 `grad`는 1입니다.
- `self`가 leaf이면 `grad`가 1만큼 커집니다.
- `self`를 계산하는 데 쓰이지 않은 Value의 `grad`는 그대로입니다. 모든 Value의 `data`, `parents`, `slopes`도 그대로입니다. 이 메서드는 아무것도 돌려주지 않습니다.
- 그래프는 10.2에서처럼 깊을 수도, 경로가 아주 많을 수도 있습니다.

<details><summary>힌트 1: 생각의 방향</summary>

할 일은 둘입니다. 먼저 이번 호출에 쓸 버퍼를 준비하고, 그다음 Value가 차례대로 넘겨줍니다. 한 부모가 여러 곳에서, 또는 같은 곳에서 두 번 받을 수 있습니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

같은 순서로 반복문을 두 번 돌려야 합니다. 비우는 일을 왜 넘겨주는 반복문 안에서 하면 안 될까요? `self.grad`의 1은 비우기 전에 넣어야 할까요, 비운 뒤에 넣어야 할까요? 부모와 기울기는 `for parent, slope in zip(value.parents, value.slopes):`로 짝지으세요.

</details>
"""


# %% answer="backward_twice"
class Value(Value):
    """A Value whose backward() may be called more than once."""

    def backward(self):
        """Store the slope of self with respect to each Value of its graph in that Value's grad.

        A leaf adds the slope to its grad. An intermediate value replaces its grad by the slope.
        """
        ### BEGIN SOLUTION
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad
        ### END SOLUTION


# %% test="backward_twice" points=3
from secant import PartialCredit, ask, check, hints, recipes

hint = hints("backward_twice")
_credit = PartialCredit(once=1, again=2)


@_credit.each
def _compare(names, recipe, roots, slopes, grads=None, words="", alike=False):
    """Call backward() on the Values at the positions `roots` in turn, and check all grads.

    slopes: for each root, its slopes with respect to all Values of the graph.
    grads: the grad of each Value of the graph before the first call; None for zeros.
    """
    if _credit.now == "once":
        roots, slopes, grads = roots[:1], slopes[:1], None
    grads = grads or [0.0] * len(names)
    first, ahead = f"{names[roots[0]]}.backward()", recipes.passes_ahead(names, roots)
    options = {"before": recipes.held(names, grads), "ahead": ahead, "steps": 1_000_000}
    if words:
        options["words"] = f"{first}, {words}"
    values = recipes.graph(names, recipe, alike)
    # with_order replaces the student's order() by the test's own.
    value_class = f"recipes.with_order(Value, {recipes.made_from(recipe)})"
    answer = ask(first, options, Value=value_class, **values)
    recipes.check_passes(answer, names, recipe, roots, grads, slopes)


_uneven = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([1, 2], [8.0, 4.0]), ([3, 1], [1.0, 1.0])]
_cut = [([], []), ([0], [3.0]), ([0], [5.0]), ([2, 1], [0.0, 2.0])]
_chain, _double = [([], []), ([0], [3.0]), ([1], [5.0])], [([], []), ([0, 0], [1.0, 1.0])]
_compare("xyz", _chain, [2, 2], [[15.0, 5.0, 1.0]] * 2, [7.0, 0.0, 0.0])
_compare("xyztw", _uneven, [4, 4], [[84.0, 17.0, 4.0, 1.0, 1.0]] * 2)
_compare("xy", _double, [1], [[2.0, 1.0]], [7.0, 0.0], alike=True)
_compare("xyuz", _cut, [3, 0], [[6.0, 2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import torch


def _solve_slopes(recipe, out):
    """Return one Value's slopes with respect to all Values of a recipe, by solving a triangular system."""
    size = len(recipe)
    system = torch.eye(size, dtype=torch.float64)
    for value, (parents, slopes) in enumerate(recipe):
        for parent, slope in zip(parents, slopes, strict=True):
            system[parent, value] -= slope
    unit = torch.zeros(size, 1, dtype=torch.float64)
    unit[out] = 1.0
    return torch.linalg.solve_triangular(system, unit, upper=True)[:, 0].tolist()


def _compare_with_solution(names, recipe, roots, *rest, **options):
    _compare(names, recipe, roots, [_solve_slopes(recipe, root) for root in roots], *rest, **options)


_start_grads = [1.5, 9.0, -9.0, 3.0, 6.0]
_compare_with_solution("xyztw", _uneven, [4, 2, 4, 1, 4], _start_grads)
_compare_with_solution("xyztw", _uneven, [4, 4], _start_grads, alike=True)
_two_chains = [([], []), ([], []), ([0], [2.0]), ([1], [3.0])]
_compare_with_solution("xayu", _two_chains, [2, 3, 2], [1.0, 2.0, 3.0, 4.0])
_compare_with_solution("xyz", [([], []), ([0], [0.0]), ([1, 0], [2.0, 0.0])], [2, 2], [4.0, 1.0, 1.0])
_compare_with_solution("xyz", [([], []), ([0], [3.0]), ([1, 0], [0.0, 2.0])], [2, 2], [4.0, 1.0, 1.0])
_extreme = [([], []), ([0], [1e20]), ([1], [1e-20]), ([2], [1e-20]), ([3], [1e20])]
_compare_with_solution("xyzuw", _extreme, [4, 4])
_compare_with_solution(
    "abyzw", [([], []), ([], []), ([0], [4e-6]), ([1], [3e5]), ([2, 3], [5e-5, 7e4])], [4, 4]
)

_names = [f"v{place}" for place in range(121)]
_compare_with_solution(_names, recipes.diamonds(40), [120, 120], words=hint.graph.format(size=121))
with _credit.part("once"):
    _options, _deep = {"errors": {"recursion": hint.deep}}, "recipes.build(Value, recipes.chain(1500))"
    _value_class = "recipes.with_order(Value, [2 ** (place + 1) - 1 for place in range(1501)])"
    _answer = ask("v[-1].backward()", _options, Value=_value_class, v=_deep)
    _answer.then("[v[0].grad, v[1].grad]").equals([1.0, 1.0])


def _mixed_recipe(size, slopes):
    recipe, offset = [([], []), ([], [])], 0
    for place in range(2, size):
        parents = [(place - 1 - (offset + k * 3) % min(place, 4)) for k in range(1 + place % 3)]
        recipe.append((parents, [slopes[(offset + k) % len(slopes)] for k in range(len(parents))]))
        offset += len(parents)
    return recipe


for _size in (3, 4, 5, 7, 12, 30):
    for _grads in ([0.0], check.draws(4, -3, 3)):
        _names, _recipe = (
            [f"v{place}" for place in range(_size)],
            _mixed_recipe(_size, check.draws(5, -1.4, 1.4)),
        )
        _words = hint.graph.format(size=_size) if _size > 7 else ""
        _roots = [_size - 1, _size - 1, _size - 2, _size - 1]
        _compare_with_solution(_names, _recipe, _roots, (_grads * _size)[:_size], _words)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 10.4 · `value_functions`: powers, log, exp, relu

●●○○○ · ★★★★☆ · 7 min · {{points}} (powers 1, others 1)

Four more operations: `x ** number`, `x.log()`, `x.exp()`, `x.relu()`. Each returns a new Value **whose only parent is `self`**, with the one slope that belongs to it. All results fit into a `float`.

- `__pow__`: `number` is an `int` or `float`, not a Value. If `x` is below 0, `number` is whole (2 or 2.0), and may be negative. If `x` is 0, `number` is 0 or at least 1.
  $x^0$ is 1 and has the slope 0 everywhere, **at 0 too**.
- `log` is the natural logarithm; `x` is positive.
- `relu` is $\max(x, 0)$. At 0 its slope is **0**, as in torch.
- The rules of 10.1 hold: the result's `grad` is 0, and `self` is not changed. Compute with `self.data`: the `+` and `*` of 10.1 may be missing.

<details><summary>Hint 1: the idea</summary>

$(x^n)' = n x^{n-1}$, $(\log x)' = 1/x$, $(e^x)' = e^x$. What does Python make of `0.0 ** -1`?

</details>

<details><summary>Hint 2: closer to the code</summary>

A sine would be `Value(math.sin(self.data), (self,), (math.cos(self.data),))`; the comma in `(self,)` makes it a tuple. For which `number` does the power rule divide by 0 at $x = 0$?

</details>
"""

# %% [markdown] lang="ko" en="ffd5f9eb"
r"""
## 과제 10.4 · `value_functions`: 거듭제곱, log, exp, relu

{{marks}}분 · {{points}} (powers 1, others 1)

연산을 네 개 더 만드세요. `x ** number`, `x.log()`, `x.exp()`, `x.relu()`입니다. 저마다 **부모가 `self` 하나뿐인** 새 Value를 기울기와 함께 돌려줍니다. 결과는 모두 `float`의 범위 안에 있습니다.

- `__pow__`: `number`는 Value가 아니라 `int`나 `float`입니다. `x`가 0보다 작으면 `number`는 정수(2나 2.0)이고 음수일 수도 있습니다. `x`가 0이면 `number`는 0이거나 1 이상입니다.
  $x^0$은 1이고 기울기는 어디서나 0입니다. **`x`가 0일 때도** 그렇습니다.
- `log`는 자연로그이고, `x`는 양수입니다.
- `relu`는 $\max(x, 0)$입니다. 0에서 torch는 기울기를 **0**으로 정합니다. 똑같이 하세요.
- 10.1의 규칙이 그대로 적용됩니다. 결과의 `grad`는 0이고, `self`는 바뀌지 않습니다. `self.data`로 계산하세요. 10.1의 `+`와 `*`는 없을 수도 있습니다.

<details><summary>힌트 1: 생각의 방향</summary>

$(x^n)' = n x^{n-1}$, $(\log x)' = 1/x$, $(e^x)' = e^x$입니다. 파이썬에서 `0.0 ** -1`은 무엇이 되나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

사인이라면 `Value(math.sin(self.data), (self,), (math.cos(self.data),))`입니다. `(self,)`의 쉼표가 있어야 튜플이 됩니다. $x = 0$일 때 거듭제곱의 미분 공식이 0으로 나누게 되는 `number`는 무엇인가요?

</details>
"""


# %% answer="value_functions"
class Value(Value):
    """A Value with powers, log, exp and relu."""

    def __pow__(self, number):
        """Return self ** number as a new Value. number: an int or a float."""
        ### BEGIN SOLUTION
        slope = number * self.data ** (number - 1) if number else 0.0
        return Value(self.data**number, (self,), (slope,))
        ### END SOLUTION

    def log(self):
        """Return the natural logarithm of self as a new Value."""
        ### BEGIN SOLUTION
        return Value(math.log(self.data), (self,), (1 / self.data,))
        ### END SOLUTION

    def exp(self):
        """Return e to the power of self as a new Value."""
        ### BEGIN SOLUTION
        power = math.exp(self.data)
        return Value(power, (self,), (power,))
        ### END SOLUTION

    def relu(self):
        """Return max(self, 0) as a new Value."""
        ### BEGIN SOLUTION
        positive = self.data > 0
        return Value(self.data if positive else 0.0, (self,), (float(positive),))
        ### END SOLUTION


# %% test="value_functions" points=2
from secant import PartialCredit, ask, check, hints, recipes

hint = hints("value_functions")
_credit = PartialCredit(powers=1, others=1)


def _compare(call, number, data, slope, wrong=None, values=None, before="", has_parent=False):
    """Check the data, the slope and the parent of the new Value that an operation on x returns.

    wrong: the slopes that mistakes produce, keyed by hint; values: the same for the data.
    has_parent: whether x has a parent.
    """
    x = f"Value({number}, (p,), (7.0,))" if has_parent else f"Value({number})"
    answer = ask(call, {"errors": "", "before": before}, p="Value(2.0)", x=x)
    slopes = {cause: tuple({"x": s} for s in numbers) for cause, numbers in (wrong or {}).items()}
    pairs = recipes.check_operation(answer, data, {"x": slope}, values=values, mistakes=slopes)
    answer.holds(not pairs, hint.parent + f" {pairs}")


_log10 = {hint.log10: (2.0969100130080562, 6.965784284662087)}
for _call, _number, _data, _slope, _wrong, _values in (
    ("x**3", 5.0, 125.0, 75.0, {hint.factor: [25.0], hint.power: [375.0]}, {}),
    ("x**2", -3.0, 9.0, -6.0, {hint.factor: [-3.0], hint.power: [18.0]}, {}),
    ("x**0", 0.0, 1.0, 0.0, {}, {}),
    ("x.log()", 125.0, 4.8283137373023015, 0.008, {}, _log10),
    ("x.exp()", 1.0, 2.718281828459045, 2.718281828459045, {hint.inverse: [1.0]}, {}),
    ("x.relu()", 2.5, 2.5, 1.0, {hint.kink: [0.5]}, {}),
    ("x.relu()", -2.0, 0.0, 0.0, {hint.kink: [0.5], hint.leaky: [1.0, 0.01, -2.0]}, {}),
    ("x.relu()", 0.0, 0.0, 0.0, {hint.kink: [0.5, 1.0], hint.leaky: [0.01, -2.0]}, {}),
):
    with _credit.part("powers" if "**" in _call else "others"):
        _compare(_call, _number, _data, _slope, _wrong, _values)
with _credit.part("powers"):
    _compare("x**2", 3.0, 9.0, 6.0, {hint.chain: [42.0]}, has_parent=True)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import torch


def _torch_result(text, number):
    x = torch.tensor(number, dtype=torch.float64, requires_grad=True)
    value = eval(text, {}, {"x": x})
    value.backward()
    return value.item(), x.grad.item()


def _mistakes(text, number, data, slope):
    """Return the slopes and the data that typical mistakes produce, both keyed by hint."""
    if "relu" in text:
        wrong = {hint.kink: [0.5], hint.leaky: [1.0]} if number else {hint.kink: [0.5, 1.0]}
        return wrong, {hint.small: 0.0} if number > 0 else {}
    if "exp" in text:
        return {hint.inverse: [1.0, data * number, number]}, {hint.bound: lambda got: abs(number) > 100}
    if "log" in text:
        return {}, {hint.log10: (data / 2.302585092994046, data / 0.6931471805599453)}
    n = float(text.partition("**")[2].strip("()"))
    if n and number:
        return {hint.factor: [slope / n], hint.power: [slope * number]}, {}
    return {hint.line: [0.0]} if slope == 1 else {}, {}


def _compare_with_torch(text, number, has_parent=False):
    data, slope = _torch_result(text, number)
    wrong = _mistakes(text, number, data, slope)
    _compare(text, number, data, slope, *wrong, before="x.grad = 0.5", has_parent=has_parent)


_POWERS = ("x**2", "x**3", "x**1", "x**0", "x**7", "x**(-1)", "x**(-3)", "x**2.0", "x**(-2.0)", "x**0.0")
_POSITIVE = ("x**0.5", "x**1.7", "x**(-0.5)", "x**(-2.3)", "x.log()")
_AT_ZERO = ("x**0", "x**0.0", "x**1", "x**1.0", "x**2", "x**3.0", "x**1.5", "x.exp()", "x.relu()")
for _texts, *_ranges in (
    (_POWERS, (0.3, 4), (-4, -0.3)),
    (_POSITIVE, (0.05, 0.9), (1.1, 60)),
    (("x.exp()", "x.relu()"), (-5, -0.1), (0.1, 5)),
):
    for _text in _texts:
        with _credit.part("powers" if "**" in _text else "others"):
            for _has_parent, _range in enumerate(_ranges):
                check.smallest(_compare_with_torch, _text, check.draw(*_range), bool(_has_parent))
for _text in _AT_ZERO:
    with _credit.part("powers" if "**" in _text else "others"):
        _compare_with_torch(_text, 0.0)
with _credit.part("others"):
    for _text, _x in (("x.exp()", 300.0), ("x.exp()", 600.0), ("x.relu()", 1e-300)):
        _compare_with_torch(_text, _x)
        _compare_with_torch(_text, -_x)
    _compare_with_torch("x.log()", 1e-300)
with _credit.part("powers"):
    _compare_with_torch("x**2", 1e-100)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## The engine runs

Four pieces make an engine. The next cell tries yours on one expression. If a piece is missing or wrong, the cell says so, and **torch stands in**, wrapped to look like a Value: you can go on, and come
back later. Then the engine in use is compared with torch and with a central difference quotient, on functions of lessons 1 and 4.
"""

# %% [markdown] lang="ko" en="fd209336"
r"""
## 완성한 엔진 시험하기

네 조각을 모으면 엔진이 됩니다. 다음 셀은 여러분의 엔진을 식 하나로 시험합니다. 빠졌거나 틀린 조각이 있으면 알려 주고, `Value`와 사용법이 같은 래퍼(wrapper)로 감싼 **torch가 대신합니다**. 그러니 수업을 계속하고 나중에
돌아와도 됩니다. 그다음 지금 쓰는 엔진을 수업 01과 04의 함수로 torch와 비교합니다. 마지막에는 수업 01처럼 중앙 차분몫으로 확인하고, 지금 쓰는 엔진이 기록한 그래프를 그립니다.
"""


# %%
def tried(kind):
    """Return x.grad at x = 2 after one and after two backward passes of an engine.

    The graph has paths of different lengths.
    """
    x = kind(2)
    y = x**2
    w = y * (y * x) + y - (x.log().exp() - 2 * x.relu()) / 4
    w.backward()
    once = x.grad
    w.backward()
    return once, x.grad


PIECES = {
    "10.1": lambda value: value * value + value,
    "10.2": lambda value: value.order(),
    "10.3": lambda value: value.backward(),
    "10.4": lambda value: (value**2).log().exp().relu(),
}


def reason(error):
    """Return the reason for a failure: the first task whose piece fails on its own, if any, and the error."""
    task = ""
    for number, use in PIECES.items():
        try:
            use(Value(2.0))
        except Exception as its_own:  # a piece that is missing may raise any error
            task = say(en=f"task {number} is missing or fails: ", ko=f"과제 {number}에서 막힙니다. ")
            error = its_own
            break
    return f"{task}{type(error).__name__}: {error}"


Engine = Value
try:
    found, want = tried(Value), tried(TorchValue)
except Exception as error:
    Engine, why = TorchValue, reason(error)
else:
    once, twice = (abs(a - b) < 1e-9 for a, b in zip(found, want, strict=True))
    Engine = Value if once and twice else TorchValue
    why = say(
        en=f"{found[0]} after one pass in place of {want[0]}",
        ko=f"한 번 호출했을 때 {found[0]}입니다(맞는 값은 {want[0]})",
    )
    if once:
        why = say(
            en=f"one pass is right, but two give {found[1]} in place of {want[1]}. Does each call reset the "
            "intermediate values, and find the order anew?",
            ko=f"한 번 호출하면 맞지만 두 번 호출하면 {found[1]}입니다(맞는 값은 {want[1]}). 호출할 때마다 중간 값을 "
            "비우고 순서를 새로 구하나요?",
        )
if Engine is Value:
    print(say(en="Your engine is in use.", ko="여러분의 엔진을 씁니다."))
else:
    print(say(en=f"torch stands in. Your engine: {why}", ko=f"torch가 대신합니다. 여러분의 엔진: {why}"))


# %%
def log_of_cube(x):
    return (x**3).log()


def two_paths(x):
    return log_of_cube(x) + (x**2) ** 0.5


def log_of_power(x, q):
    return (q * x.log()).exp().log()  # x**q is exp(q log x)


def uneven(x):
    y = x**2
    return y * (y * x) + y


engine = say(en="engine", ko="엔진")
for function, *numbers in ((log_of_cube, 5.0), (two_paths, 5.0), (log_of_power, 5.0, 3.0), (uneven, 2.0)):
    values = [Engine(number) for number in numbers]
    tensors = [torch.tensor(number, requires_grad=True) for number in numbers]
    function(*values).backward()
    function(*tensors).backward()
    ours, theirs = (" ".join(f"{p.grad:.4f}" for p in places) for places in (values, tensors))
    print(f"{function.__name__:12} {engine} {ours}  torch {theirs}")

u = Engine(5.0)
s = log_of_cube(u)
s.backward()
s.backward()
print(f"log_of_cube  {engine} {u.grad:.4f}", say(en="(two passes)", ko="(역방향 계산 두 번)"))
print(
    say(en="uneven       quotient", ko="uneven       차분몫"),
    f"{(uneven(2 + 1e-5) - uneven(2 - 1e-5)) / 2e-5:.4f}",
)

x = Engine(2.0)
y = x**2
z = y * x
t = y * z
w = t + y
w.backward()
draw_graph(values=True, slopes=True, gradients=True, w=w, t=t, z=z, y=y, x=x)

# %% [markdown] lang="en"
r"""
## Task 10.5 · `fit_line`: train a line · optional

●●●○○ · ★★★★☆ · 8 min · {{points}}

Train a line $ax + b$ on points, with `Value` and `backward()`.

- `points` is a list of pairs `(x, y)` of numbers, at least one; do not change it. `steps` is a whole number, 0 or more, and `lr` is the learning rate.
- `a` and `b` start at 0 as Values, made anew in every call. The loss is the **mean** over all points of $(ax + b - y)^2$.
- Each step computes the loss, calls `backward()`, and subtracts from each of the two `lr` times its gradient. Every gradient must be that of this step **alone**.
- Return `(a, b)`, the slope first, as two numbers.
- Take the gradients from `backward()` of `Value`, however often you call it. The tests put a `Value` of their own in place of yours, with `+`, `-`, `*`, `/`, `**`, `data`, `grad` and
  `backward`, and check that you use it. So a mistake in your engine costs nothing here.

<details><summary>Hint 1: the idea</summary>

This is `train5` of lesson 3 with two parameters. What has to happen to `a.grad` between two steps?

</details>

<details><summary>Hint 2: closer to the code</summary>

One parameter and no points, the loss $(a - 3)^2$: in the loop `loss = (a - 3) ** 2`, then `loss.backward()`, then `a.data -= lr * a.grad`. What is missing there from the second step on?

</details>
"""

# %% [markdown] lang="ko" en="6248b6d2"
r"""
## 과제 10.5 · `fit_line`: 직선 학습하기 · 선택

{{marks}}분 · {{points}}

`Value`와 `backward()`로 직선 $ax + b$를 점에 맞추어 학습시키세요.

- `points`는 수의 쌍 `(x, y)`가 하나 이상 든 리스트입니다. 바꾸지 마세요. `steps`는 0 이상인 정수, `lr`은 학습률입니다.
- `a`와 `b`는 호출할 때마다 새로 만든, 0인 Value로 시작합니다. loss는 모든 점에 대한 $(ax + b - y)^2$의 **평균**입니다.
- 스텝마다 loss를 계산하고, `backward()`를 호출하고, 둘에서 각각 자기 gradient의 `lr`배를 뺍니다. gradient는 **그 스텝만의** 것이어야 합니다.
- `(a, b)`를 수 두 개로, 기울기를 먼저 돌려주세요.
- gradient는 `Value`의 `backward()`로 구하세요. 몇 번 호출하든 됩니다. 테스트는 여러분의 `Value` 자리에 자기 `Value`를 넣고, 그것을 쓰는지 봅니다. 그 `Value`에는 `+`, `-`, `*`, `/`, `**`, `data`,
  `grad`, `backward`가 있습니다. 그러니 엔진이 틀렸어도 이 과제에는 영향이 없습니다.

<details><summary>힌트 1: 생각의 방향</summary>

수업 03의 `train5`와 같고 파라미터만 둘입니다. 스텝과 스텝 사이에 `a.grad`를 어떻게 해야 하나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

파라미터가 하나이고 점이 없는, loss가 $(a - 3)^2$인 문제라면 반복문 안에서 `loss = (a - 3) ** 2`, 이어서 `loss.backward()`, 그다음 `a.data -= lr * a.grad`입니다. 두 번째 스텝부터는 여기에 무엇이 빠져 있나요?

</details>
"""


# %% answer="fit_line"
def fit_line(points, steps, lr):
    """Return the numbers (slope, intercept) after `steps` steps of gradient descent from (0, 0).

    points: a list of pairs (x, y); steps: the number of steps; lr: the learning rate.
    The loss is the mean squared error.
    """
    ### BEGIN SOLUTION
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        for parameter in (a, b):
            parameter.data -= lr * parameter.grad
    return a.data, b.data
    ### END SOLUTION


# %% test="fit_line" points=2
from secant import ask, check, hints

hint = hints("fit_line")


def _compare(points, steps, lr, want, wrong, fit="recipes.on_torch(fit_line)", words=""):
    # on_torch runs fit_line with the tests' own Value class, which computes with torch.
    arguments = {"points": points, "steps": steps, "lr": lr}
    options = {"words": words, "errors": {"TorchValue.__init__": hint.count}}
    answer = ask("fit_line(points, steps, lr)", options, fit_line=fit, **arguments)
    causes = {cause: tuple(pairs) for cause, pairs in wrong.items()}
    causes[hint.shared] = lambda pair: pair == (pair[0],) * 2 and type(pair[0]) is float and pair[0]
    causes[hint.once] = lambda pair: pair == tuple(map(float, pair))  # any other pair of numbers
    answer.returns(want, mistakes=causes, nearly=hint.all, rtol=1e-7, atol=1e-9)
    answer.holds(answer.then("fit_line.passes").result >= steps, hint.count)
    return answer.holds(answer.then("points").result == points, hint.changed).changes_nothing()


_one_step = {hint.uphill: [(-0.6, -0.6)], hint.steps: [(0.0, 0.0)], hint.half: [(0.3, 0.3)]}
_three_steps = {
    hint.zero: [(1.248264, 0.957888), (0.596664, 0.972288), (1.259064, 0.453888)],
    hint.mean: [(1.014912, 0.808704)],
    hint.swapped: [(0.468288, 0.607464)],
    hint.anew: [(0.72, 0.54)],
}
_compare([(1.0, 3.0)], 1, 0.1, (0.6, 0.6), _one_step)
_compare([(0.0, 2.0), (2.0, 4.0)], 3, 0.03, (0.607464, 0.468288), _three_steps)
_compare([(-1, -1), (0, 1), (1, 3), (2, 5)], 150, 0.1, (2.0, 1.0), {})
check.visible_passed()


### BEGIN HIDDEN TESTS
def _descent(points, steps, lr, momentum=(0, 0), size=None, sign=-1.0):
    a = b = to_a = to_b = 0.0
    for _ in range(steps):
        errors = [(x, a * x + b - y) for x, y in points]
        to_a = momentum[0] * to_a + 2 * sum(x * e for x, e in errors) / (size or len(points))
        to_b = momentum[1] * to_b + 2 * sum(e for _, e in errors) / (size or len(points))
        a, b = a + sign * lr * to_a, b + sign * lr * to_b
    return a, b


def _compare_with_descent(points, steps, lr, scale=1.0):
    want = _descent(points, steps, scale * lr)
    wrong = {
        hint.zero: [_descent(points, steps, scale * lr, momentum) for momentum in ((1, 1), (0, 1), (1, 0))],
        hint.formula: [_descent(points, steps, lr)],
        hint.mean: [_descent(points, steps, lr, size=1)],
        hint.half: [_descent(points, steps, scale * lr / 2)],
        hint.swapped: [want[::-1]],
        hint.uphill: [_descent(points, steps, lr, sign=1.0)],
        hint.anew: [_descent(points, 1, lr * steps)],
        hint.steps: [_descent(points, max(count, 0), lr) for count in (steps + 1, steps - 1)],
        hint.all: [(0.0, 0.0)],
    }
    words = f"fit_line({points}, {steps}, {lr}){hint.scaled.format(scale=scale)}" if scale != 1 else ""
    answer = _compare(points, steps, lr, want, wrong, f"recipes.on_torch(fit_line, {scale})", words)
    return answer


for _points, _steps, _lr in (
    ([(1.0, 3.0), (2.0, 5.0)], 0, 0.1),
    ([(1.0, 3.0), (2.0, 5.0), (3.0, 7.0)], 2, 0.05),
    ([(0.5, -2.0)], 3, 0.0),
    ([(2, 1), (2, 1), (-1, 0)], 4, 0.1),
    ([(30.0, 400.0), (-20.0, 100.0)], 3, 0.0001),
    ([(1.0, 3.0), (2.0, 1.0)], 6, 0.9),  # lr is too large: the loss grows with every step
    ([(1.0, 3.0)], 1, 0.1),
):
    _compare_with_descent(_points, _steps, _lr)
for _slope, _intercept, _steps in (
    (check.draw(0.5, 3), check.draw(-2, 2), 120),
    (check.draw(-3, -0.5), check.draw(-2, 2), 40),
    (0.0, 0.0, 40),
):
    _points = [(x, round(_slope * x + _intercept + check.draw(-0.2, 0.2), 3)) for x in check.draws(6, -2, 2)]
    check.smallest(_compare_with_descent, _points, 7, check.draw(0.02, 0.15))
    check.smallest(_compare_with_descent, _points, 5, 0.05, 3.0)
    _compare_with_descent(_points, _steps, 0.004)
    _line_points = [(x, round(_slope * x + _intercept, 3)) for x in (-1.5, -0.5, 0.5, 1.0, 2.0)]
    _compare_with_descent(_line_points, 60, 0.15).returns(
        (_slope, _intercept), rtol=0.0, atol=1e-2, hint=hint.slope
    )
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 10.6 · `which_bug`: tell the engines apart

●●●●○ · ★★★★★ · 10 min · {{points}}

Now you write the test. `which_bug(Engine)` is given an engine, runs it on graphs of your choice, and returns one of four strings:

- `"none"`: the engine is right.
- `"assign"`: what arrives replaces what is there (`=` for `+=`). This may hold for all values, leaves alone, or intermediate values alone.
- `"breadth"`: its backward pass goes breadth first, as in the prediction.
- `"kept"`: intermediate values are not reset between calls; the one whose `backward()` you call may be reset or not.

`Engine` is a class like your finished `Value`, with its operations, `data`, `grad` and `backward()`, but not its `parents`; `Engine(2.0)` makes a leaf. All local slopes are right; there is at most one bug.
An engine may take parents from left to right or right to left, and store `a + a` and `a * a` with a single parent. (`a - b`, `a / b` and `a + b + c` are several operations: they add edges.) A second call with the same engine must give the same answer.

To try yours: `from secant import engines`. `engines.engine()` is right, and `engines.engine("assign", "leaves")`, `engines.engine("breadth", turned=True)` and `engines.engine("kept")` are wrong.

<details><summary>Hint 1: the idea</summary>

Which of the bugs can show in a single call? On which graphs can breadth first do no harm?

</details>

<details><summary>Hint 2: closer to the code</summary>

A check on a chain, which every engine passes, looks like this:

```
x = Engine(5.0)
(x**3).log().backward()
if abs(x.grad - 0.6) > 1e-9:
    return ...
```

Put three checks of this form in such an order that each eliminates one bug. For the first, use a graph whose paths meet both at a leaf and at an intermediate value, but on which only one of the three bugs shows.

</details>
"""

# %% [markdown] lang="ko" en="3e9a44c5"
r"""
## 과제 10.6 · `which_bug`: 엔진 구별하기

{{marks}}분 · {{points}}

이번에는 여러분이 테스트를 작성합니다. `which_bug(Engine)`은 엔진을 받아 여러분이 고른 그래프에서 돌려 보고, 네 문자열 가운데 하나를 돌려줍니다.

- `"none"`: 올바른 엔진입니다.
- `"assign"`: 새로 받은 것이 이미 있던 것을 덮어씁니다(`+=` 대신 `=`). 모든 값이 그럴 수도, leaf만 또는 중간 값만 그럴 수도 있습니다.
- `"breadth"`: 처음에 예상해 본 엔진처럼 너비 우선으로 역방향 계산을 합니다.
- `"kept"`: 중간 값을 호출 사이에 비우지 않습니다. `backward()`를 호출하는 그 값은 비울 수도, 비우지 않을 수도 있습니다.

`Engine`은 여러분이 완성한 `Value`처럼 쓰는 클래스이고, 연산과 `data`, `grad`, `backward()`가 똑같이 있지만 `parents`는 쓸 수 없습니다. `Engine(2.0)`은 leaf를 만듭니다. 국소 기울기는 모두 맞고, 버그는 많아야 하나입니다.
부모를 왼쪽부터 들르는 엔진도, 오른쪽부터 들르는 엔진도 있고, `a + a`와 `a * a`에 부모를 하나만 두는 엔진도 있습니다. (`a - b`, `a / b`, `a + b + c`는 연산 여러 개로 되어 있어서 간선이 늘어납니다.) 같은 엔진을 다시 받으면 답도 같아야 합니다.

시험해 보려면 `from secant import engines`를 실행하세요. `engines.engine()`은 올바른 엔진이고, `engines.engine("assign", "leaves")`, `engines.engine("breadth", turned=True)`, `engines.engine("kept")`는 틀린 엔진입니다.

<details><summary>힌트 1: 생각의 방향</summary>

한 번만 호출해도 드러날 수 있는 버그는 무엇인가요? 너비 우선으로 가도 탈이 없는 그래프는 어떤 것인가요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

사슬에서 하는 검사라면 다음과 같습니다. 이 검사는 어느 엔진이나 통과합니다.

```
x = Engine(5.0)
(x**3).log().backward()
if abs(x.grad - 0.6) > 1e-9:
    return ...
```

이런 검사 세 개를, 하나를 지날 때마다 의심할 버그가 하나씩 줄어들도록 늘어놓으세요. 첫 검사에서는 경로가 leaf에서도 중간 값에서도 만나야 하는데, 그러면서도 드러날 수 있는 버그는 하나뿐이어야 합니다.

</details>
"""


# %% answer="which_bug"
def which_bug(Engine):
    """Return the bug in backward() of Engine, a class of Values: "none", "assign", "breadth" or "kept"."""
    ### BEGIN SOLUTION
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()  # x**4 + x**5: every path has three edges, and paths meet at u and at x
    if abs(x.grad - 112) > 1e-9:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if abs(x.grad - 84) > 1e-9:
        return "breadth"
    w.backward()
    return "none" if abs(x.grad - 168) < 1e-9 else "kept"
    ### END SOLUTION


# %% test="which_bug" points=2
from secant import ask, check, hints

hint = hints("which_bug")


def _compare(want, engine):
    wrong = {
        "none": {hint.right: ("assign", "breadth", "kept")},
        "assign": {hint.meet: "none", hint.first: "breadth", hint.early: "kept"},
        "breadth": {hint.uneven: "none", hint.even: "assign", hint.early: "kept"},
        "kept": {hint.twice: "none", hint.late: ("assign", "breadth")},
    }
    answer = ask("which_bug(Engine)", Engine=engine)
    answer.equals(want, mistakes=wrong[want])
    answer.again().equals(want)


_compare("none", "engines.engine()")
_compare("assign", "engines.engine('assign', 'inner')")
_compare("breadth", "engines.engine('breadth', turned=True)")
_compare("kept", "engines.engine('kept')")
check.visible_passed()
### BEGIN HIDDEN TESTS
for _options in ("", ", turned=True", ", merged=True", ", turned=True, merged=True"):
    for _want, _bug in (
        ("none", "'none', 'all'"),
        ("assign", "'assign', 'all'"),
        ("assign", "'assign', 'leaves'"),
        ("assign", "'assign', 'inner'"),
        ("breadth", "'breadth'"),
        ("kept", "'kept'"),
        ("kept", "'kept', itself=True"),
    ):
        _compare(_want, f"engines.engine({_bug}{_options})")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## A network learns

Forty points on two half moons, labelled $1$ and $-1$. The model has 2 inputs, 6 hidden units with `relu`, and 1 output, the score: 25 parameters, each a Value.
The loss is the mean of $\log(1 + e^{-\text{label} \cdot \text{score}})$: small where the score has the sign of the label. Every step makes about 2500 Values, runs one backward pass, and moves the parameters.

Run both cells.
"""

# %% [markdown] lang="ko" en="0e67f990"
r"""
## 직접 만든 엔진으로 신경망 학습시키기

반달 모양 두 개를 따라 놓인 점 40개를 다음 셀에서 만듭니다. 한쪽 반달의 레이블(label)은 $1$, 다른 쪽은 $-1$입니다. 모델에는 입력 2개, `relu`를 거치는 은닉 유닛 6개, 출력인 점수(score) 1개가 있습니다. 파라미터는
25개이고 하나하나가 Value입니다. loss는 $\log(1 + e^{-\text{label} \cdot \text{score}})$의 평균이며, 점수와 레이블의 부호가 같으면 작습니다. 스텝마다 Value를 2500개쯤 만들고, 역방향 계산을 한 번 하고, 파라미터를 움직입니다.

두 셀을 실행하고 지켜보세요. 왼쪽은 점수가 0인 경계, 오른쪽은 loss입니다.
"""

# %%
rng = random.Random(3)
moons = []
for k in range(20):
    angle = math.pi * k / 19
    noise = [rng.gauss(0, 0.08) for _ in range(4)]
    moons.append((math.cos(angle) + noise[0], math.sin(angle) + noise[1], 1.0))
    moons.append((1 - math.cos(angle) + noise[2], 0.5 - math.sin(angle) + noise[3], -1.0))

hidden = [[Engine(rng.uniform(-1, 1)) for _ in range(3)] for _ in range(6)]
output = [Engine(rng.uniform(-1, 1)) for _ in range(7)]
parameters = [value for row in (*hidden, output) for value in row]


def score(x1, x2):
    total = output[6]
    for (to_x1, to_x2, bias), weight in zip(hidden, output[:6], strict=True):
        total = total + weight * (to_x1 * x1 + to_x2 * x2 + bias).relu()
    return total


def mean_loss():
    return sum((1 + (-label * score(x1, x2)).exp()).log() for x1, x2, label in moons) / len(moons)


def numbers_at(x1, x2):
    """Return the scores of many points at once, for the plot, from the plain numbers of the parameters."""
    rows = [[value.data for value in row] for row in hidden]
    weights = [value.data for value in output]
    units = [np.maximum(u * x1 + v * x2 + c, 0) for u, v, c in rows]
    return sum(w * unit for w, unit in zip(weights[:6], units, strict=True)) + weights[6]


print(f"points: {len(moons)}, parameters: {len(parameters)}, loss: {mean_loss().data:.3f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
grid1, grid2 = np.meshgrid(np.linspace(-1.6, 2.6, 90), np.linspace(-1.2, 1.7, 70))
shown = display(figure, display_id=True)
losses, STEPS = [], 100


def redraw():
    left.clear()
    left.contourf(
        grid1,
        grid2,
        numbers_at(grid1, grid2),
        levels=[-1e9, 0, 1e9],
        colors=["#56B4E9", "#E69F00"],
        alpha=0.3,
    )
    for label, mark, color in ((1.0, "o", "#D55E00"), (-1.0, "s", "#0072B2")):
        left.plot(*zip(*[point[:2] for point in moons if point[2] == label], strict=True), mark, color=color)
    left.set(xlabel="$x_1$", ylabel="$x_2$")
    right.clear()
    right.plot(losses, color="#000000")
    right.set(xlabel="step", ylabel="loss", xlim=(0, STEPS), ylim=(0, max(losses) * 1.05))
    right.grid(alpha=0.25)
    shown.update(figure)


for step in range(STEPS):
    loss = mean_loss()
    for value in parameters:
        value.grad = 0.0
    loss.backward()
    for value in parameters:
        value.data -= 2.0 * value.grad
    losses.append(loss.data)
    if step % 20 == 0:
        redraw()
redraw()
plt.close(figure)

right_ones = sum(score(x1, x2).data * label > 0 for x1, x2, label in moons)
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f},", end=" ")
print(
    say(en=f"{right_ones} of {len(moons)} points right", ko=f"점 {len(moons)}개 가운데 {right_ones}개를 맞힘")
)

# %% [markdown] lang="en"
r"""
## Slopes that are Values · optional

About ten minutes. Your `slopes` are plain numbers. Nothing records how they depend on $x$, so a gradient cannot be differentiated again. If the slopes are Values, it can: the backward pass then consists of recorded operations itself, as with `create_graph=True` in lesson 9.

Each slope is now a function that makes its Value **when the backward pass needs it**. (If it were made immediately, the slope $x^{-1}$ of $\log x$ would need $x^{-2}$ for its own slope, and so on forever.) What a Value receives is kept in a dictionary, not in `grad`.

The order needs no search here: every Value gets a number when it is made, and parents are made before what is made from them. So taking the Values from the highest number down gives a topological order.
"""

# %% [markdown] lang="ko" en="612cbf0e"
r"""
## 기울기도 Value로 · 선택

10분쯤 걸립니다. 여러분의 `slopes`에는 수만 들어 있습니다. 그 수가 $x$에 따라 어떻게 달라지는지 기록한 것이 없으니, gradient를 다시 미분할 수 없습니다. 기울기도 Value로 만들면 할 수 있습니다. 그러면 수업 09의 `create_graph=True`처럼 역방향 계산도 기록되는 연산으로 이루어지기 때문입니다.

이제 기울기는 **역방향 계산에서 필요할 때** Value를 만드는 함수입니다. (미리 만들려고 하면 $\log x$의 기울기 $x^{-1}$에 $x^{-2}$이 필요하고, 거기에 또 $x^{-3}$이 필요해서 끝이 나지 않습니다.) 받은 값은 `grad`가 아니라 딕셔너리(dict)에 모읍니다.

여기서는 순서를 찾을 필요가 없습니다. Value를 만들 때마다 번호를 붙이는데, 부모는 항상 먼저 만들어집니다. 그래서 번호가 큰 것부터 가면 위상 순서가 됩니다.
"""


# %%
class Deep(Value):
    """A Value whose slopes are functions, each of which returns a Deep."""

    made = itertools.count()

    def __init__(self, data, parents=(), slopes=()):
        super().__init__(data, parents, slopes)
        self.number = next(Deep.made)

    def __add__(self, other):
        other = deep(other)
        return Deep(self.data + other.data, (self, other), (lambda: Deep(1), lambda: Deep(1)))

    def __mul__(self, other):
        other = deep(other)
        return Deep(self.data * other.data, (self, other), (lambda: other, lambda: self))

    def __pow__(self, n):
        return Deep(self.data**n, (self,), (lambda: n * self ** (n - 1) if n else Deep(0),))

    def log(self):
        return Deep(math.log(self.data), (self,), (lambda: self**-1,))


def deep(number):
    return number if isinstance(number, Deep) else Deep(number)


def grad(f):
    """Return the derivative of f, as a function that can be passed to grad again."""

    def derivative(x):
        x = deep(x)
        out = f(x)
        received, todo = {out: Deep(1)}, {out}
        while todo:
            value = max(todo, key=lambda one: one.number)
            todo.remove(value)
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                part = slope() * received[value]
                received[parent] = received[parent] + part if parent in received else part
                todo.add(parent)
        return received.get(x, Deep(0))

    return derivative


for function, at in ((lambda x: x**3, 2.0), (uneven, 2.0), (log_of_cube, 5.0)):
    first, second = grad(function), grad(grad(function))
    quotient = (first(at + 1e-5).data - first(at - 1e-5).data) / 2e-5
    print(f"{first(at).data:.4f}  {second(at).data:.4f}", say(en="quotient", ko="차분몫"), f"{quotient:.4f}")

# %% [markdown] lang="en"
r"""
At $x = 2$ the first and the second derivative of $x^3$ are both 12. At $x = 5$ the second derivative of $\log x^3$ is $-0.12$, as in lesson 9. `grad(grad(grad(f)))` works as well: try it.
"""

# %% [markdown] lang="ko" en="427d9b87"
r"""
$x^3$의 일계와 이계 미분계수는 $x = 2$에서 둘 다 12이고, $\log x^3$의 이계 미분계수는 $x = 5$에서 수업 09와 같은 $-0.12$입니다. `grad(grad(grad(f)))`도 됩니다. 해 보세요.
"""

# %% [markdown] lang="en"
r"""
## Arrays, and a no_grad of your own · optional

About ten minutes. An engine on tensors needs two pieces that you wrote before: what was broadcast in the forward pass is summed in the backward pass (`unbroadcast`, task 4.2), and a matrix product passes on the products of task 5.1.
In place of slopes each operation keeps one function per parent, a VJP. Torch only does the arithmetic here: none of its tensors is tracked. If you still have your `unbroadcast`, paste it into a cell above the next one.

A switch for recording takes a few lines: while it is off, results have no parents.
"""

# %% [markdown] lang="ko" en="be2e386d"
r"""
## 텐서, 그리고 직접 만드는 no_grad · 선택

10분쯤 걸립니다. 텐서를 다루는 엔진에는 전에 쓴 것 두 가지가 필요합니다. 순방향 계산에서 브로드캐스트한 것은 역방향 계산에서 더하고(과제 4.2의 `unbroadcast`), 행렬 곱은 과제 5.1에서 쓴 두 VJP를 부모에게 넘겨줍니다.
기울기 대신 연산마다 부모 하나에 함수 하나, 곧 VJP를 남깁니다. 여기서 torch는 계산만 하고 텐서를 추적하지 않습니다. 여러분의 `unbroadcast`가 남아 있으면 다음 셀 위에 셀을 하나 만들어 붙여 넣으세요.

기록을 끄고 켜는 스위치는 몇 줄이면 됩니다. 꺼 둔 동안 나온 결과에는 부모가 없습니다.
"""

# %%
unbroadcast = globals().get("unbroadcast", torch.Tensor.sum_to_size)


class Array:
    """A tensor that remembers the Arrays that it was made from, and a VJP for each of them."""

    recording, made = True, itertools.count()

    def __init__(self, data, parents=(), vjps=()):
        self.data, self.grad, self.number = data, torch.zeros_like(data), next(Array.made)
        self.parents, self.vjps = (parents, vjps) if Array.recording else ((), ())

    def __add__(self, other):
        shapes = (self.data.shape, other.data.shape)
        vjps = [lambda g, shape=shape: unbroadcast(g, shape) for shape in shapes]
        return Array(self.data + other.data, (self, other), vjps)

    def __mul__(self, number):
        return Array(self.data * number, (self,), [lambda g: g * number])

    def __matmul__(self, other):
        vjps = [lambda g: g @ other.data.T, lambda g: self.data.T @ g]
        return Array(self.data @ other.data, (self, other), vjps)

    def relu(self):
        return Array(self.data.clamp(min=0), (self,), [lambda g: g * (self.data > 0)])

    def mean_softplus(self):
        """Return the mean of log(1 + exp(element)) over all elements."""
        vjp = [lambda g: g * self.data.sigmoid() / self.data.numel()]
        return Array(torch.nn.functional.softplus(self.data).mean(), (self,), vjp)

    def backward(self):
        self.grad, todo = torch.ones_like(self.data), {self}
        while todo:
            value = max(todo, key=lambda one: one.number)
            todo.remove(value)
            for parent, vjp in zip(value.parents, value.vjps, strict=True):
                parent.grad = parent.grad + vjp(value.grad)
                todo.add(parent)


@contextlib.contextmanager
def no_grad():
    before, Array.recording = Array.recording, False
    try:
        yield
    finally:
        Array.recording = before


# %%
points = torch.tensor([point[:2] for point in moons])
labels = torch.tensor([[point[2]] for point in moons])
torch.manual_seed(0)
shapes = ((2, 6), (6,), (6, 1), (1,))
start = [torch.rand(shape) * 2 - 1 for shape in shapes]


def minus_margins(W1, b1, W2, b2, inputs):
    return ((inputs @ W1 + b1).relu() @ W2 + b2) * -labels


arrays = [Array(one) for one in start]
tensors = [one.clone().requires_grad_() for one in start]
before = next(Array.made)
loss = minus_margins(*arrays, Array(points)).mean_softplus()
print(say(en="nodes:", ko="노드:"), next(Array.made) - before - 1)
loss.backward()
torch.nn.functional.softplus(minus_margins(*tensors, points)).mean().backward()
for ours, theirs in zip(arrays, tensors, strict=True):
    print(tuple(theirs.shape), torch.allclose(ours.grad, theirs.grad))

with no_grad():
    print(say(en="parents under no_grad:", ko="no_grad 안에서의 부모:"), (arrays[0] * 2).parents)

# %% [markdown] lang="en"
r"""
A loss that takes about 2500 Values takes 8 Arrays. That is why frameworks record operations on tensors and not on numbers. (This `backward` may run only once for each graph. To make it right for two calls, do what you did in task 10.3.)
"""

# %% [markdown] lang="ko" en="4ea256d0"
r"""
Value 2500개쯤이 필요하던 loss에 Array는 8개면 됩니다. 프레임워크가 수가 아니라 텐서의 연산을 기록하는 이유입니다. (이 `backward`는 그래프마다 한 번만 호출할 수 있습니다. 두 번 호출해도 맞게 하려면 과제 10.3에서 한 대로 하세요.)
"""

# %% [markdown] lang="en"
r"""
## What PyTorch does that yours does not

The core is the same: record, run each node only when its whole gradient has arrived, accumulate.

<details><summary>What else PyTorch does</summary>

PyTorch

- works on tensors, in C++: one node handles a million elements at once. In place of a local slope it keeps saved tensors (lesson 7) and computes a VJP (lesson 5);
- does not sort beforehand: it counts for each node how many gradients are still to arrive, and runs it when none is missing;
- can stop recording (lesson 6), notices in-place edits and calls hooks (lesson 7);
- frees what a graph saved once `backward()` has used it.

</details>

## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **10.1** Negative numbers, 0, very large and very small ones; numbers on either side, 0 and 1 too, and their slopes; `a + a` and `a * a`; leaves and intermediate values; that operands are the parents themselves; a new Value each time; that nothing else changed.
- **10.2** Graphs drawn at random; the order rule, not one particular list; equal numbers, with equal `grad`, in different Values; slopes of 0; a leaf; several calls from several Values; forty diamonds, 700 with unequal sides.
- **10.3** Several calls, from different Values of one graph; buffers filled beforehand; a leaf as `self`; Values that have nothing to do with `self`; a parent that appears twice; forty diamonds; a chain of 1500; slopes of 0, very large and very small ones; equal numbers.
- **10.4** Every operation against torch; whole, negative and fractional powers, as `int` and `float`; 0 wherever it is allowed; very large and small numbers; leaves and intermediate values; the parent.
- **10.5** The exact result after any number of steps, 0 too; step sizes; noisy points and points on a line (slope within 0.01); a second call; that the gradients come from `backward()`.
- **10.6** Each bug in all its forms, with parents taken from the left or the right, and squares of one or two parents; right engines of all these kinds; a second call.

</details>

Everywhere: the rules of the tasks.

## What you have built

You have built an autograd, mostly from pieces of earlier lessons. `order` visits the nodes as `graph_nodes` does (lesson 2), in an order; `backward` adds up as `grad_history` shows (lesson 3) and computes `total_derivative` (lesson 4);
`slope * value.grad` is lesson 5's VJP for a single number; `fit_line` is `train5` (lesson 3). And the yardstick throughout was lesson 1's difference quotient.

## Checklist

You can now answer these without looking back:

- What must an operation record so that a backward pass needs no formula?
- Which rule must an order keep? Give a graph on which breadth first breaks it, and one on which it does not.
- Which buffers add up over two calls of `backward()`, and which do not? What goes wrong otherwise, and on which graphs?
- Why does training not notice the missing reset of intermediate values?
- Which graphs and how many calls does a test of an engine need?
- Why does an engine go backward when there are many parameters and one loss?

## Links

- [micrograd: a tiny autograd engine (Andrej Karpathy)](https://github.com/karpathy/micrograd), and his [lecture that builds it](https://www.youtube.com/watch?v=VMj-3S1tku0)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [micrograd issue 2: Incorrect gradient when non-leaf Values are re-used](https://github.com/karpathy/micrograd/issues/2)
- [autodidact: an autograd on NumPy, to be read (Matthew Johnson)](https://github.com/mattjj/autodidact)
- [minitorch: build PyTorch step by step, with tests](https://minitorch.github.io)
- [ARENA: exercises that build an engine on arrays](https://github.com/callummcdougall/ARENA_3.0)

This was the last lesson. You know what autograd does, since you have built one.
"""

# %% [markdown] lang="ko" en="a922c8b2"
r"""
## 여러분의 엔진에 없고 PyTorch에 있는 것

핵심은 같습니다. 기록하고, gradient가 모두 도착한 노드를 차례로 실행하고, 더합니다.

<details><summary>PyTorch가 더 하는 일</summary>

- 수 대신 텐서를 다룹니다. 노드 하나에서 원소 백만 개를 한꺼번에 처리하고, C++로 구현되어 있습니다. 국소 기울기 대신 저장된 텐서(수업 07)를 남기고 VJP(수업 05)를 계산합니다.
- 미리 정렬하지 않습니다. 노드마다 아직 도착하지 않은 gradient가 몇 개인지 세다가, 모두 도착하면 그 노드를 실행합니다.
- 기록을 멈출 수 있고(수업 06), 제자리 연산을 알아차리고 hook을 호출합니다(수업 07).
- `backward()`에 쓰고 난 저장된 값을 해제합니다.

</details>

## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **10.1** 음수, 0, 아주 큰 수와 아주 작은 수. 왼쪽이나 오른쪽에 온 수(0과 1도)와 그 수로 만든 Value의 기울기. `a + a`와 `a * a`. leaf와 중간 값. 부모가 피연산자 자체인지. 매번 새 Value인지. 다른 것이 바뀌지 않았는지.
- **10.2** 무작위로 뽑은 그래프. 정해진 리스트가 아니라 순서의 규칙. 서로 다른 Value에 든 같은 수와 같은 `grad`. 0인 기울기. leaf. 여러 Value에서 여러 번 호출. 마름모 40개, 양쪽 길이가 다른 마름모 700개.
- **10.3** 한 그래프의 여러 Value에서 여러 번 호출. 미리 채워 둔 버퍼. `self`가 leaf일 때. `self`와 상관없는 Value. 두 번 나오는 부모. 마름모 40개. Value 1500개짜리 사슬. 0이거나 아주 크거나 작은 기울기. 서로 같은 수.
- **10.4** 모든 연산을 torch와 비교. 정수, 음수, 정수가 아닌 지수(0.5 등)를 `int`와 `float`로. 허용된 곳의 0. 아주 큰 수와 작은 수. leaf와 중간 값. 부모.
- **10.5** 스텝 수가 몇이든(0도) 정확한 결과. 학습률. 잡음이 섞인 점과 한 직선에 놓인 점(기울기의 오차는 0.01 이내). 두 번째 호출. gradient를 `backward()`로 구하는지.
- **10.6** 버그마다 가능한 모든 형태. 부모를 왼쪽부터 들르는 엔진과 오른쪽부터 들르는 엔진. 제곱의 부모가 하나인 엔진과 둘인 엔진. 이 모든 종류의 올바른 엔진. 두 번째 호출.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

autograd를 만들었습니다. 그 대부분은 전에 써 본 것입니다. `order`는 수업 02의 `graph_nodes`처럼 모든 노드를 한 번씩 들르고, 거기에 순서의 규칙까지 지킵니다. `backward`는 수업 03의 `grad_history`에서 본 대로 더하고, 그 결과는 수업 04의
`total_derivative`입니다. `fit_line`은 `zero=True`인 `train5`입니다. 수업 05의 용어로 말하면 `slope * value.grad`는 원소가 하나일 때의 VJP입니다. 그리고 엔진이 맞는지는 수업 01의 차분몫으로 확인했습니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 역방향 계산에 식이 필요 없으려면 연산마다 무엇을 기록해야 하나요?
- 순서는 어떤 규칙을 지켜야 하나요? 너비 우선으로 가면 규칙이 깨지는 그래프와 깨지지 않는 그래프를 하나씩 들어 보세요.
- `backward()`를 두 번 호출할 때 쌓이는 버퍼와 쌓이지 않는 버퍼는 무엇인가요? 그렇게 하지 않으면 어떤 그래프에서 무엇이 틀리나요?
- 중간 값을 비우지 않아도 학습에서 드러나지 않는 이유는 무엇인가요?
- 엔진을 시험하려면 어떤 그래프에서 몇 번 호출해야 하나요?
- 파라미터가 많고 loss가 하나일 때 엔진이 역방향으로 계산하는 이유는 무엇인가요?

## 더 읽을거리

- [micrograd: 작은 autograd 엔진 (Andrej Karpathy, 영어)](https://github.com/karpathy/micrograd), [직접 만들어 가는 강의 (영어)](https://www.youtube.com/watch?v=VMj-3S1tku0)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [micrograd 이슈 2: Incorrect gradient when non-leaf Values are re-used (영어)](https://github.com/karpathy/micrograd/issues/2)
- [autodidact: 읽으며 배우는 NumPy용 autograd (Matthew Johnson, 영어)](https://github.com/mattjj/autodidact)
- [minitorch: 테스트와 함께 한 단계씩 만드는 PyTorch (영어)](https://minitorch.github.io)
- [ARENA: 배열을 다루는 엔진을 만드는 연습 문제 (영어)](https://github.com/callummcdougall/ARENA_3.0)

이것이 마지막 수업입니다. 이제 여러분은 autograd가 무엇을 하는지 압니다. 직접 만들었으니까요.
"""
