# Worked solutions of lesson 1: why each answer is right, and a detour. The code itself stands in the lesson.

# %% [markdown] task="forward_difference" lang="en"
r"""
**Why it works.** `x + h` is rounded to a number that the dtype can store, so the second place is a little off from where you
wanted it. `there - x` tells how far it really is, for each element, and this subtraction of two neighbours is exact. What is left is only
what `f` itself rounds.

**A detour.** Dividing by `h` looks the same, and in `float64` it nearly is. In `float32` near `x = 5` with `h = 1e-6` it
makes every slope nearly 5% too small, even that of a straight line.
"""

# %% [markdown] task="forward_difference" lang="ko" en="d44f00e1"
r"""
**왜 맞을까요?** `x + h`는 dtype이 저장할 수 있는 수로 반올림되므로, 둘째 점은 가려던 곳에서 조금 어긋납니다. `there - x`는 원소마다
실제로 얼마나 움직였는지 알려 주고, 가까운 두 수의 뺄셈이라 오차가 없습니다. 그러면 `f` 자체의 반올림 오차만 남습니다.

**흔한 실수.** `h`로 나누어도 같아 보이고, `float64`에서는 거의 같습니다. 하지만 `float32`에서는 `x = 5` 근처, `h = 1e-6`일 때 모든
기울기가 5% 가까이 작아집니다. 직선도 마찬가지입니다.
"""

# %% [markdown] task="central_difference" lang="en"
r"""
**Why it works.** From `x - h` to `x + h` it is `2 * h`, and Python needs the brackets: `/ 2 * h` would divide by 2 and multiply by `h`. A curve
bends away on both sides of `x` alike, so the first error cancels, and what is left shrinks with `h`².

**A detour.** The mean of the two one-sided quotients is the same number,

```
here = f(x)
return ((f(x + h) - here) / h + (here - f(x - h)) / h) / 2
```

but it evaluates `f` three times, only to cancel `here` again.
"""

# %% [markdown] task="central_difference" lang="ko" en="e85d030d"
r"""
**왜 맞을까요?** `x - h`에서 `x + h`까지의 거리는 `2 * h`이고, 파이썬에서는 괄호가 필요합니다. `/ 2 * h`라고 쓰면 2로 나눈 다음 `h`를
곱합니다. 곡선은 `x`의 양쪽에서 똑같이 휘므로 첫째 오차가 상쇄되고, 남은 오차는 `h`²을 따라 줄어듭니다.

**다른 방법.** 한쪽씩 구한 두 차분몫의 평균도 같은 수입니다.

```
here = f(x)
return ((f(x + h) - here) / h + (here - f(x - h)) / h) / 2
```

하지만 `f`를 세 번 계산하고, 그렇게 구한 `here`는 다시 상쇄됩니다.
"""

# %% [markdown] task="autograd_slope" lang="en"
r"""
**Why it works.** A new tensor on each call begins without a `.grad`, so nothing of an earlier call is added to it. `float(x)` and
`float64` make it trackable for an `int` too, and `.item()` leaves the graph behind.

**A detour.** `torch.tensor(x, requires_grad=True)` is the natural first try. It raises an error when `x` is an `int`, and for a
`float` it makes a `float32` tensor: the slope is then right to 7 digits, not 15.
"""

# %% [markdown] task="autograd_slope" lang="ko" en="c0185f66"
r"""
**왜 맞을까요?** 부를 때마다 새로 만든 텐서에는 아직 `.grad`가 없으므로 앞의 호출에서 나온 값이 더해지지 않습니다. `float(x)`와
`float64` 덕분에 `int`도 추적할 수 있고, `.item()`은 그래프 없이 수만 꺼냅니다.

**흔한 실수.** 보통은 먼저 `torch.tensor(x, requires_grad=True)`라고 써 봅니다. 그런데 `x`가 `int`이면 오류가 나고, `float`이면 `float32`
텐서가 되어 기울기가 15자리가 아니라 7자리까지만 맞습니다.
"""

