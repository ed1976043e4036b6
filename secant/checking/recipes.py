"""Graphs of Values (the scalars of lesson 10's engine): code for questions, and checks of the answers."""

import math
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import Any

from secant.checking import check
from secant.checking.ask import Answer, Mistakes

# Imported here because questions use these names as attributes of `recipes`.
from secant.checking.values import (  # noqa: F401
    Recipe,
    build,
    chain,
    compared_in_steps,
    diamonds,
    is_number,
    on_torch,
    with_order,
)
from secant.language import say
from secant.verdict import Part

FIELDS = ("data", "grad", "parents", "slopes")


# --- Making the arguments of a question --------------------------------------------------------------------


def leaves(numbers: Mapping[str, float]) -> dict[str, str]:
    """Return source code that creates leaves with the given values, as keyword arguments of `ask`.

    Args:
        numbers: the value of each leaf, keyed by the leaf's name. The result has the same keys.
    """
    return {name: f"Value({number})" for name, number in numbers.items()}


def graph(names: Sequence[str], recipe: Recipe, alike: bool = False) -> dict[str, str]:
    """Return source code for a graph of Values, keyed by name, to be passed to `ask` as arguments.

    The recipe lists each Value's parents and slopes. The code of a Value is, for example,
    "Value(4.0, (x,), (4.0,))". The Values' data are 1, 2, 3, ..., or all 1 if `alike`. The slopes do not
    depend on the data.
    """
    codes = {}
    for place, (name, (parents, slopes)) in enumerate(zip(names, recipe, strict=True)):
        data = 1.0 if alike else place + 1.0
        codes[name] = f"Value({data})"
        if parents:
            codes[name] = f"Value({data}, {_tuple([names[p] for p in parents])}, {_tuple(slopes)})"
    return codes


def _tuple(parts: Sequence[Any]) -> str:
    return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def held(names: Sequence[str], grads: Sequence[float]) -> str:
    """Return the statements that set the grads of Values, as one line of code; grads of 0 are skipped."""
    return "; ".join(f"{name}.grad = {grad}" for name, grad in zip(names, grads, strict=True) if grad)


def made_from(recipe: Recipe) -> list[int]:
    """Return, for each Value of a recipe, a bit mask of the Values from which it was made, and of itself.

    A recipe (the parents and slopes of each Value) lists parents before their children, so one pass over it
    is enough. The code does not search the graph, because a search would give away answers to tasks of
    lessons 2 and 10.
    """
    masks: list[int] = []
    for place, (parents, _) in enumerate(recipe):
        masks.append(reduce(or_, (masks[parent] for parent in parents), 1 << place))
    return masks


# --- Judging the answers -----------------------------------------------------------------------------------


