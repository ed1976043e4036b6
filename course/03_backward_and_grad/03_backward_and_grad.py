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

Lesson 03 of 10 · ~80 min · backward, grad, accumulation

**After this lesson you can**

- say what `.grad` holds after any sequence of `backward()` calls;
- empty `.grad` in two ways, and tell when the difference matters;
- read the gradient of an intermediate tensor without a warning;
- split a batch that is too big for the memory into small ones, and still get its gradient.

You need lesson 2: leaf, intermediate tensor, `grad_fn`, `retain_graph`.
"""

# %% [markdown] lang="ko" en="3781016d"
r"""
# .backward()와 .grad 버퍼

수업 03 / 10 · 약 80분 · backward, grad, 누적

**이 수업을 마치면**

- `backward()`를 어떤 순서로 몇 번 부르든 그 뒤 `.grad`에 무엇이 들어 있는지 말할 수 있습니다.
- `.grad`를 두 가지 방법으로 비우고, 그 차이가 언제 중요한지 설명할 수 있습니다.
- 중간 텐서의 gradient를 경고 없이 읽을 수 있습니다.
- 메모리에 다 들어가지 않는 배치를 작게 나누고도 원래 배치의 gradient를 얻을 수 있습니다.

수업 02의 내용(leaf, 중간 텐서, `grad_fn`, `retain_graph`)이 필요합니다.
"""

# %%
import warnings

import torch

from secant import explore_buffer, language, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

At $x = 2$ the slope of $x^2$ is $4$ and the slope of $x^3$ is $12$. Read this code, but do not run it yet:

```
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
(x**3).backward()
print(first, x.grad)
```

**Which two numbers are printed?** Write down your guess before you read on.
"""

# %% [markdown] lang="ko" en="7b8b8c40"
r"""
## 먼저 예상하기

$x = 2$에서 $x^2$의 기울기는 $4$, $x^3$의 기울기는 $12$입니다. 다음 코드를 읽어 보세요. 아직 실행하지는 마세요.

```
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
(x**3).backward()
print(first, x.grad)
```

**어떤 두 수가 출력될까요?** 더 읽기 전에 예상을 적어 두세요.
"""

# %%
my_guess = "..."

# %% [markdown] lang="en"
r"""
## 1. Where a gradient lands

Begin with a single call. Three numbers go in, one comes out: the sum of their squares.
"""

# %% [markdown] lang="ko" en="1606713b"
r"""
## 1. gradient가 놓이는 곳

먼저 한 번만 불러 봅시다. 수 세 개가 들어가고 하나가 나옵니다. 제곱의 합입니다.
"""

# %%
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print("before:", x.grad)

loss = (x**2).sum()
loss.backward()
print("after :", x.grad)

# %% [markdown] lang="en"
r"""
The derivative of $x_1^2 + x_2^2 + x_3^2$ with respect to $x_i$ is $2x_i$: that is the `[2, 4, 6]`.

`backward()` returned nothing. It left its result in an attribute of the leaf, `x.grad`, a tensor with the dtype and shape
of `x`. Before the first call there was no such tensor: `.grad` was `None`. Think of `.grad` as a **buffer**, a place
that belongs to `x` and outlives the call.

`backward()` wants to start from a single number; this is why the code takes the sum. What to do with a result of
several numbers is a matter for lesson 5.
"""

# %% [markdown] lang="ko" en="d5888a7f"
r"""
$x_1^2 + x_2^2 + x_3^2$을 $x_i$로 미분하면 $2x_i$입니다. 그래서 `[2, 4, 6]`이 나왔습니다.

`backward()`는 아무것도 돌려주지 않습니다. 결과는 leaf의 속성인 `x.grad`에 남깁니다. dtype과 shape이 `x`와 같은 텐서입니다.
처음 부르기 전에는 이 텐서가 아예 없고 `.grad`는 `None`입니다. `.grad`를 **버퍼**라고 생각하세요. `x`에 딸려 있고, 호출이 끝난
뒤에도 남는 자리입니다.

`backward()`는 수 하나에서 출발합니다. 위 코드에서 합을 구한 까닭입니다. 결과가 수 여러 개일 때 어떻게 하는지는
수업 05에서 다룹니다.
"""

# %% [markdown] lang="en"
r"""
## 2. backward() adds

Now the code of the prediction, with one more line in between:
"""

# %% [markdown] lang="ko" en="6bcf5232"
r"""
## 2. backward()는 더한다

이제 앞에서 예상한 코드입니다. 중간에 출력을 한 줄 넣었습니다.
"""

# %%
x = torch.tensor(2.0, requires_grad=True)
(x**2).backward()
first = x.grad
print("after x^2:", x.grad)

(x**3).backward()
print("after x^3:", x.grad)
print("first    :", first)

# %% [markdown] lang="en"
r"""
Two surprises.

**The second call did not overwrite the 4; it added 12 to it.** `backward()` always adds to what the buffer holds.
Is that a mistake in PyTorch's design? Call `backward()` once, on the sum, and compare: the derivative of a sum is the sum of the derivatives, so
$4 + 12$ is the slope of $x^2 + x^3$. By adding, `.grad` always holds the slope of the sum of everything you have called `backward()` on
since the buffer was empty.

**`first` is 16 too.** `first = x.grad` copied nothing. It gave a second name, an **alias**, to the tensor in the buffer, and the
second call changed that tensor in place. To keep a value, copy it: `x.grad.clone()`.

To begin anew, empty the buffer:
"""

# %% [markdown] lang="ko" en="98a73cd2"
r"""
놀랄 일이 두 가지 있습니다.

**두 번째 호출은 4를 덮어쓰지 않고 12를 더했습니다.** `backward()`는 늘 버퍼에 들어 있는 값에 더합니다. PyTorch를 잘못
설계한 것일까요? 합에 대해 `backward()`를 한 번만 부른 것과 비교해 보세요. 합의 도함수는 도함수의 합이므로, $4 + 12$는 $x^2 + x^3$의 기울기입니다. 더하기
때문에 `.grad`는 언제나, 버퍼가 비어 있던 때부터 `backward()`를 부른 것을 모두 더한 함수의 기울기입니다.

**`first`도 16입니다.** `first = x.grad`는 아무것도 복사하지 않습니다. 버퍼에 있는 텐서에 이름을 하나 더 붙였을 뿐입니다. 이런
이름을 **별명**(alias)이라고 합니다. 두 번째 호출은 바로 그 텐서를 제자리에서 바꾸었습니다. 값을 남겨 두려면 `x.grad.clone()`으로
복사하세요.

처음부터 다시 하려면 버퍼를 비웁니다.
"""

# %%
x.grad = None
(x**3).backward()
print("x^3 after a reset:", x.grad)

x.grad = None
(x**2 + x**3).backward()
print("x^2 + x^3 at once:", x.grad)

# %% [markdown] lang="en"
r"""
## 3. The slope of which function?

Run the cell. Each button really calls `backward()`; the last one empties the buffer. Both calls of section 2 have
already been made at $x = 2$.

On the left is the **sum** $S$ of all functions called since the last reset, with its secant and a line whose slope is `x.grad`.
On the right is what `x.grad` held after each call, beside the quotient of the functions summed up to there.

1. Move $h$ to the left. Where does the quotient go: to 12, the slope of the last call, or to 16?
2. Empty the buffer. What is `x.grad` now? Call $x^3$ first and $x^2$ after it. Is the order of any importance?
3. Empty it again and call $x^2$ four times. What does `x.grad` do? Which function does it belong to?
4. Move $x$. The explorer then makes a fresh leaf at the new place and plays the same list of calls again. Where is `x.grad`
   zero after $x^2$ and $x^3$?
"""

# %% [markdown] lang="ko" en="dba6058a"
r"""
## 3. 어떤 함수의 기울기인가

셀을 실행하세요. 버튼을 누를 때마다 실제로 `backward()`를 부릅니다. 마지막 버튼은 버퍼를 비웁니다. 처음에는 $x = 2$에서
2절의 두 호출을 이미 마친 상태입니다.

왼쪽에는 마지막으로 비운 뒤 부른 함수를 모두 더한 **합** $S$와 그 할선, 그리고 기울기가 `x.grad`인 직선이 있습니다. 오른쪽에는
호출할 때마다 `x.grad`가 얼마였는지, 그리고 그때까지 더한 함수의 차분몫이 있습니다.

1. $h$를 왼쪽으로 옮기세요. 차분몫은 어디로 다가가나요? 마지막 호출의 기울기인 12인가요, 16인가요?
2. 버퍼를 비우세요. 이제 `x.grad`는 무엇인가요? $x^3$을 먼저, $x^2$을 나중에 불러 보세요. 순서가 중요한가요?
3. 다시 비우고 $x^2$을 네 번 부르세요. `x.grad`는 어떻게 되나요? 어떤 함수의 기울기인가요?
4. $x$를 옮기세요. 탐색기는 새 자리에 leaf를 새로 만들고 같은 호출을 차례대로 다시 부릅니다. $x^2$과 $x^3$을 부른 뒤 `x.grad`가 0이 되는 곳은 어디인가요?
"""

# %%
explore_buffer()

