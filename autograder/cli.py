"""The command line: autograder build."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from autograder.lesson import CourseError, choose_lessons, find_lessons, find_root

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
# Paths and notebooks' words are shown as they are: no markup, no guessed colours, no wrapping.
out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
err = Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True)


class Languages(StrEnum):
    """What --lang takes."""

    en = "en"
    ko = "ko"
    all = "all"


@app.callback()
def autograder() -> None:
    """Build and grade the lessons of a course."""


@app.command()
def build(
    lesson: Annotated[
        list[str] | None, typer.Argument(help="1, 01 or a folder's name; default: all.")
    ] = None,
    lang: Annotated[Languages, typer.Option(help="The languages to release.")] = Languages.all,
    check: Annotated[
        bool, typer.Option("--check", help="Only compare; exit 1 if anything is stale.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited source notebooks.")] = False,
) -> None:
    """Build source/ and release/ from course/."""
    # nbgrader takes two seconds to import, which other commands need not wait for.
    from autograder import build as builder

    root = find_root(Path.cwd())
    lessons = choose_lessons(find_lessons(root), lesson or [])
    languages = ["en", "ko"] if lang is Languages.all else [lang.value]
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("Building", total=len(lessons) * (1 + len(languages)))
        try:
            built = builder.build(
                root, lessons, languages, check=check, force=force, step=lambda: progress.advance(bar)
            )
        except builder.BuildError as error:
            progress.stop()
            for problem in error.problems:
                err.print(problem, style="red")
            err.print(f"Nothing was built: {_count(len(error.problems), 'problem')}.")
            raise typer.Exit(1) from None
    for path in built.written:
        out.print(f"wrote    {path}", style="green")
    for stale in built.stale:
        out.print(f"{stale.why:8} {stale.path}", style="yellow")
    if check:
        out.print(f"{_count(built.lessons, 'lesson')}: {_count(len(built.stale), 'stale file')}.")
        raise typer.Exit(1 if built.stale else 0)
    out.print(f"{_count(built.lessons, 'lesson')}: {_count(len(built.written), 'file')} written.")
    if built.stale:
        out.print("Extra files come from no lesson of the course; a build leaves them: delete them yourself.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def main() -> None:
    """Run the command line; a CourseError becomes its one sentence and exit status 2."""
    try:
        app()
    except CourseError as error:
        err.print(str(error), style="red")
        sys.exit(2)
    except OSError as error:
        err.print(f"{error.filename}: {error.strerror}.", style="red")
        sys.exit(2)
