# Explanations of the course's own answers to lesson 1: why each is right, and a common detour.
# `autograder check 1 --solution TASK` shows one.

# %% [markdown] task="forward_difference" lang="en"
r"""
**Why it works.** `x + h` is rounded to a number that the dtype can store, so the second point is a little off from where you
wanted it. `there - x` says how far from `x` each element really is, and subtracting two neighbouring numbers is exact. Only the
rounding in `f` itself remains.

**A detour.** Dividing by `h` looks the same, and in `float64` it nearly is. In `float32` near `x = 5` with `h = 1e-6` it
makes every slope nearly 5% too small, even that of a straight line.
"""

# %% [markdown] task="forward_difference" lang="ko" en="fbdb92ca"
r"""
**왜 맞을까요?** `x + h`는 dtype이 저장할 수 있는 수로 반올림되므로, 둘째 점은 가려던 곳에서 조금 어긋납니다. `there - x`는 원소마다
실제로 얼마나 움직였는지 알려 주고, 가까운 두 수의 뺄셈이라 오차가 없습니다. 그러면 `f` 자체의 반올림 오차만 남습니다.

**흔한 실수.** `h`로 나누어도 같아 보이고, `float64`에서는 거의 같습니다. 하지만 `float32`에서는 `x = 5` 근처, `h = 1e-6`일 때 모든
기울기가 5% 가까이 작아집니다. 직선도 마찬가지입니다.
"""

# %% [markdown] task="central_difference" lang="en"
r"""
**Why it works.** The distance from `x - h` to `x + h` is `2 * h`. Python needs the parentheses: `/ 2 * h` would divide by 2 and multiply by `h`.
The curve bends in the same way on both sides of `x`, so the largest part of the error cancels, and the rest shrinks with `h`².

**A detour.** The mean of the two one-sided quotients is the same number,

```
here = f(x)
return ((f(x + h) - here) / h + (here - f(x - h)) / h) / 2
```

but it evaluates `f` three times, and `here` cancels out anyway.
"""

# %% [markdown] task="central_difference" lang="ko" en="c3503f8b"
r"""
**왜 맞을까요?** `x - h`에서 `x + h`까지의 거리는 `2 * h`이고, 파이썬에서는 괄호가 필요합니다. `/ 2 * h`라고 쓰면 2로 나눈 다음 `h`를
곱합니다. 곡선은 `x`의 양쪽에서 똑같이 휘므로 가장 큰 오차가 상쇄되고, 남은 오차는 `h`²에 비례해 줄어듭니다.

**다른 방법.** 한쪽씩 구한 두 차분몫의 평균도 같은 수입니다.

```
here = f(x)
return ((f(x + h) - here) / h + (here - f(x - h)) / h) / 2
```

하지만 `f`를 세 번 계산하고, 그렇게 구한 `here`는 다시 상쇄됩니다.
"""

# %% [markdown] task="autograd_slope" lang="en"
r"""
**Why it works.** Each call makes a new tensor, which has no `.grad` yet, so nothing from an earlier call is added in. `float(x)` and
`float64` make it trackable for an `int` too, and `.item()` takes the plain number out of the tensor.

**A detour.** `torch.tensor(x, requires_grad=True)` is the natural first try. It raises an error when `x` is an `int`. For a
`float` it makes a `float32` tensor, and the slope is right to 7 digits instead of 15.
"""

# %% [markdown] task="autograd_slope" lang="ko" en="8a70ddeb"
r"""
**왜 맞을까요?** 호출될 때마다 새로 만든 텐서에는 아직 `.grad`가 없으므로 앞의 호출에서 나온 값이 더해지지 않습니다. `float(x)`와
`float64` 덕분에 `int`도 추적할 수 있고, `.item()`은 텐서에서 수만 꺼냅니다.

**흔한 실수.** 보통은 먼저 `torch.tensor(x, requires_grad=True)`라고 써 봅니다. 그런데 `x`가 `int`이면 오류가 나고, `float`이면 `float32`
텐서가 되어 기울기가 유효 숫자 15자리가 아니라 7자리까지만 맞습니다.
"""

