"""Tests of stale translations: a build warns, a strict build refuses, and an author can accept them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.build.builder import BuildError, build
from autograder.build.translations import accept_translations, stale_translations
from autograder.cli import app
from autograder.course.lesson import Lesson, wrong_answers

SOLUTIONS = """# Notes.

# %% [markdown] task="double" lang="en"
r\"\"\"
Twice.
\"\"\"

# %% [markdown] task="double" lang="ko"
r\"\"\"
두 배.
\"\"\"
"""


@pytest.fixture
def stale_lesson(steps: Lesson) -> Lesson:
    """Return the small lesson with a changed English text and an unchanged Korean one."""
    text = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(text.replace("Return twice the number", "Return it twice"), encoding="utf-8")
    return steps


def test_build_warns_of_a_stale_translation_and_writes_the_lesson(stale_lesson: Lesson) -> None:
    result = build(stale_lesson.root, [stale_lesson])
    (warning,) = result.stale_translations
    assert warning.startswith("course/01_steps/01_steps.py:35: the English has changed since: check this")
    release_path = stale_lesson.root / "release" / "en" / stale_lesson.name / f"{stale_lesson.name}.ipynb"
    assert "Return it twice" in release_path.read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["check", "strict"])
def test_strict_build_and_check_refuse_a_stale_translation(stale_lesson: Lesson, option: str) -> None:
    with pytest.raises(BuildError, match=r"01_steps\.py:35: the English has changed since"):
        build(stale_lesson.root, [stale_lesson], **{option: True})
    assert not (stale_lesson.root / "source").exists()


def test_command_warns_lists_and_refuses_stale_translations(
    stale_lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stale_lesson.root)
    list_result = CliRunner().invoke(app, ["build", "1", "--stale"])
    assert list_result.exit_code == 0
    assert "01_steps.py:35: the English has changed since" in list_result.output.replace("\n", " ")
    assert list_result.output.endswith("1 lesson: 1 stale translation.\n")
    assert not (stale_lesson.root / "source").exists()
    build_result = CliRunner().invoke(app, ["build", "1"])
    assert build_result.exit_code == 0
    assert "1 stale translation: `autograder build --stale`" in build_result.output
    assert CliRunner().invoke(app, ["build", "1", "--strict"]).exit_code == 1


def test_hint_without_korean_counts_as_stale_and_falls_back_to_english(steps: Lesson) -> None:
    hints = '[double.adds]\nen = "you added three"\n'
    (steps.folder / "hints.toml").write_text(hints, encoding="utf-8")
    assert stale_translations(steps) == ["course/01_steps/hints.toml: double.adds has no text in Korean."]
    path = steps.folder / "wrong_answers.py"
    path.write_text(
        '# %% adds task="double" hint="adds"\ndef double(x):\n    return x + 3\n', encoding="utf-8"
    )
    (answer,) = wrong_answers(steps)
    assert answer.hint == {"en": "you added three", "ko": "you added three"}


def test_stale_and_missing_hashes_are_written_and_nothing_else(steps: Lesson) -> None:
    before = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(before.replace(' en="1728a197"', ""), encoding="utf-8")
    (steps.folder / "solutions.py").write_text(SOLUTIONS, encoding="utf-8")
    assert len(stale_translations(steps)) == 2
    locations = accept_translations(steps)
    assert not stale_translations(steps)
    assert steps.text.read_text(encoding="utf-8") == before
    assert [location.partition(":")[0] for location in locations] == [
        "course/01_steps/01_steps.py",
        "course/01_steps/solutions.py",
    ]
    assert locations[1].endswith(":8")
    assert not accept_translations(steps)


def test_missing_hash_is_listed_with_the_hash_to_write(steps: Lesson) -> None:
    text = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(text.replace(' en="1728a197"', ""), encoding="utf-8")
    (warning,) = stale_translations(steps)
    assert 'not marked as checked: check this translation, then write en="1728a197"' in warning


def test_translation_command_requires_lesson_names(steps: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(steps.root)
    text = steps.text.read_text(encoding="utf-8").replace('en="1728a197"', 'en="0"')
    steps.text.write_text(text, encoding="utf-8")
    for arguments in (["build", "--accept-translations"], ["build", "1", "--check", "--accept-translations"]):
        failed_result = CliRunner().invoke(app, arguments)
        assert "Name the lessons" in str(failed_result.exception)
        assert steps.text.read_text(encoding="utf-8") == text
    result = CliRunner().invoke(app, ["build", "1", "--accept-translations"])
    assert result.exit_code == 0, result.output
    assert "accepted course/01_steps/01_steps.py:" in result.output
    assert Path(steps.root, "source", steps.name).is_dir()
