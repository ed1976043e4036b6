# Explanations of the course's own answers to lesson 9: why each is right, and a common detour.
# `autograder check 9 --solution TASK` shows one.

# %% [markdown] task="second_derivative" lang="en"
r"""
**Why it works.** The first backward pass is recorded, so its result is the end of a graph, and the second one differentiates that. `torch.autograd.grad` returns both, and no buffer is touched. If the gradient has no
graph, nothing in it depends on `x`; if its graph leads elsewhere, `allow_unused` and `materialize_grads` supply the zero.

**A detour.** `f(x).backward(create_graph=True)` fills `x.grad` and makes a reference cycle of `x` and `x.grad`. `torch.func.grad(torch.func.grad(f))(x)` is short and right, straight lines included; if `x` or a
tensor that `f` uses is tracked, its result is recorded too, so `detach()` it.
"""

# %% [markdown] task="second_derivative" lang="ko" en="8dcaa137"
r"""
**왜 맞을까요?** 첫 번째 역방향 계산을 기록하므로 그 결과는 그래프의 끝에 있고, 두 번째 역방향 계산이 그것을 미분합니다. `torch.autograd.grad`는 둘 다 돌려줄 뿐 버퍼를 건드리지 않습니다. gradient에 그래프가 없으면
`x`에 의존하는 것이 없다는 뜻이고, 그래프가 다른 데로 가면 `allow_unused`와 `materialize_grads`가 0을 만들어 줍니다.

**다른 방법.** `f(x).backward(create_graph=True)`는 `x.grad`를 채우고 `x`와 `x.grad`가 서로 붙들게 합니다. `torch.func.grad(torch.func.grad(f))(x)`는 짧고, 직선에서도 맞습니다. 다만 `x`나 `f`가 쓰는 텐서가 추적되면
결과도 기록되므로 결과에 `detach()`를 호출하세요.
"""

# %% [markdown] task="hvp" lang="en"
r"""
**Why it works.** The second backward pass starts from the gradient with the weights `v`, so it gives $v^\top H$, and $H$ is symmetric. It takes one forward pass through `f` and two backward passes, whatever $n$ is, and no tensor is larger than `x`.

**A detour.** The gradient of `(first * v).sum()` is the same product. `torch.func.jvp(torch.func.grad(f), (x,), (v,))` goes forward through the backward pass, so it needs no second one. `torch.func.hessian(f)(x) @ v` is
right for two elements, and out of memory for a million.
"""

# %% [markdown] task="hvp" lang="ko" en="384113d0"
r"""
**왜 맞을까요?** 두 번째 역방향 계산은 gradient에서 가중치 `v`를 주고 시작하므로 $v^\top H$가 나오고, $H$는 대칭입니다. $n$이 얼마든 `f`의 순방향 계산 한 번과 역방향 계산 두 번이면 되고, `x`보다 큰 텐서는 생기지 않습니다.

**다른 방법.** `(first * v).sum()`의 gradient를 구해도 같은 곱입니다. `torch.func.jvp(torch.func.grad(f), (x,), (v,))`는 역방향 계산을 순방향으로 미분하므로 두 번째 역방향 계산이 필요 없습니다.
`torch.func.hessian(f)(x) @ v`는 원소가 두 개일 때는 맞지만, 백만 개라면 메모리가 모자랍니다.
"""

# %% [markdown] task="newton_step" lang="en"
r"""
**Why it works.** `x - first / second` is computed from tracked tensors, so it is recorded; `detach()` cuts it off, and `requires_grad_()` makes it a leaf from which the next step can start. `detach()` shares memory with
the newly computed tensor, not with `x`.

**A detour.** Computing under `torch.no_grad()` is just as good. Moving `x` itself in place is not: the caller's `x` would change, and so would every earlier point that the caller kept.
"""

# %% [markdown] task="newton_step" lang="ko" en="3a1dc9d9"
r"""
**왜 맞을까요?** `x - first / second`는 추적되는 텐서로 계산하므로 기록됩니다. `detach()`가 그것을 끊고, `requires_grad_()`가 다음 스텝의 출발점이 될 leaf로 만듭니다. `detach()`가 메모리를 함께 쓰는 것은 새로 계산된 텐서이지
`x`가 아닙니다.

**다른 방법.** `torch.no_grad()` 안에서 계산해도 좋습니다. 그러나 `x`를 제자리에서 옮기면 안 됩니다. 호출한 쪽의 `x`가 바뀌고, 남겨 둔 앞 스텝의 점도 모두 바뀝니다.
"""

