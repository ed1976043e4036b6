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

Lesson 07 of 10 · ~80 min · saved tensors, in-place, hook

**After this lesson you can**

- say which operations keep their input for `backward()`, which their output, and which nothing;
- tell which in-place edits PyTorch refuses, and which spoil a gradient silently;
- trade memory for time with checkpoints;
- watch and change gradients on their way back, and find the operation behind a `nan`.

You need lessons 2 to 4 and 6: nodes and what they save, hooks, `detach()`, `no_grad`.
"""

# %% [markdown] lang="ko" en="6bf45e39"
r"""
# backward 속 들여다보기: 저장된 텐서, 제자리 연산, hook

수업 07 / 10 · 약 80분 · 저장된 텐서, 제자리 연산, hook

**이 수업을 마치면**

- 어떤 연산이 `backward()`를 위해 입력을 남기고, 어떤 연산이 출력을 남기고, 어떤 연산이 아무것도 남기지 않는지 말할 수 있습니다.
- PyTorch가 오류로 막는 제자리 연산과 gradient를 소리 없이 망가뜨리는 제자리 연산을 구별할 수 있습니다.
- 체크포인트로 시간을 들여 메모리를 아낄 수 있습니다.
- 거슬러 가는 gradient를 지켜보고 바꿀 수 있으며, `nan`의 원인이 된 연산을 찾을 수 있습니다.

수업 02~04와 06의 내용(노드와 노드가 저장하는 것, hook, `detach()`, `no_grad`)이 필요합니다.
"""

# %%
import warnings

import torch
from torch.autograd.graph import saved_tensors_hooks

from secant import expect_error, explore_saved, language, predict, predicted, say, tensor_info

language("en")

# %% [markdown] lang="en"
r"""
## Predict first

Two programs. `y.add_(1)` adds 1 to the numbers of `y` **in place**, in the same memory.

```
x = torch.tensor([1.0, 2.0], requires_grad=True)      x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sin()                                           y = x.exp()
y.add_(1)                                             y.add_(1)
y.sum().backward()                                    y.sum().backward()
```

**Which of them stops with an error?**
"""

# %% [markdown] lang="ko" en="9d007469"
r"""
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
        ko="둘 다: 제자리 연산은 늘 `backward()`를 망가뜨린다",
    ),
    B=say(en="only the one with `sin`", ko="`sin` 쪽만"),
    C=say(en="only the one with `exp`", ko="`exp` 쪽만"),
)

# %% [markdown] lang="en"
r"""
Now `x` itself is changed between the two passes, by way of `x.data`, which gives its numbers without any tracking:

```
x = torch.tensor(3.0, requires_grad=True)
y = x**2
x.data.add_(1)
y.backward()
```

**What is `x.grad`?** The slope of $x^2$ at 3 is 6.
"""

# %% [markdown] lang="ko" en="e5d20742"
r"""
이번에는 순방향 계산과 `backward()` 사이에 `x` 자체를 바꿉니다. `x.data`를 쓰면 추적 없이 `x`의 값을 바꿀 수 있습니다.

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
    A=say(en="6: `y` was computed at 3", ko="6: `y`는 3에서 계산했으니까"),
    B=say(en="8, without a word", ko="8이고, 오류도 나지 않는다"),
    C=say(en="there is an error", ko="오류가 난다"),
)

# %% [markdown] lang="en"
r"""
## 1. What a node keeps

A node of the graph multiplies the gradient that arrives by its local slope. For that it may need numbers from the forward pass: its **saved tensors** (lesson 2). The slope of
$\sin x$ is $\cos x$, so the node must keep $x$, its *input*. The slope of $e^x$ is $e^x$, which is the *output*; keeping that one spares a second exponential.
The slope of $x + 1$ is 1: nothing to keep. Ask the nodes themselves (`self` stands for the input, `result` for the output):
"""

# %% [markdown] lang="ko" en="4db0bab6"
r"""
## 1. 노드가 남겨 두는 것

그래프의 노드는 도착한 gradient에 자기의 국소 기울기를 곱합니다. 그러려면 순방향 계산에서 나온 값이 필요할 때가 있습니다. 이것이 수업 02에서 본 **저장된 텐서**(saved tensor)입니다. $\sin x$의
기울기는 $\cos x$이므로 노드는 *입력* $x$를 남겨야 합니다. $e^x$의 기울기는 $e^x$, 바로 *출력*입니다. 출력을 남기면 지수함수를 다시 계산하지 않아도 됩니다.
$x + 1$의 기울기는 1이라 남길 것이 없습니다. 노드에 직접 물어봅시다(`self`는 입력, `result`는 출력입니다).
"""


# %%
def saved_by(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return [name.removeprefix("_saved_") for name in names if isinstance(getattr(node, name), torch.Tensor)]


x = torch.tensor([1.0, 2.0], requires_grad=True)
for name, y in (("sin", x.sin()), ("exp", x.exp()), ("x + 1", x + 1), ("x * x", x * x), ("x**2", x**2)):
    print(f"{name:5}", saved_by(y.grad_fn))

# %% [markdown] lang="en"
r"""
Saving copies nothing. The node holds the very tensor, so whoever changes it in place changes what `backward()` will read.

## 2. The version counter

PyTorch knows this danger. Every tensor counts its in-place edits in `_version`, its **version counter**. A node notes the version when it saves, and compares when it reads:
"""

# %% [markdown] lang="ko" en="2e06d7a4"
r"""
저장한다고 복사하지는 않습니다. 노드는 바로 그 텐서를 잡아 둡니다. 그래서 누가 그 텐서를 제자리에서 바꾸면 `backward()`가 읽는 값도 바뀝니다.

## 2. 버전 카운터

PyTorch도 이 위험을 알고 있습니다. 텐서마다 제자리에서 바뀐 횟수를 `_version`에 세어 둡니다. 이것을 **버전 카운터**(version counter)라고 합니다. 노드는 저장할 때의 버전을 적어 두었다가 읽을 때 비교합니다.
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
        en="An edit does harm only if some node saved what is edited. `sin` saved `x`, and `x` is as it was.",
        ko="어떤 노드가 저장한 것을 바꿀 때만 해롭습니다. `sin`이 저장한 것은 `x`이고 `x`는 그대로입니다.",
    ),
    B=say(
        en="`sin` saved its input `x`, which nobody touched. What was edited is the output `y`.",
        ko="`sin`이 저장한 것은 입력 `x`이고 아무도 건드리지 않았습니다. 바뀐 것은 출력 `y`입니다.",
    ),
    C=say(
        en="`exp` saved its output `y`. Its version is 1 now, but 0 was noted.",
        ko="`exp`는 출력 `y`를 저장했습니다. 적어 둔 버전은 0인데 지금은 1입니다.",
    ),
)

# %% [markdown] lang="en"
r"""
The error is good news: the gradient would have been wrong. The remedy is `y = y + 1`, which makes a new tensor.

## 3. .data: the way around the counter

An edit inside `no_grad` is counted. So is one of `x.detach()`, which shares both memory and version counter with `x`. `x.data` shares the memory alone:
"""

# %% [markdown] lang="ko" en="ad3a73a8"
r"""
이 오류는 좋은 소식입니다. 오류가 없었다면 gradient가 틀렸을 것입니다. 고치려면 새 텐서를 만드는 `y = y + 1`을 쓰면 됩니다.

## 3. .data: 카운터를 피해 가는 길

`no_grad` 안에서 바꾸어도 버전은 올라갑니다. `x.detach()`를 바꾸어도 그렇습니다. `x`와 메모리도 버전 카운터도 함께 쓰기 때문입니다. 그러나 `x.data`는 메모리만 함께 씁니다.
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
    right="B",
    A=say(
        en="`y` was, but its slope 2x is computed in `backward()`, from the saved `x`, "
        "and that holds 4 by then.",
        ko="`y`는 그렇습니다. 그러나 기울기 2x는 `backward()`에서 저장된 `x`로 계산하고, 그때 `x`에는 4가 들어 있습니다.",
    ),
    B=say(
        en="The node reads the saved `x`, finds 4 and returns 2 · 4. The version is still 0, "
        "so nothing is noticed.",
        ko="노드는 저장된 `x`에서 4를 읽고 2 · 4를 돌려줍니다. 버전이 그대로 0이라 아무것도 눈치채지 못합니다.",
    ),
    C=say(
        en="That is what `no_grad` would have given you. `.data` goes around the version counter.",
        ko="`no_grad`였다면 그랬을 것입니다. `.data`는 버전 카운터를 피해 갑니다.",
    ),
)

# %% [markdown] lang="en"
r"""
`.data` is no shortcut for `no_grad`, then: it takes away the only guard. But the difference quotient cannot be fooled. It runs the forward pass twice and reads nothing that was saved.

## 4. Spoil what backward reads

The forward pass is exact here, always. Choose with `spoil` what happens to `backward()`: a number $a$ is added to `x.data` after the forward pass; saved tensors are stored
with fewer digits (about seven in `float32`, two or three in `bfloat16`, one or two in `float8`); or the gradient is multiplied by $a$ on its way (by a *hook*, a function hung on `x`: lesson 4 and section 6).
Left: $f$ with its secant and a line of slope `x.grad`. Right, against $h$: how far the quotient is from `x.grad`, and (green) from the gradient with nothing spoiled.

1. Make $h$ smaller. Where does the quotient go, to `x.grad` or to the green truth? How far off is `x.grad` with $a = 0.5$, and with $a = 1$?
2. Choose $e^x$ for the same edit of `x.data`. Why is `x.grad` right now?
3. Back to $x^2$, and store saved tensors as `float32`, `bfloat16`, `float8`. How far off is each at $x = 1.3$, and at $x = 1.5$?
4. Choose the hook with $a = 2$. By what factor is `x.grad` wrong? Can the quotient see the hook?
"""

# %% [markdown] lang="ko" en="aa8b93cf"
r"""
그러니 `.data`를 `no_grad` 대신 간편하게 쓸 수 있는 것으로 생각하면 안 됩니다. 하나뿐인 안전장치를 없애는 일입니다. 그러나 차분몫은 속지 않습니다. 순방향 계산을 두 번 할 뿐, 저장된 것은 아무것도 읽지 않습니다.

