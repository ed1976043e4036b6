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

Lesson 10 of 10 · ~90 min · engine, topological order, training

**After this lesson you can**

- write an autograd for numbers: record local slopes, find the order, add gradients up;
- say which order a backward pass needs, and give a graph on which a wrong order shows;
- say what becomes of leaves and of intermediate values when `backward()` runs twice;
- train a small network with an engine of your own.

You need lessons 1 to 4, above all the sum over paths of lesson 4. Lessons 5 to 9 help, but nothing here requires them.
"""

# %% [markdown] lang="ko" en="3d823483"
r"""
# 나만의 autograd 만들기

수업 10 / 10 · 약 90분 · 엔진, 위상 순서, 학습

**이 수업을 마치면**

- 수를 다루는 autograd를 직접 만들 수 있습니다. 국소 기울기를 기록하고, 순서를 찾고, gradient를 더합니다.
- 역전파에 어떤 순서가 필요한지 말하고, 잘못된 순서가 드러나는 그래프를 들 수 있습니다.
- `backward()`를 두 번 부르면 leaf와 중간 값이 각각 어떻게 되는지 말할 수 있습니다.
- 직접 만든 엔진으로 작은 신경망을 학습시킬 수 있습니다.

수업 01부터 04까지의 내용, 무엇보다 수업 04에서 배운 경로를 따라 더하는 법이 필요합니다. 수업 05부터 09까지는 알면 도움이 되지만 몰라도 됩니다.
"""

# %%
import inspect
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import display

from secant import TorchValue, Value, explore_engine, language, predict, predicted, say

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

From $x = 2$ a program makes $y = x^2$, then $z = yx$, and finally $w = yz + y$. So $w = x^5 + x^2$, and $\frac{dw}{dx} = 5x^4 + 2x = 84$.

An **engine**, the part of an autograd that goes back through the graph, starts at $w$ and goes **breadth first**: first $w$, then what $w$ was made from ($yz$, then $y$), then what these were made from. Each value gets
one turn. In its turn it looks at each value that it was made from, multiplies what it has received so far by its slope with respect to that one, and hands the product on; a product is added to what is there already.

**What does it find for $\frac{dw}{dx}$?**
"""

# %% [markdown] lang="ko" en="46116e9a"
r"""
## 먼저 예상하기

$x = 2$에서 $y = x^2$, $z = yx$, $w = yz + y$를 차례로 계산합니다. 그러면 $w = x^5 + x^2$이고 $\frac{dw}{dx} = 5x^4 + 2x = 84$입니다.

autograd에서 그래프를 거슬러 가는 부분을 **엔진**(engine)이라고 합시다. 어떤 엔진이 $w$에서 **너비 우선**(breadth first)으로 거슬러 갑니다. 먼저 $w$, 다음으로 $w$를 만든 값($yz$ 다음에 $y$), 그다음으로 이들을 만든 값의 순서입니다. 값마다
차례가 한 번씩 옵니다. 차례가 되면 자신을 만든 값마다, 그때까지 받은 수에 그 값에 대한 기울기를 곱해 넘겨줍니다. 넘겨받은 수는 이미 있는 수에 더합니다.

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

An engine needs little memory of what it computes: for each number, **what it was made from** and **its slope with respect to each of these**. Here is
the frame that you will fill:
"""

# %% [markdown] lang="ko" en="5ec6eb17"
r"""
## 1. 기억하는 수

엔진이 계산에서 기억해야 할 것은 많지 않습니다. 수마다 **무엇으로 만들었는지**와 **그 각각에 대한 기울기**만 있으면 됩니다. 앞으로 채워 나갈 뼈대는
다음과 같습니다.
"""

# %%
print(inspect.getsource(Value.__init__))

# %% [markdown] lang="en"
r"""
`data` is the number. The **parents** are the Values that it was made from; a Value without parents is a leaf. `slopes` holds a **local slope** for each
parent, in the same order, and `grad` is the buffer. Nothing is computed yet. So let us make the chain of lesson 2 by hand, $y = x^3$ and $z = \log y$ at
$x = 5$, and go back along it:
"""

# %% [markdown] lang="ko" en="3eb84f69"
r"""
`data`는 수입니다. **부모**(parents)는 이 수를 만드는 데 쓴 Value이고, 부모가 없는 Value가 leaf입니다. `slopes`에는 부모마다 **국소 기울기**(local
slope)가 같은 순서로 들어 있고, `grad`는 버퍼입니다. 아직 계산해 주는 것은 없습니다. 그래서 수업 02의 사슬 $y = x^3$, $z = \log y$를 $x = 5$에서
손으로 만들고 거슬러 가 봅시다.
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
0.008 and 0.6, as autograd has said since lesson 1. **No formula is stored.** $3x^2$ was worked out at $x = 5$ and only the number 75 was kept. (A common belief is that autograd keeps
formulas and differentiates them.)

Read off the parents and slopes of a graph, and you hold lesson 4's list of edges:
"""

# %% [markdown] lang="ko" en="f8cfb518"
r"""
수업 01부터 autograd가 알려 준 0.008과 0.6입니다. **식은 어디에도 저장하지 않았습니다.** $3x^2$을 $x = 5$에서 계산해 75라는 수만 남겼습니다. (autograd가
식을 저장했다가 미분한다고 생각하는 사람이 많습니다.)

부모와 기울기를 그래프에서 읽어 내면 수업 04의 간선(edge) 리스트가 됩니다.
"""

# %%
x = Value(2.0)
y = Value(4.0, (x,), (4.0,))  # x**2
z = Value(8.0, (y, x), (2.0, 4.0))  # y * x
t = Value(32.0, (y, z), (8.0, 4.0))  # y * z
w = Value(36.0, (t, y), (1.0, 1.0))  # t + y

names = {id(value): name for name, value in (("x", x), ("y", y), ("z", z), ("t", t), ("w", w))}
edges = [
    (names[id(parent)], names[id(value)], slope)
    for value in (y, z, t, w)
    for parent, slope in zip(value.parents, value.slopes, strict=True)
]
print(edges)

# %% [markdown] lang="en"
r"""
This is the graph of the prediction, with a name $t$ for the product $yz$. If you still have your `total_derivative` of task 4.1, paste it into a cell of its own above the
next one; without it torch stands in.
"""

# %% [markdown] lang="ko" en="169026e0"
r"""
앞에서 예상해 본 그래프이고, 곱 $yz$에는 $t$라는 이름을 붙였습니다. 과제 4.1에서 쓴 `total_derivative`가 남아 있으면 다음 셀 위에 셀을 하나 만들어 붙여 넣으세요.
없으면 torch가 대신합니다.
"""

# %%
total_derivative = globals().get("total_derivative")
if total_derivative is None:
    leaf = torch.tensor(2.0, requires_grad=True)
    (leaf**5 + leaf**2).backward()
    print("torch:", leaf.grad.item())
else:
    print("total_derivative:", total_derivative(edges, "x", "w"))

# %% [markdown] lang="en"
r"""
`total_derivative` asked for one leaf, and a recursion found the order by itself. An engine begins at $w$ and serves all leaves in one walk; so it must find the order itself. From here on we call the whole an engine: the record, and the walk back.

## 2. Whose turn is it?

Two orders in which the values may hand on what they have received. Both begin at $w$ and add up correctly:
"""

# %% [markdown] lang="ko" en="6b784a9c"
r"""
`total_derivative`는 leaf 하나에 대한 도함수만 구했고, 순서는 재귀가 알아서 찾았습니다. 엔진은 $w$에서 시작해 한 번에 모든 leaf의 gradient를 구합니다. 그래서 순서를 스스로 찾아야 합니다. 이제부터는 기록하는 부분과 거슬러 가는 부분을 합쳐 엔진이라고 부르겠습니다.

## 2. 누구의 차례인가

받은 수를 넘겨주는 순서를 두 가지로 해 봅시다. 둘 다 $w$에서 시작하고, 더하기도 제대로 합니다.
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
        en="The order of a sum does not matter, but y handed on its 9 before z had brought it the other 8.",
        ko="더하는 순서는 상관없습니다. 그러나 y는 z에서 8을 더 받기 전에 9만 넘겨주었습니다.",
    ),
    B=say(
        en="52: y had its turn with 9 of its 17, and the 8 from z came too late. 8 times the slope 4 "
        "is the 32 that is missing.",
        ko="52입니다. y는 17 가운데 9만 받고 차례를 마쳤고, z가 보낸 8은 너무 늦게 왔습니다. 8에 기울기 4를 곱한 32만큼 모자랍니다.",
    ),
    C=say(
        en="That happens when a value hands on again whenever something arrives: the bug in section 5.",
        ko="수가 올 때마다 다시 넘겨주면 그렇게 됩니다. 5절의 버그입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
In the end $y$ did hold the right 17, but its turn was over. **A value may hand on only when everything made from it, on the way to $w$, has handed on.** An order that keeps this rule,
every value before its parents, is called a **topological order**. A graph may have several; each gives the same gradients.

Breadth first keeps the rule as long as all paths to a value have the same number of edges. Here the paths from $y$ to $w$ have
one edge, two (by way of $t$) and three (by way of $z$ as well). The order in which a simple recursion first meets the values is no topological order either: here it is $w, t, y, x, z$.
"""

