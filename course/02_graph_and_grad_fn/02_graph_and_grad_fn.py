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

Lesson 02 of 10 · ~85 min · graph, grad_fn, leaf

**After this lesson you can**

- tell a leaf, a constant leaf and an intermediate tensor apart, and say which of them gets a `.grad`;
- picture the graph that a few lines of code leave behind, and walk it from node to node;
- see that difference quotients telescope at every step $h$, and get the chain rule from it;
- say what a backward pass frees, and which results can go backward twice.

You need Lesson 01.
"""

# %% [markdown] lang="ko" en="a553c6ac"
r"""
# 계산 그래프와 grad_fn

수업 02 / 10 · 약 85분 · 계산 그래프, grad_fn, leaf

**이 수업을 마치면**

- leaf, 상수 leaf, 중간 텐서를 구별하고, 그중 어느 것에 `.grad`가 생기는지 말할 수 있습니다.
- 코드 몇 줄이 남긴 계산 그래프(computational graph)를 머릿속에 그리고, 노드(node)를 하나씩 따라갈 수 있습니다.
- 차분몫(difference quotient)은 걸음 $h$가 얼마든 곱하면 약분된다는 것을 보고, 거기서 연쇄 법칙(chain rule)을 얻을 수 있습니다.
- 역전파(backpropagation)가 무엇을 지우는지, 어떤 결과에서 `backward()`를 두 번 부를 수 있는지 말할 수 있습니다.

수업 01을 먼저 마치세요.
"""

# %%
import torch

import secant
from secant import draw_graph, expect_error, explore_chain, language, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

Three questions. Choose an answer to each before you read on: the lesson comes back to them, and nobody grades them.

**One.** `x` is a tracked tensor. Here are four programs of one line each:

```
y = x - 1          y = -x          y = 2 * x          y = x ** 3
```

After each of them we call `y.backward()`, and then `y.backward()` once more, both times without any option. Which of the
four fail at the second call?
"""

# %% [markdown] lang="ko" en="77f0ee43"
r"""
## 먼저 예상하기

문제가 세 개 있습니다. 하나씩 답을 고르고 나서 계속 읽으세요. 답은 뒤에서 다시 다룹니다. 점수에는 들어가지 않습니다.

**첫째.** `x`는 추적되는 텐서입니다. 한 줄짜리 프로그램이 네 개 있습니다.

```
y = x - 1          y = -x          y = 2 * x          y = x ** 3
```

각각 실행한 다음 `y.backward()`를 부르고, 이어서 `y.backward()`를 한 번 더 부릅니다. 두 번 다 다른 옵션은 주지 않습니다. 두 번째
호출에서 오류가 나는 것은 넷 가운데 어느 것일까요?
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
**Two.** PyTorch records what it computes as a graph: each operation becomes a *node*, a point of the graph. At its ends, where `x` goes in, there are nodes too. How
many nodes does the graph of $z = \log(x^3) + \sqrt{x^2}$ have?
"""

# %% [markdown] lang="ko" en="e244ad30"
r"""
**둘째.** PyTorch는 계산을 그래프로 기록합니다. 연산 하나가 그래프의 점, 곧 *노드* 하나가 됩니다. 그래프의 끝, `x`가 들어가는 곳에도 노드가 있습니다.
$z = \log(x^3) + \sqrt{x^2}$의 그래프에는 노드가 몇 개 있을까요?
"""

# %%
secant.predict("2 nodes", A="5", B="6", C="7")

# %% [markdown] lang="en"
r"""
**Three.** $z = 3x$, then $y = z + 1$, then $\text{loss} = y^2$. Move $x$ from $2$ to $3$: no small step. Each of the three
operations then has a difference quotient, and so has the whole chain, $\Delta\text{loss}/\Delta x$. Multiply the
quotients of the three. Is the product the quotient of the whole?
"""

# %% [markdown] lang="ko" en="236be4ce"
r"""
**셋째.** $z = 3x$, 이어서 $y = z + 1$, 이어서 $\text{loss} = y^2$입니다. $x$를 $2$에서 $3$으로 옮깁니다. 작은 걸음이 아닙니다. 그러면 세 연산에
저마다 차분몫이 있고, 사슬(chain) 전체에도 차분몫 $\Delta\text{loss}/\Delta x$가 있습니다. 세 연산의 차분몫을 곱하면 전체의 차분몫이 될까요?
"""

# %%
secant.predict(
    "2 product",
    A=say(en="only nearly: the chain rule is for very small steps", ko="비슷할 뿐이다. 연쇄 법칙은 아주 작은 걸음에서만 맞는다"),
    B=say(en="only nearly: the square is no straight line", ko="비슷할 뿐이다. 제곱은 직선이 아니다"),
    C=say(en="exactly", ko="정확히 같다"),
)

# %% [markdown] lang="en"
r"""
## 1. Three kinds of tensor

The function of lesson 1 again, $z = \log x^3$ at $x = 5$, in two steps. `tensor_info` shows what PyTorch knows of a tensor
besides its value. First without tracking:
"""

# %% [markdown] lang="ko" en="39daabfd"
r"""
## 1. 텐서의 세 종류

수업 01의 함수 $z = \log x^3$을 $x = 5$에서 두 단계로 다시 계산합니다. `tensor_info`는 PyTorch가 텐서에 대해 값 말고 또 무엇을
알고 있는지 보여 줍니다. 먼저 추적하지 않을 때입니다.
"""

# %%
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(tensor_info(x=x, y=y, z=z))

# %% [markdown] lang="en"
r"""
Three numbers, and nothing else: no history. Now we track `x`, and change nothing else.
"""

# %% [markdown] lang="ko" en="2c43b3d1"
r"""
수 세 개뿐이고 어떻게 계산했는지는 남지 않았습니다. 이번에는 `x`만 추적하고 나머지는 그대로 둡니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
print(tensor_info(x=x, y=y, z=z))

# %% [markdown] lang="en"
r"""
Three columns have changed. `is_leaf` follows from the other two:

- `requires_grad` is passed on: a result is tracked as soon as *one* of its inputs is.
- `grad_fn` holds the **node** that was recorded for the operation. *Every* tracked result has one, `y` as well as `z`, not only
  the last.

`requires_grad` and `grad_fn` are enough to sort all tensors into three kinds:

| kind | `requires_grad` | `grad_fn` | `is_leaf` | what `backward()` does for it |
|---|---|---|---|---|
| **leaf** | True | None | True | adds its gradient to `.grad` |
| **constant leaf** | False | None | True | nothing |
| **intermediate** | True | a node | False | passes the gradient on and keeps nothing |

`is_leaf` says only that no operation was recorded for a tensor. So in the first table `y` and `z` *are* leaves, although
they were computed. "A leaf is a tensor that somebody marked with `requires_grad=True`" is a common belief, but it
describes only the first row.

Two ways to compute without a record will turn up in the tasks, and lesson 6 is about them: inside `with torch.no_grad():`
no operation is recorded at all, and `x.detach()` returns a tensor with the numbers of `x` and no history. What `detach`
returns is a constant leaf, and so is what is computed anew under `no_grad`. (Only a view of a tracked tensor, one that shares its memory as `x[:1]` does, stays tracked there.)

Now the backward pass. Which of the three gets a `.grad`?
"""

# %% [markdown] lang="ko" en="fcbfe328"
r"""
세 열이 달라졌습니다. 그중 `is_leaf`는 다른 두 열로 정해집니다.

- `requires_grad`는 결과로 이어집니다. 입력 가운데 *하나라도* 추적되면 결과도 추적됩니다.
- `grad_fn`에는 그 연산을 기록한 **노드**(node)가 들어 있습니다. 마지막 결과뿐 아니라 추적되는 결과 *모두*에 있습니다. `z`에도 있고
  `y`에도 있습니다.

`requires_grad`와 `grad_fn`이면 모든 텐서를 세 종류로 나눌 수 있습니다.

| 종류 | `requires_grad` | `grad_fn` | `is_leaf` | `backward()`가 하는 일 |
|---|---|---|---|---|
| **leaf** | True | None | True | `.grad`에 gradient를 더함 |
| **상수 leaf** (constant leaf) | False | None | True | 아무것도 안 함 |
| **중간 텐서** (intermediate) | True | 노드 | False | gradient를 넘겨주기만 하고 남기지 않음 |

`is_leaf`는 그 텐서를 만든 연산이 기록되지 않았다는 뜻일 뿐입니다. 그래서 첫 번째 표의 `y`와 `z`는 계산해서 얻은 텐서인데도
leaf입니다. "leaf는 사용자가 `requires_grad=True`로 표시한 텐서"라고 아는 사람이 많지만, 이 말은 표의 첫 줄에만
맞습니다.

기록을 남기지 않고 계산하는 방법 두 가지가 과제에 나옵니다. 자세한 것은 수업 06에서 다룹니다. `with torch.no_grad():` 안에서는 연산이
하나도 기록되지 않고, `x.detach()`는 `x`와 값은 같지만 어떻게 계산했는지가 남지 않은 텐서를 돌려줍니다. `detach`가 돌려주는 텐서는 상수 leaf이고, `no_grad` 안에서 새로
계산한 값도 그렇습니다. (추적되는 텐서의 view, 곧 `x[:1]`처럼 메모리를 함께 쓰는 텐서만은 그 안에서 만들어도 추적됩니다.)

이제 `backward()`를 부를 차례입니다. 셋 가운데 어느 것에 `.grad`가 생길까요?
"""

# %%
z.backward()
print(tensor_info(x=x, y=y, z=z))

for tensor in (y, z):
    assert not tensor.retains_grad  # its gradient was not kept
    assert tensor.grad_fn is not None  # its node was

# %% [markdown] lang="en"
r"""
`x.grad` is $0.6$. To get there autograd needed $dz/dz = 1$ and $dz/dy = 1/y = 1/125 = 0.008$, then $0.008 \cdot 3x^2 = 0.6$. It
had the first two in hand, used them and dropped them: `y.grad` and `z.grad` are still `None`. For an intermediate tensor, `retains_grad`
tells you so beforehand (a leaf has `False` there too, and a `.grad` all the same); lesson 3 shows how to keep them.

And `grad_fn` is still there. We come back to that in section 5.
"""

# %% [markdown] lang="ko" en="6ff83282"
r"""
`x.grad`는 $0.6$입니다. 이 값을 얻으려면 $dz/dz = 1$과 $dz/dy = 1/y = 1/125 = 0.008$이 먼저 있어야 하고, 그다음이
$0.008 \cdot 3x^2 = 0.6$입니다. autograd는 앞의 두 값을 구해서 쓰고는 버렸습니다. 그래서 `y.grad`와 `z.grad`는 여전히
`None`입니다. 중간 텐서라면 `retains_grad` 열에서 이를 미리 알 수
있습니다. (leaf도 이 열은 `False`이지만 `.grad`는 생깁니다.) 값을 남겨 두는 방법은 수업 03에서 다룹니다.

`grad_fn`은 그대로 남아 있습니다. 이 이야기는 5절에서 이어집니다.
"""

# %% [markdown] lang="en"
r"""
## 2. Every operation makes a node

A linear model with one weight, and a squared loss: $z = wx$, $y = z + b$, $\text{loss} = y^2$. How many nodes will the graph have?
"""

# %% [markdown] lang="ko" en="5d0e69fd"
r"""
## 2. 연산마다 노드가 하나

가중치(weight)가 하나인 선형 모델과 제곱 loss입니다. $z = wx$, $y = z + b$, $\text{loss} = y^2$. 그래프에는 노드가 몇 개 있을까요?
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
Six: the blue boxes with round corners and the orange ones with points. (The rectangles are your tensors.) The blue ones stand for the operations, and each bears the name of the operation *whose slope it knows*: `MulBackward0` can do
the backward step of a multiplication. (The digit at the end numbers variants of an operation: the sum of all elements is
`SumBackward0`, the sum along one dimension `SumBackward1`. It need not bother you.)

The orange ones stand at the leaves. The job of an `AccumulateGrad` node is to add what arrives to the `.grad` of its leaf.

The edges point from a result to its inputs: this is the way that `backward()` goes. Before you run the next cell,
walk it by hand. Start with $1$ at the loss; each node multiplies what it receives by its own slope and hands it on.

- `PowBackward0`: the slope of $y^2$ is $2y = 14$. It hands on $14$.
- `AddBackward0`: the slope of a sum is $1$ on either side. It hands $14$ to $z$ and $14$ to $b$.
- `MulBackward0`: the slope of $wx$ is $x = 2$ if $w$ moves and $x$ stands still, and $w = 3$ the other way round. It hands $28$ to $w$ and $42$ to $x$.
"""

# %% [markdown] lang="ko" en="33f5282e"
r"""
여섯 개입니다. 모서리가 둥근 파란 상자와 양 끝이 뾰족한 주황 상자가 노드이고, 직사각형은 텐서입니다. 파란 상자 셋은 연산을 나타내며, 이름은 *어떤 연산의 기울기를 아는지* 알려 줍니다. `MulBackward0` 노드는 곱셈의
역전파를 할 줄 압니다. (끝의 숫자는 같은 연산의 변형을 구별하는 번호입니다. 전체 합은 `SumBackward0`, 한 차원만 더한 합은
`SumBackward1`입니다. 신경 쓰지 않아도 됩니다.)

주황 상자 셋은 leaf에 붙어 있습니다. `AccumulateGrad` 노드가 하는 일은 도착한 값을 자기 leaf의 `.grad`에 더하는 것입니다.

