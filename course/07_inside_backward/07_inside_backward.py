# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Inside backward: saved tensors, in-place edits, hooks

Lesson {{lesson}} of {{lessons}} · ~{{minutes}} min · saved tensors, in-place, hook

**After this lesson you can**

- say which operations save their input for `backward()`, which save their output, and which save nothing;
- tell which in-place edits autograd records, which it refuses, and which spoil a gradient silently;
- trade time for memory with checkpoints;
- watch and change gradients during the backward pass, and find what made them wrong or `nan`.

You need lessons 2 to 4 and 6: nodes and what they save, hooks, `detach()`, `no_grad`. The minutes above do not include the *optional* task.
"""

# %% [markdown] lang="ko" en="35c69172"
r"""
# backward 속 들여다보기: 저장된 텐서, 제자리 연산, hook

수업 {{lesson}} / {{lessons}} · 약 {{minutes}}분 · 저장된 텐서, 제자리 연산, hook

**이 수업을 마치면**

- 어떤 연산이 `backward()`를 위해 입력을 저장하고, 어떤 연산이 출력을 저장하고, 어떤 연산이 아무것도 저장하지 않는지 말할 수 있습니다.
- autograd가 기록하는 제자리 연산, 오류로 막는 제자리 연산, 오류 없이 gradient를 망가뜨리는 제자리 연산을 구별할 수 있습니다.
- 체크포인팅으로, 계산 시간을 더 쓰는 대신 메모리를 아낄 수 있습니다.
- 역방향 계산에서 gradient를 지켜보고 바꿀 수 있으며, gradient가 틀리거나 `nan`이 된 원인을 찾을 수 있습니다.

수업 02–04와 06의 내용(노드와 노드가 저장하는 것, hook, `detach()`, `no_grad`)이 필요합니다. *선택* 과제는 위의 시간에 들어 있지 않습니다.
"""

# %%
import warnings

import torch
from torch.autograd.graph import saved_tensors_hooks

from secant import expect_error, explore, explore_saved, language, peak_memory
from secant import predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## First look

This is $f(x) = x^2$. The *secant* joins two points of the curve that are $h$ apart; its slope is the difference quotient. The dashed line has the slope that `backward()` stored in `x.grad`. The right plot shows how far apart the two slopes are, for every $h$.
(Leave the menu *spoil* as it is: section 4 is about it.)

Move $x$ to a place that you like. Then press *play h*, or move $h$ from $1$ to $0.0001$. Do this at three places. **What stays true at every $x$?**
"""

# %% [markdown] lang="ko" en="e2da9dcb"
r"""
## 먼저 보기

$f(x) = x^2$입니다. *할선*(secant)은 곡선 위에서 $h$만큼 떨어진 두 점을 지나는 직선이고, 그 기울기가 차분몫(difference quotient)입니다. 파선의 기울기는 `backward()`가 `x.grad`에 넣은 값입니다. 오른쪽 그림은 $h$마다 두 기울기가 얼마나 떨어져 있는지 보여 줍니다.
(*교란* 메뉴는 그대로 두세요. 4절에서 씁니다.)

마음에 드는 곳으로 $x$를 옮기세요. 그런 다음 *h 재생*을 누르거나 $h$를 $1$에서 $0.0001$까지 옮기세요. 세 곳에서 해 보세요. **$x$가 어디에 있든 늘 성립하는 것은 무엇인가요?**
"""

# %%
explore_saved(spoiler="none", h=1.0).first_look()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

At every $x$ the quotient goes to `x.grad` as $h$ gets small. (In the right plot, rounding takes over where $h$ is below about $10^{-8}$.) To find `x.grad`, `backward()` read values that the forward pass had saved. This lesson is about those values:
what happens when they change in between, and how the quotient shows it.

</details>

## Predict first

Two programs. `y.add_(1)` adds 1 to every element of `y` **in place**, in the same memory.

```
x = torch.tensor([1.0, 2.0], requires_grad=True)      x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sin()                                           y = x.exp()
y.add_(1)                                             y.add_(1)
y.sum().backward()                                    y.sum().backward()
```

**Which of them stops with an error?**
"""

# %% [markdown] lang="ko" en="5956441b"
r"""
<details><summary>무엇을 보았나요?</summary>

$x$가 어디에 있든 $h$를 줄이면 차분몫이 `x.grad`에 다가갑니다. (오른쪽 그림에서 $h$가 $10^{-8}$쯤보다 작은 곳에서는 반올림 오차가 커집니다.) `backward()`는 순방향 계산에서 저장해 둔 값을 읽어 `x.grad`를 구합니다. 이 수업에서는 그 저장된 값이 도중에 바뀌면
어떻게 되는지, 그것을 차분몫으로 어떻게 알아내는지 살펴봅니다.

</details>

## 먼저 예상하기

다음 두 프로그램을 비교해 보세요. `y.add_(1)`은 `y`의 모든 원소에 **제자리에서**(in-place), 곧 같은 메모리에서 1을 더합니다.

```
x = torch.tensor([1.0, 2.0], requires_grad=True)      x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sin()                                           y = x.exp()
y.add_(1)                                             y.add_(1)
y.sum().backward()                                    y.sum().backward()
```

**오류로 멈추는 것은 어느 쪽일까요?**
"""

# %%
predict(
    "7 add",
    A=say(
        en="both: an in-place edit always breaks `backward()`",
        ko="둘 다. 제자리 연산은 늘 `backward()`를 망가뜨린다",
    ),
    B=say(en="only the one with `sin`", ko="`sin` 쪽만 멈춘다"),
    C=say(en="only the one with `exp`", ko="`exp` 쪽만 멈춘다"),
)

# %% [markdown] lang="en"
r"""
Now `x` itself changes between the forward and the backward pass. The edit goes through `x.data`, a tensor in the same memory that is not tracked:

```
x = torch.tensor(3.0, requires_grad=True)
y = x**2
x.data.add_(1)
y.backward()
```

**What is `x.grad`?** The slope of $x^2$ at 3 is 6.
"""

# %% [markdown] lang="ko" en="25476f2a"
r"""
이번에는 순방향 계산과 역방향 계산 사이에 `x` 자체를 바꿉니다. `x.data`는 `x`와 같은 메모리에 있지만 추적되지 않는 텐서입니다.

```
x = torch.tensor(3.0, requires_grad=True)
y = x**2
x.data.add_(1)
y.backward()
```

**`x.grad`는 얼마일까요?** 3에서 $x^2$의 기울기는 6입니다.
"""

# %%
predict(
    "7 data",
    A=say(en="8, without any error", ko="8이고, 오류도 나지 않는다"),
    B=say(en="6: `y` was computed at 3", ko="6. `y`는 3에서 계산했다"),
    C=say(en="there is an error", ko="오류가 난다"),
)

# %% [markdown] lang="en"
r"""
## 1. What a node saves

During the backward pass, a node multiplies the gradient that arrives by its local slope. It may need values of the forward pass for that: its **saved tensors** (lesson 2). The slope of
$\sin x$ is $\cos x$, so the node saves $x$, its *input*. The slope of $e^x$ is $e^x$, its *output*; saving that avoids computing the exponential again.
The slope of $x + 1$ is 1, so there is nothing to save. The nodes can tell us (`self` and `other` are the inputs, `result` is the output):
"""

# %% [markdown] lang="ko" en="0d5538f7"
r"""
## 1. 노드가 저장하는 것

역방향 계산에서 노드는 도착한 gradient에 자기의 국소 기울기를 곱합니다. 그러려면 순방향 계산에서 나온 값이 필요할 때가 있습니다. 이것이 수업 02에서 본 **저장된 텐서**(saved tensor)입니다. $\sin x$의
기울기는 $\cos x$이므로 노드는 *입력* $x$를 저장합니다. $e^x$의 기울기는 $e^x$, 바로 *출력*입니다. 출력을 저장하면 지수함수를 다시 계산하지 않아도 됩니다.
$x + 1$의 기울기는 1이라 저장할 것이 없습니다. 노드를 직접 살펴봅시다(`self`와 `other`는 입력, `result`는 출력입니다).
"""


# %%
def saved_by(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return [name.removeprefix("_saved_") for name in names if isinstance(getattr(node, name), torch.Tensor)]


x = torch.tensor([1.0, 2.0], requires_grad=True)
for name, y in (("sin", x.sin()), ("exp", x.exp()), ("x + 1", x + 1), ("x * x", x * x), ("x**2", x**2)):
    print(f"{name:5}", saved_by(y.grad_fn))
y = x.exp()
print("data_ptr", y.grad_fn._saved_result.data_ptr() == y.data_ptr())

# %% [markdown] lang="en"
r"""
Saving copies nothing. A saved tensor shares its memory with the tensor it was made from (the last line compares their addresses), so editing that one in place changes what `backward()` reads.

## 2. The version counter

PyTorch guards against this. Every tensor counts its in-place edits in `_version`, its **version counter**. A node notes the version when it saves a tensor, and compares when it reads it:
"""

# %% [markdown] lang="ko" en="87cf21bf"
r"""
저장한다고 복사하지는 않습니다. 저장된 텐서는 원래 텐서와 메모리를 함께 씁니다(마지막 줄에서 두 주소를 비교했습니다). 그래서 원래 텐서를 제자리에서 바꾸면 `backward()`가 읽는 값도 바뀝니다.

## 2. 버전 카운터

PyTorch에는 이 위험을 막는 장치가 있습니다. 텐서마다 제자리에서 바뀐 횟수를 `_version`에 세는데, 이것을 **버전 카운터**(version counter)라고 합니다. 노드는 저장할 때의 버전을 적어 두었다가 읽을 때 비교합니다.
"""

# %%
for f in (torch.sin, torch.exp):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = f(x)
    before = y._version
    y.add_(1)
    print(f.__name__, "_version", before, "->", y._version)
    if f is torch.sin:
        y.sum().backward()
        print("x.grad:", x.grad)
with expect_error():
    y.sum().backward()

# %%
predicted(
    "7 add",
    right="C",
    A=say(
        en="An edit does harm only if some node saved the tensor that is edited. `sin` saved `x`, "
        "and `x` is unchanged.",
        ko="어떤 노드가 저장한 것을 바꿀 때만 해롭습니다. `sin`이 저장한 것은 `x`이고 `x`는 그대로입니다.",
    ),
    B=say(
        en="`sin` saved its input `x`, which did not change. The edit changed the output `y`.",
        ko="`sin`이 저장한 것은 입력 `x`이고 아무도 건드리지 않았습니다. 바뀐 것은 출력 `y`입니다.",
    ),
    C=say(
        en="`exp` saved its output `y` at version 0, and `y` is at version 1 now.",
        ko="`exp`는 출력 `y`를 저장했습니다. 적어 둔 버전은 0인데 지금은 1입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The error is good news: without it, the gradient would have been wrong. The remedy is `y = y + 1`, which makes a new tensor.

## 3. .data: the way around the counter

Inside `no_grad`, an edit of `x` is counted, and so is one of a view such as `x[0]`. An edit of `x.detach()` is counted too. Views and `x.detach()` share both their memory and their version counter with `x`. `x.data` shares only the memory:
"""

# %% [markdown] lang="ko" en="2f7c95d2"
r"""
오류가 나서 다행입니다. 오류 없이 넘어갔다면 틀린 gradient를 얻었을 것입니다. 고치려면 새 텐서를 만드는 `y = y + 1`을 쓰면 됩니다.

## 3. .data: 카운터를 피해 가는 길

`no_grad` 안에서 바꾸어도 버전은 올라갑니다. `x.detach()`를 바꾸거나, `no_grad` 안에서 `x[0]` 같은 뷰(view)를 바꾸어도 그렇습니다. `x`와 메모리도 버전 카운터도 함께 쓰기 때문입니다. 그러나 `x.data`는 메모리만 함께 씁니다.
"""

# %%
x = torch.tensor(3.0, requires_grad=True)
y = x**2
with torch.no_grad():
    x.add_(1)
print("no_grad: _version", x._version)
x.detach().add_(1)
print("detach : _version", x._version)
with expect_error():
    y.backward()

x = torch.tensor(3.0, requires_grad=True)
y = x**2
x.data.add_(1)
y.backward()
h = 1e-3
print(".data  : _version", x._version, " x.grad:", x.grad)
print(say(en="quotient at 3:", ko="3에서의 차분몫:"), f"{((3 + h) ** 2 - 3**2) / h:.3f}")

# %%
predicted(
    "7 data",
    right="A",
    A=say(
        en="The node reads 4 from the saved `x` and returns 2 · 4. The version is still 0, "
        "so PyTorch notices nothing.",
        ko="노드는 저장된 `x`에서 4를 읽고 2 · 4를 돌려줍니다. 버전이 그대로 0이라 PyTorch는 아무것도 눈치채지 못합니다.",
    ),
    B=say(
        en="`y` was, but `backward()` computes its slope 2x from the saved `x`, which holds 4 by then.",
        ko="`y`는 그렇습니다. 그러나 기울기 2x는 `backward()`에서 저장된 `x`로 계산하고, 그때 `x`에는 4가 들어 있습니다.",
    ),
    C=say(
        en="That is what `no_grad` would have given you. `.data` bypasses the version counter.",
        ko="`no_grad`였다면 그랬을 것입니다. `.data`는 버전 카운터를 피해 갑니다.",
    ),
)

# %% [markdown] lang="en"
r"""
So `.data` is not a shortcut for `no_grad`: it removes the only guard. This cannot fool the difference quotient: it runs the forward pass twice and reads no saved tensor.

## 4. Spoil what backward reads

Here is the explorer of the first look again. Its forward pass is always exact, and so is `backward()` to begin with. The menu *spoil* changes that: a number $a$ is added to `x.data` after the forward pass; saved tensors are stored
with fewer digits (about seven in `float32`, two or three in `bfloat16`, one or two in `float8`); or a *hook*, a function registered on `x`, multiplies the gradient by $a$ (lesson 4 and section 7).
Right, against $h$: how far the quotient is from `x.grad`, and (green, once something is spoiled) from the gradient with nothing spoiled.

1. In the menu *spoil*, choose `x.data.add_(a)`, and make $h$ small. Where does the quotient go, to `x.grad` or to the true gradient (green)? How far off is `x.grad` with $a = 0.5$, and with $a = 1$?
2. Choose $e^x$ for the same edit of `x.data`. Why is `x.grad` right now?
3. Back to $x^2$, and store saved tensors as `float32`, `bfloat16`, `float8`. How far off is each at $x = 1.3$, and at $x = 1.5$?
4. Choose the hook with $a = 2$. By what factor is `x.grad` wrong? Can the quotient see the hook?
"""