# %% [markdown] lang="ko" en="9602ae0e"
r"""
끝에 가면 $y$도 맞는 값 17을 갖고 있지만, 이미 차례가 지나갔습니다. **값은 저마다, $w$로 가는 길에서 자신을 써서 만든 값들이 모두 넘겨준 다음에야 넘겨줄 수 있습니다.** 이 규칙을 지키는 순서,
곧 모든 값이 자기 부모보다 먼저 나오는 순서를 **위상 순서**(topological order)라고 합니다. 한 그래프에 여러 개가 있을 수 있고, 어느 것으로 해도 gradient는 같습니다.

어느 값을 보더라도 $w$에서 그 값까지 가는 경로의 간선 수가 모두 같다면, 너비 우선으로 가도 이 규칙이 지켜집니다. 여기서는 $y$와 $w$ 사이의 경로가 저마다 다릅니다. 바로 가면 간선이 하나,
$t$를 거치면 둘, $z$까지 거치면 셋입니다. 단순한 재귀에서 값을 처음 만나는 순서도 위상 순서가 아닙니다. 여기서는 $w, t, y, x, z$입니다.
"""

# %% [markdown] lang="en"
r"""
## 3. Find the bug with the quotient

The explorer has an engine with a switch for bugs. It takes the local slopes from torch, but order and sums are its own. Three more things are shown with it:
torch's gradient, the difference quotient, and how far the quotient is from each. With two calls of `backward()` a leaf must hold twice the slope, so the function shown is doubled.

1. Without a bug: do quotient, torch and the engine meet as $h$ falls?
2. "`=` for `+=`", one call: which of the three functions gives it away?
3. Breadth first: it survives $\log x^3 + \sqrt{x^2}$ of lesson 4, where two paths meet. Why? Where does it fail?
4. "no reset": choose one call, then two. What happens on the chain, $\log x^3$?
"""

# %% [markdown] lang="ko" en="4fc6e89d"
r"""
## 3. 차분몫으로 버그 찾기

탐색기의 엔진에는 버그를 고르는 목록이 있습니다. 국소 기울기는 torch에서 가져오지만, 순서와 덧셈은 직접 합니다. torch의 gradient와 차분몫, 그리고 차분몫이 그 둘에서
얼마나 떨어져 있는지도 함께 보여 줍니다. `backward()`를 두 번 부르면 leaf에는 기울기의 두 배가 있어야 하므로, 함수도 두 배로 그립니다.

1. 버그가 없을 때: $h$가 작아지면 차분몫, torch, 엔진이 한곳에서 만나나요?
2. "`+=` 대신 `=`", 호출 한 번: 세 함수 가운데 어느 것에서 드러나나요?
3. 너비 우선: 두 경로가 만나는 수업 04의 $\log x^3 + \sqrt{x^2}$에서는 드러나지 않습니다. 왜 그럴까요? 어디서 틀리나요?
4. "비우지 않음": 호출을 한 번, 이어서 두 번으로 고르세요. 사슬 $\log x^3$에서 무슨 일이 일어나나요?
"""

# %%
explore_engine()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. Yes: the quotient goes to both, down to rounding errors at the smallest $h$.
2. The two with paths that meet. On the chain nothing is added in a single call, so `=` does no harm there.
3. There both paths have three edges, so no value has its turn too early. On $yz + y$ the paths differ in length, and the quotient stays 32 away at $x = 2$.
4. With one call nothing. With two the engine shows too much, on the chain three times the slope: section 4.

Called once, on a chain, every bug passes. **Test an engine on a graph that branches unevenly, and call it twice.**

</details>
"""

# %% [markdown] lang="ko" en="336984a9"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 그렇습니다. 차분몫은 둘 모두에 다가가고, $h$가 아주 작은 곳에서만 반올림 오차가 보입니다.
2. 경로가 만나는 두 함수입니다. 사슬에서는 한 번 부르는 동안 더할 일이 없으니 `=`로 써도 탈이 없습니다.
3. 두 경로 모두 간선이 셋이라 너무 일찍 차례가 오는 값이 없습니다. $yz + y$는 경로의 길이가 서로 달라, $x = 2$에서 차분몫이 32만큼 떨어져 있습니다.
4. 한 번이면 아무 일도 없습니다. 두 번이면 값이 너무 커지고, 사슬에서는 기울기의 세 배가 나옵니다. 4절에서 다룹니다.

사슬에서 한 번만 부르면 어느 버그도 드러나지 않습니다. **엔진은 경로의 길이가 서로 다른 그래프에서, `backward()`를 두 번 불러 시험하세요.**

</details>
"""

# %% [markdown] lang="en"
r"""
## 4. backward() twice

`.grad` of a leaf adds up: lesson 3. But what of the values in between? Take $y = x^2$ and $z = y^2$ at $x = 3$, so $z = x^4$ and the slope is 108. An engine with the right order uses
`+=` for **every** buffer and resets none. It calls `z.backward()` twice; `z.grad` is set to 1 each time.

**What is `x.grad` then?**
"""

# %% [markdown] lang="ko" en="8c396eba"
r"""
## 4. backward()를 두 번

leaf의 `.grad`는 쌓입니다(수업 03). 그렇다면 중간 값은 어떨까요? $x = 3$에서 $y = x^2$, $z = y^2$이라고 합시다. $z = x^4$이고 기울기는 108입니다. 어떤 엔진은 순서는 맞지만 **모든**
버퍼에 `+=`를 쓰고 아무것도 비우지 않습니다. `z.backward()`를 두 번 부르고, `z.grad`는 매번 1로 놓습니다.

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
        en="The second call hands on 18 + 18 from y. The first call's share of y is counted a second time.",
        ko="두 번째 호출에서 y는 18 + 18을 넘겨줍니다. 첫 호출에서 y가 받은 몫이 한 번 더 들어갑니다.",
    ),
    C=say(
        en="y is doubled in the second call, but the first call was right: 108 + 216.",
        ko="두 번째 호출에서 y가 두 배가 되지만 첫 호출은 맞았습니다. 108 + 216입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So **leaves add up, intermediate values begin every call at 0**. PyTorch has it easier: it keeps no buffer in an intermediate tensor at all, unless `retain_grad()` asks for one. (That one adds up, too; but the walk back does not read it.)

## 5. A real bug

The best-known small engine is Andrej Karpathy's micrograd. In its first days, in April 2020, it had no order: an operation handed on and at once called its parents, which called theirs. A
few lines of our own:
"""

# %% [markdown] lang="ko" en="af5402db"
r"""
그래서 **leaf는 쌓고, 중간 값은 호출할 때마다 0에서 시작합니다**. torch는 더 간단합니다. `retain_grad()`로 요청하지 않는 한 중간 텐서에는 버퍼를 아예 두지 않습니다. (요청한 버퍼도 쌓이지만, 거슬러 가는 계산에서는 그것을 읽지 않습니다.)

## 5. 실제로 있었던 버그

작은 엔진 가운데 가장 널리 알려진 것은 Andrej Karpathy의 micrograd입니다. 2020년 4월 처음 나왔을 때는 순서가 없었습니다. 연산마다 기울기를 넘겨주고는 곧바로 부모를 부르고,
부모는 다시 자기 부모를 불렀습니다. 직접 짠 짧은 코드를 봅시다.
"""