간선(edge)은 결과에서 입력 쪽을 가리킵니다. `backward()`가 가는 방향입니다. 다음 셀을 실행하기 전에 손으로 따라가 봅시다. loss에서
$1$로 시작하고, 노드는 받은 값에 자기 기울기를 곱해 다음으로 넘깁니다.

- `PowBackward0`: $y^2$의 기울기는 $2y = 14$입니다. $14$를 넘깁니다.
- `AddBackward0`: 덧셈의 기울기는 어느 쪽이든 $1$입니다. $z$에 $14$, $b$에 $14$를 넘깁니다.
- `MulBackward0`: $wx$의 기울기는 $x$를 고정하고 $w$를 움직이면 $x = 2$, $w$를 고정하고 $x$를 움직이면 $w = 3$입니다. $w$에 $28$, $x$에 $42$를 넘깁니다.
"""

# %%
loss.backward()
print("x.grad, w.grad, b.grad:", x.grad, w.grad, b.grad)

# %% [markdown] lang="en"
r"""
## 3. Quotients telescope

Behind $42 = 3 \cdot 1 \cdot 14$ is the chain rule. It is usually told with derivatives, that is, for $h \to 0$. Try it with a step that you can
see.

Keep $w = 3$ and $b = 1$ and move $x$ by $h$. Then $z$, $y$ and the loss move as well, and each node has a difference
quotient *over its own step*: the change of its output divided by the change of its input. On the left, a bar is the quotient of one
operation and the line in it autograd's slope; the bar on the far right belongs to the whole chain. (The bars' axis is nearly a log scale: look at its numbers.) On the right you see how far apart bar and line are, for every $h$.

1. At the start $x = 2$ and $h = 1$. Multiply the three quotients below the picture. Is that the quotient of the whole chain?
2. Make $h$ small. Which of the three factors move, and where to? Where does the product go?
3. Go on to $h = 10^{-15}$. Now rounding spoils the factors. And the product?
4. Move $x$, with a large and with a small $h$. Does the product ever differ from the whole?
"""

# %% [markdown] lang="ko" en="0f6ffa96"
r"""
## 3. 차분몫은 곱하면 약분된다

$42 = 3 \cdot 1 \cdot 14$ 뒤에는 연쇄 법칙이 있습니다. 연쇄 법칙은 보통 미분, 곧 $h \to 0$일 때의 이야기로 배웁니다. 여기서는
눈에 보이는 걸음으로 해 봅시다.

$w = 3$, $b = 1$은 그대로 두고 $x$를 $h$만큼 움직입니다. 그러면 $z$, $y$, loss도 움직이고, 노드마다 *자기 걸음으로 나눈* 차분몫이
생깁니다. 출력이 달라진 만큼을 입력이 달라진 만큼으로 나눈 값입니다. 왼쪽 그림에서 막대는 한 연산의 차분몫이고 막대 안의 선은 autograd의
기울기입니다. 맨 오른쪽 막대는 사슬 전체의 차분몫입니다. (막대의 세로축은 로그 눈금에 가까우니 눈금의 수를 보세요.) 오른쪽 그림은 막대와 선이 $h$마다 얼마나 떨어져 있는지를 보여 줍니다.

1. 처음에는 $x = 2$, $h = 1$입니다. 그림 아래에 있는 차분몫 세 개를 곱해 보세요. 사슬 전체의 차분몫이 되나요?
2. $h$를 줄이세요. 세 인수 가운데 어느 것이 변하고, 어떤 값에 다가가나요? 곱은 어떤 값에 다가가나요?
3. $h = 10^{-15}$까지 가 보세요. 이제 반올림 때문에 인수들이 부정확해집니다. 곱은 어떤가요?
4. $h$를 크게 두고, 또 작게 두고 $x$를 움직이세요. 곱이 전체와 달라지는 때가 있나요?
"""

# %%
explore_chain()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At $h = 1$ the quotients are $3$, $1$ and $17$, and the whole is $51 = 3 \cdot 1 \cdot 17$. As long as no inner step is $0$, the product is the
whole at every $h$, and there is no mystery in it:

$$\frac{\Delta z}{\Delta x}\cdot\frac{\Delta y}{\Delta z}\cdot\frac{\Delta\text{loss}}{\Delta y} = \frac{\Delta\text{loss}}{\Delta x}.$$

Each inner change stands once above and once below a fraction bar, so it cancels: the quotients *telescope*. Rounding hardly disturbs this: at
$h = 10^{-15}$ it makes $13.33$ of the last factor, and $3 \cdot 1 \cdot 13.33$ is again the whole, $40$. (Only where it rounds an inner step to $0$ does a quotient become $0/0$.) What $h \to 0$ does is to move the *factors*: $3$ and $1$
stay, since these two nodes are straight lines, and $17$ goes to $14$. That gives $42$, the number that autograd multiplied together.

</details>
"""

# %% [markdown] lang="ko" en="3fd7ebfb"
r"""
<details><summary>무엇을 보았나요?</summary>

$h = 1$에서 차분몫은 $3$, $1$, $17$이고 전체는 $51 = 3 \cdot 1 \cdot 17$입니다. 중간의 걸음이 $0$이 아니면 $h$가 얼마든 곱은 전체와 같습니다. 신기할 것도 없습니다.

$$\frac{\Delta z}{\Delta x}\cdot\frac{\Delta y}{\Delta z}\cdot\frac{\Delta\text{loss}}{\Delta y} = \frac{\Delta\text{loss}}{\Delta x}$$

중간의 변화량은 분자에 한 번, 분모에 한 번 나와서 차례로 약분됩니다(telescoping). 반올림도 이 관계를 좀처럼 깨뜨리지 못합니다. $h = 10^{-15}$에서는
반올림 때문에 마지막 인수가 $13.33$이 되지만, $3 \cdot 1 \cdot 13.33$은 역시 전체의 차분몫 $40$입니다. (반올림으로 중간의 걸음이 $0$이 될 때만 차분몫이 $0/0$이 됩니다.) $h \to 0$일 때 변하는 것은 *인수*입니다. $3$과 $1$은
두 노드의 연산이 일차 함수이므로 그대로이고, $17$은 $14$에 다가갑니다. 그래서 $42$가 되고, 이것이 autograd가 곱해서 얻은 수입니다.

</details>
"""

