# Explanations of the course's own answers to lesson 6: why each is right, and a common detour.
# `autograder check 6 --solution TASK` shows one.

# %% [markdown] task="splice" lang="en"
r"""
**Why it works.** The first backward pass ends at the leaf `w` and returns how much each element of $y$ counts for $z$. This is the $v$ of $v^\top J$, and `grad_outputs=v` starts the second pass with it. `autograd.grad`
fills no buffer, so no `.grad` changes.

**A detour.** As in the text, with buffers:

```
g(w).backward()
y.backward(gradient=w.grad)
return x.grad
```

It runs, but adds to what `x.grad` held, and fills the buffers of all parameters that `f` and `g` use.
"""

# %% [markdown] task="splice" lang="ko" en="36764fa5"
r"""
**왜 맞을까요?** 첫 번째 역방향 계산은 leaf인 `w`에서 끝나고, $y$의 각 원소가 $z$에 얼마나 반영되는지를 돌려줍니다. 이것이 $v^\top J$의 $v$이고, `grad_outputs=v`를 주면 두 번째 역방향 계산이 그 값으로 시작합니다. `autograd.grad`는
버퍼를 채우지 않으므로 누구의 `.grad`도 바뀌지 않습니다.

**흔한 실수.** 본문에서처럼 버퍼를 쓰는 방법입니다.

```
g(w).backward()
y.backward(gradient=w.grad)
return x.grad
```

실행은 됩니다. 그러나 `x.grad`에 들어 있던 값에 더하고, `f`와 `g`가 쓰는 모든 파라미터의 버퍼까지 채웁니다.
"""

# %% [markdown] task="sgd_step_" lang="en"
r"""
**Why it works.** Inside `no_grad` the step is not recorded, so a leaf may be changed in place: same object, same memory, still a leaf. A `.grad` of `None` means that no backward pass has reached the parameter, so there is no direction to move in.

**A detour.** `p.data = p.data - lr * p.grad` leaves `p` the same object too, but puts *other memory* behind it. Whatever shared the old memory, such as a detached view or a weight tied to it, keeps the old values.
"""

# %% [markdown] task="sgd_step_" lang="ko" en="c4806b17"
r"""
**왜 맞을까요?** `no_grad` 안에서는 업데이트가 기록되지 않으므로 leaf를 제자리에서 바꿀 수 있습니다. 같은 객체, 같은 메모리이고 여전히 leaf입니다. `.grad`가 `None`이면 역방향 계산이 그 파라미터에 도착한 적이 없으므로 움직일 방향도 없습니다.

**흔한 실수.** `p.data = p.data - lr * p.grad`라고 써도 `p`는 같은 객체이지만 그 뒤에 *다른 메모리*가 놓입니다. detach한 텐서나 여러 곳에서 공유하는 가중치처럼 예전 메모리를 함께 쓰던 것에는 예전 값이 남습니다.
"""

# %% [markdown] task="evaluate" lang="en"
r"""
**Why it works.** `eval()` decides what Dropout and BatchNorm compute, and `no_grad` switches recording off. Each module's own mode is noted before any is changed, and `finally` puts it back even when the model raises an error. `detach()` matters only where the model returns `x` itself, as `nn.Dropout` does in evaluation mode: `no_grad` does not untrack a tensor that exists already.

**A detour.** `model.train(was)` with the outermost module's mode sets *every* module to it. If you train with one BatchNorm in evaluation mode, as is often done with small batches, you find it in training mode after the first evaluation.
"""

# %% [markdown] task="evaluate" lang="ko" en="8cd77abc"
r"""
**왜 맞을까요?** `eval()`은 Dropout과 BatchNorm이 무엇을 계산할지를 정하고, `no_grad`는 아무것도 기록하지 않게 합니다. 모드를 바꾸기 전에 모듈마다 적어 두고, `finally` 덕분에 모델에서 오류가 나도 되돌립니다. `detach()`는 평가 모드의 `nn.Dropout`처럼 모델이 `x`를 그대로 돌려줄 때 필요합니다. `no_grad`는 이미 있는 텐서의 추적을 끄지 않기 때문입니다.

**흔한 실수.** 가장 바깥 모듈의 모드를 적어 두었다가 `model.train(was)`를 호출하면 *모든* 모듈이 그 모드가 됩니다. 배치가 작을 때 흔히 하듯 BatchNorm 하나만 평가 모드로 두고 학습시키던 사람은, 한 번 평가한 뒤 그것이 학습 모드로 바뀐 것을 보게 됩니다.
"""