## 4. backward가 읽는 것을 방해하기

여기서 순방향 계산은 언제나 정확합니다. *방해* 메뉴에서 `backward()`를 어떻게 방해할지 고르세요. 순방향 계산 뒤에 `x.data`에 수 $a$를 더하거나, 저장된 텐서를 더 적은 자릿수로
보관하거나(`float32`는 약 일곱 자리, `bfloat16`은 두세 자리, `float8`은 한두 자리), 거슬러 가는 gradient에 $a$를 곱합니다(`x`에 건 함수인 *hook*, 수업 04와 6절).
왼쪽: $f$와 할선, 기울기가 `x.grad`인 직선. 오른쪽: $h$마다 차분몫이 `x.grad`에서 얼마나 떨어져 있는지, 그리고 방해하지 않았을 때의 gradient에서 얼마나 떨어져 있는지(초록색).

1. $h$를 줄이세요. 차분몫은 `x.grad`로 다가가나요, 초록색이 가리키는 참값으로 다가가나요? $a = 0.5$일 때와 $a = 1$일 때 `x.grad`는 얼마나 어긋나나요?
2. `x.data`를 똑같이 바꾸면서 함수를 $e^x$으로 고르세요. 이번에는 왜 `x.grad`가 맞을까요?
3. 다시 $x^2$으로 돌아가 저장된 텐서를 `float32`, `bfloat16`, `float8`로 보관하세요. $x = 1.3$에서 각각 얼마나 어긋나나요? $x = 1.5$에서는요?
4. hook을 고르고 $a = 2$로 두세요. `x.grad`는 몇 배로 틀리나요? 차분몫은 hook을 볼 수 있나요?
"""

# %%
explore_saved()

# %% [markdown] lang="en"
r"""
<details><summary>What you saw</summary>

1. To the truth, which is 2.6 at $x = 1.3$. `x.grad` stays off by $2a$ (1, then 2) however small $h$ is: the node computed $2(x + a)$.
2. The node of $e^x$ saved its output, and nobody has touched that.
3. At 1.3 about $10^{-7}$, $6 \cdot 10^{-3}$ and $0.1$: the saved 1.3 was rounded. 1.5 has few binary digits, fits into each of them, and the gradient is exact.
4. By 2. The quotient does not see hooks or saved tensors; that is why it can find them out.

</details>

For functions of your own: `explore_saved(torch.sin)`.

## 5. Saved tensors cost memory

In training much of the memory goes to saved tensors. Two functions of yours can stand between the graph and what it saves: `pack` is given each tensor when it is saved and returns what is kept in its place; `unpack` makes a tensor of that again
when `backward()` needs it. This is how the explorer stored fewer digits:
"""

# %% [markdown] lang="ko" en="e153fe70"
r"""
<details><summary>무엇을 보았나요?</summary>

1. 참값으로 다가갑니다($x = 1.3$이면 2.6). `x.grad`는 $h$가 아무리 작아도 $2a$만큼(1, 다음은 2) 어긋나 있습니다. 노드가 $2(x + a)$를 계산했기 때문입니다.
2. $e^x$의 노드는 출력을 저장했고, 출력은 아무도 건드리지 않았습니다.
3. 1.3에서는 약 $10^{-7}$, $6 \cdot 10^{-3}$, $0.1$입니다. 저장된 1.3이 반올림되었습니다. 1.5는 이진수로 쓰면 자릿수가 짧아서 어느 dtype에나 그대로 들어가고, gradient도 정확합니다.
4. 2배입니다. 차분몫은 hook도 저장된 텐서도 보지 못합니다. 바로 그래서 이런 것을 찾아낼 수 있습니다.

</details>

여러분의 함수는 `explore_saved(torch.sin)`처럼 넣으면 됩니다.

## 5. 저장된 텐서는 메모리를 차지한다

학습할 때 메모리의 상당 부분은 저장된 텐서가 차지합니다. 그래프와 저장될 텐서 사이에 여러분의 함수 두 개를 둘 수 있습니다. `pack`은 텐서가 저장될 때마다 그 텐서를 받아 대신 보관할 것을 돌려주고, `unpack`은
`backward()`가 필요로 할 때 그것을 다시 텐서로 만듭니다. 탐색기도 이렇게 자릿수를 줄였습니다.
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
The sum saved nothing: its slope is 1. (The 2 of `x * 2` is no tensor either: `pack` is not given it, though its node shows it as a tensor `_saved_other`.)

A **checkpoint** (lesson 2) goes further. Of a whole function it keeps the input alone, throws away all that was saved inside, and runs the function a second time when `backward()` gets there. (`use_reentrant=False` chooses the newer of
its two forms: `torch.autograd.grad` works in it, and weights get their gradient also when the input is not tracked.) The next cell counts the numbers saved:
"""

# %% [markdown] lang="ko" en="5bfcca29"
r"""
합은 아무것도 저장하지 않았습니다. 기울기가 1이기 때문입니다. (`x * 2`의 2도 저장된 텐서가 아닙니다. 노드의 `_saved_other`에서는 텐서처럼 보이지만 `pack`에는 오지 않습니다.)

수업 02에서 본 **체크포인트**(checkpoint)를 쓰면 더 많이 아낄 수 있습니다. 함수 전체에서 입력만 남기고 안에서 저장한 것은 모두 버린 뒤, `backward()`가 거기에 이르면 함수를 한 번 더 실행합니다. (`use_reentrant=False`는 두 방식 가운데 새 방식을
고릅니다. 새 방식에서는 `torch.autograd.grad`도 쓸 수 있고, 입력이 추적되지 않아도 가중치에 gradient가 도달합니다.) 다음 셀은 저장된 원소가 모두 몇 개인지 셉니다.
"""

# %%
from torch.utils.checkpoint import checkpoint

sizes, runs = [], []


def wave(t):
    runs.append("wave")
    return t.sin().exp().tanh()


def count(t):
    sizes.append(t.numel())
    return t


x = torch.linspace(0, 1, 1000, requires_grad=True)
plain, kept = say(en="plain     ", ko="그냥      "), say(en="checkpoint", ko="체크포인트")
for name, call in ((plain, wave), (kept, lambda t: checkpoint(wave, t, use_reentrant=False))):
    sizes.clear(), runs.clear()
    with saved_tensors_hooks(count, lambda t: t):
        y = call(x)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    print(name, say(en="saved:", ko="저장:"), sum(sizes), say(en=" runs:", ko=" 실행:"), len(runs), end="  ")
    print(say(en="gradient at 1:", ko="1에서의 gradient:"), f"{gradient[-1]:.6f}")

# %% [markdown] lang="en"
r"""
Same gradient, two runs for one; and the graph saves 1000 numbers, the input, where it saved 3000. (In memory this spares the result of `exp` alone: `sin` had saved `x` and `tanh` its result `y`, and saving copies nothing.)

## 6. Hooks: functions on the way back

A **hook** (lesson 4) is a function that you hang on a tensor. `y.register_hook(f)` has `f` called with the gradient for `y` in every `backward()` that passes through `y`, before that gradient is used any further. What `f`
returns takes its place; if it returns nothing, the gradient stays. The call gives you a *handle*, whose `remove()` takes the hook off again. Our old chain:

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

# %% [markdown] lang="ko" en="0410132b"
r"""
gradient는 같고, 실행은 한 번이 아니라 두 번입니다. 그 대신 저장된 원소는 3000개가 아니라 입력의 1000개뿐입니다. (메모리에서 실제로 아낀 것은 `exp`의 결과 1000개입니다. `sin`은 `x`를, `tanh`는 결과 `y`를 저장했고, 저장은 복사가 아니기 때문입니다.)

## 6. hook: 거슬러 가는 길에 거는 함수

수업 04에서 본 **hook**은 텐서에 걸어 두는 함수입니다. `y.register_hook(f)`라고 하면 `backward()`가 `y`를 지날 때마다 `y`의 gradient가 다음으로 넘어가기 전에 그 gradient로 `f`를 부릅니다. `f`가 돌려준 값이 gradient를
대신하고, 아무것도 돌려주지 않으면 gradient는 그대로입니다. `register_hook`은 *핸들*(handle)을 돌려주는데, 핸들의 `remove()`를 부르면 hook이 제거됩니다. 앞에서 여러 번 본 계산에 걸어 봅시다.

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
    A=say(en="0.008 is printed, `x.grad` is 0.6", ko="0.008이 출력되고 `x.grad`는 0.6"),
    B=say(en="0.008 is printed, `x.grad` is 1.2", ko="0.008이 출력되고 `x.grad`는 1.2"),
    C=say(en="0.016 is printed, `x.grad` is 1.2", ko="0.016이 출력되고 `x.grad`는 1.2"),
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
tensor_info(x=x, y=y, z=z)
print("x.grad:", x.grad)

# %%
predicted(
    "7 hook",
    right="B",
    A=say(
        en="The hook returned something, and what it returns goes on to `x` in the gradient's place.",
        ko="hook이 돌려준 값이 있으므로, 그 값이 gradient 대신 `x` 쪽으로 갑니다.",
    ),
    B=say(
        en="The hook is given 0.008 and returns 0.016, and 75 · 0.016 = 1.2 arrives at `x`.",
        ko="hook은 0.008을 받아 0.016을 돌려주고, `x`에는 75 · 0.016 = 1.2가 도착합니다.",
    ),
    C=say(
        en="1.2 is right. But the hook prints what it is given, before it doubles it.",
        ko="1.2는 맞습니다. 그러나 hook은 두 배로 만들기 전에, 받은 값을 출력합니다.",
    ),
)

# %% [markdown] lang="en"
r"""
`y` keeps no `.grad` (it is no leaf), but its hook is called all the same. Never change in place the tensor that a hook is given: it may be on its way to other tensors too.

