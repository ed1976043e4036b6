# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Cutting and splicing the graph

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · detach, no_grad, requires_grad_

**After this lesson you can**

- cut a graph with `detach`, and carry a gradient across the cut by hand;
- say which slope autograd reports when only one of two paths is cut, and find such a cut with the difference quotient;
- choose among `requires_grad_`, `detach`, `no_grad`, `inference_mode` and `eval()`;
- move a parameter in place, freeze a layer, and add up losses without keeping their graphs;
- cut a path on purpose, so that a target stays a target.

You need lessons 2 to 5: leaf, `.grad`, paths, and `backward` with a vector $v$.
"""

# %% [markdown] lang="ko" en="c426e8a6"
r"""
# 그래프를 끊고 다시 잇기

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · detach, no_grad, requires_grad_

**이 수업을 마치면**

- `detach`로 그래프를 끊고, 끊은 자리 너머로 gradient를 직접 넘겨줄 수 있습니다.
- 두 경로 중 하나만 끊었을 때 autograd의 기울기가 얼마인지 말하고, 그렇게 끊긴 곳을 차분몫으로 찾아낼 수 있습니다.
- `requires_grad_`, `detach`, `no_grad`, `inference_mode`, `eval()` 중에서 알맞은 것을 고를 수 있습니다.
- 파라미터를 제자리에서 옮기고, 층을 동결하고, 그래프를 남기지 않고 loss를 더할 수 있습니다.
- 경로 하나를 일부러 끊어, 목푯값이 움직이지 않게 할 수 있습니다.

수업 02–05의 내용(leaf, `.grad`, 경로, 벡터 $v$를 넘기는 `backward`)이 필요합니다.
"""

# %%
import torch
from torch import nn

from secant import draw_graph, expect_error, explore_cut, language, predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

The purple dash-dotted curve is $c\,x^2$. The number $c$ is the value of $x$ at the black dot, and stays constant while $h$ moves. The *secant* joins two points of this curve that are $h$ apart; its slope is
the difference quotient. The dashed line has the slope that autograd found for `x**2 * x.detach()`. (The panel calls its factors $a$ and $b$. Ignore the right plot, black curve and lists until section 4.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="c3a4bffe"
r"""
## 먼저 보기

