# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Vectors in, vectors out: VJP, JVP, Jacobian

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · VJP, JVP, Jacobian, torch.func

**After this lesson you can**

- call `backward` on a result with many elements, and say what `.grad` then holds: $v^\top J$;
- build a Jacobian row by row, and say why `backward` itself never does;
- compute $J v$, a slope in one direction, and choose between forward and reverse mode by counting;
- use `torch.func.vjp`, `jvp`, `jacrev`, `jacfwd` and `vmap`, and get one gradient for each sample of a batch.

You need lessons 1 to 4 and the product of a matrix and a vector. The minutes above do not include what is marked *optional*. An optional task
gives points like the others, but nothing later needs it.
"""

# %% [markdown] lang="ko" en="63b6b7a2"
r"""
# 벡터에서 벡터로: VJP, JVP, 야코비 행렬

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · VJP, JVP, 야코비 행렬, torch.func

**이 수업을 마치면**

- 원소가 여러 개인 결과에서 `backward`를 호출하고, 그때 `.grad`에 무엇이 담기는지($v^\top J$) 말할 수 있습니다.
- 야코비 행렬(Jacobian)을 한 행씩 만들고, `backward` 자체는 왜 야코비 행렬을 만들지 않는지 설명할 수 있습니다.
- 한 방향의 기울기 $J v$를 구하고, 순방향 모드(forward mode)와 역방향 모드(reverse mode) 중 어느 쪽의 비용이 적은지 세어서 고를 수 있습니다.
- `torch.func.vjp`, `jvp`, `jacrev`, `jacfwd`, `vmap`을 쓰고, 배치의 샘플마다 gradient를 하나씩 구할 수 있습니다.

수업 01–04의 내용과, 행렬과 벡터의 곱을 알면 됩니다. *선택*이라고 표시된 부분은 위의 시간에 들어 있지 않습니다. 선택 과제도 다른
과제처럼 점수를 주지만, 뒤의 내용에는 필요하지 않습니다.
"""

# %%
import torch

from secant import expect_error, explore_arrows, language, predict, predicted, say

language("en")

# %% [markdown] lang="en"
r"""
## First look

$F(x_1, x_2) = (x_1 \cos x_2,\; x_1 \sin x_2)$ makes two numbers from two. Left: the inputs, with a point $p = (x_1, x_2)$ and a direction $v$.
Middle: the outputs. A step $h$ along $v$ moves the output along the dotted curve. The thick arrow lies on a secant of this curve: it is the difference
quotient $\frac{F(p + hv) - F(p)}{h}$. The dashed arrow is the slope that autograd computed for the direction $v$ (labelled $Jv$; section 4 explains the name). Both are also below
the picture, as numbers. (Ignore the right plot and the list *compare* for now: they come in section 5.)

Move $x_1$ and $x_2$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at
every place?**
"""

# %% [markdown] lang="ko" en="4913c1f4"
r"""
## 먼저 보기

$F(x_1, x_2) = (x_1 \cos x_2,\; x_1 \sin x_2)$는 수 두 개를 받아 수 두 개를 내놓습니다. 왼쪽은 입력이고, 점 $p = (x_1, x_2)$와 방향 $v$가 있습니다.
가운데는 출력입니다. 입력이 $v$ 방향으로 $h$만큼 가면 출력은 점으로 그린 곡선을 따라 움직입니다. 굵은 화살표는 이 곡선의 할선 방향이며, 차분몫(difference quotient)
$\frac{F(p + hv) - F(p)}{h}$입니다. 파선 화살표는 autograd가 구한 $v$ 방향의 변화율입니다(그림에는 $Jv$로 적혀 있으며, 뜻은 4절에서 설명합니다). 그림 아래에는 두 화살표의 값이 나옵니다. (오른쪽 그림과 *비교* 목록은 5절에서 다루니 지금은 그대로 두세요.)

$x_1$과 $x_2$를 마음에 드는 곳으로 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **어느 곳에서나 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_arrows().first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

The two arrows become one: at every place the quotient tends to autograd's arrow, in both components. This lesson is about the slopes of functions with
several inputs and several outputs, and about which of these slopes autograd gets from a single pass.

</details>

## Predict first

Here is a function from 2 numbers to 3 numbers:

$$f(x_1, x_2) = (x_1 x_2,\; x_1^2,\; x_2).$$

(Mathematics counts from 1, Python from 0: $x_1$ is `x[0]`.)

Each of the 3 outputs has a slope with respect to each of the 2 inputs, so there are 6 slopes. At $x = (2, 3)$ they are

$$J = \begin{pmatrix} 3 & 2 \\ 4 & 0 \\ 0 & 1 \end{pmatrix}.$$

For an `x` that requires grad, you compute `y = f(x)` and call `y.backward(torch.ones(3))`. **What does `x.grad` hold afterwards?**
"""

# %% [markdown] lang="ko" en="38987b97"
r"""
<details><summary>무엇을 보았나요?</summary>

두 화살표가 점점 겹쳐집니다. 어느 곳에서나 차분몫은 두 성분 모두 autograd의 화살표에 가까워집니다. 이 수업에서는 입력도 출력도 여러 개인 함수의 기울기를
다룹니다. autograd가 그중 무엇을 한 번에 구하는지도 살펴봅니다.

</details>

## 먼저 예상하기

수 2개를 받아 수 3개를 내놓는 함수가 있습니다.

$$f(x_1, x_2) = (x_1 x_2,\; x_1^2,\; x_2)$$

(수학에서는 1부터, 파이썬에서는 0부터 셉니다. $x_1$이 `x[0]`입니다.)

출력 3개를 입력 2개로 각각 미분하면 기울기는 모두 6개입니다. $x = (2, 3)$에서는 다음과 같습니다.

$$J = \begin{pmatrix} 3 & 2 \\ 4 & 0 \\ 0 & 1 \end{pmatrix}$$

추적되는 `x`로 `y = f(x)`를 계산하고 `y.backward(torch.ones(3))`을 호출합니다. **그러면 `x.grad`에는 무엇이 들어 있을까요?**
"""

# %%
predict(
    "5 ones",
    A=say(en="all six slopes, as the table J", ko="기울기 여섯 개 모두, 곧 표 J"),
    B="(5, 4, 1)",
    C="(7, 3)",
    D=say(
        en="nothing: `backward` raises an error, since y is not a scalar",
        ko="아무것도 없다. y가 스칼라가 아니므로 `backward`에서 오류가 난다",
    ),
)

# %% [markdown] lang="en"
r"""
## 1. A result that is not a scalar

So far every `backward()` began at a single number, a *scalar*. Now begin at a vector: two matrices, one after the other, are applied to an
input with two elements.
"""

# %% [markdown] lang="ko" en="166c6a06"
r"""
## 1. 결과가 스칼라가 아닐 때

지금까지 `backward()`는 늘 수 하나, 곧 스칼라(scalar)에서 시작했습니다. 이번에는 벡터에서 시작해 봅시다. 원소가 두 개인 입력에 행렬 두 개를
차례로 곱합니다.
"""

# %%
inp = torch.tensor([1.0, 2.0])
W1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
W2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)

y1 = W1 @ inp
y2 = W2 @ y1
print("y1 :", y1)
print("y2 :", y2)
print(say(en="before backward:", ko="backward 전:"), W1.grad, W2.grad)

with expect_error():
    y2.backward()

# %% [markdown] lang="en"
r"""
Both results carry a `grad_fn`: every result that is tracked has one, not only the last. So the backward pass has a graph to go through, the
*directed acyclic graph* (DAG) of lesson 2.

Why the error, then? Read the message literally: only for a scalar can a gradient be created *implicitly*. `backward` starts with the slope of
the result with respect to itself. For one number that is 1, and PyTorch supplies it. For two numbers, you must say how much each of them counts.

The usual way is to combine them into one number first, for example their sum:
"""

# %% [markdown] lang="ko" en="d0da27a3"
r"""
두 결과에 모두 `grad_fn`이 있습니다. 마지막 결과뿐 아니라 추적되는 결과라면 모두 가지고 있습니다. 그러니 역방향 계산(backward pass)이 지나갈
그래프는 있습니다. 수업 02에서 본 DAG(directed acyclic graph, 유향 비순환 그래프)입니다.

그런데 왜 오류가 날까요? 오류 메시지는, 인자를 생략했을 때 시작값을 알아서(implicitly) 만들어 줄 수 있는 것은 결과가 스칼라일 때뿐이라는 뜻입니다. 결과가 수 하나라면 $1$에서 시작하면 됩니다. 결과가 여러 개라면 각각을 얼마나 반영할지 PyTorch에 알려 주어야 합니다.

흔히 쓰는 방법은 먼저 수 하나로 합치는 것입니다. 예를 들어 모두 더합니다.
"""

# %%
output = y2.sum()
output.backward()
print("y2.sum():", output)
print("W1.grad :", W1.grad, sep="\n")
print("W2.grad :", W2.grad, sep="\n")

# %% [markdown] lang="en"
r"""
A common belief says that `backward` *needs* a scalar. It does not. It takes an argument `gradient`, a tensor
of the shape of the result, with one weight for each element. A sum gives every element the weight 1:
"""

# %% [markdown] lang="ko" en="b6c79965"
r"""
`backward`는 스칼라에서만 호출할 수 있다고들 하지만, 그렇지 않습니다. 결과와 shape가 같은 텐서 $v$를 `gradient` 인자로 넘겨, 원소마다 곱할 계수를 하나씩 정해 주면 됩니다. 모두 더하는 것은 계수를 전부 1로 정하는 것과 같습니다.
"""

# %%
for v in ([1.0, 1.0], [1.0, 0.0], [10.0, -1.0]):
    W1.grad = W2.grad = None
    y2 = W2 @ (W1 @ inp)
    y2.backward(gradient=torch.tensor(v))
    print(f"v = {v}:  W1.grad = {W1.grad.tolist()}  W2.grad = {W2.grad.tolist()}")

# %% [markdown] lang="en"
r"""
- With $v = (1, 1)$ it is the gradient of the sum again.
- With $v = (1, 0)$ only the first element of `y2` counts: the second row of `W2`, which makes the second element, gets zeros.
- With $v = (10, -1)$ it is the gradient of the single number `10 * y2[0] - y2[1]`.

So `y.backward(gradient=v)` computes the gradient of $v \cdot y$: `y.backward(v)` and `(y * v).sum().backward()` leave the same values in
`.grad`.

Now by hand. Write $z$ for `y1` and $y$ for `y2`, and rewrite the number $v \cdot y$ as a sum over the elements of $z$:

$$v \cdot y = \sum_a v_a \sum_b W_{2,ab}\, z_b = \sum_b \Big(\sum_a W_{2,ab}\, v_a\Big) z_b .$$

So the coefficient of $z_b$ is the dot product of column $b$ of $W_2$ with $v$, and all the coefficients together form the vector $W_2^\top v$. This is the
gradient that flows from `y2` to `y1` in the backward pass. One step earlier in the forward pass, $z_b = \sum_c W_{1,bc}\, \text{inp}_c$, so the slope with respect to
$W_{1,bc}$ is the coefficient of $z_b$ times $\text{inp}_c$. As matrices ($\partial$: the slope with respect to one element while all others are fixed):

$$\frac{\partial (v \cdot y)}{\partial W_1} = (W_2^\top v)\, \text{inp}^\top, \qquad
\frac{\partial (v \cdot y)}{\partial W_2} = v\, z^\top .$$

A column times a row, $a\, b^\top$, is an **outer product** (`torch.outer`), the matrix of all $a_i b_j$. And going backward through a matrix
means multiplying by its **transpose**.
"""

# %% [markdown] lang="ko" en="7ef4a0ca"
r"""
- $v = (1, 1)$이면 합을 구했을 때와 같습니다.
- $v = (1, 0)$이면 `y2`의 첫째 원소만 계산에 들어갑니다. 둘째 원소를 만드는 `W2`의 둘째 행은 0을 받습니다.
- $v = (10, -1)$이면 수 하나, 곧 `10 * y2[0] - y2[1]`의 gradient입니다.

그러니까 `y.backward(gradient=v)`는 $v \cdot y$의 gradient를 구합니다. `y.backward(v)`와 `(y * v).sum().backward()`는 `.grad`에
같은 값을 남깁니다.

이제 손으로 구해 봅시다. `y1`을 $z$, `y2`를 $y$라 쓰고, 수 하나인 $v \cdot y$를 $z$의 성분별로 정리합니다.

$$v \cdot y = \sum_a v_a \sum_b W_{2,ab}\, z_b = \sum_b \Big(\sum_a W_{2,ab}\, v_a\Big) z_b$$

따라서 $z_b$의 계수는 $W_2$의 $b$열과 $v$의 내적이고, 이 계수를 모두 모으면 $W_2^\top v$입니다. 역방향 계산에서 $v$가 $W_2$를 지나면
이렇게 바뀝니다. 그보다 먼저 계산한 $z$는 $z_b = \sum_c W_{1,bc}\, \text{inp}_c$이므로, $v \cdot y$를 $W_{1,bc}$로 미분한 기울기는 $z_b$의 계수에
$\text{inp}_c$를 곱한 것입니다. 행렬로 쓰면 다음과 같습니다($\partial$은 다른 성분을 모두 그대로 두고 한 성분으로 미분한다는 뜻입니다).

