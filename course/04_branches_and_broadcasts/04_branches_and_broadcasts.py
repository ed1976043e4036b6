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

Lesson 04 of 10 · ~75 min · chain rule, fan-out, broadcast

**After this lesson you can**

- compute a slope when several paths lead from a number to the result: multiply along each path, add over the paths;
- say who does that addition, and when;
- give each input of an operation such as $x^q$ its own gradient;
- undo a broadcast on the way back: with a sum, never a mean;
- see a shared weight as a number with many paths to the loss.

You need lessons 1 to 3: `backward()`, the graph behind `grad_fn`, and the buffer `.grad`.
"""

# %% [markdown] lang="ko" en="882a5056"
r"""
# 갈림길과 브로드캐스트: gradient가 더해지는 곳

수업 04 / 10 · 약 75분 · 연쇄 법칙, 갈림길, 브로드캐스트

**이 수업을 마치면**

- 어떤 수에서 결과까지 경로가 여러 개일 때 기울기를 구할 수 있습니다. 경로를 따라 곱하고, 경로끼리 더합니다.
- 그 덧셈을 누가 언제 하는지 말할 수 있습니다.
- $x^q$ 같은 연산에서 입력마다 gradient를 따로 구할 수 있습니다.
- 거슬러 올 때 브로드캐스트를 되돌릴 수 있습니다. 평균이 아니라 합입니다.
- 여러 번 쓰이는 가중치를 loss까지 경로가 여럿인 수로 볼 수 있습니다.

수업 01–03에서 배운 `backward()`, `grad_fn` 뒤의 계산 그래프, `.grad` 버퍼를 알고 있으면 됩니다.
"""

# %%
import math

import torch

from secant import draw_graph, expect_error, explore_paths, language, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

Let $z = \log x^3 + \sqrt{x^2}$ at $x = 5$. Two paths lead from $x$ to $z$, one through the logarithm, one through the root.
Taken alone, the first has slope $0.6$ and the second $1.0$.

A **hook** on `x` is a function that PyTorch calls with the gradient of `x` when it has one. Ours will print it. **What does a
single `z.backward()` print: 0.6 and then 1.0? 1.0 and then 0.6? 0.6 and then 1.6, as `.grad` is added to? Or something else?**
"""

# %% [markdown] lang="ko" en="5d740c21"
r"""
## 먼저 예상하기

$x = 5$에서 $z = \log x^3 + \sqrt{x^2}$을 봅시다. $x$에서 $z$까지 경로가 둘 있습니다. 하나는 로그를, 하나는 제곱근을 지납니다.
따로 보면 첫째 경로의 기울기는 $0.6$, 둘째 경로의 기울기는 $1.0$입니다.

`x`에 거는 **hook**은 `x`의 gradient가 구해졌을 때 PyTorch가 그 값을 넘겨 부르는 함수입니다. 우리 hook은 받은 값을 출력합니다.
**`z.backward()`를 한 번 부르면 무엇이 출력될까요? 0.6 다음에 1.0? 1.0 다음에 0.6? `.grad`에 더해지니까 0.6 다음에 1.6? 아니면 다른 것?**
"""

# %%
my_guess = "..."

# %% [markdown] lang="en"
r"""
## 1. Two paths to one result

First the gradient itself. Here is the computation with a name for each step.
"""

# %% [markdown] lang="ko" en="fc29aeae"
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
`x.grad` is $1.6$. Where does it come from? Write down the slope of each single step, its **local slope**:
"""

# %% [markdown] lang="ko" en="4f629a3b"
r"""
`x.grad`는 $1.6$입니다. 어디에서 나온 값일까요? 단계 하나하나의 기울기, 곧 **국소 기울기**를 적어 봅시다.
"""

# %%
with torch.no_grad():
    dy_dx, dz_dy = 3 * x**2, 1 / y
    dw_dx, dz_dw = 2 * x, 1 / (2 * torch.sqrt(w))

print(f"x -> y: {dy_dx:g}   y -> z: {dz_dy:g}   product: {dy_dx * dz_dy:g}")
print(f"x -> w: {dw_dx:g}   w -> z: {dz_dw:g}     product: {dw_dx * dz_dw:g}")
print(f"sum: {dy_dx * dz_dy + dw_dx * dz_dw:g}")

# %% [markdown] lang="en"
r"""
Along a path the slopes are **multiplied**; that is the chain rule of lesson 1. Over the paths the products are **added**:

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{\partial z}{\partial y} + \frac{dw}{dx}\cdot\frac{\partial z}{\partial w}
= 75 \cdot 0.008 + 10 \cdot 0.1 = 0.6 + 1.0 = 1.6.$$

This is the **total derivative** of $z$ with respect to $x$. The place where the paths part, `x`, is a **fan-out**: one value
that is used more than once.

How many paths can there be? Each round of the next loop uses `t` twice.
"""

# %% [markdown] lang="ko" en="5791f499"
r"""
경로를 따라서는 기울기를 **곱합니다**. 수업 01의 연쇄 법칙입니다. 그리고 경로마다 얻은 곱을 **더합니다**.

$$\frac{dz}{dx} = \frac{dy}{dx}\cdot\frac{\partial z}{\partial y} + \frac{dw}{dx}\cdot\frac{\partial z}{\partial w}
= 75 \cdot 0.008 + 10 \cdot 0.1 = 0.6 + 1.0 = 1.6$$

이것을 $x$에 대한 $z$의 **전미분**(total derivative)이라고 합니다. 경로가 갈라지는 곳, 여기서는 `x`가 **갈림길**(fan-out)입니다.
값 하나가 두 번 이상 쓰이는 곳입니다.

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
Every step here has slope 1, so every path has the product 1, and the gradient just counts the paths: more than $10^{12}$ of
them. Yet the cell took no time. `backward()` does not walk the paths one by one. It goes from the end to the start, visits
**each node once, when everything that flows into it has arrived**, adds that up, and passes the *sum* on. Forty additions
are enough. In task 4.1 you do the same.
"""

# %% [markdown] lang="ko" en="9ba389b4"
r"""
여기서는 단계마다 기울기가 1이므로 경로마다 곱도 1입니다. 그래서 gradient는 그냥 경로의 개수가 됩니다. $10^{12}$개가 넘습니다.
그런데도 셀은 금방 끝났습니다. `backward()`는 경로를 하나씩 걷지 않습니다. 끝에서 처음으로 가면서 **들어올 것이 모두 들어온 다음에
노드마다 한 번씩만** 들르고, 들어온 값을 더해 그 *합*을 넘깁니다. 덧셈 40번이면 충분합니다. 과제 4.1에서 여러분도 이렇게 하게 됩니다.
"""

# %% [markdown] lang="en"
r"""
## 2. Who does the addition?

A popular answer: "`backward()` *adds to* `.grad`, so `x.grad` first becomes $0.6$, then $1.6$." Test it. Beside the hook of the
beginning we hang up a second one, which is called each time something has been written to `x.grad`.
"""

# %% [markdown] lang="ko" en="601ff4a4"
r"""
## 2. 누가 더할까?

흔히 이렇게 답합니다. "`backward()`는 `.grad`에 *더하니까* `x.grad`가 먼저 $0.6$이 되고 그다음 $1.6$이 된다." 정말 그런지
확인합시다. 처음에 말한 hook 옆에, `x.grad`에 값이 쓰일 때마다 불리는 hook을 하나 더 겁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda gradient: print("hook on x       :", gradient))
x.register_post_accumulate_grad_hook(lambda leaf: print("x.grad written  :", leaf.grad))

z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()

# %% [markdown] lang="en"
r"""
Each was called **once**, with $1.6$. So nobody ever wrote $0.6$ to `x.grad`: the sum was complete before it got there.

The graph shows why. Below, where the computation began, there is only *one* node for `x`.
"""

# %% [markdown] lang="ko" en="3aad03e2"
r"""
두 hook 모두 **한 번씩만**, $1.6$으로 불렸습니다. `x.grad`에 $0.6$이 쓰인 적은 없습니다. 거기에 닿기 전에 이미 합이 끝나 있었습니다.

까닭은 그래프에 있습니다. 계산이 시작된 곳을 보세요. `x`의 노드는 *하나*뿐입니다.
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

print("the same node :", ends[0] is ends[1])
print("it belongs to x:", ends[0].variable is x)

# %% [markdown] lang="en"
r"""
Both paths end in the *same* `AccumulateGrad` node. The **engine**, which runs `backward()`, keeps a slot for each node that
waits. What arrives is added in the slot; the node runs once, when nothing more can come. Only then does `AccumulateGrad` add
its one number, $1.6$, to whatever `.grad` held before.

So there are two additions, and you should keep them apart:

| | adds up | when |
|---|---|---|
| the engine | the paths of **one** `backward()` | before the node runs |
| the `.grad` buffer | the results of **several** `backward()` calls | when `AccumulateGrad` runs |

The next cell separates them twice. First, an `x` whose `.grad` already holds $10$: the hook still says $1.6$. Second, an
intermediate value `u` with two paths: it has no `.grad` at all, and still its gradient is a sum.
"""

# %% [markdown] lang="ko" en="4a51a2d8"
r"""
두 경로는 *같은* `AccumulateGrad` 노드에서 끝납니다. `backward()`를 실행하는 **엔진**은 차례를 기다리는 노드마다 자리를 하나씩
마련해 둡니다. 들어오는 값은 그 자리에서 더해지고, 더 들어올 것이 없을 때 노드가 한 번 실행됩니다. `AccumulateGrad`는 그제야
$1.6$이라는 수 하나를 `.grad`에 있던 값에 더합니다.

그러니 덧셈은 두 가지이고, 둘을 구별해야 합니다.

| | 무엇을 더하나 | 언제 |
|---|---|---|
| 엔진 | `backward()` **한 번** 안의 여러 경로 | 노드가 실행되기 전 |
| `.grad` 버퍼 | `backward()` **여러 번**의 결과 | `AccumulateGrad`가 실행될 때 |

다음 셀은 둘을 두 가지 방법으로 갈라 놓습니다. 먼저 `.grad`에 이미 $10$이 든 `x`입니다. hook은 그래도 $1.6$이라고 합니다. 다음은
경로가 둘인 중간값 `u`입니다. `u`에는 `.grad`가 아예 없지만 그래도 gradient는 합입니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
x.grad = torch.tensor(10.0)
x.register_hook(lambda gradient: print("hook on x :", gradient))
(torch.log(x**3) + torch.sqrt(x**2)).backward()
print("x.grad    :", x.grad)

