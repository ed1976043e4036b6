# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
r"""
# Inside backward: saved tensors, in-place edits, hooks

Lesson 07 of 10 · ~90 min · saved tensors, in-place, hook
"""

# %% [markdown] lang="ko" en="74a090b9"
r"""
# backward

수업 07 / 10 · 약 90분 · 저장된 텐서, 제자리 연산, hook
"""

# %%
import torch

from secant import language

language("en")

# %% [markdown] lang="en"
r"""
# Tasks

Six functions, 12 points. The test cells work as in lesson 1: they hold the **visible tests**; **hidden tests** are added when your work is graded.
After the pass, or when you are stuck, `autograder check 7 --solution saved_shapes` in a terminal shows the worked solution of a task.

**The rules of every task**, as in lesson 1: unless a task says otherwise, your function leaves what belongs to its caller as it found it: the arguments with
their values, `.grad`, `requires_grad` and hooks, and every setting of the whole process (gradient mode, anomaly mode, default dtype, random state, warning filters and
the like). It keeps the dtype, `float32` or `float64`, gives the same answer when called twice, and returns what its text says.
Where a task asks for a hook or for a change in place, it says so.
"""

# %% [markdown] lang="ko" en="5e35106e"
r"""
# 과제

함수 여섯 개, 모두 12점입니다. 테스트 셀은 수업 01과 같습니다. 셀에는 **보이는 테스트**가 있고, 채점할 때 **숨은 테스트**가 더해집니다.
통과한 뒤나 막혔을 때 터미널에 `autograder check 7 --solution saved_shapes`라고 입력하면 그 과제의 모범 풀이를 볼 수 있습니다.

**모든 과제에 적용되는 규칙**도 수업 01과 같습니다. 과제에 다른 말이 없으면 함수는 호출한 쪽의 것을 그대로 둡니다. 인자와 그 값, `.grad`,
`requires_grad`, hook, 그리고 프로세스 전체의 설정(gradient 모드, 이상 탐지 모드, 기본 dtype, 난수 상태, 경고 필터 등)입니다. dtype(`float32` 또는
`float64`)을 유지하고, 두 번 불러도 같은 답을 내며, 과제가 말한 것을 돌려줍니다. hook을 걸거나 제자리에서 바꾸어야 할 때는 과제에 그렇게 적혀 있습니다.
"""

# %% [markdown] lang="en"
r"""
## Task 7.1 · `breaks_backward`

●●○○○ · ★★★★★ · 4 min · 2 points

Each of these five programs continues with `y.add_(1)` and then `y.sum().backward()`. Here `x` is a tracked leaf of positive numbers. For which of them does `backward()` **raise an error**?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- Return a dict with exactly the keys `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`. The values are bools: `True` if it raises, `False` if it works.
- Reason it out, or let your function try it on tensors of its own: both are fine.

<details><summary>Hint 1: the idea</summary>

Write down the slope of each operation. Is it shortest in terms of the input $x$, of the output $y$, or of neither?

</details>

<details><summary>Hint 2: nearly the code</summary>

Section 1 lists what each node saved. `y.add_(1)` moves only the version of `y`. Or try it: `y.add_(1)` and `y.sum().backward()` inside `try:` ... `except RuntimeError:`.

</details>
"""

# %% [markdown] lang="ko" en="c9096292"
r"""
## 과제 7.1 · `breaks_backward`

●●○○○ · ★★★★★ · 4분 · 2점

다음 다섯 프로그램 뒤에 `y.add_(1)`과 `y.sum().backward()`가 이어집니다. `x`는 양수로 된, 추적되는 leaf입니다. `backward()`가 **오류를 내는** 것은 어느 것인가요?

```
y = x.exp()        y = x.sin()        y = x.sqrt()        y = x.log()        y = x + 1
```

- 키가 꼭 `'x.exp()'`, `'x.sin()'`, `'x.sqrt()'`, `'x.log()'`, `'x + 1'`인 dict를 돌려주세요. 값은 bool입니다. 오류가 나면 `True`, 잘 되면 `False`입니다.
- 따져서 답해도 되고, 함수 안에서 텐서를 새로 만들어 직접 해 보아도 됩니다.

<details><summary>힌트 1: 생각의 방향</summary>

연산마다 기울기를 적어 보세요. 입력 $x$로 쓰는 것이 가장 간단한가요, 출력 $y$로 쓰는 것이 가장 간단한가요? 아니면 둘 다 필요 없나요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

노드마다 무엇을 저장했는지는 1절에 있습니다. `y.add_(1)`은 `y`의 버전만 올립니다. 아니면 `try:` ... `except RuntimeError:` 안에서 `y.add_(1)`과 `y.sum().backward()`를 직접 해 보세요.

</details>
"""


# %% nbgrader={"grade_id": "breaks_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def breaks_backward():
    """Return for each program, a str, whether backward() raises after y.add_(1), a bool."""
    ### BEGIN SOLUTION
    return {"x.exp()": True, "x.sin()": False, "x.sqrt()": True, "x.log()": False, "x + 1": False}
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_breaks_backward", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, observe, probe, say


@probe
def _calls():
    calls = observe()
    if isinstance(first := calls(breaks_backward), dict):
        first.clear()
    calls(breaks_backward)
    return calls.data()


def _breaks(program):
    x = torch.tensor(check.draws(3, 0.5, 2), requires_grad=True)
    y = formula(program, x=x)(None)
    try:
        return y.add_(1).sum().backward() is not None
    except RuntimeError:
        return True


_keys, _call = ["x + 1", "x.exp()", "x.log()", "x.sin()", "x.sqrt()"], "breaks_backward()"
_bool, _bools = say(en="True or False, a bool", ko="True 또는 False (bool)"), []
with check.asking(_call):
    _found = _calls()
_given = say(en="return a dict with exactly these five keys", ko="키가 꼭 이 다섯 개인 dict를 돌려주세요")
_fresh = say(en="the first dict was emptied before the second call: make a new one in each call", ko="두 번째 호출 전에 첫 dict를 비웠습니다. 호출할 때마다 새로 만드세요")
_reasons = {"x + 1": say(en="the slope is 1 whatever x and y are. The node saved no tensor, so nothing can be spoiled", ko="x와 y가 무엇이든 기울기는 1입니다. 노드가 저장한 텐서가 없으니 망가질 것도 없습니다"),
    "x.exp()": say(en="the slope is exp(x), the output itself: the node saved y, and y has been changed", ko="기울기는 exp(x), 바로 출력입니다. 노드가 y를 저장했는데 그 y가 바뀌었습니다")}
for _got, _hint in zip(_found["results"], (_given, _fresh), strict=True):
    check.equal(dict.fromkeys(_got) if isinstance(_got, dict) else _got, dict.fromkeys(_keys), say(en=f"the keys of {_call}", ko=f"{_call}의 키"), hint=_hint)
    for _key in _keys:
        check.that(type(_got[_key]) is bool, f"{_call}[{_key!r}]: {_got[_key]!r}\n  {_bool}")
    for _key, _reason in _reasons.items():
        check.equal(_got[_key], _breaks(_key), f"{_call}[{_key!r}]", hint=_reason)
    _few = say(en="some of these in-place edits break backward(), some do not: what did each node save?", ko="제자리 연산이 backward()를 망가뜨리는 것도 있고 아닌 것도 있습니다. 노드마다 무엇을 저장했나요?")
    check.that(sum(_got.values()) == sum(map(_breaks, _keys)), f"{_call}: {_got}\n  {_few}")