$$\frac{\partial (v \cdot y)}{\partial W_1} = (W_2^\top v)\, \text{inp}^\top, \qquad
\frac{\partial (v \cdot y)}{\partial W_2} = v\, z^\top$$

열벡터와 행벡터의 곱 $a\, b^\top$은 $a_i b_j$를 모두 모은 행렬이고, **외적**(outer product, `torch.outer`)이라고 합니다. (3차원 벡터의 벡터곱(cross product)도 외적이라고 부르지만 다른 연산입니다.) 그리고 역방향 계산이 행렬을 지날 때는
그 **전치**행렬(transpose)을 곱합니다.
"""

# %% [markdown] lang="en"
r"""
## 2. What backward(v) computes: $v^\top J$

Back to the function of the prediction. The matrix of all its slopes is the **Jacobian** $J$: one *row* for each output, one
*column* for each input, $J_{ij} = \partial f_i / \partial x_j$. We try three unit vectors as $v$, then the vector of ones from the question.
"""

# %% [markdown] lang="ko" en="aa98b39e"
r"""
## 2. backward(v)가 구하는 것: $v^\top J$

처음에 예상한 함수로 돌아갑시다. 모든 기울기를 모은 표가 **야코비 행렬** $J$입니다. *행*은 출력마다 하나, *열*은 입력마다
하나이고, $J_{ij} = \partial f_i / \partial x_j$입니다. $v$에 단위벡터(unit vector) 세 개를 차례로 넣어 보고, 이어서 성분이 모두 1인
벡터를 넣어 봅시다.
"""


# %%
def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, x[1]])


x = torch.tensor([2.0, 3.0], requires_grad=True)
for v in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]):
    x.grad = None
    f(x).backward(torch.tensor(v))
    print(f"v = {v}  x.grad = {x.grad.tolist()}")

# %%
predicted(
    "5 ones",
    right="C",
    A=say(
        en="The table is never built. `.grad` always has the shape of `x`: two elements, not six.",
        ko="표는 만들어지지 않습니다. `.grad`의 shape는 언제나 `x`와 같습니다. 원소는 여섯 개가 아니라 두 개입니다.",
    ),
    B=say(
        en="These are the sums along each row, one for each output. But the ones are weights of the "
        "outputs: the rows are added to each other.",
        ko="행마다 성분을 더한 값이고, 출력마다 하나입니다. 그런데 1은 출력에 곱하는 계수이므로 행끼리 더해집니다.",
    ),
    C=say(
        en="Each output counts once, so the rows of J are added: 3 + 4 + 0 and 2 + 0 + 1.",
        ko="출력마다 계수가 1이므로 J의 행들이 그대로 더해집니다. 3 + 4 + 0과 2 + 0 + 1입니다.",
    ),
    D=say(
        en="That happens only without an argument. Here the ones say how much each output counts.",
        ko="인자가 없을 때만 오류가 납니다. 여기서는 `torch.ones(3)`이 출력마다 계수를 정해 줍니다.",
    ),
)

# %% [markdown] lang="en"
r"""
A unit vector picks one row of $J$. The vector of ones gave $(7, 3)$: **the sum of the rows**.

In general $\sum_i v_i f_i$ has the slope $\sum_i v_i J_{ij}$ with respect to input $j$. That is $v^\top J$, a **vector-Jacobian product**, VJP
for short. It has the shape of the *input*, and it is all that `backward` ever computes. A loss is the case of one output: $J$ has a
single row, $v$ is the number 1, and the row is the gradient. In training, `backward` almost always starts from one number, so you will hardly
ever meet the `gradient` argument there.

`backward` never builds the Jacobian. Its shape would be the shape of the output followed by the shape of the input, and that grows fast. Take
`y2` of section 1 as the output and `W1` as the input. Here we do build $J$: `jacrev` (section 3) takes a function, here of `W1` alone, and
returns its Jacobian at a point. `detach()` gives the same values without
the graph (lesson 6), and `tensordot(v, J, dims=1)` is $v^\top J$, the sum over the first dimension of $J$:
"""

# %% [markdown] lang="ko" en="31ff9cb0"
r"""
단위벡터는 $J$의 행 하나를 골라냅니다. 성분이 모두 1인 벡터를 넣으면 $(7, 3)$, 곧 **행들의 합**이 나옵니다.

일반적으로 $\sum_i v_i f_i$를 $j$번째 입력으로 미분한 기울기는 $\sum_i v_i J_{ij}$입니다. 이것이 $v^\top J$, 곧 **벡터-야코비 곱**(vector-Jacobian
product)이고 줄여서 VJP라고 합니다. shape는 *입력*과 같습니다. `backward`가 계산하는 것은 언제나 이것뿐입니다. loss는 출력이
하나인 경우입니다. $J$에는 행이 하나뿐이고 $v$는 수 1이며, 그 행이 바로 gradient입니다. 학습할 때는 거의 언제나 수 하나에서 `backward`를 호출하므로
`gradient` 인자를 쓸 일이 거의 없습니다.

`backward`는 야코비 행렬을 만들지 않습니다. 만든다면 shape가 출력의 shape 뒤에 입력의 shape를 이은 것이 되어 금세 커집니다. 1절의 `y2`를 출력,
`W1`을 입력으로 봅시다. 여기서는 일부러 $J$를 만들어 봅니다. `jacrev`(3절)는 함수(여기서는 `W1`만의 함수)를 받아 한 점에서의 야코비 행렬을 구합니다. `detach()`는 같은 값을 그래프 없이 내놓습니다(수업 06).
`tensordot(v, J, dims=1)`은 $J$의 첫째 차원을 따라 더한 $v^\top J$입니다.
"""

# %%
J_W1 = torch.func.jacrev(lambda W: W2.detach() @ (W @ inp))(W1.detach())
v = torch.tensor([10.0, -1.0])
print("y2:", tuple(y2.shape), " W1:", tuple(W1.shape), " J:", tuple(J_W1.shape))
print("v^T J :", torch.tensordot(v, J_W1, dims=1).tolist())
print(
    say(
        en="1000 outputs, W1 of (1000, 1000): elements of J:",
        ko="출력 1000개, W1이 (1000, 1000)일 때 J의 원소:",
    ),
    f"{1000 * 1000 * 1000:,}",
)

# %% [markdown] lang="en"
r"""
`torch.func.vjp` gives the same product as a function: it runs `f` once and returns the result together with a function that
computes $v^\top J$ for any $v$ (as a tuple, one entry for each input of `f`).
"""

# %% [markdown] lang="ko" en="2a6e1515"
r"""
`torch.func.vjp`는 같은 곱을 함수로 돌려줍니다. `f`를 한 번 실행하고, 결과와 함께 어떤 $v$에 대해서든 $v^\top J$를 구하는 함수를
돌려줍니다. 이 함수의 결과는 `f`의 입력마다 하나씩 든 튜플입니다.
"""

# %%
point = torch.tensor([2.0, 3.0])
y, pull_back = torch.func.vjp(f, point)
print("f(x)           :", y)
print("pull_back(ones):", pull_back(torch.ones(3)))

# %% [markdown] lang="en"
r"""
## 3. The Jacobian, one row at a time

Unit vectors pick rows, so a Jacobian with $m$ rows takes $m$ VJPs. Their backward passes all go through the same graph, so you must keep it:
`retain_graph=True` (lesson 2). `torch.autograd.grad` returns the product, again in a tuple,
instead of adding it to `.grad`.
"""

# %% [markdown] lang="ko" en="8f5608a2"
r"""
## 3. 야코비 행렬을 한 행씩

단위벡터가 행을 골라내므로, 행이 $m$개인 야코비 행렬에는 VJP가 $m$번 필요합니다. 역방향 계산이 $m$번 모두 같은 그래프를 지나므로
`retain_graph=True`로 그래프를 남겨 두어야 합니다(수업 02). `torch.autograd.grad`는 곱을 `.grad`에 더하지 않고
튜플에 담아 돌려줍니다.
"""

# %%
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = f(x)
for i, e in enumerate(torch.eye(3)):
    (row,) = torch.autograd.grad(y, x, e, retain_graph=True)
    print(f"J[{i}]   :", row.tolist())

print("jacrev :", torch.func.jacrev(f)(point).tolist())

# %% [markdown] lang="en"
r"""
`jacrev` (rev for *reverse*) does exactly this, for all rows at once. If `x` is tracked, its result may be tracked too; the rows of the loop are not.

Beware: for an elementwise function such as $g(x) = x^2$ the Jacobian is diagonal, and then the sum of its rows looks like "the derivative of each element".
That is why `backward(torch.ones(...))` seems to give all slopes in many examples. As soon as one input reaches two outputs, as
$x_1$ does above, the sum mixes two slopes of that input: $3 + 4 = 7$.

## 4. Forward mode: $J v$

Now from the other side. Move the input a little in a direction $v$. (This $v$ has two elements: it is a vector in *input* space, no longer weights of the outputs.) How fast do the three outputs move?
The difference quotient is $\frac{f(x + hv) - f(x)}{h}$. Its limit is $J v$, a **Jacobian-vector product**, JVP, which has the
shape of the *output*.
"""

# %% [markdown] lang="ko" en="00311936"
r"""
`jacrev`(rev는 *reverse*, 역방향)가 바로 이 일을 모든 행에 대해 한꺼번에 합니다. 다만 위의 반복문으로 만든 행과 달리, `x`가 추적되면 그
결과도 추적될 수 있습니다.

빠지기 쉬운 함정이 있습니다. 원소마다 계산하는 $g(x) = x^2$의 야코비 행렬은 대각행렬(diagonal matrix)이어서, 행들의 합이 "각 원소의
도함수"처럼 보입니다. 그래서 많은 예에서 `backward(torch.ones(...))`가 기울기를 모두 주는 것처럼 보이는 것입니다. 그러나 위의
$x_1$처럼 입력 하나가 출력 두 개에 쓰이면, 그 입력의 두 기울기가 더해져 버립니다. 여기서는 $3 + 4 = 7$입니다.

## 4. 순방향 모드: $J v$

이번에는 반대쪽에서 시작합니다. 입력을 $v$ 방향으로 조금 움직입니다($v$는 원소가 두 개이고, *입력* 쪽의 방향입니다). 출력 세 개는
얼마나 빨리 움직일까요? 차분몫(difference quotient)은 $\frac{f(x + hv) - f(x)}{h}$입니다. 그 극한이 $J v$, 곧 **야코비-벡터 곱**(Jacobian-vector
product, JVP)이고, shape는 *출력*과 같습니다.
"""

# %%
v = torch.tensor([1.0, 1.0])
p64, v64 = point.double(), v.double()
for h in (1.0, 1e-2, 1e-4):
    quotient = (f(p64 + h * v64) - f(p64)) / h
    print(f"h = {h:<6g}", say(en="quotient:", ko="차분몫:"), [round(q, 6) for q in quotient.tolist()])

y, moved = torch.func.jvp(f, (point,), (v,))
print("jvp :", moved.tolist())
print("J v :", (torch.func.jacrev(f)(point) @ v).tolist())

# %% [markdown] lang="en"
r"""
There is no $h$ in `jvp`. It is **forward mode**: the program runs once, and beside each value it carries how fast that value changes, its *tangent*. (**Reverse mode** is what `backward` does, from the result to the inputs. The vectors that it carries back, $v$ for the result and $v^\top J$ for the input, are called *cotangents*.) It needs no
graph, and there is no backward pass.

A unit vector now picks a *column* of $J$: how all outputs move when one input does. `jacfwd` builds the Jacobian column by column.
"""

# %% [markdown] lang="ko" en="fe89504a"
r"""
`jvp`에는 $h$가 없습니다. 이것이 **순방향 모드**입니다. 프로그램을 한 번 실행하면서, 값마다 그 값이 얼마나 빨리 변하는지를 함께
계산합니다. 이 속도를 *tangent*(접벡터. 수업 01의 접선과 영어 이름이 같습니다)라고 합니다. (`backward`처럼 결과에서 입력 쪽으로 계산하는 것은 **역방향 모드**입니다. 역방향 모드가 전달하는 것, 곧 결과의 $v$와 입력의 $v^\top J$는 *cotangent*라고 합니다.) 그래프가 필요 없고, 역방향 계산도 하지 않습니다.

이제 단위벡터는 $J$의 *열*을 골라냅니다. 입력 하나가 움직일 때 모든 출력이 어떻게 움직이는지입니다. `jacfwd`는 야코비 행렬을
한 열씩 만듭니다.
"""

# %%
for j, e in enumerate(torch.eye(2)):
    print(f"J[:, {j}] :", torch.func.jvp(f, (point,), (e,))[1].tolist())

print("jacfwd  :", torch.func.jacfwd(f)(point).tolist())

# %% [markdown] lang="en"
r"""
## 5. The quotient becomes $J v$; $u^\top J v$ from both ends

The $F$ of the first look takes polar coordinates, a radius $x_1$ and an angle $x_2$, to a point of the plane. At $p = (2, 0.5)$ the input moves in
the direction $v$ of length 1, at 53° in the $(x_1, x_2)$ plane. At $h = 1$ the tips of the two arrows, the difference quotient and the JVP, are $0.83$
apart. **How far apart are they at $h = 0.1$?**
"""

# %% [markdown] lang="ko" en="c1939c5e"
r"""
## 5. 차분몫과 JVP, 그리고 $u^\top J v$

