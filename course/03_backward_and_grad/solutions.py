# Explanations of the course's own answers to lesson 3: why each is right, and a common detour.
# `autograder check 3 --solution TASK` shows one.

# %% [markdown] task="fresh_grad" lang="en"
r"""
**Why it works.** `torch.autograd.grad` runs the backward pass as `backward()` does, but it returns the gradients and fills no leaf's `.grad`: neither
that of `x` nor that of a model inside `f`. `.sum()` makes one number of any result, and its gradient is the sum of the gradients of all elements.

**A detour.** Save the buffer, call `backward()`, and put the buffer back:

```
held = None if x.grad is None else x.grad.clone()
f(x).sum().backward()
found, x.grad = x.grad, held
```

This needs three repairs: `x.grad` must be emptied first, or the new gradient is added to the old one; the old tensor itself must come back, not a copy;
and `backward(inputs=[x])` must leave out the parameters of a model.
"""

# %% [markdown] task="fresh_grad" lang="ko" en="016150a2"
r"""
**왜 맞을까요?** `torch.autograd.grad`는 `backward()`처럼 역방향 계산을 하지만, 구한 것을 돌려주고 어떤 leaf의 `.grad`도 채우지 않습니다. `x`의 것도,
`f` 안에 있는 모델의 것도 그대로입니다. `.sum()`은 어떤 결과든 수 하나로 만들고, 그 gradient는 모든 원소의 gradient를 더한 것입니다.

**다른 방법.** 버퍼를 저장해 두고 `backward()`를 호출한 다음 되돌려 놓을 수도 있습니다.

```
held = None if x.grad is None else x.grad.clone()
f(x).sum().backward()
found, x.grad = x.grad, held
```

세 군데를 고쳐야 합니다. `x.grad`를 먼저 비우지 않으면 예전 값에 더해집니다. 복사본이 아니라 예전 텐서 자체를 되돌려 놓아야 합니다.
그리고 `backward(inputs=[x])`라고 써야 모델의 파라미터를 건드리지 않습니다.
"""

# %% [markdown] task="grad_history" lang="en"
r"""
**Why it works.** `x.grad` is one tensor, and each `backward()` adds to it in place. `clone()` copies its current values into memory of
their own, so the entry stays as it is whatever happens to `x.grad` later.

**A detour.** `x.grad.detach()` or `copy.copy(x.grad)` look like copies, but both share the memory of `x.grad`: in the end all entries hold the
last sum. `copy.deepcopy` and `x.grad + 0` do copy. `clone()` states the intention most clearly.
"""

# %% [markdown] task="grad_history" lang="ko" en="4115d42d"
r"""
**왜 맞을까요?** `x.grad`는 텐서 하나이고, `backward()`를 호출할 때마다 제자리에서 값이 더해집니다. `clone()`은 그 순간의 값을 따로 마련한 메모리에
복사합니다. 그래서 나중에 `x.grad`에 무슨 일이 일어나도 리스트에 넣은 텐서는 바뀌지 않습니다.

**흔한 실수.** `x.grad.detach()`나 `copy.copy(x.grad)`는 복사본처럼 보이지만 `x.grad`와 메모리를 함께 씁니다. 끝에 가면 모두 마지막
합이 됩니다. `copy.deepcopy`와 `x.grad + 0`은 실제로 복사합니다. 뜻이 가장 분명한 것은 `clone()`입니다.
"""

# %% [markdown] task="train5" lang="en"
r"""
**Why it works.** `w` stays the same leaf throughout, so there is one buffer, `w.grad`, which is emptied or not depending on `zero`. Inside `torch.no_grad()` the
update is not recorded, so a leaf may be changed in place. `item()` returns a plain number.

**A detour.** `w = w - lr * w.grad` stops at the second step with an error about `None`: the new `w` is not a leaf and has no `.grad`. Many then write

```
w = (w - lr * w.grad).detach().requires_grad_()
```

That runs. But every step makes a new leaf with an empty buffer, so `zero=False` no longer shows the bug, and an optimizer would keep updating the old `w`.
"""

