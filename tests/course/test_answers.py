"""Tests of every task against the answers that are recorded next to its lesson.

They need no kernel, so an author gets the results quickly.
"""

import ast
import random
import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from types import CodeType
from typing import Any

import pytest

from autograder.course.cells import BEGIN_SOLUTION, END_SOLUTION, Task, split_tests, tasks
from autograder.course.hints import contains_hint
from autograder.course.lesson import Answer, Lesson
from autograder.overrides.hide_tests import hidden_lines
from secant import check, language
from secant.checking.credit import PartialCredit
from secant.language import LANGUAGES
from tests.support.lessons import (
    LESSONS,
    examined_in,
    imports,
    questions,
    right_answers,
    source,
    wrong_answers,
)
from tests.support.settings import as_it_was  # noqa: F401
from tests.support.suites import case


def answered(answers: Sequence[Answer], task: Task) -> list[Answer]:
    return [answer for answer in answers if answer.task == task.id]


def named(items: list[tuple[Any, ...]]) -> list[str]:
    return ["-".join(getattr(part, "id", getattr(part, "name", "")) for part in item) for item in items]


CASES = [(lesson, task) for lesson in LESSONS for task in questions(lesson)]
WRONG = [(lesson, task, wrong) for lesson, task in CASES for wrong in answered(wrong_answers(lesson), task)]
RIGHT = [
    case(lesson, task, right, quick=False, id=f"{lesson.name}-{task.id}-{right.name}")
    for lesson, task in CASES
    for right in answered(right_answers(lesson), task)
]


# Each number in `draws` seeds other inputs, and the examiner's tests (test_agreement.py) draw further ones.
# More draws would only repeat these tests, so they are left to the deep tests.
def draws(first: int) -> pytest.MarkDecorator:
    more = pytest.param(range(first, 10), marks=pytest.mark.deep)
    return pytest.mark.parametrize("draws", [range(first), more], ids=["first draws", "more draws"])


def in_both_languages() -> Iterator[Any]:
    """Yield test cases with each wrong answer in each language.

    The examiner's tests check each answer in one of the languages, so the case in that language is left to
    the deep tests. If several answers to a task get the same hint, only the first one is in the quick suite:
    the others test only the lesson's text.
    """
    for lesson, task in CASES:
        told = set()
        for number, wrong in enumerate(answered(wrong_answers(lesson), task), 1):
            repeats = wrong.hint["en"] in told
            told.add(wrong.hint["en"])
            for tongue in LANGUAGES:
                marks = [pytest.mark.deep] if tongue == examined_in(number) else []
                marks += [pytest.mark.whole] if repeats else []
                id = f"{lesson.name}-{task.id}-{wrong.name}-{tongue}"
                yield pytest.param(lesson, task, wrong, tongue, marks=marks, id=id)


@cache
def compiled(text: str, name: str) -> CodeType:
    return compile(text, name, "exec")


def failure_of(lesson: Lesson, answer: str, test: str) -> check.CheckFailed | None:
    """Run an answer and its test; return the check that failed, or None for a pass."""
    names: dict[str, object] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="torch")  # torch's own warnings
        exec(compiled(imports(lesson) + "\n" + answer, "answer"), names)
        try:
            exec(compiled(test, "test"), names)
            if credit := PartialCredit.failed_in(names):
                raise credit.failure
        except check.CheckFailed as failure:
            return failure
    return None


def grade(lesson: Lesson, answer: str, test: str) -> str:
    """Run an answer and its test; return the message, or an empty string for a pass."""
    failure = failure_of(lesson, answer, test)
    return "" if failure is None else str(failure)


def verdict_of(lesson: Lesson, answer: str, test: str) -> tuple[str, str]:
    """Return the message that a student reads and its hint's name; if the answer raises, the error and ""."""
    try:
        failure = failure_of(lesson, answer, test)
    except Exception as error:
        return "".join(traceback.format_exception_only(error)), ""
    return ("", "") if failure is None else (str(failure), failure.verdict.hint)


@draws(1)
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_solution_passes(lesson: Lesson, task: Task, draws: range) -> None:
    for number in draws:
        check.seed(bytes([number]))
        assert not grade(lesson, task.answer.source, task.test.source)


def draw_coarsely(patch: pytest.MonkeyPatch, steps: int) -> None:
    """Make `check` draw multiples of 1 / steps, as long as there are enough of them.

    The draws then often hit kinks, zeros and equal numbers, which are rare otherwise.
    """
    numbers = random.Random(steps)

    def draw(low: float, high: float) -> float:
        number = round(numbers.uniform(low, high) * steps) / steps
        return number if low <= number <= high else round(numbers.uniform(low, high), 3)

    def draws(n: int, low: float, high: float) -> list[float]:
        found: dict[float, None] = {}  # a dict, because it keeps the order
        for number in (draw(low, high) for _ in range(4 * n)):
            found[number] = None
        while len(found) < n:
            found[round(numbers.uniform(low, high), 3)] = None
        return list(found)[:n]

    patch.setattr(check, "draw", draw)
    patch.setattr(check, "draws", draws)