# %%
secant.predicted(
    "2 product",
    right="C",
    A=say(
        en="The limit makes slopes of the quotients. The product is right before it: 3 · 1 · 17 = 51 at h = 1.",
        ko="극한이 하는 일은 차분몫을 기울기로 바꾸는 것입니다. 곱은 그 전에도 맞습니다. h = 1에서 3 · 1 · 17 = 51입니다.",
    ),
    B=say(
        en="The square is not straight: its own quotient is 17 here, and its slope 14. The product uses the 17.",
        ko="제곱은 직선이 아니어서 차분몫은 17이고 기울기는 14입니다. 곱에는 17이 들어갑니다.",
    ),
    C=say(
        en="Each inner change cancels at every h, as long as none of them is 0: 3 · 1 · 17 = 51.",
        ko="0이 되지만 않으면 h가 얼마든 중간의 변화량은 모두 약분됩니다. 3 · 1 · 17 = 51입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
Two conditions stand behind the cancelling: each quotient is taken over *its own* step, and **no inner step is 0**. Take
$z = \text{relu}(x) = \max(x, 0)$ and $\text{loss} = (z-1)^2$ at $x = -2$, $h = 1$. Here $z$ does not move, so the product is $0 \cdot \frac{0}{0}$, while the whole quotient
is $0$. This is the well-known gap in the short proof of the chain rule. It closes if, where an inner step is $0$, the *derivative* takes the
place of the missing quotient: with $0 \cdot (-2) = 0$ the product is right again.

So each node needs to know only its own slope. Nobody has to know the whole formula: that is why a graph of small nodes is enough.

Now a chain of your own: a list of steps, each from one number to one number. Here is the $\log x^3$ of section 1. For the gap, write
`[("z", torch.relu), ("loss", lambda z: (z - 1) ** 2)], x=-2.0, h=1.0, x_range=(-4, 4)` in its place.
"""

# %% [markdown] lang="ko" en="f3e9d7b7"
r"""
이렇게 약분하려면 조건이 두 가지 있습니다. 차분몫마다 *자기 걸음*으로 나누어야 하고, **중간의 걸음이 0이 아니어야** 합니다. $x = -2$, $h = 1$에서
$z = \text{relu}(x) = \max(x, 0)$, $\text{loss} = (z-1)^2$을 보세요. $z$가 움직이지 않으므로 곱은 $0 \cdot \frac{0}{0}$이 되지만, 전체의 차분몫은
$0$입니다. 연쇄 법칙의 짧은 증명에 있는 유명한 빈틈입니다. 중간의 걸음이 $0$인 곳에서 없는 차분몫 대신 *미분계수*를 쓰면 빈틈이 메워집니다.
$0 \cdot (-2) = 0$이므로 곱이 다시 맞습니다.

그러니 노드는 자기 기울기만 알면 됩니다. 전체 식은 아무도 몰라도 됩니다. 작은 노드로 된 그래프면 충분한 까닭이 여기에
있습니다.

이제 여러분의 사슬을 넣어 보세요. 수 하나를 받아 수 하나를 내는 단계를 차례로 적습니다. 아래는 1절의 $\log x^3$입니다. 위에서 말한 빈틈을 보려면
`[("z", torch.relu), ("loss", lambda z: (z - 1) ** 2)], x=-2.0, h=1.0, x_range=(-4, 4)`로 바꾸어 넣으세요.
"""

# %%
explore_chain([("y", lambda x: x**3), ("z", torch.log)], x=5.0, h=1.0, x_range=(1, 9))

# %% [markdown] lang="en"
r"""
## 4. Walk the graph yourself

A node holds its edges in `next_functions`. Here is the second question from the beginning: `x` is used twice.
"""

# %% [markdown] lang="ko" en="08adbd83"
r"""
## 4. 그래프를 직접 따라가기

노드의 간선은 `next_functions`에 들어 있습니다. 처음에 나온 둘째 문제를 봅시다. 이번에는 `x`를 두 번 씁니다.
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
        en="These are the operations. Below them `x` has a node as well, AccumulateGrad.",
        ko="연산만 세면 그렇습니다. 그 아래에 `x`의 노드 AccumulateGrad도 있습니다.",
    ),
    B=say(
        en="Five operations, and one node for `x`, however often `x` is used.",
        ko="연산이 다섯이고, `x`는 몇 번을 쓰든 노드가 하나입니다.",
    ),
    C=say(
        en="That would be a node for each use of `x`. But both edges end in the same one.",
        ko="`x`를 쓸 때마다 노드가 생긴다면 그렇습니다. 하지만 두 간선은 같은 노드에서 끝납니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The two `PowBackward0` share a name but are two nodes: $x^3$ and $x^2$ are two operations. The two edges at the
bottom, however, end in *the same* `AccumulateGrad` node, and its `variable` is `x` itself, not a copy. **The graph is
not a tree.** (It is a *directed acyclic graph*, DAG: its edges have a direction and never lead in a circle.) How the two gradients that meet
there are added up is told in lesson 4.

So if you walk it, remember which nodes you have visited. Here is a walk through the four nodes of `x**2 + torch.sin(x)`. It takes the
last node off a to-do list and adds the ends of its edges, until the list is empty:

| node taken | seen before? | to do afterwards |
|---|---|---|
| | | `Add` |
| `Add` | no | `Pow`, `Sin` |
| `Sin` | no | `Pow`, `AccumulateGrad` |
| `AccumulateGrad` | no | `Pow` |
| `Pow` | no | `AccumulateGrad` |
| `AccumulateGrad` | **yes**: leave it | |

An edge is a pair `(node, number)`. The number says which of the results of an operation is meant. For an operation with
a single result it is 0; `unbind`, which takes a tensor apart, shows others. And an input that is not tracked has an edge to nowhere:
"""

# %% [markdown] lang="ko" en="0f134c8c"
r"""
`PowBackward0` 둘은 이름은 같지만 서로 다른 노드입니다. $x^3$과 $x^2$은 서로 다른 연산이기 때문입니다. 그런데 맨 끝의
두 간선은 *같은* `AccumulateGrad` 노드에서 끝나고, 그 노드의 `variable`은 복사본이 아니라 `x` 자신입니다. **그래프는 트리가
아닙니다.** (방향이 있고 순환하지 않는 그래프, 곧 DAG(directed acyclic graph)입니다.) 그곳에서 만난 두 gradient가 어떻게 더해지는지는 수업 04에서 다룹니다.

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

간선은 `(노드, 번호)` 쌍입니다. 번호는 그 연산의 결과 가운데 몇 번째인지를 뜻합니다. 결과가 하나인 연산에서는 0이고, 텐서를 쪼개는
`unbind`에서는 다른 번호도 나옵니다. 그리고 추적되지 않는 입력의 간선은 아무 데도 이어지지 않습니다.
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
All edges point backwards, to what a result was made from. `x` does not know of `z`. So a graph lives as long as somebody holds
its result, or a node: when the last of them is gone, the graph goes too.
"""

# %% [markdown] lang="ko" en="d9f89b05"
r"""
간선은 모두 뒤쪽, 곧 결과를 만든 재료 쪽을 가리킵니다. `x`는 `z`를 모릅니다. 그래서 그래프는 어떤 변수가 결과나 노드를 붙들고 있는
동안만 살아 있고, 마지막 하나가 사라지면 함께 사라집니다.
"""

# %% [markdown] lang="en"
r"""
## 5. What a backward pass frees

To hand on the right number, a node may have to know a value of the forward run: the slope of $\log y$ is $1/y$, so the node of
the logarithm keeps $y = 125$. This is called a **saved tensor**. `draw_graph(saved=True, ...)` shows them all.
"""

# %% [markdown] lang="ko" en="1d1e81ae"
r"""
## 5. 역전파가 지우는 것

알맞은 값을 넘기려면 순방향(forward) 계산에서 나온 값을 알아야 하는 노드가 있습니다. $\log y$의 기울기는 $1/y$이므로 로그의 노드는 $y = 125$를
간직합니다. 이것을 **저장된 텐서**(saved tensor)라고 합니다. `draw_graph(saved=True, ...)`로 모두 볼 수 있습니다.
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
Now we go backward, look again, and try to go backward a second time.
"""

# %% [markdown] lang="ko" en="ecb9e4c8"
r"""
이제 `backward()`를 부르고, 다시 살펴보고, 한 번 더 불러 봅니다.
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
"The graph is freed after `backward()`" is what one often reads. Look: nodes and edges are all there, and so is
`grad_fn`. What is gone are the **saved tensors**, $125$ and $5$. (The
exponent $3$ is a plain number, not a tensor: it stays.) The message says just that: "Saved intermediate values of the graph are
freed". They are freed because in a large model they take up much of the memory, and one backward pass is nearly always
enough.

If you need two, say so at the *first*: `retain_graph=True` keeps the saved tensors. The second call, without it, frees them.
"""

# %% [markdown] lang="ko" en="2fe875ef"
r"""
"`backward()`를 하면 그래프가 해제된다"라는 말을 흔히 볼 수 있습니다. 그런데 보세요. 노드와 간선은 모두 그대로이고 `grad_fn`도
있습니다. 사라진 것은 **저장된 텐서** $125$와 $5$입니다. (지수 $3$은 텐서가
아니라 그냥 수이므로 남습니다.) 오류 메시지도 바로 그렇게 말합니다. "Saved intermediate values of the
graph are freed"(그래프에 저장해 둔 중간값은 지워졌다). 이것을 지우는 까닭은, 큰 모델에서는 저장된 텐서가 메모리를 많이 차지하고, `backward()`는 거의 언제나 한
번이면 충분하기 때문입니다.

두 번 불러야 한다면 *첫 번째* 호출에 `retain_graph=True`를 주세요. 그러면 저장된 텐서가 남습니다. 이 옵션 없이 부르는 두 번째
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
y = x**3  # a new graph, with saved tensors of its own
y.backward(retain_graph=True)
y.backward()
print(say(en="x^3, twice      :", ko="x^3, 두 번      :"), x.grad)

# %% [markdown] lang="en"
r"""
The gradient is the same both times; it is `.grad` that is added to, hence $1.2$ and $24$ (lesson 3). Most programs need no
`retain_graph`: they compute the result anew, as in `y = x**3` above, and get a new graph. Every step of a training loop does
so.

And the first question from the beginning? An operation that saved nothing has nothing to lose:
"""

# %% [markdown] lang="ko" en="49822467"
r"""
gradient는 두 번 다 같습니다. `.grad`에 더해지기 때문에 $1.2$와 $24$가 된 것입니다(수업 03). 대개는 `retain_graph`가 필요 없습니다.
위의 `y = x**3`처럼 결과를 다시 계산하면 새 그래프가 생기기 때문입니다. 학습할 때도 매번 그렇게 합니다.

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
        second = say(en="second backward works", ko="두 번째 backward 됨")
    except RuntimeError:
        second = say(en="second backward fails", ko="두 번째 backward 오류")
    print(f"{text:14}{node.name():16}" + say(en="saved: ", ko="저장: ") + f"{saved!s:8}{second}")

secant.predicted(
    "2 second backward",
    right="C",
    A=say(
        en="The graph is still there after the first pass. Only what a node had saved is gone.",
        ko="첫 번째 backward가 끝나도 그래프는 그대로 있습니다. 노드가 저장해 둔 것만 사라집니다.",
    ),
    B=say(
        en="`x ** 3` needs `x`, and it is freed. So is the 2 that `2 * x` saved, although its slope never changes.",
        ko="`x ** 3`에는 `x`가 필요한데 그것이 지워집니다. `2 * x`는 기울기가 늘 같은데도 2를 저장하고, 이것도 지워집니다.",
    ),
    C=say(
        en="These two saved a tensor, which the first pass frees. `x - 1` and `-x` saved nothing.",
        ko="이 둘은 텐서를 저장했고, 첫 번째 backward가 그것을 지웁니다. `x - 1`과 `-x`는 저장한 것이 없습니다.",
    ),
    D=say(
        en="The first pass frees what the nodes saved, and two of the four saved something.",
        ko="첫 번째 backward는 노드가 저장한 것을 지웁니다. 넷 가운데 둘이 저장했습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The slope of $x - 1$ is $1$ and that of $-x$ is $-1$, whatever $x$ is. These nodes save nothing and work as often as you like. $x^3$ needs $x$.

The surprise is `2 * x`. Its slope is $2$ whatever $x$ is. But PyTorch uses the same `MulBackward0` as for `w * x`, which saves
the other factor: here the $2$, made into a tensor. It is freed like any other. So whether a second backward works is a question about the
*code* of an operation, not about mathematics, and another version of PyTorch may answer it differently. A program should not
rely on it. But you can now read the error message: *some node of this graph had saved something*.
"""

# %% [markdown] lang="ko" en="738dfb44"
r"""
$x$가 무엇이든 $x - 1$의 기울기는 $1$이고 $-x$의 기울기는 $-1$입니다. 이 노드들은 저장하는 것이 없어서 `backward()`를 몇 번이든 부를 수 있습니다. $x^3$에는 $x$가 필요합니다.

뜻밖인 것은 `2 * x`입니다. $x$가 무엇이든 기울기는 $2$입니다. 그런데 PyTorch는 `w * x`에 쓰는 것과 똑같은 `MulBackward0` 노드를 쓰고, 이 노드는
곱해진 다른 쪽을 저장합니다. 여기서는 $2$를 텐서로 바꾸어 저장하고, 이것도 다른 것들과 함께 지워집니다. 그러니 두 번째 backward가 되는지는
수학이 아니라 연산의 *코드*에 달린 문제이고, PyTorch 버전이 바뀌면 답도 달라질 수 있습니다. 프로그램을 짤 때 여기에 기대서는 안 됩니다.
다만 이제 오류 메시지를 제대로 읽을 수 있습니다. *이 그래프의 어느 노드가 무언가를 저장해 두었다*는 뜻입니다.
"""

# %% [markdown] lang="en"
r"""
## 6. A real bug

Saved tensors take memory. *Checkpointing* spares it: a layer runs without recording, and runs again when `backward()` comes by. To
autograd it is a single operation, whose inputs are the tensors *handed to it*; weights used inside are not among them. Below, `w` is used in a
checkpointed layer and once more outside. The value of the loss is right, and `backward()` raises no error.
"""

# %% [markdown] lang="ko" en="ab9459de"
r"""
## 6. 실제로 있었던 버그

저장된 텐서는 메모리를 많이 차지합니다. *체크포인트*(checkpointing)를 쓰면 메모리가 절약됩니다. 층(layer)을 기록 없이 계산했다가 `backward()`를 할 때 다시
계산하는 방법입니다. autograd가 보기에 이런 층은 연산 하나이고, 그 입력은 *인자로 넘긴* 텐서뿐입니다. 안에서 쓰는 가중치는 입력으로 치지 않습니다. 아래에서 `w`는
체크포인트를 적용한 층 안에서 한 번, 그 밖에서 한 번 쓰입니다. loss의 값은 맞고, `backward()`에서 오류도 나지 않습니다.
"""

# %%
import warnings

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
    name = say(en="no checkpoint", ko="체크포인트 없음") if reentrant is None else f"use_reentrant={reentrant}"
    print(f"{name:22}loss {loss.item()}  ", say(en="quotient", ko="차분몫"), f"{quotient:.3f}   w.grad {w.grad.item()}")

# %% [markdown] lang="en"
r"""
The difference quotient exposes the bug: the slope is $54$, and `use_reentrant=True` gives $18$. (It is the older way: `backward()` is called once more inside `backward()`. You still get it, with a warning, if you do not choose.) The only input handed over is untracked,
so by the rule of section 1 the result is a constant leaf, and the edge from the sum to the layer is `None`. (There is a warning, which we
silenced: "None of the inputs have requires_grad=True".)

Models are often adapted like this: the weights of all layers are frozen (no longer tracked), and a few new ones are put into them, as LoRA does. With checkpointing on, such weights got no gradient.
[Issue 26221 of Hugging Face's transformers](https://github.com/huggingface/transformers/issues/26221) has the title "Gradient
checkpointing should have no functional impact". Two fixes are in use: `use_reentrant=False`, which
[PyTorch's documentation](https://docs.pytorch.org/docs/stable/checkpoint.html) recommends and which records the inside of the layer, or
[calling `requires_grad_(True)` on the layer's input](https://github.com/huggingface/transformers/pull/21598).
"""

# %% [markdown] lang="ko" en="f21c4ce3"
r"""
차분몫을 보면 버그가 드러납니다. 기울기는 $54$인데 `use_reentrant=True`에서는 $18$이 나옵니다. (이것은 `backward()` 안에서 `backward()`를 또 부르는 오래된 방식입니다. 아무것도 고르지 않으면 경고와 함께 아직도 이 방식이 쓰입니다.) 인자로 넘긴 텐서가 추적되지 않으므로 1절의
규칙에 따라 결과는 상수 leaf이고, 덧셈에서 이 층으로 가는 간선은 `None`입니다. (사실은 "None of the inputs have requires_grad=True"(requires_grad=True인 입력이 하나도 없다)라는 경고가
나오는데, 여기서는 꺼 두었습니다.)

모델을 이런 식으로 미세 조정(fine-tuning)하는 일이 많습니다. 층의 가중치는 모두 동결하고(freeze, 추적하지 않고) 그 안에 새 가중치를 조금만 넣습니다. LoRA가 그런 방법입니다. 체크포인트를 켜면 이
가중치에 gradient가 오지 않았습니다.
[Hugging Face transformers의 이슈 26221](https://github.com/huggingface/transformers/issues/26221)의 제목은 "체크포인트는 결과에 영향을 주지 않아야
한다"(Gradient checkpointing should have no functional impact)입니다. 고치는 방법은 두 가지입니다. [PyTorch
문서](https://docs.pytorch.org/docs/stable/checkpoint.html)가 권하는 `use_reentrant=False`를 쓰면 층 안의 연산도 기록됩니다. 또는
[층의 입력에 `requires_grad_(True)`를 부릅니다](https://github.com/huggingface/transformers/pull/21598).
"""

# %% [markdown] lang="en"
r"""
# Tasks

Five functions, 10 points. Under each answer cell is a test cell with the **visible tests**. The **hidden tests** are added when your
work is graded; what they look for is said in words below the last task. If you teach yourself, **Check** above the notebook lets them look now.
After a pass, or when you are stuck, its panel (in a terminal: `autograder check 2 --solution classify`) shows a worked solution.

**The rules of every task** are those of lesson 1. Unless a task says otherwise, your function

- leaves what belongs to its caller as it found it: its arguments with their values, `.grad`, `requires_grad` and hooks
  (functions that somebody attached to a tensor, lesson 4);
- leaves the settings of the whole process as it found them: gradient mode (whether operations are recorded), anomaly
  detection, the default dtype, the random state, the recursion limit, the warning filters, the number of threads;
- gives the same answer when called twice;
- returns what the task says: a `str` or a `list` is just that, not a tensor or a tuple.
"""

# %% [markdown] lang="ko" en="f9c923c8"
r"""
# 과제

함수 다섯 개, 모두 10점입니다. 답을 쓰는 셀 아래에 **보이는 테스트**가 든 테스트 셀이 있습니다. 채점할 때는 **숨은 테스트**가
더해지며, 무엇을 보는지는 마지막 과제 아래에 글로 적어 두었습니다. 혼자 배울 때는 노트북 위의 **답 확인**을 누르면 지금 바로 확인할 수 있습니다.
통과한 뒤나 막혔을 때는 그 패널(터미널에서는 `autograder check 2 --solution classify`)에서 모범 풀이를 볼 수 있습니다.

**모든 과제에 적용되는 규칙**은 수업 01과 같습니다. 과제에 다른 말이 없으면 여러분의 함수는

- 호출한 쪽의 것은 건드리지 않습니다. 인자의 값, `.grad`, `requires_grad`, hook(누군가 텐서에 걸어 둔 함수, 수업 04)이 그대로여야 합니다.
- 프로세스 전체의 설정도 바꾸지 않습니다. gradient 모드(연산을 기록하는지), 이상 탐지(anomaly detection), 기본 dtype, 난수 상태, 재귀 한도,
  경고 필터, 스레드 수가 그대로여야 합니다.
- 두 번 불러도 같은 답을 냅니다.
- 과제에서 말한 것을 돌려줍니다. `str`이나 리스트라고 쓰여 있으면 텐서나 튜플이 아니라 바로 그것입니다.
"""

# %% [markdown] lang="en"
r"""
## Task 2.1 · `classify`

●●○○○ · ★★★★★ · 6 min · 2 points

Return the kind of the tensor `t`, as the table in section 1 has it: one of the strings `'leaf'`, `'constant leaf'`,
`'intermediate'`.

- `t` is any tensor: made by hand or computed, with tracking or without, of any dtype and shape, also empty; it may be a view, a tensor of
  ints, or a parameter (`nn.Parameter`: a leaf that a model trains), and `backward()` may have been called already.
- What counts is what `t` is now. If somebody calls `t.requires_grad_()` afterwards, the next answer may differ.
- `grad_fn` and `requires_grad` are enough. Any other means, `is_leaf` too, is fine if it only looks at `t`: `t.retain_grad()`, say, would change it.

<details><summary>Hint 1: the idea</summary>

Was an operation recorded for `t`? If not: is it tracked?

</details>

<details><summary>Hint 2: nearly the code</summary>

Ask `t.grad_fn is not None` first; that settles `'intermediate'`. Then `t.requires_grad` tells the other two apart.

</details>
"""

# %% [markdown] lang="ko" en="4179fabc"
r"""
## 과제 2.1 · `classify`

●●○○○ · ★★★★★ · 6분 · 2점

텐서 `t`가 1절의 표에서 어느 종류인지 문자열 `'leaf'`, `'constant leaf'`, `'intermediate'` 가운데 하나로 돌려주세요.

- `t`는 어떤 텐서든 될 수 있습니다. 직접 만들었거나 계산한 것, 추적되거나 추적되지 않는 것, 모든 dtype과 shape가 나오고 빈 텐서도 나옵니다.
  view나 정수 텐서, 파라미터(`nn.Parameter`, 모델이 학습하는 leaf)일 수도 있고, `backward()`를 이미 불렀을 수도 있습니다.
- 지금 `t`가 무엇인지만 봅니다. 나중에 누군가 `t.requires_grad_()`를 부르면 다음번 답은 달라질 수 있습니다.
- `grad_fn`과 `requires_grad`면 충분합니다. `is_leaf` 같은 다른 방법을 써도 되지만, `t`를 보기만 해야 합니다. 예를 들어 `t.retain_grad()`를 부르면 `t`가 바뀝니다.

<details><summary>힌트 1: 생각의 방향</summary>

`t`를 만든 연산이 기록되어 있나요? 기록되어 있지 않다면, 추적되는 텐서인가요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

먼저 `t.grad_fn is not None`인지 보세요. 그렇다면 `'intermediate'`입니다. 나머지 둘은 `t.requires_grad`로 구별합니다.

</details>
"""


# %% nbgrader={"grade_id": "classify", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def classify(t):
    """Return 'leaf', 'constant leaf' or 'intermediate', a str, for any tensor t."""
    ### BEGIN SOLUTION
    if t.grad_fn is not None:
        return "intermediate"
    return "leaf" if t.requires_grad else "constant leaf"
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_classify", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, observe, probe, say


@probe
def _first_kinds(text):
    x, c = torch.tensor([2.0, -3.0], requires_grad=True), torch.tensor([5.0, 7.0])
    y = x * 2
    y.retain_grad()
    t = formula(text, x=x, c=c, y=y)(None)
    calls = observe(x=x, t=t)
    calls(classify, t)
    calls(classify, t)
    return calls.data()


_why = {"constant leaf": say(en="it is not tracked: requires_grad is False and grad_fn None, however it was made. That is a constant leaf", ko="추적되지 않습니다. 어떻게 만들었든 requires_grad가 False이고 grad_fn이 None이므로 상수 leaf입니다"),
    "leaf": say(en="it is tracked, and no operation was recorded for it: grad_fn is None", ko="추적되는데 만든 연산은 기록되어 있지 않습니다. grad_fn이 None입니다"),
    "intermediate": say(en="an operation was recorded for it: its grad_fn is a node, whatever the node's name", ko="만든 연산이 기록되어 있습니다. 이름이 무엇이든 grad_fn이 노드입니다")}
_some = {"x": "leaf", "x * 2": "intermediate", "c * 2": "constant leaf", "c.view(2, 1)": "constant leaf"}
_some |= {"x.detach()": "constant leaf", "x.sum(0)": "intermediate", "y": "intermediate", "c[:0].requires_grad_()": "leaf", "(c + 1j).requires_grad_()": "leaf"}
for _text, _want in _some.items():
    _call = say(en=f"classify({_text}), x tracked, c not; y = x * 2, y.retain_grad()", ko=f"classify({_text}), x는 추적되고 c는 상수, y = x * 2, y.retain_grad()")
    with check.asking(_call):
        _found = _first_kinds(_text)
    check.untouched(_found["changes"], _call)
    for _got in _found["results"]:
        check.equal(_got, _want, _call, hint=_why[_want] if isinstance(_got, str) else "")
check.visible_passed()
### BEGIN HIDDEN TESTS
from torch import nn

from secant import graphs


@probe
def _kinds(text, value):
    class Double(torch.autograd.Function):
        """An operation of one's own: its node's name has no digit."""

        @staticmethod
        def forward(context, x):
            return 2 * x

        @staticmethod
        def backward(context, g):
            return 2 * g

    x = torch.tensor([value, 2.0], requires_grad=True)
    c = torch.tensor([value, 3.0])
    parameter = nn.Parameter(torch.tensor([[value, 1.0], [2.0, 3.0]]))
    known = {"x": x, "c": c, "parameter": parameter, "layer": nn.Linear(2, 1), "nn": nn, "Double": Double}
    t = formula(text, value=value, strided=graphs.strided, **known)(None)
    kept = t.retains_grad
    calls = observe(t=t, x=x)
    calls(classify, t)
    calls(classify, t)
    return {**calls.data(), "asks": t.retains_grad != kept}


@probe
def _kinds_of_one(value):
    t = torch.tensor([value])
    kinds = [classify(t), classify(t.requires_grad_()), classify(t.requires_grad_(False))]
    t *= torch.ones(1, requires_grad=True)
    return [*kinds, classify(t), classify(t.detach_())]


_cases = {
    "constant leaf": (
        *("torch.tensor(value)", "torch.tensor([1, 2])", "torch.empty(0, 3)", "c * 2", "c[0]", "c.view(2, 1)"),
        *("x.detach()", "(x * 2).detach()", "(x * 2).data"),
        *("x * 2, computed under no_grad", "x * 2, computed in inference_mode", "x > 0", "x.argmax()"),
        *("x.grad after x.sum().backward()", "nn.Parameter(c, requires_grad=False)", "x.requires_grad_(False)"),
        *("strided(c)", "c.expand(3, 2)", "c[:0]", "c.sum()"),
    ),
    "leaf": (
        *("torch.ones(2, 3, dtype=torch.float64, requires_grad=True)", "torch.empty(0, requires_grad=True)"),
        *("c.requires_grad_()", "(c * 2).requires_grad_()", "(x * 2).detach().requires_grad_()"),
        *("x after x.sum().backward()", "nn.Parameter(...)", "nn.Linear(2, 1).weight"),
        *("torch.tensor([1j], requires_grad=True)", "torch.tensor(value, requires_grad=True)"),
        *("strided(c).requires_grad_()", "c[:0].requires_grad_()"),
    ),
    "intermediate": (
        *("x + c", "c * x", "x * 0", "x[0]", "x.view(2, 1)", "x.expand(3, 2)", "x.clone()", "x.sum()", "x.double()"),
        *("parameter.T", "nn.Linear(2, 1)(c)", "y after y.retain_grad(), y = x * 2"),
        *("y after y.sum().backward(), y = x * 2", "y after y.retain_grad() and y.sum().backward()"),
        *("y after y += x, y = c + 0", "x.max(0).values", "x.unbind()[1]", "x[:0]", "strided(x)", "x + 1j"),
        *("c after c[0] = x[0]", "x.mean(0)"),
        "Double.apply(x), Double: a torch.autograd.Function",
    ),
}
# What is no formula in Python as it stands, or not of this model.
_formulas = {
    "x * 2, computed under no_grad": "torch.no_grad()(lambda: x * 2)()",
    "x * 2, computed in inference_mode": "torch.inference_mode()(lambda: x * 2)()",
    "x.grad after x.sum().backward()": "(x.sum().backward(), x.grad)[1]",
    "x after x.sum().backward()": "(x.sum().backward(), x)[1]",
    "nn.Parameter(...)": "parameter",
    "nn.Linear(2, 1).weight": "layer.weight",
    "nn.Linear(2, 1)(c)": "layer(c)",
    "y after y.retain_grad(), y = x * 2": "(y := x * 2, y.retain_grad())[0]",
    "y after y.sum().backward(), y = x * 2": "(y := x * 2, y.sum().backward())[0]",
    "y after y.retain_grad() and y.sum().backward()": "(y := x * 2, y.retain_grad(), y.sum().backward())[0]",
    "y after y += x, y = c + 0": "(c + 0).add_(x)",
    "Double.apply(x), Double: a torch.autograd.Function": "Double.apply(x)",
    "c after c[0] = x[0]": "(c[0].copy_(x[0]), c)[1]",
}
for _want, _names in _cases.items():
    for _name in _names:
        for _value in (0.0, check.draw(-3, 3)):
            _call = f"classify(t), t: {_name}"
            with check.asking(_call):
                _found = _kinds(_formulas.get(_name, _name), _value)
            _first, _again = _found["results"]
            check.equal(_first, _want, _call, hint=_why[_want])
            check.untouched(_found["changes"], _call)
            check.that(
                not _found["asks"],
                say(
                    en=f"{_call}\n  t.retains_grad was changed: only look, do not ask for its gradient to be kept",
                    ko=f"{_call}\n  t.retains_grad가 바뀌었습니다. 보기만 하고 gradient를 남겨 달라고 하지 마세요",
                ),
            )
            check.repeatable(_again, _want, _call)
_call = say(
    en="classify(t) on one t: made; after requires_grad_(); after requires_grad_(False); after t.mul_(x); after detach_()",
    ko="같은 t에 classify(t): 만든 직후, requires_grad_() 다음, requires_grad_(False) 다음, t.mul_(x) 다음, detach_() 다음",
)
with check.asking(_call):
    _found = _kinds_of_one(check.draw(1, 3))
check.equal(
    _found,
    ["constant leaf", "leaf", "constant leaf", "intermediate", "constant leaf"],
    _call,
    hint=say(en="look at t on every call; do not keep an earlier answer", ko="부를 때마다 t를 새로 보세요. 앞의 답을 남겨 두지 마세요"),
)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 2.2 · `graph_nodes`

●●●○○ · ★★★★☆ · 9 min · 3 points

Return the names of all nodes of the graph behind `t`, as a list of strings.

- Begin at `t.grad_fn` and follow `next_functions`. The name of a node is what its `name()` returns. (For the nodes at the leaves this is
  `torch::autograd::AccumulateGrad`; plain `AccumulateGrad` counts as right too.)
- Each **node** is listed once, however many edges lead to it. Two nodes of the same name are two entries: the graph of section 4 gives six names,
  `PowBackward0` twice.
- The order does not matter. Skip edges to `None`. If `t` has no `grad_fn`, return an empty list.
- The graph may be thousands of operations deep, where a function that calls itself ends in a `RecursionError` (and the recursion limit is a setting of the
  whole process); and there may be more paths through it than you could ever walk.
- Only look: do not run `backward()`. The graph must be as usable afterwards as before.

<details><summary>Hint 1: the idea</summary>

Walk as in the table of section 4, with two collections: the nodes you have seen, and those you still have to visit.

</details>

<details><summary>Hint 2: nearly the code</summary>

`todo = [t.grad_fn]`, `seen = set()`. While `todo` is not empty: pop a node; leave it if it is `None` or in `seen`; otherwise put it into `seen`,
note its name, and add the nodes of its `next_functions` to `todo`.

</details>
"""

# %% [markdown] lang="ko" en="2cbc0a08"
r"""
## 과제 2.2 · `graph_nodes`

●●●○○ · ★★★★☆ · 9분 · 3점

`t`를 만든 그래프의 모든 노드 이름을 문자열 리스트로 돌려주세요.

- `t.grad_fn`에서 시작해 `next_functions`를 따라갑니다. 노드의 이름은 `name()`이 돌려주는 것입니다. (leaf에 붙은 노드는
  `torch::autograd::AccumulateGrad`인데, 줄여서 `AccumulateGrad`라고 써도 맞습니다.)
- **노드**마다 한 번만 적습니다. 그 노드로 가는 간선이 몇 개든 마찬가지입니다. 이름이 같아도 서로 다른 노드이면 따로 적습니다. 4절의
  그래프라면 이름이 여섯 개이고 그중 둘이 `PowBackward0`입니다.
- 순서는 상관없습니다. `None`으로 가는 간선은 건너뛰세요. `t`에 `grad_fn`이 없으면 빈 리스트를 돌려주세요.
- 연산 수천 개가 이어진 깊은 그래프일 수도 있습니다. 그러면 자기 자신을 부르는 함수는 `RecursionError`로 끝납니다. (재귀 한도는 프로세스 전체의
  설정입니다.) 또 그래프를 지나는 경로가 도저히 다 가 볼 수 없을 만큼 많을 수도 있습니다.
- 보기만 하세요. `backward()`는 부르지 마세요. 함수를 부른 뒤에도 그래프를 부르기 전과 똑같이 쓸 수 있어야 합니다.

<details><summary>힌트 1: 생각의 방향</summary>

4절의 표처럼 따라가세요. 이미 본 노드와 아직 들러야 할 노드, 두 가지를 따로 모아 두면 됩니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`todo = [t.grad_fn]`, `seen = set()`. `todo`가 빌 때까지, 노드를 하나 꺼내 `None`이거나 `seen`에 있으면 그냥 넘어갑니다. 아니면 `seen`에 넣고,
이름을 적고, 그 노드의 `next_functions`에 있는 노드들을 `todo`에 넣습니다.

</details>
"""


# %% nbgrader={"grade_id": "graph_nodes", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def graph_nodes(t):
    """Return the name of each node of the graph behind the tensor t, a list of str in any order."""
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


# %% nbgrader={"grade_id": "test_graph_nodes", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _first(text):
    x, c = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor([5.0, 7.0])
    a, b = x.unbind()
    t = formula(text, x=x, c=c, a=a, b=b)(None)
    calls = observe(x=x, t=t)
    try:
        with graphs.limit_steps(100_000):  # an endless loop ends, in a TimeoutError
            found = [calls(graph_nodes, t), calls(graph_nodes, t)]
        t.sum().backward()
    except (AttributeError, RuntimeError, TimeoutError) as error:
        found = f"{type(error).__name__}: {error}"
        if not any(word in found for word in ("NoneType", "backward", "TimeoutError")):
            raise
    return found, calls.changes


_none = say(en="An edge to a constant leads to None: `continue` skips it, while `break` ends the whole walk", ko="상수로 가는 간선은 None입니다. `continue`는 그것만 건너뛰지만 `break`는 따라가기를 모두 끝냅니다")
_looking = say(en="the saved tensors are gone, and t.backward() fails: do not go backward to look at a graph", ko="저장된 텐서가 사라져 t.backward()를 할 수 없습니다. 그래프를 보려고 backward를 하지 마세요")
_same_name, _given = say(en="two different nodes may have the same name: go by the nodes, not by their names", ko="서로 다른 노드의 이름이 같을 수 있습니다. 이름이 아니라 노드로 구별하세요"), say(en="write each name just as node.name() returns it", ko="이름은 node.name()이 돌려주는 그대로 적으세요")
_twice = say(en="some node is listed more than once: several edges may lead to the same node, even from one operation", ko="같은 노드를 두 번 이상 적었습니다. 여러 간선이 같은 노드로 이어질 수 있고, 한 연산에서 나온 두 간선도 그럴 수 있습니다")
_missing = say(en="some nodes are missing: begin with t.grad_fn itself, follow every edge, and list the AccumulateGrad nodes of the leaves too", ko="빠진 노드가 있습니다. t.grad_fn 자신부터 모든 간선을 따라가고, leaf의 AccumulateGrad 노드도 적으세요")
_any_name, _whatever, _three = say(en="a node counts whatever its name: not every name ends in Backward0", ko="이름이 무엇이든 노드입니다. 모든 이름이 Backward0으로 끝나지는 않습니다"), say(en="an edge is (node, number): follow it whatever the number is. It only says which of the results is meant", ko="간선은 (노드, 번호)입니다. 번호는 몇째 결과인지 알려 줄 뿐이니, 몇 번이든 따라가세요"), say(en="an operation may have three inputs or more: follow all its edges", ko="입력이 셋 이상인 연산도 있습니다. 간선을 모두 따라가세요")


def _short(names):
    return sorted(name.split("::")[-1] for name in names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else names


def _judge(found, want, call, hint=""):
    got, changes = found  # two lists of names, in any order, with or without torch::autograd::
    check.ended(not str(got).startswith("TimeoutError"), call)
    check.that(not isinstance(got, str), f"{call}: {got}\n  {_looking if 'backward' in str(got) else _none}")
    (first, again), want = map(_short, got), sorted(want)
    others = want and isinstance(first, list) and any(name not in want for name in first)
    why = _given if others else _twice if want and isinstance(first, list) and len(first) > len(want) else hint or (_missing if isinstance(first, list) else "")
    check.equal(first, want, call, mistakes=[(sorted(set(want)), _same_name)], hint=why)
    check.untouched(changes, call)
    check.repeatable(again, want, call)


for _text, _nodes, _hint in (
    *(("torch.log(x**3)", "Log0 Pow0", ""), ("torch.log(x**3) + torch.sqrt(x**2)", "Add0 Log0 Sqrt0 Pow0 Pow0", "")),
    *(("c * x + c", "Add0 Mul0", _none), ("a * b", "Mul0 Unbind0", ""), ("torch.sin(b)", "Sin0 Unbind0", _whatever)),
    *(("x.mean(0)", "Mean1", _any_name), ("torch.addcmul(c, c, x)", "Addcmul0", _three)),
):
    _call = say(en=f"graph_nodes({_text}), c constant, a, b = x.unbind()", ko=f"graph_nodes({_text}), c는 상수, a, b = x.unbind()")
    with check.asking(_call):
        _found = _first(_text)
    _judge(_found, ["AccumulateGrad", *(f"{name[:-1]}Backward{name[-1]}" for name in _nodes.split())], _call, _hint)
check.visible_passed()
### BEGIN HIDDEN TESTS
import contextlib
import random


@probe
def _walks(inputs, steps):
    tensors = graphs.build(inputs, steps)
    t = tensors[-1]
    # In a deep graph n * n steps are no mistake.
    limit = graphs.limit_steps if len(steps) < 100 else contextlib.nullcontext

    def walk(t):
        with limit():
            return graph_nodes(t)

    watched = {f"x{i}": tensors[i] for i in range(len(inputs))}
    calls = observe(**watched, **({"t": t} if steps else {}))
    try:
        found = [calls(walk, t), calls(walk, t)]
    except (AttributeError, RuntimeError, TimeoutError) as error:
        found = f"{type(error).__name__}: {error}".rstrip(": ")
        if not any(word in found for word in ("NoneType", "backward", "RecursionError", "TimeoutError")):
            raise
    kept, usable = t.retains_grad, not t.requires_grad
    with contextlib.suppress(RuntimeError):
        t.sum().backward()
        usable = True
    return found, calls.changes, usable, kept


def _nodes_of(inputs, steps):
    """Return the names of the nodes behind the last tensor, worked out without walking a graph of torch."""
    behind = [None if kind == "constant" else i for i, kind in enumerate(inputs)]  # the number of each tensor's node
    nodes = {i: ("AccumulateGrad", []) for i in behind if i is not None}  # its name, and those it leads to: made earlier
    for name, *places in steps:
        edges = [behind[i] for i in places if isinstance(i, int) and behind[i] is not None]
        recorded = edges and name != "detach" and not name.startswith("untracked ")
        if recorded:
            nodes[len(behind)] = f"{name.capitalize()}Backward0", edges
        behind += [len(behind) if recorded else None] * (2 if name == "unbind" else 1)
    reached = {behind[-1]} if steps else set()
    for number in sorted(nodes, reverse=True):
        if number in reached:
            reached.update(nodes[number][1])
    return [nodes[number][0] for number in reached - {None}]


_errors = {
    "RecursionError": say(en="your function calls itself too deep. Keep a list of nodes still to visit", ko="함수가 자기 자신을 너무 깊이 불러 오류가 났습니다. 아직 들러야 할 노드를 리스트에 두세요"),
    "AttributeError": say(en="An edge to a constant leads to None, and the grad_fn of a leaf is None: skip these", ko="상수로 가는 간선은 None이고 leaf의 grad_fn도 None입니다. 건너뛰세요"),
    "RuntimeError": _looking,
}

_paths = say(
    en="a walk that goes on from a node each time that it meets it. Go on only the first time: the number of paths doubles with each operation here",
    ko="만난 노드에서 매번 그다음으로 갔습니다. 처음 만났을 때만 가세요. 여기서는 연산마다 경로가 두 배로 늘어납니다",
)
_retained = say(en="t.retains_grad was changed: only look, do not ask for its gradient to be kept", ko="t.retains_grad가 바뀌었습니다. 보기만 하고 gradient를 남겨 달라고 하지 마세요")


def _test(inputs, steps, call, hint=""):
    with check.asking(call):
        found, changes, usable, kept = _walks(inputs, steps)
    check.ended(not str(found).startswith("TimeoutError"), call, _paths)
    for error, why in _errors.items():
        check.that(not (isinstance(found, str) and found.startswith(error)), f"{call}: {found}\n  {why}")
    want = _nodes_of(inputs, steps)
    check.that(bool(want) or found[0] is not None, f"{call}: None\n  {hint}")
    _judge((found, changes), want, call, hint)
    check.that(usable, f"{call}: {_looking}")
    check.that(not kept, f"{call}: {_retained}")


_result = say(
    en="an edge is (node, number), and two edges with different numbers may lead to the same node",
    ko="간선은 (노드, 번호)입니다. 번호가 다른 두 간선이 같은 노드로 이어질 수 있습니다",
)
_no_graph = say(en="without a grad_fn there is no graph: return an empty list", ko="grad_fn이 없으면 그래프도 없습니다. 빈 리스트를 돌려주세요")
_x, _xw, _xc, _xwb = ["leaf"], ["leaf", "leaf"], ["leaf", "constant"], ["leaf", "leaf", "leaf"]
_roots = [["pow", 0, 3.0], ["pow", 0, 2.0], ["log", 1], ["sqrt", 2], ["add", 3, 4]]
for _call, _formula, _nodes in (
    ("graph_nodes(x.mean(0))", "x.mean(0)", ["MeanBackward1"]),
    ("graph_nodes(y), y = torch.zeros(2), y[0] = x[0]", "(y := torch.zeros(2), y[0].copy_(x[0]), y)[2]", ["CopySlices", "SelectBackward0"]),
    ("graph_nodes(y.sum()), y = torch.zeros(2), y[0] = x[0]", "(y := torch.zeros(2), y[0].copy_(x[0]), y.sum())[2]", ["SumBackward0", "CopySlices", "SelectBackward0"]),
):
    with check.asking(_call):
        _found = _first(_formula)
    _judge(_found, ["AccumulateGrad", *_nodes], _call, _any_name)


@probe
def _before_and_after():
    x, w = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    t = 4 * x
    return [graph_nodes(t), graph_nodes(t.mul_(w))]


_call = say(en="graph_nodes(t) on one t: t = x * 4, then t.mul_(w)", ko="같은 t에 graph_nodes(t): t = x * 4일 때, t.mul_(w) 다음")
_anew = say(en="look at t on every call; do not keep an earlier answer", ko="부를 때마다 t를 새로 보세요. 앞의 답을 남겨 두지 마세요")
with check.asking(_call):
    _found = _before_and_after()
_mul, _leaf = "MulBackward0", "AccumulateGrad"
check.equal([_short(names) for names in _found], [[_leaf, _mul], [_leaf, _leaf, _mul, _mul]], _call, hint=_anew)

_test(_x, [], "graph_nodes(x), x = leaf", _no_graph)
_test(["constant"], [["exp", 0]], "graph_nodes(torch.exp(c)), c = constant", _no_graph)
_test(_x, [["untracked exp", 0]], say(en="graph_nodes(y), y = torch.exp(x) under no_grad", ko="graph_nodes(y), y = torch.exp(x) (no_grad 안에서)"), _no_graph)
_test(_x, _roots, "graph_nodes(z), z = torch.log(x**3) + torch.sqrt(x**2)")
_test(_x, [["mul", 0, 0]], "graph_nodes(x * x)")
_test(_x, [["unbind", 0], ["mul", 1, 2]], "graph_nodes(a * b), a, b = x.unbind()", _result)
_test(_x, [["unbind", 0], ["sin", 2]], "graph_nodes(torch.sin(b)), a, b = x.unbind()", _whatever)
_test(_x, [["sin", 0], ["exp", 1], ["tanh", 2], ["add", 3, 0]], "graph_nodes(torch.tanh(torch.exp(torch.sin(x))) + x)")
_test(_xwb, [["mul", 1, 0], ["add", 3, 2], ["pow", 4, 2.0]], "graph_nodes((w * x + b)**2)")
_test(_xwb, [["addcmul", 0, 1, 2]], "graph_nodes(torch.addcmul(x, w, b))", _three)
_test(_xc, [["mul", 1, 0], ["add", 2, 1]], say(en="graph_nodes(c * x + c), c = constant", ko="graph_nodes(c * x + c), c = 상수"), _none)
_test(_xc, [["mul", 0, 1], ["add", 1, 2]], say(en="graph_nodes(c + x * c), c = constant", ko="graph_nodes(c + x * c), c = 상수"), _none)
_test(_xc, [["exp", 1], ["mul", 2, 0]], say(en="graph_nodes(torch.exp(c) * x), c = constant", ko="graph_nodes(torch.exp(c) * x), c = 상수"), _none)
_test(_xw, [["detach", 0], ["sin", 2], ["mul", 3, 1]], "graph_nodes(torch.sin(x.detach()) * w)", _none)
_test(_xw, [["add", 0, 1], ["add", 2, 0], ["add", 3, 2]], "graph_nodes(c + b), b = x + w, c = b + x")

# Graphs drawn at random, small ones first: of one input, of two, constants among them, tensors used often or never.
_random = random.Random(int(check.draw(0, 1000) * 1000))
_unary, _binary = ["sin", "exp", "neg", "clone", "tanh", "detach", "untracked cos"], ["add", "mul", "sub"]
for _round in range(20):
    _inputs = ["leaf", *_random.choices(["leaf", "constant"], [7, 3], k=1 + _round // 6)]
    _count = len(_inputs)
    _pairs = [_random.sample(range(max(0, place - 5), place), 2) for place in range(_count, _count + 2 + _round * 2 // 3)]
    _steps = [[_random.choice(_unary), a] if _random.random() < 0.4 else [_random.choice(_binary), a, b] for a, b in _pairs]
    _program = "; ".join(f"x{_count + i} = {name}({', '.join(f'x{k}' for k in places)})" for i, (name, *places) in enumerate(_steps))
    _tracked = ", ".join(f"x{i}" for i, kind in enumerate(_inputs) if kind == "leaf")
    _test(_inputs, _steps, f"graph_nodes(x{_count + len(_steps) - 1}), requires_grad = {_tracked}; {_program}")

_deep = 3000 + int(check.draw(0, 500))
_additions = say(en=f"graph_nodes(y), y = x + c + c + ..., {_deep} additions", ko=f"graph_nodes(y), y = x + c + c + ..., 덧셈 {_deep}번")
_to_the_end = say(en="go on until no node is left to visit, however many steps that takes", ko="몇 단계가 걸리든 더 들를 노드가 없을 때까지 계속하세요")
_test(_xc, [["add", 0, 1], *(["add", k, 1] for k in range(2, _deep + 1))], _additions, _to_the_end)
_test(_x, [["add", k, k] for k in range(60)], say(en="graph_nodes(y), 60 times y = y + y", ko="graph_nodes(y), y = y + y를 60번"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 2.3 · `leaves_of`

●●●○○ · ★★★★★ · 7 min · 2 points

Return the tracked leaves behind `t`, as a list: the tensors whose `.grad` a call of `t.backward()` would add to.

- `t` is the result of a tracked operation: it has a `grad_fn`.
- Return the leaves themselves, not copies, each **once**, in any order. What counts is the object: two leaves with equal numbers, even two
  that share their memory, are two leaves. Their numbers, shapes and `.grad` do not matter.
- Constants are not listed, nor leaves from which `t` was computed only under `no_grad` or through `detach()`. (Leaves whose tracking is
  switched off after `t` was computed do not occur.)
- The rest is as in task 2.2: edges to `None`, deep graphs, graphs with many paths; and do not run `backward()`.

<details><summary>Hint 1: the idea</summary>

The walk is that of task 2.2. Which nodes know a leaf?

</details>

<details><summary>Hint 2: nearly the code</summary>

An `AccumulateGrad` node has the attribute `variable`, and the nodes of PyTorch's operations do not: `hasattr(node, "variable")`. Since each leaf has a
single such node, you need not compare tensors. (`x in list` would compare their numbers!)

</details>
"""

# %% [markdown] lang="ko" en="7cd177d3"
r"""
## 과제 2.3 · `leaves_of`

●●●○○ · ★★★★★ · 7분 · 2점

`t`를 만드는 데 쓰인 추적되는 leaf를 리스트로 돌려주세요. `t.backward()`를 부르면 `.grad`에 값이 더해질 텐서들입니다.

- `t`는 추적되는 연산의 결과입니다. 곧 `grad_fn`이 있습니다.
- 복사본이 아니라 leaf 자신을 **한 번씩만** 돌려주세요. 순서는 상관없습니다. 기준은 객체입니다. 값이 같은 두 leaf는 서로 다른 leaf이고,
  메모리를 함께 쓰더라도 마찬가지입니다. 값이나 shape, `.grad`는 상관없습니다.
- 상수는 넣지 않습니다. `no_grad` 안에서만 쓰였거나 `detach()`를 거쳐서만 `t`에 쓰인 leaf도 넣지 않습니다. (`t`를 계산한 뒤에 추적을 끈
  leaf는 나오지 않습니다.)
- 나머지는 과제 2.2와 같습니다. `None`으로 가는 간선, 깊은 그래프, 경로가 많은 그래프가 나오고, `backward()`는 부르지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

따라가는 방법은 과제 2.2와 같습니다. 어떤 노드가 leaf를 알고 있나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`AccumulateGrad` 노드에는 `variable`이라는 속성이 있고, PyTorch 연산의 노드에는 없습니다. `hasattr(node, "variable")`로 알 수 있습니다. leaf마다 이런 노드가 하나뿐이므로
텐서끼리 비교할 필요가 없습니다. (`x in list`라고 쓰면 값을 비교합니다!)

</details>
"""


# %% nbgrader={"grade_id": "leaves_of", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def leaves_of(t):
    """Return the tracked leaves behind the tensor t: a list of the tensors themselves, each once."""
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


# %% nbgrader={"grade_id": "test_leaves_of", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _first(text):
    x, w, o = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 0.0))
    v, c, w.grad = x.detach().requires_grad_(), torch.tensor(5.0), torch.tensor(7.0)
    t = formula(text, x=x, v=v, w=w, o=o, c=c)(None)
    names, calls = {id(x): "x", id(v): "v", id(w): "w", id(o): "o"}, observe(x=x, v=v, w=w, o=o, t=t)
    try:
        with graphs.limit_steps(100_000):  # an endless loop ends, in a TimeoutError
            found = [calls(leaves_of, t), calls(leaves_of, t)]
        t.backward()
    except (AttributeError, RuntimeError, TimeoutError) as error:
        found = f"{type(error).__name__}: {error}"
        if not any(word in found for word in ("NoneType", "variable", "backward", "TimeoutError")):
            raise
        return found, calls.changes
    return [[names.get(id(leaf), "?") for leaf in f] if isinstance(f, list) else f for f in found], calls.changes


