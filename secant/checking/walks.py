"""What an operation with a backward of its own must do when it is walked back through: lesson 8."""

from collections.abc import Mapping
from typing import Any

import torch

from secant.catalogue import Hints
from secant.checking import check
from secant.checking.ask import judge
from secant.language import say

_usual = Hints({})


def judge_walks(
    found: Mapping[str, Any],
    call: str,
    name: str,
    want: Mapping[str, torch.Tensor],
    mistakes: Mapping[str, Mapping[str, Any]],
    hint: str = "",
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Check what `custom.walk_back` told of the two walks back; its value is the caller's to check.

    Args:
        found: what it told.
        call: the call, as a student would type it.
        name: of the student's class.
        want: by name of each tracked input, its gradient.
        mistakes: by name of each input, in the order of forward, its mistakes as for `Answer.returns`.
        hint: what to say where no mistake is recognised.
        rtol, atol: as for `check.close`.
    """
    error = found["error"]
    once = _usual.walked_once if found["walked"] else ""
    check.holds(not error, call, error, _usual.saved_in_place if "inplace" in error else once)
    own = found["node"] == f"{name}Backward"
    check.holds(own, call, _usual.not_own.format(name=name))
    for of, gradient in want.items():
        got, place = found["gradients"][of], list(mistakes).index(of)
        check.holds(got is not None, call, _usual.no_gradient.format(name=of, place=place))
        between = _is(found["alone"].get(of), gradient, rtol, atol)
        asked = call + say(en=f": gradient of {of}", ko=f": {of}의 gradient")
        why = _usual.between if between else hint
        judge(got, gradient, asked, mistakes=mistakes[of], hint=why, rtol=rtol, atol=atol)
        walked = call + say(en=f": gradient of {of}, second walk", ko=f": {of}의 gradient, 두 번째")
        again = found["again"][of]
        check.close(again, gradient, walked, rtol=rtol, atol=atol, hint=_usual.walked_again)
    unasked = [of for of in found["returned"] if of not in want]
    check.holds(not unasked, call, _usual.unasked.format(name=", ".join(unasked)))


def _is(got: Any, want: torch.Tensor, rtol: float | None, atol: float | None) -> bool:
    try:
        check.close(got, want, rtol=rtol, atol=atol)
    except check.CheckFailed:
        return False
    return True