@pytest.mark.whole
@pytest.mark.parametrize("steps", [1, *(pytest.param(n, marks=pytest.mark.deep) for n in (2, 4, 10))])
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_right_answers_pass_where_drawn_numbers_coincide(
    lesson: Lesson, task: Task, steps: int, deep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_coarsely(monkeypatch, steps)
    others = answered(right_answers(lesson), task) if deep else []
    for answer in (task.answer.source, *(right.source for right in others)):
        assert not grade(lesson, answer, task.test.source)


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_unanswered_stub_fails_the_visible_test(lesson: Lesson, task: Task) -> None:
    visible, _ = split_tests(task.test.source)
    stub = re.sub(
        f"### {BEGIN_SOLUTION}.*?### {END_SOLUTION}",
        "raise NotImplementedError",
        task.answer.source,
        flags=re.S,
    )
    with pytest.raises(NotImplementedError):
        grade(lesson, stub, visible)


@draws(1)
@pytest.mark.parametrize(("lesson", "task", "right"), RIGHT)
def test_right_answer_in_another_style_passes(
    lesson: Lesson, task: Task, right: Answer, draws: range
) -> None:
    for number in draws:
        check.seed(bytes([number]))
        assert not grade(lesson, right.source, task.test.source)


@draws(1)
@pytest.mark.parametrize(("lesson", "task", "wrong", "tongue"), list(in_both_languages()))
def test_wrong_answer_fails_with_its_recorded_hint(
    lesson: Lesson, task: Task, wrong: Answer, tongue: str, draws: range
) -> None:
    language(tongue)
    for number in draws:
        check.seed(random.Random(number).randbytes(4))
        message, name = verdict_of(lesson, wrong.source, task.test.source)
        assert message, f'the wrong answer "{wrong.name}" passes'
        hint = wrong.hint[tongue]
        assert contains_hint(message, hint), f'"{wrong.name}" is not told "{hint}" but\n{message}'
        if wrong.hint_name:
            assert name == wrong.hint_name


@pytest.mark.whole
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_the_visible_tests_refuse_two_thirds_of_the_wrong_answers(lesson: Lesson, task: Task) -> None:
    """Otherwise students would take many wrong answers for right until the hidden tests refuse them."""
    visible, _ = split_tests(task.test.source)
    wrong = answered(wrong_answers(lesson), task)
    passed = []
    for answer in wrong:
        check.seed(b"one draw")
        if not verdict_of(lesson, answer.source, visible)[0]:
            passed.append(answer.name)
    told = f"the visible test of {task.id} passes {len(passed)} of {len(wrong)} wrong answers"
    assert 3 * len(passed) <= len(wrong), f"{told}, and at most a third may: {passed}"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_recorded_answer_names_an_existing_task(lesson: Lesson) -> None:
    known = {task.id for task in tasks(source(lesson))}
    strange = {answer.task for answer in (*wrong_answers(lesson), *right_answers(lesson))} - known
    assert not strange, f"{lesson.name} has no tasks {sorted(strange)}, and answers to them are recorded"


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_no_message_repeats_a_hidden_line(lesson: Lesson, task: Task) -> None:
    """The feedback omits every line that repeats a hidden line, and a hint in it would be lost."""
    assert task.test is not None
    calls = [node for node in ast.walk(ast.parse(task.test.source)) if isinstance(node, ast.Call)]
    said = [call for call in calls if getattr(call.func, "id", "") == "say"]
    texts = [node.value for call in said for node in ast.walk(call) if isinstance(node, ast.Constant)]
    hidden = hidden_lines(source(lesson))
    assert not [(line, text) for text in texts for line in hidden if line in str(text)]


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=named(CASES))
def test_no_test_cell_compares_the_text_of_a_hint(lesson: Lesson, task: Task) -> None:
    """A hint may be reworded or equal another one, so a test's logic must not depend on its text."""
    compared = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(task.test.source))
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "hint"
    ]
    assert not compared


def test_accumulate_messages_show_code_that_a_student_can_type() -> None:
    for lesson, task, wrong in WRONG:
        if task.id == "accumulate":
            said = grade(lesson, wrong.source, task.test.source)
            assert said.startswith("accumulate(model, ")
            assert re.search(r"\n    (model|model = .*; part)\(X\) = ", said)
            assert "graphs." not in said
            assert "piece(" not in said


def test_drawn_inputs_of_accumulate_can_be_recreated_from_the_message() -> None:
    """The model is too large to be shown, so a line of code below the call creates it."""
    known = {wrong.name: (lesson, task, wrong) for lesson, task, wrong in WRONG if task.id == "accumulate"}
    model = "tanh(X @ inner) @ outer + bias"
    for name in ("two columns taken for granted", "eats the batches"):
        lesson, task, wrong = known[name]
        said = grade(lesson, wrong.source, task.test.source)
        assert f"\n    model(X) = {model}; torch.manual_seed(" in said