# %% [markdown] lang="en"
r"""
**What you saw.** The quotient of the *sum* goes to `x.grad`, for every list of calls. So 16 is not a spoilt 12: it is the
exact slope of $x^2 + x^3$. `x.grad` is only wrong if you believed that it belonged to the last call alone.

Try functions of your own:
"""

# %% [markdown] lang="ko" en="5d82a5b1"
r"""
**무엇을 보았나요?** 어떤 순서로 무엇을 부르든 *합*의 차분몫이 `x.grad`에 다가갑니다. 그러니 16은 망가진 12가 아니라
$x^2 + x^3$의 정확한 기울기입니다. `x.grad`가 틀려 보이는 것은 마지막 호출만의 기울기라고 생각했을 때뿐입니다.

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

`x.grad.zero_()` writes zeros into the tensor that is there. `x.grad = None` lets go of that tensor. Watch the alias
`kept` (`retain_graph=True` lets us go backward twice, as in lesson 2):
"""

# %% [markdown] lang="ko" en="966f294b"
r"""
## 4. 버퍼를 비우는 두 가지 방법

`x.grad.zero_()`는 지금 있는 텐서에 0을 써넣습니다. `x.grad = None`은 그 텐서를 놓아 버립니다. 별명 `kept`가 어떻게 되는지
보세요(`retain_graph=True`는 수업 02에서처럼 두 번 거슬러 가기 위한 것입니다).
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

z.backward(retain_graph=True)
kept = x.grad
print("first backward :", x.grad)

x.grad.zero_()
print("zero_()        :", x.grad, " kept:", kept)

z.backward()
print("second backward:", x.grad, " kept:", kept)

x.grad = None
print("None           :", x.grad, " kept:", kept)

# %% [markdown] lang="en"
r"""
With the buffer emptied in between, both passes gave $0.6$; without it, the second would have shown $1.2$. But `zero_()`
emptied `kept` as well, since it is the same tensor, and the second pass filled it again. `None` left `kept` alone.

A training loop must empty the buffers of all its parameters before each `backward()`. The optimizer does that:
"""

# %% [markdown] lang="ko" en="86681a67"
r"""
중간에 버퍼를 비웠으므로 두 번 다 $0.6$이 나왔습니다. 비우지 않았다면 두 번째에는 $1.2$가 나왔을 것입니다. 그런데 `zero_()`는
`kept`까지 0으로 만들었습니다. 같은 텐서이기 때문입니다. 두 번째 `backward()`도 `kept`에 값을 다시 채웠습니다. `None`은 `kept`를 건드리지
않았습니다.

학습할 때는 `backward()`를 부르기 전마다 모든 파라미터의 버퍼를 비워야 합니다. 옵티마이저가 이 일을 해 줍니다.
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
In spite of its name `zero_grad()` now sets `None`. That saves memory, and the next `backward()` need not add to zeros. In a plain
training loop both do the same. They differ

- for every other name of the old tensor, as you saw;
- for code that reads `.grad` right after the reset: `None` has no `.norm()`;
- for `optimizer.step()`: it skips a parameter whose `.grad` is `None`, but with zeros momentum or weight decay still move it.
"""

# %% [markdown] lang="ko" en="9cabb387"
r"""
`zero_grad()`는 이름과 달리 이제 `None`을 넣습니다. 메모리가 절약되고, 다음 `backward()`가 0에 더할 필요도 없습니다. 보통의 학습
반복문에서는 어느 쪽이든 결과가 같습니다. 차이가 나는 것은 다음 경우입니다.

- 예전 텐서에 다른 이름이 붙어 있을 때. 위에서 본 대로입니다.
- 비운 직후에 `.grad`를 읽는 코드가 있을 때. `None`에는 `.norm()`이 없습니다.
- `optimizer.step()`을 부를 때. `.grad`가 `None`인 파라미터는 건너뛰지만, 0이면 momentum이나 weight decay 때문에 움직일 수 있습니다.
"""

# %% [markdown] lang="en"
r"""
## 5. The gradient of an intermediate tensor

Only leaves have their gradient kept. On the way from $z$ to $x$ the slope with respect to $y$ is computed too, but thrown away
as soon as it has been used. `retain_grad()` asks to keep it:
"""

# %% [markdown] lang="ko" en="685a95f8"
r"""
## 5. 중간 텐서의 gradient

gradient를 남기는 것은 leaf뿐입니다. $z$에서 $x$까지 가는 길에 $y$에 대한 기울기도 계산하지만, 쓰고 나면 바로 버립니다.
남겨 달라고 부탁하는 것이 `retain_grad()`입니다.
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
Read the three from top to bottom and you see the walk back. It starts with $\frac{dz}{dz} = 1$. The logarithm makes
$\frac{1}{y} = \frac{1}{125} = 0.008$ of it, and the cube multiplies by $3x^2 = 75$: that is $0.6$.

The request must come **before** `backward()`:
"""

# %% [markdown] lang="ko" en="705ed23c"
r"""
세 값을 위에서 아래로 읽으면 거슬러 가는 길이 보입니다. $\frac{dz}{dz} = 1$에서 출발합니다. 로그를 지나며
$\frac{1}{y} = \frac{1}{125} = 0.008$이 되고, 세제곱을 지나며 $3x^2 = 75$가 곱해져 $0.6$이 됩니다.

`retain_grad()`는 `backward()`보다 **먼저** 불러야 합니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("y.grad                  :", y.grad)
for warning in caught:
    print(f"{warning.category.__name__}: {str(warning.message).partition('. ')[0]}.")

y.retain_grad()
print("y.grad after retain_grad:", y.grad)

# %% [markdown] lang="en"
r"""
Reading `.grad` of an intermediate tensor that nobody asked to keep gives `None` and a warning. Asking now is too late: the number
0.008 is gone. It would only be kept by the next `backward()` through `y`.

There is also a way around all buffers. `torch.autograd.grad` walks back in the same way, but *returns* the gradients you ask
for, of leaves and of intermediate tensors alike, and writes into no `.grad`:
"""

# %% [markdown] lang="ko" en="12857609"
r"""
남겨 달라고 하지 않은 중간 텐서의 `.grad`를 읽으면 `None`이 나오고 경고가 뜹니다. 이제 와서 부탁해도 늦습니다. 0.008은 이미
사라졌습니다. 다음에 `y`를 지나는 `backward()`부터 남습니다.

버퍼를 아예 거치지 않는 방법도 있습니다. `torch.autograd.grad`는 똑같이 거슬러 가지만, 부탁한 gradient를 *돌려줍니다*. leaf든 중간
텐서든 됩니다. 그리고 어떤 `.grad`에도 쓰지 않습니다.
"""

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

dz_dx, dz_dy = torch.autograd.grad(z, (x, y))
print("returned:", dz_dx, dz_dy)
print("x.grad  :", x.grad)

# %% [markdown] lang="en"
r"""
## 6. A big batch in small pieces

So far adding up was something to guard against. Here it is a gift. Suppose that the memory holds 16 rows at a time, but you want to
take each step with the gradient of 64 rows. Go backward on four **micro-batches** before you step: the buffers add up.

`mse_loss` is a *mean*. The mean over 64 rows is the mean of four means, so each loss is divided by 4.
"""

# %% [markdown] lang="ko" en="414c30e3"
r"""
## 6. 큰 배치를 작게 나누어

지금까지는 더해지는 것을 조심해야 했지만, 여기서는 고마운 일입니다. 메모리에는 한 번에 16행만 들어가는데, 64행의 gradient로
한 걸음을 가고 싶다고 합시다. **마이크로배치** 네 개에서 `backward()`를 부른 다음에 걸음을 옮기면 됩니다. 버퍼가 더해 줍니다.

`mse_loss`는 *평균*입니다. 64행의 평균은 네 평균의 평균이므로 loss를 매번 4로 나눕니다.
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
        (whole,) = torch.autograd.grad(mse_loss(model(X[rows]), Y[rows]), model.weight)
        same = torch.allclose(model.weight.grad, whole, atol=1e-6)
        print(f"micro-batch {i}: step on {rows.stop - rows.start} rows, gradient of all at once: {same}")
        optimizer.step()
        optimizer.zero_grad()
        first_row = rows.stop

# %% [markdown] lang="en"
r"""
There were eight micro-batches, but no batch of $8 \cdot 16 = 128$ rows: the **effective batch** is `accumulation_steps` times the
micro-batch, $4 \cdot 16 = 64$ rows, and it was stepped twice.

Now let the pieces be unequal, as the last one of a data set often is: 7 rows and 3 rows. Does dividing by the number of pieces still work?
"""

# %% [markdown] lang="ko" en="7bed9996"
r"""
마이크로배치는 여덟 개였지만 $8 \cdot 16 = 128$행짜리 배치는 없었습니다. **실효 배치**는 마이크로배치의 `accumulation_steps`배인
$4 \cdot 16 = 64$행이고, 걸음은 두 번 옮겼습니다.