x = torch.tensor(5.0, requires_grad=True)
u = x * 1
u.register_hook(lambda gradient: print("hook on u :", gradient))
(torch.log(u**3) + torch.sqrt(u**2)).backward()
print("u keeps a .grad:", u.retains_grad)

# %% [markdown] lang="en"
r"""
## 3. Why the paths may simply be added

Move `x`, and `y` and `w` move *together*. Why is it allowed to look at one path while the other stands still, and to add up
afterwards? Let us measure, with three difference quotients: only `y` moves, only `w` moves, both move. Run the cell. On the left
they stand as bars, each begun where the one before it ends. Between them is $r$, what the first two **leave over**: the
quotient of both, minus the two others. The dashed line is autograd's gradient. On the right is the size of $r$ for every $h$.

1. At first $y = \log x^3$, $w = \sqrt{x^2}$ and $z = y + w$. Move $h$. Do the first two bars ever fail to add up to the last?
2. Move $h$ to the far left. Which heights do the bars tend to?
3. Choose $y = x^3$, $w = x^2$ and $z = y \times w$. At $h = 1$ there is now an $r$. How large is it at $h = 0.1$, at $0.01$, at
   $0.001$?
4. How steep is its line on the right? What does that say about $h \to 0$?
"""

# %% [markdown] lang="ko" en="f8c60c95"
r"""
## 3. 경로를 그냥 더해도 되는 까닭

`x`를 움직이면 `y`와 `w`가 *함께* 움직입니다. 그런데 왜 한 경로를 볼 때 다른 경로는 멈춰 두고, 나중에 더해도 될까요? `y`만 움직일 때,
`w`만 움직일 때, 둘 다 움직일 때의 차분몫을 각각 재어 봅시다. 셀을 실행하세요. 왼쪽 그림에서 차분몫은 막대이고, 막대는 앞의 막대가
끝난 높이에서 시작합니다. 그 사이의 $r$는 둘 다 움직일 때의 차분몫에서 앞의 두 차분몫을 뺀 **나머지**입니다. 파선은 autograd의
gradient입니다. 오른쪽 그림은 $h$마다 $r$의 크기를 보여 줍니다.

1. 처음에는 $y = \log x^3$, $w = \sqrt{x^2}$, $z = y + w$입니다. $h$를 움직이세요. 앞의 두 막대를 더한 것이 마지막 막대와 다를 때가 있나요?
2. $h$를 왼쪽 끝까지 옮기세요. 막대의 높이는 어떤 값에 다가가나요?
3. $y = x^3$, $w = x^2$, $z = y \times w$를 고르세요. $h = 1$에서 이제 $r$가 생깁니다. $h = 0.1$, $0.01$, $0.001$에서는 얼마인가요?
4. 오른쪽에서 $r$의 선은 얼마나 가파른가요? $h \to 0$일 때 어떻게 된다는 뜻인가요?
"""

# %%
explore_paths()

# %% [markdown] lang="en"
r"""
**What you saw.** With $+$ nothing is left over, at any $h$: the two parts do not meddle with each other, and $0.6 + 1.0$ is
$1.6$. With $\times$ they do, for where both factors grow, the growth of one is multiplied by the growth of the other:

$$(y+\Delta y)(w + \Delta w) - y w = \underbrace{\Delta y\, w}_{\text{only } y} + \underbrace{y\, \Delta w}_{\text{only } w}
+ \underbrace{\Delta y\, \Delta w}_{\text{left over}}.$$

Divide by $h$. The first two parts tend to slopes. The last is $\frac{\Delta y}{h}\cdot\Delta w$: a slope times something that
goes to zero. It was $77$ at $h = 0.1$, then $7.5$, then $0.75$: a tenth of $h$, a tenth of the rest. However $y$ and $w$ are
merged, as long as it is done smoothly, what is left over goes to zero in this way. That is why paths may be added *in the limit*.

Now take a pair of functions of your own.
"""

# %% [markdown] lang="ko" en="2ad2d2df"
r"""
**무엇을 보았나요?** $+$로 합치면 $h$가 얼마이든 나머지가 없습니다. 두 부분이 서로 간섭하지 않아 $0.6 + 1.0$은 $1.6$입니다.
$\times$로 합치면 다릅니다. 두 인수가 모두 늘면 한쪽이 늘어난 만큼에 다른 쪽이 늘어난 만큼이 곱해지기 때문입니다.

$$(y+\Delta y)(w + \Delta w) - y w = \underbrace{\Delta y\, w}_{y\text{만}} + \underbrace{y\, \Delta w}_{w\text{만}}
+ \underbrace{\Delta y\, \Delta w}_{\text{나머지}}$$

$h$로 나눕시다. 앞의 두 항은 기울기로 다가갑니다. 마지막 항은 $\frac{\Delta y}{h}\cdot\Delta w$, 곧 기울기에 0으로 가는 수를 곱한
것입니다. $h = 0.1$에서 $77$, 그다음 $7.5$, $0.75$였습니다. $h$가 10분의 1이 되면 나머지도 10분의 1이 됩니다. 매끄럽게 합치기만 하면
어떤 방법으로 합치든 나머지는 이렇게 0으로 갑니다. 그래서 *극한에서는* 경로를 더해도 됩니다.

이제 여러분의 함수 두 개를 넣어 보세요.
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

Multiplication has two inputs. So has the power: why should only the base be tracked? Let the exponent be a tensor `q`.
"""

# %% [markdown] lang="ko" en="f9effdd5"
r"""
## 4. 입력마다 gradient가 따로 있다

곱셈에는 입력이 둘 있습니다. 거듭제곱도 그렇습니다. 밑만 추적하라는 법은 없습니다. 이번에는 지수도 텐서 `q`로 둡니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = x**q
z = torch.log(y)
z.backward()

print("y, z  :", y.item(), f"{z.item():.4f}")
print("x.grad:", x.grad, "  by hand:", f"{3 * 5**2:g} * {1 / 125:g} = {75 / 125:g}")
print("q.grad:", q.grad, "  by hand:", f"{125 * math.log(5):.2f} * {1 / 125:g} = {math.log(5):.4f}")

# %% [markdown] lang="en"
r"""
There are two local slopes at the power, one for each input, each found while the other input stands still:

$$\frac{\partial y}{\partial x} = q\,x^{q-1} = 75, \qquad \frac{\partial y}{\partial q} = x^q \log x \approx 201.18.$$

Both are multiplied by the same number $\frac{dz}{dy} = 0.008$ that comes from behind. In general: a step of `backward()` gets
*one* gradient, that of its output, and returns *one for each input*.

There is a trap in the second formula. What is $x^q \log x$ at $x = 0$?
"""

# %% [markdown] lang="ko" en="e37c27fe"
r"""
거듭제곱의 국소 기울기는 입력마다 하나씩, 모두 둘입니다. 하나를 구할 때 다른 입력은 멈춰 둡니다.

$$\frac{\partial y}{\partial x} = q\,x^{q-1} = 75, \qquad \frac{\partial y}{\partial q} = x^q \log x \approx 201.18$$

뒤에서 오는 수 $\frac{dz}{dy} = 0.008$은 하나이고, 이 수를 두 기울기에 모두 곱합니다. 일반적으로 `backward()`의 한 단계는 출력의 gradient를
*하나* 받아서 *입력마다 하나씩* 돌려줍니다.

둘째 식에는 함정이 있습니다. $x = 0$이면 $x^q \log x$는 얼마일까요?
"""

# %%
x = torch.tensor([0.0, 2.0], requires_grad=True)
q = torch.tensor([2.0, 2.0], requires_grad=True)
(x**q).sum().backward()

print("x**q * log(x):", x.detach() ** q.detach() * torch.log(x.detach()))
print("q.grad       :", q.grad)

# %% [markdown] lang="en"
r"""
The formula says $0 \cdot (-\infty)$, which a computer calls `nan`. PyTorch says $0$, and it is right: $0^q$ is $0$ for every $q
> 0$, a constant, so its slope with respect to $q$ is $0$. A single `nan` in a gradient spoils every weight that it is added
to. Someone had to think of this case when they wrote the backward step of the power. In task 4.3 it is you.
"""

# %% [markdown] lang="ko" en="03a027f7"
r"""
식대로 하면 $0 \cdot (-\infty)$이고 컴퓨터는 이것을 `nan`이라고 합니다. PyTorch의 답은 $0$이고 이쪽이 맞습니다. $q > 0$이면
$0^q$은 언제나 $0$, 곧 상수이므로 $q$에 대한 기울기는 $0$입니다. gradient에 `nan`이 하나라도 있으면 그것이 더해지는 가중치가 모두
망가집니다. 거듭제곱의 backward를 만든 사람은 이 경우를 생각해 두어야 했습니다. 과제 4.3에서는 여러분 차례입니다.
"""

# %% [markdown] lang="en"
r"""
## 5. A broadcast is a fan-out

One number times a vector of three, then a dot product. How many paths lead from `x` to `z`?
"""

# %% [markdown] lang="ko" en="6f144401"
r"""
## 5. 브로드캐스트는 갈림길이다

수 하나에 원소 3개짜리 벡터를 곱하고 내적을 구합니다. `x`에서 `z`까지 경로는 몇 개인가요?
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
z = y @ torch.tensor([4.0, 7.0, 9.0])

y.retain_grad()
z.retain_grad()
z.backward()

print(tensor_info(x=x, y=y, z=z))

# %% [markdown] lang="en"
r"""
Three: `x` was needed three times, so the broadcast made three copies of it, and each copy is a path.

$$\frac{dz}{dx} = 4\cdot 2 + 7\cdot 3 + 9\cdot 5 = 8 + 21 + 45 = 74.$$

Nothing new happened: it is section 1 with three paths. But it gives a rule that you will need whenever you write a backward
step by hand: **the gradient of a broadcast is the sum over the copies.** Look at the shapes.
"""