# %% [markdown] lang="ko" en="74a50c8e"
r"""
그러니 `.data`를 `no_grad`의 간편한 대용품으로 여기면 안 됩니다. 하나뿐인 안전장치를 꺼 버리는 셈입니다. 한편 차분몫은 저장된 값이 바뀌어도 영향을 받지 않습니다. 순방향 계산을 두 번 할 뿐, 저장된 텐서는 하나도 읽지 않습니다.

## 4. 역방향 계산을 일부러 교란하기

맨 앞에서 본 탐색기입니다. 순방향 계산은 언제나 정확하고, 처음에는 역방향 계산도 정확합니다. *교란* 메뉴에서 `backward()`를 어떻게 건드릴지 고를 수 있습니다. 순방향 계산 뒤에 `x.data`에 수 $a$를 더하거나, 저장된 텐서를 더 적은 자릿수로
보관하거나(`float32`는 약 일곱 자리, `bfloat16`은 두세 자리, `float8`은 한두 자리), `x`에 건 함수인 *hook*(수업 04와 7절)으로 gradient에 $a$를 곱합니다.
오른쪽 그림은 $h$마다 차분몫과 `x.grad`의 차이를 보여 줍니다. 무언가를 건드렸을 때는 차분몫과 원래 gradient의 차이도 초록색으로 보여 줍니다.

1. *교란* 메뉴에서 `x.data.add_(a)`를 고르고 $h$를 줄이세요. 차분몫은 `x.grad`로 다가가나요, 초록색이 가리키는 참값으로 다가가나요? $a = 0.5$일 때와 $a = 1$일 때 `x.grad`는 얼마나 어긋나나요?
2. 교란은 그대로 두고 함수만 $e^x$으로 바꾸세요. 이번에는 왜 `x.grad`가 맞을까요?
3. 다시 $x^2$으로 돌아가 저장된 텐서를 `float32`, `bfloat16`, `float8`로 보관하세요. $x = 1.3$에서 각각 얼마나 어긋나나요? $x = 1.5$에서는요?
4. hook을 고르고 $a = 2$로 두세요. `x.grad`는 몇 배로 틀리나요? 차분몫은 hook을 볼 수 있나요?
"""

# %%
explore_saved(spoiler="none", h=1.0)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. To the truth, which is 2.6 at $x = 1.3$. However small $h$ is, `x.grad` stays off by $2a$ (1, then 2): the node computed $2(x + a)$.
2. The node of $e^x$ saved its output, and the output did not change.
3. At 1.3 about $10^{-7}$, $6 \cdot 10^{-3}$ and $0.1$: the saved 1.3 was rounded. 1.5 needs only two binary digits, so every one of these dtypes stores it exactly, and the gradient is exact.
4. By 2. The quotient sees neither hooks nor saved tensors, which is why it can expose them.

</details>

For a function of your own: `explore_saved(torch.sin)`.

## 5. In-place edits are recorded

Are in-place edits invisible to autograd, then? No: an in-place edit of a tracked result is an operation like any other. **It gets a node of its own, and `backward()` goes through it.** Section 2 did not show that, because the slope of adding 1 is 1.
The second half of the cell edits a *view*. A view shares its memory with its base, so the edit changes both, and autograd rewrites the history of both. The base gets the node `CopySlices`, which applies the edit to a part of it; the view gets `AsStridedBackward0`, which takes this part out of the base again:
"""

# %% [markdown] lang="ko" en="e381ec90"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 참값으로 다가갑니다($x = 1.3$이면 2.6). `x.grad`는 $h$가 아무리 작아도 $2a$만큼(1, 다음은 2) 어긋나 있습니다. 노드가 $2(x + a)$를 계산했기 때문입니다.
2. $e^x$의 노드는 출력을 저장했고, 출력은 아무도 건드리지 않았습니다.
3. 1.3에서는 약 $10^{-7}$, $6 \cdot 10^{-3}$, $0.1$입니다. 저장된 1.3이 반올림되었습니다. 1.5는 이진수로 쓰면 자릿수가 짧아서 어느 dtype에나 그대로 들어가고, gradient도 정확합니다.
4. 2배입니다. 차분몫은 hook도 저장된 텐서도 보지 못합니다. 바로 그래서 차분몫으로 이런 잘못을 찾아낼 수 있습니다.

</details>

여러분의 함수는 `explore_saved(torch.sin)`처럼 넣으면 됩니다.

## 5. 제자리 연산도 기록된다

그러면 autograd는 제자리 연산을 알아차리지 못할까요? 아닙니다. 추적되는 결과를 제자리에서 바꾸는 것도 다른 연산과 똑같은 연산입니다. **자기 노드가 생기고, `backward()`는 그 노드를 지나갑니다.** 2절에서는 이것이 보이지 않았습니다. 1을 더하는 연산의 기울기가 1이기 때문입니다.
셀의 뒷부분에서는 *뷰*(view)를 바꿉니다. 뷰는 원본(base)과 메모리를 함께 쓰므로 원본도 바뀌고, autograd는 둘의 계산 기록을 모두 고쳐 씁니다. 원본의 노드는 원본의 일부에만 그 연산을 적용하는 `CopySlices`로, 뷰의 노드는 그 일부를 원본에서 다시 꺼내는 `AsStridedBackward0`으로 바뀝니다.
"""

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sin()
print("x.sin()    ", type(y.grad_fn).__name__)
y.add_(1)
print("y.add_(1)  ", type(y.grad_fn).__name__)
y.mul_(2)
print("y.mul_(2)  ", type(y.grad_fn).__name__)
y.sum().backward()
print("x.grad / cos(x):", x.grad / x.detach().cos())

x = torch.tensor([1.0, 2.0], requires_grad=True)
base = x.sin()
view = base[0]
view.mul_(10)
print("view.mul_(10): base", type(base.grad_fn).__name__, base._version, " view", type(view.grad_fn).__name__)
base.sum().backward()
print("x.grad / cos(x):", x.grad / x.detach().cos())

# %% [markdown] lang="en"
r"""
`mul_(2)` doubled the gradient, and `CopySlices` multiplied the one element by 10. Here is lesson 1's explorer with $\sin x$ and three edits of it: `y` itself, a view of `y`, and `y.data`, each multiplied by 2.
**Choose each function, then make $h$ small. For which of them do the secant and the tangent disagree, and why?**
"""

# %% [markdown] lang="ko" en="6e950f16"
r"""
`mul_(2)`는 gradient를 두 배로 만들었고, `CopySlices`는 원소 하나에만 10을 곱했습니다. 다음은 수업 01의 탐색기입니다. 함수는 네 가지입니다. 하나는 $\sin x$이고, 나머지 셋은 그 결과 `y` 자체에, `y`의 뷰에, `y.data`에 각각 2를 곱합니다.
**함수를 하나씩 고르고 $h$를 줄여 보세요. 할선과 접선이 끝까지 갈라져 있는 것은 어느 것이고, 왜 그럴까요?**
"""


# %%
def twice(edited):
    def f(x):
        y = x.sin()
        edited(y).mul_(2)
        return y

    return f


edits = {"y": lambda y: y, "y.view(-1)": lambda y: y.view(-1), "y.data": lambda y: y.data}
twices = {f"{name}.mul_(2)": twice(edit) for name, edit in edits.items()}
explore({"sin x": torch.sin, **twices}, x=2.0, rounding=False)

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

Only for `y.data`. All three edits double the curve and its secant. The first two are recorded, so the tangent doubles with them; through `.data` nothing is recorded, and the tangent is that of $\sin x$.

</details>

So there are three cases. If autograd records an in-place edit, the gradient takes it into account. If a node had saved the values that the edit overwrites, `backward()` raises an error. And an edit through `.data` is neither recorded nor noticed.

## 6. Saved tensors cost memory

In training, saved tensors take up much of the memory. You can put two functions of your own between the graph and what it saves: `pack` receives each tensor at the moment it is saved and returns what to keep instead; `unpack` turns that into a tensor again
when `backward()` needs it. The explorer stored fewer digits this way:
"""

# %% [markdown] lang="ko" en="b63d1a53"
r"""
<details><summary>무엇을 보았나요?</summary>

`y.data`뿐입니다. 셋 모두 곡선과 할선의 기울기를 두 배로 만듭니다. 앞의 둘은 기록되므로 접선의 기울기도 두 배가 됩니다. `.data`를 거친 변경은 기록되지 않으므로 접선의 기울기는 $\sin x$의 것 그대로입니다.

</details>

그러므로 제자리 연산을 볼 때는 세 가지를 물어보세요. autograd가 기록하나요? 그러면 gradient에 반영됩니다. 바뀌기 전의 값을 저장해 둔 노드가 있나요? 그러면 `backward()`가 오류를 냅니다. `.data`를 거쳤나요? 그러면 둘 다 일어나지 않습니다.

## 6. 저장된 텐서는 메모리를 차지한다

학습할 때 메모리의 상당 부분은 저장된 텐서가 차지합니다. `saved_tensors_hooks`를 쓰면 텐서를 저장할 때와 꺼낼 때 호출할 함수를 하나씩 정할 수 있습니다. `pack`은 텐서가 저장될 때마다 그 텐서를 받아 대신 보관할 것을 돌려주고, `unpack`은
`backward()`에서 필요해지면 그것을 다시 텐서로 만듭니다. 탐색기도 이렇게 자릿수를 줄였습니다.
"""


# %%
def pack(t):
    print("pack  ", tuple(t.shape), t.dtype)
    return t.to(torch.bfloat16)


def unpack(kept):
    print("unpack", tuple(kept.shape), kept.dtype)
    return kept.to(torch.float64)


x = torch.tensor([1.3, 1.5], dtype=torch.float64, requires_grad=True)
with saved_tensors_hooks(pack, unpack):
    y = (x**2).sum()
y.backward()
print("x.grad:", x.grad)

# %% [markdown] lang="en"
r"""
The sum saved nothing: its slope is 1. The exponent 2 was not packed either, since the node keeps it as a Python number. (The 2 of `x * 2` is saved as a tensor, see lesson 2, but `pack` skips tensors made from Python numbers.)

`torch.autograd.graph.save_on_cpu()` is a ready-made pair: it moves what a GPU saves into the CPU's memory and back. A **checkpoint** (lesson 2) saves more memory. It keeps only the input of a whole function, discards everything the function saved inside,
and runs the function a second time when `backward()` gets there. (`use_reentrant=False` selects the newer of its two forms. It works with `torch.autograd.grad`, and gradients reach weights even if the input is not tracked.)

The next cell applies `wave` ten times to 250 000 elements of `float32`, one megabyte. `peak_memory` measures how much memory the tensors take after the forward pass, and the most they take at any time until `backward()` ends:
"""

# %% [markdown] lang="ko" en="aad7cee8"
r"""
합은 아무것도 저장하지 않았습니다. 기울기가 1이기 때문입니다. 지수 2도 `pack`을 거치지 않았습니다. 노드가 텐서가 아니라 파이썬의 수로 보관하기 때문입니다. (곱 `x * 2`의 2는 조금 다릅니다. 수업 02에서 보았듯이 노드는 2를 텐서로 바꾸어 저장하지만, 파이썬의 수로 만든 이런 텐서에는 `pack`을 호출하지 않습니다.)

`torch.autograd.graph.save_on_cpu()`는 미리 만들어 둔 `pack`과 `unpack`입니다. GPU에서 저장되는 것을 CPU 메모리로 옮겼다가 되돌립니다. 수업 02에서 본 **체크포인팅**(checkpointing)을 쓰면 메모리를 더 많이 아낄 수 있습니다. 함수 전체에서 입력만 남기고 안에서 저장한 것은 모두 버린 뒤,
`backward()`가 거기에 이르면 함수를 한 번 더 실행합니다. (`use_reentrant=False`를 주면 두 방식 가운데 새 방식으로 실행합니다. 새 방식에서는 `torch.autograd.grad`도 쓸 수 있고, 입력이 추적되지 않아도 가중치에 gradient가 도착합니다.)

다음 셀은 `float32` 원소 25만 개(1메가바이트)에 `wave`를 열 번 적용합니다. `peak_memory`로 텐서가 차지하는 메모리를 잽니다. 순방향 계산이 끝났을 때의 값과, `backward()`가 끝날 때까지의 최댓값입니다.
"""

# %%
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

runs = []


def wave(t):
    runs.append("wave")
    return t.sin().exp().tanh()


def plain(t):
    for _ in range(10):
        t = wave(t)
    return t


def on_cpu(t):
    with save_on_cpu():
        return plain(t)


def checkpointed(t):
    for _ in range(10):
        t = checkpoint(wave, t, use_reentrant=False)
    return t


for f in (plain, on_cpu, checkpointed):
    runs.clear()
    x = torch.linspace(0, 1, 250_000, requires_grad=True)
    with peak_memory() as memory:
        y = f(x).sum()
        kept = memory.now
        y.backward()
    print(f"{f.__name__:12}", say(en="after forward", ko="순방향 계산 뒤"), f"{kept / 1e6:4.1f} MB", end="  ")
    print(say(en="peak", ko="최대"), f"{memory.peak / 1e6:4.1f} MB", end="  ")
    print(say(en="runs", ko="실행"), len(runs), f" x.grad[0] {x.grad[0]:.4g}")

# %% [markdown] lang="en"
r"""
The gradient is the same, at twice the runs and about half the memory: a checkpoint keeps one tensor for each `wave`, its input, where the plain graph keeps two. The first of the ten inputs is `x`, which existed before, so nine megabytes are added. (`sin`, `exp` and `tanh` save three, but the result of `tanh` and the input of the next `sin` are the same memory.)
`save_on_cpu` saves no memory on a machine without a GPU, where everything is in the CPU's memory already.

## 7. Hooks: functions in the backward pass

A **hook** (lesson 4) is a function that you register on a tensor. After `y.register_hook(f)`, every `backward()` that passes through `y` calls `f` with the gradient for `y`, before that gradient is used any further. What `f`
returns replaces it; if `f` returns nothing, the gradient stays. `register_hook` returns a *handle*, whose `remove()` removes the hook. On the chain of lesson 1:

```
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

def double(grad):
    print("grad", grad)
    return grad * 2

handle = y.register_hook(double)
z.backward()
```

Without the hook, $\frac{dz}{dy} = 0.008$ and $\frac{dz}{dx} = 75 \cdot 0.008 = 0.6$. **What is printed, and what is `x.grad` then?**
"""

# %% [markdown] lang="ko" en="69f92fd7"
r"""
gradient는 같고, 실행 횟수는 두 배, 메모리는 절반쯤입니다. 체크포인트는 `wave`마다 입력 하나만 남기는데, 그냥 이어 호출하면 둘씩 남기 때문입니다. (입력 열 개 가운데 첫째는 전부터 있던 `x`이므로 9MB입니다. 또 `sin`, `exp`, `tanh`가 저장하는 텐서는 셋이지만, `tanh`의 결과와 다음 `sin`의 입력은 같은 메모리입니다.)
GPU가 없는 컴퓨터에서는 모든 것이 이미 CPU 메모리에 있으므로 `save_on_cpu`로 아낄 메모리가 없습니다.

## 7. hook: 역방향 계산에 거는 함수

