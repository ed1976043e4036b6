# Explanations of the course's own answers to lesson 4: why each is right, and a common detour.
# `autograder check 4 --solution TASK` shows one.

# %% [markdown] task="total_derivative" lang="en"
r"""
**Why it works.** Every path from a node begins with one of the edges that leave it. So $D(\text{node})$ is the sum, over these edges,
of the slope times the $D$ of the edge's end. `known` keeps each $D$, so every edge is used once: the forty diamonds take 160
multiplications instead of $2^{40}$ paths. The condition `node not in known` matters: `if not known.get(node)` would compute every $D$
that is 0 again and again.

**A detour.** Start at `out`, go through the nodes breadth first with a queue, and add to a node each time an edge from it is met:

```
while queue:
    node = queue.pop(0)
    for start, end, slope in edges:
        if end == node:
            D[start] = D.get(start, 0.0) + slope * D[node]
            queue.append(start)  # too early if more is still to arrive
```

If all paths have the same length, the result is right. If not, a node passes on a sum that is not complete yet, or passes it on twice.
The cure is to count the gradients that still have to arrive at each node, as PyTorch's engine does.
"""

# %% [markdown] task="total_derivative" lang="ko" en="26696086"
r"""
**왜 맞을까요?** 어떤 노드에서 시작하는 경로는 모두 그 노드에서 나가는 간선 하나로 시작합니다. 그래서 $D(\text{노드})$는 그런 간선마다
(기울기) × (간선 끝의 $D$)를 구해 더한 값입니다. `known`이 $D$를 기억하므로 간선은 한 번씩만 쓰입니다. 마름모 40개라면 경로 $2^{40}$개
대신 곱셈 160번입니다. `node not in known`으로 확인하는 것이 중요합니다. `if not known.get(node)`로 하면 값이 0인 $D$를 몇 번이고 다시
구하게 됩니다.

**흔한 실수.** `out`에서 시작해 큐(queue)를 써서 너비 우선(breadth first)으로 거슬러 가며, 간선을 만날 때마다 더하는 방법입니다.

```
while queue:
    node = queue.pop(0)
    for start, end, slope in edges:
        if end == node:
            D[start] = D.get(start, 0.0) + slope * D[node]
            queue.append(start)  # 더 들어올 것이 있으면 너무 이르다
```

경로의 길이가 모두 같으면 맞는 값이 나옵니다. 길이가 다르면 아직 다 모이지 않은 합을 넘기거나 두 번 넘깁니다. 노드마다 받을 gradient가
몇 개 남았는지 세면 됩니다. PyTorch의 엔진이 이렇게 합니다.
"""

# %% [markdown] task="unbroadcast" lang="en"
r"""
**Why it works.** A broadcast first adds dimensions on the left, then stretches those of size 1. The backward pass undoes both: once the
extra dimensions are summed away, dimension `i` is the same in `g` and in `shape`. Where a dimension had size 1 and was not stretched,
the sum has one term and changes nothing, so there is no further case.

**A detour.** Sum over the stretched dimensions first:

```
for i, size in enumerate(shape):
    if size == 1:
        g = g.sum(i, keepdim=True)
while g.dim() > len(shape):
    g = g.sum(0)
```

As long as `g` has extra dimensions on the left, dimension `i` of `g` is not dimension `i` of `shape`, so this sums over the wrong one.
Counted from the right (`i - len(shape)`), it would be the right one.
"""

# %% [markdown] task="unbroadcast" lang="ko" en="9175ec2e"
r"""
**왜 맞을까요?** 브로드캐스트는 먼저 왼쪽에 차원을 붙이고, 다음으로 크기 1인 차원을 늘립니다. 역방향 계산에서는 둘 다 되돌립니다. 남는 차원을
더해서 없애고 나면 `g`의 `i`번 차원과 `shape`의 `i`번 차원이 같은 것을 가리킵니다. 크기가 1이고 늘어나지 않은 차원에서는 원소 하나의
합이므로 아무것도 바뀌지 않습니다. 그래서 경우를 더 나눌 필요가 없습니다.

**흔한 실수.** 늘어난 차원부터 더하는 방법입니다.

```
for i, size in enumerate(shape):
    if size == 1:
        g = g.sum(i, keepdim=True)
while g.dim() > len(shape):
    g = g.sum(0)
```

왼쪽에 차원이 남아 있는 동안에는 `i`가 다른 차원을 가리킵니다. `g`의 `i`번 차원은 `shape`의 `i`번 차원이 아닙니다. 오른쪽부터
세면(`i - len(shape)`) 맞습니다.
"""