# %%
def hand_on(value):
    for parent, slope in zip(value.parents, value.slopes, strict=True):
        parent.grad += slope * value.grad
    for parent in value.parents:
        hand_on(parent)


def f(x):
    return x**5 + x**2


for value in (x, y, z, t, w):
    value.grad = 0.0
w.grad = 1.0
hand_on(w)
print("x.grad  :", x.grad)
print(say(en="quotient:", ko="차분몫  :"), round((f(2 + 1e-6) - f(2 - 1e-6)) / 2e-6, 4))

# %% [markdown] lang="en"
r"""
Each time something arrives, $y$ hands on **all** that it holds, the old with the new. On a chain, and in the author's small test problem, this was right. When a reader pointed it out he wrote
down the cause himself: [gradients are wrong when Values that are no leaves are used again](https://github.com/karpathy/micrograd/issues/2). The cure was a topological order, which
micrograd has used since. In 2024 somebody [proposed to leave it out](https://github.com/karpathy/micrograd/pull/64). The author said that it would not do, and the
proposer then found a graph on which the two ways differ. Section 4's bug is still open there: [calling `backward()` twice](https://github.com/karpathy/micrograd/pull/102) gives too much. Training does not notice, since each step makes new intermediate values.
"""

# %% [markdown] lang="ko" en="91294937"
r"""
무언가 도착할 때마다 $y$는 갖고 있는 **전부**를, 이미 넘겨준 것까지 함께 넘겨줍니다. 사슬에서는 맞고, 저자의 작은 시험 문제도 잘 풀렸습니다. 한 독자가 알려 주자 저자는 원인을
스스로 적었습니다. [leaf가 아닌 Value를 다시 쓰면 gradient가 틀린다](https://github.com/karpathy/micrograd/issues/2)는 것입니다. 해결책은 위상 정렬이고, micrograd는 그 뒤로 줄곧 이것을
씁니다. 2024년에는 [위상 정렬을 빼자는 제안](https://github.com/karpathy/micrograd/pull/64)이 나왔습니다. 저자가 그러면 안 된다고 답했고, 제안한 사람도 두 방법의 결과가 다른 그래프를 찾아냈습니다. 4절의 버그는 아직 남아 있습니다.
[`backward()`를 두 번 부르면](https://github.com/karpathy/micrograd/pull/102) 값이 너무 커집니다. 학습에서는 스텝마다 중간 값을 새로 만들기 때문에 드러나지 않습니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

Five tasks, 12 points. The test cells work as in every lesson: they hold the **visible tests**; **hidden tests** are added when your work is graded. If you teach yourself: after the pass, or when you
are stuck, the panel of **Check** (in a terminal: `autograder check 10 --solution value_add_mul`) shows a worked solution.

**How a piece is handed in.** Tasks 10.1 to 10.4 add methods to `Value`. Each begins with `class Value(Value):`, which makes a class that has everything the old `Value` had and more, and calls it
`Value` again. Write only the methods asked for, and keep `__init__` and the four fields `data`, `grad`, `parents`, `slopes` as they are. Each task is tested **alone**: for all other pieces
the tests use their own. So you may take them in any order, and a mistake in one costs only that one.

The rules of every task hold. A method changes nothing of the Values that it is called with and leaves nothing on them, but for the `grad` that 10.3 is about; every setting of the whole process, the recursion limit for one, is afterwards what it was. A second call is as right as the first.
`data` is the number itself and has nothing to do with the `.data` of a tensor. Torch is not needed; only what the Values then hold counts.
"""

# %% [markdown] lang="ko" en="1db79baa"
r"""
# 과제

다섯 문제, 모두 12점입니다. 테스트 셀은 다른 수업과 같습니다. 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가 더해집니다. 혼자 배울 때는 통과한 뒤나 막혔을 때 **답 확인** 패널(터미널에서는 `autograder check 10 --solution value_add_mul`)에서 모범 풀이를 볼 수 있습니다.

**답을 내는 방법.** 과제 10.1~10.4에서는 `Value`에 메서드를 더합니다. 답은 `class Value(Value):`로 시작합니다. 예전 `Value`가 가진 것을 모두 물려받고 거기에 더한 새 클래스를 만들어 다시
`Value`라고 부르는 것입니다. 요구한 메서드만 쓰고, `__init__`과 네 필드 `data`, `grad`, `parents`, `slopes`는 그대로 두세요. 과제는 **따로따로** 채점합니다. 나머지 조각은 모두 테스트가 따로 준비한
것을 씁니다. 그러니 어떤 순서로 풀어도 되고, 한 과제에서 틀려도 다른 과제에는 영향이 없습니다.

모든 과제의 규칙이 그대로 적용됩니다. 메서드는 호출할 때 받은 Value를 바꾸지 않고, 거기에 아무것도 남기지 않습니다(10.3에서 다루는 `grad`는 예외입니다). 재귀 한도 같은 프로세스 전체의 설정은 끝났을 때 원래대로여야
합니다. 두 번째로 불러도 맞아야 합니다. `data`는 그냥 수이고, 텐서의 `.data`와는 상관없습니다. torch는 필요 없습니다. Value에 든 것이 맞는지만 봅니다.
"""

# %% [markdown] lang="en"
r"""
## Task 10.1 · `value_add_mul`: `+` and `*` that remember

●●○○○ · ★★★★★ · 8 min · 2 points

Write `Value.__add__` and `Value.__mul__`, which Python calls for `a + b` and `a * b`. Each returns **a new Value** that remembers how it was made.

- Its `data` is the sum or the product, and its `grad` is 0.
- Its parents are the Values that it was made from; its slopes are those of the result with respect to each of them. In `a + a` and `a * a` the Value `a` stands twice:
  then its slopes must add up to the right one.
- `other` may also be a plain number, `int` or `float`. Whether a Value made of it is among the parents is up to you. `2 * a`, `2 + a`, `-a`, `a - b` and `a / b` are there already: `Value` builds
  them from your `+`, `*` and `**`.
- Neither method touches a `grad`: nothing flows back yet.

<details><summary>Hint 1: the idea</summary>

How much does $a + b$ grow when $a$ grows by a little? And $a \cdot b$?

</details>

<details><summary>Hint 2: nearly the code</summary>

First `if isinstance(other, (int, float)): other = Value(other)`. Then `return Value(number, (self, other), (slope to self, slope to other))`.

</details>
"""

# %% [markdown] lang="ko" en="e4ecbbb0"
r"""
## 과제 10.1 · `value_add_mul`: 기억하는 `+`와 `*`

●●○○○ · ★★★★★ · 8분 · 2점

`Value.__add__`와 `Value.__mul__`을 쓰세요. 파이썬이 `a + b`와 `a * b`에서 부르는 메서드입니다. 둘 다 어떻게 만들었는지 기억하는 **새 Value**를 돌려줍니다.

- `data`는 합 또는 곱이고, `grad`는 0입니다.
- 부모는 이 Value를 만드는 데 쓴 Value들이고, `slopes`는 그 각각에 대한 결과의 기울기입니다. `a + a`와 `a * a`에는 `a`가 두 번 나옵니다. 이때 `a`의 기울기를 모두 더하면 맞는 기울기가 되어야 합니다.
- `other`는 `int` 또는 `float`인 수일 수도 있습니다. 그 수로 만든 Value를 부모에 넣을지는 자유입니다. `2 * a`, `2 + a`, `-a`, `a - b`, `a / b`는 이미 있습니다. `Value`가 여러분의 `+`, `*`, `**`로 만듭니다.
- 두 메서드는 어떤 `grad`도 건드리지 않습니다. 아직 아무것도 거슬러 흐르지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

$a$가 조금 커지면 $a + b$는 얼마나 커지나요? $a \cdot b$는요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

먼저 `if isinstance(other, (int, float)): other = Value(other)`. 그다음 `return Value(수, (self, other), (self에 대한 기울기, other에 대한 기울기))`.

</details>
"""


# %% nbgrader={"grade_id": "value_add_mul", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class Value(Value):
    """A Value with + and *."""

    def __add__(self, other):
        """Return self + other, a new Value with its parents and slopes. other: a Value or a number."""
        ### BEGIN SOLUTION
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))
        ### END SOLUTION

    def __mul__(self, other):
        """Return self * other, a new Value with its parents and slopes. other: a Value or a number."""
        ### BEGIN SOLUTION
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_value_add_mul", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, recipes