수업 04에서 본 **hook**은 텐서에 걸어 두는 함수입니다. `y.register_hook(f)`라고 하면 `backward()`가 `y`를 지날 때마다 `y`의 gradient가 다음으로 넘어가기 전에 그 gradient로 `f`를 호출합니다. `f`가 돌려준 값이 gradient를
대신하고, 아무것도 돌려주지 않으면 gradient는 그대로입니다. `register_hook`은 *핸들*(handle)을 돌려주는데, 핸들의 `remove()`를 호출하면 hook이 제거됩니다. 수업 01의 계산에 걸어 봅시다.

```
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

def double(grad):
    print("grad", grad)
    return grad * 2

handle = y.register_hook(double)
z.backward()
```

hook이 없으면 $\frac{dz}{dy} = 0.008$, $\frac{dz}{dx} = 75 \cdot 0.008 = 0.6$입니다. **무엇이 출력되고, 그 뒤 `x.grad`는 얼마일까요?**
"""

# %%
predict(
    "7 hook",
    A=say(en="0.008 is printed, `x.grad` is 0.6", ko="0.008이 출력되고 `x.grad`는 0.6이다"),
    B=say(en="0.008 is printed, `x.grad` is 1.2", ko="0.008이 출력되고 `x.grad`는 1.2다"),
    C=say(en="0.016 is printed, `x.grad` is 1.2", ko="0.016이 출력되고 `x.grad`는 1.2다"),
)


# %%
def double(grad):
    print("grad", grad)
    return grad * 2


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
handle = y.register_hook(double)
z.backward()
handle.remove()
print(tensor_info(x=x, y=y, z=z))
print("x.grad:", x.grad)

# %%
predicted(
    "7 hook",
    right="B",
    A=say(
        en="The hook returned something, and that replaces the gradient passed on to `x`.",
        ko="hook이 돌려준 값이 있으므로, 그 값이 gradient 대신 `x` 쪽으로 갑니다.",
    ),
    B=say(
        en="The hook receives 0.008 and returns 0.016, and 75 · 0.016 = 1.2 arrives at `x`.",
        ko="hook은 0.008을 받아 0.016을 돌려주고, `x`에는 75 · 0.016 = 1.2가 도착합니다.",
    ),
    C=say(
        en="1.2 is right. But the hook prints what it receives, before it doubles it.",
        ko="1.2는 맞습니다. 그러나 hook은 두 배로 만들기 전에, 받은 값을 출력합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
`y` keeps no `.grad` (it is a non-leaf), but its hook is called all the same. Never edit in place the tensor that a hook receives: other tensors may be about to receive the same one.

A leaf has a second kind of hook, which is called **after** its gradient has been added to `.grad`. It receives the *leaf*, not the gradient. Here `p` is used three times, twice in the product and once in the sum:
"""

# %% [markdown] lang="ko" en="2324d259"
r"""
`y`는 leaf가 아니어서 `.grad`를 남기지 않지만, 걸어 둔 hook은 호출됩니다. hook이 받은 텐서는 제자리에서 바꾸면 안 됩니다. 같은 gradient 텐서가 다른 곳에도 전달될 수 있기 때문입니다.

leaf에는 hook이 한 가지 더 있습니다. gradient가 `.grad`에 더해진 **다음에** 호출됩니다. 이 hook이 받는 것은 gradient가 아니라 *leaf*입니다. 다음에서 `p`는 세 번 쓰입니다(곱에 두 번, 합에 한 번).
"""

# %%
p = torch.tensor(2.0, requires_grad=True)
first = say(en="hook                 receives", ko="hook이 받은 것                :")
second = say(en="post-accumulate hook receives", ko="post-accumulate hook이 받은 것:")
p.register_hook(lambda g: print(first, g, " p.grad:", p.grad))
p.register_post_accumulate_grad_hook(lambda t: print(second, t, " p.grad:", t.grad))
(p * p + p).backward()

# %% [markdown] lang="en"
r"""
Each is called once, when the whole gradient $2p + 1 = 5$ is known: the engine first adds up what comes from all the uses (lesson 4).

## 8. The operation behind a nan

Take $\sqrt{x^2}$ at 0. The forward pass finds $\sqrt 0 = 0$, nothing unusual. Hooks show what happens in the backward pass (`name=name` gives each hook the name of its own tensor):
"""

# %% [markdown] lang="ko" en="2a9b865d"
r"""
둘 다 한 번씩 호출되고, 그때 gradient는 이미 다 더해진 $2p + 1 = 5$입니다. 여러 곳에서 온 것을 hook보다 먼저 엔진이 더하기 때문입니다(수업 04).

## 8. `nan`의 진짜 원인 찾기

0에서 $\sqrt{x^2}$을 봅시다. 순방향 계산에서는 $\sqrt 0 = 0$으로 이상한 것이 없습니다. 역방향 계산에서 무슨 일이 일어나는지 hook으로 봅시다(`name=name`은 hook마다 자기 텐서의 이름을 쓰게 합니다).
"""

# %%
x = torch.tensor([3.0, 0.0], requires_grad=True)
y = x**2
z = y.sqrt()
for name, t in (("z", z), ("y", y), ("x", x)):
    t.register_hook(lambda g, name=name: print(name, g))
z.sum().backward()

print(say(en="anomaly detection says:", ko="이상 탐지의 결과:"))
with warnings.catch_warnings(), expect_error():
    warnings.simplefilter("ignore")
    with torch.autograd.detect_anomaly():
        (x.detach().requires_grad_() ** 2).sqrt().sum().backward()

# %% [markdown] lang="en"
r"""
The root divided by $2\sqrt 0$ and made `inf`; the square multiplied that by $2 \cdot 0$, and $\infty \cdot 0$ is `nan`. PyTorch's **anomaly detection** stops at the first `nan` and names the square, `PowBackward0`. The culprit is the operation that `backward()` ran just before: the first that turned a finite gradient into one that is not. Task 7.6 finds it.

## 9. A real bug

`leaky_relu` returns $x$ where $x$ is positive, and $s \cdot x$ elsewhere; $s$ is called its negative slope. Its in-place form overwrites $x$, so its node saved the **output** and read the sign from that. In January 2020 somebody used it with $s = -2$.
In the cell, the node of `leaky_relu` saves its input $x$. To reproduce the bug, our `pack` keeps `leaky_relu(x)` instead. In `backward()`, the node then takes the sign of the output for the sign of its input:
"""

# %% [markdown] lang="ko" en="0fa9d5b9"
r"""
제곱근은 $2\sqrt 0$으로 나누어 `inf`를 만들었고, 제곱은 거기에 $2 \cdot 0$을 곱했습니다. $\infty \cdot 0$은 `nan`입니다. PyTorch의 **이상 탐지**(anomaly detection)는 처음 나온 `nan`에서 멈추고 제곱(`PowBackward0`)을 지목합니다. 진짜 원인은 그 직전에 역방향 계산이 지나간 연산, 곧 유한한 gradient를 받아 처음으로 유한하지 않은 gradient를 만든 연산(여기서는 제곱근)입니다. 과제 7.6에서 이것을 찾습니다.

## 9. 실제로 있었던 버그: `leaky_relu_`

`leaky_relu`는 $x$가 양수이면 $x$를, 아니면 $s \cdot x$를 돌려줍니다. $s$를 음수 쪽 기울기(negative slope)라고 합니다. 제자리에서 하는 `leaky_relu_`는 $x$를 덮어쓰므로 노드가 **출력**을 저장하고 부호를 거기서 읽었습니다. 2020년 1월, 한 사용자가 $s = -2$로 썼다가 gradient가 틀린 것을 발견했습니다.
지금의 PyTorch에서 그 노드를 흉내 내 봅시다. `leaky_relu`의 노드는 입력 $x$를 저장하는데, `pack`이 그 대신 `leaky_relu(x)`를 보관합니다. 그러면 `backward()`에서 노드는 출력의 부호를 입력의 부호로 여깁니다.
"""

# %%
leaky_relu, h = torch.nn.functional.leaky_relu, 1e-6
place = torch.tensor([-1.0, 1.0], dtype=torch.float64)
for s in (0.2, -2.0):
    quotient = (leaky_relu(place + h, s) - leaky_relu(place, s)) / h
    x = place.clone().requires_grad_()
    with saved_tensors_hooks(lambda t, s=s: leaky_relu(t, s), lambda t: t):
        leaky_relu(x, s).sum().backward()
    print(
        f"s = {s:4} ",
        say(en="quotient", ko="차분몫"),
        [round(q, 4) for q in quotient.tolist()],
        " x.grad",
        x.grad.tolist(),
    )

with expect_error():
    torch.nn.functional.leaky_relu_(place.clone().requires_grad_() * 1, -2.0).sum().backward()

# %% [markdown] lang="en"
r"""
At $x = -1$ the slope is $-2$, and PyTorch 1.3 said 1, as here, without an error ([pytorch#31938](https://github.com/pytorch/pytorch/issues/31938)). With $s = 0.2$ the output has the sign of the input, so the bug had gone unnoticed. With $s = -2$
an output of 2 may come from 2 or from $-1$: the information was overwritten. A version counter cannot help, because the saved tensor did not change; it was the wrong one to save. The [fix](https://github.com/pytorch/pytorch/pull/33639) is the error above: for a negative $s$, use the form that is not in place.
"""

# %% [markdown] lang="ko" en="20dd6e7b"
r"""
$x = -1$에서 기울기는 $-2$인데, PyTorch 1.3에서는 위와 같이 1이 나왔습니다. 오류는 없었습니다([pytorch#31938](https://github.com/pytorch/pytorch/issues/31938)). $s = 0.2$이면 출력의 부호가 입력과 같아서 버그가 드러나지 않았습니다. $s = -2$이면
출력이 2일 때 입력이 2였는지 $-1$이었는지 알 수 없습니다. 그것을 알려 줄 입력은 이미 덮어썼습니다. 버전 카운터도 소용없습니다. 저장된 텐서가 바뀐 것이 아니라, 저장할 것을 잘못 골랐기 때문입니다. [해결책](https://github.com/pytorch/pytorch/pull/33639)은 위에서 본 오류를 내는 것이었습니다. $s$가 음수이면 제자리에서 하지 않는 `leaky_relu`를 쓰라는 뜻입니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

{{tasks}}, {{points}}. **Task 7.5 is optional**; it gives points like the others.

Test cells, **Check**, marks and the **rules of every task** are those of lesson 1.

<details><summary>The rules in short, and how to see a solution</summary>

A test cell holds the **visible tests**; grading adds
**hidden tests**, and the list after the last task says what they check. Your function leaves its arguments, with their `.grad`, `requires_grad` and
hooks, and every setting of the process as they were. It keeps dtype and shape, gives the same answer when called twice, and returns what its
docstring says. Once you have passed a task, or when you are stuck, Check shows a worked solution (in a terminal:
`autograder check 7 --solution saved_shapes`).

</details>

**Only in this lesson:**

- Hooks for saved tensors and anomaly mode are settings of the process.
- The dtype is `float32` or `float64`. A tensor may be transposed, or a slice of a larger one, so `view` may fail on it.
- Where a task asks for a hook or for a change in place, it says so.
"""

# %% [markdown] lang="ko" en="bde15704"
r"""
# 과제

{{tasks}}, 합해서 {{points}}입니다. **과제 7.5는 선택 과제**이지만 점수는 똑같이 있습니다.

테스트 셀, **답 확인**, 표시, **모든 과제의 규칙**은 수업 01과 같습니다.

<details><summary>규칙 요약, 모범 풀이를 보는 방법</summary>

테스트 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가
더해집니다. 숨은 테스트가 무엇을 확인하는지는 마지막 과제 뒤에 적혀 있습니다. 함수는 인자와 그 `.grad`, `requires_grad`, hook, 그리고 프로세스의 모든
설정을 원래대로 두어야 합니다. dtype과 shape를 지키고, 두 번 호출해도 같은 답을 내고, docstring에 적힌 것을 돌려줍니다. 과제를 통과한 뒤나 막혔을 때는
답 확인 패널에서 모범 풀이를 볼 수 있습니다(터미널에서는 `autograder check 7 --solution saved_shapes`).

</details>

**이 수업에만 있는 규칙:**

- 저장된 텐서의 hook과 이상 탐지도 프로세스의 설정이므로, 함수를 끝낼 때 원래대로 되돌려 놓으세요.
- dtype은 `float32` 또는 `float64`입니다. 텐서는 전치한 것이거나 더 큰 텐서에서 잘라 낸 것일 수 있으므로 `view`가 실패할 수 있습니다.
- hook을 등록하거나 제자리에서 바꾸어야 할 때는 과제에 그렇게 적혀 있습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 7.1 · `breaks_backward`

●●○○○ · ★★★★★ · 4 min · {{points}}

Each of these five programs continues with `y.add_(1)` and then `y.sum().backward()`. Here `x` is a tracked leaf of positive elements. For which of them does `backward()` **raise an error**?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- Return a dict with exactly the keys `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`. The values are bools: `True` if it raises, `False` if it works.
- You may reason it out, or let your function try it.

<details><summary>Hint 1: the idea</summary>

Write down the slope of each operation. Is it shortest in terms of the input $x$, of the output $y$, or of neither?

</details>

<details><summary>Hint 2: a step further</summary>

`y.add_(1)` changes the version of `y` and of no other tensor. For `y = x.tanh()` the slope is $1 - y^2$, so that program would raise.

</details>
"""

# %% [markdown] lang="ko" en="c5134f15"
r"""
## 과제 7.1 · `breaks_backward`

{{marks}}분 · {{points}}

다음 다섯 프로그램 뒤에 `y.add_(1)`과 `y.sum().backward()`가 이어집니다. `x`는 추적되는 leaf이고 원소는 모두 양수입니다. `backward()`가 **오류를 내는** 것은 어느 것인가요?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- dict를 돌려주세요. 키는 꼭 `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`이어야 합니다. 값은 bool입니다. 오류가 나면 `True`, 잘 되면 `False`입니다.
- 따져서 답해도 되고, 함수 안에서 직접 해 보아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

연산마다 기울기를 적어 보세요. 입력 $x$로 쓰는 것이 더 간단한가요, 출력 $y$로 쓰는 것이 더 간단한가요? 아니면 둘 다 필요 없나요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

`y.add_(1)`은 `y`의 버전만 바꿉니다. 예를 들어 `y = x.tanh()`의 기울기는 $1 - y^2$이므로, 그 프로그램이라면 오류가 납니다.

</details>
"""


# %% answer="breaks_backward"
def breaks_backward():
    """Return a dict that says for each program whether backward() raises an error after y.add_(1).

    Its keys are the programs, as strings; its values are bools.
    """
    ### BEGIN SOLUTION
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": True, "x.log()": False, "x + 1": False}
    ### END SOLUTION


# %% test="breaks_backward" points=1
from secant import ask, check, hints

hint = hints("breaks_backward")

