"""The commands of `secant progress`, which show, export, import and reset a learner's progress."""

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from secant.files import replace_file
from secant.language import language, say
from secant.progress import record, store
from secant.progress.facts import Facts
from secant.progress.overview import lessons_done, overview
from secant.terminal import Languages, argument, command, option, speak
from secant.visible import visible
from secant.where import NoCourseError, course_root


def make_app() -> typer.Typer:
    """Return the app with all commands; their help is in the current language."""
    app = typer.Typer(pretty_exceptions_enable=False)
    metavar = say(en="FILE", ko="파일")

    @app.callback(
        invoke_without_command=True,
        help=say(
            en="Show your progress: level, lessons, achievements. It is stored only on this computer.",
            ko="레벨, 수업, 성취를 보여 줍니다. 진행 상황은 이 컴퓨터에만 저장됩니다.",
        ),
    )
    def show(
        context: typer.Context,
        lang: Annotated[
            Languages | None, option("--lang", en="Language to answer in.", ko="답할 언어.")
        ] = None,
        as_json: Annotated[
            bool,
            option(
                "--json",
                en="Print what `export` would write, and nothing else.",
                ko="`export`가 저장할 내용만 출력합니다.",
            ),
        ] = False,
    ) -> None:
        speak(lang)
        if context.invoked_subcommand is None:
            _show(as_json)

    @command(
        app,
        help=say(en="Write it to a new file, as JSON.", ko="새 파일에 JSON으로 저장합니다."),
    )
    def export(
        file: Annotated[Path, argument(en="The new file.", ko="새 파일.", metavar=metavar)],
    ) -> None:
        _export(file)

    @command(
        app,
        "import",
        help=say(
            en="Merge another computer's file: the better of each result is kept, and nothing is lost.",
            ko="다른 컴퓨터에서 내보낸 기록을 더합니다. 둘 중 더 나은 쪽이 남고 아무것도 사라지지 않습니다.",
        ),
    )
    def import_file(
        file: Annotated[
            Path,
            argument(en="A file that `export` wrote.", ko="`export`로 저장한 파일.", metavar=metavar),
        ],
    ) -> None:
        _import(file)

    @command(
        app,
        help=say(
            en="Start over, after asking. The old file is kept.",
            ko="물어본 뒤 처음부터 새로 시작합니다. 이전 파일은 남겨 둡니다.",
        ),
    )
    def reset(
        yes: Annotated[bool, option("--yes", en="Do not ask.", ko="묻지 않습니다.")] = False,
    ) -> None:
        _reset(yes)

    return app


def _stdout() -> Console:
    # Paths must be printed as they are, so markup, automatic colours and wrapping are off.
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)


def _stop(sentence: str) -> typer.Exit:
    """Print what is wrong to stderr, and return the exception that ends the command with status 1."""
    Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True).print(
        visible(sentence, prose=True)
    )
    return typer.Exit(1)


def _facts() -> Facts:
    try:
        return store.read()
    except store.StoreError as error:
        raise _stop(error.sentence(language())) from None


def _show(as_json: bool) -> None:
    facts = _facts()
    if as_json:
        sys.stdout.write(store.dump(facts).decode())
        return
    try:
        _print(overview(course_root(), None, language()))
    except NoCourseError as error:
        raise _stop(str(error)) from None
    except FileNotFoundError as error:  # an nbgrader course may lack some lessons
        raise _stop(
            say(
                en=f"There is no {error.filename}. Run this in another folder.",
                ko=f"{error.filename} 파일이 없습니다. 다른 폴더에서 실행하세요.",
            )
        ) from None