A leaf has a second kind of hook, which comes **after** its gradient has been added to `.grad`. It is given the *leaf*, not the gradient. Here `p` is used twice:
"""

# %% [markdown] lang="ko" en="c11bfc40"
r"""
`y`는 leaf가 아니어서 `.grad`를 남기지 않지만, 걸어 둔 hook은 불립니다. hook이 받은 텐서를 제자리에서 바꾸면 안 됩니다. 그 텐서는 다른 텐서로도 가는 중일 수 있습니다.

leaf에는 hook이 한 가지 더 있습니다. gradient가 `.grad`에 더해진 **다음에** 불립니다. 이 hook이 받는 것은 gradient가 아니라 *leaf*입니다. 다음에서 `p`는 두 번 쓰입니다.
"""

# %%
p = torch.tensor(2.0, requires_grad=True)
first = say(en="hook                 is given", ko="hook이 받은 것                :")
second = say(en="post-accumulate hook is given", ko="post-accumulate hook이 받은 것:")
p.register_hook(lambda g: print(first, g, " p.grad:", p.grad))
p.register_post_accumulate_grad_hook(lambda t: print(second, t, " p.grad:", t.grad))
(p * p + p).backward()

# %% [markdown] lang="en"
r"""
Both are called once, and with the whole gradient $2p + 1 = 5$: the engine adds up what comes from the two uses before (lesson 4).

## 7. The operation behind a nan

The slope of $\sqrt{x^2}$ at 0: the forward pass finds $\sqrt 0 = 0$, nothing unusual. Hooks show what happens on the way back:
"""

# %% [markdown] lang="ko" en="8cb08922"
r"""
둘 다 한 번씩 불리고, 그때 gradient는 이미 다 더해진 $2p + 1 = 5$입니다. 두 곳에서 온 것을 hook보다 먼저 엔진이 더하기 때문입니다(수업 04).

## 7. nan의 원인이 된 연산

0에서 $\sqrt{x^2}$의 기울기를 봅시다. 순방향 계산에서는 $\sqrt 0 = 0$으로 이상한 것이 없습니다. 거슬러 갈 때 무슨 일이 일어나는지 hook으로 봅시다.
"""

# %%
x = torch.tensor([3.0, 0.0], requires_grad=True)
y = x**2
z = y.sqrt()
for name, t in (("z", z), ("y", y), ("x", x)):
    t.register_hook(lambda g, name=name: print(name, g))  # name=name: fix it now, not when the hook runs
z.sum().backward()

print(say(en="anomaly detection says:", ko="이상 탐지의 결과:"))
with warnings.catch_warnings(), expect_error():
    warnings.simplefilter("ignore")  # it warns that it is slow, and prints where the forward pass was
    with torch.autograd.detect_anomaly():
        (x.detach().requires_grad_() ** 2).sqrt().sum().backward()

# %% [markdown] lang="en"
r"""
The root divided by $2\sqrt 0$ and made `inf`; the square multiplied that by $2 \cdot 0$, and $\infty \cdot 0$ is `nan`. PyTorch's **anomaly detection** stops at the first `nan` and names the square, `PowBackward0`. The culprit is the operation before, on the
way back: the first that turned a finite gradient into one that is not. Task 7.6 finds it.

## 8. A real bug

`leaky_relu` returns $x$ for positive $x$, and $s \cdot x$ for others; $s$ is called its negative slope. Its in-place form has to overwrite $x$, so its node saved the **output** and took the sign from there. In January 2020 somebody used it with $s = -2$.
Here `pack` plays that node, in today's PyTorch:
"""

# %% [markdown] lang="ko" en="a9cc6914"
r"""
제곱근은 $2\sqrt 0$으로 나누어 `inf`를 만들었고, 제곱은 거기에 $2 \cdot 0$을 곱했습니다. $\infty \cdot 0$은 `nan`입니다. PyTorch의 **이상 탐지**(anomaly detection)는 처음 나온 `nan`에서 멈추고 제곱(`PowBackward0`)을 지목합니다. 진짜 범인은 거슬러 가는 길에서
바로 앞서 지난 연산, 곧 유한한 gradient를 처음으로 유한하지 않게 만든 연산입니다. 과제 7.6에서 이것을 찾습니다.

## 8. 실제로 있었던 버그

`leaky_relu`는 $x$가 양수이면 $x$를, 아니면 $s \cdot x$를 돌려줍니다. $s$를 음수 쪽 기울기(negative slope)라고 합니다. 제자리에서 하는 `leaky_relu_`는 $x$를 덮어써야 하므로 노드가 **출력**을 저장하고 부호를 거기서 읽었습니다. 2020년 1월, 누군가 $s = -2$로 사용했습니다.
지금의 PyTorch에서 `pack`으로 그 노드를 흉내 내 봅시다.
"""

# %%
leaky_relu, h = torch.nn.functional.leaky_relu, 1e-6
place = torch.tensor([-1.0, 1.0], dtype=torch.float64)
for s in (0.2, -2.0):
    quotient = (leaky_relu(place + h, s) - leaky_relu(place, s)) / h
    x = place.clone().requires_grad_()
    with saved_tensors_hooks(
        lambda t, s=s: leaky_relu(t, s), lambda t: t
    ):  # keep the output; s=s as in section 7
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
At $x = -1$ the slope is $-2$, and PyTorch 1.3 said 1, as here, without an error ([pytorch#31938](https://github.com/pytorch/pytorch/issues/31938)). With $s = 0.2$ the output has the sign of the input, and nobody had noticed. With $s = -2$
the output 2 may come from 2 or from $-1$: what was needed had been overwritten. No version counter helps here: nobody changed the saved tensor, it was the wrong one to save. The [fix](https://github.com/pytorch/pytorch/pull/33639) is the error above: for a negative $s$ use the form that is not in place.
"""

# %% [markdown] lang="ko" en="eed87f84"
r"""
$x = -1$에서 기울기는 $-2$인데, PyTorch 1.3은 위와 같이 1이라고 했습니다. 오류는 없었습니다([pytorch#31938](https://github.com/pytorch/pytorch/issues/31938)). $s = 0.2$이면 출력의 부호가 입력과 같아서 아무도 눈치채지 못했습니다. $s = -2$이면
출력 2가 2에서 왔는지 $-1$에서 왔는지 알 수 없습니다. 필요한 것을 이미 덮어쓴 것입니다. 버전 카운터도 소용없습니다. 저장된 텐서를 누가 바꾼 것이 아니라, 저장할 것을 잘못 골랐기 때문입니다. [해결책](https://github.com/pytorch/pytorch/pull/33639)은 위에서 본 오류를 내는 것이었습니다. $s$가 음수이면 제자리에서 하지 않는 `leaky_relu`를 쓰라는 뜻입니다.
"""

# %% [markdown] lang="en"
r"""
# Tasks

Six functions, 12 points. The test cells work as in lesson 1: they hold the **visible tests**; **hidden tests** are added when your work is graded.
If you teach yourself: after the pass, or when you are stuck, the panel of **Check** (in a terminal: `autograder check 7 --solution saved_shapes`) shows the worked solution of a task.

**The rules of every task**, as in lesson 1: unless a task says otherwise, your function leaves what belongs to its caller as it found it: the arguments with
their values, `.grad`, `requires_grad` and hooks, and every setting of the whole process (gradient mode, anomaly mode, default dtype, random state, warning filters, hooks
for saved tensors and the like). It keeps the dtype, `float32` or `float64`, gives the same answer when called twice, and returns what its text says.
A tensor may be a slice of a larger one, so `view` may fail on it.
Where a task asks for a hook or for a change in place, it says so.
"""

# %% [markdown] lang="ko" en="6862c2cf"
r"""
# 과제

함수 여섯 개, 모두 12점입니다. 테스트 셀은 수업 01과 같습니다. 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가 더해집니다.
혼자 배울 때는 통과한 뒤나 막혔을 때 **답 확인** 패널(터미널에서는 `autograder check 7 --solution saved_shapes`)에서 그 과제의 모범 풀이를 볼 수 있습니다.

**모든 과제에 적용되는 규칙**도 수업 01과 같습니다. 과제에 다른 말이 없으면 함수는 호출한 쪽의 것을 그대로 둡니다. 인자와 그 값, `.grad`,
`requires_grad`, hook, 그리고 프로세스 전체의 설정(gradient 모드, 이상 탐지 모드, 기본 dtype, 난수 상태, 경고 필터, 저장된 텐서의 hook 등)입니다. dtype(`float32` 또는
`float64`)을 유지하고, 두 번 불러도 같은 답을 내며, 과제가 말한 것을 돌려줍니다. 텐서는 더 큰 텐서에서
잘라 낸 것일 수도 있으므로 `view`가 실패할 수 있습니다. hook을 걸거나 제자리에서 바꾸어야 할 때는 과제에 그렇게 적혀 있습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 7.1 · `breaks_backward`

●●○○○ · ★★★★★ · 4 min · 2 points

Each of these five programs continues with `y.add_(1)` and then `y.sum().backward()`. Here `x` is a tracked leaf of positive numbers. For which of them does `backward()` **raise an error**?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- Return a dict, a new one in each call, with exactly the keys `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`. The values are bools: `True` if it raises, `False` if it works.
- Reason it out, or let your function try it on tensors of its own: both are fine.

<details><summary>Hint 1: the idea</summary>

Write down the slope of each operation. Is it shortest in terms of the input $x$, of the output $y$, or of neither?

</details>

<details><summary>Hint 2: nearly the code</summary>

Ask the nodes, as in section 1. `y.add_(1)` moves only the version of `y`. Or try it: `y.add_(1)` and `y.sum().backward()` inside `try:` ... `except RuntimeError:`.

</details>
"""

