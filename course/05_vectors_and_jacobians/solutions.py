# %% [markdown] task="matrix_vjp" lang="en"
r"""
**Why it works.** Sorted by the entries of `y1 = W1 @ inp`, the number v · (W2 y1) is (W2ᵀ v) · y1: so `W2.T @ v` is what reaches `y1`.
Entry (b, c) of `W1` adds `inp[c]` times itself to `y1[b]`, hence the outer product with `inp`. One step later it is the same: `v` reaches `y2`, and
`y1` is its input. The shapes confirm the order: `outer(a, b)` is (len(a), len(b)).

**A detour.** `W2 @ v` instead of `W2.T @ v` gives a vector of the right length whenever `W2` is square, and the right values when it is symmetric. Test matrix
formulas with sizes that all differ: then a missing transpose cannot pass.
"""

# %% [markdown] task="matrix_vjp" lang="ko" en="34be961f"
r"""
**왜 맞을까요?** 수 v · (W2 y1)을 `y1 = W1 @ inp`의 성분별로 정리하면 (W2ᵀ v) · y1입니다. 그러니까 `y1`에 도착하는 것은 `W2.T @ v`입니다.
`W1`의 원소 (b, c)는 `inp[c]`가 곱해져 `y1[b]`에 더해지므로 `inp`와의 텐서곱이 됩니다. 한 단계 뒤에서도 같습니다. `y2`에는 `v`가 도착하고,
그 입력은 `y1`입니다. 순서는 shape로 확인할 수 있습니다. `outer(a, b)`는 (len(a), len(b))입니다.

**흔한 실수.** `W2.T @ v` 대신 `W2 @ v`라고 써도 `W2`가 정사각행렬이면 shape는 맞고, 대칭행렬이면 값까지 맞습니다. 행렬 식은 크기가 모두 다른
행렬로 시험하세요. 그러면 빠뜨린 전치가 반드시 드러납니다.
"""

# %% [markdown] task="jacobian_by_rows" lang="en"
r"""
**Why it works.** A unit vector picks one row of J, and `autograd.grad` returns that VJP without touching any `.grad`, of `x` or of a weight inside `f`.
`f` runs once; `retain_graph=True` keeps what the later rows need. `y` is as long as J has rows, so `len(y)` is m, also when `f` ignores some inputs.

**A detour.** Filling `x.grad` row by row also leads there:

```python
for e in torch.eye(len(y), dtype=y.dtype):
    x.grad = None
    y.backward(e, retain_graph=True)
    rows.append(x.grad)
```

But it loses the `.grad` that the caller had, and it writes into the `.grad` of every other leaf behind `y` as well. Both must be put right afterwards.
"""

# %% [markdown] task="jacobian_by_rows" lang="ko" en="6a1533e9"
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

그러나 부르는 쪽에 있던 `.grad`를 잃고, `y` 뒤에 있는 다른 leaf의 `.grad`에도 값이 더해집니다. 둘 다 나중에 되돌려야 합니다.
"""

# %% [markdown] task="directional_derivative" lang="en"
r"""
**Why it works.** Forward mode carries one direction through the program: beside each number how fast it moves. One run gives J v, whatever m and n are, and nothing is
kept for a walk back. There is no step, so there is no error of a quotient, and a tiny `v` is as good as a long one.

**A detour.** `torch.func.jacrev(f)(x) @ v` is right, too, but it builds all of J: m VJPs and m n numbers, to use a single product of them. With a thousand outputs
that is a thousand walks back instead of one run.
"""

# %% [markdown] task="directional_derivative" lang="ko" en="7d10d1d1"
r"""
**왜 맞을까요?** 순방향 모드는 프로그램을 지나며 방향 하나를 함께 나릅니다. 값마다 그 값이 얼마나 빨리 변하는지를 곁에 둡니다. m과 n이 얼마든 한 번
실행하면 J v가 나오고, 거슬러 가기 위해 남겨 두는 것도 없습니다. h가 없으니 차분몫의 오차도 없고, 아주 작은 `v`도 긴 `v`만큼 정확합니다.