_PROGRAMS = ["x + 1", "x.exp()", "x.log()", "x.sin()", "x.sqrt()"]


def _compare(answer):
    got = answer.result
    answer.holds(isinstance(got, dict), check.kind(got), hint.keys)
    check.equal(sorted(got, key=str), _PROGRAMS, f"{answer.call}: {hint.listed}", hint=hint.keys)
    for program in _PROGRAMS:
        value, call = got[program], f"{answer.call}[{program!r}]"
        check.holds(type(value) is bool, call, hint.bools + f" ({check.kind(value)})")
    for program, breaks, cause in (("x + 1", False, hint.add), ("x.exp()", True, hint.exp)):
        check.equal(got[program], breaks, f"{answer.call}[{program!r}]", hint=cause)
    answer.holds(sum(got.values()) == 2, str(got), hint.some).changes_nothing()


_answer = ask("breaks_backward()")
_compare(_answer)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula


def _breaks(program):
    x = torch.tensor(check.draws(3, 0.5, 2), requires_grad=True)
    y = formula(program, x=x)(None)
    try:
        y.add_(1).sum().backward()
    except RuntimeError:
        return True
    return False


_CAUSES = {"x + 1": hint.add, "x.exp()": hint.exp}
_CAUSES |= {"x.sin()": hint.sin, "x.sqrt()": hint.sqrt, "x.log()": hint.log}
for _program, _cause in _CAUSES.items():
    _call = f"{_answer.call}[{_program!r}]"
    check.equal(_answer.result[_program], _breaks(_program), _call, hint=_cause)
_compare(_answer.again())
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.2 · `saved_shapes`

●●●○○ · ★★★★☆ · 6 min · {{points}}

Return the shapes of all tensors that the graph of `f(x)` saves for `backward()`. The result is a list of tuples **in any order**, and a new list in each call.

- `x` is a tracked leaf of any shape, perhaps empty. If it has a `.grad`, that must survive. `f` makes a tensor of any shape from `x`. It may use other tensors, tracked or not,
  and everything that it computes goes into its result.
- The list has one entry for **each time a node saves a tensor**. A tensor that two nodes save, or one node saves twice, has two entries. Tensors without dimensions or elements count too, and it does not matter in which attribute the node keeps a tensor, or whether it keeps it in a list. Python numbers, as in `x**2` or `x * 2`, do not count.
- Call `f` exactly once. Run no backward pass: neither `backward()` nor `torch.autograd.grad`. After your call, `backward()` on the result of `f(x)` must still work and give the usual gradients.

<details><summary>Hint 1: the idea</summary>

In section 6 a `pack` function received each tensor at the moment it was saved.

</details>

<details><summary>Hint 2: a step further</summary>

These two count the elements that are saved, and change nothing. What would you note instead of `t.numel()`, and where do you call `f`?

```
def pack(t):
    counts.append(t.numel())
    return t

with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
    ...
```

</details>
"""

# %% [markdown] lang="ko" en="af16e2d4"
r"""
## 과제 7.2 · `saved_shapes`

{{marks}}분 · {{points}}

`f(x)`의 그래프가 `backward()`를 위해 저장하는 모든 텐서의 shape를 돌려주세요. 결과는 튜플의 리스트이고 **순서는 상관없습니다**. 리스트는 호출할 때마다 새로 만드세요.

- `x`는 추적되는 leaf입니다. shape에는 제한이 없고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다. `f`의 결과는 텐서이고 shape에는 제한이 없습니다. `f`는 다른 텐서도
  쓸 수 있고(추적되는 것이든 아니든), 계산한 것은 모두 결과에 쓰입니다.
- **노드가 텐서를 한 번 저장할 때마다** 항목이 하나씩 있습니다. 같은 텐서를 두 노드가 저장하거나 한 노드가 두 번 저장하면 항목이 두 개입니다. 차원이 없는 텐서와 빈 텐서도 셉니다. 노드가 그것을 어느 속성에 두는지, 리스트에 넣어 두는지는 상관없습니다. `x**2`의 지수나 `x * 2`의 2처럼 파이썬의 수에서 온 것은 세지 않습니다.
- `f`는 꼭 한 번만 호출하세요. 역방향 계산은 하지 마세요. `backward()`도 `torch.autograd.grad`도 안 됩니다. 여러분의 함수가 끝난 뒤에도 `f(x)`의 결과에서 `backward()`를 호출할 수 있고, 원래의 gradient가 나와야 합니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절의 `pack` 함수는 텐서가 저장되는 바로 그 순간에 그 텐서를 받았습니다.

</details>

<details><summary>힌트 2: 한 단계 더</summary>

다음 코드는 저장되는 원소의 수를 적어 둘 뿐 아무것도 바꾸지 않습니다. `t.numel()` 대신 무엇을 적어야 할까요? `f`는 어디에서 호출할까요?

```
def pack(t):
    counts.append(t.numel())
    return t

with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
    ...
```

</details>
"""


# %% answer="saved_shapes"
def saved_shapes(f, x):
    """Return the shapes of the tensors that f(x) saves for backward(), as a list of tuples in any order.

    f: a function from a tensor to a tensor; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes
    ### END SOLUTION


# %% test="saved_shapes" points=2
from secant import ask, check, hints, leaf, tensor
from secant.checking.ask import judge

hint = hints("saved_shapes")


def _compare(f, x, dtype, want, wrong=None, cause=hint.pack, grad=5.0, **arguments):
    arguments |= {"f": f"lambda t: {f}", "x": leaf(x, dtype, grad)}
    answer = ask("saved_shapes(f, x)", {"noting": ("f",)}, **arguments)
    got = answer.result
    if isinstance(got, list) and all(isinstance(shape, tuple) for shape in got):
        got = sorted(got, key=lambda shape: [n if type(n) is int else -1 for n in shape])
    judge(got, sorted(want), answer.call, mistakes=wrong, hint=cause)
    return answer.holds(len(answer.ran) == 1, hint.once + f": {len(answer.ran)}").changes_nothing()


_wrong = {hint.number: [()], hint.input: [(2,)], hint.output: [(1,)]}
_compare("(t * 2 + 1)[:1]", [1.0, 2.0], "float64", [], _wrong, grad=None)
_wrong = {hint.twice: [(2,)], hint.nothing: []}
_f = "made.append(t * t) or made[0]"
_square_answer = _compare(_f, [1.3, 2.0], "float32", [(2,), (2,)], _wrong, made=[])
_options = {"errors": {"second time": hint.ran, "": hint.usable}}
_slopes = _square_answer.then("torch.autograd.grad(made[0].sum(), x)[0]", **_options)
_slopes.returns(tensor([2.6, 4.0], "float32"), hint=hint.usable)
_wrong = {hint.scalar: [(1, 2)], hint.nothing: []}
_compare("t.exp().sum() + t.sum().sin()", [[1.0, 2.0]], "float64", [(), (1, 2)], _wrong)
_compare("t.exp()", [], "float64", [(0,)], {hint.empty: []})
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_SQUARE = "custom.operation('x * x', '2 * x * g', names='x')"


def _compare_with_constants(f, x, dtype, want, cause=hint.pack):
    W = leaf([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], dtype, 7.0)
    _compare(f, x, dtype, want, None, cause, W=W, c=tensor([[2.0, -3.0]], dtype), square=_SQUARE)


for _dtype in ("float32", "float64"):
    _row, _column = check.draws(3, 1, 3), [[number] for number in check.draws(2, 1, 3)]
    for _x, _want, *_functions in (
        (_row, [], "-t", "t", "t + 1", "-0.5 * t", "t.sum()", "t.detach().exp() + t"),
        ([_row], [], "t.reshape(-1) + t.sum()", "t.sum() / 3", "t * 2 + 1"),
        (_row, [(3,)], "t.sin()", "t**2", "(2 * t).sin()", "t.detach().exp() * t"),
        (_row, [(3,)], "torch.where(t > 2, t, 0 * t)"),
        (_row, [(3,)] * 2, "t.sqrt().log()"),
        (_row, [(3,)] * 3 + [(3, 2)], "t.sin() * t + W.exp().sum()"),
        (_row, [(3,)] * 4, "(lambda s: s * s.sin())(t.exp())"),
        (_row, [()], "torch.tensor(2.0, dtype=t.dtype) * t"),
        (_row, [()] * 4, "(t[0] * t[1]) * t[2]"),
        ([_row], [(), (1, 3), (1, 3)], "(t * t).sum().exp()"),
        ([_row, _row], [(2, 3)], "t.relu()"),
        (_column, [(1, 2)], "c @ t", "c * t"),
        (_column, [(2, 2)], "(t + c).sin()"),
        (_column, [(2, 1), (3, 2)], "W @ t"),
        (_column, [(2, 1), (3, 1), (3, 2)], "(W @ t).tanh()"),
        (check.draw(-1, 1), [()], "t.exp()"),
        ([], [(0,)], "t.exp()"),
        (torch.empty(0, 3), [(0, 3)], "t.exp()"),
    ):
        for _f in _functions:
            check.smallest(_compare_with_constants, _f, _x, _dtype, _want)
    for _x, _want, _f in (
        ([_row[:2], _row[1:]], [(2,), (3,)], "t.sum(0).exp()[torch.tensor([1, 0, 1])]"),
        (_row, [(1,), (3,)], "t.exp().index_put((torch.tensor([1]),), t[0])"),
        (_row, [(), (3,)], "square(t).sum().exp()"),
    ):
        check.smallest(_compare_with_constants, _f, _x, _dtype, _want, hint.elsewhere)
_first = ask("saved_shapes(lambda t: t.exp(), x)", x=leaf(check.draws(3, 1, 2)))
_first.equals([(3,)])
_second = _first.then("saved_shapes(lambda t: t.exp() * t, x)", hint.stale).equals([(3,)] * 3)
_second.then("saved_shapes(lambda t: t + 1, x)", hint.stale).equals([]).changes_nothing()
_first.still_returns([(3,)], hint.anew)
# saved_shapes must run no backward pass through the graph of f(x), and must leave that graph usable.
_x, _w = (tensor(check.draws(2, 0.5, 1.5)) for _ in range(2))
_sum = "w.sin() * w + t.exp() * t + t[[1, 0]]"
_f = f"lambda t: (made.append({_sum}), made[0].register_hook(passed.append), made[0])[-1]"
_arguments = {"w": leaf(_w), "made": [], "passed": [], "f": _f, "x": leaf(_x)}
_options = {"words": f"saved_shapes(lambda t: {_sum}, x)"}
_answer = ask("saved_shapes(f, x)", _options, **_arguments)
_answer.holds(not _answer.then("passed").result, hint.ran)
_options = {"words": f"{_answer.call}, then torch.autograd.grad(f(x).sum(), [w, x])"}
_options |= {"errors": {"": hint.usable}}
_slopes = _answer.then("list(torch.autograd.grad(made[0].sum(), [w, x]))", hint.usable, **_options)
_want = [_w.cos() * _w + _w.sin(), _x.exp() * (1 + _x) + 1]
_slopes.returns(_want, nearly=hint.digits, rtol=1e-11, atol=1e-12)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.3 · `checkpoint_chain`

●●●○○ · ★★★★☆ · 9 min · {{points}}

Return the result of all functions of `fs`, applied to `x` one after the other (`fs[0]` first), **each in a checkpoint of its own**.

- Value and gradients equal those of the plain chain. `backward()` and `torch.autograd.grad` both work on the result, and gradients reach `x` as well as every tracked weight that a function uses, even if `x` is not tracked.
- Each function runs **once** during the call and **once more** during `backward()`: the last one first, each shortly before the backward pass goes through it. In the tests every function saves something for `backward()` (one that saves nothing is never run again). The graph saves no more than the input of each.
- A function may draw random numbers, as dropout does. The second run must draw the same ones, and nothing else may draw any.
- `fs` is a list, perhaps empty (then return `x` itself), and may change before `backward()`. The same function may appear in it twice. Each takes and returns one tensor and changes nothing in place.

<details><summary>Hint 1: the idea</summary>

Section 6: `checkpoint(f, t, use_reentrant=False)` keeps the input of `f` and nothing else. What is the input of the next function?

</details>

<details><summary>Hint 2: a step further</summary>

For two functions `f` and `g` it would be

```
y = checkpoint(f, x, use_reentrant=False)
z = checkpoint(g, y, use_reentrant=False)
```

In a loop, pass the function itself: a `lambda` made in a loop looks its names up when it runs, and by then they mean the last function.

</details>
"""

# %% [markdown] lang="ko" en="f7023008"
r"""
## 과제 7.3 · `checkpoint_chain`

{{marks}}분 · {{points}}

`fs`의 함수를 `x`에 차례로 모두 적용한 결과를 돌려주세요(`fs[0]`부터). 단, **함수마다 체크포인트를 따로** 두세요.

- 값과 gradient는 함수를 그냥 이어 호출한 것과 같아야 합니다. 결과에 `backward()`와 `torch.autograd.grad`를 모두 쓸 수 있어야 합니다. gradient는 `x`뿐 아니라 함수가 쓰는 추적되는 가중치에도 모두 도착해야 하고, `x`가 추적되지 않을 때도 그래야 합니다.
- 함수는 호출하는 동안 **한 번**, `backward()`를 하는 동안 **한 번 더** 실행됩니다. 두 번째 실행은 마지막 함수부터 차례로, gradient가 그 함수를 지나기 직전에 일어납니다. 테스트의 함수는 모두 `backward()`를 위해 무언가를 저장합니다(아무것도 저장하지 않는 함수는 다시 실행되지 않습니다). 그래프에는 각 함수의 입력만 저장되어야 합니다.
- 드롭아웃(dropout)처럼 난수를 뽑는 함수도 있습니다. 두 번째로 실행될 때도 같은 난수를 뽑아야 하고, 함수 말고는 아무것도 난수를 뽑으면 안 됩니다.
- `fs`는 리스트이고 비어 있을 수도 있습니다(그때는 `x`를 그대로 돌려주세요). 함수를 호출한 뒤 `backward()`를 하기 전에 리스트가 바뀔 수도 있습니다. 같은 함수가 두 번 들어 있을 수도 있습니다. 함수는 텐서 하나를 받아 텐서 하나를 돌려주고, 제자리에서 바꾸는 것은 없습니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절의 `checkpoint(f, t, use_reentrant=False)`는 `f`의 입력만 남깁니다. 다음 함수의 입력은 무엇인가요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

함수가 `f`와 `g` 둘이라면 다음과 같습니다.

```
y = checkpoint(f, x, use_reentrant=False)
z = checkpoint(g, y, use_reentrant=False)
```

반복문에서는 함수를 그대로 넘기세요. 반복문 안에서 만든 `lambda`는 실행될 때에야 이름을 찾는데, 그때 그 이름은 이미 마지막 함수입니다.

