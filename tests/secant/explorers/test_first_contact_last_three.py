"""Tests of the first explorers of lessons 8 to 10: the quotient tends to the gradient at every x."""

import re
from typing import Any

import pytest

import secant
from tests.support.lessons import LESSONS
from tests.support.reading import problems, remarks, shown

CALLS = {
    "08_your_own_backward": ("explore_backward", ("quotient1", "quotient2", "quotient3")),
    "09_gradients_of_gradients": ("explore_second", ("quotient",)),
    "10_build_your_own_autograd": ("explore_engine", ("quotient",)),
}


def opened(lesson: str) -> Any:
    """Return the explorer that a lesson opens first."""
    name, _ = CALLS[lesson]
    text = next(one for one in LESSONS if one.name == lesson).text.read_text(encoding="utf-8")
    call = re.search(rf"^{name}\(.*\)$", text, flags=re.M)
    assert call
    return eval(call[0], {name: getattr(secant, name)})


@pytest.mark.parametrize("share", [0.1, 0.45, 0.9])
@pytest.mark.parametrize("lesson", CALLS)
def test_quotients_tend_to_the_gradient_at_every_x(lesson: str, share: float) -> None:
    explorer = opened(lesson)
    assert explorer.setting.h == 1.0
    explorer.x.choose(explorer.x.min + share * (explorer.x.max - explorer.x.min))
    gradient = shown(explorer, "gradient")
    for row in CALLS[lesson][1]:
        distances = []
        for log_h in range(0, -5, -1):
            explorer.log_h.value = log_h
            distances.append(abs(shown(explorer, row) - gradient))
        assert distances == sorted(distances, reverse=True)
        assert distances[-1] < 1e-3 * abs(gradient)
    assert remarks(explorer) == problems(explorer) == ""


def test_engine_without_a_bug_agrees_with_quotient_and_autograd() -> None:
    explorer = opened("10_build_your_own_autograd")
    assert explorer.setting.bug == "none"
    for x in (0.7, 1.6, 2.9):
        explorer.x.choose(x)
        assert shown(explorer, "engine") == pytest.approx(shown(explorer, "gradient"))


@pytest.mark.parametrize("lesson", CALLS)
def test_first_question_asks_to_move_x(lesson: str) -> None:
    first = opened(lesson).first_look().questions[0]
    assert "Move $x$" in first.en
    assert "$x$를 옮긴" in first.ko
    assert first.state["h"] == 1.0