_none = say(en="An edge to a constant leads to None: `continue` skips it, while `break` ends the whole walk", ko="상수로 가는 간선은 None입니다. `continue`는 그것만 건너뛰지만 `break`는 따라가기를 모두 끝냅니다")
_variable = say(en="only AccumulateGrad nodes have a variable: ask hasattr(node, 'variable') first", ko="variable은 AccumulateGrad 노드에만 있습니다. 먼저 hasattr(node, 'variable')인지 물으세요")
_looking = say(en="the saved tensors are gone, and t.backward() fails: do not go backward to look at a graph", ko="저장된 텐서가 사라져 t.backward()를 할 수 없습니다. 그래프를 보려고 backward를 하지 마세요")
_stranger = say(en="? is no leaf of this graph: a copy, a detached tensor, or a node. Return node.variable itself", ko="?는 이 그래프의 leaf가 아닌 것입니다. 복사본이거나 detach한 것이거나 노드입니다. node.variable 자신을 돌려주세요")
_once, _any_name = say(en="a leaf is listed once, however often it is used", ko="몇 번 쓰였든 leaf는 한 번만 적습니다"), say(en="a node counts whatever its name: not every name ends in Backward0", ko="이름이 무엇이든 노드입니다. 모든 이름이 Backward0으로 끝나지는 않습니다")
_missing = say(en="some leaves are missing: follow every edge of every node from t.grad_fn on, and take every tracked tensor, a parameter or not", ko="빠진 leaf가 있습니다. t.grad_fn부터 모든 노드의 모든 간선을 따라가고, 파라미터든 아니든 추적되는 텐서를 모두 넣으세요")
_graded, _zero = say(en="w has a .grad already, which makes no difference: backward() would add to it", ko="w에는 이미 .grad가 있지만 상관없습니다. backward()를 부르면 거기에 더해집니다"), say(en="o is 0, and `if leaf:` asks for its number. Ask `leaf is not None`", ko="o는 0입니다. `if leaf:`라고 쓰면 값을 묻게 됩니다. `leaf is not None`인지 물으세요")
_objects = say(en="they hold equal numbers, even in the same memory, but are different objects: tell them apart by `is`. (== and `in` compare their numbers)", ko="값이 같고 메모리도 함께 쓰지만 서로 다른 객체입니다. `is`로 구별하세요. (==와 `in`은 값을 비교합니다)")


