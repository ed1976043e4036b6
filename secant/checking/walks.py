"""Checks of an operation with a custom backward, in its forward and its backward pass (lesson 8)."""

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
ProbeReport = dict[str, Any]
#: A slope: the factor that multiplies the arriving gradient, or the VJP as a function of that gradient.
Slope = torch.Tensor | Callable[[torch.Tensor], torch.Tensor]

_shared_hints = Hints({})


def judge_operation(
    name: str,
    probe: Callable[..., ProbeReport],
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
) -> tuple[str, ProbeReport]:
    """Call a student's operation, run its backward pass twice, and check all results.

    Args:
        name: the name of the student's class.
        probe: a probe in the test cell that runs in the student's process and returns
            `custom.walk_back(MyOperation.apply, *arguments)`.
        inputs: the inputs, keyed by name, in the order of forward's parameters.
        g: the gradient of the result, which arrives in the backward pass.
        value: the expected result.
        slopes: for each tracked input, keyed by name, the factor of g in its gradient, or a function of g.
        mistakes: the mistakes to recognise, as for `Answer.returns`: under the key "value", those in the
            value; under an input's name, those in the input's gradient. A missing factor g, swapped inputs,
            and a gradient whose elements were added together are always recognised.
        hint: the hint to give if no mistake is recognised.
        more: the text that follows the inputs in the call, such as ", eps=0.1".
        rtol, atol: tolerances, as for `check.close`.
        apart: whether to use tensors that are not contiguous in memory: see `custom.walk_back`.
        forward_only: whether to check the result alone, without a backward pass.

    Returns:
        The call, as a student would type it, and the report of the probe.
    """
    grad_output = None if forward_only else g.clone()
    call = _call_text(name, inputs, more, grad_output, list(slopes)) + (_shared_hints.apart if apart else "")
    with check.asking(call):
        report = probe(
            {input_name: tensor.clone() for input_name, tensor in inputs.items()},
            list(slopes),
            grad_output,
            apart,
        )
    value_mistakes = mistakes.get("value", {})
    judge(report["value"], value, call, mistakes=value_mistakes, hint=hint, rtol=rtol, atol=atol)
    check.untouched(report["changes"], call)
    if forward_only:
        return call, report
    error = report["error"]
    second_walk_hint = _shared_hints.walked_once if report["walked"] else ""
    check.holds(
        not error,
        call,
        (Part("trace", error),),
        _shared_hints.saved_in_place if "inplace" in error else second_walk_hint,
    )
    check.holds(report["node"] == f"{name}Backward", call, _shared_hints.not_own.format(name=name))
    for place, input_name in enumerate(inputs):
        if input_name in slopes:
            _judge_gradient(
                report, call, input_name, place, g, slopes, mistakes.get(input_name, {}), hint, rtol, atol
            )
    for changed_name, gradients in report["changed"].items():
        target = f"{changed_name}.detach()" if changed_name == RESULT else changed_name
        later_call = f"{RESULT} = {name}.apply({', '.join(inputs)}{more}), {target}.mul_(2), backward"
        for input_name, slope in slopes.items():
            question = later_call + say(en=f": gradient of {input_name}", ko=f": {input_name}의 gradient")
            check.close(
                gradients[input_name],
                _vjp(slope, g),
                question,
                rtol=rtol,
                atol=atol,
                hint=_shared_hints.silent,
            )
    return call, report


def _judge_gradient(
    report: ProbeReport,
    call: str,
    input_name: str,
    place: int,
    g: torch.Tensor,
    slopes: Mapping[str, Slope],
    own_mistakes: Mapping[str, Any],
    hint: str,
    rtol: float | None,
    atol: float | None,
) -> None:
    got, want = report["gradients"][input_name], _vjp(slopes[input_name], g)
    check.holds(got is not None, call, _shared_hints.no_gradient.format(name=input_name, place=place))

    def find_mistakes() -> Mapping[str, Any]:
        if _agrees(report["alone"].get(input_name), want, rtol, atol):
            return {_shared_hints.between: lambda _: True}
        common_mistakes = _common_mistakes(input_name, g, slopes)
        return {
            **own_mistakes,
            **{text: value for text, value in common_mistakes.items() if text not in own_mistakes},
        }

    question = call + say(en=f": gradient of {input_name}", ko=f": {input_name}의 gradient")
    judge(got, want, question, mistakes=find_mistakes, hint=hint, rtol=rtol, atol=atol)
    question += say(en=", second backward pass", ko=", 두 번째 역방향 계산")
    check.close(
        report["again"][input_name], want, question, rtol=rtol, atol=atol, hint=_shared_hints.walked_again
    )


def _vjp(slope: Slope, g: torch.Tensor) -> torch.Tensor:
    return g * slope if isinstance(slope, torch.Tensor) else slope(g)


def _common_mistakes(input_name: str, g: torch.Tensor, slopes: Mapping[str, Slope]) -> dict[str, Any]:
    want = _vjp(slopes[input_name], g)
    other_gradients = tuple(_vjp(slope, g) for name, slope in slopes.items() if name != input_name)
    summed_gradient = want.sum().expand(want.shape)
    # In a layer norm, the elements of the gradient add up to 0. Other mistakes also give 0, so a gradient of
    # 0 would not prove that its elements were added together.
    if summed_gradient.abs().sum() < 1e-6 * want.abs().sum():
        summed_gradient = torch.full_like(want, torch.nan)
    return {
        _shared_hints.arriving: _vjp(slopes[input_name], torch.ones_like(g)),
        _shared_hints.swapped_inputs: other_gradients,
        _shared_hints.added_together.format(name=input_name): summed_gradient,
    }


def _call_text(
    name: str, inputs: Mapping[str, torch.Tensor], suffix: str, g: torch.Tensor | None, tracked: list[str]
) -> str:
    inputs_text = (
        ", ".join(f"{input_name}={check.numbers(tensor)}" for input_name, tensor in inputs.items()) + suffix
    )
    question = f"{name}.apply({inputs_text}), {str(next(iter(inputs.values())).dtype)[6:]}"
    question += "" if g is None else f", grad_output={check.numbers(g)}"
    return question if len(tracked) == len(inputs) else f"{question}, requires_grad: {', '.join(tracked)}"


def _agrees(got: Any, want: torch.Tensor, rtol: float | None, atol: float | None) -> bool:
    try:
        check.close(got, want, rtol=rtol, atol=atol)
    except check.CheckFailed:
        return False
    return True
