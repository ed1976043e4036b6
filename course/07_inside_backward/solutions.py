# Explanations of the course's own answers to lesson 7: why each is right, and a common detour.
# `autograder check 7 --solution TASK` shows one.

# %% [markdown] task="breaks_backward" lang="en"
r"""
**Why it works.** An edit of `y` does harm only if a node saved `y`. The slopes $e^x = y$ and $\frac{1}{2\sqrt x} = \frac{1}{2y}$ are cheapest in terms of the output; $\cos x$ and $\frac{1}{x}$ need the input; 1 needs nothing.

**A detour.** Trying it out is just as right, and safer than memory: another version of PyTorch may save something else. But each program needs an `x` of its own, and `except RuntimeError` must not hide another mistake of yours: print the message once.
"""

# %% [markdown] task="breaks_backward" lang="ko" en="1f095b5f"
r"""
**왜 맞을까요?** `y`를 바꾸는 것은 어떤 노드가 `y`를 저장했을 때만 해롭습니다. 기울기 $e^x = y$와 $\frac{1}{2\sqrt x} = \frac{1}{2y}$은 출력에서 가장 쉽게 나옵니다. $\cos x$와 $\frac{1}{x}$에는 입력이 필요하고, 1에는 아무것도 필요 없습니다.

**다른 방법.** 직접 실행해 보는 것도 맞고, 외우는 것보다 안전합니다. PyTorch 버전이 바뀌면 저장하는 것도 바뀔 수 있습니다. 다만 프로그램마다 `x`를 따로 만들고, `except RuntimeError`가 여러분의 다른 실수를 가리지 않도록 메시지를 한 번은 출력해 보세요.
"""

# %% [markdown] task="saved_shapes" lang="en"
r"""
**Why it works.** Inside `with`, the graph passes every tensor that it saves through `pack`, so nothing is missed, and nothing is counted that is not saved. `pack` returns `t` itself, so the graph stays as it would have been.

**A detour.** You can follow `next_functions` as in lesson 2 and read every `_saved_...` of every node:

```
names = [name for name in dir(node) if name.startswith("_saved_")]
```

But this counts the 2 of `x * 2`, which a node only shows as a tensor, and misses what lies elsewhere: the index of `x[i]` is in a tuple, and what a `Function` saves is in `saved_tensors`.
"""

# %% [markdown] task="saved_shapes" lang="ko" en="ad71b62f"
r"""
**왜 맞을까요?** `with` 안에서는 그래프에 저장되는 텐서가 모두 `pack`을 거칩니다. 그래서 빠지는 것도 없고, 저장되지 않는 것을 세는 일도 없습니다. `pack`이 `t`를 그대로 돌려주므로 그래프도 그대로입니다.

**흔한 실수.** 수업 02에서처럼 `next_functions`를 따라가며 노드마다 `_saved_...`를 모두 읽는 방법입니다.

```
names = [name for name in dir(node) if name.startswith("_saved_")]
```

그러나 이렇게 하면 노드에서 텐서처럼 보일 뿐인 `x * 2`의 2까지 세고, 다른 곳에 있는 것은 빠뜨립니다. `x[i]`의 인덱스는 튜플 안에 있고, `Function`이 저장한 것은 `saved_tensors`에 있습니다.
"""

# %% [markdown] task="checkpoint_chain" lang="en"
r"""
**Why it works.** Each `checkpoint` keeps the input of its function, so memory holds one tensor between any two neighbouring functions and none inside them. `backward()` reaches the last function first, runs it again from its input, and goes on to the one before.

**A detour.** One checkpoint around the whole chain keeps even less, the first input alone. But when `backward()` gets there, the whole chain runs again, and **everything** it saves is in memory at once; the peak is as high as without a checkpoint (in section 6, 22 MB instead of 12). With one checkpoint for each function,
only one function's share is added.
"""

# %% [markdown] task="checkpoint_chain" lang="ko" en="4775e89e"
r"""
**왜 맞을까요?** `checkpoint`마다 함수의 입력을 남기므로, 메모리에는 함수와 함수 사이의 텐서만 있고 함수 안의 것은 없습니다. `backward()`는 마지막 함수에 먼저 와서 그 입력으로 함수를 다시 실행하고, 그 앞의 함수로 갑니다.

**흔한 실수.** 사슬 전체에 체크포인트를 하나만 두면 남는 것은 더 적습니다. 맨 처음 입력뿐입니다. 그러나 `backward()`가 도착하면 사슬 전체를 다시 실행하고, 저장하는 것이 **모두** 한꺼번에 메모리에 놓입니다. 그래서 메모리를 가장 많이 쓰는 순간은 체크포인트가 없을 때와
같습니다(6절의 예라면 12 MB가 아니라 22 MB). 함수마다 하나씩 두면 그 순간에도 함수 하나가 저장하는 것만 더해집니다.
"""

# %% [markdown] task="clip_hook" lang="en"
r"""
**Why it works.** A hook on `t` is called once in a `backward()`, with the sum over all uses, and what it returns replaces the gradient. `clamp` makes a new tensor, so whoever else holds the old one notices nothing.

**A detour.** `g.clamp_(-m, m)` gives the same `x.grad` in most programs. But in `t + u` both gradients are one and the same tensor, so `u` would get the clamped one too. Another detour: `torch.nn.utils.clip_grad_norm_` limits the *length* of gradients, and only those of leaves, after `backward()`.
"""

