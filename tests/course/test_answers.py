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
    examiner_language,
    imports,
    questions,
    right_answers,
    source,
    wrong_answers,
)
from tests.support.settings import preserved_settings  # noqa: F401
from tests.support.suites import case


def answers_to(answers: Sequence[Answer], task: Task) -> list[Answer]:
    return [answer for answer in answers if answer.task == task.id]


def case_ids(items: list[tuple[Any, ...]]) -> list[str]:
    return ["-".join(getattr(part, "id", getattr(part, "name", "")) for part in item) for item in items]


CASES = [(lesson, task) for lesson in LESSONS for task in questions(lesson)]
WRONG_CASES = [
    (lesson, task, answer) for lesson, task in CASES for answer in answers_to(wrong_answers(lesson), task)
]
RIGHT_CASES = [
    case(lesson, task, answer, quick=False, id=f"{lesson.name}-{task.id}-{answer.name}")
    for lesson, task in CASES
    for answer in answers_to(right_answers(lesson), task)
]


# Each number in `draws` is a seed for drawing inputs, and the examiner's tests (test_agreement.py) use other
# seeds. Further seeds would only repeat these tests, so they are left to the deep tests.
def draws(first: int) -> pytest.MarkDecorator:
    more_draws = pytest.param(range(first, 10), marks=pytest.mark.deep)
    return pytest.mark.parametrize("draws", [range(first), more_draws], ids=["first draws", "more draws"])


def wrong_answer_cases() -> Iterator[Any]:
    """Yield test cases with each wrong answer in each language.

    The examiner's tests check each answer in one of the languages, so the case in that language runs only in
    the deep tests. If several answers to a task get the same hint, only the first one is in the quick suite:
    the others test only the lesson's text.
    """
    for lesson, task in CASES:
        hints = set()
        for number, answer in enumerate(answers_to(wrong_answers(lesson), task), 1):
            is_repeated = answer.hint["en"] in hints
            hints.add(answer.hint["en"])
            for lang in LANGUAGES:
                marks = [pytest.mark.deep] if lang == examiner_language(number) else []
                marks += [pytest.mark.whole] if is_repeated else []
                id = f"{lesson.name}-{task.id}-{answer.name}-{lang}"
                yield pytest.param(lesson, task, answer, lang, marks=marks, id=id)


@cache
def compile_code(text: str, name: str) -> CodeType:
    return compile(text, name, "exec")


def failure_of(lesson: Lesson, answer: str, test: str) -> check.CheckFailed | None:
    """Run an answer and its test; return the check that failed, or None for a pass."""
    names: dict[str, object] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="torch")  # torch's own warnings
        exec(compile_code(imports(lesson) + "\n" + answer, "answer"), names)
        try:
            exec(compile_code(test, "test"), names)
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
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
def test_solution_passes(lesson: Lesson, task: Task, draws: range) -> None:
    for number in draws:
        check.seed(bytes([number]))
        assert not grade(lesson, task.answer.source, task.test.source)


def draw_coarsely(patch: pytest.MonkeyPatch, steps: int) -> None:
    """Make `check` draw its random inputs from the multiples of 1 / steps, as long as there are enough.

    Kinks, zeros and equal numbers, which are rare otherwise, then occur often.
    """
    rng = random.Random(steps)

    def draw(low: float, high: float) -> float:
        number = round(rng.uniform(low, high) * steps) / steps
        return number if low <= number <= high else round(rng.uniform(low, high), 3)

    def draws(n: int, low: float, high: float) -> list[float]:
        numbers: dict[float, None] = {}  # a dict, because it keeps the order
        for number in (draw(low, high) for _ in range(4 * n)):
            numbers[number] = None
        while len(numbers) < n:
            numbers[round(rng.uniform(low, high), 3)] = None
        return list(numbers)[:n]

    patch.setattr(check, "draw", draw)
    patch.setattr(check, "draws", draws)


