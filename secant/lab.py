"""Put the lessons into a workspace and open JupyterLab there: `python -m secant.lab --lang ko`.

A file that stands in the workspace belongs to the learner: nothing here ever writes over it.
"""

import argparse
import hashlib
import json
import os
import socket
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from urllib.parse import quote

from secant._language import LANGUAGES, language, say

START = "START.md"
# Hidden, so that JupyterLab neither lists nor serves it.
STATE_FOLDER = ".secant"
# For each file of a release, the versions it was copied from and last put beside (see `copy_file`).
State = dict[str, dict[str, str]]


class LabError(Exception):
    """Something that the learner can put right; its text is the one sentence that they see."""


# --- Lessons: copied once, never overwritten ---


@dataclass(frozen=True)
class Copied:
    """Where one file of a release stands in the workspace; names have forward slashes."""

    name: str
    edited: bool
    beside: str | None  # the newer version that stands next to it


def fingerprint(content: bytes) -> str:
    """A short name for exactly these bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


def read_state(workspace: Path) -> State:
    """What was put where; a file that cannot be understood counts as an empty one."""
    try:
        state = json.loads((workspace / STATE_FOLDER / "state.json").read_bytes())
        return {str(name): {str(k): str(v) for k, v in entry.items()} for name, entry in state.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def write_state(workspace: Path, state: State) -> None:
    """Replace the state in one step, so that a crash leaves the old one whole."""
    folder = workspace / STATE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / "state.json.new"
    new.write_text(json.dumps(state, indent=1, sort_keys=True), encoding="utf-8")
    new.replace(folder / "state.json")


def create(path: Path, content: bytes) -> bool:
    """Write a new file and return True; return False, touching nothing, if something has that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
    except BaseException:
        path.unlink()  # half a file would pass for the learner's own next time
        raise
    return True


def content_of(path: Path) -> bytes | None:
    """The file's bytes, or None where there is no file to read (nothing, a folder, a broken link)."""
    return path.read_bytes() if path.is_file() else None


def put_beside(path: Path, content: bytes, today: date) -> Path:
    """Write a newer version next to the learner's file, under the first name that is free or holds it."""
    for number in count(1):
        mark = f"new {today}" if number == 1 else f"new {today} {number}"
        candidate = path.with_name(f"{path.stem} ({mark}){path.suffix}")
        if create(candidate, content) or content_of(candidate) == content:
            break
    return candidate


def copy_file(source: Path, name: str, workspace: Path, state: State, today: date) -> Copied:
    """Copy one file of a release, or, where that name is taken, put a changed one beside it."""
    content, path = source.read_bytes(), workspace / name
    released, entry = fingerprint(content), state.setdefault(name, {})
    if create(path, content) or content_of(path) == content:
        state[name] = {"copied": released}
        return Copied(name, edited=False, beside=None)
    own = content_of(path)
    edited = own is None or fingerprint(own) != entry.get("copied")
    if released == entry.get("copied"):
        return Copied(name, edited, beside=None)
    # A version is put beside once: a learner who has thrown it away does not find it again at each start.
    if released != entry.get("offered"):
        entry["beside"] = put_beside(path, content, today).relative_to(workspace).as_posix()
        entry["offered"] = released
    beside = entry.get("beside", "")
    return Copied(name, edited, beside if beside and (workspace / beside).is_file() else None)


def released_files(release: Path) -> Iterator[str]:
    """Names of the files to copy, without what editors and Python leave behind."""
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release)
        if path.is_file() and not any(part.startswith((".", "__")) for part in name.parts):
            yield name.as_posix()


def copy_lessons(release: Path, workspace: Path, today: date) -> list[Copied]:
    """Bring a workspace up to date with a release without changing any file that is there."""
    state = read_state(workspace)
    copied = [copy_file(release / name, name, workspace, state, today) for name in released_files(release)]
    write_state(workspace, state)
    return copied


# --- The start page ---


@dataclass(frozen=True)
class Lesson:
    """One lesson as the syllabus has it, in the language in use."""

    folder: str
    title: str
    minutes: int
    tags: tuple[str, ...]


def read_syllabus(path: Path) -> list[Lesson]:
    """All lessons of the course in their order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["lesson"]
    return [
        Lesson(
            entry["folder"], entry["title"][language()], entry["minutes"], tuple(entry["tags"][language()])
        )
        for entry in entries
    ]


def link(text: str, name: str) -> str:
    """A Markdown link to a file of the workspace."""
    return f"[{text}]({quote(name)})"


def files_of(lesson: Lesson, copied: list[Copied]) -> list[Copied]:
    """A lesson's files; none if it is not released yet."""
    return [file for file in copied if file.name.startswith(f"{lesson.folder}/")]


