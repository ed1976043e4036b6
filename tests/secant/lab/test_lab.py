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
from datetime import date
from pathlib import Path

import pytest

import secant
from secant import language
from secant.lab import launch as lab
from secant.lab import start_page, workspace

ROOT = Path(__file__).resolve().parents[3]
FOLDER = "01_what_autograd_does"
NOTEBOOK = f"{FOLDER}/{FOLDER}.ipynb"
DAY = date(2026, 11, 21)


@pytest.fixture(autouse=True)
def keep_language() -> Iterator[None]:
    """The language is the process's own: put it back."""
    before = language()
    language("en")
    yield
    language(before)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A course with one small lesson in both languages."""
    (tmp_path / "course").mkdir()
    (tmp_path / "course/syllabus.toml").write_bytes((ROOT / "course/syllabus.toml").read_bytes())
    for name in ("en", "ko"):
        write(tmp_path / "release" / name / NOTEBOOK, b"lesson, first version")
        write(tmp_path / "release" / name / FOLDER / "picture.png", b"picture")
    return tmp_path


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def release(house: Path, content: bytes) -> None:
    write(house / "release/en" / NOTEBOOK, content)


def prepare(house: Path, day: date = DAY) -> str:
    """Start once, without JupyterLab; return the start page."""
    workspace, page = lab.prepare(house, day)
    return (workspace / page).read_text()


def tree(folder: Path) -> dict[str, bytes]:
    """All files that the learner sees."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and workspace.STATE_FOLDER not in path.parts
    }


def notebooks(house: Path) -> set[str]:
    return {name for name in tree(house / "workspace/en") if name.endswith(".ipynb")}


# --- copying ---


def test_lessons_are_copied_and_a_second_start_changes_nothing(house: Path) -> None:
    page = prepare(house)
    workspace = house / "workspace/en"
    before = tree(workspace)
    assert set(before) == {NOTEBOOK, f"{FOLDER}/picture.png", "START.md"}
    assert "| new |" in page
    assert prepare(house) == page
    assert tree(workspace) == before


def test_an_edited_file_is_never_touched(house: Path) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    page = prepare(house)
    assert own.read_bytes() == b"my answers"
    assert notebooks(house) == {NOTEBOOK}
    assert "| in progress |" in page


def test_a_changed_lesson_is_put_beside_once_and_the_page_says_so(house: Path) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    release(house, b"lesson, second version")
    beside = f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb"
    for day in (DAY, DAY, date(2026, 12, 24)):
        page = prepare(house, day)
        assert notebooks(house) == {NOTEBOOK, beside}
        assert "| new version beside yours |" in page
        assert f"({FOLDER}/{FOLDER}%20%28new%202026-11-21%29.ipynb)" in page
    assert own.read_bytes() == b"my answers"
    assert (house / "workspace/en" / beside).read_bytes() == b"lesson, second version"


