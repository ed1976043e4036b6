# Explanations of the course's own answers to lesson 10: why each is right, and a common detour.
# `autograder check 10 --solution TASK` shows one.

# %% [markdown] task="value_add_mul" lang="en"
r"""
**Why it works.** If $a$ grows by a little, $a + b$ grows by the same amount and $ab$ by $b$ times as much. These are numbers, computed at the current $a$ and $b$; the operation needs to keep nothing else.
`a * a` has the parent `a` twice, each time with the slope $a$: together that is $2a$.

**A detour.** micrograd stores a function instead of numbers:

```
def _backward():
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
out._backward = _backward
```

That works as well, but it reads `data` later: if somebody changes `a.data` between the forward and the backward pass, the slope is that of the new number. Slopes that are kept as numbers belong to the forward pass that made them.
"""

# %% [markdown] task="value_add_mul" lang="ko" en="ae13e842"
r"""
**왜 맞을까요?** $a$가 조금 커지면 $a + b$는 그만큼, $ab$는 그 $b$배만큼 커집니다. 모두 지금의 $a$와 $b$에서 계산한 수이고, 연산에서 더 남겨 둘 것은 없습니다. `a * a`에는 부모 `a`가
두 번 나오고 기울기는 각각 $a$입니다. 더하면 $2a$입니다.

**다른 방법.** micrograd는 수 대신 함수를 남깁니다.

```
def _backward():
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
out._backward = _backward
```

이것도 맞습니다. 다만 `data`를 나중에 읽습니다. 순방향 계산과 역방향 계산 사이에 누가 `a.data`를 바꾸면 새 수의 기울기가 됩니다. 수로 남긴 기울기는 그것을 구한 순방향 계산 때의 값 그대로입니다.
"""

# %% [markdown] task="value_order" lang="en"
r"""
**Why it works.** A Value goes on the list only when it comes off the stack for the second time. By then everything that was put above it, its parents and all that they were made from, is on the list already. So parents
come before what was made from them, and the reversed list has them after it. The set makes sure that every Value is listed once.

**A detour.** Go breadth first, and sort afterwards by the length of the *longest* path from `self`. That is right too, if all Values that a longer path reaches are moved together, level by level. Done Value by Value it takes $2^{40}$ steps on forty diamonds. PyTorch
goes a third way: it counts for each node how many gradients are still to arrive, and runs the node when the count is 0.
"""

# %% [markdown] task="value_order" lang="ko" en="80608cb1"
r"""
**왜 맞을까요?** 어떤 Value는 스택에서 두 번째로 꺼낼 때에야 리스트에 들어갑니다. 그때는 그 위에 쌓인 것, 곧 부모와 그 부모를 계산하는 데 쓴 값이 모두 리스트에 들어가 있습니다. 그래서 리스트에서는 부모가 먼저이고, 뒤집으면 부모가
나중입니다. 집합을 쓰므로 Value마다 한 번만 들어갑니다.

**다른 방법.** 너비 우선으로 돌고 나서 `self`에서 *가장 긴* 경로의 길이로 정렬하는 방법입니다. 더 긴 경로로 닿는 Value를 모두 모아 한 단계씩 함께 뒤로 옮기면 이것도 맞습니다. 그러나 Value를 하나씩 옮기면
마름모 40개에서 $2^{40}$번을 돌게 됩니다. PyTorch는 또 다른 방법을 씁니다. 노드마다 아직 도착하지 않은 gradient가 몇 개인지 세다가 0이 되면 그 노드를 실행합니다.
"""

# %% [markdown] task="backward_twice" lang="en"
r"""
**Why it works.** When a Value has its turn, everything made from it has passed on, so its `grad` is complete. The reset comes before anything is added, and it leaves out the leaves: they have no parents.
`self.grad += 1.0` is right in both cases: an intermediate `self` has just been set to 0, and a leaf adds.

**A detour.** If every Value is reset, leaves too, `backward()` gives the same however often it is called. Users of several libraries have asked for that. But then you can no longer split a batch as in lesson 3: the second piece would erase
the first.
"""

# %% [markdown] task="backward_twice" lang="ko" en="c5d113ca"
r"""
**왜 맞을까요?** 어떤 Value의 차례가 왔을 때는 그 값을 써서 계산한 값이 모두 넘겨준 다음이므로 `grad`가 다 모여 있습니다. 비우는 일은 더하기 전에 끝냅니다. leaf는 부모가 없으므로 비우지 않습니다. `self.grad += 1.0`은
두 경우에 모두 맞습니다. `self`가 중간 값이면 방금 0이 되었고, leaf이면 더합니다.

**다른 방법.** leaf까지 모두 비우면 `backward()`를 몇 번 호출해도 결과가 같습니다. 그 편이 낫다는 사람도 많습니다. 그러나 그러면 수업 03에서처럼 배치를 나누어 넣을 수 없습니다. 두 번째 조각이 첫 조각의 것을 지워 버리기 때문입니다.
"""

