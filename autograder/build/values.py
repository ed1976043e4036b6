"""Compute the values that wrong answers return for the visible cases of a test.

The values are written as in a test cell, so that an author can paste them there.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import torch

from autograder.build.trying import Child, quiet, tasks_to_try
from autograder.course.cells import split_tests
from autograder.course.errors import CourseError
from autograder.course.lesson import Answer, Lesson, wrong_answers
from secant import check
from secant.checking import situation
from secant.checking.ask import use_transport

# Number of significant digits of a printed value. No test needs more digits to recognise the value that a
# mistake produces.
_DIGITS = 12


@dataclass(frozen=True)
class Case:
    """A question in the visible part of a test cell.

    Attributes:
        call: the question, as a message shows it.
        right: the value that the course's own answer returns.
        mistakes: a line of text for each wrong answer that returns another value or raises an error.
    """

    call: str
    right: str
    mistakes: list[str]


def wrong_values(lesson: Lesson, task: str) -> Iterator[Case]:
    """Yield the questions of a task's visible tests, with the values that right and wrong answers return.

    The author may not have written the expected value of a new case yet. Therefore the questions are
    collected by running the visible part on the course's own answer, and a failure of that run is ignored.

    Raises:
        CourseError: there is no such task, or its visible part does not use `ask`.
    """
    import_code, chosen_tasks = tasks_to_try(lesson, task)
    for chosen_task in chosen_tasks:
        assert chosen_task.test is not None
        visible, right_code = (
            split_tests(chosen_task.test.source)[0],
            f"{import_code}\n{chosen_task.answer.source}",
        )
        answers = [answer for answer in wrong_answers(lesson) if answer.task == chosen_task.id]
        children = [
            Child(_send_values, right_code, f"{import_code}\n{answer.source}", visible) for answer in answers
        ]
        cases: dict[str, Case] = {}
        for answer, child in zip(answers, children, strict=True):
            rows = child.result()
            for call, right, value, error in [] if isinstance(rows, str) else rows:
                case = cases.setdefault(call, Case(call, right, []))
                mistake = _mistake(answer, value, error)
                # a test with partial credit may ask the same question several times
                if value != right and mistake not in case.mistakes:
                    case.mistakes.append(mistake)
        if not cases:
            raise CourseError(f"The visible part of test_{chosen_task.id} puts no question with `ask`.")
        yield from cases.values()


def _mistake(answer: Answer, value: str, error: str) -> str:
    if error:
        return f"# {answer.name}: {error}"
    return (f"hint.{answer.hint_name}: {value}," if answer.hint_name else value) + f"  # {answer.name}"


def _send_values(connection: Connection, right_code: str, wrong_code: str, visible: str) -> None:
    check.seed(b"the same draws for each answer")
    with quiet("en"):
        connection.send(list(_values(right_code, wrong_code, visible)))


def _values(right_code: str, wrong_code: str, visible: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield each question, the right answer's value, and the wrong answer's value or error."""
    right_names: dict[str, Any] = {"__name__": "__main__"}
    wrong_names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(right_code, "own", "exec"), right_names)
    questions: list[tuple[str, Mapping[str, Any], str]] = []

    def transport(request: dict[str, Any]) -> dict[str, Any]:
        single_request = {key: value for key, value in request.items() if key != "ahead"}
        answer = situation.answer_request(single_request, right_names)
        if "kept" not in request:
            questions.append((check.call_in_progress(), single_request, literal(answer["result"])))
        return answer

    with suppress(Exception), use_transport(transport):
        exec(compile(visible, "test", "exec"), right_names)
    exec(compile(wrong_code, "answer", "exec"), wrong_names)
    for call, request, right in questions:
        value = error = ""
        try:
            value = literal(situation.answer_request(request, wrong_names)["result"])
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}".partition("\n")[0]
        yield call, right, value, error


def literal(value: object) -> str:
    """Return a value as it would be written in a test cell."""
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        numbers = re.sub(r"\.0\b", "", literal(value.tolist()))
        return f"tensor({numbers}" + ("" if kind == "float64" else f', "{kind}"') + ")"
    if isinstance(value, float):
        return repr(float(f"{value:.{_DIGITS}g}")) if abs(value) < float("inf") else f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {literal(part)}' for key, part in value.items())}}}"
    return repr(value)
