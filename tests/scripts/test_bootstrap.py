"""Tests of scripts/bootstrap.py with a tiny package, real virtual environments, real pip and real faults."""

import ast
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import bootstrap
from tests.support.waiting import wait_for

BOOTSTRAP = Path(__file__).resolve().parents[2] / "scripts/bootstrap.py"
# A package that pip can install without any index.
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """
import os, time, zipfile

INFO = "tiny-1.dist-info"
ABOUT = "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\nProvides-Extra: dev\\n"
KIND = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"

def build_editable(folder, config_settings=None, metadata_directory=None):
    time.sleep(float(os.environ.get("SLOW", 0)))
    name = "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in [("METADATA", ABOUT), ("WHEEL", KIND), ("RECORD", "")]:
            wheel.writestr(INFO + "/" + path, text)
        wheel.writestr("tiny.pth", os.getcwd())
    return name
"""
# A replacement for ensurepip, the slowest step: it links the pip of an existing .venv into a new one.
LEND_PIP = """
import os, sysconfig

if __name__ == "__main__":
    for folder in {folders!r}:
        os.symlink(folder, os.path.join(sysconfig.get_path("purelib"), os.path.basename(folder)))
    open(os.path.join(sysconfig.get_path("scripts"), "pip"), "w").close()
"""
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": "", "SECANT_LANG": "en"}


def build_home(root: Path) -> Path:
    """Make a repository for which nothing has to be downloaded, and return its path."""
    (root / "scripts").mkdir(parents=True)
    shutil.copy(BOOTSTRAP, root / "scripts")
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "backend.py").write_text(BACKEND)
    (root / "tiny.py").write_text("print('tiny', __import__('sys').prefix)")
    (root / "constraints.txt").write_text("")
    (root / "secant/lab").mkdir(parents=True)
    (root / "secant/lab/jupyter_server_config.json").write_text("{}")
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Make a repository without a .venv, and return its path."""
    return build_home(tmp_path / "a course")


@pytest.fixture(scope="module")
def installed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository with a complete .venv, for tests that leave the .venv intact."""
    root = build_home(tmp_path_factory.mktemp("ready") / "a course")
    result = run(root, "-m", "tiny")
    assert result.stdout.startswith("Installing packages into .venv, once: about ")
    assert result.stdout.endswith(f"Ready.\ntiny {root}/.venv\n")
    assert (result.returncode, result.stderr) == (0, "")
    (root / ".venv/mark").touch()
    return root