이번에는 크기가 다르게 나누어 봅시다. 데이터의 마지막 배치는 흔히 그렇습니다. 7행과 3행입니다. 그래도 조각의 수로 나누면 될까요?
"""

# %%
pieces = [(X[:7], Y[:7]), (X[7:10], Y[7:10])]

model.zero_grad()
mse_loss(model(X[:10]), Y[:10]).backward()
print("10 rows at once :", f"{model.weight.grad[0, 0].item():.4f}")

model.zero_grad()
for inputs, targets in pieces:
    (mse_loss(model(inputs), targets) / len(pieces)).backward()
print("7 + 3, each / 2 :", f"{model.weight.grad[0, 0].item():.4f}")

# %% [markdown] lang="en"
r"""
It does not. A row of the small piece counts for $\frac{1}{2} \cdot \frac{1}{3} = \frac{1}{6}$, a row of the large one for $\frac{1}{14}$; it should
be $\frac{1}{10}$ for each. Averaging averages is right only when all pieces are of the same size. Task 3.4 puts it right.
"""

# %% [markdown] lang="ko" en="c23e8cc0"
r"""
그렇지 않습니다. 작은 조각의 한 행은 $\frac{1}{2} \cdot \frac{1}{3} = \frac{1}{6}$만큼, 큰 조각의 한 행은 $\frac{1}{14}$만큼
반영됩니다. 모두 $\frac{1}{10}$이어야 합니다. 평균의 평균이 전체 평균이 되는 것은 조각의 크기가 모두 같을 때뿐입니다. 과제 3.4에서 바로잡습니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

Five functions and one note, 12 points. The test cells work as in lesson 1: they hold the **visible tests**; **hidden tests** are added when
your work is graded. The note is graded by a person.

**The rules of every task**, as in lesson 1: unless a task says otherwise, your function leaves what belongs to its caller as it found it
(arguments and their values, `.grad`, `requires_grad`, hooks, gradient mode, default dtype, random state), keeps dtype and shape, gives
the same answer when called twice, and returns what its text says. In this lesson `.grad` is the point: read what each task says of it.
"""

# %% [markdown] lang="ko" en="78301fc0"
r"""
# 과제

함수 다섯 개와 글 하나, 모두 12점입니다. 테스트 셀은 수업 01과 같습니다. 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 글은 사람이 채점합니다.

**모든 과제에 적용되는 규칙**도 수업 01과 같습니다. 과제에 다른 말이 없으면 함수는 호출한 쪽의 것(인자와 그 값, `.grad`,
`requires_grad`, hook, gradient 모드, 기본 dtype, 난수 상태)을 그대로 두고, dtype과 shape을 유지하고, 두 번 불러도 같은 답을 내고,
글에 적힌 것을 돌려줍니다. 이번 수업에서는 `.grad`가 핵심이니 과제마다 `.grad`를 어떻게 하라고 하는지 잘 읽으세요.
"""

# %% [markdown] lang="en"
r"""
## Task 3.1 · `fresh_grad`

●●○○○ · ★★★★★ · 6 min · 2 points

Return the gradient of `f` at `x` and leave every `.grad` buffer alone.

- `x` is a tracked leaf, floating-point, of any shape. Its `.grad` may be `None` or full. Afterwards `x.grad` must be what it was: the
  same object with the same values.
- `f` takes a tensor and makes a tensor of any shape from it. Asked for is the gradient of the **sum of all numbers** in `f(x)`.
- `f` may use a model. The `.grad` of its parameters must not change either.
- The result is a tensor of its own with the dtype and shape of `x`, without a graph behind it (`requires_grad` is `False`).

<details><summary>Hint 1: the idea</summary>

`backward()` always writes into buffers. Section 5 had another function, one that *returns* gradients.

</details>

<details><summary>Hint 2: nearly the code</summary>

`torch.autograd.grad(number, x)` returns a tuple with one gradient for each input. Make one number of `f(x)` first.

</details>
"""

# %% [markdown] lang="ko" en="01c02229"
r"""
## 과제 3.1 · `fresh_grad`

●●○○○ · ★★★★★ · 6분 · 2점

`x`에서 `f`의 gradient를 돌려주세요. 단, 어떤 `.grad` 버퍼도 건드리지 않습니다.

- `x`는 추적되는 leaf이고 실수 텐서이며 shape은 무엇이든 될 수 있습니다. `x.grad`는 `None`일 수도, 이미 값이 들어 있을 수도 있습니다.
  부른 뒤에도 `x.grad`는 그대로여야 합니다. 같은 객체이고 값도 같아야 합니다.
- `f`는 텐서를 받아 아무 shape의 텐서나 만듭니다. 구할 것은 `f(x)`에 든 **모든 수의 합**의 gradient입니다.
- `f`는 모델을 쓸 수도 있습니다. 그 파라미터의 `.grad`도 바뀌면 안 됩니다.
- 결과는 dtype과 shape이 `x`와 같은 별개의 텐서이고, 뒤에 그래프가 없습니다(`requires_grad`가 `False`).

<details><summary>힌트 1: 생각의 방향</summary>

`backward()`는 언제나 버퍼에 씁니다. 5절에는 gradient를 *돌려주는* 함수가 따로 있었습니다.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`torch.autograd.grad(수, x)`는 입력마다 gradient가 하나씩 든 튜플을 돌려줍니다. 먼저 `f(x)`를 수 하나로 만드세요.

</details>
"""


# %% nbgrader={"grade_id": "fresh_grad", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def fresh_grad(f, x):
    """Return the gradient of f(x).sum() with respect to x, a tensor like x; touch no .grad.

    f: a function from a tensor to a tensor of any shape; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    (gradient,) = torch.autograd.grad(f(x).sum(), x)
    return gradient
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_fresh_grad", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, probe, say


@probe
def _first(values):
    return fresh_grad(lambda t: t**2, torch.tensor(values, requires_grad=True))


_mean = say(en="that is the gradient of the mean; take the sum of f(x)", ko="평균의 gradient입니다. f(x)의 합을 구하세요")
check.close(
    _first([1.0, 2.0, 3.0]),
    torch.tensor([2.0, 4.0, 6.0]),
    "fresh_grad(lambda t: t**2, x=[1., 2., 3.])",
    mistakes=[
        (torch.tensor([2.0, 4.0, 6.0]) / 3, _mean),
        (torch.tensor([1.0, 4.0, 9.0]), say(en="this is f(x); return its gradient", ko="f(x)의 값입니다. gradient를 돌려주세요")),
    ],
)
check.visible_passed()
### BEGIN HIDDEN TESTS
from torch import nn

from secant import formula, graphs, observe


@probe
def _calls(name, x, dtype, held, numbers):
    kind = getattr(torch, dtype)
    model = nn.ParameterDict({key: torch.tensor(v, dtype=kind) for key, v in zip("wb", numbers, strict=True)})
    f = formula(name, model=lambda t: torch.tanh(model["w"] * t + model["b"]))
    x = graphs.leaf(x, kind, held)
    for parameter in model.values():
        parameter.grad = None if held is None else torch.full_like(parameter, held)
    calls = observe(x=x, model=model)
    calls(fresh_grad, f, x)
    if not calls.changes:  # otherwise what the next calls do would only hide the cause
        calls(fresh_grad, f, x)
        x.data += 1
        calls(fresh_grad, f, x)
        calls(fresh_grad, lambda t: -2 * f(t), x)
    return calls.data()


def _want(name, x, w, b):
    slopes = {
        "t**2": lambda: 2 * x,
        "t": lambda: torch.ones_like(x),
        "t.sum()**2": lambda: 2 * x.sum() * torch.ones_like(x),
        "torch.relu(t)": lambda: (x > 0).to(x.dtype),
        # The numbers of each row are multiplied, each with each.
        "t[..., None] * t[..., None, :]": lambda: 2 * x.sum(-1, keepdim=True) * torch.ones_like(x),
        "model(t)": lambda: w * (1 - torch.tanh(w * x + b) ** 2),
    }
    return slopes[name]()


_adds = say(
    en="x.grad held something already and backward() added to it: the result must be the gradient alone",
    ko="x.grad에 들어 있던 값에 backward()가 더했습니다. gradient만 돌려주어야 합니다",
)
_buffer = say(
    en="the second of two equal calls gave another answer: did the first leave something in a buffer?",
    ko="똑같이 두 번 불렀는데 답이 달라졌습니다. 첫 호출이 버퍼에 무언가를 남기지 않았나요?",
)
_whatever = say(en="was something kept for this x, whatever the function?", ko="함수가 달라졌는데도 이 x에 남겨 둔 값을 쓰지 않았나요?")


