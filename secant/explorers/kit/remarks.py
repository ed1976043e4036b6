"""What several explorers say of numbers that came out without an error, each with words of its own."""

from secant.explorers.kit.subject import NEAR
from secant.explorers.kit.widget import Findings


def no_value(reading: Findings, where: str) -> None:
    """Note that a function has no finite value at a place, in symbols."""
    reading.problem(
        en=f"The function has no finite value at {where}.", ko=f"{where}에서 함수의 값이 유한하지 않습니다."
    )


def no_gradient(reading: Findings, x: float, gradient: float) -> None:
    """Note that there is no gradient to compare the quotient with."""
    reading.problem(
        en=f"At x = {x:g} autograd's gradient is {gradient}, so there is nothing to compare with.",
        ko=f"x = {x:g}에서 autograd의 gradient가 {gradient}이어서 비교할 수 없습니다.",
    )


def no_quotient(reading: Findings, *, en: str, ko: str) -> None:
    """Note that the function has no finite value at the place that the quotient compares with."""
    reading.problem(
        en=f"The function has no finite value at {en}, so there is no quotient.",
        ko=f"{ko}에서 함수의 값이 유한하지 않아 차분몫이 없습니다.",
    )


def exactly_zero(reading: Findings, *, en: str, ko: str) -> None:
    """Remark, after a sentence that says what is 0, where a log scale shows it."""
    reading.remark(
        en=f"{en} A log scale has no 0, so it is drawn on the bottom line (▼).",
        ko=f"{ko} 로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
    )


def few_places(reading: Findings, few: int) -> None:
    """Note, where it is so, that the right picture is of few x, as the function takes them one at a time."""
    if few != NEAR:
        reading.remark(
            en=f"This function takes one x at a time, so the right picture uses {few} x, not {NEAR}.",
            ko=f"이 함수는 x를 하나씩만 받으므로 오른쪽 그림은 x {NEAR}개 대신 {few}개로 그립니다.",
        )


def step_lost(reading: Findings, there: str, here: str, h: float, *, en: str, ko: str) -> None:
    """Note that `there`, such as x + h, rounds to `here`, such as x.

    The words go on: from "h is lost in rounding", with a comma or a full stop; from "간격은 반올림으로".
    """
    reading.remark(
        en=f"{there} is {here} itself: h = {h:.1e} is lost in rounding{en}",
        ko=f"{there}가 {here}와 똑같습니다. h = {h:.1e}만큼의 간격은 반올림으로 {ko}",
    )
