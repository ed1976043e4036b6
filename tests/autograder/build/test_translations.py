"""`autograder build --accept-translations`: hashes where an author says that the Korean follows."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.build import rules
from autograder.build.translations import accept_translations
from autograder.cli import app
from autograder.course.lesson import Lesson

WORDS = """# Notes.

# %% [markdown] task="double" lang="en"
r\"\"\"
Twice.
\"\"\"

# %% [markdown] task="double" lang="ko"
r\"\"\"
두 배.
\"\"\"
"""


def stale(lesson: Lesson) -> list[str]:
    return [text for text in rules.lesson_problems(lesson) if 'write en="' in text]


def test_stale_and_missing_hashes_are_written_and_nothing_else(steps: Lesson) -> None:
    before = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(before.replace(' en="1728a197"', ""), encoding="utf-8")
    (steps.folder / "solutions.py").write_text(WORDS, encoding="utf-8")
    assert len(stale(steps)) == 2
    places = accept_translations(steps)
    assert not stale(steps)
    assert steps.text.read_text(encoding="utf-8") == before
    assert [place.partition(":")[0] for place in places] == [
        "course/01_steps/01_steps.py",
        "course/01_steps/solutions.py",
    ]
    assert places[1].endswith(":8")
    assert not accept_translations(steps)


def test_a_missing_hash_is_reported_with_all_other_problems(steps: Lesson) -> None:
    text = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(text.replace(' en="1728a197"', "").replace(', "points": 3', ""), encoding="utf-8")
    said = "\n".join(rules.lesson_problems(steps))
    assert 'write en="1728a197"' in said
    assert "needs points" in said


def test_the_command_wants_lessons_that_are_named(steps: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(steps.root)
    text = steps.text.read_text(encoding="utf-8").replace('en="1728a197"', 'en="0"')
    steps.text.write_text(text, encoding="utf-8")
    for arguments in (["build", "--accept-translations"], ["build", "1", "--check", "--accept-translations"]):
        failed = CliRunner().invoke(app, arguments)
        assert "Name the lessons" in str(failed.exception)
        assert steps.text.read_text(encoding="utf-8") == text
    done = CliRunner().invoke(app, ["build", "1", "--accept-translations"])
    assert done.exit_code == 0, done.output
    assert "accepted course/01_steps/01_steps.py:" in done.output
    assert Path(steps.root, "source", steps.name).is_dir()