hint = hints("value_add_mul")

_ERRORS = {"attribute 'data'": hint.number}
_two, _turned, _ones = {"a": 2.0, "b": 3.0}, {"a": 3.0, "b": 2.0}, {"a": 1.0, "b": 1.0}
for _call, _numbers, _data, _slopes, _wrong in (
    ("a + b", _two, 5.0, _ones, {hint.numbers: (_two, _turned)}),
    ("a * b", _two, 6.0, _turned, {hint.swapped: (_two, _ones)}),
    ("a + a", {"a": 4.0}, 8.0, {"a": 2.0}, {hint.twice: ({"a": 1.0}, {"a": 4.0})}),
    ("a * a", {"a": 3.0}, 9.0, {"a": 6.0}, {hint.twice: ({"a": 3.0}, {"a": 12.0})}),
    ("2 * a", {"a": 4.0}, 8.0, {"a": 2.0}, {hint.swapped: {"a": 4.0}}),
    ("a + 0.5", {"a": -4.0}, -3.5, {"a": 1.0}, {}),
    ("0 + a", {"a": 2.0}, 2.0, {"a": 1.0}, {}),
    ("0 * a", {"a": 2.0}, 0.0, {"a": 0.0}, {}),
):
    _answer = ask(_call, {"errors": _ERRORS}, **recipes.leaves(_numbers))
    recipes.check_operation(_answer, _data, _slopes, mistakes=_wrong)
check.visible_passed()
### BEGIN HIDDEN TESTS
# For each operation: the sum or product, its slope with respect to a and b, and the number in it.
_OPERATIONS = {
    "a + b": lambda a, b: (a + b, 1.0, 1.0, None),
    "b + a": lambda a, b: (a + b, 1.0, 1.0, None),
    "a * b": lambda a, b: (a * b, b, a, None),
    "b * a": lambda a, b: (a * b, b, a, None),
    "a + a": lambda a, b: (2 * a, 2.0, 0.0, None),
    "a * a": lambda a, b: (a * a, 2 * a, 0.0, None),
    "a + 3": lambda a, b: (a + 3, 1.0, 0.0, 3.0),
    "3 + a": lambda a, b: (a + 3, 1.0, 0.0, 3.0),
    "a * -3": lambda a, b: (-3 * a, -3.0, 0.0, -3.0),
    "0.25 * b": lambda a, b: (0.25 * b, 0.0, 0.25, 0.25),
    "a * 0": lambda a, b: (0 * a, 0.0, 0.0, 0.0),
    "0 + b": lambda a, b: (b, 0.0, 1.0, 0.0),
}


def _compare(text, a, b):
    data, to_a, to_b, constant = _OPERATIONS[text](a, b)
    numbers = {name: number for name, number in (("a", a), ("b", b)) if name in text}
    slopes = {name: float({"a": to_a, "b": to_b}[name]) for name in numbers}
    wrong = {hint.swapped if "*" in text else hint.numbers: (numbers, {"a": b, "b": a})}
    if text in ("a + a", "a * a"):
        wrong = {hint.twice: ({"a": 0.5 * to_a}, {"a": 2.0 * to_a})}
    how = {"errors": _ERRORS, "before": recipes.held(list(numbers), [0.5, -1.5][: len(numbers)])}
    answer = ask(text, how, **recipes.leaves(numbers))
    others = recipes.check_operation(answer, float(data), slopes, mistakes=wrong)
    answer.holds(all(other == constant for other in others), f"{hint.other} {others}")


for _text in _OPERATIONS:
    check.smallest(_compare, _text, check.draw(-4, -0.5), check.draw(0.5, 4))
    check.smallest(_compare, _text, check.draw(5, 90), check.draw(-4, -0.5))
    for _a, _b in ((0.0, 2.0), (2.0, 2.0), (1e-9, -1e9), (3.5e-13, 1.25e-12)):
        _compare(_text, _a, _b)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 10.2 · `value_backward`: the order of the walk back

●●●●○ · ★★★★★ · 20 min · 3 points

Write `Value.order`, the order of the walk back. It returns a **list** of all Values whose turn comes when we go back from `self`.

- `self` comes first. The list holds every Value that `self` was made from, directly or through others, leaves too, each **exactly once**.
- **Every Value stands before its parents.** Where that leaves a choice, any order will do.
- Two different Values may hold the same number: tell them apart as objects (`is`, `id`, or a set of Values), not by `data`.
- A graph may be deep, 5000 Values one after the other, and Python ends a recursion at about 1000. It may also have very many paths, like the forty diamonds of
  task 4.1: look at each Value a few times at most, not once for each path or for each other Value.

On the graph of section 1, `w.order()` may be `[w, t, z, y, x]`, but not `[w, t, y, z, x]`.

<details><summary>Hint 1: the idea</summary>

Go the other way round: put a Value on the list **after** all its parents are there, and turn the list round at the end. A stack (a list with `append` and `pop`) takes the place of the recursion.

</details>

<details><summary>Hint 2: nearly the code</summary>

Put pairs `(value, ready)` on the stack, at first `(self, False)`. When a pair comes off with `ready`, its parents are done: append the value to the list. Otherwise, if it is new, note it as seen, put `(value, True)` back, and on top
`(parent, False)` for each parent.

</details>
"""

# %% [markdown] lang="ko" en="782be5ec"
r"""
## 과제 10.2 · `value_backward`: 거슬러 가는 순서

●●●●○ · ★★★★★ · 20분 · 3점

역전파의 순서를 구하는 `Value.order`를 쓰세요. `self`에서 거슬러 갈 때 차례가 오는 Value를 모두 담은 **리스트**를 돌려줍니다.

- `self`가 맨 앞입니다. `self`를 만드는 데 직접 또는 다른 값을 거쳐 쓰인 Value가 leaf까지 모두, **정확히 한 번씩** 들어 있습니다.
- **모든 Value는 자기 부모보다 앞에 있습니다.** 이 규칙만 지키면 어떤 순서든 됩니다.
- 서로 다른 Value에 같은 수가 들어 있을 수 있습니다. `data`가 아니라 객체로 구별하세요(`is`, `id`, Value의 집합).
- 그래프는 깊을 수 있습니다. Value 5000개가 줄줄이 이어질 수 있는데, 파이썬의 재귀는 1000번쯤에서 멈춥니다. 과제 4.1의 마름모 40개처럼 경로가 아주 많을 수도 있습니다. Value마다
  많아야 몇 번만 보세요. 경로마다, 또는 다른 Value마다 다시 보면 너무 오래 걸립니다.

1절의 그래프에서 `w.order()`는 `[w, t, z, y, x]`일 수 있지만 `[w, t, y, z, x]`이면 안 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

반대로 가세요. 부모가 모두 리스트에 들어간 **다음에** 그 Value를 넣고, 마지막에 리스트를 뒤집습니다. 재귀 대신 스택(stack, `append`와 `pop`을 쓰는 리스트)을 쓰면 됩니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

스택에 쌍 `(value, ready)`를 넣습니다. 처음에는 `(self, False)`입니다. 꺼낸 쌍이 `ready`이면 부모가 다 끝난 것이니 그 값을 리스트에 넣습니다. 아니면, 처음 보는 값일 때 보았다고 적어 두고 `(value, True)`를 다시 넣은 뒤 그 위에 부모마다
`(parent, False)`를 넣습니다.

