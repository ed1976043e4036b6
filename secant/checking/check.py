"""Checks for test cells, with messages on what was expected, what was returned, and the likely cause.

A check that fails raises CheckFailed with a message in the current language. It writes nothing to stderr,
because nbgrader would count that against the student. Types, dtypes and shapes are compared before values.

Test cells import this module. It re-exports names from `draws`, `comparison`, `formatting`, `shrinking` and
`failure`.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from secant.catalogue import name_of
from secant.causes import likely_cause
from secant.checking.comparison import convert_mistake, difference, is_of_another_dtype
from secant.checking.credit import PartialCredit
from secant.checking.draws import draw, draw_again, draw_layouts, draw_tensor, draws
from secant.checking.draws import seed as seed_draws
from secant.checking.failure import CheckFailed
from secant.checking.formatting import CHARACTERS, kind, numbers, pair
from secant.checking.shrinking import fewest, smallest
from secant.language import say
from secant.verdict import Note, Part, Parts, call_part, cause_part

__all__ = [
    "CheckFailed",
    "asking",
    "call_in_progress",
    "close",
    "draw",
    "draw_again",
    "draw_layouts",
    "draw_tensor",
    "draws",
    "ended",
    "equal",
    "fewest",
    "holds",
    "kind",
    "no_error",
    "numbers",
    "refuse",
    "seed",
    "smallest",
    "untouched",
    "visible_passed",
]

# The relative tolerance for a "nearly right" result, which agrees with the expected value to three digits.
_NEARLY = 1e-3
# The maximum number of side effects that a message lists.
_LINES = 10
_calls_in_progress: list[str | Callable[[], str]] = []

Known = Mapping[Any, str] | Sequence[tuple[Any, str]]
Mistakes = Known | Callable[[], Known]


def seed(value: bytes) -> None:
    """Make the numbers that `draw` returns repeatable, and discard the calls that `asking` recorded."""
    seed_draws(value)
    _calls_in_progress.clear()


def close(
    got: Any,
    want: Any,
    call: str = "",
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    mistakes: Mistakes = (),
    nearly: str = "",
    hint: str = "",
) -> None:
    """Check that got is want, up to rounding.

    Args:
        got: the student's result.
        want: a float, a tensor, or a list, tuple or dict of them. A float asks for a plain Python number, a
            tensor for a tensor of the same dtype and shape, with or without a graph.
        call: the call that returned `got`, as the student would type it.
        rtol, atol: tolerances; by default those of want's dtype.
        equal_nan: whether nan is right where want is nan.
        mistakes: wrong values that reveal their cause, each with its hint. A number is expanded to a tensor
            like want; a list, or a tensor of another dtype, is converted to want's dtype. A value that cannot
            be distinguished from the right one is ignored. A function that returns the mistakes is called
            only when got is wrong.
        nearly: the hint to give if no mistake is recognised and got agrees with want to three digits, e.g.
            because of float32, rounding, or a difference quotient. It requires rtol.
        hint: the hint to give otherwise.

    Raises:
        CheckFailed: if got differs from want; the message has both and, if known, the likely cause.
    """

    def find_difference(a: Any, b: Any, factor: float = 1.0) -> str:
        try:
            rel, absolute = (None if t is None else factor * t for t in (rtol, atol))
            return difference(a, b, rel, absolute, equal_nan)
        except Exception as error:  # reading a student's object may raise any error
            error_name = type(error).__name__
            return say(en=f"It cannot be compared ({error_name}).", ko=f"비교할 수 없습니다({error_name}).")

    problem = find_difference(got, want)
    if not problem:
        return
    known_mistakes = mistakes() if callable(mistakes) else mistakes
    pairs = known_mistakes.items() if isinstance(known_mistakes, Mapping) else known_mistakes
    wrong_values = [(convert_mistake(want, value), mistake_hint) for value, mistake_hint in pairs]
    cause = next(
        (
            mistake_hint
            for value, mistake_hint in wrong_values
            if find_difference(want, value) and not find_difference(got, value)
        ),
        "",
    )
    if nearly and rtol and not cause and not find_difference(got, want, _NEARLY / rtol):
        cause = nearly
    if got is None is not want:  # a None inside the result does not point to a missing return
        problem += say(en=" Is a return missing?", ko=" return을 빠뜨리지 않았나요?")
        hint = ""
    elif is_of_another_dtype(got, want):
        hint = ""  # the wrong dtype explains the failure, so no hint is needed
    want_text, got_text = pair(want, got)
    parts = (
        Part("expected", want_text),
        Part("got", got_text),
        Part("text", problem),
        *cause_part(cause or hint),
    )
    default_cause = call if name_of(call) else problem.partition(" ")[0]
    raise CheckFailed((*call_part(call), *parts), cause or hint or default_cause)


def equal(got: Any, want: Any, call: str = "", *, mistakes: Mistakes = (), hint: str = "") -> None:
    """Check that got is exactly want, type included: a string, bool, int, None, or a container of these."""
    close(got, want, call, rtol=0.0, atol=0.0, mistakes=mistakes, hint=hint)


def holds(condition: bool, call: str, problem: str | Parts, cause: str = "") -> None:
    """Check any other condition on a call's result; `problem` describes what is wrong if it does not hold."""
    if condition is not True:
        refuse(call, problem, cause)