맨 앞에서 본 $F$는 극좌표(polar coordinates), 곧 반지름 $x_1$과 각 $x_2$를 받아 평면의 점을 내놓습니다. $p = (2, 0.5)$에서 입력이 $(x_1, x_2)$ 평면에서
53°이고 길이가 1인 $v$ 방향으로 움직입니다. $h = 1$에서 차분몫과 JVP, 두 화살표의 끝은 $0.83$만큼 떨어져 있습니다. **$h = 0.1$에서는 얼마나 떨어져
있을까요?**
"""

# %%
predict(
    "5 arrows",
    A=say(en="about 0.26: in proportion to √h", ko="약 0.26: √h에 비례한다"),
    B=say(en="about 0.08: in proportion to h", ko="약 0.08: h에 비례한다"),
    C=say(en="about 0.008: in proportion to h²", ko="약 0.008: h²에 비례한다"),
)

# %% [markdown] lang="en"
r"""
Here is the explorer of the first look again. On the right is the distance between the arrows, for every $h$. The list *compare* adds a third arrow, $u$, a
direction among the outputs, and the two numbers of point 3.

1. At $x_1 = 2$, $x_2 = 0.5$, set $h$ to $0.1$, then to $0.01$. With a tenth of $h$, how much of the gap is left?
2. At $h = 1$, turn $v$ to 0° (only $x_1$ grows), then to 90° (only $x_2$ grows). When is there no gap, and why?
3. In the list *compare*, choose *and both along u*, and make $h$ small. Where do $u \cdot$ quotient and $(u^\top J) \cdot v$ meet? Turn $u$ until both are almost 0. What angle do $u$ and the JVP arrow make?
4. Go on to $h = 10^{-12}$. Which lesson does the right picture remind you of?
"""

# %% [markdown] lang="ko" en="273844e7"
r"""
맨 앞에서 본 탐색기입니다. 오른쪽은 $h$마다 두 화살표의 차이를 보여 줍니다. *비교* 목록을 바꾸면 출력 쪽의 방향인 셋째 화살표 $u$와 3번에 나오는 두 수가
추가로 표시됩니다.

1. $x_1 = 2$, $x_2 = 0.5$에서 $h$를 $0.1$, $0.01$로 바꾸어 보세요. $h$가 10분의 1이 되면 두 화살표의 차이는 얼마로 줄어드나요?
2. $h = 1$에서 $v$를 0°로($x_1$만 늡니다), 이어서 90°로($x_2$만 늡니다) 돌리세요. 언제 차이가 없나요? 왜 그럴까요?
3. *비교* 목록에서 *u 쪽 성분까지*를 고르고 $h$를 줄이세요. $u \cdot$ 차분몫과 $(u^\top J) \cdot v$는 어디서 만나나요? 둘 다 거의 0이 될 때까지 $u$를 돌리세요. $u$와 JVP 화살표가 이루는 각은 얼마인가요?
4. $h = 10^{-12}$까지 가 보세요. 오른쪽 그림은 어느 수업을 떠올리게 하나요?
"""

# %%
explore_arrows()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. The gap shrinks in proportion to $h$: it is $0.83$ at $h = 1$, $0.080$ at $0.1$, $0.0080$ at $0.01$. The curve along which $F(p + hv)$ moves is
   bent, and the arrow of the quotient cuts across.
2. For $v$ at 0° the curve is a straight ray, so there is no gap. At 90° it is a circle, and the quotient is a chord beside the tangent.
3. $u \cdot$ quotient moves the input *forward* and measures how far the output goes along $u$. $(u^\top J) \cdot v$ takes $u$ *back* to the inputs and
   measures it along $v$. As $h$ shrinks, the first tends to the second, $u^\top J v$. That is 0 when $u$ is at a right angle to $J v$.
4. At tiny $h$ round-off takes over, as in lesson 1. Neither $J v$ nor $u^\top J$ contains an $h$.

</details>
"""

# %% [markdown] lang="ko" en="09cc0478"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 차이는 $h$에 비례해 줄어듭니다. $h = 1$에서 $0.83$, $0.1$에서 $0.080$, $0.01$에서 $0.0080$입니다. $F(p + hv)$는 휘어진 곡선을 따라 움직이는데, 차분몫의 화살표는 그 곡선의 두 점을 곧게 이은 현(chord)의 방향이기 때문입니다.
2. $v$가 0°이면 그 자취가 직선이므로 차이가 없습니다. 90°이면 원을 따라 돌고, 차분몫의 화살표는 접선이 아니라 현의 방향을 가리킵니다.
3. $u \cdot$ 차분몫은 입력을 *앞으로* 움직인 다음, 출력이 $u$ 방향으로 얼마나 갔는지 잽니다. $(u^\top J) \cdot v$는 $u$를 입력 쪽으로 *되돌린* 다음, 그것이
   $v$ 방향으로 얼마나 되는지 잽니다. $h$가 작아지면 앞의 수가 뒤의 수 $u^\top J v$에 다가갑니다. $u$가 $J v$와 직각을 이루면 이 수는 0입니다.
4. $h$가 아주 작아지면 수업 01에서처럼 반올림 오차가 커집니다. $J v$에도 $u^\top J$에도 $h$는 없습니다.

</details>
"""

# %%
predicted(
    "5 arrows",
    right="B",
    A=say(
        en="It shrinks faster: the gap comes from the bend of the curve and is in proportion to h, so 0.080.",
        ko="그보다 빨리 줄어듭니다. 곡선이 휘어서 생기는 오차는 h에 비례하므로 0.080입니다.",
    ),
    B=say(
        en="A step to one side has an error in proportion to h: 0.080, and 0.0080 at h = 0.01.",
        ko="한쪽으로만 h만큼 가면 오차는 h에 비례해 줄어듭니다. 0.080이고, h = 0.01에서는 0.0080입니다.",
    ),
    C=say(
        en="A hundredth for a tenth of h: that is the central quotient of lesson 1. This quotient steps to "
        "one side only.",
        ko="h가 10분의 1일 때 100분의 1이 되는 것은 수업 01의 중앙 차분몫입니다. 여기서는 한쪽으로만 갑니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So there are two ways to compute $u^\top J v$: $u^\top (J v)$, forward first, and $(u^\top J)\, v$, backward first. The parentheses do not change
the value, only how it is computed: with one JVP or with one VJP. This is also how to test a backward pass without building $J$: draw any $u$ and $v$ and compare the two numbers.

Now try a function of your own. It takes a tensor with two elements and returns a tensor with two elements; the sliders x1 and x2 are `x[0]` and `x[1]`.
"""

# %% [markdown] lang="ko" en="b879944d"
r"""
그러니까 $u^\top J v$를 구하는 순서는 두 가지입니다. 순방향부터 계산하는 $u^\top (J v)$와 역방향부터 계산하는 $(u^\top J)\, v$입니다. 괄호를 어디에 쳐도
값은 같고, JVP 한 번이냐 VJP 한 번이냐만 다릅니다. 이것은 $J$를 만들지 않고 역방향 계산을 검사하는 방법이기도 합니다. $u$와 $v$를 임의로 골라 두 수를 비교하면 됩니다.

이제 여러분의 함수를 넣어 보세요. 원소가 두 개인 텐서를 받아 원소가 두 개인 텐서를 돌려주는 함수입니다. 슬라이더 x1과 x2가 `x[0]`과 `x[1]`입니다.
"""


# %%
def mine(x):
    return torch.stack([x[0] * x[1], x[0] ** 2 - x[1] ** 2])


explore_arrows(mine, ranges=((-2, 2), (-2, 2)), p=(1.0, 0.5), h=0.5)

# %% [markdown] lang="en"
r"""
## 6. Forward or reverse mode: which is cheaper?

Count passes. One VJP gives one row and takes one backward pass; a single forward pass through `f` serves all of them. One JVP gives one column and takes one forward pass,
which carries the tangents along.

A network computes one loss from 1,000,000 parameters, and you want all the slopes. **How many VJPs does that take, or how many JVPs?**
"""

# %% [markdown] lang="ko" en="18a216ea"
r"""
## 6. 어느 쪽의 비용이 적은가?

계산을 몇 번 하는지 세어 봅시다. VJP 한 번으로는 역방향 계산 한 번에 행 하나를 얻습니다(순방향 계산은 맨 처음에 한 번만 하면 됩니다). JVP 한 번으로는 순방향 계산 한 번에서 값이 변하는 속도를 함께 구해 열 하나를 얻습니다.

파라미터가 1,000,000개인 신경망이 loss 하나를 계산한다고 합시다. 모든 파라미터에 대한 기울기가 필요합니다. **VJP로는 몇 번, JVP로는 몇 번이 필요할까요?**
"""

# %%
predict(
    "5 passes",
    A=say(en="1 VJP, or 1 JVP", ko="VJP 1번 또는 JVP 1번"),
    B=say(en="1 VJP, or 1,000,000 JVPs", ko="VJP 1번 또는 JVP 1,000,000번"),
    C=say(en="1,000,000 VJPs, or 1 JVP", ko="VJP 1,000,000번 또는 JVP 1번"),
)


# %%
def count_passes(n, m):
    A = torch.linspace(-1, 1, m * n).reshape(m, n)
    layer = lambda x: torch.tanh(A @ x)
    x = torch.linspace(0, 1, n)
    _, pull_back = torch.func.vjp(layer, x)
    rows = [pull_back(e)[0] for e in torch.eye(m)]
    columns = [torch.func.jvp(layer, (x,), (e,))[1] for e in torch.eye(n)]
    same = torch.allclose(torch.stack(rows), torch.stack(columns, dim=1), atol=1e-5)
    sizes = say(en=f"{n:2} inputs, {m:2} outputs", ko=f"입력 {n:2}개, 출력 {m:2}개")
    passes = say(
        en=f"{len(rows):2} VJP  |  {len(columns):2} JVP  same J:",
        ko=f"VJP {len(rows):2}번  |  JVP {len(columns):2}번  J가 같은가:",
    )
    print(f"{sizes}:  {passes}", same)


count_passes(50, 1)
count_passes(1, 50)
count_passes(10, 15)