</details>
"""


# %% nbgrader={"grade_id": "value_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class Value(Value):
    """A Value that knows the order of its backward pass."""

    def order(self):
        """Return a list of self and all Values that it was made from, each once and before its parents."""
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


# %% nbgrader={"grade_id": "test_value_backward", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, recipes

hint = hints("value_backward")

_HOW = {"steps": 1_000_000}
_uneven = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([1, 2], [8.0, 4.0]), ([3, 1], [1.0, 1.0])]
_twice = [([], []), ([0, 0], [1.0, 1.0]), ([1, 1], [1.0, 1.0])]
for _call, _names, _recipe in (
    ("z.order()", "xyz", recipes.chain(2)),
    ("w.order()", "xyztw", _uneven),
    ("z.order()", "xyz", _twice),
):
    _answer = ask(_call, _HOW, **recipes.graph(_names, _recipe))
    recipes.check_order(_answer, _names, _recipe, len(_names) - 1)
    recipes.check_order(_answer.again(), _names, _recipe, len(_names) - 1)
check.visible_passed()
### BEGIN HIDDEN TESTS
import random


def _compare(names, recipe, roots, alike=False):
    """Ask for the order of several Values of one graph, in turn."""
    words = hint.graph.format(size=len(names)) if len(names) > 9 else ""
    how = {**_HOW, "words": words and f"{names[roots[0]]}.order(), {words}"}
    how["before"] = recipes.held(names, [0.5 - 2.0 * place for place in range(len(names))])
    answer = ask(f"{names[roots[0]]}.order()", how, **recipes.graph(names, recipe, alike))
    for number, root in enumerate(roots):
        again = answer.then(f"{names[root]}.order()") if number else answer
        recipes.check_order(again, names, recipe, root)


def _drawn(size):
    draw = random.Random(int(check.draw(0, 1e6)))
    made = [([], []), ([], [])]
    for place in range(2, size):
        parents = [draw.randrange(max(0, place - 6), place) for _ in range(draw.choice((1, 2, 2, 3)))]
        made.append((parents, [1.0] * len(parents)))
    return made


_mirror = [([], []), ([0], [1.0]), ([1, 0], [1.0, 1.0]), ([2, 1], [1.0, 1.0]), ([1, 3], [1.0, 1.0])]
_compare("x", [([], [])], [0, 0])
_compare("xyztw", _uneven, [2, 4, 3, 1, 4])
_compare("xyztw", _mirror, [4, 4])
_compare("xyztw", _uneven, [4], alike=True)
_compare("abc", [([], []), ([], []), ([0, 1], [1.0, 1.0])], [2], alike=True)
for _size in (4, 6, 9, 14, 40):
    for _ in range(4):
        _names = [f"v{place}" for place in range(_size)]
        _compare(_names, _drawn(_size), [_size - 1, _size // 2, _size - 1], alike=_size == 9)
for _code in ("recipes.diamonds(40)", "recipes.chain(5000)"):
    _recipe = eval(_code)
    _names = [f"v[{place}]" for place in range(len(_recipe))]
    _answer = ask("v[-1].order()", _HOW, v=f"recipes.build(Value, {_code})")
    for _call in (_answer, _answer.again(), _answer.again()):
        recipes.check_order(_call, _names, _recipe, len(_names) - 1)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 10.3 · `second_backward`: the walk back, as often as you like

●●●○○ · ★★★★★ · 10 min · 3 points

Write `Value.backward`, which may be called again and again. `self.order()` gives the order (task 10.2; the tests use their own).

- A **leaf** (no parents) **adds**: its `grad` grows by the slope of `self` with respect to it, whatever was in it before.
- An **intermediate** value is **reset**: after the call its `grad` is the slope of `self` with respect to it, of this call alone. That of `self` is 1.
- If `self` is a leaf, its `grad` grows by 1.
- The `grad` of a Value that `self` was not made from stays as it is. So do `data`, `parents` and `slopes` of all. The method returns nothing.

<details><summary>Hint 1: the idea</summary>

Two things happen: first the buffers of this call are made ready, then each Value in turn hands on. A parent may receive from several sides, or twice from the same.

</details>

<details><summary>Hint 2: nearly the code</summary>

Go through the order once and set `grad` to 0 where there are parents. Add 1 to `self.grad`. Go through it again: for each `parent, slope` of a value, `parent.grad += slope * value.grad`.

</details>
"""

# %% [markdown] lang="ko" en="f6eeb184"
r"""
## 과제 10.3 · `second_backward`: 몇 번이고 거슬러 가기

●●●○○ · ★★★★★ · 10분 · 3점

몇 번을 불러도 맞는 `Value.backward`를 쓰세요. 순서는 `self.order()`로 얻습니다(과제 10.2. 테스트는 따로 준비한 `order`를 씁니다).

- **leaf**(부모가 없는 값)는 **더합니다**. `grad`에 무엇이 들어 있었든, `self`를 그 leaf로 미분한 기울기가 더해집니다.
- **중간 값**은 **새로 시작합니다**. 부른 뒤의 `grad`는 이번 호출에서 구한, `self`의 그 값에 대한 기울기입니다. `self`의 `grad`는 1입니다.
- `self`가 leaf이면 `grad`가 1만큼 커집니다.
- `self`를 만드는 데 쓰이지 않은 Value의 `grad`는 그대로입니다. 모든 Value의 `data`, `parents`, `slopes`도 그대로입니다. 이 메서드는 아무것도 돌려주지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

할 일은 둘입니다. 먼저 이번 호출에 쓸 버퍼를 준비하고, 그다음 Value가 차례대로 넘겨줍니다. 한 부모가 여러 곳에서, 또는 같은 곳에서 두 번 받을 수 있습니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

순서대로 한 번 돌며 부모가 있는 값의 `grad`를 0으로 만듭니다. `self.grad`에 1을 더합니다. 다시 한 번 돌며 값의 `parent, slope`마다 `parent.grad += slope * value.grad`를 합니다.

</details>
"""


# %% nbgrader={"grade_id": "second_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class Value(Value):
    """A Value whose backward() may be called again."""

    def backward(self):
        """Add the slopes of self to the grad of the leaves, and set those of the intermediate values."""
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


# %% nbgrader={"grade_id": "test_second_backward", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, recipes

hint = hints("second_backward")


def _compare(names, recipe, roots, grads=None, words="", alike=False):
    """Call backward() of these Values in turn; the grads hold something beforehand."""
    grads = grads or [0.0] * len(names)
    first, how = f"{names[roots[0]]}.backward()", {"before": recipes.held(names, grads)}
    if words:
        how["words"] = f"{first}, {words}"
    values = recipes.graph(names, recipe, alike)
    # with_order: with an order() of the tests' own.
    answer = ask(first, how, Value="recipes.with_order(Value)", **values)
    recipes.check_passes(answer, names, recipe, roots, grads)


_uneven = [([], []), ([0], [4.0]), ([1, 0], [2.0, 4.0]), ([1, 2], [8.0, 4.0]), ([3, 1], [1.0, 1.0])]
_cut = [([], []), ([0], [3.0]), ([0], [5.0]), ([2, 1], [0.0, 2.0])]
_compare("xyz", [([], []), ([0], [3.0]), ([1], [5.0])], [2, 2])
_compare("xyztw", _uneven, [4, 4])
_compare("xy", [([], []), ([0, 0], [1.0, 1.0])], [1], [7.0, 0.0], alike=True)
_compare("xyuz", _cut, [3])
check.visible_passed()
### BEGIN HIDDEN TESTS
_filled = [1.5, 9.0, -9.0, 3.0, 6.0]
_compare("x", [([], [])], [0, 0], [2.5])
_compare("xyztw", _uneven, [4, 2, 4, 1, 4], _filled)
_compare("xyztw", _uneven, [4, 4], _filled, alike=True)
_apart = [([], []), ([], []), ([0], [2.0]), ([1], [3.0])]
_compare("xayu", _apart, [2, 3, 2], [1.0, 2.0, 3.0, 4.0])
_compare("xyz", [([], []), ([0], [0.0]), ([1, 0], [2.0, 0.0])], [2, 2], [4.0, 1.0, 1.0])
_compare("xyz", [([], []), ([0], [3.0]), ([1, 0], [0.0, 2.0])], [2, 2], [4.0, 1.0, 1.0])
_compare("abyzw", [([], []), ([], []), ([0], [4e-6]), ([1], [3e5]), ([2, 3], [5e-5, 7e4])], [4, 4])


def _mixed(size, slopes):
    made, at = [([], []), ([], [])], 0
    for place in range(2, size):
        parents = [(place - 1 - (at + k * 3) % min(place, 4)) for k in range(1 + place % 3)]
        made.append((parents, [slopes[(at + k) % len(slopes)] for k in range(len(parents))]))
        at += len(parents)
    return made


for _size in (3, 4, 5, 7, 12, 30):
    for _grads in ([0.0], check.draws(4, -3, 3)):
        _names, _recipe = [f"v{place}" for place in range(_size)], _mixed(_size, check.draws(5, -1.4, 1.4))
        _words = hint.graph.format(size=_size) if _size > 7 else ""
        _roots = [_size - 1, _size - 1, _size - 2, _size - 1]
        _compare(_names, _recipe, _roots, (_grads * _size)[:_size], _words)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 10.4 · `value_functions`: powers, log, exp, relu

