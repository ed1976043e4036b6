"""Translations of Typer's built-in help text, for the commands that learners type."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from secant.address import version
from secant.language import language, say

T = TypeVar("T", bound=Callable[..., Any])


class Languages(StrEnum):
    """The values that the option --lang accepts."""

    en = "en"
    ko = "ko"


def speak(lang: Languages | None) -> None:
    """Switch to a language, if the user has named one."""
    if lang is not None:
        language(lang.value)


def print_version(wanted: bool) -> None:
    """Print the version and exit, if the user has given the option --version."""
    if wanted:
        typer.echo(version())
        raise typer.Exit


class _InBothLanguages:
    def get_usage(self, ctx: Any) -> str:
        usage: str = super().get_usage(ctx)  # type: ignore[misc]
        return usage.replace("Usage:", say(en="Usage:", ko="사용법:"), 1)

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.help = say(en="Show this help.", ko="이 도움말을 보여 줍니다.")
            option.rich_help_panel = options_title()
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        # Imported late, as Typer itself does, because only the help needs this module.
        from typer import rich_utils

        # Typer reads the label of required options from a variable of the module `rich_utils`; no parameter
        # sets it.
        rich_utils.REQUIRED_LONG_STRING = say(en="[required]", ko="[필수]")
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Group(_InBothLanguages, TyperGroup):
    """A command with subcommands that shows Typer's built-in help text in the current language."""


class Command(_InBothLanguages, TyperCommand):
    """A command that shows Typer's built-in help text in the current language."""


def options_title() -> str:
    """Return the title above the options in the help."""
    return say(en="Options", ko="옵션")


def commands_title() -> str:
    """Return the title above the commands in the help."""
    return say(en="Commands", ko="명령")


def options_metavar() -> str:
    """Return the placeholder for the options in the usage line."""
    return say(en="[OPTIONS]", ko="[옵션]")


def command(app: typer.Typer, name: str | None = None, **options: Any) -> Callable[[T], T]:
    """Return a decorator that adds a command to an app, with its help in the current language."""
    titles = {"rich_help_panel": commands_title(), "options_metavar": options_metavar()}
    return app.command(name, cls=Command, **{**titles, **options})


def option(*names: str, en: str, ko: str, **options: Any) -> Any:
    """Return an option whose help is in the current language."""
    return typer.Option(*names, help=say(en=en, ko=ko), rich_help_panel=options_title(), **options)


def argument(*, en: str, ko: str, **options: Any) -> Any:
    """Return an argument whose help is in the current language."""
    return typer.Argument(help=say(en=en, ko=ko), rich_help_panel=say(en="Arguments", ko="인자"), **options)
