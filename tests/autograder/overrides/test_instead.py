"""Tests of nbgrader's commands and formgrader's buttons, which call the autograder or refuse.

They never run a student's code themselves.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbconvert.exporters import NotebookExporter
from nbformat import v4
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters.base import NbGraderException
from traitlets.config import Config

from autograder.course.settings import load_config
from autograder.overrides import instead
from tests.support.small_class import STEPS, Here, answered, hand_in, run, told

Asked = Callable[..., dict[str, Any]]


@pytest.fixture
def handed(room: Path, right: dict[str, str]) -> Path:
    for student in ("ann", "bob"):
        hand_in(room, student, answered(room, right))
    return room


class Command:
    """A stand-in for the command `autograder` that records its arguments, prints a line and exits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[list[str]] = []
        self.cwd: list[Path] = []
        self.said, self.code = "2 submissions graded, 0 of them earlier; 0 failed.", 0
        real = subprocess.Popen

        def start(words: list[str], **given: Any) -> Any:
            self.calls.append(words[4:])
            self.cwd.append(Path(given["cwd"]))
            assert words[:4] == [sys.executable, "-P", "-m", "autograder.cli"]
            return real([sys.executable, "-c", f"print({self.said!r}); exit({self.code})"], **given)

        monkeypatch.setattr(subprocess, "Popen", start)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(monkeypatch)


def api(room: Path, more: dict[str, Any] | None = None) -> NbGraderAPI:
    """Return the API that formgrader's buttons call; `more` has settings from the command line."""
    config = load_config(room)
    config.merge(Config(more or {}))
    return NbGraderAPI(config=config)


def test_nbgrader_autograde_calls_the_command(handed: Path, command: Command) -> None:
    answer = api(handed).autograde(STEPS, "ann")
    assert answer["success"]
    assert command.said in answer["log"]
    assert command.calls == [["grade", STEPS, "--student=ann", "--force"]]
    assert command.cwd == [handed]
    assert api(handed).autograde(STEPS, "*", force=False)["success"]
    assert api(handed).autograde(STEPS, "[ab]*", force=False)["success"]
    assert command.calls[1:] == [["grade", STEPS], ["grade", STEPS, "--student=ann", "--student=bob"]]
    assert not (handed / "autograded").exists(), "nbgrader's own steps have nothing to do"


def test_nbgrader_feedback_calls_the_command(handed: Path, command: Command) -> None:
    run(handed, Here(told))
    assert api(handed).generate_feedback(STEPS, "ann")["success"]
    assert api(handed).generate_feedback(STEPS, force=False)["success"]
    assert command.calls == [["feedback", STEPS, "--student=ann", "--force"], ["feedback", STEPS]]


@pytest.mark.parametrize("act", ["autograde", "generate_feedback"])
@pytest.mark.parametrize("code", [1, 2, -9])
def test_nbgrader_success_follows_the_commands_exit_code(
    handed: Path, command: Command, act: str, code: int
) -> None:
    run(handed, Here(told))
    command.said, command.code = "Another `autograder grade` is busy.", code
    answer = getattr(api(handed), act)(STEPS, "ann")
    assert not answer["success"]
    assert command.said in answer["error"]
    assert command.said in answer["log"]


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ({"db_url": "sqlite:////elsewhere.db"}, "db_url"),
        ({"submitted_directory": "other"}, "submitted_directory"),
        ({"autograded_directory": "other"}, "autograded_directory"),
        ({"student_id_exclude": "bob"}, "student_id_exclude"),
        ({"notebook_id": f"{STEPS}*"}, "--notebook"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_nbgrader_api_with_other_settings_is_refused(
    handed: Path, command: Command, setting: dict[str, str], word: str
) -> None:
    hand_in(handed, "ann", "{}").rename(handed / "submitted" / "ann" / STEPS / f"{STEPS}.ipynb")
    if "submitted_directory" in setting:
        (handed / "submitted").rename(handed / "other")
    answer = api(handed, {"CourseDirectory": setting}).autograde(STEPS, "ann")
    assert (answer["success"], command.calls) == (False, [])
    assert word in answer["error"]
    assert "Nothing was done" in answer["error"]


def test_autograde_outside_a_course_is_refused(handed: Path, command: Command) -> None:
    asked = api(handed)
    (handed / "course").rename(handed / "lessons")
    (handed / "nbgrader_config.py").write_text("c = get_config()\n")
    answer = asked.autograde(STEPS, "ann")
    assert (answer["success"], command.calls) == (False, [])
    assert "is not in a course directory" in answer["error"]


def test_autograde_of_an_unknown_student_without_create_is_refused(handed: Path, command: Command) -> None:
    answer = api(handed).autograde(STEPS, "ann", create=False)
    assert (answer["success"], command.calls) == (False, [])
    assert "no student ann" in answer["error"]
    run(handed, Here(told))
    assert api(handed).autograde(STEPS, "ann", create=False)["success"]


def test_autograde_with_another_exporter_is_refused_and_runs_no_student_code(
    handed: Path, command: Command, tmp_path: Path
) -> None:
    planted = tmp_path / "planted"
    bad = v4.new_notebook(cells=[v4.new_code_cell(f"open({str(planted)!r}, 'w')")])
    hand_in(handed, "eve", bad)
    run(handed, Here(told))  # so that the gradebook contains the lesson
    answer = api(handed, {"Autograde": {"exporter_class": NotebookExporter}}).autograde(STEPS, "eve")
    assert (answer["success"], command.calls, planted.exists()) == (False, [], False)
    assert "with access to your files" in answer["log"]


def test_exporter_that_is_created_alone_is_refused(command: Command) -> None:
    for exporter in (instead.GradeInstead, instead.FeedbackInstead):
        with pytest.raises(NbGraderException, match="autograder grade"):
            exporter()
    assert command.calls == []
