"""The learner's command line: `secant lab`, `secant progress`, `secant doctor`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from secant.language import escape_unencodable, language, say, terminal_language
from secant.progress.commands import make_app as make_progress
from secant.terminal import Group, Languages, command, commands_title, option, print_version, speak


def make_app() -> typer.Typer:
    """Return the app with all commands; their help is in the current language."""
    app = typer.Typer(
        cls=Group,
        name="secant",
        help=say(
            en="Lessons on PyTorch's autograd, with sliders and tests that explain. "
            "Everything stays on this computer. Begin with: secant lab",
            ko="슬라이더를 움직이고, 틀린 이유를 알려 주는 테스트로 확인하며 PyTorch autograd를 배웁니다. "
            "모든 것은 이 컴퓨터 안에서만 실행됩니다. 시작하려면: secant lab",
        ),
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        subcommand_metavar=say(en="COMMAND ...", ko="명령 ..."),
        options_metavar="",
    )
    _add_version(app)
    _add_lab(app)
    app.add_typer(
        make_progress(),
        cls=Group,
        name="progress",
        options_metavar="",
        subcommand_metavar=say(en="COMMAND ...", ko="명령 ..."),
        help=say(
            en="Show, export, import or reset your progress.",
            ko="진행 상황을 보거나, 내보내거나, 가져오거나, 처음으로 되돌립니다.",
        ),
        rich_help_panel=commands_title(),
    )
    _add_doctor(app)
    return app


def _add_version(app: typer.Typer) -> None:
    @app.callback()
    def secant(
        version: Annotated[
            bool,
            option(
                "--version",
                en="Print Secant's version.",
                ko="Secant의 버전을 출력합니다.",
                callback=print_version,
                is_eager=True,
            ),
        ] = False,
    ) -> None:
        pass


def _add_lab(app: typer.Typer) -> None:
    @command(
        app,
        options_metavar=say(en="[OPTIONS] [JUPYTERLAB'S OPTIONS]", ko="[옵션] [JupyterLab 옵션]"),
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        short_help=say(en="Open the lessons in JupyterLab.", ko="JupyterLab에서 수업을 엽니다."),
        help=say(
            en="Open the lessons in JupyterLab. The first run copies them for you, and your work is never "
            "overwritten: a new version of a lesson is saved beside yours. Options that are not listed here, "
            "such as --debug, are passed to JupyterLab.",
            ko="JupyterLab에서 수업을 엽니다. 처음 실행할 때 수업 파일을 복사하며, 작성한 내용은 절대 "
            "덮어쓰지 않습니다. 수업이 바뀌면 새 버전을 바로 옆에 둡니다. 아래에 없는 옵션은 "
            "--debug처럼 JupyterLab에 그대로 전달합니다.",
        ),
    )
    def lab(
        ctx: typer.Context,
        lang: Annotated[
            Languages | None, option("--lang", en="Language of the lessons.", ko="수업 언어.")
        ] = None,
        port: Annotated[
            int | None,
            option(
                "--port",
                en="Port to listen on. Default: the first free one from 8888.",
                ko="사용할 포트. 기본값은 8888번부터 비어 있는 첫 포트.",
            ),
        ] = None,
        no_browser: Annotated[
            bool,
            option(
                "--no-browser",
                en="Only print the address; do not open a browser.",
                ko="브라우저를 열지 않고 주소만 출력합니다.",
            ),
        ] = False,
        workspace: Annotated[
            Path | None,
            option(
                "--workspace",
                en="Folder for your lessons, which go into its en/ or ko/. Default: secant-lessons in "
                "your home folder; in a clone of the repository, its workspace/.",
                ko="수업 파일을 둘 폴더. 이 안의 en/이나 ko/에 복사합니다. 기본값은 홈 폴더의 "
                "secant-lessons, 저장소에서는 workspace/입니다.",
                metavar=say(en="FOLDER", ko="폴더"),
            ),
        ] = None,
    ) -> None:
        # Imported late, because the server's dependencies are slow to import.
        from secant.lab import launch

        speak(lang)
        options = launch.Options(port, browser=not no_browser)
        raise typer.Exit(launch.main(options, workspace, ctx.args))


def _add_doctor(app: typer.Typer) -> None:
    @command(
        app,
        short_help=say(
            en="Find what does not work on this computer, and how to fix it.",
            ko="이 컴퓨터에서 안 되는 것과 해결 방법을 알려 줍니다.",
        ),
        help=say(
            en="Find what does not work on this computer, and how to fix it. Exit status: 0 if the lessons "
            "work here, 1 if something has to be fixed first.",
            ko="이 컴퓨터에서 안 되는 것과 해결 방법을 알려 줍니다. 종료 코드는 바로 배울 수 있으면 0, "
            "먼저 고칠 것이 있으면 1입니다.",
        ),
    )
    def doctor(
        lang: Annotated[
            Languages | None, option("--lang", en="Language to answer in.", ko="답할 언어.")
        ] = None,
        workspace: Annotated[
            Path | None,
            option(
                "--workspace",
                en="Folder of your lessons, if not the usual one.",
                ko="수업 파일을 둔 폴더(기본 위치가 아닐 때).",
                metavar=say(en="FOLDER", ko="폴더"),
            ),
        ] = None,
        as_json: Annotated[
            bool, option("--json", en="Print the findings as JSON.", ko="결과를 JSON으로 출력합니다.")
        ] = False,
        as_report: Annotated[
            bool,
            option(
                "--report",
                en="Print the findings as text for a problem report.",
                ko="문제를 알릴 때 붙일 수 있는 글로 결과를 출력합니다.",
            ),
        ] = False,
    ) -> None:
        from secant.lab import doctor

        speak(lang)
        raise typer.Exit(doctor.main(workspace, as_json=as_json, as_report=as_report))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line in the user's language, by default with this process's command-line arguments."""
    escape_unencodable()
    language(terminal_language())
    try:
        make_app()(arguments, prog_name="secant")
    except KeyboardInterrupt:
        sys.exit(130)