def _compare(name, x, dtype, held=None, numbers=(1.0, 0.0), hint=""):
    f = name if name in ("torch.relu(t)", "model(t)") else f"lambda t: {name}"
    call = f"fresh_grad({f}, x={x}), {dtype}" + ("" if held is None else f", .grad = {held}")
    here = torch.tensor(x, dtype=torch.float64)
    want, there = (_want(name, place, *numbers).to(getattr(torch, dtype)) for place in (here, here + 1))
    mistakes = [] if held is None else [(want + held, _adds), (want + want + held, _adds)]
    mistakes += [(want / max(1, want.numel()), _mean)]
    found = _calls(name, x, dtype, held, numbers)
    check.close(found["results"][0], want, call, mistakes=mistakes, hint=hint)
    check.untouched(found["changes"], call)
    _, again, elsewhere, other = found["results"]
    check.repeatable(again, want, call + say(en=", called a second time", ko=", 두 번째 호출"), hint=_buffer)
    check.that(
        not found["tracked"][0],
        say(
            en=f"{call}: the result has requires_grad=True: a graph hangs behind it. Is create_graph set?",
            ko=f"{call}: 결과의 requires_grad가 True입니다. 뒤에 그래프가 달려 있습니다. create_graph를 쓰지 않았나요?",
        ),
    )
    check.that(
        not found["aliases"][0],
        say(
            en=f"{call}: the result is an alias of x or of a .grad buffer; return a tensor of its own",
            ko=f"{call}: 결과가 x나 .grad 버퍼의 별명입니다. 별개의 텐서를 돌려주세요",
        ),
    )
    then = say(en=", then the same f and the same x after x += 1", ko=", 이어서 x += 1 다음에 같은 f와 같은 x로")
    check.not_stale(elsewhere, there, call + then)
    then = say(en=", then another function, -2 * f(t), at the same x", ko=", 이어서 같은 x에서 다른 함수 -2 * f(t)로")
    check.not_stale(other, -2 * there, call + then, hint=_whatever)
    later = say(en=": the first result, looked at after a later call", ko=": 첫 결과를 뒤의 호출 다음에 다시 본 값")
    check.not_overwritten(found["kept"][0], want, call + later)


_shape = say(en="f(x) may have any shape; asked for is the gradient of the sum of all its numbers", ko="f(x)의 shape은 무엇이든 될 수 있습니다. 모든 수의 합의 gradient를 구하세요")
for _dtype in ("float64", "float32"):
    for _held in (None, 9.0, check.draw(-9, -1)):
        _compare("t**2", check.draws(3, -3, 3), _dtype, _held)
        _compare("t**2", check.draw(-3, 3), _dtype, _held)
        _compare("t.sum()**2", [check.draws(2, 1, 3), check.draws(2, 1, 3), check.draws(2, -1, 1)], _dtype, _held, hint=_shape)
        _compare("t[..., None] * t[..., None, :]", check.draws(4, 0.2, 3), _dtype, _held, hint=_shape)
        _compare("model(t)", [check.draws(3, -1, 1)], _dtype, _held, (check.draw(0.3, 1.5), check.draw(-0.5, 0.5)))
    _compare("torch.relu(t)", [[-1.5, 2.0, check.draw(0.1, 3)]], _dtype, 4.0)
    _compare("t", [[check.draws(2, -3, 3)], [check.draws(2, -3, 3)]], _dtype, 4.0)
    _compare("t[..., None] * t[..., None, :]", [check.draws(3, 0.2, 3), check.draws(3, 0.2, 3)], _dtype, hint=_shape)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.2 · `grad_history`

●●○○○ · ★★★★★ · 6 min · 2 points

For each function in the list call `backward()` on its result at `x`, one after the other without a reset, and return **what `x.grad` was after each of these calls**.

- `fs` is a list of functions, perhaps empty; the same function may stand in it twice. Each makes a tensor with a single number from `x`.
- `x` is a tracked leaf of any shape. Its `.grad` is `None` when you are called.
- Return a list with one tensor for each function, with the dtype and shape of `x` and no graph behind it. Each entry keeps its value **whatever becomes of `x.grad` later**.
- Afterwards `x.grad` holds the sum of all gradients (`None` for an empty list). Here filling it is your job, not a side effect.

<details><summary>Hint 1: the idea</summary>

What was `first` in section 2, after the second call?

</details>

<details><summary>Hint 2: nearly the code</summary>

After each `f(x).backward()` append a copy: `x.grad.clone()`.

</details>
"""

# %% [markdown] lang="ko" en="52f9a3dc"
r"""
## 과제 3.2 · `grad_history`

●●○○○ · ★★★★★ · 6분 · 2점

리스트의 함수마다 `x`에서의 결과에 `backward()`를 차례대로, 중간에 비우지 않고 부르세요. 그리고 **호출할 때마다 `x.grad`가 얼마였는지**
돌려주세요.

- `fs`는 함수의 리스트이고 비어 있을 수도 있습니다. 같은 함수가 두 번 들어 있을 수도 있습니다. 함수는 `x`로 수가 하나 든 텐서를 만듭니다.
- `x`는 추적되는 leaf이고 shape은 무엇이든 될 수 있습니다. 여러분의 함수를 부를 때 `x.grad`는 `None`입니다.
- 함수마다 텐서가 하나씩 든 리스트를 돌려주세요. 텐서는 dtype과 shape이 `x`와 같고 뒤에 그래프가 없습니다. **나중에 `x.grad`가 어떻게
  되더라도** 각 원소의 값은 그대로여야 합니다.
- 끝난 뒤 `x.grad`에는 모든 gradient의 합이 들어 있어야 합니다(리스트가 비어 있으면 `None`). 이 과제에서 `x.grad`를 채우는 것은 부수 효과가
  아니라 여러분이 할 일입니다.

<details><summary>힌트 1: 생각의 방향</summary>

2절에서 두 번째 호출 뒤에 `first`는 무엇이었나요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

`f(x).backward()`를 부를 때마다 사본 `x.grad.clone()`을 리스트에 넣으세요.

</details>
"""


# %% nbgrader={"grade_id": "grad_history", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def grad_history(fs, x):
    """Return x.grad as it was after backward() on each f(x), a list of tensors like x.

    fs: functions from a tensor to a tensor with a single number; x: a tracked leaf with x.grad None.
    """
    ### BEGIN SOLUTION
    history = []
    for f in fs:
        f(x).backward()
        history.append(x.grad.clone())
    return history
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_grad_history", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, probe, say


@probe
def _sums(x):
    return grad_history([lambda t: t**2, lambda t: t**3], torch.tensor(x, requires_grad=True))


check.close(
    _sums(2.0)[-1],
    torch.tensor(16.0),
    "grad_history([lambda t: t**2, lambda t: t**3], x=2)[-1]",
    mistakes={
        12.0: say(en="12 is the gradient of the last call alone; x.grad holds the sum", ko="12는 마지막 호출만의 gradient입니다. x.grad에는 합이 들어 있습니다"),
        4.0: say(en="the last entry is x.grad after the last call", ko="마지막 원소는 마지막 호출 뒤의 x.grad입니다"),
    },
)
check.visible_passed()
### BEGIN HIDDEN TESTS
from secant import formula, graphs, observe


@probe
def _calls(names, x, dtype):
    functions = {name: formula(f"({name}).sum()", sin=torch.sin, max=torch.maximum) for name in names}
    fs = [functions[name] for name in names]
    given = list(fs)
    x = graphs.leaf(x, getattr(torch, dtype))
    calls = observe(x=x)
    calls(grad_history, fs, x)
    total = None if x.grad is None else x.grad.clone()
    if total is not None:
        x.grad.detach().fill_(1234.0)
    x.grad, x.data = None, x.data + 1
    later = calls.data()["kept"][0]
    calls(grad_history, fs, x)
    return {**calls.data(), "total": total, "later": later, "same": fs == given}


_SLOPES = {
    "t**2": lambda t: 2 * t,
    "t**3": lambda t: 3 * t**2,
    "3*t": lambda t: 3 + 0 * t,
    "sin(t)": torch.cos,
    "max(t, -t/2)": lambda t: torch.where(t > 0, 1.0, -0.5).to(t.dtype),
}


def _running(names, x, dtype):
    here = torch.tensor(x, dtype=torch.float64)
    sums, total = [], torch.zeros_like(here)
    for name in names:
        total = total + _SLOPES[name](here)
        sums.append(total.to(getattr(torch, dtype)))
    return sums


def _plus_one(x):
    return [_plus_one(part) for part in x] if isinstance(x, list) else x + 1


_alias = say(
    en="all entries are one tensor: `x.grad` in a list is an alias, and each backward() changes it in place. Keep a copy",
    ko="모든 원소가 같은 텐서입니다. 리스트에 넣은 `x.grad`는 별명이고, backward()를 부를 때마다 제자리에서 바뀝니다. 사본을 넣으세요",
)
_alone = say(
    en="these are the gradients of the single calls; asked for is x.grad, which adds them up",
    ko="호출 하나하나의 gradient입니다. 이것이 차례로 더해진 x.grad를 구하세요",
)
_sum = say(en="entry k is the sum of the first k gradients", ko="k번째 원소는 처음 k개의 gradient를 더한 것입니다")
_total = say(
    en="afterwards x.grad must hold the sum of all gradients: do not empty it, and call each backward() on x itself",
    ko="끝난 뒤 x.grad에는 모든 gradient의 합이 있어야 합니다. 비우지 말고, x 자체에 대해 backward()를 부르세요",
)
_still = say(
    en="an entry still is the tensor in x.grad, under another name; the last one needs a copy too",
    ko="아직 x.grad의 텐서인 원소가 있습니다. 마지막 원소도 사본이어야 합니다",
)


def _compare(names, x, dtype):
    call = f"grad_history([{', '.join(names)}], x={x}), {dtype}"
    want = _running(names, x, dtype)
    alone = [_running([name], x, dtype)[0] for name in names]
    found = _calls(names, x, dtype)
    entries, elsewhere = found["results"]
    mistakes = [([want[-1]] * len(want) if want else [], _alias), (alone, _alone)]
    check.close(entries, want, call, mistakes=mistakes, hint=_sum if isinstance(entries, list) else "")
    after = call + say(en=": x.grad afterwards", ko=": 끝난 뒤의 x.grad")
    if want:
        emptied = say(en="the buffer was emptied in between", ko="중간에 버퍼를 비웠습니다")
        check.close(found["total"], want[-1], after, mistakes=[(alone[-1], emptied)], hint=_total)
    else:
        check.equal(found["total"], None, after)
    filled = say(en=": the entries after x.grad was filled with other numbers", ko=": x.grad에 다른 수를 채운 뒤의 원소")
    check.close(found["later"], want, call + filled, hint=_still)
    check.that(
        not found["tracked"][0],
        say(en=f"{call}: an entry has requires_grad=True: a graph hangs behind it", ko=f"{call}: requires_grad가 True인 원소가 있습니다. 뒤에 그래프가 달려 있습니다"),
    )
    check.untouched(found["changes"], call, but=[("grad", "x")])
    check.that(found["same"], say(en=f"{call}: the list fs was changed", ko=f"{call}: 리스트 fs가 바뀌었습니다"))
    then = say(en=", then again after x.grad = None and x += 1", ko=", 이어서 x.grad = None, x += 1 다음에 한 번 더")
    check.not_stale(elsewhere, _running(names, _plus_one(x), dtype), call + then)
    check.not_overwritten(
        found["kept"][0],
        want,
        call + say(en=": the first list, looked at after a later call", ko=": 첫 리스트를 뒤의 호출 다음에 다시 본 값"),
        hint=say(en="a later call changed an earlier result: make a new list each time", ko="뒤의 호출이 앞의 결과를 바꾸었습니다. 매번 새 리스트를 만드세요"),
    )


for _dtype in ("float64", "float32"):
    _compare(["t**2", "t**3"], 2.0, _dtype)
    _compare(["t**3", "t**2"], check.draw(0.5, 3), _dtype)
    _compare(["sin(t)", "t**2", "sin(t)", "3*t"], check.draw(-3, -0.5), _dtype)
    _compare(["t**2", "t**2", "t**2"], check.draws(3, -3, 3), _dtype)
    _compare(["max(t, -t/2)", "t**3", "max(t, -t/2)"], [check.draws(2, -3, -0.1), check.draws(2, 0.1, 3)], _dtype)
    _compare(["t**3"], [[check.draws(2, -3, 3)]], _dtype)
    _compare([], check.draws(2, -3, 3), _dtype)
_compare(["t**2", "sin(t)"], 0.0, "float64")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.3 · `train5`

●●●○○ · ★★★★★ · 8 min · 2 points

Train one parameter for five steps, with the reset or, on purpose, without it.

- `w` begins at the number `w0` (`float` or `int`, perhaps 0 or negative) as a tracked `float64` leaf; its buffer is empty at the beginning of every call.
- Each step computes the loss $w^2$, goes backward, and subtracts `lr * w.grad` from `w`.
- With `zero=True` the buffer is emptied before each `backward()`. With `zero=False` it is never emptied: this is the famous bug, and you are to write it.
- `lr` is a number that is 0 or greater. Return a list of five floats: the norm of `w`, here $|w|$, **after** each step.

<details><summary>Hint 1: the idea</summary>

The step itself must not be recorded: change `w` in place inside `with torch.no_grad():`.

</details>

<details><summary>Hint 2: nearly the code</summary>

In the loop: `if zero: w.grad = None`; then `(w**2).backward()`; then, without tracking, `w -= lr * w.grad`; then append `abs(w.item())`.

</details>
"""

