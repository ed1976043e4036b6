"""Tests of the command that tests with the newest PyTorch: its environment, its steps and its output."""

import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from scripts import newest

VERSION = "2.14.1+cpu"


class Commands:
    """A stand-in for `subprocess.run` that records each command; those that contain `failing` fail."""

    def __init__(self, failing: str = "", version: str = VERSION) -> None:
        self.noted: list[str] = []
        self.failing, self.version = failing, version

    def __call__(self, command: list[str | Path], **how: object) -> "subprocess.CompletedProcess[str]":
        self.noted.append(" ".join(map(str, command)))
        failed = bool(self.failing) and self.failing in self.noted[-1]
        if failed and self.failing == "-m pip" and how.get("timeout") == 1:
            raise subprocess.TimeoutExpired("pip", 1)
        answer = f"{self.version}\n" if "importlib" in self.noted[-1] else ""
        return subprocess.CompletedProcess(command, int(failed), answer, "WARNING: old\nERROR: no torch\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an environment that already exists, so that it is not refused for lack of disk space."""
    folder = tmp_path / ".venv-newest"
    for made in (folder / "bin/python", folder / "lib/python3.11/site-packages/x"):
        made.parent.mkdir(parents=True)
        made.touch()
    monkeypatch.setattr(newest, "PLACE", folder)
    monkeypatch.setattr(newest, "PYTHON", folder / "bin/python")
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(folder / "lib/python3.11/site-packages"))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, commands: Commands, *words: str) -> int:
    monkeypatch.setattr(subprocess, "run", commands)
    return newest.main(words)


def test_newest_torch_is_installed_above_the_other_packages_and_tested(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands()
    assert run(monkeypatch, commands, "-n", "2") == 0
    venv, pip, _, tests = commands.noted
    assert venv.endswith(f"-m venv --without-pip {place}")
    assert pip.startswith(f"{place}/bin/python -m pip install")
    assert pip.endswith("--upgrade torch")
    assert tests.startswith(
        f"{place}/bin/python -m pytest -q --whole -p no:costs tests/course/test_answers.py::"
    )
    assert tests.endswith("-n 2")
    link = (place / "lib/python3.11/site-packages/environment_below.pth").read_text()
    assert link.startswith("import site; site.addsitedir(")
    said = capsys.readouterr().out
    assert f"PyTorch {VERSION}: passed (" in said
    assert "NEWEST_TORCH" not in said


def test_a_newer_torch_that_passes_asks_for_the_constant_to_be_raised(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, Commands(version="2.99.0")) == 0
    assert "Raise NEWEST_TORCH in secant/tested.py" in capsys.readouterr().out
    assert run(monkeypatch, Commands("-m pytest", version="2.99.0")) == 1
    said = capsys.readouterr().out
    assert "PyTorch 2.99.0: failed (" in said
    assert "NEWEST_TORCH" not in said


@pytest.mark.parametrize(
    ("free", "minutes", "reason"),
    [
        (10**9, 10, "it needs 10 GB and only 1.0 GB are free"),
        (10**11, 10, "ERROR: no torch"),
        (10**11, 1 / 60, "the installation took longer than"),
    ],
)
def test_a_torch_that_cannot_be_installed_is_said_and_fails_unless_it_is_optional(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    free: int,
    minutes: float,
    reason: str,
) -> None:
    monkeypatch.setattr(newest, "PYTHON", place / "bin/none" if free == 10**9 else newest.PYTHON)
    monkeypatch.setattr(newest, "MINUTES", minutes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert run(monkeypatch, Commands("-m pip")) == 1
    assert run(monkeypatch, Commands("-m pip"), "--if-possible") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"The newest PyTorch was not tested: {reason}") for line in lines)
