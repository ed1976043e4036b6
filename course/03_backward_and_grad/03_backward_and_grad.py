# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# .backward() and the .grad buffer

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · backward, grad, accumulation

**After this lesson you can**

- say what `.grad` holds after any sequence of `backward()` calls;
- empty `.grad` in two ways, and tell when the difference matters;
- read the gradient of an intermediate tensor without a warning;
- split a batch (the samples of one training step) that does not fit into memory into small pieces, and still get its gradient.

You need lesson 2: leaf, intermediate tensor, `grad_fn`, `retain_graph`.
"""

# %% [markdown] lang="ko" en="dbe642d4"
r"""
# .backward()와 .grad 버퍼

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · backward, grad, 누적

**이 수업을 마치면**

- `backward()`를 어떤 순서로 몇 번 호출하든 그 뒤 `.grad`에 무엇이 들어 있는지 말할 수 있습니다.
- `.grad`를 두 가지 방법으로 비우고, 그 차이가 언제 중요한지 설명할 수 있습니다.
- 중간 텐서의 gradient를 경고 없이 읽을 수 있습니다.
- 메모리에 다 들어가지 않는 배치(batch, 학습 한 스텝에 쓰는 샘플 묶음)를 작은 조각으로 나누고도 전체 배치의 gradient를 얻을 수 있습니다.

수업 02의 내용(leaf, 중간 텐서, `grad_fn`, `retain_graph`)이 필요합니다.
"""

# %%
import warnings

import torch

from secant import explore_buffer, language, predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

This is $f(x) = x^2$. The *secant* joins two points of the curve that are $h$ apart; its slope is the difference quotient. The other line has the
slope that autograd stored in `x.grad`. The second and the third row below the picture are the two numbers.
(Ignore the right plot, its part of the legend and the buttons that call `backward()` for now: they come in section 3.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="a4c09351"
r"""
## 먼저 보기

