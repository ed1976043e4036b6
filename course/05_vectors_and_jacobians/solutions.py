# Explanations of the course's own answers to lesson 5: why each is right, and a common detour.
# `autograder check 5 --solution TASK` shows one.

# %% [markdown] task="matrix_vjp" lang="en"
r"""
**Why it works.** Grouped by the elements of `y1 = W1 @ inp`, the number v · (W2 y1) is (W2ᵀ v) · y1, so `W2.T @ v` is what arrives at `y1`.
Element (b, c) of `W1` contributes `inp[c]` times itself to `y1[b]`, hence the outer product with `inp`. The second layer works the same way: `v`
arrives at `y2`, and `y1` is the input. The shapes confirm the order: `outer(a, b)` is (len(a), len(b)).

**A detour.** `W2 @ v` instead of `W2.T @ v` gives a vector of the right length whenever `W2` is square, and the right values when `W2` is symmetric.
Test matrix formulas with sizes that all differ: then a missing transpose cannot pass.
"""

# %% [markdown] task="matrix_vjp" lang="ko" en="c4c1912b"
r"""
**왜 맞을까요?** 수 v · (W2 y1)을 `y1 = W1 @ inp`의 성분별로 정리하면 (W2ᵀ v) · y1입니다. 그러니까 `y1`에 도착하는 것은 `W2.T @ v`입니다.
`W1`의 원소 (b, c)는 `inp[c]`가 곱해져 `y1[b]`에 더해지므로 `inp`와의 외적이 됩니다. 둘째 층에서도 같습니다. `y2`에는 `v`가 도착하고,
입력은 `y1`입니다. 순서는 shape로 확인할 수 있습니다. `outer(a, b)`는 (len(a), len(b))입니다.

**흔한 실수.** `W2.T @ v` 대신 `W2 @ v`라고 써도 `W2`가 정사각행렬이면 shape는 맞고, 대칭행렬이면 값까지 맞습니다. 행렬 식은 크기가 모두 다른
행렬로 시험하세요. 그러면 빠뜨린 전치가 반드시 드러납니다.
"""

# %% [markdown] task="jacobian_by_rows" lang="en"
r"""
**Why it works.** A unit vector picks one row of J, and `autograd.grad` returns that VJP without touching any `.grad`, whether of `x` or of a weight
inside `f`. `f` runs once; `retain_graph=True` keeps what the later rows need. J has one row for each element of `y`, so m is `len(y)`, even when `f`
ignores some inputs.

**A detour.** Filling `x.grad` row by row also works:

```python
for e in torch.eye(len(y), dtype=y.dtype):
    x.grad = None
    y.backward(e, retain_graph=True)
    rows.append(x.grad)
```

But it loses the `.grad` that the caller had, and it adds to the `.grad` of every other leaf behind `y` as well. Both must be restored afterwards.
"""

# %% [markdown] task="jacobian_by_rows" lang="ko" en="77de29e2"
r"""
**왜 맞을까요?** 단위벡터는 J의 행 하나를 골라냅니다. `autograd.grad`는 그 VJP를 돌려줄 뿐, `x`나 `f` 안의 가중치의 `.grad`는 건드리지 않습니다.
`f`는 한 번만 실행되고, `retain_graph=True`가 다음 행에 필요한 것을 남겨 둡니다. `y`의 길이가 J의 행의 개수이므로 m은 `len(y)`입니다.
`f`가 입력 일부를 쓰지 않아도 그렇습니다.

**다른 방법.** `x.grad`를 한 행씩 채워도 됩니다.

```python
for e in torch.eye(len(y), dtype=y.dtype):
    x.grad = None
    y.backward(e, retain_graph=True)
    rows.append(x.grad)
```

그러나 호출한 쪽에 있던 `.grad`를 잃고, `y`를 만드는 데 쓰인 다른 leaf의 `.grad`에도 값이 더해집니다. 둘 다 나중에 되돌려야 합니다.
"""

# %% [markdown] task="directional_derivative" lang="en"
r"""
**Why it works.** Forward mode carries one direction through the program: beside each value, how fast it changes. One forward pass gives J v, whatever m
and n are, and keeps nothing for a backward pass. There is no step h, so there is no error of a quotient, and a tiny `v` is as good as a long one.

**A detour.** `torch.func.jacrev(f)(x) @ v` is right, too, but it builds all of J: m VJPs and m n elements, for a single product. With a thousand
outputs, that is a thousand backward passes instead of one forward pass.
"""