# %% [markdown] lang="ko" en="dcb8ec56"
r"""
## 과제 3.3 · `train5`

●●●○○ · ★★★★★ · 8분 · 2점

파라미터 하나를 다섯 걸음 학습하세요. 버퍼를 비우면서, 또는 일부러 비우지 않고 합니다.

- `w`는 수 `w0`(`float` 또는 `int`, 0이나 음수일 수도 있음)에서 시작하는 `float64` leaf이고 추적됩니다. 호출할 때마다 버퍼는 빈 채로 시작합니다.
- 걸음마다 loss $w^2$을 계산하고, 거슬러 가고, `w`에서 `lr * w.grad`를 뺍니다.
- `zero=True`이면 `backward()`를 부르기 전마다 버퍼를 비웁니다. `zero=False`이면 한 번도 비우지 않습니다. 그 유명한 버그를 일부러 만드는 것입니다.
- `lr`는 0 이상인 수입니다. 걸음을 옮긴 **뒤마다** `w`의 노름, 여기서는 $|w|$를 구해 float 다섯 개가 든 리스트로 돌려주세요.

<details><summary>힌트 1: 생각의 방향</summary>

걸음을 옮기는 것까지 기록되면 안 됩니다. `with torch.no_grad():` 안에서 `w`를 제자리에서 바꾸세요.

</details>

<details><summary>힌트 2: 거의 코드</summary>

반복문 안에서 `if zero: w.grad = None`, 이어서 `(w**2).backward()`, 추적하지 않고 `w -= lr * w.grad`, 마지막으로 `abs(w.item())`를 리스트에 넣습니다.

</details>
"""


# %% nbgrader={"grade_id": "train5", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def train5(w0, lr, zero):
    """Return |w| after each of five steps on the loss w**2, a list of floats.

    w0: the number to begin with; lr: the step size; zero: whether to empty the buffer before each backward().
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


# %% nbgrader={"grade_id": "test_train5", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import check, say

for _zero in (True, False):
    _call = f"train5(1.0, 0.1, {_zero})"
    _result = train5(1.0, 0.1, _zero)
    check.that(
        isinstance(_result, list) and len(_result) == 5,
        say(en=f"{_call} returned {_result!r}: return a list of five floats", ko=f"{_call}의 결과는 {_result!r}입니다. float 다섯 개가 든 리스트를 돌려주세요"),
    )
    check.close(
        _result[0],
        0.8,
        f"{_call}[0]",
        mistakes={
            1.0: say(en="1.0 is |w| before the first step; keep it after the step", ko="1.0은 첫 걸음 전의 |w|입니다. 걸음을 옮긴 뒤의 값을 넣으세요"),
            1.2: say(en="w moved uphill: subtract lr * w.grad", ko="반대 방향으로 갔습니다. lr * w.grad를 빼세요"),
            0.9: say(en="the derivative of w**2 is 2w", ko="w**2의 도함수는 2w입니다"),
        },
    )
check.visible_passed()
### BEGIN HIDDEN TESTS
from secant import observe, probe


@probe
def _norms(w0, lr, zeros):
    calls = observe()
    for zero in zeros:
        calls(train5, w0, lr, zero)
    return calls.data()


def _walk(w0, lr, zero, before=False):
    """The same five steps with plain numbers, w with its sign."""
    w, buffer, found = float(w0), 0.0, []
    for _ in range(5):
        found.append(w)
        buffer = 2 * w if zero else buffer + 2 * w
        w -= lr * buffer
    return found if before else [*found[1:], w]


_resets = {
    False: say(
        en="these are the norms with a reset; for zero=False never empty the buffer, so that the old gradients stay in it",
        ko="버퍼를 비웠을 때의 값입니다. zero=False이면 한 번도 비우지 마세요. 이전 gradient가 남아 있어야 합니다",
    ),
    True: say(
        en="these are the norms without a reset; for zero=True empty the buffer before each backward()",
        ko="버퍼를 비우지 않았을 때의 값입니다. zero=True이면 backward()를 부르기 전마다 비우세요",
    ),
}


def _compare(w0, lr, zero, result):
    signed = _walk(w0, lr, zero)
    before = [abs(w) for w in _walk(w0, lr, zero, before=True)]
    check.close(
        result,
        [abs(w) for w in signed],
        f"train5({w0}, {lr}, {zero})",
        rtol=1e-11,
        atol=1e-12 * max(1.0, abs(w0)),
        mistakes=[
            ([abs(w) for w in _walk(w0, lr, not zero)], _resets[zero]),
            (signed, say(en="a norm is never negative: keep |w|, not w", ko="노름은 음수가 될 수 없습니다. w가 아니라 |w|를 넣으세요")),
            (before, say(en="each norm belongs after its step, not before it", ko="노름은 걸음을 옮기기 전이 아니라 옮긴 뒤에 구합니다")),
            ([w * w for w in signed], say(en="these are the losses w**2; keep |w|", ko="loss인 w**2의 값입니다. |w|를 넣으세요")),
        ],
        nearly=say(en="nearly: compute in float64", ko="거의 맞습니다. float64로 계산하세요"),
    )


_cases = [
    (1.0, 0.1),
    (check.draw(0.5, 3), check.draw(0.05, 0.45)),
    (check.draw(-3, -0.5), check.draw(0.05, 0.45)),
    (check.draw(-3, -0.5), check.draw(0.6, 1.4)),
    (check.draw(200, 900), check.draw(0.01, 0.04)),
    (3, 0.25),
    (-2, 0.125),
    (2, 1),
    (0.0, 0.1),
    (0, 0.3),
    (check.draw(1, 3), 0.0),
    (check.draw(1, 3), 0),
]
_zeros = (True, True, False, False, True, False)
for _w0, _lr in _cases:
    _found = _norms(_w0, _lr, _zeros)
    for _zero, _result in zip(_zeros, _found["results"], strict=True):
        _compare(_w0, _lr, _zero, _result)
    check.untouched(_found["changes"], f"train5({_w0}, {_lr}, zero)")
    check.not_overwritten(
        _found["kept"][0],
        _found["results"][0],
        say(en="the first list of train5, looked at after a second call", ko="train5를 두 번째로 부른 뒤에 다시 본 첫 번째 리스트"),
        hint=say(en="the second call changed the first list: begin a new list in every call", ko="두 번째 호출이 첫 번째 리스트를 바꾸었습니다. 호출할 때마다 리스트를 새로 만드세요"),
    )
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
### The two curves

Now look at what you built. The next cell needs your `train5`; it prints both lists and draws them, step 0 being the start.
Run it and **leave it in the notebook with its picture**. Then try other values of `w0` and `lr`, if you like, in a cell of your own.
"""

