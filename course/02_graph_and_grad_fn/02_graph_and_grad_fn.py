# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# The computational graph and grad_fn

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · graph, grad_fn, leaf

**After this lesson you can**

- tell a leaf, a constant leaf and an intermediate tensor apart, and say which of them gets a `.grad`;
- picture the graph that a few lines of code record, and traverse it node by node;
- say how the difference quotients of single steps make up that of a whole chain, and derive the chain rule from that;
- say what a backward pass frees, and for which results a second `backward()` works.

You need Lesson 01.
"""

# %% [markdown] lang="ko" en="018ec0d5"
r"""
# 계산 그래프와 grad_fn

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · 계산 그래프, grad_fn, leaf

**이 수업을 마치면**

- leaf, 상수 leaf, 중간 텐서를 구별하고, 그중 어느 것에 `.grad`가 생기는지 말할 수 있습니다.
- 코드 몇 줄이 남긴 계산 그래프(computational graph)를 머릿속에 그리고, 노드(node)를 하나씩 따라갈 수 있습니다.
- 연산마다 구한 차분몫(difference quotient)과 사슬 전체의 차분몫이 어떤 관계인지 설명하고, 여기서 연쇄 법칙(chain rule)을 이끌어 낼 수 있습니다.
- 역방향 계산(backward pass)이 무엇을 지우는지, 어떤 결과에서 `backward()`를 두 번 호출할 수 있는지 말할 수 있습니다.

수업 01을 먼저 마치세요.
"""

# %%
import warnings

import torch

import secant
from secant import draw_graph, expect_error, explore_chain, language, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

Three operations form a chain: $z = 3x$, then $y = z + 1$, then $\text{loss} = y^2$. The bar is the difference quotient of the whole chain,
$\Delta\text{loss}/\Delta x$: the slope of a secant of the curve $(3x + 1)^2$ for a step $\Delta x = h$. The line across the bar is autograd's gradient. The
first two rows below the picture are the two numbers. (Ignore the right plot and *each operation* for now: they come in section 3.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="8a0ec3ce"
r"""
## 먼저 보기

