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
from tests.secant.lab.house import DAY, FOLDER, NOTEBOOK, build, prepare, write
from tests.support.ports import free_port


def run(house: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "secant", "lab", "--no-browser", *arguments],
        cwd=house,
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
def test_bad_arguments_are_named_without_a_traceback(house: Path, arguments: list[str], word: str) -> None:
    done = run(house, *arguments)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (house / "workspace").exists()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_port_in_use_is_reported_in_one_sentence(house: Path, lang: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(house, "--port", str(port), "--lang", lang)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert str(port) in done.stderr


def test_impossible_port_is_reported_in_one_sentence(house: Path) -> None:
    done = run(house, "--port", "99999")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_missing_release_is_reported_in_one_sentence(house: Path) -> None:
    shutil.rmtree(house / "release/en")
    done = run(house)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no release/en/" in done.stderr


def test_unwritable_workspace_is_reported_in_one_sentence(house: Path) -> None:
    (house / "workspace").write_text("in the way")
    done = run(house)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "workspace" in done.stderr


@pytest.mark.whole
@pytest.mark.parametrize("name", ["workspace/en/.secant", "progress/lab", f"workspace/en/{FOLDER}"])
def test_a_file_where_a_folder_has_to_be_is_named(house: Path, name: str) -> None:
    write(house / name, b"in the way")
    done = run(house)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert f"{house}/{name} is a file" in done.stderr
    assert "Move or rename it" in done.stderr


@pytest.mark.whole
def test_unwritable_jupyter_folder_is_reported_in_one_sentence(house: Path) -> None:
    place = str(write(house / "file", b"") / "jupyter")
    named = {name: str(house) for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    for variable in named:
        done = run(house, **(named | {variable: place}))
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert f"{place} (Not a directory)" in done.stderr
        assert variable in done.stderr
        assert "Starting" not in done.stdout


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device."),
        (OSError(errno.EACCES, "Permission denied", "/a/file"), "/a/file: Permission denied."),
        (shutil.Error("two files"), "two files."),
    ],
)
def test_start_error_names_every_known_detail(
    house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError, why: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.chdir(house)
    monkeypatch.setattr(lab, "copy_lessons", fail)
    assert lab.main(lab.Options()) == 1
    assert capsys.readouterr().err == f"The lessons could not be prepared: {why}\n"


def test_importing_the_launcher_loads_no_slow_module() -> None:
    code = "import secant.lab.launch, sys; print({'torch', 'matplotlib', 'jupyterlab'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.fixture
def started(house: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the command up to JupyterLab and returns JupyterLab's arguments."""
    from jupyterlab.labapp import LabApp

    def start(*arguments: str) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        monkeypatch.setattr(
            LabApp, "launch_instance", lambda given: seen.update(arguments=given, cwd=Path.cwd())
        )
        with pytest.raises(SystemExit) as ended:
            cli.main(["lab", *arguments])
        return seen | {"code": ended.value.code, **os.environ}

    # The command changes these variables, so monkeypatch must know their old values.
    for name in ("SECANT_LANG", "JUPYTER_CONFIG_PATH", "PATH", COURSE, WORKSPACE, OWN_WORKSPACE):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.chdir(house)
    return start


def test_arguments_of_the_learner_override_the_defaults(
    house: Path, started: Callable[..., dict[str, Any]]
) -> None:
    write(house / "workspace/en/START.md", b"my own")
    usual = started()["arguments"]
    assert "--LabApp.default_url=/lab/tree/START%20%28new%29.md" in usual
    port = free_port()
    own = ("--LabApp.default_url=/lab", "--debug", f"--port={port}", "--Foo.bar=1", "--ip", "0.0.0.0")
    chosen = started(*own)["arguments"]
    assert [word for word in chosen if "default_url" in word] == ["--LabApp.default_url=/lab"]
    assert not any("log_level" in word for word in chosen)
    assert {f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--Foo.bar=1", "--debug"} <= set(chosen)
    assert chosen[chosen.index("--ip") + 1] == "0.0.0.0"
    assert not any("port" in word for word in usual)


FULL = OSError(errno.ENOSPC, "No space left on device")


def fail(*_: object, **__: object) -> None:
    raise FULL


@pytest.mark.parametrize("which", ["copy_lessons", "write_start_page"])
def test_copied_lessons_open_although_the_disk_is_read_only(
    house: Path,
    started: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    which: str,
) -> None:
    write(house / "workspace/en/START.md", b"my own")
    prepare(house)
    monkeypatch.setattr(lab, which, fail)
    seen = started()
    assert seen["code"] == 0
    assert "--LabApp.default_url=/lab/tree/START%20%28new%29.md" in seen["arguments"]
    warning = capsys.readouterr().err
    assert "Nothing can be saved" in warning
    assert f"{house}/workspace/en (No space left on device)" in warning
    assert "--workspace" in warning


def test_lab_does_not_start_if_a_lesson_cannot_be_copied(
    house: Path, started: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(house)
    (house / "workspace/en" / NOTEBOOK).unlink()
    monkeypatch.setattr(lab, "copy_lessons", fail)
    seen = started()
    assert seen["code"] == 1
    assert "arguments" not in seen


def test_settings_that_cannot_be_saved_go_to_a_temporary_folder(
    house: Path, started: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced(path: Path, content: bytes) -> None:
        if path.is_relative_to(house / "progress/lab"):
            raise FULL
        replace_file(path, content)

    monkeypatch.setattr(lab, "replace_file", replaced)
    seen = started()
    settings = Path(seen["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0])
    assert seen["code"] == 0
    assert settings.is_relative_to(tempfile.gettempdir())
    assert not settings.is_relative_to(house)
    assert f"--LabApp.workspaces_dir={settings.parent}/layouts" in seen["arguments"]
    assert not settings.exists()  # the folder is removed at the end


def test_settings_are_written_only_when_they_change(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Existing settings can be used even where nothing can be written."""
    settings = lab.write_lab_config(house / "settings")
    monkeypatch.setattr(lab, "replace_file", fail)
    assert lab.write_lab_config(house / "settings") == settings


PLANTED = "from pathlib import Path\nPath({!r}).touch()\n"


@pytest.mark.parametrize(
    "name", [f"{kind}_config.py" for kind in ("jupyter", "jupyter_server", "jupyter_lab", "nbgrader")]
)
@pytest.mark.parametrize("folder", [".secant/jupyter", ".jupyter", ".", ".secant"])
def test_settings_that_came_with_a_workspace_run_nothing(
    house: Path, started: Callable[..., dict[str, Any]], folder: str, name: str
) -> None:
    """A folder of lessons may come from anywhere, so its files must not run code (as in CVE-2022-39286)."""
    from jupyterlab.labapp import LabApp
    from nbgrader.server_extensions.validate_assignment.handlers import ValidateAssignmentHandler

    write(house / "workspace/en" / folder / name, PLANTED.format(str(house / "ran")).encode())
    assert started()["code"] == 0
    LabApp().load_config_file()
    ServerApp().load_config_file()
    ValidateAssignmentHandler.load_config(SimpleNamespace())
    assert not (house / "ran").exists()


def test_settings_and_layouts_are_private_and_one_place_a_workspace(
    house: Path, started: Callable[..., dict[str, Any]]
) -> None:
    places = [Path(started(*words)["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]).parent for words in WAYS]
    assert len(set(places)) == len(WAYS)
    for place in places:
        assert place.is_relative_to(house / "progress")
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


WAYS = [(), ("--lang", "ko"), ("--workspace", "other")]


@pytest.mark.parametrize("how", ["of another user", "a link"])
def test_settings_folder_of_another_user_is_not_used(
    house: Path, started: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    place = lab.settings_folder(house / "workspace/en")
    place.parent.mkdir(parents=True)
    if how == "a link":
        (house / "other").mkdir()
        place.symlink_to(house / "other")
    else:
        place.mkdir()
        others = SimpleNamespace(st_uid=4242, st_mode=place.lstat().st_mode)
        real = Path.lstat
        monkeypatch.setattr(Path, "lstat", lambda path: others if path == place else real(path))
    settings = Path(started()["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0])
    assert settings.is_relative_to(tempfile.gettempdir())
    assert not settings.is_relative_to(house)


def test_started_server_uses_the_course_of_its_lessons(
    house: Path, started: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = started("--workspace", "mine")
    for name in (COURSE, WORKSPACE):
        monkeypatch.setenv(name, seen[name])
    build(house / "mine")  # another course, around the workspace
    assert course_root(house / "mine/en/01_x") == house
    assert course_root(house / "mine") == house / "mine"


def test_workspace_counts_as_own_only_if_secant_filled_it(
    house: Path, started: Callable[..., dict[str, Any]]
) -> None:
    assert started()[OWN_WORKSPACE] == str(house / "workspace/en")
    assert started("--workspace", str(house / "made"))[OWN_WORKSPACE] == str(house / "made/en")
    assert started("--workspace", str(house / "made"))[OWN_WORKSPACE] == str(house / "made/en")
    write(house / "sent/en/.secant/own", b"")
    write(house / "sent/en" / NOTEBOOK, b"somebody's")
    for _ in range(2):
        assert OWN_WORKSPACE not in started("--workspace", str(house / "sent"))


def test_the_menus_are_korean_only_with_a_language_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = "@jupyterlab/translation-extension:plugin"
    language("ko")
    for installed in (False, True):
        monkeypatch.setattr(lab, "language_pack", lambda _locale, found=installed: found)
        assert (plugin in lab.lab_defaults()) == installed
    language("en")
    assert plugin not in lab.lab_defaults()


def test_the_kernels_know_the_language(
    house: Path, started: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/own")
    seen = started("--lang", "ko", "--no-browser")
    place = house / "workspace/ko"
    settings = lab.settings_folder(place) / "jupyter"
    assert (seen["code"], seen["SECANT_LANG"], seen["cwd"]) == (0, "ko", settings)
    assert seen["JUPYTER_CONFIG_PATH"] == f"{settings}{os.pathsep}/own"
    assert f"--ServerApp.root_dir={place}" in seen["arguments"]
    assert "--ServerApp.open_browser=False" in seen["arguments"]


def test_a_torch_newer_than_the_tested_ones_gets_one_line(
    started: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real, torch = importlib.metadata.version, "2.14.1+cu130"
    monkeypatch.setattr(importlib.metadata, "version", lambda name: torch if name == "torch" else real(name))
    started()
    assert len(capsys.readouterr().out.splitlines()) == 2
    torch = "2.15.0"
    started()
    where, line, starting = capsys.readouterr().out.splitlines()
    assert where.startswith("Your lessons are in")
    assert line.startswith("PyTorch 2.15.0 is newer than the versions that the lessons were tested with")
    assert starting == "Starting JupyterLab. Ctrl+C ends it."


@pytest.mark.parametrize(("said", "where"), [("mine", "house/mine"), ("~/mine", "home/mine")])
def test_the_learner_chooses_the_folder(
    house: Path,
    started: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    where: str,
) -> None:
    monkeypatch.setenv("HOME", str(house / "home"))
    (house / "house").mkdir()
    monkeypatch.chdir(house / "house")
    place = house / where / "en"
    assert f"--ServerApp.root_dir={place}" in started("--workspace", said)["arguments"]
    assert (place / NOTEBOOK).is_file()
    assert f'`secant lab --lang en --workspace "{place.parent}"` again' in (place / "START.md").read_text()
    assert not (house / "workspace").exists()


class TestFromAWheel:
    """Tests with a course inside an installed package, where a learner cannot work."""

    @pytest.fixture
    def wheel(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        package = tmp_path / "site-packages/secant"
        monkeypatch.setattr(secant, "__file__", str(write(package / "__init__.py", b"")))
        monkeypatch.chdir(tmp_path)
        return build(package.parent / INSIDE)

    @pytest.mark.parametrize("lang", ["en", "ko"])
    def test_lessons_go_to_the_home_folder(
        self, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
    ) -> None:
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
        language(lang)
        root = course_root()
        place, page = lab.prepare(root, DAY)
        assert (root, place) == (wheel, tmp_path / "home/secant-lessons" / lang)
        assert (place / NOTEBOOK).is_file()
        assert f"`secant lab --lang {lang}`" in (place / page).read_text()
        assert not list(wheel.rglob("workspace"))

    def test_missing_home_folder_is_explained(self, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def homeless() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", homeless)
        with pytest.raises(LabError, match="--workspace"):
            lab.prepare(wheel, DAY)


def test_windows_users_get_no_make_command(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = house / "workspace"
    assert workspace.command(house, "en", places / "en") == "make lab"
    assert workspace.command(house, "ko", places / "ko") == "make lab lang=ko"
    monkeypatch.setattr(workspace, "os", SimpleNamespace(name="nt", path=os.path))
    assert workspace.command(house, "en", places / "en") == "secant lab --lang en"


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, object]], Config]:
    """Return a function that reads a server's configuration under `make lab`, given the learner's own."""

    def read(own: dict[str, object]) -> Config:
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "own"))
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(lab.write_lab_config(tmp_path / "settings")))
        write(tmp_path / "own/jupyter_server_config.json", json.dumps(own).encode())
        server = ServerApp()
        server.load_config_file()
        return server.config

    return read


@pytest.mark.parametrize("shell", ["/bin/bash", "/usr/bin/zsh", "/opt/my tools/fish"])
def test_a_terminal_is_the_learners_shell_and_no_login_shell(
    configured: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert configured({}).ServerApp.terminado_settings == {"shell_command": [shell]}


def test_terminal_falls_back_to_sh(
    configured: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHELL", raising=False)
    assert configured({}).ServerApp.terminado_settings == {"shell_command": [shutil.which("sh")]}


def test_the_learners_own_server_configuration_wins(
    configured: Callable[[dict[str, object]], Config],
) -> None:
    own = {
        "ServerApp": {"terminado_settings": {"shell_command": ["bash", "-l"]}},
        "KernelManager": {"transport_encryption": "disabled"},
    }
    config = configured(own)
    assert config.ServerApp.terminado_settings == own["ServerApp"]["terminado_settings"]
    assert config.KernelManager.transport_encryption == "disabled"


@pytest.mark.parametrize("curve", [True, False])
def test_kernels_are_encrypted_where_zeromq_can(
    configured: Callable[[dict[str, object]], Config], monkeypatch: pytest.MonkeyPatch, curve: bool
) -> None:
    """If ZeroMQ cannot encrypt, a kernel with encryption would not start at all."""
    monkeypatch.setattr(zmq, "has", lambda what: curve and what == "curve")
    assert ("transport_encryption" in configured({}).KernelManager) == curve