# %% [markdown] lang="ko" en="5075d45f"
r"""
## 과제 7.1 · `breaks_backward`

●●○○○ · ★★★★★ · 4분 · 2점

다음 다섯 프로그램 뒤에 `y.add_(1)`과 `y.sum().backward()`가 이어집니다. `x`는 추적되는 leaf이고 원소는 모두 양수입니다. `backward()`가 **오류를 내는** 것은 어느 것인가요?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- 호출할 때마다 새 dict를 돌려주세요. 키는 꼭 `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`이어야 합니다. 값은 bool입니다. 오류가 나면 `True`, 잘 되면 `False`입니다.
- 따져서 답해도 되고, 함수 안에서 텐서를 새로 만들어 직접 해 보아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

연산마다 기울기를 적어 보세요. 입력 $x$로 쓰는 것이 가장 간단한가요, 출력 $y$로 쓰는 것이 가장 간단한가요? 아니면 둘 다 필요 없나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

1절에서처럼 노드에 물어보세요. `y.add_(1)`은 `y`의 버전만 올립니다. 아니면 `try:` ... `except RuntimeError:` 안에서 `y.add_(1)`과 `y.sum().backward()`를 직접 해 보세요.

</details>
"""


# %% nbgrader={"grade_id": "breaks_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def breaks_backward():
    """Return for each program, a str, whether backward() raises after y.add_(1), a bool."""
    ### BEGIN SOLUTION
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": True, "x.log()": False, "x + 1": False}
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_breaks_backward", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints

hint = hints("breaks_backward")

_PROGRAMS = ["x + 1", "x.exp()", "x.log()", "x.sin()", "x.sqrt()"]


def _compare(answer, keys):
    got = answer.result
    answer.holds(isinstance(got, dict), check.kind(got), hint.keys)
    check.equal(sorted(got, key=str), _PROGRAMS, f"{answer.call}: {hint.listed}", hint=keys)
    for program in _PROGRAMS:
        value, where = got[program], f"{answer.call}[{program!r}]"
        check.holds(type(value) is bool, where, f"{hint.bools} ({check.kind(value)})")
    for program, breaks, why in (("x + 1", False, hint.add), ("x.exp()", True, hint.exp)):
        check.equal(got[program], breaks, f"{answer.call}[{program!r}]", hint=why)
    answer.holds(sum(got.values()) == 2, str(got), hint.some).changes_nothing()


_first = ask("answers = breaks_backward()", {"words": "breaks_backward()"})
_compare(_first, hint.keys)
_second = _first.after("answers.pop('x + 1')")
_compare(_second, hint.anew)
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


_WHY = {"x + 1": hint.add, "x.exp()": hint.exp}
_WHY |= {"x.sin()": hint.sin, "x.sqrt()": hint.sqrt, "x.log()": hint.log}
for _answer in (_first, _second):
    for _program, _why in _WHY.items():
        _where = f"{_answer.call}[{_program!r}]"
        check.equal(_answer.result[_program], _breaks(_program), _where, hint=_why)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.2 · `saved_shapes`

●●●○○ · ★★★★☆ · 6 min · 2 points

Return the shapes of all tensors that the graph of `f(x)` saves for `backward()`, as a list of tuples, **in any order**.

- `x` is a tracked leaf of any shape, perhaps empty, perhaps with a `.grad`, which must survive. `f` takes it to a tensor of any shape; it may use other tensors, tracked or not,
  and everything that it computes goes into its result.
- Every tensor that a node saves counts, also if two nodes, or one node twice, save the same one. Numbers such as the exponent of `x**2` or the 2 of `x * 2` are not tensors and do not count.
- Call `f` once, and walk nothing back: no `backward()`, no `torch.autograd.grad`.

<details><summary>Hint 1: the idea</summary>

In section 5 a `pack` function met each tensor at the moment when it was saved.

</details>

<details><summary>Hint 2: nearly the code</summary>

Let `pack(t)` append `tuple(t.shape)` to a list and return `t`; `unpack` returns what it gets. Call `f(x)` inside `with torch.autograd.graph.saved_tensors_hooks(pack, unpack):`.

</details>
"""

# %% [markdown] lang="ko" en="34ce1fdb"
r"""
## 과제 7.2 · `saved_shapes`

●●●○○ · ★★★★☆ · 6분 · 2점

`f(x)`의 그래프가 `backward()`를 위해 저장하는 모든 텐서의 shape를 튜플의 리스트로 돌려주세요. **순서는 상관없습니다**.

- `x`는 추적되는 leaf입니다. shape는 무엇이든 되고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다. `f`의 결과는 shape가 무엇이든 될 수 있는 텐서입니다. `f`는 다른 텐서도
  쓸 수 있고(추적되는 것이든 아니든), 계산한 것은 모두 결과에 쓰입니다.
- 노드가 저장하는 텐서는 빠짐없이 셉니다. 두 노드가, 또는 한 노드가 두 번 같은 텐서를 저장해도 각각 셉니다. `x**2`의 지수나 `x * 2`의 2처럼 텐서가 아닌 수는 세지 않습니다.
- `f`는 한 번만 부르고, `backward()`나 `torch.autograd.grad`는 부르지 마세요.

<details><summary>힌트 1: 생각의 방향</summary>

5절의 `pack` 함수는 텐서가 저장되는 바로 그 순간에 그 텐서를 받았습니다.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`pack(t)`에서는 `tuple(t.shape)`를 리스트에 넣고 `t`를 돌려줍니다. `unpack`은 받은 것을 그대로 돌려줍니다. `with torch.autograd.graph.saved_tensors_hooks(pack, unpack):` 안에서 `f(x)`를 부르세요.

</details>
"""


# %% nbgrader={"grade_id": "saved_shapes", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def saved_shapes(f, x):
    """Return the shapes of the tensors that f(x) saves for backward(), a list of tuples in any order.

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


# %% nbgrader={"grade_id": "test_saved_shapes", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf, tensor
from secant.checking.ask import judge

hint = hints("saved_shapes")


def _compare(f, x, dtype, want, wrong=None, why=hint.pack, grad=5.0, **given):
    given |= {"f": f"lambda t: {f}", "x": leaf(x, dtype, grad)}
    answer = ask("saved_shapes(f, x)", {"noting": ("f",)}, **given)
    got = answer.result
    if isinstance(got, list) and all(isinstance(shape, tuple) for shape in got):
        got = sorted(got, key=lambda shape: [n if type(n) is int else -1 for n in shape])
    judge(got, sorted(want), answer.call, mistakes=wrong, hint=why)
    answer.holds(len(answer.ran) == 1, f"{hint.once}: {len(answer.ran)}").changes_nothing()


_wrong = {hint.number: [()], hint.input: [(2,)], hint.output: [(1,)]}
_compare("(t * 2 + 1)[:1]", [1.0, 2.0], "float64", [], _wrong, grad=None)
_wrong = {hint.twice: [(2,)], hint.nothing: []}
_compare("t * t", [1.0, 2.0], "float32", [(2,), (2,)], _wrong)
_wrong = {hint.scalar: [(1, 2)], hint.nothing: []}
_compare("t.exp().sum() + t.sum().sin()", [[1.0, 2.0]], "float64", [(), (1, 2)], _wrong)
_compare("t.exp()", [], "float64", [(0,)], {hint.empty: []})
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

_SQUARE = "custom.operation('x * x', '2 * x * g', names='x')"


def _compare_drawn(f, x, dtype, want, why=hint.pack):
    W = leaf([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], dtype, 7.0)
    _compare(f, x, dtype, want, None, why, W=W, c=tensor([[2.0, -3.0]], dtype), square=_SQUARE)


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
            check.smallest(_compare_drawn, _f, _x, _dtype, _want)
    for _x, _want, _f in (
        ([_row[:2], _row[1:]], [(2,), (3,)], "t.sum(0).exp()[torch.tensor([1, 0, 1])]"),
        (_row, [(1,), (3,)], "t.exp().index_put((torch.tensor([1]),), t[0])"),
        (_row, [(), (3,)], "square(t).sum().exp()"),
    ):
        check.smallest(_compare_drawn, _f, _x, _dtype, _want, hint.elsewhere)
_first = ask("saved_shapes(lambda t: t.exp(), x)", x=leaf(check.draws(3, 1, 2)))
_first.equals([(3,)])
_then = _first.then("saved_shapes(lambda t: t.exp() * t, x)", hint.stale).equals([(3,)] * 3)
_then.then("saved_shapes(lambda t: t + 1, x)", hint.stale).equals([]).changes_nothing()
_first.still_returns([(3,)], hint.anew)
# The graph of f(x) is not used, and can be used.
_x, _w = (tensor(check.draws(2, 0.5, 1.5)) for _ in range(2))
_f = "lambda t: (made.append(w.sin() * w + t.exp()), made[0].register_hook(passed.append), made[0])[-1]"
_given = {"w": leaf(_w), "made": [], "passed": [], "f": _f, "x": leaf(_x)}
_after = ask("saved_shapes(f, x)", {"words": "saved_shapes(lambda t: w.sin() * w + t.exp(), x)"}, **_given)
_after.holds(not _after.then("passed").result, hint.ran)
_words = f"{_after.call}, then torch.autograd.grad(f(x).sum(), w)[0]"
_slope = _after.then("torch.autograd.grad(made[0].sum(), w)[0]", hint.usable, words=_words)
_slope.returns(_w.cos() * _w + _w.sin())
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.3 · `checkpoint_chain`

●●●○○ · ★★★★☆ · 9 min · 2 points

Return the result of all functions of `fs`, applied to `x` one after the other (`fs[0]` first), **each in a checkpoint of its own**.

- Value and gradients equal those of the plain chain. `backward()` and `torch.autograd.grad` both work on the result, and gradients reach `x` as well as every tracked weight that a function uses, also when `x` is not tracked.
- Each function runs **once** during the call and **once more** during `backward()`: the last one first, each shortly before the walk passes through it. In the tests every function saves something for `backward()` (one that saves nothing is never run again). The graph saves no more than the input of each.
- A function may draw random numbers, as dropout does. The second time it must draw the same ones.
- `fs` is a list, perhaps empty (then return `x` itself); the same function may stand in it twice. Each takes and returns one tensor and changes nothing in place.

<details><summary>Hint 1: the idea</summary>

Section 5: `checkpoint(f, x, use_reentrant=False)` keeps the input of `f` and nothing else. What is the input of the next function?

</details>

<details><summary>Hint 2: nearly the code</summary>

`from torch.utils.checkpoint import checkpoint`, then a loop over `fs` with `x = checkpoint(f, x, use_reentrant=False)`. Hand over `f` itself: a `lambda` made in a loop looks its names up when it runs, and by then `f` is the last function.