# %% [markdown] lang="ko" en="0f87635c"
r"""
셋입니다. `x`가 세 번 필요하니 브로드캐스트가 `x`를 셋으로 복사했고, 복사본 하나하나가 경로입니다.

$$\frac{dz}{dx} = 4\cdot 2 + 7\cdot 3 + 9\cdot 5 = 8 + 21 + 45 = 74$$

새로운 일은 일어나지 않았습니다. 1절에서 경로가 셋이 되었을 뿐입니다. 그런데 여기에서 backward를 직접 쓸 때마다 필요한 규칙이
나옵니다. **브로드캐스트의 gradient는 복사본에 대한 합입니다.** shape을 봅시다.
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
Every number of the table has gradient 1. There are 12 copies of the scalar, 4 of each number of the row, 3 of each number of
the column; and those are the gradients. In each case the gradient has the shape of *its own* tensor.

Going back, there are two kinds of dimension to sum over:

- those that the tensor **did not have**. Shapes are compared from the right, so they stand on the left: from `(4, 3)`, the row
  `(3,)` sums over dimension 0, and that dimension disappears;
- those where it had **size 1** and was stretched: the column `(4, 1)` sums over dimension 1, and that dimension *stays*, with size 1.

**A sum, not a mean.** Many expect that a number which is shared by twelve gets the mean of the twelve gradients. It does not:
if it moves by a little, *all twelve* move. A mean appears only if you write one, as in a loss with `mean()`:
"""

# %% [markdown] lang="ko" en="4dbf7c63"
r"""
표의 수는 모두 gradient가 1입니다. scalar는 12번, row의 수는 4번씩, column의 수는 3번씩 복사되었고, 그것이 그대로 gradient입니다.
어느 것이나 gradient의 shape은 *자기 자신*의 shape입니다.

거슬러 올 때 합을 구할 차원은 두 가지입니다.

- 그 텐서에 **없던** 차원. shape은 오른쪽부터 맞추므로 이런 차원은 왼쪽에 있습니다. `(4, 3)`에서 row `(3,)`은 0번 차원으로 더하고,
  그 차원은 사라집니다.
- **크기가 1**이었다가 늘어난 차원. column `(4, 1)`은 1번 차원으로 더하고, 그 차원은 크기 1로 *남습니다*.

**평균이 아니라 합입니다.** 열두 곳에서 함께 쓰는 수는 gradient 열두 개의 평균을 받으리라고 생각하기 쉽습니다. 그렇지 않습니다.
그 수가 조금 움직이면 *열두 개가 모두* 움직이기 때문입니다. 평균은 여러분이 직접 쓸 때만 나타납니다. loss에 `mean()`을 쓰는 경우가
그렇습니다.
"""

# %%
scalar.grad = None
(scalar + row + column).mean().backward()
print("with mean():", f"{scalar.grad.item():g}", "= 12 * 1/12")

with expect_error():
    row + torch.zeros(4)

# %% [markdown] lang="en"
r"""
(The error is there to remind you: from the right, 3 does not fit 4, and only a 1 can be stretched.)

## 6. One weight, many uses

A **convolution** slides a few weights along the data. Each weight is used at every position, so every position is a path:

$$y_i = \sum_k w_k\, x_{i+k}.$$
"""

# %% [markdown] lang="ko" en="a1d20416"
r"""
(오류는 일부러 낸 것입니다. 오른쪽부터 맞추면 3과 4는 맞지 않습니다. 늘어날 수 있는 것은 1뿐입니다.)

## 6. 가중치 하나를 여러 번 쓰면

**합성곱**은 가중치 몇 개를 데이터 위로 밀고 갑니다. 가중치는 위치마다 한 번씩 쓰이므로 위치 하나하나가 경로입니다.

$$y_i = \sum_k w_k\, x_{i+k}$$
"""

