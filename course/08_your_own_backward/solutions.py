# Explanations of the course's own answers to lesson 8: why each is right, and a common detour.
# `autograder check 8 --solution TASK` shows one.

# %% [markdown] task="MyPow" lang="en"
r"""
**Why it works.** Each gradient is what arrives times a slope: $q x^{q-1}$ for $x$, $x^q \log x$ for $q$. `needs_input_grad` says which of them is needed, so with a constant $q$ the logarithm
of a negative $x$ is never computed. `save_for_backward` keeps both inputs with their versions, on the `ctx` of this call.

**A detour.** Save the result as well and write $\frac{q y}{x}$ and $y \log x$:

```
ctx.save_for_backward(*inputs, output)
```

That saves two powers and costs the memory of one more tensor. You could also keep `x` and `q` as `ctx.x` and `ctx.q`, but then an in-place change goes unnoticed and the gradient is silently wrong.
"""

# %% [markdown] task="MyPow" lang="ko" en="929b2f6b"
r"""
**왜 맞을까요?** 두 gradient 모두 도착한 값에 기울기를 곱한 것입니다. $x$에는 $q x^{q-1}$, $q$에는 $x^q \log x$입니다. `needs_input_grad`는 그 가운데 무엇이 필요한지 알려 줍니다. 그래서 $q$가 상수이면
음수 $x$의 로그를 구하지 않습니다. `save_for_backward`는 두 입력을 버전과 함께 이 호출의 `ctx`에 저장합니다.

**다른 방법.** 결과도 저장해 두고 $\frac{q y}{x}$와 $y \log x$로 쓸 수 있습니다.

```
ctx.save_for_backward(*inputs, output)
```

거듭제곱을 두 번 덜 계산하는 대신 텐서 하나만큼 메모리를 더 씁니다. `x`와 `q`를 `ctx.x`, `ctx.q`로 남길 수도 있지만, 그러면 제자리에서 바뀐 것을 알 길이 없어 오류 없이 틀린 gradient가 나옵니다.
"""

# %% [markdown] task="backward_is_right" lang="en"
r"""
**Why it works.** `detach()` leaves the caller's tensors and their graphs alone, `double()` gives the quotient its sixteen digits, `clone()` gives every element its own memory, and `requires_grad_()` makes `gradcheck` check every
input, whether the caller tracks it or not. With `raise_exception=False` it returns `False` instead of raising an error.

**A detour.** Write the quotients yourself: move one element at a time, and compare with one row of the Jacobian (lesson 5). There are two traps. A backward pass from `y.sum()` adds up all
outputs, so mistakes may cancel. And a backward pass with `grad_output` 1 alone cannot expose a backward that ignores it.
"""

# %% [markdown] task="backward_is_right" lang="ko" en="eca24ec9"
r"""
**왜 맞을까요?** `detach()`는 호출한 쪽의 텐서와 그래프를 건드리지 않고, `double()` 덕분에 차분몫이 열여섯 자리까지 나오고, `clone()`은 원소마다 메모리를 따로 마련하고, `requires_grad_()`는 호출한 쪽이 추적하든 아니든 `gradcheck`가 모든 입력을 검사하게
합니다. `raise_exception=False`를 넘기면 오류를 내지 않고 `False`를 돌려줍니다.

**다른 방법.** 차분몫을 직접 구할 수도 있습니다. 원소를 하나씩 움직이고 야코비 행렬의 행(수업 05)과 비교합니다. 함정이 두 가지 있습니다. `y.sum()`에서 역방향 계산을 한 번만 하면 모든 출력이 더해져
실수가 상쇄될 수 있습니다. 또 `grad_output`이 1일 때만 보면 그것을 무시하는 backward를 알아채지 못합니다.
"""

# %% [markdown] task="StableSoftplus" lang="en"
r"""
**Why it works.** $\log(1 + e^x) = \max(x, 0) + \log(1 + e^{-|x|})$ for every $x$, and $e^{-|x|}$ is never above 1, so nothing overflows. `log1p` keeps the digits of a small power. The slope
$\frac{e^x}{1 + e^x}$ is the sigmoid, which torch computes without overflow.

**A detour.** The slope follows from the result: $1 - e^{-y}$. Written as `1 - torch.exp(-y)` it is 0 at $x = -40$, since the difference of two numbers near 1 has lost all its digits.
Written as `-torch.expm1(-y)` it is right. `torch.logaddexp(x, torch.zeros_like(x))` computes the value in one call.
"""

# %% [markdown] task="StableSoftplus" lang="ko" en="eda9d133"
r"""
**왜 맞을까요?** 모든 $x$에서 $\log(1 + e^x) = \max(x, 0) + \log(1 + e^{-|x|})$이고, $e^{-|x|}$은 1을 넘지 않으므로 너무 커지는 일이 없습니다. `log1p`는 작은 거듭제곱의 자릿수를 지켜 줍니다. 기울기
$\frac{e^x}{1 + e^x}$은 시그모이드(sigmoid)이고, torch가 안전하게 계산해 줍니다.

**다른 방법.** 기울기는 결과에서도 구할 수 있습니다. $1 - e^{-y}$입니다. `1 - torch.exp(-y)`라고 쓰면 $x = -40$에서 0이 됩니다. 1에 가까운 두 수를 빼면 자릿수를 모두 잃기 때문입니다.
`-torch.expm1(-y)`라고 쓰면 맞습니다. 값은 `torch.logaddexp(x, torch.zeros_like(x))`로 한 번에 구할 수 있습니다.
"""

