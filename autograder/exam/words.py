"""Messages that the examiner writes for the student. Each is a sequence of parts of a verdict."""

import re
from collections.abc import Mapping, Sequence

from autograder.exam.report import Outcome
from autograder.sandbox.results import CellResult, Crashed, Reply, TimedOut, TraceLine
from secant.bindings import REBOUND, Finding, describe_finding
from secant.causes import likely_cause
from secant.language import say
from secant.verdict import Part, Parts, cause_part, head, line_parts, named_error

NOT_DONE: Mapping[str, str] = {
    "en": "Not done yet: the placeholder is still there.",
    "ko": "아직 풀지 않았습니다. 답을 쓸 자리가 그대로 있습니다.",
}
_NO_MODULE = re.compile(r"No module named '(\w{1,50})[\w.]{0,100}'", re.ASCII)
_NO_FILE = re.compile(r"^File `'.{1,200}'` not found")  # IPython's message when %run does not find its file
_NO_NETWORK = ("name resolution", "Name or service not known", "Network is unreachable", "getaddrinfo failed")


def passed(hidden: bool = True) -> tuple[Outcome, Parts]:
    """Return the outcome and message for a passed task.

    Args:
        hidden: whether the hidden tests were run as well.
    """
    if hidden:
        return "passed", head(en="Passed, hidden tests included.", ko="숨은 테스트까지 모두 통과했습니다.")
    return "passed", head(
        en="The visible tests pass. The hidden ones are not on this computer.",
        ko="보이는 테스트를 통과했습니다. 숨은 테스트는 이 컴퓨터에 없습니다.",
    )


def ended(error: TimedOut | Crashed, seconds: float) -> tuple[Outcome, Parts]:
    """Return the outcome and message for a student's process that timed out or crashed.

    Args:
        error: how the process ended.
        seconds: the time limit that was exceeded, if `error` is a TimedOut.
    """
    if isinstance(error, TimedOut):
        return "timed_out", too_long(seconds)
    if error.reason == "memory":
        return "crashed", head(en="it ran out of memory.", ko="메모리를 너무 많이 썼습니다.")
    return "crashed", head(
        en="the Python process ended (a crash, exit(), or a limit of resources).",
        ko="파이썬 프로세스가 끝나 버렸습니다(비정상 종료, exit(), 자원 한도 초과 등).",
    )


def too_long(seconds: float) -> Parts:
    """Return the message for code that exceeded a time limit."""
    return head(
        en=f"took longer than {seconds:g} s. Is there a loop that does not end?",
        ko=f"{seconds:g}초가 넘게 걸렸습니다. 끝나지 않는 반복문이 있나요?",
    )


def not_done() -> Parts:
    """Return the message for a task that still has the placeholder."""
    return head(**NOT_DONE)


def ran_into_stub(answer: Reply) -> Parts:
    """Return the message for an answer that called an unfinished function, which the message names."""
    last = answer.trace[-1:]
    name = last[0].function if last else say(en="a part", ko="부분")
    lead = head(
        en=f"Your answer ran into {name}, which is not done yet.",
        ko=f"답을 실행하다가 아직 풀지 않은 {name}에 이르렀습니다.",
    )
    return lead + _trace_parts(last)


def raised(answer: Reply, findings: Sequence[Finding] = ()) -> Parts:
    """Return the message for an error that the student's code raised."""
    lead = head(en="Your code raised an error.", ko="코드에서 오류가 났습니다.")
    return lead + error_of(answer, findings)


def not_found(task: str, findings: Sequence[Finding]) -> Parts:
    """Return the message for a task whose function or class is missing. It states the causes, if known."""
    if not findings:
        return head(
            en=f"No {task} was found. Did you rename or delete it?",
            ko=f"이름이 {task}인 함수나 클래스가 없습니다. 이름을 바꾸거나 지우지 않았나요?",
        )
    lead = head(en=f"No {task} was found.", ko=f"이름이 {task}인 함수나 클래스가 없습니다.")
    return lead + _causes(findings)