●●○○○ · ★★★★☆ · 8 min · 2 points

Four more operations: `x ** number`, `x.log()`, `x.exp()`, `x.relu()`. Each returns a new Value **whose only parent is `self`**, with its slope.

- `__pow__`: `number` is an `int` or `float`, not a Value. With `x` below 0 it is a whole number (2 or 2.0), also a negative one. With `x` equal to 0 it is 0, or 1 and more.
  $x^0$ is 1 and has the slope 0 everywhere, **at 0 too**.
- `log` is the natural logarithm; `x` is positive.
- `relu` is $\max(x, 0)$. At 0 torch takes the slope **0**. Do the same. A slope is an `int` or a `float`, no `bool`.
- The rules of 10.1 hold: `grad` of the result is 0, and `self` is not changed.

<details><summary>Hint 1: the idea</summary>

$(x^n)' = n x^{n-1}$, $(\log x)' = 1/x$, $(e^x)' = e^x$. What does Python make of `0.0 ** -1`?

</details>

<details><summary>Hint 2: nearly the code</summary>

`Value(self.data**number, (self,), (slope,))`; the comma in `(self,)` makes it a tuple. For `number == 0` the slope is 0.0, without a power. `math.log`, `math.exp`.

</details>
"""

# %% [markdown] lang="ko" en="82788ca3"
r"""
## 과제 10.4 · `value_functions`: 거듭제곱, log, exp, relu

●●○○○ · ★★★★☆ · 8분 · 2점

연산을 네 개 더 만드세요. `x ** number`, `x.log()`, `x.exp()`, `x.relu()`입니다. 저마다 **부모가 `self` 하나뿐인** 새 Value를 기울기와 함께 돌려줍니다.

- `__pow__`: `number`는 Value가 아니라 `int`나 `float`입니다. `x`가 0보다 작으면 `number`는 정수(2나 2.0)이고 음수일 수도 있습니다. `x`가 0이면 `number`는 0이거나 1 이상입니다.
  $x^0$은 1이고 기울기는 어디서나 0입니다. **`x`가 0일 때도** 그렇습니다.
- `log`는 자연로그이고, `x`는 양수입니다.
- `relu`는 $\max(x, 0)$입니다. 0에서 torch는 기울기를 **0**으로 정합니다. 똑같이 하세요. 기울기는 `bool`이 아니라 `int`나 `float`입니다.
- 10.1의 규칙이 그대로입니다. 결과의 `grad`는 0이고, `self`는 바뀌지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

$(x^n)' = n x^{n-1}$, $(\log x)' = 1/x$, $(e^x)' = e^x$입니다. 파이썬에서 `0.0 ** -1`은 무엇이 되나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`Value(self.data**number, (self,), (기울기,))`. `(self,)`의 쉼표가 있어야 튜플이 됩니다. `number == 0`이면 거듭제곱을 계산하지 말고 기울기를 0.0으로 하세요. `math.log`, `math.exp`를 쓰세요.

</details>
"""


# %% nbgrader={"grade_id": "value_functions", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
class Value(Value):
    """A Value with powers, log, exp and relu."""

    def __pow__(self, number):
        """Return self ** number, a new Value. number: an int or a float."""
        ### BEGIN SOLUTION
        slope = number * self.data ** (number - 1) if number else 0.0
        return Value(self.data**number, (self,), (slope,))
        ### END SOLUTION

    def log(self):
        """Return the natural logarithm of self, a new Value."""
        ### BEGIN SOLUTION
        return Value(math.log(self.data), (self,), (1 / self.data,))
        ### END SOLUTION

    def exp(self):
        """Return e to the power of self, a new Value."""
        ### BEGIN SOLUTION
        power = math.exp(self.data)
        return Value(power, (self,), (power,))
        ### END SOLUTION

    def relu(self):
        """Return max(self, 0), a new Value."""
        ### BEGIN SOLUTION
        positive = self.data > 0
        return Value(self.data if positive else 0.0, (self,), (float(positive),))
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_value_functions", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, recipes

hint = hints("value_functions")


def _compare(call, number, data, slope, wrong=None, values=None, before=""):
    """`wrong` are slopes that betray a mistake, `values` such data."""
    answer = ask(call, {"errors": "", "before": before}, x=f"Value({number})")
    slopes = {why: tuple({"x": s} for s in found) for why, found in (wrong or {}).items()}
    others = recipes.check_operation(answer, data, {"x": slope}, values=values, mistakes=slopes)
    answer.holds(not others, f"{hint.parent} {others}")


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
    _compare(_call, _number, _data, _slope, _wrong, _values)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch


def _torch(text, number):
    x = torch.tensor(number, dtype=torch.float64, requires_grad=True)
    value = eval(text, {}, {"x": x})
    value.backward()
    return value.item(), x.grad.item()


def _mistakes(text, number, data, slope):
    """Return wrong slopes and wrong data."""
    if "relu" in text:
        wrong = {hint.kink: [0.5], hint.leaky: [1.0]} if number else {hint.kink: [0.5, 1.0]}
        return wrong, {hint.small: 0.0} if number > 0 else {}
    if "exp" in text:
        return {hint.inverse: [1.0, data * number, number]}, {}
    if "log" in text:
        return {}, {hint.log10: (data / 2.302585092994046, data / 0.6931471805599453)}
    n = float(text.partition("**")[2].strip("()"))
    if n and number:
        return {hint.factor: [slope / n], hint.power: [slope * number]}, {}
    return {hint.line: [0.0]} if slope == 1 else {}, {}


def _hidden(text, number):
    data, slope = _torch(text, number)
    _compare(text, number, data, slope, *_mistakes(text, number, data, slope), before="x.grad = 0.5")


_POWERS = ("x**2", "x**3", "x**1", "x**0", "x**7", "x**(-1)", "x**(-3)", "x**2.0", "x**(-2.0)", "x**0.0")
_POSITIVE = ("x**0.5", "x**1.7", "x**(-0.5)", "x**(-2.3)", "x.log()")
_AT_ZERO = ("x**0", "x**0.0", "x**1", "x**1.0", "x**2", "x**3.0", "x**1.5", "x.exp()", "x.relu()")
for _texts, *_ranges in (
    (_POWERS, (0.3, 4), (-4, -0.3)),
    (_POSITIVE, (0.05, 0.9), (1.1, 60)),
    (("x.exp()", "x.relu()"), (-5, -0.1), (0.1, 5)),
):
    for _text in _texts:
        for _range in _ranges:
            check.smallest(_hidden, _text, check.draw(*_range))
for _text in _AT_ZERO:
    _hidden(_text, 0.0)
for _text, _x in (("x.exp()", 300.0), ("x.relu()", 1e-300)):
    _hidden(_text, _x)
    _hidden(_text, -_x)
_hidden("x.log()", 1e-300)
_hidden("x**2", 1e-100)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## The engine runs

Four pieces make an engine. The next cell tries yours on one expression. If a piece is missing or wrong, it says so, and **torch stands in**, wrapped to look like a Value: the lesson goes on, and you can come
back. Then the engine in use is tried on functions of lessons 1 and 4, beside torch. A central difference quotient, as in lesson 1, has the last word.
"""

# %% [markdown] lang="ko" en="4e23dc07"
r"""
## 엔진이 돌아간다

네 조각을 모으면 엔진이 됩니다. 다음 셀은 여러분의 엔진을 식 하나로 시험합니다. 빠졌거나 틀린 조각이 있으면 알려 주고, Value처럼 생긴 껍데기를 씌운 **torch가 대신합니다**. 그러니 수업을 계속하고 나중에
돌아와도 됩니다. 그다음 지금 쓰는 엔진을 수업 01과 04의 함수로 torch와 비교합니다. 마지막에는 수업 01처럼 중앙 차분몫으로 확인합니다.
"""


# %%
def tried(kind):
    """Return the slope at 2 that an engine finds after two passes over an uneven graph."""
    x = kind(2)
    y = x**2
    w = y * (y * x) + y - (x.log().exp() - 2 * x.relu()) / 4
    w.backward()
    w.backward()
    return x.grad


Engine = Value
try:
    found = tried(Value)