# %% [markdown] task="hand_derivative" lang="en"
r"""
**Why it works.** The derivative of a sum is the sum of the derivatives, and a factor in front stays: 3x² from x³, and 2 cos x
from 2 sin x. `math.cos` takes radians and works in `float64`.

**A detour.** A central quotient of `f` needs no thought and agrees to about 10 digits, so a look at the number does not show it.
Twelve digits do: with `h = 1e-5` its error is near 1e-10.
"""

# %% [markdown] task="hand_derivative" lang="ko" en="8b10634d"
r"""
**왜 맞을까요?** 합의 도함수는 도함수의 합이고, 앞에 곱해진 수는 그대로 남습니다. x³에서 3x², 2 sin x에서 2 cos x가
나옵니다. `math.cos`은 라디안을 받아 `float64`로 계산합니다.

**흔한 실수.** `f`의 중앙 차분몫을 쓰면 생각할 것이 없고 약 10자리까지 맞아서, 수만 보아서는 알아차리기 어렵습니다. 12자리까지 보면
드러납니다. `h = 1e-5`일 때 오차가 1e-10 정도입니다.
"""

# %% [markdown] task="best_step" lang="en"
r"""
**Why it works.** Round-off falls and truncation grows with `h`. Their sum is least near `h = 2 * sqrt(u * |f / f''|)`, where
`u` is half of `eps`: 0.003 in `float32` and 1.3e-7 in `float64`. The nearest powers of ten are 1e-3 (or 1e-2) and 1e-7.

**A detour.** "The square root of `eps`" is the rule most people know. It leaves out how large `f` is and how much it bends. Here that is the factor
√80 ≈ 9, and the step 1e-8 in `float64` is 6.7 times worse than 1e-7.
"""

# %% [markdown] task="best_step" lang="ko" en="ab1bb27d"
r"""
**왜 맞을까요?** `h`가 커지면 반올림 오차는 줄고 절단 오차는 늘어납니다. 둘의 합은 `h = 2 * sqrt(u * |f / f''|)` 근처에서 가장 작습니다. `u`는 `eps`의
절반입니다. `float32`에서는 0.003, `float64`에서는 1.3e-7이고, 가장 가까운 10의 거듭제곱은 1e-3(또는
1e-2)과 1e-7입니다.

**흔한 실수.** 흔히 "`eps`의 제곱근"이라고 외웁니다. 그런데 이 규칙에는 `f`가 얼마나 크고 얼마나 휘는지가 빠져 있습니다. 여기서 빠진 인수는
√80 ≈ 9이고, `float64`에서 걸음이 1e-8이면 오차는 1e-7일 때의 6.7배입니다.
"""

# %% [markdown] task="doubling_slope" lang="en"
r"""
**Why it works.** What ran is `y = 2 * ... * 2 * x`, so `y` is `slope * x` with a `slope` that doubles each round, whatever the sign of `x`.
Doubling is exact in floating point, so `slope * x` is the very `y` of the loop, and the comparison comes out the same.

**A detour.** A logarithm counts the rounds at once:

```
return 2.0 ** max(0, math.ceil(math.log2(limit / abs(x))))
```

It fails for a limit that is 0 or negative, and it is rounded: for a limit just beyond 2^40 and `x = 1` it says 40 rounds, and the loop makes 41.
"""

# %% [markdown] task="doubling_slope" lang="ko" en="ba46ff25"
r"""
**왜 맞을까요?** 실행된 계산은 `y = 2 * ... * 2 * x`입니다. 그러므로 `x`의 부호와 상관없이 `y`는 `slope * x`이고, `slope`는 돌 때마다 두 배가
됩니다. 부동소수점에서 두 배는 오차 없이 계산되므로 `slope * x`는 반복문의 `y`와 똑같고, 비교 결과도 같습니다.

**다른 방법.** 로그를 쓰면 횟수를 한 번에 셀 수 있습니다.

```
return 2.0 ** max(0, math.ceil(math.log2(limit / abs(x))))
```

하지만 limit이 0이거나 음수이면 오류가 나고, 로그는 반올림됩니다. `x = 1`이고 limit이 2^40을 살짝 넘으면 로그로는 40번인데 반복문은 41번 돕니다.
"""
