"""`secant progress`: what a learner has reached, as a table or a file."""

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
from secant.progress.course import find_course
from secant.progress.facts import Facts
from secant.progress.overview import overview

app = typer.Typer(help="Show, export, import or reset what you have reached.", pretty_exceptions_enable=False)


def _out() -> Console:
    # Paths are shown as they are: no markup, no guessed colours, no wrapping.
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)


def _stop(sentence: str) -> typer.Exit:
    """Say what is wrong, and end with 1."""
    Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True).print(sentence)
    return typer.Exit(1)


def _facts() -> Facts:
    try:
        return store.read()
    except store.StoreError as error:
        raise _stop(error.said(language())) from None


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what `export` would write, and nothing else.")
    ] = False,
) -> None:
    """Show what you have reached: level, lessons, achievements."""
    if context.invoked_subcommand:
        return
    if as_json:
        sys.stdout.write(store.dump(_facts()).decode())
        return
    _facts()
    root = find_course()
    if root is None:
        raise _stop(say(en="The lessons are not here.", ko="수업 파일이 없습니다."))
    _show(overview(root, None, language()))


def _show(found: dict[str, Any]) -> None:
    level = found["level"]
    title = say(
        en=f"Level {level['number']}, {level['title']}", ko=f"레벨 {level['number']} {level['title']}"
    )
    top = f" / {level['to']}" if level["to"] else ""
    lessons = Table(title=f"{title} · {level['xp']}{top} XP", title_justify="left", title_style="bold")
    lessons.add_column(say(en="Lesson", ko="수업"))
    lessons.add_column(say(en="Points", ko="점수"), justify="right")
    lessons.add_column(say(en="Predictions", ko="예상"), justify="right")
    for lesson in found["lessons"]:
        predictions = lesson["predictions"]
        lessons.add_row(
            Text(f"{lesson['number']}. {lesson['title']}"),
            f"{lesson['points']:g} / {lesson['max_points']:g}",
            f"{predictions['made']} / {predictions['of']}",
            style="green" if lesson["state"] == "done" else None,
        )
    achievements = Table(
        "",
        say(en="Achievement", ko="도전 과제"),
        say(en="How", ko="조건"),
        title_justify="left",
    )
    for each in found["achievements"]:
        achievements.add_row("★" if each["earned"] else "☆", Text(each["title"]), Text(each["how"]))
    wrapping = Console(highlight=False)  # somebody has to read the last column
    wrapping.print(lessons)
    wrapping.print(achievements)
    _out().print(say(en=f"Kept in {found['saved']['path']}", ko=f"저장 위치: {found['saved']['path']}"))


@app.command()
def export(file: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")]) -> None:
    """Write what you have reached to a file, as JSON."""
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
    _out().print(say(en=f"Written: {file}", ko=f"저장했습니다: {file}"))


@app.command("import")
def import_file(file: Annotated[Path, typer.Argument(help="A file that `export` wrote.")]) -> None:
    """Add what another machine's file holds: of everything the better one is kept, and nothing is lost."""
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
        raise _stop(error.said(language())) from None
    merged = record.merge(other)
    if merged.problem:
        raise _stop(merged.problem)
    _out().print(
        say(
            en=f"Added to {store.path()}. Nothing was lost.",
            ko=f"{store.path()}에 더했습니다. 잃은 것은 없습니다.",
        )
    )


@app.command()
def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Begin anew. The old file is kept beside the new one."""
    question = say(en="Begin anew, with no points and no level?", ko="점수와 레벨을 비우고 새로 시작할까요?")
    if not yes and not typer.confirm(question):
        raise _stop(say(en="Nothing was changed.", ko="아무것도 바꾸지 않았습니다."))
    try:
        aside = store.reset(date.today().isoformat())
    except store.StoreError as error:
        raise _stop(error.said(language())) from None
    _out().print(
        say(en=f"What you had is kept in {aside}", ko=f"이전 기록은 {aside}에 있습니다.")
        if aside
        else say(en="There was nothing yet.", ko="아직 기록이 없습니다.")
    )