def refuse(call: str, problem: str | Parts, cause: str = "") -> NoReturn:
    """Raise CheckFailed with the call, what is wrong with its result, and the likely cause."""
    parts = (Part("text", problem),) if isinstance(problem, str) else problem
    reason = problem if isinstance(problem, str) else "\n".join(part.text for part in parts)
    raise CheckFailed((*call_part(call), *parts, *cause_part(cause)), cause or reason)


def no_error(results: Iterable[Any], call: str, hint: str | Mapping[str, str] = "") -> None:
    """Check that none of the calls made by `observe.attempt` raised an error.

    Args:
        results: the results of the calls.
        call: the call, as the student would type it.
        hint: the hint to give, or hints keyed by a substring of the error's text. The first hint that matches
            is given. Without a hint, the error's usual cause is given.

    Raises:
        CheckFailed: if a call raised an error; the message has the call, the error and the hint.
    """
    for result in results:
        if isinstance(result, dict) and "raised" in result:
            text, *own_lines = str(result["raised"]).split("\n", 1)
            hints = {"": hint} if isinstance(hint, str) else hint
            kind, _, message = text.partition(": ")
            cause = next(
                (text_hint for part, text_hint in hints.items() if part in text and text_hint),
                likely_cause(kind, message),
            )
            intro = Part("text", say(en="the call raised an error:", ko="오류가 났습니다:"))
            parts = (intro, Part("trace", text), *(Part("code", line.strip()) for line in own_lines[:1]))
            raise CheckFailed((*call_part(call), *parts, *cause_part(cause)), cause)


def ended(has_ended: bool, call: str, hint: str = "") -> None:
    """Check that a call made under `graphs.limit_steps` ran to completion.

    Raises:
        CheckFailed: if the call was stopped; the message shows the call and the hint.
    """
    if not has_ended:
        problem = say(en="The call did not end and was stopped.", ko="호출이 끝나지 않아 멈추었습니다.")
        refuse(call, problem, hint or say(en="a loop that does not end", ko="끝나지 않는 반복문"))


def untouched(
    changes: Iterable[Sequence[str]],
    call: str = "",
    *,
    but: Iterable[Sequence[str]] = (),
    hints: Mapping[str, str] | None = None,
) -> None:
    """Check that a call did not change what belongs to its caller.

    Args:
        changes: (kind, name) pairs from `secant.watch` or `secant.observe`.
        call: the call, as the student would type it.
        but: the changes that the task asks for, such as ("grad", "x").
        hints: hints keyed by the kind of a change, such as "grad"; the first one that matches is given.
    """
    allowed = {tuple(change) for change in but}
    side_effects = list(
        islice(((kind, name) for kind, name in changes if (kind, name) not in allowed), _LINES)
    )
    lines = [_side_effect(kind, name[:CHARACTERS]) for kind, name in side_effects]
    if lines:
        kinds = {kind for kind, _ in side_effects}
        cause = next((hint for kind, hint in (hints or {}).items() if kind in kinds), "")
        parts = (Part("text", line) for line in lines)
        raise CheckFailed((*call_part(call), *parts, *cause_part(cause)), cause or lines[0])


@contextlib.contextmanager
def asking(call: str | Callable[[], str]) -> Iterator[None]:
    """Record the call made in the `with` block, so that a message can quote a call that fails or never ends.

    `call` is the text that a student would type, or a function that returns this text. Such a function is
    called only when a message is needed.
    """
    _calls_in_progress.append(call)
    try:
        yield
    except CheckFailed:
        _calls_in_progress.pop()
        raise
    except Exception as error:
        name = call_in_progress()
        error.add_note(Note(say(en=f"The call was {name}", ko=f"호출: {name}")))
        raise
    _calls_in_progress.pop()