# %% [markdown] task="clip_hook" lang="ko" en="5a575d19"
r"""
**왜 맞을까요?** `t`에 건 hook은 `backward()` 한 번에 한 번, 쓰인 곳 모두의 합을 받아 호출되고, 돌려준 값이 gradient를 대신합니다. `clamp`는 새 텐서를 만드므로 원래 텐서를 가진 다른 쪽은 달라지지 않습니다.

**흔한 실수.** `g.clamp_(-m, m)`을 써도 `x.grad`는 대개 같습니다. 그러나 `t + u`에서는 두 gradient가 같은 텐서라서 `u`까지 제한됩니다. 한편 `torch.nn.utils.clip_grad_norm_`은 gradient의 *길이*를 제한하고, 그것도 `backward()`가 끝난 뒤 leaf의 것만 제한합니다.
"""

# %% [markdown] task="step_in_backward" lang="en"
r"""
**Why it works.** This hook is called once the whole gradient for `p` is in `p.grad`, and it receives `p`. It takes the step and releases the buffer, so the gradients of all parameters are never in memory at the same time.

**A detour.** `p.register_hook` receives the gradient, which looks handier. But it is called *before* the gradient is put into `.grad`: the step is right, and then the gradient lands in the buffer all the same and stays there, for every parameter.
No memory is saved, and the next gradient is added to it.
"""

# %% [markdown] task="step_in_backward" lang="ko" en="a0cc4a29"
r"""
**왜 맞을까요?** 이 hook은 `p`의 gradient가 모두 `p.grad`에 모인 다음 호출되고, `p`를 받습니다. 거기서 업데이트하고 버퍼를 놓아 버리므로, 모든 파라미터의 gradient가 한꺼번에 메모리에 있는 때가 없습니다.

**흔한 실수.** `p.register_hook`은 gradient를 받으니 더 편해 보입니다. 그러나 gradient가 `.grad`에 놓이기 *전에* 호출됩니다. 업데이트는 맞지만, 그 뒤에 gradient가 그대로 버퍼에 들어가 파라미터마다 남습니다. 메모리는 절약되지 않고, 다음 스텝에서는 그 위에 또 더해집니다.
"""

# %% [markdown] task="first_bad_op" lang="en"
r"""
**Why it works.** `torch.autograd.grad` returns the gradients at all places of the chain and fills no buffer. The loop from the last function to the first stops at the first place where a finite gradient arrives and one that is not finite leaves; what happens further on does not matter.

**A detour.** A hook on every tensor shows the same, but hooks stay: they must be removed from `x`, and where a function returns its argument, one tensor gets two hooks. `detect_anomaly` names an operation too, but it stops at `nan` and lets `inf` pass, so it
often names the neighbour of the culprit.
"""

# %% [markdown] task="first_bad_op" lang="ko" en="c28bbdc9"
r"""
**왜 맞을까요?** `torch.autograd.grad`는 사슬의 모든 자리의 gradient를 돌려주고 버퍼는 하나도 채우지 않습니다. 마지막 함수부터 도는 반복문은 유한한 gradient가 도착했는데 유한하지 않은 gradient가 나오는 첫 자리에서 멈춥니다. 그 뒤의 일은 상관없습니다.

**다른 방법.** 텐서마다 hook을 걸어도 같은 것을 볼 수 있지만 hook은 남습니다. `x`에서 떼어 내야 하고, 인자를 그대로 돌려주는 함수가 있으면 한 텐서에 hook이 둘 걸립니다. `detect_anomaly`도 연산을 알려 주지만 `nan`에서 멈추고 `inf`는 그냥 지나가므로, 범인의 이웃을
지목할 때가 많습니다.
"""

# %% [markdown] task="find_culprit" lang="en"
r"""
**Why it works.** Each question separates one culprit from the rest. The version counter reports the edit through a view; `isfinite` finds the `nan`; the quotient, which reads nothing that was saved and calls no hook, tells right from wrong. Two culprits are left. If `pack` keeps copies, an edit through `.data` no longer reaches them, and
the gradient becomes right; a hook still acts.

**A detour.** The first gradient must be taken without `pack`, even without one that returns `t` unchanged: with hooks for saved tensors PyTorch does not compare versions, and the edit through a view spoils the gradient as silently as `.data` does. And one quotient in the direction of all elements
compares only the sum of the gradient, which a hook such as `g.flip(0)` leaves alone.
"""

# %% [markdown] task="find_culprit" lang="ko" en="60a2648f"
r"""
**왜 맞을까요?** 질문마다 범인을 하나씩 가려냅니다. 뷰를 통한 변경은 버전 카운터가 알려 주고, `nan`은 `isfinite`로 찾습니다. 차분몫은 저장된 것을 읽지 않고 hook도 호출하지 않으므로 gradient가 맞는지 틀린지 알려 줍니다. 이제 둘이 남습니다. `pack`이 복사본을 보관하면 `.data`로 바꾼 것이
복사본에는 미치지 않아 gradient가 맞게 됩니다. hook은 그래도 작동합니다.

**흔한 실수.** 첫 gradient는 `pack` 없이 구해야 합니다. `t`를 그대로 돌려주는 `pack`도 안 됩니다. 저장된 텐서에 hook을 쓰면 PyTorch가 버전을 비교하지 않으므로, 뷰를 통한 변경이 `.data`처럼 오류 없이 gradient를 망가뜨립니다. 또 모든 원소를 함께 움직이는 차분몫 하나로는 gradient의 합만
비교하게 되는데, `g.flip(0)` 같은 hook은 합을 바꾸지 않습니다.
"""
