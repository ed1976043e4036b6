"""Tests of recorded answers that name another answer as a base and contain only the methods that differ."""

import pytest

from autograder.build import rules
from autograder.course.lesson import Lesson, wrong_answers
from autograder.course.variants import variant

BASE = """class Double:
    factor = 2

    @staticmethod
    def forward(x):
        ### BEGIN SOLUTION
        return 2 * x
        ### END SOLUTION

    @staticmethod
    def backward(g):
        return 2 * g"""
CHANGES = """half = 0.5


class Double:
    name = "wrong"

    @staticmethod
    def backward(g):
        return half * g

    def more(self):
        pass


print(half)"""


def test_variant_replaces_methods_by_name_and_adds_the_others() -> None:
    assert variant(BASE, CHANGES) == """half = 0.5


class Double:
    factor = 2

    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def backward(g):
        return half * g

    name = "wrong"

    def more(self):
        pass


print(half)"""


@pytest.mark.parametrize("changes", ["class Other:\n    pass", "def double(x):\n    return x", "class Double"])
def test_variant_of_another_class_is_refused(changes: str) -> None:
    with pytest.raises(ValueError, match=r"class|not Python"):
        variant(BASE, changes)


def write_wrong_answers(steps: Lesson, text: str) -> None:
    (steps.folder / "wrong_answers.py").write_text(text, encoding="utf-8")


def test_recorded_answer_starts_from_the_courses_own_or_an_earlier_one(steps: Lesson) -> None:
    counts = "class Counter:\n    def count(self):\n        return {}\n\n\n"
    write_wrong_answers(
        steps,
        f'# %% one task="Counter" base="own" hint="a"\n{counts.format(1)}'
        f'# %% two task="Counter" base="one" hint="a"\nclass Counter:\n    def __init__(self):\n        self.m = 2\n',
    )
    first, second = wrong_answers(steps)
    assert first.source == "class Counter:\n    def __init__(self):\n        self.n = 0\n\n" + (
        "    def count(self):\n        return 1"
    )
    assert second.source == first.source.replace("self.n = 0", "self.m = 2")


def test_base_that_no_earlier_answer_has_is_reported_with_its_line(steps: Lesson) -> None:
    write_wrong_answers(steps, '# %% one task="Counter" base="two" hint="a"\nclass Counter:\n    pass\n')
    (problem,) = rules.lesson_problems(steps)
    assert problem == (
        'course/01_steps/wrong_answers.py:1, cell "one": no answer "two" to Counter stands before it.'
    )
    write_wrong_answers(steps, '# %% one task="Counter" base="own" hint="a"\nclass Count:\n    pass\n')
    (problem,) = rules.lesson_problems(steps)
    assert problem.endswith('it cannot start from "own": both need a class of the same name.')
