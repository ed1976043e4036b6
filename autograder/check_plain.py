"""`autograder check` of a notebook with ordinary nbgrader tests: its visible tests, and no more."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.terminal import out
from secant.language import say
from secant.visible import visible

if TYPE_CHECKING:
    from autograder.exam.own_plain import OwnReport
    from autograder.exam.plain_report import Grade
    from autograder.exam.pool import Pool

_LOOK = {
    "passed": ("no error", "오류 없음", "green"),
    "partial": ("part of the points", "점수 일부", "yellow"),
    "failed": ("failed", "실패", "red"),
    "timed_out": ("took too long", "시간 초과", "red"),
    "crashed": ("process ended", "비정상 종료", "red"),
    "manual": ("a person grades this", "사람이 채점", "cyan"),
}
#: The outcomes in `check --json`, where they have other names than in a grade.
_PUBLIC = {"passed": "no_error"}


@dataclass(frozen=True)
class PlainChecked:
    """What running a notebook's own visible tests has shown."""

    report: "OwnReport"

    @property
    def all_right(self) -> bool:
        """Return whether every test ran without an error and gave all of its points."""
        return all(test.outcome == "passed" for test in self.report.tests)

    def as_json(self) -> dict[str, Any]:
        """Return the public form of `check --json`, which says that hidden tests took no part."""
        tests = [
            {
                "id": test.id,
                "points": test.points,
                "max_points": test.max_points,
                "outcome": _PUBLIC.get(test.outcome, test.outcome),
                "error": test.error,
                "message": _why(test),
                "seconds": test.seconds,
            }
            for test in self.report.tests
        ]
        manual = [{"id": each.id, "max_points": each.max_points} for each in self.report.manual]
        return {"notebook": self.report.notebook, "hidden": False, "tests": tests, "manual": manual}


def check_plain(notebook: Path, pool: "Pool") -> PlainChecked:
    """Run a notebook's own visible tests.

    Raises:
        CourseError: they cannot be run.
    """
    from autograder.exam.own_plain import run_visible_tests
    from autograder.sandbox.results import WallError

    try:
        return PlainChecked(run_visible_tests(notebook, pool))
    except WallError as error:
        why = say(en=f"The notebook could not be run: {error}.", ko=f"노트북을 실행할 수 없습니다. ({error})")
        raise CourseError(why) from error


def show(checked: PlainChecked) -> None:
    """Print a table of the tests, then the errors, then what this says and what it does not."""
    report = checked.report
    out.print(_table(report))
    for test in report.tests:
        if test.outcome != "passed":
            out.print(f"\n{test.id}", style="bold")
            out.print(_why(test))
            if test.output.strip():
                out.print(say(en="It printed:", ko="출력:"), style="dim")
                out.print(test.output.rstrip())
    _show_stopped(report)
    ran = sum(test.outcome == "passed" for test in report.tests)
    out.print(
        say(
            en=f"\n{ran} of {len(report.tests)} visible tests in this notebook ran without an error and gave "
            "all of their points. This is no grade: only your notebook's own visible tests were run, as they "
            "stand in this file. Your instructor grades with the original tests, and there may be hidden "
            "ones.",
            ko=f"\n이 노트북의 보이는 테스트 {len(report.tests)}개 가운데 {ran}개가 오류 없이 실행되어 "
            "점수를 모두 주었습니다. 성적이 아닙니다. 노트북에 있는 보이는 테스트만, 이 파일에 있는 "
            "그대로 실행했습니다. 강사는 원래의 테스트로 채점하고, 숨은 테스트가 더 있을 수 있습니다.",
        )
    )
    if report.left_out:
        out.print(
            say(
                en="Some files next to the notebook were not there for the tests: at most 100 files of 20 MB "
                f"together are copied, and no links ({report.left_out} left out).",
                ko="노트북 옆의 파일 일부는 테스트할 때 없었습니다. 합쳐서 20 MB까지 100개만 복사하고, "
                f"링크는 복사하지 않습니다(빠진 것: {report.left_out}개).",
            ),
            style="yellow",
        )
    out.print(
        say(
            en="Everything ran on your machine: nothing was sent anywhere.",
            ko="이 컴퓨터에서만 실행했고, 어디에도 보내지 않았습니다.",
        )
    )


def _table(report: "OwnReport") -> Table:
    table = Table(title=visible(report.notebook), title_justify="left", title_style="bold")
    table.add_column(say(en="Test cell", ko="테스트 셀"))
    table.add_column(say(en="Points", ko="점수"), justify="right")
    table.add_column(say(en="Outcome", ko="결과"))
    table.add_column(say(en="Seconds", ko="초"), justify="right")
    for grade in [*report.tests, *report.manual]:
        is_manual = grade in report.manual
        en, ko, style = _LOOK["manual" if is_manual else grade.outcome]
        points = "–" if is_manual or grade.points is None else f"{grade.points:g}"
        seconds = "" if is_manual else f"{grade.seconds:.2f}"
        table.add_row(
            Text(visible(grade.id)),
            f"{points} / {grade.max_points:g}",
            Text(say(en=en, ko=ko), style),
            seconds,
        )
    return table


def _show_stopped(report: "OwnReport") -> None:
    """Print the errors of cells that are no tests."""
    for cell in report.stopped:
        lines = ", ".join(str(line.number) for line in cell.trace[-1:])
        where = say(en=f" (line {lines})", ko=f" ({lines}번째 줄)") if lines else ""
        what = say(en="stopped with an error", ko="오류로 멈춤")
        out.print(f"\n{cell.label}: {what}{where}", style="bold")
        out.print(f"{cell.error}: {cell.message}")


def _why(test: "Grade") -> str:
    """Say why a test did not give all of its points; nothing if it did."""
    if test.outcome == "passed":
        return ""
    if test.error and test.outcome == "failed":
        return f"{test.error}: {test.message}".removesuffix(": ")
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
