"""Messages, shared by several explorers, about unusual numbers (such as NaN) computed without an error."""

import math
from collections.abc import Mapping

from secant.explorers.kit.subject import MEDIAN_POINTS
from secant.explorers.kit.widget import Findings


def no_value(reading: Findings, place: str) -> None:
    """Report as a problem that the function has no finite value at `place`, such as "x = 2"."""
    reading.problem(
        en=f"The function has no finite value at {place}.", ko=f"{place}에서 함수의 값이 유한하지 않습니다."
    )


def no_gradient(reading: Findings, x: float, gradient: float) -> None:
    """Report as a problem that there is no finite gradient to compare with the difference quotient."""
    reading.problem(
        en=f"At x = {x:g} autograd's gradient is {gradient}, so there is nothing to compare with.",
        ko=f"x = {x:g}에서 autograd의 gradient가 {gradient}이어서 비교할 수 없습니다.",
    )


def infinite_slope(reading: Findings, slopes: Mapping[str, float], gradient: float) -> None:
    """Add a remark about the infinite slope of a function in a chain, and its effect on the gradient.

    If all slopes are finite, the remark says that their product, the gradient, is not finite.
    """
    steep = next((name for name, slope in slopes.items() if math.isinf(slope)), "")
    slope = slopes.get(steep, math.nan)
    if not steep:
        reading.remark(
            en=f"The slopes are finite, but their product is not: the gradient is {gradient}.",
            ko=f"기울기는 모두 유한하지만 곱은 그렇지 않습니다. gradient가 {gradient}입니다.",
        )
    elif math.isnan(gradient):
        reading.remark(
            en=f"autograd's slope of {steep} is {slope} here, and another slope is 0. "
            "Their product is nan, and so is the gradient.",
            ko=f"여기서 autograd가 구한 {steep}의 기울기는 {slope}이고, 0인 기울기도 있습니다. "
            "둘의 곱은 nan이므로 gradient도 nan입니다.",
        )
    else:
        reading.remark(
            en=f"autograd's slope of {steep} is {slope} here, so the gradient is {gradient}.",
            ko=f"여기서 autograd가 구한 {steep}의 기울기가 {slope}이므로 gradient는 {gradient}입니다.",
        )


def no_quotient(reading: Findings, *, en: str, ko: str) -> None:
    """Report as a problem that the function has no finite value at a point of the difference quotient."""
    reading.problem(
        en=f"The function has no finite value at {en}, so there is no quotient.",
        ko=f"{ko}에서 함수의 값이 유한하지 않아 차분몫이 없습니다.",
    )


def exactly_zero(reading: Findings, *, en: str, ko: str) -> None:
    """Add a remark that a number is exactly 0, and that the log scale shows it on the bottom line.

    `en` and `ko` are sentences in English and in Korean that say which number is 0.
    """
    reading.remark(
        en=f"{en} A log scale has no 0, so it is drawn on the bottom line (▼).",
        ko=f"{ko} 로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
    )


def few_points(reading: Findings, count: int) -> None:
    """Add a remark that the right plot uses only `count` x values, unless `count` is the usual number.

    A function that takes one x at a time is too slow for the usual number of x values.
    """
    if count != MEDIAN_POINTS:
        reading.remark(
            en=f"This function takes one x at a time, so the right picture uses {count} x, "
            f"not {MEDIAN_POINTS}.",
            ko=f"이 함수는 x를 하나씩만 받으므로 오른쪽 그림은 "
            f"x {MEDIAN_POINTS}개 대신 {count}개로 그립니다.",
        )


def step_lost(reading: Findings, end: str, start: str, h: float, *, en: str, ko: str) -> None:
    """Add a remark that `end` (such as "x + h") is rounded to `start` (such as "x").

    The remark ends with text from the caller. `en` is the end of the English remark: it follows "h is lost in
    rounding", and begins with a comma or a full stop. `ko` is the end of the Korean remark: it follows
    "간격은 반올림으로".
    """
    reading.remark(
        en=f"{end} is {start} itself: h = {h:.1e} is lost in rounding{en}",
        ko=f"{end}가 {start}와 똑같습니다. h = {h:.1e}만큼의 간격은 반올림으로 {ko}",
    )