def check_operation(
    answer: Answer,
    data: float,
    slopes: Mapping[str, float],
    *,
    values: Mistakes | None = None,
    mistakes: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Check that an operation on Values returned a correct new Value, and another new one when called again.

    Args:
        answer: the answer to the question.
        data, slopes: the expected data, and the expected slopes, keyed by operand.
        values, mistakes: wrong data and wrong slopes that reveal their cause, as for `Answer.returns`.

    Returns:
        The parents of the result that are not operands; they are usually numbers.
    """
    second_answer = answer.again()
    for response in (answer, second_answer):
        old_value_hint = say(
            en="the result is an operand itself, or that of an earlier call: make a new Value each time",
            ko="결과가 피연산자 자체이거나 앞에서 돌려준 Value입니다. 매번 새 Value를 만드세요",
        )
        response.holds(
            not isinstance(response.result, str) or response.result.startswith("<"), old_value_hint
        )
    other_parents = _check_new(answer, data, slopes, values or {}, mistakes or {})
    _check_new(second_answer, data, slopes, {}, {})
    return other_parents


def _check_new(
    answer: Answer,
    data: float,
    slopes: Mapping[str, float],
    values: Mistakes,
    mistakes: Mapping[str, Any],
) -> list[Any]:
    result = answer.result
    fields = (
        result
        if isinstance(result, dict)
        else {"type": result if isinstance(result, str) else check.kind(result)}
    )
    no_value = say(en="a Value was expected, and it is", ko="필요한 것은 Value인데 나온 것은")
    answer.holds(fields["type"] == "Value", f"{no_value} {fields['type']}")
    type_hint = say(
        en="data, grad and slopes must be plain numbers, not",
        ko="data, grad, slopes에는 수만 넣을 수 있습니다. 들어 있는 것은",
    )
    types = {n for n in (fields["data"], fields["grad"], *fields["slopes"]) if isinstance(n, str)}
    answer.holds(not types, f"{type_hint} {', '.join(sorted(types))}")
    exact_options: dict[str, Any] = {
        "rtol": 1e-11,
        "atol": 0.0,
        "nearly": say(
            en="nearly: use Python's float and exact formulas, and do not round or use a difference quotient",
            ko="거의 맞습니다. 파이썬의 float와 정확한 공식을 쓰고, 반올림이나 차분몫은 쓰지 마세요",
        ),
    }
    _part(answer, "data", fields["data"]).returns(data, mistakes=values, **exact_options)
    uneven_hint = say(
        en="each parent needs one slope, in the same order",
        ko="부모마다 기울기가 하나씩, 같은 순서로 있어야 합니다",
    )
    answer.holds(len(fields["parents"]) == len(fields["slopes"]), uneven_hint)
    parent_hint = say(
        en="the parents are the operands, not what these were made from: backward() goes on from there",
        ko="부모는 피연산자(operand) 자체입니다. 피연산자를 만든 값은 넣지 마세요. "
        "거기서부터는 backward()가 따라갑니다",
    )
    non_operands = sorted({p for p in fields["parents"] if isinstance(p, str) and p[:1] != "<"} - set(slopes))
    answer.holds(not non_operands, f"{parent_hint} ({', '.join(non_operands)})")
    lost_operand_hint = say(
        en="an operand is not among the result's parents: keep the operand itself in `parents`, not a copy",
        ko="결과의 부모에 피연산자가 없습니다. 복사본이 아닌 피연산자(operand) 자체를 `parents`에 넣으세요",
    )
    missing_names = [name for name in slopes if name not in fields["parents"]]
    answer.holds(not missing_names, f"{lost_operand_hint} ({', '.join(missing_names)})")
    pairs = list(zip(fields["parents"], fields["slopes"], strict=True))
    sums = {name: float(sum(slope for parent, slope in pairs if parent == name)) for name in slopes}
    title = say(en="slopes by operand", ko="피연산자마다의 기울기")
    _part(answer, title, sums).returns(dict(slopes), mistakes=mistakes, **exact_options)
    grad_hint = say(
        en="only backward() fills grad: leave every grad alone",
        ko="grad는 `backward()`가 채웁니다. 여기서는 건드리지 마세요",
    )
    _part(answer, "grad", fields["grad"]).returns(0.0, hint=grad_hint)
    change_hint = say(
        en="a Value that was only read has changed: make a new one, and leave every grad alone",
        ko="읽기만 해야 할 Value가 바뀌었습니다. 새 Value를 만들고, grad는 건드리지 마세요",
    )
    answer.changes_nothing(hints=dict.fromkeys((*FIELDS, "fields"), change_hint))
    return [parent for parent in fields["parents"] if parent not in slopes]


def check_order(
    answer: Answer, names: Sequence[str], recipe: Recipe, root: int, is_later: bool = False
) -> None:
    """Check the result of order() on a Value of a graph: every Value once, each before its parents.

    If `is_later`, an earlier call to order() gave the right result. An empty order, or repeated Values, may
    then be due to a list or set that is left over from the earlier call.
    """
    check_ended(answer)
    result = answer.result
    list_hint = say(en="return a list", ko="리스트를 돌려주세요")
    answer.holds(isinstance(result, list), f"{list_hint} ({check.kind(result)})")
    positions = {name: place for place, name in enumerate(names)}
    order = [positions.get(name, -1) if isinstance(name, str) else -1 for name in result]
    order_text = ", ".join(names[place] if place >= 0 else "?" for place in order[:12])
    ellipsis = ", ..." if len(order) > 12 else ""
    problem = _order_problem(recipe, root, order, names)
    reuse_hint = say(
        en="a list or a set of an earlier call is still in use: make a new one in every call",
        ko="앞 호출에서 쓴 리스트나 집합을 계속 쓰고 있습니다. 호출할 때마다 새로 만드세요",
    )
    has_old_values = -1 in order and places_behind(recipe, root) < set(order)
    is_reused = has_old_values or (is_later and (not result or len(set(order)) < len(order)))
    parts = (Part("got", f"[{order_text}{ellipsis}]"), Part("text", problem))
    answer.holds(not problem, parts, reuse_hint if is_reused else "")
    change_hint = say(
        en="a Value was changed, or something was left on it: only read its fields",
        ko="Value가 바뀌었거나 Value에 무언가를 남겼습니다. 필드를 읽기만 하세요",
    )
    answer.changes_nothing(hints=dict.fromkeys((*FIELDS, "fields"), change_hint))


def check_ended(answer: Answer) -> None:
    """Check that a call ended within its maximum number of steps, and within the recursion limit."""
    hints = {
        "RecursionError": say(
            en="the recursion went too deep: use a stack, a list with append and pop, instead",
            ko="재귀가 너무 깊어졌습니다. 재귀 대신 스택(append와 pop을 쓰는 리스트)을 쓰세요",
        ),
        "TimeoutError": say(
            en="it took too many steps: visit a Value a few times, not once for each path or other Value",
            ko="너무 오래 걸렸습니다. 같은 Value를 경로 수만큼 다시 들르지 마세요. "
            "Value를 하나 넣을 때마다 나머지를 모두 훑어도 안 됩니다",
        ),
    }
    error = answer.seen["stopped"]
    answer.holds(not error, hints.get(error, ""))


def _order_problem(recipe: Recipe, root: int, order: Sequence[int], names: Sequence[str]) -> str:
    """Return a sentence about what is wrong with an order of Values; an empty string if it is right."""
    want = places_behind(recipe, root)
    if missing_places := sorted(want - set(order)):
        missing_names = ", ".join(names[place] for place in missing_places[:5])
        return say(en=f"missing: {missing_names}", ko=f"빠진 값: {missing_names}")
    if set(order) != want:
        return say(
            en="it holds something that self was not made from", ko="self와 상관없는 것이 들어 있습니다"
        )
    if len(order) != len(want):
        return say(en="a Value is listed more than once", ko="두 번 이상 나오는 Value가 있습니다")
    if wrong_pair := too_early(recipe, order):
        parent, child = (names[place] for place in wrong_pair)
        return say(
            en=f"{parent} comes before {child}, which was made from it: it would pass on before it has "
            "received everything",
            ko=f"{parent}: 이 값으로 만든 {child}보다 앞에 있습니다. 다 받기 전에 넘겨주게 됩니다",
        )
    return ""


def every_grad(names: Sequence[str]) -> str:
    """Return the code for a list of the grads of these Values."""
    return f"[{', '.join(f'{name}.grad' for name in names)}]"


def passes_ahead(names: Sequence[str], roots: Sequence[int]) -> tuple[str, ...]:
    """Return, for the option `ahead`, the questions that `check_passes` asks after the first backward()."""
    grads = every_grad(names)
    later_questions = (text for root in roots[1:] for text in (f"{names[root]}.backward()", grads))
    return grads, *later_questions


def check_passes(
    answer: Answer,
    names: Sequence[str],
    recipe: Recipe,
    roots: Sequence[int],
    initial_grads: Sequence[float],
    slopes: Sequence[Sequence[float]],
) -> None:
    """Check successive calls to backward() on Values of a graph; the first call has already been made.

    The grads of leaves accumulate over the calls; intermediate Values hold the slopes of the last call only.

    Args:
        answer: the answer to the first call to backward().
        names: the names of all Values.
        recipe: the recipe of the graph: the parents and the slopes of each Value.
        roots: the positions of the Values on which backward() is called.
        initial_grads: the grad of each Value before the first call.
        slopes: for each of the roots, the slopes of the root with respect to all Values.
    """
    change_hint = say(
        en="data, parents or slopes of a Value were changed, or something was left on it",
        ko="Value의 data, parents, slopes 가운데 바뀐 것이 있거나, Value에 무언가를 남겼습니다",
    )
    options: dict[str, Any] = {"rtol": 1e-7, "atol": 1e-12}
    options["nearly"] = _exactness_hint()
    current_grads, grads = list(initial_grads), every_grad(names)
    for number, (root, rates) in enumerate(zip(roots, slopes, strict=True)):
        response = answer.then(f"{names[root]}.backward()") if number else answer
        check_ended(response)
        expected_changes = [("grad", name) for name in names]
        response.changes_nothing(but=expected_changes, hints=dict.fromkeys((*FIELDS, "fields"), change_hint))
        actual, want = response.then(grads).result, _grads_after(recipe, root, current_grads, rates)
        actual_by_name, want_by_name = (dict(zip(names, numbers, strict=True)) for numbers in (actual, want))
        grads_answer = _part(response, say(en="every grad", ko="모든 grad"), actual_by_name)
        # The likely reason is computed only if a grad is wrong.
        problem = partial(_pass_problem, recipe, root, current_grads, rates, actual)
        grads_answer.returns(
            want_by_name, mistakes=lambda problem=problem: {problem(): lambda _: True}, **options
        )
        response.equals(None)
        current_grads = want


def _grads_after(
    recipe: Recipe, root: int, grads_before: Sequence[float], slopes: Sequence[float]
) -> list[float]:
    """Return the correct grads of all Values after a call to backward() on one of them.

    Args:
        recipe: the recipe of the graph: the parents and the slopes of each Value.
        root: the position of the Value on which backward() is called.
        grads_before: the grad of each Value before the call.
        slopes: the slopes of the root with respect to all Values.
    """
    involved_places = places_behind(recipe, root)
    start = [
        grad if p not in involved_places or not recipe[p][0] else 0.0 for p, grad in enumerate(grads_before)
    ]
    return [
        grad + (slope if p in involved_places else 0.0)
        for p, (grad, slope) in enumerate(zip(start, slopes, strict=True))
    ]


def _pass_problem(
    recipe: Recipe, root: int, grads_before: Sequence[float], slopes: Sequence[float], grads: Sequence[Any]
) -> str:
    """Return the likely reason why the grads after a call to backward() are wrong."""
    want, involved_places = _grads_after(recipe, root, grads_before, slopes), places_behind(recipe, root)

    def grads_match(places: Sequence[int], numbers: Sequence[float]) -> bool:
        pairs = [(grads[p], numbers[p]) for p in places]
        return all(is_number(a) and math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-12) for a, b in pairs)

    wrong_places = [p for p in range(len(recipe)) if not grads_match([p], want)]
    leaves = [p for p in wrong_places if not recipe[p][0]]
    inner = [p for p in wrong_places if recipe[p][0]]
    local_sums = [grad if not recipe[p][0] else 0.0 for p, grad in enumerate(grads_before)]
    for parents, numbers in recipe:
        for p, slope in zip(parents, numbers, strict=True):
            local_sums[p] += slope
    zeros = [0.0] * len(recipe)
    stale_grads = [number + grad for number, grad in zip(want, grads_before, strict=True)]
    if wrong_kinds := {check.kind(number) for number in grads if not is_number(number)}:
        kinds = ", ".join(sorted(wrong_kinds))
        return say(
            en=f"a grad must be a float, not {kinds}: self.grad is 1.0",
            ko=f"grad에는 {kinds} 말고 float를 넣으세요. self.grad는 1.0입니다",
        )
    if not set(wrong_places) <= involved_places:
        return say(
            en="self does not depend on this Value: its grad must not change",
            ko="self와 상관없는 Value의 grad는 그대로여야 합니다",
        )
    # If the grad of self is 1, the leaf has lost its earlier grad, and a message below says so.
    if root in leaves and not grads_match([root], slopes):
        return say(
            en="self is a leaf: its grad grows by 1", ko="self가 leaf입니다. grad가 1만큼 커져야 합니다"
        )
    if (
        root not in wrong_places
        and any(grads_before[p] for p in leaves)
        and grads_match(sorted(involved_places), grads_before)
    ):
        return say(
            en="this call changed nothing: backward() must work every time, not only the first",
            ko="이 호출에서는 아무것도 바뀌지 않았습니다. 처음만이 아니라 호출할 때마다 계산해야 합니다",
        )
    if leaves and not inner and grads_match(leaves, slopes):
        return say(
            en="a leaf lost what it held: leaves add up from call to call",
            ko="leaf에 있던 값이 사라졌습니다. leaf는 호출할 때마다 쌓습니다",
        )
    if inner and not leaves and grads_match(inner, zeros):
        return say(
            en="the grad of an intermediate value is gone: after the call it must hold the slope",
            ko="중간 값의 grad가 사라졌습니다. 호출한 뒤에도 기울기가 들어 있어야 합니다",
        )
    if root in inner and (grads_match(sorted(involved_places), grads_before) or grads_match([root], zeros)):
        return say(
            en="nothing arrives: self.grad must be 1 before the values pass on",
            ko="아무것도 도착하지 않았습니다. 값들이 넘겨주기 전에 self.grad가 1이어야 합니다",
        )
    if any(grads_before[p] and grads_match([p], stale_grads) for p in inner):
        return say(
            en="an intermediate value still held what was in it before the call: reset it first",
            ko="중간 값의 grad에 앞 호출의 값이 섞였습니다. 더하기 전에 비우세요",
        )
    other_places, middle_places = sorted(involved_places - {root}), [p for p in inner if p != root]
    start = [0.0 if recipe[p][0] else grad for p, grad in enumerate(grads_before)]
    # If a slope is 0 or far from 1, the grads may match one of the patterns below for another reason.
    is_typical = bool(other_places) and all(
        0.01 < abs(slope) < 100 for _, slopes in recipe for slope in slopes
    )
    if is_typical and grads_match([root], slopes) and grads_match(other_places, start):
        return say(
            en="only self holds anything: reset all values before the first one passes on, and go through "
            "the order() of this call, not one kept from an earlier call",
            ko="self에만 값이 있습니다. 하나라도 넘겨주기 전에 모두 비우고, 앞 호출의 순서를 계속 쓰지 말고 "
            "호출할 때마다 self.order()를 다시 얻으세요",
        )
    direct_grads = list(start)
    for p, slope in zip(*recipe[root], strict=True):
        direct_grads[p] += slope
    if is_typical and grads_match(other_places, direct_grads):
        return say(
            en="only self passed something on: go through order() from its beginning, not from its end",
            ko="self만 넘겨주었습니다. order()를 뒤집지 말고 앞에서부터 도세요",
        )
    if is_typical and leaves and middle_places and grads_match(middle_places, zeros):
        return say(
            en="the reset wipes out what has arrived: reset all values before the first one passes on",
            ko="비우면서 이미 도착한 것까지 지웠습니다. 하나라도 넘겨주기 전에 모두 비우세요",
        )
    if grads_match(other_places, local_sums):
        return say(
            en="these are sums of local slopes: multiply each by the grad of the value that passes on",
            ko="국소 기울기를 더하기만 했습니다. 넘겨주는 값의 grad를 곱하세요",
        )
    # In a chain, each value receives only one gradient, so advice on adding them up would not help.
    if [parents for parents, _ in recipe[1:]] == [[p] for p in range(len(recipe) - 1)]:
        return _exactness_hint()
    return say(
        en="each value adds up what it receives, with +=, and passes on once, when its turn in order() comes",
        ko="값마다 받는 것을 +=로 더하고, order()에서 차례가 왔을 때 한 번만 넘겨주어야 합니다",
    )


def _exactness_hint() -> str:
    return say(
        en="do not round, and leave nothing out: numbers may be tiny or huge",
        ko="반올림하거나 빼놓지 마세요. 아주 작은 수도, 아주 큰 수도 있습니다",
    )


def _part(answer: Answer, name: str, result: Any) -> Answer:
    return answer.named(lambda: f"{answer.call}: {name}", result)


def places_behind(recipe: Recipe, out: int) -> set[int]:
    """Return the positions of the Values from which the Value at position `out` was made, including `out`."""
    mask = made_from(recipe)[out]
    return {place for place in range(len(recipe)) if mask >> place & 1}


def too_early(recipe: Recipe, order: Sequence[int]) -> tuple[int, int] | None:
    """Return a parent and its child if an order lists the parent before the child; otherwise None."""
    positions = {place: index for index, place in enumerate(order)}
    for child, (parents, _) in enumerate(recipe):
        for parent in parents:
            if parent in positions and child in positions and positions[parent] < positions[child]:
                return parent, child
    return None
