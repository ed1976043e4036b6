"""`python -m secant.lab`: its words, its JupyterLab and a real start."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import secant
from secant import language
from secant.lab import launch as lab
from tests.secant.lab.house import FOLDER, NOTEBOOK, write


def run(house: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "secant.lab", "--no-browser", *arguments],
        cwd=house,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["--lang", "fr"], "fr"), (["--port", "eighty"], "eighty"), (["--lang"], "--lang")],
)
def test_bad_arguments(house: Path, arguments: list[str], word: str) -> None:
    done = run(house, *arguments)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (house / "workspace").exists()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_port_in_use_is_one_sentence(house: Path, lang: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(house, "--port", str(port), "--lang", lang)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert str(port) in done.stderr


def test_an_impossible_port_is_one_sentence(house: Path) -> None:
    done = run(house, "--port", "99999")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_no_release_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(secant, "__file__", str(tmp_path / "site-packages/secant/__init__.py"))
    with pytest.raises(lab.LabError, match=r"no release/en/ here"):
        lab.course_root()


def test_a_workspace_that_cannot_be_made_is_one_sentence(house: Path) -> None:
    (house / "workspace").write_text("in the way")
    done = run(house)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "workspace" in done.stderr


def test_importing_is_quick() -> None:
    code = "import secant.lab.launch, sys; print({'torch', 'matplotlib', 'jupyterlab'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def options(*arguments: str) -> list[str]:
    known, extra = lab.parse(list(arguments))
    return lab.lab_arguments(Path("/w"), "START (new).md", known, extra)


def test_the_learner_has_the_last_word() -> None:
    assert "--LabApp.default_url=/lab/tree/START%20%28new%29.md" in options()
    chosen = options("--LabApp.default_url=/lab", "--debug", "--port=1234", "--Foo.bar=1")
    assert [word for word in chosen if "default_url" in word] == ["--LabApp.default_url=/lab"]
    assert not any("log_level" in word for word in chosen)
    assert {"--ServerApp.port=1234", "--ServerApp.port_retries=0", "--Foo.bar=1", "--debug"} <= set(chosen)
    assert not any("port" in word for word in options())


def test_the_menus_are_korean_only_with_a_language_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = "@jupyterlab/translation-extension:plugin"
    language("ko")
    for installed in (False, True):
        monkeypatch.setattr(lab, "language_pack", lambda _locale, found=installed: found)
        assert (plugin in lab.lab_defaults()) == installed
    language("en")
    assert plugin not in lab.lab_defaults()


AUDIT = """
import os, sys
def audit(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        with open(os.environ["AUDIT"], "a") as file:
            print(event, arguments[1] if event == "socket.connect" else arguments[0], file=file)
sys.addaudithook(audit)
"""


def wait_for(port: int) -> None:
    """Jupyter prints the address a moment before it listens."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("nobody listens")


@pytest.fixture
def server(house: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A real start in Korean on a free port, with a home of its own; the address with the token."""
    write(tmp_path / "site/sitecustomize.py", AUDIT.encode())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    home = {"HOME": str(tmp_path / "home"), "AUDIT": str(tmp_path / "audit.txt"), "PYTHONPATH": paths}
    process = subprocess.Popen(
        [sys.executable, "-m", "secant.lab", "--no-browser", "--lang", "ko", "--port", str(port)],
        cwd=house,
        env={**os.environ, **home},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(rf"http://127.0.0.1:{port}/\S+token=\w+", line):
                wait_for(port)
                yield process, found[0]
                break
        else:
            pytest.fail("".join(lines))
    finally:
        process.kill()
        process.communicate()


def test_a_real_start(server: tuple[subprocess.Popen[str], str], house: Path, tmp_path: Path) -> None:
    process, address = server
    base, token = re.fullmatch(r"(http://[^/]+)/lab/tree/START\.md\?token=(\w+)", address).groups()  # type: ignore[union-attr]

    def get(path: str) -> tuple[int, str]:
        request = urllib.request.Request(base + path, headers={"Authorization": f"token {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()

    status, lab_page = get("/lab/tree/START.md")
    assert status == 200
    # What asks the net, and what belongs to a class or an instructor, is off.
    data = json.loads(re.search(r'id="jupyter-config-data"[^>]*>\s*(\{.*?\})\s*</script>', lab_page, re.S)[1])  # type: ignore[index]
    assert data["news"] == {"disabled": True}
    assert set(lab.HIDDEN_PANELS) <= set(data["disabledExtensions"])
    settings = json.loads(get("/lab/api/settings/@jupyterlab/docmanager-extension:plugin")[1])
    assert settings["schema"]["properties"]["defaultViewers"]["default"] == {"markdown": "Markdown Preview"}
    assert get("/lab/api/update")[0] == 200
    assert "Autograd가" in json.loads(get("/api/contents/START.md?type=file")[1])["content"]
    assert get(f"/api/contents/{NOTEBOOK}?type=file")[0] == 200
    listed = {entry["name"] for entry in json.loads(get("/api/contents/")[1])["content"]}
    assert listed == {FOLDER, "START.md"}
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{base}/api/contents", timeout=30)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    audit = tmp_path / "audit.txt"
    asked = audit.read_text().splitlines() if audit.exists() else []
    assert [line for line in asked if not re.search(r"127\.0\.0\.1|localhost|::1|None", line)] == []


def test_the_kernels_know_the_language(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyterlab.labapp import LabApp

    seen = {}

    def start(arguments: list[str]) -> None:
        seen.update(arguments=arguments, cwd=Path.cwd(), **os.environ)

    monkeypatch.setattr(LabApp, "launch_instance", start)
    monkeypatch.chdir(house)
    for name in ("SECANT_LANG", "JUPYTER_CONFIG_PATH"):
        monkeypatch.setenv(name, "/own")
    assert lab.main(["--lang", "ko", "--no-browser"]) == 0
    workspace = house / "workspace/ko"
    assert seen["SECANT_LANG"] == "ko"
    assert seen["cwd"] == workspace
    assert seen["JUPYTER_CONFIG_PATH"] == f"{workspace}/.secant/jupyter{os.pathsep}/own"
    assert f"--ServerApp.root_dir={workspace}" in seen["arguments"]
