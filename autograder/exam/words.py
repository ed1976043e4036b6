"""Verdicts in words, for the student."""

import re
from collections.abc import Sequence

from autograder.exam.report import Outcome
from autograder.sandbox.results import CellResult, Crashed, Line, Reply, TimedOut
from secant.bindings import REBOUND, Finding, said
from secant.causes import likely
from secant.language import say
from secant.visible import visible

MESSAGE_LIMIT = 4_000  # characters
_NO_MODULE = re.compile(r"No module named '(\w{1,50})[\w.]{0,100}'", re.ASCII)
_NO_FILE = re.compile(r"^File `'.{1,200}'` not found")  # as %run says it
_NO_NETWORK = ("name resolution", "Name or service not known", "Network is unreachable", "getaddrinfo failed")


def passed(hidden: bool = True) -> tuple[Outcome, str]:
    """Say that a task is passed, and by which tests."""
    if hidden:
        return "passed", say(en="Passed, hidden tests included.", ko="숨은 테스트까지 모두 통과했습니다.")
    return "passed", say(
        en="The visible tests pass. The hidden ones are not on this computer.",
        ko="보이는 테스트를 통과했습니다. 숨은 테스트는 이 컴퓨터에 없습니다.",
    )


def fate(error: TimedOut | Crashed, seconds: float) -> tuple[Outcome, str]:
    """Say how the student's process ended; seconds: the limit that a TimedOut reached."""
    if isinstance(error, TimedOut):
        return "timed_out", too_long(seconds)
    if error.reason == "memory":
        return "crashed", say(en="it ran out of memory.", ko="메모리를 너무 많이 썼습니다.")
    return "crashed", say(
        en="the Python process ended (a crash, exit(), or a limit of resources).",
        ko="파이썬 프로세스가 끝나 버렸습니다(비정상 종료, exit(), 자원 한도 초과 등).",
    )


def too_long(seconds: float) -> str:
    """Say that a limit of time was reached."""
    return say(
        en=f"took longer than {seconds:g} s. Is there a loop that does not end?",
        ko=f"{seconds:g}초가 넘게 걸렸습니다. 끝나지 않는 반복문이 있나요?",
    )


def not_done() -> str:
    """Say that the placeholder is still there."""
    return say(
        en="Not done yet: the placeholder is still there.",
        ko="아직 풀지 않았습니다. 답을 쓸 자리가 그대로 있습니다.",
    )


def ran_into_stub(answer: Reply) -> str:
    """Say which placeholder was reached by an answer that is written."""
    last = answer.trace[-1:]
    name = last[0].function if last else say(en="a part", ko="부분")
    told = say(
        en=f"Your answer ran into {name}, which is not done yet.",
        ko=f"답을 실행하다가 아직 풀지 않은 {name}에 이르렀습니다.",
    )
    return "\n".join([told, *(_at(line) for line in last)])


def raised(answer: Reply, findings: Sequence[Finding] = ()) -> str:
    """Say what the student's code raised."""
    head = say(en="Your code raised an error.", ko="코드에서 오류가 났습니다.")
    return f"{head}\n{error_of(answer, findings)}"


def not_callable(task: str, answer: Reply, findings: Sequence[Finding]) -> str:
    """Say that the name of a task stands for something else by now."""
    head = say(
        en=f"{task} is not what your answer cell defined.", ko=f"{task}: 답 셀에서 정의한 것이 아닙니다."
    )
    return f"{head}\n{error_of(answer, findings)}"


def not_found(task: str, findings: Sequence[Finding]) -> str:
    """Say that what a task asks for is not there, and why, if that is known."""
    if not findings:
        return say(
            en=f"No {task} was found. Did you rename or delete it?",
            ko=f"이름이 {task}인 함수나 클래스가 없습니다. 이름을 바꾸거나 지우지 않았나요?",
        )
    head = say(en=f"No {task} was found.", ko=f"이름이 {task}인 함수나 클래스가 없습니다.")
    return "\n".join([head, *_causes(findings)])


def with_notes(message: str, findings: Sequence[Finding]) -> str:
    """Add what an answer uses under names that mean something else by now, unless the message has it."""
    label = say(en="note", ko="참고")
    rebound = (said(finding) for finding in findings if finding.kind in REBOUND)
    notes = [text for text in rebound if text not in message]
    return "\n".join([message, *(f"  {label}: {text}" for text in notes)])


def nothing_defined(cell: CellResult, findings: Sequence[Finding] = ()) -> str:
    """Say that the answer cell is not valid Python, and so defined nothing."""
    head = say(
        en="Your answer cell stops with an error, so nothing in it was defined.",
        ko="답을 쓴 셀이 오류로 멈추어서 그 안의 것이 하나도 정의되지 않았습니다.",
    )
    return f"{head}\n{error_of(cell, findings)}"