</details>
"""


# %% answer="checkpoint_chain"
def checkpoint_chain(fs, x):
    """Return fs[-1](... fs[0](x)), with each function in a separate checkpoint.

    fs: a list of functions from a tensor to a tensor; x: a tensor.
    """
    ### BEGIN SOLUTION
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(f, x, use_reentrant=False)
    return x
    ### END SOLUTION


# %% test="checkpoint_chain" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("checkpoint_chain")

_BACKWARD = "y.sum().backward()", "[t.grad for t in {}]"
_GRAD = "grads = torch.autograd.grad(y.sum(), {}, allow_unused=True)", "list(grads)"


def _compare(chain, fs, x, dtype, want, slopes, backward=_BACKWARD, wrong=None, before="", **extra):
    """chain: the functions' names, in order; slopes: the right gradients, keyed by name."""
    arguments = {**extra, **{name: f"lambda t: {f}" for name, f in fs.items()}}
    arguments |= {"fs": f"[{', '.join(chain)}]", "x": leaf(x, dtype)}
    options = {"noting": tuple(fs), "before": before}
    answer = ask("y = checkpoint_chain(fs, x)", options, **arguments)
    answer.returns(tensor(want, dtype), mistakes=wrong).is_tracked(hint.tracked)
    check.equal(answer.ran, list(chain), answer.call + ": " + hint.order)
    same_code = f"fs == [{', '.join(chain)}]"
    answer.holds(answer.then(same_code).result, hint.changed)
    run_code, grads_code = (text.format(f"[{', '.join(slopes)}]") for text in backward)
    after_pass = answer.then(run_code, errors={"use_reentrant": hint.older, "": hint.late})
    gradients = after_pass.then(grads_code, words=f"{after_pass.call}: {hint.slopes}")
    gradients.holds(all(slope is not None for slope in gradients.result), hint.reached)
    reruns = after_pass.ran[len(chain) :]
    check.equal(reruns, list(chain[::-1]), f"{after_pass.call}: {hint.rerun}", hint=hint.each)
    gradients.returns([tensor(slope, dtype) for slope in slopes.values()])
    answer.holds(answer.then(same_code).result, hint.changed)
    return answer.changes_nothing()


_functions, _x = {"f": "t * t", "g": "t**3 - t"}, [2.0, -1.0]
_slopes, _wrong = {"x": [188.0, -4.0]}, {hint.reverse: [36.0, 0.0]}
_compare("fg", _functions, _x, "float64", [60.0, 0.0], _slopes, wrong=_wrong)
_options = {"backward": _GRAD, "before": "x.requires_grad_(False)", "w": leaf(2.0, "float32")}
_compare("fg", {"f": "t**2 * w", "g": "t**3"}, -1.0, "float32", 8.0, {"w": 12.0}, **_options)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula
from secant.checking.ask import call_of

_HOOKS = "torch.autograd.graph.saved_tensors_hooks(lambda t: (saved.append(t.numel()), t)[-1], lambda t: t)"
_COUNT_SAVED = "(hooks.__enter__(), checkpoint_chain(fs, x), hooks.__exit__(), sum(saved))[-1]"


def _compare_with_autograd(chain, fs, x, weights, dtype, backward=_BACKWARD, before=""):
    leaves = {name: tensor(weight).requires_grad_() for name, weight in weights.items()}
    steps = [tensor(x).requires_grad_()]
    for letter in chain:
        steps.append(formula(fs[letter], **leaves)(steps[-1]))
    inputs = leaves if before else {"x": steps[0], **leaves}
    slopes = dict(zip(inputs, torch.autograd.grad(steps[-1].sum(), list(inputs.values())), strict=True))
    extra = {name: leaf(weight, dtype) for name, weight in weights.items()}
    extra |= {"backward": backward, "before": before, "saved": [], "hooks": _HOOKS}
    answer = _compare(chain, fs, x, dtype, steps[-1], slopes, **extra)
    dtypes = {call_dtype for name in fs for [call_dtype] in answer.given(name, "dtype").result}
    answer.holds(dtypes == {dtype}, hint.dtype + f": {', '.join(sorted(dtypes))}")
    second, limit = answer.then(_COUNT_SAVED), sum(step.numel() for step in steps[:-1])
    answer.holds(second.result <= limit, hint.saved + f": {second.result} > {limit}")
    check.equal(second.ran[2 * len(chain) :], list(chain), f"{answer.call}: {hint.order}", hint=hint.anew)


_FUNCTIONS = {"f": "t * t", "g": "t.sin() * t", "h": "t.exp()", "k": "t.tanh() * t"}
for _dtype in ("float64", "float32"):
    _rows, _w, _v = [check.draws(3, -1, 1), check.draws(3, -1, 1)], check.draw(0.5, 2), check.draw(-2, -0.5)
    for _chain, _fs, _x, _weights, *_rest in (
        ("fghk", _FUNCTIONS, check.draw(-1, 1), {}),
        ("ghg", _FUNCTIONS, _rows, {}),
        ("k", _FUNCTIONS, check.draws(2, -1, 1), {}, _GRAD),
        ("fg", {"f": "t.exp() * w", "g": "t.tanh() * v"}, _rows, {"w": _w, "v": _v}),
        ("fg", {"f": "t * w * t", "g": "t.exp()"}, _rows, {"w": _w}, _BACKWARD, "x.requires_grad_(False)"),
        ("fg", {"f": "t.sin() * t", "g": "w * t.exp()"}, _rows, {"w": _w}, _GRAD),
        ("fg", {"f": "(t @ t.T).tanh()", "g": "t.sum(0).exp()"}, _rows, {}),
    ):
        check.smallest(_compare_with_autograd, _chain, _fs, _x, _weights, _dtype, *_rest)
_x = tensor(check.draws(4, 0.5, 1.5))
_arguments = {"f": "lambda t: t**2 * torch.rand_like(t)", "g": "lambda t: t.exp() * torch.rand_like(t)"}
_arguments["x"] = leaf(_x)
_states = "y = (torch.get_rng_state(), checkpoint_chain([f, g], x), torch.get_rng_state())"
_random_answer = ask(_states, {"words": call_of("checkpoint_chain([f, g], x)", _arguments)}, **_arguments)
_gradient = _random_answer.then("torch.autograd.grad(y[1].sum(), x)[0]", hint.same)
_redraw = (
    "torch.set_rng_state(y[0]), torch.rand_like(x), torch.rand_like(x), torch.get_rng_state().equal(y[2])"
)
_, _first, _second, _same_state = _random_answer.then(_redraw).result
_value = (_x**2 * _first).exp() * _second
check.close(_random_answer.result[1], _value, _random_answer.call)
_random_answer.holds(_same_state, hint.more)
_gradient.returns(_value * 2 * _x * _first).changes_nothing()
_first = ask("y = checkpoint_chain(fs := [torch.sin, torch.exp], x)", x=leaf(_x, grad=3.0))
_first.returns(_x.sin().exp()).changes_nothing()
_second = _first.then("z = checkpoint_chain([torch.exp, torch.sin], x)", hint.stale)
_second.returns(_x.exp().sin()).changes_nothing()
_first.then("checkpoint_chain([], x) is x").equals(True, hint=hint.itself).changes_nothing()
_grads = _second.then("fs.reverse()").then("[torch.autograd.grad(t.sum(), x)[0] for t in (y, z)]")
_grads.returns([_x.sin().exp() * _x.cos(), _x.exp().cos() * _x.exp()], hint=hint.place)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.4 · `clip_hook`

●●○○○ · ★★★★★ · 6 min · {{points}}

From now on, let no gradient larger than `m` in absolute value pass through `t`: register a hook on `t` that clamps each element of the gradient to the range from $-m$ to $m$. **Return the hook's handle**, an object with a method `remove()`.

- `t` is tracked, a leaf or an intermediate tensor, of any shape, perhaps empty, and used in one or several places. `m` is an `int` or a `float`, 0 or greater. What is clamped is the **whole** gradient that arrives at `t` in one `backward()`, the sum over all its uses.
- What `t` was computed from gets the clamped gradient; so does `t.grad` of a leaf. Nothing else may change: not the forward values, not the gradients of other tensors (even of one that came from the same operation as `t`), not what is in `t.grad` already. A non-leaf `t` does not begin to keep a `.grad`.
- `t` may have hooks already, and your function may be called several times, on several tensors or on the same one. All hooks stay, each with its own `m`. They run in the order in which they were registered, and each receives what the one before returned.
- The hook works in every `backward()` until `handle.remove()` is called, then no longer.

<details><summary>Hint 1: the idea</summary>

In section 7 the return value of the hook replaced the gradient. Other tensors may receive the same tensor as the hook: make a new one.

</details>

<details><summary>Hint 2: a step further</summary>

This one halves the gradient of `w` and returns its handle:

```
def halve(w):
    return w.register_hook(lambda g: g / 2)
```

Which function of torch keeps every element between two bounds?

</details>
"""

# %% [markdown] lang="ko" en="4b9e9e0a"
r"""
## 과제 7.4 · `clip_hook`

{{marks}}분 · {{points}}

앞으로 절댓값이 `m`보다 큰 gradient가 `t`를 지나가지 못하게 하세요. 도착한 gradient의 원소를 하나하나 $-m$과 $m$ 사이로 제한하는 hook을 `t`에 걸고, 그 hook의 **핸들(handle)을 돌려주세요**. 핸들은 `remove()` 메서드가 있는 객체입니다.

- `t`는 추적되는 텐서이고 leaf일 수도, 중간 텐서일 수도 있습니다. shape에는 제한이 없고 비어 있을 수도 있으며, 한 곳 또는 여러 곳에 쓰입니다. `m`은 0 이상인 `int` 또는 `float`입니다. 제한하는 것은 `backward()` 한 번에 `t`에 도착하는 gradient **전체**, 곧 쓰인 곳마다 온 것의 합입니다.
- `t`를 계산하는 데 쓰인 텐서에는 제한된 gradient가 갑니다. `t`가 leaf이면 `t.grad`가 제한된 gradient를 받습니다. 그 밖에는 아무것도 달라지면 안 됩니다. 순방향 계산의 값도, 다른 텐서(`t`와 같은 연산에서 나온 텐서라도)의 gradient도, 이미 `t.grad`에 있던 값도 그대로여야 합니다. leaf가 아닌 `t`가 `.grad`를 남기게 되어서도 안 됩니다.
- `t`에 이미 다른 hook이 걸려 있을 수 있고, 여러분의 함수를 여러 텐서에, 또는 같은 텐서에 여러 번 호출할 수도 있습니다. hook은 모두 남고 저마다 자기 `m`을 씁니다. 건 순서대로 실행되며, 앞의 hook이 돌려준 것을 다음 hook이 받습니다.
- hook은 `handle.remove()`를 호출할 때까지 모든 `backward()`에서 작동하고, 그 뒤에는 작동하지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

7절에서 hook이 돌려준 값이 gradient를 대신했습니다. hook이 받은 텐서를 다른 텐서도 받을 수 있으니 새 텐서를 만드세요.

</details>

<details><summary>힌트 2: 한 단계 더</summary>

다음 함수는 `w`의 gradient를 반으로 줄이고 핸들을 돌려줍니다.

```
def halve(w):
    return w.register_hook(lambda g: g / 2)
```

모든 원소를 두 한계 사이로 제한하는 torch 함수는 무엇인가요?

