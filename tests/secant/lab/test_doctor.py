"""Tests of `secant doctor`: its findings and its advice."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jupyter_core.paths
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from packaging.version import Version

from secant import language
from secant.lab import doctor
from secant.lab.doctor import CheckResult
from secant.language import Language


def by_id(findings: list[CheckResult]) -> dict[str, CheckResult]:
    return {finding.id: finding for finding in findings}


@pytest.fixture(scope="module")
def foreign_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a stranger's folder with a torch.py that would run if torch were imported there."""
    folder = tmp_path_factory.mktemp("sent")
    (folder / "torch.py").write_text("open('ran', 'w').close()")
    return folder


@pytest.fixture(scope="module")
def healthy_report(foreign_folder: Path) -> dict[str, Any]:
    """Return the doctor's report on this environment in Korean, made once because it computes a gradient."""
    command = [sys.executable, "-P", "-m", "secant", "doctor", "--lang", "ko", "--json"]
    result = subprocess.run(command, cwd=foreign_folder, capture_output=True, text=True, timeout=120)
    return {"code": result.returncode, **json.loads(result.stdout)}


def test_doctor_finds_no_problem_in_a_healthy_setup(healthy_report: dict[str, Any]) -> None:
    assert (healthy_report["code"], healthy_report["ready"]) == (0, True)
    findings = {finding["id"]: finding for finding in healthy_report["findings"]}
    assert {"python", "torch", "packages", "kernel", "lessons", "workspace", "data", "disk"} <= set(findings)
    # In PyPI's build for Linux, `torch.__version__` is 2.13.0+cu130, but the package's version is 2.13.0.
    assert Version(findings["torch"]["found"]).public == Version(importlib.metadata.version("torch")).public
    assert findings["lab extension @jupyter-widgets/jupyterlab-manager"]["ok"]
    assert findings["workspace"]["what"] == "작업 폴더"
    assert "korean font" in findings


def test_doctor_runs_no_file_of_the_folder(healthy_report: dict[str, Any], foreign_folder: Path) -> None:
    assert healthy_report["code"] == 0
    assert not (foreign_folder / "ran").exists()


def test_a_library_that_does_not_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_GRADIENT", "import sys; sys.exit('DLL load failed: c10.dll')")
    finding = by_id(doctor.run_checks())["torch"]
    assert (finding.ok, finding.needed, finding.found) == (False, True, "DLL load failed: c10.dll")
    assert "pytorch.org" in finding.todo


def test_doctor_compares_versions_with_requirements_and_tested_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"torch": "1.0", "jupyterlab": "4.9.0"}
    real_version = importlib.metadata.version

    def version(name: str) -> str:
        if name == "rich":
            raise importlib.metadata.PackageNotFoundError(name)
        return versions.get(name) or real_version(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    findings = by_id(doctor._packages())
    assert not findings["packages"].ok
    assert "but >=2.13 is needed" in findings["package torch"].found
    assert 'pip install "torch>=2.13"' in findings["package torch"].todo
    assert findings["package rich"].found == "not installed"
    assert findings["package jupyterlab"].ok
    assert "4.9.0; the lessons were tested with 4.6.6" in findings["package jupyterlab"].found


@pytest.mark.parametrize(
    ("version", "lang", "expected"),
    [
        ("2.15.0+cu130", "en", "2.15.0+cu130; the lessons were tested with 2.13 to 2.14"),
        ("2.15.0", "ko", "2.15.0, 수업 확인에 쓴 버전은 2.13~2.14"),
        ("2.14.1+cpu", "en", None),
        ("2.13.0+cu130", "en", None),
    ],
)
def test_torch_newer_than_tested_is_noted_without_failing(
    monkeypatch: pytest.MonkeyPatch, version: str, lang: Language, expected: str | None
) -> None:
    real_version = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: version if name == "torch" else real_version(name)
    )
    language(lang)
    findings = by_id(doctor._packages())
    language("en")
    assert findings["packages"].ok
    finding = findings.get("package torch")
    assert (finding and (finding.ok, finding.found, finding.todo)) == (expected and (True, expected, ""))


