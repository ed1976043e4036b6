"""`autograder check`: check the user's own notebook once, or whenever it is saved."""

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.prompt import Confirm
from rich.table import Table
from rich.text import Text

from autograder.check_plain import PlainCheckOutcome, check_plain
from autograder.check_plain import show as show_plain
from autograder.course.errors import CourseError
from autograder.course.file_watch import watch_file
from autograder.terminal import Terminal, err, out
from secant.language import Language, language, say
from secant.visible import visible

if TYPE_CHECKING:
    from autograder.exam.selfcheck import Checker


@dataclass(frozen=True)
class CheckOutcome:
    """The result of a check by a server or by this process. Each item of `rows` has the keys in `_FIELDS`."""

    lesson: str
    language: Language | None
    hidden: bool
    rows: Sequence[Mapping[str, Any]]
    score: float
    max_score: float
    problem: str | None
    gained: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the output of `check --json`, with `hidden: false` if no hidden tests were run."""
        tasks = [{name: row[name] for name in _FIELDS} for row in self.rows]
        data = {"lesson": self.lesson, "score": self.score, "max_score": self.max_score, "tasks": tasks}
        return data if self.hidden else {**data, "hidden": False}

    @property
    def all_right(self) -> bool:
        """True if every task that is graded automatically has passed."""
        return all(row["outcome"] in ("passed", "manual") for row in self.rows)

    @property
    def total(self) -> str:
        """The result as a sentence: the points, or how many tasks pass if only visible tests were run."""
        if self.hidden:
            total = f"{self.score:g} / {self.max_score:g}"
            return say(en=f"{total} points.", ko=f"{total}점.")
        graded = [row for row in self.rows if row["outcome"] != "manual"]
        passed = sum(row["outcome"] == "passed" for row in graded)
        return say(
            en=f"Visible tests passed in {passed} of {len(graded)} tasks.",
            ko=f"과제 {len(graded)}개 가운데 {passed}개가 보이는 테스트를 통과했습니다.",
        )


_FIELDS = ("id", "points", "max_points", "outcome", "message", "seconds")


def check(notebook: Path) -> CheckOutcome | PlainCheckOutcome:
    """Check a notebook once.

    Raises:
        CourseError: the notebook cannot be checked.
    """
    outcome = _check_by_server(notebook)
    if outcome is not None:
        return outcome
    with _checker(keep_warm=False) as checker:
        return _check_here(checker, notebook)


def watch(notebook: Path) -> None:
    """Check a notebook now and whenever it is saved, and show what changed, until the user presses Ctrl+C."""
    before: CheckOutcome | None = None
    with ExitStack() as stack:
        checker: Checker | None = None  # the checker stays open, so that only the first check waits for torch
        for _ in watch_file(notebook):
            try:
                outcome: CheckOutcome | PlainCheckOutcome | None = _check_by_server(notebook)
                if outcome is None:
                    checker = checker or stack.enter_context(_checker())
                    outcome = _check_here(checker, notebook)
            except CourseError as error:  # a notebook may be unreadable while it is being edited
                err.print(str(error), style="red")
            else:
                if before is None or isinstance(outcome, PlainCheckOutcome):
                    show(outcome)
                else:
                    _show_changes(before, outcome)
                before = None if isinstance(outcome, PlainCheckOutcome) else outcome
            _show_watching(notebook)


def _show_watching(notebook: Path) -> None:
    message = say(
        en=f"Watching {notebook.name}: save it to check again, Ctrl+C to end.",
        ko=f"{notebook.name} 파일을 저장하면 다시 확인합니다. 끝내려면 Ctrl+C를 누르세요.",
    )
    out.print(f"\n{message}", style="dim")


def _checker(*, keep_warm: bool = True) -> "Checker":
    from autograder.exam.pool import WarmPool, lasting_pool

    # the pool imports torch while this process imports the examiner
    pool = lasting_pool() if keep_warm else WarmPool()
    try:
        from autograder.exam.selfcheck import Checker
    except BaseException:
        pool.close()
        raise
    return Checker(pool, keep_warm=keep_warm)


def _check_by_server(notebook: Path) -> CheckOutcome | None:
    """Have a running server check the notebook; return None if there is no server.

    This saves time, because the server has already loaded the examiner.
    """
    from autograder.service import client

    try:
        data = client.check(notebook, language())
    except client.AlreadyChecking as error:
        raise CourseError(str(error)) from None
    if data is None:
        return None
    fields = ("lesson", "language", "hidden", "score", "max_score", "problem", "gained")
    return CheckOutcome(rows=data["tasks"], **{name: data[name] for name in fields})


def _check_here(checker: "Checker", notebook: Path) -> CheckOutcome | PlainCheckOutcome:
    """Check the notebook in processes that this command starts, and record the results."""
    from autograder.exam.checked_notebook import PlainNotebook
    from autograder.sandbox.results import WallError
    from autograder.service.save_results import save_results

    try:
        checked_notebook = checker.reader.read(notebook)
        report = checker.examine(checked_notebook)
    except PlainNotebook as plain:
        if not plain.has_tests:
            raise
        return check_plain(notebook.resolve(), checker.pool)
    except WallError as error:
        message = say(
            en=f"The notebook could not be run: {error}.", ko=f"노트북을 실행할 수 없습니다. ({error})"
        )
        raise CourseError(message) from error
    data = report.as_json()
    saved = save_results(checked_notebook, data["tasks"], whole=True)
    rows, score, max_score = data["tasks"], data["score"], data["max_score"]
    problem, gained = saved["problem"], saved["gained"]
    return CheckOutcome(
        report.lesson,
        checked_notebook.language,
        checked_notebook.hidden,
        rows,
        score,
        max_score,
        problem,
        gained,
    )


_OUTCOME_STYLES = {
    "passed": ("passed", "통과", "green"),
    "wrong": ("wrong", "틀림", "red"),
    "not_attempted": ("not attempted", "풀지 않음", "yellow"),
    "crashed": ("crashed", "비정상 종료", "red"),
    "timed_out": ("timed out", "시간 초과", "red"),
    "manual": ("graded by a person", "사람이 채점", "cyan"),
}


# the description of a passed task if there are no hidden tests
_VISIBLE_STYLE = ("visible tests passed", "보이는 테스트 통과", "green")


def _outcome_style(outcome: str, hidden: bool) -> tuple[str, str, str]:
    """Return the description of an outcome in English and in Korean, and the colour in which to print it."""
    if outcome == "passed" and not hidden:
        return _VISIBLE_STYLE
    return _OUTCOME_STYLES.get(outcome, (outcome, outcome, ""))


def show_solution(notebook: Path, task: str, *, give_up: bool = False) -> None:
    """Print a task's worked solution and its explanation if the learner has passed the task or gives up.

    Args:
        notebook: the learner's notebook.
        task: the task's id.
        give_up: whether to show, without asking, the solution of a task that has not been passed.

    Raises:
        CourseError: there is no such solution, or the user cannot be asked.
    """
    from rich.markdown import Markdown
    from rich.syntax import Syntax

    from autograder.exam.checked_notebook import worked_solution
    from autograder.service.save_results import has_seen, save_solution_view

    solution, solution_language, lesson = worked_solution(notebook, task)
    language(solution_language)
    if not give_up and not has_seen(lesson, task) and not _confirm_giving_up():
        return
    save_solution_view(lesson, task)
    wrapping = Terminal()  # unlike `out`, this terminal wraps long lines
    wrapping.print(Syntax(solution.code, "python", background_color="default", word_wrap=True))
    wrapping.print()
    wrapping.print(Markdown(solution.words[solution_language]))


def _confirm_giving_up() -> bool:
    """Ask the user whether to show the solution although the task has not been passed.

    Raises:
        CourseError: the user cannot be asked, because standard input is not a terminal.
    """
    warning = say(
        en="You have not passed this task yet. Your progress will show that you looked. "
        "You can still pass the task.",
        ko="아직 통과하지 못한 과제입니다. 풀이를 본 것은 진행 상황에 기록되지만, "
        "그 뒤에도 과제를 통과할 수 있습니다.",
    )
    if not sys.stdin.isatty():
        advice = say(en="To see it now, add --give-up.", ko="지금 보려면 --give-up을 붙이세요.")
        raise CourseError(f"{warning} {advice}")
    out.print(warning)
    question = say(en="Show the worked solution?", ko="모범 풀이를 볼까요?")
    return Confirm.ask(question, console=out, default=False)


def show(outcome: CheckOutcome | PlainCheckOutcome) -> None:
    """Print a table of the tasks, then the messages of the failed tasks."""
    if isinstance(outcome, PlainCheckOutcome):
        return show_plain(outcome)
    if outcome.language is not None:
        language(outcome.language)
    table = Table(title=visible(outcome.lesson), title_justify="left", title_style="bold")
    table.add_column(say(en="Task", ko="과제"))
    table.add_column(say(en="Points", ko="점수"), justify="right")
    table.add_column(say(en="Outcome", ko="결과"))
    table.add_column(say(en="Seconds", ko="초"), justify="right")
    for row in outcome.rows:
        en, ko, style = _outcome_style(row["outcome"], outcome.hidden)
        score = f"{row['points']:g}" if outcome.hidden and row["outcome"] != "manual" else "–"
        points = f"{score} / {row['max_points']:g}"
        table.add_row(
            Text(visible(row["id"])), points, Text(say(en=en, ko=ko), style), f"{row['seconds']:.2f}"
        )
    out.print(table)
    for row in outcome.rows:
        if row["outcome"] not in ("passed", "manual"):
            out.print(f"\n{row['id']}", style="bold")
            out.print(row["message"])
    passed = [row["id"] for row in outcome.rows if row["outcome"] == "passed"]
    failed = [row["id"] for row in outcome.rows if row["outcome"] in ("wrong", "crashed", "timed_out")]
    if passed and outcome.hidden:
        # the sentence below names one task as an example: the first failed task, because its message is on
        # the screen
        example = (failed or passed)[0]
        out.print(
            say(
                en=f"\nTo see a worked solution with an explanation, add --solution {example}",
                ko=f"\n모범 풀이와 설명을 보려면 뒤에 --solution {example} 처럼 덧붙이세요.",
            )
        )
    if not outcome.hidden:
        out.print(
            say(
                en="\nOnly the visible tests were run. The hidden ones, which decide the points, are not "
                "on this computer, nor are worked solutions: your instructor releases those with the "
                "feedback.",
                ko="\n보이는 테스트만 확인했습니다. 점수를 정하는 숨은 테스트와 모범 풀이는 "
                "이 컴퓨터에 없습니다. 모범 풀이는 강사가 피드백과 함께 공개합니다.",
            )
        )
    privacy = say(
        en="Everything ran on your machine: nothing was sent anywhere.",
        ko="이 컴퓨터에서만 실행했고, 어디에도 보내지 않았습니다.",
    )
    out.print(f"\n{outcome.total} {privacy}")
    _show_gains(outcome)
    if outcome.problem:
        err.print(outcome.problem, style="yellow")


def _show_gains(outcome: CheckOutcome) -> None:
    """Print new achievements.

    If all tests pass, also print which tasks a person will grade, and which lesson is next.
    """
    from autograder.service.save_results import lesson_after

    for achievement in outcome.gained["achievements"]:
        label = say(en="New achievement", ko="새로운 성취")
        out.print(
            Text.assemble(
                ("★ ", "yellow"), f"{label}: ", (achievement["title"], "bold"), f". {achievement['how']}"
            )
        )
    graded = [row for row in outcome.rows if row["outcome"] != "manual"]
    if any(row["outcome"] != "passed" for row in graded):
        return
    notes = ", ".join(row["id"] for row in outcome.rows if row["outcome"] == "manual")
    if notes:
        out.print(say(en=f"A person grades {notes}.", ko=f"{notes} 문항은 사람이 채점합니다."))
    if next_lesson := lesson_after(outcome.lesson, language()):
        out.print(say(en=f"Continue with lesson {next_lesson}", ko=f"다음은 수업 {next_lesson}"))


def _show_changes(before: CheckOutcome, now: CheckOutcome) -> None:
    """Print what has changed since the previous check."""
    if now.language is not None:
        language(now.language)
    old = {row["id"]: row for row in before.rows}
    same_count = 0
    out.print(f"\n{time.strftime('%H:%M:%S')}", style="bold")
    for row in now.rows:
        earlier = old.get(row["id"], row)
        if (earlier["outcome"], earlier["message"]) == (row["outcome"], row["message"]):
            same_count += 1
            continue
        out.print(
            Text.assemble(
                (row["id"], "bold"), "  ", *_outcome_change(earlier["outcome"], row["outcome"], now.hidden)
            )
        )
        if row["outcome"] not in ("passed", "manual"):
            out.print(row["message"])
    is_unchanged = same_count == len(now.rows)
    unchanged = (
        say(en="Nothing changed.", ko="바뀐 것이 없습니다.") if is_unchanged else _unchanged_count(same_count)
    )
    out.print(f"{unchanged} {now.total}")
    _show_gains(now)
    if now.problem and now.problem != before.problem:
        err.print(now.problem, style="yellow")


def _outcome_change(before: str, now: str, hidden: bool) -> list[tuple[str, str]]:
    """Return the phrases that describe the change from one outcome to another, each with its colour."""
    (en, ko, style), (en_now, ko_now, style_now) = (
        _outcome_style(outcome, hidden) for outcome in (before, now)
    )
    if before == now:
        return [(say(en=f"still {en}, for another reason", ko=f"아직 {ko}, 이유는 다름"), style)]
    return [(say(en=en, ko=ko), style), (" → ", ""), (say(en=en_now, ko=ko_now), style_now)]


def _unchanged_count(tasks: int) -> str:
    noun = "task" if tasks == 1 else "tasks"
    return say(en=f"{tasks} {noun} as before.", ko=f"나머지 과제 {tasks}개는 그대로입니다.")