</details>
"""


# %% answer="clip_hook"
def clip_hook(t, m):
    """Limit each element of the gradient through t to the range from -m to m; return the hook's handle.

    t: a tracked tensor; m: a number, 0 or greater.
    """
    ### BEGIN SOLUTION
    return t.register_hook(lambda g: g.clamp(-m, m))
    ### END SOLUTION


# %% test="clip_hook" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("clip_hook")


def _compare(t, x, c, m, dtype, want, mistakes, grad=None, uses=1, layout=""):
    """want: the right x.grad after two backward passes; uses: how many times y uses t."""
    factor = leaf(c, dtype, layout=layout, tracked=False)
    arguments = {"c": factor, "u": leaf(x, dtype), "x": leaf(x, dtype, grad, layout=layout)}
    code, run = f"y = ((t + v) * c{' + t * c' * (uses - 1)}).sum()", "y.backward(retain_graph=True)"
    ahead = "hasattr(handle, 'remove')", code, run, run, "x.grad", "u.grad"
    options = {"errors": {"view size": hint.flat}, "ahead": ahead}
    answer = ask("handle = clip_hook(t, m)", options, **arguments, v="u * 1", t=t, m=m)
    answer.changes_nothing(but=[("hooks", name) for name in ("t", t)])  # t may be x itself
    has_remove = answer.then("hasattr(handle, 'remove')").result
    answer.holds(has_remove, hint.handle + f" ({check.kind(answer.result)})")
    after_passes = answer.then(code).then(run).then(run)
    after_passes.then("x.grad").returns(tensor(want, dtype), mistakes=mistakes, nearly=hint.digits)
    after_passes.then("u.grad").returns(2 * tensor(c, dtype), hint=hint.spoilt)
    return after_passes


_compare("x**3", 5.0, 0.008, 0.004, "float32", 0.6, {hint.free: 1.2, hint.once: 0.9})
_zero_m = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 5.0], [5.0, 5.0]], 0, "float64", [[0.0, 0.0], [0.0, 0.0]]
_compare("x * 3", *_zero_m, {hint.zero: [[30.0, 30.0], [30.0, 30.0]]}, layout="transposed")
_wrong = {hint.norm: tensor([4.0, -20, 22]) * 15.1 / 15 + 9, hint.held: tensor([15.1, -15.1, 15.1])}
_wrong |= {hint.above: tensor([17.0, -31.0, 39.2]), hint.below: tensor([17.0, 9.0, 39.2])}
_case = "x", [1.0, 2.0, 3.0], [2.0, -10.0, 11.0], 15.1, "float64", [17.0, -21.2, 39.2]
_compare(*_case, _wrong, grad=9.0, uses=2)
check.visible_passed()


### BEGIN HIDDEN TESTS
def _compare_with_clamp(t, slope, x, c, m, dtype, grad=None, uses=1, layout=""):
    full_gradient, start = slope * uses * tensor(c), grad or 0.0
    clipped_gradient = slope * (uses * tensor(c)).clamp(-m, m)
    wrong = {
        hint.free if m else hint.zero: 2 * full_gradient + start,
        hint.once: clipped_gradient + full_gradient + start,
    }
    want = tensor(2 * clipped_gradient + start, dtype)
    after_passes = _compare(t, x, c, m, dtype, want, wrong, grad, uses, layout)
    grads = "[x.grad, u.grad]"
    retains = after_passes.then("t.retains_grad", ahead=("handle.remove()", "y.backward()", grads))
    retains.equals(False, hint=hint.retained)
    after_removal = after_passes.then("handle.remove()").then("y.backward()")
    want = [want + tensor(full_gradient, dtype), 3 * tensor(c, dtype)]
    after_removal.then(grads).returns(want, hint=hint.removed)


for _dtype in ("float64", "float32"):
    _limits = 0, 0.0, 1, check.draw(0.2, 2), check.draw(2, 4), 50.0
    for _turn, _m in enumerate(_limits, _dtype == "float32"):
        _x, _c, _grad = check.draws(4, -2, 2), check.draws(4, -3, 3), check.draw(3, 9)
        _t, _slope, *_rest = [("x", 1), ("x", 1, _grad, 2), ("x * 3", 3, _grad, 3)][_turn % 3]
        check.smallest(_compare_with_clamp, _t, _slope, _x, _c, _m, _dtype, *_rest)
    _x, _c, _m = check.draw(-2, 2), check.draw(-3, -1), check.draw(0.2, 1)
    check.smallest(_compare_with_clamp, "x * 3", 3, _x, _c, _m, _dtype)
    check.smallest(_compare_with_clamp, "x", 1, _x, _c, _m, _dtype, 9.0)
    _x, _c = ([check.draws(2, -3, 3), check.draws(2, -3, 3)] for _ in range(2))
    check.smallest(_compare_with_clamp, "x", 1, _x, _c, _m, _dtype, None, 1, "transposed")
    _compare_with_clamp("x * 3", 3, [], [], 1.0, _dtype)
    # Two tensors, each with a hook. The gradient that arrives at a tensor equals the tensor's values.
    _values, _n = tensor([check.draws(2, -9, 3), check.draws(2, -9, -3)], _dtype), check.draw(1, 2)
    _arguments = {"p": leaf(_values[0], _dtype), "q": leaf(_values[1], _dtype), "a": "p * 1", "b": "q * 1"}
    _first = ask(f"first = clip_hook(a, {_m})", {"before": "a.retain_grad()"}, **_arguments)
    _answer = _first.then(f"clip_hook(b, {_n})").then("y = (a**2 + b**2).sum() / 2")
    _answer = _answer.then("y.backward(retain_graph=True)")
    _clipped = [_values[0].clamp(-_m, _m), _values[1].clamp(-_n, _n)]
    _answer.then("[p.grad, q.grad]").returns(_clipped, hint=hint.own)
    _answer = _answer.then("first.remove()").then("y.backward()")
    _answer.then("[p.grad, q.grad]").returns([_clipped[0] + _values[0], 2 * _clipped[1]], hint=hint.stays)
# Two hooks on one tensor. The tensor has another hook already, and is one of two results of an operation.
_options, _c = (
    {"before": "t.register_hook(lambda g: g * 2)"},
    tensor([check.draw(0.3, 0.45), check.draw(-3, -1)]),
)
_arguments = {"c": _c, "x": leaf([[0.0, 0.0], [0.0, 0.0]]), "both": "(x * 1).unbind(1)", "t": "both[0]"}
_answer = ask("clip_hook(t, 1.0)", _options, **_arguments).then("second = clip_hook(t, 0.5)")
_answer = _answer.then("y = ((t + both[1]) * c).sum()").then("y.backward(retain_graph=True)")
_answer.then("x.grad[:, 0]").returns((2 * _c).clamp(-0.5, 0.5), hint=hint.before)
_answer.then("x.grad[:, 1]").returns(_c, hint=hint.beside)
_answer = _answer.then("second.remove()").then("y.backward()")
_answer.then("x.grad[:, 0]").returns((2 * _c).clamp(-0.5, 0.5) + (2 * _c).clamp(-1, 1), hint=hint.before)
_answer.then("x.grad[:, 1]").returns(2 * _c, hint=hint.beside)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.5 · `step_in_backward` · optional

●●●○○ · ★★★★☆ · 8 min · {{points}}

Let `backward()` itself take the training step: from now on, in every `backward()`, each parameter `p` moves by `-lr * p.grad` **as soon as its gradient is complete**, and its buffer is emptied at once. Only one `.grad` is then full at a time.

- `params` is a list of tracked leaves of any shape, perhaps empty, and may change after the call. No parameter appears twice, neither in one list nor in two. Their `.grad` is `None` when your function is called, and `lr` is an `int` or a `float`, 0 or greater. The call itself moves nothing and returns `None`; it leaves a hook on each parameter.
- A parameter may be used several times: the step takes the **whole** gradient. One that gets no gradient stays where it is. With an `lr` of 0 nothing moves, and the buffers are emptied all the same.
- Change `p` in place: the same tensor, in the same memory, still a tracked leaf. Compute in the dtype of `p`. After each `backward()` its `.grad` is `None` again. It works in every `backward()`, not just in the first.
- Each call keeps its own `lr` for its own parameters. A leaf that is in no list gets its `.grad` as usual.

<details><summary>Hint 1: the idea</summary>

Which of the two hooks of section 7 runs when `.grad` is full, and what does it receive?

</details>

<details><summary>Hint 2: a step further</summary>

This one prints the largest element of each complete gradient. What should the function do instead? Remember lesson 6: how is a leaf changed in place?

```
def show(p):
    print(p.grad.abs().max())

for p in params:
    p.register_post_accumulate_grad_hook(show)
```

</details>
"""

# %% [markdown] lang="ko" en="9e5c125a"
r"""
## 과제 7.5 · `step_in_backward` · 선택

{{marks}}분 · {{points}}

파라미터가 `backward()` 안에서 바로 업데이트되게 만드세요. 그 뒤로는 `backward()`를 호출할 때마다 파라미터 `p`의 gradient가 **다 모이는 즉시** `p`가 `-lr * p.grad`만큼 움직이고, 버퍼는 바로 비워집니다. 그러면 채워져 있는 `.grad`는 한 번에 하나뿐입니다.

- `params`는 추적되는 leaf의 리스트입니다. shape에는 제한이 없고 리스트는 비어 있을 수도 있으며, 함수를 호출한 뒤에 바뀔 수도 있습니다. 같은 파라미터가 한 리스트에 두 번, 또는 두 리스트에 들어 있는 일은 없습니다. 함수를 호출할 때 `.grad`는 모두 `None`이고, `lr`은 0 이상인 `int` 또는 `float`입니다. 함수를 호출하는 것만으로는 파라미터가 바뀌지 않아야 하고, 돌려주는 것은 `None`입니다. 파라미터마다 hook이 남습니다.
- 파라미터 하나가 여러 번 쓰일 수 있습니다. 업데이트에는 gradient **전체**를 씁니다. gradient가 오지 않은 파라미터는 그대로 둡니다. `lr`이 0이면 아무것도 움직이지 않지만 버퍼는 똑같이 비웁니다.
- `p`는 제자리에서 바꾸세요. 같은 텐서, 같은 메모리이고 여전히 추적되는 leaf여야 합니다. 계산은 `p`의 dtype으로 합니다. `backward()`가 끝나면 `.grad`는 다시 `None`입니다. 첫 번째뿐 아니라 모든 `backward()`에서 그래야 합니다.
- 함수를 여러 번 호출하면, 그때 받은 파라미터에는 그때 받은 `lr`을 씁니다. 어느 리스트에도 없는 leaf의 `.grad`는 평소처럼 채워집니다.

<details><summary>힌트 1: 생각의 방향</summary>

7절의 두 hook 가운데 `.grad`가 다 찬 뒤에 실행되는 것은 어느 것이고, 무엇을 받나요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

다음 코드는 gradient가 다 모일 때마다 가장 큰 원소를 출력합니다. 이 함수가 대신 무엇을 해야 할까요? leaf를 제자리에서 바꾸는 방법은 수업 06에서 보았습니다.

```
def show(p):
    print(p.grad.abs().max())

for p in params:
    p.register_post_accumulate_grad_hook(show)
```

</details>
"""


# %% answer="step_in_backward"
def step_in_backward(params, lr):
    """Make every later backward() move each parameter p by -lr * p.grad and reset p.grad to None.

    params: a list of tracked leaves; lr: the learning rate.
    """

    ### BEGIN SOLUTION
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)
    ### END SOLUTION


# %% test="step_in_backward" points=2
from secant import ask, check, hints, leaf, tensor

hint = hints("step_in_backward")

# When a parameter's gradient is complete, the test's own hook counts the .grad buffers in use.
_COUNT = "lambda _: full.append(sum(p.grad is not None for p in [{}]))"
_STATE = "all(p.is_leaf and p.requires_grad for p in [{0}]), [p.grad for p in [{0}]], full"


def _compare(call, values, loss, passes, dtype, cause=hint.each, before="", layout="", **tolerance):
    """passes: for each pass, the right parameters, and those that mistakes give, keyed by hint."""
    args = {n: leaf(value, dtype, layout=layout) for n, value in zip("ab", values, strict=False)}
    names = ", ".join(args)
    args |= {"full": [], "count": _COUNT.format(names), "kept": f"[p.detach() for p in [{names}]]"}
    args["counted"] = f"[p.register_post_accumulate_grad_hook(count) for p in [{names}]]"
    args |= {"params": "[b]" if before else f"[{names}]", "held": "[*map(id, params)]"}
    answer = after_pass = ask(call, {"before": before}, **args).equals(None, hint=hint.nothing)
    answer.changes_nothing(but=[("hooks", name) for name in ("a", "b", "params[0]", "params[1]")])
    answer.holds(answer.then("[*map(id, params)] == held").result, hint.changed)
    for want, wrong in passes:
        after_pass = after_pass.then(f"{loss}.backward()")
        after_pass.then(f"[{names}]").returns(want, mistakes=wrong, hint=cause, **tolerance)
    after_pass.then("kept").returns(want, hint=hint.in_place, **tolerance)
    tracked, grads, full = after_pass.then(_STATE.format(names)).result
    after_pass.holds(tracked, hint.in_place)
    after_pass.holds(not any(grad is not None for grad in grads), hint.full)
    after_pass.holds(max(full, default=0) <= 1, hint.at_once)


def _pair(a, b):
    return [tensor(a, "float32"), tensor(b, "float32")]


_wrong = {hint.itself: _pair(1.8, 4.5), hint.uphill: _pair(2.5, 4.7), hint.still: _pair(2.0, 5.0)}
_passes = (_pair(1.5, 5.3), _wrong), (_pair(1.1, 5.6), {hint.full: _pair(0.6, 5.9)})
_call, _loss = "step_in_backward(params, 0.1)", "(a * a + a - 3 * b)"
_compare(_call, [2.0, 5.0], _loss, _passes, "float32")
check.visible_passed()
### BEGIN HIDDEN TESTS
_TOLERANCE = {"float64": {"rtol": 1e-11, "atol": 1e-12, "nearly": hint.digits}, "float32": {}}


def _compare_three_passes(lrs, values, loss, slopes, dtype, separate=False, layout=""):
    """Check the parameters after each of three backward passes.

    slopes: a function that returns the gradients of the loss for given values of the parameters.
    separate: whether step_in_backward is called once for each parameter, with a separate lr.
    """
    parameters, passes = [tensor(value) for value in values], []
    for _ in range(3):
        unchanged = [tensor(p, dtype) for p in parameters]
        parameters = [p - lr * g for p, lr, g in zip(parameters, lrs, slopes(*parameters), strict=True)]
        passes.append(([tensor(p, dtype) for p in parameters], {hint.still: unchanged}))
    call, before = f"step_in_backward(params, {lrs[-1]})", ""
    if separate:
        before = f"step_in_backward([a], {lrs[0]})"
    cause = hint.each if all(lrs) else hint.zero
    _compare(call, values, loss, passes, dtype, cause, before, layout, **_TOLERANCE[dtype])


_product = lambda a, b: (b, a + 2 * b)
for _dtype in ("float64", "float32"):
    _lr, _other_lr, _numbers = check.draw(0.05, 0.4), check.draw(0.5, 1), check.draws(2, -2, 2)
    _row, _next_row = check.draws(3, -2, 2), check.draws(3, -2, 2)
    _rows, _column = [check.draws(2, -2, 2), check.draws(2, -2, 2)], [[check.draw(1, 2)], [-_other_lr]]
    for _lrs, _values, _loss, _slopes, *_rest in (
        ([_lr, _lr], [_row, _next_row], "(a * b + b**2).sum()", _product),
        ([_lr, _other_lr], [_rows, _rows], "(a * b + b**2).sum()", _product, True),
        ([_lr, _lr], [_rows, _rows], "(a * b + b**2).sum()", _product, False, "transposed"),
        (
            [_lr, _lr],
            [_rows, _row],
            "(a**2 + a.sin() - 3 * a).sum()",
            lambda a, b: (2 * a + a.cos() - 3, 0 * b),
        ),
        ([_lr, _lr], _numbers, "(a * b + b**2)", _product),
        ([0, 0], _numbers, "(a * b + b**2)", _product),
        ([1], [_column], "(a * 2).sum()", lambda a: [0 * a + 2]),
        ([0.5], [[]], "(a * 2).sum()", lambda a: [0 * a + 2]),
    ):
        check.smallest(_compare_three_passes, _lrs, _values, _loss, _slopes, _dtype, *_rest)
_a, _b = check.draws(2, -2, 2), check.draws(2, -2, 2)
_answer = ask("step_in_backward(params := [a], 0.5)", a=leaf(_a), b=leaf(_b)).then("params.clear()")
_answer = _answer.then("step_in_backward([], 0.5)").then("(2 * a + 3 * b).sum().backward()")
_answer.then("a").returns(tensor(_a) - 1, hint=hint.cleared)
_answer.then("b").returns(tensor(_b), hint=hint.stranger)
_answer.then("b.grad").returns(tensor([3.0, 3.0]), hint=hint.stranger)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.6 · `first_bad_op`

●●●●○ · ★★★☆☆ · 9 min · {{points}}

A chain $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ... ends with `y.sum()`. In the backward pass, **which operation is the first to make a gradient that is not finite?** Return its index in `fs`: the largest $i$ for which all elements of the gradient
at $f_i$'s output are finite, and some element of the gradient at its input is not (`inf` or `nan`). If there is no such $i$, return `None`.

- The gradients are those of `y.sum()`, in the dtype of `x`. Those of `y.mean()` are smaller and may be finite.
- `x` is a tracked leaf of any shape, perhaps empty, perhaps with a `.grad`, which must survive (the same tensor, not a copy put back). Functions make a new tensor of any shape that depends on their argument, or return their argument itself: then one tensor stands at two places of the chain. They may use tracked weights, whose `.grad` must survive too. Call them as often as you like.
- Only the gradients count: a `nan` in the forward values does not.
- Return an `int` or `None`. For an empty list it is `None`.

<details><summary>Hint 1: the idea</summary>

You need the gradient at each of the tensors $x, y_1, y_2, \ldots$, without filling any `.grad`. Lesson 3 had a function that returns the gradients of all tensors that you name.

</details>

<details><summary>Hint 2: a step further</summary>

This one lists the largest gradient at each place of a chain of two. How do you collect the places of a chain of any length, and which two neighbours do you look for, and from which end?

```
a = f(x)
b = g(a)
[grad.abs().max() for grad in torch.autograd.grad(b.sum(), [x, a, b])]
```

</details>
"""

# %% [markdown] lang="ko" en="c62c685e"
r"""
## 과제 7.6 · `first_bad_op`