def _judge(found, want, call, hint=""):
    got, changes = found  # the names of the leaves that each of two calls gave, in any order
    check.ended(not str(got).startswith("TimeoutError"), call)
    why = next(why for word, why in (("backward", _looking), ("'variable'", _variable), ("", _none)) if word in str(got))
    check.that(not isinstance(got, str), f"{call}: {got}\n  {why}")
    (first, again), want = (sorted(names) if isinstance(names, list) else names for names in got), sorted(want)
    names = first if isinstance(first, list) else []
    known = [why for name, why in (("w", _graded), ("o", _zero)) if name in {*want} - {*names}]
    why = _stranger if "?" in names else _once if {*want} == {*names} else hint or [*known, _missing][0]
    check.equal(first, want, call, hint=why if isinstance(first, list) else "")
    check.untouched(changes, call)
    check.repeatable(again, want, call)


_cases = {"torch.exp(x)": ("x", ""), "w * x + w": ("wx", ""), "x * 2 * c": ("x", _none), "x + o": ("xo", ""), "x * v": ("xv", _objects), "torch.stack([x, x]).mean(0)": ("x", _any_name)}
for _text, (_leaves, _hint) in _cases.items():
    _call = say(en=f"leaves_of({_text}), c constant, v shares the memory of x", ko=f"leaves_of({_text}), c는 상수, v는 x와 메모리를 함께 씀")
    with check.asking(_call):
        _found = _first(_text)
    _judge(_found, [*_leaves], _call, _hint)
