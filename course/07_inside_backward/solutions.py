# Why the course's own answers to lesson 7 are right, and a detour that many take. `autograder check` shows them.

# %% [markdown] task="breaks_backward" lang="en"
r"""
**Why it works.** An edit of `y` does harm only if a node saved `y`. The slopes $e^x = y$ and $\frac{1}{2\sqrt x} = \frac{1}{2y}$ come cheapest from the output; $\cos x$ and $\frac{1}{x}$ need the input; 1 needs nothing.

**A detour.** Trying it out is just as right, and safer than memory: another version of PyTorch may save something else. But each program needs an `x` of its own, and `except RuntimeError` must not hide another mistake of yours: print the message once.
"""

# %% [markdown] task="breaks_backward" lang="ko" en="8f3221e6"
r"""
**왜 맞을까요?** `y`를 바꾸는 것은 어떤 노드가 `y`를 저장했을 때만 해롭습니다. 기울기 $e^x = y$와 $\frac{1}{2\sqrt x} = \frac{1}{2y}$은 출력에서 가장 쉽게 나옵니다. $\cos x$와 $\frac{1}{x}$에는 입력이 필요하고, 1에는 아무것도 필요 없습니다.

**다른 방법.** 직접 실행해 보는 것도 맞고, 외우는 것보다 안전합니다. PyTorch 버전이 바뀌면 저장하는 것도 바뀔 수 있습니다. 다만 프로그램마다 `x`를 따로 만들고, `except RuntimeError`가 여러분의 다른 실수를 가리지 않도록 메시지를 한 번은 출력해 보세요.
"""

# %% [markdown] task="saved_shapes" lang="en"
r"""
**Why it works.** Inside `with`, every tensor on its way into the graph passes through `pack`, so nothing is missed and nothing counted that is not saved. `pack` returns `t` itself, and the graph stays as it would have been.

**A detour.** One can walk over `next_functions` as in lesson 2 and read every `_saved_...` of every node:

```
names = [name for name in dir(node) if name.startswith("_saved_")]
```

But this counts the 2 of `x * 2`, which a node only shows as a tensor, and misses what lies elsewhere: the index of `x[i]` is in a tuple, and what a `Function` saves is in `saved_tensors`.
"""

# %% [markdown] task="saved_shapes" lang="ko" en="7452f76b"
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
**Why it works.** Each `checkpoint` keeps the input of its function, so between two functions one tensor is in memory, and inside none. `backward()` comes to the last function first, runs it again from its input, and walks on.

**A detour.** One checkpoint around the whole chain keeps even less, the first input alone. But when `backward()` arrives, the whole chain runs again and **all** that it saves is in memory at once; the peak is as high as without a checkpoint. With one for each function the
peak is one function's share.
"""

# %% [markdown] task="checkpoint_chain" lang="ko" en="057849b1"
r"""
**왜 맞을까요?** `checkpoint`마다 함수의 입력을 남기므로, 메모리에는 함수와 함수 사이의 텐서만 있고 함수 안의 것은 없습니다. `backward()`는 마지막 함수에 먼저 와서 그 입력으로 함수를 다시 실행하고 계속 거슬러 갑니다.

**흔한 실수.** 연쇄 전체에 체크포인트를 하나만 두면 남는 것은 더 적습니다. 맨 처음 입력뿐입니다. 그러나 `backward()`가 도착하면 연쇄 전체를 다시 실행하고, 저장하는 것이 **모두** 한꺼번에 메모리에 놓입니다. 그래서 메모리를 가장 많이 쓰는 순간은 체크포인트가 없을 때와
같습니다. 함수마다 하나씩 두면 그 순간에도 함수 하나가 저장하는 것만 있습니다.
"""

# %% [markdown] task="clip_hook" lang="en"
r"""
**Why it works.** A hook on `t` is called once in a `backward()`, with the sum over all uses, and what it returns goes on. `clamp` makes a new tensor, so nobody else who holds the old one notices.