**다른 방법.** `torch.func.jacrev(f)(x) @ v`도 맞습니다. 다만 J 전체를 만듭니다. 곱 하나를 쓰려고 VJP를 m번 구하고 수를 m n개 저장합니다. 출력이
천 개라면 한 번 실행하면 될 일에 천 번 거슬러 갑니다.
"""

# %% [markdown] task="weighted_backward" lang="en"
r"""
**Why it works.** The slope of v · y in any input is one entry of vᵀJ, and `backward` on a scalar adds it to the leaves. The shapes are compared first:
nothing has been computed yet when the error is raised, so neither the leaves nor the graph of `y` are touched.

**A detour.** Leaving the check to the multiplication looks shorter:

```python
try:
    (y * v).sum().backward()
except RuntimeError as error:
    raise ValueError(str(error)) from error
```

But `y * v` broadcasts: with `y` of shape (2,) and `v` of shape (2, 1) it is (2, 2), nothing raises, and the gradient is silently that of another number.
"""

# %% [markdown] task="weighted_backward" lang="ko" en="41f08912"
r"""
**왜 맞을까요?** v · y를 입력 하나로 미분하면 vᵀJ의 성분 하나입니다. 스칼라에서 부른 `backward`가 이것을 leaf들에 더합니다. shape를 먼저
비교하므로, 예외를 일으킬 때는 아직 아무것도 계산하지 않았습니다. 그래서 leaf도 `y`의 그래프도 그대로입니다.

**흔한 실수.** 검사를 곱셈에 맡기면 더 짧아 보입니다.

```python
try:
    (y * v).sum().backward()
except RuntimeError as error:
    raise ValueError(str(error)) from error
```

그러나 `y * v`는 브로드캐스트됩니다. `y`의 shape가 (2,)이고 `v`의 shape가 (2, 1)이면 곱은 (2, 2)가 되고, 예외 없이 조용히 다른 수의 gradient가 나옵니다.
"""

# %% [markdown] task="per_sample_grads" lang="en"
r"""
**Why it works.** `grad(loss)` is the gradient of one sample's loss in its first argument, `w`. `vmap` runs it for every row of `X` and every entry of `Y` at once, with the same `w`, and stacks the
results: row i is sample i's. `torch.func.grad` is a pure function, so no `.grad` is read or written.

**A detour.** The formula `2 * (X @ w - Y)[:, None] * X` is the fastest answer for this loss. The trap in it is `[:, None]`: with `w` as a column, `X @ w[:, None] - Y` is (n, 1) minus (n,), which
broadcasts to (n, n), every sample against every target. And for another loss the formula is to be found anew, while `vmap(grad(...))` stays.
"""

# %% [markdown] task="per_sample_grads" lang="ko" en="6c8e5cdf"
r"""
**왜 맞을까요?** `grad(loss)`는 샘플 하나의 loss를 첫째 인자 `w`로 미분한 gradient입니다. `vmap`은 같은 `w`로 `X`의 모든 행과 `Y`의 모든 원소에 대해 이것을
한꺼번에 실행하고 결과를 쌓습니다. i번째 행이 샘플 i의 것입니다. `torch.func.grad`는 순수 함수(pure function)여서 `.grad`를 읽지도 쓰지도 않습니다.

**다른 방법.** 이 loss에는 공식 `2 * (X @ w - Y)[:, None] * X`가 가장 빠릅니다. 함정은 `[:, None]`에 있습니다. `w`를 열로 두면 `X @ w[:, None] - Y`는 (n, 1)에서
(n,)을 뺀 것이어서 (n, n)으로 브로드캐스트되고, 샘플마다 모든 목표를 빼게 됩니다. 또 loss가 바뀌면 공식은 새로 구해야 하지만 `vmap(grad(...))`는 그대로입니다.
"""