# %% [markdown] lang="ko" en="2bd86160"
r"""
### 두 곡선

이제 만든 것을 눈으로 봅시다. 다음 셀은 여러분의 `train5`를 씁니다. 두 리스트를 출력하고 그림으로 그립니다. 0번째 걸음은 출발점입니다.
실행하고 **그림이 나온 채로 노트북에 남겨 두세요**. `w0`와 `lr`를 바꾸어 보고 싶으면 셀을 새로 만들어 해 보세요.
"""

# %%
import matplotlib.pyplot as plt

from secant import say

w0, lr = 1.0, 0.1
try:
    curves = {zero: [abs(w0), *train5(w0, lr, zero)] for zero in (True, False)}
except NotImplementedError:
    print(say(en="Solve task 3.3 first, then run this cell again.", ko="과제 3.3을 먼저 풀고 이 셀을 다시 실행하세요."))
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

●●○○○ · ★★★★☆ · 5 min · 2 points, **graded by a person**

**What did the two curves tell you?** Answer in three to six sentences in the cell below, in English or in Korean.

- *One point for what you saw*: how does each curve run? Name numbers from your cell. Where does the curve without a reset look better, and what becomes of it then?
- *One point for the cause*: what is in `w.grad` at the third step, with and without the reset, and why does `w` not stay at the minimum?

No test can grade this, so a person reads it. Until then the report lists it apart and counts it neither for nor against you.
"""

# %% [markdown] lang="ko" en="eb8c7025"
r"""
## 글 · `two_curves`

●●○○○ · ★★★★☆ · 5분 · 2점, **사람이 채점**

**두 곡선은 무엇을 말해 주었나요?** 아래 셀에 서너 문장에서 여섯 문장으로, 한국어나 영어로 쓰세요.

- *본 것에 1점*: 두 곡선은 각각 어떻게 움직이나요? 셀에 나온 수를 들어 쓰세요. 비우지 않은 곡선이 더 나아 보이는 곳은 어디이고, 그 뒤에는 어떻게 되나요?
- *까닭에 1점*: 세 번째 걸음에서 `w.grad`에는 무엇이 들어 있나요? 비울 때와 비우지 않을 때를 견주어 보세요. `w`는 왜 최솟값에 머무르지 않나요?

이런 글은 테스트로 채점할 수 없어 사람이 읽습니다. 채점되기 전까지 결과표에는 따로 나오고, 점수에도 만점에도 들어가지 않습니다.
"""

# %% [markdown] nbgrader={"grade_id": "two_curves", "solution": true, "grade": true, "locked": false, "points": 2, "schema_version": 3, "task": false, "cell_type": "markdown"}
"""
### BEGIN SOLUTION
With the reset each step shrinks |w| by the same factor, 1 - 2 lr = 0.8: 0.8, 0.64, ..., 0.328. Without it the first step is the same and the next
ones are faster: 0.44, then 0.008, almost the minimum and already past it. But then |w| grows again, to 0.454 and 0.810: w goes on to the negative side.
At the third step w.grad is 2 * 0.64 = 1.28 with the reset, the gradient at the present w alone; without it, it is the sum of three gradients,
2 + 1.6 + 0.88 = 4.48. Near the minimum the new gradient is almost 0, but the old ones are still in the buffer and push w on. So the bug is not just a
larger lr: w swings to and fro for ever, and a smaller lr only makes the swings slower.

버퍼를 비우면 |w|가 걸음마다 1 - 2 lr = 0.8배로 줄어듭니다: 0.8, 0.64, ..., 0.328. 비우지 않으면 첫 걸음은 같고 다음부터는 더 빨라서 0.44, 0.008로
최솟값에 거의 닿고, 이미 조금 지나쳤습니다. 그런데 그 뒤로 0.454, 0.810으로 다시 커집니다. w가 음수 쪽으로 계속 가는 것입니다. 세 번째 걸음에서
w.grad는, 비울 때는 지금의 w에서 구한 gradient 2 * 0.64 = 1.28이고, 비우지 않을 때는 세 gradient의 합 2 + 1.6 + 0.88 = 4.48입니다. 최솟값 근처에서
새 gradient는 거의 0이지만 버퍼에 남은 예전 gradient가 w를 계속 밀어냅니다. 그러니 이 버그는 lr만 커진 것과 다릅니다. w는 끝없이 왔다 갔다 하고,
lr를 줄여도 더 천천히 흔들릴 뿐입니다.
### END SOLUTION
"""

# %% [markdown] lang="en"
r"""
## Task 3.4 · `accumulate`

●●●●○ · ★★★★★ · 10 min · 2 points

Fill the `.grad` of the model's parameters with the gradient of the **whole** batch, which you get in pieces.

- The loss is `torch.nn.functional.mse_loss`, the mean over all elements of all rows.
- `batches` is a list of pairs `(X, Y)` of tensors. `model(X)` has the shape of `Y`: rows first, perhaps several columns. The pieces
  may be of **unequal** size; each has at least one row.
- Afterwards the `.grad` of each tracked parameter equals the gradient of the loss of all rows together, up to rounding. All `.grad` are `None` when you are called. A parameter
  that is not tracked stays without one.
- The point is memory. Call the model **once for each piece, with that piece alone**, and go backward on it **before the next piece** goes through the model. A spy in
  the tests counts rows and calls.
- Do not step: parameters, `batches` and its tensors keep their values, and the model keeps its mode (`train` or `eval`).

<details><summary>Hint 1: the idea</summary>

The mean of the whole is a weighted mean of the means. What is the weight of a piece?

</details>

<details><summary>Hint 2: nearly the code</summary>

Count all rows first. Then, in the loop, multiply the loss of each piece by its share of the rows before `backward()`.

</details>
"""

# %% [markdown] lang="ko" en="426724a9"
r"""
## 과제 3.4 · `accumulate`

●●●●○ · ★★★★★ · 10분 · 2점

배치 **전체**의 gradient를 모델 파라미터의 `.grad`에 채우세요. 배치는 여러 조각으로 나뉘어 들어옵니다.

- loss는 `torch.nn.functional.mse_loss`, 곧 모든 행의 모든 원소에 대한 평균입니다.
- `batches`는 텐서 쌍 `(X, Y)`의 리스트입니다. `model(X)`의 shape은 `Y`와 같고, 첫째 차원이 행이며 열은 여러 개일 수 있습니다. 조각의 크기는
  **서로 다를 수 있고**, 조각마다 한 행 이상입니다.
- 끝난 뒤 추적되는 파라미터의 `.grad`는 모든 행을 한꺼번에 넣은 loss의 gradient와 반올림 오차 안에서 같아야 합니다. 여러분의 함수를 부를 때
  `.grad`는 모두 `None`입니다. 추적되지 않는 파라미터의 `.grad`는 `None`으로 남습니다.
- 메모리를 아끼는 것이 목적입니다. 모델은 **조각마다 한 번씩, 그 조각만 넣어** 부르고, **다음 조각**을 넣기 **전에** 거슬러 가세요. 테스트가 행의 수와
  호출 횟수를 셉니다.
- 걸음을 옮기지는 마세요. 파라미터와 `batches`, 그 안의 텐서는 값이 그대로여야 하고, 모델의 모드(`train` 또는 `eval`)도 그대로여야 합니다.

<details><summary>힌트 1: 생각의 방향</summary>

전체의 평균은 조각 평균들의 가중 평균입니다. 한 조각의 가중치는 얼마인가요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

먼저 행을 모두 셉니다. 반복문에서는 조각의 loss에 그 조각이 차지하는 행의 비율을 곱하고 `backward()`를 부릅니다.