# %%
predicted(
    "5 passes",
    right="B",
    A=say(
        en="One JVP covers one direction only: how the loss moves when the parameters move along v.",
        ko="JVP 한 번은 한 방향만 알려 줍니다. 파라미터가 v 방향으로 움직일 때 loss가 어떻게 움직이는지입니다.",
    ),
    B=say(
        en="J has one row and a million columns: one VJP for the row, or one JVP for each column.",
        ko="J는 행이 하나, 열이 백만 개입니다. 행 하나에 VJP 한 번, 또는 열마다 JVP 한 번입니다.",
    ),
    C=say(
        en="That is a function with one input and a million outputs. A loss is the other way round.",
        ko="입력이 하나이고 출력이 백만 개인 함수라면 그렇습니다. loss는 그 반대입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
- **Few outputs, many inputs**: reverse mode. Training is the extreme case: one loss, millions of parameters, one VJP. With 10 against 15, it makes no great difference.
- **Few inputs, many outputs**: forward mode. Example: how does a whole image change when you turn one knob?
- **You need only one product, $v^\top J$ or $J v$**: one VJP or one JVP is enough. Do not build $J$.

Reverse mode also keeps a record of the forward pass in memory until the backward pass; forward mode does not.

## 7. One gradient for each sample

A batch has $n$ samples, and each has a loss of its own. The losses form a vector, so their slopes with respect to the weights $w$ form a Jacobian:
*one row for each sample*. `backward` on the summed loss gives the sum of the rows, and on the mean loss it gives their mean. Sometimes you need
the rows themselves: which sample has the largest effect? Which one is an outlier?
"""

# %% [markdown] lang="ko" en="5a21890f"
r"""
- **출력이 적고 입력이 많으면** 역방향 모드입니다. 학습이 극단적인 예입니다. loss 하나, 파라미터 수백만 개, VJP 한 번입니다. 10개와 15개라면 큰 차이가 없습니다.
- **입력이 적고 출력이 많으면** 순방향 모드입니다. 예를 들어 입력값 하나를 바꾸면 이미지 전체가 어떻게 달라지는지 알고 싶을 때입니다.
- **곱 $v^\top J$나 $J v$ 하나만 필요하면** VJP나 JVP 한 번이면 됩니다. $J$를 만들지 마세요.

역방향 모드는 역방향 계산이 끝날 때까지 순방향 계산의 기록을 메모리에 두어야 하지만, 순방향 모드는 그렇지 않습니다.

## 7. 샘플마다 gradient 하나씩

배치(batch)에 샘플이 $n$개 있고, 샘플마다 자기 loss가 있습니다. loss들은 벡터이므로, 가중치 $w$로 미분하면 야코비 행렬이 됩니다. *샘플마다
행이 하나*입니다. loss의 합에서 `backward`를 호출하면 행들의 합이, 평균에서 호출하면 행들의 평균이 나옵니다. 때로는 행이 하나하나 필요합니다. 어느 샘플의 영향이 가장 큰지, 어느 샘플이 이상치(outlier)인지 알고 싶을 때입니다.
"""

# %%
X = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
Y = torch.tensor([3.0, 2.0, -20.0])
w = torch.tensor([1.0, 1.0])


def sample_loss(w, x, y):
    return (torch.exp(0.1 * x @ w) - y) ** 2


each = torch.func.vmap(torch.func.grad(sample_loss), in_dims=(None, 0, 0))(w, X, Y)
print(
    say(en="one row per sample:", ko="샘플마다 한 행:"), [[round(g, 3) for g in row] for row in each.tolist()]
)
print(say(en="their sum:", ko="행들의 합:"), [round(g, 3) for g in each.sum(dim=0).tolist()])

leaf = w.clone().requires_grad_()
((torch.exp(0.1 * X @ leaf) - Y) ** 2).sum().backward()
print(say(en="backward of the sum:", ko="합의 backward:"), [round(g, 3) for g in leaf.grad.tolist()])

# %% [markdown] lang="en"
r"""
Read the line with `vmap` from the inside. `grad(sample_loss)` is a function that returns the gradient of *one* sample's loss with respect to the
first argument, `w`. `vmap` runs it for all samples at once; `in_dims=(None, 0, 0)` says that `w` is the same for all, while `X` and `Y` are split
along their dimension 0.

The third sample is far off its target, and its row shows it. The sum alone would not have told you which sample it was.

## 8. A real bug

`torch.cholesky_inverse` computes $X = (L L^\top)^{-1}$ from a lower triangular matrix $L$. When $L$ moves in the direction $V$, the product rule on
$X (L L^\top) = I$ gives $J V = -X (V L^\top + L V^\top) X$. (You do not have to follow this: below, only the order of the factors matters.) The
next cell compares your PyTorch with the quotient, then with this formula, and with the one in which $L^\top X$ is swapped to $X L^\top$; all elements of $u$ are 1.
"""

# %% [markdown] lang="ko" en="1cda834a"
r"""
`vmap`이 있는 줄을 안쪽부터 읽어 봅시다. `grad(sample_loss)`는 샘플 *하나*의 loss를 첫째 인자 `w`로 미분한 gradient를 돌려주는
함수입니다. `vmap`은 이것을 모든 샘플에 한꺼번에 실행합니다. `in_dims=(None, 0, 0)`은 `w`는 모두 같이 쓰고, `X`와 `Y`는 0번
차원을 따라 나눈다는 뜻입니다.

셋째 샘플은 목표에서 멀리 떨어져 있고, 그 사실이 행에 드러납니다. 합만 보았다면 어느 샘플인지 알 수 없었을 것입니다.

## 8. 실제로 있었던 버그

`torch.cholesky_inverse`는 하삼각행렬(lower triangular matrix) $L$에서 $X = (L L^\top)^{-1}$을 구합니다. $L$이 $V$ 방향으로 움직일 때 $X (L L^\top) = I$에 곱의 미분법을
쓰면 $J V = -X (V L^\top + L V^\top) X$입니다. (이 식을 따라가지 않아도 됩니다. 아래에서는 곱하는 순서만 중요합니다.) 지금 설치된 PyTorch의 결과를
차분몫, 이 공식, 그리고 이 공식에서 $L^\top X$의 순서를 $X L^\top$으로 바꾼 것과 비교해 봅시다. $u$의 성분은 모두 1입니다.
"""

# %%
L = torch.tensor([[1.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
V = torch.tensor([[1.0, 0.0], [0.0, 0.0]], dtype=torch.float64)
X, pull_back = torch.func.vjp(torch.cholesky_inverse, L)
u, h = torch.ones_like(X), 1e-6

right, swapped = X @ V @ L.T @ X, X @ V @ X @ L.T
print(
    say(en="u . quotient :", ko="u . 차분몫   :"),
    round((u * (torch.cholesky_inverse(L + h * V) - X)).sum().item() / h, 4),
)
print("(u J) . V    :", (pull_back(u)[0] * V).sum().item())
print("u . (J V)    :", (u * torch.func.jvp(torch.cholesky_inverse, (L,), (V,))[1]).sum().item())
print(say(en="u . formula  :", ko="u . 공식     :"), (u * -(right + right.T)).sum().item())
print(say(en="u . swapped  :", ko="u . 순서 바꿈:"), (u * -(swapped + swapped.T)).sum().item())

# %% [markdown] lang="en"
r"""
In PyTorch 2.13 the quotient and reverse mode give $-2$, but forward mode gives $-6$, without an error
([pytorch#196682](https://github.com/pytorch/pytorch/issues/196682), reported in September 2026). The cause: two factors of the JVP formula are in
the wrong order, as in the last line. PyTorch's own tests did compare with quotients, but at nearly diagonal matrices, where the order of the
factors hardly matters. The [proposed fix](https://github.com/pytorch/pytorch/pull/197010) swaps them back and adds a test at a matrix that is far from diagonal.
If your PyTorch is newer, the first three lines may agree by now. Either way, compare $u \cdot (Jv)$ with $(u^\top J) \cdot v$ at a matrix such as this $L$, whose
element off the diagonal is as large as those on it.
"""

# %% [markdown] lang="ko" en="a4556104"
r"""
PyTorch 2.13에서 차분몫과 역방향 모드는 $-2$인데, 순방향 모드는 오류 없이 $-6$을 내놓습니다([pytorch#196682](https://github.com/pytorch/pytorch/issues/196682),
2026년 9월 보고). 원인은 마지막 줄처럼 JVP 공식에서 곱하는 두 행렬의 순서가 바뀐 것입니다. PyTorch의 테스트도 차분몫과 비교했지만, 대각행렬에 가까운
행렬에서만 보았습니다. 그런 행렬은 곱의 순서를 바꾸어도 값이 거의 같습니다. [제안된 수정](https://github.com/pytorch/pytorch/pull/197010)은 순서를
바로잡고 평범한 행렬의 테스트를 더합니다. 그 뒤에 나온 PyTorch라면 처음 세 줄이 이제 모두 같을 수도 있습니다. 어쨌든 $u \cdot (Jv)$와 $(u^\top J) \cdot v$는
대각행렬에 가까운 행렬 말고, 이 $L$처럼 대각선 밖의 성분도 큰 행렬에서 비교하세요.
"""

# %% [markdown] lang="en"
r"""
## 9. Complex numbers · optional

A leaf may hold complex numbers, $z = a + ib$. The loss must still be real. What is `z.grad` then? Take two losses, and their slopes with respect to
$a$ and $b$ by difference quotients:
"""

# %% [markdown] lang="ko" en="01d6461d"
r"""
## 9. 복소수 · 선택

leaf에는 복소수(complex number) $z = a + ib$를 담을 수도 있습니다. loss는 그래도 실수여야 합니다. 그러면 `z.grad`는 무엇일까요? loss 두 개를
놓고, $a$와 $b$로 미분한 기울기를 차분몫으로 구해 봅시다.
"""

# %%
for name, loss in (("|z|^2", lambda z: z.abs() ** 2), ("Re z^2", lambda z: (z**2).real)):
    z = torch.tensor(1 + 2j, dtype=torch.complex128, requires_grad=True)
    loss(z).backward()
    h, here = 1e-6, z.detach()
    along_a = (loss(here + h) - loss(here - h)) / (2 * h)
    along_b = (loss(here + 1j * h) - loss(here - 1j * h)) / (2 * h)
    print(f"{name:7} dL/da = {along_a:.4f}  dL/db = {along_b:.4f}  z.grad = {z.grad.item()}")

# %% [markdown] lang="en"
r"""
`z.grad` is $\frac{\partial L}{\partial a} + i\,\frac{\partial L}{\partial b}$: the two real slopes, packed into one complex number. So the step
`z - lr * z.grad` goes downhill, as with real numbers.

In the language of complex analysis this is twice the *conjugate Wirtinger derivative* $\frac{\partial L}{\partial \bar z} = \frac12\left(\frac{\partial L}{\partial a} + i\,\frac{\partial L}{\partial b}\right)$.
That is why the second line shows $2 - 4i$: the complex derivative of $z^2$ is $2z = 2 + 4i$, and `.grad` holds its conjugate.

**Take care when you compare.** Some texts call $\frac{\partial L}{\partial \bar z}$ itself the gradient, which is half of PyTorch's. JAX's `grad`
returns the conjugate of PyTorch's. Try $L = |z|^2$ first: the gradient is $2z$ in PyTorch, $z$ in such a text and $2\bar z$ in JAX.
"""

# %% [markdown] lang="ko" en="d660820f"
r"""
`z.grad`는 $\frac{\partial L}{\partial a} + i\,\frac{\partial L}{\partial b}$입니다. 실수 기울기 두 개를 복소수 하나에 담은 것입니다. 그래서 실수일 때와 마찬가지로
`z - lr * z.grad`는 loss가 줄어드는 쪽으로 갑니다.

복소해석학의 용어로 이것은 *켤레 비르팅거 도함수*(conjugate Wirtinger derivative) $\frac{\partial L}{\partial \bar z} = \frac12\left(\frac{\partial L}{\partial a} + i\,\frac{\partial L}{\partial b}\right)$의
두 배입니다. 둘째 줄이 $2 - 4i$인 이유가 여기에 있습니다. $z^2$의 복소 도함수는 $2z = 2 + 4i$이고, `.grad`에는 그 켤레가
들어갑니다.

**비교할 때 조심하세요.** $\frac{\partial L}{\partial \bar z}$ 자체를 gradient라고 부르는 글에서는 값이 PyTorch의 절반이고, JAX의 `grad`는 PyTorch의 켤레를 돌려줍니다.
먼저 $L = |z|^2$으로 확인해 보세요. PyTorch에서는 $2z$, 그런 글에서는 $z$, JAX에서는 $2\bar z$입니다.
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
`autograder check 5 --solution matrix_vjp`).

</details>

**Only in this lesson:**

- A `.grad` that must survive stays the same tensor: an equal copy in its place counts as a change.
- All tensors are `float32` or `float64`, and within one call they have the same dtype. A `float64` result computed in `float32` is wrong. Sizes are at least 1, except in 5.4. A tensor may be a slice or
  a transpose of a larger one, so `view` may fail on it.
"""

# %% [markdown] lang="ko" en="5befdb65"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 5 --solution matrix_vjp`).

</details>

**이 수업에만 있는 규칙:**

- `.grad`를 그대로 두라는 말은 같은 텐서 객체여야 한다는 뜻입니다. 값이 같은 복사본을 다시 넣어도 안 됩니다.
- 텐서는 모두 `float32` 또는 `float64`이고, 한 번의 호출에서는 dtype이 모두 같습니다. `float64` 결과를 `float32`로 계산하면 틀린 답입니다. 크기는 5.4를 빼면 모두 1 이상입니다. 더 큰 텐서에서 잘라 내거나 전치한
  텐서일 수도 있으므로 `view`가 실패할 수 있습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 5.1 · `matrix_vjp`

●●○○○ · ★★★★☆ · 10 min · {{points}}

This is section 1 with any sizes and any weights. Return the gradients of the number $v \cdot (W_2\,(W_1\,\text{inp}))$ with respect to $W_1$ and
$W_2$, as a tuple `(g1, g2)`.

- Shapes: `inp` is (n,), `W1` is (k, n), `W2` is (m, k), `v` is (m,). The sizes may all differ, and any of them may be 1.
- `g1` has the shape and dtype of `W1`, `g2` those of `W2`.
- Write it with **matrix formulas**, without autograd: that is the exercise, though only the result is tested.
- Any of the four tensors may be tracked and have a `.grad`, which must survive. Your results may be tracked or not.
- `g1` and `g2` give one point each.

<details><summary>Hint 1: the idea</summary>

What arrives at `y1` when the backward pass takes $v$ through $W_2$? Check the shapes: (m,) must become (k,).

</details>

<details><summary>Hint 2: one layer</summary>

With a single matrix, $v \cdot (A\,x)$ has the gradient `torch.outer(v, x)` with respect to `A` and `A.T @ v` with respect to `x`. Here there are two
layers. What is the input of each, and what arrives at its output?

</details>
"""

# %% [markdown] lang="ko" en="4ead22b2"
r"""
## 과제 5.1 · `matrix_vjp`

{{marks}}분 · {{points}}

1절을 임의의 크기와 임의의 계수 $v$로 해 봅시다. 수 $v \cdot (W_2\,(W_1\,\text{inp}))$을 $W_1$과 $W_2$로 미분한 gradient를 튜플 `(g1, g2)`로
돌려주세요.

- shape: `inp`는 (n,), `W1`은 (k, n), `W2`는 (m, k), `v`는 (m,)입니다. 크기는 서로 다를 수 있고 1일 수도 있습니다.
- `g1`의 shape와 dtype은 `W1`과 같고, `g2`는 `W2`와 같습니다.
- autograd 없이 **행렬 식**으로 쓰세요. 그것이 이 과제의 목적이지만 검사하는 것은 결과뿐입니다.
- 네 텐서 가운데 어느 것이든 추적되고 `.grad`가 있을 수 있습니다. 그 `.grad`는 그대로 남아야 합니다. 결과가 추적되는지는
  상관없습니다.
- `g1`과 `g2`가 각각 1점입니다.

<details><summary>힌트 1: 생각의 방향</summary>

역방향 계산에서 $v$가 $W_2$를 지나면 `y1`에는 무엇이 도착하나요? shape로 확인하세요. (m,)이 (k,)가 되어야 합니다.

</details>

<details><summary>힌트 2: 층이 하나라면</summary>

행렬이 하나뿐인 $v \cdot (A\,x)$의 gradient는 `A`에 대해서는 `torch.outer(v, x)`, `x`에 대해서는 `A.T @ v`입니다. 여기서는 층이 둘입니다.
층마다 입력은 무엇이고, 출력에 도착하는 것은 무엇인가요?

</details>
"""


# %% answer="matrix_vjp"
def matrix_vjp(W1, W2, inp, v):
    """Return (g1, g2), the gradients of v . (W2 @ (W1 @ inp)) with respect to W1 and W2.

    Shapes: W1 (k, n), W2 (m, k), inp (n,), v (m,). g1 has the shape and dtype of W1, g2 those of W2.
    """
    ### BEGIN SOLUTION
    return torch.outer(W2.T @ v, inp), torch.outer(v, W1 @ inp)
    ### END SOLUTION


# %% test="matrix_vjp" points=2
from secant import PartialCredit, ask, check, hints, leaf, tensor

hint = hints("matrix_vjp")
_credit = PartialCredit(g1=1, g2=1)


def _compare(inputs, g1, g2, wrong1, wrong2):
    wrong1 = {hint.order: g2, hint.around: g1.T, hint.sign: -g1, **wrong1}
    wrong2 = {hint.around: g2.T, hint.sign: -g2, **wrong2}
    for name, want, wrong in (("g1", g1, wrong1), ("g2", g2, wrong2)):
        with _credit.part(name):
            answer = ask("matrix_vjp(W1, W2, inp, v)", **inputs).changes_nothing()
            got = answer.parts("g1", "g2", hint=hint.pair)[name == "g2"]
            cause = hint.factors if getattr(got.result, "shape", None) == want.shape else ""
            got.returns(want, mistakes=wrong, nearly=hint.precise, hint=cause)


_inputs = {"W1": tensor([[1, 2], [3, 4]]), "W2": tensor([[2, 3], [4, 2]])}
_inputs |= {"inp": tensor([1, 2]), "v": tensor([10, -1])}
_wrong1 = {hint.rows: [[17, 34], [38, 76]], hint.no_v: [[6, 12], [5, 10]]}
_wrong2 = {hint.weigh: [[5, 11], [5, 11]], hint.inp: [[10, 20], [-1, -2]]}
_wrong2[hint.sums] = [[30, 70], [-3, -7]]
_compare(_inputs, tensor([[16, 32], [28, 56]]), tensor([[50, 110], [-5, -11]]), _wrong1, _wrong2)
_W1, _W2 = leaf([[1], [1], [-2]], grad=7.0), leaf([[1, 2, 3], [4, 5, 6]], grad=7.0)
_inputs = {"W1": _W1, "W2": _W2, "inp": tensor([-3]), "v": tensor([2, -0.1])}
_wrong1 = {hint.refilled: tensor([[-5.4], [-16.8], [-28.2]])}
_g1, _g2 = tensor([[-4.8], [-10.5], [-16.2]]), tensor([[-6, -6, 12], [0.3, 0.3, -0.6]])
_compare(_inputs, _g1, _g2, _wrong1, {hint.above: tensor([[10, 22], [-0.5, -1.1]])})
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import torch

_CALL = "matrix_vjp(W1, W2, inp, v)"
_TOLERANCE = {
    "float64": {"rtol": 1e-11, "atol": 1e-11, "nearly": hint.precise},
    "float32": {"atol": 5e-4},
}


def _reference(W1, W2, inp, v):
    """Return both gradients of v . (W2 @ (W1 @ inp)), the sum of v_a W2_ab W1_bc inp_c over a, b and c."""
    return torch.einsum("a,ab,c->bc", v, W2, inp), torch.einsum("a,bc,c->ab", v, W1, inp)


def _compare_with_reference(
    part, W1, W2, inp, v, dtype, tracked=(), layout="", cause=hint.factors, **more_tolerance
):
    values, place = {"W1": tensor(W1), "W2": tensor(W2), "inp": tensor(inp), "v": tensor(v)}, part == "g2"
    leaves = {name: leaf(t, dtype, layout=layout, tracked=False) for name, t in values.items()}
    leaves |= {name: leaf(values[name], dtype, 7.0, layout=layout) for name in tracked}
    want = tensor(_reference(*values.values())[place], dtype)
    tolerance = {**_TOLERANCE[dtype], **more_tolerance}
    options = {"ahead": (_CALL, *((f"{name}.data *= -2", _CALL) for name in values))}
    answer = first = ask(_CALL, options, **leaves).changes_nothing()
    got = answer.parts("g1", "g2", hint=hint.pair)[place]
    same_shape = getattr(got.result, "shape", None) == want.shape
    got.returns(want, hint=cause if same_shape else "", **tolerance)
    answer.again().parts("g1", "g2", hint=hint.pair)[place].returns(want, **tolerance)
    for name in values:
        values[name] = -2 * values[name]
        want = tensor(_reference(*values.values())[place], dtype)
        answer = answer.after(f"{name}.data *= -2").changes_nothing()
        answer.parts("g1", "g2", hint=hint.pair)[place].returns(want, **tolerance)
    if part == "g2":  # one check of the whole result covers g1 and g2
        first.still_returns(first.result)


def _draw_and_compare(part, n, k, m, dtype, tracked=(), v=None, layout=""):
    W1, W2, inp, random_v = (check.draw_tensor(*shape).tolist() for shape in ((k, n), (m, k), (n,), (m,)))
    check.smallest(_compare_with_reference, part, W1, W2, inp, v or random_v, dtype, tracked, layout)


def _compare_all(part):
    for dtype in ("float64", "float32"):
        _draw_and_compare(part, 1, 1, 1, dtype, tracked=("W1", "W2", "inp", "v"))
        _draw_and_compare(part, 1, 4, 3, dtype, tracked=("inp", "v"))
        _draw_and_compare(part, 3, 4, 2, dtype, tracked=("W1", "W2"))
        for n, k, m in ((2, 2, 2), (2, 3, 1), (3, 1, 2), (4, 2, 3), (3, 3, 3), (3, 4, 4), (7, 12, 9)):
            _draw_and_compare(part, n, k, m, dtype)
        for layout in ("slice", "transposed"):
            _draw_and_compare(part, 3, 4, 2, dtype, layout=layout)
        _draw_and_compare(part, 2, 3, 4, dtype, v=[0.0, 0.0, -1.0, 0.0])
    _draw_and_compare(part, 2, 3, 2, "float64", v=[0.0, 0.0])
    # inp, W2 and y1 = W1 @ inp contain zeros, so an answer must not divide by their elements.
    W1 = [[check.draw(1, 3), 2.0, 2.0], check.draws(3, 1, 3)]
    W2 = [[0.0, 3.0], [check.draw(1, 3), 0.0]]
    _compare_with_reference(part, W1, W2, [0.0, 5.0, -5.0], [1.0, -2.0], "float64", cause=hint.zero)
    _compare_with_reference(
        part, [[1.0, 2.0], [3.0, -6.0]], W2, [1.0, 1.0], [1.0, -2.0], "float64", cause=hint.zero
    )
    _compare_with_reference(part, W1, W2, [0.0, 0.0, 0.0], [1.0, -2.0], "float64", cause=hint.zero)
    v = [float(f"{check.draw(1, 3)}e6"), float(f"-{check.draw(1, 3)}e-30")]
    W1, W2 = [[1.0, 2.0], [3.0, 4.0]], [[2.0, 3.0], [4.0, 2.0]]
    _compare_with_reference(part, W1, W2, [1.0, -3.0], v, "float64", cause=hint.size, atol=0.0)


for _part in ("g1", "g2"):
    with _credit.part(_part):
        _compare_all(_part)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 5.2 · `jacobian_by_rows`

●●●○○ · ★★★★★ · 12 min · {{points}}

Return the Jacobian of `f` at `x`: entry (i, j) is the slope of output i with respect to input j.

- `x` is a leaf of shape (n,) with `requires_grad=True`. It may have a `.grad`, which must survive.
- `f` takes a tensor of shape (n,) and returns one of shape (m,). You learn m only by calling `f`, and you may call it more than once.
- `f` may ignore some of its inputs (columns of zeros), some of its outputs may be constant (rows of zeros), and it may return the very tensor it was given. At least one output depends on `x`.
- `f` may use other tensors that are tracked, such as a weight. Their `.grad` must survive too.
- The result has shape (m, n) and the dtype of `x`, and it is not tracked: `requires_grad` is `False`.
- It is right to 12 significant digits in `float64`, which a simple difference quotient does not reach.

The idea is one VJP for each output, but every correct way counts.

<details><summary>Hint 1: the idea</summary>

Which $v$ picks row i? What keeps the graph for m backward passes? And which function returns the product instead of adding it to a `.grad`?

</details>

<details><summary>Hint 2: the skeleton</summary>

```
y = f(x)
rows = []
for v in ...:  # as many vectors as there are rows
    (row,) = torch.autograd.grad(y, x, ...)
    rows.append(row)
return torch.stack(rows)
```

</details>
"""

# %% [markdown] lang="ko" en="2824d935"
r"""
## 과제 5.2 · `jacobian_by_rows`

{{marks}}분 · {{points}}

`x`에서 `f`의 야코비 행렬을 돌려주세요. 원소 (i, j)는 i번째 출력을 j번째 입력으로 미분한 기울기입니다.

- `x`는 shape가 (n,)이고 `requires_grad=True`인 leaf입니다. `.grad`가 있을 수 있으며, 그대로 남아야 합니다.
- `f`는 shape가 (n,)인 텐서를 받아 shape가 (m,)인 텐서를 돌려줍니다. m은 `f`를 호출해 보아야 알 수 있습니다. 여러 번 호출해도 됩니다.
- `f`는 입력 일부를 쓰지 않을 수도 있고(0으로 된 열), 출력 일부가 상수일 수도 있으며(0으로 된 행), 받은 텐서를 그대로 돌려줄 수도
  있습니다. 적어도 출력 하나는 `x`에 따라 달라집니다.
- `f`는 가중치처럼 추적되는 다른 텐서를 쓸 수도 있습니다. 그 텐서의 `.grad`도 그대로 남아야 합니다.
- 결과의 shape는 (m, n)이고 dtype은 `x`와 같으며, 추적되지 않습니다. 곧 `requires_grad`가 `False`입니다.
- `float64`에서 유효 숫자 12자리까지 맞아야 합니다. 간단한 차분몫으로는 여기에 미치지 못합니다.

출력마다 VJP를 한 번씩 구하는 것이 기본이지만, 맞는 방법이면 무엇이든 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

i번째 행을 골라내는 $v$는 무엇인가요? 역방향 계산을 m번 하려면 그래프를 어떻게 해 두어야 하나요? 곱을 `.grad`에 더하지 않고
돌려주는 함수는 무엇인가요?

</details>

<details><summary>힌트 2: 뼈대</summary>

```
y = f(x)
rows = []
for v in ...:  # 행의 개수만큼
    (row,) = torch.autograd.grad(y, x, ...)
    rows.append(row)
return torch.stack(rows)
```

</details>
"""


# %% answer="jacobian_by_rows"
def jacobian_by_rows(f, x):
    """Return the Jacobian of f at x as a detached tensor of shape (m, n).

    f: a function from (n,) tensors to (m,) tensors; x: a leaf of shape (n,) with requires_grad=True.
    """
    ### BEGIN SOLUTION
    y = f(x)
    units = torch.eye(len(y), dtype=y.dtype)
    rows = [torch.autograd.grad(y, x, e, retain_graph=True)[0] for e in units]
    return torch.stack(rows)
    ### END SOLUTION


# %% test="jacobian_by_rows" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("jacobian_by_rows")

_CALL, _ERRORS = "jacobian_by_rows(f, x)", {"retain_graph": hint.graph}

_triple = "torch.stack([t[0] * t[1], t[0] ** 2, t[1]])"
_answer = ask(_CALL, {"errors": _ERRORS}, f=f"lambda t: {_triple}", x=leaf([2, 3], grad=3.0))
_wrong = {
    hint.total: [[7, 3], [7, 3], [7, 3]],
    hint.once: [7, 3],
    hint.before: [[3, 2], [7, 2], [7, 3]],
    hint.last: [[0, 1], [0, 1], [0, 1]],
    hint.transposed: [[3, 4, 0], [2, 0, 1]],
    hint.few: [[3, 2], [4, 0]],
}
_answer.changes_nothing().returns(tensor([[3, 2], [4, 0], [0, 1]]), mistakes=_wrong, hint=hint.row)
_answer.is_untracked()
_x, _W = leaf([2, 1, -1], grad=3.0), leaf([[1, 2, 3]], grad=5.0)
_answer = ask(_CALL, f="lambda t: (W @ t) ** 3", x=_x, W=_W).changes_nothing().is_untracked()
_wrong, _want = {hint.flat: [3, 6, 9]}, tensor([[3, 6, 9]])
_answer.returns(_want, mistakes=_wrong, nearly=hint.digits, hint=hint.row)
check.visible_passed()
### BEGIN HIDDEN TESTS
from torch.autograd.functional import jacobian

from secant import formula


_OTHER_CALL = "jacobian_by_rows(lambda t: -2 * f(t), x)"
_ALL_ERRORS = {**_ERRORS, "equal size": hint.point}


def _compare(f, x, A, dtype, grad=None, layout="", cause=hint.shape):
    point, function = tensor(x), formula(f, A=tensor(A), W=tensor(A))
    want, next_want = (tensor(jacobian(function, place), dtype) for place in (point, point + 1))
    precision = 1e-12 if dtype == "float64" else 2e-4
    tolerance = {"rtol": precision, "atol": precision * want.abs().max().item(), "nearly": hint.digits}
    arguments = {"x": leaf(x, dtype, grad, layout=layout), "A": tensor(A, dtype), "W": leaf(A, dtype, 5.0)}
    other_weight = formula(f, A=tensor(A), W=-2 * tensor(A))
    moves = {"x.data += 1": next_want, "W.data *= -2": tensor(jacobian(other_weight, point + 1), dtype)}
    options = {"errors": _ALL_ERRORS, "ahead": (_CALL, _OTHER_CALL, *((move, _CALL) for move in moves))}
    answer = ask(_CALL, options, f=f"lambda t: {f}", **arguments).changes_nothing()
    wrong = {hint.flat: want[0]} if len(want) == 1 else {hint.transposed: want.T}
    answer.returns(want, mistakes=wrong, hint=cause, **tolerance).is_untracked()
    answer.again().returns(want, **tolerance)
    answer.then(_OTHER_CALL, hint.other_function).returns(-2 * want, **tolerance)
    for move, expected in moves.items():
        answer.after(move).changes_nothing().is_untracked().returns(expected, **tolerance)
    answer.still_returns(answer.result)


_CASES = (
    (_triple, 2, hint.shape),
    ("torch.stack([t[0] * t[1], t.sin().sum(), t[2] ** 2, t.prod()])", 3, hint.shape),
    ("A @ t", 2, hint.shape),
    ("(W @ t) ** 2", 3, hint.shape),
    ("torch.sin(A @ t)", 4, hint.shape),
    ("torch.sin(A @ t)", 1, hint.shape),
    ("torch.stack([t[1] ** 2, 3 * t[1]])", 4, hint.ignored),
    ("torch.stack([t[0] * t[2], torch.full((), 4.0, dtype=t.dtype), t[1] ** 3])", 3, hint.constant),
    ("torch.cat([(t - 4).abs(), (t + 4).abs()])", 2, hint.shape),
    ("t", 3, hint.itself),
    ("t**3", 1, hint.shape),
    ("(t**2).sum().reshape(1)", 3, hint.shape),
    ("(t[0] * t[1]).expand(3)", 2, hint.shape),
)
# sin(40 t) is so strongly curved that no difference quotient comes close to 12 correct digits.
_x = [number / 7 for number in check.draws(2, -7, 7)]
_compare("torch.sin(40 * t)", _x, [[0.0]], "float64", cause=hint.digits)
for _dtype, _grad, _layout in (("float64", None, ""), ("float64", 3.0, "slice"), ("float32", -1.0, "")):
    for _f, _n, _cause in _CASES:
        _x, _A = check.draws(_n, -1.5, 1.5), check.draw_tensor(3, _n, low=-1.5, high=1.5).tolist()
        check.smallest(_compare, _f, _x, _A, _dtype, _grad, _layout, _cause)
_compare(_triple, [0.0, 0.0], [[0.0]], "float64", cause=hint.start)
for _scale in ("1e-30", "1e6"):
    _f, _x = f"{_scale} * torch.sin(t)", check.draws(2, -1, 0.5)
    _compare(_f, _x, [[0.0]], "float64", 3.0, cause=hint.size)
_compare("torch.sin(A @ t)", check.draws(15, -1, 1), check.draw_tensor(20, 15), "float64")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 5.3 · `directional_derivative`

●●○○○ · ★★★★☆ · 7 min · {{points}}

Return $J v$, the *directional derivative*: how fast the outputs of `f` move when the input moves from `x` in the direction `v`.

- `x` and `v` have shape (n,) and are not tracked. `f` takes a tensor of shape (n,), uses PyTorch operations and returns a tensor of shape (m,); m and n may differ. You may call `f` more than once.
- Use `v` as it is. It need not have length 1, and it may be zero or, in `float64`, tiny (1e-30) or huge (1e30). Twice the `v` gives twice the result.
- The result has shape (m,) and the dtype of `x`, and it is not tracked.
- It is right to 12 significant digits in `float64`, which a simple difference quotient does not reach.
- As in 5.2, `f` may ignore some inputs, have constant outputs, or return the tensor it was given; at least one output depends on the input.
  But here `f` uses no tracked tensors.

<details><summary>Hint 1: the idea</summary>

Section 4. Which function of `torch.func` carries a direction along?

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

For a product of two inputs, `torch.func.jvp(torch.mul, (a, b), (da, db))` returns the pair `(a * b, da * b + a * db)`: a tuple of points and a
tuple of directions go in. How many inputs does your `f` have, and which half of the pair do you need?

</details>
"""

# %% [markdown] lang="ko" en="9600f2c4"
r"""
## 과제 5.3 · `directional_derivative`

{{marks}}분 · {{points}}

$J v$, 곧 **방향도함수**(directional derivative)의 값을 돌려주세요. 입력이 `x`에서 `v` 방향으로 움직일 때 `f`의 출력이 얼마나 빨리 움직이는지를 나타냅니다.

- `x`와 `v`는 shape가 (n,)이고 추적되지 않습니다. `f`는 shape가 (n,)인 텐서를 받아 PyTorch 연산으로 계산하고 shape가 (m,)인 텐서를
  돌려줍니다. m과 n은 다를 수 있습니다. `f`는 여러 번 호출해도 됩니다.
- `v`는 주어진 그대로 쓰세요. 길이가 1이 아니어도 되고, 0일 수도 있고, `float64`에서는 아주 작거나(1e-30) 아주 클 수도 있습니다(1e30). `v`가 두 배면 결과도 두 배입니다.
- 결과의 shape는 (m,)이고 dtype은 `x`와 같으며, 추적되지 않습니다.
- `float64`에서 유효 숫자 12자리까지 맞아야 합니다. 간단한 차분몫으로는 여기에 미치지 못합니다.
- 5.2에서처럼 `f`는 입력 일부를 쓰지 않거나, 상수인 출력이 있거나, 받은 것을 그대로 돌려줄 수 있습니다. 적어도 출력 하나는 입력에
  따라 달라집니다. 다만 여기서는 `f`가 추적되는 텐서를 쓰지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

4절입니다. `torch.func`의 어느 함수에 방향을 함께 넘겼나요?

</details>

<details><summary>힌트 2: 같은 생각을 다른 곳에</summary>

입력이 둘인 곱셈이라면 `torch.func.jvp(torch.mul, (a, b), (da, db))`는 쌍 `(a * b, da * b + a * db)`를 돌려줍니다. 점의 튜플과 방향의
튜플을 넘깁니다. 여러분의 `f`에는 입력이 몇 개인가요? 그리고 쌍에서 필요한 것은 어느 쪽인가요?

</details>
"""


# %% answer="directional_derivative"
def directional_derivative(f, x, v):
    """Return J v, of shape (m,), where J is the Jacobian of f at x.

    f: a function from (n,) tensors to (m,) tensors; x: the point, (n,); v: the direction, (n,).
    """
    ### BEGIN SOLUTION
    return torch.func.jvp(f, (x,), (v,))[1]
    ### END SOLUTION


# %% test="directional_derivative" points=2
import torch

from secant import ask, check, hints, tensor

hint = hints("directional_derivative")

_CALL = "directional_derivative(f, x, v)"
_OTHER_CALL = "directional_derivative(lambda t: -2 * f(t), x, v)"

_pair, _triple = (f"torch.stack([t[0] * t[1], t[0] ** 2{more}])" for more in ("", ", t[1]"))
_mistakes = {hint.value: [6, 4], hint.no_v: [5, 4], hint.left: [7, -6], hint.ones: [-21, 8]}
_mistakes |= {hint.length: tensor([-0.2, -2.4]), hint.step: [-13, -3], hint.added: tensor(-13)}
for _f, _v, _want, _wrong in (
    (_pair, [-3, 4], [-1, -12], _mistakes),
    (_triple, [3, -4], [1, 12, -4], {hint.swapped: [1, 12, 3], hint.added: tensor(9)}),
    (_triple, [0, 0], [0, 0, 0], {hint.divided: torch.isnan}),
):
    _answer = ask(_CALL, f=f"lambda t: {_f}", x=tensor([2, 3]), v=tensor(_v)).changes_nothing()
    _cause = hint.row if any(_v) else hint.zero
    _answer.returns(tensor(_want), mistakes=_wrong, nearly=hint.digits, hint=_cause).is_untracked()
    _answer.then(_OTHER_CALL, hint.other_function).returns(-2 * tensor(_want))
check.visible_passed()
### BEGIN HIDDEN TESTS
from torch.autograd.functional import jacobian

from secant import formula, leaf


def _is_multiple(got, want):
    """Return whether got is want times a positive number."""
    return got.any() and want.any() and torch.allclose(got / got.abs().max(), want / want.abs().max())


def _compare(f, x, v, A, dtype="float64", layout="", cause=hint.shape):
    point, direction, function = tensor(x), tensor(v), formula(f, A=tensor(A))
    slopes = [jacobian(function, place) for place in (point, point + 1)]
    want, next_want = (tensor(J @ direction, dtype) for J in slopes)
    precision = 1e-12 if dtype == "float64" else 2e-4
    # J v is linear in J and in v, so its rounding error is proportional to the size of both.
    size = max(map(abs, v)) * max(J.abs().max().item() for J in slopes)
    tolerance = {"rtol": precision, "atol": precision * size / 3, "nearly": hint.digits}
    x, v = (leaf(numbers, dtype, layout=layout, tracked=False) for numbers in (x, v))
    other_want = tensor(jacobian(formula(f, A=-2 * tensor(A)), point + 1) @ direction, dtype)
    moves = ("v.data *= -2", -2 * want), ("x.data += 1", -2 * next_want), ("A.data *= -2", -2 * other_want)
    options = {"ahead": (_CALL, _OTHER_CALL, *((statement, _CALL) for statement, _ in moves))}
    answer = first = ask(_CALL, options, f=f"lambda t: {f}", x=x, v=v, A=tensor(A, dtype)).changes_nothing()
    wrong = {hint.scalar: want[0]} if len(want) == 1 else {hint.length: lambda got: _is_multiple(got, want)}
    wrong[hint.divided] = lambda got: ~got.isfinite()
    answer.returns(want, mistakes=wrong, hint=cause, **tolerance).is_untracked()
    answer.again().returns(want, **tolerance)
    answer.then(_OTHER_CALL, hint.other_function).returns(-2 * want, **tolerance)
    for statement, expected in moves:
        answer = answer.after(statement).changes_nothing().is_untracked().returns(expected, **tolerance)
    if f != "t":  # for the identity, jvp returns v itself, and `moves` change v
        first.still_returns(first.result)


_CASES = (
    (_triple, 2, 1, hint.shape),
    ("t**2", 3, 1, hint.shape),
    ("A @ t", 3, 4, hint.shape),
    ("(A @ t) ** 2", 4, 2, hint.shape),
    ("torch.sin(A @ t)", 3, 3, hint.shape),
    ("torch.sin(A @ t)", 1, 4, hint.shape),
    ("torch.stack([t[1] ** 2, 3 * t[1]])", 4, 1, hint.shape),
    ("torch.stack([t[0] * t[2], torch.full((), 4.0, dtype=t.dtype), t[1] ** 3])", 3, 1, hint.constant),
    ("torch.cat([(t - 4).abs(), (t + 4).abs()])", 2, 1, hint.shape),
    ("t", 3, 1, hint.shape),
    ("(t**2).sum().reshape(1)", 3, 1, hint.shape),
    ("(t[0] * t[1]).expand(3)", 2, 1, hint.shape),
)
_compare(_triple, check.draws(2, -3, -1), check.draws(2, 1, 3), [[0.0]])
# sin(40 t) is so strongly curved that no difference quotient comes close to 12 correct digits.
_compare("torch.sin(40 * t)", check.draws(2, -1, 1), check.draws(2, -3, 3), [[0.0]], cause=hint.digits)
for _dtype, _layout in (("float64", ""), ("float64", "slice"), ("float32", "")):
    for _f, _n, _m, _cause in _CASES:
        _x, _v = check.draws(_n, -1.5, 1.5), check.draws(_n, -3, 3)
        _A = check.draw_tensor(_m, _n, low=-1.5, high=1.5).tolist()
        check.smallest(_compare, _f, _x, _v, _A, _dtype, _layout, _cause)
    _direction = [check.draw(1, 3), 0.0, -check.draw(1, 3)]
    check.smallest(_compare, "t**2", check.draws(3, -2, 2), _direction, [[0.0]], _dtype, _layout)
_x, _A = check.draws(2, -1, 1), check.draw_tensor(3, 2).tolist()
_compare("1e-30 * torch.sin(t)", _x, check.draws(2, -3, 3), [[0.0]], cause=hint.linear)
_compare("torch.sin(A @ t)", _x, [0.0, 0.0], _A, cause=hint.zero)
_compare("(A @ t) ** 2", _x, [check.draw(100, 900), -check.draw(100, 900)], _A)
for _power in (-30, 30):
    _v = [float(f"{check.draw(1, 3)}e{_power}"), -float(f"{check.draw(1, 3)}e{_power}")]
    _compare("A @ t", _x, _v, _A, cause=hint.linear)
_compare(_triple, [0.0, 0.0], check.draws(2, -3, 3), [[0.0]])
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 5.4 · `weighted_backward`

●●○○○ · ★★★★☆ · 9 min · {{points}}

Do the work of `y.backward(gradient=v)` yourself: multiply by the weights, combine everything into one number, run the backward pass. Passing `v` to
`backward` would defeat the exercise, though only the result is tested.

- `y` is a result with a graph behind it. It is not a scalar and has any other shape (it may be empty); `v` is an untracked tensor of its dtype.
- If `v` has the shape of `y`, **add** the gradient of the sum of all $v_i y_i$ to the `.grad` of every leaf behind `y`, as `backward` does. A leaf whose
  gradient is 0 gets zeros, too. These `.grad` are not tracked. Nothing else changes; `v` and the values of `y` stay as they are.
- If `v` has **another shape**, even one that would broadcast, raise `ValueError` and leave every `.grad` alone. `y` can still be used afterwards.
- After a call whose shapes match, the saved tensors may be freed, as after `backward`: a second call on the same `y` need not work.
- Return nothing.
- The gradient and the refusal of other shapes give one point each.

<details><summary>Hint 1: the idea</summary>

Which single number has the gradient $v^\top J$? And what happens in `y * v` when `y` has shape (2,) and `v` has shape (2, 1)?

</details>

<details><summary>Hint 2: the same idea elsewhere</summary>

This runs the backward pass from the weighted mean of several losses, and raises an error before it computes anything if the weights do not match:

```
if len(weights) != len(losses):
    raise ValueError("one weight for each loss")
mean = sum(w * loss for w, loss in zip(weights, losses)) / sum(weights)
mean.backward()
```

Here there is no mean. What must match?

</details>
"""

# %% [markdown] lang="ko" en="80489ed3"
r"""
## 과제 5.4 · `weighted_backward`

{{marks}}분 · {{points}}

`y.backward(gradient=v)`가 하는 일을 직접 해 보세요. 계수를 곱하고, 수 하나로 합치고, 역방향 계산을 합니다. `backward`에 `v`를 넘기면 연습이
되지 않지만, 검사하는 것은 결과뿐입니다.

- `y`는 그래프가 딸린 결과입니다. 스칼라가 아니라는 것 말고는 shape에 제한이 없습니다(비어 있을 수도 있습니다). `v`는 추적되지 않는 텐서이고 dtype은 `y`와 같습니다.
- `v`의 shape가 `y`와 같으면, $v_i y_i$를 모두 더한 수의 gradient를 `y`를 만드는 데 쓰인 모든 leaf의 `.grad`에 `backward`처럼
  **더합니다**. 0이어도 더합니다. 이 `.grad`는 추적되지 않습니다. 그 밖에는 아무것도 바뀌지 않습니다. `v`도, `y`의 값도 그대로입니다.
- `v`의 **shape가 다르면**, 브로드캐스트가 되는 shape라 해도 `ValueError`를 일으키고 어떤 `.grad`도 건드리지 않습니다. 그 뒤에도
  `y`를 쓸 수 있어야 합니다.
- shape가 맞는 호출 뒤에는 `backward`처럼 저장된 텐서를 해제해도 됩니다. 같은 `y`로 두 번째 호출했을 때 동작하지 않아도 됩니다.
- 아무것도 돌려주지 않습니다.
- gradient와 `ValueError`가 각각 1점입니다.

<details><summary>힌트 1: 생각의 방향</summary>

gradient가 $v^\top J$가 되는 수 하나는 무엇인가요? 그리고 `y`의 shape가 (2,)이고 `v`의 shape가 (2, 1)이면 `y * v`는 어떻게
되나요?

</details>

<details><summary>힌트 2: 같은 생각을 다른 곳에</summary>

다음 코드는 여러 loss의 가중평균에서 역방향 계산을 하고, 가중치의 개수가 맞지 않으면 아무것도 계산하기 전에 예외를 일으킵니다.

```
if len(weights) != len(losses):
    raise ValueError("loss마다 가중치가 하나씩 있어야 합니다")
mean = sum(w * loss for w, loss in zip(weights, losses)) / sum(weights)
mean.backward()
```

이 과제에서는 평균을 내지 않습니다. 맞아야 하는 것은 무엇인가요?

</details>
"""


# %% answer="weighted_backward"
def weighted_backward(y, v):
    """Add the gradient of the sum of v * y to the .grad of every leaf behind y.

    y: a result that is not a scalar; v: a tensor. Raise a ValueError unless v has the shape of y.
    """
    ### BEGIN SOLUTION
    if v.shape != y.shape:
        raise ValueError(f"v has shape {tuple(v.shape)}, y has {tuple(y.shape)}")
    (y * v).sum().backward()
    ### END SOLUTION


# %% test="weighted_backward" points=2
from secant import PartialCredit, ask, check, hints, leaf, tensor

hint = hints("weighted_backward")
_credit = PartialCredit(gradient=1, shapes=1)

_DEFINE_RAISED = """
def raised(y, v):
    try: weighted_backward(y, v); return "nothing"
    except ValueError: return "ValueError"
    except Exception as error: return type(error).__name__
"""


def _compare(answer, grads, wrong):
    answer.holds(answer.result is None, hint.none).changes_nothing(but=[("grad", n) for n in grads])
    for name, want in grads.items():
        grad = answer.then(f"{name}.grad")
        grad.holds(grad.result is not None, hint.missing if want.any() else hint.filled)
        grad.returns(want, mistakes=wrong[name], hint=hint.added).is_untracked(hint.graph)


def _check_refusal(y_shape, v_shape, dtype="float64", grad=5.0):
    words = f"weighted_backward(y, v), y.shape = {y_shape}, v.shape = {v_shape}"
    x, v = leaf(tensor(2).expand(y_shape) + 0, dtype, grad), f"torch.ones({v_shape}).to(x.dtype)"
    answer = ask("raised(y, v)", {"before": _DEFINE_RAISED, "words": words}, x=x, y="x**2", v=v)
    check.equal(answer.result, "ValueError", f"{words}: {hint.raised}", hint=hint.shapes)
    return answer.changes_nothing()


with _credit.part("gradient"):
    _answer = ask("weighted_backward(y, v)", x=leaf([1, 2], grad=5.0), y="x**2", v=tensor([1, 10]))
    _wrong = {hint.no_v: [7, 9], hint.mean: [6, 25], hint.missing: [5, 5]}
    _compare(_answer, {"x": tensor([7, 45])}, {"x": _wrong})
with _credit.part("shapes"):
    _check_refusal((2,), (2, 1))
    _check_refusal((2, 1, 3, 2), (2, 3, 1, 2))
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import torch

from secant import formula


def _close_to(want):
    return lambda got: torch.allclose(got.double(), want, rtol=1e-3)


def _compare_with_autograd(y, x, w, v, dtype, grad=None, layout="", cause=""):
    numbers, start = {"x": tensor(x).requires_grad_(), "w": tensor(w).requires_grad_()}, grad or 0.0
    result = formula(y, **numbers, frozen=tensor(3.0))(None)
    slopes = torch.autograd.grad(result, list(numbers.values()), tensor(v), allow_unused=True)
    slopes = {name: slope for name, slope in zip(numbers, slopes, strict=True) if slope is not None}
    arguments = {"x": leaf(x, dtype, grad), "w": leaf(w, dtype, grad), "frozen": tensor(3.0, dtype), "y": y}
    arguments["v"] = leaf(v, dtype, layout=layout, tracked=False)
    grads, second_call = [f"{name}.grad" for name in slopes], f"weighted_backward({y}, 3 * v)"
    options = {"errors": {"`inputs`": hint.missing, "": hint.any}, "ahead": (*grads, second_call, *grads)}
    answer = ask("weighted_backward(y, v)", options, **arguments)
    size_mistake = {cause: torch.isfinite} if cause else {}
    wrong = {
        name: {
            hint.missing: torch.full_like(slope, start),
            hint.precise: _close_to(start + slope),
            **size_mistake,
        }
        for name, slope in slopes.items()
    }
    _compare(answer, {name: tensor(start + slope, dtype) for name, slope in slopes.items()}, wrong)
    second_answer = answer.then(second_call)
    wrong = {
        name: {hint.replaced: 3 * slope, hint.precise: _close_to(start + 4 * slope)}
        for name, slope in slopes.items()
    }
    _compare(second_answer, {name: tensor(start + 4 * slope, dtype) for name, slope in slopes.items()}, wrong)


def _draw_and_compare(y, x_shape, w_shape, *rest):
    x, w = check.draw_tensor(*x_shape), check.draw_tensor(*w_shape)
    v = check.draw_tensor(*formula(y, x=x, w=w, frozen=tensor(3.0))(None).shape)
    check.smallest(_compare_with_autograd, y, x.tolist(), w.tolist(), v.tolist(), *rest)


with _credit.part("gradient"):
    for _dtype in ("float64", "float32"):
        for _grad in (None, 7.0):
            for _y, *_shapes in (
                ("x**2", (1,), (1,)),
                ("x**2", (4,), (1,)),
                ("x**2", (2, 1, 3), (1,)),
                ("x @ w", (2, 3), (3, 4)),
                ("(x**2).T", (2, 3), (1,)),
                ("(x**2).T", (3, 3), (1,)),
                ("x * w + x", (2, 3, 2), (2, 3, 2)),
                ("x * frozen", (5,), (1,)),
                ("torch.outer(x, w)", (3,), (2,)),
                ("x.expand(4, 3)", (3,), (1,)),
            ):
                _draw_and_compare(_y, *_shapes, _dtype, _grad)
        for _layout in ("slice", "transposed"):
            _draw_and_compare("x**2", (2, 3), (1,), _dtype, None, _layout)
    _draw_and_compare("x * w + x", (7, 11), (7, 11), "float64", 0.5)
    _compare_with_autograd("x**2", [], [1.0], [], "float64", 2.0)
    _compare_with_autograd("(x**2)[:0]", check.draws(3, -3, 3), [1.0], [], "float64")
    _compare_with_autograd("(x * w)[:0]", [[1.0, 2.0]], [[3.0, 4.0]], torch.empty(0, 2), "float64", 3.0)
    _compare_with_autograd("x**2", check.draws(3, -3, 3), [1.0], [0.0, 0.0, 0.0], "float64")
    _compare_with_autograd("x**2", check.draws(3, -3, 3), [1.0], [0.0, -2.0, 0.0], "float64", 3.0)
    _v = [float(f"{check.draw(1, 3)}e6"), float(f"-{check.draw(1, 3)}e-30")]
    _compare_with_autograd("1e30 * x**2", check.draws(2, 1, 3), [1.0], _v, "float64", cause=hint.size)
_PAIRS = [((2,), v) for v in ((2, 1), (1,), (), (1, 2), (3,), (2, 2))]
_PAIRS += [((2, 3), v) for v in ((3,), (1, 3), (2, 1), (3, 2), (6,))]
_PAIRS += [((2, 1), (2,)), ((1,), ()), ((1,), (1, 1)), ((1, 3), (3,)), ((3,), (2, 3)), ((0,), (0, 3))]
# In each pair, both shapes have the same number of dimensions. Most pairs differ only in the order of sizes.
_PAIRS += [((2, 3, 1), (2, 1, 3)), ((2, 3, 4), (2, 1, 4)), ((3, 1, 2), (1, 3, 2)), ((1, 2), (2, 1))]
with _credit.part("shapes"):
    for _y, _v in _PAIRS:
        _dtype, _grad = "float32" if len(_y) == 1 else "float64", check.draw(1, 9)
        _answer = _check_refusal(_y, _v, _dtype, _grad)
        # This call only has to change .grad. The part "gradient" tests how much it adds.
        _answer.then("weighted_backward(y, torch.ones_like(y))", errors=hint.early)
        _grad_changed = _answer.then(f"bool(x.grad.ne(torch.tensor({_grad}, dtype=x.dtype)).all())")
        _grad_changed.holds(_grad_changed.result, hint.early)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 5.5 · `per_sample_grads` · optional

●●●○○ · ★★★★☆ · 10 min · {{points}}

A linear model with weights `w` has, for one sample (x, y), the loss $(x \cdot w - y)^2$. Return the gradient of *each* sample's loss with respect to `w`: row i belongs to sample i.

- Shapes: `w` is (d,), `X` is (n, d), `Y` is (n,). The result is (n, d), in their dtype. n and d may be 1.
- The loss is that of one sample: no mean over the batch and no factor ½.
- `w` may be tracked and have a `.grad`, which must survive. `X` and `Y` are not tracked. Your result may be tracked or not.
- You may use a loop, `vmap`, autograd or a formula. A forward difference quotient is not exact enough.

<details><summary>Hint 1: the idea</summary>

Section 7: write a function for one sample's loss, then take its gradient, then run that for all samples.

</details>

<details><summary>Hint 2: two ways</summary>

With `vmap`: the cell of section 7 needs only another loss. By hand: the slope of $u^2$ is $2u$ times the slope of $u$, and here $u$ is
$x \cdot w - y$. What is its slope with respect to $w$? For all samples at once, a column (n, 1) times a table (n, d) is a table (n, d).

</details>
"""

# %% [markdown] lang="ko" en="38f4e5f3"
r"""
## 과제 5.5 · `per_sample_grads` · 선택

{{marks}}분 · {{points}}

가중치가 `w`인 선형 모델에서 샘플 하나 (x, y)의 loss는 $(x \cdot w - y)^2$입니다. 샘플 *하나하나*의 loss를 `w`로 미분한 gradient를
돌려주세요. i번째 행이 샘플 i의 gradient입니다.

- shape: `w`는 (d,), `X`는 (n, d), `Y`는 (n,)입니다. 결과는 (n, d)이고 dtype은 이들과 같습니다. n과 d는 1일 수도 있습니다.
- loss는 샘플 하나에 대한 값입니다. 배치 평균을 내지도, ½을 곱하지도 않습니다.
- `w`는 추적되는 텐서일 수 있고 `.grad`가 있을 수도 있는데, 그 `.grad`는 그대로 남아야 합니다. `X`와 `Y`는 추적되지 않습니다. 결과가 추적되는지는
  상관없습니다.
- 반복문, `vmap`, autograd, 공식, 무엇을 써도 됩니다. 전방 차분몫으로는 정확도가 모자랍니다.

<details><summary>힌트 1: 생각의 방향</summary>

7절입니다. 샘플 하나의 loss 함수를 쓰고, 그 gradient를 구하고, 모든 샘플로 넓히세요.

</details>

<details><summary>힌트 2: 두 가지 방법</summary>

`vmap`을 쓴다면 7절의 셀에서 loss만 바꾸면 됩니다. 손으로 구한다면 $u^2$의 기울기는 $2u$에 $u$의 기울기를 곱한 것이고, 여기서 $u$는
$x \cdot w - y$입니다. $u$를 $w$로 미분하면 무엇인가요? 모든 샘플을 한꺼번에 구하려면, 열 (n, 1)에 표 (n, d)를 곱하면 표 (n, d)가 됩니다.

</details>
"""


# %% answer="per_sample_grads"
def per_sample_grads(w, X, Y):
    """Return the gradient of each sample's loss (x . w - y)^2 with respect to w, as an (n, d) tensor.

    w: the weights, (d,); X: one sample per row, (n, d); Y: the targets, (n,).
    """

    ### BEGIN SOLUTION
    def loss(w, x, y):
        return (x @ w - y) ** 2

    for_all = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return for_all(w, X, Y)
    ### END SOLUTION


# %% test="per_sample_grads" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("per_sample_grads")

_CALL = "per_sample_grads(w, X, Y)"

_want, _total = tensor([[-6, -12], [12, 4], [0, -28]]), tensor([6, -36])
_wrong = {
    hint.mean: (_total / 3).expand(3, 2),
    hint.summed: (_total, _total.expand(3, 2)),
    hint.half: _want / 2,
    hint.sign: -_want,
    hint.divided: _want / 3,
    hint.before: _want.cumsum(0),
    hint.last: _want[-1].expand(3, 2),
    hint.transposed: _want.T,
    hint.every: [[-20, -40], [-6, -2], [0, -52]],
    hint.of_x: [[-6, 6], [4, -4], [-14, 14]],
}
_answer = ask(_CALL, w=tensor([1, -1]), X=tensor([[1, 2], [3, 1], [0, 2]]), Y=tensor([2, 0, 5]))
_default_hints = {"nearly": hint.precise, "hint": hint.alone}
_answer.changes_nothing().returns(_want, mistakes=_wrong, **_default_hints)
_answer = ask(_CALL, w=leaf([1, -1], grad=7.0), X=tensor([[2, 1]]), Y=tensor([4.9]))
_wrong, _want = {hint.single: tensor([-15.6, -7.8])}, tensor([[-15.6, -7.8]])
_answer.changes_nothing().returns(_want, mistakes=_wrong, **_default_hints)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_TOLERANCE = {"float64": {}, "float32": {"atol": 5e-4}}
_EXACT_TOLERANCE = {**_TOLERANCE, "float64": {"nearly": hint.precise}}


def _reference(w, X, Y):
    return 2 * (X @ w - Y)[:, None] * X


def _compare(w, X, Y, dtype, kind="", grad=None, cause=hint.alone, tolerance=None):
    values, layout = {"w": tensor(w), "X": tensor(X), "Y": tensor(Y)}, kind.replace("tracked", "")
    leaves = {name: leaf(t, dtype, layout=layout, tracked=False) for name, t in values.items()}
    leaves["w"] = leaf(w, dtype, grad, layout=kind, tracked=kind == "tracked")
    options = {"ahead": (_CALL, *((f"{name}.data += 1", _CALL) for name in values))}
    answer = first = ask(_CALL, options, **leaves).changes_nothing()
    wrong = {
        hint.nan: torch.isnan,
        hint.rows: lambda got: got.dim() == 2 and got.shape[1] == len(w) and len(got) < len(X),
    }
    want = tensor(_reference(*values.values()), dtype)
    answer.returns(want, mistakes=wrong, hint=cause, **(tolerance or _EXACT_TOLERANCE[dtype]))
    answer.again().returns(first.result)
    for name in values:
        values[name] = values[name] + 1
        want = tensor(_reference(*values.values()), dtype)
        answer = answer.after(f"{name}.data += 1").changes_nothing().returns(want, **_TOLERANCE[dtype])
    first.still_returns(first.result)


def _draw_and_compare(n, d, *rest):
    w, X, Y = (check.draw_tensor(*shape).tolist() for shape in ((d,), (n, d), (n,)))
    check.smallest(_compare, w, X, Y, *rest)


for _dtype in ("float64", "float32"):
    for _n, _d in ((1, 1), (1, 3), (3, 2), (3, 3), (40, 7)):
        _draw_and_compare(_n, _d, _dtype)
    for _n, _d, _grad in ((2, 3, None), (4, 1, -2.0), (3, 4, 4.0)):
        _draw_and_compare(_n, _d, _dtype, "tracked", _grad)
    for _layout in ("slice", "transposed"):
        _draw_and_compare(4, 3, _dtype, _layout)
# The gradient is 0 for a sample whose target is predicted exactly, and for a sample with x = 0.
_X, _Y = [[1.0, 1.0], [0.0, 0.0], [3.0, 5.0]], [1.0, check.draw(1, 5), 2.0]
_compare([2.0, -1.0], _X, _Y, "float64")
_X, _Y, _rtol_only = [[300.0, 200.0], [1e-15, 1e-15]], [-check.draw(1, 5), 0.0], {"rtol": 1e-7, "atol": 0.0}
_compare([2.0, -1.0], _X, _Y, "float64", cause=hint.size, tolerance=_rtol_only)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **5.1** Sizes that differ, sizes of 1, random $v$ with zeros, negative, tiny and large numbers; zeros in `inp` (or nothing else), in `W2` and `y1`; a `y1` whose sum is 0; both dtypes; slices of larger tensors; tracked tensors whose `.grad` must survive; the same tensors with other values, all or only some, at later calls.
- **5.2** More outputs than inputs and the reverse, one input, one output; functions that mix inputs, ignore some, have constant or expanded outputs, use a tracked weight, or return the tensor they were given; an `x.grad` that is there already; an `x` that is a slice; that the result is not tracked; both dtypes; 12 digits, also where `f` is strongly curved or its slopes are tiny or large; the same `x` with other values, another function, or another weight behind the same function.
- **5.3** m and n that differ, symmetric and other Jacobians, $v$ that is long, short, tiny, huge, zero or negative; that the result is not tracked; slices of larger tensors; the same function at another point, in another direction and with another matrix inside, another function at the same point; 12 digits, also where `f` is strongly curved or its slopes are tiny; both dtypes.
- **5.4** Several shapes of `y`, also transposed, expanded and empty, with an `x` that is not empty; `v` of zeros, with tiny and large numbers, or a slice of a larger tensor; several leaves; a `.grad` that was there before; several calls; that nothing is returned; over twenty pairs of shapes that must raise `ValueError`, some with as many elements (or none) or with several equal sizes, and that `y` can be used afterwards.
- **5.5** Random batches, n and d of 1, samples whose error is 0, tiny or large; both dtypes; slices of larger tensors; a tracked `w` with a `.grad`; the same tensors with other values, all or only some.

</details>

Everywhere: the rules of every task.

## What you have built

In lesson 10 you write an autograd of your own, and you have just made its core. Its `backward` begins like `weighted_backward`, with $v = 1$ at the
loss. Then each operation does what `matrix_vjp` does: it takes the $v$ that arrives, multiplies it by its own slopes and passes the product on. No $J$
is ever built.

## Checklist

You can now answer these without looking back:

- What does `.grad` hold after `y.backward(v)`? What shape does it have? And what does `backward(torch.ones(m))` have to do with the Jacobian?
- How many VJPs does a Jacobian with m rows and n columns take, and how many JVPs?
- Why is training done in reverse mode?
- What number do $u \cdot (J v)$ and $(u^\top J) \cdot v$ both give, and what can you use that for?
- What does `vmap(grad(loss), in_dims=(None, 0, 0))` do?

## Links

- [PyTorch: torch.func, function transforms](https://docs.pytorch.org/docs/stable/func.html)
- [PyTorch: Jacobians, Hessians, hvp, vhp, and more](https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html)
- [PyTorch: Per-sample gradients](https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html)
- [PyTorch: Autograd for complex numbers](https://docs.pytorch.org/docs/stable/notes/autograd.html#autograd-for-complex-numbers)
- [JAX: The autodiff cookbook](https://docs.jax.dev/en/latest/notebooks/autodiff_cookbook.html)

Next: [Lesson 06](../06_cutting_the_graph/06_cutting_the_graph.ipynb), cutting and splicing the graph.
"""

# %% [markdown] lang="ko" en="187a44d7"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **5.1** 서로 다른 크기, 크기가 1인 경우, 0과 음수, 아주 작거나 큰 수가 섞인 임의의 $v$, `inp`(모두 0인 것도)와 `W2`와 `y1`에 있는 0, 합이 0인 `y1`, 두 가지 dtype, 더 큰 텐서에서 잘라 낸 것, `.grad`가 남아야 하는
  추적되는 텐서, 같은 텐서 모두나 일부에 다른 값을 넣고 다시 호출했을 때.
- **5.2** 출력이 입력보다 많은 경우와 적은 경우, 입력이나 출력이 하나인 경우. 입력을 섞는 함수, 일부를 쓰지 않는 함수, 출력이 상수이거나
  expand한 것인 함수, 추적되는 가중치를 쓰는 함수, 받은 것을 그대로 돌려주는 함수. 이미 있는 `x.grad`, 잘라 낸 `x`, 결과가 추적되지 않는지,
  두 가지 dtype, 많이 휘는 함수나 기울기가 아주 작거나 큰 함수에서도 유효 숫자 12자리, 같은 `x`에 다른 값을 넣거나 다른 함수를 썼을 때,
  같은 함수가 쓰는 가중치가 바뀌었을 때.
- **5.3** 서로 다른 m과 n, 대칭인 야코비 행렬과 그렇지 않은 것, 길거나 짧거나 아주 작거나 아주 크거나 0이거나 음수인 $v$, 결과가 추적되지 않는지, 더 큰 텐서에서 잘라 낸 것,
  같은 함수를 다른 점과 다른 방향에서, 함수 안의 행렬이 바뀌었을 때, 다른 함수를 같은 점에서, 많이 휘는 함수나 기울기가 아주 작은 함수에서도 유효 숫자 12자리, 두 가지 dtype.
- **5.4** `y`의 여러 shape(전치하거나 expand한 것, `x`는 비어 있지 않은데 `y`만 빈 것도), 모두 0이거나 아주 작고 큰 수가 섞였거나 잘라 낸 `v`, 여러 개의 leaf, 전부터 있던 `.grad`, 여러 번 호출하기,
  아무것도 돌려주지 않는지, `ValueError`를 일으켜야 하는 shape 스무 쌍 남짓(원소의 개수나 몇몇 차원의 크기가 같은 것, 빈 것도), 그 뒤에도 `y`를 쓸 수 있는지.
- **5.5** 임의의 배치, n이나 d가 1인 경우, 오차가 없거나 아주 작거나 큰 샘플, 두 가지 dtype, 더 큰 텐서에서 잘라 낸 것, 추적되고 `.grad`가 있는 `w`,
  같은 텐서 모두나 일부에 다른 값을 넣었을 때.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서는 나만의 autograd를 만듭니다. 그 핵심을 이번 수업에서 만들었습니다. 수업 10의 `backward`도 `weighted_backward`처럼 출력의 계수 $v$에서 시작하는데, loss에서는 $v = 1$입니다.
그다음 연산마다 `matrix_vjp`가 하는 일을 합니다. 도착한 $v$에 자기 기울기를 곱해 입력 쪽으로 넘깁니다. $J$는 한 번도 만들지 않습니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `y.backward(v)` 다음에 `.grad`에는 무엇이 들어 있나요? shape는 무엇인가요? `backward(torch.ones(m))`은 야코비 행렬과 어떤 관계인가요?
- 행이 m개, 열이 n개인 야코비 행렬을 만들려면 VJP가 몇 번 필요한가요? JVP로는 몇 번인가요?
- 학습은 왜 역방향 모드로 하나요?
- $u \cdot (J v)$와 $(u^\top J) \cdot v$는 둘 다 어떤 수인가요? 그 사실은 어디에 쓸 수 있나요?
- `vmap(grad(loss), in_dims=(None, 0, 0))`은 무엇을 하나요?

## 더 읽을거리

- [PyTorch: torch.func, 함수 변환 (영어)](https://docs.pytorch.org/docs/stable/func.html)
- [PyTorch: Jacobians, Hessians, hvp, vhp, and more (영어)](https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html)
- [PyTorch: Per-sample gradients (영어)](https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html)
- [PyTorch: Autograd for complex numbers (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html#autograd-for-complex-numbers)
- [JAX: The autodiff cookbook (영어)](https://docs.jax.dev/en/latest/notebooks/autodiff_cookbook.html)

다음은 [수업 06](../06_cutting_the_graph/06_cutting_the_graph.ipynb), 그래프를 끊고 다시 잇기입니다.
"""