def state_of(files: list[Copied]) -> str:
    """How far a lesson is, in words."""
    if any(file.beside for file in files):
        return say(en="new version beside yours", ko="새 버전이 옆에 있음")
    if any(file.edited for file in files):
        return say(en="in progress", ko="진행 중")
    return say(en="new", ko="시작 전")


def lesson_table(lessons: list[Lesson], copied: list[Copied]) -> str:
    """The lessons that can be opened now, as a Markdown table."""
    head = say(en="| Lesson | Time | About | State |", ko="| 수업 | 시간 | 다루는 내용 | 상태 |")
    lines = [head, "|---|---|---|---|"]
    for number, lesson in enumerate(lessons, start=1):
        if files := files_of(lesson, copied):
            title = link(f"{number}. {lesson.title}", f"{lesson.folder}/{lesson.folder}.ipynb")
            minutes = say(en=f"{lesson.minutes} min", ko=f"{lesson.minutes}분")
            lines.append(f"| {title} | {minutes} | {', '.join(lesson.tags)} | {state_of(files)} |")
    return "\n".join(lines)


def how_many(lessons: list[Lesson], copied: list[Copied]) -> str:
    """One line about lessons that are not written yet, empty once all are there."""
    here = sum(bool(files_of(lesson, copied)) for lesson in lessons)
    if here == len(lessons):
        return ""
    return say(
        en=f"{here} of the {len(lessons)} planned lessons can be taken so far.",
        ko=f"계획한 수업 {len(lessons)}개 가운데 지금은 {here}개를 들을 수 있습니다.",
    )


def new_versions(copied: list[Copied]) -> str:
    """What has changed since it was copied, and what to do about it; empty if nothing has."""
    lines = [
        say(
            en=f"- Yours: {link(file.name, file.name)}. New: {link(file.beside, file.beside)}.",
            ko=f"- 작업하시던 파일: {link(file.name, file.name)}, 새 버전: {link(file.beside, file.beside)}",
        )
        for file in copied
        if file.beside
    ]
    if not lines:
        return ""
    return say(en=NEW_VERSIONS_EN, ko=NEW_VERSIONS_KO) + "\n".join(lines)


NEW_VERSIONS_EN = """## New versions

A lesson has changed since it was copied here. Your own file was not touched; the new one stands beside it.
Go on with yours, or copy your answers across and go on with the new one.

"""

NEW_VERSIONS_KO = """## 새 버전이 나온 수업

이곳에 복사한 뒤로 내용이 바뀐 수업이 있습니다. 작업하시던 파일은 건드리지 않고
새 버전을 바로 옆에 두었습니다. 쓰시던 파일로 계속하셔도 되고,
작성한 답을 새 파일로 옮겨 이어 가셔도 됩니다.

"""

HOW_TO_EN = """## How to work

- Open a lesson from the table and go from top to bottom. **Shift+Enter** runs a cell and goes to the next.
- Where a cell says *Write your answer here*, put your answer in place of the `raise NotImplementedError(…)`.
- Something odd? *Kernel > Restart Kernel…* begins again with a clean memory; what you wrote stays.

## How to check your answers

Run your answer, then the test cell right below it. An error says what was expected, what came back and,
often, why. These are the visible tests; the lesson says in words what hidden tests look for besides.

Before you call a lesson finished, press **Validate** above the notebook: it runs everything from the top in a
fresh kernel, so that an answer that leans on a cell you have since changed or deleted shows itself.

To let the hidden tests look too, open *File > New > Terminal* and type `autograder check` and the notebook's
path, such as `autograder check 01_what_autograd_does/01_what_autograd_does.ipynb`. It stays on this computer.

## Where your work is kept

In `{workspace}`, and nowhere else. JupyterLab saves by itself every two minutes; **Ctrl+S** saves at once.
A file that is there is never overwritten. To begin a lesson afresh, rename or delete its notebook and run
`make lab` again. To stop, press **Ctrl+C** in the terminal where you started.
"""