# %% [markdown] task="train5" lang="ko" en="4607ffbf"
r"""
**왜 맞을까요?** `w`는 처음부터 끝까지 같은 leaf입니다. 그래서 `w.grad`라는 버퍼 하나를 `zero`에 따라 비우거나 비우지 않게 됩니다.
`torch.no_grad()` 안에서는 업데이트가 기록되지 않고, leaf를 제자리에서 바꿀 수 있습니다. `item()`은 파이썬 수를 꺼냅니다.

**흔한 실수.** `w = w - lr * w.grad`라고 쓰면 두 번째 스텝에서 `None`에 관한 오류로 멈춥니다. 새 `w`는 leaf가 아니어서 `.grad`가 없기
때문입니다. 그래서 흔히 이렇게 고칩니다.

```
w = (w - lr * w.grad).detach().requires_grad_()
```

실행되기는 합니다. 그러나 스텝마다 버퍼가 빈 새 leaf가 생기므로 `zero=False`여도 버그가 나타나지 않고, 옵티마이저라면 예전 `w`를 계속 움직일 것입니다.
"""

# %% [markdown] task="accumulate" lang="en"
r"""
**Why it works.** The mean over all rows is the sum of the pieces' means, each times its share of the rows, and gradients add up in the same way. The
number of columns does not matter, since it is the same in every piece. `backward()` inside the loop frees what the graph of a piece saved before the next graph is built.

**A detour.** `reduction="sum"` with a division is just as right, if you divide by the number of all elements, rows times columns:

```
elements = sum(Y.numel() for _, Y in batches)
loss = torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements
```

Dividing by the rows alone makes the gradient too large by a factor of the number of columns. With one column nobody notices.
"""

# %% [markdown] task="accumulate" lang="ko" en="f45b46a6"
r"""
**왜 맞을까요?** 모든 행에 대한 평균은 조각의 평균에 행의 비율을 곱해 더한 것이고, gradient도 똑같이 더해집니다. 열은 조각마다 개수가 같으니
신경 쓰지 않아도 됩니다. 반복문 안에서 `backward()`를 호출하면 다음 조각의 그래프가 생기기 전에 앞 조각의 그래프가 저장해 둔 텐서가 해제됩니다.

**다른 방법.** `reduction="sum"`으로 더한 뒤 나누어도 맞습니다. 다만 행과 열을 곱한 전체 원소 수로 나누어야 합니다.

```
elements = sum(Y.numel() for _, Y in batches)
loss = torch.nn.functional.mse_loss(model(X), Y, reduction="sum") / elements
```

행의 수로만 나누면 gradient가 열의 수만큼 커집니다. 열이 하나일 때는 아무도 눈치채지 못합니다.
"""

# %% [markdown] task="all_grads" lang="en"
r"""
**Why it works.** `x` is a leaf and keeps its gradient anyway. `y` and `z` are not leaves, so `retain_grad()` is called on them before `backward()`.
`float(x0)` and `dtype=torch.float64` make a floating-point tensor from an `int` too; an integer tensor cannot be tracked.

**A detour.** `torch.autograd.grad(z, (x, y, z))` returns all three at once, without any buffer. Silencing the warning with
`warnings.simplefilter("ignore")` only hides that `y.grad` is `None`, and warnings stay switched off for the whole notebook.
"""

# %% [markdown] task="all_grads" lang="ko" en="db1ec481"
r"""
**왜 맞을까요?** `x`는 leaf라서 그냥 두어도 gradient가 남습니다. `y`와 `z`는 leaf가 아니므로 `backward()`보다 먼저 `retain_grad()`를 호출합니다. `float(x0)`와
`dtype=torch.float64`를 쓰면 `int`가 들어와도 정수 텐서가 되지 않습니다. 정수 텐서는 추적할 수 없습니다.

**다른 방법.** `torch.autograd.grad(z, (x, y, z))`는 버퍼 없이 세 값을 한꺼번에 돌려줍니다. 한편 `warnings.simplefilter("ignore")`로
경고를 끄는 것은 `y.grad`가 `None`이라는 사실을 감출 뿐이고, 노트북 전체에서 경고가 꺼진 채로 남습니다.
"""