# %% [markdown] task="gradient_penalty" lang="en"
r"""
**Why it works.** Each sample has its own output, so the gradient of the sum with respect to one sample is that of its output alone. `create_graph=True` keeps the path from the weights to these gradients, and `backward()` on the
penalty follows it. `flatten(1)` makes one row of each sample, so the norm covers all its elements.

**A detour.** `slopes.norm(dim=1)` is right for samples of one dimension. For images it takes the norm over the color channels alone, and [a well-known implementation did so](https://github.com/Zeleni9/pytorch-wgan/issues/40).
"""

# %% [markdown] task="gradient_penalty" lang="ko" en="b2eabf52"
r"""
**왜 맞을까요?** 샘플마다 출력이 따로 있으므로, 합을 샘플 하나로 미분하면 그 샘플의 출력만 미분한 것과 같습니다. `create_graph=True`는 가중치에서 이 gradient까지 오는 경로를 남기고, penalty에서 호출한 `backward()`가 그 경로를 따라갑니다.
`flatten(1)`은 샘플마다 한 행을 만들므로 노름이 샘플의 모든 원소에 대한 것이 됩니다.

**흔한 실수.** `slopes.norm(dim=1)`은 1차원 샘플에서는 맞습니다. 그러나 이미지에서는 색 채널에 대해서만 노름을 구합니다. [잘 알려진 구현에도 이런 잘못이 있었습니다](https://github.com/Zeleni9/pytorch-wgan/issues/40).
"""

# %% [markdown] task="Cube" lang="en"
r"""
**Why it works.** The saved tensor is the input itself, which autograd knows. `3 * x**2` and its product with `g` are operations inside `backward`, and under `create_graph=True` they are recorded. So both paths exist: through `x` and through `g`.

**A detour.** You could write a second `Function` for the backward, with a backward of its own; it must return two gradients, $6xgu$ and $3x^2u$. Saving `3 * x**2`, computed in `forward`, saves one operation and loses the
second derivative.
"""

# %% [markdown] task="Cube" lang="ko" en="4aeb520d"
r"""
**왜 맞을까요?** 저장한 텐서가 입력 자체라서 autograd가 압니다. `3 * x**2`과 `g`의 곱은 `backward` 안의 연산이므로 `create_graph=True`를 주면 기록됩니다. 그래서 `x`를 지나는 경로와 `g`를 지나는 경로가 모두 있습니다.

**다른 방법.** backward를 위한 `Function`을 하나 더 만들어 그 backward까지 직접 작성할 수도 있습니다. 그 backward는 $6xgu$와 $3x^2u$, 두 gradient를 돌려주어야 합니다. `forward`에서 계산한 `3 * x**2`을 저장하면 연산이 하나 줄지만 이계
미분계수를 잃습니다.
"""

# %% [markdown] task="loss_after" lang="en"
r"""
**Why it works.** `x` is only a name: after the first step it stands for a result that depends on `lr` and on the caller's `x`. `create_graph=True` makes each gradient a result too, so the next point depends on `lr` twice, as a factor and through
the point of the gradient. No buffer is touched, and nothing is changed in place.

**A detour.** Without `create_graph=True` the slope with respect to `lr` is right for one step and wrong from the second on; with respect to `x` it is wrong at once. Papers call this the first-order approximation, and use it on purpose
where second derivatives are too expensive. `x = x - lr * torch.func.grad(f)(x)` is right as well: at a tracked `x` it records.
"""

# %% [markdown] task="loss_after" lang="ko" en="7d153049"
r"""
**왜 맞을까요?** `x`는 이름일 뿐입니다. 첫 스텝 뒤에는 `lr`과 호출한 쪽의 `x`에 의존하는 결과를 가리킵니다. `create_graph=True`를 주면 gradient도 기록된 결과가 되므로, 다음 점은 `lr`에 두 가지로 의존합니다. 하나는 곱하는 수로, 하나는
gradient를 구한 점을 거쳐서입니다. 버퍼를 건드리지 않고, 제자리에서 바꾸는 것도 없습니다.

**흔한 실수.** `create_graph=True`가 없으면 `lr`에 대한 기울기는 한 스텝일 때만 맞고 두 번째 스텝부터 틀립니다. `x`에 대한 기울기는 처음부터 틀립니다. 논문에서는 이것을 일차 근사(first-order approximation)라 하고, 이계 미분에 드는 비용이
너무 클 때 일부러 쓰기도 합니다. `x = x - lr * torch.func.grad(f)(x)`로 써도 맞습니다. 추적되는 `x`에서는 이것도 기록됩니다.
"""
