# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Gradients of gradients

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · create_graph, Hessian, Newton

**After this lesson you can**

- differentiate a gradient once more, and say what `create_graph=True` records;
- multiply the matrix of all second derivatives by a vector without ever building that matrix;
- take a step of Newton's method, and train with a loss that contains a gradient;
- differentiate through whole training steps, for example to learn a learning rate;
- write a `Function` that can be differentiated twice, and check it.

You need lesson 8 (`Function`, `gradcheck`), the product $v^\top J$ and `torch.func` from lesson 5, and `detach` from lesson 6.
"""

# %% [markdown] lang="ko" en="5312395a"
r"""
# gradient의 gradient

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · create_graph, 헤세 행렬, 뉴턴 방법

**이 수업을 마치면**

- gradient를 한 번 더 미분하고, `create_graph=True`가 무엇을 기록하는지 설명할 수 있습니다.
- 이계 미분계수(second derivative)를 모두 모은 행렬을 만들지 않고도 그 행렬에 벡터를 곱할 수 있습니다.
- 뉴턴 방법을 한 스텝 진행하고, gradient가 들어 있는 loss로 모델을 학습시킬 수 있습니다.
- 학습 스텝을 통째로 미분해서, 예를 들어 학습률을 학습시킬 수 있습니다.
- 두 번 미분할 수 있는 `Function`을 작성하고 검사할 수 있습니다.

수업 08의 `Function`과 `gradcheck`, 수업 05의 곱 $v^\top J$와 `torch.func`, 수업 06의 `detach`를 알면 됩니다.
"""

# %%
import warnings

import torch

from secant import draw_graph, expect_error, explore_second, language, predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

This is $f(x) = \log x^3$. The *secant* joins two points of the curve that are $h$ apart; its slope is the difference quotient. The dashed line is the tangent, with the slope that autograd found.
The right plot shows how far apart the two slopes are, for every $h$. (The list *find* belongs to section 3.)

Move $x$ to a place that you like, then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="0936876c"
r"""
## 먼저 보기

$f(x) = \log x^3$입니다. *할선*(secant)은 곡선 위에서 $h$만큼 떨어진 두 점을 지나는 직선이고, 그 기울기가 차분몫(difference quotient)입니다. 파선은 autograd가 구한 기울기로 그은 접선입니다.
오른쪽 그림은 $h$마다 두 기울기가 얼마나 떨어져 있는지 보여 줍니다. (*구할 값* 목록은 3절에서 씁니다.)

마음에 드는 곳으로 $x$를 옮긴 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_second().first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient of $f$ goes to autograd's gradient, $\frac{3}{x}$, as $h$ gets small. That gradient changes when $x$ moves, so it has a slope too. This lesson is about the slope of a gradient.

</details>

## Predict first

The slope of $\log x^3$ is $\frac{3}{x}$, and the slope of that slope is $-\frac{3}{x^2}$. At $x = 5$ these are $0.6$ and $-0.12$. Do not run this yet:

```
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward()
torch.autograd.grad(x.grad, x)
```

**What does the last line give?**
"""

# %% [markdown] lang="ko" en="c7ef759b"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 $f$의 차분몫이 autograd의 gradient인 $\frac{3}{x}$에 다가갑니다. $x$를 옮기면 이 gradient도 변하므로 gradient에도 기울기가 있습니다. 이 수업에서는 gradient의 기울기를 다룹니다.

</details>

## 먼저 예상하기

$\log x^3$의 기울기는 $\frac{3}{x}$이고, 그 기울기의 기울기는 $-\frac{3}{x^2}$입니다. $x = 5$에서는 각각 $0.6$과 $-0.12$입니다. 다음 코드를 아직
실행하지 말고 읽어 보세요.

```
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward()
torch.autograd.grad(x.grad, x)
```

**마지막 줄의 결과는 무엇일까요?**
"""

# %%
predict(
    "9 twice",
    A=say(en="−0.12, the slope of the slope", ko="−0.12. 기울기의 기울기다"),
    B=say(
        en="0: `x.grad` holds a number, and a number does not change",
        ko="0. `x.grad`에는 수가 들어 있고, 수는 변하지 않는다",
    ),
    C=say(en="an error", ko="오류가 난다"),
)

# %% [markdown] lang="en"
r"""
## 1. What .grad holds

Here is that code, with a look at `x.grad` in between:
"""

# %% [markdown] lang="ko" en="90709c39"
r"""
## 1. `x.grad`에 들어 있는 것

위의 코드입니다. 중간에 `x.grad`를 들여다봅니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
print("x.grad:", x.grad, " requires_grad:", x.grad.requires_grad, " grad_fn:", x.grad.grad_fn)

with expect_error():
    torch.autograd.grad(x.grad, x)

# %%
predicted(
    "9 twice",
    right="C",
    A=say(
        en="That is the second derivative, but autograd cannot know it: `x.grad` has no `grad_fn`.",
        ko="이계 미분계수로는 맞지만 autograd는 그것을 알 수 없습니다. `x.grad`에 `grad_fn`이 없기 때문입니다.",
    ),
    B=say(
        en="It is indeed a plain number. But autograd does not treat it as a constant: "
        "it finds no graph and raises an error.",
        ko="값만 들어 있다는 것은 맞습니다. 그러나 autograd는 그것을 상수로 다루지 않고, 그래프가 없으면 오류를 냅니다.",
    ),
    C=say(
        en="`x.grad` is a plain number: no graph leads from it back to `x`.",
        ko="`x.grad`에는 값만 있고, 거기서 `x`로 거슬러 갈 그래프가 없습니다.",
    ),
)

# %% [markdown] lang="en"
r"""
`x.grad` holds 0.6 and has no `grad_fn`. Autograd differentiates graphs (lesson 6), and **nothing recorded how 0.6 was computed**. This is on purpose: the backward pass is
a calculation too. Recording it takes memory, and ordinary training has no use for the record.

## 2. Recording the backward pass

`create_graph=True` asks for exactly this record. Pass it to `torch.autograd.grad`, which returns the gradient:
"""

# %% [markdown] lang="ko" en="8750caef"
r"""
`x.grad`에는 0.6이 들어 있지만 `grad_fn`이 없습니다. autograd는 그래프를 미분하는데(수업 06), **0.6이 어떻게 나왔는지는 어디에도 기록되지 않았습니다.** 일부러
그렇게 만든 것입니다. 역방향 계산도 하나의 계산이므로, 그것까지 기록하면 보통의 학습에는 필요 없는 메모리가 듭니다.

## 2. 역방향 계산을 기록하기

바로 이 기록을 해 달라는 것이 `create_graph=True`입니다. gradient를 돌려주는 `torch.autograd.grad`에 이 옵션을 넘깁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

(first,) = torch.autograd.grad(z, x, create_graph=True)
print("first :", first)
(second,) = torch.autograd.grad(first, x, create_graph=True)
print("second:", second)
(third,) = torch.autograd.grad(second, x)
print("third :", third, " 6/x³:", 6 / 5.0**3)
tensor_info(first=first, second=second, third=third)

# %% [markdown] lang="en"
r"""
Now the gradient is the end of a graph like any other result, and you can differentiate it, as many times as you record. (With this option
the saved tensors of the first graph are kept, too, because `retain_graph` defaults to the value of `create_graph`: a derivative of the new graph needs them.)

What is in the new graph? Draw it, from `first` to $x$:
"""

# %% [markdown] lang="ko" en="9641545e"
r"""
이제 gradient도 다른 결과처럼 그래프의 끝에 있어 다시 미분할 수 있습니다. 기록하기만 하면 몇 번이든 됩니다. (이 옵션을 주면 처음 그래프의 저장된 텐서도 지워지지 않습니다. `retain_graph`의 기본값이 `create_graph`와 같기 때문입니다. 새 그래프를 미분할 때 이 텐서들이 필요합니다.)

새 그래프에는 무엇이 있을까요? `first`에서 $x$까지 그려 봅시다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
(first,) = torch.autograd.grad(z, x, create_graph=True)
draw_graph(values=True, slopes=True, gradients=True, first=first, y=y, x=x)

# %% [markdown] lang="en"
r"""
These nodes are the **backward pass**, recorded. It computed three numbers:

- $b = \frac{dz}{dy} = \frac{1}{y} = 0.008$, the division;
- $a = \frac{dy}{dx} = 3x^2 = 75$, the product just below `first`, made from the power $x^2 = 25$;
- their product $c = ab = 0.6$, which is `first`.

(The other power is $y = x^3$, from the forward pass.) Without the option only the numbers remain.

Two paths lead from $c$ to $x$. The gradients in the picture are those of $c$: $-0.0048$ arrives at $y$, through the division, and $-0.12$ at $x$, the sum over both paths. Build the same graph by hand, and multiply the slopes of each path:
"""

# %% [markdown] lang="ko" en="9ea51ef6"
r"""
이 노드들은 기록된 **역방향 계산**입니다. 역방향 계산에서는 수가 세 개 나왔습니다.

- $b = \frac{dz}{dy} = \frac{1}{y} = 0.008$. 나눗셈입니다.
- $a = \frac{dy}{dx} = 3x^2 = 75$. `first` 바로 아래의 곱이고, 거듭제곱 $x^2 = 25$로 계산했습니다.
- 둘의 곱 $c = ab = 0.6$. 이것이 `first`입니다.

(다른 거듭제곱은 순방향 계산의 $y = x^3$입니다.) 옵션이 없으면 값만 남습니다.

$c$에서 $x$까지 가는 경로는 둘입니다. 그림의 gradient는 $c$의 gradient입니다. $y$에는 나눗셈을 거쳐 $-0.0048$이 도착하고, $x$에는 두 경로를 합한 $-0.12$가 도착합니다. 같은 그래프를 손으로 만들어 경로마다 기울기를 곱해 봅시다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
a = 3 * x**2
b = 1 / y
c = a * b
print(f"a = 3x² = {a.item():.0f}, b = 1/y = {b.item():.3f}, c = ab = {c.item():.1f}")


def slope_of(top, bottom):
    return torch.autograd.grad(top, bottom, retain_graph=True)[0].item()


print(
    say(en="by way of a:", ko="a를 거쳐:"),
    f"b * 6x = {slope_of(c, a):.3f} * {slope_of(a, x):.0f} = {slope_of(c, a) * slope_of(a, x):.2f}",
)
print(
    say(en="by way of b:", ko="b를 거쳐:"),
    f"a * (-1/y²) * 3x² = {slope_of(c, b):.0f} * {slope_of(b, y):.6f} * {slope_of(y, x):.0f}",
    f"= {slope_of(c, b) * slope_of(b, y) * slope_of(y, x):.2f}",
)
print(say(en="together   :", ko="합치면  :"), f"{slope_of(c, x):.2f}")

# %% [markdown] lang="en"
r"""
Each number has its formula beside it: the slope of $a = 3x^2$ is $6x = 30$, that of $b = \frac{1}{y}$ is $-\frac{1}{y^2} = -0.000064$. Gradients add up where paths meet (lesson 4): $0.24 - 0.36 = -0.12$, the number in the picture. A second derivative
needs no new principle: **it is an ordinary gradient of a graph that `create_graph=True` recorded.**

`backward(create_graph=True)` records as well, and stores the recorded gradient in `x.grad`. But it also warns:
"""

