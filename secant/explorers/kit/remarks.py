"""What several explorers have to say of numbers that came out without an error; each adds its own words."""

from secant.explorers.kit.widget import Findings


def step_lost(found: Findings, there: str, here: str, h: float, *, en: str, ko: str) -> None:
    """Remark that `there` rounds to `here`.

    Args:
        found: where to note it.
        there: such as "x + h".
        here: such as "x".
        h: the step.
        en: what follows on "h is lost in rounding", with its comma or full stop.
        ko: what follows on "h은 반올림으로", with its verb.
    """
    found.remark(
        en=f"{there} is {here} itself: h = {h:.1e} is lost in rounding{en}",
        ko=f"{there}가 {here}와 똑같습니다. h = {h:.1e}은 반올림으로 {ko}",
    )


def zero_on_log_scale(found: Findings, *, en: str, ko: str) -> None:
    """Remark on what is exactly 0, as the two sentences say, and where it stands in the plot."""
    found.remark(
        en=f"{en} A log scale has no 0: it stands on the bottom line (▼).",
        ko=f"{ko} 로그 눈금에는 0이 없으므로 맨 아래 선에 ▼로 표시합니다.",
    )