# %% [markdown] task="safe_sqrt" lang="en"
r"""
**Why it works.** The inner `where` puts 1 in place of every element that the root cannot handle, so root and slope are finite in both branches. The outer `where` picks 0 there and passes the gradient 0 into the root: 0 times
a finite slope is 0.

**A detour.** `torch.sqrt(torch.relu(x))` is right too, although the slope of the root is `inf` at 0: the backward of relu does not *multiply* by 0, it *fills in* 0. `torch.where(x >= 0, x, 0.0)` lets the gradient pass at 0, and `inf` comes
through; so did `x.clamp(min=0)` before PyTorch 2.14. Such an answer depends on the code of one operation.
"""

# %% [markdown] task="safe_sqrt" lang="ko" en="8a717346"
r"""
**왜 맞을까요?** 안쪽 `where`는 제곱근이나 그 기울기를 구할 수 없는 원소를 모두 1로 바꿉니다. 그래서 두 갈래 모두 제곱근과 기울기가 유한합니다. 바깥쪽 `where`는 그런 곳에서 0을 고르고 제곱근 쪽으로 gradient 0을 보냅니다. 유한한
기울기에 0을 곱하면 0입니다.

**다른 방법.** `torch.sqrt(torch.relu(x))`도 맞습니다. 0에서 제곱근의 기울기는 `inf`이지만, relu의 backward는 0을 *곱하지* 않고 0을 *넣기* 때문입니다. `torch.where(x >= 0, x, 0.0)`은 0에서 gradient를 통과시키므로 `inf`가
그대로 나옵니다. PyTorch 2.13까지는 `x.clamp(min=0)`도 그랬습니다. 이런 방법은 연산 하나의 코드에 기대는 것입니다.
"""

# %% [markdown] task="at_the_kink" lang="en"
r"""
**Why it works.** The backward of `relu` passes the gradient on where the result is positive, so not at 0. `where` passes it to what it chose, which is `x` at 0. `maximum` gives half to each of two equal arguments. `abs` multiplies by the sign, which is 0
at 0. In the last one, both `relu` have the slope 0.

**A detour.** Let autograd find them, with a fresh tracked 0 for each function. With one tensor, `.grad` would add up over the five.
"""

# %% [markdown] task="at_the_kink" lang="ko" en="9f6f1160"
r"""
**왜 맞을까요?** `relu`의 backward는 결과가 0보다 클 때만 도착한 값을 통과시키므로 0에서는 막습니다. `where`는 고른 쪽으로 통과시키는데, 0에서 고른 것은 `x`입니다. `maximum`은 두 인자가 같으면 절반씩 줍니다. `abs`는 부호를 곱하는데 0의 부호는
0입니다. 마지막 함수에서는 두 `relu`의 기울기가 모두 0입니다.

**다른 방법.** autograd로 구할 수도 있습니다. 함수마다 새로 추적되는 0을 쓰세요. 같은 텐서를 쓰면 `.grad`에 다섯 값이 더해집니다.
"""

# %% [markdown] task="MyLayerNorm" lang="en"
r"""
**Why it works.** With $h_j = g_j w_j$, the three paths from $x_j$ carry $\frac{h_j}{s}$ (straight), $-\frac{1}{n s} \sum_i h_i$ (through $m$) and $-\frac{\hat x_j}{n s} \sum_i h_i \hat x_i$ (through $s$, whose slope with respect to $x_j$ is $\frac{x_j - m}{n s} = \frac{\hat x_j}{n}$). Together:

$$\frac{\partial L}{\partial x_j} = \frac{1}{s} \left(h_j - \operatorname{mean}(h) - \hat x_j \operatorname{mean}(h\, \hat x)\right)$$

Both means come from reductions in `forward`, broadcast back over the row. `weight` was broadcast over the rows, so its gradient is a sum over them. `eps` is no tensor and gets `None`.

**A detour.** Save $\hat x$ and $s$ instead of $x$, so that `backward` need not compute them again. That costs the memory of one more tensor as large as $x$, if $x$ is kept elsewhere anyway. PyTorch's own layer norm saves $x$ with the mean and $\frac{1}{s}$ of each row.
"""

# %% [markdown] task="MyLayerNorm" lang="ko" en="8c7038f9"
r"""
**왜 맞을까요?** $h_j = g_j w_j$라고 하면, $x_j$에서 시작하는 세 경로의 값은 $\frac{h_j}{s}$(곧장 가는 경로), $-\frac{1}{n s} \sum_i h_i$($m$을 거치는 경로), $-\frac{\hat x_j}{n s} \sum_i h_i \hat x_i$($s$를 거치는 경로)입니다. $s$를 $x_j$로 미분한 기울기는 $\frac{x_j - m}{n s} = \frac{\hat x_j}{n}$입니다. 모두 더하면 다음과 같습니다.

$$\frac{\partial L}{\partial x_j} = \frac{1}{s} \left(h_j - \operatorname{mean}(h) - \hat x_j \operatorname{mean}(h\, \hat x)\right)$$

두 평균은 순방향 계산에서 원소를 합친 자리이고, 역방향 계산에서는 행 전체로 브로드캐스트됩니다. `weight`는 행으로 브로드캐스트되었으므로 gradient가 행에 대한 합입니다. `eps`는 텐서가 아니어서 `None`입니다.

**다른 방법.** $x$ 대신 $\hat x$와 $s$를 저장하면 `backward`에서 다시 계산하지 않아도 됩니다. $x$가 다른 곳에 어차피 남아 있다면 $x$만 한 텐서 하나만큼 메모리를 더 씁니다. PyTorch의 layer norm은 $x$와, 행마다의 평균과 $\frac{1}{s}$을 저장합니다.
"""