check.untouched(_found["changes"], _call)
check.visible_passed()
### BEGIN HIDDEN TESTS
_reasons |= {
    "x.sin()": say(
        en="the slope is cos(x): the node saved the input x, and y.add_(1) leaves x alone",
        ko="기울기는 cos(x)입니다. 노드가 저장한 것은 입력 x이고, y.add_(1)은 x를 건드리지 않습니다",
    ),
    "x.sqrt()": say(
        en="the slope is 1 / (2y): the node saved the output y, and y has been changed",
        ko="기울기는 1 / (2y)입니다. 노드가 출력 y를 저장했는데 그 y가 바뀌었습니다",
    ),
    "x.log()": say(
        en="the slope is 1 / x: the node saved the input x, and y.add_(1) leaves x alone",
        ko="기울기는 1 / x입니다. 노드가 저장한 것은 입력 x이고, y.add_(1)은 x를 건드리지 않습니다",
    ),
}
for _got, _then in zip(_found["kept"][1:] + _found["results"], ("", "", say(en=", the second time", ko=", 두 번째")), strict=True):
    for _key, _reason in _reasons.items():
        check.equal(_got[_key], _breaks(_key), f"{_call}{_then}[{_key!r}]", hint=_reason)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.2 · `saved_shapes`

●●●○○ · ★★★★☆ · 6 min · 2 points

Return the shapes of all tensors that the graph of `f(x)` saves for `backward()`, as a list of tuples, **in any order**.

- `x` is a tracked leaf of any shape, perhaps empty, perhaps with a `.grad`, which must survive. `f` takes it to a tensor of any shape; it may use other tensors, tracked or not, and its whole result
  depends on everything that it computes.
- Every tensor that a node saves counts, also if two nodes, or one node twice, save the same one. Numbers such as the exponent of `x**2` are not tensors and do not count.
- Call `f` once, and do not call `backward()`.

<details><summary>Hint 1: the idea</summary>

In section 5 a `pack` function met each tensor at the moment when it was saved.

</details>

<details><summary>Hint 2: nearly the code</summary>

Let `pack(t)` append `tuple(t.shape)` to a list and return `t`; `unpack` returns what it gets. Call `f(x)` inside `with torch.autograd.graph.saved_tensors_hooks(pack, unpack):`.

</details>
"""

# %% [markdown] lang="ko" en="be34927c"
r"""
## 과제 7.2 · `saved_shapes`

●●●○○ · ★★★★☆ · 6분 · 2점

`f(x)`의 그래프가 `backward()`를 위해 저장하는 모든 텐서의 shape를 튜플의 리스트로 돌려주세요. **순서는 상관없습니다**.

- `x`는 추적되는 leaf입니다. shape는 무엇이든 되고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다. `f`의 결과는 shape가 무엇이든 될 수 있는 텐서입니다. `f`는 다른 텐서도
  쓸 수 있고(추적되는 것이든 아니든), 계산한 것은 모두 결과에 쓰입니다.
- 노드가 저장하는 텐서는 빠짐없이 셉니다. 두 노드가, 또는 한 노드가 두 번 같은 텐서를 저장해도 각각 셉니다. `x**2`의 지수처럼 텐서가 아닌 수는 세지 않습니다.
- `f`는 한 번만 부르고, `backward()`는 부르지 마세요.

<details><summary>힌트 1: 생각의 방향</summary>

5절의 `pack` 함수는 텐서가 저장되는 바로 그 순간에 그 텐서를 받았습니다.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`pack(t)`에서는 `tuple(t.shape)`를 리스트에 넣고 `t`를 돌려줍니다. `unpack`은 받은 것을 그대로 돌려줍니다. `with torch.autograd.graph.saved_tensors_hooks(pack, unpack):` 안에서 `f(x)`를 부르세요.

</details>
"""


# %% nbgrader={"grade_id": "saved_shapes", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def saved_shapes(f, x):
    """Return the shapes of the tensors that f(x) saves for backward(), a list of tuples in any order.

    f: a function from a tensor to a tensor; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    shapes = []

    def pack(t):
        shapes.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        f(x)
    return shapes
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_saved_shapes", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _look(program, x, dtype, held):
    runs, kind = [], getattr(torch, dtype)
    f = formula(program, W=graphs.leaf([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], kind, grad=7.0), c=torch.tensor([[2.0, -3.0]], dtype=kind))
    x = graphs.leaf(x, kind, grad=held)
    calls = observe(x=x)
    calls(saved_shapes, lambda t: [runs.append(1), f(t)][1], x)
    return {**calls.data(), "runs": len(runs)}


def _sorted(shapes):
    listed = isinstance(shapes, list) and all(isinstance(shape, tuple) for shape in shapes)
    return sorted(shapes) if listed else shapes


_inputs = say(en="that is the shape of x: some operations save their output or something on the way, or nothing", ko="x의 shape입니다. 출력이나 중간 결과를 저장하는 연산도 있고, 아무것도 저장하지 않는 연산도 있습니다")
_outputs = say(en="that is the shape of f(x): many operations save their input, or nothing", ko="f(x)의 shape입니다. 입력을 저장하는 연산도 많고, 아무것도 저장하지 않는 연산도 있습니다")
_double = say(en="a tensor that is saved twice counts twice", ko="두 번 저장된 텐서는 두 번 셉니다")
_once = say(en="f must be called exactly once; it was called this many times", ko="f는 한 번만 불러야 합니다. 부른 횟수")
_any = say(en="which tensors does pack see? Shapes as tuples, in a list", ko="pack이 받는 텐서는 무엇인가요? shape는 튜플로, 리스트에 담으세요")


def _compare(program, x, dtype, want, held=None):
    call = f"saved_shapes(lambda t: {program}, x={x}), {dtype}"
    with check.asking(call):
        found = _look(program, x, dtype, held)
    here = tuple(torch.as_tensor(x).shape)
    out = tuple(formula(program, W=torch.ones(3, 2), c=torch.ones(1, 2))(torch.ones(here)).shape)
    mistakes = [(sorted(set(want)), _double), ([here], _inputs), ([out], _outputs)]
    check.equal(_sorted(found["results"][0]), sorted(want), call, mistakes=mistakes, hint=_any)
    check.that(found["runs"] == 1, f"{call}: {_once}: {found['runs']}")
    check.untouched(found["changes"], call)


_compare("t.exp()", [1.0, 2.0], "float32", [(2,)])
_compare("t + 1", [1.0, 2.0], "float64", [])
_compare("t * t", [1.0, 2.0], "float32", [(2,), (2,)], held=5.0)
_compare("t.exp().sum() + t.sum().sin()", [[1.0, 2.0]], "float64", [(), (1, 2)])
check.visible_passed()
### BEGIN HIDDEN TESTS
@probe
def _twice(programs, x):
    x = graphs.leaf(x, torch.float64)
    calls = observe(x=x)
    for program in programs:
        calls(saved_shapes, formula(program), x)
    return calls.data()


@probe
def _afterwards(x):
    x = graphs.leaf(x, torch.float64)
    made = []
    saved_shapes(lambda t: [made.append(t.sin() * t), made[-1]][1], x)
    made[-1].sum().backward()
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [saved.append(1), t][1], lambda t: t):
        x.exp()
    return x.grad, len(saved)