# %% [markdown] task="stop_gradient" lang="en"
r"""
**Why it works.** In the recorded graph the second factor is the constant $c = x^2$, and $c\,x$ has the slope $c$. The function that is computed is $x^3$. The gap, $2x^2$, is the other term of the product rule: $x$ times the slope of $x^2$.

**A detour.** Asking autograd for the first, in float64, and a quotient for the second works too, but a quotient has some 8 digits, not 11.
"""

# %% [markdown] task="stop_gradient" lang="ko" en="ae8ba4db"
r"""
**왜 맞을까요?** 기록된 그래프에서 둘째 인수는 상수 $c = x^2$이고, $c\,x$의 기울기는 $c$입니다. 실제로 계산하는 함수는 $x^3$입니다. 둘의 차이 $2x^2$은 곱의 미분법의 나머지 한 항, 곧 $x$에 $x^2$의 기울기를 곱한 것입니다.

**다른 방법.** 첫째는 float64로 autograd에서 얻고 둘째는 차분몫으로 구할 수도 있습니다. 그러나 차분몫은 8자리쯤까지만 맞고 11자리에는 미치지 못합니다.
"""

# %% [markdown] task="running_loss" lang="en"
r"""
**Why it works.** `item()` makes a Python float, which has no graph and is a float64. No name refers to the loss, so it is freed at once, with its graph.

**A detour.** `total += step().detach()` keeps no graph either, but the sum is a tensor, and in `float32` small losses are rounded away from a large sum: $16777216 + 1$ is $16777216$.
"""

# %% [markdown] task="running_loss" lang="ko" en="c5d7b4f0"
r"""
**왜 맞을까요?** `item()`은 그래프와 상관없는 파이썬 float를 만들고, 그것은 float64입니다. loss 자체에는 이름을 붙이지 않았으므로 그래프와 함께 바로 사라집니다.

**다른 방법.** `total += step().detach()`도 그래프를 붙잡지 않습니다. 그러나 합이 텐서이고, `float32`에서는 합이 커지면 작은 loss가 반올림으로 사라집니다. $16777216 + 1$이 $16777216$입니다.
"""

# %% [markdown] task="freeze_first" lang="en"
r"""
**Why it works.** With its parameters untracked, the first layer is a function with constants in it: no gradient is stored there, but the path through it to a tracked `x` stays open. Only what was switched off is switched on again.

**A detour.** `backward(inputs=[...])` with all other parameters and `x` fills just these, and touches no flag. Running the backward pass as usual and resetting `model[0]`'s buffers afterwards fails: what they held before is lost.
"""

# %% [markdown] task="freeze_first" lang="ko" en="72a8e7e7"
r"""
**왜 맞을까요?** 파라미터를 추적하지 않으면 첫 층은 상수가 든 함수일 뿐입니다. 거기에는 아무것도 채워지지 않지만, 추적되는 `x`까지 가는 경로는 열려 있습니다. 다시 켜는 것은 직접 끈 것뿐입니다.

**다른 방법.** 나머지 파라미터와 `x`를 모두 넣어 `backward(inputs=[...])`를 호출하면 그것들만 채워지고 `requires_grad`는 건드리지 않습니다. 평소처럼 역방향 계산을 한 다음 `model[0]`의 버퍼를 비우는 것은 안 됩니다. 전에 들어 있던 값을 잃습니다.
"""

# %% [markdown] task="agreement_loss" lang="en"
r"""
**Why it works.** Each $f(\cdot)$ leads to the loss along two paths: through $h$ into a prediction, and directly as a target. `detach()` at the second use cuts that path alone. The values are those of the uncut formula; only the gradient differs, and
it is the slope of the loss in which both targets are constants.

**A detour.** Calling `f` under `no_grad`, or writing `z_a = f(a).detach()`, cuts both paths: `h` learns, `f` never does. Detaching the predictions instead lets only the targets move: the model collapses all the same, and `h` learns nothing.
"""

# %% [markdown] task="agreement_loss" lang="ko" en="d90af48b"
r"""
**왜 맞을까요?** $f(\cdot)$의 결과에서 loss까지는 경로가 두 개입니다. 하나는 $h$를 지나 예측값이 되고, 하나는 그대로 목푯값이 됩니다. 둘째로 쓰는 곳에서만 `detach()`를 호출하면 그 경로만 끊깁니다. 값은 끊지 않은 식과 같고 gradient만 달라져서,
두 목푯값을 상수로 본 loss의 기울기가 됩니다.

**흔한 실수.** `f`를 `no_grad` 안에서 호출하거나 `z_a = f(a).detach()`라고 쓰면 두 경로가 모두 끊깁니다. 그러면 `h`만 학습되고 `f`는 학습되지 않습니다. 거꾸로 예측값을 detach하면 목푯값만 움직입니다. 모델은 여전히 붕괴하고 `h`는 아무것도 배우지 못합니다.
"""