def test_a_file_that_was_not_edited_is_not_overwritten_either(house: Path) -> None:
    prepare(house)
    release(house, b"lesson, second version")
    prepare(house)
    assert (house / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"
    assert len(notebooks(house)) == 2


def test_two_versions_of_one_day_lie_side_by_side(house: Path) -> None:
    prepare(house)
    for version in (b"second", b"third"):
        release(house, version)
        page = prepare(house)
    assert notebooks(house) == {
        NOTEBOOK,
        f"{FOLDER}/{FOLDER} (new 2026-11-21).ipynb",
        f"{FOLDER}/{FOLDER} (new 2026-11-21 2).ipynb",
    }
    assert "%202%29.ipynb" in page


def test_a_new_version_that_was_thrown_away_does_not_come_back(house: Path) -> None:
    prepare(house)
    release(house, b"second")
    prepare(house)
    (house / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb").unlink()
    page = prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert "New versions" not in page


def test_a_learner_who_moves_to_the_new_version_hears_no_more_of_it(house: Path) -> None:
    prepare(house)
    release(house, b"second")
    prepare(house)
    beside = house / "workspace/en" / FOLDER / f"{FOLDER} (new 2026-11-21).ipynb"
    beside.replace(house / "workspace/en" / NOTEBOOK)
    page = prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert "| new |" in page
    release(house, b"third")
    assert "| new version beside yours |" in prepare(house)


def test_a_deleted_lesson_comes_fresh(house: Path) -> None:
    prepare(house)
    (house / "workspace/en" / NOTEBOOK).unlink()
    prepare(house)
    assert (house / "workspace/en" / NOTEBOOK).read_bytes() == b"lesson, first version"


@pytest.mark.parametrize(
    "spoilt",
    [None, b"", b"{", b"[]", b"3", b'{"a": 3}', b"\xff\x00", b'{"x": {"copied": null}}', b"[" * 100000],
)
def test_a_lost_or_corrupt_state_costs_no_work(house: Path, spoilt: bytes | None) -> None:
    prepare(house)
    own = write(house / "workspace/en" / NOTEBOOK, b"my answers")
    state = house / "workspace/en" / workspace.STATE_FOLDER / "state.json"
    if spoilt is None:
        state.unlink()
    else:
        state.write_bytes(spoilt)
    for _ in range(2):
        prepare(house)
        assert own.read_bytes() == b"my answers"
        # Nobody knows any more which version the answers began from, so the current one is put beside them.
        assert len(notebooks(house)) == 2
    assert json.loads(state.read_bytes())


@pytest.mark.parametrize("kind", ["folder", "dangling link", "link"])
def test_whatever_has_the_name_stays(house: Path, kind: str) -> None:
    name = house / "workspace/en" / NOTEBOOK
    name.parent.mkdir(parents=True)
    elsewhere = house / "elsewhere.ipynb"
    if kind == "folder":
        name.mkdir()
    else:
        name.symlink_to(elsewhere)
    if kind == "link":
        elsewhere.write_bytes(b"my answers")
    prepare(house)
    assert name.is_dir() if kind == "folder" else name.is_symlink()
    assert elsewhere.exists() == (kind == "link")
    assert kind != "link" or elsewhere.read_bytes() == b"my answers"


def test_leftovers_of_a_release_are_not_copied(house: Path) -> None:
    write(house / "release/en" / FOLDER / ".ipynb_checkpoints/old.ipynb", b"")
    write(house / "release/en" / FOLDER / "__pycache__/x.pyc", b"")
    prepare(house)
    assert notebooks(house) == {NOTEBOOK}
    assert len(tree(house / "workspace/en")) == 3


def test_a_disk_that_fills_up_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    def open_full(path: Path, _: str) -> Full:
        path.touch()
        return Full()

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space"):
        workspace.create(tmp_path / "a.ipynb", b"lesson")
    assert list(tmp_path.iterdir()) == []


# --- the start page ---


def test_the_page_lists_the_lessons_that_exist(house: Path) -> None:
    page = prepare(house)
    assert f"[1. What autograd actually does]({NOTEBOOK}) | 75 min | gradient, difference quotient" in page
    assert "1 of the 10 planned lessons" in page
    assert "grad_fn" not in page
    assert "Shift+Enter" in page
    assert str(house / "workspace/en") in page


def test_the_korean_page_is_korean(house: Path) -> None:
    language("ko")
    page = prepare(house)
    assert f"[1. Autograd가 실제로 하는 일]({NOTEBOOK}) | 75분 |" in page
    assert "| 시작 전 |" in page
    assert "Each lesson" not in page
    assert (house / "workspace/ko" / NOTEBOOK).exists()
    assert not (house / "workspace/en").exists()


def test_the_korean_page_keeps_to_the_glossary(house: Path) -> None:
    import tomllib

    language("ko")
    prepare(house)
    write(house / "release/ko" / NOTEBOOK, b"second")
    page = prepare(house)
    terms = tomllib.loads((ROOT / "course/glossary.toml").read_text())["term"]
    assert [word for term in terms for word in term["avoid"] if word in page] == []


def test_an_edited_start_page_stays_and_ours_goes_beside(house: Path) -> None:
    prepare(house)
    workspace = house / "workspace/en"
    own = workspace / "START.md"
    own.write_text(own.read_text() + "\nMy notes.\n")
    edited = own.read_bytes()
    write(workspace / NOTEBOOK, b"my answers")
    for _ in range(2):
        assert lab.prepare(house, DAY)[1] == "START (new).md"
        assert own.read_bytes() == edited
        assert "| in progress |" in (workspace / "START (new).md").read_text()
    (workspace / "START (new).md").write_text("more notes")
    assert lab.prepare(house, DAY)[1] == "START (new 2).md"
    assert own.read_bytes() == edited


def test_a_start_page_in_the_way_that_is_no_file(house: Path) -> None:
    (house / "workspace/en/START.md").mkdir(parents=True)
    assert lab.prepare(house, DAY)[1] == "START (new).md"


def test_the_syllabus_is_whole() -> None:
    for name in ("en", "ko"):
        language(name)
        lessons = start_page.read_syllabus(ROOT / "course/syllabus.toml")
        assert [lesson.folder[:2] for lesson in lessons] == [f"{number:02}" for number in range(1, 11)]
        assert all(lesson.title and lesson.tags and lesson.minutes > 0 for lesson in lessons)


# --- the command ---


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
    base, token = re.fullmatch(r"(http://[^/]+)/lab/tree/START\.md\?token=(\w+)", address).groups()

    def get(path: str) -> tuple[int, str]:
        request = urllib.request.Request(base + path, headers={"Authorization": f"token {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()

    status, lab_page = get("/lab/tree/START.md")
    assert status == 200
    # What asks the net, and what belongs to a class or an instructor, is off.
    data = json.loads(re.search(r'id="jupyter-config-data"[^>]*>\s*(\{.*?\})\s*</script>', lab_page, re.S)[1])
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
