"""Explanations of the results of a notebook's visible tests. The code that runs tests is not imported."""

from typing import TYPE_CHECKING

from secant.language import say

if TYPE_CHECKING:
    from autograder.exam.own_plain import OwnReport
    from autograder.exam.plain_report import Grade


def public_outcome(test: "Grade") -> str:
    """Return the name under which a self-check shows a test's outcome.

    The name of the outcome "passed" is replaced, because it would look like a grade.
    """
    return "no_error" if test.outcome == "passed" else test.outcome


def has_error(test: "Grade") -> bool:
    """Return whether a test failed with an error. If so, the error explains the failure."""
    return test.outcome == "failed" and bool(test.error)


def failure_reason(test: "Grade") -> str:
    """Return the reason why a test did not give full points; empty if it gave full points."""
    return f"{test.error}: {test.message}".removesuffix(": ") if has_error(test) else explanation(test)


def explanation(test: "Grade") -> str:
    """Return the explanation of an outcome; empty for a passed test, or if an error already explains it."""
    if test.outcome == "passed" or has_error(test):
        return ""
    match test.outcome:
        case "partial":
            return say(
                en=f"The value of the last line gives {test.points:g} of {test.max_points:g} points.",
                ko=f"마지막 줄의 값에 따라 {test.max_points:g}점 가운데 {test.points:g}점입니다.",
            )
        case "timed_out":
            return say(
                en="The test, or what it calls, took longer than a cell may take. Is there a loop that does "
                "not end?",
                ko="테스트나 그것이 부르는 코드가 너무 오래 걸렸습니다. 끝나지 않는 반복문이 있나요?",
            )
        case "crashed":
            return say(
                en="The Python process ended (a crash, exit(), or too much memory), here or in a cell above.",
                ko="이 테스트나 위의 셀에서 파이썬 프로세스가 끝나 버렸습니다"
                "(비정상 종료, exit(), 메모리 부족 등).",
            )
        case "manual":
            return say(
                en="The value of the last line is above the test's maximum, so that a person decides.",
                ko="마지막 줄의 값이 이 테스트의 최고점보다 커서 사람이 점수를 정합니다.",
            )
    return say(
        en="It gives 0 points: something was printed to the error output (stderr), or the value of the last "
        "line is 0.",
        ko="0점입니다. 표준 오류(stderr)로 출력된 것이 있거나, 마지막 줄의 값이 0입니다.",
    )


def no_grade_note(report: "OwnReport") -> str:
    """Return a sentence that states how many tests passed, and a note that this number is not a grade."""
    count, passed_count = len(report.tests), sum(test.outcome == "passed" for test in report.tests)
    return say(
        en=f"{passed_count} of {count} visible tests in this notebook ran without an error and gave "
        "all of their points. This is no grade: only your notebook's own visible tests were run, as they "
        "stand in this file. Your instructor grades with the original tests, and there may be hidden "
        "ones.",
        ko=f"이 노트북의 보이는 테스트 {count}개 가운데 {passed_count}개가 오류 없이 실행되어 "
        "점수를 모두 주었습니다. 성적이 아닙니다. 노트북에 있는 보이는 테스트만, 이 파일에 있는 "
        "그대로 실행했습니다. 강사는 원래의 테스트로 채점하고, 숨은 테스트가 더 있을 수 있습니다.",
    )


def left_out_note(report: "OwnReport") -> str:
    """Return a note that files next to the notebook were not copied; an empty string if all were copied."""
    if not report.left_out:
        return ""
    return say(
        en="Some files next to the notebook were not there for the tests: at most 100 files of 20 MB "
        f"together are copied, and no links ({report.left_out} left out).",
        ko="노트북 옆의 파일 일부는 테스트할 때 없었습니다. 합쳐서 20 MB까지 100개만 복사하고, "
        f"링크는 복사하지 않습니다(빠진 것: {report.left_out}개).",
    )