{{marks}}분 · {{points}}

연산이 $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ...으로 이어지고 `y.sum()`으로 끝납니다. 역방향 계산에서 **유한하지 않은 gradient를 처음으로 만드는 연산은 어느 것인가요?** 그 연산이 `fs`의 몇 번째 함수인지(0부터 세는 인덱스) 돌려주세요. 곧 $f_i$의 출력에서는 gradient의 원소가 모두 유한한데
입력에서는 유한하지 않은 원소(`inf`나 `nan`)가 있는 가장 큰 $i$입니다. 그런 $i$가 없으면 `None`을 돌려주세요.

- gradient는 `y.sum()`의 gradient이고 dtype은 `x`와 같습니다. `y.mean()`의 gradient는 더 작아서 유한할 수도 있습니다.
- `x`는 추적되는 leaf입니다. shape에는 제한이 없고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다(복사본을 되돌려 넣는 것이 아니라 같은 텐서여야 합니다). 함수는 인자에 따라 정해지는 새 텐서(shape에는 제한이 없음)를 만들거나 인자를 그대로 돌려줍니다. 인자를 그대로 돌려주면 한 텐서가 두 자리에 놓입니다. 추적되는 가중치를 쓰는 함수도 있고, 그 `.grad`도 그대로여야 합니다. 함수는 몇 번이든 호출해도 됩니다.
- gradient만 봅니다. 순방향 값에 있는 `nan`은 따지지 않습니다.
- `int` 또는 `None`을 돌려주세요. 빈 리스트이면 `None`입니다.

<details><summary>힌트 1: 생각의 방향</summary>

텐서 $x, y_1, y_2, \ldots$마다 gradient가 필요한데 `.grad`는 하나도 채우면 안 됩니다. 지정한 텐서의 gradient를 모두 돌려주던 수업 03의 함수를 떠올려 보세요.

</details>

<details><summary>힌트 2: 한 단계 더</summary>

다음 코드는 함수가 둘일 때 자리마다 가장 큰 gradient를 구합니다. 함수가 몇 개이든 자리를 모두 모으려면 어떻게 할까요? 이웃한 두 자리를 어느 쪽 끝에서부터, 무엇을 보며 비교할까요?

```
a = f(x)
b = g(a)
[grad.abs().max() for grad in torch.autograd.grad(b.sum(), [x, a, b])]
```

</details>
"""


# %% answer="first_bad_op"
def first_bad_op(fs, x):
    """Return the index in fs at which the backward pass first makes a gradient that is not finite, or None.

    fs: functions from a tensor to a tensor, applied one after the other; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    for i in reversed(range(len(fs))):
        if finite[i + 1] and not finite[i]:
            return i
    return None
    ### END SOLUTION


# %% test="first_bad_op" points=2
from secant import ask, check, hints, leaf

hint = hints("first_bad_op")


def _compare(fs, x, dtype, want, wrong=None, grad=None, layout=""):
    inputs = {"w": leaf(2.0, dtype, grad), "fs": [f"lambda t: {f}" for f in fs], "held": "list(fs)"}
    options = {"ahead": ("fs == held", "first_bad_op(fs, x)"), "errors": {"view size": hint.flat}}
    answer = ask("first_bad_op(fs, x)", options, **inputs, x=leaf(x, dtype, grad, layout=layout))
    wrong = {**(wrong or {}), hint.zero if want == 0 else hint.compare: None}
    wrong[hint.kind] = lambda got: type(got) not in (int, type(None))
    answer.returns(want, mistakes=wrong, hint=hint.finite if want is None else hint.compare)
    answer.holds(answer.then("fs == held").result, hint.changed).changes_nothing()
    answer.again().equals(want).changes_nothing()


_compare(["t * 0", "t.sqrt()", "t * w"], [1.0, 4.0], "float32", 1, grad=5.0)
_compare(["t.exp()", "t.sin()"], [1.0, 2.0], "float64", None, grad=5.0)
_compare(["t.log()", "t * 2"], [-1.0, 2.0], "float64", None, {hint.forward: 0})
_fs = ["t + 1", "t * 2", "t * 1.5e308"]
_compare(_fs, [1.0, 1.0], "float64", 1, {hint.sum_not_mean: None, hint.sum: 2})
_fs = ["t.sqrt()", "t.clamp(min=1)", "t - 1", "t", "t.sqrt()", "t"]
_compare(_fs, [0.0, 4.0], "float64", 4, {hint.last: 0, hint.twice: (3, 5)})
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch


def _compare_random(fs, x, dtype, want, wrong=None, layout=""):
    wrong = {**(wrong or {}), hint.last: tuple(range(want or 0))}
    _compare(fs, x, dtype, want, wrong, check.draw(1, 9), layout)


for _dtype in ("float64", "float32"):
    _positive, _negative = check.draws(2, 0.5, 2), check.draw(-2, -0.5)
    _float32_index, _huge = None if _dtype == "float64" else 0, "1.5e308" if _dtype == "float64" else "3e38"
    for _fs, _x, _want, *_rest in (
        (["t**2", "t.sqrt()"], [0.0, _positive[0]], 1),
        (["t**2", "t.sum()", "t.sqrt()", "t * w"], [[0.0, 0.0]], 2),
        (["t - 1", "t.log()"], 1.0, 1),
        (["t.sqrt()", "t * 1", "t.exp()"], [_positive[0], _negative], 2),
        (["t.sqrt()", "t * 1", "t * w"], [_positive[0], _negative], 0),
        (["t * 1", "t * w", "1 / t", "t.sin()"], [0.0, _positive[1]], 3),
        (["t * 1", "t * w", "1 / t"], [0.0, _positive[1]], 2),
        (["t.sqrt()", "t * 1", "t.sqrt()"], 0.0, 2),
        (["t", "t * 0", "t", "t.sqrt()", "t"], _positive, 3, {hint.twice: (2, 4)}),
        (["t.sqrt()", "t", "t", "t * w"], [_positive[0], 0.0], 0, {hint.twice: (1, 2)}),
        (["t", "t"], _positive, None),
        (["t.sqrt()", "t * t"], [_positive, _positive], None),
        (["t.log()", "t * 2"], [0.0, _positive[0]], 0),
        (["t.log()", "t * 2"], [_negative, _negative], None),
        (["t.exp()"], [100.0, 0.0], _float32_index),
        (["t * 40", "t.exp()", "t * w"], [_positive[0], 20.0], 1),
        (["t * 1e30", "t * 1e30"], _positive, _float32_index),
        (["t.relu()", "t.sqrt()"], [_negative, _positive[0]], 1),
        (["t.reshape(-1)", "t.abs()", "t**0.5"], [[0.0], [_negative]], 2),
        (["t.abs()", "t[1:]", "t.sqrt()"], [0.0, *_positive], None),
        (["t.abs()", "t.sqrt()", "t[1:]"], [0.0, *_positive], 1),
        (["t.norm()"], [_positive, _positive], None),
        (["t.unsqueeze(0)", "t.acos()", "t.mean()"], [1.0, 0.5], 1),
        ([f"t * {_huge}"], [1.0, 1.0], None, {hint.sum: 0}),
        (["t.exp()", "t * 0", "t**0.5", "t.T", "t * 2"], [_positive, _positive], 2, None, "transposed"),
        (["t + 1", "t * 2", f"t * {_huge}"], [1.0, 1.0], 1, {hint.sum_not_mean: None, hint.sum: 2}),
        (["t.log()", "t * 2", f"t * {_huge}"], [_negative, _negative], 1, {hint.nansum: None}),
        ([], _positive, None),
        (["t.sqrt()"], [], None),
        (["t.sqrt()", "t * w"], torch.empty(0, 3), None),
    ):
        check.smallest(_compare_random, _fs, _x, _dtype, _want, *_rest)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.7 · `find_culprit`

●●●●○ · ★★★★★ · 10 min · {{points}}

A model `f` computes the right loss, but is the gradient of `f(x)` right? Run it, and **name the culprit**.

| return | what `f` does |
|-|-|
| `'data'` | through `.data`, it overwrites a tensor that some node has saved, so the gradient is wrong |
| `'hook'` | it registers a hook that makes the gradient wrong |
| `'nan'` | some element of the gradient is `nan` or infinite |
| `'view'` | it edits, through a view, a tensor that some node has saved, so that the backward pass raises a `RuntimeError` |
| `None` | the gradient is right |

- `x` is a tracked leaf of `float64` with one dimension and at least one element, perhaps with a `.grad`, which must survive. `f(x)` has a single element and the shape `()` or `(1,)`. Each `f` has one culprit or none.
- Every `f` may also use `.data`, views, in-place edits or hooks harmlessly, so judge by the gradient. None edits or hooks `x` itself.
- Call `f` as often as you like, with tracked tensors only and never under `no_grad`: its hooks need a graph. It may use tracked weights, whose `.grad` must survive too.
- A wrong gradient is wrong by 0.01 or more in some element, perhaps in one alone. Unless the culprit is `'nan'`, $f$ is smooth at `x`, and a central quotient with $h = 10^{-5}$ has an error below $10^{-4}$.
- One point each: `'nan'` and `'view'`; telling right from wrong with the quotient; telling `'data'` from `'hook'`.

<details><summary>Hint 1: the idea</summary>

Two culprits betray themselves as soon as you ask for the gradient. The quotient exposes the other two. What if the graph saved *copies*: which of these two could then do no harm?

</details>

<details><summary>Hint 2: a step further</summary>

Take the first gradient without any `pack`. Then: section 6 had a `pack` that changed the dtype; which one keeps what a later edit does not reach? The quotient for the first element of an `x` with two:

```
step = torch.tensor([h, 0.0], dtype=x.dtype)
(f(x + step) - f(x - step)) / (2 * h)
```

</details>
"""

# %% [markdown] lang="ko" en="ba6748cf"
r"""
## 과제 7.7 · `find_culprit`

{{marks}}분 · {{points}}

모델 `f`가 계산하는 loss는 맞습니다. 그런데 `f(x)`의 gradient도 맞을까요? 실행해 보고 **범인을 찾아내세요**.

| 돌려줄 것 | `f`가 하는 일 |
|-|-|
| `'data'` | 어떤 노드가 저장한 텐서를 `.data`로 덮어써서 gradient가 틀립니다 |
| `'hook'` | 걸어 둔 hook 때문에 gradient가 틀립니다 |
| `'nan'` | gradient에 `nan`이나 무한대인 원소가 있습니다 |
| `'view'` | 어떤 노드가 저장한 텐서를 뷰를 통해 바꾸어서 역방향 계산이 `RuntimeError`를 냅니다 |
| `None` | gradient가 맞습니다 |

- `x`는 추적되는 leaf이고 dtype은 `float64`, 차원은 하나, 원소는 하나 이상입니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다. `f(x)`는 원소가 하나이고 shape는 `()` 또는 `(1,)`입니다. `f`마다 범인은 하나이거나 없습니다.
- 어떤 `f`든 `.data`, 뷰, 제자리 연산, hook을 gradient에 해가 없게 쓸 수도 있습니다. 그러니 gradient를 보고 판단하세요. `x` 자체를 바꾸거나 `x`에 hook을 거는 `f`는 없습니다.
- `f`는 몇 번이든 호출해도 됩니다. 다만 추적되는 텐서를 넘겨야 하고 `no_grad` 안에서는 호출하지 마세요. hook을 걸려면 그래프가 있어야 합니다. `f`는 추적되는 가중치를 쓸 수 있고, 그 `.grad`도 그대로여야 합니다.
- 틀린 gradient는 적어도 한 원소에서 참값과 0.01 이상 차이 납니다. 한 원소만 틀릴 수도 있습니다. 범인이 `'nan'`이 아니면 $f$는 `x`에서 매끄럽고, $h = 10^{-5}$인 중앙 차분몫의 오차는 $10^{-4}$보다 작습니다.
- 세 가지가 각각 1점입니다. `'nan'`과 `'view'` 알아내기, 차분몫으로 gradient가 맞는지 틀리는지 가리기, `'data'`와 `'hook'` 구별하기.

<details><summary>힌트 1: 생각의 방향</summary>

둘은 gradient를 구하기만 하면 드러납니다. 나머지 둘은 차분몫으로 드러납니다. 그래프가 *복사본*을 저장한다면, 그 둘 가운데 더는 해를 끼치지 못하는 것은 어느 쪽일까요?

</details>

<details><summary>힌트 2: 한 단계 더</summary>

첫 gradient는 `pack` 없이 구하세요. 6절에는 dtype을 바꾸는 `pack`이 있었습니다. 나중에 바뀌어도 영향을 받지 않는 것을 보관하려면 `pack`이 무엇을 해야 할까요? 원소가 둘인 `x`에서 첫 원소의 차분몫은 다음과 같습니다.

```
step = torch.tensor([h, 0.0], dtype=x.dtype)
(f(x + step) - f(x - step)) / (2 * h)
```