except Exception as error:  # whatever a piece that is not there yet may raise
    Engine, found = TorchValue, f"{type(error).__name__}: {error}"
else:
    Engine = Value if abs(found - tried(TorchValue)) < 1e-9 else TorchValue
if Engine is Value:
    print(say(en="Your engine is in use.", ko="여러분의 엔진을 씁니다."))
else:
    print(
        say(en=f"torch stands in: your engine gave {found}", ko=f"torch가 대신합니다. 여러분의 엔진: {found}")
    )


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
print(f"log_of_cube  {engine} {u.grad:.4f}", say(en="(two passes)", ko="(두 번 거슬러 감)"))
print(
    say(en="uneven       quotient", ko="uneven       차분몫"),
    f"{(uneven(2 + 1e-5) - uneven(2 - 1e-5)) / 2e-5:.4f}",
)

# %% [markdown] lang="en"
r"""
## Task 10.5 · `fit_line`: train a line

●●●○○ · ★★★★☆ · 8 min · 2 points

Train a line $ax + b$ on points, with `Value` and `backward()`.

- `points` is a list of pairs `(x, y)` of numbers, at least one; do not change it. `steps` is a whole number, 0 or more, `lr` the step size.
- `a` and `b` begin at 0 as Values, made anew in every call. The loss is the **mean** over all points of $(ax + b - y)^2$.
- Each step computes the loss, calls `backward()`, and subtracts `lr` times its gradient from each of the two. Every gradient must be that of this step **alone**.
- Return `(a, b)`, the slope first, as two floats.
- Take the gradients from `backward()` of `Value`, however often you call it. The tests put a `Value` of their own in place of yours, which has `+`, `-`, `*`, `/`, `**`, `data`, `grad` and
  `backward`, and see whether you use it. So an engine with a mistake costs nothing here.

<details><summary>Hint 1: the idea</summary>

This is `train5` of lesson 3 with two parameters. What has to happen to `a.grad` between two steps?

</details>

<details><summary>Hint 2: nearly the code</summary>

In the loop: `loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)`; set both `grad` to 0.0; `loss.backward()`; `a.data -= lr * a.grad`, and the same for `b`.

</details>
"""

# %% [markdown] lang="ko" en="1ff4835c"
r"""
## 과제 10.5 · `fit_line`: 직선 학습하기

●●●○○ · ★★★★☆ · 8분 · 2점

`Value`와 `backward()`로 직선 $ax + b$를 점에 맞추어 학습시키세요.

- `points`는 수의 쌍 `(x, y)`가 하나 이상 든 리스트입니다. 바꾸지 마세요. `steps`는 0 이상인 정수, `lr`은 학습률입니다.
- `a`와 `b`는 호출할 때마다 새로 만든, 0인 Value로 시작합니다. loss는 모든 점에 대한 $(ax + b - y)^2$의 **평균**입니다.
- 스텝마다 loss를 계산하고, `backward()`를 부르고, 둘에서 각각 자기 gradient의 `lr`배를 뺍니다. gradient는 **그 스텝만의** 것이어야 합니다.
- `(a, b)`를 float 두 개로, 기울기를 먼저 돌려주세요.
- gradient는 `Value`의 `backward()`로 구하세요. 몇 번 부르든 됩니다. 테스트는 여러분의 `Value` 자리에 자기 `Value`를 넣고, 그것을 쓰는지 봅니다. 그 `Value`에는 `+`, `-`, `*`, `/`, `**`, `data`,
  `grad`, `backward`가 있습니다. 그러니 엔진이 틀렸어도 이 과제에는 영향이 없습니다.

<details><summary>힌트 1: 생각의 방향</summary>

수업 03의 `train5`와 같고 파라미터만 둘입니다. 스텝과 스텝 사이에 `a.grad`를 어떻게 해야 하나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

반복문 안에서 `loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)`. 두 `grad`를 0.0으로 놓고 `loss.backward()`. 그다음 `a.data -= lr * a.grad`, `b`도 똑같이 합니다.

</details>
"""


# %% nbgrader={"grade_id": "fit_line", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def fit_line(points, steps, lr):
    """Return (slope, intercept), two floats, after `steps` steps of gradient descent from (0, 0).

    points: a list of pairs (x, y); steps: how many; lr: the step size. The loss is the mean squared error.
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


# %% nbgrader={"grade_id": "test_fit_line", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints

hint = hints("fit_line")


def _compare(points, steps, lr, want, wrong, fit="recipes.on_torch(fit_line)", words=""):
    # on_torch: with a Value of the tests' own, which is torch.
    given = {"points": points, "steps": steps, "lr": lr}
    answer = ask("fit_line(points, steps, lr)", {"words": words}, fit_line=fit, **given)
    known = {why: tuple(pairs) for why, pairs in wrong.items()}
    known[hint.shared] = lambda pair: pair == (pair[0], pair[0])
    known[hint.once] = lambda pair: pair == tuple(map(float, pair))
    answer.returns(want, mistakes=known, nearly=hint.all, rtol=1e-7, atol=1e-9)
    answer.holds(answer.then("fit_line.passes").result >= steps, hint.count)
    answer.holds(answer.then("points").result == points, hint.changed)
    return answer.changes_nothing()


_one = {hint.uphill: [(-0.6, -0.6)], hint.steps: [(0.0, 0.0)]}
_three = {
    hint.zero: [(1.248264, 0.957888), (0.596664, 0.972288), (1.259064, 0.453888)],
    hint.mean: [(1.014912, 0.808704)],
    hint.swapped: [(0.468288, 0.607464)],
    hint.anew: [(0.72, 0.54)],
}
_compare([(1.0, 3.0)], 1, 0.1, (0.6, 0.6), _one)
_compare([(0.0, 2.0), (2.0, 4.0)], 3, 0.03, (0.607464, 0.468288), _three)
_compare([(-1, -1), (0, 1), (1, 3), (2, 5)], 150, 0.1, (2.0, 1.0), {})
check.visible_passed()


### BEGIN HIDDEN TESTS
def _descent(points, steps, lr, kept=(0, 0), size=None, sign=-1.0):
    a = b = to_a = to_b = 0.0
    for _ in range(steps):
        errors = [(x, a * x + b - y) for x, y in points]
        to_a = kept[0] * to_a + 2 * sum(x * e for x, e in errors) / (size or len(points))
        to_b = kept[1] * to_b + 2 * sum(e for _, e in errors) / (size or len(points))
        a, b = a + sign * lr * to_a, b + sign * lr * to_b
    return a, b


def _hidden(points, steps, lr, scale=1.0):
    want = _descent(points, steps, scale * lr)
    wrong = {
        hint.zero: [_descent(points, steps, scale * lr, kept) for kept in ((1, 1), (0, 1), (1, 0))],
        hint.formula: [_descent(points, steps, lr)],
        hint.mean: [_descent(points, steps, lr, size=1)],
        hint.swapped: [want[::-1]],
        hint.uphill: [_descent(points, steps, lr, sign=1.0)],
        hint.anew: [_descent(points, 1, lr * steps)],
        hint.steps: [_descent(points, max(count, 0), lr) for count in (steps + 1, steps - 1)],
    }
    words = f"fit_line({points}, {steps}, {lr}){hint.scaled.format(scale=scale)}" if scale != 1 else ""
    answer = _compare(points, steps, lr, want, wrong, f"recipes.on_torch(fit_line, {scale})", words)
    answer.holds(all(isinstance(part, float) for part in answer.result), f"{hint.floats} {answer.result}")
    return answer


for _points, _steps, _lr in (
    ([(1.0, 3.0), (2.0, 5.0)], 0, 0.1),
    ([(1.0, 3.0), (2.0, 5.0), (3.0, 7.0)], 2, 0.05),
    ([(0.5, -2.0)], 3, 0.0),
    ([(2, 1), (2, 1), (-1, 0)], 4, 0.1),
    ([(30.0, 400.0), (-20.0, 100.0)], 3, 0.0001),
    ([(1.0, 3.0)], 1, 0.1),
):
    _hidden(_points, _steps, _lr)
for _slope, _at in (
    (check.draw(0.5, 3), check.draw(-2, 2)),
    (check.draw(-3, -0.5), check.draw(-2, 2)),
    (0.0, 0.0),
):
    _points = [(x, round(_slope * x + _at + check.draw(-0.2, 0.2), 3)) for x in check.draws(6, -2, 2)]
    check.smallest(_hidden, _points, 7, check.draw(0.02, 0.15))
    check.smallest(_hidden, _points, 5, 0.05, 3.0)
    _hidden(_points, 120, 0.004)
    _line = [(x, round(_slope * x + _at, 3)) for x in (-1.5, -0.5, 0.5, 1.0, 2.0)]
    _hidden(_line, 200, 0.15).returns((_slope, _at), rtol=0.0, atol=1e-2, hint=hint.slope)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## A network learns

Forty points on two half moons, made here, one moon with the label $1$ and one with $-1$. The model has 2 inputs, 6 hidden numbers with `relu`, and 1 output, the score: 25 parameters, each a Value.
The loss is the mean of $\log(1 + e^{-\text{label} \cdot \text{score}})$: small where sign and label agree. Every step makes some 2500 Values, goes back through them once, and moves the parameters.

Run both cells and watch: left the boundary where the score is 0, right the loss.
"""

