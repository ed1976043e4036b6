"""Tests of `secant progress`: show, export, import and reset."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from secant import cli, language
from secant.language import Language
from secant.progress import record
from secant.progress.commands import make_app
from tests.secant.progress.test_record import LESSON, read_progress, row
from tests.support.lessons import ROOT


def run(*arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(make_app(), list(arguments), input=answer)


def test_progress_command_shows_level_lessons_and_achievements() -> None:
    record.check(LESSON, [row("MyPow"), row("backward_is_right")])
    result = run()
    assert result.exit_code == 0
    assert "Level 1: Secant · 48 / 120 XP" in result.output
    assert "0 of 10 lessons done" in result.output
    assert "4 / 12 " in result.output
    assert "★" in result.output
    assert "progress.json" in result.output


@pytest.mark.parametrize(
    ("name", "count", "notice"),
    [("en", "2 of 6 tasks", "Hidden tests decide your points"), ("ko", "과제 6개 중 2개", "보이는 테스트만")],
)
def test_progress_command_counts_visible_tests_in_a_class_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Language, count: str, notice: str
) -> None:
    for folder in ("course", "release"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "nbgrader_config.py").touch()
    monkeypatch.chdir(tmp_path)
    language(name)
    record.check(LESSON, [row("MyPow"), row("backward_is_right")], hidden=False)
    output = run().output
    assert count in output
    assert notice in output
    assert not any(word in output for word in ("★", "☆", "/ 12 "))


def test_progress_command_prints_korean() -> None:
    language("ko")
    result = run()
    assert "레벨 1: 할선" in result.output
    assert "성취" in result.output


def test_json_option_prints_the_same_as_export(tmp_path: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    file = tmp_path / "mine.json"
    assert run("export", str(file)).exit_code == 0
    assert json.loads(run("--json").output) == json.loads(file.read_text())
    result = run("export", str(file))
    assert result.exit_code == 1
    assert "exists already" in result.output


def test_export_to_a_missing_folder_is_refused(tmp_path: Path) -> None:
    result = run("export", str(tmp_path / "no" / "mine.json"))
    assert result.exit_code == 1
    assert "No such file" in result.output


def test_import_adds_to_the_progress_that_is_there(tmp_path: Path, data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    run("reset", "--yes")
    record.check(LESSON, [row("safe_sqrt")])
    assert run("import", str(tmp_path / "mine.json")).exit_code == 0
    assert set(read_progress(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt"}


@pytest.mark.parametrize("content", [None, "", "[]", '{"version": 1}', '{"version": 9}', '{"version": "1"}'])
def test_invalid_import_changes_nothing(tmp_path: Path, data: Path, content: str | None) -> None:
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    if content is not None:
        (tmp_path / "other.json").write_text(content)
    result = run("import", str(tmp_path / "other.json"))
    assert result.exit_code == 1
    assert "other.json" in result.output
    assert "Traceback" not in result.output
    assert (data / "progress.json").read_bytes() == before


@pytest.mark.parametrize("command", ["import", "export"])
def test_control_characters_of_a_file_name_are_not_printed(tmp_path: Path, command: str) -> None:
    result = run(command, str(tmp_path / "no" / "\x1b[2Jmine\u202e.json"))
    assert result.exit_code == 1
    assert "mine" in result.output
    assert not {"\x1b", "\u202e"} & set(result.output)


def test_reset_asks_first_and_keeps_the_old_progress(data: Path) -> None:
    assert "no progress yet" in run("reset", "--yes").output
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    assert run("reset", answer="n\n").exit_code == 1
    assert (data / "progress.json").read_bytes() == before
    result = run("reset", answer="y\n")
    (backup,) = data.glob("progress (until *).json")
    assert str(backup) in result.output
    assert backup.read_bytes() == before
    assert not (data / "progress.json").exists()


def test_damaged_progress_file_is_reported_in_a_sentence(data: Path) -> None:
    data.mkdir()
    (data / "progress.json").write_text("{")
    for arguments in ((), ("--json",), ("export", "x.json")):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "does not contain readable progress" in result.output
        assert "`secant progress reset`" in result.output  # a remedy


def test_unreadable_progress_file_gets_a_remedy(data: Path) -> None:
    (data / "progress.json").mkdir(parents=True)
    result = run()
    assert result.exit_code == 1
    assert "could not be read" in result.output
    assert "`secant progress reset`" in result.output
    assert run("reset", "--yes").exit_code == 0
    assert run().exit_code == 0


def test_unreadable_import_gets_no_advice_to_start_over(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{")
    assert "reset" not in run("import", str(tmp_path / "other.json")).output


def test_import_over_a_damaged_file_succeeds_and_names_the_old_file(tmp_path: Path, data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    (data / "progress.json").write_text("{")
    result = run("import", str(tmp_path / "mine.json"))
    assert result.exit_code == 0
    (backup,) = data.glob("progress (unreadable *).json")
    assert str(backup) in result.output
    assert backup.read_text() == "{"
    assert f"The progress from {tmp_path / 'mine.json'} is now in {data / 'progress.json'}" in result.output
    assert "Nothing was lost" not in result.output
    assert set(read_progress(data)["lessons"][LESSON]) == {"MyPow"}


@pytest.mark.parametrize("subpath", ["", "below"])
def test_data_folder_that_is_a_file_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subpath: str
) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    path = tmp_path / "mine.json" / subpath
    monkeypatch.setenv("SECANT_DATA", str(path))
    for arguments in ((), ("import", str(tmp_path / "mine.json"))):
        result = run(*arguments)
        assert result.exit_code == 1
        assert f"SECANT_DATA names {path}, which is not a folder" in result.output


def run_secant_progress(*arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(cli.make_app(), ["progress", *arguments], input=answer)


@pytest.mark.parametrize("command", ["", "export", "import", "reset"])
def test_the_help_is_korean_throughout(command: str) -> None:
    language("ko")
    output = run_secant_progress(*command.split(), "--help").output
    english_words = (
        "Usage",
        "OPTIONS",
        "Options",
        "Arguments",
        "required",
        "message",
        "COMMAND",
        "ARGS",
        "{file}",
    )
    assert [word for word in english_words if word in output] == []
    assert output.count("─ 옵션 ─") == 1
    language("en")
    output = run_secant_progress(*command.split(), "--help").output
    assert "Show this help." in output
    assert output.count("─ Options ─") == 1


def test_required_argument_is_marked_required_in_both_languages() -> None:
    for name, word in (("ko", "[필수]"), ("en", "[required]")):
        language(name)
        assert word in run_secant_progress("export", "--help").output


def test_the_language_can_be_chosen(data: Path) -> None:
    assert "레벨 1" in run_secant_progress("--lang", "ko").output
    assert "아직 기록이 없습니다" in run_secant_progress("--lang", "ko", "reset", "--yes").output
    assert "Level 1" in run_secant_progress("--lang", "en").output


def test_reset_without_an_answer_changes_nothing(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    result = run_secant_progress("reset", answer="")
    assert result.exit_code == 1
    assert result.stderr == "Nothing was changed.\n"
    assert result.stdout.endswith(" \n")  # so that the error message begins on a new line
    assert (data / "progress.json").read_bytes() == before