</details>
"""

# %% [markdown] lang="ko" en="c123fd6b"
r"""
## 과제 7.3 · `checkpoint_chain`

●●●○○ · ★★★★☆ · 9분 · 2점

`fs`의 함수를 `x`에 차례로 모두 적용한 결과를 돌려주세요(`fs[0]`부터). 단, **함수마다 체크포인트를 따로** 두세요.

- 값과 gradient는 함수를 그냥 이어 부른 것과 같아야 합니다. 결과에 `backward()`와 `torch.autograd.grad`를 모두 쓸 수 있어야 합니다. gradient는 `x`뿐 아니라 함수가 쓰는 추적되는 가중치에도 모두 도달해야 하고, `x`가 추적되지 않을 때도 그래야 합니다.
- 함수는 호출하는 동안 **한 번**, `backward()`를 하는 동안 **한 번 더** 실행됩니다. 마지막 함수부터, gradient가 그 함수를 지나가기 바로 전에 실행됩니다. 테스트의 함수는 모두 `backward()`를 위해 무언가를 저장합니다(아무것도 저장하지 않는 함수는 다시 실행되지 않습니다). 그래프에는 각 함수의 입력만 저장되어야 합니다.
- 드롭아웃(dropout)처럼 난수를 뽑는 함수도 있습니다. 두 번째로 실행될 때도 같은 난수를 뽑아야 합니다.
- `fs`는 리스트이고 비어 있을 수도 있습니다(그때는 `x`를 그대로 돌려주세요). 같은 함수가 두 번 들어 있을 수도 있습니다. 함수는 텐서 하나를 받아 텐서 하나를 돌려주고, 제자리에서 바꾸는 것은 없습니다.

<details><summary>힌트 1: 생각의 방향</summary>

5절의 `checkpoint(f, x, use_reentrant=False)`는 `f`의 입력만 남깁니다. 다음 함수의 입력은 무엇인가요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`from torch.utils.checkpoint import checkpoint`를 쓰고, `fs`를 도는 반복문에서 `x = checkpoint(f, x, use_reentrant=False)`라고 합니다. `f`를 그대로 넘기세요. 반복문 안에서 만든 `lambda`는 실행될 때에야 이름을 찾는데, 그때 `f`는 이미 마지막 함수입니다.

</details>
"""


# %% nbgrader={"grade_id": "checkpoint_chain", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def checkpoint_chain(fs, x):
    """Return fs[-1](... fs[0](x)), each function in a checkpoint of its own.

    fs: a list of functions from a tensor to a tensor; x: a tensor.
    """
    ### BEGIN SOLUTION
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(f, x, use_reentrant=False)
    return x
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_checkpoint_chain", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf, tensor

hint = hints("checkpoint_chain")

_BACKWARD = "y.sum().backward()", "[t.grad for t in {}]"
_GRAD = "grads = torch.autograd.grad(y.sum(), {}, allow_unused=True)", "list(grads)"


def _compare(chain, fs, x, dtype, want, slopes, backward=_BACKWARD, wrong=None, before="", **more):
    """chain: the names of the functions in turn; slopes: of x and the weights, by name."""
    given = {**more, **{name: f"lambda t: {f}" for name, f in fs.items()}}
    given |= {"fs": f"[{', '.join(chain)}]", "x": leaf(x, dtype)}
    how = {"noting": tuple(fs), "before": before}
    answer = ask("y = checkpoint_chain(fs, x)", how, **given)
    answer.returns(tensor(want, dtype), mistakes=wrong).is_tracked(hint.tracked)
    check.equal(answer.ran, list(chain), f"{answer.call}: {hint.order}")
    same = f"fs == [{', '.join(chain)}]"
    answer.holds(answer.then(same).result, hint.changed)  # which a backward pass may undo
    run, grads = (text.format(f"[{', '.join(slopes)}]") for text in backward)
    passed = answer.then(run, errors={"use_reentrant": hint.older, "": hint.late})
    found = passed.then(grads, words=f"{passed.call}: {hint.slopes}")
    found.holds(all(slope is not None for slope in found.result), hint.reached)
    again = passed.ran[len(chain) :]
    check.equal(again, list(chain[::-1]), f"{passed.call}: {hint.rerun}", hint=hint.each)
    found.returns([tensor(slope, dtype) for slope in slopes.values()])
    answer.holds(answer.then(same).result, hint.changed)
    return answer.changes_nothing()


_functions, _x = {"f": "t * t", "g": "t**3 - t"}, [2.0, -1.0]
_slopes, _wrong = {"x": [188.0, -4.0]}, {hint.reverse: [36.0, 0.0]}
_compare("fg", _functions, _x, "float64", [60.0, 0.0], _slopes, wrong=_wrong)
_functions, _how = {"f": "t**2 * w", "g": "t**3"}, {"before": "x.requires_grad_(False)"}
_how |= {"backward": _GRAD, "w": leaf(2.0, "float32")}
_compare("fg", _functions, -1.0, "float32", 8.0, {"w": 12.0}, **_how)
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch

from secant import formula
from secant.checking.ask import call_of

_HOOKS = "torch.autograd.graph.saved_tensors_hooks(lambda t: (saved.append(t.numel()), t)[-1], lambda t: t)"
_SAVED = "(hooks.__enter__(), checkpoint_chain(fs, x), hooks.__exit__(), sum(saved))[-1]"


def _compare_drawn(chain, fs, x, weights, dtype, backward=_BACKWARD, before=""):
    leaves = {name: tensor(weight).requires_grad_() for name, weight in weights.items()}
    steps = [tensor(x).requires_grad_()]
    for letter in chain:
        steps.append(formula(fs[letter], **leaves)(steps[-1]))
    of = leaves if before else {"x": steps[0], **leaves}
    slopes = dict(zip(of, torch.autograd.grad(steps[-1].sum(), list(of.values())), strict=True))
    more = {name: leaf(weight, dtype) for name, weight in weights.items()}
    more |= {"backward": backward, "before": before, "saved": [], "hooks": _HOOKS}
    answer = _compare(chain, fs, x, dtype, steps[-1], slopes, **more)
    saved, most = answer.then(_SAVED).result, sum(step.numel() for step in steps[:-1])
    answer.holds(saved <= most, f"{hint.saved}: {saved} > {most}")


_FOUR = {"f": "t * t", "g": "t.sin() * t", "h": "t.exp()", "k": "t.tanh() * t"}
for _dtype in ("float64", "float32"):
    _rows, _w, _v = [check.draws(3, -1, 1), check.draws(3, -1, 1)], check.draw(0.5, 2), check.draw(-2, -0.5)
    for _chain, _fs, _x, _weights, *_how in (
        ("fghk", _FOUR, check.draw(-1, 1), {}),
        ("ghg", _FOUR, _rows, {}),
        ("k", _FOUR, check.draws(2, -1, 1), {}, _GRAD),
        ("fg", {"f": "t.exp() * w", "g": "t.tanh() * v"}, _rows, {"w": _w, "v": _v}),
        ("fg", {"f": "t * w * t", "g": "t.exp()"}, _rows, {"w": _w}, _BACKWARD, "x.requires_grad_(False)"),
        ("fg", {"f": "t.sin() * t", "g": "w * t.exp()"}, _rows, {"w": _w}, _GRAD),
        ("fg", {"f": "(t @ t.T).tanh()", "g": "t.sum(0).exp()"}, _rows, {}),
    ):
        check.smallest(_compare_drawn, _chain, _fs, _x, _weights, _dtype, *_how)
_x = tensor(check.draws(4, 0.5, 1.5))
_given = {"f": "lambda t: t**2 * torch.rand_like(t)", "g": "lambda t: t.exp() * torch.rand_like(t)"}
_given["x"] = leaf(_x)
_states = "y = (torch.get_rng_state(), checkpoint_chain([f, g], x), torch.get_rng_state())"
_random = ask(_states, {"words": call_of("checkpoint_chain([f, g], x)", _given)}, **_given)
_passed = _random.then("torch.autograd.grad(y[1].sum(), x)[0]", hint.same)
_drawn = (
    "torch.set_rng_state(y[0]), torch.rand_like(x), torch.rand_like(x), torch.get_rng_state().equal(y[2])"
)
_, _first, _second, _as_many = _random.then(_drawn).result
_value = (_x**2 * _first).exp() * _second
check.close(_random.result[1], _value, _random.call)
_random.holds(_as_many, hint.more)
_passed.returns(_value * 2 * _x * _first).changes_nothing()
_first = ask("y = checkpoint_chain([torch.sin, torch.exp], x)", x=leaf(_x, grad=3.0))
_first.returns(_x.sin().exp()).changes_nothing()
_second = _first.then("z = checkpoint_chain([torch.exp, torch.sin], x)", hint.stale)
_second.returns(_x.exp().sin()).changes_nothing()
_first.then("checkpoint_chain([], x) is x").equals(True, hint=hint.itself).changes_nothing()
_grads = _second.then("[torch.autograd.grad(t.sum(), x)[0] for t in (y, z)]")
_grads.returns([_x.sin().exp() * _x.cos(), _x.exp().cos() * _x.exp()])
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.4 · `clip_hook`

●●○○○ · ★★★★★ · 6 min · 2 points

From now on, let no gradient larger than `m` in absolute value pass through `t`: hang a hook on `t` that replaces the gradient $g$ by $g$ limited, number by number, to the range from $-m$ to $m$. **Return the hook's handle.**

- `t` is tracked, a leaf or an intermediate tensor, of any shape and used in one or several places. `m` is a number, 0 or greater. What is limited is the **whole** gradient that arrives at `t` in one `backward()`, the sum over all its uses.
- What `t` was computed from gets the limited gradient; so does `t.grad` of a leaf. Nothing else may notice: not the forward values, not other hooks of `t`, not the gradients of other tensors, not what is in `t.grad` already.
- The hook works in every `backward()` until `handle.remove()` is called, then no longer.

<details><summary>Hint 1: the idea</summary>

In section 6 the return value of the hook took the place of the gradient. The tensor that the hook is given may be on its way to others too: make a new one.

</details>

<details><summary>Hint 2: nearly the code</summary>

`t.register_hook(...)` returns the handle. The hook takes `g` and returns `g.clamp(-m, m)`.

</details>
"""