def stopped_early(cell: CellResult, findings: Sequence[Finding] = ()) -> str:
    """Say that the answer cell stopped before its end."""
    head = say(
        en="Your answer cell stops with an error before its end.",
        ko="답을 쓴 셀이 오류로 멈추어서 끝까지 실행되지 않았습니다.",
    )
    return f"{head}\n{error_of(cell, findings)}"


def by_then() -> str:
    """Introduce what the test says of an answer cell that stopped early."""
    return say(en="Checked with what was defined up to there:", ko="그때까지 정의된 것으로 확인한 결과:")


def at_the_call(message: str, call: str) -> str:
    """Name the call that a message is about, where the test named it."""
    return f"{call}:\n{message}" if call else message


def too_much(task: str, answer: Reply) -> str:
    """Say that an answer is far beyond what any test asks for."""
    what = answer.value.describe()
    return say(en=f"{task} returned {what}.", ko=f"{task}의 결과: {what}.")


def no_memory(task: str) -> tuple[Outcome, str]:
    """Say that there was no room to look at an answer."""
    return "wrong", say(
        en=f"The result of {task} takes too much memory to check. Is it far larger than required?",
        ko=f"{task}의 결과를 확인하는 데 메모리가 너무 많이 듭니다. 과제에서 요구한 것보다 훨씬 크지 않나요?",
    )


def plain(text: str) -> str:
    """Text that may hold a student's words: shortened, and nothing that steers a terminal in it."""
    shown = visible(text[: MESSAGE_LIMIT + 1]).replace("\t", " ")
    return shown if len(shown) <= MESSAGE_LIMIT else shown[: MESSAGE_LIMIT - 3] + "..."


def error_of(what: Reply | CellResult, findings: Sequence[Finding] = ()) -> str:
    """Return an error, where it was raised and its likely cause, as indented lines.

    Args:
        what: what was raised.
        findings: what the notebook's names explain of it; they replace the usual cause.
    """
    head = f"  {what.error}: {what.message}" if what.message else f"  {what.error}"
    causes = _causes(findings) or _cause(_not_here(what.error, what.message))
    causes = causes or _cause(_nowhere(what.error) or likely(what.error, what.message))
    return "\n".join([head, *(_at(line) for line in what.trace[-3:]), *causes])


def missing_module(message: str) -> str:
    """Return the package that Python did not find, as a ModuleNotFoundError names it; or an empty string."""
    found = _NO_MODULE.search(message)
    return found[1] if found else ""


def _cause(text: str) -> list[str]:
    return [f"  {say(en='likely cause', ko='짐작되는 원인')}: {text}"] if text else []


def _causes(findings: Sequence[Finding]) -> list[str]:
    lines: list[str] = []
    for finding in findings:
        lines += _cause(said(finding))
        if finding.kind in ("stopped", "perhaps"):
            kind, _, message = finding.more.partition(": ")
            lines += [f"    {text}" for text in [_not_here(kind, message)] if text]
    return lines


def _nowhere(kind: str) -> str:
    """Say of a name for which nothing was found that no cell defines it: all cells have run."""
    if kind != "NameError":
        return ""
    return say(
        en="the name is misspelled, or no cell of the notebook defines it",
        ko="이름의 철자가 다르거나, 그 이름을 정의하는 셀이 노트북에 없습니다",
    )


def _not_here(kind: str, message: str) -> str:
    """Say that what an error did not find is only on the student's own computer."""
    if kind in ("ModuleNotFoundError", "ImportError") and (name := missing_module(message)):
        return say(
            en=f"where answers are checked there is no package {name}, and no file of yours beside the "
            "notebook. Write the answer without it, or ask your instructor to install the package",
            ko=f"답을 확인하는 곳에는 {name} 패키지가 없고, 노트북 옆에 둔 파일도 없습니다. "
            "그것 없이 답을 쓰거나, 패키지를 설치해 달라고 강사에게 부탁하세요",
        )
    if kind == "ImportError" and message.startswith("cannot import name"):
        return say(
            en="where answers are checked, the package has no such name. Is it misspelled, or do you have "
            "another version of the package?",
            ko="답을 확인하는 곳의 패키지에는 그런 이름이 없습니다. 철자가 다르거나, "
            "설치한 패키지의 버전이 다르지 않나요?",
        )
    if kind == "FileNotFoundError" or _NO_FILE.search(message):
        return say(
            en="this file is not there where answers are checked: only the notebook is, no file beside it",
            ko="답을 확인하는 곳에는 이 파일이 없습니다. 노트북만 있고, 그 옆에 둔 파일은 없습니다",
        )
    if any(piece in message for piece in _NO_NETWORK):
        return say(
            en="where a class is graded there is no network, so nothing can be downloaded",
            ko="채점하는 곳에는 네트워크가 없어서 내려받을 수 없습니다",
        )
    return ""


def _at(line: Line) -> str:
    return say(
        en=f"  at {line.cell}, line {line.number}: {line.text.strip()}",
        ko=f"  위치: {line.cell}, {line.number}번째 줄: {line.text.strip()}",
    )
