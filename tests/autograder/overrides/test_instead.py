"""Tests of nbgrader's commands and formgrader's buttons, which call the autograder or refuse.

They never run a student's code themselves.
"""

import subprocess
import sys
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
from tests.support.small_class import STEPS, InProcessWorkers, answered_notebook, fake_result, hand_in, run


@pytest.fixture
def class_of_two(course_root: Path, correct_answers: dict[str, str]) -> Path:
    for student in ("ann", "bob"):
        hand_in(course_root, student, answered_notebook(course_root, correct_answers))
    return course_root


class Command:
    """A stand-in for the command `autograder` that records its arguments, prints a line and exits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[list[str]] = []
        self.cwd: list[Path] = []
        self.output, self.exit_code = "2 submissions graded, 0 of them earlier; 0 failed.", 0
        real_popen = subprocess.Popen

        def start(arguments: list[str], **options: Any) -> Any:
            self.calls.append(arguments[4:])
            self.cwd.append(Path(options["cwd"]))
            assert arguments[:4] == [sys.executable, "-P", "-m", "autograder.cli"]
            return real_popen(
                [sys.executable, "-c", f"print({self.output!r}); exit({self.exit_code})"], **options
            )

        monkeypatch.setattr(subprocess, "Popen", start)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(monkeypatch)


def api(course_root: Path, settings: dict[str, Any] | None = None) -> NbGraderAPI:
    """Return the API that formgrader's buttons call; `settings` replaces command-line settings."""
    config = load_config(course_root)
    config.merge(Config(settings or {}))
    return NbGraderAPI(config=config)


def test_nbgrader_autograde_calls_the_command(class_of_two: Path, command: Command) -> None:
    response = api(class_of_two).autograde(STEPS, "ann")
    assert response["success"]
    assert command.output in response["log"]
    assert command.calls == [["grade", STEPS, "--student=ann", "--force"]]
    assert command.cwd == [class_of_two]
    assert api(class_of_two).autograde(STEPS, "*", force=False)["success"]
    assert api(class_of_two).autograde(STEPS, "[ab]*", force=False)["success"]
    assert command.calls[1:] == [["grade", STEPS], ["grade", STEPS, "--student=ann", "--student=bob"]]
    assert not (class_of_two / "autograded").exists(), "nbgrader's own steps have nothing to do"


def test_nbgrader_feedback_calls_the_command(class_of_two: Path, command: Command) -> None:
    run(class_of_two, InProcessWorkers(fake_result))
    assert api(class_of_two).generate_feedback(STEPS, "ann")["success"]
    assert api(class_of_two).generate_feedback(STEPS, force=False)["success"]
    assert command.calls == [["feedback", STEPS, "--student=ann", "--force"], ["feedback", STEPS]]


@pytest.mark.parametrize("method", ["autograde", "generate_feedback"])
@pytest.mark.parametrize("exit_code", [1, 2, -9])
def test_nbgrader_success_follows_the_commands_exit_code(
    class_of_two: Path, command: Command, method: str, exit_code: int
) -> None:
    run(class_of_two, InProcessWorkers(fake_result))
    command.output, command.exit_code = "Another `autograder grade` is busy.", exit_code
    response = getattr(api(class_of_two), method)(STEPS, "ann")
    assert not response["success"]
    assert command.output in response["error"]
    assert command.output in response["log"]


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ({"db_url": "sqlite:////elsewhere.db"}, "db_url"),
        ({"submitted_directory": "other"}, "submitted_directory"),
        ({"autograded_directory": "other"}, "autograded_directory"),
        ({"student_id_exclude": "bob"}, "student_id_exclude"),
        ({"notebook_id": f"{STEPS}*"}, "--notebook"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nbgrader_api_with_other_settings_is_refused(
    class_of_two: Path, command: Command, setting: dict[str, str], word: str
) -> None:
    hand_in(class_of_two, "ann", "{}").rename(class_of_two / "submitted" / "ann" / STEPS / f"{STEPS}.ipynb")
    if "submitted_directory" in setting:
        (class_of_two / "submitted").rename(class_of_two / "other")
    response = api(class_of_two, {"CourseDirectory": setting}).autograde(STEPS, "ann")
    assert (response["success"], command.calls) == (False, [])
    assert word in response["error"]
    assert "Nothing was done" in response["error"]


def test_autograde_outside_a_course_is_refused(class_of_two: Path, command: Command) -> None:
    nbgrader_api = api(class_of_two)
    (class_of_two / "course").rename(class_of_two / "lessons")
    (class_of_two / "nbgrader_config.py").write_text("c = get_config()\n")
    response = nbgrader_api.autograde(STEPS, "ann")
    assert (response["success"], command.calls) == (False, [])
    assert "is not in a course directory" in response["error"]


def test_autograde_of_an_unknown_student_without_create_is_refused(
    class_of_two: Path, command: Command
) -> None:
    response = api(class_of_two).autograde(STEPS, "ann", create=False)
    assert (response["success"], command.calls) == (False, [])
    assert "no student ann" in response["error"]
    run(class_of_two, InProcessWorkers(fake_result))
    assert api(class_of_two).autograde(STEPS, "ann", create=False)["success"]


def test_autograde_with_another_exporter_is_refused_and_runs_no_student_code(
    class_of_two: Path, command: Command, tmp_path: Path
) -> None:
    planted_file = tmp_path / "planted"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(f"open({str(planted_file)!r}, 'w')")])
    hand_in(class_of_two, "eve", notebook)
    run(class_of_two, InProcessWorkers(fake_result))  # so that the gradebook contains the lesson
    response = api(class_of_two, {"Autograde": {"exporter_class": NotebookExporter}}).autograde(STEPS, "eve")
    assert (response["success"], command.calls, planted_file.exists()) == (False, [], False)
    assert "with access to your files" in response["log"]


def test_exporter_that_is_created_alone_is_refused(command: Command) -> None:
    for exporter in (instead.GradeInstead, instead.FeedbackInstead):
        with pytest.raises(NbGraderException, match="autograder grade"):
            exporter()
    assert command.calls == []
