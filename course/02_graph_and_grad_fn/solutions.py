# Explanations of the course's own answers to lesson 2: why each is right, and a common detour.
# `autograder check 2 --solution TASK` shows one.

# %% [markdown] task="classify" lang="en"
r"""
**Why it works.** A tensor has a `grad_fn` exactly when an operation was recorded for it. So `grad_fn` alone settles `'intermediate'`, and for the
rest `requires_grad` says whether gradients arrive. The values, the dtype and the origin of the tensor do not matter.

**A detour.** Checking for a name that intermediates *usually* have:

```
if t.grad_fn is not None and t.grad_fn.name().endswith("Backward0"):
    return "intermediate"
```

The digit distinguishes variants of an operation: `x.sum(0)` has a `SumBackward1`, and the node of a custom operation has no digit. Names
are for people to read. Check whether there is a node.
"""

# %% [markdown] task="classify" lang="ko" en="a7456909"
r"""
**왜 맞을까요?** 텐서를 만든 연산이 기록되어 있을 때, 그리고 그때만 `grad_fn`이 있습니다. 그래서 `'intermediate'`는 `grad_fn`만으로 정해지고,
나머지는 gradient를 받을 텐서인지를 `requires_grad`가 알려 줍니다. 값이나 dtype, 만든 방법은 상관없습니다.

**흔한 실수.** 중간 텐서에 *흔히* 있는 이름을 찾는 방법입니다.

```
if t.grad_fn is not None and t.grad_fn.name().endswith("Backward0"):
    return "intermediate"
```

끝의 숫자는 연산의 변형을 구별하는 번호입니다. `x.sum(0)`의 노드는 `SumBackward1`이고, 직접 만든 연산의 노드에는 숫자가 없습니다. 이름은
사람이 읽으라고 있는 것이니, 노드가 있는지를 확인하세요.
"""

# %% [markdown] task="graph_nodes" lang="en"
r"""
**Why it works.** `todo` holds nodes that an edge leads to, `seen` those already listed. The loop lists a node and follows its edges only the first
time it takes the node out, so the work grows with the number of nodes and edges, not with the number of paths. The list replaces
Python's call stack, so a deep graph is no problem.

**A detour.** A function that calls itself for each edge is shorter:

```
def go(node):
    if node is not None and node not in seen:
        seen.add(node)
        for following, _ in node.next_functions:
            go(following)
```

It ends in a `RecursionError` after one or a few thousand operations in a row. Raising the limit changes a setting of the whole process, and
your caller is left with it.
"""

# %% [markdown] task="graph_nodes" lang="ko" en="3bee5124"
r"""
**왜 맞을까요?** `todo`에는 간선으로 이어진 노드가, `seen`에는 이미 적은 노드가 들어 있습니다. 노드를 처음 꺼냈을 때만 적고 그 간선을 따라가므로, 걸리는
시간은 경로의 수가 아니라 노드와 간선의 수에 비례합니다. 파이썬의 호출 스택 대신 리스트를 쓰므로 그래프가 깊어도 괜찮습니다.

**다른 방법.** 간선마다 자기 자신을 호출하는 함수는 더 짧습니다.

```
def go(node):
    if node is not None and node not in seen:
        seen.add(node)
        for following, _ in node.next_functions:
            go(following)
```

하지만 연산이 천 개에서 몇천 개쯤 이어지면 `RecursionError`가 납니다. 재귀 한도를 올리면 프로세스 전체의 설정이 바뀌고, 그 영향은 호출한 쪽이 받습니다.
"""

# %% [markdown] task="leaves_of" lang="en"
r"""
**Why it works.** It is the traversal of 2.2 with a different question at each node. Only an `AccumulateGrad` node has a `variable`, and each leaf has
one such node, so visiting each node once yields each leaf once. Tensors are never compared with each other.

**A detour.** Collecting tensors and checking whether one is already in the list:

```
if node.variable not in leaves:
    leaves.append(node.variable)
```

`in` compares with `==`, and `==` compares the *values* of tensors. Of two leaves with equal values one is lost, and tensors with several elements raise
an error. In the same way `if leaf:` tests whether the value is not 0. What you mean is `if leaf is not None:`.
"""