# %% [markdown] task="hand_derivative" lang="en"
r"""
**Why it works.** The derivative of a sum is the sum of the derivatives, and a factor in front stays: 3x² from x³, and 2 cos x
from 2 sin x. `math.cos` takes radians and works in `float64`.

**A detour.** A central quotient of `f` takes no thought and agrees to about 10 digits, so you cannot see the difference at a glance.
Twelve digits reveal it: with `h = 1e-5` its error is near 1e-10.
"""

# %% [markdown] task="hand_derivative" lang="ko" en="f44f560a"
r"""
**왜 맞을까요?** 합의 도함수는 도함수의 합이고, 앞에 곱해진 수는 그대로 남습니다. x³에서 3x², 2 sin x에서 2 cos x가
나옵니다. `math.cos`은 라디안을 받아 `float64`로 계산합니다.

**흔한 실수.** `f`의 중앙 차분몫을 쓰면 생각할 것이 없고 유효 숫자 약 10자리까지 맞아서, 수만 보아서는 알아차리기 어렵습니다. 12자리까지 보면
드러납니다. `h = 1e-5`일 때 오차가 1e-10 정도입니다.
"""

# %% [markdown] task="best_step" lang="en"
r"""
**Why it works.** As `h` grows, round-off falls and truncation rises. Their sum is least near `h = 2 * sqrt(u * |f / f''|)`, where
`u` is half of `eps`: 0.003 in `float32` and 1.3e-7 in `float64`. The nearest powers of ten are 1e-3 (or 1e-2) and 1e-7.

**A detour.** "The square root of `eps`" is the rule most people know. It leaves out how large `f` is and how much it bends. Here that is a factor
of √80 ≈ 9, and with a step of 1e-8 the error in `float64` is 6.7 times that of 1e-7.
"""

# %% [markdown] task="best_step" lang="ko" en="4a0af0e8"
r"""
**왜 맞을까요?** `h`가 커지면 반올림 오차는 줄고 절단 오차는 늘어납니다. 둘의 합은 `h = 2 * sqrt(u * |f / f''|)` 근처에서 가장 작습니다. `u`는 `eps`의
절반입니다. `float32`에서는 0.003, `float64`에서는 1.3e-7이고, 가장 가까운 10의 거듭제곱은 1e-3(또는
1e-2)과 1e-7입니다.

**흔한 실수.** 흔히 "`eps`의 제곱근"이라고 외웁니다. 그런데 이 규칙에는 `f`가 얼마나 크고 얼마나 휘는지가 빠져 있습니다. 여기서는 √80 ≈ 9배의
차이가 나고, `float64`에서 간격이 1e-8이면 오차는 1e-7일 때의 6.7배입니다.
"""

# %% [markdown] task="doubling_slope" lang="en"
r"""
**Why it works.** What ran is `y = 2 * ... * 2 * x`. So `y` is `slope * x`, whatever the sign of `x`, and `slope` doubles each round.
Doubling is exact in floating point, so `slope * x` is exactly the `y` of the loop, and the comparison has the same outcome.

**A detour.** A logarithm counts the rounds at once:

```
return 2.0 ** max(0, math.ceil(math.log2(limit / abs(x))))
```

It fails for a limit that is 0 or negative, and it is rounded: for `x = 1` and a limit just beyond 2^40 it gives 40 rounds, but the loop makes 41.
"""

# %% [markdown] task="doubling_slope" lang="ko" en="21e564bb"
r"""
**왜 맞을까요?** 실행된 계산은 `y = 2 * ... * 2 * x`입니다. 그러므로 `x`의 부호와 상관없이 `y`는 `slope * x`이고, `slope`는 돌 때마다 두 배가
됩니다. 부동소수점에서 두 배는 오차 없이 계산되므로 `slope * x`는 반복문의 `y`와 똑같고, 비교 결과도 같습니다.

**다른 방법.** 로그를 쓰면 횟수를 한 번에 셀 수 있습니다.

```
return 2.0 ** max(0, math.ceil(math.log2(limit / abs(x))))
```

하지만 limit이 0이거나 음수이면 오류가 나고, 로그는 반올림됩니다. `x = 1`이고 limit이 2^40을 살짝 넘으면 로그로는 40번인데 반복문은 41번 돕니다.
"""