# %% [markdown] lang="ko" en="4e357539"
r"""
출력된 수의 앞에는 그 수를 구한 식이 있습니다. $a = 3x^2$의 기울기는 $6x = 30$이고, $b = \frac{1}{y}$의 기울기는 $-\frac{1}{y^2} = -0.000064$입니다. 경로가 만나는 곳에서 gradient는 더해지므로(수업 04) $0.24 - 0.36 = -0.12$이고, 그림에서 본 값과 같습니다. 이계 미분이라고 해서 새로운 원리가 필요하지는 않습니다. **이계 미분계수는 `create_graph=True`로 기록한 그래프에서 구한 보통의 gradient입니다.**

`backward(create_graph=True)`도 기록을 하고, 기록된 gradient를 `x.grad`에 넣습니다. 그런데 다음과 같은 경고가 나옵니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    z.backward(create_graph=True)
for warning in caught:
    print(f"{warning.category.__name__}: {str(warning.message).partition('. ')[0]}.")
print("x.grad:", x.grad)
print("second:", torch.autograd.grad(x.grad, x))
x.grad = None

# %% [markdown] lang="en"
r"""
`x` holds its buffer `x.grad`, the buffer holds its graph, and the graph holds `x`. Nothing frees such a reference cycle when you drop `x`, not even Python's garbage collector, because it runs through C++ objects;
[PyTorch added the warning](https://github.com/pytorch/pytorch/issues/4661) after such leaks had been reported. So set `x.grad = None` afterwards or, better, use `torch.autograd.grad`, which touches no buffer.

### When the gradient is a constant

Take a straight line, $z = 3x + 1$. Its slope is 3, and the slope of its slope is 0:

```
(first,) = torch.autograd.grad(3 * x + 1, x, create_graph=True)
torch.autograd.grad(first, x)
```

**What does the second line give?**
"""

# %% [markdown] lang="ko" en="7e8aebc5"
r"""
`x`는 버퍼 `x.grad`를, `x.grad`는 자신의 그래프를, 그 그래프는 다시 `x`를 붙들고 있습니다. 이것을 순환 참조(reference cycle)라고 합니다. `x`를 더 쓰지 않아도 이 순환은 메모리에서 사라지지 않습니다. C++ 객체를 지나가므로 파이썬의 가비지 컬렉터도 치우지 못합니다. 이렇게
메모리가 샌다는 제보가 이어진 뒤 [PyTorch에 경고가 생겼습니다](https://github.com/pytorch/pytorch/issues/4661). 그러니 나중에 `x.grad = None`으로 비우세요. 버퍼를 건드리지 않는 `torch.autograd.grad`를 쓰면 더 좋습니다.

### gradient가 상수일 때

직선 $z = 3x + 1$을 봅시다. 기울기는 3이고, 그 기울기의 기울기는 0입니다.

```
(first,) = torch.autograd.grad(3 * x + 1, x, create_graph=True)
torch.autograd.grad(first, x)
```

**둘째 줄의 결과는 무엇일까요?**
"""

# %%
predict(
    "9 line",
    A=say(
        en="the error of section 1 again, in spite of `create_graph=True`",
        ko="`create_graph=True`를 주어도 1절의 오류가 다시 난다",
    ),
    B=say(en="0", ko="0"),
    C="None",
)

# %%
x = torch.tensor(5.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)

(first,) = torch.autograd.grad(3 * x + 1, x, create_graph=True)
print("3x + 1:", first)
with expect_error():
    torch.autograd.grad(first, x)

(first,) = torch.autograd.grad(w * x + 1, x, create_graph=True)
print("wx + 1:", first)
with expect_error():
    torch.autograd.grad(first, x)
print(torch.autograd.grad(first, x, allow_unused=True, materialize_grads=True))

# %%
predicted(
    "9 line",
    right="A",
    A=say(
        en="The slope 3 does not depend on `x`, so there was nothing to record.",
        ko="기울기 3은 `x`에 의존하지 않으므로 기록할 것이 없었습니다.",
    ),
    B=say(
        en="Mathematically it is 0. But the gradient is a 3 without a graph, and autograd raises an error.",
        ko="수학으로는 0이 맞습니다. 그러나 gradient가 그래프 없는 3이므로 autograd는 오류를 냅니다.",
    ),
    C=say(
        en="You get `None` only with `allow_unused=True`, and only if the gradient has a graph "
        "that leads elsewhere.",
        ko="`None`은 `allow_unused=True`를 주고, gradient에 다른 텐서로 이어지는 그래프가 있을 때만 나옵니다.",
    ),
)

# %% [markdown] lang="en"
r"""
There are two cases. In $3x + 1$ the gradient has no graph at all (`requires_grad` is `False`). In $wx + 1$ with a tracked `w` it has one, but that graph leads to `w` and not to `x`;
then `allow_unused=True` gives `None`, and `materialize_grads=True` turns it into zeros. In both cases the second derivative is 0, and code that accepts any `f` must
handle both.

## 3. Three ways to get a second derivative

Here is the explorer of the first look again. When you choose $f''$, the curve becomes the **gradient** $f'$, and the tangent's slope is $f''$ as autograd finds it. The right plot then shows how far the results of three
methods are from the true value $-\frac{3}{x^2}$. Each curve is the median over many $x$ nearby, and the rings are the errors at your $x$:

- the **second difference** of $f$, $\frac{f(x+h) - 2f(x) + f(x-h)}{h^2}$, takes differences twice. It is central: it uses points on both sides of $x$;
- the **quotient of autograd's gradient**, $\frac{f'(x+h) - f'(x)}{h}$, takes a difference once. It is a forward quotient: it uses $x$ and $x + h$;
- **double backward**, two backward passes with `create_graph=True`, takes no difference at all.

1. Choose $f''$: the curve is now the gradient $f'$ itself. Move $x$ and *play h* as before. Where does the slope of the secant go, and which number of autograd's does it meet?
2. Go back to $x = 5$ and move $h$ to the left from 1. At which $h$ is the second difference best, and how far from the truth is it there?
3. And the quotient of the gradient?
4. Choose $h = 10^{-8}$. What does the second difference say there, and what the quotient of the gradient?
5. Why is the line of double backward horizontal?
"""

# %% [markdown] lang="ko" en="67506b01"
r"""
두 가지 경우가 있습니다. $3x + 1$에서는 gradient에 그래프가 전혀 없습니다(`requires_grad`가 `False`). `w`가 추적되는 $wx + 1$에서는 그래프가 있지만 `x`가 아니라 `w`로
갑니다. 이때 `allow_unused=True`를 주면 `None`이 나오고, `materialize_grads=True`까지 주면 0이 됩니다. 어느 쪽이든 이계 미분계수는 0이므로, 아무 `f`나 받는 코드라면 이 두 경우를
직접 처리해야 합니다.

## 3. 이계 미분계수를 구하는 세 가지 방법

맨 앞에서 본 탐색기입니다. $f''$을 고르면 곡선이 **gradient** $f'$으로 바뀌고, 접선의 기울기는 autograd로 구한 $f''$입니다. 이때 오른쪽 그림은 이계 미분계수를 구하는 세 방법이 참값
$-\frac{3}{x^2}$에서 얼마나 떨어져 있는지를 $h$에 따라 보여 줍니다(곡선은 근처의 여러 $x$에서 구한 오차의 중앙값, 고리는 지금 고른 $x$ 하나에서의 오차).

- $f$의 **이계 차분**(second difference) $\frac{f(x+h) - 2f(x) + f(x-h)}{h^2}$: 차분을 두 번 합니다. $x$의 양쪽을 쓰는 중앙 차분입니다.
- **gradient의 차분몫** $\frac{f'(x+h) - f'(x)}{h}$: 차분을 한 번 합니다. $x$와 $x + h$를 쓰는 전방 차분몫이고, $f'$은 autograd가 구합니다.
- **double backward**: 차분이 없습니다. `create_graph=True`를 주고 역방향 계산을 두 번 합니다.

1. $f''$을 고르세요. 이제 곡선은 gradient $f'$입니다. 앞에서처럼 $x$를 옮기고 *h 재생*을 누르세요. 할선의 기울기는 어디로 가고, autograd의 어떤 값과 만나나요?
2. $x = 5$로 돌아가서 $h$를 1에서 왼쪽으로 옮기세요. 이계 차분은 $h$가 얼마일 때 가장 정확한가요? 그때 참값과 얼마나 다른가요?
3. gradient의 차분몫은 어떤가요?
4. $h = 10^{-8}$을 고르세요. 이계 차분은 얼마인가요? gradient의 차분몫은요?
5. double backward의 선은 왜 수평인가요?
"""

# %%
explore_second()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. To the second derivative, $-\frac{3}{x^2}$, which double backward gives. $f''$ is to $f'$ what $f'$ is to $f$.
2. Near $h = 10^{-3}$, where an error of about $10^{-9}$ is left. To the left of it the error grows fast.
3. Near $h = 10^{-7}$, four decades (powers of ten) further to the left, again with an error of about $10^{-9}$.
4. The second difference gives about $-8.9$: not even the first digit is right. Rounding costs the numerator about $10^{-15}$, and that is divided by $h^2 = 10^{-16}$. The quotient of the gradient divides
only by $h$ and still gives $-0.12$. **Once one of the two derivatives is exact, the error stays small down to a far smaller $h$.** (At its own best $h$, either method leaves about the same error.)
5. It has no $h$. The $10^{-17}$ or so in the plot is the rounding of its own few operations. (At $x = 5$ the error happens to be 0.)

</details>
"""

# %% [markdown] lang="ko" en="9d1fc447"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 이계 미분계수 $-\frac{3}{x^2}$에 가까워지고, double backward로 구한 값과 만납니다. $f''$과 $f'$의 관계는 $f'$과 $f$의 관계와 같습니다.
2. $h = 10^{-3}$ 근처이고, 이때 오차는 $10^{-9}$쯤입니다. 거기서 왼쪽으로 가면 오차가 빠르게 커집니다.
3. $h = 10^{-7}$ 근처입니다. 이계 차분에 가장 좋은 $h$보다 만 배 작고, 이때 오차도 $10^{-9}$쯤입니다.
4. 이계 차분은 약 $-8.9$로, 첫 자리부터 틀렸습니다. 분자가 반올림으로 잃는 $10^{-15}$쯤을 $h^2 = 10^{-16}$으로 나누기 때문입니다. gradient의 차분몫은 $h$로 한 번만 나누므로
여전히 $-0.12$입니다. **한 번이라도 autograd로 정확하게 미분해 두면 훨씬 작은 $h$에서도 오차가 커지지 않습니다.** (다만 가장 좋은 $h$에서의 오차는 두 방법이 비슷합니다.)
5. $h$가 없기 때문입니다. 그림의 $10^{-17}$쯤은 몇 번 안 되는 연산의 반올림 오차입니다. ($x = 5$에서는 오차가 마침 0입니다.)

</details>
"""

# %% [markdown] lang="en"
r"""
### A function of your own · optional

Put any function in place of `ripple`. Its true second derivative is not known, so the errors are measured against double backward:
"""

# %% [markdown] lang="ko" en="14c17ec4"
r"""
### 여러분의 함수 · 선택

`ripple` 자리에 아무 함수나 넣어 보세요. 이계 미분계수의 참값을 모르므로 오차는 double backward로 구한 값을 기준으로 잽니다.
"""


# %%
def ripple(x):
    return torch.sin(3 * x) / x


explore_second(ripple, x_range=(0.5, 6), x=2.0, h=0.1, derivative="second")

# %% [markdown] lang="en"
r"""
## 4. The Hessian, times a vector

Let $f$ map $n$ numbers to a single number. Its gradient has $n$ elements, and their slopes with respect to the $n$ inputs form an $n \times n$ matrix: the **Hessian** $H$, the Jacobian of the
gradient. For $f = x_0^2\, x_1$ the gradient is $(2 x_0 x_1,\; x_0^2)$, so

$$H = \begin{pmatrix} 2x_1 & 2x_0 \\ 2x_0 & 0 \end{pmatrix}, \qquad \text{at } (2, 3):\quad \begin{pmatrix} 6 & 4 \\ 4 & 0 \end{pmatrix}.$$

$H$ says how the gradient changes: a small step $h v$ changes it by about $h\,Hv$. But the Hessian of a network with a million parameters has $10^{12}$ elements, 4 terabytes in `float32`. Often, though,
the product $Hv$ with one vector is all you need. **How many backward passes does $Hv$ take for $n = 1000$?**
"""

# %% [markdown] lang="ko" en="b7fbf632"
r"""
## 4. 헤세 행렬과 벡터의 곱

수 $n$개를 받아 수 하나를 내는 함수 $f$가 있습니다. gradient는 성분이 $n$개인 벡터이고, 그 성분을 입력 $n$개로 각각 미분하면 $n \times n$ 행렬이 됩니다. 이 행렬이 **헤세 행렬**(Hessian) $H$, 곧 gradient의
야코비 행렬입니다. $f = x_0^2\, x_1$이면 gradient는 $(2 x_0 x_1,\; x_0^2)$이므로 다음과 같습니다.

$$H = \begin{pmatrix} 2x_1 & 2x_0 \\ 2x_0 & 0 \end{pmatrix}, \qquad (2, 3)\text{에서}\quad \begin{pmatrix} 6 & 4 \\ 4 & 0 \end{pmatrix}$$

$H$는 gradient가 어떻게 변하는지 알려 줍니다. $x$를 $h v$만큼 조금 움직이면 gradient는 약 $h\,Hv$만큼 변합니다. 그런데 파라미터가 백만 개인 신경망이라면 헤세 행렬의 성분은 $10^{12}$개, `float32`로 4테라바이트입니다.
하지만 벡터 하나와의 곱 $Hv$만 있으면 되는 때가 많습니다. **$n = 1000$일 때 $Hv$를 구하려면 역방향 계산을 몇 번 해야 할까요?**
"""

# %%
predict(
    "9 passes",
    A=say(en="2, for every n", ko="n이 얼마든 2번"),
    B=say(en="about 1000, one for each row of H", ko="약 1000번, H의 행마다 한 번씩"),
    C=say(en="about 1000², one for each element of H", ko="약 1000²번, H의 성분마다 한 번씩"),
)


# %%
def f(x):
    return x[0] ** 2 * x[1]


x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
v = torch.tensor([1.0, 0.0], dtype=torch.float64)

(first,) = torch.autograd.grad(f(x), x, create_graph=True)
(product,) = torch.autograd.grad(first, x, grad_outputs=v)
print("gradient:", first.tolist())
print("H v     :", product.tolist())

h = 1e-6
moved = (x + h * v).detach().requires_grad_()
(there,) = torch.autograd.grad(f(moved), moved)
print(say(en="quotient:", ko="차분몫  :"), [round(number, 4) for number in ((there - first) / h).tolist()])

# %%
predicted(
    "9 passes",
    right="A",
    A=say(
        en="One backward pass, recorded, for the gradient. One more differentiates that gradient with the "
        "weights v and gives Hv.",
        ko="gradient를 구하면서 기록하는 데 한 번, 그 gradient를 가중치 v로 다시 미분해 Hv를 구하는 데 한 번입니다.",
    ),
    B=say(
        en="That builds the whole matrix, row by row, as in lesson 5. "
        "A row takes one backward pass, but so does a product with one vector.",
        ko="그것은 수업 05처럼 행렬 전체를 한 행씩 만드는 방법입니다. 행 하나에 역방향 계산이 한 번 들지만, "
        "벡터 하나와의 곱도 한 번이면 됩니다.",
    ),
    C=say(
        en="No: each backward pass gives a whole row, and a product with one vector takes only one.",
        ko="아닙니다. 역방향 계산 한 번에 행 하나가 통째로 나오고, 벡터 하나와의 곱은 한 번이면 됩니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The second backward pass starts from the gradient with the weights $v$. By lesson 5 it gives $v^\top J$, and here $J$ is the Jacobian of the gradient, so it gives $v^\top H$. Now **$H$ is symmetric**
($\frac{\partial^2 f}{\partial x_0 \partial x_1}$ does not depend on the order, as long as $f$ is smooth), so $v^\top H$ and $Hv$ have the same elements. No matrix was built: no tensor is larger than `x`. The product is called
**HVP**, Hessian-vector product.

### The same with torch.func

The functions of `torch.func` can be nested: `grad(grad(f))` is a second derivative, and `jvp` of `grad(f)` is $Hv$. This `jvp` carries $v$ forward through the calculation of the gradient
(**forward over reverse**), so there is no second backward pass, and no graph has to be kept for one. `hessian(f)` does it for every unit vector at once, and does build the matrix.
If `x` or a parameter that `f` uses is tracked, the results of all these functions are tracked, too.
(In torch 2.13 these calls give a deprecation warning about code inside torch, so the cell ignores warnings.)
"""

# %% [markdown] lang="ko" en="186cbaf3"
r"""
두 번째 역방향 계산은 gradient에서 가중치 $v$를 주고 시작합니다. 수업 05에 따르면 결과는 $v^\top J$이고, 여기서 $J$는 gradient의 야코비 행렬이니 $v^\top H$입니다. 그런데 **$H$는 대칭**이므로($f$가
매끄러우면 $\frac{\partial^2 f}{\partial x_0 \partial x_1}$에서 순서를 바꾸어도 같습니다) $v^\top H$와 $Hv$의 성분은 같습니다. 행렬은 만들지 않았고, `x`보다 큰 텐서도 없습니다.
이 곱을 **헤세-벡터 곱**(Hessian-vector product)이라 하고, 줄여서 HVP라고 합니다.

### torch.func로 하면

`torch.func`의 함수는 겹쳐 쓸 수 있습니다. `grad(grad(f))`는 이계 도함수이고, `grad(f)`의 `jvp`는 $Hv$입니다. 이때 `jvp`는 gradient를 구하는 계산을 따라 $v$를 순방향으로 나르므로
(**forward over reverse**) 두 번째 역방향 계산이 없고, 그것을 위해 그래프를 남겨 둘 필요도 없습니다. `hessian(f)`는 모든 단위벡터에 대해 이 일을 한꺼번에 해서 행렬을 만듭니다.
`x`나 `f`가 쓰는 파라미터가 추적되면 이 함수들의 결과도 추적됩니다.
(torch 2.13에서는 torch 내부 코드 때문에 경고가 나오므로, 이 셀에서는 경고를 무시합니다.)
"""

# %%
from torch.func import grad, hessian, jvp

print("grad(grad)  :", grad(grad(lambda t: torch.log(t**3)))(torch.tensor(5.0)))

point = x.detach()
with warnings.catch_warnings(action="ignore"):
    slopes, product = jvp(grad(f), (point,), (v,))
    H = hessian(f)(point)
print("gradient    :", slopes.tolist())
print("H v by jvp  :", product.tolist())
print("H           :", H.tolist(), " H @ v:", (H @ v).tolist())

# %% [markdown] lang="en"
r"""
## 5. Newton's method

Where is $f$ lowest? Its slope must be 0 there. After a step $s$ from $x$ the slope is about $f'(x) + f''(x)\,s$, which is 0 for $s = -\frac{f'(x)}{f''(x)}$. **Newton's method** takes this step again and again. It has no learning rate: the second
derivative says how far to go.
"""

# %% [markdown] lang="ko" en="903fe859"
r"""
## 5. 뉴턴 방법

$f$의 값이 가장 작은 곳은 어디일까요? 그곳에서는 기울기가 0이어야 합니다. $x$에서 $s$만큼 움직이면 기울기는 약 $f'(x) + f''(x)\,s$이고, $s = -\frac{f'(x)}{f''(x)}$일 때 0입니다. 이만큼 움직이기를 되풀이하는 것이
**뉴턴 방법**(Newton's method)입니다. 학습률은 없습니다. 얼마나 갈지는 이계 미분계수가 정해 줍니다.
"""


# %%
def newton_path(start, steps):
    x, path = torch.tensor(start, dtype=torch.float64, requires_grad=True), [start]
    for _ in range(steps):
        (first,) = torch.autograd.grad(x**4 - 8 * x**2, x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        x = (x - first / second).detach().requires_grad_()
        path.append(round(x.item(), 6) + 0)
    return path


print(say(en="from 3  :", ko="3에서  :"), *(f"{number:.6f}" for number in newton_path(3.0, 5)))
print(say(en="from 0.5:", ko="0.5에서:"), *(f"{number:.6f}" for number in newton_path(0.5, 5)))

# %% [markdown] lang="en"
r"""
From 3 it finds the minimum of $x^4 - 8x^2$ at 2, and near the end each step doubles the number of correct digits. From 0.5 it goes to 0, which is a **maximum**: Newton's method looks for a point where
the slope is 0, whatever its kind. (Textbooks often use the name for the corresponding step towards a *root*, $x - \frac{f(x)}{f'(x)}$, where $f$ itself becomes 0. It is the step above with $f$ in place of $f'$.)

Note the `.detach().requires_grad_()`. `x - first / second` is recorded, like everything computed from `x`. Without the cut every step would keep the graphs of all the steps before it, and memory would
grow.

## 6. A loss that contains a gradient

Some training methods constrain the size of the network's own gradient. A **gradient penalty** adds the term $(\lVert \nabla_x m(x)\rVert - 1)^2$ to the loss, where $\nabla_x m$ is the gradient of the model $m$ with respect to its *input* $x$, and the bars mean the norm: the norm should be close to 1. Then `backward()` must find how this *gradient* changes with the *weights*: a
gradient of a gradient. The smallest example is $m(x) = w \cdot x$. Its gradient with respect to $x$ is $w$, so the penalty is $(\lVert w\rVert - 1)^2$:
"""

# %% [markdown] lang="ko" en="bc3d7851"
r"""
3에서 출발하면 $x^4 - 8x^2$의 최소점 2를 찾고, 끝으로 갈수록 맞는 자릿수가 스텝마다 두 배가 됩니다. 0.5에서 출발하면 0으로 가는데, 이곳은 **극대점**(local maximum)입니다. 뉴턴 방법은 기울기가 0인 곳이면
어떤 점이든 찾아갑니다. (다른 책에는 뉴턴 방법이 *근*(root), 곧 $f$ 자체가 0인 곳을 찾는 $x - \frac{f(x)}{f'(x)}$로 나올 때가 많습니다. 위의 스텝에서 $f'$ 자리에 $f$를 넣은 것입니다.)

`.detach().requires_grad_()`에 주목하세요. `x - first / second`도 `x`로 만든 것이니 기록됩니다. 여기서 끊지 않으면 스텝마다 그 앞 스텝의 그래프가 모두 매달려 메모리 사용량이 계속
늘어납니다.

## 6. gradient가 들어 있는 loss

신경망의 gradient 자체가 일정한 크기가 되도록 학습시키는 방법이 있습니다. **gradient penalty**는 *입력*에 대한 gradient의 노름이 1에서 얼마나 떨어져 있는지, 곧 $(\lVert \nabla_x m(x)\rVert - 1)^2$을 loss에 더합니다($\nabla_x m$은 $m$의 $x$에 대한 gradient이고, 두 겹의 세로줄은 노름입니다).
그러면 `backward()`는 *가중치*에 따라 *gradient*가 어떻게 변하는지 구해야 합니다. gradient의 gradient입니다. 가장 작은 예는 $m(x) = w \cdot x$입니다. $x$에 대한 gradient가 $w$이므로 penalty는 $(\lVert w\rVert - 1)^2$입니다.
"""

# %%
for recorded in (True, False):
    w = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    out = w @ x
    (slope,) = torch.autograd.grad(out, x, create_graph=recorded, retain_graph=True)
    penalty = (slope.norm() - 1) ** 2
    (out + penalty).backward()
    print(f"create_graph={recorded!s:5} penalty = {penalty.item():.0f}  w.grad = {w.grad.tolist()}")

# %% [markdown] lang="en"
r"""
The penalty is 16 both times. With the record `w.grad` is the gradient of `out`, $(1, 2)$, plus that of the penalty, $2 \cdot 4 \cdot \frac{w}{5} = (4.8,\, 6.4)$. **Without it the penalty is a constant, and no error says so**, because the rest of the loss still has a graph. The model trains, and
the penalty has no effect on it.

## 7. Through a training step

A step of gradient descent from $p_0$ to $p_1 = p_0 - \eta\,\nabla f(p_0)$ is a calculation too. The loss after it, $f(p_1)$, depends on the learning rate $\eta$, so it has a slope with respect to $\eta$.
This means that a learning rate can be learned:
"""

# %% [markdown] lang="ko" en="eb7e7e9f"
r"""
penalty는 두 번 다 16입니다. 기록하면 `w.grad`는 `out`의 gradient $(1, 2)$에 penalty의 gradient $2 \cdot 4 \cdot \frac{w}{5} = (4.8,\, 6.4)$를 더한 것입니다. **기록하지 않으면 penalty는 상수이고, 오류도 나지 않습니다.** loss의 나머지
부분에 그래프가 있기 때문입니다. 학습은 되지만 penalty는 학습에 아무 영향도 주지 못합니다.

## 7. 학습 스텝을 미분하기

$p_0$에서 $p_1 = p_0 - \eta\,\nabla f(p_0)$로 가는 경사 하강법의 한 스텝도 하나의 계산입니다. 한 스텝 뒤의 loss $f(p_1)$은 학습률 $\eta$에 따라 달라지므로, $\eta$에 대한 기울기가 있습니다.
그렇다면 학습률도 학습시킬 수 있습니다.
"""


# %%
def bowl(p):
    return p[0] ** 2 + 5 * p[1] ** 2


p0 = torch.tensor([2.0, 1.0], dtype=torch.float64, requires_grad=True)
lr = torch.tensor(0.02, dtype=torch.float64, requires_grad=True)

(slope,) = torch.autograd.grad(bowl(p0), p0)
for _ in range(8):
    loss = bowl(p0 - lr * slope)
    (by_lr,) = torch.autograd.grad(loss, lr)
    print(f"lr = {lr.item():.3f}  loss = {loss.item():.3f}  d loss / d lr = {by_lr.item():.2f}")
    with torch.no_grad():
        lr -= 0.0005 * by_lr

# %% [markdown] lang="en"
r"""
The loss at $p_0$ is 9. One step with $\eta = 0.02$ brings it down to 6.89; with the learned rate, about 0.112, to 2.48, and no other rate does better. (The 0.0005 is chosen by hand: a learning rate for the learning rate.) `slope`
has no graph here, and needs none: the gradient at $p_0$ does not depend on $\eta$.

**And after a second step?** Take $f = \frac{p^2}{2}$, whose gradient is $p$ itself, so that we can write every step out. `detach()` leaves the second gradient without a graph, as
`torch.autograd.grad` does when it records nothing:
"""

# %% [markdown] lang="ko" en="d949bec3"
r"""
$p_0$에서 loss는 9입니다. 한 스텝 뒤의 loss는 $\eta = 0.02$이면 6.89, 학습시킨 $\eta$(약 0.112)이면 2.48입니다. 한 스텝으로는 이보다 더 낮출 수 없습니다. (0.0005는 손으로 고른 값으로, 학습률의 학습률입니다.) 여기서 `slope`에는 그래프가
없지만 그래도 맞습니다. $p_0$에서의 gradient는 $\eta$에 의존하지 않기 때문입니다.

**두 스텝을 진행할 때도 이렇게 해도 될까요?** $f = \frac{p^2}{2}$을 봅시다. gradient가 $p$ 자신이어서 모든 스텝을 직접 쓸 수 있습니다. `detach()`를 호출하면, 기록하지 않은 `torch.autograd.grad`의 결과처럼 두 번째 gradient에 값만
남습니다.
"""


# %%
def after_two_steps(lr, constant):
    p1 = 1.0 - lr * 1.0
    slope = p1.detach() if constant else p1
    p2 = p1 - lr * slope
    return p2**2 / 2


lr = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
for constant in (False, True):
    loss = after_two_steps(lr, constant)
    (by_lr,) = torch.autograd.grad(loss, lr)
    print(f"constant={constant!s:5} loss = {loss.item()}  d loss / d lr = {by_lr.item():.4f}")

quotient = (after_two_steps(lr + 1e-6, True) - after_two_steps(lr, True)).item() / 1e-6
print(say(en="quotient:", ko="차분몫:"), f"{quotient:.4f}")

# %% [markdown] lang="en"
r"""
Now the record matters. The second gradient is taken at $p_1$, which depends on $\eta$, and without a graph that path is lost. There is no error: the loss is the same, and $-0.375$ even has the right sign. The quotient reveals it.

Differentiating through several training steps is called **unrolling**. It tunes learning rates, and it finds starting points from which a few steps suffice ([MAML](https://arxiv.org/abs/1703.03400)). Its price is memory: section 5 cut every
step off, while here the graphs of all steps must stay.

## 8. Your own Function, twice

`create_graph=True` also records what runs inside the `backward` of a `Function` (lesson 8), provided it consists of torch operations. One trap remains: what `forward` and `setup_context` compute is not recorded by default.
"""

# %% [markdown] lang="ko" en="7f594374"
r"""
이번에는 맞지 않습니다. 두 번째 gradient는 $p_1$에서 구하는데 $p_1$은 $\eta$에 의존하고, 값만 남으면 이 경로가 사라집니다. 오류는 나지 않습니다. loss가 같고, $-0.375$는 부호까지 맞습니다. 차분몫과 비교하면 드러납니다.

이렇게 여러 학습 스텝을 미분하는 것을 **unrolling**이라고 합니다. 학습률을 조정할 때, 그리고 몇 스텝만 가도 되는 출발점을 찾을 때([MAML](https://arxiv.org/abs/1703.03400)) 씁니다. 대신 메모리가 듭니다. 5절에서는 스텝마다 그래프를 끊었지만,
여기서는 모든 스텝의 그래프가 남아 있어야 합니다.

## 8. 나만의 Function, 두 번 미분하기

`create_graph=True`는 `Function`(수업 08)의 `backward` 안에서 일어나는 일도 기록합니다. torch의 연산으로 되어 있으면 그렇습니다. 그런데 함정이 하나 있습니다. `forward`와 `setup_context`가 계산한 것은 따로 켜지 않는 한 기록되지 않습니다.
"""


# %%
class Fourth(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**4

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(4 * x**3)

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
print("gradcheck    :", torch.autograd.gradcheck(Fourth.apply, x))
print("gradgradcheck:", torch.autograd.gradgradcheck(Fourth.apply, x, raise_exception=False))
(first,) = torch.autograd.grad(Fourth.apply(x), x, create_graph=True)
print("first        :", first, " requires_grad:", first.requires_grad)

# %% [markdown] lang="en"
r"""
The first derivative, 32, is right, and `gradcheck` passes. But `4 * x**3` was computed where nothing is recorded: autograd sees a constant, and the second derivative, 48, is lost. **Save only inputs and outputs of `forward`, and compute the rest in `backward`.**
`gradgradcheck` compares the gradient of your gradient with its difference quotients, and finds this mistake. If your `backward` cannot be recorded, for example because it uses NumPy, mark it with `torch.autograd.function.once_differentiable`. But do not rely on an error: torch 2.13 does not always raise one, for example when another path to `x` exists.

## 9. A real bug

`torch.prod` multiplies all elements of a tensor. Its slope with respect to $x_i$ is the product of *the others*. If two elements are 0, every such product contains at least one 0, so the whole gradient is zero. Until the end of 2023 its
backward function took a shortcut there. Here it is, rewritten as a `Function`:
"""

# %% [markdown] lang="ko" en="f3ed92e6"
r"""
일계 미분계수(first derivative) 32는 맞고 `gradcheck`도 통과합니다. 그러나 `4 * x**3`은 기록하지 않는 곳에서 계산했습니다. autograd가 보기에는 상수여서 이계 미분계수 48이 사라집니다. **`forward`의 입력과 출력만 저장하고, 나머지는 `backward`에서 계산하세요.**
`gradgradcheck`는 여러분이 만든 backward가 내는 gradient를 한 번 더 미분한 값을 그 gradient의 차분몫과 비교해서 이런 잘못을 찾아냅니다. NumPy를 쓴다든지 해서 `backward`를 기록할 수 없다면 `torch.autograd.function.once_differentiable`로 표시해 두세요. 다만 이렇게 표시해도 늘 오류가 나는 것은 아닙니다. PyTorch 2.13에서는 `x`로 가는 다른 경로가 있으면 오류 없이 지나가기도 합니다.

## 9. 실제로 있었던 버그: `torch.prod`

`torch.prod`는 텐서의 원소를 모두 곱합니다. $x_i$에 대한 기울기는 $x_i$를 뺀 나머지 원소를 모두 곱한 것입니다. 원소 가운데 0이 둘이면 이 곱에는 언제나 0이 하나 이상 들어 있으므로 gradient는 모두 0입니다. 2023년 말까지 이 함수의 backward는 이런 경우에 계산을 생략하고 곧바로 0을 돌려주었습니다. 직접 만든 `Function`으로 재현하면 다음과 같습니다.
"""


# %%
class Product(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.prod()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if (x == 0).sum() > 1:
            return torch.zeros_like(x)
        return g * torch.stack([torch.cat([x[:i], x[i + 1 :]]).prod() for i in range(len(x))])


def gradient(f, numbers):
    x = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(f(x), x, create_graph=True)[0], x


here, x = gradient(Product.apply, [2.0, 3.0, 0.0, 0.0])
there, _ = gradient(Product.apply, [2.0, 3.0, 1e-6, 0.0])
print("gradient       :", here.tolist(), " requires_grad:", here.requires_grad)
print(say(en="quotient of it :", ko="그 차분몫      :"), f"{(there[3] - here[3]).item() / 1e-6:.4f}")

here, x = gradient(torch.prod, [2.0, 3.0, 0.0, 0.0])
print(say(en="torch.prod, now:", ko="지금 torch.prod:"), torch.autograd.grad(here[3], x)[0].tolist())

# %% [markdown] lang="en"
r"""
The zeros are right. But the quotient of the gradient is 6: as $x_2$ grows from 0, the slope with respect to $x_3$ becomes $2 \cdot 3 \cdot x_2$. The shortcut returned zeros **without a graph**, so the second derivative was
lost, as in section 8. [The report](https://github.com/pytorch/pytorch/issues/106789) says just that in its first sentence: with two or more zeros, the gradient of prod does not require grad. [The fix](https://github.com/pytorch/pytorch/pull/113969) takes the shortcut only when nothing is recorded. Under
`create_graph=True` it computes the product the long way, although every element of the gradient is 0, so that the graph exists. A correct value can come with a wrong graph, and differentiating again, or a difference quotient of the gradient, reveals it.
"""

# %% [markdown] lang="ko" en="46d1e997"
r"""
0이라는 값은 맞습니다. 그러나 gradient의 차분몫은 6입니다. $x_2$가 0에서 커지면 $x_3$에 대한 기울기는 $2 \cdot 3 \cdot x_2$가 되기 때문입니다. 지름길은 **그래프가 없는** 0을 돌려주었고, 8절에서처럼 이계 미분계수가
사라졌습니다. [제보](https://github.com/pytorch/pytorch/issues/106789)의 첫 문장이 바로 이것입니다. 0이 둘 이상이면 prod의 gradient가 requires_grad=True가 아니라는 것입니다. [해결책](https://github.com/pytorch/pytorch/pull/113969)은 기록하지 않을 때만 지름길로 가는 것입니다. `create_graph=True`이면
gradient의 원소가 모두 0이더라도 끝까지 계산해야 그래프가 남습니다. 값이 맞아도 그래프는 틀릴 수 있고, 그것은 한 번 더 미분하거나 gradient의 차분몫을 구해 보면 드러납니다.
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
`autograder check 9 --solution hvp`).

</details>

**Only in this lesson:**

- All tensors are `float32` or `float64`, and within one call they share a dtype. A tensor may be transposed, or a slice of a larger one, so `view` may fail on it.
- `f` may use tracked parameters, such as a model's: leave their `.grad` alone as well.
"""

# %% [markdown] lang="ko" en="a1f96b40"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 9 --solution hvp`).

</details>

**이 수업에만 있는 규칙:**

- 텐서는 모두 `float32` 또는 `float64`이고, 한 번 호출할 때 받는 텐서의 dtype은 모두 같습니다. 전치한 텐서이거나 더 큰 텐서에서 잘라 낸 것일 수 있으므로 `view`가 실패할 수 있습니다.
- `f`는 모델의 파라미터처럼 추적되는 텐서를 쓸 수도 있습니다. 그 `.grad`도 그대로 두어야 합니다.
"""

# %% [markdown] lang="en"
r"""
## Task 9.1 · `second_derivative`

●●○○○ · ★★★★★ · 6 min · {{points}}

Return the second derivative of `f` at `x`, as section 2 finds it, without leaving a trace.

- `x` is a tracked leaf with a single element, of shape `()`. Its `.grad` may be `None` or hold something; afterwards it must be as it was. `f(x)` is a tensor of shape `()` too, and depends on `x`.
- Where the gradient does not depend on `x`, the answer is 0: for a straight line such as `3*t + 1`, and also for `w*t` with a tracked `w`. Where autograd finds no path from the gradient back to `x`, assume that it does not
  depend on `x`. (This 0 may be wrong if `f` uses a `Function` that can be differentiated only once. You need not handle that case.)
- The result is exact up to rounding (no difference quotient), and the warning of section 2 does not appear.
- The result is a tensor like `x` that is not part of a graph.

<details><summary>Hint 1: the idea</summary>

Two calls of `torch.autograd.grad`, of which the first must record. What do the two cases of the straight line in section 2 need?

</details>

<details><summary>Hint 2: the skeleton</summary>

```
(first,) = torch.autograd.grad(f(x), x, ...)
if ...:                      # 3x + 1: no graph at all
    return ...
(second,) = torch.autograd.grad(first, x, ...)
```

The last line must also survive `wx + 1`.

</details>
"""

# %% [markdown] lang="ko" en="0ace69a5"
r"""
## 과제 9.1 · `second_derivative`

{{marks}}분 · {{points}}

`x`에서 `f`의 이계 미분계수를 2절의 방법으로 구해 돌려주세요. 흔적을 남기면 안 됩니다.

- `x`는 원소가 하나이고 shape가 `()`인, 추적되는 leaf입니다. `x.grad`는 `None`일 수도, 값이 들어 있을 수도 있는데, 호출한 뒤에도 그대로여야 합니다. `f(x)`도 shape가 `()`인 텐서이고 `x`에 의존합니다.
- gradient가 `x`에 의존하지 않으면 답은 0입니다. `3*t + 1` 같은 직선이 그렇고, `w`가 추적되는 `w*t`도 그렇습니다. autograd가 gradient에서 `x`로 거슬러 가는 경로를 찾지 못하면 의존하지 않는다고
  보세요. (`f`가 한 번만 미분할 수 있는 `Function`을 쓰면 이 0이 틀릴 수도 있습니다. autograd는 그것을 알 수 없으므로 신경 쓰지 않아도 됩니다.)
- 반올림 오차 안에서 정확해야 하고, 차분몫을 쓰면 안 되며, 2절에서 본 경고가 떠서도 안 됩니다.
- 결과는 dtype과 shape가 `x`와 같은 텐서이고 그래프에 연결되어 있지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

`torch.autograd.grad`를 두 번 호출하는데, 첫 번째는 기록해야 합니다. 2절에서 본 직선의 두 경우에는 무엇이 더 필요한가요?

</details>

<details><summary>힌트 2: 뼈대</summary>

```
(first,) = torch.autograd.grad(f(x), x, ...)
if ...:                      # 3x + 1: 그래프가 전혀 없는 경우
    return ...
(second,) = torch.autograd.grad(first, x, ...)
```

마지막 줄은 `wx + 1`에서도 오류가 나지 않아야 합니다.

</details>
"""


# %% answer="second_derivative"
def second_derivative(f, x):
    """Return the second derivative of f at x, as a tensor like x. Leave every .grad as it is.

    f: a function from a tensor of shape () to one of shape (); x: a tracked leaf of shape ().
    """
    ### BEGIN SOLUTION
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (second,) = torch.autograd.grad(first, x, allow_unused=True, materialize_grads=True)
    return second
    ### END SOLUTION


# %% test="second_derivative" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("second_derivative")


_CALL = "second_derivative(f, x)"


def _compare(f, x, dtype, grad, slope, want, cause="", ahead=()):
    want, slope = tensor(want, dtype), tensor(slope, dtype)
    arguments = {"f": f"lambda t: {f}", "x": leaf(x, dtype, grad), "w": leaf(3.0, dtype)}
    answer = ask(_CALL, {"warned": True, "ahead": ahead}, **arguments)
    answer.holds(answer.result is not None or bool(want), hint.none)
    sums = tuple(number + grad for number in (want, slope) if grad)
    wrong = {hint.zero: 0.0, hint.first: slope, hint.added: sums}
    answer.returns(want, mistakes=wrong, nearly=hint.nearly, hint=cause)
    return answer.keeps_buffers().changes_nothing().is_untracked(hint.graph)


_compare("torch.log(t**3)", 5.0, "float64", None, 0.6, -0.12)
_compare("w * t**3", 2.0, "float32", 9.0, 36.0, 36.0)
_compare("t**4 - 8*t**2", 0.0, "float64", None, 0.0, -16.0)
_compare("3*t + 1", 2.0, "float64", None, 3.0, 0.0)
_compare("w*t", 2.0, "float64", 4.0, 3.0, 0.0)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_OTHER_CALL = "second_derivative(lambda t: -2 * f(t), x)"
# For each function, its first and its second derivative.
_FORMS = {
    "torch.log(t*t)": lambda x: (2 / x, -2 / x**2),
    "t**4 - 8*t**2": lambda x: (4 * x**3 - 16 * x, 12 * x**2 - 16),
    "torch.sin(2*t)": lambda x: (2 * torch.cos(2 * x), -4 * torch.sin(2 * x)),
    "torch.exp(w*t/4)": lambda x: (0.75 * torch.exp(0.75 * x), 0.5625 * torch.exp(0.75 * x)),
    "w*t + torch.cos(t)": lambda x: (3 - torch.sin(x), -torch.cos(x)),
    "t/2": lambda x: (0.5, 0.0),
    "torch.relu(t) - w*t": lambda x: ((x > 0).double() - 3, 0.0),
    "t * torch.abs(t)": lambda x: (2 * x.abs(), 2 * x.sign()),
    "(t**2).reshape(1).sum()": lambda x: (2 * x, 2.0),
}


def _compare_with_formula(f, x, dtype, grad):
    (first, second), (_, next_want) = (_FORMS[f](tensor(place)) for place in (x, x + 1))
    want, next_want = tensor(second, dtype), tensor(next_want, dtype)
    ahead = _CALL, ("x.data += 1", _CALL), _OTHER_CALL
    answer = _compare(f, x, dtype, grad, first, second, ahead=ahead)
    answer.holds(not any("create_graph" in warning for warning in answer.seen["warned"]), hint.circle)
    answer.again().returns(want)
    answer.after("x.data += 1").returns(next_want)
    answer.then(_OTHER_CALL, hint.other_function).returns(-2 * next_want)
    answer.still_returns(want)


_random_grad = check.draw(-9, -1)
for _dtype, _grad, _other_grad in (("float64", None, _random_grad), ("float32", _random_grad, None)):
    for _f in _FORMS:
        check.smallest(_compare_with_formula, _f, check.draw(0.3, 2.5), _dtype, _grad)
        check.smallest(_compare_with_formula, _f, check.draw(-3.5, -1.2), _dtype, _other_grad)
    _compare_with_formula("w*t + torch.cos(t)", 0.0, _dtype, None)
_compare("t * torch.abs(t)", 1e-6, "float64", None, 2e-6, 2.0, hint.kink)
_compare("t * torch.abs(t)", -1e-6, "float64", None, 2e-6, -2.0, hint.kink)
_nearly_linear = ask(_CALL, f="lambda t: 3*t + 1e-9 * t**3", x=leaf(2.0), y=leaf(-1.0))
_nearly_linear.returns(tensor(12e-9), mistakes={hint.zero: 0.0}, nearly=hint.nearly)
_nearly_linear.then("second_derivative(f, y)", hint.stale).returns(tensor(-6e-9))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 9.2 · `hvp`

●●●○○ · ★★★★★ · 8 min · {{points}}

Return the product of the Hessian of `f` at `x` with `v`, without ever building the Hessian.

- `x` is a tracked leaf of any shape with $n \ge 1$ elements in all; `v` is an untracked tensor of the same shape. `f(x)` has shape `()` and depends on `x`.
- Return a tensor like `x` that is not part of a graph. Its element $i$ is $\sum_j \frac{\partial^2 f}{\partial x_i \partial x_j} v_j$. Where the gradient does not depend on `x`, return zeros, as in 9.1.
- **How many passes?** As many for $n = 1000$ as for $n = 2$: one forward pass through `f` and two backward passes are enough. The tests count the operations, and their number must not grow with $n$.
- No tensor that your function makes on the way may have more than $10\,n$ elements.
- The result is exact up to rounding (no difference quotient). Leave every `.grad` alone.

<details><summary>Hint 1: the idea</summary>

Section 4: record the first backward pass, and start the second with the weights $v$.

</details>

<details><summary>Hint 2: the same for another function</summary>

For `y = torch.sin(x)` lesson 5 gets $v^\top J$ by `torch.autograd.grad(y, x, grad_outputs=v)`. What takes the place of `y` here? And what would 9.1 have to say about a straight line?

</details>
"""

# %% [markdown] lang="ko" en="fe488f6f"
r"""
## 과제 9.2 · `hvp`

{{marks}}분 · {{points}}

`x`에서 `f`의 헤세 행렬과 `v`의 곱을 돌려주세요. 헤세 행렬은 만들지 않습니다.

- `x`는 추적되는 leaf입니다. shape에는 제한이 없고 원소의 수를 $n$이라고 하면 $n \ge 1$입니다. `v`는 shape가 같고 추적되지 않는 텐서입니다. `f(x)`는 shape가 `()`이고 `x`에 의존합니다.
- dtype과 shape가 `x`와 같고 그래프에 연결되지 않은 텐서를 돌려주세요. $i$번째 원소는 $\sum_j \frac{\partial^2 f}{\partial x_i \partial x_j} v_j$입니다. gradient가 `x`에 의존하지 않으면 9.1에서처럼 모두 0입니다.
- **계산을 몇 번 하나요?** $n = 1000$이어도 $n = 2$일 때와 같아야 합니다. `f`의 순방향 계산 한 번과 역방향 계산 두 번이면 됩니다. 테스트가 연산의 수를 세는데, 이 수가 $n$에 따라 늘면 안 됩니다.
- 여러분의 함수가 계산 도중에 만드는 텐서는 모두 원소가 $10\,n$개 이하여야 합니다.
- 반올림 오차 안에서 정확해야 하고, 차분몫을 쓰면 안 됩니다. 어떤 `.grad`도 건드리지 마세요.

<details><summary>힌트 1: 생각의 방향</summary>

4절입니다. 첫 번째 역방향 계산을 기록하고, 두 번째는 가중치 $v$를 주고 시작합니다.

</details>

<details><summary>힌트 2: 다른 함수에서는</summary>

`y = torch.sin(x)`이면 수업 05의 $v^\top J$는 `torch.autograd.grad(y, x, grad_outputs=v)`로 구합니다. 여기서는 `y` 자리에 무엇이 들어가나요? 그리고 9.1에서 직선일 때 필요했던 것은 무엇인가요?

</details>
"""


# %% answer="hvp"
def hvp(f, x, v):
    """Return the product of the Hessian of f at x with v, as a tensor like x, without building the Hessian.

    f: a function from a tensor to one of shape (); x: a tracked leaf; v: a tensor of x's shape.
    """
    ### BEGIN SOLUTION
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not first.requires_grad:
        return torch.zeros_like(x)
    (product,) = torch.autograd.grad(first, x, grad_outputs=v, allow_unused=True, materialize_grads=True)
    return product
    ### END SOLUTION


# %% test="hvp" points=2
import torch

from secant import ask, check, hints, leaf, tensor

hint = hints("hvp")


def _compare(f, x, v, want, ones, diagonal, slope, dtype, grad=None, layout="", cause="", ahead=()):
    """ones: the Hessian times a tensor of ones; diagonal: its diagonal; slope: the gradient."""
    leaves = {"x": leaf(x, dtype, grad, layout=layout), "w": leaf(3.0, dtype)}
    leaves["v"] = leaf(v, dtype, layout=layout, tracked=False)
    answer = ask("hvp(f, x, v)", {"ahead": ahead}, f=f"lambda t: {f}", **leaves).changes_nothing()
    v, ones, diagonal, slope = map(tensor, (v, ones, diagonal, slope))
    want = tensor(want, dtype)
    wrong = {
        hint.ones: ones,
        hint.rows: ones * v,
        hint.diagonal: diagonal * v,
        hint.gradient: (slope, slope * v),
        hint.number: (want * v).sum().item(),
    }
    if not cause:
        wrong[hint.step] = lambda got: got.shape == want.shape and got.allclose(want, 0.1, 0.1)
    tol = {"rtol": 1e-10, "atol": 1e-9} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-3}
    answer.returns(want, mistakes=wrong, nearly=hint.nearly, hint=cause, **tol)
    return answer.is_untracked(hint.graph)


_compare("t[0]**2 * t[1]", [2, 3], [1, -2], [-2, 4], [10, 4], [6, 0], [12, 4], "float64", 5.0)
_H = [[18], [36]]
_compare("w * (t**3).sum()", [[1], [2]], [[3], [0]], [[54], [0]], _H, _H, [[9], [36]], "float32")
_compare("t.sum()**2", [1, 2], [0, 0], [0, 0], [4, 4], [2, 2], [6, 6], "float64", cause=hint.zeros)
_compare("3*t.sum() + 1", [[1, 2]], [[1, 3]], [[0, 0]], [[0, 0]], [[0, 0]], [[3, 3]], "float64")
_compare("w * t.sum()", [1, 2], [1, 3], [0, 0], [0, 0], [0, 0], [3, 3], "float32")
check.visible_passed()
### BEGIN HIDDEN TESTS
from secant import formula


def _measure_cost(n):
    x, v = (f"torch.linspace({ends}, {n}, dtype=torch.float64)" for ends in ("0, 1", "-1, 2"))
    f = "lambda t: (t**4).sum() + (t[1:] * t[:-1]).sum()"
    answer = ask("hvp(f, x, v)", {"counted": True}, f=f, x=f"leaf({x})", v=v)
    largest = answer.seen["largest"]
    return answer.holds(largest <= 10 * max(n, 20), hint.elements.format(largest), hint.large)


_small_count = _measure_cost(2).seen["count"]
for _n in (20, 60, 200, 1000):
    _measure_cost(_n).costs(_small_count + 20, hint.grows)
_f, _v = "lambda t: ((t + t**2)**2).sum() + t.prod()", tensor([0, 3])
_origin = ask("hvp(f, x, v)", f=_f, x=leaf([0, 0]), v=_v, y=leaf([1, 2]))
_origin.returns(tensor([3, 6]), mistakes={hint.rest: [0, 0], hint.diagonal: [0, 6]})
_origin.then("hvp(f, y, v)", hint.stale).returns(tensor([3, 222]))
_origin.after("x.data += 1").returns(tensor([3, 78]))
_arguments = {"x": leaf([[1, 2], [3, 4]]), "v": tensor([[1, 0], [2, 0]])}
_want, _wrong = tensor([[6, 0], [6, 0]]), {hint.flat: [[6, 6], [6, 6]]}
ask("hvp(f, x, v)", f="lambda t: (t.sum(0)**2).sum()", **_arguments).returns(_want, mistakes=_wrong)

_FORMS = {
    "(t**4).sum()/4 + (t*t.flip(-1)).sum()**2": (3,),
    "torch.exp(t.sum()/4) + torch.sin(w*t).sum()": (2, 3),
    "t.sum()**3 / (1 + (t**2).sum())": (2, 2, 2),
    "torch.log(1 + torch.exp(t)).sum() * t.reshape(-1)[0]": (4,),
    "3*t.sum() + 1": (2, 3),
    "w * t.sum()": (2, 1, 2),
    "3*t + 1": (),
    "w * t": (),
    "(w*t).sum() + t.reshape(-1)[0]**2": (2, 2),
    "t**4 - 8*t**2": (),
    "(t.reshape(-1)[:1]**2).sum()": (5,),
}


_OTHER_CALLS = "hvp(f, x, 2 * v + 1)", "hvp(lambda t: -2 * f(t), x, v)"


def _compare_with_hessian(f, x, v, dtype, grad=None, layout="", cause=""):
    point, function = tensor(x), formula(f, w=tensor(3.0))
    slope = torch.func.grad(function)
    H = torch.func.jacrev(slope)(point).reshape(point.numel(), -1)
    parts = H @ tensor(v).flatten(), H.sum(1), H.diagonal()
    want, ones, diagonal = (part.reshape(point.shape) for part in parts)
    settings, ahead = (dtype, grad, layout, cause), ("hvp(f, x, v)", *_OTHER_CALLS)
    answer = _compare(f, x, v, want, ones, diagonal, slope(point), *settings, ahead)
    for next_answer, expected in (
        (answer.again(), want),
        (answer.then(_OTHER_CALLS[0], hint.stale), 2 * want + ones),
        (answer.then(_OTHER_CALLS[1], hint.other_function), -2 * want),
    ):
        next_answer.returns(tensor(expected, dtype), atol=1e-8 if dtype == "float64" else 1e-3)


_compare_with_hessian("(t * torch.abs(t)).sum()", [3e-7, -7e-7], [1.0, 2.0], "float64", cause=hint.kink)
_tiny = ask("hvp(f, x, v)", f=_f, x=leaf([1, 2]), v=tensor([0, 3e-15]))
_tiny.returns(tensor([3e-15, 222e-15]), rtol=1e-9, atol=0.0, mistakes={hint.zeros: [0, 0]}, hint=hint.nearly)
for _dtype in ("float64", "float32"):
    for _turn, (_f, _shape) in enumerate(_FORMS.items(), _dtype == "float32"):
        _grads_and_layouts = (None, ""), (check.draw(1, 9), "slice"), (None, "transposed")
        for _grad, _layout in (_grads_and_layouts[_turn % 3], _grads_and_layouts[(_turn + 1) % 3]):
            _x, _v = (check.draw_tensor(*_shape, low=-1.5, high=1.5).tolist() for _ in range(2))
            check.smallest(_compare_with_hessian, _f, _x, _v, _dtype, _grad, _layout)
    _compare_with_hessian("(t**4).sum() + t.prod()", [0.0, 0.0, 2.0], [1.0, -1.0, 0.5], _dtype)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 9.3 · `newton_step`

●●○○○ · ★★★★☆ · 5 min · {{points}}

Take one step of Newton's method towards a point where the **slope** of `f` is 0, and return that point as a new leaf.

- The step is that of section 5, $x - \frac{f'(x)}{f''(x)}$. It looks for a point where $f' = 0$, not for a root of $f$. Where $f''(x)$ is negative it leads towards a maximum; take it all the same. $f''(x)$ is never 0, but may be very small: take the whole step, however long or short it is.
- `x` is a tracked leaf of shape `()`, and `f(x)` has shape `()`. Leave `x`, its value and every `.grad` alone.
- The result is a **fresh** tracked leaf, a tensor with the dtype and shape of `x`: `is_leaf` and `requires_grad` are `True`, `.grad` is `None`, and it shares no memory with `x`. So your function can be called on its own result any number of times, and no graph grows.

<details><summary>Hint 1: the idea</summary>

Two derivatives, as in 9.1. What cuts a tensor off its graph, and what makes a leaf of it?

</details>

<details><summary>Hint 2: a smaller example</summary>

Print `is_leaf` and `requires_grad` of `2 * x`, and then of `(2 * x).detach()`. What does each of them still lack?

</details>
"""

# %% [markdown] lang="ko" en="9a74aada"
r"""
## 과제 9.3 · `newton_step`

{{marks}}분 · {{points}}

`f`의 **기울기**가 0인 점을 향해 뉴턴 방법으로 한 스텝을 가고, 도착한 곳을 새 leaf로 돌려주세요.

- 5절의 스텝 $x - \frac{f'(x)}{f''(x)}$입니다. $f' = 0$인 점을 찾는 것이지 $f$의 근을 찾는 것이 아닙니다. $f''(x)$가 음수이면 극대점으로 가지만 그래도 그 스텝을 그대로 진행하세요. $f''(x)$는 0이 아니지만 아주 작을 수 있습니다. 스텝이 아무리 길거나 짧아도 줄이거나 늘리지 말고 그대로 가세요.
- `x`는 추적되고 shape가 `()`인 leaf이고, `f(x)`의 shape도 `()`입니다. `x`와 그 값, 모든 `.grad`를 그대로 두세요.
- 결과는 dtype과 shape가 `x`와 같고 추적되는 **새** leaf입니다. `is_leaf`와 `requires_grad`는 `True`, `.grad`는 `None`이고, `x`와 메모리를 함께 쓰지 않습니다. 그래서 결과를 다시 넣어 몇 번이든 호출해도 그래프가 커지지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

9.1에서처럼 두 번 미분합니다. 텐서를 그래프에서 끊는 것은 무엇이고, leaf로 만드는 것은 무엇인가요?

</details>

<details><summary>힌트 2: 더 작은 예</summary>

`2 * x`의 `is_leaf`와 `requires_grad`를 출력해 보고, `(2 * x).detach()`에서도 출력해 보세요. 각각 무엇이 모자라나요?

</details>
"""


# %% answer="newton_step"
def newton_step(f, x):
    """Return x - f'(x) / f''(x) as a new tracked leaf.

    f: a function from a tensor of shape () to one of shape (); x: a tracked leaf of shape ().
    """
    ### BEGIN SOLUTION
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return (x - first / second).detach().requires_grad_()
    ### END SOLUTION


# %% test="newton_step" points=1
from secant import ask, check, hints, leaf, tensor

hint = hints("newton_step")


def _compare(f, x, dtype, grad, want, value, first, second, ahead=(), cause=""):
    wrong = {hint.root: x - value / first if first else x, hint.still: x}
    wrong |= {hint.size: x - first / abs(second), hint.sign: x + first / second}
    wrong |= {hint.descent: (x - first, x - 0.1 * first), hint.many: 2.0 if x > 0 else -2.0}
    leaves = {"x": leaf(x, dtype, grad), "w": leaf(3.0, dtype)}
    answer = ask("x1 = newton_step(f, x)", {"ahead": ahead}, f=f"lambda t: {f}", **leaves)
    answer.returns(tensor(want, dtype), mistakes=wrong, nearly=hint.nearly, hint=cause)
    return _check_x(answer.owns_its_memory(hint.shares), "x1").keeps_buffers().changes_nothing()


def _check_x(answer, x):
    facts = answer.then(f"{x}.is_leaf, {x}.requires_grad, {x}.is_leaf and {x}.grad is None").result
    for fact, cause in zip(facts, (hint.not_leaf, hint.untracked, hint.full), strict=True):
        answer.holds(fact, cause)
    return answer


_compare("w * (t - 3)**2 + 1", 10.0, "float64", None, 3.0, 148.0, 42.0, 6.0)
_compare("t**4 - 8*t**2", 3.0, "float64", 7.0, 2.347826086956522, 9.0, 60.0, 92.0)
_compare("t**4 - 8*t**2", 0.5, "float32", None, -0.07692307692307693, -1.9375, -7.5, -13.0)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_OTHER_CALL = "newton_step(lambda t: f(t) + 5 * t**2, x)"
_FACTS = "{0}.is_leaf, {0}.requires_grad, {0}.is_leaf and {0}.grad is None"
# For each function, its value, its first and its second derivative.
_FORMS = {
    "torch.exp(t) - w*t": lambda x: (torch.exp(x) - 3 * x, torch.exp(x) - 3, torch.exp(x)),
    "w*t**2 + t": lambda x: (3 * x**2 + x, 6 * x + 1, 6.0),
    "5 - t*t": lambda x: (5 - x * x, -2 * x, -2.0),
    "torch.log(torch.cosh(t))/w": lambda x: (
        torch.log(torch.cosh(x)) / 3,
        torch.tanh(x) / 3,
        (1 - torch.tanh(x) ** 2) / 3,
    ),
    "t**4 - 8*t**2": lambda x: (x**4 - 8 * x**2, 4 * x**3 - 16 * x, 12 * x**2 - 16),
}


def _compare_with_formula(f, x, dtype, grad, count=3):
    place, expected = tensor(x), []
    value, first, second = (float(part) for part in _FORMS[f](place))
    for _ in range(count):
        _, slope, curvature = _FORMS[f](place)
        place = place - slope / curvature
        expected.append(tensor(place, dtype))
    steps = {f"x{k}": f"x{k} = newton_step(f, x{k - 1})" for k in range(2, count + 1)}
    questions = (text for name, step in steps.items() for text in (step, _FACTS.format(name)))
    ahead = _FACTS.format("x1"), *questions, "x1 = newton_step(f, x)", _OTHER_CALL
    answer = _compare(f, x, dtype, grad, expected[0], value, first, second, ahead)
    tolerance = {"rtol": 1e-7, "atol": 1e-7} if dtype == "float64" else {"rtol": 2e-3, "atol": 2e-3}
    for (name, step), before, want in zip(steps.items(), expected, expected[1:], strict=False):
        next_answer = answer.then(step).returns(want, mistakes={hint.still: before}, **tolerance)
        _check_x(next_answer, name).changes_nothing()
    answer.again().returns(expected[0], **tolerance)
    other_want = x - (first + 10 * x) / (second + 10)
    next_answer = answer.then(_OTHER_CALL, hint.other_function)
    next_answer.returns(tensor(other_want, dtype), **tolerance)
    answer.still_returns(expected[0])


_random_grad = check.draw(-9, -1)
for _dtype, _grad, _other_grad in (("float64", None, _random_grad), ("float32", _random_grad, None)):
    for _f in list(_FORMS)[:4]:
        check.smallest(_compare_with_formula, _f, check.draw(0.2, 0.6), _dtype, _grad)
        check.smallest(_compare_with_formula, _f, check.draw(-0.6, -0.25), _dtype, _other_grad)
    check.smallest(_compare_with_formula, "t**4 - 8*t**2", check.draw(1.8, 2.5), _dtype, _grad, 5)
    check.smallest(_compare_with_formula, "t**4 - 8*t**2", check.draw(-4, -3.2), _dtype, _other_grad, 5)
    _compare_with_formula("t**4 - 8*t**2", 2.0, _dtype, None)
    _compare_with_formula("w*t**2 + t", 0.0, _dtype, 1.0)
_compare("5 - t*t", 5e-7, "float64", None, 0.0, 5.0, -1e-6, -2.0)
_compare("1e-14*t*t", 1.0, "float64", None, 0.0, 1e-14, 2e-14, 2e-14)
_compare("1e-20*t*t - 1e-10*t", 1.0, "float64", None, 5e9, -1e-10, -1e-10, 2e-20, cause=hint.long)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 9.4 · `gradient_penalty`

●●●●○ · ★★★★★ · 10 min · {{points}} (value 1, gradient 2)

Return the gradient penalty of section 6 for a batch, ready to be added to a loss.

- `x` has shape `(n, ...)`: $n \ge 1$ samples in the first dimension, and at least one more dimension. It is plain data, not tracked, and stays so. `model(x)` gives one number for each sample, in shape `(n, 1)` or `(n,)`, and treats each sample independently.
- For **each sample** take the gradient of its number with respect to that sample, and the norm of this gradient over **all its elements**, however many dimensions they have. The penalty is $(\text{norm} - 1)^2$, and the result is the
  **mean** over the samples, exact up to rounding. No such gradient is 0, so you need not add anything under the root.
- The result has shape `()` and a graph: after `penalty.backward()` every tracked parameter of the model that the penalty depends on (there is at least one) has the right gradient. Your function itself leaves every `.grad` as it was.

<details><summary>Hint 1: the idea</summary>

Since each sample is treated independently, one backward pass from the sum of the outputs gives the gradient of every sample. It must be recorded. And `x` is not tracked: make a leaf of your own from it.

</details>

<details><summary>Hint 2: two pieces of another problem</summary>

For a leaf `t` of shape `(n, 3)`, `torch.autograd.grad((t**2).sum(), t)` gives `2 * t`: a row for each sample, each as if it were alone. And `torch.ones(2, 3, 4).flatten(1).norm(dim=1)` is $\sqrt{12}$ twice.

</details>
"""

# %% [markdown] lang="ko" en="a92b88ed"
r"""
## 과제 9.4 · `gradient_penalty`

{{marks}}분 · {{points}} (value 1, gradient 2)

6절의 gradient penalty를 배치에 대해 구해, loss에 바로 더할 수 있게 돌려주세요.

- `x`의 shape는 `(n, ...)`입니다. 첫째 차원에 샘플이 $n \ge 1$개 있고, 차원이 하나 이상 더 있습니다. 추적되지 않는 보통의 데이터이고, 호출한 뒤에도 그래야 합니다. `model(x)`는 샘플마다 수 하나를 내놓고(shape는 `(n, 1)` 또는 `(n,)`), 샘플을 하나씩
  따로 다룹니다.
- **샘플마다** 그 수를 그 샘플로 미분한 gradient를 구하고, gradient의 **모든 원소**에 대한 노름을 구하세요. 차원이 몇 개든 마찬가지입니다. penalty는 $(\text{노름} - 1)^2$이고, 결과는 샘플에 대한 **평균**입니다.
  반올림 오차 안에서 정확해야 합니다. gradient가 0인 샘플은 없으니 제곱근 안에 작은 수를 더할 필요가 없습니다.
- 결과는 shape가 `()`이고 그래프에 연결되어 있습니다. `penalty.backward()`를 호출하면, 추적되는 모델 파라미터 가운데 penalty에 영향을 주는 것(하나 이상 있습니다)마다 올바른 gradient가 들어 있어야 합니다. 여러분의 함수를 호출하는 것만으로는 어떤 `.grad`도 바뀌면 안 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

샘플을 하나씩 따로 다루므로, 출력을 모두 더한 값에서 역방향 계산을 한 번 하면 모든 샘플의 gradient가 나옵니다. 이것을 기록해야 합니다. 그리고 `x`는 추적되지 않으니 그것으로 여러분의 leaf를 만드세요.

</details>

<details><summary>힌트 2: 다른 문제의 두 조각</summary>

shape가 `(n, 3)`인 leaf `t`에서 `torch.autograd.grad((t**2).sum(), t)`는 `2 * t`입니다. 샘플마다 한 행이고, 각 행은 그 샘플만 있을 때와 같습니다. 그리고 `torch.ones(2, 3, 4).flatten(1).norm(dim=1)`은 $\sqrt{12}$ 두 개입니다.

</details>
"""


# %% answer="gradient_penalty"
def gradient_penalty(model, x):
    """Return the mean of (norm - 1)**2 over the samples in x.

    For each sample, norm is the norm of the gradient of the model's output with respect to the sample.

    model: a module that gives one number for each sample; x: an untracked tensor, samples first.
    """
    ### BEGIN SOLUTION
    leaf = x.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(model(leaf).sum(), leaf, create_graph=True)
    return ((slopes.flatten(1).norm(dim=1) - 1) ** 2).mean()
    ### END SOLUTION


# %% test="gradient_penalty" points=3
from secant import PartialCredit, ask, check, hints, leaf, tensor

hint = hints("gradient_penalty")
_credit = PartialCredit(value=1, gradient=2)


@_credit.each
def _compare(layers, weights, x, want, grads, dtype, wrong, grad=None, layout="", before=""):
    """grads: the gradients of the penalty with respect to the tracked parameters."""
    inputs = {"weights": tensor(weights, dtype), "x": leaf(x, dtype, layout=layout, tracked=False)}
    inputs["model"] = f"graphs.filled(nn.Sequential({layers}), weights, {grad})"
    answer = ask("penalty = gradient_penalty(model, x)", {"before": before}, **inputs)
    answer.returns(tensor(want, dtype), mistakes=wrong, nearly=hint.nearly, **_tolerance(dtype))
    if _credit.now == "value":
        return answer.changes_nothing()
    answer.changes_nothing().is_tracked(hint.cut)
    loss = "2 * penalty + 0 * model(x).sum()"
    tracked = "[p for p in model.parameters() if p.requires_grad]"
    doubled = tuple(2 * tensor(part, dtype) for part in grads)
    grads_answer = answer.then(f"torch.autograd.grad({loss}, {tracked})")
    grads_answer.returns(doubled, nearly=hint.nearly, hint=hint.cut, **_tolerance(dtype))
    return answer


def _tolerance(dtype):
    return {"rtol": 1e-8, "atol": 1e-8} if dtype == "float64" else {"rtol": 2e-3, "atol": 2e-3}


_layers = "nn.Flatten(), nn.Linear(2, 2, False), nn.ReLU(), nn.Linear(2, 1, False), nn.Flatten({})"
_wrong = {hint.sum: 16.25, hint.one: (16.20012437887911, 1.5625, 3.0625), hint.side: 8}
_wrong |= {hint.square: (288.28125, 12.625), hint.dim: 3.4625, hint.shrunk: 1.40625}
# The first sample's gradient is [3, 4], the second's [-0.3, -0.4].
_weights, _grads = [3, 4, -0.3, -0.4, 1, 1], ([[2.4, 3.2], [0.3, 0.4]], [[20, -0.25]])
_compare(_layers.format(1), _weights, [[1, 0], [-1, 0]], 8.125, _grads, "float64", _wrong, 5.0)
_compare(_layers.format(0), _weights, [[[1, 0]], [[-1, 0]]], 8.125, _grads, "float32", _wrong)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
import math

import torch


def _norms(W, b, a, x):
    """Return the norms of the gradients, and the gradients themselves, in closed form: (1 - tanh²) a W."""
    slopes = ((1 - torch.tanh(x.flatten(1) @ W.T + b) ** 2) * a) @ W
    return slopes.norm(dim=1), slopes.reshape(x.shape)


@_credit.each
def _compare_tanh_model(shape, dtype, grad, column, layout, mode):
    size, x = math.prod(shape[1:]), check.draw_tensor(*shape, low=-1, high=1)
    parameter_shapes = (((4, size), -2), ((4,), -1), ((1, 4), 0.5))
    parts = [check.draw_tensor(*part, low=low, high=2).requires_grad_() for part, low in parameter_shapes]
    norms, slopes = _norms(*parts, x)
    want = (norms - 1).square().mean()
    wrong = {
        hint.sum: (norms - 1).square().sum(),
        hint.one: tuple((norm - 1) ** 2 for norm in (slopes.norm(), slopes.mean(0).norm(), norms.mean())),
        hint.square: ((norms**2 - 1).square().mean(), norms.square().mean()),
        hint.side: (norms - 1).clamp(min=0).square().mean(),
        hint.shrunk: (norms / len(x) - 1).square().mean(),
        hint.dim: tuple((slopes.norm(dim=dim) - 1).square().mean() for dim in (1, -1)),
    }
    layers = f"nn.Flatten(), nn.Linear({size}, 4), nn.Tanh(), nn.Linear(4, 1, False), nn.Flatten({column})"
    weights, grads = torch.cat([part.flatten() for part in parts]), torch.autograd.grad(want, parts)
    answer = _compare(layers + mode, weights, x, want, grads, dtype, wrong, grad, layout)
    next_excess = _norms(*parts, x + 1)[0].detach() - 1
    side_mistake = {hint.side: next_excess.clamp(min=0).square().mean()}
    next_answer = answer.then("gradient_penalty(model, x + 1)", hint.stale)
    expected = tensor(next_excess.square().mean(), dtype)
    next_answer.returns(expected, mistakes=side_mistake, nearly=hint.nearly, **_tolerance(dtype))


@_credit.each
def _compare_linear_model(w, x, bias):
    weight, before = tensor(w), "model[0].bias.requires_grad_(False)" if bias else ""
    excess = weight.norm() - 1
    grads, wrong = (2 * excess * weight / weight.norm(),), {hint.line if excess > 0 else hint.side: 0.0}
    layers, weights = f"nn.Linear({len(w[0])}, 1, {bias})", w[0] + [0.5] * bias
    answer = _compare(layers, weights, x, excess**2, grads, "float64", wrong, before=before)
    answer.again().returns(excess**2)


_smallest = _credit.each(check.smallest)
_wrong, _grads = {hint.line: 0.0, hint.clipped: lambda got: got < 249000}, ([[598.8, -798.4]],)
_compare("nn.Linear(2, 1, False)", [300, -400], [[1, 2]], 249001, _grads, "float64", _wrong)
_layers, _grads = "nn.Conv1d(2, 1, 1, bias=False), nn.Flatten(0)", ([[[4.8], [6.4]]],)
_wrong = {hint.flat: 26 - 7 * math.sqrt(2)}
_compare(_layers, [3, 4], [[[1], [2]], [[0], [-1]]], 16, _grads, "float64", _wrong)
_compare_linear_model([[0.0054, -0.0072]], [[1.0, 2.0]], True)
for _dtype in ("float64", "float32"):
    for _shape in ((1, 1), (1, 3), (5, 2), (2, 1, 4), (3, 2, 2), (2, 2, 1, 2)):
        _compare_tanh_model(_shape, _dtype, None, 1, "slice", ", nn.Dropout().eval()")
        _compare_tanh_model(_shape, _dtype, check.draw(-9, 9), 0, "transposed", "")
for _bias in (True, False):
    _smallest(_compare_linear_model, [check.draws(2, 1, 3)], [check.draws(2, -1, 1)], _bias)
    _smallest(
        _compare_linear_model, [check.draws(3, -3, -1)], [check.draws(3, -1, 1), check.draws(3, -1, 1)], _bias
    )
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## Task 9.5 · `Cube`

●●●○○ · ★★★★☆ · 6 min · {{points}}

Complete the `Function` for $x^3$ so that it can be differentiated twice.

- `Cube.apply(x)` is $x^3$ for every element of `x`, which has any shape and may be empty. Its elements may be negative or 0.
- The gradient is $3x^2$ times the incoming gradient $g$. Under `create_graph=True` its own derivatives are right too: $6x$ times $g$ with respect to `x`, and $3x^2$ with respect to $g$.
- `Cube` has a `backward` of its own. You may write it with `setup_context`, as begun here, or with `forward(ctx, x)`, and save whatever your `backward` needs, as long as the derivatives come out right. `Cube` may be applied several times before a backward pass, each time to an `x` of its own; `apply` itself is inherited.
- Neither `x` nor the incoming gradient is changed. The result is tracked if and only if `x` is.

<details><summary>Hint 1: the idea</summary>

In section 8 the slope was computed before `backward`. What should be saved instead, and where should the slope be computed?

</details>

<details><summary>Hint 2: begin with Fourth</summary>

Copy `Fourth` and adapt its numbers. The line with `4 * x**3` then sits in a method in which nothing is recorded: which method should it move to, and what must be saved so that `x` is known there?

</details>
"""

# %% [markdown] lang="ko" en="0e013162"
r"""
## 과제 9.5 · `Cube`

{{marks}}분 · {{points}}

두 번 미분할 수 있도록 $x^3$의 `Function`을 완성하세요.

- `Cube.apply(x)`는 `x`의 원소마다 $x^3$을 구합니다. `x`의 shape에는 제한이 없고, `x`는 비어 있을 수도 있습니다. 원소는 음수나 0일 수도 있습니다.
- gradient는 출력 쪽에서 도착한 gradient $g$에 $3x^2$을 곱한 것입니다. `create_graph=True`를 주었을 때는 이 gradient를 다시 미분한 것도 맞아야 합니다. `x`로 미분하면 $6x$에 $g$를 곱한 것이고, $g$로 미분하면 $3x^2$입니다.
- `Cube`에는 자신의 `backward`가 있어야 합니다. 여기서처럼 `setup_context`로 써도 되고 `forward(ctx, x)`로 써도 됩니다. 미분한 결과가 맞으면 `backward`에 필요한 것은 무엇이든 저장해도 좋습니다. 역방향 계산을 하기 전에 `Cube`를 저마다 다른 `x`에 여러 번 적용할 수도 있습니다. `apply`는 물려받은 것을 그대로 씁니다.
- `x`도, 도착한 gradient도 바꾸지 마세요. 결과는 `x`가 추적될 때만 추적됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

8절에서는 기울기를 `backward`보다 먼저 계산했습니다. 대신 무엇을 저장하고, 기울기는 어디서 계산해야 할까요?

</details>

<details><summary>힌트 2: Fourth에서 시작하기</summary>

`Fourth`를 복사해 수를 고쳐 보세요. `4 * x**3`이 있던 줄은 아무것도 기록하지 않는 메서드 안에 있습니다. 어느 메서드로 옮겨야 하고, 거기서 `x`를 알려면 무엇을 저장해야 할까요?

</details>
"""


# %% answer="Cube"
class Cube(torch.autograd.Function):
    """The elementwise operation x**3, differentiable twice."""

    @staticmethod
    def forward(x):
        ### BEGIN SOLUTION
        return x**3
        ### END SOLUTION

    @staticmethod
    def setup_context(ctx, inputs, output):
        ### BEGIN SOLUTION
        ctx.save_for_backward(*inputs)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, g):
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return g * 3 * x**2
        ### END SOLUTION


# %% test="Cube" points=2
import torch

from secant import ask, check, hints, leaf, tensor

hint = hints("Cube")


def _compare(x, g, u, values, dtype, layout="", wrong=None):
    """values: x³, the gradient, and the gradient's derivatives with respect to x and g, times u."""
    cube, gradient, by_x, by_g = (tensor(want, dtype) for want in values)
    leaves = {"x": leaf(x, dtype, layout=layout), "g": leaf(g, dtype, layout=layout)}
    y, nan = ask("y = Cube.apply(x)", **leaves, u=tensor(u, dtype)), {hint.zero: torch.isnan}
    y.changes_nothing().returns(cube, mistakes=nan)
    first = y.then("dx = torch.autograd.grad(y, x, g, create_graph=True)[0]").changes_nothing()
    first.returns(gradient, mistakes={**(wrong or {}), **nan})
    first.is_tracked(hint.cut if tensor(g).any() else hint.half)
    text = "torch.autograd.grad(dx, (x, g), u, allow_unused=True, materialize_grads=True)"
    second_x, second_g = first.then(text).changes_nothing().parts("x", "g", hint=hint.half)
    second_x.returns(by_x, mistakes={hint.cut: 0.0, hint.half: by_x / 2, **nan})
    second_g.returns(by_g, mistakes={hint.half: 0.0, **nan})


_is_function = ask("issubclass(Cube, torch.autograd.Function) and 'backward' in vars(Cube)")
_is_function.holds(_is_function.result, hint.own)
_wrong = {hint.chain: [3, 12], hint.slope: ([2, 2], [6, 3])}
_compare([1, 2], [2, 0.5], [1, 1], ([1, 8], [6, 6], [12, 6], [3, 12]), "float64", wrong=_wrong)
_values = [8, -1, 0], [36, -6, 0], [36, 24, 0], [12, 6, 0]
_compare([2, -1, 0], [3, -2, 5], [1, 2, 1], _values, "float32")
check.visible_passed()


### BEGIN HIDDEN TESTS
def _compare_with_formula(x, g, u, dtype, layout=""):
    X, G, U = tensor(x), tensor(g), tensor(u)
    wrong = {hint.chain: 3 * X**2, hint.slope: (X**2 * G, 3 * X * G)}
    _compare(x, g, u, (X**3, 3 * X**2 * G, 6 * X * G * U, 3 * X**2 * U), dtype, layout, wrong)


def _compare_first_derivative(x, dtype):
    answer = ask("torch.autograd.grad((Cube.apply(x) ** 2).sum(), x)[0]", x=leaf(x, dtype, 7.0))
    for got in (answer, answer.again(hint.unrecorded)):
        got.changes_nothing().returns(tensor(6 * tensor(x) ** 5, dtype), hint=hint.unrecorded)
    gradient = ask("y = Cube.apply(x)", x=leaf(x, dtype), g=2 * tensor(x, dtype)).gradient("x")
    gradient.changes_nothing().returns(tensor(6 * tensor(x) ** 3, dtype), hint=hint.unrecorded)
    untracked_answer = ask("Cube.apply(x)", x=leaf(x, dtype, tracked=False)).changes_nothing()
    untracked_answer.returns(tensor(tensor(x) ** 3, dtype)).is_untracked(hint.follows)


def _compare_two_uses(x):
    """Check two applications of Cube before one backward pass: added up, and one inside the other."""
    for f, first, second in (
        ("Cube.apply(x) + Cube.apply(3 * x)", 84 * tensor(x) ** 2, 168 * tensor(x)),
        ("Cube.apply(Cube.apply(x))", 9 * tensor(x) ** 8, 72 * tensor(x) ** 7),
    ):
        dx = ask(f"dx = torch.autograd.grad(({f}).sum(), x, create_graph=True)[0]", x=leaf(x))
        dx.returns(first, hint=hint.shared)
        dx.then("torch.autograd.grad(dx.sum(), x)[0]").returns(second, hint=hint.shared)


def _check_with_gradcheck(x):
    args = {"x": leaf(x)}
    first_check = ask("torch.autograd.gradcheck(Cube.apply, (x,), raise_exception=False)", **args)
    first_check.holds(first_check.result, "False", hint.slope)
    second_check = ask("torch.autograd.gradgradcheck(Cube.apply, (x,), raise_exception=False)", **args)
    second_check.holds(second_check.result, "False", hint.cut)
    dx = ask("dx = torch.autograd.grad(torch.sin(Cube.apply(2 * x)).sum(), x, create_graph=True)[0]", **args)
    X = tensor(x).requires_grad_()
    slope = 24 * X**2 * torch.cos(8 * X**3)
    third = torch.autograd.grad((slope**2).sum(), X)[0]
    dx.then("torch.autograd.grad((dx**2).sum(), x)[0]").returns(third, rtol=1e-7, atol=1e-8, hint=hint.cut)


_node = ask("type(Cube.apply(x).grad_fn).__name__", x=leaf(2))
_node.holds(_node.result == "CubeBackward", hint.inherited)
for _dtype in ("float64", "float32"):
    for _shape, _layout in (
        *(((), ""), ((1,), "slice"), ((4,), "slice"), ((4,), "")),
        *(((2, 3), ""), ((2, 3), "transposed"), ((2, 1, 2), "slice"), ((2, 1, 2), "transposed")),
    ):
        _parts = [check.draw_tensor(*_shape).tolist() for _ in range(3)]
        check.smallest(_compare_with_formula, *_parts, _dtype, _layout)
    for _layout in ("", "slice", "transposed"):
        _x, _g, _u = [[0.0, -0.5], [2.0, 0.0]], [[1.0, 2.0], [-3.0, 0.0]], [[2.0, -1.0], [0.5, 1.0]]
        _compare_with_formula(_x, _g, _u, _dtype, _layout)
    _compare_with_formula([], [], [], _dtype)
    _compare_with_formula([1.5, -2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, -1.0], _dtype)
    _values, _is_small = (
        ([-27e6, 8e9], [27e4, -24e6], [-900, -24000], [135e3, 12e6]),
        lambda got: got.max() < 2e5,
    )
    _compare([-300, 2000], [1, -2], [0.5, 1], _values, _dtype, wrong={hint.clipped: _is_small})
    check.smallest(
        _compare_first_derivative, [check.draws(2, -1.5, 1.5), [0.0, check.draw(-1.5, -0.2)]], _dtype
    )
check.smallest(_compare_two_uses, check.draws(2, -1.5, 1.5))
check.smallest(_check_with_gradcheck, check.draws(3, -0.9, 0.9))
check.smallest(_check_with_gradcheck, [check.draws(2, 0.2, 0.9), check.draws(2, -0.9, -0.2)])
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 9.6 · `loss_after`

●●●●○ · ★★★★☆ · 10 min · {{points}} (value 1, gradient 2)

Return the loss after `steps` steps of gradient descent, with a graph that leads through all of them.

- `x` is a tracked leaf of any shape with at least one element. `f(x)` has shape `()` and depends on `x`. `lr` is a tracked leaf too, of shape `()`, or of the shape of `x`: then each element has a learning rate of its own. A rate may be negative.
- Start at `x`. Each step goes from a point $p$ to $p - \text{lr} \cdot \nabla f(p)$. Return $f$ at the last point, of shape `()`, even if $f$ was lower at an earlier one. `steps` is an `int`; with 0 steps that is $f(x)$.
- The result has a graph: its gradients with respect to `lr`, `x` and every tracked parameter that `f` uses are exact, with **every path through every step**. They may be computed after your function has returned.
- The values of `x` and `lr` and every `.grad` stay as they were.

With it, learning a learning rate is the training loop of lesson 3: `loss_after(f, x, lr, 5).backward()`, a step for `lr`, and empty buffers.

<details><summary>Hint 1: the idea</summary>

Write the loop first, as you would to train. Then ask, as section 7 does, which tensors in it depend on `lr` or on `x`, and whether autograd knows that. What was right in `newton_step` and is wrong here?

</details>

<details><summary>Hint 2: check it by hand</summary>

For `f = lambda t: t**2 / 2`, `x = 1`, `lr = 0.5` and 2 steps section 7 has the slope with respect to `lr`: $-0.25$, not $-0.375$. With respect to `x` it is $(1 - \text{lr})^4 x = 0.0625$. A point in the middle is not a leaf, but `torch.autograd.grad` differentiates
with respect to any tensor in the graph: with `q = 2 * x`, `torch.autograd.grad(q**2, q)` gives `2 * q`.

</details>
"""

# %% [markdown] lang="ko" en="31b35012"
r"""
## 과제 9.6 · `loss_after`

{{marks}}분 · {{points}} (value 1, gradient 2)

경사 하강법으로 `steps` 스텝을 간 뒤의 loss를 돌려주세요. 돌려준 loss의 그래프는 모든 스텝을 거쳐야 합니다.

- `x`는 추적되는 leaf입니다. shape에는 제한이 없고 원소는 하나 이상입니다. `f(x)`는 shape가 `()`이고 `x`에 의존합니다. `lr`도 추적되는 leaf이고 shape는 `()`이거나 `x`와 같습니다. `lr`의 shape가 `x`와 같으면 원소마다 학습률이 따로 있습니다. 학습률은 음수일 수도 있습니다.
- `x`에서 출발해 스텝마다 지금 있는 점 $p$에서 $p - \text{lr} \cdot \nabla f(p)$로 갑니다. 마지막 점에서의 $f$를 돌려주세요. 앞에서 더 낮았더라도 그렇습니다. shape는 `()`입니다. `steps`는 `int`이고, 0이면 결과는 $f(x)$입니다.
- 결과는 그래프에 연결되어 있습니다. `lr`과 `x`, 그리고 `f`가 쓰는 추적되는 파라미터에 대한 gradient는 **모든 스텝의 모든 경로**를 포함해 정확해야 합니다. 이 gradient는 여러분의 함수가 끝난 뒤에 구할 수도 있습니다.
- `x`와 `lr`의 값, 모든 `.grad`를 그대로 두세요.

이 함수가 있으면 수업 03의 학습 반복문과 똑같은 방법으로 학습률을 학습시킬 수 있습니다. `loss_after(f, x, lr, 5).backward()`를 호출하고, `lr`을 한 번 업데이트하고, 버퍼를 비우면 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

먼저 보통의 학습처럼 반복문을 쓰세요. 그런 다음 7절에서처럼, 그 안의 어떤 텐서가 `lr`이나 `x`에 의존하는지, 그리고 autograd가 그것을 아는지 따져 보세요. `newton_step`에서는 맞았지만 여기서는 틀린 것은 무엇인가요?

</details>

<details><summary>힌트 2: 손으로 확인하기</summary>

`f = lambda t: t**2 / 2`, `x = 1`, `lr = 0.5`이고 2스텝이면 `lr`에 대한 기울기는 7절에서 본 대로 $-0.375$가 아니라 $-0.25$입니다. `x`에 대한 기울기는 $(1 - \text{lr})^4 x = 0.0625$입니다. 중간의 점은 leaf가 아니지만 `torch.autograd.grad`는 그래프에 있는 어떤 텐서로도
미분합니다. `q = 2 * x`이면 `torch.autograd.grad(q**2, q)`는 `2 * q`입니다.

</details>
"""


# %% answer="loss_after"
def loss_after(f, x, lr, steps):
    """Return the value of f after `steps` steps of gradient descent from x, with a graph through all steps.

    f: a function from a tensor to one of shape (); x, lr: tracked leaves; steps: an int, 0 or more.
    """
    ### BEGIN SOLUTION
    for _ in range(steps):
        (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
        x = x - lr * slope
    return f(x)
    ### END SOLUTION


# %% test="loss_after" points=3
from secant import PartialCredit, ask, check, hints, leaf, tensor

hint = hints("loss_after")
_credit = PartialCredit(value=1, gradient=2)


@_credit.each
def _compare(f, x, lr, steps, want, grads, dtype, grad=None, layout="", mistakes=lambda: _wrong):
    tol = dict.fromkeys(("rtol", "atol"), 1e-8 if dtype == "float64" else 2e-3)
    inputs = {"x": leaf(x, dtype, grad, layout=layout), "lr": leaf(lr, dtype, grad), "steps": steps}
    loss = ask("loss = loss_after(f, x, lr, steps)", f=f"lambda t: {f}", w=leaf(3, dtype), **inputs)
    loss.returns(tensor(want, dtype), mistakes=lambda: mistakes()[0], nearly=hint.nearly, **tol)
    if _credit.now == "value":
        return loss.changes_nothing().keeps_buffers()
    loss.changes_nothing().keeps_buffers().is_tracked()
    code = "torch.autograd.grad(loss, (lr, x, w), retain_graph=True, materialize_grads=True)"
    parts = loss.then(code, errors={"second time": hint.used}).parts("lr", "x", "w", hint=hint.path)
    for n, (got, slope) in enumerate(zip(parts, grads, strict=True), 1):
        got.returns(tensor(slope, dtype), mistakes=lambda n=n: mistakes()[n], hint=hint.path, **tol)
    return loss


_values = {hint.start_value: 10.0, hint.count: (2.5, 0.15625), hint.once: 0.0, hint.sign: 50.625}
_rates = {hint.constant: -7.5, hint.last: -2.5, hint.rate: 0.0}  # x becomes (1 - lr)^k x
_wrong = _values, _rates, {hint.constant: [1, -0.5], hint.start: 0.0}, {}
_compare("(t**2).sum() / 2", [4, -2], 0.5, 2, 0.625, (-5, [0.25, -0.125], 0), "float64", 9.0)
_values = {hint.start_value: 51.0, hint.sign: 21.75, hint.mean: (19.921875, 3.75, 48.75)}
_wrong = _values, {hint.rate: 0}, {hint.constant: [-3, 42], hint.start: 0}, {hint.constant: 49.25}
_grads = [18, -1008], [1.5, 73.5], 92.75  # the step leads to [-0.5, 7], with gradient [-3, 42]
_compare("w * (t**2).sum()", [1, 4], [0.25, -0.125], 1, 147.75, _grads, "float32")
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
from functools import partial

import torch

from secant import formula

_TOLERANCE = {"float64": {"rtol": 1e-8, "atol": 1e-8}, "float32": {"rtol": 2e-3, "atol": 2e-3}}
_FORMS = {
    "(t**4).sum()/4 + (t * t.flip(-1)).sum()": (3,),
    "torch.exp(t.sum(0)/4).sum() + torch.sin(w*t).sum()": (2, 3),
    "t.sum()**3 / (1 + (t**2).sum())": (2, 2, 2),
    "torch.log(torch.cosh(w*t))": (),
    "(w*t).sum() + t.reshape(-1)[0]": (2, 2),
    "3*t.sum() + 1": (4,),
    "(t.reshape(-1)[:1]**2).sum() - w*t.sum()": (5,),
}


def _descend(f, x, lr, steps, kind=""):
    """Return the loss after gradient descent, and its gradients with respect to lr, x and w.

    kind: the mistake to make; empty for no mistake.
    """
    x, lr, w = (tensor(number).requires_grad_() for number in (x, lr, 3.0))
    function, place = formula(f, w=w), x
    for _ in range(steps):
        place = place.detach() if kind == "last" else place
        slope = torch.func.grad(function)(x if kind == "once" else place)
        slope = slope.detach() if kind in ("constant", "last") else slope
        place = place + lr * slope if kind == "sign" else place - lr * slope
    loss = function(place)
    return loss, torch.autograd.grad(loss, (lr, x, w), allow_unused=True, materialize_grads=True)


def _mistakes(f, x, lr, steps):
    counts = _descend(f, x, lr, max(steps - 1, 0))[0], _descend(f, x, lr, steps + 1)[0]
    constant, last = (_descend(f, x, lr, steps, kind)[1] for kind in ("constant", "last"))
    values = {hint.start_value: _descend(f, x, lr, 0)[0], hint.count: counts}
    values |= {
        cause: _descend(f, x, lr, steps, kind)[0]
        for cause, kind in ((hint.once, "once"), (hint.sign, "sign"))
    }
    rates = {hint.constant: constant[0], hint.last: last[0], hint.rate: 0.0}
    starts = {hint.constant: constant[1], hint.start: 0.0}
    return values, rates, starts, {hint.constant: constant[2]}


@_credit.each
def _compare_with_descent(f, x, lr, steps, dtype, grad=None, layout=""):
    want, grads = _descend(f, x, lr, steps)
    mistakes = partial(_mistakes, f, x, lr, steps)
    answer = _compare(f, x, lr, steps, want, grads, dtype, grad, layout, mistakes)
    answer.again().returns(tensor(want, dtype), **_TOLERANCE[dtype])
    slower = tensor(lr) / 2
    slower_want = tensor(_descend(f, x, slower, steps)[0], dtype)
    answer.after("lr.data /= 2").returns(slower_want, **_TOLERANCE[dtype])
    other_want = tensor(_descend(f"-({f})", x, slower, steps)[0], dtype)
    other_answer = answer.then("loss_after(lambda t: -f(t), x, lr, steps)", hint.other_function)
    other_answer.returns(other_want, **_TOLERANCE[dtype])
    answer.still_returns(tensor(want, dtype))


_smallest = _credit.each(check.smallest)
for _dtype in ("float64", "float32"):
    for _turn, (_f, _shape) in enumerate(_FORMS.items(), _dtype == "float32"):
        _steps_and_layouts = ((0, ""), (4, "transposed")), ((1, "slice"), (2, ""))
        for _steps, _layout in _steps_and_layouts[_turn % 2]:
            _x = check.draw_tensor(*_shape, low=-1.2, high=1.2).tolist()
            _smallest(_compare_with_descent, _f, _x, check.draw(0.02, 0.1), _steps, _dtype, None, _layout)
        _rates = check.draw_tensor(*_shape, low=0.02, high=0.1).tolist()
        _smallest(_compare_with_descent, _f, _x, _rates, 3, _dtype, check.draw(-9, -1), "slice")
    _compare_with_descent("(t**2).sum()", [1.0, -2.0], -0.3, 3, _dtype)


@_credit.each
def _compare_large_step(f, x, lr, want, r, other_want):
    leaves = {"x": leaf(x), "lr": leaf(lr), "y": leaf([1, 0]), "r": leaf(r)}
    answer = ask("loss_after(f, x, lr, 1)", f=f, **leaves)
    answer.returns(tensor(want), hint=hint.whole, **_TOLERANCE["float64"])
    answer.then("loss_after(f, y, r, 1)", hint.stale).returns(tensor(other_want), **_TOLERANCE["float64"])


_compare_large_step("lambda t: 1e4 * (t**2).sum()", [1, -2], 4e-5, 2000, 1e-5, 6400)
_compare_large_step("lambda t: (t**4).sum()", [0.001, 0], 1e12, 3999.999**4, 0.5, 1)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **9.1** Powers, sines and exponentials at positive and negative `x` and at 0; straight lines, with and without tracked parameters, and an almost straight one; a kink nearby; a `.grad` that already holds something; the warning of section 2; two calls, then `x` moved, then another `f` or `x`.
- **9.2** Other $v$ than ones, some or all of it zeros, or tiny; shapes `()` to three dimensions; slices and transposed tensors; functions that mix all inputs or use one input only, and linear ones of every shape; a point where the gradient is 0; a kink nearby; $n = 1000$, with operations and the largest tensor counted; two calls, then other arguments.
- **9.3** Several functions, with tracked parameters too; negative $f''$; a tiny $f''$ and a very long step; a start at the minimum and close to it; up to five steps, each from the result of the one before; each result a fresh leaf; a `.grad` that already holds something.
- **9.4** One sample and several; samples of one to three dimensions; slices and transposed tensors; both shapes of the output; a large and a small norm; the value, and the gradient of every parameter after `backward()`; a model that is a straight line, or a convolution; parameters that are not tracked; `.grad` that already hold something; the model's mode.
- **9.5** Negative elements, large ones and 0; several shapes, empty too; slices and transposed tensors; incoming gradients other than 1; both second derivatives; `gradcheck` and `gradgradcheck`; `Cube` between other operations; several applications before the backward pass, also one inside the other; `apply` is inherited.
- **9.6** 0 to 4 steps; one rate for all elements and a rate for each; rates so large that the loss rises; negative rates; very large and very small gradients; shapes `()` to three dimensions; slices and transposed tensors; linear functions and functions that mix all inputs, with tracked parameters too; the value, and the gradients with respect to `lr`, `x` and the parameter; a `.grad` that already holds something; two calls, then `lr` moved, then another `f`, or another `x` and `lr`.

</details>

Everywhere: both dtypes, and the rules of every task.

## What you have built

In lesson 10 your own engine keeps a gradient as a plain Python number, so, as in section 1, it cannot be differentiated again. You now know what that would take: the local slopes would have to be the engine's own recorded values, so that the backward pass
records a graph. That is all that `create_graph=True` does. You also know when to cut a loop: `newton_step` lets no step depend on the graphs of earlier ones, while `loss_after` needs them all. (A training loop moves its parameters in place, lesson 6, which keeps no graph either.)

## Checklist

You can now answer these without looking back:

- Why can `x.grad` not be differentiated after a plain `backward()`?
- What does `create_graph=True` record, and why is $-0.12$ a sum of two paths?
- Why is the best $h$ of a second difference so much larger than that of a quotient of the gradient?
- How many backward passes does $Hv$ take, and how large is the largest tensor? What does forward over reverse save?
- What happens to a gradient penalty without `create_graph=True`, and why does no error say so?
- Why does the slope with respect to a learning rate need the record from the second step on?
- What may a `Function` save if it is to be differentiated twice?

## Links

- [PyTorch: Double backward with custom functions](https://docs.pytorch.org/tutorials/intermediate/custom_function_double_backward_tutorial.html)
- [PyTorch: torch.autograd.grad](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html)
- [PyTorch: gradgradcheck](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html)
- [PyTorch: Jacobians, Hessians, hvp, vhp, and more](https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html)
- [Gulrajani et al.: Improved training of Wasserstein GANs (the gradient penalty)](https://arxiv.org/abs/1704.00028)
- [PyTorch issue 106789: Fix prod double backward when there are 2+ zeros](https://github.com/pytorch/pytorch/issues/106789)

Next: [Lesson 10](../10_build_your_own_autograd/10_build_your_own_autograd.ipynb), build your own autograd.
"""

# %% [markdown] lang="ko" en="6e9a9f34"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **9.1** 양수와 음수, 0인 `x`에서 거듭제곱, 사인, 지수함수. 추적되는 파라미터가 있거나 없는 직선과, 거의 직선인 함수. `x` 가까이에 꺾인 점이 있는 함수. 이미 값이 든 `.grad`. 2절의 경고. 두 번 호출하고, `x`를 옮기고, `f`나 `x`를 바꾸었을 때.
- **9.2** 성분이 전부 1은 아닌 $v$, 일부나 전부가 0이거나 아주 작은 $v$. `()`부터 3차원까지의 shape. 잘라 내거나 전치한 텐서. 모든 입력을 섞는 함수, 입력 하나만 쓰는 함수, 여러 shape의 일차 함수. gradient가 0인 점. `x` 가까이에 꺾인 점이 있는 함수. $n = 1000$에서 연산의 수와 가장 큰 텐서. 두 번 호출하고, 인자를 바꾸었을 때.
- **9.3** 여러 함수와 추적되는 파라미터. 음수인 $f''$. 아주 작은 $f''$과 아주 긴 스텝. 최소점과 그 가까이에서 출발할 때. 앞의 결과에서 이어 가는 다섯 스텝까지. 그때마다 새 leaf인지. 이미 값이 든 `.grad`.
- **9.4** 샘플이 하나일 때와 여러 개일 때. 1차원에서 3차원까지의 샘플. 잘라 내거나 전치한 텐서. 출력의 두 가지 shape. 큰 노름과 작은 노름. 값과, `backward()` 뒤 모든 파라미터의 gradient. 일차 함수인 모델과 합성곱 모델. 추적되지 않는 파라미터. 이미 값이 든 `.grad`. 모델의 모드.
- **9.5** 음수, 큰 수, 0. 여러 shape와 빈 텐서. 잘라 내거나 전치한 텐서. 도착한 gradient가 1이 아닌 경우. 두 가지 이계 미분. `gradcheck`와 `gradgradcheck`. 다른 연산 사이에 놓인 `Cube`. 역방향 계산 전에 여러 번, 또는 겹쳐서 적용한 `Cube`. 물려받은 `apply`.
- **9.6** 0부터 4까지의 스텝 수. 모든 원소에 하나인 학습률과 원소마다 다른 학습률. 너무 커서 loss가 올라가는 학습률. 음수인 학습률. 아주 크거나 아주 작은 gradient. `()`부터 3차원까지의 shape. 잘라 내거나 전치한 텐서. 일차 함수, 모든 입력을 섞는 함수, 추적되는 파라미터. 값, 그리고 `lr`과 `x`와 파라미터에 대한 gradient. 이미 값이 든 `.grad`. 두 번 호출하고, `lr`을 옮기고, `f`를 바꾸거나 `x`와 `lr`을 바꾸었을 때.

</details>

두 가지 dtype에서 맞는지와 공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서 만들 엔진은 gradient를 그냥 파이썬 수로 둡니다. 그래서 1절처럼 다시 미분할 수 없습니다. 무엇이 더 있어야 하는지는 이제 알고 있습니다. 각 연산의 기울기도 엔진이 기록하는 값으로 계산하면 역방향 계산이 그래프를 남깁니다.
`create_graph=True`가 하는 일이 바로 그것입니다. 반복문에서 그래프를 언제 끊어야 하는지도 알게 되었습니다. `newton_step`에서는 스텝이 앞 스텝의 그래프에 매달려 있으면 안 되고, `loss_after`에서는 모든 스텝의 그래프가 있어야 합니다. (학습할 때 파라미터를 제자리에서 옮기는 것도 그래프를 남기지 않기 위해서입니다. 수업 06)

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 보통의 `backward()` 뒤에 `x.grad`는 왜 미분할 수 없나요?
- `create_graph=True`는 무엇을 기록하나요? $-0.12$는 왜 두 경로의 합인가요?
- 이계 차분에 가장 좋은 $h$는 왜 gradient의 차분몫보다 훨씬 큰가요?
- $Hv$를 구하려면 역방향 계산을 몇 번 하고, 가장 큰 텐서의 크기는 얼마인가요? forward over reverse는 무엇을 아끼나요?
- `create_graph=True`가 없으면 gradient penalty는 어떻게 되나요? 왜 오류가 나지 않나요?
- 학습률에 대한 기울기를 구할 때 왜 두 번째 스텝부터는 기록이 필요한가요?
- 두 번 미분할 `Function`은 무엇을 저장해도 되나요?

## 더 읽을거리

- [PyTorch: Double backward with custom functions (영어)](https://docs.pytorch.org/tutorials/intermediate/custom_function_double_backward_tutorial.html)
- [PyTorch: torch.autograd.grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html)
- [PyTorch: gradgradcheck (영어)](https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html)
- [PyTorch: Jacobians, Hessians, hvp, vhp, and more (영어)](https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html)
- [Gulrajani 외: Improved training of Wasserstein GANs (gradient penalty, 영어 논문)](https://arxiv.org/abs/1704.00028)
- [PyTorch 이슈 106789: Fix prod double backward when there are 2+ zeros (영어)](https://github.com/pytorch/pytorch/issues/106789)

다음은 [수업 10](../10_build_your_own_autograd/10_build_your_own_autograd.ipynb), 나만의 autograd 만들기입니다.
"""