@pytest.mark.whole
@pytest.mark.parametrize("steps", [1, *(pytest.param(n, marks=pytest.mark.deep) for n in (2, 4, 10))])
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
def test_right_answers_pass_where_drawn_numbers_coincide(
    lesson: Lesson, task: Task, steps: int, deep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_coarsely(monkeypatch, steps)
    other_answers = answers_to(right_answers(lesson), task) if deep else []
    for answer in (task.answer.source, *(other.source for other in other_answers)):
        assert not grade(lesson, answer, task.test.source)


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
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
@pytest.mark.parametrize(("lesson", "task", "answer"), RIGHT_CASES)
def test_right_answer_in_another_style_passes(
    lesson: Lesson, task: Task, answer: Answer, draws: range
) -> None:
    for number in draws:
        check.seed(bytes([number]))
        assert not grade(lesson, answer.source, task.test.source)


@draws(1)
@pytest.mark.parametrize(("lesson", "task", "answer", "lang"), list(wrong_answer_cases()))
def test_wrong_answer_fails_with_its_recorded_hint(
    lesson: Lesson, task: Task, answer: Answer, lang: str, draws: range
) -> None:
    language(lang)
    for number in draws:
        check.seed(random.Random(number).randbytes(4))
        message, name = verdict_of(lesson, answer.source, task.test.source)
        assert message, f'the wrong answer "{answer.name}" passes'
        hint = answer.hint[lang]
        assert contains_hint(message, hint), f'"{answer.name}" is not told "{hint}" but\n{message}'
        if answer.hint_name:
            assert name == answer.hint_name


@pytest.mark.whole
@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
def test_the_visible_tests_refuse_two_thirds_of_the_wrong_answers(lesson: Lesson, task: Task) -> None:
    """Otherwise students would take many wrong answers for right until the hidden tests refuse them."""
    visible, _ = split_tests(task.test.source)
    answers = answers_to(wrong_answers(lesson), task)
    passed_names = []
    for answer in answers:
        check.seed(b"one draw")
        if not verdict_of(lesson, answer.source, visible)[0]:
            passed_names.append(answer.name)
    message = f"the visible test of {task.id} passes {len(passed_names)} of {len(answers)} wrong answers"
    assert 3 * len(passed_names) <= len(answers), f"{message}, and at most a third may: {passed_names}"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_recorded_answer_names_an_existing_task(lesson: Lesson) -> None:
    task_ids = {task.id for task in tasks(source(lesson))}
    unknown = {answer.task for answer in (*wrong_answers(lesson), *right_answers(lesson))} - task_ids
    assert not unknown, f"{lesson.name} has no tasks {sorted(unknown)}, and answers to them are recorded"


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
def test_no_message_repeats_a_hidden_line(lesson: Lesson, task: Task) -> None:
    """The feedback omits every line that repeats a hidden line, and a hint in it would be lost."""
    assert task.test is not None
    calls = [node for node in ast.walk(ast.parse(task.test.source)) if isinstance(node, ast.Call)]
    say_calls = [call for call in calls if getattr(call.func, "id", "") == "say"]
    texts = [node.value for call in say_calls for node in ast.walk(call) if isinstance(node, ast.Constant)]
    hidden = hidden_lines(source(lesson))
    assert not [(line, text) for text in texts for line in hidden if line in str(text)]


@pytest.mark.parametrize(("lesson", "task"), CASES, ids=case_ids(CASES))
def test_no_test_cell_compares_the_text_of_a_hint(lesson: Lesson, task: Task) -> None:
    """A hint may be reworded or equal another one, so a test's logic must not depend on its text."""
    comparisons = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(task.test.source))
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "hint"
    ]
    assert not comparisons


def test_accumulate_messages_show_code_that_a_student_can_type() -> None:
    for lesson, task, answer in WRONG_CASES:
        if task.id == "accumulate":
            message = grade(lesson, answer.source, task.test.source)
            assert message.startswith("accumulate(model, ")
            assert re.search(r"\n    (model|model = .*; part)\(X\) = ", message)
            assert "graphs." not in message
            assert "piece(" not in message


def test_drawn_inputs_of_accumulate_can_be_recreated_from_the_message() -> None:
    """The model is too large to be shown, so a line of code below the call creates it."""
    cases = {
        answer.name: (lesson, task, answer) for lesson, task, answer in WRONG_CASES if task.id == "accumulate"
    }
    model = "tanh(X @ inner) @ outer + bias"
    for name in ("two columns taken for granted", "eats the batches"):
        lesson, task, answer = cases[name]
        message = grade(lesson, answer.source, task.test.source)
        assert f"\n    model(X) = {model}; torch.manual_seed(" in message