# %% [markdown] task="value_functions" lang="en"
r"""
**Why it works.** Each slope is the formula that you know from school, at the current number. For $x^0$ the formula $0 \cdot x^{-1}$ is right everywhere except at 0, where Python divides by 0: so that case is handled first.
`relu` has a kink at 0, where any slope from 0 to 1 could be defended; torch takes 0.

**A detour.** `x ** n` as `exp(n * log(x))` is what some libraries do when the exponent is tracked as well. A negative $x$ has no logarithm, so $(-3)^2$ fails.
"""

# %% [markdown] task="value_functions" lang="ko" en="4e64adee"
r"""
**왜 맞을까요?** 기울기는 모두 학교에서 배운 공식을 지금의 수에서 계산한 것입니다. $x^0$에서 $0 \cdot x^{-1}$이라는 식은 0이 아닌 곳에서만 맞고, 0에서는 파이썬이 0으로 나누게 됩니다. 그래서 이 경우를 먼저 처리합니다. `relu`는
0에서 꺾이므로 0과 1 사이의 어떤 수든 기울기로 삼을 수 있습니다. torch는 0을 씁니다.

**다른 방법.** `x ** n`을 `exp(n * log(x))`로 계산하는 방법입니다. 지수까지 추적할 때 쓰기도 합니다. 그러나 $x$가 음수이면 로그가 없어서 $(-3)^2$을 구할 수 없습니다.
"""

# %% [markdown] task="fit_line" lang="en"
r"""
**Why it works.** `a` and `b` are the same two leaves in all steps, so their buffers must be reset in each; the rest of the graph is made anew and starts at 0. Changing `data` records nothing, so no `no_grad` is needed.

**A detour.** `a = a - lr * a.grad` makes `a` an intermediate Value. It even works for a while, since `backward()` fills the `grad` of those too. But every step's graph is then joined to all earlier ones, and each `backward()` goes through more Values than the last.
"""

# %% [markdown] task="fit_line" lang="ko" en="1a284615"
r"""
**왜 맞을까요?** `a`와 `b`는 모든 스텝에서 같은 leaf 둘이므로 스텝마다 버퍼를 비워야 합니다. 그래프의 나머지는 매번 새로 만들어 0에서 시작합니다. `data`를 바꾸는 것은 기록되지 않으니 `no_grad`도 필요 없습니다.

**흔한 실수.** `a = a - lr * a.grad`라고 쓰면 `a`는 중간 값이 됩니다. `backward()`가 중간 값의 `grad`도 채우므로 얼마 동안은 맞게 돌아갑니다. 그러나 스텝마다 그래프가 앞의 모든 그래프에 이어져, `backward()`를 호출할 때마다 더 많은 Value를
지나가게 됩니다.
"""

# %% [markdown] task="which_bug" lang="en"
r"""
**Why it works.** Every check leaves one suspect fewer. In $u^2 + u x^3$ with $u = x^2$ all paths from the sum to $x$ have three edges, so breadth first has a right order; a single call needs no reset; and paths meet at $u$ and at $x$, so replacing shows, wherever it
happens. An engine that passes does not replace. On the uneven graph one call can then be wrong only because of the order, and two calls only because something was kept.

**A detour.** Run everything on the uneven graph, and read the intermediate `grad` as well: after one call a breadth-first engine has the right 17 in $y$ and a wrong slope in $x$. So does an engine that replaces in leaves alone. To part these two you need a graph whose paths
meet at the leaf and nowhere else, such as $x^2 + x^3$.
"""

# %% [markdown] task="which_bug" lang="ko" en="a529926c"
r"""
**왜 맞을까요?** 검사를 하나 지날 때마다 의심할 버그가 하나씩 줄어듭니다. $u = x^2$일 때 $u^2 + u x^3$에서는 합에서 $x$까지 가는 경로가 모두 간선 세 개로 되어 있어 너비 우선으로도 순서가 맞습니다. 한 번만 호출하면 비울 것도 없습니다. 그리고 경로가 $u$에서도 $x$에서도
만나므로, 어디에서 덮어쓰든 드러납니다. 여기를 통과한 엔진은 덮어쓰지 않습니다. 그러면 길이가 다른 경로가 있는 그래프에서 한 번 호출해 틀리는 이유는 순서뿐이고, 두 번 호출해야 틀리는 이유는 비우지 않은 것뿐입니다.

**다른 방법.** 길이가 다른 경로가 있는 그래프 하나만 쓰고 중간 값의 `grad`도 읽는 방법입니다. 한 번 호출한 뒤 너비 우선 엔진에서는 $y$가 맞는 17이고 $x$만 틀립니다. 그런데 leaf에서만 덮어쓰는 엔진도 그렇습니다. 이 둘을 가르려면 $x^2 + x^3$처럼 경로가 leaf에서만
만나는 그래프가 하나 더 필요합니다.
"""
