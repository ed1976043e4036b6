# Why the course's own answers to lesson 10 are right, and a detour that many take. `autograder check` shows them.

# %% [markdown] task="value_add_mul" lang="en"
r"""
**Why it works.** If $a$ grows by a little, $a + b$ grows by the same and $ab$ by $b$ times as much. These are numbers, worked out at the present $a$ and $b$; nothing else of the operation has to be kept.
`a * a` has the parent `a` twice, each with the slope $a$: added up that is $2a$.

**A detour.** micrograd stores a function instead of numbers:

```
def _backward():
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
out._backward = _backward
```

It works as well, and it reads `data` later: if somebody changes `a.data` between the forward and the backward pass, the slope is that of the new number. Slopes that are kept as numbers belong to the pass that made them.
"""

# %% [markdown] task="value_add_mul" lang="ko" en="bc49641d"
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

이것도 맞습니다. 다만 `data`를 나중에 읽습니다. 순전파와 역전파 사이에 누가 `a.data`를 바꾸면 새 수의 기울기가 됩니다. 수로 남긴 기울기는 그것을 만든 계산의 것 그대로입니다.
"""

# %% [markdown] task="value_backward" lang="en"
r"""
**Why it works.** A Value goes on the list only when it comes off the stack for the second time. By then everything that stood above it, all its parents and theirs, has been dealt with and is on the list. So on the list parents
stand before what was made from them, and turned round it is the other way. The set makes every Value count once.

**A detour.** Breadth first, and sort afterwards by the *longest* way from `self`. That is right, too, if a Value that is met again on a longer way takes all its parents along, level by level; done Value by Value it takes $2^{40}$ steps on forty diamonds. PyTorch
goes a third way: it counts for each node how many have still to hand on to it, and lets it go when the count is 0.
"""

# %% [markdown] task="value_backward" lang="ko" en="3a671931"
r"""
**왜 맞을까요?** 어떤 Value는 스택에서 두 번째로 꺼낼 때에야 리스트에 들어갑니다. 그때는 그 위에 쌓인 것, 곧 부모와 그 부모가 모두 끝나 리스트에 들어가 있습니다. 그래서 리스트에서는 부모가 먼저이고, 뒤집으면 부모가
나중입니다. 집합을 쓰므로 Value마다 한 번만 들어갑니다.

**다른 방법.** 너비 우선으로 돌고 나서 `self`에서 *가장 긴* 경로의 길이로 정렬하는 방법입니다. 더 긴 경로로 다시 만난 Value가 부모를 모두 데리고 한 단계씩 내려가면 이것도 맞습니다. 그러나 Value 하나하나마다 그렇게 하면
마름모 40개에서 $2^{40}$번을 돌게 됩니다. PyTorch는 또 다른 방법을 씁니다. 노드마다 아직 넘겨줄 것이 몇 개 남았는지 세다가 0이 되면 보냅니다.
"""

# %% [markdown] task="second_backward" lang="en"
r"""
**Why it works.** When a Value has its turn, everything made from it has handed on, so its `grad` is complete. The reset comes before anything is added. Leaves are left out of it: they have no parents.
`self.grad += 1.0` does both: an intermediate `self` has just been set to 0, and a leaf adds.

**A detour.** Resetting every Value, leaves too, makes `backward()` give the same however often it is called. Several libraries' beginners ask for that. But then a batch can no longer be put through in pieces, as in lesson 3: the second piece would wipe
out the first.
"""

# %% [markdown] task="second_backward" lang="ko" en="1d0c1bcc"
r"""
**왜 맞을까요?** 어떤 Value의 차례가 왔을 때는 그것으로 만든 값이 모두 넘겨준 다음이므로 `grad`가 다 모여 있습니다. 비우는 일은 더하기 전에 끝냅니다. leaf는 부모가 없으므로 비우지 않습니다. `self.grad += 1.0`은
두 경우에 모두 맞습니다. `self`가 중간 값이면 방금 0이 되었고, leaf이면 더합니다.

**다른 방법.** leaf까지 모두 비우면 `backward()`를 몇 번 불러도 결과가 같습니다. 그 편이 낫다는 사람도 많습니다. 그러나 그러면 수업 03에서처럼 배치를 나누어 넣을 수 없습니다. 두 번째 조각이 첫 조각의 것을 지워 버리기 때문입니다.
"""

# %% [markdown] task="value_functions" lang="en"
r"""
**Why it works.** Each slope is the school's formula at the present number. For $x^0$ the formula $0 \cdot x^{-1}$ is right everywhere but at 0, where Python divides by 0: so that case goes first.
`relu` has a kink at 0, where every slope from 0 to 1 could be argued for; torch takes 0.

**A detour.** `x ** n` as `exp(n * log(x))` is what some libraries do for powers with a tracked exponent. For negative $x$ there is no logarithm, so $(-3)^2$ fails.
"""

# %% [markdown] task="value_functions" lang="ko" en="ac604bfa"
r"""
**왜 맞을까요?** 기울기는 모두 학교에서 배운 공식을 지금의 수에서 계산한 것입니다. $x^0$에서 $0 \cdot x^{-1}$이라는 식은 0이 아닌 곳에서만 맞고, 0에서는 파이썬이 0으로 나누게 됩니다. 그래서 이 경우를 먼저 처리합니다. `relu`는
0에서 꺾이므로 0과 1 사이의 어떤 기울기도 댈 수 있습니다. torch는 0을 씁니다.

**다른 방법.** `x ** n`을 `exp(n * log(x))`로 계산하는 방법입니다. 지수까지 추적할 때 쓰기도 합니다. 그러나 $x$가 음수이면 로그가 없어서 $(-3)^2$을 구할 수 없습니다.
"""

# %% [markdown] task="fit_line" lang="en"
r"""
**Why it works.** `a` and `b` are the same two leaves in all steps, so their buffers must be emptied in each; everything else of the graph is made anew and begins at 0. Changing `data` records nothing, so no `no_grad` is needed.

**A detour.** `a = a - lr * a.grad` makes `a` an intermediate Value. It even works for a while, since `backward()` fills the `grad` of those too, but every step's graph then hangs on all earlier ones: each `backward()` walks further back than the last.
"""

# %% [markdown] task="fit_line" lang="ko" en="626f5e7c"
r"""
**왜 맞을까요?** `a`와 `b`는 모든 스텝에서 같은 leaf 둘이므로 스텝마다 버퍼를 비워야 합니다. 그래프의 나머지는 매번 새로 만들어 0에서 시작합니다. `data`를 바꾸는 것은 기록되지 않으니 `no_grad`도 필요 없습니다.

**흔한 실수.** `a = a - lr * a.grad`라고 쓰면 `a`는 중간 값이 됩니다. `backward()`가 중간 값의 `grad`도 채우므로 얼마 동안은 맞게 돌아갑니다. 그러나 스텝마다 그래프가 앞의 모든 그래프에 이어져, `backward()`를 부를 때마다 점점 더 멀리
거슬러 가게 됩니다.
"""