# %% [markdown] lang="ko" en="10e118ea"
r"""
## 과제 7.4 · `clip_hook`

●●○○○ · ★★★★★ · 6분 · 2점

앞으로 절댓값이 `m`보다 큰 gradient가 `t`를 지나가지 못하게 하세요. 도착한 gradient $g$를 원소마다 $-m$과 $m$ 사이로 제한하는 hook을 `t`에 걸고, 그 hook의 **핸들(handle)을 돌려주세요**.

- `t`는 추적되는 텐서이고 leaf일 수도, 중간 텐서일 수도 있습니다. shape는 무엇이든 되고 한 곳 또는 여러 곳에 쓰입니다. `m`은 0 이상인 수입니다. 제한하는 것은 `backward()` 한 번에 `t`에 도착하는 gradient **전체**, 곧 쓰인 곳마다 온 것의 합입니다.
- `t`를 계산하는 데 쓰인 텐서에는 제한된 gradient가 갑니다. `t`가 leaf이면 `t.grad`가 제한된 gradient를 받습니다. 그 밖에는 아무것도 달라지면 안 됩니다. 순방향의 값도, `t`에 걸린 다른 hook도, 다른 텐서의 gradient도, 이미 `t.grad`에 있던 값도 그대로여야 합니다.
- hook은 `handle.remove()`를 부를 때까지 모든 `backward()`에서 작동하고, 그 뒤에는 작동하지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절에서 hook이 돌려준 값이 gradient를 대신했습니다. hook이 받는 텐서는 다른 곳으로도 가는 중일 수 있으니 새 텐서를 만드세요.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

`t.register_hook(...)`이 핸들을 돌려줍니다. hook은 `g`를 받아 `g.clamp(-m, m)`을 돌려줍니다.

</details>
"""


# %% nbgrader={"grade_id": "clip_hook", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def clip_hook(t, m):
    """Limit each number of the gradient through t to the range from -m to m; return the hook's handle.

    t: a tracked tensor; m: a number, 0 or greater.
    """
    ### BEGIN SOLUTION
    return t.register_hook(lambda g: g.clamp(-m, m))
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_clip_hook", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf, tensor

hint = hints("clip_hook")


def _compare(t, x, c, m, dtype, want, mistakes, grad=None, uses=1, layout=""):
    """want: x.grad after two backward passes through t, which y uses so many times."""
    given = {"c": tensor(c, dtype), "u": leaf(x, dtype), "x": leaf(x, dtype, grad, layout=layout)}
    answer = ask("handle = clip_hook(t, m)", **given, v="u * 1", t=t, m=m)
    found = answer.then("hasattr(handle, 'remove')").result
    answer.holds(found, f"{hint.handle} ({check.kind(answer.result)})")
    made = answer.then(f"y = ((t + v) * c{' + t * c' * (uses - 1)}).sum()")
    passed = made.then("y.backward(retain_graph=True)").then("y.backward(retain_graph=True)")
    passed.then("x.grad").returns(tensor(want, dtype), mistakes=mistakes, nearly=hint.digits)
    passed.then("u.grad").returns(2 * tensor(c, dtype), hint=hint.spoilt)
    answer.changes_nothing(but=[("hooks", name) for name in ("t", t)])
    return passed


_compare("x**3", 5.0, 0.008, 0.004, "float32", 0.6, {hint.free: 1.2, hint.once: 0.9})
_compare("x * 3", 2.0, 5.0, 0, "float64", 0.0, {hint.zero: 30.0})
_wrong = {hint.norm: [13.0, -11.0, 31.0], hint.above: [17.0, -31.0, 39.0]}
_wrong |= {hint.below: [17.0, 9.0, 39.0], hint.held: [15.0, -15.0, 15.0]}
_case = "x", [1.0, 2.0, 3.0], [2.0, -10.0, 11.0], 15.0, "float64", [17.0, -21.0, 39.0]
_compare(*_case, _wrong, grad=9.0, uses=2)
check.visible_passed()


### BEGIN HIDDEN TESTS
def _compare_drawn(t, slope, x, c, m, dtype, grad=None, uses=1, layout=""):
    whole, held = slope * uses * tensor(c), grad or 0.0
    limited = slope * (uses * tensor(c)).clamp(-m, m)
    wrong = {hint.free if m else hint.zero: 2 * whole + held, hint.once: limited + whole + held}
    want = tensor(2 * limited + held, dtype)
    passed = _compare(t, x, c, m, dtype, want, wrong, grad, uses, layout)
    passed.then("t.retains_grad").equals(False, hint=hint.retained)
    ended = passed.then("handle.remove()").then("y.backward()")
    want = [want + tensor(whole, dtype), 3 * tensor(c, dtype)]
    ended.then("[x.grad, u.grad]").returns(want, hint=hint.removed)


for _dtype in ("float64", "float32"):
    for _m in (0, 0.0, 1, check.draw(0.2, 2), check.draw(2, 4), 50.0):
        _x, _c, _grad = check.draws(4, -2, 2), check.draws(4, -3, 3), check.draw(3, 9)
        check.smallest(_compare_drawn, "x", 1, _x, _c, _m, _dtype)
        check.smallest(_compare_drawn, "x", 1, _x, _c, _m, _dtype, _grad, 2)
        check.smallest(_compare_drawn, "x * 3", 3, _x, _c, _m, _dtype, _grad, 3)
    _x, _c, _m = check.draw(-2, 2), check.draw(-3, -1), check.draw(0.2, 1)
    check.smallest(_compare_drawn, "x * 3", 3, _x, _c, _m, _dtype)
    check.smallest(_compare_drawn, "x", 1, _x, _c, _m, _dtype, 9.0)
    _x, _c = ([check.draws(2, -3, 3), check.draws(2, -3, 3)] for _ in range(2))
    check.smallest(_compare_drawn, "x", 1, _x, _c, _m, _dtype, None, 1, "slice")
    _compare_drawn("x * 3", 3, [], [], 1.0, _dtype)
    # Two tensors; what arrives at each is its own value.
    _values, _n = tensor([check.draws(2, -9, 3), check.draws(2, -9, -3)], _dtype), check.draw(1, 2)
    _given = {"p": leaf(_values[0], _dtype), "q": leaf(_values[1], _dtype), "a": "p * 1", "b": "q * 1"}
    _first = ask(f"first = clip_hook(a, {_m})", {"before": "a.retain_grad()"}, **_given)
    _made = _first.then(f"clip_hook(b, {_n})").then("y = (a**2 + b**2).sum() / 2")
    _made = _made.then("y.backward(retain_graph=True)")
    _limited = [_values[0].clamp(-_m, _m), _values[1].clamp(-_n, _n)]
    _made.then("[p.grad, q.grad]").returns(_limited, hint=hint.own)
    _made = _made.then("first.remove()").then("y.backward()")
    _made.then("[p.grad, q.grad]").returns([_limited[0] + _values[0], 2 * _limited[1]], hint=hint.stays)
# Two hooks on one tensor, which has a hook already and comes from an operation with two results.
_how, _c = {"before": "t.register_hook(lambda g: g * 2)"}, tensor([check.draw(0.3, 0.45), check.draw(-3, -1)])
_given = {"c": _c, "x": leaf([[0.0, 0.0], [0.0, 0.0]]), "both": "(x * 1).unbind(1)", "t": "both[0]"}
_made = ask("clip_hook(t, 1.0)", _how, **_given).then("second = clip_hook(t, 0.5)")
_made = _made.then("y = ((t + both[1]) * c).sum()").then("y.backward(retain_graph=True)")
_made.then("x.grad[:, 0]").returns((2 * _c).clamp(-0.5, 0.5), hint=hint.before)
_made.then("x.grad[:, 1]").returns(_c, hint=hint.beside)
_made = _made.then("second.remove()").then("y.backward()")
_made.then("x.grad[:, 0]").returns((2 * _c).clamp(-0.5, 0.5) + (2 * _c).clamp(-1, 1), hint=hint.before)
_made.then("x.grad[:, 1]").returns(2 * _c, hint=hint.beside)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.5 · `step_in_backward`

●●●○○ · ★★★★☆ · 8 min · 2 points

Let `backward()` itself take the training step: afterwards, in every `backward()`, each parameter `p` moves by `-lr * p.grad` **as soon as its gradient is complete**, and its buffer is emptied at once. Only one `.grad` is then full at a time.

- `params` is a list of tracked leaves of any shape, perhaps empty. Their `.grad` is `None` when your function is called, and `lr` is a number, 0 or greater. Your function itself moves nothing and returns `None`.
- A parameter may be used several times: the step takes the **whole** gradient. One that gets no gradient stays where it is.
- Change `p` in place: the same tensor, in the same memory, still a tracked leaf. After each `backward()` its `.grad` is `None` again. It works in every `backward()`, not just in the first.
- Each call keeps its own `lr` for its own parameters.

<details><summary>Hint 1: the idea</summary>

Which of the two hooks of section 6 runs when `.grad` is full, and what is it given?

</details>

<details><summary>Hint 2: nearly the code</summary>

The hook takes `p`: inside `torch.no_grad()` it does `p -= lr * p.grad`, then `p.grad = None`. Give it to `p.register_post_accumulate_grad_hook` of each parameter.

</details>
"""

# %% [markdown] lang="ko" en="dbd5ea52"
r"""
## 과제 7.5 · `step_in_backward`

●●●○○ · ★★★★☆ · 8분 · 2점

파라미터 업데이트를 `backward()` 안에서 바로 하게 만드세요. 그 뒤로는 `backward()`를 부를 때마다 파라미터 `p`의 gradient가 **다 모이는 즉시** `p`가 `-lr * p.grad`만큼 움직이고, 버퍼는 바로 비워집니다. 그러면 채워져 있는 `.grad`는 한 번에 하나뿐입니다.

