"""Tests of `secant progress`: show, export, import and reset."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from secant import cli, language
from secant.language import Language
from secant.progress import record
from secant.progress.commands import make_app
from tests.secant.progress.test_record import LESSON, kept, row
from tests.support.lessons import ROOT


def run(*words: str, say: str = "") -> Result:
    return CliRunner().invoke(make_app(), list(words), input=say)


def test_progress_command_shows_level_lessons_and_achievements() -> None:
    record.check(LESSON, [row("MyPow"), row("backward_is_right")])
    shown = run()
    assert shown.exit_code == 0
    assert "Level 1: Secant · 48 / 120 XP" in shown.output
    assert "0 of 10 lessons done" in shown.output
    assert "4 / 12 " in shown.output
    assert "★" in shown.output
    assert "progress.json" in shown.output


@pytest.mark.parametrize(
    ("name", "count", "said"),
    [("en", "2 of 6 tasks", "Hidden tests decide your points"), ("ko", "과제 6개 중 2개", "보이는 테스트만")],
)
def test_progress_command_counts_visible_tests_in_a_class_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Language, count: str, said: str
) -> None:
    for part in ("course", "release"):
        (tmp_path / part).symlink_to(ROOT / part)
    (tmp_path / "nbgrader_config.py").touch()
    monkeypatch.chdir(tmp_path)
    language(name)
    record.check(LESSON, [row("MyPow"), row("backward_is_right")], hidden=False)
    shown = run().output
    assert count in shown
    assert said in shown
    assert not any(word in shown for word in ("★", "☆", "/ 12 "))


def test_progress_command_prints_korean() -> None:
    language("ko")
    shown = run()
    assert "레벨 1: 할선" in shown.output
    assert "성취" in shown.output


def test_json_option_prints_the_same_as_export(tmp_path: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    file = tmp_path / "mine.json"
    assert run("export", str(file)).exit_code == 0
    assert json.loads(run("--json").output) == json.loads(file.read_text())
    again = run("export", str(file))
    assert again.exit_code == 1
    assert "exists already" in again.output


def test_export_to_a_missing_folder_is_refused(tmp_path: Path) -> None:
    found = run("export", str(tmp_path / "no" / "mine.json"))
    assert found.exit_code == 1
    assert "No such file" in found.output


def test_import_adds_to_the_progress_that_is_there(tmp_path: Path, data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    run("reset", "--yes")
    record.check(LESSON, [row("safe_sqrt")])
    assert run("import", str(tmp_path / "mine.json")).exit_code == 0
    assert set(kept(data)["lessons"][LESSON]) == {"MyPow", "safe_sqrt"}


@pytest.mark.parametrize("content", [None, "", "[]", '{"version": 1}', '{"version": 9}', '{"version": "1"}'])
def test_invalid_import_changes_nothing(tmp_path: Path, data: Path, content: str | None) -> None:
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    if content is not None:
        (tmp_path / "other.json").write_text(content)
    found = run("import", str(tmp_path / "other.json"))
    assert found.exit_code == 1
    assert "other.json" in found.output
    assert "Traceback" not in found.output
    assert (data / "progress.json").read_bytes() == before


@pytest.mark.parametrize("command", ["import", "export"])
def test_file_name_does_not_steer_the_terminal(tmp_path: Path, command: str) -> None:
    found = run(command, str(tmp_path / "no" / "\x1b[2Jmine\u202e.json"))
    assert found.exit_code == 1
    assert "mine" in found.output
    assert not {"\x1b", "\u202e"} & set(found.output)


def test_reset_asks_first_and_keeps_the_old_progress(data: Path) -> None:
    assert "no progress yet" in run("reset", "--yes").output
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    assert run("reset", say="n\n").exit_code == 1
    assert (data / "progress.json").read_bytes() == before
    done = run("reset", say="y\n")
    (aside,) = data.glob("progress (until *).json")
    assert str(aside) in done.output
    assert aside.read_bytes() == before
    assert not (data / "progress.json").exists()


def test_damaged_progress_file_is_reported_in_a_sentence(data: Path) -> None:
    data.mkdir()
    (data / "progress.json").write_text("{")
    for words in ((), ("--json",), ("export", "x.json")):
        found = run(*words)
        assert found.exit_code == 1
        assert "does not contain readable progress" in found.output
        assert "`secant progress reset`" in found.output  # a remedy


def test_unreadable_progress_file_gets_a_remedy(data: Path) -> None:
    (data / "progress.json").mkdir(parents=True)
    found = run()
    assert found.exit_code == 1
    assert "could not be read" in found.output
    assert "`secant progress reset`" in found.output
    assert run("reset", "--yes").exit_code == 0
    assert run().exit_code == 0


def test_unreadable_import_gets_no_advice_to_start_over(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{")
    assert "reset" not in run("import", str(tmp_path / "other.json")).output


def test_import_over_a_damaged_file_succeeds_and_names_the_old_file(tmp_path: Path, data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    (data / "progress.json").write_text("{")
    found = run("import", str(tmp_path / "mine.json"))
    assert found.exit_code == 0
    (aside,) = data.glob("progress (unreadable *).json")
    assert str(aside) in found.output
    assert aside.read_text() == "{"
    assert f"The progress from {tmp_path / 'mine.json'} is now in {data / 'progress.json'}" in found.output
    assert "Nothing was lost" not in found.output
    assert set(kept(data)["lessons"][LESSON]) == {"MyPow"}


@pytest.mark.parametrize("below", ["", "below"])
def test_data_folder_that_is_a_file_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    record.check(LESSON, [row("MyPow")])
    run("export", str(tmp_path / "mine.json"))
    place = tmp_path / "mine.json" / below
    monkeypatch.setenv("SECANT_DATA", str(place))
    for words in ((), ("import", str(tmp_path / "mine.json"))):
        found = run(*words)
        assert found.exit_code == 1
        assert f"SECANT_DATA names {place}, which is not a folder" in found.output


def whole(*words: str, say: str = "") -> Result:
    return CliRunner().invoke(cli.make_app(), ["progress", *words], input=say)


@pytest.mark.parametrize("command", ["", "export", "import", "reset"])
def test_the_help_is_korean_throughout(command: str) -> None:
    language("ko")
    shown = whole(*command.split(), "--help").output
    english = ("Usage", "OPTIONS", "Options", "Arguments", "required", "message", "COMMAND", "ARGS", "{file}")
    assert [word for word in english if word in shown] == []
    assert shown.count("─ 옵션 ─") == 1
    language("en")
    shown = whole(*command.split(), "--help").output
    assert "Show this help." in shown
    assert shown.count("─ Options ─") == 1


def test_required_argument_is_marked_required_in_both_languages() -> None:
    for name, word in (("ko", "[필수]"), ("en", "[required]")):
        language(name)
        assert word in whole("export", "--help").output


def test_the_language_can_be_chosen(data: Path) -> None:
    assert "레벨 1" in whole("--lang", "ko").output
    assert "아직 기록이 없습니다" in whole("--lang", "ko", "reset", "--yes").output
    assert "Level 1" in whole("--lang", "en").output


def test_reset_without_an_answer_changes_nothing(data: Path) -> None:
    record.check(LESSON, [row("MyPow")])
    before = (data / "progress.json").read_bytes()
    done = whole("reset", say="")
    assert done.exit_code == 1
    assert done.stderr == "Nothing was changed.\n"
    assert done.stdout.endswith(" \n")  # so that the error message begins on a new line
    assert (data / "progress.json").read_bytes() == before