check.visible_passed()
### BEGIN HIDDEN TESTS
import contextlib
import itertools
import random

from torch import nn


@probe
def _walks(inputs, steps):
    tensors = graphs.build(inputs, steps)
    t, names = tensors[-1], {id(tensor): f"x{i}" for i, tensor in enumerate(tensors)}
    # In a deep graph n * n steps are no mistake.
    limit = graphs.limit_steps if len(steps) < 100 else contextlib.nullcontext

    def walk(t):
        with limit():
            return leaves_of(t)

    watched = {f"x{i}": tensors[i] for i in range(len(inputs))}
    calls = observe(**watched, **({"t": t} if steps else {}))
    try:
        found = [calls(walk, t), calls(walk, t)]
        found = [[names.get(id(leaf), "?") for leaf in f] if isinstance(f, list) else f for f in found]
    except (AttributeError, RuntimeError, TimeoutError) as error:
        found = f"{type(error).__name__}: {error}".rstrip(": ")
        known = ("NoneType", "variable", "backward", "Boolean", "size", "RecursionError", "TimeoutError")
        if not any(word in found for word in known):
            raise
    kept, usable = t.retains_grad, False
    with contextlib.suppress(RuntimeError):
        t.sum().backward()
        usable = True
    return found, calls.changes, usable, kept


for _text, _formula, _names in (
    ("leaves_of(x.mean(0))", "x.mean(0)", "x"),
    ("leaves_of(x.sum(0) * v), " + say(en="v shares the memory of x", ko="v는 x와 메모리를 함께 씀"), "x.sum(0) * v", "xv"),
    ("leaves_of(y.sum()), y = torch.zeros(2), y[0] = x", "(y := torch.zeros(2), y[0].copy_(x), y.sum())[2]", "x"),
):
    with check.asking(_text):
        _found = _first(_formula)
    _judge(_found, [*_names], _text, _any_name)


@probe
def _before_and_after():
    x, w = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    t, names = 4 * x, {id(x): "x", id(w): "w"}
    found = [leaves_of(t), leaves_of(t.mul_(w))]
    return [sorted(names.get(id(leaf), "?") for leaf in f) if isinstance(f, list) else f for f in found]


_call = say(en="leaves_of(t) on one t: t = x * 4, then t.mul_(w)", ko="같은 t에 leaves_of(t): t = x * 4일 때, t.mul_(w) 다음")
_anew = say(en="look at t on every call; do not keep an earlier answer", ko="부를 때마다 t를 새로 보세요. 앞의 답을 남겨 두지 마세요")
with check.asking(_call):
    _found = _before_and_after()
check.equal(_found, [["x"], ["w", "x"]], _call, hint=_anew)


@probe
def _leaves_of_odd(kind):
    x = torch.tensor([2.0, -3.0, 5.0, 7.0], requires_grad=True)
    odd = {
        "empty": graphs.leaf(torch.empty(0)),
        "strided": graphs.strided(torch.ones(4)).requires_grad_(),
        "expanded": torch.ones(1).expand(4).requires_grad_(),
        "complex": torch.ones(4, dtype=torch.complex64).requires_grad_(),
        "nan": graphs.leaf(torch.full((4,), torch.nan)),
    }[kind]
    t, calls = x.sum() * odd.sum() + odd.sum(), observe(x=x, odd=odd)
    found = [calls(leaves_of, t), calls(leaves_of, t)]
    names = {id(x): "x", id(odd): "odd"}
    return [[names.get(id(leaf), "?") for leaf in f] if isinstance(f, list) else f for f in found], calls.changes


@probe
def _leaves_of_model(sizes, frozen):
    model = nn.Sequential()
    for n, m in itertools.pairwise(sizes):
        model += nn.Sequential(nn.Linear(n, m), nn.ReLU())
    model[0].requires_grad_(not frozen)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    calls, t = observe(model=model), model(torch.ones(3, sizes[0])).square().mean()
    found = [calls(leaves_of, t), calls(leaves_of, t)]
    return [[names.get(id(leaf), "?") for leaf in f] if isinstance(f, list) else f for f in found], calls.changes


def _behind(inputs, steps):
    """Return the tracked leaves from which a recorded path leads to the last tensor."""
    sources = [set() if kind == "constant" else {f"x{i}"} for i, kind in enumerate(inputs)]
    for name, *places in steps:
        found = set().union(*(sources[i] for i in places if isinstance(i, int)))
        cut = name == "detach" or name.startswith("untracked ")
        sources += [set() if cut else found] * (2 if name == "unbind" else 1)
    return sources[-1]


_numbers = say(
    en="likely cause: tensors were compared with == or `in`, which compares their numbers, or asked for with `if leaf:`. Compare nodes, or use `is`",
    ko="짐작되는 원인: 텐서를 ==나 `in`으로 비교하거나 `if leaf:`처럼 물으면 값을 보게 됩니다. 노드를 비교하거나 `is`를 쓰세요",
)
_errors = {
    "RecursionError": say(en="your function calls itself too deep. Keep a list of nodes still to visit", ko="함수가 자기 자신을 너무 깊이 불러 오류가 났습니다. 아직 들러야 할 노드를 리스트에 두세요"),
    "AttributeError: 'NoneType'": _none,
    "AttributeError": _variable,
    "RuntimeError: Trying to backward": _looking,
    "RuntimeError": _numbers,
}
_only = say(en="only tracked leaves from which a recorded path leads to t count", ko="t까지 기록된 경로가 있는, 추적되는 leaf만 넣습니다")

