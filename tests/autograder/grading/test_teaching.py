"""Tests that run every command of docs/teaching.md, in the page's order, for a class of one student."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbgrader.utils import get_username

from tests.support.lessons import ROOT
from tests.support.people import settings_of_a_student
from tests.support.small_class import STEPS, answered_notebook, solutions

SEPARATE_COURSE_SECTION = re.compile(
    r"^## Secant beside your own course\n.*?^(?=## )", re.DOTALL | re.MULTILINE
)
#: The page without the section whose commands tests/packaging/test_own_course.py runs in another course.
PAGE = SEPARATE_COURSE_SECTION.sub("", (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8"))
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


def test_teaching_page_contains_commands() -> None:
    assert len(COMMANDS) >= 18
    assert all(re.match(r"(\.venv/bin/)?(autograder|nbgrader) |cp |rm ", line) for line in COMMANDS)


def test_files_made_by_documented_commands_are_ignored_by_git() -> None:
    pages = PAGE + (ROOT / "docs" / "lms.md").read_text(encoding="utf-8")
    words = [
        word
        for block in re.findall(r"^```sh\n(.*?)^```", pages, re.DOTALL | re.MULTILINE)
        for word in block.split()
    ]
    names = {word for word in words if re.fullmatch(r"[\w.]+\.(csv|zip|json|db)", word)}
    names |= {"handout/secant", "submitted/ann", "nbgrader_config_local.py", ".autograder-secret"}
    assert {"students.csv", "roster.csv", "download.zip", "grades.csv"} <= names
    command = ["git", "check-ignore", "--no-index", *sorted(names)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert set(result.stdout.split()) == names


@pytest.mark.whole
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_command_of_the_teaching_page_runs(
    course_root: Path, tmp_path: Path, python: list[str]
) -> None:
    exchange, home = tmp_path / "exchange", tmp_path / "ann"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o1777)
    home.mkdir()
    settings = f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\n"
    (course_root / "nbgrader_config_local.py").write_text(settings + 'c.Secant.solutions = ["1"]\n')
    (home / "nbgrader_config.py").write_text(settings_of_a_student(exchange))
    ann = get_username()  # the exchange identifies students by their user names
    (course_root / "students.csv").write_text(
        f"id,first_name,last_name,email\n{ann},Ann,Lee,ann@example.edu\n"
    )
    env = os.environ | {"COLUMNS": "200", "JUPYTER_CONFIG_DIR": str(tmp_path)}
    outputs: dict[str, str] = {}
    for line in COMMANDS:
        arguments = shlex.split(
            re.sub(r"\bann\b", ann, line.replace("01_what_autograd_does", STEPS)), comments=True
        )
        folder = course_root if arguments[0].startswith(".venv") or arguments[0] in ("cp", "rm") else home
        if line.startswith("nbgrader submit"):
            notebook = answered_notebook(course_root, solutions(course_root))
            (home / STEPS / f"{STEPS}.ipynb").write_text(nbformat.writes(notebook))
        program = Path(arguments[0]).name
        module = {"autograder": "autograder.cli", "nbgrader": "nbgrader"}.get(program)
        command = [*python, module, *arguments[1:]] if module else arguments
        result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
        outputs[line] = result.stdout + result.stderr
        assert result.returncode == 0, f"{line}: {outputs[line][-2000:]}"
    assert "1 submission graded, 0 of them earlier; 0 failed" in outputs[".venv/bin/autograder grade 1"]
    pages = list((home / STEPS / "feedback").rglob("*.html"))
    assert pages, "the student has no feedback page"
    assert not (course_root / "submitted" / ann).exists()


def test_commands_of_the_first_week_are_those_of_the_term() -> None:
    page = (ROOT / "docs" / "first-week.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\.venv/bin/.*$", page, re.MULTILINE)
    assert len(commands) >= 6
    assert [
        line for line in commands if not any(documented_line.startswith(line) for documented_line in COMMANDS)
    ] == []