def with_notes(parts: Parts, findings: Sequence[Finding]) -> Parts:
    """Return a message with a note for each name in the answer that the notebook has bound to something else.

    A note is omitted if one of the message's parts already contains its text.
    """
    notes = (Part("note", describe_finding(finding)) for finding in findings if finding.kind in REBOUND)
    return (*parts, *(note for note in notes if all(note.text not in part.text for part in parts)))


def nothing_defined(cell: CellResult, findings: Sequence[Finding] = ()) -> Parts:
    """Return the message for an answer cell that is not valid Python and therefore defined nothing."""
    lead = head(
        en="Your answer cell stops with an error, so nothing in it was defined.",
        ko="답을 쓴 셀이 오류로 멈추어서 그 안의 것이 하나도 정의되지 않았습니다.",
    )
    return lead + error_of(cell, findings)


def stopped_early(cell: CellResult, test_parts: Parts, findings: Sequence[Finding] = ()) -> Parts:
    """Return a message saying that an answer cell did not run to the end, followed by the test's message."""
    lead = head(
        en="Your answer cell stops with an error before its end.",
        ko="답을 쓴 셀이 오류로 멈추어서 끝까지 실행되지 않았습니다.",
    )
    transition = head(
        en="Checked with what was defined up to there:", ko="그때까지 정의된 것으로 확인한 결과:"
    )
    return lead + error_of(cell, findings) + transition + test_parts


def no_memory(task: str) -> tuple[Outcome, Parts]:
    """Return the outcome and message for a result that takes too much memory to check."""
    return "wrong", head(
        en=f"The result of {task} takes too much memory to check. Is it far larger than required?",
        ko=f"{task}의 결과를 확인하는 데 메모리가 너무 많이 듭니다. 과제에서 요구한 것보다 훨씬 크지 않나요?",
    )


def error_of(failure: Reply | CellResult, findings: Sequence[Finding] = ()) -> Parts:
    """Return a description of an error: its name, where it was raised, and its likely cause.

    Args:
        failure: the candidate's reply, or the result of a cell, that contains the error.
        findings: findings about the notebook's names that explain the error; they replace the usual cause.
    """
    usual_cause = (
        _missing_resource_cause(failure.error, failure.message)
        or _undefined_name_cause(failure.error)
        or likely_cause(failure.error, failure.message)
    )
    causes = _causes(findings) or cause_part(usual_cause)
    return (named_error(failure.error, failure.message), *_trace_parts(failure.trace[-3:]), *causes)


def missing_module(message: str) -> str:
    """Return the name of the missing package in a ModuleNotFoundError's message, or an empty string."""
    match = _NO_MODULE.search(message)
    return match[1] if match else ""


def _trace_parts(lines: Sequence[TraceLine]) -> Parts:
    return tuple(part for line in lines for part in line_parts(line.cell, line.number, line.text))


def _causes(findings: Sequence[Finding]) -> Parts:
    parts: Parts = ()
    for finding in findings:
        parts += cause_part(describe_finding(finding))
        if finding.kind in ("stopped", "perhaps"):
            kind, _, message = finding.more.partition(": ")
            if cause := _missing_resource_cause(kind, message):
                parts += (Part("note", cause),)
    return parts


def _undefined_name_cause(kind: str) -> str:
    """Return the likely cause of a NameError that nothing else explains; empty for other errors.

    This assumes that all cells of the notebook have run.
    """
    if kind != "NameError":
        return ""
    return say(
        en="the name is misspelled, or no cell of the notebook defines it",
        ko="이름의 철자가 다르거나, 그 이름을 정의하는 셀이 노트북에 없습니다",
    )


def _missing_resource_cause(kind: str, message: str) -> str:
    """Return the cause of an error if a file, package or network is missing where answers are checked.

    The student's own computer may have it. For other errors, return an empty string.
    """
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