# %%
data = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
weights = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
out = torch.nn.functional.conv1d(data[None, None], weights[None, None])[0, 0]
(out * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print("out         :", out.detach())
print("weights.grad:", weights.grad)

# Three copies of the weights, one for each position: each gets the gradient of its own use.
copies = torch.tensor([1.0, -2.0, 3.0]).repeat(3, 1).requires_grad_()
out = torch.stack([copies[i] @ data[i : i + 3] for i in range(3)])
(out * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print("its uses    :", copies.grad.tolist())
print("their sum   :", copies.grad.sum(0))

# %% [markdown] lang="en"
r"""
The gradient of the shared weights is the sum of what each use would get alone. The same holds for a **recurrent** network,
which uses one weight at every time step. There the paths even have different lengths: what the weight did at the first step passes
through all later ones.
"""

# %% [markdown] lang="ko" en="f27f7a70"
r"""
함께 쓰는 가중치의 gradient는 쓰인 곳마다 따로 구한 gradient의 합입니다. 시간 단계마다 같은 가중치를 쓰는 **순환 신경망**도
마찬가지입니다. 여기서는 경로의 길이까지 서로 다릅니다. 가중치가 첫 단계에서 한 일은 그 뒤의 모든 단계를 지나갑니다.
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

print("shared      :", f"{shared.grad:.6f}")
print("step by step:", " + ".join(f"({weight.grad:.6f})" for weight in own))
print("their sum   :", f"{sum(weight.grad for weight in own):.6f}")

# %% [markdown] lang="en"
r"""
**What you saw.** Branches, broadcasts and shared weights are one and the same thing: a value that is used more than once. Its
gradient is the sum over the uses, made by the engine within a single `backward()`.
"""

# %% [markdown] lang="ko" en="9e2040b0"
r"""
**무엇을 보았나요?** 갈림길, 브로드캐스트, 함께 쓰는 가중치는 모두 같은 것입니다. 값 하나가 두 번 이상 쓰입니다. 그 gradient는
쓰인 곳마다의 합이고, 합은 `backward()` 한 번 안에서 엔진이 구합니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

Four functions, 10 points. The test cell under each answer holds the **visible tests**; **hidden tests** are added when your
work is graded, and the list below the last task says what they look for.

The rules of lesson 1 hold: your function leaves its arguments, their `.grad`, `requires_grad` and hooks, and all global
settings as it found them; it keeps the dtype; it gives the same answer when called twice; it returns what its signature says.
"""

# %% [markdown] lang="ko" en="f5eece0f"
r"""
# 과제

함수 네 개, 모두 10점입니다. 답 아래 테스트 셀에 **보이는 테스트**가 있고, 채점할 때는 **숨은 테스트**가 더해집니다. 숨은 테스트가
보는 것은 마지막 과제 아래에 적어 두었습니다.

수업 01의 규칙이 그대로 적용됩니다. 인자와 그 `.grad`, `requires_grad`, hook, 그리고 전역 설정은 건드리지 않습니다. dtype을
유지하고, 두 번 불러도 같은 답을 내며, 시그니처에 적힌 것을 돌려줍니다.
"""

# %% [markdown] lang="en"
r"""
## Task 4.1 · `total_derivative`

●●●○○ · ★★★★★ · 15 min · 3 points

Given all local slopes of a graph, return the total derivative of `out` with respect to `src`: the sum over all paths from `src`
to `out` of the product of the slopes along the path.

- `edges` is a list of tuples `(from, to, local slope)`, **in any order**. Slopes are finite numbers, `float` or `int`; they may be 0 or
  negative.
- Nodes are anything that can be the key of a `dict`: strings, numbers, tuples, `None`, objects. They need not be comparable with `<`, and
  two different ones may look the same when printed.
- The graph has no cycles. Two nodes may be joined by several edges (as in `x * x`): each counts.
- Some edges may lie on no way from `src` to `out`: they do not count. If there is no path at all, the result is `0.0`.
- If `src == out`, the result is `1.0`, whatever the edges are.
- Do not walk the paths one by one: 40 diamonds in a row have $2^{40}$ of them and must take less than a second, also where slopes
  are 0, and where the diamonds lie on no way from `src` to `out`.
- No path has more than 200 edges, so recursion is fine.
- Return a `float`; do not change `edges`.

<details><summary>Hint 1: the idea</summary>

Let $D(n)$ be the derivative of `out` with respect to the node $n$. Of `out` itself it is 1. Of any other node it is the sum,
over the edges that leave it, of slope times $D$ of where the edge goes. Compute each $D(n)$ only once.

</details>

<details><summary>Hint 2: nearly the code</summary>

First make a `dict` that gives for each node the list of its `(to, slope)`. Then a recursive function with a second `dict`,
`known = {out: 1.0}`: `if node not in known: known[node] = sum(slope * derivative(to) for to, slope in leaving.get(node, []))`.

</details>
"""

# %% [markdown] lang="ko" en="360fb3bb"
r"""
## 과제 4.1 · `total_derivative`

●●●○○ · ★★★★★ · 15분 · 3점

그래프의 국소 기울기가 모두 주어질 때 `src`에 대한 `out`의 전미분을 돌려주세요. `src`에서 `out`까지의 모든 경로에 대해, 경로를 따라
기울기를 곱한 값을 더한 것입니다.

- `edges`는 튜플 `(시작, 끝, 국소 기울기)`의 리스트이고 **순서는 정해져 있지 않습니다**. 기울기는 유한한 수(`float` 또는 `int`)이며 0이나
  음수일 수 있습니다.
- 노드는 `dict`의 키가 될 수 있는 것이면 무엇이든 됩니다. 문자열, 수, 튜플, `None`, 객체 등입니다. `<`로 비교할 수 없을 수도 있고,
  서로 다른 노드가 출력하면 똑같이 보일 수도 있습니다.
- 그래프에 순환은 없습니다. (`x * x`에서처럼) 두 노드를 잇는 간선이 여러 개일 수 있고, 그 하나하나를 셉니다.
- `src`에서 `out`까지의 경로에 들지 않는 간선도 있을 수 있습니다. 이런 간선은 세지 않습니다. 경로가 하나도 없으면 결과는 `0.0`입니다.
- `src == out`이면 간선이 어떻든 결과는 `1.0`입니다.
- 경로를 하나씩 걷지 마세요. 마름모 40개를 이은 그래프에는 경로가 $2^{40}$개 있는데, 1초 안에 끝나야 합니다. 기울기가 0인
  곳이 있어도, 마름모가 `src`에서 `out`까지의 경로에 들지 않아도 마찬가지입니다.
- 간선이 200개가 넘는 경로는 없으니 재귀를 써도 됩니다.
- `float`을 돌려주고 `edges`는 바꾸지 마세요.

<details><summary>힌트 1: 생각의 방향</summary>

노드 $n$에 대한 `out`의 미분을 $D(n)$이라고 합시다. `out` 자신에서는 1입니다. 다른 노드에서는 그 노드에서 나가는 간선마다 (기울기) ×
(간선 끝의 $D$)를 구해 더한 값입니다. $D(n)$은 노드마다 한 번만 구하세요.

</details>

<details><summary>힌트 2: 거의 코드</summary>

먼저 노드마다 나가는 `(끝, 기울기)`의 리스트를 주는 `dict`를 만드세요. 그다음은 둘째 `dict` `known = {out: 1.0}`을 쓰는 재귀 함수입니다.
`if node not in known: known[node] = sum(slope * derivative(to) for to, slope in leaving.get(node, []))`.

</details>
"""


# %% nbgrader={"grade_id": "total_derivative", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def total_derivative(edges, src, out):
    """Return the derivative of out with respect to src, a float: the sum over all paths of the product of slopes.

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


# %% nbgrader={"grade_id": "test_total_derivative", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import check, say

check.close(
    total_derivative([("x", "y", 75.0), ("y", "z", 0.008)], "x", "z"),
    0.6,
    "total_derivative([('x', 'y', 75.0), ('y', 'z', 0.008)], 'x', 'z')",
    mistakes={
        75.008: say(en="along a path the slopes are multiplied, not added", ko="경로를 따라서는 기울기를 더하지 않고 곱합니다"),
        75.0: say(en="this is the slope of the first edge alone; go on to out", ko="첫 간선의 기울기입니다. out까지 가야 합니다"),
        0.008: say(en="this is the slope of the last edge alone; go back to src", ko="마지막 간선의 기울기입니다. src까지 가야 합니다"),
        0.0: say(en="no path was found, but x -> y -> z is one", ko="경로를 찾지 못했습니다. x -> y -> z가 경로입니다"),
    },
)
check.visible_passed()
### BEGIN HIDDEN TESTS
import random

from secant import graphs, observe, probe


@probe
def _calls(edges, src, out, kind):
    # "object": each node becomes an object that knows nothing but its identity, and all look the same.
    class Thing:
        def __repr__(self):
            return "thing"

    things = {}

    def node(name):
        return things.setdefault(name, Thing()) if kind == "object" else frozenset([name]) if kind == "frozenset" else name

    given = [(node(start), node(end), slope) for start, end, slope in edges]
    before, same = list(given), []
    calls = observe()
    for _ in range(2):
        calls(total_derivative, given, node(src), node(out))
        same.append(given == before)
    return {**calls.data(), "same": all(same)}


@probe
def _in_steps(most, edges, src, out):
    """Return whether a result came within so many steps of Python, and the result."""
    try:
        with graphs.limit_steps(most):
            return True, total_derivative(edges, src, out)
    except TimeoutError:
        return False, None


def _paths(edges, src, out):
    """The products along all paths, one by one: for small graphs."""
    if src == out:
        return [1.0]
    return [slope * rest for start, end, slope in edges if start == src for rest in _paths(edges, end, out)]


_order = say(
    en="the edges come in any order: do not rely on it, neither forwards nor backwards",
    ko="간선의 순서는 정해져 있지 않습니다. 앞에서부터든 뒤에서부터든 순서에 기대지 마세요",
)
_general = say(
    en="add up over all paths from src to out; edges on no such path do not count",
    ko="src에서 out까지의 모든 경로에 대해 더하세요. 그런 경로에 들지 않는 간선은 세지 않습니다",
)
_repeated = say(
    en="the second of two equal calls gave another answer: was something kept from the first?",
    ko="똑같이 두 번 불렀는데 답이 달라졌습니다. 앞의 호출에서 남겨 둔 것이 없나요?",
)
_spoiled = say(en="the call changed the list edges, which belongs to the caller", ko="호출한 쪽의 리스트인 edges가 바뀌었습니다")
_one_path = say(
    en="this is one path alone: several lead from src to out, and all of them are added (+=, not =)",
    ko="경로 하나만 셌습니다. src에서 out까지 경로가 여러 개이니 모두 더하세요 (=가 아니라 +=)",
)


def _compare(edges, src, out, hint="", mistakes=(), kind="", name=""):
    call = f"total_derivative({'edges' if name else edges}, {src!r}, {out!r})" + (name and f", edges: {name}")
    if kind:
        call += say(en=f", each node an {kind}" if kind == "object" else f", each node a {kind}", ko=f", 노드는 모두 {kind}")
    products = _paths(edges, src, out)
    want = sum(products, 0.0)
    known = [*mistakes, *((product, _one_path) for product in products if len(products) > 1)]
    found = _calls(edges, src, out, kind)
    result, again = found["results"]
    check.that(found["same"], f"{call}\n  {_spoiled}")
    check.untouched(found["changes"], call)
    check.close(result, want, call, rtol=1e-9, atol=1e-9, mistakes=known, hint=hint or _general)
    check.repeatable(again, want, call, rtol=1e-9, atol=1e-9, hint=_repeated)


_a, _b, _c, _d, _e = check.draws(5, 1.1, 4)

# The nodes of the visible test with other slopes.
_kept = say(en="this is the answer to an earlier call: nothing may be kept from one call to the next", ko="앞의 호출의 답입니다. 호출과 호출 사이에 아무것도 남겨 두지 마세요")
_compare(graphs.chain("xyz", (_a, _b)), "x", "z", "", [(0.6, _kept)])


def _shuffled(edges, *orders):
    """The edges as they are, backwards, and in other orders."""
    return edges, edges[::-1], *([edges[k] for k in order] for order in orders)


# The two paths of section 1, in several orders, then with other slopes at the same nodes.
_code9 = [("x", "y", 75.0), ("x", "w", 10.0), ("y", "z", 0.008), ("w", "z", 0.1)]
_two_paths = [
    ((75 + 10) * (0.008 + 0.1), say(en="multiply along each path first, then add the products", ko="먼저 경로마다 곱하고, 그 곱을 더하세요")),
    (0.8, say(en="a sum over the paths, not their mean", ko="경로의 평균이 아니라 합입니다")),
]
for _edges in _shuffled(_code9, (2, 0, 3, 1)):
    _compare(_edges, "x", "z", _order if _edges != _code9 else "", _two_paths)
_edges = [("x", "y", _a), ("x", "w", -_b), ("y", "z", _c), ("w", "z", _d)]
_compare(_edges, "x", "z", say(en="slopes may be negative", ko="기울기는 음수일 수 있습니다"))
_compare(_edges, "w", "z", say(en="src may stand in the middle of the graph", ko="src가 그래프의 중간에 있을 수도 있습니다"))

# A chain whose edges come in every order: no path but one.
for _edges in _shuffled(graphs.chain("xuvwz", (_a, -_b, _c, _d))[::-1], (1, 3, 0, 2), (2, 0, 3, 1)):
    _compare(_edges, "x", "z", _order)

# Paths of different lengths: a node may pass on its sum only when all of it is there.
_early = say(
    en="a node passed its sum on before all of it had arrived: paths may have different lengths",
    ko="아직 다 들어오지 않은 합을 넘겼습니다. 경로의 길이는 서로 다를 수 있습니다",
)
_twice = say(en="a path was counted twice: a node must pass on each part only once", ko="어떤 경로를 두 번 셌습니다. 노드는 받은 값을 한 번씩만 넘겨야 합니다")
for _edges in _shuffled([*graphs.chain("abcd", (_a, _b, _c)), ("b", "d", _d)], (1, 3, 0, 2)):
    _compare(_edges, "a", "d", _early, [(_a * _d, _early), (_a * _d + _a * (_d + _b * _c), _twice)])
_compare([("a", "b", _a), ("a", "c", _b), ("b", "c", _c), ("c", "d", _d), ("b", "d", _e), ("a", "d", -_a)], "a", "d", _early)

# Parallel edges, also in the middle of a path.
_parallel = say(
    en="two nodes may be joined by several edges, as in x * x: each of them counts",
    ko="x * x에서처럼 두 노드를 잇는 간선이 여러 개일 수 있습니다. 하나하나를 모두 세세요",
)
_compare([("x", "y", _a), ("x", "y", _b)], "x", "y", _parallel, [(_a, _parallel), (_b, _parallel)])
_compare([("x", "y", _a), ("x", "y", _a)], "x", "y", _parallel, [(_a, _parallel)])
_compare([("u", "x", _c), ("x", "y", _a), ("y", "z", 2), ("x", "y", _b), ("x", "y", -1)], "u", "z", _parallel)

# Whole numbers, zeros, and paths that cancel.
_halfway = say(en="slopes that cancel halfway do not end the paths", ko="중간에서 기울기의 합이 0이어도 경로는 끝난 것이 아닙니다")
_compare([("x", "y", 2), ("x", "w", 3), ("y", "z", 5), ("w", "z", -7)], "x", "z")
_compare([("x", "y", 0), ("x", "w", _a), ("y", "z", _b), ("w", "z", 0.0), ("x", "z", _c)], "x", "z")
_compare([("x", "y", _a), ("x", "y", -_a), ("y", "z", _b)], "x", "z")
_compare([("x", "y", _a), ("x", "w", -_a), ("y", "z", _b), ("w", "z", _c)], "x", "z", _halfway)

# No path, and the path of no steps.
_none = say(en="no path leads from src to out, so the sum is 0.0", ko="src에서 out까지 경로가 없으므로 합은 0.0입니다")
_direction = say(en="edges have a direction: this one leads from z to x", ko="간선에는 방향이 있습니다. 이 간선은 z에서 x로 갑니다")
_same = say(en="src is out: its derivative with respect to itself is 1, whatever the edges are", ko="src와 out이 같습니다. 자기 자신에 대한 미분은 간선이 어떻든 1입니다")
_compare([], "x", "z", _none)
_compare([("x", "y", _a), ("w", "z", _b)], "x", "z", _none)
_compare([("z", "x", _a)], "x", "z", _direction)
_compare([("y", "z", _a)], "x", "z", _none)
_compare([("x", "y", _a)], "x", "z", _none)
for _edges, _node in (([], "x"), ([("x", "y", _a), ("w", "x", _b)], "x"), (_code9, "x"), (_code9, "z")):
    _compare(_edges, _node, _node, _same)

# Edges before src, beyond out, and into dead ends.
_aside = say(en="some edges lie on no way from src to out: they do not count", ko="src에서 out까지의 경로에 들지 않는 간선이 있습니다. 세지 마세요")
_compare([("r", "x", _e), ("x", "y", _a), ("r", "y", _b), ("y", "z", _c), ("z", "s", _d), ("y", "s", 9.0), ("y", "t", 7.0)], "x", "z", _aside)
_compare([("z", "s", _d), ("x", "t", 7.0), ("s", "t", 3.0), ("x", "z", _c), ("r", "z", _a)], "x", "z", _aside)

# Nodes of all kinds, among them ones that count as false, and ones that do not compare.
_kinds = say(
    en="nodes are anything that can be a key of a dict: do not sort them or turn them into text, and do not take 0 or None "
    'for "no node"',
    ko='dict의 키가 될 수 있는 것이면 모두 노드입니다. 정렬하지 말고, 문자열로 바꾸지 말고, 0이나 None을 "노드 없음"으로 여기지 마세요',
)
for _names in ((0, 1, 2, 3), (None, "x", 7, (1, 2)), ("", (), None, 0), (3, 2, 1, 0), ((0, 1), "b", 2.5, None), ((0, "x"), (0, "y"), (1, "x"), (1, "y")), (1, "1", (1,), "(1,)")):
    _p, _q, _r, _s = _names
    _compare([(_q, _s, _a), (_p, _q, _b), (_r, _s, -_c), (_p, _r, _d), (_p, _s, _e)], _p, _s, _kinds)
for _kind in ("object", "frozenset"):
    _compare([("y", "z", _a), ("x", "y", _b), ("w", "z", -_c), ("x", "w", _d)], "x", "z", _kinds, kind=_kind)

# Random graphs.
_random = random.Random(int(1000 * check.draw(0, 1e6)))
for _round in range(12):
    _names = _random.sample(range(100), _random.randint(4, 7))
    _edges = [
        (start, end, round(_random.uniform(-2, 2), 2))
        for i, start in enumerate(_names)
        for end in _names[i + 1 :]
        for _ in range(_random.choice((0, 1, 1, 2) if _round % 3 == 0 else (0, 1, 1)))
    ]
    _random.shuffle(_edges)
    _compare(_edges, _names[0], _names[-1])
    _compare(_edges, _names[1], _names[-2])

# Many paths. Steps are counted, not seconds, for machines differ. A slow but honest answer may look at every edge, for every
# node, again and again: the cube of the edges is enough for that. It is not where each path is walked: every diamond doubles the steps.
_slow = say(en="as slow as walking each path by itself: compute the derivative of each node only once", ko="경로를 하나씩 걷는 만큼 느립니다. 노드마다 미분을 한 번만 구하세요")


def _many(edges, src, out, want, what, hint=_general, atol=None):
    call = f"total_derivative(edges, {src!r}, {out!r}), edges: {what}"
    in_time, result = _in_steps(2 * len(edges) ** 3, edges, src, out)
    check.that(in_time, f"{call}\n  {_slow}")
    check.close(result, want, call, rtol=1e-9, atol=atol, hint=hint)


for _count in (20, 40):
    _ones, _zeros = (graphs.diamonds([(1.0, 1.0, 1.0, last)] * _count) for last in (1.0, -1.0))
    _name = say(en=f"{_count} diamonds in a row", ko=f"이어진 마름모 {_count}개")
    _cancel = _name + say(en=" whose two paths cancel", ko=" (두 경로가 상쇄됨)")
    _backwards = say(en=", backwards", ko=", 거꾸로")
    _many(_ones, 0, _count, 2.0**_count, _name)
    _many(_ones[::-1], 0, _count, 2.0**_count, _name + _backwards)
    _many(_zeros, 0, _count, 0.0, _cancel)
    _many(_zeros[::-1], 0, _count, 0.0, _cancel + _backwards)
    _many([*_ones, (0, "z", 2.0)], 0, "z", 2.0, _name + say(en=" that do not lead to out", ko=" (out으로 가지 않음)"))
    _many([("x", _count, 2.0), *_ones], "x", _count, 2.0, _name + say(en=" that do not come from src", ko=" (src에서 오지 않음)"))
_slopes, _want = [], 1.0
while len(_slopes) < 40:
    _up, _down, _left, _right = (round(_random.uniform(-1.5, 1.5), 2) for _ in range(4))
    if abs(_up * _left + _down * _right) > 0.3:  # nearer to 0, rounding would show
        _slopes.append((_up, _down, _left, _right))
        _want *= _up * _left + _down * _right
_edges = graphs.diamonds(_slopes)
_random.shuffle(_edges)
_many(_edges, 0, 40, _want, say(en="40 shuffled diamonds", ko="섞어 놓은 마름모 40개"), _order, atol=0.0)

# A long chain, and a wide fan.
_long = graphs.chain(range(201), [-0.99, 1.01] * 100)
_wide = [(0, (k, "y"), 0.5) for k in range(300)] + [((k, "y"), 300, float(k)) for k in range(300)]
_random.shuffle(_long)
_random.shuffle(_wide)
_compare(_long, 0, 200, name=say(en="a chain of 200, shuffled", ko="섞어 놓은 길이 200의 사슬"))
_compare(_wide, 0, 300, name=say(en="300 paths of two edges", ko="간선 두 개짜리 경로 300개"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 4.2 · `unbroadcast`

●●●○○ · ★★★★★ · 12 min · 3 points

A tensor of shape `shape` was broadcast to a larger shape, and `g` is the gradient of the larger one. Return the gradient of
the original: a tensor of exactly the shape `shape`, in which each number is the **sum** over its copies.

- `g` is a `float32` or `float64` tensor of any shape, perhaps without dimensions; `shape` is a tuple or a `torch.Size` that broadcasts
  to `g.shape`. No dimension has size 0.
- Dimensions may have been added on the left, stretched from 1, or both: `()`, `(1, 4)`, `(3, 1)`, `(2, 1, 3)` from `(5, 1, 2, 4, 3)`.
- If the shapes are equal, the values are those of `g`; you may return `g` itself.
- `g` keeps its values and its shape; the result has its dtype.

PyTorch has a method for this, `Tensor.sum_to_size`. The tests look at the result alone; but write it with `sum`, to know what it
does, and use the method to check yourself.

<details><summary>Hint 1: the idea</summary>

Two steps. First sum away the dimensions on the left that `shape` does not have. Now both have the same number of dimensions; sum
over those where `shape` says 1.

</details>

<details><summary>Hint 2: nearly the code</summary>

While `g.dim() > len(shape)`: `g = g.sum(0)`. Then for each `i` with `shape[i] == 1`: `g = g.sum(i, keepdim=True)`.

</details>
"""

# %% [markdown] lang="ko" en="f58bc605"
r"""
## 과제 4.2 · `unbroadcast`

●●●○○ · ★★★★★ · 12분 · 3점

shape이 `shape`인 텐서가 더 큰 shape으로 브로드캐스트되었고, `g`는 커진 텐서의 gradient입니다. 원래 텐서의 gradient를 돌려주세요.
shape은 정확히 `shape`이고, 각 수는 그 복사본들의 gradient를 **더한 값**입니다.

- `g`는 `float32` 또는 `float64` 텐서이고 shape은 무엇이든 됩니다(차원이 없어도 됩니다). `shape`은 튜플 또는 `torch.Size`이고
  `g.shape`으로 브로드캐스트됩니다. 크기가 0인 차원은 없습니다.
- 왼쪽에 차원이 더 붙었을 수도, 크기 1인 차원이 늘어났을 수도, 둘 다일 수도 있습니다. `()`, `(1, 4)`, `(3, 1)`,
  `(5, 1, 2, 4, 3)`으로 커진 `(2, 1, 3)` 등입니다.
- 두 shape이 같으면 값은 `g`와 같습니다. `g`를 그대로 돌려주어도 됩니다.
- `g`의 값과 shape은 바뀌지 않아야 하고, 결과의 dtype은 `g`와 같습니다.

PyTorch에는 이 일을 하는 메서드 `Tensor.sum_to_size`가 있습니다. 테스트는 결과만 보지만, 무엇을 하는 메서드인지 알 수 있게 `sum`으로
써 보고 그 메서드는 답을 확인할 때 쓰세요.

<details><summary>힌트 1: 생각의 방향</summary>

두 단계입니다. 먼저 `shape`에 없는 왼쪽 차원을 더해서 없앱니다. 그러면 차원의 수가 같아집니다. 다음으로 `shape`에서 1인 차원을 따라
더합니다.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`g.dim() > len(shape)`인 동안 `g = g.sum(0)`. 그다음 `shape[i] == 1`인 `i`마다 `g = g.sum(i, keepdim=True)`.

</details>
"""


# %% nbgrader={"grade_id": "unbroadcast", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def unbroadcast(g, shape):
    """Return the gradient of a tensor of this shape that was broadcast to g.shape: sums over the copies.

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


# %% nbgrader={"grade_id": "test_unbroadcast", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, say

check.close(
    unbroadcast(torch.tensor([4.0, 7.0, 9.0], dtype=torch.float64), (3,)),
    torch.tensor([4.0, 7.0, 9.0], dtype=torch.float64),
    "unbroadcast(torch.tensor([4., 7., 9.]), (3,))",
    mistakes={20.0: say(en="equal shapes: nothing was copied, so there is nothing to add", ko="shape이 같습니다. 복사된 것이 없으니 더할 것도 없습니다")},
)
check.visible_passed()
### BEGIN HIDDEN TESTS
import itertools
import math

from secant import graphs, observe, probe


@probe
def _calls(g, shape, as_size=False, tracked=False, filled=True, strided=False):
    if strided:  # the same numbers, in another order in memory
        backwards = range(g.dim())[::-1]
        g = g.permute(*backwards).contiguous().permute(*backwards)
    if tracked:
        g = graphs.leaf(g, grad=7.0 if filled else None)
    shape = torch.Size(shape) if as_size else shape
    calls = observe(g=g)
    calls(unbroadcast, g, shape)
    calls(unbroadcast, g.detach() + 1, shape)
    calls(unbroadcast, g, shape)
    return calls.data()


def _want(g, shape):
    """Each number of g goes where its copy came from."""
    total = torch.zeros(shape, dtype=torch.float64)
    added = g.dim() - len(shape)
    for place in itertools.product(*map(range, g.shape)):
        source = tuple(0 if size == 1 else i for i, size in zip(place[added:], shape, strict=True))
        total[source] += g[place].double()
    return total.to(g.dtype)


_sum = say(
    en="this is the mean over the copies; if the original moves, all its copies move, so it is the sum",
    ko="복사본의 평균입니다. 원래 수가 움직이면 복사본이 모두 움직이므로 합이어야 합니다",
)
_one_copy = say(en="this is the gradient of one copy; add up those of all copies", ko="복사본 하나의 gradient입니다. 모든 복사본의 gradient를 더하세요")
_lost = say(en="a dimension of size 1 that was stretched stays, with size 1 (keepdim=True)", ko="크기 1에서 늘어난 차원은 크기 1로 남아야 합니다 (keepdim=True)")
_left = say(en="shapes are compared from the right: the dimensions that were added stand on the left", ko="shape은 오른쪽부터 맞춥니다. 새로 붙은 차원은 왼쪽에 있습니다")
_all = say(en="sum over every dimension, down to a tensor of shape ()", ko="모든 차원을 더해 shape이 ()인 텐서로 만드세요")
_both = say(
    en="here dimensions were added on the left and others stretched: sum over both kinds, and over no other",
    ko="왼쪽에 붙은 차원도 있고 늘어난 차원도 있습니다. 둘 다 더하고, 다른 차원은 더하지 마세요",
)
_equal = say(en="where nothing was copied, the values stay", ko="복사된 것이 없으면 값이 그대로입니다")


def _compare(big, shape, hint, dtype=torch.float64, **kind):
    g = check.draw_tensor(*big, low=-3 if math.prod(big) > 1 else 0.5).to(dtype)
    name = f"torch.Size({list(shape)})" if kind.get("as_size") else shape
    numbers = str(dtype).removeprefix("torch.")
    call = say(en=f"unbroadcast(g, {name}), g: a {numbers} tensor of shape {big}", ko=f"unbroadcast(g, {name}), g: shape {big}, {numbers} 텐서")
    want = _want(g, shape)
    first, last = (g[(end,) * (g.dim() - len(shape))] for end in (0, -1))
    for i, size in enumerate(shape):
        if size == 1:
            first, last = first.narrow(i, 0, 1), last.narrow(i, last.shape[i] - 1, 1)
    mistakes = [(want * (want.numel() / g.numel()), _sum), (first, _one_copy), (last, _one_copy)]
    if len(big) > len(shape) > 0 and g.sum(-1).shape == want.shape:
        mistakes.append((g.sum(-1), _left))
    found = _calls(g, shape, **kind)
    result, other, again = found["results"]
    tolerance = 1e-4 if dtype == torch.float32 else None
    check.untouched(found["changes"], call)
    check.close(result, want, call, atol=tolerance, mistakes=mistakes, hint=hint)
    check.not_stale(other, _want(g + 1, shape), call + say(en=", then with g + 1", ko=", 이어서 g + 1로"), atol=tolerance)
    check.repeatable(again, result, call)


for _dtype in (torch.float64, torch.float32):
    for _hint, *_shapes in (
        (_all, ((3,), ()), ((2, 3), ())),
        (_lost, ((3, 4), (1, 4)), ((3, 4), (3, 1)), ((3, 4), (1, 1)), ((5,), (1,))),
        (_left, ((3, 4), (4,)), ((3, 3), (3,))),
        (_lost, ((3, 3), (1, 3)), ((3, 3), (3, 1))),
        (_both, ((3, 3), (1,)), ((2, 2, 2), (2, 1)), ((2, 2, 2), (1, 2)), ((4, 2, 3), (2, 1)), ((5, 1, 2, 4, 3), (2, 1, 3))),
        # Nothing to add: equal shapes, or only dimensions of size 1.
        (_equal, ((), ()), ((2, 3), (2, 3))),
        (_lost, ((1, 3), (1, 3)), ((1, 1), (1, 1))),
        (_left, ((1, 3), (3,))),
        (_all, ((1, 1), ())),
        (_both, ((1, 1, 3), (1, 3))),
    ):
        for _big, _shape in _shapes:
            _compare(_big, _shape, _hint, _dtype)
    _compare((2, 1, 3), (), _all, _dtype, as_size=True)
    _compare((2, 2, 2), (2, 2), _left, _dtype, as_size=True)
    _compare((2, 3, 2, 2, 2), (3, 1, 1, 2), _both, _dtype, as_size=True)
    _compare((2, 2, 2), (1, 2, 1), _lost, _dtype, strided=True)
    _compare((5, 1, 2, 4, 3), (1, 2, 1, 3), _both, _dtype, strided=True)
_compare((3, 4), (3, 1), _lost, tracked=True)
_compare((2, 3), (2, 3), _equal, tracked=True)
_compare((3, 4), (4,), _left, tracked=True)
_compare((3, 4), (), _all, tracked=True, as_size=True)
_compare((3, 4), (1, 4), _lost, tracked=True, filled=False)
_compare((2, 3), (3,), _left, tracked=True, filled=False)
_compare((4, 3), (3,), _left, strided=True)
_compare((2, 1, 2, 3, 2), (2, 1, 1, 3, 1), _lost)
_compare((2, 1, 3, 2, 1, 2), (1, 1, 3, 1, 1, 2), _lost)
# Shapes of this call's own.
_a, _b, _c, _d = (round(n) for n in check.draws(4, 1.6, 4.4))
_compare((_a, _b, _c, _d), (_b, 1, _d), _both)
_compare((_a, _b, _c, _d), (_a, 1, 1, _d), _lost)
_compare((_a, _b, _c, _d), (_c, _d), _left)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 4.3 · `pow_backward`

●●●●○ · ★★★★☆ · 15 min · 2 points

Write the backward step of `x**q`: from `g`, the gradient of the result, return the tuple `(gx, gq)`, the gradients of `x` and
of `q`.

- `x` and `q` are tensors of the same dtype, `float32` or `float64`. Their shapes **may differ** and broadcast; `g` has the shape
  that `x**q` has. `gx` has the shape of `x`, `gq` that of `q`; both have their dtype.
- `x >= 0`. Where `x > 0`, `q` is any number, also negative or 0.
- **Where `x` is 0**, `q` is greater than 0, and the answer is PyTorch's: the contribution to `gq` is $0$; the one to `gx` is $g\,q\,0^{q-1}$
  as `0**(q - 1)` comes out in PyTorch: $0$ for $q > 1$, $g$ for $q = 1$, and infinite for $0 < q < 1$, where the curve is vertical
  (there $g$ is greater than 0).
- Negative `x`, and `x = 0` with `q <= 0`, are not asked. No `nan` may appear.
- To undo the broadcast, use your `unbroadcast` or `Tensor.sum_to_size`.

<details><summary>Hint 1: the idea</summary>

The two formulas of section 4, each times `g`, have the shape of the broadcast result; then each is summed down to its own shape. Only
the second formula has trouble at 0.

</details>

<details><summary>Hint 2: nearly the code</summary>

`g * q * x ** (q - 1)` and `g * x**q * log_x`, where `log_x` must be finite at 0, for instance
`torch.log(torch.where(x > 0, x, torch.ones_like(x)))`. The shapes are `x.shape` and `q.shape`.

</details>
"""

# %% [markdown] lang="ko" en="0da28336"
r"""
## 과제 4.3 · `pow_backward`

●●●●○ · ★★★★☆ · 15분 · 2점

`x**q`의 backward를 쓰세요. 결과의 gradient `g`를 받아 `x`와 `q`의 gradient를 튜플 `(gx, gq)`로 돌려줍니다.

- `x`와 `q`는 dtype이 같은(`float32` 또는 `float64`) 텐서입니다. shape은 **다를 수 있고** 브로드캐스트됩니다. `g`의 shape은 `x**q`와
  같습니다. `gx`의 shape은 `x`와, `gq`의 shape은 `q`와 같고, dtype도 그대로입니다.
- `x >= 0`입니다. `x > 0`인 곳에서 `q`는 음수나 0을 포함해 어떤 수든 됩니다.
- **`x`가 0인 곳**에서는 `q`가 0보다 크고, 답은 PyTorch와 같습니다. `gq`에 더해지는 값은 $0$입니다. `gx`에 더해지는 값은
  $g\,q\,0^{q-1}$이고 `0**(q - 1)`은 PyTorch가 계산하는 대로입니다. 곧 $q > 1$이면 $0$, $q = 1$이면 $g$, 곡선이 수직인 $0 < q < 1$에서는
  무한대입니다(이때 $g$는 0보다 큽니다).
- 음수 `x`, 그리고 `x = 0`이면서 `q <= 0`인 경우는 다루지 않습니다. `nan`이 나오면 안 됩니다.
- 브로드캐스트를 되돌릴 때는 여러분의 `unbroadcast`나 `Tensor.sum_to_size`를 쓰세요.

<details><summary>힌트 1: 생각의 방향</summary>

4절의 두 식에 `g`를 곱하면 브로드캐스트된 결과의 shape이 됩니다. 그것을 각자의 shape이 되도록 더합니다. 0에서 문제가 되는 것은 둘째
식뿐입니다.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`g * q * x ** (q - 1)`과 `g * x**q * log_x`입니다. `log_x`는 0에서도 유한해야 합니다. 예를 들면
`torch.log(torch.where(x > 0, x, torch.ones_like(x)))`입니다. shape은 `x.shape`과 `q.shape`입니다.

</details>
"""


# %% nbgrader={"grade_id": "pow_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def pow_backward(x, q, g):
    """Return (gx, gq), the gradients of x and q in x**q, from g, the gradient of x**q.

    x: a tensor, not negative; q: a tensor that broadcasts with it; g: a tensor of the broadcast shape.
    """
    ### BEGIN SOLUTION
    log_x = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    gx = g * q * x ** (q - 1)
    gq = g * x**q * log_x
    return gx.sum_to_size(x.shape), gq.sum_to_size(q.shape)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_pow_backward", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import math

import torch

from secant import check, say


def _pair(result, call):
    check.that(
        isinstance(result, tuple | list) and len(result) == 2,
        say(en=f"{call}\n  the result is not a tuple of two tensors (gx, gq)", ko=f"{call}\n  결과가 텐서 두 개의 튜플 (gx, gq)가 아닙니다"),
    )
    return result


_x, _q, _g = (torch.tensor(v, dtype=torch.float64) for v in (5.0, 3.0, 0.008))
_call = "pow_backward(torch.tensor(5.), torch.tensor(3.), torch.tensor(0.008))"
_gx, _gq = _pair(pow_backward(_x, _q, _g), _call)
_no_g = say(en="multiply by g, the gradient that comes from behind", ko="뒤에서 오는 gradient g를 곱하세요")
_natural = say(en="the natural logarithm is needed: torch.log", ko="자연로그 torch.log를 쓰세요")
check.close(
    _gx,
    torch.tensor(0.6, dtype=torch.float64),
    _call + ", gx",
    mistakes={
        75.0: _no_g,
        math.log(5): say(en="the two gradients are swapped: return (gx, gq)", ko="두 gradient의 순서가 바뀌었습니다. (gx, gq)로 돌려주세요"),
        3.0: say(en="the exponent drops by one: q x^(q-1)", ko="지수는 1 줄어듭니다. q x^(q-1)"),
        0.2: say(en="the factor q is missing in q x^(q-1)", ko="q x^(q-1)에서 q가 빠졌습니다"),
    },
)
check.close(
    _gq,
    torch.tensor(math.log(5), dtype=torch.float64),
    _call + ", gq",
    mistakes={
        125 * math.log(5): _no_g,
        math.log10(5): _natural,
        math.log2(5): _natural,
        math.log(3): say(en="it is log x, not log q", ko="log q가 아니라 log x입니다"),
        1.0: say(en="the factor log x is missing in x^q log x", ko="x^q log x에서 log x가 빠졌습니다"),
        0.6: say(en="x^q log x, not q x^(q-1): here the exponent moves", ko="q x^(q-1)이 아니라 x^q log x입니다. 여기서는 지수가 움직입니다"),
    },
)
check.visible_passed()
### BEGIN HIDDEN TESTS
import itertools

from secant import graphs, observe, probe


@probe
def _calls(x, q, g, tracked):
    if tracked:
        x, q, g = (graphs.leaf(t, grad=7.0) for t in (x, q, g))
    calls = observe(x=x, q=q, g=g)
    calls(pow_backward, x, q, g)
    calls(pow_backward, x.detach() + 1, q.detach() - 1, 2 * g.detach())
    calls(pow_backward, x, q, g)
    return calls.data()


def _want(x, q, g):
    """Number by number, in Python's floats."""
    wants = torch.zeros_like(x, dtype=torch.float64), torch.zeros_like(q, dtype=torch.float64)

    def source(tensor, place):
        aligned = place[g.dim() - tensor.dim() :]
        return tuple(0 if size == 1 else i for i, size in zip(aligned, tensor.shape, strict=True))

    for place in itertools.product(*map(range, g.shape)):
        at_x, at_q = source(x, place), source(q, place)
        base, exponent, gradient = x[at_x].item(), q[at_q].item(), g[place].item()
        if base > 0:
            wants[0][at_x] += gradient * exponent * base ** (exponent - 1)
            wants[1][at_q] += gradient * base**exponent * math.log(base)
        else:
            wants[0][at_x] += gradient * exponent * (0.0 ** (exponent - 1) if exponent >= 1 else math.inf)
    return tuple(want.to(x.dtype) for want in wants)


_shapes = say(
    en="gx has the shape of x and gq that of q: sum over the dimensions that were broadcast",
    ko="gx의 shape은 x와, gq의 shape은 q와 같습니다. 브로드캐스트된 차원을 따라 더하세요",
)
_at_zero = say(
    en="at x = 0, 0**q * log 0 is 0 * (-inf), which is nan; the gradient of q there is 0",
    ko="x = 0이면 0**q * log 0은 0 * (-inf), 곧 nan입니다. 그곳에서 q의 gradient는 0입니다",
)
_base_at_zero = say(
    en="at x = 0 use q * 0**(q - 1) as it is: 0 for q > 1, 1 for q = 1, infinite for 0 < q < 1 (q * x**q / x is 0/0)",
    ko="x = 0에서는 q * 0**(q - 1)을 그대로 쓰세요. q > 1이면 0, q = 1이면 1, 0 < q < 1이면 무한대입니다 (q * x**q / x는 0/0)",
)
_tiny = say(
    en="x may be very small: adding something to x inside the logarithm, or cutting x off, spoils the value",
    ko="x는 아주 작을 수도 있습니다. 로그 안에서 x에 무엇을 더하거나 x를 잘라 내면 값이 틀립니다",
)
_mean = say(en="a sum over the copies, not a mean", ko="복사본에 대한 평균이 아니라 합입니다")


def _compare(x, q, dtype=torch.float64, hints=(_shapes, _shapes), low=-2, tracked=False):
    x, q = (torch.as_tensor(t, dtype=torch.float64) for t in (x, q))
    g = check.draw_tensor(*torch.broadcast_shapes(x.shape, q.shape), low=low, high=2)
    texts = (f"torch.tensor({t.tolist()})" for t in (x, q, g))
    call = f"pow_backward({', '.join(texts)}), {str(dtype).removeprefix('torch.')}"
    elsewhere = call + say(en=", then at x + 1, q - 1, 2 g", ko=", 이어서 x + 1, q - 1, 2 g에서")
    x, q, g = (t.to(dtype) for t in (x, q, g))
    found = _calls(x, q, g, tracked)
    check.untouched(found["changes"], call)
    result, other, again = (_pair(pair, call) for pair in found["results"])
    parts = zip(("gx", "gq"), result, other, again, _want(x, q, g), _want(x + 1, q - 1, 2 * g), hints, strict=True)
    for name, got, moved, second, want, there, hint in parts:
        check.close(got, want, f"{call}, {name}", mistakes=[(want * (want.numel() / g.numel()), _mean)], hint=hint)
        check.not_stale(moved, there, f"{elsewhere}, {name}")
        check.repeatable(second, want, f"{call}, {name}")


_formula = "q x^(q-1)", "x^q log x"
_zero = _base_at_zero, _at_zero
for _dtype in (torch.float64, torch.float32):
    # Numbers; q negative, 0 and 1; x below and above 1.
    _compare(check.draw(1.1, 3), check.draw(0.2, 3), _dtype, _formula)
    _compare(check.draw(0.1, 0.9), check.draw(-3, -0.2), _dtype, _formula)
    _compare(check.draw(1.1, 3), 0.0, _dtype, _formula)
    _compare(check.draw(0.2, 3), 1.0, _dtype, _formula)
    _compare(1.0, check.draw(1, 3), _dtype, _formula)
    # Equal shapes, then each of the two broadcast, then both.
    for _x, _q in (((3,), (3,)), ((), (3,)), ((3,), ()), ((2, 3), (3,)), ((3,), (2, 1)), ((2, 1), (3,)), ((3, 1), (1, 3)), ((1, 1), (2,)), ((1, 2, 1), (2, 1, 2))):
        _compare(check.draw_tensor(*_x, low=0.2), check.draw_tensor(*_q, low=-2, high=2), _dtype)
    # x is 0: the gradient of q is 0 there, and elsewhere what it was.
    _compare(0.0, check.draw(1.1, 3), _dtype, _zero, low=0.5)
    _compare([0.0, check.draw(1.1, 3), 0.0], [2.0, check.draw(0.2, 3), check.draw(1.1, 3)], _dtype, _zero)
    _compare([[check.draw(1.1, 3)], [0.0]], [3.0, 2.0, 1.5], _dtype, _zero)
    _compare([0.0, check.draw(0.2, 3)], [[1.0], [check.draw(1.1, 3)]], _dtype, _zero)
    _compare(0.0, 1.0, _dtype, _zero, low=0.5)
    _compare([[0.0], [0.0]], [1.0, check.draw(0.2, 0.8), 2.0], _dtype, _zero, low=0.5)
    _compare([0.0, 0.0, check.draw(0.2, 3)], 1.0, _dtype, _zero, low=0.5)
    _compare([0.0, check.draw(0.2, 3)], [check.draw(0.2, 0.8), check.draw(-2, -0.2)], _dtype, _zero, low=0.5)
    # x is nearly 0.
    _compare([1e-20, 1e-9, 1e-30, 1e-30], [0.05, 0.25, 0.02, 0.0], _dtype, (_tiny, _tiny), low=0.5)
_compare(check.draw_tensor(3, low=0.2), check.draw_tensor(2, 1, low=-2, high=2), tracked=True)
_compare([0.0, check.draw(0.2, 3)], check.draws(2, 1.1, 3), hints=_zero, tracked=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 4.4 · `shared_weight_grad`

●●○○○ · ★★★★☆ · 8 min · 2 points

For the convolution of section 6, $y_i = \sum_k w_k\, x_{i+k}$, return the gradient of the weights, given $g_i = dL/dy_i$.

- `x`, `w`, `g` are vectors of the same dtype, `float32` or `float64`, with `len(x) == len(w) + len(g) - 1`. Each has at least one
  element; `w` or `g` may have just one, and `g` may be longer or shorter than `w`.
- The result is a vector like `w`, the sum over all positions $i$ at which a weight was used.

<details><summary>Hint 1: the idea</summary>

The path from $w_k$ through $y_i$ has the slope $g_i \cdot x_{i+k}$. Add up over $i$.

</details>

<details><summary>Hint 2: nearly the code</summary>

For each `k` the numbers that met `w[k]` are `x[k : k + len(g)]`: multiply by `g` and sum. `torch.stack` makes a vector of a list
of such numbers.

</details>
"""

# %% [markdown] lang="ko" en="e25da76a"
r"""
## 과제 4.4 · `shared_weight_grad`

●●○○○ · ★★★★☆ · 8분 · 2점

6절의 합성곱 $y_i = \sum_k w_k\, x_{i+k}$에서 $g_i = dL/dy_i$가 주어질 때 가중치의 gradient를 돌려주세요.

- `x`, `w`, `g`는 dtype이 같은(`float32` 또는 `float64`) 벡터이고 `len(x) == len(w) + len(g) - 1`입니다. 원소는 적어도 하나씩 있습니다.
  `w`나 `g`의 원소가 하나뿐일 수도 있고, `g`는 `w`보다 길 수도 짧을 수도 있습니다.
- 결과는 `w`와 같은 크기의 벡터이고, 가중치가 쓰인 모든 위치 $i$에 대한 합입니다.

<details><summary>힌트 1: 생각의 방향</summary>

$w_k$에서 $y_i$를 지나는 경로의 기울기는 $g_i \cdot x_{i+k}$입니다. $i$에 대해 더하세요.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`k`마다 `w[k]`와 만난 수는 `x[k : k + len(g)]`입니다. `g`를 곱해서 더하세요. 이렇게 얻은 수의 리스트를 `torch.stack`으로 벡터로
만듭니다.

</details>
"""


# %% nbgrader={"grade_id": "shared_weight_grad", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def shared_weight_grad(x, w, g):
    """Return dL/dw, a vector like w, where y[i] = sum over k of w[k] * x[i + k] and g = dL/dy.

    x: (n + m - 1,); w: (n,); g: (m,).
    """
    ### BEGIN SOLUTION
    return torch.stack([(g * x[k : k + len(g)]).sum() for k in range(len(w))])
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_shared_weight_grad", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, say

_x, _w, _g = (torch.tensor(v, dtype=torch.float64) for v in ([1.0, 2.0], [3.0, 4.0], [10.0]))
check.close(
    shared_weight_grad(_x, _w, _g),
    torch.tensor([10.0, 20.0], dtype=torch.float64),
    "shared_weight_grad(torch.tensor([1., 2.]), torch.tensor([3., 4.]), torch.tensor([10.]))",
    mistakes=[
        (_x, say(en="multiply by g, the gradient of y", ko="y의 gradient g를 곱하세요")),
        (_w * _g, say(en="this is the gradient of x; the one of w is asked", ko="x의 gradient입니다. w의 gradient를 구하세요")),
        (2 * _x * _g, say(en="twice of it: .grad adds up over the calls; begin each call anew", ko="두 배입니다. .grad는 부를 때마다 쌓이니 매번 새로 시작하세요")),
        (_x.flip(0) * _g, say(en="the wrong way round: w[k] meets x[i + k]", ko="순서가 뒤집혔습니다. w[k]는 x[i + k]와 만납니다")),
        (_x * _w * _g, say(en="the slope of w x with respect to w is x, not w x", ko="w x를 w로 미분한 기울기는 w x가 아니라 x입니다")),
    ],
)
check.visible_passed()
### BEGIN HIDDEN TESTS
from secant import graphs, observe, probe


@probe
def _calls(x, w, g, tracked):
    if tracked:
        x, w, g = (graphs.leaf(t, grad=7.0) for t in (x, w, g))
    calls = observe(x=x, w=w, g=g)
    calls(shared_weight_grad, x, w, g)
    calls(shared_weight_grad, x.detach() + 1, w.detach() + 5, 2 * g.detach())
    calls(shared_weight_grad, x, w, g)
    return calls.data()


_one_use = say(
    en="this is what one position gives; every position uses the weights, and all of them are added",
    ko="위치 하나에서 나온 값입니다. 위치마다 가중치를 쓰므로 모두 더해야 합니다",
)
_mean = say(en="a sum over the positions, not their mean", ko="위치의 평균이 아니라 합입니다")
_flipped = say(en="the wrong way round: w[k] meets x[i + k], with a plus", ko="순서가 뒤집혔습니다. w[k]는 x[i + k]와 만납니다. 부호는 더하기입니다")
_values = say(en="the values of w do not matter: y is linear in w, with slope x", ko="w의 값은 상관없습니다. y는 w의 일차식이고 기울기는 x입니다")
_shape = say(en="one number for each weight: the sum over all positions i of g[i] * x[i + k]", ko="가중치마다 수가 하나씩입니다. 모든 위치 i에 대해 g[i] * x[i + k]를 더하세요")


def _want(x, w, g):
    return torch.stack([sum(g[i].double() * x[i + k].double() for i in range(len(g))) for k in range(len(w))]).to(x.dtype)


def _compare(size, positions, dtype=torch.float64, weights=None, tracked=False):
    x = check.draw_tensor(size + positions - 1, low=-3 if size + positions > 2 else 0.5)
    w = check.draw_tensor(size) if weights is None else torch.tensor(weights, dtype=torch.float64)
    g = check.draw_tensor(positions)
    texts = (f"torch.tensor({t.tolist()})" for t in (x, w, g))
    call = f"shared_weight_grad({', '.join(texts)}), {str(dtype).removeprefix('torch.')}"
    elsewhere = call + say(en=", then with x + 1, w + 5, 2 g", ko=", 이어서 x + 1, w + 5, 2 g로")
    x, w, g = (t.to(dtype) for t in (x, w, g))
    want = _want(x, w, g)
    mistakes = [(g[i] * x[i : i + size], _one_use) for i in range(positions) if positions > 1]
    mistakes += [(want / positions, _mean), (want.flip(0), _flipped), (want * w, _values), (_want(x, w, g.flip(0)), _flipped)]
    found = _calls(x, w, g, tracked)
    result, other, again = found["results"]
    tolerance = 1e-4 if dtype == torch.float32 else None
    check.untouched(found["changes"], call)
    check.close(result, want, call, atol=tolerance, mistakes=mistakes, hint=_values if bool((w == 0).any()) else _shape)
    check.not_stale(other, _want(x + 1, w + 5, 2 * g), elsewhere, atol=tolerance)
    check.repeatable(again, result, call)


for _dtype in (torch.float64, torch.float32):
    for _size, _positions in ((3, 4), (2, 2), (3, 3), (4, 2), (1, 5), (5, 1), (2, 9), (7, 3)):
        _compare(_size, _positions, _dtype)
    _compare(1, 1, _dtype)
    _compare(3, 5, _dtype, weights=[0.0, 0.0, 0.0])
    _compare(3, 4, _dtype, weights=[0.0, check.draw(1, 2), 0.0])
_compare(round(check.draw(8.6, 12.4)), round(check.draw(12.6, 20.4)))
_compare(3, 4, tracked=True)
_compare(4, 1, tracked=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

- **4.1** The two paths of section 1; edges in other orders; paths of different lengths; several edges between the same nodes; slopes that
  are 0, negative or `int`; no path, and `src == out`; edges before `src`, beyond `out`, and into dead ends; nodes of all kinds;
  random graphs; 40 diamonds, also off the way; that `edges` is unchanged.
- **4.2** Every way to broadcast: dimensions added, stretched, both, neither; `()` ; sizes that are equal by chance, so that only the
  position of a dimension tells it apart; both dtypes; `torch.Size`; a `g` with another order in memory, or one that is tracked.
- **4.3** Both formulas with numbers and with shapes that broadcast in each direction; negative and zero `q`; `x = 0` with $q > 1$, $q = 1$
  and $0 < q < 1$; very small `x`; both dtypes.
- **4.4** Several sizes, one weight or one position among them; weights that are 0; both dtypes.

Everywhere: the rules of every task; in 4.2 to 4.4 also with tensors that are tracked.

## Checklist

You can now answer these without looking back:

- What is multiplied, and what is added?
- In one `backward()`, how often does a hook on `x` fire if `x` is used three times? Who did the addition?
- What is left over if two factors move at once, and why may it be forgotten?
- A bias of shape `(3,)` is added to a table of shape `(100, 3)`. What shape does its gradient have, and over what is it a sum?
- Why is the gradient of $0^q$ with respect to $q$ zero, and why does the formula say `nan`?

Was your guess at the beginning right?

## Links

- [PyTorch: Broadcasting semantics](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)
- [PyTorch: Tensor.sum_to_size](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Calculus on computational graphs: backpropagation (Christopher Olah)](https://colah.github.io/posts/2015-08-Backprop/)

Next: Lesson 05, vectors in, vectors out.
"""

# %% [markdown] lang="ko" en="21a2edd6"
r"""
## 숨은 테스트가 보는 것

- **4.1** 1절의 두 경로, 순서를 바꾼 간선, 길이가 다른 경로, 같은 두 노드를 잇는 여러 간선, 0이거나 음수이거나 `int`인 기울기, 경로가 없는
  경우와 `src == out`, `src` 앞과 `out` 뒤의 간선과 막다른 간선, 온갖 종류의 노드, 임의의 그래프, 마름모 40개(경로에 들지 않는 것도), `edges`가 그대로인지.
- **4.2** 브로드캐스트의 모든 경우(차원이 붙은 것, 늘어난 것, 둘 다, 둘 다 아닌 것), `()`, 크기가 우연히 같아서 차원의 위치로만 구별되는
  경우, 두 가지 dtype, `torch.Size`, 메모리 순서가 다르거나 추적되는 `g`.
- **4.3** 두 식(수 하나일 때와, 양쪽으로 브로드캐스트될 때), 음수이거나 0인 `q`, $q > 1$, $q = 1$, $0 < q < 1$일 때의 `x = 0`, 아주 작은
  `x`, 두 가지 dtype.
- **4.4** 여러 크기(가중치나 위치가 하나뿐인 경우도), 0인 가중치, 두 가지 dtype.

모든 과제에서 공통 규칙을 함께 봅니다. 4.2–4.4에서는 추적되는 텐서를 인자로 넘기기도 합니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 무엇을 곱하고 무엇을 더하나요?
- `x`를 세 번 쓴 다음 `backward()`를 한 번 부르면 `x`에 건 hook은 몇 번 불리나요? 덧셈은 누가 했나요?
- 두 인수가 함께 움직이면 무엇이 남나요? 그것을 왜 잊어도 되나요?
- shape이 `(3,)`인 bias를 `(100, 3)`인 표에 더합니다. bias의 gradient는 shape이 무엇이고, 무엇에 대한 합인가요?
- $0^q$을 $q$로 미분하면 왜 0인가요? 식대로 하면 왜 `nan`이 나오나요?

처음에 적은 예상은 맞았나요?

## 더 읽을거리

- [PyTorch: Broadcasting semantics (영어)](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)
- [PyTorch: Tensor.sum_to_size (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [Calculus on computational graphs: backpropagation (Christopher Olah, 영어)](https://colah.github.io/posts/2015-08-Backprop/)

다음은 수업 05, 벡터에서 벡터로입니다.
"""