@pytest.fixture(scope="module")
def pip_variables(installed_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return environment variables with which a new .venv borrows pip from `installed_home`."""
    folders = list(map(str, installed_home.glob(".venv/lib/python*/site-packages/pip*")))
    site = tmp_path_factory.mktemp("quick")
    (site / "ensurepip.py").write_text(LEND_PIP.format(folders=folders))
    return {"PYTHONPATH": str(site)}


def command(home: Path, *arguments: str) -> list[str]:
    return [getattr(sys, "_base_executable", sys.executable), str(home / "scripts/bootstrap.py"), *arguments]


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, **OFFLINE, **variables}


def run(
    home: Path, *arguments: str, wall: list[str] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*(wall or []), *command(home, *arguments)],
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def error_message(result: subprocess.CompletedProcess[str]) -> str:
    """Return the error message of a failed run, which must be one line."""
    assert result.returncode == 1, result
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    return result.stderr


def read_stamp(home: Path) -> dict[str, object]:
    return json.loads((home / ".venv/secant-stamp.json").read_text())


def is_building(home: Path) -> bool:
    try:
        return read_stamp(home) == {"building": True}
    except (OSError, ValueError):
        return False


# --- when all is well ---


def test_a_second_run_installs_nothing(installed_home: Path) -> None:
    result = run(installed_home, "-c", "import sys; sys.exit(len(sys.argv))", "a b", "--extra")
    assert (result.returncode, result.stdout, result.stderr) == (3, "", "")
    # A run with a Python that is too old to build the .venv installs nothing, either.
    assert (
        run(installed_home, "-m", "tiny", **fake_version(installed_home, (3, 8, 1))).stdout
        == f"tiny {installed_home}/.venv\n"
    )


@pytest.mark.costly("pip installs")
def test_extra_is_added_to_the_existing_venv_and_kept(installed_home: Path) -> None:
    assert "Installing" in run(installed_home, "--extra", "dev").stdout
    assert read_stamp(installed_home)["extras"] == ["dev"]
    assert run(installed_home).stdout == run(installed_home, "--extra", "dev").stdout == ""
    (installed_home / "constraints.txt").write_text("# changed")
    assert "Installing" in run(installed_home).stdout
    (installed_home / "secant/lab/jupyter_server_config.json").write_text('{"changed": true}')
    assert "Installing" in run(installed_home).stdout, "pip copies it into .venv only when it installs"
    assert read_stamp(installed_home)["extras"] == ["dev"]
    assert (installed_home / ".venv/mark").exists()


def test_foreign_venv_is_used_if_it_works(installed_home: Path) -> None:
    (installed_home / ".venv/secant-stamp.json").unlink()
    assert run(installed_home, "-m", "tiny").stdout.endswith(f"tiny {installed_home}/.venv\n")
    assert (installed_home / ".venv/mark").exists()


def test_two_bootstraps_at_once_both_succeed(home: Path, pip_variables: dict[str, str]) -> None:
    variables = environment(SLOW="1", **pip_variables)
    processes = [
        subprocess.Popen(command(home, "-m", "tiny"), env=variables, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = sorted(process.communicate(timeout=120)[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs[0].startswith("Installing")
    assert outputs[1] == f"Waiting for another set-up to finish.\ntiny {home}/.venv\n"


def run_in_terminal(home: Path, **variables: str) -> str:
    """Return what a run shows in a terminal."""
    controller, terminal = os.openpty()
    process = subprocess.Popen(command(home), env=environment(**variables), stdout=terminal, stderr=terminal)
    os.close(terminal)
    output = b""
    with contextlib.suppress(OSError):  # Linux raises an error at the end of the output
        while chunk := os.read(controller, 1000):
            output += chunk
    os.close(controller)
    assert process.wait(60) == 0
    return output.decode()


@pytest.mark.costly("pip installs, slowly")
@pytest.mark.parametrize(
    ("lang", "progress_text"),
    [("en", "Looking for packages: 0 found, "), ("ko", "필요한 패키지를 찾는 중: 0개, ")],
)
def test_installation_shows_its_progress_in_a_terminal(
    installed_home: Path, lang: str, progress_text: str
) -> None:
    (installed_home / ".venv/secant-stamp.json").unlink()
    output = run_in_terminal(installed_home, SLOW="3", SECANT_LANG=lang, PYTHONUTF8="1")
    assert output.count(progress_text) > 1
    assert output.rstrip().rpartition("\r")[2] in ("Ready.", "준비가 끝났습니다.")


def test_record_of_the_venv_stays_whole_if_writing_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "STAMP", str(tmp_path / "secant-stamp.json"))
    bootstrap.write_stamp({"building": True})
    with pytest.raises(TypeError):
        bootstrap.write_stamp({"extras": object()})  # fails when a part has been written
    assert bootstrap.read_stamp() == {"building": True}


def test_progress_follows_what_pip_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECANT_LANG", "en")
    monkeypatch.setattr(bootstrap, "VENV", str(tmp_path / "venv"))
    site = tmp_path / "venv" / ("Lib" if os.name == "nt" else "lib/python3.12") / "site-packages"
    (site / "pip-25.dist-info").mkdir(parents=True)
    progress = bootstrap.PipProgress(str(tmp_path / "temporary"))
    for line in (
        "Collecting torch==2.14.1 (from -r constraints.txt (line 3))",
        "Downloading torch-2.14.1-cp312-cp312-linux.whl.metadata (30 kB)",
        "Requirement already satisfied: pip in /x",
        "Collecting numpy",
        "Using cached numpy-2.3-cp312.whl (16.5 MB)",
    ):
        progress.note(line)
    assert progress.text().startswith("Downloading package 1 (numpy, 16.5 MB), ")
    progress.note("Downloading torch-2.14.1-cp312-cp312-linux.whl (188.0 MB)")
    part = tmp_path / "temporary" / "pip-unpack-x" / "torch-2.14.1-cp312-cp312-linux.whl"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(3_000_000))
    assert progress.text().startswith("Downloading package 2 (torch, 3.0 of 188.0 MB), ")
    progress.note("Installing collected packages: numpy, torch")
    assert progress.text().startswith("Installing packages: 0 of 2, ")
    (site / "numpy-2.3.dist-info").mkdir()
    assert progress.text().startswith("Installing packages: 1 of 2, ")
    monkeypatch.setenv("SECANT_LANG", "ko")
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    assert progress.text().startswith("패키지를 설치하는 중: 2개 중 1개, ")


# --- a .venv that is not complete ---


def test_venv_of_a_killed_bootstrap_is_rebuilt(home: Path, pip_variables: dict[str, str]) -> None:
    process = subprocess.Popen(
        command(home),
        env=environment(SLOW="60", **pip_variables),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert wait_for(lambda: (home / ".venv/bin/pip").exists(), 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert is_building(home)
    result = run(home, "-m", "tiny", **pip_variables)
    assert "Removing a .venv that is not complete." in result.stdout
    assert result.stdout.endswith(f"tiny {home}/.venv\n")


def test_venv_of_a_moved_folder_is_rebuilt(home: Path, pip_variables: dict[str, str]) -> None:
    subprocess.run([*command(home)[:1], "-m", "venv", "--without-pip", home / ".venv"], check=True)
    (home / ".venv/secant-stamp.json").write_text('{"installed": "so", "root": "/elsewhere", "extras": []}')
    result = run(home, "-m", "tiny", **pip_variables)
    assert "Removing" in result.stdout
    assert result.stdout.endswith(f"tiny {home}/.venv\n")


def test_ctrl_c_during_bootstrap_prints_one_sentence(home: Path) -> None:
    process = subprocess.Popen(
        command(home),
        env=environment(SLOW="60"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert wait_for(lambda: is_building(home), 60)
    os.killpg(process.pid, signal.SIGINT)  # a terminal also sends it to the child processes
    assert process.communicate(timeout=60)[1].strip() == "Stopped: run the same command again."
    assert process.returncode == 130


@pytest.mark.parametrize("kind", ["file", "no pip"])
def test_a_broken_venv_is_built_anew(home: Path, pip_variables: dict[str, str], kind: str) -> None:
    venv = home / ".venv"
    if kind == "file":
        venv.write_text("in the way")
    else:
        subprocess.run([*command(home)[:1], "-m", "venv", "--without-pip", venv], check=True)
    result = run(home, "-m", "tiny", **pip_variables)
    assert "Removing" in result.stdout
    assert result.stdout.endswith(f"tiny {venv}\n")


# --- failures ---


def fake_version(home: Path, version: tuple[int, ...], code: str = "") -> dict[str, str]:
    """Return environment variables with which Python reports this version and runs `code` when it starts."""
    site = home.parent / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(f"import sys\nsys.version_info = {version}\n{code}")
    return {"PYTHONPATH": str(site)}


def write_fake_python(folder: Path, name: str, code: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
    (folder / name).chmod(0o755)


def test_bootstrap_parses_on_the_oldest_python() -> None:
    ast.parse(BOOTSTRAP.read_text(), feature_version=(3, 6))


def test_a_python_that_is_too_old_is_named_and_a_better_one_suggested(home: Path) -> None:
    bin_ = home.parent / "bin"
    write_fake_python(bin_, "python3.12", 127)  # fails like a shim whose Python is not installed
    old_python = fake_version(home, (3, 8, 1))
    message = error_message(run(home, PATH=str(bin_), **old_python))
    assert "this is 3.8" in message
    assert "install a newer one and run `make lab PYTHON=python3.12`" in message
    write_fake_python(bin_, "python3.13", 0)
    message = error_message(run(home, PATH=str(bin_), **old_python))
    assert message.endswith(": run `make lab PYTHON=python3.13`.\n")
    message = error_message(run(home, PATH=str(bin_), **old_python, SECANT_LANG="ko", PYTHONUTF8="1"))
    assert "3.8입니다. `make lab PYTHON=python3.13`" in message
    # A terminal that cannot show Korean gets English, not a traceback.
    assert "this is 3.8" in error_message(run(home, **old_python, SECANT_LANG="ko", PYTHONIOENCODING="ascii"))
    assert not (home / ".venv").exists()


def old_pythons() -> set[str]:
    """Return the oldest and the newest working Python from 3.6 to 3.10 on this machine, if any."""
    paths = []
    for minor in range(6, 11):
        paths.append(shutil.which(f"python3.{minor}") or "")
        paths += map(str, Path.home().glob(f".pyenv/versions/3.{minor}[.-]*/bin/python"))
    # pyenv's shims are skipped: each takes a second, and starts a Python that the .pyenv pattern finds, too.
    pythons = [name for name in paths if name and Path(name).parent.name != "shims"]
    ends = (next(filter(is_old, pythons), None), next(filter(is_old, reversed(pythons)), None))
    return {name for name in ends if name}


def is_old(python: str) -> bool:
    check = "import sys; sys.exit(not (3, 6) <= sys.version_info < (3, 11))"
    return subprocess.run([python, "-c", check], capture_output=True).returncode == 0


def test_bootstrap_on_an_old_python_names_the_needed_version(home: Path) -> None:
    pythons = old_pythons()
    if not pythons:
        pytest.skip("no Python from 3.6 to 3.10 here")
    for python in pythons:
        result = subprocess.run(
            [python, home / "scripts/bootstrap.py"], capture_output=True, text=True, env=environment()
        )
        assert "Secant needs Python 3.11 or newer and this is 3." in error_message(result)


def test_python_without_ensurepip_gets_the_apt_command(home: Path) -> None:
    folder = home.parent / "hide"
    folder.mkdir()
    (folder / "ensurepip.py").write_text("raise ImportError('left out')")
    assert "sudo apt install python3-venv" in error_message(run(home, PYTHONPATH=str(folder)))
    assert not (home / ".venv").exists()


UNREACHABLE_INDEXES = ["http://127.0.0.1:9/simple", "https://no-such-host.invalid/simple"]
PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]


@pytest.mark.parametrize("index", UNREACHABLE_INDEXES)
def test_bootstrap_without_network_is_explained(installed_home: Path, index: str) -> None:
    require_package(installed_home, "no-such-package==1")
    # Ignore a proxy that the environment names: it would answer in place of the index.
    settings = {**dict.fromkeys(PROXIES, ""), "PIP_NO_INDEX": "", "PIP_INDEX_URL": index, "PIP_RETRIES": "1"}
    message = error_message(run(installed_home, **settings))
    assert message.startswith("The packages could not be downloaded: check the network")
    require_package(installed_home, "")


def test_bootstrap_with_an_unknown_package_is_explained(installed_home: Path) -> None:
    require_package(installed_home, "no-such-package==1")
    message = error_message(run(installed_home))
    assert "no-such-package" in message
    assert "secant-errors.txt" in message
    require_package(installed_home, "")


def require_package(installed_home: Path, requirement: str) -> None:
    """Write a requirement to constraints.txt; if it is empty, check that the .venv is intact and works."""
    (installed_home / "constraints.txt").write_text(requirement)
    if not requirement:
        assert run(installed_home, "-m", "tiny").stdout.endswith(f"tiny {installed_home}/.venv\n")
        assert (installed_home / ".venv/mark").exists()


BWRAP = ["bwrap", "--dev-bind", "/", "/"]


@pytest.fixture
def bwrap() -> list[str]:
    """Return the beginning of a bubblewrap command; skip the test if bubblewrap does not work here.

    Tests add options for a small or read-only disk, or for a user without root's privileges.
    """
    if not shutil.which("bwrap") or subprocess.run([*BWRAP, "true"], capture_output=True).returncode != 0:
        pytest.skip("bubblewrap does not work here")
    return BWRAP


def test_bootstrap_with_too_little_disk_space_is_refused(home: Path, bwrap: list[str]) -> None:
    wall = [*bwrap, "--size", str(50 * 2**20), "--tmpfs", str(home)]
    for path in home.rglob("*"):
        if path.is_file():
            wall += ["--ro-bind", str(path), str(path)]
    message = error_message(run(home, wall=wall))
    assert message.startswith("Only 0.1 GB are free in")
    assert "make room and run this again" in message


def test_disk_that_fills_up_during_bootstrap_is_explained(home: Path, bwrap: list[str]) -> None:
    temporary = home.parent / "temporary"
    temporary.mkdir()
    wall = [*bwrap, "--size", str(2**19), "--tmpfs", str(temporary)]
    message = error_message(run(home, wall=wall, TMPDIR=str(temporary)))
    assert message.startswith("No space is left on the disk")
    assert str(temporary) in message


def test_bootstrap_in_an_unwritable_folder_is_explained(home: Path, bwrap: list[str]) -> None:
    read_only_wall = [*bwrap, "--ro-bind", str(home), str(home)]
    assert f"{home}/.venv cannot be written" in error_message(run(home, wall=read_only_wall))
    other_user_wall = [*bwrap, "--unshare-user", "--uid", "1000", "--cap-drop", "ALL"]
    home.chmod(0o555)
    message = error_message(run(home, wall=other_user_wall))
    assert f"{home}/.venv cannot be written" in message
    assert "sudo chown" in message
    home.chmod(0o755)
    # As left behind by a run with sudo: an incomplete .venv that this user cannot remove.
    bin_folder = home / ".venv/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").touch()
    bin_folder.chmod(0o555)
    (home / ".venv/secant-stamp.json").write_text('{"building": true}')
    assert "cannot be written" in error_message(run(home, wall=other_user_wall))
    bin_folder.chmod(0o755)