def test_missing_or_disabled_jupyter_extensions_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jupyter_core.paths, "jupyter_path", lambda *_: [str(tmp_path)])
    monkeypatch.setattr(jupyter_core.paths, "jupyter_config_path", lambda: [str(tmp_path)])
    widgets, servers = doctor._lab_extensions()[0], doctor._server_extensions()
    assert not widgets.ok
    assert "pip install --force-reinstall --no-deps ipywidgets" in widgets.todo
    assert not any(server.ok for server in servers)
    assert "jupyter server extension enable --sys-prefix secant.lab.server_extension" in {
        server.todo for server in servers
    }


@pytest.mark.parametrize(
    ("argv", "ok"), [("python", True), (sys.executable, True), ("/nowhere/python", False)]
)
def test_kernel_check_passes_only_if_its_python_has_secant(
    monkeypatch: pytest.MonkeyPatch, argv: str, ok: bool
) -> None:
    spec = SimpleNamespace(argv=[argv, "-m", "ipykernel_launcher"])
    monkeypatch.setattr(KernelSpecManager, "get_kernel_spec", lambda *_: spec)
    assert doctor._kernel().ok == ok


def test_unwritable_folders_and_a_full_disk_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(free=10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    def refuse(**_: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    findings = by_id(doctor._folders(tmp_path / "mine"))
    assert {name: (finding.ok, finding.needed) for name, finding in findings.items()} == {
        "lessons": (True, True),
        "workspace": (False, True),
        "data": (False, False),
        "jupyter": (False, True),
        "disk": (False, True),
    }
    assert str(tmp_path) in findings["workspace"].found
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("content", [b"{", b'{"version": 99}', None])
def test_unreadable_progress_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setenv("SECANT_DATA", str(tmp_path))
    file = tmp_path / "progress.json"
    if content is None:
        file.mkdir()  # even root cannot read a folder as a file
    else:
        file.write_bytes(content)
    finding = by_id(doctor._folders(tmp_path / "mine"))["data"]
    assert (finding.ok, finding.needed) == (False, False)
    assert str(file) in finding.found
    assert ("secant progress reset" in finding.todo) == (content != b'{"version": 99}')


@pytest.mark.parametrize("variable", ["JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"])
def test_doctor_tries_to_write_jupyters_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    assert by_id(doctor._folders(tmp_path))["jupyter"].ok
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file/jupyter"))
    finding = by_id(doctor._folders(tmp_path))["jupyter"]
    assert (finding.ok, finding.needed) == (False, True)
    assert f"{tmp_path}/file/jupyter: Not a directory" in finding.found
    assert variable in finding.todo


def test_disk_check_copes_with_a_folder_it_may_not_inspect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Path.exists` raises an error there, for example in another user's home folder."""

    def refuse(path: Path) -> bool:
        raise PermissionError(13, os.strerror(13), str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    assert doctor._disk(tmp_path / "mine").id == "disk"


def test_commands_to_copy_are_not_wrapped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    todo = f'python -m pip install "{"x" * 90}>=1" "y"'
    for ok in (True, False):
        monkeypatch.setattr(doctor, "run_checks", lambda _: [CheckResult("x", "thing", ok, "old", todo)])  # noqa: B023
        doctor.main(tmp_path / ("d" * 90))
        assert todo in capsys.readouterr().out
    monkeypatch.setattr(doctor, "run_checks", lambda _: [CheckResult("x", "thing", True, "new")])
    doctor.main(tmp_path / ("d" * 90))
    assert f'secant lab --lang en --workspace "{tmp_path / ("d" * 90)}"' in capsys.readouterr().out


def test_doctor_gradient_check_is_ascii_only() -> None:
    assert doctor._GRADIENT.isascii()  # another process gets this code as an argument


@pytest.mark.parametrize(("needed", "code"), [(True, 1), (False, 0)])
def test_doctor_prints_a_table_and_fails_only_if_something_needed_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], needed: bool, code: int
) -> None:
    for name in ("en", "ko"):
        language(name)
        findings = [CheckResult("disk", "disk", False, "0.1 GB", "Make room.", needed)]
        monkeypatch.setattr(doctor, "run_checks", lambda _, findings=findings: findings)
        assert doctor.main() == code
        output = capsys.readouterr().out
        assert "Make room." in output
        assert ("make lab" in output) == (code == 0)
