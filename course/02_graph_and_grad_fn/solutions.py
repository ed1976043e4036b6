# Why the answers of lesson 2 are right, and a detour to each: `autograder check 2 --solution TASK` shows it.

# %% [markdown] task="classify" lang="en"
r"""
**Why it works.** `grad_fn` is there exactly if an operation was recorded for the tensor. So it settles `'intermediate'` alone, and among the
rest `requires_grad` tells whether gradients are to arrive. Nothing is asked of the numbers, the dtype, or how the tensor came about.

**A detour.** Looking for what intermediates *usually* have:

```
if t.grad_fn is not None and t.grad_fn.name().endswith("Backward0"):
    return "intermediate"
```

The digit numbers variants of an operation: `x.sum(0)` has a `SumBackward1`, and the node of an operation of your own has no digit. Names
are for people; ask whether the node is there.
"""

# %% [markdown] task="classify" lang="ko" en="1ce00e7d"
r"""
**왜 맞을까요?** 텐서를 만든 연산이 기록되어 있을 때, 그리고 그때만 `grad_fn`이 있습니다. 그래서 `'intermediate'`는 `grad_fn`만으로 정해지고,
나머지는 gradient를 받을 텐서인지를 `requires_grad`가 알려 줍니다. 값이나 dtype, 어떻게 만들었는지는 묻지 않아도 됩니다.

**흔한 실수.** 중간 텐서에 *흔히* 있는 것을 찾는 방법입니다.

```
if t.grad_fn is not None and t.grad_fn.name().endswith("Backward0"):
    return "intermediate"
```

끝의 숫자는 연산의 변형을 구별하는 번호입니다. `x.sum(0)`의 노드는 `SumBackward1`이고, 직접 만든 연산의 노드에는 숫자가 없습니다. 이름은
사람이 읽으라고 있는 것이니, 노드가 있는지를 물으세요.
"""

# %% [markdown] task="graph_nodes" lang="en"
r"""
**Why it works.** `todo` holds nodes that an edge leads to, `seen` those already listed. Each node is listed the first time it is taken out, and only then
are its edges followed, so the work grows with the number of nodes and edges, not with that of the paths. A list of our own takes the place
of Python's call stack: depth costs nothing.

**A detour.** A function that calls itself for each edge is shorter:

```
def go(node):
    if node is not None and node not in seen:
        seen.add(node)
        for following, _ in node.next_functions:
            go(following)
```

It ends in a `RecursionError` after one or a few thousand operations in a row. Raising the limit changes a setting of the whole process, which
your caller must then live with.
"""

# %% [markdown] task="graph_nodes" lang="ko" en="500918aa"
r"""
**왜 맞을까요?** `todo`에는 간선으로 이어진 노드가, `seen`에는 이미 적은 노드가 들어 있습니다. 노드를 처음 꺼냈을 때만 적고 그 간선을 따라가므로, 걸리는
시간은 경로의 수가 아니라 노드와 간선의 수에 비례합니다. 파이썬의 호출 스택 대신 리스트를 쓰니 그래프가 깊어도 괜찮습니다.

**다른 방법.** 간선마다 자기 자신을 부르는 함수는 더 짧습니다.

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
**Why it works.** It is the walk of 2.2 with another question at each node. Only an `AccumulateGrad` node has a `variable`, and each leaf has one such
node, so "each node once" is also "each leaf once". No tensor is ever compared with another.

**A detour.** Collecting tensors, and asking whether one is there already:

```
if node.variable not in leaves:
    leaves.append(node.variable)
```

`in` compares with `==`, and `==` compares the *numbers* of tensors. Of two leaves with equal numbers one is lost, and tensors with several elements raise an
error. In the same way `if leaf:` asks whether the number in it is not 0; what you mean is `if leaf is not None:`.
"""

# %% [markdown] task="leaves_of" lang="ko" en="d99759d3"
r"""
**왜 맞을까요?** 2.2처럼 따라가면서 노드마다 다른 것을 물을 뿐입니다. `variable`은 `AccumulateGrad` 노드에만 있고, leaf마다 이런 노드가 하나씩 있습니다.
그래서 노드를 한 번씩만 보면 leaf도 한 번씩만 나옵니다. 텐서끼리 비교하는 일은 없습니다.

**흔한 실수.** 텐서를 모으면서 이미 있는지 묻는 방법입니다.

```
if node.variable not in leaves:
    leaves.append(node.variable)
```

`in`은 `==`로 비교하고, 텐서의 `==`는 *값*을 비교합니다. 값이 같은 두 leaf 가운데 하나를 잃고, 원소가 여럿인 텐서에서는 오류가 납니다. `if leaf:`도
마찬가지로 그 안의 값이 0이 아닌지를 묻습니다. `if leaf is not None:`이라고 써야 합니다.
"""

# %% [markdown] task="predict" lang="en"
r"""
**Why it works.** $z = 5$, so the square hands back $2z = 10$. The sum passes it on unchanged, and the multiplication doubles it:
$10$, $10$, $20$. `y` has a `grad_fn`, so it is an intermediate; its gradient $10$ is passed on and not kept, and `y.grad` is `None`.

**A detour.** Writing the loss as one formula, $(2x + 3)^2$, and taking its derivative $4(2x + 3) = 20$. It is right for `x` and says nothing about `y` and
`z`: their derivatives come out on the way, if you walk backward node by node.
"""

# %% [markdown] task="predict" lang="ko" en="548e20cb"
r"""
**왜 맞을까요?** $z = 5$이므로 제곱은 $2z = 10$을 돌려보냅니다. 덧셈은 그대로 넘기고 곱셈은 두 배로 만들어 $10$, $10$, $20$이 됩니다. `y`는 `grad_fn`이 있는
중간 텐서입니다. gradient $10$을 넘겨주기만 하고 남기지 않으므로 `y.grad`는 `None`입니다.

**다른 방법.** loss를 식 하나 $(2x + 3)^2$으로 쓰고 미분해서 $4(2x + 3) = 20$을 얻는 방법입니다. `x`에 대해서는 맞지만 `y`와 `z`에 대해서는 알려 주는 것이
없습니다. 노드를 하나씩 거슬러 가면 그 값들이 도중에 나옵니다.
"""

# %% [markdown] task="second_backward_works" lang="en"
r"""
**Why it works.** The first pass frees saved tensors and nothing else. The slopes of `x + 1`, `x + x` and `x.sum()` are $1$ whatever `x` is, so their
nodes saved no tensor. `x * x` saved `x`, and `x.exp()` saved its result.

**A detour.** "A slope that does not change needs no saved tensor" is a good guess, and `2 * x` in section 5 shows where it fails: what counts is the
code of the operation. When it matters, try it:

```
y.backward()
try:
    y.backward()
except RuntimeError:
    ...
```
"""

# %% [markdown] task="second_backward_works" lang="ko" en="b98eca12"
r"""
**왜 맞을까요?** 첫 번째 backward가 지우는 것은 저장된 텐서뿐입니다. `x + 1`, `x + x`, `x.sum()`의 기울기는 `x`가 무엇이든 $1$이어서 노드가 저장한 텐서가
없습니다. `x * x`는 `x`를, `x.exp()`는 결과를 저장했습니다.

**흔한 실수.** "기울기가 변하지 않으면 저장할 것도 없다"는 그럴듯한 짐작이지만, 5절의 `2 * x`에서는 틀립니다. 연산의 코드가 어떻게 되어 있는지가
중요합니다. 꼭 알아야 한다면 해 보세요.

```
y.backward()
try:
    y.backward()
except RuntimeError:
    ...
```
"""