연산 세 개가 사슬(chain)처럼 이어집니다. $z = 3x$, 이어서 $y = z + 1$, 이어서 $\text{loss} = y^2$입니다. 막대는 사슬 전체의 차분몫
$\Delta\text{loss}/\Delta x$, 곧 곡선 $(3x + 1)^2$에서 간격이 $\Delta x = h$인 할선의 기울기입니다. 막대를 가로지르는 선은 autograd의 gradient입니다. 두 값은
그림 아래 처음 두 줄에 나옵니다. (오른쪽 그림과 *연산마다*는 3절에서 다루니 지금은 그대로 두세요.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_chain(by_step=False).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient of the whole chain goes to autograd's gradient, $6(3x + 1)$, as $h$ gets small: the two differ by $9h$, whatever $x$ is. This lesson is about what PyTorch records
of such a chain, and how the gradient comes out of that record.

</details>

## Predict first

Three questions. Choose an answer to each before you read on. The lesson comes back to them, and they are not graded.

**One.** `x` is a tracked tensor. Here are four one-line programs:

```
y = x - 1          y = -x          y = 2 * x          y = x ** 3
```

After each program we call `y.backward()` twice, both times without arguments. For which of the four does the second call fail?
"""

# %% [markdown] lang="ko" en="93732280"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 사슬 전체의 차분몫이 autograd의 gradient, 곧 $6(3x + 1)$에 다가갑니다. 둘의 차이는 $x$가 얼마든 $9h$입니다. 이 수업에서는 PyTorch가 이런 사슬에서 무엇을
기록하는지, 그 기록에서 gradient를 어떻게 구하는지 살펴봅니다.

</details>

## 먼저 예상하기

문제가 세 개 있습니다. 하나씩 답을 고르고 나서 계속 읽으세요. 답은 뒤에서 다시 다루며, 점수에는 들어가지 않습니다.

**첫째.** `x`는 추적되는 텐서입니다. 한 줄짜리 프로그램이 네 개 있습니다.

```
y = x - 1          y = -x          y = 2 * x          y = x ** 3
```

프로그램마다 이어서 `y.backward()`를 인자 없이 두 번 호출합니다. 두 번째 호출에서 오류가 나는 것은 넷 가운데 어느 것일까요?
"""

# %%
secant.predict(
    "2 second backward",
    A=say(en="all four", ko="네 개 모두"),
    B=say(en="only `x ** 3`", ko="`x ** 3` 하나만"),
    C=say(en="`2 * x` and `x ** 3`", ko="`2 * x`와 `x ** 3`"),
    D=say(en="none of them", ko="하나도 없음"),
)

# %% [markdown] lang="en"
r"""
**Two.** PyTorch records a computation as a graph. Each operation becomes a *node*, a point of the graph. There are nodes at the ends
of the graph too, where `x` enters. How many nodes does the graph of $z = \log(x^3) + \sqrt{x^2}$ have?
"""

# %% [markdown] lang="ko" en="07cc8c72"
r"""
**둘째.** PyTorch는 계산을 그래프로 기록합니다. 연산 하나가 그래프의 꼭짓점, 곧 *노드* 하나가 됩니다. 그래프에서 `x` 쪽 끝에도
노드가 있습니다. $z = \log(x^3) + \sqrt{x^2}$의 그래프에는 노드가 몇 개 있을까요?
"""

# %%
secant.predict("2 nodes", A="5", B="6", C="7")

# %% [markdown] lang="en"
r"""
**Three.** Take the chain of the first look, $z = 3x$, $y = z + 1$, $\text{loss} = y^2$. Move $x$ from $2$ to $3$, which is not a small step. Each
of the three operations has a difference quotient, and so has the whole chain. Multiply the three quotients. Is the product the quotient of the whole
chain?
"""

# %% [markdown] lang="ko" en="2ab93359"
r"""
**셋째.** 맨 앞에서 본 사슬 $z = 3x$, $y = z + 1$, $\text{loss} = y^2$에서 $x$를 $2$에서 $3$으로 옮깁니다. 작은 간격이 아닙니다. 연산마다
차분몫을 구할 수 있고, 사슬 전체의 차분몫도 구할 수 있습니다. 세 연산의 차분몫을 곱하면 전체의 차분몫이 될까요?
"""

# %%
secant.predict(
    "2 product",
    A=say(
        en="only approximately: the chain rule holds for very small steps",
        ko="비슷할 뿐이다. 연쇄 법칙은 아주 작은 간격에서만 맞는다",
    ),
    B=say(
        en="only approximately: the square is not a straight line",
        ko="비슷할 뿐이다. 제곱은 일차 함수가 아니다",
    ),
    C=say(en="exactly", ko="정확히 같다"),
)

# %% [markdown] lang="en"
r"""
## 1. Three kinds of tensor

Take the function of lesson 1 again, $z = \log x^3$ at $x = 5$, this time in two steps. `tensor_info` reads six attributes of each tensor:

- `requires_grad`: whether the tensor is tracked; `is_leaf`: whether it is a leaf;
- `retains_grad`: whether `backward()` will keep the gradient of this tensor although it is not a leaf;
- `grad_fn`: what was recorded about the operation that made the tensor;
- `grad`: the gradient that is stored with the tensor, or `None`;
- the value itself.

First without tracking:
"""

# %% [markdown] lang="ko" en="3978cd71"
r"""
## 1. 텐서의 세 종류

수업 01의 함수 $z = \log x^3$을 $x = 5$에서 이번에는 두 단계로 나누어 계산합니다. `tensor_info`는 텐서마다 여섯 가지를 읽어서 보여 줍니다.

- `requires_grad`: 추적되는 텐서인지. `is_leaf`: leaf인지.
- `retains_grad`: leaf가 아닌데도 `backward()`가 이 텐서의 gradient를 남길 것인지.
- `grad_fn`: 이 텐서를 만든 연산에 대해 기록한 것.
- `grad`: 이 텐서에 저장된 gradient. 없으면 `None`.
- 텐서의 값.

먼저 추적하지 않을 때입니다.
"""

# %%
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(tensor_info(x=x, y=y, z=z))

# %% [markdown] lang="en"
r"""
Three values and no history. Now track `x`, and change nothing else.
"""

# %% [markdown] lang="ko" en="3e59e053"
r"""
값이 세 개 있을 뿐, 계산 기록은 없습니다. 이번에는 `x`를 추적하고 나머지는 그대로 둡니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
print(tensor_info(x=x, y=y, z=z))

# %% [markdown] lang="en"
r"""
Three columns have changed. `is_leaf` follows from the other two:

- `requires_grad` is passed on: a result is tracked as soon as *one* of its inputs is (unless it is an integer or a bool, as in `x > 1`).
- `grad_fn` holds the **node** that was recorded for the operation. The node knows the operation's inputs. *Every* tracked result has
  a node, `y` as well as the last result `z`.

`requires_grad` and `grad_fn` are enough to sort all tensors into three kinds (*constant leaf* is our name for the second; PyTorch has none):

| kind | `requires_grad` | `grad_fn` | `is_leaf` | what `backward()` does for it |
|---|---|---|---|---|
| **leaf** | True | None | True | adds its gradient to `.grad` |
| **constant leaf** | False | None | True | nothing |
| **intermediate** | True | a node | False | passes the gradient on and keeps nothing |

`is_leaf` says only that no operation was recorded for a tensor. So `y` and `z` in the first table *are* leaves, although
they were computed. "A leaf is a tensor that somebody marked with `requires_grad=True`" is a common belief, but it
describes only the first row. (The weights that a model trains, its `nn.Parameter`s, belong to that row.)

The tasks use two ways to compute without recording, which lesson 6 explains. Inside `with torch.no_grad():` no operation is
recorded at all, and `x.detach()` returns a tensor with the values of `x` and no history. The result of `detach` is a constant leaf,
and so is anything newly computed under `no_grad`.

Now the backward pass. (`draw_graph` computes the gradients in its picture itself and stores none of them.) Which of the three gets a `.grad`?
"""

# %% [markdown] lang="ko" en="fb801243"
r"""
세 열이 달라졌습니다. 그중 `is_leaf`는 다른 두 열로 정해집니다.

- `requires_grad`는 결과로 이어집니다. 입력 가운데 *하나라도* 추적되면 결과도 추적됩니다(`x > 1`처럼 결과가 정수나 bool이면 추적되지 않습니다).
- `grad_fn`에는 이 텐서를 만든 연산을 기록한 **노드**(node)가 들어 있고, 노드는 연산의 입력이 무엇인지 압니다. 노드는 마지막 결과 `z`뿐 아니라
  추적되는 결과 *모두*에 있으므로 `y`에도 있습니다.

`requires_grad`와 `grad_fn`만 알면 모든 텐서를 세 종류로 나눌 수 있습니다. (*상수 leaf*는 이 수업에서 붙인 이름이고, PyTorch에는 이것을 가리키는 말이 따로 없습니다.)

| 종류 | `requires_grad` | `grad_fn` | `is_leaf` | `backward()`가 하는 일 |
|---|---|---|---|---|
| **leaf** | True | None | True | `.grad`에 gradient를 더함 |
| **상수 leaf** (constant leaf) | False | None | True | 아무것도 안 함 |
| **중간 텐서** (intermediate) | True | 노드 | False | gradient를 넘겨주기만 하고 남기지 않음 |

`is_leaf`는 그 텐서를 만든 연산이 기록되지 않았다는 뜻일 뿐입니다. 그래서 첫 번째 표의 `y`와 `z`는 계산해서 얻은 텐서인데도
leaf입니다. "leaf는 사용자가 `requires_grad=True`로 표시한 텐서"라고 아는 사람이 많지만, 이 설명은 바로 위 표의 첫 줄(**leaf**)에만 맞습니다. (모델이 학습하는 가중치인 `nn.Parameter`는 이 첫 줄에 속합니다.)

과제에는 기록하지 않고 계산하는 방법 두 가지가 나옵니다. 자세한 것은 수업 06에서 다룹니다. `with torch.no_grad():` 안에서는 연산이
하나도 기록되지 않고, `x.detach()`는 `x`와 값은 같지만 계산 기록이 없는 텐서를 돌려줍니다. `detach`가 돌려주는 텐서는 상수 leaf이고,
`no_grad` 안에서 새로 계산한 값도 그렇습니다.

이제 역방향 계산을 할 차례입니다. (`draw_graph`는 그림에 쓸 gradient를 따로 계산하고 어디에도 저장하지 않습니다.) 셋 가운데 어느 것에 `.grad`가 생길까요?
"""

# %%
picture = draw_graph(values=True, slopes=True, gradients=True, x=x, y=y, z=z)
z.backward()
print(tensor_info(x=x, y=y, z=z))
picture

# %% [markdown] lang="en"
r"""
`x.grad` is $0.6$. To compute it, autograd needed $dz/dz = 1$ and $dz/dy = 1/y = 1/125 = 0.008$, then
$0.008 \cdot 3x^2 = 0.008 \cdot 75 = 0.6$. The picture shows all three gradients. Each box has a value, the gradient of `z` with respect to it, and the local slope of
the operation with respect to its input. (Section 2 explains the boxes themselves.)

But autograd did not store all three. It had the first two in hand, used them and dropped them. Read `y.grad` and `z.grad` yourself:
"""

# %% [markdown] lang="ko" en="de577c5d"
r"""
`x.grad`는 $0.6$입니다. 이 값을 구하려면 $dz/dz = 1$과 $dz/dy = 1/y = 1/125 = 0.008$이 먼저 있어야 하고, 그다음이
$0.008 \cdot 3x^2 = 0.008 \cdot 75 = 0.6$입니다. 그림에서 세 gradient를 모두 볼 수 있습니다. 상자 하나는 노드나 텐서 하나입니다. 상자마다 값, 그 값에 대한 `z`의 gradient, 입력에 대한 그 연산의 기울기가 적혀 있습니다. (상자의 모양과 색은 2절에서 설명합니다.)

그런데 autograd가 셋을 모두 남겨 둔 것은 아닙니다. 앞의 두 gradient는 쓰고 나서 버렸습니다. `y.grad`와 `z.grad`를 직접 읽어 봅시다.
"""

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("y.grad:", y.grad)
    print("z.grad:", z.grad)
    assert y.grad is None
    assert z.grad is None
print(f"{caught[0].category.__name__}: {str(caught[0].message).partition('. ')[0]}.")

# %% [markdown] lang="en"
r"""
Both are `None`. PyTorch also warns, because code that reads the `.grad` of an intermediate tensor usually means that of a leaf. (The cell
collects the warnings and prints the first sentence of one.) For an intermediate tensor, `retains_grad` tells you in advance whether its gradient
will be kept. A leaf gets a `.grad` although its `retains_grad` is `False`. Lesson 3 shows how to keep such gradients.

`grad_fn` is still there. Section 5 comes back to that.

<details><summary>A special case: a view made under no_grad</summary>

A view of a tracked tensor, such as `x[:1]`, made under `no_grad` reports `requires_grad=True`. But no operation is recorded, and `grad_fn` is
`None`: what you compute from this view sends no gradient anywhere, neither to the view nor to `x`.

</details>
"""

# %% [markdown] lang="ko" en="dab075c9"
r"""
둘 다 `None`입니다. 그리고 경고가 나옵니다. 중간 텐서의 `.grad`를 읽는 코드는 사실 leaf의 `.grad`를 읽으려던 것일 때가 많기 때문입니다. (위의
셀은 경고를 모아 두었다가 그중 하나의 첫 문장만 출력합니다.) 중간 텐서의 gradient가 남을지는 `retains_grad`를 보면 미리 알 수 있습니다.
leaf는 `retains_grad`가 `False`여도 `.grad`가 생깁니다. 중간 텐서의 gradient를 남겨 두는 방법은 수업 03에서 다룹니다.

`grad_fn`은 그대로 남아 있습니다. 이 이야기는 5절에서 이어집니다.

<details><summary>예외 하나: no_grad 안에서 만든 뷰</summary>

추적되는 텐서의 뷰(view), 곧 `x[:1]`처럼 메모리를 함께 쓰는 텐서는 `no_grad` 안에서 만들어도 `requires_grad`가 `True`입니다. 그렇다고 기록된 것은
아닙니다. `grad_fn`은 `None`이고, 이 뷰로 계산해도 gradient는 뷰에도 `x`에도, 어디에도 가지 않습니다.

</details>
"""

# %% [markdown] lang="en"
r"""
## 2. Every operation makes a node

A linear model with one weight and a squared loss: $z = wx$, $y = z + b$, $\text{loss} = y^2$. How many nodes does its graph have?
"""

# %% [markdown] lang="ko" en="198efadd"
r"""
## 2. 연산마다 노드가 하나

가중치(weight)가 하나인 선형 모델과 제곱 loss입니다. $z = wx$, $y = z + b$, $\text{loss} = y^2$. 이 계산의 그래프에는 노드가 몇 개 있을까요?
"""

# %%
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)

z = w * x
y = z + b
loss = y**2

print(tensor_info(x=x, w=w, b=b, z=z, y=y, loss=loss))

# %%
draw_graph(x=x, w=w, b=b, z=z, y=y, loss=loss)

# %% [markdown] lang="en"
r"""
Six: the three blue boxes with round corners and the three orange ones with pointed ends. (The rectangles are your tensors.) A blue node
stands for an operation and is named after the operation *whose slope it knows*: `MulBackward0` can do the backward step of a
multiplication. (The digit at the end distinguishes variants of an operation: the sum of all elements is `SumBackward0`, the sum along
one dimension `SumBackward1`. You can ignore it.)

The orange nodes belong to the leaves. The job of an `AccumulateGrad` node is to add each arriving gradient to the `.grad` of its leaf.

The edges point from a result to its inputs, which is the direction of the backward pass. It starts at the *root*, the node of
the loss. Before you run the next cell, do this pass by hand. Start with $1$ at the loss. Each node multiplies the gradient that it
receives by its own slope and passes the product on.

- `PowBackward0`: the slope of $y^2$ is $2y = 14$. It passes on $14$.
- `AddBackward0`: the slope of a sum is $1$ with respect to each input. It passes $14$ to $z$ and $14$ to $b$.
- `MulBackward0`: the slope of $wx$ is $x = 2$ with respect to $w$ and $w = 3$ with respect to $x$. It passes $28$ to $w$ and $42$ to $x$.
"""

# %% [markdown] lang="ko" en="2ee8448a"
r"""
여섯 개입니다. 모서리가 둥근 파란 상자 셋과 양 끝이 뾰족한 주황 상자 셋이 노드이고, 직사각형은 텐서입니다. 파란 노드는 연산을
나타내며, 이름을 보면 *어느 연산의 역방향 계산을 맡은 노드인지* 알 수 있습니다. `MulBackward0` 노드는 곱셈을 역방향으로 계산할 줄 압니다. (끝의 숫자는
같은 연산의 변형을 구별하는 번호입니다. 전체 합은 `SumBackward0`, 차원을 지정한 합은 `SumBackward1`입니다. 신경 쓰지 않아도 됩니다.)

주황 노드는 leaf에 붙어 있습니다. `AccumulateGrad` 노드는 도착한 gradient를 자기 leaf의 `.grad`에 더합니다.

간선(edge)은 결과에서 입력 쪽을 가리키며, 이것이 역방향 계산의 방향입니다. 역방향 계산은 loss의 노드에서 시작하는데, 이 노드를 그래프의
*뿌리*(root)라고 합니다. 다음 셀을 실행하기 전에 손으로 따라가 봅시다. loss에서 $1$로 시작합니다. 노드는 받은 gradient에 자기 기울기를
곱해 다음으로 넘깁니다.

- `PowBackward0`: $y^2$의 기울기는 $2y = 14$입니다. $14$를 넘깁니다.
- `AddBackward0`: 덧셈의 기울기는 어느 입력에 대해서든 $1$입니다. $z$에 $14$, $b$에 $14$를 넘깁니다.
- `MulBackward0`: $wx$의 기울기는 $w$에 대해서는 $x = 2$, $x$에 대해서는 $w = 3$입니다. $w$에 $28$, $x$에 $42$를 넘깁니다.
"""

# %%
loss.backward()
print("x.grad, w.grad, b.grad:", x.grad, w.grad, b.grad)

# %% [markdown] lang="en"
r"""
## 3. Quotients telescope

$42 = 3 \cdot 1 \cdot 14$ is the chain rule at work. The rule is usually stated for derivatives, that is, for $h \to 0$. Try it here with a
step that you can see.

Here is the explorer of the first look again: $w = 3$ and $b = 1$ stay, and $x$ moves by $h$. (The bar's axis is logarithmic except close to 0, so read its tick labels.)
The right plot shows for every $h$ how far the bar is from its line.

As $x$ moves, $z$ and $y$ change as well, and each operation has a difference quotient *over its own step*: the change of its output divided
by the change of its input. *Each operation* adds a bar for each of these quotients, with autograd's slope as its line.

1. At $x = 2$ and $h = 1$, choose *each operation*. Multiply the three quotients below the picture. Is the product the quotient of the whole chain?
2. Make $h$ small. Which of the three factors change, and what do they approach? What does the product approach?
3. Go on to $h = 10^{-15}$. Now rounding spoils the factors. What about the product?
4. Move $x$, with a large and with a small $h$. Does the product ever differ from the quotient of the whole chain?
"""

# %% [markdown] lang="ko" en="0d0a40f5"
r"""
## 3. 차분몫을 곱하면 중간의 변화량이 약분된다

$42 = 3 \cdot 1 \cdot 14$는 연쇄 법칙으로 얻은 값입니다. 연쇄 법칙은 보통 미분, 곧 $h \to 0$일 때의 이야기로 배웁니다. 여기서는
눈에 보이는 간격으로 해 봅시다.

맨 앞에서 본 탐색기입니다. $w = 3$, $b = 1$은 그대로 두고 $x$를 $h$만큼 움직입니다. (막대의 세로축은 0 근처를 빼면 로그 눈금이니 눈금의 수를 보세요.) 오른쪽
그림은 막대와 선이 $h$마다 얼마나 떨어져 있는지를 보여 줍니다.

$x$를 움직이면 $z$와 $y$도 달라지므로, 연산마다 *자기 간격으로 나눈* 차분몫이 있습니다. 출력이 달라진 만큼을 입력이 달라진 만큼으로 나눈
값입니다. *연산마다*를 고르면 이 차분몫의 막대가 하나씩 더 나오고, 그 안의 선은 autograd가 구한 그 연산의 기울기입니다.

1. $x = 2$, $h = 1$에서 *연산마다*를 고르세요. 그림 아래에 있는 차분몫 세 개를 곱해 보세요. 사슬 전체의 차분몫이 되나요?
2. $h$를 줄이세요. 곱하는 세 수 가운데 어느 것이 변하고, 어떤 값에 다가가나요? 곱은 어떤 값에 다가가나요?
3. $h = 10^{-15}$까지 가 보세요. 이제 반올림 때문에 곱하는 수들이 부정확해집니다. 곱은 어떤가요?
4. $h$를 크게 두고, 또 작게 두고 $x$를 움직이세요. 곱이 사슬 전체의 차분몫과 달라지는 때가 있나요?
"""

# %%
explore_chain(by_step=False)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At $h = 1$ and $x = 2$ the quotients are $3$, $1$ and $17$, and that of the whole chain is $51 = 3 \cdot 1 \cdot 17$. As long as no inner change is
$0$, the product is the whole quotient at every $h$, for a simple reason:

$$\frac{\Delta z}{\Delta x}\cdot\frac{\Delta y}{\Delta z}\cdot\frac{\Delta\text{loss}}{\Delta y} = \frac{\Delta\text{loss}}{\Delta x}.$$

Each inner change appears once in a numerator and once in a denominator, so it cancels: the quotients *telescope*. Rounding hardly
disturbs this. At $h = 10^{-15}$ it turns the last factor into $\frac{40}{3}$ (shown as $13.3$), and $3 \cdot 1 \cdot \frac{40}{3}$ is again the whole quotient, $40$.
(A quotient becomes $0/0$ only where rounding makes an inner change $0$.) What changes as $h \to 0$ is the *factors*: $3$ and $1$ stay (up to
rounding), since these two operations are straight lines, and $17$ approaches $14$. So the product approaches $42$, the gradient that autograd computed.

</details>
"""

# %% [markdown] lang="ko" en="9283e668"
r"""
<details><summary>무엇을 보았나요?</summary>

$x = 2$, $h = 1$에서 차분몫은 $3$, $1$, $17$이고 사슬 전체의 차분몫은 $51 = 3 \cdot 1 \cdot 17$입니다. 중간 변수의 변화량이 $0$이 아니면 $h$가 얼마든
곱은 전체의 차분몫과 같습니다. 이유는 간단합니다.

$$\frac{\Delta z}{\Delta x}\cdot\frac{\Delta y}{\Delta z}\cdot\frac{\Delta\text{loss}}{\Delta y} = \frac{\Delta\text{loss}}{\Delta x}$$

중간 변수의 변화량은 분자에 한 번, 분모에 한 번 나와서 차례로 약분됩니다(telescoping). 반올림도 이 관계를 좀처럼 깨뜨리지 못합니다.
$h = 10^{-15}$에서는 반올림 때문에 마지막 수가 $\frac{40}{3}$이 되지만(탐색기에는 반올림한 $13.3$으로 나옵니다), $3 \cdot 1 \cdot \frac{40}{3}$은 역시 전체의 차분몫 $40$입니다. (반올림으로 중간
변수의 변화량이 $0$이 될 때만 차분몫이 $0/0$이 됩니다.) $h \to 0$일 때 변하는 것은 *곱하는 수들*입니다. $3$과 $1$은 두 연산이 일차 함수이므로
반올림 오차를 무시하면 그대로이고, $17$은 $14$에 다가갑니다. 그래서 곱은 $42$에 다가가고, 이것이 autograd가 구한 gradient입니다.

</details>
"""

# %%
secant.predicted(
    "2 product",
    right="C",
    A=say(
        en="The limit only turns quotients into slopes. The product holds at h = 1 too: 3 · 1 · 17 = 51.",
        ko="극한을 취하면 차분몫이 기울기가 됩니다. 곱은 극한을 취하지 않아도 맞습니다. h = 1에서 3 · 1 · 17 = 51입니다.",
    ),
    B=say(
        en="The square is not a straight line: its quotient is 17, its slope 14. The product uses the 17.",
        ko="제곱은 일차 함수가 아니어서 차분몫은 17이고 기울기는 14입니다. 곱에는 17이 들어갑니다.",
    ),
    C=say(
        en="Each inner change cancels at every h, as long as none of them is 0: 3 · 1 · 17 = 51.",
        ko="중간 변수의 변화량은 0이 아니면 h가 얼마든 모두 약분됩니다. 3 · 1 · 17 = 51입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The cancelling needs two conditions: each quotient is taken over *its own* step, and **no inner change is 0**. Take
$z = \text{relu}(x) = \max(x, 0)$ and $\text{loss} = (z-1)^2$ at $x = -2$, $h = 1$. Here $z$ does not change, so the product is
$0 \cdot \frac{0}{0}$, while the whole quotient is $0$. This is the well-known gap in the short proof of the chain rule. To close it, use
the *derivative* in place of the missing quotient wherever an inner change is $0$: with $0 \cdot (-2) = 0$ the product is right again.

Because of this product, each node needs only its own local slope, and no part of the program needs the whole formula. That is why a graph of small nodes is enough.

Now try a chain of your own: a list of steps, each a function from one number to one number. The cell has the $\log x^3$ of section 1.
To see the gap, replace its arguments by
`[("z", torch.relu), ("loss", lambda z: (z - 1) ** 2)], x=-2.0, h=1.0, x_range=(-4, 4)`.
"""

# %% [markdown] lang="ko" en="d7813130"
r"""
이렇게 약분되려면 두 가지 조건이 필요합니다. 차분몫마다 *자기 간격*으로 나누어야 하고, **중간 변수의 변화량이 0이 아니어야** 합니다.
$x = -2$, $h = 1$에서 $z = \text{relu}(x) = \max(x, 0)$, $\text{loss} = (z-1)^2$을 보세요. $z$가 달라지지 않으므로 곱은
$0 \cdot \frac{0}{0}$이 되지만, 전체의 차분몫은 $0$입니다. 연쇄 법칙의 짧은 증명에 있는 유명한 빈틈입니다. 중간 변수의 변화량이 $0$인
곳에서 정의되지 않는 차분몫 대신 *미분계수*를 쓰면 빈틈이 메워집니다. $0 \cdot (-2) = 0$이므로 곱이 다시 맞습니다.

이렇게 곱하기만 하면 되므로 노드마다 자기 연산의 기울기만 알면 되고 전체 식은 필요하지 않습니다. 작은 노드를 이어 만든 그래프만으로 gradient를 구할 수 있는 것도 이 때문입니다.

이제 여러분의 사슬을 넣어 보세요. 수 하나를 받아 수 하나를 내는 단계를 차례로 적습니다. 아래는 1절의 $\log x^3$입니다. 위에서 말한 빈틈을
보려면 인자를 `[("z", torch.relu), ("loss", lambda z: (z - 1) ** 2)], x=-2.0, h=1.0, x_range=(-4, 4)`로 바꾸세요.
"""

# %%
explore_chain([("y", lambda x: x**3), ("z", torch.log)], x=5.0, h=1.0, x_range=(1, 9))

# %% [markdown] lang="en"
r"""
## 4. Traverse the graph yourself

A node keeps its edges in `next_functions`. Here is the graph of the second question from the beginning, in which `x` is used twice.
"""

# %% [markdown] lang="ko" en="4a7c6b84"
r"""
## 4. 그래프를 직접 따라가기

노드의 간선은 `next_functions`에 들어 있습니다. 처음에 나온 둘째 문제의 그래프를 봅시다. 여기서는 `x`를 두 번 씁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)

print(tensor_info(x=x, y=y, w=w, z=z))
print()

top = z.grad_fn
log_node, sqrt_node = (node for node, _ in top.next_functions)
print(top.name(), "->", log_node.name(), sqrt_node.name())

cube_node, square_node = log_node.next_functions[0][0], sqrt_node.next_functions[0][0]
print(log_node.name(), "->", cube_node.name())
print(sqrt_node.name(), "->", square_node.name())

left_end, right_end = cube_node.next_functions[0][0], square_node.next_functions[0][0]
print(cube_node.name(), "->", left_end.name())
print(square_node.name(), "->", right_end.name())
print()
print("cube_node is square_node :", cube_node is square_node)
print("left_end is right_end    :", left_end is right_end)
print("left_end.variable is x   :", left_end.variable is x)

# %%
draw_graph(x=x, y=y, w=w, z=z)

# %%
secant.predicted(
    "2 nodes",
    right="B",
    A=say(
        en="These are the operations. `x` has a node of its own below them, AccumulateGrad.",
        ko="연산만 세면 그렇습니다. 그 아래에 `x`의 노드 AccumulateGrad도 있습니다.",
    ),
    B=say(
        en="Five operations, and one node for `x`, however often it is used.",
        ko="연산이 다섯이고, `x`는 몇 번을 쓰든 노드가 하나입니다.",
    ),
    C=say(
        en="That would be a node for each use of `x`. But both edges end at the same node.",
        ko="`x`를 쓸 때마다 노드가 생긴다면 그렇습니다. 하지만 두 간선은 같은 노드에서 끝납니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The two `PowBackward0` nodes share a name but are different nodes: $x^3$ and $x^2$ are two operations. The two edges at the
bottom, however, end at *the same* `AccumulateGrad` node, and its `variable` is `x` itself, not a copy. **The graph is
not a tree.** (It is a *directed acyclic graph*, DAG: its edges have a direction and never form a cycle.) Lesson 4 explains how the two
gradients that meet there are added up.

So a traversal must remember which nodes it has visited. Here is one for the four nodes of `x**2 + torch.sin(x)`. It takes the
last node off a to-do list and adds the nodes at the ends of its edges, until the list is empty:

| node taken | seen before? | to do afterwards |
|---|---|---|
| | | `Add` |
| `Add` | no | `Pow`, `Sin` |
| `Sin` | no | `Pow`, `AccumulateGrad` |
| `AccumulateGrad` | no | `Pow` |
| `Pow` | no | `AccumulateGrad` |
| `AccumulateGrad` | **yes**: skip it | |

An edge is a pair `(node, number)`. The number says which result of the operation at the end of the edge is meant. It is 0 for an operation with
a single result; `unbind`, which splits a tensor, shows others. The edge of an input that is not tracked leads to `None`:
"""

# %% [markdown] lang="ko" en="c0107708"
r"""
`PowBackward0` 둘은 이름은 같지만 서로 다른 노드입니다. $x^3$과 $x^2$은 서로 다른 연산이기 때문입니다. 그런데 맨 끝의
두 간선은 *같은* `AccumulateGrad` 노드에서 끝나고, 그 노드의 `variable`은 복사본이 아니라 `x` 자신입니다. **그래프는 트리가
아닙니다.** (방향이 있고 순환하지 않는 그래프, 곧 DAG(directed acyclic graph)입니다.) 그곳에서 만난 두 gradient가 어떻게 더해지는지는
수업 04에서 다룹니다.

그러니 그래프를 따라가려면 이미 들른 노드를 기억해 두어야 합니다. `x**2 + torch.sin(x)`의 노드 네 개를 따라가 봅시다. 할 일 목록에서 마지막
노드를 꺼내고, 그 노드의 간선 끝에 있는 노드들을 목록에 넣습니다. 목록이 빌 때까지 되풀이합니다.

| 꺼낸 노드 | 이미 보았나? | 남은 할 일 |
|---|---|---|
| | | `Add` |
| `Add` | 아니요 | `Pow`, `Sin` |
| `Sin` | 아니요 | `Pow`, `AccumulateGrad` |
| `AccumulateGrad` | 아니요 | `Pow` |
| `Pow` | 아니요 | `AccumulateGrad` |
| `AccumulateGrad` | **예**: 넘어감 | |

간선은 `(노드, 번호)` 쌍입니다. 간선 끝의 노드가 나타내는 연산은 결과가 여러 개일 수 있습니다. 번호는 그중 몇 번째 결과인지를 0부터 센 것입니다. 결과가 하나인 연산에서는 0이고, 텐서를 쪼개는
`unbind`에서는 다른 번호도 나옵니다. 추적되지 않는 입력의 간선은 `None`으로 이어집니다.
"""

# %%
first, second = torch.tensor([1.0, 2.0], requires_grad=True).unbind()
for node, number in (first * second).grad_fn.next_functions:
    print("first * second ->", node.name(), number)

constant = torch.tensor(2.0)
for node, _ in (x * constant).grad_fn.next_functions:
    print("x * constant   ->", node if node is None else node.name())

# %% [markdown] lang="en"
r"""
All edges point backward, from a result to its inputs. `x` does not know about `z`. So while a variable
refers to a result or to a node, all that can be reached from there stays alive. The rest of the graph is freed.
"""

# %% [markdown] lang="ko" en="f1d01ffd"
r"""
간선은 모두 결과에서 입력 쪽을 가리킵니다. `x`는 `z`를 모릅니다. 그래서 결과나 노드를 가리키는 변수가 남아 있으면, 거기서 간선을 따라 도달할 수 있는 노드는
메모리에 남습니다. 도달할 수 없는 노드는 메모리에서 지워집니다.
"""

# %% [markdown] lang="en"
r"""
## 5. What a backward pass frees

To pass on the right gradient, a node may need a value from the forward pass. The slope of $\log y$ is $1/y$, so the node of
the logarithm keeps $y = 125$. Such a value is called a **saved tensor**. `draw_graph(saved=True, ...)` shows them all, under PyTorch's
names: `self` is the input of the operation.
"""

# %% [markdown] lang="ko" en="4bfc5b8f"
r"""
## 5. 역방향 계산이 지우는 것

알맞은 gradient를 넘기는 데 순방향 계산(forward pass)에서 나온 값이 필요한 노드가 있습니다. $\log y$의 기울기는 $1/y$이므로 로그의 노드는
$y = 125$를 간직합니다. 이런 값을 **저장된 텐서**(saved tensor)라고 합니다. `draw_graph(saved=True, ...)`로 모두 볼 수 있습니다.
이름은 PyTorch가 붙인 것이고, `self`는 그 연산의 입력입니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

log_node = z.grad_fn
print(say(en="saved by the logarithm:", ko="로그가 저장한 것:"), log_node._saved_self)

# %%
draw_graph(saved=True, x=x, y=y, z=z)

# %% [markdown] lang="en"
r"""
Now run the backward pass, look again, and try to run it a second time.
"""

# %% [markdown] lang="ko" en="e1b59aeb"
r"""
이제 역방향 계산을 하고, 다시 살펴보고, 한 번 더 해 봅니다.
"""

# %%
z.backward()
print("x.grad      :", x.grad)

node = z.grad_fn
while node is not None:
    print(say(en="still there :", ko="그대로 있음  :"), node.name())
    node = node.next_functions[0][0] if node.next_functions else None

print()
with expect_error():
    log_node._saved_self

print()
with expect_error():
    z.backward()

# %% [markdown] lang="en"
r"""
You often read that "the graph is freed after `backward()`". But all nodes and edges are still there, and so is
`grad_fn`. Only the **saved tensors** that the nodes held are gone, $125$ and $5$; your variables `y` and `x` are as they were. (The exponent $3$ is a plain number, not a tensor, so it stays.) The
message says exactly that: "Saved intermediate values of the graph are freed". PyTorch frees them because they take up much of the
memory in a large model, and one backward pass is nearly always enough.

If you need two passes, say so in the *first* call: `retain_graph=True` keeps the saved tensors. The second call, made without it, frees them.
"""

# %% [markdown] lang="ko" en="dd4d57cd"
r"""
"`backward()`를 하면 그래프가 해제된다"라는 말을 흔히 볼 수 있습니다. 그런데 보세요. 노드와 간선은 모두 그대로이고 `grad_fn`도
있습니다. 사라진 것은 노드가 저장해 둔 **저장된 텐서** $125$와 $5$뿐입니다. 변수 `y`와 `x`는 그대로입니다. (지수 $3$은 텐서가 아니라 그냥 수이므로 남습니다.) 오류 메시지도 바로 그렇게
말합니다. "Saved intermediate values of the graph are freed"(그래프에 저장해 둔 중간 결과는 지워졌다). 큰 모델에서는 저장된 텐서가 메모리를 많이 차지하는데, 역방향 계산은 대개 한 번이면 충분합니다. 그래서 쓰고 나면 바로 지웁니다.

두 번 해야 한다면 *첫 번째* 호출에 `retain_graph=True`를 주세요. 그러면 저장된 텐서가 남습니다. 이 옵션 없이 하는 두 번째
호출에서 지워집니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward(retain_graph=True)
print(say(en="log(x^3), once  :", ko="log(x^3), 한 번 :"), x.grad)
z.backward()
print(say(en="log(x^3), twice :", ko="log(x^3), 두 번 :"), x.grad)

x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.backward()
print(say(en="x^3, once       :", ko="x^3, 한 번      :"), x.grad)

x.grad = None
y = x**3
y.backward(retain_graph=True)
y.backward()
print(say(en="x^3, twice      :", ko="x^3, 두 번      :"), x.grad)

# %% [markdown] lang="en"
r"""
The gradient is the same both times, and each call adds it to `.grad`, hence $1.2$ and $24$ (lesson 3). Most programs do not need
`retain_graph`: they compute the result again, as in `y = x**3` above, and get a new graph. Every step of a training loop does
this.

And the first question from the beginning? An operation that saved nothing has nothing to lose:
"""

# %% [markdown] lang="ko" en="1dd97855"
r"""
gradient는 두 번 다 같고, 호출할 때마다 `.grad`에 더해지므로 $1.2$와 $24$가 됩니다(수업 03). 대개는 `retain_graph`가 필요 없습니다.
위의 `y = x**3`처럼 결과를 다시 계산하면 새 그래프가 생기기 때문입니다. 학습할 때도 스텝마다 그렇게 합니다.

이제 처음에 나온 첫째 문제를 봅시다. 저장한 것이 없는 연산은 잃을 것도 없습니다.
"""

# %%
programs = {
    "x - 1": lambda x: x - 1,
    "-x": lambda x: -x,
    "x.clone()": lambda x: x.clone(),
    "x.reshape(1)": lambda x: x.reshape(1),
    "2 * x": lambda x: 2 * x,
    "x / 2": lambda x: x / 2,
    "x ** 3": lambda x: x**3,
    "relu(x)": torch.relu,
}
for text, program in programs.items():
    x = torch.tensor(5.0, requires_grad=True)
    y = program(x)
    node = y.grad_fn
    values = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
    saved = [value.item() for value in values if isinstance(value, torch.Tensor)]
    y.backward()
    try:
        y.backward()
        second = say(en="second backward works", ko="두 번째 backward 성공")
    except RuntimeError:
        second = say(en="second backward fails", ko="두 번째 backward 오류")
    print(f"{text:14}{node.name():16}" + say(en="saved: ", ko="저장: ") + f"{saved!s:8}{second}")

secant.predicted(
    "2 second backward",
    right="C",
    A=say(
        en="The graph is still there after the first pass. Only what a node had saved is gone.",
        ko="첫 번째 역방향 계산이 끝나도 그래프는 그대로 있습니다. 노드가 저장해 둔 것만 사라집니다.",
    ),
    B=say(
        en="`x ** 3` needs `x`, which is freed. So is the 2 that `2 * x` saved for its slope.",
        ko="`x ** 3`에는 `x`가 필요한데 그것이 지워집니다. `2 * x`는 기울기가 늘 같은데도 2를 저장하고, 이것도 지워집니다.",
    ),
    C=say(
        en="These two saved a tensor, which the first pass frees. `x - 1` and `-x` saved nothing.",
        ko="이 둘은 텐서를 저장했고, 첫 번째 역방향 계산이 그것을 지웁니다. `x - 1`과 `-x`는 저장한 것이 없습니다.",
    ),
    D=say(
        en="The first pass frees what the nodes saved, and two of the four saved something.",
        ko="첫 번째 역방향 계산은 노드가 저장한 것을 지웁니다. 넷 가운데 둘이 저장했습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
Whatever $x$ is, the slope of $x - 1$ is $1$ and that of $-x$ is $-1$. These nodes save nothing, so `backward()` works as often as you
like. $x^3$ needs $x$.

The surprise is `2 * x`. Its slope is $2$ whatever $x$ is. But PyTorch uses the same `MulBackward0` as for `w * x`, and this node saves
the other factor: here the $2$, made into a tensor. It is freed like any other saved tensor. So whether a second backward pass works
depends on the *code* of an operation, not on the mathematics, and may differ in another version of PyTorch. A program should not
rely on it. But you can now read the error message: *some node of this graph had saved something, and it is gone already*.
"""

# %% [markdown] lang="ko" en="5cbcc546"
r"""
$x$가 무엇이든 $x - 1$의 기울기는 $1$이고 $-x$의 기울기는 $-1$입니다. 이 노드들은 저장하는 것이 없어서 `backward()`를 몇 번이든 호출할 수
있습니다. $x^3$에는 $x$가 필요합니다.

뜻밖인 것은 `2 * x`입니다. $x$가 무엇이든 기울기는 $2$입니다. 그런데 PyTorch는 `w * x`에 쓰는 것과 똑같은 `MulBackward0` 노드를 쓰고, 이 노드는
곱하는 다른 쪽 수를 저장합니다. 여기서는 $2$를 텐서로 바꾸어 저장하고, 이것도 다른 저장된 텐서처럼 지워집니다. 그러니 두 번째 역방향 계산이
되는지는 수학이 아니라 연산의 *코드*에 달린 문제이고, PyTorch 버전이 바뀌면 답도 달라질 수 있습니다. 프로그램을 짤 때 여기에 기대서는 안 됩니다.
다만 이제 오류 메시지를 제대로 읽을 수 있습니다. *이 그래프의 어느 노드가 무언가를 저장해 두었는데 이미 지워졌다*는 뜻입니다.
"""

# %% [markdown] lang="en"
r"""
## 6. A real bug

Saved tensors take memory. *Checkpointing* reduces this: it keeps only the input of a *layer* (a part of a model), and the backward pass runs the layer again to
recompute what the layer would have saved. In its older form the layer runs without recording, so autograd sees it as a single operation. The inputs of this operation are the
tensors *passed to the layer*; weights used inside are not among them. Below, `w` is used in a checkpointed layer and once more outside.
The value of the loss is right, and `backward()` raises no error.
"""

# %% [markdown] lang="ko" en="d2d2b715"
r"""
## 6. 실제로 있었던 버그

저장된 텐서는 메모리를 많이 차지합니다. *체크포인팅*(checkpointing)을 쓰면 메모리를 아낄 수 있습니다. 층(layer)의 입력만 남겨 두고(층은 모델의 한 부분입니다), 층 안에서 저장했을 텐서는 역방향 계산을 할 때 그 층을 다시 계산해서 얻는 방법입니다. (학습 도중의 모델을 저장한 파일인 체크포인트와는 다릅니다.) 오래된 방식에서는 층을 기록 없이 계산하므로, autograd가 보기에 이 층은 연산 하나입니다. 그 입력은
*인자로 넘긴* 텐서뿐이고, 안에서 쓰는 가중치는 입력으로 치지 않습니다. 아래에서 `w`는 체크포인팅을 적용한 층 안에서 한 번, 그 밖에서 한 번
쓰입니다. loss의 값은 맞고, `backward()`에서 오류도 나지 않습니다.
"""

# %%
from torch.utils.checkpoint import checkpoint

x = torch.tensor(2.0, dtype=torch.float64)  # untracked, like a model's input


def loss_of(w, reentrant):
    def layer(x):
        return w * x

    z = layer(x) if reentrant is None else checkpoint(layer, x, use_reentrant=reentrant)
    return (z + w) ** 2


h = 1e-6
for reentrant in (None, True, False):
    w = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss = loss_of(w, reentrant)
        quotient = (loss_of(w + h, reentrant) - loss).item() / h
    loss.backward()
    name = (
        say(en="no checkpoint", ko="체크포인팅 없음") if reentrant is None else f"use_reentrant={reentrant}"
    )
    print(
        f"{name:22}loss {loss.item()}  ",
        say(en="quotient", ko="차분몫"),
        f"{quotient:.3f}   w.grad {w.grad.item()}",
    )

# %% [markdown] lang="en"
r"""
The difference quotient exposes the bug: the slope is $54$, and `use_reentrant=True` gives $18$. (This is the older form, which calls
`backward()` again inside `backward()`. If you leave out `use_reentrant`, PyTorch up to 2.13 takes this form and warns.) The only tensor passed to the
layer is untracked, so by the rule of section 1 the layer's result is a constant leaf, and the edge from the sum to the layer is `None`.
(PyTorch warns about that, "None of the inputs have requires_grad=True", but the cell silences the warning.)

This situation is common in fine-tuning, when a trained model is trained further on new data: the weights of all layers are frozen (no longer tracked), and a
few new ones are added to the layers (LoRA is a well-known method of this kind). With checkpointing on, these new weights got no gradient.
[Issue 26221 of Hugging Face's transformers](https://github.com/huggingface/transformers/issues/26221) has the title "Gradient
checkpointing should have no functional impact". Two fixes are in use: `use_reentrant=False`, which
[PyTorch's documentation](https://docs.pytorch.org/docs/stable/checkpoint.html) recommends and which records the inside of the layer, or
[calling `requires_grad_(True)` on the layer's input](https://github.com/huggingface/transformers/pull/21598).
"""

# %% [markdown] lang="ko" en="894650bd"
r"""
차분몫을 보면 버그가 드러납니다. 기울기는 $54$인데 `use_reentrant=True`에서는 $18$이 나옵니다. (이것이 오래된 방식으로, `backward()` 안에서
`backward()`를 또 호출합니다. `use_reentrant`를 지정하지 않으면 경고가 나오는데, PyTorch 2.13까지는 그래도 이 방식을 씁니다.) 층에 인자로 넘긴 텐서는 하나뿐인데 추적되지 않으므로
1절의 규칙에 따라 층의 결과는 상수 leaf이고, 덧셈에서 이 층으로 가는 간선은 `None`입니다. (PyTorch는 "None of the inputs have
requires_grad=True"(requires_grad=True인 입력이 하나도 없다)라고 경고하지만, 여기서는 경고를 꺼 두었습니다.)

학습된 모델을 새 데이터로 더 학습시키는 미세 조정(fine-tuning)에서는 이런 일이 많습니다. 층의 가중치는 모두 동결하고(freeze, 추적하지 않고) 층에 새 가중치를 조금만 더합니다.
LoRA가 그런 방법입니다. 체크포인팅을 켜면 이 새 가중치에 gradient가 전달되지 않았습니다.
[Hugging Face transformers의 이슈 26221](https://github.com/huggingface/transformers/issues/26221)의 제목은 "체크포인팅은 결과에 영향을 주지 않아야
한다"(Gradient checkpointing should have no functional impact)입니다. 고치는 방법은 두 가지입니다. [PyTorch
문서](https://docs.pytorch.org/docs/stable/checkpoint.html)가 권하는 `use_reentrant=False`를 쓰면 층 안의 연산도 기록됩니다. 또는
[층의 입력에 `requires_grad_(True)`를 호출합니다](https://github.com/huggingface/transformers/pull/21598).
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
`autograder check 2 --solution classify`).

</details>

**Only in this lesson:**

- Where a task asks for a `str` or a `list`, return exactly that, not a tensor or a tuple. Each call makes a new list.
"""

# %% [markdown] lang="ko" en="c872b52b"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 2 --solution classify`).

</details>

**이 수업에만 있는 규칙:**

- `str`이나 리스트를 돌려주라고 쓰여 있으면 텐서나 튜플이 아니라 꼭 그 종류로 돌려주세요. 리스트는 호출할 때마다 새로 만듭니다.
"""

# %% [markdown] lang="en"
r"""
## Task 2.1 · `classify`

●●○○○ · ★★★★★ · 6 min · {{points}}

Return the kind of the tensor `t` according to the table in section 1, as one of the strings `'leaf'`, `'constant leaf'`,
`'intermediate'`.

- `t` is any tensor: made by hand or computed, with or without tracking, of any dtype and shape, possibly empty. It may be a view, a
  tensor of ints or a parameter (`nn.Parameter`: a leaf that a model trains), and `backward()` may have been called already.
- What counts is what `t` is now. If somebody calls `t.requires_grad_()` afterwards, the next answer may differ.
- `grad_fn` and `requires_grad` are enough. They also decide about the special view of section 1: it is a leaf. You may use anything else, such
  as `is_leaf`, as long as it only looks at `t`. `t.retain_grad()`, for example, would change it.

<details><summary>Hint 1: the idea</summary>

Was an operation recorded for `t`? If not, is `t` tracked?

</details>

<details><summary>Hint 2: a step further</summary>

Two questions settle it. What goes in place of the dots?

```
if ...:
    return "intermediate"
return "leaf" if ... else "constant leaf"
```

</details>
"""

# %% [markdown] lang="ko" en="83efbfbf"
r"""
## 과제 2.1 · `classify`

{{marks}}분 · {{points}}

텐서 `t`가 1절의 표에서 어느 종류인지 문자열 `'leaf'`, `'constant leaf'`, `'intermediate'` 가운데 하나로 돌려주세요.

- `t`로는 어떤 텐서든 올 수 있습니다. 직접 만든 것일 수도, 계산한 것일 수도 있고, 추적되는 것일 수도, 아닐 수도 있습니다. dtype과 shape에는
  제한이 없고, 비어 있을 수도 있습니다. 뷰나 정수 텐서, 파라미터(`nn.Parameter`, 모델이 학습하는 leaf)도 나오며, `backward()`를 이미
  호출했을 수도 있습니다.
- 지금 `t`가 무엇인지만 봅니다. 나중에 누군가 `t.requires_grad_()`를 호출하면 다음번 답은 달라질 수 있습니다.
- `grad_fn`과 `requires_grad`면 충분합니다. 1절에서 예외로 든 뷰도 이 둘로 판단하므로 leaf입니다. `is_leaf` 같은 다른 방법을 써도 되지만, `t`를
  보기만 해야 합니다. 예를 들어 `t.retain_grad()`를 호출하면 `t`가 바뀝니다.

<details><summary>힌트 1: 생각의 방향</summary>

`t`를 만든 연산이 기록되어 있나요? 기록되어 있지 않다면, 추적되는 텐서인가요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

질문 두 개로 정해집니다. 점 세 개가 있는 곳에 무엇을 써야 할까요?

```
if ...:
    return "intermediate"
return "leaf" if ... else "constant leaf"
```

</details>
"""


# %% answer="classify"
def classify(t):
    """Return the kind of any tensor t as a str: 'leaf', 'constant leaf' or 'intermediate'."""
    ### BEGIN SOLUTION
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"
    ### END SOLUTION


# %% test="classify" points=2
from secant import ask, check, hints

hint = hints("classify")

_CAUSES = {"leaf": hint.leaf, "constant leaf": hint.constant, "intermediate": hint.intermediate}


def _compare(t, want, number=2.0, before=""):
    x, c = f"torch.tensor([{number}, -3.0], requires_grad=True)", f"torch.tensor([{number}, 7.0])"
    options = {"before": before, "ahead": ("classify(t)", "t.retains_grad")}
    answer = ask("classify(t)", options, x=x, c=c, y="x * 2", t=t).changes_nothing()
    typos = {hint.spelt: lambda kind: kind not in _CAUSES}
    answer.equals(want, mistakes=typos, hint=_CAUSES[want] if type(answer.result) is str else "")
    answer.again().changes_nothing().equals(want)
    answer.then("t.retains_grad").equals("retain_grad" in before, hint=hint.retained)


for _want, _tensors in {
    "constant leaf": ("c * 2", "nn.Parameter(c, requires_grad=False)", "x.detach()"),
    "leaf": ("x", "c[:0].requires_grad_()", "(c + 1j).requires_grad_()"),
    "intermediate": ("c * x", "x.sum(0)"),
}.items():
    for _t in _tensors:
        _compare(_t, _want)
_compare("y", "intermediate", before="y.retain_grad(); y.sum().backward()")
check.visible_passed()
### BEGIN HIDDEN TESTS
_CASES = {
    "leaf": (
        *("torch.ones(2, 3, dtype=torch.float64, requires_grad=True)", "torch.empty(0, requires_grad=True)"),
        *("torch.tensor(0.0, requires_grad=True)", "torch.tensor(2.0, requires_grad=True)"),
        *("c.requires_grad_()", "(c * 2).requires_grad_()", "(x * 2).detach().requires_grad_()"),
        *("nn.Parameter(c)", "nn.Linear(2, 1).weight", "torch.tensor([1j], requires_grad=True)"),
        *("c[::2].requires_grad_()", "c.expand(3, 2).requires_grad_()"),
    ),
    "constant leaf": (
        *("torch.tensor(0.0)", "torch.tensor(2.0)", "torch.tensor([1, 2])", "torch.empty(0, 3)"),
        *("c[0]", "c[:0]", "c[::2]", "c.view(2, 1)", "c.expand(3, 2)", "c.sum()", "x > 0", "x.argmax()"),
        *("(x * 2).detach()", "(x * 2).data", "torch.autograd.grad(x.sum(), x)[0]"),
        *("torch.no_grad()(torch.exp)(x)", "torch.inference_mode()(torch.exp)(x)"),
        *("x.requires_grad_(False)", "(x.sum().backward(), x.grad)[1]"),
    ),
    "intermediate": (
        *("x + c", "x * 2", "x * 0", "x[0]", "x[:0]", "x[::2]", "x.view(2, 1)", "x.expand(3, 2)"),
        *("x.clone()", "x.sum()", "x.mean(0)", "x.double()", "x + 1j", "x.max(0).values"),
        *("x.unbind()[1]", "nn.Parameter(c[None]).T", "nn.Linear(2, 1)(c)"),
        *("custom.operation('2 * x', '2 * g')(x)", "torch.no_grad()(torch.narrow)(x, 0, 0, 1) * 2"),
    ),
}
for _number in (0.0, check.draw(-3, 3)):
    for _want, _tensors in _CASES.items():
        for _t in _tensors:
            _compare(_t, _want, _number)
    _compare("x", "leaf", _number, "x.sum().backward()")
    _compare("y", "intermediate", _number, "y.sum().backward()")
    _compare("y", "intermediate", _number, "y.retain_grad()")
    _compare("c", "intermediate", _number, "c += x")
    _compare("c", "intermediate", _number, "c[0] = x[0]")
_arguments = {"x": "torch.tensor([2.0, -3.0], requires_grad=True)", "c": "x.detach()"}
for _t, _want in (("x", "leaf"), ("c", "constant leaf"), ("x * 2", "intermediate")):
    _answer = ask("torch.no_grad()(classify)(t)", {"errors": hint.off}, **_arguments, t=_t)
    _answer.changes_nothing().equals(_want, hint=hint.off)
    _mode = "torch.no_grad()(lambda: (classify(t), torch.is_grad_enabled())[1])()"
    _answer.then(_mode).equals(False, hint=hint.mode)
_answer = ask("classify(t)", c="torch.tensor([2.0])", t="c").equals("constant leaf")
_answer.after("c.requires_grad_()", hint.anew).equals("leaf")
_answer.after("c.requires_grad_(False)", hint.anew).equals("constant leaf")
_answer.after("c.mul_(torch.ones(1, requires_grad=True))", hint.anew).equals("intermediate")
_answer.after("c.detach_()", hint.anew).equals("constant leaf")
_compare("torch.no_grad()(torch.narrow)(x, 0, 0, 1)", "leaf")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 2.2 · `graph_nodes`

●●●○○ · ★★★★☆ · 9 min · {{points}}

Return the names of all nodes of the graph behind `t`, as a list of strings.

- Begin at `t.grad_fn` and follow `next_functions`. The name of a node is what its `name()` returns. (For the nodes at the leaves this is
  `torch::autograd::AccumulateGrad`; a name without the prefix `torch::autograd::` counts as right too.)
- List each **node** once, however many edges lead to it. Two nodes with the same name are two entries: the graph of section 4 gives six
  names, `PowBackward0` twice.
- The order does not matter. Skip edges to `None`. If `t` has no `grad_fn`, return an empty list.
- Right names on ordinary graphs earn 2 of the 3 points; the third is for graphs like those of the next item.
- The graph may be thousands of operations deep. On such a graph, a function that calls itself ends in a `RecursionError` (if you raise the
  recursion limit, do it inside the function and put it back: a limit that you set outside of the function does not count in grading). There may also be more paths through the graph than you could ever follow.
- Only read the graph: do not run `backward()`, and leave the graph as it was, without a new hook (a function that PyTorch calls during
  `backward()`) and with the `metadata` of its nodes (a dict for notes about a node) unchanged.

<details><summary>Hint 1: the idea</summary>

Traverse the graph as in the table of section 4, with two collections: the nodes you have seen, and those you still have to visit.

</details>

<details><summary>Hint 2: a step further</summary>

The same loop, but on folders. What would happen here if a folder could be reached in two ways, or be `None`?

```
names, todo = [], [folder]
while todo:
    current = todo.pop()
    names.append(current.name)
    todo += current.subfolders
```

</details>
"""

# %% [markdown] lang="ko" en="dca3f59f"
r"""
## 과제 2.2 · `graph_nodes`

{{marks}}분 · {{points}}

`t`를 만든 그래프의 모든 노드 이름을 문자열 리스트로 돌려주세요.

- `t.grad_fn`에서 시작해 `next_functions`를 따라갑니다. 노드의 이름은 `name()`이 돌려주는 것입니다. (leaf에 붙은 노드는
  `torch::autograd::AccumulateGrad`인데, 앞의 `torch::autograd::`는 빼고 써도 맞습니다.)
- **노드**마다 한 번만 적습니다. 그 노드로 가는 간선이 몇 개든 마찬가지입니다. 이름이 같아도 서로 다른 노드이면 따로 적습니다. 4절의
  그래프라면 이름이 여섯 개이고 그중 둘이 `PowBackward0`입니다.
- 순서는 상관없습니다. `None`으로 가는 간선은 건너뛰세요. `t`에 `grad_fn`이 없으면 빈 리스트를 돌려주세요.
- 보통의 그래프에서 이름을 맞게 구하면 3점 중 2점이고, 나머지 1점은 다음 항목과 같은 그래프에서도 맞아야 받습니다.
- 연산 수천 개가 이어진 깊은 그래프일 수도 있습니다. 그러면 자기 자신을 호출하는 함수는 `RecursionError`로 끝납니다. (재귀 한도를 올린다면 함수 안에서 올렸다가
  되돌려 놓으세요. 함수 밖에서 올린 한도는 채점할 때 통하지 않습니다.) 또 그래프를 지나는 경로가 도저히 다 가 볼 수 없을 만큼 많을 수도 있습니다.
- 그래프를 읽기만 하세요. `backward()`는 호출하지 말고, 그래프를 처음 그대로 두세요. hook(`backward()` 도중에 PyTorch가 호출하는 함수)을 새로 남기거나 노드의 `metadata`(노드에 메모를 적어 두는 dict)를 바꾸면 안 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

4절의 표처럼 따라가세요. 이미 본 노드와 아직 들러야 할 노드, 두 가지를 따로 모아 두면 됩니다.

</details>

<details><summary>힌트 2: 한 단계 더</summary>

폴더를 훑는 반복문인데 모양이 같습니다. 한 폴더에 두 가지 길로 갈 수 있거나 폴더가 `None`일 수도 있다면 어떻게 될까요?

```
names, todo = [], [folder]
while todo:
    current = todo.pop()
    names.append(current.name)
    todo += current.subfolders
```

</details>
"""


# %% answer="graph_nodes"
def graph_nodes(t):
    """Return the name of each node in the graph behind the tensor t, as a list of str in any order."""
    ### BEGIN SOLUTION
    names, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [following for following, _ in node.next_functions]
    return names
    ### END SOLUTION


# %% test="graph_nodes" points=3
from secant import PartialCredit, ask, check, hints

hint = hints("graph_nodes")
_credit = PartialCredit(nodes=2, depth=1)

_TENSORS = {"x": "torch.tensor([2.0, 3.0], requires_grad=True)", "c": "torch.tensor([5.0, 7.0])"}
_ERRORS = {"NoneType": hint.none, "backward": hint.looking, "RecursionError": hint.too_deep}
_KEY, _BACKWARD = {"key": lambda n: n.removeprefix("torch::autograd::")}, "t.sum().backward()"


def _compare(t, want, cause, tensors=_TENSORS, **extra):
    wrong = {hint.given: lambda names: not {*names} <= {*want}, hint.same_name: sorted({*want})}
    wrong[hint.twice] = lambda names: len(names) > len(want)
    options = {"errors": _ERRORS, "steps": 100_000, "ahead": ("graph_nodes(t)", _BACKWARD), **extra}
    answer = ask("graph_nodes(t)", options, **tensors, t=t).ends().changes_nothing()
    answer = answer.lists(want, **_KEY, hint=cause, mistakes=wrong).again().ends().changes_nothing()
    return answer.lists(want, **_KEY).then(_BACKWARD, errors=hint.looking)


_FIVE_NODES = "AddBackward0 LogBackward0 PowBackward0 PowBackward0 SqrtBackward0"
with _credit.part("nodes", "depth"):
    for _t, _want, _cause in (
        ("torch.log(x**3) + torch.sqrt(x**2)", _FIVE_NODES, hint.missing),
        ("c * x + c", "AddBackward0 MulBackward0", hint.none),
        ("torch.mul(*x.unbind())", "MulBackward0 UnbindBackward0", hint.missing),
        ("torch.exp(x).mean(0) + x", "AddBackward0 ExpBackward0 MeanBackward1", hint.any_name),
        ("torch.stack([c, c, c, x])", "StackBackward0", hint.three),
    ):
        _compare(_t, ["AccumulateGrad", *_want.split()], _cause)
    ask("graph_nodes(x)", {"errors": hint.no_graph}, **_TENSORS).lists([], hint=hint.no_graph)
    with _credit.part("depth"):
        _want = ["AccumulateGrad"] + ["AddBackward0"] * 3000
        _compare("sum([x] * 3000)", _want, hint.too_deep, steps=0)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
from secant import graphs, leaf, tensor


def _compare_strictly(t, want, cause, tensors=_TENSORS, **extra):
    """Compare the answer with want, and check that the call does not make t retain its gradient."""
    _compare(t, want, cause, tensors, **extra).then("t.retains_grad").equals(False, hint=hint.retained)


def _expected_nodes(inputs, steps):
    """Return the names of the nodes behind the last tensor, derived from the program alone, without torch."""
    node_sets = [set() if kind == "constant" else {(i, "AccumulateGrad")} for i, kind in enumerate(inputs)]
    for name, *places in steps:
        nodes = set().union(*(node_sets[place] for place in places))
        is_recorded = nodes and name != "detach" and not name.startswith("untracked ")
        node_sets.append(
            nodes | {(len(node_sets), f"{name.capitalize()}Backward0")} if is_recorded else set()
        )
    return [name for _, name in node_sets[-1]]


_more_tensors = {"w": leaf([1.0, 1.0], "float32", grad=7.0), "b": "torch.ones(2, requires_grad=True)"}
_more_tensors = {**_TENSORS, **_more_tensors, "y": "x + w", "z": "torch.zeros(2)"}
_more_tensors |= {"v": "x.detach().requires_grad_()", "u": "torch.no_grad()(torch.narrow)(x, 0, 0, 1)"}
with _credit.part("nodes", "depth"):
    for _t, _leaves, _want, _cause in (
        ("x * v * v", 2, "MulBackward0 MulBackward0", hint.twins),
        ("w * b * b", 2, "MulBackward0 MulBackward0", hint.twins),
        ("u * 3", 0, "MulBackward0", hint.none),
        ("x * x", 1, "MulBackward0", hint.missing),
        ("(w * x + b)**2", 3, "AddBackward0 MulBackward0 PowBackward0", hint.missing),
        ("(y + x) + y", 2, "AddBackward0 AddBackward0 AddBackward0", hint.missing),
        ("torch.addcmul(x, w, b)", 3, "AddcmulBackward0", hint.three),
        ("torch.mul(*x.unbind())", 1, "MulBackward0 UnbindBackward0", hint.missing),
        ("torch.mul(*leaf([1.0] * 4).unbind()[2:])", 1, "MulBackward0 UnbindBackward0", hint.whatever),
        ("c + x * c", 1, "AddBackward0 MulBackward0", hint.none),
        ("torch.exp(c) * x", 1, "MulBackward0", hint.none),
        ("torch.sin(x.detach()) * w", 1, "MulBackward0", hint.none),
    ):
        _compare_strictly(_t, ["AccumulateGrad"] * _leaves + _want.split(), _cause, _more_tensors)
    _copy_nodes = ["AccumulateGrad", "CopySlices", "SelectBackward0"]
    _compare_strictly("z", _copy_nodes, hint.any_name, _more_tensors, before="z[0] = x[0]")
    _answer = ask("graph_nodes(z.sum())", {"before": "z[0] = x[0]", "errors": _ERRORS}, **_more_tensors)
    _answer.lists([*_copy_nodes, "SumBackward0"], **_KEY, hint=hint.any_name)
    _answer = ask("graph_nodes(t)", **_more_tensors, t="y").lists(
        ["AccumulateGrad"] * 2 + ["AddBackward0"], **_KEY
    )
    _want = ["AccumulateGrad"] * 3 + ["AddBackward0", "MulBackward0"]
    _answer.after("y.mul_(torch.ones(1, requires_grad=True))", hint.anew).lists(_want, **_KEY)
    for _t in ("x", "torch.exp(c)", "torch.no_grad()(torch.exp)(x)"):
        _options = {"errors": {"NoneType": hint.no_graph}, "steps": 100_000}
        _answer = ask("graph_nodes(t)", _options, **_TENSORS, t=_t).ends().changes_nothing()
        _answer.lists([], hint=hint.no_graph)
        _answer.again().ends().changes_nothing().lists([])
    _log_nodes = ["AccumulateGrad", "LogBackward0", "PowBackward0"]
    _gradient = _compare("torch.log(x**3)", _log_nodes, hint.missing).then("x.grad")
    _gradient.returns(tensor([1.5, 1.0], "float32"), hint=hint.hooked)
    _options = {"before": _BACKWARD, "errors": hint.freed}
    ask("graph_nodes(t)", _options, **_TENSORS, t="torch.log(x**3)").lists(
        _log_nodes, **_KEY, hint=hint.freed
    )
    _answer = ask("torch.no_grad()(graph_nodes)(t)", {"errors": hint.off}, **_TENSORS, t="torch.log(x**3)")
    _answer.changes_nothing().lists(_log_nodes, **_KEY, hint=hint.off)
    _mode = "torch.no_grad()(lambda: (graph_nodes(t), torch.is_grad_enabled())[1])()"
    _answer.then(_mode).equals(False, hint=hint.mode)
    _options = {"before": "t.grad_fn.metadata['mine'] = 1"}
    _answer = ask("graph_nodes(t)", _options, **_TENSORS, t="torch.log(x**3)").lists(_log_nodes, **_KEY)
    _answer.then("t.grad_fn.metadata").equals({"mine": 1}, hint=hint.left)
    _answer.then("graph_nodes(t) is graph_nodes(t)").equals(False, hint=hint.kept)
    # The random graphs grow from round to round, so that the first one that fails is small.
    _kinds, _options = ["leaf", "leaf", "constant"], {"before": "x0.grad = torch.ones(2)", "steps": 1_000_000}
    for _round in range(20):
        _inputs, _steps = graphs.draw_program(_kinds, 1 + _round // 6, 2 + _round * 2 // 3)
        _program = graphs.program(_inputs, _steps)
        _compare_strictly(
            list(_program)[-1], _expected_nodes(_inputs, _steps), hint.missing, _program, **_options
        )
    _answer = ask("len(graph_nodes(t))", t="torch.stack([leaf([1.0]) for _ in range(999)])")
    _answer.equals(1000, hint=hint.to_the_end)
    _pass_answer = _answer.then(_BACKWARD, steps=1000)  # a hook left on every node would exceed this limit
    _pass_answer.holds(not _pass_answer.seen["stopped"], hint.left)
    with _credit.part("depth"):
        _doublings = "[x := x + x for _ in range(60)][-1]"
        ask("graph_nodes(t)", {"steps": 100_000}, **_TENSORS, t=_doublings).ends(hint.paths)
        _compare_strictly(_doublings, ["AccumulateGrad", *["AddBackward0"] * 60], hint.missing)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 2.3 · `leaves_of`

●●●○○ · ★★★★★ · 7 min · {{points}}

Return the tracked leaves behind `t`, as a list. They are the tensors that would get a `.grad`
if you called `t.sum().backward()` now, for the first time.

- `t` is the result of a tracked operation: it has a `grad_fn`.
- Return the leaves themselves, not copies, each **once**, in any order. What counts is the object: two leaves with equal values, even two
  that share their memory, are two leaves. Their values, shapes and `.grad` do not matter.
- Do not list constants, or leaves from which `t` was computed only under `no_grad` or through `detach()`. (Leaves whose tracking was
  switched off after `t` was computed do not occur.)
- The rest is as in task 2.2: edges to `None`, deep graphs and graphs with many paths occur, and you must not run `backward()`. Deep graphs
  and those with many paths earn 1 of the 2 points.

<details><summary>Hint 1: the idea</summary>

Traverse the graph as in task 2.2. Which nodes know a leaf?

</details>

<details><summary>Hint 2: a step further</summary>

Section 4 reads the leaf from an `AccumulateGrad` node; the nodes of PyTorch's operations have no such attribute.
`hasattr("text", "upper")` says whether an object has an attribute. Each leaf has a single such node, so you need not compare
tensors. (`x in list` would compare their values!)

</details>
"""

# %% [markdown] lang="ko" en="590b20ef"
r"""
## 과제 2.3 · `leaves_of`

{{marks}}분 · {{points}}

`t`를 만드는 데 쓰인 추적되는 leaf를 리스트로 돌려주세요. `t.sum().backward()`를 처음 호출할 때 `.grad`에 값이 더해지는 텐서들입니다.

- `t`는 추적되는 연산의 결과입니다. 곧 `grad_fn`이 있습니다.
- 복사본이 아니라 leaf 자신을 **한 번씩만** 돌려주세요. 순서는 상관없습니다. 기준은 객체입니다. 값이 같은 두 leaf는 서로 다른 leaf이고,
  메모리를 함께 쓰더라도 마찬가지입니다. 값이나 shape, `.grad`는 상관없습니다.
- 상수는 넣지 않습니다. `no_grad` 안에서만 쓰였거나 `detach()`를 거쳐서만 `t`에 쓰인 leaf도 넣지 않습니다. (`t`를 계산한 뒤에 추적을 끈
  leaf는 나오지 않습니다.)
- 나머지는 과제 2.2와 같습니다. `None`으로 가는 간선, 깊은 그래프, 경로가 많은 그래프가 나오고, `backward()`는 호출하지 않습니다. 2점 중 1점은
  깊은 그래프와 경로가 많은 그래프에서도 맞아야 받습니다.

<details><summary>힌트 1: 생각의 방향</summary>

따라가는 방법은 과제 2.2와 같습니다. 어떤 노드가 leaf를 알고 있나요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

4절에서 `AccumulateGrad` 노드에서 leaf를 읽었습니다. PyTorch 연산의 노드에는 그런 속성이 없습니다. 객체에 어떤 속성이 있는지는
`hasattr("text", "upper")`처럼 알아봅니다. leaf마다 이런 노드가 하나뿐이므로 텐서끼리 비교할 필요가 없습니다. (`x in list`라고 쓰면
값을 비교합니다!)

</details>
"""


# %% answer="leaves_of"
def leaves_of(t):
    """Return the tracked leaves behind the tensor t as a list of the tensors themselves, each once."""
    ### BEGIN SOLUTION
    leaves, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    return leaves
    ### END SOLUTION


# %% test="leaves_of" points=2
from secant import PartialCredit, ask, check, hints, leaf

hint = hints("leaves_of")
_credit = PartialCredit(leaves=1, depth=1)

_TENSORS = {"x": "torch.tensor(2.0, requires_grad=True)", "v": "x.detach().requires_grad_()"}
_TENSORS |= {"w": leaf(3.0, "float32", grad=7.0), "o": "torch.tensor(0.0, requires_grad=True)"}
_ERRORS = {"NoneType": hint.none, "'variable'": hint.variable, "backward": hint.looking}
_OPTIONS = {"by_name": True, "errors": _ERRORS, "steps": 100_000, "ahead": ("leaves_of(t)",)}


def _compare(t, want, cause, tensors=_TENSORS, **extra):
    wrong = {hint.stranger: lambda names: not {*names} <= {*want}}
    wrong |= {hint.once: lambda n: {*n} == {*want}, hint.graded: lambda n: {*want} - {*n} == {"w"}}
    answer = ask("leaves_of(t)", {**_OPTIONS, **extra}, **tensors, t=t).ends().changes_nothing()
    answer.lists(want, hint=cause, mistakes=wrong).again().ends().changes_nothing().lists(want)
    return answer.then("t.sum().backward()", errors=hint.looking)


with _credit.part("leaves", "depth"):
    for _t, _want, _cause in (
        ("w * x + w", "wx", hint.missing),
        ("torch.tensor(3.0) * x + 2", "x", hint.none),
        ("x + o", "xo", hint.zero),
        ("x * v", "xv", hint.objects),
        ("torch.stack([v, x]).mean(0) + x", "xv", hint.any_name),
        ("torch.stack([x, w, v, o])", "xwvo", hint.three),
    ):
        _compare(_t, _want, _cause)
    with _credit.part("depth"):
        _compare("sum([w] * 3000, x)", "xw", hint.missing, errors=hint.too_deep, steps=0)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
from secant import graphs, tensor


def _compare_strictly(t, want, cause=hint.missing, tensors=_TENSORS, **extra):
    """Compare the answer with want, and check that the call does not make t retain its gradient."""
    _compare(t, want, cause, tensors, **extra).then("t.retains_grad").equals(False, hint=hint.retained)


def _expected_leaves(inputs, steps):
    """Return the names of the tracked leaves from which a recorded path leads to the last tensor."""
    sources = [set() if kind == "constant" else {f"x{place}"} for place, kind in enumerate(inputs)]
    for name, *places in steps:
        is_cut = name == "detach" or name.startswith("untracked ")
        sources.append(set() if is_cut else set().union(*(sources[place] for place in places)))
    return sources[-1]


_ERRORS |= {"Boolean": hint.numbers, "size": hint.numbers}
_more_tensors = {
    "x": "torch.tensor([2.0, 3.0], requires_grad=True)",
    "v": "x.detach().requires_grad_()",
    "w": leaf([1.0, 1.0], "float32", grad=7.0),
    "p": "nn.Parameter(torch.ones(2))",
    "q": "p.detach().requires_grad_()",
    "c": "torch.ones(2)",
    "d": "c.detach().requires_grad_()",
    "u": "torch.no_grad()(torch.narrow)(x, 0, 0, 1)",
}
with _credit.part("leaves", "depth"):
    for _t, _want, _cause in (
        ("x.mean(0)", "x", hint.any_name),
        ("x.sum(0) * v", "xv", hint.any_name),
        ("torch.zeros(2)[0].copy_(x[0])", "x", hint.any_name),
        ("x * 0 + w", "xw", hint.zero_slope),
        ("x * c + x * x", "x", hint.none),
        ("c * c - x", "x", hint.none),
        ("torch.log(x**3) + torch.sqrt(x**2)", "x", hint.missing),
        ("(w * x + p)**2", "xwp", hint.missing),
        ("torch.mul(*x.unbind())", "x", hint.missing),
        ("x.unbind()[1] * w", "xw", hint.whatever),
        ("torch.addcmul(x, w, p)", "xwp", hint.three),
        ("v * x", "xv", hint.objects),
        ("(c - d) * (p - q)", "dpq", hint.objects),
        ("torch.sin(x.detach()) * w", "w", hint.cut),
        ("torch.no_grad()(torch.exp)(x) * w", "w", hint.cut),
        ("x.detach() * x * w", "xw", hint.cut),
    ):
        _compare_strictly(_t, _want, _cause, _more_tensors)
    _compare("torch.log(x**3)", "x", hint.missing, _more_tensors).then("x.grad", by_name=False).returns(
        tensor([1.5, 1.0], "float32"), hint=hint.hooked
    )
    _options = {"before": "runs = []; hook = x.register_hook(runs.append)", "by_name": True}
    _answer = ask("leaves_of(t)", _options, **_more_tensors, t="w * x").changes_nothing().lists("xw")
    _answer.then("len(runs)").equals(0, hint=hint.ran)
    _compare_strictly("u * 3", "", hint.cut, _more_tensors)
    _compare_strictly("u * w", "w", hint.cut, _more_tensors)
    _options = {"by_name": True, "errors": hint.off}
    _answer = ask("torch.no_grad()(leaves_of)(t)", _options, **_more_tensors, t="w * x")
    _answer.changes_nothing().lists("xw", hint=hint.off)
    _mode = "torch.no_grad()(lambda: (leaves_of(t), torch.is_grad_enabled())[1])()"
    _answer.then(_mode, by_name=False).equals(False, hint=hint.mode)
    _options = {"by_name": True, "before": "t.sum().backward()", "errors": hint.freed}
    ask("leaves_of(t)", _options, **_more_tensors, t="torch.log(x**3)").lists("x", hint=hint.freed)
    _answer = ask("leaves_of(t)", {"by_name": True}, **_more_tensors, y="x * 4", t="y").lists("x")
    _answer.after("y.mul_(w)", hint.anew).lists("xw")
    _options = {"before": "t.grad_fn.metadata['mine'] = 1"}
    _answer = ask("leaves_of(t)", _options, **_more_tensors, t="torch.log(x**3)")
    _answer.then("t.grad_fn.metadata").equals({"mine": 1}, hint=hint.left)
    _answer.then("leaves_of(t) is leaves_of(t)").equals(False, hint=hint.kept)
    for _leaf, _cause in (
        ("torch.empty(0, requires_grad=True)", hint.empty),
        ("torch.ones(4, 2)[:, 0].requires_grad_()", hint.view),
        ("torch.ones(1).expand(4).requires_grad_()", hint.view),
        ("torch.ones(4, dtype=torch.complex64).requires_grad_()", hint.complex),
        ("torch.full((4,), torch.nan, requires_grad=True)", hint.nan),
    ):
        _compare_strictly("x * y.abs().sum() + y.abs().sum()", "xy", _cause, {"x": _TENSORS["x"], "y": _leaf})
    for _layers in (
        ["nn.Linear(3, 4)", "nn.Linear(4, 1)"],
        ["nn.Linear(3, 2)", "nn.Linear(2, 2)", "nn.Linear(2, 2)"],
        ["nn.Linear(3, 2).requires_grad_(False)", "nn.Linear(2, 1)"],
    ):
        # With by_name, the result contains these names in place of the parameters.
        _names = [
            f"model[{2 * place}].{part}" for place in range(len(_layers)) for part in ("weight", "bias")
        ]
        _arguments = {"model": f"nn.Sequential({', nn.ReLU(), '.join(_layers)}, nn.ReLU())"}
        _arguments |= {name: name for name in _names}
        _want = _names[2:] if "False" in _layers[0] else _names
        _compare_strictly("model(torch.ones(3, 3)).square().mean()", _want, tensors=_arguments)
    # The random graphs grow from round to round, so that the first one that fails is small.
    _kinds, _options = (
        ["leaf", "constant", "parameter", "twin"],
        {"before": "x0.grad = torch.ones(2)", "steps": 1_000_000},
    )
    for _round in range(20):
        _inputs, _steps = graphs.draw_program(_kinds, 1 + _round // 5, 2 + _round * 2 // 3)
        _program = graphs.program(_inputs, _steps)
        _compare_strictly(
            list(_program)[-1], _expected_leaves(_inputs, _steps), hint.missing, _program, **_options
        )
    _answer = ask("len(leaves_of(t))", t="torch.stack([leaf([1.0]) for _ in range(500)])")
    _answer.equals(500, hint=hint.to_the_end)
    # A hook left on every leaf's node would exceed this limit.
    _pass_answer = _answer.then("t.sum().backward()", steps=1000)
    _pass_answer.holds(not _pass_answer.seen["stopped"], hint.left)
    with _credit.part("depth"):
        _doublings = "[x := x + x for _ in range(60)][-1]"
        ask("leaves_of(t)", {"steps": 100_000}, **_TENSORS, t=_doublings).ends(hint.paths)
        _compare_strictly(_doublings, "x")
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 2.4 · `derivatives_by_hand`

●●○○○ · ★★★★☆ · 5 min · {{points}}

Here is a small program. Work out **by hand** what it computes.

```
x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y + 3
loss = z**2
loss.backward()
```

Return a dict with exactly these four keys and their values:

- `'loss/x'`, `'loss/y'`, `'loss/z'`: the derivative of the loss with respect to `x`, `y`, `z`, as plain numbers (`int` or `float`);
- `'y.grad'`: what `y.grad` is after the program has run.

A dict with four values is the whole answer, and only the values count. Do it on paper: the cell after the test lets PyTorch check all four.

<details><summary>Hint 1: the idea</summary>

Begin at the end, with the slope of $z^2$ at the $z$ that the program reaches. Then pass it on, node by node. What *kind* of tensor is `y`?

</details>

<details><summary>Hint 2: a step further</summary>

Here is another program at $x = 1$: `y = x * 5`, `z = y - 1`, `loss = z**3`. There $z = 4$, so `'loss/z'` is $3 \cdot 4^2 = 48$. The
subtraction passes on $48$ to `y`, and the multiplication makes it $5 \cdot 48 = 240$ for `x`. Which tensors keep a `.grad`?

</details>
"""

# %% [markdown] lang="ko" en="7c175360"
r"""
## 과제 2.4 · `derivatives_by_hand`

{{marks}}분 · {{points}}

짧은 프로그램입니다. 무엇이 나올지 **손으로** 구하세요.

```
x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y + 3
loss = z**2
loss.backward()
```

키가 꼭 다음 네 개인 dict를 돌려주세요.

- `'loss/x'`, `'loss/y'`, `'loss/z'`: loss를 `x`, `y`, `z`로 미분한 값. 텐서가 아닌 수(`int` 또는 `float`)로 적습니다.
- `'y.grad'`: 프로그램이 끝났을 때 `y.grad`.

답은 값 네 개가 든 dict이면 되고, 채점할 때는 값만 봅니다. 종이에 직접 풀어 보세요. 테스트 다음 셀에서 네 값을 모두 PyTorch로 확인할 수 있습니다.

<details><summary>힌트 1: 생각의 방향</summary>

끝에서 시작하세요. 프로그램이 도달한 $z$에서 $z^2$의 기울기를 구하고, 노드에서 노드로 넘깁니다. `y`는 어떤 *종류*의 텐서인가요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

$x = 1$에서 `y = x * 5`, `z = y - 1`, `loss = z**3`인 다른 프로그램을 봅시다. $z = 4$이므로 `'loss/z'`는 $3 \cdot 4^2 = 48$입니다. 뺄셈은 `y`에
$48$을 그대로 넘기고, 곱셈은 `x`에 $5 \cdot 48 = 240$을 넘깁니다. `.grad`가 남는 텐서는 어느 것인가요?

</details>
"""


# %% answer="derivatives_by_hand"
def derivatives_by_hand():
    """Return {'loss/x': number, 'loss/y': number, 'loss/z': number, 'y.grad': its value after backward()}."""
    ### BEGIN SOLUTION
    return {"loss/x": 20, "loss/y": 10, "loss/z": 10, "y.grad": None}
    ### END SOLUTION


# %% test="derivatives_by_hand" points=1
from secant import ask, check, hints
from secant.checking.ask import judge

hint = hints("derivatives_by_hand")


def _judge(answer, key, want, mistakes):
    number = answer.result[key]
    default_hint = hint.begin if isinstance(number, int | float) else hint.plain
    wrong = {cause: {key: value} for cause, value in mistakes.items()}
    judge({key: number}, {key: want}, answer.call, rtol=1e-6, mistakes=wrong, hint=default_hint)


_answer = ask("derivatives_by_hand()").changes_nothing()
_keys, _got = ["loss/x", "loss/y", "loss/z", "y.grad"], _answer.result
if isinstance(_got, dict):
    check.equal(sorted(map(str, _got)), _keys, "sorted(derivatives_by_hand())", hint=hint.keys)
else:
    check.equal(_got, dict.fromkeys(_keys, 0), "derivatives_by_hand()", hint=hint.keys)
# This central difference quotient of (2x + 3)^2 is exact, because the function is quadratic.
_slope = ((2 * 1.5 + 3) ** 2 - (2 * 0.5 + 3) ** 2) / (1.5 - 0.5)
_wrong = {hint.double: 10.0, hint.both: 5.0, hint.sum: 8.0, hint.loss: 25.0}
_wrong |= {hint.alone: 2.0, hint.program: 4.0}
_judge(_answer, "loss/x", _slope, _wrong)
_wrong = {hint.square: 5.0, hint.behind: 20.0, hint.sum_alone: 1.0}
_wrong |= {hint.before: 2.0, hint.added: 3.0, hint.passes: 30.0, hint.at_z: 4.0}
_judge(_answer, "loss/y", _slope / 2, _wrong)
check.visible_passed()
### BEGIN HIDDEN TESTS
_judge(_answer, "loss/z", 10.0, {hint.square: 5.0, hint.at_z: 2.0, hint.loss: 25.0, hint.itself: 1.0})
_grad_entry = {"y.grad": _answer.result["y.grad"]}
check.equal(_grad_entry, {"y.grad": None}, "derivatives_by_hand()", hint=hint.intermediate)
_expected = {"loss/x": 20.0, "loss/y": 10.0, "loss/z": 10.0, "y.grad": None}
_answer.again().changes_nothing().returns(_expected, rtol=1e-6)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
Were you right? And what about `z.grad`?
"""

# %% [markdown] lang="ko" en="bedb7e51"
r"""
맞았나요? `z.grad`는 어떻게 되었나요?
"""

# %%
x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y + 3
loss = z**2
slopes = torch.autograd.grad(loss, (x, y, z), retain_graph=True)
print("loss/x, loss/y, loss/z:", *(slope.item() for slope in slopes))
loss.backward()
print(tensor_info(x=x, y=y, z=z, loss=loss))

for made in (y, z):
    assert not made.retains_grad
    assert made.grad_fn is not None

# %% [markdown] lang="en"
r"""
## Task 2.5 · `second_backward_works`

●●●○○ · ★★★☆☆ · 6 min · {{points}}

`x` is a tracked tensor with a single element, such as `torch.tensor(1.0, requires_grad=True)`. For each of the five programs below, say
whether you can call `y.backward()` **twice** on its result, both times without `retain_graph`.

```
y = x + 1        y = x * x        y = x.sum()        y = x.exp()        y = x + x
```

- Return a dict with exactly the keys `'x + 1'`, `'x * x'`, `'x.sum()'`, `'x.exp()'`, `'x + x'`. The values are bools: `True` if the second
  call works, `False` if it raises an error.
- You may reason it out, or let your function try it on tensors of its own.

<details><summary>Hint 1: the idea</summary>

For each operation: to pass on a gradient, does its node need a value from the forward pass? When unsure, try it.

</details>

<details><summary>Hint 2: a step further</summary>

The slope of `x.sin()` is $\cos x$, so its node saves `x`, and the second call fails. The node of `-x` only flips the sign of what it
receives, so it saves nothing. If you would rather try it, the last code cell of section 5 catches the error (click its bar to see the code).

</details>
"""

# %% [markdown] lang="ko" en="1f169f97"
r"""
## 과제 2.5 · `second_backward_works`

{{marks}}분 · {{points}}

`x`는 `torch.tensor(1.0, requires_grad=True)`처럼 원소가 하나인 추적되는 텐서입니다. 다음 다섯 프로그램의 결과에서 `retain_graph` 없이
`y.backward()`를 **두 번** 호출할 수 있는지 답하세요.

```
y = x + 1        y = x * x        y = x.sum()        y = x.exp()        y = x + x
```

- 키가 꼭 `'x + 1'`, `'x * x'`, `'x.sum()'`, `'x.exp()'`, `'x + x'`인 dict를 돌려주세요. 값은 bool입니다. 두 번째 호출이 되면 `True`,
  오류가 나면 `False`입니다.
- 따져서 답해도 되고, 함수 안에서 텐서를 새로 만들어 직접 해 보아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

연산마다 생각해 보세요. gradient를 넘기려면 순방향 계산에서 나온 값이 필요한가요? 확실하지 않으면 직접 해 보세요.

</details>

<details><summary>힌트 2: 한 단계 더</summary>

`x.sin()`의 기울기는 $\cos x$이므로 노드가 `x`를 저장하고, 두 번째 호출에서 오류가 납니다. `-x`의 노드는 받은 값의 부호만 바꾸므로 저장하는
것이 없습니다. 직접 해 보려면 5절의 마지막 코드 셀이 오류를 어떻게 처리하는지 보세요. 이 셀의 코드는 접혀 있으니 막대를 눌러 펼치세요.

</details>
"""


# %% answer="second_backward_works"
def second_backward_works():
    """Return a dict from each program (a str) to whether y.backward() works a second time (a bool)."""
    ### BEGIN SOLUTION
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": False, "x + x": True}
    ### END SOLUTION


# %% test="second_backward_works" points=2
from secant import ask, check, hints

hint = hints("second_backward_works")


def _judge(program, want, cause):
    got = _answer.result[program]
    cause = cause if isinstance(got, bool) else hint.bool
    check.equal({program: got}, {program: want}, _answer.call, hint=cause)


_answer = ask("second_backward_works()").changes_nothing()
_keys, _got = sorted(["x + 1", "x * x", "x.sum()", "x.exp()", "x + x"]), _answer.result
if isinstance(_got, dict):
    check.equal(sorted(map(str, _got)), _keys, "sorted(second_backward_works())", hint=hint.keys)
else:
    check.equal(_got, dict.fromkeys(_keys, True), "second_backward_works()", hint=hint.keys)
_judge("x + 1", True, hint.nothing)
_judge("x * x", False, hint.factor)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula


def _works_twice(program):
    y = formula(program, x=torch.tensor(1.5, requires_grad=True))(None)
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return False
    return True


_expected = {program: _works_twice(program) for program in _keys}
_judge("x.sum()", _expected["x.sum()"], hint.sum)
_judge("x.exp()", _expected["x.exp()"], hint.exp)
_judge("x + x", _expected["x + x"], hint.edges)
_answer.equals(_expected).again().changes_nothing().equals(_expected)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **2.1** Tensors of all kinds: computed without tracking, detached, computed under `no_grad`, tensors of ints, bools and complex numbers, empty ones,
  slices, parameters, views, models' outputs, results of a custom operation (a later lesson; the answer is the same), what is computed from a view made under `no_grad`, intermediates after `retain_grad()` and after `backward()`;
  one tensor whose kind changes; a call under `no_grad`.
- **2.2** Graphs in which nodes and leaves are shared, names occur twice, constants and untracked parts are mixed in, one operation has two or three
  results or four inputs; nodes of every name; a tensor that is changed in place between two calls; tensors without a graph; graphs drawn at random;
  hundreds of leaves; 60 doublings, that is, $2^{60}$ paths. Afterwards `backward()` must still work and give
  the right gradient. A graph that has run `backward()` already; a call under `no_grad`; results computed from a view made under `no_grad`
  (section 1); what a call leaves or changes in the graph; whether each call makes a new list.
- **2.3** The same, and that you return the leaves themselves: empty ones, with equal values, with shared memory, with a `.grad` already,
  parameters of a model, some of them frozen; nodes with the same name; that no backward pass runs.
- **2.4** Each of the four values.
- **2.5** Each of the five answers, tried out.

</details>

Everywhere: the rules of every task.

## What you have built

In lesson 10 you will build an autograd of your own. Its `backward` begins with the traversal you have just written: from the result along
the edges to the leaves, each node once. What is still missing is the order of the nodes, and the sum where edges meet (lesson 4).

## Checklist

You can now answer these without looking back:

- When is a tensor a leaf although it was computed?
- Which tensors have a `grad_fn`? Which get a `.grad`?
- Why does the graph of $\log x^3 + \sqrt{x^2}$ have six nodes and not seven?
- The product of the operations' quotients is the whole quotient: for which $h$, and on which two conditions?
- What does `retain_graph=True` retain?

## Links

- [PyTorch: Understanding requires_grad, retain_grad, leaf, and non-leaf tensors](https://docs.pytorch.org/tutorials/beginner/understanding_leaf_vs_nonleaf_tutorial.html)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.is_leaf](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)

Next: [Lesson 03](../03_backward_and_grad/03_backward_and_grad.ipynb), `.backward()` and the `.grad` buffer.
"""

# %% [markdown] lang="ko" en="a276e604"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **2.1** 온갖 텐서. 추적하지 않고 계산한 것, detach한 것, `no_grad` 안에서 계산한 것, 정수와 bool과 복소수 텐서, 빈 텐서, 잘라 낸 텐서, 파라미터, 뷰,
  모델의 출력, 직접 만든 연산의 결과(뒤의 수업에 나오며 답은 같습니다), `no_grad` 안에서 만든 뷰로 계산한 결과, `retain_grad()`나 `backward()`를 호출한 뒤의 중간 텐서. 종류가 바뀌는 텐서. `no_grad` 안에서 호출했을 때.
- **2.2** 노드와 leaf를 여러 곳에서 쓰는 그래프, 같은 이름이 두 번 나오는 그래프, 상수나 추적되지 않는 부분이 섞인 그래프, 결과가 둘이나 셋인 연산, 입력이 넷인 연산, 온갖
  이름의 노드, 두 번 호출하는 사이에 제자리에서 바뀐 텐서, 그래프가 없는 텐서, 임의로 만든 그래프, leaf 수백 개, 두 배로 만들기
  60번(경로 $2^{60}$개). 호출한 뒤에도 `backward()`가 되고 gradient가 맞는지. 이미
  `backward()`를 한 그래프, `no_grad` 안에서 호출했을 때, `no_grad` 안에서 만든 뷰로 계산한 결과(1절). 그래프에 남기거나 바꾼 것이 없는지, 호출할 때마다 새 리스트를 만드는지.
- **2.3** 2.2와 같은 그래프에서 leaf 자신을 돌려주는지. 빈 leaf, 값이 같은 leaf, 메모리를 함께 쓰는 leaf, 이미 `.grad`가 있는 leaf, 모델의
  파라미터(일부는 동결한 것). 이름이 같은 노드. 역방향 계산을 하지 않는지.
- **2.4** 값 네 개 하나하나.
- **2.5** 답 다섯 개 하나하나. 직접 실행한 결과와 비교.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서는 autograd를 직접 만듭니다. 그 `backward`도 방금 쓴 코드처럼 그래프를 따라가면서 시작합니다. 결과에서 출발해 간선을 따라, 노드마다
한 번씩, leaf까지 갑니다. 아직 없는 것은 노드를 처리하는 순서와, 간선이 만나는 곳에서 더하는 일입니다(수업 04).

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 계산해서 얻었는데도 leaf인 텐서는 어떤 텐서인가요?
- `grad_fn`이 있는 텐서는 어느 것인가요? `.grad`가 생기는 텐서는요?
- $\log x^3 + \sqrt{x^2}$의 그래프는 왜 노드가 일곱 개가 아니라 여섯 개인가요?
- 연산마다 구한 차분몫을 곱하면 전체의 차분몫이 됩니다. $h$가 얼마일 때 그런가요? 조건 두 가지는 무엇인가요?
- `retain_graph=True`는 무엇을 남기나요?

## 더 읽을거리

- [PyTorch: Understanding requires_grad, retain_grad, leaf, and non-leaf tensors (영어)](https://docs.pytorch.org/tutorials/beginner/understanding_leaf_vs_nonleaf_tutorial.html)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.is_leaf (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)

다음은 [수업 03](../03_backward_and_grad/03_backward_and_grad.ipynb), `.backward()`와 `.grad` 버퍼입니다.
"""