# %% [markdown] task="pow_backward" lang="en"
r"""
**Why it works.** Each input gets `g` times its own local slope, and `sum_to_size` undoes the broadcast. At `x = 0` the code takes the
logarithm of 1 instead, which is 0: no `nan` appears, so there is none to repair. `0.0**(q - 1)` needs no special case: PyTorch gives 0, 1 or `inf`, all of them right.

**A detour.** Compute the formula as it is and repair the result:

```
gq = (g * x**q * torch.log(x)).sum_to_size(q.shape)
return gx, torch.nan_to_num(gq)
```

The sum comes first, so a single `nan` has already made the whole sum `nan`, and `nan_to_num` turns that into 0: the contributions of
all other elements are lost. It must come before the sum. On `gx` it would also turn a correct `inf` into $1.8\cdot10^{308}$.
"""

# %% [markdown] task="pow_backward" lang="ko" en="a8b25cd5"
r"""
**왜 맞을까요?** 입력마다 `g`에 자기 국소 기울기를 곱하고, `sum_to_size`로 브로드캐스트를 되돌립니다. `x = 0`에서는 로그를 1에 대해 구하므로
0이 됩니다. `nan`이 아예 생기지 않으니 고칠 것도 없습니다. `0.0**(q - 1)`은 따로 다루지 않아도 됩니다. PyTorch의 결과인 0, 1, `inf`가 모두 맞는 값입니다.

**흔한 실수.** 식을 그대로 계산하고 나중에 고치는 방법입니다.

```
gq = (g * x**q * torch.log(x)).sum_to_size(q.shape)
return gx, torch.nan_to_num(gq)
```

합을 먼저 구했으므로 `nan` 하나 때문에 합 전체가 이미 `nan`이고, `nan_to_num`은 그것을 0으로 만듭니다. 다른 원소에서 온 값까지 사라집니다. 합을
구하기 전에 써야 합니다. `gx`에 쓰면 맞는 값인 `inf`까지 $1.8\cdot10^{308}$으로 바뀝니다.
"""

# %% [markdown] task="shared_weight_grad" lang="en"
r"""
**Why it works.** At the positions 0, 1, ..., `weights[k]` is multiplied by `data[k]`, `data[k + 1]`, ..., so each use has the slope $\text{data}_{i+k}$. The
gradient of `weights[k]` is the dot product of `g` with the window of `data` that begins at `k`. The values of `weights` do not appear, since `out` is
linear in them. As a formula this is a convolution again, of the data with `g`.

**A detour.** Let autograd do it, on the caller's `weights`:

```
out = data.unfold(0, len(weights), 1) @ weights.requires_grad_()
out.backward(g)
return weights.grad
```

The values are right on the first call. On the second, `weights.grad` is twice as large. The caller's `weights` is also left tracked and with a
`.grad` it did not have before. On a copy, with `torch.autograd.grad`, this is a right answer.
"""

# %% [markdown] task="shared_weight_grad" lang="ko" en="0d3cb769"
r"""
**왜 맞을까요?** `weights[k]`에는 위치 0, 1, ...에서 `data[k]`, `data[k + 1]`, ...이 곱해지고, 그때마다 기울기는 $\text{data}_{i+k}$입니다. 그래서 gradient는 `g`와,
`data`에서 `k`부터 시작하는 구간의 내적입니다. `out`은 `weights`의 일차식이므로 `weights`의 값은 나오지 않습니다. 식으로 보면 이것도 데이터와 `g`의
합성곱입니다.

**흔한 실수.** 호출한 쪽의 `weights`로 autograd를 쓰는 방법입니다.

```
out = data.unfold(0, len(weights), 1) @ weights.requires_grad_()
out.backward(g)
return weights.grad
```

처음 호출할 때는 값이 맞습니다. 두 번째에는 `weights.grad`가 두 배가 됩니다. 게다가 호출한 쪽의 `weights`가 추적되는 텐서로 바뀌고 없던 `.grad`가
생깁니다. 복사본을 만들어 `torch.autograd.grad`를 쓰면 맞는 답이 됩니다.
"""
