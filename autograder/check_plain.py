"""`autograder check` for a notebook with ordinary nbgrader tests: it runs the visible tests only."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from autograder.course.errors import CourseError
from autograder.exam.plain_words import failure_reason, left_out_note, no_grade_note, public_outcome
from autograder.terminal import out
from secant.language import say
from secant.visible import visible

if TYPE_CHECKING:
    from autograder.exam.own_plain import OwnReport
    from autograder.exam.pool import Pool

_OUTCOME_STYLES = {
    "passed": ("no error", "오류 없음", "green"),
    "partial": ("part of the points", "점수 일부", "yellow"),
    "failed": ("failed", "실패", "red"),
    "timed_out": ("took too long", "시간 초과", "red"),
    "crashed": ("process ended", "비정상 종료", "red"),
    "manual": ("a person grades this", "사람이 채점", "cyan"),
}


@dataclass(frozen=True)
class PlainCheckOutcome:
    """The result of running a notebook's own visible tests."""

    report: "OwnReport"

    @property
    def all_right(self) -> bool:
        """True if every test ran without an error and all points were earned."""
        return all(test.outcome == "passed" for test in self.report.tests)

    def as_json(self) -> dict[str, Any]:
        """Return the output of `check --json`, with `hidden: false` because no hidden tests were run."""
        tests = [
            {
                "id": test.id,
                "points": test.points,
                "max_points": test.max_points,
                "outcome": public_outcome(test),
                "error": test.error,
                "message": failure_reason(test),
                "seconds": test.seconds,
            }
            for test in self.report.tests
        ]
        manual = [{"id": cell.id, "max_points": cell.max_points} for cell in self.report.manual]
        return {"notebook": self.report.notebook, "hidden": False, "tests": tests, "manual": manual}


def check_plain(notebook: Path, pool: "Pool") -> PlainCheckOutcome:
    """Run a notebook's own visible tests.

    Raises:
        CourseError: the tests cannot be run.
    """
    from autograder.exam.own_plain import run_visible_tests
    from autograder.sandbox.results import WallError

    try:
        return PlainCheckOutcome(run_visible_tests(notebook, pool))
    except WallError as error:
        reason = say(
            en=f"The notebook could not be run: {error}.", ko=f"노트북을 실행할 수 없습니다. ({error})"
        )
        raise CourseError(reason) from error


def show(outcome: PlainCheckOutcome) -> None:
    """Print a table of the tests, then the errors, then what the result means and does not mean."""
    report = outcome.report
    out.print(_table(report))
    for test in report.tests:
        if test.outcome != "passed":
            out.print(f"\n{test.id}", style="bold")
            out.print(failure_reason(test))
            if test.output.strip():
                out.print(say(en="It printed:", ko="출력:"), style="dim")
                out.print(test.output.rstrip())
    _show_stopped(report)
    out.print(f"\n{no_grade_note(report)}")
    if missing := left_out_note(report):
        out.print(missing, style="yellow")
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
        en, ko, style = _OUTCOME_STYLES["manual" if is_manual else grade.outcome]
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
    """Print the errors of cells that are not tests."""
    for cell in report.stopped:
        lines = ", ".join(str(line.number) for line in cell.trace[-1:])
        location = say(en=f" (line {lines})", ko=f" ({lines}번째 줄)") if lines else ""
        state = say(en="stopped with an error", ko="오류로 멈춤")
        out.print(f"\n{cell.label}: {state}{location}", style="bold")
        out.print(f"{cell.error}: {cell.message}")
