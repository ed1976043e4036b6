"""Tests of the first explorers of lessons 8 to 10: the quotient tends to the gradient at every x."""

import re
from typing import Any

import pytest

import secant
from tests.support.lessons import LESSONS
from tests.support.reading import displayed_number, problems, remarks

CALLS = {
    "08_your_own_backward": ("explore_backward", ("quotient1", "quotient2", "quotient3")),
    "09_gradients_of_gradients": ("explore_second", ("quotient",)),
    "10_build_your_own_autograd": ("explore_engine", ("quotient",)),
}


def open_explorer(lesson: str) -> Any:
    """Return the explorer that a lesson opens first."""
    name, _ = CALLS[lesson]
    text = next(course_lesson for course_lesson in LESSONS if course_lesson.name == lesson).text.read_text(
        encoding="utf-8"
    )
    call = re.search(rf"^{name}\(.*\)$", text, flags=re.M)
    assert call
    return eval(call[0], {name: getattr(secant, name)})


@pytest.mark.parametrize("fraction", [0.1, 0.45, 0.9])
@pytest.mark.parametrize("lesson", CALLS)
def test_quotients_tend_to_the_gradient_at_every_x(lesson: str, fraction: float) -> None:
    explorer = open_explorer(lesson)
    assert explorer.setting.h == 1.0
    explorer.x.choose(explorer.x.min + fraction * (explorer.x.max - explorer.x.min))
    gradient = displayed_number(explorer, "gradient")
    for row in CALLS[lesson][1]:
        distances = []
        for log_h in range(0, -5, -1):
            explorer.log_h.value = log_h
            distances.append(abs(displayed_number(explorer, row) - gradient))
        assert distances == sorted(distances, reverse=True)
        assert distances[-1] < 1e-3 * abs(gradient)
    assert remarks(explorer) == problems(explorer) == ""


def test_engine_without_a_bug_agrees_with_quotient_and_autograd() -> None:
    explorer = open_explorer("10_build_your_own_autograd")
    assert explorer.setting.bug == "none"
    for x in (0.7, 1.6, 2.9):
        explorer.x.choose(x)
        assert displayed_number(explorer, "engine") == pytest.approx(displayed_number(explorer, "gradient"))


@pytest.mark.parametrize("lesson", CALLS)
def test_first_question_asks_to_move_x(lesson: str) -> None:
    question = open_explorer(lesson).first_look().questions[0]
    assert "Move $x$" in question.en
    assert "$x$를 옮긴" in question.ko
    assert question.state["h"] == 1.0