</details>
"""


# %% answer="find_culprit"
def find_culprit(f, x):
    """Return what makes the gradient of f(x) wrong: "data", "hook", "nan" or "view".

    Return None if the gradient is right.

    f: a function from a tensor to a tensor with one element; x: a tracked leaf with one dimension.
    """
    ### BEGIN SOLUTION
    try:
        (plain,) = torch.autograd.grad(f(x), x)
    except RuntimeError:
        return "view"
    if not plain.isfinite().all():
        return "nan"

    h = 1e-5
    steps = h * torch.eye(len(x), dtype=x.dtype)
    quotient = torch.stack([(f(x + step) - f(x - step)).detach().reshape(()) / (2 * h) for step in steps])
    if torch.allclose(plain, quotient, rtol=0, atol=1e-3):
        return None

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = f(x)
    (copied,) = torch.autograd.grad(y, x)
    return "data" if torch.allclose(copied, quotient, rtol=0, atol=1e-3) else "hook"
    ### END SOLUTION


# %% test="find_culprit" points=3
from secant import PartialCredit, ask, check, hints, leaf

hint = hints("find_culprit")
_credit = PartialCredit(at_once=1, quotient=1, which=1)
_PARTS = {"at_once": ("view", "nan"), "quotient": (None, "data", "hook"), "which": ("data", "hook")}
_CAUSES = {"data": hint.copies, "hook": hint.hook, "nan": hint.finite, "view": hint.raises}
_ERRORS = {"inplace": hint.raises, "register a hook": hint.tracked}


def _compare(part, want, steps, result, x, **arguments):
    """steps: the code that f runs before it returns the result, as the elements of a tuple."""
    arguments |= {"f": f"lambda x: ({steps}, {result})[-1]" if steps else f"lambda x: {result}"}
    options = {"errors": _ERRORS, "ahead": ("find_culprit(f, x)",)}
    answer = ask("find_culprit(f, x)", options, **arguments, x=leaf(x, grad=5.0))
    wrong = {hint.kind: lambda got: got not in (None, *_CAUSES)}
    if want in ("data", "hook"):
        wrong[hint.quotient] = None
        want = answer.result if part == "quotient" and answer.result in ("data", "hook") else want
    answer.equals(want, mistakes=wrong, hint=_CAUSES.get(want, hint.right))
    answer.changes_nothing().keeps_buffers().again().equals(want).changes_nothing()


_harmless_ops = "t := x.sin(), t.cos(), t[0].mul_(2), t.data.add_(1), t.register_hook(lambda g: g)"
_cases = [
    ("view", "t := x.exp(), t[0].mul_(2)", "t.sum()", [1.0, 2.0]),
    ("nan", "", "(x - x.detach()).sqrt().sum() + x.sum()", [1.0, 2.0]),
    (None, _harmless_ops, "t.sum(0, True)", [1.0, 2.0]),
    ("data", "t := x * 2, y := (t**2).sum(), t.data[3:].sub_(0.004)", "y", [0.6, 1.3, 1.7, 2.1]),
    ("hook", "t := x * 1, t.register_hook(lambda g: g.flip(0))", "(t**2).sum()", [1.0, 2.0]),
]
for _part, _culprits in _PARTS.items():
    with _credit.part(_part):
        [_compare(_part, *case) for case in _cases if case[0] in _culprits]
check.visible_passed(_credit)
### BEGIN HIDDEN TESTS
_HOOK = "t := x * a, t.register_hook(lambda g: "


def _compare_with_constants(part, want, steps, result, x, a, b, w):
    _compare(part, want, steps, result, x, a=a, b=b, w=leaf(w, grad=7.0))


# b is not near 1, and no two elements of w or of x are close, so a wrong gradient is off by more than 0.01.
for _round in range(2):
    _a, _b, _w = check.draw(1.5, 3), check.draw(0.3, 0.8), [check.draw(i, i + 0.5) for i in (1, 2, 3)]
    _x, _single = [check.draw(i, i + 0.5) for i in (0.4, 1.2, 2)], [check.draw(0.5, 1.5)]
    _mixed, _long = [_x[0], -_x[1], _x[2]], check.draws(20, 1, 2)
    _cases = [
        ("data", "t := x * a, y := (t**2).sum(), t.data.mul_(b)", "y", _x, _single),
        ("data", "t := x.exp(), y := t.sum(), t.data.add_(b)", "y", _x, _single),
        ("data", "t := x * a, y := (t * t).sum(), t.data[:1].add_(b)", "y", _x, _mixed),
        ("data", "v := w * 1, y := (v * x).sum(), v.data.copy_(v.flip(0))", "y", _x, _mixed),
        ("data", "t := (x * b).tanh(), y := (t * a).sum(), t.data[-1:].zero_()", "y", _x),
        ("data", "c := w.detach() * a, y := (c * x).sum(), c.data.mul_(b)", "y", _x, _mixed),
        ("data", "t := x * a, y := (t * t).sum() * 20, t.data[-1:].add_(0.000375 / a)", "y", _x, _long),
        ("hook", _HOOK + "torch.cat([g[:-1], g[-1:] + 0.015 / a]))", "(t * t).sum() * 20", _x, _long),
        ("hook", _HOOK + "g * b)", "(t**2).sum()", _x, _single),
        ("hook", _HOOK + "g.clamp(-b, b)), y := (t.abs() * w).sum(), t.data.mul_(b)", "y", _x),
        ("hook", _HOOK + "g.flip(0))", "(t * w).sum()", _x, _mixed),
        ("hook", _HOOK + "torch.cat([g[:1] * 2, g[1:]]))", "(t * w).sum()", _x),
        ("hook", "y := (x**2).sum(), y.register_hook(lambda g: -g)", "y", _mixed, _single),
        ("nan", "", "torch.where(x > 0, x.sqrt(), a * x).sum()", _mixed),
        ("nan", "t := x - x.detach()", "(t * t).sum().sqrt() + (w * x).sum()", _x),
        ("nan", "", "((x - x) ** 2).sum().sqrt() + a * x.sum()", _x, _single),
        ("view", "t := x.exp(), t[0].mul_(a)", "t.sum()", _x, _single),
        ("view", "t := x.tanh(), t.view(-1).add_(a)", "(t * w).sum()", _x, _mixed),
        ("view", "t := x * a, y := (t**2).sum(), t[-1:].mul_(b)", "y", _x, _single),
        ("view", "t := x.sigmoid(), t.unsqueeze(0).zero_()", "t.sum() + x.sum()", _mixed),
        (None, "t := x.sin(), t.cos(), t[0].mul_(a)", "t.sum()", _x, _single),
        (None, "t := x * a, t.view(-1).mul_(b)", "(t * t).sum()", _mixed),
        (None, "t := x.sin(), y := (t + w).sum(), t.data.zero_()", "y", _x),
        (None, "t := x * a, u := (t * t).detach(), t.data.add_(b)", "(t * w).sum()", _x, _mixed),
        (None, _HOOK + "None)", "(t**2).sum()", _mixed, _single),
        (None, _HOOK + "g * 1)", "(t.sin() * w).sum()", _mixed),
        (None, "", "(w * x**3).sum(0, True) / a", _mixed, _x),
        # At 0 this function's central quotient is off by 0.00006, and its one-sided quotient by 0.05.
        (None, "", "((150 * x).sin() - 150 * x + a * x + 5000 * x**2).sum()", [0.0, 0.0]),
        (None, "", "torch.where(x > 0, x.exp(), a * x).sum()", _mixed),
        ("data", _HOOK + "g * 1), y := (t**2).sum(), t.data.mul_(b)", "y", _x, _single),
    ]
    for _part, _culprits in _PARTS.items():
        with _credit.part(_part):
            for _want, _steps, _result, *_inputs in [case for case in _cases if case[0] in _culprits]:
                for _input in _inputs[_round : _round + 1]:
                    check.smallest(_compare_with_constants, _part, _want, _steps, _result, _input, _a, _b, _w)
### END HIDDEN TESTS
_credit.points()

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

<details><summary>The list, task by task</summary>

- **7.1** Each of the five answers, tried out.
- **7.2** Operations that save their input, their output, something in between, an index, several tensors, one tensor twice, or nothing; Python numbers as factors; a Function with a backward of its own; tracked and untracked weights; detached parts; `x` with one element, none, several dimensions, a `.grad`;
  one call of `f`; a fresh list in every call; that no backward pass runs, the graph still works and no hook stays in force; both dtypes.
- **7.3** Chains of one to four functions, one of them twice, with weights, with results of other shapes; an untracked `x`; `backward()` and `torch.autograd.grad`; the number and order of all runs, in two calls; the dtype that functions receive; how much the graph saves; random numbers; an empty list and one that changes; both dtypes.
- **7.4** Leaves and intermediate tensors, used once and several times; a transposed tensor with a transposed gradient; an empty tensor; $m$ of 0, small and large; a `.grad` that was there before; other tensors that share the gradient or come from the same operation; two `backward()`, then one after `remove()`; two hooks with limits of their own, also on a tensor with an older hook; both dtypes.
- **7.5** Parameters used several times, together and not at all; two calls with different `lr`, `lr` of 0; up to three `backward()`; how many `.grad` are full at a time; values, memory, `.grad` and flags afterwards; a leaf that is not in the list, a list that changes; both dtypes.
- **7.6** Bad operations at any place, one, several, none; gradients that become finite again; `nan` in the forward values only; gradients that are finite for the mean only, whose sum alone is too large, or too large for `float32` but not for `float64`; functions that return their argument, change the shape or use weights; empty `x` and empty lists; a transposed `x` or gradient; `.grad` and hooks.
- **7.7** Several models of each kind with drawn elements; harmless `.data`, views, in-place edits and hooks; steep functions; gradients that are wrong in one element, or whose sum is right; results that nodes save; untracked saved tensors; weights; an `x` with one element; a result of shape `(1,)`; `.grad`, hooks and settings.

</details>

Everywhere: the rules of every task.

## What you have built

The engine that you write in lesson 10 computes its local slopes in the forward pass and keeps them for the backward pass: they are its saved tensors. You now know why nothing may change them in between, and how a difference quotient exposes it. Its backward pass goes from node to node, like the one in which `first_bad_op` looked at every gradient.

## Checklist

You can now answer these without looking back:

- Why does `y.add_(1)` break `exp` but not `sin`?
- What does `y.mul_(2)` do to the gradient, and what does `y.data.mul_(2)` do to it?
- What does the version counter compare, and which edit does it miss?
- What does a checkpoint keep, and what does that cost?
- What happens to a hook's return value? And what do the two kinds of hooks of a leaf receive?
- Why does anomaly detection name the square, though the root is to blame?

## Links

- [PyTorch: Autograd mechanics, in-place correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
- [PyTorch: Hooks for autograd saved tensors](https://docs.pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html)
- [PyTorch: torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)
- [PyTorch: torch.Tensor.register_hook](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)
- [PyTorch: How to save memory by fusing the optimizer step into the backward pass](https://docs.pytorch.org/tutorials/intermediate/optimizer_step_in_backward_tutorial.html)
- [A real bug: leaky_relu_ wrong gradient with negative slope](https://github.com/pytorch/pytorch/issues/31938)

Next: [Lesson 08](../08_your_own_backward/08_your_own_backward.ipynb), writing your own backward and checking it.
"""

# %% [markdown] lang="ko" en="010f50d6"
r"""
## 숨은 테스트가 확인하는 것

<details><summary>과제별 목록</summary>

- **7.1** 답 다섯 개를 직접 실행해서 확인합니다.
- **7.2** 입력을 저장하는 연산, 출력을 저장하는 연산, 중간 결과를 저장하는 연산, 인덱스를 저장하는 연산, 텐서 여러 개나 같은 텐서 두 번을 저장하는 연산, 아무것도 저장하지 않는 연산. 곱하거나 나누는 파이썬의 수, backward를 직접 정의한 Function. 추적되는 가중치와 추적되지 않는 것, detach한 부분. 원소가 하나인 `x`, 빈 `x`, 여러 차원의 `x`, `.grad`가 있는 `x`.
  `f`를 한 번만 호출하는지, 매번 새 리스트인지, 역방향 계산을 하지 않았는지, 그 뒤에 `f(x)`의 그래프에서 `backward()`가 되는지, hook이 남아 있지 않은지. 두 가지 dtype.
- **7.3** 함수 한 개에서 네 개까지의 사슬, 같은 함수가 두 번 나오는 사슬, 가중치를 쓰거나 결과의 shape가 다른 함수. 추적되지 않는 `x`, `backward()`와 `torch.autograd.grad`, 실행 횟수와 순서(두 번째 호출에서도), 함수가 받는 텐서의 dtype, 그래프에 저장되는 양, 난수, 빈 리스트, `backward()` 전에 바뀐 리스트, 두 가지 dtype.
- **7.4** 한 번 또는 여러 번 쓰이는 leaf와 중간 텐서, gradient까지 전치한 텐서, 빈 텐서. 0인 $m$, 작은 $m$, 큰 $m$. 이미 있던 `.grad`, gradient를 함께 받거나 같은 연산에서 나온 다른 텐서, 두 번의 `backward()`와 `remove()` 뒤의 한 번, 한계가 서로 다른 hook 두 개. 다른 hook이 이미 걸려 있는 텐서 하나에 두 번 호출하는 경우. 두 가지 dtype.
- **7.5** 여러 번 쓰이는 파라미터, 함께 쓰이는 파라미터, 쓰이지 않는 파라미터. `lr`이 다른 두 번의 호출, 0인 `lr`, 세 번까지의 `backward()`. 한 번에 채워져 있는 `.grad`의 수. 그 뒤의 값, 메모리, `.grad`, 추적 여부. 리스트에 없는 leaf, 함수를 호출한 뒤에 바뀐 리스트, 두 가지 dtype.
- **7.6** 유한하지 않은 gradient를 만드는 연산이 어느 자리에 하나 있을 때, 여럿 있을 때, 없을 때. 다시 유한해지는 gradient, 순방향 값에만 있는 `nan`, 평균일 때만 유한한 gradient, 합만 너무 큰 gradient, `float32`에는 너무 크고 `float64`에는 괜찮은 gradient. 인자를 그대로 돌려주거나 shape를 바꾸거나 가중치를 쓰는 함수. 빈 `x`와 빈 리스트, 전치한 `x`나 gradient, `.grad`와 hook.
- **7.7** 종류마다 원소를 새로 뽑은 여러 가지 모델. 해롭지 않은 `.data`, 뷰, 제자리 연산, hook. 가파른 함수, 한 원소만 틀리거나 합은 맞는 gradient, 노드가 출력으로 저장한 결과, 추적되지 않는 저장된 텐서, 가중치, 원소가 하나인 `x`, shape가 `(1,)`인 결과, `.grad`와 hook과 설정.

</details>

공통 규칙을 지켰는지는 모든 과제에서 검사합니다.

## 지금까지 만든 것

수업 10에서 만들 엔진은 순방향 계산을 할 때 국소 기울기를 구해, 역방향 계산에 쓰려고 남겨 둡니다. 이것이 그 엔진의 저장된 텐서입니다. 이 값이 그사이에 바뀌면 왜 안 되는지, 바뀐 것을 차분몫으로 어떻게 알아내는지 이제 알고 있습니다. 그 엔진의 역방향 계산도 `first_bad_op`이 gradient를 하나하나 살펴볼 때처럼 노드를 하나씩 지나갑니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `y.add_(1)`은 왜 `exp`는 망가뜨리고 `sin`은 망가뜨리지 않나요?
- `y.mul_(2)`를 하면 gradient는 어떻게 되나요? `y.data.mul_(2)`를 하면요?
- 버전 카운터는 무엇을 비교하나요? 어떤 변경을 놓치나요?
- 체크포인트는 무엇을 남기나요? 그 대가는 무엇인가요?
- hook이 돌려준 값은 어떻게 되나요? leaf에 거는 두 가지 hook은 각각 무엇을 받나요?
- 원인은 제곱근에 있는데 이상 탐지는 왜 제곱을 지목하나요?

## 더 읽을거리

- [PyTorch: Autograd mechanics, in-place correctness checks (영어)](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
- [PyTorch: Hooks for autograd saved tensors (영어)](https://docs.pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html)
- [PyTorch: torch.utils.checkpoint (영어)](https://docs.pytorch.org/docs/stable/checkpoint.html)
- [PyTorch: torch.Tensor.register_hook (영어)](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)
- [PyTorch: How to save memory by fusing the optimizer step into the backward pass (영어)](https://docs.pytorch.org/tutorials/intermediate/optimizer_step_in_backward_tutorial.html)
- [실제로 있었던 버그: leaky_relu_ wrong gradient with negative slope (영어)](https://github.com/pytorch/pytorch/issues/31938)

다음은 [수업 08](../08_your_own_backward/08_your_own_backward.ipynb), 나만의 backward 만들고 검사하기입니다.
"""