$f(x) = x^2$입니다. *할선*(secant)은 곡선 위에서 $h$만큼 떨어진 두 점을 지나는 직선이고, 그 기울기가 차분몫(difference quotient)입니다. 다른 직선의 기울기는
autograd가 `x.grad`에 저장한 값입니다. 두 값은 그림 아래 둘째 줄과 셋째 줄에 나옵니다.
(오른쪽 그림과 그 범례, `backward()`를 호출하는 버튼은 3절에서 다루니 지금은 그대로 두세요.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_buffer(calls=["x²"]).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient of $x^2$ goes to `x.grad`, which is $2x$, as $h$ gets small: the two differ by $h$, whatever $x$ is. This lesson is about what `x.grad` holds after one call of
`backward()`, and after several.

</details>

## Predict first

At $x = 2$ the slope of $x^2$ is $4$ and the slope of $x^3$ is $12$. Read this code, but do not run it yet:

```
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
(x**3).backward()
print(first, x.grad)
```

**Which two numbers does it print?**
"""

# %% [markdown] lang="ko" en="21e23ee7"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 $x^2$의 차분몫이 `x.grad`, 곧 $2x$에 다가갑니다. 둘의 차이는 $x$가 얼마든 $h$입니다. 이 수업에서는 `backward()`를 한 번 호출한 뒤에, 또 여러 번 호출한 뒤에
`x.grad`에 무엇이 들어 있는지 살펴봅니다.

</details>

## 먼저 예상하기

$x = 2$에서 $x^2$의 기울기는 $4$, $x^3$의 기울기는 $12$입니다. 다음 코드를 읽어 보세요. 아직 실행하지는 마세요.

```
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
(x**3).backward()
print(first, x.grad)
```

**어떤 두 수가 출력될까요?**
"""

# %%
predict(
    "3 two calls",
    A=say(en="4 and 12", ko="4와 12"),
    B=say(en="4 and 16", ko="4와 16"),
    C=say(en="16 and 16", ko="16과 16"),
)

# %% [markdown] lang="en"
r"""
## 1. Where a gradient lands

Start with a single call. Three elements go in, and one number comes out: the sum of their squares.
"""

# %% [markdown] lang="ko" en="ee723ff2"
r"""
## 1. gradient가 놓이는 곳

먼저 한 번만 호출해 봅시다. 원소 세 개가 들어가고 수 하나가 나옵니다. 제곱의 합입니다.
"""

# %%
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print("x.grad:", x.grad)

loss = (x**2).sum()
loss.backward()
print("x.grad:", x.grad)

# %% [markdown] lang="en"
r"""
The partial derivative of $x_1^2 + x_2^2 + x_3^2$ with respect to $x_i$ is $2x_i$, hence `[2, 4, 6]`.

`backward()` runs the backward pass of lesson 1, from the result to the leaves. It returns nothing. It leaves its
result in an attribute of the leaf: `x.grad`, a tensor with the dtype and shape of `x`. Before the first call there is no such
tensor, and `.grad` is `None`. Think of `.grad` as a **buffer**: it belongs to `x` and outlives the call.

Without an argument `backward()` starts from a single number, which is why the code takes the sum. A loss is always a single number, so in
training you rarely need the argument. Lesson 5 covers results with several elements.
"""

# %% [markdown] lang="ko" en="0f3fcd6e"
r"""
$x_1^2 + x_2^2 + x_3^2$을 $x_i$로 편미분하면 $2x_i$입니다. 그래서 `[2, 4, 6]`이 나왔습니다.

`backward()`는 결과에서 leaf까지 역방향 계산(backward pass, 수업 01)을 합니다. 돌려주는 값은 없습니다. 결과는 leaf의
속성인 `x.grad`에 남깁니다. dtype과 shape가 `x`와 같은 텐서입니다. 처음 호출하기 전에는 이 텐서가 아예 없고 `.grad`는 `None`입니다.
`.grad`를 **버퍼**(buffer)라고 생각하세요. `x`에 딸려 있고, 호출이 끝난 뒤에도 남는 자리입니다.

`backward()`를 인자 없이 호출하면 수 하나에서 출발합니다. 그래서 위 코드에서 합을 구했습니다. loss는 언제나 수 하나이므로 학습할 때는 인자를 쓸 일이
거의 없습니다. 결과의 원소가 여러 개일 때는 수업 05에서 다룹니다.
"""

# %% [markdown] lang="en"
r"""
## 2. backward() adds

Here is the code of the prediction, with one more `print` in between:
"""

# %% [markdown] lang="ko" en="88e46874"
r"""
## 2. backward()는 더한다

앞에서 예상한 코드입니다. 중간에 출력을 한 줄 넣었습니다.
"""

# %%
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
print("x^2  :", x.grad)

(x**3).backward()
print("x^3  :", x.grad)
print("first:", first)

# %%
predicted(
    "3 two calls",
    right="C",
    A=say(
        en="12 is the slope of the last call alone. But `backward()` does not overwrite the buffer, it adds "
        "to it.",
        ko="12는 마지막 호출만의 기울기입니다. 그러나 `backward()`는 버퍼를 덮어쓰지 않고 버퍼에 더합니다.",
    ),
    B=say(
        en="16 is right. But `first` is not a copy: it is another name for the tensor that the second call "
        "changed.",
        ko="16은 맞습니다. 그러나 `first`는 복사본이 아닙니다. 두 번째 호출이 바꾼 바로 그 텐서의 다른 이름입니다.",
    ),
    C=say(
        en="The second call added 12 to the 4, and `first` is another name for the same tensor.",
        ko="두 번째 호출이 4에 12를 더했고, `first`는 같은 텐서의 다른 이름입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
**The second call did not overwrite the 4; it added 12 to it.** Is that a flaw in PyTorch's design? The derivative of a sum is the
sum of the derivatives, so $4 + 12$ is the slope of $x^2 + x^3$ at $x = 2$. Since `backward()` always adds, `.grad` holds the slope of a sum.
The sum is that of all results on which you have called `backward()` since the buffer was empty. (This holds as long as `x` keeps its value. In training `x` moves
between the calls, and without a reset the buffer mixes gradients taken at different points. Task 3.3 shows the effect.)

**`first` is 16 too.** `first = x.grad` copied nothing. It gave the tensor in the buffer a second name, an **alias**, and the
second call changed that tensor **in place**: it wrote new values into the same memory. To keep a value, copy it with `x.grad.clone()`.

To start again, empty the buffer:
"""

# %% [markdown] lang="ko" en="ab61baa2"
r"""
**두 번째 호출은 4를 덮어쓰지 않고 12를 더했습니다.** PyTorch가 잘못 설계된 것일까요? 합의 도함수는 도함수의 합이므로 $4 + 12$는
$x = 2$에서 $x^2 + x^3$의 기울기입니다. `backward()`는 늘 더합니다. 버퍼를 비운 뒤 `backward()`를 호출한 함수들을 모두 더해 봅시다. `.grad`에는 그
합의 기울기가 들어 있습니다. (`x`의 값이 그대로인 동안만 그렇습니다. 학습할 때는 호출과 호출 사이에 `x`의 값이 바뀌므로, 버퍼를 비우지 않으면
서로 다른 점에서 구한 gradient가 섞입니다. 그러면 어떻게 되는지는 과제 3.3에서 봅니다.)

**`first`도 16입니다.** `first = x.grad`는 아무것도 복사하지 않습니다. 버퍼에 있는 텐서에 이름을 하나 더 붙였을 뿐입니다. 이렇게 같은
텐서를 가리키는 또 다른 이름을 **별칭**(alias)이라고 합니다. 두 번째 호출은 바로 그 텐서를 **제자리에서**(in-place) 바꾸었습니다. 같은 메모리에 새 값을 쓴 것입니다.
값을 남겨 두려면 `x.grad.clone()`으로 복사하세요.

처음부터 다시 하려면 버퍼를 비웁니다.
"""

# %%
x.grad = None
(x**3).backward()
print("x^3      :", x.grad)

x.grad = None
(x**2 + x**3).backward()
print("x^2 + x^3:", x.grad)

# %% [markdown] lang="en"
r"""
## 3. Which function is `x.grad` the slope of?

Here is the explorer of the first look again. Each button really calls `backward()`; the last one empties the buffer. It starts after a single call,
`(x**2).backward()`, at $x = 2$. Left: the **sum** $S$ of all functions called since the last reset, its secant, and a line of slope `x.grad`. Right: `x.grad`
after each call, next to the difference quotient of the sum up to that call.

1. At $x = 2$ and $h = 1$, press *(x³).backward()*. Then move $h$ to the left. Does the quotient go to 12, the slope of the last call, or to 16?
2. Empty the buffer and call $x^3$ before $x^2$. Does the order matter?
3. Empty it again and call $x^2$ four times. Which function is `x.grad` the slope of?
4. Empty it once more, call $x^2$ and $x^3$, and move $x$: the explorer repeats your calls on a fresh leaf there. Where is `x.grad` zero?
"""

# %% [markdown] lang="ko" en="de951fb8"
r"""
## 3. `x.grad`는 어떤 함수의 기울기인가

맨 앞에서 본 탐색기입니다. 버튼을 누를 때마다 실제로 `backward()`를 호출하고, 마지막 버튼은 버퍼를 비웁니다. 처음에는 $x = 2$에서
`(x**2).backward()`를 한 번만 호출한 상태입니다. 왼쪽 그림에는 세 가지가 있습니다. 버퍼를 비운 뒤 `backward()`를 호출한 함수를 모두 더한 **합** $S$의 그래프, 그 할선(secant), 그리고 기울기가 `x.grad`인
직선입니다. 오른쪽 그림에는 한 번 호출할 때마다 읽은 `x.grad`와, 그때까지의 합의 차분몫(difference quotient)이 있습니다.

1. $x = 2$, $h = 1$에서 *(x³).backward()*를 누르세요. 그런 다음 $h$를 왼쪽으로 옮기세요. 차분몫은 마지막 호출의 기울기인 12로 다가가나요, 16으로 다가가나요?
2. 버퍼를 비우고 $x^3$을 $x^2$보다 먼저 호출하세요. 순서가 중요한가요?
3. 다시 비우고 $x^2$을 네 번 호출하세요. `x.grad`는 어떤 함수의 기울기인가요?
4. 한 번 더 비우고 $x^2$과 $x^3$을 호출한 다음 $x$를 옮기세요. 탐색기는 그 점의 새 leaf에서 같은 호출을 되풀이합니다. `x.grad`가 0인 곳은 어디인가요?
"""

# %%
explore_buffer(calls=["x²"])

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. To 16. For every list of calls, the quotient of the *sum* goes to `x.grad`. So 16 is not a wrong 12: it is the exact slope of $x^2 + x^3$.
2. No: both orders end at 16.
3. It grows by 4 with each call, to 16: the slope of $4x^2$ at 2.
4. Where $2x + 3x^2 = 0$: at $x = 0$ and $x = -\frac{2}{3}$. (The slider stops at $-0.67$, where `x.grad` is about 0.007.)

</details>

Now try functions of your own:
"""

# %% [markdown] lang="ko" en="e8a96ba2"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 16입니다. 무엇을 어떤 순서로 호출하든 *합*의 차분몫이 `x.grad`에 다가갑니다. 그러니 16은 12가 잘못 나온 것이 아니라 $x^2 + x^3$의 정확한 기울기입니다.
2. 아닙니다. 어느 순서로 호출해도 16입니다.
3. 호출할 때마다 4씩 늘어 16이 됩니다. 2에서 $4x^2$의 기울기입니다.
4. $2x + 3x^2 = 0$인 곳, 곧 $x = 0$과 $x = -\frac{2}{3}$입니다. (슬라이더가 멈추는 $-0.67$에서 `x.grad`는 약 0.007입니다.)

</details>

여러분의 함수도 넣어 보세요.
"""


# %%
def wave(x):
    return 3 * torch.sin(2 * x)


def hinge(x):
    return torch.relu(x)


explore_buffer([wave, hinge], x_range=(-4, 4), x=1.0, h=0.5)

# %% [markdown] lang="en"
r"""
## 4. Two ways to empty the buffer

`x.grad.zero_()` writes zeros into the existing tensor. `x.grad = None` drops that tensor.

Suppose that the buffer holds 0.6 and that you wrote `kept = x.grad`. **What does `kept` hold after each of the two?**
Choose an answer; the code cell after it shows what happens.
"""

# %% [markdown] lang="ko" en="0fc0992a"
r"""
## 4. 버퍼를 비우는 두 가지 방법

`x.grad.zero_()`는 지금 있는 텐서에 0을 써넣습니다. `x.grad = None`을 하면 `x.grad`는 더는 그 텐서를 가리키지 않습니다.

버퍼에 0.6이 들어 있고 `kept = x.grad`라고 썼다고 합시다. **두 방법으로 비운 뒤 `kept`에는 각각 무엇이 들어 있을까요?**
답을 고른 다음 아래 코드 셀에서 확인합니다.
"""

# %%
predict(
    "3 emptied",
    A=say(en="0.6 both times", ko="두 번 다 0.6"),
    B=say(en="0 after `zero_()`, 0.6 after `None`", ko="`zero_()` 뒤에는 0, `None` 뒤에는 0.6"),
    C=say(en="0 after `zero_()`, None after `None`", ko="`zero_()` 뒤에는 0, `None` 뒤에는 None"),
)

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

z.backward(retain_graph=True)
kept = x.grad
print("z.backward()  :", x.grad)

x.grad.zero_()
print("x.grad.zero_():", x.grad, " kept:", kept)

z.backward()
print("z.backward()  :", x.grad, " kept:", kept)

x.grad = None
print("x.grad = None :", x.grad, " kept:", kept)

# %%
predicted(
    "3 emptied",
    right="B",
    A=say(
        en="`kept` is not a copy, so `zero_()` changes it too.",
        ko="`kept`는 복사본이 아니어서 `zero_()`를 호출하면 함께 0이 됩니다.",
    ),
    B=say(
        en="`zero_()` changes the tensor, and `kept` is that tensor. `x.grad = None` changes only what "
        "`x.grad` refers to.",
        ko="`zero_()`는 텐서를 바꾸고, `kept`가 바로 그 텐서입니다. `x.grad = None`은 `x.grad`가 가리키는 것만 바꿉니다.",
    ),
    C=say(
        en="The first is right. But `x.grad = None` does not change the tensor: `kept` still refers to it.",
        ko="앞의 것은 맞습니다. 그러나 `x.grad = None`은 텐서를 건드리지 않습니다. `kept`는 여전히 그 텐서를 가리킵니다.",
    ),
)

# %% [markdown] lang="en"
r"""
Because the buffer was emptied in between, both passes gave $0.6$. Otherwise the second would have given $1.2$. The second pass also
changed `kept`, which was still the tensor in the buffer.

A training loop must empty the buffers of all its parameters before the first `backward()` of each step. An `nn.Parameter` is a leaf that a model
trains (lesson 2). An **optimizer** updates it: at each `step()`, `SGD` subtracts `lr * w.grad` from `w`. The number `lr` is the **learning rate**. The
optimizer also empties the buffers:
"""

# %% [markdown] lang="ko" en="2b4f49c8"
r"""
중간에 버퍼를 비웠으므로 두 번 다 $0.6$이 나왔습니다. 비우지 않았다면 두 번째에는 $1.2$가 나왔을 것입니다. 두 번째 `backward()`는 `kept`의
값도 바꾸었습니다. 그때까지는 버퍼에 있는 바로 그 텐서였기 때문입니다.

학습하면서 파라미터(parameter)를 한 번 바꾸는 것을 한 스텝이라고 합니다. 스텝마다 첫 `backward()`를 호출하기 전에 모든 파라미터의 버퍼를 비워야
합니다. `nn.Parameter`는 학습으로 바꾸어 갈 leaf이고(수업 02), 그 값을 업데이트하는 객체가 **옵티마이저**(optimizer)입니다. 아래의 `SGD`는 `step()`을
호출할 때마다 `w`에서 `lr * w.grad`를 뺍니다(`lr`은 **학습률**, learning rate). 버퍼를 비우는 `zero_grad()`도 옵티마이저의 메서드입니다.
"""

# %%
w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)

(w**2).backward()
optimizer.zero_grad()
print("zero_grad()                 :", w.grad)

(w**2).backward()
optimizer.zero_grad(set_to_none=False)
print("zero_grad(set_to_none=False):", w.grad)

# %% [markdown] lang="en"
r"""
Despite its name, `zero_grad()` now sets `None`. That saves memory, and the next `backward()` need not add to zeros. In a plain
training loop both have the same effect. They differ

- for any other variable that still refers to the old tensor, as you saw;
- for code that reads `.grad` right after the reset: `None` has no `.norm()` (the **norm** is a tensor's length; for a single number, the absolute value);
- for `optimizer.step()`, which skips a parameter whose `.grad` is `None`. With zeros it may still move the parameter, by momentum (earlier steps
  keep acting) or weight decay (each step pulls every parameter toward 0).
"""

# %% [markdown] lang="ko" en="e6ba8b03"
r"""
`zero_grad()`는 이름과 달리 이제 `None`을 넣습니다. 메모리가 절약되고, 다음 `backward()`가 0에 더할 필요도 없습니다. 보통의 학습
반복문에서는 어느 쪽이든 결과가 같습니다. 차이가 나는 것은 다음 경우입니다.

- 예전 텐서를 가리키는 다른 변수가 남아 있을 때. 위에서 본 대로입니다.
- 비운 직후에 `.grad`를 읽는 코드가 있을 때. 예를 들어 `None`에는 노름을 구하는 `.norm()`이 없습니다. (**노름**(norm)은 텐서를 벡터로 보았을 때의
  길이입니다. 수 하나라면 절댓값입니다.)
- `optimizer.step()`을 호출할 때. `.grad`가 `None`인 파라미터는 건너뜁니다. 0이 들어 있으면 그래도 움직일 수 있습니다. 모멘텀(momentum)은 앞선 스텝의 영향을
  이어 가고, 가중치 감쇠(weight decay)는 스텝마다 모든 파라미터를 0 쪽으로 당기기 때문입니다.
"""

# %% [markdown] lang="en"
r"""
## 5. The gradient of an intermediate tensor

Only leaves keep their gradient. The backward pass from $z$ to $x$ computes the slope with respect to $y$ too, but drops it
as soon as it has been used. `y.retain_grad()` keeps it:
"""

# %% [markdown] lang="ko" en="8406aef8"
r"""
## 5. 중간 텐서의 gradient

gradient를 남기는 것은 leaf뿐입니다. $z$에서 $x$까지의 역방향 계산에서는 $y$에 대한 기울기도 구하지만, 쓰고 나면 바로 버립니다.
`y.retain_grad()`를 호출해 두면 버리지 않고 남깁니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
y.retain_grad()
z.retain_grad()
z.backward()

print("dz/dz:", z.grad)
print("dz/dy:", y.grad)
print("dz/dx:", x.grad)
tensor_info(x=x, y=y, z=z)

# %% [markdown] lang="en"
r"""
Read the three lines from top to bottom: this is the backward pass, one factor of the chain rule after the other. It starts with
$\frac{dz}{dz} = 1$. The logarithm multiplies by $\frac{1}{y} = \frac{1}{125}$, which gives $0.008$. The cube multiplies by $3x^2 = 75$, which gives $0.6$.

You must call `retain_grad()` **before** `backward()`:
"""

# %% [markdown] lang="ko" en="89c30d1f"
r"""
세 값을 위에서 아래로 읽어 보세요. 연쇄 법칙(chain rule)대로 하나씩 곱해 가는 역방향 계산이 보입니다. $\frac{dz}{dz} = 1$에서 출발합니다.
로그를 지나며 $\frac{1}{y} = \frac{1}{125}$이 곱해져 $0.008$이 되고, 세제곱을 지나며 $3x^2 = 75$가 곱해져 $0.6$이 됩니다.

`retain_grad()`는 `backward()`보다 **먼저** 호출해야 합니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("y.grad:", y.grad)
for warning in caught:
    print(f"{warning.category.__name__}: {str(warning.message).partition('. ')[0]}.")

y.retain_grad()
print("y.retain_grad(), y.grad:", y.grad)

# %% [markdown] lang="en"
r"""
`y.grad` is `None`, with the warning of lesson 2. Calling `retain_grad()` afterwards is too
late: the 0.008 is gone. It takes effect from the next `backward()` through `y` (and that buffer accumulates, too). Such a
second call works only if the first one had `retain_graph=True`.

You can also bypass the buffers. `torch.autograd.grad` runs the same backward pass but *returns* the gradients you ask for,
of leaves and of intermediate tensors alike, and writes into no leaf's `.grad`:
"""

# %% [markdown] lang="ko" en="1adec671"
r"""
`y.grad`는 `None`이고, 수업 02에서 본 경고가 나옵니다. `retain_grad()`를 나중에 호출해도 늦습니다. 0.008은 이미 사라졌습니다.
`retain_grad()`를 호출한 다음의 역방향 계산부터 `y`의 gradient가 남습니다(이 버퍼에도 쌓입니다). 다만 같은 그래프에서 `backward()`를
다시 호출하려면 첫 호출에 `retain_graph=True`를 주었어야 합니다.

버퍼를 거치지 않는 방법도 있습니다. `torch.autograd.grad`는 똑같은 역방향 계산을 하지만, 지정한 gradient를 *돌려줍니다*. leaf든 중간 텐서든
됩니다. 그리고 어떤 leaf의 `.grad`에도 쓰지 않습니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

dz_dx, dz_dy = torch.autograd.grad(z, (x, y))
print("dz/dx, dz/dy:", dz_dx, dz_dy)
print("x.grad      :", x.grad)

# %% [markdown] lang="en"
r"""
## 6. A big batch in small pieces

So far accumulation was something to guard against. Here it helps. Suppose that memory holds 16 rows (samples) at a time, but you want to
update with the gradient of 64 rows. Call `backward()` on four **micro-batches** before you step: the buffers add up. This is *gradient accumulation*.

`mse_loss`, the mean squared error, is a *mean*. The mean over 64 rows is the mean of four means, so each loss is divided by 4.
The model, `nn.Linear(10, 2)`, computes `X @ weight.T + bias`; `weight` and `bias` are its parameters.
"""

# %% [markdown] lang="ko" en="52e0a03f"
r"""
## 6. 큰 배치를 나누어 gradient 누적하기

지금까지는 gradient가 쌓이지 않도록 조심했지만, 여기서는 쌓이는 성질을 이용합니다. 메모리에는 한 번에 16행(샘플 16개)만 들어가는데, 64행의 gradient로
한 번 업데이트하고 싶다고 합시다. **마이크로배치**(micro-batch) 네 개에서 `backward()`를 호출한 다음 `step()`을 호출하면 됩니다. 버퍼에 차례로 더해집니다. 이것을 *gradient 누적*(gradient accumulation)이라고 합니다.

`mse_loss`는 오차 제곱의 *평균*입니다. 64행의 평균은 네 평균의 평균이므로 loss를 매번 4로 나눕니다. 모델 `nn.Linear(10, 2)`는
`X @ weight.T + bias`를 계산합니다. 가중치 `weight`와 `bias`가 파라미터입니다.
"""

# %%
torch.manual_seed(0)
X, Y = torch.randn(128, 10), torch.randn(128, 2)
model = torch.nn.Linear(10, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
mse_loss = torch.nn.functional.mse_loss

accumulation_steps = 4
first_row = 0
optimizer.zero_grad()
for i, (inputs, targets) in enumerate(zip(X.split(16), Y.split(16), strict=True), start=1):
    loss = mse_loss(model(inputs), targets) / accumulation_steps
    loss.backward()
    if i % accumulation_steps == 0:
        rows = slice(first_row, 16 * i)
        # For comparison only: real training with micro-batches never runs the model on all rows at once.
        (whole,) = torch.autograd.grad(mse_loss(model(X[rows]), Y[rows]), model.weight)
        same = torch.allclose(model.weight.grad, whole, atol=1e-6)
        n = rows.stop - rows.start
        print(
            say(
                en=f"micro-batch {i}: step on {n} rows, gradient of all at once: {same}",
                ko=f"마이크로배치 {i}: {n}행으로 스텝, 한꺼번에 구한 gradient와 같음: {same}",
            )
        )
        optimizer.step()
        optimizer.zero_grad()
        first_row = rows.stop

# %% [markdown] lang="en"
r"""
There were eight micro-batches, but no step used all $8 \cdot 16 = 128$ rows. The **effective batch size** is `accumulation_steps` times the
micro-batch, $4 \cdot 16 = 64$ rows, and there were two steps. (This requires a model that treats each row by itself. `BatchNorm` in
training mode (lesson 6) lets the rows of one call influence each other, and then the pieces give a different result from the whole.)

Now let the micro-batches differ in size, as they do when the last batch of a data set is smaller: 7 rows and 3 rows, with each loss
divided by 2.
**Is the sum of the two gradients that of all 10 rows?**
"""

# %% [markdown] lang="ko" en="96f4e104"
r"""
마이크로배치는 여덟 개였지만 $8 \cdot 16 = 128$행을 모두 쓴 스텝은 없습니다. **유효 배치 크기**(effective batch size)는 마이크로배치의
`accumulation_steps`배인 $4 \cdot 16 = 64$행이고, 스텝은 두 번이었습니다. (모델이 행을 하나씩 따로 다룰 때의 이야기입니다. 학습
모드(training mode, 수업 06)의 `BatchNorm`에서는 한 번에 들어온 행들이 서로 영향을 주므로, 나누어 넣으면 한꺼번에 넣었을 때와 결과가 달라집니다.)

이번에는 마이크로배치의 크기가 서로 다릅니다. 데이터의 마지막 배치가 더 작을 때 그렇습니다. 7행과 3행이고, loss를 각각 2로 나눕니다.
**두 gradient의 합은 10행 전체의 gradient와 같을까요?**
"""

# %%
predict(
    "3 unequal pieces",
    A=say(en="Yes: the mean of the means is the mean", ko="같다. 평균의 평균은 전체의 평균이다"),
    B=say(
        en="No: each row of the piece of 3 counts too much",
        ko="다르다. 3행짜리 조각의 행이 지나치게 반영된다",
    ),
    C=say(
        en="No: each row of the piece of 7 counts too much",
        ko="다르다. 7행짜리 조각의 행이 지나치게 반영된다",
    ),
)

# %%
pieces = [(X[:7], Y[:7]), (X[7:10], Y[7:10])]

model.zero_grad()
mse_loss(model(X[:10]), Y[:10]).backward()
print(say(en="10 rows at once:", ko="10행을 한꺼번에:"), f"{model.weight.grad[0, 0].item():.4f}")

model.zero_grad()
for inputs, targets in pieces:
    (mse_loss(model(inputs), targets) / len(pieces)).backward()
print(say(en="7 + 3, each / 2:", ko="7 + 3, 각각 / 2:"), f"{model.weight.grad[0, 0].item():.4f}")

# %%
predicted(
    "3 unequal pieces",
    right="B",
    A=say(
        en="That holds only when all pieces have the same size.",
        ko="조각의 크기가 모두 같을 때만 그렇습니다.",
    ),
    B=say(
        en="Each of the 3 rows counts 1/2 · 1/3 = 1/6, and each of the 7 counts 1/2 · 1/7 = 1/14. Every row "
        "should count 1/10.",
        ko="3행에서는 한 행이 1/2 · 1/3 = 1/6만큼, 7행에서는 1/2 · 1/7 = 1/14만큼 반영됩니다. 모두 1/10이어야 합니다.",
    ),
    C=say(
        en="It is the other way round: each piece gets one half, and in the small one fewer rows share it.",
        ko="반대입니다. 두 조각이 절반씩 차지하는데, 작은 조각에서는 더 적은 행이 그 절반을 나누어 가집니다.",
    ),
)

# %% [markdown] lang="en"
r"""
## 7. A real bug

Until October 2024 the `Trainer` of Hugging Face's `transformers`, a widely used library for training language models, divided the loss by the number of
pieces. Each piece held the same number of sentences. But the loss, `cross_entropy`, is a mean over **tokens** (words or parts of words), and sentences differ
in length. Here are two pieces of one sentence each, with 10 tokens and with 100.
`reduction="sum"` takes the sum over the tokens instead of the mean. The difference quotient gives the true value:
"""

# %% [markdown] lang="ko" en="e320c8c3"
r"""
## 7. 실제로 있었던 버그

2024년 10월까지, 언어 모델을 학습시킬 때 널리 쓰는 Hugging Face `transformers`의 `Trainer`는 loss를 조각의 수로 나누었습니다. 조각마다 문장 수는
같았지만, loss인 `cross_entropy`는 **토큰**(token, 단어나 그 일부)에 대한 평균이고 문장은 길이가 서로 다릅니다. 여기 문장이 하나씩 든 조각이 두 개 있습니다. 하나는 10토큰, 하나는 100토큰입니다.
`reduction="sum"`은 토큰에 대한 평균 대신 합을 구합니다. 참값은 차분몫이 알려 줍니다.
"""

# %%
cross_entropy = torch.nn.functional.cross_entropy
torch.manual_seed(0)
pieces = [(torch.randn(n, 3, dtype=torch.float64), torch.randint(5, (n,))) for n in (10, 100)]
inputs, targets = (torch.cat(parts) for parts in zip(*pieces, strict=True))
W = torch.zeros(3, 5, dtype=torch.float64, requires_grad=True)

h = torch.zeros_like(W)
h[1, 1] = 1e-5
quotient = (cross_entropy(inputs @ (W + h), targets) - cross_entropy(inputs @ (W - h), targets)) / 2e-5
print(say(en="quotient, all 110 tokens:", ko="차분몫, 110토큰 전체:"), f"{quotient.item():.4f}")

for inputs, targets in pieces:
    (cross_entropy(inputs @ W, targets) / len(pieces)).backward()
print(say(en="each mean / 2           :", ko="각 평균 / 2          :"), f"{W.grad[1, 1].item():.4f}")

W.grad = None
for inputs, targets in pieces:
    (cross_entropy(inputs @ W, targets, reduction="sum") / 110).backward()
print(say(en="each sum / 110          :", ko="각 합 / 110          :"), f"{W.grad[1, 1].item():.4f}")

# %% [markdown] lang="en"
r"""
A token of the short sentence counted ten times as much as a token of the long one. A [report of 2023](https://github.com/huggingface/transformers/issues/24725)
has this example (11 and 101 tokens, of which 10 and 100 are predicted). But only in 2024, after a user noticed that
[training in pieces gave worse results](https://github.com/huggingface/trl/issues/2175) than training on whole batches, did
[the cause become widely known](https://huggingface.co/blog/gradient_accumulation). The fix came in [two](https://github.com/huggingface/transformers/pull/34191)
[parts](https://github.com/huggingface/transformers/pull/34198): add up sums, and divide by the number of all tokens. No error message could reveal the bug,
because a wrongly weighted sum is a perfectly valid gradient, only of another loss.
"""

# %% [markdown] lang="ko" en="f2571a74"
r"""
짧은 문장의 토큰 하나가 긴 문장의 토큰 하나보다 열 배나 많이 반영되었습니다. [2023년의 제보](https://github.com/huggingface/transformers/issues/24725)에 이
예가 나옵니다(11토큰과 101토큰, 그중 맞혀야 할 것은 10개와 100개). 하지만 2024년에 [나누어 학습시키면 한꺼번에 할 때보다 결과가 나쁘다](https://github.com/huggingface/trl/issues/2175)는 보고가 나오고서야
[원인이 널리 알려졌습니다](https://huggingface.co/blog/gradient_accumulation). 해결책은 풀 리퀘스트 두 개([34191](https://github.com/huggingface/transformers/pull/34191),
[34198](https://github.com/huggingface/transformers/pull/34198))로 나뉘어 반영되었습니다. 합을 더한 뒤 전체 토큰 수로 나눕니다. 오류가 나지 않으니 버그를 알아차릴 단서가
없었습니다. 잘못된 비율로 더한 합도 *다른 loss의* gradient로는 맞는 값이기 때문입니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}, and one note.

Test cells, **Check**, marks and the **rules of every task** are those of lesson 1.

<details><summary>The rules in short, and how to see a solution</summary>

A test cell holds the **visible tests**; grading adds
**hidden tests**, and the list after the last task says what they check. Your function leaves its arguments, with their `.grad`, `requires_grad` and
hooks, and every setting of the process as they were. It keeps dtype and shape, gives the same answer when called twice, and returns what its
docstring says. Once you have passed a task, or when you are stuck, Check shows a worked solution (in a terminal:
`autograder check 3 --solution fresh_grad`).

</details>

**Only in this lesson:**

- Tasks 3.2 and 3.4 ask you to fill `.grad`, and each of them says what it must hold afterwards. In the other tasks, leave it alone.
- A person grades the note and can add up to 2 points; the map of the lessons and the panel count only the 10.
"""

# %% [markdown] lang="ko" en="005d5853"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다. 서술형도 한 문항 있습니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 3 --solution fresh_grad`).

</details>

**이 수업에만 있는 규칙:**

- 과제 3.2와 3.4에서는 `.grad`를 채웁니다. 끝난 뒤 무엇이 들어 있어야 하는지는 과제에 적혀 있습니다. 다른 과제에서는 `.grad`를 건드리지 마세요.
- 서술형은 사람이 채점하며 2점이 따로 있습니다. 시작 페이지와 패널의 만점은 함수의 10점입니다.
"""

# %% [markdown] lang="en"
r"""
## Task 3.1 · `fresh_grad`

●●○○○ · ★★★★★ · 6 min · {{points}}

Return the gradient of `f` at `x` and leave every `.grad` buffer alone.

- `x` is a tracked floating-point leaf of any shape, possibly empty. Its `.grad` may be `None` or hold a gradient. Afterwards `x.grad` must be what it
  was: the same object with the same values. `x` itself stays as it is, in its own memory.
- `f` makes a tensor of any shape from a tensor. Return the gradient of the **sum of all elements** of `f(x)`, exact up to rounding.
- `f` may use a model that has the dtype of `x`. The `.grad` of its parameters must not change either.
- The result is a tensor of its own with the dtype and shape of `x`, and is not part of a graph (`requires_grad` is `False`).

<details><summary>Hint 1: the idea</summary>

`backward()` writes into the buffer of every tracked leaf, the model's too. Section 5 had another function, one that *returns* gradients.

</details>

<details><summary>Hint 2: the code of another problem</summary>

The gradients of the mean of a product, for two leaves `p` and `q`:

```
of_p, of_q = torch.autograd.grad((p * q).mean(), (p, q))
```

What is your single number, and how many gradients come back in the tuple?

</details>
"""

# %% [markdown] lang="ko" en="c1b2b9bc"
r"""
## 과제 3.1 · `fresh_grad`

{{marks}}분 · {{points}}

`x`에서 `f`의 gradient를 돌려주세요. 단, 어떤 `.grad` 버퍼도 건드리지 않습니다.

- `x`는 추적되는 부동소수점(floating-point) leaf입니다. shape에는 제한이 없고 비어 있을 수도 있습니다. `x.grad`는 `None`일 수도, 이미 값이 들어
  있을 수도 있습니다. 호출한 뒤에도 `x.grad`는 그대로여야 합니다. 같은 객체이고 값도 같아야 합니다. `x`의 값을 바꾸거나 `x.data`를 다른 텐서로 바꾸어서도 안 됩니다.
- `f`는 텐서를 받아 텐서를 만드는데 그 shape에는 제한이 없습니다. `f(x)`의 **모든 원소의 합**의 gradient를 반올림 오차 안에서 정확하게 돌려주세요.
- `f`는 모델을 쓸 수도 있습니다. 모델의 dtype은 `x`와 같습니다. 모델 파라미터의 `.grad`도 바뀌면 안 됩니다.
- 결과는 dtype과 shape가 `x`와 같은 별개의 텐서이고, 그래프에 연결되어 있지 않습니다(`requires_grad`가 `False`).

<details><summary>힌트 1: 생각의 방향</summary>

`backward()`는 모델의 것까지 포함해 추적되는 모든 leaf의 버퍼에 씁니다. 5절에는 gradient를 *돌려주는* 함수가 따로 있었습니다.

</details>

<details><summary>힌트 2: 다른 문제의 코드</summary>

두 leaf `p`, `q`의 곱을 평균한 값의 gradient를 구하는 코드입니다.

```
of_p, of_q = torch.autograd.grad((p * q).mean(), (p, q))
```

여러분의 문제에서 수 하나는 무엇이고, 튜플에는 gradient가 몇 개 들어 있나요?

</details>
"""


# %% answer="fresh_grad"
def fresh_grad(f, x):
    """Return the gradient of f(x).sum() with respect to x, a tensor like x, without changing any .grad.

    f: a function from a tensor to a tensor of any shape; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    (gradient,) = torch.autograd.grad(f(x).sum(), x)
    return gradient
    ### END SOLUTION


# %% test="fresh_grad" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("fresh_grad")

for _f, _x, _want, _dtype, _grad in (
    ("lambda t: t**2", [1.0, 2.0, 3.0], [2.0, 4.0, 6.0], "float32", None),
    ("lambda t: t**2", [1.0, 2.0, 3.0], [2.0, 4.0, 6.0], "float64", 9.0),
    ("lambda t: w * torch.stack([t**2, t]).T", [3.0, 4.0, 5.0], [7.0, 9.0, 11.0], "float64", None),
):
    _want = tensor(_want, _dtype)
    _wrong = {hint.mean: (_want / 3, _want / 6), hint.value: _want**2 / 4, hint.adds_up: _want + 9}
    _answer = ask("fresh_grad(f, x)", f=_f, x=leaf(_x, _dtype, _grad), w=leaf(1.0, _dtype))
    _answer.returns(_want, mistakes={**_wrong, hint.zeros: 0.0}, nearly=hint.nearly)
    _answer.keeps_buffers().changes_nothing(hints={"grad": hint.returned}).is_untracked(hint.graph)
    _answer.then("fresh_grad(lambda t: -2 * f(t), x)", hint.other_function).returns(-2 * _want)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_CALL, _OTHER_CALL = "fresh_grad(f, x)", "fresh_grad(lambda t: -2 * f(t), x)"
_MODEL = "lambda t: torch.tanh(w * t + b)"
_LINEAR = "lambda t: torch.inner(t, w.repeat(len(t)))"  # raises an error unless t has the dtype of w
_PRODUCTS = "lambda t: t[..., None] * t[..., None, :]"  # products of all pairs of elements in a row
# Each f, with the gradient of f(x).sum() as a function of x and of the model's w and b.
_SLOPES = {
    "lambda t: t**2": lambda x, w, b: 2 * x,
    "lambda t: t": lambda x, w, b: torch.ones_like(x),
    "lambda t: t.sum()**2": lambda x, w, b: 2 * x.sum() * torch.ones_like(x),
    "torch.relu": lambda x, w, b: (x > 0).to(x.dtype),
    _PRODUCTS: lambda x, w, b: 2 * x.sum(-1, keepdim=True) * torch.ones_like(x),
    _MODEL: lambda x, w, b: w * (1 - torch.tanh(w * x + b) ** 2),
    _LINEAR: lambda x, w, b: w * torch.ones_like(x),
}


def _compare(f, x, dtype, grad=None, layout="", w=1.0, b=0.0):
    model = {"w": leaf(w, dtype, grad), "b": leaf(b, dtype, grad)}
    options = {"errors": {"same dtype": hint.dtype}, "ahead": (_CALL, _OTHER_CALL, ("x.data += 1", _CALL))}
    answer = ask(_CALL, options, **model, f=f, x=leaf(x, dtype, grad, layout=layout))
    point = tensor(x)
    want, next_want = (_SLOPES[f](place, w, b).to(getattr(torch, dtype)) for place in (point, point + 1))
    wrong = {hint.mean: want / max(want.numel(), 1), hint.adds_up: want + (grad or 0), hint.zeros: 0.0}
    cause = hint.any_shape if "sum" in f or "None" in f else ""
    nearly = hint.buried if grad and grad > 9 else hint.nearly
    answer.returns(want, mistakes=wrong, nearly=nearly, hint=cause)
    answer.keeps_buffers().changes_nothing().is_untracked(hint.graph)
    answer.again(hint.left_in_buffer).returns(want)
    answer.owns_its_memory()
    answer.then(_OTHER_CALL, hint.other_function).returns(-2 * want)
    answer.after("x.data += 1").returns(next_want)
    answer.still_returns(want)


for _dtype in ("float64", "float32"):
    _grads = None, 9.0, check.draw(-9, -1)
    for _turn in (0, 1):
        # Over both turns, each of the five calls below gets two of the three values of grad.
        _first_grad, _second_grad, _third_grad = (_grads[(_turn + place) % 3] for place in range(3))
        _weights = check.draw(0.3, 1.5), check.draw(-0.5, 0.5)
        _rows = [check.draws(2, 1, 3), check.draws(2, 1, 3), check.draws(2, -1, 1)]
        check.smallest(_compare, "lambda t: t**2", check.draw(-3, 3), _dtype, _first_grad)
        check.smallest(_compare, "lambda t: t**2", check.draws(3, -3, 3), _dtype, _second_grad)
        check.smallest(_compare, _MODEL, [check.draws(3, -1, 1)], _dtype, _third_grad, "", *_weights)
        check.smallest(_compare, "lambda t: t.sum()**2", _rows, _dtype, _first_grad)
        check.smallest(_compare, _PRODUCTS, check.draws(4, 0.2, 3), _dtype, _second_grad)
    check.smallest(_compare, "torch.relu", [[-1.5, 2.0, check.draw(0.1, 3)]], _dtype, 4.0)
    check.smallest(_compare, "lambda t: t", [[check.draws(2, -3, 3)], [check.draws(2, -3, 3)]], _dtype, 4.0)
    check.smallest(_compare, _PRODUCTS, [check.draws(3, 0.2, 3)] * 2, _dtype, None, "slice")
    check.smallest(_compare, _LINEAR, check.draws(3, -1, 1), _dtype, None, "", check.draw(0.3, 1.5))
    for _x, _grad in (([], None), ([[], []], 4.0), (torch.empty(0, 3), None)):
        _compare("lambda t: t**2", _x, _dtype, _grad)
_compare("lambda t: t**2", [1.5, -0.7], "float64", 1e9)
_answer = ask("fresh_grad(f, x)", f="lambda t: t**2", x=leaf([1.0, 2.0]), place="x.data_ptr()")
_answer.then("x.data_ptr() == place").equals(True, hint=hint.moved)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.2 · `grad_history`

●●○○○ · ★★★★★ · 6 min · {{points}}

For each function in the list, call `backward()` on its result at `x`, one after the other without a reset. Return **what `x.grad` was after each of these calls**.

- `fs` is a list of functions, possibly empty; the same function may occur in it twice. Each makes a tensor with a single element
  from `x`; its shape is `()`, `(1,)`, `(1, 1)` or the like.
- `x` is a tracked leaf of any shape. Its `.grad` is `None` when your function is called.
- Return a list with one tensor for each function, with the dtype and shape of `x` and not part of a graph. Each entry keeps its value **whatever happens to `x.grad` later**.
- Afterwards `x.grad` holds the sum of all gradients (`None` for an empty list) and is not part of a graph. In this task you are meant to fill it.

<details><summary>Hint 1: the idea</summary>

What was `first` in section 2, after the second call?

</details>

<details><summary>Hint 2: the same slip with a list</summary>

```
total, seen = [], []
for n in (1, 2, 3):
    total.append(n)
    seen.append(total)
```

At the end `seen` holds `[1, 2, 3]` three times. What must you append to get `[1]`, `[1, 2]`, `[1, 2, 3]`? Which method does the same for a tensor?

</details>
"""

# %% [markdown] lang="ko" en="55c212dc"
r"""
## 과제 3.2 · `grad_history`

{{marks}}분 · {{points}}

리스트에 있는 함수를 차례로 `x`에서 계산하고 결과마다 `backward()`를 호출하세요. 중간에 버퍼를 비우지 않습니다. 그리고 **한 번 호출할 때마다
`x.grad`가 얼마가 되었는지** 돌려주세요.

- `fs`는 함수가 든 리스트이고 비어 있을 수도 있습니다. 같은 함수가 두 번 들어 있을 수도 있습니다. 함수는 `x`를 받아 원소가 하나인 텐서를
  돌려줍니다. shape는 `()`나 `(1,)`일 수도 있고 `(1, 1)` 같은 것일 수도 있습니다.
- `x`는 추적되는 leaf이고 shape에는 제한이 없습니다. 여러분의 함수가 호출될 때 `x.grad`는 `None`입니다.
- 함수마다 텐서가 하나씩 든 리스트를 돌려주세요. 텐서는 dtype과 shape가 `x`와 같고 그래프에 연결되어 있지 않습니다. **나중에 `x.grad`가 어떻게
  되더라도** 리스트에 든 텐서의 값은 그대로여야 합니다.
- 끝난 뒤 `x.grad`에는 모든 gradient의 합이 들어 있어야 하고(리스트가 비어 있으면 `None`), 그래프에 연결되어 있지 않아야 합니다. 이 과제에서는
  `x.grad`를 채우는 것이 여러분이 할 일입니다.

<details><summary>힌트 1: 생각의 방향</summary>

2절에서 두 번째 호출 뒤에 `first`는 무엇이었나요?

</details>

<details><summary>힌트 2: 리스트에서 하는 같은 실수</summary>

```
total, seen = [], []
for n in (1, 2, 3):
    total.append(n)
    seen.append(total)
```

끝나면 `seen`에는 `[1, 2, 3]`만 세 번 들어 있습니다. `[1]`, `[1, 2]`, `[1, 2, 3]`이 되려면 무엇을 넣어야 하나요? 텐서에서 같은 일을 하는 메서드는 무엇인가요?

</details>
"""


# %% answer="grad_history"
def grad_history(fs, x):
    """Return the value that x.grad has after backward() on each f(x), as a list of tensors like x.

    fs: functions from a tensor to a tensor with a single element; x: a tracked leaf whose .grad is None.
    """
    ### BEGIN SOLUTION
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    return history
    ### END SOLUTION


# %% test="grad_history" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("grad_history")

_FUNCTIONS = {"square": "lambda t: (t**2).sum().reshape(1)", "cube": "lambda t: (t**3).sum()"}
_SPOIL = "x.grad is None or x.grad.detach().fill_(1234.0)"
_COPIES = "type(history) is list and len({t.data_ptr() for t in history if torch.is_tensor(t)}) > 1"


def _compare(fs, x, dtype, sums, wrong, layout=""):
    want = [tensor(part, dtype) for part in sums]
    x, options = leaf(x, dtype, layout=layout), {"ahead": (_COPIES, "x.grad is None", _SPOIL)}
    history = ask("history = grad_history(fs, x)", options, **_FUNCTIONS, fs=fs, x=x)
    has_copies = history.then(_COPIES).result
    alike_hint = hint.entry if len(set(fs)) == 1 else hint.at_once if has_copies else hint.alias
    mistakes = {
        **{cause: [tensor(part, dtype) for part in row] for cause, row in wrong.items()},
        alike_hint: want[-1:] * len(want),
        hint.twice: [sum(want[: place + 1]) for place in range(len(want))],
        hint.inside if len(set(fs)) > 1 else hint.fewer: want[:1],
        hint.early: lambda entries: any(entry is None for entry in entries),
        hint.fewer: lambda entries: len(entries) < len(want),
        hint.stale: lambda entries: len(entries) > len(want),
    }
    history.returns(want, mistakes=mistakes).is_untracked().changes_nothing(but=[("grad", "x")])
    history.then("x.grad is None").equals(not fs, hint=hint.total if fs else "")
    history.then(_SPOIL)
    history.still_returns(want, hint.still)
    return history


_compare(["square", "cube"], 2.0, "float32", [4.0, 16.0], {hint.alone: [4.0, 12.0]})
_compare(["square"] * 2, [3, 4], "float64", [[6, 8], [12, 16]], {hint.once: [[6, 8]] * 2})
check.visible_passed()
### BEGIN HIDDEN TESTS
from itertools import accumulate

import torch

_FUNCTIONS |= {
    "linear": "lambda t: (3 * t).sum()",
    "sine": "lambda t: torch.sin(t).sum()",
    "bent": "lambda t: torch.maximum(t, -t / 2).sum()",
    "framed": "lambda t: (t**2).sum().reshape(1, 1)",
}
_SLOPES = {
    "square": lambda t: 2 * t,
    "cube": lambda t: 3 * t**2,
    "linear": lambda t: 3 + 0 * t,
    "sine": torch.cos,
    # At 0 both arguments of maximum are equal, and torch takes the mean of their slopes.
    "bent": lambda t: 0.25 + 0.75 * torch.sign(t),
    "framed": lambda t: 2 * t,
}


def _compare_again(fs, x, dtype, layout=""):
    slopes, next_slopes = ([_SLOPES[f](tensor(x) + shift) for f in fs] for shift in (0, 1))
    want, next_want = ([tensor(part, dtype) for part in accumulate(parts)] for parts in (slopes, next_slopes))
    history = _compare(fs, x, dtype, want, {hint.alone: slopes}, layout)
    if dtype == "float64":
        history.returns(want, nearly=hint.nearly)
    history.then("fs", by_name=True).equals(fs, hint=hint.eaten)
    history.after("x.grad = None; x.data = x.data + 1").returns(next_want)
    if want:
        history.then("x.grad").returns(next_want[-1], hint=hint.total).is_untracked(hint.buffer)
    history.still_returns(want, hint.new)


for _dtype in ("float64", "float32"):
    for _fs, _x, *_layout in (
        (["square", "cube"], 2.0),
        (["square", "sine"], 0.0),
        (["cube", "square"], check.draw(0.5, 3)),
        (["square", "square"], check.draw(0.5, 3)),
        (["sine", "square", "sine", "linear"], check.draw(-3, -0.5)),
        (["square"] * 3, check.draws(3, -3, 3)),
        (["framed", "cube"], check.draws(3, -3, 3)),
        (["bent", "cube", "bent"], [[-1.0, check.draw(-3, -0.1)], check.draws(2, 0.1, 3)]),
        (["cube"], [[check.draws(2, -3, 3)]]),
        (["square", "sine"], [check.draws(2, -3, 3), check.draws(2, -3, 3)], "slice"),
        ([], check.draws(2, -3, 3)),
        (["square", "cube"], []),
        (["square", "cube"], torch.empty(0, 3)),
    ):
        check.smallest(_compare_again, _fs, _x, _dtype, *_layout)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.3 · `train5`

●●●○○ · ★★★★★ · 8 min · {{points}}

Train one parameter for five steps, with the reset or, on purpose, without it.

- `w` starts at the number `w0` (`float` or `int`, possibly 0 or negative) as a tracked `float64` leaf. At the beginning of every call of `train5`, the buffer `w.grad` is empty.
- Each step computes the loss $w^2$, calls `backward()`, and subtracts `lr * w.grad` from `w`.
- With `zero=True` the buffer is emptied before each `backward()`, by `None` or by zeros. With `zero=False` it is never emptied: this is a famous bug, and here you write it on purpose.
- The learning rate `lr` is a number (`float` or `int`), 0 or greater. $w^2$ stays within the range of a `float`. Return a new list of five numbers:
  the norm of `w`, here $|w|$, **after** each step. Only these numbers and the rules of every task are tested: any other way to the same numbers is fine.

<details><summary>Hint 1: the idea</summary>

`w = w - lr * w.grad` would make a new tensor that is not a leaf (its `.grad` stays empty), and under `torch.no_grad()` an untracked one.
Change `w` itself, in place. Inside `with torch.no_grad():` torch records nothing, so a tracked leaf may be changed in place there.

</details>

<details><summary>Hint 2: the skeleton</summary>

```
for _ in range(5):
    if zero:
        ...
    (w**2).backward()
    with torch.no_grad():
        ...
    norms.append(...)
```

The line inside `no_grad` must change `w` itself: use `-=`, not `=`.

</details>
"""

# %% [markdown] lang="ko" en="72f831ba"
r"""
## 과제 3.3 · `train5`

{{marks}}분 · {{points}}

파라미터 하나를 다섯 스텝 학습시키세요. `zero`에 따라, 버퍼를 비우면서 학습시키거나 일부러 비우지 않고 학습시킵니다.

- `w`는 수 `w0`(`float` 또는 `int`, 0이나 음수일 수도 있음)에서 시작하는 `float64` leaf이고 추적됩니다. `train5`가 호출될 때마다 버퍼 `w.grad`는 빈 채로 시작합니다.
- 스텝마다 loss $w^2$을 계산하고, `backward()`를 호출하고, `w`에서 `lr * w.grad`를 뺍니다.
- `zero=True`이면 `backward()`를 호출하기 전마다 버퍼를 비웁니다. `None`으로 비우든 0으로 비우든 됩니다. `zero=False`이면 한 번도 비우지 않습니다. 유명한 버그를 일부러 만들어 보는 것입니다.
- 학습률 `lr`은 0 이상인 수(`float` 또는 `int`)입니다. $w^2$은 `float`의 범위를 벗어나지 않습니다. 스텝을 마칠 **때마다** `w`의 노름,
  여기서는 $|w|$를 구해 수 다섯 개가 든 새 리스트로 돌려주세요. 테스트는 이 수들과 모든 과제의 규칙만 확인합니다. 같은 수가 나온다면 다른 방법으로 구해도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

`w = w - lr * w.grad`라고 쓰면 leaf가 아닌 새 텐서가 생기고(`.grad`에는 아무것도 남지 않습니다), `torch.no_grad()` 안에서는 추적되지도
않는 텐서가 생깁니다. `w` 자체를 제자리에서 바꾸세요. `with torch.no_grad():` 안에서는 torch가 아무것도 기록하지 않으므로, 추적되는 leaf도 제자리에서 바꿀 수 있습니다.

</details>

<details><summary>힌트 2: 뼈대</summary>

```
for _ in range(5):
    if zero:
        ...
    (w**2).backward()
    with torch.no_grad():
        ...
    norms.append(...)
```

`no_grad` 안의 줄에서는 `w` 자체를 바꾸어야 합니다. `=`가 아니라 `-=`를 쓰세요.

</details>
"""


# %% answer="train5"
def train5(w0, lr, zero):
    """Return |w| after each of five training steps on the loss w**2, as a list of numbers.

    w0: the initial value of w; lr: the learning rate; zero: whether to empty w.grad before each backward().
    """
    ### BEGIN SOLUTION
    w = torch.tensor(float(w0), dtype=torch.float64, requires_grad=True)
    norms = []
    for _ in range(5):
        if zero:
            w.grad = None
        (w**2).backward()
        with torch.no_grad():
            w -= lr * w.grad
        norms.append(abs(w.item()))
    return norms
    ### END SOLUTION


# %% test="train5" points=2
from secant import ask, check, hints

hint = hints("train5")

_errors = {"zero_": hint.first, "NoneType": hint.leaf, "leaf Variable": hint.in_place}
_errors |= {"not require grad": hint.in_place, "second time": hint.once, "an inplace": hint.once}
_reset_norms = [3.8, 3.61, 3.4295, 3.258025, 3.09512375]
_kept_norms = [3.8, 3.41, 2.8495, 2.146525, 1.33622375]
for _zero, _w0, _want in ((True, -4.0, _reset_norms), (False, -4, _kept_norms)):
    _wrong = {
        hint.kept if _zero else hint.reset: _kept_norms if _zero else _reset_norms,
        hint.late: ([4.0, *_want[:-1]], [4.0, *_want]),
        hint.stays: [4.0] * 5,
        hint.grown: lambda norms: len(norms) > 5,
        hint.last: lambda norms: norms[0] > 0 and len(set(norms)) == 1,
        hint.losses: lambda norms: norms[0] in (8, 16) or abs(norms[0] - 14.44) < 1e-6,
        hint.uphill: lambda norms: abs(norms[0] - 4.2) < 1e-6,
        hint.went_on: lambda norms: 0 < norms[0] < 3.1 or abs(norms[0] - 3.63709875) < 1e-6,
        hint.norm: lambda norms: abs(norms[0] - 3.975) < 1e-6,
        hint.momentum: lambda norms: abs(norms[1] - 3.43) < 1e-6,
    }
    _answer = ask(f"train5({_w0}, 0.025, {_zero})", {"errors": _errors, "warned": True})
    _answer.returns(_want, mistakes=_wrong, nearly=hint.nearly).changes_nothing()
check.visible_passed()
### BEGIN HIDDEN TESTS


def _walk(w, lr, zero):
    """Return the signed values of w, before the first step and after each of the five, as plain numbers."""
    places, buffer = [float(w)], 0.0
    for _ in range(5):
        buffer = 2 * places[-1] + (0.0 if zero else buffer)
        places.append(places[-1] - lr * buffer)
    return places


def _compare(w0, lr):
    zeros = True, True, False, False, True, False
    calls = [f"train5(w0, lr, {zero})" for zero in zeros]
    options = {"errors": _errors, "warned": True, "ahead": tuple(calls[1:])}
    first = ask(calls[0], options, w0=w0, lr=lr)
    for place, zero in enumerate(zeros):
        answer = first.then(calls[place], hint.stale) if place else first
        places = _walk(w0, lr, zero)
        want, other = ([abs(w) for w in walk[1:]] for walk in (places, _walk(w0, lr, not zero)))
        wrong = {
            hint.kept if zero else hint.reset: other,
            hint.sign: places[1:],
            hint.late: ([abs(w) for w in places[:-1]], [abs(w) for w in places]),
            hint.losses: [w**2 for w in want],
            hint.five: lambda norms: len(norms) < 5,
            hint.grown: lambda norms: len(norms) > 5,
            hint.stopped: lambda norms, want=want: 0.0 in norms and 0.0 not in want,
        }
        answer.returns(want, mistakes=wrong, nearly=hint.nearly, rtol=1e-11, atol=1e-12 * abs(w0))
        answer.changes_nothing()
    first.still_returns([abs(w) for w in _walk(w0, lr, True)[1:]], hint.new)


_round_cases = [(1.0, 0.1), (-1.0, 0.1), (0.0, 0.1), (0, 1), (0, 0.3), (0.3, 0.01), (2, 1), (3, 0.25), (2, 0)]
for _w0, _lr in (
    *_round_cases,
    (-2, 0.125),
    (check.draw(1, 3), 0.0),
    (check.draw(0.5, 3), 0.5),
    (check.draw(0.5, 3), check.draw(0.05, 0.45)),
    (check.draw(-3, -0.5), check.draw(0.05, 0.45)),
    (check.draw(-3, -0.5), check.draw(0.6, 1.4)),
    (check.draw(200, 900), check.draw(0.01, 0.04)),
    (1e-8, check.draw(0.05, 0.45)),
):
    check.smallest(_compare, _w0, _lr)
_identity = ask("train5(w0, lr, True) is train5(w0, lr, True)", w0=1.0, lr=0.1)
_identity.equals(False, hint=hint.new)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
### The two curves

Now look at what you built. The next cell uses your `train5`. It prints both lists and draws them; step 0 is the start.
Run it and **leave it in the notebook with its picture**. To try other values of `w0` and `lr`, add a cell of your own.
"""

# %% [markdown] lang="ko" en="cb9b8e3c"
r"""
### 두 곡선

이제 만든 것을 눈으로 봅시다. 다음 셀은 여러분의 `train5`를 써서 두 리스트를 출력하고 그림으로 그립니다. 0번째 스텝은 출발점입니다.
실행하고 **그림이 나온 채로 노트북에 남겨 두세요**. `w0`와 `lr`을 바꾸어 보고 싶으면 셀을 새로 만들어 해 보세요.
"""

# %%
import matplotlib.pyplot as plt

w0, lr = 1.0, 0.1
try:
    curves = {zero: [abs(w0), *train5(w0, lr, zero)] for zero in (True, False)}
except NotImplementedError:
    print(
        say(
            en="Solve task 3.3 first, then run this cell again.",
            ko="과제 3.3을 먼저 풀고 이 셀을 다시 실행하세요.",
        )
    )
else:
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for (zero, norms), style in zip(curves.items(), ("o-", "s--"), strict=True):
        print(f"zero={zero!s:5}", *(f"{norm:.3f}" for norm in norms))
        axes.plot(range(6), norms, style, color="#0072B2" if zero else "#D55E00", label=f"zero={zero}")
    axes.set(xlabel="$k$", ylabel="$|w_k|$", ylim=(0, None))
    axes.grid(alpha=0.25)
    axes.legend()
    plt.show()

# %% [markdown] lang="en"
r"""
## Note · `two_curves`

●●○○○ · ★★★★☆ · 5 min · {{points}}, **graded by a person**

**What did the two curves tell you?** Answer in three to six sentences in the cell below, in English or in Korean.

- *One point for what you saw*: how does each curve run? Quote numbers from the output of your cell. Where does the curve without a reset look better, and what happens after that?
- *One point for the cause*: what is in `w.grad` at the third step, with and without the reset, and why does `w` not stay at the minimum?

No test can grade this, so a person reads it. Until then the report lists it separately, and it counts neither for nor against you.
"""

# %% [markdown] lang="ko" en="51a43af8"
r"""
## 서술형 · `two_curves`

{{marks}}분 · {{points}}, **사람이 채점**

**두 곡선에서 무엇을 알 수 있나요?** 아래 셀에 세 문장에서 여섯 문장으로, 한국어나 영어로 쓰세요.

- *본 것에 1점*: 두 곡선은 각각 어떻게 움직이나요? 셀에 나온 수를 들어 쓰세요. 비우지 않은 곡선이 더 나아 보이는 곳은 어디이고, 그 뒤에는 어떻게 되나요?
- *이유에 1점*: 세 번째 스텝에서 `w.grad`에는 무엇이 들어 있나요? 비울 때와 비우지 않을 때를 비교해 보세요. `w`는 왜 최소점에 머무르지 않나요?

이런 글은 테스트로 채점할 수 없어 사람이 읽습니다. 채점되기 전까지 결과표에는 따로 나오고, 점수에도 만점에도 들어가지 않습니다.
"""

# %% [markdown] answer="two_curves" points=2
"""
### BEGIN SOLUTION
With the reset each step shrinks |w| by the same factor, 1 - 2 lr = 0.8: 0.8, 0.64, ..., 0.328. Without it the first step is the same and the next
ones are faster: 0.44, then 0.008, almost the minimum and already past it. But then |w| grows again, to 0.454 and 0.810: w moves on into the negative numbers.
At the third step w.grad is 2 * 0.64 = 1.28 with the reset, the gradient at the present w alone; without it, it is the sum of three gradients,
2 + 1.6 + 0.88 = 4.48. Near the minimum the new gradient is almost 0, but the old ones are still in the buffer and push w on. So the bug is not just a
larger lr: w oscillates forever, and a smaller lr only makes the oscillation slower.

버퍼를 비우면 |w|가 스텝마다 1 - 2 lr = 0.8배로 줄어듭니다: 0.8, 0.64, ..., 0.328. 비우지 않으면 첫 스텝은 같고 다음부터는 더 빨라서 0.44, 0.008로
최소점에 거의 닿고, 이미 조금 지나쳤습니다. 그런데 그 뒤로 0.454, 0.810으로 다시 커집니다. w가 음수 쪽으로 계속 가는 것입니다. 세 번째 스텝에서
w.grad는, 비울 때는 지금의 w에서 구한 gradient 2 * 0.64 = 1.28이고, 비우지 않을 때는 세 gradient의 합 2 + 1.6 + 0.88 = 4.48입니다. 최소점 근처에서
새 gradient는 거의 0이지만 버퍼에 남은 예전 gradient가 w를 계속 밀어냅니다. 그러니 이 버그는 lr만 커진 것과 다릅니다. w는 끝없이 왔다 갔다 하고,
lr을 줄여도 더 천천히 흔들릴 뿐입니다.
### END SOLUTION
"""

# %% [markdown] lang="en"
r"""
## Task 3.4 · `accumulate`

●●●●○ · ★★★★★ · 10 min · {{points}}

Fill the `.grad` of the model's parameters with the gradient of the **whole** batch, which comes in pieces.

- The loss is `torch.nn.functional.mse_loss`, the mean over all elements of all rows.
- `batches` is a list of one or more pairs `(X, Y)` of tensors, each with two dimensions, rows and columns. `model(X)` has the shape of `Y`,
  possibly a single column. The pieces may have **unequal** sizes; each has at least one row. A pair may occur twice, and then its rows count
  twice. The model treats each row by itself.
- Afterwards the `.grad` of each tracked parameter equals the gradient of the loss of all rows together, up to rounding, and is not part of a
  graph. All `.grad` are `None` when your function is called. A parameter that is not tracked stays untracked and without a `.grad`.
- The goal is to save memory. Call the model **once for each piece, with that piece alone**, in any order of the pieces, and run the backward
  pass **before the next piece** goes through the model. By then, what the graph of the piece saved must be freed; `backward()` frees it unless
  `retain_graph=True` is given. The tests count the rows and the calls, and how many graphs hold saved tensors at a time.
- Do not update anything: parameters, `batches` and its tensors keep their values. The model and each of its
  submodules keep their mode (`train` or `eval`); these modes may differ.

<details><summary>Hint 1: the idea</summary>

The mean of the whole is a weighted mean of the means. What is the weight of a piece?

</details>

<details><summary>Hint 2: an example with numbers</summary>

The pieces `[1, 3]` and `[8]` have the means 2 and 8. The mean of all three numbers is $4 = 2 \cdot \frac{2}{3} + 8 \cdot \frac{1}{3}$.
Where does each weight come from, and what must you know before the loop begins?

</details>
"""

# %% [markdown] lang="ko" en="186112b6"
r"""
## 과제 3.4 · `accumulate`

{{marks}}분 · {{points}}

배치 **전체**의 gradient를 모델 파라미터의 `.grad`에 채우세요. 배치는 여러 조각으로 나뉘어 들어옵니다.

- loss는 `torch.nn.functional.mse_loss`, 곧 모든 행의 모든 원소에 대한 평균입니다.
- `batches`는 텐서 쌍 `(X, Y)`가 하나 이상 든 리스트입니다. `X`와 `Y`는 행과 열, 두 차원으로 이루어집니다. `model(X)`의 shape는 `Y`와 같고, 열이 하나뿐일 수도
  있습니다. 조각의 크기는 **서로 다를 수 있고**, 조각마다 한 행 이상입니다. 같은 쌍이 두 번 들어 있을 수도 있으며 그 행은 두 번 셉니다. 모델은 행을
  하나씩 따로 다룹니다.
- 끝난 뒤 추적되는 파라미터의 `.grad`는 모든 행을 한꺼번에 넣은 loss의 gradient와 반올림 오차 안에서 같아야 하고, 그래프에 연결되어 있지 않아야
  합니다. 여러분의 함수가 호출될 때 `.grad`는 모두 `None`입니다. 추적되지 않는 파라미터는 추적하지 말고 `.grad`도 `None`으로 두세요.
- 메모리를 아끼는 것이 목적입니다. 모델은 **조각마다 한 번씩, 그 조각만 넣어** 호출하고, **다음 조각**을 넣기 **전에** 역방향 계산을 끝내세요. 조각의
  순서는 상관없습니다. 다음 조각을 넣을 때는 앞 조각의 그래프가 저장해 둔 텐서가 메모리에 없어야 합니다. `retain_graph=True` 없이 `backward()`를 호출하면
  그 텐서가 해제됩니다. 테스트가 행의 수, 호출 횟수, 저장된 텐서가 메모리에 남은 그래프의 수를 셉니다.
- 업데이트는 하지 마세요. 파라미터와 `batches`, 그 안의 텐서는 값이 그대로여야 합니다. 모델과 하위 모듈(submodule)의
  모드(`train` 또는 `eval`)도 그대로여야 합니다. 모드는 서로 다를 수 있습니다.

<details><summary>힌트 1: 생각의 방향</summary>

전체의 평균은 조각 평균들의 가중 평균입니다. 한 조각의 비중은 얼마인가요?

</details>

<details><summary>힌트 2: 수를 넣은 예</summary>

조각 `[1, 3]`과 `[8]`의 평균은 2와 8입니다. 수 세 개 전체의 평균은 $4 = 2 \cdot \frac{2}{3} + 8 \cdot \frac{1}{3}$입니다.
두 비중은 각각 어디에서 나왔나요? 반복문에 들어가기 전에 무엇을 알아야 하나요?

</details>
"""


# %% answer="accumulate"
def accumulate(model, batches):
    """Set each parameter's .grad to the gradient of the mean squared error over all rows of all batches.

    model: a module whose parameters have .grad None; batches: a list of pairs (X, Y) of 2-D tensors.
    """
    ### BEGIN SOLUTION
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        loss = torch.nn.functional.mse_loss(model(X), Y)
        (loss * len(X) / rows).backward()
    ### END SOLUTION


# %% test="accumulate" points=2
from secant import ask, check, hints, tensor

hint = hints("accumulate")

_shares = {hint.by_number: [0.8, 1.3], hint.by_one: [0.5, 0.25], hint.so_far: [1.28, 0.48]}
_sums = {hint.added: [2.4, 3.9], hint.by_rows: [2.0, 1.0], hint.summed: [12.0, 6.0]}
_omissions = {hint.emptied: [0.8, 0.3], hint.left_out: [0.8, -0.2], hint.zeros: [0.0, 0.0]}
_wrong = {cause: tensor(grad) for cause, grad in {**_shares, **_sums, **_omissions}.items()}
_answer = ask(
    "accumulate(model, batches)",
    {
        "words": "accumulate(model, batches), float64",
        "below": "model(X) = X * w + bias, both 0, bias untracked; batches = [(torch.ones(4, 1), "
        "[[-1.2, 0.3]] * 4), ([[1.0]], [[3.6, -2.4]]), ([[1.0]], [[-4.8, -1.8]])]",
    },
    piece="lambda n, y: (torch.ones(n, 1).double(), torch.tensor([y] * n, dtype=torch.float64))",
    batches=["piece(4, [-1.2, 0.3])", "piece(1, [3.6, -2.4])", "piece(1, [-4.8, -1.8])"],
    model="graphs.Spy('X*w + bias', w=leaf([0, 0.]).double(), bias=torch.zeros(2).double()).eval()",
)
_grad = _answer.then("model.w.grad")
_grad.holds(_grad.result is not None, hint.empty)
_grad.returns(tensor([1.0, 0.5]), mistakes=_wrong, nearly=hint.nearly)
_answer.then("model.bias.grad").equals(None)
_log = _answer.then("sorted(zip(model.log[::2], model.log[1::2]), key=str)")
_log.equals([(1, "backward"), (1, "backward"), (4, "backward")], hint=hint.turns)
_answer.changes_nothing(but=[("grad", "model.w")], hints={"value": hint.moved})
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import leaf

_CAUSES = {"value": hint.moved}
_TOLERANCE = {"float64": {"rtol": 1e-10, "atol": 1e-12}, "float32": {"rtol": 1e-4, "atol": 1e-5}}
_MODEL = "graphs.Spy('torch.tanh(X @ inner) @ outer + bias', inner=inner, outer=outer, bias=bias)"
_GRADS = "{name: p.grad for name, p in model.named_parameters()}"
_FACTS = (
    "sorted(set(model.modes))",
    "len(batches) == len(given) and all(a is b for a, b in zip(batches, given))",
    "sorted(n for n in model.log if n != 'backward')",
    "model.log[1::2]",
    "sum(model.held)",
)
_CHANGE = "model.zero_grad(); [p.data.add_(0.25) for p in model.parameters()]; batches.reverse()"


def _gradients_by_piece(weights, pieces):
    """Yield, for each piece, a dict from weight names to the gradients of the piece's mean squared error."""
    leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
    for X, Y in pieces:
        out = torch.tanh(X @ leaves["inner"]) @ leaves["outer"] + leaves["bias"]
        grads = torch.autograd.grad(((out - Y) ** 2).mean(), list(leaves.values()))
        yield dict(zip(leaves, grads, strict=True))


def _wrong_shares(sizes, columns):
    """Return a dict from each hint to the wrong factors that it explains.

    A hint has one or more lists, each with one factor for every piece's gradient. The right factor of a piece
    is its share of the rows.
    """
    rows, n = sum(sizes), len(sizes)
    zeros = [0.0] * (n - 1)
    divisors = (sizes[0] * n, sizes[0] * (n - 1) + sizes[-1])
    return {
        hint.by_number: [[1 / n] * n],
        hint.added: [[1.0] * n],
        hint.by_rows: [[size / rows * columns / divisor for size in sizes] for divisor in (1, 2, 3)],
        hint.summed: [[size * columns for size in sizes]],
        hint.emptied: [[*zeros, share] for share in (sizes[-1] / rows, 1.0, 1 / n)],
        hint.by_one: [[size / divisor for size in sizes] for divisor in divisors],
        hint.so_far: [[size / sum(sizes[: k + 1]) for k, size in enumerate(sizes)]],
        hint.nearly: [[round(size / rows, places) for size in sizes] for places in (1, 2, 3)],
    }


def _compare(sizes, columns, dtype, tracked=True, training=True, repeats_first=False, is_nested=False):
    rows, shapes = sum(sizes), {"inner": (3, 4), "outer": (4, columns), "bias": (columns,)}
    (X, Y, *params), code = check.draw_again(X=(rows, 3), Y=(rows, columns), **shapes)
    weights, batches = (
        dict(zip(shapes, params, strict=True)),
        f"list(zip(X.split({sizes}), Y.split({sizes})))",
    )
    tracked_names = [name for name in weights if tracked or name != "bias"]
    pieces = list(zip(X.split(sizes), Y.split(sizes), strict=True))
    if repeats_first:
        batches, pieces, sizes = f"(pairs := {batches}) + pairs[:1]", pieces + pieces[:1], sizes + sizes[:1]
        rows = sum(sizes)
    path, spy, model, words = "model", "model", f"{_MODEL}.train({training})", "model"
    if is_nested:
        path, spy, model = "model.0", "model[0]", f"nn.Sequential({model})"
        words = "model = nn.Sequential(part), part.eval(); part"
    grads_code, *facts = (fact.replace("model", spy) for fact in (_GRADS, *_FACTS))
    piece_grads = list(_gradients_by_piece(weights, pieces))
    next_piece_grads = list(
        _gradients_by_piece({name: weight + 0.25 for name, weight in weights.items()}, pieces)
    )

    def grads(shares, by_piece=piece_grads):
        pairs = list(zip(shares, by_piece, strict=True))
        return {
            k: tensor(sum(w * g[k] for w, g in pairs), dtype) if k in tracked_names else None for k in weights
        }

    answer = ask(
        "accumulate(model, batches)",
        {
            "words": f"accumulate(model, {batches}), {dtype}, bias.requires_grad = {tracked}",
            "below": f"{words}(X) = tanh(X @ inner) @ outer + bias; {code}",
            "ahead": (grads_code, *facts, (_CHANGE, "accumulate(model, batches)"), grads_code),
        },
        **{name: leaf(weight, dtype, tracked=name in tracked_names) for name, weight in weights.items()},
        X=leaf(X, dtype, layout="slice", tracked=False),
        Y=tensor(Y, dtype),
        model=model,
        batches=batches,
        given="list(batches)",
    )
    grads_answer = answer.then(grads_code)
    grads_answer.holds(tracked or grads_answer.result["bias"] is None, hint.frozen)
    all_filled = all(grads_answer.result[name] is not None for name in tracked_names)
    grads_answer.holds(all_filled, hint.submodule if is_nested else hint.empty)

    def mistakes():
        wrong_shares = _wrong_shares(sizes, columns)
        return {cause: tuple(map(grads, shares)) for cause, shares in wrong_shares.items()}

    right_shares = [size / rows for size in sizes]
    default_hint = hint.twice if repeats_first else hint.squeezed if columns == 1 and rows > 1 else ""
    comparison = {"mistakes": mistakes, "nearly": hint.nearly, "hint": default_hint, **_TOLERANCE[dtype]}
    grads_answer.returns(grads(right_shares), **comparison).is_untracked(hint.graph)
    answer.changes_nothing(but=[("grad", f"{path}.{name}") for name in weights], hints=_CAUSES)
    modes, same_batches, row_counts, backward_turns, held_graphs = map(answer.then, facts)
    modes.equals([training], hint=hint.mode)
    same_batches.equals(True, hint=hint.changed)
    row_counts.equals(sorted(sizes), hint=hint.turns)
    backward_turns.equals(["backward"] * len(sizes), hint=hint.open)
    held_graphs.equals(0, hint=hint.held)
    answer.after(_CHANGE).then(grads_code, hint.stale).returns(grads(right_shares, next_piece_grads))


# The cases start small, so that the first case that fails is a small one.
for _dtype in ("float64", "float32"):
    for _sizes, _columns in (([1], 1), ([2, 1], 2), ([4], 1), ([7, 3], 1), ([5, 5], 3)):
        _compare(_sizes, _columns, _dtype)
    for _sizes, _columns in (([1, 1], 2), ([3, 5, 2], 3), ([2, 2, 2, 2, 2, 1], 2)):
        _compare(_sizes, _columns, _dtype, tracked=False, training=False)
    for _sizes, _columns in (([3, 5, 2], 3), ([1, 6, 2], 3), ([1, 1, 1, 5], 1)):
        _compare(_sizes, _columns, _dtype)
    _compare([2, 3], 1, _dtype, repeats_first=True)
    _compare([2, 3], 2, _dtype, training=False, is_nested=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.5 · `all_grads`

●●○○○ · ★★★☆☆ · 5 min · {{points}}

With $y = x^3$ and $z = \log y$ at $x =$ `x0`, return the three gradients $\frac{dz}{dx}, \frac{dz}{dy}, \frac{dz}{dz}$.

- `x0` is a number from 0.01 to 1000, `float` or `int`. Compute in `float64`.
- Return a tuple of three numbers, in this order. You may compute them in any way. $\frac{dz}{dx}$ is one of the 2 points, the other two together
  are the second.
- No warning may appear, and you may not switch warnings off for the rest of the notebook.

<details><summary>Hint 1: the idea</summary>

Which of the three tensors keep their gradient by themselves? When must `retain_grad()` be called on the others?

</details>

<details><summary>Hint 2: the code of another problem</summary>

```
a = torch.tensor(2.0, requires_grad=True)
b = a**2
b.retain_grad()
(5 * b).backward()
print(a.grad, b.grad)
```

Which of your three tensors play the part of `b` here? And how does an `int` become a tracked `float64` tensor?

</details>
"""

# %% [markdown] lang="ko" en="461426aa"
r"""
## 과제 3.5 · `all_grads`

{{marks}}분 · {{points}}

$x =$ `x0`에서 $y = x^3$, $z = \log y$일 때 세 gradient $\frac{dz}{dx}, \frac{dz}{dy}, \frac{dz}{dz}$를 돌려주세요.

- `x0`는 0.01 이상 1000 이하의 수(`float` 또는 `int`)입니다. `float64`로 계산하세요.
- 수 세 개가 든 튜플을 이 순서로 돌려주세요. 어떤 방법으로 구해도 됩니다. 2점 중 $\frac{dz}{dx}$가 1점, 나머지 둘이 함께 1점입니다.
- 경고가 떠서는 안 되고, 노트북 전체에서 경고를 꺼 버려도 안 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

세 텐서 중 그냥 두어도 gradient가 남는 것은 무엇인가요? 나머지의 `retain_grad()`는 언제 호출해야 하나요?

</details>

<details><summary>힌트 2: 다른 문제의 코드</summary>

```
a = torch.tensor(2.0, requires_grad=True)
b = a**2
b.retain_grad()
(5 * b).backward()
print(a.grad, b.grad)
```

여러분의 세 텐서 중 여기의 `b`에 해당하는 것은 무엇인가요? `int`는 어떻게 추적되는 `float64` 텐서로 만드나요?

</details>
"""


# %% answer="all_grads"
def all_grads(x0):
    """Return (dz/dx, dz/dy, dz/dz), three numbers, for y = x**3 and z = log(y) at the positive number x0."""
    ### BEGIN SOLUTION
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()
    ### END SOLUTION


# %% test="all_grads" points=2
import math

from secant import PartialCredit, ask, check, hints

hint = hints("all_grads")
_credit = PartialCredit(x=1, y_and_z=1)

_ERRORS = {"NoneType": hint.none, "floating point": hint.integer}


def _compare(x0, dx, dy, dy_dx, extra=None):
    wrong = {hint.order: ((1.0, dy, dx),), hint.second: ((dx, dy_dx, 1.0),), **(extra or {})}
    wrong[hint.doubled] = (2 * dx, dy, 1.0), (2 * dx, 2 * dy, 2.0)
    wrong[hint.also_y] = (dx + dy_dx, dy + 1, 1.0), (dx + dy_dx, dy, 1.0)
    wrong |= {hint.cut: lambda got: got[0] is None, hint.late: lambda got: None in got}
    wrong[hint.base] = tuple((dx * s, dy * s, 1.0) for s in (math.log10(math.e), math.log2(math.e)))
    want = dx, dy, 1.0
    with _credit.part("x", "y_and_z"):
        answer = ask("all_grads(x0)", {"errors": _ERRORS, "warned": True}, x0=x0).changes_nothing()
        for part, places in {"x": (0,), "y_and_z": (1, 2)}.items():
            with _credit.part(part):
                if not _are_right(answer.result, want, places):
                    answer.returns(want, rtol=1e-11, atol=0.0, mistakes=wrong, nearly=hint.nearly)
        with _credit.part("y_and_z"):
            answer.warns_nothing(hint.warning)


def _are_right(got, want, at):
    if type(got) is not tuple or len(got) != 3 or any(type(got[k]) not in (int, float) for k in at):
        return False
    return all(abs(got[k] - want[k]) <= 1e-11 * want[k] for k in at)


_compare(5.0, 0.6, 0.008, 75.0)
_compare(3, 1.0, 1 / 27, 27.0)
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS


def _compare_twice(x0):
    dx, dy, dy_dx = 3 / x0, 1 / x0**3, 3.0 * x0**2
    for _ in range(2):
        _compare(x0, dx, dy, dy_dx, {hint.first: ((dy_dx, dy, 1.0),)})


for _x0 in (2.0, 1, 3, 12, 5.0, 0.3, 0.01, 1000, check.draw(100, 900)):
    _compare_twice(_x0)
for _x0 in (*check.draws(3, 0.2, 0.9), *check.draws(3, 1.1, 9)):
    _compare_twice(_x0)
with _credit.part("y_and_z"):
    # The option `warned` switches torch.set_warn_always on. This call runs with it off.
    ask("all_grads(x0)", x0=2.0).changes_nothing()
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **3.1** Buffers that already hold a gradient, also a large one, of `x` and of a model inside `f`; a model that refuses any dtype but that
  of `x`; results of `f` with one element, as many as `x`, or more; an empty `x`, and a leaf whose memory is part of a larger tensor; two
  calls in a row, with `x` changed in between; another function at the same `x`; both dtypes and several shapes; 11 digits; that the result
  is not part of a graph, and that `x` stays in its memory.
- **3.2** Every entry, not only the last; what happens to the entries when `x.grad` is overwritten afterwards; a function that occurs twice in
  the list, and one whose result has the shape `(1, 1)`; an empty list; an empty `x`; 11 digits; `x.grad` at the end, and that it is not part
  of a graph.
- **3.3** Both values of `zero`, called in turn; `w0` negative, 0, tiny, or an `int`; a learning rate of 0, and one so large that `w` jumps over
  the minimum; 11 digits; a new list for every call.
- **3.4** Pieces of unequal size, of one row, a single piece, and a pair that occurs twice; several columns; both dtypes, `float64` to 10 digits;
  a parameter that is not tracked; a model in each of the two modes, and one whose submodule is in the other mode; how often and with how
  many rows the model, or a copy of it, is called; whether the backward pass follows each call, and whether it has freed what the graph saved.
- **3.5** Other `x0`, including `int`s; all three gradients to 11 digits; warnings, and whether `warnings.warn`, `warnings.showwarning` and
  `torch.set_warn_always` are as they were.

</details>

The rules of every task are checked everywhere.

## What you have built

In lesson 10 you write an autograd of your own. You now have two parts of it. Its `backward()` will **add** to the `.grad` of a leaf, as
`grad_history` records, and drop the gradient of an intermediate tensor. And `train5` with `zero=True` is the loop that will train with it.

## Checklist

You can now answer these without looking back:

- Three `backward()` calls, no reset: which function is `.grad` the slope of?
- `g = x.grad`, then `x.grad.zero_()`: what is `g`? And after `x.grad = None` instead?
- When must `retain_grad()` be called?
- 12 micro-batches of 8 rows, with a step after every third: what is the effective batch size, and how many steps are there?
- When may you divide each loss by the number of micro-batches, and what do you do otherwise?

## Links

- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.retain_grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
- [PyTorch: torch.optim.Optimizer.zero_grad](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html)
- [PyTorch: Gradient accumulation in mixed precision training](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)
- [Hugging Face: Fixing gradient accumulation](https://huggingface.co/blog/gradient_accumulation)

Next: [Lesson 04](../04_branches_and_broadcasts/04_branches_and_broadcasts.ipynb), branches and broadcasts: where gradients add up.
"""

# %% [markdown] lang="ko" en="8e37f0fa"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **3.1** 이미 값이, 때로는 아주 큰 값이 들어 있는 버퍼(`x`의 것과 `f` 안의 모델의 것). `x`와 같은 dtype만 받는 모델. `f`의 결과에 원소가 하나일 때, `x`만큼일 때, 더
  많을 때. 비어 있는 `x`, 메모리가 더 큰 텐서의 일부인 leaf. 두 번 이어 호출하고 그사이에 `x`를 바꾸었을 때. 같은 `x`에서 함수를 바꾸었을 때. 두 가지 dtype과
  여러 shape. 유효 숫자 11자리까지 맞는지. 결과가 그래프에 연결되어 있지 않은지, `x`의 메모리가 그대로인지.
- **3.2** 리스트의 마지막뿐 아니라 모든 자리. 나중에 `x.grad`를 덮어쓰면 리스트의 텐서가 어떻게 되는지. 리스트에 두 번 나오는 함수, 결과의 shape가 `(1, 1)`인
  함수, 빈 리스트, 비어 있는 `x`. 유효 숫자 11자리까지 맞는지. 끝난 뒤의 `x.grad`와, 그것이 그래프에 연결되어 있지 않은지.
- **3.3** `zero`의 두 값을 번갈아. 음수나 0, 아주 작은 수, `int`인 `w0`. 0인 학습률과, `w`가 최소점을 뛰어넘을 만큼 큰 학습률. 유효 숫자 11자리까지 맞는지. 호출마다 새 리스트인지.
- **3.4** 크기가 다른 조각, 한 행짜리 조각, 조각이 하나뿐일 때, 두 번 나오는 쌍. 여러 열. 두 가지 dtype(`float64`는 유효 숫자 10자리까지). 추적되지 않는 파라미터. 두 가지 모드의 모델과, 하위 모듈의 모드가 다른 모델.
  모델이나 그 복사본을 몇 번, 몇 행씩 호출하는지, 호출할 때마다 역방향 계산이 뒤따르고 그래프가 비워지는지.
- **3.5** 다른 `x0`와 `int`. 세 gradient 모두 유효 숫자 11자리까지 맞는지. 경고가 뜨는지, `warnings.warn`, `warnings.showwarning`, `torch.set_warn_always`가 그대로인지.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서 만들 autograd의 두 부분을 이번 수업에서 준비했습니다. 수업 10의 `backward()`도 `grad_history`에서 본 대로 leaf의 `.grad`에
**더하고**, 중간 텐서의 gradient는 버립니다. 그리고 `zero=True`인 `train5`의 반복문으로 모델을 학습시킵니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 비우지 않고 `backward()`를 세 번 호출하면 `.grad`는 어떤 함수의 기울기인가요?
- `g = x.grad` 다음에 `x.grad.zero_()`를 호출하면 `g`는 무엇인가요? 대신 `x.grad = None`이라고 하면요?
- `retain_grad()`는 언제 호출해야 하나요?
- 8행짜리 마이크로배치가 12개이고 세 개마다 `step()`을 호출합니다. 유효 배치 크기는 몇 행이고, 스텝은 모두 몇 번인가요?
- loss를 마이크로배치의 수로 나누어도 되는 것은 언제인가요? 그렇지 않을 때는 어떻게 하나요?

## 더 읽을거리

- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.retain_grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
- [PyTorch: torch.optim.Optimizer.zero_grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html)
- [PyTorch: Gradient accumulation in mixed precision training (영어)](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)
- [Hugging Face: Fixing gradient accumulation (영어)](https://huggingface.co/blog/gradient_accumulation)

다음은 [수업 04](../04_branches_and_broadcasts/04_branches_and_broadcasts.ipynb), 팬아웃과 브로드캐스트: gradient가 더해지는 곳입니다.
"""
