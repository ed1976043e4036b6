"""What an operation with a backward of its own must do, in both passes: lesson 8."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from secant.catalogue import Hints
from secant.checking import check
from secant.checking.ask import judge
from secant.checking.custom import RESULT
from secant.language import say
from secant.verdict import Part

Mistakes = Mapping[str, Mapping[str, Any]]
Seen = dict[str, Any]
#: What the gradient that arrives is multiplied by, or the VJP as a function of it.
Slope = torch.Tensor | Callable[[torch.Tensor], torch.Tensor]

_usual = Hints({})


def judge_operation(
    name: str,
    seen: Callable[..., Seen],
    inputs: Mapping[str, torch.Tensor],
    g: torch.Tensor,
    value: torch.Tensor,
    slopes: Mapping[str, Slope],
    mistakes: Mistakes,
    hint: str = "",
    *,
    more: str = "",
    rtol: float | None = None,
    atol: float | None = None,
    apart: bool = False,
    forward_only: bool = False,
) -> tuple[str, Seen]:
    """Call a student's operation, run the backward pass through it twice, and check all that came of it.

    Args:
        name: of the student's class.
        seen: a probe in the test cell that runs in the student's process and returns
            `custom.walk_back(MyOperation.apply, *arguments)`.
        inputs: by name, in the order of forward.
        g: the gradient that arrives.
        value: the result.
        slopes: by name of each tracked input, what g is to be multiplied by, or a function of g.
        mistakes: of the value, under "value", and of each input's gradient, under its name, as for
            `Answer.returns`; a missing factor g, swapped inputs and gradients added up are known already.
        hint: what to say where no mistake is recognised.
        more: what follows the inputs in the call, such as ", eps=0.1".
        rtol, atol: as for `check.close`.
        apart: whether no two elements are to lie side by side in memory: see `custom.walk_back`.
        forward_only: whether to check the result alone, without a backward pass.

    Returns:
        The call, as a student would type it, and what the probe told.
    """
    arriving = None if forward_only else g.clone()
    call = _call(name, inputs, more, arriving, list(slopes)) + (_usual.apart if apart else "")
    with check.asking(call):
        found = seen({of: given.clone() for of, given in inputs.items()}, list(slopes), arriving, apart)
    wrong = mistakes.get("value", {})
    judge(found["value"], value, call, mistakes=wrong, hint=hint, rtol=rtol, atol=atol)
    check.untouched(found["changes"], call)
    if forward_only:
        return call, found
    error = found["error"]
    once = _usual.walked_once if found["walked"] else ""
    check.holds(
        not error, call, (Part("trace", error),), _usual.saved_in_place if "inplace" in error else once
    )
    check.holds(found["node"] == f"{name}Backward", call, _usual.not_own.format(name=name))
    for place, of in enumerate(inputs):
        if of in slopes:
            _judge_gradient(found, call, of, place, g, slopes, mistakes.get(of, {}), hint, rtol, atol)
    for changed, gradients in found["changed"].items():
        target = f"{changed}.detach()" if changed == RESULT else changed
        later = f"{RESULT} = {name}.apply({', '.join(inputs)}{more}), {target}.mul_(2), backward"
        for of, slope in slopes.items():
            asked = later + say(en=f": gradient of {of}", ko=f": {of}의 gradient")
            check.close(gradients[of], _vjp(slope, g), asked, rtol=rtol, atol=atol, hint=_usual.silent)
    return call, found


def _judge_gradient(
    found: Seen,
    call: str,
    of: str,
    place: int,
    g: torch.Tensor,
    slopes: Mapping[str, Slope],
    own: Mapping[str, Any],
    hint: str,
    rtol: float | None,
    atol: float | None,
) -> None:
    got, want = found["gradients"][of], _vjp(slopes[of], g)
    check.holds(got is not None, call, _usual.no_gradient.format(name=of, place=place))

    def wrong() -> Mapping[str, Any]:
        if _is(found["alone"].get(of), want, rtol, atol):
            return {_usual.between: lambda _: True}
        usual = _usual_mistakes(of, g, slopes)
        return {**own, **{text: value for text, value in usual.items() if text not in own}}

    asked = call + say(en=f": gradient of {of}", ko=f": {of}의 gradient")
    judge(got, want, asked, mistakes=wrong, hint=hint, rtol=rtol, atol=atol)
    asked += say(en=", second backward pass", ko=", 두 번째 역방향 계산")
    check.close(found["again"][of], want, asked, rtol=rtol, atol=atol, hint=_usual.walked_again)


def _vjp(slope: Slope, g: torch.Tensor) -> torch.Tensor:
    return g * slope if isinstance(slope, torch.Tensor) else slope(g)


def _usual_mistakes(of: str, g: torch.Tensor, slopes: Mapping[str, Slope]) -> dict[str, Any]:
    want = _vjp(slopes[of], g)
    others = tuple(_vjp(other, g) for name, other in slopes.items() if name != of)
    together = want.sum().expand(want.shape)
    # A layer norm's rows add up to 0, as do other mistakes.
    if together.abs().sum() < 1e-6 * want.abs().sum():
        together = torch.full_like(want, torch.nan)
    return {
        _usual.arriving: _vjp(slopes[of], torch.ones_like(g)),
        _usual.swapped_inputs: others,
        _usual.added_together.format(name=of): together,
    }


def _call(
    name: str, inputs: Mapping[str, torch.Tensor], more: str, g: torch.Tensor | None, tracked: list[str]
) -> str:
    shown = ", ".join(f"{of}={check.numbers(given)}" for of, given in inputs.items()) + more
    asked = f"{name}.apply({shown}), {str(next(iter(inputs.values())).dtype)[6:]}"
    asked += "" if g is None else f", grad_output={check.numbers(g)}"
    return asked if len(tracked) == len(inputs) else f"{asked}, requires_grad: {', '.join(tracked)}"


def _is(got: Any, want: torch.Tensor, rtol: float | None, atol: float | None) -> bool:
    try:
        check.close(got, want, rtol=rtol, atol=atol)
    except check.CheckFailed:
        return False
    return True