HOW_TO_KO = """## 진행 방법

- 표에서 수업을 열고 위에서 아래로 차례대로 진행하세요.
  **Shift+Enter**를 누르면 셀이 실행되고 다음 셀로 넘어갑니다.
- 과제 셀에 *여기에 답을 쓰세요*라고 적힌 `raise NotImplementedError(…)` 줄을 지우고 답을 작성하세요.
- 결과가 이상하면 *Kernel > Restart Kernel…* 메뉴로 메모리를 비우고 다시 시작하세요.
  작성한 내용은 그대로 남습니다.

## 답 확인하기

답을 작성한 셀을 실행한 다음, 바로 아래의 테스트 셀을 실행하세요.
틀렸다면 기대한 값과 실제로 나온 값이 표시되고, 원인까지 알려 주는 경우도 많습니다.
여기서 확인되는 것은 보이는 테스트입니다. 숨은 테스트가 무엇을 더 살펴보는지는 수업에 글로 적어 두었습니다.

수업을 마치기 전에는 노트북 위쪽의 **Validate** 버튼을 눌러 보세요.
새 커널에서 처음부터 끝까지 다시 실행하므로, 이미 고치거나 지운 셀에 기대고 있던 답이 있다면 이때 드러납니다.

숨은 테스트까지 돌려 보려면 *File > New > Terminal*을 열고
`autograder check` 뒤에 노트북 경로를 적어 실행하세요.
예: `autograder check 01_what_autograd_does/01_what_autograd_does.ipynb`.
모두 이 컴퓨터 안에서만 실행됩니다.

## 작업이 저장되는 곳

모든 작업은 `{workspace}` 폴더에만 저장됩니다.
2분마다 자동으로 저장되며, **Ctrl+S**를 누르면 바로 저장됩니다.
이 폴더에 이미 있는 파일은 절대 덮어쓰지 않습니다.
수업을 처음부터 다시 하고 싶다면 노트북 파일의 이름을 바꾸거나 지운 뒤 `make lab lang=ko`를 다시 실행하세요.
끝내려면 처음 명령을 실행한 터미널에서 **Ctrl+C**를 누르세요.
"""


def start_page(lessons: list[Lesson], copied: list[Copied], workspace: Path) -> str:
    """The whole page as Markdown, in the language in use."""
    parts = [
        say(en="# Secant: learn PyTorch's autograd", ko="# Secant: PyTorch autograd 배우기"),
        say(
            en="Each lesson is a notebook that you read, run and complete. Sliders show a secant turning "
            "into the tangent, and tests tell you at once how your answer does.",
            ko="수업마다 읽고 실행하고 직접 채워 나가는 노트북이 하나씩 있습니다. 슬라이더를 움직이며 "
            "할선이 접선이 되는 모습을 살펴보고, 작성한 답은 테스트로 바로 확인할 수 있습니다.",
        ),
        lesson_table(lessons, copied),
        how_many(lessons, copied),
        new_versions(copied),
        say(en=HOW_TO_EN, ko=HOW_TO_KO).format(workspace=workspace),
    ]
    return "\n\n".join(part for part in parts if part)


def signed(text: str) -> bytes:
    """The page with a mark by which we know it again as ours, unchanged."""
    body = text.encode()
    return body + f"\n<!-- {fingerprint(body)} -->\n".encode()


def is_ours(page: bytes) -> bool:
    """Whether a page is as we wrote it."""
    body, _, mark = page.rpartition(b"\n<!-- ")
    return mark == f"{fingerprint(body)} -->\n".encode()


def write_start_page(workspace: Path, text: str) -> str:
    """Write the page and return its name; one that the learner has edited stays, and ours goes beside it."""
    for name in (START, "START (new).md", *(f"START (new {number}).md" for number in range(2, 100))):
        path = workspace / name
        if create(path, signed(text)):
            return name
        if is_ours(content_of(path) or b""):
            path.write_bytes(signed(text))
            return name
    raise LabError(
        say(
            en=f"Please delete some of the START pages in {workspace}.",
            ko=f"{workspace} 폴더의 START 파일 몇 개를 지워 주세요.",
        )
    )


# --- JupyterLab ---


def language_pack(locale: str) -> bool:
    """Whether JupyterLab's menus can be shown in this language."""
    return any(entry.name == locale for entry in entry_points(group="jupyterlab.languagepack"))


def lab_defaults() -> dict[str, dict[str, object]]:
    """Default settings; what learners have chosen for themselves goes before these."""
    defaults: dict[str, dict[str, object]] = {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        # So that the start page opens as a page and not as its source.
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
    }
    if language() == "ko" and language_pack("ko_KR"):
        defaults["@jupyterlab/translation-extension:plugin"] = {"locale": "ko_KR"}
    return defaults


# What a class, an instructor or a request to the net needs, and a learner alone does not. Validate stays.
HIDDEN_PANELS = (
    "@jupyter/nbgrader:assignment-list",
    "@jupyter/nbgrader:course-list",
    "@jupyter/nbgrader:create-assignment",
    "@jupyter/nbgrader:formgrader",
    "@jupyter/nbgrader:menu",
    "@jupyterlab/extensionmanager-extension:plugin",
    "jupyterlab-jupytext",
)
HIDDEN_SERVICES = (
    "jupyterlab_jupytext",
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader",
)


def write_lab_config(workspace: Path) -> Path:
    """Write our defaults into a folder of their own: the learner's configuration stays as it is."""
    folder = workspace / STATE_FOLDER / "jupyter"
    files: dict[str, object] = {
        "labconfig/default_setting_overrides.json": lab_defaults(),
        "labconfig/page_config.json": {"disabledExtensions": dict.fromkeys(HIDDEN_PANELS, True)},
        "jupyter_server_config.json": {
            "ServerApp": {"jpserver_extensions": dict.fromkeys(HIDDEN_SERVICES, False)}
        },
    }
    (folder / "labconfig").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    return folder