for _dtype in ("float32", "float64"):
    _column = [[check.draw(1, 3)] for _ in range(2)]
    _row = check.draws(3, 1, 3)
    for _program, _x, _want in [
        ("t.sin()", _row, [(3,)]),
        ("t.exp()", check.draw(-1, 1), [()]),
        ("t.relu()", [_row, _row], [(2, 3)]),
        ("-t", _row, []),
        ("t.sum()", _row, []),
        ("t.reshape(-1) + t.sum()", [_row], []),
        ("t**2", _row, [(3,)]),
        ("t.sqrt().log()", _row, [(3,), (3,)]),
        ("(t * t).sum().exp()", [_row], [(1, 3), (1, 3), ()]),
        ("W @ t", _column, [(2, 1), (3, 2)]),
        ("c @ t", _column, [(1, 2)]),
        ("(W @ t).tanh()", _column, [(2, 1), (3, 1), (3, 2)]),
        ("c * t", _column, [(1, 2)]),
        ("(t + c).sin()", _column, [(2, 2)]),
        ("t.detach().exp() + t", _row, []),
        ("t.detach().exp() * t", _row, [(3,)]),
        ("(t[0] * t[1]) * t[2]", _row, [(), (), (), ()]),
        ("t.exp()", [], [(0,)]),
        ("t", _row, []),
    ]:
        check.smallest(_compare, _program, _x, _dtype, _want, 5.0)
_compare("t.exp()", torch.empty(0, 3), "float64", [(0, 3)])
_call = say(en="saved_shapes(f, x) with f = exp, then f(t) = t.exp() * t, then f(t) = t + 1, at the same x", ko="같은 x에서 saved_shapes(f, x)를 f = exp, f(t) = t.exp() * t, f(t) = t + 1로")
with check.asking(_call):
    _found = _twice(["t.exp()", "t.exp() * t", "t + 1"], check.draws(3, 1, 2))
check.equal(_found["results"], [[(3,)], [(3,)] * 3, []], _call, hint=check.stale())
check.not_overwritten(
    _found["kept"][0],
    _found["results"][0],
    _call,
    hint=say(en="a later call changed the first list: make a new list in every call", ko="뒤의 호출이 첫 리스트를 바꾸었습니다. 호출할 때마다 리스트를 새로 만드세요"),
)
check.untouched(_found["changes"], _call)
_x = check.draws(2, 0.5, 1.5)
_call = say(en="backward() through f(x) after saved_shapes(f, x)", ko="saved_shapes(f, x) 뒤에 f(x)에서 부른 backward()")
with check.asking(_call):
    _slope, _hooked = _afterwards(_x)