- `params`는 추적되는 leaf의 리스트입니다. shape는 무엇이든 되고 리스트는 비어 있을 수도 있습니다. 함수를 부를 때 `.grad`는 모두 `None`이고, `lr`은 0 이상인 수입니다. 함수를 호출하는 것만으로는 파라미터가 바뀌지 않아야 하고, 돌려주는 것은 `None`입니다.
- 파라미터 하나가 여러 번 쓰일 수 있습니다. 업데이트에는 gradient **전체**를 씁니다. gradient가 오지 않은 파라미터는 그대로 둡니다.
- `p`는 제자리에서 바꾸세요. 같은 텐서, 같은 메모리이고 여전히 추적되는 leaf여야 합니다. `backward()`가 끝나면 `.grad`는 다시 `None`입니다. 첫 번째뿐 아니라 모든 `backward()`에서 그래야 합니다.
- 함수를 여러 번 부르면, 그때 받은 파라미터에는 그때 받은 `lr`을 씁니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절의 두 hook 가운데 `.grad`가 다 찬 뒤에 실행되는 것은 어느 것이고, 무엇을 받나요?

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

hook은 `p`를 받습니다. `torch.no_grad()` 안에서 `p -= lr * p.grad`를 하고 `p.grad = None`으로 비웁니다. 이것을 파라미터마다 `p.register_post_accumulate_grad_hook`에 넘기세요.

</details>
"""


# %% nbgrader={"grade_id": "step_in_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def step_in_backward(params, lr):
    """Let every later backward() move each parameter by -lr * p.grad and empty its buffer.

    params: a list of tracked leaves; lr: the step size.
    """

    ### BEGIN SOLUTION
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_step_in_backward", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf, tensor

hint = hints("step_in_backward")

# A hook of the test counts the buffers that are full when a gradient is complete.
_COUNT = "lambda _: full.append(sum(p.grad is not None for p in [{}]))"
_STATE = "all(p.is_leaf and p.requires_grad for p in [{0}]), [p.grad for p in [{0}]], full"


def _compare(call, values, loss, passes, dtype, otherwise=hint.each, before="", **exact):
    """passes: the parameters after each backward pass, and what they are after a mistake."""
    given = {name: leaf(value, dtype) for name, value in zip("ab", values, strict=False)}
    names = ", ".join(given)
    given |= {"full": [], "count": _COUNT.format(names), "kept": f"[p.detach() for p in [{names}]]"}
    given["counted"] = f"[p.register_post_accumulate_grad_hook(count) for p in [{names}]]"
    given |= {"params": "[b]" if before else f"[{names}]", "held": "[*map(id, params)]"}
    answer = passed = ask(call, {"before": before}, **given).equals(None, hint=hint.nothing)
    answer.changes_nothing(but=[("hooks", of) for of in ("a", "b", "params[0]", "params[1]")])
    answer.holds(answer.then("[*map(id, params)] == held").result, hint.changed)
    for want, wrong in passes:
        passed = passed.then(f"{loss}.backward()")
        passed.then(f"[{names}]").returns(want, mistakes=wrong, hint=otherwise, **exact)
    passed.then("kept").returns(want, hint=hint.in_place, **exact)
    tracked, left, full = passed.then(_STATE.format(names)).result
    passed.holds(tracked, hint.in_place)
    passed.holds(not any(grad is not None for grad in left), hint.full)
    passed.holds(max(full, default=0) <= 1, hint.at_once)


def _both(a, b):
    return [tensor(a, "float32"), tensor(b, "float32")]


_wrong = {hint.itself: _both(1.8, 4.5), hint.uphill: _both(2.5, 4.7), hint.still: _both(2.0, 5.0)}
_passes = (_both(1.5, 5.3), _wrong), (_both(1.1, 5.6), {hint.full: _both(0.6, 5.9)})
_call, _loss = "step_in_backward(params, 0.1)", "(a * a + a - 3 * b)"
_compare(_call, [2.0, 5.0], _loss, _passes, "float32")
check.visible_passed()
### BEGIN HIDDEN TESTS
_EXACT = {"float64": {"rtol": 1e-11, "atol": 1e-12, "nearly": hint.digits}, "float32": {}}


def _compare_drawn(lrs, values, loss, slopes, dtype, alone=False):
    """slopes: of the loss, for the values; alone: a call for each parameter."""
    now, passes = [tensor(value) for value in values], []
    for _ in range(3):
        now = [p - lr * g for p, lr, g in zip(now, lrs, slopes(*now), strict=True)]
        passes.append(([tensor(p, dtype) for p in now], {}))
    call, before = f"step_in_backward(params, {lrs[-1]})", ""
    if alone:
        before = f"step_in_backward([a], {lrs[0]})"
    otherwise = hint.each if all(lrs) else hint.zero
    _compare(call, values, loss, passes, dtype, otherwise, before, **_EXACT[dtype])


_product = lambda a, b: (b, a + 2 * b)
for _dtype in ("float64", "float32"):
    _lr, _other, _pair = check.draw(0.05, 0.4), check.draw(0.5, 1), check.draws(2, -2, 2)
    _row, _next = check.draws(3, -2, 2), check.draws(3, -2, 2)
    _rows, _column = [check.draws(2, -2, 2), check.draws(2, -2, 2)], [[check.draw(1, 2)], [-_other]]
    for _lrs, _values, _loss, _slopes, *_how in (
        ([_lr, _lr], [_row, _next], "(a * b + b**2).sum()", _product),
        ([_lr, _other], [_rows, _rows], "(a * b + b**2).sum()", _product, True),
        (
            [_lr, _lr],
            [_rows, _row],
            "(a**2 + a.sin() - 3 * a).sum()",
            lambda a, b: (2 * a + a.cos() - 3, 0 * b),
        ),
        ([_lr, _lr], _pair, "(a * b + b**2)", _product),
        ([0, 0], _pair, "(a * b + b**2)", _product),
        ([1], [_column], "(a * 2).sum()", lambda a: [0 * a + 2]),
        ([0.5], [[]], "(a * 2).sum()", lambda a: [0 * a + 2]),
    ):
        check.smallest(_compare_drawn, _lrs, _values, _loss, _slopes, _dtype, *_how)
_a, _b = check.draws(2, -2, 2), check.draws(2, -2, 2)
_answer = ask("step_in_backward([a], 0.5)", a=leaf(_a), b=leaf(_b))
_answer = _answer.then("step_in_backward([], 0.5)").then("(2 * a + 3 * b).sum().backward()")
_answer.then("a").returns(tensor(_a) - 1)
_answer.then("b").returns(tensor(_b), hint=hint.stranger)
_answer.then("b.grad").returns(tensor([3.0, 3.0]), hint=hint.stranger)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.6 · `first_bad_op`

●●●●○ · ★★★☆☆ · 9 min · 2 points

A chain $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ... ends with `y.sum()`. On the way back, **which operation is the first to make a gradient that is not finite?** Return its place in `fs`: the largest $i$ for which every number of the gradient
at $f_i$'s output is finite, and some number of the gradient at its input is not (`inf` or `nan`). If there is no such $i$, return `None`.

- `x` is a tracked leaf of any shape, perhaps empty, perhaps with a `.grad`, which must survive (the same tensor, not a copy put back). Functions make a new tensor of any shape that depends on their argument, or return their argument itself. They may use tracked weights, whose `.grad` must survive too.
- Only the gradients count: a `nan` in the forward values is none of our business.
- Return an `int` or `None`. For an empty list it is `None`.

<details><summary>Hint 1: the idea</summary>

You need the gradient at each of the tensors $x, y_1, y_2, \ldots$, without filling any `.grad`. Lesson 3 had a function that returns the gradients of all tensors that you name.

</details>

<details><summary>Hint 2: nearly the code</summary>

Collect all tensors of the chain in a list. `torch.autograd.grad(y.sum(), tensors)` returns their gradients in the same order. Then go through the places from the last to the first, and compare `torch.isfinite(g).all()` of both neighbours.

</details>
"""

# %% [markdown] lang="ko" en="8cbb795d"
r"""
## 과제 7.6 · `first_bad_op`

●●●●○ · ★★★☆☆ · 9분 · 2점

연산이 $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ...으로 이어지고 `y.sum()`으로 끝납니다. 거슬러 갈 때 **유한하지 않은 gradient를 처음으로 만드는 연산은 어느 것인가요?** `fs`에서 그 자리를 돌려주세요. 곧 $f_i$의 출력에서는 gradient의 원소가 모두 유한한데
입력에서는 유한하지 않은 원소(`inf`나 `nan`)가 있는 가장 큰 $i$입니다. 그런 $i$가 없으면 `None`을 돌려주세요.

- `x`는 추적되는 leaf입니다. shape는 무엇이든 되고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다(복사본을 되돌려 넣는 것이 아니라 같은 텐서여야 합니다). 함수는 인자에 따라 정해지는 새 텐서(shape는 무엇이든)를 만들거나 인자를 그대로 돌려줍니다. 추적되는 가중치를 쓰는 함수도 있고, 그 `.grad`도 그대로여야 합니다.
- gradient만 봅니다. 순방향 값에 있는 `nan`은 따지지 않습니다.
- `int` 또는 `None`을 돌려주세요. 빈 리스트이면 `None`입니다.

<details><summary>힌트 1: 생각의 방향</summary>

텐서 $x, y_1, y_2, \ldots$마다 gradient가 필요한데 `.grad`는 하나도 채우면 안 됩니다. 지정한 텐서의 gradient를 모두 돌려주던 수업 03의 함수를 떠올려 보세요.

</details>

<details><summary>힌트 2: 코드에 가깝게</summary>

이어지는 텐서를 모두 리스트에 모으세요. `torch.autograd.grad(y.sum(), tensors)`는 gradient를 같은 순서로 돌려줍니다. 그런 다음 마지막 자리부터 첫 자리까지 가면서 이웃한 둘의 `torch.isfinite(g).all()`을 비교하세요.

</details>
"""


