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
    """A stand-in for `subprocess.run` that records each command; commands that contain `failing` fail."""

    def __init__(self, failing: str = "", version: str = VERSION) -> None:
        self.recorded: list[str] = []
        self.failing, self.version = failing, version

    def __call__(self, command: list[str | Path], **options: object) -> "subprocess.CompletedProcess[str]":
        self.recorded.append(" ".join(map(str, command)))
        is_failed = bool(self.failing) and self.failing in self.recorded[-1]
        if is_failed and self.failing == "-m pip" and options.get("timeout") == 1:
            raise subprocess.TimeoutExpired("pip", 1)
        output = f"{self.version}\n" if "importlib" in self.recorded[-1] else ""
        return subprocess.CompletedProcess(command, int(is_failed), output, "WARNING: old\nERROR: no torch\n")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an environment that already exists, so that it is not refused for lack of disk space."""
    folder = tmp_path / ".venv-newest"
    for path in (folder / "bin/python", folder / "lib/python3.11/site-packages/x"):
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setattr(newest, "PLACE", folder)
    monkeypatch.setattr(newest, "PYTHON", folder / "bin/python")
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(folder / "lib/python3.11/site-packages"))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, commands: Commands, *arguments: str) -> int:
    monkeypatch.setattr(subprocess, "run", commands)
    return newest.main(arguments)


def test_newest_torch_is_installed_above_the_other_packages_and_tested(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands()
    assert run(monkeypatch, commands, "-n", "2") == 0
    venv, pip, _, tests = commands.recorded
    assert venv.endswith(f"-m venv --without-pip {environment}")
    assert pip.startswith(f"{environment}/bin/python -m pip install")
    assert pip.endswith("--upgrade torch")
    assert tests.startswith(
        f"{environment}/bin/python -m pytest -q --whole -p no:costs tests/course/test_answers.py::"
    )
    assert tests.endswith("-n 2")
    link = (environment / "lib/python3.11/site-packages/environment_below.pth").read_text()
    assert link.startswith("import site; site.addsitedir(")
    output = capsys.readouterr().out
    assert f"PyTorch {VERSION}: passed (" in output
    assert "NEWEST_TORCH" not in output


def test_a_newer_torch_that_passes_asks_for_the_constant_to_be_raised(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, Commands(version="2.99.0")) == 0
    assert "Raise NEWEST_TORCH in secant/tested.py" in capsys.readouterr().out
    assert run(monkeypatch, Commands("-m pytest", version="2.99.0")) == 1
    output = capsys.readouterr().out
    assert "PyTorch 2.99.0: failed (" in output
    assert "NEWEST_TORCH" not in output


@pytest.mark.parametrize(
    ("free", "minutes", "reason"),
    [
        (10**9, 10, "it needs 10 GB and only 1.0 GB are free"),
        (10**11, 10, "ERROR: no torch"),
        (10**11, 1 / 60, "the installation took longer than"),
    ],
)
def test_a_torch_that_cannot_be_installed_is_reported_and_fails_unless_optional(
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    free: int,
    minutes: float,
    reason: str,
) -> None:
    monkeypatch.setattr(newest, "PYTHON", environment / "bin/none" if free == 10**9 else newest.PYTHON)
    monkeypatch.setattr(newest, "MINUTES", minutes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert run(monkeypatch, Commands("-m pip")) == 1
    assert run(monkeypatch, Commands("-m pip"), "--if-possible") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"The newest PyTorch was not tested: {reason}") for line in lines)