def _print(data: dict[str, Any]) -> None:
    level = data["level"]
    title = say(
        en=f"Level {level['number']}: {level['title']}", ko=f"레벨 {level['number']}: {level['title']}"
    )
    top = f" / {level['to']}" if level["to"] else ""
    lessons = Table(title=f"{title} · {level['xp']}{top} XP", title_justify="left", title_style="bold")
    lessons.add_column(say(en="Lesson", ko="수업"))
    hidden = data["hidden"]
    score_title = (
        say(en="Points", ko="점수") if hidden else say(en="Visible tests passed", ko="보이는 테스트 통과")
    )
    lessons.add_column(score_title, justify="right")
    lessons.add_column(say(en="Predictions", ko="예상"), justify="right")
    for lesson in data["lessons"]:
        predictions = lesson["predictions"]
        lessons.add_row(
            Text(f"{lesson['number']}. {lesson['title']}"),
            f"{lesson['points']:g} / {lesson['max_points']:g}" if hidden else _visible_tests(lesson),
            f"{predictions['made']} / {predictions['of']}",
            style="green" if lesson["state"] == "done" else None,
        )
    achievements = Table(
        "",
        say(en="Achievement", ko="성취"),
        say(en="How", ko="조건"),
        title_justify="left",
    )
    for achievement in data["achievements"]:
        achievements.add_row(
            "★" if achievement["earned"] else "☆", Text(achievement["title"]), Text(achievement["how"])
        )
    wrapping = Console(highlight=False)  # a console that wraps lines, so that the last column can be read
    wrapping.print(lessons)
    wrapping.print(lessons_done(data["lessons"], say))
    if data["achievements"]:
        wrapping.print(achievements)
    if not hidden:
        _stdout().print(
            say(
                en="Only the visible tests are here. Hidden tests decide your points when the class is "
                "graded, and achievements need them too.",
                ko="여기에는 보이는 테스트만 있습니다. 점수는 강사가 채점할 때 숨은 테스트로 정해지고, "
                "성취도 숨은 테스트까지 통과해야 얻습니다.",
            )
        )
    _stdout().print(say(en=f"Kept in {data['saved']['path']}", ko=f"저장 위치: {data['saved']['path']}"))
    _stdout().print(
        say(
            en="Your progress is the same in every copy of the lessons. To start over, use secant progress "
            "reset; it keeps the old progress under another name.",
            ko="수업 파일을 어디에 복사했든 진행 상황은 하나입니다. 새로 시작하려면 secant progress reset을 "
            "실행하세요. 지금 진행 상황은 다른 이름으로 남습니다.",
        )
    )


def _visible_tests(lesson: dict[str, Any]) -> str:
    """Return, in words, how many of a lesson's tasks have passed their visible tests."""
    passed, graded = lesson["passed"], lesson["graded"]
    return say(en=f"{passed} of {graded} tasks", ko=f"과제 {graded}개 중 {passed}개")


def _export(file: Path) -> None:
    facts = _facts()
    if file.exists():
        raise _stop(
            say(
                en=f"{file} exists already; name another.",
                ko=f"{file}: 이미 있는 파일입니다. 다른 이름을 쓰세요.",
            )
        )
    try:
        replace_file(file, store.dump(facts))
    except OSError as error:
        raise _stop(
            say(
                en=f"{file} cannot be written: {error.strerror}.",
                ko=f"{file} 파일에 쓸 수 없습니다. ({error.strerror})",
            )
        ) from None
    _stdout().print(visible(say(en=f"Written: {file}", ko=f"저장했습니다: {file}"), prose=True))


def _import(file: Path) -> None:
    try:
        other = store.parse(file.read_bytes(), file)
    except OSError as error:
        raise _stop(
            say(
                en=f"{file} cannot be read: {error.strerror}.",
                ko=f"{file} 파일을 읽을 수 없습니다. ({error.strerror})",
            )
        ) from None
    except store.StoreError as error:
        raise _stop(error.sentence(language())) from None
    result = record.merge(other)
    if not result.is_saved:
        raise _stop(result.problem or "")
    if result.problem:  # the stored file was damaged and renamed, so progress may have been lost
        _stdout().print(result.problem)
        en = f"The progress from {file} is now in {store.path()}."
        ko = f"{file}의 기록을 {store.path()}에 담았습니다."
    else:
        en = f"Added to {store.path()}. Nothing was lost."
        ko = f"{store.path()}에 더했습니다. 잃은 것은 없습니다."
    _stdout().print(visible(say(en=en, ko=ko), prose=True))


def _confirm(question: str) -> bool:
    """Ask a yes-or-no question. The end of the input and Ctrl+C count as no."""
    try:
        return typer.confirm(question)
    except typer.Abort:
        print(flush=True)  # starts a new line after the question
        return False


def _reset(is_confirmed: bool) -> None:
    question = say(en="Start over, with no points and no level?", ko="점수와 레벨을 비우고 새로 시작할까요?")
    if not is_confirmed and not _confirm(question):
        raise _stop(say(en="Nothing was changed.", ko="아무것도 바꾸지 않았습니다."))
    try:
        renamed_path = store.reset(date.today().isoformat())
    except store.StoreError as error:
        raise _stop(error.sentence(language())) from None
    _stdout().print(
        say(
            en=f"Your earlier progress is in {renamed_path}",
            ko=f"이전 진행 상황은 {renamed_path}에 있습니다.",
        )
        if renamed_path
        else say(en="There was no progress yet.", ko="아직 기록이 없습니다.")
    )