def lab_arguments(workspace: Path, page: str, options: argparse.Namespace, extra: list[str]) -> list[str]:
    """JupyterLab's command line: ours, save where the learner has said otherwise, and then theirs."""
    ours = {
        "ServerApp.root_dir": workspace,
        "Application.log_level": "ERROR",  # the address is shown all the same
        "ServerApp.answer_yes": True,  # one Ctrl-C ends it
        "ServerApp.allow_root": True,  # in a container one is often root
        "LabApp.default_url": f"/lab/tree/{quote(page)}",
        "LabApp.workspaces_dir": workspace / STATE_FOLDER / "layouts",
        # No request leaves this machine.
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    if options.port is not None:
        ours |= {"ServerApp.port": options.port, "ServerApp.port_retries": 0}
    if options.no_browser:
        ours |= {"ServerApp.open_browser": False}
    said = {argument.removeprefix("--").partition("=")[0] for argument in extra}
    if "debug" in said:
        del ours["Application.log_level"]
    return [f"--{name}={value}" for name, value in ours.items() if name not in said] + extra


def check_port(port: int) -> None:
    """Raise LabError if nobody can listen there."""
    try:
        with socket.socket() as probe:
            if os.name == "posix":  # as the server does it; elsewhere this would allow a second listener
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise LabError(
            say(
                en=f"Port {port} cannot be used ({getattr(error, 'strerror', 'no such port')}): "
                "choose another, or name none and a free one is found.",
                ko=f"{port}번 포트를 쓸 수 없습니다. 다른 번호를 지정하거나, "
                "번호 없이 실행하면 비어 있는 포트를 알아서 찾습니다.",
            )
        ) from error


def launch(workspace: Path, page: str, options: argparse.Namespace, extra: list[str]) -> None:
    """Become the JupyterLab server."""
    paths = [str(write_lab_config(workspace)), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(path for path in paths if path)
    os.environ["SECANT_LANG"] = language()
    # So that a terminal in JupyterLab finds `autograder`.
    tools = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", os.defpath)])
    # Away from the repository, whose nbgrader_config.py is an instructor's and not a learner's.
    os.chdir(workspace)
    print(
        say(
            en="Starting JupyterLab. Ctrl+C ends it.",
            ko="JupyterLab을 시작합니다. 끝내려면 Ctrl+C를 누르세요.",
        ),
        flush=True,
    )
    # Late, because it takes a second that nobody should wait for to read an error message.
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance(lab_arguments(workspace, page, options, extra))


# --- The command ---


def course_root() -> Path:
    """The folder with release/: where we are, or the repository that this package is installed from."""
    for root in (Path.cwd(), Path(__file__).resolve().parent.parent):
        if (root / "release" / language()).is_dir() and (root / "course" / "syllabus.toml").is_file():
            return root
    raise LabError(
        say(
            en=f"There is no release/{language()}/ here: run this in the folder of the Secant repository.",
            ko=f"여기에는 release/{language()}/ 폴더가 없습니다. Secant 저장소 폴더에서 실행해 주세요.",
        )
    )


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options, and the rest, which is JupyterLab's."""
    parser = argparse.ArgumentParser(
        prog="python -m secant.lab",
        description="Copy the lessons and open JupyterLab there. Other arguments are JupyterLab's.",
        allow_abbrev=False,
    )
    parser.add_argument("--lang", choices=LANGUAGES, default=language(), help="language of the lessons")
    parser.add_argument("--port", type=int, help="port to listen on (default: the first free one from 8888)")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    return parser.parse_known_args(arguments)


def prepare(root: Path, today: date) -> tuple[Path, str]:
    """Copy the lessons and write the start page; return the workspace and the page's name."""
    workspace = root / "workspace" / language()
    copied = copy_lessons(root / "release" / language(), workspace, today)
    lessons = read_syllabus(root / "course" / "syllabus.toml")
    return workspace, write_start_page(workspace, start_page(lessons, copied, workspace))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options, extra = parse(sys.argv[1:] if arguments is None else arguments)
    language(options.lang)
    try:
        if options.port is not None:
            check_port(options.port)
        workspace, page = prepare(course_root(), date.today())
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        where = f"{error.filename}: {error.strerror}"
        sentence = say(
            en=f"The lessons could not be copied: {where}.", ko=f"수업 파일을 복사하지 못했습니다. {where}"
        )
        print(sentence, file=sys.stderr)
        return 1
    launch(workspace, page, options, extra)
    return 0


if __name__ == "__main__":
    sys.exit(main())