</details>
"""


# %% nbgrader={"grade_id": "accumulate", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def accumulate(model, batches):
    """Leave in each parameter's .grad the gradient of the mean squared error over all rows of all batches.

    model: a module whose parameters have .grad None; batches: a list of pairs (X, Y), rows first.
    """
    ### BEGIN SOLUTION
    rows = sum(len(X) for X, _ in batches)
    for X, Y in batches:
        loss = torch.nn.functional.mse_loss(model(X), Y)
        (loss * len(X) / rows).backward()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_accumulate", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch
from torch import nn

from secant import check, probe, say


@probe
def _grad(X, Y, w):
    model = nn.Linear(3, 1, bias=False, dtype=torch.float64)
    model.weight.data.copy_(w)
    accumulate(model, list(zip(X.split(5), Y.split(5), strict=True)))
    return model.weight.grad


_X, _Y, _w = check.draw_tensor(10, 3), check.draw_tensor(10, 1), check.draw_tensor(1, 3)
# The gradients of the two pieces' means.
_first, _second = (2 * (_X @ _w.T - _Y) * _X).view(2, 5, 1, 3).mean(1)
_emptied = say(en="only the last piece is left: do not empty the buffers in the loop", ko="마지막 조각만 남았습니다. 반복문 안에서 버퍼를 비우지 마세요")
_added = say(
    en="the means are simply added: with two pieces that is twice the mean of the whole",
    ko="평균을 그냥 더했습니다. 조각이 둘이면 전체 평균의 두 배가 됩니다",
)
_sum = say(en="this is the gradient of the sum, not of the mean", ko="평균이 아니라 합의 gradient입니다")
check.close(
    _grad(_X, _Y, _w),
    (_first + _second) / 2,
    say(en="parameters' .grad after accumulate(model, batches), 5 + 5 rows", ko="accumulate(model, batches) 뒤 파라미터의 .grad, 5 + 5행"),
    mistakes=[(_first + _second, _added), (5 * (_first + _second), _sum), (_second / 2, _emptied), (_second, _emptied)],
    hint=say(en="multiply each piece's loss by its share of the rows before backward()", ko="backward() 전에 조각의 loss에 그 조각이 차지하는 행의 비율을 곱하세요"),
)
check.visible_passed()
### BEGIN HIDDEN TESTS
from secant import observe


@probe
def _calls(weights, X, Y, sizes, dtype, frozen):
    kind = getattr(torch, dtype)
    rows, open_graphs, done = [], [], []

    class Spy(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in weights.items():
                self.register_parameter(name, nn.Parameter(value.to(kind, copy=True)))

        def forward(self, X):
            open_graphs.append(len(rows) - len(done))
            rows.append(len(X))
            out = torch.tanh(X @ self.inner) @ self.outer + self.bias
            if out.requires_grad:
                out.register_hook(lambda gradient: done.append(1))
            return out

    model = Spy().train(not frozen)
    model.bias.requires_grad_(not frozen)
    X, Y = X.to(kind, copy=True), Y.to(kind, copy=True)
    batches = list(zip(X.split(sizes), Y.split(sizes), strict=True))
    given = list(batches)

    def grads():
        return {name: p.grad for name, p in model.named_parameters()}

    calls = observe(model=model, X=X, Y=Y)
    calls(accumulate, model, batches)
    calls(grads)
    same = len(batches) == len(given) and all(a is b for a, b in zip(batches, given, strict=True))
    same = same and not any(piece.requires_grad for pair in given for piece in pair)
    seen = {"same": same, "rows": list(rows), "graphs": list(open_graphs), "changes": list(calls.changes)}
    for p in model.parameters():
        p.grad = None
        p.data += 0.25
    calls(accumulate, model, given[::-1])
    calls(grads)
    return {**calls.data(), **seen}


def _share_gradients(weights, X, Y, sizes, shares):
    """The gradients of the pieces' means, each times its share, added up."""
    leaves = {name: value.double().clone().requires_grad_() for name, value in weights.items()}
    total = 0.0
    for x, y, share in zip(X.split(sizes), Y.split(sizes), shares, strict=True):
        out = torch.tanh(x @ leaves["inner"]) @ leaves["outer"] + leaves["bias"]
        total = total + share * ((out - y) ** 2).mean()
    found = torch.autograd.grad(total, list(leaves.values()))
    return dict(zip(leaves, found, strict=True))


_by_number = say(
    en="you divided by the number of pieces, which is right only when all are of the same size: weigh each by its share of the rows",
    ko="조각의 수로 나누었습니다. 크기가 모두 같을 때만 맞습니다. 행의 비율만큼 가중치를 주세요",
)
_by_rows = say(
    en="you divided by the number of rows; mse_loss is the mean over all elements, columns too",
    ko="행의 수로 나누었습니다. mse_loss는 열까지 포함한 모든 원소의 평균입니다",
)
_by_one = say(en="the pieces are measured by one of them; count all rows", ko="한 조각의 크기를 기준으로 삼았습니다. 행을 모두 세세요")
_added = say(en="the means are simply added: weigh each by its share of the rows", ko="평균을 그냥 더했습니다. 행의 비율만큼 가중치를 주세요")
_afterwards = say(
    en="afterwards each tracked parameter's .grad is the gradient of the mean over all rows",
    ko="끝난 뒤 추적되는 파라미터의 .grad는 모든 행에 대한 평균의 gradient여야 합니다",
)
_one_by_one = say(
    en="call the model once for each piece, with that piece alone: all rows at once may not fit into the memory",
    ko="모델은 조각마다 한 번씩, 그 조각만 넣어 부르세요. 모든 행을 한꺼번에 넣으면 메모리에 들어가지 않을 수 있습니다",
)


def _compare(sizes, columns, dtype, frozen=False):
    rows, n, kind = sum(sizes), len(sizes), getattr(torch, dtype)
    X, Y = check.draw_tensor(rows, 3, low=-2, high=2), check.draw_tensor(rows, columns, low=-2, high=2)
    shapes = {"inner": (3, 4), "outer": (4, columns), "bias": (columns,)}
    weights = {name: check.draw_tensor(*shape, low=-1, high=1) for name, shape in shapes.items()}

    def shared(shares, sizes=sizes, weights=weights):
        grads = _share_gradients(weights, X, Y, sizes, shares)
        return {k: None if frozen and k == "bias" else g.to(kind) for k, g in grads.items()}

    call = f"accumulate(model, batches), {' + '.join(map(str, sizes))} rows, {columns} columns, {dtype}"
    mistakes = [
        (shared([1 / n] * n), _by_number),
        (shared([1.0] * n), _added),
        (shared([size / rows * columns for size in sizes]), _by_rows),
        (shared([size * columns for size in sizes]), _sum),
        *((shared([*[0.0] * (n - 1), share]), _emptied) for share in (sizes[-1] / rows, 1.0, 1 / n)),
        (shared([size / sizes[0] / n for size in sizes]), _by_one),
    ]
    found = _calls(weights, X, Y, sizes, dtype, frozen)
    _, grads, _, again = found["results"]
    check.close(grads, shared([1.0], [rows]), call, mistakes=mistakes, hint=_afterwards)
    asked = [("grad", f"model.{name}") for name in weights]
    check.untouched(found["changes"], call, but=asked)
    check.that(found["same"], say(en=f"{call}: the list of batches, or a tensor in it, was changed", ko=f"{call}: 리스트 batches나 그 안의 텐서가 바뀌었습니다"))
    check.that(not found["tracked"][1], say(en=f"{call}: a graph hangs behind a .grad", ko=f"{call}: .grad 뒤에 그래프가 달려 있습니다"))
    given = say(en=": the rows that the model was given in each call (sorted)", ko=": 모델이 호출마다 받은 행의 수(정렬)")
    check.equal(sorted(found["rows"]), sorted(sizes), call + given, hint=_one_by_one)
    check.that(
        not any(found["graphs"]),
        say(
            en=f"{call}: a piece went through the model before backward() was called on the one before. So all the graphs "
            "are in memory at once, as if you had put in all rows together",
            ko=f"{call}: 앞 조각에서 backward()를 부르기 전에 다음 조각을 모델에 넣었습니다. 그러면 모든 그래프가 한꺼번에 메모리에 남아, "
            "모든 행을 함께 넣은 것과 같습니다",
        ),
    )
    moved = {name: (value.to(kind) + 0.25).double() for name, value in weights.items()}
    then = say(en=", then again with other weights and the pieces in reverse order", ko=", 이어서 가중치를 바꾸고 조각을 거꾸로 넣어 한 번 더")
    check.not_stale(again, shared([1.0], [rows], moved), call + then)


for _dtype in ("float64", "float32"):
    _compare([7, 3], 1, _dtype)
    _compare([5, 5], 3, _dtype)
    _compare([1, 6, 2], 3, _dtype)
    _compare([4], 2, _dtype)
    _compare([1, 1, 1, 5], 1, _dtype)
    _compare([2, 2, 2, 2, 2, 1], 2, _dtype, frozen=True)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3.5 · `all_grads`

●●○○○ · ★★★☆☆ · 5 min · 2 points

With $y = x^3$ and $z = \log y$ at $x =$ `x0`, return the three gradients $\frac{dz}{dx}, \frac{dz}{dy}, \frac{dz}{dz}$ as autograd finds them.

- `x0` is a positive number, `float` or `int`. Compute in `float64`.
- Return a tuple of three floats, in this order.
- No warning may appear.

<details><summary>Hint 1: the idea</summary>

Which of the three tensors keep their gradient unasked? When must you ask?

</details>

<details><summary>Hint 2: nearly the code</summary>

`y.retain_grad()` and `z.retain_grad()` before `z.backward()`; afterwards `x.grad.item()`, and so on.

</details>
"""

# %% [markdown] lang="ko" en="9a682ed1"
r"""
## 과제 3.5 · `all_grads`

●●○○○ · ★★★☆☆ · 5분 · 2점