_paths = say(
    en="a walk that goes on from a node each time that it meets it. Go on only the first time: the number of paths doubles with each operation here",
    ko="만난 노드에서 매번 그다음으로 갔습니다. 처음 만났을 때만 가세요. 여기서는 연산마다 경로가 두 배로 늘어납니다",
)
_retained = say(en="t.retains_grad was changed: only look, do not ask for its gradient to be kept", ko="t.retains_grad가 바뀌었습니다. 보기만 하고 gradient를 남겨 달라고 하지 마세요")


def _test(inputs, steps, call, hint=""):
    want = _behind(inputs, steps)
    with check.asking(call):
        found, changes, usable, kept = _walks(inputs, steps)
    check.ended(not str(found).startswith("TimeoutError"), call, _paths)
    for error, why in _errors.items():
        check.that(not (isinstance(found, str) and found.startswith(error)), f"{call}: {found}\n  {why}")
    surplus = isinstance(found[0], list) and set(found[0]) > want
    _judge((found, changes), want, call, _only if surplus else hint)
    check.that(usable, f"{call}: {_looking}")
    check.that(not kept, f"{call}: {_retained}")


_cut = say(en="through detach() or under no_grad no edge is recorded", ko="detach()나 no_grad를 거치면 간선이 기록되지 않습니다")
_whatever = say(
    en="an edge is (node, number): follow it whatever the number is. It only says which of the results is meant",
    ko="간선은 (노드, 번호)입니다. 번호는 몇째 결과인지 알려 줄 뿐이니, 몇 번이든 따라가세요",
)
_all_inputs = say(en="an operation may have three inputs or more: follow all its edges", ko="입력이 셋 이상인 연산도 있습니다. 간선을 모두 따라가세요")
_shared = say(en="leaves_of(x1 * x0), x1 shares the memory of x0", ko="leaves_of(x1 * x0), x1은 x0와 메모리를 함께 씀")
_both_shared = say(
    en="leaves_of((x2 - x3) * (x0 - x1)), x1 shares the memory of x0, x3 that of the constant x2",
    ko="leaves_of((x2 - x3) * (x0 - x1)), x1은 x0와, x3은 상수 x2와 메모리를 함께 씀",
)
_no_grad = say(en="leaves_of(y * x1), y = torch.exp(x0) under no_grad", ko="leaves_of(y * x1), y = torch.exp(x0) (no_grad 안에서)")
_one, _two, _three = ["leaf"], ["leaf", "leaf"], ["leaf", "leaf", "leaf"]
_roots = [["pow", 0, 3.0], ["pow", 0, 2.0], ["log", 1], ["sqrt", 2], ["add", 3, 4]]
_test(_two, [["mul", 0, 0.0], ["add", 2, 1]], "leaves_of(x0 * 0 + x1)")
_test(["leaf", "constant"], [["mul", 0, 1], ["mul", 0, 0], ["add", 2, 3]], say(en="leaves_of(x0 * x1 + x0 * x0), x1 = constant", ko="leaves_of(x0 * x1 + x0 * x0), x1 = 상수"), _none)
_test(_one, _roots, "leaves_of(torch.log(x0**3) + torch.sqrt(x0**2))")
_test(_one, [["unbind", 0], ["mul", 1, 2]], "leaves_of(a * b), a, b = x0.unbind()")
_test(_two, [["unbind", 0], ["mul", 3, 1]], "leaves_of(b * x1), a, b = x0.unbind()", _whatever)
_test(_three, [["addcmul", 0, 1, 2]], "leaves_of(torch.addcmul(x0, x1, x2))", _all_inputs)
_test(_three, [["mul", 1, 0], ["add", 3, 2], ["pow", 4, 2.0]], "leaves_of((x1 * x0 + x2)**2)")
_test(["leaf", "twin"], [["mul", 1, 0]], _shared, _objects)
_test(["parameter", "twin", "constant", "twin"], [["sub", 0, 1], ["sub", 2, 3], ["mul", 5, 4]], _both_shared, _objects)
_test(_three, [["detach", 0], ["sin", 3], ["mul", 4, 1]], "leaves_of(torch.sin(x0.detach()) * x1)", _cut)
_test(_two, [["untracked exp", 0], ["mul", 2, 1]], _no_grad, _cut)
_test(_two, [["detach", 0], ["mul", 2, 0], ["mul", 3, 1]], "leaves_of(x0.detach() * x0 * x1)", _cut)
_test(["leaf", "constant", "leaf"], [["mul", 1, 1], ["sub", 3, 2]], say(en="leaves_of(x1 * x1 - x2), x1 = constant", ko="leaves_of(x1 * x1 - x2), x1 = 상수"))
_odd = {
    "empty": say(en="an empty leaf", ko="빈 leaf"),
    "strided": say(en="a leaf that is a view of other memory (every second number)", ko="다른 메모리의 view인 leaf(하나 건너 하나씩)"),
    "expanded": say(en="a leaf that is a view of other memory (one number, expanded)", ko="다른 메모리의 view인 leaf(수 하나를 expand한 것)"),
    "complex": say(en="a complex leaf", ko="복소수 leaf"),
    "nan": say(en="a leaf full of nan", ko="nan만 든 leaf"),
}
for _kind, _what in _odd.items():
    _call = f"leaves_of(x.sum() * odd.sum() + odd.sum()), odd = {_what}"
    with check.asking(_call):
        _found = _leaves_of_odd(_kind)
    _hint = say(en=f"some leaves are missing: {_what} is a leaf like any other", ko=f"빠진 leaf가 있습니다. {_what}도 똑같은 leaf입니다")
    _judge(_found, ["x", "odd"], _call, _hint)
for _sizes, _frozen in (([3, 4, 1], False), ([2, 2, 2, 2], False), ([3, 2, 1], True)):
    _model = "nn.Sequential(" + ", ".join(f"nn.Linear({n}, {m}), nn.ReLU()" for n, m in itertools.pairwise(_sizes)) + ")"
    _call = f"leaves_of(model(x).square().mean()), model = {_model}" + say(en=", layer 0 frozen", ko=", 0번 층은 requires_grad=False") * _frozen
    with check.asking(_call):
        _found = _leaves_of_model(_sizes, _frozen)
    _judge(_found, [f"{2 * i}.{part}" for i in range(_frozen, len(_sizes) - 1) for part in ("weight", "bias")], _call)