_here = torch.tensor(_x, dtype=torch.float64)
check.close(_slope, _here.cos() * _here + _here.sin(), _call, hint=say(en="the graph must stay usable: pack has to return the tensor", ko="그래프는 계속 쓸 수 있어야 합니다. pack이 텐서를 돌려주어야 합니다"))
check.that(_hooked == 1, say(en="after saved_shapes the hooks for saved tensors are still in force: use `with`", ko="saved_shapes가 끝난 뒤에도 저장된 텐서의 hook이 걸려 있습니다. `with`를 쓰세요"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.3 · `checkpoint_chain`

●●●●○ · ★★★★☆ · 9 min · 2 points

Return the result of all functions of `fs`, applied to `x` one after the other (`fs[0]` first), **each in a checkpoint of its own**.

- Value and gradients equal those of the plain chain. `backward()` and `torch.autograd.grad` both work on the result, and gradients reach `x` as well as every tracked weight that a function uses, also when `x` is not tracked.
- Each function runs **once** during the call and **once more** during `backward()`: the last one first, each shortly before the walk passes through it. In the tests every function saves something for `backward()`.
- A function may draw random numbers, as dropout does. The second time it must draw the same ones.
- `fs` is a list, perhaps empty (then return `x`); the same function may stand in it twice. Each takes and returns one tensor and changes nothing in place.

<details><summary>Hint 1: the idea</summary>

Section 5: `checkpoint(f, x, use_reentrant=False)` keeps the input of `f` and nothing else. What is the input of the next function?

</details>

<details><summary>Hint 2: nearly the code</summary>

`from torch.utils.checkpoint import checkpoint`, then a loop over `fs` with `x = checkpoint(f, x, use_reentrant=False)`. Hand over `f` itself: a `lambda` made in a loop looks its names up when it runs, and by then `f` is the last function.

</details>
"""

# %% [markdown] lang="ko" en="73e8d2af"
r"""
## 과제 7.3 · `checkpoint_chain`

●●●●○ · ★★★★☆ · 9분 · 2점

`fs`의 함수를 `x`에 차례로 모두 적용한 결과를 돌려주세요(`fs[0]`부터). 단, **함수마다 체크포인트를 따로** 두세요.

- 값과 gradient는 함수를 그냥 이어 부른 것과 같아야 합니다. 결과에 `backward()`와 `torch.autograd.grad`를 모두 쓸 수 있어야 합니다. gradient는 `x`뿐 아니라 함수가 쓰는 추적되는 가중치에도 모두 도달해야 하고, `x`가 추적되지 않을 때도 그래야 합니다.
- 함수는 호출하는 동안 **한 번**, `backward()`를 하는 동안 **한 번 더** 실행됩니다. 마지막 함수부터, gradient가 그 함수를 지나가기 바로 전에 실행됩니다. 테스트의 함수는 모두 `backward()`를 위해 무언가를 저장합니다.
- 드롭아웃(dropout)처럼 난수를 뽑는 함수도 있습니다. 두 번째로 실행될 때도 같은 난수를 뽑아야 합니다.
- `fs`는 리스트이고 비어 있을 수도 있습니다(그때는 `x`를 돌려주세요). 같은 함수가 두 번 들어 있을 수도 있습니다. 함수는 텐서 하나를 받아 텐서 하나를 돌려주고, 제자리에서 바꾸는 것은 없습니다.

<details><summary>힌트 1: 생각의 방향</summary>

5절의 `checkpoint(f, x, use_reentrant=False)`는 `f`의 입력만 남깁니다. 다음 함수의 입력은 무엇인가요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

`from torch.utils.checkpoint import checkpoint`를 쓰고, `fs`를 도는 반복문에서 `x = checkpoint(f, x, use_reentrant=False)`라고 합니다. `f`를 그대로 넘기세요. 반복문 안에서 만든 `lambda`는 실행될 때에야 이름을 찾는데, 그때 `f`는 이미 마지막 함수입니다.

</details>
"""


# %% nbgrader={"grade_id": "checkpoint_chain", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def checkpoint_chain(fs, x):
    """Return fs[-1](... fs[0](x)), each function in a checkpoint of its own.

    fs: a list of functions from a tensor to a tensor; x: a tensor.
    """
    ### BEGIN SOLUTION
    from torch.utils.checkpoint import checkpoint

    for f in fs:
        x = checkpoint(f, x, use_reentrant=False)
    return x
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_checkpoint_chain", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _run(programs, x, dtype, w, tracked, by_grad):
    runs, kind = [], getattr(torch, dtype)
    weights = [graphs.leaf(one, kind) for one in w]

    def counted(place, f):
        return lambda t: [runs.append(place), f(t)][1]

    known = {p: counted(programs.index(p), formula(p, w=weights)) for p in programs}
    fs, x = [known[p] for p in programs], graphs.leaf(x, kind).requires_grad_(tracked)
    calls = observe(x=x, **{f"w[{k}]": weight for k, weight in enumerate(weights)})
    y = calls(checkpoint_chain, fs, x)
    found = {**calls.data(), "forward": list(runs), "left": len(fs)}
    if not isinstance(y, torch.Tensor) or not y.requires_grad:
        return found
    inputs = [x, *weights] if tracked else weights
    try:
        if not by_grad:
            y.sum().backward()
        grads = torch.autograd.grad(y.sum(), inputs, allow_unused=True) if by_grad else [t.grad for t in inputs]
    except RuntimeError as error:
        return {**found, "error": str(error).partition(".\n")[0]}
    return {**found, "grads": [None if g is None else g.clone() for g in grads], "then": runs[len(found["forward"]) :]}


def _plain(programs, x, dtype, w, tracked):
    kind = getattr(torch, dtype)
    weights, x = [graphs.leaf(one, kind) for one in w], graphs.leaf(x, kind).requires_grad_(tracked)
    y = x
    for program in programs:
        y = formula(program, w=weights)(y)
    return y.detach(), list(torch.autograd.grad(y.sum(), [t for t in (x, *weights) if t.requires_grad]))


_said = {"runs": say(en="each function must run once during the call, in the order of the list; it was", ko="호출하는 동안 함수는 리스트의 순서대로 한 번씩 실행되어야 합니다. 실제로는"),
    "then": say(en="and once more during backward(), the last one first: a checkpoint for each. It was", ko="backward()를 하는 동안에는 마지막 함수부터 한 번씩 더 실행되어야 합니다. 체크포인트를 함수마다 두세요. 실제로는"),
    "graph": say(en="the result must be tracked: gradients have to reach x and the weights, also if x itself is not tracked", ko="결과가 추적되어야 합니다. x가 추적되지 않더라도 gradient가 x와 가중치에 도달해야 합니다"),
    "left": say(en="the list fs was changed", ko="리스트 fs가 바뀌었습니다"), "reverse": say(en="begin with fs[0]: that is the chain from the other end", ko="fs[0]부터 적용하세요. 반대쪽 끝에서 시작한 값입니다"),
    "error": say(en="backward() stopped. Did the second run call another function? A lambda made in a loop finds the last f. The error", ko="backward()가 멈췄습니다. 두 번째 실행에서 다른 함수를 부르지 않았나요? 반복문에서 만든 lambda는 마지막 f를 찾습니다. 오류"),
    "none": say(en="no gradient has reached x or a weight", ko="x나 가중치에 gradient가 도달하지 않았습니다"), "grads": say(en=": the gradients of x and the weights", ko=": x와 가중치의 gradient")}


def _compare(programs, x, dtype, w=(), tracked=True, by_grad=False):
    call = f"checkpoint_chain([{', '.join(programs)}], x={x}), {dtype}" + (f", w={list(w)}" if w else "")
    call += "" if tracked else say(en=", x not tracked", ko=", x는 추적되지 않음")
    with check.asking(call):
        found = _run(programs, x, dtype, w, tracked, by_grad)
    value, grads = _plain(programs, x, dtype, w, tracked)
    check.close(found["results"][0], value, call, mistakes=[(_plain(programs[::-1], x, dtype, w, tracked)[0], _said["reverse"])] if "@" not in call else [])
    check.that("error" not in found, f"{call}: {_said['error']}: {found.get('error')}")
    check.that("grads" in found, f"{call}: {_said['graph']}")
    order = [programs.index(program) for program in programs]
    check.that(found["forward"] == order, f"{call}: {_said['runs']} {found['forward']}")
    check.that(not any(grad is None for grad in found["grads"]), f"{call}: {_said['none']}")
    check.that(found["then"] == order[::-1], f"{call}: {_said['then']} {found['then']}")
    check.close(found["grads"], grads, call + _said["grads"])
    check.that(found["left"] == len(programs), f"{call}: {_said['left']}")
    check.untouched(found["changes"], call)


_compare(["t.sin() * t", "t.exp()"], [0.3, -1.0], "float64")
_compare(["t**2 * w[0]", "t.tanh()"], 0.5, "float32", (2.0,), tracked=False)
check.visible_passed()
### BEGIN HIDDEN TESTS
@probe
def _random(x):
    x = graphs.leaf(x, torch.float64)
    before = torch.get_rng_state()
    y = checkpoint_chain([lambda t: t**2 * torch.rand_like(t), lambda t: t.exp() * torch.rand_like(t)], x)
    after = torch.get_rng_state()
    y.sum().backward()
    kept = bool((after == torch.get_rng_state()).all())
    torch.set_rng_state(before)
    first, second = torch.rand_like(x), torch.rand_like(x)
    drawn = bool((torch.get_rng_state() == after).all())
    torch.set_rng_state(after)
    return y.detach(), x.grad, first.detach(), second.detach(), kept, drawn


@probe
def _twice(x):
    x = graphs.leaf(x, torch.float64, grad=3.0)
    calls = observe(x=x)
    results = [calls(checkpoint_chain, fs, x) for fs in ([torch.sin, torch.exp], [torch.exp, torch.sin], [])]
    kept = calls.data()
    grads = [torch.autograd.grad(y.sum(), x)[0] for y in results[:2]]
    return {**kept, "grads": grads}


for _dtype in ("float64", "float32"):
    _rows = [check.draws(3, -1, 1), check.draws(3, -1, 1)]
    check.smallest(_compare, ["t * t", "t.sin() * t", "t.exp()", "t.tanh() * t"], check.draw(-1, 1), _dtype)
    check.smallest(_compare, ["t.sin() * t", "t.exp()", "t.sin() * t"], _rows, _dtype)
    check.smallest(_compare, ["t.exp() * w[0]", "t.tanh() * w[1]"], _rows, _dtype, (check.draw(0.5, 2), check.draw(-2, -0.5)))
    check.smallest(_compare, ["t * w[0] * t", "t.exp()"], _rows, _dtype, (check.draw(0.5, 2),), False)
    check.smallest(_compare, ["t.sin() * t", "w[0] * t.exp()"], _rows, _dtype, (check.draw(0.5, 2),), True, True)
    check.smallest(_compare, ["t.cos() * t"], check.draws(2, -1, 1), _dtype, (), True, True)
    check.smallest(_compare, ["(t @ t.T).tanh()", "t.sum(0).exp()"], _rows, _dtype)
_x = check.draws(4, 0.5, 1.5)
_call = say(en=f"checkpoint_chain of two functions that draw random numbers, x={_x}", ko=f"난수를 뽑는 함수 두 개의 checkpoint_chain, x={_x}")
with check.asking(_call):
    _value, _grad, _first, _second, _kept, _drawn = _random(_x)
_here = torch.tensor(_x, dtype=torch.float64)
_inner = _here**2 * _first
check.close(_value, _inner.exp() * _second, _call)
_same = say(en="the second run drew other random numbers than the first", ko="두 번째 실행에서 첫 번째와 다른 난수를 뽑았습니다")
check.close(_grad, _value * 2 * _here * _first, _call + say(en=": x.grad", ko=": x.grad"), hint=_same)
check.that(_drawn, say(en=f"{_call}: more random numbers were drawn than the functions draw", ko=f"{_call}: 함수가 뽑는 것보다 많은 난수를 뽑았습니다"))
check.that(_kept, say(en=f"{_call}: backward() left the random state changed", ko=f"{_call}: backward()가 난수 상태를 바꾸어 놓았습니다"))
_x = check.draws(3, -1, 1)
_call = say(en=f"checkpoint_chain([sin, exp], x), then [exp, sin], then [], at the same x={_x}", ko=f"같은 x={_x}에서 checkpoint_chain([sin, exp], x), 이어서 [exp, sin], []")
with check.asking(_call):
    _found = _twice(_x)
_here = torch.tensor(_x, dtype=torch.float64)
_values = [_here.sin().exp(), _here.exp().sin(), _here]
_slopes = [_here.sin().exp() * _here.cos(), _here.exp().cos() * _here.exp()]
check.close(_found["results"], _values, _call, hint=say(en="for an empty list return x", ko="빈 리스트이면 x를 돌려주세요"))
check.close(_found["grads"], _slopes, _call + say(en=": their gradients", ko=": gradient"), hint=check.stale())
check.untouched(_found["changes"], _call)
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.4 · `clip_hook`

●●○○○ · ★★★★★ · 6 min · 2 points

From now on, let no gradient larger than `m` pass through `t`: hang a hook on `t` that replaces the gradient $g$ by $g$ limited, number by number, to the range from $-m$ to $m$. **Return the hook's handle.**

- `t` is tracked, a leaf or an intermediate tensor, of any shape and used in one or several places. `m` is a number, 0 or greater. What is limited is the **whole** gradient that arrives at `t` in one `backward()`, the sum over all its uses.
- What lies before `t` gets the limited gradient. Nothing else may notice: not the forward values, not the gradients of other tensors, not what is in `t.grad` already.
- The hook works in every `backward()` until `handle.remove()` is called, then no longer.

<details><summary>Hint 1: the idea</summary>

In section 6 the return value of the hook took the place of the gradient. The tensor that the hook is given may be on its way to others too: make a new one.

</details>

<details><summary>Hint 2: nearly the code</summary>

`t.register_hook(...)` returns the handle. The hook takes `g` and returns `g.clamp(-m, m)`.

</details>
"""

# %% [markdown] lang="ko" en="402e4d89"
r"""
## 과제 7.4 · `clip_hook`

●●○○○ · ★★★★★ · 6분 · 2점

앞으로 `m`보다 큰 gradient가 `t`를 지나가지 못하게 하세요. 도착한 gradient $g$의 수를 하나하나 $-m$과 $m$ 사이로 제한하는 hook을 `t`에 걸고, 그 hook의 **핸들(handle)을 돌려주세요**.

- `t`는 추적되는 텐서이고 leaf일 수도, 중간 텐서일 수도 있습니다. shape는 무엇이든 되고 한 곳 또는 여러 곳에 쓰입니다. `m`은 0 이상인 수입니다. 제한하는 것은 `backward()` 한 번에 `t`에 도착하는 gradient **전체**, 곧 쓰인 곳마다 온 것의 합입니다.
- `t`의 앞쪽은 제한된 gradient를 받습니다. 그 밖에는 아무것도 달라지면 안 됩니다. 순방향의 값도, 다른 텐서의 gradient도, 이미 `t.grad`에 있던 값도 그대로여야 합니다.
- hook은 `handle.remove()`를 부를 때까지 모든 `backward()`에서 작동하고, 그 뒤에는 작동하지 않습니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절에서 hook이 돌려준 값이 gradient를 대신했습니다. hook이 받는 텐서는 다른 곳으로도 가는 중일 수 있으니 새 텐서를 만드세요.

</details>

<details><summary>힌트 2: 거의 코드</summary>

`t.register_hook(...)`이 핸들을 돌려줍니다. hook은 `g`를 받아 `g.clamp(-m, m)`을 돌려줍니다.

</details>
"""


# %% nbgrader={"grade_id": "clip_hook", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def clip_hook(t, m):
    """Limit each number of the gradient through t to the range from -m to m; return the hook's handle.

    t: a tracked tensor; m: a number, 0 or greater.
    """
    ### BEGIN SOLUTION
    return t.register_hook(lambda g: g.clamp(-m, m))
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_clip_hook", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _through(program, x, c, m, dtype, held, uses):
    kind = getattr(torch, dtype)
    x, u, c = graphs.leaf(x, kind, grad=held), graphs.leaf(x, kind), torch.tensor(c, dtype=kind)
    t = formula(program)(x)
    calls = observe(t=t, x=x)
    handle = calls(clip_hook, t, m)
    y, grads = ((t + u) * c).sum() + (t * c).sum() * (uses - 1) if uses > 1 else ((t + u) * c).sum(), []
    for turn in range(3):
        y.backward(retain_graph=True, inputs=[x, u])
        grads += [x.grad.clone(), u.grad.clone()]
        x.grad, u.grad = None, None
        if turn == 1 and hasattr(handle, "remove"):
            handle.remove()
    return {"grads": grads, "changes": calls.changes, "handle": hasattr(handle, "remove"), "kind": type(handle).__name__}


_why = {"free": say(en="the gradient is not limited: what a hook does not return is lost", ko="gradient가 제한되지 않았습니다. hook이 돌려주지 않은 값은 쓰이지 않습니다"), "norm": say(en="here the whole gradient was scaled down by its norm; limit each number by itself", ko="gradient 전체를 노름으로 줄였습니다. 수를 하나하나 따로 제한하세요"),
    "above": say(en="negative numbers must be limited too, at -m", ko="음수도 -m에서 제한해야 합니다"), "below": say(en="numbers below 0 are not to be cut off at 0", ko="음수를 0에서 자르면 안 됩니다"), "held": say(en="what was in t.grad before was limited too; limit only what arrives", ko="t.grad에 이미 있던 값까지 제한했습니다. 도착하는 것만 제한하세요")}
_names = [say(en=", first backward()", ko=", 첫 번째 backward()"), say(en=", second backward()", ko=", 두 번째 backward()"), say(en=", after handle.remove()", ko=", handle.remove() 뒤")]
_other = say(en=": the gradient of u", ko=": u의 gradient")
_spoilt = say(en="the gradient of another tensor has changed: a hook must not edit the tensor that it is given in place", ko="다른 텐서의 gradient가 바뀌었습니다. hook은 받은 텐서를 제자리에서 고치면 안 됩니다")
_stays = (say(en="the hook works only once; it must stay until remove()", ko="hook이 한 번만 작동했습니다. remove()를 부를 때까지 작동해야 합니다"), say(en="after remove() the gradient must be whole again", ko="remove() 뒤에는 gradient가 다시 온전해야 합니다"))


def _compare(program, slope, x, c, m, dtype, held=None, uses=1):
    call = f"clip_hook(t, {m}), t = {program.replace('t', 'x')}, y = ((t + u) * c{' + t * c' * (uses - 1)}).sum(), x={x}, c={c}, {dtype}" + ("" if held is None else f", x.grad = {held}")
    with check.asking(call):
        found = _through(program, x, c, m, dtype, held, uses)
    _handle = say(en="the result must be the hook's handle, which has remove(); it is", ko="remove()가 있는 hook의 핸들을 돌려주어야 합니다. 돌려준 것은")
    check.that(found["handle"], f"{call}: {_handle} {found['kind']}")
    arriving, slope = (torch.as_tensor(one, dtype=getattr(torch, dtype)) for one in (c, slope))
    alone, arriving = arriving, arriving * uses
    norm = arriving * (m / max(float(arriving.norm()), m, 1e-9))
    for turn, then in enumerate(_names):
        before, limited = held or 0.0 if not turn else 0.0, arriving if turn == 2 else arriving.clamp(-m, m)
        wrongs = [] if turn == 2 else [(arriving, "free"), (norm, "norm"), (arriving.clamp(max=m), "above"), (arriving.clamp(0, m), "below")]
        mistakes = [(wrong * slope + before, _stays[0] if turn == 1 and why == "free" else _why[why]) for wrong, why in wrongs]
        mistakes += [((arriving * slope + before).clamp(-m, m), _why["held"])] if before else []
        check.close(found["grads"][2 * turn], limited * slope + before, call + then, mistakes=mistakes, hint=_stays[1] if turn == 2 else "")
        check.close(found["grads"][2 * turn + 1], alone, call + then + _other, hint=_spoilt)
    check.untouched(found["changes"], call, but=[("hooks", "t"), *([("hooks", "x")] if program == "t" else [])])


_compare("t**3", 75.0, 5.0, 0.008, 0.004, "float32")
_compare("t", [1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [3.0, -4.0, 0.25], 1.0, "float64", held=9.0, uses=2)
check.visible_passed()
### BEGIN HIDDEN TESTS
@probe
def _many(c, m, dtype):
    kind = getattr(torch, dtype)
    leaves = [graphs.leaf(one, kind) for one in c]
    made = [leaf * 1 for leaf in leaves]
    made[0].retain_grad()
    handles = [clip_hook(t, one) for t, one in zip(made, m, strict=True)]
    y = sum((t * torch.tensor(one, dtype=kind)).sum() for t, one in zip(made, c, strict=True))
    y.backward(retain_graph=True)
    first = [leaf.grad.clone() for leaf in leaves]
    handles[0].remove()
    for leaf in leaves:
        leaf.grad = None
    y.backward()
    return first, [leaf.grad.clone() for leaf in leaves]


for _dtype in ("float64", "float32"):
    for _m in (0, 0.0, 1, check.draw(0.2, 2), check.draw(2, 4), 50.0):
        _x, _c = check.draws(4, -2, 2), check.draws(4, -3, 3)
        check.smallest(_compare, "t", [1.0] * 4, _x, _c, _m, _dtype)
        check.smallest(_compare, "t", [1.0] * 4, _x, _c, _m, _dtype, check.draw(3, 9), 2)
        check.smallest(_compare, "t * 3", [3.0] * 4, _x, _c, _m, _dtype, check.draw(3, 9), 3)
    check.smallest(_compare, "t * 3", 3.0, check.draw(-2, 2), check.draw(-3, -1), check.draw(0.2, 1), _dtype)
    check.smallest(_compare, "t", 1.0, check.draw(-2, 2), check.draw(-3, -1), check.draw(0.2, 1), _dtype, 9.0)
    _compare("t * 3", [], [], [], 1.0, _dtype)
    _c, _m = [[check.draws(2, -3, 3)], check.draw(-9, -3)], [check.draw(0.2, 1), check.draw(1, 2)]
    _call = say(en=f"clip_hook on two tensors, m={_m}, dy/dt={_c}, {_dtype}", ko=f"두 텐서에 건 clip_hook, m={_m}, dy/dt={_c}, {_dtype}")
    with check.asking(_call):
        _first, _second = _many(_c, _m, _dtype)
    _whole = [torch.tensor(one, dtype=getattr(torch, _dtype)) for one in _c]
    _cut = [one.clamp(-m, m) for one, m in zip(_whole, _m, strict=True)]
    _own = say(en="each hook has an m of its own", ko="hook마다 m이 따로 있어야 합니다")
    check.close(_first, _cut, _call, hint=_own)
    _then = say(en=", after the first handle's remove()", ko=", 첫째 핸들의 remove() 뒤")
    check.close(_second, [_whole[0], _cut[1]], _call + _then, hint=say(en="the second hook stays", ko="둘째 hook은 남아 있어야 합니다"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.5 · `step_in_backward`

●●●○○ · ★★★★☆ · 8 min · 2 points

Let `backward()` itself take the training step: afterwards, in every `backward()`, each parameter `p` moves by `-lr * p.grad` **as soon as its gradient is complete**, and its buffer is emptied at once. Only one gradient is then in memory at a time.

- `params` is a list of tracked leaves of any shape, perhaps empty. Their `.grad` is `None` when your function is called, and `lr` is a number, 0 or greater. Your function itself moves nothing and returns `None`.
- A parameter may be used several times: the step takes the **whole** gradient. One that gets no gradient stays where it is.
- Change `p` in place: the same tensor, in the same memory, still a tracked leaf. After each `backward()` its `.grad` is `None` again. It works in every `backward()`, not just in the first.
- Each call keeps its own `lr` for its own parameters.

<details><summary>Hint 1: the idea</summary>

Which of the two hooks of section 6 runs when `.grad` is full, and what is it given?

</details>

<details><summary>Hint 2: nearly the code</summary>

The hook takes `p`: inside `torch.no_grad()` it does `p -= lr * p.grad`, then `p.grad = None`. Give it to `p.register_post_accumulate_grad_hook` of each parameter.

</details>
"""

# %% [markdown] lang="ko" en="c6fe3fd2"
r"""
## 과제 7.5 · `step_in_backward`

●●●○○ · ★★★★☆ · 8분 · 2점

학습의 업데이트를 `backward()`가 직접 하게 만드세요. 그 뒤로는 `backward()`를 부를 때마다 파라미터 `p`의 gradient가 **다 모이는 즉시** `p`가 `-lr * p.grad`만큼 움직이고, 버퍼는 바로 비워집니다. 그러면 메모리에 있는 gradient는 한 번에 하나뿐입니다.

- `params`는 추적되는 leaf의 리스트입니다. shape는 무엇이든 되고 리스트는 비어 있을 수도 있습니다. 함수를 부를 때 `.grad`는 모두 `None`이고, `lr`은 0 이상인 수입니다. 여러분의 함수 자체는 아무것도 움직이지 않고 `None`을 돌려줍니다.
- 파라미터 하나가 여러 번 쓰일 수 있습니다. 업데이트에는 gradient **전체**를 씁니다. gradient가 오지 않은 파라미터는 그대로 둡니다.
- `p`는 제자리에서 바꾸세요. 같은 텐서, 같은 메모리이고 여전히 추적되는 leaf여야 합니다. `backward()`가 끝나면 `.grad`는 다시 `None`입니다. 첫 번째뿐 아니라 모든 `backward()`에서 그래야 합니다.
- 호출마다 자기 파라미터에 자기 `lr`을 씁니다.

<details><summary>힌트 1: 생각의 방향</summary>

6절의 두 hook 가운데 `.grad`가 다 찬 뒤에 실행되는 것은 어느 것이고, 무엇을 받나요?

</details>

<details><summary>힌트 2: 거의 코드</summary>

hook은 `p`를 받습니다. `torch.no_grad()` 안에서 `p -= lr * p.grad`를 하고 `p.grad = None`으로 비웁니다. 이것을 파라미터마다 `p.register_post_accumulate_grad_hook`에 넘기세요.

</details>
"""


# %% nbgrader={"grade_id": "step_in_backward", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def step_in_backward(params, lr):
    """Let every later backward() move each parameter by -lr * p.grad and empty its buffer.

    params: a list of tracked leaves; lr: the step size.
    """
    ### BEGIN SOLUTION
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    for p in params:
        p.register_post_accumulate_grad_hook(step)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_step_in_backward", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _run(loss, values, lrs, dtype, passes):
    params = [graphs.leaf(value, getattr(torch, dtype)) for value in values]
    memory, calls, given = [p.data_ptr() for p in params], observe(**{f"params[{k}]": p for k, p in enumerate(params)}), list(params)
    for place, lr in lrs.items():
        calls(step_in_backward, [given[k] for k in place], lr)
    f, seen = formula(loss), []
    for _ in range(passes):
        f(given).backward()
        seen.append([p.detach().clone() for p in params])
    state = [(params[k].is_leaf and params[k].requires_grad, params[k].data_ptr() == memory[k], params[k].grad is None) for place in lrs for k in place]
    return {**calls.data(), "seen": seen, "state": [all(kind) for kind in zip(*state, strict=True)]}


_state = [say(en="a parameter is no longer a tracked leaf", ko="추적되는 leaf가 아니게 된 파라미터가 있습니다"),
    say(en="a parameter lies in other memory now: change it in place", ko="파라미터의 메모리가 바뀌었습니다. 제자리에서 바꾸세요"),
    say(en="after backward() p.grad is not None: empty the buffer once the gradient is in it and used", ko="backward()가 끝났는데 p.grad가 None이 아닙니다. gradient가 버퍼에 들어가고 쓰인 다음에 비우세요")]
_wrongs = {"up": say(en="it moved uphill: subtract lr * p.grad", ko="반대 방향으로 움직였습니다. lr * p.grad를 빼세요"), "itself": say(en="lr * p was subtracted: this hook is given the parameter, not the gradient, which is in p.grad", ko="lr * p를 뺐습니다. 이 hook이 받는 것은 gradient가 아니라 파라미터이고, gradient는 p.grad에 있습니다"),
    "still": say(en="the parameter has not moved: does the hook run, and does it change p in place?", ko="파라미터가 움직이지 않았습니다. hook이 실행되나요? p를 제자리에서 바꾸나요?")}
_names = [say(en=f": the parameters after backward() number {k}", ko=f": backward() {k}번 뒤의 파라미터") for k in range(1, 4)]
_each = say(en="each parameter moves by its own gradient, in every backward(), with the lr of its own call", ko="파라미터마다 자기 gradient로, 모든 backward()에서, 자기 호출의 lr로 움직여야 합니다")


def _compare(loss, slopes, values, lrs, dtype, passes=2):
    call = "; ".join(f"step_in_backward([{', '.join(f'p[{k}]' for k in place)}], {lr})" for place, lr in lrs.items())
    call += f", loss = {loss.replace('t[', 'p[')}, p={values}, {dtype}"
    with check.asking(call):
        found = _run(loss, values, lrs, dtype, passes)
    for got, then in zip(found["seen"], _names, strict=False):
        old = [torch.as_tensor(value, dtype=torch.float64) for value in values]
        gradient, rates = slopes(old), [next((lr for place, lr in lrs.items() if k in place), 0.0) for k in range(len(old))]
        ways = {way: [(p - lr * move).to(getattr(torch, dtype)) for p, lr, move in zip(old, rates, moves, strict=True)]
            for way, moves in {"": gradient, "up": [-g for g in gradient], "itself": old, "still": [0 * g for g in gradient]}.items()}
        check.close(got, ways[""], call + then, mistakes=[(ways[way], why) for way, why in _wrongs.items()], hint=_each)
        values = got
    for holds, why in zip(found["state"], _state, strict=True):
        check.that(holds, f"{call}: {why}")
    check.equal(found["results"], [None] * len(lrs), call, hint=say(en="return nothing", ko="아무것도 돌려주지 마세요"))
    check.untouched(found["changes"], call, but=[("hooks", f"params[{k}]") for k in range(len(values))])


_compare("t[0] * t[0] + t[0]", lambda p: [2 * p[0] + 1], [2.0], {(0,): 0.1}, "float32")
_compare("(t[0] * 3).sum() - t[1]", lambda p: [torch.full((2,), 3.0), torch.tensor(-1.0)], [[1.0, -2.0], 5.0], {(0,): 0.5, (1,): 0.25}, "float64")
check.visible_passed()
### BEGIN HIDDEN TESTS
@probe
def _groups(a, b):
    kept, free = graphs.leaf(a, torch.float64), graphs.leaf(b, torch.float64)
    view = kept.detach()
    step_in_backward([kept], 0.5)
    step_in_backward([], 0.5)
    (kept * 2 + free * 3).sum().backward()
    return kept.detach().clone(), view.clone(), free.detach().clone(), free.grad


def _product(p):
    return [p[1], p[0] + 2 * p[1]]


def _used_often(p):
    return [2 * p[0] + torch.cos(p[0]) - 3, 0 * p[1]]


for _dtype in ("float64", "float32"):
    _lr, _other = check.draw(0.05, 0.4), check.draw(0.5, 1)
    _row, _rows = check.draws(3, -2, 2), [check.draws(2, -2, 2), check.draws(2, -2, 2)]
    check.smallest(_compare, "(t[0] * t[1] + t[1]**2).sum()", _product, [_row, check.draws(3, -2, 2)], {(0, 1): _lr}, _dtype, 3)
    check.smallest(_compare, "(t[0] * t[1] + t[1]**2).sum()", _product, [_rows, _rows], {(0,): _lr, (1,): _other}, _dtype, 3)
    check.smallest(_compare, "(t[0]**2 + t[0].sin() - 3 * t[0]).sum()", _used_often, [_rows, _row], {(0, 1): _lr}, _dtype, 3)
    check.smallest(_compare, "t[0] * t[1] + t[1]**2", _product, [check.draw(-2, 2), check.draw(-2, 2)], {(1, 0): _lr}, _dtype)
    check.smallest(_compare, "t[0] * t[1] + t[1]**2", _product, [check.draw(-2, 2), check.draw(-2, 2)], {(0, 1): 0}, _dtype)
    check.smallest(_compare, "t[0] * t[1] + t[1]**2", _product, [check.draw(-2, 2), check.draw(-2, 2)], {(1,): 1}, _dtype)
    check.smallest(_compare, "(t[0] * 2).sum()", lambda p: [0 * p[0] + 2], [[[check.draw(1, 2)], [check.draw(-2, -1)]]], {(0,): _lr}, _dtype)
    _compare("(t[0] * 2).sum()", lambda p: [0 * p[0] + 2], [[]], {(0,): 0.5}, _dtype)
_a, _b = check.draws(2, -2, 2), check.draws(2, -2, 2)
_call = say(en=f"step_in_backward([a], 0.5), loss = (2 * a + 3 * b).sum(), a={_a}, b={_b}", ko=f"step_in_backward([a], 0.5), loss = (2 * a + 3 * b).sum(), a={_a}, b={_b}")
with check.asking(_call):
    _kept, _view, _free, _grad = _groups(_a, _b)
_want = torch.tensor(_a, dtype=torch.float64) - 1
check.close(_kept, _want, _call)
check.close(_view, _want, _call + ": a.detach()", hint=_state[1])
check.close(_free, torch.tensor(_b, dtype=torch.float64), _call + ": b", hint=say(en="b was not in the list", ko="b는 리스트에 없었습니다"))
check.close(_grad, torch.full((2,), 3.0, dtype=torch.float64), _call + ": b.grad", hint=say(en="b was not in the list", ko="b는 리스트에 없었습니다"))
### END HIDDEN TESTS

# %% [markdown] lang="en"
r"""
## Task 7.6 · `first_bad_op`

●●●●○ · ★★★☆☆ · 9 min · 2 points

A chain $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ... ends with `y.sum()`. On the way back, **which operation is the first to make a gradient that is not finite?** Return its place in `fs`: the largest $i$ for which every number of the gradient
at $f_i$'s output is finite, and some number of the gradient at its input is not (`inf` or `nan`). If there is no such $i$, return `None`.

- `x` is a tracked leaf of any shape, perhaps empty, perhaps with a `.grad`, which must survive. Functions make a new tensor of any shape that depends on their argument, or return their argument itself. They may use tracked weights, whose `.grad` must survive too.
- Only the gradients count: a `nan` in the forward values is none of our business.
- Return an `int` or `None`. For an empty list it is `None`.

<details><summary>Hint 1: the idea</summary>

You need the gradient at each of the tensors $x, y_1, y_2, \ldots$, without filling any `.grad`. Lesson 3 had a function that returns the gradients of all tensors that you name.

</details>

<details><summary>Hint 2: nearly the code</summary>

Collect all tensors of the chain in a list. `torch.autograd.grad(y.sum(), tensors)` returns their gradients in the same order. Then go through the places from the last to the first, and compare `torch.isfinite(g).all()` of both neighbours.

</details>
"""

# %% [markdown] lang="ko" en="ac0ad3db"
r"""
## 과제 7.6 · `first_bad_op`

●●●●○ · ★★★☆☆ · 9분 · 2점

연산이 $y_1 = f_0(x)$, $y_2 = f_1(y_1)$, ...으로 이어지고 `y.sum()`으로 끝납니다. 거슬러 갈 때 **유한하지 않은 gradient를 처음으로 만드는 연산은 어느 것인가요?** `fs`에서 그 자리를 돌려주세요. 곧 $f_i$의 출력에서는 gradient의 수가 모두 유한한데
입력에서는 유한하지 않은 수(`inf`나 `nan`)가 있는 가장 큰 $i$입니다. 그런 $i$가 없으면 `None`을 돌려주세요.

- `x`는 추적되는 leaf입니다. shape는 무엇이든 되고 비어 있을 수도 있습니다. `.grad`가 이미 있을 수 있으며 그대로 남아야 합니다. 함수는 인자에 따라 정해지는 새 텐서(shape는 무엇이든)를 만들거나 인자를 그대로 돌려줍니다. 추적되는 가중치를 쓰는 함수도 있고, 그 `.grad`도 그대로여야 합니다.
- gradient만 봅니다. 순방향 값에 있는 `nan`은 따지지 않습니다.
- `int` 또는 `None`을 돌려주세요. 빈 리스트이면 `None`입니다.

<details><summary>힌트 1: 생각의 방향</summary>

텐서 $x, y_1, y_2, \ldots$마다 gradient가 필요한데 `.grad`는 하나도 채우면 안 됩니다. 수업 03에 이름을 댄 텐서의 gradient를 모두 돌려주는 함수가 있었습니다.

</details>

<details><summary>힌트 2: 거의 코드</summary>

이어지는 텐서를 모두 리스트에 모으세요. `torch.autograd.grad(y.sum(), tensors)`는 gradient를 같은 순서로 돌려줍니다. 그런 다음 마지막 자리부터 첫 자리까지 가면서 이웃한 둘의 `torch.isfinite(g).all()`을 비교하세요.

</details>
"""


# %% nbgrader={"grade_id": "first_bad_op", "solution": true, "grade": false, "locked": false, "schema_version": 3, "task": false, "cell_type": "code"}
def first_bad_op(fs, x):
    """Return the place of the first function, walking backward, that makes a gradient that is not finite, or None.

    fs: functions from a tensor to a tensor, applied one after the other; x: a tracked leaf.
    """
    ### BEGIN SOLUTION
    tensors = [x]
    for f in fs:
        tensors.append(f(tensors[-1]))
    gradients = torch.autograd.grad(tensors[-1].sum(), tensors)
    finite = [bool(torch.isfinite(g).all()) for g in gradients]
    for i in reversed(range(len(fs))):
        if finite[i + 1] and not finite[i]:
            return i
    return None
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_first_bad_op", "solution": false, "grade": true, "locked": true, "points": 2, "schema_version": 3, "task": false, "cell_type": "code"}
import torch

from secant import check, formula, graphs, observe, probe, say


@probe
def _run(programs, x, dtype, held):
    kind = getattr(torch, dtype)
    w = graphs.leaf(2.0, kind, grad=held)
    fs, x = [formula(program, w=w) for program in programs], graphs.leaf(x, kind, grad=held)
    calls = observe(x=x, w=w)
    calls(first_bad_op, fs, x)
    calls(first_bad_op, fs, x)
    return {**calls.data(), "left": len(fs)}


_none = say(en="every gradient is finite: None", ko="gradient가 모두 유한하므로 None입니다")
_else = say(en="compare the gradients at the output and at the input of each function, the last function first", ko="마지막 함수부터, 함수마다 출력과 입력의 gradient를 비교하세요")
_last = say(en="that is where the walk makes the last bad gradient; the first one comes earlier on the way back", ko="거슬러 가는 길에서 나쁜 gradient가 마지막으로 생기는 곳입니다. 처음 생기는 곳은 그보다 앞서 지납니다")


def _compare(programs, x, dtype, want, wrong=(), held=None):
    call = f"first_bad_op([{', '.join(programs)}], x={x}), {dtype}" + ("" if held is None else f", .grad = {held}")
    with check.asking(call):
        found = _run(programs, x, dtype, held)
    first, second = found["results"]
    check.that(want is None or first is not None, f"{call}: None; " + say(en=f"expected: {want}", ko=f"기대한 값: {want}") + f"\n  {_else}")
    check.equal(first, want, call, mistakes=list(wrong), hint=_none if want is None else _else)
    check.repeatable(second, want, call)
    check.that(found["left"] == len(programs), f"{call}: " + say(en="the list fs was changed", ko="리스트 fs가 바뀌었습니다"))
    check.untouched(found["changes"], call)


_compare(["t * 0", "t.sqrt()", "t * w"], [1.0, 4.0], "float32", 1, held=5.0)
_compare(["t.exp()", "t.sin()"], [1.0, 2.0], "float64", None, held=5.0)
_compare(["t.log()", "t * 2"], [-1.0, 2.0], "float64", None, [(0, say(en="log(-1) is nan, but its gradient 1 / x = -1 is finite: only gradients count", ko="log(-1)은 nan이지만 gradient 1 / x = -1은 유한합니다. gradient만 봅니다"))])
_compare(["t.sqrt()", "t.clamp(min=1)", "t - 1", "t.sqrt()"], [0.0, 4.0], "float64", 3, [(0, _last)])
check.visible_passed()
### BEGIN HIDDEN TESTS
_dtypes = ("float64", "float32")
for _dtype in _dtypes:
    _some, _low = check.draws(2, 0.5, 2), check.draw(-2, -0.5)
    for _programs, _x, _want in [
        (["t**2", "t.sqrt()"], [0.0, _some[0]], 1),
        (["t**2", "t.sum()", "t.sqrt()", "t * w"], [[0.0, 0.0]], 2),
        (["t - 1", "t.log()"], 1.0, 1),
        (["t.sqrt()", "t * 1", "t.exp()"], [_some[0], _low], 2),
        (["t.sqrt()", "t * 1", "t * w"], [_some[0], _low], 0),
        (["t * 1", "t * w", "1 / t", "t.sin()"], [0.0, _some[1]], 3),
        (["t * 1", "t * w", "1 / t"], [0.0, _some[1]], 2),
        (["t.sqrt()", "t * 1", "t.sqrt()"], 0.0, 2),
        (["t", "t * 0", "t", "t.sqrt()", "t"], _some, 3),
        (["t", "t"], _some, None),
        (["t.sqrt()", "t * t"], [_some, _some], None),
        (["t.log()", "t * 2"], [0.0, _some[0]], 0),
        (["t.log()", "t * 2"], [_low, _low], None),
        (["t.exp()"], [100.0, 0.0], None if _dtype == "float64" else 0),
        (["t * 40", "t.exp()", "t * w"], [_some[0], 20.0], 1),
        (["t.relu()", "t.sqrt()"], [_low, _some[0]], 1),
        (["t.reshape(-1)", "t.abs()", "t**0.5"], [[0.0], [_low]], 2),
        (["t.abs()", "t[1:]", "t.sqrt()"], [0.0, *_some], None),
        (["t.abs()", "t.sqrt()", "t[1:]"], [0.0, *_some], 1),
        (["t.norm()"], [_some, _some], None),
        (["t.unsqueeze(0)", "t.acos()", "t.mean()"], [1.0, 0.5], 1),
        ([], _some, None),
        (["t.sqrt()"], [], None),
    ]:
        _wrong = [(place, _last) for place in range(_want or 0)]
        check.smallest(_compare, _programs, _x, _dtype, _want, _wrong, check.draw(1, 9))
_compare(["t.sqrt()", "t * w"], torch.empty(0, 3), "float64", None, (), 5.0)
### END HIDDEN TESTS


