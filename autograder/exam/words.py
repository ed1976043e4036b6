"""Verdicts in words, for the student."""

from autograder.exam.report import Outcome
from autograder.sandbox.results import CellResult, Crashed, Line, Reply, TimedOut
from secant.causes import likely
from secant.language import say
from secant.visible import visible

MESSAGE_LIMIT = 4_000  # characters


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


def raised(answer: Reply) -> str:
    """Say what the student's code raised."""
    return say(en="Your code raised an error.", ko="코드에서 오류가 났습니다.") + "\n" + error_of(answer)


def nothing_defined(cell: CellResult) -> str:
    """Say that the answer cell is not valid Python, and so defined nothing."""
    said = say(
        en="Your answer cell stops with an error, so nothing in it was defined.",
        ko="답을 쓴 셀이 오류로 멈추어서 그 안의 것이 하나도 정의되지 않았습니다.",
    )
    return f"{said}\n{error_of(cell)}"


def stopped_early(cell: CellResult) -> str:
    """Say that the answer cell stopped before its end."""
    said = say(
        en="Your answer cell stops with an error before its end.",
        ko="답을 쓴 셀이 오류로 멈추어서 끝까지 실행되지 않았습니다.",
    )
    return f"{said}\n{error_of(cell)}"


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


def error_of(what: Reply | CellResult) -> str:
    """Return an error, where it was raised and its likely cause, as indented lines."""
    head = f"  {what.error}: {what.message}" if what.message else f"  {what.error}"
    cause = likely(what.error, what.message)
    told = [f"  {say(en='likely cause', ko='짐작되는 원인')}: {cause}"] if cause else []
    return "\n".join([head, *(_at(line) for line in what.trace[-3:]), *told])


def _at(line: Line) -> str:
    return say(
        en=f"  at {line.cell}, line {line.number}: {line.text.strip()}",
        ko=f"  위치: {line.cell}, {line.number}번째 줄: {line.text.strip()}",
    )