# %% nbgrader={"grade_id": "first_bad_op", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def first_bad_op(fs, x):
    """Return where the backward pass first makes a gradient that is not finite: a place in fs, or None.

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


# %% nbgrader={"grade_id": "test_first_bad_op", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import ask, check, hints, leaf

hint = hints("first_bad_op")


def _compare(fs, x, dtype, want, wrong=None, grad=None, layout=""):
    given = {"w": leaf(2.0, dtype, grad), "fs": [f"lambda t: {f}" for f in fs], "held": "list(fs)"}
    answer = ask("first_bad_op(fs, x)", **given, x=leaf(x, dtype, grad, layout=layout))
    wrong = {hint.zero if want == 0 else hint.compare: None, **(wrong or {})}
    wrong[hint.kind] = lambda got: type(got) not in (int, type(None))
    answer.returns(want, mistakes=wrong, hint=hint.finite if want is None else hint.compare)
    answer.holds(answer.then("fs == held").result, hint.changed).changes_nothing()
    answer.again().equals(want).changes_nothing()


_compare(["t * 0", "t.sqrt()", "t * w"], [1.0, 4.0], "float32", 1, grad=5.0)
_compare(["t.exp()", "t.sin()"], [1.0, 2.0], "float64", None, grad=5.0)
_compare(["t.log()", "t * 2"], [-1.0, 2.0], "float64", None, {hint.forward: 0})
_fs = ["t.sqrt()", "t.clamp(min=1)", "t - 1", "t.sqrt()"]
_compare(_fs, [0.0, 4.0], "float64", 3, {hint.last: 0})
check.visible_passed()
### BEGIN HIDDEN TESTS
import torch


def _compare_drawn(fs, x, dtype, want, wrong=None, layout=""):
    wrong = {hint.last: tuple(range(want or 0)), **(wrong or {})}
    _compare(fs, x, dtype, want, wrong, check.draw(1, 9), layout)


for _dtype in ("float64", "float32"):
    _some, _low = check.draws(2, 0.5, 2), check.draw(-2, -0.5)
    _only_float32, _most = None if _dtype == "float64" else 0, "1.5e308" if _dtype == "float64" else "3e38"
    for _fs, _x, _want, *_how in (
        (["t**2", "t.sqrt()"], [0.0, _some[0]], 1),
        (["t**2", "t.sum()", "t.sqrt()", "t * w"], [[0.0, 0.0]], 2),
        (["t - 1", "t.log()"], 1.0, 1),
        (["t.sqrt()", "t * 1", "t.exp()"], [_some[0], _low], 2),
        (["t.sqrt()", "t * 1", "t * w"], [_some[0], _low], 0),
        (["t * 1", "t * w", "1 / t", "t.sin()"], [0.0, _some[1]], 3),
        (["t * 1", "t * w", "1 / t"], [0.0, _some[1]], 2),
        (["t.sqrt()", "t * 1", "t.sqrt()"], 0.0, 2),
        (["t", "t * 0", "t", "t.sqrt()", "t"], _some, 3),
        (["t", "t"], _some, None),
        (["t.sqrt()", "t * t"], [_some, _some], None),
        (["t.log()", "t * 2"], [0.0, _some[0]], 0),
        (["t.log()", "t * 2"], [_low, _low], None),
        (["t.exp()"], [100.0, 0.0], _only_float32),
        (["t * 40", "t.exp()", "t * w"], [_some[0], 20.0], 1),
        (["t * 1e30", "t * 1e30"], _some, _only_float32),
        (["t.relu()", "t.sqrt()"], [_low, _some[0]], 1),
        (["t.reshape(-1)", "t.abs()", "t**0.5"], [[0.0], [_low]], 2),
        (["t.abs()", "t[1:]", "t.sqrt()"], [0.0, *_some], None),
        (["t.abs()", "t.sqrt()", "t[1:]"], [0.0, *_some], 1),
        (["t.norm()"], [_some, _some], None),
        (["t.unsqueeze(0)", "t.acos()", "t.mean()"], [1.0, 0.5], 1),
        ([f"t * {_most}"], [1.0, 1.0], None, {hint.sum: 0}),
        (["t.exp()", "t * 0", "t**0.5", "t * 2"], [_some, _some], 2, None, "slice"),
        ([], _some, None),
        (["t.sqrt()"], [], None),
        (["t.sqrt()", "t * w"], torch.empty(0, 3), None),
    ):
        check.smallest(_compare_drawn, _fs, _x, _dtype, _want, *_how)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## What the hidden tests look for

- **7.1** Each of the five answers, tried out; a new dict in every call.
- **7.2** Operations that save their input, their output, something on the way, an index, several tensors, one tensor twice, or nothing; numbers as factors; a Function with a backward of its own; tracked and untracked weights; detached parts; `x` with one number, with none, with several dimensions, with a `.grad`;
  one call of `f`; a fresh list in every call; that nothing is walked back, that `backward()` still works on the graph of `f(x)` afterwards, and that no hook stays in force; both dtypes.
- **7.3** Chains of one to four functions, one of them twice, with weights, with results of other shapes; an untracked `x`; `backward()` and `torch.autograd.grad`; the number and order of all runs; how much the graph saves; random numbers; the empty list; both dtypes.
- **7.4** Leaves and intermediate tensors, used once and several times; a slice of a larger tensor; $m$ of 0, small and large; a `.grad` that was there before; other tensors that share the gradient; two `backward()`, then one after `remove()`; two hooks with limits of their own, also on one tensor that has a hook already; both dtypes.
- **7.5** Parameters used several times, together and not at all; two calls with different `lr`, `lr` of 0; up to three `backward()`; how many `.grad` are full at a time; values, memory, `.grad` and flags afterwards; a leaf that is not in the list; both dtypes.
- **7.6** Bad operations at any place, one, several, none; gradients that become finite again; `nan` that is in the forward values only; gradients whose sum alone is too large, or too large for `float32` but not for `float64`; functions that return their argument, change the shape or use weights; empty `x` and empty lists; an `x` that is a slice; `.grad` and hooks.

Everywhere: the rules of every task.

## What you have made

The engine that you write in lesson 10 works out its local slopes in the forward pass and keeps them for the way back: they are its saved tensors. You know now why nothing may change them in between, and that the difference quotient finds out if something did. Its walk back, node by node, is the one on which `first_bad_op` looked at every gradient.

## Checklist

You can now answer these without looking back:

- Why does `y.add_(1)` break `exp` but not `sin`?
- What does the version counter compare, and which edit does it miss?
- What does a checkpoint keep, and what does that cost?
- What becomes of a hook's return value? And what are the two kinds of hooks of a leaf given?
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

# %% [markdown] lang="ko" en="0a3a7339"
r"""
## 숨은 테스트가 보는 것

- **7.1** 답 다섯 개를 직접 실행해서 확인합니다. 호출할 때마다 새 dict를 돌려주는지도 봅니다.
- **7.2** 입력을 저장하는 연산, 출력을 저장하는 연산, 중간 결과를 저장하는 연산, 인덱스를 저장하는 연산, 텐서 여러 개나 같은 텐서 두 번을 저장하는 연산, 아무것도 저장하지 않는 연산. 곱하거나 나누는 수, backward를 직접 정의한 Function. 추적되는 가중치와 추적되지 않는 것, detach한 부분. 원소가 하나인 `x`, 빈 `x`, 여러 차원의 `x`, `.grad`가 있는 `x`.
  `f`를 한 번만 부르는지, 매번 새 리스트인지, gradient를 구하지 않았는지, 그 뒤에 `f(x)`의 그래프에서 `backward()`가 되는지, hook이 남아 있지 않은지. 두 가지 dtype.
- **7.3** 함수 한 개에서 네 개까지의 사슬, 같은 함수가 두 번 나오는 사슬, 가중치를 쓰거나 결과의 shape가 다른 함수. 추적되지 않는 `x`, `backward()`와 `torch.autograd.grad`, 실행 횟수와 순서, 그래프에 저장되는 양, 난수, 빈 리스트, 두 가지 dtype.
- **7.4** 한 번 또는 여러 번 쓰이는 leaf와 중간 텐서, 더 큰 텐서에서 잘라 낸 것. 0인 $m$, 작은 $m$, 큰 $m$. 이미 있던 `.grad`, gradient를 함께 받는 다른 텐서, 두 번의 `backward()`와 `remove()` 뒤의 한 번, 한계가 서로 다른 hook 두 개. 다른 hook이 이미 걸려 있는 텐서 하나에 두 번 부르는 경우. 두 가지 dtype.
- **7.5** 여러 번 쓰이는 파라미터, 함께 쓰이는 파라미터, 쓰이지 않는 파라미터. `lr`이 다른 두 번의 호출, 0인 `lr`, 세 번까지의 `backward()`. 한 번에 채워져 있는 `.grad`의 수. 그 뒤의 값, 메모리, `.grad`, 추적 여부. 리스트에 없는 leaf, 두 가지 dtype.
- **7.6** 유한하지 않은 gradient를 만드는 연산이 어느 자리에 하나 있을 때, 여럿 있을 때, 없을 때. 다시 유한해지는 gradient, 순방향 값에만 있는 `nan`, 합만 너무 큰 gradient, `float32`에는 너무 크고 `float64`에는 괜찮은 gradient. 인자를 그대로 돌려주거나 shape를 바꾸거나 가중치를 쓰는 함수. 빈 `x`와 빈 리스트, 잘라 낸 `x`, `.grad`와 hook.

모든 과제에서 공통 규칙을 함께 봅니다.

## 지금까지 만든 것

수업 10에서 만들 엔진은 순방향 계산을 할 때 국소 기울기를 구해, 거슬러 갈 때 쓰려고 남겨 둡니다. 이것이 그 엔진의 저장된 텐서입니다. 그사이에 왜 바뀌면 안 되는지, 그리고 바뀌었다면 차분몫으로 알아낼 수 있다는 것을 이제 알고 있습니다. 그 엔진도 `first_bad_op`이 gradient를 하나하나 살펴볼 때처럼 노드를 하나씩 거슬러 갑니다.

## 점검

이제 앞을 다시 보지 않고 답할 수 있어야 합니다.

- `y.add_(1)`은 왜 `exp`는 망가뜨리고 `sin`은 망가뜨리지 않나요?
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
