# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Squares

A small course for submissions that do not mean well: two times $x$, three times over.
"""

# %% [markdown] lang="ko" en="980faa26"
r"""
# 제곱

속이거나 망가뜨리려는 제출물을 시험하는 작은 수업: $x$의 두 배를 세 가지로 구합니다.
"""

# %%
import numpy as np
import torch

from secant import language

language("en")

# %% [markdown] lang="en"
r"""
## Task 1: `grad_square`

The gradient of the sum of squares of `x`, a float32 tensor, as a tensor.
"""

# %% [markdown] lang="ko" en="649443d7"
r"""
## 과제 1: `grad_square`

float32 텐서 `x`의 제곱합의 gradient를 텐서로 돌려주세요.
"""


# %% nbgrader={"grade_id": "grad_square", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def grad_square(x):
    """Return the gradient of (x**2).sum() at the tensor x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_grad_square", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import numpy as np
import torch

from secant import check

_got = grad_square(torch.tensor([1.0, 2.0, 3.0]))
check.close(_got, torch.tensor([2.0, 4.0, 6.0]), "grad_square(tensor([1, 2, 3]))")
assert torch.allclose(_got, torch.tensor([2.0, 4.0, 6.0]))
check.visible_passed()
### BEGIN HIDDEN TESTS
_canary = "CANARY-hidden-test-5e1f"
for _ in range(3):
    _x = torch.tensor(check.draws(4, 1.0, 9.0))
    _want = 2 * _x  # CANARY-hidden-comment-77aa
    _got = grad_square(_x.clone())
    torch.testing.assert_close(_got, _want)
    assert torch.equal(_got, _want), _canary
    assert np.allclose(_got.numpy(), _want.numpy()), _canary
    check.close(_got, _want, f"grad_square({_x})")
_secret = 31337.0625
check.close(grad_square(torch.tensor([_secret]))[0].item(), 2 * _secret, "grad_square(...)")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 2: `slope_at`

The slope of $x^2$ at the number `x`, as a float.
"""

# %% [markdown] lang="ko" en="cc09a807"
r"""
## 과제 2: `slope_at`

수 `x`에서 $x^2$의 기울기를 float으로 돌려주세요.
"""


# %% nbgrader={"grade_id": "slope_at", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def slope_at(x):
    """Return the slope of x**2 at the number x, a float."""
    ### BEGIN SOLUTION
    return 2.0 * x
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_slope_at", "solution": false, "grade": true, "locked": true, "points": 3, "schema_version": 3, "task": false, "cell_type": "code"}
from secant import check

_got = slope_at(3.0)
assert type(_got) is float
assert isinstance(_got, float)
assert abs(_got - 6.0) < 1e-9
check.visible_passed()
### BEGIN HIDDEN TESTS
_canary = "CANARY-hidden-test-5e1f"
for _x in [*check.draws(5, 1.0, 9.0), 31337.0625]:
    _got = slope_at(_x)
    assert all([isinstance(_got, float), abs(_got - 2 * _x) < 1e-9]), _canary
    check.close(slope_at(_x), 2 * _x, f"slope_at({_x})")
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 3: `doubled`

Twice the float32 tensor `x`, and the sum of that as a float, in a tuple. Leave `x` alone.
"""

# %% [markdown] lang="ko" en="21105c68"
r"""
## 과제 3: `doubled`

float32 텐서 `x`의 두 배와 그 합(float)을 튜플로 돌려주세요. `x`는 그대로 두세요.
"""


# %% nbgrader={"grade_id": "doubled", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def doubled(x):
    """Return (2 * x, the sum of 2 * x as a float)."""
    ### BEGIN SOLUTION
    return 2 * x, (2 * x).sum().item()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_doubled", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, probe, watch


@probe
def _run(values):
    x = torch.tensor(values)
    with watch(x=x) as seen:
        result = doubled(x)
    return result, seen.changes


_result, _changes = _run([1.0, 2.5])
check.close(_result, (torch.tensor([2.0, 5.0]), 7.0), "doubled(tensor([1.0, 2.5]))")
check.visible_passed()
### BEGIN HIDDEN TESTS
_canary = "CANARY-hidden-test-5e1f"
for _n in (1, 3, 5):
    _values = check.draws(_n, 1.0, 9.0)
    _x = torch.tensor(_values)
    _result, _changes = _run(_values)
    check.untouched(_changes, f"doubled({_values})")
    check.close(_result, (2 * _x, (2 * _x).sum().item()), f"doubled({_values})", rtol=1e-5)
### END HIDDEN TESTS