# %% [markdown] task="directional_derivative" lang="ko" en="7628bf79"
r"""
**왜 맞을까요?** 순방향 모드는 값마다 그 값이 주어진 방향에서 얼마나 빨리 변하는지를 함께 계산합니다. m과 n이 얼마든 순방향 계산 한 번으로
J v가 나오고, 역방향 계산을 위해 남겨 두는 것도 없습니다. h가 없으니 차분몫의 오차도 없고, 아주 작은 `v`도 긴 `v`만큼 정확합니다.

**다른 방법.** `torch.func.jacrev(f)(x) @ v`도 맞습니다. 다만 J 전체를 만듭니다. 곱 하나를 쓰려고 VJP를 m번 구하고 원소를 m n개 저장합니다. 출력이
천 개라면 순방향 계산 한 번이면 될 일에 역방향 계산을 천 번 합니다.
"""

# %% [markdown] task="weighted_backward" lang="en"
r"""
**Why it works.** The slope of v · y with respect to any input is one element of vᵀJ, and `backward` on a scalar adds it to the leaves. The shapes are
compared first: nothing has been computed yet when the error is raised, so the leaves and the graph of `y` are untouched.

**A detour.** Leaving the check to the multiplication looks shorter:

```python
try:
    (y * v).sum().backward()
except RuntimeError as error:
    raise ValueError(str(error)) from error
```

But `y * v` broadcasts: with `y` of shape (2,) and `v` of shape (2, 1) it is (2, 2), no error is raised, and you get the gradient of a different number.
"""

# %% [markdown] task="weighted_backward" lang="ko" en="d5c7eb12"
r"""
**왜 맞을까요?** v · y를 입력 하나로 미분하면 vᵀJ의 성분 하나입니다. 스칼라에서 호출한 `backward`가 이것을 leaf들에 더합니다. shape를 먼저
비교하므로, 예외를 일으킬 때는 아직 아무것도 계산하지 않았습니다. 그래서 leaf도 `y`의 그래프도 그대로입니다.

**흔한 실수.** 검사를 곱셈에 맡기면 더 짧아 보입니다.

```python
try:
    (y * v).sum().backward()
except RuntimeError as error:
    raise ValueError(str(error)) from error
```

그러나 `y * v`는 브로드캐스트됩니다. `y`의 shape가 (2,)이고 `v`의 shape가 (2, 1)이면 곱은 (2, 2)가 되고, 오류 없이 다른 수의 gradient가 나옵니다.
"""

# %% [markdown] task="per_sample_grads" lang="en"
r"""
**Why it works.** `grad(loss)` is the gradient of one sample's loss with respect to its first argument, `w`. `vmap` runs it for all rows of `X` and all
elements of `Y` at once, with the same `w`, and stacks the results: row i belongs to sample i. `torch.func.grad` makes a pure function, which neither
reads nor writes a `.grad`.

**A detour.** The formula `2 * (X @ w - Y)[:, None] * X` is the fastest answer for this loss. Its trap is `[:, None]`: with `w` as a column,
`X @ w[:, None] - Y` is (n, 1) minus (n,), which broadcasts to (n, n), every sample against every target. And another loss needs another formula, while
`vmap(grad(...))` stays.
"""

# %% [markdown] task="per_sample_grads" lang="ko" en="2b15f28a"
r"""
**왜 맞을까요?** `grad(loss)`는 샘플 하나의 loss를 첫째 인자 `w`로 미분한 gradient입니다. `vmap`은 같은 `w`로 `X`의 모든 행과 `Y`의 모든 원소에 대해 이것을
한꺼번에 실행하고 결과를 쌓습니다. i번째 행이 샘플 i의 gradient입니다. `torch.func.grad`가 만드는 것은 순수 함수(pure function)여서 `.grad`를 읽지도 쓰지도 않습니다.

**다른 방법.** 이 loss에는 공식 `2 * (X @ w - Y)[:, None] * X`가 가장 빠릅니다. 함정은 `[:, None]`에 있습니다. `w`를 열로 두면 `X @ w[:, None] - Y`는 (n, 1)에서
(n,)을 뺀 것이어서 (n, n)으로 브로드캐스트되고, 샘플마다 모든 목표를 빼게 됩니다. 또 loss가 바뀌면 공식은 새로 구해야 하지만 `vmap(grad(...))`는 그대로입니다.
"""
