"""Tests of `secant lab`: its messages, and the arguments and settings that JupyterLab gets."""

import errno
import importlib.metadata
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zmq
from jupyter_server.serverapp import ServerApp
from traitlets.config import Config

import secant
from secant import cli, language
from secant.files import replace_file
from secant.lab import launch as lab
from secant.lab import workspace
from secant.lab.workspace import LabError
from secant.where import COURSE, INSIDE, WORKSPACE, course_root
from secant.workspace_state import OWN_WORKSPACE
from tests.secant.lab.house import DAY, FOLDER, NOTEBOOK, build_course, prepare, write
from tests.support.ports import free_port


def run(small_course: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "secant", "lab", "--no-browser", *arguments],
        cwd=small_course,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["--lang", "fr"], "fr"), (["--port", "eighty"], "--port"), (["--lang"], "--lang")],
)
def test_bad_arguments_are_named_without_a_traceback(
    small_course: Path, arguments: list[str], word: str
) -> None:
    result = run(small_course, *arguments)
    assert result.returncode == 2
    assert word in result.stderr
    assert "Traceback" not in result.stderr
    assert not (small_course / "workspace").exists()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_port_in_use_is_reported_in_one_sentence(small_course: Path, lang: str) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        result = run(small_course, "--port", str(port), "--lang", lang)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert str(port) in result.stderr


def test_impossible_port_is_reported_in_one_sentence(small_course: Path) -> None:
    result = run(small_course, "--port", "99999")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)


def test_missing_release_is_reported_in_one_sentence(small_course: Path) -> None:
    shutil.rmtree(small_course / "release/en")
    result = run(small_course)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "no release/en/" in result.stderr


def test_unwritable_workspace_is_reported_in_one_sentence(small_course: Path) -> None:
    (small_course / "workspace").write_text("in the way")
    result = run(small_course)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "workspace" in result.stderr


@pytest.mark.whole
@pytest.mark.parametrize("name", ["workspace/en/.secant", "progress/lab", f"workspace/en/{FOLDER}"])
def test_a_file_where_a_folder_has_to_be_is_named(small_course: Path, name: str) -> None:
    write(small_course / name, b"in the way")
    result = run(small_course)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert f"{small_course}/{name} is a file" in result.stderr
    assert "Move or rename it" in result.stderr


