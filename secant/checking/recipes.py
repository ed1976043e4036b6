"""Graphs of lesson 10's Values: made from plain data, read as plain data, and what is wrong with them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from secant.checking import check, graphs
from secant.checking.observe import observe
from secant.language import say
from secant.value import TorchValue

# For each Value, in the order in which they are made: the places of its parents, and the slopes.
Recipe = Sequence[tuple[Sequence[int], Sequence[float]]]


def build(kind: Callable[..., Any], recipe: Recipe, alike: bool = False) -> list[Any]:
    """Return the Values of a recipe; their numbers, which no slope depends on, are 1, 2, 3, ... or alike."""
    made: list[Any] = []
    for number, (parents, slopes) in enumerate(recipe, 1):
        data = 1.0 if alike else float(number)
        made.append(kind(data, tuple(made[p] for p in parents), tuple(slopes)))
    return made


def chain(length: int, slope: float = 1.0) -> list[tuple[list[int], list[float]]]:
    """Return the recipe of a Value and so many others, each made from the one before."""
    return [([], []), *(([place], [slope]) for place in range(length))]


def fields(value: Any) -> tuple[Any, ...]:
    """Return what a Value holds, and under which names, so that two looks can be compared."""
    return value.data, value.grad, tuple(map(id, value.parents)), tuple(value.slopes), sorted(vars(value))


def fill(values: Sequence[Any]) -> None:
    """Put a number of its own into every grad, so that one that is set to 0 or to 1 shows."""
    for number, value in enumerate(values):
        value.grad = 0.5 - 2.0 * number


def places(values: Any, among: Sequence[Any]) -> list[int]:
    """Return where each of some Values stands among others; -1 for a stranger."""
    found = {id(value): place for place, value in enumerate(among)}
    return [found.get(id(value), -1) for value in values]


def operate(kind: Callable[..., Any], text: str, numbers: Mapping[str, float]) -> dict[str, Any]:
    """Return what an operation on Values recorded, as plain data.

    Args:
        kind: the class of the Values.
        text: the operation, in Python: "a + b".
        numbers: those of the operands, by name.

    raised: the error it stopped with, if any; then nothing else is there. kind: the result's type. data: its
    number. slopes: for each operand, by name, the sum of its slopes. lost: the operands that are no parent.
    others: the numbers of those parents that are no operand. even: whether each parent has one slope.
    strange: the types of what should be numbers and is not. old: whether it is an operand, or what the same
    operation gave before. changed: the operands that are not what they were. changes: as in `observe`.
    """
    operands, calls = {name: kind(number) for name, number in numbers.items()}, observe()
    fill(list(operands.values()))
    before = {name: fields(operand) for name, operand in operands.items()}
    try:
        earlier = calls(lambda: eval(text, {}, dict(operands)))
        value = calls(lambda: eval(text, {}, dict(operands)))
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        return {"raised": f"{type(error).__name__}: {error}"}
    parents, slopes = list(getattr(value, "parents", ())), list(getattr(value, "slopes", ()))
    held = [getattr(value, name, None) for name in ("data", "grad")]
    known = [id(operand) for operand in operands.values()]
    pairs = [pair for pair in zip(parents, slopes, strict=False) if _is_number(pair[1])]
    return {
        "raised": "",
        "kind": type(value).__name__,
        "data": held[0] if _is_number(held[0]) else None,
        "grad": held[1] if _is_number(held[1]) else None,
        "slopes": {
            name: float(sum(slope for parent, slope in pairs if parent is operand))
            for name, operand in operands.items()
        },
        "lost": [name for name, operand in operands.items() if id(operand) not in map(id, parents)],
        "others": [_number_of(parent) for parent in parents if id(parent) not in known],
        "even": len(parents) == len(slopes),
        "strange": sorted({type(n).__name__ for n in (*held, *slopes) if not _is_number(n)}),
        "old": value is earlier or id(value) in known,
        "changed": [name for name, operand in operands.items() if fields(operand) != before[name]],
        "changes": calls.changes,
    }


def check_operation(
    found: Mapping[str, Any],
    call: str,
    data: float,
    slopes: Mapping[str, float],
    *,
    values: check.Mistakes = (),
    mistakes: check.Mistakes = (),
) -> None:
    """Check what `operate` returned.

    Args:
        found: that.
        call: the operation, as a student would type it.
        data, slopes: what they should be.
        values, mistakes: wrong data and wrong slopes that betray their cause.
    """
    stopped = say(en="it stopped with an error:", ko="오류로 멈추었습니다.")
    check.holds(not found["raised"], call, f"{stopped} {found['raised']}")
    check.equal(found["kind"], "Value", f"type({call})")
    old = say(
        en="the result is an operand itself, or that of an earlier call: make a new Value each time",
        ko="결과가 피연산자 자체이거나 앞에서 돌려준 Value입니다. 매번 새 Value를 만드세요",
    )
    check.holds(not found["old"], call, old)
    strange = say(
        en="data, grad and slopes must be plain numbers (a bool is none), not",
        ko="data, grad, slopes에는 수만 넣을 수 있습니다(bool도 안 됩니다). 들어 있는 것은",
    )
    check.holds(not found["strange"], call, f"{strange} {', '.join(found['strange'])}")
    exact = say(
        en="nearly: use Python's float and exact formulas, do not round, and take no difference quotient",
        ko="거의 맞습니다. 파이썬의 float와 정확한 공식을 쓰고, 반올림이나 차분몫은 쓰지 마세요",
    )
    check.close(found["data"], data, f"({call}).data", rtol=1e-11, atol=0.0, mistakes=values, nearly=exact)
    uneven = say(
        en="each parent needs one slope, in the same order",
        ko="부모마다 기울기가 하나씩, 같은 순서로 있어야 합니다",
    )
    check.holds(found["even"], call, uneven)
    lost = say(
        en="an operand is no parent of the result: keep the operand itself in `parents`, no copy",
        ko="결과의 부모에 피연산자가 없습니다. 복사본이 아닌 피연산자(operand) 자체를 `parents`에 넣으세요",
    )
    check.holds(not found["lost"], call, f"{lost} ({', '.join(found['lost'])})")
    by_operand = say(en=f"{call}: slopes by operand", ko=f"{call}: 피연산자마다의 기울기")
    check.close(found["slopes"], slopes, by_operand, rtol=1e-11, atol=0.0, mistakes=mistakes, nearly=exact)
    not_yet = say(
        en="nothing has flowed back yet: leave every grad alone",
        ko="아직 아무것도 거슬러 흐르지 않았습니다. grad는 건드리지 마세요",
    )
    check.close(found["grad"], 0.0, f"({call}).grad", hint=not_yet)
    touched = say(
        en="a Value that was only read has changed: make a new one, and leave every grad alone",
        ko="읽기만 해야 할 Value가 바뀌었습니다. 새 Value를 만들고, grad는 건드리지 마세요",
    )
    check.holds(not found["changed"], call, f"{touched} ({', '.join(found['changed'])})")
    check.untouched(found["changes"], call)


def ordered(
    kind: Callable[..., Any], recipe: Recipe, roots: Sequence[int], alike: bool = False
) -> dict[str, Any]:
    """Return what `order()` gives of some Values of a recipe, as plain data.

    stopped: the kind of error that a call did not end for, if any. orders: for each call, the type of the
    result, and the places of the Values in it. changed: whether a field changed. changes: as in `observe`.
    """
    values, calls = build(kind, recipe, alike), observe()
    fill(values)
    before, orders = [fields(value) for value in values], []
    for root in roots:
        try:
            with graphs.limit_steps():
                order = calls(values[root].order)
        except (RecursionError, TimeoutError) as error:
            return {"stopped": type(error).__name__}
        orders.append((type(order).__name__, places(order, values) if isinstance(order, list) else []))
    changed = [fields(value) for value in values] != before
    return {"stopped": "", "orders": orders, "changed": changed, "changes": calls.changes}


def check_order(
    found: Mapping[str, Any], what: str, names: Sequence[str], recipe: Recipe, roots: Sequence[int]
) -> None:
    """Check what `ordered` returned: all Values once, each before its parents; names: one for each."""
    stopped = {
        "RecursionError": say(
            en="the recursion went too deep: use a stack, a list with append and pop, instead",
            ko="재귀가 너무 깊어졌습니다. 재귀 대신 스택(append와 pop을 쓰는 리스트)을 쓰세요",
        ),
        "TimeoutError": say(
            en="it took too many steps: look at a Value a few times, not once for each path or other Value",
            ko="너무 오래 걸렸습니다. 한 Value를 경로마다, 또는 다른 Value마다 다시 보지 마세요",
        ),
    }
    check.holds(not found["stopped"], what, stopped.get(found["stopped"], ""))
    for number, (root, (kind, order)) in enumerate(zip(roots, found["orders"], strict=True), 1):
        call = f"{what}: {names[root]}.order()"
        call += say(en=f", call {number}", ko=f", {number}번째 호출") if number > 1 else ""
        check.holds(kind == "list", call, f"{say(en='return a list', ko='리스트를 돌려주세요')} ({kind})")
        more = ", ..." if len(order) > 12 else ""
        listed = ", ".join(names[place] if place >= 0 else "?" for place in order[:12])
        problem = _order_problem(recipe, root, order, names)
        check.holds(not problem, f"{call} = [{listed}{more}]", problem)
    changed = say(
        en="a Value was changed, or something was left on it: only read its fields",
        ko="Value가 바뀌었거나 Value에 무언가를 남겼습니다. 필드를 읽기만 하세요",
    )
    check.holds(not found["changed"], what, changed)
    check.untouched(found["changes"], what)


def _order_problem(recipe: Recipe, root: int, order: Sequence[int], names: Sequence[str]) -> str:
    """Return what is wrong with an order, or an empty string."""
    want = reached(recipe, root)
    if left := sorted(want - set(order)):
        missing = ", ".join(names[place] for place in left[:5])
        return say(en=f"missing: {missing}", ko=f"빠진 값: {missing}")
    if set(order) != want:
        return say(
            en="it holds something that self was not made from", ko="self와 상관없는 것이 들어 있습니다"
        )
    if len(order) != len(want):
        return say(en="a Value stands in it more than once", ko="두 번 이상 나오는 Value가 있습니다")
    if early := too_early(recipe, order):
        parent, child = (names[place] for place in early)
        return say(
            en=f"{parent} stands before {child}, which was made from it: it would hand on before it has "
            "received everything",
            ko=f"{parent}: 이 값으로 만든 {child}보다 앞에 있습니다. 다 받기 전에 넘겨주게 됩니다",
        )
    return ""


def passed(
    kind: type[Any], recipe: Recipe, roots: Sequence[int], held: Sequence[float], alike: bool = False
) -> dict[str, Any]:
    """Return what calls of `backward()` of some Values of a recipe leave, as plain data.

    held: every grad beforehand. calls: for each call every grad, the type of what came back, and whether
    anything but a grad was changed. changes: as in `observe`.
    """

    def order(self: Any) -> list[Any]:
        (place,) = places([self], values)
        return [values[p] for p in sorted(reached(recipe, place), reverse=True)]

    values, calls = build(type("Value", (kind,), {"order": order}), recipe, alike), observe()
    for value, number in zip(values, held, strict=True):
        value.grad = number
    before, made = [_but_grad(value) for value in values], []
    for root in roots:
        returned = type(calls(values[root].backward)).__name__
        changed = [_but_grad(value) for value in values] != before
        made.append(([value.grad for value in values], returned, changed))
    return {"calls": made, "changes": calls.changes}


def check_passes(
    found: Mapping[str, Any],
    what: str,
    names: Sequence[str],
    recipe: Recipe,
    roots: Sequence[int],
    held: Sequence[float],
) -> None:
    """Check what `passed` returned: leaves have added, intermediate Values are those of the call alone."""
    changed = say(
        en="data, parents or slopes of a Value were changed, or something was left on it",
        ko="Value의 data, parents, slopes 가운데 바뀐 것이 있거나, Value에 무언가를 남겼습니다",
    )
    now = list(held)
    for number, (root, (grads, returned, spoilt)) in enumerate(zip(roots, found["calls"], strict=True), 1):
        call = f"{what}: {names[root]}.backward()"
        call += say(en=f", call {number}", ko=f", {number}번째 호출") if number > 1 else ""
        check.holds(not spoilt, call, changed)
        want = _after(recipe, root, now)
        got, right = (dict(zip(names, numbers, strict=True)) for numbers in (grads, want))
        check.close(
            got,
            right,
            call + say(en=": every grad", ko=": 모든 grad"),
            rtol=1e-7,
            atol=1e-12,
            nearly=say(en="do not round, and leave nothing out", ko="반올림하거나 빼놓지 마세요"),
            hint=_pass_problem(recipe, root, now, grads),
        )
        kind = say(en=": type of what backward() returns", ko=": backward()가 돌려준 것의 타입")
        check.equal(returned, "NoneType", what + kind)
        now = want
    check.untouched(found["changes"], what)


def _after(recipe: Recipe, root: int, held: Sequence[float]) -> list[float]:
    """Return every grad after a pass from a Value, for what they held before."""
    within, slopes = reached(recipe, root), slopes_to(recipe, root)
    kept = [old if p not in within or not recipe[p][0] else 0.0 for p, old in enumerate(held)]
    return [
        old + (slope if p in within else 0.0) for p, (old, slope) in enumerate(zip(kept, slopes, strict=True))
    ]


def _pass_problem(recipe: Recipe, root: int, held: Sequence[float], grads: Sequence[Any]) -> str:
    """Return why the grads after a pass may be wrong."""
    want, slopes, within = _after(recipe, root, held), slopes_to(recipe, root), reached(recipe, root)

    def near(places: Sequence[int], numbers: Sequence[float]) -> bool:
        pairs = [(grads[p], numbers[p]) for p in places]
        return all(_is_number(a) and math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-12) for a, b in pairs)

    wrong = [p for p in range(len(recipe)) if not near([p], want)]
    leaves = [p for p in wrong if not recipe[p][0]]
    inner = [p for p in wrong if recipe[p][0]]
    local = [old if not recipe[p][0] else 0.0 for p, old in enumerate(held)]
    for parents, numbers in recipe:
        for p, slope in zip(parents, numbers, strict=True):
            local[p] += slope
    zeros = [0.0] * len(recipe)
    stale = [number + old for number, old in zip(want, held, strict=True)]
    if not set(wrong) <= within:
        return say(
            en="a Value that self was not made from has nothing to do with it: its grad must stay",
            ko="self와 상관없는 Value의 grad는 그대로여야 합니다",
        )
    if root in leaves and not near([root], slopes):  # one that is set to 1 has lost what it held
        return say(
            en="self is a leaf: its grad grows by 1", ko="self가 leaf입니다. grad가 1만큼 커져야 합니다"
        )
    if leaves and not inner and near(leaves, slopes):
        return say(
            en="a leaf lost what it held: leaves add up from call to call",
            ko="leaf에 있던 값이 사라졌습니다. leaf는 호출할 때마다 쌓습니다",
        )
    if inner and not leaves and near(inner, zeros):
        return say(
            en="the grad of an intermediate value is gone: after the call it must hold the slope",
            ko="중간 값의 grad가 사라졌습니다. 부른 뒤에도 기울기가 들어 있어야 합니다",
        )
    if root in inner and (near(sorted(within), held) or near([root], zeros)):
        return say(
            en="nothing flows: self.grad must be 1 before the values hand on",
            ko="아무것도 흐르지 않았습니다. 값들이 넘겨주기 전에 self.grad가 1이어야 합니다",
        )
    if any(held[p] and near([p], stale) for p in inner):
        return say(
            en="an intermediate value still held what was in it before the call: reset it first",
            ko="중간 값에 부르기 전에 있던 것이 그대로 있었습니다. 먼저 비우세요",
        )
    if near(sorted(within - {root}), local):
        return say(
            en="these are sums of local slopes: multiply each by the grad of the value that hands on",
            ko="국소 기울기를 더하기만 했습니다. 넘겨주는 값의 grad를 곱하세요",
        )
    return say(
        en="each value adds up what it receives, with +=, and hands on once, when its turn in order() comes",
        ko="값마다 받는 것을 +=로 더하고, order()에서 차례가 왔을 때 한 번만 넘겨주어야 합니다",
    )


def _but_grad(value: Any) -> tuple[Any, ...]:
    """Return what a Value holds but its grad."""
    data, _, *rest = fields(value)
    return (data, *rest)


def _is_number(thing: Any) -> bool:
    return isinstance(thing, int | float) and not isinstance(thing, bool)


def _number_of(parent: Any) -> float | str:
    data: Any = getattr(parent, "data", None)
    return float(data) if _is_number(data) else type(parent).__name__


def slopes_to(recipe: Recipe, out: int) -> list[float]:
    """Return the slope of one Value of a recipe with respect to each: a triangular system of equations."""
    size = len(recipe)
    local = torch.zeros(size, size, dtype=torch.float64)
    for value, (parents, slopes) in enumerate(recipe):
        for parent, slope in zip(parents, slopes, strict=True):
            local[value, parent] += slope
    unit = torch.zeros(size, 1, dtype=torch.float64)
    unit[out] = 1.0
    system = torch.eye(size, dtype=torch.float64) - local.T
    found: list[float] = torch.linalg.solve_triangular(system, unit, upper=True)[:, 0].tolist()
    return found


def reached(recipe: Recipe, out: int) -> set[int]:
    """Return the places of the Values that one of them was made from, itself included."""
    found, todo = {out}, [out]
    while todo:
        fresh = set(recipe[todo.pop()][0]) - found
        found |= fresh
        todo += fresh
    return found


def too_early(recipe: Recipe, order: Sequence[int]) -> tuple[int, int] | None:
    """Return a (parent, child) of which the parent stands before the child in an order, if there is one."""
    at = {place: index for index, place in enumerate(order)}
    for child, (parents, _) in enumerate(recipe):
        for parent in parents:
            if parent in at and child in at and at[parent] < at[child]:
                return parent, child
    return None


Points = Sequence[tuple[float, float]]


def fitted(fit: Callable[..., Any], points: Points, steps: int, lr: float, scale: float) -> dict[str, Any]:
    """Return what a student's `fit_line` gives with torch's Value in the place of its own, as plain data.

    Args:
        fit: the function.
        points, steps, lr: its arguments.
        scale: what every gradient is multiplied by, so that one that is not read from a Value shows.

    result: what came back. passes: how many backward passes there were. same: whether the points are the
    same as before. changes: as in `observe`.
    """
    names, calls, given = fit.__globals__, observe(), [tuple(point) for point in points]
    mine = names.get("Value")
    names["Value"], TorchValue.passes, TorchValue.scale = TorchValue, 0, scale
    try:
        result = calls(fit, points, steps, lr)
    finally:
        names["Value"], TorchValue.scale = mine, 1.0
    same = [tuple(point) for point in points] == given
    return {"result": result, "passes": TorchValue.passes, "same": same, "changes": calls.changes}