def call_in_progress() -> str:
    """Return the call that was in progress when a test stopped; an empty string if none was recorded."""
    call = _calls_in_progress[-1] if _calls_in_progress else ""
    return call() if callable(call) else call


def visible_passed(credit: PartialCredit | None = None) -> None:
    """Print that the visible tests have passed, unless a part of the cell has failed.

    Args:
        credit: the parts of the test cell, if it gives partial credit.
    """
    if credit is not None and credit.failures:
        return  # the cell's last line, `credit.points()`, reports the failure
    print(  # the message must not say "all tests", because there are hidden tests
        say(
            en="Visible tests passed. The hidden tests check more (see the list at the end). If you teach "
            f"yourself, press Check above the notebook to run them now (in a terminal: {_command()}).",
            ko="보이는 테스트를 통과했습니다. 숨은 테스트는 더 많은 것을 확인합니다(목록은 맨 뒤에 있습니다)."
            " 혼자 공부한다면 노트북 위의 ‘답 확인’을 눌러 바로 실행해 보세요"
            f"(터미널에서는 {_command()}).",
        )
    )


def _command() -> str:
    """Return the command that checks this lesson's notebook, with the lesson's number if it is known."""
    number = Path.cwd().name[:2]
    return f"autograder check {int(number)}" if number.isdecimal() else "autograder check"


def _side_effect(kind: str, name: str) -> str:
    texts = {
        "value": say(
            en=f"the call changed {name} itself: work on a new tensor, not in place",
            ko=f"{name}의 값이 바뀌었습니다. 제자리에서 고치지 말고 새 텐서를 만드세요",
        ),
        "grad": say(
            en=f"{name}.grad is not what it was before the call: another value, or another tensor (a copy?)",
            ko=f"{name}.grad가 호출하기 전과 다릅니다. 값이 다르거나 다른 텐서(복사본)입니다",
        ),
        **{
            field: say(en=f"{name}.{field} was changed", ko=f"{name}.{field}가 바뀌었습니다")
            for field in ("data", "parents", "slopes")
        },
        "fields": say(en=f"something was left on {name}", ko=f"{name}에 무언가가 남아 있습니다"),
        "requires_grad": say(
            en=f"{name}.requires_grad was changed", ko=f"{name}.requires_grad가 바뀌었습니다"
        ),
        "hooks": say(en=f"a hook was left on {name}", ko=f"{name}에 hook이 남아 있습니다"),
        "training": say(
            en=f"the training mode of {name} was changed", ko=f"{name}의 학습 모드가 바뀌었습니다"
        ),
        "grad_mode": say(en="gradient mode was left changed", ko="gradient 모드가 바뀐 채로 남았습니다"),
        "default_dtype": say(en="the default dtype was left changed", ko="기본 dtype이 바뀐 채로 남았습니다"),
        "random_seed": say(
            en="the seed of PyTorch's random numbers was changed", ko="PyTorch의 난수 시드가 바뀌었습니다"
        ),
        "anomaly_mode": say(
            en="torch's anomaly detection was left switched on",
            ko="torch의 이상 탐지(anomaly mode)가 켜진 채로 남았습니다",
        ),
        "saved_hooks": say(
            en="hooks for saved tensors were left in force, for the whole notebook: use `with`",
            ko="저장된 텐서의 hook이 남아 노트북 전체에 영향을 줍니다. `with`를 쓰세요",
        ),
        "recursion_limit": say(
            en="sys.setrecursionlimit was left changed, for the whole notebook",
            ko="sys.setrecursionlimit이 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
        "warning_filters": say(
            en="the warning filters were left changed, for the whole notebook: use warnings.catch_warnings()",
            ko="경고 필터가 바뀐 채로 남아 노트북 전체에 영향을 줍니다. warnings.catch_warnings()를 쓰세요",
        ),
        "warning_functions": say(
            en="warnings.warn or warnings.showwarning was left replaced, for the whole notebook",
            ko="warnings.warn이나 warnings.showwarning이 다른 함수로 바뀐 채로 남아 노트북 전체에 영향을 "
            "줍니다",
        ),
        "warn_always": say(
            en="torch.set_warn_always was left changed, for the whole notebook",
            ko="torch.set_warn_always가 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
        "threads": say(
            en="torch.set_num_threads was left changed, for the whole notebook",
            ko="torch.set_num_threads가 바뀐 채로 남아 노트북 전체에 영향을 줍니다",
        ),
    }
    return texts.get(kind, f"{kind}: {name}")
