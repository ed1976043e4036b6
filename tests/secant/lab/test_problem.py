"""Tests of the facts in a problem report that is written offline."""

import importlib.metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secant.address import report_text, version
from secant.cli import make_app
from secant.lab import doctor
from secant.lab.doctor import CheckResult
from secant.lab.problem import facts


def findings() -> list[CheckResult]:
    return [
        CheckResult("python", "Python", True, f"3.12.1 ({Path.home()}/env/bin/python)"),
        CheckResult("disk", "disk", False, "0.1 GB free", "Free 0.5 GB or more."),
        CheckResult("data", "your progress", False, "damaged", needed=False),
    ]


def test_facts_are_the_doctors_and_name_no_home_folder() -> None:
    system, *lines = facts(findings()).splitlines()
    assert "JupyterLab" in system
    assert lines == [
        "ok  Python: 3.12.1 (~/env/bin/python)",
        "no  disk: 0.1 GB free",
        "note  your progress: damaged",
    ]


def test_facts_without_jupyterlab_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert facts([]).endswith("JupyterLab -")


def test_command_prints_a_whole_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "run_checks", lambda _: findings())
    result = CliRunner().invoke(make_app(), ["doctor", "--report", "--lang", "en"])
    assert result.exit_code == 1  # the disk is full
    assert result.output.startswith(f"{report_text()}\n\n")
    assert "no  disk: 0.1 GB free" in result.output


def test_report_begins_with_the_lines_of_an_online_one() -> None:
    assert report_text("03_x", "f") == f"Lesson: 03_x\nTask: f\nVersion: {version()}"