# %% [markdown] lang="ko" en="f8cf2cb0"
r"""
## 신경망이 배운다

반달 모양 두 개를 따라 놓인 점 40개를 다음 셀에서 만듭니다. 한쪽 반달의 레이블(label, 정답 표시)은 $1$, 다른 쪽은 $-1$입니다. 모델에는 입력 2개, `relu`를 거치는 은닉 값 6개, 출력인 점수(score) 1개가 있습니다. 파라미터는
25개이고 하나하나가 Value입니다. loss는 $\log(1 + e^{-\text{label} \cdot \text{score}})$의 평균이며, 점수와 레이블의 부호가 같으면 작습니다. 스텝마다 Value 2500개쯤을 만들고, 한 번 거슬러 가고, 파라미터를 움직입니다.

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
    """The score of many points at once, from the parameters' numbers alone, to draw it."""
    rows = [[value.data for value in row] for row in hidden]
    weights = [value.data for value in output]
    units = [np.maximum(u * x1 + v * x2 + c, 0) for u, v, c in rows]
    return sum(w * unit for w, unit in zip(weights[:6], units, strict=True)) + weights[6]


print(len(moons), len(parameters), f"{mean_loss().data:.3f}")

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
    if step % 10 == 0:
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
At heart PyTorch does the same. It does it on tensors, so that one step of its list handles a million numbers, and in C++. In place of a local slope it keeps its saved tensors (lesson 7),
and it counts what each node still waits for instead of sorting beforehand. But record, order, add up, reset is the core.

## What the hidden tests look for

- **10.1** Negative numbers, 0, very large and very small ones; numbers on either side; `a + a` and `a * a`; that operands are the parents themselves; a new Value each time; that nothing else changed.
- **10.2** Graphs drawn at random; the order rule, not one certain list; equal numbers in different Values; a leaf; several calls from several Values; forty diamonds; 5000 Values in a chain, with the recursion limit as it was.
- **10.3** Several calls, from different Values of one graph; buffers filled beforehand; a leaf as `self`; Values that have nothing to do with `self`; a parent that stands twice; slopes of 0, very large and very small ones; equal numbers.
- **10.4** Every operation against torch; whole, negative and fractional powers, as `int` and `float`; 0 wherever it is allowed; very large and small numbers; the parent.
- **10.5** The exact result after any number of steps, 0 too; step sizes; noisy points and points on a line (slope within 0.01); a second call; that the gradients come from `backward()`.

Everywhere: the rules of the tasks.

## What you have built

An autograd, and most of it you wrote before: `order` is the walk of `graph_nodes` (lesson 2), with an order. `backward` adds as `grad_history` records in lesson 3, and what it computes is `total_derivative` of
lesson 4. `fit_line` is `train5` with `zero=True`. If you have taken lesson 5: `slope * value.grad` is its VJP for a single number. And the quotient of lesson 1 was the ruler.

## Checklist

You can now answer these without looking back:

- What must an operation record so that a backward pass needs no formula?
- Which rule must an order keep? Give a graph on which breadth first breaks it, and one on which it does not.
- Which buffers add up over two calls of `backward()`, and which do not? What goes wrong otherwise, and on which graphs?
- Why does training not notice the missing reset of intermediate values?
- Why does an engine go backwards when there are many parameters and one loss?

## Links

- [micrograd: a tiny autograd engine (Andrej Karpathy)](https://github.com/karpathy/micrograd)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [micrograd issue 2: Incorrect gradient when non-leaf Values are re-used](https://github.com/karpathy/micrograd/issues/2)

This was the last lesson. You know what autograd does, since you have built one.
"""

# %% [markdown] lang="ko" en="47535e69"
r"""
PyTorch도 핵심은 같습니다. 다만 텐서로 하므로 리스트의 한 단계에서 수를 백만 개씩 한꺼번에 처리하고, C++로 되어 있습니다. 국소 기울기 대신 저장된 텐서(수업 07)를 남기고, 미리 정렬하는
대신 노드마다 아직 도착하지 않은 gradient가 몇 개인지 셉니다. 그러나 기록하고, 순서를 정하고, 더하고, 비우는 것이 핵심입니다.

## 숨은 테스트가 보는 것

- **10.1** 음수, 0, 아주 큰 수와 아주 작은 수. 왼쪽이나 오른쪽에 온 수. `a + a`와 `a * a`. 부모가 피연산자 자체인지. 매번 새 Value인지. 다른 것이 바뀌지 않았는지.
- **10.2** 무작위로 뽑은 그래프. 정해진 리스트가 아니라 순서의 규칙. 서로 다른 Value에 든 같은 수. leaf. 여러 Value에서 여러 번 호출. 마름모 40개. 재귀 한도를 그대로 두고 Value 5000개짜리 사슬.
- **10.3** 한 그래프의 여러 Value에서 여러 번 호출. 미리 채워 둔 버퍼. `self`가 leaf일 때. `self`와 상관없는 Value. 두 번 나오는 부모. 0이거나 아주 크거나 작은 기울기. 서로 같은 수.
- **10.4** 모든 연산을 torch와 비교. 정수, 음수, 정수가 아닌 지수(0.5 등)를 `int`와 `float`로. 허용된 곳의 0. 아주 큰 수와 작은 수. 부모.
- **10.5** 스텝 수가 몇이든(0도) 정확한 결과. 학습률. 잡음이 섞인 점과 한 직선에 놓인 점(기울기의 오차는 0.01 이내). 두 번째 호출. gradient를 `backward()`로 구하는지.

모든 과제에서 공통 규칙을 함께 봅니다.

## 지금까지 만든 것

autograd를 만들었습니다. 그 대부분은 전에 써 본 것입니다. `order`는 수업 02의 `graph_nodes`처럼 모든 노드를 한 번씩 들르고, 거기에 순서의 규칙까지 지킵니다. `backward`는 수업 03의 `grad_history`에서 본 대로 더하고, 그 결과는 수업 04의
`total_derivative`입니다. `fit_line`은 `zero=True`인 `train5`입니다. 수업 05를 마쳤다면, `slope * value.grad`는 수가 하나일 때의 VJP입니다. 잣대는 수업 01의 차분몫이었습니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 역전파에 식이 필요 없으려면 연산마다 무엇을 기록해야 하나요?
- 순서는 어떤 규칙을 지켜야 하나요? 너비 우선으로 가면 규칙이 깨지는 그래프와 깨지지 않는 그래프를 하나씩 들어 보세요.
- `backward()`를 두 번 부를 때 쌓이는 버퍼와 쌓이지 않는 버퍼는 무엇인가요? 그렇게 하지 않으면 어떤 그래프에서 무엇이 틀리나요?
- 중간 값을 비우지 않아도 학습에서 드러나지 않는 까닭은 무엇인가요?
- 파라미터가 많고 loss가 하나일 때 엔진이 뒤로 가는 까닭은 무엇인가요?

## 더 읽을거리

- [micrograd: 작은 autograd 엔진 (Andrej Karpathy, 영어)](https://github.com/karpathy/micrograd)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [micrograd 이슈 2: Incorrect gradient when non-leaf Values are re-used (영어)](https://github.com/karpathy/micrograd/issues/2)

이것이 마지막 수업입니다. 이제 여러분은 autograd가 무엇을 하는지 압니다. 직접 만들었으니까요.
"""