# Graphs drawn at random, small ones first: of one input, of two, constants among them, tensors used often or never.
_random = random.Random(int(check.draw(0, 1000) * 1000))
_unary, _binary = ["sin", "exp", "neg", "clone", "tanh", "detach", "untracked cos"], ["add", "mul", "sub"]
for _round in range(20):
    _inputs = ["leaf", *_random.choices(["leaf", "constant", "parameter", "twin"], k=1 + _round // 5)]
    _count = len(_inputs)
    _pairs = [_random.sample(range(max(0, place - 6), place), 2) for place in range(_count, _count + 2 + _round * 2 // 3)]
    _steps = [[_random.choice(_unary), a] if _random.random() < 0.3 else [_random.choice(_binary), a, b] for a, b in _pairs]
    _steps.append(["add", 0, _count + len(_steps) - 1])
    _program = "; ".join(f"x{_count + i} = {name}({', '.join(f'x{k}' for k in places)})" for i, (name, *places) in enumerate(_steps))
    _constants = ", ".join(f"x{i}" for i, kind in enumerate(_inputs) if kind == "constant")
    _test(_inputs, _steps, f"leaves_of(x{_count + len(_steps) - 1}), " + say(en=f"constants = {_constants or None}", ko=f"상수 = {_constants or None}") + f"; {_program}")

_deep = 3000 + int(check.draw(0, 500))
_additions = say(en=f"leaves_of(y), y = x0 + x1 + x1 + ..., {_deep} additions", ko=f"leaves_of(y), y = x0 + x1 + x1 + ..., 덧셈 {_deep}번")
_to_the_end = say(en="go on until no node is left to visit, however many steps that takes", ko="몇 단계가 걸리든 더 들를 노드가 없을 때까지 계속하세요")
_test(_two, [["add", 0, 1], *(["add", k, 1] for k in range(2, _deep + 1))], _additions, _to_the_end)
_test(_one, [["add", k, k] for k in range(60)], say(en="leaves_of(y), 60 times y = y + y", ko="leaves_of(y), y = y + y를 60번"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 2.4 · `predict`

●●○○○ · ★★★★☆ · 5 min · 1 point

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

Four values in a dict are the whole answer, and only they count. Do it on paper: the cell after the test lets PyTorch check you.

<details><summary>Hint 1: the idea</summary>

Begin at the end: the slope of $z^2$ at the $z$ that the program reaches. Then hand it on, node by node. What *kind* of tensor is `y`?

</details>

<details><summary>Hint 2: nearly the code</summary>

$z = 5$, so `'loss/z'` is $2 \cdot 5$. A sum hands on what it gets, and the multiplication by 2 doubles it. Which tensors keep a `.grad`?

</details>
"""

# %% [markdown] lang="ko" en="435058f4"
r"""
## 과제 2.4 · `predict`

●●○○○ · ★★★★☆ · 5분 · 1점

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

답은 값 네 개가 든 dict이면 되고, 채점할 때는 값만 봅니다. 종이에 직접 풀어 보세요. 테스트 다음 셀에서 PyTorch로 확인할 수 있습니다.

<details><summary>힌트 1: 생각의 방향</summary>

끝에서 시작하세요. 프로그램이 도달한 $z$에서 $z^2$의 기울기를 구하고, 노드에서 노드로 넘깁니다. `y`는 어떤 *종류*의 텐서인가요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

$z = 5$이므로 `'loss/z'`는 $2 \cdot 5$입니다. 덧셈은 받은 값을 그대로 넘기고, 2를 곱하는 연산은 두 배로 만듭니다. `.grad`가 남는 텐서는
어느 것인가요?

</details>
"""


# %% nbgrader={"grade_id": "predict", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def predict():
    """Return {'loss/x': number, 'loss/y': number, 'loss/z': number, 'y.grad': what it is after backward()}."""
    ### BEGIN SOLUTION
    return {"loss/x": 20, "loss/y": 10, "loss/z": 10, "y.grad": None}
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_predict", "solution": false, "grade": true, "locked": true, "points": 1, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import check, observe, probe, say


@probe
def _calls():
    calls = observe()
    calls(predict)
    calls(predict)
    return calls.data()


_keys = ["loss/x", "loss/y", "loss/z", "y.grad"]
_begin, _plain = say(en="begin with the slope of z^2 at z = 5 and hand it on, node by node", ko="z = 5에서 z^2의 기울기로 시작해 노드에서 노드로 넘기세요"), say(en="return a plain number, an int or a float", ko="텐서가 아닌 수(int나 float)로 돌려주세요")
_mistakes = {
    10.0: say(en="on the way from y to x there is a multiplication by 2: its slope 2 is missing", ko="y에서 x로 가는 경로에 2를 곱하는 연산이 있습니다. 그 기울기 2가 빠졌습니다"),
    5.0: say(en="both factors 2 are missing: that of the square and that of x * 2", ko="2가 두 번 빠졌습니다. 제곱의 기울기와 x * 2의 기울기입니다"),
    8.0: say(en="that is the slope without the + 3: the slope of the square is 2z, and z is 5", ko="+ 3을 빠뜨렸을 때의 기울기입니다. 제곱의 기울기는 2z이고 z는 5입니다"),
    25.0: say(en="this is the loss itself, not its slope", ko="기울기가 아니라 loss의 값입니다"),
    2.0: say(en="that is the slope of x * 2 alone: multiply by what comes back from the loss", ko="x * 2만의 기울기입니다. loss에서 넘어온 값을 곱하세요"),
    4.0: say(en="the slope of z^2 is 2z, at the z that the program reaches: z is 5, not 1", ko="z^2의 기울기는 프로그램이 도달한 z에서 2z입니다. z는 1이 아니라 5입니다"),
}
with check.asking("predict()"):
    _found = _calls()
_got = _found["results"][0]
check.equal(dict.fromkeys(_got) if isinstance(_got, dict) else _got, dict.fromkeys(_keys), say(en="the keys of predict()", ko="predict()의 키"), hint=say(en="return a dict with exactly these four keys", ko="키가 꼭 이 네 개인 dict를 돌려주세요"))
_slope = ((2 * 1.5 + 3) ** 2 - (2 * 0.5 + 3) ** 2) / (1.5 - 0.5)  # a difference quotient of (2x + 3)^2, exact for a square
check.close({"loss/x": _got["loss/x"]}, {"loss/x": _slope}, "predict()", rtol=1e-6, mistakes=[({"loss/x": wrong}, why) for wrong, why in _mistakes.items()], hint=_begin if isinstance(_got["loss/x"], int | float) else _plain)
check.untouched(_found["changes"], "predict()")
check.visible_passed()
### BEGIN HIDDEN TESTS
_square = say(en="the slope of z^2 is 2z, not z", ko="z^2의 기울기는 z가 아니라 2z입니다")
_at_z = say(en="the slope of z^2 is 2z, at the z that the program reaches", ko="z^2의 기울기는 프로그램이 도달한 z에서 2z입니다")
_wants = {"loss/z": 10.0, "loss/y": 10.0, "loss/x": 20.0}
_others = {
    "loss/x": _mistakes,
    "loss/y": {
        5.0: _square,
        20.0: say(en="y has the multiplication by 2 behind it: only from y to x does the slope double", ko="2를 곱하는 연산은 y보다 앞에 있습니다. y에서 x로 갈 때 비로소 두 배가 됩니다"),
        1.0: say(en="that is the slope of y + 3 alone: multiply by what comes back from the loss", ko="y + 3만의 기울기입니다. loss에서 넘어온 값을 곱하세요"),
        2.0: say(en="x * 2 stands before y and has no part in this; and the slope of z^2 is taken at z = 5", ko="x * 2는 y보다 앞에 있으므로 여기에 들어가지 않습니다. z^2의 기울기는 z = 5에서 구합니다"),
        3.0: say(en="the slope of y + 3 is 1, whatever is added", ko="무엇을 더하든 y + 3의 기울기는 1입니다"),
        30.0: say(en="the slope of y + 3 is 1: a sum hands on what it gets", ko="y + 3의 기울기는 1입니다. 덧셈은 받은 값을 그대로 넘깁니다"),
    },
    "loss/z": {
        5.0: _square,
        2.0: _at_z,
        25.0: _mistakes[25.0],
        1.0: say(en="1 is the slope of the loss with respect to itself", ko="1은 loss를 loss 자신으로 미분한 값입니다"),
    },
}
_again = say(en="the second of two equal calls gave another answer", ko="똑같이 두 번 불렀는데 답이 달라졌습니다")
_passed_on = say(
    en="y is an intermediate: its gradient is passed on and not kept, so y.grad is None",
    ko="y는 중간 텐서입니다. gradient를 넘겨주기만 하고 남기지 않으므로 y.grad는 None입니다",
)
for _got, _then in zip(_found["results"], ("", say(en=", the second time", ko=", 두 번째")), strict=True):
    _call = f"predict(){_then}"
    check.that(isinstance(_got, dict) and sorted(map(str, _got)) == _keys, f"{_call}: {_again}")
    for _key, _want in _wants.items():
        check.that(_got[_key] is not None, f"{_call}[{_key!r}]: None\n  {_plain}")
        _hint = _begin if isinstance(_got[_key], int | float) else _plain
        check.close(_got[_key], _want, f"{_call}[{_key!r}]", rtol=1e-6, mistakes=_others[_key], hint=_hint)
    check.equal(_got["y.grad"], None, f"{_call}['y.grad']", hint=_passed_on)
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
loss.backward()
print(tensor_info(x=x, y=y, z=z, loss=loss))

for tensor in (y, z):
    assert not tensor.retains_grad  # so its .grad is None

# %% [markdown] lang="en"
r"""
## Task 2.5 · `second_backward_works`

●●●○○ · ★★★☆☆ · 6 min · 2 points

`x` is a tracked tensor with a single element, such as `torch.tensor(1.0, requires_grad=True)`. For each of the five programs below, say
whether `y.backward()` may be called **twice** on its result, both times without `retain_graph`.

```
y = x + 1        y = x * x        y = x.sum()        y = x.exp()        y = x + x
```

- Return a dict with exactly the keys `'x + 1'`, `'x * x'`, `'x.sum()'`, `'x.exp()'`, `'x + x'`. The values are bools: `True` if the second
  call works, `False` if it raises an error.
- Reason it out, or let your function try it on tensors of its own: both are fine.

<details><summary>Hint 1: the idea</summary>

For each operation: to hand on a gradient, does its node need a number from the forward run?

</details>

<details><summary>Hint 2: nearly the code</summary>

Does the node only pass on what it gets, or must it multiply by something that it kept (as `2 * x` in section 5 does)? Or try: `y.backward()` twice inside `try:` ... `except RuntimeError:`.

</details>
"""

# %% [markdown] lang="ko" en="e75b7a46"
r"""
## 과제 2.5 · `second_backward_works`

●●●○○ · ★★★☆☆ · 6분 · 2점

`x`는 `torch.tensor(1.0, requires_grad=True)`처럼 원소가 하나인 추적되는 텐서입니다. 다음 다섯 프로그램의 결과에서 `retain_graph` 없이
`y.backward()`를 **두 번** 부를 수 있는지 답하세요.

```
y = x + 1        y = x * x        y = x.sum()        y = x.exp()        y = x + x
```

- 키가 꼭 `'x + 1'`, `'x * x'`, `'x.sum()'`, `'x.exp()'`, `'x + x'`인 dict를 돌려주세요. 값은 bool입니다. 두 번째 호출이 되면 `True`,
  오류가 나면 `False`입니다.
- 따져서 답해도 되고, 함수 안에서 텐서를 새로 만들어 직접 해 보아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

연산마다 생각해 보세요. gradient를 넘기려면 순방향 계산에서 나온 값이 필요한가요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

노드가 받은 값을 그대로 넘기기만 하나요, 아니면 저장해 둔 값을 곱해야 하나요(5절의 `2 * x`처럼)? 아니면 `try:` ... `except RuntimeError:` 안에서 `y.backward()`를 두 번 불러 보세요.

</details>
"""


# %% nbgrader={"grade_id": "second_backward_works", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def second_backward_works():
    """Return for each program, a str, whether y.backward() works a second time, a bool."""
    ### BEGIN SOLUTION
    return {"x + 1": True, "x * x": False, "x.sum()": True, "x.exp()": False, "x + x": True}
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_second_backward_works", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, observe, probe, say


@probe
def _calls():
    calls = observe()
    calls(second_backward_works)
    calls(second_backward_works)
    return calls.data()


def _works_twice(program):
    y = formula(program, x=torch.tensor(check.draw(0.5, 2), requires_grad=True))(None)
    try:
        return [y.backward(), y.backward()] == [None, None]
    except RuntimeError:
        return False


_keys, _call = ["x * x", "x + 1", "x + x", "x.exp()", "x.sum()"], "second_backward_works()"
with check.asking(_call):
    _found = _calls()
_got = _found["results"][0]
check.equal(dict.fromkeys(_got) if isinstance(_got, dict) else _got, dict.fromkeys(_keys), say(en=f"the keys of {_call}", ko=f"{_call}의 키"), hint=say(en="return a dict with exactly these five keys", ko="키가 꼭 이 다섯 개인 dict를 돌려주세요"))
_reasons = {"x + 1": say(en="the slope is 1 whatever x is. The node saved nothing, so nothing was freed; its edges are still there", ko="x가 무엇이든 기울기는 1입니다. 노드가 저장한 것이 없으니 지워진 것도 없고, 간선은 그대로 있습니다"),
    "x * x": say(en="the slope is 2x: the node saved x, and the first backward freed it", ko="기울기는 2x입니다. 노드가 x를 저장했고 첫 번째 backward가 그것을 지웠습니다")}
for _key, _reason in _reasons.items():
    check.equal({_key: _got[_key]}, {_key: _works_twice(_key)}, _call, hint=_reason if isinstance(_got[_key], bool) else say(en="True or False, a bool", ko="True 또는 False (bool)"))
check.untouched(_found["changes"], _call)
check.visible_passed()
### BEGIN HIDDEN TESTS
_reasons |= {
    "x.sum()": say(
        en="the slope of a sum is 1 for every element. The node saved no tensor, so nothing was freed",
        ko="합의 기울기는 원소마다 1입니다. 노드가 저장한 텐서가 없으니 지워진 것도 없습니다",
    ),
    "x.exp()": say(
        en="the slope is exp(x): the node saved it, and the first backward freed it",
        ko="기울기는 exp(x)입니다. 노드가 이것을 저장했고 첫 번째 backward가 지웠습니다",
    ),
    "x + x": say(
        en="both edges lead to x, each with slope 1. The node saved nothing, so nothing was freed",
        ko="두 간선이 모두 x로 가고 기울기는 1씩입니다. 노드가 저장한 것이 없으니 지워진 것도 없습니다",
    ),
}
_bool = say(en="True or False, a bool", ko="True 또는 False (bool)")
_again = say(en="the second of two equal calls gave another answer", ko="똑같이 두 번 불렀는데 답이 달라졌습니다")
for _got, _then in zip(_found["results"], ("", say(en=", the second time", ko=", 두 번째")), strict=True):
    check.that(isinstance(_got, dict) and sorted(map(str, _got)) == _keys, f"{_call}{_then}: {_again}")
    for _key, _reason in _reasons.items():
        check.that(_got[_key] is not None, f"{_call}{_then}[{_key!r}]: None\n  {_bool}")
        _hint = _reason if isinstance(_got[_key], bool) else _bool
        check.equal(_got[_key], _works_twice(_key), f"{_call}{_then}[{_key!r}]", hint=_hint)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

- **2.1** Tensors of all kinds: computed without tracking, detached, computed under `no_grad`, tensors of ints, bools and complex numbers, empty ones,
  slices, parameters, views, models' outputs, results of an operation of one's own, intermediates after `retain_grad()` and after `backward()`;
  one tensor whose kind changes.
- **2.2** Graphs in which nodes and leaves are shared, names occur twice, constants and untracked parts are mixed in, one operation has two
  results; nodes of every name; a tensor that is changed in place between two calls; tensors without a graph; graphs drawn at random; several thousand operations in a row; 60 doublings, that is, $2^{60}$ paths. Afterwards
  `backward()` must still work.
- **2.3** The same, and that you return the leaves themselves: empty ones, with equal numbers, with shared memory, with a `.grad` already,
  parameters of a model, some of them frozen.
- **2.4** Each of the four values.
- **2.5** Each of the five answers, tried out.

Everywhere: the rules of every task.

## What you have made

In lesson 10 you will build an autograd of your own. Its `backward` begins with the walk that you have just written: from the result over the edges, each
node once, to the leaves. What is still missing is the order of the nodes, and the sum where edges meet (lesson 4).

## Checklist

You can now answer these without looking back:

- When is a tensor a leaf although it was computed?
- Which tensors have a `grad_fn`? Which get a `.grad`?
- Why does the graph of $\log x^3 + \sqrt{x^2}$ have six nodes and not seven?
- The product of the nodes' quotients is the whole quotient: for which $h$, and on which two conditions?
- What does `retain_graph=True` retain?

## Links

- [PyTorch: Understanding requires_grad, retain_grad, leaf, and non-leaf tensors](https://docs.pytorch.org/tutorials/beginner/understanding_leaf_vs_nonleaf_tutorial.html)
- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.is_leaf](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)

Next: [Lesson 03](../03_backward_and_grad/03_backward_and_grad.ipynb), `.backward()` and the `.grad` buffer.
"""

# %% [markdown] lang="ko" en="44d1f775"
r"""
## 숨은 테스트가 보는 것

- **2.1** 온갖 텐서. 추적하지 않고 계산한 것, detach한 것, `no_grad` 안에서 계산한 것, 정수와 bool과 복소수 텐서, 빈 텐서, 잘라 낸 텐서, 파라미터, view,
  모델의 출력, 직접 만든 연산의 결과, `retain_grad()`나 `backward()`를 부른 뒤의 중간 텐서. 종류가 바뀌는 텐서.
- **2.2** 노드와 leaf를 여러 곳에서 쓰는 그래프, 같은 이름이 두 번 나오는 그래프, 상수나 추적되지 않는 부분이 섞인 그래프, 결과가 둘인 연산, 온갖 이름의 노드, 두 번 부르는 사이에
  제자리에서 바뀐 텐서, 그래프가 없는 텐서, 임의로 만든 그래프, 잇달아 나오는 연산 수천 개, 두 배로 만들기 60번(경로 $2^{60}$개). 부른 뒤에도 `backward()`가 되어야 합니다.
- **2.3** 2.2와 같은 그래프에서 leaf 자신을 돌려주는지. 빈 leaf, 값이 같은 leaf, 메모리를 함께 쓰는 leaf, 이미 `.grad`가 있는 leaf, 모델의
  파라미터(일부는 `requires_grad=False`).
- **2.4** 값 네 개를 하나하나.
- **2.5** 답 다섯 개를 직접 실행해서 확인합니다.

모든 과제에서 공통 규칙을 함께 봅니다.

## 지금까지 만든 것

수업 10에서는 autograd를 직접 만듭니다. 그 `backward`도 방금 쓴 코드처럼 그래프를 따라가면서 시작합니다. 결과에서 출발해 간선을 따라, 노드마다 한 번씩, leaf까지
갑니다. 아직 없는 것은 노드를 처리하는 순서와, 간선이 만나는 곳에서 더하는 일입니다(수업 04).

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 계산해서 얻었는데도 leaf인 텐서는 어떤 텐서인가요?
- `grad_fn`이 있는 텐서는 어느 것인가요? `.grad`가 생기는 텐서는요?
- $\log x^3 + \sqrt{x^2}$의 그래프는 왜 노드가 일곱 개가 아니라 여섯 개인가요?
- 노드마다 구한 차분몫을 곱하면 전체의 차분몫이 됩니다. $h$가 얼마일 때 그런가요? 조건 두 가지는 무엇인가요?
- `retain_graph=True`는 무엇을 남기나요?

## 더 읽을거리

- [PyTorch: Understanding requires_grad, retain_grad, leaf, and non-leaf tensors (영어)](https://docs.pytorch.org/tutorials/beginner/understanding_leaf_vs_nonleaf_tutorial.html)
- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.is_leaf (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html)

다음은 [수업 03](../03_backward_and_grad/03_backward_and_grad.ipynb), `.backward()`와 `.grad` 버퍼입니다.
"""
