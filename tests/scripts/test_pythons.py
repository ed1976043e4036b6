"""Tests of `make pythons`: the Python versions that it finds, and the commands that it runs with each."""

import subprocess
from pathlib import Path

import pytest

from scripts import pythons

SCRIPT = "#!/bin/sh\necho {}\n"


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def search_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set pyenv's root and PATH to folders that do not exist yet, and return their parent."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path


def test_each_minor_version_is_found_once_and_none_that_is_too_old_or_does_not_run(
    search_folder: Path,
) -> None:
    versions = search_folder / "pyenv/versions"
    for name in ("3.12.9", "3.12.10", "3.10.13", "3.13.0"):
        executable(
            versions / name / "bin/python", SCRIPT.format(*[name.rpartition(".")[0].replace(".", " ")])
        )
    executable(versions / "my-lab/bin/python", SCRIPT.format("3 15"))
    path_python = executable(search_folder / "path/python3.13", SCRIPT.format("3 13"))
    executable(search_folder / "path/python3.14", "#!/bin/sh\nexit 127\n")
    assert pythons.find_pythons() == {
        (3, 12): versions / "3.12.10/bin/python",
        (3, 13): path_python,
    }


@pytest.mark.parametrize(
    ("failing_command", "outcome"),
    [
        ("-m venv", "no environment"),
        ("-m pip", "not installed"),
        ("-m pytest", "failed"),
        ("nothing", "passed"),
    ],
)
def test_each_python_gets_the_newest_packages_and_runs_the_tests(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    failing_command: str,
    outcome: str,
) -> None:
    commands = []

    def run(command: list[str | Path], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(" ".join(map(str, command)))
        return subprocess.CompletedProcess(command, int(failing_command in commands[-1]))

    (tmp_path / "constraints.txt").write_text("jupyterlab==4.6.6\ntorch==2.13.0\n")
    monkeypatch.setattr(pythons, "ROOT", tmp_path)
    monkeypatch.setattr(pythons, "find_pythons", lambda: {(3, 12): Path("python3.12"), (3, 13): Path("p")})
    monkeypatch.setattr(subprocess, "run", run)
    assert pythons.main(["--only", "3.12", "-k", "quiet"]) == int(outcome != "passed")
    assert capsys.readouterr().out.endswith(f"Python 3.12: {outcome}\n")
    assert commands[0] == f"python3.12 -m venv {tmp_path}/.venv-3.12"
    if outcome == "passed":
        assert "--upgrade --upgrade-strategy eager torch==2.13.0 -e" in commands[1]
        assert commands[2] == f"{tmp_path}/.venv-3.12/bin/python -m pytest -p no:costs -k quiet"


def test_python_that_is_not_installed_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pythons, "find_pythons", lambda: {(3, 12): Path("python3.12")})
    with pytest.raises(SystemExit):
        pythons.main(["--only", "3.14"])
    assert "there is no Python 3.14 here, only 3.12" in capsys.readouterr().err