보라색 일점쇄선은 $c\,x^2$의 그래프입니다. $c$는 검은 점이 있는 곳의 $x$ 값이고, $h$를 옮기는 동안에는 변하지 않는 상수입니다. *할선*(secant)은 이 곡선 위에서 $h$만큼 떨어진 두 점을 지나는 직선이고, 그 기울기가
차분몫(difference quotient)입니다. 파선의 기울기는 autograd가 구한 `x**2 * x.detach()`의 gradient입니다. (그림 아래에서는 두 인수를 $a$와 $b$라고 씁니다. 오른쪽 그림, 검은 곡선, 두 목록은 4절에서 다루니 지금은 그대로 두세요.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_cut(pair="x² · x.detach()", held=True, x=1.5).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient goes to autograd's gradient as $h$ gets small. This lesson is about cutting a graph, on purpose or by accident: which slope autograd reports then, and how the
quotient shows where a cut is.

</details>

## Predict first

`y.detach()` returns a tensor with the values of `y` and without its history (lesson 2). Read this code, but do not run it yet:

```
x = torch.tensor(2.0, requires_grad=True)
f = x * (x**2).detach()
f.backward()
```

As a formula, $f$ is $x \cdot x^2 = x^3$, and $3x^2 = 12$ at $x = 2$. **What does `x.grad` hold?**
"""

# %% [markdown] lang="ko" en="9a674f5e"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 차분몫이 autograd의 gradient에 다가갑니다. 이 수업에서는 그래프를 일부러 또는 실수로 끊으면 autograd가 어떤 기울기를 내는지, 끊긴 곳을 차분몫으로 어떻게
찾아내는지 살펴봅니다.

</details>

## 먼저 예상하기

`y.detach()`는 값은 `y`와 같고 계산 기록은 없는 텐서를 돌려줍니다(수업 02). 다음 코드를 읽어 보세요. 아직 실행하지는 마세요.

```
x = torch.tensor(2.0, requires_grad=True)
f = x * (x**2).detach()
f.backward()
```

식으로 쓰면 $f$는 $x \cdot x^2 = x^3$이고, $x = 2$에서 $3x^2 = 12$입니다. **`x.grad`에는 무엇이 들어 있을까요?**
"""

# %%
predict(
    "6 one factor cut",
    A=say(
        en="12: `detach` saves memory but does not change a slope",
        ko="12. `detach`는 메모리를 아낄 뿐 기울기를 바꾸지 않는다",
    ),
    B="8",
    C="4",
    D=say(
        en="None: the graph is cut, so no gradient comes back",
        ko="None. 그래프가 끊겨서 gradient가 도착하지 않는다",
    ),
)

# %% [markdown] lang="en"
r"""
## 1. A cut in the middle

Lesson 4 multiplied a number by a vector and took a dot product. The graph, before any cut:
"""

# %% [markdown] lang="ko" en="278641a1"
r"""
## 1. `detach`로 가운데 끊기

수업 04에서는 수에 벡터를 곱하고 내적을 구했습니다. 끊기 전의 그래프는 다음과 같습니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
z = y @ torch.tensor([4.0, 7.0, 9.0])
draw_graph(values=True, gradients=True, x=x, y=y, z=z)

# %% [markdown] lang="en"
r"""
The path from `z` to `x` is whole, and 74 arrives at `x`. Now a cut in the middle: `w` is `y` detached, and `z` is computed from `w`.
"""

# %% [markdown] lang="ko" en="95fd0f9c"
r"""
`z`에서 `x`까지 경로가 이어져 있고, `x`에는 74가 도착합니다. 이번에는 가운데를 끊습니다. `w`는 `y`를 detach한 것이고, `z`는 `w`로 계산합니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach()
z = w @ torch.tensor([4.0, 7.0, 9.0])

with expect_error():
    z.backward()
print(tensor_info(x=x, y=y, w=w, z=z))
draw_graph(values=True, x=x, y=y, w=w, z=z)

# %% [markdown] lang="en"
r"""
`y` still leads to `x`. `w` has the values of `y`, but is a constant leaf, and whatever is computed from constants alone is constant too. So `z` has no history and is a leaf, although it was computed. It stands alone in the picture: a backward pass has nothing to go through. The value 370 is right; only the
slope is lost.

A detached tensor has no history of its own. Does it have memory of its own? Suppose that you now write `w[0] = 100`. **What is in `y[0]`?**
"""

# %% [markdown] lang="ko" en="8bdcd278"
r"""
`y`는 여전히 `x`로 이어집니다. `w`는 값은 `y`와 같지만 상수 leaf이고, 상수만으로 계산한 것은 상수입니다. 그래서 `z`에는 계산 기록이 없고, 계산해서 얻은 텐서인데도 leaf입니다(수업 02). 그림에서도 홀로 서 있습니다. 역방향 계산이 지나갈 그래프가 없습니다.
값 370은 맞습니다. 잃은 것은 기울기뿐입니다.

detach한 텐서에는 계산 기록이 없습니다. 그러면 메모리는 따로 가지고 있을까요? 이제 `w[0] = 100`이라고 쓴다고 합시다. **`y[0]`은 무엇이 될까요?**
"""

# %%
predict(
    "6 detached numbers",
    A=say(en="100: both use the same memory", ko="100. 둘은 같은 메모리를 쓴다"),
    B=say(en="10: `detach` makes a copy", ko="10. `detach`는 복사본을 만든다"),
    C=say(
        en="10: PyTorch refuses to change `w`",
        ko="10 그대로다. PyTorch가 `w`를 바꾸지 못하게 하고 오류를 낸다",
    ),
)

# %%
w[0] = 100
print("w:", w)
print("y:", y)

w = y.clone().detach()
w[0] = 10
print("y:", y)

# %%
predicted(
    "6 detached numbers",
    right="A",
    A=say(
        en="`w` is a second view of the memory of `y`, so `detach` copies nothing, whatever the size.",
        ko="`w`는 `y`와 메모리를 함께 쓰는 또 하나의 텐서(view)입니다. 그래서 `detach`는 크기가 얼마든 아무것도 복사하지 않습니다.",
    ),
    B=say(
        en="`detach` makes a new tensor object without a history, but copies no values. "
        "`y.clone().detach()` does.",
        ko="`detach`는 계산 기록이 없는 새 텐서 객체를 만들지만 값은 복사하지 않습니다. `y.clone().detach()`가 복사합니다.",
    ),
    C=say(
        en="`w` is not tracked, so nothing forbids it here. Lesson 7 shows when PyTorch notices such a "
        "change.",
        ko="`w`는 추적되지 않으므로 여기서는 막지 않습니다. PyTorch가 이런 변경을 언제 알아차리는지는 수업 07에서 봅니다.",
    ),
)

# %% [markdown] lang="en"
r"""
## 2. Begin again after the cut

`requires_grad_()` switches tracking on for a leaf, in place. Now there are two graphs: from `x` to `y`, and from `w` to `z`.
"""

# %% [markdown] lang="ko" en="deed0226"
r"""
## 2. 끊은 자리에서 다시 시작하기

`requires_grad_()`는 leaf의 추적을 제자리에서(in-place) 켭니다. 이제 그래프가 두 개입니다. 하나는 `x`에서 `y`까지, 하나는 `w`에서 `z`까지입니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach()
w.requires_grad_()
z = w @ torch.tensor([4.0, 7.0, 9.0])

z.backward()
print("w.grad:", w.grad)
print("x.grad:", x.grad)
draw_graph(values=True, x=x, y=y, w=w, z=z)

# %% [markdown] lang="en"
r"""
The backward pass ends at the leaf `w` and leaves $\frac{\partial z}{\partial w} = (4, 7, 9)$ in `w.grad`. No edge leads from `w` to `y`, so `x` gets nothing.

## 3. The splice

The first backward pass stopped at the cut. What it found there is exactly what a second one, from `y` to `x`, has to start with. Lesson 5 called it $v$: `y.backward(v)` computes $v^\top J$, where $v$ says how much
each element of `y` counts. How much each one counts for $z$ is in `w.grad`. (`torch.autograd.grad` takes the same $v$ as `grad_outputs=v`.)
"""

# %% [markdown] lang="ko" en="fbf17548"
r"""
역방향 계산(backward pass)은 leaf인 `w`에서 끝나고, `w.grad`에는 $\frac{\partial z}{\partial w} = (4, 7, 9)$가 남습니다. `w`에서 `y`로 이어지는 간선이 없으므로 `x`에는 아무것도 오지 않습니다.

## 3. 다시 잇기

첫 번째 역방향 계산은 끊은 자리에서 멈추었습니다. 그런데 거기서 얻은 값이 바로 `y`에서 `x`까지 가는 두 번째 역방향 계산의 출발값입니다. 수업 05에서 $v$라고 부른 것입니다. `y.backward(v)`는 $v^\top J$를 구하고,
$v$는 `y`의 각 원소를 얼마나 반영할지를 나타냅니다. 각 원소가 $z$에 얼마나 반영되는지는 `w.grad`에 들어 있습니다. (`torch.autograd.grad`에는 같은 $v$를 `grad_outputs=v`로 넘깁니다.)
"""

# %%
y.backward(gradient=w.grad)
print("x.grad:", x.grad)

x.grad = None
y = x * torch.tensor([2.0, 3.0, 5.0])
y.sum().backward()
print(say(en="with y.sum() instead:", ko="y.sum()을 쓰면:"), x.grad)

# %% [markdown] lang="en"
r"""
$4 \cdot 2 + 7 \cdot 3 + 9 \cdot 5 = 74$: the whole chain rule, as if nothing had been cut. `y.sum().backward()` starts with $v = (1, 1, 1)$ instead and gives $2 + 3 + 5 = 10$, the slope of the sum of `y`. It is not the slope you want, but it
runs without an error.

Such a splice is useful if $y = f(x)$ runs on one computer and $z = g(y)$ on another: the values of `y` travel in one direction, `w.grad` in the other, and no graph has to be sent.

## 4. Cutting one of two paths

In the first prediction, only *one* of two paths from $x$ to $f$ is cut. Here is the explorer of the first look again. It shows $f(x)=a(x)\,b(x)$ with the second factor detached and, on the right, the distance between the quotient and
autograd's slope. At first the quotient holds the second factor constant, at its value at $x$.

1. In the list *factor*, choose *moves with x*, as it does in the program. Set $x = 2$ and move $h$ to the left. Where does the quotient go, and what does autograd say?
2. Choose `x · (x²).detach()`: the same formula $x^3$, cut elsewhere. What does autograd say now at $x = 2$, and what is the sum of this slope and that of question 1?
3. Choose `x · (1/|x|).detach()`, which is 1 for every $x > 0$. Where does the quotient go? Which slope does autograd report at $x = 2$?
"""

# %% [markdown] lang="ko" en="deb091ee"
r"""
$4 \cdot 2 + 7 \cdot 3 + 9 \cdot 5 = 74$입니다. 아무것도 끊지 않은 것처럼 연쇄 법칙(chain rule)이 끝까지 이어졌습니다. 한편 `y.sum().backward()`는 $v = (1, 1, 1)$로 시작하므로 $2 + 3 + 5 = 10$이 됩니다. 이것은 구하려던 값이 아니라
`y`의 합의 기울기인데도 오류가 나지 않습니다.

이렇게 끊었다가 잇는 일은 $y = f(x)$와 $z = g(y)$를 서로 다른 컴퓨터에서 계산할 때 필요합니다. 한쪽으로는 `y`의 값만, 반대쪽으로는 `w.grad`만 보내면 되고, 그래프는 보내지 않아도 됩니다.

## 4. 한 경로만 끊기

첫 예상에서는 $x$에서 $f$까지 가는 두 경로 중 *하나만* 끊었습니다. 맨 앞에서 본 탐색기로 살펴봅시다. $f(x)$는 두 인수(factor)의 곱 $a(x)\,b(x)$이고, 둘째 인수 $b(x)$는 detach되어 있습니다.
오른쪽 그림은 차분몫과 autograd의 기울기가 얼마나 다른지 보여 줍니다. 처음에는 차분몫을 구할 때 둘째 인수를 $x$에서의 값으로 고정해 상수로 둡니다.

1. *둘째 인수* 목록에서 *x와 함께 움직임*을 고르세요. 실제로 프로그램을 실행할 때는 둘째 인수도 $x$와 함께 변합니다. $x = 2$로 두고 $h$를 왼쪽으로 옮기세요. 차분몫은 어디로 다가가고, autograd가 구한 기울기는 얼마인가요?
2. `x · (x²).detach()`를 고르세요. 같은 식 $x^3$인데 다른 곳을 끊었습니다. $x = 2$에서 이번에는 autograd가 구한 기울기가 얼마인가요? 1번에서 구한 기울기와 더하면 얼마인가요?
3. `x · (1/|x|).detach()`를 고르세요. $x > 0$이면 언제나 1인 함수입니다. 차분몫은 어디로 다가가나요? $x = 2$에서 autograd가 구한 기울기는 얼마인가요?
"""

# %%
explore_cut(pair="x² · x.detach()", held=True, x=1.5)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. The quotient goes to 12, while autograd says 8 at every $h$. On the right, the difference goes to 4 and stays there.
2. 4, and $8 + 4 = 12$. The product rule $f' = a'b + a\,b'$ has two terms, one for each path (lesson 4). Either cut loses the second term: "lost at the cut", $a\,b'$.
3. The quotient is 0, as it must be for a constant function, but autograd reports $\frac{1}{2}$.

</details>

The dashed line is the tangent of another function, the one in which the detached factor is a constant. **Autograd differentiates the graph that was recorded, not the formula.** The quotient knows nothing about graphs: it
compares the values that come out. So if the two disagree at every small $h$, look for a cut first.

Some cuts are meant: "treat this as a constant". Then compare with the quotient in which that factor is held (section 10).
(`explore_cut((torch.sin, torch.exp))` takes two functions of your own and detaches the second.)
"""

# %% [markdown] lang="ko" en="ac44a79d"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 차분몫은 12로 다가가는데 autograd의 값은 $h$가 얼마든 8입니다. 오른쪽에서 차이는 4로 다가가 거기에 머뭅니다.
2. 4이고, $8 + 4 = 12$입니다. 곱의 미분법 $f' = a'b + a\,b'$에는 경로마다 하나씩 두 항이 있는데(수업 04), 어느 쪽을 끊든 그때의 둘째 항 $a\,b'$을 잃습니다. 그림 아래의 "끊긴 곳에서 잃은 기울기"가 이것입니다.
3. 함수가 상수이므로 차분몫은 0입니다. 그런데 autograd의 값은 $\frac{1}{2}$입니다.

</details>

파선은 다른 함수, 곧 둘째 인수가 상수인 함수의 접선입니다. **autograd는 식이 아니라 기록된 그래프를 미분합니다.** 차분몫은 그래프를 모르고 실제로 나온 값을 비교할 뿐입니다. 그러니 $h$를
줄여도 둘이 계속 다르면 먼저 끊긴 곳이 있는지 찾아보세요.

"이것은 상수로 보라"는 뜻으로 일부러 끊을 때도 있습니다. 그럴 때는 그 부분의 값을 고정한 차분몫과 비교해야 합니다(10절).
(`explore_cut((torch.sin, torch.exp))`처럼 쓰면 여러분의 두 함수를 곱한 것을 볼 수 있습니다. 둘째 함수는 탐색기가 알아서 detach합니다.)
"""

# %%
x = torch.tensor(2.0, requires_grad=True)
f = x * (x**2).detach()
f.backward()
print("x.grad:", x.grad)

# %%
predicted(
    "6 one factor cut",
    right="C",
    A=say(
        en="12 is the slope of the formula. But the backward pass goes through what was recorded, and "
        "there the second factor is a constant.",
        ko="12는 식의 기울기입니다. 그러나 역방향 계산은 기록된 그래프를 지나고, 거기서 둘째 인수는 상수입니다.",
    ),
    B=say(
        en="8 would come through the other path, and that is the one that was cut.",
        ko="8은 다른 경로로 올 값인데, 끊은 것이 바로 그 경로입니다.",
    ),
    C=say(
        en="The recorded graph says f = x · 4, where 4 is a constant. Its slope is 4.",
        ko="기록된 그래프는 f = x · 4이고 4는 상수입니다. 그 기울기는 4입니다.",
    ),
    D=say(
        en="Only one of the two paths is cut. A gradient still comes through the first factor.",
        ko="두 경로 중 하나만 끊었습니다. 첫째 인수를 지나는 경로로는 gradient가 옵니다.",
    ),
)

# %% [markdown] lang="en"
r"""
## 5. Computing without a record

`detach` cuts at one tensor. `with torch.no_grad():` switches recording off for everything computed inside. (Whether operations are recorded is called the *gradient mode*.)
"""

# %% [markdown] lang="ko" en="ad8e371b"
r"""
## 5. 잠시 기록하지 않기

`detach`는 텐서 하나에서 끊습니다. `with torch.no_grad():`는 그 안에서 하는 모든 계산의 기록을 끕니다. (연산을 기록할지 말지를 정하는 설정을 **gradient 모드**(gradient mode)라고 합니다.)
"""

# %%
with torch.no_grad():
    q = torch.tensor(3.0, requires_grad=True)
    x = torch.tensor(5.0, requires_grad=True)
    y = x**q
    z = torch.log(y)

with expect_error():
    z.backward()
tensor_info(q=q, x=x, y=y, z=z)

# %% [markdown] lang="en"
r"""
`q` and `x` are tracked leaves, but no operation was recorded: `y` and `z` have no `grad_fn`, and nothing was saved. How much memory does that save? `saved_tensors_hooks` calls a function for every saved tensor (lesson 7), which can
count the bytes. `set_grad_enabled(flag)` records by a flag, and `enable_grad()` switches recording back on inside `no_grad`.
"""

# %% [markdown] lang="ko" en="18f97e69"
r"""
`q`와 `x`는 지정한 대로 추적되는 leaf입니다. 그러나 연산은 하나도 기록되지 않아 `y`와 `z`에는 `grad_fn`이 없고, 역방향 계산에 쓰려고 저장한 것도 없습니다. 메모리를 얼마나 아낄까요? PyTorch에는 텐서를 저장할 때마다 호출할 함수를 정해 두는 `saved_tensors_hooks`가 있습니다(자세한 것은 수업 07). 이것으로 저장되는 바이트 수를 세어 봅시다. `set_grad_enabled(flag)`는 flag에 따라 기록을 켜거나 끄고, `enable_grad()`는 `no_grad` 안에서 기록을 다시 켭니다.
"""

# %%
big = torch.ones(1000, 250, requires_grad=True)


def megabytes_saved(recording):
    saved = {}

    def see(t):
        saved[t.data_ptr()] = t.nbytes
        return t

    with torch.set_grad_enabled(recording), torch.autograd.graph.saved_tensors_hooks(see, lambda t: t):
        y = big
        for _ in range(8):
            y = y.sin()
    return sum(saved.values()) / 1e6


print("big            :", big.nbytes / 1e6, "MB")
for recording in (True, False):
    print(f"recording {recording!s:<5}: {megabytes_saved(recording)} MB")

with torch.no_grad():
    y = big.sum()
    with torch.enable_grad():
        z = big.sum()
print("tracked: no_grad", y.requires_grad, " enable_grad", z.requires_grad)

# %% [markdown] lang="en"
r"""
Each of the eight `sin` saves its input, 8 MB in all; seven are extra, since you have `big` anyway. Without recording nothing is saved: right for inference.

<details><summary>What about forward mode?</summary>

Forward mode (lesson 5) needs no record, so `no_grad` does not stop it. Compute `square = t * t` inside `no_grad`, and `square * t` after it: `jvp` gives the slope $3t^2$, as for $t^3$, but `backward()` gives $t^2$, since for it `square` is a constant. `detach()` stops both.

</details>

`torch.inference_mode()` goes further than `no_grad`. It saves more time, but its results stay *inference tensors* for good: a tracked computation that must save one for its backward pass raises an error. (A `clone()` made outside is an ordinary tensor.)
"""

# %% [markdown] lang="ko" en="a53a499d"
r"""
기록하면 8MB를 저장합니다. `sin` 여덟 번이 저마다 입력을 저장하기 때문입니다. 그 가운데 새로 차지하는 것은 7MB입니다. 첫 번째 입력은 어차피 가지고 있는 `big`입니다. 기록하지 않으면 아무것도 저장하지 않으므로, 학습이 끝난 모델을 쓰기만 하는 추론(inference)에 알맞습니다.

<details><summary>순방향 모드는 어떻게 되나요?</summary>

순방향 모드(수업 05)는 기록이 필요 없으므로 `no_grad`의 영향을 받지 않습니다. `square = t * t`를 `no_grad` 안에서, `square * t`를 그 뒤에 계산하면, 기울기는 `jvp`로 $t^3$의 것인 $3t^2$이지만 `backward()`로는 `square`가 상수이므로 $t^2$뿐입니다. `detach()`는 두 모드에서 모두 기울기를 끊습니다.

</details>

`torch.inference_mode()`는 `no_grad`보다 시간을 조금 더 아끼는 대신 제약이 더 많습니다. 이 안에서 만든 결과에는 inference 텐서라는 표시가 남고, 이 표시는 지울 수 없습니다(이 블록 밖에서 `clone()`한 텐서에는 표시가 없습니다). 나중에 이 결과를 추적되는 계산에 쓰면, 그 계산이 `backward()`를 위해 결과를 저장하려 할 때 오류가 납니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
with torch.inference_mode():
    y = x**3

with expect_error():
    print(x * y)

# %% [markdown] lang="en"
r"""
## 6. Two more switches: eval() and requires_grad

A model has a mode of its own. `nn.Sequential` applies its layers one after the other. In training mode, `nn.Dropout(0.5)` sets about half of the elements to 0 at random and doubles the others; in **evaluation mode**, which
`model.eval()` switches on, it passes everything through unchanged. (`model.train()` switches back.) `BatchNorm` follows the same switch: in training mode it normalizes with the mean and variance of the current batch and collects them, even under `no_grad`;
in evaluation mode it uses what it has collected.

After `model.eval()`, **is `model(inputs)` still tracked?**
"""

# %% [markdown] lang="ko" en="4a91eca0"
r"""
## 6. 스위치 두 개 더: eval()과 requires_grad

모델에는 따로 모드가 있습니다. `nn.Sequential`은 층을 차례대로 적용합니다. 학습 모드에서 `nn.Dropout(0.5)`는 원소의 절반쯤을 무작위로 0으로 만들고 나머지는 두 배로 만들지만, **평가 모드**(evaluation mode)에서는 그대로 통과시킵니다.
평가 모드는 `model.eval()`로 켜고 `model.train()`으로 되돌립니다. `BatchNorm`도 같은 스위치를 따릅니다. 학습 모드에서는 지금 들어온 배치의 평균과 분산으로 정규화하고, `no_grad` 안에서도 그 평균과 분산을 계속 누적합니다. 평가 모드에서는 누적해 둔 평균과 분산으로 정규화합니다.

`model.eval()`을 호출한 뒤에도 **`model(inputs)`는 추적될까요?**
"""

# %%
predict(
    "6 eval",
    A=say(en="No: in evaluation mode nothing is recorded", ko="아니다. 평가 모드에서는 기록하지 않는다"),
    B=say(
        en="Yes, but `backward()` then raises an error",
        ko="그렇다. 그러나 `backward()`를 호출하면 오류가 난다",
    ),
    C=say(en="Yes: `eval()` has nothing to do with recording", ko="그렇다. `eval()`은 기록과 상관이 없다"),
)

# %%
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
inputs = torch.ones(1, 3)


def compare(title):
    first, second = model(inputs), model(inputs)
    tracked = say(en="tracked:", ko="추적:"), f"{first.requires_grad!s:<6}"
    same = say(en="equal:", ko="같음:"), torch.equal(first, second)
    print(f"{title:<15}", *tracked, *same)


compare("train()")
with torch.no_grad():
    compare("train + no_grad")

model.eval()
compare("eval()")
with torch.no_grad():
    compare("eval + no_grad")

# %%
predicted(
    "6 eval",
    right="C",
    A=say(
        en="`eval()` changes what layers such as Dropout compute. What is recorded is decided by the "
        "gradient mode.",
        ko="`eval()`은 Dropout 같은 층이 무엇을 계산할지를 바꿉니다. 기록할지는 gradient 모드가 정합니다.",
    ),
    B=say(
        en="It is tracked, and `backward()` works as usual, with the values of evaluation mode.",
        ko="추적되고 `backward()`도 평소처럼 됩니다. 다만 평가 모드에서 계산한 값으로 합니다.",
    ),
    C=say(
        en="Two switches: `eval()` for what the layers compute, `no_grad` for whether it is recorded. "
        "For inference you want both.",
        ko="스위치는 둘입니다. `eval()`은 층이 무엇을 계산할지, `no_grad`는 그것을 기록할지를 정합니다. 추론할 때는 둘 다 필요합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
A model and each of its layers is an `nn.Module` with its own mode, `module.training`. `eval()` and `train()` set the mode in all of them; `model.modules()` yields them all, the model first. `model[0]` is the first layer of an
`nn.Sequential`.

The third switch is `requires_grad` itself. To train only the later layers of a model, you **freeze** the first one: no new gradient reaches its parameters. (An old `.grad` stays and a step would use it: empty it first.) Compare `no_grad` around the first layer with
`first.requires_grad_(False)`, which sets the flag for all its parameters. The input is tracked. Which of `first`, `inputs` and `second` get a gradient?
"""

# %% [markdown] lang="ko" en="c5aa67d2"
r"""
모델과 그 안의 층은 모두 `nn.Module`이고, 저마다 자기 모드 `module.training`이 있습니다. `eval()`과 `train()`은 이 모드를 한꺼번에 바꿉니다. `model.modules()`는 모델부터 시작해 안에 있는 모듈을 모두 차례로 내놓습니다. `model[0]`은 `nn.Sequential`의 첫 층입니다.

셋째 스위치는 `requires_grad` 자체입니다. 모델의 뒤쪽 층만 학습시키려면 첫 층을 **동결**(freeze)해서 그 파라미터에 새 gradient가 오지 않게 합니다. (전부터 있던 `.grad`는 남아서 다음 스텝에 쓰이므로 비워야 합니다.) 첫 층을 `no_grad`로 감싸는 것과, 층의 모든 파라미터에 한꺼번에 적용되는 `first.requires_grad_(False)`를 추적되는 입력으로 비교해 봅시다.
`first`, `inputs`, `second` 가운데 gradient가 도착하는 것은 어느 것일까요?
"""

# %%
first, second = nn.Linear(3, 4), nn.Linear(4, 1)
inputs = torch.ones(1, 3, requires_grad=True)


def reached(title):
    first_got, inputs_got, second_got = (t.grad is not None for t in (first.weight, inputs, second.weight))
    print(f"{title:<15} first: {first_got!s:<6} inputs: {inputs_got!s:<6} second: {second_got}")


with torch.no_grad():
    hidden = first(inputs)
second(hidden).sum().backward()
reached("no_grad")

second.weight.grad = None
first.requires_grad_(False)
second(first(inputs)).sum().backward()
reached("requires_grad_")

# %% [markdown] lang="en"
r"""
Either way the first layer gets no gradient. But `no_grad` cuts the whole graph there, so nothing reaches `inputs`. A frozen parameter is just a constant of its layer: the path *through* the layer stays open.

| you want to | write |
|---|---|
| treat one tensor as a constant | `y.detach()` |
| compute without a record, e.g. for inference or to move parameters | `with torch.no_grad():` |
| the same, with results that never meet autograd again | `with torch.inference_mode():` |
| let no new gradient reach a parameter | `p.requires_grad_(False)` |
| switch Dropout and BatchNorm from training to inference | `model.eval()` |
"""

# %% [markdown] lang="ko" en="c1d03b08"
r"""
어느 쪽이든 첫 층에는 gradient가 없습니다. 그러나 `no_grad`는 거기서 그래프를 통째로 끊으므로 `inputs`에도 도착하는 것이 없습니다. 이와 달리 동결한 파라미터는 그 층의 상수가 될 뿐이고, 층을 *지나는* 경로는 열려 있습니다.

| 하고 싶은 일 | 쓸 것 |
|---|---|
| 텐서 하나를 상수로 보기 | `y.detach()` |
| 기록 없이 계산하기 (추론하거나 파라미터를 옮길 때) | `with torch.no_grad():` |
| 같은 일인데, 결과를 다시는 autograd에 쓰지 않을 때 | `with torch.inference_mode():` |
| 파라미터에 새 gradient가 오지 않게 하기 | `p.requires_grad_(False)` |
| Dropout과 BatchNorm을 평가 모드로 바꾸기 | `model.eval()` |
"""

# %% [markdown] lang="en"
r"""
## 7. Moving a parameter

A training step moves a leaf. Of three ways to write it, only one is right:
"""

# %% [markdown] lang="ko" en="250a2a7f"
r"""
## 7. 파라미터 업데이트하기

학습의 한 스텝에서는 leaf의 값을 업데이트합니다. 코드는 세 가지로 써 볼 수 있지만 그중 하나만 맞습니다.
"""

# %%
model_p = p = torch.tensor(2.0, requires_grad=True)  # model_p: the tensor that a model holds
(p**2).backward()

with expect_error():
    p -= 0.1 * p.grad

moved = p - 0.1 * p.grad
print("moved  :", moved, " is_leaf:", moved.is_leaf)
print("model_p:", model_p)

with torch.no_grad():
    p -= 0.1 * p.grad
print("model_p:", model_p, " is_leaf:", model_p.is_leaf)

# %% [markdown] lang="en"
r"""
In place and recorded, the step raises an error: `p` would become the result of an operation, no longer a leaf. Out of place, it makes a *new*, non-leaf tensor, while the model still holds the old one.
In place inside `no_grad`, it keeps the same tensor, a leaf as before, with new values.

## 8. A sum that keeps every graph alive

If you add up losses to report them, you add up their graphs too:
"""

# %% [markdown] lang="ko" en="f73f9cce"
r"""
기록하면서 제자리에서 바꾸면 오류가 납니다. 그렇게 하면 `p`는 연산의 결과, 곧 중간 텐서가 되어 더는 leaf일 수 없기 때문입니다. 제자리에서 바꾸지 않고 새로 계산하면 중간 텐서인 *새* 텐서가 생기고, 모델은 여전히 예전 텐서를 가지고 있습니다.
`no_grad` 안에서 제자리에서 바꾸면 같은 텐서, 같은 leaf에 새 값이 들어갑니다.

## 8. loss를 더하다가 그래프까지 쌓는 실수

학습 경과를 출력하려고 loss를 더해 나가다 보면 그래프까지 함께 쌓입니다.
"""


# %%
def nodes(tensor):
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [before for before, _ in node.next_functions]
    return len(seen)


p = torch.tensor(5.0, requires_grad=True)
total, number = torch.tensor(0.0), 0.0
behind = say(en="nodes behind it", ko="이어진 노드")
for step in range(1, 4):
    loss = (p - step) ** 2
    total = total + loss
    number += loss.item()
    print(f"step {step}: total {total.item():.0f}, {behind}: {nodes(total)}; number {number:.0f}")

# %% [markdown] lang="en"
r"""
After a thousand steps, `total` keeps a thousand graphs alive, with everything they saved. `loss.item()` extracts just the number, so each graph is freed when the next loss replaces it.
"""

# %% [markdown] lang="ko" en="682ea054"
r"""
천 스텝 뒤에는 그래프 천 개가 저장해 둔 텐서와 함께 `total`에 매달려 있습니다. `loss.item()`은 수만 꺼내므로, 다음 loss가 `loss`에 담기는 순간 앞의 loss는 그 그래프와 함께 사라집니다.
"""

# %% [markdown] lang="en"
r"""
## 9. A real bug

**Spectral normalization** divides a weight matrix $W$ by its spectral norm $\sigma(W)$, the largest factor by which $W$ stretches a vector. In May 2018, before PyTorch first released it, the path through $\sigma$ was cut for some weeks; `cut=True` is the second of two versions. (In place of a network, the loss adds up the elements of $W/\sigma(W)$, each times one of `C`.) We look at the slope with respect to `W[0, 0]`:
"""

# %% [markdown] lang="ko" en="1cdcb4be"
r"""
## 9. 실제로 있었던 버그: 스펙트럼 정규화

**스펙트럼 정규화**(spectral normalization)는 가중치 행렬 $W$를 스펙트럼 노름(spectral norm) $\sigma(W)$로 나눕니다. $\sigma(W)$는 $W$가 벡터를 최대 몇 배로 늘이는지를 나타냅니다. 스펙트럼 정규화는 2018년 5월에 PyTorch의 코드에 들어왔는데,
정식 배포 전 몇 주 동안은 $\sigma$를 지나는 경로가 끊겨 있었습니다. 끊긴 버전은 두 가지였고, 아래의 `cut=True`는 그중 둘째입니다. (`C`는 네트워크의 나머지를 대신합니다. $W/\sigma(W)$의 각 원소에 `C`의 원소를 곱해 더한 것이 loss입니다.) `W[0, 0]`에 대한 기울기를 봅시다.
"""

# %%
W = torch.tensor([[2.0, 1.0], [0.0, 1.0]], dtype=torch.float64, requires_grad=True)
C = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)


def loss_of(W, cut):
    sigma = torch.linalg.matrix_norm(W, ord=2)
    return (C * W / (sigma.detach() if cut else sigma)).sum()


h = torch.zeros_like(W)
h[0, 0] = 1e-6
with torch.no_grad():
    quotient = (loss_of(W + h, cut=True) - loss_of(W - h, cut=True)) / 2e-6
print(say(en="quotient      :", ko="차분몫       :"), f"{quotient.item():.4f}")
for cut in (True, False):
    (slope,) = torch.autograd.grad(loss_of(W, cut), W)
    print(f"autograd, cut={cut!s:<5}: {slope[0, 0].item():.4f}")

# %% [markdown] lang="en"
r"""
In this example even the sign is wrong. Such a cut leaves the outputs right, so only a comparison of the gradients with a quotient reveals it.

<details><summary>The two cuts in PyTorch, and the fix</summary>

PyTorch had two different cuts, one after the other:

- The [first version](https://github.com/pytorch/pytorch/pull/6929) wrote `weight.data /= sigma`. Whatever goes through `.data` is not recorded (lesson 7), so the weight was overwritten, and its gradient knows of no division. In the example above it would be 1, the element `C[0, 0]` alone.
- A [repair of a memory leak](https://github.com/pytorch/pytorch/pull/7298) divided `weight` itself, but left $\sigma$ unrecorded: its author assumed "that we do *not* need gradients for the spectral". This is `cut=True`.

The [fix](https://github.com/pytorch/pytorch/pull/7905) names the cause in its title, "not backprop via sigma(W)". It records $\sigma$. Only the power iteration, which finds the most stretched direction, stays under `no_grad`, where it belongs. [TensorFlow Addons](https://github.com/tensorflow/addons/issues/2414) had an overwrite like the first.

</details>
"""

# %% [markdown] lang="ko" en="dcbf7e76"
r"""
이 예에서는 부호까지 틀립니다. 이런 층의 출력값은 모두 맞으므로 출력만 보아서는 알 수 없습니다. gradient를 차분몫과 비교하면 드러납니다.

<details><summary>PyTorch에서 끊겨 있던 두 곳과 수정</summary>

PyTorch에서는 서로 다른 두 곳이 차례로 끊겨 있었습니다.

- [첫 버전](https://github.com/pytorch/pytorch/pull/6929)은 `weight.data /= sigma`라고 썼습니다. `.data`를 거친 것은 기록되지 않으므로(수업 07) 가중치를 덮어쓴 셈이고, gradient에서는 나눗셈이 통째로 빠져 있었습니다. 위의 예라면 `C[0, 0]`인 1이 나옵니다.
- [메모리 누수를 고친 코드](https://github.com/pytorch/pytorch/pull/7298)는 `weight` 자체를 나누었지만 $\sigma$는 기록하지 않았습니다. 작성자가 $\sigma$의 gradient는 필요 없다고 보았기 때문입니다("we do *not* need gradients for the spectral"). 이것이 `cut=True`입니다.

[수정](https://github.com/pytorch/pytorch/pull/7905)은 제목에서 원인을 밝힙니다. "not backprop via sigma(W)", 곧 역방향 계산이 $\sigma(W)$를 지나지 않는다는 것입니다. 이제 $\sigma$도 기록되고, 가장 많이 늘어나는 방향을
찾는 거듭제곱법(power iteration)만 `no_grad` 안에 남았습니다. 이 계산은 기록하지 않는 것이 맞습니다. TensorFlow Addons에서도 [첫 버전처럼 덮어쓰는 코드](https://github.com/tensorflow/addons/issues/2414)가 2021년에 보고되었습니다.

</details>
"""

# %% [markdown] lang="en"
r"""
## 10. A deliberate cut

A network can learn without labels. An encoder $f$ turns an image into a vector, its embedding, and two noisy views $a$ and $b$ of one image should get similar embeddings. [SimSiam](https://arxiv.org/abs/2011.10566) (2020) also trains a predictor $h$, a second network that predicts the embedding of one view from that of the other. ($h$ is the paper's letter, not a step size.) With squared errors (SimSiam compares angles) the loss is

$$\textstyle\frac12\operatorname{mean}\big((h(f(a)) - f(b))^2\big) + \frac12\operatorname{mean}\big((h(f(b)) - f(a))^2\big).$$

Here an image is a single number, $f(t) = w\,t$ and $h(t) = v\,t$, and nothing is cut:
"""

# %% [markdown] lang="ko" en="14d7c464"
r"""
## 10. 일부러 끊기

레이블(label, 정답 표시) 없이도 네트워크를 학습시킬 수 있습니다. 인코더(encoder) $f$는 이미지를 임베딩(embedding)이라는 벡터로 바꾸고, 같은 이미지에 서로 다른 잡음을 섞은 두 이미지 $a$와 $b$의 임베딩은 서로 비슷해야 합니다. (이 분야에서는 이런 이미지도 뷰(view)라고 합니다. 메모리를 함께 쓰는 텐서의 뷰와는 다른 말입니다.) [SimSiam](https://arxiv.org/abs/2011.10566)(2020)은
한 뷰의 임베딩으로 다른 뷰의 임베딩을 맞히는 네트워크 $h$(predictor, 차분몫의 간격 $h$와는 다릅니다)를 함께 학습시킵니다. 오차를 제곱해서 재면(SimSiam은 각도를 비교합니다) loss는 다음과 같습니다.

$$\textstyle\frac12\operatorname{mean}\big((h(f(a)) - f(b))^2\big) + \frac12\operatorname{mean}\big((h(f(b)) - f(a))^2\big)$$

여기서는 이미지 하나가 수 하나이고 $f(t) = w\,t$, $h(t) = v\,t$입니다. 아무것도 끊지 않고 학습시켜 봅시다.
"""

# %%
torch.manual_seed(0)
w, v = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
for step in range(41):
    images = torch.randn(100)
    a, b = (images + 0.5 * torch.randn(100) for _ in range(2))
    z_a, z_b = w * a, w * b
    loss = ((v * z_a - z_b) ** 2).mean() / 2 + ((v * z_b - z_a) ** 2).mean() / 2
    loss.backward()
    with torch.no_grad():
        for p in (w, v):
            p -= 0.1 * p.grad
            p.grad = None
    if step % 10 == 0:
        print(f"step {step:>2}: loss {loss.item():.4f}  w {w.item():.4f}")

# %% [markdown] lang="en"
r"""
The loss goes to 0, and so does `w`. Every image now has the embedding 0, and any two embeddings agree: the model has **collapsed**. The gradient did not only move the predictions $h(f(a))$ and $h(f(b))$ to their targets, it also moved the targets $f(b)$ and $f(a)$ to the
predictions. SimSiam treats the targets as constants, and then, in this loop, `w` stays near 0.8. Task 6.7 asks where to cut. The quotient that agrees with autograd is now the one that holds the targets still.
"""

# %% [markdown] lang="ko" en="a5a89483"
r"""
loss가 0으로 가지만 `w`도 함께 0으로 갑니다. 모든 이미지의 임베딩이 0이 되어 어느 두 임베딩이나 똑같습니다. 이것을 **붕괴**(collapse)라고 합니다. 학습이 예측값 $h(f(a))$, $h(f(b))$를 목푯값 쪽으로 끌어당기기만 한 것이 아니라, 목푯값 $f(b)$, $f(a)$까지 예측값 쪽으로 끌어당겼기 때문입니다. SimSiam은 목푯값을 상수로 취급합니다. 그러면 이 반복문에서 `w`는 0.8 근처에 머뭅니다. 어디를 끊어야 하는지는 과제 6.7에서 생각해 보세요. 이때 autograd와 일치하는 차분몫은 목푯값을 고정한 차분몫입니다.
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
`autograder check 6 --solution splice`).

</details>

**Only in this lesson:**

- All tensors are `float32` or `float64`.
- A model keeps its training mode unless the task says otherwise.
"""

# %% [markdown] lang="ko" en="cd037d80"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 6 --solution splice`).

</details>

**이 수업에만 있는 규칙:**

- 텐서는 모두 `float32` 또는 `float64`입니다.
- 과제에 다른 말이 없으면 모델의 학습 모드도 그대로 두세요.
"""

# %% [markdown] lang="en"
r"""
## Task 6.1 · `splice`

●●●○○ · ★★★★★ · 9 min · {{points}}

Section 3 for any two functions: with $y = f(x)$ and $z = g(y)$, cut the graph at $y$, and return $\frac{dz}{dx}$ all the same.

- `x` is a tracked leaf of any shape, perhaps empty. `f` makes a tensor of any shape from it (perhaps `x` itself), and `g` makes a single number (shape `()`) from that. $z$ depends on $y$, and $y$ on $x$.
- The cut must be **real**: the tensor that `g` gets has the values, shape and dtype of `y`, but no `grad_fn`. It may share the memory of `y` or be a copy.
- Call `f` and `g` once each.
- Return the gradient, an untracked tensor of its own with the dtype and shape of `x`. **No `.grad` changes**, neither that of `x` nor that of a parameter that
  `f` or `g` uses.

<details><summary>Hint 1: the idea</summary>

You need two backward passes: one from $z$ to the cut, one from $y$ to $x$. The second starts with the result of the first. Lesson 3 had a function that returns gradients and fills no buffer.

</details>

<details><summary>Hint 2: the skeleton</summary>

```
y = f(x)
w = ...                                      # a leaf with the values of y
(v,) = torch.autograd.grad(g(w), w)
(gradient,) = torch.autograd.grad(y, x, ...) # how much does each element of y count?
```

</details>
"""

# %% [markdown] lang="ko" en="dab6b6f1"
r"""
## 과제 6.1 · `splice`

{{marks}}분 · {{points}}

3절에서 한 일을 어떤 두 함수에든 할 수 있게 만드세요. $y = f(x)$, $z = g(y)$일 때 그래프를 $y$에서 끊고, 그래도 $\frac{dz}{dx}$를 돌려주세요.

- `x`는 추적되는 leaf입니다. shape에는 제한이 없고 비어 있을 수도 있습니다. `f`는 `x`로 텐서를 만드는데 그 shape에도 제한이 없고, `x`를 그대로 돌려줄 수도 있습니다. `g`는 그 텐서로 수 하나(shape `()`)를 만듭니다. $z$는 $y$에 따라, $y$는 $x$에 따라 변합니다.
- **실제로** 끊어야 합니다. `g`가 받는 텐서는 값과 shape와 dtype이 `y`와 같지만 `grad_fn`이 없어야 합니다. `y`와 메모리를 함께 써도 되고 복사본이어도 됩니다.
- `f`와 `g`를 한 번씩만 호출하세요.
- gradient를 돌려주세요. dtype과 shape가 `x`와 같고 추적되지 않는 별개의 텐서여야 합니다. **어떤 `.grad`도 바뀌면 안 됩니다.** `x`의 것도, `f`나 `g`가
  쓰는 파라미터의 것도 마찬가지입니다.

<details><summary>힌트 1: 생각의 방향</summary>

역방향 계산이 두 번 필요합니다. 한 번은 $z$에서 끊은 자리까지, 한 번은 $y$에서 $x$까지입니다. 두 번째는 첫 번째에서 얻은 값으로 시작합니다. gradient를 돌려주고 버퍼는 채우지 않는 함수를 수업 03에서 보았습니다.

</details>

<details><summary>힌트 2: 뼈대</summary>

```
y = f(x)
w = ...                                      # 값이 y와 같은 leaf
(v,) = torch.autograd.grad(g(w), w)
(gradient,) = torch.autograd.grad(y, x, ...) # y의 각 원소를 얼마나 반영하나요?
```

</details>
"""


# %% answer="splice"
def splice(f, g, x):
    """Return the gradient of g(f(x)) with respect to x, as a tensor like x. Cut the graph between f and g.

    f: a function from a tensor to a tensor; g: a function from f's result to a single number;
    x: a tracked leaf. Leave every .grad as it is.
    """
    ### BEGIN SOLUTION
    y = f(x)
    w = y.detach().requires_grad_()
    (v,) = torch.autograd.grad(g(w), w)
    (gradient,) = torch.autograd.grad(y, x, grad_outputs=v)
    return gradient
    ### END SOLUTION


# %% test="splice" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("splice")

_TOLERANCE = {"float64": {"rtol": 1e-10, "atol": 1e-12}, "float32": {"rtol": 1e-4, "atol": 1e-4}}


def _compare(f, g, x, c, v, dtype, grad, want, wrong, layout=""):
    numbers = {"c": leaf(c, dtype, grad), "v": leaf(v, dtype, grad)}
    functions = {"f": f"lambda t: {f}", "g": f"lambda t: {g}"}
    arguments = {**numbers, **functions, "x": leaf(x, dtype, grad, layout=layout)}
    answer = ask("splice(f, g, x)", {"noting": ("f", "g")}, **arguments)
    want = tensor(want, dtype)
    mistakes = {**wrong, hint.adds_up: want + (grad or 0)}
    answer.returns(want, mistakes=mistakes, nearly=hint.nearly, **_TOLERANCE[dtype])
    f_calls, g_calls = answer.given("f").result, answer.given("g", "grad_fn").result
    check.equal([len(f_calls), len(g_calls)], [1, 1], answer.call + ": " + hint.once)
    answer.holds([""] in g_calls, hint.whole)
    return answer.changes_nothing(hints={"grad": hint.fills}).is_untracked()


_wrong = {hint.summed: 10.0, hint.half: ([4.0, 7.0, 9.0], 20.0)}
_compare("t * c", "t @ v", 5.0, [2.0, 3.0, 5.0], [4.0, 7.0, 9.0], "float32", None, 74.0, _wrong)
_wrong = {hint.summed: [6.0, -4.0], hint.half: [6.0, -16.0]}
_case = "t**2 * c", "(t**2 * v).sum()", [1.0, 2.0], [3.0, -1.0], [1.0, 2.0], "float64", 9.0
_compare(*_case, [36.0, 64.0], _wrong)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula


def _gradient(f, g, x, c, v):
    x, c, v = tensor(x).requires_grad_(), tensor(c), tensor(v)
    return torch.autograd.grad(formula(g, v=v)(formula(f, c=c)(x)), x)[0]


def _compare_again(f, g, x, c, v, dtype, grad=None, layout=""):
    point, next_point = tensor(x), tensor(x) + 1
    tolerance, torch_dtype = _TOLERANCE[dtype], getattr(torch, dtype)
    want, next_want = (_gradient(f, g, place, c, v).to(torch_dtype) for place in (point, next_point))
    other_want = _gradient(f"-2 * ({f})", g, next_point, c, v).to(torch_dtype)
    sum_gradient, value = _gradient(f, "t.sum()", x, c, v), formula(f, c=tensor(c))(point)
    wrong = {hint.summed: sum_gradient, hint.adds_up: 2 * want + (grad or 0)}
    if value.shape == point.shape:
        wrong[hint.elementwise] = sum_gradient * _gradient("t", g, value, c, v)
    answer = _compare(f, g, x, c, v, dtype, grad, want, wrong, layout)
    answer.given("g", "shape", "dtype").equals([[list(value.shape), dtype]], hint=hint.kind)
    answer.keeps_buffers().owns_its_memory()
    answer.again().returns(want, **tolerance)
    answer.after("x.data += 1").returns(next_want, **tolerance)
    answer.then("splice(lambda t: -2 * f(t), g, x)", hint.other_function).returns(other_want, **tolerance)
    answer.still_returns(want)


for _dtype in ("float64", "float32"):
    _square_matrix, _grads = [check.draws(2, 0.2, 2), check.draws(2, -2, 2)], (None, check.draw(1, 9))
    for _turn, (_f, _g, _x, _c, _v) in enumerate(
        (
            ("t * c", "t @ v", check.draw(-3, 3), check.draws(3, -3, 3), check.draws(3, -3, 3)),
            ("torch.tanh(c * t)", "(t**3 * v).sum()", *(check.draws(3, low, low + 2) for low in (-1, -1, 1))),
            ("t[:, None] * c", "((t * v)**2).sum()", *(check.draws(n, 0.2, 2) for n in (4, 3, 3))),
            ("(c * t).sum()", "v * t**2", *(check.draws(3, 0.2, 2) for _ in range(2)), check.draw(-2, -1)),
            ("t**2 + c * t", "(v * t).sum()", _square_matrix, check.draws(2, 0.2, 2), check.draw(1, 2)),
        ),
        _dtype == "float32",
    ):
        check.smallest(_compare_again, _f, _g, _x, _c, _v, _dtype, _grads[_turn % 2])
    _top, _bottom, _c, _v = (check.draws(3, 0.2, 2) for _ in range(4))
    check.smallest(_compare_again, "t.sum(0) * c", "t @ v", [_top, _bottom], _c, _v, _dtype, 4.0, "slice")
    check.smallest(_compare_again, "t.cumsum(1) * c", "(t**2 * v).sum()", [_top], _c, _v, _dtype)
    check.smallest(_compare_again, "t", "(t**2 * v).sum()", check.draws(3, -3, 3), 1.0, _v, _dtype)
    check.smallest(
        _compare_again, "c * t", "(v * t).sum()", 0.0, check.draw(-3, -1), check.draw(1, 3), _dtype
    )
    _compare_again("c * t", "(v * t).sum()", [], 2.0, 3.0, _dtype)
    _compare_again("c * t", "(v * t).sum()", torch.empty(0, 3), 2.0, 3.0, _dtype, 4.0)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 6.2 · `sgd_step_`

●●○○○ · ★★★★★ · 6 min · {{points}}

Make one step of gradient descent: move each parameter `p` by `-lr * p.grad`, **in place**. (Names of in-place functions end in an underscore.)

- `params` holds one or more tracked leaves, each once: a list, a tuple, or a generator such as `model.parameters()`. Their shapes and dtypes may differ. A parameter may be part of a larger tensor or transposed, so not contiguous in memory.
- A parameter whose `.grad` is `None` stays where it is.
- `lr` is a number, 0 or larger.
- Afterwards each parameter is the same tensor object, still a tracked leaf, and its new values are in the **same memory**, so that whatever shares it, like `p.detach()`, sees them. In `float64` they must be right to 10 digits.
- The step leaves no graph. The gradients stay as they are: resetting the buffers is not this function's job. Return nothing.

Any means will do, `p.data` too (lesson 7 shows its danger).

<details><summary>Hint 1: the idea</summary>

Section 7: what happens outside `no_grad`, and what does `p = p - ...` do to the tensor that the model holds?

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

This doubles every non-leaf tensor of a list, in its own memory and without a record:

```
with torch.no_grad():
    for t in tensors:
        if not t.is_leaf:
            t *= 2
```

</details>
"""

# %% [markdown] lang="ko" en="5d6b2725"
r"""
## 과제 6.2 · `sgd_step_`

{{marks}}분 · {{points}}

경사 하강법(gradient descent)을 한 스텝 실행하세요. 파라미터 `p`마다 `-lr * p.grad`만큼 **제자리에서** 값을 옮깁니다. (제자리 함수의 이름은 밑줄로 끝납니다.)

- `params`에는 추적되는 leaf가 하나 이상, 한 번씩만 들어 있습니다. 리스트나 튜플일 수도 있고 `model.parameters()` 같은 제너레이터(generator)일 수도 있습니다. shape와 dtype은 저마다 다를 수 있습니다. 원소가 메모리에 나란히 있지 않을 수도 있습니다. 더 큰 텐서의 일부이거나 전치한 파라미터가 그렇습니다.
- `.grad`가 `None`인 파라미터는 그대로 둡니다.
- `lr`은 0 이상의 수입니다.
- 끝난 뒤에도 파라미터는 같은 텐서 객체이고, 추적되는 leaf입니다. 새 값은 **같은 메모리**에 있어야 합니다. 그래야 `p.detach()`처럼 그 메모리를 함께 쓰는 텐서에서도 새 값이 보입니다. `float64`이면 10자리까지 맞아야 합니다.
- 이 스텝은 그래프를 남기지 않아야 합니다. gradient는 그대로 둡니다. 버퍼를 비우는 것은 이 함수가 할 일이 아닙니다. 아무것도 돌려주지 않습니다.

어떤 방법이든 됩니다. `p.data`도 되지만, 그것이 왜 위험한지는 수업 07에서 봅니다.

<details><summary>힌트 1: 생각의 방향</summary>

7절을 보세요. `no_grad` 밖에서는 어떻게 되나요? `p = p - ...`라고 쓰면 모델이 가지고 있는 텐서는 어떻게 되나요?

</details>

<details><summary>힌트 2: 같은 생각을 다른 문제에</summary>

다음 코드는 리스트에서 leaf가 아닌 텐서를 모두, 기록하지 않고 같은 메모리에서 두 배로 만듭니다.

```
with torch.no_grad():
    for t in tensors:
        if not t.is_leaf:
            t *= 2
```

</details>
"""


# %% answer="sgd_step_"
def sgd_step_(params, lr):
    """Move each parameter in place by -lr times its .grad. Return nothing.

    A parameter whose .grad is None stays where it is.

    params: a list, a tuple or a generator of tracked leaves; lr: a number, 0 or larger.
    """
    ### BEGIN SOLUTION
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
    ### END SOLUTION


# %% test="sgd_step_" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("sgd_step_")

_HELP = {"leaf": hint.in_place, "ambig": hint.truth, "generator": hint.generator, "None": hint.none}


def _compare(call, leaves, grads, expected, before=(), still=hint.still, skipped=hint.skipped):
    before = [*(f"second_{name} = {name}.detach()" for name in leaves), *before]
    list_code, pairs = f"[{', '.join(leaves)}]", ((name, f"second_{name}") for name in leaves)
    options = {"before": "; ".join(before), "errors": _HELP, "ahead": (list_code, *sum(pairs, ()))}
    answer = ask(call, options, **leaves)
    state = answer.then(list_code).result
    any_moved = any(not p.equal(leaf.value) for p, leaf in zip(state, leaves.values(), strict=True))
    for name, grad, want in zip(leaves, grads, expected, strict=True):
        start, dtype = leaves[name].value, str(leaves[name].value.dtype)[6:]
        want, slope = tensor(want, dtype), tensor(0.0 if grad is None else grad, dtype)
        wrong = {skipped if any_moved else still: start, hint.uphill: 2 * start - want}
        wrong |= {hint.no_lr: start - slope, hint.twice: 2 * want - start}
        answer.then(name).returns(want, mistakes=wrong, nearly=hint.nearly)
        answer.then(f"second_{name}").returns(want, hint=hint.apart)
    moves = [("value", name) for name, grad in zip(leaves, grads, strict=True) if grad is not None]
    return answer.changes_nothing(but=moves).holds(answer.result is None, hint.nothing)


_leaves = {"p": leaf(2.0, grad=4.0), "q": leaf(5.0), "r": leaf(2.0, grad=4.0)}
_compare("sgd_step_([p, q, r], 0.1)", _leaves, [4.0, None, 4.0], [1.6, 5.0, 1.6])
_leaves = {"p": leaf([1.0, -2.0], grad=0.5), "q": leaf([[3.0]]), "r": leaf(2.0, grad=-4e4)}
_call, _expected = "sgd_step_((t for t in [p, q, r]), 0.3)", [[0.85, -2.15], [[3.0]], 12002.0]
_compare(_call, _leaves, [0.5, None, -4e4], _expected, still=hint.used)
check.visible_passed()
### BEGIN HIDDEN TESTS


def _compare_with_reference(form, lr, dtypes, values, grads, layout=""):
    rows = list(zip("pqrs", dtypes, values, grads, strict=False))
    leaves = {name: leaf(value, dtype, layout=layout) for name, dtype, value, _ in rows}
    expected = [tensor(value) - lr * tensor(0.0 if grad is None else grad) for *_, value, grad in rows]
    names, still = ", ".join(leaves), hint.used if " for " in form else hint.still
    before = [f"held = [{names}]"]
    for name, *_, grad in rows:
        if grad is not None:
            before.append(f"{name}.grad = torch.tensor({grad}, dtype={name}.dtype)")
    causes = [hint.copied] * 2 if layout else [still, hint.skipped]
    answer = _compare(f"sgd_step_({form.format(names)}, {lr})", leaves, grads, expected, before, *causes)
    are_leaves = answer.then("all(t.is_leaf and t.requires_grad for t in held)")
    answer.holds(are_leaves.result, hint.leaf)
    if "params" in form:
        same_list = answer.then("[*map(id, params)] == [*map(id, held)]")
        answer.holds(same_list.result, hint.listed)


for _form in ("params := [{}]", "tuple([{}])", "(t for t in [{}])"):
    for _dtype in ("float64", "float32"):
        _start, _slope = check.draw(-3, 3), check.draw(-3, 3)
        check.smallest(_compare_with_reference, _form, check.draw(0.01, 2), [_dtype], [_start], [_slope])
        _values, _slopes = [check.draws(3, -3, 3), _start], [check.draws(3, -3, 3), None]
        check.smallest(_compare_with_reference, _form, check.draw(0.01, 2), [_dtype] * 2, _values, _slopes)
        _rows = [check.draws(2, -3, 3) for _ in range(3)]
        _values = [check.draw(1, 3), check.draw(-3, -1), _rows]
        _slopes = [check.draw(1, 3), None, [row[::-1] for row in _rows]]
        check.smallest(_compare_with_reference, _form, 1, [_dtype, "float64", "float32"], _values, _slopes)
        _pairs = [_rows, check.draws(2, 1, 3)], [_rows, check.draws(2, 1, 3)]
        for _layout in ("slice", "transposed"):
            check.smallest(
                _compare_with_reference, _form, check.draw(0.1, 1), [_dtype, "float64"], *_pairs, _layout
            )
    # A gradient that contains a 0, or whose elements sum to 0, must not be skipped.
    _pair = [[1.0, -2.0], [3.0, 0.5]]
    _compare_with_reference(_form, 0.5, ["float64", "float32"], _pair, [[0.0, 2.0], [3.0, -3.0]])
    _compare_with_reference(_form, 0, ["float64"] * 2, [1.0, 2.0], [3.0, 4.0])
    _compare_with_reference(_form, 0.0123456789, ["float64"] * 2, [1.0, 2.0], [3e4, -5e3])
    _compare_with_reference(_form, 0.5, ["float64"] * 2, [1.0, 2.0], [None, None])
_empty = tensor([]).reshape(0, 3)
_compare("sgd_step_([p], 1)", {"p": leaf(_empty, grad=4.0)}, [4.0], [_empty], ["assert p.shape == (0, 3)"])
_steps = ask("[sgd_step_([p], 0.5) for _ in range(3)]", p=leaf([1.0, -2.0], grad=2.0)).then("p")
_steps.returns(tensor([-2.0, -5.0]), hint=hint.steps)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 6.3 · `evaluate`

●●●○○ · ★★★★★ · 9 min · {{points}}

Return `model(x)` as it should be computed once training is over: with `Dropout` and `BatchNorm` of every kind, at any depth, in evaluation mode, and with nothing recorded.

- `model` is an `nn.Module`, `x` a tensor, tracked or not; the result depends on `x`. Call the model once.
- Afterwards **every module of `model.modules()`** has its own mode back, even where these modes differ. A module used in two places
  has one mode. So note all modes first, and put each back with `module.training = mode`: `module.train(mode)` also changes the modules inside.
- This holds even when `model(x)` raises an error, which must reach the caller.
- **No graph is recorded while the model runs.** Detaching the finished result is too late: the memory has been spent. Gradient mode afterwards is what it was, after an error too.
- The result is an ordinary untracked tensor, not an inference tensor: a tracked computation may use it later. A model may return a tracked `x` itself (`nn.Dropout` in evaluation mode) or a view of it (`nn.Flatten`): even under `no_grad` these are tracked, and your result must not be. It may share the memory of `x`.
- A right result, with nothing recorded, gives one point; leaving the model as it was gives the other.

<details><summary>Hint 1: the idea</summary>

You need two independent switches (section 6). One of them has to be put back module by module: `model.train()` sets all modules alike.

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

This runs `work()` with all lamps off, and then gives each its own brightness back, whatever happens:

```
before = {lamp: lamp.brightness for lamp in house.lamps()}
try:
    house.switch_off()
    return work()
finally:
    for lamp, brightness in before.items():
        lamp.brightness = brightness
```

</details>
"""

# %% [markdown] lang="ko" en="1ef2032f"
r"""
## 과제 6.3 · `evaluate`

{{marks}}분 · {{points}}

학습이 끝난 뒤에 쓰는 방식대로 `model(x)`를 계산해서 돌려주세요. 종류와 깊이에 상관없이 `Dropout`과 `BatchNorm`은 모두 평가 모드이고, 아무것도 기록하지 않습니다.

- `model`은 `nn.Module`이고 `x`는 텐서입니다. `x`는 추적되는 텐서일 수도, 아닐 수도 있습니다. 결과는 `x`에 따라 달라집니다. 모델은 한 번만 호출하세요.
- 끝난 뒤에는 가장 바깥뿐 아니라 **`model.modules()`의 모든 모듈**이 저마다 처음의 모드로 돌아와 있어야 합니다. 모델의 일부는 평가 모드이고 나머지는 학습 모드였더라도 그렇습니다.
  두 곳에서 함께 쓰는 모듈은 모드가 하나뿐인 한 모듈입니다. 그러니 모드를 바꾸기 전에 모두 적어 두고, 되돌릴 때는 `module.training`에 직접 넣으세요. `module.train(mode)`는 안쪽 모듈까지 바꿉니다.
- `model(x)`에서 오류가 나도 그래야 하고, 그 오류는 호출한 쪽에 전달되어야 합니다.
- **모델이 계산하는 동안 그래프를 기록하지 않습니다.** 계산이 끝난 뒤에 결과를 끊으면 늦습니다. 메모리는 이미 쓴 다음입니다. 끝난 뒤의 gradient 모드는 오류가 났을 때도 처음과 같아야 합니다.
- 결과는 추적되지 않는 보통 텐서(inference 텐서가 아닌)이고, 나중에 추적되는 계산에 쓸 수 있어야 합니다. 모델이 추적되는 `x` 자체(평가 모드의 `nn.Dropout`)나 `x`의 뷰(`nn.Flatten`)를 돌려줄 때도 그렇습니다. 모델이 돌려준 이런 텐서는 `no_grad` 안에서도 추적됩니다(`requires_grad`가 `True`). 결과는 `x`와 메모리를 함께 써도 됩니다.
- 기록하지 않고 맞는 결과를 내면 1점, 모델을 처음 상태로 두면 1점입니다.

<details><summary>힌트 1: 생각의 방향</summary>

서로 상관없는 스위치 두 개가 필요합니다(6절). 하나는 모듈마다 따로 되돌려야 합니다. `model.train()`은 모두 똑같이 바꾸어 버립니다.

</details>

<details><summary>힌트 2: 같은 생각을 다른 문제에</summary>

다음 코드는 전등을 모두 끄고 `work()`를 실행한 다음, 무슨 일이 있어도 전등마다 원래 밝기로 되돌립니다.

```
before = {lamp: lamp.brightness for lamp in house.lamps()}
try:
    house.switch_off()
    return work()
finally:
    for lamp, brightness in before.items():
        lamp.brightness = brightness
```

</details>
"""


# %% answer="evaluate"
def evaluate(model, x):
    """Return model(x), computed in evaluation mode, as an untracked tensor.

    Record no graph. Afterwards every module has the mode that it had before.
    """
    ### BEGIN SOLUTION
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            return model(x).detach()
    finally:
        for module, mode in modes.items():
            module.training = mode
    ### END SOLUTION


# %% test="evaluate" points=2
from secant import PartialCredit, ask, check, hints, leaf, tensor

hint = hints("evaluate")
_credit = PartialCredit(result=1, modes=1)

_HOOK = "model[2].register_forward_pre_hook(lambda _, x: seen.append(x[0].requires_grad))"


def _compare(layer, numbers, x, dtype, want, wrong, modes="model.train()", setup="", **arguments):
    model = f"nn.Sequential(nn.Linear(2, 3), {layer}, nn.Linear(3, 1))"
    arguments |= {"numbers": tensor(numbers, dtype), "model": f"graphs.filled({model}, numbers)"}
    options = {"before": f"seen = []; {_HOOK}; {modes}{setup}", "below": f"model = {model}"}
    options["words"] = f"evaluate(model, x={x}), {dtype}, {modes}"
    answer = ask("result = evaluate(model, x)", options, x=tensor(x, dtype), **arguments)
    random_hint = hint.random if "Dropout" in layer else ""
    answer.returns(tensor(want, dtype), mistakes={hint.of_batch: wrong}, hint=random_hint)
    answer.holds(not answer.then("any(seen)").result, hint.recorded).is_untracked(hint.tracked)
    return answer.holds(not answer.then("result.is_inference()").result, hint.refused)


_first, _last = [1.0, 2.0, -1.0, 1.0, 0.5, 0.0, 0.0, 1.0, 2.0], [1.0, -1.0, 2.0, 0.5]
_norm, _x = [*_first, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0, *_last], [[1.0, 1.0], [2.0, -1.0]]
_dropout = "nn.Sequential(nn.AlphaDropout(0.5))"
_setup = "model.training = model[1].training = model[2].training = False"
_setup += "; model[0].bias.requires_grad_(False); model[0].bias.grad = torch.ones(3)"
with _credit.part("result"):
    _compare("nn.BatchNorm1d(3, eps=1e-10)", _norm, _x, "float64", [[8.5], [12.5]], [[-0.5], [5.5]])
    ask("evaluate(model, x)", model="nn.Dropout(0.5)", x=leaf([1.0])).is_untracked(hint.tracked)
_TRY = "on = None\ntry: evaluate(m, torch.ones(3))\nexcept ValueError: on = torch.is_grad_enabled()"
with _credit.part("modes"):
    _compare(_dropout, _first + _last, _x, "float32", [[7.5], [8.5]], 0.0, _setup).changes_nothing()
    _answer = ask("m.training, on", {"before": _TRY}, m="nn.BatchNorm1d(3)")
    _wrong = {hint.left_off: ((True, False),), hint.swallowed: ((True, None),)}
    _answer.equals((True, True), mistakes=_wrong, hint=hint.faulty)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
_MODES = "[module.training for module in model.modules()]"
_SETTINGS = "[vars(module).get('p', vars(module).get('momentum')) for module in model.modules()]"
_STATS = """
for buffer, numbers in zip(model.buffers(), stats):
    buffer.copy_(numbers)
"""
_FAULTY_HOOK = """
model[2].register_forward_pre_hook(lambda *_: 1 / 0)
reached = False
try:
    evaluate(model, torch.ones(2, 2))
except ZeroDivisionError:
    reached = True
recording = torch.is_grad_enabled()
torch.set_grad_enabled(True)
"""
_SKIP = """
class Skip(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.drop = nn.Linear(2, 2), nn.Dropout(0.5)
    def forward(self, x):
        return x + self.drop(self.layer(x))
model = graphs.filled(Skip(), numbers)
model.register_forward_hook(lambda module, given, out: 2 * out)
"""


def _values(numbers, stats, x, use_batch):
    W, b, *norm, V, a = tensor(numbers).split([6, 3, 3, 3, 3, 1] if stats else [6, 3, 3, 1])
    hidden = tensor(x) @ W.reshape(3, 2).T + b
    if stats:
        (gain, shift), (mean, var) = norm, map(tensor, stats)
        mean, var = (hidden.mean(0), hidden.var(0, unbiased=False)) if use_batch else (mean, var)
        hidden = (hidden - mean) / (var + 1e-5).sqrt() * gain + shift
    return hidden @ V.reshape(3, 1) + a


def _compare_with_reference(part, layer, numbers, stats, x, dtype, modes, tracked=False):
    want, wrong = (_values(numbers, stats, x, use_batch) for use_batch in (False, True))
    setup = f"{_STATS}x.requires_grad_({tracked}); settings = {_SETTINGS}"
    stats = [tensor(row, dtype) for row in stats]
    answer = _compare(layer, numbers, x, dtype, want, wrong, modes, setup, stats=stats)
    check.equal(answer.then("len(seen)").result, 1, answer.call + ": " + hint.times)
    if part == "modes":
        answer.changes_nothing()
        answer.holds(answer.then(f"settings == {_SETTINGS}").result, hint.settings)


def _draw_case(layer, rows):
    W, b, V, a = (check.draws(n, low, 2) for n, low in ((6, -2), (3, 0.5), (3, 0.5), (1, -1)))
    gain, shift, mean, var = (check.draws(3, low, low + 1.5) for low in (0.5, -1, -1, 0.5))
    norm, stats = (gain + shift, [mean, var]) if "Batch" in layer else ([], [])
    return layer, W + b + norm + V + a, stats, [check.draws(2, 0.5, 2) for _ in range(rows)]


_SHARED = "nn.Sequential(nn.Linear(2, 3), nn.Sequential(drop), nn.Sequential(drop, nn.Linear(3, 1)))"


def _compare_shared(part, numbers, x, modes):
    arguments = {"x": tensor(x), "numbers": tensor(numbers), "drop": "nn.Dropout(0.5)"}
    model_code = f"drop = nn.Dropout(0.5); model = {_SHARED}"
    options = {"before": modes, "words": f"evaluate(model, x={x}), {modes}", "below": model_code}
    answer = ask("evaluate(model, x)", options, **arguments, model=f"graphs.filled({_SHARED}, numbers)")
    answer.returns(_values(numbers, [], x, False), hint=hint.random).is_untracked(hint.tracked)
    if part == "modes":
        answer.changes_nothing(hints={"training": hint.shared})
        for statement in ("model.train(); model[0].eval()", "model.eval(); model[0].train()"):
            answer = answer.after(statement).changes_nothing(hints={"training": hint.noted})


_partial_train = "model.eval(); model.training = model[1].training = True"
_all_modes = (
    "model.train()",
    "model.eval()",
    "model[1].eval()",
    "model.eval(); model[1].train()",
    _partial_train,
)
_deep_train = "model.eval(); model[0].training = model[1][0][0].training = True"
_words = f"evaluate(model, x=[1, -1]), {hint.skip}"
_skip_options, _numbers = {"before": _SKIP, "words": _words}, tensor([1.0, 2.0, -1.0, 3.0, 0.5, 1.0])
_rows = [[1.0, -2.0], [-3.0, 4.0]]
_image_layers = "nn.Unflatten(1, (2, 1, 1)), {}, nn.Flatten(0)"
for _part in ("result", "modes"):
    with _credit.part(_part):
        for _layer, _row_count in (("nn.Dropout(0.5)", 1), ("nn.BatchNorm1d(3)", 2)):
            for _modes in _all_modes:
                for _dtype in ("float64", "float32"):
                    check.smallest(
                        _compare_with_reference, _part, *_draw_case(_layer, 4), _dtype, _modes, True
                    )
                    check.smallest(
                        _compare_with_reference, _part, *_draw_case(_layer, _row_count), _dtype, _modes
                    )
        for _modes in ("model.train()", "model.eval()", "model[1][0][0].eval()", _deep_train):
            _case = _draw_case(f"nn.Sequential({_dropout})", 9)
            check.smallest(_compare_with_reference, _part, *_case, "float32", _modes)
        for _modes in ("model.train()", "model.eval(); drop.train()", "drop.eval()"):
            _, _weights, _, _x = _draw_case(_SHARED, 8)
            check.smallest(_compare_shared, _part, _weights, _x, _modes)
        _answer = ask("evaluate(model, x)", _skip_options, numbers=_numbers, x=tensor([1, -1]))
        _answer.returns(tensor([1.0, -8.0]), hint=hint.called)
        if _part == "modes":
            _answer.then(_MODES).equals([True] * 3, hint=hint.noted)
        for _layer in (
            "nn.Identity()",
            "nn.Dropout2d(0.5)",
            "nn.FeatureAlphaDropout(0.5)",
            "nn.BatchNorm2d(2, 1e-30)",
        ):
            _model = f"nn.Sequential({_image_layers.format(_layer)})"
            _answer = ask("evaluate(model, x)", model=_model, x=leaf(_rows, "float32", grad=check.draw(1, 9)))
            _answer.returns(tensor(_rows, "float32").flatten(), hint=hint.kinds).is_untracked(hint.tracked)
            if _part == "modes":
                _answer.changes_nothing()
_model = "nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.Linear(3, 1))"
_words = f"evaluate(model, x), {hint.raises} ZeroDivisionError, {_partial_train}: {_MODES}"
_options = {"before": _partial_train + _FAULTY_HOOK, "words": _words, "below": f"model = {_model}"}
with _credit.part("modes"):
    _modes_answer = ask(_MODES, _options, model=_model)
    _error_reached, _grad_enabled = _modes_answer.then("reached, recording").result
    _modes_answer.holds(_error_reached, hint.swallowed).equals([True, False] * 2, hint=hint.faulty)
    _modes_answer.holds(_grad_enabled, hint.left_off)
    _options = {"before": "model[1].register_forward_hook(lambda *_: None)"}
    _model = "nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5))"
    _answer = ask("evaluate(model, x)", _options, model=_model, x=tensor([1.0, 2.0], "float32"))
    _answer.changes_nothing(hints={"hooks": hint.hooks})
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 6.4 · `stop_gradient`

●○○○○ · ★★★☆☆ · 3 min · {{points}}

For the program `f = x * (x**2).detach()`, predict two numbers: the slope that autograd reports, and the slope of the function that `f` computes, where the quotient goes.

- `x` is a number, `float` or `int`, between -100 and 100.
- Return a tuple of two numbers `(autograd, truth)`, right to 12 significant digits. A formula in Python floats gives about 16, a difference quotient too few. Any way is allowed.

<details><summary>Hint 1: the idea</summary>

The explorer of section 4 shows both at any $x$ from 0.5 to 3.5. What does each of them hold still?

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

For `x**2 * x.detach()` autograd treats the second factor as a constant $c$. The slope of $c\,x^2$ is $2\,c\,x$, and $c$ is $x$.

</details>
"""

# %% [markdown] lang="ko" en="89b2c91f"
r"""
## 과제 6.4 · `stop_gradient`

{{marks}}분 · {{points}}

프로그램 `f = x * (x**2).detach()`에 대해 두 수를 예상하세요. 하나는 autograd가 구하는 기울기, 하나는 `f`가 계산하는 함수의 기울기(참값)입니다. 차분몫은 둘째로 다가갑니다.

- `x`는 -100 이상 100 이하의 수(`float` 또는 `int`)입니다.
- 수 두 개가 든 튜플 `(autograd, truth)`를 유효 숫자 12자리까지 맞게 돌려주세요. 파이썬의 float로 식을 계산하면 16자리쯤 맞지만, 차분몫으로는 모자랍니다. 어떤 방법으로 구해도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

4절의 탐색기에서 0.5부터 3.5까지 어떤 $x$에서든 두 수를 볼 수 있습니다. 각각 무엇을 고정하고 있나요?

</details>

<details><summary>힌트 2: 같은 생각을 다른 문제에</summary>

`x**2 * x.detach()`라면 autograd는 둘째 인수를 상수 $c$로 봅니다. $c\,x^2$의 기울기는 $2\,c\,x$이고 $c$는 $x$입니다.

</details>
"""


# %% answer="stop_gradient"
def stop_gradient(x):
    """Return a tuple of two numbers: autograd's slope and the true slope of x * (x**2).detach() at x.

    x: a number.
    """
    ### BEGIN SOLUTION
    return x**2, 3 * x**2
    ### END SOLUTION


# %% test="stop_gradient" points=1
from secant import ask, check, hints

hint = hints("stop_gradient")


def _compare(x, autograd, truth):
    wrong = {
        hint.blind: ((truth, truth),),
        hint.gullible: ((autograd, autograd),),
        hint.order: ((truth, autograd),),
        hint.other: ((2 * autograd, truth),),
        hint.value: ((autograd * x, autograd * x), (autograd, autograd * x)),
        hint.one: ((0.0, truth),),
    }
    tol = {"rtol": 1e-11, "atol": 1e-20}
    answer = ask("stop_gradient(x)", x=x)
    answer.returns((autograd, truth), mistakes=wrong, nearly=hint.nearly, **tol).changes_nothing()
    answer.again().returns((autograd, truth), **tol).changes_nothing()


_decimals = 0.123456, 0.015241383936, 0.045724151808
for _x, _autograd, _truth in ((2.0, 4.0, 12.0), (-3, 9.0, 27.0), (0, 0.0, 0.0), _decimals):
    _compare(_x, _autograd, _truth)
check.visible_passed()
### BEGIN HIDDEN TESTS


def _compare_at(x):
    _compare(x, float(x * x), 3.0 * x * x)


_draws = (*check.draws(3, -3, -0.1), *check.draws(3, 0.1, 3), check.draw(10, 90))
for _x in (1, -1.0, 0.1, -10, *_draws, 1 / 3, -2 / 7, 1.2345e-5, -100, 100.0):
    check.smallest(_compare_at, _x)
_compare_at(0)
_compare_at(0.0)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 6.5 · `running_loss`

●●○○○ · ★★★★☆ · 4 min · {{points}}

A training loop wants to report its loss. Call `step()` `n` times and return the sum of the losses, without keeping anything alive that is not needed.

- `step` takes no argument, trains for one step and returns a tracked loss with a single element, of shape `()` or `(1,)`. Training is its job: leave recording on while it runs, and run no backward pass yourself.
- `n` is an `int`, 0 or larger. Call `step` exactly `n` times.
- Return a plain number, not a tensor; for `n = 0` it is 0. Add in float64 (Python floats are easiest), also where the losses are `float32`.
- While `step` runs, the graph of **at most one** earlier loss may still be in memory, and none after your function has returned. The sum and the memory give one point each.

<details><summary>Hint 1: the idea</summary>

What does `total` keep alive after `total = total + loss` (section 8)? Which part of it do you need?

</details>

<details><summary>Hint 2: three ways to add</summary>

`total += loss`, `total += loss.detach()` and `total += loss.item()`: one keeps every graph alive, one adds tensors in their own dtype. And which name still holds the last loss, the one that may stay, when `step` runs again?

</details>
"""

# %% [markdown] lang="ko" en="47985929"
r"""
## 과제 6.5 · `running_loss`

{{marks}}분 · {{points}}

학습 반복문에서 loss의 합을 출력하려고 합니다. `step()`을 `n`번 호출하고 돌려받은 loss의 합을 돌려주세요. 필요 없는 것을 메모리에 붙잡아 두지 마세요.

- `step`은 인자 없이 호출하고, 한 스텝 학습한 다음 원소가 하나인 추적되는 loss를 돌려줍니다. shape는 `()` 또는 `(1,)`입니다. 학습은 `step`이 하므로 `step`이 실행되는 동안 기록을 켜 두고, 역방향 계산은 직접 하지 마세요.
- `n`은 0 이상의 `int`입니다. `step`을 정확히 `n`번 호출하세요.
- 텐서가 아니라 파이썬의 수를 돌려주세요. `n`이 0이면 0입니다. loss가 `float32`여도 float64의 정밀도로 더하세요(파이썬 수가 가장 쉽습니다).
- `step`이 실행되는 동안 앞선 loss의 그래프는 **많아야 하나**만 메모리에 남아 있을 수 있고, 함수가 끝나면 하나도 남지 않아야 합니다. 합과 메모리가 각각 1점입니다.

<details><summary>힌트 1: 생각의 방향</summary>

`total = total + loss` 다음에 `total`은 무엇을 붙잡고 있나요(8절)? 그중 필요한 것은 무엇인가요?

</details>

<details><summary>힌트 2: 더하는 방법 세 가지</summary>

`total += loss`, `total += loss.detach()`, `total += loss.item()` 가운데 하나는 그래프를 모두 붙잡고, 하나는 텐서를 그 dtype 그대로 더합니다. 그리고 다음 `step`을 호출하는 순간에도 직전 loss를 가리키고 있는 변수는 무엇인가요? (직전 것 하나는 남아 있어도 됩니다.)

</details>
"""


# %% answer="running_loss"
def running_loss(step, n):
    """Return the sum of the losses from n calls of step(), as a plain number. Keep no graph alive."""
    ### BEGIN SOLUTION
    total = 0.0
    for _ in range(n):
        total += step().item()
    return total
    ### END SOLUTION


# %% test="running_loss" points=2
from secant import PartialCredit, ask, check, hints, leaf

hint = hints("running_loss")
_credit = PartialCredit(sum=1, memory=1)

_STEP = """
modes, alive, marks = [], [], __import__('weakref').WeakSet()
def step():
    modes.append(torch.is_grad_enabled()), alive.append(len(marks))
    loss = w.exp().reshape(shape) * losses[(len(alive) - 1) % len(losses)]
    loss.grad_fn and marks.add(loss.grad_fn.metadata.setdefault('alive', lambda: None))
    return loss
"""


def _compare(part, losses, n, dtype, shape, want, last):
    words = f"running_loss(step, {n}), {dtype}, losses = {losses}, shape = {shape}"
    arguments = {"losses": losses, "shape": shape, "w": leaf(0.0, dtype)}
    answer = ask(f"running_loss(step, {n})", {"before": _STEP, "words": words}, **arguments)
    modes, alive, remaining = answer.then("modes, alive, len(marks)").result
    check.equal(len(alive), n, words + ": " + hint.times)
    answer.holds(all(modes), hint.off)
    wrong, tol = {hint.last: last, hint.mean: want / max(n, 1)}, 1e-12 if part == "sum" else 1e-2
    answer.returns(want, mistakes=wrong, nearly=hint.nearly, rtol=tol, atol=tol)
    if part == "memory":
        answer.holds(max(alive, default=0) <= 1, f"{hint.alive}: {alive[:12]}", hint.held)
        answer.holds(not remaining, hint.left)
    return answer.changes_nothing(hints={"grad": hint.filled})


for _part in ("sum", "memory"):
    with _credit.part(_part):
        _compare(_part, [4.0, 9.0, 2.0], 3, "float64", (), 15.0, 2.0)
        _compare(_part, [0.1, 0.7], 100, "float32", (1,), 39.99999947845936, 0.699999988079071)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
from secant import tensor


def _compare_with_sum(part, losses, n, dtype, shape=()):
    values = tensor([losses[k % len(losses)] for k in range(n)], dtype).tolist()
    _compare(part, losses, n, dtype, shape, float(sum(values)), values[-1] if values else 0.0)


# A step() that really trains: each call halves w.
_UPDATE = "loss.backward(inputs=[w]), w.data.sub_(0.25 * w.grad), setattr(w, 'grad', None)"
_TRAINING_STEP = f"lambda: (loss := w**2, {_UPDATE})[0]"
for _part in ("sum", "memory"):
    with _credit.part(_part):
        for _dtype in ("float64", "float32"):
            for _shape in ((), (1,)):
                check.smallest(_compare_with_sum, _part, check.draws(4, -3, 3), 4, _dtype, _shape)
                check.smallest(_compare_with_sum, _part, check.draws(5, 0.1, 3), 3, _dtype, _shape)
                check.smallest(_compare_with_sum, _part, [check.draw(0.1, 3)], 1, _dtype, _shape)
                check.smallest(_compare_with_sum, _part, check.draws(3, 0.1, 3), 200, _dtype, _shape)
                _compare_with_sum(_part, [1.0], 0, _dtype, _shape)
                _compare_with_sum(_part, [0.0, 5.0], 2, _dtype, _shape)
        _compare_with_sum(_part, [16777216.0, 1.0], 50, "float32")
        for _n in (0, 1, 5):
            _words = f"running_loss(step, {_n}), {hint.trains}"
            _answer = ask(f"running_loss(step, {_n})", {"words": _words}, w=leaf(3.0), step=_TRAINING_STEP)
            _answer.returns(float(sum(9.0 * 0.25**k for k in range(_n))), rtol=1e-6)
            _answer.changes_nothing(but=[("value", "w")])
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 6.6 · `freeze_first`

●●●○○ · ★★★★☆ · 8 min · {{points}}

Fill the gradients of every layer but the first: run the backward pass from the loss `model(x).sum()`, with `model[0]` frozen.

- `model` is an `nn.Sequential` with two or more layers, which may have names (`model[0]` is the first all the same) and consist of several layers themselves. No two layers share a parameter, and every parameter is used. `x` is a leaf, tracked or not. At least one parameter outside `model[0]`, or `x`, is tracked. No layer raises an error. **Run the model once**, whole or layer by layer.
- The gradient of the loss is added to the `.grad` of every tracked parameter outside `model[0]`, as `backward()` does. **No `.grad` inside `model[0]` changes**: what is there stays, as the same tensor. Emptying it is the caller's job.
- If `x` is tracked, its gradient is added to `x.grad` in the same way: the path to `x` leads **through** the frozen layer.
- Afterwards every `requires_grad` is what it was before, frozen parameters included. Return nothing.

<details><summary>Hint 1: the idea</summary>

`no_grad` around the first layer would cut the path to `x` (section 6). Switch off the layer's parameters instead. Whatever you switch off must be switched on again, but only that.

</details>

<details><summary>Hint 2: the skeleton</summary>

```
frozen = [...]   # which parameters may you switch off, and on again afterwards?
for p in frozen:
    p.requires_grad_(False)
...
for p in frozen:
    p.requires_grad_(True)
```

</details>
"""

# %% [markdown] lang="ko" en="9749f79a"
r"""
## 과제 6.6 · `freeze_first`

{{marks}}분 · {{points}}

첫 층을 뺀 모든 층의 gradient를 채우세요. `model[0]`을 동결(freeze)한 채 loss인 `model(x).sum()`에서 역방향 계산을 시작하세요.

- `model`은 층이 둘 이상인 `nn.Sequential`입니다. 층에 따로 이름이 있을 수도 있는데, 그래도 `model[0]`은 첫 층입니다. 층 하나가 다시 여러 층으로 되어 있을 수도 있습니다. 두 층이 함께 쓰는 파라미터는 없고, 모든 파라미터가 loss 계산에 쓰입니다. `x`는 leaf이고, 추적되는 텐서일 수도, 아닐 수도 있습니다. `model[0]` 밖의 파라미터나 `x` 가운데 적어도 하나는 추적됩니다. 오류를 내는 층은 없습니다. **모델은 한 번만 실행하세요.** `model`을 호출해도 되고, 층을 차례로 호출해도 됩니다.
- `model[0]` 밖에 있는 추적되는 파라미터의 `.grad`에는 `backward()`가 하듯 loss의 gradient를 더합니다. **`model[0]` 안의 `.grad`는 하나도 바뀌지 않습니다.** 들어 있던 것은 그대로 있어야 합니다(복사본을 되돌려 넣는 것이 아니라 같은 텐서여야 합니다). 비우는 것은 호출한 쪽이 할 일입니다.
- `x`가 추적되면 `x.grad`에도 마찬가지로 더합니다. `x`까지 가는 경로는 동결한 층을 **지나갑니다**.
- 끝난 뒤 모든 `requires_grad`는 처음과 같아야 합니다. 이미 동결되어 있던 파라미터도 마찬가지입니다. 아무것도 돌려주지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

첫 층을 `no_grad`로 감싸면 `x`까지 가는 경로가 끊깁니다(6절). 대신 첫 층의 파라미터를 끄세요. 끈 것은 다시 켜야 합니다. 단, 끈 것만 켭니다.

</details>

<details><summary>힌트 2: 뼈대</summary>

```
frozen = [...]   # 껐다가 다시 켜도 되는 파라미터는 어느 것인가요?
for p in frozen:
    p.requires_grad_(False)
...
for p in frozen:
    p.requires_grad_(True)
```

</details>
"""


# %% answer="freeze_first"
def freeze_first(model, x):
    """Run the backward pass from model(x).sum() with model[0] frozen.

    The pass adds to the .grad of the other layers' tracked parameters, and of x if x is tracked.
    """
    ### BEGIN SOLUTION
    frozen = [p for p in model[0].parameters() if p.requires_grad]
    for p in frozen:
        p.requires_grad_(False)
    model(x).sum().backward()
    for p in frozen:
        p.requires_grad_(True)
    ### END SOLUTION


# %% test="freeze_first" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("freeze_first")

_GRADS = "{**{f'model.{name}': p.grad for name, p in model.named_parameters()}, 'x': x.grad}"


def _compare(layers, numbers, x, dtype, slopes, before, grad=None, size=1, setup="", **arguments):
    arguments |= {"numbers": tensor(numbers, dtype), "x": leaf(x, dtype, grad)}
    arguments["model"] = f"graphs.filled(nn.Sequential({layers}), numbers, {grad})"
    words = f"freeze_first(model, x={x}), {dtype}, .grad = {grad}, {before}"
    below = f"model = nn.Sequential({layers})"
    options = {"before": f"{before}\n{setup}", "ahead": (_GRADS,), "words": words, "below": below}
    answer = ask("freeze_first(model, x)", options, **arguments)
    grads = answer.then(_GRADS, words=words).is_untracked(hint.graph).result
    for kind, name in answer.seen["changes"]:
        if kind == "grad" and name.split(".")[:2] == next(iter(grads)).split(".")[:2]:
            text = hint.emptied if grads[name] is None else hint.not_frozen
            check.refuse(f"{words}: {name}.grad\n    {below}", text)
    for name, slope in slopes.items():
        call, text = f"{words}: {name}.grad\n    {below}", hint.cut if name == "x" else hint.nothing
        check.holds(grads[name] is not None, call, text)
        new, old = tensor(slope, dtype), grad or 0.0
        wrong = {hint.alone: new, hint.mean: new / size + old, hint.twice: 2 * new + old, text: old}
        answer.named(lambda call=call: call, grads[name]).returns(new + old, mistakes=wrong)
    return answer.changes_nothing(but=[("grad", name) for name in slopes])


_layers, _numbers = "nn.Linear(2, 1), nn.ReLU(), nn.Linear(1, 1)", [1.0, 0.5, 0.5, 2.0, 1.0]
_grads = {"model.2.weight": [[3.0]], "model.2.bias": [2.0], "x": [[2.0, 1.0], [2.0, 1.0]]}
_compare(_layers, _numbers, [[0.5, 1.0], [1.5, -1.0]], "float32", _grads, "model[2].eval()", 3.0, 2)
_layers = "nn.Sequential(nn.Sequential(nn.Linear(2, 1), nn.PReLU())), nn.Linear(1, 1)"
_flags = "model[0][0][0].bias.requires_grad = model[1].bias.requires_grad = x.requires_grad = False"
_prelu_numbers, _grads = [1.0, 0.5, 0.5, 0.25, 2.0, 1.0], {"model.1.weight": [[-0.375]]}
_compare(_layers, _prelu_numbers, [[-2.5, 1.0]], "float64", _grads, _flags)
check.visible_passed()
### BEGIN HIDDEN TESTS
from itertools import pairwise

import torch


_SETUP = """
calls = []
model[0].register_forward_hook(lambda *_: calls.append(1))
objects = [*model.modules(), *model.parameters()]
flags = [p.requires_grad for p in model.parameters()]
"""
_IS_UNCHANGED = (
    "[*map(id, [*model.modules(), *model.parameters()])] == [*map(id, objects)] "
    "and [p.requires_grad for p in model.parameters()] == flags"
)


def _build_layers(sizes, nested):
    """Return the code of Linears with a Tanh between each two, and the position of each Linear in the model.

    nested: the number of layers, from the first on, that form an inner nn.Sequential.
    """
    layers = [layer for n, m in pairwise(sizes) for layer in (f"nn.Linear({n}, {m})", "nn.Tanh()")][:-1]
    places = [f"0.{k}" if k < nested else str(k - max(nested - 1, 0)) for k in range(0, len(layers), 2)]
    first = [f"nn.Sequential({', '.join(layers[:nested])})"] if nested else []
    return ", ".join(first + layers[nested:]), places


def _expected_gradients(sizes, numbers, x):
    """Return the gradients of the loss with respect to the parameters, in their order, and to x."""
    shapes = [shape for n, m in pairwise(sizes) for shape in ((m, n), (m,))]
    parts = tensor(numbers).split([torch.Size(shape).numel() for shape in shapes])
    leaves = [part.reshape(shape).requires_grad_() for part, shape in zip(parts, shapes, strict=True)]
    out = start = tensor(x).requires_grad_()
    for k in range(0, len(leaves), 2):
        out = (torch.tanh(out) if k else out) @ leaves[k].T + leaves[k + 1]
    return torch.autograd.grad(out.sum(), [*leaves, start])


def _compare_with_autograd(sizes, nested, numbers, x, dtype, frozen, grad):
    layers, places = _build_layers(sizes, nested)
    names = [f"model.{place}.{part}" for place in places for part in ("weight", "bias")]
    untracked = [{**dict(zip("WbVa", names, strict=False)), "x": "x"}[letter] for letter in frozen]
    slopes = dict(zip([*names, "x"], _expected_gradients(sizes, numbers, x), strict=True))
    tracked_slopes = {n: s for n, s in slopes.items() if n not in untracked and not n.startswith("model.0.")}
    tensors = ["x" if name == "x" else f"model.get_parameter('{name[6:]}')" for name in untracked]
    before = "; ".join(["model[-1].eval()", *(f"{code}.requires_grad_(False)" for code in tensors)])
    answer = _compare(layers, numbers, x, dtype, tracked_slopes, before, grad, len(x) * sizes[-1], _SETUP)
    check.holds(answer.result is None, answer.call, hint.returned)
    check.equal(answer.then("len(calls)").result, 1, answer.call, hint=hint.once)
    answer.holds(answer.then(_IS_UNCHANGED).result, hint.replaced)


def _draw_inputs(sizes, rows):
    ranges = [size for n, m in pairwise(sizes) for size in ((n * m, 1.0), (m, 0.5))]
    numbers = [number for count, bound in ranges for number in check.draws(count, -bound, bound)]
    return numbers, [check.draws(sizes[0], -1, 1) for _ in range(rows)]


_SHAPES = (
    ([1, 1, 1], 0),
    ([2, 3, 1], 0),
    ([3, 2, 4], 2),
    ([2, 3, 2, 3], 0),
    ([2, 3, 2, 1], 3),
    ([2, 3, 2, 2], 2),
)
for _dtype, _first_frozen, _second_frozen in (("float64", "", "x"), ("float32", "x", "")):
    for _sizes, _nested in _SHAPES:
        for _rows, _grad, _frozen in ((3, None, _first_frozen), (1, check.draw(1, 9), _second_frozen)):
            _case = _sizes, _nested, *_draw_inputs(_sizes, _rows)
            check.smallest(_compare_with_autograd, *_case, _dtype, _frozen, _grad)
    for _frozen in ("W", "b", "a", "Wb", "ba", "Wba"):
        _case = [2, 3, 2], 0, *_draw_inputs([2, 3, 2], 2)
        check.smallest(
            _compare_with_autograd, *_case, _dtype, _frozen + _first_frozen, 2.0 if _first_frozen else None
        )
_extra_arguments = {"OrderedDict": "__import__('collections').OrderedDict"}
_layers = "nn.Sequential(OrderedDict(fc=nn.Linear(1, 1)))"
_layers = f"OrderedDict(fc=nn.Linear(2, 1), bend=nn.ReLU(), fc2={_layers})"
_grads = {"model.fc2.fc.weight": [[3.0]], "model.fc2.fc.bias": [2.0], "x": [[2.0, 1.0], [2.0, 1.0]]}
_rows = [[0.5, 1.0], [1.5, -1.0]]
_compare(_layers, _numbers, _rows, "float64", _grads, "model[0].eval()", size=2, **_extra_arguments)
_layers = "nn.Linear(2, 1), nn.Linear(1, 1, bias=False), nn.PReLU()"
_grads = {"model.1.weight": [[0.375]], "model.2.weight": [-3.0], "x": [[-0.5, -0.25]]}
_prelu_numbers = [1.0, 0.5, 0.5, -2.0, 0.25]
_compare(_layers, _prelu_numbers, [[0.5, 1.0]], "float64", _grads, "model[2].eval()", grad=3.0)
# This Dropout drops everything in training mode, and nothing in evaluation mode.
_arguments = {"numbers": tensor([2.0, 1.0, 0.5]), "x": leaf([[0.5, 1.0]])}
_arguments["model"] = "graphs.filled(nn.Sequential(nn.Flatten(), nn.Dropout(1.0), nn.Linear(2, 1)), numbers)"
for _mode, _want in (("train", [[0.0, 0.0]]), ("eval", [[2.0, 1.0]])):
    _answer = ask("freeze_first(model, x)", {"before": f"model[1].{_mode}()"}, **_arguments)
    _answer.then("x.grad").returns(tensor(_want), hint=hint.mode)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 6.7 · `agreement_loss`

●●●●○ · ★★★★★ · 8 min · {{points}}

The loss of section 10 for any two functions, with the cut that prevents the collapse. Its value is

$$\textstyle\frac12\operatorname{mean}\big((h(f(a)) - f(b))^2\big) + \frac12\operatorname{mean}\big((h(f(b)) - f(a))^2\big).$$

- The gradient must flow **through the predictions** $h(f(a))$ and $h(f(b))$, to everything that `h` and `f` use, and **not through the targets** $f(b)$ and $f(a)$. It is the slope of the function in which both targets are held still.
- `f` and `h` make a tensor from a tensor, perhaps that tensor itself, and may use tracked tensors. `a` and `b` are tensors with one or more elements, tracked or not; where they are tracked, the gradient flows to them in the same way. At least one tensor behind the predictions is tracked. All tensors share a dtype; embeddings and predictions share a shape. The mean is over all elements.
- Call `f` once with `a` and once with `b`, and `h` once with each result.
- Return the loss, a tracked tensor of shape `()`, in `float64` right to 10 digits. The caller runs the backward pass.

With your function in the loop of section 10, `w` stays near 0.8.

<details><summary>Hint 1: the idea</summary>

Each $f(\cdot)$ is used twice, once for a prediction and once as a target: two paths, as in section 4. Which of the four uses do you cut?

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

`z * z.detach()` uses the same tensor twice, once cut and once not, so half of the gradient of $z^2$ flows back. `z = z.detach()` before the product would cut both.

</details>
"""

# %% [markdown] lang="ko" en="c2434d06"
r"""
## 과제 6.7 · `agreement_loss`

{{marks}}분 · {{points}}

10절의 loss를 어떤 두 함수에든 쓸 수 있게, 붕괴하지 않도록 끊어서 만드세요. loss의 값은 다음과 같습니다.

$$\textstyle\frac12\operatorname{mean}\big((h(f(a)) - f(b))^2\big) + \frac12\operatorname{mean}\big((h(f(b)) - f(a))^2\big)$$

- gradient는 예측값 $h(f(a))$, $h(f(b))$를 **지나서** `h`와 `f`가 쓰는 모든 텐서에 가야 하고, 목푯값 $f(b)$, $f(a)$를 **지나면 안 됩니다**. 곧 두 목푯값을 고정한 함수의 기울기여야 합니다.
- `f`와 `h`는 텐서를 받아 텐서를 돌려주는 함수입니다. 받은 텐서를 그대로 돌려줄 수도 있고, 추적되는 다른 텐서를 쓸 수도 있습니다. `a`와 `b`는 원소가 하나 이상인 텐서이고, 추적되는 텐서일 수도, 아닐 수도 있습니다. 추적되면 gradient는 거기에도 같은 방식으로 갑니다. 예측값을 계산하는 데 쓴 텐서 가운데 적어도 하나는 추적됩니다. 텐서의 dtype은 모두 같고, 두 임베딩과 두 예측값의 shape도 모두 같습니다. 평균은 모든 원소에 대한 것입니다.
- `f`는 `a`와 `b`로 한 번씩, `h`는 그 결과로 한 번씩 호출하세요.
- loss를 돌려주세요. shape가 `()`인 추적되는 텐서이고, `float64`이면 10자리까지 맞아야 합니다. 역방향 계산은 호출한 쪽에서 합니다.

이 함수를 10절의 반복문에 넣으면 `w`가 0.8 근처에 머뭅니다.

<details><summary>힌트 1: 생각의 방향</summary>

$f(\cdot)$의 결과는 두 번씩 쓰입니다. 한 번은 예측값을 만드는 데, 한 번은 목푯값으로 쓰여서 4절처럼 경로가 두 개입니다. 네 곳 가운데 어디를 끊어야 할까요?

</details>

<details><summary>힌트 2: 같은 생각을 다른 문제에</summary>

`z * z.detach()`는 같은 텐서를 한 번은 끊고 한 번은 끊지 않고 씁니다. 그래서 $z^2$의 gradient 가운데 절반만 돌아옵니다. 곱하기 전에 `z = z.detach()`라고 쓰면 둘 다 끊깁니다.

</details>
"""


# %% answer="agreement_loss"
def agreement_loss(f, h, a, b):
    """Return half the mean squared difference of h(f(a)) and f(b), plus half that of h(f(b)) and f(a).

    f, h: functions from a tensor to a tensor; a, b: tensors. Gradients flow only through h(f(a)) and h(f(b)).
    """
    ### BEGIN SOLUTION
    z_a, z_b = f(a), f(b)
    from_a, from_b = h(z_a), h(z_b)
    return ((from_a - z_b.detach()) ** 2).mean() / 2 + ((from_b - z_a.detach()) ** 2).mean() / 2
    ### END SOLUTION


# %% test="agreement_loss" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("agreement_loss")


def _compare(f, h, inputs, loss, slopes, tolerance=None):
    """loss: the right one, then wrong ones keyed by hint; slopes: the same for each gradient."""
    functions = {"f": f"lambda t: {f}", "h": f"lambda t: {h}"}
    answer = ask("loss = agreement_loss(f, h, a, b)", {"noting": ("f", "h")}, **functions, **inputs)
    call_counts = [len(answer.given(name).result) for name in "fh"]
    check.equal(call_counts, [2, 2], answer.call + ": " + hint.times)
    want, wrong = loss
    answer.returns(want, mistakes=wrong, nearly=hint.nearly)
    answer.is_tracked(hint.all_cut).changes_nothing()
    for name, (slope, wrong) in slopes.items():
        got = answer.gradient(name, "None")
        got.holds(got.result is not None, hint.unreached)
        got.returns(slope, mistakes=wrong, hint=hint.held, **(tolerance or {}))
    return answer


_inputs = {"w": leaf(1.0), "v": leaf(3.0), "a": tensor(1.0), "b": tensor(2.0)}
_loss = tensor(13.0), {hint.halves: tensor(26.0), hint.one_way: (0.5, 1.0), hint.itself: 10.0}
_w = tensor(33.0), {hint.uncut: 26.0, hint.swapped: -7.0, hint.one_cut: (28.0, 31.0)}
_compare("w * t", "v * t", _inputs, _loss, {"w": _w, "v": (tensor(11.0), {})})
_inputs |= {"a": leaf([1.0, 0.0, 1.0, 0.0], grad=5.0), "b": tensor([0.0, 2.0, 0.0, 0.0])}
_loss = tensor(7.5), {hint.sum: tensor(30.0), hint.halves: tensor(15.0)}
_a = tensor([2.25, -1.5, 2.25, 0.0]), {hint.uncut: tensor([2.5, -3.0, 2.5, 0.0])}
_compare("w * t", "v * t", _inputs, _loss, {"a": _a})
check.visible_passed()
### BEGIN HIDDEN TESTS
from functools import partial

import torch

from secant import formula

_STEP = 1e-5
_TOLERANCE = {"float64": {"rtol": 1e-6, "atol": 1e-7}, "float32": {"rtol": 1e-3, "atol": 1e-3}}


def _halves(f, h, values, targets=None):
    """Return both terms of the loss.

    targets: f(a) and f(b), to hold both targets constant; None to compute them from the values.
    """
    z_a, z_b = (formula(f, **values)(values[view]) for view in "ab")
    target_a, target_b = targets or (z_a, z_b)
    from_a, from_b = (formula(h, **values)(z) for z in (z_a, z_b))
    return ((from_a - target_b) ** 2).mean() / 2, ((from_b - target_a) ** 2).mean() / 2


def _quotients(f, h, values, name, targets):
    """Return the central quotient of the loss with respect to each element of values[name]."""
    value = values[name]
    steps = _STEP * torch.eye(value.numel(), dtype=value.dtype)
    ends = (
        [
            sum(_halves(f, h, {**values, name: value + sign * step.reshape(value.shape)}, targets))
            for step in steps
        ]
        for sign in (1, -1)
    )
    forward, backward = map(torch.stack, ends)
    return ((forward - backward) / (2 * _STEP)).reshape(value.shape)


def _mistakes(gradient, *arguments):
    uncut_gradient = _quotients(*arguments, None).to(gradient.dtype)
    return {hint.uncut: uncut_gradient, hint.swapped: uncut_gradient - gradient}


def _compare_with_quotients(f, h, a, b, w, v, dtype, tracked, grad=None):
    numbers, torch_dtype = {"w": w, "v": v, "a": a, "b": b}, getattr(torch, dtype)
    values = {name: tensor(number) for name, number in numbers.items()}
    targets = tuple(formula(f, **values)(values[view]) for view in "ab")
    first, second = (half.to(torch_dtype) for half in _halves(f, h, values))
    loss = first + second, {hint.halves: 2 * (first + second), hint.one_way: (first, second)}
    slopes = {}
    for name in tracked:
        gradient = _quotients(f, h, values, name, targets).to(torch_dtype)
        slopes[name] = gradient, partial(_mistakes, gradient, f, h, values, name)
    inputs = {name: leaf(numbers[name], dtype, tracked=False) for name in numbers}
    inputs |= {name: leaf(numbers[name], dtype, grad) for name in tracked}
    answer = _compare(f, h, inputs, loss, slopes, _TOLERANCE[dtype]).keeps_buffers()
    answer.again().returns(loss[0])
    opposite_loss = sum(_halves(f, f"-({h})", values)).to(torch_dtype)
    other_answer = answer.then("agreement_loss(f, lambda t: -h(t), a, b)")
    other_answer.returns(opposite_loss, mistakes={hint.kept: loss[0]}, nearly=hint.nearly)
    next_loss = sum(_halves(f, h, values | {"a": values["a"] + 1})).to(torch_dtype)
    answer.after("a.data += 1").returns(next_loss, nearly=hint.nearly)


def _draw_rows(count, size):
    return [check.draws(size, -2, 2) for _ in range(count)]


_weights_only, _all_tracked = ("wv", None), ("wvab", check.draw(1, 9))
for _dtype, _first_options, _second_options in (
    ("float64", _weights_only, _all_tracked),
    ("float32", _all_tracked, _weights_only),
):
    _numbers = (check.draw(low, low + 1) for low in (-2, 0.5, 1, 2.5))
    check.smallest(_compare_with_quotients, "w * t", "v * t", *_numbers, _dtype, *_first_options)
    _numbers = (check.draws(3, 0.2, 2) for _ in range(4))
    check.smallest(_compare_with_quotients, "w * t", "torch.tanh(t) + v", *_numbers, _dtype, *_second_options)
    _numbers = _draw_rows(4, 2), _draw_rows(4, 2), _draw_rows(2, 3), _draw_rows(3, 3)
    check.smallest(_compare_with_quotients, "torch.tanh(t @ w)", "t @ v", *_numbers, _dtype, *_first_options)
    _centred = "t @ w - (t @ w).mean(0)"
    check.smallest(_compare_with_quotients, _centred, "torch.sin(t @ v)", *_numbers, _dtype, *_second_options)
    for _f, _h, _tracked in (
        ("t", "v * t", "va"),
        ("w * t", "t", "wb"),
        ("t", "t", "a"),
        ("w * t", "2 * t", "w"),
    ):
        _numbers = (check.draws(2, low, low + 1) for low in (-2, 0.5, 1.5, 2.5))
        check.smallest(_compare_with_quotients, _f, _h, *_numbers, _dtype, _tracked, 4.0)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **6.1** Several `f` and `g`: results with one element, as many as `x`, or more; an `f` that uses its argument twice, adds elements up, or returns `x` itself; scalar, matrix-shaped (one row, too) and empty `x`, and a leaf whose memory is part of a larger tensor;
  full buffers of `x` and of parameters; two calls in a row, another `f`, another `x`; whether `g` gets a tensor without a history; both dtypes, 10 digits.
- **6.2** Lists, tuples and generators; parameters of different shapes and dtypes, empty, sliced and transposed ones; some or all without a `.grad`; gradients of 0 and large ones; `lr` 0, an `int`, and one with many digits; three steps in a row; 10 digits; the return value; whether objects, memory and gradients are the caller's.
- **6.3** Models with Dropout and BatchNorm of several kinds, with layers inside layers, with a layer that belongs to two others, a model that is not an `nn.Sequential` and has a hook, and a model that returns a view of `x`, in several modes; tracked and untracked `x`; both dtypes; a model that raises, and gradient mode afterwards; other modes at the next call; the layers' settings afterwards; what is recorded while the model runs, and what may be done with the result.
- **6.4** Other `x`: negative, `int`, 0, and the ends of the range; 12 digits.
- **6.5** Losses of both dtypes and shapes, negative and 0; `n` from 0 to 200, type of the sum; a `step` that trains; `float32` losses whose sum loses digits; graphs alive at each step and at the end.
- **6.6** Models of two and three linear layers, some inside another, without a bias, or with names that begin alike; a first layer without parameters; one row and several; tracked and untracked `x`; full buffers, also of `x`; parameters frozen already, anywhere; how often the model runs; the return value; layers, parameters, flags and modes afterwards.
- **6.7** Several `f` and `h`, each of them also `t` itself; vectors and matrices, tracked or not; both dtypes; the value, to 10 digits, and each gradient beside the quotient that holds the targets still; full buffers; two calls in a row, another `h`, another `a`; how often `f` and `h` are called.

</details>

Everywhere: the rules of every task.

## What you have built

You now have two pieces of what lesson 10 builds. `splice` has shown that a backward pass can resume at any value whose gradient is known, as every value of lesson 10 will do. And `sgd_step_` is the step that your training loop will take.

## Checklist

You can now answer these without looking back:

- `w = y.detach()`: what do `w` and `y` share, and what do they not?
- How does a gradient get across a cut?
- The quotient goes to 12 and autograd says 4, at every small $h$. What do you look for?
- Which switches do you set for inference, and what does each of them do?
- How do you freeze a layer without cutting the path to the layers before it?
- A loss has a prediction and a target, both computed by the same network. What do you cut, and what happens if you do not?

## Links

- [PyTorch: Autograd mechanics, locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
- [PyTorch: torch.Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
- [PyTorch: torch.no_grad](https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html)
- [PyTorch: torch.inference_mode](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html)
- [PyTorch: Frequently asked questions, on memory that a running total holds](https://docs.pytorch.org/docs/stable/notes/faq.html)
- [A real bug: Fix SN not backprop via sigma(W)](https://github.com/pytorch/pytorch/pull/7905)
- [Chen and He: Exploring simple Siamese representation learning (SimSiam)](https://arxiv.org/abs/2011.10566)

Next: [Lesson 07](../07_inside_backward/07_inside_backward.ipynb), inside backward: saved tensors, in-place edits, hooks.
"""

# %% [markdown] lang="ko" en="29ae96cb"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **6.1** 여러 가지 `f`와 `g`. `f`의 결과가 원소 하나일 때, 원소 수가 `x`와 같을 때, 더 많을 때. 인자를 두 번 쓰는 `f`, `x`의 원소를 더하는 `f`, `x`를 그대로 돌려주는 `f`. 스칼라, 행렬 모양(행이 하나일 때도), 비어 있는 `x`, 메모리가 더 큰 텐서의 일부인 leaf.
  이미 값이 들어 있는 `x`와 파라미터의 버퍼. 두 번 이어 호출하기, 다른 `f`, 다른 `x`. `g`가 계산 기록이 없는 텐서를 받는지. 두 가지 dtype, 10자리까지.
- **6.2** 리스트, 튜플, 제너레이터. shape와 dtype이 저마다 다른 파라미터, 비어 있는 것과 다른 텐서의 일부(슬라이스)인 것과 전치한 것. `.grad`가 일부 또는 모두 없을 때. 0인 gradient와 큰 gradient. 0이나 `int`인 `lr`, 자릿수가 많은 `lr`. 세 번 이어 호출하기. 10자리까지. 돌려주는 값. 객체와 메모리와 gradient가 호출한 쪽의 것 그대로인지.
- **6.3** 여러 종류의 Dropout이나 BatchNorm이 든 모델, 층 안에 층이 있는 모델, 한 층이 두 곳에 들어 있는 모델, `nn.Sequential`이 아니고 hook이 걸린 모델, `x`의 뷰를 돌려주는 모델과 여러 가지 모드 조합. 추적되는 `x`와 추적되지 않는 `x`. 두 가지 dtype. 오류를 내는 모델과 그 뒤의 gradient 모드. 모드를 바꾸고 다시 호출하기. 끝난 뒤의 층 설정. 모델이 계산하는 동안 기록되는 것, 결과를 나중에 쓸 수 있는지.
- **6.4** 다른 `x`: 음수, `int`, 0, 범위의 양 끝. 12자리까지. 타입.
- **6.5** 두 가지 dtype과 shape의 loss, 음수와 0. 0부터 200까지의 `n`과 합의 타입. 학습하는 `step`. `float32`로 더하면 자릿수를 잃는 `float32` loss의 합. 스텝마다, 그리고 끝난 뒤에 남아 있는 그래프의 수.
- **6.6** 선형 층이 두 개, 세 개인 모델. 다른 층 안에 든 층, `bias`가 없는 층, 이름의 앞부분이 서로 같은 층. 파라미터가 없는 첫 층. 한 행과 여러 행. 추적되는 `x`와 추적되지 않는 `x`. 이미 값이 들어 있는 버퍼(`x`의 것도). 모델의 어느 부분이든 이미 동결된 파라미터. 모델을 실행한 횟수와 돌려주는 값. 끝난 뒤의 층, 파라미터, `requires_grad`, 모드.
- **6.7** 여러 가지 `f`와 `h`. 둘 다 `t`를 그대로 돌려줄 수도 있습니다. 벡터와 행렬, 추적되는 것과 추적되지 않는 것. 두 가지 dtype. 10자리까지 맞는 loss의 값, 그리고 gradient마다 목푯값을 고정한 차분몫과 같은지. 이미 값이 들어 있는 버퍼. 두 번 이어 호출하기, 다른 `h`, 다른 `a`. `f`와 `h`를 호출한 횟수.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서 만들 것 가운데 두 조각이 생겼습니다. `splice`에서는 gradient만 있으면 어느 텐서에서든 역방향 계산을 이어 갈 수 있다는 것을 보았습니다. 수업 10의 `Value`도 자기가 받은 gradient를 그렇게 이어서 넘겨줍니다. 그리고 `sgd_step_`이 하는 일은 수업 10의 학습 반복문이 스텝마다 하는 일입니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `w = y.detach()`라고 하면 `w`와 `y`는 무엇을 함께 쓰고 무엇을 함께 쓰지 않나요?
- gradient는 끊은 자리를 어떻게 건너가나요?
- $h$를 줄이면 차분몫은 12로 다가가는데 autograd의 값은 늘 4입니다. 무엇을 찾아보아야 하나요?
- 학습이 끝난 모델을 쓸 때 어떤 스위치를 켜고 끄나요? 각각 무엇을 하나요?
- 앞쪽 층까지 가는 경로를 끊지 않고 층을 동결하려면 어떻게 하나요?
- loss에 들어가는 예측값과 목푯값을 같은 네트워크로 계산합니다. 무엇을 끊어야 하고, 끊지 않으면 어떻게 되나요?

## 더 읽을거리

- [PyTorch: Autograd mechanics, gradient 계산을 부분적으로 끄기 (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
- [PyTorch: torch.Tensor.detach (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
- [PyTorch: torch.no_grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html)
- [PyTorch: torch.inference_mode (영어)](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html)
- [PyTorch: 자주 묻는 질문, 합계가 붙잡는 메모리에 관하여 (영어)](https://docs.pytorch.org/docs/stable/notes/faq.html)
- [실제로 있었던 버그: Fix SN not backprop via sigma(W) (영어)](https://github.com/pytorch/pytorch/pull/7905)
- [Chen·He: Exploring simple Siamese representation learning (SimSiam, 영어 논문)](https://arxiv.org/abs/2011.10566)

다음은 [수업 07](../07_inside_backward/07_inside_backward.ipynb), backward 속 들여다보기: 저장된 텐서, 제자리 연산, hook입니다.
"""