# %% [markdown] task="leaves_of" lang="ko" en="e204332b"
r"""
**왜 맞을까요?** 2.2처럼 따라가면서 노드마다 확인하는 것만 다릅니다. `variable`은 `AccumulateGrad` 노드에만 있고, leaf마다 이런 노드가 하나씩 있습니다.
그래서 노드를 한 번씩만 보면 leaf도 한 번씩만 나옵니다. 텐서끼리 비교하는 일은 없습니다.

**흔한 실수.** 텐서를 모으면서 이미 리스트에 있는지 확인하는 방법입니다.

```
if node.variable not in leaves:
    leaves.append(node.variable)
```

`in`은 `==`로 비교하고, 텐서의 `==`는 *값*을 비교합니다. 값이 같은 두 leaf 가운데 하나가 빠지고, 원소가 여럿인 텐서에서는 오류가 납니다. `if leaf:`도
마찬가지로 값이 0이 아닌지를 봅니다. `if leaf is not None:`이라고 써야 합니다.
"""

# %% [markdown] task="derivatives_by_hand" lang="en"
r"""
**Why it works.** $z = 5$, so the square passes on $2z = 10$. The sum passes that on unchanged, and the multiplication doubles it:
$10$, $10$, $20$. `y` has a `grad_fn`, so it is an intermediate: its gradient $10$ is passed on and not kept, and `y.grad` is `None`.

**A detour.** Writing the loss as one formula, $(2x + 3)^2$, and taking its derivative $4(2x + 3) = 20$. It is right for `x` but says nothing about `y` and
`z`. The backward pass, done node by node, gives their derivatives on the way.
"""

# %% [markdown] task="derivatives_by_hand" lang="ko" en="2068ed21"
r"""
**왜 맞을까요?** $z = 5$이므로 제곱은 $2z = 10$을 넘깁니다. 덧셈은 이것을 그대로 넘기고 곱셈은 두 배로 만들어 $10$, $10$, $20$이 됩니다. `y`는 `grad_fn`이 있는
중간 텐서입니다. gradient $10$을 넘겨주기만 하고 남기지 않으므로 `y.grad`는 `None`입니다.

**다른 방법.** loss를 식 하나 $(2x + 3)^2$으로 쓰고 미분해서 $4(2x + 3) = 20$을 얻는 방법입니다. `x`에 대해서는 맞지만 `y`와 `z`에 대해서는 알려 주는 것이
없습니다. 역방향 계산을 노드마다 하나씩 해 나가면 그 값들이 도중에 나옵니다.
"""

# %% [markdown] task="second_backward_works" lang="en"
r"""
**Why it works.** The first backward pass frees saved tensors and nothing else. The slopes of `x + 1`, `x + x` and `x.sum()` are $1$ whatever `x` is, so their
nodes saved no tensor. `x * x` saved `x`, and `x.exp()` saved its result.

**A detour.** "A constant slope needs no saved tensor" is a good guess, but it fails for `2 * x` in section 5: what counts is the
code of the operation. When it matters, try it:

```
y.backward()
try:
    y.backward()
except RuntimeError:
    ...
```
"""

# %% [markdown] task="second_backward_works" lang="ko" en="7d6d4d5a"
r"""
**왜 맞을까요?** 첫 번째 역방향 계산이 지우는 것은 저장된 텐서뿐입니다. `x + 1`, `x + x`, `x.sum()`의 기울기는 `x`가 무엇이든 $1$이어서 노드가 저장한 텐서가
없습니다. `x * x`는 `x`를, `x.exp()`는 결과를 저장했습니다.

**흔한 실수.** "기울기가 변하지 않으면 저장할 것도 없다"는 그럴듯한 짐작이지만, 5절의 `2 * x`에서는 틀립니다. 연산의 코드가 어떻게 되어 있는지가
중요합니다. 꼭 알아야 할 때는 직접 해 보세요.

```
y.backward()
try:
    y.backward()
except RuntimeError:
    ...
```
"""
