# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Branches and broadcasts: where gradients add up

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · chain rule, fan-out, broadcast

**After this lesson you can**

- compute a slope when several paths lead from a number to the result: multiply along each path, add over the paths;
- say which part of PyTorch does that addition, and when;
- give each input of an operation such as $x^q$ its own gradient;
- undo a broadcast in the backward pass, and say why it is done so;
- see a shared weight as a number with many paths to the loss.

You need lessons 1 to 3: `backward()`, `grad_fn` and `.grad`.
"""

# %% [markdown] lang="ko" en="4c918f6f"
r"""
# 팬아웃과 브로드캐스트: gradient가 더해지는 곳

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · 연쇄 법칙, 팬아웃, 브로드캐스트

**이 수업을 마치면**

- 어떤 수에서 결과까지 경로가 여러 개일 때 기울기를 구할 수 있습니다. 경로를 따라 곱하고, 경로끼리 더합니다.
- PyTorch의 어느 부분이 언제 그 덧셈을 하는지 말할 수 있습니다.
- $x^q$ 같은 연산에서 입력마다 gradient를 따로 구할 수 있습니다.
- 역방향 계산(backward pass)에서 브로드캐스트(broadcast)를 되돌려 gradient를 원래 shape로 만들고, 왜 그렇게 하는지 설명할 수 있습니다.
- 여러 번 쓰이는 가중치는 loss까지 가는 경로가 여럿이라는 점을 설명할 수 있습니다.

수업 01–03에서 배운 `backward()`, `grad_fn`, `.grad`를 알고 있으면 됩니다.
"""

# %%
import math

import torch

from secant import draw_graph, expect_error, explore_paths, language, predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

Here $z = \log y + \sqrt{w}$ with $y = x^3$ and $w = x^2$. ($\log$ is the natural logarithm, as in PyTorch.) When $x$ moves by $h$, both $y$ and $w$
move, and $z$ changes by $\Delta z$. The bar is the difference quotient $\Delta z/h$, the slope of a secant; the dashed line is at autograd's
gradient. The first two rows below the picture are the two numbers. (Ignore the right plot and the other choices for now: they come in section 3.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="e68a01f7"
r"""
## 먼저 보기