@pytest.mark.whole
def test_unwritable_jupyter_folder_is_reported_in_one_sentence(small_course: Path) -> None:
    path = str(write(small_course / "file", b"") / "jupyter")
    folders = {name: str(small_course) for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    for variable in folders:
        result = run(small_course, **(folders | {variable: path}))
        assert (result.returncode, result.stderr.count("\n")) == (1, 1)
        assert f"{path} (Not a directory)" in result.stderr
        assert variable in result.stderr
        assert "Starting" not in result.stdout


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device."),
        (OSError(errno.EACCES, "Permission denied", "/a/file"), "/a/file: Permission denied."),
        (shutil.Error("two files"), "two files."),
    ],
)
def test_start_error_names_every_known_detail(
    small_course: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: OSError,
    reason: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.chdir(small_course)
    monkeypatch.setattr(lab, "copy_lessons", fail)
    assert lab.main(lab.Options()) == 1
    assert capsys.readouterr().err == f"The lessons could not be prepared: {reason}\n"


def test_importing_the_launcher_loads_no_slow_module() -> None:
    code = "import secant.lab.launch, sys; print({'torch', 'matplotlib', 'jupyterlab'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.fixture
def run_lab(small_course: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the command up to JupyterLab and returns JupyterLab's arguments."""
    from jupyterlab.labapp import LabApp

    def start(*arguments: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        monkeypatch.setattr(
            LabApp, "launch_instance", lambda argv: result.update(arguments=argv, cwd=Path.cwd())
        )
        with pytest.raises(SystemExit) as error:
            cli.main(["lab", *arguments])
        return result | {"code": error.value.code, **os.environ}

    # The command changes these variables, so monkeypatch must know their old values.
    for name in ("SECANT_LANG", "JUPYTER_CONFIG_PATH", "PATH", COURSE, WORKSPACE, OWN_WORKSPACE):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.chdir(small_course)
    return start


def test_arguments_of_the_learner_override_the_defaults(
    small_course: Path, run_lab: Callable[..., dict[str, Any]]
) -> None:
    write(small_course / "workspace/en/START.md", b"my own")
    default_arguments = run_lab()["arguments"]
    assert "--LabApp.default_url=/lab/tree/START%20%28new%29.md" in default_arguments
    port = free_port()
    options = ("--LabApp.default_url=/lab", "--debug", f"--port={port}", "--Foo.bar=1", "--ip", "0.0.0.0")
    arguments = run_lab(*options)["arguments"]
    assert [word for word in arguments if "default_url" in word] == ["--LabApp.default_url=/lab"]
    assert not any("log_level" in word for word in arguments)
    assert {f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--Foo.bar=1", "--debug"} <= set(
        arguments
    )
    assert arguments[arguments.index("--ip") + 1] == "0.0.0.0"
    assert not any("port" in word for word in default_arguments)


DISK_FULL = OSError(errno.ENOSPC, "No space left on device")


def fail(*_: object, **__: object) -> None:
    raise DISK_FULL


@pytest.mark.parametrize("function", ["copy_lessons", "write_start_page"])
def test_copied_lessons_open_although_the_disk_is_read_only(
    small_course: Path,
    run_lab: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: str,
) -> None:
    write(small_course / "workspace/en/START.md", b"my own")
    prepare(small_course)
    monkeypatch.setattr(lab, function, fail)
    result = run_lab()
    assert result["code"] == 0
    assert "--LabApp.default_url=/lab/tree/START%20%28new%29.md" in result["arguments"]
    warning = capsys.readouterr().err
    assert "Nothing can be saved" in warning
    assert f"{small_course}/workspace/en (No space left on device)" in warning
    assert "--workspace" in warning


def test_lab_does_not_start_if_a_lesson_cannot_be_copied(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(small_course)
    (small_course / "workspace/en" / NOTEBOOK).unlink()
    monkeypatch.setattr(lab, "copy_lessons", fail)
    result = run_lab()
    assert result["code"] == 1
    assert "arguments" not in result


def test_settings_that_cannot_be_saved_go_to_a_temporary_folder(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_replace(path: Path, content: bytes) -> None:
        if path.is_relative_to(small_course / "progress/lab"):
            raise DISK_FULL
        replace_file(path, content)

    monkeypatch.setattr(lab, "replace_file", fail_to_replace)
    result = run_lab()
    settings = Path(result["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0])
    assert result["code"] == 0
    assert settings.is_relative_to(tempfile.gettempdir())
    assert not settings.is_relative_to(small_course)
    assert f"--LabApp.workspaces_dir={settings.parent}/layouts" in result["arguments"]
    assert not settings.exists()  # the folder is removed at the end


def test_settings_are_written_only_when_they_change(
    small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Existing settings can be used even where nothing can be written."""
    settings = lab.write_lab_config(small_course / "settings")
    monkeypatch.setattr(lab, "replace_file", fail)
    assert lab.write_lab_config(small_course / "settings") == settings


PLANTED_CODE = "from pathlib import Path\nPath({!r}).touch()\n"


@pytest.mark.parametrize(
    "name", [f"{kind}_config.py" for kind in ("jupyter", "jupyter_server", "jupyter_lab", "nbgrader")]
)
@pytest.mark.parametrize("folder", [".secant/jupyter", ".jupyter", ".", ".secant"])
def test_settings_that_came_with_a_workspace_run_nothing(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], folder: str, name: str
) -> None:
    """A folder of lessons may come from anywhere, so its files must not run code (as in CVE-2022-39286)."""
    from jupyterlab.labapp import LabApp
    from nbgrader.server_extensions.validate_assignment.handlers import ValidateAssignmentHandler

    write(
        small_course / "workspace/en" / folder / name, PLANTED_CODE.format(str(small_course / "ran")).encode()
    )
    assert run_lab()["code"] == 0
    LabApp().load_config_file()
    ServerApp().load_config_file()
    ValidateAssignmentHandler.load_config(SimpleNamespace())
    assert not (small_course / "ran").exists()


def test_settings_and_layouts_are_in_a_private_folder_for_each_workspace(
    small_course: Path, run_lab: Callable[..., dict[str, Any]]
) -> None:
    folders = [
        Path(run_lab(*arguments)["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]).parent
        for arguments in COMMAND_LINES
    ]
    assert len(set(folders)) == len(COMMAND_LINES)
    for folder in folders:
        assert folder.is_relative_to(small_course / "progress")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


COMMAND_LINES = [(), ("--lang", "ko"), ("--workspace", "other")]


@pytest.mark.parametrize("kind", ["of another user", "a link"])
def test_settings_folder_of_another_user_is_not_used(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = lab.settings_folder(small_course / "workspace/en")
    folder.parent.mkdir(parents=True)
    if kind == "a link":
        (small_course / "other").mkdir()
        folder.symlink_to(small_course / "other")
    else:
        folder.mkdir()
        foreign_stat = SimpleNamespace(st_uid=4242, st_mode=folder.lstat().st_mode)
        real_lstat = Path.lstat
        monkeypatch.setattr(Path, "lstat", lambda path: foreign_stat if path == folder else real_lstat(path))
    settings = Path(run_lab()["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0])
    assert settings.is_relative_to(tempfile.gettempdir())
    assert not settings.is_relative_to(small_course)


def test_started_server_uses_the_course_of_its_lessons(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run_lab("--workspace", "mine")
    for name in (COURSE, WORKSPACE):
        monkeypatch.setenv(name, result[name])
    build_course(small_course / "mine")  # another course, around the workspace
    assert course_root(small_course / "mine/en/01_x") == small_course
    assert course_root(small_course / "mine") == small_course / "mine"


def test_workspace_counts_as_own_only_if_secant_filled_it(
    small_course: Path, run_lab: Callable[..., dict[str, Any]]
) -> None:
    assert run_lab()[OWN_WORKSPACE] == str(small_course / "workspace/en")
    assert run_lab("--workspace", str(small_course / "made"))[OWN_WORKSPACE] == str(small_course / "made/en")
    assert run_lab("--workspace", str(small_course / "made"))[OWN_WORKSPACE] == str(small_course / "made/en")
    write(small_course / "sent/en/.secant/own", b"")
    write(small_course / "sent/en" / NOTEBOOK, b"somebody's")
    for _ in range(2):
        assert OWN_WORKSPACE not in run_lab("--workspace", str(small_course / "sent"))


def test_the_menus_are_korean_only_with_a_language_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = "@jupyterlab/translation-extension:plugin"
    language("ko")
    for has_pack in (False, True):
        monkeypatch.setattr(lab, "language_pack", lambda _locale, pack=has_pack: pack)
        assert (plugin in lab.lab_defaults()) == has_pack
    language("en")
    assert plugin not in lab.lab_defaults()


def test_the_kernels_know_the_language(
    small_course: Path, run_lab: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/own")
    result = run_lab("--lang", "ko", "--no-browser")
    folder = small_course / "workspace/ko"
    settings = lab.settings_folder(folder) / "jupyter"
    assert (result["code"], result["SECANT_LANG"], result["cwd"]) == (0, "ko", settings)
    assert result["JUPYTER_CONFIG_PATH"] == f"{settings}{os.pathsep}/own"
    assert f"--ServerApp.root_dir={folder}" in result["arguments"]
    assert "--ServerApp.open_browser=False" in result["arguments"]


def test_torch_newer_than_the_tested_ones_is_reported_in_one_line(
    run_lab: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real_version, torch = importlib.metadata.version, "2.14.1+cu130"
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: torch if name == "torch" else real_version(name)
    )
    run_lab()
    assert len(capsys.readouterr().out.splitlines()) == 2
    torch = "2.15.0"
    run_lab()
    location, warning, start = capsys.readouterr().out.splitlines()
    assert location.startswith("Your lessons are in")
    assert warning.startswith("PyTorch 2.15.0 is newer than the versions that the lessons were tested with")
    assert start == "Starting JupyterLab. Ctrl+C ends it."


@pytest.mark.parametrize(("argument", "path"), [("mine", "house/mine"), ("~/mine", "home/mine")])
def test_the_learner_chooses_the_folder(
    small_course: Path,
    run_lab: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    argument: str,
    path: str,
) -> None:
    monkeypatch.setenv("HOME", str(small_course / "home"))
    (small_course / "house").mkdir()
    monkeypatch.chdir(small_course / "house")
    folder = small_course / path / "en"
    assert f"--ServerApp.root_dir={folder}" in run_lab("--workspace", argument)["arguments"]
    assert (folder / NOTEBOOK).is_file()
    assert f'`secant lab --lang en --workspace "{folder.parent}"` again' in (folder / "START.md").read_text()
    assert not (small_course / "workspace").exists()


class TestFromAWheel:
    """Tests with a course inside an installed package, where a learner cannot work."""

    @pytest.fixture
    def wheel(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        package = tmp_path / "site-packages/secant"
        monkeypatch.setattr(secant, "__file__", str(write(package / "__init__.py", b"")))
        monkeypatch.chdir(tmp_path)
        return build_course(package.parent / INSIDE)

    @pytest.mark.parametrize("lang", ["en", "ko"])
    def test_lessons_go_to_the_home_folder(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
    ) -> None:
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
        language(lang)
        root = course_root()
        folder, page = lab.prepare(root, DAY)
        assert (root, folder) == (wheel, tmp_path / "home/secant-lessons" / lang)
        assert (folder / NOTEBOOK).is_file()
        assert f"`secant lab --lang {lang}`" in (folder / page).read_text()
        assert not list(wheel.rglob("workspace"))

    def test_missing_home_folder_is_explained(self, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail_to_find_home() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", fail_to_find_home)
        with pytest.raises(LabError, match="--workspace"):
            lab.prepare(wheel, DAY)


def test_windows_users_get_no_make_command(small_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_course / "workspace"
    assert workspace.command(small_course, "en", folder / "en") == "make lab"
    assert workspace.command(small_course, "ko", folder / "ko") == "make lab lang=ko"
    monkeypatch.setattr(workspace, "os", SimpleNamespace(name="nt", path=os.path))
    assert workspace.command(small_course, "en", folder / "en") == "secant lab --lang en"


@pytest.fixture
def read_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, object]], Config]:
    """Return a function that reads a server's settings under `make lab`, given the learner's own settings."""

    def read(own_settings: dict[str, object]) -> Config:
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "own"))
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(lab.write_lab_config(tmp_path / "settings")))
        write(tmp_path / "own/jupyter_server_config.json", json.dumps(own_settings).encode())
        server = ServerApp()
        server.load_config_file()
        return server.config

    return read


@pytest.mark.parametrize("shell", ["/bin/bash", "/usr/bin/zsh", "/opt/my tools/fish"])
def test_a_terminal_is_the_learners_shell_and_no_login_shell(
    read_config: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert read_config({}).ServerApp.terminado_settings == {"shell_command": [shell]}


def test_terminal_falls_back_to_sh(
    read_config: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHELL", raising=False)
    assert read_config({}).ServerApp.terminado_settings == {"shell_command": [shutil.which("sh")]}


def test_the_learners_own_server_configuration_wins(
    read_config: Callable[[dict[str, object]], Config],
) -> None:
    own_settings = {
        "ServerApp": {"terminado_settings": {"shell_command": ["bash", "-l"]}},
        "KernelManager": {"transport_encryption": "disabled"},
    }
    config = read_config(own_settings)
    assert config.ServerApp.terminado_settings == own_settings["ServerApp"]["terminado_settings"]
    assert config.KernelManager.transport_encryption == "disabled"


@pytest.mark.parametrize("curve", [True, False])
def test_kernels_are_encrypted_where_zeromq_can(
    read_config: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch, curve: bool
) -> None:
    """If ZeroMQ cannot encrypt, a kernel with encryption would not start at all."""
    monkeypatch.setattr(zmq, "has", lambda feature: curve and feature == "curve")
    assert ("transport_encryption" in read_config({}).KernelManager) == curve