**A detour.** `g.clamp_(-m, m)` gives the same `x.grad` in most programs. But in `t + u` both gradients are one and the same tensor, and `u` would be limited too. Another: `torch.nn.utils.clip_grad_norm_` limits the *length* of gradients, and only those of leaves, after `backward()`.
"""

# %% [markdown] task="clip_hook" lang="ko" en="8babcace"
r"""
**왜 맞을까요?** `t`에 건 hook은 `backward()` 한 번에 한 번, 쓰인 곳 모두의 합을 받아 불리고, 돌려준 값이 다음으로 갑니다. `clamp`는 새 텐서를 만드므로 원래 텐서를 가진 다른 쪽은 달라지지 않습니다.

**흔한 실수.** `g.clamp_(-m, m)`을 써도 `x.grad`는 대개 같습니다. 그러나 `t + u`에서는 두 gradient가 같은 텐서라서 `u`까지 제한됩니다. 한편 `torch.nn.utils.clip_grad_norm_`은 gradient의 *길이*를 제한하고, 그것도 `backward()`가 끝난 뒤 leaf의 것만 제한합니다.
"""

# %% [markdown] task="step_in_backward" lang="en"
r"""
**Why it works.** This hook is called when all gradients for `p` are in `p.grad`, and it is given `p`. The step is taken there and the buffer let go, so at no time are the gradients of all parameters in memory.

**A detour.** `p.register_hook` is given the gradient, which looks handier. But it is called *before* the gradient lands in `.grad`: the step is right, and then the gradient is put into the buffer all the same and stays there, for every parameter.
Nothing is saved, and at the next step someone adds to it.
"""

# %% [markdown] task="step_in_backward" lang="ko" en="c9c385fc"
r"""
**왜 맞을까요?** 이 hook은 `p`의 gradient가 모두 `p.grad`에 모인 다음 불리고, `p`를 받습니다. 거기서 업데이트하고 버퍼를 놓아 버리므로, 모든 파라미터의 gradient가 한꺼번에 메모리에 있는 때가 없습니다.

**흔한 실수.** `p.register_hook`은 gradient를 받으니 더 편해 보입니다. 그러나 gradient가 `.grad`에 놓이기 *전에* 불립니다. 업데이트는 맞지만, 그 뒤에 gradient가 그대로 버퍼에 들어가 파라미터마다 남습니다. 메모리는 절약되지 않고, 다음 스텝에서는 그 위에 또 더해집니다.
"""

# %% [markdown] task="first_bad_op" lang="en"
r"""
**Why it works.** `torch.autograd.grad` returns the gradients at all tensors of the chain and fills no buffer. The loop from the last function to the first stops at the first place where a finite gradient goes in and another comes out; what happens further on does not matter.

**A detour.** A hook on every tensor shows the same, but hooks stay: they must be removed from `x`, and a function that returns its argument has two hooks on one tensor. `detect_anomaly` names an operation too, but it stops at `nan` and lets `inf` pass, so it
often names the neighbour of the culprit.
"""

# %% [markdown] task="first_bad_op" lang="ko" en="280fe109"
r"""
**왜 맞을까요?** `torch.autograd.grad`는 연쇄에 있는 모든 텐서의 gradient를 돌려주고 버퍼는 하나도 채우지 않습니다. 마지막 함수부터 도는 반복문은 유한한 gradient가 들어가 유한하지 않은 것이 나오는 첫 자리에서 멈춥니다. 그 뒤의 일은 상관없습니다.

**다른 방법.** 텐서마다 hook을 걸어도 같은 것을 볼 수 있지만 hook은 남습니다. `x`에서 떼어 내야 하고, 인자를 그대로 돌려주는 함수가 있으면 한 텐서에 hook이 둘 걸립니다. `detect_anomaly`도 연산을 알려 주지만 `nan`에서 멈추고 `inf`는 그냥 지나가므로, 범인의 이웃을
지목할 때가 많습니다.
"""