$y = x^3$, $w = x^2$이고 $z = \log y + \sqrt{w}$입니다. (PyTorch에서처럼 $\log$는 자연로그입니다.) $x$를 $h$만큼 움직이면 $y$와 $w$가 둘 다 움직이고,
$z$는 $\Delta z$만큼 달라집니다. 막대는 차분몫(difference quotient) $\Delta z/h$, 곧 할선의 기울기이고, 파선의 높이는 autograd의 gradient입니다. 두 값은
그림 아래 처음 두 줄에 나옵니다. (오른쪽 그림과 다른 선택 항목은 3절에서 다루니 지금은 그대로 두세요.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_paths(by_path=False).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient goes to autograd's gradient as $h$ gets small. Yet $x$ acts on $z$ in two ways, through $y$ and through $w$. This lesson is
about how autograd makes one gradient out of several such ways.

</details>

## Predict first

Take this $z = \log x^3 + \sqrt{x^2}$ at $x = 5$. Two paths lead from $x$ to $z$, one through the logarithm, one through the root. Taken alone, the
first has slope $0.6$ and the second $1.0$.

A **hook** on `x` is a function that PyTorch calls with the gradient of `x` once that gradient is known. Our hook prints its argument.
**What does a single `z.backward()` print?**
"""

# %% [markdown] lang="ko" en="fbac7756"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 차분몫이 autograd의 gradient에 다가갑니다. 그런데 $x$가 $z$에 영향을 주는 경로는 $y$를 거치는 것과
$w$를 거치는 것, 두 가지입니다. 이 수업에서는 이렇게 경로가 여럿일 때 autograd가 gradient 하나를 어떻게 구하는지 살펴봅니다.

</details>

## 먼저 예상하기

앞의 $z = \log x^3 + \sqrt{x^2}$을 $x = 5$에서 봅시다. $x$에서 $z$까지 경로가 두 개 있습니다. 하나는 로그를, 하나는 제곱근을 지납니다. 따로 보면 첫째 경로의 기울기는 $0.6$, 둘째 경로의 기울기는 $1.0$입니다.

`x`에 거는 **hook**은 `x`의 gradient가 구해졌을 때 PyTorch가 그 값을 인자로 넘겨 호출하는 함수입니다. 여기서 쓸 hook은 받은 값을 출력합니다.
**`z.backward()`를 한 번 호출하면 무엇이 출력될까요?**
"""

# %%
predict(
    "4 hook",
    A=say(en="0.6, then 1.0: one call for each path", ko="0.6, 이어서 1.0: 경로마다 한 번씩"),
    B=say(
        en="0.6, then 1.6: the second path is added to `.grad`",
        ko="0.6, 이어서 1.6: 둘째 경로가 `.grad`에 더해지므로",
    ),
    C=say(en="1.6, once", ko="1.6 한 번"),
)

# %% [markdown] lang="en"
r"""
## 1. Two paths to one result

First, the gradient itself. Here is the computation, with a name for each step.
"""

# %% [markdown] lang="ko" en="54919c84"
r"""
## 1. 결과 하나에 이르는 두 경로

먼저 gradient부터 구합시다. 단계마다 이름을 붙여 계산합니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
z.backward()

print(tensor_info(x=x, y=y, w=w, z=z))

# %% [markdown] lang="en"
r"""
`x.grad` is $1.6$. To see why, compute the slope of each operation by itself, its **local slope** (many
texts say *local gradient*). (Under `torch.no_grad()` nothing is recorded; these are plain numbers.)
"""

# %% [markdown] lang="ko" en="c4109c90"
r"""
`x.grad`는 $1.6$입니다. 어디에서 나온 값일까요? 연산 하나하나의 기울기인 **국소 기울기**(local slope, local gradient라고도 합니다)를 구해 봅시다.
(`torch.no_grad()` 안에서는 아무것도 기록되지 않으므로 수만 계산합니다.)
"""

# %%
with torch.no_grad():
    dy_dx, dz_dy = 3 * x**2, 1 / y
    dw_dx, dz_dw = 2 * x, 1 / (2 * torch.sqrt(w))

print(f"x -> y: {dy_dx:g}   y -> z: {dz_dy:g}  ", say(en="product:", ko="곱:"), f"{dy_dx * dz_dy:g}")
print(f"x -> w: {dw_dx:g}   w -> z: {dz_dw:g}    ", say(en="product:", ko="곱:"), f"{dw_dx * dz_dw:g}")
print(say(en="sum:", ko="합:"), f"{dy_dx * dz_dy + dw_dx * dz_dw:g}")

# %% [markdown] lang="en"
r"""
Along each path you **multiply** the slopes; that is the chain rule of lesson 1. Then you **add** the products of all paths:

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{\partial z}{\partial y} + \frac{dw}{dx}\cdot\frac{\partial z}{\partial w}
= 75 \cdot 0.008 + 10 \cdot 0.1 = 0.6 + 1.0 = 1.6.$$

($\partial z/\partial y$ is a partial derivative: only $y$ moves, and $w$ is held fixed.) The sum is the **total derivative** of $z$ with
respect to $x$. The paths diverge at `x`, which is a **fan-out**: a value that is used more than once.

How many paths can there be? Each round of the next loop uses `t` twice.
"""

# %% [markdown] lang="ko" en="a969cb84"
r"""
경로를 따라가면서는 기울기를 **곱합니다**. 수업 01의 연쇄 법칙(chain rule)입니다. 그런 다음 경로마다 얻은 곱을 모두 **더합니다**.

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{\partial z}{\partial y} + \frac{dw}{dx}\cdot\frac{\partial z}{\partial w}
= 75 \cdot 0.008 + 10 \cdot 0.1 = 0.6 + 1.0 = 1.6$$

($\partial z/\partial y$는 편미분계수(partial derivative)입니다. $w$는 고정하고 $y$만 움직입니다.) 이 합은 $x$에 대한 $z$의
**전도함수**(全導函數, total derivative)의 값입니다. 전도함수는 모든 경로를 합친 도함수라는 뜻입니다. 경로가 갈라지는 `x`처럼 값 하나가 두 번 이상
쓰이는 곳을 **팬아웃**(fan-out)이라고 합니다. `if`는 갈래 중 하나만 실행하지만, 팬아웃에서는 모든 경로가 계산에 쓰입니다.

경로는 몇 개까지 생길 수 있을까요? 다음 반복문은 한 번 돌 때마다 `t`를 두 번 씁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
t = x
for _ in range(40):
    t = t + t
t.backward()
print("x.grad:", int(x.grad))
print("2**40 :", 2**40)

# %% [markdown] lang="en"
r"""
Every step here has slope 1, so the product along every path is 1, and the gradient counts the paths: more than $10^{12}$.
Yet the cell finished at once. `backward()` does not follow the paths one by one. It starts at the result and runs **each node once,
after every gradient meant for that node has arrived**. The node gets the *sum* of these gradients and passes its own results on towards the leaves.
This is why **backpropagation** (lesson 1) is cheap: forty additions are enough. In task 4.1 you do the same.

## 2. The engine adds, not `.grad`

A popular answer: "`backward()` *adds to* `.grad`, so `x.grad` first becomes $0.6$, then $1.6$." Let us test that. We register the hook
from the start, and a second one with `register_post_accumulate_grad_hook`, which PyTorch calls each time it has written to `x.grad`.
"""

# %% [markdown] lang="ko" en="fe7db347"
r"""
여기서는 단계마다 기울기가 1이므로 경로마다 곱도 1이고, gradient는 경로의 개수와 같습니다. $10^{12}$개가 넘습니다.
그런데도 셀은 금방 끝났습니다. `backward()`는 경로를 하나씩 따라가지 않습니다. 결과에서 출발해, **노드마다 받을 gradient가 모두 도착한 다음에
한 번씩만** 실행합니다. 노드는 도착한 gradient의 *합*을 받아 계산하고, 그 결과를 leaf 쪽으로 넘깁니다. **역전파**(backpropagation, 수업 01)가
빠른 이유가 여기에 있습니다. 덧셈 40번이면 충분합니다. 과제 4.1에서 여러분도 이렇게 하게 됩니다.

## 2. 더하는 것은 `.grad`가 아니라 엔진

흔히 이렇게 답합니다. "`backward()`는 `.grad`에 *더하니까* `x.grad`가 먼저 $0.6$이 되고 그다음 $1.6$이 된다." 정말 그런지
확인합시다. 처음에 말한 hook과 함께, `x.grad`에 값이 쓰일 때마다 호출되는 hook을
`register_post_accumulate_grad_hook`으로 하나 더 겁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda gradient: print(say(en="hook on x       :", ko="x의 hook  :"), gradient))
x.register_post_accumulate_grad_hook(
    lambda leaf: print(say(en="x.grad written  :", ko="x.grad 변경:"), leaf.grad)
)

z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()

# %% [markdown] lang="en"
r"""
Each hook was called **once**. The first was given $1.6$, and when the second was called, `x.grad` was $1.6$. Nothing ever wrote $0.6$ to
`x.grad`: the sum was complete before it arrived there.

The graph shows why. Look where the computation began: there is only *one* node for `x`.
"""

# %% [markdown] lang="ko" en="88008238"
r"""
두 hook 모두 **한 번씩만** 호출되었습니다. 첫째는 $1.6$을 받았고, 둘째가 호출되었을 때 `x.grad`도 $1.6$이었습니다. `x.grad`에 $0.6$이 쓰인 적은
없습니다. 값이 도착하기 전에 덧셈이 이미 끝나 있었습니다.

이유는 그래프에 있습니다. 계산이 시작된 곳을 보세요. `x`의 노드는 *하나*뿐입니다.
"""

# %%
draw_graph(x=x, z=z)

# %% [markdown] lang="en"
r"""
The same in code: follow both paths from `z.grad_fn` to their ends, as in lesson 2.
"""

# %% [markdown] lang="ko" en="f80c9990"
r"""
코드로도 확인합시다. 수업 02에서처럼 `z.grad_fn`에서 두 경로를 끝까지 따라갑니다.
"""

# %%
ends = []
for node, _ in z.grad_fn.next_functions:
    names = [z.grad_fn.name()]
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    names.append(node.name())
    ends.append(node)
    print(" > ".join(name.rpartition("::")[2] for name in names))

print(say(en="the same node :", ko="같은 노드인가 :"), ends[0] is ends[1])
print(say(en="it belongs to x:", ko="x의 노드인가 :"), ends[0].variable is x)

# %% [markdown] lang="en"
r"""
(`rpartition("::")[2]` removes `torch::autograd::` from a name; `.variable` is the leaf of an `AccumulateGrad` node.)
Both paths end in the *same* `AccumulateGrad` node. The **engine** is the part of PyTorch that runs `backward()`. It keeps a slot
for each waiting node and adds up the gradients that arrive there. Once no more can arrive, the node runs, once. Only then does
`AccumulateGrad` add a single value, $1.6$, to whatever `.grad` held before.
"""

# %% [markdown] lang="ko" en="12e98215"
r"""
(`rpartition("::")[2]`는 이름 앞의 `torch::autograd::`를 떼고, `.variable`은 `AccumulateGrad` 노드가 맡은 leaf입니다.)
두 경로는 *같은* `AccumulateGrad` 노드에서 끝납니다. PyTorch에서 `backward()`를 실행하는 부분을 **엔진**(engine)이라고 합니다. 엔진은 차례를
기다리는 노드마다 자리를 하나씩 마련해 두고, 들어오는 gradient를 거기에 더합니다. 더 들어올 것이 없으면 노드가 한 번 실행됩니다.
`AccumulateGrad`는 그제야 $1.6$이라는 값 하나를 `.grad`에 있던 값에 더합니다.
"""

# %%
predicted(
    "4 hook",
    right="C",
    A=say(
        en="The hook is called with the gradient, and the gradient is the sum: "
        "the paths are added before the hook is called.",
        ko="hook이 받는 것은 gradient이고 gradient는 합입니다. 두 경로를 더한 다음에 hook이 호출됩니다.",
    ),
    B=say(
        en="`.grad` does add, but only from one `backward()` to the next. Within one, the engine adds first.",
        ko="`.grad`도 더하기는 하지만 `backward()`를 여러 번 호출할 때의 이야기입니다. 한 번 안에서는 엔진이 먼저 더합니다.",
    ),
    C=say(
        en="The engine adds what comes along both paths, then calls the hook once.",
        ko="두 경로로 들어온 값을 엔진이 더한 다음 hook을 한 번 호출합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So there are two additions. Keep them apart:

| | adds up | when |
|---|---|---|
| the engine | the paths of **one** `backward()` | before the node runs |
| the `.grad` buffer | the results of **several** `backward()` calls | when `AccumulateGrad` runs |

The next cell shows the difference. First, an `x` whose `.grad` already holds $10$: the hook still gets $1.6$. Second, a
non-leaf `u` with two paths: it has no `.grad` at all, and its gradient is still a sum.
"""

# %% [markdown] lang="ko" en="43642277"
r"""
그러니 덧셈이 일어나는 곳은 두 군데입니다. 둘을 구별해 두세요.

| | 무엇을 더하나 | 언제 |
|---|---|---|
| 엔진 | `backward()` **한 번** 안의 여러 경로 | 노드가 실행되기 전 |
| `.grad` 버퍼 | `backward()` **여러 번**의 결과 | `AccumulateGrad`가 실행될 때 |

다음 셀의 두 예에서 차이가 드러납니다. 첫째, `.grad`에 이미 $10$이 들어 있는 `x`에서도 hook은 $1.6$을 받습니다. 둘째, 경로가 둘인
중간 텐서 `u`에는 `.grad`가 아예 없는데도 gradient는 합입니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
x.grad = torch.tensor(10.0)
x.register_hook(lambda gradient: print(say(en="hook on x       :", ko="x의 hook  :"), gradient))
(torch.log(x**3) + torch.sqrt(x**2)).backward()
print("x.grad:", x.grad)

x = torch.tensor(5.0, requires_grad=True)
u = x * 1
u.register_hook(lambda gradient: print(say(en="hook on u       :", ko="u의 hook  :"), gradient))
(torch.log(u**3) + torch.sqrt(u**2)).backward()
print(say(en="u keeps a .grad:", ko="u에 .grad가 남는가:"), u.retains_grad)

# %% [markdown] lang="en"
r"""
## 3. Why the paths may simply be added

When `x` moves, `y` and `w` move *together*. Why may we follow one path while the other is held fixed, and add the results afterwards?

Here is the explorer of the first look again. On the right you see for every $h$ how far the bar is from the dashed line. *Each path* adds two quotients, one
with only $y$ moving and one with only $w$ moving. Each bar starts where the one before it ends. Between these two and the whole is the
**remainder** $r$: the quotient for both moving, minus the other two. The diamond ◇ is at the part of autograd's gradient that comes through $y$.

1. Choose *each path* and move $h$. With $z = \log y + \sqrt{w}$, do the first two bars ever fail to add up to the last?
2. Move $h$ to the far left. Which heights do the bars tend to?
3. Choose $z = y \times w$, at $x = 5$. How large is $r$ at $h = 0.1$, $0.01$, $0.001$?
4. How steep is its line on the right? What does that say about $h \to 0$?
"""

# %% [markdown] lang="ko" en="cd03bdfa"
r"""
## 3. 경로를 그냥 더해도 되는 이유

`x`를 움직이면 `y`와 `w`가 *함께* 움직입니다. 그런데 왜 다른 경로는 고정하고 한 경로씩 따로 구한 다음 더해도 될까요?

맨 앞에서 본 탐색기입니다. 오른쪽 그림은 막대와 파선이 $h$마다 얼마나 떨어져 있는지를 보여 줍니다. *경로마다*를 고르면 $y$만 움직일 때의 차분몫과 $w$만 움직일
때의 차분몫이 더 나옵니다. 막대는 앞의 막대가 끝난 높이에서 시작합니다. 막대 사이에 표시된 $r$은 둘 다 움직일 때의 차분몫에서 앞의 두 차분몫을 뺀
**나머지**입니다. ◇는 autograd의 gradient 가운데 $y$를 거쳐 온 부분의 높이에 있습니다.

1. *경로마다*를 고르고 $h$를 움직이세요. $z = \log y + \sqrt{w}$일 때 앞의 두 막대를 더한 것이 마지막 막대와 다를 때가 있나요?
2. $h$를 왼쪽 끝까지 옮기세요. 막대의 높이는 어떤 값에 다가가나요?
3. $x = 5$에서 $z = y \times w$를 고르세요. $h = 0.1$, $0.01$, $0.001$에서 $r$은 얼마인가요?
4. 오른쪽에서 $r$의 선은 얼마나 가파른가요? $h \to 0$일 때 어떻게 된다는 뜻인가요?
"""

# %%
explore_paths(by_path=False)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

With $\log y + \sqrt{w}$ the remainder is 0 at any $h$: in a sum the two parts do not affect each other. At $x = 5$ they tend to $0.6$ and $1.0$, and $0.6 + 1.0$ is
$1.6$. With $y + w$, the third choice, the remainder is 0, too. (The explorer shows as 0 what is no more than round-off.) In a product
$y \times w$ they do affect each other: the change of one factor is multiplied by the change of the other.

$$(y+\Delta y)(w + \Delta w) - y w = \underbrace{\Delta y\, w}_{\text{only } y} + \underbrace{y\, \Delta w}_{\text{only } w}
+ \underbrace{\Delta y\, \Delta w}_{\text{remainder}}.$$

Divide by $h$. The first two parts tend to slopes. The last is $\frac{\Delta y}{h}\cdot\Delta w$: a quotient that tends to a slope, times
something that tends to zero. It was $77$ at $h = 0.1$, then $7.5$, then $0.75$: a tenth of $h$ leaves about a tenth of $r$,
so on logarithmic axes its line has slope 1. Whatever smooth
function merges $y$ and $w$, the remainder tends to zero in this way. That is why paths may be added *in the limit*.

</details>
"""

# %% [markdown] lang="ko" en="f0356d08"
r"""
<details><summary>무엇을 보았나요?</summary>

$\log y + \sqrt{w}$에서는 $h$가 얼마든 나머지가 없습니다. 더할 때는 두 부분이 서로 영향을 주지 않기 때문입니다. $x = 5$에서 두 부분은 $0.6$과 $1.0$에 다가가고
$0.6 + 1.0$은 $1.6$입니다. 목록에 있는 $y + w$에서도 나머지가 없습니다. (탐색기는 반올림 오차를 넘지 않는 $r$을 0으로 표시합니다.)
곱 $y \times w$는 다릅니다. 한쪽의 변화량에 다른 쪽의 변화량이 곱해지기 때문입니다.

$$(y+\Delta y)(w + \Delta w) - y w = \underbrace{\Delta y\, w}_{y\text{만}} + \underbrace{y\, \Delta w}_{w\text{만}}
+ \underbrace{\Delta y\, \Delta w}_{\text{나머지}}$$

$h$로 나눕시다. 앞의 두 항은 기울기에 다가갑니다. 마지막 항은 $\frac{\Delta y}{h}\cdot\Delta w$, 곧 기울기에 다가가는 차분몫에 0으로 가는 수를
곱한 것입니다. $h = 0.1$에서 $77$, 그다음 $7.5$, $0.75$였습니다. $h$가 10분의 1이 되면 $r$도 약 10분의 1이 되므로, 로그 축에서 선의 기울기는 1입니다. 두 값을 합치는
함수가 매끄럽기만 하면 나머지는 언제나 이렇게 0으로 갑니다. 그래서 *극한에서는* 경로를 더해도 됩니다.

</details>
"""

# %% [markdown] lang="en"
r"""
### Optional: a pair of functions of your own

The lesson's 90 minutes do not include the optional parts (this one and task 4.3), and nothing later depends on them.
"""

# %% [markdown] lang="ko" en="7ddbff66"
r"""
### 여러분의 함수 두 개 · 선택

선택으로 표시한 부분(여기와 과제 4.3)은 {{minutes}}분에 들지 않고, 뒤에서 필요하지도 않습니다.
"""


# %%
def rising(x):
    return torch.exp(x / 2)


def falling(x):
    return torch.cos(x)


explore_paths((rising, falling), merge="×", x_range=(0, 3), x=1)

# %% [markdown] lang="en"
r"""
## 4. Each input has its own gradient

Multiplication has two inputs, and so does the power: its exponent can be tracked as well as its base. In the next cell the exponent is a
tensor, `q`. (As in lesson 2, `draw_graph` computes the gradients in its picture itself and stores none of them, so it may stand before `backward()`.)
"""

# %% [markdown] lang="ko" en="172c6dbf"
r"""
## 4. 입력마다 gradient가 따로 있다

곱셈에는 입력이 두 개 있습니다. 거듭제곱도 그렇고, 밑뿐 아니라 지수도 추적할 수 있습니다. 다음 셀에서는 지수도 텐서 `q`로 둡니다.
(수업 02에서처럼 `draw_graph`는 그림에 쓸 gradient를 따로 계산하고 저장하지 않으므로 `backward()` 앞에 있어도 됩니다.)
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = x**q
z = torch.log(y)
picture = draw_graph(values=True, slopes=True, gradients=True, x=x, q=q, y=y, z=z)
z.backward()

print("y, z  :", y.item(), f"{z.item():.4f}")
print("x.grad:", x.grad, say(en="  by hand:", ko="  손으로:"), f"{3 * 5**2:g} * {1 / 125:g} = {75 / 125:g}")
product = f"{125 * math.log(5):.2f} * {1 / 125:g} = {math.log(5):.4f}"
print("q.grad:", q.grad, say(en="  by hand:", ko="  손으로:"), product)
picture

# %% [markdown] lang="en"
r"""
(`PowBackward1` is the power whose exponent is a tensor; with a number, as in section 1, it is `PowBackward0`.)
The power has two local slopes, one for each input, each taken while the other input is held fixed:

$$\frac{\partial y}{\partial x} = q\,x^{q-1} = 75, \qquad \frac{\partial y}{\partial q} = x^q \log x \approx 201.18.$$

Both are multiplied by the same number, $\frac{dz}{dy} = 0.008$, which arrives from the output side. In general, a step of the
backward pass, the *backward step* of an operation, gets the gradient of its output and returns *one for each input*.
(An operation with several results, such as `unbind` in lesson 2, gets a gradient of each result.)

The second formula has a trap. **What does PyTorch give as the gradient of $q$ in $x^q$ at $x = 0$, $q = 2$?**
"""

# %% [markdown] lang="ko" en="01cca585"
r"""
(`PowBackward1`은 지수가 텐서인 거듭제곱입니다. 1절에서처럼 지수가 그냥 수이면 `PowBackward0`입니다.) 거듭제곱의 국소 기울기는 입력마다
하나씩, 모두 둘입니다. 하나를 구할 때 다른 입력은 고정합니다.

$$\frac{\partial y}{\partial x} = q\,x^{q-1} = 75, \qquad \frac{\partial y}{\partial q} = x^q \log x \approx 201.18$$

출력 쪽에서 넘어온 수 $\frac{dz}{dy} = 0.008$은 하나이고, 이 수를 두 기울기에 모두 곱합니다. 일반적으로 역방향 계산의 한 단계는 출력의
gradient를 받아서 *입력마다 하나씩* 돌려줍니다. (수업 02의 `unbind`처럼 결과가 여러 개인 연산은 결과마다 gradient를 하나씩 받습니다.)

둘째 식에는 함정이 있습니다. **$x = 0$, $q = 2$에서 $x^q$을 $q$로 미분하면 PyTorch는 어떤 값을 내놓을까요?**
"""

# %%
predict(
    "4 zero",
    A=say(en="`nan`: the formula says 0 times log 0", ko="`nan`: 식대로 하면 0 곱하기 log 0이므로"),
    B="0",
    C=say(en="`-inf`: log 0 is minus infinity", ko="`-inf`: log 0이 음의 무한대이므로"),
)

# %%
x = torch.tensor([0.0, 2.0], requires_grad=True)
q = torch.tensor([2.0, 2.0], requires_grad=True)
(x**q).sum().backward()

with torch.no_grad():
    print("x**q * log(x):", x**q * torch.log(x))
print("q.grad       :", q.grad)

predicted(
    "4 zero",
    right="B",
    A=say(
        en="The formula, typed in as it is, does give that; "
        "PyTorch's backward step treats x = 0 as a special case.",
        ko="식을 그대로 쓰면 그렇게 됩니다. 그래서 PyTorch의 backward는 x = 0을 따로 다룹니다.",
    ),
    B=say(
        en="`0**q` is 0 for every q above 0: move q, and nothing changes.",
        ko="q가 0보다 크면 `0**q`은 늘 0입니다. q를 움직여도 그대로입니다.",
    ),
    C=say(
        en="The logarithm alone is `-inf`, but it is multiplied by `0**2`.",
        ko="로그만 보면 `-inf`이지만 `0**2`이 곱해집니다.",
    ),
)

# %% [markdown] lang="en"
r"""
A single `nan` in a gradient turns every sum that contains it into `nan`. That is why PyTorch's backward step of the power handles
this case separately. In task 4.3 you will do so.

## 5. A broadcast is a fan-out

Multiply a single number `x` by a vector with three elements. PyTorch stretches the number to the shape of the vector; this is a **broadcast**.
Then take the dot product with a second vector:
`p = x * torch.tensor([2., 3., 5.])`, `z = p @ torch.tensor([4., 7., 9.])`. **What is `x.grad` after `z.backward()`?**
"""

# %% [markdown] lang="ko" en="be883d67"
r"""
gradient에 `nan`이 하나라도 있으면 그것이 더해지는 합은 모두 `nan`이 됩니다. 그래서 PyTorch의 거듭제곱 backward는 이 경우를 따로
처리합니다. 과제 4.3에서는 여러분이 직접 처리합니다.

## 5. 브로드캐스트는 팬아웃이다

수 `x` 하나에 원소 3개짜리 벡터를 곱합니다. PyTorch는 수를 벡터의 shape로 늘려서 계산하는데, 이것이 **브로드캐스트**(broadcast)입니다.
이어서 다른 벡터와 내적(dot product)을 구합니다.
`p = x * torch.tensor([2., 3., 5.])`, `z = p @ torch.tensor([4., 7., 9.])`. **`z.backward()` 다음에 `x.grad`는 무엇일까요?**
"""

# %%
predict(
    "4 broadcast",
    A=say(en="74, the sum of 8, 21 and 45", ko="74: 8, 21, 45의 합"),
    B=say(
        en="24.67: `x` is one number, so it gets the mean of 8, 21 and 45",
        ko="24.67: `x`는 수 하나이므로 8, 21, 45의 평균",
    ),
    C=say(en="`[8, 21, 45]`: one gradient for each use", ko="`[8, 21, 45]`: 쓰인 곳마다 하나씩"),
)

# %%
x = torch.tensor(5.0, requires_grad=True)
p = x * torch.tensor([2.0, 3.0, 5.0])
z = p @ torch.tensor([4.0, 7.0, 9.0])
picture = draw_graph(values=True, slopes=True, gradients=True, x=x, p=p, z=z)

p.retain_grad()
z.retain_grad()
z.backward()

print(tensor_info(x=x, p=p, z=z))
picture

# %%
predicted(
    "4 broadcast",
    right="A",
    A=say(
        en="Three uses are three paths, and paths are added.",
        ko="세 번 쓰이면 경로가 셋이고, 경로에서 온 값은 더합니다.",
    ),
    B=say(
        en="If `x` moves by a little, all three products move, by their full slopes.",
        ko="`x`가 조금 움직이면 세 곱이 모두 각자의 기울기만큼 움직입니다.",
    ),
    C=say(
        en="A gradient has the shape of its own tensor, and `x` has shape `()`: the three are added.",
        ko="gradient의 shape는 그 텐서의 shape와 같습니다. `x`의 shape는 `()`이므로 셋을 더합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
Nothing was copied in memory: the broadcast reads the same number three times. (`x.expand(3).stride()` is `(0,)`: the next
element is 0 positions further on.) But it acts as if there were three copies, and each copy is a path:

$$\frac{dz}{dx} = 4\cdot 2 + 7\cdot 3 + 9\cdot 5 = 8 + 21 + 45 = 74.$$

In the picture, $2$, $3$ and $5$ are the slopes of the multiplication, one for each copy, and $4$, $7$ and $9$ are the gradients that arrive at the three products.
This is section 1 with three paths. It gives a rule for every backward step that you write by hand: **the
gradient of a broadcast is the sum over the copies.** Look at the shapes.
"""

# %% [markdown] lang="ko" en="4de7b6d4"
r"""
메모리에 복사된 것은 없습니다. 브로드캐스트는 같은 수를 세 번 읽을 뿐입니다. (`x.expand(3).stride()`는 `(0,)`입니다. 다음 원소로
갈 때 메모리에서 0칸을 움직인다는 뜻입니다.) 하지만 복사본이 셋 있는 것처럼 동작하고, 복사본 하나하나가 경로입니다.

$$\frac{dz}{dx} = 4\cdot 2 + 7\cdot 3 + 9\cdot 5 = 8 + 21 + 45 = 74$$

그림에서 $2$, $3$, $5$는 곱셈의 기울기로, 복사본마다 하나씩입니다. $4$, $7$, $9$는 세 곱에 도착하는 gradient입니다.
1절의 경로가 둘에서 셋으로 늘었을 뿐이지만, 여기서 backward를 직접 작성할 때마다 필요한 규칙이 나옵니다. **브로드캐스트의 gradient는
복사본마다 구한 gradient를 모두 더한 것입니다.** shape를 봅시다.
"""

# %%
scalar = torch.tensor(1.0, requires_grad=True)
row = torch.zeros(3, requires_grad=True)
column = torch.zeros(4, 1, requires_grad=True)

table = scalar + row + column
table.sum().backward()
print("table :", tuple(table.shape))
for name, tensor in (("scalar", scalar), ("row", row), ("column", column)):
    print(f"{name:6}:", tuple(tensor.shape), tensor.grad.tolist())

# %% [markdown] lang="en"
r"""
Every element of the table has gradient 1. There are 12 copies of the scalar, 4 of each element of the row and 3 of each element of
the column, and these counts are the gradients. Each gradient has the shape of *its own* tensor.

The backward pass sums over two kinds of dimension:

- those that the tensor **did not have**. Shapes are aligned from the right, so these are on the left: for the row `(3,)`, the gradient of
  shape `(4, 3)` is summed over dimension 0, and that dimension disappears;
- those where it had **size 1** and was stretched: for the column `(4, 1)`, the sum runs over dimension 1, and that dimension *stays*, with size 1.

**A sum, not a mean.** A mean appears only if you write one, as in a loss with `mean()`:
"""

# %% [markdown] lang="ko" en="65e598c7"
r"""
표의 원소는 모두 gradient가 1입니다. scalar는 12번, row의 원소는 4번씩, column의 원소는 3번씩 복사된 셈이고, 그 횟수가 그대로 gradient가 됩니다.
셋 모두 gradient의 shape가 *그 텐서*의 shape와 같습니다.

역방향 계산에서 합을 구할 차원은 두 가지입니다.

- 그 텐서에 **없던** 차원. shape는 오른쪽부터 맞추므로 이런 차원은 왼쪽에 있습니다. `(4, 3)`에서 row `(3,)`은 0번 차원을 따라
  더하고, 그 차원은 사라집니다.
- **크기가 1**이었다가 늘어난 차원. column `(4, 1)`은 1번 차원을 따라 더하고, 그 차원은 크기 1로 *남습니다*.

**평균이 아니라 합을 구합니다.** 평균이 나오는 것은 loss에 `mean()`을 쓸 때처럼 여러분이 직접 평균을 낸 경우뿐입니다.
"""

# %%
scalar.grad = None
(scalar + row + column).mean().backward()
print(say(en="with mean():", ko="mean()을 쓰면:"), f"{scalar.grad.item():g}", "= 12 * 1/12")

with expect_error():
    row + torch.zeros(4)

# %% [markdown] lang="en"
r"""
(The error is a reminder: 3 does not match 4, and only a 1 can be stretched.)

## 6. One weight, many uses

A **convolution** slides a few weights along the data. Each weight is used at every position, so every position is a path:

$$\text{out}_i = \sum_k \text{weights}_k\, \text{data}_{i+k}.$$

The next cell runs `conv1d`, which expects two more dimensions, hence `[None, None]`. It then repeats the computation with three copies of the
weights, one for each position, so that each copy gets the gradient of its own use.
"""

# %% [markdown] lang="ko" en="d6186524"
r"""
(오류는 일부러 낸 것입니다. 오른쪽부터 맞추면 3과 4는 맞지 않습니다. 늘어날 수 있는 것은 1뿐입니다.)

## 6. 가중치 하나를 여러 번 쓰면

**합성곱**(convolution)은 가중치(weight) 몇 개를 데이터를 따라 옮겨 가며 곱하고 더합니다. 가중치는 위치마다 한 번씩 쓰이므로 위치 하나하나가 경로입니다.

$$\text{out}_i = \sum_k \text{weights}_k\, \text{data}_{i+k}$$

다음 셀에서는 `conv1d`를 쓰는데, 입력에 차원이 두 개 더 있어야 하므로 `[None, None]`을 붙입니다. 그다음에는 위치마다 가중치의 복사본을 하나씩 써서 같은
계산을 합니다. 그러면 복사본마다 자기가 쓰인 곳의 gradient를 받습니다.
"""

# %%
data = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
weights = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
out = torch.nn.functional.conv1d(data[None, None], weights[None, None])[0, 0]
(out * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print("out         :", out.tolist())
print("weights.grad:", weights.grad)

copies = torch.tensor([1.0, -2.0, 3.0]).repeat(3, 1).requires_grad_()
out = torch.stack([copies[i] @ data[i : i + 3] for i in range(3)])
(out * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(say(en="its uses    :", ko="쓰인 곳마다 :"), copies.grad.tolist())
print(say(en="their sum   :", ko="그 합       :"), copies.grad.sum(0))

# %% [markdown] lang="en"
r"""
The gradient of the shared weights is the sum of the gradients that the uses would get separately. The same holds for a **recurrent**
network, which uses one weight at every time step. There the paths even differ in length: the effect of the weight at the first step
passes through all later steps.
"""

# %% [markdown] lang="ko" en="0fe59b55"
r"""
여러 곳에서 공유하는 가중치(shared weight)의 gradient는 쓰인 곳마다 따로 구한 gradient의 합입니다. 시간 단계마다 같은 가중치를 쓰는 **순환 신경망**(recurrent
network)도 마찬가지입니다. 여기서는 경로의 길이까지 서로 다릅니다. 첫 단계에서 쓴 가중치의 영향은 그 뒤의 모든 단계를 지나갑니다.
"""

# %%
inputs = torch.tensor([0.5, -1.0, 2.0])


def recurrent(weights_of_the_steps):
    state = torch.tensor(0.3)
    for weight, value in zip(weights_of_the_steps, inputs, strict=True):
        state = torch.tanh(weight * state + value)
    return state


shared = torch.tensor(0.8, requires_grad=True)
recurrent([shared, shared, shared]).backward()

own = [torch.tensor(0.8, requires_grad=True) for _ in inputs]
recurrent(own).backward()

print(say(en="shared      :", ko="공유할 때   :"), f"{shared.grad:.7f}")
print(say(en="step by step:", ko="단계마다    :"), " + ".join(f"({weight.grad:.7f})" for weight in own))
print(say(en="their sum   :", ko="그 합       :"), f"{sum(weight.grad for weight in own):.7f}")

# %% [markdown] lang="en"
r"""
Branches, broadcasts and shared weights are the same thing: a value that is used more than once. Its gradient is the sum over its
uses, and all these additions happen within a single `backward()`. Where paths meet, the engine adds what arrives; after a broadcast the
gradient is summed as soon as the backward step has computed it; `conv1d` is a single node, and what its backward step returns is already the sum.

## 7. A real bug

In November 2018, a month before PyTorch 1.0, a user [reported that its compiler, `torch.jit`, gave wrong
gradients](https://github.com/pytorch/pytorch/issues/13669). The function `f` below is a translation of the reported one. At $z = 1$ the
compiler gave $5436.56$ and plain autograd $2721$. Which of them is
right? The difference quotient shows it. In the cell, `first` and `second` are the two gradients that the compiler added
for `z`, here written by hand, one for each use of `torch.exp(z)`: the first use is a scalar, the second is broadcast to 1000 elements.
"""

# %% [markdown] lang="ko" en="05578826"
r"""
팬아웃, 브로드캐스트, 공유하는 가중치는 모두 같은 것, 곧 두 번 이상 쓰이는 값입니다. gradient는 쓰인 곳마다 구해서 더하며, 이 덧셈은 모두
`backward()` 한 번 안에서 일어납니다. 경로가 만나는 곳에서는 도착한 값을 엔진이 더합니다. 브로드캐스트에서는 그 연산의 backward가 구한 gradient를 곧바로
더하고, `conv1d`는 노드 하나이고 그 backward는 이미 더한 값을 돌려줍니다.

## 7. 실제로 있었던 버그

2018년 11월, PyTorch 1.0이 나오기 한 달 전에 PyTorch의 컴파일러 `torch.jit`이 [틀린 gradient를 낸다는
보고](https://github.com/pytorch/pytorch/issues/13669)가 들어왔습니다. 아래의 `f`는 보고된 함수를 옮겨 쓴 것입니다. $z = 1$에서 컴파일러는 $5436.56$,
보통의 autograd는 $2721$을 내놓았습니다. 컴파일러를 몰라도 어느 쪽이 맞는지 알 수 있습니다. 차분몫을 구하면 됩니다.
셀의 `first`와 `second`는 컴파일러가 `z`에서 더한 두 gradient를 손으로 쓴 것입니다. `torch.exp(z)`는 두 번 쓰이는데, 한 번은 스칼라로, 한 번은 원소 1000개로 브로드캐스트되어 쓰입니다.
"""


# %%
def f(z):
    return torch.exp(z).sum() + (torch.exp(z) - torch.zeros(1000, dtype=torch.float64)).sum()


z, h = torch.tensor(1.0, dtype=torch.float64), 1e-4
print(say(en="difference quotient:", ko="차분몫           :"), f"{(f(z + h) - f(z - h)) / (2 * h):.2f}")

first, second = torch.exp(z), torch.exp(z).expand(1000)
print(say(en="sum, then add      :", ko="먼저 합, 다음 덧셈:"), f"{first + second.sum():.2f}")
print(say(en="add, then sum      :", ko="먼저 덧셈, 다음 합:"), f"{(first + second).sum():.2f}")

# %% [markdown] lang="en"
r"""
Autograd is right, and the last line is the compiler's result. The compiler's derivative formulas ignored broadcasts. A gradient of
shape `(1000,)` arrived at `z`, which has shape `()`, and was added to the gradient of the other path *before* it was summed. That
addition broadcasts, so the first path counts 1000 times. **The fix**: every derivative formula now [sums its gradients down to the shapes of
its inputs](https://github.com/pytorch/pytorch/pull/14485) before anything else is added. In 2019 the bug
[returned](https://github.com/pytorch/pytorch/issues/22833): an optimization had again moved the sum after the addition.
"""

# %% [markdown] lang="ko" en="28148d16"
r"""
autograd가 맞고, 마지막 줄이 컴파일러의 결과입니다. 컴파일러의 미분 공식에는 브로드캐스트가 고려되지 않았습니다. 그래서 shape가 `()`인
`z`에 shape가 `(1000,)`인 gradient가 도착했고, 합을 구하기 *전에* 다른 경로의 gradient와 더해졌습니다. 이 덧셈도 브로드캐스트이므로 첫째
경로가 1000번 더해집니다. **해결**: 이제 미분 공식마다 [gradient를 먼저 입력의 shape가 되도록
더한](https://github.com/pytorch/pytorch/pull/14485) 다음에 다른 것과 더합니다. 이 버그는 2019년에 [다시
나타났습니다](https://github.com/pytorch/pytorch/issues/22833). 최적화 과정에서 합이 다시 덧셈 뒤로 밀려난 것입니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}. **Task 4.3 is optional**; it gives points like the others.

Test cells, **Check**, marks and the **rules of every task** are those of lesson 1.

<details><summary>The rules in short, and how to see a solution</summary>

A test cell holds the **visible tests**; grading adds
**hidden tests**, and the list after the last task says what they check. Your function leaves its arguments, with their `.grad`, `requires_grad` and
hooks, and every setting of the process as they were. It keeps dtype and shape, gives the same answer when called twice, and returns what its
docstring says. Once you have passed a task, or when you are stuck, Check shows a worked solution (in a terminal:
`autograder check 4 --solution total_derivative`).

</details>

**Only in this lesson:**

- In tasks 4.2 to 4.4 every tensor you are given may be tracked, a leaf or not, and need not be contiguous in memory: it may be a slice,
  transposed, or expanded (one element in memory stands at several positions), like the gradient that `sum()` sends back. Its elements may be of any size. The result is exact up to rounding.
  It may be tracked or not, and a later call must not change it.
"""

# %% [markdown] lang="ko" en="e484b4c8"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다. **과제 4.3은 선택 과제**이지만 점수는 똑같이 있습니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 4 --solution total_derivative`).

</details>

**이 수업에만 있는 규칙:**

- 과제 4.2–4.4에서 인자로 받는 텐서는 추적되는 것일 수 있고, leaf일 수도 아닐 수도 있습니다. 원소가 메모리에 나란히 놓여 있지 않을 수도 있습니다. 더 큰
  텐서에서 잘라 낸 것, 전치한 것, `sum()`이 돌려보내는 gradient처럼 `expand`한 것(메모리의 원소 하나가 여러 자리에 나오는 것)일 수 있습니다. 원소의 값은 아주 작거나 클 수 있고, 결과는 그 dtype의 반올림
  오차 안에서 정확해야 합니다. 결과는 추적되는 텐서여도 아니어도 됩니다. 단, 나중에 다시 호출했을 때 앞의 결과가 바뀌면 안 됩니다.
"""

# %% [markdown] lang="en"
r"""
## Task 4.1 · `total_derivative`

●●●○○ · ★★★★★ · 20 min · {{points}}

Given all local slopes of a graph, return the total derivative of `out` with respect to `src`: the sum over all paths from `src`
to `out` of the product of the slopes along the path.

- `edges` is a list of tuples `(from, to, local slope)`, **in any order**. Slopes are finite numbers, `float` or `int`; they may be 0 or
  negative. The slopes along a path, multiplied in any order, stay within the range of a `float`.
- A node is anything that can be a key of a `dict`: a string, a number, a tuple, `None`, an object. Nodes need not be comparable with `<`,
  and two different ones may look the same when printed. Equal ones (`==`), such as `1` and `1.0`, are the same node, as in a `dict`.
- The graph has no cycles. Two nodes may be joined by several edges (as in `x * x`): each counts.
- Edges on no path from `src` to `out` do not count. If there is no path, the result is 0.
- If `src == out`, the result is 1, whatever the edges are.
- Right sums on small graphs earn 2 of the 3 points; the third is for large graphs. 40 diamonds in a row have $2^{40}$ paths and must take less than a second, even if some slopes
  are 0 or the diamonds lie on no path from `src` to `out`.

  ```
     a0      a1             a39
    ↗  ↘    ↗  ↘           ↗   ↘
  0      1      2   ...  39     40
    ↘  ↗    ↘  ↗           ↘   ↗
     b0      b1             b39
  ```
- No path has more than 200 edges, so recursion is fine.
- Return a number (`0` and `0.0` are both fine) with the precision of Python's numbers: a tiny number is not 0, so round nothing. Do not
  change `edges`.

Write $D(n)$ for the derivative of `out` with respect to the node $n$. The four nodes of section 1, from `out` back to `src`:

| node | edges that leave it | $D$ |
|---|---|---|
| `z` | it is `out` | $1$ |
| `w` | to `z`, slope $0.1$ | $0.1 \times 1 = 0.1$ |
| `y` | to `z`, slope $0.008$ | $0.008 \times 1 = 0.008$ |
| `x` | to `y`, slope $75$; to `w`, slope $10$ | $75 \times 0.008 + 10 \times 0.1 = 1.6$ |

<details><summary>Hint 1: the idea</summary>

For each edge that leaves $n$, multiply its slope by the $D$ of the node it leads to; $D(n)$ is the sum of these products. For `out`
itself it is 1. Compute each $D(n)$ only once.

</details>

<details><summary>Hint 2: the skeleton</summary>

First build a `dict`, `leaving`, that gives the list of `(to, slope)` for each node that edges leave.

```
known = {out: 1.0}

def derivative(node):
    if node not in known:
        known[node] = ...  # from leaving and derivative; what if no edge leaves the node?
    return known[node]
```

</details>
"""

# %% [markdown] lang="ko" en="979616cc"
r"""
## 과제 4.1 · `total_derivative`

{{marks}}분 · {{points}}

그래프의 국소 기울기가 모두 주어질 때 `src`에 대한 `out`의 전도함수의 값을 돌려주세요. `src`에서 `out`까지의 모든 경로에 대해, 경로를 따라
기울기를 곱한 값을 더한 것입니다.

- `edges`는 튜플 `(시작, 끝, 국소 기울기)`의 리스트이고 **순서는 정해져 있지 않습니다**. 기울기는 유한한 수(`float` 또는 `int`)이며 0이나
  음수일 수 있습니다. 한 경로의 기울기는 어떤 순서로 곱해도 `float`의 범위를 벗어나지 않습니다.
- 노드는 `dict`의 키가 될 수 있는 것이면 무엇이든 됩니다. 문자열, 수, 튜플, `None`, 객체 등입니다. `<`로 비교할 수 없을 수도 있고,
  서로 다른 노드인데 출력해 보면 똑같이 보일 수도 있습니다. `dict`에서처럼 서로 같은(`==`) 것은 한 노드입니다. `1`과 `1.0`이 그렇습니다.
- 그래프에 순환은 없습니다. (`x * x`에서처럼) 두 노드를 잇는 간선이 여러 개일 수 있고, 모두 계산에 넣습니다.
- `src`에서 `out`까지의 경로에 들지 않는 간선도 있을 수 있습니다. 이런 간선은 계산에 넣지 않습니다. 경로가 하나도 없으면 결과는 0입니다.
- `src == out`이면 간선이 어떻든 결과는 1입니다.
- 작은 그래프에서 합을 맞게 구하면 3점 중 2점입니다. 나머지 1점은 큰 그래프에서도 맞아야 받습니다. 간선 200개짜리 경로도 나옵니다.
- 마름모 40개를 이은 그래프에는 경로가 $2^{40}$개 있습니다. 이런 그래프에서도 함수가 1초 안에 끝나야 하므로 경로를 하나씩 따라가지 마세요. 기울기가 0인
  곳이 있어도, 마름모가 `src`에서 `out`까지의 경로에 들지 않아도 마찬가지입니다.

  ```
     a0      a1             a39
    ↗  ↘    ↗  ↘           ↗   ↘
  0      1      2   ...  39     40
    ↘  ↗    ↘  ↗           ↘   ↗
     b0      b1             b39
  ```
- 간선이 200개가 넘는 경로는 없으니 재귀(recursion, 자기 자신을 호출하는 함수)를 써도 됩니다.
- 파이썬의 정밀도 그대로 수를 돌려주고(`0`도 `0.0`도 됩니다), `edges`는 바꾸지 마세요. 아주 작은 수도 0이 아니니 반올림하지 마세요.

노드 $n$에 대한 `out`의 도함수를 $D(n)$이라고 합시다. 1절의 노드 네 개에서 `out`부터 `src`까지 거꾸로 구하면 이렇습니다.

| 노드 | 나가는 간선 | $D$ |
|---|---|---|
| `z` | `out` 자신 | $1$ |
| `w` | `z`로, 기울기 $0.1$ | $0.1 \times 1 = 0.1$ |
| `y` | `z`로, 기울기 $0.008$ | $0.008 \times 1 = 0.008$ |
| `x` | `y`로, 기울기 $75$. `w`로, 기울기 $10$ | $75 \times 0.008 + 10 \times 0.1 = 1.6$ |

<details><summary>힌트 1: 생각의 방향</summary>

$D(n)$은 $n$에서 나가는 간선마다 (기울기) × (간선 끝의 $D$)를 구해 더한 값이고, `out` 자신에서는 1입니다. $D(n)$은 노드마다 한 번만
구하세요.

</details>

<details><summary>힌트 2: 뼈대</summary>

먼저 나가는 간선이 있는 노드마다 `(끝, 기울기)`의 리스트를 담은 `dict` `leaving`을 만드세요.

```
known = {out: 1.0}

def derivative(node):
    if node not in known:
        known[node] = ...  # leaving과 derivative로. 나가는 간선이 없는 노드라면?
    return known[node]
```

</details>
"""


# %% answer="total_derivative"
def total_derivative(edges, src, out):
    """Return the derivative of out with respect to src, a number: the slope products summed over all paths.

    edges: a list of tuples (from, to, local slope), in any order; src, out: nodes.
    """
    ### BEGIN SOLUTION
    leaving = {}
    for start, end, slope in edges:
        leaving.setdefault(start, []).append((end, slope))
    known = {out: 1.0}

    def derivative(node):
        if node not in known:
            known[node] = sum((slope * derivative(end) for end, slope in leaving.get(node, [])), 0.0)
        return known[node]

    return derivative(src)
    ### END SOLUTION


# %% test="total_derivative" points=3
from secant import PartialCredit, ask, check, graphs, hints

hint = hints("total_derivative")
_credit = PartialCredit(sums=2, many_paths=1)

_CALL = "total_derivative(edges, src, out)"


def _ask_total(edges, ends, **options):
    codes = {"edges": str(edges), "src": repr(ends[0]), "out": repr(ends[1])}
    return ask(_CALL, {"ahead": ("edges == given", _CALL), **options}, **codes, given="list(edges)")


def _judge(answer, want, cause, wrong):
    answer.holds(answer.then("edges == given").result, hint.spoiled).changes_nothing()
    answer.returns(want, mistakes=wrong, nearly=hint.precise, hint=cause)
    answer.again().changes_nothing().returns(want)


_edges = graphs.edges
_two_paths = _edges("xy xw yz wz", 75.0, 10.0, 0.008, 0.1)
with _credit.part("sums", "many_paths"):
    for _graph, _ends, _want, _cause, _wrong in (
        (_edges("xy yz", 2.0, 3.0), "xz", 6.0, "", {}),
        (_two_paths, "xz", 1.6, "", {hint.kept: 6.0, hint.one_path: (0.6, 1.0)}),
        ("[(0, None, 5), (None, (1,), 2.0), (0, 'None', 7)]", (0, (1,)), 10.0, hint.kinds, {}),
        (_edges("wz xy yz xw", 0.1, 75, 0.008, 10), "xz", 1.6, hint.order, {hint.kept: 6.0}),
        (_edges("ab ac bx xc cy yz ze ce", *[2, 3, 5, 7] * 2), "ae", 2701.0, hint.early, {}),
        (_edges("xy xy xy", 3, 3, 3), "xy", 9.0, hint.several, {}),
        (_edges("ry yz zs yt xy", 9.0, 5.0, 4.0, 7.0, 3.0), "xz", 15.0, hint.aside, {}),
    ):
        _judge(_ask_total(_graph, _ends, steps=10**6).ends(hint.slow), _want, _cause, _wrong)
    with _credit.part("many_paths"):
        _graph = "[*graphs.diamonds([(1, 1, 1, 1)] * 20), (0, 'z', 2.0)]"
        _judge(_ask_total(_graph, (0, "z"), steps=10**6).ends(hint.slow), 2.0, hint.aside, {})
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import math
import random


def _products(edges, src, out):
    """Return a list of the slope products of all paths from src to out. The graph must be small."""
    steps = ((end, slope) for start, end, slope in edges if start == src and src != out)
    products = [slope * rest for end, slope in steps for rest in _products(edges, end, out)]
    return [1.0] if src == out else products


def _compare(edges, ends, cause=hint.general):
    products = _products(edges, *ends)
    parallel = len({edge[:2] for edge in edges}) < len(edges)
    path_mistake = {hint.several if parallel else hint.one_path: tuple(products)} if len(products) > 1 else {}
    sign_mistake = {hint.negative: sum(map(abs, products), 0.0)}
    _judge(_ask_total(edges, ends), sum(products, 0.0), cause, {**_mistakes, **path_mistake, **sign_mistake})


with _credit.part("sums", "many_paths"):
    # The right results range from tiny to huge. With atol=0, an answer of 0 is wrong even for a tiny result.
    for _graph, _want, _cause in (
        (_edges("xy yz", 1e-150, 3e-50), 3e-200, hint.small),
        (_edges("xy yz", 1e-150, 3e-157), 3e-307, hint.small),
        (_edges("xy xw yz wz", 1e-9, 2e-9, 1e-9, 4e-9), 9e-18, hint.small),
        (_edges("wx xz wz", 3.0, 3e-9, 5e9), 3e-9, hint.solver),
        (_edges("xy yz", 10**10, 10**10), 1e20, hint.whole_numbers),
        (_edges("xy xw yz wz", 10**9, 10**12, 10**11, 10**12), 1e20 + 1e24, hint.whole_numbers),
    ):
        _ask_total(_graph, "xz").returns(_want, rtol=1e-11, atol=0.0, hint=_cause)

    _a, _b, _c, _d, _e = check.draws(5, 1.1, 4)
    _mistakes = {hint.crossed: 85 * 0.108, hint.mean: 0.8, hint.first_edge: 75.0, hint.last_edge: 0.1}
    _mistakes |= {hint.kept: (6.0, 1.6), hint.early: _a * _d, hint.twice: _a * _d + _a * (_d + _b * _c)}
    for _cause, _ends, *_graphs in (
        (hint.order, "xz", _two_paths, _edges("xu uv vw wz", _a, -_b, _c, _d)),
        (hint.early, "ad", _edges("ab bc cd bd", _a, _b, _c, _d)),
        (hint.early, "ad", _edges("ab ac bc cd bd ad", _a, _b, _c, _d, _e, -_a)),
        (hint.negative, "xz", _edges("xy xw yz wz", _a, -_b, _c, _d)),
        (hint.middle, "wz", _edges("xy xw yz wz", _a, -_b, _c, _d)),
        (hint.several, "xy", _edges("xy xy", _a, _b), _edges("xy xy xy xy", _a, _a, _a, _a)),
        (hint.several, "uz", _edges("ux xy yz xy xy", _c, _a, 2, _b, -1)),
        # The next three entries have integer slopes, zeros, paths that cancel, and slopes of very different
        # magnitudes: a tiny product must not be taken for 0.
        (hint.general, "xz", _edges("xy yz", _a, _b), _edges("xy xw yz wz", 2, 3, 5, -7)),
        (hint.general, "xz", _edges("xy xy yz", _a, -_a, _b), _edges("xy yw wz xz", 1e-200, 1e150, 3e50, _a)),
        (
            hint.halfway,
            "xz",
            _edges("xy xw yz wz xz", 0, _a, _b, 0.0, _c),
            _edges("xy xw yz wz", _a, -_a, _b, _c),
        ),
        (hint.no_path, "xz", [], _edges("xy wz", _a, _b), _edges("yz", _a), _edges("xy", _a)),
        (hint.direction, "xz", _edges("zx", _a)),
        (hint.same, "xx", [], _edges("xy wx", _a, _b), _edges("yx wx", _a, _b), _two_paths),
        (hint.aside, "xz", _edges("rx xy ry yz zs ys yt", _e, _a, _b, _c, _d, 9.0, 7.0)),
        (hint.aside, "xz", _edges("zs xt st xz rz", _d, 7.0, 3.0, _c, _a)),
    ):
        for _graph in _graphs:
            _mixed_edges = _graph[1::2] + _graph[::2]
            for _order in (_graph, _graph[::-1], _mixed_edges, _mixed_edges[::-1]):
                _compare(_order, _ends, _cause)

    # The nodes are of all kinds: some are falsy, some cannot be ordered, some print alike, and 1 and 1.0 are
    # the same node.
    _judge(_ask_total("[('x', 1, 2.0), (1.0, 'z', 3.0)]", "xz"), 6.0, hint.kinds, {})
    _nodes = [3, 2, 1, 0, "", (), None, "x", (0, "x"), (1, "x"), (1, "y"), "1", 1, (1,), "(1,)", 2.5, (1, 2)]
    _nodes += map(frozenset, "xywz")
    for _p, _q, _r, _s in zip(_nodes, _nodes[1:], _nodes[2:], _nodes[3:], strict=False):
        _graph = [(_q, _s, _a), (_p, _q, _b), (_r, _s, -_c), (_p, _r, _d), (_p, _s, _e)]
        _compare(_graph, (_p, _s), hint.kinds)
    _arguments = {"edges": "[(y, z, 2.0), (x, y, 3.0), (w, z, -5.0), (x, w, 7.0)]", "given": "list(edges)"}
    _arguments |= {"src": "x", "out": "z"}
    _answer = ask(_CALL, **dict.fromkeys("xywz", "nn.Identity()"), **_arguments)
    _judge(_answer, -29.0, hint.kinds, {hint.one_path: (6.0, -35.0)})
    # Printed, this list looks like the edges above, because all nn.Identity objects print alike.
    _other_edges = "[(w, z, 2.0), (x, y, 3.0), (y, z, -5.0), (x, w, 7.0)]"
    _other_answer = _answer.then(f"total_derivative({_other_edges}, x, z)", hint.kinds)
    _other_answer.returns(-1.0, mistakes={hint.kept: -29.0})

    for _round in range(20):
        _graph, _names = graphs.drawn(3 + _round // 4, seed=check.draw(0, 1e6))
        check.fewest(_compare, _graph, (_names[0], _names[-1]))
        check.fewest(_compare, _graph, (_names[1], _names[-2]))

    with _credit.part("many_paths"):
        # Every diamond doubles the number of paths. The step limit leaves room for a slow answer that does
        # not follow every path.
        for _count, _slope in ((20, 1.0), (40, 1.0), (40, -1.0)):
            _code, _sum = f"graphs.diamonds([(1.0, 1.0, 1.0, {_slope})] * {_count})", (1.0 + _slope) ** _count
            for _graph, _ends, _want in (
                (_code, (0, _count), _sum),
                (f"{_code}[::-1]", (0, _count), _sum),
                (f"[*{_code}, (0, 'z', 2.0)]", (0, "z"), 2.0),
                (f"[('x', {_count}, 2.0), *{_code}]", ("x", _count), 2.0),
                (f"[({_count}, 'z', 2.0), *{_code}]", (_count, "z"), 2.0),
                (f"[('x', 0, 2.0), *{_code}]", ("x", 0), 2.0),
            ):
                _answer = _ask_total(_graph, _ends, steps=2 * (4 * _count) ** 3, ahead=())
                _answer.ends(hint.slow).returns(_want, nearly=hint.precise, hint=hint.general)

        # The edges of diamonds, of a long chain and of a wide fan come in random order.
        _random = random.Random(check.draw(0, 1e6))
        _slopes = [check.draws(4, 0.7, 1.4) for _ in range(40)]
        _fan = [edge for k in range(80) for edge in ((0, (k, "y"), 0.5), ((k, "y"), 80, float(k)))]
        _diamonds_slope = math.prod(a * c + b * d for a, b, c, d in _slopes)
        for _graph, _want, _text, _cause in (
            (graphs.diamonds(_slopes), _diamonds_slope, "graphs.diamonds(slopes)", hint.long),
            (
                graphs.chain(range(201), [-0.99, 1.01] * 100),
                0.9999**100,
                "graphs.chain(range(201), ...)",
                hint.long,
            ),
            (_fan, 0.5 * 40 * 79, "[(0, (k, 'y'), 0.5), ((k, 'y'), 80, float(k)), ...]", hint.order),
        ):
            _out, _shuffled_edges = _graph[-1][1], _random.sample(_graph, len(_graph))
            _words = f"total_derivative(edges, 0, {_out}), edges = random.sample({_text}, {len(_graph)})"
            _answer = _ask_total(_shuffled_edges, (0, _out), steps=8_000_000, words=_words, ahead=())
            _judge(_answer.ends(hint.slow), _want, _cause, {})
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 4.2 · `unbroadcast`

●●●○○ · ★★★★★ · 15 min · {{points}}

A tensor of shape `shape` was broadcast to `g.shape` (perhaps the same shape), and `g` is the gradient of the result. Return the gradient of
the original: a tensor of exactly the shape `shape`, in which each element is the **sum** over its copies.

- `g` is a `float32` or `float64` tensor of any shape, perhaps without dimensions; `shape` is a tuple or a `torch.Size` that broadcasts
  to `g.shape`. No dimension has size 0.
- Dimensions may have been added on the left, stretched from 1, or both. `shape` may be `()`, or `(1, 4)`, or `(2, 1, 3)` that became
  `(5, 1, 2, 4, 3)`.
- If the shapes are equal, the values are those of `g`; you may return `g` itself.
- The result has the dtype of `g`.

PyTorch's own method for this is `Tensor.sum_to_size`. Only the result counts, but write it with `sum` first, and use the method to check.

<details><summary>Hint 1: the idea</summary>

Two steps. First sum away the dimensions on the left that `shape` does not have. Then both have the same number of dimensions: sum
over those where `shape` says 1.

</details>

<details><summary>Hint 2: two ways to sum</summary>

Let `t` have shape `(5, 4, 3)`. `t.sum(0)` has shape `(4, 3)`: the dimension is gone, and the next one is now dimension 0.
`t.sum(1, keepdim=True)` has shape `(5, 1, 3)`: every dimension keeps its place. Which of the two does each step need, and how often?

</details>
"""

# %% [markdown] lang="ko" en="0266b5f3"
r"""
## 과제 4.2 · `unbroadcast`

{{marks}}분 · {{points}}

shape가 `shape`인 텐서가 `g.shape`로 브로드캐스트되었고(두 shape가 같을 수도 있습니다), `g`는 그 결과의 gradient입니다. 원래 텐서의 gradient를 돌려주세요.
shape는 정확히 `shape`이고, 각 원소는 그 복사본들의 gradient를 **더한 값**입니다.

- `g`는 `float32` 또는 `float64` 텐서이고 shape에는 제한이 없습니다(0차원이어도 됩니다). `shape`는 튜플 또는 `torch.Size`이고
  `g.shape`로 브로드캐스트됩니다. 크기가 0인 차원은 없습니다.
- 왼쪽에 차원이 더 붙었을 수도, 크기 1인 차원이 늘어났을 수도, 둘 다일 수도 있습니다. `shape`는 `()`나 `(1, 4)`일 수도
  있고, `(2, 1, 3)`이 `(5, 1, 2, 4, 3)`으로 커진 것일 수도 있습니다.
- 두 shape가 같으면 값은 `g`와 같습니다. `g`를 그대로 돌려주어도 됩니다.
- 결과의 dtype은 `g`와 같습니다.

PyTorch에는 이 일을 하는 메서드 `Tensor.sum_to_size`가 있습니다. 검사하는 것은 결과뿐이지만, 이 메서드가 무엇을 하는지 알 수 있게 `sum`으로
써 보고 메서드는 답을 확인할 때 쓰세요.

<details><summary>힌트 1: 생각의 방향</summary>

두 단계입니다. 먼저 `shape`에 없는 왼쪽 차원을 더해서 없앱니다. 그러면 차원의 수가 같아집니다. 다음으로 `shape`에서 1인 차원을 따라
더합니다.

</details>

<details><summary>힌트 2: 합을 구하는 두 가지 방법</summary>

`t`의 shape가 `(5, 4, 3)`이라고 합시다. `t.sum(0)`의 shape는 `(4, 3)`입니다. 그 차원은 없어지고 다음 차원이 0번이 됩니다.
`t.sum(1, keepdim=True)`의 shape는 `(5, 1, 3)`입니다. 차원은 모두 제자리에 있습니다. 두 단계에서 각각 어느 것을 몇 번 써야 할까요?

</details>
"""


# %% answer="unbroadcast"
def unbroadcast(g, shape):
    """Return the gradient of a tensor that was broadcast from shape to g.shape: g summed over the copies.

    g: the gradient of the broadcast tensor; shape: a tuple or torch.Size.
    """
    ### BEGIN SOLUTION
    while g.dim() > len(shape):
        g = g.sum(0)
    for i, size in enumerate(shape):
        if size == 1:
            g = g.sum(i, keepdim=True)
    return g
    ### END SOLUTION


# %% test="unbroadcast" points=3
from secant import ask, check, hints, leaf, tensor

hint = hints("unbroadcast")

_CALL = "unbroadcast(g, shape)"


def _compare(g, shape, want, why, copies, error="", dtype="float64", wrong=None, ahead=(), **opts):
    """copies: parts of g that a wrong answer may return; why: the hint for other wrong results."""
    g_leaf = leaf(g, dtype, **{"tracked": False, **opts})
    error = error or {"numpy()": hint.detach, "": why or hint.lost}
    answer = ask(_CALL, {"errors": error, "ahead": ahead}, g=g_leaf, shape=str(shape))
    g, want = tensor(g, dtype), tensor(want, dtype)

    def mistakes():
        n, parts = g.numel() // want.numel(), [tensor(copy, dtype) for copy in copies]
        wrong_values = {hint.mean: want / n, hint.grouped: g.reshape(-1, *want.shape).sum(0)}
        wrong_values[hint.one_copy] = tuple(times * copy for copy in parts for times in (1, n))
        wrong_values[why or hint.lost] = lambda got: why or got.shape != want.shape
        return {**wrong_values, **(wrong or {})}

    return answer.changes_nothing().returns(want, mistakes=mistakes, nearly=hint.rounded)


_matrix, _block = [[1.1234567, 2], [4, 8]], [[[1, 2], [4, 8]], [[16, 32], [64, 128]]]
for _options in ({"dtype": "float64"}, {"dtype": "float32", "tracked": True}):
    _compare(_matrix, (2, 2), _matrix, why=hint.equal, copies=[], **_options)
    _compare(_matrix, (2,), [5.1234567, 10], why=hint.left, copies=[[1.1234567, 2]], **_options)
    _compare(_matrix, (2, 1), [[3.1234567], [12]], why="", copies=[[[1.1234567], [4]]], **_options)
    _compare(_matrix, (), 15.1234567, why=hint.every, copies=[1.1234567], **_options)
    _compare(_block, (2, 1), [[51], [204]], why=hint.both, copies=[[[1], [4]]], **_options)
check.visible_passed()
### BEGIN HIDDEN TESTS
import itertools

import torch


_NEXT_CALL = "unbroadcast(g.detach() + 1, shape)"


def _shapes(g_shape, step=1):
    """Return a list of every step-th shape that broadcasts to the shape big."""
    sizes = [sorted({1, size}) for size in g_shape]
    products = (itertools.product(*sizes[start:]) for start in range(len(g_shape) + 1))
    return list(itertools.chain.from_iterable(products))[::step]


def _copies(g, shape):
    """Yield the parts of g that belong to the first and to the last copy of the original tensor."""
    for place, piece in ((0, slice(0, 1)), (-1, slice(-1, None))):
        leading_index = [place] * (g.dim() - len(shape))
        yield g[(*leading_index, *(piece if size == 1 else slice(None) for size in shape))]


def _compare_random(g_shape, shape, dtype="float64", digits=1.0, **options):
    # With the layout "expanded", g is an expanded tensor. sum() sends back such a gradient.
    base = check.draw_tensor(*(shape if options.get("layout") == "expanded" else g_shape), low=0.5) / digits
    base.flatten()[1::2] *= -1  # g has both signs; because of `low`, no element is nearly 0
    g = tensor(base.expand(g_shape), dtype)
    more_dims, ones, want = len(g_shape) > len(shape), 1 in shape, g.double().sum_to_size(shape).to(g.dtype)
    why = hint.both if more_dims and ones else hint.left if more_dims else "" if ones else hint.equal
    why = hint.apart if "layout" in options else why if shape else hint.every
    fits = g.dim() > len(shape) > 0 and g.sum(-1).shape == want.shape
    errors = {"numpy()": hint.detach, **dict.fromkeys(("RuntimeError", "IndexError"), why or hint.lost)}
    options = {"why": why, "error": errors, "copies": list(_copies(g, shape)), **options}
    wrong, ahead = {hint.left: g.sum(-1)} if fits else {}, (_CALL, _NEXT_CALL)
    answer = _compare(g, shape, want, wrong=wrong, dtype=dtype, ahead=ahead, **options)
    answer.again().returns(want)
    answer.then(_NEXT_CALL, hint.stale).returns(want + g.numel() // want.numel())
    answer.still_returns(want)


for _dtype, _step in (("float64", 1), ("float32", 2)):
    for _g_shape in ((), (5,), (3, 3), (1, 3), (1, 1), (2, 2, 2), (2, 1, 3)):
        for _shape in _shapes(_g_shape, _step):
            _compare_random(_g_shape, _shape, _dtype)
    for _layout in ("transposed", "slice", "expanded"):
        for _g_shape, _shape_step in (((2, 3), _step), ((2, 3, 4), 3 * _step)):
            for _shape in _shapes(_g_shape, _shape_step):
                _compare_random(_g_shape, _shape, _dtype, layout=_layout)
for _g_shape in ((3, 4), tuple(round(n) for n in check.draws(4, 1.6, 4.4))):
    for _shape in _shapes(_g_shape, 3):
        _compare_random(_g_shape, _shape, tracked=True, grad=7.0)
for _g_shape in ((2, 3), (5, 1, 2, 4, 3), (2, 3, 2, 2, 2), (2, 1, 3, 2, 1, 2)):
    for _shape in _shapes(_g_shape, 9):
        _compare_random(_g_shape, torch.Size(_shape), tracked=True, why=hint.sizes)
for _shape in _shapes((2, 3)):
    _compare_random((2, 3), _shape, digits=3)
_mistakes = {hint.uneven: (tensor([[0.0], [4e9]]), tensor([[3e-8], [2e6]]))}
_compare([[1e-8, 2e-8], [1e9, 3e9]], (2, 1), [[3e-8], [4e9]], hint.uneven, copies=[], wrong=_mistakes)
# With atol=0, an answer of 0 is wrong even if the right value is tiny.
for _dtype, _rtol in (("float64", 1e-11), ("float32", 1e-5)):
    for _g, _shape, _want in (
        ([[1e9, 3e9], [1e-20, 2e-20]], (2, 1), [[4e9], [3e-20]]),
        ([[1e9, 1e-20], [3e9, 2e-20]], (2,), [4e9, 3e-20]),
        ([1e-20, 2e-20], (), 3e-20),
    ):
        _answer = ask(_CALL, g=tensor(_g, _dtype), shape=str(_shape))
        _answer.returns(tensor(_want, _dtype), rtol=_rtol, atol=0.0, hint=hint.uneven)
_intermediate = "leaf([[1.0, 2.0], [4.0, 8.0]], torch.float64) * 1"
_errors = {"numpy()": hint.detach, "": hint.tracked}
_answer = ask("unbroadcast(g, shape)", {"errors": _errors}, g=_intermediate, shape="(2, 1)").changes_nothing()
_answer.returns(tensor([[3.0], [12.0]]), hint=hint.lost)
_answer.holds(not _answer.then("g.retains_grad").result, hint.retains)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 4.3 · `pow_backward` · optional

●●●●○ · ★★★★☆ · 20 min · {{points}}

Write the backward step of `x**q`: from `g`, the gradient of the result, return the tuple `(gx, gq)`, the gradients of `x` and
of `q`.

- `x` and `q` are tensors of the same dtype, `float32` or `float64`. Their shapes **may differ** and broadcast; `g` has the shape
  that `x**q` has. `gx` has the shape of `x`, `gq` that of `q`; both have their dtype. No dimension has size 0.
- `x >= 0`. Where `x > 0`, `q` may be any number, also negative or 0, as long as the dtype holds `x**q` and `x**(q - 1)`: neither becomes infinite, 0,
  or so tiny that it loses digits (*subnormal*). `x` may be very small, such as `1e-30`: do not add anything to it.
- **Where `x` is 0**, `q` is greater than 0, and the answer is PyTorch's. The contribution to `gq` is $0$. The contribution to `gx` is
  $g\,q\,0^{q-1}$, with `0**(q - 1)` as PyTorch computes it:

  | | `0**(q - 1)` | contribution to `gx` |
  |---|---|---|
  | $q > 1$ | $0$ | $0$ |
  | $q = 1$ | $1$ | $g$ |
  | $0 < q < 1$, where the curve is vertical | infinite | infinite, with the sign of $g$ |

  In the last row `g` is never 0. Infinite contributions that are added to each other have the same sign.
- Negative `x`, and `x = 0` with `q <= 0`, do not occur. No `nan` may appear. You may multiply
  the factors in any order.
- To undo the broadcast, use your `unbroadcast` or `Tensor.sum_to_size`. `gx` and `gq` are worth a point each.

<details><summary>Hint 1: the idea</summary>

The two formulas of section 4, each times `g`, have the shape of the broadcast result. Sum each down to the shape of its own input. The
second formula fails where `x` is 0.

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

$\frac{\sin x}{x}$ is `nan` at 0, where it should be 1. This gives 1 there and changes nothing else:

```
safe = torch.where(x == 0, 1.0, x)  # no 0 to divide by
ratio = torch.where(x == 0, 1.0, torch.sin(safe) / safe)
```

What in your second formula needs a safe argument? And must the repair come before or after the sum?

</details>
"""

# %% [markdown] lang="ko" en="f38701c4"
r"""
## 과제 4.3 · `pow_backward` · 선택

{{marks}}분 · {{points}}

`x**q`의 backward를 작성하세요. 결과의 gradient `g`를 받아 `x`와 `q`의 gradient를 튜플 `(gx, gq)`로 돌려줍니다.

- `x`와 `q`는 dtype이 같은(`float32` 또는 `float64`) 텐서입니다. shape는 **다를 수 있고** 브로드캐스트됩니다. `g`의 shape는 `x**q`과
  같습니다. `gx`의 shape는 `x`와, `gq`의 shape는 `q`와 같고, dtype도 그대로입니다. 크기가 0인 차원은 없습니다.
- `x >= 0`입니다. `x > 0`인 곳에서 `q`는 음수나 0일 수도 있습니다. 다만 `x**q`과 `x**(q - 1)`은 그 dtype으로 나타낼 수 있는 값입니다. 무한대나 0이 되지 않고, 너무 작아 자릿수를 잃는 수(*비정규 수*, subnormal)도 되지 않습니다. `x`는
  `1e-30`처럼 아주 작을 수도 있으니 `x`에 아무것도 더하지 마세요.
- **`x`가 0인 곳**에서는 `q`가 0보다 크고, 답은 PyTorch와 같습니다. `gq`에 더해지는 값은 $0$입니다. `gx`에 더해지는 값은
  $g\,q\,0^{q-1}$이고 `0**(q - 1)`은 PyTorch가 계산하는 대로입니다.

  | | `0**(q - 1)` | `gx`에 더해지는 값 |
  |---|---|---|
  | $q > 1$ | $0$ | $0$ |
  | $q = 1$ | $1$ | $g$ |
  | $0 < q < 1$ (곡선이 수직인 곳) | 무한대 | 부호가 $g$와 같은 무한대 |

  마지막 줄에서 `g`는 0이 아닙니다. 서로 더하게 되는 무한대는 부호가 모두 같습니다.
- 음수 `x`, 그리고 `x = 0`이면서 `q <= 0`인 경우는 나오지 않습니다. `nan`이 나오면 안 됩니다. 곱하는 순서는
  어떻든 상관없습니다.
- 브로드캐스트를 되돌릴 때는 여러분의 `unbroadcast`나 `Tensor.sum_to_size`를 쓰세요. `gx`와 `gq`가 1점씩입니다.

<details><summary>힌트 1: 생각의 방향</summary>

4절의 두 식에 `g`를 곱하면 브로드캐스트된 결과의 shape가 됩니다. 그것을 각 입력의 shape가 되도록 더합니다. 둘째 식은
`x`가 0인 곳에서 문제가 됩니다.

</details>

<details><summary>힌트 2: 같은 생각을 다른 곳에</summary>

$\frac{\sin x}{x}$는 0에서 1이어야 하는데 그대로 계산하면 `nan`입니다. 다음과 같이 쓰면 거기서 1이 되고 다른 곳은 그대로입니다.

```
safe = torch.where(x == 0, 1.0, x)  # 0으로 나누지 않도록
ratio = torch.where(x == 0, 1.0, torch.sin(safe) / safe)
```

여러분의 둘째 식에서 안전한 인자가 필요한 곳은 어디일까요? 그리고 합을 구하기 전에 고쳐야 할까요, 구한 뒤에 고쳐야 할까요?

</details>
"""


# %% answer="pow_backward"
def pow_backward(x, q, g):
    """Return (gx, gq), the gradients of x and q, given g, the gradient of x**q.

    x: a tensor with x >= 0; q: a tensor that broadcasts with x; g: a tensor of the broadcast shape.
    """
    ### BEGIN SOLUTION
    log_x = torch.log(torch.where(x > 0, x, 1.0))
    gx = g * q * x ** (q - 1)
    gq = g * x**q * log_x
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)
    ### END SOLUTION


# %% test="pow_backward" points=2
import math

from secant import PartialCredit, ask, check, hints, tensor

hint = hints("pow_backward")
_credit = PartialCredit(gx=1, gq=1)


def _test(answer, want, dtype, why=("", ""), wrong=None):
    pairs = zip(("gx", "gq"), answer.parts("gx", "gq", hint=hint.pair), strict=True)
    for (name, part), value, cause in zip(pairs, map(tensor, want, [dtype] * 2), why, strict=True):
        part_hint = cause if getattr(part.result, "shape", None) == value.shape else hint.shapes
        with _credit.part(name):
            part.returns(value, mistakes=wrong, nearly=hint.rounded, hint=part_hint)


_ln4, _ln5, _abs = math.log(4), math.log(5), (5, [math.log(4), math.log(16)])
_zeros, _empty, _tiny = (hint.base_at_zero, hint.at_zero), ("", ""), (hint.tiny, hint.tiny)
_slips, _in_sum = {hint.no_g: (75.0, 125 * _ln5), hint.swapped: _ln5}, {hint.before_sum: [0.0, 0.0]}
_zero_gradients = [[1, -math.inf], [1, 0.25]], [4 * _ln4, 2 * _ln4]
with _credit.part("gx", "gq"):
    for _x, _q, _g, _want, _why, _bad in (
        (5, 3, 0.008, (0.6, _ln5), (hint.slope_x, hint.slope_q), _slips),
        (2, [1, 2], [-1, -1], (-5, [-_ln4, -2 * _ln4]), _empty, {hint.mean: -2.5, hint.sign: _abs}),
        ([[0, 0], [4, 4]], [1, 0.5], [[1, -1], [1, 1]], _zero_gradients, _zeros, _in_sum),
        (1e-30, 0.05, 1, (0.05 * 1e-30**-0.95, 1e-30**0.05 * math.log(1e-30)), _tiny, {}),
    ):
        for _dtype in ("float64", "float32"):
            _xqg = {"x": tensor(_x, _dtype), "q": tensor(_q, _dtype), "g": tensor(_g, _dtype)}
            _test(ask("pow_backward(x, q, g)", **_xqg).changes_nothing(), _want, _dtype, _why, _bad)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import itertools

import torch

from secant import leaf


_slope_hints, _flat_hints = (hint.slope_x, hint.slope_q), (hint.one_constant, hint.q_is_zero)
_CALL, _NEXT_CALL = "pow_backward(x, q, g)", "pow_backward(x.detach() + 1, q.detach() - 1, 2 * g.detach())"


def _gradients(x, q, g):
    leaves = [part.double().requires_grad_() for part in (x, q)]
    return torch.autograd.grad(leaves[0] ** leaves[1], leaves, g.double())


def _compare_random(dtype, x, q, why=_empty, scale=1.0, **leaf_options):
    shape = torch.broadcast_shapes(tensor(x).shape, tensor(q).shape)
    g = scale * check.draw_tensor(*shape, low=0.5, high=2)
    if leaf_options.get("layout") == "expanded":  # sum() sends back such a gradient
        g.fill_(1.5)
    # Without a layout, g has both signs. Because of `low`, no element is tiny compared with scale.
    g.flatten()[1::2] *= -1 if "layout" not in leaf_options else 1
    x, q, g = (tensor(part, dtype) for part in (x, q, g))
    leaf_options = {"tracked": False, **leaf_options}
    leaves = {name: leaf(part, dtype, **leaf_options) for name, part in zip("xqg", (x, q, g), strict=True)}
    errors = {"errors": hint.apart} if leaf_options.get("layout") else {}
    answer = ask(_CALL, {"ahead": (_CALL, _NEXT_CALL), **errors}, **leaves).changes_nothing()
    want = _gradients(x, q, g)

    def slips():
        means = (part * (part.numel() / g.numel()) for part in want if part.numel() < g.numel())
        sign_mistake = {hint.sign: _gradients(x, q, g.abs())} if (g < 0).any() else {}
        return {hint.mean: tuple(means), **sign_mistake}

    _test(answer, want, dtype, why, slips)
    _test(answer.again(), want, dtype)
    next_answer = answer.then(_NEXT_CALL, hint.stale)
    _test(next_answer, _gradients(x + 1, q - 1, 2 * g), dtype)
    if not _credit.failures:  # after a failure, the answer differs from want anyway
        answer.still_returns(tuple(tensor(part, dtype) for part in want))


def _draw_xq(x, q):
    return check.draw_tensor(*x, low=0.2), check.draw_tensor(*q, low=-2, high=2)


_above_1, _below_1 = check.draws(3, 1.1, 3), check.draws(3, 0.2, 0.9)


def _pairs(first, second, step):
    """Return an iterator over every step-th pair of an element of first and an element of second.

    With step 3, every element still occurs if first has at least three elements and second has four.
    """
    return itertools.islice(itertools.product(first, second), None, None, step)


_shapes = (), (3,), (2, 1), (1, 2, 3)
with _credit.part("gx", "gq"):
    for _dtype, _step in (("float64", 1), ("float32", 3)):
        _compare_random(_dtype, [2.0, _above_1[0]], [0.0, 3.0], _flat_hints)
        for _x, _q in _pairs((_above_1[0], _below_1[0], 1.0), (_above_1[1], -_above_1[2], 0.0, 1.0), _step):
            _compare_random(_dtype, _x, _q, _slope_hints)
        for _x, _q in _pairs(_shapes, _shapes, _step):
            _compare_random(_dtype, *_draw_xq(_x, _q))
        # Elements of x that are 0 contribute 0 to the gradient of q. The others contribute as usual.
        _bases = 0.0, [0.0, _above_1[0]], [[_above_1[0]], [0.0]], [[0.0], [0.0]]
        _powers = 1.0, _above_1[1], 0.8, [2.0, _below_1[0]], [1.0, _above_1[2]], [[0.5], [2.0]]
        for _x, _q in _pairs(_bases, _powers, _step):
            _compare_random(_dtype, _x, _q, _zeros)
        # Now x is nearly 0, but positive.
        _compare_random(_dtype, [1e-20, 1e-9, 1e-30, 1e-30], [0.05, 0.25, 0.02, 0.0], _tiny)
        for _x in (1e-30, 1e-200) if _dtype == "float64" else (1e-30,):
            _compare_random(_dtype, _x, 1e-30, (hint.exactly, hint.tiny))
        # The exponent 1.000001 must not be treated as 1.
        _compare_random(
            _dtype, [0.0, _above_1[0], 0.0, 0.0], [2.0, -_below_1[0], _above_1[1], 1.000001], _zeros
        )
        _compare_random(_dtype, [1e10, 2e9], 3.0, (hint.any_size, hint.any_size), scale=1e-20)
    _compare_random("float64", [1e-200, 1e-100], -0.5, (hint.any_size, hint.any_size))
    for _leaf_options in ({"tracked": True, "grad": 7.0}, {"layout": "slice"}):
        _compare_random("float64", *_draw_xq((3,), (2, 1)), **_leaf_options)
        _compare_random("float64", *_draw_xq((2, 1, 2), (1, 3, 1)), **_leaf_options)
        _compare_random("float64", [0.0, _above_1[0]], _above_1[1:], _zeros, **_leaf_options)
    _compare_random("float64", *_draw_xq((2, 3), (3,)), layout="slice", scale=-1.0)  # all of g is negative
    for _layout in ("transposed", "expanded"):
        _compare_random("float64", *_draw_xq((2, 3), (2, 3)), layout=_layout)
        _compare_random("float64", *_draw_xq((2, 3), (3,)), layout=_layout)
    _leaves = {
        "x": "leaf([2.0, 4.0]).double() * 1",
        "q": "leaf(3.0).double() * 1",
        "g": "leaf([1.0, -1.0]).double() * 1",
    }
    _answer = ask("pow_backward(x, q, g)", {"errors": hint.tracked}, **_leaves).changes_nothing()
    _test(_answer, ([12.0, -48.0], 4 * _ln4 - 64 * _ln4), "float64")
    _retains_grad = _answer.then("x.retains_grad or q.retains_grad or g.retains_grad")
    _answer.holds(not _retains_grad.result, hint.retains)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 4.4 · `shared_weight_grad`

●●○○○ · ★★★★☆ · 10 min · {{points}}

For the convolution of section 6, $\text{out}_i = \sum_k \text{weights}_k\, \text{data}_{i+k}$, return the gradient of the weights, given
$g_i = dL/d\,\text{out}_i$.

- `data`, `weights`, `g` are vectors of the same dtype, `float32` or `float64`, with `len(data) == len(weights) + len(g) - 1`. `weights` and `g`
  have at least one element each, and either may be longer.
- The result is a tensor of the size of `weights`. Each element is the sum over all positions $i$ where its weight was used.

<details><summary>Hint 1: the idea</summary>

The path from $\text{weights}_k$ through $\text{out}_i$ to the loss has the slope $g_i \cdot \text{data}_{i+k}$. Add these slopes up over $i$.

</details>

<details><summary>Hint 2: one weight written out</summary>

With 3 positions, `weights[1]` is multiplied by `data[1]`, `data[2]` and `data[3]`, and these products are parts of `out[0]`, `out[1]` and `out[2]`. So its
gradient is `g[0] * data[1] + g[1] * data[2] + g[2] * data[3]`. Which slice of `data` is that, and which one for `weights[k]` and any number of positions?
`torch.stack` turns a list of scalar tensors into a vector.

</details>
"""

# %% [markdown] lang="ko" en="8f3d9f88"
r"""
## 과제 4.4 · `shared_weight_grad`

{{marks}}분 · {{points}}

6절의 합성곱 $\text{out}_i = \sum_k \text{weights}_k\, \text{data}_{i+k}$에서 $g_i = dL/d\,\text{out}_i$가 주어질 때 가중치의 gradient를 돌려주세요.

- `data`, `weights`, `g`는 dtype이 같은(`float32` 또는 `float64`) 벡터이고 `len(data) == len(weights) + len(g) - 1`입니다. `weights`와 `g`에는
  원소가 적어도 하나씩 있고, 어느 쪽이 더 길 수도 있습니다.
- 결과는 `weights`와 같은 크기의 텐서이고, 각 원소는 그 가중치가 쓰인 모든 위치 $i$에 대한 합입니다.

<details><summary>힌트 1: 생각의 방향</summary>

$\text{weights}_k$에서 $\text{out}_i$를 지나 loss까지 가는 경로의 기울기는 $g_i \cdot \text{data}_{i+k}$입니다. 이 기울기를 $i$에 대해 더하세요.

</details>

<details><summary>힌트 2: 가중치 하나를 풀어 쓰면</summary>

위치가 3개라면 `weights[1]`에는 `data[1]`, `data[2]`, `data[3]`이 곱해지고, 그 곱은 각각 `out[0]`, `out[1]`, `out[2]`에 들어갑니다. 그래서 gradient는
`g[0] * data[1] + g[1] * data[2] + g[2] * data[3]`입니다. 여기 쓰인 것은 `data`의 어느 슬라이스인가요? 위치가 몇 개든, `weights[k]`라면 어떻게 쓰나요?
스칼라 텐서의 리스트는 `torch.stack`으로 벡터가 됩니다.

</details>
"""


# %% answer="shared_weight_grad"
def shared_weight_grad(data, weights, g):
    """Return dL/dweights, a vector like weights, where out[i] = sum over k of weights[k] * data[i + k].

    Shapes: data (n + m - 1,), weights (n,), g (m,). The vector g is dL/dout.
    """
    ### BEGIN SOLUTION
    return torch.stack([(g * data[k : k + len(g)]).sum() for k in range(len(weights))])
    ### END SOLUTION


# %% test="shared_weight_grad" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("shared_weight_grad")


def _compare(x, w, g, want, wrong, cause, dtype="float64", tracked=False, **kwargs):
    inputs = {"data": x, "weights": w, "g": g}
    leaves = {name: leaf(part, dtype, tracked=tracked, **kwargs) for name, part in inputs.items()}
    answer = ask("shared_weight_grad(data, weights, g)", **leaves)
    return answer.returns(tensor(want, dtype), mistakes=wrong, nearly=hint.rounded, hint=cause)


_wrong = {hint.no_g: [1, 2], hint.of_x: [30, 40], hint.grown: [20, 40], hint.flipped: [20, 10]}
_wrong[hint.only_x] = [30, 80]
_compare([1, 2], [3, 4], [10], want=[10, 20], wrong=_wrong, cause=hint.every)
_wrong = {hint.mean: [105, 260], hint.one_use: ([200, 500], [10, 20]), hint.overwrites: [210, 2500]}
_wrong[hint.flipped] = [120, 250], [210, 150]
_compare([1, 2, 5], [3, 4], [10, 100], want=[210, 520], wrong=_wrong, cause=hint.every)
_wrong = {hint.vector: tensor(520.1), hint.one_use: tensor([0.1])}
_compare([1, 2, 5], [0], [0.1, 10, 100], [520.1], wrong=_wrong, cause=hint.values)
_x, _want = [2.0001e-5, 3e-5, 1e13], [2.1501e-4, 5e12 + 3e-4]
_answer = _compare(_x, [3, 4], [10, 0.5], _want, wrong={}, cause=hint.any_size)
_answer.after("data.data *= -2").returns(-2 * tensor(_want))
check.visible_passed()


### BEGIN HIDDEN TESTS
import itertools


_NEXT_CALL = "shared_weight_grad(data.detach() + 1, weights.detach() + 5, 2 * g.detach())"


def _sums(x, g):
    return (x.double().unfold(0, len(g), 1) @ g.double()).to(x.dtype)


def _compare_again(x, w, g, dtype="float64", **kwargs):
    cause = hint.apart if "layout" in kwargs else hint.values if 0.0 in w else hint.every
    x, w, g = (tensor(numbers, dtype) for numbers in (x, w, g))
    want, count = _sums(x, g), len(g)
    wrong = {
        hint.one_use: tuple(g[i] * x[i : i + len(w)] for i in range(count) if count > 1),
        hint.mean: want / count,
        hint.flipped: (want.flip(0), _sums(x, g.flip(0))),
        hint.values: want * w,
    }
    answer = _compare(x, w, g, want, wrong=wrong, cause=cause, dtype=dtype, **kwargs)
    answer.changes_nothing().again().returns(want)
    next_answer = answer.then(_NEXT_CALL, hint.stale)
    next_answer.returns(_sums(x + 1, 2 * g), atol=1e-4 if dtype == "float32" else None)
    answer.still_returns(want)


def _compare_random(size, positions, dtype="float64", weights=None, **kwargs):
    x = check.draws(size + positions - 1, -3 if size + positions > 2 else 0.5, 3)
    w, g = weights or check.draws(size, -3, 3), check.draws(positions, -3, 3)
    check.smallest(lambda *numbers: _compare_again(*numbers, dtype, **kwargs), x, w, g)


for _dtype in ("float64", "float32"):
    for _size, _positions in itertools.product((1, 2, 3, 5, 7), (1, 2, 3, 5, 9)):
        _compare_random(_size, _positions, _dtype)
    for _weights in ([0.0, 0.0, 0.0], [0.0, check.draw(1, 2), 0.0]):
        _compare_random(3, 5, _dtype, weights=_weights)
    for _size, _positions in ((3, 4), (2, 5)):
        _compare_random(_size, _positions, _dtype, layout="slice")
_compare_random(round(check.draw(8.6, 12.4)), round(check.draw(12.6, 20.4)))
for _size, _positions in ((3, 4), (4, 1)):
    _compare_random(_size, _positions, tracked=True, grad=7.0)
_x, _w = ([number / 3 for number in check.draws(count, 1, 3)] for count in (6, 3))
_compare_again(_x, _w, [number / 7 for number in check.draws(4, 1, 3)])
_compare_again(_x, _w, [1.5] * 4, layout="expanded")  # sum() sends back such a gradient
_answer = _compare([1, 2, 5], [3, 4], [10, 100], [210, 520], wrong={}, cause=hint.every)
_answer.after("g.data *= -2").returns(tensor([-420, -1040]))
# With atol=0, an answer of 0 is wrong even if the right value is tiny.
for _dtype, _rtol in (("float64", 1e-11), ("float32", 1e-5)):
    for _x, _g, _want in (
        ([2e-20, 3e-20, 1e9], [10, 0.5], [2.15e-19, 5e8]),
        ([1e9, 2e-20, 3e-20], [10, 0.5], [1e10, 2.15e-19]),
        ([2, 0, 3], [1e-20, 1e9], [2e-20, 3e9]),
        ([2e13, 3e13, 5e13], [10, 0.5], [2.15e14, 3.25e14]),
    ):
        _leaves = {"data": tensor(_x, _dtype), "weights": tensor([3, 4], _dtype), "g": tensor(_g, _dtype)}
        _answer = ask("shared_weight_grad(data, weights, g)", **_leaves)
        _answer.returns(tensor(_want, _dtype), rtol=_rtol, atol=0.0, hint=hint.any_size)
_leaves = {
    "data": "leaf([1.0, 2.0, 5.0]).double() * 1",
    "weights": "leaf([3.0, 4.0]).double() * 1",
    "g": "leaf([10.0, 100.0]).double() * 1",
}
_answer = ask("shared_weight_grad(data, weights, g)", {"errors": hint.tracked}, **_leaves)
_answer.changes_nothing().returns(tensor([210.0, 520.0]), hint=hint.every)
_retains_grad = _answer.then("data.retains_grad or weights.retains_grad or g.retains_grad")
_answer.holds(not _retains_grad.result, hint.retains)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **4.1** Edges in other orders; paths of different lengths, up to 200 edges; several edges between the same
  nodes; slopes that are 0, negative, tiny, huge or `int`, and results that are tiny; no path, and
  `src == out`; edges before `src`, beyond `out`, and into dead ends; nodes of all kinds, `1` and `1.0` among them; random graphs; 40
  diamonds, also before `src`, beyond `out` and in dead ends; that `edges` is unchanged.
- **4.2** Every way to broadcast: dimensions added, stretched, both, neither; `()`; dimensions of equal sizes, so that only
  their positions tell them apart; up to six dimensions; tiny and huge elements; `torch.Size`.
- **4.3** Both formulas with numbers and with shapes that broadcast in each direction; negative and zero `q`; `x = 0` with $q > 1$, $q = 1$
  and $0 < q < 1$; `g` of both signs, or negative everywhere; very small `x` and `q`.
- **4.4** Several sizes, a single weight or a single position among them; weights that are 0; tiny and huge elements; `data` or `g` with other values at a later call.

</details>

The rules of every task are checked everywhere; in 4.2 to 4.4 with both dtypes (float64 to 11 digits), with slices, transposed (4.2, 4.3) and
expanded tensors, and with tracked ones, leaves or not.

## What you have built

In lesson 10 you build an autograd of your own. You are now prepared for two of its parts. `total_derivative` does the work of its `backward()`: it
takes each node once, multiplies along the edges and adds up. `unbroadcast` is a step that such a `backward()` calls, and so is
`pow_backward`, if you have solved task 4.3.

## Checklist

You can now answer these without looking back:

- What is multiplied, and what is added?
- In one `backward()`, how often is a hook on `x` called if `x` is used three times? Which part of PyTorch did the addition?
- What is the remainder when two factors move at once, and why does it not matter in the limit?
- A bias of shape `(3,)` is added to a table of shape `(100, 3)`. What shape does its gradient have, and over what is it a sum?
- Why is the gradient of $0^q$ with respect to $q$ zero for $q > 0$, and why does the formula give `nan`?

## Links

- [PyTorch: Broadcasting semantics](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)
- [PyTorch: Tensor.sum_to_size](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Calculus on computational graphs: backpropagation (Christopher Olah)](https://colah.github.io/posts/2015-08-Backprop/)
- [The bug of section 7: "JIT gives wrong gradients"](https://github.com/pytorch/pytorch/issues/13669)

Next: [Lesson 05](../05_vectors_and_jacobians/05_vectors_and_jacobians.ipynb), vectors in, vectors out.
"""

# %% [markdown] lang="ko" en="e3e5b55f"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **4.1** 순서를 바꾼 간선, 길이가 다른 경로(간선 200개까지), 같은 두 노드를 잇는 여러 간선, 0이거나 음수이거나 아주 작거나 크거나
  `int`인 기울기와 아주 작은 결과, 경로가 없는 경우와 `src == out`, `src` 앞과 `out` 뒤의 간선과 막다른 간선, 온갖 종류의
  노드(`1`과 `1.0`도), 임의의 그래프, 마름모 40개(`src` 앞이나 `out` 뒤에 있는 것, `out`으로 가지 않는 것도), `edges`가 그대로인지.
- **4.2** 브로드캐스트의 모든 경우(차원이 붙은 것, 늘어난 것, 둘 다, 둘 다 아닌 것), `()`, 크기가 우연히 같아서 차원의 위치로만 구별되는
  경우, 여섯 차원까지, 아주 작은 원소와 큰 원소, `torch.Size`.
- **4.3** 두 식(수 하나일 때와, 양쪽으로 브로드캐스트될 때), 음수이거나 0인 `q`, $q > 1$, $q = 1$, $0 < q < 1$일 때의 `x = 0`, 양수와 음수인 `g`, 모두 음수인 `g`, 아주
  작은 `x`와 `q`.
- **4.4** 여러 크기(가중치나 위치가 하나뿐인 경우도), 0인 가중치, 아주 작은 원소와 큰 원소, `data`나 `g`에 다른 값을 넣고 다시 호출했을 때.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다. 4.2–4.4에서는 두 가지 dtype(float64는 유효 숫자 11자리까지)을 쓰고, 잘라 낸 텐서, 전치한 텐서(4.2, 4.3), `expand`한
텐서, 추적되는 텐서(leaf이거나 아닌 것)를 인자로 넘깁니다.

## 지금까지 만든 것

수업 10에서 만들 autograd의 두 부분을 이번 수업에서 준비했습니다. `total_derivative`는 수업 10의 `backward()`가 할 일을 합니다. 노드마다 한
번씩 간선을 따라 곱하고 더합니다. `unbroadcast`는 그런 `backward()`가 도중에 호출하는 함수입니다. 과제 4.3을 했다면 `pow_backward`도 그렇습니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 무엇을 곱하고 무엇을 더하나요?
- `x`를 세 번 쓴 다음 `backward()`를 한 번 호출하면 `x`에 건 hook은 몇 번 호출되나요? 덧셈은 PyTorch의 어느 부분이 했나요?
- 곱해지는 두 수가 함께 움직이면 무엇이 남나요? 극한에서는 왜 문제가 되지 않나요?
- shape가 `(3,)`인 bias를 `(100, 3)`인 표에 더합니다. bias의 gradient는 shape가 무엇이고, 무엇에 대한 합인가요?
- $q > 0$일 때 $0^q$을 $q$로 미분하면 왜 0인가요? 식대로 하면 왜 `nan`이 나오나요?

## 더 읽을거리

- [PyTorch: Broadcasting semantics (영어)](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)
- [PyTorch: Tensor.sum_to_size (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Calculus on computational graphs: backpropagation (Christopher Olah, 영어)](https://colah.github.io/posts/2015-08-Backprop/)
- [7절의 버그: "JIT gives wrong gradients" (영어)](https://github.com/pytorch/pytorch/issues/13669)

다음은 [수업 05](../05_vectors_and_jacobians/05_vectors_and_jacobians.ipynb), 벡터에서 벡터로입니다.
"""