$x =$ `x0`에서 $y = x^3$, $z = \log y$일 때 autograd가 구하는 세 gradient $\frac{dz}{dx}, \frac{dz}{dy}, \frac{dz}{dz}$를 돌려주세요.

- `x0`는 양수(`float` 또는 `int`)입니다. `float64`로 계산하세요.
- float 세 개가 든 튜플을 이 순서로 돌려주세요.
- 경고가 뜨면 안 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

세 텐서 가운데 부탁하지 않아도 gradient가 남는 것은 무엇인가요? 부탁은 언제 해야 하나요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

`z.backward()`보다 먼저 `y.retain_grad()`, `z.retain_grad()`를 부릅니다. 그다음 `x.grad.item()` 등을 읽습니다.

</details>
"""


# %% nbgrader={"grade_id": "all_grads", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def all_grads(x0):
    """Return (dz/dx, dz/dy, dz/dz), three floats, for y = x**3 and z = log(y) at the positive number x0."""
    ### BEGIN SOLUTION
    x = torch.tensor(float(x0), dtype=torch.float64, requires_grad=True)
    y = x**3
    z = torch.log(y)
    y.retain_grad()
    z.retain_grad()
    z.backward()
    return x.grad.item(), y.grad.item(), z.grad.item()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_all_grads", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import warnings

from secant import check, observe, probe, say


@probe
def _call(x0):
    calls = observe()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = calls(all_grads, x0)
    return result, [str(warning.message).partition(". ")[0] for warning in caught], calls.changes


_result = _call(5.0)[0]
check.that(
    isinstance(_result, tuple) and len(_result) == 3,
    say(en=f"all_grads(5.0) returned {_result!r}: return a tuple of three floats", ko=f"all_grads(5.0)의 결과는 {_result!r}입니다. float 세 개가 든 튜플을 돌려주세요"),
)
check.close(
    _result[0],
    0.6,
    "all_grads(5.0)[0]",
    rtol=1e-6,
    mistakes={
        1.0: say(en="this is dz/dz; dz/dx comes first", ko="dz/dz입니다. dz/dx가 맨 앞입니다"),
        75.0: say(en="this is dy/dx; every gradient here is that of z", ko="dy/dx입니다. 여기서는 모두 z의 gradient입니다"),
    },
)
check.visible_passed()
### BEGIN HIDDEN TESTS
_late = say(
    en="y and z are not leaves, so their gradient is kept only if asked for before backward(): retain_grad() afterwards is too late",
    ko="y와 z는 leaf가 아니어서 backward() 전에 부탁해야 gradient가 남습니다. 나중에 retain_grad()를 부르면 늦습니다",
)
_first = say(en="the first is dy/dx; every gradient here is that of z", ko="첫째 값이 dy/dx입니다. 여기서는 모두 z의 gradient입니다")
_doubled = say(en="dz/dx is doubled: backward() ran twice and x.grad added up", ko="dz/dx가 두 배입니다. backward()를 두 번 불러 x.grad에 쌓였습니다")
for _x0 in (2.0, *check.draws(3, 0.2, 0.9), *check.draws(3, 1.1, 9), 1, 3, 12, check.draw(100, 900), 5.0):
    _what = f"all_grads({_x0})"
    _dx, _dy = 3 / _x0, 1 / _x0**3
    _mistakes = [
        *(((_dx, *rest), _late) for rest in ((None, None), (_dy, None), (None, 1.0))),
        ((1.0, _dy, _dx), say(en="the order is dz/dx, dz/dy, dz/dz", ko="순서는 dz/dx, dz/dy, dz/dz입니다")),
        ((3.0 * _x0**2, _dy, 1.0), _first),
        ((_dx, 3.0 * _x0**2, 1.0), say(en="the second is dy/dx; asked for is dz/dy", ko="둘째 값이 dy/dx입니다. dz/dy를 구하세요")),
        ((2 * _dx, 2 * _dy, 2.0), say(en="everything is doubled: backward() ran twice", ko="모두 두 배입니다. backward()를 두 번 불렀습니다")),
        ((2 * _dx, _dy, 1.0), _doubled),
    ]
    _nearly = say(en="nearly: compute in float64 and do not round", ko="거의 맞습니다. float64로 계산하고 반올림하지 마세요")
    for _ in range(2):
        _result, _warned, _changes = _call(_x0)
        check.close(_result, (_dx, _dy, 1.0), _what, rtol=1e-11, atol=0.0, mistakes=_mistakes, nearly=_nearly)
        check.that(
            not _warned,
            say(
                en=f"{_what} is right, but a warning appeared: {_warned}. Do not read .grad of a tensor that is neither a leaf nor asked to keep it",
                ko=f"{_what}의 값은 맞지만 경고가 떴습니다: {_warned}. leaf도 아니고 남겨 달라고 하지도 않은 텐서의 .grad는 읽지 마세요",
            ),
        )
        check.untouched(_changes, _what)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

- **3.1** Buffers that are full already, of `x` and of a model inside `f`; results of `f` with one number, as many as `x`, or more; two calls in a row, `x` changed in
  between; another function at the same `x`; both dtypes and several shapes; that nothing hangs behind the result.
- **3.2** Every entry, not only the last; what becomes of the entries when `x.grad` is overwritten afterwards; a function that stands twice in the list; an empty list; `x.grad` at the end.
- **3.3** Both values of `zero`, called in turn; `w0` negative, 0 or an `int`; a step size of 0, and one so large that `w` jumps over the minimum; 11 digits; a list of its own for every call.
- **3.4** Pieces of unequal size, of one row, and a single piece; several columns; both dtypes; a parameter that is not tracked; a model in each of the two modes; how often and with how many rows the model is called, and whether
  `backward()` follows each call.
- **3.5** Other `x0`, `int`s too, all three gradients to 11 digits, and warnings.

Everywhere: the rules of every task.

## Checklist

You can now answer these without looking back:

- Three `backward()` calls, no reset: which function is `.grad` the slope of?
- `g = x.grad`, then `x.grad.zero_()`: what is `g`? And after `x.grad = None` instead?
- When must `retain_grad()` be called?
- 12 micro-batches of 8 rows, a step after every third: how large is the effective batch, and how many steps are taken?
- When may you divide each loss by the number of micro-batches, and what do you do otherwise?

Was your guess at the beginning right?

## Links

- [PyTorch: Autograd mechanics](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.retain_grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
- [PyTorch: torch.optim.Optimizer.zero_grad](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html)
- [PyTorch: Gradient accumulation in mixed precision training](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)

Next: Lesson 04, branches and broadcasts: where gradients add up.
"""

# %% [markdown] lang="ko" en="56508c4e"
r"""
## 숨은 테스트가 보는 것

- **3.1** 이미 값이 들어 있는 버퍼(`x`의 것과 `f` 안의 모델의 것). `f`의 결과가 수 하나일 때, `x`만큼일 때, 더 많을 때. 두 번 이어 부르고 그사이에
  `x`를 바꾸었을 때. 같은 `x`에서 함수를 바꾸었을 때. 두 가지 dtype과 여러 shape. 결과 뒤에 아무것도 달려 있지 않은지.
- **3.2** 마지막뿐 아니라 모든 원소. 나중에 `x.grad`를 덮어쓰면 원소가 어떻게 되는지. 리스트에 두 번 나오는 함수, 빈 리스트. 끝난 뒤의 `x.grad`.
- **3.3** `zero`의 두 값을 번갈아. 음수나 0, `int`인 `w0`. 0인 걸음 크기와, `w`가 최솟값을 뛰어넘을 만큼 큰 걸음 크기. 11자리까지. 호출마다 새 리스트인지.
- **3.4** 크기가 다른 조각, 한 행짜리 조각, 조각이 하나뿐일 때. 여러 열. 두 가지 dtype. 추적되지 않는 파라미터. 두 가지 모드의 모델. 모델을 몇 번, 몇 행씩 부르는지, 부를
  때마다 `backward()`가 뒤따르는지.
- **3.5** 다른 `x0`와 `int`. 세 gradient 모두 11자리까지. 경고가 뜨는지.

모든 과제에서 공통 규칙을 함께 봅니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- 비우지 않고 `backward()`를 세 번 부르면 `.grad`는 어떤 함수의 기울기인가요?
- `g = x.grad` 다음에 `x.grad.zero_()`를 부르면 `g`는 무엇인가요? 대신 `x.grad = None`이라고 하면요?
- `retain_grad()`는 언제 불러야 하나요?
- 8행짜리 마이크로배치가 12개이고 세 개마다 걸음을 옮깁니다. 실효 배치는 몇 행이고, 걸음은 몇 번 옮기나요?
- loss를 마이크로배치의 수로 나누어도 되는 것은 언제인가요? 그렇지 않을 때는 어떻게 하나요?

처음에 적은 예상은 맞았나요?

## 더 읽을거리

- [PyTorch: Autograd mechanics (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html)
- [PyTorch: torch.Tensor.retain_grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
- [PyTorch: torch.optim.Optimizer.zero_grad (영어)](https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html)
- [PyTorch: Gradient accumulation in mixed precision training (영어)](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)

다음은 수업 04, 갈림길과 브로드캐스트: gradient가 더해지는 곳입니다.
"""
